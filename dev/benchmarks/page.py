"""Compare the seconds that the page takes with those at an earlier commit: `python -m dev.benchmarks.page COMMIT`.

Both pages are measured in turns, and the best time of each counts, since other programs only make it longer. This needs
playwright and chromium.

* letter: from a letter typed in an invoice of 200 values until its score is painted;
* first visit: until a score is painted, at 400 ms of latency and 50 kB/s;
* rows: until the result of 5,000 invoices, and of the same invoices with other options, is shown;
* longest task: while each of the twelve documents of `examples/invoices` is chosen with its PDF, as a ratio to the
  longest task of the first load in the same run: at most 1.5.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from dev.benchmarks.page_server import ROOT, Server, serving
from dev.benchmarks.workloads import invoice, invoices

ROWS, TURNS = 5_000, 3
INVOICES = ROOT / "examples" / "invoices"
SHORTEST_TASK = 50  # milliseconds; browsers do not report shorter tasks
OBSERVE_TASKS = """window.tasks = [];
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: "longtask", buffered: true });"""
TAKE_TASKS = "() => window.tasks.splice(0)"
SLOW = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
OPTIONS: dict[str, dict[str, Any]] = {"rows, numbers by value": {"numbers": "value"}, "threshold": {"threshold": 0.4}}
FILL = """sides => {
  for (const [side, text] of Object.entries(sides)) {
    const area = document.querySelector(`#pair-${side} textarea`);
    area.value = text;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""
WATCH = """() => {
  let typed = 0;
  const area = document.querySelector("#pair-prediction textarea"), { port1, port2 } = new MessageChannel();
  window.painted = new Promise((resolve) => { port1.onmessage = () => resolve(performance.now() - typed); });
  area.addEventListener("input", () => { typed = performance.now(); }, { capture: true, once: true });
  new MutationObserver(() => { if (typed) requestAnimationFrame(() => port2.postMessage(null)); })
    .observe(document.querySelector("#pair-tree"), { attributes: true, childList: true, subtree: true });
  area.focus();
  area.setSelectionRange(area.value.indexOf('": "') + 4, area.value.indexOf('": "') + 4);
}"""


def letter(browser: Browser, server: Server) -> float:
    """Type letters in an invoice, and return the seconds of the fastest."""
    page = browser.new_page()
    page.goto(server.url)
    page.locator("#pair .screen[data-ready]").wait_for(state="attached", timeout=0)
    rng = random.Random(4)
    truth, prediction = max((invoice(rng) for _ in range(12)), key=lambda pair: len(pair[0]["items"]))
    page.evaluate(FILL, {"truth": json.dumps(truth, indent=2), "prediction": json.dumps(prediction, indent=2)})
    page.wait_for_timeout(3000)
    times = []
    for _ in range(8):
        page.evaluate(WATCH)
        page.keyboard.press("x")
        times.append(page.evaluate("window.painted"))
        page.wait_for_timeout(500)
    page.close()
    return float(min(times)) / 1e3


def first_visit(browser: Browser, server: Server) -> float:
    """Return the seconds until a new visitor with a slow connection sees a score."""
    page: Page = browser.new_context().new_page()
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    begun = perf_counter()
    page.goto(server.url, wait_until="commit")
    page.locator("#pair-tree .anls-score").first.wait_for(timeout=0)
    seconds = perf_counter() - begun
    page.context.close()
    return seconds


def longest_task(browser: Browser, server: Server) -> float:
    """Return the longest task while documents are chosen, as a ratio to the longest task of the first load."""
    page = browser.new_page()
    page.add_init_script(OBSERVE_TASKS)

    def longest() -> float:
        """Return the longest task, in milliseconds, since the last call and in the next two seconds."""
        page.wait_for_timeout(2000)
        return float(max([SHORTEST_TASK, *page.evaluate(TAKE_TASKS)]))

    page.goto(server.url)
    page.locator("#pair .screen[data-ready]").wait_for(state="attached", timeout=0)
    first_load = longest()
    page.locator("[data-to=testset]").click()
    page.locator(".testset[data-loaded]").wait_for()
    pdfs = sorted((INVOICES / "documents").glob("*.pdf"))
    files = [INVOICES / "references.jsonl", INVOICES / "quill.jsonl", *pdfs]
    page.locator("#testset .drop-input").set_input_files(files)
    page.get_by_role("button", name="Score", exact=True).click()
    page.locator("#testset-beside .ev-sheet img").wait_for()
    longest_choice = longest()
    for document in page.locator(".doc").all():
        document.click()
        longest_choice = max(longest_choice, longest())
    page.close()
    return longest_choice / first_load


def rows(server: Server, files: dict[str, str]) -> dict[str, float]:
    """Return the seconds of a test set, and of the same test set with other options, one after the other."""
    times, before = {}, ""
    for number, (name, options) in enumerate({"rows": {}, **OPTIONS}.items()):
        begun = perf_counter()
        asked = {**files, "what_if": options, "window": ["rows", number]}
        answer = server.ask("score_files", {**asked, "before": before})
        if "refused" in answer:  # the page is older than this key
            answer = server.ask("score_files", asked)
        while answer.get("running"):
            answer = server.ask("progress", {"window": ["rows", number]})
        times[name], before = perf_counter() - begun, answer["run"]
    return times


def uploaded(server: Server) -> dict[str, str]:
    """Upload the invoices, and return the paths of both files on the server."""
    sides: dict[str, list[str]] = {"references": [], "predictions": []}
    for number, (truth, prediction) in enumerate(invoices(ROWS)):
        sides["references"].append(json.dumps({"question_id": f"{number}", "references": [truth]}))
        sides["predictions"].append(json.dumps({"question_id": f"{number}", "prediction": prediction}))
    return {side: server.upload(f"{side}.jsonl", "\n".join(lines).encode()) for side, lines in sides.items()}


def main() -> None:
    """Print the best seconds of each page and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="the earlier commit")
    command = ["git", "archive", parser.parse_args().commit]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder)  # noqa: S202  our own archive
        servers = [stack.enter_context(serving(root)) for root in (folder, ROOT)]
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        sets = [uploaded(server) for server in servers]
        best: list[dict[str, float]] = [{}, {}]
        for _ in range(TURNS):
            for number, server in enumerate(servers):
                works: dict[str, Callable[[], float]] = {
                    "letter": partial(letter, browser, server),
                    "first visit": partial(first_visit, browser, server),
                }
                times = {name: work() for name, work in works.items()} | rows(server, sets[number])
                for name, seconds in times.items():
                    best[number][name] = min(seconds, best[number].get(name, seconds))
        tasks = [longest_task(browser, server) for server in servers]
        browser.close()
    for name, before in best[0].items():
        print(f"{name:24} {before:7.3f} s {best[1][name]:7.3f} s  {best[1][name] / before:.2f}")
    print(f"{'longest task':24} {tasks[0]:7.2f}   {tasks[1]:7.2f}    at most 1.5")


if __name__ == "__main__":
    main()

"""The playground as a real process, and a Chromium that visits it: what a visitor does, and what must never happen.

A test module takes the fixtures by name: `playground, chromium, visit = browser.playground, ...`.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.commands import environment, free_port
from tests.conftest import HUNG, ROOT, needs, skip_or_fail
from tests.report_samples import HOSTILE_TEXTS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Dialog, FilePayload, Locator, Page, Request

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",  # nothing beyond this machine
]
WIDE, NARROW = (1280, 900), (390, 844)
ZOOMED = (640, 400)  # a window of 1280 pixels at 200 %
LOOKS = [(WIDE, False), (NARROW, True)]  # sizes, and whether dark: each size and each scheme once
TRIES_TO_START = 3  # with another port each
MILLISECONDS = 120_000  # until something that must show up has failed to
XSS = "window.__xss"
_WHOLE = [text.rstrip("\ud800") for text in HOSTILE_TEXTS]  # ids may not be half a character
HOSTILE = [*_WHOLE, f"`{XSS}=1`", f"{{{{{XSS}=1}}}}", "__proto__", "constructor", "k" * 10_000]
VISIBLE = "all => all.filter(each => each.checkVisibility()).map(each => each.dataset.status)"
SERVER = "**/component_server/**"  # where the page asks
PRESS = """document.getElementById("pair-truth-text").dispatchEvent(
  new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true }))"""  # before what was typed is scored
# gradio fades what is about to change: a contrast is that of the whole only when nothing is faint any more
SETTLED = """selector => !document.querySelector("p.loading") && [
  ...document.querySelectorAll(`${selector}, ${selector} .anls-tree, ${selector} .anls-fault`)
].every(drawn => {
  for (let part = drawn; part; part = part.parentElement) if (getComputedStyle(part).opacity !== "1") return false;
  return true;
})"""
# Where the ring of focus covers a text, is cut off, or is lacking: each element is focused, and its ring is measured
RINGS = """selector => {
  const grown = (box, by) => ({ left: box.left - by, top: box.top - by,
    right: box.right + by, bottom: box.bottom + by });
  const common = (a, b) => ({ left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom) });
  const meet = (a, b) => { const box = common(a, b); return box.right - box.left > 0.9 && box.bottom - box.top > 0.9; };
  const clips = part => getComputedStyle(part).overflow !== "visible" && part !== document.body;
  const above = element => element ? [element, ...above(element.parentElement)] : [];
  const found = new Set();
  for (const element of document.querySelectorAll(`${selector} :is(a, button, input, select, summary, [tabindex])`)) {
    element.focus();
    if (document.activeElement !== element || !element.checkVisibility()) continue;
    const ringed = above(element).find(each => getComputedStyle(each).outlineStyle !== "none");
    const name = `${element.tagName} ${element.className} ${element.textContent.trim().slice(0, 30)}`;
    if (!ringed) { found.add(`no ring: ${name}`); continue; }
    const style = getComputedStyle(ringed);
    const inner = grown(ringed.getBoundingClientRect(), parseFloat(style.outlineOffset));
    const outer = grown(inner, parseFloat(style.outlineWidth)), sides = ["left", "top", "right", "bottom"];
    for (const part of above(ringed.parentElement).filter(clips)) {
      const kept = common(outer, grown(part.getBoundingClientRect(), 0.6));
      const fits = outer.right - outer.left <= part.offsetWidth && outer.bottom - outer.top <= part.offsetHeight;
      if (fits && sides.some(side => kept[side] !== outer[side])) found.add(`cut off: ${name}`);
    }
    const bands = [["right", "left"], ["left", "right"], ["bottom", "top"], ["top", "bottom"]]
      .map(([side, of]) => ({ ...outer, [side]: inner[of] }));
    const texts = document.createTreeWalker(ringed.parentElement, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const parts = above(text.parentElement), range = document.createRange();
      if (!text.data.trim() || !parts[0].checkVisibility() || parts[0].closest("option")) continue;
      range.selectNodeContents(text);
      for (const line of range.getClientRects()) {
        const spare = Math.max(0, (line.height - parseFloat(getComputedStyle(parts[0]).fontSize)) / 2);
        let ink = { left: line.left, right: line.right, top: line.top + spare, bottom: line.bottom - spare };
        for (const part of parts.filter(clips)) {
          const { paddingLeft, paddingRight } = getComputedStyle(part), box = part.getBoundingClientRect();
          const left = box.left + parseFloat(paddingLeft), right = box.right - parseFloat(paddingRight);
          ink = common(ink, { left, right, top: box.top, bottom: box.bottom });
        }
        if (bands.some(band => meet(band, ink))) found.add(`over ${text.data.trim().slice(0, 30)}: ${name}`);
      }
    }
  }
  return [...found];
}"""
# what gradio itself says on the console: a validator's answer is the status 422
OF_GRADIO = re.compile(r"Failed to load resource: .* 422 |Method not implemented")


class Playground(NamedTuple):
    url: str
    log: Path
    process: subprocess.Popen[bytes]

    def logged(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def forget_files(self) -> None:
        """Delete all uploads and results, as a restart of the server does."""
        for folder in (self.log.parent / "tmp").glob("docscore-page-*/*/"):
            for kept in folder.iterdir():
                shutil.rmtree(kept, ignore_errors=True)

    @contextlib.contextmanager
    def without_errors(self) -> Iterator[None]:
        """Fail where what is done meanwhile makes it log a stack trace."""
        before = len(self.logged())
        yield
        _, trace, rest = self.logged()[before:].partition("Traceback")
        assert not trace, rest

    def call(self, route: str, *arguments: Any) -> tuple[str, str]:
        """The last event of a call by plain HTTP, and its data as JSON text."""
        address = f"{self.url}/gradio_api/call/{route}"
        status, joined = answer_of(address, json.dumps({"data": arguments}).encode())
        assert status == 200, joined
        status, events = answer_of(f"{address}/{json.loads(joined)['event_id']}")
        found: list[tuple[str, str]] = re.findall(r"^event: (.*)\ndata: (.*)$", events, flags=re.MULTILINE)
        assert (status, bool(found)) == (200, True), events
        return found[-1]


def answer_of(address: str, body: Any = None, kind: str = "application/json") -> tuple[int, str]:
    """The status and the text of the answer to a request; 0 where the connection is closed before its body is sent."""
    headers = {"Content-Type": kind, "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, body, headers)  # noqa: S310  ours
    try:
        with urllib.request.urlopen(request, timeout=HUNG) as answer:  # noqa: S310
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except OSError as error:
        if body is None or not isinstance(getattr(error, "reason", error), (BrokenPipeError, ConnectionResetError)):
            raise
        return 0, ""


_RUNNING = pytest.StashKey[Playground]()


@pytest.fixture(scope="session")
def playground(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Playground:
    """`python app.py`, started once a run by whichever module needs it first, and stopped at the end of the run."""
    if _RUNNING not in request.config.stash:
        needs("gradio")
        stack = contextlib.ExitStack()
        request.config.add_cleanup(stack.close)
        request.config.stash[_RUNNING] = stack.enter_context(started(tmp_path_factory.mktemp("playground")))
    return request.config.stash[_RUNNING]


@contextlib.contextmanager
def started(
    folder: Path, *command: str, python: str | Path = sys.executable, cwd: Path = ROOT, **changes: str
) -> Iterator[Playground]:
    """The app, or a command of Python, on a free port of this machine, with its temporary files in the folder."""
    (folder / "tmp").mkdir()
    at = {"GRADIO_SERVER_NAME": "127.0.0.1", "TMPDIR": str(folder / "tmp"), "PYTHONUNBUFFERED": "1"}
    at["GRADIO_TEMP_DIR"] = ""  # that of an app in the process of the tests
    for _ in range(TRIES_TO_START):
        port = free_port()
        with (
            (folder / "log.txt").open("wb") as log,
            subprocess.Popen(
                [python, *(command or ("app.py",))],
                cwd=cwd,
                env=environment(**{**at, "GRADIO_SERVER_PORT": str(port), **changes}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            ) as process,
        ):
            app = Playground(f"http://127.0.0.1:{port}", folder / "log.txt", process)
            try:
                if _answers(app):
                    yield app
                    return
            finally:
                process.terminate()
        if "Cannot find empty port" not in app.logged():  # or the server took five seconds to start
            break
    pytest.fail(f"app.py did not come up:\n{app.logged()}")


def _answers(app: Playground) -> bool:
    """Whether the app answers before it ends."""
    deadline = time.monotonic() + HUNG
    while app.process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{app.url}/config", timeout=HUNG):  # noqa: S310  ours
            return True
        time.sleep(0.1)
    return False


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser a module; between modules no event loop of Playwright's is left in this thread."""
    needs("playwright")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415  not everywhere

    where = shutil.which("chromium") or shutil.which("google-chrome")
    if where is None:
        skip_or_fail("needs chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=FLAGS, timeout=HUNG * 1000)
        yield browser
        browser.close()


class Window:
    """A browser window, and a record of what must not happen in it.

    Attributes:
        page: its first tab.
        errors: what was said on the console, requests to elsewhere, dialogs and errors of pages.
    """

    def __init__(self, browser: Browser, size: tuple[int, int], **options: Any) -> None:
        self.errors: list[str] = []
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        self.context.set_default_timeout(MILLISECONDS)
        self.context.on("request", self.check_request)
        self.page: Page = self.new_tab()

    def new_tab(self) -> Page:
        """Another tab of the same browser, watched as the first."""
        page = self.context.new_page()
        page.on("console", self.check_console)
        page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        page.on("dialog", self._dialog)
        return page

    def _dialog(self, dialog: Dialog) -> None:
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def check_request(self, request: Request) -> None:
        """Nothing is asked of another machine."""
        address = urlsplit(request.url)
        if address.scheme not in ("blob", "data") and address.hostname not in ("127.0.0.1", "localhost"):
            self.errors.append(f"request to {address.hostname}: {request.url}")

    def check_console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not OF_GRADIO.search(message.text):
            self.errors.append(f"console: {message.text} {message.location}")

    def sideways(self) -> int:
        """By how many pixels the page is wider than the window."""
        return int(self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def close_all(windows: Sequence[Window]) -> None:
    """Close the windows; nothing forbidden may have happened in any of them, and no text have run as a script."""
    scripts = [window.page.evaluate(f"typeof {XSS}") for window in windows]
    errors = [error for window in windows for error in window.errors]
    for window in windows:
        window.context.close()
    assert scripts == ["undefined"] * len(windows)
    assert errors == [], errors


class Visitor(Window):
    """A visitor of the page with a browser window of their own: what they do."""

    def __init__(self, browser: Browser, app: Playground, size: tuple[int, int], *, dark: bool) -> None:
        super().__init__(browser, size, color_scheme="dark" if dark else "light")
        self.app = app
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def __getitem__(self, element: str) -> Locator:
        return self.page.locator(f"#{element}")

    def arrive(self, path: str = "/") -> None:
        """Open the page and wait for its first result."""
        self.page.goto(self.app.url + path)
        self.page.locator("#pair .screen[data-ready]").wait_for(state="attached")

    def paste(self, editor: str, text: str) -> None:
        """Replace what an editor holds, as a visitor does who copied something elsewhere."""
        self.copy(text)
        self[editor].locator("textarea").focus()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.press("ControlOrMeta+v")

    def score(self, truth: str, prediction: str) -> None:
        """Paste a pair and press the button; the tree from before is no longer interpreted as the result."""
        self.paste("pair-truth", truth)
        self.paste("pair-prediction", prediction)
        mark = "result.querySelectorAll('.anls-tree').forEach(each => each.dataset.old = 1)"
        self["pair-result"].evaluate(f"result => {{ {mark}; {PRESS} }}")

    def fault(self, editor: str) -> Locator:
        return self[editor].locator(".fault")

    def typed(self, editor: str) -> str:
        return self[editor].locator("textarea").input_value()

    def choose(self, option: str, value: str, tab: str = "pair") -> None:
        """Choose an option, behind the button that shows them."""
        self[f"{tab}-options"].evaluate("options => { options.open = true; }")
        self[f"{tab}-options"].locator(f'input[name="{tab}-{option}"][value="{value}"]').check()
        self[f"{tab}-options"].evaluate("options => { options.open = false; }")

    def tree(self) -> Locator:
        """The newest tree, waited for."""
        shown = self["pair-result"].locator(".anls-tree:not([data-old])")
        shown.wait_for()
        return shown

    def total(self) -> float:
        return float(self.tree().locator(".anls-score").inner_text())

    def has_score(self, score: str) -> None:
        self["pair-result"].locator(".anls-score").get_by_text(score, exact=True).wait_for()

    def row(self, path: str) -> Locator:
        return self["pair-result"].locator(f'.anls-row[data-path="{path}"]')

    def press(self, key: str) -> None:
        """Press a key, and wait until what it changes is drawn in the next frame."""
        self.page.keyboard.press(key)
        self.drawn()

    def drawn(self) -> None:
        self.page.evaluate("new Promise(requestAnimationFrame)")

    def open_tab(self, name: str) -> None:
        self.page.locator(".tabs").get_by_role("link", name=name, exact=True).click()

    def choose_files(self, *files: Path | FilePayload) -> None:
        """Give files to the drop box of the tab "Test set", and wait until it says what they are."""
        given: Any = [payload(file.name, file.read_bytes()) if isinstance(file, Path) else file for file in files]
        self.page.locator("#testset .drop-input").set_input_files(given)
        self.page.locator("#testset .drop[data-state=chosen]:not([aria-busy])").wait_for()

    def clipboard(self) -> str:
        return str(self.page.evaluate("navigator.clipboard.readText()"))

    def copied(self, old: str) -> str:
        """What the clipboard holds once it is no longer the old text."""
        self.page.wait_for_function("async old => await navigator.clipboard.readText() !== old", arg=old)
        return self.clipboard()

    def copy(self, text: str) -> None:
        self.page.evaluate("text => navigator.clipboard.writeText(text)", text)


Visit = Callable[..., Visitor]


def payload(name: str, content: Any) -> FilePayload:
    """A file of any name, which a file system need not allow."""
    data = content if isinstance(content, bytes) else "".join(json.dumps(row) + "\n" for row in content).encode()
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


@pytest.fixture
def visit(playground: Playground, chromium: Browser) -> Iterator[Visit]:
    """A function that brings a new visitor; after the test nothing forbidden may have happened to any of them."""
    visitors: list[Visitor] = []

    def come(path: str = "/", *, size: tuple[int, int] = WIDE, dark: bool = False) -> Visitor:
        visitor = Visitor(chromium, playground, size, dark=dark)
        visitors.append(visitor)
        visitor.arrive(path)
        return visitor

    with playground.without_errors():
        yield come
        close_all(visitors)


def heard(page: Page) -> set[tuple[str, str]]:
    """The roles and names that a screen reader gets of what is shown."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    named = [node for node in nodes if not node["ignored"] and "name" in node]
    return {(node["role"]["value"], node["name"]["value"]) for node in named}


def axe(page: Page, selector: str) -> list[str]:
    """The accessibility problems that axe-core finds within a selector, one line each."""
    needs("axe_playwright_python")
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  not everywhere

    page.wait_for_function(SETTLED, arg=selector)
    # Gradio may show its own placeholder for a part that loads again
    context = {"include": [[selector]], "exclude": [["p.loading"]]}
    violations: list[dict[str, Any]] = Axe().run(page, context).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {node['target']} {node['html'][:200]} {node.get('failureSummary', '')}"
        for each in violations
        for node in each["nodes"]
    ]


def errors_of_focus(page: Page, selector: str) -> list[str]:
    """Where the ring of focus within a selector covers a text, is cut off, or is lacking; the focus stays."""
    focused = page.evaluate_handle("document.activeElement")
    page.keyboard.press("Shift")  # rings are drawn for those who use keys
    found: list[str] = page.evaluate(RINGS, selector)
    focused.evaluate("element => element.focus()")
    return found

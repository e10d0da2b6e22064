"""Measure how long twenty visitors of the page wait for their answers: `python -m dev.benchmarks.load`.

Meanwhile, one more visitor sends the most expensive requests that the page allows, from four windows without a pause:
bodies to each route that takes them, pairs to the API, files and eight systems. The processor time of the server tells
whether other programs on the machine explain a long wait.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import json
import os
import random
import socket
import statistics
import string
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

VISITORS = 20
MOST_MARKS = 20_000  # brackets and commas that the page takes in a body
LONGEST_WAIT = 1  # seconds, the limit of the 95th percentile
SHOWN = 5  # lines of the table, the slowest
ROOT = Path(__file__).parents[2]
_OPTIONS = 0.5, True, "paper", "text"
_SMALL = {"vendor": "Ball & Bearing Ltd", "items": [{"name": "Tea", "price": "2.50"}, {"name": "Cake"}]}
_HUNG = 300  # seconds


class Server(NamedTuple):
    """The running page."""

    url: str
    process: subprocess.Popen[bytes]

    def megabytes(self) -> float:
        """Return the resident memory of the server process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0]) / 1e3

    def score(self, truth: Any, prediction: Any) -> bool:
        """Call the endpoint, wait for the answer, and return whether it is a score."""
        body = json.dumps({"data": [truth, prediction, *_OPTIONS]}).encode()
        try:
            event = self.sent("call/score", body)["event_id"]
        except urllib.error.HTTPError:
            return False
        with urllib.request.urlopen(f"{self.url}/gradio_api/call/score/{event}", timeout=_HUNG) as stream:  # noqa: S310
            return b"event: error" not in stream.read()

    def processor_seconds(self) -> float:
        """Return the processor time of the server process."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def ask(self, function: str, question: dict[str, Any]) -> Any:
        """Return the answer of a server function."""
        body = {**page_numbers(self.url), "data": question, "fn_name": function, "session_hash": "load"}
        return self.sent("component_server/", json.dumps(body).encode())

    def run(self, function: str, window: str, question: dict[str, Any]) -> bool:
        """Begin a run, wait for its end, and return whether it has a result."""
        answer = self.ask(function, {**question, "window": [window, 1]})
        while answer.get("running"):
            answer = self.ask("progress", {"window": [window, 1]})
        return "refused" not in answer

    def post(self, route: str, body: bytes) -> bool:
        """Send a body to a route, and return whether it is taken."""
        with contextlib.suppress(urllib.error.URLError, ConnectionError, json.JSONDecodeError):
            self.sent(route, body)
            return True
        return False

    def upload(self, name: str, content: bytes) -> str:
        """Upload a file and return its path on the server."""
        head = f'--load\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + b"\r\n--load--\r\n"
        return str(self.sent("upload", body, "multipart/form-data; boundary=load")[0])

    def sent(self, path: str, body: bytes, kind: str = "application/json") -> Any:
        """Return the answer to a POST request, parsed as JSON."""
        headers = {"Content-Type": kind, "Accept": "application/json, text/event-stream"}
        request = urllib.request.Request(f"{self.url}/gradio_api/{path}", body, headers)  # noqa: S310  ours
        with urllib.request.urlopen(request, timeout=_HUNG) as answer:  # noqa: S310
            return json.load(answer)


@contextlib.contextmanager
def serving(root: Path = ROOT) -> Iterator[Server]:
    """Serve the page of a checkout on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-c", f"import os; os.environ['GRADIO_SERVER_PORT'] = '{port}'; {_RUN}"],
            cwd=root,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        server = Server(f"http://127.0.0.1:{port}", process)
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{server.url}/config", timeout=_HUNG).close()  # noqa: S310
                    break
                time.sleep(0.1)
            else:
                msg = "the page ended before it answered"
                raise RuntimeError(msg)
            yield server
        finally:
            process.terminate()
            process.wait()


_RUN = "import runpy; runpy.run_path('app.py', run_name='__main__')"


def worst_requests() -> dict[str, tuple[Any, Any]]:
    """Return the largest pair of each shape that the page takes."""
    dice = random.Random(0)

    def text(length: int) -> str:
        return "".join(dice.choices(string.ascii_lowercase + " ", k=length))

    def deep(levels: int) -> Any:
        value: Any = text(3)
        for _ in range(levels):
            value = [value, text(3)]
        return value

    return {
        "two unlike texts of 50,000 characters": (text(50_000), text(50_000)),
        "twenty unlike texts of 45,000 characters": (
            [text(45_000) for _ in "x" * 20],
            [text(45_000) for _ in "x" * 20],
        ),
        "lists of 2,000 unlike texts": ([text(40) for _ in "x" * 2_000], [text(40) for _ in "x" * 2_000]),
        "19,999 keys": (
            json.dumps({text(8): text(20) for _ in range(19_999)}),
            json.dumps({text(8): text(20) for _ in range(19_999)}),
        ),
        "lists in 190 levels": (deep(190), deep(190)),
    }


# The routes that take bodies, without those that gradio serves in development alone.
VALUES = ["call/score", "call/score_text", "call/v2/score", "call/upload", "call/x/upload", "run/score", "api/score"]
PARTS = ["queue/join", "component_server", "reset", "cancel", "stream/e", "stream/e/close", "process_recording", "mcp/"]

# Parts that are repeated in a body up to the limit of marks.
_SHAPES = {
    "values": "x",
    "empty lists": [],
    "lists in lists": [[[[]]]],
    "objects": {"a": "x"},
    "objects in objects": {"a": {"b": {"c": 1}}},
}


def worst_values() -> dict[str, Any]:
    """Return the values within the limits that take longest to read, by their shapes."""
    values: dict[str, Any] = {
        "one long text": "x" * 2_400_000,
        "prose with commas": "Well, so, it is [said], " * 90_000,
        "JSON in text": json.dumps([[[]]] * 140_000),
        "a long number": 10**4_000,
    }
    for name, part in _SHAPES.items():
        marks = sum(map(json.dumps(part).count, "[{,"))
        values[name] = [part] * ((MOST_MARKS - 100) // 2 // (marks + 1))
    return values


@functools.cache
def page_numbers(url: str) -> dict[str, int]:
    """Return the numbers that gradio gives to the function that scores a pair and to a component."""
    with urllib.request.urlopen(f"{url}/config", timeout=_HUNG) as answer:  # noqa: S310
        config = json.load(answer)
    component = next(part for part in config["components"] if "score_files" in str(part["props"].get("server_fns")))
    function = next(one for one in config["dependencies"] if one["api_name"] == "score")
    return {"component_id": component["id"], "fn_index": function["id"]}


def body_for(route: str, value: object, numbers: dict[str, int]) -> bytes:
    """Return a body with a value where the route reads it; the numbers are those of the page."""
    call = {"name": "score", "arguments": {"ground_truth": value, "prediction": value}}
    pair = {"truth": value, "prediction": value, "reading": "repair"}
    parts: dict[str, Any] = {
        "call/v2/score": {"ground_truth": value, "prediction": value},
        "reset": {"event_id": [value, value]},
        "cancel": {"event_id": [value, value]},
        "component_server": {**numbers, "data": pair, "fn_name": "score_workspace", "session_hash": "a"},
        "mcp/": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
    }
    plain = {**numbers, "data": [value, value, *_OPTIONS], "session_hash": "a"}
    return json.dumps(parts.get(route, plain)).encode()


def worst_actions(server: Server, rows: int) -> dict[str, Callable[[str], bool]]:
    """Return the most expensive actions of a visitor: functions of the name of a window."""

    def sends(truth: Any, prediction: Any) -> Callable[[str], bool]:
        return lambda _window: server.score(truth, prediction)

    def posts(route: str) -> Callable[[str], bool]:
        bodies = itertools.cycle([body_for(route, value, numbers) for value in worst_values().values()])
        return lambda _window: server.post(route, next(bodies))

    numbers = page_numbers(server.url)
    actions = {f"bodies to {route}": posts(route) for route in (*VALUES, *PARTS)}
    actions |= {name: sends(*pair) for name, pair in worst_requests().items()}
    references, *systems = upload_test_set(server, rows, systems=8)
    files = {"references": references, "predictions": systems[0]}
    actions["two files"] = lambda window: server.run("score_files", window, files)
    fewer, *eight = upload_test_set(server, rows // 8, systems=8)
    compared = {"references": fewer, "predictions": eight}
    actions["eight systems"] = lambda window: server.run("compare_files", window, compared)
    return actions


def visits(server: Server, seconds: float, worst: Callable[[str], bool] | None) -> tuple[list[float], int, int]:
    """Return the sorted times of the answers to twenty visitors, and the results and refusals of the other visitor."""
    end = time.monotonic() + seconds
    times: list[float] = []
    answers: list[bool] = []

    def visit(number: int) -> None:
        time.sleep(number / VISITORS)
        while time.monotonic() < end:
            began = time.monotonic()
            server.score(_SMALL, {**_SMALL, "n": number})
            times.append(time.monotonic() - began)
            time.sleep(1)

    def do_the_worst(window: str) -> None:
        while worst is not None and time.monotonic() < end:
            answers.append(worst(window))

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(VISITORS)]
    threads += [threading.Thread(target=do_the_worst, args=(f"window{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times), answers.count(True), answers.count(False)


def figures(times: list[float]) -> list[str]:
    """Format median, 95th percentile and maximum."""
    cuts = statistics.quantiles(times, n=20)
    return [f"{value * 1e3:,.0f} ms" for value in (cuts[9], cuts[18], times[-1])]


def loaded(server: Server, seconds: float, rows: int, kinds: str) -> Iterator[list[str]]:
    """Yield one line for each action whose name contains a word."""
    server.score(_SMALL, _SMALL)
    actions: dict[str, Callable[[str], bool] | None] = {"nothing": None, **worst_actions(server, rows)}
    for name, worst in actions.items():
        if kinds not in name and worst is not None:
            continue
        before, began = server.megabytes(), server.processor_seconds()
        times, answered, refused = visits(server, seconds, worst)
        memory = f"{before:,.0f} → {server.megabytes():,.0f} MB"
        busy = f"{server.processor_seconds() - began:.1f} s"
        yield [name, f"{len(times):,}", *figures(times), f"{answered:,}", f"{refused:,}", busy, memory]


def grown(name: str, server: Server, act: Callable[[], object]) -> list[str]:
    """Return the memory of the server before and after an action."""
    before = server.megabytes()
    act()
    return [name, f"{before:,.0f} MB", f"{server.megabytes():,.0f} MB"]


def many_sessions(server: Server, sessions: int) -> None:
    """Score a pair as each of many visitors."""
    for number in range(sessions):
        server.score(_SMALL, {"n": number})


def upload_test_set(server: Server, rows: int, *, systems: int) -> list[str]:
    """Upload references and predictions of about 270 bytes a row, and return the paths on the server."""
    paths = []
    for system in range(-1, systems):
        lines = []
        for number in range(rows):
            row = {f"field {k}": f"value {k} of {number + (number % 9 == system)}" for k in range(10)}
            side = {"references": [row]} if system < 0 else {"prediction": row}
            lines.append(json.dumps({"question_id": str(number), **side}))
        path = server.upload(f"{'references' if system < 0 else f'system{system}'}.jsonl", "\n".join(lines).encode())
        paths.append(path)
    return paths


def table(header: list[str], lines: list[list[str]]) -> str:
    """Format lines as Markdown."""
    head, *rows = (f"| {' | '.join(cells)} |" for cells in [header, *lines])
    return "\n".join([head, "|---" * len(header) + "|", *rows])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m dev.benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=10, help="the duration of each line")
    parser.add_argument("--sessions", type=int, default=500, help="the number of sessions, opened three times")
    parser.add_argument(
        "--rows", type=int, default=70_000, help="the rows of each of two files; each of eight systems has an eighth"
    )
    parser.add_argument("--only", default="", help="measure only the lines whose names contain this")
    arguments = parser.parse_args()
    with serving() as server:
        head = ["beside the twenty", "answers", "p50", "p95", "longest", "results", "refusals", "processor", "memory"]
        lines = []
        for line in loaded(server, arguments.seconds, arguments.rows, arguments.only):
            lines.append(line)
            print(*line, sep="; ", file=sys.stderr)
        nothing, *others = lines
        others.sort(key=waiting, reverse=True)
        print(table(head, [nothing, *others[:SHOWN]]))
        slowest = max(lines, key=waiting)
        met = "is" if waiting(slowest) < 1000 * LONGEST_WAIT else "is NOT"
        print(f"\nThe p95 of all {len(lines)} lines {met} below {LONGEST_WAIT} s: {slowest[3]} beside {slowest[0]}.")
        print(f"The load of the machine in 1, 5 and 15 minutes is {os.getloadavg()}, on {os.cpu_count()} processors.")
        sessions = f"{arguments.sessions} sessions, again"
        memory = [grown(sessions, server, lambda: many_sessions(server, arguments.sessions)) for _ in range(3)]
        print(f"\n{table(['memory of the server', 'before', 'after'], memory)}")


def waiting(line: list[str]) -> float:
    """Return the 95th percentile of a line in milliseconds."""
    return float(line[3].removesuffix(" ms").replace(",", ""))


if __name__ == "__main__":
    main()

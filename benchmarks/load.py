"""Nineteen visitors of the page, and one who does the worst that is allowed: `python -m benchmarks.load`."""

from __future__ import annotations

import argparse
import contextlib
import json
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

VISITORS = 19
ROOT = Path(__file__).parent.parent
_OPTIONS = 0.5, True, "paper", "text"
_SMALL = {"vendor": "Ball & Bearing Ltd", "items": [{"name": "Tea", "price": "2.50"}, {"name": "Cake"}]}
_HUNG = 300  # seconds


class Server(NamedTuple):
    """The running page."""

    url: str
    process: subprocess.Popen[bytes]

    def megabytes(self) -> float:
        """The resident memory of the process that answers."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0]) / 1e3

    def score(self, truth: Any, prediction: Any) -> bool:
        """Call the endpoint and wait for its answer; whether that is a score."""
        body = json.dumps({"data": [truth, prediction, *_OPTIONS]}).encode()
        try:
            event = self.sent("call/score", body)["event_id"]
        except urllib.error.HTTPError:
            return False
        with urllib.request.urlopen(f"{self.url}/gradio_api/call/score/{event}", timeout=_HUNG) as stream:  # noqa: S310
            return b"event: error" not in stream.read()

    def press(self, button: str, window: str, values: dict[str, Any]) -> bool:
        """Press a button of the page, and wait for what it shows; whether that is a result.

        Args:
            button: the name of its element.
            window: a name for the browser window.
            values: by the names of elements, what they hold; all others hold what they start with.
        """
        with urllib.request.urlopen(f"{self.url}/config", timeout=_HUNG) as answer:  # noqa: S310
            config = json.load(answer)
        names = {part["id"]: part["props"].get("elem_id") for part in config["components"]}
        starts = {part["id"]: part["props"].get("value", "") for part in config["components"]}
        [job] = [
            each
            for each in config["dependencies"]
            if any(kind == "click" and names.get(part) == button for part, kind in each["targets"])
        ]
        data = [values.get(names[part], starts[part]) for part in job["inputs"]]
        body = {"data": data, "fn_index": job["id"], "session_hash": window}
        self.sent("queue/join", json.dumps(body).encode())
        address = f"{self.url}/gradio_api/queue/data?session_hash={window}"
        with urllib.request.urlopen(address, timeout=_HUNG) as stream:  # noqa: S310
            events = [json.loads(line[len(b"data:") :]) for line in stream if line.startswith(b"data:")]
        [shown] = [event for event in events if event["msg"] == "process_completed"]
        return bool(shown["success"]) and "anls-fault" not in str(shown["output"]["data"][0])

    def upload(self, name: str, content: bytes) -> str:
        """Upload a file; return its path on the server."""
        head = f'--load\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        body = head.encode() + content + b"\r\n--load--\r\n"
        return str(self.sent("upload", body, "multipart/form-data; boundary=load")[0])

    def sent(self, path: str, body: bytes, kind: str = "application/json") -> Any:
        """The answer to a POST request, parsed as JSON."""
        headers = {"Content-Type": kind}
        request = urllib.request.Request(f"{self.url}/gradio_api/{path}", body, headers)  # noqa: S310  ours
        with urllib.request.urlopen(request, timeout=_HUNG) as answer:  # noqa: S310
            return json.load(answer)


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """The page on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [sys.executable, "-c", f"import os; os.environ['GRADIO_SERVER_PORT'] = '{port}'; {_RUN}"],
            cwd=ROOT,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        server = Server(f"http://127.0.0.1:{port}", process)
        try:
            for _ in range(600):
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(f"{server.url}/config", timeout=10).close()  # noqa: S310
                    break
                time.sleep(0.1)
            yield server
        finally:
            process.terminate()
            process.wait()


_RUN = "import runpy; runpy.run_path('app.py', run_name='__main__')"


def worst_requests() -> dict[str, tuple[Any, Any]]:
    """The largest pairs of each shape that the page takes."""
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
        "19,999 keys": ({text(8): text(20) for _ in range(19_999)}, {text(8): text(20) for _ in range(19_999)}),
        "lists in 190 levels": (deep(190), deep(190)),
    }


def worst_actions(server: Server, rows: int) -> dict[str, Callable[[str], bool]]:
    """What the twentieth visitor does in one window: the largest pairs of each shape, large files, eight systems."""

    def sends(truth: Any, prediction: Any) -> Callable[[str], bool]:
        return lambda _window: server.score(truth, prediction)

    actions: dict[str, Callable[[str], bool]] = {name: sends(*pair) for name, pair in worst_requests().items()}
    references, *systems = upload_test_set(server, rows, systems=8)
    actions["two files"] = lambda window: server.press(
        "file-score", window, {"file-references": references, "file-predictions": systems[0]}
    )
    fewer, *eight = upload_test_set(server, rows // 8, systems=8)
    actions["eight systems"] = lambda window: server.press(
        "systems-score", window, {"systems-references": fewer, "systems-predictions": eight}
    )
    return actions


def visits(server: Server, seconds: float, worst: Callable[[str], bool] | None) -> tuple[list[float], int, int]:
    """The times of all answers to nineteen visitors, sorted, and how often the twentieth got a result and a refusal."""
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
    """Median, 95th percentile and maximum in milliseconds."""
    cuts = statistics.quantiles(times, n=20)
    return [f"{value * 1e3:,.0f} ms" for value in (cuts[9], cuts[18], times[-1])]


def loaded(server: Server, seconds: float, rows: int) -> list[list[str]]:
    """One line for each thing that the twentieth visitor does."""
    lines = []
    server.score(_SMALL, _SMALL)
    actions: dict[str, Callable[[str], bool] | None] = {"nothing": None, **worst_actions(server, rows)}
    for name, worst in actions.items():
        before = server.megabytes()
        times, answered, refused = visits(server, seconds, worst)
        memory = f"{before:,.0f} → {server.megabytes():,.0f} MB"
        lines.append([name, f"{len(times):,}", *figures(times), f"{answered:,}", f"{refused:,}", memory])
    return lines


def grown(name: str, server: Server, act: Callable[[], object]) -> list[str]:
    """The memory of the server before and after."""
    before = server.megabytes()
    act()
    return [name, f"{before:,.0f} MB", f"{server.megabytes():,.0f} MB"]


def many_sessions(server: Server, sessions: int) -> None:
    """Score once as each of many visitors."""
    for number in range(sessions):
        server.score(_SMALL, {"n": number})


def upload_test_set(server: Server, rows: int, *, systems: int) -> list[Any]:
    """Upload references, and predictions of some systems, of about 270 bytes a row; the values of upload fields."""
    found = []
    for system in range(-1, systems):
        lines = []
        for number in range(rows):
            row = {f"field {k}": f"value {k} of {number + (number % 9 == system)}" for k in range(10)}
            side = {"references": [row]} if system < 0 else {"prediction": row}
            lines.append(json.dumps({"question_id": str(number), **side}))
        path = server.upload(f"{'references' if system < 0 else f'system{system}'}.jsonl", "\n".join(lines).encode())
        found.append({"path": path, "meta": {"_type": "gradio.FileData"}})
    return found


def table(header: list[str], lines: list[list[str]]) -> str:
    """The lines as Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *lines])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="how long each line lasts")
    parser.add_argument("--sessions", type=int, default=500, help="how many sessions are opened, three times")
    parser.add_argument("--rows", type=int, default=70_000, help="of each file; an eighth of it with eight systems")
    arguments = parser.parse_args()
    with serving() as server:
        lines = loaded(server, arguments.seconds, arguments.rows)
        head = [
            "the twentieth visitor sends",
            "requests of 19",
            "p50",
            "p95",
            "longest",
            "results for the 20th",
            "refusals",
            "memory",
        ]
        print(table(head, lines))
        sessions = f"{arguments.sessions} sessions, again"
        memory = [grown(sessions, server, lambda: many_sessions(server, arguments.sessions)) for _ in range(3)]
        print(f"\n{table(['memory of the server', 'before', 'after'], memory)}")


if __name__ == "__main__":
    main()

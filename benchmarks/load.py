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
_SESSIONS = 500
_HUNG = 300  # seconds


class Server(NamedTuple):
    """The running page."""

    url: str
    process: subprocess.Popen[bytes]

    def megabytes(self) -> float:
        """The resident memory of the process that answers."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(status.split("VmRSS:")[1].split()[0]) / 1e3

    def score(self, truth: Any, prediction: Any) -> None:
        """Call the endpoint and wait for its answer, whatever it is."""
        body = json.dumps({"data": [truth, prediction, *_OPTIONS]}).encode()
        event = self.sent("call/score", body)["event_id"]
        with urllib.request.urlopen(f"{self.url}/gradio_api/call/score/{event}", timeout=_HUNG) as stream:  # noqa: S310
            stream.read()

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


def visits(server: Server, seconds: float, worst: tuple[Any, Any] | None) -> tuple[list[float], int]:
    """The times of all answers to nineteen visitors, sorted, and how often the twentieth was answered."""
    end = time.monotonic() + seconds
    times: list[float] = []
    answered = 0

    def visit(number: int) -> None:
        time.sleep(number / VISITORS)
        while time.monotonic() < end:
            began = time.monotonic()
            server.score(_SMALL, {**_SMALL, "n": number})
            times.append(time.monotonic() - began)
            time.sleep(1)

    def do_the_worst() -> None:
        nonlocal answered
        while worst is not None and time.monotonic() < end:
            with contextlib.suppress(urllib.error.HTTPError):
                server.score(*worst)
            answered += 1

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(VISITORS)]
    threads += [threading.Thread(target=do_the_worst) for _ in range(4)]  # in four windows at once
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times), answered


def figures(times: list[float]) -> list[str]:
    """Median, 95th percentile and maximum in milliseconds."""
    cuts = statistics.quantiles(times, n=20)
    return [f"{value * 1e3:,.0f} ms" for value in (cuts[9], cuts[18], times[-1])]


def loaded(server: Server, seconds: float) -> list[list[str]]:
    """One line for each thing that the twentieth visitor does."""
    lines = []
    server.score(_SMALL, _SMALL)
    for name, worst in {"nothing": None, **worst_requests()}.items():
        before = server.megabytes()
        times, answered = visits(server, seconds, worst)
        memory = f"{before:,.0f} → {server.megabytes():,.0f} MB"
        lines.append([name, f"{len(times):,}", *figures(times), f"{answered:,}", memory])
    return lines


def grown(name: str, server: Server, act: Callable[[], object]) -> list[str]:
    """The memory of the server before and after."""
    before = server.megabytes()
    act()
    return [name, f"{before:,.0f} MB", f"{server.megabytes():,.0f} MB"]


def many_sessions(server: Server) -> None:
    """Score once as each of many visitors."""
    for number in range(_SESSIONS):
        server.score(_SMALL, {"n": number})


def score_a_large_file(server: Server) -> None:
    """Upload 19 MB of references and of predictions, score them, and wait for the result."""
    with urllib.request.urlopen(f"{server.url}/config", timeout=_HUNG) as answer:  # noqa: S310
        config = json.load(answer)
    ids = {part["props"].get("elem_id"): part["id"] for part in config["components"]}
    [job] = [each["id"] for each in config["dependencies"] if [ids["file-score"], "click"] in each["targets"]]
    files = []
    for name in ("references", "prediction"):
        rows = ({f"field {k}": f"value {k} of {number}" for k in range(10)} for number in range(70_000))
        lines = [
            json.dumps({"question_id": str(number), name: [row] if name == "references" else row})
            for number, row in enumerate(rows)
        ]
        files.append({"path": server.upload(f"{name}.jsonl", "\n".join(lines).encode()), "meta": _FILE})
    body = {"data": [*files, "none", False, [], False], "fn_index": job, "session_hash": "load"}
    server.sent("queue/join", json.dumps(body).encode())
    with urllib.request.urlopen(f"{server.url}/gradio_api/queue/data?session_hash=load", timeout=_HUNG) as stream:  # noqa: S310
        said = stream.read().decode()
    print(said[-300:] if "mean of 70,000 rows" not in said else "scored 70,000 rows", file=sys.stderr)


_FILE = {"_type": "gradio.FileData"}


def table(header: list[str], lines: list[list[str]]) -> str:
    """The lines as Markdown."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *lines])


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="how long each line lasts")
    arguments = parser.parse_args()
    with serving() as server:
        lines = loaded(server, arguments.seconds)
        head = [
            "the twentieth visitor sends",
            "requests of 19",
            "p50",
            "p95",
            "longest",
            "answers to the 20th",
            "memory",
        ]
        print(table(head, lines))
        memory = [grown(f"{_SESSIONS} sessions, again", server, lambda: many_sessions(server)) for _ in range(3)]
        memory.append(grown("two files of 19 MB scored", server, lambda: score_a_large_file(server)))
        print(f"\n{table(['memory of the server', 'before', 'after'], memory)}")


if __name__ == "__main__":
    main()

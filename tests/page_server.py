"""The running page as a client sees it: requests that tests of the server send."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

MOST_MARKS = 20_000  # brackets and commas that the page takes in a body
_OPTIONS = 0.5, True, "paper", "text"
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


# The routes that take bodies, without the routes that gradio serves only in development.
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
    """Return the values within the limits that take longest to read, by the name of their shape."""
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
    """Return a body with a value where the route reads it, with the numbers that the page gives."""
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


def upload_test_set(server: Server, rows: int, *, systems: int) -> list[str]:
    """Upload references and predictions of about 270 bytes per row, and return the paths on the server."""
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

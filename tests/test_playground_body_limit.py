"""No request stops the page: each route is sent the worst bodies, and the thread that serves everybody is measured."""

from __future__ import annotations

import asyncio
import contextlib
import json
import operator
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from playground.server import bodies
from playground.server.requests import MAX_FILES
from tests import browser
from tests.browser import answer_of
from tests.commands import environment
from tests.conftest import HUNG, ROOT
from tests.page_server import MOST_MARKS as MOST
from tests.page_server import PARTS, VALUES, body_for, page_numbers, worst_values
from tests.page_server import Server as Load

LONGEST_HOLD = 0.3  # seconds of processor time


class Server(NamedTuple):
    """The page in a process that measures its event loop."""

    process: subprocess.Popen[str]
    url: str

    def longest_step(self) -> float:
        """The processor time of the longest step since this was asked before; what is queued is worked on first."""
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(line_of(self.process, "step"))

    def post_quickly(self, route: str, body: bytes, longest: float) -> tuple[int, str, float]:
        """As `post`, with the least hold of up to three: beside other processes the same work takes more time."""
        answers = [self.post(route, body)]
        while answers[-1][2] > longest and len(answers) < 3:
            answers.append(self.post(route, body))
        return min(answers, key=lambda answer: answer[2])

    def post(self, route: str, body: bytes, kind: str = "application/json") -> tuple[int, str, float]:
        """The status, the text of the answer, and the processor time of the longest step for it."""
        self.longest_step()
        status, text = answer_of(f"{self.url}gradio_api/{route}", body, kind)
        return status or 413, text, self.longest_step()  # it may be closed before all was sent


def line_of(process: subprocess.Popen[str], kind: str) -> str:
    """The rest of the next line that begins with a word; gradio prints others."""
    assert process.stdout
    for line in process.stdout:
        if line.startswith(f"{kind} "):
            return line.removeprefix(f"{kind} ").strip()
    pytest.fail("the page has ended")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with (
        (tmp_path_factory.mktemp("page") / "log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "tests.timed_page"],
            cwd=ROOT,
            env=environment(),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        ) as process,
    ):
        try:
            yield Server(process, line_of(process, "ready"))
        finally:
            process.kill()


ALIKE = [*VALUES[1:], PARTS[0]]  # these do the same work as the first route
ROUTES = [
    *(pytest.param(route, marks=pytest.mark.ci) for route in [VALUES[0], *PARTS[1:]]),
    *(pytest.param(route, marks=pytest.mark.full) for route in ALIKE),
]


@pytest.mark.parametrize("route", ROUTES)
def test_no_body_within_the_limits_holds_the_event_loop(server: Server, route: str) -> None:
    """4 MB of brackets held it for 5.7 seconds, and an answer that repeated an invalid body for one."""
    assert MOST == bodies.MAX_MARKS
    holds = {}
    for name, value in worst_values().items():
        body = body_for(route, value, page_numbers(server.url.rstrip("/")))
        assert len(body) <= bodies.MAX_BODY
        _, text, holds[name] = server.post_quickly(route, body, LONGEST_HOLD)
        assert '"more than' not in text, name
    assert {name: hold for name, hold in holds.items() if hold > LONGEST_HOLD} == {}


LARGE = b"[" + b"{}," * (MOST // 2 - 1) + b"{}]"
BRACKETS = b"[" + b"[[[]]]," * 570_000 + b"0]"
TOO_LARGE = {
    "brackets": BRACKETS,
    "brackets in data": b'{"data":' + BRACKETS + b"}",
    "commas": b"[" + b"0," * 2_000_000 + b"0]",
    "texts": b"[" + b'"",' * 1_500_000 + b"0]",
    "in UTF-16": ("[" + '"∀",' * 300_000 + "0]").encode("utf-16-le"),
    "bytes": b'"' + b"x" * bodies.MAX_BODY + b'"',
}


@pytest.mark.ci
@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_body_beyond_the_limits_is_refused(server: Server, name: str) -> None:
    """A path that ends in "upload" had no limit, and 150 MB sent to one held the server for 34 seconds."""
    for route in ("call/upload", "call/score", "queue/join"):
        status, text, hold = server.post_quickly(route, TOO_LARGE[name], LONGEST_HOLD / 3)
        assert status in ((413, 422) if route == "queue/join" else (413,))
        said = json.loads(text)["detail"] if text else "more than "
        assert (said if isinstance(said, str) else said[0]["message"]).startswith("more than ")
        assert hold < LONGEST_HOLD / 3


@pytest.mark.parametrize(
    ("body", "marks"),
    [
        (b'["a, [b]", [], {}]', 7),  # two of them in a text, which does not matter where there are few
        (b'{"data": "' + b"a, b [c], " * 100_000 + b'"}', 1),
        (b'{"data": "' + rb"\"[\", " * 100_000 + b'"}', 1),
        (b'{"data": "' + rb"\\" * 100_000 + b'", "more": "' + b"[,{" * 100_000 + b'"}', 2),
        (LARGE, MOST),
        (LARGE[:-1] + b",{}]", MOST + 1),
        (b'["a\\\\", ' + b"[[],[]]," * MOST + b"0]", MOST + 1),
    ],
)
def test_brackets_and_commas_count_outside_of_texts(body: bytes, marks: int) -> None:
    assert bodies.count_marks(body) == marks


def answered(
    limited: bodies.BodyLimit, path: str, portions: list[bytes], kind: str, seconds: float = 0
) -> list[dict[str, Any]]:
    """What is sent for a body that arrives in portions, each after some seconds."""
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if seconds:
            await asyncio.sleep(seconds)
        return {"type": "http.request", "body": portions.pop(0), "more_body": bool(portions)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(limited({"type": "http", "path": path, "headers": [(b"content-type", kind.encode())]}, receive, send))
    return sent


class Timers(selectors.DefaultSelector):
    """Waits for no timer of an event loop, however busy the machine is: its clock goes on to the next one."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        Timers.now += timeout or 0
        return super().select(0)


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.events, "new_event_loop", lambda: asyncio.SelectorEventLoop(Timers()))
    monkeypatch.setattr(time, "monotonic", lambda: Timers.now)


def app_that_keeps(taken: list[bytes]) -> Any:
    async def app(_scope: object, receive: Any, send: Any) -> None:
        message: dict[str, Any] = {"more_body": True}
        while message["more_body"]:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            taken.append(message["body"])
        await send({"type": "http.response.start", "status": 200})

    return app


def test_large_bodies_take_turns_and_small_ones_do_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty visitors waited for up to 1.8 seconds beside four who sent such bodies without a pause."""
    monkeypatch.setattr(bodies, "SECONDS_OF_MARK", 1 / MOST)
    monkeypatch.setattr(bodies, "LONGEST_WAIT", 2.5)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    limited = bodies.BodyLimit(app_that_keeps([]))
    sent = [answered(limited, "/gradio_api/call/score", [body], "application/json") for body in [LARGE, b"[]"] * 4]
    assert waits == pytest.approx([0, 1, 2], rel=0.01)
    assert [start["status"] for start, *_ in sent] == [200] * 6 + [503, 200]


def form(count: int, content: bytes) -> bytes:
    part = b'--line\r\nContent-Disposition: form-data; name="files"; filename="%d"\r\n\r\n%s\r\n'
    return b"".join(part % (number, content) for number in range(count)) + b"--line--\r\n"


FORM = "multipart/form-data; boundary=line"


@pytest.mark.ci
def test_an_upload_has_one_route_and_limits_of_its_own(server: Server) -> None:
    for route in ("component_server", "call/upload", "process_recording", "upload/"):
        assert server.post(route, form(1, b"\r\n-" * 1_000_000), FORM)[0] == 413, route
    status, text, hold = server.post("upload", form(2, b"x" * 10_000_000), FORM)
    assert (status, len(json.loads(text))) == (200, 2)
    assert hold < LONGEST_HOLD
    assert server.post("upload", form(MAX_FILES, b"x"), FORM)[0] == 200
    status, text, _ = server.post("upload", form(MAX_FILES + 1, b"x"), FORM)
    assert (status, text) == (413, '{"detail": "more than 9 files in one request"}')
    assert server.post("upload", form(1, b"x" * 26_000_000), FORM)[0] == 413


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (form(3, b"x" * 99), None),
        (form(10, b"x"), "more than 9 files in one request"),
        (form(1, b"x" * 5_000), "more than 5,000 bytes in one request"),
    ],
)
def test_an_upload_is_limited_as_it_arrives(
    monkeypatch: pytest.MonkeyPatch, size: int, content: bytes, sentence: str | None
) -> None:
    """However it is cut into portions, and whatever the app makes of a connection that seems to be closed."""
    monkeypatch.setattr(bodies, "MAX_UPLOAD", 5_000)
    taken: list[bytes] = []
    portions = [content[at : at + size] for at in range(0, len(content), size)]
    sent = answered(bodies.BodyLimit(app_that_keeps(taken)), bodies.UPLOAD, portions, FORM)
    assert sent[0]["status"] == (413 if sentence else 200)
    assert not sentence or json.loads(sent[1]["body"]) == {"detail": sentence}
    assert sentence or b"".join(taken) == content


@pytest.mark.usefixtures("timers")
@pytest.mark.parametrize(("route", "kind"), [("/gradio_api/call/score", "application/json"), (bodies.UPLOAD, FORM)])
@pytest.mark.parametrize(
    ("size", "seconds", "status"),
    [
        pytest.param(100, 0.01, 200, id="quick"),
        pytest.param(1, 0.01, 408, id="below the least speed"),
        pytest.param(100, 0.5, 408, id="silent"),
    ],
)
def test_a_slow_body_is_closed(
    monkeypatch: pytest.MonkeyPatch, route: str, kind: str, size: int, seconds: float, status: int
) -> None:
    for name, value in {"SILENT": 0.3, "SLOWEST": 1_000, "_MINUTE": 0.2}.items():
        monkeypatch.setattr(bodies, name, value)
    start, *rest = answered(bodies.BodyLimit(app_that_keeps([])), route, [b"x" * size] * 99, kind, seconds)
    assert start["status"] == status
    if status != 200:
        assert (b"connection", b"close") in start["headers"]
        assert json.loads(rest[0]["body"])["detail"].startswith("the body arrived too slowly: expected a byte every ")


@pytest.mark.usefixtures("timers")
def test_bodies_in_memory_have_a_total_and_a_share_for_each_client(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held is refused beyond both; small bodies are taken, and what has ended is held no more."""
    monkeypatch.setattr(bodies, "HELD", 250_000)
    monkeypatch.setattr(bodies, "HELD_BY_CLIENT", 150_000)
    limited = bodies.BodyLimit(app_that_keeps([]))

    async def statuses() -> list[int]:
        sent: dict[int, int] = {}
        end = asyncio.Event()

        async def ask(number: int, client: str, length: int) -> None:
            portions = [b"x" * length, b""]

            async def receive() -> dict[str, Any]:
                if len(portions) == 1:
                    await end.wait()
                return {"type": "http.request", "body": portions.pop(0), "more_body": bool(portions)}

            async def send(message: dict[str, Any]) -> None:
                sent.setdefault(number, message.get("status", 0))

            await limited({"type": "http", "path": "/", "headers": [], "client": (client, 1)}, receive, send)

        asked = [("a", 100_000), ("a", 100_000), ("b", 100_000), ("c", 100_000), ("c", 10_000)]
        tasks = [asyncio.ensure_future(ask(number, *each)) for number, each in enumerate(asked)]
        await asyncio.sleep(0.1)
        end.set()
        await asyncio.gather(*tasks)
        return [sent[number] for number in range(len(asked))]

    assert asyncio.run(statuses()) == [200, 503, 200, 503, 200]
    assert answered(limited, "/", [b"x" * 140_000], "application/json")[0]["status"] == 200


def test_uploads_have_a_quota_that_drains_by_the_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "UPLOADED_BY_CLIENT", 1_000)
    seconds = [1e6]
    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    limited = bodies.BodyLimit(app_that_keeps([]))

    def status() -> int:
        return int(answered(limited, bodies.UPLOAD, [form(1, b"x" * 600)], FORM)[0]["status"])

    assert [status(), status()] == [200, 429]
    seconds[0] += 7_200
    assert [status(), status()] == [200, 429]


@pytest.mark.full
def test_unfinished_requests_leave_the_page_to_others(tmp_path: Path) -> None:
    """1,100 headers and 150 bodies that do not end: 938 MB were held, and the connections were open for ever."""
    head = b"POST /gradio_api/queue/join HTTP/1.1\r\nHost: x\r\n"
    begun = [head + b"X-Half: "] * 1_100
    begun += [head + b"Content-Length: 4900000\r\n\r\n" + b" " * 4_800_000] * 150

    def is_closed(connection: socket.socket) -> bool:
        connection.settimeout(0.01)
        try:
            while connection.recv(1_000_000):
                pass
        except TimeoutError:
            return False
        except OSError:
            pass
        return True

    with browser.started(tmp_path) as app, contextlib.ExitStack() as stack:
        at, load = urlsplit(app.url), Load(app.url, app.process)
        opened: list[socket.socket] = []
        spent = [load.processor_seconds()]
        for number, content in enumerate(begun):
            opened.append(stack.enter_context(socket.create_connection(("127.0.0.1", at.port or 0))))
            with contextlib.suppress(OSError):  # it may be refused before all is sent
                opened[-1].sendall(content)
            if number % 10 == 0:
                assert answer_of(f"{app.url}/config")[0] == 200
                spent.append(load.processor_seconds())
        assert max(map(operator.sub, spent[1:], spent)) < 0.5
        assert load.megabytes() < 500
        deadline = time.monotonic() + HUNG
        while not all(map(is_closed, opened)):
            assert time.monotonic() < deadline

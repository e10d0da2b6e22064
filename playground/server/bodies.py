"""Limit what requests may send, before anything is parsed; a request beyond a limit is refused and closed.

A parser of JSON and the models of the web framework take up to microseconds per value, in the thread that serves all
clients. Therefore the number of bytes in a body is limited, and the number of brackets and commas, which is about the
number of values. Large bodies are parsed one after the other, with pauses in which the thread serves other clients.

A client is the address that a request comes from. Behind a proxy that uvicorn trusts (`FORWARDED_ALLOW_IPS`), it is the
address that the proxy names.

uvicorn 0.54 has no deadline for a body. `RequestBodyLimitMiddleware` of starlette 1.10 only counts bytes, treats all
routes the same, and refuses without a sentence. For these reasons docscore has its own limits.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from python_multipart.multipart import parse_options_header

from playground.server.limits import MAX_BYTES, MAX_FILE_BYTES
from playground.server.requests import MAX_FILES

MAX_BODY = 5 * MAX_BYTES  # two texts, escaped as JSON
MAX_MARKS = 20_000  # brackets and commas outside of strings; larger values are sent as text
SECONDS_OF_MARK = 15e-6  # per mark of a large body, until the next; parsing takes 3e-6, for agents 8e-6
_BYTES_OF_MARK = 400  # bytes that take as long as a mark
_SMALL_BODY = 1_000  # marks
_SMALL_BYTES = 50_000  # bytes of a body that is accepted even if other bodies fill the memory
LONGEST_WAIT = 5  # seconds
UPLOAD = "/gradio_api/upload"  # the only route for files
_QUEUE = "/gradio_api/queue/join"  # `gradio_client` calls this route and shows a sentence only with status 422
_NAMED_FAULTS = 10
MAX_UPLOAD = 8 * MAX_FILE_BYTES + MAX_BYTES  # the files of eight systems, and the bytes between them
HELD = 200_000_000  # bytes of bodies in memory, of all clients
HELD_BY_CLIENT = HELD // 4
UPLOADED = 10_000_000_000  # bytes that all clients may upload in an hour, the time for which files are kept
UPLOADED_BY_CLIENT = UPLOADED // 5
_HOUR = 3600
_ALL = ""  # the key of all clients in counts by client
SILENT = 30  # seconds without another part of a body
SLOWEST = 10_000  # bytes per second of a body, over each minute
_MINUTE = 60
Fault = tuple[str, HTTPStatus]  # what is wrong with a request, and its status
_SLOW: Fault = (
    f"the body arrived too slowly: expected a byte every {SILENT} seconds, and {SLOWEST:,} bytes per second",
    HTTPStatus.REQUEST_TIMEOUT,
)
_BUSY: Fault = (
    f"the server is busy with requests as large as this one; try again in {LONGEST_WAIT} seconds",
    HTTPStatus.SERVICE_UNAVAILABLE,
)
_QUOTA: Fault = (
    f"more than {UPLOADED_BY_CLIENT:,} bytes of files in an hour, or {UPLOADED:,} from all visitors; try again later",
    HTTPStatus.TOO_MANY_REQUESTS,
)
_TOO_LARGE = "more than {:,} bytes in one request"
_TOO_MANY = f"more than {MAX_MARKS:,} brackets and commas in one request; values may be sent as text"
_GONE = {"type": "http.disconnect"}

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


class _RefusedError(Exception):
    """The error for a request that is refused; its arguments are the parts of a `Fault`."""


def _in_time(receive: Receive) -> Receive:
    """Return a function that receives a body and raises `_RefusedError` if the body arrives too slowly."""
    begun, taken = time.monotonic(), 0

    async def received() -> dict[str, Any]:
        nonlocal begun, taken
        try:
            message = await asyncio.wait_for(receive(), SILENT)
        except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
            raise _RefusedError(*_SLOW) from None
        taken += len(message.get("body", b""))
        seconds = time.monotonic() - begun
        if seconds > _MINUTE:
            if taken < SLOWEST * seconds and message.get("more_body"):
                raise _RefusedError(*_SLOW)
            begun, taken = begun + seconds, 0
        return message

    return received


class BodyLimit:
    """ASGI middleware that passes on a request whose body is within the limits, and refuses any other with a sentence.

    The status is 413 for a request that is too large (422 for clients of gradio, as for an invalid request), 408 for a
    request that is too slow, 429 for too many files in an hour, and 503 if the server is busy. The connection is then
    closed.
    """

    def __init__(self, app: App) -> None:
        self.app = app
        self._next_turn = 0.0  # when the next large body may be parsed
        self._held: Counter[str] = Counter()  # bytes of bodies in memory, by client
        self._uploaded: dict[str, float] = {}  # bytes of files by client, which drain over an hour
        self._drained = time.monotonic()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request, or refuse it with one sentence."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        client, _ = scope.get("client") or ("unknown", 0)
        headers = dict(scope["headers"])
        kind, options = parse_options_header(headers.get(b"content-type", b""))
        is_upload = scope["path"].removeprefix(scope.get("root_path", "")) == UPLOAD
        most = MAX_UPLOAD if is_upload else MAX_BODY
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared[:20]) > most:
            await _refuse(scope, send, _TOO_LARGE.format(most))
        elif is_upload:
            await self._upload(scope, receive, send, client, options.get(b"boundary", b""))
        elif kind.startswith(b"multipart/"):
            await _refuse(scope, send, f"files are sent to {UPLOAD}")
        else:
            held = [0]
            try:
                await self._body(scope, receive, send, client, held)
            except _RefusedError as error:
                await _refuse(scope, send, *error.args)
            finally:
                self._hold(client, -held[0])

    def _hold(self, client: str, length: int) -> bool:
        """Count bytes of a body in memory, and return whether the counts are within the limits."""
        for name in (client, _ALL):
            self._held[name] += length
            if not self._held[name]:
                del self._held[name]
        return self._held[client] <= HELD_BY_CLIENT and self._held[_ALL] <= HELD

    async def _body(self, scope: dict[str, Any], receive: Receive, send: Send, client: str, held: list[int]) -> None:
        """Read the whole body and pass it on; `held` counts the bytes read so far.

        Raises:
            _RefusedError: if the body is not within the limits.
        """
        portions: list[bytes] = []
        portion_of = _in_time(receive)
        more = True
        while more:
            message = await portion_of()
            if message["type"] != "http.request":
                return  # the client has gone
            portions.append(message.get("body", b""))
            held[0] += len(portions[-1])
            is_within = self._hold(client, len(portions[-1]))
            if held[0] > MAX_BODY:
                raise _RefusedError(_TOO_LARGE.format(MAX_BODY))
            if not is_within and held[0] > _SMALL_BYTES:
                raise _RefusedError(*_BUSY)
            more = message.get("more_body", False)
        body = b"".join(portions)
        marks = count_marks(body)
        if not await self._takes_its_turn(marks + len(body) // _BYTES_OF_MARK):
            raise _RefusedError(*_BUSY)
        if marks > MAX_MARKS:
            raise _RefusedError(_TOO_MANY)
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> dict[str, Any]:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, replay, send)

    async def _takes_its_turn(self, marks: int) -> bool:
        """Wait until the time for earlier large bodies has passed; return False if that takes too long."""
        if marks <= _SMALL_BODY:
            return True
        now = time.monotonic()
        turn = max(self._next_turn, now)
        if turn > now + LONGEST_WAIT:
            return False
        self._next_turn = turn + marks * SECONDS_OF_MARK
        await asyncio.sleep(turn - now)
        return True

    async def _upload(self, scope: dict[str, Any], receive: Receive, send: Send, client: str, boundary: bytes) -> None:
        """Pass on an upload as it arrives, as long as it is within the limits."""
        delimiter = b"--" + boundary
        taken = files = 0
        tail = b""  # may hold the beginning of a delimiter
        fault: Fault | None = None
        portion_of, more = _in_time(receive), True
        self._drain()

        async def limited() -> dict[str, Any]:
            nonlocal taken, files, tail, fault, more
            if not more:
                return await receive()  # until the client has gone
            try:
                message = await portion_of()
            except _RefusedError as error:
                fault = error.args
                return _GONE
            more = message.get("more_body", False)
            portion = message.get("body", b"")
            taken += len(portion)
            files += (tail + portion).count(delimiter)
            tail = (tail + portion)[1 - len(delimiter) :]
            fault = self._fault_of_upload(client, len(portion), taken, files)
            return _GONE if fault else message

        async def answer(message: dict[str, Any]) -> None:
            if not fault:
                await send(message)

        try:
            await self.app(scope, limited, answer)
        except Exception:
            if not fault:
                raise
        if fault:
            await _refuse(scope, send, *fault)

    def _fault_of_upload(self, client: str, portion: int, taken: int, files: int) -> Fault | None:
        """Count a portion of an upload, and return what is wrong with the upload so far."""
        for name in (client, _ALL):
            self._uploaded[name] = self._uploaded.get(name, 0) + portion
        if taken > MAX_UPLOAD:
            return _TOO_LARGE.format(MAX_UPLOAD), HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if files > MAX_FILES + 1:  # the last file has a delimiter behind it too
            return f"more than {MAX_FILES} files in one request", HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        over = self._uploaded[client] > UPLOADED_BY_CLIENT or self._uploaded[_ALL] > UPLOADED
        return _QUOTA if over else None

    def _drain(self) -> None:
        """Reduce the counts of uploaded bytes evenly, so that a full quota drains in one hour."""
        now = time.monotonic()
        share, self._drained = (now - self._drained) / _HOUR, now
        levels = (
            (name, level - share * (UPLOADED_BY_CLIENT if name else UPLOADED)) for name, level in self._uploaded.items()
        )
        self._uploaded = {name: level for name, level in levels if level > 0}


def count_marks(body: bytes) -> int:
    """Count the opening brackets and commas of a JSON text outside of strings; for small counts, inside strings too.

    If there are too many, the count is one more than the limit.
    """
    marks = min(_marks(body), MAX_MARKS + 1)
    if marks <= _SMALL_BODY or b"\0" in body:  # in UTF-16, the byte of a quote may be part of another character
        return marks
    without_escapes = body.replace(rb"\\", b"").replace(rb"\"", b"")
    if without_escapes.count(b'"') > 4 * MAX_MARKS + 2:  # a mark is followed by at most a key and a value
        return MAX_MARKS + 1
    return min(_marks(b"".join(without_escapes.split(b'"')[::2])), MAX_MARKS + 1)


def _marks(text: bytes) -> int:
    return len(text) - len(text.translate(None, b"[{,"))


async def refuse_request(_: Request, error: Exception) -> JSONResponse:
    """Report an invalid request with status 422, without repeating it, which would take as long as reading it."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    parts = [{name: fault[name] for name in ("type", "loc", "msg")} for fault in faults[:_NAMED_FAULTS]]
    return JSONResponse({"detail": parts}, status_code=422)


async def _refuse(
    scope: dict[str, Any], send: Send, sentence: str, status: HTTPStatus = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
) -> None:
    detail: Any = sentence
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE and scope["path"].endswith(_QUEUE):
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        detail = [{"__type__": "validate", "is_valid": False, "parameter_name": "request", "message": sentence}]
    body = json.dumps({"detail": detail}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

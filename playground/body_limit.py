"""Limits on what one request may send, checked before anything of it is parsed; what is beyond them is answered 413.

A parser of JSON and the models of the web framework take up to microseconds for each value, in the thread that serves
everybody. So a body is limited in bytes and in its brackets and commas, which are as many as its values, and large
bodies are parsed one after the other, with pauses in which that thread serves the others.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from python_multipart.multipart import parse_options_header

from playground.limits import MAX_BYTES, MAX_FILE_BYTES

MAX_BODY = 5 * MAX_BYTES  # two texts, escaped as JSON
MAX_MARKS = 20_000  # brackets and commas outside of strings; larger values are sent as text
SECONDS_OF_MARK = 15e-6  # from a large body to the next, for each of its marks; parsing takes 3e-6, for agents 8e-6
_BYTES_OF_MARK = 400  # that take as long as a mark
_SMALL_BODY = 1_000  # marks
_LONGEST_WAIT = 5  # seconds
UPLOAD = "/gradio_api/upload"  # the one route for files
MAX_FILES = 16
_NAMED_FAULTS = 10
MAX_UPLOAD = 8 * MAX_FILE_BYTES + MAX_BYTES  # the files of eight systems, and what stands between them

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[dict[str, Any], Receive, Send], Awaitable[None]]


class BodyLimit:
    """ASGI middleware that passes on a request whose body is within the limits, and answers any other with 413."""

    def __init__(self, app: App) -> None:
        self.app = app
        self._next_turn = 0.0  # when the next large body may be parsed

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request, or refuse it with one sentence."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        kind, options = parse_options_header(headers.get(b"content-type", b""))
        is_upload = scope["path"].removeprefix(scope.get("root_path", "")) == UPLOAD
        most = MAX_UPLOAD if is_upload else MAX_BODY
        declared = headers.get(b"content-length", b"0")
        if not declared.isdigit() or int(declared[:20]) > most:
            await _refuse(send, f"more than {most:,} bytes in one request")
        elif is_upload:
            await self._upload(scope, receive, send, options.get(b"boundary", b""))
        elif kind.startswith(b"multipart/"):
            await _refuse(send, f"files are sent to {UPLOAD}")
        else:
            await self._body(scope, receive, send)

    async def _body(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Read the whole body, and pass it on if it is within the limits."""
        portions: list[bytes] = []
        length, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # the client has gone
            portions.append(message.get("body", b""))
            length += len(portions[-1])
            if length > MAX_BODY:
                await _refuse(send, f"more than {MAX_BODY:,} bytes in one request")
                return
            more = message.get("more_body", False)
        body = b"".join(portions)
        marks = count_marks(body)
        if not await self._takes_its_turn(marks + len(body) // _BYTES_OF_MARK):
            sentence = "the server is busy with requests as large as this one; try again in a minute"
            await _refuse(send, sentence, HTTPStatus.SERVICE_UNAVAILABLE)
            return
        if marks > MAX_MARKS:
            await _refuse(
                send, f"more than {MAX_MARKS:,} brackets and commas in one request; values may be sent as text"
            )
            return
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> dict[str, Any]:
            return waiting.pop() if waiting else await receive()

        await self.app(scope, replay, send)

    async def _takes_its_turn(self, marks: int) -> bool:
        """Wait until the large bodies before this one had their time; False if that is too long."""
        if marks <= _SMALL_BODY:
            return True
        now = time.monotonic()
        turn = max(self._next_turn, now)
        if turn > now + _LONGEST_WAIT:
            return False
        self._next_turn = turn + marks * SECONDS_OF_MARK
        await asyncio.sleep(turn - now)
        return True

    async def _upload(self, scope: dict[str, Any], receive: Receive, send: Send, boundary: bytes) -> None:
        """Pass on an upload as it arrives, as long as it is within the limits."""
        delimiter = b"--" + boundary
        taken = files = 0
        tail = b""  # may hold the beginning of a delimiter
        fault = ""

        async def limited() -> dict[str, Any]:
            nonlocal taken, files, tail, fault
            message = await receive()
            portion = message.get("body", b"")
            taken += len(portion)
            files += (tail + portion).count(delimiter)
            tail = (tail + portion)[1 - len(delimiter) :]
            if taken > MAX_UPLOAD:
                fault = f"more than {MAX_UPLOAD:,} bytes in one request"
            elif files > MAX_FILES + 1:  # one stands behind the last file
                fault = f"more than {MAX_FILES} files in one request"
            return {"type": "http.disconnect"} if fault else message

        async def answer(message: dict[str, Any]) -> None:
            if not fault:
                await send(message)

        try:
            await self.app(scope, limited, answer)
        except Exception:
            if not fault:
                raise
        if fault:
            await _refuse(send, fault)


def count_marks(body: bytes) -> int:
    """How many opening brackets and commas a JSON text has outside of its strings, or a few more where it has few.

    Of too many it is one more than are allowed.
    """
    marks = min(_marks(body), MAX_MARKS + 1)
    if marks <= _SMALL_BODY or b"\0" in body:  # in UTF-16 the byte of a quote may be another character
        return marks
    without_escapes = body.replace(rb"\\", b"").replace(rb"\"", b"")
    if without_escapes.count(b'"') > 4 * MAX_MARKS + 2:  # behind a mark stand at most two strings, a key and a value
        return MAX_MARKS + 1
    return min(_marks(b"".join(without_escapes.split(b'"')[::2])), MAX_MARKS + 1)


def _marks(text: bytes) -> int:
    return len(text) - len(text.translate(None, b"[{,"))


async def refuse_request(_: Request, error: Exception) -> JSONResponse:
    """What is wrong with a request, status 422, without repeating it: that would take as long as reading it."""
    faults = error.errors() if isinstance(error, RequestValidationError) else []
    parts = [{name: fault[name] for name in ("type", "loc", "msg")} for fault in faults[:_NAMED_FAULTS]]
    return JSONResponse({"detail": parts}, status_code=422)


async def _refuse(send: Send, sentence: str, status: HTTPStatus = HTTPStatus.REQUEST_ENTITY_TOO_LARGE) -> None:
    body = json.dumps({"detail": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})

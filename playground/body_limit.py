"""A bound for what one request may send, before any of it is parsed."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from playground.limits import MAX_BYTES

MAX_BODY = 5 * MAX_BYTES  # two texts, escaped as JSON
UPLOADS = "/upload"  # the page bounds files elsewhere

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class BoundedBodies:
    """ASGI middleware that answers a request with a larger body than `MAX_BODY` with status 413 and one sentence."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request if its body is short enough."""
        if scope["type"] != "http" or scope["path"].rstrip("/").endswith(UPLOADS):
            await self.app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if not declared.isdigit() or int(declared[:20]) > MAX_BODY:
            await _refuse(send)
            return
        taken = 0

        async def counted() -> dict[str, Any]:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            return message if taken <= MAX_BODY else {"type": "http.disconnect"}

        await self.app(scope, counted, send)


async def _refuse(send: Send) -> None:
    body = json.dumps({"detail": f"more than {MAX_BODY:,} bytes in one request"}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})

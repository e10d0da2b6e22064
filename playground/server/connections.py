"""Close connections without a request, identify clients, and tell browsers what a page may load."""

import asyncio
import os
import sys
import time
from ipaddress import ip_address
from typing import Any

from gradio.context import LocalContext

from playground.server.bodies import App, Receive, Send

ADDRESSES: list[str] = []  # the addresses on which the server listens
IDLE = 30  # seconds in which a connection must send the headers of a request
_LOOKED = 5  # seconds between checks of the connections
_PRIVATE = "127.0.0.1,::1,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
_SOURCES = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",  # gradio writes scripts into the page and compiles templates
    "style-src": "'self' 'unsafe-inline'",
    "font-src": "'self' data:",
    "img-src": "'self' blob: data: https://huggingface.co https://*.huggingface.co",  # both hosts for a Space's header
    "connect-src": "'self' blob: data: https://huggingface.co",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self' https://huggingface.co http://localhost:* http://127.0.0.1:*",  # the hub, and notebooks
}
POLICY = "; ".join(map(" ".join, _SOURCES.items()))


class SecurityHeaders:
    """ASGI middleware that adds the content security policy to every answer."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request."""

        async def answer(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), (b"content-security-policy", POLICY.encode())]
            await send(message)

        await self.app(scope, receive, answer)


class McpBelowRoot:
    """ASGI middleware for a page behind a proxy that removes its prefix, such as `/demo`, from the paths of requests.

    ASGI paths begin with `root_path`; otherwise starlette finds no route below a mounted app, such as the MCP app.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request."""
        root, path = scope.get("root_path", ""), scope.get("path", "")
        if root and path.startswith("/gradio_api/mcp/"):
            scope = {**scope, "path": root + path}
        await self.app(scope, receive, send)


def trust_the_proxy_of_a_space() -> None:
    """Let uvicorn take the client's address from the proxy of a Space; the proxy itself has a private address.

    Outside a Space, uvicorn trusts only a proxy on this machine, or the proxies in `FORWARDED_ALLOW_IPS`.
    """
    if "SPACE_ID" in os.environ:
        os.environ.setdefault("FORWARDED_ALLOW_IPS", _PRIVATE)


def client() -> str:
    """Return the address that the request of this task comes from; "" if there is none."""
    request: Any = LocalContext.request.get(None)
    return request.client.host if request and request.client else ""


def note_addresses(server: Any) -> None:
    """Record where a running server listens, for `is_local`."""
    ADDRESSES.extend(socket.getsockname()[0] for each in server.servers for socket in each.sockets)


def is_local() -> bool:
    """Return whether the server listens on this machine only, and the request of this task comes from it."""
    return bool(ADDRESSES) and all(ip_address(each).is_loopback for each in (*ADDRESSES, client() or "127.0.0.1"))


def allow_connections() -> None:
    """Let this process open as many connections and files as the system allows."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415  not on Windows

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def close_idle(server: Any) -> None:
    """Start closing connections of a running uvicorn server that send no request for `IDLE` seconds.

    uvicorn 0.54 limits the time until the next request of a connection (`timeout_keep_alive`), but not the time that
    unfinished headers may take.
    """
    loop: asyncio.AbstractEventLoop = server.servers[0].get_loop()
    idle: dict[Any, tuple[Any, float]] = {}  # the previous request, and the time since it ended

    def look() -> None:
        now, known = time.monotonic(), dict(idle)
        idle.clear()
        for connection in list(server.server_state.connections):
            before = getattr(connection, "cycle", True)  # a web socket has none
            if before is None or getattr(before, "response_complete", False):
                same, since = known.get(connection, (before, now))
                idle[connection] = before, since if same is before else now
                if now - idle[connection][1] > IDLE:
                    connection.transport.close()
        loop.call_later(_LOOKED, look)

    loop.call_soon_threadsafe(look)

"""Insert the first screen into gradio's HTML page, because gradio's own scripts take long to load."""

import re
from typing import Any
from urllib.parse import urlsplit

from playground.server.bodies import App, Receive, Send

_BASE = re.compile(rb'(?<=<base href=")[^"]*')
_BODY = re.compile(rb"<body\b[^>]*>")


class FirstScreen:
    """ASGI middleware that inserts HTML into gradio's page.

    Behind a proxy, URLs within the page begin with the prefix of the page; the page's own URL does not have to end in a
    slash.

    Args:
        app: the application.
        head: HTML for the end of the head, such as styles.
        body: HTML for the beginning of the body.
    """

    def __init__(self, app: App, head: str, body: str) -> None:
        self.app, self.head, self.body = app, head.encode(), body.encode()

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Pass on the request, and hold back an HTML answer until it is complete."""
        start: dict[str, Any] | None = None
        html = bytearray()

        async def answer(message: dict[str, Any]) -> None:
            nonlocal start
            headers = {name.lower(): value for name, value in message.get("headers", ())}
            if message["type"] == "http.response.start" and headers.get(b"content-type", b"").startswith(b"text/html"):
                start = message
            elif start is None:
                await send(message)
            else:
                html.extend(message.get("body", b""))
                if not message.get("more_body"):
                    page = self._with_parts(bytes(html), scope.get("root_path", ""))
                    others = [each for each in start["headers"] if each[0].lower() != b"content-length"]
                    await send({**start, "headers": [*others, (b"content-length", str(len(page)).encode())]})
                    await send({**message, "body": page})

        is_get = scope["type"] == "http" and scope["method"] == "GET"
        await self.app(scope, receive, answer if is_get else send)

    def _with_parts(self, html: bytes, root: str) -> bytes:
        """Return a page with the two parts inserted; other HTML is returned unchanged."""
        body = _BODY.search(html)
        if body is None or b"<gradio-app" not in html:
            return html
        head, rest = html[: body.start()], html[body.end() :]
        if prefix := urlsplit(root).path.strip("/"):
            head = _BASE.sub(f"/{prefix}/".encode(), head)
        return b"".join([head.replace(b"</head>", self.head + b"</head>", 1), body[0], self.body, rest])

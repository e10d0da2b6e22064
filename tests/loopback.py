"""A server on this machine that speaks the chat API of OpenAI, and answers well, badly or not at all, as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

Request = dict[str, Any]


class Reply(NamedTuple):
    """What the server answers: a text, or a status that is an error; after a while."""

    text: str = ""
    status: int = 200
    finish: str = "stop"
    after: float = 0.0  # seconds


Answer = Callable[[Request], Reply]


class Loopback(ThreadingHTTPServer):
    """The server; `requests` are those that it got, in their order."""

    daemon_threads = True

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.requests: list[Request] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Loopback

    def do_POST(self) -> None:
        request: Request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(request)
        reply = self.server.answer(request)
        time.sleep(reply.after)
        error = {"message": reply.text or "error", "type": "server_error", "code": str(reply.status)}
        body = _completion(request, reply) if reply.status == 200 else {"error": error}
        content = json.dumps(body).encode()
        try:
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):  # the client was stopped
            self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _completion(request: Request, reply: Reply) -> dict[str, Any]:
    message = {"role": "assistant", "content": reply.text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def _pieces(request: Request) -> list[dict[str, Any]]:
    """What the messages of a request consist of."""
    contents = [message["content"] for message in request["messages"]]
    parts = [[{"type": "text", "text": each}] if isinstance(each, str) else each for each in contents]
    return [piece for pieces in parts for piece in pieces]


def prompt_text(request: Request) -> str:
    """The text of a request's messages."""
    return "\n".join(piece["text"] for piece in _pieces(request) if piece["type"] == "text")


def attachments(request: Request) -> list[str]:
    """The kinds of what is attached to a request."""
    return [piece["type"] for piece in _pieces(request) if piece["type"] != "text"]


@contextmanager
def serving(answer: Answer) -> Iterator[Loopback]:
    server = Loopback(answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

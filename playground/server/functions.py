"""Define the functions that the page's scripts call: each takes one object, validates it as a request, and answers one.

If a function raises an error, the answer is a `Refusal`, with the kind of `Refused`, or "gone" for results and files
that were deleted.
"""

import asyncio
import json
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Any, NamedTuple, TypeVar

from fastapi import Response

from docscore.core.errors import InputError
from playground.server.answers import Nothing, Refusal, Result, Running
from playground.server.connections import client
from playground.server.limits import lines_for_visitors, lines_of
from playground.server.pool import Limits, Refused, WorkerPool
from playground.server.requests import GONE, Request
from playground.server.storage import new_folder, uploads_folder

PAIRS = WorkerPool(Limits(places=2, waiting=16, seconds=20))
READERS = WorkerPool(Limits(places=2, waiting=16, seconds=60))
RUNS = WorkerPool(Limits(places=2, waiting=16, seconds=120))
ANSWERED_WITHIN = 0.5  # seconds; the script asks again for a longer run
_FORGOTTEN_AFTER = 60  # seconds after the last question about a run
_FAILED = "An error occurred on the server; its log says why."
Answer = Mapping[str, object]
R = TypeVar("R", bound=Request)
A = TypeVar("A", bound=Answer)
Work = Callable[[], A]


class ServerFunction(NamedTuple):
    """A function that browsers may call.

    Attributes:
        request: the model of its request.
        answer: the type of its answer; a model for a request as JSON values.
        ask: returns the answer to a value that a browser sent, or a `Refusal`.
    """

    request: type[Request]
    answer: type[Answer] | type[Request] | UnionType
    ask: Callable[[Any], Coroutine[Any, Any, Answer]]


# The type of the answer as functions below take it. For a union or a model, mypy cannot compare it with the work.
AnswerType = type[A] | type[Request] | UnionType


def server_function(
    request: type[R], answer: AnswerType[A], function: Callable[[R], Awaitable[A | Running]]
) -> ServerFunction:
    """Return a function that browsers may call with a request of this kind; it answers errors with a sentence."""

    async def answered(asked: Any) -> A | Running | Refusal:
        try:
            return await function(await asyncio.to_thread(request.of, asked, uploads_folder()))
        except FileNotFoundError:
            return {"refused": GONE, "kind": "gone"}
        except Refused as error:
            return {"refused": "; ".join(lines_of(str(error))), "kind": error.kind}
        except InputError as error:
            return {"refused": "; ".join(lines_for_visitors(error)), "kind": "input"}
        except Exception:  # noqa: BLE001  the page says that it is the server's error
            traceback.print_exc()
            return {"refused": _FAILED, "kind": "failed"}

    return ServerFunction(request, answer, answered)


def in_thread(request: type[R], answer: AnswerType[A], work: Callable[[R], A]) -> ServerFunction:
    """Return a function that answers requests in a thread."""
    return server_function(request, answer, lambda asked: asyncio.to_thread(work, asked))


def in_child(
    request: type[R], answer: AnswerType[A], pool: WorkerPool, name: str, prepare: Callable[[R], Work[A]]
) -> ServerFunction:
    """Return a function that answers in a child process; a newer request of the same name and window stops the older.

    Args:
        request: the model of the request.
        answer: the type of the answer.
        pool: the pool of the child process.
        name: the name of the request; "" for requests that do not stop each other.
        prepare: returns the work for the child; it runs in a thread.
    """
    return server_function(request, answer, lambda asked: answer_of_child(pool, name, asked, prepare))


async def answer_of_child(pool: WorkerPool, name: str, request: R, prepare: Callable[[R], Work[A]]) -> A:
    """Answer a request as a function from `in_child` does."""
    window, number = request.window
    work = await asyncio.to_thread(prepare, request)
    visitor = f"{name} {window}" if window and name else ""
    found: A = await pool.run(visitor, work, number=number, client=client())
    return found


def in_thread_or_child(
    request: type[R], answer: AnswerType[A], prepare: Callable[[R], tuple[bool, Work[A]]]
) -> ServerFunction:
    """Return a function that answers in a thread if that takes milliseconds, else in a child, as `prepare` decides."""

    async def answered(asked: R) -> A:
        is_small, work = await asyncio.to_thread(prepare, asked)
        if is_small:
            return await asyncio.to_thread(work)
        return await answer_of_child(READERS, "", asked, lambda _: work)

    return server_function(request, answer, answered)


def stops(pool: WorkerPool, name: str = "") -> ServerFunction:
    """Return a function that cancels this window's request of the given name."""

    async def stop(request: Request) -> Nothing:
        window, number = request.window
        pool.stop(f"{name} {window}".lstrip(), number)
        return {}

    return server_function(Request, Nothing, stop)


# Runs: a test set, or several systems


@dataclass
class _Run:
    """A run of a window: its task, its progress, and when the page last asked about it."""

    task: asyncio.Task[Any]
    asked: float
    share: float = 0.0
    text: str = ""


_RUNS: dict[str, _Run] = {}  # by the name of the window


def runs(request: type[R], answer: type[A], work: Callable[..., A]) -> ServerFunction:
    """Return a function that starts a run and answers as `PROGRESS`; the work gets a folder and reports progress."""
    answer_or_progress: Any = answer | Running
    return server_function(request, answer_or_progress, lambda asked: _begin(asked, partial(work, asked)))


async def _begin(request: Request, work: Callable[..., Any]) -> Any:
    """Start a run, which stops the previous run of the same window."""
    name, number = request.window
    if not name:
        raise Refused("window: expected a name")  # noqa: TRY003, EM101
    folder = await asyncio.to_thread(new_folder)
    now = time.monotonic()
    for old, run in list(_RUNS.items()):
        if run.asked < now - _FORGOTTEN_AFTER:
            RUNS.stop(old)
            del _RUNS[old]

    def report(share: float, text: str) -> None:
        begun.share, begun.text = share, text

    async def result() -> Any:
        return await RUNS.run(name, partial(work, folder=folder), report=report, number=number, client=client())

    begun = _RUNS[name] = _Run(asyncio.ensure_future(result()), now)
    return await _after_a_second(name)


async def _after_a_second(name: str) -> Any:
    run = _RUNS.get(name)
    if run is None:
        raise Refused("this run no longer exists; start it again", "gone")  # noqa: TRY003, EM101
    run.asked = time.monotonic()
    await asyncio.wait({run.task}, timeout=ANSWERED_WITHIN)
    if not run.task.done():
        return Running(running=True, share=run.share, text=run.text)
    if _RUNS.get(name) is run:
        del _RUNS[name]
    return run.task.result()


# The result of the run of a window, or `{"running": true, "share": ..., "text": ...}` after half a second.
PROGRESS = server_function(Request, Result | Running, lambda request: _after_a_second(request.window[0]))


def written(name: str, function: ServerFunction) -> Callable[[Any], Coroutine[Any, Any, Response]]:
    """Return the function, writing its answer as JSON in a thread; the framework needs seconds for a large one."""

    async def answered(asked: Any) -> Response:
        found = await function.ask(asked)
        return Response(await asyncio.to_thread(json.dumps, found), media_type="application/json")

    answered.__name__ = name
    return answered

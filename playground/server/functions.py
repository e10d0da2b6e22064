"""Define the functions that the page's scripts call: each takes one object, validates it as a request, and answers one.

If a function raises an error, the answer is `{"refused": sentence, "kind": word}`, with the kinds of `Refused`, or
"gone" for results and files that were deleted.
"""

import asyncio
import json
import time
import traceback
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from fastapi import Response

from docscore.core.errors import InputError
from playground.server.connections import client
from playground.server.limits import lines_of
from playground.server.pool import Limits, Refused, WorkerPool
from playground.server.requests import GONE, Request
from playground.server.storage import new_folder, uploads_folder

PAIRS = WorkerPool(Limits(places=2, waiting=16, seconds=20))
READERS = WorkerPool(Limits(places=2, waiting=16, seconds=60))
RUNS = WorkerPool(Limits(places=2, waiting=16, seconds=120))
ANSWERED_WITHIN = 0.5  # seconds; the script asks again for a longer run
_FORGOTTEN_AFTER = 60  # seconds after the last question about a run
_FAILED = "An error occurred on the server; its log says why."
Answer = dict[str, Any]
R = TypeVar("R", bound=Request)
Ask = Callable[[Any], Coroutine[Any, Any, Answer]]


def answers(kind: type[R], function: Callable[[R], Awaitable[Answer]]) -> Ask:
    """Return a function that browsers may call with a request of this kind; it answers errors with a sentence."""

    async def answered(asked: Any) -> Answer:
        try:
            return await function(await asyncio.to_thread(kind.of, asked, uploads_folder()))
        except FileNotFoundError:
            return {"refused": GONE, "kind": "gone"}
        except Refused as error:
            return {"refused": "; ".join(lines_of(str(error))), "kind": error.kind}
        except InputError as error:
            return {"refused": "; ".join(lines_of(str(error.for_remote_users()))), "kind": "input"}
        except Exception:  # noqa: BLE001  the page says that it is the server's error
            traceback.print_exc()
            return {"refused": _FAILED, "kind": "failed"}

    return answered


def in_thread(kind: type[R], work: Callable[[R], Answer]) -> Ask:
    """Return a function that answers requests in a thread."""
    return answers(kind, lambda request: asyncio.to_thread(work, request))


def in_child(kind: type[R], pool: WorkerPool, name: str, prepare: Callable[[R], Callable[[], Answer]]) -> Ask:
    """Return a function that answers in a child process; a newer request of the same name and window stops the older.

    Args:
        kind: the kind of the request.
        pool: the pool of the child process.
        name: the name of the request; "" for requests that do not stop each other.
        prepare: returns the work for the child; it runs in a thread.
    """
    return answers(kind, lambda request: answer_of_child(pool, name, request, prepare))


async def answer_of_child(
    pool: WorkerPool, name: str, request: R, prepare: Callable[[R], Callable[[], Answer]]
) -> Answer:
    """Answer a request as a function from `in_child` does."""
    window, number = request.window
    work = await asyncio.to_thread(prepare, request)
    visitor = f"{name} {window}" if window and name else ""
    return dict(await pool.run(visitor, work, number=number, client=client()))


def in_thread_or_child(kind: type[R], prepare: Callable[[R], tuple[bool, Callable[[], Answer]]]) -> Ask:
    """Return a function that answers in a thread if that takes milliseconds, else in a child, as `prepare` decides."""

    async def answer(request: R) -> Answer:
        is_small, work = await asyncio.to_thread(prepare, request)
        if is_small:
            return await asyncio.to_thread(work)
        return await answer_of_child(READERS, "", request, lambda _: work)

    return answers(kind, answer)


def stops(pool: WorkerPool, name: str = "") -> Ask:
    """Return a function that cancels this window's request of the given name."""

    async def stop(request: Request) -> Answer:
        window, number = request.window
        pool.stop(f"{name} {window}".lstrip(), number)
        return {}

    return answers(Request, stop)


# Runs: a test set, or several systems


@dataclass
class _Run:
    """A run of a window: its task, its progress, and when the page last asked about it."""

    task: asyncio.Task[Answer]
    asked: float
    share: float = 0.0
    text: str = ""


_RUNS: dict[str, _Run] = {}  # by the name of the window


def runs(kind: type[R], work: Callable[..., Any]) -> Ask:
    """Return a function that starts a run and answers as `PROGRESS`; the work gets a folder and reports progress."""
    return answers(kind, lambda request: _begin(request, partial(work, request)))


async def _begin(request: Request, work: Callable[..., Any]) -> Answer:
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

    async def result() -> Answer:
        return dict(await RUNS.run(name, partial(work, folder=folder), report=report, number=number, client=client()))

    begun = _RUNS[name] = _Run(asyncio.ensure_future(result()), now)
    return await _after_a_second(name)


async def _after_a_second(name: str) -> Answer:
    run = _RUNS.get(name)
    if run is None:
        raise Refused("this run no longer exists; start it again", "gone")  # noqa: TRY003, EM101
    run.asked = time.monotonic()
    await asyncio.wait({run.task}, timeout=ANSWERED_WITHIN)
    if not run.task.done():
        return {"running": True, "share": run.share, "text": run.text}
    if _RUNS.get(name) is run:
        del _RUNS[name]
    return run.task.result()


# The result of the run of a window, or `{"running": true, "share": ..., "text": ...}` after half a second.
PROGRESS = answers(Request, lambda request: _after_a_second(request.window[0]))


def written(name: str, ask: Ask) -> Callable[[Any], Coroutine[Any, Any, Response]]:
    """Return the function, writing its answer as JSON in a thread; the framework needs seconds for a large one."""

    async def answered(asked: Any) -> Response:
        found = await ask(asked)
        return Response(await asyncio.to_thread(json.dumps, found), media_type="application/json")

    answered.__name__ = name
    return answered

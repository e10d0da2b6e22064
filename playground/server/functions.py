"""Functions that the page's scripts call: each takes one object, which is checked as a request, and answers one.

Where it raises an error, the answer is `{"refused": sentence, "kind": word}`, with the kinds of `Refused`, and "gone"
for results and files that were deleted.
"""

import asyncio
import json
import time
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial, wraps
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
_ANSWERED_WITHIN = 0.5  # seconds; a run that takes longer is asked for again
_FORGOTTEN_AFTER = 60  # seconds for which nobody asked for a run
_FAILED = "An error occurred on the server; its log says why."
Answer = dict[str, Any]
R = TypeVar("R", bound=Request)
Ask = Callable[[Any], Coroutine[Any, Any, Answer]]


def answers(kind: type[R]) -> Callable[[Callable[[R], Coroutine[Any, Any, Answer]]], Ask]:
    """Let a browser call a function of a request of this kind; where an error is raised, the answer is a sentence."""

    def decorated(function: Callable[[R], Coroutine[Any, Any, Answer]]) -> Ask:
        @wraps(function)
        async def answered(asked: Any) -> Answer:
            try:
                return await function(await asyncio.to_thread(kind.of, asked, uploads_folder()))
            except FileNotFoundError:
                return {"refused": GONE, "kind": "gone"}
            except Refused as error:
                return {"refused": "; ".join(lines_of(str(error))), "kind": error.kind}
            except InputError as error:
                return {"refused": "; ".join(lines_of(str(error.for_remote_users()))), "kind": "input"}
            except Exception:  # noqa: BLE001  the page says that it is the server's fault
                traceback.print_exc()
                return {"refused": _FAILED, "kind": "failed"}

        return answered

    return decorated


async def in_child(pool: WorkerPool, kind: str, request: Request, work: Callable[..., Any]) -> Any:
    """What a child process answers; a newer request of this kind of the same window stops the one before."""
    name, number = request.window
    return await pool.run(name and f"{kind} {name}", work, number=number, client=client())


async def read(is_small: Callable[[], bool], work: Callable[[], Answer]) -> Answer:
    """What the work answers: in a thread where that takes milliseconds, else in a child process."""
    if await asyncio.to_thread(is_small):
        return await asyncio.to_thread(work)
    found: Answer = await READERS.run("", work, client=client())
    return found


# Runs: a test set, or several systems


@dataclass
class _Run:
    """A run of a window: its task, how far it is, and when it was asked for last."""

    task: asyncio.Task[Answer]
    asked: float
    share: float = 0.0
    text: str = ""


_RUNS: dict[str, _Run] = {}  # by the name of the window


@answers(Request)
async def progress(request: Request) -> Answer:
    """The result of the run of a window, or `{"running": true, "share": ..., "text": ...}` after half a second."""
    return await _after_a_second(request.window[0])


@answers(Request)
async def stop(request: Request) -> Answer:
    """Stop the run of a window."""
    name, number = request.window
    RUNS.stop(name, number)
    return {}


async def begin(request: Request, work: Callable[..., Any]) -> Answer:
    """Begin a run, which stops the one before of the same window."""
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
        task = partial(work, folder=folder)
        return dict(await RUNS.run(name, task, report=report, number=number, client=client()))

    begun = _RUNS[name] = _Run(asyncio.ensure_future(result()), now)
    return await _after_a_second(name)


async def _after_a_second(name: str) -> Answer:
    run = _RUNS.get(name)
    if run is None:
        raise Refused("this run no longer exists; start it again", "gone")  # noqa: TRY003, EM101
    run.asked = time.monotonic()
    await asyncio.wait({run.task}, timeout=_ANSWERED_WITHIN)
    if not run.task.done():
        return {"running": True, "share": run.share, "text": run.text}
    if _RUNS.get(name) is run:
        del _RUNS[name]
    return run.task.result()


def written(ask: Ask) -> Callable[[Any], Coroutine[Any, Any, Response]]:
    """The function with its answer written as JSON in a thread: the framework needs seconds for a large one."""

    @wraps(ask)
    async def answered(asked: Any) -> Response:
        found = await ask(asked)
        return Response(await asyncio.to_thread(json.dumps, found), media_type="application/json")

    return answered

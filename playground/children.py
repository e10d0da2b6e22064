"""Heavy requests in child processes: each has a limit of time and of memory, and can be stopped."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from docscore.core.errors import InputError
from playground.limits import shortened

Report = Callable[[float, str], object]

MEMORY = 2_000_000_000  # bytes of data of a child
_NICE = 10  # the process that answers small requests goes first
_START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_CONTEXT: Any = multiprocessing.get_context(_START)
if _START == "forkserver":  # what the works need is imported once, and a child begins in milliseconds
    _CONTEXT.set_forkserver_preload(["playground.warm"])


class Refused(ValueError):  # noqa: N818  said to the visitor, who need not have erred
    """A request that was refused or stopped; the message is a sentence for the visitor."""


class Limits(NamedTuple):
    """The limits of a kind of request.

    Attributes:
        places: how many run at the same time.
        waiting: how many may wait for a place.
        seconds: how long one may run.
        memory: how many bytes of data one may hold.
    """

    places: int
    waiting: int
    seconds: float
    memory: int = MEMORY


class Children:
    """Runs requests in child processes, one a visitor: a newer request of a visitor stops the one before."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._places = asyncio.Semaphore(limits.places)
        self._requests: dict[str, asyncio.Task[Any]] = {}

    async def run(self, visitor: str, work: Callable[..., Any], *arguments: Any, report: Report | None = None) -> Any:
        """What `work(*arguments)` returns, called in a child process.

        Args:
            visitor: who asks; "" for a visitor without a name, whose requests do not stop each other.
            work: a module-level function.
            arguments: values that can be pickled.
            report: called here with what `work` reports; `work` then takes the keyword `progress`.

        Raises:
            Refused: if too many wait, if it was stopped, if it reached a limit, or with the message of a `TypeError`,
                `ValueError` or `OSError` of the work.
            RuntimeError: for any other error of the work.
        """
        self.stop(visitor)
        name = visitor or f"request {id(object())} {len(self._requests)}"
        if len(self._requests) >= self.limits.places + self.limits.waiting:
            msg = "the server is busy with requests as large as this one; try again in a minute, or install docscore"
            raise Refused(msg)
        request = asyncio.ensure_future(self._run(work, arguments, report))
        self._requests[name] = request
        try:
            await asyncio.wait({request})
        finally:
            request.cancel()
            if self._requests.get(name) is request:
                del self._requests[name]
        if request.cancelled():
            msg = "stopped"
            raise Refused(msg)
        return request.result()

    def stop(self, visitor: str) -> None:
        """Stop the request of a visitor, if there is one."""
        if visitor in self._requests:
            self._requests.pop(visitor).cancel()

    async def _run(self, work: Callable[..., Any], arguments: tuple[Any, ...], report: Report | None) -> Any:
        async with self._places:
            receiver, sender = _CONTEXT.Pipe(duplex=False)
            task = partial(work, *arguments), report is not None
            child = _CONTEXT.Process(target=_child, args=(sender, *task, self.limits), daemon=True)
            try:
                await asyncio.to_thread(child.start)
                sender.close()
                return await asyncio.wait_for(_answer(receiver, report), self.limits.seconds)
            except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
                msg = (
                    f"stopped after {self.limits.seconds:g} seconds, the most that this page gives a request; "
                    "the docscore command has no such limit"
                )
                raise Refused(msg) from None
            finally:
                await _ended(child)


async def _answer(receiver: Any, report: Report | None) -> Any:
    """What the child sends last; what it reports before is passed on."""
    while True:
        try:
            kind, content = await asyncio.to_thread(receiver.recv)
        except (EOFError, OSError):
            kind, content = "refused", _TOO_MUCH  # the system ends a process that has no memory left
        if kind == "done":
            return content
        if kind == "refused":
            raise Refused(content)
        if kind == "failed":
            raise RuntimeError(content)
        if report:
            report(*content)


async def _ended(child: Any) -> None:
    """End the child; a process that was not started has no number."""
    if child.pid is not None:
        child.kill()
        await asyncio.shield(asyncio.to_thread(child.join))
        child.close()


_TOO_MUCH = f"this needs more memory than the {MEMORY / 1e9:g} GB that this page gives a request"


def _child(sender: Any, work: Callable[..., Any], reports: bool, limits: Limits) -> None:
    """Run the work and send its result, or one sentence."""
    _limit(limits)
    keywords = {"progress": lambda share, text: sender.send(("progress", (share, text)))} if reports else {}
    try:
        answer = "done", work(**keywords)
    except MemoryError:
        answer = "refused", _TOO_MUCH
    except InputError as error:
        answer = "refused", str(error.for_remote_users())
    except OSError as error:
        answer = "refused", f"{os.path.basename(error.filename or '')}: {error.strerror or error}"  # noqa: PTH119
    except (TypeError, ValueError, RecursionError) as error:
        answer = "refused", shortened(str(error))
    except Exception:  # noqa: BLE001  the other process raises it
        answer = "failed", traceback.format_exc()
    with contextlib.suppress(BrokenPipeError):
        sender.send(answer)


def _limit(limits: Limits) -> None:
    """Take the limits of a child: the alarm ends it even if nobody is left who would."""
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415  not everywhere

    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 2 * limits.seconds)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))

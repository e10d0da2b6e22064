"""Heavy requests in a few worker processes: each has a limit of time and of memory, and can be stopped.

`pebble` 5.2 keeps the place of a request that is stopped for 120 ms (this pool 27 ms), which a visitor who types would
wait for after each letter, and has no limits of computing time and memory, no progress and no share for each client.
"""

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import ceil
from typing import Any, NamedTuple, TypeVar

from docscore.core.errors import InputError
from docscore.core.formatting import counted
from docscore.core.runtime import Progress
from playground.server.limits import shortened

Report = Callable[[float, str], object]
_T = TypeVar("_T")

MEMORY = 2_000_000_000  # bytes of data of a child
_NICE = 19  # the process that answers small requests goes first
_START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_CONTEXT: Any = multiprocessing.get_context(_START)
_WORKS = ["playground.pair.preload", *(f"playground.{tab}.{tab}" for tab in ("testset", "compare", "review"))]
if _START == "forkserver":  # what the works need is imported once, and a child begins in milliseconds
    _CONTEXT.set_forkserver_preload(_WORKS)


class Refused(ValueError):  # noqa: N818  shown to the visitor; not necessarily the visitor's mistake
    """A request that was refused or stopped; the message is a sentence for the visitor.

    Attributes:
        kind: why, for programs: "input" for what is wrong with it, "busy", "limit", "stopped", "replaced" by a newer
            one, or "failed" for a process that ended without an answer.
    """

    def __init__(self, message: str, kind: str = "input") -> None:
        super().__init__(message)
        self.kind = kind


class Limits(NamedTuple):
    """The limits of a kind of request.

    Attributes:
        places: how many run at the same time.
        waiting: how many may wait for a place.
        seconds: how long one may compute. A busy machine gives it less of that each second: by the clock it may take
            `patience` times as long.
        memory: how many bytes of data one may hold.
        patience: how many seconds of the clock one waits for each second of computing.
    """

    places: int
    waiting: int
    seconds: float
    memory: int = MEMORY
    patience: float = 5

    @property
    def clock_seconds(self) -> float:
        """How long one may take by the clock."""
        return self.patience * self.seconds


class WorkerPool:
    """Runs requests in child processes, one a visitor: a newer request of a visitor stops the one before."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._places = asyncio.Semaphore(limits.places)
        self._requests: dict[object, _Running] = {}
        self._stay = limits.seconds  # seconds for which a request has its place, of late
        # a request that was stopped may still hold its thread when the next one has its place
        self._threads = ThreadPoolExecutor(2 * limits.places, "child")

    async def run(
        self,
        visitor: str,
        work: Callable[..., Any],
        *arguments: Any,
        report: Report | None = None,
        number: int = 0,
        client: str = "",
    ) -> Any:
        """What `work(*arguments)` returns, called in a child process.

        Args:
            visitor: who asks; "" for a visitor without a name, whose requests do not stop each other.
            work: a module-level function.
            arguments: values that can be pickled.
            report: called here with what `work` reports; `work` then takes the keyword `progress`.
            number: the newer of two requests of a visitor has the higher number, whichever comes first; of the same
                number, the one that comes last is newer.
            client: the address of the visitor, which may take half of all places and of the room to wait; "" for no
                such limit.

        Raises:
            Refused: if too many wait, if it was stopped, if it reached a limit, or with the message of a `TypeError`,
                `ValueError` or `OSError` of the work.
            RuntimeError: for any other error of the work.
        """
        name = visitor or object()
        before = self._requests.get(name)
        if before is not None:
            if before.number > number:
                raise Refused(_REPLACED, "replaced")
            before.is_replaced = True
        self.stop(visitor)
        room = self.limits.places + self.limits.waiting
        of_client = sum(each.client == client for each in self._requests.values()) if client else 0
        if len(self._requests) >= room or of_client >= room // 2:
            whose = "your other requests" if len(self._requests) < room else "requests as large as this one"
            soon = counted(ceil(self._stay / self.limits.places), "second")  # then a place is free
            msg = f"the server is busy with {whose}; try again in {soon}, or install docscore"
            raise Refused(msg, "busy")
        request = asyncio.ensure_future(self._run(work, arguments, report))
        self._requests[name] = running = _Running(request, number, client)
        try:
            await asyncio.wait({request})
        finally:
            request.cancel()
            if self._requests.get(name) is running:
                del self._requests[name]
        if request.cancelled():
            raise Refused(*(_REPLACED, "replaced") if running.is_replaced else (_STOPPED, "stopped"))
        return request.result()

    def stop(self, visitor: str, number: int | None = None) -> None:
        """Stop the request of a visitor, if there is one; with a number only if it is that one."""
        if visitor in self._requests and number in (None, self._requests[visitor].number):
            self._requests.pop(visitor).task.cancel()

    async def _run(self, work: Callable[..., Any], arguments: tuple[Any, ...], report: Report | None) -> Any:
        async with self._places:
            begun = time.monotonic()
            receiver, sender = _CONTEXT.Pipe(duplex=False)
            task = partial(work, *arguments), report is not None
            child = _CONTEXT.Process(target=_child, args=(sender, *task, self.limits), daemon=True)
            starting = self._in_thread(_start, child)
            try:
                await asyncio.shield(starting)
                sender.close()
                return await asyncio.wait_for(self._answer(receiver, child, report), self.limits.clock_seconds)
            except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
                seconds = f"{self.limits.clock_seconds:g} seconds"
                msg = f"stopped after {seconds} because the server is busy; try again later; {_ELSEWHERE}"
                raise Refused(msg, "busy") from None
            finally:
                self._stay += (time.monotonic() - begun - self._stay) / 4
                await asyncio.shield(self._wait_for_end(child, starting))

    async def _wait_for_end(self, child: Any, starting: asyncio.Future[Any]) -> None:
        await asyncio.wait({starting})  # what is stopped while it starts must be ended too
        await self._in_thread(_end, child)

    async def _answer(self, receiver: Any, child: Any, report: Report | None) -> Any:
        """What the child sends last; what it reports before is passed on."""
        while True:
            try:
                kind, content = await self._in_thread(receiver.recv)
            except (EOFError, OSError):  # the system ended the process
                kind, content = "refused", await self._in_thread(self._why_it_ended, child)
            if kind == "done":
                return content
            if kind == "refused":
                raise Refused(*content)
            if kind == "failed":
                raise RuntimeError(content)
            if report:
                report(*content)

    def _why_it_ended(self, child: Any) -> tuple[str, str]:
        """The sentence and the kind of what ended a child that did not answer."""
        with _STARTING:
            child.join()
            code = child.exitcode
        if code == -_ALARM:
            limit = f"{self.limits.seconds:g} seconds of computing"
            return f"stopped after {limit}, the limit of this page; {_ELSEWHERE}", "limit"
        how = f"with status {code}" if code >= 0 else f"by the signal {signal.Signals(-code).name}"
        return f"the process for this request was ended {how}, but not by a limit of this page; try again", "failed"

    def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


@dataclass
class _Running:
    """A request that waits or runs, and whether a newer one of the same visitor took its place."""

    task: asyncio.Task[Any]
    number: int
    client: str
    is_replaced: bool = False


# multiprocessing looks at all children whenever it starts one, which fails if another is closed at that moment
_STARTING = threading.Lock()


_STARTED: set[Any] = set()  # the children that run
_ENDED = threading.Event()  # after which none is started


def _start(child: Any) -> None:
    with _STARTING:
        if _ENDED.is_set():
            raise Refused(_STOPPED, "stopped")
        child.start()
        _STARTED.add(child)


def end_children() -> None:
    """End the children of this process; no other is started."""
    _ENDED.set()
    for child in list(_STARTED):
        with contextlib.suppress(ValueError):  # it was closed
            child.kill()


def _end(child: Any) -> None:
    """End the child; a process that was not started has no number."""
    if child.pid is not None:
        _STARTED.discard(child)
        child.kill()
        with _STARTING:
            child.join()
            child.close()


_STOPPED = "stopped"
_REPLACED = "stopped because you started another request; a visitor can run one at a time"
_ELSEWHERE = "the docscore command has no such limit"
_ALARM = getattr(signal, "SIGPROF", 0)  # ends a process that computed for too long
_TOO_MUCH = f"this needs more than {MEMORY / 1e9:g} GB of memory, the limit of this page"


def _child(sender: Any, work: Callable[..., Any], reports: bool, limits: Limits) -> None:
    """Run the work and send its result, or one sentence."""
    _limit(limits)
    keywords = {"progress": lambda share, text: sender.send(("progress", (share, text)))} if reports else {}
    try:
        answer = "done", work(**keywords)
    except MemoryError:
        answer = "refused", (_TOO_MUCH, "limit")
    except InputError as error:
        answer = "refused", (str(error.for_remote_users()),)
    except OSError as error:
        name = os.path.basename(error.filename or "")  # noqa: PTH119
        answer = "refused", (f"{name}: {error.strerror or error}",)
    except (TypeError, ValueError, RecursionError) as error:
        answer = "refused", (shortened(str(error)),)
    except Exception:  # noqa: BLE001  the other process raises it
        answer = "failed", traceback.format_exc()
    with contextlib.suppress(BrokenPipeError):
        sender.send(answer)


def _limit(limits: Limits) -> None:
    """Take the limits of a child: the alarm by the clock ends it even if nobody is left who would."""
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415  not everywhere

    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    signal.setitimer(signal.ITIMER_REAL, 2 * limits.clock_seconds)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))


READING, PAIRING = [("Reading", 1.0)], [("Pairing", 3.0)]  # phases with their weights, each of one file
SCORING = [("Explaining", 9.0), ("Resampling", 1.5), ("Writing", 6.0)]


def bar_of(progress: Report, phases: Sequence[tuple[str, float]]) -> Progress:
    """A bar that is filled once, with the seconds that are left; what is returned begins a phase, as `Evaluation` does.

    The time left is that so far in proportion to the weights.

    Args:
        progress: what reports it.
        phases: the name and the weight of each phase in their order; of those before the first that begins nothing is
            said, and one that has no name here says only what it does.
    """
    ends = [0.0, *accumulate(weight for _, weight in phases)]
    begun, first, at = 0.0, -1, 0

    def begin(name: str, total: int) -> Callable[[int], object]:
        nonlocal at, begun, first
        known = [number for number, (other, _) in enumerate(phases) if number >= at and other == name]
        start, at = (known[0], known[0] + 1) if known else (at, at)
        if known and first < 0:
            begun, first = time.monotonic(), start
        done = last = 0.0

        def advance(count: int) -> None:
            nonlocal done, last
            done += count
            if first >= 0 and (done - last >= total / 100 or done >= total):
                last = done
                reached = ends[start] + (ends[at] - ends[start]) * min(done / total, 1)
                share = (reached - ends[first]) / (ends[-1] - ends[first])
                seconds = time.monotonic() - begun
                left = f", about {max(1, round(seconds * (1 - share) / share))} s left" if share and seconds > 1 else ""
                progress(share, f"{name} {done:,.0f} of {total:,}{left}" if total > 1 else f"{name}{left}")

        return advance

    return begin


def beside(work: Callable[[], _T]) -> Callable[[], _T]:
    """Begin work in a process of its own, beside a work in a child; what is returned waits for its result.

    It ends with the child, and has the rest of its time and as much memory. Where it gives no result, because it failed
    or a process is not a child, the work is done when it is waited for.
    """
    if multiprocessing.parent_process() is None or not hasattr(os, "fork"):
        return work
    receiver, sender = multiprocessing.Pipe(duplex=False)
    left, parent = signal.getitimer(signal.ITIMER_PROF)[0], os.getpid()
    process = os.fork()
    if not process:
        with contextlib.suppress(BaseException):
            receiver.close()
            signal.signal(signal.SIGALRM, lambda *_: None if os.getppid() == parent else os._exit(1))
            signal.setitimer(signal.ITIMER_PROF, left)
            signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
            sender.send(work())
        os._exit(0)
    sender.close()

    def result() -> _T:
        try:
            found: _T = receiver.recv()
        except (EOFError, OSError):
            return work()
        finally:
            os.waitpid(process, 0)
        return found

    return result

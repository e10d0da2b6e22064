"""Run heavy requests in a few worker processes; each has a limit of time and memory, and can be stopped.

After `pebble` 5.2 stops a request, the next one waits for 120 ms (27 ms in this pool), which visitors would notice at
each letter. It also has no limits of computing time and memory, no progress, and no share for each client.
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
from typing import Any, Literal, NamedTuple, TypeVar

from docscore.core.errors import InputError
from docscore.core.formatting import counted
from docscore.core.runtime import Progress
from playground.server.limits import shortened

Report = Callable[[float, str], object]
# Of a refusal. The page's scripts say "silent" if the server gave no answer.
Kind = Literal["input", "busy", "limit", "stopped", "replaced", "gone", "failed", "silent"]
_T = TypeVar("_T")

MEMORY = 2_000_000_000  # bytes of data of a child
_NICE = 19  # the process that answers small requests has priority
_START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_CONTEXT: Any = multiprocessing.get_context(_START)
_WORKS = ["playground.pair.preload", *(f"playground.{tab}.{tab}" for tab in ("testset", "compare", "review"))]
if _START == "forkserver":  # import what the work needs only once; children then start in milliseconds
    _CONTEXT.set_forkserver_preload(_WORKS)


class Refused(ValueError):  # noqa: N818  shown to the visitor; not necessarily the visitor's mistake
    """A request that was refused or stopped; the message is a sentence for the visitor.

    Attributes:
        kind: the reason, for programs: "input" for invalid input, "busy", "limit", "stopped", "replaced" by a newer
            request, "gone" for what was deleted, or "failed" for a process that ended without an answer.
    """

    def __init__(self, message: str, kind: Kind = "input") -> None:
        super().__init__(message)
        self.kind = kind


class Limits(NamedTuple):
    """The limits for one kind of request.

    Attributes:
        places: how many requests run at the same time.
        waiting: how many more may wait.
        seconds: seconds of computing per request. On a busy machine a request computes only part of the time; it may
            take `patience` times as long by the clock.
        memory: bytes of data per request.
        patience: seconds by the clock allowed for each second of computing.
    """

    places: int
    waiting: int
    seconds: float
    memory: int = MEMORY
    patience: float = 5

    @property
    def clock_seconds(self) -> float:
        """How many seconds a request may take by the clock."""
        return self.patience * self.seconds


class WorkerPool:
    """A pool of child processes that run requests, one per visitor: the newer request of a visitor stops the older."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._places = asyncio.Semaphore(limits.places)
        self._requests: dict[object, _Running] = {}
        self._stay = limits.seconds  # moving average of the seconds that requests run
        # a stopped request may still hold its thread when the next request starts
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
        """Run `work(*arguments)` in a child process and return its result.

        Args:
            visitor: the name of the visitor; requests of visitors without a name ("") do not stop each other.
            work: a module-level function.
            arguments: values that can be pickled.
            report: called in this process with what `work` reports; `work` then takes the keyword `progress`.
            number: the newer of two requests of a visitor has the higher number, in whichever order they arrive; of
                equal numbers, the last one to arrive is newer.
            client: the address of the visitor, which may use half of all places, running and waiting; "" for no such
                limit.

        Raises:
            Refused: if too many requests wait, if the request was stopped or reached a limit, or with the message of an
                `OSError` or of another `TypeError` or `ValueError` of the work.
            InputError: if the work raises it.
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
            soon = counted(ceil(self._stay / self.limits.places), "second")  # by then a place is free
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
            raise Refused(_REPLACED, "replaced") if running.is_replaced else Refused(_STOPPED, "stopped")
        return request.result()

    def stop(self, visitor: str, number: int | None = None) -> None:
        """Stop the request of a visitor, if there is one; if a number is given, only the request with that number."""
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
        await asyncio.wait({starting})  # a request that is stopped while it starts must also be ended
        await self._in_thread(_end, child)

    async def _answer(self, receiver: Any, child: Any, report: Report | None) -> Any:
        """Return the last message of the child, and pass on the progress that it reports before."""
        while True:
            try:
                kind, content = await self._in_thread(receiver.recv)
            except (EOFError, OSError):  # the system ended the process
                kind, content = "refused", await self._in_thread(self._why_it_ended, child)
            if kind == "done":
                return content
            if kind == "refused":
                raise Refused(*content)
            if kind == "invalid":
                raise content
            if kind == "failed":
                raise RuntimeError(content)
            if report:
                report(*content)

    def _why_it_ended(self, child: Any) -> tuple[str, Kind]:
        """Return the sentence and the kind of the refusal for a child that ended without an answer."""
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
    """A request that waits or runs, and whether a newer one of the same visitor replaced it."""

    task: asyncio.Task[Any]
    number: int
    client: str
    is_replaced: bool = False


# multiprocessing checks all children whenever it starts one, which fails if another is closed at that moment
_STARTING = threading.Lock()


_STARTED: set[Any] = set()  # the children that run
_ENDED = threading.Event()  # once set, no child is started


def _start(child: Any) -> None:
    with _STARTING:
        if _ENDED.is_set():
            raise Refused(_STOPPED, "stopped")
        child.start()
        _STARTED.add(child)


def end_children() -> None:
    """End the children of this process and start no others."""
    _ENDED.set()
    for child in list(_STARTED):
        with contextlib.suppress(ValueError):  # already closed
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
_ALARM = getattr(signal, "SIGPROF", 0)  # ends a process that has computed for too long
_TOO_MUCH = f"this needs more than {MEMORY / 1e9:g} GB of memory, the limit of this page"


def _child(sender: Any, work: Callable[..., Any], reports: bool, limits: Limits) -> None:
    """Run the work, and send its result or one sentence."""
    _limit(limits)
    keywords = {"progress": lambda share, text: sender.send(("progress", (share, text)))} if reports else {}
    try:
        answer = "done", work(**keywords)
    except MemoryError:
        answer = "refused", (_TOO_MUCH, "limit")
    except InputError as error:
        answer = "invalid", error
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
    """Apply the limits to this child; the clock alarm ends it even if its parent has gone."""
    if os.name != "posix":
        return
    import resource  # noqa: PLC0415  not everywhere

    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    signal.setitimer(signal.ITIMER_REAL, 2 * limits.clock_seconds)
    resource.setrlimit(resource.RLIMIT_DATA, (limits.memory, limits.memory))


READING, PAIRING = [("Reading", 1.0)], [("Pairing", 3.0)]  # phases with their weights, each for one file
SCORING = [("Explaining", 9.0), ("Resampling", 1.5), ("Writing", 6.0)]


def bar_of(progress: Report, phases: Sequence[tuple[str, float]]) -> Progress:
    """Return a function that begins a phase, as `Evaluation` calls it; all phases fill one bar with the seconds left.

    The remaining seconds are estimated from the elapsed seconds, in proportion to the weights.

    Args:
        progress: the function that reports the progress.
        phases: the name and the weight of each phase, in their order. The bar starts with the first of these that
            begins; a phase that is not listed is shown by name but does not fill the bar.
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
                reached = ends[start] + (ends[at] - ends[start]) * (min(done / total, 1) if total else 1)
                share = (reached - ends[first]) / (ends[-1] - ends[first])
                seconds = time.monotonic() - begun
                left = f", about {max(1, round(seconds * (1 - share) / share))} s left" if share and seconds > 1 else ""
                progress(share, f"{name} {done:,.0f} of {total:,}{left}" if total > 1 else f"{name}{left}")

        return advance

    return begin


def beside(work: Callable[[], _T]) -> Callable[[], _T]:
    """Start work in a separate process, in parallel with the work of a child; the returned function waits for it.

    The process ends with the child, shares its remaining time, and may use as much memory. If the process fails, or the
    caller is not a child, the work is done when its result is requested.
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

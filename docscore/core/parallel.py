"""Scoring in several processes: portions of the pairs go out, scores come back in order."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputTypeError, InputValueError

ScoreArray = npt.NDArray[np.float64]


ScorePortion = Callable[[Sequence[Any], int], ScoreArray]  # the scores of a portion, and the number of its first pair


_PORTIONS = 8  # a process: enough to share the work evenly, few enough to be worth their way


_LARGEST = 2048


_AT_LEAST_1 = "a whole number of at least 1"


def checked_processes(num_proc: int | None) -> int:
    """The number of processes, at least 1; None is 1.

    Raises:
        TypeError: if it is no whole number.
        ValueError: if it is less than 1.
    """
    if num_proc is None:
        return 1
    if isinstance(num_proc, bool) or not isinstance(num_proc, int):
        raise InputTypeError(place="num_proc", expected=_AT_LEAST_1, got=type(num_proc).__name__)
    if num_proc < 1:
        raise InputValueError(place="num_proc", expected=_AT_LEAST_1, got=str(num_proc))
    return num_proc


def score_in_processes(pairs: Iterable[Any], score: ScorePortion, num_proc: int) -> ScoreArray:
    """The scores of all pairs, shape (n,), the same as `score(list(pairs), 0)` gives.

    Args:
        pairs: n pairs that can be pickled.
        score: a module-level function or a partial of one.
        num_proc: how many processes.

    Raises:
        RuntimeError: if a process dies, as it does when memory runs out.
        Exception: what `score` raises for the first faulty pair.
    """
    everything = list(pairs)
    size = max(1, min(_LARGEST, -(-len(everything) // (num_proc * _PORTIONS))))
    starts = range(0, len(everything), size)
    portions = [everything[start : start + size] for start in starts]
    # Ctrl-C reaches every process of the terminal; it is left to this one
    pool = ProcessPoolExecutor(num_proc, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    # All processes start before the pool's own thread does, as they do under "fork": it fails where one dies while
    # others are being started. Python has no public way to ask for this.
    pool._safe_to_dynamically_spawn_children = False  # type: ignore[attr-defined, unused-ignore]  # noqa: SLF001
    processes = pool._processes  # noqa: SLF001  public from Python 3.14 on
    try:
        return np.concatenate([np.empty(0), *pool.map(score, portions, starts)])
    except (BrokenProcessPool, OSError, EOFError):  # the last two are of the pool's pipes, where one dies meanwhile
        for process in list(processes.values()):  # the pool waits for ever for one that started while it broke
            process.kill()
        msg = f"one of {num_proc} scoring processes died before it was done; it may have run out of memory"
        raise RuntimeError(msg) from None
    finally:
        pool.shutdown(cancel_futures=True)

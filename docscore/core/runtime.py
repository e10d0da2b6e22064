"""Helpers for running code: groups, deep recursion, warnings, optional libraries, progress, the bound on memory."""

import gc
import math
import os
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from inspect import currentframe
from typing import Any, TypeVar

from docscore.core.errors import DataWarning, InputTypeError, InputValueError, PlacePart, distinct

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)


# docscore, and the packages through which calls reach it: `evaluate`, and the modules that it loads or users import
_PASSED = frozenset(("docscore", "evaluate", "evaluate_modules", "anls_star"))


def call_with_fresh_stack(function: Callable[..., _T], *arguments: object) -> _T:
    """Return the result of the function; if the caller is too deep in Python's stack, call it in a new thread."""
    try:
        return function(*arguments)
    except RecursionError:
        return in_new_thread(function, *arguments)


def in_new_thread(function: Callable[..., _T], *arguments: object) -> _T:
    """Return the result of the function, called in a thread, whose stack is empty."""
    with ThreadPoolExecutor(max_workers=1) as fresh:
        return fresh.submit(function, *arguments).result()


def caller_stacklevel() -> int:
    """Return the `stacklevel` for a warning of the calling function that points at the code that called docscore.

    If calls are nested, the outermost one counts, since a property or the library `evaluate` may lie in between.
    """
    frame, level, of_caller = currentframe(), 0, 1
    while frame is not None and frame.f_back is not None:
        if level and str(frame.f_globals.get("__name__")).partition(".")[0] in _PASSED:
            of_caller = level + 1
        frame, level = frame.f_back, level + 1
    return of_caller


def grouped(pairs: Iterable[tuple[_K, _T]]) -> dict[_K, list[_T]]:
    """Return the second elements of pairs, grouped by the first, both in their order.

    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    groups: dict[_K, list[_T]] = {}
    for key, member in pairs:
        groups.setdefault(key, []).append(member)
    return groups


def numbered(names: Iterable[_K]) -> dict[_K, int]:
    """Return the number of each name, in the order of their first occurrences.

    >>> numbered(["b", "a", "b"])
    {'b': 0, 'a': 1}
    """
    return {name: number for number, name in enumerate(dict.fromkeys(names))}


def warn(warning: str | DataWarning) -> None:
    """Issue a warning that points at the code that called docscore."""
    warnings.warn(warning, UserWarning, stacklevel=caller_stacklevel())


def warn_all(found: Iterable[DataWarning]) -> None:
    """Issue the warnings about rows, each of them once."""
    for warning in distinct(found):
        warn(warning)


def library(name: str, problem: str, extra: str, place: PlacePart | tuple[()] = ()) -> Any:
    """Import an optional library when it is needed.

    Args:
        name: the name of its module.
        problem: the sentence if it is missing, with `{}` for the error.
        extra: the extra of this package that installs it.
        place: the place of the input that needs it.

    Raises:
        ValueError: naming the extra, if the library is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise InputValueError(
            place=place, problem=problem.format(error), remedy=f"pip install 'docscore[{extra}]'"
        ) from None


@contextmanager
def gc_pause() -> Iterator[None]:
    """Switch the garbage collector off for a block that reads many rows, which it would traverse repeatedly.

    Rows have no reference cycles, so reference counts free them.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


Advance = Callable[[int], object]  # called with the increment: how many more units of the phase are done
Progress = Callable[[str, int], Advance]  # called with the name of a phase and its total when the phase begins

READING = "Reading"  # the phase whose units are the bytes of a file; units of other phases are rows or resamples


def no_progress(_phase: str, _total: int) -> Advance:
    """Show nothing."""
    return ignore


def ignore(_increment: int) -> None:
    """Do nothing with an increment."""


def watched(values: Iterable[_T], progress: Progress, phase: str, total: int) -> Iterable[_T]:
    """Return the values of a phase; requesting the next value reports the previous one as done."""
    if progress is no_progress:
        return values
    advance = progress(phase, total)

    def reported() -> Iterator[_T]:
        for value in values:
            yield value
            advance(1)

    return reported()


_DELAY = 0.5  # seconds before a bar is shown that the user did not request


def progress_from(progress: bool | Progress | None) -> Progress:
    """Return the callback for a `progress` option.

    Args:
        progress: True for bars of `tqdm.auto`; None for bars only if stderr is a terminal and the work takes longer
            than 0.5 s; False for no bars; or a callback. It is called with the name of a phase and its total, and
            returns a function that is called with the number of further units that are done.

    Raises:
        TypeError: for anything else.
    """
    if progress is None:
        return _Bars(_DELAY).begin if sys.stderr is not None and sys.stderr.isatty() else no_progress
    if isinstance(progress, bool):
        return _Bars(0).begin if progress else no_progress
    if not callable(progress):
        raise InputTypeError(place="progress", expected="None, True, False or a callback", got=type(progress).__name__)
    return progress


class _Bars:
    """One bar at a time, removed when its phase is done."""

    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.bar: Any = None

    def begin(self, phase: str, total: int) -> Advance:
        from tqdm.auto import tqdm  # noqa: PLC0415  not needed without a terminal

        tqdm.monitor_interval = 0  # no monitor thread: forked processes would not have it

        if self.bar is not None:
            self.bar.close()
        bar = self.bar = tqdm(
            total=total,
            desc=phase,
            unit="B" if phase == READING else "it",
            unit_scale=True,
            leave=False,
            miniters=1,  # update by time alone, otherwise a slow end is not rendered
            delay=self.delay,
            nrows=24,  # without it, tqdm shows nothing on a terminal that does not report its size
        )

        def advance(increment: int) -> None:
            bar.update(increment)
            if bar.n >= bar.total:
                bar.close()

        return advance


VARIABLE = "DOCSCORE_MAX_MEMORY"
"""The environment variable that sets the bound, in gigabytes."""

DEFAULT_GIGABYTES = 2.0

_BYTES_A_PAIR = 100  # per pair of list elements, measured for pairs that tie in chains; 25 if they do not tie


class TooManyPairsError(InputValueError):
    """Error for two lists that have more pairs of elements than the bound on memory allows."""


_ELEMENTS = "list elements"


def check_memory(
    rows: int, columns: int, *, things: str = _ELEMENTS, bytes_a_pair: int = _BYTES_A_PAIR, place: str = ""
) -> None:
    """Refuse a table of all pairs that would not fit into the bound.

    Args:
        rows: the number of elements in the ground truth.
        columns: the number of elements in the prediction.
        things: a noun for the elements.
        bytes_a_pair: the memory per pair, in bytes.
        place: the place of the elements, if it is known.

    Raises:
        ValueError: naming the sizes and a remedy.
    """
    gigabytes = rows * columns * bytes_a_pair / 1e9
    if gigabytes <= 0.1 or gigabytes <= most_gigabytes():  # noqa: PLR2004  the smallest allowed bound
        return
    key = "pair them by a key with unique values (`key` in a schema), or " if things == _ELEMENTS else ""
    raise TooManyPairsError(
        place=place or (),
        expected=f"{things} whose comparison takes at most {most_gigabytes():g} GB",
        got=f"{rows:,} against {columns:,}, which may take {gigabytes:,.1f} GB",
        remedy=f"{key}set more memory in the environment variable {VARIABLE} (in GB)",
    )


def most_gigabytes() -> float:
    """Return the bound on memory in gigabytes, 0.1 or more.

    Raises:
        ValueError: if the value of the environment variable is not such a number.
    """
    text = os.environ.get(VARIABLE, "")
    try:
        gigabytes = float(text) if text else DEFAULT_GIGABYTES
    except ValueError:
        gigabytes = 0.0
    if not 0.1 <= gigabytes < math.inf:  # noqa: PLR2004  NaN too
        raise InputValueError(place=VARIABLE, expected="a number of gigabytes of at least 0.1", got=repr(text))
    return gigabytes

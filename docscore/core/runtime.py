"""Python's stack: room to recurse for deep values, and the frame that called us, for warnings."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

_T = TypeVar("_T")


_PACKAGE = str(Path(__file__).parent.parent)  # of docscore


def with_room_to_recurse(function: Callable[..., _T], *arguments: object) -> _T:
    """The result of the function; where the caller is too deep in Python's stack, from a thread with a fresh one."""
    try:
        return function(*arguments)
    except RecursionError:
        with ThreadPoolExecutor(max_workers=1) as fresh:
            return fresh.submit(function, *arguments).result()


def level_of_caller() -> int:
    """The `stacklevel` with which a warning of the calling function points at the first frame outside this package."""
    level, frame = 0, sys._getframe(1)  # noqa: SLF001  what `warnings` itself does
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level + 1


@contextmanager
def gc_pause() -> Iterator[None]:
    """Switch the collector off for a block: it looks through all that was read again and again, and finds nothing.

    Rows hold no cycles; what is dropped is freed by its reference count as before.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()

"""Python's cyclic garbage collector, switched off while many objects are made of which none is garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_off() -> Iterator[None]:
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

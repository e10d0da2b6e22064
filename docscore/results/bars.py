"""Progress bars of `tqdm` for long work in Python and in notebooks."""

from __future__ import annotations

import sys
from typing import Any

from docscore.core.errors import InputTypeError
from docscore.core.progress import Advance, Progress, no_progress

_DELAY = 0.5  # seconds before a bar is shown that nobody asked for


def progress_from(progress: bool | Progress | None) -> Progress:
    """The callback for a `progress` option.

    Args:
        progress: True for bars of `tqdm.auto`; None for bars where stderr is a terminal, and the work is not done at
            once; False for none; or a callback, called with the name of a phase and its total, that returns one, called
            with the number of further units that are done.

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

        if self.bar is not None:
            self.bar.close()
        bar = self.bar = tqdm(total=total, desc=phase, leave=False, delay=self.delay)

        def advance(increment: int) -> None:
            bar.update(increment)
            if bar.n >= bar.total:
                bar.close()

        return advance

"""Progress of long work: the one type of callback that the library calls; it knows no progress bar."""

from __future__ import annotations

from collections.abc import Callable

Advance = Callable[[int], object]  # called with the increment: how many more units of the phase are done
Progress = Callable[[str, int], Advance]  # called with the name of a phase and its total when the phase begins

READING = "Reading"  # the phase whose units are the bytes of a file; those of others are rows, or resamples


def no_progress(_phase: str, _total: int) -> Advance:
    """Show nothing."""
    return ignore


def ignore(_increment: int) -> None:
    """Do nothing with an increment."""

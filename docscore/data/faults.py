"""Collect, count and summarise faults in data: a message names the first ones and counts the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from heapq import nsmallest
from typing import Any, Literal, NamedTuple, get_args

from docscore.core.errors import Diagnostic, InputValueError, short_repr

OnError = Literal["error", "skip"]


NAMED = 5  # how many faults or ids a message names
KEPT = 1_000  # faults of a kind that are kept; of more the number alone


class _Faulty:
    """A row that could not be read; there is one such object."""

    def __reduce__(self) -> str:
        return "FAULTY"

    def __repr__(self) -> str:
        return "FAULTY"


FAULTY = _Faulty()


class Fault(NamedTuple):
    """A fault of a row, or of the ids of several rows.

    Attributes:
        kind: its name in a summary, after a number: "not JSON", "duplicate id".
        diagnostic: the place, what was expected and what was found.
        number: the number of rows or ids with the fault.
        tolerated: whether the rows are left out even where rows with other faults are an error.
    """

    kind: str
    diagnostic: Diagnostic
    number: int = 1
    tolerated: bool = False

    @property
    def place(self) -> str:
        """The place of the fault as text."""
        return self.diagnostic.place

    @property
    def sentence(self) -> str:
        """The place, what was expected and what was found, in one sentence."""
        return str(self.diagnostic)


class DataError(InputValueError):
    """Rows that cannot be scored; the message names the first faults and counts the rest.

    The error as a whole has no place: each fault has its own.

    Attributes:
        faults: the faults, as `Faults.found` has them.
        lines: the lines of the message.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = list(faults)
        self.lines = [fault.sentence for fault in self.faults[:NAMED]]
        if len(self.faults) > 1:
            self.lines.append(faults_summary(self.faults))
        super().__init__(problem="\n".join(self.lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.faults,)

    def for_remote_users(self) -> DataError:
        """The error without folders and remedies, see `Diagnostic.for_remote_users`."""
        return DataError([fault._replace(diagnostic=fault.diagnostic.for_remote_users()) for fault in self.faults])


class Faults:
    """Collects faults; depending on `on_error`, rows with faults are left out or raise an error.

    Attributes:
        skip: whether rows with faults are left out.
    """

    def __init__(self, on_error: str = "error") -> None:
        if on_error not in get_args(OnError):
            raise InputValueError(place="on_error", expected="'error' or 'skip'", got=repr(on_error))
        self.skip = on_error == "skip"
        self._kept: dict[Fault, None] = {}  # in order, each once
        self._times: Counter[str] = Counter()  # how many are kept of each kind
        self._more: dict[str, Fault] = {}  # by kind, one that counts those that are not kept

    @property
    def found(self) -> list[Fault]:
        """The first `KEPT` faults of each kind, in order; then, for each kind with more, one that counts the others."""
        return [*self._kept, *self._more.values()]

    def add(self, kind: str, diagnostic: Diagnostic, number: int = 1, *, tolerated: bool = False) -> None:
        """Add a fault unless the same was added before: ids of references are compared with each file of predictions.

        Args:
            kind: its name after a number, as in `Fault`.
            diagnostic: the place, what was expected and what was found.
            number: the number of rows or ids with the fault.
            tolerated: whether the rows are left out even where rows with other faults are an error.
        """
        fault = Fault(kind, diagnostic, number, tolerated)
        if fault in self._kept:
            return
        if self._times[kind] < KEPT:
            self._times[kind] += 1
            self._kept[fault] = None
            return
        total = number + (self._more[kind].number if kind in self._more else 0)
        self._more[kind] = Fault(kind, Diagnostic(problem=f"and {total:,} more {kind}"), total, tolerated)

    def stop_if_any(self) -> None:
        """Raise `DataError` if there are faults, unless the rows with all of them are left out."""
        if self.skip or not self._kept:
            return
        grave = [fault for fault in self.found if not fault.tolerated]
        if grave:
            raise DataError(grave)


def some_of(names: Collection[str]) -> str:
    """The first `NAMED` of the names in their order as texts, and how many more there are.

    >>> some_of(["b", "a"]), some_of("gfedcba")
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(map(short_repr, nsmallest(NAMED, names))) + more


def faults_summary(faults: Sequence[Fault]) -> str:
    """Count the faults of each kind, most frequent first.

    >>> faults_summary([Fault("not JSON", Diagnostic(("line 1",))), Fault("duplicate id", Diagnostic(), 3)])
    '4 faults: 3 duplicate id, 1 not JSON'
    """
    counts: Counter[str] = Counter()
    for fault in faults:
        counts[fault.kind] += fault.number
    total = sum(counts.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in counts.most_common())
    return f"{total:,} {'fault' if total == 1 else 'faults'}: {kinds}"

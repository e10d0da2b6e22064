"""Collect, count and summarise faults in data: a message names the first ones and counts the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from heapq import nsmallest
from typing import Any, Literal, NamedTuple, get_args

from docscore.core.errors import Diagnostic, InputValueError, short_repr

OnError = Literal["error", "skip"]


NAMED = 5  # how many faults or ids a message names


class Fault(NamedTuple):
    """A fault of a row, or of the ids of several rows.

    Attributes:
        kind: its name in a summary, after a number: "not JSON", "duplicate id".
        diagnostic: the place, what was expected and what was found.
        number: the number of rows or ids with the fault.
    """

    kind: str
    diagnostic: Diagnostic
    number: int = 1

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
        faults: all faults.
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
        found: the faults.
    """

    def __init__(self, on_error: str = "error") -> None:
        if on_error not in get_args(OnError):
            raise InputValueError(place="on_error", expected="'error' or 'skip'", got=repr(on_error))
        self.skip = on_error == "skip"
        self.found: list[Fault] = []
        self._seen: set[Fault] = set()

    def add(self, kind: str, diagnostic: Diagnostic, number: int = 1) -> None:
        """Add a fault unless it was added before: references are read again with each file of predictions."""
        fault = Fault(kind, diagnostic, number)
        if fault not in self._seen:
            self._seen.add(fault)
            self.found.append(fault)

    def stop_if_any(self) -> None:
        """Raise `DataError` if there are faults, unless rows with faults are left out."""
        if self.found and not self.skip:
            raise DataError(self.found)


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

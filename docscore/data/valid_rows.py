"""The rows of one side that can be scored, with their ids; those that cannot are faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from docscore.core.errors import diagnostic_of
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.data.faults import FAULTY, Faults
from docscore.data.files import Table
from docscore.data.rows import ID, PLAIN, Absent, Row, RowFormat, ids_of_plain_rows, read_reference

Check = Callable[[Any, bool], object]  # gets a value and whether it is a ground truth; raises if invalid


_PORTION = 4096  # rows of which the usual ones are told at once


class ValidRows(NamedTuple):
    """The rows of one side that can be scored.

    Attributes:
        table: all rows of the side.
        ids: of the valid rows.
        numbers: of the valid rows, in the table.
        faulty_ids: the known ids of the faulty rows.
        sure_ids: of the valid rows that have confidences beside their values.
    """

    table: Table
    ids: list[str]
    numbers: list[int]
    faulty_ids: set[str]
    sure_ids: set[str]

    def add(self, index: int, source: Any, row: Row | None, form: RowFormat) -> None:
        """Add a row of the table; None stands for a faulty one."""
        if row is not None:
            name = str(index) if row.id is None else row.id
            self.ids.append(name)
            self.numbers.append(index)
            if row.confidence is not None:
                self.sure_ids.add(name)
        elif form is PLAIN:
            self.faulty_ids.add(str(index))
        elif isinstance(source, dict) and ID in source:
            self.faulty_ids.add(str(source[ID]))

    def without(self, excluded: set[str]) -> ValidRows:
        """The rows without those of some ids."""
        if not excluded:
            return self
        kept = [(i, number) for i, number in zip(self.ids, self.numbers, strict=True) if i not in excluded]
        return self._replace(ids=[i for i, _ in kept], numbers=[number for _, number in kept])


def valid_rows(
    table: Table, form: RowFormat, read: Callable[..., Row], faults: Faults, check: Check | None = None
) -> ValidRows:
    """The rows of the right format with valid values; plain rows get their number as id.

    Args:
        table: the rows of one side.
        form: their format.
        read: `read_prediction` or `read_reference`.
        faults: collects the faults of the others.
        check: called with each value, raises an error for an invalid one; by default one that cannot be scored.
    """
    found = ValidRows(table, [], [], set(), set())
    side: Literal["prediction", "references"] = "references" if read is read_reference else "prediction"
    check_value = check or _can_be_scored
    for start in range(0, len(table.rows), _PORTION):
        portion = table.rows[start : start + _PORTION]
        ids = ids_of_plain_rows(portion, form, side) if check is None else None
        if ids is not None:
            found.ids.extend(ids)
            found.numbers.extend(range(start, start + len(ids)))
        else:
            for index, source in enumerate(portion, start):
                if isinstance(source, dict) and source.get(side) is Absent:
                    continue
                row = None if source is FAULTY else _checked_row(source, table, index, form, read, check_value, faults)
                found.add(index, source, row, form)
    return found


def _checked_row(
    source: Any, table: Table, index: int, form: RowFormat, read: Callable[..., Row], check: Check, faults: Faults
) -> Row | None:
    try:
        row: Row = read(source, form, table.where, index)
    except (TypeError, ValueError) as error:
        faults.add("of another shape", diagnostic_of(error))
        return None
    try:
        check(row.value, read is read_reference)
    except (TypeError, ValueError) as error:
        faults.add("with a value that cannot be scored", diagnostic_of(error).within(table.where(index)))
        return None
    return row


def _can_be_scored(value: Any, is_truth: bool) -> None:
    (convert_ground_truth if is_truth else convert_prediction)(value)

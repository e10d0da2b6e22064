"""Groups of paired rows: clusters and slices by a column or a function of the id."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from docscore.core.errors import InputTypeError, InputValueError, row_place
from docscore.core.numbers import is_printable_integer, too_long_integer
from docscore.core.options import ReadOptions
from docscore.core.schema_source import schema_name
from docscore.core.values import SCALAR_TYPES
from docscore.inputs.rows import Absent, NoCell, as_rows, cells_of
from docscore.inputs.test_set import TestSet

# the name of a column of the references, a function of the id, or a label for each reference in their order
Grouping = str | Callable[[str], Any] | Iterable[Any]


def groups_of_rows(pairs: TestSet, grouping: Grouping, option: str) -> list[str]:
    """Return the name of the group of each row.

    Args:
        pairs: n rows.
        grouping: the name of a column of the references, a function that gives the group of an id, or n labels in the
            order of the references.
        option: the name of the option in error messages.

    Returns:
        n names; "null" for a null and for a row without the column.

    Raises:
        TypeError: for a group that is not a text, number, boolean or null, naming the row.
        ValueError: for a column that no reference has, or a number of labels other than n.
    """
    if pairs.document_ids is not None:
        return groups_of_rows(pairs.each_run()[0], grouping, option) * pairs.runs
    if callable(grouping):
        labels = [grouping(name) for name in pairs.ids]
    elif isinstance(grouping, str):
        rows = pairs.reference_rows or []
        labels = cells_of(rows, grouping)
        if all(label is NoCell for label in labels):
            columns = sorted({str(key) for row in rows for key in row})
            raise InputValueError(
                place=option,
                expected=f"a column {grouping!r} of the references",
                got=", ".join(map(repr, columns)) or "rows without columns",
            )
        labels = [None if label is NoCell or label is Absent else label for label in labels]
    else:
        labels = as_rows(grouping, option)
        if len(labels) != len(pairs.ids):
            raise InputValueError(
                place=option, expected=f"a label for each of {len(pairs.ids):,} references", got=f"{len(labels):,}"
            )
    names = []
    for name, label in zip(pairs.ids, labels, strict=True):
        plain = label.item() if hasattr(label, "item") else label
        if plain is not None and type(plain) not in SCALAR_TYPES:
            raise InputTypeError(
                place=(option, row_place(name)), expected="a text or a number", got=type(label).__name__
            )
        if type(plain) is int and not is_printable_integer(plain):
            raise too_long_integer((option, row_place(name)))
        names.append("null" if plain is None else str(plain))
    return names


def grouped_rows(rows: TestSet, options: ReadOptions) -> TestSet:
    """Return the rows with the names of their slices, clusters and schemas; errors as for `groups_of_rows`."""
    labels: dict[str, Any] = {}
    if options.by is not None:
        labels["slices"] = groups_of_rows(rows, options.by, "by")
    if options.cluster is not None:
        labels["clusters"] = groups_of_rows(rows, options.cluster, "cluster")
    if options.schema_by is not None:
        labels["schema_names"] = list(map(schema_name, groups_of_rows(rows, options.schema_by, "schema_by")))
    return replace(rows, **labels) if labels else rows

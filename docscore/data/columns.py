"""Group rows by a column of the references, by a function of the id or by given labels, for slices and clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from docscore.core.errors import InputTypeError, InputValueError, row_place
from docscore.core.values import SCALAR_TYPES
from docscore.data.pairing import Pairs
from docscore.data.rows import as_rows

# the name of a column of the references, a function of the id, or a label for each reference in their order
Grouping = str | Callable[[str], Any] | Iterable[Any]


def groups_of_rows(pairs: Pairs, grouping: Grouping, option: str) -> list[str]:
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
        ValueError: for a column that no reference has, and for another number of labels than rows.
    """
    if callable(grouping):
        values = [grouping(name) for name in pairs.ids]
    else:
        values = _column(pairs, grouping, option) if isinstance(grouping, str) else _labels(pairs, grouping, option)
    return [_group_name(name, value, option) for name, value in zip(pairs.ids, values, strict=True)]


def with_clusters(pairs: Pairs, cluster: Grouping | None) -> Pairs:
    """The rows with their cluster names added; errors as for `groups_of_rows`."""
    return pairs if cluster is None else pairs._replace(clusters=groups_of_rows(pairs, cluster, "cluster"))


def _labels(pairs: Pairs, labels: Iterable[Any], option: str) -> list[Any]:
    found = as_rows(labels, option)
    if len(found) != len(pairs.ids):
        expected = f"a label for each of {len(pairs.ids):,} references"
        raise InputValueError(place=option, expected=expected, got=f"{len(found):,}")
    return found


def _column(pairs: Pairs, name: str, option: str) -> list[Any]:
    rows = pairs.reference_rows or []
    if not any(name in row for row in rows):
        known = sorted({str(key) for row in rows for key in row})
        got = ", ".join(map(repr, known)) or "rows without columns"
        raise InputValueError(place=option, expected=f"a column {name!r} of the references", got=got)
    return [row.get(name) for row in rows]


def _group_name(row: str, value: Any, option: str) -> str:
    plain = value.item() if hasattr(value, "item") else value
    if plain is not None and type(plain) not in SCALAR_TYPES:
        raise InputTypeError(place=(option, row_place(row)), expected="a text or a number", got=type(value).__name__)
    return "null" if plain is None else str(plain)

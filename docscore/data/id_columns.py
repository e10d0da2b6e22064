"""Columns of ids that have other names, told by their values: none occurs twice, and both sides have them."""

from __future__ import annotations

from collections.abc import Iterable

from docscore.core.errors import Diagnostic, FilePlace, in_file
from docscore.data.column_names import ID_WORDS, PREDICTION_WORDS, TRUTH_WORDS, clearest_name, rank_of_name
from docscore.data.files import Table
from docscore.data.rows import ANLS, BY_ID, described

FEWEST_ROWS = 2  # from whose values ids are told; those of a single one say nothing
_MOST_COLUMNS = 100  # whose values are compared, those first that are called as ids
_MOST_SHARED = 2  # names on both sides: those of the columns of ids
_EXPECTED = "rows with 'question_id', and 'references' or 'prediction'"

Uniques = dict[str, frozenset[str]]


def unique_columns(table: Table, names: Iterable[str]) -> Uniques:
    """The columns of which all values are texts or whole numbers, none empty and none twice, with these as texts.

    Args:
        table: the rows, of which each is read once.
        names: the columns to look at; a hundred of them, those first that are called as ids.
    """
    found: dict[str, set[str]] = {
        name: set() for name in sorted(names, key=lambda name: rank_of_name(name, ID_WORDS))[:_MOST_COLUMNS]
    }
    count = 0
    for _, row in table.good():
        if not found:
            break
        count += 1
        for name, values in list(found.items()):
            value = row.get(name) if isinstance(row, dict) else None
            if type(value) in (str, int) and value != "":
                values.add(str(value))
            if len(values) < count:
                del found[name]
    return {name: frozenset(values) for name, values in found.items() if count}


def common_ids(first: Uniques, second: Uniques) -> tuple[str, str, int] | None:
    """The columns of two sides with the most values in common, and how many these are; None where none have any.

    Of equal ones those of one name, then those that are called as ids.
    """
    ranked = [
        (len(ids & others), name == other, -min(rank_of_name(each, ID_WORDS) for each in (name, other)), name, other)
        for name, ids in first.items()
        for other, others in second.items()
        if not ids.isdisjoint(others)
    ]
    if not ranked:
        return None
    count, *_, name, other = max(ranked, key=lambda each: each[:3])
    return name, other, count


def foreign_ids(references: Table, predictions: Table) -> Diagnostic | None:
    """What says that rows without ids can only be rows by id whose columns have other names; None where nothing does.

    They may also be the documents themselves, so that these must speak against it: a column is called as in the row
    formats and is on its own side alone; or a column of each side holds the same unique values, in any order, and no
    other column is on both sides, so that no other field of a document could be right; or most of such values are the
    same, one side alone has a column that is called as ground truths are, and the other one called as predictions are.
    """
    tables = references, predictions
    first, second = (table.first() for table in tables)
    if not all(isinstance(row, dict) and row for row in (first, second)):
        return None
    formats = (ANLS.references, BY_ID.references), (ANLS.prediction, BY_ID.prediction)
    own = [
        (table, row)
        for table, names, row, other in zip(tables, formats, (first, second), (second, first), strict=True)
        if any(name in row and name not in other for name in names)
    ]
    are_told = all(
        clearest_name(row.keys() - other.keys(), words)
        for row, other, words in ((first, second, TRUTH_WORDS), (second, first, PREDICTION_WORDS))
    )
    may_be_told = are_told or len(first.keys() & second.keys()) <= _MOST_SHARED
    if not (own or may_be_told) or not all(map(_have_same_keys, tables)):
        return None
    if own:
        table, row = own[0]
        return Diagnostic((in_file(table.path),), _EXPECTED, described(row))
    ids = _ids_of_rows(references, predictions, are_told=are_told)
    if ids is None:
        return None
    place = FilePlace((str(references.path), str(predictions.path)))
    return Diagnostic((place,), _EXPECTED, f"{described(first)} and {described(second)}, where {ids} ids")


def _have_same_keys(table: Table) -> bool:
    """Whether all rows are objects with the keys of the first."""
    keys = table.first().keys()
    return all(isinstance(row, dict) and row.keys() == keys for _, row in table.good())


def _ids_of_rows(references: Table, predictions: Table, *, are_told: bool) -> str | None:
    """Which columns hold the same ids, or common ones; None unless they and the other columns say that they are ids."""
    columns = [table.first().keys() for table in (references, predictions)]
    uniques = [unique_columns(table, names) for table, names in zip((references, predictions), columns, strict=True)]
    found = common_ids(uniques[0], uniques[1])
    if found is None:
        return None
    name, other, count = found
    rests = columns[0] - {name}, columns[1] - {other}
    sizes = len(uniques[0][name]), len(uniques[1][other])
    if min(sizes) < FEWEST_ROWS or not all(rests):
        return None
    are_same = count == max(sizes)
    are_ids = 2 * count > max(sizes) if are_told else are_same and rests[0].isdisjoint(rests[1])
    return f"{name!r} and {other!r} hold {'the same' if are_same else 'common'}" if are_ids else None

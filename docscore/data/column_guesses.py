"""Guess how foreign rows are to be read: the columns of ids, ground truths and predictions, and texts that are JSON."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

from docscore.data.column_names import ID_WORDS, PREDICTION_WORDS, TRUTH_WORDS, UNKNOWN, clearest_name, rank_of_name
from docscore.data.files import Table
from docscore.data.id_columns import FEWEST_ROWS, Uniques, common_ids, foreign_ids, unique_columns
from docscore.data.model_output import holds_json, is_json_container
from docscore.data.reading_plans import ReadingPlan
from docscore.data.rows import ANLS, BY_ID, ID, PLAIN, RowFormat, format_of

SAMPLED = 50  # rows from which columns and texts are judged
_PARSED = 20  # texts that are read to see whether they hold JSON
_SAME_DOCUMENT = 0.5  # share of keys that both sides have, from which rows are documents and not columns of their own


def columns_of(table: Table) -> list[str]:
    """The keys of the first rows of a table, in the order in which they occur; none if a row is no object."""
    rows = _sample(table)
    if not all(isinstance(row, dict) for row in rows):
        return []
    return list(dict.fromkeys(key for row in rows for key in row))


def guessed_plan(references: Table | None, predictions: Table) -> ReadingPlan:
    """Guess how two files are to be read, or one file that holds both sides.

    Rows in a row format of docscore are read as ever. Otherwise a column of ids is one whose values occur once and, in
    two files, on both sides; ground truths and predictions are told by the names of their columns, and where these say
    nothing, by what is left.

    Args:
        references: the rows of ground truths; None where the rows of predictions hold both.
        predictions: the rows of predictions.
    """
    return with_guessed_parsing(guessed_columns(references, predictions), references, predictions)


def guessed_columns(references: Table | None, predictions: Table) -> ReadingPlan:
    """The same plan without saying how texts are read."""
    plan = _own_names(references, predictions)
    if plan is not None:
        return plan
    if references is None:
        return _of_one(predictions)
    if _are_documents(references, predictions):
        return ReadingPlan((None, None), None, None, certain=True)
    return _of_two(references, predictions)


def with_guessed_parsing(plan: ReadingPlan, references: Table | None, predictions: Table) -> ReadingPlan:
    """The plan with the texts read as JSON that hold JSON, where ground truths are objects or lists."""
    truths = [answer for each in _values(references or predictions, plan.references) for answer in _answers(each)]
    guesses = _values(predictions, plan.prediction)
    texts = bool(truths) and all(map(is_json_container, truths[:_PARSED]))
    structured = texts or (bool(truths) and all(isinstance(each, dict | list) for each in truths))
    # a list that is text may be one of acceptable answers; an object is meant as such whatever the predictions are
    read = texts and (truths[0].lstrip().startswith("{") or _parsing(guesses, anyhow=True) is not None)
    return plan._replace(
        parse=_parsing(guesses) if structured else None,
        parse_references="json" if read else None,
    )


def _parsing(guesses: Sequence[Any], *, anyhow: bool = False) -> str | None:
    """How texts among predictions are read: "json" where each is JSON as a whole, "repair" where JSON is in some.

    Args:
        guesses: predictions.
        anyhow: whether predictions that are objects or lists count as "json".
    """
    texts = [each for each in guesses if isinstance(each, str) and each.strip()][:_PARSED]
    if not texts:
        return "json" if anyhow and any(isinstance(each, dict | list) for each in guesses) else None
    if all(map(is_json_container, texts)):
        return "json"
    return "repair" if any(holds_json(each, mended=True) for each in texts) else None


def _own_names(references: Table | None, predictions: Table) -> ReadingPlan | None:
    """The plan for rows that have the names of a row format on each side."""
    first = predictions.first()
    for form in (BY_ID, ANLS):
        if references is None:
            fits = isinstance(first, dict) and {ID, *form[1:]} <= first.keys()
        else:
            fits = _form(references, "references") == _form(predictions, "prediction") == form
        if fits:
            return ReadingPlan((ID, ID), form.references, form.prediction, certain=True)
    return None


def _form(table: Table, side: Any) -> RowFormat | None:
    return format_of(table.first(), side)


def _are_documents(references: Table, predictions: Table) -> bool:
    """Whether each row is a ground truth, or a prediction, as it stands."""
    tables = references, predictions
    if any(table.has_columns for table in tables):
        return False
    if not all(_form(table, side) is PLAIN for table, side in zip(tables, ("references", "prediction"), strict=True)):
        return False
    columns = [set(columns_of(table)) for table in tables]
    if not all(columns):
        return True
    if clearest_name(columns[0] - columns[1], TRUTH_WORDS) and clearest_name(columns[1] - columns[0], PREDICTION_WORDS):
        return False
    if foreign_ids(references, predictions) is not None:
        return False
    return len(columns[0] & columns[1]) >= _SAME_DOCUMENT * len(columns[0] | columns[1])


def _of_one(table: Table) -> ReadingPlan:
    columns = columns_of(table)
    name = clearest_name(_unique_columns(table, columns, [*TRUTH_WORDS, *PREDICTION_WORDS]), ID_WORDS)
    rest = [column for column in columns if column != name]
    truth = clearest_name(rest, TRUTH_WORDS)
    prediction = clearest_name([column for column in rest if column != truth], PREDICTION_WORDS)
    if truth is None or prediction is None:  # what is left, in the order in which people write it
        likely = [c for c in rest if c not in (truth, prediction) and _is_structured(_values(table, c))]
        left = likely or [column for column in rest if column not in (truth, prediction)]
        truth = left.pop(0) if truth is None and left else truth
        prediction = left.pop(0) if prediction is None and left else prediction
    return ReadingPlan((name, name), truth, prediction)


def _of_two(references: Table, predictions: Table) -> ReadingPlan:
    columns = columns_of(references), columns_of(predictions)
    ids = _id_columns(references, predictions, *columns)
    rests = [[column for column in names if column != name] for names, name in zip(columns, ids, strict=True)]
    shared = set(rests[0]) & set(rests[1])
    if ids == (None, None):  # nothing but a name tells a column of values from the only key of a document
        truth, prediction = clearest_name(columns[0], TRUTH_WORDS), clearest_name(columns[1], PREDICTION_WORDS)
        return ReadingPlan(ids, *((truth, prediction) if truth and prediction else (None, None)))
    truth = _value_column(references, rests[0], TRUTH_WORDS, shared)
    prediction = _value_column(predictions, rests[1], PREDICTION_WORDS, shared)
    if truth is None or prediction is None:
        truth, prediction = (None, None) if shared else (truth, prediction)
    return ReadingPlan(ids, truth, prediction)


def _value_column(table: Table, columns: list[str], words: Sequence[str], shared: Collection[str]) -> str | None:
    """The column of the values: by its name, the only one, or the only one of objects; None for the whole row."""
    own = [column for column in columns if column not in shared]
    named = clearest_name(own, words) or clearest_name(columns, words)
    if named is not None:
        return named
    structured = [column for column in columns if _is_structured(_values(table, column))]
    return next((found[0] for found in (columns, own, structured) if len(found) == 1), None)


def _id_columns(
    references: Table, predictions: Table, first: list[str], second: list[str]
) -> tuple[str | None, str | None]:
    """The columns of unique values with the most in common; where none have any, those that are called so.

    Where only one side has a column that is called so, the first one of unique values is taken from the other.
    """
    sides = [_unique_columns(references, first, TRUTH_WORDS), _unique_columns(predictions, second, PREDICTION_WORDS)]
    found = common_ids(*sides)
    if found is not None:
        return found[:2]
    named = clearest_name(sides[0], ID_WORDS), clearest_name(sides[1], ID_WORDS)
    if named == (None, None):
        return named
    return named[0] or next(iter(sides[0]), None), named[1] or next(iter(sides[1]), None)


def _unique_columns(table: Table, columns: list[str], value_words: Sequence[str]) -> Uniques:
    """The columns that may hold ids, with their values: those called as values are not among them."""
    if len(columns) < 2:  # noqa: PLR2004  there must be values beside ids
        return {}
    called = {name for name in columns if rank_of_name(name, ID_WORDS) < UNKNOWN}
    found = unique_columns(
        table, [name for name in columns if name in called or rank_of_name(name, value_words) == UNKNOWN]
    )
    return {name: ids for name, ids in found.items() if name in called or len(ids) >= FEWEST_ROWS}


def _sample(table: Table) -> list[Any]:
    return [row for _, row in islice(table.good(), SAMPLED)]


def _values(table: Table, name: str | None) -> list[Any]:
    """The first values of a column, or the first rows."""
    return [row if name is None or not isinstance(row, dict) else row.get(name) for row in _sample(table)]


def _answers(value: Any) -> list[Any]:
    """The acceptable answers of a cell that holds a list of them, or the value alone."""
    return value if isinstance(value, list) and value else [value]


def _is_structured(values: list[Any]) -> bool:
    """Whether the first values are objects or lists, or texts that are or hold them."""
    first = values[:_PARSED]
    return bool(first) and (all(isinstance(each, dict | list) for each in first) or _parsing(first) is not None)

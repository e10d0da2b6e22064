"""Guess how foreign rows are to be read: the columns of ids, ground truths and predictions, and texts that are JSON."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice, pairwise
from typing import Any

from docscore.core.errors import InputValueError
from docscore.data.files import Table, suffix_of
from docscore.data.foreign_columns import check_not_by_id
from docscore.data.json_codec import loads
from docscore.data.model_output import parse_text
from docscore.data.reading_plans import ReadingPlan
from docscore.data.rows import ANLS, BY_ID, ID, PLAIN, RowFormat, format_of

SAMPLED = 50  # rows from which columns and texts are judged
_PARSED = 20  # texts that are read to see whether they hold JSON
_SAME_DOCUMENT = 0.5  # share of keys that both sides have, from which rows are documents and not columns of their own
_TABLES = (".csv", ".tsv", ".parquet")

# words that name a column, most telling first; a name is compared as a whole, then each of its words
_ID_WORDS = re.findall(
    r"\w+",
    "questionid docid documentid sampleid rowid imageid fileid id uid uuid qid key filename file image index",
)
_TRUTH_WORDS = re.findall(
    r"\w+",
    "references reference groundtruth gt truth gold golden expected target annotation annotations label labels answers "
    "answer correct",
)
_PREDICTION_WORDS = re.findall(
    r"\w+",
    "prediction predictions predictiontext predicted pred preds hypothesis output response completion generation "
    "generated extraction extracted result answer answers content",
)
_FEWEST = 2  # rows from whose values ids are told; those of a single one say nothing


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
    plan = _own_names(references, predictions)
    if plan is None and references is not None and _are_documents(references, predictions):
        plan = ReadingPlan((None, None), None, None, certain=True)
    if plan is None:
        plan = _of_one(predictions) if references is None else _of_two(references, predictions)
    return with_guessed_parsing(plan, references, predictions)


def with_guessed_parsing(plan: ReadingPlan, references: Table | None, predictions: Table) -> ReadingPlan:
    """The plan with the texts read as JSON that hold JSON, where ground truths are objects or lists."""
    truths = [answer for each in _values(references or predictions, plan.references) for answer in _answers(each)]
    guesses = _values(predictions, plan.prediction)
    texts = bool(truths) and all(isinstance(each, str) and _is_json_container(each) for each in truths[:_PARSED])
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
    if all(map(_is_json_container, texts)):
        return "json"
    found = (parse_text(text, "repair") for text in texts)
    return "repair" if any(not each.failed and isinstance(each.value, dict | list) for each in found) else None


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
    first = table.first()
    return format_of(first, side)


def _are_documents(references: Table, predictions: Table) -> bool:
    """Whether each row is a ground truth, or a prediction, as it stands."""
    tables = references, predictions
    if any(suffix_of(table.path) in _TABLES for table in tables):
        return False
    if not all(_form(table, side) is PLAIN for table, side in zip(tables, ("references", "prediction"), strict=True)):
        return False
    columns = [set(columns_of(table)) for table in tables]
    if not all(columns):
        return True
    if _named(columns[0] - columns[1], _TRUTH_WORDS) and _named(columns[1] - columns[0], _PREDICTION_WORDS):
        return False
    try:
        check_not_by_id(references, predictions)
    except InputValueError:
        return False
    return len(columns[0] & columns[1]) >= _SAME_DOCUMENT * len(columns[0] | columns[1])


def _of_one(table: Table) -> ReadingPlan:
    columns = columns_of(table)
    given = {name: _column(table, name) for name in columns}
    name = _named(_unique_columns(table, columns, [*_TRUTH_WORDS, *_PREDICTION_WORDS]), _ID_WORDS)
    rest = [column for column in columns if column != name]
    truth = _named(rest, _TRUTH_WORDS)
    prediction = _named([column for column in rest if column != truth], _PREDICTION_WORDS)
    if truth is None or prediction is None:  # what is left, in the order in which people write it
        likely = [c for c in rest if c not in (truth, prediction) and _is_structured(given[c])]
        left = likely or [column for column in rest if column not in (truth, prediction)]
        truth = left.pop(0) if truth is None and left else truth
        prediction = left.pop(0) if prediction is None and left else prediction
    return ReadingPlan((name, name), truth, prediction)


def _of_two(references: Table, predictions: Table) -> ReadingPlan:
    columns = columns_of(references), columns_of(predictions)
    ids = _common_ids(references, predictions, *columns)
    rests = [[column for column in names if column != name] for names, name in zip(columns, ids, strict=True)]
    shared = set(rests[0]) & set(rests[1])
    if ids == (None, None):  # nothing but a name tells a column of values from the only key of a document
        truth, prediction = _named(columns[0], _TRUTH_WORDS), _named(columns[1], _PREDICTION_WORDS)
        return ReadingPlan(ids, *((truth, prediction) if truth and prediction else (None, None)))
    truth = _value_column(references, rests[0], _TRUTH_WORDS, shared)
    prediction = _value_column(predictions, rests[1], _PREDICTION_WORDS, shared)
    if truth is None or prediction is None:
        truth, prediction = (None, None) if shared else (truth, prediction)
    return ReadingPlan(ids, truth, prediction)


def _value_column(table: Table, columns: list[str], words: Sequence[str], shared: Collection[str]) -> str | None:
    """The column of the values: by its name, the only one, or the only one of objects; None for the whole row."""
    own = [column for column in columns if column not in shared]
    named = _named(own, words) or _named(columns, words)
    if named is not None:
        return named
    structured = [column for column in columns if _is_structured(_column(table, column))]
    return next((found[0] for found in (columns, own, structured) if len(found) == 1), None)


def _common_ids(
    references: Table, predictions: Table, first: list[str], second: list[str]
) -> tuple[str | None, str | None]:
    """The columns of unique values with the most in common; where none have any, those that are called so.

    Where only one side has a column that is called so, the first one of unique values is taken from the other.
    """
    sides = [_unique_columns(references, first, _TRUTH_WORDS), _unique_columns(predictions, second, _PREDICTION_WORDS)]
    ranked = [
        (len(ids & others), name == other, -min(_rank(name, _ID_WORDS), _rank(other, _ID_WORDS)), name, other)
        for name, ids in sides[0].items()
        for other, others in sides[1].items()
        if not ids.isdisjoint(others)
    ]
    if ranked:
        *_, name, other = max(ranked, key=lambda each: each[:3])
        return name, other
    named = _named(sides[0], _ID_WORDS), _named(sides[1], _ID_WORDS)
    if named == (None, None):
        return named
    return named[0] or next(iter(sides[0]), None), named[1] or next(iter(sides[1]), None)


def _unique_columns(table: Table, columns: list[str], value_words: Sequence[str]) -> dict[str, frozenset[str]]:
    """The columns that may hold ids, with their values: those called as values are not among them."""
    given = {
        name: _column(table, name)
        for name in columns
        if len(columns) > 1  # there must be values beside ids
        and (_rank(name, _ID_WORDS) < _UNKNOWN or _rank(name, value_words) == _UNKNOWN)
    }
    return {
        name: ids
        for name, values in given.items()
        if (ids := _ids(values)) and (len(values) >= _FEWEST or _rank(name, _ID_WORDS) < _UNKNOWN)
    }


def _named(columns: Iterable[str], words: Sequence[str]) -> str | None:
    """The column whose name says most clearly that it is one of these."""
    ranked = sorted((_rank(column, words), at, column) for at, column in enumerate(columns))
    return ranked[0][2] if ranked and ranked[0][0] < _UNKNOWN else None


_UNKNOWN = 1_000


def _rank(column: str, words: Sequence[str]) -> int:
    """How clearly a name is one of the words: as a whole, or by one of its words; less is clearer."""
    parts = [part.lower() for part in _WORD.findall(column)]
    whole = "".join(parts)
    if whole in words:
        return words.index(whole)
    both = [*parts, *(first + second for first, second in pairwise(parts))]
    return min((100 + words.index(part) for part in both if part in words), default=_UNKNOWN)


_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def _sample(table: Table) -> list[Any]:
    return [row for _, row in islice(table.good(), SAMPLED)]


def _column(table: Table, name: str) -> list[Any]:
    """The values of a column; None where a row has no such key."""
    return [row.get(name) if isinstance(row, dict) else None for _, row in table.good()]


def _values(table: Table, name: str | None) -> list[Any]:
    """The first values of a column, or the first rows."""
    return [row if name is None or not isinstance(row, dict) else row.get(name) for row in _sample(table)]


def _ids(values: list[Any]) -> frozenset[str]:
    """The values as text if all are texts or whole numbers that occur once; otherwise none."""
    if not values or not all(type(value) in (str, int) for value in values):
        return frozenset()
    found = frozenset(map(str, values))
    return found if len(found) == len(values) and "" not in found else frozenset()


def _answers(value: Any) -> list[Any]:
    """The acceptable answers of a cell that holds a list of them, or the value alone."""
    return value if isinstance(value, list) and value else [value]


def _is_structured(values: list[Any]) -> bool:
    """Whether the first values are objects or lists, or texts that are or hold them."""
    first = values[:_PARSED]
    return bool(first) and (all(isinstance(each, dict | list) for each in first) or _parsing(first) is not None)


def _is_json_container(text: str) -> bool:
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        loads(text)
    except ValueError:
        return False
    return True

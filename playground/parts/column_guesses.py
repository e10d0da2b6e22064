"""Guess how to read foreign files, with their columns and JSON texts, and warn about them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from docscore.core.errors import (
    Diagnostic,
    FilePlace,
    InputValueError,
    InvalidRow,
    Remedy,
    in_file,
    short_repr,
    some_of,
)
from docscore.core.options import ReadOptions
from docscore.inputs.checks import first_truths, given_predictions, is_json_document, json_mode, warnings_about_reading
from docscore.inputs.columns import with_names
from docscore.inputs.ids import pattern_that_pairs
from docscore.inputs.model_text import holds_json, is_json_container, parse_text
from docscore.inputs.rows import ANLS, BY_ID, ID, RawTable, Side, described, format_of
from docscore.inputs.test_set import TestSet

SAMPLED = 50  # rows from which columns and texts are guessed
_TRIED = 20  # texts that are parsed to see whether they hold JSON
_NEARLY_ALL = 0.9  # share of the values of a column
_MOST_COLUMNS = 20  # columns whose values are compared; those with the names of ids come first
_OF_PLACES = "evidence", "citations"  # columns that hold no values

Uniques = dict[str, frozenset[str]]

UNKNOWN = 1_000  # the rank of a name that matches none of the words

# words that name a column, clearest first; they are compared with the whole name, then with each of its words
ID_WORDS = re.findall(
    r"\w+",
    "questionid docid documentid sampleid rowid imageid fileid id uid uuid qid key document doc filename file image "
    "index",
)
TRUTH_WORDS = re.findall(
    r"\w+",
    "references reference groundtruth gt truth gold golden expected target annotation annotations label labels answers "
    "answer correct",
)
PREDICTION_WORDS = re.findall(
    r"\w+",
    "prediction predictions predictiontext predicted pred preds hypothesis output response completion generation "
    "generated extraction extracted result answer answers content",
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def columns_of(table: RawTable) -> list[str]:
    """Return the keys of the first rows of a table in the order of their occurrence; none if a row is not an object."""
    rows = _sample(table)
    if not all(isinstance(row, dict) for row in rows):
        return []
    return list(dict.fromkeys(key for row in rows for key in row))


def guessed_plan(references: RawTable | None, predictions: RawTable, others: Sequence[RawTable] = ()) -> ReadingPlan:
    """Guess how to read two files, or one file that holds both sides; a person sees the guess and may change it.

    Rows in a row format of docscore are read as usual. Otherwise, ground truths and predictions are in the only columns
    that hold JSON, or in columns with matching names; ids are in the columns whose values match best.

    Args:
        references: the rows of ground truths; None if the rows of predictions hold both.
        predictions: the rows of predictions.
        others: the rows of other systems, which are read in the same way.
    """
    return with_guessed_parsing(_guessed_columns(references, predictions), references, [predictions, *others])


def _guessed_columns(references: RawTable | None, predictions: RawTable) -> ReadingPlan:
    """Return the same plan without how to read texts."""
    first = predictions.first()
    for form in (BY_ID, ANLS):
        if references is None:
            fits = isinstance(first, dict) and {ID, *form[1:]} <= first.keys()
        else:
            fits = format_of(references.first(), "references") == format_of(first, "predictions") == form
            if format_of(references.first(), "predictions") == format_of(first, "references") == form and not fits:
                return ReadingPlan((ID, ID), form.predictions, form.references)  # files on the wrong sides
        if fits:
            return ReadingPlan((ID, ID), form.references, form.predictions, certain=True)
    if references is None:
        return _columns_of_one(predictions)
    tables = (references, columns_of(references)), (predictions, columns_of(predictions))
    ids = _id_columns(*(_unique_columns(table, names, fewest=0.6) for table, names in tables))
    rests = [[c for c in names if c not in (name, *_OF_PLACES)] for (_, names), name in zip(tables, ids, strict=True)]
    is_table = references.has_columns or predictions.has_columns
    truth, prediction = clearest_name(rests[0], TRUTH_WORDS), clearest_name(rests[1], PREDICTION_WORDS)
    holding = [
        [c for c in rests[0] if _holds_containers(_values(references, c))],
        [c for c in rests[1] if _holds_json(_values(predictions, c))],
    ]
    if is_table or (ids != (None, None) and (truth or prediction or holding[0] != holding[1])):
        fields = set(rests[0]).intersection(rests[1]).difference(*holding)  # of documents that are the whole row
        if all(holding) and not fields:
            rests = holding
        truth, prediction = (
            clearest_name(names, words)
            or next(iter(names if len(names) == 1 else [] if fields or len(held) > 1 else held), None)
            for names, held, words in zip(rests, holding, (TRUTH_WORDS, PREDICTION_WORDS), strict=True)
        )
    if truth is not None and prediction is not None and (is_table or truth != prediction):
        return ReadingPlan(ids, truth, prediction)
    if is_table:
        return ReadingPlan(ids, None, None)
    return ReadingPlan((None, None), None, None, certain=truth is None and prediction is None)


def _columns_of_one(predictions: RawTable) -> ReadingPlan:
    """Return the same plan for one file that holds both sides."""
    columns = columns_of(predictions)
    uniques = _unique_columns(predictions, columns)
    name = clearest_name(uniques, ID_WORDS)
    others = [column for column in columns if column not in (name, *_OF_PLACES)]
    holding = [column for column in others if _holds_json(_values(predictions, column))]
    others = holding if len(holding) > 1 else others
    truth = clearest_name(others, TRUTH_WORDS)
    prediction = clearest_name([column for column in others if column != truth], PREDICTION_WORDS)
    if len(holding) == 2 and (truth is None) != (prediction is None):  # noqa: PLR2004  one for each side
        truth, prediction = (
            mine or holding[holding[0] == other] for mine, other in ((truth, prediction), (prediction, truth))
        )
    if name is None and truth and prediction:
        left = [column for column in uniques if column not in (truth, prediction)]
        name = left[0] if len(left) == 1 else None
    return ReadingPlan((name, name), truth, prediction)


def _holds_containers(cells: Sequence[Any]) -> bool:
    """Return whether nearly all cells are objects or lists, or texts that hold one."""
    held = sum(isinstance(cell, dict | list) or (isinstance(cell, str) and is_json_document(cell)) for cell in cells)
    return held >= _NEARLY_ALL * len(cells) > 0


def _holds_json(cells: Sequence[Any]) -> bool:
    """Return whether most cells are objects or lists, or texts that contain one, possibly after repair."""
    tried = [cell for cell in cells if cell not in (None, "")][:_TRIED]
    return 2 * sum(isinstance(cell, dict | list) or holds_json(cell, repaired=True) for cell in tried) >= len(tried) > 0


def number_of_truth(tables: Sequence[RawTable]) -> int | None:
    """Return which of several files holds the ground truths, by columns or else file names; None if neither tells."""
    for names in (map(columns_of, tables), ([table.path.name.split(".")[0]] for table in tables)):
        leanings = list(map(_leaning, names))
        if leanings.count(max(leanings)) == 1:
            return leanings.index(max(leanings))
    return None


def _leaning(names: Sequence[str]) -> int:
    """Return how much more clearly names mean ground truths than predictions; below zero for predictions."""
    truth, prediction = (
        min((rank_of_name(name, words) for name in names), default=UNKNOWN) for words in (TRUTH_WORDS, PREDICTION_WORDS)
    )
    return prediction - truth


def with_guessed_parsing(plan: ReadingPlan, references: RawTable | None, systems: Sequence[RawTable]) -> ReadingPlan:
    """Extend the plan to read texts that hold JSON as JSON, if ground truths are objects or lists.

    The predictions of all systems are read in the same way: as JSON within other text if one of them has such text.
    """
    truths = [answer for each in _values(references or systems[0], plan.references) for answer in _answers(each)]
    guesses = [value for table in systems for value in _values(table, plan.prediction)]
    parsings = parsings_of(systems, plan)
    texts = [each for each in truths[:_TRIED] if isinstance(each, str) and is_json_document(each)]
    read = bool(texts) and len(texts) >= _NEARLY_ALL * len(truths[:_TRIED])
    structured = read or (bool(truths) and all(isinstance(each, dict | list) for each in truths))
    # a list as text may be an acceptable answer; text that holds an object is JSON whatever the predictions are
    read = read and ("{" in texts[0] or _parsing(guesses, anyhow=True) is not None)
    return plan._replace(
        parse=next((each for each in ("repair", "json") if each in parsings), None) if structured else None,
        parse_references=json_mode(texts) if read else None,
    )


def parsings_of(systems: Sequence[RawTable], plan: ReadingPlan) -> list[str | None]:
    """Return how to read the text predictions of each system; None if they contain no JSON."""
    return [_parsing(_values(table, plan.prediction)) for table in systems]


def _parsing(guesses: Sequence[Any], *, anyhow: bool = False) -> str | None:
    """Return how to read text predictions: "json" if every text is JSON, "repair" if some contain JSON.

    Args:
        guesses: predictions.
        anyhow: whether predictions that are objects or lists count as "json".
    """
    texts = [each for each in guesses if isinstance(each, str) and each.strip()][:_TRIED]
    if not texts:
        return "json" if anyhow and any(isinstance(each, dict | list) for each in guesses) else None
    if all(map(is_json_container, texts)):
        return "json"
    return "repair" if any(holds_json(each, repaired=True) for each in texts) else None


def _sample(table: RawTable) -> list[Any]:
    return [row for _, row in islice(table.good(), SAMPLED)]


def _values(table: RawTable, name: str | None) -> list[Any]:
    """Return the first values of a column, or the first rows."""
    return [row if name is None or not isinstance(row, dict) else row.get(name) for row in _sample(table)]


def _answers(value: Any) -> list[Any]:
    """Return the acceptable answers of a cell that holds a list of them, or the value alone."""
    return value if isinstance(value, list) and value else [value]


def rank_of_name(column: object, words: Sequence[str]) -> int:
    """Return how clearly one of the words names a column, as its whole name or as a part of it; lower is clearer.

    >>> rank_of_name("GroundTruth", TRUTH_WORDS), rank_of_name("model_output", PREDICTION_WORDS)
    (2, 107)
    """
    parts = [part.lower() for part in _WORD.findall(str(column))]
    whole = "".join(parts)
    if whole in words:
        return words.index(whole)
    both = [*parts, *(first + second for first, second in pairwise(parts))]
    return min((100 + words.index(part) for part in both if part in words), default=UNKNOWN)


def clearest_name(columns: Iterable[str], words: Sequence[str]) -> str | None:
    """Return the column whose name matches the words most clearly; the first if several do, None if none does."""
    name = min(columns, key=lambda column: rank_of_name(column, words), default=None)
    return None if rank_of_name(name, words) == UNKNOWN else name


def _unique_columns(table: RawTable, names: Sequence[str], *, fewest: float = 1.0) -> Uniques:
    """Return the columns that may hold ids: different texts or integers in at least the share `fewest` of the rows.

    A column with the name of a value is excluded unless its name also matches the words for ids.
    """
    if len(names) < 2:  # noqa: PLR2004  another column must hold the values
        return {}
    rows = [row for _, row in table.good() if isinstance(row, dict)]
    uniques: Uniques = {}
    for name in sorted(names, key=lambda name: rank_of_name(name, ID_WORDS))[:_MOST_COLUMNS]:
        if rank_of_name(name, [*TRUTH_WORDS, *PREDICTION_WORDS]) < UNKNOWN == rank_of_name(name, ID_WORDS):
            continue
        ids = frozenset(str(row[name]) for row in rows if type(row.get(name)) in (str, int) and row[name] != "")
        if ids and len(ids) >= fewest * len(rows):
            uniques[name] = ids
    return uniques


def _id_columns(first: Uniques, second: Uniques) -> tuple[str | None, str | None]:
    """Return the columns with the most values in common, preferring equal names; else the columns named like ids.

    At least half of the ids of the shorter column are in the other. If only one side has a column named like ids, the
    other side uses its first column of unique values.
    """
    ranked = [
        (len(ids & others), name == other, name, other)
        for name, ids in first.items()
        for other, others in second.items()
        if 2 * len(ids & others) >= min(len(ids), len(others))
    ]
    if ranked:
        return max(ranked, key=lambda row: row[:2])[2:]
    named = clearest_name(first, ID_WORDS), clearest_name(second, ID_WORDS)
    return (
        named if named == (None, None) else (named[0] or next(iter(first), None), named[1] or next(iter(second), None))
    )


class ReadingPlan(NamedTuple):
    """The plan for reading the rows of two files, or of one file that holds both sides.

    Attributes:
        ids: the id columns of the references and of the predictions; None if rows are numbered.
        references: the column of the ground truths; None if a ground truth is the whole row without its id.
        prediction: the column of the predictions; None if a prediction is the whole row without its id.
        parse: how to read text predictions as JSON, as in `ReadOptions`.
        parse_references: the same for ground truths.
        certain: whether the rows have the names of a row format, or nothing suggests that they are not documents.
        answer_is_list: whether a ground truth that is a list is the one acceptable answer.
        id_pattern: the expression for the part of an id that pairs rows; None to compare whole ids.
    """

    ids: tuple[str | None, str | None]
    references: str | None
    prediction: str | None
    parse: str | None = None
    parse_references: str | None = None
    certain: bool = False
    answer_is_list: bool = False
    id_pattern: str | None = None

    def options_of(self, side: Side) -> ReadOptions:
        """Return the columns of a side whose names differ from the row format; None for the others."""
        names = *self.ids, self.references, self.prediction
        own = ANLS if names == (ID, ID, ANLS.references, ANLS.predictions) else BY_ID
        first, second = (None if name == ID else name for name in self.ids)
        return ReadOptions(
            parse_references=self.parse_references,
            references_id_column=first if side == "references" else None,
            predictions_id_column=second if side == "predictions" else None,
            prediction_column=None if self.prediction == own.predictions else self.prediction,
            references_column=None if self.references == own.references else self.references,
            answer_is_list=self.answer_is_list,
        )


def planned_tables(
    references: RawTable | None, predictions: RawTable, plan: ReadingPlan
) -> tuple[RawTable | None, RawTable]:
    """Return the rows of both sides under the names of the row format; other columns stay.

    Args:
        references: the rows of ground truths; None if the rows of predictions hold both.
        predictions: the rows of predictions.
        plan: the content of each column.

    Raises:
        ValueError: if a column does not exist, or one file has no columns for the two sides.
    """
    if references is None:
        for name, what in ((plan.references, "ground truths"), (plan.prediction, "predictions")):
            if name is None:
                expected = f"a column with the {what}, because there is no file with ground truths"
                raise InputValueError(place=in_file(predictions.path), expected=expected, got="none")
        return None, _planned(predictions, "predictions", plan, both=True)
    is_empty = references.first() is None or predictions.first() is None
    if is_empty or (plan.certain and plan.ids == (None, None)):
        return references, predictions
    if None in plan.ids and plan.ids != (None, None):
        lacking, other = (references, predictions) if plan.ids[0] is None else (predictions, references)
        expected = f"an id column, as in {other.path.name}"
        got = next((described(row) for _, row in lacking.good()), "no rows")
        raise InputValueError(place=in_file(lacking.path), expected=expected, got=got)
    return (
        _planned(references, "references", plan, both=False),
        _planned(predictions, "predictions", plan, both=False),
    )


def _planned(table: RawTable, side: Side, plan: ReadingPlan, *, both: bool) -> RawTable:
    id_column = plan.ids[side == "predictions"]
    value = plan.references if side == "references" else plan.prediction
    if id_column is None or value is None:
        rows = [
            row if row is InvalidRow else _completed(row, str(index), side, id_column, whole=value is None)
            for index, row in enumerate(table.rows)
        ]
        table = table._replace(rows=rows)
    return with_names(table, side, plan.options_of(side), both=both)


def _completed(row: Any, number: str, side: Side, id_column: str | None, *, whole: bool) -> Any:
    """Return the row with its number as id if no column holds ids, and the whole row as its value if `whole`."""
    columns: dict[str, Any] = row if isinstance(row, dict) else {}
    named = {**columns} if columns or not whole else {}
    if id_column is None:
        named[ID] = number
    if whole:
        value = {name: cell for name, cell in columns.items() if name != id_column} if columns else row
        named["references" if side == "references" else "prediction"] = [value] if side == "references" else value
    return named if columns or whole else row


def warnings_about_ids(references: RawTable, predictions: RawTable) -> Iterator[Diagnostic]:
    """Yield a warning if no two rows have the same id; its remedy is a pattern for the part of the ids that pairs them.

    Args:
        references: rows under the names of the row format.
        predictions: rows in the same form.
    """
    sides = [
        [str(row[ID]) for _, row in table.good() if isinstance(row, dict) and ID in row]
        for table in (references, predictions)
    ]
    if all(sides) and set(sides[0]).isdisjoint(sides[1]):
        place = FilePlace((str(references.path), str(predictions.path)))
        problem = (
            f"no id is in both files: expected the same ids, got {some_of(sides[0])} in the references and "
            f"{some_of(sides[1])} in the predictions"
        )
        pattern = pattern_that_pairs(*sides)
        remedy = Remedy("to pair them by a part of the id, add {}", (("id_pattern", pattern),)) if pattern else ""
        yield Diagnostic((place,), problem=problem, remedy=remedy)


def warnings_about_columns(pairs: TestSet, plan: ReadingPlan) -> Iterator[Diagnostic]:
    """Yield warnings about the values of guessed or chosen columns, before texts are read as JSON.

    >>> pairs = TestSet(["a"], [{"total": "1"}], ["scan1.png"])
    >>> print(next(warnings_about_columns(pairs, ReadingPlan(("id", "id"), "truth", "file"))))
    column 'file': expected objects or lists as in the ground truths, got text in which no JSON was found: 'scan1.png'
    """
    given = list(islice(given_predictions(pairs), _TRIED))
    if not given:
        return
    truth_place, prediction_place = _column(plan.references), _column(plan.prediction)
    if plan.references == plan.prediction:
        both = zip(first_truths(pairs), pairs.predictions, strict=True)
        if all(truth == each for truth, each in both):
            said = "every prediction equals its ground truth; is the same file or column used for both?"
            yield Diagnostic((truth_place,), problem=said)
            return
    truths = [_read(truth, plan.parse_references) for truth in islice(first_truths(pairs), _TRIED)]
    if _names_the_other_side(plan):
        sides = f"ground truths are from {truth_place} and predictions from {prediction_place}"
        yield Diagnostic((), problem=f"{sides}: are the files swapped?")
    places = {"references": truth_place, "predictions": prediction_place}
    found = warnings_about_reading(pairs, plan.parse, plan.parse_references, **places)
    of_reading = [warning.diagnostic for warning in found]
    yield from of_reading or _of_shapes(truths, given, plan.parse, prediction_place)


def _names_the_other_side(plan: ReadingPlan) -> bool:
    """Return whether the ground truth column is named like predictions, or the prediction column like ground truths."""
    sides = (plan.references, TRUTH_WORDS, PREDICTION_WORDS), (plan.prediction, PREDICTION_WORDS, TRUTH_WORDS)
    return any(name and rank_of_name(name, others) < UNKNOWN == rank_of_name(name, own) for name, own, others in sides)


def _of_shapes(truths: Sequence[Any], given: Sequence[Any], parse: str | None, place: str) -> Iterator[Diagnostic]:
    """Yield a warning if the types or keys of ground truths and predictions cannot match."""
    expected = "objects or lists as in the ground truths"
    values = [_read(value, parse) for value in given]
    if not truths or not all(isinstance(truth, dict | list) for truth in truths):
        return
    if not any(isinstance(value, dict | list) or holds_json(value, repaired=True) for value in values):
        got = "text in which no JSON was found:" if isinstance(values[0], str) else type(values[0]).__name__
        yield Diagnostic((place,), expected, f"{got} {short_repr(given[0])}")
    elif all(isinstance(value, dict) and value for value in (*truths, *values)):
        wanted, got_keys = ([str(key) for value in side for key in value] for side in (truths, values))
        if set(wanted).isdisjoint(got_keys):
            names = " against ".join(some_of(list(dict.fromkeys(keys))) for keys in (wanted, got_keys))
            yield Diagnostic(
                (), problem=f"Ground truths and predictions share no key ({names}): the columns may be wrong."
            )


def _column(name: str | None) -> str:
    return "rows" if name is None else f"column {short_repr(name)}"


def _read(value: Any, mode: str | None) -> Any:
    """Return a text parsed as JSON, or unchanged if it is not JSON; return any other value unchanged."""
    return parse_text(value, mode).value if mode is not None and isinstance(value, str) else value

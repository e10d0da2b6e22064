"""Guess how foreign files are to be read, columns and texts that are JSON, and say what is doubtful of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, NamedTuple

from docscore.core.errors import Diagnostic, FilePlace, InputValueError, in_file, short_repr
from docscore.data.faults import FAULTY, some_of
from docscore.data.files import ColumnNames, SourceSide, Table, with_names
from docscore.data.input_warnings import doubts_of_reading, first_truths, given_predictions
from docscore.data.json_text import holds_json, is_json_container, parse_text
from docscore.data.pairing import Pairs
from docscore.data.rows import ANLS, BY_ID, ID, PLAIN, RowFormat, described, format_of

SAMPLED = 50  # rows from which columns and texts are judged
_SAME_DOCUMENT = 0.5  # share of keys that both sides have, from which rows are documents and not columns of their own


_TRIED = 20  # texts that are read to see whether they hold JSON
FEWEST_ROWS = 2  # from whose values ids are told; those of a single one say nothing
_MOST_COLUMNS = 100  # whose values are compared, those first that are called as ids
_MOST_SHARED = 2  # names on both sides: those of the columns of ids

Uniques = dict[str, frozenset[str]]

REFERENCES, PREDICTION = "references", "prediction"  # as `BY_ID` has them

UNKNOWN = 1_000  # the rank of a name that is none of the words

# words that name a column, most telling first; a name is compared as a whole, then each of its words
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
    texts = bool(truths) and all(map(is_json_container, truths[:_TRIED]))
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
    texts = [each for each in guesses if isinstance(each, str) and each.strip()][:_TRIED]
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
    if _are_rows_by_id(references, predictions):
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
    first = values[:_TRIED]
    return bool(first) and (all(isinstance(each, dict | list) for each in first) or _parsing(first) is not None)


def rank_of_name(column: object, words: Sequence[str]) -> int:
    """How clearly the name of a column is one of the words: as a whole, or by one of its words; less is clearer.

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
    """The column whose name says most clearly that it is one of the words; of equal ones the first, None if none."""
    ranked = [(rank_of_name(column, words), column) for column in columns]
    rank, name = min(ranked, key=lambda each: each[0], default=(UNKNOWN, None))
    return name if rank < UNKNOWN else None


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


def _are_rows_by_id(references: Table, predictions: Table) -> bool:
    """Whether rows without the names of the row formats are rows by id, whose columns have other names.

    They may also be the documents themselves, so that these must speak against it: a column is called as in the row
    formats and is on its own side alone; or a column of each side holds the same unique values, in any order, and no
    other column is on both sides, so that no other field of a document could be right; or most of such values are the
    same, one side alone has a column that is called as ground truths are, and the other one called as predictions are.
    """
    first, second = references.first(), predictions.first()
    if not all(isinstance(row, dict) and row for row in (first, second)):
        return False
    formats = (ANLS.references, BY_ID.references), (ANLS.prediction, BY_ID.prediction)
    own = any(
        name in row and name not in other
        for names, row, other in zip(formats, (first, second), (second, first), strict=True)
        for name in names
    )
    are_told = all(
        clearest_name(row.keys() - other.keys(), words)
        for row, other, words in ((first, second, TRUTH_WORDS), (second, first, PREDICTION_WORDS))
    )
    may_be_told = are_told or len(first.keys() & second.keys()) <= _MOST_SHARED
    if not (own or may_be_told) or not all(map(_have_same_keys, (references, predictions))):
        return False
    return own or _have_common_ids(references, predictions, are_told=are_told)


def _have_same_keys(table: Table) -> bool:
    """Whether all rows are objects with the keys of the first."""
    keys = table.first().keys()
    return all(isinstance(row, dict) and row.keys() == keys for _, row in table.good())


def _have_common_ids(references: Table, predictions: Table, *, are_told: bool) -> bool:
    """Whether columns of both sides hold the same ids, or common ones, and the other columns say that they are ids."""
    columns = [table.first().keys() for table in (references, predictions)]
    uniques = [unique_columns(table, names) for table, names in zip((references, predictions), columns, strict=True)]
    found = common_ids(uniques[0], uniques[1])
    if found is None:
        return False
    name, other, count = found
    rests = columns[0] - {name}, columns[1] - {other}
    sizes = len(uniques[0][name]), len(uniques[1][other])
    if min(sizes) < FEWEST_ROWS or not all(rests):
        return False
    return 2 * count > max(sizes) if are_told else count == max(sizes) and rests[0].isdisjoint(rests[1])


class ReadingPlan(NamedTuple):
    """How the rows of two files are read, or of one that holds both sides.

    Attributes:
        ids: the columns of the ids, of the references and of the predictions; None where rows are numbered.
        references: the column of the ground truths; None where a ground truth is the whole row without its id.
        prediction: the column of the predictions; None where a prediction is the whole row without its id.
        parse: how predictions that are text are read as JSON, as in `ScoringOptions`.
        parse_references: the same for ground truths.
        certain: whether the rows have the names of a row format, or nothing speaks against their being documents.
    """

    ids: tuple[str | None, str | None]
    references: str | None
    prediction: str | None
    parse: str | None = None
    parse_references: str | None = None
    certain: bool = False

    def names_of(self, side: SourceSide) -> ColumnNames:
        """The columns of a side whose names are not those of the row format; None for those that have them."""
        as_space = self.ids == (ID, ID) and (self.references, self.prediction) == (ANLS.references, ANLS.prediction)
        own = ANLS if as_space else BY_ID
        id_column = self.ids[side == "predictions"]
        return ColumnNames(
            None if id_column == ID else id_column,
            None if self.prediction == own.prediction else self.prediction,
            None if self.references == own.references else self.references,
            self.parse_references is not None,
        )


def planned_tables(references: Table | None, predictions: Table, plan: ReadingPlan) -> tuple[Table | None, Table]:
    """The rows of both sides under the names of the row format; their other columns stay.

    Args:
        references: the rows of ground truths; None where the rows of predictions hold both.
        predictions: the rows of predictions.
        plan: which columns hold what.

    Raises:
        ValueError: for a column that does not exist, and for one file without columns for the two sides.
    """
    if references is None:
        for name, what in ((plan.references, "ground truths"), (plan.prediction, "predictions")):
            if name is None:
                expected = f"a column of {what}, as no other file was given"
                raise InputValueError(place=in_file(predictions.path), expected=expected, got="none")
        return None, _planned(predictions, "predictions", plan, both=True)
    is_empty = references.first() is None or predictions.first() is None
    if is_empty or (plan.certain and plan.ids == (None, None)):
        return references, predictions
    if None in plan.ids and plan.ids != (None, None):
        lacking, other = (references, predictions) if plan.ids[0] is None else (predictions, references)
        expected = f"a column of ids, as {other.path.name} has one"
        raise InputValueError(place=in_file(lacking.path), expected=expected, got=_described_first(lacking))
    return (
        _planned(references, "references", plan, both=False),
        _planned(predictions, "predictions", plan, both=False),
    )


def _described_first(table: Table) -> str:
    """The first row in a few words."""
    return next((described(row) for _, row in table.good()), "no rows")


def _planned(table: Table, side: SourceSide, plan: ReadingPlan, *, both: bool) -> Table:
    id_column = plan.ids[side == "predictions"]
    value = plan.references if side == "references" else plan.prediction
    if id_column is None or value is None:
        rows = [
            row if row is FAULTY else _completed(row, str(index), side, id_column, whole=value is None)
            for index, row in enumerate(table.rows)
        ]
        table = table._replace(rows=rows)
    return with_names(table, side, plan.names_of(side), both=both)


def _completed(row: Any, number: str, side: SourceSide, id_column: str | None, *, whole: bool) -> Any:
    """The row with its number as id where no column holds ids, and as a value of its own where no column holds it."""
    columns: dict[str, Any] = row if isinstance(row, dict) else {}
    found = {**columns} if columns or not whole else {}
    if id_column is None:
        found[ID] = number
    if whole:
        value = {name: cell for name, cell in columns.items() if name != id_column} if columns else row
        found[REFERENCES if side == "references" else PREDICTION] = [value] if side == "references" else value
    return found if columns or whole else row


def doubts_of_ids(references: Table, predictions: Table) -> Iterator[Diagnostic]:
    """What is doubtful of rows by id: that no two have the same.

    Args:
        references: rows under the names of the row format.
        predictions: the same.
    """
    sides = [
        [str(row[ID]) for _, row in table.good() if isinstance(row, dict) and ID in row]
        for table in (references, predictions)
    ]
    if all(sides) and set(sides[0]).isdisjoint(sides[1]):
        place = FilePlace((str(references.path), str(predictions.path)))
        problem = (
            f"all ids differ: expected ids that both sides have, got {some_of(sides[0])} in the references and "
            f"{some_of(sides[1])} in the predictions"
        )
        yield Diagnostic((place,), problem=problem)


def doubts_of_columns(pairs: Pairs, plan: ReadingPlan) -> Iterator[Diagnostic]:
    """What is doubtful of the values of columns that were guessed or chosen, before texts are read as JSON.

    >>> pairs = Pairs(["a"], [{"total": "1"}], ["scan1.png"])
    >>> print(next(doubts_of_columns(pairs, ReadingPlan(("id", "id"), "truth", "file"))))
    column 'file': expected objects or lists as in the ground truths, got text in which no JSON was found: 'scan1.png'
    """
    given = list(islice(given_predictions(pairs), _TRIED))
    if not given:
        return
    truth_place, prediction_place = _column(plan.references), _column(plan.prediction)
    if plan.references is not None and plan.references == plan.prediction:
        both = zip(first_truths(pairs), pairs.predictions, strict=True)
        if all(truth == each for truth, each in both):
            problem = "every ground truth is the same as its prediction; is it the same column?"
            yield Diagnostic((truth_place,), problem=problem)
    truths = list(islice(first_truths(pairs), _TRIED))
    if plan.parse_references:
        unread = next((truth for truth in truths if _is_unread(truth, "json")), None)
        if unread is not None:
            yield Diagnostic((truth_place,), "JSON text", short_repr(unread))
        truths = [_read(truth, "json") for truth in truths]
    places = {"references": truth_place, "predictions": prediction_place}
    of_reading = list(doubts_of_reading(pairs, plan.parse, plan.parse_references, **places))
    yield from of_reading or _of_shapes(truths, given, plan.parse, prediction_place)


def _of_shapes(truths: Sequence[Any], given: Sequence[Any], parse: str | None, place: str) -> Iterator[Diagnostic]:
    """What says that ground truths and predictions cannot match."""
    expected = "objects or lists as in the ground truths"
    are_structured = all(isinstance(each, dict | list) for each in truths)
    if are_structured and all(isinstance(each, str) for each in given):
        if not any(holds_json(each, mended=True) for each in given):
            got = f"text in which no JSON was found: {short_repr(given[0])}"
            yield Diagnostic((place,), expected, got)
            return
        unread = [each for each in given if parse is not None and _is_unread(each, parse)]
        if len(unread) > len(given) // 2:
            count = f"{len(unread)} of the first {len(given)} predictions are"
            problem = f"{count} not read as JSON and are compared as text: {short_repr(unread[0])}"
            yield Diagnostic((place,), problem=problem)
    values = [_read(each, parse) for each in given]
    if truths and all(isinstance(each, dict) and each for each in (*truths, *values)):
        wanted, found = ({str(key): None for each in side for key in each} for side in (truths, values))
        if wanted.keys().isdisjoint(found):
            problem = (
                f"no key of a prediction is one of a ground truth: expected {some_of(list(wanted))}, "
                f"got {some_of(list(found))}"
            )
            yield Diagnostic((place,), problem=problem)
    elif are_structured and not any(isinstance(each, dict | list | str) for each in values):
        yield Diagnostic((place,), expected, f"{type(values[0]).__name__} {short_repr(values[0])}")


def _column(name: str | None) -> str:
    return "rows" if name is None else f"column {short_repr(name)}"


def _is_unread(value: Any, mode: str) -> bool:
    """Whether it is text in which no object or list is found."""
    return isinstance(value, str) and not isinstance(_read(value, mode), dict | list)


def _read(value: Any, mode: str | None) -> Any:
    """A text as it is read as JSON, itself if it is none; any other value as it is."""
    return parse_text(value, mode).value if mode is not None and isinstance(value, str) else value

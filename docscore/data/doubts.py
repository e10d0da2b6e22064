"""Signs, seen before scoring, that rows are read in another way than they are meant, each with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from docscore.core.errors import Diagnostic, FilePlace, short_repr
from docscore.core.options import AS_TEXT
from docscore.data.faults import some_of
from docscore.data.files import Table
from docscore.data.model_output import holds_json, is_json_container, parse_text
from docscore.data.pairing import Pairs
from docscore.data.reading_plans import ReadingPlan
from docscore.data.rows import ID

_TRIED = 20  # texts that are read to see whether they hold JSON


def doubts_of_reading(
    pairs: Pairs,
    parse: str | None,
    parse_references: str | None,
    *,
    references: str = "references",
    predictions: str = "predictions",
) -> Iterator[Diagnostic]:
    """What is doubtful of all rows of a test set, before texts are read as JSON.

    Args:
        pairs: the rows as they were given; where one of them is as it should be, no further one is looked at.
        parse: how predictions that are text are to be read, as in `ScoringOptions`.
        parse_references: the same for ground truths.
        references: the place of the ground truths in the sentences.
        predictions: the place of the predictions.

    >>> pairs = Pairs(["a"], [{"total": "1"}], ['{"total": "1"}'])
    >>> print(next(doubts_of_reading(pairs, None, None)))
    predictions: all are text that holds JSON, which never matches ground truths that are objects or lists; \
parse="json" or parse="repair" (--parse) reads it
    """
    if len(pairs.absent) == len(pairs.ids) or parse == AS_TEXT:
        return
    # each of these passes ends with the first row that is as it should be
    if (
        parse is None
        and all(_is_container(each) or (parse_references and is_json_container(each)) for each in _truths(pairs))
        and _hold_json(pairs)
    ):
        problem = "all are text that holds JSON, which never matches ground truths that are objects or lists"
        remedy = 'parse="json" or parse="repair" (--parse) reads it'
        yield Diagnostic((predictions,), problem=problem, remedy=remedy)
    if (
        parse_references is None
        and all(map(_is_json_text, pairs.truths))
        and (parse is not None or not _all(_given(pairs), str) or _hold_json(pairs))
    ):
        problem = "all are text that is JSON, and is compared as text"
        remedy = 'parse_references="json" (--parse-references json) reads it'
        yield Diagnostic((references,), problem=problem, remedy=remedy)
    if all(map(_is_one_object, _truths(pairs))) and _all(_given(pairs), dict):
        problem = "all are lists of one object, which never match predictions that are objects"
        remedy = 'a list of acceptable answers needs rows by id, {"question_id": ..., "references": [...]}'
        yield Diagnostic((references,), problem=problem, remedy=remedy)


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
    given = list(islice(_given(pairs), _TRIED))
    if not given:
        return
    truth_place, prediction_place = _column(plan.references), _column(plan.prediction)
    if plan.references is not None and plan.references == plan.prediction:
        both = zip(_truths(pairs), pairs.predictions, strict=True)
        if all(truth == each for truth, each in both):
            problem = "every ground truth is the same as its prediction; is it the same column?"
            yield Diagnostic((truth_place,), problem=problem)
    truths = list(islice(_truths(pairs), _TRIED))
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
    are_structured = all(map(_is_container, truths))
    if are_structured and _all(given, str):
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


def _truths(pairs: Pairs) -> Iterator[Any]:
    """The ground truths; of several acceptable answers the first."""
    return (each[0] if isinstance(each, tuple) and each else each for each in pairs.truths)


def _given(pairs: Pairs) -> Iterator[Any]:
    """The predictions that are not missing."""
    return (each for number, each in enumerate(pairs.predictions) if number not in pairs.absent)


def _all(values: Iterator[Any] | Sequence[Any], kind: type) -> bool:
    return all(isinstance(each, kind) for each in values)


def _hold_json(pairs: Pairs) -> bool:
    """Whether all predictions are text, and JSON is in some of the first."""
    return _all(_given(pairs), str) and any(map(holds_json, islice(_given(pairs), _TRIED)))


def _column(name: str | None) -> str:
    return "rows" if name is None else f"column {short_repr(name)}"


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_one_object(value: Any) -> bool:
    """Whether it is a list of one object."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)


def _is_json_text(truth: Any) -> bool:
    """Whether it is text, or a one-of of texts, that is a JSON object or list."""
    return all(map(is_json_container, truth if isinstance(truth, tuple) else (truth,)))


def _is_unread(value: Any, mode: str) -> bool:
    """Whether it is text in which no object or list is found."""
    return isinstance(value, str) and not _is_container(_read(value, mode))


def _read(value: Any, mode: str | None) -> Any:
    """A text as it is read as JSON, itself if it is none; any other value as it is."""
    return parse_text(value, mode).value if mode is not None and isinstance(value, str) else value

"""Signs, seen before scoring, that rows were read in a way that gives a score of nonsense, each as a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from docscore.core.errors import FilePlace, short_repr
from docscore.data.faults import NAMED
from docscore.data.files import Table
from docscore.data.json_codec import JsonError, loads
from docscore.data.model_output import parse_text
from docscore.data.pairing import Pairs
from docscore.data.reading_plans import ReadingPlan
from docscore.data.rows import ID

_TRIED = 20  # texts that are read to see whether they hold JSON


def doubts_of_ids(references: Table, predictions: Table) -> Iterator[str]:
    """The sentence on rows by id of which no two have the same.

    Args:
        references: rows under the names of the row format.
        predictions: the same.
    """
    sides = [
        [str(row[ID]) for _, row in table.good() if isinstance(row, dict) and ID in row]
        for table in (references, predictions)
    ]
    if all(sides) and set(sides[0]).isdisjoint(sides[1]):
        place = FilePlace((str(references.path), str(predictions.path))).without_folders()
        yield (
            f"{place}: all ids differ: expected ids that both sides have, got {_some(sides[0])} in the references and "
            f"{_some(sides[1])} in the predictions"
        )


def doubts_of_values(pairs: Pairs, plan: ReadingPlan) -> Iterator[str]:
    """The sentences on paired values, before texts are read as JSON.

    >>> pairs = Pairs(["a"], [{"total": "1"}], ["scan1.png"])
    >>> next(doubts_of_values(pairs, ReadingPlan(("id", "id"), "truth", "file")))
    "column 'file': expected objects or lists as in the ground truths, got text in which no JSON was found: 'scan1.png'"
    """
    present = (each for number, each in enumerate(pairs.predictions) if number not in pairs.absent)
    given = list(islice(present, _TRIED))
    if not given:
        return
    if plan.references is not None and plan.references == plan.prediction:
        both = zip(pairs.truths, pairs.predictions, strict=True)
        is_same = all(_only(truth) == each for truth, each in both)
        same = "every ground truth is the same as its prediction; is it the same column?"
        yield from [f"{_column(plan.references)}: {same}"] if is_same else []
    truths = [_only(truth) for truth in islice(pairs.truths, _TRIED)]
    if plan.parse_references:
        unread = next((truth for truth in truths if _unread(truth, "json")), None)
        if unread is not None:
            yield f"{_column(plan.references)}: expected JSON text, got {short_repr(unread)}"
        truths = [_read(truth, "json") for truth in truths]
    yield from _of_shapes(truths, given, plan)


def _of_shapes(truths: list[Any], given: list[Any], plan: ReadingPlan) -> Iterator[str]:
    """The sentences on ground truths and predictions that cannot match."""
    column = _column(plan.prediction)
    if all(map(_is_container, truths)) and all(isinstance(each, str) for each in given):
        if all(_unread(each, "repair") for each in given):
            expected = "expected objects or lists as in the ground truths"
            yield f"{column}: {expected}, got text in which no JSON was found: {short_repr(given[0])}"
            return
        if plan.parse is None:
            yield (
                f"{column}: predictions are text where ground truths are objects or lists, which never match; they "
                "hold JSON, and can be read as such"
            )
            return
        unread = [each for each in given if _unread(each, plan.parse)]
        if len(unread) > len(given) // 2:
            count = f"{len(unread)} of the first {len(given)} predictions are"
            yield f"{column}: {count} not read as JSON and are compared as text: {short_repr(unread[0])}"
    if (
        plan.parse_references is None
        and all(map(_is_json_text, truths))
        and not all(isinstance(each, str) and plan.parse is None for each in given)
    ):
        yield f"{_column(plan.references)}: ground truths are text that is JSON, and are not read as JSON"
        return
    values = [_read(each, plan.parse) for each in given]
    if truths and all(isinstance(each, dict) and each for each in (*truths, *values)):
        wanted, found = ({str(key): None for each in side for key in each} for side in (truths, values))
        if wanted.keys().isdisjoint(found):
            yield (
                f"{column}: no key of a prediction is one of a ground truth: expected {_some(list(wanted))}, "
                f"got {_some(list(found))}"
            )
    elif all(map(_is_container, truths)) and not any(isinstance(each, dict | list | str) for each in values):
        expected = "expected objects or lists as in the ground truths"
        yield f"{column}: {expected}, got {type(values[0]).__name__} {short_repr(values[0])}"


def _only(truth: Any) -> Any:
    """The first acceptable answer."""
    return truth[0] if isinstance(truth, tuple) and truth else truth


def _column(name: str | None) -> str:
    return "rows" if name is None else f"column {short_repr(name)}"


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_json_text(truth: Any) -> bool:
    return isinstance(truth, str) and truth.lstrip()[:1] in ("{", "[") and not _unread(truth, "json")


def _unread(value: Any, mode: str) -> bool:
    """Whether it is text in which no object or list is found."""
    return isinstance(value, str) and not _is_container(_read(value, mode))


def _read(value: Any, mode: str | None) -> Any:
    if mode is None or not isinstance(value, str):
        return value
    if mode == "json":
        try:
            return loads(value)
        except JsonError:
            return value
    return parse_text(value, mode).value


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(map(short_repr, names[:NAMED])) + more

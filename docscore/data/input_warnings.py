"""Signs, seen before scoring, that rows are read in another way than they are meant, each with its remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from docscore.core.errors import Diagnostic
from docscore.core.options import AS_TEXT
from docscore.data.json_text import holds_json, is_json_container
from docscore.data.pairing import Pairs

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
        and all(_is_container(each) or (parse_references and is_json_container(each)) for each in first_truths(pairs))
        and _hold_json(pairs)
    ):
        problem = "all are text that holds JSON, which never matches ground truths that are objects or lists"
        remedy = 'parse="json" or parse="repair" (--parse) reads it'
        yield Diagnostic((predictions,), problem=problem, remedy=remedy)
    if (
        parse_references is None
        and all(map(_is_json_text, pairs.truths))
        and (parse is not None or not _all(given_predictions(pairs), str) or _hold_json(pairs))
    ):
        problem = "all are text that is JSON, and is compared as text"
        remedy = 'parse_references="json" (--parse-references json) reads it'
        yield Diagnostic((references,), problem=problem, remedy=remedy)
    if all(map(_is_one_object, first_truths(pairs))) and _all(given_predictions(pairs), dict):
        problem = "all are lists of one object, which never match predictions that are objects"
        remedy = 'a list of acceptable answers needs rows by id, {"question_id": ..., "references": [...]}'
        yield Diagnostic((references,), problem=problem, remedy=remedy)


def first_truths(pairs: Pairs) -> Iterator[Any]:
    """The ground truths; of several acceptable answers the first."""
    return (each[0] if isinstance(each, tuple) and each else each for each in pairs.truths)


def given_predictions(pairs: Pairs) -> Iterator[Any]:
    """The predictions that are not missing."""
    return (each for number, each in enumerate(pairs.predictions) if number not in pairs.absent)


def _all(values: Iterator[Any] | Sequence[Any], kind: type) -> bool:
    return all(isinstance(each, kind) for each in values)


def _hold_json(pairs: Pairs) -> bool:
    """Whether all predictions are text, and JSON is in some of the first."""
    return _all(given_predictions(pairs), str) and any(map(holds_json, islice(given_predictions(pairs), _TRIED)))


def _is_container(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_one_object(value: Any) -> bool:
    """Whether it is a list of one object."""
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict)


def _is_json_text(truth: Any) -> bool:
    """Whether it is text, or a one-of of texts, that is a JSON object or list."""
    return all(map(is_json_container, truth if isinstance(truth, tuple) else (truth,)))

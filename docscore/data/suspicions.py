"""Signs that rows are read in another way than they are meant, each as a sentence that names the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from docscore.core.options import ScoringOptions
from docscore.data.json_codec import loads
from docscore.data.model_output import parse_text
from docscore.data.pairing import Pairs

_TRIED = 20  # texts that are read to see whether they hold JSON


def suspicions(pairs: Pairs, options: ScoringOptions) -> Iterator[str]:
    """The sentences on rows as they were given, before texts are read as JSON.

    >>> pairs = Pairs(["a"], [{"total": "1"}], ['{"total": "1"}'])
    >>> next(suspicions(pairs, ScoringOptions()))
    'all predictions are text where objects are expected; parse="json" or parse="repair" (--parse) reads them as JSON'
    """
    if len(pairs.absent) == len(pairs.ids):
        return
    # each of these passes ends with the first row that is as it should be
    if (
        options.parse is None
        and _all(_truths(pairs), dict)
        and _all(_given(pairs), str)
        and any(map(_holds_json, islice(_given(pairs), _TRIED)))
    ):
        yield (
            'all predictions are text where objects are expected; parse="json" or parse="repair" (--parse) reads them '
            "as JSON"
        )
    if (
        options.parse_references is None
        and all(map(_is_json_text, pairs.truths))
        and not (options.parse is None and _all(_given(pairs), str))
    ):
        yield (
            "all references are text that looks like JSON, and parse reads predictions only; "
            'parse_references="json" (--parse-references json) reads them'
        )
    if all(isinstance(each, list) and len(each) == 1 and isinstance(each[0], dict) for each in _truths(pairs)) and _all(
        _given(pairs), dict
    ):
        yield (
            "all references are lists of one object, and all predictions objects, which never match; a list of "
            'acceptable answers needs rows by id, {"question_id": ..., "references": [...]}'
        )


def _truths(pairs: Pairs) -> Iterator[Any]:
    return map(_only_answer, pairs.truths)


def _given(pairs: Pairs) -> Iterator[Any]:
    """The predictions that are not missing."""
    return (each for number, each in enumerate(pairs.predictions) if number not in pairs.absent)


def _only_answer(truth: Any) -> Any:
    """The one acceptable answer; of several the first."""
    return truth[0] if isinstance(truth, tuple) and truth else truth


def _all(values: Iterator[Any], kind: type) -> bool:
    return all(isinstance(each, kind) for each in values)


def _is_json_text(truth: Any) -> bool:
    """Whether it is text, or a one-of of texts, that is a JSON object or list."""
    answers = truth if isinstance(truth, tuple) else (truth,)
    return all(isinstance(answer, str) and answer.lstrip()[:1] in ("{", "[") and _is_json(answer) for answer in answers)


def _holds_json(text: str) -> bool:
    """Whether an object or a list stands in the text as it is."""
    found = parse_text(text, "repair")
    return found.outcome in ("exact", "extracted") and isinstance(found.value, dict | list)


def _is_json(text: str) -> bool:
    try:
        loads(text)
    except ValueError:
        return False
    return True

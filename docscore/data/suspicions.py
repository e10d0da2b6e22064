"""Signs that rows are read in another way than they are meant, each as a sentence that names the remedy."""

from __future__ import annotations

from collections.abc import Iterator
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
    truths = [_only_answer(truth) for truth in pairs.truths]
    given = [each for number, each in enumerate(pairs.predictions) if number not in pairs.absent]
    if not given:
        return
    if options.parse is None and _all(given, str) and _all(truths, dict) and any(map(_holds_json, given[:_TRIED])):
        yield (
            'all predictions are text where objects are expected; parse="json" or parse="repair" (--parse) reads them '
            "as JSON"
        )
    as_text = options.parse is None and _all(given, str)
    if options.parse_references is None and not as_text and all(map(_is_json_text, pairs.truths)):
        yield (
            "all references are text that looks like JSON, and parse reads predictions only; "
            'parse_references="json" (--parse-references json) reads them'
        )
    if (
        _all(truths, list)
        and all(len(each) == 1 and isinstance(each[0], dict) for each in truths)
        and _all(given, dict)
    ):
        yield (
            "all references are lists of one object, and all predictions objects, which never match; a list of "
            'acceptable answers needs rows by id, {"question_id": ..., "references": [...]}'
        )


def _only_answer(truth: Any) -> Any:
    """The one acceptable answer; of several the first."""
    return truth[0] if isinstance(truth, tuple) and truth else truth


def _all(values: list[Any], kind: type) -> bool:
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

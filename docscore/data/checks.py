"""Paired rows made ready for scoring: texts read as JSON, confidences taken out, warnings of what looks wrong."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any

from docscore.core.errors import Diagnostic, InputValueError, at_place, closer, row_place, short_repr, some_of
from docscore.core.options import AS_TEXT, SchemaSource, ScoringOptions
from docscore.core.runtime import level_of_caller
from docscore.core.values import ONE_OF, Value, convert_ground_truth, places_in
from docscore.data.json_text import Parsed, holds_json, is_json_container, parse_reference, parse_text
from docscore.data.pairing import Pairs

_LOOKED_AT = 100  # texts of each side that tell whether they are JSON


def warn_of_copies(sides: Sequence[Pairs], names: Sequence[str]) -> None:
    """Warn of predictions, of runs or of systems, that are the same as those before, on at least two documents."""
    for index, pairs in enumerate(sides):
        same = next((known for known in range(index) if sides[known].predictions == pairs.predictions), None)
        if same is not None and len(pairs.ids) > 1:
            sentence = f"{names[same]} and {names[index]} have the same predictions, as if one were a copy of the other"
            warnings.warn(sentence, UserWarning, stacklevel=level_of_caller())


def refuse_json_text(truths: Iterable[Any], predictions: Iterable[Any], options: ScoringOptions) -> None:
    """Raise `ValueError` where the texts of both sides are JSON, and no option says how they are read.

    The edit distance of two raw JSON texts counts braces, quotes and key names: it is not a score of the documents. Of
    each side the first 100 texts that are not empty are looked at, those of acceptable answers among them. All of the
    ground truths must be objects or lists, and one of the predictions must hold one, also in prose or a fence.
    """
    if options.parse is not None or options.parse_references is not None:
        return
    wanted, given = (list(islice(_texts(side), _LOOKED_AT)) for side in (truths, predictions))
    if not wanted or not all(map(is_json_container, wanted)) or not any(map(holds_json, given)):
        return
    mode = "json" if all(map(is_json_container, given)) else "repair"
    raise InputValueError(
        place="references and predictions",
        problem="their texts are JSON, which would be compared character by character",
        remedy=f'--parse {mode} --parse-references json (parse="{mode}", parse_references="json") read them; --parse '
        'text (parse="text") compares them as they are',
    )


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """The texts among values, and among their acceptable answers, that are not empty."""
    for value in values:
        if isinstance(value, tuple):
            yield from _texts(value)
        elif isinstance(value, str) and value.strip():
            yield value


VALUE, CONFIDENCE_KEY = "$value", "$confidence"


def unwrapped(prediction: Any) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, in the same shape; None where a value has none.

    Raises:
        ValueError: for an object with `$value` and other keys than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, dict):
        if VALUE in prediction:
            others = prediction.keys() - {VALUE, CONFIDENCE_KEY}
            if others:
                got = f"{short_repr(min(others, key=str))} beside them"
                raise InputValueError(expected=f"{VALUE!r} and {CONFIDENCE_KEY!r} alone in their object", got=got)
            return prediction[VALUE], prediction.get(CONFIDENCE_KEY)
        parts = {key: unwrapped(item) for key, item in prediction.items()}
        values = {key: value for key, (value, _) in parts.items()}
        return values, {key: confidence for key, (_, confidence) in parts.items()}
    if isinstance(prediction, list):
        pairs = [unwrapped(item) for item in prediction]
        return [value for value, _ in pairs], [confidence for _, confidence in pairs]
    return prediction, None


def is_wrapped(prediction: Any) -> bool:
    """Whether a value at the first two levels has a confidence."""
    inside = prediction.values() if isinstance(prediction, dict) else ()
    return any(isinstance(each, dict) and VALUE in each and CONFIDENCE_KEY in each for each in (prediction, *inside))


def with_confidences(pairs: Pairs) -> Pairs:
    """Move the confidences out of the predictions; those that a row has under "confidence" take precedence.

    Raises:
        ValueError: naming the row.
    """
    of_rows = repeat(None, len(pairs.ids)) if pairs.confidences is None else pairs.confidences
    both = list(map(_unwrapped_row, pairs.ids, pairs.predictions, of_rows))
    return pairs._replace(predictions=[value for value, _ in both], confidences=[each for _, each in both])


def _unwrapped_row(name: str, prediction: Any, of_row: Any) -> tuple[Any, Any]:
    """The values of a prediction and their confidences; raises `ValueError` naming the row."""
    try:
        value, confidence = unwrapped(prediction)
    except ValueError as error:
        raise at_place(row_place(name), error) from None
    return value, confidence if of_row is None else of_row


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
    predictions: 1 of 1 are text where the ground truth is an object or a list, which text never matches; that of 'a' \
holds JSON; parse="json" or parse="repair" (--parse) reads it
    """
    count = len(pairs.predictions) - len(pairs.absent)
    if not count or parse == AS_TEXT:
        return
    if parse is None:
        texts = [
            (name, guess)
            for name, truth, guess in zip(pairs.ids, first_truths(pairs), pairs.predictions, strict=True)
            if type(guess) is str
            and (isinstance(truth, dict | list) or (parse_references and is_json_container(truth)))
        ]
        likely = (each for each in texts if "{" in each[1] or "[" in each[1])
        example = next((name for name, text in islice(likely, _TRIED) if holds_json(text)), None)
        if example is not None:
            problem = (
                f"{len(texts):,} of {count:,} are text where the ground truth is an object or a list, which text never "
                f"matches; that of {short_repr(example)} holds JSON"
            )
            remedy = 'parse="json" or parse="repair" (--parse) reads it'
            yield Diagnostic((predictions,), problem=problem, remedy=remedy)
    # each of these passes ends with the first row that is as it should be
    if (
        parse_references is None
        and all(
            is_json_container(answer)
            for truth in pairs.truths
            for answer in (truth if isinstance(truth, tuple) else (truth,))
        )
        and (parse is not None or not all(isinstance(each, str) for each in given_predictions(pairs)))
    ):
        problem = "all are text that is JSON, and is compared as text"
        remedy = 'parse_references="json" (--parse-references json) reads it'
        yield Diagnostic((references,), problem=problem, remedy=remedy)
    lists = (isinstance(each, list) and len(each) == 1 and isinstance(each[0], dict) for each in first_truths(pairs))
    if all(lists) and all(isinstance(each, dict) for each in given_predictions(pairs)):
        problem = "all are lists of one object, which never match predictions that are objects"
        remedy = 'a list of acceptable answers needs rows by id, {"question_id": ..., "references": [...]}'
        yield Diagnostic((references,), problem=problem, remedy=remedy)


def doubts_of_values(pairs: Pairs, *, with_confidences: bool) -> Iterator[Diagnostic]:
    """What is doubtful of the values of a test set, after texts were read as JSON.

    Args:
        pairs: the rows.
        with_confidences: whether confidences are taken out of the predictions.

    >>> print(next(doubts_of_values(Pairs(["a"], [{"total": ("1", "")}], [{}]), with_confidences=False)))
    references: 1 of 1 accept a missing value, such as that of 'a': a text among their acceptable answers is empty
    """
    first = range(min(_LOOKED_AT, len(pairs.ids)))
    truths = (pairs.truths[number] for number in first)  # by id, one acceptable answer is a one-of too
    of_truths = any(_has_one_of(each[0] if type(each) is tuple and len(each) == 1 else each) for each in truths)
    if not of_truths and any(_has_one_of(pairs.predictions[number]) for number in first):
        problem = f"they have {ONE_OF!r}, which only ground truths have; the two sides may be swapped"
        yield Diagnostic(("predictions",), problem=problem)
    if not with_confidences and any(map(is_wrapped, pairs.predictions)):
        problem = "they hold $value and $confidence, and are scored with both"
        remedy = "with_confidences=True (--with-confidences) takes the values out of them"
        yield Diagnostic(("predictions",), problem=problem, remedy=remedy)
    empty = [
        name
        for name, truth in zip(pairs.ids, pairs.truths, strict=True)
        if any(type(part) is tuple and "" in part for part in _containers_in(truth))
    ]
    if empty:
        problem = (
            f"{len(empty):,} of {len(pairs.ids):,} accept a missing value, such as that of {short_repr(empty[0])}: a "
            "text among their acceptable answers is empty"
        )
        yield Diagnostic(("references",), problem=problem)


def doubts_of_schema(truths: Iterable[Value], schema: SchemaSource) -> Iterator[Diagnostic]:
    """Fields whose comparison the schema sets and that no ground truth has, such as those with a misspelt name."""
    lacking = dict.fromkeys(schema.compared_fields())
    for truth in truths:
        if not lacking:
            return
        for path, _ in places_in(truth):
            lacking.pop(path, None)
    names = [path.removeprefix(".") for path in lacking]
    if names:
        problem = f"no ground truth has {some_of(names)}, whose comparison it sets"
        yield Diagnostic(("schema",), problem=problem)


def _containers_in(value: Any) -> list[Any]:
    """The objects, lists and one-ofs in a value, itself among them."""
    found = [value] if type(value) in _CONTAINERS else []
    for part in found:  # what is found in it is appended, and visited too
        found += [item for item in (part.values() if type(part) is dict else part) if type(item) in _CONTAINERS]
    return found


def _has_one_of(value: Any) -> bool:
    """Whether a value has a one-of at any depth, also as JSON spells it, which it stays in a prediction."""
    return any(
        type(part) is tuple or (type(part) is dict and part.keys() == {ONE_OF}) for part in _containers_in(value)
    )


_CONTAINERS = frozenset((dict, list, tuple))


def first_truths(pairs: Pairs) -> Iterator[Any]:
    """The ground truths; of several acceptable answers the first."""
    return (each[0] if isinstance(each, tuple) and each else each for each in pairs.truths)


def given_predictions(pairs: Pairs) -> Iterator[Any]:
    """The predictions that are not missing."""
    return (each for number, each in enumerate(pairs.predictions) if number not in pairs.absent)


def read_texts(pairs: Pairs, options: ScoringOptions) -> tuple[Pairs, dict[int, Parsed], list[str]]:
    """Read the texts of rows as JSON, where the options say so, and take the values out of those with confidences.

    Returns:
        The rows as they are scored; how the text of each prediction was read, by the number of its row; and what is
        doubtful of the rows, in sentences that were warnings too.

    Raises:
        TypeError, ValueError: for texts that are JSON on both sides where no option says how they are read, and for a
            reference that is no JSON, naming its row.
    """
    refuse_json_text(pairs.truths, pairs.predictions, options)
    doubts = list(doubts_of_reading(pairs, options.parse, options.parse_references))
    if options.parse_references:
        pairs = pairs._replace(truths=list(map(parsed_reference, pairs.ids, pairs.truths)))
    readings: dict[int, Parsed] = {}
    if options.parse_mode is not None:
        predictions, readings = parse_predictions(pairs.predictions, pairs.truths, options.parse_mode)
        pairs = pairs._replace(predictions=predictions)
    doubts += doubts_of_values(pairs, with_confidences=options.with_confidences)
    if options.schema is not None:
        doubts += doubts_of_schema(pairs.truths, options.schema)
    for doubt in doubts:
        warnings.warn(str(doubt), UserWarning, stacklevel=level_of_caller())
    pairs = with_confidences(pairs) if options.with_confidences else pairs._replace(confidences=None)
    return pairs, readings, list(map(str, doubts))


def parsed_reference(name: str, truth: Any) -> Any:
    """The ground truth of a row with its texts read as JSON.

    Args:
        name: the id of the row.
        truth: the ground truth; a tuple holds acceptable answers.

    Raises:
        TypeError, ValueError: for a text that is not JSON as a whole or cannot be scored, naming the row.
    """
    try:
        return convert_ground_truth(parse_reference(truth))
    except ValueError as error:
        raise at_place(closer(row_place(name), "an answer"), error) from None


def parse_predictions(
    predictions: Sequence[Any], truths: Sequence[Any], mode: str
) -> tuple[list[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    readings: dict[int, Parsed] = {}

    values = list(predictions)
    for number, prediction in enumerate(values):
        if type(prediction) is str:  # and not the digits of a number
            parsed = parse_text(prediction, mode, truths[number])
            values[number], readings[number] = parsed.value, parsed._replace(value=None)
    return values, readings

"""Make paired rows ready for scoring: read texts as JSON, take confidences out, warn of what looks wrong."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any

from docscore.core.errors import Diagnostic, InputValueError, at_place, row_place, short_repr
from docscore.core.options import AS_TEXT, ScoringOptions
from docscore.core.runtime import Progress, no_progress, warn
from docscore.core.similarity import without_case
from docscore.core.values import ONE_OF
from docscore.data.json_text import Parsed, holds_json, is_json_container, parse_predictions, parsed_reference
from docscore.data.pairing import Pairs

VALUE, CONFIDENCE = "$value", "$confidence"  # the keys of a predicted value with its confidence
_EXAMINED = 100  # rows or texts of each side that a check looks at
_MOST_PARSED = 20  # texts that a check reads as JSON
_CONTAINERS = frozenset((dict, list, tuple))


def read_texts(
    pairs: Pairs, options: ScoringOptions, progress: Progress = no_progress
) -> tuple[Pairs, dict[int, Parsed], list[str]]:
    """Read the texts of rows as JSON, where the options say so, and take the confidences out of the predictions.

    Returns:
        The rows as they are scored; how the text of each prediction was read, by the number of its row; and the
        warnings that were given about the rows.

    Raises:
        TypeError, ValueError: if both sides are JSON text and no option says how to read it, and for a reference that
            is not JSON, naming its row.
    """
    refuse_json_text(pairs.truths, pairs.predictions, options)
    doubts = list(doubts_of_reading(pairs, options.parse, options.parse_references))
    if options.parse_references:
        pairs = pairs._replace(truths=list(map(parsed_reference, pairs.ids, pairs.truths)))
    readings: dict[int, Parsed] = {}
    if options.parse_mode is not None:
        predictions, readings = parse_predictions(
            pairs.predictions, pairs.truths, options.parse_mode, progress("Parsing", len(pairs.ids))
        )
        pairs = pairs._replace(predictions=predictions)
    doubts += _doubts_of_values(pairs, with_confidences=options.with_confidences)
    pairs = _with_confidences(pairs) if options.with_confidences else pairs._replace(confidences=None)
    doubts += _doubts_of_shapes(pairs)
    for doubt in doubts:
        warn(str(doubt))
    return pairs, readings, list(map(str, doubts))


def refuse_json_text(truths: Iterable[Any], predictions: Iterable[Any], options: ScoringOptions) -> None:
    """Raise `ValueError` if the texts of both sides are JSON, and no option says how to read them.

    The edit distance of two JSON texts counts braces, quotes and key names: it is not a score of the documents. The
    check looks at the first 100 texts of each side that are not empty, including those among acceptable answers. It
    fails if all texts of the ground truths are objects or lists, and a text of the predictions contains one, possibly
    in prose or a fenced block.
    """
    if options.parse is not None or options.parse_references is not None:
        return
    wanted, given = (list(islice(_texts(side), _EXAMINED)) for side in (truths, predictions))
    if not wanted or not all(map(is_json_container, wanted)) or not any(map(holds_json, given)):
        return
    mode = "json" if all(map(is_json_container, given)) else "repair"
    raise InputValueError(
        place="references and predictions",
        problem="the texts of both sides are JSON, which would be compared character by character",
        remedy=f'add --parse {mode} --parse-references json (parse="{mode}", parse_references="json") to read them, or '
        '--parse text (parse="text") to compare them as they are',
    )


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts that are not empty among values and their acceptable answers."""
    for value in values:
        if isinstance(value, tuple):
            yield from _texts(value)
        elif isinstance(value, str) and value.strip():
            yield value


def doubts_of_reading(
    pairs: Pairs,
    parse: str | None,
    parse_references: str | None,
    *,
    references: str = "references",
    predictions: str = "predictions",
) -> Iterator[Diagnostic]:
    """Yield the doubts about all rows of a test set, before texts are read as JSON.

    Each check ends at the first row that disproves its doubt.

    Args:
        pairs: the rows as they were given.
        parse: how predictions that are text will be read, as in `ScoringOptions`.
        parse_references: how ground truths that are text will be read.
        references: the place of the ground truths in the sentences.
        predictions: the place of the predictions.

    >>> pairs = Pairs(["a"], [{"total": "1"}], ['{"total": "1"}'])
    >>> print(next(doubts_of_reading(pairs, None, None)))
    predictions: 1 of 1 are text although the ground truth is an object or a list, which text never matches; the text \
of 'a' holds JSON; add --parse json or --parse repair (parse="json" or parse="repair") to read it
    """
    count = len(pairs.predictions) - len(pairs.absent)
    if not count or parse == AS_TEXT:
        return
    if parse is None:
        texts = [
            (name, prediction)
            for name, truth, prediction in zip(pairs.ids, first_truths(pairs), pairs.predictions, strict=True)
            if type(prediction) is str
            and (isinstance(truth, dict | list) or (parse_references and is_json_container(truth)))
        ]
        likely = ((name, text) for name, text in texts if "{" in text or "[" in text)
        example, text = next(filter(lambda each: holds_json(each[1]), islice(likely, _MOST_PARSED)), ("", ""))
        if text:
            strictly = ("--parse json or ", 'parse="json" or ') if is_json_container(text) else ("", "")
            yield Diagnostic(
                (predictions,),
                problem=f"{len(texts):,} of {count:,} are text although the ground truth is an object or a list, which "
                f"text never matches; the text of {short_repr(example)} holds JSON",
                remedy=f'add {strictly[0]}--parse repair ({strictly[1]}parse="repair") to read it',
            )
    answers = (answer for truth in pairs.truths for answer in (truth if isinstance(truth, tuple) else (truth,)))
    if (
        parse_references is None
        and all(map(is_json_container, answers))
        and (parse is not None or not all(isinstance(prediction, str) for prediction in given_predictions(pairs)))
    ):
        yield Diagnostic(
            (references,),
            problem="all are JSON text, which is compared as text",
            remedy='add --parse-references json (parse_references="json") to read it',
        )
    if all(
        isinstance(truth, list) and len(truth) == 1 and isinstance(truth[0], dict) for truth in first_truths(pairs)
    ) and all(isinstance(prediction, dict) for prediction in given_predictions(pairs)):
        yield Diagnostic(
            (references,),
            problem="all are lists of one object, which never match predictions that are objects",
            remedy='to give a list of acceptable answers, use rows by id: {"question_id": ..., "references": [...]}',
        )
    if (
        all(isinstance(truth, tuple) and all(isinstance(each, dict) for each in truth) for truth in pairs.truths)
        and any(len(truth) > 1 for truth in pairs.truths)
        and all(isinstance(prediction, list) for prediction in given_predictions(pairs))
    ):
        yield Diagnostic(
            (references,),
            problem="all are lists of objects as acceptable answers, which never match predictions that are lists",
            remedy='to give a list as the ground truth, put it in a list: "references": [[{...}, {...}]]',
        )


def first_truths(pairs: Pairs) -> Iterator[Any]:
    """Yield the ground truths; of several acceptable answers the first."""
    return (truth[0] if isinstance(truth, tuple) and truth else truth for truth in pairs.truths)


def given_predictions(pairs: Pairs) -> Iterator[Any]:
    """Yield the predictions that are not missing."""
    return (prediction for number, prediction in enumerate(pairs.predictions) if number not in pairs.absent)


def _doubts_of_values(pairs: Pairs, *, with_confidences: bool) -> Iterator[Diagnostic]:
    """Yield the doubts about the values of a test set, after texts were read as JSON.

    Args:
        pairs: the rows.
        with_confidences: whether confidences are taken out of the predictions.

    >>> print(next(_doubts_of_values(Pairs(["a"], [{"total": ("1", "")}], [{}]), with_confidences=False)))
    references: 1 of 1 have an empty text among their acceptable answers, and so accept a missing value; the first is \
that of 'a'
    """
    # rows by id have a one-of around their acceptable answers, even around a single one
    truths = (truth[0] if type(truth) is tuple and len(truth) == 1 else truth for truth in pairs.truths[:_EXAMINED])
    if not any(map(_has_one_of, truths)) and any(map(_has_one_of, pairs.predictions[:_EXAMINED])):
        yield Diagnostic(
            ("predictions",),
            problem=f"they contain {ONE_OF!r}, which belongs in ground truths; the two sides may be swapped",
        )
    if not with_confidences and any(map(_is_wrapped, pairs.predictions)):
        yield Diagnostic(
            ("predictions",),
            problem="they contain $value and $confidence, and both are scored",
            remedy="add --with-confidences (with_confidences=True) to score the values alone",
        )
    empty = [
        name
        for name, truth in zip(pairs.ids, pairs.truths, strict=True)
        if any(type(part) is tuple and "" in part for part in _containers_in(truth))
    ]
    if empty:
        yield Diagnostic(
            ("references",),
            problem=f"{len(empty):,} of {len(pairs.ids):,} have an empty text among their acceptable answers, and so "
            f"accept a missing value; the first is that of {short_repr(empty[0])}",
        )


def _is_wrapped(prediction: Any) -> bool:
    """Return whether a value at the first two levels has a confidence."""
    fields = prediction.values() if isinstance(prediction, dict) else ()
    return any(isinstance(part, dict) and VALUE in part and CONFIDENCE in part for part in (prediction, *fields))


def _has_one_of(value: Any) -> bool:
    """Return whether a value has a one-of at any depth; in a prediction it stays as JSON spells it."""
    return any(
        type(part) is tuple or (type(part) is dict and part.keys() == {ONE_OF}) for part in _containers_in(value)
    )


def _containers_in(value: Any) -> list[Any]:
    """Return the objects, lists and one-ofs in a value, including itself."""
    containers = [value] if type(value) in _CONTAINERS else []
    for part in containers:  # which grows meanwhile, so that its new members are visited too
        containers += [item for item in (part.values() if type(part) is dict else part) if type(item) in _CONTAINERS]
    return containers


def _doubts_of_shapes(pairs: Pairs) -> Iterator[Diagnostic]:
    """Yield the doubts about a shape that nearly all predictions have and no ground truth has, and about errors.

    >>> print(next(_doubts_of_shapes(Pairs(["a"], [{"due date": "1 May"}], [{"dueDate": "1 May"}]))))
    predictions: 1 of 1 have keys that differ from those of the ground truths only in case or separators, such as \
'dueDate' for 'due date'; rename the keys on one side
    """
    answers = [truth if isinstance(truth, tuple) else (truth,) for truth in pairs.truths]
    known = {key for truths in answers for truth in truths if isinstance(truth, dict) for key in truth}
    given = [(truths, found) for truths, found in zip(answers, pairs.predictions, strict=True) if found is not None]
    objects = [(truths, found) for truths, found in given if isinstance(found, dict) and isinstance(truths[0], dict)]
    having: dict[str, list[Any]] = {
        "list": [
            found
            for truths, found in given
            if isinstance(found, list) and [*map(type, found)] == [dict] and {*map(type, truths)} == {dict}
        ],
        "key": [
            short_repr(key)
            for truths, found in given
            for key, part in (found.items() if isinstance(found, dict) and len(found) == 1 else ())
            if key not in known
            and part is not None
            and any(type(part) is type(truth) and not is_json_container(truth) for truth in truths)
            and not (isinstance(part, dict) and known.isdisjoint(part))
        ],
        "case": [spellings for truths, found in objects if (spellings := _respelled(truths[0], found, known))],
        "error": [found for _, found in objects if "error" in found and known.isdisjoint(found)],
    }
    for shape, (least, problem, remedy) in _SHAPES.items():
        if having[shape] and len(having[shape]) >= least * len(given):
            sentence = f"{len(having[shape]):,} of {len(given):,} {problem.format(having[shape][0])}"
            yield Diagnostic(("predictions",), problem=sentence, remedy=remedy)


# For each shape the share of the predictions from which it is doubtful, the problem and the remedy.
_SHAPES = {
    "list": (
        0.9,
        "are lists of one object, which never match ground truths that are objects",
        'score the objects, in files with --prediction-column prediction.0 (prediction_column="prediction.0")',
    ),
    "key": (
        0.9,
        "have everything under a key that no ground truth has, such as {0}",
        'score what is under it, in files with --prediction-column prediction.KEY (prediction_column="prediction.KEY")',
    ),
    "case": (
        0.9,
        "have keys that differ from those of the ground truths only in case or separators, such as {0[0]}",
        "rename the keys on one side",
    ),
    "error": (
        1 / 3,
        'are {{"error": ...}}, which no ground truth has',
        'leave them out and count them with --missing zero (missing="zero"), or ask the model again',
    ),
}


def _respelled(truth: dict[str, Any], prediction: dict[str, Any], known: set[str]) -> list[str]:
    """Return the keys of a prediction that no ground truth has, with the missing keys that differ only in spelling."""
    missing = {without_case(key): key for key in truth.keys() - prediction.keys()}
    unknown = ((key, without_case(key)) for key in sorted(prediction.keys() - known))
    return [f"{short_repr(key)} for {short_repr(missing[spelt])}" for key, spelt in unknown if spelt in missing]


def _with_confidences(pairs: Pairs) -> Pairs:
    """Move the confidences out of the predictions; those that a row has under "confidence" take precedence.

    Raises:
        ValueError: naming the row.
    """
    values, confidences = [], []
    of_rows = repeat(None, len(pairs.ids)) if pairs.confidences is None else pairs.confidences
    for name, prediction, of_row in zip(pairs.ids, pairs.predictions, of_rows, strict=True):
        try:
            value, own = unwrapped(prediction)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        values.append(value)
        confidences.append(own if of_row is None else of_row)
    return pairs._replace(predictions=values, confidences=confidences)


def unwrapped(prediction: Any) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, in the same shape; None where a value has none.

    Raises:
        ValueError: for an object with `$value` and keys other than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, dict):
        if VALUE in prediction:
            others = prediction.keys() - {VALUE, CONFIDENCE}
            if others:
                raise InputValueError(
                    expected=f"no keys but {VALUE!r} and {CONFIDENCE!r} in their object",
                    got=short_repr(min(others, key=str)),
                )
            return prediction[VALUE], prediction.get(CONFIDENCE)
        parts = {key: unwrapped(item) for key, item in prediction.items()}
        values = {key: value for key, (value, _) in parts.items()}
        return values, {key: confidence for key, (_, confidence) in parts.items()}
    if isinstance(prediction, list):
        pairs = [unwrapped(item) for item in prediction]
        return [value for value, _ in pairs], [confidence for _, confidence in pairs]
    return prediction, None


def warn_of_copies(sides: Sequence[Pairs], names: Sequence[str]) -> None:
    """Warn of runs or systems with the same predictions as an earlier one, on at least two rows."""
    for index, pairs in enumerate(sides):
        same = next((earlier for earlier in range(index) if sides[earlier].predictions == pairs.predictions), None)
        if same is not None and len(pairs.ids) > 1:
            warn(f"{names[same]} and {names[index]} have the same predictions; one may be a copy of the other")

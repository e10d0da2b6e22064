"""Texts of both sides that are read as JSON before they are scored, and confidences taken out of predictions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from docscore.core.errors import at_place, closer, row_place
from docscore.core.options import ScoringOptions
from docscore.core.runtime import level_of_caller
from docscore.core.values import convert_ground_truth
from docscore.data.json_text import Parsed, parse_reference, parse_text
from docscore.data.pairing import Pairs, doubts_of_reading, doubts_of_values, refuse_json_text, with_confidences


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
    predictions, readings = parse_predictions(pairs.predictions, pairs.truths, options.parse_mode)
    pairs = pairs._replace(predictions=predictions)
    doubts += doubts_of_values(pairs, with_confidences=options.with_confidences)
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
    predictions: Sequence[Any], truths: Sequence[Any], mode: str | None
) -> tuple[Sequence[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    if mode is None:
        return predictions, {}
    readings: dict[int, Parsed] = {}

    values = list(predictions)
    for number, prediction in enumerate(values):
        if type(prediction) is str:  # and not the digits of a number
            parsed = parse_text(prediction, mode, truths[number])
            values[number], readings[number] = parsed.value, parsed._replace(value=None)
    return values, readings

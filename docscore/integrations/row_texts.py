"""Rows whose values are JSON text, the form in which they travel between the workers of Ray and of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from docscore.core.errors import (
    InputTypeError,
    PlacePart,
    at_place,
    closer,
    in_file,
    row_place,
    short_repr,
)
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.data.files import decoded
from docscore.data.json_text import loads_at, restore, store
from docscore.data.pairing import Pairs
from docscore.data.rows import BY_ID, ID, read_prediction, read_reference, read_references


def rows_of_lines(content: bytes, path: str) -> Iterator[tuple[Any, PlacePart]]:
    """The value of each line of a JSONL file that is not blank, and its place.

    Raises:
        ValueError: naming the line that is not JSON.
    """
    text = decoded(Path(path), content.removeprefix(b"\xef\xbb\xbf"))
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = in_file(path, f"line {number}")
            yield loads_at(line, place, one_line=True), place


def stored_rows(rows: Iterable[tuple[Any, PlacePart]], key: str) -> Iterator[tuple[str, str]]:
    """The id of each row, and its value as JSON text.

    Args:
        rows: rows by id, each with its place.
        key: "prediction" or "references".

    Raises:
        TypeError, ValueError: naming the place, for what is no row of this side, or a value that cannot be scored.
    """
    read, convert = (
        (read_reference, convert_ground_truth) if key == "references" else (read_prediction, convert_prediction)
    )
    for source, place in rows:
        row = read(source, BY_ID, [place].__getitem__, 0)
        try:
            value = convert(row.value)
        except (TypeError, ValueError) as error:
            raise at_place(place, error) from None
        yield str(row.id), store(list(value) if isinstance(value, tuple) else value)


def pairs_of_texts(ids: Sequence[str], predictions: Iterable[Any], references: Iterable[Any]) -> Pairs:
    """The pairs of columns of JSON text, as `store` writes it; a prediction may be None, where there is none.

    Raises:
        TypeError, ValueError: naming the row, for what is no JSON text, and for references that are no list of answers.
    """
    rows = [
        {ID: name, "references": _value(text, name, "references")} for name, text in zip(ids, references, strict=True)
    ]
    truths = [row.value for row in read_references(rows, BY_ID, lambda index: row_place(ids[index]))]
    values = [
        None if text is None else _value(text, name, "prediction") for name, text in zip(ids, predictions, strict=True)
    ]
    return Pairs(
        list(ids), truths, values, frozenset(number for number, value in enumerate(predictions) if value is None)
    )


def _value(text: Any, name: str, key: str) -> Any:
    place = f"{key} of {row_place(name)}"
    if not isinstance(text, str):
        raise InputTypeError(place=place, expected="JSON text", got=type(text).__name__)
    try:
        return restore(text, unique_keys=True)
    except ValueError as error:
        raise at_place(closer(place, short_repr(text)), error) from None

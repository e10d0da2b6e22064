"""Rows whose values are JSON text, the form in which they travel between the workers of Ray and of Spark."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docscore.core.errors import Faults, InputTypeError, InputValueError, at_place, closer, row_place, short_repr
from docscore.data.files import SAME_NAMES, ColumnNames, Table, read_jsonl, with_names
from docscore.data.json_text import restore, store
from docscore.data.pairing import Pairs, pairs_of_columns
from docscore.data.rows import BY_ID, ID, Side, read_rows


def stored_lines(content: bytes, path: str, side: Side, names: ColumnNames = SAME_NAMES) -> list[dict[str, str]]:
    """The rows of a JSONL file as `stored_rows` gives them.

    Args:
        content: of the file.
        path: its path, for messages.
        side: predictions or references.
        names: how texts among its references are read.

    Raises:
        TypeError, ValueError: naming the line that is not JSON, or as `stored_rows`.
    """
    faults = Faults()
    table = read_jsonl(Path(path), io.BytesIO(content.removeprefix(b"\xef\xbb\xbf")), faults)
    for fault in faults.found:
        raise InputValueError(fault.diagnostic)
    return stored_rows(with_names(table, side, names, both=False), side)


def stored_rows(table: Table, side: Side) -> list[dict[str, str]]:
    """The id of each row by id, and its value as JSON text, under the names of the row format.

    Raises:
        TypeError, ValueError: naming the place, for what is no row of this side, or a value that cannot be scored.
    """
    read = read_rows(table.rows, BY_ID, side, table.where)
    texts = (store(list(value) if isinstance(value, tuple) else value) for value in read.values)
    return [{ID: name, str(getattr(BY_ID, side)): text} for name, text in zip(read.ids, texts, strict=True)]


def pairs_of_texts(ids: Sequence[str], predictions: Sequence[Any], references: Sequence[Any]) -> Pairs:
    """The pairs of columns of JSON text, as `store` writes it; a prediction may be None, where there is none.

    Raises:
        TypeError, ValueError: naming the row, for what is no JSON text, and for references that are no list of answers.
    """
    truths = [_value(text, name, "references") for text, name in zip(references, ids, strict=True)]
    values = [
        None if text is None else _value(text, name, "prediction") for text, name in zip(predictions, ids, strict=True)
    ]
    return pairs_of_columns(ids, truths, values, (number for number, text in enumerate(predictions) if text is None))


def _value(text: Any, name: str, key: str) -> Any:
    place = f"{key} of {row_place(name)}"
    if not isinstance(text, str):
        raise InputTypeError(place=place, expected="JSON text", got=type(text).__name__)
    try:
        return restore(text, unique_keys=True)
    except ValueError as error:
        raise at_place(closer(place, short_repr(text)), error) from None

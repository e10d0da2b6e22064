"""Store rows for `evaluate` with every value as JSON text, so that values are read back unchanged.

Arrow columns have one type, and `datasets.Json` rewrites strings that look like JSON; a text column keeps all values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from docscore.core.errors import InputValueError, at_place
from docscore.core.values import LEAF_TYPES, convert_ground_truth, convert_prediction
from docscore.data.json_codec import dumps, loads_all
from docscore.data.pairing import Pairs, check_equal_count, pair_rows
from docscore.data.rows import ID, Row, RowFormat, read_predictions, read_references
from docscore.data.stored_json import restore_all, store

StoredRows = list[dict[str, str]]


_LONGEST_LABEL = 256  # characters; longer texts in other columns, such as whole pages, are not labels of rows


def encode_rows(
    predictions: Sequence[Any], references: Sequence[Any], form: RowFormat
) -> tuple[StoredRows, StoredRows]:
    """Encode both sides as rows `{"question_id": str, "prediction": JSON text}` and `{..., "references": JSON text}`.

    Where the other columns of a reference hold labels (numbers and short texts), the JSON text is an object with
    "references" and "columns", so that clusters can be named by a column. The sides may differ in length where rows
    have ids; the shorter one is padded, since Arrow columns must have the same length. In the plain format the ids are
    empty.

    Raises:
        TypeError, ValueError: for a row or a value that is not of the format, naming its place.
    """
    prediction_rows = read_predictions(predictions, form, "predictions[{}]".format)
    reference_rows = read_references(references, form, "references[{}]".format)
    if form.prediction is None:
        check_equal_count(len(prediction_rows), len(reference_rows))
    length = max(len(prediction_rows), len(reference_rows))
    return (
        _stored(prediction_rows, "prediction", "predictions", length, form),
        _stored(reference_rows, "references", "references", length, form),
    )


def declaration(rows: int, process: int, processes: int) -> tuple[StoredRows, StoredRows]:
    """The last row that one of several processes stores: its number, theirs, and how many rows it stored before.

    It tells the process that reads the rows of all whether another one ended before it had stored its own. It is an id
    without JSON text, which no other stored row is.
    """
    name = dumps([process, processes, rows])
    return [{"question_id": name, "prediction": ""}], [{"question_id": name, "references": ""}]


def decode_rows(predictions: Sequence[Any], references: Sequence[Any], missing: str) -> Pairs:
    """Decode stored rows, and pair ground truths with predictions.

    Raises:
        ValueError: if there are none, if a process did not store all of its rows, if rows with and without ids were
            mixed, or as `pair_rows`.
    """
    _check_declared(predictions)
    prediction_rows, reference_rows = _loaded(predictions, "prediction"), _loaded(references, "references")
    if not reference_rows:
        raise InputValueError(place="references", expected="at least one row", got="none")
    if len({row.id is None for row in prediction_rows + reference_rows}) > 1:
        got = "rows with a question_id and rows without"
        raise InputValueError(expected="one row format", got=got)
    return pair_rows(prediction_rows, reference_rows, missing)


def _check_declared(stored: Sequence[Any]) -> None:
    """Raise `ValueError` unless all rows are there that processes declared; one process alone declares none."""
    names = [row["question_id"] for row in stored if row["question_id"] and not row["prediction"]]
    declared = loads_all(names)
    if not declared:
        return
    processes = declared[0][1]
    ended = sorted(set(range(processes)) - {process for process, *_ in declared})
    if ended:
        which = f"process{'' if len(ended) == 1 else 'es'} {', '.join(map(str, ended))}"
        problem = f"{which} of {processes} ended before all rows were written; there is no score of the others alone"
        raise InputValueError(problem=problem)
    expected, rows = sum(count for *_, count in declared), len(stored) - len(declared)
    if rows != expected:
        raise InputValueError(expected=f"{expected:,} rows, as {processes} processes declared", got=f"{rows:,}")


def _stored(rows: list[Row], key: str, side: str, length: int, form: RowFormat) -> StoredRows:
    stored = [{"question_id": row.id or "", key: _text(row, key, f"{side}[{i}]", form)} for i, row in enumerate(rows)]
    padding = dict.fromkeys(("question_id", key), "")  # JSON text is never empty
    return stored + [padding] * (length - len(stored))


def _labels(row: Row, form: RowFormat) -> dict[str, Any]:
    """The labels in the other columns of a reference."""
    found = {}
    for name, value in (row.source or {}).items():
        plain = value.item() if isinstance(value, np.generic) else value
        is_long = isinstance(plain, str) and len(plain) > _LONGEST_LABEL
        if name not in (ID, form.references) and type(plain) in LEAF_TYPES and not is_long:
            found[str(name)] = plain
    return found


def _text(row: Row, key: str, place: str, form: RowFormat) -> str:
    convert = convert_prediction if key == "prediction" else convert_ground_truth
    try:
        value = convert(row.value)
    except (TypeError, ValueError) as error:
        name = place if row.id is None else f"{place} (question_id {row.id!r})"
        raise at_place(name, error) from None
    if row.id is not None and isinstance(value, tuple):  # acceptable answers: a list is enough
        value = list(value)
    labels = _labels(row, form)
    return store({"references": value, "columns": labels} if labels else value)


def _loaded(rows: Sequence[Any], key: str) -> list[Row]:
    filled = [row for row in rows if row[key]]
    values = restore_all([row[key] for row in filled])
    ids = [row["question_id"] or None for row in filled]
    if key == "prediction":
        return list(map(Row, ids, values))
    return [
        Row(None, value) if name is None else _reference(name, value) for name, value in zip(ids, values, strict=True)
    ]


def _reference(name: str, value: Any) -> Row:
    """A stored reference with an id: a list of answers, or an object with these and the labels."""
    answers, columns = (value["references"], value["columns"]) if isinstance(value, dict) else (value, {})
    return Row(name, tuple(answers), source={ID: name, **columns})

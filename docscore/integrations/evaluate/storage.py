"""Store rows for `evaluate` with every value as JSON text, so that values are read back unchanged.

Arrow columns have one type, and `datasets.Json` rewrites strings that look like JSON; a text column keeps all values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docscore.core.errors import InputValueError, at_place
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.data.json_codec import dumps, loads_all
from docscore.data.pairing import Pairs, check_equal_count, pair_rows
from docscore.data.rows import Row, RowFormat, read_predictions, read_references

StoredRows = list[dict[str, str]]


_NONE = {"question_id": "", "prediction": "", "references": ""}  # padding; JSON text is never empty


def encode_rows(
    predictions: Sequence[Any], references: Sequence[Any], form: RowFormat
) -> tuple[StoredRows, StoredRows]:
    """Encode both sides as rows `{"question_id": str, "prediction": JSON text}` and `{..., "references": JSON text}`.

    The sides may differ in length where rows have ids; the shorter one is padded, since Arrow columns must have the
    same length. In the plain format the ids are empty.

    Raises:
        TypeError, ValueError: for a row or a value that is not of the format, naming its place.
    """
    prediction_rows = read_predictions(predictions, form, "predictions[{}]".format)
    reference_rows = read_references(references, form, "references[{}]".format)
    if form.prediction is None:
        check_equal_count(len(prediction_rows), len(reference_rows))
    length = max(len(prediction_rows), len(reference_rows))
    return (
        _stored(prediction_rows, "prediction", "predictions", length),
        _stored(reference_rows, "references", "references", length),
    )


def decode_rows(predictions: Sequence[Any], references: Sequence[Any], missing: str) -> Pairs:
    """Decode stored rows, and pair ground truths with predictions.

    Raises:
        ValueError: if there are none, if rows with and without ids were mixed, or as `pair_rows`.
    """
    prediction_rows, reference_rows = _loaded(predictions, "prediction"), _loaded(references, "references")
    if not reference_rows:
        raise InputValueError(place="references", expected="at least one row", got="none")
    if len({row.id is None for row in prediction_rows + reference_rows}) > 1:
        got = "rows with a question_id and rows without"
        raise InputValueError(expected="one row format", got=got)
    return pair_rows(prediction_rows, reference_rows, missing)


def _stored(rows: list[Row], key: str, side: str, length: int) -> StoredRows:
    stored = [{"question_id": row.id or "", key: _text(row, key, f"{side}[{i}]")} for i, row in enumerate(rows)]
    padding = {name: _NONE[name] for name in ("question_id", key)}
    return stored + [padding] * (length - len(rows))


def _text(row: Row, key: str, place: str) -> str:
    convert = convert_prediction if key == "prediction" else convert_ground_truth
    try:
        value = convert(row.value)
    except (TypeError, ValueError) as error:
        name = place if row.id is None else f"{place} (question_id {row.id!r})"
        raise at_place(name, error) from None
    if row.id is not None and isinstance(value, tuple):  # acceptable answers: a list is enough
        value = list(value)
    return dumps(value)


def _loaded(rows: Sequence[Any], key: str) -> list[Row]:
    filled = [row for row in rows if row[key]]
    values = loads_all([row[key] for row in filled])
    ids = [row["question_id"] or None for row in filled]
    if key == "references":
        values = [value if name is None else tuple(value) for name, value in zip(ids, values, strict=True)]
    return list(map(Row, ids, values))

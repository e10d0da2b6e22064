"""Score rows with `datasets`: a function for `Dataset.map(..., batched=True)` with a stable fingerprint for caching."""

from collections.abc import Mapping, Sequence
from typing import Any

from docscore.core.errors import InputTypeError
from docscore.core.options import check_options, read_and_compare_options
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.registry import ANLS_STAR
from docscore.inputs.pairing import pairs_of_columns


def score_batch(
    batch: Mapping[str, Sequence[Any]],
    *,
    prediction: str = "prediction",
    references: str = "references",
    **keywords: Any,
) -> dict[str, list[Any]]:
    """Compute the ANLS* score of each row of a batch.

    `dataset.map(score_batch, batched=True, num_proc=2, fn_kwargs={"parse": "json"})`

    Args:
        batch: columns of a dataset, among them predictions and lists of acceptable answers.
        prediction: the name of the column with the predictions.
        references: the name of the column with the acceptable answers.
        keywords: options of `docscore.evaluate`, such as threshold, ignore_case, schema, parse, and
            parse_references="json" for answers that are JSON text. In columns of structs, Arrow sets the missing keys
            of a row to null.

    Returns:
        The column `anls_score`, or `typed_score` with a schema; with `parse`, also the column `parse_failed`.

    Raises:
        KeyError: for a column that does not exist.
        TypeError: for a single row, which `map` passes without `batched=True`.
        TypeError, ValueError: for a value that cannot be scored, naming its row in the batch.
    """
    for column in (prediction, references):
        if column not in batch:
            msg = f"expected a column {column!r}, got {', '.join(map(repr, batch))}"
            raise KeyError(msg)
    if type(batch).__name__ == "LazyRow" or isinstance(batch[prediction], str | Mapping):  # of datasets, for one row
        raise InputTypeError(expected="the columns of a batch", got="a row", remedy="add batched=True to map")
    ids = [str(number) for number in range(len(batch[prediction]))]
    pairs = pairs_of_columns(ids, batch[references], batch[prediction])
    check_options(keywords)
    rows = evaluate_rows(pairs, *read_and_compare_options(keywords), is_full=False)
    columns: dict[str, list[Any]] = {"anls_score" if rows.metric == ANLS_STAR else "typed_score": rows.scores}
    if rows.test_set.failed is not None:
        columns["parse_failed"] = [number in rows.test_set.failed for number in range(len(ids))]
    return columns

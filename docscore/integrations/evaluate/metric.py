"""The base class of the evaluate modules: features, rows stored as JSON text, and results."""

import contextlib
import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import datasets
import evaluate
import numpy as np
import pyarrow as pa

from docscore.core.errors import InputValueError
from docscore.core.options import CompareOptions, ReadOptions, check_confidence, read_and_compare_options
from docscore.core.runtime import warn
from docscore.core.values import LEAF_TYPES, convert_ground_truth, convert_prediction
from docscore.evaluation.citations import CITATIONS
from docscore.evaluation.evaluation import evaluate_rows, figures_to_dict
from docscore.inputs.json_text import dumps, loads, restore, store
from docscore.inputs.pairing import check_equal_count, check_labels, pairs_of_rows
from docscore.inputs.rows import (
    BY_ID,
    ID,
    PLAIN,
    RawTable,
    RowFormat,
    Side,
    SideRows,
    read_rows,
    row_format,
    table_in_memory,
)
from docscore.inputs.test_set import TestSet

StoredRows = list[dict[str, str]]
_NOT_GIVEN = object()  # None is a value
_TEXT = datasets.Value("string")
_LONGEST_LABEL = 256  # characters; longer texts in other columns, such as whole pages, are not labels of rows


class DocumentMetricMixin:
    """Mixin for a metric of documents; list it before `evaluate.Metric`.

    Rows of any format are stored as text columns (id and JSON), so that Arrow types do not change values.

    Attributes:
        DESCRIPTION: the description of the metric, for `evaluate`.
        KWARGS_DESCRIPTION: arguments, results and examples, for `evaluate`.
        REFERENCE_URL: the URL of the paper.
        METRIC: its name in `docscore.METRICS`.
        FEATURES: the columns in which rows are stored; values are JSON text.

    A metric declares its options as parameters of `_compute(self, predictions, references, ...)`. Options are checked
    before the rows are consumed.
    """

    DESCRIPTION: ClassVar[str]
    KWARGS_DESCRIPTION: ClassVar[str]
    REFERENCE_URL: ClassVar[str]
    METRIC: ClassVar[str]
    config_name: str
    FEATURES: ClassVar[datasets.Features] = datasets.Features(
        {
            "predictions": {"question_id": _TEXT, "prediction": _TEXT},
            "references": {"question_id": _TEXT, "references": _TEXT},
        }
    )

    _form: RowFormat | None = None  # the format of the first batch
    _rows = 0  # the number of rows that this process stored

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=self.DESCRIPTION,
            citation=CITATIONS.get(self.config_name, CITATIONS[self.METRIC]),
            inputs_description=self.KWARGS_DESCRIPTION,
            features=self.FEATURES,
            reference_urls=[self.REFERENCE_URL],
        )

    def _figures(
        self,
        predictions: Sequence[Any],
        references: Sequence[Any],
        reading: ReadOptions,
        options: CompareOptions,
        *,
        confidence: float | None,
        signature: bool,
        by_type: bool = False,
    ) -> dict[str, Any]:
        """Return the figures of stored rows and the other results that the options request, in plain types."""
        evaluation = evaluate_rows(
            decode_rows(predictions, references, reading.missing),
            reading,
            options,
            metrics=[self.METRIC],
            confidence=confidence,
        )
        clusters = {} if evaluation.test_set.clusters is None else {"clusters": len(set(evaluation.test_set.clusters))}
        result = {**figures_to_dict(evaluation), **clusters, **evaluation.counts}
        for breakdown in evaluation.breakdowns.values() if by_type else ():
            result |= breakdown.tables()
        return {**result, "signature": evaluation.signature} if signature else result

    def add(self, *, prediction: Any = _NOT_GIVEN, reference: Any = _NOT_GIVEN, **kwargs: Any) -> None:
        """Add one row of predictions and one of references."""
        prediction = kwargs.pop("predictions", prediction)  # the names that evaluate.combine uses
        reference = kwargs.pop("references", reference)
        if prediction is _NOT_GIVEN or reference is _NOT_GIVEN:
            raise InputValueError(expected="both prediction and reference")
        self.add_batch(predictions=[prediction], references=[reference], **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows of predictions and references."""
        if predictions is None or references is None:
            raise InputValueError(expected="both predictions and references")
        sides = references, predictions
        given, wanted = table_in_memory(predictions, "predictions"), table_in_memory(references, "references")
        for warning in (*given.warnings, *wanted.warnings):
            warn(warning)
        predictions, references = given.rows, wanted.rows
        form = self._form
        if form is None and (predictions or references):
            form = row_format(wanted, given)
        if form is PLAIN:
            check_labels(*sides)
        if form is not None:
            predictions, references = encode_rows(predictions, references, form)
        super().add_batch(predictions=predictions, references=references, **kwargs)  # type: ignore[misc]
        self._form = form  # only after success: a rejected batch does not determine the format
        self._rows += len(predictions)

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> dict[str, Any] | None:
        """Compute the score of all rows added so far and those given here.

        With several processes, the first process returns the score of all rows, and the others return None. A row that
        several processes have with the same id and values counts once, and "repeated" is the number of such rows.

        Raises:
            ValueError: if a process ended before it wrote all of its rows, or has different options; for options that
                exclude each other; or for rows that cannot be paired.
        """
        bound = inspect.signature(self._compute).bind([], [], **kwargs)  # type: ignore[attr-defined]
        bound.apply_defaults()
        options = bound.arguments
        self._refuse(options)
        scoring = {name: getattr(part, name) for part in read_and_compare_options(options) for name in vars(part)}
        if options.get("confidence") is not None:
            check_confidence(options["confidence"])
        elif options.get("cluster") is not None:
            raise InputValueError(
                place="cluster",
                expected="a confidence level in addition, because clusters only affect intervals",
                got="none",
            )
        try:
            if self.num_process > 1:  # type: ignore[attr-defined]
                if predictions is not None or references is not None:
                    self.add_batch(predictions=predictions, references=references)
                    predictions = references = None
                others = {name: options[name] for name in list(options)[2:] if name not in scoring or name == "cluster"}
                texts = {name: getattr(each, "__qualname__", repr(each)) for name, each in others.items()}
                texts |= {name: repr(scoring[name]) for name in options.keys() & scoring.keys() - {"cluster"}}
                stored = declaration(self._rows, self.process_id, self.num_process, texts)  # type: ignore[attr-defined]
                super().add_batch(predictions=stored[0], references=stored[1])  # type: ignore[misc]
            result: dict[str, Any] | None = super().compute(  # type: ignore[misc]
                predictions=predictions, references=references, **kwargs
            )
            return result
        finally:
            if self.writer is None:  # type: ignore[attr-defined]
                self._form, self._rows = None, 0
                self._release_cache()

    def _finalize(self) -> None:
        """Close the file of this process; the first process reads all files."""
        try:
            super()._finalize()  # type: ignore[misc]
        except (pa.ArrowInvalid, OSError) as error:
            if self.num_process == 1:  # type: ignore[attr-defined]
                raise
            raise InputValueError(
                problem=f"a process ended before it wrote all rows, so its file cannot be read: {error}",
            ) from None

    def _get_all_cache_files(self) -> tuple[list[str], list[Any]]:
        """Lock the files of all processes; they are released even if they cannot be read."""
        self.file_paths, self.filelocks = super()._get_all_cache_files()  # type: ignore[misc]
        return self.file_paths, self.filelocks

    def _refuse(self, options: Mapping[str, Any]) -> None:
        """Raise `ValueError` for options that this metric does not support, before the rows are consumed."""

    def _release_cache(self) -> None:
        """Unlock and delete the cache files. `evaluate` does so only after success."""
        locks, paths = self.filelocks or [], self.file_paths or []
        for lock, path in zip(locks, paths, strict=True):
            if lock is not None and lock.is_locked:
                with contextlib.suppress(FileNotFoundError):
                    Path(path).unlink()
                lock.release()
        self.cache_file_name = self.filelock = None


def encode_rows(
    predictions: Sequence[Any], references: Sequence[Any], form: RowFormat
) -> tuple[StoredRows, StoredRows]:
    """Encode both sides as rows `{"question_id": str, "prediction": JSON text}` and `{..., "references": JSON text}`.

    If other columns of a reference contain labels (numbers and short texts), the JSON text is an object with
    "references" and "columns", so that a column can name the clusters. If rows have ids, the sides may differ in
    length; the shorter one is padded, because Arrow columns must have the same length. In the plain format, the ids
    are empty.

    Raises:
        TypeError, ValueError: naming a row or a value that does not have the format.
    """
    if form is PLAIN:
        check_equal_count(len(predictions), len(references))
    length = max(len(predictions), len(references))
    return _stored(predictions, "predictions", length, form), _stored(references, "references", length, form)


def declaration(rows: int, process: int, processes: int, options: Mapping[str, str]) -> tuple[StoredRows, StoredRows]:
    """Return the last row that a process stores: its number, the number of processes, its row count and its options.

    From these rows, the process that reads all rows detects whether another process ended before it stored its rows, or
    has different options. Only this row has an id without JSON text.
    """
    name = dumps([process, processes, rows, dict(options)])
    return [{"question_id": name, "prediction": ""}], [{"question_id": name, "references": ""}]


def decode_rows(predictions: Sequence[Any], references: Sequence[Any], missing: str) -> TestSet:
    """Decode stored rows, and pair ground truths with predictions.

    Raises:
        ValueError: if there are no rows, a process did not store all of its rows, processes have different options, or
            only some rows have ids; also under the conditions of `pairs_of`.
    """
    once = _check_declared(predictions)
    stored = [row for row in predictions if row["prediction"]], [row for row in references if row["references"]]
    if not stored[1]:
        raise InputValueError(place="references", expected="at least one row", got="none")
    if len({bool(row[ID]) for side in stored for row in side}) > 1:
        raise InputValueError(
            expected="rows of one format",
            got="rows with and without a question_id",
        )
    return pairs_of_rows(_restored(stored[1], "references"), _restored(stored[0], "predictions"), missing, once=once)


def _check_declared(stored: Sequence[Any]) -> bool:
    """Return whether several processes stored rows.

    Raises:
        ValueError: unless all of them stored their rows, with the same options.
    """
    declared = [loads(row[ID]) for row in stored if row[ID] and not row["prediction"]]
    if not declared:
        return False
    processes = declared[0][1]
    ended = sorted(set(range(processes)) - {process for process, *_ in declared})
    if ended:
        which = f"{'process' if len(ended) == 1 else 'processes'} {', '.join(map(str, ended))} of {processes}"
        raise InputValueError(
            problem=f"{which} ended before all rows were written, so the rows of the others are not scored",
        )
    expected, rows = sum(count for _, _, count, _ in declared), len(stored) - len(declared)
    if rows != expected:
        raise InputValueError(expected=f"{expected:,} rows, as {processes} processes declared", got=f"{rows:,}")
    first = declared[0][-1]
    for process, *_, options in declared:
        for name in (name for name, text in options.items() if text != first[name]):
            raise InputValueError(
                place=name,
                expected="the same in all processes",
                got=f"{first[name]} in process {declared[0][0]} and {options[name]} in process {process}",
            )
    return True


def _stored(rows: Sequence[Any], side: Side, length: int, form: RowFormat) -> StoredRows:
    """Return the rows of one side with the JSON text of their values, padded to a length."""
    key, read = str(getattr(BY_ID, side)), read_rows(table_in_memory(rows, side), form, side)
    stored = []
    for name, value, source in zip(read.ids, read.values, read.sources, strict=True):
        if form is not PLAIN and isinstance(value, tuple):  # acceptable answers: a list is enough
            value = list(value)  # noqa: PLW2901
        labels = _labels(source, form) if side == "references" and form is not PLAIN else {}
        text = store({"references": value, "columns": labels} if labels else value)
        stored.append({ID: "" if form is PLAIN else name, key: text})
    return stored + [{ID: "", key: ""}] * (length - len(stored))  # JSON text is never empty


def _labels(row: Mapping[str, Any], form: RowFormat) -> dict[str, Any]:
    """Return the labels in the other columns of a reference: numbers and short texts."""
    values = {name: value.item() if isinstance(value, np.generic) else value for name, value in row.items()}
    return {
        str(name): value
        for name, value in values.items()
        if name not in (ID, form.references)
        and type(value) in LEAF_TYPES
        and not (isinstance(value, str) and len(value) > _LONGEST_LABEL)
    }


def _restored(stored: Sequence[Mapping[str, str]], side: Side) -> SideRows:
    """Return the stored rows. Their values were converted before, since JSON has neither one-ofs nor decimals."""
    key, is_truth = str(getattr(BY_ID, side)), side == "references"
    convert = convert_ground_truth if is_truth else convert_prediction
    form = BY_ID if any(row[ID] for row in stored) else PLAIN
    values = [restore(row[key]) for row in stored]
    columns: list[dict[str, Any]] = [{} for _ in stored]
    if form is BY_ID and is_truth:
        columns = [value["columns"] if isinstance(value, dict) else {} for value in values]
        values = [tuple(value["references"] if isinstance(value, dict) else value) for value in values]
    values = [convert(value) if '"$' in row[key] else value for row, value in zip(stored, values, strict=True)]
    rows, ids = values, list(map(str, range(len(stored))))
    if form is BY_ID:
        ids = [row[ID] for row in stored]
        rows = [{ID: name, **labels, key: value} for name, value, labels in zip(ids, values, columns, strict=True)]
    return SideRows(RawTable(Path(side), rows, lambda index: f"{side}[{index}]"), form, ids, values, rows, set())

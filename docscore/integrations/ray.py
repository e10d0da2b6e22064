"""Score data sets larger than one machine with Ray Data.

Install with `pip install "docscore[ray]"`. No row passes through the driver: workers read, join, score and write. The
driver merges only the states of their batches (`docscore.ScoreState`), which are sums and counts.
"""

import io
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import ray.data
from pyarrow import fs
from ray.exceptions import RayTaskError

from docscore.core.errors import (
    InputError,
    InputTypeError,
    InputValueError,
    PlacePart,
    RowErrors,
    at_place,
    closer,
    in_file,
    row_place,
    short_repr,
    some_of,
)
from docscore.core.options import DEFAULT_READING, SKIP, ReadOptions
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.state import ScoreState
from docscore.inputs.columns import with_names
from docscore.inputs.formats import arrow_rows, read_jsonl
from docscore.inputs.json_text import restore, store
from docscore.inputs.pairing import MISSING_REMEDY, pairs_of_columns
from docscore.inputs.rows import BY_ID, ID, RawTable, Side, read_rows
from docscore.inputs.test_set import TestSet

Paths = str | Sequence[str]
_LINES = ["jsonl", "ndjson", "jsonl.gz", "ndjson.gz"]
_COLUMNS = (ID, "prediction", "references")
_STATE = "state"


def joined(
    predictions: Paths, references: Paths, *, num_partitions: int = 16, parse_references: str | None = None
) -> Any:
    """Join files of predictions and files of references to one dataset of pairs.

    Args:
        predictions: JSONL or Parquet files of rows `{"question_id", "prediction"}`, or folders of such files; a remote
            folder is read as Parquet. A JSONL file is read whole by one worker.
        references: files of rows `{"question_id", "references": [acceptable answers]}`; in Parquet the list may be JSON
            text.
        num_partitions: the number of partitions of the rows by id; each partition must fit into the memory of a worker.
        parse_references: "json" if a text in place of the list of references is one answer as JSON text. Pass the same
            value to `score`.

    Returns:
        A `ray.data.Dataset` with the columns question_id, prediction and references. The last two hold JSON text (a
        decimal of a Parquet file as `{"$decimal": "12.50"}`), or None if a side has no row for the id.

    Raises:
        ValueError: for files of both kinds on one side, or a Parquet file without these columns. Errors in rows are
            raised when the dataset is scored; they name the file and, for JSONL, the line.
    """
    reading = ReadOptions(parse_references=parse_references)
    left, right = _read(predictions, "predictions", reading), _read(references, "references", reading)
    return left.join(right, join_type="full_outer", num_partitions=num_partitions, on=(ID,))


def score(dataset: Any, *, output: str | None = None, batch_size: int = 1024, **keywords: Any) -> ScoreState:
    """Score a dataset of pairs.

    Args:
        dataset: a `ray.data.Dataset` with the columns question_id, prediction and references, the last two as JSON
            text, such as the result of `joined`.
        output: a new or empty folder for the scores of the rows. They are written as Parquet files with the columns
            question_id and anls_score; with a schema typed_score; with `parse` parsed and parse_note; with
            missing="zero" missing. With missing="skip", the scores of rows without a prediction are null.
        batch_size: the number of rows that a worker scores at a time.
        keywords: as for `ScoreState`: metrics, fields, options, or options of `docscore.evaluate`.

    Returns:
        The state of all rows; its `compute()` gives the figures.

    Raises:
        TypeError, ValueError: for invalid options; for values that cannot be scored, naming the row; and for ids that
            occur twice or on one side only, naming some. With missing="zero", a missing prediction is scored as null
            instead. With missing="skip", its row is left out and counted.
    """
    state = ScoreState(**keywords)
    if output is not None and _has_files(output):  # rows of another run would be mixed with rows of this run
        raise InputValueError(place="output", expected="a new or empty folder", got=f"{output!r}, which has files")
    scored = dataset.map_batches(
        _score, batch_size=batch_size, batch_format="pyarrow", fn_kwargs={"empty": state.empty()}
    )
    scored.context.raise_original_map_exception = True  # for this dataset only; without it the original error is lost
    try:
        scored = scored.materialize()
        for batch in scored.select_columns([_STATE]).iter_batches(batch_size=None, batch_format="pyarrow"):
            state.merge(*map(pickle.loads, batch[_STATE].drop_null().to_pylist()))
        _check_ids(scored)
        if output is not None:
            scored.drop_columns([_STATE]).write_parquet(output)
    except RayTaskError as error:
        cause: Any = error
        while isinstance(cause, RayTaskError):  # a task may fail because another one failed
            cause = cause.cause
        if not isinstance(cause, InputError):
            raise
        raise cause from None
    return state


def _has_files(folder: str) -> bool:
    system, path = fs.FileSystem.from_uri(folder) if "://" in folder else (fs.LocalFileSystem(), folder)
    return bool(system.get_file_info(fs.FileSelector(path, allow_not_found=True)))


def _check_ids(scored: Any) -> None:
    """Raise `ValueError` if an id occurs twice; the workers count the ids."""
    counted = scored.select_columns([ID]).groupby(ID, num_partitions=scored.num_blocks()).count()
    repeated = counted.map_batches(lambda batch: batch.filter(pc.greater(batch["count()"], 1)), batch_format="pyarrow")
    if ids := [row[ID] for row in repeated.take_all()]:
        raise InputValueError(
            problem="ids that occur more than once in the predictions or in the references "
            f"({len(ids):,}): {some_of(ids)}"
        )


def _read(paths: Paths, side: Side, reading: ReadOptions) -> Any:
    """Read files as rows of an id and the JSON text of a value."""
    key = getattr(BY_ID, side)
    several = [paths] if isinstance(paths, str) else list(paths)
    kinds = {_has_lines(path) for path in several}
    if len(kinds) != 1:
        raise InputValueError(place=key, expected="files that are all JSONL or all Parquet", got=str(several))
    how = {"side": side, "reading": reading}
    if kinds == {True}:
        return ray.data.read_binary_files(several, include_paths=True, file_extensions=_LINES).map_batches(
            _from_lines, batch_size=1, batch_format="pyarrow", fn_kwargs=how
        )
    columns = ray.data.read_parquet(several).columns() or []
    if not {ID, key} <= set(columns):
        raise InputValueError(
            place=", ".join(several),
            expected=f"the columns {ID!r} and {key!r}",
            got=", ".join(map(repr, columns)),
        )
    return ray.data.read_parquet(several, columns=[ID, key], include_paths=True).map_batches(
        _from_columns, batch_format="pyarrow", fn_kwargs=how
    )


def _has_lines(path: str) -> bool:
    """Return whether a path is a JSONL file, or a local folder with JSONL files."""
    inside = map(str, Path(path).iterdir()) if Path(path).is_dir() else [path]
    return any(name.lower().endswith(tuple(f".{each}" for each in _LINES)) for name in inside)


def _from_lines(batch: Any, side: Side, reading: ReadOptions) -> Any:
    """Read the one JSONL file of a batch."""
    rows = stored_lines(batch["bytes"][0].as_py(), batch["path"][0].as_py(), side, reading)
    return pa.Table.from_pylist(rows, _schema(side))


def stored_lines(content: bytes, path: str, side: Side, reading: ReadOptions = DEFAULT_READING) -> list[dict[str, str]]:
    """Read a JSONL file as ids and JSON text.

    Args:
        content: the content of the file.
        path: the path of the file, for messages.
        side: predictions or references.
        reading: how the rows are read.

    Raises:
        TypeError, ValueError: naming the first line that is not JSON, is not a row of this side, or has a value that
            cannot be scored.
    """
    errors = RowErrors()
    table = read_jsonl(Path(path), io.BytesIO(content.removeprefix(b"\xef\xbb\xbf")), errors)
    for error in errors.collected:
        raise InputValueError(error.diagnostic)
    return _stored_rows(with_names(table, side, reading, both=False), side)


def _from_columns(batch: Any, side: Side, reading: ReadOptions) -> Any:
    """Read a part of a Parquet file; a cell of references may be JSON text."""
    paths = [in_file(path) for path in batch["path"].to_pylist()]
    rows = arrow_rows(batch.to_batches(), batch.schema, paths[0], paths.__getitem__)
    places: list[PlacePart] = [
        closer(path, f"{ID} {short_repr(row[ID])}") for path, row in zip(paths, rows, strict=True)
    ]
    table = RawTable(Path("rows.parquet"), rows, places.__getitem__, has_columns=True)
    return pa.Table.from_pylist(_stored_rows(with_names(table, "references", reading, both=False), side), _schema(side))


def _stored_rows(table: RawTable, side: Side) -> list[dict[str, str]]:
    """Return the id of each row and its value as JSON text.

    Raises:
        TypeError, ValueError: naming a row that does not belong to this side, or whose value cannot be scored.
    """
    read = read_rows(table, BY_ID, side)
    texts = (store(list(value) if isinstance(value, tuple) else value) for value in read.values)
    return [{ID: name, str(getattr(BY_ID, side)): text} for name, text in zip(read.ids, texts, strict=True)]


def _schema(side: Side) -> Any:
    """Return the columns of a side: the id and the JSON text of the value."""
    return pa.schema([(name, pa.string()) for name in (ID, getattr(BY_ID, side))])


def _score(batch: Any, empty: ScoreState) -> Any:
    """Return the score of each row of a batch; the first row also has the state of the batch."""
    if not set(_COLUMNS) <= set(batch.column_names):
        raise InputValueError(expected=f"the columns {', '.join(_COLUMNS)}", got=", ".join(batch.column_names))
    ids, predictions, references = (batch[name].to_pylist() for name in _COLUMNS)
    if None in references:
        raise InputValueError(
            problem=f"ids of predictions that no reference has, such as {short_repr(ids[references.index(None)])}",
        )
    options = empty.reading
    if None in predictions and options.missing == "error":
        raise InputValueError(
            problem=f"ids of references that no prediction has, such as {short_repr(ids[predictions.index(None)])}",
            remedy=MISSING_REMEDY,
        )
    truths = [_value(text, name, "references") for text, name in zip(references, ids, strict=True)]
    values = [
        None if text is None else _value(text, name, "prediction") for text, name in zip(predictions, ids, strict=True)
    ]
    pairs: TestSet = pairs_of_columns(
        ids, truths, values, (number for number, text in enumerate(predictions) if text is None)
    )
    pairs = pairs.with_predictions() if options.missing == SKIP else pairs
    scored = evaluate_rows(pairs, options, empty.options, metrics=empty.metrics, confidence=None, is_full=False)
    state = empty.empty()
    state.update_scores(scored)
    samples = {
        sample[ID]: {"parse_note": "", **sample, "anls_score": score}  # a batch without notes has no key for them
        for sample, score in zip(scored.samples(), scored.anls_star, strict=True)
    }
    with_typed = "typed" in empty.metrics
    if with_typed:
        for sample, (score, _) in zip(samples.values(), scored.metric_scores["typed"].points, strict=True):
            sample["typed_score"] = score
    rows = [samples.get(name, {ID: name}) for name in ids]  # a row that was left out has only an id
    rows[:1] = [{**row, _STATE: pickle.dumps(state)} for row in rows[:1]]
    kinds = [
        (ID, pa.string(), True),
        ("typed_score", pa.float64(), with_typed),
        ("anls_score", pa.float64(), True),
        ("parsed", pa.string(), options.parse_mode is not None),
        ("parse_note", pa.string(), options.parse_mode is not None),
        ("missing", pa.bool_(), options.missing == "zero"),
        (_STATE, pa.binary(), True),
    ]
    return pa.Table.from_pylist(rows, pa.schema([(name, kind) for name, kind, asked in kinds if asked]))


def _value(text: Any, name: str, key: str) -> Any:
    """Read the JSON text of a value."""
    place = f"{key} of {row_place(name)}"
    if not isinstance(text, str):
        raise InputTypeError(place=place, expected="JSON text", got=type(text).__name__)
    try:
        return restore(text, unique_keys=True)
    except ValueError as error:
        raise at_place(closer(place, short_repr(text)), error) from None

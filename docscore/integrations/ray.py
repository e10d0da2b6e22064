"""Score data sets larger than one machine with Ray Data.

Install with `pip install "docscore[ray]"`. No row passes through the driver: workers read, join, score and write. The
driver merges only the states of their batches (`docscore.corpus.state`), which are sums and counts.
"""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import ray.data
from pyarrow import fs
from ray.data.aggregate import Count
from ray.data.datasource import FileBasedDatasource
from ray.exceptions import RayTaskError, UserCodeException

from docscore.core.errors import (
    InputError,
    InputTypeError,
    InputValueError,
    PlacePart,
    at_place,
    diagnostic_of,
    in_file,
    row_place,
    short_repr,
)
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.corpus.scores import CorpusScore, score_corpus
from docscore.corpus.state import ScoreState
from docscore.data.faults import NAMED
from docscore.data.id_faults import MISSING_REMEDY
from docscore.data.json_codec import JsonError, dumps, loads, loads_at
from docscore.data.pairing import Pairs
from docscore.data.rows import BY_ID, ID, Where, read_prediction, read_reference
from docscore.data.text_files import not_utf8

Paths = str | Sequence[str]
_LINES = ["jsonl", "ndjson", "jsonl.gz", "ndjson.gz"]
_CHUNK = 1 << 23  # bytes read at a time
_ROWS_A_PARTITION = 100_000  # for counting ids
_MOST_PARTITIONS = 200
_STATE = "state"
_TIMES = "times"


def joined(predictions: Paths, references: Paths, *, num_partitions: int = 16) -> Any:
    """Join files of predictions and files of references to one dataset of pairs.

    Args:
        predictions: JSONL or Parquet files of rows `{"question_id", "prediction"}`, or folders of such files; a remote
            folder is read as Parquet.
        references: files of rows `{"question_id", "references": [acceptable answers]}`.
        num_partitions: the number of partitions of the rows by id; each must fit into a worker's memory.

    Returns:
        A `ray.data.Dataset` with the columns question_id, prediction and references, the last two as JSON text, None
        where a side has no row for the id.

    Raises:
        ValueError: for files of both kinds on one side, or a Parquet file without such a column. Faults of rows are
            raised when the dataset is scored, and name the file, in JSONL also the line.
    """
    left, right = _read(predictions, "prediction"), _read(references, "references")
    pairs = left.join(right, join_type="full_outer", num_partitions=num_partitions, on=(ID,))
    return _mapped(pairs, _complete)


def score(dataset: Any, *, output: str | None = None, batch_size: int = 1024, **keywords: Any) -> ScoreState:
    """Score a dataset of pairs.

    Args:
        dataset: a `ray.data.Dataset` with the columns question_id, prediction and references, the last two as JSON
            text, such as the result of `joined`.
        output: a new or empty folder to which the score of each row is written, as Parquet files with the columns
            question_id and anls_score, with `parse` also parsed, with missing "zero" also missing.
        batch_size: how many rows a worker scores at a time.
        keywords: as for `ScoreState`: metrics, fields, options, or fields of `ScoringOptions`.

    Returns:
        The state of all rows; its `compute()` gives the figures.

    Raises:
        TypeError, ValueError: for invalid options; for values that cannot be scored, naming the row; for ids that occur
            twice, or on one side only, naming some. With missing "zero", an absent prediction is scored as null
            instead.
    """
    state = ScoreState(**keywords)
    if output is not None:
        _check_empty(output)
    scored = _mapped(dataset, _score, batch_size, empty=pickle.dumps(state))
    scored.context.raise_original_map_exception = True  # for this dataset only; without it the original error is lost
    with _faults_of_workers():
        scored = scored.materialize()
        states = _mapped(scored.select_columns([_STATE]), _merged, None)
        for batch in states.iter_batches(batch_size=None, batch_format="pyarrow"):
            state.merge(*_states(batch))
        _check_ids(scored, state.rows)
        if output is not None:
            scored.drop_columns([_STATE]).write_parquet(output)
    return state


def _check_empty(output: str) -> None:
    """Raise `ValueError` for a folder that is not empty: rows of another run would be mixed with those of this run."""
    system, path = fs.FileSystem.from_uri(output) if "://" in output else (fs.LocalFileSystem(), output)
    if system.get_file_info(fs.FileSelector(path, allow_not_found=True)):
        got = f"{output!r}, which has files"
        raise InputValueError(place="output", expected="a new or empty folder", got=got)


def _check_ids(scored: Any, rows: int) -> None:
    """Raise `ValueError` if there are no rows or an id occurs twice; ids are counted by the workers."""
    if not rows:
        raise InputValueError(place="references", expected="at least one row", got="none")
    partitions = min(-(-rows // _ROWS_A_PARTITION), _MOST_PARTITIONS)
    ids = scored.select_columns([ID]).groupby(ID, num_partitions=partitions)
    counted = ids.aggregate(Count(alias_name=_TIMES))
    found = _mapped(counted, _repeated).take(NAMED + 1)
    _refuse_repeated([row[ID] for row in found])


def _refuse_repeated(ids: list[str]) -> None:
    if ids:
        names = ", ".join(short_repr(each) for each in sorted(ids)[:NAMED]) + (" and more" if len(ids) > NAMED else "")
        problem = f"ids that occur more than once in the predictions or in the references: {names}"
        raise InputValueError(problem=problem)


class _Fault(UserCodeException):  # type: ignore[misc, unused-ignore]
    """An error in the data, raised in a worker; holds the original error as argument, since Ray drops the cause."""


def _work(batch: Any, *, function: Callable[..., Any], **options: Any) -> Any:
    """Call the function with a batch, in a worker; wrap errors in the data in `_Fault`."""
    try:
        return function(batch, **options)
    except (TypeError, ValueError) as error:
        kind = InputTypeError if isinstance(error, TypeError) else InputValueError
        raise _Fault(kind(diagnostic_of(error))) from None


def _mapped(dataset: Any, function: Callable[..., Any], batch_size: int | None = 1024, **options: Any) -> Any:
    work = partial(_work, function=function, **options)
    return dataset.map_batches(work, batch_size=batch_size, batch_format="pyarrow")


@contextmanager
def _faults_of_workers() -> Iterator[None]:
    """Raise errors in the data that workers found as they are, without Ray's traceback."""
    try:
        yield
    except RayTaskError as error:
        fault = error.cause
        while isinstance(fault, RayTaskError):  # a task that failed because another one failed
            fault = fault.cause
        if not isinstance(fault, _Fault):
            raise
        found: InputError = fault.args[0]  # Ray adds the number of attempts as a second argument
    else:
        return
    raise found


class _Lines(FileBasedDatasource):  # type: ignore[misc, unused-ignore]
    """Reads lines of files as bytes, with path and number; `read_text` also splits at Unicode line separators."""

    def _read_stream(self, f: Any, path: str) -> Iterator[Any]:
        before, rest = 0, b""  # the number of lines before, and an incomplete line
        for chunk in iter(partial(f.read, _CHUNK), b""):
            *lines, rest = (rest + chunk).split(b"\n")
            yield _table_of_lines(lines, path, before)
            before += len(lines)
        yield _table_of_lines([rest], path, before)


def _table_of_lines(lines: list[bytes], path: str, before: int) -> Any:
    if lines and not before:
        lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
    rows = [(line, path, number) for number, line in enumerate(lines, before + 1) if line.strip()]
    types = {"line": pa.binary(), "path": pa.string(), "number": pa.int64()}
    return pa.table({name: pa.array([row[i] for row in rows], kind) for i, (name, kind) in enumerate(types.items())})


def _read(paths: Paths, key: str) -> Any:
    """Read files as rows of an id and the JSON text of a value."""
    several = [str(paths)] if isinstance(paths, str | Path) else [str(path) for path in paths]
    kinds = {_has_lines(path) for path in several}
    if len(kinds) != 1:
        raise InputValueError(place=key, expected="files that are all JSONL or all Parquet", got=str(several))
    if kinds == {True}:
        lines = ray.data.read_datasource(_Lines(several, file_extensions=_LINES))
        return _mapped(lines, _from_lines, key=key)
    return _mapped(_read_parquet(several, key), _from_columns, key=key)


def _has_lines(path: str) -> bool:
    """Whether a path is a JSONL file, or a local folder with one."""
    inside = (str(each) for each in Path(path).iterdir()) if Path(path).is_dir() else (path,)
    return any(name.lower().endswith(tuple(f".{each}" for each in _LINES)) for name in inside)


def _read_parquet(paths: list[str], key: str) -> Any:
    names = ray.data.read_parquet(paths).columns() or []
    for name in (ID, key):
        if name not in names:
            place, got = ", ".join(paths), ", ".join(map(repr, names))
            raise InputValueError(place=place, expected=f"a column {name!r}", got=got)
    return ray.data.read_parquet(paths, columns=[ID, key], include_paths=True)


def _from_lines(batch: Any, key: str) -> Any:
    lines, paths, numbers = (batch[name].to_pylist() for name in ("line", "path", "number"))

    def where(index: int) -> PlacePart:
        return in_file(paths[index], f"line {numbers[index]}")

    return _texts([_value_of_line(line, where, index) for index, line in enumerate(lines)], where, key)


def _from_columns(batch: Any, key: str) -> Any:
    rows = batch.to_pylist()

    def where(index: int) -> PlacePart:
        return in_file(rows[index]["path"], f"{ID} {short_repr(rows[index][ID])}")

    return _texts(rows, where, key)


def _texts(rows: list[Any], where: Where, key: str) -> Any:
    """A table of the ids and the values, as JSON text, of rows of one side."""
    read = read_prediction if key == "prediction" else read_reference
    found = [read(row, BY_ID, where, index) for index, row in enumerate(rows)]
    texts = [_text(row.value, key, where, index) for index, row in enumerate(found)]
    return pa.table({ID: pa.array([row.id for row in found], pa.string()), key: pa.array(texts, pa.string())})


def _text(value: Any, key: str, where: Where, index: int) -> str:
    try:
        if key == "prediction":
            return dumps(convert_prediction(value))
        answers = convert_ground_truth(value)
        return dumps(list(answers) if isinstance(answers, tuple) else answers)
    except (TypeError, ValueError) as error:
        raise at_place(where(index), error) from None


def _value_of_line(line: bytes, where: Where, index: int) -> Any:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise InputValueError(not_utf8(where(index), error)) from None
    try:
        return loads(text, unique_keys=True)
    except JsonError as error:
        raise InputValueError(error.in_place(where(index), one_line=True)) from None


def _complete(batch: Any) -> Any:
    """Add the column that is missing after a join with a side without rows."""
    for name in ("prediction", "references"):
        if name not in batch.column_names:
            batch = batch.append_column(name, pa.nulls(batch.num_rows, pa.string()))
    return batch


def _score(batch: Any, empty: bytes) -> Any:
    """The scores of a batch, with its state in the first row; `empty` is a pickled state without rows."""
    state: ScoreState = pickle.loads(empty)  # noqa: S301  written by our own driver
    scores = score_corpus(_pairs(batch, state.options.missing), state.options)
    state.update_scores(scores)
    states = [pickle.dumps(state), *[b""] * batch.num_rows][: batch.num_rows]
    return _samples(scores).append_column(_STATE, pa.array(states, pa.binary()))


def _samples(scores: CorpusScore) -> Any:
    """A table of the score of each row, with the same columns for all batches, also empty ones."""
    optional = {"parsed": scores.failed, "missing": scores.absent}
    names = [ID, "anls_score", *(name for name, rows in optional.items() if rows is not None)]
    types = {ID: pa.string(), "anls_score": pa.float64(), "parsed": pa.string(), "missing": pa.bool_()}
    samples = scores.samples()
    return pa.table({name: pa.array([sample[name] for sample in samples], types[name]) for name in names})


def _states(batch: Any) -> list[ScoreState]:
    return [pickle.loads(each) for each in batch[_STATE].to_pylist() if each]  # noqa: S301  written by our own workers


def _merged(batch: Any) -> Any:
    """Merge the states of a block."""
    found = _states(batch)
    merged = [pickle.dumps(found[0].merge(*found[1:]))] if found else []
    return pa.table({_STATE: pa.array(merged, pa.binary())})


def _repeated(batch: Any) -> Any:
    return batch.filter(pc.greater(batch[_TIMES], 1))


def _pairs(batch: Any, missing: str) -> Pairs:
    """The pairs in a batch; an absent prediction is None."""
    columns = (ID, "prediction", "references")
    lacking = [name for name in columns if name not in batch.column_names]
    if lacking:
        got = ", ".join(batch.column_names)
        raise InputValueError(expected=f"the columns {', '.join(columns)}", got=got)
    ids, predictions, references = (batch[name].to_pylist() for name in columns)
    unknown = [i for i, text in zip(ids, references, strict=True) if text is None]
    absent = [number for number, text in enumerate(predictions) if text is None]
    if unknown:
        raise InputValueError(problem=f"ids of predictions that no reference has, such as {short_repr(unknown[0])}")
    if absent and missing == "error":
        problem = f"ids of references that no prediction has, such as {short_repr(ids[absent[0]])}"
        raise InputValueError(problem=problem, remedy=MISSING_REMEDY)
    rows = [_pair(*row) for row in zip(ids, predictions, references, strict=True)]
    names = [name for name, _, _ in rows]
    _refuse_repeated([name for name, times in Counter(names).items() if times > 1])
    return Pairs(names, [truth for _, truth, _ in rows], [value for _, _, value in rows], frozenset(absent))


def _pair(name: Any, prediction: Any, references: Any) -> tuple[str, Any, Any]:
    """Parse the id, ground truth and prediction of a row of JSON texts."""
    place = row_place(name)
    for text in (prediction, references):
        if not isinstance(text, str | None):
            raise InputTypeError(place=place, expected="JSON text", got=type(text).__name__)
    answers = loads_at(references, place, one_line=True)
    found = read_reference({ID: name, "references": answers}, BY_ID, lambda _: place, 0)
    return str(found.id), found.value, None if prediction is None else loads_at(prediction, place, one_line=True)

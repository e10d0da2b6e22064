"""Score data sets larger than one machine with Ray Data.

Install with `pip install "docscore[ray]"`. No row passes through the driver: workers read, join, score and write. The
driver merges only the states of their batches (`docscore.corpus.state`), which are sums and counts.
"""

from __future__ import annotations

import pickle
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    diagnostic_of,
    in_file,
    row_place,
    short_repr,
)
from docscore.core.options import SKIP
from docscore.corpus.scores import CorpusScore, score_corpus
from docscore.corpus.state import ScoreState
from docscore.data.faults import NAMED
from docscore.data.id_faults import MISSING_REMEDY
from docscore.data.json_codec import JsonError, loads
from docscore.data.pairing import Pairs
from docscore.data.rows import BY_ID, ID, read_references
from docscore.data.stored_json import may_be_marked, restored
from docscore.integrations.row_texts import row_of_line, row_of_values

Paths = str | Sequence[str]
_LINES = ["jsonl", "ndjson", "jsonl.gz", "ndjson.gz"]
_CHUNK = 1 << 23  # bytes read at a time
_ROWS_A_PARTITION = 100_000  # for counting ids
_MOST_PARTITIONS = 200
_SIDES = {"predictions": "prediction", "references": "references"}  # by the name of a side its column
_BITS = 62  # of a random number of a row
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
        A `ray.data.Dataset` with the columns question_id, prediction and references, the last two as JSON text (a
        decimal of a Parquet file as `{"$decimal": "12.50"}`), None where a side has no row for the id; and
        prediction_row and references_row, numbers of the rows, which tell the side on which an id occurs twice.

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
            question_id and anls_score, with `parse` also parsed, with missing "zero" also missing; with missing "skip"
            the scores of rows without a prediction are null.
        batch_size: how many rows a worker scores at a time.
        keywords: as for `ScoreState`: metrics, fields, options, or fields of `ScoringOptions`.

    Returns:
        The state of all rows; its `compute()` gives the figures.

    Raises:
        TypeError, ValueError: for invalid options; for values that cannot be scored, naming the row; for ids that occur
            twice, or on one side only, naming some. With missing "zero", an absent prediction is scored as null
            instead; with "skip" its row is left out and counted.
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
            _mapped(scored, _without_marks, None).write_parquet(output)
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
    found = sorted(row[ID] for row in _mapped(counted, _repeated).take(NAMED + 1))
    if found:
        side, names = _side_of(scored, found)
        some = ", ".join(map(short_repr, names[:NAMED])) + (" and more" if len(names) > NAMED else "")
        raise InputValueError(problem=f"ids that occur more than once in the {side}: {some}")


def _side_of(scored: Any, ids: list[str]) -> tuple[str, list[str]]:
    """The first side on which some of the ids occur more than once, and these ids; both sides where rows lack numbers.

    A join pairs each row of one side with each of the other that has its id.
    """
    rows = _mapped(scored, _with_ids, ids=ids).take_all()
    for side, key in _SIDES.items():
        numbers = {(row[ID], row.get(_number_of(key))) for row in rows}
        times = Counter(name for name, number in numbers if number is not None)
        if repeated := [name for name in ids if times[name] > 1]:
            return side, repeated
    return "predictions or in the references", ids


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

    return _column(key, (row_of_line(line, key, where, index) for index, line in enumerate(lines)))


def _from_columns(batch: Any, key: str) -> Any:
    rows = batch.to_pylist()

    def where(index: int) -> PlacePart:
        return in_file(rows[index]["path"], f"{ID} {short_repr(rows[index][ID])}")

    return _column(key, (row_of_values(row, key, where, index) for index, row in enumerate(rows)))


def _column(key: str, rows: Iterable[tuple[str, str]]) -> Any:
    """A table of ids and values, as JSON text, of one side; it numbers the rows, since a join repeats them."""
    read = list(rows)
    texts = {name: pa.array([row[i] for row in read], pa.string()) for i, name in enumerate((ID, key))}
    first = secrets.randbits(_BITS)  # rows of two batches have the same numbers in one case of millions
    return pa.table({**texts, _number_of(key): pa.array(range(first, first + len(read)), pa.int64())})


def _number_of(key: str) -> str:
    """The column of the numbers of the rows of a side."""
    return f"{key}_row"


def _complete(batch: Any) -> Any:
    """Add the columns that are missing after a join with a side without rows."""
    for key in _SIDES.values():
        for name, kind in ((key, pa.string()), (_number_of(key), pa.int64())):
            if name not in batch.column_names:
                batch = batch.append_column(name, pa.nulls(batch.num_rows, kind))
    return batch


def _score(batch: Any, empty: bytes) -> Any:
    """The scores of a batch, with its state in the first row; `empty` is a pickled state without rows."""
    state: ScoreState = pickle.loads(empty)  # noqa: S301  written by our own driver
    pairs = _pairs(batch, state.options.missing)
    kept = pairs.with_predictions() if state.options.missing == SKIP else pairs
    scores = score_corpus(kept, state.options)
    state.update_scores(scores)
    states = [pickle.dumps(state), *[b""] * batch.num_rows][: batch.num_rows]
    table = _with_all_ids(_samples(scores), pairs.ids).append_column(_STATE, pa.array(states, pa.binary()))
    for name in map(_number_of, _SIDES.values()):
        if name in batch.column_names:
            table = table.append_column(name, batch[name])
    return table


def _without_marks(batch: Any) -> Any:
    """A batch without the columns that are for us alone."""
    marks = {_STATE, *map(_number_of, _SIDES.values())}
    return batch.select([name for name in batch.column_names if name not in marks])


def _with_ids(batch: Any, ids: list[str]) -> Any:
    """The ids and numbers of the rows with one of the ids."""
    marks = [name for name in batch.column_names if name in {ID, *map(_number_of, _SIDES.values())}]
    return batch.select(marks).filter(pc.is_in(batch[ID], pa.array(ids, pa.string())))


def _samples(scores: CorpusScore) -> Any:
    """A table of the score of each row, with the same columns for all batches, also empty ones."""
    optional = {"parsed": scores.failed, "missing": scores.absent}
    names = [ID, "anls_score", *(name for name, rows in optional.items() if rows is not None)]
    types = {ID: pa.string(), "anls_score": pa.float64(), "parsed": pa.string(), "missing": pa.bool_()}
    samples = scores.samples()
    return pa.table({name: pa.array([sample[name] for sample in samples], types[name]) for name in names})


def _with_all_ids(samples: Any, ids: list[str]) -> Any:
    """The samples of some of the rows as a row for each id, with nulls for those that have none."""
    if samples.num_rows == len(ids):
        return samples
    place_of = {name: place for place, name in enumerate(samples[ID].to_pylist())}
    found = samples.take(pa.array([place_of.get(name) for name in ids], pa.int64()))
    return found.set_column(0, ID, pa.array(ids, pa.string()))


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
    parsed = _parsed_text if _number_of("prediction") not in batch.column_names else _restored_text
    unknown = [i for i, text in zip(ids, references, strict=True) if text is None]
    absent = [number for number, text in enumerate(predictions) if text is None]
    if unknown:
        raise InputValueError(problem=f"ids of predictions that no reference has, such as {short_repr(unknown[0])}")
    if absent and missing == "error":
        problem = f"ids of references that no prediction has, such as {short_repr(ids[absent[0]])}"
        raise InputValueError(problem=problem, remedy=MISSING_REMEDY)
    names, truths = _truths(ids, references, parsed)
    values = [None if text is None else parsed(text, ids[i]) for i, text in enumerate(predictions)]
    return Pairs(names, truths, values, frozenset(absent))


def _truths(ids: list[Any], texts: list[Any], parsed: Callable[[Any, Any], Any]) -> tuple[list[str], list[Any]]:
    """The ids as text, and the ground truths, of rows with the JSON text of acceptable answers."""
    answers = [parsed(text, name) for name, text in zip(ids, texts, strict=True)]
    if {*map(type, answers)} == {list} and all(answers) and {*map(type, ids)} == {str} and all(ids):
        return ids, list(map(tuple, answers))
    rows = ({ID: name, "references": each} for name, each in zip(ids, answers, strict=True))
    found = read_references(rows, BY_ID, lambda index: row_place(ids[index]))
    return [str(row.id) for row in found], [row.value for row in found]


def _parsed_text(text: Any, name: Any) -> Any:
    if not isinstance(text, str):
        raise InputTypeError(place=row_place(name), expected="JSON text", got=type(text).__name__)
    try:
        return loads(text, unique_keys=True)
    except JsonError as error:
        raise InputValueError(error.in_place(row_place(name), one_line=True)) from None


def _restored_text(text: Any, name: Any) -> Any:
    """The value of a text that `joined` wrote."""
    value = _parsed_text(text, name)
    return restored(value) if may_be_marked(text) else value

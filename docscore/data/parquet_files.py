"""Rows of Parquet files and Arrow tables as plain Python values."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from docscore.core.errors import InputValueError, PlacePart, closer, in_file
from docscore.core.runtime import Advance, ignore, level_of_caller

_BATCH = 1000  # rows read at a time


_FILLED = (
    "its rows are structs, in which a key that a row lacks is null, and a null in a ground truth is an answer that "
    'counts; write the values as JSON text, which --parse json and --parse-references json (parse="json", '
    'parse_references="json") read'
)

# what pyarrow raises besides its own errors for values that Python does not have, such as dates after the year 9999
_UNREADABLE = (ArithmeticError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)


def read_parquet(path: Path, check_size: Callable[[int], object], was_read: Advance = ignore) -> list[dict[str, Any]]:
    """The rows of a Parquet file, which are read some at a time.

    Args:
        path: the file.
        check_size: called with the bytes of the values read so far, to raise an error for too many.
        was_read: called with the bytes of the file that some more rows are taken to be: their share of it.

    Raises:
        ValueError: for a file that is damaged, and as `arrow_rows`.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        remedy = "pip install 'docscore[parquet]'"
        raise InputValueError(place=in_file(path), problem="reading Parquet needs pyarrow", remedy=remedy) from None

    def batches() -> Iterator[Any]:
        size = before = 0
        whole, total = path.stat().st_size, file.metadata.num_rows
        for batch in file.iter_batches(batch_size=_BATCH):
            size += batch.nbytes
            check_size(size)
            yield batch
            was_read(whole * (before + len(batch)) // total - whole * before // total)
            before += len(batch)

    try:
        with parquet.ParquetFile(path) as file:
            return arrow_rows(
                batches(), file.schema_arrow, in_file(path), lambda index: in_file(path, f"row {index + 1}")
            )
    except InputValueError:
        raise
    except (pa.ArrowException, OSError, *_UNREADABLE) as error:
        problem = f"not a Parquet file, or one that is damaged or cannot be read: {error}"
        raise InputValueError(place=in_file(path), problem=problem) from None


def arrow_rows(
    batches: Iterable[Any], schema: Any, place: PlacePart, where: Callable[[int], PlacePart]
) -> list[dict[str, Any]]:
    """The rows of an Arrow table as plain Python values, maps as objects.

    Warns where a column of structs gave rows keys that they do not have, which are null then.

    Args:
        batches: the parts of the table.
        schema: its schema.
        place: its place in messages.
        where: the place of the row with an index.

    Raises:
        ValueError: for a column that occurs twice, and a value that cannot be read, naming the row and the column.
    """
    name, times = Counter(schema.names).most_common(1)[0] if schema.names else ("", 0)
    if times > 1:  # one of the two would be lost
        raise InputValueError(place=place, problem=f"column {name!r} occurs twice")
    rows: list[dict[str, Any]] = []
    filled: dict[str, None] = {}
    for batch in batches:
        columns = [_values(batch.column(name), name, where, len(rows)) for name in schema.names]
        filled |= {name: None for name in schema.names if _has_filled_keys(batch.column(name))}
        rows += [dict(zip(schema.names, values, strict=True)) for values in zip(*columns, strict=True)]
    for name in filled:
        sentence = f"{closer(place, f'column {name!r}')}: {_FILLED}"
        warnings.warn(sentence, UserWarning, stacklevel=level_of_caller())
    return rows


def _values(column: Any, name: str, where: Callable[[int], PlacePart], before: int) -> list[Any]:
    """The values of a column of a batch, which has so many rows before it."""
    try:
        return column.to_pylist(maps_as_pydicts="strict")  # type: ignore[no-any-return]
    except _UNREADABLE:
        return [_value(item, closer(where(before + number), f"column {name!r}")) for number, item in enumerate(column)]


def _value(item: Any, place: PlacePart) -> Any:
    try:
        return item.as_py(maps_as_pydicts="strict")
    except _UNREADABLE as error:
        expected = "a value that Python has"
        raise InputValueError(place=place, expected=expected, got=f"{item.type} ({error.args[0]})") from None


def _has_filled_keys(column: Any) -> bool:
    """Whether a key of a struct is null in some of its rows and not in others."""
    kind = column.type
    if not kind.num_fields or str(kind).startswith("map<"):
        return False
    if str(kind).startswith("struct<"):
        parts = column.flatten()
        return any(0 < part.null_count - column.null_count < len(part) - column.null_count for part in parts) or any(
            map(_has_filled_keys, parts)
        )
    return hasattr(column, "flatten") and _has_filled_keys(column.flatten())

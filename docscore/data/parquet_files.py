"""Rows of Parquet files, read with pyarrow, as plain Python values."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from docscore.core.errors import InputValueError, in_file
from docscore.core.runtime import Advance, ignore, level_of_caller

_BATCH = 1000  # rows read at a time


# what pyarrow raises besides its own errors for values that Python does not have, such as dates after the year 9999
_UNREADABLE = (ArithmeticError, ImportError, LookupError, NotImplementedError, TypeError, ValueError)


def parquet_rows(
    path: Path, check_size: Callable[[int], object], was_read: Advance = ignore
) -> Iterator[tuple[list[dict[str, Any]], int]]:
    """Yield the rows of a Parquet file, some at a time, and their size in bytes; maps become objects.

    Warns where a column of structs gave rows keys that they do not have, which are null then.

    Args:
        path: the file.
        check_size: called with the bytes of the values read so far, to raise an error for too many.
        was_read: called with the bytes of the file that some more rows are taken to be: their share of it.

    Raises:
        ValueError: for a file that is damaged, a column that occurs twice, and a value that cannot be read, naming the
            file, the column and the row.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        remedy = "pip install 'docscore[parquet]'"
        raise InputValueError(place=in_file(path), problem="reading Parquet needs pyarrow", remedy=remedy) from None
    filled: Counter[str] = Counter()
    size = before = 0
    try:
        with parquet.ParquetFile(path) as file:
            _check_names(path, file.schema_arrow)
            whole, total = path.stat().st_size, file.metadata.num_rows
            for batch in file.iter_batches(batch_size=_BATCH):
                size += batch.nbytes
                check_size(size)
                columns = {name: _values(path, name, batch.column(name), before) for name in batch.schema.names}
                rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
                was_read(whole * (before + len(rows)) // total - whole * before // total)
                before += len(rows)
                yield rows, batch.nbytes
                filled.update(name for name in columns if _has_filled_keys(batch.column(name)))
    except InputValueError:
        raise
    except (pa.ArrowException, OSError, *_UNREADABLE) as error:
        problem = f"not a Parquet file, or one that is damaged or cannot be read: {error}"
        raise InputValueError(place=in_file(path), problem=problem) from None
    for name in filled:
        warnings.warn(_filled_sentence(path, name), UserWarning, stacklevel=level_of_caller())


def _check_names(path: Path, schema: Any) -> None:
    """Raise `ValueError` for a column that occurs twice, since one of the two would be lost."""
    name, times = Counter(schema.names).most_common(1)[0] if schema.names else ("", 0)
    if times > 1:
        raise InputValueError(place=in_file(path), problem=f"column {name!r} occurs twice")


def _values(path: Path, name: str, column: Any, before: int) -> list[Any]:
    """The values of a column of a batch, which has so many rows before it."""
    try:
        found: list[Any] = column.to_pylist()
    except _UNREADABLE:
        found = [_value(path, name, item, before + number) for number, item in enumerate(column)]
    return [_with_objects(value, column.type) for value in found] if _has_maps(column.type) else found


def _value(path: Path, name: str, item: Any, number: int) -> Any:
    try:
        return item.as_py()
    except _UNREADABLE as error:
        place = in_file(path, f"row {number + 1}, column {name!r}")
        raise InputValueError(place=place, expected="a value that Python has", got=f"{item.type} ({error})") from None


def _parts(kind: Any) -> list[Any]:
    """The types of the parts of a nested type."""
    return [kind.field(number).type for number in range(kind.num_fields)]


def _is_map(kind: Any) -> bool:
    return str(kind).startswith("map<")


def _has_maps(kind: Any) -> bool:
    return _is_map(kind) or any(map(_has_maps, _parts(kind)))


def _with_objects(value: Any, kind: Any) -> Any:
    """The value with its maps, which pyarrow gives as lists of pairs, as objects."""
    if value is None or not _has_maps(kind):
        return value
    if _is_map(kind):
        return {key: _with_objects(item, kind.item_type) for key, item in value}
    if isinstance(value, dict):
        kinds = {kind.field(number).name: kind.field(number).type for number in range(kind.num_fields)}
        return {key: _with_objects(item, kinds[key]) for key, item in value.items()}
    return [_with_objects(item, kind.field(0).type) for item in value]


def _has_filled_keys(column: Any) -> bool:
    """Whether a key of a struct is null in some of its rows and not in others."""
    kind = column.type
    if not kind.num_fields or _is_map(kind):
        return False
    if str(kind).startswith("struct<"):
        parts = column.flatten()
        return any(0 < part.null_count - column.null_count < len(part) - column.null_count for part in parts) or any(
            map(_has_filled_keys, parts)
        )
    return hasattr(column, "flatten") and _has_filled_keys(column.flatten())


def _filled_sentence(path: Path, name: str) -> str:
    return (
        f"{path}, column {name!r}: its rows are structs, in which a key that a row lacks is null, and a null in a "
        "ground truth is an answer that counts; write the values as JSON text, which --parse json and "
        '--parse-references json (parse="json", parse_references="json") read'
    )

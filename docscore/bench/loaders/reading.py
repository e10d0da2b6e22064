"""What the loaders share: finding files, and values in them that must be there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from docscore.bench.records import Box, unlike_format
from docscore.core.errors import InputValueError, in_file, short_repr

_CORNERS = 8  # numbers of a quadrilateral: x and y of each corner
_DEEPEST = 3  # folders below the given one in which a file is looked for
_HEAD = 1 << 16  # bytes of a file in which a key is looked for


def found_file(folder: Path, patterns: Iterable[str], what: str, fits: Callable[[Path], bool] = lambda _: True) -> Path:
    """The first file that a pattern finds in the folder or up to three folders below it.

    Args:
        folder: where to look.
        patterns: of files, those that are preferred first.
        what: what the file has, for the message.
        fits: whether a file is the one; sets that lie beside each other share names.

    Raises:
        ValueError: if the folder is none, or holds no such file.
    """
    if not folder.is_dir():
        raise unlike_format(folder, "a folder", "a file" if folder.exists() else "nothing of that name")
    patterns = list(patterns)
    for pattern in patterns:
        for depth in range(_DEEPEST + 1):
            found = next(filter(fits, sorted(folder.glob("*/" * depth + pattern))), None)
            if found is not None:
                return found
    raise unlike_format(folder, f"{what} ({' or '.join(patterns)})", "none")


def names_early(path: Path, key: str) -> bool:
    """Whether a key stands in the first bytes of a file."""
    with path.open("rb") as file:
        return f'"{key}"'.encode() in file.read(_HEAD)


def parquet_columns(path: Path) -> list[str]:
    """The columns of a Parquet file.

    Raises:
        ValueError: naming the file, without pyarrow and for what is none.
    """
    try:
        from pyarrow import ArrowInvalid, parquet  # noqa: PLC0415  an extra
    except ImportError:
        remedy = "pip install 'docscore[parquet]'"
        raise InputValueError(place=in_file(path), problem="reading Parquet needs pyarrow", remedy=remedy) from None
    try:
        return list(parquet.read_schema(path).names)
    except ArrowInvalid as error:
        raise unlike_format(path, "a Parquet file", str(error)) from None


def first_that_exists(paths: Iterable[Path]) -> Path | None:
    """The first of the files that is there."""
    return next((path for path in paths if path.is_file()), None)


def value_of(row: Any, key: str, kind: type | tuple[type, ...], place: str) -> Any:
    """The value under a key.

    Raises:
        ValueError: naming the place, if the row is no object, has no such key, or its value is of another type.
    """
    if not isinstance(row, Mapping):
        raise unlike_format(place, "an object", type(row).__name__)
    if key not in row:
        raise unlike_format(place, f"the key {key!r}", f"only {', '.join(map(repr, row)) or 'no keys'}")
    value = row[key]
    if not isinstance(value, kind):
        kinds = kind if isinstance(kind, tuple) else (kind,)
        names = " or ".join(each.__name__ for each in kinds)
        at = f"{place}, {key}"
        raise unlike_format(at, names, f"{type(value).__name__} {short_repr(value)}")
    return value


def texts_of(row: Any, key: str, place: str) -> tuple[str, ...]:
    """The texts in the list under a key, at least one.

    Raises:
        ValueError: naming the place.
    """
    values = value_of(row, key, list, place)
    if not values or not all(isinstance(each, str) for each in values):
        at = f"{place}, {key}"
        raise unlike_format(at, "a list of at least one text", short_repr(values))
    return tuple(values)


def box_of_corners(corners: Any, place: str) -> Box:
    """The box around a quadrilateral of eight numbers.

    Raises:
        ValueError: naming the place.
    """
    numbers = isinstance(corners, list) and all(isinstance(each, int | float) for each in corners)
    if not numbers or len(corners) != _CORNERS:
        raise unlike_format(place, "eight numbers", short_repr(corners))
    across, down = corners[0::2], corners[1::2]
    return (min(across), min(down), max(across), max(down))

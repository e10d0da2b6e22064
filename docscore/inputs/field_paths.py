"""Documents from fields with paths such as `items.0.price`, as in the columns of a table; numbers may be indices."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import chain
from typing import Any, NamedTuple

from docscore.core.errors import DataWarning, Diagnostic, InputValueError, PlacePart, some_of
from docscore.core.options import ReadOptions
from docscore.core.values import MAX_DEPTH
from docscore.inputs.json_text import TOO_DEEP
from docscore.inputs.rows import ID, VALUE_KEYS, RawTable, cells_of, place_of


def dotted(path: object) -> str:
    """Return a path with only dots between its steps.

    >>> dotted("$.items[0].price")
    'items.0.price'
    """
    return _BRACKETS.sub(r".\1", str(path).removeprefix("$."))


_BRACKETS = re.compile(r"\[(\d{1,9})\]")


class ListPaths(NamedTuple):
    """The numbers in the paths of fields that are indices of lists, found from all rows of both sides.

    Attributes:
        first: the lowest index of each list, by the path of the list with `*` for the numbers in it.
        counted: for each object with the keys 1, 2, 3 and so on without a gap, one of its paths and the highest key.
        groups: the columns of slices, clusters and names of schemas that are not fields, since a side lacks them.
    """

    first: Mapping[str, int]
    counted: Mapping[str, int]
    groups: frozenset[str] = frozenset()

    def warnings(self, table: RawTable) -> Iterator[DataWarning]:
        """Yield a warning about names that count from 1 and are read as keys."""
        for name, last in self.counted.items():
            problem = f"names such as {name!r}, numbered from 1 to {last:,}, are interpreted as keys, not as a list"
            remedy = f"for a list, name them {_as_element(name)!r} and so on"
            yield DataWarning("counted keys", Diagnostic((place_of(table),), problem=problem, remedy=remedy))


def list_paths(tables: Sequence[RawTable], options: ReadOptions) -> ListPaths:
    """Return where the paths of fields lead through lists: at brackets, and at numbers from 0 with few gaps.

    Args:
        tables: the rows of all sides, as they were read.
        options: how the rows are read.
    """
    labels = [name for name in (options.by, options.cluster, options.schema_by) if isinstance(name, str)]
    rows = [table.first() for table in tables] if labels else []
    groups = frozenset(
        name for name in labels if len(rows) == 1 or not all(isinstance(row, dict) and name in row for row in rows)
    )
    if not options.fields_in_columns and options.field_column is None:
        return ListPaths({}, {}, groups)
    names: dict[str, None] = {}
    for table in chain.from_iterable((each, *(each.runs or {}).values()) for each in tables):
        columns = (key for row in table.rows if isinstance(row, dict) for key in row)
        paths = columns if options.field_column is None else cells_of(table.rows, options.field_column)
        names.update(dict.fromkeys(str(path) for path in paths if isinstance(path, str | int)))
    if options.field_column is None:
        given = (getattr(options, option.name) for option in fields(options) if option.name.endswith(_COLUMNS))
        named = (part.strip() for column in given if isinstance(column, str) for part in (column, *column.split(",")))
        no_fields = {ID, *VALUE_KEYS, *named}
        names = {name: None for name in names if name not in no_fields}
    steps: dict[str, dict[str, str]] = {}  # by path, the next steps, each with a field that has it
    in_brackets = set()
    for name in names:
        in_brackets |= {_place(dotted(name[: match.start()])) for match in _BRACKETS.finditer(name)}
        parts = dotted(name).split(".")
        for number, step in enumerate(parts):
            steps.setdefault(_place(".".join(parts[:number])), {}).setdefault(step, name)
        if match := _COUNTED.fullmatch(name):
            steps.setdefault(f"{match[1]}_*_{match[3]}", {}).setdefault(match[2], name)
    numbered = {
        place: {int(step): name for step, name in at.items()} for place, at in steps.items() if _are_numbers(at)
    }
    first = {
        place: min(at)
        for place, at in numbered.items()
        if place in in_brackets or (0 in at and max(at) < 2 * len(at))  # not due.0, due.30, due.60
    }
    counted = {
        at[1]: len(at)
        for place, at in numbered.items()
        if place not in first and len(at) > 1 and at.keys() == {*range(1, len(at) + 1)}
    }
    return ListPaths(first, counted, groups)


_COLUMNS = ("_column", "by", "cluster")  # endings of the names of options whose columns are not fields


def _are_numbers(steps: Iterable[str]) -> bool:
    return all(re.fullmatch(r"0|[1-9]\d{0,8}", step) for step in steps)


def _place(path: str) -> str:
    """Return a path with dots, and `*` in place of its numbers."""
    return ".".join("*" if step.isdecimal() else step for step in path.split("."))


_COUNTED = re.compile(r"(\w*?[^\W\d])_(\d{1,9})_(\w+)")  # item_1_name


def _as_element(name: str) -> str:
    """Return a path with its first number as an index from 0.

    >>> _as_element("item_1_name"), _as_element("item.1")
    ('item[0].name', 'item[0]')
    """
    return re.sub(r"[._]1(?=[._]|$)[._]?", "[0].", name, count=1).removesuffix(".")


def document_of(
    cells: Mapping[str, Any], table: RawTable, place: PlacePart, lists: Mapping[str, int], path: str = ""
) -> Any:
    """Return the document of a row whose columns are its fields, with paths such as `items.0.price` as names.

    An index that no path has becomes null. List elements whose cells in a table are all empty are left out, since only
    other rows have them.

    Args:
        cells: the fields by their paths.
        table: the rows; cells in its columns may be untyped text, and an empty text is null.
        place: the table or the row, for messages.
        lists: as in `ListPaths.first`.
        path: the path that leads to the cells.

    Raises:
        ValueError: if there are no columns, the path of a column leads through another, or a list has a large gap.
    """
    parts: dict[str, dict[str, Any]] = {}
    if any(str(name).count(".") >= MAX_DEPTH for name in cells):
        raise InputValueError(TOO_DEEP.within(place))
    for name, cell in cells.items():
        step, _, rest = dotted(name).partition(".")
        parts.setdefault(step, {})[rest] = None if table.has_columns and isinstance(cell, str) and not cell else cell
    if not parts or any("" in part and len(part) > 1 for part in parts.values()):
        raise InputValueError(
            place=place,
            expected="names of fields, none of them part of the path of another",
            got=some_of(list(cells)) or "none",
        )
    values = {
        step: part[""] if "" in part else document_of(part, table, place, lists, f"{path}.{step}" if path else step)
        for step, part in parts.items()
    }
    first = lists.get(_place(path))
    if first is None:
        return values
    elements = {int(step): values[step] for step in parts}
    filled = {int(step) for step, part in parts.items() if any(cell is not None for cell in part.values())}
    empty = elements.keys() - filled if table.has_columns else set()
    end = max(elements.keys() - empty, default=first - 1) + 1
    if end - first > len(elements) + _MOST_GAPS:
        got = f"{end - 1:,} in a list of {len(elements):,}"
        raise InputValueError(place=place, expected=f"indices of {path!r} without large gaps", got=got)
    return [elements.get(index) for index in range(first, end) if index not in empty]


_MOST_GAPS = 1_000  # missing indices of a list

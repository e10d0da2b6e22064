"""The table model of results: rows of raw values with their texts, which Python and all renderers read."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from docscore.core.displayed import Displayed
from docscore.core.formatting import field_text, shown_name
from docscore.stats.intervals import Interval

LISTED = 10  # rows that a report shows by default

ColumnKind = Literal["text", "code", "number", "interval", "bar"]


class TableColumn(NamedTuple):
    """A column of a table.

    Attributes:
        name: the key of the values, such as "points_lost".
        head: the heading of the column.
        kind: "text" for words, "code" for text from the data, "number", "interval" for the two ends of an interval,
            "bar" for shares in [0, 1] that are rendered as bars.
        terminal: a short heading for terminals; "" to use `head`.
        extra: whether the column is hidden in displayed tables and only has raw values.
    """

    name: str
    head: str
    kind: ColumnKind = "number"
    terminal: str = ""
    extra: bool = False


class TableCell(NamedTuple):
    """A cell of a table.

    Attributes:
        value: the raw value; for an interval, its ends as a tuple; None if there is no value.
        text: the value as displayed.
        terminal: the value as displayed on a terminal; "" to use `text`.
        note: an explanation of the text, or why there is no value; "" for none.
        best: whether the value is the best of its column; best values are marked.
        suffix: text after the value that is not marked with it, such as an interval; "" for none.
    """

    value: Any
    text: str
    terminal: str = ""
    note: str = ""
    best: bool = False
    suffix: str = ""


@dataclass(eq=False, repr=False)
class Table(Displayed, list[dict[str, Any]]):
    """A table of a result: a list of rows, each a dict of raw values, which are not rounded.

    The columns of an interval in a row are "low", "high" and "interval_note".

    Attributes:
        caption: the heading of the table.
        heads: the columns.
        cells: the rows for renderers; each row has a cell for every column.
        unit: the name of the rows, in the plural.
        left_out: the number of rows that were cut off at the end.
        signatures: the signatures of the figures, shown below the table.
        footnotes: sentences shown below the table.
        legend: the footnotes that explain the marks; they belong in a caption.
        systems_from: the number of the first column that is a system; all columns after it are systems; 0 for none. If
            they do not fit on a terminal, the table is `stacked`.

    >>> import docscore
    >>> fields = docscore.evaluate(predictions=[{"a": "x", "b": "y"}], references=[{"a": "x", "b": "z"}]).fields
    >>> [(row["field"], row["score"]) for row in fields]
    [('b', 0.0), ('a', 1.0)]
    >>> fields.to_dict()["score"]
    [0.0, 1.0]
    """

    caption: str
    heads: tuple[TableColumn, ...]
    cells: tuple[tuple[TableCell, ...], ...]
    unit: str = "rows"
    left_out: int = 0
    signatures: tuple[str, ...] = ()
    footnotes: tuple[str, ...] = ()
    legend: tuple[str, ...] = ()
    systems_from: int = 0

    def __post_init__(self) -> None:
        super().__init__(dict(self._raw_values(row)) for row in self.cells)

    def _raw_values(self, row: Sequence[TableCell]) -> Iterator[tuple[str, Any]]:
        """Yield the raw values of a row by name; bars have no raw values."""
        for column, cell in zip(self.heads, row, strict=True):
            if column.kind == "interval":
                yield from zip(("low", "high"), cell.value or (None, None), strict=True)
                yield "interval_note", cell.note
            elif column.kind != "bar":
                yield column.name, cell.value

    @property
    def columns(self) -> list[str]:
        """The names of the raw values, also for a table without rows."""
        return [name for name, _ in self._raw_values([TableCell(None, "")] * len(self.heads))]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns by name, each a list with a value for every row, or None for a row without a value."""
        return {name: [row[name] for row in self] for name in self.columns}

    def to_pandas(self) -> Any:
        """Return the table as a `pandas.DataFrame`.

        Raises:
            ImportError: if pandas is not installed.
        """
        try:
            import pandas as pd  # noqa: PLC0415  not a dependency
        except ImportError as error:
            msg = "to_pandas needs pandas: pip install pandas"
            raise ImportError(msg) from error
        return pd.DataFrame(self.to_dict())

    def __repr__(self) -> str:
        return f"<Table {self.caption!r}, {len(self):,} rows: {', '.join(self.columns)}>"

    @property
    def note(self) -> str:
        """A sentence on how many of the rows are shown; "" if all are."""
        return f"{len(self):,} of {len(self) + self.left_out:,} {self.unit} are shown." if self.left_out else ""

    def first(self, count: int) -> "Table":
        """Return the table with at most `count` rows."""
        return replace(self, cells=self.cells[:count], left_out=self.left_out + max(0, len(self) - count))

    def shown(self, *, bars: bool = True) -> "Table":
        """Return the table without extra columns; with `bars=False`, also without columns of bars."""
        return self.without(*(c.name for c in self.heads if c.extra or (c.kind == "bar" and not bars)))

    def without(self, *names: str) -> "Table":
        """Return the table without the named columns."""
        kept = [number for number, column in enumerate(self.heads) if column.name not in names]
        return replace(
            self,
            heads=tuple(self.heads[number] for number in kept),
            cells=tuple(tuple(row[number] for number in kept) for row in self.cells),
        )

    def stacked(self) -> "Table":
        """Return the table with one row per system that has a value, instead of one column per system."""
        start = self.systems_from
        cells = tuple(
            (*row[:start], TableCell(system.name, system.head), cell)
            for row in self.cells
            for system, cell in zip(self.heads[start:], row[start:], strict=True)
            if cell.text
        )
        return replace(
            self,
            heads=(*self.heads[:start], TableColumn("system", "system", "text"), TableColumn("value", "value")),
            cells=cells,
            systems_from=0,
        )


Content = tuple[TableColumn, Callable[[Any], TableCell]]  # a column, and a function that returns its cell for an item

NO_VALUE = "–"  # the text of a cell without a value


def table_of(
    caption: str, items: Iterable[Any], *contents: Content, unit: str = "rows", signatures: Iterable[str] = ()
) -> Table:
    """Return a table with one row per item."""
    cells = tuple(tuple(cell_of(item) for _, cell_of in contents) for item in items)
    return Table(caption, tuple(column for column, _ in contents), cells, unit=unit, signatures=tuple(signatures))


def value_column(
    name: str,
    head: str,
    text: Callable[[Any], str] = "{:,}".format,
    value: Callable[[Any], Any] | None = None,
    *,
    kind: ColumnKind = "number",
    terminal: str = "",
    extra: bool = False,
    none: str = NO_VALUE,
) -> Content:
    """Return a column of values.

    Args:
        name: the key of the values.
        head: the heading of the column.
        text: a function that formats a value.
        value: a function that returns the value of an item; None for its attribute, or its key, of this name.
        kind: as in `TableColumn`.
        terminal: as in `TableColumn`.
        extra: as in `TableColumn`.
        none: the text for None.
    """

    def cell_of(item: Any) -> TableCell:
        return number_cell(_part(item, name) if value is None else value(item), text, none)

    return TableColumn(name, head, kind, terminal, extra), cell_of


def _part(item: Any, name: str) -> Any:
    return item[name] if isinstance(item, dict) else getattr(item, name)


def text_column(name: str, head: str, value: Callable[[Any], str] | None = None, kind: ColumnKind = "code") -> Content:
    """Return a column of text from the data, or of words if the kind is "text"."""
    return value_column(name, head, shown_name, value, kind=kind)


def field_column(path: Callable[[Any], str] | None = None, head: str = "field") -> Content:
    """Return a column "field" of the paths of fields, by default the key or attribute "field" of the items."""
    return value_column("field", head, field_text, path, kind="code")


def interval_column(
    text: Callable[[float], str], interval: Callable[[Any], Interval | None] | None = None, terminal: str = ""
) -> Content:
    """Return a column of intervals, by default the attribute `interval` of the items.

    Args:
        text: a function that formats an end.
        interval: a function that returns the interval of an item. Without ends, the cell is a dash, and its note is the
            reason.
        terminal: the format of both ends on a terminal, if it differs.
    """

    def cell_of(item: Any) -> TableCell:
        found: Interval | None = _part(item, "interval") if interval is None else interval(item)
        if found is None or found.ends is None:
            return TableCell(None, NO_VALUE, note=found.note if found else "")
        ends = " to ".join(map(text, found.ends))
        return TableCell(found.ends, ends, terminal.format(*found.ends), found.note, suffix=found.mark)

    return TableColumn("interval", "interval", "interval"), cell_of


def number_cell(number: float | None, text: Callable[[Any], str] = "{:,}".format, none: str = NO_VALUE) -> TableCell:
    """Return the cell of a number, or the text `none` if there is no number."""
    return TableCell(number, none if number is None else text(number))

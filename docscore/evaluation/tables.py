"""The table that every renderer takes, with typed cells of a raw value and its text; and the tables of results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from docscore.core.display import Displayed

LISTED = 10  # documents that a report shows, where nothing else is asked for

ColumnKind = Literal["text", "code", "number", "interval", "bar"]


class TableColumn(NamedTuple):
    """A column of a table.

    Attributes:
        name: the key of its values, such as "points_lost".
        head: its heading.
        kind: "text" for words, "code" for text from the data, "number", "interval" for the two ends of an interval,
            "bar" for shares in [0, 1] that are drawn as bars.
        terminal: a short heading for terminals; "" to use `head`.
        extra: whether it is hidden in displayed tables and only part of the raw values.
    """

    name: str
    head: str
    kind: ColumnKind = "number"
    terminal: str = ""
    extra: bool = False


class TableCell(NamedTuple):
    """A cell of a table.

    Attributes:
        value: the raw value; for an interval its ends as a tuple; None if there is none.
        text: the value as displayed.
        terminal: the value as displayed on a terminal; "" to use `text`.
        note: an explanation of the text, or why there is no value; "" for none.
        best: whether it is the best of its column, which is marked.
        suffix: text behind the value that is not marked with it, such as an interval; "" for none.
    """

    value: Any
    text: str
    terminal: str = ""
    note: str = ""
    best: bool = False
    suffix: str = ""


@dataclass(frozen=True)
class ReportTable:
    """A table of a report, independent of the output format.

    Attributes:
        caption: the heading of the table.
        columns: the columns.
        rows: the rows; each has a cell for every column.
        unit: the name of the rows, in the plural.
        left_out: the number of rows cut off at the end.
        signatures: the signatures of the figures, shown below the table.
        remarks: sentences shown below the table, such as on what its marks mean.
        systems_from: the number of the first of the columns that are systems, which are the last ones; 0 for none.
            Where they are too many for a terminal, the table is `stacked`.
    """

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    unit: str = "rows"
    left_out: int = 0
    signatures: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    systems_from: int = 0

    @property
    def note(self) -> str:
        """A sentence on how many of the rows are shown; "" if all are."""
        shown = len(self.rows)
        return f"{shown:,} of {shown + self.left_out:,} {self.unit} are shown." if self.left_out else ""

    def first(self, count: int) -> ReportTable:
        """The table with at most `count` rows."""
        return replace(self, rows=self.rows[:count], left_out=self.left_out + max(0, len(self.rows) - count))

    def shown(self, *, bars: bool = True) -> ReportTable:
        """The table without extra columns; with `bars=False` also without columns of bars."""
        return self.without(*(c.name for c in self.columns if c.extra or (c.kind == "bar" and not bars)))

    def without(self, *names: str) -> ReportTable:
        """The table without the named columns."""
        kept = [number for number, column in enumerate(self.columns) if column.name not in names]
        return replace(
            self,
            columns=tuple(self.columns[number] for number in kept),
            rows=tuple(tuple(row[number] for number in kept) for row in self.rows),
        )

    def stacked(self) -> ReportTable:
        """The table with a row for each system that has a value, in place of a column for each system."""
        start = self.systems_from
        rows = tuple(
            (*row[:start], TableCell(system.name, system.head), cell)
            for row in self.rows
            for system, cell in zip(self.columns[start:], row[start:], strict=True)
            if cell.text
        )
        columns = (*self.columns[:start], TableColumn("system", "system", "text"), TableColumn("value", "value"))
        return replace(self, columns=columns, rows=rows, systems_from=0)

    def records(self) -> list[dict[str, Any]]:
        """The raw values, one dict for each row; an interval as "low" and "high", without bars.

        >>> columns = TableColumn("field", "field", "code"), TableColumn("interval", "interval", "interval")
        >>> ReportTable("", columns, ((TableCell("a", "a"), TableCell((0.5, 1.0), "0.5 to 1")),)).records()
        [{'field': 'a', 'low': 0.5, 'high': 1.0}]
        """
        return [dict(self._raw_values(row)) for row in self.rows]

    @property
    def names(self) -> list[str]:
        """The names of the raw values."""
        nothing = [TableCell(None, "")] * len(self.columns)
        return [name for name, _ in self._raw_values(nothing)]

    def _raw_values(self, row: Sequence[TableCell]) -> Iterator[tuple[str, Any]]:
        for column, cell in zip(self.columns, row, strict=True):
            if column.kind == "interval":
                yield from zip(("low", "high"), cell.value or (None, None), strict=True)
            elif column.kind != "bar":
                yield column.name, cell.value


class Table(Displayed, list[dict[str, Any]]):
    """A table of a result: a list of its rows, whose values are not rounded; only its text is.

    A row is a dict, in which an interval has the keys "low" and "high".

    Attributes:
        table: the table as renderers take it.

    >>> import docscore
    >>> fields = docscore.evaluate(predictions=[{"a": "x", "b": "y"}], references=[{"a": "x", "b": "z"}]).fields
    >>> [(row["field"], row["score"]) for row in fields]
    [('b', 0.0), ('a', 1.0)]
    >>> fields.to_dict()["score"]
    [0.0, 1.0]
    """

    def __init__(self, table: ReportTable) -> None:
        super().__init__(table.records())
        self.table = table

    @property
    def columns(self) -> list[str]:
        """The names of the columns; those of a table without rows too."""
        return self.table.names

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, each a list with a value for every row; None where there is no value."""
        return {name: [row[name] for row in self] for name in self.columns}

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`.

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
        return f"<Table {self.table.caption!r}, {len(self):,} rows: {', '.join(self.columns)}>"

"""A table of a result: rows to iterate, columns for data frames, text for consoles and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docscore.integrations.data_frames import frame_of_columns
from docscore.report.console import print_table, printed
from docscore.report.notebook import table_in_notebook
from docscore.report.table_model import ReportTable

_MOST_PRINTED = 100  # rows


class ResultTable:
    """A table of a result; its values are not rounded, only its text is.

    Iterating yields a dict for each row, in which an interval has the keys "low" and "high".

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
        self.table = table
        self._rows = table.records()

    @property
    def columns(self) -> list[str]:
        """The names of the columns; those of a table without rows too."""
        names = []
        for column in self.table.columns:
            if column.kind != "bar":
                names += ["low", "high"] if column.kind == "interval" else [column.name]
        return names

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, number: int) -> dict[str, Any]:
        return self._rows[number]

    def to_dict(self) -> dict[str, list[Any]]:
        """The columns by name, each a list with a value for every row; None where there is no value."""
        return {name: [row[name] for row in self._rows] for name in self.columns}

    def to_pandas(self) -> Any:
        """The table as a `pandas.DataFrame`.

        Raises:
            ImportError: if pandas is not installed.
        """
        return frame_of_columns(self.to_dict())

    def __repr__(self) -> str:
        return f"<ResultTable {self.table.caption!r}, {len(self):,} rows: {', '.join(self.columns)}>"

    def __str__(self) -> str:
        return printed(print_table, self.table.first(_MOST_PRINTED)).strip("\n")

    def _repr_html_(self) -> str:
        return table_in_notebook(self.table)

"""The tables of results, of one system and of comparisons: lists of rows that print, and that notebooks draw."""

from __future__ import annotations

from typing import Any

from docscore.report.table_model import ReportTable

LISTED = 10  # documents that a report shows, where nothing else is asked for
_MOST_PRINTED = 100  # rows of a table


class Table(list[dict[str, Any]]):
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

    def __str__(self) -> str:
        from docscore.report.console import print_table, printed  # noqa: PLC0415  needs rich

        return printed(print_table, self.table.first(_MOST_PRINTED)).strip("\n")

    def _repr_html_(self) -> str:
        from docscore.report.html_report import table_in_notebook  # noqa: PLC0415  needs jinja2

        return table_in_notebook(self.table)


def content_table(name: str, *arguments: object) -> Table:
    """The table that a function of `docscore.report.content` makes; reports are imported when one is looked at."""
    from docscore.report import content  # noqa: PLC0415

    return Table(getattr(content, name)(*arguments))

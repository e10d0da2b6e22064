"""Which predicted values stand in the documents that they were read from, and which stand nowhere in them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from docscore.core.formatting import share_text
from docscore.core.places import PlacesByPath
from docscore.core.values import Scalar, Value, field_of, value_excerpt
from docscore.data.documents import Document
from docscore.evaluation.tables import (
    Table,
    TableCell,
    TableColumn,
    field_column,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.stats.intervals import Interval, Ratios

WHERE = {
    "document": "in the document",
    "page": "on a cited page",
    "box": "in a cited box",
    "quote": "in a cited quote, which stands there",
}
_Field = tuple[str, Scalar]  # the path of a field, and a value in it


class RowStanding(NamedTuple):
    """What of the values of a prediction stands in its document.

    Attributes:
        hits: how many values stand in each place of `WHERE`.
        totals: how many could; of cited places those that are cited so.
        nowhere: the values that do not stand in the document, with their fields.
    """

    hits: Sequence[int] = (0,) * len(WHERE)
    totals: Sequence[int] = (0,) * len(WHERE)
    nowhere: Sequence[_Field] = ()


def standing_of(document: Document, prediction: Value, citations: PlacesByPath) -> RowStanding:
    """Look up the values of a prediction in its document.

    Null, booleans, zero, single digits, and short values that stand anywhere are not looked up.

    Args:
        document: the document.
        prediction: its prediction.
        citations: the cited places of its values, by path.
    """
    checks, nowhere = [], []
    for path, value, occurrences in document.looked_up(prediction):
        if occurrences is None:
            continue
        if not occurrences:
            nowhere.append((field_of(path), value))
        cited = citations.get(path, ())
        pages = [place._replace(boxes=()) for place in cited if place.page is not None]
        boxes = [place for place in cited if place.boxes] if document.boxes is not None else []
        quotes = [place for place in cited if place.quote]
        checks.append(
            (
                bool(occurrences),
                any(document.has_at(value, place) for place in pages) if pages else None,
                any(document.has_at(value, place) for place in boxes) if boxes else None,
                any(document.has_quote(value, place) for place in quotes) if quotes else None,
            )
        )
    columns = list(zip(*checks, strict=True)) or [()] * len(WHERE)
    hits, totals = [column.count(True) for column in columns], [len(column) - column.count(None) for column in columns]
    return RowStanding(hits, totals, nowhere)


class Standing:
    """What of the predicted values of a test set stands in its documents; a rate, not a score.

    A derived value, such as a code for a country, stands nowhere and is no error.

    Args:
        rows: what stands in each of the n documents.
        names: their ids.
        intervals: the interval of each share of `WHERE`; None where none was asked for.
        without_text: how many documents have no text.
    """

    def __init__(
        self, rows: Sequence[RowStanding], names: Sequence[str], intervals: Sequence[Interval | None], without_text: int
    ) -> None:
        self.rows, self.names, self.intervals, self.without_text = rows, names, intervals, without_text

    def to_dict(self) -> dict[str, Any]:
        """Return the number of documents without a text, the shares and the values that stand nowhere."""
        shares = list(self.standing if self.intervals[0] is not None else self.standing.without("interval"))
        return {"without_text": self.without_text, "shares": shares, "nowhere": list(self.nowhere)}

    @cached_property
    def standing(self) -> Table:
        """Return the shares of the predicted values that stand in the document, and where they are cited."""
        sums = ratios_of_standing(self.rows)
        counts = zip(WHERE, sums.earned.sum(0).tolist(), sums.totals.tolist(), self.intervals, strict=True)
        return table_of(
            "Predicted values that stand in the document",
            [(name, int(hits), int(total), interval) for name, hits, total, interval in counts if total],
            (TableColumn("where", "they stand", "text"), lambda item: TableCell(item[0], WHERE[item[0]])),
            value_column("share", "share", share_text, lambda item: item[1] / item[2]),
            interval_column(share_text, lambda item: item[3]),
            (TableColumn("hits", "count"), lambda item: TableCell(item[1], f"{item[1]:,} of {item[2]:,}")),
            value_column("total", "of", value=lambda item: item[2], extra=True),
            unit="places",
        )

    @cached_property
    def nowhere(self) -> Table:
        """Return the values that stand nowhere in the document, those that were seen most often first."""
        documents: dict[_Field, list[str]] = defaultdict(list)
        for name, row in zip(self.names, self.rows, strict=True):
            for place in row.nowhere:
                documents[place].append(name)
        return table_of(
            "Values that stand nowhere in the document, most frequent first",
            sorted(documents.items(), key=lambda item: -len(item[1])),
            (TableColumn("value", "value", "code"), lambda item: TableCell(item[0][1], value_excerpt(item[0][1]))),
            field_column(lambda item: item[0][0]),
            value_column("times", "times", value=lambda item: len(item[1])),
            value_column("documents", "documents", value=lambda item: len(Counter(item[1]))),
            text_column("question_id", "such as", lambda item: item[1][0]),
            unit="values",
        )


def ratios_of_standing(rows: Sequence[RowStanding]) -> Ratios:
    """Return the shares of `WHERE` as ratios of sums over the n rows."""
    hits, totals = (np.array([getattr(row, name) for row in rows], dtype=np.float64) for name in ("hits", "totals"))
    return Ratios(hits, totals)

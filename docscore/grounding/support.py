"""Which predicted values are found in the documents that they were read from, and which are not."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from docscore.core.errors import DataWarning, Diagnostic
from docscore.core.runtime import Progress, grouped, no_progress, watched
from docscore.core.values import Scalar, Value, field_of
from docscore.grounding.document_folder import DocumentFolder
from docscore.grounding.document_text import DocumentText
from docscore.grounding.regions import NO_REGIONS, RegionsByPath
from docscore.inputs.test_set import TestSet
from docscore.stats.intervals import Interval, Ratios

WHERE = {
    "document": "in the document",
    "page": "on a cited page",
    "box": "in a cited box",
    "quote": "in a cited quote that the document has",
}
_Field = tuple[str, Scalar]  # the path of a field, and a value in it


class RowSupport(NamedTuple):
    """The values of a prediction that are found in its document.

    Attributes:
        hits: the number of values that are found, for each part of `WHERE`.
        totals: the number of values that are looked up; for cited regions, the number with such a citation.
        not_found: the values that are not found in the document, with their fields.
    """

    hits: Sequence[int] = (0,) * len(WHERE)
    totals: Sequence[int] = (0,) * len(WHERE)
    not_found: Sequence[_Field] = ()


def support_of(document: DocumentText, prediction: Value, citations: RegionsByPath) -> RowSupport:
    """Look up the values of a prediction in its document.

    Null, booleans, zero, single digits, and short values that occur anywhere are not looked up.

    Args:
        document: the document.
        prediction: its prediction.
        citations: the cited regions of its values, by path.
    """
    checks, not_found = [], []
    for path, value, occurrences in document.find_scalars(prediction):
        if occurrences is None:
            continue
        if not occurrences:
            not_found.append((field_of(path), value))
        cited = citations.get(path, ())
        pages = [place._replace(boxes=()) for place in cited if place.page is not None] if document.has_pages else []
        boxes = [place for place in cited if place.boxes] if document.has_boxes(occurrences) else []
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
    return RowSupport(hits, totals, not_found)


def support_in(
    folder: DocumentFolder, test_set: TestSet, progress: Progress = no_progress
) -> tuple["DocumentSupport", list[DataWarning]]:
    """Look up the predictions of a test set in the complete texts of a folder, and warn of documents without a text.

    Texts that could not be parsed are not looked up.
    """
    names, count, failed = test_set.document_ids or test_set.ids, len(test_set.ids), test_set.failed or ()
    places, rows, without_text = test_set.places or [NO_REGIONS] * count, [RowSupport()] * count, 0
    for number, document in enumerate(watched(folder.read_all(names), progress, "Looking up", len(names))):
        if document is None:
            without_text += 1
        if document is None or not document.is_complete:
            continue
        for row in range(number, count, len(names)):
            prediction = None if row in failed else test_set.predictions[row]
            rows[row] = support_of(document, prediction, places[row].citations)
    problem = folder.warning(len(names)) if test_set.is_full else ""
    diagnostic = Diagnostic(("documents",), problem=problem)
    warnings = [DataWarning("documents without a text", diagnostic)] if problem else []
    return DocumentSupport(rows, names * test_set.runs, without_text), warnings


class DocumentSupport:
    """The predicted values of a test set that are found in their documents: a rate, not a score.

    A derived value, such as a country code, may be right although it is not found.

    Args:
        rows: the support of each of the n documents.
        names: the ids of the documents.
        without_text: how many documents have no text.

    Attributes:
        intervals: the interval of each share of `WHERE`; empty if none was requested.
    """

    def __init__(self, rows: Sequence[RowSupport], names: Sequence[str], without_text: int) -> None:
        self.rows, self.names, self.without_text = rows, names, without_text
        self.intervals: Mapping[str, Interval] = {}

    @property
    def ratios(self) -> Ratios:
        """The shares of `WHERE` as ratios of sums over the n rows."""
        columns = ([row.hits for row in self.rows], [row.totals for row in self.rows])
        return Ratios(*(np.array(column, dtype=np.float64) for column in columns))

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return two tables in plain types: "found", the shares of `WHERE`, and "not_found", most frequent first."""
        sums = self.ratios
        counts = zip(WHERE, sums.earned.sum(0).tolist(), sums.totals.tolist(), strict=True)
        found = [
            {"where": where, "share": hits / total, **self._ends_of(where), "hits": int(hits), "total": int(total)}
            for where, hits, total in counts
            if total
        ]
        documents = grouped(
            (place, name) for name, row in zip(self.names, self.rows, strict=True) for place in row.not_found
        )
        not_found = [
            {"value": value, "field": field, "times": len(names), "documents": len(set(names)), "question_id": names[0]}
            for (field, value), names in documents.items()
        ]
        return {"found": found, "not_found": sorted(not_found, key=lambda row: -row["times"])}

    def _ends_of(self, where: str) -> dict[str, Any]:
        interval = self.intervals.get(where)
        return {"low": interval.low, "high": interval.high, "interval_note": interval.note} if interval else {}

    def to_dict(self) -> dict[str, Any]:
        """Return the number of documents without a text, and both tables."""
        return {"without_text": self.without_text, **self.tables()}

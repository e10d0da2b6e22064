"""The figures of a test set with their intervals: of metrics, of slices, and rates of documents and of values."""

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from docscore.core.formatting import FOUR_DIGITS, share_text, shown_name
from docscore.evaluation.tables import (
    Table,
    TableCell,
    TableColumn,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.metrics.base import FigureName
from docscore.metrics.kieval import KieScore
from docscore.stats.intervals import Interval, Ratios, intervals_of, wilson_interval


class Figure(NamedTuple):
    """A figure of a metric over a test set.

    Attributes:
        name: the key of results, such as "kieval_entity_f1".
        label: its name in tables, such as "KIEval Entity F1".
        value: in [0, 1]; 1 is best.
        interval: the confidence interval from resampled documents; None if not requested.
    """

    name: str
    label: str
    value: float
    interval: Interval | None = None


def figures_of(names: Sequence[FigureName], ratios: Ratios, confidence: float | None, **drawing: Any) -> list[Figure]:
    """Return ratios as figures with their intervals; without a confidence level there are no intervals.

    Args:
        names: of k figures.
        ratios: k ratios of sums.
        confidence: the level of the intervals, or None.
        drawing: keywords of `intervals_of`.
    """
    intervals: Sequence[Interval | None] = (
        [None] * len(names) if confidence is None else intervals_of(ratios, confidence, **drawing)
    )
    figures = zip(names, ratios.values.tolist(), intervals, strict=True)
    return [Figure(*name, value, interval) for name, value, interval in figures]


def ends_by_name(figures: Iterable[Figure]) -> dict[str, Any]:
    """Return the ends of the intervals by figure, under "confidence_intervals"; an empty dict without intervals."""
    ends = {figure.name: figure.interval.ends for figure in figures if figure.interval is not None}
    return {"confidence_intervals": ends} if ends else {}


def figures_table(figures: Iterable[Figure], signatures: Iterable[str]) -> Table:
    """Return the figures of metrics with their intervals."""
    return table_of(
        "Metrics",
        figures,
        value_column("name", "name", str, kind="code", extra=True),
        text_column("label", "metric", kind="text"),
        (
            TableColumn("value", "value"),
            lambda figure: TableCell(figure.value, f"{figure.value:.4f}", terminal=f"{figure.value:.6f}"),
        ),
        interval_column(FOUR_DIGITS),
        unit="figures",
        signatures=signatures,
    )


class Slice(NamedTuple):
    """The rows of a test set that share a value.

    Attributes:
        value: the value, as text; None for all rows.
        documents: how many documents there are; one of several runs counts once.
        figures: the figures over these rows, with their intervals.
    """

    value: str | None
    documents: int
    figures: list[Figure]

    def to_dict(self) -> dict[str, Any]:
        """Return the value, the number of documents and the figures in plain types."""
        values: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        return {"value": self.value, "documents": self.documents, **values, **ends_by_name(self.figures)}


def slices_table(slices: Iterable[Slice], by: str) -> Table:
    """Return the figures of the slices with their intervals: a row for each slice and figure."""
    return table_of(
        f"Slices by {shown_name(by)}, those of most documents first",
        [(part, figure) for part in slices for figure in part.figures],
        text_column("value", by, lambda item: item[0].value),
        value_column("documents", "documents", value=lambda item: item[0].documents),
        text_column("metric", "metric", lambda item: item[1].label, "text"),
        value_column("figure", "figure", FOUR_DIGITS, lambda item: item[1].value),
        interval_column(FOUR_DIGITS, lambda item: item[1].interval),
    )


class RateCounts(NamedTuple):
    """The counts of a rate in each of n rows.

    Attributes:
        unit: whether documents or the values in them are counted.
        hits: the numerator of each row.
        totals: the denominator of each row; 1 of documents.
    """

    unit: Literal["documents", "values"]
    hits: list[int]
    totals: list[int]


class Rate(NamedTuple):
    """A share of documents or of values.

    Attributes:
        name: what is counted.
        hits: the number of documents or values that are counted.
        total: the number of all documents or values.
        interval: Wilson's for independent documents; for values, which come in documents, and for documents that come
            in clusters, the one from resampled documents or clusters; None if not requested.
    """

    name: str
    hits: int
    total: int
    interval: Interval | None

    @property
    def value(self) -> float | None:
        """Hits / total, in [0, 1]; None where there is nothing to count."""
        return self.hits / self.total if self.total else None


def rates_of(counts: Mapping[str, RateCounts], resampled: Sequence[Interval], wilson: float | None) -> list[Rate]:
    """Return rates with their intervals.

    Args:
        counts: by the name of the rate.
        resampled: the interval of each rate over resampled documents; empty if not requested.
        wilson: the level of the intervals of rates of documents that are independent; None where they are not, or
            where no interval is requested.
    """
    rates = []
    for number, (name, (unit, hits, totals)) in enumerate(counts.items()):
        rate = Rate(name, sum(hits), sum(totals), resampled[number] if resampled else None)
        if unit == "documents" and wilson is not None:
            rate = rate._replace(interval=wilson_interval(rate.hits, rate.total, confidence=wilson))
        rates.append(rate)
    return rates


def rates_table(rates: Iterable[Rate]) -> Table:
    """Return rates with their intervals."""
    return table_of(
        "Rates: shares of documents and of values",
        rates,
        text_column("rate", "rate", attrgetter("name"), "text"),
        value_column("value", "value", share_text),
        interval_column(share_text),
        (TableColumn("hits", "count"), lambda rate: TableCell(rate.hits, f"{rate.hits:,} of {rate.total:,}")),
        value_column("total", "of", extra=True),
        unit="rates",
    )


def kieval_tables(score: KieScore) -> list[Table]:
    """Return the counts of KIEval in two tables, of entities and of groups, in total and by type."""
    total = KieScore(by_entity={"all": score.entities}, by_group={"all": score.groups}).tables()
    by_type = score.tables()
    edits = ("substitutions", "additions", "deletions")
    entities = sorted(by_type["entities"], key=lambda row: -sum(row[edit] for edit in edits))
    share = "{:.3f}".format
    return [
        table_of(
            "Entities by type, most corrections first",
            total["entities"] + entities,
            text_column("entity", "entity"),
            value_column("f1", "F1", share),
            value_column("precision", "precision", share, extra=True),
            value_column("recall", "recall", share, extra=True),
            value_column("aligned", "aligned", share),
            value_column("true_positives", "right"),
            *map(value_column, edits, ("to change", "to add", "to delete")),
            unit="types of entities",
        ),
        table_of(
            "Groups by type",
            total["groups"] + by_type["groups"],
            text_column("group", "group"),
            value_column("f1", "F1", share),
            *(value_column(outcome, outcome) for outcome in ("right", "wrong", "missed", "invented")),
            unit="types of groups",
        ),
    ]

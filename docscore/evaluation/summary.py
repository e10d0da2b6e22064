"""The summary of a scored test set: the mean with its interval, fields, causes of lost points and rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from docscore.core.runtime import Progress, no_progress
from docscore.evaluation.fields import Field, FieldTable, ListRows, Losses, ValueCounts, as_float
from docscore.evaluation.scores import CorpusScore
from docscore.metrics.anls_star.causes import CAUSES, Cause, FieldCounts
from docscore.metrics.registry import METRICS
from docscore.stats.intervals import (
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Interval,
    Ratios,
    check_confidence,
    check_whole,
    intervals_of,
    side_by_side,
    wilson_interval,
)

MOST_FIELDS_TESTED = 200  # only so many fields, those of most weight, get an interval or are compared


@dataclass(frozen=True, repr=False)
class Analysis:
    """The fields of a scored test set, and the causes of its lost points.

    Attributes:
        scores: the scores.
        fields: the fields, in the order in which they first occur.
        lists: the counts of list elements, by path.
        lost: for each cause its share of 1 - mean; the shares add up to 1 - mean.
        values: for each document the number of expected, missing, predicted and extra values.
        losses: for each document the points lost by field and cause, as shares of 1 - its score.
    """

    scores: CorpusScore
    fields: list[Field]
    lists: list[ListRows]
    lost: dict[Cause, float]
    values: list[ValueCounts]
    losses: list[Losses]

    def __repr__(self) -> str:
        return f"<Analysis {len(self.fields):,} fields of {self.scores!r}>"

    def points_lost(self, field: Field) -> float:
        """The share of a field in 1 - mean; the shares of all fields add up to 1 - mean."""
        return field.points_lost / self.scores.whole

    def by_loss(self) -> list[Field]:
        """The fields, most points lost first."""
        return sorted(self.fields, key=lambda field: -field.points_lost)


def analyse(scores: CorpusScore, progress: Progress = no_progress) -> Analysis:
    """Return the fields and losses of a scored test set.

    Args:
        scores: the rows scored with a metric: fields come from its score trees, or are its types of entities.
        progress: called when the phase "Explaining" begins.

    >>> from docscore.evaluation import score_corpus
    >>> from docscore.data.pairing import pairs_of
    >>> scores = score_corpus(pairs_of([{"n": "tea"}, {"n": "rum"}], [{"n": "tea"}, {"n": "rum", "p": "3"}]))
    >>> {cause: lost for cause, lost in analyse(scores).lost.items() if lost}
    {'missing field': 0.25}
    """
    table, counts = FieldTable(), FieldCounts()
    failed, absent = scores.failed or frozenset(), scores.absent or frozenset()
    metric = METRICS[scores.metric]
    if metric.field_source == "tree":
        explained = progress("Explaining", len(scores.ids))
        for number in range(len(scores.ids)):
            parsed, missing = number not in failed, number in absent
            metric.count_fields(counts, scores.row(number), scores.options, parsed=parsed, absent=missing)
            table.add(number, counts)
            explained(1)
    else:
        for number, points in enumerate(scores.points):
            table.add_sums(number, metric.field_sums(points))
    fields = list(table.fields.values())
    lost = {cause: as_float(sum(field.lost_units[cause] for field in fields)) / scores.whole for cause in CAUSES}
    return Analysis(scores, fields, list(table.lists.values()), lost, table.values, table.losses)


def fields_as_ratios(fields: Sequence[Field], documents: int) -> Ratios:
    """The scores of fields as ratios of sums over documents, k columns in their order."""
    earned, weight = np.zeros((documents, len(fields))), np.zeros((documents, len(fields)))
    for column, field in enumerate(fields):
        numbers = np.array(field.numbers, dtype=np.intp)
        earned[numbers, column], weight[numbers, column] = field.document_earned, field.document_weight
    return Ratios(earned, weight)


_LEFT_OUT = Interval(note=f"only the {MOST_FIELDS_TESTED} fields of most weight have an interval")


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

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        ends = {} if self.interval is None else {"low": self.interval.low, "high": self.interval.high}
        return {"rate": self.name, "value": self.value, **ends, "hits": self.hits, "total": self.total}


@dataclass(frozen=True, repr=False)
class Summary:
    """The summary of a scored test set.

    Attributes:
        scores: the scores.
        confidence: the level of the intervals; None if not requested.
        interval: of the mean.
        analysis: fields and causes; None if not requested.
        field_intervals: of the score of each field, by path.
        rates: of documents and values.
    """

    scores: CorpusScore
    confidence: float | None
    interval: Interval | None
    analysis: Analysis | None
    field_intervals: dict[str, Interval]
    rates: list[Rate]

    def __repr__(self) -> str:
        ends = None if self.interval is None else self.interval.ends
        interval = "" if ends is None else " [{:.4f}, {:.4f}]".format(*ends)
        fields = "" if self.analysis is None else f", {len(self.analysis.fields):,} fields"
        return f"<Summary {self.scores.metric} {self.scores.mean:.4f}{interval}, {len(self.scores.ids):,} rows{fields}>"

    def to_dict(self, *, per_sample: bool = False, signature: bool = False) -> dict[str, Any]:
        """The attributes in plain types, tables as lists of dicts."""
        result: dict[str, Any] = {self.scores.score_key: self.scores.mean}
        if self.interval is not None:
            result["confidence_interval"] = self.interval.ends
            result["standard_error"] = self.interval.standard_error
            if self.interval.note:
                result["confidence_note"] = self.interval.note
        if self.scores.pairs.clusters is not None:
            result["clusters"] = len(set(self.scores.pairs.clusters))
        result |= self.scores.counts()
        if self.analysis is not None:
            whole = self.scores.whole
            result["points_lost"] = {str(cause): lost for cause, lost in self.analysis.lost.items()}
            result["key_scores"] = [
                field.to_dict(whole, self.field_intervals.get(field.path)) for field in self.analysis.fields
            ]
            result["lists"] = [each.to_dict() for each in self.analysis.lists]
            result["rates"] = [rate.to_dict() for rate in self.rates]
        if per_sample:
            result["per_sample"] = self.scores.samples()
            if self.scores.options.parse_mode is not None:
                result["parsed_ids"] = self.scores.parsed_ids()
        if signature:
            result["signature"] = self.scores.signature
        return result


def summarise(
    scores: CorpusScore,
    *,
    fields: bool = False,
    analysis: Analysis | None = None,
    confidence: float | None = None,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Summary:
    """Summarise a scored test set.

    Args:
        scores: the result of `score_corpus`.
        fields: whether to include fields, causes of lost points and rates.
        analysis: the fields and causes, if they were computed before.
        confidence: the level of the intervals, between 0 and 1; None for none.
        seed: the seed of the random numbers of the intervals.
        progress: called when the phases "Explaining" and "Resampling" begin.

    Raises:
        TypeError, ValueError: for a confidence that is not a number between 0 and 1, and for a seed below 0.

    >>> from docscore.evaluation import score_corpus
    >>> from docscore.data.pairing import pairs_of
    >>> scores = score_corpus(pairs_of(["tea", "run", "x", "y"], ["tea", "rum", "x", "z"]))
    >>> low, high = summarise(scores, confidence=0.95).interval.ends
    >>> low < scores.mean < high
    True
    """
    check_whole("seed", seed, 0)
    if fields and analysis is None:
        analysis = analyse(scores, progress)
    events: dict[str, list[bool]] = {}  # for each rate of documents, whether each document counts
    heaviest: list[Field] = []
    if analysis is not None:
        heaviest = sorted(analysis.fields, key=lambda field: -field.weight)
        events = {
            "documents without a fault": [score == 1 for score in scores.scores],
        }
        if analysis.values:
            events["documents that lack a value"] = [counts.missing > 0 for counts in analysis.values]
            events["documents with an invented value"] = [counts.extra > 0 for counts in analysis.values]
        for name, rows in (("texts that could not be parsed", scores.failed), ("missing predictions", scores.absent)):
            if rows is not None:
                events[name] = [number in rows for number in range(len(scores.ids))]
    found: list[Interval] = []
    if confidence is not None:
        tested = heaviest[:MOST_FIELDS_TESTED]
        level, resampled = check_confidence(confidence), progress("Resampling", RESAMPLES)
        for ratios in _resampled_together(scores, _parts(scores, analysis, events, tested)):
            found += intervals_of(ratios, level, seed=seed, resampled=resampled)
    before_fields = 1 + len(events) + (2 if analysis is not None and analysis.values else 0)
    return Summary(
        scores,
        confidence,
        found[0] if found else None,
        analysis,
        {
            field.path: found[before_fields + column] if column < MOST_FIELDS_TESTED else _LEFT_OUT
            for column, field in enumerate(heaviest if found else [])
        },
        _rates(analysis, events, confidence, found[1:before_fields]) if analysis is not None else [],
    )


def _parts(
    scores: CorpusScore, analysis: Analysis | None, events: dict[str, list[bool]], fields: Sequence[Field]
) -> Iterator[Ratios]:
    """The ratios that get an interval, each made when it is asked for: mean, rates, and each of the fields."""
    yield scores.ratio
    if analysis is not None:
        hits = np.array(list(events.values()), dtype=np.float64).T
        yield Ratios(hits, np.ones_like(hits))
        if analysis.values:
            values = np.array(analysis.values, dtype=np.float64)
            yield Ratios(values[:, [1, 3]], values[:, [0, 2]])  # omissions and hallucinations
        yield from (fields_as_ratios([field], len(scores.ids)) for field in fields)


def _resampled_together(scores: CorpusScore, parts: Iterator[Ratios]) -> Iterator[Ratios]:
    """The ratios over documents or clusters: all side by side, or one after the other where these are many.

    Many are not resampled (`docscore.stats.intervals`), so that there is nothing to share, and all ratios of a million
    documents would take gigabytes.
    """
    clusters = scores.clusters
    by_unit = parts if clusters is None else (part.by_cluster(clusters) for part in parts)
    units = len(scores.ids) if clusters is None else int(clusters.max()) + 1
    if units > MOST_RESAMPLED:
        yield from by_unit
    else:
        yield side_by_side(*by_unit)


def _rates(
    analysis: Analysis, events: dict[str, list[bool]], confidence: float | None, resampled: list[Interval]
) -> list[Rate]:
    """The rates; those of independent documents have Wilson's interval, all others the one from the resamples."""
    rows, clustered = len(analysis.scores.ids), analysis.scores.clusters is not None
    intervals: list[Interval | None] = [*resampled] or [None] * (len(events) + 2)  # the last two are those of values
    rates = []
    for (name, happened), interval in zip(events.items(), intervals, strict=False):
        hits = sum(happened)
        if confidence is not None and not clustered:
            interval = wilson_interval(hits, rows, confidence=confidence)  # noqa: PLW2901
        rates.append(Rate(name, hits, rows, interval))
    if not analysis.values:
        return rates
    expected, missing, predicted, extra = map(sum, zip(*analysis.values, strict=True))
    rates.append(Rate("omission: expected values that are missing", missing, expected, intervals[-2]))
    rates.append(Rate("hallucination: values predicted, not expected", extra, predicted, intervals[-1]))
    return rates

"""The score of a test set: its mean, the score of each row, and which predictions were missing or not parsed."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.errors import at_place, closer, row_place
from docscore.core.options import SKIP, ScoringOptions, options_from
from docscore.core.runtime import Progress, level_of_caller, no_progress
from docscore.core.values import convert_ground_truth
from docscore.data.json_text import COUNTED_READINGS, PARSE_COUNTS, Parsed, parse_reference, parse_text
from docscore.data.pairing import Pairs, doubts_of_reading, refuse_json_text, with_confidences
from docscore.metrics.anls_star.api import score_all
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import FigureName, MetricRow, MetricTree
from docscore.metrics.registry import ANLS_STAR, METRICS, TYPED, WITH_TREES, checked_metrics
from docscore.metrics.signature import signature_of
from docscore.stats.intervals import Ratios

_OF_ANLS = (ANLS_STAR, "anls", "anlsl")  # their results have the key "anls_score"


@dataclass(frozen=True, repr=False)
class CorpusScore:
    """The scores of a test set.

    Attributes:
        pairs: its rows; with `parse`, texts are replaced by the JSON values read from them.
        anls_star: the ANLS* score of each row, in [0, 1].
        readings: how the text of each row was read that was read as JSON, by its number; empty without `parse`.
        options: how predictions were read and compared.
        metric: the name of the metric whose scores these are.
        points: of each row by this metric.
    """

    pairs: Pairs
    anls_star: list[float]
    readings: dict[int, Parsed]
    options: ScoringOptions
    metric: str
    points: list[Any]

    def __repr__(self) -> str:
        return f"<CorpusScore {self.metric} {self.mean:.4f}, {len(self.ids):,} rows>"

    @property
    def figure(self) -> FigureName:
        """The names of the first figure of the metric, which `mean` is the value of."""
        return METRICS[self.metric].figures[0]

    @property
    def score_key(self) -> str:
        """The key of `mean` in results: "anls_score", or "score" of another metric."""
        return "anls_score" if self.metric in _OF_ANLS else "score"

    @property
    def row_key(self) -> str:
        """The key of the score of a row in results: "anls_score", or the name of another metric."""
        return "anls_score" if self.metric in _OF_ANLS else self.metric

    @cached_property
    def ratio(self) -> Ratios:
        """The first figure of the metric as a ratio of sums over rows."""
        sums = np.array([METRICS[self.metric].figure_sums(points)[0] for points in self.points], dtype=np.float64)
        return Ratios(sums[:, :1], sums[:, 1:])

    @cached_property
    def scores(self) -> list[float]:
        """The score of each row by the metric, in [0, 1]: its part of the figure, 1 where nothing counts in it."""
        sums = zip(self.ratio.earned[:, 0].tolist(), self.ratio.weight[:, 0].tolist(), strict=True)
        return [earned / weight if weight else 1.0 for earned, weight in sums]

    @property
    def whole(self) -> float:
        """The denominator of the figure: the number of rows; of a metric that counts entities, theirs."""
        return float(self.ratio.totals[0]) or 1.0

    @property
    def is_mean(self) -> bool:
        """Whether the figure is the mean of the scores of the rows; that of entities is a ratio of sums."""
        return bool((self.ratio.weight == 1).all())

    @property
    def signature(self) -> str:
        """Metric, version and options; means with the same signature are comparable."""
        return signature_of(self.metric, self.options, skipped=self.pairs.skipped)

    @property
    def text_options(self) -> ScoringOptions | None:
        """How the texts of its trees were compared; None where a schema says how values are."""
        return None if self.metric == TYPED else self.options

    @property
    def absent(self) -> frozenset[int] | None:
        """The numbers of the rows whose missing predictions were scored as null; None unless `missing` is "zero"."""
        return self.pairs.absent if self.options.missing == "zero" else None

    @cached_property
    def failed(self) -> frozenset[int] | None:
        """The numbers of the rows whose text could not be parsed and was scored as text; None without `parse`."""
        if self.options.parse_mode is None:
            return None
        return frozenset(number for number, parsed in self.readings.items() if parsed.failed)

    @property
    def ids(self) -> list[str]:
        """The id of each row."""
        return self.pairs.ids

    @property
    def mean(self) -> float:
        """The value of the first figure of the metric, in [0, 1]: for most metrics the mean of the scores."""
        return float(self.ratio.values[0])

    @property
    def clusters(self) -> npt.NDArray[np.intp] | None:
        """The number of each row's cluster, shape (n,); None where all rows are independent."""
        if self.pairs.clusters is None:
            return None
        numbers = {name: number for number, name in enumerate(dict.fromkeys(self.pairs.clusters))}
        return np.array([numbers[name] for name in self.pairs.clusters], dtype=np.intp)

    @property
    def why_left_out(self) -> str:
        """Why the rows that `counts` calls skipped were left out, in words after "left out"."""
        return "without a prediction or because of faults" if self.options.missing == SKIP else "because of faults"

    def counts(self) -> dict[str, int]:
        """The counts that the options ask for: skipped, missing, and of `PARSE_COUNTS`."""
        counts = {"skipped": self.pairs.skipped, "missing": None if self.absent is None else len(self.absent)}
        read = {PARSE_COUNTS[outcome]: len(ids) for outcome, ids in self.parsed_ids().items()}
        return {name: count for name, count in counts.items() if count is not None} | read

    def parsed_ids(self) -> dict[str, list[str]]:
        """The ids of the texts that are "failed", and with `parse="repair"` "extracted", "mended" and "ambiguous"."""
        return {
            outcome: [self.ids[number] for number, parsed in self.readings.items() if parsed.outcome == outcome]
            for outcome in COUNTED_READINGS[self.options.parse_mode]
        }

    def samples(self) -> list[dict[str, Any]]:
        """One `{"question_id": ..., "anls_score": ...}` for each row, in the order of the references.

        The score of a metric other than ANLS* has the metric's name as key.

        With `parse`, each also has the key "parsed": "exact" for what is read as it is, "extracted", "mended",
        "ambiguous", "failed", or None where there was no prediction; and, if there is anything to say of any, the key
        "parse_note": which of several values was taken, or why mending was given up. With missing "zero" it has the key
        "missing": whether there was no prediction.
        """
        samples = [self.sample(number) for number in range(len(self.ids))]
        with_notes = any(parsed.note for parsed in self.readings.values())
        for number, sample in enumerate(samples):
            if self.options.parse_mode is not None:
                parsed = self.readings.get(number, Parsed(None))
                sample["parsed"] = None if number in self.pairs.absent else parsed.outcome
                if with_notes:
                    sample["parse_note"] = parsed.note
            if self.absent is not None:
                sample["missing"] = number in self.absent
        return samples

    def sample(self, number: int) -> dict[str, Any]:
        """The id and the score of a row in plain types."""
        return {"question_id": self.ids[number], self.row_key: self.scores[number]}

    def row(self, number: int) -> MetricRow:
        """A row as input for metrics."""
        pairs = self.pairs
        confidences = pairs.confidences[number] if pairs.confidences else None
        return MetricRow(
            pairs.truths[number], pairs.predictions[number], confidences, self.anls_star[number], pairs.ids[number]
        )

    def tree(self, number: int) -> ScoreTree:
        """The score tree of a row by the metric; that of ANLS* for a metric that has none."""
        tree = METRICS[self.metric].score_tree(self.row(number), self.options)
        return tree or METRICS[ANLS_STAR].score_tree(self.row(number), self.options)  # type: ignore[return-value]

    def points_of(self, number: int, metric: str) -> Any:
        """The points of a row by a metric; errors as for `by`."""
        try:
            return METRICS[metric].row_points(self.row(number), self.options)
        except (TypeError, ValueError) as error:
            raise at_place(row_place(self.ids[number]), error) from None

    def metric_trees(self, number: int, metrics: Iterable[str]) -> list[MetricTree]:
        """The score trees of a row by the metrics that have trees of their own, which ANLS* and a schema have not.

        Raises:
            TypeError, ValueError: for a value that a metric cannot score.
        """
        trees = (METRICS[name].score_tree(self.row(number), self.options) for name in metrics if name in WITH_TREES)
        return [tree for tree in trees if isinstance(tree, MetricTree)]

    def by(self, metric: str, progress: Progress = no_progress) -> CorpusScore:
        """The same rows scored with another metric, with the same options.

        Args:
            metric: its name, among `METRICS`.
            progress: called when the phase "Measuring" begins.

        Raises:
            ValueError: for an unknown metric, options that it does not support, and a value that it cannot score,
                naming its row.
        """
        if metric == self.metric:
            return self
        checked_metrics([metric])
        METRICS[metric].check_options(self.options)
        measured = progress("Measuring", len(self.ids))
        points = []
        for number in range(len(self.ids)):
            of_row = self.points_of(number, metric)
            # with confidences the automation curve reads the details
            points.append(METRICS[metric].without_details(of_row) if self.pairs.confidences is None else of_row)
            measured(1)
        return replace(self, metric=metric, points=points)

    def numbers_of_worst(self, count: int) -> list[int]:
        """The numbers of the rows with the lowest scores, lowest first."""
        return sorted(range(len(self.scores)), key=self.scores.__getitem__)[:count]

    def worst(self, count: int) -> list[dict[str, Any]]:
        """The rows with the lowest scores, lowest first."""
        return list(map(self.sample, self.numbers_of_worst(count)))


def score_corpus(
    pairs: Pairs,
    options: ScoringOptions | None = None,
    *,
    progress: Progress = no_progress,
    **keywords: Any,
) -> CorpusScore:
    """Compute the ANLS* score of every pair, and their mean.

    Args:
        pairs: n ground truths and predictions, n at least 1.
        options: how predictions are read and compared.
        progress: called when the phase "Scoring" begins.
        keywords: fields of `ScoringOptions`, in place of `options`.

    Raises:
        TypeError, ValueError: for a value that cannot be scored, naming its row, and for invalid options.
    """
    options = options_from(options, keywords)
    refuse_json_text(pairs.truths, pairs.predictions, options)
    for doubt in doubts_of_reading(pairs, options.parse, options.parse_references):
        warnings.warn(str(doubt), UserWarning, stacklevel=level_of_caller())
    if options.parse_references:
        pairs = pairs._replace(truths=list(map(parsed_reference, pairs.ids, pairs.truths)))
    predictions, readings = parse_predictions(pairs.predictions, pairs.truths, options.parse_mode)
    pairs = pairs._replace(predictions=predictions)
    pairs = with_confidences(pairs) if options.with_confidences else pairs._replace(confidences=None)
    values = zip(pairs.truths, pairs.predictions, strict=True)
    scored = progress("Scoring", len(pairs.ids))
    scores = score_all(values, options, lambda number: row_place(pairs.ids[number]), scored).tolist()
    return CorpusScore(pairs, scores, readings, options, ANLS_STAR, scores)


def parsed_reference(name: str, truth: Any) -> Any:
    """The ground truth of a row with its texts read as JSON.

    Args:
        name: the id of the row.
        truth: the ground truth; a tuple holds acceptable answers.

    Raises:
        TypeError, ValueError: for a text that is not JSON as a whole or cannot be scored, naming the row.
    """
    try:
        return convert_ground_truth(parse_reference(truth))
    except ValueError as error:
        raise at_place(closer(row_place(name), "an answer"), error) from None


def parse_predictions(
    predictions: Sequence[Any], truths: Sequence[Any], mode: str | None
) -> tuple[Sequence[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    if mode is None:
        return predictions, {}
    readings: dict[int, Parsed] = {}

    values = list(predictions)
    for number, prediction in enumerate(values):
        if type(prediction) is str:  # and not the digits of a number
            parsed = parse_text(prediction, mode, truths[number])
            values[number], readings[number] = parsed.value, parsed._replace(value=None)
    return values, readings

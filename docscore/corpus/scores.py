"""The score of a test set: its mean, the score of each row, and which predictions were missing or not parsed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from math import fsum
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from docscore.core.errors import at_place, closer, row_place
from docscore.core.options import SKIP, ScoringOptions, options_from
from docscore.core.progress import Advance, Progress, no_progress
from docscore.core.stack import level_of_caller
from docscore.data.confidences import with_confidences
from docscore.data.doubts import doubts_of_reading
from docscore.data.kept_rows import kept_like, rows_at_once
from docscore.data.model_output import Parsed, Reading, parse_reference, parse_text
from docscore.data.pairing import Pairs
from docscore.metrics.anls_star.api import explained, score_all
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.signature import Signature

Seen = Callable[[int, Sequence[tuple[Any, Any]]], object]

PARSE_COUNTS = {"failed": "parse_failures", "extracted": "parse_extracted", "mended": "parse_mended"}


def see_nothing(_start: int, _values: Sequence[tuple[Any, Any]]) -> None:
    """Do nothing with rows that were scored."""


@dataclass(frozen=True, repr=False)
class CorpusScore:
    """The scores of a test set.

    Attributes:
        pairs: its rows; with `parse`, texts are replaced by the JSON values read from them.
        scores: the score of each row, in [0, 1].
        absent: the numbers of the rows whose predictions were missing and scored as null; None if missing predictions
            are an error.
        failed: the numbers of the rows whose text could not be parsed and was scored as text; None if none was parsed.
        readings: how the text of each row was read that was read as JSON, by its number; None if none was parsed.
        options: how predictions were read and compared.
        metric: the metric whose scores these are: "anls_star", or "anls" or "anlsl" for rows that these can score.
    """

    pairs: Pairs
    scores: list[float]
    absent: frozenset[int] | None
    failed: frozenset[int] | None
    readings: dict[int, Parsed] | None
    options: ScoringOptions
    metric: str = "anls_star"

    def __repr__(self) -> str:
        return f"<CorpusScore {self.metric} {self.mean:.4f}, {len(self.scores):,} rows>"

    @property
    def signature(self) -> Signature:
        """Metric, version and options; means with the same signature are comparable."""
        return Signature.of([self.metric], self.options, skipped=self.pairs.skipped)

    @property
    def ids(self) -> list[str]:
        """The id of each row."""
        return self.pairs.ids

    @property
    def mean(self) -> float:
        """The mean of the scores, in [0, 1]."""
        return fsum(self.scores) / len(self.scores)

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
        """The counts skipped, missing, parse_failures, parse_extracted and parse_mended that the options ask for."""
        counts = {"skipped": self.pairs.skipped, "missing": None if self.absent is None else len(self.absent)}
        read = {PARSE_COUNTS[outcome]: len(ids) for outcome, ids in self.parsed_ids().items()}
        return {name: count for name, count in counts.items() if count is not None} | read

    def parsed_ids(self) -> dict[str, list[str]]:
        """The ids of the texts that are "failed", and with `parse="repair"` of those "extracted" and "mended"."""
        outcomes = {None: (), "json": ("failed",), "repair": ("failed", "extracted", "mended")}[self.options.parse]
        readings = self.readings or {}
        return {
            outcome: [self.ids[i] for i, each in readings.items() if each.outcome == outcome] for outcome in outcomes
        }

    def samples(self) -> list[dict[str, Any]]:
        """One `{"question_id": ..., "anls_score": ...}` for each row, in the order of the references.

        With `parse`, each also has the key "parsed": "exact" for what is read as it is, "extracted", "mended",
        "failed", or None where there was no prediction; and, if mending was given up for any, the key "parse_note" with
        the reason. With missing "zero" it has the key "missing": whether there was no prediction.
        """
        samples: list[dict[str, Any]] = [
            {"question_id": i, "anls_score": s} for i, s in zip(self.ids, self.scores, strict=True)
        ]
        if self.failed is not None:
            for number, sample in enumerate(samples):
                sample["parsed"] = self._parsed(number)
            if any(each.note for each in (self.readings or {}).values()):
                for number, sample in enumerate(samples):
                    sample["parse_note"] = self._reading(number).note
        if self.absent is not None:
            for number, sample in enumerate(samples):
                sample["missing"] = number in self.absent
        return samples

    def _parsed(self, number: int) -> str | None:
        if number in self.pairs.absent:
            return None
        return self._reading(number).outcome

    def _reading(self, number: int) -> Parsed:
        """How the prediction of a row was read."""
        return (self.readings or {}).get(number, Parsed(None))

    def tree(self, number: int) -> ScoreTree:
        """The score tree of a row."""
        truth, prediction = self.pairs.truths[number], self.pairs.predictions[number]
        return explained(truth, prediction, self.options)

    def trees(self) -> Iterator[ScoreTree]:
        """The score tree of each row."""
        for truth, prediction in zip(self.pairs.truths, self.pairs.predictions, strict=True):
            yield explained(truth, prediction, self.options)

    def numbers_of_worst(self, count: int) -> list[int]:
        """The numbers of the rows with the lowest scores, lowest first."""
        return sorted(range(len(self.scores)), key=self.scores.__getitem__)[:count]

    def worst(self, count: int) -> list[dict[str, Any]]:
        """The rows with the lowest scores, lowest first."""
        return [{"question_id": self.ids[i], "anls_score": self.scores[i]} for i in self.numbers_of_worst(count)]


def score_corpus(
    pairs: Pairs,
    options: ScoringOptions | None = None,
    *,
    progress: Progress = no_progress,
    seen: Seen = see_nothing,
    **keywords: Any,
) -> CorpusScore:
    """Compute the ANLS* score of every pair, and their mean.

    Args:
        pairs: n ground truths and predictions, n at least 1.
        options: how predictions are read and compared.
        progress: called when the phase "Scoring" begins.
        seen: called with the number of the first of some rows and their values, when they were scored; for what else
            is to be known of them, so that large files need not be read again.
        keywords: fields of `ScoringOptions`, in place of `options`.

    Raises:
        TypeError, ValueError: for a value that cannot be scored, naming its row, and for invalid options.
    """
    options = options_from(options, keywords)
    for doubt in doubts_of_reading(pairs, options.parse, options.parse_references):
        warnings.warn(str(doubt), UserWarning, stacklevel=level_of_caller())
    if options.parse_references:
        pairs = pairs._replace(truths=kept_like(pairs.truths, map(parsed_reference, pairs.ids, pairs.truths)))
    predictions, readings = parse_predictions(pairs.predictions, options.parse)
    pairs = pairs._replace(predictions=predictions)
    pairs = with_confidences(pairs) if options.with_confidences else pairs._replace(confidences=None)
    return CorpusScore(
        pairs=pairs,
        scores=_scores(pairs, options, progress("Scoring", len(pairs.ids)), seen),
        absent=pairs.absent if options.missing == "zero" else None,
        failed=frozenset(i for i, each in readings.items() if each.failed) if options.parse else None,
        readings=readings if options.parse else None,
        options=options,
    )


def _scores(pairs: Pairs, options: ScoringOptions, scored: Advance, seen: Seen) -> list[float]:
    """The score of each pair; of pairs in a file only some are in memory at a time."""
    waiting = zip(pairs.truths, pairs.predictions, strict=True)
    portion = min(rows_at_once(pairs.truths), rows_at_once(pairs.predictions))
    scores: list[float] = []
    while values := list(islice(waiting, portion)):
        start = len(scores)
        scores += score_all(values, options, lambda i, start=start: row_place(pairs.ids[start + i]), scored).tolist()  # type: ignore[misc]
        seen(start, values)
    return scores


def parsed_reference(name: str, truth: Any) -> Any:
    """The ground truth of a row with its texts read as JSON.

    Args:
        name: the id of the row.
        truth: the ground truth; a tuple holds acceptable answers.

    Raises:
        ValueError: for a text that is not JSON as a whole, naming the row.
    """
    try:
        return parse_reference(truth)
    except ValueError as error:
        raise at_place(closer(row_place(name), "an answer"), error) from None


def parse_predictions(predictions: Sequence[Any], mode: str | None) -> tuple[Sequence[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    if mode is None:
        return predictions, {}
    readings: dict[int, Parsed] = {}

    def value(number: int, prediction: Any) -> Any:
        if not isinstance(prediction, str):
            return prediction
        found = parse_text(prediction, mode)
        reading = found._replace(value=None)
        readings[number] = _SHARED.get(reading, reading)
        return found.value

    return kept_like(predictions, map(value, count(), predictions)), readings


# of a million readings nearly all are one of these
_SHARED = {each: each for each in map(partial(Parsed, None), get_args(Reading))}

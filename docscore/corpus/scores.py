"""The score of a test set: its mean, the score of each row, and what was missing or could not be parsed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from math import fsum
from typing import Any

from docscore.core.errors import short_repr
from docscore.core.similarity import THRESHOLD
from docscore.core.stack import level_of_caller
from docscore.data.confidences import with_confidences
from docscore.data.model_output import ParseMode, check_mode, parse_text
from docscore.data.pairing import Pairs, check_missing
from docscore.metrics.anls_star.api import checked_options, score_all, score_tree
from docscore.metrics.anls_star.scorer import Options
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.version import VERSION


@dataclass(frozen=True)
class CorpusScore:
    """The scores of a test set.

    Attributes:
        pairs: its rows, texts read as JSON where that was asked for.
        scores: the score of each row, in [0, 1].
        absent: the numbers of the rows whose predictions were missing and scored as null; None if that was an error.
        failed: the numbers of the rows whose text could not be parsed and was scored as text; None if none was parsed.
        repaired: those whose text was repaired; None if repair was not asked for.
        options: threshold and case.
        signature: what makes the mean comparable with another, as sacreBLEU's signature does.
    """

    pairs: Pairs
    scores: list[float]
    absent: frozenset[int] | None
    failed: frozenset[int] | None
    repaired: frozenset[int] | None
    options: Options
    signature: str

    @property
    def ids(self) -> list[str]:
        """The id of each row."""
        return self.pairs.ids

    @property
    def mean(self) -> float:
        """The mean of the scores, in [0, 1]."""
        return fsum(self.scores) / len(self.scores)

    def counts(self) -> dict[str, int]:
        """What was asked for among skipped, missing, parse_failures and parse_repaired."""
        found = {"missing": self.absent, "parse_failures": self.failed, "parse_repaired": self.repaired}
        counts = {name: len(rows) for name, rows in found.items() if rows is not None}
        return counts if self.pairs.skipped is None else {"skipped": self.pairs.skipped, **counts}

    def samples(self) -> list[dict[str, Any]]:
        """One `{"question_id": ..., "anls_score": ...}` a row, in the order of the references.

        With `parse`, each also says under "parsed" whether its text was read as it is ("exact"), "repaired" or
        "failed", and None where there was no prediction; with missing "zero", under "missing" whether there was none.
        """
        samples: list[dict[str, Any]] = [
            {"question_id": i, "anls_score": s} for i, s in zip(self.ids, self.scores, strict=True)
        ]
        if self.failed is not None:
            for number, sample in enumerate(samples):
                sample["parsed"] = self._parsed(number)
        if self.absent is not None:
            for number, sample in enumerate(samples):
                sample["missing"] = number in self.absent
        return samples

    def _parsed(self, number: int) -> str | None:
        if number in self.pairs.absent:
            return None
        if number in (self.failed or ()):
            return "failed"
        return "repaired" if number in (self.repaired or ()) else "exact"

    def tree(self, number: int) -> ScoreTree:
        """The score tree of a row."""
        truth, prediction = self.pairs.truths[number], self.pairs.predictions[number]
        return score_tree(truth, prediction, threshold=self.options.threshold, ignore_case=self.options.ignore_case)

    def numbers_of_worst(self, count: int) -> list[int]:
        """The numbers of the rows with the lowest scores, lowest first."""
        return sorted(range(len(self.scores)), key=self.scores.__getitem__)[:count]

    def worst(self, count: int) -> list[dict[str, Any]]:
        """The rows with the lowest scores, lowest first."""
        return [{"question_id": self.ids[i], "anls_score": self.scores[i]} for i in self.numbers_of_worst(count)]


CORPUS_OPTIONS = frozenset({"threshold", "ignore_case", "parse", "missing"})


def check_options(
    *, threshold: float = THRESHOLD, ignore_case: bool = True, parse: str | None = None, missing: str = "error"
) -> tuple[Options, ParseMode | None]:
    """The options of `score_corpus`, if they exist.

    Raises:
        TypeError, ValueError: naming the option, what was expected and what came.
    """
    check_missing(missing)
    return checked_options(threshold, ignore_case), check_mode(parse)


def score_corpus(
    pairs: Pairs,
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    parse: str | None = None,
    missing: str = "error",
    confidences: bool = False,
    scored: Callable[[int], object] = bool,
) -> CorpusScore:
    """The score of every pair, and their mean.

    Args:
        pairs: ground truths and predictions.
        threshold: tau in [0, 1].
        ignore_case: whether texts are compared in lower case.
        parse: None, or "json" or "repair" to read predictions that are text as JSON first.
        missing: how the pairs were made: "error" or "zero".
        confidences: whether predictions carry `{"$value": ..., "$confidence": ...}`, of which the values are scored.
        scored: is told how many pairs were scored since it was told last, to show progress.

    Raises:
        TypeError, ValueError: for a value that cannot be scored, naming its row, and for options that do not exist.
    """
    options, mode = check_options(threshold=threshold, ignore_case=ignore_case, parse=parse, missing=missing)
    if mode and all(map(_is_json_text, pairs.truths)):
        warnings.warn(
            "parse reads predictions only, and all references are text that looks like JSON; give them as values "
            "(json.loads)",
            UserWarning,
            stacklevel=level_of_caller(),
        )
    predictions, failed, repaired = parse_predictions(pairs.predictions, mode)
    pairs = pairs._replace(predictions=predictions)
    pairs = with_confidences(pairs) if confidences else pairs._replace(confidences=None)
    everything = list(zip(pairs.truths, pairs.predictions, strict=True))
    scores = score_all(everything, options, lambda number: f"row {short_repr(pairs.ids[number])}", scored)
    return CorpusScore(
        pairs=pairs,
        scores=scores.tolist(),
        absent=pairs.absent if missing == "zero" else None,
        failed=failed if mode else None,
        repaired=repaired if mode == "repair" else None,
        options=options,
        signature=corpus_signature(
            threshold=threshold, ignore_case=ignore_case, parse=mode, missing=missing, skipped=pairs.skipped
        ),
    )


def corpus_signature(
    *,
    threshold: float,
    ignore_case: bool,
    parse: str | None = None,
    missing: str = "error",
    skipped: int | None = None,
) -> str:
    """What makes a score comparable with another.

    >>> corpus_signature(threshold=0.5, ignore_case=True)
    'anls_star|tau:0.5|case:i|empty:ignored|docscore:0.1.0'
    """
    parts = ["anls_star", f"tau:{threshold}", f"case:{'i' if ignore_case else 's'}", "empty:ignored"]
    if parse:
        parts.append(f"parse:{parse}")
    if parse == "repair":  # what can be repaired depends on the library that does it
        parts.append(f"json-repair:{metadata.version('json-repair')}")
    if missing != "error":
        parts.append(f"missing:{missing}")
    if skipped:  # a mean over fewer rows
        parts.append(f"skipped:{skipped}")
    return "|".join([*parts, f"docscore:{VERSION}"])


def _is_json_text(truth: Any) -> bool:
    """Whether it is text, or alternatives of it, that begins as an object or a list does."""
    answers = truth if isinstance(truth, tuple) else (truth,)
    return all(isinstance(answer, str) and answer.lstrip()[:1] in ("{", "[") for answer in answers)


def parse_predictions(
    predictions: list[Any], mode: ParseMode | None
) -> tuple[list[Any], frozenset[int], frozenset[int]]:
    """The predictions with texts read as JSON, and the numbers of those that could not be read and were repaired."""
    if mode is None:
        return predictions, frozenset(), frozenset()
    parsed = {i: parse_text(value, mode) for i, value in enumerate(predictions) if isinstance(value, str)}
    values = [parsed[i].value if i in parsed else value for i, value in enumerate(predictions)]
    failed = frozenset(i for i, each in parsed.items() if each.failed)
    return values, failed, frozenset(i for i, each in parsed.items() if each.repaired)

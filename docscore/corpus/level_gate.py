"""Decide whether the mean score of a test set is below a level, beyond chance."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError
from docscore.core.tolerance import ROUNDING
from docscore.corpus.scores import CorpusScore
from docscore.corpus.summary import mean_as_ratio
from docscore.stats.intervals import CONFIDENCE, check_confidence
from docscore.stats.significance import upper_bound_of_ratio


class LevelGate(NamedTuple):
    """The result of a gate on a level: whether the mean is below it.

    Attributes:
        level: the level.
        bound: the one-sided upper confidence bound of the mean, or the mean where chance is not considered.
        failed: whether it is below the level.
        sentence: the result as a sentence.
    """

    level: float
    bound: float
    failed: bool
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        return {"passed": not self.failed, "level": self.level, "bound": self.bound, "sentence": self.sentence}


def decide_level(scores: CorpusScore, level: float, confidence: float = CONFIDENCE) -> LevelGate:
    """Decide whether the mean score is below a level with a confidence.

    As `docscore.decide` for two systems, it fails only where that is shown: where the upper confidence bound of the
    mean is below the level. A mean that may be below it by chance passes.

    Args:
        scores: the scored test set.
        level: the level, above 0 and at most 1.
        confidence: the share of test sets whose true mean is at least the level and that pass, between 0 and 1.

    Raises:
        ValueError: if there are too few documents to show that the mean is below the level at all, if documents were
            left out, or for a level out of its range.
    """
    confidence = check_confidence(confidence)
    if not 0 < level <= 1:
        raise InputValueError(place="level", expected="a number above 0 and at most 1", got=str(level))
    check_none_skipped(scores)
    count, unit = units_of(scores)
    needed = _fewest(confidence, level)
    if count < needed:
        given = f"one {unit} is" if count == 1 else f"{count:,} {unit}s are"
        needs = f"it takes {needed:,}, even if all have the score 0"
        problem = f"the gate cannot decide: {given} too few for a confidence of {confidence:.4g}: {needs}"
        raise InputValueError(problem=problem)
    bound = upper_bound_of_ratio(mean_as_ratio(scores), confidence, scores.clusters)
    failed = bound < level - ROUNDING
    verdict = _verdict(scores.mean, level, failed=failed)
    sentence = f"{verdict} (with confidence {confidence:.4g} it stays below {bound:.4f})"
    return LevelGate(level, bound, failed, sentence)


def decide_mean(scores: CorpusScore, level: float) -> LevelGate:
    """Decide whether the mean score is below a level, by chance or not; `bound` is the mean.

    Args:
        scores: the scored test set.
        level: the level, above 0 and at most 1.

    Raises:
        ValueError: if documents were left out.
    """
    check_none_skipped(scores)
    failed = scores.mean < level - ROUNDING
    verdict = "failed: the mean" if failed else "passed: the mean"
    sentence = f"{verdict}, {scores.mean:.4f}, is {'' if failed else 'not '}below {level:g} (chance is not considered)"
    return LevelGate(level, scores.mean, failed, sentence)


def _verdict(mean: float, level: float, *, failed: bool) -> str:
    """The result with the mean, so that a mean below the level that passes is told from one that reaches it."""
    if failed:
        return f"failed: the mean, {mean:.4f}, is below {level:g} beyond chance"
    if mean < level - ROUNDING:
        return f"passed: the mean, {mean:.4f}, is below {level:g}, but may be so by chance"
    return f"passed: the mean, {mean:.4f}, is not below {level:g}"


def check_none_skipped(scores: CorpusScore) -> None:
    """Raise `ValueError` if rows were left out: a gate must not pass for want of the worst."""
    if scores.pairs.skipped:
        skipped = f"{scores.pairs.skipped:,}, which may be the worst"
        raise InputValueError(problem=f"the gate cannot decide: left out {scores.why_left_out} are {skipped}")


def units_of(scores: CorpusScore) -> tuple[int, str]:
    """How many independent units there are, and what they are called: documents, or clusters of them."""
    names = scores.pairs.clusters
    return (len(scores.ids), "document") if names is None else (len(set(names)), "cluster")


def _fewest(confidence: float, level: float) -> int:
    """The least number of documents that can show that the mean is below a level.

    With n scores of 0 the upper bound is 1 - (1 - confidence)^(1/n), which must be below the level.
    """
    return 1 if level == 1 else math.floor(math.log(1 - confidence) / math.log(1 - level)) + 1

"""Compare two systems on the same documents: changes with intervals and p-values, and the gates that fail a change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputValueError
from docscore.core.formatting import with_sign
from docscore.core.numbers import ROUNDING
from docscore.core.runtime import Progress, no_progress
from docscore.evaluation.fields import Field
from docscore.evaluation.scores import CorpusScore
from docscore.evaluation.summary import MOST_FIELDS_TESTED, Analysis, fields_as_ratios, mean_as_ratio
from docscore.stats.intervals import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    Differences,
    Interval,
    Ratios,
    check_confidence,
    check_number,
    check_whole,
    intervals_of,
    no_interval,
    side_by_side,
)
from docscore.stats.significance import fewest_documents, permutation_p_values, upper_bound

_ONE_SIDED = no_interval("one side", "only one of the two has it")


class Change(NamedTuple):
    """A document whose score changed.

    Attributes:
        question_id: its id.
        base: its score before.
        new: its score after.
    """

    question_id: str
    base: float
    new: float

    @property
    def difference(self) -> float:
        """New minus base."""
        return self.new - self.base

    def to_dict(self) -> dict[str, Any]:
        """The row of a table, in plain types."""
        return {**self._asdict(), "difference": self.difference}


class FigureChange(NamedTuple):
    """The change of a figure, or of the score of a field, between two systems.

    Attributes:
        name: the key of results, such as "typed_score"; of a field its path.
        label: its name in tables, such as "Typed score".
        base: its value before, in [0, 1]; None where a field did not occur.
        new: its value after, in [0, 1]; None where a field does not occur.
        interval: the confidence interval of the difference, paired by document.
        p_value: two-sided, of the paired permutation test; None where there is nothing to test: no document's score of
            a field changed, or only one of the two systems has the field.
        q_value: of a field the p-value adjusted for the number of fields (Benjamini and Hochberg 1995): of the fields
            whose q-value is at most q, the expected share of false discoveries is q.
    """

    name: str
    label: str
    base: float | None
    new: float | None
    interval: Interval
    p_value: float | None
    q_value: float | None = None

    @property
    def difference(self) -> float | None:
        """New minus base; None where a field is on one side only."""
        return None if self.base is None or self.new is None else self.new - self.base

    @property
    def changed(self) -> bool:
        """Whether the value of any document changed; also True for a single document, which has no interval."""
        return self.interval.reason != "no change"

    def to_dict(self) -> dict[str, Any]:
        """The numbers in plain types."""
        ends = {"low": self.interval.low, "high": self.interval.high}
        return {"base": self.base, "new": self.new, "difference": self.difference, **ends, "p_value": self.p_value}


class Gate(NamedTuple):
    """The result of a gate: whether a system is worse than the base by more than a margin, or its mean below a level.

    Attributes:
        margin: by how much the new system may be worse; None for a gate on a level.
        bound: the one-sided upper confidence bound of the difference or the mean; the mean where chance is not
            considered.
        failed: whether the bound is below minus the margin, or below the level.
        sentence: the result as a sentence.
        level: the level; None for a gate on a margin.
    """

    margin: float | None
    bound: float
    failed: bool
    sentence: str
    level: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types."""
        limit = {"margin": self.margin} if self.level is None else {"level": self.level}
        return {"passed": not self.failed, **limit, "bound": self.bound, "sentence": self.sentence}


@dataclass(frozen=True, repr=False)
class Comparison:
    """The comparison of two systems on the same documents.

    Attributes:
        base: the system compared with.
        new: the system that is compared.
        confidence: the level of the intervals.
        interval: the confidence interval of the difference of the means, paired by document.
        upper: the one-sided upper confidence bound of the difference.
        p_value: two-sided, of a permutation test that swaps the systems' results document by document.
        better: the documents whose score rose, largest change first.
        worse: the documents whose score fell, largest change first.
        same: the number of documents whose score did not change.
        fields: the fields, largest change first.
        figures: the figures of other metrics that were asked for.
        signatures: by the name of each of these metrics version and options; None where there are none.
    """

    base: Analysis
    new: Analysis
    confidence: float
    interval: Interval
    upper: float
    p_value: float
    better: list[Change]
    worse: list[Change]
    same: int
    fields: list[FigureChange]
    figures: tuple[FigureChange, ...] = ()
    signatures: Mapping[str, str] | None = None

    def __repr__(self) -> str:
        scores = self.new.scores
        facts = f"{with_sign(self.difference)}, p {self.p_value:.4g}, {len(scores.ids):,} documents"
        return f"<Comparison {scores.metric} {facts}>"

    @property
    def difference(self) -> float:
        """The mean of the new system minus that of the base."""
        return self.new.scores.mean - self.base.scores.mean

    def to_dict(self) -> dict[str, Any]:
        """The attributes in plain types, tables as lists of dicts."""
        note = {"confidence_note": self.interval.note} if self.interval.reason else {}
        changes = [{"figure": figure.name, **figure.to_dict()} for figure in self.figures]
        figures = {"metrics": changes, "signatures": self.signatures} if changes else {}
        return {
            "base": self.base.scores.mean,
            "new": self.new.scores.mean,
            "difference": self.difference,
            "confidence": self.confidence,
            "confidence_interval": self.interval.ends,
            **note,
            "p_value": self.p_value,
            "rows": len(self.new.scores.ids),
            "better": [change.to_dict() for change in self.better],
            "worse": [change.to_dict() for change in self.worse],
            "same": self.same,
            "fields": [{"field": field.name, **field.to_dict(), "q_value": field.q_value} for field in self.fields],
            **figures,
            **{name: count for name, count in self.new.scores.counts().items() if name == "skipped"},
            "counts": {"base": self.base.scores.counts(), "new": self.new.scores.counts()},
            "signature": self.new.scores.signature,
        }


def compare(
    base: Analysis,
    new: Analysis,
    *,
    confidence: float = CONFIDENCE,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> Comparison:
    """Compare two systems on the same documents.

    Args:
        base: the system to compare with.
        new: the system to compare, on the same ids.
        confidence: the level of the intervals, between 0 and 1.
        n_resamples: how many resamples and permutations are drawn; if there are fewer permutations, all are used.
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.

    Raises:
        TypeError, ValueError: for an invalid confidence, seed or number of resamples.
        ValueError: if an id is on one side only, or the two were scored with different options or ground truths.
    """
    confidence = check_confidence(confidence)
    check_whole("seed", seed, 0)
    check_whole("n_resamples", n_resamples, 2)
    _check_same(base, new)
    order = {name: number for number, name in enumerate(base.scores.ids)}
    places = [order[name] for name in new.scores.ids]
    before_scores = [base.scores.scores[place] for place in places]
    changes = list(map(Change, new.scores.ids, before_scores, new.scores.scores))
    better = sorted((change for change in changes if change.difference > ROUNDING), key=lambda c: -c.difference)
    worse = sorted((change for change in changes if change.difference < -ROUNDING), key=lambda c: c.difference)
    paths = _heaviest(base.fields, new.fields)
    before, after = _ratios(base, paths), _ratios(new, paths)
    before = Ratios(before.earned[places], before.weight[places])
    drawn: dict[str, Any] = {"n_resamples": n_resamples, "seed": seed, "progress": progress}
    fields = list(range(1, 1 + len(paths)))
    intervals, p_values = intervals_and_p_values(
        before, after, [[0], fields] if fields else [[0]], clusters=new.scores.clusters, confidence=confidence, **drawn
    )
    return Comparison(
        base,
        new,
        confidence,
        intervals[0],
        upper_bound(Differences(after, before), confidence, new.scores.clusters),
        p_values[0],
        better,
        worse,
        len(changes) - len(better) - len(worse),
        _field_changes(paths, before, after, intervals[1:], p_values[1:]),
    )


def intervals_and_p_values(
    base: Ratios,
    new: Ratios,
    groups: Sequence[list[int]],
    *,
    clusters: npt.NDArray[np.intp] | None,
    confidence: float,
    n_resamples: int,
    seed: int,
    progress: Progress,
) -> tuple[list[Interval], list[float]]:
    """The interval and the p-value of each difference of two systems on the same n rows, in the same order.

    Args:
        base: k ratios of the system to compare with.
        new: the same ratios of the system to compare.
        groups: the numbers of the ratios that are tested with the same swaps. The p-value of one that is tested alone
            does not depend on what else is compared.
        clusters: the number of each row's cluster, shape (n,), where rows are not independent.
        confidence: the level of the intervals, between 0 and 1.
        n_resamples: how many resamples and permutations are drawn.
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.
    """
    resampled = progress("Resampling", (1 + len(groups)) * n_resamples)
    drawn: dict[str, Any] = {"seed": seed, "clusters": clusters}
    differences = Differences(new, base)
    intervals = intervals_of(differences, confidence, n_resamples=n_resamples, resampled=resampled, **drawn)
    drawn |= {"n_resamples": n_resamples - 1, "permuted": resampled}
    tests = (permutation_p_values(base.columns(group), new.columns(group), **drawn) for group in groups)
    return intervals, [p_value for tested in tests for p_value in tested]


def decide(comparison: Comparison, margin: float) -> Gate:
    """Decide whether the new system is worse than the base by more than a margin, with the comparison's confidence.

    Args:
        comparison: the result of `compare`.
        margin: by how much the mean may fall, at least 0.

    Raises:
        ValueError: if there are too few documents to show a loss of more than the margin at all, if documents were left
            out, or for a margin that is negative.
    """
    margin = check_number("margin", margin, "a number of at least 0", lambda number: number >= 0)
    scores, confidence, bound = comparison.new.scores, comparison.confidence, comparison.upper
    if margin >= 1:
        raise InputValueError(problem=f"the gate cannot decide: a mean cannot fall by more than {margin:g}")
    _check_decidable(scores, confidence, (1 + margin) / 2, "all fall from 1 to 0")
    failed = bound < -margin - ROUNDING
    if failed:
        loss = f"a loss of more than {margin:g} beyond chance"
    elif comparison.difference < -margin - ROUNDING:  # so that a loss that passes as chance is told from none
        loss = f"but a loss of more than {margin:g} may be chance"
    else:
        loss = f"no loss of more than {margin:g}"
    verdict = f"{'failed' if failed else 'passed'}: the difference is {with_sign(comparison.difference)}, {loss}"
    sentence = f"{verdict} (with confidence {confidence:.4g} it stays below {with_sign(bound)})"
    return Gate(margin, bound, failed, sentence)


def _check_same(base: Analysis, new: Analysis) -> None:
    """Raise `ValueError` unless both have the same documents, scored with the same options."""
    before, after = set(base.scores.ids), set(new.scores.ids)
    if before != after:
        only = sorted(before ^ after)
        got = f"{len(only)} on one side only, such as {only[0]!r}"
        raise InputValueError(expected="the same ids on both sides", got=got)
    if base.scores.options != new.scores.options:
        got = f"{base.scores.signature} and {new.scores.signature}"
        raise InputValueError(expected="both scored by the same rules", got=got)
    truths = dict(zip(base.scores.ids, base.scores.pairs.truths, strict=True))
    for name, truth in zip(new.scores.ids, new.scores.pairs.truths, strict=True):
        if truths[name] != truth:
            raise InputValueError(expected="the same ground truths on both sides", got=f"others for {name!r}")


def _heaviest(*tables: Sequence[Field]) -> list[str]:
    """The paths of the `MOST_FIELDS_TESTED` fields with the most weight, in their order."""
    weights: dict[str, float] = {}
    for table in tables:
        for field in table:
            weights[field.path] = weights.get(field.path, 0.0) + field.weight
    chosen = set(sorted(weights, key=lambda path: -weights[path])[:MOST_FIELDS_TESTED])
    return [path for path in weights if path in chosen]


def _ratios(analysis: Analysis, paths: Sequence[str]) -> Ratios:
    """Ratios with one column for the mean score and one for each field."""
    known = {field.path: field for field in analysis.fields}
    fields = [known.get(path, Field(path)) for path in paths]
    return side_by_side(mean_as_ratio(analysis.scores), fields_as_ratios(fields, len(analysis.scores.ids)))


def _field_changes(
    paths: Sequence[str], before: Ratios, after: Ratios, intervals: Sequence[Interval], p_values: Sequence[float]
) -> list[FigureChange]:
    """The changes of all fields; only fields that both systems have and that changed are tested."""
    from scipy import stats  # noqa: PLC0415  slow to import

    changes = []
    for i, path in enumerate(paths):
        base, new = (float(side.values[i + 1]) if side.totals[i + 1] else None for side in (before, after))
        interval = _ONE_SIDED if base is None or new is None else intervals[i]
        changes.append(FigureChange(path, path, base, new, interval, p_values[i]))
    moved = Differences(after, before).moved[1:]
    tested = [i for i, change in enumerate(changes) if moved[i] and change.difference is not None]
    adjusted = stats.false_discovery_control([p_values[i] for i in tested]).tolist() if tested else []
    q_values = dict(zip(tested, adjusted, strict=True))
    changes = [
        change._replace(p_value=p_values[i] if i in q_values else None, q_value=q_values.get(i))
        for i, change in enumerate(changes)
    ]
    return sorted(changes, key=lambda change: -abs(change.difference or 0.0))


def decide_level(scores: CorpusScore, level: float, confidence: float | None = CONFIDENCE) -> Gate:
    """Decide whether the mean score is below a level, with a confidence.

    As `docscore.decide` for two systems, it fails only where that is shown: where the upper confidence bound of the
    mean is below the level. A mean that may be below it by chance passes.

    Args:
        scores: the scored test set.
        level: the level, above 0 and at most 1.
        confidence: the share of test sets whose true mean is at least the level and that pass, between 0 and 1; None to
            compare the mean itself, so that chance is not considered.

    Raises:
        ValueError: if there are too few documents to show that the mean is below the level at all, if documents were
            left out, or for a level out of its range.
    """
    confidence = None if confidence is None else check_confidence(confidence)
    level = check_number("level", level, "a number above 0 and at most 1", lambda number: 0 < number <= 1)
    _check_decidable(scores, confidence, 1 - level, "all have the score 0")
    bound, remark, by_chance = scores.mean, "chance is not considered", ""
    below = scores.mean < level - ROUNDING
    if confidence is not None:
        mean = mean_as_ratio(scores)
        nothing = Ratios(np.zeros_like(mean.earned), mean.weight)
        bound = upper_bound(Differences(mean, nothing), confidence, scores.clusters)
        remark = f"with confidence {confidence:.4g} it stays below {bound:.4f}"
        by_chance = " beyond chance" if bound < level - ROUNDING else ", but may be so by chance"
    failed = bound < level - ROUNDING
    relation = f"below {level:g}{by_chance}" if below else f"not below {level:g}"
    sentence = f"{'failed' if failed else 'passed'}: the mean, {scores.mean:.4f}, is {relation} ({remark})"
    return Gate(None, bound, failed, sentence, level)


def _check_decidable(scores: CorpusScore, confidence: float | None, share: float, worst: str) -> None:
    """Raise `ValueError` if rows were left out, or if there are too few documents, or clusters of them.

    A gate must not pass for want of the worst rows; `share` is as for `fewest_documents`.
    """
    if scores.pairs.skipped:
        skipped = f"{scores.pairs.skipped:,}, which may be the worst"
        raise InputValueError(problem=f"the gate cannot decide: left out {scores.why_left_out} are {skipped}")
    names = scores.pairs.clusters
    count, unit = (len(scores.ids), "document") if names is None else (len(set(names)), "cluster")
    needed = 1 if confidence is None else fewest_documents(confidence, share)
    if count < needed:
        these = f"one {unit} is" if count == 1 else f"{count:,} {unit}s are"
        too_few = f"{these} too few for a confidence of {confidence:.4g}: it takes {needed:,}, even if {worst}"
        raise InputValueError(problem=f"the gate cannot decide: {too_few}")

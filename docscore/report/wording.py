"""The sentences that the terminal, the report and the page share."""

from __future__ import annotations

import math

from docscore.core.formatting import clipped, printable, value_excerpt, with_sign
from docscore.corpus.automation import Choice
from docscore.corpus.comparison import Comparison
from docscore.corpus.scores import CorpusScore
from docscore.metrics.alignment import Step
from docscore.metrics.kieval import Counts, GroupCounts
from docscore.stats.intervals import Interval

_LONGEST_NAME = 200  # characters of a name


COUNTED = {
    "skipped": ("row", "left out because of faults"),
    "missing": ("prediction", "missing, scored as null"),
    "parse_failures": ("prediction", "that could not be parsed, scored as text"),
    "parse_repaired": ("prediction", "repaired"),
}


def entities_text(counts: Counts) -> str:
    """What became of entities, in words."""
    edits = f"{counts.substitutions:,} to change, {counts.additions:,} to add, {counts.deletions:,} to delete"
    return f"{counts.right:,} right, {edits}"


def groups_text(counts: GroupCounts) -> str:
    """What became of groups, in words."""
    return f"{counts.right:,} right, {counts.wrong:,} wrong, {counts.missed:,} missed, {counts.invented:,} invented"


def correction_text(step: Step) -> str:
    """One correction in words: what to do where, and from and to what."""
    place = printable(step.place)
    expected = value_excerpt(step.truth.value) if step.truth else ""
    predicted = value_excerpt(step.prediction.value) if step.prediction else ""
    if step.edit == "change":
        return f"change {place} from {predicted} to {expected}"
    return f"add {place} {expected}" if step.edit == "add" else f"delete {place} {predicted}"


def threshold_text(threshold: float) -> str:
    """A threshold, or that everything is reviewed."""
    return f"{threshold:.2f}" if math.isfinite(threshold) else "all"


def choice_text(choice: Choice, confidence: float) -> str:
    """The lowest threshold that reaches what is wanted, in words."""
    if choice.point is None:
        return f"No threshold reaches an accuracy of {choice.target:g}: {choice.threshold.note}"
    ends = choice.threshold.ends
    between = f" ({percent_text(confidence)} interval {' to '.join(map(threshold_text, ends))})" if ends else ""
    return (
        f"An accuracy of {choice.target:g} needs a review below {threshold_text(choice.point.threshold)}{between}; "
        f"{choice.point.automation_rate:.1%} of the values are then automated"
    )


def count_lines(scores: CorpusScore) -> list[str]:
    """What was skipped, missing, not parsed and repaired, a line each."""
    return [_count_line(name, count) for name, count in scores.counts().items()]


def _count_line(name: str, count: int) -> str:
    return f"{count:,} {COUNTED[name][0]}{'s' * (count != 1)} {COUNTED[name][1]}"


def count_lines_of_both(found: Comparison) -> list[str]:
    """What was left out of both systems, and what was missing, not parsed and repaired in each, a line each."""
    skipped = found.new.scores.pairs.skipped
    lines = [f"{documents_text(skipped)} left out of both because of faults"] if skipped else []
    for side, scores in (("base", found.base.scores), ("new", found.new.scores)):
        counts = {name: count for name, count in scores.counts().items() if name != "skipped"}
        lines += [f"{side}: {_count_line(name, count)}" for name, count in counts.items()]
    return lines


def interval_text(interval: Interval, confidence: float, *, signed: bool = False) -> str:
    """The interval in words, or why there is none."""
    if interval.ends is None:
        return f"no interval: {interval.note}"
    low, high = (with_sign(end) if signed else f"{end:.4f}" for end in interval.ends)
    return f"{percent_text(confidence)} interval {low} to {high}"


def percent_text(share: float) -> str:
    """A share as text, such as 95% or 99.9%."""
    return f"{share * 100:.4g}%"


def p_text(p_value: float | None) -> str:
    """A p-value; what is not 0 is not rounded to it."""
    if p_value is None:
        return ""
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.4f}"  # noqa: PLR2004


def documents_text(count: int) -> str:
    """How many documents."""
    return f"{count:,} document{'s' * (count != 1)}"


def changes_text(found: Comparison) -> str:
    """How many documents got better, worse and stayed."""
    return f"{len(found.better):,} better, {len(found.worse):,} worse, {found.same:,} the same"


def shown_name(name: str) -> str:
    """A name, made safe for a terminal and shortened."""
    return clipped(printable(name), _LONGEST_NAME)

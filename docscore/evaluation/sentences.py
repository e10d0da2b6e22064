"""Sentences, words, number formats and marked differences, shared by the terminal, Markdown, HTML and the Space."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from statistics import median
from typing import get_args

from docscore.core.errors import NAMED
from docscore.core.formatting import (
    counted,
    p_text,
    percent_text,
    points_of,
    share_text,
    shown_name,
    three_digits,
    with_sign,
)
from docscore.core.numbers import ROUNDING
from docscore.evaluation.comparison import Comparison, level_of_tests
from docscore.evaluation.confusions import spans_of
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.figures import Runs
from docscore.inputs.model_text import PARSE_COUNTS
from docscore.metrics.anls_star.causes import Cause
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import Annotation, cause_in_words
from docscore.metrics.base import MetricTree
from docscore.stats.intervals import Interval

_RUNS_LISTED = 8  # scores of runs in a sentence

NOTHING_LOST = "No point was lost."
_NO_FAULT = "Every value is right."


STATUS_WORDS = {
    "exact": "exact",
    "partial": "partial",
    "wrong": "wrong",
    "missing": "missing in the prediction",
    "extra": "only in the prediction",
}


SHORT_WORDS = {**STATUS_WORDS, "missing": "missing", "extra": "extra"}


COUNT_WORDS = {
    "skipped": ("row", "left out"),
    "missing": ("prediction", "missing, scored as null"),
    "parse_failures": ("prediction", "that could not be parsed, scored as text"),
    "parse_extracted": ("prediction", "extracted from surrounding text"),
    "parse_repaired": ("prediction", "repaired because of malformed or cut-off JSON"),
    "parse_ambiguous": ("prediction", "ambiguous: several readings are possible, and one of them was used"),
}

READING_WORDS = {  # descriptions of a prediction, by the outcome of its parsing
    "extracted": "extracted from surrounding text",
    "repaired": "repaired because of malformed or cut-off JSON",
    "ambiguous": "ambiguous: several readings are possible, and one of them was used",
    "failed": "not JSON and is scored as text",
}

_LARGE_CHANGE = 0.005  # smallest change of a mean that is reported
_DIGITS = 9  # of a mean; scores that are equal to this many digits are tied


def changed_order(before: Sequence[float], after: Sequence[float]) -> list[int]:
    """Return the numbers of the scores by their new order, highest first; empty if the order did not change."""
    old = sorted(range(len(before)), key=lambda number: -round(before[number], _DIGITS))
    new = sorted(old, key=lambda number: -round(after[number], _DIGITS))
    return [] if new == old else new


def by_value_text(evaluations: Mapping[str, Evaluation]) -> str:
    """Return a sentence on numbers that only print differently; "" if comparing them by value changes little.

    Args:
        evaluations: the evaluations by the name of the system, "" for a single system. For several systems, the
            sentence says whether their order changes.
    """
    scores = {name: system.score_by_value for name, system in evaluations.items()}
    if not any(score is not None for score in scores.values()):
        return ""
    gains = {name: 0.0 if score is None else score - evaluations[name].score for name, score in scores.items()}
    order = changed_order(
        [each.score for each in evaluations.values()], [each.score + gains[name] for name, each in evaluations.items()]
    )
    parts = []
    for name, system in evaluations.items():
        gain = gains[name]
        if gain >= _LARGE_CHANGE or (order and round(gain, _DIGITS)):
            of_system = f" of {shown_name(name)}" if name else ""
            what = "the mean" if system.primary.is_mean else system.figure_names[0].label
            parts.append(f"{what}{of_system} is {system.score + gain:.4f}, {gain:+.4f}")
    if not parts:
        return ""
    then = f"; their order is then {', '.join(shown_name(list(evaluations)[at]) for at in order)}" if order else ""
    return f"Numbers are compared as printed; by value, {'; '.join(parts)}{then}"


def between_systems(confidence: float) -> str:
    """Return the test between systems, in words."""
    return f"paired permutation test, Holm-corrected for the number of systems, p < {level_of_tests(confidence):g}"


def interval_text(interval: Interval, confidence: float, *, signed: bool = False) -> str:
    """Return the interval as text, or why there is no interval."""
    if interval.ends is None:
        return f"no interval: {interval.note}"
    low, high = (with_sign(end) if signed else f"{end:.4f}" for end in interval.ends)
    note = f" ({interval.note})" if interval.note else ""
    return f"{percent_text(confidence)} interval {low} to {high}{note}"


def sample_text(evaluation: Evaluation, noun: str) -> str:
    """Return the number of rows or documents of a mean, and its interval if requested."""
    rows, interval = len(evaluation), evaluation.measured[0].interval
    size = counted(rows, noun)
    if evaluation.test_set.document_ids is not None:
        size = f"{counted(len(evaluation.document_ids), 'document')} in {counted(evaluation.test_set.runs, 'run')}"
    if len(evaluation.primary.counted) < rows:
        size = f"{len(evaluation.primary.counted):,} of {size}"
    return size if interval is None else f"{size}, {interval_text(interval, evaluation.confidence or 0)}"


def runs_lines(runs: Runs) -> list[str]:
    """Return lines about the runs of a system: their scores, the sources of variance, and how many more would help."""
    scores = f"{runs.runs} runs: {', '.join(map(three_digits, runs.scores[:_RUNS_LISTED]))}"
    more = ", …" if runs.runs > _RUNS_LISTED else ""
    lines = [f"{scores}{more}; standard deviation between runs {runs.deviation:.4f}"]
    if runs.shares is None:
        return [*lines, "all documents have the same score in all runs"]
    _, wanted = runs.wanted
    return [
        *lines,
        "variance: {} between documents, {} between runs, {} between the answers to one document".format(
            *map(share_text, runs.shares)
        ),
        f"{len(runs.unstable):,} of {runs.documents:,} documents score differently from run to run",
        *([] if wanted is None else [f"about {wanted:,} runs of these documents would also halve the interval"]),
    ]


HALF_THE_WIDTH = (
    "to halve the width of an interval, about four times as many documents are needed"  # shown once for several systems
)


def headline_text(evaluation: Evaluation, noun: str) -> str:
    """Return the headline figure with its interval: "mean ANLS* of 40 documents, 95% interval 0.7511 to 0.8532"."""
    mean = "mean " if evaluation.primary.is_mean else ""
    return f"{mean}{evaluation.figure_names[0].label} of {sample_text(evaluation, noun)}"


def spread_lines(scores: Sequence[float]) -> list[str]:
    """Return the median of the scores of documents, and how many are fully correct; empty without documents."""
    fully_correct = sum(score == 1 for score in scores)
    return [f"median {three_digits(median(scores))}", f"{fully_correct:,} fully correct"] if scores else []


def slice_text(system: Evaluation) -> str:
    """Return which slice the rows of an evaluation are, in words."""
    return f"only the rows whose {shown_name(system.slice_name)} is {shown_name(system.test_set.slice or '')}"


def count_lines(evaluation: Evaluation, *, alone: bool = True, warnings: bool = True) -> list[str]:
    """Return a line for each kind of row: skipped, missing, unparsed, extracted or repaired; with the first ids.

    The warnings about the rows follow, unless they were given before, and a line on numbers that only print
    differently. If the evaluation is not alone, lines that the caller prints once for both systems are left out.
    """
    reads = evaluation.test_set.options.parse is not None
    ids = {PARSE_COUNTS[outcome]: ids for outcome, ids in evaluation.test_set.parsed_ids().items()} if reads else {}
    lines = [slice_text(evaluation)] if evaluation.test_set.slice is not None and alone else []
    for name, count in evaluation.counts.items():
        if count and (alone or name != "skipped"):
            noun, what = COUNT_WORDS[name]
            why = f": {evaluation.test_set.why_left_out}" if name == "skipped" else ""
            first = ", ".join(map(shown_name, ids.get(name, [])[:NAMED]))
            more = f" and {len(ids[name]) - NAMED:,} more" if len(ids.get(name, [])) > NAMED else ""
            lines.append(f"{counted(count, noun)} {what}{why}" + (f": {first}{more}" if first else ""))
    lines += [f"confidences from {form}"] if (form := evaluation.test_set.confidence_form) else []
    if evaluation.test_set.options.with_confidences and not evaluation.automation.is_available:
        lines.append(
            f"{evaluation.scorer.label} does not say which values are right, so it has no trade-off of automation and "
            "no calibration"
        )
    lines += _lines_on_places(evaluation)
    found = [each.sentence for each in evaluation.row_warnings] if warnings else []
    return [*lines, *found, *filter(None, [by_value_text({"": evaluation})] if alone else ())]


def _lines_on_places(system: Evaluation) -> list[str]:
    """Return the number of citations that were left out; or that the metric grounding can score regions."""
    left_out = sum(of_row.left_out for of_row in system.test_set.places or ())
    if left_out:
        return [f"{counted(left_out, 'citation')} left out: the prediction is missing or could not be parsed"]
    sides = system.test_set.evidence or (), system.test_set.citations or ()
    if not all(any(isinstance(cell, dict | list) for cell in side) for side in sides):
        return []
    return ["Both sides have regions, which the metric grounding can score"]


def difference_interval(comparison: Comparison) -> str:
    """Return the interval of a difference as text."""
    return interval_text(comparison.figure.interval or Interval(), comparison.confidence, signed=True)


def verdict_text(comparison: Comparison) -> str:
    """Return a sentence on how many documents got better and worse, whether that may be chance, and the p-value.

    If several systems are compared with the base, the p-value is adjusted for them, and the sentence names how many.
    """
    better, worse = len(comparison.better), len(comparison.worse)
    noun = "document" if comparison.new.test_set.document_ids is None else "prediction"  # with several runs
    if not better and not worse and not comparison.figure.changed:
        return f"the same on all {counted(comparison.same, noun)}"
    documents = counted(better + worse + comparison.same, noun)
    p_value = comparison.p_value if comparison.figure.adjusted is None else comparison.figure.adjusted
    figure, level = comparison.figure, comparison.confidence
    chance = "is unlikely to be chance" if figure.is_beyond_chance(level) else "may be chance"
    of_tests = f" (adjusted for {comparison.tests} comparisons)" if comparison.tests > 1 else ""
    if figure.is_significant(level) and not figure.is_beyond_chance(level):
        what = "the interval contains 0" if figure.interval and figure.interval.ends else "there is no interval"
        chance = f"may be chance: p is small, but {what}"
    elif figure.excludes_zero and not figure.is_significant(level):
        chance = "may be chance: the interval excludes 0, but p is not small"
    return f"better on {better:,} of {documents}, worse on {worse:,}; this {chance}, p = {p_text(p_value)}{of_tests}"


def count_lines_of_both(comparison: Comparison, *, warnings: bool = True) -> list[str]:
    """Return lines on rows left out of both systems, then on each system and its cut-off lists, then on numbers."""
    skipped = comparison.new.test_set.skipped
    lines = [] if comparison.new.test_set.slice is None else [slice_text(comparison.new)]
    lines += (
        [f"{counted(skipped, 'document')} left out of both: {comparison.new.test_set.why_left_out}"] if skipped else []
    )
    for side, system in (("base", comparison.base), ("new", comparison.new)):
        facts = *count_lines(system, alone=False, warnings=warnings), system.cut_off
        lines += [f"{side}: {line}" for line in facts if line]
    return [*lines, *filter(None, [by_value_text({"base": comparison.base, "new": comparison.new})])]


_SPELLINGS = {
    "decimal comma": ("value differs by a decimal comma", "values differ by a decimal comma"),
    "number": (
        "value is the same number in a different notation",
        "values are the same numbers in a different notation",
    ),
    "date": ("value is the same date in a different notation", "values are the same dates in a different notation"),
}


def annotation_text(annotation: Annotation) -> str:
    """Return an annotation of a score tree as a sentence, without its points."""
    where = "" if annotation.parent == "$" else f" in {shown_name(annotation.parent)}"
    if annotation.kind == "exchanged":
        first, second = (
            shown_name(path.removeprefix(annotation.parent).removeprefix(".")) for path in annotation.paths
        )
        return f"{first} and {second} are exchanged{where}"
    if annotation.kind == "elsewhere":
        first, second = map(shown_name, annotation.paths)
        return f"the value of {first} is predicted at {second}"
    if annotation.kind == "option":
        return f"{annotation.subject} was taken{where}"
    if annotation.kind == "group":
        return f"{annotation.subject}{where}"
    gain = "" if annotation.gain is None else f": {annotation.gain:+.3f} with numbers by value"
    return f"{len(annotation.paths):,} {_SPELLINGS[annotation.subject][len(annotation.paths) != 1]}{gain}"


def explained_figures(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    """Return the label, the value and the meaning of each figure of the primary metric that has a meaning."""
    meanings = evaluation.scorer.figure_meanings
    return [
        (figure.label, f"{figure.value:.4f}", meanings[figure.name])
        for figure in evaluation.measured
        if figure.name in meanings
    ]


def points_text(tree: ScoreTree) -> str:
    """Return the points earned and possible of a tree, or the headline of a `MetricTree`."""
    if isinstance(tree, MetricTree):
        return tree.headline
    return points_of(tree.earned, tree.weight) if tree.weight else "nothing counts"


def facts_of_tree(tree: ScoreTree) -> tuple[str, ...]:
    """Return the facts of a `MetricTree`, one line per fact."""
    return tree.facts if isinstance(tree, MetricTree) else ()


Span = tuple[str, bool]  # a piece of a text, and whether it is missing from the other text


def text_differences(truth: str, prediction: str, *, ignore_case: bool = True) -> tuple[list[Span], list[Span]]:
    """Split both texts into shared spans and changed ones: deleted from the truth, or inserted in the prediction.

    >>> text_differences("12.50", "12.5")
    ([('12.5', False), ('0', True)], [('12.5', False)])
    >>> text_differences("Adler", "ADL3R")[1]
    [('ADL', False), ('3', True), ('R', False)]
    """
    left, right = [], []
    for differs, expected, predicted in spans_of(truth, prediction, ignore_case=ignore_case):
        left += [(expected, differs)] if expected else []
        right += [(predicted, differs)] if predicted else []
    return left, right


LEADS, FOLLOWS = 0.3, 0.2  # smallest shares of the loss for which a cause is named first, and second
_NAMED_SHARES = (  # (upper limit of the share, words)
    (0.22, "a fifth"),
    (0.28, "a quarter"),
    (0.3, ""),
    (0.37, "a third"),
    (0.45, ""),
    (0.55, "half"),
    (0.63, ""),
    (0.7, "two thirds"),
    (0.78, "three quarters"),
    (0.84, "four fifths"),
    (0.9, ""),
    (0.995, "nearly all"),
    (1.01, "all"),
)


def share_in_words(share: float) -> str:
    """Return a share in words, or as a percentage if no simple fraction is near.

    >>> share_in_words(0.34), share_in_words(0.6)
    ('a third', '60%')
    """
    word = next(word for end, word in _NAMED_SHARES if share < end)
    return word if word and share >= FOLLOWS else f"{share:.0%}"


def conclusion_of(evaluation: Evaluation) -> tuple[str, str]:
    """Return a sentence on the largest cause of lost points, and one on the second largest cause, or "".

    Rows that were cut off from lists follow if they are a tenth of the loss. For a metric without causes, the
    sentences say what the metric counts.

    >>> import docscore
    >>> conclusion_of(docscore.evaluate(predictions=[{"a": "x"}], references=[{"a": "x", "b": "y"}]))
    ('Missing fields account for all of the lost points.', '')
    """
    total = 1 - evaluation.score
    if total <= ROUNDING:
        return _NO_FAULT, ""
    lost = {cause_in_words(cause): points for cause, points in evaluation.lost.items() if points}
    if not lost:
        return evaluation.scorer.fields_note, ""
    first, second = _largest_losses(lost, total)
    return first, " ".join(f"{capital(each)}." for each in (second, evaluation.cut_off) if each)


def conclusion_of_tree(tree: ScoreTree, annotations: Sequence[Annotation]) -> tuple[str, str, ScoreTree | None]:
    """Return a sentence on the largest loss of a document, one on the second or "", and the node of the largest.

    The tree of your own metric has no causes, and no conclusion.

    >>> from docscore import score_tree
    >>> conclusion_of_tree(score_tree({"a": "x", "b": "y"}, {"a": "x"}), [])[:2]
    ('One missing field accounts for all of the lost points.', '')
    """
    if isinstance(tree, MetricTree):
        return "", "", None
    if not (total := tree.weight - tree.earned):
        return _NO_FAULT if tree.weight else "Nothing counts here.", "", None
    nodes = _losses(tree, annotations)
    lost = {words: fsum(node.weight - node.earned for node in found) for words, found in nodes.items()}
    largest = max(nodes[max(lost, key=lambda words: lost[words])], key=lambda node: node.weight - node.earned)
    return *_largest_losses(lost, total), largest


def _largest_losses(lost: Mapping[str, float], total: float) -> tuple[str, str]:
    """Return a sentence on the largest loss, and one on the second or ""; losses below `LEADS` are not named."""
    (share, first), *others = sorted(
        ((points / total, words) for words, points in lost.items()), key=lambda each: -each[0]
    )
    if share < LEADS:
        return "No single cause dominates.", f"the largest: {_account(first, share)} of the lost points"
    second = _account(others[0][1], others[0][0]) if others and others[0][0] >= FOLLOWS else ""
    return capital(f"{_account(first, share)} of the lost points."), second


def _account(losses: str, share: float) -> str:
    """Return which share of the lost points some losses are, such as "one missing field accounts for half"."""
    return f"{losses} {'accounts' if losses.startswith('one ') else 'account'} for {share_in_words(share)}"


def capital(sentence: str) -> str:
    """Return the sentence with a capital letter."""
    return sentence[:1].upper() + sentence[1:]


def lost_nodes(tree: ScoreTree) -> Iterator[ScoreTree]:
    """Yield the nodes that lose points; if a part is missing or extra as a whole, yield only the part."""
    inside: set[int] = set()  # nodes within parts that are lost as a whole
    for node in tree.nodes():
        if node.cause is not None:
            if id(node) not in inside:
                yield node
            inside.update(map(id, node.children))


def _losses(tree: ScoreTree, annotations: Sequence[Annotation]) -> dict[str, list[ScoreTree]]:
    """Return the nodes that lose points, by cause in words; a part that is missing as a whole is one loss."""
    exchanged = {path for each in annotations if each.kind == "exchanged" for path in each.paths}
    found: dict[Cause | None, list[ScoreTree]] = {cause: [] for cause in (None, *get_args(Cause))}
    for node in lost_nodes(tree):
        found[None if node.path in exchanged else node.cause].append(node)
    swapped = found.pop(None)
    lost = {cause_in_words(cause, len(nodes)): nodes for cause, nodes in found.items() if cause and nodes}
    if swapped:
        words = "two values that are exchanged" if len(swapped) == 2 else f"{len(swapped):,} values that are exchanged"  # noqa: PLR2004
        lost[words] = swapped
    return lost

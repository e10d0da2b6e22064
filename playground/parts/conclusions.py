"""Summarize a result in one sentence: where a test set lost points and what helps, or which system leads."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations
from typing import Any, NamedTuple

from docscore.core.formatting import counted, p_text, shown_name, three_digits
from docscore.core.numbers import ROUNDING
from docscore.core.options import BY_VALUE, CompareOptions
from docscore.evaluation.comparison import Change, Comparison, adjusted, changes_of, rows_of_base
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.registry import ANLS_STAR, METRICS, TYPED
from docscore.evaluation.sentences import capital, changed_order, conclusion_of, interval_text, share_in_words
from docscore.inputs.checks import first_truths
from docscore.inputs.reading import as_scored
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.causes import NAMES
from docscore.metrics.annotations import cause_in_words
from docscore.metrics.typed.comparators import COMPARATORS
from docscore.report.html_tree import lost_text
from docscore.schemas.suggestion import suggestion_of
from playground.parts.row_counts import Known, count_rows, nearest
from playground.server import answers
from playground.server.answers import Changes

MOST_RESCORED = 20_000  # rows that are scored again for a what-if
MOST_NAMED = 3  # documents that decide a lead
MOST_EXPLAINED = 2_000  # rows whose causes are computed again
LEAST_GAIN = 0.005  # a what-if with a smaller gain is not offered
_PLAIN = 0.1  # p-values of at least this have two decimals
_SMALL = 0.001  # smaller p-values are shown as "< 0.001"
_HALF = 0.5  # below this share of a loss two causes are named; from this share of a lead its documents are named


class WhatIf(NamedTuple):
    """The scores under another option, computed before it is offered.

    Attributes:
        label: what it does, with the score for a test set: "Compare by value → 0.912".
        taken: what was done, as the beginning of a sentence: "Compared by value".
        options: the option by its name.
        evaluations: the test set scored with the option; one evaluation per system, in their order.
        gain: the increase of the score; with several systems, the largest increase.
    """

    label: str
    taken: str
    options: Changes
    evaluations: list[Evaluation]
    gain: float

    @property
    def remedy(self) -> answers.Remedy:
        """Return the button that scores with the option."""
        return {"label": self.label, "options": self.options}


Check = Callable[[TestSet], object]


def what_ifs_of(systems: Sequence[Evaluation], check: Check, known: Sequence[Sequence[Known]] = ()) -> list[WhatIf]:
    """Return the options that raise the score of a test set, largest gain first.

    With several systems, an option has to raise at least one score or change the order of the systems.

    Args:
        systems: the scored test set, or several systems on it, best first.
        check: raises a `ValueError` for rows that take too long.
        known: the counts of each system's rows under these and other options, as far as they are known.
    """
    metric, options = systems[0].metric, systems[0].options
    if sum(len(each.ids) for each in systems) > (MOST_RESCORED if metric == ANLS_STAR else MOST_EXPLAINED):
        return []
    tried: list[tuple[str, str, Changes]] = []
    if options.numbers != BY_VALUE:
        tried.append(("Compare by value", "Compared by value", {"what_if": {"numbers": BY_VALUE}}))
    if not options.ignore_case:
        tried.append(("Ignore case", "With case ignored", {"what_if": {"ignore_case": True}}))
    if any(map(_holds_texts_for_json, systems)):
        extracted = "Extract JSON from the text", "With JSON extracted from the texts"
        tried.append((*extracted, {"reading": {"parse": "repair"}}))
    better: list[WhatIf] = []
    for label, taken, changes in tried:
        of_values = changes.get("what_if", {})
        if of_values.keys() <= set(METRICS[metric].options):
            changed = dataclasses.replace(options, **of_values)
            better += _rescored(systems, changed, check, label, taken, changes, known)
    better.sort(key=lambda each: -each.gain)
    least = better[0].gain + LEAST_GAIN if better else 0.0
    return [each for each in _with_schema(systems, check) if each.gain >= least] + better


def _rescored(
    systems: Sequence[Evaluation],
    options: CompareOptions,
    check: Check,
    label: str,
    taken: str,
    asked: Changes,
    known: Sequence[Sequence[Known]] = (),
) -> Iterator[WhatIf]:
    """Yield the what-if of these options if the rows are accepted, and a score gains enough or the order changes."""
    metric = systems[0].metric if options.schema is None else TYPED
    how: dict[str, Any] = {"metrics": (metric, *systems[0].metrics), "confidence": None}
    try:
        test_sets = [
            _read_again(each.test_set, asked["reading"], check) if "reading" in asked else each.test_set
            for each in systems
        ]
        again = [
            Evaluation(dataclasses.replace(test_set, is_full=False), options, progress=each.progress, **how)
            for test_set, each in zip(test_sets, systems, strict=True)
        ]
        for each, of_system in zip(again, known or [()] * len(again), strict=True):
            if nearest(options, of_system):
                count_rows(each, of_system, with_fields=len(each) <= MOST_EXPLAINED)
        gain = max(new.score - old.score for new, old in zip(again, systems, strict=True))
    except (TypeError, ValueError):
        return
    if gain >= LEAST_GAIN or changed_order(_scores(systems), _scores(again)):
        label = f"{label} → {three_digits(again[0].score)}" if len(again) == 1 else label
        yield WhatIf(label, taken, asked, again, gain)


def _read_again(rows: TestSet, changes: Mapping[str, Any], check: Check) -> TestSet:
    """Return the original rows of a system, read with other options."""
    read = as_scored(rows.given or rows, dataclasses.replace(rows.options, **changes), is_full=rows.is_full)
    check(read)
    return read


def _scores(systems: Iterable[Evaluation]) -> list[float]:
    return [each.score for each in systems]


def _with_schema(systems: Sequence[Evaluation], check: Check) -> Iterator[WhatIf]:
    """Yield the what-if with the schema that the ground truths suggest, if it accepts values in different notation.

    With several systems, use the suggestion of the system that gains the most.
    """
    first = systems[0]
    count = sum(len(each.ids) for each in systems)
    if count > MOST_EXPLAINED or first.options.schema is not None or first.metric != ANLS_STAR:
        return
    suggestion = max(map(suggestion_of, systems), key=lambda found: sum(field.points for field in found.fields))
    points: dict[str, float] = {}
    for field in suggestion.fields:
        said = COMPARATORS[field.compare].effect
        if field.points and said:
            points[said] = points.get(said, 0.0) + field.points
    if sum(points.values()) < LEAST_GAIN:
        return
    largest = " and ".join(sorted(points, key=points.__getitem__, reverse=True)[:2])
    options = dataclasses.replace(first.options, schema=suggestion.schema)
    text = json.dumps(suggestion.schema, indent=1, ensure_ascii=False)
    yield from _rescored(
        systems, options, check, f"Compare {largest}", "With the suggested schema", {"what_if": {"schema": text}}
    )


def _holds_texts_for_json(found: Evaluation) -> bool:
    """Return whether predictions are text in place of an object or a list, and JSON is not extracted from them yet."""
    sides = zip(first_truths(found.test_set), found.test_set.predictions, strict=True)
    return found.test_set.options.parse != "repair" and any(
        isinstance(prediction, str) and isinstance(truth, dict | list) for truth, prediction in sides
    )


def figure_of(found: Evaluation) -> answers.Figure:
    """Return the score and its interval."""
    low, high = found.interval or (None, None)
    interval = found.measured[0].interval
    said = "" if interval is None else interval_text(interval, found.confidence or 0)
    return {"score": found.score, "low": low, "high": high, "text": three_digits(found.score), "interval": said}


def headline_of(found: Evaluation, what_ifs: Sequence[WhatIf]) -> answers.Headline:
    """Return where points were lost: a sentence on the largest cause, one on what helps, and the best what-if."""
    title, text = conclusion_of(found)
    causes = sorted((cause for cause in found.lost if found.lost[cause]), key=lambda cause: -found.lost[cause])
    lead = next((answers.Lead(cause=cause, words=capital(cause_in_words(cause))) for cause in causes), None)
    if what_ifs:
        text = _after(what_ifs[0])
    is_said = lead is not None and title.startswith(lead["words"])
    remedy = what_ifs[0].remedy if what_ifs else None
    return {"title": title, "text": text, "remedy": remedy, "lead": lead if is_said else None}


def _after(best: WhatIf) -> str:
    """Return a sentence on the loss that remains with the what-if, and on its causes."""
    [found] = best.evaluations
    left = 1 - found.score
    if left <= ROUNDING:
        return f"{best.taken}, no points are lost."
    said = f"{best.taken}, {three_digits(left)} is still lost"
    rows = found
    if len(rows) > MOST_EXPLAINED or rows.scorer.fields_note:
        return f"{said}."
    (first, lost), (second, others) = sorted(rows.lost.items(), key=lambda item: -item[1])[:2]
    names, share = [cause_in_words(first)], lost / left
    if share < _HALF and others:
        names, share = [*names, cause_in_words(second)], (lost + others) / left
    return f"{said}, {share_in_words(share)} of it to {' and '.join(names)}."


def every_pair(systems: Mapping[str, Evaluation]) -> list[answers.Pair]:
    """Return the difference between each system and every system with a lower score, with p-values adjusted by Holm.

    Args:
        systems: the evaluations by system name, best first.
    """
    pairs = {(better, worse): Comparison(systems[worse], systems[better]) for better, worse in combinations(systems, 2)}
    found: list[answers.Pair] = []
    for (better, worse), compared, change in zip(
        pairs, pairs.values(), adjusted(map(_change, pairs.values())), strict=True
    ):
        low, high = (change.interval and change.interval.ends) or (None, None)
        found.append(
            {
                "first": better,
                "second": worse,
                "difference": compared.difference,
                "low": low,
                "high": high,
                "better": len(compared.better),
                "worse": len(compared.worse),
                "p": _p_text(1.0 if change.adjusted is None else change.adjusted),
                "proven": change.is_beyond_chance(compared.confidence),
            }
        )
    return found


def _change(compared: Comparison) -> Change:
    """Return the change of the primary metric alone, without the fields."""
    base, new = compared.base, compared.new
    before, after = base.ratio.rows(rows_of_base(base.ids, new.ids)), new.ratio
    sampled: dict[str, Any] = {"seed": base.seed, "confidence": compared.confidence, "clusters": new.clusters}
    return changes_of(new.figure_names[:1], before, after, [[0]], **sampled)[0]


def _p_text(p_value: float) -> str:
    """Return a p-value with its sign: two decimals for at least 0.1, and "< 0.001" for less than 0.001.

    >>> [_p_text(p_value) for p_value in (0.38, 0.0449, 0.0006)]
    ['= 0.38', '= 0.045', '< 0.001']
    """
    if p_value < _SMALL:
        return f"< {_SMALL}"
    return f"= {p_value:.2f}" if p_value >= _PLAIN else f"= {p_text(p_value)}"


def verdict_of(
    systems: Mapping[str, Evaluation], pairs: Sequence[Mapping[str, Any]], what_ifs: Sequence[WhatIf]
) -> answers.Verdict:
    """Return which system leads, whether that is proven, what the lead consists of, and the scores with other options.

    Args:
        systems: the evaluations by system name, best first.
        pairs: the result of `every_pair`.
        what_ifs: the result of `what_ifs_of`; the first one is reported, and all that change the order.
    """
    best, second = list(systems)[:2]
    pair = pairs[0]
    lead = systems[best].score - systems[second].score
    proven, p_value = pair["proven"], pair["p"]
    text, documents = "", list[str]()
    if lead <= ROUNDING:
        title = f"{shown_name(best)} and {shown_name(second)} are tied"
    else:
        title = f"{shown_name(best)} leads {shown_name(second)} by {three_digits(lead)}"
        text, documents = _leader_sentence(Comparison(systems[second], systems[best]))
    if proven:
        rest = "that is unlikely to be chance"
    else:
        rest = "that is not proven" if any(each["proven"] for each in pairs) else "no difference is proven"
    remarks, remedies = list[str](), list[answers.Remedy]()
    texts = [shown_name(name) for name, each in systems.items() if _holds_texts_for_json(each)]
    if texts:
        remarks.append(f"Predictions of {' and '.join(texts)} are text where an object or a list is expected.")
    names, before = list(systems), _scores(systems.values())
    for number, what_if in enumerate(what_ifs):
        after = _scores(what_if.evaluations)
        order = changed_order(before, after)
        if number and not order:
            continue
        means = (f"{shown_name(names[at])} {three_digits(after[at])}" for at in order or range(len(names)))
        remarks.append(f"{what_if.taken}, the {'order is' if order else 'scores are'} {', '.join(means)}.")
        remedies.append(what_if.remedy)
    return {
        "title": title,
        "rest": rest,
        "p": p_value,
        "text": text,
        "documents": documents,
        "remarks": remarks,
        "remedies": remedies,
    }


def _leader_sentence(compared: Comparison) -> tuple[str, list[str]]:
    """Return a sentence on the documents that decide the lead, and their ids, at most `MOST_NAMED`."""
    if not compared.new.primary.is_mean:
        return "", []
    gains = sorted(((change.difference or 0.0, change.name) for change in compared.document_changes), reverse=True)
    shares = list(accumulate(gain / len(gains) / compared.difference for gain, _ in gains))[:MOST_NAMED]
    counts = range(1, len(shares) + 1)
    alone = [(1, _HALF), *((count, 1.0) for count in counts), *((count, _HALF) for count in counts)]
    count = next((count for count, least in alone if shares[count - 1] >= least - ROUNDING), 0)
    if not count:
        better, worse = len(compared.better), len(compared.worse)
        return f"It is better on {better:,} of {counted(len(gains), 'document')}, worse on {worse:,}.", []
    share, which = shares[count - 1], "one document" if count == 1 else counted(count, "document")
    if share >= 1 - ROUNDING:
        said = f"{which} {'decides' if count == 1 else 'decide'} who leads"
    else:
        said = f"{share_in_words(share)} of the lead comes from {which}"
    return capital(said), [name for _, name in gains[:count]]


def ties_of(systems: Mapping[str, Evaluation], pairs: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Return runs of neighbouring systems without a proven difference between two: first and last number of each."""
    names = list(systems)
    proven = {(each["first"], each["second"]) for each in pairs if each["proven"]}
    runs: list[tuple[int, int]] = []
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and not any((name, names[last + 1]) in proven for name in names[first : last + 1]):
            last += 1
        if last > first and not (runs and runs[-1][1] >= last):
            runs.append((first, last))
    return runs


def cause_label(cause: str) -> str:
    """Return the name of a cause as a heading."""
    return capital(NAMES[cause][0])


def loss_text(points: float) -> str:
    """Return lost points as text with three digits, or a dot if they would round to 0."""
    return lost_text(points) if points >= 0.0005 else "·"  # noqa: PLR2004  the least that three digits show

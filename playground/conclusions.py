"""What a result says in one sentence: where the points of a test set went and what helps; which system leads."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from docscore.core.formatting import three_digits, with_minus_signs, with_sign
from docscore.core.numbers import ROUNDING
from docscore.core.options import BY_VALUE
from docscore.data.pairing import first_truths
from docscore.evaluation.comparison import Change, adjusted, changes_of, rows_of_base
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.ground_truths import suggestion_of
from docscore.metrics.anls_star.causes import Cause
from docscore.metrics.registry import ANLS_STAR, TYPED
from docscore.report.annotations import cause_in_words
from docscore.report.wording import (
    FOLLOWS,
    LEADS,
    counted,
    fields_note,
    is_beyond_chance,
    order_by_value,
    p_text,
    share_in_words,
    shown_name,
)

MOST_RESCORED = 20_000  # rows that are scored once more for a what-if
MOST_EXPLAINED = 2_000  # rows whose causes are looked for once more
LEAST_GAIN = 0.005  # from which a what-if is offered
_PLAIN = 0.1  # p-values from which two decimals say enough
_SMALL = 0.001  # p-values below which no digits are said
_HALF = 0.5  # share of a loss below which two causes are named, and of a lead from which one document is


class WhatIf(NamedTuple):
    """The score under another option, computed before it is offered.

    Attributes:
        label: what it does, with the score: "Compare by value → 0.912".
        taken: what was done, at the beginning of a sentence: "Compared by value".
        options: the option by its name, within "what_if" or "reading", where a request holds it.
        evaluation: the test set as it is then scored.
    """

    label: str
    taken: str
    options: dict[str, dict[str, Any]]
    evaluation: Evaluation

    def to_dict(self, score: float) -> dict[str, Any]:
        """For the page, with the difference to the score."""
        found = self.evaluation.score
        return {"label": self.label, "options": self.options, "score": found, "difference": found - score}


def what_ifs_of(found: Evaluation, check: Callable[[Evaluation], object]) -> list[WhatIf]:
    """The options by which a test set scores higher, most first.

    Args:
        found: the test set as it was scored.
        check: raises a `ValueError` for a test set that takes too long.
    """
    if len(found.ids) > MOST_RESCORED or found.metric != ANLS_STAR:
        return []
    options = found.options
    tried: list[tuple[str, str, str, str, Any]] = []
    if options.numbers != BY_VALUE:
        tried.append(("Compare by value", "Compared by value", "what_if", "numbers", BY_VALUE))
    if not options.ignore_case:
        tried.append(("Ignore case", "With case ignored", "what_if", "ignore_case", True))
    if options.parse != "repair" and _holds_texts_for_json(found):
        tried.append(("Read JSON out of the text", "With the JSON in the texts read", "reading", "parse", "repair"))
    better = []
    for label, taken, where, name, value in tried:
        changed = dataclasses.replace(options, **{name: value})
        again = Evaluation(found.source, changed, metrics=[found.metric], confidence=None)
        try:
            check(again)
        except (TypeError, ValueError):
            continue
        if again.score - found.score >= LEAST_GAIN:
            better.append(WhatIf(f"{label} → {three_digits(again.score)}", taken, {where: {name: value}}, again))
    better.sort(key=lambda each: -each.evaluation.score)
    best = better[0].evaluation.score if better else found.score
    return [each for each in _with_schema(found, check) if each.evaluation.score >= best + LEAST_GAIN] + better


_COMPARED = {  # by a comparator what it does
    "boolean": "words as yes or no",
    "date": "dates as dates",
    "datetime": "times as times",
    "money": "amounts as money",
    "number": "numbers by value",
    "phone": "phone numbers as such",
    "time": "times as times",
    "unit": "quantities by value",
}


def _with_schema(found: Evaluation, check: Callable[[Evaluation], object]) -> Iterator[WhatIf]:
    """The schema that the ground truths suggest, where it takes values for right that are written otherwise."""
    if len(found.ids) > MOST_EXPLAINED or found.options.schema is not None:
        return
    suggestion = suggestion_of(found)
    points: dict[str, float] = {}
    for field in suggestion.fields:
        if field.points and field.compare in _COMPARED:
            said = _COMPARED[field.compare]
            points[said] = points.get(said, 0.0) + field.points
    if sum(points.values()) < LEAST_GAIN:
        return
    largest = " and ".join(sorted(points, key=points.__getitem__, reverse=True)[:2])
    options = dataclasses.replace(found.options, schema=suggestion.schema)
    again = Evaluation(found.source, options, metrics=[TYPED], confidence=None)
    try:
        check(again)
    except (TypeError, ValueError):
        return
    text = json.dumps(suggestion.schema, indent=1, ensure_ascii=False)
    label = f"Compare {largest} → {three_digits(again.score)}"
    yield WhatIf(label, "By the suggested schema", {"what_if": {"schema": text}}, again)


def _holds_texts_for_json(found: Evaluation) -> bool:
    """Whether predictions are texts where an object or a list is expected."""
    sides = zip(first_truths(found.pairs), found.pairs.predictions, strict=True)
    return any(isinstance(prediction, str) and isinstance(truth, dict | list) for truth, prediction in sides)


def headline_of(found: Evaluation, what_ifs: Sequence[WhatIf]) -> dict[str, Any]:
    """Where the points went: a sentence on the largest cause, one on what helps, and the what-if that gains most.

    A metric without causes says in their place what it counts.
    """
    total = 1 - found.score
    causes = sorted(found.lost.items(), key=lambda item: -item[1])
    title, text = fields_note(found), ""
    if total <= ROUNDING:
        title = "Every value is right."
    elif causes[0][1] > 0:
        title, text = _largest(causes, total)
    if what_ifs:
        text = _after(what_ifs[0])
    remedy = {"label": what_ifs[0].label, "options": what_ifs[0].options} if what_ifs else None
    return {"title": title, "text": text, "remedy": remedy}


def _largest(causes: Sequence[tuple[Cause, float]], total: float) -> tuple[str, str]:
    (first, lost), (second, others) = causes[:2]
    share, following = lost / total, others / total
    if share < LEADS:
        largest = f"The largest, {cause_in_words(first)}, is {share_in_words(share)} of the loss."
        return "No single cause dominates.", largest
    said = f"{share_in_words(share)} of the loss is {cause_in_words(first)}."
    follows = f"{share_in_words(following)} is {cause_in_words(second)}." if following >= FOLLOWS else ""
    return _capital(said), _capital(follows)


def _after(best: WhatIf) -> str:
    """What stays lost when the what-if is taken, and what that is."""
    left = 1 - best.evaluation.score
    if left <= ROUNDING:
        return f"{best.taken}, nothing stays lost."
    said = f"{best.taken}, {three_digits(left)} stays lost"
    if len(best.evaluation.ids) > MOST_EXPLAINED:
        return f"{said}."
    (first, lost), (second, others) = sorted(best.evaluation.lost.items(), key=lambda item: -item[1])[:2]
    names, share = [cause_in_words(first)], lost / left
    if share < _HALF and others:
        names, share = [*names, cause_in_words(second)], (lost + others) / left
    return f"{said}, {share_in_words(share)} of it {' and '.join(names)}."


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def every_pair(systems: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """How each system differs from each that scores lower, with p-values adjusted for the number of pairs by Holm.

    Args:
        systems: by their names, best first.
    """
    pairs = list(combinations(systems, 2))
    changes = adjusted(_change(systems[worse], systems[better]) for better, worse in pairs)
    found = []
    for (better, worse), change in zip(pairs, changes, strict=True):
        sides = _differences(systems[worse], systems[better])
        ends = change.interval.ends if change.interval else None
        found.append(
            {
                "first": better,
                "second": worse,
                "difference": change.difference,
                "low": ends and ends[0],
                "high": ends and ends[1],
                "better": sum(each > ROUNDING for each in sides),
                "worse": sum(each < -ROUNDING for each in sides),
                "same": sum(abs(each) <= ROUNDING for each in sides),
                "p": _p_text(1.0 if change.adjusted is None else change.adjusted),
                "proven": is_beyond_chance(change, systems[better].confidence or 0.95),
            }
        )
    return found


def _p_text(p_value: float) -> str:
    """A p-value behind its sign, with two decimals where more say nothing, and none of its own below 0.001.

    >>> [_p_text(p_value) for p_value in (0.38, 0.0449, 0.0006)]
    ['= 0.38', '= 0.045', '< 0.001']
    """
    if p_value < _SMALL:
        return f"< {_SMALL}"
    return f"= {p_value:.2f}" if p_value >= _PLAIN else f"= {p_text(p_value)}"


def _change(base: Evaluation, new: Evaluation) -> Change:
    before, after = base.ratio.rows(rows_of_base(base.ids, new.ids)), new.ratio
    drawn: dict[str, Any] = {"seed": base.seed, "confidence": base.confidence, "clusters": new.clusters}
    return changes_of(new.figure_names[:1], before, after, [[0]], **drawn)[0]


def _differences(base: Evaluation, new: Evaluation) -> list[float]:
    """How much better each document of the new system is."""
    rows = rows_of_base(base.ids, new.ids)
    return [score - base.scores[row] for row, score in zip(rows, new.scores, strict=True)]


def verdict_of(systems: Mapping[str, Evaluation], pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Which system leads, whether that is proven, what the lead consists of, and the order by value.

    Args:
        systems: by their names, best first.
        pairs: those of `every_pair`.
    """
    best, second = list(systems)[:2]
    pair = pairs[0]
    lead = systems[best].score - systems[second].score
    proven, p_value = pair["proven"], pair["p"]
    text, document = "", None
    if lead <= ROUNDING:
        title = f"{shown_name(best)} and {shown_name(second)} are level"
    else:
        title = f"{shown_name(best)} leads {shown_name(second)} by {three_digits(lead)}"
        text, document = _of_lead(systems[second], systems[best], lead)
    if proven:
        rest = "that is beyond chance"
    else:
        rest = "that is not proven" if any(each["proven"] for each in pairs) else "no difference is proven"
    remarks, remedies = [], []
    texts = [
        shown_name(name)
        for name, each in systems.items()
        if each.options.parse != "repair" and _holds_texts_for_json(each)
    ]
    if texts:
        remarks.append(f"Predictions of {' and '.join(texts)} are text where an object or a list is expected.")
        remedies.append({"label": "Read JSON out of the text", "options": {"parse": "repair"}})
    order = order_by_value(systems)
    if order:
        by_value = [systems[name].score if (mean := systems[name].score_by_value) is None else mean for name in order]
        means = [f"{shown_name(name)} {three_digits(mean)}" for name, mean in zip(order, by_value, strict=True)]
        remarks.append(f"By value the order is {', '.join(means)}.")
        remedies.append({"label": "Compare by value", "options": {"what_if": {"numbers": BY_VALUE}}})
    return {
        "title": title,
        "rest": rest,
        "proven": proven,
        "p": p_value,
        "text": text,
        "document": document,
        "remarks": remarks,
        "remedies": remedies,
    }


def _of_lead(second: Evaluation, best: Evaluation, lead: float) -> tuple[str, str | None]:
    """A sentence on the documents that make the lead; where it is one document, its beginning, and the id."""
    if not best.is_mean:
        return "", None
    shares = [difference / len(best.ids) / lead for difference in _differences(second, best)]
    share, name = max(zip(shares, best.ids, strict=True))
    if share < _HALF:
        better, worse = sum(each > ROUNDING for each in shares), sum(each < -ROUNDING for each in shares)
        return f"It is better on {better:,} of {counted(len(shares), 'document')}, worse on {worse:,}.", None
    words = "more than all" if share > 1 + ROUNDING else share_in_words(share)
    return _capital(f"{words} of the lead is one document"), name


def ties_of(systems: Mapping[str, Evaluation], pairs: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """Which systems in a row, best first, are not proven to differ: the first and the last number of each run."""
    names = list(systems)
    proven = {(each["first"], each["second"]) for each in pairs if each["proven"]}
    runs: list[list[int]] = []
    for first in range(len(names)):
        last = first
        while last + 1 < len(names) and (names[first], names[last + 1]) not in proven:
            last += 1
        if last > first and not (runs and runs[-1][1] >= last):
            runs.append([first, last])
    return runs


def cause_label(cause: str) -> str:
    """The name of a cause as a heading."""
    return "Written differently" if cause == "same value" else _capital(cause)


def loss_text(points: float) -> str:
    """Lost points as text, with three digits; a dot for less."""
    text = with_minus_signs(with_sign(-points, 3))
    return text if points >= 0.0005 else "·"  # noqa: PLR2004  the least that three digits show

"""Estimates from a random sample of the places where a system loses points."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from docscore.core.errors import InputValueError, row_place
from docscore.core.formatting import counted
from docscore.core.runtime import numbered
from docscore.inputs.rows import NoCell
from docscore.stats.intervals import Ratios, intervals_of
from docscore_review.worklist import (
    AGREEMENT,
    BOTH,
    GROUND_TRUTH,
    OTHER,
    PREDICTION,
    UNCLEAR,
    Item,
    value_text,
)

MOST_UNCLEAR = 0.1  # the share of draws above which an estimate warns

Share = tuple[float, float | None, float | None]  # a share with the ends of its interval, None without an interval


class Estimate(NamedTuple):
    """An estimate of how much of a system's loss is due to wrong ground truths.

    Each share has an interval that resamples documents, since draws from one document resemble each other. Unclear
    draws are left out.

    Attributes:
        system: the name of the system.
        score: the score of the system.
        loss: the loss that was sampled; it excludes predictions that are missing or could not be parsed.
        draws: the number of draws; a place that was sampled twice counts twice.
        documents: how many documents contain the sampled places.
        unclear: how many of the draws have the verdict `unclear`.
        lenient: the share of the loss that comes back with right ground truths (verdicts `prediction` and `both`).
        strict: the share of the loss at places where the ground truth is wrong (verdict `prediction`).
        corrected: the approximate score with right ground truths; matching and sizes may change it.
        agreements: the number of draws of places without a loss.
        shared: the share of the earned points at places where both sides are wrong; None if all are unclear.
        shared_unclear: how many draws of places without a loss are unclear.
    """

    system: str
    score: float
    loss: float
    draws: int
    documents: int
    unclear: int
    lenient: Share
    strict: Share
    corrected: Share
    agreements: int = 0
    shared: Share | None = None
    shared_unclear: int = 0

    def __str__(self) -> str:
        draws = f"{counted(self.draws, 'draw')} fell in {counted(self.documents, 'document')}."
        score = f"its score would be about {_shown(self.corrected, '{:.3f}', '', 1)}"
        both = f"Without the places where both answers are acceptable, {_shown(self.strict)} comes back"
        comes_back = f"{_shown(self.lenient)} comes back with right ground truths: {score}. {both}. {draws}"
        lines = [f"Of {self.system}'s loss of {self.loss:.3f}, {comes_back}"]
        if self.unclear:
            many = self.unclear > MOST_UNCLEAR * self.draws
            warning = ". More than a tenth of the draws are unclear, which may change the shares." if many else "."
            lines.append(f"Left out: {self.unclear:,} of {counted(self.draws, 'draw')} are unclear{warning}")
        apart = 1 - self.score - self.loss
        if apart > 1e-9:  # noqa: PLR2004
            lines.append(f"Left out: a loss of {apart:.3f} by predictions that are missing or could not be parsed.")
        if not self.agreements:
            lines.append("This sample has no places without a difference, so it cannot show errors of both sides.")
        elif self.shared is None:
            lines.append(f"All {self.agreements:,} draws of places without a difference are unclear.")
        else:
            shared = f"Of the points earned, {_shown(self.shared)} are at places where both sides are wrong"
            unclear = f", {self.shared_unclear:,} of them unclear and left out" if self.shared_unclear else ""
            lines.append(f"{shared} ({counted(self.agreements, 'draw')}{unclear}).")
        return "\n".join(lines)


def _shown(share: Share, form: str = "{:.0f}", unit: str = " %", scale: int = 100) -> str:
    """Format a share with its interval, by default in percent."""
    value, low, high = share
    ends = "no interval" if low is None or high is None else f"{form} to {form}{unit}".format(scale * low, scale * high)
    return f"{form.format(scale * value)}{unit} ({ends})"


def estimate_of(items: Sequence[Item], confidence: float) -> Estimate:
    """Estimate how much of the loss of the sampled system is its own; see `Review.estimate`."""
    items = [replace(item, verdict=OTHER) if _chooses_another(item) else item for item in items]
    lossy, exact = ([item for item in items if (item.kind == AGREEMENT) is agrees] for agrees in (False, True))
    systems = {(item.sample or {}).get("system", "") for item in items}
    if not lossy or len(systems) != 1 or "" in systems:
        raise InputValueError(place="review", expected="a random sample of one system", got="another review")
    if count := sum(item.verdict is None for item in items):
        got = f"{counted(count, 'place')} without one"
        raise InputValueError(place="review", expected="a verdict for each place of the sample", got=got)
    if wrong := next((item for item in exact if item.verdict in (PREDICTION, BOTH)), None):
        expected = f"the verdict {GROUND_TRUTH}, {OTHER} or {UNCLEAR} at a place without a difference"
        raise InputValueError(
            place=(row_place(wrong.question_id), wrong.path), expected=expected, got=wrong.verdict or ""
        )
    facts, draws = lossy[0].sample or {}, _draws(lossy)
    for part in filter(None, (lossy, exact)):
        expected_draws, got_draws = (part[0].sample or {})["draws"], _draws(part)
        if got_draws != expected_draws:
            raise InputValueError(place="review", expected=f"{expected_draws:,} draws", got=f"{got_draws:,}")
    unclear = _draws(item for item in lossy if item.verdict == UNCLEAR)
    if unclear == draws:
        raise InputValueError(place="review", expected="at least one draw that is clear", got="none")
    lenient, strict = _shares(lossy, [(PREDICTION, BOTH), (PREDICTION,)], confidence)
    score, loss = facts["score"], facts["loss"]
    ends = (None if part is None else score + loss * part for part in lenient[1:])
    is_clear = any(item.verdict != UNCLEAR for item in exact)
    return Estimate(
        facts["system"],
        score,
        loss,
        draws,
        len({item.question_id for item in lossy}),
        unclear,
        lenient,
        strict,
        (score + loss * lenient[0], *ends),
        _draws(exact),
        _shares(exact, [(OTHER,)], confidence)[0] if is_clear else None,
        _draws(item for item in exact if item.verdict == UNCLEAR),
    )


def _chooses_another(item: Item) -> bool:
    """Return whether the verdict chooses another system's prediction, so that the sampled system is wrong too."""
    is_chosen = item.verdict in (PREDICTION, BOTH) and item.value is not NoCell
    return is_chosen and value_text(item.value) != value_text(item.proposal)


def _draws(items: Iterable[Item]) -> int:
    """Return the number of draws of all items together."""
    return sum(item.drawn or 0 for item in items)


def _shares(items: Sequence[Item], verdicts: Sequence[Collection[str]], confidence: float) -> list[Share]:
    """Return the share of clear draws with each of these verdicts, with intervals that resample documents."""
    clear = [item for item in items if item.verdict != UNCLEAR]
    numbers = numbered(item.question_id for item in clear)
    sums = np.zeros((len(numbers), 1 + len(verdicts)))
    for item in clear:
        hits = [1, *(item.verdict in of for of in verdicts)]
        sums[numbers[item.question_id]] += (item.drawn or 0) * np.array(hits, dtype=float)
    ratios = Ratios(sums[:, 1:], sums[:, :1].repeat(len(verdicts), axis=1))
    intervals = intervals_of(ratios, confidence)
    return [(value, each.low, each.high) for value, each in zip(ratios.values.tolist(), intervals, strict=True)]

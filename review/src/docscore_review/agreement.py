"""The agreement of two readers on the verdicts of one list."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from docscore.core.errors import InputValueError
from docscore.core.formatting import counted, shown_name
from docscore.core.runtime import ignore, numbered
from docscore.core.values import value_excerpt
from docscore.evaluation.tables import Table, table_of, text_column
from docscore.inputs.rows import ID, NoCell
from docscore.stats.intervals import (
    FEWEST,
    RESAMPLES,
    SEED,
    TOO_ALIKE,
    Array,
    Interval,
    bca,
    normal_quantiles,
    quotients,
    sampled_values,
)
from docscore_review.worklist import VERDICTS, Item, decided_value, identities_of, value_text


class Agreement(NamedTuple):
    """The agreement of two readers of one list.

    Attributes:
        decided: how many places both decided.
        open: how many places only one of them decided.
        same: at how many places both gave the same verdict.
        kappa: Cohen's kappa of the verdicts; None if both readers gave only one verdict throughout.
        interval: the interval of kappa, which resamples documents.
        documents: how many documents contain the places.
        differing: the places where the verdicts or the values that they name differ, as pairs of items.
    """

    decided: int
    open: int
    same: int
    kappa: float | None
    interval: Interval
    documents: int
    differing: list[tuple[Item, Item]]

    @property
    def table(self) -> Table:
        """The places where the readers differ, with both verdicts."""
        return table_of(
            "Places that differ",
            self.differing,
            text_column(ID, "document", lambda pair: pair[0].question_id),
            text_column("path", "path", lambda pair: pair[0].path),
            text_column("ground_truth", "ground truth", lambda pair: _text(pair[0].ground_truth)),
            text_column("proposal", "prediction", lambda pair: _text(pair[0].proposal)),
            text_column("first", "first reader", lambda pair: _verdict(pair[0]), kind="text"),
            text_column("second", "second reader", lambda pair: _verdict(pair[1]), kind="text"),
            unit="places",
        )

    def __str__(self) -> str:
        verdicts = f"{self.same:,} of {counted(self.decided, 'place')} have the same verdict"
        if self.kappa is None:
            kappa = "Cohen's kappa is undefined: both readers gave only one verdict"
        else:
            low, high = self.interval.ends or (None, None)
            ends = f"no interval: {self.interval.note}" if low is None else f"{low:.2f} to {high:.2f}"
            kappa = f"Cohen's kappa is {self.kappa:.2f} ({ends})"
        alone = f" {counted(self.open, 'place')} left out: only one reader decided." if self.open else ""
        return f"{verdicts}. {kappa}; {counted(self.documents, 'document')}.{alone}"


def agreement_of(first: Sequence[Item], second: Sequence[Item], confidence: float) -> Agreement:
    """Compare the verdicts of two readers; see `Review.agreement`."""
    sides = [
        {
            (identity._replace(answer=None), *map(value_text, (item.ground_truth, item.proposal))): item
            for identity, item in zip(identities_of(items), items, strict=True)
            if item.verdict is not None
        }
        for items in (first, second)
    ]
    pairs = [(item, sides[1][key]) for key, item in sides[0].items() if key in sides[1]]
    if not pairs:
        raise InputValueError(place="review", expected="a place that both readers decided", got="none")
    documents = numbered(item.question_id for item, _ in pairs)
    counts = np.zeros((len(documents), len(VERDICTS), len(VERDICTS)))
    for one, other in pairs:
        counts[documents[one.question_id], VERDICTS.index(one.verdict or ""), VERDICTS.index(other.verdict or "")] += 1
    kappa = float(_kappas(counts.sum(axis=0, keepdims=True), np.nan)[0])
    return Agreement(
        len(pairs),
        len(sides[0].keys() ^ sides[1].keys()),
        sum(one.verdict == other.verdict for one, other in pairs),
        None if np.isnan(kappa) else kappa,
        _interval(counts, kappa, confidence),
        len(documents),
        [pair for pair in pairs if len({(item.verdict, value_text(decided_value(item))) for item in pair}) > 1],
    )


def _kappas(counts: Array, undefined: float) -> Array:
    """Return Cohen's kappa: (p - e) / (1 - e), with p the share of equal verdicts and e the share expected by chance.

    Args:
        counts: how many places have each pair of verdicts, shape (b, v, v).
        undefined: the value to return if e is 1.

    Source:
        Cohen 1960, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20.
    """
    shares = counts / counts.sum(axis=(1, 2), keepdims=True)
    observed = shares.trace(axis1=1, axis2=2)
    expected = (shares.sum(axis=1) * shares.sum(axis=2)).sum(axis=1)
    return quotients(observed - expected, 1 - expected, np.array(undefined))


def _interval(counts: Array, kappa: float, confidence: float) -> Interval:
    """Return the interval of kappa by the bootstrap over documents (BCa), expanded if there are few documents."""
    n, width = len(counts), len(VERDICTS)
    if n < FEWEST:
        return Interval(note=f"it needs at least {FEWEST} documents")

    def resampled(times: Array) -> Array:
        return _kappas((times @ counts.reshape(n, -1)).reshape(-1, width, width), kappa)[np.newaxis]

    left_out = _kappas(counts.sum(axis=0) - counts, kappa)[:, np.newaxis]
    sampled = sampled_values(resampled, 1, n, RESAMPLES, SEED, ignore)
    lows, highs, errors = bca(sampled, np.array([kappa]), -left_out, normal_quantiles(confidence, [n]))
    return TOO_ALIKE if np.isnan(lows[0]) else Interval(float(lows[0]), float(highs[0]), float(errors[0]))


def _text(value: Any) -> str:
    return "" if value is NoCell else shown_name(value_excerpt(value))


def _verdict(item: Item) -> str:
    """Return a verdict as text, with the value that it names, if any."""
    return f"{item.verdict}: {_text(item.value)}" if item.value is not NoCell else str(item.verdict)

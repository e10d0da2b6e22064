"""Synthetic populations of documents whose means, rates and differences are known, for `dev.benchmarks.coverage`.

Three in ten documents are exact, and one in twenty scores 0. The others lose some points, and few of them lose many.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.stats.intervals import Array, Differences, Ratios

FIELDS = 10
LONGEST = 20  # questions of a document
_COUNT = 100_000

Numbers = npt.NDArray[np.int64]


class Population(NamedTuple):
    """Documents, by their properties.

    Attributes:
        scores: the score of each document.
        earned: S of a field with a value in each of 0 to 12 rows.
        weight: L of the field, which is the number of rows.
        questions: the number of questions, 1 to 20; hard documents have more.
    """

    scores: Array
    earned: Array
    weight: Array
    questions: Numbers


@lru_cache(maxsize=1)
def population() -> Population:
    """Return the documents from which all samples are drawn; in a bad document, the field is bad too."""
    rng = np.random.default_rng(0)
    kinds = rng.random(_COUNT)
    scores = np.where(kinds < 0.3, 1.0, np.where(kinds < 0.35, 0.0, rng.beta(6, 1.2, _COUNT)))
    rows = np.minimum(rng.geometric(0.3, _COUNT) - 1, 12)
    earned = rng.binomial(rows, scores).astype(np.float64)
    questions = np.minimum(rng.binomial(LONGEST - 1, 0.5 - 0.3 * scores) + rng.geometric(0.3, _COUNT), LONGEST)
    return Population(scores, earned, rows.astype(np.float64), questions)


def some_documents(rng: np.random.Generator, count: int) -> Numbers:
    """Draw the numbers of documents."""
    return rng.integers(0, _COUNT, count)


def system(rng: np.random.Generator, drawn: Numbers, loss: float = 0.0) -> Ratios:
    """Simulate a system that gets a value right with the probability that is the score of its document.

    Args:
        rng: the random numbers.
        drawn: the numbers of the documents.
        loss: the share of its right values that it gets wrong instead.
    """
    everything = population()
    quality, rows = everything.scores[drawn] * (1 - loss), everything.weight[drawn].astype(np.int64)
    weight = np.column_stack([np.ones_like(rows)] * (FIELDS // 2) + [rows] * (FIELDS // 2))
    earned = rng.binomial(weight, quality[:, np.newaxis])
    scores = earned.sum(axis=1) / weight.sum(axis=1)
    return Ratios(np.column_stack([scores, earned]), np.column_stack([np.ones(len(rows)), weight]).astype(np.float64))


class Questions(NamedTuple):
    """Two systems on questions that come in documents, as ratios with a row for each question."""

    base: Ratios
    new: Ratios
    clusters: Numbers


def questions(rng: np.random.Generator, count: int) -> Questions:
    """Simulate two equal systems on documents of 1 to 20 questions; each system has documents that suit it."""
    drawn = some_documents(rng, count)
    numbers = population().questions[drawn]
    clusters = np.repeat(np.arange(count), numbers)
    suited = np.sqrt(population().scores[drawn] * rng.random((2, count)))
    answers = [(rng.random(len(clusters)) < side[clusters]).astype(np.float64) for side in suited]
    base, new = (Ratios(side[:, np.newaxis], np.ones((len(side), 1))) for side in answers)
    return Questions(base, new, clusters)


@lru_cache(maxsize=1)
def share_of_right_answers() -> float:
    """Return the mean over all questions of the population; the mean of sqrt(u) is 2/3."""
    everything = population()
    right = np.sqrt(everything.scores) * 2 / 3 * everything.questions
    return float(right.sum() / everything.questions.sum())


def changed(changes: Array) -> Differences:
    """Return two systems whose scores have these differences."""
    sides = (np.maximum(changes, 0.0), np.maximum(-changes, 0.0))
    new, base = (Ratios(side[:, np.newaxis], np.ones((len(side), 1))) for side in sides)
    return Differences(new, base)


def scores_of_both(rng: np.random.Generator, count: int, loss: float, collapsed: float = 0.0) -> tuple[Array, Array]:
    """Draw the scores of documents by two systems; the new one gets a share of the right values wrong.

    Args:
        rng: the random numbers.
        count: the number of documents.
        loss: the share of the right values.
        collapsed: the probability that a document scores 0.
    """
    drawn = some_documents(rng, count)
    base, new = (system(rng, drawn, share).earned[:, 0] for share in (0.0, loss))
    return base, np.where(rng.random(count) < collapsed, 0.0, new)


class Confident(NamedTuple):
    """Values with confidences, right or wrong, in documents of 1 to 15 values."""

    confidences: Array
    right: npt.NDArray[np.bool_]
    documents: Numbers


def confident(rng: np.random.Generator, count: int, stretch: float) -> Confident:
    """Draw the values of documents; with a stretch above 1, the confidences are too near to 0 and 1."""
    documents = np.repeat(np.arange(count), rng.integers(1, 16, count))
    logits = rng.normal(2, 1.2, len(documents)) + rng.normal(0, 0.7, count)[documents]
    chance, sure = (1 / (1 + np.exp(-logits * scale)) for scale in (1.0, stretch))
    return Confident(sure, rng.random(len(documents)) < chance, documents)

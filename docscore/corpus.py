"""The score of a test set: its mean, the score of each row, and what was missing or could not be parsed."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from math import fsum
from typing import Any

from docscore.pairwise import Options
from docscore.parsing import ParseMode, check_mode, parse_text
from docscore.rows import Pairs, check_missing
from docscore.score import checked_options, scores_of
from docscore.similarity import THRESHOLD
from docscore.stack import level_of_caller
from docscore.values import shown
from docscore.version import VERSION


@dataclass(frozen=True)
class CorpusScore:
    """The scores of a test set.

    Attributes:
        ids: the id of each row.
        scores: the score of each row, in [0, 1].
        missing: how many predictions were absent and scored as null; None if that was an error.
        parse_failures: how many text predictions could not be parsed and were scored as text; None if none was parsed.
        parse_repaired: how many were repaired; None if repair was not asked for.
        signature: what makes the mean comparable with another, as sacreBLEU's signature does.
    """

    ids: list[str]
    scores: list[float]
    missing: int | None
    parse_failures: int | None
    parse_repaired: int | None
    signature: str

    @property
    def mean(self) -> float:
        """The mean of the scores, in [0, 1]."""
        return fsum(self.scores) / len(self.scores)

    def counts(self) -> dict[str, int]:
        """What was asked for among missing, parse_failures and parse_repaired."""
        named = {
            "missing": self.missing,
            "parse_failures": self.parse_failures,
            "parse_repaired": self.parse_repaired,
        }
        return {name: count for name, count in named.items() if count is not None}

    def samples(self) -> list[dict[str, Any]]:
        """One `{"question_id": ..., "anls_score": ...}` a row, in the order of the references."""
        return [{"question_id": i, "anls_score": s} for i, s in zip(self.ids, self.scores, strict=True)]

    def worst(self, count: int) -> list[dict[str, Any]]:
        """The rows with the lowest scores, lowest first."""
        return sorted(self.samples(), key=lambda sample: sample["anls_score"])[:count]


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
    scored: Callable[[int], object] = bool,
) -> CorpusScore:
    """The score of every pair, and their mean.

    Args:
        pairs: ground truths and predictions.
        threshold: tau in [0, 1].
        ignore_case: whether texts are compared in lower case.
        parse: None, or "json" or "repair" to read predictions that are text as JSON first.
        missing: how the pairs were made: "error" or "zero".
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
    predictions, failures, repaired = parse_predictions(pairs.predictions, mode)
    everything = list(zip(pairs.truths, predictions, strict=True))
    scores = scores_of(everything, options, lambda number: f"row {shown(pairs.ids[number])}", scored)
    return CorpusScore(
        ids=pairs.ids,
        scores=scores.tolist(),
        missing=pairs.missing if missing == "zero" else None,
        parse_failures=failures if mode else None,
        parse_repaired=repaired if mode == "repair" else None,
        signature=signature(threshold=threshold, ignore_case=ignore_case, parse=mode, missing=missing),
    )


def signature(*, threshold: float, ignore_case: bool, parse: str | None = None, missing: str = "error") -> str:
    """What makes a score comparable with another.

    >>> signature(threshold=0.5, ignore_case=True)
    'anls_star|tau:0.5|case:i|empty:ignored|docscore:0.1.0'
    """
    parts = ["anls_star", f"tau:{threshold}", f"case:{'i' if ignore_case else 's'}", "empty:ignored"]
    if parse:
        parts.append(f"parse:{parse}")
    if parse == "repair":  # what can be repaired depends on the library that does it
        parts.append(f"json-repair:{metadata.version('json-repair')}")
    if missing != "error":
        parts.append(f"missing:{missing}")
    return "|".join([*parts, f"docscore:{VERSION}"])


def _is_json_text(truth: Any) -> bool:
    """Whether it is text, or alternatives of it, that begins as an object or a list does."""
    answers = truth if isinstance(truth, tuple) else (truth,)
    return all(isinstance(answer, str) and answer.lstrip()[:1] in ("{", "[") for answer in answers)


def parse_predictions(predictions: list[Any], mode: ParseMode | None) -> tuple[list[Any], int, int]:
    """The predictions with texts read as JSON, and how many could not be read and were repaired."""
    if mode is None:
        return predictions, 0, 0
    parsed = {i: parse_text(value, mode) for i, value in enumerate(predictions) if isinstance(value, str)}
    values = [parsed[i].value if i in parsed else value for i, value in enumerate(predictions)]
    failures = sum(each.failed for each in parsed.values())
    return values, failures, sum(each.repaired for each in parsed.values())

"""Several metrics over the same rows: ANLS*, ANLS, ANLSL, KIEval, Entity F1 and nTED, each figure with its interval.

Every figure is a ratio of sums over documents, so that one set of resampled documents serves all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from docscore.core.errors import at_place, short_repr
from docscore.core.tolerance import ROUNDING
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.corpus.scores import CorpusScore
from docscore.metrics.entity_f1 import entity_counts
from docscore.metrics.kieval import KieScore, kieval_score, total_kieval
from docscore.metrics.nted import nted_score
from docscore.stats.intervals import SEED, Interval, check_confidence, intervals_of
from docscore.stats.ratios import Ratios, side_by_side
from docscore.version import VERSION


class MetricOptions(NamedTuple):
    """How the metrics beside ANLS* compare.

    Attributes:
        normalise: KIEval and Entity F1: whether texts are compared in lower case, with white space folded; otherwise
            they must be identical.
        donut: Entity F1 and nTED: whether documents are read as the published implementation of Donut reads them.
        strict: ANLS and ANLSL: whether a similarity of exactly the threshold counts as 0.
    """

    normalise: bool = False
    donut: bool = False
    strict: bool = False


DEFAULT_METRIC_OPTIONS = MetricOptions()


class Figure(NamedTuple):
    """A figure of a metric over a test set.

    Attributes:
        name: the key of results, such as "kieval_entity_f1".
        label: what tables call it, such as "KIEval Entity F1".
        value: in [0, 1]; 1 is best.
        interval: of resampled documents; None if none was asked for.
    """

    name: str
    label: str
    value: float
    interval: Interval | None = None


@dataclass(frozen=True)
class Measured:
    """What metrics say of a test set.

    Attributes:
        figures: the figures, in the order in which the metrics were asked for.
        kieval: the counts behind those of KIEval, if it was asked for.
        signature: what makes the figures comparable.
    """

    figures: list[Figure]
    kieval: KieScore | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, and with KIEval the numbers of corrections, in plain types."""
        result: dict[str, Any] = {figure.name: figure.value for figure in self.figures}
        if self.kieval is not None:
            result |= counts_of_kieval(self.kieval)
        ends = {figure.name: figure.interval.ends for figure in self.figures if figure.interval is not None}
        return {**result, "confidence_intervals": ends} if ends else result


class Columns(NamedTuple):
    """The figures of metrics as ratios of sums over n documents.

    Attributes:
        names: name and label of each of the k figures.
        ratios: their numerators and denominators, each of shape (n, k).
        kieval: the counts behind those of KIEval, if it is among them.
    """

    names: list[tuple[str, str]]
    ratios: Ratios
    kieval: KieScore | None = None


def measure(
    scores: CorpusScore,
    metrics: Sequence[str],
    *,
    options: MetricOptions = DEFAULT_METRIC_OPTIONS,
    confidence: float | None = None,
    seed: int = SEED,
    measured: Callable[[int], object] = bool,
    resampled: Callable[[int], object] = bool,
) -> Measured:
    """The figures of some metrics.

    Args:
        scores: the rows, scored with ANLS*.
        metrics: names among `METRICS`.
        options: how the others compare.
        confidence: the level of the intervals; None for none.
        seed: where the random numbers of the intervals start.
        measured: is told how many documents were measured by a metric since it was told last.
        resampled: is told how many of the 10,000 resamples were drawn since it was told last.

    Raises:
        ValueError: for a metric that does not exist, or a value that one cannot take, naming its row.

    >>> from docscore.corpus import score_corpus
    >>> from docscore.data.pairing import pairs_of
    >>> scores = score_corpus(pairs_of([{"a": "x", "b": "y"}], [{"a": "x", "b": "z"}]))
    >>> [(figure.label, figure.value) for figure in measure(scores, ["entity_f1", "nted"]).figures]
    [('Entity F1', 0.5), ('nTED', 0.75)]
    """
    found = ratios_of(scores, metrics, options, measured)
    intervals: list[Interval | None] = [None] * len(found.names)
    if confidence is not None:
        intervals = list(intervals_of(found.ratios, check_confidence(confidence), seed=seed, resampled=resampled))
    figures = [
        Figure(name, label, float(value), interval)
        for (name, label), value, interval in zip(found.names, found.ratios.values, intervals, strict=True)
    ]
    return Measured(figures, found.kieval, metrics_signature(checked_metrics(metrics), options, scores.signature))


def ratios_of(
    scores: CorpusScore,
    metrics: Sequence[str],
    options: MetricOptions = DEFAULT_METRIC_OPTIONS,
    measured: Callable[[int], object] = bool,
) -> Columns:
    """The figures of some metrics as ratios of sums over documents; takes and raises what `measure` does."""
    columns = [METRICS[name](scores, options, measured) for name in checked_metrics(metrics)]
    return Columns(
        [pair for each in columns for pair in each.names],
        side_by_side(*(each.ratios for each in columns)),
        next((each.kieval for each in columns if each.kieval is not None), None),
    )


def checked_metrics(metrics: Iterable[str]) -> list[str]:
    """The names, each once, if there are such metrics.

    Raises:
        ValueError: for one that does not exist, or none at all.
    """
    found = list(dict.fromkeys(metrics))
    unknown = [name for name in found if name not in METRICS]
    if unknown or not found:
        msg = f"metrics: expected some of {', '.join(METRICS)}, got {', '.join(map(repr, unknown)) or 'none'}"
        raise ValueError(msg)
    return found


def metrics_signature(metrics: Sequence[str], options: MetricOptions, rules: str = "") -> str:
    """What makes the figures comparable with others.

    Args:
        metrics: their names.
        options: how the metrics beside ANLS* compare.
        rules: the signature of the ANLS* scores: its threshold and case are for ANLS* and its kin, the rest for all.

    >>> metrics_signature(["kieval", "nted"], MetricOptions())
    'kieval|nted|compare:exact|docscore:0.1.0'
    """
    names = list(metrics)
    rows = ("parse:", "json-repair:", "missing:", "skipped:")
    wanted = ("tau:", "case:", "empty:", *rows) if {"anls_star", "anls", "anlsl"} & set(names) else rows
    parts = [part for part in rules.split("|") if part.startswith(wanted)]
    if {"kieval", "entity_f1"} & set(names):
        parts.append(f"compare:{'folded' if options.normalise else 'exact'}")
    if options.donut and {"entity_f1", "nted"} & set(names):
        parts.append("read:donut")
    if options.strict and {"anls", "anlsl"} & set(names):
        parts.append("boundary:0")
    return "|".join([*names, *parts, f"docscore:{VERSION}"])


def kieval_scores(
    scores: CorpusScore, options: MetricOptions, measured: Callable[[int], object] = bool
) -> list[KieScore]:
    """KIEval of each document; confidences are those of the rows."""
    sure = scores.pairs.confidences or [None] * len(scores.ids)

    def one(number: int, truth: Any, prediction: Any) -> KieScore:
        return kieval_score(truth, prediction, normalise=options.normalise, confidences=sure[number])

    return _each(scores, one, measured)


def tables_of_kieval(score: KieScore) -> dict[str, list[dict[str, Any]]]:
    """The entity types and the types of groups, a row each, in plain types."""
    entities = [
        {
            "entity": kind,
            "f1": counts.f1,
            "precision": counts.precision,
            "recall": counts.recall,
            "aligned": counts.aligned,
            "true_positives": counts.right,
            "substitutions": counts.substitutions,
            "additions": counts.additions,
            "deletions": counts.deletions,
        }
        for kind, counts in score.by_entity.items()
    ]
    groups = [{"group": kind, "f1": counts.f1, **counts._asdict()} for kind, counts in score.by_group.items()]
    return {"entities": entities, "groups": groups}


def counts_of_kieval(score: KieScore) -> dict[str, int]:
    """The numbers behind the figures of KIEval."""
    entities, groups = score.entities, score.groups
    return {
        "true_positives": entities.right,
        "substitutions": entities.substitutions,
        "additions": entities.additions,
        "deletions": entities.deletions,
        "groups_right": groups.right,
        "groups_wrong": groups.wrong,
        "groups_missed": groups.missed,
        "groups_invented": groups.invented,
    }


def _each(scores: CorpusScore, one: Callable[..., Any], measured: Callable[[int], object]) -> list[Any]:
    """What a function says of each document; faults name the row."""
    found = []
    for number, (truth, prediction) in enumerate(zip(scores.pairs.truths, scores.pairs.predictions, strict=True)):
        try:
            found.append(one(number, truth, prediction))
        except (TypeError, ValueError) as error:
            place = f"row {short_repr(scores.ids[number])}"
            raise at_place(place, error) from None
        measured(1)
    return found


def _means(name: str, label: str, values: Sequence[float]) -> Columns:
    column = np.array(values, dtype=np.float64)[:, np.newaxis]
    return Columns([(name, label)], Ratios(column, np.ones_like(column)))


def _anls_star(scores: CorpusScore, _options: MetricOptions, measured: Callable[[int], object]) -> Columns:
    measured(len(scores.ids))
    return _means("anls_star", "ANLS*", scores.scores)


def _anls(scores: CorpusScore, options: MetricOptions, measured: Callable[[int], object]) -> Columns:
    return _means("anls", "ANLS", as_anls(scores, strict=options.strict, checked=measured).scores)


def _anlsl(scores: CorpusScore, options: MetricOptions, measured: Callable[[int], object]) -> Columns:
    return _means("anlsl", "ANLSL", as_anls(scores, lists=True, strict=options.strict, checked=measured).scores)


def as_anls(
    scores: CorpusScore, *, lists: bool = False, strict: bool = False, checked: Callable[[int], object] = bool
) -> CorpusScore:
    """The scores as ANLS, which ANLS* is where answers are scalars, or as ANLSL, which it is for lists of scalars.

    Args:
        scores: the rows, scored with ANLS*.
        lists: whether answers are lists.
        strict: whether a similarity of exactly the threshold counts as 0, as in the equation of the paper; it counts
            otherwise, as in the official script of the competition. Not for lists.
        checked: is told how many rows were checked since it was told last.

    Raises:
        ValueError: naming the row whose values are of another kind.

    Source:
        Biten et al. 2019, arXiv 1905.13648 (ANLS); Tito et al. 2021, arXiv 2104.14336 (ANLSL).
    """
    if lists and strict:
        msg = "anlsl: the threshold applies inside the matching; expected strict=False, got True"
        raise ValueError(msg)
    _each(scores, lambda _, truth, prediction: check_answer(truth, prediction, lists=lists), checked)
    values, threshold = scores.scores, scores.options.threshold
    if strict:
        values = [0.0 if abs(score - threshold) <= ROUNDING else score for score in values]
    name = scores.signature.replace("anls_star", "anlsl" if lists else "anls", 1)
    name = name.replace("|case:", "|boundary:0|case:", 1) if strict else name
    return replace(scores, scores=values, signature=name)


def check_answer(truth: Any, prediction: Any, *, lists: bool) -> None:
    """Raise `ValueError` for a pair that ANLS, or ANLSL for lists, cannot score."""
    plain, given = convert_ground_truth(truth, {}), convert_prediction(prediction, {})
    wanted = "lists of texts" if lists else "texts"
    for option in plain if isinstance(plain, tuple) else (plain,):
        if not (_is_list(option) if lists else not isinstance(option, list | dict | tuple)):
            msg = f"expected acceptable answers that are {wanted}, got {type(option).__name__}"
            raise ValueError(msg)
    if given is not None and not (_is_list(given) if lists else not isinstance(given, list | dict)):
        msg = f"expected predictions that are {wanted}, got {type(given).__name__}"
        raise ValueError(msg)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(item, list | dict) for item in value)


def _kieval(scores: CorpusScore, options: MetricOptions, measured: Callable[[int], object]) -> Columns:
    found = kieval_scores(scores, options, measured)
    rows = []
    for score in found:
        e, g = score.entities, score.groups
        predicted, expected = e.right + e.substitutions + e.deletions, e.right + e.substitutions + e.additions
        groups = 2 * g.right + 2 * g.wrong + g.missed + g.invented
        whole = (predicted + expected, predicted, expected, groups, e.right + e.corrections)
        rows.append(((2 * e.right, e.right, e.right, 2 * g.right, e.right), whole))
    table = np.array(rows, dtype=np.float64).reshape(-1, 2, len(KIEVAL))
    return Columns(KIEVAL, Ratios(table[:, 0], table[:, 1]), total_kieval(found))


KIEVAL = [
    ("kieval_entity_f1", "KIEval Entity F1"),
    ("kieval_entity_precision", "KIEval Entity precision"),
    ("kieval_entity_recall", "KIEval Entity recall"),
    ("kieval_group_f1", "KIEval Group F1"),
    ("kieval_aligned", "KIEval Aligned"),
]


def _entity_f1(scores: CorpusScore, options: MetricOptions, measured: Callable[[int], object]) -> Columns:
    def one(_: int, truth: Any, prediction: Any) -> tuple[float, float]:
        found = entity_counts(truth, prediction, normalise=options.normalise, donut=options.donut)
        return 2.0 * found.right, 2.0 * found.right + found.invented + found.missed

    table = np.array(_each(scores, one, measured), dtype=np.float64).reshape(-1, 2)
    return Columns([("entity_f1", "Entity F1")], Ratios(table[:, :1], table[:, 1:]))


def _nted(scores: CorpusScore, options: MetricOptions, measured: Callable[[int], object]) -> Columns:
    values = _each(scores, lambda _, truth, prediction: nted_score(truth, prediction, donut=options.donut), measured)
    return _means("nted", "nTED", values)


METRICS: dict[str, Callable[[CorpusScore, MetricOptions, Callable[[int], object]], Columns]] = {
    "anls_star": _anls_star,
    "anls": _anls,
    "anlsl": _anlsl,
    "kieval": _kieval,
    "entity_f1": _entity_f1,
    "nted": _nted,
}

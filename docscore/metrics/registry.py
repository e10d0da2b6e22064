"""The registry of all metrics; to add a metric, add its module to this package and its class to `METRICS`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.options import DEFAULT_OPTIONS, ScoringOptions
from docscore.metrics.anls import Anls, Anlsl, AnlsStar
from docscore.metrics.base import Metric
from docscore.metrics.entity_f1 import EntityF1
from docscore.metrics.kieval import Kieval
from docscore.metrics.nted import Nted
from docscore.metrics.typed.typed_score import Typed

METRICS: dict[str, Metric[Any]] = {
    metric.name: metric
    for metric in (
        AnlsStar(),
        Anls(),
        Anlsl(),
        Kieval(),
        EntityF1(),
        Nted(),
        Typed(),
    )
}

WITH_TREES = tuple(name for name, metric in METRICS.items() if type(metric).tree is not Metric.tree)


def check_options_of(metrics: Iterable[str], options: ScoringOptions) -> None:
    """Check that the metrics support the options, and that each option of scoring is one of theirs.

    Raises:
        ValueError: naming the option, and the metrics that have it.
    """
    names = list(metrics)
    for name in names:
        METRICS[name].check_options(options)
    used = frozenset[str]().union(*(METRICS[name].options for name in names))
    for option in sorted(frozenset[str]().union(*(metric.options for metric in METRICS.values())) - used):
        if getattr(options, option) != getattr(DEFAULT_OPTIONS, option):
            having = ", ".join(name for name, metric in METRICS.items() if option in metric.options)
            problem = f"no metric that was asked for uses it ({', '.join(names)}); it is an option of {having}"
            raise InputValueError(place=option, problem=problem)


def checked_metrics(metrics: Iterable[str]) -> list[str]:
    """Check names of metrics, and return them without repetitions.

    Raises:
        ValueError: for an unknown name, or no names.
    """
    found = list(dict.fromkeys(metrics))
    unknown = [name for name in found if name not in METRICS]
    if unknown or not found:
        got = ", ".join(map(repr, unknown)) or "none"
        raise InputValueError(place="metrics", expected=f"some of {', '.join(METRICS)}", got=got)
    return found

"""The registry of all metrics; to add a metric, add its module to this package and its class to `METRICS`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docscore.core.errors import InputValueError
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

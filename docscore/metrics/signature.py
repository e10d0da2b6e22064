"""Signatures of figures: metrics, version and options, as in sacreBLEU; figures with equal ones are comparable."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata

from docscore.core.options import PAPER, ScoringOptions
from docscore.metrics.registry import METRICS
from docscore.version import VERSION


@dataclass(frozen=True)
class Signature:
    """The metrics, options and version behind figures; as text `anls_star|tau:0.5|case:i|empty:ignored|docscore:0.2.0`.

    Attributes:
        metrics: the names of the metrics.
        parts: name and value of each part, in order.
    """

    metrics: tuple[str, ...]
    parts: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "|".join([*self.metrics, *(f"{name}:{value}" for name, value in self.parts)])

    @classmethod
    def of(cls, metrics: Iterable[str], options: ScoringOptions, *, skipped: int | None = None) -> Signature:
        """Build the signature of figures.

        Args:
            metrics: their names.
            options: how rows were read and compared; options that none of the metrics uses are left out.
            skipped: how many rows were left out, because of faults or without a prediction.

        >>> str(Signature.of(["anls_star"], ScoringOptions()))
        'anls_star|tau:0.5|case:i|empty:ignored|docscore:0.2.0'
        >>> str(Signature.of(["anls_star"], ScoringOptions(rules="anls_star-1.0.1")))
        'anls_star|tau:0.5|case:i|rules:anls_star-1.0.1|docscore:0.2.0'
        >>> str(Signature.of(["kieval", "nted"], ScoringOptions(threshold=0.7, parse="json")))
        'kieval|nted|parse:json|compare:exact|docscore:0.2.0'
        """
        names = tuple(metrics)
        used = frozenset[str]().union(*(METRICS[name].options for name in names))
        parts = [*_of_texts(options, used), *_of_rows(options, skipped), *_of_entities(options, used)]
        return cls(names, (*parts, ("docscore", VERSION)))


def _of_texts(options: ScoringOptions, used: frozenset[str]) -> Iterable[tuple[str, str]]:
    """The options of ANLS*, ANLS and ANLSL."""
    if "threshold" in used:
        yield "tau", str(options.threshold)
    if "strict" in used and options.strict:
        yield "boundary", "0"
    if "ignore_case" in used:
        yield "case", "i" if options.ignore_case else "s"
    if "rules" in used:
        yield ("empty", "ignored") if options.rules == PAPER else ("rules", options.rules)
    if "numbers" in used and options.numbers != "text":
        yield "numbers", options.numbers
    if "schema" in used and options.schema is not None:
        yield "schema", options.schema.digest


def _of_rows(options: ScoringOptions, skipped: int | None) -> Iterable[tuple[str, str]]:
    """The options for reading rows, and the number of rows left out."""
    if options.parse_mode is not None:
        yield "parse", options.parse_mode
    if options.parse_mode == "repair":  # the result depends on the version of json-repair
        yield "json-repair", metadata.version("json-repair")
    if options.parse_references is not None:
        yield "references", options.parse_references
    if options.missing != "error":
        yield "missing", options.missing
    if skipped:  # figures of fewer rows
        yield "skipped", str(skipped)


def _of_entities(options: ScoringOptions, used: frozenset[str]) -> Iterable[tuple[str, str]]:
    """The options of the metrics of entities and trees."""
    if "normalise" in used:
        yield "compare", "folded" if options.normalise else "exact"
    if "donut" in used and options.donut:
        yield "read", "donut"

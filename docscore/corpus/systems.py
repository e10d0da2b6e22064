"""Several systems on the same rows: their figures, for all rows and for slices, and tests against one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError
from docscore.core.progress import Progress, no_progress
from docscore.corpus.evaluation import Evaluation
from docscore.corpus.figure_changes import p_values_of_each
from docscore.corpus.measure import Figure
from docscore.stats.intervals import RESAMPLES
from docscore.stats.significance import holm

BEST = "best"


class SystemTest(NamedTuple):
    """How a figure of a system differs from that of the system that it is tested against.

    Attributes:
        against: the name of that system.
        difference: its figure minus that of the other.
        p_value: of the paired permutation test, two-sided.
        adjusted: the p-value adjusted by Holm for the number of systems that are tested.
    """

    against: str
    difference: float
    p_value: float
    adjusted: float


@dataclass(frozen=True)
class SystemFigures:
    """The figures of a system, over all rows or over those of a slice.

    Attributes:
        system: its name.
        documents: how many rows there are.
        figures: the figures, with their intervals if requested.
        value: the value of the slice; None for all rows.
        tests: by the name of the figure, the test against another system; nothing for that system itself, for slices,
            and where none was asked for.
        counts: how many predictions were missing, not parsed, extracted or mended; nothing for slices.
    """

    system: str
    documents: int
    figures: list[Figure]
    value: str | None = None
    tests: dict[str, SystemTest] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Systems:
    """Several systems on the same rows.

    Attributes:
        rows: all systems for all rows, then all systems for each slice, largest slice first.
        confidence: the level of the intervals; tests are significant if their adjusted p-value is below 1 minus it.
        signatures: what makes the figures comparable, each once.
        by: the name of the column of the slices; "" where there are none.
        against: the system that the others were tested against, or "best"; "" where there are no tests.
    """

    rows: list[SystemFigures]
    confidence: float
    signatures: tuple[str, ...]
    by: str = ""
    against: str = ""

    def groups(self) -> dict[str | None, list[SystemFigures]]:
        """The rows of each slice by its value; those over all rows under None."""
        found: dict[str | None, list[SystemFigures]] = {}
        for row in self.rows:
            found.setdefault(row.value, []).append(row)
        return found


def systems_of(
    evaluations: Mapping[str, Evaluation],
    *,
    figures: Sequence[str] | None = None,
    against: str | None = None,
    progress: Progress = no_progress,
) -> Systems:
    """Put the figures of several systems side by side.

    Args:
        evaluations: of each system by its name, on the same rows, with the same metrics and a level of confidence.
        figures: the names of the figures to keep, in this order; None for all.
        against: the name of the system that each other is tested against, by paired permutation tests; "best" for the
            best system by each figure; None for no tests.
        progress: called when the phase "Comparing" begins.

    Raises:
        ValueError: for an unknown figure or system, and for a test with one system.
    """
    first = next(iter(evaluations.values()))
    known = [figure.name for figure in first.measured.figures]
    chosen = _chosen(known, figures)
    tests = {} if against is None else _tests(evaluations, against, chosen, progress)
    rows = [
        SystemFigures(
            name,
            len(each.scores.ids),
            _only(each.measured.figures, chosen),
            tests=tests.get(name, {}),
            counts=each.scores.counts(),
        )
        for name, each in evaluations.items()
    ]
    parts = {name: {part.value: part for part in each.slices} for name, each in evaluations.items()}
    for value in (part.value for part in first.slices):
        for name, by_value in parts.items():
            part = by_value[value]
            rows.append(SystemFigures(name, part.documents, _only(part.figures, chosen), value))
    signatures = tuple(sorted({each.figures_signature for each in evaluations.values()}))
    by = first.slice_name if first.slices else ""
    return Systems(rows, first.confidence or 0.0, signatures, by, against or "")


def _chosen(known: Sequence[str], figures: Sequence[str] | None) -> list[str]:
    """The names of the figures to keep, checked."""
    for name in figures or ():
        if name not in known:
            expected = f"figures among {', '.join(known)}; --metrics adds others"
            raise InputValueError(place="figures", expected=expected, got=repr(name))
    return list(dict.fromkeys(figures or known))


def _only(figures: Sequence[Figure], chosen: Sequence[str]) -> list[Figure]:
    found = {figure.name: figure for figure in figures}
    return [found[name] for name in chosen]


def _tests(
    evaluations: Mapping[str, Evaluation], against: str, chosen: Sequence[str], progress: Progress
) -> dict[str, dict[str, SystemTest]]:
    """For each system and figure the test against the other system."""
    names = list(evaluations)
    if against not in (BEST, *names):
        expected = f"{BEST!r} or one of the systems {', '.join(map(repr, names))}"
        raise InputValueError(place="against", expected=expected, got=repr(against))
    if len(names) == 1:
        raise InputValueError(place="against", expected="at least two systems", got="one")
    values = {name: {each.name: each.value for each in one.measured.figures} for name, one in evaluations.items()}
    bases = {figure: _best(values, figure) if against == BEST else against for figure in chosen}
    p_values = _p_values(evaluations, set(bases.values()), progress)
    found: dict[str, dict[str, SystemTest]] = {name: {} for name in names}
    for figure, base in bases.items():
        others = [name for name in names if name != base]
        single = [p_values[base, name][figure] for name in others]
        for name, p_value, adjusted in zip(others, single, holm(single), strict=True):
            difference = values[name][figure] - values[base][figure]
            found[name][figure] = SystemTest(base, difference, p_value, adjusted)
    return found


def _best(values: Mapping[str, Mapping[str, float]], figure: str) -> str:
    return max(values, key=lambda name: values[name][figure])


def _p_values(
    evaluations: Mapping[str, Evaluation], bases: set[str], progress: Progress
) -> dict[tuple[str, str], dict[str, float]]:
    """The p-value of each figure, for each pair of a base and another system."""
    pairs = [(base, name) for base in evaluations if base in bases for name in evaluations if name != base]
    permuted = progress("Comparing", len(pairs) * len(next(iter(evaluations.values())).columns.names) * (RESAMPLES - 1))
    found = {}
    for base, name in pairs:
        one, other = evaluations[base], evaluations[name]
        columns = one.columns_of(other.scores.ids)  # in the order in which `Evaluation.compare` has them
        drawn: dict[str, Any] = {"seed": one.seed, "clusters": other.scores.clusters, "permuted": permuted}
        p_values = p_values_of_each(columns.ratios, other.columns.ratios, **drawn)
        found[base, name] = {label.key: p_value for label, p_value in zip(columns.names, p_values, strict=True)}
    return found

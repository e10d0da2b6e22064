"""Several systems: their figures on the same rows, tests against one of them, and runs of a benchmark as a grid.

P-values are adjusted for the number of systems by Holm, because readers act on each claim that one system is better
than another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputValueError, Remedy
from docscore.core.runtime import Progress, no_progress
from docscore.evaluation.comparison import Change, Comparison, adjusted, changes_of, rows_of_base
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.figures import Slice, undominated
from docscore.stats.intervals import CONFIDENCE, RESAMPLES, Ratios, side_by_side
from docscore.stats.significance import Rank, ranks_of

BEST = "best"


@dataclass(frozen=True)
class Systems:
    """Several systems on the same rows.

    Attributes:
        evaluations: the evaluation of each system by its name.
        figures: the names of the figures to show.
        against: the system to test the others against, or "best"; "" if there are no tests.
        bases: the system to test the others against, by the name of the figure.
        tests: the change from the base, adjusted by Holm, by the names of the system and the figure.
        ranks: the rank of each system by the first figure, by the name of the system; empty if not requested.
        front: the systems that no other system dominates in the first figure and cost; None if not requested.
    """

    evaluations: Mapping[str, Evaluation]
    figures: Sequence[str]
    against: str = ""
    bases: dict[str, str] = field(default_factory=dict)
    tests: dict[tuple[str, str], Change] = field(default_factory=dict)
    ranks: dict[str, Rank] = field(default_factory=dict)
    front: Sequence[str] | None = None

    @property
    def first(self) -> Evaluation:
        """The first system."""
        return next(iter(self.evaluations.values()))

    def score_per_cost(self, name: str) -> float | None:
        """Return the first figure, divided by the mean cost of a document; None if that cost is unknown or 0."""
        cost = document_cost(self.evaluations[name])
        return self.evaluations[name].figures[self.figures[0]] / cost if cost else None

    def parts(self) -> list[dict[str, Slice]]:
        """Return the figures of each system over all rows, and over the rows of each slice, largest slice first."""
        parts: dict[str | None, dict[str, Slice]] = {}
        for name, system in self.evaluations.items():
            everything = Slice(None, len(system.document_ids), system.measured)
            for part in (everything, *system.slice_figures):
                by_name = {figure.name: figure for figure in part.figures}
                parts.setdefault(part.value, {})[name] = part._replace(
                    figures=[by_name[figure] for figure in self.figures if figure in by_name]
                )
        return list(parts.values())


def systems_of(
    evaluations: Mapping[str, Evaluation],
    *,
    figures: Sequence[str] | None = None,
    against: str | None = None,
    ranked: bool = False,
    pareto: bool = False,
    progress: Progress = no_progress,
) -> Systems:
    """Collect the figures of several systems for comparison.

    Args:
        evaluations: the evaluation of each system by its name, on the same rows, with the same metrics and a level of
            confidence.
        figures: the names of the figures to keep, in this order; None for all, or with ranks for the first figure.
        against: the system to test the others against by paired permutation tests; "best" for the best system on each
            figure; None for no tests.
        ranked: whether to order the systems by their ranks on the first figure.
        pareto: whether to find the systems that no other system dominates in the first figure and cost.
        progress: called when the phase "Resampling" of each test begins.

    Raises:
        ValueError: if a figure or system is unknown, if there is only one system for tests or ranks, or only one
            document for ranks, or with `pareto` if the cost of a system is not known.
    """
    first = next(iter(evaluations.values()))
    known = [name.key for name in first.figure_names]
    for name, evaluation in evaluations.items():
        if evaluation.figure_names != first.figure_names:
            got = ", ".join(figure.key for figure in evaluation.figure_names)
            raise InputValueError(place=f"system {name!r}", expected=f"the figures {', '.join(known)}", got=got)
    for name in figures or ():
        if name not in known:
            raise InputValueError(
                place="figures",
                expected=f"figures among {', '.join(known)}",
                got=repr(name),
                remedy=Remedy("add others with {}", (("metrics", ...),)),
            )
    chosen = list(dict.fromkeys(figures or (known[:1] if ranked else known)))
    ranks = _ranks(evaluations, known.index(chosen[0]), progress) if ranked else {}
    evaluations = {name: evaluations[name] for name in ranks} or evaluations
    front = _front(evaluations, chosen[0]) if pareto else None
    if against is None:
        return Systems(evaluations, chosen, ranks=ranks, front=front)
    names = list(evaluations)
    if against not in (*names, BEST):
        raise InputValueError(
            place="against",
            expected=f"{BEST!r} or one of the systems {', '.join(map(repr, names))}",
            got=repr(against),
        )
    if len(names) == 1:
        raise InputValueError(place="against", expected="at least two systems", got="one")
    bases: dict[str, str] = {}
    tests: dict[tuple[str, str], Change] = {}
    for figure in chosen:
        column = known.index(figure)
        base = max(names, key=lambda name: evaluations[name].ratios.values[column]) if against == BEST else against
        bases[figure] = base
        others = [name for name in names if name != base]
        changes = adjusted(change_of(evaluations[base], evaluations[name], column, progress) for name in others)
        tests |= {(name, figure): change for name, change in zip(others, changes, strict=True)}
    return Systems(evaluations, chosen, against, bases, tests, ranks, front)


def document_cost(system: Evaluation) -> float | None:
    """Return the mean cost of a document; None if it is not known."""
    total = system.costs["cost"].total if "cost" in system.costs else None
    return None if total is None else total / len(system.document_ids)


def _front(evaluations: Mapping[str, Evaluation], figure: str) -> list[str]:
    """Return the systems that no other system dominates in a figure and cost."""
    values: dict[str, tuple[float, float]] = {}
    for name, evaluation in evaluations.items():
        cost = document_cost(evaluation)
        if cost is None:
            raise InputValueError(
                place="pareto",
                expected=f"the cost of each prediction of {name!r}",
                got=evaluation.costs["cost"].note if "cost" in evaluation.costs else "none",
                remedy=Remedy("name another column with {}", (("cost_column", ...),)),
            )
        values[name] = evaluation.figures[figure], cost
    return undominated(values)


def _ranks(evaluations: Mapping[str, Evaluation], column: int, progress: Progress) -> dict[str, Rank]:
    """Return the ranks of the systems by one figure, best system first."""
    if len(evaluations) == 1:
        raise InputValueError(place="ranks", expected="at least two systems", got="one")
    systems = list(evaluations.values())
    first = systems[0]
    in_order = [_in_order(system, first).columns([column]) for system in systems]
    clusters = _document_clusters(first)
    if len(first.document_ids if clusters is None else set(clusters.tolist())) == 1:
        unit = "document" if clusters is None else "cluster"
        raise InputValueError(place="ranks", expected=f"at least two {unit}s", got="one")
    ranks = ranks_of(
        side_by_side(*in_order),
        first.confidence or CONFIDENCE,
        seed=first.seed,
        resampled=progress("Resampling", RESAMPLES),
        clusters=clusters,
    )
    return dict(sorted(zip(evaluations, ranks, strict=True), key=lambda item: item[1].value))


def change_of(base: Evaluation, new: Evaluation, column: int = 0, progress: Progress = no_progress) -> Change:
    """Return the change of one figure between two systems, without an interval."""
    return changes_of(
        [new.figure_names[column]],
        _in_order(base, new).columns([column]),
        _document_ratios(new).columns([column]),
        [[0]],
        clusters=_document_clusters(new),
        seed=base.seed,
        progress=progress,
    )[0]


def _in_order(base: Evaluation, new: Evaluation) -> Ratios:
    """Return the figures of the documents of the base, in the document order of the new system."""
    return _document_ratios(base).rows(rows_of_base(base.document_ids, new.document_ids))


def _document_ratios(system: Evaluation) -> Ratios:
    """Return the figures of the metrics as ratios of sums over documents. Each part is its mean over the runs."""
    if system.test_set.document_ids is None:
        return system.ratios
    shape = system.test_set.runs, len(system.document_ids), -1
    sides = system.ratios.earned, system.ratios.weight
    return Ratios(*(np.reshape(side, shape).mean(axis=0) for side in sides))


def _document_clusters(system: Evaluation) -> npt.NDArray[np.intp] | None:
    """Return the number of the cluster of each document; None if all documents are independent."""
    clusters, n = system.clusters, len(system.document_ids)
    alone = system.test_set.document_ids is not None and clusters is not None and len(set(clusters[:n].tolist())) == n
    return None if clusters is None or alone else clusters[:n]


def changes_against(evaluations: Mapping[str, Evaluation], base: str) -> dict[str, Comparison]:
    """Compare each system with the base.

    Args:
        evaluations: the evaluation of each system by its name, on the same rows and with the same options.
        base: the name of one of at least two systems.

    Returns:
        The comparison of each system except the base, in their order, with p-values adjusted for their number.

    Raises:
        ValueError: if systems cannot be compared.
    """
    compared = {name: Comparison(evaluations[base], each) for name, each in evaluations.items() if name != base}
    for comparison, change in zip(compared.values(), adjusted(each.figure for each in compared.values()), strict=True):
        comparison.figure, comparison.tests = change, len(compared)
    return compared

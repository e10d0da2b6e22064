"""Several systems: on the same rows, their figures and tests against one of them; runs of a benchmark as one grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError
from docscore.core.runtime import Progress, no_progress
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.metric_values import Figure
from docscore.evaluation.scores import CorpusScore
from docscore.evaluation.summary import Summary
from docscore.stats.intervals import RESAMPLES, Ratios
from docscore.stats.significance import holm, permutation_p_values

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
        signatures: what makes the figures of each metric comparable, each once.
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
    for name in figures or ():
        if name not in known:
            expected = f"figures among {', '.join(known)}; --metrics adds others"
            raise InputValueError(place="figures", expected=expected, got=repr(name))
    chosen = list(dict.fromkeys(figures or known))

    def only(values: Sequence[Figure]) -> list[Figure]:
        by_name = {figure.name: figure for figure in values}
        return [by_name[name] for name in chosen]

    tests = {} if against is None else _tests(evaluations, against, chosen, progress)
    rows = []
    for name, system in evaluations.items():
        all_rows = only(system.measured.figures)
        counts = system.scores.counts()
        rows.append(SystemFigures(name, len(system.scores.ids), all_rows, tests=tests.get(name, {}), counts=counts))
    parts = {name: {part.value: part for part in system.slices} for name, system in evaluations.items()}
    for value in (part.value for part in first.slices):
        for name, by_value in parts.items():
            part = by_value[value]
            rows.append(SystemFigures(name, part.documents, only(part.figures), value))
    signatures = tuple(dict.fromkeys(each for system in evaluations.values() for each in system.signatures.values()))
    by = first.slice_name if first.slices else ""
    return Systems(rows, first.confidence or 0.0, signatures, by, against or "")


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
    values = {name: system.values for name, system in evaluations.items()}
    best = {figure: max(names, key=lambda name, figure=figure: values[name][figure]) for figure in chosen}  # type: ignore[misc]
    bases = best if against == BEST else dict.fromkeys(chosen, against)
    pairs = [(base, name) for base in names if base in bases.values() for name in names if name != base]
    permuted = progress("Comparing", len(pairs) * len(evaluations[names[0]].columns.names) * (RESAMPLES - 1))
    p_values = {}
    for base, name in pairs:
        new = evaluations[name]
        columns = evaluations[base].columns_of(new.scores.ids)  # in the order in which `Evaluation.compare` has them
        for column, label in enumerate(columns.names):
            p_values[base, name, label.key] = permutation_p_values(
                columns.ratios.columns([column]),
                new.columns.ratios.columns([column]),
                seed=evaluations[base].seed,
                clusters=new.scores.clusters,
                permuted=permuted,
            )[0]
    tests: dict[str, dict[str, SystemTest]] = {name: {} for name in names}
    for figure, base in bases.items():
        others = [name for name in names if name != base]
        single = [p_values[base, name, figure] for name in others]
        for name, p_value, adjusted in zip(others, single, holm(single), strict=True):
            difference = values[name][figure] - values[base][figure]
            tests[name][figure] = SystemTest(base, difference, p_value, adjusted)
    return tests


@dataclass(frozen=True)
class SystemChange:
    """How a system differs from the base.

    Attributes:
        system: its name.
        comparison: the two compared, the base first.
        adjusted: the p-value of the difference of the means, adjusted by Holm for the number of systems that are
            compared with the base.
        tests: how many systems are compared with the base.
    """

    system: str
    comparison: Comparison
    adjusted: float
    tests: int


def changes_against(evaluations: Mapping[str, Evaluation], base: str) -> list[SystemChange]:
    """Compare each system with the base.

    Args:
        evaluations: of each system by its name, on the same rows, with the same options.
        base: the name of one of them.

    Returns:
        A change for each system but the base, in their order.

    Raises:
        ValueError: for an unknown base, fewer than two systems, and systems that cannot be compared.
    """
    if base not in evaluations:
        expected = f"one of the systems {', '.join(map(repr, evaluations))}"
        raise InputValueError(place="base", expected=expected, got=repr(base))
    if len(evaluations) == 1:
        raise InputValueError(place="base", expected="at least two systems", got="one")
    compared = {name: evaluations[base].compare(each) for name, each in evaluations.items() if name != base}
    adjusted = holm([comparison.p_value for comparison in compared.values()])
    return [
        SystemChange(name, comparison, p_value, len(compared))
        for (name, comparison), p_value in zip(compared.items(), adjusted, strict=True)
    ]


def document_scores_by_system(evaluations: Mapping[str, Evaluation]) -> dict[str, list[float]]:
    """The score of each document in each system, by id, in the order of the first system's documents."""
    by_id = [dict(zip(each.scores.ids, each.scores.scores, strict=True)) for each in evaluations.values()]
    return {name: [scores[name] for scores in by_id] for name in by_id[0]}


def field_scores_by_system(evaluations: Mapping[str, Evaluation]) -> dict[str, list[float | None]]:
    """The score of each field in each system, by path; None where nothing counts in it."""
    by_path = [{field.path: field for field in each.analysis.fields} for each in evaluations.values()]
    paths = dict.fromkeys(path for fields in by_path for path in fields)
    return {
        path: [fields[path].score if path in fields and fields[path].weight else None for fields in by_path]
        for path in paths
    }


@dataclass(frozen=True)
class LoggedRun:
    """What a log says of a run as a whole.

    Attributes:
        data_set: the title of the data set, or the name of the task.
        method: how documents were put to the model, as the task's arguments say; empty where they do not.
        model: the model.
        documents: how many samples there are, epochs counted.
        errors: how many of them ended with an error.
        shortfall: in what the run is incomplete, as a sentence; empty where it is complete.
        input_tokens: read by the model, those from caches among them; None where the log has no usage.
        output_tokens: written by the model.
        cost: in dollars; None where the log does not say.
        seconds: from the start to the end of the run; None where it did not end.
    """

    data_set: str
    method: str
    model: str
    documents: int
    errors: int = 0
    shortfall: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class GridCell:
    """A run in the grid.

    Attributes:
        run: what its log says.
        summary: its mean and interval.
        is_best: whether its mean is the highest of its data set.
        q_value: of its difference to the best run of its data set, paired by document, for all runs of the data set
            together (Benjamini-Hochberg); None for the best one, and where the two do not have the same documents.
    """

    run: LoggedRun
    summary: Summary
    is_best: bool = False
    q_value: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain types."""
        return {**vars(self.run), **self.summary.to_dict(), "best": self.is_best, "q_value": self.q_value}


def grid_of_runs(runs: Sequence[tuple[LoggedRun, Summary]], progress: Progress = no_progress) -> list[GridCell]:
    """The runs with the best of each data set, and whether the others differ from it by more than chance.

    Args:
        runs: what the log says of each run, and its scores.
        progress: called when the phase "Comparing" begins.

    Raises:
        ValueError: for two runs of the same data set, method and model.
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    data_sets: dict[str, list[GridCell]] = {}
    seen: set[tuple[str, str, str]] = set()
    for run, summary in runs:
        key = (run.data_set, run.method, run.model)
        if key in seen:
            raise InputValueError(expected=f"one run of {', '.join(filter(None, key))}", got="two")
        seen.add(key)
        data_sets.setdefault(run.data_set, []).append(GridCell(run, summary))
    compared = progress("Comparing", len(runs))
    for name, cells in data_sets.items():
        top = max(cells, key=lambda cell: cell.summary.scores.mean).summary.scores
        cells = [replace(cell, is_best=cell.summary.scores.mean == top.mean) for cell in cells]  # noqa: PLW2901
        p_values = [None if cell.is_best else _p_value(top, cell.summary.scores) for cell in cells]
        tested = [p_value for p_value in p_values if p_value is not None]
        adjusted = iter(stats.false_discovery_control(tested).tolist() if tested else [])
        q_values = [None if p_value is None else next(adjusted) for p_value in p_values]
        data_sets[name] = [replace(cell, q_value=q) for cell, q in zip(cells, q_values, strict=True)]
        compared(len(cells))
    by_run = {id(cell.run): cell for cells in data_sets.values() for cell in cells}
    return [by_run[id(run)] for run, _ in runs]


def _p_value(best: CorpusScore, other: CorpusScore) -> float | None:
    """That the two differ by chance; None where they do not have the same documents."""
    if sorted(best.ids) != sorted(other.ids):
        return None
    number_of = {name: number for number, name in enumerate(other.ids)}
    numbers = [number_of[name] for name in best.ids]
    in_order = Ratios(other.ratio.earned[numbers], other.ratio.weight[numbers])
    return permutation_p_values(best.ratio, in_order)[0]

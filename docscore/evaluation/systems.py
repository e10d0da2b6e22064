"""Several systems: on the same rows, their figures and tests against one of them; runs of a benchmark as one grid.

P-values are adjusted for the number of systems by Holm, since each claim that one system is better than another is
acted on by itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputValueError, at_place
from docscore.core.formatting import FOUR_DIGITS, with_sign
from docscore.core.runtime import Progress, grouped, no_progress
from docscore.evaluation.comparison import Change, Comparison, adjusted, changes_of, rows_of_base
from docscore.evaluation.evaluation import Evaluation, evaluate
from docscore.evaluation.figures import MILLION, Slice, undominated
from docscore.evaluation.review import Review
from docscore.evaluation.tables import Table, table_of, text_column, value_column
from docscore.evaluation.worklist import worklist
from docscore.stats.intervals import CONFIDENCE, RESAMPLES, SEED, Ratios, side_by_side
from docscore.stats.significance import Rank, ranks_of

BEST = "best"


@dataclass(frozen=True)
class Systems:
    """Several systems on the same rows.

    Attributes:
        evaluations: of each system by its name.
        figures: the names of the figures that are shown.
        against: the system that the others are tested against, or "best"; "" if there are no tests.
        bases: the system that the others are tested against, by the name of the figure.
        tests: the change from the base, adjusted by Holm, by the names of system and figure.
        ranks: the rank of each system by the first figure, by name; empty if not requested.
        front: the systems that no other system beats in both the first figure and cost; None if not requested.
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

    def review(self, **settings: Any) -> Review:
        """Return the places where systems lose points; arguments and errors are those of `docscore.review`."""
        return Review(*worklist(self.evaluations, **settings))

    def score_per_cost(self, name: str) -> float | None:
        """The first figure, divided by the mean cost of a document; None if that cost is unknown or 0."""
        system, cost = self.evaluations[name], self.evaluations[name].document_cost
        return system.figures[self.figures[0]] / cost if cost else None

    def parts(self) -> list[dict[str, Slice]]:
        """The figures of each system over all rows, and over those of each slice, largest first."""
        parts: dict[str | None, dict[str, Slice]] = {}
        for name, system in self.evaluations.items():
            everything = Slice(None, len(system.document_ids), system.measured)
            for part in (everything, *system.slice_figures):
                by_name = {figure.name: figure for figure in part.figures}
                parts.setdefault(part.value, {})[name] = part._replace(
                    figures=[by_name[figure] for figure in self.figures]
                )
        return list(parts.values())


def review(
    references: Any,
    predictions: Any,
    *,
    texts: Any = None,
    text_column: str | None = None,
    hold_out: Sequence[str] = (),
    same: Sequence[str] = (),
    sample: int = 0,
    agreements: int = 0,
    of: str | None = None,
    seed: int = SEED,
    **options: Any,
) -> Review:
    """List the places where predictions differ from the ground truths, most likely an error of these first.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        predictions: the predictions of each system by its name, each as for `docscore.evaluate`; of one system also a
            path, a list or a data frame alone.
        texts: the texts of the documents, in which values are looked up: a folder of `ID.txt`, or a dict by id.
        text_column: the column of the references that holds them.
        hold_out: names of systems that make no proposals: a ground truth that is corrected without them must not
            lower their scores.
        same: names of systems that count as one, since they share errors.
        sample: how many places of one system are drawn by the points that it loses there, with replacement, for
            `Review.estimate`; 0 for all places of all systems.
        agreements: how many places of that system that earn all points are drawn by their weight.
        of: the name of that system; None for the first.
        seed: where the random numbers start.
        options: options of `docscore.evaluate`. The first metric is "anls_star" or "typed".

    Returns:
        The review. Where one system is given, its confidences come first in the order.

    Raises:
        TypeError, ValueError: as `docscore.evaluate`; also for names of unknown systems, other metrics, texts of other
            documents, and a sample of a system that loses nothing.
    """
    sides = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    evaluations = {name: _evaluated(name, references, side, options) for name, side in sides.items()}
    return Systems(evaluations, []).review(
        texts=texts,
        text_column=text_column,
        hold_out=hold_out,
        same=same,
        sample=sample,
        agreements=agreements,
        of=of,
        seed=seed,
    )


def corrections_table(before: Mapping[str, Evaluation], after: Mapping[str, Evaluation]) -> Table:
    """Return the scores of systems before and after ground truths were corrected, and whether their order changed."""
    rows = [(name, before[name].score, after[name].score) for name in before]
    orders = [sorted(side, key=lambda name: -side[name].score) for side in (before, after)]
    order = "unchanged" if orders[0] == orders[1] else f"{', '.join(orders[0])}, now {', '.join(orders[1])}"
    label = next(iter(before.values())).figure_names[0].label if before else "Scores"
    table = table_of(
        f"{label} with the corrected ground truths",
        rows,
        text_column("system", "system", itemgetter(0)),
        value_column("before", "before", FOUR_DIGITS, itemgetter(1)),
        value_column("after", "after", FOUR_DIGITS, itemgetter(2)),
        value_column("difference", "difference", with_sign, lambda row: row[2] - row[1]),
        unit="systems",
    )
    return replace(table, remarks=(f"order: {order}",) if len(rows) > 1 else ())


def _evaluated(name: str, references: Any, predictions: Any, options: Mapping[str, Any]) -> Evaluation:
    """Evaluate one of several systems; errors name it."""
    try:
        return evaluate(references=references, predictions=predictions, confidence=None, **options)
    except (TypeError, ValueError) as error:
        place = f"system {name!r}"
        raise at_place(place, error) from None


def systems_of(
    evaluations: Mapping[str, Evaluation],
    *,
    figures: Sequence[str] | None = None,
    against: str | None = None,
    ranked: bool = False,
    pareto: bool = False,
    progress: Progress = no_progress,
) -> Systems:
    """Put the figures of several systems side by side.

    Args:
        evaluations: of each system by its name, on the same rows, with the same metrics and a level of confidence.
        figures: the names of the figures to keep, in this order; None for all, or with ranks for the first one.
        against: the system to test the others against, by paired permutation tests; "best" for the best system on each
            figure; None for no tests.
        ranked: whether to order the systems by their ranks on the first figure.
        pareto: whether to find the systems that no other system beats in both the first figure and cost.
        progress: called when the phase "Resampling" of each test begins.

    Raises:
        ValueError: for an unknown figure or system, for a test or ranks with one system, for ranks of one document, and
            with `pareto` for a system whose cost is not known.
    """
    first = next(iter(evaluations.values()))
    known = [name.key for name in first.figure_names]
    for name in figures or ():
        if name not in known:
            raise InputValueError(
                place="figures",
                expected=f"figures among {', '.join(known)}; --metrics adds others",
                got=repr(name),
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
        changes = adjusted(_change(evaluations[base], evaluations[name], column, progress) for name in others)
        tests |= {(name, figure): change for name, change in zip(others, changes, strict=True)}
    return Systems(evaluations, chosen, against, bases, tests, ranks, front)


def _front(evaluations: Mapping[str, Evaluation], figure: str) -> list[str]:
    """Return the systems that no other system beats in both a figure and cost."""
    values: dict[str, tuple[float, float]] = {}
    for name, evaluation in evaluations.items():
        cost = evaluation.document_cost
        if cost is None:
            raise InputValueError(
                place="pareto",
                expected=f"the cost of each prediction of {name!r}",
                got=evaluation.costs["cost"].note if "cost" in evaluation.costs else "none",
                remedy="--cost-column names another column",
            )
        values[name] = evaluation.figures[figure], cost
    return undominated(values)


def _ranks(evaluations: Mapping[str, Evaluation], column: int, progress: Progress) -> dict[str, Rank]:
    """The ranks of the systems by one figure, the best system first."""
    first = next(iter(evaluations.values()))
    if len(evaluations) == 1:
        raise InputValueError(place="ranks", expected="at least two systems", got="one")
    in_order = [_in_order(system, first).columns([column]) for system in evaluations.values()]
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


def _change(base: Evaluation, new: Evaluation, column: int = 0, progress: Progress = no_progress) -> Change:
    """The change of one figure between two systems, without an interval."""
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
    """The figures of the documents of the base, in the order of those of the new system."""
    return _document_ratios(base).rows(rows_of_base(base.document_ids, new.document_ids))


def _document_ratios(system: Evaluation) -> Ratios:
    """The figures of the metrics as ratios of sums over documents, whose parts are the means over the runs."""
    if system.pairs.documents is None:
        return system.ratios
    shape = system.pairs.runs, len(system.document_ids), -1
    return Ratios(*(np.reshape(side, shape).mean(axis=0) for side in (system.ratios.earned, system.ratios.weight)))


def _document_clusters(system: Evaluation) -> npt.NDArray[np.intp] | None:
    """The number of the cluster of each document; None where all documents are independent."""
    clusters, n = system.clusters, len(system.document_ids)
    alone = system.pairs.documents is not None and clusters is not None and len(set(clusters[:n].tolist())) == n
    return None if clusters is None or alone else clusters[:n]


def changes_against(evaluations: Mapping[str, Evaluation], base: str) -> dict[str, Comparison]:
    """Compare each system with the base.

    Args:
        evaluations: of each system by its name, on the same rows, with the same options.
        base: the name of one of at least two.

    Returns:
        The comparison of each system but the base, in their order, with the p-value adjusted for their number.

    Raises:
        ValueError: for systems that cannot be compared.
    """
    compared = {name: Comparison(evaluations[base], each) for name, each in evaluations.items() if name != base}
    for comparison, change in zip(compared.values(), adjusted(each.figure for each in compared.values()), strict=True):
        comparison.figure, comparison.tests = change, len(compared)
    return compared


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
        task_id: of the task, which a run that goes on with another one shares with it.
        created: when the run began, as text in the order of time.
        settings: the arguments of the task and of the model's calls, by their names.
    """

    data_set: str
    method: str
    model: str
    documents: int
    errors: int = 0
    shortfall: str = ""
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost: float | None = None
    seconds: float | None = None
    task_id: str = ""
    created: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def cell(self) -> tuple[str, str, str]:
        """Its place in a grid: data set, method and model."""
        return self.data_set, self.method, self.model

    def priced(self, read: float, written: float) -> "LoggedRun":
        """Return the run with its cost by prices of a million tokens that are read and written."""
        counts = self.input_tokens, self.output_tokens
        parts = [count * price for count, price in zip(counts, (read, written), strict=True) if count is not None]
        return replace(self, cost=sum(parts) / MILLION if len(parts) == len(counts) else None)


def logs_of_cells(
    runs: Mapping[Path, LoggedRun], *, only_complete: bool
) -> tuple[dict[tuple[str, str, str], list[Path]], dict[Path, str]]:
    """Assign logs to the cells of a grid.

    Of several runs of one task, as a run and the one that went on with it, the newest complete one counts. Other runs
    of one data set, method and model are its runs.

    Args:
        runs: what each log says of its run.
        only_complete: whether incomplete runs are left out.

    Returns:
        The logs of each cell, and why each other log is left out.
    """
    newest: dict[tuple[str, ...], Path] = {}
    left_out: dict[Path, str] = {}
    for path, run in sorted(runs.items(), key=lambda item: (not item[1].shortfall, item[1].created)):
        if only_complete and run.shortfall:
            left_out[path] = run.shortfall
            continue
        task = (run.task_id or str(path), *run.cell)
        if task in newest:
            left_out[newest[task]] = f"the same task has a newer or complete run, {path}"
        newest[task] = path
    return grouped((run.cell, path) for path, run in runs.items() if path not in left_out), left_out


_SUMMED = ("documents", "errors")
_AVERAGED = ("input_tokens", "output_tokens", "cost", "seconds")


def joined_logs(runs: Sequence[LoggedRun], count: int) -> LoggedRun:
    """The runs of one cell as one: the sums of documents and errors, and what one run took on average.

    Args:
        runs: what each log says; what one does not say is None in the result.
        count: how many runs there are; the epochs of a log are several.
    """
    values = {name: [getattr(run, name) for run in runs] for name in (*_SUMMED, *_AVERAGED)}
    sums: dict[str, Any] = {name: None if None in numbers else sum(numbers) for name, numbers in values.items()}
    means = {name: None if sums[name] is None else sums[name] / count for name in _AVERAGED}
    return replace(runs[0], **{**sums, **means})


def differing_settings(runs: Sequence[LoggedRun]) -> dict[str, list[Any]]:
    """The settings in which runs differ, by their names: the value of each run, None where it has none."""
    names = dict.fromkeys(name for run in runs for name in run.settings)
    values = {name: [run.settings.get(name) for run in runs] for name in names}
    return {name: of_runs for name, of_runs in values.items() if any(value != of_runs[0] for value in of_runs)}


def grid_of_runs(runs: Sequence[tuple[LoggedRun, Evaluation]], progress: Progress = no_progress) -> list[Change]:
    """Return how each run differs from the best one of its data set, paired by document and adjusted by Holm.

    Args:
        runs: what the logs say of each cell, and its scores.
        progress: called when the phase "Resampling" of each test begins.

    Returns:
        For each run, the change from the best run of its data set. It has no p-value for the best run itself, and for
        runs on other documents.
    """
    found: dict[int, Change] = {}
    for numbers in grouped((run.data_set, number) for number, (run, _) in enumerate(runs)).values():
        best = max((runs[number][1] for number in numbers), key=lambda each: each.score)
        found |= zip(
            numbers, adjusted(_change_from_best(best, runs[number][1], progress) for number in numbers), strict=True
        )
    return [found[number] for number in range(len(runs))]


def _change_from_best(best: Evaluation, run: Evaluation, progress: Progress) -> Change:
    """Return the change from the best run to another one; equal runs and runs on other documents are not tested."""
    if run.score != best.score and sorted(best.document_ids) == sorted(run.document_ids):
        return _change(best, run, progress=progress)
    return Change(*run.figure_names[0], best.score, run.score)

"""Arrange logged runs in a grid: cells by data set, method and model, their tests, and their tables."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from docscore.core.formatting import shown_name, three_digits
from docscore.core.runtime import Progress, grouped, no_progress
from docscore.evaluation.comparison import Change, adjusted
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.sentences import HALF_THE_WIDTH, between_systems, by_value_text, runs_lines
from docscore.evaluation.systems import change_of
from docscore.evaluation.tables import Table, TableCell, TableColumn, table_of, text_column, value_column
from docscore.inputs import logs
from docscore.inputs.logs import LoggedRun
from docscore.report.systems_report import CHANCE_MARK
from docscore_benchmark.data_sets import DATA_SETS


def logs_of_cells(
    runs: Mapping[Path, LoggedRun], *, only_complete: bool
) -> tuple[dict[tuple[str, str, str], list[Path]], dict[Path, str]]:
    """Assign logs to the cells of a grid.

    If one task has several logs, such as a run and its resumption, the newest complete log counts. Other logs of the
    same data set, method and model are repeated runs of one cell.

    Args:
        runs: the data of each log about its run.
        only_complete: whether incomplete runs are left out.

    Returns:
        The logs of each cell, and the reason why each other log is left out.
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


def run_of_log(path: Path) -> LoggedRun:
    """Return the data of a log about its run, with the title of the data set; errors as for `logs.run_of_log`."""
    run = logs.run_of_log(path)
    data_set = DATA_SETS.get(run.data_set.rsplit("/", 1)[-1])
    return run if data_set is None else replace(run, data_set=data_set.title)


_SUMMED = ("documents", "errors")


_AVERAGED = ("input_tokens", "output_tokens", "cost", "seconds")


def joined_logs(runs: Sequence[LoggedRun], count: int) -> LoggedRun:
    """Combine the runs of one cell: sum documents and errors, and average the resources of one run.

    Args:
        runs: the data of each log; a value that any log does not have is None in the result.
        count: the number of runs; each epoch of a log is a run.
    """
    values = {name: [getattr(run, name) for run in runs] for name in (*_SUMMED, *_AVERAGED)}
    sums: dict[str, Any] = {name: None if None in numbers else sum(numbers) for name, numbers in values.items()}
    means = {name: None if sums[name] is None else sums[name] / count for name in _AVERAGED}
    return replace(runs[0], **{**sums, **means})


def differing_settings(runs: Sequence[LoggedRun]) -> dict[str, list[Any]]:
    """Return by name the settings in which runs differ: the value in each run, None if a run has no value."""
    names = dict.fromkeys(name for run in runs for name in run.settings)
    values = {name: [run.settings.get(name) for run in runs] for name in names}
    return {name: of_runs for name, of_runs in values.items() if any(value != of_runs[0] for value in of_runs)}


def grid_of_runs(runs: Sequence[tuple[LoggedRun, Evaluation]], progress: Progress = no_progress) -> list[Change]:
    """Return how each run differs from the best run of its data set, paired by document and adjusted by Holm.

    Args:
        runs: the data of the logs of each cell, and its scores.
        progress: called when the phase "Resampling" of each test begins.

    Returns:
        For each run, the change from the best run of its data set. It has no p-value for the best run itself, and for
        runs on other documents.
    """
    by_number: dict[int, Change] = {}
    for numbers in grouped((run.data_set, number) for number, (run, _) in enumerate(runs)).values():
        best = max((runs[number][1] for number in numbers), key=lambda each: each.score)
        by_number |= zip(
            numbers, adjusted(_change_from_best(best, runs[number][1], progress) for number in numbers), strict=True
        )
    return [by_number[number] for number in range(len(runs))]


def _change_from_best(best: Evaluation, run: Evaluation, progress: Progress) -> Change:
    """Return the change from the best run to another one; equal runs and runs on other documents are not tested."""
    if run.score != best.score and sorted(best.document_ids) == sorted(run.document_ids):
        return change_of(best, run, progress=progress)
    return Change(*run.figure_names[0], best.score, run.score)


def table_of_scores(runs: Sequence[tuple[LoggedRun, Evaluation]], changes: Sequence[Change]) -> Table:
    """Return one row for each data set and method, and one column for each model.

    A cell has the mean, its interval, and a mark if the mean is significantly below the best one.

    Args:
        runs: the data of the logs about each run, and its scores.
        changes: how each run differs from the best run of its data set.
    """
    models = list(dict.fromkeys(run.model for run, _ in runs))
    lines = dict.fromkeys((run.data_set, run.method) for run, _ in runs)
    cells = {run.cell: _score(evaluation, change) for (run, evaluation), change in zip(runs, changes, strict=True)}
    rows = tuple(
        (
            *(TableCell(name, shown_name(name)) for name in line),
            *(cells.get((*line, model), TableCell(None, "")) for model in models),
        )
        for line in lines
    )
    columns = (
        TableColumn("data_set", "data set", "text"),
        TableColumn("method", "method", "text"),
        *(TableColumn(model, shown_name(model)) for model in models),
    )
    test = between_systems(runs[0][1].confidence or 0.0)
    tested = any(change.adjusted is not None for change in changes)
    legend = [f"{CHANCE_MARK} significantly lower than the best of its data set: {test}."] if tested else []
    footnotes = []
    for run, evaluation in runs:
        name = ", ".join(map(shown_name, filter(None, run.cell)))
        footnotes += [f"{name}: {line}." for line in runs_lines(evaluation.runs)] if evaluation.runs is not None else []
    footnotes += [f"{HALF_THE_WIDTH}."] if footnotes else []
    for line in lines:
        by_model = {run.model: evaluation for run, evaluation in runs if (run.data_set, run.method) == line}
        if by_value := by_value_text(by_model):
            footnotes.append(f"{', '.join(map(shown_name, line))}: {by_value}.")
    return Table(
        "ANLS* by data set, method and model",
        columns,
        rows,
        signatures=tuple(sorted({evaluation.signature for _, evaluation in runs})),
        footnotes=(*legend, *footnotes),
        legend=tuple(legend),
        systems_from=2,
    )


def table_of_costs(runs: Sequence[LoggedRun], left_out: Sequence[str] = ()) -> Table:
    """Return one row per run: documents, failed calls, tokens, dollars and seconds, if its log has them.

    Args:
        runs: the data of the logs about each run.
        left_out: a sentence for each log that is left out, without its full stop.
    """
    table = table_of(
        "What the runs cost",
        runs,
        *(
            text_column(name, name.replace("_", " "), attrgetter(name), "text")
            for name in ("data_set", "method", "model")
        ),
        *(value_column(name, head, "{:,.0f}".format, none="") for name, head in _COUNTS.items()),
        value_column("cost", "$", "{:.4f}".format, none=""),
        value_column("seconds", "s", "{:.0f}".format, none=""),
        unit="runs",
    )
    incomplete = (f"{', '.join(run.cell)}: {run.shortfall}." for run in runs if run.shortfall)
    footnotes = _WHAT_RUNS_COST, *incomplete, *(f"{line}." for line in left_out)
    return replace(table, footnotes=footnotes, legend=footnotes[:1])


_WHAT_RUNS_COST = (
    "in and out: tokens read and written; s: seconds from the start to the end. These three and $ are the average "
    "per run or epoch; docs and failed are totals."
)


_COUNTS = {"documents": "docs", "errors": "failed", "input_tokens": "in", "output_tokens": "out"}


def _score(evaluation: Evaluation, change: Change) -> TableCell:
    """Return the mean with its interval and mark."""
    interval = evaluation.measured[0].interval
    ends = f" [{', '.join(map(three_digits, interval.ends))}]{interval.mark}" if interval and interval.ends else ""
    mark = CHANCE_MARK if change.is_significant(evaluation.confidence or 0.0) else ""
    is_best = change.difference == 0
    return TableCell(evaluation.score, three_digits(evaluation.score), best=is_best, suffix=f"{ends}{mark}")

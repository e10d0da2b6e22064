"""Several runs of a benchmark as one grid: data sets and methods by models, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.progress import Progress, no_progress
from docscore.corpus.scores import CorpusScore
from docscore.corpus.summary import Summary, mean_as_ratio
from docscore.stats.significance import permutation_p_values


@dataclass(frozen=True)
class LoggedRun:
    """What a log says of a run as a whole.

    Attributes:
        data_set: the title of the data set, or the name of the task.
        method: how documents were put to the model, as the task's arguments say; empty where they do not.
        model: the model.
        documents: how many samples there are, epochs counted.
        errors: how many of them ended with an error.
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
    cells = [GridCell(run, summary) for run, summary in runs]
    seen: set[tuple[str, str, str]] = set()
    for cell in cells:
        key = (cell.run.data_set, cell.run.method, cell.run.model)
        if key in seen:
            raise InputValueError(expected=f"one run of {', '.join(filter(None, key))}", got="two")
        seen.add(key)
    compared = progress("Comparing", len(cells))
    found: dict[int, GridCell] = {}
    for name in dict.fromkeys(cell.run.data_set for cell in cells):
        numbers = [number for number, cell in enumerate(cells) if cell.run.data_set == name]
        found |= dict(zip(numbers, _compared([cells[number] for number in numbers]), strict=True))
        compared(len(numbers))
    return [found[number] for number in range(len(cells))]


def _compared(cells: list[GridCell]) -> list[GridCell]:
    """The runs of one data set, held against the best of them."""
    from scipy import stats  # noqa: PLC0415  slow to import

    top = max(cells, key=lambda cell: cell.summary.scores.mean)
    best = [cell.summary.scores.mean == top.summary.scores.mean for cell in cells]
    p_values = [None if is_best else _p_value(top, cell) for cell, is_best in zip(cells, best, strict=True)]
    tested = [number for number, p_value in enumerate(p_values) if p_value is not None]
    q_values: dict[int, float] = {}
    if tested:
        adjusted = stats.false_discovery_control([p_values[number] for number in tested]).tolist()
        q_values = dict(zip(tested, adjusted, strict=True))
    return [
        replace(cell, is_best=is_best, q_value=q_values.get(number))
        for number, (cell, is_best) in enumerate(zip(cells, best, strict=True))
    ]


def _p_value(best: GridCell, other: GridCell) -> float | None:
    """That the two differ by chance; None where they do not have the same documents."""
    first, second = best.summary.scores, other.summary.scores
    if sorted(first.ids) != sorted(second.ids):
        return None
    return permutation_p_values(mean_as_ratio(first), mean_as_ratio(_in_order_of(first, second)))[0]


def _in_order_of(first: CorpusScore, second: CorpusScore) -> CorpusScore:
    """The scores of the second in the order of the ids of the first."""
    scores = dict(zip(second.ids, second.scores, strict=True))
    return replace(second, scores=[scores[name] for name in first.ids])

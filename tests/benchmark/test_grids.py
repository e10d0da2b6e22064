"""Logged runs as one grid."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from docscore_benchmark.grids import (
    differing_settings,
    grid_of_runs,
    joined_logs,
    logs_of_cells,
    table_of_costs,
    table_of_scores,
)

from docscore.evaluation.evaluation import Evaluation, evaluate_rows
from docscore.inputs.logs import LoggedRun
from docscore.inputs.pairing import pairs_of
from docscore.report.markup import table_as_latex, table_as_markdown
from tests.report_samples import grid


def evaluation_of(*predictions: str) -> Evaluation:
    return evaluate_rows(pairs_of(predictions, ["right"] * len(predictions)))


def run_of(model: str, method: str = "simple", **others: Any) -> LoggedRun:
    return LoggedRun("SROIE", method, model, 10, **others)


def test_a_grid_marks_the_best_and_what_is_lower_beyond_chance() -> None:
    """Ten documents, all ten of them worse: of 2^10 swaps, the two that keep all together are as extreme."""
    good, bad = evaluation_of(*["right"] * 10), evaluation_of(*["zzzzz"] * 10)
    middle = evaluation_of(*["right"] * 9, "zzzzz")
    runs = [(run_of("a"), good), (run_of("b"), bad), (run_of("a", "latin"), middle)]
    changes = grid_of_runs(runs)
    assert [change.difference for change in changes] == pytest.approx([0.0, -1.0, -0.1])
    assert [change.adjusted for change in changes] == [None, pytest.approx(2 * 2 / 2**10), 1.0]
    table = table_of_scores(runs, changes)
    assert grid(table) == [
        ["SROIE", "simple", "1.000 [0.722, 1.000] (Wilson)", "0.000 [0.000, 0.278] (Wilson)†"],
        ["SROIE", "latin", "0.900 [0.500, 1.000]", ""],
    ]
    assert [[cell.best for cell in row] for row in table.cells] == [[False, False, True, False], [False] * 4]
    assert (
        "| SROIE | simple | **1.000** [0.722, 1.000] (Wilson) | 0.000 [0.000, 0.278] (Wilson)† |"
        in table_as_markdown(table)
    )
    latex = table_as_latex(table)
    assert (
        r"\textbf{1.000} [0.722, 1.000] (Wilson) & 0.000 [0.000, 0.278] (Wilson)\textsuperscript{\textdagger} \\"
        in latex
    )
    assert r"\textsuperscript{\textdagger} significantly lower than the best of its data set" in latex


def test_runs_on_other_documents_are_not_tested() -> None:
    changes = grid_of_runs([(run_of("a"), evaluation_of("right", "right")), (run_of("b"), evaluation_of("zzzzz"))])
    assert [(change.difference, change.adjusted) for change in changes] == [(0.0, None), (-1.0, None)]


def test_logs_of_a_cell() -> None:
    """Of one task the newest complete run; of tasks of their own all runs; incomplete ones where they are wanted."""
    logs = {
        Path("old"): run_of("a", task_id="t", created="1"),
        Path("cut"): run_of("a", task_id="t", created="3", shortfall="cut off"),
        Path("new"): run_of("a", task_id="t", created="2", cost=1.0, seconds=2.0),
        Path("own"): run_of("a", created="0", cost=0.5),
        Path("failed"): run_of("b", created="0", shortfall="failed"),
    }
    cells, left_out = logs_of_cells(logs, only_complete=True)
    assert cells == {("SROIE", "simple", "a"): [Path("new"), Path("own")]}
    newer = "the same task has a newer or complete run, new"
    assert left_out == {Path("cut"): "cut off", Path("failed"): "failed", Path("old"): newer}
    kept, _ = logs_of_cells(logs, only_complete=False)
    assert kept == {**cells, ("SROIE", "simple", "b"): [Path("failed")]}
    joined = joined_logs([logs[Path("new")], logs[Path("own")]], 2)
    assert (joined.documents, joined.cost, joined.seconds) == (20, 0.75, None)


def test_settings_and_prices_of_runs() -> None:
    runs = [run_of("a", settings={"temperature": 0, "dpi": 150}), run_of("a", settings={"temperature": 1, "dpi": 150})]
    assert differing_settings([*runs, run_of("a")]) == {"temperature": [0, 1, None], "dpi": [150, 150, None]}
    assert differing_settings(runs) == {"temperature": [0, 1]}
    assert differing_settings(runs[:1]) == {}
    run = run_of("a", input_tokens=2_000_000, output_tokens=500_000, cost=1.0)
    assert run.priced(2.5, 10).cost == 10.0
    assert run_of("a", cost=1.0).priced(2.5, 10).cost is None


def test_what_a_log_does_not_say_stays_empty() -> None:
    said = run_of("a", input_tokens=12345, output_tokens=6, cost=0.25, seconds=61.4, errors=1)
    assert grid(table_of_costs([said, run_of("b")])) == [
        ["SROIE", "simple", "a", "10", "1", "12,345", "6", "0.2500", "61"],
        ["SROIE", "simple", "b", "10", "0", "", "", "", ""],
    ]

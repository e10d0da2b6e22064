"""Files whose rows hold references and predictions, and the grid of runs, without the tool that writes logs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from docscore import pairs_of
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.systems import LoggedRun, grid_of_runs
from docscore.report.markup import table_as_latex, table_as_markdown
from docscore.report.systems_tables import table_of_costs, table_of_scores
from tests.commands import run, written
from tests.report_samples import grid


def test_without_its_library_a_log_says_what_it_needs(tmp_path: Path) -> None:
    if find_spec("inspect_ai") is not None:
        pytest.skip("needs an environment without inspect_ai")
    log = {"version": 2, "status": "success", "eval": {}}
    for path in (written(tmp_path, "a.eval", b""), written(tmp_path, "a.json", log)):
        done = run("score", path)
        assert done.code == 2
        assert f"{path}: reading logs of Inspect needs its library" in done.err
        assert "pip install 'docscore[bench]'" in done.err


def evaluation_of(*predictions: str) -> Evaluation:
    ids = [f"d{number}" for number in range(len(predictions))]
    ours = [{"question_id": name, "prediction": value} for name, value in zip(ids, predictions, strict=True)]
    theirs = [{"question_id": name, "references": ["right"]} for name in ids]
    return Evaluation(pairs_of(ours, theirs))


def run_of(model: str, method: str = "simple", data_set: str = "SROIE", **others: Any) -> LoggedRun:
    return LoggedRun(data_set, method, model, 10, **others)


def test_a_grid_marks_the_best_and_what_is_lower_beyond_chance() -> None:
    """Ten documents, all ten of them worse: of 2^10 swaps, the two that keep all together are as extreme."""
    good, bad = evaluation_of(*["right"] * 10), evaluation_of(*["zzzzz"] * 10)
    middle = evaluation_of(*["right"] * 9, "zzzzz")
    runs = [(run_of("a"), good), (run_of("b"), bad), (run_of("a", "latin"), middle)]
    changes = grid_of_runs(runs)
    assert [change.difference for change in changes] == pytest.approx([0.0, -1.0, -0.1])
    assert [change.adjusted for change in changes] == [None, pytest.approx(2 * 2 / 2**10), 1.0]
    table = table_of_scores(runs, changes)
    assert grid(table) == [["SROIE", "simple", "1.000", "0.000†"], ["SROIE", "latin", "0.900 [0.500, 1.000]", ""]]
    assert [[cell.best for cell in row] for row in table.rows] == [[False, False, True, False], [False] * 4]
    assert "| SROIE | simple | **1.000** | 0.000† |" in table_as_markdown(table)
    latex = table_as_latex(table)
    assert r"SROIE & simple & \textbf{1.000} & 0.000\textsuperscript{\textdagger} \\" in latex
    assert r"\textsuperscript{\textdagger} lower than the best of its data set" in latex


def test_runs_on_other_documents_are_not_tested() -> None:
    changes = grid_of_runs([(run_of("a"), evaluation_of("right", "right")), (run_of("b"), evaluation_of("zzzzz"))])
    assert [(change.difference, change.adjusted) for change in changes] == [(0.0, None), (-1.0, None)]
    with pytest.raises(ValueError, match="expected one run of SROIE, simple, a, got two"):
        grid_of_runs([(run_of("a"), evaluation_of("right")), (run_of("a"), evaluation_of("right"))])


def test_what_a_log_does_not_say_stays_empty() -> None:
    said = run_of("a", input_tokens=12345, output_tokens=6, cost=0.25, seconds=61.4, errors=1)
    assert grid(table_of_costs([said, run_of("b")])) == [
        ["SROIE", "simple", "a", "10", "1", "12,345", "6", "0.2500", "61"],
        ["SROIE", "simple", "b", "10", "0", "", "", "", ""],
    ]

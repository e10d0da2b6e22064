"""The files that a visitor takes home: a table of the documents, everything as JSON, and the report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docscore.corpus.evaluation import Evaluation
from docscore.corpus.fields import CAUSES, Losses
from docscore.data.csv_writing import write_csv
from docscore.results.result import EvaluationResult

WORST = 10  # trees in the report
_TABLE, _DOCUMENT, _REPORT = "scores.csv", "scores.json", "report.html"


def write_downloads(folder: Path, evaluation: Evaluation, name: str) -> list[str]:
    """Write the files to the folder.

    Args:
        folder: the folder.
        evaluation: the scored test set.
        name: the heading of the report.

    Returns:
        The names of a CSV file, a JSON file and the report.
    """
    result = EvaluationResult(evaluation)
    samples = evaluation.scores.samples()
    lost = evaluation.analysis.losses
    rows = [{**sample, **_lost_cells(losses)} for sample, losses in zip(samples, lost, strict=True)]
    causes = [_column(cause) for cause in CAUSES if evaluation.analysis.lost[cause]]
    write_csv(folder / _TABLE, [*samples[0], "points_lost", "main_cause", *causes, "fields"], rows)
    parts = result.to_dict(worst=WORST)
    if evaluation.options.with_confidences:
        parts["curve"] = [point.to_dict() for point in evaluation.curve.points()]
        parts["calibration"] = evaluation.calibration.to_dict()
    parts["documents"] = [
        {"question_id": sample["question_id"], "losses": _loss_list(losses)}
        for sample, losses in zip(samples, lost, strict=True)
    ]
    (folder / _DOCUMENT).write_text(json.dumps(parts, indent=1), encoding="utf-8")
    report = result.as_html(name, worst=WORST)
    (folder / _REPORT).write_text(report, encoding="utf-8", errors="backslashreplace")
    return [_TABLE, _DOCUMENT, _REPORT]


def _lost_cells(losses: Losses) -> dict[str, Any]:
    """The cells of a document in addition to its score: points lost, by cause, and by field as one text."""
    causes: dict[str, float] = {}
    fields: dict[str, float] = {}
    for (field, cause), points in losses.items():
        causes[cause] = causes.get(cause, 0.0) + points
        fields[field] = fields.get(field, 0.0) + points
    largest = sorted(fields.items(), key=lambda item: -item[1])
    return {
        "points_lost": sum(causes.values()),
        "main_cause": max(causes, key=causes.__getitem__) if causes else None,
        "fields": "; ".join(f"{field} {points:.4f}" for field, points in largest),
        **{_column(cause): points for cause, points in causes.items()},
    }


def _column(cause: str) -> str:
    return f"lost: {cause}"


def _loss_list(losses: Losses) -> list[dict[str, Any]]:
    largest = sorted(losses.items(), key=lambda item: -item[1])
    return [{"field": field, "cause": cause, "points_lost": points} for (field, cause), points in largest]

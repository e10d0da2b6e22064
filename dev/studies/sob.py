"""The Structured Output Benchmark: 34 models on 209 images, by ANLS* and by the value accuracy of its authors.

    git clone https://github.com/JigsawStack/sob
    python -m dev.studies.sob sob

Commit 09b449a of 2026. The authors' figure is "leaf_value_em" of `data/evaluation/image`: the share of leaves that are
exactly right at their path, as they print it. Answers that are text are read as JSON with docscore's repair.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from scipy.stats import rankdata, spearmanr

import docscore
from docscore.evaluation.systems import systems_of
from docscore.report.markup import table_as_markdown
from docscore.report.systems_report import systems_table

PREFIX, SUFFIX = "response_", "_image"
DISAGREEMENTS = 5


def responses(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the ground truths and the answers of a file of responses, by the id of the record."""
    truths, answers = {}, {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            name = record["metadata"]["record_id"]
            truths[name] = record["output"]["ground_truth"]
            answers[name] = record["output"]["candidate_response"]
    return truths, answers


def published(clone: Path, model: str) -> float:
    """Return the value accuracy that the authors print for a model."""
    path = clone / "data" / "evaluation" / "image" / model / "eval_summary.json"
    summary = json.loads(path.read_text("utf-8"))["summary"]["overall"]["metrics"]
    return float(summary["leaf_value_em"]["mean"])


def main() -> None:
    """Print the ranking by docscore, the rank correlation, and the models on which the two disagree most."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("--numbers", choices=["text", "value"], default="value")
    asked = parser.parse_args()
    files = sorted((asked.clone / "data" / "images_responses").glob(f"{PREFIX}*{SUFFIX}.jsonl"))
    truths, accuracy, evaluations = None, {}, {}
    for path in files:
        model = path.stem.removeprefix(PREFIX).removesuffix(SUFFIX)
        references, answers = responses(path)
        truths = truths or references
        if references != truths:
            print(f"{model}: left out, its records or ground truths are not those of the first file")
            continue
        accuracy[model] = published(asked.clone, model)
        evaluations[model] = docscore.evaluate(
            predictions=answers, references=truths, parse="repair", numbers=asked.numbers
        )
    print(table_as_markdown(systems_table(systems_of(evaluations, ranked=True), intervals=True)))
    names = list(evaluations)
    ours, theirs = [evaluations[name].score for name in names], [accuracy[name] for name in names]
    print(f"\n{len(names)} models on {len(truths or {})} documents; rank correlation (Spearman) with the published")
    print(f"value accuracy: {spearmanr(ours, theirs).statistic:.3f}\n\nLargest disagreements:\n")
    ranks = zip(names, rankdata([-value for value in ours]), rankdata([-value for value in theirs]), strict=True)
    print("| model | ANLS* | rank | value accuracy | rank |\n|---|---:|---:|---:|---:|")
    for name, rank, other in sorted(ranks, key=lambda row: -abs(row[1] - row[2]))[:DISAGREEMENTS]:
        print(f"| {name} | {evaluations[name].score:.4f} | {rank:g} | {accuracy[name]:.4f} | {other:g} |")


if __name__ == "__main__":
    main()

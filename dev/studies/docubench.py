"""DocuBench: the order of six systems on 50 documents.

    git clone https://github.com/DocuPipe/DocuBench
    python -m dev.studies.docubench DocuBench

Commit 43fae2e of 2026. The published figure is the macro average of the accuracy of leaves, with texts compared without
white space, punctuation and case, numbers as floats, and lists matched in any order (`results/summary.json`).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from scipy.stats import spearmanr

import docscore


def values(folder: Path, *, answers: bool = False) -> dict[str, Any]:
    """Return the documents of a folder of JSON files by name; with `answers`, the answers of a system ({} if none)."""
    files = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))}
    return {name: value.get("data", {}) if answers else value for name, value in files.items()}


def main() -> None:
    """Print the published accuracy next to ANLS* with numbers as text and by value, and the rank correlations."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    labels = values(clone / "labels")
    board = json.loads((clone / "space" / "leaderboard.json").read_text("utf-8"))
    accuracy = {engine["key"]: float(engine["overall"]) for engine in board["engines"]}
    scores: dict[str, dict[str, docscore.Evaluation]] = {
        system: {
            numbers: docscore.evaluate(
                predictions=values(clone / "results" / system, answers=True),
                references=labels,
                numbers=numbers,
                missing="zero",
            )
            for numbers in ("text", "value")
        }
        for system in accuracy
    }
    print("| system | published accuracy | ANLS*, numbers by value | 95% interval | ANLS*, numbers as text |")
    print("|---|---:|---:|---|---:|")
    for system in sorted(accuracy, key=lambda name: -accuracy[name]):
        by_value, by_text = scores[system]["value"], scores[system]["text"]
        low, high = by_value.interval or (float("nan"), float("nan"))
        cells = f"{accuracy[system]:.4f} | {by_value.score:.4f} | {low:.4f} to {high:.4f} | {by_text.score:.4f}"
        print(f"| {system} | {cells} |")
    for numbers in ("value", "text"):
        ours = [scores[system][numbers].score for system in accuracy]
        correlation = spearmanr(ours, list(accuracy.values())).statistic
        print(f"\nSpearman's rank correlation, numbers by {numbers}: {correlation:.3f}")


if __name__ == "__main__":
    main()

"""CheckboxQA: one score for the corpus, or the mean over its questions.

    git clone https://github.com/Snowflake-Labs/CheckboxQA
    python -m dev.studies.checkboxqa CheckboxQA

Commit 4adb9fd of 2025, arXiv 2504.10419; the data is under CC BY-NC 4.0. `evaluate.py` of the repository puts all
documents into one object and scores it. A question then weighs as much as it has answers.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import docscore


def questions(path: Path) -> dict[str, dict[str, list[Any]]]:
    """Return the answers of each question by document, as `evaluate.py` reads them: `none` is null."""
    documents: dict[str, dict[str, list[Any]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        document = json.loads(line)
        documents[document["name"]] = {
            question["key"]: [
                None if value["value"].lower() == "none" else tuple(value.get("value_variants", ())) or value["value"]
                for value in question["values"]
            ]
            for question in document["annotations"]
        }
    return documents


def main() -> None:
    """Print the score of the corpus as one object, and the means over its documents and over its questions."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    data = parser.parse_args().clone / "data"
    truths, answers = questions(data / "gold.jsonl"), questions(data / "GPT.jsonl")
    keys = [(name, key) for name, row in truths.items() for key in row]
    by_question = docscore.evaluate(
        predictions=[{"question_id": f"{name}: {key}", "prediction": answers[name].get(key)} for name, key in keys],
        references=[
            {"question_id": f"{name}: {key}", "references": [truths[name][key]], "document": name} for name, key in keys
        ],
        cluster="document",
    )
    means = {
        "mean over documents": docscore.evaluate(predictions=answers, references=truths),
        "mean over questions": by_question,
    }
    print("| ANLS* | rows | score | 95% interval |\n|---|---:|---:|---|")
    print(f"| corpus as one object | 1 | {docscore.anls_score(truths, answers):.4f} | |")
    for name, result in means.items():
        low, high = result.interval or (float("nan"), float("nan"))
        print(f"| {name} | {len(result)} | {result.score:.4f} | {low:.4f} to {high:.4f} |")


if __name__ == "__main__":
    main()

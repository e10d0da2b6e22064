"""DocuBench: places where all systems agree against the ground truth, and the most that they can cost.

    git clone https://github.com/DocuPipe/DocuBench
    python -m dev.studies.whose_error DocuBench

Commit 43fae2e of 2026; labels, schemas and results are under CC BY 4.0 (DocuPipe, 2026). By default, thirty documents
and three systems; with `--all`, fifty and six. Nobody reads a document, and systems that agree may be wrong together.
The scores with the prediction as the ground truth, at all places where the systems agree, are upper bounds: the right
ground truths at these places cannot give higher scores.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import docscore_review

import docscore
from dev.studies.docubench import values

SYSTEMS = ("claude", "gemini", "gpt")
DOCUMENTS = [
    "1ZVqiyJZ", "45xidifn", "4kVtTRoL", "5YJaBbNg", "5ukZftw0", "62PhJTyf", "7ZhgzAzp", "97uZroyv",
    "B0nA2c30", "BnftpXVQ", "C7fe2lau", "DtfW60lS", "ENoM9faK", "Eet2wW3x", "FiFgt4a6", "GW7i2xbM",
    "IPm0MkgQ", "J6buHXQ4", "KpewWz3R", "LYeb3G3s", "M66HZlWT", "NNaGgwE5", "NlWTPen5", "OayFbGlG",
    "Oe7iRM1G", "PSU5pciM", "PYhFptk3", "QxoQ6zgn", "SBR9L7Y8", "SkD8Lz8o",
]  # fmt: skip


def main() -> None:
    """Print the places by kind, and the scores before and after, for each way to compare values."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("--all", action="store_true", help="all documents and systems")
    arguments = parser.parse_args()
    clone = arguments.clone
    labels = values(clone / "labels")
    names = sorted(path.name for path in (clone / "results").iterdir() if path.is_dir())
    if not arguments.all:
        labels, names = {name: labels[name] for name in DOCUMENTS}, list(SYSTEMS)
    answers = {name: values(clone / "results" / name, answers=True) for name in names}
    systems = {name: {key: side[key] for key in labels if key in side} for name, side in answers.items()}
    print(f"{len(labels)} documents, {len(systems)} systems")
    ways = {
        "numbers as text": {},
        "numbers by value": {"numbers": "value"},
        "typed score": {"schema": clone / "schemas"},
    }
    for way, options in ways.items():
        print(f"\n{way}:")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # fields that a comparator cannot read
            show(labels, systems, {**options, "missing": "zero"})


def show(labels: dict[str, Any], systems: dict[str, Any], options: dict[str, Any]) -> None:
    """Count the places where all systems differ from the ground truth, and print the scores if they are right there."""
    review = docscore_review.review(labels, systems, **options)
    unanimous = [item for item in review.lines if item.agree == item.of == len(systems)]
    for item in unanimous:
        item.verdict = "prediction"
    before, after = (
        {
            name: docscore.evaluate(predictions=side, references=truths, **options).score
            for name, side in systems.items()
        }
        for truths in (labels, review.apply(labels))
    )
    kinds = Counter(item.kind for item in unanimous)
    decisions = docscore_review.Review(unanimous).decisions
    documents = len({item.question_id for item in unanimous})
    print(f"{len(review.lines)} places; all agree at {len(unanimous)} ({decisions} decisions, {documents} documents)")
    print(", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    for name in sorted(systems, key=lambda name: -before[name]):
        print(f"{name}: {before[name]:.4f}, at most {after[name]:.4f}")


if __name__ == "__main__":
    main()

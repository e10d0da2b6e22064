"""KIEval: 100 sample receipts of the official code, with answers of a 72-billion-parameter Qwen vision model.

    git clone https://github.com/UpstageAI/KIEval
    python -m dev.studies.kieval KIEval

Commit 95914a4 of 2025. The published figures come from `QwenVL_72B_Sample/result.md`. The tables of its archive
become objects: each row of `menu` is a group, and so are `sub_total` and `total`; "||" separates several values.
"""

from __future__ import annotations

import argparse
import csv
import tarfile
from pathlib import Path
from typing import Any

import docscore
from docscore.evaluation.evaluation import figures_to_dict

ARCHIVE = Path("QwenVL_72B_Sample") / "QwenVL_72B_csv.tar.gz"


def document_in(text: str) -> dict[str, list[dict[str, Any]]]:
    """Return the groups of a document by type, from tables of a number, a header such as menu.price, and rows."""
    document: dict[str, list[dict[str, Any]]] = {}
    head: list[str] = []
    for cells in csv.reader(text.splitlines(), delimiter="\t"):
        if len(cells) <= 1:  # the number of a table, or the line after its end
            head = []
        elif not head:
            head = cells
        else:
            row: dict[str, dict[str, Any]] = {}
            for name, cell in zip(head, cells, strict=True):
                kind, _, key = name.partition(".")
                row.setdefault(kind, {})[key] = [value for value in cell.split("||") if value != "<empty>"]
            for kind, group in row.items():
                document.setdefault(kind, []).append(group)
    return document


def published(clone: Path) -> dict[str, float]:
    """Return the figures of the sample's table by name."""
    lines = (clone / "QwenVL_72B_Sample" / "result.md").read_text("utf-8").strip().split("\n")
    head, row = ([cell.strip() for cell in lines[number].strip("|").split("|")] for number in (1, 3))
    return {name: float(cell) for name, cell in zip(head, row[-len(head) :], strict=True) if name}


def main() -> None:
    """Print each published figure next to the figure by docscore."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    sides: dict[str, dict[str, Any]] = {"gt": {}, "pred": {}}
    with tarfile.open(clone / ARCHIVE) as archive:
        for member in archive:
            path, file = Path(member.name), archive.extractfile(member) if member.isfile() else None
            if file is not None and path.suffix == ".csv":
                sides[path.parent.name][path.stem] = document_in(file.read().decode("utf-8"))
    evaluation = docscore.evaluate(predictions=sides["pred"], references=sides["gt"], metrics=["kieval"])
    figures, theirs = figures_to_dict(evaluation), published(clone)
    right, types = figures["true_positives"], evaluation.fields.to_dict()["score"]
    expected, predicted = (round(right / figures[f"kieval_entity_{name}"]) for name in ("recall", "precision"))
    ours = {
        "kieval_entity_f1": figures["kieval_entity_f1"],
        "macro_f1": sum(types) / len(types),
        "recall": figures["kieval_entity_recall"],
        "precision": figures["kieval_entity_precision"],
        "accuracy": right / (expected + predicted - right),
        "kieval_aligned": figures["kieval_aligned"],
        "label": expected,
        "wrong_match": figures["substitutions"],
        "no_match": figures["additions"] + figures["deletions"],
        "exact_match": right,
    }
    print(f"{len(evaluation)} documents, {len(types)} types of entities\n")
    print("| figure | docscore | published |\n|---|---:|---:|")
    for name, value in theirs.items():
        print(f"| {name} | {ours[name]:.4f} | {value:.4f} |")


if __name__ == "__main__":
    main()

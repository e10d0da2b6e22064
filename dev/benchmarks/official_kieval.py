"""Compare KIEval with its official code on generated invoices.

The official code is https://github.com/UpstageAI/KIEval at commit 95914a4 of 2025. It needs scipy, PyYAML and rich.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dev.benchmarks.workloads import Pair
from docscore.metrics.kieval import kieval_score, total_kieval

_Groups = dict[str, list[dict[str, str]]]  # by type; an entity type has one text
_Alone = dict[str, list[str]]  # entities outside groups
_RULES = {"empty_token": "<empty>", "value_delimiter": "||", "include_empty_token_in_score_calculation": False}
# Whether an entity may have several values. The script of the official code and docscore allow it; without it, there is
# less to do.
SETTINGS = {
    "KIEval of invoices, against the official code": True,
    "the same, against it for one value an entity": False,
}


def official_work(checkout: Path, pairs: list[Pair], *, several: bool) -> Callable[[], dict[str, int]]:
    """Return a function that counts outcomes with the official code; the documents are read before.

    Args:
        checkout: the folder of the official code.
        pairs: the documents.
        several: whether a text is split into several values.

    Raises:
        ImportError: if the folder holds no checkout, or one of its requirements is not installed.
    """
    sys.path.insert(0, str(checkout))
    try:
        official: Any = importlib.import_module("KIEval.kieval")
    finally:
        sys.path.remove(str(checkout))
    rules = {**_RULES, "split_merged_value": several}
    documents = [(_document(truth), _document(prediction)) for truth, prediction in pairs]

    def work() -> dict[str, int]:
        matrix: Any = defaultdict(lambda: defaultdict(int))
        for (truth_groups, truth_alone), (groups, alone) in documents:
            official.get_group_confusion_matrix(
                truth_groups, groups, matrix, doc_name="", grouping_strategy="hungarian", **rules
            )
            official.get_non_group_confusion_matrix(truth_alone, alone, matrix, **rules)
        return _counts(matrix)

    return work


def our_work(pairs: list[Pair]) -> Callable[[], dict[str, int]]:
    """Return a function that counts the same outcomes with docscore."""

    def work() -> dict[str, int]:
        score = total_kieval(kieval_score(*pair) for pair in pairs)
        changed, groups = score.entities.substitutions, score.groups
        return {
            "right": score.entities.right,
            "false positives": changed + score.entities.deletions,
            "false negatives": changed + score.entities.additions,
            **{f"groups {name}": count for name, count in groups._asdict().items()},
        }

    return work


def check_same_counts(checkout: Path, pairs: list[Pair]) -> None:
    """Raise `ValueError` if docscore and the official code count differently, as their costs then do not compare."""
    ours = our_work(pairs)()
    for several in SETTINGS.values():
        official = official_work(checkout, pairs, several=several)()
        if ours != official:
            msg = f"docscore and the official code count differently: {ours} and {official}"
            raise ValueError(msg)


def _document(value: Any) -> tuple[_Groups, _Alone]:
    """Return the groups and the other entities of an invoice, as the official code reads them from its files."""
    items = [{f"items.{key}": text for key, text in item.items() if text} for item in value["items"]]
    return {"items": items}, {key: [text] for key, text in value.items() if text and key != "items"}


def _counts(matrix: dict[str, dict[str, int]]) -> dict[str, int]:
    """Return the counts that no choice among equally good matchings changes."""
    entities, groups = Counter[str](), Counter[str]()
    for kind, counts in matrix.items():
        (groups if kind.endswith(".grouping") else entities).update(counts)
    return {
        "right": entities["TP"],
        "false positives": entities["FP"],
        "false negatives": entities["FN"],
        "groups right": groups["TP"],
        "groups wrong": groups["wrong_match"],
        "groups missed": groups["FN"] - groups["wrong_match"],
        "groups invented": groups["FP"] - groups["wrong_match"],
    }

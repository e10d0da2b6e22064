"""The examples of pairs. The first one has its page, and the regions where its values are expected and cited."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docscore.core.values import values_by_path

_MARGINS = 4, 2  # columns and lines around the printed text


@cache
def examples() -> list[dict[str, Any]]:
    """Return the examples, each with "title", "truth" and "prediction"; the first one also has its "document".

    Each example shows at least one rule of ANLS*. The document is a list of lines of the same width. "evidence" and
    "citations" give the line, the first column and the width of each value by its path.
    """
    found: list[dict[str, Any]] = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))
    return found


def as_texts() -> list[dict[str, Any]]:
    """Return the examples as the page shows them."""
    texts = ("truth", "prediction")
    return [
        {
            "title": each["title"],
            "document": each.get("document", []),
            **{side: json.dumps(each[side], indent=2, ensure_ascii=False) for side in texts},
        }
        for each in examples()
    ]


def places_in(truth: Any, prediction: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Return the evidence and citations of the edited first example; None if most values of a side were replaced.

    An edited value keeps its regions. A list row also keeps them if at least half of it is unchanged.
    """
    example = examples()[0]
    columns, lines = _MARGINS
    size = [max(map(len, example["document"])) + 2 * columns, len(example["document"]) + 2 * lines]
    sides = []
    for kind, side, value in (("evidence", "truth", truth), ("citations", "prediction", prediction)):
        old, new = (dict(values_by_path(each)) for each in (example[side], value))
        rows = {path: _same_row(path, old, new) for path in old if path.endswith("]")}
        found, kept = {}, 0
        for path, (line, left, wide) in example[kind].items():
            row, bracket, cell = path.rpartition("]")
            now = f"{rows[row + bracket]}{cell}" if bracket else path
            if now in new:
                box = [left + columns, line + lines, left + wide + columns, line + 1 + lines]
                found[now] = {"box": box, "size": size}
                kept += new[now] == old[path]
        if 2 * kept < len(example[kind]):
            return None
        sides.append(found)
    return sides[0], sides[1]


def _same_row(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Return the path of a list row after edits: the most similar row, if half of it is unchanged, else ""."""
    place = path.rpartition("[")[0]
    rows = {other: row for other, row in new.items() if other.rpartition("[")[0] == place and isinstance(row, dict)}
    same = {other: sum(row.get(key) == value for key, value in old[path].items()) for other, row in rows.items()}
    best = max(same, key=lambda other: (same[other], other == path), default="")
    return best if best and 2 * same[best] >= len(old[path]) else ""

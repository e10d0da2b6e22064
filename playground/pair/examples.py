"""The examples of pairs. The first has the page that it was read from, and where its values are expected and cited."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docscore.core.values import values_by_path

_MARGINS = 4, 2  # columns and lines around what is printed


@cache
def examples() -> list[dict[str, Any]]:
    """Each shows one rule of ANLS* or more: "title", "truth" and "prediction", and of the first its "document" too.

    The document is a list of lines in one width. "evidence" and "citations" then say, by path, in which line, at which
    column and over how many columns a value stands.
    """
    found: list[dict[str, Any]] = json.loads((Path(__file__).parent / "examples.json").read_text(encoding="utf-8"))
    return found


def as_texts() -> list[dict[str, Any]]:
    """The examples as the page shows them."""
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
    """The evidence and the citations of the first example after edits; None if most values of a side are others.

    A value keeps its places when it is edited. The row of a list keeps them too where half of it is as before.
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
    """The path where a row of a list stands after edits: the row most like it, if half of it is the same, else ""."""
    place = path.rpartition("[")[0]
    rows = {other: row for other, row in new.items() if other.rpartition("[")[0] == place and isinstance(row, dict)}
    same = {other: sum(row.get(key) == value for key, value in old[path].items()) for other, row in rows.items()}
    best = max(same, key=lambda other: (same[other], other == path), default="")
    return best if best and 2 * same[best] >= len(old[path]) else ""

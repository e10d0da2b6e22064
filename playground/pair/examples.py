"""The examples of pairs. The first has the page that it was read from, and where its values are expected and cited."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from docscore.core.places import values_by_path

_MARGINS = 4, 2  # columns and lines around what is printed
_WITHIN_ROW = re.compile(r"(?<=\]).*")  # of a list


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
    """The evidence and the citations of what the first example still has after edits; None if most of it is gone.

    A place belongs to its value, and within a list to its row, which may be another one once something is edited.
    """
    example = examples()[0]
    columns, lines = _MARGINS
    size = [max(map(len, example["document"])) + 2 * columns, len(example["document"]) + 2 * lines]
    sides = []
    for kind, side, value in (("evidence", "truth", truth), ("citations", "prediction", prediction)):
        old, new = (dict(values_by_path(each)) for each in (example[side], value))
        sides.append(
            {
                path: {"box": [left + columns, line + lines, left + wide + columns, line + 1 + lines], "size": size}
                for path, (line, left, wide) in example[kind].items()
                if new.get(unit := _WITHIN_ROW.sub("", path)) == old[unit]
            }
        )
    return (sides[0], sides[1]) if 2 * len(sides[0]) >= len(example["evidence"]) else None

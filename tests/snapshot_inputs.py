"""The test sets of the snapshot: files of ground truths and of predictions, and the options that they are read with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tests.commands import RECEIPTS, rows, written
from tests.conftest import DATA


class Case(NamedTuple):
    """The contents of the files of a test set, text, bytes or rows, and the options that they are read with.

    Without a second system the predictions are compared with themselves; a schema is in `schema.json`.
    """

    references: Any
    predictions: Any
    new: Any = None
    names: Sequence[str] = ("r.jsonl", "p.jsonl")
    flags: Sequence[str] = ()
    schema: Mapping[str, Any] | None = None


TRUTHS = list(islice(rows(RECEIPTS / "references.jsonl"), 7))


def receipts(name: str) -> list[dict[str, Any]]:
    """The rows of an example for the first receipts."""
    ids = {row["question_id"] for row in TRUTHS}
    return [row for row in rows(RECEIPTS / name) if row["question_id"] in ids]


ANSWERS = receipts("predictions.jsonl")
NEW = receipts("predictions_new.jsonl")


def case_of(row: dict[str, Any]) -> Case:
    """A test set from a row of the data file, with its own content or with receipts, which may be of shops."""
    parts: dict[str, Any] = {name: row[name] for name in Case._fields if name in row}
    if "receipts" in row:
        shops = [{"shop": shop} for shop in row.get("shops", "")] or [{}] * len(TRUTHS)
        parts["references"] = [{**truth, **shop} for truth, shop in zip(TRUTHS, shops, strict=True)]
        parts["predictions"], parts["new"] = map(receipts, row["receipts"])
    return Case(**parts)


ROWS = [json.loads(line) for line in (DATA / "test_sets.jsonl").read_text("utf-8").splitlines()]
TEST_SETS = {row["name"]: case_of(row) for row in ROWS if row["table"] == "test sets"}
OPTIONS: list[list[str]] = [row["arguments"] for row in ROWS if row["table"] == "options"]
# Texts of the two editors of the page; the page's programs get the values where both are JSON.
PAIRS = {row["name"]: (row["ground_truth"], row["prediction"]) for row in ROWS if row["table"] == "pairs"}


def write(case: Case, folder: Path) -> tuple[Path, Path, Path]:
    """Write the files of a test set; those of the ground truths, of the predictions and of the second system."""
    second = Path(case.names[1])
    names = (*case.names, f"{second.stem}_new{second.suffix}")
    contents = case.references, case.predictions, case.predictions if case.new is None else case.new
    for name, content in zip(names, contents, strict=True):
        if content is not None:
            written(folder, name, content)
    if case.schema is not None:
        written(folder, "schema.json", case.schema)
    return Path(names[0]), Path(names[1]), Path(names[2])

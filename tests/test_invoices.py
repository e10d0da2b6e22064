"""The example of invoices: its files are those of its script, and its planted mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.grounding.evidence import with_evidence
from docscore.grounding.regions import Region, accepted_regions
from tests.commands import script_at
from tests.conftest import ROOT, golden, needs

HERE = ROOT / "examples" / "invoices"
SIDES: dict[str, Any] = {"references": HERE / "references.jsonl", "documents": HERE / "documents"}


def test_the_files_are_those_of_the_script(tmp_path: Path) -> None:
    script_at(HERE / "make_invoices.py").write(tmp_path, images=False)
    made = [path.relative_to(tmp_path) for path in sorted(tmp_path.rglob("*.*"))]
    assert len(made) == 15
    for path in made:
        assert (HERE / path).read_bytes() == (tmp_path / path).read_bytes(), path


def test_each_page_has_an_image() -> None:
    for line in (HERE / "references.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        pages = {place["page"] for places in row["evidence"].values() for place in places}
        images = {path.name for path in (HERE / "documents").glob(f"{row['question_id']}-*.png")}
        assert images == {f"{row['question_id']}-{page}.png" for page in pages}


def test_values_are_found_where_they_were_printed() -> None:
    """What `docscore evidence` finds in the PDFs is accepted by the evidence of the script that printed them."""
    needs("pypdfium2")
    rows = [json.loads(line) for line in (HERE / "references.jsonl").read_text(encoding="utf-8").splitlines()]
    plain = [{key: row[key] for key in ("question_id", "references")} for row in rows]
    located, *_ = with_evidence(plain, SIDES["documents"])
    checked = 0
    for row, found in zip(rows, located, strict=True):
        for path, places in found["evidence"].items():
            sides = (places, row["evidence"][path])
            cited, known = ([Region(each["page"], (tuple(each["box"]),)) for each in side] for side in sides)
            assert accepted_regions(cited, known, "box") == (1, 1), (row["question_id"], path)
            checked += 1
    assert checked > 650


@pytest.mark.filterwarnings("ignore:predictions. no citation has a box")  # of fern, which cites pages
@golden("invoices", "planted")
def test_the_planted_errors_are_named(system: str, nowhere: list[list[str]], places: dict[str, int]) -> None:
    needs("pypdfium2")
    result = docscore.evaluate(**SIDES, predictions=HERE / f"{system}.jsonl", metrics=["anls_star", "grounding"])
    found = [[row["value"], row["field"]] for row in result.breakdowns["found_in_documents"].tables()["not_found"]]
    assert found == nowhere
    assert [row["cut_off"] for row in result.lists] == [system == "quill"]
    box = result.breakdowns["grounding"].tables()["regions"][1]
    assert {name: round(box[name] * (box["cells"] - box["missing"])) for name in places} == places

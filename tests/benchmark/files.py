"""The seven data sets in small, made up, in the formats in which the real ones are distributed."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.commands import script_at, written
from tests.conftest import DATA, PIXEL, ROOT

# a PNG of one grey pixel, as bytes; nothing is needed to make it


def pdf_of(*pages: str) -> bytes:
    """A PDF with a text layer, printed by a script of the examples."""
    render = script_at(ROOT / "examples" / "documents" / "render.py")
    made: bytes = render.pdf_of([page.split("\n") for page in pages])
    return made


def write_set(name: str, folder: Path) -> Path:
    """The files of a data set of `data/bench_sets.json`: pictures are one pixel, and of a PDF its text is given."""
    for path, content in SETS[name].items():
        pack: dict[str, Callable[[Any], Any]] = {".png": lambda _: PIXEL, ".jpg": lambda _: PIXEL, ".pdf": pdf_of}
        written(folder, path, pack.get(Path(path).suffix, lambda given: given)(content))
    return folder


def _write_kleister(folder: Path, keys: str, labels: list[str], texts: tuple[str, ...]) -> Path:
    lines = []
    for number in range(len(labels)):
        text = f"{texts[number % len(texts)]}\\nNo. {number}"
        lines.append("\t".join([f"{number:032x}.pdf", keys, "x", "x", "x", text]) + "\n")
        written(folder, f"documents/{number:032x}.pdf", pdf_of("Agreement", "Signed"))
    written(folder, "train/in.tsv.xz", lzma.compress("".join(lines).encode()))
    written(folder, "train/expected.tsv", "".join(label + "\n" for label in labels))
    return folder


def write_kleister_nda(folder: Path) -> Path:
    first = "effective_date=2014-05-20 jurisdiction=Ohio party=Acme_Inc. party=Bolt_LLC term=2_years"
    texts = ("By and between Acme Inc.\\nand Bolt LLC,\\tLaw: Ohio", "Second \\\\ page\\fterm of 2 years")
    labels = [first, "jurisdiction=New_York party=Acme_Inc."]
    return _write_kleister(folder, "effective_date jurisdiction party term", labels, texts)


def write_kleister_charity(folder: Path, rows: int = 2) -> Path:
    label = (
        "address__post_town=LEEDS address__postcode=LS1_4AB address__street_line=1_MILL_LANE "
        "charity_name=THE_MILL_TRUST charity_number=1234567 income_annually_in_british_pounds=1000.00 "
        "report_date=2015-03-31 spending_annually_in_british_pounds=950.50"
    )
    keys = " ".join(pair.split("=")[0] for pair in label.split(" "))
    return _write_kleister(folder, keys, [label] * rows, ("The Mill Trust\\nno. 1234567",))


SETS: dict[str, dict[str, Any]] = json.loads((DATA / "bench_sets.json").read_text("utf-8"))
WRITERS: dict[str, Callable[[Path], Path]] = {
    **{name: partial(write_set, name) for name in SETS},
    "kleister_charity": write_kleister_charity,
    "kleister_nda": write_kleister_nda,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All seven, each in a folder of its own; VRDU's forms share one, as in its repository."""
    folder = tmp_path_factory.mktemp("data")
    for name, write in WRITERS.items():
        write(folder / name.split("_")[0] if name.startswith("vrdu") else folder / name)
    return folder

"""The seven data sets in small, made up, in the formats in which the real ones are distributed."""

from __future__ import annotations

import gzip
import importlib.util
import json
import lzma
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.conftest import ROOT

# a PNG of one grey pixel, as bytes; nothing is needed to make it
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a4944415478da6368000000820081da45083b0000000049454e44ae426082"
)
KLEISTER_TEXT = ("By and between Acme Inc.\\nand Bolt LLC,\\tLaw: Ohio", "Second \\\\ page\\fterm of 2 years")


def render_example() -> ModuleType:
    """The script that prints PDFs, from the examples."""
    path = ROOT / "examples" / "documents" / "render.py"
    spec = importlib.util.spec_from_file_location("render", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pdf_of(*pages: str) -> bytes:
    """A PDF with a text layer."""
    made: bytes = render_example().pdf_of([page.split("\n") for page in pages])
    return made


def put(path: Path, content: Any) -> Path:
    """A file with its folders; text and bytes as they are, anything else as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def _corners(left: float, top: float, right: float, bottom: float) -> list[float]:
    return [left, top, right, top, right, bottom, left, bottom]


def _azure(*lines: str) -> dict[str, Any]:
    """OCR as that of DocVQA: a word of n letters is 10 n wide, a line 20 high."""
    found = []
    for number, line in enumerate(lines):
        words, x = [], 0
        for text in line.split(" "):
            words.append({"text": text, "boundingBox": _corners(x, 30 * number, x + 10 * len(text), 30 * number + 20)})
            x += 10 * len(text) + 10
        found.append({"text": line, "boundingBox": _corners(0, 30 * number, x, 30 * number + 20), "words": words})
    return {"status": "Succeeded", "recognitionResults": [{"page": 1, "unit": "pixel", "lines": found}]}


def write_docvqa(folder: Path, rows: int = 2) -> Path:
    data = [
        {
            "questionId": 100 + number,
            "question": f"What is the total of bill {number}?",
            "question_types": ["form"],
            "image": f"documents/bill{number}_1.png",
            "docId": 7,
            "ucsf_document_id": f"bill{number}",
            "ucsf_document_page_no": "1",
            "answers": ["12.50", "$12.50"],
            "data_split": "val",
        }
        for number in range(rows)
    ]
    head = {"dataset_name": "SP-DocVQA", "dataset_version": "1.0", "dataset_split": "val", "data": data}
    put(folder / "spdocvqa_qas" / "val_v1.0_withQT.json", head)
    for number in range(rows):
        put(folder / "spdocvqa_images" / f"bill{number}_1.png", PIXEL)
        put(folder / "spdocvqa_ocr" / f"bill{number}_1.json", _azure("Bill of Acme", "Total 12.50"))
    return folder


def write_mp_docvqa(folder: Path, rows: int = 2) -> Path:
    data = [
        {
            "questionId": 200 + number,
            "question": "Who signs?",
            "doc_id": f"memo{number}",
            "page_ids": [f"memo{number}_p0", f"memo{number}_p1"],
            "answers": ["Ada"],
            "answer_page_idx": 1,
            "data_split": "val",
        }
        for number in range(rows)
    ]
    put(folder / "question_answers" / "val.json", {"dataset_name": "MP-DocVQA", "dataset_split": "val", "data": data})
    for number in range(rows):
        for page, text in enumerate(("Dear Bob", "Ada")):
            put(folder / "images" / f"memo{number}_p{page}.jpg", PIXEL)
            put(folder / "ocr" / f"memo{number}_p{page}.json", _textract(text))
    return folder


def _textract(text: str) -> dict[str, Any]:
    words = [
        {"Text": word, "Geometry": {"BoundingBox": {"Left": 0.1 * i, "Top": 0.1, "Width": 0.05, "Height": 0.02}}}
        for i, word in enumerate(text.split(" "))
    ]
    return {"PAGE": [{}], "LINE": [{"Text": text}], "WORD": words}


def _write_kleister(folder: Path, keys: str, labels: list[str], texts: tuple[str, ...]) -> Path:
    lines = []
    for number, _ in enumerate(labels):
        text = f"{texts[number % len(texts)]}\\nNo. {number}"
        lines.append("\t".join([f"{number:032x}.pdf", keys, "x", "x", "x", text]) + "\n")
        put(folder / "documents" / f"{number:032x}.pdf", pdf_of("Agreement", "Signed"))
    put(folder / "train" / "in.tsv.xz", lzma.compress("".join(lines).encode()))
    put(folder / "train" / "expected.tsv", "".join(label + "\n" for label in labels))
    return folder


def write_kleister_nda(folder: Path, rows: int = 2) -> Path:
    label = "effective_date=2014-05-20 jurisdiction=Ohio party=Acme_Inc. party=Bolt_LLC term=2_years"
    labels = [label, *["jurisdiction=New_York party=Acme_Inc."] * (rows - 1)]
    return _write_kleister(folder, "effective_date jurisdiction party term", labels, KLEISTER_TEXT)


def write_kleister_charity(folder: Path, rows: int = 2) -> Path:
    label = (
        "address__post_town=LEEDS address__postcode=LS1_4AB address__street_line=1_MILL_LANE "
        "charity_name=THE_MILL_TRUST charity_number=1234567 income_annually_in_british_pounds=1000.00 "
        "report_date=2015-03-31 spending_annually_in_british_pounds=950.50"
    )
    keys = " ".join(pair.split("=")[0] for pair in label.split(" "))
    return _write_kleister(folder, keys, [label] * rows, ("The Mill Trust\\nno. 1234567",))


def write_sroie(folder: Path, rows: int = 2) -> Path:
    for number in range(rows):
        name = f"X{51005200931 + number}"
        put(folder / "test" / "img" / f"{name}.jpg", PIXEL)
        lines = ["10,10,90,10,90,30,10,30,ACME SDN BHD", "10,40,90,40,90,60,10,60,1, MAIN ROAD, KL", ""]
        put(folder / "test" / "box" / f"{name}.txt", "\r\n".join([*lines, "10,70,90,70,90,90,10,90,TOTAL 9.00"]))
        entities = {"company": "ACME SDN BHD", "date": "25/12/2018", "address": "1, MAIN ROAD, KL", "total": "9.00"}
        put(folder / "test" / "entities" / f"{name}.txt", json.dumps(entities, indent=4))
    return folder


def _vrdu_row(name: str, words: str, annotations: list[Any]) -> dict[str, Any]:
    tokens, start = [], 0
    for number, word in enumerate(words.split(" ")):
        box = [0, 0.1 * number, 0.1, 0.1 * number + 0.08, 0.12]
        tokens.append({"bbox": box, "segments": [[start, start + len(word)]]})
        start += len(word) + 1
    return {"filename": name, "ocr": {"text": words, "pages": [{"tokens": tokens}]}, "annotations": annotations}


def span(text: str) -> list[Any]:
    return [text, [0, 0.1, 0.1, 0.2, 0.12], [[0, len(text)]]]


def _write_vrdu(folder: Path, form: str, rows: list[dict[str, Any]]) -> Path:
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    put(folder / form / "main" / "dataset.jsonl.gz", gzip.compress(lines))
    put(folder / form / "main" / "meta.json", {"dataset_name": form, "entity_name_to_match_func": {}})
    for row in rows:
        put(folder / form / "main" / "pdfs" / row["filename"], pdf_of(row["ocr"]["text"]))
    return folder


def write_vrdu_ad_buy(folder: Path, rows: int = 2) -> Path:
    annotations = [
        ["advertiser", [span("Vote Ada\n"), span("VOTE ADA")]],
        ["gross_amount", [span("$300.00")]],
        [["channel", "sub_amount"], [[span("KXYZ"), span("100.00")], [span("KXYZ\n"), span("200.00")]]],
    ]
    words = "Vote Ada VOTE ADA KXYZ 100.00 200.00 $300.00"
    return _write_vrdu(folder, "ad-buy-form", [_vrdu_row(f"ad{i}.pdf", words, annotations) for i in range(rows)])


def write_vrdu_registration(folder: Path, rows: int = 2) -> Path:
    annotations = [["registrant_name", [span("Acme LLP")]], ["registration_num", [span("3712\n")]]]
    made = [_vrdu_row(f"reg{i}.pdf", "Acme LLP 3712", annotations) for i in range(rows)]
    return _write_vrdu(folder, "registration-form", made)


WRITERS = {
    "docvqa": write_docvqa,
    "mp_docvqa": write_mp_docvqa,
    "kleister_charity": write_kleister_charity,
    "kleister_nda": write_kleister_nda,
    "sroie": write_sroie,
    "vrdu_ad_buy": write_vrdu_ad_buy,
    "vrdu_registration": write_vrdu_registration,
}


def write_all(folder: Path, rows: int = 2) -> Path:
    """All seven, each in a folder of its own; VRDU's forms share one, as in its repository."""
    for name, write in WRITERS.items():
        write(folder / name.split("_")[0] if name.startswith("vrdu") else folder / name, rows)
    return folder

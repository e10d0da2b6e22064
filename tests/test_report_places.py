"""The places of values in the report: sentences, and crops of the pages of a folder with images and PDFs."""

from __future__ import annotations

import base64
import io
import json
import re
import shutil
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import docscore
from docscore.grounding.document_folder import DocumentFolder
from docscore.grounding.document_text import DocumentText
from docscore.grounding.regions import Region
from docscore.report import document_places
from docscore.report.document_places import placed_rows, sentence_on_place, sign_of_place
from tests.commands import run, written
from tests.conftest import ROOT, golden, needs

if TYPE_CHECKING:
    from PIL.Image import Image

INVOICES = ROOT / "examples" / "invoices"
REFERENCES, QUILL = INVOICES / "references.jsonl", INVOICES / "quill.jsonl"


@golden("place_sentences", "sentences")
def test_the_report_says_of_a_place_what_the_page_says(
    row: dict[str, Any], pages: int, text: str, sign: str, said: list[str], words: list[Any]
) -> None:
    """The same table is read by `playground/parts/place_sentences.test.js`."""
    sides = {
        side: [Region(page, tuple(boxes), quote) for page, boxes, quote in row[side]] for side in ("expected", "cited")
    }
    document = DocumentText(text, [tuple(box) for box in words] or None) if text else None
    known = max(pages, document.page_count if document else 0)
    assert sign_of_place(row | sides) == sign
    assert sentence_on_place(row | sides, known, document) == " ".join(said)


@golden("documents", "images")
def test_images_are_named_as_the_page_takes_them(
    tmp_path: Path, name: str, files: list[str], images: list[str]
) -> None:
    for file in ("known.txt", *files):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(b"")
    found = DocumentFolder(tmp_path, ["known"]).images_of(name)
    assert [path.relative_to(tmp_path).as_posix() for path in found] == images


def documents_in(folder: Path, *patterns: str) -> Path:
    """A folder with some documents of the example."""
    folder.mkdir()
    for pattern in patterns:
        for path in (INVOICES / "documents").glob(pattern):
            shutil.copy(path, folder)
    return folder


def report_on(folder: Path, documents: Any, *names: str) -> str:
    """The report on some documents of the example."""
    sides = ([json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in (REFERENCES, QUILL))
    truths, answers = ([row for row in side if row["question_id"] in names] for side in sides)
    result = docscore.evaluate(
        references=truths,
        predictions=answers,
        documents=documents,
        metrics=["anls_star", "grounding"],
        confidence=None,
    )
    return result.report(folder / "report.html", worst=len(names)).read_text(encoding="utf-8")


def crops_of(page: str) -> list[tuple[str, Image, dict[str, list[float]]]]:
    """Each crop of a report: its label, the image in it, and its boxes by their looks, as shares of it."""
    import PIL.Image  # noqa: PLC0415  needed here alone

    found = []
    for figure in re.findall(r'<figure class="anls-crop">.*?</figure>', page, re.DOTALL):
        label, data = (
            re.search(r'aria-label="([^"]*)"', figure),
            re.search(r'src="data:image/jpeg;base64,([^"]*)"', figure),
        )
        assert label
        assert data
        boxes = re.findall(r'class="anls-box anls-(\w+)" style="--x:(.*?)%;--y:(.*?)%;--w:(.*?)%;--h:(.*?)%"', figure)
        image = PIL.Image.open(io.BytesIO(base64.b64decode(data[1]))).convert("L")
        found.append((label[1], image, {look: [float(side) / 100 for side in sides] for look, *sides in boxes}))
    return found


def ink_in(image: Image, box: list[float]) -> float:
    """The share of dark pixels in a box."""
    left, top, width, height = box
    corners = left * image.width, top * image.height, (left + width) * image.width, (top + height) * image.height
    pixels: bytes = image.crop(corners).tobytes()
    return sum(pixel < 128 for pixel in pixels) / len(pixels)


# Of `quill`, which examples/invoices/make_invoices.py plants, with what the report says of them and what it cuts out.
ERRORS = {
    "invoice-12": ["Missing: it is expected on page 3.", *(f"lines[{at}], expected, page 3" for at in range(42, 54))],
    "invoice-03": ["Missing.", "customer, expected"],
    "invoice-10": ["Wrong value, other region.", "account, cited", "account, expected"],
    "invoice-05": ["Wrong value, right region: misread.", "date, cited and expected"],
    "invoice-04": [
        "Right value, other region: page 1, expected page 2.",
        "total, cited, page 1",
        "total, expected, page 2",
    ],
    "invoice-09": ["Right value, other region.", "customer, cited", "customer, expected"],
}
NO_TEXT = "ignore:documents. . of . documents have no text"


@pytest.mark.filterwarnings(NO_TEXT)
@pytest.mark.parametrize(
    ("kind", "names"), [("*.png", list(ERRORS)), ("*.pdf", ["invoice-10", "invoice-04"])], ids=["images", "PDFs"]
)
def test_the_places_of_planted_errors_are_cut_out(tmp_path: Path, kind: str, names: list[str]) -> None:
    """Of images and of PDFs: what is printed at the place lies in the box, and nothing above it."""
    needs("PIL", "pypdfium2")
    page = report_on(tmp_path, documents_in(tmp_path / "documents", kind), *names)
    crops = crops_of(page)
    assert [label for label, *_ in crops] == [label for name in names for label in ERRORS[name][1:]]
    for label, image, boxes in crops:
        assert image.width <= 640, label
        assert boxes, label
        for left, top, width, height in boxes.values():
            assert 0 <= left < left + width <= 1, label
            assert 0 <= top < top + height <= 1, label
            assert 0.03 < ink_in(image, [left, top, width, height]) < 0.6, label
            assert ink_in(image, [left, top - 0.12 * height, width, 0.12 * height]) < 0.03, label
    text = " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL).split())
    for name in names:
        assert ERRORS[name][0].rstrip(".") in text  # a PDF tells the lines too
    assert "103 of 103 values are exact; 1 of them cites another region or none." in text
    assert ("6 more rows or values lost points · 175 more values : right are right." in text) == ("invoice-12" in names)
    for figure in ("Grounding page F1", "Grounding box F1", "right value, other region", "fully right", "cut off"):
        assert figure in text
    assert ("Values not found in their documents" in text) == (kind == "*.pdf")
    assert len(page) < 1_000_000


def test_without_images_there_are_sentences_alone(tmp_path: Path) -> None:
    page = report_on(tmp_path, {"invoice-02": "R-2607\nOstrander Clinic\n10,038.38"}, "invoice-02")
    assert "Wrong value, right region: misread." in page
    assert "<img" not in page
    assert "expected by the ground truth" not in page


def test_values_without_places_stand_in_lines(tmp_path: Path) -> None:
    truths, answers = {"a": {"no": "A7", "total": "12.50"}}, {"a": {"no": "A7", "total": "13.50"}}
    result = docscore.evaluate(references=truths, predictions=answers, documents={"a": "No\nA7\fTotal\n12.50"})
    page = result.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Ground truth found on page 2, line 2. Prediction not found in the document." in page


def test_in_an_incomplete_text_no_value_stands_nowhere() -> None:
    truths, answers = {"a": {"no": "A7", "total": "12.50"}}, {"a": {"no": "A8", "total": "13.50"}}
    tree = docscore.evaluate(references=truths, predictions=answers)["a"].tree
    document = DocumentText("No A7\fTotal", is_complete=False)
    rows = placed_rows(tree, {id(leaf): number for number, leaf in enumerate(tree.leaves())}, None, document)
    assert [(sign_of_place(row), sentence_on_place(row, 2, document)) for row in rows] == [
        ("", "The text of the document is incomplete."),
        ("", "The text of the document is incomplete."),
    ]


def test_lines_of_a_pdf_are_words_at_one_height() -> None:
    boxes = [(0.1, 0.10, 0.2, 0.12), (0.5, 0.101, 0.6, 0.121), (0.1, 0.2, 0.2, 0.22), (0.1, 0.3, 0.2, 0.32)]
    document = DocumentText("No A7 Total\f12.50", boxes)
    assert [document.line_at(at) for at in (0, 3, 6, 12)] == [(1, 1), (1, 1), (1, 2), (2, 1)]


def png(width: int, height: int) -> bytes:
    """A PNG that says how large it is, and has no pixels."""
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"")),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.filterwarnings(NO_TEXT)
@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"no image", "cannot be read as an image"),
        (b"", "cannot be read as an image"),
        (png(90, 90), "cannot be read as an image"),
        (png(9_000, 9_000), "has 81,000,000 pixels, more than the limit of 50,000,000"),
        (png(100_000, 100_000), "has too many pixels"),
    ],
    ids=["other content", "empty", "cut off", "large", "bomb"],
)
def test_an_image_that_cannot_be_read_is_named(tmp_path: Path, content: bytes, error: str) -> None:
    """In a warning, and in the report, which has the other crops."""
    needs("PIL")
    documents = documents_in(tmp_path / "documents", "*.png")
    (documents / "invoice-04-2.png").write_bytes(content)
    with pytest.warns(UserWarning, match=f"^documents: invoice-04-2.png {error}"):
        page = report_on(tmp_path, documents, "invoice-04", "invoice-05")
    assert f"<li>invoice-04-2.png {error}</li>" in page
    assert [label for label, *_ in crops_of(page)] == ["date, cited and expected", "total, cited, page 1"]


def test_a_report_says_how_many_crops_it_leaves_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first documents have theirs."""
    needs("PIL")
    monkeypatch.setattr(document_places, "MOST_CROPS", 2)
    sentence = "3 regions not shown as images: a report shows at most 2"
    with pytest.warns(UserWarning, match=f"^documents: (3 of 3 documents have no text|{sentence})"):
        page = report_on(
            tmp_path, documents_in(tmp_path / "documents", "*.png"), "invoice-03", "invoice-04", "invoice-10"
        )
    assert f"<li>{sentence}</li>" in page
    assert [label for label, *_ in crops_of(page)] == ["customer, expected", "account, cited"]


def test_images_are_turned_and_stand_on_white(tmp_path: Path) -> None:
    """A photo that says how it is held is cut as it is looked at; what is transparent is white."""
    needs("PIL")
    import PIL.Image  # noqa: PLC0415  needed here alone

    photo = PIL.Image.new("RGB", (800, 600), "white")  # its right side is the bottom as it is looked at
    photo.paste("black", (720, 450, 760, 570))
    exif = photo.getexif()
    exif[0x0112] = 6  # orientation: turn to the right
    photo.save(tmp_path / "a.jpg", exif=exif)
    clear = PIL.Image.new("RGBA", (600, 800), (0, 0, 0, 0))
    clear.paste("black", (30, 720, 150, 760))
    clear.save(tmp_path / "b.png")
    place = {"x": [{"page": 1, "box": [0.05, 0.9, 0.25, 0.95]}]}
    truths = [{"question_id": name, "references": [{"x": "black"}], "evidence": place} for name in "ab"]
    answers = [{"question_id": name, "prediction": {"x": "?"}, "citations": place} for name in "ab"]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", answers)
    done = run(
        "report", *files, "--metrics", "anls_star,grounding", "--documents", tmp_path, "-o", tmp_path / "report.html"
    )
    assert done.code == 0, done.err
    crops = crops_of((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert len(crops) == 2
    for _, image, boxes in crops:
        assert ink_in(image, boxes["cited"]) > 0.95
        assert ink_in(image, [0, 0, 1, 1]) < 0.5

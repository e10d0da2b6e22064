"""Documents: files that are opened, values that are found in them, and evidence and figures that come of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docscore
from docscore.core.values import convert_ground_truth
from docscore.grounding import document_folder
from docscore.grounding.document_folder import DocumentFolder
from docscore.grounding.document_text import NO_BOX, DocumentText
from docscore.grounding.evidence import with_evidence
from docscore.grounding.regions import Region
from docscore.grounding.support import support_of
from tests.commands import run, script_at
from tests.conftest import ROOT, examples, golden, needs, shared_data

Box = tuple[float, float, float, float]
PAGE = "<div class='ocr_page' title='image \"a.png\"; bbox 0 0 200 100'>{}</div>"


def pdf_of(*pages: str) -> bytes:
    """A PDF with a text layer, printed by a script of the examples."""
    render = script_at(ROOT / "examples" / "documents" / "render.py")
    made: bytes = render.pdf_of([page.split("\n") for page in pages])
    return made


def document_of(text: str, boxes: Sequence[Sequence[float]] | None = None) -> DocumentText:
    return DocumentText(text, None if boxes is None else [(a, b, c, d) for a, b, c, d in boxes])


# Values in texts


@golden("documents", "holds")
def test_what_a_text_holds(text: str, value: Any, *, held: bool | None) -> None:
    assert document_of(text).holds(convert_ground_truth(value)) is held


def check_printed(text: str, holds: list[Any], lacks: list[Any]) -> None:
    document = document_of(text)
    for values, held in ((holds, True), (lacks, False)):
        assert {value: document.holds(value) for value in values} == dict.fromkeys(values, held)


@golden("documents", "printed")
def test_values_as_documents_print_them(text: str, holds: list[Any], lacks: list[Any]) -> None:
    check_printed(text, holds, lacks)


def test_sentences_that_others_wrote() -> None:
    sentences = shared_data("printed", "sentences of documents") / "sentences.jsonl"
    for row in map(json.loads, sentences.read_text(encoding="utf-8").splitlines()):
        check_printed(row["text"], row["holds"], row["not"])


@golden("documents", "wraps")
def test_the_boxes_of_a_value(words: list[tuple[str, float, float]], value: str, boxes: list[Box] | None) -> None:
    places = [(left, top, left + 0.1, top + 0.015) for _, left, top in words]
    document = document_of(" ".join(word for word, *_ in words), places)
    (_, _, occurrences), *_ = document.find_scalars(value)
    found = [document.place_of(each).boxes for each in occurrences or ()]
    assert found == ([] if boxes is None else [tuple(map(pytest.approx, boxes))])


@golden("documents", "order")
def test_the_order_of_several_places(text: str, value: Any, places: list[list[int]]) -> None:
    """Places are a line and the column of its first character, both counted from 1."""
    document = DocumentText(text)
    *_, (_, _, occurrences) = document.find_scalars(value)
    starts = [document.given(each)[0][0] for each in occurrences or ()]
    lines = [text[:start].split("\n") for start in starts]
    assert [[len(before), len(before[-1]) + 1] for before in lines] == places


WORDS = st.lists(
    st.sampled_from(["Tea", "1,250.00", "Ünlü", "O\u2019Neill", "3.50", "(99)", "rum,", "x", "½", "ﬁx", "\u200b"]),
    max_size=12,
)


@given(WORDS, WORDS, WORDS)
@examples(200)
def test_words_of_a_text_are_found_where_they_stand(before: list[str], words: list[str], after: list[str]) -> None:
    text = "\f".join(" ".join(part) for part in (before, words, after))
    document = DocumentText(text, [(0.1, 0.1, 0.2, 0.2)] * len(text.split()))
    value = " ".join(words)
    for _, _, occurrences in document.find_scalars(value):
        if occurrences is not None and words:
            assert 2 in [document.place_of(each).page for each in occurrences]
    for place in document.places(value):
        assert all(text[start:end].strip() == text[start:end] != "" for start, end in place)


def test_an_object_is_found_by_the_first_options_of_its_one_ofs() -> None:
    assert DocumentText("tea rum").places({"drink": ("rum", "tea")}) == [[(4, 7)]]


# Files


def folder_of(tmp_path: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        path = tmp_path / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tmp_path / "documents"


def read(folder: Path, name: str = "a") -> DocumentText:
    documents = DocumentFolder(folder, [name])
    document = documents.read(name)
    assert document is not None, documents.errors
    return document


def test_a_pdf_has_words_with_boxes_on_pages(tmp_path: Path) -> None:
    needs("pypdfium2")
    document = read(folder_of(tmp_path, {"a.pdf": pdf_of("Mill Trust\nTotal", "12.50")}))
    assert document.text == "Mill Trust Total\f12.50"
    assert document.boxes is not None
    (left, top, right, bottom), *_ = document.boxes
    assert 0 < left < right < 0.5
    assert 0 < top < bottom < 0.2  # from the top of the page
    assert document.boxes[2][1] > bottom


def test_a_page_that_is_turned_is_read_as_it_is_displayed(tmp_path: Path) -> None:
    needs("pypdfium2")
    turned = pdf_of("Mill").replace(b"/Type /Page ", b"/Rotate 90 /Type /Page ", 1)
    assert turned != pdf_of("Mill")
    document = read(folder_of(tmp_path, {"a.pdf": turned}))
    assert document.boxes is not None
    left, top, right, bottom = document.boxes[0]
    assert left > 0.8  # the top of the text is at the right
    assert bottom - top > right - left


@golden("documents", "hocr")
def test_hocr_has_words_or_lines_with_boxes(tmp_path: Path, pages: list[str], words: list[Any]) -> None:
    """`test_playground_places.py` reads the same table in the browser."""
    document = read(folder_of(tmp_path, {"a.hocr": f"<html><body>{''.join(map(PAGE.format, pages))}</body></html>"}))
    assert document.page_count == len(pages)
    texts = [(word, page) for page, text in enumerate(document.text.split("\f"), 1) for word in text.split()]
    assert texts == [(word, page) for word, page, _ in words]
    assert document.boxes is not None
    assert list(document.boxes) == [pytest.approx(box or NO_BOX) for *_, box in words]


def test_words_without_a_region_are_found_on_their_page(tmp_path: Path) -> None:
    words = "<b class='ocrx_word' title='bbox {}'>{}</b>"
    page = PAGE.format(words.format("20 10 60 30", "Mill") + words.format("0 0 200 100", "Trust"))
    document = read(folder_of(tmp_path, {"a.hocr": page}))
    (_, _, occurrences), *_ = document.find_scalars("Trust")
    assert document.place_of(*occurrences or ()) == Region(1)
    assert support_of(document, {"n": "Trust"}, {"$.n": [Region(1, ((0, 0, 1, 1),))]}).totals == [1, 1, 0, 0]
    assert document.holds("Mill Trust")


GRAY = b" /W 1 /H 1 /BPC 8 /CS /G ID \x80 EI Q BT"  # an image of one pixel
CURVES = b" ".join(
    b"%d %d m 9 9 9 9 %d %d c f" % (x, y, x, y + 9) for x in range(9, 410, 20) for y in range(9, 580, 20)
)
FIELD = b"99 0 obj << /Type /Annot /Subtype /Widget /FT /Tx /T (n) /V (Mill) /Rect [0 0 9 9] >> endobj\n"
GLYPHS = b"/Encoding << /Type /Encoding /Differences [ 49 /g1 /g2 ] >>"


def with_field(pdf: bytes, field: bytes) -> bytes:
    pdf = pdf.replace(b"/Pages 2 0 R", b"/Pages 2 0 R /AcroForm << /Fields [99 0 R] >>")
    return pdf.replace(b"/Type /Page ", b"/Annots [99 0 R] /Type /Page ", 1).replace(b"1 0 obj", field + b"1 0 obj", 1)


@pytest.mark.parametrize(
    ("pdf", "is_complete"),
    [
        (pdf_of("Stamp 12", ""), True),
        (pdf_of("Stamp").replace(b"BT", b"q 420 0 0 595 0 0 cm BI" + GRAY), False),
        (pdf_of("Logo").replace(b"BT", b"q 42 0 0 59 0 0 cm BI" + GRAY), True),
        (pdf_of("OCR\n" * 20).replace(b"BT", b"q 420 0 0 595 0 0 cm BI" + GRAY), True),
        (pdf_of("Stamp").replace(b"BT", CURVES + b" BT"), False),
        (pdf_of("Frame").replace(b"BT", b"10 10 400 500 re S 0 0 m 9 9 9 9 400 500 c S BT"), True),
        (with_field(pdf_of("Form"), FIELD), False),
        (with_field(pdf_of("Mill"), FIELD), True),
        (with_field(pdf_of("Form"), FIELD.replace(b"/Rect", b"/F 2 /Rect")), True),
        (pdf_of("No 12").replace(b"/Encoding /WinAnsiEncoding", GLYPHS), False),
        (pdf_of("C 1").replace(b"/Encoding /WinAnsiEncoding", GLYPHS), True),
    ],
    ids=["text", "image", "logo", "ocr", "outlines", "frame", "field", "shown", "hidden", "glyphs", "glyph"],
)
def test_a_page_that_displays_more_than_its_text_is_incomplete(
    tmp_path: Path, pdf: bytes, *, is_complete: bool
) -> None:
    needs("pypdfium2")
    assert read(folder_of(tmp_path, {"a.pdf": pdf})).is_complete is is_complete


def test_an_incomplete_text_is_not_counted(tmp_path: Path) -> None:
    needs("pypdfium2")
    scan = pdf_of("No A-0").replace(b"BT", b"q 420 0 0 595 0 0 cm BI" + GRAY)
    files: dict[str, bytes | str] = {"a.pdf": scan, "b.pdf": scan, "b.txt": "No A-1", "c.txt": "No A-2"}
    folder = folder_of(tmp_path, files)
    truths = {name: {"no": f"A-{number}", "total": "12.50"} for number, name in enumerate("abc")}
    sentence = "1 document with incomplete text is not counted: 'a' \\(a.pdf, page 1\\); tesseract can make ID.hocr"
    result = docscore.evaluate(references=truths, predictions=truths, documents=folder)
    with pytest.warns(UserWarning, match=f"^documents: {sentence}"):
        (share,), _ = result.breakdowns["found_in_documents"].tables().values()
    assert (share["hits"], share["total"]) == (2, 4)
    located, _, warning = with_evidence(truths, folder)
    assert [list(row.get("evidence", {})) for row in located] == [[], ["no"], ["no"]]
    assert warning.startswith("1 document with incomplete text")
    document = read(folder)
    assert [found for *_, found in document.find_scalars({"no": "A-0", "total": "12.50"})] == [[((3, 6),)], None]


def test_the_first_file_with_a_text_counts(tmp_path: Path) -> None:
    needs("pypdfium2")
    word = "<span class='ocrx_word' title='bbox 0 0 9 9'>scanned</span>"
    files: dict[str, bytes | str] = {"a.pdf": pdf_of(""), "a.hocr": PAGE.format(word), "a.txt": "typed"}
    files |= {"b.PDF": pdf_of("printed"), "b.txt": "typed", "deep/c.txt": "below", "d.png": b"", "d.txt": "of d.png"}
    documents = DocumentFolder(folder_of(tmp_path, files), ["a", "b"])
    names = ("a", "b", "deep/c", "d.png", "d")
    texts = [document and document.text for document in documents.read_all(names)]
    assert texts == ["scanned", "printed", "below", "of d.png", "of d.png"]
    assert not documents.errors


_KEYS = b"/O (%s) /U (%s)" % (b"o" * 32, b"u" * 32)
ENCRYPTED = b"<< /Encrypt << /Filter /Standard /V 1 /R 2 %s /P -4 >> /ID [(a) (a)] /Size" % _KEYS


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("a.pdf", b"%PDF-1.7 broken", "a.pdf cannot be read as a PDF: "),
        ("a.pdf", pdf_of("x").replace(b"<< /Size", ENCRYPTED), "a.pdf is encrypted"),
        ("a.pdf", pdf_of(""), "a.pdf has no text layer; tesseract can make ID.hocr from its page images"),
        ("a.pdf", pdf_of(*["x"] * 501), "a.pdf has 501 pages, more than the limit of 500"),
        ("a.txt", " \n\f", "a.txt is empty"),
        ("a.hocr", "<p class='ocr_page'>no size", "a.hocr, page 1: an ocr_page needs a bbox in its title"),
        ("a.hocr", PAGE.format("<b class='ocrx_word' title='bbox 9 9 2 2'>x</b>"), "a.hocr has no words of the class"),
        ("a.hocr", "<p>no words</p>", 'a.hocr has no words of the class "ocrx_word" on pages'),
        ("a.txt", b"\xff\xfe\xfa", "a.txt is not UTF-8 text"),
    ],
)
def test_a_file_without_a_text_says_why(tmp_path: Path, name: str, content: bytes | str, error: str) -> None:
    needs("pypdfium2")
    documents = DocumentFolder(folder_of(tmp_path, {name: content}), ["a"])
    assert documents.read("a") is None
    assert error in documents.errors["a"]


def test_a_large_file_is_not_opened(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"a.txt": ""})
    with (folder / "a.txt").open("r+b") as file:
        file.truncate(50_000_001)
    documents = DocumentFolder(folder, ["a"])
    assert documents.read("a") is None
    assert documents.errors["a"] == "a.txt has 50,000,001 bytes, more than the limit of 50,000,000"


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("import os; os.abort()", "cannot be read as a PDF"),
        ("import time; time.sleep(600)", "takes more than 0.5 seconds"),
    ],
    ids=["crash", "hang"],
)
def test_a_pdf_that_ends_or_holds_its_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, error: str
) -> None:
    needs("pypdfium2")
    reader = tmp_path / "reader.py"
    reader.write_text(program)
    monkeypatch.setattr(document_folder, "_PDF_WORDS", reader)
    monkeypatch.setattr(document_folder, "_PATIENCE", 0.5)
    documents = DocumentFolder(folder_of(tmp_path, {"a.pdf": b""}), ["a"])
    assert documents.read("a") is None
    assert error in documents.errors["a"]


@golden("documents", "no documents")
def test_a_source_that_has_no_document_is_an_error(source: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        docscore.evaluate(references={"a": "x"}, predictions={"a": "x"}, documents=source)


# Figures


@golden("documents", "support")
def test_what_stands_in_a_document(
    text: str,
    prediction: Any,
    citations: Any,
    hits: list[int],
    totals: list[int],
    not_found: list[Any],
    boxes: list[Box] | None,
) -> None:
    answer = {"question_id": "a", "prediction": prediction, "citations": citations}
    references = [{"question_id": "a", "references": [prediction]}]
    result = docscore.evaluate(references=references, predictions=[answer], documents={"a": document_of(text, boxes)})
    (row,) = result.breakdowns["found_in_documents"].rows
    assert (list(row.hits), list(row.totals), [*map(list, row.not_found)]) == (hits, totals, not_found)
    assert result.score == 1


TRUTHS = {name: {"no": f"A-{number}", "total": "12.50"} for number, name in enumerate("abcd")}
INVENTED = {name: {**TRUTHS[name], "iban": "DE89 3704"} for name in "abcd"}
TEXTS = {name: f"Invoice {TRUTHS[name]['no']}\fTotal 12.50" for name in "abc"}


def test_a_slice_and_runs_have_their_own_shares() -> None:
    by = {"a": "x", "b": "x", "c": "y"}
    truths, first = ({name: side[name] for name in "abc"} for side in (TRUTHS, INVENTED))
    run_two = {**first, "a": TRUTHS["a"]}
    result = docscore.evaluate(
        references=truths, predictions=[first, run_two], runs=True, documents=TEXTS, by=by.__getitem__
    )
    assert [row["total"] for row in result.breakdowns["found_in_documents"].tables()["found"]] == [17]
    assert [row["total"] for row in result.of_slice("y").breakdowns["found_in_documents"].tables()["found"]] == [6]


def test_a_slice_counts_its_own_documents_without_a_text() -> None:
    by, texts = {"a": "x", "b": "x", "c": "y"}, {"b": TEXTS["b"], "c": TEXTS["c"]}
    truths = {name: TRUTHS[name] for name in "abc"}
    result = docscore.evaluate(references=truths, predictions=truths, documents=texts, by=by.__getitem__)
    with pytest.warns(UserWarning, match="1 of 3 documents have no text"):
        whole = result.breakdowns["found_in_documents"]
    assert whole.without_text == 1
    counts = [result.of_slice(value).breakdowns["found_in_documents"].without_text for value in ("x", "y")]
    assert counts == [1, 0]


def test_text_that_could_not_be_parsed_is_not_looked_up() -> None:
    result = docscore.evaluate(
        references={"a": {"no": "A-17"}},
        predictions={"a": "Invoice A-17, sorry"},
        parse="json",
        documents={"a": "A-17"},
    )
    assert not result.breakdowns["found_in_documents"].tables()["found"]


# Evidence


@golden("documents", "evidence")
def test_the_evidence_of_values_that_stand_once(
    text: str, answers: list[Any], evidence: Any, counts: dict[str, dict[str, int]], given: Any
) -> None:
    row = {"question_id": "a", "references": answers, "note": "kept", **({} if given is None else {"evidence": given})}
    (written,), counts_of, _ = with_evidence([row], {"a": text})
    assert written.get("evidence") == evidence
    assert {**written, "evidence": given} == {**row, "evidence": given}
    assert {field: {name: n for name, n in count.items() if n} for field, count in counts_of.items()} == counts
    assert with_evidence([written], {"a": text})[0] == [written]


def test_values_cited_where_they_were_found_are_grounded(tmp_path: Path) -> None:
    """The evidence of the command is read again: predictions that cite it meet each place, and nothing else."""
    needs("pypdfium2")
    pages = {name: pdf_of(*text.split("\f")) for name, text in TEXTS.items()}
    folder, output = folder_of(tmp_path, {f"{name}.pdf": page for name, page in pages.items()}), tmp_path / "out.jsonl"
    (tmp_path / "r.json").write_text(json.dumps(TRUTHS))
    done = run("evidence", tmp_path / "r.json", "--documents", folder, "-o", output)
    assert (done.code, "no PDF, hOCR or text for 'd'" in done.err) == (0, True)
    rows = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    assert ["box" in place for row in rows[:3] for (place,) in row["evidence"].values()] == [True] * 6
    cited = [
        {"question_id": row["question_id"], "prediction": row["references"][0], "citations": row.get("evidence")}
        for row in rows
    ]
    result = docscore.evaluate(references=output, predictions=cited, metrics=["grounding"])
    assert set(result.figures.values()) == {1.0}


def test_the_documents_of_a_published_benchmark() -> None:
    """Of the values of six ground truths that a text can show, all but six stand in their PDFs, of which most once."""
    needs("pypdfium2")
    folder = shared_data("docubench", "the documents of DocuBench")
    names = [path.stem for path in sorted((folder / "documents").glob("*.pdf"))]
    lines = map(json.loads, (folder / "references.jsonl").read_text(encoding="utf-8").splitlines())
    _, counts, _ = with_evidence([row for row in lines if row["question_id"] in names], folder / "documents")
    sums = {
        name: sum(count[name] for count in counts.values()) for name in ("placed", "several", "nowhere", "not_sought")
    }
    assert sums == {"placed": 254, "several": 34, "nowhere": 6, "not_sought": 37}

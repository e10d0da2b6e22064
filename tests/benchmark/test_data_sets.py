"""The benchmark: what models are asked; its loaders on files in the real formats, and on damaged ones."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest
from docscore_benchmark.data_sets import DATA_SETS, checked_data, chosen, documents_in, documents_of
from docscore_benchmark.documents import (
    PAPER_SCHEMAS,
    SCHEMAS,
    DocumentRecord,
    Page,
    Word,
    document_text,
    latin_text,
    pages_of_pdf,
    picture_file,
    prompt_of,
    reading_order_text,
    rendered_pages,
    strict_schema,
)
from hypothesis import given
from hypothesis import strategies as st

from docscore.core.values import to_json
from tests.benchmark import files as bench_data
from tests.benchmark.files import WRITERS
from tests.commands import ref, written
from tests.conftest import PIXEL, golden, needs, shared_data

data = bench_data.data


@pytest.fixture
def pdfium() -> None:
    needs("pypdfium2")


def test_latin_keeps_columns_of_a_table() -> None:
    """The longest line is 12 characters in 160: a column is 13.3 wide, so 12 stands at 120 / 13.3 = 9."""
    words = [Word("Tea", (0, 0, 30, 20)), Word("1.20", (120, 0, 160, 20)), Word("Strawberries", (0, 30, 120, 50))]
    words += [Word("Cake", (0, 60, 40, 80)), Word("3.00", (120, 60, 160, 80))]
    assert latin_text(words) == "Tea         1.20\nStrawberries\nCake        3.00"


def test_latin_puts_words_on_one_line_that_overlap_in_height_and_never_glues_them() -> None:
    low, high = Word("low", (40, 8, 70, 28)), Word("high", (0, 0, 30, 20))
    assert latin_text([high, low]) == "high low"
    assert latin_text([high, Word("next", (40, 20, 70, 40))]) == "high\n     next"
    assert latin_text([Word("a", (0, 0, 5, 10)), Word("b", (5, 0, 10, 10))]) == "a b"
    assert latin_text([Word("x", (0, 0, 0, 0))]) == "x"
    assert latin_text([]) == reading_order_text([]) == ""


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.integers(0, 500), st.integers(0, 9)), max_size=12))
def test_latin_has_every_word_in_its_order(rows: list[tuple[str, int, int]]) -> None:
    words = [Word(text, (x, 30 * line, x + 10, 30 * line + 20)) for text, x, line in rows]
    assert latin_text(words).split() == [word.text for word in words]


def question(text: str = "Total {document} 12.50") -> DocumentRecord:
    return DocumentRecord("q", ("12.50",), (Page(text=text),), question="What is {question}?")


def test_the_prompt_of_the_paper_is_the_published_one() -> None:
    assert prompt_of(question(), "simple", "paper") == (
        "You are a world-class question answering system.\n"
        "You are given a document and a question. You must answer the question based on the document.\n"
        "Precisely answer the question without any additional text.\n"
        "Its very important to NOT write full sentences!\n"
        "Note: Ensure that the answer is precisely contained in the original document.\n"
        "Here is the document:\nTotal {document} 12.50\nHere is the question:\nWhat is {question}?\n"
    )
    extraction = prompt_of(
        DocumentRecord("d", ({},), (Page(text="x {format}"),), schema={"type": "object"}), "latin", "paper"
    )
    assert extraction.startswith(
        "You are a document information extraction system.\n"
        "You are given a document and a json with keys that must be extracted from the document.\n"
        "Here is the document:\nx {format}\n"
    )
    assert '```json\n{\n "type": "object"\n}\n```' in extraction


@pytest.mark.parametrize("style", ["paper", "plain"])
def test_pictures_and_files_are_attached(style: str) -> None:
    assert "\n(attached)\n" in prompt_of(question(), "vision", style)
    assert "12.50" not in prompt_of(question(), "pdf", style)


def test_prompts_that_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="method: expected 'simple', 'latin', 'vision' or 'pdf', got 'sft'"):
        prompt_of(question(), "sft")
    with pytest.raises(ValueError, match="prompt: expected 'paper' or 'plain', got 'x'"):
        prompt_of(question(), "simple", "x")
    for pages in ((), (Page(image=PIXEL),)):
        with pytest.raises(ValueError, match="document 'q': expected text on every page for the method 'simple'"):
            prompt_of(DocumentRecord("q", ("a",), pages, question="?"), "simple")


@golden("bench", "strict")
def test_strict_forms(schema: dict[str, Any], strict: dict[str, Any]) -> None:
    assert strict_schema(schema) == strict
    assert strict_schema(strict) == strict


@pytest.mark.parametrize("schema", [*SCHEMAS.values(), *PAPER_SCHEMAS.values()])
def test_the_schemas_of_the_benchmark_have_a_strict_form(schema: dict[str, Any]) -> None:
    strict = strict_schema(schema)
    assert strict_schema(strict) == strict
    assert strict["required"] == list(strict["properties"])


@golden("bench", "loose")
def test_schemas_without_a_strict_form(schema: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        strict_schema(schema)


@pytest.mark.usefixtures("pdfium")
def test_pages_of_a_pdf(tmp_path: Path) -> None:
    path = written(tmp_path, "a.pdf", bench_data.pdf_of("Tea     1.20\nCake -  3.00\nStrawberrycakes", "Page (two)"))
    first, second = (page.words or () for page in pages_of_pdf(path))
    tea, cake, _ = latin_text(first).splitlines()
    assert (tea.split(), cake.split()) == (["Tea", "1.20"], ["Cake", "-", "3.00"])
    assert (tea.index("T"), tea.index("1.20")) == (cake.index("C"), cake.index("3.00"))
    assert reading_order_text(second) == "Page (two)"
    pictures = rendered_pages(path, 72)
    assert [picture.read_bytes()[:4] for picture in pictures] == [b"\x89PNG"] * 2
    assert rendered_pages(path, 72) == pictures


def test_pictures_of_other_types_are_written_anew(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    path = written(tmp_path, "a.png", PIXEL)
    assert picture_file(path) == path
    pillow.new("L", (2, 2)).save(tmp_path / "a.tiff")
    for image in (tmp_path / "a.tiff", PIXEL):
        assert picture_file(image).read_bytes()[:4] == b"\x89PNG"
    written(tmp_path, "b.tiff", "text")
    with pytest.raises(ValueError, match=r"b\.tiff: expected a picture, got"):
        picture_file(tmp_path / "b.tiff")


@pytest.mark.usefixtures("pdfium")
def test_a_scanned_page_has_no_words_and_other_files_are_no_pdf(tmp_path: Path) -> None:
    pytest.importorskip("PIL.Image").new("RGB", (20, 20)).save(tmp_path / "scan.pdf")
    assert pages_of_pdf(tmp_path / "scan.pdf") == (Page(),)
    path = written(tmp_path, "a.pdf", "text")
    for reads in (pages_of_pdf, rendered_pages):
        with pytest.raises(ValueError, match=r"a\.pdf: expected a PDF, got"):
            reads(path)


@golden("bench", "documents")
def test_documents(data: Path, name: str, index: int, expected: dict[str, Any]) -> None:
    documents = documents_of(name, data, sample="all")[index]
    answers = [to_json(answer) for answer in documents.answers]
    read = {
        "id": documents.id,
        "group": documents.group or documents.id,
        "question": documents.question,
        "answers": answers,
    }
    read |= {method: document_text(documents, method) for method in ("simple", "latin")}
    pictures = [page.image for page in documents.pages]
    read["pictures"] = [str(path.relative_to(data)) if isinstance(path, Path) else None for path in pictures]
    assert read == expected


def test_the_paper_keeps_the_last_party(data: Path) -> None:
    first, second = documents_of("kleister_nda", data, sample="all", style="paper")
    assert [first.answers[0]["party"], second.answers[0]["party"]] == ["Bolt_LLC", "Acme_Inc."]
    assert first.schema is not None
    assert first.schema["properties"]["party"]["type"] == "string"


def test_real_rows_of_kleister_nda() -> None:
    folder = shared_data("kleister_nda_sample", "rows of Kleister NDA")
    first, second, third = documents_of("kleister_nda", folder, split="dev-0", sample="all")
    assert first.answers[0]["effective_date"] == "2014-05-20"
    assert len(first.answers[0]["party"]) == len(third.answers[0]["party"]) == 2
    assert second.answers[0] == {"jurisdiction": "New_York", "party": ["Oglethorpe_Power_Corporation"]}
    assert "NONDISCLOSURE AGREEMENT\nTHIS AMENDED" in document_text(first, "latin")
    assert "\n" not in document_text(first, "simple")


def test_hub_files_of_docvqa_and_mp_docvqa_lie_side_by_side(tmp_path: Path) -> None:
    image: Any = {"bytes": PIXEL, "path": None}
    one = {"questionId": "1", "question": "Which?", "answers": ["a", "b"], "docId": 3, "image": image}
    several: dict[str, Any] = {"questionId": "2", "question": "Who?", "doc_id": "d", "page_ids": "['d_p0', 'd_p1']"}
    several |= {"answers": "['Ada', \"Ada L.\"]", "image_1": image, "image_2": image, "image_3": None}
    for name, row in (("DocVQA", one), ("MP-DocVQA", several)):
        (tmp_path / name).mkdir()
        written(tmp_path / name, "val-00000-of-00001.parquet", [row])
    assert documents_of("docvqa", tmp_path, sample="all") == [
        DocumentRecord("1", ("a", "b"), (Page(PIXEL),), question="Which?", group="3")
    ]
    assert documents_of("mp_docvqa", tmp_path, sample="all") == [
        DocumentRecord("2", ("Ada", "Ada L."), (Page(PIXEL), Page(PIXEL)), question="Who?", group="d")
    ]


def test_the_sample_of_the_paper_is_the_one_that_its_code_drew() -> None:
    """random.seed(42), random.shuffle of the rows, the first of them; numbers from Python's own generator."""
    rows = [f"row {number}" for number in range(254)]
    assert chosen(rows, "paper", 3) == ["row 44", "row 9", "row 73"]
    assert chosen(rows, 2, 50) == chosen(rows, "2", 50) == ["row 0", "row 1"]
    assert chosen(rows, "all", 50) == rows


@pytest.mark.parametrize("sample", ["none", "0", "-1", "1.5", ""])
def test_a_sample_that_does_not_exist(sample: str) -> None:
    with pytest.raises(ValueError, match="sample: expected 'paper', 'all' or a number above 0, got"):
        chosen([1], sample, 5)
    with pytest.raises(ValueError, match="sample: expected 'all' or a number above 0, got 'paper'"):
        chosen([1], "paper", None)


def damaged(path: Path, old: str | None, new: str) -> bytes:
    """The file, packed or not, with new text for old; for a null it is cut off, and for "" the new is all of it."""
    content, packer = path.read_bytes(), {".xz": lzma, ".gz": gzip}.get(path.suffix)
    if old is None:
        return content[:-9]
    text = packer.decompress(content) if packer else content
    changed = text.replace(old.encode(), new.encode()) if old else new.encode()
    return packer.compress(changed) if packer else changed


@golden("bench", "errors")
def test_an_error_names_file_and_line(
    tmp_path: Path, name: str, file: str, old: str | None, new: str, sentence: str
) -> None:
    WRITERS[name](tmp_path)
    path = tmp_path / file
    path.write_bytes(damaged(path, old, new))
    with pytest.raises(ValueError, match=r"expected|the text ends") as raised:
        documents_of(name, tmp_path, sample="all")
    assert str(path) in str(raised.value)
    assert sentence in str(raised.value)


@pytest.mark.parametrize("name", DATA_SETS)
def test_data_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="got none"):
        documents_of(name, tmp_path)
    with pytest.raises(ValueError, match="expected a folder, got a path that does not exist"):
        documents_of(name, tmp_path / "absent")
    with pytest.raises(ValueError, match="split: expected"):
        documents_of(name, tmp_path, split="dev")


def test_check_says_what_is_there_and_what_it_allows(data: Path) -> None:
    actual = {each["name"]: each for each in checked_data(data)}
    assert {name: each["documents"] for name, each in actual.items()} == dict.fromkeys(DATA_SETS, 2)
    assert all(each["error"] is None for each in actual.values())
    allowed = {name: [method for method, count in each["methods"].items() if count] for name, each in actual.items()}
    assert allowed["docvqa"] == allowed["sroie"] == ["simple", "latin", "vision"]
    assert allowed["kleister_nda"] == allowed["vrdu_ad_buy"] == ["simple", "latin", "vision", "pdf"]


@pytest.mark.usefixtures("pdfium")
def test_own_documents(tmp_path: Path) -> None:
    pdf = bench_data.pdf_of("Total 12.50", "Page two")
    files = {"a.pdf": pdf, "b.png": PIXEL, "c.txt": "Total\n3.00", "d/2.png": PIXEL, "d/1.png": PIXEL}
    for name, content in files.items():
        written(tmp_path, name, content)
    rows = [ref(name, {"total": "1"}, {"total": None}) for name in ("d", "c.txt", "b", "a")]
    written(tmp_path, "references.jsonl", rows)
    written(tmp_path, "schema.json", {"type": "object", "properties": {"total": {"type": "string"}}})
    d, c, b, a = documents_in(tmp_path)
    assert [page.image for page in d.pages] == [tmp_path / "d" / "1.png", tmp_path / "d" / "2.png"]
    assert (c.id, c.pages) == ("c.txt", (Page(text="Total\n3.00"),))
    assert b.pages == (Page(image=tmp_path / "b.png"),)
    assert document_text(a, "simple") == "## Page 1\nTotal 12.50\n\n## Page 2\nPage two\n"
    assert a.answers == ({"total": "1"}, {"total": None})
    assert checked_data(tmp_path, "documents")[0]["documents"] == 4


def test_own_documents_with_a_schema_each(tmp_path: Path) -> None:
    for name in ("a", "b"):
        written(tmp_path, f"{name}.txt", name)
        written(tmp_path, f"schemas/{name}.json", {"type": "object", "properties": {name: {"type": "string"}}})
    written(tmp_path, "references.json", [ref("a", {}), ref("b", {})])
    documents = documents_in(tmp_path, schema=tmp_path / "schemas")
    assert [list(each.schema["properties"]) for each in documents if each.schema] == [["a"], ["b"]]


def test_own_documents_that_are_missing_are_named(tmp_path: Path) -> None:
    written(tmp_path, "references.jsonl", '{"question_id": "a", "references": [1]}\n')
    with pytest.raises(ValueError, match="expected a document for each of the 1 ids, got none for 1: 'a'"):
        documents_in(tmp_path)
    written(tmp_path, "a.txt", "x")
    with pytest.raises(ValueError, match=r"expected a JSON Schema, or the option schema \(schema\.json\), got none"):
        documents_in(tmp_path)
    written(tmp_path, "references.jsonl", '{"total": 1}\n')
    with pytest.raises(ValueError, match="expected rows with 'question_id' and 'references', got others"):
        documents_in(tmp_path)

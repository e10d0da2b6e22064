"""What models are asked: layout, prompts, strict schemas, pages; and the command that checks the data."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.bench.documents import DocumentRecord, Page, Word, pages_of_pdf, picture_file, rendered_pages
from docscore.bench.prompts import PAPER_SCHEMAS, SCHEMAS, latin_text, prompt_of, reading_order_text, strict_schema
from tests import bench_data
from tests.bench_data import PIXEL, put
from tests.commands import run, succeed
from tests.conftest import skip_or_fail


@pytest.fixture
def pdfium() -> None:
    if find_spec("pypdfium2") is None:
        skip_or_fail("needs pypdfium2")


def words_of(*lines: str, width: int = 10) -> list[Word]:
    """Lines of a fixed pitch: a character is 10 wide, a line 20 high, 30 apart."""
    found = []
    for number, line in enumerate(lines):
        column = 0
        for word in line.split(" "):
            if word:
                left, top = column * width, 30 * number
                found.append(Word(word, (left, top, left + len(word) * width, top + 20)))
            column += len(word) + 1
    return found


def test_latin_keeps_columns_of_a_table() -> None:
    """The longest line is 12 characters in 160: a column is 13.3 wide, so 12 stands at 120 / 13.3 = 9."""
    words = words_of("Tea         1.20", "Strawberries", "Cake        3.00")
    assert latin_text(words) == "Tea         1.20\nStrawberries\nCake        3.00"


def test_latin_puts_words_on_one_line_that_overlap_in_height() -> None:
    low, high = Word("low", (40, 8, 70, 28)), Word("high", (0, 0, 30, 20))
    assert latin_text([high, low]) == "high low"
    assert latin_text([high, Word("next", (40, 20, 70, 40))]) == "high\n     next"


def test_latin_never_glues_words() -> None:
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
        with pytest.raises(ValueError, match="document 'q': expected words or text for the method 'simple', got none"):
            prompt_of(DocumentRecord("q", ("a",), pages, question="?"), "simple")


def objects_in(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [each for item in schema for each in objects_in(item)]
    if not isinstance(schema, dict):
        return []
    here = [schema] if "properties" in schema and "type" in schema else []
    return here + [each for item in schema.values() for each in objects_in(item)]


@pytest.mark.parametrize("schema", [*SCHEMAS.values(), *PAPER_SCHEMAS.values()])
def test_strict_schemas_require_every_key_and_allow_no_other(schema: dict[str, Any]) -> None:
    found = objects_in(strict_schema(schema))
    assert found
    for each in found:
        assert each["required"] == list(each["properties"])
        assert each["additionalProperties"] is False


def test_a_strict_schema_of_pydantic() -> None:
    pydantic = pytest.importorskip("pydantic")
    row: Any = pydantic.create_model("Row", name=(str, ...), price=(float | None, None))
    bill = pydantic.create_model("Bill", rows=(list[row], ...), buyer=(row | None, None), kind=(str, "bill"))
    inner = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "price": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
        "required": ["name", "price"],
        "additionalProperties": False,
    }
    assert strict_schema(bill.model_json_schema()) == {
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": inner},
            "buyer": {"anyOf": [inner, {"type": "null"}]},
            "kind": {"type": ["string", "null"]},
        },
        "required": ["rows", "buyer", "kind"],
        "additionalProperties": False,
    }


STRICT = [  # why, schema, its strict form
    ("const is an enum of one", {"const": "x"}, {"enum": ["x"]}),
    ("oneOf is anyOf", {"oneOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}]}),
    (
        "one allOf is merged",
        {"allOf": [{"type": "string"}], "description": "d"},
        {"type": "string", "description": "d"},
    ),
    ("annotations go", {"type": "string", "title": "T", "default": "x", "x-docscore": {}}, {"type": "string"}),
    (
        "an enum that may be left out may be null",
        {"properties": {"a": {"type": "string", "enum": ["x"]}}},
        {
            "type": "object",
            "properties": {"a": {"type": ["string", "null"], "enum": ["x", None]}},
            "required": ["a"],
            "additionalProperties": False,
        },
    ),
]


@pytest.mark.parametrize(("schema", "strict"), [case[1:] for case in STRICT], ids=[case[0] for case in STRICT])
def test_strict_forms(schema: dict[str, Any], strict: dict[str, Any]) -> None:
    assert strict_schema(schema) == strict
    assert strict_schema(strict) == strict


LOOSE = [  # schema, sentence
    ({"type": "object"}, r"schema, \$: expected an object with 'properties', got one with free keys"),
    (
        {"properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}},
        r"schema, \$\.a: expected an object with 'properties'",
    ),
    ({"properties": {"a": {"type": "array"}}}, r"schema, \$\.a: expected 'items' beside the type 'array', got none"),
    ({"$ref": "#/$defs/a"}, r"expected a reference to a place in the schema, got '#/\$defs/a'"),
    ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "expected no circle of references, got one"),
    (
        {"$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/a"}}}}, "$ref": "#/$defs/a"},
        "expected no circle of references, got one",
    ),
    ({"allOf": [{}, {}]}, "expected one schema in 'allOf', got 2"),
    ({"properties": {"a": True}}, r"schema, \$\.a: expected an object, got bool"),
]


@pytest.mark.parametrize(("schema", "sentence"), LOOSE)
def test_schemas_without_a_strict_form(schema: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        strict_schema(schema)


@pytest.mark.usefixtures("pdfium")
def test_pages_of_a_pdf(tmp_path: Path) -> None:
    path = put(tmp_path / "a.pdf", bench_data.pdf_of("Tea     1.20\nCake -  3.00\nStrawberrycakes", "Page (two)"))
    first, second = pages_of_pdf(path)
    assert first.words is not None
    assert second.words is not None
    tea, cake, _ = latin_text(first.words).splitlines()
    assert (tea.split(), cake.split()) == (["Tea", "1.20"], ["Cake", "-", "3.00"])
    assert (tea.index("T"), tea.index("1.20")) == (cake.index("C"), cake.index("3.00"))
    assert reading_order_text(second.words) == "Page (two)"
    pictures = rendered_pages(path, 72)
    assert [picture.read_bytes()[:4] for picture in pictures] == [b"\x89PNG"] * 2
    assert rendered_pages(path, 72) == pictures


@pytest.mark.usefixtures("pdfium")
def test_a_scanned_page_has_no_words(tmp_path: Path) -> None:
    picture = pytest.importorskip("PIL.Image").new("RGB", (20, 20))
    picture.save(tmp_path / "scan.pdf")
    assert pages_of_pdf(tmp_path / "scan.pdf") == (Page(),)


def test_pictures_of_other_types_are_written_anew(tmp_path: Path) -> None:
    pillow = pytest.importorskip("PIL.Image")
    path = put(tmp_path / "a.png", PIXEL)
    assert picture_file(path) == path
    pillow.new("L", (2, 2)).save(tmp_path / "a.tiff")
    for image in (tmp_path / "a.tiff", PIXEL):
        assert picture_file(image).read_bytes()[:4] == b"\x89PNG"
    put(tmp_path / "b.tiff", "text")
    with pytest.raises(ValueError, match=r"b\.tiff: expected a picture, got"):
        picture_file(tmp_path / "b.tiff")


@pytest.mark.usefixtures("pdfium")
def test_files_that_are_no_pdf(tmp_path: Path) -> None:
    path = put(tmp_path / "a.pdf", "text")
    for reads in (pages_of_pdf, rendered_pages):
        with pytest.raises(ValueError, match=r"a\.pdf: expected a PDF, got"):
            reads(path)


def test_the_command_lists_what_is_there(tmp_path: Path) -> None:
    bench_data.write_sroie(tmp_path / "receipts")
    out = succeed("bench", "check", tmp_path)
    assert "SROIE (sroie, split test): 2 documents, for simple, latin, vision\n" in out
    assert "  pdf: 2 documents lack a PDF\n" in out
    assert "DocVQA (docvqa, split val): not here\n" in out
    assert "git clone https://github.com/applicaai/kleister-nda; no licence file\n" in out
    found = {each["name"]: each for each in json.loads(succeed("bench", "check", tmp_path, "--json"))["data_sets"]}
    assert found["sroie"]["methods"] == {"simple": 2, "latin": 2, "vision": 2, "pdf": 0}
    assert found["docvqa"]["documents"] is None


def test_the_command_fails_where_nothing_is(tmp_path: Path) -> None:
    done = run("bench", "check", tmp_path, "--dataset", "kleister_nda")
    assert (done.code, done.err) == (2, f"docscore: {tmp_path}: expected the data of kleister_nda, got none\n")
    assert "expected the texts of the split 'train' with the key 'jurisdiction'" in done.out
    assert run("bench", "check", tmp_path, "--dataset", "cord").code == 2

"""A document of a benchmark: its question or schema, its pages from PDFs and pictures, and its prompt."""

import hashlib
import io
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from docscore.core.errors import InputValueError, PlacePart, in_file
from docscore.core.options import check_choice
from docscore.core.runtime import library
from docscore.core.values import MAX_DEPTH

Box = tuple[float, float, float, float]


class Word(NamedTuple):
    """A word on a page.

    Attributes:
        text: the word, or a piece of text that the OCR did not split.
        box: left, top, right and bottom, with y downwards, in a unit that is the same for all words of a page.
    """

    text: str
    box: Box


@dataclass(frozen=True)
class Page:
    """A page of a document, with the parts that the data set provides.

    Attributes:
        image: a picture, as a file or as bytes; None if there is none.
        words: the words in reading order; None if there is no OCR with boxes.
        text: the text in lines, without boxes; None if there is none.
    """

    image: Path | bytes | None = None
    words: tuple[Word, ...] | None = None
    text: str | None = None


@dataclass(frozen=True)
class DocumentRecord:
    """A document, or a question about one.

    Attributes:
        id: the id, unique in the data set.
        answers: the acceptable answers, each a ground truth for `docscore.anls_score`: JSON values, with tuples for
            alternatives.
        pages: the pages; empty if the data set provides only a PDF.
        pdf: the PDF; None if there is none.
        question: the question; None if values are to be extracted.
        schema: the JSON Schema of the values to extract; None for a question.
        group: the file, if several questions are about it and their scores are not independent; "" for a single row.
    """

    id: str
    answers: tuple[Any, ...]
    pages: tuple[Page, ...] = ()
    pdf: Path | None = None
    question: str | None = None
    schema: dict[str, Any] | None = None
    group: str = ""


def unlike_format(place: PlacePart | Path, expected: str, got: str) -> InputValueError:
    """Return the error for a file, or a place in a file, that does not have the expected format."""
    return InputValueError(place=in_file(place) if isinstance(place, Path) else place, expected=expected, got=got)


DPI = 150  # a page of A4 then has 1240 x 1754 pixels, about the resolution of vision models
_POINTS = 72  # points of a PDF per inch
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".gif", ".bmp")
_SENT_AS_THEY_ARE = (".png", ".jpg", ".jpeg", ".webp", ".gif")  # formats that providers accept
_NEEDS = "reading pages needs {!r}"


def pages_of_pdf(path: Path) -> tuple[Page, ...]:
    """Return the pages of a PDF with the words of its text layer; a page without a text layer has no words.

    Raises:
        ValueError: naming the file, if it is not a PDF.
        OSError: if it cannot be read.
    """
    with closing(_opened(path)) as pdf:
        return tuple(Page(words=_words(page) or None) for page in pdf)


def rendered_pages(path: Path, dpi: int = DPI) -> list[Path]:
    """Render the pages of a PDF as PNG files in a folder that is deleted when the process ends.

    Raises:
        ValueError: naming the file, if it is not a PDF.
        OSError: if it cannot be read.
    """
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    pictures = []
    with closing(_opened(path)) as pdf:
        for number, page in enumerate(pdf, 1):
            target = Path(_temporary_folder().name) / f"{name}-{dpi}-{number}.png"
            if not target.exists():
                page.render(scale=dpi / _POINTS).to_pil().save(target)
            pictures.append(target)
    return pictures


def picture_file(image: Path | bytes) -> Path:
    """Return the picture as a file in a format that providers accept: the file itself, or a new PNG file.

    Raises:
        ValueError: naming the file, if it is not a picture.
        OSError: if it cannot be read.
    """
    if isinstance(image, Path) and image.suffix.lower() in _SENT_AS_THEY_ARE:
        image.open("rb").close()
        return image
    content = image if isinstance(image, bytes) else image.read_bytes()
    target = Path(_temporary_folder().name) / f"{hashlib.sha256(content).hexdigest()[:32]}.png"
    if not target.exists():
        pillow = library("PIL.Image", _NEEDS.format("PIL.Image"), "documents")
        try:
            with pillow.open(io.BytesIO(content)) as picture:
                picture.convert("RGB").save(target)
        except (OSError, ValueError) as error:
            raise InputValueError(
                place="a picture of the data set" if isinstance(image, bytes) else in_file(image),
                expected="a picture",
                got=str(error),
            ) from None
    return target


def _words(page: Any) -> tuple[Word, ...]:
    """Return the words of the text layer of a page: runs without white space, with boxes as fractions of the page."""
    from docscore.grounding.pdf_words import words_of_page  # noqa: PLC0415  needs pypdfium2

    return tuple(
        Word(text, (left, top, right, bottom))
        for text, left, top, right, bottom in words_of_page(page, page.get_textpage())
    )


def _opened(path: Path) -> Any:
    path.open("rb").close()
    pdfium = library("pypdfium2", _NEEDS.format("pypdfium2"), "documents")
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise InputValueError(place=in_file(path), expected="a PDF", got=f"{error}") from None


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="docscore-pages-")


Style = Literal["paper", "plain"]
Method = Literal["simple", "latin", "vision", "pdf"]
TEXT_METHODS = ("simple", "latin")  # these methods put the text of the document into the prompt

# Peer et al. 2024, arXiv 2402.03848v2, section 4.2 (CC BY 4.0). The code of that time omits the word "answer" in the
# sentence on precision.
_PAPER_QUESTION = """\
You are a world-class question answering system.
You are given a document and a question. You must answer the question based on the document.
Precisely answer the question without any additional text.
Its very important to NOT write full sentences!
Note: Ensure that the answer is precisely contained in the original document.
Here is the document:
{document}
Here is the question:
{question}
"""
_PAPER_EXTRACTION = """\
You are a document information extraction system.
You are given a document and a json with keys that must be extracted from the document.
Here is the document:
{document}
{format}
"""
_PLAIN_QUESTION = """\
Answer the question about the document with the shortest span of its text that is a complete answer. \
Write the answer alone: no sentence, no explanation.

Question: {question}

Document:
{document}
"""
_PLAIN_EXTRACTION = """\
Extract the values that the JSON Schema asks for from the document. Write values as the document has them, unless the \
schema says otherwise; null where the document has none.

{format}

Document:
{document}
"""
_FORMAT = """\
Answer with one JSON object that is valid by this JSON Schema, and with nothing else:
```json
{schema}
```"""
_NO_SCHEMA = "Answer with one JSON object, and with nothing else."


def prompt_of(document: DocumentRecord, method: str, style: str = "plain") -> str:
    """Return the text of the prompt. The methods "vision" and "pdf" attach the document to it.

    Args:
        document: a document with a question or a schema.
        method: "simple" (text in reading order), "latin" (text with its layout), "vision" (pictures of the pages) or
            "pdf" (the file).
        style: "paper" for the prompts that the paper published, or "plain". Both styles have the same format
            instructions; in the paper, a library generated the instructions.

    Raises:
        ValueError: for another method or style, and for a document without text.
    """
    check_choice("method", method, get_args(Method))
    check_choice("prompt", style, get_args(Style))
    text = document_text(document, method) if method in TEXT_METHODS else "(attached)"
    if document.question is not None:
        template = _PAPER_QUESTION if style == "paper" else _PLAIN_QUESTION
        return _filled(template, document=text, question=document.question)
    template = _PAPER_EXTRACTION if style == "paper" else _PLAIN_EXTRACTION
    schema = json.dumps(document.schema, indent=1, ensure_ascii=False)
    instructions = _NO_SCHEMA if document.schema is None else _filled(_FORMAT, schema=schema)
    return _filled(template, document=text, format=instructions)


def document_text(document: DocumentRecord, method: str) -> str:
    """Return the text of the pages. Several pages have headings with their numbers.

    Raises:
        ValueError: naming the document, if a page has neither words nor text.
    """
    layout: Callable[[Sequence[Word]], str] = latin_text if method == "latin" else reading_order_text
    texts = []
    for page in document.pages:
        if page.words is not None:
            texts.append(layout(page.words))
        elif page.text is not None:  # without boxes, "latin" keeps the lines of the text
            texts.append(page.text if method == "latin" else " ".join(page.text.split()))
    if len(texts) < max(1, len(document.pages)):
        raise InputValueError(
            place=f"document {document.id!r}",
            expected=f"text on every page for the method {method!r}",
            got="a page without text",
            remedy="the method 'vision' takes pictures and PDFs",
        )
    if len(texts) == 1:
        return texts[0]
    return "\n".join(f"## Page {number}\n{text}\n" for number, text in enumerate(texts, 1))


def _filled(template: str, **parts: str) -> str:
    """Fill the fields of a template. Braces in the inserted parts stay unchanged."""
    return re.sub(r"\{(\w+)\}", lambda place: parts[place[1]], template)


def reading_order_text(words: Sequence[Word]) -> str:
    """Return the words in their order, separated by blanks.

    >>> reading_order_text([Word("Total", (0, 0, 50, 10)), Word("12.50", (90, 0, 140, 10))])
    'Total 12.50'
    """
    return " ".join(word.text for word in words)


def latin_text(words: Sequence[Word]) -> str:
    """Return the words in lines, each word at the column of its left edge on the page.

    Consecutive words share a line if the middle of each lies within the height of the other. The width of a column is
    the mean width of a character in the line with the most characters, or the last of such lines. A blank separates
    words that would touch; the published code omits it.

    >>> print(latin_text([Word("Tea", (0, 0, 30, 10)), Word("1.20", (120, 1, 160, 11)), Word("Cake", (0, 20, 40, 30))]))
    Tea  1.20
    Cake
    """
    lines: list[list[Word]] = []
    for word in words:
        if lines and _on_one_line(lines[-1][-1].box, word.box):
            lines[-1].append(word)
        else:
            lines.append([word])
    width = _character_width(lines)
    return "\n".join(_in_columns(line, width) for line in lines)


def _on_one_line(first: Box, second: Box) -> bool:
    """Return whether the middle of each box lies within the height of the other."""
    middles = (first[1] + first[3]) / 2, (second[1] + second[3]) / 2
    return second[1] < middles[0] < second[3] and first[1] < middles[1] < first[3]


def _character_width(lines: Sequence[Sequence[Word]]) -> float:
    """Return the mean width of a character in the line with the most characters; 1 if nothing has a width."""
    counts = [sum(len(word.text) for word in line) for line in lines]
    most, number = max(zip(counts, range(len(lines)), strict=True), default=(0, 0))
    if not most:
        return 1.0
    width = max(word.box[2] for word in lines[number]) - min(word.box[0] for word in lines[number])
    return width / most or 1.0


def _in_columns(line: Sequence[Word], width: float) -> str:
    text = ""
    for word in line:
        text = (f"{text} " if text else "").ljust(int(word.box[0] / width)) + word.text
    return text


# The schemas of the data sets, by name. The code of the paper asked for one party and for the amounts of charities as
# numbers. Kleister writes a blank in a value as "_", and so must the answer, because the ground truth is used as it is
# distributed.
_OF_DATA_SETS = json.loads(Path(__file__).with_name("prompts.json").read_text("utf-8"))
SCHEMAS: dict[str, dict[str, Any]] = _OF_DATA_SETS["plain"]
PAPER_SCHEMAS: dict[str, dict[str, Any]] = {**SCHEMAS, **_OF_DATA_SETS["paper"]}

_KEPT = ("description", "enum", "format", "pattern", "minimum", "maximum", "minLength", "maxLength")


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema in the form that strict structured output requires.

    Objects require all their keys and allow no others; optional values may be null. References are resolved, `const`
    becomes `enum`, `oneOf` becomes `anyOf`, a single `allOf` is merged, and annotations that providers reject are
    dropped.

    Raises:
        ValueError: naming the place of an object with free keys, of a missing or circular reference, or of any other
            part without a strict form.

    >>> strict_schema({"type": "object", "properties": {"total": {"type": "string"}}})["properties"]
    {'total': {'type': ['string', 'null']}}
    """
    return _strict(schema, schema, "$", 0)


def _strict(schema: Any, root: Mapping[str, Any], place: str, depth: int) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        raise InputValueError(place=f"schema, {place}", expected="an object", got=f"{type(schema).__name__}")
    if depth > MAX_DEPTH:
        raise InputValueError(place=f"schema, {place}", expected="references without a circle", got="a circle")
    inside = _resolved(schema, root, place)
    if inside is not schema:
        return _strict(inside, root, place, depth + 1)
    result = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        result["enum"] = [schema["const"]]
    choices = schema.get("anyOf", schema.get("oneOf"))
    if choices is not None:
        result["anyOf"] = [_strict(each, root, f"{place}|{number}", depth + 1) for number, each in enumerate(choices)]
        return result
    kinds = _kinds(schema)
    if kinds:
        result["type"] = kinds[0] if len(kinds) == 1 else kinds
    if "object" in kinds:
        result |= _strict_object(schema, root, place, depth)
    if "array" in kinds:
        if "items" not in schema:
            raise InputValueError(place=f"schema, {place}", expected="'items' with the type 'array'", got="none")
        result["items"] = _strict(schema["items"], root, f"{place}[]", depth + 1)
    return result


def _strict_object(schema: Mapping[str, Any], root: Mapping[str, Any], place: str, depth: int) -> dict[str, Any]:
    properties = schema.get("properties")
    if not properties or schema.get("additionalProperties", False) not in (False, True):
        raise InputValueError(
            place=f"schema, {place}", expected="an object with 'properties'", got="one with free keys"
        )
    required = set(schema.get("required", ()))
    strict = {key: _strict(each, root, f"{place}.{key}", depth + 1) for key, each in properties.items()}
    return {
        "properties": {key: each if key in required else _or_null(each) for key, each in strict.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with null as an additional value."""
    if "anyOf" in schema:
        known = any(each.get("type") == "null" for each in schema["anyOf"])
        return schema if known else {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    result = dict(schema)
    if kinds := _kinds(schema):
        result["type"] = kinds if "null" in kinds else [*kinds, "null"]
    if "enum" in schema and None not in schema["enum"]:
        result["enum"] = [*schema["enum"], None]
    return result


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    """Return the types of a schema; without "type", the types that the keys imply."""
    given = schema.get("type")
    if given is None:
        return ["object"] if "properties" in schema else ["array"] if "items" in schema else []
    return list(given) if isinstance(given, list) else [given]


def _resolved(schema: Mapping[str, Any], root: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    """Return the schema with its reference or single `allOf` merged; keys of the schema itself take precedence."""
    if "$ref" in schema:
        keyword, inside = "$ref", _target(schema["$ref"], root, place)
    elif "allOf" in schema:
        if len(schema["allOf"]) != 1:
            raise InputValueError(
                place=f"schema, {place}",
                expected="one schema in 'allOf'",
                got=str(len(schema["allOf"])),
            )
        keyword, inside = "allOf", schema["allOf"][0]
    else:
        return schema
    return {**inside, **{key: each for key, each in schema.items() if key != keyword}}


def _target(reference: Any, root: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    target: Any = root
    for step in str(reference).removeprefix("#").strip("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        target = target.get(key) if isinstance(target, Mapping) else None
    if not str(reference).startswith("#/") or not isinstance(target, Mapping):
        raise InputValueError(
            place=f"schema, {place}", expected="a reference to a place in the schema", got=f"{reference!r}"
        )
    return target

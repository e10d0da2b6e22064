"""What the loaders share: finding files, and values in them that must be there."""

from __future__ import annotations

import ast
import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from docscore.bench.pages import PICTURES, pages_of_pdf
from docscore.bench.records import Box, DocumentRecord, Page, Word, unlike_format
from docscore.core.errors import InputValueError, in_file, short_repr
from docscore.data.files import read_table, read_value
from docscore.data.rows import BY_ID, ID, read_references, side_format

_CORNERS = 8  # numbers of a quadrilateral: x and y of each corner
_DEEPEST = 3  # folders below the given one in which a file is looked for
_HEAD = 1 << 16  # bytes of a file in which a key is looked for


def found_file(folder: Path, patterns: Iterable[str], what: str, fits: Callable[[Path], bool] = lambda _: True) -> Path:
    """The first file that a pattern finds in the folder or up to three folders below it.

    Args:
        folder: where to look.
        patterns: of files, those that are preferred first.
        what: what the file has, for the message.
        fits: whether a file is the one; sets that lie beside each other share names.

    Raises:
        ValueError: if the folder is none, or holds no such file.
    """
    if not folder.is_dir():
        raise unlike_format(folder, "a folder", "a file" if folder.exists() else "nothing of that name")
    patterns = list(patterns)
    for pattern in patterns:
        for depth in range(_DEEPEST + 1):
            found = next(filter(fits, sorted(folder.glob("*/" * depth + pattern))), None)
            if found is not None:
                return found
    raise unlike_format(folder, f"{what} ({' or '.join(patterns)})", "none")


def names_early(path: Path, key: str) -> bool:
    """Whether a key stands in the first bytes of a file."""
    with path.open("rb") as file:
        return f'"{key}"'.encode() in file.read(_HEAD)


def parquet_columns(path: Path) -> list[str]:
    """The columns of a Parquet file.

    Raises:
        ValueError: naming the file, without pyarrow and for what is none.
    """
    try:
        from pyarrow import ArrowInvalid, parquet  # noqa: PLC0415  an extra
    except ImportError:
        remedy = "pip install 'docscore[parquet]'"
        raise InputValueError(place=in_file(path), problem="reading Parquet needs pyarrow", remedy=remedy) from None
    try:
        return list(parquet.read_schema(path).names)
    except ArrowInvalid as error:
        raise unlike_format(path, "a Parquet file", str(error)) from None


def first_that_exists(paths: Iterable[Path]) -> Path | None:
    """The first of the files that is there."""
    return next((path for path in paths if path.is_file()), None)


def value_of(row: Any, key: str, kind: type | tuple[type, ...], place: str) -> Any:
    """The value under a key.

    Raises:
        ValueError: naming the place, if the row is no object, has no such key, or its value is of another type.
    """
    value = row.get(key) if isinstance(row, Mapping) else None
    if not isinstance(value, kind):
        names = " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
        raise unlike_format(place, f"an object with {names} under {key!r}", short_repr(row))
    return value


def texts_of(row: Any, key: str, place: str) -> tuple[str, ...]:
    """The texts in the list under a key, at least one.

    Raises:
        ValueError: naming the place.
    """
    values = value_of(row, key, list, place)
    if not values or not all(isinstance(each, str) for each in values):
        at = f"{place}, {key}"
        raise unlike_format(at, "a list of at least one text", short_repr(values))
    return tuple(values)


def box_of_corners(corners: Any, place: str) -> Box:
    """The box around a quadrilateral of eight numbers.

    Raises:
        ValueError: naming the place.
    """
    numbers = isinstance(corners, list) and all(isinstance(each, int | float) for each in corners)
    if not numbers or len(corners) != _CORNERS:
        raise unlike_format(place, "eight numbers", short_repr(corners))
    across, down = corners[0::2], corners[1::2]
    return (min(across), min(down), max(across), max(down))


_MOST_PAGES = 20  # of a document of MPDocVQA


def read_docvqa(folder: Path, split: str) -> list[DocumentRecord]:
    """The questions of DocVQA (task 1), in the order of the file.

    Looks for `SPLIT_v1.0_withQT.json` or `SPLIT_v1.0.json`, pictures in `spdocvqa_images` or `documents` and OCR in
    `spdocvqa_ocr` or `ocr_results`; else for Parquet files whose names start with the split.

    Raises:
        ValueError: naming file and row.
    """
    patterns = (f"{split}_v1.0_withQT.json", f"{split}_v1.0.json")
    source, rows = _rows(folder, patterns, split, "image")
    return [_question(row, place, source.parent, folder) for place, row in rows]


def read_mp_docvqa(folder: Path, split: str) -> list[DocumentRecord]:
    """The questions of MPDocVQA (task 4), in the order of the file.

    Looks for `SPLIT.json`, pictures in `images` and OCR in `ocr`; else for Parquet files whose names start with the
    split.

    Raises:
        ValueError: naming file and row.
    """
    source, rows = _rows(folder, (f"{split}.json",), split, "page_ids")
    return [_question_on_pages(row, place, source.parent, folder) for place, row in rows]


def _rows(folder: Path, patterns: tuple[str, ...], split: str, key: str) -> tuple[Path, Iterator[tuple[str, Any]]]:
    """The file with questions that have a key, and its rows with their places."""

    def fits(path: Path) -> bool:
        return key in parquet_columns(path) if path.suffix == ".parquet" else names_early(path, key)

    hub = f"{split}*.parquet"
    source = found_file(folder, (*patterns, hub), f"the questions of the split {split!r}", fits)
    if source.suffix == ".parquet":
        return source, _rows_of_hub(sorted(source.parent.glob(hub)))
    data = value_of(read_value(source), "data", list, str(source))
    return source, ((f"{source}, data[{number}]", row) for number, row in enumerate(data))


def _rows_of_hub(files: list[Path]) -> Iterator[tuple[str, Any]]:
    for path in files:
        table = read_table(path)
        for number, row in enumerate(table.rows):
            yield str(table.where(number)), row


def _question(row: Any, place: str, beside: Path, folder: Path) -> DocumentRecord:
    """A question on one page; a row of the hub has the picture inside."""
    image = value_of(row, "image", (str, dict), place)
    page = _page(image, place, [beside, folder, beside.parent], ("spdocvqa_images", "documents", "images"))
    return _document(row, place, (page,), value_of(row, "docId", (int, str), place))


def _question_on_pages(row: Any, place: str, beside: Path, folder: Path) -> DocumentRecord:
    row = {**row, "answers": _list(row.get("answers"))} if isinstance(row, Mapping) else row
    inside = [row.get(f"image_{number}") for number in range(1, _MOST_PAGES + 1)] if isinstance(row, Mapping) else []
    if any(inside):
        pages = tuple(_page(image, place, [], ()) for image in inside if image)
    else:
        names = [f"{name}.jpg" for name in texts_of(row, "page_ids", place)]
        bases = [beside, folder, beside.parent]
        pages = tuple(_page(name, place, bases, ("images", "documents")) for name in names)
    return _document(row, place, pages, value_of(row, "doc_id", str, place))


def _document(row: Any, place: str, pages: tuple[Page, ...], group: int | str) -> DocumentRecord:
    question = value_of(row, "question", str, place)
    name = str(value_of(row, "questionId", (int, str), place))
    return DocumentRecord(name, texts_of(row, "answers", place), pages, question=question, group=str(group))


def _list(value: Any) -> Any:
    """A list that the hub keeps as a Python literal."""
    if not isinstance(value, str):
        return value
    try:
        return ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return value


def _page(image: Any, place: str, bases: list[Path], folders: tuple[str, ...]) -> Page:
    """A page with its picture, and its OCR if that is there."""
    if isinstance(image, dict):
        return Page(image=value_of(image, "bytes", bytes, f"{place}, image"))
    name = Path(image).name
    pictures = [base / image for base in bases] + [base / each / name for base in bases for each in folders]
    stem = Path(name).stem
    names = ("spdocvqa_ocr", "ocr_results", "ocr")
    ocr = first_that_exists(base / each / f"{stem}.json" for base in bases for each in names)
    words = None if ocr is None else _words(read_value(ocr), str(ocr))
    return Page(first_that_exists(pictures), words)


def _words(content: Any, place: str) -> tuple[Word, ...]:
    """The words of an OCR file: of the form with `recognitionResults`, or with `WORD` blocks of Textract."""
    if isinstance(content, Mapping) and "WORD" in content:
        blocks = value_of(content, "WORD", list, place)
        return tuple(_word_of_block(block, f"{place}, WORD[{number}]") for number, block in enumerate(blocks))
    words: list[Word] = []
    for number, result in enumerate(value_of(content, "recognitionResults", list, place)):
        where = f"{place}, recognitionResults[{number}]"
        for line_number, line in enumerate(value_of(result, "lines", list, where)):
            at = f"{where}.lines[{line_number}]"
            words += [_word_of_line(word, at) for word in value_of(line, "words", list, at)]
    return tuple(words)


def _word_of_line(word: Any, place: str) -> Word:
    return Word(value_of(word, "text", str, place), box_of_corners(word.get("boundingBox"), place))


def _word_of_block(block: Any, place: str) -> Word:
    box = value_of(value_of(block, "Geometry", dict, place), "BoundingBox", dict, place)
    left, top, width, height = (value_of(box, key, (int, float), place) for key in ("Left", "Top", "Width", "Height"))
    if width < 0 or height < 0:
        raise unlike_format(place, "a width and a height of at least 0", short_repr(box))
    return Word(value_of(block, "Text", str, place), (left, top, left + width, top + height))


_COLUMNS = ("filename", "keys", "text_djvu", "text_tesseract", "text_textract", "text_best")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\f": "\f", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[ntf\\]")


def read_kleister(folder: Path, split: str, key: str, *, several: tuple[str, ...] = ()) -> list[DocumentRecord]:
    """The documents of a split, in the order of the file, with the text of the best OCR.

    Values stay as they are distributed: a blank is `_`. A key that occurs several times in a document has a list.

    Args:
        folder: of the repository, or one above it.
        split: "train", "dev-0" or "test-A".
        key: one that the documents may have, and those of the other set not.
        several: keys whose value is always a list.

    Raises:
        ValueError: naming file and line.
    """
    names = (f"{split}/in.tsv.xz", f"{split}/in.tsv")
    source = found_file(folder, names, f"the texts of the split {split!r} with the key {key!r}", partial(_asks, key))
    lines = _lines_of(source)
    labels = source.with_name("expected.tsv")
    expected = _lines_of(labels)
    if len(lines) != len(expected):
        raise unlike_format(labels, f"{len(lines):,} lines as in {source.name}", f"{len(expected):,}")
    files = source.parent.parent / "documents"
    documents = []
    for number, (line, label) in enumerate(zip(lines, expected, strict=True), 1):
        name, text = _name_and_text(line, f"{source}, line {number}")
        answer = _labels(label, f"{labels}, line {number}", several)
        pages = tuple(Page(text=part) for part in text.split("\f"))
        pdf = files / name
        documents.append(DocumentRecord(name, (answer,), pages, pdf if pdf.is_file() else None))
    return documents


def last_of_each(document: DocumentRecord, keys: tuple[str, ...]) -> tuple[Any, ...]:
    """The answers with the last value of each key that may have several, which is what the paper's code kept."""
    return tuple(
        {key: value[-1] if key in keys and isinstance(value, list) else value for key, value in answer.items()}
        for answer in document.answers
    )


def _asks(key: str, path: Path) -> bool:
    """Whether the first document of a file may have the key; a file of another form is no reason to look further."""
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        try:
            cells = file.readline().split(b"\t")
        except (lzma.LZMAError, EOFError):
            return True
    return len(cells) != len(_COLUMNS) or key.encode() in cells[1].split()


def _lines_of(path: Path) -> list[str]:
    """The lines of a file, unpacked."""
    try:
        content = path.read_bytes()
        text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
    except lzma.LZMAError as error:
        raise unlike_format(path, "what xz writes", str(error)) from None
    except UnicodeDecodeError as error:
        raise unlike_format(path, "UTF-8 text", f"the byte 0x{error.object[error.start]:02x}") from None
    return text.removesuffix("\n").split("\n") if text else []


def _name_and_text(line: str, place: str) -> tuple[str, str]:
    cells = line.split("\t")
    if len(cells) != len(_COLUMNS):
        raise unlike_format(place, f"{len(_COLUMNS)} columns ({', '.join(_COLUMNS)})", str(len(cells)))
    return cells[0], _ESCAPE.sub(lambda found: _ESCAPES[found[0]], cells[-1])


def _labels(line: str, place: str, several: tuple[str, ...]) -> dict[str, Any]:
    """The values of a line of `key=value` pairs."""
    found: dict[str, list[str]] = {}
    for pair in line.split():
        key, sign, value = pair.partition("=")
        if not (key and sign):
            raise unlike_format(place, "key=value", short_repr(pair))
        found.setdefault(key, []).append(value)
    return {key: each if key in several or len(each) > 1 else each[0] for key, each in found.items()}


_NUMBERS = 8  # in front of the text of a line of boxes


def read_sroie(folder: Path, split: str) -> list[DocumentRecord]:
    """The receipts of a split, in the order of their names.

    Raises:
        ValueError: naming file and line.
    """
    entities = found_file(folder, (f"{split}/entities/*.txt",), f"the receipts of the split {split!r}").parent
    return [_receipt(path, entities.parent) for path in sorted(entities.glob("*.txt"))]


def _receipt(path: Path, folder: Path) -> DocumentRecord:
    answer = read_value(path)
    if not isinstance(answer, dict) or not all(isinstance(each, str) for each in answer.values()):
        raise unlike_format(path, "an object with texts", short_repr(answer))
    image = first_that_exists(folder / "img" / f"{path.stem}{suffix}" for suffix in (".jpg", ".png"))
    boxes = folder / "box" / path.name
    page = Page(image, _lines_with_boxes(boxes) if boxes.is_file() else None)
    return DocumentRecord(path.stem, (answer,), (page,))


def _lines_with_boxes(path: Path) -> tuple[Word, ...]:
    """The pieces of text of a receipt: `x1,y1,…,x4,y4,text`, where the text may hold commas."""
    words = []
    for number, line in enumerate(_text_of(path).splitlines(), 1):
        if line.strip():
            *corners, text = line.split(",", _NUMBERS)
            words.append(Word(text.strip(), box_of_corners(_numbers(corners), f"{path}, line {number}")))
    return tuple(words)


def _numbers(cells: list[str]) -> Any:
    """The cells as numbers, or as they are where one is none."""
    try:
        return [int(cell) for cell in cells]
    except ValueError:
        return cells


def _text_of(path: Path) -> str:
    """The text of a file; a few of the data set are not UTF-8."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


LINE_ITEMS = "line_items"  # the key of rows in the ground truth; the data has none
_SPAN = 3  # text, box and segments
_ENDS = 5  # page, left, top, right, bottom


def read_vrdu(folder: Path, form: str) -> list[DocumentRecord]:
    """The documents of a form, in the order of the file.

    Several spans of a key are alternatives; rows of a form are a list under `line_items`.

    Args:
        folder: of the repository, or one above it.
        form: "ad-buy-form" or "registration-form".

    Raises:
        ValueError: naming file and line.
    """
    patterns = [f"{form}/main/dataset.jsonl{suffix}" for suffix in (".gz", "")]
    source = found_file(folder, patterns, f"the data of {form}")
    table = read_table(source)
    return [_form(row, str(table.where(number)), source.with_name("pdfs")) for number, row in enumerate(table.rows)]


def _form(row: Any, place: str, folder: Path) -> DocumentRecord:
    name = value_of(row, "filename", str, place)
    pdf = folder / name
    answer = _labels_of(value_of(row, "annotations", list, place), f"{place}, annotations")
    return DocumentRecord(
        name, (answer,), _pages(value_of(row, "ocr", dict, place), place), pdf if pdf.is_file() else None
    )


def _labels_of(annotations: list[Any], place: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, annotation in enumerate(annotations):
        at = f"{place}[{number}]"
        if not (isinstance(annotation, list) and len(annotation) == 2 and isinstance(annotation[1], list)):  # noqa: PLR2004
            raise unlike_format(at, "a key and its spans", short_repr(annotation))
        key, spans = annotation
        if isinstance(key, list):
            found.setdefault(LINE_ITEMS, []).extend(_row(key, span, at) for span in spans)
        elif spans:
            values = tuple(dict.fromkeys(_span_text(span, at) for span in spans))
            found[key] = values[0] if len(values) == 1 else values
    return found


def _row(keys: list[str], cells: Any, place: str) -> dict[str, str]:
    """A row of a form; a cell that is empty stands for nothing."""
    if not isinstance(cells, list) or len(cells) != len(keys):
        raise unlike_format(place, f"a row of {len(keys)} cells", short_repr(cells))
    return {key: _span_text(cell, place) for key, cell in zip(keys, cells, strict=True) if cell}


def _span_text(span: Any, place: str) -> str:
    if not isinstance(span, list) or len(span) != _SPAN or not isinstance(span[0], str):
        raise unlike_format(place, "a text with its box and segments", short_repr(span))
    return span[0].strip()


def _pages(ocr: dict[str, Any], place: str) -> tuple[Page, ...]:
    text = value_of(ocr, "text", str, f"{place}, ocr")
    pages = value_of(ocr, "pages", list, f"{place}, ocr")
    return tuple(_page_of(page, text, f"{place}, ocr.pages[{number}]") for number, page in enumerate(pages))


def _page_of(page: Any, text: str, place: str) -> Page:
    tokens = value_of(page, "tokens", list, place)
    words = (_token(token, text, f"{place}.tokens[{number}]") for number, token in enumerate(tokens))
    return Page(words=tuple(word for word in words if word.text))


def _token(token: Any, text: str, place: str) -> Word:
    box, segments = value_of(token, "bbox", list, place), value_of(token, "segments", list, place)
    if len(box) != _ENDS or not all(isinstance(each, int | float) for each in box):
        at = f"{place}.bbox"
        raise unlike_format(at, "a page and four numbers", short_repr(box))
    if not all(isinstance(each, list) and len(each) == 2 for each in segments):  # noqa: PLR2004  start and end
        at = f"{place}.segments"
        raise unlike_format(at, "pairs of a start and an end", short_repr(segments))
    return Word("".join(text[start:end] for start, end in segments).strip(), tuple(box[1:]))


_PDF, _TEXT = ".pdf", ".txt"
_REFERENCES = tuple(f"references{suffix}" for suffix in (".jsonl", ".json", ".csv", ".parquet"))
_NAMED = 5  # ids that a message names


def documents_in(
    folder: Path, *, references: Path | None = None, schema: Path | None = None, with_text: bool = True
) -> list[DocumentRecord]:
    """The documents that the references name, in the order of the references.

    The document of the id `a` is `a.pdf`, a picture `a.png`, a text `a.txt`, or a folder `a` with a picture a page; the
    id may also be the whole name of the file.

    Args:
        folder: of the documents.
        references: rows of `question_id` and `references`, as for `docscore score`; by default `references.jsonl` (or
            .json, .csv, .parquet) in the folder.
        schema: a JSON Schema, or a folder with `ID.json` for each document; by default `schema.json` in the folder.
        with_text: whether the text layers of PDFs are read; not needed where pictures are sent.

    Raises:
        ValueError: naming the file, or the ids without a document.
    """
    source = references or found_file(folder, _REFERENCES, "a file of references")
    if not folder.is_dir():
        raise unlike_format(folder, "a folder", "none")
    table = read_table(source)
    if not table.rows or side_format(table.rows[0], "references") is not BY_ID:
        raise unlike_format(source, f"rows with {ID!r} and 'references'", "none" if not table.rows else "others")
    rows = read_references(table.rows, BY_ID, table.where)
    found = _files_by_id(folder)
    ids = [str(row.id) for row in rows]
    missing = [name for name in ids if name not in found]
    if missing:
        some = f"none for {len(missing):,}: {', '.join(map(short_repr, missing[:_NAMED]))}"
        raise unlike_format(folder, f"a document for each of the {len(rows):,} ids", some)
    schemas = _schemas(schema or folder / "schema.json", ids)
    return [
        _document_of(name, found[name], row.value, schemas[name], with_text=with_text)
        for name, row in zip(ids, rows, strict=True)
    ]


def _schemas(place: Path, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The schema of each document: one for all, or one each from a folder."""
    if place.is_dir():
        return {name: _schema_in(place / f"{name}.json") for name in ids}
    return dict.fromkeys(ids, _schema_in(place))


def _files_by_id(folder: Path) -> dict[str, Path]:
    """The documents by their name with and without extension; a PDF comes before a picture, a picture before a text."""
    kinds = {_PDF: 0, **dict.fromkeys(PICTURES, 1), "": 2, _TEXT: 3}
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: (kinds.get(path.suffix.lower(), 4), path.name)):
        if path.is_dir() or path.suffix.lower() in kinds:
            found.setdefault(path.name, path)
            found.setdefault(path.stem, path)
    return found


def _schema_in(path: Path) -> dict[str, Any]:
    schema = read_value(path)
    if not isinstance(schema, dict):
        raise unlike_format(path, "a JSON Schema", type(schema).__name__)
    return schema


def _document_of(name: str, path: Path, answers: Any, schema: dict[str, Any], *, with_text: bool) -> DocumentRecord:
    suffix = path.suffix.lower()
    if path.is_dir():
        pictures = sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURES)
        if not pictures:
            raise unlike_format(path, f"pictures of pages ({', '.join(PICTURES)})", "none")
        return DocumentRecord(name, answers, tuple(Page(image=each) for each in pictures), schema=schema)
    if suffix == _PDF:
        pages = pages_of_pdf(path) if with_text else ()
        return DocumentRecord(name, answers, pages, path, schema=schema)
    if suffix == _TEXT:
        return DocumentRecord(name, answers, (Page(text=path.read_text("utf-8")),), schema=schema)
    return DocumentRecord(name, answers, (Page(image=path),), schema=schema)

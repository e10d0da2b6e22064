"""Read the data sets of the paper as they are distributed, and your own folder, as documents."""

import ast
import lzma
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, get_args

from docscore.core.errors import InputValueError, short_repr, some_of
from docscore.core.options import check_choice
from docscore.core.schema_source import SchemaSource
from docscore.inputs.formats import parquet_file, read_table, read_value, text_of_file
from docscore.inputs.json_text import loads
from docscore.inputs.rows import BY_ID, ID, read_rows, side_format
from docscore_benchmark.documents import (
    PAPER_SCHEMAS,
    PICTURES,
    SCHEMAS,
    TEXT_METHODS,
    Box,
    DocumentRecord,
    Page,
    Style,
    Word,
    pages_of_pdf,
    unlike_format,
)

_NUMBER = (int, float)
_CORNERS = [_NUMBER] * 8  # x and y of each corner of a quadrilateral
_DEEPEST = 3  # a file is searched for up to this many levels below the given folder
_HEAD = 1 << 16  # the first bytes of a file, in which a key is searched for


def found_file(folder: Path, patterns: Iterable[str], what: str, fits: Callable[[Path], bool] = lambda _: True) -> Path:
    """Return the first file that a pattern matches in the folder or up to three folders below it.

    Args:
        folder: where to look.
        patterns: patterns of file names, in order of preference.
        what: the content of the file, for the error message.
        fits: whether a file belongs to the data set; several data sets use the same file names.

    Raises:
        ValueError: if the folder is not a folder, or contains no such file.
    """
    if not folder.is_dir():
        raise unlike_format(folder, "a folder", "a file" if folder.exists() else "a path that does not exist")
    patterns = list(patterns)
    for pattern in patterns:
        for depth in range(_DEEPEST + 1):
            path = next(filter(fits, sorted(folder.glob("*/" * depth + pattern))), None)
            if path is not None:
                return path
    raise unlike_format(folder, f"{what} ({' or '.join(patterns)})", "none")


def first_that_exists(paths: Iterable[Path]) -> Path | None:
    """Return the first of the files that exists, or None."""
    return next((path for path in paths if path.is_file()), None)


def checked(value: Any, shape: Any, place: str) -> Any:
    """Return the value after checking its shape.

    Args:
        value: a JSON value.
        shape: a type or a tuple of types; a list with one shape for all elements, or with one for each element; or a
            dict with the shapes of required keys.
        place: the place of the value, for the error message.

    Raises:
        ValueError: naming the place inside the value that has another shape.
    """
    if isinstance(shape, dict):
        for key, inner in shape.items():
            checked(checked(value, dict, place).get(key), inner, f"{place}.{key}")
    elif isinstance(shape, list):
        items = checked(value, list, place)
        shapes = shape * len(items) if len(shape) == 1 else shape
        if len(shapes) != len(items):
            raise unlike_format(place, f"a list of {len(shapes)}", short_repr(value))
        for number, (item, inner) in enumerate(zip(items, shapes, strict=True)):
            checked(item, inner, f"{place}[{number}]")
    elif not isinstance(value, shape):
        names = " or ".join(kind.__name__ for kind in (shape if isinstance(shape, tuple) else (shape,)))
        raise unlike_format(place, names, short_repr(value))
    return value


def box_of_corners(corners: list[float]) -> Box:
    """Return the box around a quadrilateral, which is given as eight numbers."""
    across, down = corners[0::2], corners[1::2]
    return (min(across), min(down), max(across), max(down))


_MOST_PAGES = 20  # the most pages of a document of MPDocVQA
_OCR_FOLDERS = ("spdocvqa_ocr", "ocr_results", "ocr")
_QUESTION = {"questionId": (int, str), "question": str, "answers": [str]}
_LINES_OF_WORDS = {"recognitionResults": [{"lines": [{"words": [{"text": str, "boundingBox": _CORNERS}]}]}]}
_BOX = {"Left": _NUMBER, "Top": _NUMBER, "Width": _NUMBER, "Height": _NUMBER}
_WORD_BLOCKS = {"WORD": [{"Text": str, "Geometry": {"BoundingBox": _BOX}}]}  # the format of Textract


def read_docvqa(folder: Path, split: str) -> list[DocumentRecord]:
    """Read the questions of DocVQA (task 1), in the order of the file.

    The questions are in `SPLIT_v1.0_withQT.json` or `SPLIT_v1.0.json`, pictures in `spdocvqa_images` or `documents`,
    and OCR in `spdocvqa_ocr` or `ocr_results`. Without them, Parquet files whose names start with the split are read.

    Raises:
        ValueError: naming file and row.
    """
    bases, rows = _rows(folder, (f"{split}_v1.0_withQT.json", f"{split}_v1.0.json"), split, "image")
    return [_question(row, place, bases) for place, row in rows]


def read_mp_docvqa(folder: Path, split: str) -> list[DocumentRecord]:
    """Read the questions of MPDocVQA (task 4), in the order of the file.

    The questions are in `SPLIT.json`, pictures in `images` and OCR in `ocr`. Without them, Parquet files whose names
    start with the split are read.

    Raises:
        ValueError: naming file and row.
    """
    bases, rows = _rows(folder, (f"{split}.json",), split, "page_ids")
    return [_question_on_pages(row, place, bases) for place, row in rows]


def _rows(
    folder: Path, patterns: tuple[str, ...], split: str, key: str
) -> tuple[list[Path], Iterator[tuple[str, Any]]]:
    """Find the file whose rows have a key; return the folders that may have pages, and its rows with their places."""

    def fits(path: Path) -> bool:
        if path.suffix == ".parquet":
            with parquet_file(path) as file:
                return key in file.schema_arrow.names
        with path.open("rb") as file:
            return f'"{key}"'.encode() in file.read(_HEAD)

    hub = f"{split}*.parquet"
    source = found_file(folder, (*patterns, hub), f"the questions of the split {split!r}", fits)
    bases = [source.parent, folder, source.parent.parent]
    if source.suffix == ".parquet":
        tables = map(read_table, sorted(source.parent.glob(hub)))
        return bases, ((str(table.where(number)), row) for table in tables for number, row in enumerate(table.rows))
    rows = checked(read_value(source), {"data": [dict]}, f"{source}, $")["data"]
    return bases, ((f"{source}, data[{number}]", row) for number, row in enumerate(rows))


def _question(row: Any, place: str, bases: list[Path]) -> DocumentRecord:
    """Return a question about one page. Rows from the Hub contain the picture."""
    image = checked(row, {"image": (str, dict), "docId": (int, str)}, place)["image"]
    return _document(
        row, place, (_page(image, place, bases, ("spdocvqa_images", "documents", "images")),), row["docId"]
    )


def _question_on_pages(row: Any, place: str, bases: list[Path]) -> DocumentRecord:
    """Return a question about several pages. Rows from the Hub contain pictures, and answers as a Python literal."""
    group = checked(row, {"doc_id": str}, place)["doc_id"]
    images = [row.get(f"image_{number}") for number in range(1, _MOST_PAGES + 1)]
    if not any(images):
        images = [f"{name}.jpg" for name in checked(row, {"page_ids": [str]}, place)["page_ids"]]
    if isinstance(row.get("answers"), str):
        with suppress(ValueError, SyntaxError):
            row = {**row, "answers": ast.literal_eval(row["answers"])}
    pages = tuple(_page(image, place, bases, ("images", "documents")) for image in images if image)
    return _document(row, place, pages, group)


def _document(row: Any, place: str, pages: tuple[Page, ...], group: int | str) -> DocumentRecord:
    answers = tuple(checked(row, _QUESTION, place)["answers"])
    if not answers:
        raise unlike_format(place, "at least one answer", "none")
    return DocumentRecord(str(row["questionId"]), answers, pages, question=row["question"], group=str(group))


def _page(image: Any, place: str, bases: list[Path], folders: tuple[str, ...]) -> Page:
    """Return a page with its picture, and its OCR if there is any."""
    if isinstance(image, dict):
        return Page(image=checked(image, {"bytes": bytes}, f"{place}.image")["bytes"])
    path = Path(image)
    pictures = [base / path for base in bases] + [base / each / path.name for base in bases for each in folders]
    ocr = first_that_exists(base / each / f"{path.stem}.json" for base in bases for each in _OCR_FOLDERS)
    return Page(first_that_exists(pictures), None if ocr is None else _words(read_value(ocr), f"{ocr}, $"))


def _words(content: Any, place: str) -> tuple[Word, ...]:
    """Return the words of an OCR file with `recognitionResults`, or with the `WORD` blocks of Textract."""
    if isinstance(content, dict) and "WORD" in content:
        return tuple(map(_word_of_block, checked(content, _WORD_BLOCKS, place)["WORD"]))
    results = checked(content, _LINES_OF_WORDS, place)["recognitionResults"]
    return tuple(
        Word(word["text"], box_of_corners(word["boundingBox"]))
        for result in results
        for line in result["lines"]
        for word in line["words"]
    )


def _word_of_block(block: Any) -> Word:
    left, top, width, height = (block["Geometry"]["BoundingBox"][key] for key in _BOX)
    return Word(block["Text"], (left, top, left + width, top + height))


_COLUMNS = ("filename", "keys", "text_djvu", "text_tesseract", "text_textract", "text_best")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\f": "\f", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[ntf\\]")


def read_kleister(folder: Path, split: str, key: str, *, several: tuple[str, ...] = ()) -> list[DocumentRecord]:
    """Read the documents of a split, in the order of the file, with the text of the best OCR.

    Values stay as they are distributed, with `_` for a blank. A key that occurs several times in a document has a list.

    Args:
        folder: the folder of the repository, or one above it.
        split: "train", "dev-0" or "test-A".
        key: a key that only documents of this data set have, not documents of the other Kleister data set.
        several: keys whose value is always a list.

    Raises:
        ValueError: naming file and line.
    """
    names = (f"{split}/in.tsv.xz", f"{split}/in.tsv")
    source = found_file(folder, names, f"the texts of the split {split!r} with the key {key!r}", partial(_asks, key))
    lines = _lines_of(source)
    labels = source.with_name("expected.tsv")
    answers = _lines_of(labels)
    if len(lines) != len(answers):
        raise unlike_format(labels, f"{len(lines):,} lines as in {source.name}", f"{len(answers):,}")
    documents = []
    for number, (line, label) in enumerate(zip(lines, answers, strict=True), 1):
        cells = line.split("\t")
        if len(cells) != len(_COLUMNS):
            place, expected = f"{source}, line {number}", f"{len(_COLUMNS)} columns ({', '.join(_COLUMNS)})"
            raise unlike_format(place, expected, str(len(cells)))
        name, text = cells[0], _ESCAPE.sub(lambda match: _ESCAPES[match[0]], cells[-1])
        answer = _labels(label, f"{labels}, line {number}", several)
        pages = tuple(Page(text=part) for part in text.split("\f"))
        pdf = source.parent.parent / "documents" / name
        documents.append(DocumentRecord(name, (answer,), pages, pdf if pdf.is_file() else None))
    return documents


def last_of_each(document: DocumentRecord, keys: tuple[str, ...]) -> tuple[Any, ...]:
    """Return the answers with only the last value of some keys, as the code of the paper kept them."""
    return tuple(
        {key: value[-1] if key in keys and isinstance(value, list) else value for key, value in answer.items()}
        for answer in document.answers
    )


def _asks(key: str, path: Path) -> bool:
    """Return whether the first document of a file may have the key; True for a file of another form."""
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        try:
            cells = file.readline().split(b"\t")
        except (lzma.LZMAError, EOFError):
            return True
    return len(cells) != len(_COLUMNS) or key.encode() in cells[1].split()


def _lines_of(path: Path) -> list[str]:
    """Return the lines of a file, decompressed."""
    try:
        content = path.read_bytes()
        text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
    except lzma.LZMAError as error:
        raise unlike_format(path, "an xz file", str(error)) from None
    except UnicodeDecodeError as error:
        raise unlike_format(path, "UTF-8 text", f"the byte 0x{error.object[error.start]:02x}") from None
    return text.removesuffix("\n").split("\n") if text else []


def _labels(line: str, place: str, several: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of a line of `key=value` pairs."""
    labels: dict[str, list[str]] = {}
    for pair in line.split():
        key, sign, value = pair.partition("=")
        if not (key and sign):
            raise unlike_format(place, "key=value", short_repr(pair))
        labels.setdefault(key, []).append(value)
    return {key: each if key in several or len(each) > 1 else each[0] for key, each in labels.items()}


def read_sroie(folder: Path, split: str) -> list[DocumentRecord]:
    """Read the receipts of a split, sorted by name.

    Raises:
        ValueError: naming file and line.
    """
    entities = found_file(folder, (f"{split}/entities/*.txt",), f"the receipts of the split {split!r}").parent
    return [_receipt(path, entities.parent) for path in sorted(entities.glob("*.txt"))]


def _receipt(path: Path, folder: Path) -> DocumentRecord:
    answer = checked(read_value(path), dict, str(path))
    checked(list(answer.values()), [str], f"{path}, values")
    image = first_that_exists(folder / "img" / f"{path.stem}{suffix}" for suffix in (".jpg", ".png"))
    boxes = folder / "box" / path.name
    return DocumentRecord(path.stem, (answer,), (Page(image, _lines_with_boxes(boxes) if boxes.is_file() else None),))


def _lines_with_boxes(path: Path) -> tuple[Word, ...]:
    """Return the pieces of text of a receipt from lines `x1,y1,…,x4,y4,text`, where the text may contain commas."""
    words = []
    for number, line in enumerate(_text_of(path).splitlines(), 1):
        if line.strip():
            *cells, text = line.split(",", len(_CORNERS))
            corners = [int(cell) if cell.strip().lstrip("-").isdecimal() else cell for cell in cells]
            words.append(
                Word(text.strip(), box_of_corners(checked(corners, _CORNERS, f"{path}, line {number}, corners")))
            )
    return tuple(words)


def _text_of(path: Path) -> str:
    """Return the text of a file, which for a few files of the data set is not UTF-8."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


LINE_ITEMS = "line_items"  # the key of rows in the ground truth; the data has no such key
_SPAN = [str, object, object]  # text, box and segments
_TOKEN = {
    "bbox": [_NUMBER] * 5,
    "segments": [[int, int]],
}  # page, left, top, right, bottom; starts and ends in the text
_FORM = {
    "filename": str,
    "annotations": [[(str, list), list]],  # key or keys of a row, and spans
    "ocr": {"text": str, "pages": [{"tokens": [_TOKEN]}]},
}


def read_vrdu(folder: Path, form: str) -> list[DocumentRecord]:
    """Read the documents of a form, in the order of the file.

    Several spans of a key are alternatives. The rows of a form are a list under `line_items`.

    Args:
        folder: the folder of the repository, or one above it.
        form: "ad-buy-form" or "registration-form".

    Raises:
        ValueError: naming file and line.
    """
    source = found_file(folder, [f"{form}/main/dataset.jsonl{suffix}" for suffix in (".gz", "")], f"the data of {form}")
    table = read_table(source)
    return [_form(row, f"{table.where(number)}, $", source.with_name("pdfs")) for number, row in enumerate(table.rows)]


def _form(row: Any, place: str, folder: Path) -> DocumentRecord:
    pdf, ocr = folder / checked(row, _FORM, place)["filename"], row["ocr"]
    answer = _labels_of(row["annotations"], f"{place}.annotations")
    pages = tuple(Page(words=_words_of(page["tokens"], ocr["text"])) for page in ocr["pages"])
    return DocumentRecord(row["filename"], (answer,), pages, pdf if pdf.is_file() else None)


def _labels_of(annotations: list[Any], place: str) -> dict[str, Any]:
    labels: dict[str, Any] = {}
    for number, (key, spans) in enumerate(annotations):
        if isinstance(key, list):
            labels.setdefault(LINE_ITEMS, []).extend(_row(key, span, f"{place}[{number}]") for span in spans)
        elif spans:
            values = tuple(dict.fromkeys(span[0].strip() for span in checked(spans, [_SPAN], f"{place}[{number}]")))
            labels[key] = values[0] if len(values) == 1 else values
    return labels


def _row(keys: list[str], cells: Any, place: str) -> dict[str, str]:
    """Return a row of a form without its empty cells."""
    if len(checked(cells, list, place)) != len(keys):
        raise unlike_format(place, f"a row of {len(keys)} cells", short_repr(cells))
    return {key: checked(cell, _SPAN, place)[0].strip() for key, cell in zip(keys, cells, strict=True) if cell}


def _words_of(tokens: list[Any], text: str) -> tuple[Word, ...]:
    texts = ("".join(text[start:end] for start, end in token["segments"]).strip() for token in tokens)
    return tuple(Word(word, tuple(token["bbox"][1:])) for word, token in zip(texts, tokens, strict=True) if word)


_PDF, _TEXT = ".pdf", ".txt"
_REFERENCES = tuple(f"references{suffix}" for suffix in (".jsonl", ".json", ".csv", ".parquet"))


def documents_in(
    folder: Path, *, references: Path | None = None, schema: Path | None = None, with_text: bool = True
) -> list[DocumentRecord]:
    """Read the documents that the references name, in the order of the references.

    The document with the id `a` is `a.pdf`, a picture `a.png`, a text `a.txt`, or a folder `a` with one picture per
    page. The id may also be the full name of the file.

    Args:
        folder: the folder with the documents.
        references: rows of `question_id` and `references`, as for `docscore score`; the default is `references.jsonl`
            (or .json, .csv, .parquet) in the folder.
        schema: a JSON Schema, or a folder with `ID.json` for each document; the default is `schema.json` in the folder.
        with_text: whether to read the text layers of PDFs, which methods that send pictures do not need.

    Raises:
        ValueError: naming the file, or the ids without a document.
    """
    source = references or found_file(folder, _REFERENCES, "a file of references")
    if not folder.is_dir():
        raise unlike_format(folder, "a folder", "none")
    table = read_table(source)
    if not table.rows or side_format(table.rows[0], "references") is not BY_ID:
        raise unlike_format(source, f"rows with {ID!r} and 'references'", "none" if not table.rows else "others")
    rows = read_rows(table, BY_ID, "references")
    files = _files_by_id(folder)
    missing = [name for name in rows.ids if name not in files]
    if missing:
        raise unlike_format(
            folder,
            f"a document for each of the {len(rows.ids):,} ids",
            f"none for {len(missing):,}: {some_of(missing)}",
        )
    schemas = SchemaSource.of(schema or found_file(folder, ["schema.json"], "a JSON Schema, or the option schema"))
    return [
        _document_of(name, files[name], answers, loads(schemas.schema_of(name)), with_text=with_text)
        for name, answers in zip(rows.ids, rows.values, strict=True)
    ]


def _files_by_id(folder: Path) -> dict[str, Path]:
    """Return the documents by name with and without extension; PDFs precede pictures, and pictures precede texts."""
    kinds = {_PDF: 0, **dict.fromkeys(PICTURES, 1), "": 2, _TEXT: 3}
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: (kinds.get(path.suffix.lower(), 4), path.name)):
        if path.is_dir() or path.suffix.lower() in kinds:
            files.setdefault(path.name, path)
            files.setdefault(path.stem, path)
    return files


def _document_of(name: str, path: Path, answers: Any, schema: dict[str, Any], *, with_text: bool) -> DocumentRecord:
    suffix = path.suffix.lower()
    if path.is_dir():
        pictures = sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURES)
        if not pictures:
            raise unlike_format(path, f"pictures of pages ({', '.join(PICTURES)})", "none")
        return DocumentRecord(name, answers, tuple(Page(image=each) for each in pictures), schema=schema)
    if suffix == _PDF:
        return DocumentRecord(name, answers, pages_of_pdf(path) if with_text else (), path, schema=schema)
    page = Page(text=text_of_file(path, "UTF-8")) if suffix == _TEXT else Page(image=path)
    return DocumentRecord(name, answers, (page,), schema=schema)


_SEVERAL = ("party",)  # the key of Kleister NDA that may have several values
_RRC = "rrc.cvc.uab.es, challenge 17 (registration)"


@dataclass(frozen=True)
class DataSet:
    """A data set.

    Attributes:
        name: its name in tasks and commands.
        title: its name in tables.
        load: a function that reads the documents of a split in a folder, without a schema.
        splits: the splits; the paper used the first one.
        paper_size: the number of documents that the paper sampled.
        source: where to get the data set.
        licence: the terms of use that its owners state.
    """

    name: str
    title: str
    load: Callable[[Path, str], list[DocumentRecord]]
    splits: tuple[str, ...]
    paper_size: int
    source: str
    licence: str


DATA_SETS = {
    each.name: each
    for each in (
        DataSet(
            "docvqa",
            "DocVQA",
            read_docvqa,
            ("val", "train"),
            100,
            f"{_RRC}, task 1; or the Parquet files of lmms-lab/DocVQA on the hub (pictures, no OCR)",
            "terms of the RRC",
        ),
        DataSet(
            "mp_docvqa",
            "MPDocVQA",
            read_mp_docvqa,
            ("val", "train"),
            50,
            f"{_RRC}, task 4; or the Parquet files of lmms-lab/MP-DocVQA on the hub (pictures, no OCR)",
            "terms of the RRC",
        ),
        DataSet(
            "kleister_charity",
            "Kleister Charity",
            partial(read_kleister, key="charity_name"),
            ("train", "dev-0", "test-A"),
            50,
            "git clone https://github.com/applicaai/kleister-charity (the PDFs by its annex-get-all-from-s3.sh)",
            "no licence file",
        ),
        DataSet(
            "kleister_nda",
            "Kleister NDA",
            partial(read_kleister, key="jurisdiction", several=_SEVERAL),
            ("train", "dev-0", "test-A"),
            50,
            "git clone https://github.com/applicaai/kleister-nda",
            "no licence file",
        ),
        DataSet(
            "sroie",
            "SROIE",
            read_sroie,
            ("test", "train"),
            50,
            "urbikn/sroie-datasetv2 on Kaggle (SROIE2019/test)",
            "CC BY 4.0 by the hub's card of ICDAR2019-SROIE",
        ),
        DataSet(
            "vrdu_ad_buy",
            "VRDU Ad Buy",
            lambda folder, _split: read_vrdu(folder, "ad-buy-form"),
            ("main",),
            50,
            "git clone https://github.com/google-research-datasets/vrdu",
            "no licence file",
        ),
        DataSet(
            "vrdu_registration",
            "VRDU Registration",
            lambda folder, _split: read_vrdu(folder, "registration-form"),
            ("main",),
            50,
            "git clone https://github.com/google-research-datasets/vrdu",
            "no licence file",
        ),
    )
}


def documents_of(
    name: str, folder: Path, *, split: str | None = None, sample: str | int = "paper", style: str = "plain"
) -> list[DocumentRecord]:
    """Read the documents of a data set.

    Args:
        name: one of `DATA_SETS`.
        folder: the folder of the data set, or up to three folders above it.
        split: one of its splits; the default is the split that the paper used.
        sample: "paper", "all" or a number, see `docscore_benchmark.data_sets.chosen`.
        style: "paper" for the schema and the labels of the paper's code (one party of Kleister NDA, numbers in Kleister
            Charity), or "plain".

    Raises:
        ValueError: for an unknown name, split, sample or style; for an invalid file, naming the file and the line.
    """
    check_choice("data set", name, tuple(DATA_SETS))
    check_choice("prompt", style, get_args(Style))
    data_set = DATA_SETS[name]
    check_choice("split", split, (None, *data_set.splits))
    documents = chosen(data_set.load(folder, split or data_set.splits[0]), sample, data_set.paper_size)
    schema = (PAPER_SCHEMAS if style == "paper" else SCHEMAS).get(name)
    as_paper = style == "paper" and schema is not None
    return [
        replace(each, schema=schema, answers=last_of_each(each, _SEVERAL) if as_paper else each.answers)
        for each in documents
    ]


PAPER_SEED = 42  # the code of the paper sets this seed before it shuffles the rows in file order


def chosen(rows: Sequence[Any], sample: str | int, paper_size: int | None) -> list[Any]:
    """Return the rows of a sample.

    Args:
        rows: all rows of the split, in file order.
        sample: "all", a number of rows from the start, or "paper" for the first rows after shuffling with the seed 42.
        paper_size: the number of rows that the paper used; None if it used none of these rows.

    Raises:
        ValueError: for any other sample.

    >>> chosen(range(1000), "paper", 5)
    [776, 507, 895, 922, 33]
    """
    if sample == "all":
        return list(rows)
    if sample == "paper" and paper_size is not None:
        order = list(range(len(rows)))
        Random(PAPER_SEED).shuffle(order)  # noqa: S311  not a secret
        return [rows[number] for number in order[:paper_size]]
    if str(sample).isdecimal() and int(sample) > 0:
        return list(rows[: int(sample)])
    known = "'all'" if paper_size is None else "'paper', 'all'"
    raise InputValueError(place="sample", expected=f"{known} or a number above 0", got=f"{sample!r}")


# what each method needs of a document
NEEDS = {**dict.fromkeys(TEXT_METHODS, "words or text"), "vision": "a PDF or pictures", "pdf": "a PDF"}


def checked_data(folder: Path, name: str | None = None) -> list[dict[str, Any]]:
    """Report which data sets are in a folder, with the split of the paper.

    Args:
        folder: the folder with the data sets, each in its own folder up to three levels below.
        name: the only data set to look for; "documents" for your own documents. The default is all data sets.

    Returns:
        For each data set its name, title, split, source and licence; the number of documents, which is None if it
        cannot be read, with the reason under `error`; and the number of documents that each method can use.

    Raises:
        ValueError: for an unknown name.
    """
    own = DataSet("documents", "Own documents", lambda folder, _split: documents_in(folder), ("",), 0, "", "")
    known = [each for each in (*DATA_SETS.values(), own) if each.name == name or (name is None and each is not own)]
    if not known:
        raise InputValueError(place="data set", expected=f"one of {', '.join(DATA_SETS)} or documents", got=f"{name!r}")
    return [_checked(folder, data_set) for data_set in known]


def _checked(folder: Path, data_set: DataSet) -> dict[str, Any]:
    facts: dict[str, Any] = {"documents": None, "methods": {}, "error": None}
    try:
        documents = data_set.load(folder, data_set.splits[0])
        methods = {method: sum(_has(each, method) for each in documents) for method in NEEDS}
        facts |= {"documents": len(documents), "methods": methods}
    except (OSError, ValueError) as error:
        facts["error"] = str(error)
    return {
        "name": data_set.name,
        "title": data_set.title,
        "split": data_set.splits[0],
        **facts,
        "source": data_set.source,
        "licence": data_set.licence,
    }


def _has(document: DocumentRecord, method: str) -> bool:
    """Return whether a document has what a method needs."""
    if method in TEXT_METHODS:
        return bool(document.pages) and all(page.words is not None or page.text is not None for page in document.pages)
    pictures = method == "vision" and bool(document.pages) and all(page.image for page in document.pages)
    return document.pdf is not None or pictures

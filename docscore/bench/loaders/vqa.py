"""DocVQA and MPDocVQA, from the archives of the RRC challenge 17 or from Parquet files of the hub."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docscore.bench.loaders.reading import (
    box_of_corners,
    first_that_exists,
    found_file,
    names_early,
    parquet_columns,
    texts_of,
    value_of,
)
from docscore.bench.records import DocumentRecord, Page, Word, unlike_format
from docscore.core.errors import short_repr
from docscore.data.files import read_table, read_value

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

"""VRDU, its Ad Buy and Registration forms, from a clone of the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docscore.bench.loaders.reading import found_file, value_of
from docscore.bench.records import DocumentRecord, Page, Word, unlike_format
from docscore.core.errors import short_repr
from docscore.data.files import read_table

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

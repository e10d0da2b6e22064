"""SROIE (task 3), from the archive with a folder each for pictures, boxes and entities."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docscore.bench.loaders.reading import box_of_corners, first_that_exists, found_file
from docscore.bench.records import DocumentRecord, Page, Word, unlike_format
from docscore.core.errors import short_repr
from docscore.data.files import read_value

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

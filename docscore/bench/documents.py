"""A document of a benchmark: what is asked, what is right, and its pages from PDFs and pictures."""

from __future__ import annotations

import hashlib
import io
import tempfile
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, PlacePart, in_file
from docscore.core.runtime import library

Box = tuple[float, float, float, float]


class Word(NamedTuple):
    """A word on a page.

    Attributes:
        text: the word, or a piece of text that the OCR did not split.
        box: left, top, right and bottom; y grows downwards. Any unit, the same for all words of a page.
    """

    text: str
    box: Box


@dataclass(frozen=True)
class Page:
    """A page of a document, as far as the data has it.

    Attributes:
        image: a picture, as a file or as its bytes; None if there is none.
        words: the words in reading order; None if there is no OCR with boxes.
        text: the text without boxes, with its lines; None if there is none.
    """

    image: Path | bytes | None = None
    words: tuple[Word, ...] | None = None
    text: str | None = None


@dataclass(frozen=True)
class DocumentRecord:
    """A document, or a question about one.

    Attributes:
        id: unique in its set.
        answers: the acceptable answers, each a ground truth for `docscore.anls_score`: JSON values, tuples for one-of.
        pages: its pages; empty where the data has a PDF alone.
        pdf: the PDF; None if there is none.
        question: what is asked; None where values are to be extracted.
        schema: the JSON Schema of the values to be extracted; None for a question.
        group: the file that it comes from, "" where that is its own; questions about one file are right or wrong
            together.
    """

    id: str
    answers: tuple[Any, ...]
    pages: tuple[Page, ...] = ()
    pdf: Path | None = None
    question: str | None = None
    schema: dict[str, Any] | None = None
    group: str = ""


def unlike_format(place: PlacePart | Path, expected: str, got: str) -> InputValueError:
    """The error for a place in a file, or a file as a whole, that is not of the format."""
    return InputValueError(place=in_file(place) if isinstance(place, Path) else place, expected=expected, got=got)


DPI = 150  # at which a page of A4 is 1240 x 1754 pixels, about what vision models see of it
_POINTS = 72  # of a PDF, an inch
PICTURES = (".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".gif", ".bmp")
_SENT_AS_THEY_ARE = (".png", ".jpg", ".jpeg", ".webp", ".gif")  # what providers take
_NEEDS = "reading pages needs {!r}"


def pages_of_pdf(path: Path) -> tuple[Page, ...]:
    """The pages of a PDF with the words of its text layer; a page without one has no words.

    Raises:
        ValueError: naming the file, if it is no PDF.
        OSError: if it cannot be read.
    """
    with closing(_opened(path)) as pdf:
        return tuple(Page(words=_words(page) or None) for page in pdf)


def rendered_pages(path: Path, dpi: int = DPI) -> list[Path]:
    """The pages of a PDF as PNG files in a folder that lasts as long as the process.

    Raises:
        ValueError: naming the file, if it is no PDF.
        OSError: if it cannot be read.
    """
    name = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    found = []
    with closing(_opened(path)) as pdf:
        for number, page in enumerate(pdf, 1):
            target = Path(_temporary_folder().name) / f"{name}-{dpi}-{number}.png"
            if not target.exists():
                page.render(scale=dpi / _POINTS).to_pil().save(target)
            found.append(target)
    return found


def picture_file(image: Path | bytes) -> Path:
    """The picture as a file of a type that providers take: itself, or written anew as PNG.

    Raises:
        ValueError: naming the file, if it is no picture.
        OSError: if it cannot be read.
    """
    if isinstance(image, Path) and image.suffix.lower() in _SENT_AS_THEY_ARE:
        image.open("rb").close()
        return image
    content = image if isinstance(image, bytes) else image.read_bytes()
    target = Path(_temporary_folder().name) / f"{hashlib.sha256(content).hexdigest()[:32]}.png"
    if not target.exists():
        pillow = library("PIL.Image", _NEEDS.format("PIL.Image"), "bench")
        try:
            with pillow.open(io.BytesIO(content)) as picture:
                picture.convert("RGB").save(target)
        except (OSError, ValueError) as error:
            raise InputValueError(
                place="a picture of the data" if isinstance(image, bytes) else in_file(image),
                expected="a picture",
                got=str(error),
            ) from None
    return target


def _words(page: Any) -> tuple[Word, ...]:
    """The words of a page's text layer: runs of characters without white space, in points from the top."""
    text, height = page.get_textpage(), page.get_height()
    letters = [text.get_text_range(index, 1) for index in range(text.count_chars())]
    words = []
    for is_blank, run in groupby(range(len(letters)), key=lambda index: not letters[index].strip()):
        if not is_blank:
            indices = list(run)
            left, bottom, right, top = zip(*(text.get_charbox(index, loose=True) for index in indices), strict=True)
            box = min(left), height - max(top), max(right), height - min(bottom)  # in a PDF y grows upwards
            words.append(Word("".join(letters[index] for index in indices), box))
    return tuple(words)


def _opened(path: Path) -> Any:
    path.open("rb").close()
    pdfium = library("pypdfium2", _NEEDS.format("pypdfium2"), "bench")
    try:
        return pdfium.PdfDocument(path)
    except pdfium.PdfiumError as error:
        raise InputValueError(place=in_file(path), expected="a PDF", got=f"{error}") from None


@cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="docscore-pages-")

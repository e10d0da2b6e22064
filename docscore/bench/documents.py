"""A document of a benchmark: its question or schema, its ground truth, and its pages from PDFs and pictures."""

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
        box: left, top, right and bottom, with y downwards, in a unit that is the same for all words of a page.
    """

    text: str
    box: Box


@dataclass(frozen=True)
class Page:
    """A page of a document, with the parts that the data set has.

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
        pages: the pages; empty if the data set has only a PDF.
        pdf: the PDF; None if there is none.
        question: the question; None if values are to be extracted.
        schema: the JSON Schema of the values to extract; None for a question.
        group: the file that several questions are about, whose scores are not independent; "" if the file has one row.
    """

    id: str
    answers: tuple[Any, ...]
    pages: tuple[Page, ...] = ()
    pdf: Path | None = None
    question: str | None = None
    schema: dict[str, Any] | None = None
    group: str = ""


def unlike_format(place: PlacePart | Path, expected: str, got: str) -> InputValueError:
    """Return the error for a file, or a place in it, that does not have the format."""
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
    found = []
    with closing(_opened(path)) as pdf:
        for number, page in enumerate(pdf, 1):
            target = Path(_temporary_folder().name) / f"{name}-{dpi}-{number}.png"
            if not target.exists():
                page.render(scale=dpi / _POINTS).to_pil().save(target)
            found.append(target)
    return found


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
        pillow = library("PIL.Image", _NEEDS.format("PIL.Image"), "bench")
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
    """Return the words of the text layer of a page: runs without white space, with boxes in points from the top."""
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

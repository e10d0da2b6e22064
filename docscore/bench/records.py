"""A document of a benchmark: its pages, what is asked, and what is right."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, PlacePart, in_file

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
        group: the file that it comes from; questions about one file are right or wrong together.
    """

    id: str
    answers: tuple[Any, ...]
    pages: tuple[Page, ...] = ()
    pdf: Path | None = None
    question: str | None = None
    schema: dict[str, Any] | None = None
    group: str = ""

    def __post_init__(self) -> None:
        """Take the id as the group where none is given."""
        object.__setattr__(self, "group", self.group or self.id)


def unlike_format(place: PlacePart | Path, expected: str, got: str) -> InputValueError:
    """The error for a place in a file, or a file as a whole, that is not of the format."""
    return InputValueError(place=in_file(place) if isinstance(place, Path) else place, expected=expected, got=got)

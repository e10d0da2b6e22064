"""Read the words of a PDF with their boxes, or draw a page, as a program of its own, which a malformed file may end."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate, groupby
from typing import Any

import pypdfium2
from pypdfium2 import raw

_MOST_PAGES = 500
_MOST_MEMORY = 2_000_000_000  # bytes
_SCALE = 1_000_000  # the size of a page to which its points are mapped
_WIDEST, _HIGHEST = 1_400, 2_000  # pixels of a page that is rendered
_HYPHENS = {0x2: "-", 0xFFFE: "-"}  # how PDFium marks a word that is divided at the end of a line

WordOnPage = tuple[str, float, float, float, float]  # left, top, right, bottom as fractions of the page


def words_of_page(page: Any) -> list[WordOnPage]:
    """Return the words of the text layer of a page as it is displayed: runs of characters without white space."""
    text = page.get_textpage()
    codes = [raw.FPDFText_GetUnicode(text.raw, index) for index in range(text.count_chars())]
    letters = list(map(_letter, codes))
    parts = list(accumulate((code in _HYPHENS for code in codes), initial=0))  # a word that is divided is two
    words = []
    for (is_blank, _), run in groupby(range(len(codes)), key=lambda index: (not letters[index].strip(), parts[index])):
        if not is_blank:
            indices = list(run)
            corners = [point for index in indices for point in _corners(page, text.get_charbox(index, loose=True))]
            xs, ys = zip(*corners, strict=True)
            words.append(("".join(letters[index] for index in indices), min(xs), min(ys), max(xs), max(ys)))
    return words


def _letter(code: int) -> str:
    return _HYPHENS.get(code) or (" " if 0xD800 <= code < 0xE000 else chr(code))  # noqa: PLR2004  surrogates


def _corners(page: Any, box: tuple[float, float, float, float]) -> Iterator[tuple[float, float]]:
    """Yield two opposite corners of a box of PDF points, as fractions of the page from its top left corner."""
    left, bottom, right, top = box
    for x, y in ((left, top), (right, bottom)):
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page.raw, 0, 0, _SCALE, _SCALE, 0, x, y, across, down)
        yield across.value / _SCALE, down.value / _SCALE


def limit_memory() -> None:
    """Let this process take so much memory, where the system can limit it."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def read(path: str) -> dict[str, Any]:
    """Return the words of each page, and its width and height; "error" says why there are none."""
    try:
        with pypdfium2.PdfDocument(path) as pdf:
            if len(pdf) > _MOST_PAGES:
                return {"error": f"has {len(pdf):,} pages, {_MOST_PAGES} at most are read"}
            return {"pages": [words_of_page(page) for page in pdf], "sizes": [page.get_size() for page in pdf]}
    except pypdfium2.PdfiumError as error:
        return {"error": "is encrypted" if "password" in str(error).lower() else f"is no readable PDF: {error}"}


def draw(path: str, number: str, image: str) -> dict[str, Any]:
    """Draw the page of a number, from 1, into a PNG file; "error" says why it is not."""
    try:
        with pypdfium2.PdfDocument(path) as pdf:
            page = pdf[int(number) - 1]
            width, height = page.get_size()
            page.render(scale=min(_WIDEST / width, _HIGHEST / height)).to_pil().save(image, "png")
    except (pypdfium2.PdfiumError, IndexError):
        return {"error": f"has no page {number} that can be rendered"}
    return {}


if __name__ == "__main__":
    limit_memory()
    json.dump((read if len(sys.argv) == 2 else draw)(*sys.argv[1:]), sys.stdout)  # noqa: PLR2004

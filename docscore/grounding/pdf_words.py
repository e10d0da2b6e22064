"""Read the words of a PDF with boxes, or draw a page, as a separate program, since a malformed file may crash it."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, groupby, pairwise
from typing import Any

import pypdfium2
from pypdfium2 import raw

_MOST_PAGES = 500
_MOST_MEMORY = 2_000_000_000  # bytes
_SCALE = 1_000_000  # the size of a page to which its points are mapped
_WIDEST, _HIGHEST = 1_400, 2_000  # pixels of a page that is rendered
_PICTURE = 0.5  # a page whose images cover more than this fraction is a picture of its text
_FEWEST_WORDS = 20  # the text of a picture with at least this many words on it is in the text layer
_FEWEST_CURVES, _FIRST = 200, 10  # segments of outlined letters; segments of a path in which curves are looked for
_GRID = 20  # images are looked for at this many points across and down
_HIDDEN = 2 | 32  # the flags of form fields that are not displayed
_HYPHENS = {0x2: "-", 0xFFFE: "-"}  # PDFium marks words that are divided at the end of a line by these
_FIELDS_OF_TEXT = (raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)

Box = tuple[float, float, float, float]  # left, top, right, bottom as fractions of the page
WordOnPage = tuple[str, float, float, float, float]  # with its box


def words_of_page(page: Any, text: Any) -> list[WordOnPage]:
    """Return the words of the text layer of a page as displayed: runs of characters without white space.

    Args:
        page: the page.
        text: its text layer.
    """
    codes = [raw.FPDFText_GetUnicode(text.raw, index) for index in range(text.count_chars())]
    surrogates = range(0xD800, 0xE000)
    letters = [_HYPHENS.get(code) or (" " if code in surrogates else chr(code)) for code in codes]
    parts = list(accumulate((code in _HYPHENS for code in codes), initial=0))  # a divided word counts as two
    words = []
    for (is_blank, _), run in groupby(range(len(codes)), key=lambda index: (not letters[index].strip(), parts[index])):
        if not is_blank:
            indices = list(run)
            box = _around(page, [text.get_charbox(index, loose=True) for index in indices])
            words.append(("".join(letters[index] for index in indices), *box))
    return words


def has_more_text(page: Any, text: Any, words: Sequence[WordOnPage]) -> bool:
    """Return whether a page displays text that its text layer does not have: glyphs, a picture or form fields.

    Two consecutive glyphs without a mapping are needed, since a single one may be a sign such as the circle around a C.
    """
    return (
        any(first and second for first, second in pairwise(_are_unmapped(text)))
        or _is_picture(page, words)
        or _has_more_in_fields(page, {word for word, *_ in words})
    )


def _are_unmapped(text: Any) -> Iterator[bool]:
    """Yield for each character of a text whether it is a glyph without a Unicode mapping."""
    for index in range(text.count_chars()):
        is_error = raw.FPDFText_HasUnicodeMapError(text.raw, index) == 1
        yield is_error and raw.FPDFText_GetUnicode(text.raw, index) not in _HYPHENS


def _is_picture(page: Any, words: Sequence[WordOnPage]) -> bool:
    """Return whether images or outlines of letters cover more than half of a page and contain few words."""
    images, outlines, curves = list[Box](), list[tuple[float, float, float, float]](), 0
    for item in page.get_objects(max_depth=1):
        if item.type == raw.FPDF_PAGEOBJ_IMAGE or (item.type == raw.FPDF_PAGEOBJ_FORM and _has_image(page, item)):
            images.append(_around(page, [item.get_bounds()]))
        elif item.type == raw.FPDF_PAGEOBJ_PATH:
            count = raw.FPDFPath_CountSegments(item.raw)
            parts = (raw.FPDFPath_GetPathSegment(item.raw, number) for number in range(min(count, _FIRST)))
            if any(raw.FPDFPathSegment_GetType(part) == raw.FPDF_SEGMENT_BEZIERTO for part in parts):
                outlines.append(item.get_bounds())
                curves += count
    pictures = [images, [_around(page, outlines)] if curves >= _FEWEST_CURVES else []]
    points = [((x + 0.5) / _GRID, (y + 0.5) / _GRID) for x in range(_GRID) for y in range(_GRID)]
    middles = [((left + right) / 2, (top + bottom) / 2) for _, left, top, right, bottom in words]
    return any(
        boxes and _count(points, boxes) > _PICTURE * len(points) and _count(middles, boxes) < _FEWEST_WORDS
        for boxes in pictures
    )


def _has_image(page: Any, form: Any) -> bool:
    return any(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], form=form.raw))


def _count(points: Sequence[tuple[float, float]], boxes: Sequence[Box]) -> int:
    """Return how many points lie in any of the boxes."""
    return sum(any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes) for x, y in points)


def _has_more_in_fields(page: Any, words: set[str]) -> bool:
    """Return whether a form field of a page displays a value whose words the text layer does not have."""
    fields = page.formenv.raw if page.formenv else None
    for number in range(raw.FPDFPage_GetAnnotCount(page.raw) if fields else 0):
        item = raw.FPDFPage_GetAnnot(page.raw, number)
        is_text = raw.FPDFAnnot_GetFormFieldType(fields, item) in _FIELDS_OF_TEXT
        if (
            is_text
            and not raw.FPDFAnnot_GetFlags(item) & _HIDDEN
            and not words.issuperset(_value(fields, item).split())
        ):
            return True
    return False


def _value(fields: Any, item: Any) -> str:
    """Return the value of a form field."""
    size = raw.FPDFAnnot_GetFormFieldValue(fields, item, None, 0)
    content = (ctypes.c_ushort * (size // 2))()
    raw.FPDFAnnot_GetFormFieldValue(fields, item, content, size)
    return bytes(content).decode("utf-16-le", "replace").rstrip("\0")


def _around(page: Any, boxes: Sequence[tuple[float, float, float, float]]) -> Box:
    """Return the box around boxes of PDF points, as fractions of the page."""
    lefts, bottoms, rights, tops = zip(*boxes, strict=True)
    xs, ys = zip(*_corners(page, (min(lefts), min(bottoms), max(rights), max(tops))), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _corners(page: Any, box: tuple[float, float, float, float]) -> Iterator[tuple[float, float]]:
    """Yield two opposite corners of a box of PDF points, as fractions of the page from its top left corner."""
    left, bottom, right, top = box
    for x, y in ((left, top), (right, bottom)):
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(page.raw, 0, 0, _SCALE, _SCALE, 0, x, y, across, down)
        yield across.value / _SCALE, down.value / _SCALE


def limit_memory() -> None:
    """Limit the memory of this process to `_MOST_MEMORY`, if the system can do so."""
    with suppress(ImportError, ValueError, OSError):
        import resource  # noqa: PLC0415  not on Windows

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))


def read(path: str) -> dict[str, Any]:
    """Return the words of each page, its width and height, and the pages that display more text than they have.

    "error" gives the reason if they cannot be read.
    """
    try:
        with pypdfium2.PdfDocument(path) as pdf:
            if len(pdf) > _MOST_PAGES:
                return {"error": f"has {len(pdf):,} pages, more than the limit of {_MOST_PAGES:,}"}
            if pdf.get_formtype() != raw.FORMTYPE_NONE:
                pdf.init_forms()
            content: dict[str, Any] = {"pages": [], "sizes": [], "incomplete": []}
            for number, page in enumerate(pdf, 1):
                text = page.get_textpage()
                words = words_of_page(page, text)
                content["pages"].append(words)
                content["sizes"].append(page.get_size())
                content["incomplete"] += [number] if has_more_text(page, text, words) else []
            return content
    except pypdfium2.PdfiumError as error:
        return {"error": "is encrypted" if "password" in str(error).lower() else f"cannot be read as a PDF: {error}"}


def draw(path: str, number: str, image: str) -> dict[str, Any]:
    """Draw a page, counted from 1, into a PNG file; "error" gives the reason if that fails."""
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

"""Open the documents that values were read from: PDFs, hOCR, texts and page images of a folder, or texts by id."""

import json
import os
import re
import subprocess
import sys
from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast
from unicodedata import normalize
from warnings import catch_warnings, simplefilter

from docscore.core.errors import InputTypeError, InputValueError, in_file, listed, short_repr, some_of
from docscore.core.formatting import counted
from docscore.core.runtime import library
from docscore.grounding.document_text import NO_BOX, PAGE_BREAK, DocumentText
from docscore.grounding.regions import Box

_LARGEST = 50_000_000  # bytes of the largest file that is read
_PATIENCE = 20  # seconds until the reading of a PDF is stopped
_PDF, _HOCR, _TEXT = ".pdf", ".hocr", ".txt"
_SUFFIXES = (_PDF, _HOCR, _TEXT)  # the first file with a text is used
_NAMES = "ID.pdf, ID.hocr or ID.txt"
_OF_IDS = (*_SUFFIXES, ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".json")  # suffixes that an id may have
_IMAGES = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".gif": "GIF", ".webp": "WEBP"}  # that browsers show too
_MOST_PIXELS = 50_000_000  # the largest image; A4 at 600 dpi has 35 million pixels
_PAGE_NUMBER = re.compile(r"[-_. ]?(?:p|page)?[-_. ]?([0-9]{1,9})")  # between the id and the suffix of an image
_PDF_WORDS = Path(__file__).with_name("pdf_words.py")

_BBOX = re.compile(r"\bbbox" + r"\s+(-?\d{1,9}(?:\.\d+)?)" * 4 + r"(?![\d.])")
_PAGE: Box = (0.0, 0.0, 1.0, 1.0)
_VOID = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"})  # without an end tag

_Words = list[tuple[str, Box]]  # the words of a page


class DocumentFolder:
    """The documents of a test set.

    Args:
        source: a folder with `ID.pdf`, `ID.hocr`, `ID.txt` or page images (`ID.png`, `ID-1.png`) for each id, or a dict
            of texts by id.
        ids: the ids of the test set.

    Attributes:
        errors: by id, the reason why a requested document has no text; "" if the folder has no such document.
        incomplete: by id, the pages of a requested document that display more text than their text layers have.

    Raises:
        TypeError, ValueError: if the source is of another type or has none of the documents.
    """

    def __init__(self, source: Any, ids: Collection[str]) -> None:
        self.errors: dict[str, str] = {}
        self.incomplete: dict[str, str] = {}
        self._files: dict[str, dict[str, Path]] = {}
        self._images: dict[str, Path] = {}
        self._texts: Mapping[str, Any] = {}
        if isinstance(source, str | PathLike):
            folder = Path(source)
            if not folder.is_dir():
                raise InputValueError(place=in_file(folder), expected=f"a folder with {_NAMES}", got="no folder")
            for path in sorted(folder.rglob("*")):
                if (suffix := path.suffix.lower()) in (*_SUFFIXES, *_IMAGES) and path.is_file():
                    name = normalize("NFC", path.relative_to(folder).with_suffix("").as_posix())
                    if suffix in _SUFFIXES:
                        self._files.setdefault(name, {})[suffix] = path
                    else:
                        self._images[name.lower()] = path
                        self._images.setdefault(name.lower().rpartition("/")[2], path)
            if any(_PDF in files for files in self._files.values()):
                library("pypdfium2", "reading PDFs needs {!r}", "documents")
        elif isinstance(source, Mapping):
            self._texts = source
        else:
            raise InputTypeError(
                place="documents", expected="a folder, or a dict of texts by id", got=type(source).__name__
            )
        self._stems = sorted(self._images)
        if not any(self._texts.get(name) is not None or self._files_of(name) or self.images_of(name) for name in ids):
            expected = f"documents such as {short_repr(next(iter(ids), 'ID'))} ({_NAMES})"
            raise InputValueError(place="documents", expected=expected, got="no document for any id")

    def read(self, name: str) -> DocumentText | None:
        """Return the document of an id, from the first file with a complete text or else from the first with any text.

        Return None if no file has a text; `errors` then has the reason.
        """
        text = self._texts.get(name)
        if isinstance(text, DocumentText) or (isinstance(text, str) and text.strip()):
            return DocumentText(text) if isinstance(text, str) else text
        errors, partial = list[str](), None
        for suffix, path in sorted(self._files_of(name).items(), key=lambda item: _SUFFIXES.index(item[0])):
            document, error = _opened(path, suffix)
            if document is not None and document.is_complete:
                return document
            partial = partial or document
            errors.append(error)
        if partial is None:
            self.errors[name] = "; ".join(errors)
        else:
            self.incomplete[name] = errors[0]
        return partial

    def page_count_of(self, name: str) -> int:
        """Return the number of pages of a document; 0 if it has no text or its text has no pages."""
        document = self.read(name)
        return document.page_count if document and document.has_pages else 0

    def read_all(self, names: Iterable[str]) -> Iterator[DocumentText | None]:
        """Yield the document of each id, in order; the next documents are opened in advance."""
        workers = os.cpu_count() or 1
        waiting = deque[Any]()
        with ThreadPoolExecutor(workers) as pool:
            for name in names:
                waiting.append(pool.submit(self.read, name))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            for future in waiting:
                yield future.result()

    def warning(self, count: int) -> str:
        """Return a warning about the documents, out of `count`, without a complete text; "" if there are none."""
        missing = [name for name in self.errors if not self.errors[name]]
        told = [f"{short_repr(name)} ({error})" for name, error in self.errors.items() if error]
        told += [f"no PDF, hOCR or text for {some_of(missing)}"] if missing else []
        partial = [f"{short_repr(name)} ({pages})" for name, pages in self.incomplete.items()]
        sentences = {
            f"{len(self.errors):,} of {counted(count, 'document')} have no text: {listed(told, len(told))}": told,
            f"{counted(len(partial), 'document')} with incomplete text {'is' if len(partial) == 1 else 'are'} not "
            f"counted: {listed(partial, len(partial))}; tesseract can make ID.hocr from page images": partial,
        }
        return "; ".join(sentence for sentence, names in sentences.items() if names)

    def images_of(self, name: str) -> list[Path]:
        """Return the images of a document's pages in order: the image with its name, or its name and a page number.

        Names match as on the page: case and suffix are ignored, and folders if no name matches with its folders.
        """
        whole = re.sub(r"\.[a-z]{3,4}$", "", normalize("NFC", name).lower())
        for stem in (whole, re.split(r"[\\/]", whole)[-1]):
            if stem in self._images:
                return [self._images[stem]]
            begin, end = (bisect_left(self._stems, each) for each in (stem, f"{stem}\U0010ffff"))
            pages = ((_PAGE_NUMBER.fullmatch(key, len(stem)), self._images[key]) for key in self._stems[begin:end])
            if numbered := sorted((int(match[1]), path) for match, path in pages if match):
                return [path for _, path in numbered]
        return []

    def page_file(self, name: str, number: int) -> Path | None:
        """Return the image of a page, counted from 1, or else the PDF that may have the page; None without both."""
        images = self.images_of(name)[number - 1 : number]
        return images[0] if images else self._files_of(name).get(_PDF)

    def _files_of(self, name: str) -> Mapping[str, Path]:
        name = normalize("NFC", name)
        stem, dot, suffix = name.rpartition(".")
        return self._files.get(name) or self._files.get(stem if dot + suffix.lower() in _OF_IDS else name, {})


def _opened(path: Path, suffix: str) -> tuple[DocumentText | None, str]:
    """Return the document of a file or None, and why it has no text or which pages display more text."""
    try:
        return _document(path, suffix)
    except (OSError, ValueError) as error:
        return None, str(error)


def _document(path: Path, suffix: str) -> tuple[DocumentText, str]:
    """Read a file, and report which of its pages display more text than their text layers have.

    Raises:
        ValueError: naming the file, if it has no text.
        OSError: if it cannot be read.
    """
    _check_size(path, path.stat().st_size, "bytes", _LARGEST)
    text = "" if suffix == _PDF else _decoded(path)
    if suffix == _TEXT and text.strip():
        return DocumentText(text), ""
    incomplete, pages = list[int](), list[_Words]()
    if suffix == _PDF:
        pages, _, incomplete = pages_of_pdf(path)
    elif suffix == _HOCR:
        pages = _pages_of_hocr(path.name, text)
    boxes = [box for words in pages for _, box in words]
    if not boxes:
        raise InputValueError(problem=f"{path.name} {_NO_TEXT[suffix]}")
    content = PAGE_BREAK.join(" ".join(word for word, _ in words) for words in pages)
    where = f"{path.name}, page {listed(map(str, incomplete), len(incomplete))}" if incomplete else ""
    return DocumentText(content, boxes, is_complete=not incomplete), where


def _check_size(path: Path, size: int, unit: str, most: int) -> None:
    if size > most:
        raise InputValueError(problem=f"{path.name} has {size:,} {unit}, more than the limit of {most:,}")


_NO_TEXT = {
    _PDF: "has no text layer; tesseract can make ID.hocr from its page images (tesseract ID.png ID hocr)",
    _HOCR: 'has no words of the class "ocrx_word" on pages',
    _TEXT: "is empty",
}


def _decoded(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputValueError(problem=f"{path.name} is not UTF-8 text") from None


def _on_page(box: Sequence[float]) -> Box | None:
    """Return the part of a box that lies on its page; None if this part has no height or no width."""
    left, top, right, bottom = (min(max(edge, 0.0), 1.0) for edge in box)  # NaN becomes 0
    return (left, top, right, bottom) if left < right and top < bottom else None


def pages_of_pdf(path: Path) -> tuple[list[_Words], list[tuple[float, float]], list[int]]:
    """Return for each page of a PDF its words with boxes and its size in points, and the incomplete pages.

    Raises:
        ValueError: naming the file, if it cannot be read.
    """
    content = _run_pdf(path)
    placed = [[(word, shown) for word, *box in words if (shown := _on_page(box))] for words in content["pages"]]
    return placed, [(width, height) for width, height in content["sizes"]], content["incomplete"]


def draw_page_of_pdf(path: Path, number: int, image: Path) -> None:
    """Draw a page of a PDF, counted from 1, into a PNG file; raise `ValueError` if that cannot be done."""
    _run_pdf(path, str(number), str(image))


def page_image(path: Path, number: int) -> tuple[Any, str]:
    """Return a page of a PDF, counted from 1, or an image, turned upright; or None and the reason."""
    with TemporaryDirectory() as folder, catch_warnings():
        try:
            pillow, turned = (
                library(f"PIL.{name}", "page images need {!r}", "documents") for name in ("Image", "ImageOps")
            )
            simplefilter("ignore", pillow.DecompressionBombWarning)  # the bound below is lower
            file = Path(folder, path.name) if path.suffix.lower() == _PDF else path
            if file is not path:
                draw_page_of_pdf(path, number, file)
            _check_size(path, file.stat().st_size, "bytes", _LARGEST)
            with pillow.open(file, formats=list(_IMAGES.values())) as image:
                _check_size(path, image.width * image.height, "pixels", _MOST_PIXELS)
                return turned.exif_transpose(image), ""
        except InputValueError as error:
            return None, str(error)
        except Exception as error:  # noqa: BLE001  a damaged file may raise any error
            is_bomb = "decompression bomb" in str(error)
            return None, f"{path.name} {'has too many pixels' if is_bomb else 'cannot be read as an image'}"


def _run_pdf(path: Path, *page: str) -> dict[str, Any]:
    """Read a PDF, or draw one of its pages, in a separate process, since a malformed file may crash it."""
    try:
        done = subprocess.run(  # noqa: S603  our own program
            [sys.executable, _PDF_WORDS, path.absolute(), *page], capture_output=True, timeout=_PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise InputValueError(problem=f"{path.name} takes more than {_PATIENCE} seconds to read") from None
    content: dict[str, Any] = json.loads(done.stdout) if done.returncode == 0 else {"error": "cannot be read as a PDF"}
    if "error" in content:
        raise InputValueError(problem=f"{path.name} {content['error']}")
    return content


def _pages_of_hocr(name: str, text: str) -> list[_Words]:
    """Read the words of hOCR; on a page with only lines, all words of a line get the box of the line."""
    words, lines = _Hocr({"ocrx_word"}), _Hocr({"ocr_line", "ocr_header", "ocr_caption", "ocr_textfloat"})
    for parser in (words, lines):
        parser.feed(text)
    if words.unsized:
        raise InputValueError(problem=f"{name}, page {words.unsized}: an ocr_page needs a bbox in its title")
    pages = (of_words or of_lines for of_words, of_lines in zip(words.pages, lines.pages, strict=True))
    return [[(word, shown) for word, box in page if (shown := _region(box))] for page in pages]


def _region(box: Box) -> Box | None:
    """Return the part of a box that lies on its page; `NO_BOX` for a whole page or a box without a size."""
    has_size = box[0] != box[2] and box[1] != box[3]
    shown = _on_page(box) if has_size else NO_BOX
    return NO_BOX if shown == _PAGE else shown


class _Hocr(HTMLParser):
    """A parser of the words of some classes of hOCR elements by page, with boxes as fractions of the page."""

    def __init__(self, classes: set[str]) -> None:
        super().__init__()
        self.pages: list[_Words] = []
        self._classes = classes
        self._page: Sequence[float] = ()
        self._open: list[Box | None] = []  # the box of each open element, or of an element around it
        self._last: Box | None = None  # the box of the last text, if a word may continue after it
        self.unsized = 0  # the number of the first page without a box

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names, box = (given.get("class") or "").split(), _BBOX.search(given.get("title") or "")
        corners = list(map(float, box.groups())) if box else []
        if "ocr_page" in names:
            self._page = corners
            self.pages.append([])
            self.unsized = self.unsized or (0 if corners else len(self.pages))
        own = self._open[-1] if self._open else None
        if corners and self._page and not self._classes.isdisjoint(names):
            left, top, right, bottom = self._page
            starts, sizes = (left, top, left, top), (right - left or 1.0, bottom - top or 1.0) * 2
            own = cast(
                "Box", tuple((at - start) / size for at, start, size in zip(corners, starts, sizes, strict=True))
            )
        if tag in _VOID:
            self._last = None
        else:
            self._open.append(own)

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag not in _VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        box, words = self._open[-1] if self._open else None, data.split()
        if box is None or not words:
            self._last = None
            return
        if self._last is box and not data[0].isspace():  # the word continues after a tag
            words[0] = self.pages[-1].pop()[0] + words[0]
        self._last = None if data[-1].isspace() else box
        self.pages[-1].extend((word, box) for word in words)

"""Kleister NDA and Kleister Charity, from a clone of their repositories."""

from __future__ import annotations

import lzma
import re
from functools import partial
from pathlib import Path
from typing import Any

from docscore.bench.loaders.reading import found_file
from docscore.bench.records import DocumentRecord, Page, unlike_format
from docscore.core.errors import short_repr

_COLUMNS = ("filename", "keys", "text_djvu", "text_tesseract", "text_textract", "text_best")
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\f": "\f", "\\\\": "\\"}
_ESCAPE = re.compile(r"\\[ntf\\]")


def read_kleister(folder: Path, split: str, key: str, *, several: tuple[str, ...] = ()) -> list[DocumentRecord]:
    """The documents of a split, in the order of the file, with the text of the best OCR.

    Values stay as they are distributed: a blank is `_`. A key that occurs several times in a document has a list.

    Args:
        folder: of the repository, or one above it.
        split: "train", "dev-0" or "test-A".
        key: one that the documents may have, and those of the other set not.
        several: keys whose value is always a list.

    Raises:
        ValueError: naming file and line.
    """
    names = (f"{split}/in.tsv.xz", f"{split}/in.tsv")
    source = found_file(folder, names, f"the texts of the split {split!r} with the key {key!r}", partial(_asks, key))
    lines = _lines_of(source)
    labels = source.with_name("expected.tsv")
    expected = _lines_of(labels)
    if len(lines) != len(expected):
        raise unlike_format(labels, f"{len(lines):,} lines as in {source.name}", f"{len(expected):,}")
    files = source.parent.parent / "documents"
    documents = []
    for number, (line, label) in enumerate(zip(lines, expected, strict=True), 1):
        name, text = _name_and_text(line, f"{source}, line {number}")
        answer = _labels(label, f"{labels}, line {number}", several)
        pages = tuple(Page(text=part) for part in text.split("\f"))
        pdf = files / name
        documents.append(DocumentRecord(name, (answer,), pages, pdf if pdf.is_file() else None))
    return documents


def last_of_each(document: DocumentRecord, keys: tuple[str, ...]) -> tuple[Any, ...]:
    """The answers with the last value of each key that may have several, which is what the paper's code kept."""
    return tuple(
        {key: value[-1] if key in keys and isinstance(value, list) else value for key, value in answer.items()}
        for answer in document.answers
    )


def _asks(key: str, path: Path) -> bool:
    """Whether the first document of a file may have the key; a file of another form is no reason to look further."""
    with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
        try:
            cells = file.readline().split(b"\t")
        except (lzma.LZMAError, EOFError):
            return True
    return len(cells) != len(_COLUMNS) or key.encode() in cells[1].split()


def _lines_of(path: Path) -> list[str]:
    """The lines of a file, unpacked."""
    try:
        content = path.read_bytes()
        text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
    except lzma.LZMAError as error:
        raise unlike_format(path, "what xz writes", str(error)) from None
    except UnicodeDecodeError as error:
        raise unlike_format(path, "UTF-8 text", f"the byte 0x{error.object[error.start]:02x}") from None
    return text.removesuffix("\n").split("\n") if text else []


def _name_and_text(line: str, place: str) -> tuple[str, str]:
    cells = line.split("\t")
    if len(cells) != len(_COLUMNS):
        raise unlike_format(place, f"{len(_COLUMNS)} columns ({', '.join(_COLUMNS)})", str(len(cells)))
    return cells[0], _ESCAPE.sub(lambda found: _ESCAPES[found[0]], cells[-1])


def _labels(line: str, place: str, several: tuple[str, ...]) -> dict[str, Any]:
    """The values of a line of `key=value` pairs."""
    found: dict[str, list[str]] = {}
    for pair in line.split():
        key, sign, value = pair.partition("=")
        if not (key and sign):
            raise unlike_format(place, "key=value", short_repr(pair))
        found.setdefault(key, []).append(value)
    return {key: each if key in several or len(each) > 1 else each[0] for key, each in found.items()}

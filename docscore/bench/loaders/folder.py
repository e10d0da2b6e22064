"""A person's own documents: PDFs, pictures or texts in a folder, references in a file, a JSON Schema."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from docscore.bench.loaders.reading import found_file
from docscore.bench.pages import PICTURES, pages_of_pdf
from docscore.bench.records import DocumentRecord, Page, unlike_format
from docscore.core.errors import short_repr
from docscore.data.files import read_table, read_value
from docscore.data.rows import BY_ID, ID, read_references, side_format

_PDF, _TEXT = ".pdf", ".txt"
_REFERENCES = tuple(f"references{suffix}" for suffix in (".jsonl", ".json", ".csv", ".parquet"))
_NAMED = 5  # ids that a message names


def documents_in(
    folder: Path, *, references: Path | None = None, schema: Path | None = None, with_text: bool = True
) -> list[DocumentRecord]:
    """The documents that the references name, in the order of the references.

    The document of the id `a` is `a.pdf`, a picture `a.png`, a text `a.txt`, or a folder `a` with a picture a page; the
    id may also be the whole name of the file.

    Args:
        folder: of the documents.
        references: rows of `question_id` and `references`, as for `docscore score`; by default `references.jsonl` (or
            .json, .csv, .parquet) in the folder.
        schema: a JSON Schema, or a folder with `ID.json` for each document; by default `schema.json` in the folder.
        with_text: whether the text layers of PDFs are read; not needed where pictures are sent.

    Raises:
        ValueError: naming the file, or the ids without a document.
    """
    source = references or found_file(folder, _REFERENCES, "a file of references")
    if not folder.is_dir():
        raise unlike_format(folder, "a folder", "none")
    table = read_table(source)
    if not table.rows or side_format(table.rows[0], "references") is not BY_ID:
        raise unlike_format(source, f"rows with {ID!r} and 'references'", "none" if not table.rows else "others")
    rows = read_references(table.rows, BY_ID, table.where)
    found = _files_by_id(folder)
    ids = [str(row.id) for row in rows]
    missing = [name for name in ids if name not in found]
    if missing:
        some = f"none for {len(missing):,}: {', '.join(map(short_repr, missing[:_NAMED]))}"
        raise unlike_format(folder, f"a document for each of the {len(rows):,} ids", some)
    schemas = _schemas(schema or folder / "schema.json", ids)
    return [
        _document_of(name, found[name], row.value, schemas[name], with_text=with_text)
        for name, row in zip(ids, rows, strict=True)
    ]


def _schemas(place: Path, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The schema of each document: one for all, or one each from a folder."""
    if place.is_dir():
        return {name: _schema_in(place / f"{name}.json") for name in ids}
    return dict.fromkeys(ids, _schema_in(place))


def _files_by_id(folder: Path) -> dict[str, Path]:
    """The documents by their name with and without extension; a PDF comes before a picture, a picture before a text."""
    kinds = {_PDF: 0, **dict.fromkeys(PICTURES, 1), "": 2, _TEXT: 3}
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: (kinds.get(path.suffix.lower(), 4), path.name)):
        if path.is_dir() or path.suffix.lower() in kinds:
            found.setdefault(path.name, path)
            found.setdefault(path.stem, path)
    return found


def _schema_in(path: Path) -> dict[str, Any]:
    schema = read_value(path)
    if not isinstance(schema, dict):
        raise unlike_format(path, "a JSON Schema", type(schema).__name__)
    return schema


def _document_of(name: str, path: Path, answers: Any, schema: dict[str, Any], *, with_text: bool) -> DocumentRecord:
    suffix = path.suffix.lower()
    if path.is_dir():
        pictures = sorted(each for each in path.iterdir() if each.suffix.lower() in PICTURES)
        if not pictures:
            raise unlike_format(path, f"pictures of pages ({', '.join(PICTURES)})", "none")
        return DocumentRecord(name, answers, tuple(Page(image=each) for each in pictures), schema=schema)
    if suffix == _PDF:
        pages = pages_of_pdf(path) if with_text else ()
        return DocumentRecord(name, answers, pages, path, schema=schema)
    if suffix == _TEXT:
        return DocumentRecord(name, answers, (Page(text=path.read_text("utf-8")),), schema=schema)
    return DocumentRecord(name, answers, (Page(image=path),), schema=schema)

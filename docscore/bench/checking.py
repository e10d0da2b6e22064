"""What of the benchmark's data is in a folder, and what is missing; runs no model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from docscore.bench.catalogue import DATA_SETS, DataSet
from docscore.bench.loaders.folder import documents_in
from docscore.bench.prompts import TEXT_METHODS
from docscore.bench.records import DocumentRecord
from docscore.core.errors import InputValueError

ALL_METHODS = (*TEXT_METHODS, "vision", "pdf")


class Having(NamedTuple):
    """How many documents have what a method needs.

    Attributes:
        method: "simple", "latin", "vision" or "pdf".
        documents: how many.
        needs: what the others lack.
    """

    method: str
    documents: int
    needs: str


@dataclass(frozen=True)
class Found:
    """What was found of a data set in one split.

    Attributes:
        name: of the data set, or "documents".
        title: what tables call it.
        split: the split; empty for a person's own documents.
        documents: how many there are; None where it could not be read.
        methods: what can be done with them.
        fault: what is wrong; None if nothing.
        source: where the data can be had.
        licence: what its owners say about its use.
    """

    name: str
    title: str
    split: str
    documents: int | None
    methods: list[Having]
    fault: str | None
    source: str = ""
    licence: str = ""

    def to_dict(self) -> dict[str, Any]:
        """All of it in plain types."""
        return {**vars(self), "methods": {each.method: each.documents for each in self.methods}}


def checked_data(folder: Path, name: str | None = None) -> list[Found]:
    """What of the data sets is in a folder: of each the paper's split, or why it cannot be read.

    Args:
        folder: where they lie, each in a folder of its own, up to three deep.
        name: only this one; "documents" for a person's own documents.

    Raises:
        ValueError: for a name that does not exist.
    """
    if name == "documents":
        return [_found(name, "Own documents", "", lambda: documents_in(folder))]
    known = {each: data_set for each, data_set in DATA_SETS.items() if name in (None, each)}
    if not known:
        raise InputValueError(place="data set", expected=f"one of {', '.join(DATA_SETS)} or documents", got=f"{name!r}")
    return [_found_set(folder, data_set) for data_set in known.values()]


def _found_set(folder: Path, data_set: DataSet) -> Found:
    split = data_set.splits[0]
    return _found(
        data_set.name,
        data_set.title,
        split,
        lambda: data_set.load(folder, split),
        source=data_set.source,
        licence=data_set.licence,
    )


def _found(name: str, title: str, split: str, load: Callable[[], list[DocumentRecord]], **about: str) -> Found:
    try:
        documents = load()
    except (OSError, ValueError) as error:
        return Found(name, title, split, None, [], str(error), **about)
    methods = [_having(method, documents) for method in ALL_METHODS]
    return Found(name, title, split, len(documents), methods, None, **about)


def _having(method: str, documents: list[DocumentRecord]) -> Having:
    if method in TEXT_METHODS:
        having = sum(
            bool(each.pages) and all(page.words is not None or page.text is not None for page in each.pages)
            for each in documents
        )
        return Having(method, having, "words or text")
    if method == "pdf":
        return Having(method, sum(each.pdf is not None for each in documents), "a PDF")
    having = sum(
        each.pdf is not None or (bool(each.pages) and all(page.image for page in each.pages)) for each in documents
    )
    return Having(method, having, "a PDF or pictures")

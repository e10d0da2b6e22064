"""The seven data sets of the paper: what they are called, how they are read, where they can be had."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, get_args

from docscore.bench.loaders import (
    documents_in,
    last_of_each,
    read_docvqa,
    read_kleister,
    read_mp_docvqa,
    read_sroie,
    read_vrdu,
)
from docscore.bench.prompts import TEXT_METHODS, Style
from docscore.bench.records import DocumentRecord
from docscore.bench.schemas import PAPER_SCHEMAS, SCHEMAS
from docscore.core.errors import InputValueError
from docscore.core.options import check_choice

_SEVERAL = ("party",)  # the key of Kleister NDA that may have several values
_RRC = "rrc.cvc.uab.es, challenge 17 (registration)"


@dataclass(frozen=True)
class DataSet:
    """A data set.

    Attributes:
        name: what tasks and commands call it.
        title: what tables call it.
        load: the documents of a split in a folder, without a schema.
        splits: the splits; the paper's is the first.
        paper_size: how many documents the paper drew.
        source: where it can be had.
        licence: what its owners say about its use.
    """

    name: str
    title: str
    load: Callable[[Path, str], list[DocumentRecord]]
    splits: tuple[str, ...]
    paper_size: int
    source: str
    licence: str


DATA_SETS = {
    each.name: each
    for each in (
        DataSet(
            "docvqa",
            "DocVQA",
            read_docvqa,
            ("val", "train"),
            100,
            f"{_RRC}, task 1; or the Parquet files of lmms-lab/DocVQA on the hub (pictures, no OCR)",
            "terms of the RRC",
        ),
        DataSet(
            "mp_docvqa",
            "MPDocVQA",
            read_mp_docvqa,
            ("val", "train"),
            50,
            f"{_RRC}, task 4; or the Parquet files of lmms-lab/MP-DocVQA on the hub (pictures, no OCR)",
            "terms of the RRC",
        ),
        DataSet(
            "kleister_charity",
            "Kleister Charity",
            partial(read_kleister, key="charity_name"),
            ("train", "dev-0", "test-A"),
            50,
            "git clone https://github.com/applicaai/kleister-charity (the PDFs by its annex-get-all-from-s3.sh)",
            "no licence file",
        ),
        DataSet(
            "kleister_nda",
            "Kleister NDA",
            partial(read_kleister, key="jurisdiction", several=_SEVERAL),
            ("train", "dev-0", "test-A"),
            50,
            "git clone https://github.com/applicaai/kleister-nda",
            "no licence file",
        ),
        DataSet(
            "sroie",
            "SROIE",
            read_sroie,
            ("test", "train"),
            50,
            "urbikn/sroie-datasetv2 on Kaggle (SROIE2019/test)",
            "CC BY 4.0 by the hub's card of ICDAR2019-SROIE",
        ),
        DataSet(
            "vrdu_ad_buy",
            "VRDU Ad Buy",
            lambda folder, _split: read_vrdu(folder, "ad-buy-form"),
            ("main",),
            50,
            "git clone https://github.com/google-research-datasets/vrdu",
            "no licence file",
        ),
        DataSet(
            "vrdu_registration",
            "VRDU Registration",
            lambda folder, _split: read_vrdu(folder, "registration-form"),
            ("main",),
            50,
            "git clone https://github.com/google-research-datasets/vrdu",
            "no licence file",
        ),
    )
}


def documents_of(
    name: str, folder: Path, *, split: str | None = None, sample: str | int = "paper", style: str = "plain"
) -> list[DocumentRecord]:
    """The documents of a data set.

    Args:
        name: one of `DATA_SETS`.
        folder: where it lies, or up to three folders above it.
        split: one of its splits; by default the paper's.
        sample: "paper", "all" or a number, see `docscore.bench.catalogue.chosen`.
        style: "paper" for the schema and the labels of the paper's code (one party of Kleister NDA, numbers in Kleister
            Charity), or "plain".

    Raises:
        ValueError: for a name, split, sample or style that does not exist, and naming the file and line that is not of
            the format.
    """
    check_choice("data set", name, tuple(DATA_SETS))
    check_choice("prompt", style, get_args(Style))
    data_set = DATA_SETS[name]
    check_choice("split", split, (None, *data_set.splits))
    documents = chosen(data_set.load(folder, split or data_set.splits[0]), sample, data_set.paper_size)
    schema = (PAPER_SCHEMAS if style == "paper" else SCHEMAS).get(name)
    as_paper = style == "paper" and schema is not None
    return [
        replace(each, schema=schema, answers=last_of_each(each, _SEVERAL) if as_paper else each.answers)
        for each in documents
    ]


PAPER_SEED = 42  # of the paper's code, set before the rows in file order were shuffled


def chosen(rows: Sequence[Any], sample: str | int, paper_size: int | None) -> list[Any]:
    """The rows to use.

    Args:
        rows: all rows of the split, in file order.
        sample: "all", a number (that many from the start), or "paper": the first of the rows shuffled with the seed 42.
        paper_size: how many the paper used; None where it used none of these rows.

    Raises:
        ValueError: for anything else.

    >>> chosen(range(1000), "paper", 5)
    [776, 507, 895, 922, 33]
    """
    if sample == "all":
        return list(rows)
    if sample == "paper" and paper_size is not None:
        order = list(range(len(rows)))
        Random(PAPER_SEED).shuffle(order)  # noqa: S311  not a secret
        return [rows[number] for number in order[:paper_size]]
    if str(sample).isdecimal() and int(sample) > 0:
        return list(rows[: int(sample)])
    known = "'all'" if paper_size is None else "'paper', 'all'"
    raise InputValueError(place="sample", expected=f"{known} or a number above 0", got=f"{sample!r}")


# what a document must have for each method
NEEDS = {**dict.fromkeys(TEXT_METHODS, "words or text"), "vision": "a PDF or pictures", "pdf": "a PDF"}


def checked_data(folder: Path, name: str | None = None) -> list[dict[str, Any]]:
    """What of the data sets is in a folder: of each the paper's split, or why it cannot be read.

    Args:
        folder: where they lie, each in a folder of its own, up to three deep.
        name: only this one; "documents" for a person's own documents.

    Returns:
        For each its name, title, split, source and licence; how many documents there are (None where it cannot be read,
        and `fault` says why), and for how many of them each method is possible.

    Raises:
        ValueError: for a name that does not exist.
    """
    own = DataSet("documents", "Own documents", lambda folder, _split: documents_in(folder), ("",), 0, "", "")
    known = [each for each in (*DATA_SETS.values(), own) if each.name == name or (name is None and each is not own)]
    if not known:
        raise InputValueError(place="data set", expected=f"one of {', '.join(DATA_SETS)} or documents", got=f"{name!r}")
    return [_checked(folder, data_set) for data_set in known]


def _checked(folder: Path, data_set: DataSet) -> dict[str, Any]:
    documents: list[DocumentRecord] | None = None
    fault = None
    try:
        documents = data_set.load(folder, data_set.splits[0])
    except (OSError, ValueError) as error:
        fault = str(error)
    methods = {} if documents is None else {method: sum(_has(each, method) for each in documents) for method in NEEDS}
    return {
        "name": data_set.name,
        "title": data_set.title,
        "split": data_set.splits[0],
        "documents": None if documents is None else len(documents),
        "methods": methods,
        "fault": fault,
        "source": data_set.source,
        "licence": data_set.licence,
    }


def _has(document: DocumentRecord, method: str) -> bool:
    """Whether a document has what a method needs."""
    if method in TEXT_METHODS:
        return bool(document.pages) and all(page.words is not None or page.text is not None for page in document.pages)
    pictures = method == "vision" and bool(document.pages) and all(page.image for page in document.pages)
    return document.pdf is not None or pictures

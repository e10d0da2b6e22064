"""The seven data sets of the paper: what they are called, how they are read, where they can be had."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import get_args

from docscore.bench.loaders.kleister import last_of_each, read_kleister
from docscore.bench.loaders.receipts import read_sroie
from docscore.bench.loaders.vqa import read_docvqa, read_mp_docvqa
from docscore.bench.loaders.vrdu import read_vrdu
from docscore.bench.prompts import Style
from docscore.bench.records import DocumentRecord
from docscore.bench.sampling import chosen
from docscore.bench.schemas import PAPER_SCHEMAS, SCHEMAS
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
        sample: "paper", "all" or a number, see `docscore.bench.sampling.chosen`.
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
    return [_asked(document, schema, style) for document in documents]


def _asked(document: DocumentRecord, schema: dict[str, object] | None, style: str) -> DocumentRecord:
    answers = last_of_each(document, _SEVERAL) if style == "paper" and schema is not None else document.answers
    return replace(document, schema=schema, answers=answers)

"""The requests that scripts of several tabs make: which file is which, and kept results."""

from functools import partial

from playground.parts import files
from playground.parts.kept_results import KeptList, KeptResult, read_pdf
from playground.server import answers
from playground.server.connections import is_local
from playground.server.functions import PROGRESS, READERS, RUNS, Work, in_child, in_thread, in_thread_or_child, stops
from playground.server.limits import is_small
from playground.server.pool import Refused
from playground.server.requests import DocumentRequest, KeptRequest, PdfRequest, RowsRequest, SortRequest, ViewRequest
from playground.server.storage import new_folder, results_folder


def _list_of(asked: KeptRequest) -> KeptList:
    return KeptList(results_folder(), asked.run)


def _result_of(asked: KeptRequest) -> KeptResult:
    return KeptResult(results_folder(), asked.run)


_SHORT_TEXT = 20_000  # characters in which values are looked up in milliseconds


def _pdf(asked: PdfRequest) -> Work[answers.Pdf]:
    """Return a function that reads a PDF with or without a result; a server that others can reach accepts no PDF."""
    if not is_local():
        raise Refused("PDFs are not accepted here: this page runs on another machine.", "limit")  # noqa: TRY003, EM101
    return partial(read_pdf, asked, _result_of(asked).folder if asked.run else new_folder())


FUNCTIONS = {
    "progress": PROGRESS,
    "stop": stops(RUNS),
    # which of the files holds the ground truths, and how their rows are read
    "sort_files": in_child(
        SortRequest, answers.SortedFiles, READERS, "sort", lambda asked: partial(files.sort_files, asked)
    ),
    # the result of an earlier run, if it is still kept
    "open_result": in_thread(KeptRequest, answers.Result, lambda asked: _result_of(asked).result),
    # the names and scores of all documents of a result, and the documents that a `ViewRequest` selects
    "read_documents": in_thread_or_child(
        KeptRequest, answers.Listing, lambda asked: ((kept := _list_of(asked)).is_small, kept.listing)
    ),
    "view_documents": in_thread_or_child(
        ViewRequest, answers.View, lambda asked: ((kept := _list_of(asked)).is_small, partial(kept.view, asked))
    ),
    # the tree of a document as HTML, the field and the cause of its rows, and its image and regions
    "read_document": in_thread_or_child(
        DocumentRequest,
        answers.Document,
        lambda asked: (
            is_small(*(kept := _list_of(asked)).values(asked.number)) and len(asked.text) < _SHORT_TEXT,
            partial(kept.document, asked.number, asked.text),
        ),
    ),
    # the words of a PDF on this machine, and its pages as images
    "read_pdf": in_child(PdfRequest, answers.Pdf, READERS, "", _pdf),
    # documents as rows of JSONL
    "read_rows": in_thread(
        RowsRequest, answers.Text, lambda asked: {"text": _list_of(asked).rows(map(int, asked.documents.split()))}
    ),
    # the sides of a document as they were scored, as texts for the editors of a pair
    "read_pair": in_thread(
        DocumentRequest, answers.PairSides, lambda asked: _result_of(asked).as_pair(asked.number, asked.system)
    ),
}

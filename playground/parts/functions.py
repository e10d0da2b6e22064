"""What the scripts of several tabs ask: which file is which, and results that are kept."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from playground.parts import files
from playground.parts.documents import KeptList, KeptResult
from playground.server.functions import READERS, Answer, answers, in_child, progress, read, stop
from playground.server.limits import is_small
from playground.server.requests import DocumentRequest, KeptRequest, RowsRequest, SortRequest, ViewRequest
from playground.server.storage import results_folder


@answers(SortRequest)
async def sort_files(request: SortRequest) -> Answer:
    """Which of the files of a `SortRequest` holds the ground truths, and how their rows are read."""
    return dict(await in_child(READERS, "sort", request, partial(files.sort_files, request)))


@answers(KeptRequest)
async def open_result(wanted: KeptRequest) -> Answer:
    """The result of a run of before, where it is still kept."""
    return await asyncio.to_thread(lambda: KeptResult(results_folder(), wanted.run).result)


@answers(KeptRequest)
async def read_documents(wanted: KeptRequest) -> Answer:
    """The names and scores of all documents of a result."""
    return await _of_list(wanted, KeptList.listing)


@answers(ViewRequest)
async def view_documents(view: ViewRequest) -> Answer:
    """Which documents a `ViewRequest` means, and why they lost points."""
    return await _of_list(view, KeptList.view, view)


async def _of_list(asked: KeptRequest, work: Callable[..., Answer], *arguments: Any) -> Answer:
    kept = await asyncio.to_thread(KeptList, results_folder(), asked.run)
    return await read(lambda: kept.is_small, partial(work, kept, *arguments))


@answers(DocumentRequest)
async def read_document(wanted: DocumentRequest) -> Answer:
    """The tree of a document as HTML, the field and the cause of its rows, and its image."""
    kept = await asyncio.to_thread(KeptList, results_folder(), wanted.run)
    return await read(lambda: is_small(*kept.values(wanted.number)), partial(kept.document, wanted.number))


@answers(RowsRequest)
async def read_rows(wanted: RowsRequest) -> Answer:
    """Documents as rows of JSONL."""
    numbers = map(int, wanted.numbers.split())
    return {"text": await asyncio.to_thread(lambda: KeptList(results_folder(), wanted.run).rows(numbers))}


@answers(DocumentRequest)
async def read_pair(wanted: DocumentRequest) -> Answer:
    """The sides of a document as they were scored, as texts for the editors of a pair."""
    kept = await asyncio.to_thread(KeptResult, results_folder(), wanted.run)
    return dict(await asyncio.to_thread(kept.as_pair, wanted.number, wanted.system))


FUNCTIONS = progress, stop, sort_files, open_result, read_documents, view_documents, read_document, read_rows, read_pair

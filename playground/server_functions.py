"""What the page's script calls: each function takes one object, which is checked as a request, and answers one object.

Where it raises an error, the answer is `{"refused": sentence, "kind": word}`, with the kinds of `Refused`, and "gone"
for results and files that were deleted.
"""

import asyncio
import json
import time
import traceback
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypeVar

from fastapi import Response

from docscore.core.errors import InputError
from playground import file_reading, testset
from playground.connections import client
from playground.fragments import lines_of
from playground.kept_results import KeptList, KeptResult
from playground.limits import is_small
from playground.pair import PairAnswer, answer, is_scored_at_once, what_ifs_of_pair
from playground.requests import (
    GONE,
    CompareRequest,
    DocumentRequest,
    FileRequest,
    KeptRequest,
    LinkRequest,
    PairRequest,
    Request,
    ReviewRequest,
    RowsRequest,
    SideBySideRequest,
    SortRequest,
    VerdictsRequest,
    ViewRequest,
)
from playground.review_work import SMALL_TEXT, KeptReview, review_files
from playground.storage import new_folder, results_folder, uploads_folder
from playground.systems_work import KeptSystems, compare_systems
from playground.worker_pool import Limits, Refused, WorkerPool

PAIRS = WorkerPool(Limits(places=2, waiting=16, seconds=20))
READERS = WorkerPool(Limits(places=2, waiting=16, seconds=60))
RUNS = WorkerPool(Limits(places=2, waiting=16, seconds=120))
_ANSWERED_WITHIN = 0.5  # seconds; a run that takes longer is asked for again
_FORGOTTEN_AFTER = 60  # seconds for which nobody asked for a run
_FAILED = "An error occurred on the server; its log says why."
Answer = dict[str, Any]
R = TypeVar("R", bound=Request)
Ask = Callable[[Any], Coroutine[Any, Any, Answer]]


def answers(kind: type[R]) -> Callable[[Callable[[R], Coroutine[Any, Any, Answer]]], Ask]:
    """Let a browser call a function of a request of this kind; where an error is raised, the answer is a sentence."""

    def decorated(function: Callable[[R], Coroutine[Any, Any, Answer]]) -> Ask:
        @wraps(function)
        async def answered(asked: Any) -> Answer:
            try:
                return await function(await asyncio.to_thread(kind.of, asked, uploads_folder()))
            except FileNotFoundError:
                return {"refused": GONE, "kind": "gone"}
            except Refused as error:
                return {"refused": "; ".join(lines_of(str(error))), "kind": error.kind}
            except InputError as error:
                return {"refused": "; ".join(lines_of(str(error.for_remote_users()))), "kind": "input"}
            except Exception:  # noqa: BLE001  the page says that it is the server's fault
                traceback.print_exc()
                return {"refused": _FAILED, "kind": "failed"}

        return answered

    return decorated


# One pair


@answers(PairRequest)
async def score_workspace(request: PairRequest) -> Answer:
    """The answer to a `PairRequest`: a `PairAnswer`; a newer request of the same window stops the one before."""
    if await asyncio.to_thread(is_scored_at_once, request):
        return (await asyncio.to_thread(answer, request))._asdict()
    found: PairAnswer = await _in_child(PAIRS, "window", request, partial(answer, request))
    return found._asdict()


@answers(PairRequest)
async def try_options(request: PairRequest) -> Answer:
    """What scores the pair of a `PairRequest` higher: `{"what_ifs": ...}`; no score waits for it."""
    return {"what_ifs": await _in_child(READERS, "what-ifs", request, partial(what_ifs_of_pair, request))}


@answers(Request)
async def stop_workspace(request: Request) -> Answer:
    """Cancel the request that this window made."""
    name, number = request.window
    PAIRS.stop(f"window {name}", number)
    return {}


@answers(LinkRequest)
async def open_link(request: LinkRequest) -> Answer:
    """The request that a link holds, for the editors and options."""
    return PairRequest.of_link(request.link).model_dump(exclude={"window"})


async def _in_child(pool: WorkerPool, kind: str, request: Request, work: Callable[..., Any]) -> Any:
    """What a child process answers; a newer request of this kind of the same window stops the one before."""
    name, number = request.window
    return await pool.run(name and f"{kind} {name}", work, number=number, client=client())


# Runs: a test set, or several systems


@dataclass
class _Run:
    """A run of a window: its task, how far it is, and when it was asked for last."""

    task: asyncio.Task[Answer]
    asked: float
    share: float = 0.0
    text: str = ""


_RUNS: dict[str, _Run] = {}  # by the name of the window


@answers(FileRequest)
async def score_files(request: FileRequest) -> Answer:
    """Begin to score the files of a `FileRequest`; the answer is that of `progress`."""
    return await _begun(request, partial(testset.score_files, request))


@answers(CompareRequest)
async def compare_files(request: CompareRequest) -> Answer:
    """Begin to compare the files of a `CompareRequest`; the answer is that of `progress`."""
    return await _begun(request, partial(compare_systems, request))


@answers(ReviewRequest)
async def begin_review(request: ReviewRequest) -> Answer:
    """Begin to list the places of the files of a `ReviewRequest`; the answer is that of `progress`."""
    return await _begun(request, partial(review_files, request))


@answers(Request)
async def progress(request: Request) -> Answer:
    """The result of the run of a window, or `{"running": true, "share": ..., "text": ...}` after half a second."""
    return await _after_a_second(request.window[0])


@answers(Request)
async def stop(request: Request) -> Answer:
    """Stop the run of a window."""
    name, number = request.window
    RUNS.stop(name, number)
    return {}


async def _begun(request: Request, work: Callable[..., Any]) -> Answer:
    """Begin a run, which stops the one before of the same window."""
    name, number = request.window
    if not name:
        raise Refused("window: expected a name")  # noqa: TRY003, EM101
    folder = await asyncio.to_thread(new_folder)
    now = time.monotonic()
    for old, run in list(_RUNS.items()):
        if run.asked < now - _FORGOTTEN_AFTER:
            RUNS.stop(old)
            del _RUNS[old]

    def report(share: float, text: str) -> None:
        begun.share, begun.text = share, text

    async def result() -> Answer:
        task = partial(work, folder=folder)
        return dict(await RUNS.run(name, task, report=report, number=number, client=client()))

    begun = _RUNS[name] = _Run(asyncio.ensure_future(result()), now)
    return await _after_a_second(name)


async def _after_a_second(name: str) -> Answer:
    run = _RUNS.get(name)
    if run is None:
        raise Refused("this run no longer exists; start it again", "gone")  # noqa: TRY003, EM101
    run.asked = time.monotonic()
    await asyncio.wait({run.task}, timeout=_ANSWERED_WITHIN)
    if not run.task.done():
        return {"running": True, "share": run.share, "text": run.text}
    if _RUNS.get(name) is run:
        del _RUNS[name]
    return run.task.result()


@answers(SortRequest)
async def sort_files(request: SortRequest) -> Answer:
    """Which of the files of a `SortRequest` holds the ground truths, and how their rows are read."""
    return dict(await _in_child(READERS, "sort", request, partial(file_reading.sort_files, request)))


# Results that are kept


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
    return await _read(lambda: kept.is_small, partial(work, kept, *arguments))


async def _read(is_small: Callable[[], bool], work: Callable[[], Answer]) -> Answer:
    """What the work answers: in a thread where that takes milliseconds, else in a child process."""
    if await asyncio.to_thread(is_small):
        return await asyncio.to_thread(work)
    found: Answer = await READERS.run("", work, client=client())
    return found


@answers(DocumentRequest)
async def read_document(wanted: DocumentRequest) -> Answer:
    """The tree of a document as HTML, the field and the cause of its rows, and its image."""
    kept = await asyncio.to_thread(KeptList, results_folder(), wanted.run)
    return await _read(lambda: is_small(*kept.values(wanted.number)), partial(kept.document, wanted.number))


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


@answers(SideBySideRequest)
async def open_document(wanted: SideBySideRequest) -> Answer:
    """The trees of a document side by side, which a `SideBySideRequest` asks for, and the number of the document."""
    kept = await asyncio.to_thread(KeptSystems, results_folder(), wanted.run)
    return dict(await _in_child(READERS, "document", wanted, partial(kept.side_by_side, wanted.document)))


@answers(VerdictsRequest)
async def score_verdicts(wanted: VerdictsRequest) -> Answer:
    """What each system gains by verdicts on documents: `KeptReview.gains`."""
    kept = await asyncio.to_thread(KeptReview, results_folder(), wanted.run)
    return dict(await _in_child(READERS, "verdicts", wanted, partial(kept.gains, wanted.verdicts)))


@answers(VerdictsRequest)
async def export_review(wanted: VerdictsRequest) -> Answer:
    """The files of a review with verdicts: `KeptReview.export`."""
    kept = await asyncio.to_thread(KeptReview, results_folder(), wanted.run)
    return dict(await _in_child(READERS, "export", wanted, partial(kept.export, wanted.verdicts, uploads_folder())))


@answers(DocumentRequest)
async def read_beside(wanted: DocumentRequest) -> Answer:
    """What stands beside a place of a review: `KeptReview.beside`."""
    kept = await asyncio.to_thread(KeptReview, results_folder(), wanted.run)
    document, text = await asyncio.to_thread(kept.document_of, wanted.number)
    beside = partial(kept.beside, wanted.number, document, text)
    return await _read(lambda: len(text or "") <= SMALL_TEXT, beside)


def written(ask: Ask) -> Callable[[Any], Coroutine[Any, Any, Response]]:
    """The function with its answer written as JSON in a thread: the framework needs seconds for a large one."""

    @wraps(ask)
    async def answered(asked: Any) -> Response:
        found = await ask(asked)
        return Response(await asyncio.to_thread(json.dumps, found), media_type="application/json")

    return answered


FUNCTIONS = [
    *map(written, (score_workspace, try_options, stop_workspace, open_link)),
    *map(written, (score_files, compare_files, progress, stop, sort_files)),
    *map(written, (begin_review, score_verdicts, export_review, read_beside)),
    *map(written, (open_result, read_documents, view_documents, read_document, read_rows, read_pair, open_document)),
]

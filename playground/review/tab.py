"""The tab for reviews: the drop box, and the screen of a worklist."""

import asyncio
from functools import partial

from playground.parts.fragments import fragment
from playground.parts.tab import READ, Tab, fields_with_words, offered
from playground.review.requests import ReviewRequest, VerdictsRequest
from playground.review.review import SMALL_TEXT, KeptReview, review_files
from playground.server.functions import READERS, Answer, answers, begin, in_child, read
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import MAX_FILES, NOTES, DocumentRequest
from playground.server.storage import results_folder, uploads_folder


@answers(ReviewRequest)
async def begin_review(request: ReviewRequest) -> Answer:
    """Begin to list the places of the files of a `ReviewRequest`; the answer is that of `progress`."""
    return await begin(request, partial(review_files, request))


@answers(VerdictsRequest)
async def score_verdicts(wanted: VerdictsRequest) -> Answer:
    """What each system gains by verdicts on documents: `KeptReview.gains`."""
    kept = await asyncio.to_thread(KeptReview, results_folder(), wanted.run)
    return dict(await in_child(READERS, "verdicts", wanted, partial(kept.gains, wanted.verdicts)))


@answers(VerdictsRequest)
async def export_review(wanted: VerdictsRequest) -> Answer:
    """The files of a review with verdicts: `KeptReview.export`."""
    kept = await asyncio.to_thread(KeptReview, results_folder(), wanted.run)
    return dict(await in_child(READERS, "export", wanted, partial(kept.export, wanted.verdicts, uploads_folder())))


@answers(DocumentRequest)
async def read_beside(wanted: DocumentRequest) -> Answer:
    """What stands beside a place of a review: `KeptReview.beside`."""
    kept = await asyncio.to_thread(KeptReview, results_folder(), wanted.run)
    document, text = await asyncio.to_thread(kept.document_of, wanted.number)
    beside = partial(kept.beside, wanted.number, document, text)
    return await read(lambda: len(text or "") <= SMALL_TEXT, beside)


_FIELDS = [field for field in fields_with_words() if "anls_star" in field[0].metrics]
_EXAMPLE = NOTES / "references.jsonl", *sorted((NOTES / "systems").glob("*.jsonl"))
TAB = Tab(
    "review",
    "review",
    "Review",
    "docscoreReview(element, server)",
    fragment("review", MAX_FILE_BYTES, MAX_FILES, _FIELDS, READ, offered(_EXAMPLE), template="review.html.jinja"),
    ["review.css", *(f"review{name}.js" for name in ("_document", "_list", "_item", "_done", ""))],
    [begin_review, score_verdicts, export_review, read_beside],
)

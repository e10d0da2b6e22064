"""The tab for reviews: the drop box, and the screen of a worklist."""

from collections.abc import Callable
from functools import partial

from playground.parts.fragments import fragment
from playground.parts.tab import READING_CHOICES, Tab, fields_with_words, offered
from playground.review.review import (
    SMALL_TEXT,
    ExportRequest,
    KeptReview,
    ReadersRequest,
    ReviewRequest,
    VerdictsRequest,
    review_files,
)
from playground.server.functions import READERS, Answer, in_child, in_thread_or_child, runs
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import MAX_FILES, NOTES, DocumentRequest, KeptRequest
from playground.server.storage import results_folder, uploads_folder


def _kept(asked: KeptRequest) -> KeptReview:
    return KeptReview(results_folder(), asked.run)


def _beside(asked: DocumentRequest) -> tuple[bool, Callable[[], Answer]]:
    kept = _kept(asked)
    document, text = kept.document_of(asked.number, asked.text)
    return len(text or "") <= SMALL_TEXT, partial(kept.beside, asked.number, document, text)


_FIELDS = [field for field in fields_with_words() if "anls_star" in field[0]["metrics"]]
_EXAMPLE = NOTES / "references.jsonl", *sorted((NOTES / "systems").glob("*.jsonl"))
TAB = Tab(
    "review",
    "review",
    "Review",
    "docscore['review/review.js'].startReview(element, server)",
    fragment(
        "review", MAX_FILE_BYTES, MAX_FILES, _FIELDS, READING_CHOICES, offered(_EXAMPLE), template="review.html.jinja"
    ),
    ["review/review.css", "review/review.js"],
    {
        "begin_review": runs(ReviewRequest, review_files),
        "score_verdicts": in_child(
            VerdictsRequest, READERS, "verdicts", lambda asked: partial(_kept(asked).gains, asked.verdicts)
        ),
        "export_review": in_child(
            ExportRequest,
            READERS,
            "export",
            lambda asked: partial(_kept(asked).export, asked.verdicts, asked.file, uploads_folder()),
        ),
        "estimate_review": in_child(
            VerdictsRequest, READERS, "estimate", lambda asked: partial(_kept(asked).estimate, asked.verdicts)
        ),
        "compare_readers": in_child(
            ReadersRequest,
            READERS,
            "readers",
            lambda asked: partial(_kept(asked).agreement, asked.verdicts, asked.other),
        ),
        "read_beside": in_thread_or_child(DocumentRequest, _beside),
    },
)

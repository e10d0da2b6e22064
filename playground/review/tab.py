"""The tab for reviews: the drop box, and the screen of a worklist."""

from functools import partial

from playground.parts.fragments import fragment
from playground.parts.tab import READING_CHOICES, Tab, fields_with_words, offered
from playground.review.review import (
    LONGEST_VALUE,
    SMALL_TEXT,
    ExportRequest,
    KeptReview,
    ReadersRequest,
    VerdictsRequest,
    review_files,
)
from playground.server import answers
from playground.server.functions import READERS, Work, in_child, in_thread_or_child, runs
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import MAX_FILES, NOTES, DocumentRequest, KeptRequest, ReviewRequest
from playground.server.storage import results_folder, uploads_folder


def _kept(asked: KeptRequest) -> KeptReview:
    return KeptReview(results_folder(), asked.run)


def _beside(asked: DocumentRequest) -> tuple[bool, Work[answers.Beside]]:
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
        "review",
        MAX_FILE_BYTES,
        MAX_FILES,
        LONGEST_VALUE,
        _FIELDS,
        READING_CHOICES,
        offered(_EXAMPLE),
        template="review.html.jinja",
    ),
    ["review/review.css", "review/review.js"],
    {
        "begin_review": runs(ReviewRequest, answers.Review, review_files),
        "score_verdicts": in_child(
            VerdictsRequest,
            answers.Gains,
            READERS,
            "verdicts",
            lambda asked: partial(_kept(asked).gains, asked.verdicts),
        ),
        "export_review": in_child(
            ExportRequest,
            answers.ReviewFile,
            READERS,
            "export",
            lambda asked: partial(_kept(asked).export, asked.verdicts, asked.file, uploads_folder()),
        ),
        "estimate_review": in_child(
            VerdictsRequest,
            answers.EstimatedLoss,
            READERS,
            "estimate",
            lambda asked: partial(_kept(asked).estimate, asked.verdicts),
        ),
        "compare_readers": in_child(
            ReadersRequest,
            answers.ReadersAgreement,
            READERS,
            "readers",
            lambda asked: partial(_kept(asked).agreement, asked.verdicts, asked.other),
        ),
        "read_beside": in_thread_or_child(DocumentRequest, answers.Beside, _beside),
    },
)

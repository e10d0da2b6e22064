"""The tab for several systems: the drop box, and the screen of a result."""

from functools import partial

from playground.compare.compare import KeptSystems, compare_systems, scores_of_systems
from playground.parts.fragments import fragment
from playground.parts.optional_packages import WITHOUT_REVIEW
from playground.parts.remedies import tries
from playground.parts.tab import FILE_METRICS, READING_CHOICES, Tab, fields_with_words, offered
from playground.server import answers
from playground.server.functions import READERS, in_child, runs
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import MAX_FILES, RECEIPTS, CompareRequest, RemedyRequest, SideBySideRequest
from playground.server.storage import results_folder

_EXAMPLE = "references.jsonl", "predictions.jsonl", "predictions_new.jsonl", "predictions_text.jsonl"
_OPTIONS = (
    "Compare three systems on 40 receipts",
    MAX_FILE_BYTES,
    MAX_FILES,
    FILE_METRICS,
    fields_with_words(),
    READING_CHOICES,
)
TAB = Tab(
    "compare",
    "compare",
    "Compare",
    "docscore['compare/compare.js'].startCompare(element, server)",
    fragment(
        "compare",
        *_OPTIONS,
        offered(RECEIPTS / name for name in _EXAMPLE),
        not WITHOUT_REVIEW,
        template="compare.html.jinja",
    ),
    ["compare/compare.js"],
    {
        "compare_files": runs(CompareRequest, answers.Comparison, compare_systems),
        # the scores of the systems with the option of a button
        "try_remedies": in_child(
            RemedyRequest, answers.Text, READERS, "remedies", tries(CompareRequest, scores_of_systems)
        ),
        # the trees of a document side by side, and the number of the document
        "open_document": in_child(
            SideBySideRequest,
            answers.SideBySide,
            READERS,
            "document",
            lambda asked: partial(KeptSystems(results_folder(), asked.run).side_by_side, asked.document, asked.text),
        ),
    },
)

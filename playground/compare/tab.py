"""The tab for several systems: the drop box, and the screen of a result."""

import asyncio
from functools import partial

from playground.compare.compare import KeptSystems, compare_systems
from playground.parts.fragments import fragment
from playground.parts.rooms import MISSING
from playground.parts.tab import FILE_METRICS, READ, Tab, fields_with_words, offered
from playground.server.functions import READERS, Answer, answers, begin, in_child
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import MAX_FILES, RECEIPTS, CompareRequest, SideBySideRequest
from playground.server.storage import results_folder


@answers(CompareRequest)
async def compare_files(request: CompareRequest) -> Answer:
    """Begin to compare the files of a `CompareRequest`; the answer is that of `progress`."""
    return await begin(request, partial(compare_systems, request))


@answers(SideBySideRequest)
async def open_document(wanted: SideBySideRequest) -> Answer:
    """The trees of a document side by side, which a `SideBySideRequest` asks for, and the number of the document."""
    kept = await asyncio.to_thread(KeptSystems, results_folder(), wanted.run)
    return dict(await in_child(READERS, "document", wanted, partial(kept.side_by_side, wanted.document)))


_EXAMPLE = "references.jsonl", "predictions.jsonl", "predictions_new.jsonl", "predictions_text.jsonl"
_OPTIONS = "Compare three systems on 40 receipts", MAX_FILE_BYTES, MAX_FILES, FILE_METRICS, fields_with_words(), READ
TAB = Tab(
    "compare",
    "compare",
    "Compare",
    "docscoreCompare(element, server)",
    fragment(
        "compare", *_OPTIONS, offered(RECEIPTS / name for name in _EXAMPLE), not MISSING, template="compare.html.jinja"
    ),
    ["comparison.js", "compare.js"],
    [compare_files, open_document],
)

"""The tab for a test set: the drop box, and the screen of a result."""

from playground.parts.fragments import fragment
from playground.parts.optional_packages import WITHOUT_REVIEW
from playground.parts.remedies import tries
from playground.parts.tab import FILE_METRICS, Tab, fields_with_words, offered
from playground.server import answers
from playground.server.functions import READERS, in_child, runs
from playground.server.limits import MAX_FILE_BYTES
from playground.server.requests import MAX_FOUND, FileRequest, RemedyRequest
from playground.testset import testset

_OPTIONS = (
    FILE_METRICS,
    fields_with_words(),
    MAX_FILE_BYTES,
    MAX_FOUND,
    not WITHOUT_REVIEW,
    *map(offered, (testset.EXAMPLE_FILES, testset.INVOICE_FILES)),
)
TAB = Tab(
    "test-set",
    "testset",
    "Test set",
    "docscore['testset/testset.js'].startTestset(element, server)",
    fragment("testset", *_OPTIONS, template="testset.html.jinja"),
    ["testset/testset.js"],
    {
        "score_files": runs(FileRequest, answers.TestSet, testset.score_files),
        # the score of the files with the option of a button
        "try_remedy": in_child(
            RemedyRequest, answers.Text, READERS, "remedy", tries(FileRequest, testset.score_of_files)
        ),
    },
)

"""The answers to the page's scripts, which are JSON values.

`python -m dev.scripts.write_server_types` writes these types, and the requests, to `server.d.ts` for the scripts.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from typing_extensions import NotRequired, TypedDict

from docscore.grounding.regions import Box, Level
from docscore.report.document_places import PlacedRow
from docscore.report.html_tree import LongList
from playground.server.pool import Kind
from playground.server.requests import CompareRequest, FileRequest, Reading, ReviewRequest, SchemaOptions


class Refusal(TypedDict):
    """Replaces an answer. The page's scripts say "silent" if the server gave no answer."""

    refused: str
    kind: Kind


class Running(TypedDict):
    """Replaces the result while a run goes on."""

    running: Literal[True]
    share: float
    text: str


class Nothing(TypedDict):
    """The answer to a request that only stops something."""


class Text(TypedDict):
    """A text, such as a score or rows of JSONL."""

    text: str


# What several tabs show


class Changes(TypedDict):
    """Parts of a request that would score higher."""

    what_if: NotRequired[Annotated[dict[str, Any], SchemaOptions]]
    reading: NotRequired[Reading]


class Remedy(TypedDict):
    """A button that scores again with changed options."""

    label: str
    options: Changes


class ShownWarning(TypedDict):
    """A warning that options resolve."""

    text: str
    buttons: list[Remedy]


class Taken(TypedDict):
    """A reading option that was used, in words."""

    name: str
    words: str


class Download(TypedDict):
    """A file that the page offers."""

    label: str
    path: str


class NamedDownload(Download):
    """A file that the page offers by its name."""

    name: str


class Figure(TypedDict):
    """A score and its interval, as numbers and as texts."""

    score: float
    low: float | None
    high: float | None
    text: str
    interval: str


# One pair

Edit = tuple[int, int, str]  # the begin and the end of what is replaced, and the new text
Spans = dict[str, tuple[int, int]]  # by the position of a value, its begin and its end


class Mend(TypedDict):
    """Edits that make a text JSON; if they are not what `parse="repair"` does, they keep only the first value."""

    edits: list[Edit]
    repairs: bool


class Fault(TypedDict):
    """The error in the text of an editor."""

    text: str
    line: int | None
    column: int | None
    mend: Mend | None


class ScoredPair(TypedDict):
    """The result of a pair as HTML, JSON and Python; all parts are empty if a text has an error.

    Attributes:
        note: how the prediction was read if it was not read as it is, and warnings about the schema.
        spans: for both texts, the characters of each value in the tree, from its key to its end, counted as JavaScript
            does.
        places: the regions where values are expected, cited and found.
    """

    note: str
    result: str
    raw: str
    python: str
    spans: list[Spans]
    places: list[PlacedRow]


class PairAnswer(ScoredPair):
    """The answer to a pair.

    Attributes:
        faults: for each editor its error, or null.
        edits: the changes to the prediction that reading required.
        is_example: whether most of the first example is unchanged.
    """

    faults: list[Fault | None]
    edits: list[Edit]
    is_example: bool
    taken: list[Taken]


class PairSides(TypedDict):
    """Both sides of a pair as texts for the editors, and how the prediction is read."""

    truth: str
    prediction: str
    reading: str


class WhatIfs(TypedDict):
    """The options that raise the score of a pair, and the warnings that options resolve."""

    what_ifs: list[Remedy]
    remedies: list[ShownWarning]


# Files


class FileFacts(TypedDict):
    """An uploaded file: its rows and the names of its columns, or its error."""

    name: str
    rows: NotRequired[int]
    columns: NotRequired[list[str]]
    fault: NotRequired[str]


class SortedFiles(TypedDict):
    """Which of several files holds the ground truths, and how the files are read.

    Attributes:
        truth: the number of that file; null if it is unknown or files hold both sides.
        both: whether each file holds both sides.
        unsure: whether the visitor has to choose.
        html: how the rows are read; "" if that is unknown or, for several systems, needs no words.
        blocked: whether scoring would refuse the rows.
    """

    truth: int | None
    both: bool
    unsure: bool
    files: list[FileFacts]
    html: str
    blocked: bool


class FileNames(TypedDict):
    """The names of the files of a test set; `references` is null if one file holds both sides."""

    references: str | None
    predictions: str


# A test set


class Lead(TypedDict):
    """The largest cause, and its words in the title."""

    cause: str
    words: str


class Headline(TypedDict):
    """Where points were lost, and what helps."""

    title: str
    text: str
    remedy: Remedy | None
    lead: Lead | None


class ListSum(TypedDict):
    """The rows of a list in all documents."""

    field: str
    lists: int
    expected: int
    predicted: int
    paired: int
    precision: float | None
    recall: float | None
    right: int
    cut_off: int
    cut_rows: int
    cut_points: float


class Slice(TypedDict):
    """The documents with one value of the column of slices; `lost` is a sum over them."""

    value: str
    documents: int
    score: float
    ends: tuple[float, float] | None
    lost: float


class GroundingLevel(TypedDict):
    """The figures of regions at one level; shares are null without a predicted value."""

    level: Level
    precision: float
    recall: float
    f1: float
    right_value_right_region: float | None
    right_value_other_region: float | None
    wrong_value_right_region: float | None
    wrong_value_other_region: float | None
    cells: int
    cited: int
    not_cited: int
    missing: int
    not_evaluated: int


class Grounding(TypedDict):
    """The figures of right values in the right region; `value` is the F1 of values, null without annotated regions."""

    value: float | None
    levels: list[GroundingLevel]
    values: int
    cited: int


class HistogramBins(TypedDict):
    """The documents by their scores."""

    edges: list[float]
    counts: list[int]


class Measured(Figure):
    """The figures of a test set, where points were lost, and what helps."""

    label: str
    range: str
    headline: Headline
    what_ifs: list[Remedy]
    counts: list[str]
    lists: list[ListSum]
    slices: list[Slice]
    grounding: Grounding | None
    histogram: HistogramBins
    intervals: list[str]


class TestSet(Measured):
    """The result of a test set; `run` opens it again, and `example` says whether it is the unmodified example."""

    run: str
    example: bool
    asked: Annotated[dict[str, Any], FileRequest]
    names: FileNames
    paired: str
    remedies: list[ShownWarning]
    taken: list[Taken]
    left_out: list[str]
    python: str
    figures: str
    downloads: list[Download]


class Rate(TypedDict):
    """A share of documents or of their values, and the count behind it."""

    label: str
    share: str
    count: str


class Listing(TypedDict):
    """All documents of a test set: their names, scores, and the names of their images."""

    names: list[str]
    scores: list[str]
    images: list[str]
    note: str


class Sum(TypedDict):
    """Points lost by a cause, with a label and perhaps a specimen, or by a field, with a score."""

    name: str
    title: str
    points: str
    share: float
    documents: str
    label: NotRequired[str]
    specimen: NotRequired[tuple[str | None, str | None] | None]
    score: NotRequired[str]


class View(TypedDict):
    """The documents that a request selects, and why these, and all documents with its text, lost points.

    Attributes:
        order: the numbers of the documents.
        why, lost, title: for each document its largest cause, the points lost by it, and the largest losses by field.
        points: their loss in the mean score.
        bins: the number of documents per bar of the histogram.
        spread: the distribution of scores.
        count: the number of documents out of all.
        causes, fields: where points were lost, largest first, with the share of the largest.
        field_count: the number of fields that lost points, including fields that are not listed.
    """

    order: list[int]
    why: list[str]
    lost: list[str]
    title: list[str]
    points: str
    bins: list[int]
    spread: list[str]
    rates: list[Rate]
    count: str
    causes: list[Sum]
    fields: list[Sum]
    nothing: str
    field_count: int


class Document(TypedDict):
    """A document of a test set: its tree as HTML, and the row, the field and the cause of each loss."""

    html: str
    marks: Sequence[tuple[int, str, str]]
    image: str
    places: list[PlacedRow]
    lists: list[LongList]


class Pdf(TypedDict):
    """For each page of a PDF its words with their boxes, and its size; or the image of one page."""

    words: list[list[tuple[str, Box]]]
    sizes: list[tuple[float, float]]
    path: str


# Several systems

CostColumn = Literal["cost", "seconds", "tokens"]


class Cost(TypedDict):
    """A sum over the documents, or a note why there is none."""

    total: float | None
    note: str


class System(Figure):
    """A system."""

    name: str
    lost: str
    costs: dict[CostColumn, Cost]
    counts: list[str]


class Verdict(TypedDict):
    """Which system leads, whether that is proven, what the lead consists of, and the scores with other options."""

    title: str
    rest: str
    p: str
    text: str
    documents: list[str]
    remarks: list[str]
    remedies: list[Remedy]


class LossCell(TypedDict):
    """The points that a system lost, and the document that lost the most."""

    value: float
    text: str
    share: float
    document: str | None


class LossRow(TypedDict):
    """Points that systems lost by a cause, which has a label, or by a field."""

    name: str
    label: NotRequired[str]
    paths: NotRequired[list[str]]
    documents: NotRequired[int]
    few: NotRequired[bool]
    cells: list[LossCell]


class DocumentScores(TypedDict):
    """The scores of the systems on one document."""

    id: str
    scores: list[str]


class Pair(TypedDict):
    """The difference between a system and one with a lower score."""

    first: str
    second: str
    difference: float
    low: float | None
    high: float | None
    better: int
    worse: int
    p: str
    proven: bool


class Compared(TypedDict):
    """The systems, the verdict, and the points lost by cause, field and document."""

    systems: list[System]
    verdict: Verdict
    ties: Sequence[tuple[int, int]]
    causes: list[LossRow]
    fields: list[LossRow]
    field_count: int
    documents: list[DocumentScores]
    pairs: list[Pair]
    note: str
    signature: str


class Comparison(Compared):
    """The result of a comparison; `run` opens it again."""

    run: str
    asked: Annotated[dict[str, Any], CompareRequest]
    count: int
    remedies: list[ShownWarning]
    taken: list[Taken]
    left_out: list[str]
    python: str
    downloads: list[NamedDownload]


class SideBySide(TypedDict):
    """A document in all systems, best first: its number, and the regions of each system by the numbers of rows."""

    html: str
    number: int
    places: list[list[PlacedRow]]


# A review

Found = Literal["yes", "no", ""]
Mark = list[tuple[int, int]]  # a place in a text: the characters of a value, or of each part of the value
# identifies a place; an added row has the index of the row before it, its content, and its number among equal rows
PlaceIdentity = tuple[str, str, tuple[int | None, str, int] | None, int | None]


class ReviewedSystem(TypedDict):
    """A reviewed system."""

    name: str
    score: float
    text: str


class Difference(TypedDict):
    """How similar two values are, and both sides as spans with marked differences."""

    similarity: str
    marked: list[list[tuple[str, bool]]]


class PredictedValue(Difference):
    """A value that systems, which are numbers, predict; null if they predict none."""

    systems: list[int]
    text: str | None
    found: Found


class ReviewedPlace(TypedDict):
    """A place to decide, with its values as texts, null if a side has none.

    Attributes:
        edit: the ground truth to edit, null if it cannot be edited.
    """

    path: str
    row: int | None
    judged: str
    reference: int | None
    group: str
    about: str
    agree: float
    of: int
    drawn: int
    points: list[float]
    whole: bool
    has_text: bool
    by_value: bool
    truth: str | None
    edit: str | None
    found: Found
    answers: list[PredictedValue]


class Place(ReviewedPlace):
    """An item of a review."""

    document: int
    id: str
    identity: PlaceIdentity


class ShownVerdict(TypedDict):
    """A verdict on a place, which is a number."""

    number: int
    verdict: str
    answer: int
    value: str


class DecidedBefore(TypedDict):
    """The verdicts of a file that still apply, and how many these are in words."""

    verdicts: list[ShownVerdict]
    note: str


class Review(TypedDict):
    """A review of ground truths; `run` opens it again."""

    run: str
    asked: Annotated[dict[str, Any], ReviewRequest]
    fingerprint: str
    count: int
    systems: list[ReviewedSystem]
    sampled: int | None
    places: list[Place]
    decided: DecidedBefore | None
    left_out: list[str]
    python: str


class Gains(TypedDict):
    """For each document its number and the gain of each system; and the verdicts that cannot be applied.

    Attributes:
        faults: the number of the document, the path ("" for the whole document), and a sentence.
    """

    gains: list[list[float]]
    faults: list[tuple[int, str, str]]


class ReadersAgreement(TypedDict):
    """How well two readers agree, and the other reader's verdicts where they differ."""

    text: str
    differing: list[ShownVerdict]


class ReviewFile(TypedDict):
    """The file that was written."""

    path: str


class EstimatedLoss(TypedDict):
    """The recovered share of the lost points, with its interval."""

    lines: list[str]
    share: tuple[float, float, float]


class Beside(TypedDict):
    """The context of a place: the other fields of its row, or the rows of the list that a new row joins.

    Attributes:
        heads: the names of the fields.
        rows: for each row, its fields as texts.
        places: for each field the number of its place, or null if all systems are right.
        count: the number of fields, or of rows.
        text: the text of the document.
        found, marks: for the ground truth and each answer, whether the text contains it, and where.
        row: the first position of the row in the text.
    """

    heads: list[str]
    rows: list[list[str]]
    places: list[int | None]
    count: int
    text: str | None
    found: list[Found]
    marks: list[list[Mark]]
    row: Mark


Result = TestSet | Comparison | Review  # what a run ends with, and what `run` opens again

"""Requests from browsers, which may send anything: pydantic validates them with the models of this module."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from typing_extensions import NotRequired, TypedDict

from docscore.core.errors import InputError, InputTypeError, InputValueError, short_repr
from docscore.core.options import CompareOptions, ReadOptions, check_choice, read_and_compare_options
from docscore.evaluation.registry import ANLS_STAR, METRICS, TYPED, checked_metrics
from docscore.grounding.regions import Level
from docscore.inputs.citation_forms import known_forms
from docscore.inputs.formats import DELIMITERS
from docscore.inputs.json_text import loads_at
from playground.server.limits import MAX_BYTES
from playground.server.pool import Refused

MAX_FILES = 9  # per request: the ground truths, and the predictions of eight systems
MAX_FOUND = 200  # characters of a searched text
PAIR_METRICS = "anls_star", "kieval", "entity_f1", "nted"  # the metrics that explain a pair
READINGS = "repair", "json", "text"
COLUMNS = "references_id", "predictions_id", "references", "prediction"
SIGNS = "references_delimiter", "predictions_delimiter"
ENCODINGS = None, "cp1252"  # of files that are not UTF-8
CONTENT = "ignore_keys", "absent_words", "citations_from", "with_confidences"  # what is taken out of values
READING_OPTIONS = "parse", "parse_references", "missing", *CONTENT  # how files are read
LAYOUT = (  # where ids and values are in the rows, as for `docscore.evaluate`
    *("references_query", "predictions_query", "id_column", "id_pattern", "field_column", "value_column"),
    *("single_document", "answer_is_list"),
)
SWITCHES = "single_document", "answer_is_list", "with_confidences"  # options that are None or "yes"
MAX_LAYOUT = 2_000  # characters of each
MAX_SAMPLE = 1_000  # places of a review that are sampled
Share = Literal[  # of the values of documents, by their regions
    "right_value_right_region",
    "right_value_other_region",
    "wrong_value_right_region",
    "wrong_value_other_region",
    "missing",
]
SHARES: tuple[Share, ...] = get_args(Share)
SORTS = "loss", "score", "id", "file"  # of documents
MAY_BE_OMITTED = "the page's scripts may omit this key"  # keys without this have defaults only for links and programs
R = TypeVar("R", bound="Request")
GONE = (
    "These results are no longer on the server, which keeps them for an hour or until it restarts; "
    "score the files again."
)


Window = tuple[Annotated[str, Field(max_length=64)], int]  # a name, and the number of a request


class Request(BaseModel):
    """A request from a browser.

    Attributes:
        window: the name that the window gives itself ("" for none), and the number of its request; newer requests have
            higher numbers.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    window: Annotated[Window, Field(strict=False), MAY_BE_OMITTED] = ("", 0)

    @classmethod
    def of(cls: type[R], asked: object, uploads: Path | None = None) -> R:  # noqa: PYI019  Self came with Python 3.11
        """Validate a request, which may be any value; uploaded files must be in the folder `uploads`.

        Raises:
            ValueError: one sentence that says what is invalid.
        """
        try:
            return cls.model_validate(asked, context=uploads)
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
        cause = fault.get("ctx", {}).get("error")
        if isinstance(cause, InputError | Refused):
            raise cause
        place = ".".join(map(str, fault["loc"])) or "request"
        expected = fault["msg"].removeprefix("Input should be ")
        if expected == fault["msg"]:
            raise InputValueError(place=place, problem=expected[0].lower() + expected[1:])
        raise InputValueError(place=place, expected=expected, got=short_repr(fault["input"]))


def _known(asked: object, names: Collection[str]) -> dict[str, Any]:
    if not isinstance(asked, dict) or not asked.keys() <= set(names):
        raise InputValueError(place="request", expected=f"an object with some of the keys {', '.join(names)}")
    return asked


def compare_options(asked: dict[str, Any]) -> CompareOptions:
    """Return the compare options that a browser sent; "schema" is the text of a JSON Schema, or "" for none.

    Raises:
        ValueError: for any invalid value, including a value of the wrong type.
    """
    schema = asked.get("schema", "")
    if not isinstance(schema, str) or len(schema) > MAX_BYTES:
        raise InputValueError(place="schema", expected=f"text of up to {MAX_BYTES:,} characters")
    parsed = loads_at(schema, "schema") if schema.strip() else None
    if not isinstance(parsed, dict | None):
        raise InputValueError(place="schema", expected="a JSON object", got=type(parsed).__name__)
    try:
        return CompareOptions(**{**asked, "schema": parsed})
    except InputTypeError as error:
        raise InputValueError(error.diagnostic) from None


def one_of(*choices: str) -> AfterValidator:
    """Return a validator that accepts only these values for a field."""

    def checked(value: str, info: ValidationInfo) -> str:
        check_choice(info.field_name or "", value, choices)
        return value

    return AfterValidator(checked)


def option_fields(names: Collection[str]) -> list[dict[str, Any]]:
    """Return the fields of `CompareOptions` with these names, in their order there, as the page offers them.

    Each has "name", "default", "choices" (empty for booleans and numbers), and the "metrics" that it changes.
    """
    return [
        {
            "name": field.name,
            "default": field.default,
            "choices": field.metadata["choices"],
            "metrics": [name for name, metric in METRICS.items() if field.name in metric.options],
        }
        for field in fields(CompareOptions)
        if field.name in names
    ]


WHAT_IFS = tuple(  # the options that every tab offers
    field.name
    for field in fields(CompareOptions)
    if any(field.name in METRICS[metric].options for metric in PAIR_METRICS)
)


class SchemaOptions(TypedDict):
    """How values are compared: the options in `WHAT_IFS`, and a JSON Schema as text, "" for none."""

    threshold: float
    ignore_case: bool
    numbers: str
    normalise: bool
    donut: bool
    rules: str
    schema: NotRequired[str]


def _what_if(asked: object) -> dict[str, Any]:
    found = _known(asked, (*WHAT_IFS, "schema"))
    options = compare_options(found)
    return {**{name: getattr(options, name) for name in WHAT_IFS}, "schema": found.get("schema", "")}


WhatIf = Annotated[dict[str, Any], SchemaOptions, PlainValidator(_what_if)]


def arguments_of(options: ReadOptions | CompareOptions, names: Collection[str]) -> list[str]:
    """Return the options with these names that are not defaults, as Python arguments; `schema` is a variable there."""
    return [
        f"{field.name}={'schema' if field.name == 'schema' else repr(getattr(options, field.name))}"
        for field in fields(options)
        if field.name in names and getattr(options, field.name) != field.default
    ]


def _reading(asked: dict[str, str | None]) -> dict[str, str | None]:
    _known(asked, (*COLUMNS, *SIGNS, *READING_OPTIONS, *LAYOUT, "encoding"))
    for name in (*LAYOUT, *CONTENT):
        if len(asked.get(name) or "") > MAX_LAYOUT:
            raise InputValueError(place=name, expected=f"at most {MAX_LAYOUT:,} characters")
    for name in SWITCHES:
        check_choice(name, asked.get(name), (None, "yes"))
    check_choice("citations_from", asked.get("citations_from") or None, (None, *known_forms()))
    check_choice("encoding", asked.get("encoding"), ENCODINGS)
    for name in SIGNS:
        check_choice(name, asked.get(name), (None, *DELIMITERS))
    plain = {name: asked[name] for name in READING_OPTIONS if name in asked and name not in CONTENT}
    read_and_compare_options({**plain, **given_options(asked, CONTENT)})
    return asked


def given_options(reading: Mapping[str, str | None], names: Iterable[str]) -> dict[str, Any]:
    """Return the options with these names that a visitor gave, as `ReadOptions` takes them."""
    return {name: True if name in SWITCHES else given for name in names if (given := reading.get(name))}


Reading = Annotated[dict[str, str | None], AfterValidator(_reading)]


class PairRequest(Request):
    """A pair of texts to score.

    Attributes:
        truth: the text of the ground truth, JSON.
        prediction: the text of the prediction.
        reading: how the text of the prediction is read, one of `READINGS`.
        metric: one of `PAIR_METRICS`.
        options: how values are compared: the options in `WHAT_IFS`, and by "schema" a JSON Schema as text.
        text: the text of the document, in which the values are looked up; "" if it is unknown.
        is_example: whether the texts began as the first example, possibly edited since.
        content: the parts to take out of the values before scoring: options in `CONTENT`.
    """

    truth: str
    prediction: str
    reading: Annotated[str, one_of(*READINGS)] = "repair"
    metric: Annotated[str, one_of(*PAIR_METRICS)] = PAIR_METRICS[0]
    options: WhatIf = _what_if({})
    text: Annotated[str, Field(max_length=MAX_BYTES), MAY_BE_OMITTED] = ""
    is_example: Annotated[bool, MAY_BE_OMITTED] = False
    content: Annotated[Reading, MAY_BE_OMITTED] = {}

    @classmethod
    def of_link(cls, value: object) -> PairRequest:
        """Return the pair of a link.

        Links to a document of a test set can name a metric that does not explain a pair; ANLS* is used instead.

        Raises:
            ValueError: as in `of`.
        """
        if isinstance(value, dict) and value.get("metric") in [name for name in METRICS if name not in PAIR_METRICS]:
            value = {**value, "metric": ANLS_STAR}
        return cls.of(value)


class LinkRequest(Request):
    """The content of a link to a pair."""

    link: Any


_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECEIPTS, NOTES, INVOICES = _EXAMPLES / "receipts", _EXAMPLES / "review", _EXAMPLES / "invoices"
_OFFERED = RECEIPTS, INVOICES, NOTES, NOTES / "systems"  # every visitor may score the files in these folders


def _upload(name: object, info: ValidationInfo) -> Path:
    if name is None or name == "":
        raise InputValueError(problem="Choose a file.")
    if info.context is None and isinstance(name, Path):  # set by this program, not by a browser
        return name
    folder = (info.context or Path()).resolve()
    path = Path(name).resolve() if isinstance(name, str) and "\0" not in name else folder
    if path == folder or not (path.is_relative_to(folder) or path.parent in _OFFERED) or not path.is_file():
        msg = "This file is no longer on the server; choose it again."
        raise Refused(msg, "gone")
    return path


def _upload_if_any(name: object, info: ValidationInfo) -> Path | None:
    return None if name is None or name == "" else _upload(name, info)


Upload = Annotated[Path, PlainValidator(_upload)]
UploadIfAny = Annotated[Path | None, PlainValidator(_upload_if_any)]


class ReadRequest(Request):
    """A request that says how to read the rows of uploaded files.

    The name of an uploaded file holds a hash of its content: anyone who knows the name has the file.

    Attributes:
        reading: the visitor's choices, which replace guesses. The keys are names in `COLUMNS` (the value is a column,
            or None for none), in `SIGNS` (a delimiter), in `READING_OPTIONS` and `LAYOUT` (an option), and "encoding"
            (one of `ENCODINGS`).
        skip: whether rows with errors are left out.
    """

    reading: Reading = {}
    skip: bool = False

    @property
    def content(self) -> dict[str, Any]:
        """The options for what is taken out of values."""
        return given_options(self.reading, CONTENT)


class ScoreRequest(ReadRequest):
    """A request that says how to score the rows of uploaded files.

    Attributes:
        references: the file of ground truths; None if the predictions hold them.
        what_if: how values are compared: the options in `WHAT_IFS`, and by "schema" a JSON Schema as text.
    """

    references: UploadIfAny = None
    what_if: WhatIf = _what_if({})

    @property
    def options(self) -> CompareOptions:
        """How values are compared."""
        return compare_options(self.what_if)


class FileRequest(ScoreRequest):
    """A request to score a test set.

    Attributes:
        predictions: the file of predictions.
        metrics: the metrics; the first one is the primary metric, on which the page is based.
        by: a column of the references whose values make slices; "" for none.
        before: the name of a kept result of these files, whose unchanged parts are reused; "" for none.
    """

    predictions: Upload
    metrics: Annotated[list[str], AfterValidator(checked_metrics)] = [PAIR_METRICS[0]]
    by: str = ""
    before: Annotated[str, MAY_BE_OMITTED] = ""

    @model_validator(mode="before")
    @classmethod
    def _one_file_holds_both_sides(cls, asked: object) -> object:
        if isinstance(asked, dict) and not asked.get("predictions"):
            return {**asked, "references": None, "predictions": asked.get("references")}
        return asked

    @property
    def files(self) -> dict[str, Path]:
        """The files by their names on the page."""
        return ({"references": self.references} if self.references else {}) | {"predictions": self.predictions}

    @property
    def missing(self) -> str:
        """The treatment of references without a prediction."""
        return self.reading.get("missing") or "error"


def metrics_of(asked: Sequence[str], schema: str) -> tuple[str, ...]:
    """Return the metrics of an evaluation; a schema adds the typed score, which comes first if ANLS* was first."""
    if not schema:
        return tuple(asked)
    return (TYPED, *asked) if asked[0] == ANLS_STAR else (*asked, TYPED)


class SortRequest(ReadRequest):
    """A request to find out which uploaded file holds the ground truths, and how to read the rows.

    Attributes:
        files: the files, in any order.
        truth: the number of the file with the ground truths; None if that is the question; -1 if the rows of
            predictions hold them.
        is_pair: whether the files are the two sides of one test set, or one file with both; else they are many systems.
        missing: the treatment of ground truths without a prediction, unless `reading` has it.
    """

    files: Annotated[list[Upload], Field(min_length=1, max_length=MAX_FILES)]
    truth: Annotated[int | None, Field(ge=-1, lt=MAX_FILES)] = None
    is_pair: bool = True
    missing: str = "error"


class CompareRequest(ScoreRequest):
    """A request to compare systems whose predictions are all read in the same way.

    Attributes:
        predictions: one file per system.
        names: the names of the systems; "" for the name of the file.
        parse: how to read text predictions as JSON, instead of what `reading` or a guess says.
        missing: the treatment of ground truths without a prediction.
        metric: the primary metric, on which the page is based.
    """

    predictions: list[Upload] = []
    names: list[str] = []
    parse: str | None = None
    missing: str = "error"
    metric: Annotated[str, one_of(*METRICS)] = PAIR_METRICS[0]

    def of_first(self) -> FileRequest:
        """Return the request for the ground truths and the first system, which decides how all files are read."""
        first = self.predictions[0]
        return FileRequest(references=self.references, predictions=first, reading=self.reading, skip=self.skip)


class ReviewRequest(CompareRequest):
    """A request for a review of a comparison, or of one system.

    Attributes:
        sample: how many places of one system are sampled by lost points; 0 for all places of all systems.
        sample_of: the name of the sampled system.
        verdicts: a file of verdicts with which to continue; None for none.
        texts: a file with an object that holds the texts of documents by their ids; None for none.
    """

    sample: Annotated[int, Field(ge=0, le=MAX_SAMPLE)] = 0
    sample_of: str = ""
    verdicts: UploadIfAny = None
    texts: UploadIfAny = None


class KeptRequest(Request):
    """A request about a result that the server keeps."""

    run: str


class ViewRequest(KeptRequest):
    """A request for the documents of a result to show, and for their order.

    Attributes:
        cause, field: the documents lost points by this cause or field; None for any.
        within: the documents lost points in rows of this list; None for any.
        slice: the documents have this value in the column of slices; None for any.
        find: a text in the ids or values of the documents.
        low, high: the range of their scores.
        sort: the order of the documents.
        share: the documents have values of this kind, one of `SHARES`; None for any.
        level: page or box; decides for `share` whether a region is the right one.
    """

    cause: str | None = None
    field: str | None = None
    within: Annotated[str | None, MAY_BE_OMITTED] = None
    slice: Annotated[str | None, MAY_BE_OMITTED] = None
    find: Annotated[str, Field(max_length=MAX_FOUND)] = ""
    low: Annotated[float, Field(strict=False)] = 0.0
    high: Annotated[float, Field(strict=False)] = 1.0
    sort: Annotated[str, one_of(*SORTS)] = "loss"
    share: Annotated[Share | None, MAY_BE_OMITTED] = None
    level: Annotated[Level, MAY_BE_OMITTED] = "box"


class DocumentRequest(KeptRequest):
    """A request for a document of a result by its number; with several systems, also by the number of a system.

    Attributes:
        text: the text of the document, in which its values are looked up; "" if it is unknown.
    """

    number: int
    system: Annotated[int, Field(ge=0), MAY_BE_OMITTED] = 0
    text: Annotated[str, Field(max_length=MAX_BYTES), MAY_BE_OMITTED] = ""


class RemedyRequest(KeptRequest):
    """A request for the score of a result with the option of a button; buttons are numbered over all warnings."""

    button: Annotated[int, Field(ge=0)]


class PdfRequest(KeptRequest):
    """A request for the PDF of a document, or for one of its pages.

    Attributes:
        run: the result with the document; "" for the document of a pair.
        pdf: the file; None to ask whether PDFs are accepted.
        page: from 1; 0 for the words of all pages.
    """

    pdf: Annotated[UploadIfAny, MAY_BE_OMITTED] = None
    page: Annotated[int, Field(ge=0), MAY_BE_OMITTED] = 0


class RowsRequest(KeptRequest):
    """A request for documents of a result by numbers, which are sent as text because lists in requests are limited."""

    documents: Annotated[str, Field(pattern=r"^(\d{1,9} ?)*$")]


class SideBySideRequest(KeptRequest):
    """A request for a document in all systems, by its displayed id; `text` is its text."""

    document: str
    text: Annotated[str, Field(max_length=MAX_BYTES), MAY_BE_OMITTED] = ""

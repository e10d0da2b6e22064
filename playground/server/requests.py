"""What browsers ask: it may be anything, so pydantic checks it against the models of this module before it is used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

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

from docscore.core.errors import InputError, InputTypeError, InputValueError, short_repr
from docscore.core.options import CompareOptions, ReadOptions, check_choice, read_and_compare_options
from docscore.evaluation.registry import ANLS_STAR, METRICS, TYPED, checked_metrics
from docscore.grounding.regions import Level
from docscore.inputs.citation_forms import known_forms
from docscore.inputs.formats import DELIMITERS
from docscore.inputs.json_text import loads_at
from playground.server.limits import MAX_BYTES
from playground.server.pool import Refused

MAX_FILES = 9  # of a request: the ground truths, and the predictions of eight systems
MAX_FOUND = 200  # characters of a text that is looked for
PAIR_METRICS = "anls_star", "kieval", "entity_f1", "nted"  # those that explain a pair
READINGS = "repair", "json", "text"
COLUMNS = "references_id", "predictions_id", "references", "prediction"
SIGNS = "references_delimiter", "predictions_delimiter"
ENCODINGS = None, "cp1252"  # of files that are not UTF-8
CONTENT = "ignore_keys", "absent_words", "citations_from", "with_confidences"  # what is taken out of values
READING_OPTIONS = "parse", "parse_references", "missing", *CONTENT  # the options of how files are read
LAYOUT = (  # where ids and values are in the rows, as for `docscore.evaluate`
    *("references_query", "predictions_query", "id_column", "id_pattern", "field_column", "value_column"),
    *("single_document", "answer_is_list"),
)
SWITCHES = "single_document", "answer_is_list", "with_confidences"  # options that are None or "yes"
MAX_LAYOUT = 2_000  # characters of each
SORTS = "loss", "score", "id", "file"  # of documents
R = TypeVar("R", bound="Request")
GONE = (
    "These results are no longer on the server, which keeps them for an hour or until it restarts; "
    "score the files again."
)


class Request(BaseModel):
    """A question of a browser.

    Attributes:
        window: the name that the window gives itself, "" for none, and the number of its question: the newer of two has
            the higher number.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    window: Annotated[tuple[Annotated[str, Field(max_length=64)], int], Field(strict=False)] = ("", 0)

    @classmethod
    def of(cls: type[R], asked: object, uploads: Path | None = None) -> R:  # noqa: PYI019  Self came with Python 3.11
        """The question, which may be anything; of uploaded files those in the folder `uploads` alone.

        Raises:
            ValueError: one sentence that names what is wrong.
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
    """The options of comparison that a browser sends; "schema" is the text of a JSON Schema, "" for none.

    Raises:
        ValueError: for a value of a wrong type too, as anything may be sent.
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
    """A check that a field has one of these values."""

    def checked(value: str, info: ValidationInfo) -> str:
        check_choice(info.field_name or "", value, choices)
        return value

    return AfterValidator(checked)


def option_fields(names: Collection[str]) -> list[dict[str, Any]]:
    """The fields of `CompareOptions` of these names, in their order there, as the page offers them.

    Of each "name", "default", "choices", which are empty for True or False and for numbers, and "metrics" it changes.
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


def _what_if(asked: object) -> dict[str, Any]:
    found = _known(asked, (*WHAT_IFS, "schema"))
    options = compare_options(found)
    return {**{name: getattr(options, name) for name in WHAT_IFS}, "schema": found.get("schema", "")}


WhatIf = Annotated[dict[str, Any], PlainValidator(_what_if)]


def arguments_of(options: ReadOptions | CompareOptions, names: Collection[str]) -> list[str]:
    """The options of these names that are not the defaults, as arguments in Python; `schema` is a variable there."""
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
    """The options of these names that a visitor gave, as `ReadOptions` takes them."""
    return {name: True if name in SWITCHES else given for name in names if (given := reading.get(name))}


Reading = Annotated[dict[str, str | None], AfterValidator(_reading)]


class PairRequest(Request):
    """A pair of texts to be scored.

    Attributes:
        truth: the text of the ground truth, JSON.
        prediction: the text of the prediction.
        reading: how the text of the prediction is read, one of `READINGS`.
        metric: one of `PAIR_METRICS`.
        options: how values are compared: the options in `WHAT_IFS`, and by "schema" a JSON Schema as text.
        text: what the document says, in which the values are looked up; "" where that is not known.
        is_example: whether the texts were the first example, before they were edited.
        content: what is taken out of the values before they are scored: options in `CONTENT`.
    """

    truth: str
    prediction: str
    reading: Annotated[str, one_of(*READINGS)] = "repair"
    metric: Annotated[str, one_of(*PAIR_METRICS)] = PAIR_METRICS[0]
    options: WhatIf = _what_if({})
    text: Annotated[str, Field(max_length=MAX_BYTES)] = ""
    is_example: bool = False
    content: Reading = {}

    @classmethod
    def of_link(cls, value: object) -> PairRequest:
        """The pair of a link: a request, or the list that earlier pages wrote, the oldest of them without its end.

        Raises:
            ValueError: as `of`.
        """
        if not isinstance(value, list):
            return cls.of(value)
        names = "truth", "prediction", "threshold", "ignore_case", "reading", "label", "rules", "numbers"
        if len(value) > len(names):
            raise InputValueError(place="link", expected=f"at most {len(names)} values", got=str(len(value)))
        found = {"label": "ANLS*", "rules": "paper", "numbers": "text", **dict(zip(names, value, strict=False))}
        labels: dict[Any, str] = {METRICS[name].label: name for name in PAIR_METRICS}
        label, reading = str(found.pop("label")), found.get("reading")
        options: dict[str, Any] = {name: found.pop(name) for name in WHAT_IFS if name in found}
        found["metric"] = labels.get(label, label)
        if found["metric"] in ("kieval", "entity_f1"):
            options["normalise"] = options.get("ignore_case")
        if isinstance(reading, bool):
            found["reading"] = "text" if reading else "repair"
        return cls.of({**found, "options": options})


class LinkRequest(Request):
    """What a link to a pair holds."""

    link: Any


_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RECEIPTS, NOTES, INVOICES = _EXAMPLES / "receipts", _EXAMPLES / "review", _EXAMPLES / "invoices"
_OFFERED = RECEIPTS, INVOICES, NOTES, NOTES / "systems"  # whose files every visitor may have scored


def _upload(name: object, info: ValidationInfo) -> Path | None:
    if name is None or name == "":
        return None
    if info.context is None and isinstance(name, Path):  # of this program, not of a browser
        return name
    folder = (info.context or Path()).resolve()
    path = Path(name).resolve() if isinstance(name, str) and "\0" not in name else folder
    if path == folder or not (path.is_relative_to(folder) or path.parent in _OFFERED) or not path.is_file():
        msg = "This file is no longer on the server; choose it again."
        raise Refused(msg, "gone")
    return path


Upload = Annotated[Path | None, PlainValidator(_upload)]


class ReadRequest(Request):
    """How the rows of uploaded files are read.

    The name of an uploaded file holds a hash of its content: who knows the name has the file.

    Attributes:
        reading: what a visitor chose in place of guesses: by the names in `COLUMNS` the name of a column, None for
            none; by those in `SIGNS` the sign between columns; by those in `READING_OPTIONS` and `LAYOUT` an option;
            by "encoding" one of `ENCODINGS`.
        skip: whether rows with errors are left out.
    """

    reading: Reading = {}
    skip: bool = False

    @property
    def content(self) -> dict[str, Any]:
        """The options of what is taken out of values."""
        return given_options(self.reading, CONTENT)


class ScoreRequest(ReadRequest):
    """How the rows of uploaded files are scored.

    Attributes:
        references: the file of ground truths; None where the predictions hold them.
        what_if: how values are compared: the options in `WHAT_IFS`, and by "schema" a JSON Schema as text.
    """

    references: Upload = None
    what_if: WhatIf = _what_if({})

    @property
    def options(self) -> CompareOptions:
        """How values are compared."""
        return compare_options(self.what_if)


class FileRequest(ScoreRequest):
    """A test set.

    Attributes:
        predictions: the file of predictions.
        metrics: the metrics, of which the first is that of everything that is shown.
        by: a column of the references whose values make slices; "" for none.
        before: the name of a kept result of these files, of which what does not change is taken; "" for none.
    """

    predictions: Upload = None
    metrics: Annotated[list[str], AfterValidator(checked_metrics)] = [PAIR_METRICS[0]]
    by: str = ""
    before: str = ""

    @model_validator(mode="before")
    @classmethod
    def _one_file_holds_both_sides(cls, asked: object) -> object:
        if isinstance(asked, dict) and not asked.get("predictions"):
            return {**asked, "references": None, "predictions": asked.get("references")}
        return asked

    @model_validator(mode="after")
    def _there_is_a_file(self) -> FileRequest:
        if self.predictions is None:
            raise InputValueError(problem="Choose a file.")
        return self

    @property
    def files(self) -> dict[str, Path]:
        """The files by their names on the page."""
        both = {"references": self.references, "predictions": self.predictions}
        return {name: path for name, path in both.items() if path is not None}

    @property
    def missing(self) -> str:
        """What happens to references without a prediction."""
        return self.reading.get("missing") or "error"


def metrics_of(asked: Sequence[str], schema: str) -> tuple[str, ...]:
    """The metrics of an evaluation: those asked for, and with a schema the typed score, before ANLS* as the default."""
    if not schema:
        return tuple(asked)
    return (TYPED, *asked) if asked[0] == ANLS_STAR else (*asked, TYPED)


class SortRequest(ReadRequest):
    """Uploaded files of which it is asked which one holds the ground truths, and how their rows are read.

    Attributes:
        files: the files, in any order.
        truth: the number of that with the ground truths; None where that is asked; -1 where the rows of predictions
            hold them.
        is_pair: whether they are the two sides of one test set, or one file with both; else they are of many systems.
        missing: what happens to ground truths without a prediction, where `reading` does not say it.
    """

    files: Annotated[list[Upload], Field(min_length=1, max_length=MAX_FILES)]
    truth: Annotated[int | None, Field(ge=-1, lt=MAX_FILES)] = None
    is_pair: bool = True
    missing: str = "error"


class CompareRequest(ScoreRequest):
    """What is to be compared: systems whose predictions are all read alike.

    Attributes:
        predictions: a file a system.
        names: their names; "" for the name of the file.
        parse: how predictions that are text are read as JSON, in place of what `reading` or a guess says.
        missing: what happens to ground truths without a prediction.
        metric: the primary metric, by which all that is shown is scored.
    """

    predictions: list[Upload] = []
    names: list[str] = []
    parse: str | None = None
    missing: str = "error"
    metric: Annotated[str, one_of(*METRICS)] = PAIR_METRICS[0]

    @property
    def files(self) -> list[Path]:
        """The files of predictions."""
        return [path for path in self.predictions if path is not None]

    def of_first(self) -> FileRequest:
        """The ground truths and the first system, by which it is decided how the files are read."""
        return FileRequest(references=self.references, predictions=self.files[0], reading=self.reading, skip=self.skip)


class KeptRequest(Request):
    """A question about a result that the server keeps."""

    run: str


class ViewRequest(KeptRequest):
    """Which documents of a result are shown, and in what order.

    Attributes:
        cause, field: that they lost points by; None for any.
        within: a list in whose rows they lost points; None for any.
        slice: the value of the column of slices that they have; None for any.
        find: a text in their ids or values.
        low, high: the range of their scores.
        sort: their order.
        share: the values that they have, one of `SHARES` in kept_results.py; None for any.
        level: page or box, which decides what of it is at the right place.
    """

    cause: str | None = None
    field: str | None = None
    within: str | None = None
    slice: str | None = None
    find: Annotated[str, Field(max_length=MAX_FOUND)] = ""
    low: Annotated[float, Field(strict=False)] = 0.0
    high: Annotated[float, Field(strict=False)] = 1.0
    sort: Annotated[str, one_of(*SORTS)] = "loss"
    share: (
        Literal[
            "right_value_right_region",
            "right_value_other_region",
            "wrong_value_right_region",
            "wrong_value_other_region",
            "missing",
        ]
        | None
    ) = None
    level: Level = "box"


class DocumentRequest(KeptRequest):
    """A document of a result by its number, and of several systems one by its number, best first.

    Attributes:
        text: what the document says, in which its values are looked up; "" where that is not known.
    """

    number: int
    system: Annotated[int, Field(ge=0)] = 0
    text: Annotated[str, Field(max_length=MAX_BYTES)] = ""


class RemedyRequest(KeptRequest):
    """A question what a result would score with the option of a button, which has a number among all buttons."""

    button: Annotated[int, Field(ge=0)]


class PdfRequest(KeptRequest):
    """The PDF of a document, or one of its pages.

    Attributes:
        run: the result that has the document; "" for that of a pair.
        pdf: the file; None to ask whether PDFs are taken.
        page: from 1; 0 for the words of all pages.
    """

    pdf: Upload = None
    page: Annotated[int, Field(ge=0)] = 0


class RowsRequest(KeptRequest):
    """Documents of a result by their numbers, which are text, as lists in requests are limited."""

    numbers: Annotated[str, Field(pattern=r"^(\d{1,9} ?)*$")]


class SideBySideRequest(KeptRequest):
    """A document by its displayed id, in all systems; `text` as for one."""

    document: str
    text: Annotated[str, Field(max_length=MAX_BYTES)] = ""

"""The options of reading rows and of comparing values: names, defaults, choices and help texts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import PurePath
from typing import Any

import numpy as np

from docscore.core.errors import InputTypeError, InputValueError, needs, short_repr
from docscore.core.numbers import is_finite
from docscore.core.schema_source import SchemaSource

THRESHOLD = 0.5  # tau of ANLS, Biten et al. 2019
IOU = 0.5  # least intersection over union at which a cited box is accepted, as in ExtractBench

PAPER = "paper"  # Peer et al. 2024, arXiv 2402.03848
PACKAGE = "anls_star-1.0.1"  # the published package
RULES = (PAPER, PACKAGE)
BY_VALUE = "value"
NUMBERS = ("text", BY_VALUE)
AS_TEXT = "text"  # the value of `parse` that compares predictions as text, even if they are JSON
SKIP = "skip"
MISSING_MODES = ("error", "zero", SKIP)
_QUERY = (
    "JMESPath expression that selects the rows of the {} in a JSON file, such as "
    "'results[].{{question_id: id, prediction: output}}'."
)


def _about(help_text: str, choices: tuple[str, ...] = (), **settings: Any) -> dict[str, Any]:
    """Return the metadata of an option: its help on the command line, its choices, and further settings there."""
    return {"help": help_text, "choices": choices, **settings}


def _column(help_text: str, default: str = "") -> Any:
    """Return the field of an option that names a column."""
    help_text += f"  [default: {default}]" if default else ""
    return field(default=None, metadata=_about(help_text, metavar="COLUMN"))


@dataclass(frozen=True)
class ReadOptions:
    """The options for reading the rows of a test set. Each column may be a path into the rows, such as "response.id".

    Attributes:
        parse: "json" or "repair" to read predictions that are text as JSON first; "text" to compare them as text. None
            means "text", but refuses test sets in which the texts of both sides are JSON.
        parse_references: "json" or "repair" to read references and acceptable answers that are text as JSON first;
            otherwise None. A text that can be repaired in several ways is an error.
        missing: what to do with a reference without a prediction: "error" to raise an error; "zero" to score it as
            null (usually 0); "skip" to leave it out and count it.
        on_error: what to do with rows that cannot be read or paired: "error" to raise an error; "skip" to leave them
            out and count them.
        with_confidences: whether predictions have confidences, as `{"value": ..., "confidence": ...}` or in a column
            "confidence"; only the values are scored.
        citations_from: the provider whose form predictions use for values and citations, such as "reducto", or the path
            of a JSON file that describes a form (`docscore.inputs.citation_forms`); None for the format of docscore.
        ignore_keys: the keys that are left out of both sides, such as `("model", "meta.tokens")`: paths from the top
            level, which lead through lists; a text with commas between them is accepted too.
        absent_words: the texts that mean null on both sides, such as `("NOT_FOUND", "N/A")`; case is ignored.
        id_column: the column of the ids, instead of "question_id". The cells of several columns, a list or a text with
            commas between them, are joined.
        references_id_column: the column of the ids in the references, if the predictions use another one.
        predictions_id_column: the column of the ids in the predictions, if the references use another one.
        id_pattern: a regular expression whose one group matches the part of an id by which rows are paired, such as
            `"^scan_(.+)$"`; an id that it does not match is not changed. None to pair by complete ids.
        prediction_column: the column of the predictions, instead of "prediction".
        references_column: the column of the ground truths, instead of "references". A list in it holds acceptable
            answers; anything else is the one acceptable answer. With `parse_references`, a text in a column of another
            name is one answer, even if it is the JSON of a list.
        cost_column: the column with the cost of each prediction, instead of "cost".
        seconds_column: the column with the seconds each prediction took, instead of "seconds".
        tokens_column: the column with the number of tokens of each prediction, instead of "tokens".
        fields_in_columns: whether each column is a field of the documents, except the columns that options name.
        field_column: the column of the paths, if each row of a table has one field of a document.
        value_column: the column of the values of these fields; if rows hold both sides, each side has its own column.
        references_query: the JMESPath expression that selects the rows of the references.
        predictions_query: the JMESPath expression that selects the rows of the predictions.
        single_document: whether a JSON file or a dict is always one document, even if it looks like a set of rows.
        answer_is_list: whether a list in the column of the ground truths is the one acceptable answer.
        delimiter: the delimiter of CSV files; None to guess it from their headers.
        encoding: the encoding of text files, a name that Python knows; None for UTF-8.
        references_encoding: the encoding of the references, if the predictions use another one.
        predictions_encoding: the encoding of the predictions, if the references use another one.
        by: a column of the references, a function of the id, or a label for each reference; each value is a slice.
        cluster: a column of the references, a function of the id, or a label for each reference, that names the cluster
            of each row. Rows of one cluster, such as the questions about one document, are not independent.
        schema_by: a column of the references whose value names the schema of each row in a folder of schemas
            (`VALUE.json`); None if the id names the schema.

    Raises:
        TypeError: for a value of another type.
        ValueError: for a value outside its range; the message names the option, the expected and the given value.
    """

    parse: str | None = field(
        default=None,
        metadata=_about(
            "How to read predictions that are text: as JSON, also as malformed JSON ('repair'), or as plain text.",
            (AS_TEXT, "json", "repair"),
        ),
    )
    parse_references: str | None = field(
        default=None,
        metadata=_about(
            "How to read ground truths that are text: as JSON, or also as malformed JSON ('repair').",
            ("json", "repair"),
        ),
    )
    missing: str = field(
        default="error",
        metadata=_about(
            "Ground truths without a prediction: stop with an error, score them as null, or leave them out.",
            MISSING_MODES,
        ),
    )
    on_error: str = field(
        default="error",
        metadata=_about(
            "What to do with rows that cannot be read or paired: stop with an error, or leave them out and count them.",
            ("error", SKIP),
        ),
    )
    with_confidences: bool = field(
        default=False,
        metadata=_about(
            'Read confidences of predictions from {"value": ..., "confidence": ...} or a column "confidence"; score '
            "the values alone."
        ),
    )
    citations_from: Any = field(
        default=None,
        metadata=_about(
            "Provider whose format the predictions use for values and citations, or a .json file with a format.",
            metavar="NAME",
        ),
    )
    ignore_keys: str | Sequence[str] = field(
        default=(),
        metadata=_about("Keys to leave out of both sides, separated by commas; also paths such as meta.tokens."),
    )
    absent_words: str | Sequence[str] = field(
        default=(),
        metadata=_about("Texts to read as null on both sides, separated by commas, such as 'NOT_FOUND,N/A'."),
    )
    id_column: str | Sequence[str] | None = _column(
        "Column with the ids, or several separated by commas. Columns can be paths, such as response.text.",
        "question_id",
    )
    references_id_column: str | Sequence[str] | None = _column(
        "Column with the ids of the ground truths.", "same as --id-column"
    )
    predictions_id_column: str | Sequence[str] | None = _column(
        "Column with the ids of the predictions.", "same as --id-column"
    )
    id_pattern: str | None = field(
        default=None,
        metadata=_about(
            r"Pair rows by the part of the id that the group of REGEX matches, such as '^(.+)\.pdf$'. Ids that do not "
            "match are not changed.",
            metavar="REGEX",
        ),
    )
    prediction_column: str | None = _column("Column with the predictions.", "prediction")
    references_column: str | None = _column(
        "Column with the ground truths. A list in it holds acceptable answers.", "references"
    )
    cost_column: str | None = _column("Column with the cost of each prediction.", "cost")
    seconds_column: str | None = _column("Column with the seconds each prediction took.", "seconds")
    tokens_column: str | None = _column("Column with the tokens each prediction used.", "tokens")
    fields_in_columns: bool = field(
        default=False,
        metadata=_about(
            "Read each column as a field, except columns that other options name. A name such as items.0.price is a "
            "path."
        ),
    )
    field_column: str | None = _column(
        "Read each row as one field of a document. COLUMN holds its path, such as items[0].price."
    )
    value_column: str | None = _column("With --field-column: column with the value of the field.")
    references_query: str | None = field(
        default=None, metadata=_about(_QUERY.format("references"), metavar="EXPRESSION")
    )
    predictions_query: str | None = field(
        default=None, metadata=_about(_QUERY.format("predictions"), metavar="EXPRESSION")
    )
    single_document: bool = field(
        default=False, metadata=_about("Read a JSON file as one document, even if it looks like {id: document}.")
    )
    answer_is_list: bool = field(
        default=False,
        metadata=_about(
            "A list in the column of the ground truths is one ground truth, not a list of acceptable answers."
        ),
    )
    delimiter: str | None = field(
        default=None,
        metadata=_about(
            "Delimiter of CSV files, such as ';' or 'tab'.  [default: detected from the header]", metavar="CHARACTER"
        ),
    )
    encoding: str | None = field(
        default=None,
        metadata=_about("Encoding of text files, such as cp1252 or utf-16.  [default: UTF-8]", metavar="NAME"),
    )
    references_encoding: str | None = field(
        default=None,
        metadata=_about("Encoding of the ground truths.  [default: same as --encoding]", metavar="NAME"),
    )
    predictions_encoding: str | None = field(
        default=None,
        metadata=_about("Encoding of the predictions.  [default: same as --encoding]", metavar="NAME"),
    )
    by: Any = field(
        default=None,
        metadata=_about("Column of the ground truths. Also show the metrics for each of its values.", metavar="COLUMN"),
        compare=False,
    )
    cluster: Any = field(
        default=None,
        metadata=_about(
            "Column of the ground truths. Rows with the same value in it are not independent, such as questions about "
            "one document; intervals and tests resample them together.",
            metavar="COLUMN",
        ),
        compare=False,
    )
    schema_by: Any = field(
        default=None,
        metadata=_about(
            "With a folder as --schema: column of the ground truths whose value names the schema.", metavar="COLUMN"
        ),
    )

    def __post_init__(self) -> None:
        _check_fields(self)
        if self.value_column is not None and self.field_column is None:
            raise needs(option="value_column", other="field_column")
        for name in ("references_column", "prediction_column") if self.fields_in_columns else ():
            if (column := getattr(self, name)) is not None:
                got = short_repr(column)
                raise InputValueError(place="fields_in_columns", expected=f"no {name}", got=got)

    def encoding_of(self, side: str) -> str | None:
        """Return the encoding of the text files of a side, "references" or "predictions"; None for UTF-8."""
        own: str | None = getattr(self, f"{side}_encoding")
        return self.encoding if own is None else own

    @property
    def parse_mode(self) -> str | None:
        """Return the mode in which predictions are read as JSON, "json" or "repair"; None to compare texts as text."""
        return None if self.parse == AS_TEXT else self.parse

    @property
    def signed(self) -> dict[str, str]:
        """Return the options that a signature contains, under their names in the signature."""
        parts = {
            "parse": self.parse_mode,
            "references": self.parse_references,
            "confidences": "removed" if self.with_confidences else None,
            "citations": PurePath(self.citations_from).stem if self.citations_from else None,
            "ignored": "+".join(self.ignore_keys),
            "absent": "+".join(word or "''" for word in self.absent_words),
            "missing": None if self.missing == "error" else self.missing,
        }
        return {name: text for name, text in parts.items() if text}


@dataclass(frozen=True)
class CompareOptions:
    """The options for comparing values. The signature of a figure names the options that the figure depends on.

    Attributes:
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0 (ANLS*, ANLS, ANLSL).
        ignore_case: whether texts are compared in lower case (ANLS*, ANLS, ANLSL).
        strict: whether a similarity of exactly the threshold counts as 0 (ANLS).
        normalise: whether texts are compared in lower case, with white space folded; otherwise they must be identical
            (KIEval, Entity F1).
        donut: whether documents are read as the published implementation of Donut reads them (Entity F1, nTED).
        iou: the least intersection over union, above 0 and at most 1, at which a cited box is accepted (grounding).
        rules: the rules of ANLS*: with "paper", keys without a value do not count in a prediction; with
            "anls_star-1.0.1", they count, as in the published package of that version.
        numbers: how JSON numbers are compared: "text", as they print, or "value", by their shortest decimal spelling,
            so that 1000.0 equals 1000.
        schema: a JSON Schema with the comparator and the weight of each place (typed score): a dict, the path of a file
            or of a folder with one schema per document (`ID.json`), or a pydantic model class; kept as `SchemaSource`.
        comparators: comparators of fields as Python values, in addition to the schema or instead of it, such as
            `{"items[].sku": same_sku}`. A key is the path of a field or a type (str, int, float, bool). A value is the
            name of a comparator, its settings as in `x-docscore`, or a function of two values that returns a number
            from 0 to 1. The constructor adds them to `schema` and sets this attribute to None.

    Raises:
        TypeError: for a value of another type.
        ValueError: for a value outside its range; the message names the option, the expected and the given value.
    """

    threshold: float = field(default=THRESHOLD, metadata=_about("Count text similarities below this number as 0."))
    ignore_case: bool = field(default=True, metadata=_about("Ignore case when comparing texts."))
    strict: bool = field(default=False, metadata=_about("For ANLS: count a similarity equal to the threshold as 0."))
    normalise: bool = field(default=False, metadata=_about("For KIEval and Entity F1: ignore case and white space."))
    donut: bool = field(
        default=False, metadata=_about("For Entity F1 and nTED: read documents as Donut's evaluation code does.")
    )
    iou: float = field(
        default=IOU,
        metadata=_about("For grounding: accept a cited box if its intersection over union is at least this number."),
    )
    rules: str = field(
        default=PAPER,
        metadata=_about(
            "Rules of ANLS*: keys without a value in a prediction count in the published package, but not in the "
            "paper.",
            RULES,
        ),
    )
    numbers: str = field(
        default="text",
        metadata=_about("Compare numbers as printed text, or by value, so that 1000.0 equals 1000.", NUMBERS),
    )
    schema: Any = field(
        default=None,
        metadata=_about(
            "JSON Schema with the comparator of each field, or a folder of schemas (ID.json). Adds the typed score."
        ),
    )
    comparators: Any = field(default=None, metadata=_about("Comparators of fields, as Python functions."))

    def __post_init__(self) -> None:
        _check_fields(self)
        if self.schema is not None or self.comparators:
            source = SchemaSource.of({} if self.schema is None else self.schema)
            object.__setattr__(self, "schema", source.with_comparators(self.comparators or {}))
            object.__setattr__(self, "comparators", None)


def check_schema_by(reading: ReadOptions, options: CompareOptions) -> None:
    """Raise `ValueError` if a column names the schema of each row, but there is no folder of schemas."""
    schema = options.schema
    if reading.schema_by is not None and not (isinstance(reading.schema_by, str) and schema and schema.folder):
        kind = "no schema" if schema is None else "a folder" if schema.folder else "one schema"
        expected = "the name of a column, and a folder of schemas"
        raise InputValueError(place="schema_by", expected=expected, got=f"{short_repr(reading.schema_by)} and {kind}")


def _check_fields(options: "ReadOptions | CompareOptions") -> None:
    """Check the options that differ from their defaults, and store them as `_checked` returns them."""
    for option in fields(options):
        value = getattr(options, option.name)
        if value is not option.default:
            object.__setattr__(options, option.name, _checked(option, value))


def _checked(option: Field[Any], value: Any) -> Any:
    """Return the value of an option in the form in which it is stored; errors as for its class."""
    choices = option.metadata["choices"]
    if choices:
        check_choice(option.name, value, choices if option.default else (None, *choices))
    elif isinstance(option.default, bool):
        if not isinstance(value, bool | np.bool_):
            raise InputTypeError(place=option.name, expected="True or False", got=repr(value))
        return bool(value)
    elif isinstance(option.default, float):
        is_iou = option.name == "iou"
        expected = "a number above 0 and at most 1" if is_iou else "a number from 0 to 1"
        return check_number(
            option.name, value, expected, lambda number: 0 <= number <= 1 and (number > 0 or not is_iou)
        )
    elif option.default == ():
        return check_words(option.name, value)
    elif option.name.endswith("_column"):
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
            raise InputTypeError(place=option.name, expected="the name of a column", got=short_repr(value))
        return ",".join(names)
    elif option.name in _TEXT_CHECKS:
        _TEXT_CHECKS[option.name](option.name, value)
    return value


def read_and_compare_options(given: Mapping[str, Any]) -> tuple[ReadOptions, CompareOptions]:
    """Create both kinds of options from a mapping of option names to values; other keys are ignored.

    Raises:
        TypeError, ValueError: as for `ReadOptions` and `CompareOptions`, and for `schema_by` without a folder.
    """

    def of(kind: type[ReadOptions] | type[CompareOptions]) -> dict[str, Any]:
        return {option.name: given[option.name] for option in fields(kind) if option.name in given}

    reading, options = ReadOptions(**of(ReadOptions)), CompareOptions(**of(CompareOptions))
    check_schema_by(reading, options)
    return reading, options


OPTIONS = {option.name: option for kind in (ReadOptions, CompareOptions) for option in fields(kind)}


def check_options(given: Iterable[str]) -> None:
    """Raise `TypeError` for a name that no option has."""
    for name in given:
        if name not in OPTIONS:
            raise InputTypeError(expected=f"options among {', '.join(OPTIONS)}", got=repr(name))


def check_number(name: str, value: Any, expected: str, accepted: Callable[[float], bool]) -> float:
    """Check an option that is a number and return it as a float.

    Args:
        name: the name of the option, for messages.
        value: its value.
        expected: a description of the accepted values.
        accepted: returns whether a finite number is accepted.

    Raises:
        TypeError, ValueError: for anything else; NaN and infinities are never accepted.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputTypeError(place=name, expected=expected, got=type(value).__name__)
    if not is_finite(value) or not accepted(float(value)):
        got = short_repr(value.item() if isinstance(value, np.generic) else value)
        raise InputValueError(place=name, expected=expected, got=got)
    return float(value)


def check_price(name: str, value: float) -> float:
    """Check an option that is an amount of money and return it as a float; errors as for `check_number`."""
    return check_number(name, value, "a number of at least 0", lambda number: number >= 0)


def check_integer(name: str, value: int, least: int) -> int:
    """Check an option that is an integer of at least `least` and return it; errors as for `check_number`."""
    expected = f"an integer of at least {least}"
    return int(check_number(name, value, expected, lambda number: number >= least and number.is_integer()))


def check_confidence(confidence: float) -> float:
    """Check a confidence level and return it as a float; errors as for `check_number`."""
    return check_number("confidence", confidence, "a number between 0 and 1", lambda level: 0 < level < 1)


def check_words(name: str, value: Any) -> tuple[str, ...]:
    """Check an option that is a list of texts, or a text with commas between them, and return the texts in order.

    Raises:
        TypeError: for anything else.
    """
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list | tuple | set | frozenset) or not all(isinstance(word, str) for word in words):
        raise InputTypeError(place=name, expected="a list of texts", got=type(value).__name__)
    return tuple(sorted({word.strip() for word in words}))


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise `ValueError` naming the option if its value is not among the choices."""
    if value not in choices:
        *first, last = map(repr, choices)
        raise InputValueError(place=name, expected=f"{', '.join(first)} or {last}", got=repr(value))


def check_pattern(name: str, pattern: str) -> re.Pattern[str]:
    """Check an option that is a regular expression with one group, and compile it.

    Raises:
        TypeError, ValueError: for anything else.
    """
    expected = "a regular expression with one group in parentheses"
    if not isinstance(pattern, str):
        raise InputTypeError(place=name, expected=expected, got=type(pattern).__name__)
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputValueError(place=name, expected=expected, got=f"{short_repr(pattern)} ({error})") from None
    if compiled.groups != 1:
        raise InputValueError(place=name, expected=expected, got=short_repr(pattern))
    return compiled


def check_encoding(name: str, encoding: str) -> None:
    """Raise `ValueError` for an encoding that Python does not know."""
    try:
        "a".encode(encoding)
    except (LookupError, TypeError, ValueError):
        expected = "an encoding that Python knows, such as cp1252 or utf-16"
        raise InputValueError(place=name, expected=expected, got=short_repr(encoding)) from None


_TEXT_CHECKS: dict[str, Callable[[str, Any], object]] = {
    "id_pattern": check_pattern,
    **dict.fromkeys(("encoding", "references_encoding", "predictions_encoding"), check_encoding),
}
DEFAULT_OPTIONS = CompareOptions()
DEFAULT_READING = ReadOptions()

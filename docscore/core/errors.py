"""Errors about inputs, with the place, the expected value and the given value as attributes; errors of rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import islice
from json import JSONDecodeError
from pathlib import PurePath
from shlex import quote
from typing import Any, NamedTuple

_LONGEST_REPR = 80  # characters of a value that a message shows


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file, such as `refs.jsonl, line 3`, or several files, such as `a.jsonl and b.jsonl`.

    Attributes:
        paths: the files.
        inside: the place in the file, such as "line 3"; "" for the file as a whole.
    """

    paths: tuple[str, ...]
    inside: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (" and ".join(self.paths), self.inside)))

    def without_folders(self) -> FilePlace:
        """Return the same place with file names instead of paths."""
        return replace(self, paths=tuple(PurePath(path).name for path in self.paths))


PlacePart = str | FilePlace  # "$.items[2].price", "row 'a'", "threshold", or a place in a file


def in_file(path: object, inside: str = "") -> FilePlace:
    """Return the place in one file."""
    return FilePlace((str(path),), inside)


def in_line(path: object, number: int) -> FilePlace:
    """Return the place of a line of a file."""
    return in_file(path, f"line {number}")


def closer(place: PlacePart, detail: str) -> PlacePart:
    """Return a place with a detail added, such as a column.

    >>> str(closer(in_file("refs.jsonl", "line 3"), "column 9"))
    'refs.jsonl, line 3, column 9'
    """
    if isinstance(place, FilePlace):
        return replace(place, inside=f"{place.inside}, {detail}" if place.inside else detail)
    return f"{place}, {detail}"


def both_places(first: PlacePart, second: PlacePart) -> PlacePart:
    """Return one place that names two places of the same file.

    >>> str(both_places(in_line("refs.jsonl", 3), in_line("refs.jsonl", 7)))
    'refs.jsonl, line 3 and line 7'
    """
    if isinstance(first, FilePlace) and isinstance(second, FilePlace):
        return replace(first, inside=f"{first.inside} and {second.inside}")
    return f"{first} and {second}"


def row_place(question_id: object) -> str:
    """Return the place of a row: `row 'a'`."""
    return f"row {short_repr(question_id)}"


OptionWriter = Callable[[str, Any], str]  # writes an option and its value in the syntax of an interface


def as_argument(name: str, value: Any) -> str:
    """Write an option as an argument in Python.

    >>> as_argument("parse", "json"), as_argument("single_document", True), as_argument("id_column", ...)
    ('parse="json"', 'single_document=True', 'id_column=')
    """
    if isinstance(value, str) and value.isprintable() and not {'"', "\\"} & {*value}:
        return f'{name}="{value}"'
    return f"{name}={'' if value is ... else repr(value)}"


def as_flag(name: str, value: Any) -> str:
    """Write an option as a flag of the command.

    >>> as_flag("parse", "json"), as_flag("single_document", True), as_flag("id_column", ...)
    ('--parse json', '--single-document', '--id-column')
    """
    flag = f"--{name.replace('_', '-')}"
    return flag if value is ... or value is True else f"{flag} {quote(str(value))}"


@dataclass(frozen=True, slots=True)
class Remedy:
    """Advice on how to correct an input by options, which each interface writes in its own syntax.

    Attributes:
        text: the text, with `{}` for each option: "add {} to read it".
        options: the options in this order, each a name and a value; `...` stands for a value that the user knows.
    """

    text: str
    options: tuple[tuple[str, Any], ...]

    @classmethod
    def joined(cls, parts: Iterable[str | Remedy]) -> Remedy:
        """Return one remedy that lists several alternatives, without the empty ones."""
        found = [part if isinstance(part, Remedy) else literal_remedy(part) for part in parts if part]
        return cls("; ".join(part.text for part in found), tuple(option for part in found for option in part.options))

    def written(self, write: OptionWriter = as_argument) -> str:
        """Return the text with its options."""
        return self.text.format(*(write(name, value) for name, value in self.options))

    def __str__(self) -> str:
        return self.written()

    def __bool__(self) -> bool:
        return bool(self.text)


def literal_remedy(text: str) -> Remedy:
    """Return the remedy for a text without options, which may contain braces."""
    return Remedy(text.replace("{", "{{").replace("}", "}}"), ())


# a Python name of an option in a message: two words or more, or a word after "needs"
_OPTION_NAME = re.compile(r"(?<=^needs )\w+|(?<![\w'\".$])[a-z]+_[a-z_]+\b(?!=)")


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """The parts of a message about an input; `str` makes one sentence of them.

    Attributes:
        parts: the place, outermost part first: `(FilePlace(("refs.jsonl",), "line 3"), "$.items[2]")`.
        expected: the expected value; "" if the problem is a sentence of its own.
        got: the value that was given.
        problem: the sentence, if it is not "expected ..., got ...".
        remedy: how to correct it; an interface for remote users omits it.
        joint: the text between the place and the rest of the sentence.
    """

    parts: tuple[PlacePart, ...] = ()
    expected: str = ""
    got: str = ""
    problem: str = ""
    remedy: str | Remedy = ""
    joint: str = ": "

    @property
    def place(self) -> str:
        """Return the place as text, "" if there is none."""
        return ": ".join(map(str, self.parts))

    def within(self, place: PlacePart) -> Diagnostic:
        """Return the diagnostic with one more part in front of its place."""
        return replace(self, parts=(place, *self.parts))

    def renamed(self, names: Mapping[str, str]) -> Diagnostic:
        """Return the diagnostic with the names that an interface has for options; `names` has them by option."""
        expected, problem = (
            _OPTION_NAME.sub(lambda name: names.get(name[0], name[0]), text) for text in (self.expected, self.problem)
        )
        parts = [names.get(part, part) if isinstance(part, str) else part for part in self.parts[:1]]
        return replace(self, parts=(*parts, *self.parts[1:]), expected=expected, problem=problem)

    def for_remote_users(self, names: Mapping[str, str] | None = None) -> Diagnostic:
        """Return the diagnostic without folders and remedy, for people who see neither the files nor the options.

        Args:
            names: what these people call options, by option.
        """
        parts = (part.without_folders() if isinstance(part, FilePlace) else part for part in self.parts)
        return replace(self, parts=tuple(parts), remedy="").renamed(names or {})

    @property
    def sentence(self) -> str:
        """Return the message without its remedy."""
        got = f", got {self.got}" if self.got else ""
        sentence = self.problem or f"expected {self.expected}{got}"
        return f"{self.place}{self.joint}{sentence}" if self.parts else sentence

    def written(self, write: OptionWriter = as_argument) -> str:
        """Return the message with its remedy; `write` writes the options for an interface."""
        remedy = self.remedy.written(write) if isinstance(self.remedy, Remedy) else self.remedy
        return f"{self.sentence}; {remedy}" if remedy else self.sentence

    def __str__(self) -> str:
        return self.written()


class DataWarning(UserWarning):
    """A warning about the rows of a test set; `str` is its message, with options as arguments in Python.

    Attributes:
        kind: the kind of problem, in a few words: "keys that differ in spelling".
        diagnostic: the message.
        sentence: the message without its remedy.
        rows: the ids of the rows that it concerns, if they are known.
        remedy: the options that would prevent the warning, by name; empty if there are none.
        systems: the names of the systems that it concerns, if it does not concern all evaluated systems.
    """

    def __init__(self, kind: str, diagnostic: Diagnostic, rows: Sequence[str] = ()) -> None:
        super().__init__(kind, diagnostic, rows)
        self.kind, self.diagnostic, self.rows = kind, diagnostic, tuple(rows)
        self.sentence = diagnostic.sentence
        remedy = diagnostic.remedy
        self.remedy: dict[str, Any] = dict(remedy.options) if isinstance(remedy, Remedy) else {}
        self.systems: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.diagnostic)

    def __repr__(self) -> str:
        return f"<DataWarning {self.kind}: {self}>"


def distinct(warnings: Iterable[DataWarning]) -> tuple[DataWarning, ...]:
    """Return the warnings in their order, without duplicates."""
    return tuple({str(warning): warning for warning in warnings}.values())


def written(message: object, write: OptionWriter) -> str:
    """Return the text of an error or a warning; `write` writes its options for an interface."""
    if isinstance(message, DataError):
        return "\n".join(message.lines(write))
    diagnostic = getattr(message, "diagnostic", None)
    return diagnostic.written(write) if isinstance(diagnostic, Diagnostic) else str(message)


def not_utf8(place: PlacePart, error: UnicodeDecodeError, remedy: str | Remedy = "") -> Diagnostic:
    """Return the diagnostic for bytes that are not UTF-8."""
    return Diagnostic((place,), "UTF-8 text", f"the byte 0x{error.object[error.start]:02x}", remedy=remedy)


_JSON_ERRORS = tuple(
    (re.compile(pattern), sentence)
    for pattern, sentence in (  # by the parser's message, the character before the error, the text after
        (r".*\n\n\Z", "the text is empty"),
        (r".*\n.\n\Z", "the text ends before its brackets are closed"),
        (r"Unterminated", "the text ends within a string"),
        (r"Illegal trailing|.*\n,\n[}\]]", "trailing comma before the closing bracket"),
        (r".*\n.?\n(//|/\*)|.*\n.\n#", "a comment, which JSON does not have"),
        (r'Extra data\n.\n([{\["\d]|true|false|null)', "another value follows the first one"),
        (r"Extra data", "expected the end of the text after the value, got {got}"),
        (r".*\n.?\n'", "expected double quotes, got single quotes"),
        (r".*\n.?\n[“”„‟‘’‚‛]", "expected double quotes, got curly quotes"),
        (r"Invalid control.*\n.?\n[\r\n]", "a string is not closed on this line"),
        (r"Invalid control", "the control character {got} in a string, which must be escaped"),
        (r"Invalid \\", "an escape that JSON does not have in a string"),
        (r"Expecting value\n\n", "the text begins with {got}, not with JSON"),
        (r"Expecting value", "expected a value, got {got}"),
        (r"Expecting property name", "expected a key in double quotes, got {got}"),
        (r"Expecting ':'", "expected a colon after the key, got {got}"),
        (r"Expecting ','.*\n.\n[}\]]", "expected a comma or another bracket, got {got}"),
        (r"Expecting ','", "expected a comma{where}"),
        (r"", "not JSON"),
    )
)
_WORD = re.compile(r"\w{1,30}|`{1,3}|.?", re.DOTALL)


def json_error(error: JSONDecodeError) -> tuple[Diagnostic, int, int]:
    """Return the diagnostic for a text that is not JSON, and the line and the column of the error."""
    before, rest = error.doc[: error.pos].rstrip(), error.doc[error.pos :]
    if not rest.strip():
        rest, error = "", JSONDecodeError(error.msg, error.doc, len(before))
    elif before.endswith(",") and rest[0] in "}]":  # newer parsers name the comma
        error = JSONDecodeError(error.msg, error.doc, len(before) - 1)
    line = before.count("\n") + 1
    where = f" at the end of line {line}" if line < error.lineno else ""
    said = f"{error.msg}\n{before[-1:]}\n{rest}"
    sentence = next(sentence for pattern, sentence in _JSON_ERRORS if pattern.match(said))
    problem = sentence.format(got=repr(_WORD.findall(rest)[0]), where=where)
    return Diagnostic((f"line {error.lineno}, column {error.colno}",), problem=problem), error.lineno, error.colno


class InputError(Exception):
    """Base class of `InputTypeError` and `InputValueError`, with the parts of the message as attributes.

    Args:
        diagnostic: the message; None to pass its parts by name, as for `Diagnostic`.
        place: one part of the place, or several, outermost first.
        expected: the expected value.
        got: the value that was given.
        problem: the sentence, if it is not "expected ..., got ...".
        remedy: how to correct it.

    Attributes:
        diagnostic: the message; `str(error)` is its text.
        parts: the parts of the place, outermost first; empty if there is none.
        place: the place as text, such as "refs.jsonl, line 3: $.items[2].price"; "" if there is none.
        expected: the expected value; "" if the problem is a sentence of its own.
        got: the value that was given; "" if the problem is a sentence of its own.
        problem: the sentence without place and remedy, if it is not "expected ..., got ..."; otherwise "".
        remedy: how to correct it in Python, or "".

    >>> error = InputValueError(place="threshold", expected="a number from 0 to 1", got="2")
    >>> str(error), error.place, error.got
    ('threshold: expected a number from 0 to 1, got 2', 'threshold', '2')
    """

    def __init__(
        self,
        diagnostic: Diagnostic | None = None,
        *,
        place: PlacePart | tuple[PlacePart, ...] = (),
        expected: str = "",
        got: str = "",
        problem: str = "",
        remedy: str | Remedy = "",
    ) -> None:
        parts = place if isinstance(place, tuple) else (place,)
        message = diagnostic or Diagnostic(parts, expected, got, problem, remedy)
        super().__init__(message)
        self.diagnostic = message
        self.parts, self.place = message.parts, message.place
        self.expected, self.got = message.expected, message.got
        self.problem, self.remedy = message.problem, str(message.remedy)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the diagnostic alone, since libraries that carry errors between processes add to `args`."""
        return type(self), (self.diagnostic,), vars(self)

    def for_remote_users(self, names: Mapping[str, str] | None = None) -> InputError:
        """Return the error without folders and remedy, see `Diagnostic.for_remote_users`."""
        return type(self)(self.diagnostic.for_remote_users(names))


class InputTypeError(InputError, TypeError):
    """An input has a wrong type."""


class InputValueError(InputError, ValueError):
    """An input has wrong content."""


def needs(option: str, other: str) -> InputValueError:
    """Return the error for an option that requires another option that was not given."""
    return InputValueError(Diagnostic((option,), problem=f"needs {other}", joint=" "))


def diagnostic_of(error: Exception) -> Diagnostic:
    """Return the parts of an error's message; for an error of another library, its whole message is the problem."""
    return error.diagnostic if isinstance(error, InputError) else Diagnostic(problem=str(error))


def at_place(place: PlacePart, error: Exception) -> InputTypeError | InputValueError:
    """Return the error with one more part in front of its place."""
    kind = InputTypeError if isinstance(error, TypeError) else InputValueError
    return kind(diagnostic_of(error).within(place))


def short_repr(value: object) -> str:
    """Return the shortened `repr` of a value."""
    try:
        text = repr(value)
    except ValueError:  # the value is or contains an integer that Python does not print
        text = f"{type(value).__name__} with too many digits to print"
    return text if len(text) <= _LONGEST_REPR else f"{text[:_LONGEST_REPR]}..."


NAMED = 5  # errors or ids that a message names
KEPT = 1_000  # errors of a kind that are kept; the others are only counted


class InvalidRow:
    """Marker for a row that could not be read."""


class RowError(NamedTuple):
    """An error of a row, or of the ids of several rows.

    Attributes:
        kind: its name in a summary, before a number: "not JSON", "duplicate id".
        diagnostic: the message.
        number: the number of rows or ids with the error.
        tolerated: whether the rows are left out even if other errors raise an error.
    """

    kind: str
    diagnostic: Diagnostic
    number: int = 1
    tolerated: bool = False

    def __str__(self) -> str:
        return str(self.diagnostic)


class DataError(InputValueError):
    """Error for rows that cannot be scored; the message names the first errors and counts the rest.

    It has no place as a whole, because each of its errors has its own place.

    Attributes:
        errors: the errors, as in `RowErrors.collected`.
    """

    def __init__(self, errors: Sequence[RowError]) -> None:
        self.errors = list(errors)
        super().__init__(problem="\n".join(self.lines()))

    def lines(self, write: OptionWriter = as_argument) -> list[str]:
        """Return the lines of the message; `write` writes the options for an interface."""
        named = [error.diagnostic.written(write) for error in self.errors[:NAMED]]
        return named if len(self.errors) <= 1 else [*named, errors_summary(self.errors)]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.errors,)

    def for_remote_users(self, names: Mapping[str, str] | None = None) -> DataError:
        """Return the error without folders and remedies, see `Diagnostic.for_remote_users`."""
        return DataError([error._replace(diagnostic=error.diagnostic.for_remote_users(names)) for error in self.errors])


class RowErrors:
    """A collector of errors; depending on `on_error`, rows with errors are left out or raise an error.

    Attributes:
        skip: whether rows with errors are left out.
    """

    def __init__(self, on_error: str = "error") -> None:
        if on_error not in ("error", "skip"):
            raise InputValueError(place="on_error", expected="'error' or 'skip'", got=repr(on_error))
        self.skip = on_error == "skip"
        self._kept: dict[RowError, None] = {}  # in order, each once
        self._times: Counter[str] = Counter()  # number of errors by kind
        self._more: Counter[tuple[str, bool]] = Counter()  # rows whose errors are not kept, by kind and `tolerated`

    @property
    def collected(self) -> list[RowError]:
        """Return the first `KEPT` errors of each kind in order, and per kind an error that counts the others."""
        others = [
            RowError(kind, Diagnostic(problem=f"and {number:,} more: {kind}"), number, tolerated)
            for (kind, tolerated), number in self._more.items()
        ]
        return [*self._kept, *others]

    def add(self, kind: str, diagnostic: Diagnostic, number: int = 1, *, tolerated: bool = False) -> None:
        """Add an error once, even if several prediction files repeat it; arguments as for `RowError`."""
        error = RowError(kind, diagnostic, number, tolerated)
        if error in self._kept:
            return
        self._times[kind] += 1
        if self._times[kind] <= KEPT:
            self._kept[error] = None
        else:
            self._more[kind, tolerated] += number

    def stop_if_any(self) -> None:
        """Raise `DataError` if there are errors, unless all rows with errors are left out."""
        grave = [] if self.skip or not self._kept else [error for error in self.collected if not error.tolerated]
        if grave:
            raise DataError(grave)


def some_of(names: Collection[str]) -> str:
    """List the first `NAMED` names in alphabetical order, and the number of the others.

    >>> some_of(["b", "a"]), some_of("gfedcba")
    ("'a', 'b'", "'a', 'b', 'c', 'd', 'e' and 2 more")
    """
    return listed(map(short_repr, nsmallest(NAMED, names)), len(names))


def listed(texts: Iterable[str], count: int, most: int = NAMED) -> str:
    """Join the first texts, and count the others."""
    return ", ".join(islice(texts, most)) + (f" and {count - most:,} more" if count > most else "")


def errors_summary(errors: Sequence[RowError]) -> str:
    """Count the errors of each kind, most frequent first.

    >>> errors_summary([RowError("not JSON", Diagnostic(("line 1",))), RowError("duplicate id", Diagnostic(), 3)])
    '4 errors: duplicate id (3), not JSON (1)'
    """
    counts: Counter[str] = Counter()
    for error in errors:
        counts[error.kind] += error.number
    total = sum(counts.values())
    kinds = ", ".join(f"{kind} ({count:,})" if len(counts) > 1 else kind for kind, count in counts.most_common())
    return f"{total:,} {'error' if total == 1 else 'errors'}: {kinds}"

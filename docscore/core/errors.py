"""Errors about inputs: a TypeError or a ValueError with its place, what was expected and what came as attributes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import PurePath

_LONGEST_REPR = 80  # characters of a value that a message shows


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file, as text `refs.jsonl, line 3`; or several files that an error is about, `a.jsonl and b.jsonl`.

    Attributes:
        paths: the files.
        inside: where in the file: "line 3"; "" for the file as a whole.
    """

    paths: tuple[str, ...]
    inside: str = ""

    def __str__(self) -> str:
        return ", ".join(filter(None, (" and ".join(self.paths), self.inside)))

    def without_folders(self) -> FilePlace:
        """The same place with file names for paths."""
        return replace(self, paths=tuple(PurePath(path).name for path in self.paths))


PlacePart = str | FilePlace  # "$.items[2].price", "row 'a'", "threshold", or a place in a file


def in_file(path: object, inside: str = "") -> FilePlace:
    """The place in one file."""
    return FilePlace((str(path),), inside)


def closer(place: PlacePart, detail: str) -> PlacePart:
    """The same place, said more exactly.

    >>> str(closer(in_file("refs.jsonl", "line 3"), "column 9"))
    'refs.jsonl, line 3, column 9'
    """
    if isinstance(place, FilePlace):
        return replace(place, inside=f"{place.inside}, {detail}" if place.inside else detail)
    return f"{place}, {detail}"


def row_place(question_id: object) -> str:
    """The place of a row in a message: `row 'a'`."""
    return f"row {short_repr(question_id)}"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What is wrong with an input, in parts; as text one sentence.

    Attributes:
        parts: the place, outermost part first: `(FilePlace(("refs.jsonl",), "line 3"), "$.items[2]")`.
        expected: what was expected, "" where the problem says it all.
        got: what came.
        problem: the sentence where it is not "expected ..., got ...".
        remedy: what to do about it in Python or the command; a program for other users leaves it out.
        joint: what stands between the place and the rest of the sentence.
    """

    parts: tuple[PlacePart, ...] = ()
    expected: str = ""
    got: str = ""
    problem: str = ""
    remedy: str = ""
    joint: str = ": "

    @property
    def place(self) -> str:
        """The place as text, "" where there is none."""
        return ": ".join(map(str, self.parts))

    def within(self, place: PlacePart) -> Diagnostic:
        """The same, with one more part in front of its place."""
        return replace(self, parts=(place, *self.parts))

    def for_remote_users(self) -> Diagnostic:
        """The same without folders and remedy: for people who see neither the files nor the options."""
        parts = (part.without_folders() if isinstance(part, FilePlace) else part for part in self.parts)
        return replace(self, parts=tuple(parts), remedy="")

    def __str__(self) -> str:
        got = f", got {self.got}" if self.got else ""
        sentence = self.problem or f"expected {self.expected}{got}"
        sentence = f"{self.place}{self.joint}{sentence}" if self.parts else sentence
        return f"{sentence}; {self.remedy}" if self.remedy else sentence


class InputError(Exception):
    """What `InputTypeError` and `InputValueError` share: the parts of the message.

    Args:
        diagnostic: the parts as one; or each by its name, as `Diagnostic` has them.
        place: one part of the place, or several, outermost first.
        expected: what was expected.
        got: what came.
        problem: the sentence where it is not "expected ..., got ...".
        remedy: what to do about it in Python or the command.

    Attributes:
        diagnostic: all of it; `str(error)` is its text.
        parts: the parts of the place, outermost first; empty where there is none.
        place: the place as text, such as "refs.jsonl, line 3: $.items[2].price"; "" where there is none.
        expected: what was expected; "" where the problem says it all.
        got: what came; "" where the problem says it all.
        problem: the sentence without place and remedy where it is not "expected ..., got ..."; else "".
        remedy: what to do about it, or "".

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
        remedy: str = "",
    ) -> None:
        parts = place if isinstance(place, tuple) else (place,)
        said = diagnostic or Diagnostic(parts, expected, got, problem, remedy)
        super().__init__(said)
        self.diagnostic = said
        self.parts, self.place = said.parts, said.place
        self.expected, self.got, self.problem, self.remedy = said.expected, said.got, said.problem, said.remedy

    def __reduce__(self) -> tuple[object, ...]:
        """It is made again from the diagnostic alone: libraries that carry errors between processes add to `args`."""
        return type(self), (self.diagnostic,), vars(self)

    def for_remote_users(self) -> InputError:
        """The same without folders and remedy, see `Diagnostic.for_remote_users`."""
        return type(self)(self.diagnostic.for_remote_users())


class InputTypeError(InputError, TypeError):
    """An input of a wrong type."""


class InputValueError(InputError, ValueError):
    """An input with wrong content."""


def diagnostic_of(error: Exception) -> Diagnostic:
    """The parts of an error's message; of an error of another library the whole message is the problem."""
    return error.diagnostic if isinstance(error, InputError) else Diagnostic(problem=str(error))


def at_place(place: PlacePart, error: Exception) -> InputTypeError | InputValueError:
    """The same error, with one more part in front of its place."""
    kind = InputTypeError if isinstance(error, TypeError) else InputValueError
    return kind(diagnostic_of(error).within(place))


def short_repr(value: object) -> str:
    """The value's `repr`, shortened; nothing where Python refuses to print it."""
    try:
        text = repr(value)
    except ValueError:  # an integer of more than 4,300 digits
        return ""
    return text if len(text) <= _LONGEST_REPR else f"{text[:_LONGEST_REPR]}..."

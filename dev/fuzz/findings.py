"""Findings: errors that are not about the input or name no place, impossible results, and slowness."""

from __future__ import annotations

import math
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import click

from docscore.core.errors import DataError, InputError

_PROJECT = Path(__file__).parents[2]
# Errors about all rows at once: they name ids, both sides or a count instead of one row.
_ABOUT_ALL = (
    "expected --cluster or --cluster-of-id",
    "expected as many predictions as references",
    "references and predictions: expected the same row format on both sides",
    "ids of ",
    "ids that occur more than once",
    "rows can be scored",
    "the gate cannot decide",
)
_VOID = frozenset({"meta", "input", "br"})
_FORBIDDEN = frozenset({"script", "iframe", "img", "object", "embed", "svg:script", "form", "base", "link"})


class FoundError(Exception):
    """An impossible result, or an error that says nothing."""


class TooSlowError(BaseException):
    """An input took too long; not an `Exception`, so that nothing catches it on the way."""


class Finding(NamedTuple):
    """An input that should have had a result or an error that names a place.

    Attributes:
        name: the kind of the error and the innermost line of the project that it came through.
        report: the traceback.
    """

    name: str
    report: str

    @classmethod
    def of(cls, error: BaseException) -> Finding:
        """Return the finding for an error; findings with the same name are assumed to have one cause."""
        deepest = error.__cause__ or error
        if isinstance(deepest, FoundError):
            return cls(f"{str(deepest)[:40]}", "".join(traceback.format_exception(error)))
        frames = traceback.extract_tb(deepest.__traceback__)
        own = [frame for frame in frames if _is_own(frame.filename)] or list(frames)
        last = own[-1]
        name = f"{type(deepest).__name__} {Path(last.filename).name}:{last.lineno}"
        return cls(name, "".join(traceback.format_exception(error)))


def _is_own(name: str) -> bool:
    path = Path(name)
    if not path.is_relative_to(_PROJECT):
        return False
    return not path.is_relative_to(_PROJECT / "dev") and "site-packages" not in path.parts


def is_about_the_input(error: Exception) -> bool:
    """Return whether an error is meant for users: it is about the input or an option, and names a place."""
    if isinstance(error, click.ClickException):
        return bool(error.format_message())
    if isinstance(error, OSError):
        return bool(error.filename)
    if isinstance(error, DataError):
        named = (row_error.diagnostic.place or str(row_error).startswith("and ") for row_error in error.errors)
        return bool(error.errors) and all(named)
    if not isinstance(error, InputError):
        return False
    return str(error).startswith(_ABOUT_ALL) or (bool(error.place) and len(str(error)) > len(error.place))


@contextmanager
def errors_name_their_place() -> Iterator[None]:
    """Let errors about the input pass as results; if such an error names no place, it is a finding."""
    try:
        yield
    except (InputError, click.ClickException, OSError) as error:
        if not is_about_the_input(error):
            msg = f"names no place: {error}"
            raise FoundError(msg) from error


def check(holds: bool, message: str) -> None:
    """Raise `FoundError` if something does not hold."""
    if not holds:
        raise FoundError(message)


def check_share(value: Any, what: str) -> None:
    """Raise `FoundError` if a value is not a float from 0 to 1."""
    check(isinstance(value, float) and math.isfinite(value) and 0 <= value <= 1, f"{what} is {value!r}")


class Elements(HTMLParser):
    """A check that the elements of HTML are closed in order and cannot run or load anything."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.feed(source)
        self.close()
        check(not self.open, f"elements that are not closed: {self.open[:3]}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        check(tag not in _FORBIDDEN, f"an element <{tag}>")
        check(not any(name.startswith("on") for name, _ in attrs), f"an event on <{tag}>")
        check(len(dict(attrs)) == len(attrs), f"an attribute twice on <{tag}>")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Accept an element of SVG that is closed at once."""

    def handle_endtag(self, tag: str) -> None:
        check(bool(self.open) and self.open.pop() == tag, f"</{tag}> closes another element")


def check_html(source: str) -> None:
    """Raise `FoundError` if HTML is not well formed, or holds more than text and shapes."""
    source.encode()
    Elements(source)


def check_printable(text: str) -> None:
    """Raise `FoundError` if a text would move the cursor of a terminal or change the writing direction."""
    odd = [c for c in text if (c < " " and c != "\n") or "\x7f" <= c <= "\x9f" or "\u202a" <= c <= "\u202e"]
    check(not odd, f"control characters: {odd[:3]!r}")

"""What browsers ask: it may be anything, and is checked before it is used."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputTypeError, InputValueError, short_repr
from docscore.core.options import NUMBERS, PARSE_REFERENCES_MODES, THRESHOLD, ScoringOptions
from docscore.data.csv_files import DELIMITERS
from docscore.data.json_text import loads, loads_at
from playground.limits import MAX_BYTES

_LONGEST_NAME = 64  # characters of the name that a window gives itself


class Window(NamedTuple):
    """The window of a browser that asks.

    Attributes:
        name: the name that it gives itself; "" for none.
        number: of its question; a newer one has a higher number.
    """

    name: str = ""
    number: int = 0


def take_window(asked: Any) -> Window:
    """Remove the key "window" from a question; return its name and number, or else a window without a name."""
    match asked.pop("window", None) if isinstance(asked, dict) else None:
        case [str(name), int(number)] if 0 < len(name) <= _LONGEST_NAME:
            return Window(name, number)
    return Window()


def known_keys(asked: object, known: Collection[str]) -> dict[str, Any]:
    """The object, if it has no other keys than these.

    Raises:
        ValueError: if it is no object, or has others.
    """
    if not isinstance(asked, dict) or not set(asked) <= set(known):
        raise InputValueError(place="request", expected=f"an object with the keys {', '.join(known)}")
    return asked


def check_parts(parts: Mapping[str, Any], checks: Mapping[str, tuple[bool, str]]) -> None:
    """Raise `ValueError` for the first part that is not as expected.

    Args:
        parts: the parts of a question by their names.
        checks: by the names whether each is as expected, and what is.
    """
    for name, (fits, expected) in checks.items():
        if not fits:
            raise InputValueError(place=name, expected=expected, got=short_repr(parts[name]))


def checked_options(**options: Any) -> ScoringOptions:
    """The options of scoring.

    Raises:
        ValueError: for a value of a wrong type too, as anything may be sent.
    """
    try:
        return ScoringOptions(**options)
    except InputTypeError as error:
        raise InputValueError(place=error.place, expected=error.expected, got=error.got) from None


COLUMNS = "references_id", "predictions_id", "references", "prediction"
OPTIONS = "threshold", "ignore_case", "numbers"  # of `ScoringOptions`, which a what-if changes
SIGNS = "references_delimiter", "predictions_delimiter"
MISSING = {"error": "stop with an error", "zero": "score 0", "skip": "leave them out"}
_CHOICES: dict[str, tuple[str | None, ...]] = {
    "parse": (None, "json", "repair"),
    "parse_references": (None, *PARSE_REFERENCES_MODES),
    "missing": tuple(MISSING),
    **dict.fromkeys(SIGNS, (None, *DELIMITERS)),
}


class WhatIf(NamedTuple):
    """How files are compared.

    Attributes:
        threshold: of ANLS*, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        numbers: how numbers are compared, as in `ScoringOptions`.
        schema: a JSON Schema as text, "" for none.
    """

    threshold: float = THRESHOLD
    ignore_case: bool = True
    numbers: str = NUMBERS[0]
    schema: str = ""

    @classmethod
    def of(cls, asked: object) -> WhatIf:
        """What a browser sends, which may be anything.

        Raises:
            ValueError: one sentence that names what is wrong.
        """
        found = cls(**known_keys(asked, cls._fields))
        given: dict[str, Any] = found._asdict()
        schema = given["schema"]
        checks = {
            "schema": (isinstance(schema, str) and len(schema) <= MAX_BYTES, f"text of up to {MAX_BYTES:,} characters"),
        }
        check_parts(given, checks)
        checked_options(**{name: given[name] for name in OPTIONS})
        return found

    def options(self, options: ScoringOptions) -> ScoringOptions:
        """These options, and the rest of others.

        Raises:
            ValueError: for a schema that is no JSON object, naming line and column.
        """
        schema = loads_at(self.schema, "schema") if self.schema.strip() else None
        if not isinstance(schema, dict | None):
            raise InputValueError(place="schema", expected="a JSON object", got=type(schema).__name__)
        changed = {name: getattr(self, name) for name in OPTIONS}
        kept = {name: getattr(options, name) for name in ("parse", "parse_references", "missing", "with_confidences")}
        return ScoringOptions(**changed, **kept, schema=schema)


class FileChoices(NamedTuple):
    """What a visitor chose in place of guesses, and how the files are compared.

    Attributes:
        reading: by the names in `COLUMNS` the name of a column, None for none; by "parse" and "parse_references" how
            texts are read; by the names in `SIGNS` the sign between columns; by "missing" a key of `MISSING`.
        what_if: how the files are compared.
    """

    reading: dict[str, str | None]
    what_if: WhatIf = WhatIf()

    @classmethod
    def of(cls, asked: object) -> FileChoices:
        """What a browser sends as an object or as JSON text, which may be anything; "" for no choices.

        Raises:
            ValueError: one sentence that names what is wrong.
        """
        if isinstance(asked, str):
            asked = loads(asked) if asked.strip() else {}
        found = known_keys(asked, ("reading", "what_if"))
        reading = known_keys(found.get("reading", {}), (*COLUMNS, *_CHOICES))
        for name, value in reading.items():
            if name in _CHOICES and value not in _CHOICES[name]:
                expected = f"one of {', '.join(map(str, _CHOICES[name]))}"
                raise InputValueError(place=name, expected=expected, got=short_repr(value))
            if not isinstance(value, str | None):
                raise InputValueError(place=name, expected="the name of a column", got=type(value).__name__)
        return cls(reading, WhatIf.of(found.get("what_if", {})))

    @property
    def missing(self) -> str:
        """What happens to references without a prediction."""
        return self.reading.get("missing") or "error"


class FileRequest(NamedTuple):
    """Uploaded files and how they are scored.

    Attributes:
        references: the file of ground truths; None where the predictions hold them.
        predictions: the file of predictions.
        choices: how they are read and compared.
        skip: whether rows with faults are left out.
        confidences: whether predictions have confidences.
    """

    references: Path | None
    predictions: Path
    choices: FileChoices = FileChoices({})
    skip: bool = False
    confidences: bool = False

    @classmethod
    def of(cls, asked: object, uploads: Path) -> FileRequest:
        """A request from a browser, which may be anything.

        The name of an uploaded file holds a hash of its content: who knows the name has the file.

        Args:
            asked: what the browser sends.
            uploads: the folder of uploaded files; no other file is read.

        Raises:
            ValueError: one sentence that names what is wrong.
        """
        found = known_keys(asked, cls._fields)
        first, second = (_upload_path(found.get(name), uploads) for name in ("references", "predictions"))
        if first is None and second is None:
            raise InputValueError(problem="Choose a file.")
        references, predictions = (first, second) if second is not None else (None, first)
        flags = {name: found.get(name) is True for name in ("skip", "confidences")}
        return cls(references, predictions or uploads, FileChoices.of(found.get("choices", {})), **flags)

    def to_json(self) -> str:
        """The same for the browser, which sends it back."""
        return json.dumps(
            {
                "references": str(self.references) if self.references else None,
                "predictions": str(self.predictions),
                "choices": {"reading": self.choices.reading, "what_if": self.choices.what_if._asdict()},
                "skip": self.skip,
                "confidences": self.confidences,
            }
        )


def _upload_path(name: object, uploads: Path) -> Path | None:
    if name is None or name == "":
        return None
    path = Path(name).resolve() if isinstance(name, str) and "\0" not in name else uploads
    if path == uploads.resolve() or not path.is_relative_to(uploads.resolve()) or not path.is_file():
        raise InputValueError(problem="This file is not here any more; choose it again.")
    return path

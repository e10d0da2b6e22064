"""JSON Schemas as users give them: a dict, a file, a folder of files, or a model class; kept as canonical text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from docscore.core.errors import InputTypeError, InputValueError, in_file, short_repr

_SUFFIX = ".json"


@dataclass(frozen=True)
class SchemaSource:
    """One JSON Schema for all documents, or one for each.

    Attributes:
        common: the schema of all documents as canonical JSON; None where each has its own.
        by_id: the id of each document and its schema, in order of the ids.
        folder: the folder that these are from, for messages.
    """

    common: str | None
    by_id: tuple[tuple[str, str], ...] = ()
    folder: str = ""

    @classmethod
    def of(cls, source: Any) -> SchemaSource:
        """The schemas that a user gave.

        Args:
            source: a JSON Schema as a dict; the path of a file that holds one, or of a folder with one schema a
                document, named by its id (`r1.json`); a pydantic model class.

        Raises:
            TypeError: for anything else.
            ValueError: for what is no JSON, or a folder without schemas, naming the file.
            OSError: if a file cannot be read.
        """
        if isinstance(source, cls):
            return source
        if isinstance(source, dict):
            return cls(canonical_json(source))
        if isinstance(source, type) and hasattr(source, "model_json_schema"):
            return cls(canonical_json(source.model_json_schema()))
        if not isinstance(source, str | Path):
            expected = "a JSON Schema: a dict, a path, or a pydantic model class"
            raise InputTypeError(place="schema", expected=expected, got=f"{type(source).__name__} {short_repr(source)}")
        path = Path(source)
        return cls._of_folder(path) if path.is_dir() else cls(_read(path))

    @classmethod
    def _of_folder(cls, path: Path) -> SchemaSource:
        found = {each.name.removesuffix(_SUFFIX): _read(each) for each in sorted(path.glob(f"*{_SUFFIX}"))}
        if not found:
            raise InputValueError(place=in_file(path), expected="a JSON Schema a document, ID.json", got="none")
        return cls(None, tuple(sorted(found.items())), str(path))

    def schema_of(self, question_id: str) -> str:
        """The schema of a document as canonical JSON.

        Raises:
            ValueError: if it has none.
        """
        if self.common is not None:
            return self.common
        found = self._by_id.get(question_id)
        if found is None:
            expected = f"a file {question_id}{_SUFFIX} in {self.folder}"
            raise InputValueError(place="schema", expected=expected, got="none")
        return found

    @cached_property
    def _by_id(self) -> dict[str, str]:
        return dict(self.by_id)

    def schemas(self) -> dict[str, str]:
        """Every schema by the id of its document; that of all documents by ""."""
        return self._by_id if self.common is None else {"": self.common}

    @property
    def digest(self) -> str:
        """The first eight digits of the SHA-256 of the canonical JSON; of several schemas, of an object of all."""
        members = (f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in self.by_id)
        text = f"{{{','.join(members)}}}" if self.common is None else self.common
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def canonical_json(value: Any) -> str:
    """The value as JSON with sorted keys and without white space.

    Raises:
        TypeError: for a value that is no JSON.
    """
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputTypeError(place="schema", expected="JSON values", got=str(error)) from None


def _read(path: Path) -> str:
    try:
        return canonical_json(json.loads(path.read_text("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise InputValueError(place=in_file(path), expected="UTF-8 text", got=error.reason) from None
    except json.JSONDecodeError as error:
        place = in_file(path, f"line {error.lineno}, column {error.colno}")
        raise InputValueError(place=place, problem=f"{error.msg[0].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise InputValueError(place=in_file(path), problem="nested too deep") from None

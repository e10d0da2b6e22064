"""Write `playground/server/server.d.ts`: the requests and answers of the page, as types for its scripts.

`python -m dev.scripts.write_server_types` writes the file from the table of server functions.
`tests/test_server_types.py` compares the file with the table.
"""

import inspect
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import Json
from typing_extensions import NotRequired, get_type_hints, is_typeddict

from playground.page import ASKED
from playground.parts.optional_packages import WITHOUT_REVIEW
from playground.server import answers, requests
from playground.server.requests import MAY_BE_OMITTED, Request

FILE = Path(__file__).resolve().parents[2] / "playground" / "server" / "server.d.ts"
COMMAND = "python -m dev.scripts.write_server_types"
_START = f"""\
// The requests of the page's scripts, from requests.py, and the answers, from answers.py.
// Written by `{COMMAND}`.

// prettier-ignore
declare namespace Server {{
  type Ask<Q, A> = (asked: Q) => Promise<A | Refusal>;
"""
_SCALARS: dict[Any, str] = {str: "string", Path: "string", bool: "boolean", int: "number", float: "number"}
_SCALARS |= {NoneType: "null", Any: "unknown"}


class Declarations:
    """The TypeScript declarations of types, and of the types that they mention, by name."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        aliases = {name: _without_metadata(of) for name, of in {**vars(requests), **vars(answers)}.items()}
        self._aliases = {of: name for name, of in aliases.items() if get_origin(of) is not None}

    def text(self, of: Any) -> str:
        """Return a type in TypeScript, and declare it if it has a name."""
        origin: Any = get_origin(of)
        if origin is NotRequired:
            return self.text(*get_args(of))
        kind = next(filter(inspect.isclass, get_args(of)[1:]), None) if origin is Annotated else None
        if kind:  # the keys of a dict
            return self.named(kind) if issubclass(kind, Request) else f"Partial<{self.named(kind)}>"
        of = _without_metadata(of)
        if of in _SCALARS:
            return _SCALARS[of]
        if get_origin(of) is None:
            return self.named(of)
        text = self._of_parts(get_origin(of), get_args(of))
        return self._alias(self._aliases[of], text) if of in self._aliases else text

    def named(self, of: Any) -> str:
        """Declare a request, an answer or a named tuple; return its name."""
        keys: dict[str, Any] = {}
        if issubclass(of, Request):
            for name, field in of.model_fields.items():
                key = f"{name}?" if MAY_BE_OMITTED in field.metadata else name
                options = next(filter(is_typeddict, field.metadata), field.annotation)
                keys[key] = str if Json in map(type, field.metadata) else options
            return self._interface(of, keys)
        hints: dict[str, Any] = get_type_hints(of, include_extras=True)
        if is_typeddict(of):
            keys = {f"{name}?" if get_origin(hint) is NotRequired else name: hint for name, hint in hints.items()}
            return self._interface(of, keys)
        parts = [f"{name}: {self.text(hint)}" for name, hint in hints.items()]
        return self._alias(of.__name__, f"[{', '.join(parts)}]", _comment(of))

    def _of_parts(self, origin: Any, parts: Sequence[Any]) -> str:
        if origin is Literal:
            return " | ".join(map(json.dumps, parts))
        texts = [self.text(each) for each in parts if each is not ...]
        if origin in (Union, UnionType):
            return " | ".join(dict.fromkeys(texts))
        if origin in (list, Sequence) or ... in parts:
            return f"({texts[0]})[]" if "|" in texts[0] else f"{texts[0]}[]"
        if origin is tuple:
            return f"[{', '.join(texts)}]"
        if origin is dict:
            return f"Record<{', '.join(texts)}>" if parts[0] is str else f"Partial<Record<{', '.join(texts)}>>"
        msg = f"no TypeScript for {origin} of {parts}"
        raise TypeError(msg)

    def _interface(self, of: type, keys: Mapping[str, Any]) -> str:
        if of.__name__ not in self.texts:
            lines = [f"    {key}: {self.text(hint)};\n" for key, hint in keys.items()]
            self.texts[of.__name__] = f"{_comment(of)}  interface {of.__name__} {{\n{''.join(lines)}  }}\n"
        return of.__name__

    def _alias(self, name: str, text: str, comment: str = "") -> str:
        self.texts[name] = f"{comment}  type {name} = {text};\n"
        return name


def _without_metadata(of: Any) -> Any:
    return get_args(of)[0] if get_origin(of) is Annotated else of


def _comment(of: type) -> str:
    lines = (inspect.getdoc(of) or "").split("\n")
    if not lines[1:]:
        return f"  /** {lines[0]} */\n"
    return "\n".join(["  /**", *(f"   * {line}".rstrip() for line in lines), "   */\n"])


def server_types() -> str:
    """Return the text of the file."""
    declarations = Declarations()
    declarations.named(answers.Refusal)
    functions = [
        f"    {name}: Ask<{declarations.named(function.request)}, {declarations.text(function.answer)}>;\n"
        for name, function in ASKED.items()
    ]
    return f"{_START}  interface Functions {{\n{''.join(functions)}  }}\n{''.join(declarations.texts.values())}}}\n"


if __name__ == "__main__":
    if WITHOUT_REVIEW:
        sys.exit(WITHOUT_REVIEW)
    FILE.write_text(server_types(), encoding="utf-8")

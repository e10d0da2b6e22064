"""Bundle the page's ES modules into one script in the page, which avoids a chain of requests."""

import re
from collections.abc import Iterable
from posixpath import dirname, join, normpath

from playground.parts.fragments import PAGE

_IMPORT = re.compile(r'^import (\{[^}]*\}) from "([^"]+)";\n', flags=re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:const|class) (\w+))", flags=re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*\*(?:[^*]|\*(?!/))*\*/)\n", flags=re.MULTILINE)  # of whole lines


def bundled(entries: Iterable[str], known: Iterable[str] = ()) -> dict[str, str]:
    """Return the scripts of modules and of everything they import, by module name; imports come first.

    A module becomes a function; its exports are in `docscore["its/name.js"]`.

    Args:
        entries: the names of modules within the folder of the page.
        known: modules that are already in the page.
    """
    scripts: dict[str, str] = {}

    def add(name: str) -> None:
        if name in scripts or name in known:
            return
        text = (PAGE / name).read_text(encoding="utf-8")
        imported = [(names, normpath(join(dirname(name), path))) for names, path in _IMPORT.findall(text)]
        for _, other in imported:
            add(other)
        heads = "".join(f'const {names} = docscore["{other}"];\n' for names, other in imported)
        exports = ", ".join(export for _, export in _EXPORT.findall(text))
        body = _COMMENT.sub("", _EXPORT.sub(r"\1", _IMPORT.sub("", text)))
        scripts[name] = f'docscore["{name}"] = (() => {{\n"use strict";\n{heads}{body}return {{ {exports} }};\n}})();\n'

    for entry in entries:
        add(entry)
    return scripts

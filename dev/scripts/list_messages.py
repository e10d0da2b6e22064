"""Print the texts that a person can see, with their files and lines: `python -m dev.scripts.list_messages [PATH...]`.

It reads errors, warnings, help texts, and sentences of results, reports and the page from Python, templates and
JavaScript. A few of the listed texts are only seen by programs.
"""

from __future__ import annotations

import ast
import re
import sys
from typing import TYPE_CHECKING

from dev.scripts.project_address import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDERS = "docscore", "review/src", "benchmark/src", "playground", "evaluate_modules", "anls_star.py", "app.py"
SENTENCE = re.compile(r"\S*[^\W\d_]{2}\S*( +\S+){2}")  # at least three words
SHOWN = re.compile(r"\w*(Error|Warning|Diagnostic|Remedy)|needs")  # functions whose texts may be shorter
SHOWN_ARGUMENTS = {"help", "description", "expected", "problem", "remedy"}  # arguments whose texts may be shorter
OTHER_FILES = {  # patterns with a text in their last group, by the end of the name
    ".js": re.compile(r"""(?<!\\)(["`])((?:\\.|(?!\1)[^\\])*)\1"""),
    ".jinja": re.compile(r"""([>}]|(?:title|label|placeholder)=")([^<>{}"]+)"""),
}


def template_of(node: ast.expr) -> str:
    """Return the text of a string or an f-string, with `{…}` for each value; "" for another expression."""
    if isinstance(node, ast.JoinedStr):
        return "".join(template_of(part) or "{…}" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def texts_of_python(node: ast.AST, *, shown: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string below a node, without docstrings; `shown` includes short strings."""
    if isinstance(node, ast.expr) and (text := template_of(node)):
        if SENTENCE.search(text) or (shown and " " in text.strip()):
            yield node.lineno, text
        shown = False  # for texts within the values of an f-string
    elif isinstance(node, ast.Call):
        shown = SHOWN.fullmatch(ast.unparse(node.func).rpartition(".")[2]) is not None
    elif isinstance(node, ast.keyword):
        shown = shown or node.arg in SHOWN_ARGUMENTS
    elif not isinstance(node, ast.IfExp | ast.Tuple):
        shown = False
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(node, ast.Expr) and isinstance(child, ast.Constant)
        is_fragment = isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)
        if not is_docstring and not is_fragment:
            yield from texts_of_python(child, shown=shown)


def texts_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each text in a file."""
    source = path.read_text("utf-8")
    if path.suffix == ".py":
        yield from texts_of_python(ast.parse(source))
    else:
        for match in OTHER_FILES[path.suffix].finditer(source):
            if SENTENCE.search(match[2]):
                yield source.count("\n", 0, match.start(2)) + 1, match[2]


def main(arguments: list[str]) -> None:
    """Print the texts of the files and folders, by default of everything that users see."""
    for name in arguments or FOLDERS:
        for path in [ROOT / name] if (ROOT / name).is_file() else sorted((ROOT / name).rglob("*")):
            if (path.suffix == ".py" or path.suffix in OTHER_FILES) and ".test." not in path.name:
                for line, text in texts_of(path):
                    print(f"{path.relative_to(ROOT).as_posix()}:{line}: {' '.join(text.split())}")


if __name__ == "__main__":
    main(sys.argv[1:])

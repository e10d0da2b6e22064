"""Runs what a page shows, in its order and in this folder: `python -m tests.page_runner PAGE`.

With `--installed` the commands are those on the path, `pip` among them.

* python: runs; all blocks of a page share their names.
* bash: runs, with `docscore` as the command of this checkout; `pip install` does nothing, or with `--installed` takes
  the clone in this folder in place of the address.
* text: what the block before it printed; `...` stands for anything.
* a block with `title="NAME"`, whatever its language: is written to that file.
* sh: is not run, since it needs a network, a key, another machine or hours. Nor is any other language.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', flags=re.DOTALL | re.MULTILINE)
_SHIMS = {
    "docscore": 'exec "$PAGE_PYTHON" -m docscore "$@"',
    "pip": ":",
    "python": 'exec "$PAGE_PYTHON" "$@"',
}
_ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


_ADDRESS = re.compile(r'"docscore(\[[\w,]+\])? @ git\+[^"]+"')


def in_a_clone(text: str) -> str:
    """The text with the clone in this folder in place of the address of the repository.

    >>> in_a_clone('pip install "docscore[app] @ git+ADDRESS"')
    'pip install -e ".[app]"'
    """
    return _ADDRESS.sub(lambda match: f'-e ".{match[1]}"' if match[1] else "-e .", text)


class Block(NamedTuple):
    """A fenced block of a page: its language, the file that it is, its text, and the line before it."""

    language: str
    title: str
    text: str
    line: int


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a page that have a language."""
    return [
        Block(actual[1], actual[2] or "", actual[3], page.count("\n", 0, actual.start(3)))
        for actual in _BLOCK.finditer(page)
    ]


def imports_of(page: str) -> set[str]:
    """The packages, other than docscore and the standard library, that the Python of a page imports."""
    code = "\n".join(block.text for block in blocks_of(page) if block.language == "python" and not block.title)
    names = set(re.findall(r"^(?:import|from) (\w+)", code, flags=re.MULTILINE))
    return names - {"docscore"} - set(sys.stdlib_module_names)


def run_page(path: Path) -> None:
    """Run the blocks of a page.

    Raises:
        AssertionError: if something prints other than the page says.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks_of(path.read_text("utf-8")):
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text, "utf-8")
        elif block.language == "python":
            printed = _run_python(block, path, names)
        elif block.language == "bash":
            command = ["bash", "-euc", in_a_clone(block.text)]
            printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        elif block.language == "text":
            same = doctest.OutputChecker().check_output(block.text, printed, _ALIKE)
            assert same, f"{path}:{block.line}: the page says\n{block.text}\nand this was printed:\n{printed}"


def _run_python(block: Block, path: Path, names: dict[str, Any]) -> str:
    """What a block of Python prints; in errors its lines have the numbers that they have in the page."""
    code = compile("\n" * block.line + block.text, str(path), "exec")
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(code, names)  # noqa: S102  our own page
    return output.getvalue()


def _put_commands_on_path(folder: Path) -> None:
    for name, line in _SHIMS.items():
        shim = folder / name
        shim.write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        shim.chmod(0o755)
    os.environ["PAGE_PYTHON"] = sys.executable
    os.environ["PATH"] = os.pathsep.join([str(folder), os.environ["PATH"]])


if __name__ == "__main__":
    if "--installed" not in sys.argv:
        _shims = Path("bin")
        _shims.mkdir()
        _put_commands_on_path(_shims.absolute())
    run_page(Path(sys.argv[1]))

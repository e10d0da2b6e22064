"""What every command prints for some forty inputs, good and bad, byte for byte.

The expected outputs are the files of tests/data/snapshot; test_interfaces.py holds Python and the modules beside the
command. This writes what the code gives now; read the diff, and name each difference in CHANGELOG.md:

    DOCSCORE_WRITE_SNAPSHOT=1 python -m pytest -q tests/test_snapshot.py tests/test_playground_api.py
"""

from __future__ import annotations

import difflib
import hashlib
import html
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from docscore.version import VERSION
from tests.commands import Done, run
from tests.conftest import ROOT, golden
from tests.snapshot_inputs import OPTIONS, TEST_SETS, Case, write

DATA = Path(__file__).parent / "data" / "snapshot"
LONGEST = 1_500  # characters of an output that are kept as they are, with the hash of all
LINES_OF_A_DIFF = 60


def without_versions(text: str) -> str:
    """The text with the word VERSION for the version of docscore."""
    text = text.replace(f"docscore&#58;{VERSION.replace('.', '&#46;')}", "docscore&#58;VERSION")  # of Markdown
    return re.sub(rf"(docscore\W{{1,6}}){re.escape(VERSION)}(?![\d.]\d)", r"\1VERSION", text)


def shortened(text: str, longest: int = LONGEST) -> str:
    """The beginning of a text, and the hash of all of it, where it is long."""
    if len(text) <= longest:
        return text
    text = without_versions(text)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text[:longest]}\n… {len(text):,} characters, {digest}\n"


def words(page: str) -> str:
    """The words of a page, and the hash of the page without versions."""
    page = without_versions(page)
    digest = hashlib.sha256(page.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    plain = re.sub(r"<(style|script|svg).*?</\1>", " ", page, flags=re.DOTALL)
    lines = (" ".join(line.split()) for line in html.unescape(re.sub(r"<[^>]*>", "\n", plain)).splitlines())
    text = " | ".join(filter(None, lines))
    return f"{len(page):,} characters, {digest}\n{shortened(text)}\n"


def compare(interface: str, parts: list[tuple[str, str]], folder: Path) -> None:
    """Hold the outputs of an interface beside its file, or write it."""
    text = "".join(f"##### {name}\n{without_versions(output)}\n" for name, output in parts)
    text = text.replace(str(folder), "FOLDER").replace(str(ROOT), "ROOT")
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    path = DATA / f"{interface}.txt"
    if os.environ.get("DOCSCORE_WRITE_SNAPSHOT"):
        DATA.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        return
    expected = path.read_bytes().decode()
    if expected != text:
        lines = list(difflib.unified_diff(expected.split("\n"), text.split("\n"), "expected", "got", lineterm=""))
        rest = f"\n… and {len(lines) - LINES_OF_A_DIFF} lines" if len(lines) > LINES_OF_A_DIFF else ""
        pytest.fail("\n".join(lines[:LINES_OF_A_DIFF]) + rest, pytrace=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the files, which is the current one, so that outputs name them without a path."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sets_in(folder: Path) -> Iterator[tuple[str, Case, tuple[Path, Path, Path]]]:
    """The test sets and their files, each in a folder of its own that is then the current one."""
    for number, (name, case) in enumerate(TEST_SETS.items()):
        own = folder / str(number)
        own.mkdir()
        os.chdir(own)
        yield name, case, write(case, own)


def printed(done: Done, draw: Callable[[str], str]) -> str:
    return f"exit status {done.code}\n{draw(done.out)}" + (f"--- stderr\n{done.err}" if done.err else "")


def as_json(text: str, longest: int = 2_500) -> str:
    """JSON by lines; the numbers and their order are those of the text."""
    try:
        value = json.loads(text, parse_float=str)
    except ValueError:
        return text
    return shortened(lines_of(value), longest)


def lines_of(value: Any) -> str:
    """JSON with one line for each entry of its outermost object or list of rows."""
    if isinstance(value, dict):
        return "".join(f"{key}: {json.dumps(part, ensure_ascii=False)}\n" for key, part in value.items())
    return json.dumps(value, ensure_ascii=False) + "\n"


DRAWN: dict[str, Callable[[str], str]] = {"plain": str, "shortened": shortened, "json": as_json, "words": words}
NOT_OF = {"explain": ("--missing", "--metrics", "--cluster"), "automation": ("--metrics", "--schema")}


def first_id(case: Case) -> list[str]:
    """The option that names the document to explain, where the rows have ids."""
    text = json.dumps(case.references) if not isinstance(case.references, str) else case.references
    match = re.search(r'"question_id": "([^"]*)"', text)
    return ["--id", match[1]] if match else []


@golden("test_sets", "commands")
def test_the_command(interface: str, arguments: list[str], drawn: str, folder: Path) -> None:
    """R, P and N are the files of a test set, and ID names a document."""
    command, parts = arguments[0], []
    for name, case, (references, predictions, new) in sets_in(folder):
        named: dict[str, list[Any]] = {"R": [references], "P": [predictions], "N": [new], "ID": first_id(case)}
        chosen = [part for argument in arguments for part in named.get(argument, [argument])]
        flags = case.flags
        if command in NOT_OF:
            flags = without(flags, *NOT_OF[command], *(["--schema"] if "--metric" in chosen else []))
        parts.append((name, printed(run(*chosen, *flags), DRAWN[drawn])))
    compare(interface, parts, folder)


def without(flags: Sequence[str], *names: str) -> list[str]:
    """The options without those of these names and their values."""
    return [part for at, part in enumerate(flags) if part not in names and (at == 0 or flags[at - 1] not in names)]


def test_options_of_the_command(folder: Path) -> None:
    """Options that change what is printed, on the receipts and on wrong input."""
    write(TEST_SETS["clusters and slices"], folder)
    parts = []
    for arguments in OPTIONS:
        draw: Callable[[str], str] = words if arguments[0] == "report" else str
        draw = as_json if "--json" in arguments else draw
        parts.append((" ".join(arguments), printed(run(*arguments), draw)))
    compare("options", parts, folder)


@pytest.mark.parametrize(
    "arguments", [(), ("score",), ("explain",), ("compare",), ("table",), ("report",)], ids=" ".join
)
def test_help(arguments: tuple[str, ...], folder: Path) -> None:
    flags = ("--help", "--help-all") if arguments else ("--help",)
    parts = [(flag, printed(run(*arguments, flag), str)) for flag in flags]
    compare("help_" + "".join(arguments or ["docscore"]), parts, folder)

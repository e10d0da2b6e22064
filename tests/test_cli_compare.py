"""`docscore compare` as a user and a CI job run it: texts, tables, exit status, and ids that are hostile."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from docscore.core.formatting import printable
from docscore.version import VERSION
from tests.commands import (
    Write,
    environment,
    pred,
    ref,
    run,
    succeed,
)
from tests.conftest import ROOT

TRUTH = "abcdefghij"
NAMES = [f"doc{number}" for number in range(12)]


@pytest.fixture
def worse(write: Write) -> list[str]:
    """The arguments for a base without a mistake and a new one that loses 0.1 to 0.4 in each of 40 documents."""
    return arguments(write, [f"doc{n}" for n in range(40)], [TRUTH[: 9 - n % 4] for n in range(40)])


def arguments(write: Write, names: list[str], guesses: list[Any], truth: Any = TRUTH) -> list[str]:
    """Base, new and references; the base predicts the truth everywhere."""
    base = write("base.jsonl", [pred(name, truth) for name in names])
    new = write("new.jsonl", [pred(name, guess) for name, guess in zip(names, guesses, strict=True)])
    return [str(base), str(new), "--references", str(write("refs.jsonl", [ref(name, truth) for name in names]))]


ODD = [
    "a|b",
    "`code`",
    "``` x",
    "@octocat @org/team",
    "<img src=x onerror=alert(1)>",
    "line\nbreak\r\n\n# head",
    "[x](https://example.org)",
    "https://example.org www.example.org a@example.org",
    "#1 GH-1 owner/name#1",
    "**b** _i_ ~~s~~ :smile:",
    "&amp; &lt;b&gt; &#124;",
    "</code></details><script>alert(1)</script>",
    "\\| \\",
    "<!-- x",
    "${1+1} {{value}} $x$",
    "\u202eab\x1b[31m\u200b",
    " leading",
    "été 発行日",
    "x|" * 5000,
]


class Cells(HTMLParser):
    """The texts of the cells of tables, and the names of all elements."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip("\n")


def test_markdown_holds_no_raw_text_of_ids_and_keys(write: Write) -> None:
    """Neither Markdown nor HTML nor a mention: a row stays a row, and all that is rendered is our own."""
    truth = {key: "x" for key in ODD if len(key) < 100}
    files = arguments(write, ODD, [dict.fromkeys(truth, "y")] * len(ODD), truth)
    out = run("compare", *files, "--markdown", "--changes", "99", "--fail-below", "0.01").out
    assert not set("@`~\\$\x1b\u202e") & set(out.replace("ANLS\\*", ""))
    cells = Cells()
    cells.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(out))
    allowed = {"h3", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "details", "summary", "sub"}
    assert cells.tags <= allowed
    assert cells.attributes <= {"style"}
    heads = [number for number, row in enumerate(cells.rows) if row[-1] in ("q", "change")]
    assert [len(cells.rows[number]) for number in heads] == [6, 4]
    assert {len(row) for row in cells.rows[: heads[1]]} == {6}
    documents = [row[0].rstrip("…") for row in cells.rows[heads[1] + 1 :]]
    assert sorted(documents) == sorted(printable(name)[: 79 if len(name) > 80 else None] for name in ODD)


def test_markdown_says_what_the_text_says(worse: list[str]) -> None:
    """Every row of a table has as many cells as its head, as GitHub counts them."""
    done = run("compare", *worse, "--markdown", "--changes", "2", "--fail-below", "0.01")
    assert (done.code, done.err) == (1, "")
    assert "### ANLS\\*: 1.0000 → " in done.out
    assert "**Gate failed: " in done.out
    assert html.unescape(done.out).endswith(f"|docscore:{VERSION}</code></sub>\n")  # whole
    tables = re.findall(r"(?:^\|.*\|\n?)+", done.out, re.MULTILINE)
    columns = [{line.count("|") - 1 for line in table.splitlines()} for table in tables]
    assert columns == [{6}, {4}]
    assert html.unescape(tables[1]).count("<code>doc") == 2
    assert html.unescape(done.out).count("docscore:") == 1


@pytest.mark.parametrize(("margin", "status"), [("0.1", 1), ("0.5", 0)])
def test_the_gate_is_the_exit_status(worse: list[str], margin: str, status: int) -> None:
    """1 only where the new one is worse by more than the margin with that confidence; without a gate always 0."""
    done = run("compare", *worse, "--fail-below", margin, "--json")
    assert (done.code, done.err) == (status, "")
    assert ("failed: the difference is -0.2500, a loss of more than" in done.out) == bool(status)
    gate = json.loads(done.out)["gate"]
    assert (gate["passed"], gate["margin"]) == (not status, float(margin))


@pytest.mark.parametrize("side", [0, 1])
def test_an_id_on_one_side_only(write: Write, side: int) -> None:
    """An error; or left out on both sides; or scored as null where it is missing."""
    files = arguments(write, NAMES, [TRUTH[:9]] * 11 + [TRUTH[:5]])
    changed = Path(files[side])
    changed.write_text("".join(changed.read_text("utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    done = run("compare", *files)
    assert (done.code, done.out) == (2, "")
    assert "'doc11'" in done.err
    assert changed.name in done.err
    done = run("compare", *files, "--on-error", "skip", "--json")
    skipping = json.loads(done.out)
    assert (done.code, skipping["rows"], skipping["skipped"]) == (0, 11, 1)
    assert (skipping["base"], skipping["new"]) == (1.0, pytest.approx(0.9))
    assert "|skipped:1|" in skipping["signature"]
    assert "1 reference without a prediction" in done.err
    done = run("compare", *files, "--missing", "skip", "--json")
    signature = skipping["signature"].replace("skipped:1", "missing:skip|skipped:1")
    assert (done.code, json.loads(done.out)) == (0, {**skipping, "signature": signature})
    assert "1 reference without a prediction; 1 of 12 rows are left out" in done.err
    null = json.loads(succeed("compare", *files, "--missing", "zero", "--json"))
    wanted = [(11 / 12, 10.4 / 12), (1.0, 9.9 / 12)][side]
    assert (null["rows"], null["base"], null["new"]) == (12, *map(pytest.approx, wanted))


GATE = 'set -eo pipefail; "$@" | cat; echo deployed'


@pytest.mark.ci
def test_a_job_stops_at_the_gate(worse: list[str]) -> None:
    """As in CI: bash stops at the first exit status that is not 0."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    for margin, deployed in (("0.01", False), ("0.5", True)):
        command = [sys.executable, "-m", "docscore", "compare", *worse, "--fail-below", margin]
        done = subprocess.run(
            [bash, "-c", GATE, "gate", *command],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert (done.returncode, done.stdout.endswith("deployed\n")) == (0 if deployed else 1, deployed)


def test_a_gate_does_not_decide_where_documents_are_left_out(write: Write) -> None:
    """They may be those on which the new system failed; both forms say how many there are."""
    files = arguments(write, NAMES, [TRUTH] * 12)
    lines = Path(files[1]).read_text(encoding="utf-8").splitlines(keepends=True)
    Path(files[1]).write_text("{\n" + "".join(lines[1:]), encoding="utf-8")
    skip = ("--on-error", "skip")
    done = run("compare", *files, *skip, "--fail-below", "0.01")
    assert (done.code, done.out) == (2, "")
    assert "the gate cannot decide: left out because of faults are 1, which may be the worst" in done.err
    for form in ([], ["--markdown"]):
        assert "1 document left out of both because of faults" in run("compare", *files, *skip, *form).out

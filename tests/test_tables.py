"""The tables of reports: what they hold, worked out by hand, and the same cells in four renderers."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

import docscore
from docscore.core.formatting import clipped, printable
from docscore.evaluation.figures import rates_table
from docscore.evaluation.tables import Table, TableCell, TableColumn
from docscore.report.console import print_table
from docscore.report.html_tree import macro_as_html
from docscore.report.markup import in_markdown, markdown_escaped, markdown_list, table_as_latex, table_as_markdown
from tests.commands import RAW
from tests.conftest import DATA, golden, needs
from tests.report_samples import BY_HAND, EVERY, SAMPLES, TABLES, Markup, drinks, evaluated, grid


def printed(table: Table, explanation: str = "", width: int = 80) -> str:
    file = io.StringIO()
    print_table(Console(file=file, width=width, highlight=False, markup=False, emoji=False), table, explanation)
    return file.getvalue()


def as_html(table: Table) -> str:
    return macro_as_html("tables.html.jinja", "draw_table", table)


BY_HAND_AS: dict[str, Callable[[], str]] = {
    "md": lambda: table_as_markdown(BY_HAND),
    "tex": lambda: table_as_latex(BY_HAND),
    "html": lambda: re.sub(r"\n+", "\n", as_html(BY_HAND)).strip(),
    "txt": lambda: "\n".join(line.rstrip() for line in printed(BY_HAND, "second line").splitlines()),
}


@pytest.mark.parametrize("form", BY_HAND_AS)
def test_a_table_by_hand(form: str) -> None:
    """Character by character, as in `data/table`."""
    assert BY_HAND_AS[form]() == (DATA / "table" / f"by_hand.{form}").read_text(encoding="utf-8").removesuffix("\n")


def cells_of_html(source: str) -> list[list[str]]:
    """The texts of the cells of the rows of HTML tables, head rows included; what explains a text is left out."""
    rows: list[list[str]] = []
    for element in Markup(source).elements:
        if element.tag == "tr":
            rows.append([])
        if element.tag in ("td", "th"):
            rows[-1].append(element.text)
        if element.tag == "small":
            rows[-1][-1] = rows[-1][-1].removesuffix(f" {element.text}")
    return rows


def from_html(table: Table) -> list[list[str]]:
    return cells_of_html(as_html(table.shown(bars=False)))


def from_markdown(table: Table) -> list[list[str]]:
    return cells_of_html(MarkdownIt("commonmark", {"html": True}).enable("table").render(table_as_markdown(table)))


_PIECES = [
    *"`*_~[](){}<>&#@:|!+-=.\\/\"'$^ \t",
    *"a1é",
    "](",
    "&lt;",
    "&#35;",
    "<b>",
    "1. ",
    "www.",
    "://",
    "[x] ",
    "__",
    "---",
]
_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@given(st.lists(st.sampled_from(_PIECES)).map("".join))
@example("*ANLS* of anls_star")
@example("[link](https://example.org) ![picture](x) <https://example.org>")
@example("a\\|b")
def test_text_is_read_from_markdown_as_it_is(text: str) -> None:
    """As a paragraph, a heading, an element of a list, and in bold in the cell of a table."""
    line = " ".join(printable(text).split())
    cell = " ".join(clipped(printable(text), 80).split())
    name = markdown_escaped(text)
    for source, expected in (
        (in_markdown(text), f"<p>{line}</p>" if line else ""),
        (markdown_list([text]), f"<ul><li>{line}</li></ul>"),
        (f"# {name}", f"<h1>{cell}</h1>"),
        (f"| a |\n|---|\n| {name} |", f"<td>{cell}</td>"),
        (f"**Gate {in_markdown(text)} .**", f"<p><strong>{' '.join(f'Gate {line} .'.split())}</strong></p>"),
    ):
        shown = unescape(_MARKDOWN.render(source).replace("\n", ""))
        assert " ".join(re.sub(r"<table>.*<tbody><tr>|</tr></tbody></table>", "", shown).split()) == expected


def test_only_what_markdown_reads_is_escaped() -> None:
    for text in (
        "p < 0.05",
        "Holm-corrected, 95% interval [0.1, 0.2]",
        "items[].unit_price",
        "R&D, 1.5 + 2 = 3.5",
        "-0.5",
    ):
        assert in_markdown(text) == text
    for text, escaped in (
        ("@team", "&#64;team"),
        ("#12", "&#35;12"),
        ("https://a.b", "https&#58;//a.b"),
        ("www.a.b", "www&#46;a.b"),
        ("ANLS*", r"ANLS\*"),
    ):
        assert in_markdown(text) == escaped


def from_latex(table: Table) -> list[list[str]]:
    """Each line is a row; what is escaped is read back."""
    lines = [line.removesuffix(r" \\") for line in table_as_latex(table).splitlines() if line.endswith(r" \\")]
    rows = [re.split(r"(?<!\\)&", line) for line in lines if not line.startswith(r"\multicolumn")]
    return [[read_back(unmarked(cell.strip(" "))) for cell in row] for row in rows]


def unmarked(cell: str) -> str:
    """A cell without the marks around its text or its figure; what stands in front of a bracket too."""
    plain = re.sub(r"^\\text(?:tt\{(.*)|bf\{([\d.]*))\}", r"\1\2", cell.removeprefix("{}"))
    return plain.replace(r"\textsuperscript{\textdagger}", "†")


def read_back(text: str) -> str:
    """What LaTeX shows of an escaped text; no sign of its own is left in it."""
    words = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    words |= {"textless": "<", "textgreater": ">", "textbar": "|"}
    signs = re.sub(rf"\\(?:{'|'.join(words)})\{{\}}|\\[&%$#_{{}}]", "", text)
    assert not set(signs) & set("\\&%$#_{}~^<>|"), text
    return re.sub(r"\\(\w+)\{\}|\\(.)", lambda found: words[found[1]] if found[1] else found[2], text)


RENDERERS: dict[str, tuple[Callable[[Table], list[list[str]]], int]] = {
    "Markdown": (from_markdown, 80),
    "LaTeX": (from_latex, 200),
    "HTML": (from_html, 200),
}


@pytest.mark.parametrize(("kind", "sample"), EVERY)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_every_renderer_shows_the_same_cells(renderer: str, kind: str, sample: str) -> None:
    """Whatever a model wrote: a row stays a row, and a text is the text that it is, shortened where it is long."""
    table = TABLES[kind](SAMPLES[sample]())
    read, longest = RENDERERS[renderer]

    def cut(text: Any) -> str:
        shown = " ".join(printable(text).split())
        return shown if len(shown) <= longest else f"{shown[: longest - 1]}…"

    shown = table.shown(bars=False)
    expected = [[column.head for column in shown.heads], *grid(shown)]
    assert [[" ".join(cell.split()) for cell in row] for row in read(table)] == [
        [cut(text) for text in row] for row in expected
    ]


def test_a_table_is_cut_off_and_says_so() -> None:
    assert BY_HAND.note == "2 of 5 fields are shown."
    one = BY_HAND.first(1)
    assert (len(one), one.left_out, one.note) == (1, 4, "1 of 5 fields are shown.")
    assert BY_HAND.first(2) == BY_HAND
    assert TABLES["fields"](drinks()).first(99).note == ""


def test_raw_values_by_name() -> None:
    """Extra columns are among them, bars are not, and an interval is two numbers and a note."""
    assert list(BY_HAND) == [
        {"field": "a_b", "name": "x", "score": 0.5, "hidden": 1, "low": 0.25, "high": 0.75, "interval_note": ""},
        {
            "field": "c",
            "name": "y",
            "score": 0.25,
            "hidden": 2,
            "low": None,
            "high": None,
            "interval_note": 'one "document"',
        },
    ]


def test_the_first_rows_of_a_long_table_are_printed_and_all_are_counted() -> None:
    """50,000 fields took 40 seconds."""
    columns = (TableColumn("field", "field", "code"),)
    rows = tuple((TableCell(f"f{number}", f"f{number}"),) for number in range(2_000))
    lines = printed(Table("Fields", columns, rows, unit="fields")).splitlines()
    assert len(lines) == 504  # with a blank line, the caption, the heading and the sentence
    assert lines[-1] == "500 of 2,000 fields are shown."


@golden("report_tables", "by hand")
def test_a_table_holds_what_was_worked_out_by_hand(
    kind: str, caption: str, heads: list[str], rows: list[list[str]]
) -> None:
    shown = TABLES[kind](drinks())
    assert (shown.caption, [column.head for column in shown.shown().heads], grid(shown)) == (caption, heads, rows)


def test_where_nothing_is_there_are_no_rows() -> None:
    found = evaluated(("a", "x", "x"))
    assert found.lists == found.causes == []
    assert [row[0] for row in grid(found.fields)] == ["whole document"]
    assert [row[1] for row in grid(rates_table([rate._replace(total=0) for rate in found.rate_list]))] == ["–"] * 5


@pytest.mark.parametrize(("kind", "sample"), EVERY)
def test_every_row_has_a_cell_for_every_column_and_a_name_for_every_raw_value(kind: str, sample: str) -> None:
    shown = TABLES[kind](SAMPLES[sample]())
    kinds = [column.kind for column in shown.heads]
    assert shown.cells != ()
    for row in shown.cells:
        assert all(cell.text or of_column == "bar" for of_column, cell in zip(kinds, row, strict=True))
        assert not any(RAW.search(cell.text + cell.note) for cell in row)
    names = [column.name for column in shown.heads if column.kind not in ("bar", "interval")]
    names += ["low", "high", "interval_note"] * kinds.count("interval")
    assert [sorted(record) for record in shown] == [sorted(names)] * len(shown)


def test_rows_with_the_lowest_scores_as_a_frame() -> None:
    """The frame has the id of the row, which the table calls "row 1" because the user gave no ids."""
    needs("pandas")
    worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(1)
    assert worst.to_pandas().to_dict("records") == [{"question_id": "1", "anls_score": 0.0}]
    assert worst.table.cells[0][0].text == "row 1"


def test_the_root_is_called_whole_document(tmp_path: Path) -> None:
    """In every table for people; in data it stays `$`."""
    good = docscore.evaluate(predictions=["x", "z"], references=["x", "z"])
    bad = docscore.evaluate(predictions=["x", "y"], references=["x", "z"])
    compared = good.compare(bad)
    assert (bad.fields[0]["field"], compared.fields[0]["field"]) == ("$", "$")
    gate = compared.decide(max_field_loss=0.1, min_documents=1)
    assert gate.sentence.endswith("1 of 1 field lost more than 0.1: whole document -0.5000")
    reports = [
        each.report(tmp_path / f"{name}{extension}").read_text("utf-8")
        for name, each in (("score", bad), ("compare", compared))
        for extension in (".html", ".md")
    ]
    for text in (str(bad.fields), str(compared.fields), *reports):
        assert "whole document" in text
        assert not re.search(r"^\$ |<code>\$</code>", text, re.MULTILINE)

"""The tables of reports: what they hold, worked out by hand, and that four renderers show the same cells."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from docscore.core.formatting import printable
from docscore.corpus.fields import OUTCOMES
from docscore.report.console import print_table
from docscore.report.content import OUTCOME_COLUMNS, fields_table, kieval_tables, lists_table, rates_table
from docscore.report.html_figures import table_as_html
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.tables import table_as_latex, table_as_markdown
from tests.report_samples import HOSTILE_TEXTS, TABLES, Markup, drinks, hostile, summed_up
from tests.test_terminal import RAW

SAMPLES = {"drinks": drinks, "hostile": hostile}
EVERY = [(kind, sample) for kind in TABLES for sample in SAMPLES]


def grid(table: ReportTable) -> list[list[str]]:
    """The texts of a table as it is shown."""
    return [[cell.text for cell in row] for row in table.shown().rows]


# what the tables hold

GOLDEN: dict[str, tuple[str, list[str], list[list[str]]]] = {
    "fields": (
        "Fields, most points lost first",
        ["field", "score", "interval", "points lost", *(column.head for column in OUTCOME_COLUMNS.values())],
        [
            ["price", "0.750", "0.500 to 1.000", "0.1000", "3", "·", "·", "·", "1", "·"],  # 1/2 of 1 of 5 documents
            ["rows[]", "0.500", "–", "0.1000", "1", "·", "·", "·", "1", "·"],
            ["qty", "0.000", "–", "0.0667", "·", "·", "·", "·", "·", "1"],  # 1/3 of 1 of 5
            ["name", "0.950", "–", "0.0200", "3", "1", "·", "·", "·", "·"],  # 0.2/2 of 1 of 5
        ],
    ),
    "lists": (
        "Lists: their elements",
        ["elements", "matched", "missing", "only in the prediction"],
        [["rows[]", "1", "1", "0"]],
    ),
    "causes": (
        "Why 0.2867 of 1 was lost",
        ["", "points", "share", "cause"],
        [
            ["", "0.1000", "34.9%", "missing field"],
            ["", "0.1000", "34.9%", "missing row"],
            ["", "0.0667", "23.3%", "invented field"],
            ["", "0.0200", "7.0%", "near miss"],
        ],
    ),
    "rates": (
        "Rates: shares of documents (Wilson) and of values (resampled documents)",
        ["rate", "value", "interval", "count"],
        [
            ["documents without a fault", "20.0%", "–", "1 of 5"],
            ["documents that lack a value", "40.0%", "–", "2 of 5"],
            ["documents with an invented value", "20.0%", "–", "1 of 5"],
            ["omission: expected values that are missing", "20.0%", "–", "2 of 10"],
            ["hallucination: values predicted, not expected", "11.1%", "–", "1 of 9"],
        ],
    ),
    "figures": (
        "Metrics",
        ["metric", "value", "interval"],
        [["ANLS*", "0.713333", "0.6000 to 0.8500"], ["nTED", "0.500000", "–"]],
    ),
    "entities": (
        "Entities by type, most corrections first",
        ["entity", "F1", "aligned", "right", "to change", "to add", "to delete"],
        [
            ["all", "0.737", "0.636", "7", "1", "2", "1"],  # 14/(14+2+3) and 7/11
            ["name", "0.750", "0.750", "3", "1", "0", "0"],
            ["price", "0.857", "0.750", "3", "0", "1", "0"],
            ["qty", "0.000", "0.000", "0", "0", "0", "1"],
            ["rows", "0.667", "0.500", "1", "0", "1", "0"],
        ],
    ),
    "groups": (
        "Groups by type",
        ["group", "F1", "right", "wrong", "missed", "invented"],
        [["all", "0.600", "3", "1", "2", "0"], ["menu", "0.600", "3", "1", "2", "0"]],  # 6/(6+2+2)
    ),
    "systems": (
        "Metrics by system",
        ["System", "ANLS*", "nTED"],
        [["good", "71.33", "50.00"], [HOSTILE_TEXTS[7], "35.67", "25.00"], ["as good", "71.33", "50.00"]],
    ),
    "systems by metric": (
        "Metrics by system",
        ["metric", "good", HOSTILE_TEXTS[7], "as good"],
        [["ANLS*", "0.7133", "0.3567", "0.7133"], ["nTED", "0.5000", "0.2500", "0.5000"]],
    ),
    "documents": ("Lowest scores", ["document", "score"], [["c", "0.500"], ["e", "0.500"], ["d", "0.667"]]),
    "document changes": (
        "Documents, largest changes",
        ["document", "base", "new", "change"],
        [
            ["a", "1.000", "0.500", "-0.5000"],
            ["b", "0.900", "0.500", "-0.4000"],
            ["d", "0.667", "0.500", "-0.1667"],
            ["e", "0.500", "1.000", "+0.5000"],
        ],
    ),
    "curve": (
        "Trade-off of automation and accuracy",
        ["review below", "automated", "accuracy after review"],
        [["0.00", "100.0%", "0.5000"], ["all", "0.0%", "1.0000"]],
    ),
}


@pytest.mark.parametrize("kind", GOLDEN)
def test_a_table_holds_what_was_worked_out_by_hand(kind: str) -> None:
    table = TABLES[kind](drinks())
    assert (table.caption, [column.head for column in table.shown().columns], grid(table)) == GOLDEN[kind]


def test_the_fields_that_changed_are_a_row_each() -> None:
    """A field of one system alone has one score; nothing is tested there."""
    table = TABLES["field changes"](drinks())
    assert table.caption == "Fields, largest change first (0 did not change)"
    assert [column.head for column in table.columns] == ["field", "base", "new", "change", "interval", "p", "q"]
    rows = {row[0]: row[1:] for row in grid(table)}
    assert rows["price"][:3] == ["0.750", "0.000", "-0.7500"]
    assert re.fullmatch(r"[+-]\d\.\d{3} to [+-]\d\.\d{3}", rows["price"][3])
    assert rows["rows[]"][:3] == ["0.500", "1.000", "+0.5000"]
    assert rows["qty"] == ["0.000", "–", "–", "–", "–", "–"]
    [note] = [row[4].note for row in table.rows if row[0].value == "qty"]
    assert note == "only one of the two has it"


def test_there_is_a_heading_for_each_outcome() -> None:
    assert tuple(OUTCOME_COLUMNS) == OUTCOMES
    assert [column.name for column in OUTCOME_COLUMNS.values()] == list(OUTCOMES)


def test_raw_values_are_those_of_the_library() -> None:
    """The keys and numbers that the command writes as JSON, in the order of the table."""
    for sample in (drinks(), hostile()):
        summary, analysis, found = sample.summary, sample.analysis, sample.comparison
        of_fields = [
            {
                "low": None,
                "high": None,
                **each.to_dict(len(analysis.scores.ids), summary.field_intervals.get(each.path)),
            }
            for each in analysis.by_loss()
        ]
        assert TABLES["fields"](sample).records() == of_fields
        assert lists_table(analysis).records() == [each.to_dict() for each in analysis.lists]
        assert rates_table(summary.rates).records() == [
            {"low": None, "high": None, **rate.to_dict()} for rate in summary.rates
        ]
        assert TABLES["field changes"](sample).records() == [each.to_dict() for each in found.fields if each.changed]
        assert TABLES["document changes"](sample).records() == [
            each.to_dict() for each in [*found.worse, *found.better]
        ]
        assert TABLES["curve"](sample).records()[-1] == {"threshold": None, "automation_rate": 0.0, "aligned": 1.0}
        assert TABLES["systems"](sample).records()[0] == {
            "system": "good",
            **{figure.name: figure.value for figure in sample.measured.figures},
        }
        lost = {each["cause"]: each["points_lost"] for each in TABLES["causes"](sample).records()}
        assert lost == {cause: points for cause, points in analysis.lost.items() if points}
    entities = kieval_tables(drinks().kieval)[0].records()[0]
    assert entities == {
        "entity": "all", "f1": 14 / 19, "precision": 7 / 9, "recall": 0.7, "aligned": 7 / 11,
        "true_positives": 7, "substitutions": 1, "additions": 2, "deletions": 1,
    }  # fmt: skip


def test_where_nothing_is_there_are_no_rows() -> None:
    summary, analysis = summed_up(("a", "x", "x"))
    assert lists_table(analysis).rows == ()
    assert TABLES["causes"](drinks()._replace(analysis=analysis)).rows == ()
    assert [row[0] for row in grid(fields_table(summary, analysis))] == ["$"]
    assert [row[1] for row in grid(rates_table([rate._replace(total=0) for rate in summary.rates]))] == ["–"] * 5


@pytest.mark.parametrize(("kind", "sample"), EVERY)
def test_every_row_has_a_cell_for_every_column(kind: str, sample: str) -> None:
    table = TABLES[kind](SAMPLES[sample]())
    assert table.rows != ()
    assert {len(row) for row in table.rows} == {len(table.columns)}
    assert all(
        cell.text or column.kind == "bar" for row in table.rows for column, cell in zip(table.columns, row, strict=True)
    )
    assert not any(RAW.search(cell.text + cell.note) for row in table.rows for cell in row)


# the model

BY_HAND = ReportTable(
    "By <hand>",
    (
        TableColumn("bar", "", "bar"),
        TableColumn("field", "field", "code"),
        TableColumn("name", "what & why", "text"),
        TableColumn("score", "score", short="s."),
        TableColumn("hidden", "hidden", extra=True),
        TableColumn("interval", "interval", "interval"),
    ),
    (
        (
            TableCell(1.0, ""),
            TableCell("a_b", "a_b"),
            TableCell("x", "x|y", note="a & b"),
            TableCell(0.5, "0.500", best=True),
            TableCell(1, "1"),
            TableCell((0.25, 0.75), "25% to 75%", short="25-75"),
        ),
        (
            TableCell(0.25, ""),
            TableCell("c", "<c>"),
            TableCell("y", "y"),
            TableCell(0.25, "0.250"),
            TableCell(2, "2"),
            TableCell(None, "–", note='one "document"'),
        ),
    ),
    unit="fields",
    left_out=3,
    signatures=("a|b:1",),
)


def test_a_table_is_frozen_and_equal_by_value() -> None:
    with pytest.raises(FrozenInstanceError):
        BY_HAND.caption = "other"  # type: ignore[misc]
    assert BY_HAND.without() == BY_HAND
    assert TABLES["fields"](drinks()) == TABLES["fields"](drinks())


def test_a_table_is_cut_off_and_says_so() -> None:
    assert BY_HAND.note == "2 of 5 fields are shown."
    one = BY_HAND.first(1)
    assert (len(one.rows), one.left_out, one.note) == (1, 4, "1 of 5 fields are shown.")
    assert BY_HAND.first(2) == BY_HAND
    assert TABLES["fields"](drinks()).first(99).note == ""


def test_columns_are_left_out() -> None:
    assert [column.name for column in BY_HAND.shown().columns] == ["bar", "field", "name", "score", "interval"]
    assert [column.name for column in BY_HAND.shown(bars=False).columns] == ["field", "name", "score", "interval"]
    assert [cell.text for cell in BY_HAND.without("bar", "hidden", "name").rows[0]] == ["a_b", "0.500", "25% to 75%"]


def test_raw_values_by_name() -> None:
    """Extra columns are among them, bars are not, and an interval is two numbers."""
    assert BY_HAND.records() == [
        {"field": "a_b", "name": "x", "score": 0.5, "hidden": 1, "low": 0.25, "high": 0.75},
        {"field": "c", "name": "y", "score": 0.25, "hidden": 2, "low": None, "high": None},
    ]


def test_transposed_twice_the_numbers_stand_where_they_stood() -> None:
    table = TABLES["systems"](drinks())
    turned = table.transposed("metric", "metric")
    assert [column.kind for column in turned.columns] == ["text", "number", "number", "number"]
    assert [[cell.value for cell in row[1:]] for row in turned.rows] == [
        list(values) for values in zip(*([cell.value for cell in row[1:]] for row in table.rows), strict=True)
    ]
    assert turned.transposed("system", "System") == table
    assert table.without("anls_star", "nted").transposed("metric", "metric").rows == ()


# the renderers

MARKDOWN = """\
| field | what &#38; why | score | interval |
|---|---|---:|---:|
| <code>a&#95;b</code> | x&#124;y | **0.500** | 25% to 75% |
| <code>&#60;c&#62;</code> | y | 0.250 | – |

2 of 5 fields are shown.
`a|b:1`"""
LATEX = r"""% a|b:1
\begin{tabular}{llrr}
\hline
field & what \& why & score & interval \\
\hline
\texttt{a\_b} & x|y & \textbf{0.500} & 25\% to 75\% \\
\texttt{<c>} & y & 0.250 & – \\
\multicolumn{4}{l}{2 of 5 fields are shown.} \\
\hline
\end{tabular}"""
HTML = """\
<div class="anls-scroll" tabindex="0" role="region" aria-label="By &lt;hand&gt;">
<table class="anls-table">
<caption>By &lt;hand&gt;</caption>
<thead><tr><td></td><th scope="col" class="anls-words">field</th><th scope="col" class="anls-words">what &amp; why</th>\
<th scope="col" class="anls-digits">score</th><th scope="col" class="anls-digits">interval</th></tr></thead>
<tbody>
<tr><td class="anls-words"><span class="anls-loss-bar"><span style="width:100.00%"></span></span></td>\
<td class="anls-words"><code>a_b</code></td><td class="anls-words">x|y <small>a &amp; b</small></td>\
<td class="anls-digits"><strong>0.500</strong></td><td class="anls-digits">25% to 75%</td></tr>
<tr><td class="anls-words"><span class="anls-loss-bar"><span style="width:25.00%"></span></span></td>\
<td class="anls-words"><code>&lt;c&gt;</code></td><td class="anls-words">y</td><td class="anls-digits">0.250</td>\
<td class="anls-digits"><abbr title="one &#34;document&#34;">–</abbr></td></tr>
</tbody>
</table>
</div>
<p class="anls-note">2 of 5 fields are shown.</p>
<p class="anls-note"><code>a|b:1</code></p>"""
TERMINAL = """\

By <hand>
second line
field          what & why         s. interval
a_b            x|y            0.500*    25-75
<c>            y               0.250        -
2 of 5 fields are shown.

a|b:1"""


def printed(table: ReportTable, explanation: str = "", width: int = 80) -> str:
    file = io.StringIO()
    print_table(Console(file=file, width=width, highlight=False, markup=False, emoji=False), table, explanation)
    return file.getvalue()


def test_markdown_of_a_table_by_hand() -> None:
    assert table_as_markdown(BY_HAND) == MARKDOWN


def test_latex_of_a_table_by_hand() -> None:
    assert table_as_latex(BY_HAND) == LATEX


def test_html_of_a_table_by_hand() -> None:
    assert re.sub(r"\n+", "\n", table_as_html(BY_HAND)).strip() == HTML


def test_the_terminal_shows_a_table_by_hand() -> None:
    lines = [line.rstrip() for line in printed(BY_HAND, "second line").splitlines()]
    assert lines == TERMINAL.splitlines()


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


def from_html(table: ReportTable) -> list[list[str]]:
    source = table_as_html(table.shown(bars=False))
    tags = {element.tag for element in Markup(source).elements}
    assert tags <= {
        "div",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "small",
        "abbr",
        "strong",
        "p",
    }
    return cells_of_html(source)


def from_markdown(table: ReportTable) -> list[list[str]]:
    """As a renderer of Markdown shows it."""
    return cells_of_html(MarkdownIt("commonmark", {"html": True}).enable("table").render(table_as_markdown(table)))


def from_latex(table: ReportTable) -> list[list[str]]:
    """Each line is a row; what is escaped is read back."""
    lines = [line.removesuffix(r" \\") for line in table_as_latex(table).splitlines() if line.endswith(r" \\")]
    rows = [re.split(r"(?<!\\)&", line) for line in lines if not line.startswith(r"\multicolumn")]
    return [[read_back(re.sub(r"^\\text(?:tt|bf)\{(.*)\}$", r"\1", cell.strip(" "))) for cell in row] for row in rows]


def read_back(text: str) -> str:
    """What LaTeX shows of an escaped text; no sign of its own is left in it."""
    words = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    signs = re.sub(rf"\\(?:{'|'.join(words)})\{{\}}|\\[&%$#_{{}}]", "", text)
    assert not set(signs) & set("\\&%$#_{}~^"), text
    return re.sub(r"\\(\w+)\{\}|\\(.)", lambda found: words[found[1]] if found[1] else found[2], text)


def from_terminal(table: ReportTable) -> list[list[str]]:
    """Very wide, so that nothing is folded; columns begin where the heads or the widest cells say."""
    shown = table.shown(bars=False)
    lines = printed(table, width=4000).splitlines()[2 : 3 + len(table.rows)]
    assert not any(RAW.search(line) for line in lines)
    heads = [" ".join(column.short or column.head for column in shown.columns).split()]
    plain = str.maketrans("–·", "-.")
    texts = [
        " ".join(
            cell.text if column.kind in ("text", "code") else (cell.short or cell.text).translate(plain)
            for column, cell in zip(shown.columns, row, strict=True)
        ).split()
        for row in shown.rows
    ]
    assert [line.replace("*", "").split() for line in lines] == [
        [word.replace("*", "") for word in words if word != "*"] for words in heads + texts
    ]
    return [[column.head for column in shown.columns], *grid(shown)]


RENDERERS: dict[str, tuple[Callable[[ReportTable], list[list[str]]], int]] = {
    "terminal": (from_terminal, 200),
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
    expected = [[column.head for column in shown.columns], *grid(shown)]
    assert [[" ".join(cell.split()) for cell in row] for row in read(table)] == [
        [cut(text) for text in row] for row in expected
    ]

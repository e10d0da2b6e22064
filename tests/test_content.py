"""What the tables of reports hold, worked out by hand, and that their raw values are those of the library."""

from __future__ import annotations

import re

import pytest

from docscore import typed_tree
from docscore.core.formatting import printable
from docscore.metrics.anls_star.causes import OUTCOMES
from docscore.metrics.typed.score import TypedFields
from docscore.report.content import OUTCOME_COLUMNS, fields_table, lists_table, rates_table, typed_values_text
from tests.commands import RAW
from tests.report_samples import EVERY, HOSTILE_TEXTS, SAMPLES, TABLES, drinks, grid, summed_up

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
        "Rates: shares of documents and of values",
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
        [["ANLS*", "0.7133", "0.6000 to 0.8500"], ["nTED", "0.5000", "–"]],
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
    "systems with intervals": (
        "Metrics by system",
        ["System", "missing", "ANLS*", "nTED"],
        [
            ["good", "1", "0.7133 [0.6000, 0.8500]", "0.5000"],
            [HOSTILE_TEXTS[7], "0", "0.3567 [0.6000, 0.8500]†", "0.2500"],
            ["as good", "0", "0.7133 [0.6000, 0.8500]", "0.5000"],
        ],
    ),
    "systems by slice": (
        f"Metrics by system and {HOSTILE_TEXTS[4]}",
        [HOSTILE_TEXTS[4], "System", "documents", "ANLS*", "nTED"],
        [
            [value, name, count, *figures]
            for value, count in (("all rows", "5"), ("de", "2"), (HOSTILE_TEXTS[2], "2"))
            for name, figures in (
                ("good", ["0.7133", "0.5000"]),
                (HOSTILE_TEXTS[7], ["0.3567", "0.2500"]),
                ("as good", ["0.7133", "0.5000"]),
            )
        ],
    ),
    "slices": (
        f"Slices by {HOSTILE_TEXTS[7]}, those of most documents first",
        [HOSTILE_TEXTS[7], "documents", "metric", "figure", "interval"],
        [
            ["de", "2", "ANLS*", "0.7133", "0.6000 to 0.8500"],
            ["de", "2", "nTED", "0.5000", "–"],
            ["en", "2", "ANLS*", "0.7133", "0.6000 to 0.8500"],
            ["en", "2", "nTED", "0.5000", "–"],
            [printable(HOSTILE_TEXTS[8]), "2", "ANLS*", "0.7133", "0.6000 to 0.8500"],
            [printable(HOSTILE_TEXTS[8]), "2", "nTED", "0.5000", "–"],
        ],
    ),
    "calibration": (
        "Calibration of 12 values in 3 documents, 15 bins of equal width",
        ["calibration", "value", "interval"],
        [
            ["AUROC (1 is best, 0.5 is chance)", "0.7500", "0.5000 to 1.0000"],
            ["expected calibration error (0 is best)", "0.1250", "–"],
            ["Brier score (0 is best)", "–", "–"],
        ],
    ),
    "reliability": (
        "Reliability: how often values of a confidence are right",
        ["above", "up to", "values", "mean confidence", "right", "interval"],
        [["0.00", "0.50", "4", "0.250", "50.0%", "–"], ["0.50", "1.00", "8", "0.900", "87.5%", "–"]],
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


@pytest.mark.parametrize("kind", TABLES)
def test_no_two_raw_values_of_a_row_have_one_name(kind: str) -> None:
    table = TABLES[kind](drinks())
    names = [column.name for column in table.columns if column.kind not in ("bar", "interval")]
    names += ["low", "high"] * [column.kind for column in table.columns].count("interval")
    assert [sorted(record) for record in table.records()] == [sorted(names)] * len(table.rows)


def test_there_is_a_heading_for_each_outcome() -> None:
    assert tuple(OUTCOME_COLUMNS) == OUTCOMES
    assert [column.name for column in OUTCOME_COLUMNS.values()] == list(OUTCOMES)


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


def test_what_a_schema_did_is_said_in_a_sentence() -> None:
    schema = {"properties": {"n": {"type": "number"}, "m": {"type": "number"}}}
    truth, prediction = {"n": 12.5, "m": "1 x", "t": "tea"}, {"n": "12.50", "m": "1", "t": "tea"}
    said = typed_values_text(TypedFields.of(typed_tree(truth, prediction, schema)))
    assert said == (
        "1 of the ground truths and 0 of the predictions could not be read so, most of them at m: x-docscore in a "
        "schema says what separates decimals and groups of digits."
    )
    said = typed_values_text(TypedFields.of(typed_tree({"n": 1}, {"n": 1}, schema)))
    assert said == "The schema says how 1 of 1 values are compared."
    assert typed_values_text(TypedFields.of(typed_tree({"x": 1}, {"x": 1}, schema))).startswith(
        "All values are compared"
    )

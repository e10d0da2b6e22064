"""What the tables of reports hold, worked out by hand, and that their raw values are those of the library."""

from __future__ import annotations

import re

import pytest

from docscore import typed_tree
from docscore.evaluation.fields import FieldTable
from docscore.metrics.anls_star.causes import OUTCOMES, FieldCounts
from docscore.report.content import OUTCOME_COLUMNS, fields_table, lists_table, rates_table, typed_values_text
from tests.commands import RAW
from tests.conftest import golden
from tests.report_samples import EVERY, SAMPLES, TABLES, drinks, evaluated, grid


@golden("report_tables", "by hand")
def test_a_table_holds_what_was_worked_out_by_hand(
    kind: str, caption: str, heads: list[str], rows: list[list[str]]
) -> None:
    shown = TABLES[kind](drinks())
    assert (shown.caption, [column.head for column in shown.shown().columns], grid(shown)) == (caption, heads, rows)


def test_the_fields_that_changed_are_a_row_each() -> None:
    """A field of one system alone has one score; nothing is tested there."""
    shown = TABLES["field changes"](drinks())
    assert shown.caption == "Fields, largest change first (0 did not change)"
    assert [column.head for column in shown.columns] == ["field", "base", "new", "change", "interval", "p", "q"]
    rows = {row[0]: row[1:] for row in grid(shown)}
    assert rows["price"][:3] == ["0.750", "0.000", "-0.7500"]
    assert re.fullmatch(r"[+-]\d\.\d{3} to [+-]\d\.\d{3}", rows["price"][3])
    assert rows["rows[]"][:3] == ["0.500", "1.000", "+0.5000"]
    assert rows["qty"] == ["0.000", "–", "–", "–", "–", "–"]
    [note] = [row[4].note for row in shown.rows if row[0].value == "qty"]
    assert note == "only one of the two has it"


@pytest.mark.parametrize("kind", TABLES)
def test_no_two_raw_values_of_a_row_have_one_name(kind: str) -> None:
    shown = TABLES[kind](drinks())
    names = [column.name for column in shown.columns if column.kind not in ("bar", "interval")]
    names += ["low", "high"] * [column.kind for column in shown.columns].count("interval")
    assert [sorted(record) for record in shown.records()] == [sorted(names)] * len(shown.rows)


def test_there_is_a_heading_for_each_outcome() -> None:
    assert tuple(OUTCOME_COLUMNS) == OUTCOMES
    assert [column.name for column in OUTCOME_COLUMNS.values()] == list(OUTCOMES)


def test_where_nothing_is_there_are_no_rows() -> None:
    found = evaluated(("a", "x", "x"))
    assert lists_table(found).rows == ()
    assert TABLES["causes"](drinks()._replace(evaluation=found)).rows == ()
    assert [row[0] for row in grid(fields_table(found))] == ["$"]
    assert [row[1] for row in grid(rates_table([rate._replace(total=0) for rate in found.rate_list]))] == ["–"] * 5


@pytest.mark.parametrize(("kind", "sample"), EVERY)
def test_every_row_has_a_cell_for_every_column(kind: str, sample: str) -> None:
    shown = TABLES[kind](SAMPLES[sample]())
    assert shown.rows != ()
    assert {len(row) for row in shown.rows} == {len(shown.columns)}
    assert all(
        cell.text or column.kind == "bar" for row in shown.rows for column, cell in zip(shown.columns, row, strict=True)
    )
    assert not any(RAW.search(cell.text + cell.note) for row in shown.rows for cell in row)


@golden("report_tables", "schema sentences")
def test_what_a_schema_did_is_said_in_a_sentence(
    truth: dict[str, object], prediction: dict[str, object], sentence: str
) -> None:
    schema = {"properties": {"n": {"type": "number"}, "m": {"type": "number"}}}
    counts = FieldCounts().of_tree(typed_tree(truth, prediction, schema))
    assert typed_values_text(FieldTable.of_leaves([counts.leaves])) == sentence

"""Confidences in each form that systems give them in, against thirty documents that were counted by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import docscore
from docscore.core.options import ReadOptions
from docscore.evaluation.sentences import count_lines
from docscore.inputs.reading import as_scored
from docscore.inputs.test_set import TestSet
from tests.commands import Write, ref, run
from tests.conftest import golden
from tests.test_playground_fragments import scored_files


class Document(NamedTuple):
    """A prediction with a total in a list and a date, and the confidences of both."""

    name: str
    total: str
    date: str
    sure: Any
    sure_of_date: Any


# The totals of documents 0 to 19 have 0.97, and two are wrong; the other ten have 0.4, and five are wrong. The dates of
# documents 0 to 14 have 0.85, and three are wrong; the other fifteen have no confidence, and one is wrong.
WRONG_TOTALS, WRONG_DATES = {0, 1, *range(20, 25)}, {0, 1, 2, 15}
TRUTHS = {f"d{n}": {"date": f"{n} May", "items": [{"total": f"1{n}"}]} for n in range(30)}
FRACTIONS = [
    Document(
        f"d{n}",
        "?" if n in WRONG_TOTALS else f"1{n}",
        "?" if n in WRONG_DATES else f"{n} May",
        0.97 if n < 20 else 0.4,
        0.85 if n < 15 else None,
    )
    for n in range(30)
]
PERCENT = [row._replace(sure=round(100 * row.sure), sure_of_date=row.sure_of_date and 85) for row in FRACTIONS]
BY_VALUE = {0.0: (45, 35), 0.5: (35, 30), 0.9: (20, 18), 0.98: (0, 0)}  # threshold: accepted values, right ones
BY_DOCUMENT = {0.0: (60, 49), 0.5: (40, 34), 0.98: (0, 0)}  # the date has the confidence of the total


def plain(total: Any, date: Any) -> dict[str, Any]:
    return {"date": date, "items": [{"total": total}]}


def lines(row_of: Callable[[Document], Any], rows: list[Document]) -> str:
    return "".join(json.dumps({"question_id": row.name, **row_of(row)}) + "\n" for row in rows)


def table(head: str, rows_of: Callable[[Document], list[list[Any]]], rows: list[Document]) -> str:
    file = io.StringIO()
    csv.writer(file).writerows([head.split(), *(cells for row in rows for cells in rows_of(row))])
    return file.getvalue()


def marked(value: str, sure: Any) -> Any:
    return {"$value": value, "$confidence": sure}


def around(value: str, sure: Any) -> Any:
    """As a dump of a model that leaves out what is null."""
    return {"value": value} if sure is None else {"value": value, "confidence": sure}


def with_each(wrap: Callable[[str, Any], Any], row: Document) -> Any:
    return {"prediction": plain(wrap(row.total, row.sure), wrap(row.date, row.sure_of_date))}


def in_column(row: Document) -> Any:
    return {"prediction": plain(*row[1:3]), "confidence": plain(*row[3:])}


def by_path(row: Document) -> Any:
    return {"prediction": plain(*row[1:3]), "confidences": {"items[0].total": row.sure, "date": row.sure_of_date}}


def by_field(row: Document) -> list[list[Any]]:
    total, date = ["items[0].total", f"1{row.name[1:]}"], ["date", f"{row.name[1:]} May"]
    return [[row.name, *total, row.total, row.sure], [row.name, *date, row.date, row.sure_of_date]]


AT_VALUES, KEY, COLUMN = "{value, confidence}", "a key next to the fields", "a column"
FIELDS = "--field-column field --references-column truth --prediction-column answer"
FORMS: dict[str, tuple[str, str, Any]] = {
    lines(lambda row: with_each(marked, row), FRACTIONS): ("", "{$value, $confidence}", BY_VALUE),
    lines(lambda row: with_each(around, row), FRACTIONS): ("", AT_VALUES, BY_VALUE),
    lines(lambda row: with_each(around, row), PERCENT): ("", f"{AT_VALUES}, in percent", BY_VALUE),
    lines(lambda row: {"prediction": {**plain(*row[1:3]), "confidences": plain(*row[3:])}}, PERCENT): (
        "",
        f"{KEY}, in percent",
        BY_VALUE,
    ),
    lines(in_column, FRACTIONS): ("", COLUMN, BY_VALUE),
    lines(by_path, PERCENT): ("", f"{COLUMN}, in percent", BY_VALUE),
    table(
        "question_id prediction confidence",
        lambda row: [[row.name, json.dumps(plain(*row[1:3])), json.dumps(plain(*row[3:]))]],
        PERCENT,
    ): ("--parse json", f"{COLUMN}, in percent", BY_VALUE),
    table(
        "question_id prediction confidence", lambda row: [[row.name, json.dumps(plain(*row[1:3])), row.sure]], PERCENT
    ): ("--parse json", f"{COLUMN}, in percent", BY_DOCUMENT),
    table(
        "question_id items.0.total.value items.0.total.confidence date.value date.confidence",
        lambda row: [[row.name, row.total, row.sure, row.date, row.sure_of_date]],
        PERCENT,
    ): ("--fields-in-columns", f"{AT_VALUES}, in percent", BY_VALUE),
    table(
        "question_id items.0.total date confidence",
        lambda row: [[row.name, row.total, row.date, row.sure]],
        FRACTIONS,
    ): ("--fields-in-columns", COLUMN, BY_DOCUMENT),
    table("question_id field truth answer confidence", by_field, PERCENT): (FIELDS, f"{COLUMN}, in percent", BY_VALUE),
}


@pytest.mark.parametrize(("text", "found"), FORMS.items(), ids=[" ".join(found[:2]) for found in FORMS.values()])
def test_thirty_documents_have_one_curve_in_each_form(
    text: str, found: tuple[str, str, dict[float, tuple[int, int]]], write: Write
) -> None:
    """Without a warning, and with the form in the output."""
    options, form, counted = found
    sides = [write("p.jsonl" if text.startswith("{") else "p.csv", text)]
    if options != FIELDS:
        sides.insert(0, write("r.jsonl", [ref(*pair) for pair in TRUTHS.items()]))
    done = run("automation", *sides, *options.split(), "--json")
    assert (done.code, done.err) == (0, "")
    printed = json.loads(done.out)
    assert printed["confidences_from"] == form
    curve = {point["threshold"]: point for point in printed["curve"]}
    for threshold, (accepted, right) in counted.items():
        point = curve[threshold]
        assert point["automation_rate"] == pytest.approx(accepted / 60)
        assert point["accepted_accuracy"] == (pytest.approx(right / accepted) if accepted else None)


def test_every_output_names_the_form(write: Write, tmp_path: Path) -> None:
    sides = write("r.jsonl", [ref(*pair) for pair in TRUTHS.items()]), write("p.jsonl", [*FORMS][2])
    line = f"confidences from {AT_VALUES}, in percent"
    assert f"\n{line}\n" in run("score", *sides, "--with-confidences").out
    assert f"\n{line.capitalize()}.\n" in run("automation", *sides).out
    assert run("report", *sides, "--with-confidences", "-o", tmp_path / "report.html").code == 0
    assert line in (tmp_path / "report.html").read_text("utf-8")
    assert line in scored_files(*sides, tmp_path, reading={"with_confidences": "yes"})["counts"]
    result = docscore.evaluate(references=sides[0], predictions=sides[1], with_confidences=True)
    assert line in count_lines(result)
    assert result.to_dict()["confidences_from"] == result.test_set.confidence_form == line.split(" from ")[1]
    assert not any(
        "confidences" in each for each in count_lines(docscore.evaluate(references=TRUTHS, predictions=TRUTHS))
    )


def read(references: list[Any], predictions: list[Any], column: list[Any] | None) -> TestSet:
    ids = [str(number) for number in range(len(references))]
    return as_scored(TestSet(ids, references, predictions, confidences=column), ReadOptions(with_confidences=True))


@golden("confidences", "apart")
def test_confidences_apart(
    references: list[Any], predictions: list[Any], column: Any, values: list[Any], sure: list[Any], form: str
) -> None:
    rows = read(references, predictions, column)
    assert (rows.predictions, rows.confidences, rows.confidence_form) == (values, sure, form)


@golden("confidences", "errors")
def test_confidences_that_nobody_can_read(
    references: list[Any], predictions: list[Any], column: Any, sentence: str
) -> None:
    with pytest.raises(ValueError, match=r"^row '\d+'") as caught:
        read(references, predictions, column)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("options", ["", "--field-column field --references-column truth --prediction-column answer"])
def test_two_columns_of_confidences_are_an_error(options: str, write: Write) -> None:
    """Only if confidences are read."""
    head = "question_id,field,truth,answer" if options else "question_id,references,prediction"
    table = write(
        "p.csv", f"{head},confidence,confidences\n" + ("a,x,1,1,0.9,0.8\n" if options else "a,[1],1,0.9,0.8\n")
    )
    done = run("score", table, *options.split(), "--with-confidences")
    expected = f"docscore: {table}: expected confidences under one name, got 'confidence' and 'confidences'\n"
    assert (done.code, done.err) == (2, expected)
    assert run("score", table, *options.split()).code == 0


def test_an_empty_element_of_a_list_does_not_move_confidences(write: Write) -> None:
    """Tables leave it out of the list, and with it the confidence that it has."""
    cells = "a,items[0].n,x,,0.1\na,items[1].n,y,y,0.9\n"
    table = write("p.csv", f"question_id,field,truth,answer,confidence\n{cells}")
    named = ReadOptions(references_column="truth", prediction_column="answer", field_column="field")
    rows = docscore.read(None, table, replace(named, with_confidences=True))
    assert (rows.predictions, rows.confidences) == ([{"items": [{"n": "y"}]}], [{"items": [{"n": 0.9}]}])

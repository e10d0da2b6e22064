"""`docscore.evaluate`: what a side may be, and what the result holds."""

from __future__ import annotations

import json
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from datasets import Dataset
from markdown_it import MarkdownIt

import docscore
from docscore.core.errors import as_flag, written
from docscore.core.options import ReadOptions
from docscore.core.runtime import no_progress, progress_from
from docscore.evaluation import fields, figures, scoring
from docscore.inputs.columns import table_of_source
from docscore.stats import intervals
from tests.commands import NEW, PREDICTIONS, REFERENCES, pred, ref, succeed
from tests.conftest import golden
from tests.test_work import counted_calls

TRUTHS = {"a": {"n": "tea", "p": "1.00"}, "b": {"n": "rum", "p": "2.00"}, "c": {"n": "ale", "p": "3.00"}}
FOUND = {"a": {"n": "tea", "p": "1.00"}, "b": {"n": "xxx", "p": "2.00"}, "c": {"n": "ale"}}
MEAN = (1 + 0.5 + 0.5) / 3
PREDICTION_ROWS = [pred(name, value) for name, value in FOUND.items()]
REFERENCE_ROWS = [ref(name, value) for name, value in TRUTHS.items()]


@pytest.fixture(scope="module")
def receipts() -> docscore.Evaluation:
    return docscore.evaluate(predictions=PREDICTIONS, references=REFERENCES)


pytestmark = pytest.mark.filterwarnings("ignore:.*its rows are structs")  # in Arrow they are

Holder = Callable[[list[dict[str, Any]]], Any]
FRAMES: dict[str, Holder] = {
    "pandas": pd.DataFrame,
    "polars": lambda table: pytest.importorskip("polars").DataFrame(table),
    "Arrow": pa.Table.from_pylist,
    "datasets": Dataset.from_list,
}
SHORT = pa.struct([("a", pa.list_(pa.float32()))])
HOLDERS = [list, iter, *FRAMES.values(), lambda table: pd.DataFrame(table).set_index(next(iter(table[0])))]


@pytest.mark.parametrize("holder", HOLDERS)
def test_rows_in_memory_and_other_names_of_columns(holder: Holder) -> None:
    """A ground truth that is no list is the one acceptable answer."""
    found = holder([{"doc": name, "out": value} for name, value in FOUND.items()][::-1])
    truths = holder([{"doc": name, "gold": value, "kind": "drink"} for name, value in TRUTHS.items()])
    names = {"id_column": "doc", "prediction_column": "out", "references_column": "gold"}
    result = docscore.evaluate(predictions=found, references=truths, by="kind", **names)  # type: ignore[arg-type]
    assert (result.score, list(result), result["c"].score) == (MEAN, ["a", "b", "c"], 0.5)
    assert [(row["value"], row["documents"]) for row in result.slices] == [("drink", 3)]


@pytest.mark.parametrize("holder", FRAMES.values(), ids=FRAMES)
def test_one_table_with_both_sides_needs_no_ids(holder: Holder) -> None:
    table = holder([{"gold": TRUTHS[name], "out": FOUND[name]} for name in TRUTHS])
    result = docscore.evaluate(predictions=table, prediction_column="out", references_column="gold")
    assert (result.score, list(result)) == (MEAN, ["0", "1", "2"])


def test_dicts_by_id_and_acceptable_answers() -> None:
    result = docscore.evaluate(predictions={1: "b", 2: ["x"]}, references={2: ["x", "y"], 1: ("a", "b")})
    assert {name: result[name].score for name in result} == {"2": 0.5, "1": 1.0}


@pytest.mark.filterwarnings("ignore:.*cells are empty:UserWarning")
@pytest.mark.parametrize("holder", FRAMES)
def test_numbers_of_32_bits_have_their_shortest_spelling(holder: str) -> None:
    """In a column, and in lists within objects."""
    table = pa.table({"out": pa.array([0.1, None], pa.float32()), "gold": pa.array([{"a": [0.1]}] * 2, SHORT)})
    frames = {
        "pandas": pa.Table.to_pandas,
        "polars": lambda table: pytest.importorskip("polars").from_arrow(table),
        "Arrow": lambda table: table,
        "datasets": Dataset,
    }
    for column, other, expected in (("out", "gold", [0.1, None]), ("gold", "out", [{"a": [0.1]}] * 2)):
        result = docscore.evaluate(predictions=frames[holder](table), prediction_column=column, references_column=other)
        assert [result[name].prediction for name in result] == expected


def test_two_columns_of_a_name_in_pandas() -> None:
    frame = pd.DataFrame([["a", 1, 2]], columns=["question_id", "prediction", "prediction"])
    with pytest.raises(ValueError, match=r"^predictions: column 'prediction' occurs twice$"):
        docscore.evaluate(predictions=frame, references={"a": 1})


@pytest.mark.parametrize("holder", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(("cells", "said"), [([12.0, None], True), ([12.5, None], False), ([12.0, 5.0], False)])
def test_whole_floats_beside_empty_cells_are_warned_of(holder: Holder, cells: list[Any], *, said: bool) -> None:
    """Pandas makes floats of a column of integers with gaps, and 12.0 prints otherwise than 12."""
    frame = holder([pred(name, cell) for name, cell in zip("ab", cells, strict=True)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        docscore.evaluate(predictions=frame, references={"a": 12, "b": 5})
    expected = (
        "predictions, column 'prediction': some cells are empty, and all others are floats without a fraction, such as "
        "12.0"
    )
    others = [str(each.message) for each in caught if "1 of 2 cells are empty" not in str(each.message)]
    assert [message.startswith(expected) for message in others] == [True] * said


@golden("evaluate", "dicts")
def test_a_dict_of_fields_is_warned_of(predictions: dict[str, Any], references: dict[str, Any], sentence: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        docscore.evaluate(predictions=predictions, references=references)
    assert [str(each.message).startswith(sentence) for each in caught] == [True] * bool(sentence)


@golden("evaluate", "errors")
def test_errors_are_sentences(arguments: dict[str, Any], raises: type[Exception], sentence: str) -> None:
    sides: dict[str, Any] = {"predictions": PREDICTION_ROWS, "references": REFERENCE_ROWS}
    with pytest.raises(raises, match=re.escape(sentence)):
        docscore.evaluate(**{**sides, **arguments})


def test_read_and_evaluation_are_the_two_steps_of_evaluate(tmp_path: Path) -> None:
    """The test set is scored in two ways; the warnings are given once, when it is read, and are in each result."""
    predictions = tmp_path / "p.json"
    predictions.write_text(json.dumps([{"n": "tea", "p": 1.0}, {"n": "NOT_FOUND", "p": 2.0}]))
    references = tmp_path / "r.json"
    references.write_text(json.dumps([{"n": "Tea", "p": 1}, {"n": None, "p": 2}]))
    reading = ReadOptions(absent_words="NOT_FOUND", by=["x", "y"])
    with pytest.warns(UserWarning, match="paired by position") as caught:
        test_set = docscore.read(references, predictions, reading)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_text = docscore.Evaluation(test_set)
        by_value = docscore.Evaluation(test_set, docscore.CompareOptions(numbers="value"))
    assert (by_text.score, by_value.score) == (0.5, 1.0)
    assert by_value.signature.endswith(by_text.signature[by_text.signature.index("|absent:NOT_FOUND") :])
    assert [figures.value for figures in by_value.slice_figures] == ["x", "y"]
    with pytest.warns(UserWarning, match="paired by position"):
        whole = docscore.evaluate(references=references, predictions=predictions, absent_words="NOT_FOUND")
    assert (whole.score, whole.signature) == (by_text.score, by_text.signature)
    [warning] = by_text.warnings
    assert warning.kind == "rows without ids"
    assert list(warning.remedy) == ["id_column", "prediction_column", "references_column"]
    assert str(warning) == str(caught[0].message) == str(whole.warnings[0])
    assert written(warning, as_flag).endswith("add --id-column, --prediction-column and --references-column")


def test_a_dataset_of_several_splits() -> None:
    splits = {"train": Dataset.from_list(REFERENCE_ROWS)}
    with pytest.raises(TypeError, match="references: expected one split of a dataset, got several"):
        docscore.evaluate(predictions=FOUND, references=splits)


def test_references_without_a_prediction_are_left_out_and_other_errors_are_errors() -> None:
    """What is scored, and its interval, are those of the other documents; text, counts and signature say so."""
    some = dict(list(FOUND.items())[:2])
    result = docscore.evaluate(predictions=some, references=TRUTHS, missing="skip")
    alone = docscore.evaluate(predictions=some, references={name: TRUTHS[name] for name in some})
    assert (result.score, result.interval, list(result)) == (alone.score, alone.interval, list(alone))
    assert result.counts == {"skipped": 1}
    assert "|missing:skip|skipped:1|" in result.signature
    assert "1 row left out: no prediction, or invalid" in str(result)
    assert result.to_dict()["skipped"] == 1
    assert list(map(str, result.warnings)) == [
        "references and predictions: ids of references that no prediction has (1): 'c'"
    ]
    whole = docscore.evaluate(predictions=FOUND, references=TRUTHS, missing="skip")
    assert (whole.counts, whole.warnings) == ({"skipped": 0}, [])
    with pytest.raises(ValueError, match=r"ids of predictions that no reference has \(1\): 'zz'$"):
        docscore.evaluate(predictions={**some, "zz": 1}, references=TRUTHS, missing="skip")


def test_sides_cannot_be_swapped_by_position() -> None:
    expected = r"^expected docscore.evaluate\(predictions=..., references=...\), each side by its name, got "
    with pytest.raises(TypeError, match=expected + "2 by position$"):
        docscore.evaluate(FOUND, TRUTHS)
    with pytest.raises(TypeError, match=expected + "no predictions$"):
        docscore.evaluate(references=TRUTHS)


def test_the_worst_rows_are_a_list_that_a_notebook_shows(receipts: docscore.Evaluation) -> None:
    worst = receipts.worst(3)
    assert isinstance(worst, list)
    assert repr(worst).startswith("<Rows 3 rows, anls_star 0.0000 to ")
    assert all(f"{row.id}" in worst._repr_html_() for row in worst)
    assert repr(receipts.worst(0)) == "<Rows 0 rows>"
    plain = receipts.to_dict()["worst"]
    assert [row.to_dict()["question_id"] for row in worst] == [row["question_id"] for row in plain[:3]]


def test_what_is_printed_is_what_the_command_prints(receipts: docscore.Evaluation) -> None:
    row = receipts["receipt-018"]
    assert str(row) == succeed("explain", REFERENCES, PREDICTIONS, "--id", "receipt-018").strip("\n")
    new = docscore.evaluate(predictions=NEW, references=REFERENCES)
    printed = succeed("compare", PREDICTIONS, NEW, "--references", REFERENCES)
    assert str(receipts.compare(new)) == printed.strip("\n")


def test_the_report_is_that_of_the_command(receipts: docscore.Evaluation, tmp_path: Path) -> None:
    """Each with its own way to reproduce it, in which files have no folders; its heading are their names."""
    ours = receipts.report(tmp_path / "ours.html").read_text("utf-8").split("<footer>")
    theirs = succeed("report", REFERENCES, PREDICTIONS, "-o", "-").split("<footer>")
    assert ours[0] == theirs[0]
    assert "<h1>references.jsonl × predictions.jsonl</h1>" in ours[0]
    sides = "predictions=&#39;predictions.jsonl&#39;, references=&#39;references.jsonl&#39;"
    assert f"<code>docscore.evaluate({sides}).report(&#39;ours.html&#39;)</code>" in ours[1]
    assert "<code>docscore report references.jsonl predictions.jsonl -o -</code>" in theirs[1]


def test_a_comparison(receipts: docscore.Evaluation, tmp_path: Path) -> None:
    found = receipts.compare(docscore.evaluate(predictions=NEW, references=REFERENCES))
    assert [row["question_id"] for row in found.documents][:2] == ["receipt-004", "receipt-040"]
    page = found.report(tmp_path / "changes.html", gate=found.decide(0.05)).read_text("utf-8")
    assert '<p class="anls-gate">Gate passed: the difference of ANLS* is +0.0573, ' in page
    with pytest.raises(TypeError, match="compare: expected a result of docscore"):
        receipts.compare({})  # type: ignore[arg-type]


@golden("evaluate", "reports")
def test_reports_that_cannot_be_written(
    receipts: docscore.Evaluation, tmp_path: Path, name: str, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        receipts.report(tmp_path / name)


def test_documents(receipts: docscore.Evaluation) -> None:
    assert len(receipts) == 40
    assert "receipt-018" in receipts
    assert "receipt-999" not in receipts
    document = receipts["receipt-018"]
    assert document.tree.score == pytest.approx(document.score, abs=1e-12)
    assert document.ground_truth[0]["date"]
    with pytest.raises(KeyError, match="row 'receipt-999': expected one of the 40 ids, such as 'receipt-001'"):
        receipts["receipt-999"]


def test_rows_keep_their_other_columns_under_both_names() -> None:
    rows = [{"doc": "a", "gold": "x", "vendor": "v"}]
    table = table_of_source(rows, "references", ReadOptions(id_column="doc", references_column="gold"))
    assert table.rows == [{"doc": "a", "gold": "x", "vendor": "v", "question_id": "a", "references": ["x"]}]


def test_no_id_is_markup_in_markdown(tmp_path: Path) -> None:
    """The ids of texts that could not be parsed are named in a list."""
    bad = "<b>@octocat</b> [x](http://y.z)"
    found = docscore.evaluate(predictions={bad: "no JSON"}, references={bad: {"a": "b"}}, parse="json")
    for path in (found.report(tmp_path / "a.md", title=bad), found.compare(found).report(tmp_path / "b.md")):
        text = path.read_text("utf-8")
        assert "octocat" in text
        assert not re.search(r"@|http:", text)
        html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
        assert "&lt;b&gt;" in html
        assert not re.search(r"<(b|a|img)\b", html)


PARTS: list[tuple[Any, str]] = [
    (scoring, "score_all"),
    (fields, "FieldTable"),
    (figures, "intervals_of"),
    (intervals, "intervals_of"),
    (type(docscore.METRICS["nted"]), "row_points"),
    (type(docscore.METRICS["anls_star"]), "score_tree"),
]
LOOKS: list[tuple[Callable[[docscore.Evaluation], Any], dict[str, int]]] = [  # and how often each part is computed
    (lambda result: (len(result), list(result), "a" in result, result.signature), {}),
    (lambda result: (result["a"], result.score, result.row_scores, result.worst(2), result.counts), {"score_all": 1}),
    (repr, {"score_all": 1}),
    (lambda result: (result["b"].tree, result["b"].score), {"score_all": 1, "score_tree": 1}),
    (lambda result: result.interval, {"score_all": 1, "row_points": 3, "intervals_of": 1}),
    (lambda result: result.figures, {"score_all": 1, "row_points": 3}),
    (lambda result: result.causes, {"score_all": 1, "FieldTable": 1}),
    (lambda result: (result.fields, result.rates, result.fields), {"score_all": 1, "FieldTable": 1, "intervals_of": 1}),
    (lambda result: result.slices, {"score_all": 1, "row_points": 3, "intervals_of": 3}),
    (lambda result: result.metric_scores["nted"].points, {"row_points": 3}),
]


@pytest.mark.parametrize(("look", "done"), LOOKS)
def test_work_that_is_not_looked_at_is_not_done(
    monkeypatch: pytest.MonkeyPatch, look: Callable[[docscore.Evaluation], Any], done: dict[str, int]
) -> None:
    work = [(name, counted_calls(monkeypatch, owner, name)) for owner, name in PARTS]
    result = docscore.evaluate(
        predictions=FOUND, references=TRUTHS, metrics=("anls_star", "nted"), by=lambda name: name, progress=False
    )
    assert not any(calls for _, calls in work)
    look(result)
    assert {name: len(calls) for name, calls in work if calls} == done


def test_phases_are_reported() -> None:
    phases: dict[str, list[int]] = {}

    def begin(phase: str, total: int) -> Callable[[int], object]:
        phases[phase] = [total, 0]

        def advance(increment: int) -> None:
            phases[phase][1] += increment

        return advance

    answers = [{"n": "tea", "p": "1.00"}] * 5, [{"n": "tea", "p": price} for price in ("1.00", "1.10", "2", "3", "4")]
    result = docscore.evaluate(predictions=answers[0], references=answers[1], parse="json", progress=begin)
    assert phases == {"Pairing": [5, 5], "Parsing": [5, 5], "Checking": [5, 5]}
    assert result.fields
    assert phases.keys() == {"Pairing", "Parsing", "Checking", "Scoring", "Explaining", "Resampling"}
    assert all(total == done for total, done in phases.values())


def test_bars_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress_from(None) is no_progress
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert progress_from(None) is not no_progress
    assert progress_from(progress=False) is no_progress
    assert progress_from(progress=True) is not no_progress

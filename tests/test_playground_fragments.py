"""The pieces of HTML and the rows of tables that the page shows, in this process, without the page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.core.formatting import field_text
from docscore.evaluation.registry import METRICS
from playground.compare import compare
from playground.parts.kept_results import KeptList
from playground.server.pool import bar_of
from playground.server.requests import CompareRequest, FileRequest, ViewRequest
from playground.testset.testset import score_files
from tests import snapshot_inputs
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, written
from tests.report_samples import Markup

RUN = "r" * 22


def scored_files(references: Path, predictions: Path, folder: Path, **options: Any) -> Any:
    asked = FileRequest(references=references, predictions=predictions, **options)
    kept = folder / RUN
    kept.mkdir(exist_ok=True)
    return score_files(asked, folder=kept, progress=lambda *_: None)


FILLED, CONFUSED = "Filled although empty", "Characters that are confused in near misses"


def document(folder: Path, number: int) -> Markup:
    """A document of what was scored, as the page draws it."""
    return Markup(KeptList(folder, RUN).document(number)["html"])


def test_a_file_as_the_page_shows_it(tmp_path: Path) -> None:
    shown = scored_files(REFERENCES, PREDICTIONS, tmp_path, metrics=["anls_star", "kieval"])
    assert shown["paired"] == "40 paired by question_id"
    figures = Markup(shown["figures"])
    captions = [re.split("[:,]", text)[0] for text in figures.texts("caption")]
    assert captions == ["Rates", FILLED, CONFUSED, "Metrics", "Entities by type", "Groups by type"]
    tree = document(tmp_path, 17)
    assert tree.texts("h2") == ["receipt-018"]
    assert tree.texts("h3") == ["10 repeated rows account for 88% of the lost points."]
    assert tree.of("summary")[0].attributes["id"].startswith("document-")


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    references = written(tmp_path, "r.jsonl", [ref(i, {"k": "x"}) for i in "abc"])
    predictions = written(tmp_path, "p.jsonl", [pred("a", {"k": "x"}), pred("b", {"k": "<b>"})])
    predictions.write_text(predictions.read_text() + '{"question_id": "c",\n')
    shown = scored_files(references, predictions, tmp_path, skip=True)
    assert "; 1 of 3 rows are left out." in shown["left_out"][0]
    assert shown["left_out"][1].startswith("First error: p.jsonl, line 3")
    assert shown["counts"] == ["1 row left out: invalid"]
    assert str(tmp_path) not in "".join(shown["left_out"])


def test_slices_and_calibration_of_a_file(tmp_path: Path) -> None:
    truths = [{**ref(f"d{n}", {"a": "x"}), "lang": "de" if n % 3 else "en"} for n in range(12)]
    guesses = [pred(f"d{n}", {"a": {"$value": "x" if n % 4 else "y", "$confidence": n / 12}}) for n in range(12)]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses)
    actual = scored_files(*files, tmp_path, by="lang", reading={"with_confidences": "yes"})
    picture = Markup(actual["figures"])
    captions = picture.texts("caption")
    assert len(picture.of("polyline")) == 2 + 2  # the curve, and the reliability diagram
    assert "Trade-off of automation and accuracy (ANLS*)" in captions
    assert "Slices by lang, most documents first" in captions
    assert any(each.startswith("Calibration of 12 values in 12 documents, ") for each in captions)
    _, document, report, *_ = (Path(each["path"]).read_text("utf-8") for each in actual["downloads"])
    assert [each["value"] for each in json.loads(document)["slices"]] == ["de", "en"]
    assert json.loads(document)["calibration"]["brier"] is not None
    assert all("Slices by lang" in shown and "Reliability diagram" in shown for shown in (actual["figures"], report))
    assert "Slices by" not in scored_files(*files, tmp_path, reading={"with_confidences": "yes"})["figures"]


def test_slices_that_the_page_refuses(tmp_path: Path) -> None:
    truths = [{**ref(f"d{n}", "x"), "number": n} for n in range(51)]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", [pred(f"d{n}", "x") for n in range(51)])
    with pytest.raises(ValueError, match=r"^by: expected a column with at most 50 different values, got 51$"):
        scored_files(*files, tmp_path, by="number")
    with pytest.raises(ValueError, match=r"^by: expected a column 'lang' of the references, got "):
        scored_files(*files, tmp_path, by="lang")


SCHEMA = {"properties": {"totals": {"properties": {"total": {"type": "number"}}}}}
TEXT_ROWS = [ref(f"q{n}", f"answer {n}", f"reply {n}") for n in range(12)]
TEXT_ANSWERS = [[pred(f"q{n}", f"answer {n}"[: 10 - n % step]) for n in range(12)] for step in (5, 3)]
LIST_ROWS = [ref(f"q{n}", ["red", "green", f"blue {n}"]) for n in range(12)]
LIST_ANSWERS = [[pred(f"q{n}", ["green", f"blu {n}"][: 1 + n % step]) for n in range(12)] for step in (2, 3)]
RECEIPT_ROWS = snapshot_inputs.TRUTHS, [snapshot_inputs.ANSWERS, snapshot_inputs.NEW]


@pytest.mark.parametrize(
    ("metric", "options", "test_set"),
    [
        ("anls_star", {}, RECEIPT_ROWS),
        ("anls_star", {"ignore_case": False, "numbers": "value"}, RECEIPT_ROWS),
        ("anls", {"threshold": 0.7}, (TEXT_ROWS, TEXT_ANSWERS)),
        ("anlsl", {}, (LIST_ROWS, LIST_ANSWERS)),
        ("kieval", {"normalise": True}, RECEIPT_ROWS),
        ("entity_f1", {}, RECEIPT_ROWS),
        ("nted", {}, RECEIPT_ROWS),
        ("typed", {"schema": SCHEMA}, RECEIPT_ROWS),
    ],
)
def test_the_first_metric_is_that_of_everything_the_page_shows(
    metric: str, options: dict[str, Any], test_set: tuple[list[Any], list[list[Any]]], tmp_path: Path
) -> None:
    """Headline, order of documents, fields, trees, and the comparison, are those of `docscore.evaluate`."""
    references = written(tmp_path, "r.jsonl", test_set[0])
    base, new = (written(tmp_path, f"{name}.jsonl", side) for name, side in zip("bn", test_set[1], strict=True))
    both = {"references": references, "metrics": metric, **options}
    result, other = (docscore.evaluate(predictions=path, **both) for path in (base, new))
    what_if = {name: json.dumps(value) if name == "schema" else value for name, value in options.items()}
    chosen = "anls_star" if metric == "typed" else metric
    actual = scored_files(references, base, tmp_path, metrics=[chosen], what_if=what_if)
    assert (actual["score"], actual["label"]) == (result.score, METRICS[metric].figures[0].label)
    kept = KeptList(tmp_path, RUN)
    view = kept.view(ViewRequest(run=RUN))
    names = kept.listing()["names"]
    assert [names[number] for number in view["order"]] == [each.id for each in result.worst(len(names))]
    assert [each["name"] for each in view["causes"]] == [row["cause"] for row in result.causes]
    lossy = [field_text(row["field"]) for row in result.fields if row["points_lost"] > 0]
    in_figures = [table for table in Markup(actual["figures"]).texts("caption") if table.startswith("Fields")]
    assert [each["name"] for each in view["fields"]] == ([] if in_figures else lossy)
    assert bool(in_figures) == (metric in ("kieval", "entity_f1"))
    [drawn] = document(tmp_path, view["order"][0]).texts("strong", "anls-score")
    assert float(drawn) == pytest.approx(result.worst(1)[0].tree.score, abs=5e-4)
    if metric == "typed":
        return  # systems are compared without a schema
    folder = tmp_path / ("s" * 22)
    folder.mkdir()
    request = CompareRequest(references=references, predictions=[base, new], metric=metric, what_if=what_if)
    answer = compare.compare_systems(request, folder=folder, progress=lambda *_: None)
    best, second = sorted((result, other), key=lambda each: -each.score)
    expected = best.compare(second).to_dict()
    [compared] = json.loads(Path(answer["downloads"][2]["path"]).read_text())["comparisons"]
    for name in ("base", "new", "difference", "p_value"):
        assert compared[name] == expected[name], name
    assert [each["score"] for each in answer["systems"]] == [best.score, second.score]
    shown = compare.KeptSystems(tmp_path, "s" * 22).side_by_side(names[0])
    assert (shown["html"].count('class="cmp-system"'), shown["number"]) == (2, 0)


def test_a_document_opens_where_an_option_is_that_of_a_further_metric(tmp_path: Path) -> None:
    sides = [ref("a", {"n": 1000.0, "t": "x"})], [pred("a", {"n": 1000, "t": "y"})]
    references, answers = (written(tmp_path, f"{number}.jsonl", side) for number, side in enumerate(sides))
    shown = scored_files(references, answers, tmp_path, metrics=["anls_star", "kieval"], what_if={"normalise": True})
    assert "numbers" in json.dumps(shown["what_ifs"])
    assert document(tmp_path, 0).texts("strong", "anls-score")


def test_a_bar_is_filled_once(tmp_path: Path) -> None:
    """With what is tried beside the scores: numbers by value are for both systems."""
    sides = [ref("a", {"n": 1000.0})], [pred("a", {"n": 1000})], [pred("a", {"n": 1})]
    references, *systems = (written(tmp_path, f"{number}.jsonl", side) for number, side in enumerate(sides))
    told: list[float] = []
    request = CompareRequest(references=references, predictions=list(systems))
    compare.compare_systems(request, folder=tmp_path, progress=lambda share, _: told.append(share))
    assert 0 < told[0] < told[-1] == 1
    assert told == sorted(told)


def test_the_time_that_is_left_is_in_proportion_to_that_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, told = iter([0, 2, 6]), list[tuple[float, str]]()
    monkeypatch.setattr("playground.server.pool.time.monotonic", lambda: next(seconds))
    begin = bar_of(lambda *said: told.append(said), [("Reading", 6), ("Explaining", 3), ("Writing", 2)])
    explained = begin("Explaining", 3)  # nothing was read: the bar begins here
    explained(2)
    explained(1)
    assert told == [(0.4, "Explaining 2 of 3, about 3 s left"), (0.6, "Explaining 3 of 3, about 4 s left")]


def test_an_empty_file_is_read_at_once() -> None:
    told = list[float]()
    bar_of(lambda share, _: told.append(share), [("Reading", 1)])("Reading", 0)(0)
    assert told == [1]

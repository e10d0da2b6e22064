"""The pieces of HTML and the rows of tables that the page shows, in this process, without the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.core.formatting import printable
from docscore.data.files import read_table
from docscore.data.pairing import read_systems
from docscore.metrics.registry import METRICS
from playground import pair, systems_work, testset
from playground.kept_results import KeptList
from playground.requests import PAIR_METRICS, CompareRequest, FileRequest, PairRequest, ViewRequest
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, rows, written
from tests.report_samples import HOSTILE_TEXTS, Markup
from tests.structures import evaluation_of

NEW = PREDICTIONS.with_name("predictions_new.jsonl")
RUN = "r" * 22


def moved(_share: float, _text: str) -> None:
    """A bar of progress that nobody looks at."""


def scored_files(references: Path, predictions: Path, folder: Path, **options: Any) -> dict[str, Any]:
    asked = FileRequest(references=references, predictions=predictions, **options)
    kept = folder / RUN
    kept.mkdir(exist_ok=True)
    return testset.score_files(asked, folder=kept, progress=moved)


def document(folder: Path, number: int) -> Markup:
    """A document of what was scored, as the page draws it."""
    return Markup(KeptList(folder, RUN).document(number)["html"])


def test_a_file_as_the_page_shows_it(tmp_path: Path) -> None:
    found = scored_files(REFERENCES, PREDICTIONS, tmp_path, metrics=["anls_star", "kieval"])
    scores = evaluation_of(read_systems(read_table(REFERENCES), [read_table(PREDICTIONS)])[0])
    assert (found["score"], found["signature"]) == (scores.score, scores.signature)
    assert found["paired"] == "40 paired by question_id"
    figures = Markup(found["figures"])
    assert [text.split(":")[0].split(",")[0] for text in figures.texts("caption")] == [
        "Rates",
        "Metrics",
        "Entities by type",
        "Groups by type",
    ]
    assert len(figures.of("rect")) == 20
    tree = document(tmp_path, 17)
    assert tree.texts("h2") == ["receipt-018"]
    assert tree.texts("h3") == ["88% of the loss is 10 repeated rows."]
    assert tree.of("summary")[0].attributes["id"].startswith("document-")


def wrapped(value: str, confidence: float) -> dict[str, Any]:
    return {"$value": value, "$confidence": confidence}


def test_confidences_draw_a_curve(tmp_path: Path) -> None:
    truths = [ref(f"d{n}", {"a": "x", "b": "y"}) for n in range(4)]
    guesses = [pred(f"d{n}", {"a": wrapped("x", 0.9), "b": wrapped("z", 0.2)}) for n in range(4)]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses)
    picture = Markup(scored_files(*files, tmp_path, confidences=True)["figures"])
    assert len(picture.of("polyline")) == 2 + 2  # the curve, and the reliability diagram
    assert "Trade-off of automation and accuracy (ANLS*)" in picture.texts("caption")


def test_what_was_left_out_is_said(tmp_path: Path) -> None:
    references = written(tmp_path, "r.jsonl", [ref(i, {"k": "x"}) for i in "abc"])
    predictions = written(tmp_path, "p.jsonl", [pred("a", {"k": "x"}), pred("b", {"k": "<b>"})])
    predictions.write_text(predictions.read_text() + '{"question_id": "c",\n')
    found = scored_files(references, predictions, tmp_path, skip=True)
    assert "; 1 of 3 rows are left out." in found["left_out"][0]
    assert found["left_out"][1].startswith("The first: p.jsonl, line 3")
    assert found["counts"] == ["1 row left out because of faults"]
    assert str(tmp_path) not in "".join(found["left_out"])


@pytest.mark.parametrize("metric", PAIR_METRICS)
def test_a_pair_as_the_page_shows_it(metric: str) -> None:
    found = pair.answer(PairRequest(truth='{"a": "x"}', prediction='{"a": "y"}', metric=metric))
    page = Markup(found.result)
    assert page.texts("strong", "anls-score") == ["0.500" if metric == "nted" else "0.000"]
    assert page.of("div")[0].attributes == {"class": "anls-tree"}
    assert json.loads(found.raw)
    assert found.python.startswith("import json\n")


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: repr(text[:20]))
def test_text_of_others_is_text(text: str, tmp_path: Path) -> None:
    """In ids, keys and values."""
    name = text.replace("\ud800", "")  # no id may have it
    files = (
        written(tmp_path, "r.jsonl", [ref(name, {text: text})]),
        written(tmp_path, "p.jsonl", [pred(name, {text: "q"})]),
    )
    scored_files(*files, tmp_path)
    tree = document(tmp_path, 0)
    assert tree.texts("h2") == [printable(name)]
    assert {each.tag for each in tree.elements} <= {
        "h2", "h3", "div", "p", "strong", "ul", "li", "span", "ol", "b", "a", "label", "input", "details", "summary",
        "code", "small", "del", "ins",
    }  # fmt: skip
    truth, guess = json.dumps({text: text}), json.dumps({"k": text})
    for metric in PAIR_METRICS:
        drawn = pair.answer(PairRequest(truth=truth, prediction=guess, metric=metric)).result
        assert not [each.tag for each in Markup(drawn).elements if each.tag in ("img", "script")]
        assert printable(drawn.replace("\n", "")) == drawn.replace("\n", "")


def test_the_examples_are_those_of_the_command() -> None:
    assert [row["question_id"] for row in rows(testset.EXAMPLE_FILES[0])] == [
        row["question_id"] for row in rows(REFERENCES)
    ]


def test_slices_and_calibration_of_a_file(tmp_path: Path) -> None:
    truths = [{**ref(f"d{n}", {"a": "x"}), "lang": "de" if n % 3 else "en"} for n in range(12)]
    guesses = [pred(f"d{n}", {"a": {"$value": "x" if n % 4 else "y", "$confidence": n / 12}}) for n in range(12)]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses)
    found = scored_files(*files, tmp_path, by="lang", confidences=True)
    picture = Markup(found["figures"])
    captions = picture.texts("caption")
    assert "Slices by lang, those of most documents first" in captions
    assert any(each.startswith("Calibration of 12 values in 12 documents, ") for each in captions)
    assert "Reliability diagram" in found["figures"]
    document = json.loads(Path(found["downloads"][1]["path"]).read_text("utf-8"))
    assert [each["value"] for each in document["slices"]] == ["de", "en"]
    assert document["calibration"]["brier"] is not None
    report = Path(found["downloads"][2]["path"]).read_text("utf-8")
    assert "Slices by lang" in report
    assert "Reliability diagram" in report
    assert "Slices by" not in scored_files(*files, tmp_path, confidences=True)["figures"]


def test_slices_that_the_page_refuses(tmp_path: Path) -> None:
    truths = [{**ref(f"d{n}", "x"), "number": n} for n in range(51)]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", [pred(f"d{n}", "x") for n in range(51)])
    with pytest.raises(ValueError, match=r"^slices: expected a column with at most 50 different values, got 51$"):
        scored_files(*files, tmp_path, by="number")
    with pytest.raises(ValueError, match=r"^slices: expected a column 'lang' of the references, got "):
        scored_files(*files, tmp_path, by="lang")


SCHEMA = {"properties": {"totals": {"properties": {"total": {"type": "number"}}}}}
TEXT_ROWS = [ref(f"q{n}", f"answer {n}", f"reply {n}") for n in range(12)]
TEXT_ANSWERS = [[pred(f"q{n}", f"answer {n}"[: 10 - n % step]) for n in range(12)] for step in (5, 3)]
LIST_ROWS = [ref(f"q{n}", ["red", "green", f"blue {n}"]) for n in range(12)]
LIST_ANSWERS = [[pred(f"q{n}", ["green", f"blu {n}"][: 1 + n % step]) for n in range(12)] for step in (2, 3)]
RECEIPT_ROWS = list(rows(REFERENCES)), [list(rows(PREDICTIONS)), list(rows(NEW))]


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
    results = [
        docscore.evaluate(references=references, predictions=path, metrics=metric, **options) for path in (base, new)
    ]
    result = results[0]
    what_if = {name: json.dumps(value) if name == "schema" else value for name, value in options.items()}
    chosen = "anls_star" if metric == "typed" else metric
    found = scored_files(references, base, tmp_path, metrics=[chosen], what_if=what_if)
    assert (found["score"], found["label"]) == (result.score, METRICS[metric].figures[0].label)
    kept = KeptList(tmp_path, RUN)
    view = kept.view(ViewRequest(run=RUN))
    names = kept.listing()["names"]
    assert [names[number] for number in view["order"]] == [each.id for each in result.worst(len(names))]
    assert [each["name"] for each in view["causes"]] == [row["cause"] for row in result.causes]
    lossy = [row["field"] for row in result.fields if row["points_lost"] > 0]
    in_figures = [table for table in Markup(found["figures"]).texts("caption") if table.startswith("Fields")]
    assert [each["name"] for each in view["fields"]] == ([] if in_figures else lossy)
    assert bool(in_figures) == (metric in ("kieval", "entity_f1"))
    worst = result.worst(1)[0]
    assert float(document(tmp_path, view["order"][0]).texts("strong", "anls-score")[0]) == pytest.approx(
        worst.tree.score, abs=5e-4
    )
    if metric == "typed":
        return  # systems are compared without a schema
    folder = tmp_path / ("s" * 22)
    folder.mkdir()
    request = CompareRequest(references=references, predictions=[base, new], metric=metric, what_if=what_if)
    answer = systems_work.compare_systems(request, folder=folder, progress=moved)
    best, other = sorted(results, key=lambda each: -each.score)
    expected = best.compare(other).to_dict()
    [shown] = json.loads(Path(answer.downloads[2]).read_text())["comparisons"]
    for name in ("base", "new", "difference", "p_value"):
        assert shown[name] == expected[name], name
    assert [each["score"] for each in answer.result["systems"]] == [best.score, other.score]
    drawn = systems_work.KeptSystems(tmp_path, "s" * 22).side_by_side(names[0])
    assert drawn.count('class="cmp-system"') == 2

"""The documents that the page keeps of a scored test set: what a browser gets of them, and who can open them."""

from __future__ import annotations

import csv
import html
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from docscore import score_tree
from docscore.data.files import read_table
from docscore.data.pairing import read_systems
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.scores import score_corpus
from docscore.metrics.anls_star.causes import CAUSES
from playground import testset
from playground.kept_results import EMBEDDED, KeptList, embedded_image, image_of_row, name_of_image
from playground.requests import FileChoices, FileRequest
from tests.commands import PREDICTIONS, REFERENCES, TEXTS, pred, ref, written

RUN = "r" * 22
PNG = b"\x89PNG\r\n\x1a\n"
DATA = "data:image/png;base64,iVBORw0KGgo="


def scored(
    folder: Path, references: Path = REFERENCES, predictions: Path = PREDICTIONS, parse: str | None = None
) -> testset.TestSet:
    (folder / RUN).mkdir()
    asked = FileRequest(references, predictions, choices=FileChoices({"parse": parse}))
    return testset.score_files(asked, folder=folder / RUN, progress=lambda _share, _text: None)


def test_what_is_lost_by_field_and_cause_is_all_that_is_lost(tmp_path: Path) -> None:
    """Of each document; and the marked rows of its tree are of these fields and causes."""
    scored(tmp_path)
    kept = KeptList(tmp_path, RUN)
    listing = json.loads(kept.listing())
    scores = score_corpus(read_systems(read_table(REFERENCES), [read_table(PREDICTIONS)])[0])
    assert [name for name, *_ in listing["documents"]] == scores.ids
    assert [cause for cause, _ in listing["causes"]] == list(CAUSES)
    assert listing["left_out"] == 0
    for number, (_, score, losses, image) in enumerate(listing["documents"]):
        assert (score, image) == (scores.scores[number], "")
        assert sum(points for *_, points in losses) == pytest.approx(1 - score, abs=1e-5)
        marks = kept.document(number)["marks"]
        assert {(field, cause) for _, field, cause in marks if field >= 0} >= {(f, c) for f, c, _ in losses}


def test_marks_are_those_of_the_rows_that_are_drawn(tmp_path: Path) -> None:
    """Lines for several exact values, and for several invented rows, stand before the rows that lose points."""
    exact = {f"e{number}": "same" for number in range(5)}
    truth = {**exact, "rows": [{**exact, "nm": "tea"}, {**exact, "nm": "cake"}], "z": "last"}
    guess = {**exact, "rows": [{**exact, "nm": "tee"}, {"x": "y"}, {"x": "y"}, {"x": "y"}, {"nm": "cake"}], "z": "lost"}
    scored(tmp_path, written(tmp_path, "r.jsonl", [ref("a", truth)]), written(tmp_path, "p.jsonl", [pred("a", guess)]))
    kept = KeptList(tmp_path, RUN)
    found, fields = kept.document(0), json.loads(kept.listing())["fields"]
    path_of = {
        int(n): html.unescape(path)
        for n, path in re.findall(r'id="document-(\d+)"[^>]* data-path="([^"]*)"', found["html"])
    }
    marks = {(path_of[row], fields[field], CAUSES[cause]) for row, field, cause in found["marks"] if field >= 0}
    tree = score_tree(truth, guess)
    lost = {leaf.path: leaf for leaf in tree.leaves() if leaf.points_lost}
    assert {path for path, *_ in marks} == set(lost)
    assert all(re.sub(r"\[\d+\]", "[]", path).removeprefix("$.") == field for path, field, _ in marks)
    assert ("$.z", "z", "near miss") in marks


def test_the_rows_can_be_scored_again(tmp_path: Path) -> None:
    """As they were before texts were read as JSON, in the order that was asked for."""
    scored(tmp_path, predictions=TEXTS, parse="repair")
    numbers = [7, 3, 39]
    path = tmp_path / "rows.jsonl"
    path.write_text(KeptList(tmp_path, RUN).rows(numbers))
    again = score_corpus(read_systems(read_table(path), [read_table(path)])[0], parse="repair")
    first = score_corpus(read_systems(read_table(REFERENCES), [read_table(TEXTS)])[0], parse="repair")
    assert again.ids == [first.ids[number] for number in numbers]
    assert again.scores == [first.scores[number] for number in numbers]


def test_rows_keep_their_other_columns_and_answers(tmp_path: Path) -> None:
    truths = [{**ref("a", "x", {"k": "y"}), "language": "de", "image": DATA}]
    scored(tmp_path, written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", [pred("a", "x")]))
    kept = KeptList(tmp_path, RUN)
    assert json.loads(kept.rows([0])) == {**truths[0], "prediction": "x"}
    assert json.loads(kept.listing())["documents"] == [["a", 1.0, [], EMBEDDED]]
    assert kept.document(0)["image"] == DATA


def test_texts_are_found_in_values(tmp_path: Path) -> None:
    """Upper and lower case and white space are the same, keys are not looked at, numbers are texts."""
    truths = [ref("a", {"k": "Straße  7\nBonn"}), ref("b", {"needle": 1}), ref("c", {"k": ["x", {"y": 12.5}]})]
    guesses = [pred("a", {"k": "q"}), pred("b", {"needle": "NEEDLE"}), pred("c", None)]
    scored(tmp_path, written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses))
    kept = KeptList(tmp_path, RUN)
    assert kept.found("STRASSE 7 bonn") == [0]
    assert kept.found("needle") == [1]
    assert kept.found("12.5") == [2]
    assert kept.found("x") == [2]
    assert kept.found("x 12.5") == []
    assert kept.found("k") == []
    assert kept.found("") == [0, 1, 2]


@pytest.mark.parametrize("number", [-1, 40, 0.5, True, None, "1", [1]])
def test_a_number_of_no_document_is_refused(tmp_path: Path, number: object) -> None:
    scored(tmp_path)
    kept = KeptList(tmp_path, RUN)
    for ask in (kept.document, kept.values, lambda found: kept.rows([found])):
        with pytest.raises(ValueError, match="document: expected the number of one"):
            ask(number)
    with pytest.raises(ValueError, match="expected a list"):
        kept.rows(number if number != [1] else {})
    with pytest.raises(ValueError, match="at most 200 characters"):
        kept.found("x" * 201)


@pytest.mark.parametrize("run", [None, "", "none", "s" * 22, f"../{RUN}", f"{RUN}/", "r" * 21 + "é", 3, {"a": 1}])
def test_a_name_of_no_result_opens_nothing(tmp_path: Path, run: object) -> None:
    scored(tmp_path)
    with pytest.raises(FileNotFoundError):
        KeptList(tmp_path, run)


def test_a_result_is_not_opened_after_an_hour(tmp_path: Path) -> None:
    scored(tmp_path)
    view = tmp_path / RUN / "view.json"
    os.utime(view, (view.stat().st_atime, view.stat().st_mtime - 3601))
    with pytest.raises(FileNotFoundError):
        KeptList(tmp_path, RUN)


@pytest.mark.parametrize(
    ("parse", "options", "expected"),
    [(None, {}, True), (None, {"metrics": ["kieval"]}, False), ("json", {}, False)],
    ids=str,
)
def test_only_the_example_is_told_by_its_name(
    tmp_path: Path, parse: str | None, options: dict[str, Any], *, expected: bool
) -> None:
    """The files, whatever they are called, scored without options."""
    names = "a.jsonl", "b.jsonl"
    copies = [written(tmp_path, *each) for each in zip(names, map(Path.read_text, testset.EXAMPLE_FILES), strict=True)]
    asked = FileRequest(copies[0], copies[1], FileChoices({"parse": parse}))
    found = testset.score_files(asked, folder=tmp_path, progress=lambda _share, _text: None, **options)
    assert json.loads(found.documents)["example"] is expected


def test_the_table_of_a_document_that_lost_points(tmp_path: Path) -> None:
    """Two values of four are lost: one that is missing, one that is near; a formula in an id and a key is text."""
    truths = [ref("=1+1", {"a": "tea", "=b": "coffee", "c": "x", "d": "y"}), ref("-2", {"a": "tea"})]
    guesses = [pred("=1+1", {"a": "tea", "=b": "coffea", "d": "y"}), pred("-2", {"a": "tea"})]
    found = scored(tmp_path, written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses))
    with Path(found.downloads[0]).open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    near = 1 / 6 / 4
    assert first["question_id"] == "'=1+1"
    assert float(first["points_lost"]) == pytest.approx(1 / 4 + near)
    assert (first["main_cause"], first["fields"]) == ("missing field", f'c 0.2500; ["=b"] {near:.4f}')
    assert [float(first[f"lost: {cause}"]) for cause in ("missing field", "near miss")] == pytest.approx([1 / 4, near])
    assert second == {
        "question_id": "-2", "anls_score": "1.0", "points_lost": "0", "main_cause": "", "fields": "",
        "lost: missing field": "", "lost: near miss": "",
    }  # fmt: skip
    losses = json.loads(Path(found.downloads[1]).read_text())["documents"][0]["losses"]
    assert [(each["field"], each["cause"]) for each in losses] == [("c", "missing field"), ('["=b"]', "near miss")]


IMAGES: list[tuple[Any, str, str]] = [
    ({}, "", ""),
    ({"image": DATA}, EMBEDDED, DATA),
    ({"image": PNG}, EMBEDDED, DATA),
    ({"image": {"bytes": PNG, "path": "a.png"}}, EMBEDDED, DATA),
    ({"image": {"bytes": None, "path": "a.png"}}, "a.png", ""),
    ({"image": "https://example.com/a.png"}, "https://example.com/a.png", ""),
    ({"image": "data:image/svg+xml;base64,PHN2Zz4="}, "data:image/svg+xml;base64,PHN2Zz4=", ""),
    ({"image": 'data:image/png;base64,"onerror="x'}, 'data:image/png;base64,"onerror="x', ""),
    ({"image": "data:text/html,<script>"}, "data:text/html,<script>", ""),
    ({"image": "a\u202eb"}, "a\\u202eb", ""),
    ({"image": b"%PDF"}, "", ""),
    ({"image": 3}, "", ""),
]


@pytest.mark.parametrize(("row", "name", "image"), IMAGES, ids=lambda value: str(value)[:30])
def test_the_image_of_a_row(row: dict[str, Any], name: str, image: str) -> None:
    """A name is never fetched, and only pictures are shown."""
    found = image_of_row(row)
    assert name_of_image(found) == name
    assert embedded_image(found) == image


def test_many_losses_are_cut_to_the_largest(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("playground.kept_results.MAX_LOSSES", 40)
    scored(tmp_path)
    listing = json.loads(KeptList(tmp_path, RUN).listing())
    losses = Evaluation(read_systems(read_table(REFERENCES), [read_table(PREDICTIONS)])[0]).analysis.losses
    assert listing["left_out"] == sum(max(0, len(each) - 1) for each in losses)
    assert [lost[0][2] for _, _, lost, _ in listing["documents"] if lost] == [
        pytest.approx(max(each.values()), abs=1e-5) for each in losses if each
    ]

"""The documents that the page keeps of a scored test set: what a browser gets of them, and who can open them."""

from __future__ import annotations

import html
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore import score_tree
from docscore.core.formatting import field_text, three_digits, with_minus_signs
from playground.parts.kept_results import EMBEDDED, KeptList, embedded_image, image_of_row, name_of_image
from playground.server.requests import ViewRequest
from playground.testset.testset import EXAMPLE_FILES
from tests.commands import PREDICTIONS, REFERENCES, TEXTS, pred, ref, written
from tests.conftest import golden
from tests.test_playground_fragments import RUN, scored_files

PNG = b"\x89PNG\r\n\x1a\n"
DATA = "data:image/png;base64,iVBORw0KGgo="


def scored(folder: Path, references: Any = REFERENCES, predictions: Any = PREDICTIONS, **asked: Any) -> KeptList:
    """What is kept of two files, or of rows, that were scored."""
    sides = ("r.jsonl", references), ("p.jsonl", predictions)
    truths, guesses = (each if isinstance(each, Path) else written(folder, name, each) for name, each in sides)
    scored_files(truths, guesses, folder, **asked)
    return KeptList(folder, RUN)


@pytest.fixture(scope="module")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> KeptList:
    return scored(tmp_path_factory.mktemp("receipts"))


def view(kept: KeptList, **filters: Any) -> Any:
    return kept.view(ViewRequest(run=RUN, **filters))


def test_what_is_lost_by_field_and_cause_is_all_that_is_lost(receipts: KeptList) -> None:
    """Of each document; and the marked rows of its tree are of these fields and causes."""
    evaluation = docscore.evaluate(references=REFERENCES, predictions=PREDICTIONS)
    table = evaluation.field_table
    listing, whole = receipts.listing(), view(receipts)
    assert listing["names"] == evaluation.ids
    assert listing["scores"] == list(map(three_digits, evaluation.scores))
    assert (listing["images"], listing["note"]) == ([""] * 40, "")
    assert whole["order"] == [row.number for row in evaluation.worst(40)]
    assert (whole["spread"], sum(whole["bins"])) == (["median 0.864", "6 fully correct"], 40)
    assert [each["count"] for each in whole["rates"]] == [f"{r.hits:,} of {r.total:,}" for r in evaluation.rate_list]
    causes = {cause: lost for cause, lost in evaluation.lost.items() if lost}
    assert [each["name"] for each in whole["causes"]] == sorted(causes, key=lambda cause: -causes[cause])
    assert [each["points"] for each in whole["causes"]] == [
        with_minus_signs(f"{-causes[each['name']]:.3f}") for each in whole["causes"]
    ]
    lossy = [field for field in table.by_loss() if field.points_lost]
    assert [each["name"] for each in whole["fields"]] == [field_text(field.path) for field in lossy]
    assert [each["documents"].split(" of ")[1] for each in whole["fields"]] == [f"{f.document_count}" for f in lossy]
    for number, losses in enumerate(table.losses):
        marks = receipts.document(number)["marks"]
        assert {(field, cause) for _, field, cause in marks} >= {(field_text(path), cause) for path, cause in losses}


@golden("document_list", "views")
def test_a_view_of_documents(tmp_path: Path, filters: dict[str, Any], count: str, ids: list[str], lost: str) -> None:
    guesses = {"d10": {}, "d1": {"n": "abcd", "z": "x"}, "d2": {"n": "abcd"}, "a": {"n": "abce", "z": "x"}}
    truths = [ref(name, {"n": "abcd", "z": "x"}) for name in guesses]
    kept = scored(tmp_path, truths, [pred(*each) for each in guesses.items()])
    found = view(kept, **filters)
    assert sum(found["bins"]) == len(found["order"])
    assert found["rates"][0]["count"] == f"{int('d1' in ids)} of {len(ids)}"
    names = kept.listing()["names"]
    assert (found["count"], [names[number] for number in found["order"]]) == (count, ids)
    assert " ".join(filter(None, found["lost"])) == lost
    if not filters:
        assert found["why"] == ["missing field", "missing field", "near miss", "fully correct"]
        assert found["title"] == ["n −0.500, z −0.500", "z −0.500", "n −0.125", ""]
        assert found["causes"][0] | {"title": ""} == {
            "name": "missing field", "label": "Missing field", "title": "", "points": "−0.375", "share": 1.0,
            "documents": "2 docs", "specimen": ['"abcd"', None],
        }  # fmt: skip
        assert found["fields"][1] == {
            "name": "n", "title": "n", "score": "0.688", "points": "−0.156", "share": 0.625, "documents": "in 2 of 4",
        }  # fmt: skip


@pytest.mark.parametrize("filters", [{"cause": "bad luck"}, {"field": "x"}])
def test_a_view_of_what_is_not_there_is_refused(receipts: KeptList, filters: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=rf"^its {next(iter(filters))} is not in this test set$"):
        view(receipts, **filters)


def test_marks_are_those_of_the_rows_that_are_drawn(tmp_path: Path) -> None:
    """Lines for several exact values, and for several invented rows, stand before the rows that lose points."""
    exact = {f"e{number}": "same" for number in range(5)}
    truth = {**exact, "rows": [{**exact, "nm": "tea"}, {**exact, "nm": "cake"}], "z": "last"}
    guess = {**exact, "rows": [{**exact, "nm": "tee"}, {"x": "y"}, {"x": "y"}, {"x": "y"}, {"nm": "cake"}], "z": "lost"}
    kept = scored(tmp_path, [ref("a", truth)], [pred("a", guess)])
    found = kept.document(0)
    path_of = {
        int(n): html.unescape(path)
        for n, path in re.findall(r'id="document-(\d+)"[^>]* data-path="([^"]*)"', found["html"])
    }
    fields = {each["name"] for each in view(kept)["fields"]}
    marks = {(path_of[row], field, cause) for row, field, cause in found["marks"] if field in fields}
    tree = score_tree(truth, guess)
    lost = {leaf.path: leaf for leaf in tree.leaves() if leaf.points_lost}
    assert {path for path, *_ in marks} == set(lost)
    assert all(re.sub(r"\[\d+\]", "[]", path).removeprefix("$.") == field for path, field, _ in marks)
    assert ("$.z", "z", "near miss") in marks


def test_the_rows_can_be_scored_again(tmp_path: Path) -> None:
    """As they were before texts were read as JSON, in the order that was asked for.

    A document as a pair holds what was scored: texts that were read as JSON are the values that they hold, and a text
    in which none was found stays a text.
    """
    kept = scored(tmp_path, predictions=TEXTS, reading={"parse": "repair"})
    first = docscore.evaluate(references=REFERENCES, predictions=TEXTS, parse="repair")
    numbers = [7, 3, 39]
    path = written(tmp_path, "rows.jsonl", kept.rows(numbers))
    again = docscore.evaluate(references=path, predictions=path, parse="repair")
    assert again.ids == [first.ids[number] for number in numbers]
    assert again.scores == [first.scores[number] for number in numbers]
    for number, score in enumerate(first.scores):
        if len(first.test_set.truths[number]) == 1:
            pair = kept.as_pair(number)
            prediction = pair["prediction"] if pair["reading"] == "text" else json.loads(pair["prediction"])
            assert score_tree(json.loads(pair["truth"]), prediction).score == score


def test_a_document_as_a_pair_has_all_its_answers_and_its_text_as_it_is(tmp_path: Path) -> None:
    kept = scored(tmp_path, [ref("a", "x", "y"), ref("b", "é")], [pred("a", '{"x": 1}'), pred("b", 1.0)])
    assert json.loads(kept.as_pair(0)["truth"]) == {"$one_of": ["x", "y"]}
    assert (kept.as_pair(0)["prediction"], kept.as_pair(0)["reading"]) == ('{"x": 1}', "text")
    assert kept.as_pair(1) == {"truth": '"é"', "prediction": "1.0", "reading": "json"}


def test_rows_keep_their_other_columns_and_answers(tmp_path: Path) -> None:
    truths = [{**ref("a", "x", {"k": "y"}), "language": "de", "image": DATA}]
    kept = scored(tmp_path, truths, [pred("a", "x")])
    assert json.loads(kept.rows([0])) == {**truths[0], "prediction": "x"}
    assert kept.listing() == {"names": ["a"], "scores": ["1.000"], "images": [EMBEDDED], "note": ""}
    assert kept.document(0)["image"] == DATA


def test_texts_are_found_in_values(tmp_path: Path) -> None:
    """Upper and lower case and white space are the same, numbers are texts, and keys are looked at."""
    truths = [ref("a", {"k": "Straße  7\nBonn"}), ref("b", {"needle": 1}), ref("c", {"k": ["x", {"y": 12.5}]})]
    kept = scored(tmp_path, truths, [pred("a", {"k": "q"}), pred("b", {"needle": "NEEDLE"}), pred("c", None)])
    finds = {"STRASSE 7 bonn": [0], "needle": [1], "12.5": [2], "x": [2], "x 12.5": [], "k": [0, 2], "": [0, 1, 2]}
    assert {find: view(kept, find=find, sort="file")["order"] for find in finds} == finds


@pytest.mark.parametrize("number", [-1, 40])
def test_a_number_of_no_document_is_refused(receipts: KeptList, number: int) -> None:
    for ask in (receipts.document, receipts.values, receipts.as_pair, lambda found: receipts.rows([found])):
        with pytest.raises(ValueError, match="document: expected the number of a document"):
            ask(number)


@pytest.mark.parametrize("run", [None, "", "none", "s" * 22, f"../{RUN}", f"{RUN}/", "r" * 21 + "é", 3, {"a": 1}])
def test_a_name_of_no_result_opens_nothing(receipts: KeptList, run: object) -> None:
    with pytest.raises(FileNotFoundError):
        KeptList(receipts.folder.parent, run)


def test_a_result_is_not_opened_after_an_hour(tmp_path: Path) -> None:
    view = scored(tmp_path, [ref("a", "x")], [pred("a", "x")]).folder / "view.json"
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
    truths, guesses = (
        written(tmp_path, name, path.read_text()) for name, path in zip(names, EXAMPLE_FILES, strict=True)
    )
    assert scored_files(truths, guesses, tmp_path, reading={"parse": parse}, **options)["example"] is expected


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
    monkeypatch.setattr("playground.parts.kept_results.MAX_LOSSES", 40)
    kept = scored(tmp_path)
    losses = docscore.evaluate(references=REFERENCES, predictions=PREDICTIONS).field_table.losses
    left_out = sum(max(0, len(each) - 1) for each in losses)
    assert kept.listing()["note"].startswith(f"The {left_out:,} smallest losses are not listed")
    listed = json.loads((kept.folder / "list.json").read_text())["losses"]
    assert [lost[0][2] for lost in listed if lost] == [max(each.values()) for each in losses if each]
    assert all(len(lost) <= 1 for lost in listed)


@pytest.mark.parametrize("metric", ["kieval", "anls_star"])
def test_a_tree_of_a_document_is_that_of_the_test_set(tmp_path: Path, metric: str) -> None:
    """Confidences decide among equal values; for a metric without a tree both are the tree of ANLS*."""
    truth, guess = {"items": [{"n": "tea"}]}, {"items": [{"n": "tea"}, {"n": "tea"}]}
    sure = {"items": [{"n": 0.1}, {"n": 0.9}]}
    rows = [{**pred(name, guess), "confidence": sure} for name in "ab"]
    kept = scored(
        tmp_path, [ref(name, truth) for name in "ab"], rows, metrics=[metric], reading={"with_confidences": "yes"}
    )
    files: dict[str, Any] = {"references": tmp_path / "r.jsonl", "predictions": tmp_path / "p.jsonl"}
    evaluation = docscore.evaluate(**files, metrics=metric, with_confidences=True)
    assert evaluation.test_set.confidences == [sure, sure]
    for number in range(2):
        [tree] = kept.trees(number)
        assert tree.to_dict() == evaluation.row(number).tree.to_dict()


def test_the_places_of_rows_and_the_shares_of_documents(tmp_path: Path) -> None:
    """What is right and cited where it is expected is counted by document; a text is looked up for both sides."""
    place, other = {"page": 1, "box": [0.1, 0.1, 0.2, 0.12]}, {"page": 2, "box": [0.1, 0.1, 0.2, 0.12]}
    evidence = {"total": [place], "date": [place], "no": [place]}
    truths = [{**ref("a", {"total": "12.50", "date": "2026-05-01", "no": "A77"}), "evidence": evidence}]
    cited = {"total": [place], "date": [other]}
    guesses = [{**pred("a", {"total": "12.30", "date": "2026-05-01"}), "citations": cited}]
    kept = scored(tmp_path, truths, guesses)
    grounding = kept.result["grounding"]
    assert (grounding["values"], grounding["cited"], [each["level"] for each in grounding["levels"]]) == (
        2,
        2,
        ["page", "box"],
    )
    found = view(kept, share="wrong_value_right_region")
    assert (found["order"], found["why"]) == ([0], ["1 wrong, right region"])
    assert view(kept, share="right_value_right_region")["order"] == []
    rows = {row["path"]: row for row in kept.document(0, "No A77\nTotal 12.50")["places"]}
    assert [(row["right"], row["predicted"], row["overlap"]) for row in rows.values()] == [
        (False, True, 1.0),
        (True, True, 0.0),
        (False, False, None),
    ]
    assert rows["total"]["levels"] == {"page": (1, 1), "box": (1, 1)}
    assert rows["total"]["found"] == [[[(13, 18)]], []]
    assert rows["no"]["found"][0] == [[(3, 6)]]


def test_a_share_of_a_test_set_without_places_is_refused(receipts: KeptList) -> None:
    with pytest.raises(ValueError, match="its share is not in this test set"):
        view(receipts, share="missing")
    assert receipts.document(0)["places"] == []
    assert receipts.result["grounding"] is None

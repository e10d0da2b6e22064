"""The column wizard and the strip of what-ifs in a real browser: foreign files, sentences before scoring, rescoring."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import docscore
from tests import browser
from tests.browser import LOOKS, NARROW, WIDE, XSS, Visit, Visitor, axe
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, rows
from tests.test_playground_file import HOSTILE, clear, fault, payload
from tests.test_playground_workspace import SERVER

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Route

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

TRUTHS = [{"total": "12.50", "items": [{"n": "Tea"}]}, {"total": "3.00", "items": []}, {"total": "7", "items": []}]
GUESSES = [{"total": "12.50", "items": [{"n": "Tee"}]}, {"total": "3", "items": []}, {"total": "7", "items": []}]
RIGHT = docscore.evaluate(predictions=GUESSES, references=TRUTHS).score


def table(name: str, header: list[str], cells: list[list[str]], sign: str = ",") -> FilePayload:
    """A CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=sign).writerows([header, *cells])
    return {"name": name, "mimeType": "text/csv", "buffer": text.getvalue().encode()}


def fenced(value: Any) -> str:
    return f"Here it is:\n```json\n{json.dumps(value, indent=1)}\n```"


GOLD = table("gold.csv", ["Beleg", "GroundTruth"], [[f"b{n}", json.dumps(t)] for n, t in enumerate(TRUTHS)], ";")
ANSWERS = table("run 1.csv", ["doc", "secs", "answer"], [[f"b{n}", "2", fenced(GUESSES[n])] for n in (2, 0, 1)], ";")


def opened(visit: Visit, **options: Any) -> Visitor:
    visitor = visit(**options)
    visitor.open_tab("A file")
    visitor.page.locator(".wz[data-ready]").wait_for(state="attached")
    return visitor


def upload(visitor: Visitor, element: str, file: Any) -> None:
    visitor[element].locator("input[type=file]").set_input_files(file)
    visitor[element].locator(".file-preview").wait_for()


def read(visitor: Visitor, references: Any, predictions: Any) -> None:
    """Choose files, and wait until the wizard has read both."""
    upload(visitor, "file-references", references)
    upload(visitor, "file-predictions", predictions)
    visitor["file-wizard"].locator(".wz-details > summary").get_by_text("paired").wait_for()


def taken(visitor: Visitor, field: str) -> Any:
    """The value of a choice."""
    return json.loads(visitor[f"read-{field}"].input_value())


def choose(visitor: Visitor, field: str, value: Any) -> None:
    visitor[f"read-{field}"].select_option(json.dumps(value))
    visitor.page.locator(".wz:not([aria-busy])").wait_for()


def score(visitor: Visitor) -> float:
    visitor.press_score("file")
    return visitor.total("file-summary")


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_a_foreign_table_gets_the_right_score(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    """Semicolons, other names, another order, and JSON between fences: nothing needs to be chosen."""
    visitor = opened(visit, size=size, dark=dark)
    read(visitor, GOLD, ANSWERS)
    fields = ("references_id", "predictions_id", "references", "prediction", "parse", "parse_references", "missing")
    assert [taken(visitor, name) for name in fields] == [
        "Beleg", "doc", "GroundTruth", "answer", "repair", "json", "error",
    ]  # fmt: skip
    sign = visitor["read-predictions_delimiter"].locator("option:checked")
    assert sign.inner_text() == "semicolon (guess)"
    shown = visitor["file-wizard"].locator(".wz-rows")
    assert shown.locator("tbody tr").count() == 6
    assert "Here it is:↵ ```json" in shown.nth(1).locator("td").nth(1).inner_text()
    assert visitor["file-wizard"].locator(".wz-doubts").count() == 0
    assert axe(visitor.page, "#file-wizard") == []
    assert visitor.sideways() == 0
    assert score(visitor) == pytest.approx(RIGHT, abs=5e-5)
    visitor.page.locator(".wi").wait_for()
    assert axe(visitor.page, "#file-what-ifs") == []
    assert visitor.sideways() == 0


def test_rows_with_the_names_of_docscore_are_scored_in_one_step(visit: Visit) -> None:
    """The wizard is folded, and the score that of the command."""
    visitor = opened(visit)
    visitor.upload(REFERENCES, PREDICTIONS)
    whole = docscore.evaluate(predictions=PREDICTIONS, references=REFERENCES).score
    assert score(visitor) == pytest.approx(whole, abs=5e-5)
    details = visitor["file-wizard"].locator(".wz-details")
    details.get_by_text("paired by question_id").wait_for()
    assert details.get_attribute("open") is None
    assert visitor["file-wizard"].locator(".wz-doubts").count() == 0


def test_one_file_that_holds_both_sides(visit: Visit) -> None:
    """As either upload; columns that say nothing by their names are chosen by hand."""
    cells = [[str(n), json.dumps(TRUTHS[n]), "gpt", json.dumps(GUESSES[n])] for n in range(3)]
    both = table("both.csv", ["nr", "wanted", "by", "came"], cells)
    for element in ("file-predictions", "file-references"):
        visitor = opened(visit)
        upload(visitor, element, both)
        visitor["read-prediction"].wait_for()
        choose(visitor, "references", "wanted")
        choose(visitor, "prediction", "came")
        choose(visitor, "predictions_id", "nr")
        assert score(visitor) == pytest.approx(RIGHT, abs=5e-5)
        assert [row["question_id"] for row in samples(visitor)] == ["0", "1", "2"]


def samples(visitor: Visitor) -> list[dict[str, str]]:
    """The rows of the CSV file to download."""
    with visitor.page.expect_download() as found:
        visitor["file-csv"].click()
    with open(found.value.path(), encoding="utf-8") as file:  # noqa: PTH123  a path as text
        return list(csv.DictReader(file))


DOUBTS: list[tuple[str, Any, Any, dict[str, Any], list[str]]] = [
    (
        "texts that are not read",
        payload("r.jsonl", [ref("a", {"k": "x"})]),
        payload("p.jsonl", [pred("a", '{"k": "x"}')]),
        {"parse": None},
        ["column 'prediction': all are text that holds JSON, which never matches ground truths that are objects"],
    ),
    (
        "a column that holds something else",
        GOLD,
        ANSWERS,
        {"prediction": "secs"},
        ["column 'secs': expected objects or lists as in the ground truths, got text in which no JSON was found: '2'"],
    ),
    (
        "ids of other rows",
        GOLD,
        table("p.csv", ["id", "answer"], [["x1", "{}"], ["x2", "{}"]]),
        {},
        ["gold.csv and p.csv: all ids differ", "'b0', 'b1', 'b2' in the references", "'x1', 'x2' in the predictions"],
    ),
    (
        "no common key",
        payload("r.jsonl", [{"total": 1}, {"total": 2}]),
        payload("p.jsonl", [{"sum": 1}, {"sum": 2}]),
        {},
        ["no key of a prediction is one of a ground truth: expected 'total', got 'sum'"],
    ),
    (
        "one column for both",
        GOLD,
        table("p.csv", ["Beleg", "GroundTruth"], [[f"b{n}", json.dumps(t)] for n, t in enumerate(TRUTHS)]),
        {},
        ["column 'GroundTruth': every ground truth is the same as its prediction"],
    ),
    (
        "a row that cannot be read",
        payload("r.jsonl", [ref("a", 1), ref("b", 2)]),
        payload("p.jsonl", b'{"question_id": "a", "prediction": 1}\n{"question_id": "b",\n'),
        {},
        ["p.jsonl, line 2, column 21: expecting property name", "2 faults: 1 not JSON"],
    ),
]


def test_of_one_file_the_other_is_awaited(visit: Visit) -> None:
    """Unless its columns say that it holds both sides."""
    visitor = opened(visit)
    upload(visitor, "file-references", GOLD)
    doubts = visitor["file-wizard"].locator(".wz-doubts")
    doubts.get_by_text("One file so far. Choose the other one too").wait_for()
    assert doubts.locator("li").count() == 1
    upload(visitor, "file-predictions", ANSWERS)
    doubts.wait_for(state="detached")
    visitor = opened(visit)
    cells = [[str(n), json.dumps(TRUTHS[n]), json.dumps(GUESSES[n])] for n in range(3)]
    upload(visitor, "file-references", table("both.csv", ["id", "truth", "prediction"], cells))
    visitor["read-prediction"].wait_for(state="attached")
    assert doubts.count() == 0


def test_a_guess_of_nonsense_is_said_before_scoring(visit: Visit) -> None:
    for why, references, predictions, choices, parts in DOUBTS:
        visitor = opened(visit)
        visitor.upload(references, predictions)
        visitor["read-prediction"].wait_for(state="attached")
        visitor.page.locator(".wz:not([aria-busy])").wait_for()
        details = visitor["file-wizard"].locator(".wz-details")
        if details.get_attribute("open") is None:
            details.locator("summary").click()
        for field, value in choices.items():
            choose(visitor, field, value)
        visitor["file-wizard"].locator(".wz-doubts").wait_for()
        said = visitor["file-wizard"].locator(".wz-doubts").inner_text()
        assert all(part in said for part in parts), (why, said)
        assert visitor["file-summary"].inner_text().strip() == "", why


def test_references_without_a_prediction(visit: Visit) -> None:
    """An error that names them, nought, or left out and counted."""
    visitor = opened(visit)
    some = table("p.csv", ["doc", "answer"], [["b0", json.dumps(GUESSES[0])], ["b1", json.dumps(GUESSES[1])]])
    read(visitor, GOLD, some)
    said = visitor["file-wizard"].locator(".wz-doubts").inner_text()
    assert "ids of references that no prediction has (1): 'b2'" in said
    visitor.press_score("file")
    visitor["file-summary"].get_by_text("ids of references that no prediction has (1): 'b2'").wait_for()
    found = {}
    for value in ("zero", "skip"):
        choose(visitor, "missing", value)
        assert visitor["file-wizard"].locator(".wz-doubts").count() == 0
        score(visitor)
        visitor["file-scored"].locator(".wi-scored").wait_for(state="attached")
        if value == "zero":  # the first result folds it away
            visitor["file-wizard"].locator("summary").click()
        found[value] = float(visitor["file-scored"].locator(".wi-scored").get_attribute("data-score") or "nan")
    each = docscore.evaluate(predictions=GUESSES[:2], references=TRUTHS[:2]).score
    assert found == {"zero": pytest.approx(each * 2 / 3), "skip": pytest.approx(each)}
    summary = visitor["file-summary"].inner_text()
    assert "1 reference without a prediction; 1 of 3 rows are left out" in summary
    assert "gold.csv and p.csv: ids of references that no prediction has (1): 'b2'" in summary


def test_keyboard_alone(visit: Visit) -> None:
    """Every choice is reached with Tab and changed with arrows; the focus stays where it was when the answer comes."""
    visitor = opened(visit)
    read(visitor, GOLD, ANSWERS)
    visitor["file-wizard"].locator("summary").focus()
    reached = []
    for _ in range(9):
        visitor.page.keyboard.press("Tab")
        reached.append(visitor.page.evaluate("document.activeElement.dataset.choice ?? null"))
    assert [name for name in reached if name] == [
        "references_id", "references", "parse_references", "references_delimiter",
        "predictions_id", "prediction", "parse", "predictions_delimiter",
    ]  # fmt: skip
    visitor["read-prediction"].focus()
    visitor.page.keyboard.press("ArrowUp")
    visitor["file-wizard"].locator(".wz-doubts").get_by_text("column 'secs'").wait_for()
    assert visitor.page.evaluate("document.activeElement.id") == "read-prediction"
    visitor.page.keyboard.press("ArrowDown")
    visitor["file-wizard"].locator(".wz-doubts").wait_for(state="detached")
    visitor["file-score"].focus()
    visitor.page.keyboard.press("Enter")
    assert visitor.total("file-summary") == pytest.approx(RIGHT, abs=5e-5)
    visitor["what-threshold"].focus()
    visitor.page.keyboard.press("Tab")
    visitor.page.keyboard.press("Tab")
    visitor.page.keyboard.press("Space")
    visitor["what-answer"].get_by_text("with numbers by value").wait_for()
    visitor.page.keyboard.press("Escape")
    assert not visitor["what-numbers"].is_checked()
    assert visitor["what-answer"].inner_text() == ""


def test_markup_in_names_and_cells_is_text(visit: Visit) -> None:
    visitor = opened(visit)
    names = [text for text in HOSTILE if text != "{{value}}"]
    header = ["id", *names, "{{value}}"]
    cells = [[str(n), *HOSTILE] for n in range(2)]
    read(visitor, table(f"a{HOSTILE[0]}.csv".replace("/", ""), header, cells), table("p.csv", header, cells))
    wizard = visitor["file-wizard"]
    for name in HOSTILE[:7]:
        visitor["read-prediction"].select_option(json.dumps(name))
        visitor.page.locator(".wz:not([aria-busy])").wait_for()
        assert wizard.locator("img, script, [onerror], [href]").count() == 0
    assert HOSTILE[0] in wizard.inner_text()
    assert not set(wizard.text_content() or "") & {"\u202e"}
    assert visitor.page.evaluate(f"typeof {XSS}") == "undefined"
    assert visitor.sideways() == 0
    visitor["file-predictions"].get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()
    upload(visitor, "file-predictions", payload("p.jsonl", [pred(HOSTILE[0], 1), pred(HOSTILE[0], 2)]))
    wizard.locator(".wz-doubts").wait_for()
    assert wizard.locator("img, script, [onerror]").count() == 0


NUMBERS = [({"n": 1000.0, "c": "abc"}, {"n": 1000, "c": "ABC"}), ({"n": 2.5, "c": "tea"}, {"n": 2.5, "c": "teas"})]


def by_id(visitor: Visitor) -> None:
    references = [ref(str(n), truth) for n, (truth, _) in enumerate(NUMBERS)]
    predictions = [pred(str(n), guess) for n, (_, guess) in enumerate(NUMBERS)]
    visitor.upload(payload("r.jsonl", references), payload("p.jsonl", predictions))


def mean(**options: Any) -> float:
    truths, guesses = zip(*NUMBERS, strict=True)
    return docscore.evaluate(predictions=list(guesses), references=list(truths), **options).score


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_what_ifs_are_scored_at_once_adopted_and_undone(visit: Visit, size: tuple[int, int]) -> None:
    visitor = opened(visit, size=size)
    by_id(visitor)
    first, second, third = mean(), mean(numbers="value"), mean(numbers="value", ignore_case=False)
    assert score(visitor) == pytest.approx(first, abs=5e-5)
    answer = visitor["what-answer"]
    visitor["what-numbers"].check()
    answer.get_by_text(f"{first:.4f} → {second:.4f}, +{second - first:.4f} with numbers by value").wait_for()
    assert visitor["file-summary"].locator(".anls-score").inner_text() == f"{first:.4f}"
    visitor["what-undo"].click()
    assert answer.inner_text() == ""
    visitor["what-numbers"].check()
    answer.get_by_text("with numbers by value").wait_for()
    visitor.page.locator(".dw-causes button").filter(has_text="near miss").click()
    visitor.page.wait_for_url("**cause=near+miss")
    old = visitor.page.url.split("documents=")[1].split("&")[0]
    visitor["what-adopt"].click()
    visitor.has_score(f"{second:.4f}", "file-summary")
    answer.get_by_text("with numbers by value; adopted").wait_for()
    visitor.page.wait_for_function("old => !location.hash.includes(old)", arg=old)
    assert "cause=near+miss" in visitor.page.url  # as in the result before
    visitor["what-ignore_case"].check()
    changed = f"{first:.4f} → {third:.4f}, {'−' if third < first else '+'}{abs(third - first):.4f}"
    answer.get_by_text(f"{changed} with case counted and numbers by value").wait_for()
    visitor["what-undo"].click()
    answer.get_by_text("with numbers by value; adopted").wait_for()
    visitor["what-undo"].click()
    visitor.has_score(f"{first:.4f}", "file-summary")
    assert not visitor["what-numbers"].is_checked()
    visitor["what-threshold"].fill("7")
    answer.get_by_text("expected a number from 0 to 1").wait_for()
    assert visitor.sideways() == 0


def test_a_schema_gives_the_typed_score(visit: Visit) -> None:
    visitor = opened(visit)
    by_id(visitor)
    first = score(visitor)
    schema = {"type": "object", "properties": {"n": {"type": "number"}, "c": {"type": "string"}}}
    visitor["what-schema"].set_input_files(payload("s.json", json.dumps(schema).encode()))
    truths, guesses = zip(*NUMBERS, strict=True)
    found = docscore.evaluate(predictions=list(guesses), references=list(truths), metrics=["typed"], schema=schema)
    typed = found.figures["typed_score"]
    visitor["what-answer"].get_by_text(f"ANLS* {first:.4f} → typed score {typed:.4f}").wait_for()
    visitor["what-adopt"].click()
    visitor["file-picture"].get_by_text("Typed").first.wait_for()
    visitor["what-schema"].set_input_files(payload("s.json", b"{"))
    visitor["what-answer"].get_by_text("Not scored: ").wait_for()
    assert "line 1, column 2" in visitor["what-answer"].inner_text()


def test_an_older_answer_never_replaces_a_newer_one(visit: Visit) -> None:
    """The answer to the first what-if is held back until after that to the second."""
    visitor = opened(visit)
    by_id(visitor)
    score(visitor)
    held: list[Route] = []
    visitor.page.route(SERVER, lambda route: route.fallback() if held else held.append(route))
    with visitor.page.expect_request(SERVER):
        visitor["what-numbers"].check()
    visitor["what-numbers"].uncheck()
    visitor["what-ignore_case"].check()
    visitor["what-answer"].get_by_text("with case counted").wait_for()
    with visitor.page.expect_response(SERVER) as late:
        held[0].continue_()
    assert "found" in late.value.json()
    assert visitor["what-answer"].inner_text().endswith("with case counted")


def test_a_new_file_forgets_what_was_chosen_and_adopted(visit: Visit) -> None:
    visitor = opened(visit)
    by_id(visitor)
    score(visitor)
    visitor["what-numbers"].check()
    visitor["what-answer"].get_by_text("with numbers by value").wait_for()
    visitor["what-adopt"].click()
    visitor["what-answer"].get_by_text("adopted").wait_for()
    visitor["file-example"].click()
    visitor.page.locator(".wi").wait_for(state="hidden")
    visitor["file-summary"].get_by_text("40 rows").wait_for()
    visitor.page.locator(".wi").wait_for()
    assert not visitor["what-numbers"].is_checked()
    truths = {row["question_id"]: row for row in rows(REFERENCES)}
    assert len(samples(visitor)) == len(truths)
    clear(visitor)
    assert fault(visitor, payload("r.jsonl", [ref("a", 1)]), payload("p.jsonl", [pred("b", 1)]))
    visitor.page.locator(".wi").wait_for(state="hidden")

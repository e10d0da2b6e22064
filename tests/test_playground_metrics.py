"""The switch of the metric on the tabs "One pair" and "A file" in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from docscore.metrics.entity_f1 import entity_counts
from docscore.metrics.kieval import kieval_score
from docscore.metrics.nted import nted_score
from tests import browser
from tests.browser import XSS, Visit, Visitor, packed
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, succeed, written
from tests.test_playground_file import HOSTILE, download

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

TRUTH = {"menu": [{"nm": "Tea", "price": "2"}, {"nm": "Cake", "price": "4"}], "total": "6", "date": "1 May"}
GUESS = {"menu": [{"nm": "Cake", "price": "5"}, {"nm": "Tea", "price": "2"}], "total": "6", "tip": "1"}
FIGURES = {
    "KIEval": kieval_score(TRUTH, GUESS).entities.aligned,
    "Entity F1": entity_counts(TRUTH, GUESS).f1,
    "nTED": nted_score(TRUTH, GUESS),
}


def choose(visitor: Visitor, metric: str) -> None:
    visitor.choose("metric", metric)


def test_every_metric_explains_itself_in_the_tree(visit: Visit) -> None:
    """With the signs of ANLS*, a row leads to its lines, and the next loss is one key away."""
    visitor = visit()
    signs = {}
    for metric in FIGURES:
        choose(visitor, metric)
        visitor.score(json.dumps(TRUTH, indent=1), json.dumps(GUESS, indent=1))
        tree = visitor.tree()
        rows = tree.locator(".anls-row[data-path]").evaluate_all(
            "rows => rows.map(row => [row.dataset.path, row.dataset.status])"
        )
        signs[metric] = dict(rows)
        visitor.row("$.date").click()
        assert visitor["pair-truth"].locator(".ws-mark").get_attribute("data-lines") == "13-13"
        visitor.row("$").focus()
        visitor.page.keyboard.press("n")
        assert visitor.page.evaluate("document.activeElement.dataset.status") != "exact"
    assert signs["KIEval"]["$.date"] == signs["Entity F1"]["$.date"] == "missing"
    assert signs["KIEval"]["$.tip"] == signs["Entity F1"]["$.tip"] == "extra"
    assert "wrong" in signs["KIEval"].values()


def test_a_link_carries_the_metric_and_earlier_links_still_open(visit: Visit) -> None:
    visitor = visit()
    choose(visitor, "nTED")
    visitor.paste("pair-truth", '{"a": "tea"}')
    visitor.paste("pair-prediction", '{"a": "tee"}')
    visitor["pair-link"].click()
    visitor.page.wait_for_function("location.hash.startsWith('#pair=')")
    other = visit(visitor.page.evaluate("location.pathname + location.hash"))
    other.page.wait_for_function("document.querySelector('#pair-result .anls-score')?.textContent === '0.7500'")
    earlier = packed(['"abcde"', '"abcdf"', 0.5, True, False])
    other.open_tab("API")
    other.page.evaluate("hash => { location.hash = hash; }", earlier)  # as one that is pasted into the address bar
    other.has_score("0.8000")
    assert other["pair-metric"].input_value() == "ANLS*"


def test_a_file_is_measured_as_the_command_does(visit: Visit) -> None:
    visitor = visit()
    visitor.open_tab("A file")
    for name in ("KIEval", "Entity F1", "nTED"):
        visitor["file-metrics"].get_by_label(name, exact=True).check()
    visitor["file-example"].click()
    visitor["file-picture"].get_by_text("KIEval Aligned").wait_for()
    command = ("score", REFERENCES, PREDICTIONS, "--metrics", "kieval,entity_f1,nted", "--json")
    expected = json.loads(succeed(*command))["metrics"]
    shown = visitor["file-picture"].get_by_role("table", name="Metrics").locator("tbody tr").all_inner_texts()
    values = {row.split("\t")[0].strip(): float(row.split("\t")[1]) for row in shown}
    assert values == {
        "KIEval Entity F1": pytest.approx(expected["kieval_entity_f1"], abs=5e-5),
        "KIEval Entity precision": pytest.approx(expected["kieval_entity_precision"], abs=5e-5),
        "KIEval Entity recall": pytest.approx(expected["kieval_entity_recall"], abs=5e-5),
        "KIEval Group F1": pytest.approx(expected["kieval_group_f1"], abs=5e-5),
        "KIEval Aligned": pytest.approx(expected["kieval_aligned"], abs=5e-5),
        "Entity F1": pytest.approx(expected["entity_f1"], abs=5e-5),
        "nTED": pytest.approx(expected["nted"], abs=5e-5),
    }
    found = json.loads(download(visitor, "file-json"))["metrics"]
    assert found["substitutions"] == expected["substitutions"]


def wrapped(value: str, confidence: float) -> dict[str, Any]:
    return {"$value": value, "$confidence": confidence}


def test_confidences_draw_the_trade_off(visit: Visit, tmp_path: Path) -> None:
    """And what cannot be measured so is one sentence."""
    truths = [ref(f"d{n}", {"a": "x", "b": "y"}) for n in range(4)]
    guesses = [pred(f"d{n}", {"a": wrapped("x", 0.9), "b": wrapped("z", 0.2)}) for n in range(4)]
    files = written(tmp_path, "r.jsonl", truths), written(tmp_path, "p.jsonl", guesses)
    visitor = visit()
    visitor.open_tab("A file")
    visitor["file-confidences"].get_by_role("checkbox").check()
    visitor.upload(*files)
    visitor.press_score("file")
    visitor["file-picture"].locator("polyline").first.wait_for()
    rows = visitor["file-picture"].get_by_role("table", name="Trade-off").locator("tbody tr").all_inner_texts()
    points = {cells[0]: cells[1:] for cells in (re.split(r"\s+", row.strip()) for row in rows)}
    assert points["0.20"] == ["100.0%", "0.5000"]
    assert points["0.30"] == ["50.0%", "1.0000"]
    visitor["file-references"].get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()
    visitor["file-predictions"].get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()
    visitor.upload(files[0], written(tmp_path, "q.jsonl", [pred(f"d{n}", {"a": "x"}) for n in range(4)]))
    visitor.press_score("file")
    visitor["file-summary"].locator(".anls-fault:not([data-old])").wait_for()
    assert "row 'd0': $.a: expected a confidence, got none" in visitor["file-summary"].inner_text()


def test_hostile_keys_and_values_are_text(visit: Visit) -> None:
    visitor = visit()
    for number, text in enumerate(HOSTILE):
        choose(visitor, list(FIGURES)[number % len(FIGURES)])
        visitor.score(json.dumps({text: text, "k": "1"}), json.dumps({text: "x", "z": text}))
        visitor.tree()
        assert visitor["pair-result"].locator("img, script, [onerror]").count() == 0
    assert visitor.page.evaluate(f"typeof {XSS}") == "undefined"

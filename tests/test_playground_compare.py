"""The tab "Compare" in a real browser: two files of predictions, what changed, two trees, one sentence a fault."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore import score_tree
from docscore.core.formatting import with_sign
from tests import browser
from tests.browser import NARROW, WIDE, Visit, Visitor, axe
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, TEXTS, pred, ref, rows, run, succeed, written
from tests.test_playground_file import HOSTILE, cells, numbers, payload, whole

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

NEW = RECEIPTS / "predictions_new.jsonl"
COMMAND_LINE = json.loads(succeed("compare", PREDICTIONS, NEW, "--references", REFERENCES, "--json"))
NAMES = ("references", "base", "new")
OLD = "all => all.forEach(each => each.dataset.old = 1)"
TRUTHS = [ref(i, {"k": i * 4, "l": "same"}) for i in "abc"]
BASE = [pred("a", {"k": "aaaa", "l": "same"}), pred("b", {"k": "zzzz", "l": "same"}), pred("c", {"k": "cccx"})]
BETTER = [pred("a", {"k": "aaax", "l": "same"}), pred("b", {"k": "bbbb", "l": "same"}), pred("c", {"k": "cccx"})]


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    """A visitor on the tab."""
    return on_the_tab(visit())


def on_the_tab(visitor: Visitor) -> Visitor:
    visitor.open_tab("Compare")
    return visitor


def upload(visitor: Visitor, *files: Path | FilePayload) -> None:
    """Give files of references and of both predictions, in place of those given before."""
    for name, file in zip(NAMES, files, strict=True):
        take_back(visitor, name)
        visitor[f"compare-{name}"].locator("input[type=file]").set_input_files(file)
        visitor[f"compare-{name}"].locator(".file-preview").wait_for()


def take_back(visitor: Visitor, name: str) -> None:
    """Clear one of the uploads, if it is there."""
    if visitor[f"compare-{name}"].locator(".file-preview").count():
        button = re.compile("clear|remove", re.IGNORECASE)
        visitor[f"compare-{name}"].get_by_role("button", name=button).first.click()


def press(visitor: Visitor, button: str = "compare-score") -> str:
    """What is said when the button was pressed; what stood there before is not taken for it."""
    summary = visitor["compare-summary"]
    summary.locator(".anls-tree, .anls-fault").evaluate_all(OLD)
    visitor[button].click()
    summary.locator(".anls-tree:not([data-old]), .anls-fault:not([data-old])").first.wait_for()
    return summary.inner_text().strip()


def choose(visitor: Visitor, index: int) -> list[float]:
    """Choose a document by its place among those drawn; the scores of its trees."""
    visitor["compare-trees"].locator(".anls-tree").evaluate_all(OLD)
    visitor["compare-documents"].locator("[role=row][data-index] [role=gridcell]:first-child").nth(index).click()
    trees = visitor["compare-trees"].locator(".anls-tree:not([data-old])")
    trees.nth(1).wait_for()
    return [float(text) for text in trees.locator(".anls-score").all_inner_texts()]


def signed(number: float) -> str:
    return with_sign(number)


def rounded(row: dict[str, Any], names: list[str]) -> list[float | None]:
    return [None if row[name] is None else round(row[name], 4) for name in names]


def test_the_example_compares_as_the_command_does(visitor: Visitor) -> None:
    """The difference is new minus base, with its interval, test and counts."""
    said = press(visitor, "compare-example").split("\n")
    low, high = map(signed, COMMAND_LINE["confidence_interval"])
    assert visitor["compare-summary"].locator(".anls-score").inner_text() == signed(COMMAND_LINE["difference"])
    assert f"from {COMMAND_LINE['base']:.4f} to {COMMAND_LINE['new']:.4f}" in said[0]
    better, worse = len(COMMAND_LINE["better"]), len(COMMAND_LINE["worse"])
    assert list(filter(None, said[1:])) == [
        f"95% interval {low} to {high}",
        f"p = {COMMAND_LINE['p_value']:.3f} (paired permutation test)",
        f"{COMMAND_LINE['rows']} documents: {better} better, {worse} worse, {COMMAND_LINE['same']} the same",
        COMMAND_LINE["signature"],
    ]


def test_fields_and_documents_that_changed_are_those_of_the_command(visitor: Visitor) -> None:
    """All of them, largest change first; a field of one side only has empty cells; what did not change is left out."""
    press(visitor, "compare-example")
    names = ["base", "new", "difference", "low", "high", "p_value", "q_value"]
    changed = [field for field in COMMAND_LINE["fields"] if field["difference"] is None or field["p_value"] is not None]
    assert any(field["new"] is None for field in changed)
    assert [(row[0], numbers(row)) for row in whole(visitor, "compare-fields")] == [
        (field["field"], rounded(field, names)) for field in changed
    ]
    documents = [*COMMAND_LINE["worse"], *COMMAND_LINE["better"]]
    documents.sort(key=lambda each: -abs(each["difference"]))
    assert [(row[0], numbers(row)) for row in whole(visitor, "compare-documents")] == [
        (each["question_id"], rounded(each, names[:3])) for each in documents
    ]
    assert len(documents) + COMMAND_LINE["same"] == COMMAND_LINE["rows"]


def test_a_document_shows_its_trees_in_both_systems(visitor: Visitor) -> None:
    """The base first; after sorting, a click means the row that is seen; a loss leads to its row in its own tree."""
    press(visitor, "compare-example")
    truths = {row["question_id"]: row["references"][0] for row in rows(REFERENCES)}
    sides = [{row["question_id"]: row["prediction"] for row in rows(path)} for path in (PREDICTIONS, NEW)]
    header = visitor["compare-documents"].get_by_role("columnheader").nth(3)
    header.click()
    header.get_by_role("button", name="Open cell menu").click()
    visitor.page.get_by_role("menuitem", name="Sort ascending").click()
    visitor["compare-documents"].locator("[data-index='0']").get_by_text("-0.56").wait_for()
    for index in (0, 1, 5):
        question_id, base, new, _ = cells(visitor, "compare-documents")[index]
        expected = [score_tree(truths[question_id], side[question_id]).score for side in sides]
        assert choose(visitor, index) == [pytest.approx(score, abs=5e-5) for score in expected]
        assert [float(base), float(new)] == [pytest.approx(score, abs=5e-5) for score in expected]
        titles = visitor["compare-trees"].locator("h2, h3").all_inner_texts()
        assert [title for title in titles if title != "Where the points went"] == [question_id, "base", "new"]
    for number, side in enumerate(("base", "new")):
        link = visitor["compare-trees"].locator(".anls-tree").nth(number).locator(".anls-losses a").first
        path = link.inner_text()
        link.click()
        focused = visitor.page.evaluate("[document.activeElement.id, document.activeElement.dataset.path]")
        assert focused[0].startswith(f"{side}-")
        assert focused[1] == path


def test_texts_are_read_as_json_where_asked(visitor: Visitor) -> None:
    """In both files of predictions."""
    command = ("compare", TEXTS, PREDICTIONS, "--references", REFERENCES, "--parse", "repair", "--json")
    expected = json.loads(succeed(*command))
    visitor["compare-parse"].get_by_role("combobox").click()
    visitor.page.get_by_role("option", name="repair").click()
    upload(visitor, REFERENCES, TEXTS, PREDICTIONS)
    said = press(visitor)
    assert said.startswith(signed(expected["difference"]))
    assert expected["signature"] in said


def test_the_same_file_twice_has_no_change(visitor: Visitor) -> None:
    upload(visitor, payload("r.jsonl", TRUTHS), payload("b.jsonl", BASE), payload("n.jsonl", BASE))
    said = press(visitor)
    assert said.startswith("+0.0000")
    assert "no interval: no document changed" in said
    assert "3 documents: 0 better, 0 worse, 3 the same" in said
    for table in ("compare-fields", "compare-documents"):
        assert [row for row in cells(visitor, table) if any(row)] == []


def test_ids_on_one_side_only_are_one_sentence(visitor: Visitor) -> None:
    """Whichever file lacks them, it is named as the visitor knows it."""
    for base, new, parts in (
        (BASE[:2], BETTER, ["r.jsonl and b.jsonl", "no prediction has", "'c'"]),
        (BASE, BETTER[1:], ["r.jsonl and n.jsonl", "no prediction has", "'a'"]),
        (BASE, [*BETTER, pred("z", 1)], ["r.jsonl and n.jsonl", "no reference has", "'z'"]),
        (BASE, [*BETTER, BETTER[0]], ["n.jsonl", "more than once in the predictions", "'a'"]),
    ):
        upload(visitor, payload("r.jsonl", TRUTHS), payload("b.jsonl", base), payload("n.jsonl", new))
        said = press(visitor)
        assert all(part in said for part in parts), said
        assert "\n" not in said
        assert "/" not in said, said


def test_ids_on_one_side_only_are_left_out_and_counted(visitor: Visitor, tmp_path: Path) -> None:
    """What is left is compared as the command compares it."""
    sides = ("r.jsonl", TRUTHS), ("b.jsonl", BASE[:2]), ("n.jsonl", [*BETTER, pred("z", 1)])
    references, base, new = (written(tmp_path, name, table) for name, table in sides)
    visitor["compare-skip"].get_by_role("checkbox").check()
    upload(visitor, references, base, new)
    said = press(visitor)
    done = run("compare", base, new, "--references", references, "--on-error", "skip", "--json")
    expected = json.loads(done.out)
    assert expected["skipped"] == 1
    assert visitor["compare-summary"].locator(".anls-score").inner_text() == signed(expected["difference"])
    assert "1 of 3 rows are left out" in said
    assert "2 documents: 1 better, 1 worse, 0 the same" in said
    assert expected["signature"] in said
    assert {row[0] for row in cells(visitor, "compare-documents")} == {"a", "b"}
    assert "/" not in said, "the folder of the uploads is nobody's business"


def test_without_all_three_files_it_says_what_to_choose(visitor: Visitor) -> None:
    expected = "Choose a file of references and two of predictions."
    assert press(visitor) == expected
    for name in NAMES:
        upload(visitor, payload("r.jsonl", TRUTHS), payload("b.jsonl", BASE), payload("n.jsonl", BETTER))
        assert "3 documents" in press(visitor)
        take_back(visitor, name)
        assert press(visitor) == expected


def test_what_is_new_leaves_no_trees_and_a_fault_no_tables(visitor: Visitor) -> None:
    """Nothing of another comparison stays as if it were of this one."""
    press(visitor, "compare-example")
    choose(visitor, 0)
    good = payload("r.jsonl", TRUTHS), payload("b.jsonl", BASE)
    upload(visitor, *good, payload("n.jsonl", BETTER))
    assert "3 documents" in press(visitor)
    visitor["compare-trees"].locator(".anls-tree").first.wait_for(state="detached")
    choose(visitor, 0)
    upload(visitor, *good, payload("n.jsonl", b"{broken\n"))
    assert "n.jsonl, line 1" in press(visitor)
    visitor["compare-trees"].locator(".anls-tree").first.wait_for(state="detached")
    for table in ("compare-fields", "compare-documents"):
        assert [row for row in cells(visitor, table) if any(row)] == [], table


def test_hostile_ids_keys_and_file_names_are_text(visitor: Visitor) -> None:
    name = f"a<img src=x onerror={browser.XSS}=1>${{{browser.XSS}=1}}{{{{value}}}}.jsonl"
    truths = [ref(text, {text: text, "k": "same"}) for text in HOSTILE]
    base, new = ([pred(text, {text: text + more, "k": text}) for text in HOSTILE] for more in ("#", "#!"))
    upload(visitor, payload(f"r{name}", truths), payload(f"b{name}", base), payload(f"n{name}", new))
    assert "0 better" in press(visitor)
    count = len(cells(visitor, "compare-documents"))
    assert count >= 5
    for index in range(count):
        base_score, new_score = (float(cell) for cell in cells(visitor, "compare-documents")[index][1:3])
        assert choose(visitor, index) == [pytest.approx(score, abs=5e-4) for score in (base_score, new_score)]
        assert not set(visitor["compare-trees"].text_content() or "") & {"\u202e"}
        assert visitor["compare-trees"].locator("img, script, [onerror]").count() == 0
    more = [*new, pred(HOSTILE[0] * 2, 1), pred(HOSTILE[5] * 2, 1)]
    upload(visitor, payload(f"r{name}", truths), payload(f"b{name}", base), payload(f"n{name}", more))
    said = press(visitor)
    assert HOSTILE[0] in said
    assert HOSTILE[5] in said
    assert visitor.page.locator("img[src=x]").count() == 0
    assert visitor.sideways() == 0


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (WIDE, True), (NARROW, False)], ids=str)
def test_axe_finds_nothing_in_what_we_draw(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    visitor = on_the_tab(visit(size=size, dark=dark))
    assert visitor.sideways() == 0
    press(visitor)
    assert axe(visitor.page, "#compare-summary") == []
    press(visitor, "compare-example")
    choose(visitor, 0)
    for drawn in ("#compare-summary", "#compare-trees"):
        assert axe(visitor.page, drawn) == [], drawn
    assert visitor.sideways() == 0

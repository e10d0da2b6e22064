"""The tab "Review": verdicts by keyboard in a real browser, groups, undo, what is kept and exported; and its server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from docscore_review.verdicts import Review

from docscore import evaluate
from playground.server.requests import NOTES
from tests import browser
from tests.browser import HOSTILE, NARROW, Visit, Visitor, axe, payload
from tests.commands import pred, ref, run, written

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

SYSTEMS = {name: NOTES / "systems" / f"{name}.jsonl" for name in ("alder", "birch", "cedar")}
TRUTHS = NOTES / "references.jsonl"
Rows = list[dict[str, Any]]


def made(documents: int, fields: int) -> dict[str, Rows]:
    """A test set in which two systems say the same against each ground truth, and a third is right."""
    names = [f"d{number:04}" for number in range(documents)]
    truths = {name: {f"field {at}": f"{name} - {at}" for at in range(fields)} for name in names}
    wrong = {name: {key: value.replace(" - ", "-") for key, value in truths[name].items()} for name in names}
    references: Rows = [{**ref(name, truths[name]), "text": " ".join(wrong[name].values())} for name in names]
    systems = {"one": wrong, "two": wrong, "three": truths}
    return {"references": references} | {name: [pred(*each) for each in side.items()] for name, side in systems.items()}


class Reviewer(Visitor):
    """A visitor on the tab."""

    def give(self, **files: Rows) -> None:
        """Have files of rows by their names reviewed."""
        self.give_files(*(payload(f"{name}.jsonl", rows) for name, rows in files.items()))

    def give_files(self, *files: Path | FilePayload, verdicts: str = "") -> None:
        """Have files reviewed, of which one may hold verdicts."""
        given: Any = list(files)
        self["review"].locator(".drop-input").set_input_files(given)
        if verdicts:
            self.page.locator(".rv-also", has_text=verdicts).wait_for()
        self["review"].locator(".drop[data-state=chosen]:not([aria-busy])").wait_for()
        self["review"].get_by_role("button", name="Review", exact=True).click()
        self.page.locator('.rv[data-state="shown"]').wait_for()

    def example(self) -> None:
        self["review"].get_by_role("button", name="Try 16 delivery notes, 3 systems").click()
        self.shown()

    def shown(self) -> None:
        self.page.locator('.rv[data-state="shown"] .rv-kind').first.wait_for(state="attached")

    def text(self, part: str) -> str:
        return self.page.locator(f".rv-{part}").first.inner_text().replace("\n", " ")

    def press(self, keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def reach(self) -> tuple[list[str], str]:
        """What a verdict can be for, and what it is for."""
        buttons = self.page.locator(".rv-reach button")
        return buttons.all_inner_texts(), self.page.locator('.rv-reach [aria-pressed="true"]').inner_text()

    def decided(self) -> int:
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        return int(self.text("count").replace(",", ""))

    def scores(self) -> list[str]:
        """The scores after, once they are computed: until then they are marked as old."""
        self.page.locator(".rv-head .rv-moves:not([data-old])").wait_for()
        return self.page.locator(".rv-head .rv-number b").all_inner_texts()

    def export(self, name: str, folder: Path) -> Path:
        """Download a file from the menu."""
        self.page.locator(".rv-export summary").click()
        with self.page.expect_download() as download:
            self.page.locator(f'.rv-export [data-do="{name}"]').click()
        path = folder / download.value.suggested_filename
        download.value.save_as(path)
        return path


def on_the_tab(visit: Visit, address: str = "/#review", **look: Any) -> Reviewer:
    actual = visit(address, **look)
    actual.__class__ = Reviewer
    assert isinstance(actual, Reviewer)
    return actual


def test_a_hundred_verdicts_by_keyboard_are_kept_and_exported(visit: Visit, tmp_path: Path) -> None:
    """What is downloaded is what the command reads, with the scores that the page showed."""
    rows = made(documents=21, fields=5)
    visitor = on_the_tab(visit)
    visitor.give(**rows)
    assert visitor.text("of") == "of 105 decisions"
    for number in range(100):
        visitor.press("1235"[number % 4])
    assert visitor.decided() == 100
    shown = visitor.scores()
    visitor.page.reload()
    visitor.shown()
    assert (visitor.decided(), visitor.scores()) == (100, shown)
    verdicts, corrected = (visitor.export(name, tmp_path) for name in ("verdicts", "references"))
    assert (verdicts.name, corrected.name) == ("verdicts.jsonl", "references_corrected.jsonl")
    counts = Review.read(verdicts).counts
    assert counts == {**dict.fromkeys(("ground_truth", "prediction", "both", "unclear"), 25), "other": 0, "open": 5}
    files = {name: written(tmp_path, f"{name}.jsonl", of_file) for name, of_file in rows.items()}
    systems = [files[name] for name in ("one", "two", "three")]
    done = run("review", "apply", verdicts, files["references"], *systems, "-o", tmp_path / "applied.jsonl")
    assert (done.code, (tmp_path / "applied.jsonl").read_bytes()) == (0, corrected.read_bytes()), done.err
    after = {path.stem: evaluate(predictions=path, references=corrected).score for path in systems}
    assert shown == [f"{after[name]:.3f}" for name in ("three", "one", "two")]


def test_what_is_typed_is_chosen_or_was_decided_is_shown(visit: Visit, tmp_path: Path) -> None:
    visitor = on_the_tab(visit)
    visitor.example()
    assert visitor.reach() == (["Only this", "2 in this document"], "2 in this document")
    visitor.press("g2")
    assert visitor.page.locator(".rv-value kbd").all_inner_texts() == ["a", "b"]
    visitor.press("b")
    assert visitor.page.locator('[role="radio"][aria-checked="true"] .rv-val').inner_text() == "6lO4-K"
    visitor.press("4")
    assert visitor.page.locator(".rv-neither textarea").input_value() == "9021-P"
    visitor.page.keyboard.press("Enter")
    assert visitor.page.locator(".rv-neither textarea").is_visible(), "the ground truth is no other value"
    visitor.page.keyboard.press("ControlOrMeta+a")
    visitor.page.keyboard.type("12345")
    visitor.page.keyboard.press("Enter")
    assert visitor.decided() == 1, "digits are typed; both places of the group are decided"
    visitor.press("kk")
    assert visitor.page.locator('.rv-choice[aria-pressed="true"]').get_attribute("data-choice") == "2"
    lines = Review.read(visitor.export("verdicts", tmp_path)).lines
    decided = [(line.verdict, line.to_dict().get("value")) for line in lines if line.verdict]
    assert sorted(decided) == [("other", "12345"), ("prediction", None)]
    visitor.press("/")
    visitor.page.keyboard.type("winch")
    visitor.page.keyboard.press("Enter")
    assert "winch" in visitor.text("body")
    visitor.press("?")
    assert visitor.page.locator(".keys h3:visible").all_inner_texts() == ["Everywhere", "Document", "Review"]
    assert visitor.page.locator(".keys dd", has_text="losses").count() == 0, "a review has none to mark"


def test_verdicts_of_a_file(visit: Visit) -> None:
    visitor = on_the_tab(visit)
    visitor.give_files(TRUTHS, *SYSTEMS.values(), NOTES / "decided.jsonl", verdicts="decided.jsonl")
    visitor.shown()
    assert (visitor.decided(), visitor.text("toast-text")) == (15, "59 of 59 verdicts carried over.")
    assert visitor.scores() == ["0.974", "0.962", "0.941"], "as in docs/review.md"


def test_blind_hides_whose_value_is_whose(visit: Visit) -> None:
    visitor = on_the_tab(visit, dark=True)
    visitor.give(**made(documents=3, fields=1))
    visitor.choose("blind", "true", tab="review")
    assert visitor.page.locator(".rv-by").all_inner_texts() == ["Value A", "Value B"]
    assert not {"one", "two", "Ground", "Costs"} & set(visitor.text("body").replace(",", "").split())
    values = visitor.page.locator(".rv-val").all_inner_texts()
    letters = {"truth": "ab"[" - " in values[1]], "prediction": "ab"[" - " in values[0]]}
    assert axe(visitor.page, "#review") == []
    visitor.press("1")
    assert (visitor.decided(), visitor.text("toast-text")) == (0, "Choose a value first.")
    visitor.press(f"{letters['prediction']}1")
    assert visitor.decided() == 1
    visitor.choose("blind", "false", tab="review")
    assert visitor.page.locator(".rv-it.done small.cut").inner_text().endswith("prediction is right")


@pytest.mark.parametrize(("size", "dark"), browser.LOOKS)
def test_each_state_is_usable_and_within_the_window(visit: Visit, size: tuple[int, int], dark: bool) -> None:
    visitor = on_the_tab(visit, size=size, dark=dark)
    assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
    visitor.example()
    assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
    if size == NARROW:
        visitor.page.get_by_role("button", name="List").click()
        assert visitor.page.locator(".rv-work").is_visible()
        assert axe(visitor.page, "#review") == []
        visitor.page.locator(".rv-work").get_by_role("button", name="Close").click()
    for _ in range(30):
        if visitor.page.locator(".rv-done").is_visible():
            break
        visitor.press("2")
        if visitor.decided() == 1:
            assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
    assert visitor.text("sum").startswith("17 ground truths corrected")
    assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)


@pytest.mark.parametrize(("size", "dark"), browser.LOOKS)
def test_other_lists_are_offered_where_no_two_agree(visit: Visit, size: tuple[int, int], dark: bool) -> None:
    visitor = on_the_tab(visit, size=size, dark=dark)
    rows = made(documents=2, fields=1)
    visitor.give(references=rows["references"], one=rows["one"], three=rows["three"])
    assert visitor.text("none").startswith("No two systems agree against a ground truth in these 2 documents.")
    assert (axe(visitor.page, "#review"), visitor.sideways()) == ([], 0)
    visitor.page.locator(".rv-none").get_by_role("button", name="Everything that is not exact").click()
    visitor.press("2")
    assert visitor.decided() == 1


def test_it_opens_from_other_tabs_and_shows_what_strangers_wrote(visit: Visit) -> None:
    visitor = on_the_tab(visit, "/#test-set")
    truths = [ref(name, {name: "tea", "rows": [name]}) for name in HOSTILE]
    sides = [pred(name, {name: f"{name} x", "rows": [name, f"<b>{name}"]}) for name in HOSTILE]
    visitor.choose_files(payload("references.jsonl", truths), payload("predictions.jsonl", sides))
    visitor["testset"].get_by_role("button", name="Score", exact=True).click()
    visitor["testset-review"].click()
    visitor.shown()
    for _ in HOSTILE:
        visitor.press("j")
    assert visitor.text("list-name") == "Everything that is not exact"
    visitor.open_tab("Compare")
    visitor["compare"].get_by_role("button", name="Compare three systems on 40 receipts").click()
    visitor["compare"].get_by_role("button", name="Review").click()
    visitor.page.locator(".rv-what", has_text="3 systems · 40 documents").wait_for()


def another_window(visitor: Reviewer) -> Reviewer:
    """A second window of the same browser on the same review."""
    other: Reviewer = object.__new__(Reviewer)
    other.__dict__.update(visitor.__dict__)
    other.page = visitor.new_tab()
    other.page.goto(visitor.page.url)
    other.shown()
    return other


def test_what_another_window_decides_is_shown(visit: Visit) -> None:
    """`kept.test.js` has what two windows decide differently."""
    first = on_the_tab(visit)
    first.give(**made(documents=4, fields=1))
    one, two = another_window(first), another_window(first)
    one.press("2")
    two.page.locator(".rv-count", has_text="1").wait_for()
    two.press("j3")
    one.page.locator(".rv-count", has_text="2").wait_for()


def test_a_reload_keeps_list_place_and_undo_and_back_leaves_a_place(visit: Visit) -> None:
    visitor = on_the_tab(visit)
    visitor.give(**made(documents=3, fields=2))
    visitor.page.locator(".rv-lists summary").click()
    visitor.page.locator(".rv-lists").get_by_role("button", name="Everything that is not exact").click()
    visitor.press("2")
    visitor.page.wait_for_timeout(600)  # what follows a key within half a second is the same step of Back
    visitor.press("j")
    place = visitor.text("path"), visitor.text("who")
    visitor.page.reload()
    visitor.shown()
    assert visitor.text("list-name") == "Everything that is not exact"
    assert (visitor.text("path"), visitor.text("who")) == place
    visitor.press("u")
    assert visitor.decided() == 0
    visitor.page.go_back()
    visitor.page.wait_for_function("place => document.querySelector('.rv-path').innerText === place", arg=place[0])
    assert visitor.page.locator('.rv[data-state="shown"]').is_visible()

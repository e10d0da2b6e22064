"""The tab "A file" in a real browser: uploads, the tables, a row's tree, downloads, and one sentence a fault."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore import score_tree
from tests import browser
from tests.browser import NARROW, WIDE, XSS, Visit, Visitor, axe
from tests.commands import PREDICTIONS, REFERENCES, TEXTS, pred, ref, rows, succeed, written

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

COMMAND_LINE = json.loads(succeed("score", REFERENCES, PREDICTIONS, "--json"))


@pytest.fixture
def visitor(visit: Visit) -> Visitor:
    """A visitor on the tab."""
    found = visit()
    found.open_tab("A file")
    return found


def payload(name: str, content: Any) -> FilePayload:
    """A file of any name, which a file system need not allow."""
    data = content if isinstance(content, bytes) else "".join(json.dumps(row) + "\n" for row in content).encode()
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def cells(visitor: Visitor, table: str) -> list[list[str]]:
    """The rows of a table that are drawn, from top to bottom."""
    found = visitor[table].locator("[role=row][data-index]")
    texts: list[list[str]] = found.evaluate_all(
        "all => all.map(row => [...row.querySelectorAll('[role=gridcell]')].map(e => e.innerText.trim()))"
    )
    return texts


def score_of(visitor: Visitor, question_id: str) -> float:
    return next(float(row[1]) for row in cells(visitor, "file-rows") if row[0] == question_id)


def sort_rows(visitor: Visitor, how: str) -> None:
    """By score; the menu of a column shows when the column is chosen."""
    header = visitor["file-rows"].get_by_role("columnheader").nth(1)
    header.click()
    header.get_by_role("button", name="Open cell menu").click()
    visitor.page.get_by_role("menuitem", name=f"Sort {how}").click()


def download(visitor: Visitor, button: str) -> str:
    with visitor.page.expect_download() as found:
        visitor[button].click()
    return Path(found.value.path()).read_text(encoding="utf-8")


def clear(visitor: Visitor) -> None:
    """Take both uploads back."""
    for element in ("file-references", "file-predictions"):
        visitor[element].get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()


def fault(visitor: Visitor, references: Path | FilePayload, predictions: Path | FilePayload) -> str:
    """The one sentence about two files that cannot be scored."""
    visitor.upload(references, predictions)
    visitor.press_score("file")
    visitor["file-summary"].locator(".anls-fault:not([data-old])").wait_for()
    return visitor["file-summary"].inner_text().strip()


def test_the_example_scores_as_the_command_does(visitor: Visitor) -> None:
    visitor["file-example"].click()
    assert visitor.total("file-summary") == pytest.approx(COMMAND_LINE["anls_score"], abs=5e-5)
    assert "40 rows" in visitor["file-summary"].inner_text()
    shown = cells(visitor, "file-rows")
    worst = {sample["question_id"]: sample["anls_score"] for sample in COMMAND_LINE["per_sample"]}
    assert len(shown) >= 5
    for question_id, score in shown:
        assert float(score) == pytest.approx(worst[question_id], abs=5e-4)
    table = {row["question_id"]: float(row["anls_score"]) for row in csv.DictReader(download_lines(visitor))}
    assert table == worst
    document = json.loads(download(visitor, "file-json"))
    assert document["anls_score"] == COMMAND_LINE["anls_score"]
    assert document["per_sample"] == COMMAND_LINE["per_sample"]
    assert document["signature"] == COMMAND_LINE["signature"]


def download_lines(visitor: Visitor) -> list[str]:
    return download(visitor, "file-csv").splitlines()


def test_fields_say_what_became_of_them(visitor: Visitor, tmp_path: Path) -> None:
    references = [ref(i, {"n": "tea", "p": [{"q": "x"}, {"q": "y"}]}) for i in "abcd"]
    predictions = [
        pred("a", {"n": "tea", "p": [{"q": "x"}, {"q": "y"}]}),
        pred("b", {"n": "teal", "p": [{"q": "x"}], "z": "1"}),
        pred("c", {"n": "xyz", "p": [{"q": "x"}, {"q": "y"}]}),
        pred("d", {"p": [{"q": "x"}, {"q": "y"}]}),
    ]
    visitor.upload(written(tmp_path, "r.jsonl", references), written(tmp_path, "p.jsonl", predictions))
    visitor.press_score("file")
    visitor.total("file-summary")
    fields = {row[0]: [float(cell) for cell in row[1:]] for row in cells(visitor, "file-fields")}
    assert fields["n"] == [pytest.approx(0.4375, abs=1e-3), 1, 1, 1, 1, 0]
    assert fields["p[].q"] == [pytest.approx(7 / 8, abs=1e-3), 7, 0, 0, 1, 0]
    assert fields["z"] == [0, 0, 0, 0, 0, 1]


def test_rows_sort_and_each_opens_its_own_tree(visitor: Visitor) -> None:
    """After sorting, a click means the row that is seen."""
    visitor["file-example"].click()
    visitor.total("file-summary")
    truths = {row["question_id"]: row["references"][0] for row in rows(REFERENCES)}
    guesses = {row["question_id"]: row["prediction"] for row in rows(PREDICTIONS)}
    for how, reverse in (("descending", True), ("ascending", False)):
        sort_rows(visitor, how)
        visitor.page.wait_for_timeout(300)
        scores = [float(row[1]) for row in cells(visitor, "file-rows")]
        assert scores == sorted(scores, reverse=reverse)
        index = 3
        question_id = cells(visitor, "file-rows")[index][0]
        visitor["file-rows"].locator("[role=row][data-index] [role=gridcell]:first-child").nth(index).click()
        visitor["file-tree"].get_by_text(question_id, exact=True).wait_for()
        expected = score_tree(truths[question_id], guesses[question_id]).score
        assert visitor.total("file-tree") == pytest.approx(expected, abs=5e-5)
        assert score_of(visitor, question_id) == pytest.approx(expected, abs=5e-4)


def test_a_new_score_leaves_no_tree_of_the_last(visitor: Visitor, tmp_path: Path) -> None:
    visitor["file-example"].click()
    visitor.total("file-summary")
    visitor["file-rows"].locator("[role=gridcell]").first.click()
    visitor.tree("file-tree")
    clear(visitor)
    bad = fault(visitor, written(tmp_path, "r.jsonl", [ref("a", 1)]), written(tmp_path, "p.jsonl", [pred("b", 1)]))
    assert "'b'" in bad
    visitor["file-tree"].locator(".anls-tree").wait_for(state="detached")
    assert [row for row in cells(visitor, "file-rows") if any(row)] == []


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv", "parquet"])
def test_formats(visitor: Visitor, tmp_path: Path, kind: str) -> None:
    references = [ref("a", "x y"), ref("b", "1,50", "1.50"), ref("ü", "none")]
    predictions = [pred("ü", "zzzz"), pred("b", "1.50"), pred("a", "x y")]
    paths = [tmp_path / f"{name}.{kind}" for name in ("references", "predictions")]
    for path, table in zip(paths, (references, predictions), strict=True):
        if kind == "csv":
            with path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(table[0]))
                writer.writeheader()
                writer.writerows(
                    {key: json.dumps(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
                    for row in table
                )
        elif kind == "parquet":
            pa = pytest.importorskip("pyarrow")
            pytest.importorskip("pyarrow.parquet").write_table(pa.Table.from_pylist(table), path)
        else:
            written(tmp_path, path.name, table)
    visitor.upload(*paths)
    visitor.press_score("file")
    assert visitor.total("file-summary") == pytest.approx(2 / 3, abs=5e-5)
    assert cells(visitor, "file-rows")[0][0] == "ü"


def test_texts_are_read_as_json_where_asked(visitor: Visitor) -> None:
    expected = json.loads(succeed("score", REFERENCES, TEXTS, "--parse", "repair", "--json"))
    visitor["file-parse"].get_by_role("combobox").click()
    visitor.page.get_by_role("option", name="repair").click()
    visitor.upload(REFERENCES, TEXTS)
    visitor.press_score("file")
    assert visitor.total("file-summary") == pytest.approx(expected["anls_score"], abs=5e-5)
    summary = visitor["file-summary"].inner_text()
    assert "19 predictions were repaired" in summary
    assert "2 predictions could not be parsed" in summary


def test_sixty_real_receipts(visitor: Visitor, real_receipts: Path) -> None:
    visitor.upload(real_receipts / "references.jsonl", real_receipts / "predictions.jsonl")
    visitor.press_score("file")
    assert visitor.total("file-summary") == 0.7955
    assert "60 rows" in visitor["file-summary"].inner_text()


R, P = [ref("a", "x")], [pred("a", "x")]
BAD: list[tuple[str, tuple[str, Any], tuple[str, Any], list[str]]] = [
    ("wrong columns", ("r.jsonl", R), ("p.csv", b"name,value\na,1\n"), ["expected"]),
    ("no id column", ("r.csv", b"a,b\n1,2\n"), ("p.csv", b"a,b\n1,2\n"), ["question_id"]),
    ("binary", ("r.jsonl", R), ("p.jsonl", bytes(range(256))), ["p.jsonl, line 2: expected UTF-8"]),
    ("no Parquet", ("r.jsonl", R), ("p.parquet", b"PAR1 is what it begins with"), ["p.parquet: not a Parquet file"]),
    ("cut Parquet", ("r.jsonl", R), ("p.parquet", b""), ["p.parquet"]),
    ("mixed formats", ("r.jsonl", R), ("p.jsonl", [*P, 5]), ["p.jsonl, line 2: expected an object", "got int"]),
    ("another format", ("r.jsonl", R), ("p.jsonl", ["x"]), ["expected predictions and references in one row format"]),
    (
        "no id",
        ("r.jsonl", R),
        ("p.jsonl", [{"prediction": "x"}]),
        ["expected predictions and references in one row format"],
    ),
    ("unknown id", ("r.jsonl", R), ("p.jsonl", [*P, pred("z", 1)]), ["no reference has", "'z'"]),
    ("missing prediction", ("r.jsonl", [*R, ref("b", 1)]), ("p.jsonl", P), ["no prediction has", "'b'"]),
    ("no JSON", ("r.jsonl", b'{"a": 1\n'), ("p.jsonl", P), ["r.jsonl, line 1, column 8"]),
    ("a bomb", ("r.jsonl", b"[" * 100_000), ("p.jsonl", P), ["nested deeper than 200"]),
    ("too deep", ("r.jsonl", [ref("a", json.loads("[" * 201 + "]" * 201))]), ("p.jsonl", P), ["deeper than 200"]),
    ("leaves", ("r.jsonl", [ref("a", ["x"] * 20_001)]), ("p.jsonl", P), ["r.jsonl, line 1: 20,001 values"]),
    ("empty", ("r.jsonl", b"\n"), ("p.jsonl", P), ["expected at least one row, got none"]),
]


def test_each_fault_is_one_sentence(visitor: Visitor) -> None:
    """It names the file as the visitor knows it, and the page goes on."""
    faults = {}
    for why, references, predictions, _ in BAD:
        faults[why] = fault(visitor, payload(*references), payload(*predictions))
        clear(visitor)
    for why, _, _, parts in BAD:
        assert all(part in faults[why] for part in parts), (why, faults[why])
        assert "\n" not in faults[why], why
        assert len(faults[why]) < 1000, why
        assert "/tmp" not in faults[why], why  # noqa: S108  where a server keeps files
        assert "Traceback" not in faults[why], why
    visitor.upload(payload("r.jsonl", R), payload("p.jsonl", P))
    visitor.press_score("file")
    assert visitor.total("file-summary") == 1


def test_texts_that_are_read_as_json_have_the_same_limits(visitor: Visitor) -> None:
    """2,500 against 2,500 elements are more pairs than the page compares."""
    items = [f"v{n}" for n in range(2_500)]
    visitor["file-parse"].get_by_role("combobox").click()
    visitor.page.get_by_role("option", name="json").click()
    message = fault(visitor, payload("r.jsonl", [ref("a", items)]), payload("p.jsonl", [pred("a", json.dumps(items))]))
    assert "pairs to compare" in message


def test_without_files_it_says_what_to_do(visitor: Visitor) -> None:
    visitor.press_score("file")
    visitor["file-summary"].locator(".anls-fault").wait_for()
    assert "file" in visitor["file-summary"].inner_text()


HOSTILE = [
    f'<img src=x onerror="{XSS}=1">',
    f"${{{XSS}=1}}",
    f"`{XSS}=1`",
    "{{value}}",
    "</details></div>",
    f'"><script>{XSS}=1</script>',
    f"[x](javascript:{XSS}=1)",
    "a\u202eb",
    "__proto__",
    "k" * 10_000,
]


def test_hostile_ids_keys_and_file_names_are_text(visitor: Visitor) -> None:
    name = f"a<img src=x onerror={XSS}=1>${{{XSS}=1}}{{{{value}}}}.jsonl"
    references = [ref(text, {text: text}) for text in HOSTILE]
    predictions = [pred(text, {text: f"{text}#"}) for text in HOSTILE]
    visitor.upload(payload(name, references), payload(f"p{name}", predictions))
    visitor.press_score("file")
    assert 0.8 < visitor.total("file-summary") < 1
    count = len(cells(visitor, "file-rows"))
    assert count >= 5
    for index in range(count):
        visitor["file-rows"].locator("[role=row][data-index] [role=gridcell]:first-child").nth(index).click()
        visitor["file-tree"].locator(".anls-tree").wait_for()
        visitor.page.wait_for_timeout(250)
        assert visitor["file-tree"].locator("img, script, [onerror]").count() == 0
        assert not set(visitor["file-tree"].text_content() or "") & {"\u202e"}
    assert visitor.page.locator("img[src=x]").count() == 0
    clear(visitor)
    bad = fault(visitor, payload(name, R), payload(f"p{name}", [*P, pred(HOSTILE[0], 1), pred(HOSTILE[5], 1)]))
    assert HOSTILE[0] in bad
    assert HOSTILE[5] in bad
    assert visitor.page.locator("img[src=x]").count() == 0
    assert visitor.sideways() == 0


@pytest.mark.parametrize(("size", "dark"), [(WIDE, False), (WIDE, True), (NARROW, False)], ids=str)
def test_axe_finds_nothing_in_what_we_draw(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    visitor = visit(size=size, dark=dark)
    visitor.open_tab("A file")
    visitor["file-example"].click()
    visitor.total("file-summary")
    visitor["file-rows"].locator("[role=gridcell]").first.click()
    visitor.tree("file-tree")
    assert axe(visitor.page, "#file-summary") == []
    assert axe(visitor.page, "#file-tree") == []
    assert visitor.sideways() == 0

"""The tab "A file" in a real browser: uploads, tables, pictures, a row's tree, downloads, and one sentence a fault."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from docscore import score_tree
from tests import browser
from tests.browser import LOOKS, NARROW, XSS, Visit, Visitor, axe
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, rows, run, succeed, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FilePayload

playground, chromium, visit = browser.playground, browser.chromium, browser.visit

COMMAND_LINE = json.loads(succeed("score", REFERENCES, PREDICTIONS, "--json", "--fields"))
CELLS = "all => all.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
OUTCOMES = ["exact", "partial", "wrong", "wrong_type", "missing", "extra"]


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


def fields_shown(visitor: Visitor) -> dict[str, list[str]]:
    """The table of fields, from top to bottom: what stands behind each name."""
    visitor["file-fields"].locator("tbody").wait_for()
    rows: list[list[str]] = visitor["file-fields"].locator("tbody tr").evaluate_all(CELLS)
    return {name: others for name, *others in rows}


def listed(visitor: Visitor) -> list[list[str]]:
    """The documents of the list that are drawn, from top to bottom: id and score."""
    visitor.page.locator(".dw[data-ready]").wait_for()
    pairs: list[list[str]] = visitor.page.locator(".dw-row").evaluate_all(
        "all => all.map(row => [row.querySelector('.dw-id').innerText, row.querySelector('.dw-score').innerText])"
    )
    return pairs


def download(visitor: Visitor, button: str) -> str:
    with visitor.page.expect_download() as found:
        visitor[button].click()
    return Path(found.value.path()).read_text(encoding="utf-8")


def clear(visitor: Visitor) -> None:
    """Take both uploads back."""
    for element in ("file-references", "file-predictions"):
        visitor[element].get_by_role("button", name=re.compile("clear|remove", re.IGNORECASE)).first.click()


def fault(visitor: Visitor, references: Path | FilePayload, predictions: Path | FilePayload) -> str:
    """What is said of two files that cannot be scored."""
    visitor.upload(references, predictions)
    visitor.press_score("file")
    visitor["file-summary"].locator(".anls-fault:not([data-old])").wait_for()
    return visitor["file-summary"].inner_text().strip()


@pytest.mark.ci
def test_the_example_scores_as_the_command_does(visitor: Visitor) -> None:
    visitor["file-example"].click()
    assert visitor.total("file-summary") == pytest.approx(COMMAND_LINE["anls_score"], abs=5e-5)
    assert "40 rows" in visitor["file-summary"].inner_text()
    shown = listed(visitor)
    worst = {sample["question_id"]: sample["anls_score"] for sample in COMMAND_LINE["per_sample"]}
    assert len(shown) >= 5
    assert all(float(score) == pytest.approx(worst[question_id], abs=5e-4) for question_id, score in shown)
    lines = download(visitor, "file-csv").splitlines()
    table = {row["question_id"]: float(row["anls_score"]) for row in csv.DictReader(lines)}
    assert table == worst
    document = json.loads(download(visitor, "file-json"))
    assert document["anls_score"] == COMMAND_LINE["anls_score"]
    assert document["per_sample"] == COMMAND_LINE["per_sample"]
    assert document["signature"] == COMMAND_LINE["signature"]


def test_the_picture_of_lost_points_and_rates(visitor: Visitor) -> None:
    """Every cause that cost points, largest first; every document once in the histogram."""
    visitor["file-example"].click()
    visitor.total("file-summary")
    picture = visitor["file-picture"]
    lost = {cause: points for cause, points in COMMAND_LINE["points_lost"].items() if points}
    doors = visitor.page.locator(".dw-causes button")
    doors.first.wait_for()
    shown = zip(*(doors.locator(part).all_inner_texts() for part in (".dw-name", ".dw-points")), strict=True)
    largest_first = sorted(lost.items(), key=lambda item: -item[1])
    assert list(shown) == [(cause, f"−{points:.3f}") for cause, points in largest_first]
    bins = [int(title.split(": ")[1]) for title in picture.locator("rect title").all_text_contents()]
    assert sum(bins) == 40
    rates = picture.get_by_role("region", name="Shares of documents").locator("tbody tr").evaluate_all(CELLS)
    assert [[name, value, count] for name, value, _, count in rates] == [
        [rate["rate"], f"{rate['value']:.1%}", f"{rate['hits']:,} of {rate['total']:,}"]
        for rate in COMMAND_LINE["rates"]
    ]


def test_the_downloaded_report_opens(visitor: Visitor, chromium: Browser, tmp_path: Path) -> None:
    visitor["file-example"].click()
    score = visitor.total("file-summary")
    report = written(tmp_path, "report.html", download(visitor, "file-report"))
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(report.as_uri())
        assert page.title() == f"predictions.jsonl: ANLS* {score:.4f}"
        assert page.get_by_role("heading", level=1).inner_text() == "predictions.jsonl"
        assert page.locator(".anls-document").count() == 10


def test_rows_with_faults_are_left_out_and_counted(visitor: Visitor, tmp_path: Path) -> None:
    references = written(tmp_path, "r.jsonl", [ref(i, {"k": i * 4}) for i in "abc"])
    predictions = written(tmp_path, "p.jsonl", [pred("a", {"k": "aaaa"}), pred("b", {"k": "bbbz"})])
    predictions.write_text(predictions.read_text() + '{"question_id": "c",\n')
    assert "p.jsonl, line 3" in fault(visitor, references, predictions)
    visitor["file-skip"].get_by_role("checkbox").check()
    visitor.press_score("file")
    expected = json.loads(run("score", references, predictions, "--on-error", "skip", "--json").out)
    assert visitor.total("file-summary") == expected["anls_score"] == 0.875
    said = visitor["file-summary"].inner_text()
    assert "1 of 3 rows are left out" in said
    assert "p.jsonl, line 3" in said
    assert "mean of 2 rows" in said
    assert [row[0] for row in listed(visitor)] == ["b", "a"]
    document = json.loads(download(visitor, "file-json"))
    assert (document["skipped"], document["signature"]) == (1, expected["signature"])
    assert "/" not in said, "the folder of the uploads is nobody's business"


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
    fields = fields_shown(visitor)
    assert fields.keys() == {"n", "p[].q", "z"}
    assert [fields["n"][0], *fields["n"][3:]] == ["0.438", "1", "1", "1", "·", "1", "·"]
    assert [fields["p[].q"][0], *fields["p[].q"][3:]] == ["0.875", "7", "·", "·", "·", "1", "·"]
    lost = 1 / 4 / 4  # one of the four values of one of the four documents
    assert fields["z"] == ["0.000", "–", f"{lost:.4f}", "·", "·", "·", "·", "·", "1"]


def test_rows_sort_and_each_opens_its_own_tree(visitor: Visitor) -> None:
    """After sorting, a click means the row that is seen."""
    visitor["file-example"].click()
    visitor.total("file-summary")
    truths = {row["question_id"]: row["references"][0] for row in rows(REFERENCES)}
    guesses = {row["question_id"]: row["prediction"] for row in rows(PREDICTIONS)}
    for how, reverse in (("score", True), ("loss", False)):
        listed(visitor)
        visitor.page.locator(".dw-sort").select_option(how)
        found = listed(visitor)
        scores = [float(score) for _, score in found]
        assert scores == sorted(scores, reverse=reverse)
        question_id, score = found[3]
        visitor.page.locator(".dw-row").nth(3).click()
        visitor["file-documents"].get_by_role("heading", name=question_id, exact=True).wait_for()
        expected = score_tree(truths[question_id], guesses[question_id]).score
        assert visitor.total("file-documents") == pytest.approx(expected, abs=5e-5)
        assert float(score) == pytest.approx(expected, abs=5e-4)


def test_a_new_score_leaves_no_tree_of_the_last(visitor: Visitor, tmp_path: Path) -> None:
    visitor["file-example"].click()
    visitor.total("file-summary")
    visitor.tree("file-documents")
    changed = visitor["file-changed"].get_by_text("press Score")
    assert not changed.is_visible()
    clear(visitor)
    changed.wait_for()
    assert visitor["file-summary"].get_attribute("data-stale") == ""
    bad = fault(visitor, written(tmp_path, "r.jsonl", [ref("a", 1)]), written(tmp_path, "p.jsonl", [pred("b", 1)]))
    assert "'b'" in bad
    changed.wait_for(state="hidden")
    visitor["file-documents"].locator(".dw").wait_for(state="hidden")


def test_sixty_real_receipts(visitor: Visitor, real_receipts: Path) -> None:
    visitor.upload(real_receipts / "references.jsonl", real_receipts / "predictions.jsonl")
    visitor.press_score("file")
    assert visitor.total("file-summary") == 0.7955
    assert "60 rows" in visitor["file-summary"].inner_text()


R, P = [ref("a", "x")], [pred("a", "x")]
NO_IDS = "p.jsonl: expected a column of ids, as r.jsonl has one"
BOMB = gzip.compress(b"\n" * 25_000_001, 1)
BAD: list[tuple[str, tuple[str, Any], tuple[str, Any], list[str]]] = [
    ("no ids", ("r.jsonl", R), ("p.csv", b"name,value\na,1\n"), ["p.csv: expected a column of ids, as r.jsonl"]),
    ("binary", ("r.jsonl", R), ("p.jsonl", bytes(range(256))), ["p.jsonl, line 1", "p.jsonl, line 2: expected UTF-8"]),
    ("no Parquet", ("r.jsonl", R), ("p.parquet", b"PAR1 is what it begins with"), ["p.parquet: not a Parquet file"]),
    ("cut Parquet", ("r.jsonl", R), ("p.parquet", b""), ["p.parquet"]),
    ("mixed formats", ("r.jsonl", R), ("p.jsonl", [*P, 5]), ["p.jsonl, line 2: expected an object", "got int"]),
    ("another format", ("r.jsonl", R), ("p.jsonl", ["x"]), [NO_IDS, "got str"]),
    ("no id", ("r.jsonl", R), ("p.jsonl", [{"prediction": "x"}]), [NO_IDS, "got an object with 'prediction'"]),
    ("unknown id", ("r.jsonl", R), ("p.jsonl", [*P, pred("z", 1)]), ["no reference has", "'z'"]),
    ("missing prediction", ("r.jsonl", [*R, ref("b", 1)]), ("p.jsonl", P), ["no prediction has", "'b'"]),
    ("no JSON", ("r.jsonl", b'{"a": 1\n'), ("p.jsonl", P), ["r.jsonl, line 1, column 8"]),
    ("a bomb", ("r.jsonl", b"[" * 100_000), ("p.jsonl", P), ["nested deeper than 200"]),
    ("too deep", ("r.jsonl", [ref("a", json.loads("[" * 201 + "]" * 201))]), ("p.jsonl", P), ["deeper than 200"]),
    ("leaves", ("r.jsonl", [ref("a", ["x"] * 20_001)]), ("p.jsonl", P), ["r.jsonl, line 1: 20,001 values"]),
    ("empty", ("r.jsonl", b"\n"), ("p.jsonl", P), ["expected at least one row, got none"]),
    ("no gzip", ("r.jsonl.gz", b"{}"), ("p.jsonl", P), ["r.jsonl.gz: expected what gzip writes"]),
    ("a gzip bomb", ("r.jsonl", R), ("p.jsonl.gz", BOMB), ["p.jsonl.gz: more than 25,000,000 bytes when unpacked"]),
]
LAST_LINES = {"binary": "2 faults: 1 not JSON, 1 not UTF-8"}  # where there are several faults


def test_each_fault_is_one_sentence(visitor: Visitor) -> None:
    """Several are a line each, with a line that counts them; the file is named as the visitor knows it."""
    faults = {}
    for why, references, predictions, _ in BAD:
        faults[why] = fault(visitor, payload(*references), payload(*predictions))
        clear(visitor)
    for why, _, _, parts in BAD:
        assert all(part in faults[why] for part in parts), (why, faults[why])
        _, *others = faults[why].split("\n")
        assert others[-1:] == ([LAST_LINES[why]] if why in LAST_LINES else []), why
        assert len(others) <= len(parts), why
        assert len(faults[why]) < 1000, why
        assert "/tmp" not in faults[why], why  # noqa: S108  where a server keeps files
        assert "Traceback" not in faults[why], why
    visitor.upload(payload("r.jsonl", R), payload("p.jsonl", P))
    visitor.press_score("file")
    assert visitor.total("file-summary") == 1


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
    visitor.tree("file-documents")
    for index in range(1, len(listed(visitor))):
        visitor["file-documents"].locator(".anls-tree").evaluate_all("all => all.forEach(each => each.dataset.old = 1)")
        visitor.page.locator(".dw-row").nth(index).click()
        visitor.tree("file-documents")
        assert visitor["file-documents"].locator("img, script, [onerror]").count() == 0
        assert not set(visitor["file-documents"].text_content() or "") & {"\u202e"}
    assert visitor.page.locator("img[src=x]").count() == 0
    clear(visitor)
    bad = fault(visitor, payload(name, R), payload(f"p{name}", [*P, pred(HOSTILE[0], 1), pred(HOSTILE[5], 1)]))
    assert HOSTILE[0] in bad
    assert HOSTILE[5] in bad
    assert visitor.page.locator("img[src=x]").count() == 0
    assert visitor.sideways() == 0


@pytest.mark.parametrize(("size", "dark"), LOOKS, ids=str)
def test_axe_finds_nothing_in_what_we_draw(visit: Visit, size: tuple[int, int], *, dark: bool) -> None:
    visitor = visit(size=size, dark=dark)
    visitor.open_tab("A file")
    visitor["file-example"].click()
    visitor.total("file-summary")
    listed(visitor)
    if size == NARROW:
        visitor.page.locator(".dw-row").first.click()
    visitor.tree("file-documents")
    for drawn in ("#file-summary", "#file-picture", "#file-fields", "#file-documents"):
        assert axe(visitor.page, drawn) == [], drawn
    assert visitor.sideways() == 0

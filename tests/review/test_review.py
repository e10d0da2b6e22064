"""Reviews of ground truths: which places are listed in which order, what verdicts change, and what a sample says."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import docscore_review
import pytest
from docscore_review import Review
from docscore_review.correction import text_with_rows
from docscore_review.worklist import Item, hash_of, identities_of

import docscore
from dev.benchmarks import review as measured
from docscore.core.options import ReadOptions
from docscore.core.values import convert_ground_truth
from docscore.grounding.document_text import DocumentText
from docscore.inputs.pairing import read_ground_truths
from docscore.inputs.rows import NoCell
from tests.commands import Write, pred, ref, run
from tests.conftest import ROOT, data_rows, golden
from tests.test_json_output import validated

EXAMPLE = ROOT / "examples/review"


def reviewed(references: list[Any], systems: dict[str, Any], **options: Any) -> Review:
    rows = [{"question_id": "d", "references": references}]
    sides = {name: [{"question_id": "d", "prediction": prediction}] for name, prediction in systems.items()}
    return docscore_review.review(rows, sides, **options)


@golden("review", "items")
def test_the_places_of_a_document(
    references: list[Any], systems: dict[str, Any], options: dict[str, Any], items: list[dict[str, Any]]
) -> None:
    """All of them, in their order; of each what is said. What a system loses adds up to 1 - score."""
    lines = [item.to_dict() for item in reviewed(references, systems, **options).lines]
    assert [{name: line[name] for name in item} for line, item in zip(lines, items, strict=True)] == items
    scoring = {name: options[name] for name in options if name in ("numbers", "schema", "with_confidences", "rules")}
    for name, prediction in systems.items():
        result = docscore.evaluate(
            predictions=[{"question_id": "d", "prediction": prediction}],
            references=[{"question_id": "d", "references": references}],
            **scoring,
        )
        lost = sum(line["points"].get(name, 0.0) for line in lines)
        assert lost == pytest.approx(0 if name in options.get("hold_out", ()) else 1 - result.score)


@golden("review", "marks")
def test_the_places_of_a_value_in_a_text(text: str, value: Any, places: list[list[str]]) -> None:
    document, plain = DocumentText(text), convert_ground_truth(value)
    assert [[text[start:end] for start, end in place] for place in document.places(plain)] == places


def verdicts_of(truth: list[Any], verdicts: list[dict[str, Any]]) -> Review:
    judged = hash_of(convert_ground_truth(tuple(truth)))
    lines = [item(judged=judged).to_dict() | {"question_id": "d", **verdict} for verdict in verdicts]
    return Review([Item.from_dict(line) for line in lines])


def item(**keys: Any) -> Item:
    """An item with these keys."""
    texts = dict.fromkeys(("question_id", "path", "judged", "kind", "group"), "")
    return Item(**{**texts, "systems": ["s"], "agree": 1, "of": 1, "others": [], "points": {}, "verdict": None, **keys})


@golden("review", "applied")
def test_a_verdict(truth: list[Any], verdicts: list[dict[str, Any]], expected: list[Any]) -> None:
    rows = [{"question_id": "d", "page": 3, "references": truth}]
    [corrected] = verdicts_of(truth, verdicts).apply(rows)
    assert json.dumps(corrected) == json.dumps({"question_id": "d", "page": 3, "references": expected})


@golden("review", "identity")
def test_what_identifies_an_item(items: list[dict[str, Any]], identities: list[list[Any]], tmp_path: Path) -> None:
    """`playground/review/kept.test.js` reads the table too. An error names a line and its copy."""
    lines = [item(**{"question_id": "d", **keys}) for keys in items]
    found = identities_of(lines)
    assert json.loads(json.dumps(found)) == identities
    assert Review.read(Review(lines).write(tmp_path / "r.jsonl")).lines == lines
    copied = Review([*lines, replace(lines[0], verdict="unclear")]).write(tmp_path / "r.jsonl")
    with pytest.raises(
        ValueError, match=rf"line 1 and line {len(lines) + 1}: the same place of the same document; keep"
    ):
        Review.read(copied)


def sampled_list(rng: random.Random) -> list[Any]:
    """Draw rows; many are equal or alike."""
    return [{"a": rng.choice("xyz"), "b": rng.choice("12")} for _ in range(rng.randrange(5))]


@pytest.mark.parametrize("seed", range(40))
def test_every_list_is_accepted(seed: int, tmp_path: Path) -> None:
    """With runs, acceptable answers and samples too: it changes nothing, and carries all its verdicts over."""
    rng = random.Random(seed)
    names, answers = ("d", "e"), range(1 + seed % 2)
    references = [ref(name, *({"l": sampled_list(rng), "t": rng.choice("pq")} for _ in answers)) for name in names]

    def answered() -> list[Any]:
        return [pred(name, {"l": sampled_list(rng), "t": rng.choice("pq")}) for name in names]

    runs = seed % 4 > 1
    systems = {name: [answered() for _ in range(3)] if runs else answered() for name in "abc"}
    kinds: list[dict[str, Any]] = [{}, {"sample": 40, "agreements": 40}]
    for settings in kinds:
        options = {**settings, **({"runs": True} if runs else {})}
        listed = docscore_review.review(references, systems, **options)
        review = Review.read(listed.write(tmp_path / "r.jsonl"))
        review.check(references)
        assert (review.lines, review.apply(references)) == (listed.lines, references)
        for line in review.lines:
            line.verdict = rng.choice(["ground_truth", "unclear"])
        sorted_lines = Review(sorted(review.lines, key=lambda line: line.verdict or ""))
        assert sorted_lines.agreement(review)[:3] == (len(review.lines), 0, len(review.lines))
        again = docscore_review.review(references, systems, verdicts=[sorted_lines], **options)
        assert [line.verdict for line in again.lines] == [line.verdict for line in review.lines]


@pytest.mark.parametrize("order", [("x", "y"), ("y", "x")])
def test_of_equal_predictions_the_one_written_like_the_ground_truth_is_proposed(order: tuple[str, str]) -> None:
    given = {"x": {"a": {"day": "16.04.2024"}}, "y": {"a": {"day": "2024-04-16"}}}
    schema = {"properties": {"day": {"type": "string", "format": "date"}}}
    found = docscore_review.review({"a": {"day": "2024-04-06"}}, {name: given[name] for name in order}, schema=schema)
    assert [(item.proposal, item.agree) for item in found.lines] == [("2024-04-16", 2)]


def test_a_column_of_texts_that_is_not_there_is_named_beside_those_that_are() -> None:
    rows = [{"question_id": "d", "references": [{"a": 1}], "text": "one"}]
    with pytest.raises(
        ValueError, match=r"^text_column: expected a column 'txt' .* 'question_id', 'references', 'text'$"
    ):
        docscore_review.review(rows, {"x": [{"question_id": "d", "prediction": {"a": 2}}]}, text_column="txt")


@golden("review", "refused")
def test_verdicts_that_are_refused(truth: list[Any], verdicts: list[dict[str, Any]], problem: str) -> None:
    with pytest.raises(ValueError, match=r"expected|ground truth|verdict") as caught:
        verdicts_of(truth, verdicts).apply([{"question_id": "d", "references": truth}])
    assert problem in str(caught.value)


@golden("review", "files")
def test_a_file_that_is_corrected(
    tmp_path: Path, name: str, source: str, expected: str, value: Any, output: str, options: dict[str, Any]
) -> None:
    """All other columns, rows and their order stay, and lines that do not change byte for byte; twice the same."""
    path, corrected = tmp_path / name, tmp_path / f"new_{output}"
    path.write_bytes(source.encode())
    rows = read_ground_truths(path, ReadOptions(**options))
    judged = hash_of(rows.values[-1])
    review = Review([item(question_id=rows.ids[-1], path="$", judged=judged, verdict="other", value=value)])
    for _ in range(2):
        review.apply(path, corrected, **options)
        assert corrected.read_bytes() == expected.encode()
    assert path.read_bytes() == source.encode()
    with pytest.raises(ValueError, match="the ground truth has changed since the review"):
        review.apply(corrected, **options)


def test_verdicts_of_random_documents() -> None:
    """`python -m dev.benchmarks.review --only verdicts` gives 100,000."""
    assert {*map(measured.check_verdicts, range(250))} == {"applied", "contradiction"}


def test_what_cannot_be_read_is_left_out_and_counted() -> None:
    references = {"a": {"q": "1"}, "b": {"q": "2"}, "c": {"q": "3"}}
    systems = {"gpt": {"a": '{"q": "1"}', "b": "{", "c": '{"q": "9"}'}, "gem": {"a": '{"q": "8"}', "c": '{"q": "3"}'}}
    review = docscore_review.review(references, systems, parse="json", missing="zero")
    assert {(item.question_id, item.of) for item in review.lines} == {("a", 2), ("c", 2)}
    assert list(review.left_out) == ["gpt", "gem"]
    assert [*review.left_out.values()] == [pytest.approx((1, 1 / 3))] * 2
    assert "gpt: 1 prediction missing or not parsed" in str(review)
    assert review._repr_html_().count("<table") == 2


def test_runs_of_a_system_are_one_with_a_share() -> None:
    references = [{"question_id": "a", "references": [{"q": "1"}]}]
    runs = [[{"question_id": "a", "prediction": {"q": value}}] for value in ("1", "2", "2", "3")]
    lines = docscore_review.review(references, {"gpt": runs, "gem": runs[1:3]}, runs=True).lines
    assert [(item.proposal, item.agree, item.of) for item in lines] == [("2", 1.5, 2)]
    assert lines[0].points == {"gpt": 0.75, "gem": 1}


@golden("review", "options that are refused")
def test_options_that_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=r"expected|needs") as caught:
        docscore_review.review({"a": "x"}, {"gpt": {"a": "y"}}, **options)
    assert str(caught.value) == problem


def test_a_sample_estimates_what_comes_back() -> None:
    """By the points lost; a place that is drawn again counts again, and unclear ones are left out."""
    references = {name: {"q": str(number), "r": "tea"} for number, name in enumerate("abcdefgh")}
    system = {name: {"q": "nine" if name < "e" else truth["q"], "r": "tea"} for name, truth in references.items()}
    review = docscore_review.review(
        references, {"gem": {**references}, "gpt": system}, sample=25, agreements=9, of="gpt"
    )
    drawn = [item for item in review.lines if item.kind != "agreement"]
    assert sum(item.drawn or 0 for item in drawn) == 25
    assert {item.question_id for item in drawn} == set("abcd")
    assert drawn[0].sample == {"system": "gpt", "score": 0.75, "loss": 0.25, "draws": 25}
    assert sum(item.drawn or 0 for item in review.lines) == 34
    with pytest.raises(ValueError, match="expected a verdict for each place of the sample"):
        review.estimate()
    verdicts = {"a": "prediction", "b": "both", "c": "other", "d": "unclear"}
    for item in review.lines:
        item.verdict = "ground_truth" if item.kind == "agreement" else verdicts[item.question_id]
    estimate = review.estimate()
    of = {name: sum(item.drawn or 0 for item in drawn if item.question_id == name) for name in "abcd"}
    clear = 25 - of["d"]
    assert (estimate.documents, estimate.unclear) == (4, of["d"])
    assert estimate.lenient[0] == pytest.approx((of["a"] + of["b"]) / clear)
    assert estimate.strict == pytest.approx((of["a"] / clear, None, None))
    assert estimate.corrected[0] == pytest.approx(0.75 + 0.25 * estimate.lenient[0])
    assert estimate.shared is not None
    assert estimate.shared[0] == 0
    assert f"{of['d']} of 25 draws are unclear. More than a tenth of the draws" in str(estimate)
    assert "% (no interval)" in str(estimate)
    assert "no places without a difference, so it cannot show errors of both sides." in str(Review(drawn).estimate())
    for item in review.lines:
        item.verdict = "unclear"
    with pytest.raises(ValueError, match="expected at least one draw that is clear, got none"):
        review.estimate()
    with pytest.raises(ValueError, match="expected a random sample of one system"):
        Review([]).estimate()


def test_the_interval_of_an_estimate_holds_the_share_of_the_population() -> None:
    """Of few documents too; `python -m dev.benchmarks.review --only estimate` simulates 1,000 samples of each size."""
    assert min(measured.coverage(15, trials=100)) > 0.88


def test_verdicts_are_carried_over_by_id_path_and_values(tmp_path: Path) -> None:
    """A path that is there no longer, another ground truth, an unseen proposal and two readers' dispute stay behind."""
    truth: dict[str, Any] = {**dict.fromkeys("abcdefg", 1), "l": []}
    earlier = [item(**{"question_id": "d", "systems": [], **keys}) for keys in data_rows("review", "decided")]
    files = [Review(earlier[:-1]).write(tmp_path / "x.jsonl"), Review(earlier[-1:]).write(tmp_path / "y.jsonl")]
    systems = {"s": {**dict.fromkeys("abcdefg", 2), "l": [{"n": "y"}, {"n": "x"}]}}
    review = reviewed([truth], systems, verdicts=files)
    found = {(line.path, json.dumps(line.proposal)): line for line in review.lines if line.verdict}
    assert {key: line.verdict for key, line in found.items()} == {
        ("$.a", "2"): "prediction",
        ("$.b", "2"): "both",
        ("$.c", "2"): "ground_truth",
        ("$.d", "2"): "other",
        ("$.l", '{"n": "x"}'): "prediction",
    }
    assert (found["$.a", "2"].note, found["$.a", "2"].by, found["$.d", "2"].value) == ("blurred", "x", 5)
    assert "value" not in found["$.b", "2"].to_dict()
    assert review.carried == (5, 9)
    assert "5 of 9 verdicts carried over; the others have no such place or value here" in str(review)


def test_a_prediction_without_a_value_can_be_chosen_and_carried_over() -> None:
    """Null stands for it, as under `both`: the key is removed, and a system that proposes it first is chosen too."""
    truth, sides = {"a": "tea", "b": "1"}, {"x": {"a": "rum", "b": "1"}, "y": {"a": "rum", "b": "1"}, "z": {"b": "1"}}
    review = reviewed([truth], sides)
    [line] = review.lines
    line.verdict, line.value = "prediction", None
    for systems, value in ((sides, None), ({"z": sides["z"]}, NoCell)):
        again = reviewed([truth], systems, verdicts=[review])
        assert [(each.verdict, each.value) for each in again.lines] == [("prediction", value)]
        assert again.apply([ref("d", truth)]) == [ref("d", {"b": "1"})]


def test_a_verdict_for_a_group_holds_for_all_its_places() -> None:
    truth = {"l": [{"n": f"no {number}", "q": "10"} for number in range(4)]}
    review = reviewed([truth], {"s": {"l": [{"n": f"no {number}", "q": "77"} for number in range(4)]}})
    assert review.decisions == 1
    assert "and 3 more like it" in str(review)
    first, *_, last = review.lines
    first.verdict, first.scope, last.verdict = "prediction", "group", "ground_truth"
    assert first.to_dict()["for"] == "group"
    assert review.counts | {"prediction": 3, "ground_truth": 1, "open": 0} == review.counts
    [corrected] = review.apply([{"question_id": "d", "references": [truth]}])
    assert [row["q"] for row in corrected["references"][0]["l"]] == ["77", "77", "77", "10"]


def test_a_row_that_is_optional_scores_with_and_without_it() -> None:
    """More acceptable answers, and no other rule: both predictions are right, and a third one is not."""
    rows = [{"n": "tea", "q": "1"}, {"n": "rum", "q": "2"}]
    systems = {"with": {"l": rows}, "without": {"l": rows[:1]}, "other": {"l": [rows[0], {"n": "gin", "q": "9"}]}}
    review = reviewed([{"l": rows}], systems)
    for line in review.lines:
        line.verdict = "both" if line.ground_truth == rows[1] else None
    [corrected] = review.apply([{"question_id": "d", "references": [{"l": rows}]}])
    scores = {name: docscore.anls_score(tuple(corrected["references"]), side) for name, side in systems.items()}
    assert scores == {"with": 1, "without": 1, "other": 0.5}


def test_documents_without_a_text_are_counted() -> None:
    references, system = {name: {"q": "1"} for name in "abc"}, {name: {"q": "2"} for name in "abc"}
    review = docscore_review.review(references, {"s": system}, documents={"a": "1"})
    assert review.without_text[:2] == (2, 3)
    assert "2 of 3 documents have no text: no PDF, hOCR or text for" in str(review)
    assert "have no text" not in str(docscore_review.review(references, {"s": system}))


def two_readers(tmp_path: Path) -> tuple[Path, Path]:
    """The verdicts of two readers on 40 places in 10 documents; they differ at 8, and the second one leaves 2 open."""
    names = ["prediction", "ground_truth", "both", "unclear"]
    keys = [{"question_id": str(n // 4), "path": f"$.q{n}", "ground_truth": 1, "proposal": 2} for n in range(40)]
    first = [item(**each, kind="other value", verdict=names[n % 3 % 2]) for n, each in enumerate(keys)]
    second = [replace(line) for line in first]
    for n in range(3, 40, 5):
        second[n].verdict = names[n % 4]
    second[0].verdict = second[1].verdict = None
    return Review(first).write(tmp_path / "first.jsonl"), Review(second).write(tmp_path / "second.jsonl")


def test_the_agreement_of_two_readers(tmp_path: Path) -> None:
    """Cohen's kappa by its formula on the verdicts of the places that both decided."""
    first, second = map(Review.read, two_readers(tmp_path))
    found = first.agreement(second)
    pairs = [(a.verdict, b.verdict) for a, b in zip(first.lines, second.lines, strict=True) if b.verdict]
    observed = sum(a == b for a, b in pairs) / len(pairs)
    sides = [Counter(side) for side in zip(*pairs, strict=True)]
    expected = sum(sides[0][name] * sides[1][name] for name in sides[0]) / len(pairs) ** 2
    assert found.kappa == pytest.approx((observed - expected) / (1 - expected))
    assert (found.decided, found.open, found.documents) == (38, 2, 10)
    assert [(a.verdict, b.verdict) for a, b in found.differing] == [(a, b) for a, b in pairs if a != b]
    assert found.interval.ends is not None
    low, high = found.interval.ends
    assert low < found.kappa < high  # type: ignore[operator]
    assert f"Cohen's kappa is {found.kappa:.2f} ({low:.2f} to {high:.2f}); 10 documents. 2 places" in str(found)
    few = Review(first.lines[:8]).agreement(second)
    assert "(no interval: it needs at least 5 documents)" in str(few)
    alone = Review([item(path="$.q", verdict="both")])
    assert "undefined" in str(alone.agreement(alone))
    chosen = Review([item(path="$.q", verdict="both", others=[{"value": 5, "systems": []}], value=5)])
    assert len(alone.agreement(chosen).differing) == 1
    with pytest.raises(ValueError, match="expected a place that both readers decided, got none"):
        alone.agreement(first)


def test_the_commands_of_a_review_by_two_readers(tmp_path: Path) -> None:
    """List with verdicts that are carried over, check, agreement."""
    files = EXAMPLE / "references.jsonl", *sorted((EXAMPLE / "systems").iterdir())
    listed = tmp_path / "review.jsonl"
    options = "--text-column", "text", "--verdicts", EXAMPLE / "decided.jsonl", "-o", listed, "--json"
    done = run("review", "list", *files, *options)
    assert validated("review", done.out)["carried"] == {"count": 59, "of": 59}
    assert Review.read(listed).counts == Review.read(EXAMPLE / "decided.jsonl").counts
    done = run("review", "check", listed, files[0])
    assert (done.out, done.code) == ("Can be applied: 59 places in 16 documents; 48 ground_truth, 11 prediction\n", 0)
    lines = Review.read(listed)
    for line in lines.lines[:2]:
        line.verdict = "other"
    done = run("review", "check", lines.write(listed), files[0])
    assert (done.code, done.err.count("expected a value with the verdict other")) == (2, 2)
    first, second = two_readers(tmp_path)
    found = validated("review", run("review", "agreement", first, second, "--json").out)["agreement"]
    shown = run("review", "agreement", first, second).out
    assert shown.splitlines()[0].startswith(f"{found['same']} of 38 places have the same verdict.")
    assert shown.count("$.q") == len(found["differing"])


def test_the_commands(tmp_path: Path) -> None:
    """From files to a corrected one, whose systems include one that made no proposals."""
    systems = sorted((EXAMPLE / "systems").iterdir())
    listed, corrected = tmp_path / "review.jsonl", tmp_path / "corrected.jsonl"
    common = (EXAMPLE / "references.jsonl", *systems)
    done = run("review", "list", *common, "--text-column", "text", "--hold-out", "cedar", "-o", listed, "--json")
    output = validated("review", done.out)
    assert ([Item.from_dict(line) for line in output["items"]], done.code) == (Review.read(listed).lines, 0)
    assert {name for line in output["items"] for name in line["systems"]} == {"alder", "birch"}
    done = run("review", "apply", EXAMPLE / "decided.jsonl", *common, "-o", corrected, "--json")
    scores = validated("review", done.out)["systems"]
    assert [system["after"] > system["before"] for system in scores] == [True] * 3
    again = run("review", "apply", EXAMPLE / "decided.jsonl", corrected, "-o", tmp_path / "twice.jsonl")
    assert again.code == 2
    assert "the ground truth has changed since the review" in again.err
    assert not (tmp_path / "twice.jsonl").exists()
    validated("review", run("review", "estimate", EXAMPLE / "sample_decided.jsonl", "--json").out)
    other = run("review", "apply", EXAMPLE / "decided.jsonl", common[0], "-o", tmp_path / "corrected.csv")
    assert (other.code, "corrected.csv: expected a file name that ends in .jsonl, got .csv" in other.err) == (2, True)


def test_a_file_that_is_no_review(write: Write) -> None:
    with pytest.raises(ValueError, match="line 1: expected an item of a review, got no 'path'"):
        Review.read(write("r.jsonl", [{"question_id": "a"}]))
    line = {**Review.read(EXAMPLE / "decided.jsonl").lines[0].to_dict(), "verdict": "wrong"}
    with pytest.raises(ValueError, match=r"line 1: expected a verdict among .*, got 'wrong'"):
        Review.read(write("r.jsonl", [line]))
    with pytest.raises(ValueError, match=r'line 1: expected "for": "group", got \'all\''):
        Review.read(write("r.jsonl", [line | {"verdict": None, "for": "all"}]))


def test_planted_errors_come_first() -> None:
    """Sixty errors among 4,000 right values and six systems: the first 150 decisions settle 57."""
    assert measured.order_bar(1)[0] >= 57


@pytest.mark.filterwarnings("ignore:.* cannot be read as :UserWarning")
def test_planted_errors_in_real_documents(docubench: Path) -> None:
    """With schemas, 95 % of the errors that all three systems had right, and the order of the systems comes back."""
    assert docubench.is_dir()
    found, total, back = measured.planted_in_docubench([4])
    assert found >= 0.95 * total > 200
    assert back == len(measured.KINDS)


def test_a_correction_keeps_the_line_that_names_the_delimiter(write: Write) -> None:
    path = write("t.csv", "sep=;\nid;n, m\na;1\nb;2\n")
    assert text_with_rows(path, {1: {"id": "b", "n, m": "3"}}, "n, m") == "sep=;\nid;n, m\na;1\nb;3\n"


@pytest.mark.parametrize("name", ["decided", "sample_decided"])
def test_a_review_that_is_read_and_written_is_the_same_file(tmp_path: Path, name: str) -> None:
    path = EXAMPLE / f"{name}.jsonl"
    assert Review.read(path).write(tmp_path / "written.jsonl").read_bytes() == path.read_bytes()


def test_an_item_keeps_other_keys_of_its_line() -> None:
    line = item(row=2, value=None, note="blurred", scope="group").to_dict() | {"reviewer": "x"}
    assert (line["after"], line["value"], line["for"]) == (None, None, "group")
    assert Item.from_dict(line).to_dict() == line


@golden("review", "layouts")
def test_corrected_references_of_each_kind_of_input(
    tmp_path: Path, name: str, content: str, options: dict[str, Any], column: str, *, stays: bool
) -> None:
    """The form of a file of rows stays; of others the output has rows by id. Nothing but the judged value changes."""
    path, corrected = tmp_path / name, tmp_path / (f"new_{name}" if stays else "new.jsonl")
    path.write_text(content)
    rows = read_ground_truths(path, ReadOptions(**options))
    truths = [truth[0] if isinstance(truth, tuple) else truth for truth in rows.values]
    expected = [{**truth, "x": "other"} if isinstance(truth, dict) and "x" in truth else "other" for truth in truths]
    judged = [hash_of(value) for value in rows.values]
    paths = ["$.x" if isinstance(value, dict) else "$" for value in expected]
    review = Review(
        [
            item(question_id=each, path=place, judged=digest, verdict="other", value="other")
            for each, place, digest in zip(rows.ids, paths, judged, strict=True)
        ]
    )
    review.apply(path, corrected, **{key: given for key, given in options.items() if key != "ignore_keys"})
    again = read_ground_truths(corrected, ReadOptions(**(options if stays else {})))
    assert again.ids == rows.ids
    assert [value[0] if isinstance(value, tuple) else value for value in again.values] == expected
    assert not column or all(column in row or row == "other" for row in again.sources)


def test_a_review_with_ignored_keys_is_applied_to_the_whole_ground_truth(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"question_id": "a", "references": [{"x": "1", "vat": "N/A", "m": 5}]}\n')
    options: dict[str, Any] = {"ignore_keys": "m", "absent_words": "n/a"}
    review = docscore_review.review(path, {"s": {"a": {"x": "2", "vat": None}}}, **options)
    assert [line.path for line in review.lines] == ["$.x"]
    review.lines[0].verdict = "prediction"
    assert review.apply(path) == [{"question_id": "a", "references": [{"x": "2", "vat": "N/A", "m": 5}]}]


def test_ground_truths_with_evidence_at_their_values() -> None:
    """Places are no fields; a value that is corrected loses the evidence of the old one."""
    evidence = [{"page": 1}]
    rows = [ref("a", {"x": {"$value": "1", "$evidence": evidence}, "y": {"$value": "2", "$evidence": evidence}})]
    assert docscore.lint(rows) == []
    assert list(docscore.suggest_schema(rows).schema["properties"]) == ["x", "y"]
    review = docscore_review.review(rows, {"s": {"a": {"x": "3", "y": "2"}}})
    assert [line.path for line in review.lines] == ["$.x"]
    review.lines[0].verdict = "prediction"
    assert review.apply(rows) == [ref("a", {"x": "3", "y": {"$value": "2", "$evidence": evidence}})]


SYSTEMS = [EXAMPLE / "systems" / f"{name}.jsonl" for name in ("alder", "birch", "cedar")]


@pytest.mark.parametrize("name", ["references", "alder", "decided", "noted", "broken", "text"])
def test_nothing_of_the_user_is_overwritten(tmp_path: Path, name: str) -> None:
    """Inputs, verdicts and notes, and files that are no review stay as they are."""
    for source in (EXAMPLE / "references.jsonl", SYSTEMS[0], EXAMPLE / "decided.jsonl"):
        shutil.copy(source, tmp_path)
    lines = (EXAMPLE / "decided.jsonl").read_text("utf-8").splitlines()
    opened = [json.dumps({**json.loads(line), "verdict": None, "note": "see page 2"}) for line in lines]
    (tmp_path / "noted.jsonl").write_text("\n".join(opened))
    (tmp_path / "broken.jsonl").write_text("\n".join(lines).replace('"prediction",', '"predicton",', 1))
    (tmp_path / "text.jsonl").write_text("{}")
    output, sides = tmp_path / f"{name}.jsonl", (tmp_path / "references.jsonl", tmp_path / "alder.jsonl")
    before = output.read_bytes()
    assert run("review", "list", *sides, "-o", output).code == 2
    if name in ("references", "alder", "decided", "noted"):
        assert run("review", "apply", EXAMPLE / "decided.jsonl", *sides, "-o", output).code == 2
    assert output.read_bytes() == before


@golden("review", "lines that are no places")
def test_lines_that_are_no_places_are_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    first = json.loads((EXAMPLE / "decided.jsonl").read_text("utf-8").splitlines()[0])
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, (first, {**first, **change}))))
    with pytest.raises(ValueError, match=r"r\.jsonl, line 2") as caught:
        Review.read(tmp_path / "r.jsonl")
    assert message in str(caught.value)


def test_an_answer_of_another_system_gives_nothing_back() -> None:
    """In a sample, a verdict that takes another system's answer says that the sampled system is wrong too."""
    review = Review.read(EXAMPLE / "sample_decided.jsonl")
    lenient = review.estimate().lenient[0]
    chosen = next(item for item in review.lines if item.verdict == "other" and item.kind != "agreement")
    chosen.verdict = "prediction"
    assert review.estimate().lenient[0] == lenient


def test_unclear_places_without_a_difference_are_counted() -> None:
    review = Review.read(EXAMPLE / "sample_decided.jsonl")
    exact = [item for item in review.lines if item.kind == "agreement"]
    for item in exact[1:]:
        item.verdict = "unclear"
    assert f"(40 draws, {40 - (exact[0].drawn or 0)} of them unclear and left out)" in str(review.estimate())
    exact[0].verdict = "unclear"
    assert "All 40 draws of places without a difference are unclear." in str(review.estimate())
    exact[0].verdict = "prediction"
    with pytest.raises(
        ValueError, match="expected the verdict ground_truth, other or unclear at a place without a difference"
    ):
        review.estimate()

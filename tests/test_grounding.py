"""Grounding: its figures and tables, ties of rows, an oracle and a brute force, and that no score of values changes."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.core.options import CompareOptions
from docscore.evaluation.evaluation import Evaluation
from docscore.grounding.interpretation import with_regions
from docscore.grounding.metric import Counts, counts_of
from docscore.grounding.nodes import RowAnnotator, grounded_values
from docscore.grounding.regions import LEVELS, Level, RowRegions, accepted_regions
from docscore.inputs.pairing import pairs_of
from docscore.inputs.raw_regions import with_raw_regions
from docscore.metrics.anls_star.api import build_tree
from docscore.report.console import print_summary, printed
from tests.commands import run, succeed, written
from tests.conftest import golden
from tests.test_places import Raw, predictions, references

pytestmark = [
    pytest.mark.filterwarnings("ignore:(predictions|references). 1 of 1 (wrap values|have everything)"),
    pytest.mark.filterwarnings("ignore:metric grounding. expected evidence"),
]
FIGURES = ["grounding_box_f1", "grounding_page_f1", "grounding_value_f1"]


def places_of(reference: Raw, prediction: Raw) -> RowRegions:
    """The places of one row."""
    pairs, _ = with_regions(with_raw_regions(pairs_of([prediction], [reference]), None))
    (places,) = pairs.places or ()
    assert isinstance(places, RowRegions)
    return places


def grounded(
    *rows: tuple[Raw, Raw], metrics: tuple[str, ...] = ("anls_star", "grounding"), **options: Any
) -> Evaluation:
    """The evaluation of rows, each a reference and a prediction."""
    left, right = map(list, zip(*rows, strict=True))
    return docscore.evaluate(references=left, predictions=right, metrics=list(metrics), **options)


def figures_of(result: Evaluation) -> dict[str, float]:
    return {name: value for name, value in result.figures.items() if name in FIGURES}


# Places of rows


def test_citations_with_confidences() -> None:
    prediction = {"t": {"$value": "x", "$confidence": 0.9, "$citations": [{"page": 1}]}}
    row = references({"t": "x"}, {"t": [{"page": 1}]}), predictions(prediction)
    result = grounded(row, with_confidences=True)
    assert (result.score, figures_of(result)["grounding_page_f1"]) == (1.0, 1.0)
    assert result.test_set.confidences == [{"t": 0.9}]
    with pytest.warns(UserWarning, match=r"they contain \$value and \$confidence, and both are scored"):
        assert grounded(row).score == 0


def test_citations_of_missing_and_unparsable_predictions_are_left_out_and_counted() -> None:
    evidence = {"t": [{"page": 1}]}
    left = [references({"t": "x"}, evidence, name) for name in "abcd"]
    right = [
        predictions('{"t": "x"}', {"t": [{"page": 1}]}, "a"),
        predictions("{", {"t": [{"page": 1}, {"page": 2}]}, "b"),
        predictions(None, {"t": {"page": 1}}, "c"),
    ]
    result = docscore.evaluate(
        references=left, predictions=right, metrics=["anls_star", "grounding"], parse="json", missing="zero"
    )
    assert result.breakdowns["grounding"].counts() == {"citations_invalid": 0, "citations_left_out": 3}
    assert figures_of(result)["grounding_page_f1"] == 0.25
    assert "3 citations left out: the prediction is missing or could not be parsed" in str(result)


def test_files(tmp_path: Path) -> None:
    """CSV whose cells are JSON text; rows in several runs."""
    left, right = [references("x", {"$": {"page": 1}})], [predictions("x", {"$": {"page": 1}})]
    flags = ("--metrics", "grounding", "--json")
    for name, key, value, place in (
        ("r", "references", '"[""x""]"', "evidence"),
        ("p", "prediction", "x", "citations"),
    ):
        text = f'question_id,{key},{place}\na,{value},"{{""$"": {{""page"": 1}}}}"\n'
        (tmp_path / f"{name}.csv").write_text(text, "utf-8")
    assert json.loads(succeed("score", tmp_path / "r.csv", tmp_path / "p.csv", *flags))["score"] == 1
    runs = docscore.evaluate(
        references=left, predictions=[right, [predictions("x")]], runs=True, metrics=["grounding", "anls_star"]
    )
    assert runs.score == 0.5


# Figures


@pytest.mark.filterwarnings("ignore:evidence. regions of objects and lists are not evaluated")
@golden("grounding", "cells")
def test_cells(
    truth: Any, prediction: Any, evidence: Raw, citations: Raw, figures: Raw, places: Raw, table_of: Raw
) -> None:
    result = grounded((references(truth, evidence), predictions(prediction, citations)))
    assert figures_of(result) == pytest.approx(figures)
    assert list(figures_of(result)) == [name for name in FIGURES if name in figures]
    leaves = {leaf.path: leaf.region for leaf in result["a"].tree.leaves()}
    assert leaves == places
    printed = [node for node in result["a"].tree.nodes() if not node.children]
    assert [node.to_dict()["region"] for node in printed] == list(places.values())
    table = result.breakdowns["grounding"].tables()["regions"]
    assert [row["level"] for row in table] == [level for level in LEVELS if f"grounding_{level}_f1" in figures]
    finest = table[-1] if table else {}
    assert {name: finest[name] for name in table_of} == pytest.approx(table_of)


def test_evidence_of_objects_and_lists_is_counted_aloud() -> None:
    rows = references({"t": {"a": "x"}, "n": "y"}, {"t": [{"page": 1}], "n": [{"page": 1}]})
    with pytest.warns(
        UserWarning, match=r"^evidence: regions of objects and lists are not evaluated \(1\), .* row '.*': \$\.t$"
    ):
        grounded((rows, predictions({"t": {"a": "x"}, "n": "y"}, {"n": [{"page": 1}]})))


def test_the_first_figure_that_is_there_is_that_of_gates_and_comparisons() -> None:
    box, page = {"t": {"page": 1, "box": [0, 0, 1, 1]}}, {"t": {"page": 1}}
    rows = [
        (references({"t": "x"}, box if i < 3 else page, f"q{i}"), predictions({"t": "x"}, page, f"q{i}"))
        for i in range(6)
    ]
    with pytest.warns(UserWarning, match=r"^predictions: no citation has a box, so the box F1 is 0$"):
        result = grounded(*rows, metrics=("grounding", "anls_star"), by=lambda name: name < "q3")
    assert result.figures == {"grounding_box_f1": 0, "grounding_page_f1": 1, "grounding_value_f1": 1, "anls_star": 1}
    assert (result.score, result.summary_to_dict()["score"]) == (0, 0)
    better = [(left, {**right, "citations": left["evidence"]}) for left, right in rows]
    comparison = result.compare(grounded(*better, metrics=("grounding", "anls_star"), by=lambda name: name < "q3"))
    assert (comparison.figure.name, comparison.difference) == ("grounding_box_f1", 1)
    assert [change.name for change in comparison.figure_changes] == list(result.figures)
    slices = {(row["value"], row["metric"]) for row in result.slices}
    assert ("False", "Grounding page F1") in slices
    assert ("False", "Grounding box F1") not in slices
    with pytest.raises(ValueError, match="expected the same evidence on both sides"):
        result.compare(
            grounded(
                *[(references({"t": "x"}, None, f"q{i}"), right) for i, (_, right) in enumerate(rows)],
                metrics=("grounding", "anls_star"),
            )
        )


def test_a_slice_without_boxes_has_no_figure_of_boxes(tmp_path: Path) -> None:
    """In the result of a slice, and as a gap in tables of systems in both directions."""
    box, page = {"t": {"page": 1, "box": [0, 0, 1, 1]}}, {"t": {"page": 1}}
    left = [references({"t": "x"}, box if i < 3 else page, f"q{i}") | {"kind": f"k{i // 3}"} for i in range(6)]
    right = [predictions({"t": "x"}, box, f"q{i}") for i in range(6)]
    result = docscore.evaluate(references=left, predictions=right, metrics=["grounding", "anls_star"], by="kind")
    assert list(result.of_slice("k1").figures) == ["grounding_page_f1", "grounding_value_f1", "anls_star"]
    files: list[str | Path] = [
        written(tmp_path, "r.jsonl", left),
        *(f"{name}={written(tmp_path, f'{name}.jsonl', right)}" for name in "AB"),
    ]
    asked = ("table", *files, "--metrics", "grounding,anls_star", "--by", "kind")
    by_metric = run(*asked)
    assert (by_metric.code, by_metric.out.count("Grounding box F1")) == (0, 2)
    by_system = run(*asked, "--ranks", "--figures", "grounding_box_f1,grounding_page_f1")
    rows = [line for line in by_system.out.splitlines() if line.startswith("k1")]
    assert by_system.code == 0
    assert [row.split()[-2:] for row in rows] == [["-", "1.0000*"]] * 2, by_system.out
    score = succeed("score", files[0], tmp_path / "A.jsonl", "--metrics", "grounding", "--by", "kind")
    assert score.count("Grounding box F1") == 3


def test_without_evidence_there_is_no_figure() -> None:
    row = references({"t": "x"}), predictions({"t": "x"}, {"t": {"page": 1}})
    result = grounded(row)
    assert list(result.figures) == ["anls_star"]
    assert result.breakdowns["grounding"].tables() == {"regions": []}
    with pytest.raises(ValueError, match=r"^metric grounding: expected evidence with a page or a box .*, got none$"):
        _ = grounded(row, metrics=("grounding",)).score


def test_a_state_adds_up_batches_with_and_without_places() -> None:
    state = docscore.ScoreState(metrics=["grounding"])
    place = {"t": {"page": 1}}
    for number, (evidence, citations) in enumerate([(None, None), (place, place), (place, None)]):
        state.update(
            [predictions({"t": "x"}, citations, f"q{number}")], [references({"t": "x"}, evidence, f"q{number}")]
        )
    assert state.compute() == {"grounding_page_f1": 0.5, "grounding_value_f1": 1.0, "grounding/t": 0.5}


def test_a_line_says_that_the_metric_exists() -> None:
    rows: dict[str, Any] = {
        "references": [references({"t": "x"}, {"t": {"page": 1}})],
        "predictions": [predictions({"t": "x"}, {"t": {"page": 1}})],
    }
    result = docscore.evaluate(**rows)
    line = "Both sides have regions, which the metric grounding can score"
    assert str(result).count(line) == 1
    assert result.warnings == []
    assert line not in str(docscore.evaluate(**rows, metrics=["anls_star", "grounding"]))


def test_columns_of_these_names_are_not_read_without_the_metric() -> None:
    """They may hold anything."""
    rows: dict[str, Any] = {
        "references": [references({"t": "x"}, "the receipt")],
        "predictions": [predictions({"t": "x"}, ["https://…"])],
    }
    assert docscore.evaluate(**rows).score == 1


def test_what_is_right_is_said_by_the_first_metric_of_values() -> None:
    row = references({"t": 12.5}, {"t": {"page": 1}}), predictions({"t": 12.50001}, {"t": {"page": 1}})
    schema = {"properties": {"t": {"type": "number", "x-docscore": {"tolerance": 0.1}}}}
    for metrics, expected, by in (
        (("typed", "grounding"), 1.0, "typed"),
        (("grounding", "typed"), 1.0, "typed"),
        (("grounding",), 1.0, "typed"),
        (("anls_star", "grounding"), 0.0, "anls_star"),
    ):
        result = grounded(row, metrics=metrics, schema=schema)
        assert figures_of(result)["grounding_page_f1"] == expected
        assert f"values:{by}|iou:0.5" in result.signatures["grounding"]
        assert ("schema:" in result.signatures["grounding"]) == (by == "typed")
    unweighted = {"properties": {"t": {"type": "number", "x-docscore": {"weight": 0}}, "u": {"type": "string"}}}
    heavy = references({"t": 1, "u": "x"}, {"t": {"page": 1}, "u": {"page": 1}}), predictions({"t": 1, "u": "x"})
    assert (
        grounded(heavy, metrics=("typed", "grounding"), schema=unweighted).breakdowns["grounding"].regions()[0]["cells"]
        == 1
    )


def test_iou_is_in_the_signature_and_needs_the_metric() -> None:
    row = (
        references("x", {"$": {"page": 1, "box": [0.1, 0.1, 0.3, 0.2]}}),
        predictions("x", {"$": {"page": 1, "box": [0.2, 0.1, 0.4, 0.2]}}),
    )
    assert [figures_of(grounded(row, iou=iou))["grounding_box_f1"] for iou in (0.5, 0.3)] == [0, 1]
    assert "|iou:0.3|" in grounded(row, iou=0.3).signatures["grounding"]
    with pytest.raises(ValueError, match=r"^iou: none of the metrics .* uses this option"):
        grounded(row, metrics=("anls_star",), iou=0.3)


def test_fields_add_up_to_the_figure() -> None:
    rng = random.Random(3)
    rows = [random_row(rng, f"q{i}", most=3) for i in range(40)]
    result = grounded(*rows, metrics=("grounding", "anls_star"))
    assert sum(row["points_lost"] for row in result.fields) == pytest.approx(1 - result.score)
    assert {row["field"] for row in result.fields} <= {"a", "b", "rows[].id", "rows[].no", "rows[].v"}
    assert result.causes.caption == "Grounding evaluates the regions of values: lost points have no causes."


# Oracles and properties


def random_place(rng: random.Random) -> Raw:
    page = {"page": rng.randint(1, 2)}
    left, top = rng.choice([0.1, 0.15, 0.5]), rng.choice([0.1, 0.5])
    return page if rng.random() < 0.4 else {**page, "box": [left, top, left + 0.2, top + 0.1]}


def random_row(rng: random.Random, name: str, most: int = 1) -> tuple[Raw, Raw]:
    """A document whose rows have ids of their own, so that no two tie; some values lack evidence or citations."""
    ids = rng.sample(["alpha", "bravo", "charlie", "delta"], rng.randint(1, 3))
    truth = {"a": "x", "b": "yes", "rows": [{"id": each, "no": each[:2], "v": rng.choice("mn")} for each in ids]}
    order = rng.sample(range(len(ids)), rng.randint(0, len(ids)))
    prediction = {
        "a": rng.choice(["x", "z", None, ""]),
        "b": "yes",
        "rows": [{"id": ids[i], "no": ids[i][:2], "v": rng.choice("mn")} for i in order],
    }
    evidence = {
        path: [random_place(rng) for _ in range(rng.randint(1, 2))] for path in leaves(truth) if rng.random() < 0.8
    }
    citations = {
        path: [random_place(rng) for _ in range(rng.randint(1, most))]
        for path in leaves(prediction)
        if rng.random() < 0.8
    }
    return references(truth, evidence, name), predictions(prediction, citations, name)


def leaves(document: Any) -> list[str]:
    return ["a", "b", *(f"rows[{i}].{key}" for i in range(len(document["rows"])) for key in ("id", "no", "v"))]


def overlap(a: list[float], b: list[float]) -> float:
    across, down = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    common = max(0.0, across) * max(0.0, down)
    return common / (sum((box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)) - common)


def extract_bench(reference: Raw, prediction: Raw, level: str) -> Counts:
    """The counters by ExtractBench's definition: a true positive is right and has a citation that matches evidence.

    Precision is over cells that are cited, recall over all cells. Rows are found by their ids.
    """
    truth, guess = reference["references"][0], prediction["prediction"]
    rows = {row["id"]: i for i, row in enumerate(guess["rows"])}
    counts = dict.fromkeys(Counts._fields, 0)
    judged = 0
    for path in leaves(truth):
        evidence = [place for place in reference["evidence"].get(path, []) if level == "page" or "box" in place]
        if not evidence:
            continue
        counts["cells"] += 1
        if path in "ab":
            expected, got, cited_at = truth[path], guess[path], path
        else:
            index, key = int(path[5]), path[8:]
            row = rows.get(truth["rows"][index]["id"])
            expected, got = truth["rows"][index][key], None if row is None else guess["rows"][row][key]
            cited_at = f"rows[{row}].{key}"
        if not got:
            counts["missing"] += 1
            continue
        judged += 1
        citation = next(
            (place for place in prediction["citations"].get(cited_at, []) if level == "page" or "box" in place), None
        )
        there = citation is not None and any(
            place["page"] == citation["page"] and (level == "page" or overlap(place["box"], citation["box"]) >= 0.5)
            for place in evidence
        )
        counts["cited"] += citation is not None
        counts["precise"] += got == expected and there
        counts[f"{'right' if got == expected else 'wrong'}_value_{'right' if there else 'other'}_region"] += 1
    counts["not_evaluated"] = bool(guess["a"]) + 1 + 3 * len(guess["rows"]) - judged
    return Counts(**counts)


def test_the_counters_are_those_of_extract_bench() -> None:
    rng = random.Random(0)
    cells = 0
    for i in range(400):
        row = random_row(rng, f"q{i}")
        actual = grounded(row, confidence=None).breakdowns["grounding"].rows[0].levels
        for level in LEVELS:
            assert actual[level] == extract_bench(*row, level), row
            cells += actual[level].cells
    assert cells > 2000


def counts(row: tuple[Raw, Raw]) -> dict[Level, Counts]:
    levels: dict[Level, Counts] = grounded(row, confidence=None).breakdowns["grounding"].rows[0].levels
    return levels


def test_properties() -> None:
    """Recalls nest; one citation more never lowers R, and one that is not accepted never raises P."""
    rng = random.Random(1)
    for i in range(250):
        reference, prediction = random_row(rng, f"q{i}", most=3)
        before = counts((reference, prediction))
        both = {path: [place for place in places if "box" in place] for path, places in reference["evidence"].items()}
        of_both = counts(
            ({**reference, "evidence": {path: places for path, places in both.items() if places}}, prediction)
        )
        page, box = of_both["page"], of_both["box"]
        assert page.cells == box.cells
        assert (
            page.right_value_right_region + page.right_value_other_region
            >= page.right_value_right_region
            >= box.right_value_right_region
        )
        path = rng.choice(leaves(prediction["prediction"]))
        for place, is_accepted in ((random_place(rng), None), ({"page": 9, "box": [0, 0, 1, 1]}, False)):
            more = {**prediction["citations"], path: [*prediction["citations"].get(path, []), place]}
            after = counts((reference, {**prediction, "citations": more}))
            for level in LEVELS:
                assert after[level].recall >= before[level].recall
                assert is_accepted is None or after[level].precision <= before[level].precision


def accepted_in(
    places: RowRegions, pairs: list[tuple[int, int]], rows: list[Any], guesses: list[Any]
) -> tuple[int, int]:
    """How many values are right and have an accepted box, and an accepted page, where the rows are paired so."""
    found = {"box": 0, "page": 0}
    for i, j in pairs:
        for key in (key for key in rows[i] if rows[i][key] == guesses[j][key]):
            paths = f"$[{i}].{key}", f"$[{j}].{key}"
            cited, known = places.citations.get(paths[1], ()), places.evidence[0].get(paths[0], ())
            for level in LEVELS:
                found[level] += accepted_regions(cited, known, level)[0] > 0
    return found["box"], found["page"]


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_tie_are_matched_as_by_a_brute_force(seed: int) -> None:
    """After rule 4, the most values right with an accepted box, then page; with one matching for all levels."""
    rng = random.Random(seed)
    for _ in range(120):
        truth: Any
        guess: Any
        truth, guess = ([{key: rng.choice("xy") for key in "ab"} for _ in range(rng.randint(1, 4))] for _ in range(2))
        paths = [[f"[{i}].{key}" for i in range(len(side)) for key in "ab"] for side in (truth, guess)]
        share = rng.choice([0.4, 0.8])
        evidence, citations = ({path: [random_place(rng)] for path in side if rng.random() < share} for side in paths)
        places = places_of(references(truth, evidence), predictions(guess, citations))
        shorter = min(len(truth), len(guess))
        matchings = [
            list(zip(left, right, strict=True))
            for left in permutations(range(len(truth)), shorter)
            for right in ([range(shorter)] if shorter == len(guess) else permutations(range(len(guess)), shorter))
        ]

        def worth(pairs: list[tuple[int, int]]) -> tuple[int, ...]:
            same = [sum(truth[i][key] == guess[j][key] for key in "ab") for i, j in pairs]  # noqa: B023
            return (sum(same), same.count(2), *accepted_in(places, pairs, truth, guess))  # noqa: B023

        best = max(map(worth, matchings))
        tree = build_tree(truth, guess, CompareOptions(), annotator=RowAnnotator(places, None, 0.5))
        rows = [(node.truth_index, node.prediction_index) for node in tree.children]
        assert worth([pair for pair in rows if None not in pair]) == best  # type: ignore[misc]
        cells = grounded_values(tree)
        assert (
            counts_of(cells, "box").right_value_right_region,
            counts_of(cells, "page").right_value_right_region,
        ) == best[2:]
        assert tree.score == docscore.anls_score(truth, guess)


@pytest.mark.parametrize("page", [1, 2])
@pytest.mark.parametrize("metric", ["anls_star", "typed"])
def test_regions_choose_the_matching_of_all_views(page: int, metric: str) -> None:
    """Each predicted row has one right value, so that they tie: the citations say which row is taken."""
    truth, guess = [{"a": "x", "b": "y"}], [{"a": "x", "b": "n"}, {"a": "m", "b": "y"}]
    evidence = {"[0].a": {"page": 1}, "[0].b": {"page": 2}}
    rows = references(truth, evidence), predictions(guess, {"[0].a": {"page": page}, "[1].b": {"page": 3 - page + 1}})
    schema = {"items": {"properties": {name: {"type": "string"} for name in "ab"}}}
    result = grounded(rows, metrics=(metric, "grounding"), schema=schema if metric == "typed" else None)
    taken = result["a"].tree.children[0]
    wrong = "b" if page == 1 else "a"
    assert [leaf.key for leaf in taken.leaves() if leaf.points_lost] == [wrong]
    assert {row["field"]: row["exact"] for row in result.fields}[f"[].{wrong}"] == 0


def test_nested_rows_that_tie() -> None:
    """The rows of rows decide too: each pair of outer rows counts with the best matching of its inner rows."""
    truth = [{"r": ["x", "x"]}, {"r": ["x", "x"]}]
    evidence = {f"[{i}].r[{j}]": {"page": 10 * i + j + 1} for i in range(2) for j in range(2)}
    citations = {f"[{1 - i}].r[{1 - j}]": {"page": 10 * i + j + 1} for i in range(2) for j in range(2)}
    result = grounded((references(truth, evidence), predictions(truth, citations)))
    assert figures_of(result)["grounding_page_f1"] == 1
    rows = ["x", "x"], ["x"]
    by_order = grounded(
        (references(rows[0], {"[1]": {"page": 2}, "[0]": {"page": 1}}), predictions(rows[1], {"[0]": {"page": 2}})),
        metrics=("typed", "grounding"),
        schema={"type": "array", "items": {"type": "string"}, "x-docscore": {"list_order": "kept"}},
    )
    assert by_order.breakdowns["grounding"].rows[0].levels["page"].right_value_right_region == 1


def test_rows_without_evidence_have_no_score() -> None:
    """They are not among the lowest, not fully correct, and the headline counts the others."""
    evidence = {"t": {"page": 1}}
    rows = [
        (
            references({"t": "x"}, evidence if i else None, f"q{i}"),
            predictions({"t": "x"}, {"t": {"page": 2 - i % 2}}, f"q{i}"),
        )
        for i in range(3)
    ]
    result = grounded(*rows, metrics=("grounding",))
    assert [row.id for row in result.worst()] == ["q2", "q1"]
    assert [row["grounding"] for row in result.to_dict()["per_sample"]] == [None, 1.0, 0.0]
    assert next(row["total"] for row in result.rates if row["rate"] == "fully correct documents") == 2
    assert "mean of 2 of 3 rows" in printed(print_summary, result, fields=False, worst=3)

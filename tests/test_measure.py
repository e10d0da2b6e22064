"""Several metrics over the same rows: the figures, ANLS and ANLSL, and the commands score, table and explain."""

from __future__ import annotations

import gzip
import json
import random
import re
from functools import partial
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from docscore import anls_score
from docscore.core.options import ScoringOptions
from docscore.data.pairing import pairs_of
from docscore.evaluation.metric_values import Measured, measure, scores_as
from docscore.evaluation.scores import CorpusScore, score_corpus
from docscore.metrics.base import MetricRow
from docscore.metrics.entity_f1 import entity_counts
from docscore.metrics.kieval import kieval_score, total_kieval
from docscore.metrics.nted import nted_score
from docscore.metrics.registry import METRICS
from docscore.version import VERSION
from tests.commands import HOSTILE, RAW, Write, pred, ref, run, succeed
from tests.structures import damaged, random_truth

STRUCTURED = ["anls_star", "kieval", "entity_f1", "nted"]


def random_rows(seed: int, size: int = 12) -> list[tuple[Any, Any]]:
    rng = random.Random(seed)
    truths = [{"a": random_truth(rng, 3), "m": [{"b": random_truth(rng, 1)} for _ in range(3)]} for _ in range(size)]
    return [(truth, damaged(rng, truth)) for truth in truths]


def corpus(rows: list[tuple[Any, Any]], options: ScoringOptions | None = None, **keywords: Any) -> CorpusScore:
    pairs = pairs_of([prediction for _, prediction in rows], [truth for truth, _ in rows])
    return score_corpus(pairs, options, **keywords)


def values(measured: Measured) -> dict[str, float]:
    return {figure.name: figure.value for figure in measured.figures}


@pytest.mark.parametrize("options", [ScoringOptions(), ScoringOptions(normalise=True), ScoringOptions(donut=True)])
@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_functions(seed: int, options: ScoringOptions) -> None:
    """ANLS* and nTED are means over documents; of KIEval and Entity F1 the counts are summed first."""
    rows = random_rows(seed)
    found = measure(corpus(rows, options), STRUCTURED)
    kie = total_kieval(kieval_score(*row, normalise=options.normalise) for row in rows)
    e = kie.entities
    counts = [entity_counts(*row, normalise=options.normalise, donut=options.donut) for row in rows]
    right, whole = sum(each.right for each in counts), sum(each.invented + each.missed for each in counts)
    wanted = {
        "anls_star": fsum(anls_score(*row) for row in rows) / len(rows),
        "kieval_entity_f1": e.f1,
        "kieval_entity_precision": e.precision,
        "kieval_entity_recall": e.recall,
        "kieval_group_f1": kie.groups.f1,
        "kieval_aligned": e.aligned,
        "entity_f1": 2 * right / (2 * right + whole),
        "nted": fsum(nted_score(*row, donut=options.donut) for row in rows) / len(rows),
    }
    assert values(found) == pytest.approx(wanted, abs=1e-12)
    assert list(values(found)) == list(wanted)
    assert found.kieval == kie


@pytest.mark.parametrize("name", METRICS)
def test_fields_add_up_to_the_figure(name: str) -> None:
    """Of each row: leaves of its tree to its score, sums by type of entity to those of the first figure."""
    metric = METRICS[name]
    options = ScoringOptions(schema={"properties": {"a": {"type": "number"}}}) if name == "typed" else ScoringOptions()
    answers: dict[str, list[tuple[Any, Any]]] = {
        "anls": [(("tea", "rum"), "rim"), ("", "x")],
        "anlsl": [(["a"], ["b", "a"])],
    }
    for truth, prediction in answers.get(name) or random_rows(3):
        row = MetricRow(truth, prediction, None, anls_score(truth, prediction))
        points = metric.row_points(row, options)
        earned, weight = metric.figure_sums(points)[0]
        if metric.field_source == "tree":
            tree = metric.score_tree(row, options)
            assert tree is not None
            assert fsum(leaf.points_lost for leaf in tree.leaves()) == pytest.approx(1 - earned / weight)
            assert tree.score == earned / weight
        if metric.field_source == "entities":
            fields = metric.field_sums(points)
            assert [*map(sum, zip(*fields.values(), strict=True))] == [earned, weight]


def test_a_strict_field_has_the_score_of_its_row() -> None:
    """ANLS with `strict`: a similarity of 0.5 is wrong in the row, and so in its tree."""
    row = MetricRow(("ab", "xy"), "ac", None, anls_score(("ab", "xy"), "ac"))
    tree, strict = (METRICS["anls"].score_tree(row, ScoringOptions(strict=each)) for each in (False, True))
    assert [(each.status, each.earned, each.points_lost) for each in (tree, strict) if each] == [
        ("partial", 0.5, 0.5),
        ("wrong", 0.0, 1.0),
    ]


def test_every_figure_has_an_interval_around_it_and_plain_types() -> None:
    found = measure(corpus(random_rows(1)), STRUCTURED, confidence=0.9)
    for figure in found.figures:
        assert figure.interval is not None
        assert figure.interval.ends is not None
        assert 0 <= figure.interval.ends[0] < figure.value < figure.interval.ends[1] <= 1
    result = found.to_dict()
    assert {type(value) for value in result.values()} == {float, int, dict}
    assert {type(end) for ends in result["confidence_intervals"].values() for end in ends} == {float}
    assert set(result["confidence_intervals"]) == set(values(found))
    assert measure(corpus(random_rows(1)), STRUCTURED, confidence=0.9).to_dict() == result


def test_no_interval_unless_asked_nor_of_one_document() -> None:
    rows = random_rows(1)
    assert "confidence_intervals" not in measure(corpus(rows), ["nted"]).to_dict()
    [figure] = measure(corpus(rows[:1]), ["nted"], confidence=0.95).figures
    assert figure.interval is not None
    assert (figure.interval.ends, figure.interval.note) == (None, "one document: an interval needs two")


def test_nothing_to_count_is_1() -> None:
    found = measure(corpus([({}, {}), (None, None)]), STRUCTURED, confidence=0.95)
    assert set(values(found).values()) == {1.0}


def test_metrics_that_do_not_exist() -> None:
    scores = corpus([("x", "x")])
    names = ", ".join(METRICS)
    for given, got in ((["bleu", "nted", "wer"], "'bleu', 'wer'"), ([], "none")):
        with pytest.raises(ValueError, match=f"^metrics: expected some of {names}, got {got}$"):
            measure(scores, given)


def test_each_metric_counts_once_and_in_the_order_asked_for() -> None:
    found = measure(corpus([("x", "x")]), ["nted", "anls", "nted"])
    assert list(values(found)) == ["nted", "anls"]
    assert list(found.signatures) == ["nted", "anls"]


def test_values_that_a_metric_cannot_take_are_named_with_their_row() -> None:
    rows = [({"a": "x"}, {"a": "x"}), ([("x", ["y"])] * 10, [])]
    for metric in ("kieval", "entity_f1", "nted"):
        with pytest.raises(ValueError, match=r"^row '1': \$: expected at most 1,000 readings"):
            measure(corpus(rows), [metric])


SIGNATURES: list[tuple[list[str], ScoringOptions, str]] = [
    (["kieval"], ScoringOptions(), "kieval|compare:exact"),
    (["entity_f1"], ScoringOptions(normalise=True), "entity_f1|compare:folded"),
    (["nted"], ScoringOptions(normalise=True), "nted"),
    (["nted", "kieval"], ScoringOptions(donut=True), "nted|read:donut kieval|compare:exact"),
    (["kieval"], ScoringOptions(donut=True), "kieval|compare:exact"),
]


@pytest.mark.parametrize(("metrics", "options", "signature"), SIGNATURES)
def test_signature(metrics: list[str], options: ScoringOptions, signature: str) -> None:
    """Each metric has its own, which names the options that matter to it."""
    found = measure(corpus([({}, {})], options), metrics)
    assert [*found.signatures.values()] == [f"{each}|docscore:{VERSION}" for each in signature.split()]
    assert found.signature == found.signatures[metrics[0]]


@pytest.mark.parametrize("metric", ["anls_star", "anls"])
@pytest.mark.parametrize("options", [{"threshold": 0.9}, {"ignore_case": False}, {"parse": "json"}])
def test_figures_that_are_not_comparable_have_other_signatures(metric: str, options: dict[str, Any]) -> None:
    rows = [("Tea", '"tee"'), ("Rum", "rum"), ("coffee", "coffe")]
    plain, other = (measure(corpus(rows, **given), [metric]) for given in ({}, options))
    assert values(plain) != values(other)
    assert plain.signature != other.signature


def test_what_is_normalised_says_so() -> None:
    """Where documents are read as Donut's evaluation does, nothing is folded, or it is and changes the figure."""
    rows = [({"a": "X"}, {"a": "x"})]
    exact, folded = (measure(corpus(rows, normalise=each, donut=True), ["entity_f1"]) for each in (False, True))
    assert (values(exact) == values(folded)) == (exact.signature == folded.signature)


WORKED: list[tuple[str, str, float]] = [  # what docs/conventions.md says of docscore
    ("ab", "ax", 0.5),
    ("New York", "new york", 1.0),
    ("New  York", "New York", 1.0),
    (" a", "a", 1.0),
    ("", "", 1.0),
    ("abc", "", 0.0),
    ("12", "12.0", 0.5),
]


@pytest.mark.parametrize(("truth", "prediction", "score"), WORKED)
def test_anls_of_the_worked_answers(truth: str, prediction: str, score: float) -> None:
    """With `strict` a similarity of exactly 0.5 counts as 0."""
    rows = [(truth, prediction), ((truth, "other answer"), prediction)]
    assert scores_as(corpus(rows), "anls").scores == [score, score]
    strict = 0.0 if score == 0.5 else score
    assert scores_as(corpus(rows, strict=True), "anls").scores == [strict, strict]


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_strict_is_at_exactly_the_threshold(threshold: float) -> None:
    """In tenths, most of which are not exact in binary; what is above it stays."""
    wrong = round(10 * (1 - threshold))
    rows = [("a" * 10, "a" * (10 - off) + "b" * off) for off in (wrong, wrong - 1)]
    scores = corpus(rows, threshold=threshold)
    assert scores.scores == pytest.approx([threshold, threshold + 0.1])
    strict = scores_as(corpus(rows, threshold=threshold, strict=True), "anls")
    assert strict.scores == [0.0, scores.scores[1]]
    assert "boundary:0" in strict.signature
    assert "boundary" not in scores_as(scores, "anls").signature


def test_anls_and_anlsl_are_anls_star_of_texts_and_of_lists() -> None:
    rng = random.Random(0)
    words = ["tea", "tee", "Tea ", "rum", "", "12", 12]
    texts: list[tuple[Any, Any]] = [(tuple(rng.choices(words, k=2)), rng.choice([*words, None])) for _ in range(50)]
    sizes = [(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(50)]
    lists: list[tuple[Any, Any]] = [(rng.choices(words, k=n), rng.choices(words, k=m)) for n, m in sizes]
    lists.append(((["tea"], ["rum", "tea"]), ["tee"]))
    for rows, metric in ((texts, "anls"), (lists, "anlsl")):
        scores = corpus(rows)
        assert scores_as(scores, metric).scores == scores.scores
        assert values(measure(scores, [metric])) == {metric: pytest.approx(scores.mean, abs=1e-15)}
        assert scores_as(scores, metric).signature == scores.signature.replace("anls_star", metric)


REFUSED: list[tuple[str, Any, Any, str]] = [
    ("anls", {"a": "x"}, "x", "expected acceptable answers that are texts, got dict"),
    ("anls", ("x", ["y"]), "x", "expected acceptable answers that are texts, got list"),
    ("anls", "x", ["x"], "expected predictions that are texts, got list"),
    ("anlsl", "x", ["x"], "expected acceptable answers that are lists of texts, got str"),
    ("anlsl", [["x"]], ["x"], "expected acceptable answers that are lists of texts, got list"),
    ("anlsl", ["x"], "x", "expected predictions that are lists of texts, got str"),
    ("anlsl", ["x"], [{"a": "x"}], "expected predictions that are lists of texts, got list"),
]


@pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
@pytest.mark.parametrize(("metric", "truth", "prediction", "message"), REFUSED)
def test_anls_refuses_what_it_was_not_made_for(metric: str, truth: Any, prediction: Any, message: str) -> None:
    """Naming the row."""
    fine: Any = ["x"] if metric == "anlsl" else "x"
    with pytest.raises(ValueError, match=f"^row '1': {re.escape(message)}$"):
        measure(corpus([(fine, fine), (truth, prediction)]), [metric])


def test_strict_is_not_for_lists() -> None:
    with pytest.raises(ValueError, match=r"^anlsl: .*expected strict=False, got True$"):
        scores_as(corpus([(["x"], ["x"])], strict=True), "anlsl")


def test_tables_by_type() -> None:
    score = kieval_score({"m": [{"a": "x", "b": "y"}], "c": "z"}, {"m": [{"a": "x", "b": "q"}, {}]})
    found = score.tables()
    assert [(row["entity"], row["f1"], row["aligned"]) for row in found["entities"]] == [
        ("c", 0.0, 0.0),
        ("m.a", 1.0, 1.0),
        ("m.b", 0.0, 0.0),
    ]
    assert found["groups"] == [{"group": "m", "f1": 0.0, "right": 0, "wrong": 1, "missed": 0, "invented": 1}]
    assert json.loads(json.dumps(found)) == found


def system(write: Write, name: str, rows: list[tuple[Any, Any]]) -> Path:
    return write(name, [pred(f"d{number}", prediction) for number, (_, prediction) in enumerate(rows)])


def truths(write: Write, rows: list[tuple[Any, Any]]) -> Path:
    return write("r.jsonl", [ref(f"d{number}", truth) for number, (truth, _) in enumerate(rows)])


def test_a_number_called_confidence_is_nobodys_business_unless_asked_for(write: Write) -> None:
    """Rows may hold whatever a pipeline writes; confidences are read where they are needed."""
    files = truths(write, [("x", "x")]), write("p.jsonl", [{**pred("d0", "x"), "confidence": "high"}])
    assert json.loads(succeed("score", *files, "--metrics", "kieval", "--json"))["metrics"]["kieval_aligned"] == 1.0


def two_systems(write: Write, *names: str) -> tuple[Path, list[Path]]:
    """The first is right, the second wrong, and both have the group."""
    truth = {"t": {"a": "x", "b": "y"}}
    guesses = [truth, {"t": {"a": "x", "b": "z"}}]
    paths = [system(write, name, [(truth, guess)]) for name, guess in zip(names, guesses, strict=True)]
    return truths(write, [(truth, None)]), paths


def test_hostile_file_names(write: Write) -> None:
    """Neither a terminal, nor Markdown, nor LaTeX is steered by them."""
    name = HOSTILE.replace("\x00", "") + r"|`*<b>&$%_#{}\~^@x"
    references, paths = two_systems(write, f"{name}.jsonl", "bad.jsonl")
    call = partial(succeed, "table", "--references", references, *paths, "--format")
    text, markdown, latex = call("text"), call("markdown"), call("latex")
    assert not any(RAW.search(each) for each in (text, markdown, latex))
    row = markdown.splitlines()[2]
    assert row.count("|") == 3
    assert not re.search(r"[`<>@\\$~^]|\*\*.*\*\*.*\*", row)
    row = latex.splitlines()[10]
    assert len(re.findall(r"(?<!\\)&", row)) == 1
    assert r"\&\$\%\_\#\{\}\textbackslash{}\textasciitilde{}\textasciicircum{}" in row


NAMES: list[tuple[list[str], list[str]]] = [
    (["a.jsonl", "b.jsonl.gz"], ["a", "b"]),
    (["gpt-4.1.jsonl", "qwen2.5-vl.jsonl"], ["gpt-4.1", "qwen2.5-vl"]),
    (["v1.0.jsonl", "v1.5.jsonl"], ["v1.0", "v1.5"]),
]


@pytest.mark.parametrize(("names", "called"), NAMES)
def test_systems_are_called_by_their_files_without_extension(names: list[str], called: list[str], write: Write) -> None:
    """A version in the name is part of it."""
    references, paths = two_systems(write, *(name.removesuffix(".gz") for name in names))
    for number, name in enumerate(names):
        if name.endswith(".gz"):
            packed = write(name, gzip.compress(paths[number].read_bytes()))
            paths[number] = packed
    found = json.loads(succeed("table", "--references", references, *paths, "--json"))["systems"]
    assert [each["system"] for each in found] == called


def test_two_files_of_the_same_name_need_another(write: Write, tmp_path: Path) -> None:
    """A path does not belong into a paper."""
    references, paths = two_systems(write, "good.jsonl", "bad.jsonl")
    others = []
    for path in paths:
        folder = tmp_path / path.stem
        folder.mkdir()
        others.append(path.rename(folder / "p.jsonl"))
    done = run("table", "--references", references, *others)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("docscore: two systems are called 'p'; --name NAME=FILE gives a name")
    named = succeed("table", "--references", references, others[0], "--name", f"Theirs={others[1]}", "--json")
    assert [each["system"] for each in json.loads(named)["systems"]] == ["p", "Theirs"]

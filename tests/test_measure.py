"""Several metrics over the same rows: figures, whose tree a row has, and a metric from outside."""

from __future__ import annotations

import json
import random
import re
import sys
from functools import partial
from math import fsum
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore import anls_score
from docscore.core.options import CompareOptions, ReadOptions, read_and_compare_options
from docscore.evaluation.evaluation import Evaluation, evaluate_rows
from docscore.evaluation.registry import METRICS, signature_of
from docscore.inputs.pairing import pairs_of
from docscore.metrics.base import FigureName, MeanOfRows, MetricRow
from docscore.metrics.kieval import entity_counts, kieval_score, total_kieval
from docscore.metrics.nted import nted_score
from docscore.report.html_report import report_as_html
from docscore.version import VERSION
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, run, succeed
from tests.conftest import golden
from tests.structures import damaged, random_truth

pytestmark = pytest.mark.filterwarnings("ignore:references. .* accept a missing value")  # random ground truths may
STRUCTURED = ["anls_star", "kieval", "entity_f1", "nted"]


def evaluated(rows: list[tuple[Any, Any]], *metrics: str, **options: Any) -> Evaluation:
    pairs = pairs_of([prediction for _, prediction in rows], [truth for truth, _ in rows])
    return evaluate_rows(pairs, *read_and_compare_options(options), metrics=metrics, confidence=None)


@pytest.mark.parametrize(("normalise", "donut"), [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("seed", range(5))
def test_figures_are_those_of_the_functions(seed: int, normalise: bool, donut: bool) -> None:
    """ANLS* and nTED are means over documents; of KIEval and Entity F1 the counts are summed first."""
    rng = random.Random(seed)
    truths = [{"a": random_truth(rng, 3), "m": [{"b": random_truth(rng, 1)} for _ in range(3)]} for _ in range(12)]
    rows = [(truth, damaged(rng, truth)) for truth in truths]
    evaluation = evaluated(rows, *STRUCTURED, normalise=normalise, donut=donut)
    kie = total_kieval(kieval_score(*row, normalise=normalise) for row in rows)
    e = kie.entities
    counts = [entity_counts(*row, normalise=normalise, donut=donut) for row in rows]
    right, whole = sum(each.right for each in counts), sum(each.invented + each.missed for each in counts)
    wanted = {
        "anls_star": fsum(anls_score(*row) for row in rows) / len(rows),
        "kieval_entity_f1": e.f1,
        "kieval_entity_precision": e.precision,
        "kieval_entity_recall": e.recall,
        "kieval_group_f1": kie.groups.f1,
        "kieval_aligned": e.aligned,
        "entity_f1": 2 * right / (2 * right + whole),
        "nted": fsum(nted_score(*row, donut=donut) for row in rows) / len(rows),
    }
    assert evaluation.figures == pytest.approx(wanted, abs=1e-12)
    assert list(evaluation.figures) == list(wanted)
    assert evaluation.breakdowns["kieval"] == kie


def test_a_strict_field_has_the_score_of_its_row() -> None:
    """ANLS with `strict`: a similarity of 0.5 is wrong in the row, and so in its tree."""
    row = MetricRow(("ab", "xy"), "ac", None, partial(anls_score, ("ab", "xy"), "ac"))
    for strict, expected in ((False, ("partial", 0.5, 0.5)), (True, ("wrong", 0.0, 1.0))):
        tree = METRICS["anls"].score_tree(row, CompareOptions(strict=strict))
        assert tree is not None
        assert (tree.status, tree.earned, tree.points_lost) == expected


@pytest.mark.filterwarnings("ignore:(references|predictions). .*are null or empty")
def test_nothing_to_count_is_1() -> None:
    evaluation = evaluated([({}, {}), (None, None)], *STRUCTURED)
    assert {figure.value for figure in evaluation.measured} == {1.0}


def test_metrics_that_do_not_exist() -> None:
    names = ", ".join(METRICS)
    for given, got in ((["bleu", "nted", "wer"], "'bleu', 'wer'"), ([], "none")):
        with pytest.raises(ValueError, match=f"^metrics: expected some of {names}, got {got}$"):
            evaluated([("x", "x")], *given)


def test_a_value_that_a_metric_cannot_take_is_named_with_its_row() -> None:
    for metric in STRUCTURED[1:]:
        with pytest.raises(ValueError, match=r"^row '1': \$: expected at most 1,000 readings"):
            _ = evaluated([({"a": "x"}, {"a": "x"}), ([("x", ["y"])] * 10, [])], metric).figures


@golden("measure", "signatures")
def test_each_metric_counts_once_and_its_signature_names_the_options_that_matter_to_it(
    metrics: str, options: dict[str, Any], signature: str
) -> None:
    names = metrics.split()
    evaluation = evaluated([({}, {})], *names, **options)
    assert [*evaluation.signatures.values()] == [f"{each}|docscore:{VERSION}" for each in signature.split()]
    assert evaluation.signature == evaluation.signatures[names[0]]
    assert next(iter(evaluation.figures)).startswith(names[0])


@pytest.mark.filterwarnings("ignore:(references|predictions). .*(are null or empty|in a different notation)")
@golden("measure", "worked")  # what docs/how_others_compute_anls.md says of docscore
def test_anls_of_the_worked_answers(truth: str, prediction: str, score: float) -> None:
    """With `strict` a similarity of exactly 0.5 counts as 0."""
    rows = [(truth, prediction), ((truth, "other answer"), prediction)]
    assert evaluated(rows, "anls").scores == [score, score]
    strict = 0.0 if score == 0.5 else score
    assert evaluated(rows, "anls", strict=True).scores == [strict, strict]


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_strict_is_at_exactly_the_threshold(threshold: float) -> None:
    """In tenths, most of which are not exact in binary; what is above it stays."""
    wrong = round(10 * (1 - threshold))
    rows = [("a" * 10, "a" * (10 - off) + "b" * off) for off in (wrong, wrong - 1)]
    scores = evaluated(rows, "anls", threshold=threshold)
    assert scores.scores == pytest.approx([threshold, threshold + 0.1])
    strict = evaluated(rows, "anls", threshold=threshold, strict=True)
    assert strict.scores == [0.0, scores.scores[1]]
    assert ("boundary:0" in strict.signature, "boundary" in scores.signature) == (True, False)


def test_anls_and_anlsl_are_anls_star_of_texts_and_of_lists() -> None:
    rng = random.Random(0)
    words = ["tea", "tee", "Tea ", "rum", "", "12", 12]
    texts: list[tuple[Any, Any]] = [(tuple(rng.choices(words, k=2)), rng.choice([*words, None])) for _ in range(50)]
    sizes = [(rng.randint(0, 3), rng.randint(0, 3)) for _ in range(50)]
    lists: list[tuple[Any, Any]] = [(rng.choices(words, k=n), rng.choices(words, k=m)) for n, m in sizes]
    lists.append(((["tea"], ["rum", "tea"]), ["tee"]))
    for rows, metric in ((texts, "anls"), (lists, "anlsl")):
        scores, same = evaluated(rows, "anls_star"), evaluated(rows, metric)
        assert same.scores == scores.scores
        assert same.figures == {metric: pytest.approx(scores.score, abs=1e-15)}
        assert same.signature == scores.signature.replace("anls_star", metric)


@pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
@golden("measure", "refused")
def test_anls_refuses_what_it_was_not_made_for(metric: str, truth: Any, prediction: Any, message: str) -> None:
    """Naming the row."""
    fine: Any = ["x"] if metric == "anlsl" else "x"
    with pytest.raises(ValueError, match=f"^row '1': {re.escape(message)}$"):
        _ = evaluated([(fine, fine), (truth, prediction)], metric).figures


OWN = """
from docscore.metrics.base import FigureName, MeanOfRows

class Mine(MeanOfRows):
    name, label, figures = "mine", "Mine", (FigureName("mine", "Mine"),)
    options = frozenset({"threshold"})

    def row_points(self, row, options):
        return float(row.anls_star == 1)

class Twin(Mine):
    name = "twin"

class Taken(Mine):
    name = "kieval"

class Half(MeanOfRows):
    name, label, figures = "half", "Half", ()
"""


@pytest.fixture
def own_metrics(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A module in the current folder, whose metrics are taken away afterwards."""
    (tmp_path / "own_metrics.py").write_text(OWN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("mine", "twin"):
        monkeypatch.setitem(METRICS, name, METRICS["anls"])
        monkeypatch.delitem(METRICS, name)
    monkeypatch.setitem(sys.modules, "own_metrics", sys)
    monkeypatch.delitem(sys.modules, "own_metrics")


@pytest.mark.usefixtures("own_metrics")
def test_a_metric_of_ones_own_is_named_by_its_class() -> None:
    """In the command, whose current folder may hold it, and in Python; as often as one likes."""
    output = json.loads(
        succeed("score", REFERENCES, PREDICTIONS, "--metrics", "own_metrics:Mine,anls_star", "--json", "--rows")
    )
    scores = [row["mine"] for row in output["per_sample"]]
    assert {*scores} == {0.0, 1.0}
    for _ in range(2):
        result = docscore.evaluate(
            references=REFERENCES, predictions=PREDICTIONS, metrics=["own_metrics:Mine", "anls_star"]
        )
        assert result.metric == "mine"
        assert result.score == fsum(scores) / len(scores)
        assert result.signature.startswith("mine|tau:0.5|docscore:")


FAILING = """
from docscore.metrics.base import FigureName, MeanOfRows

class {name}(MeanOfRows):
    name, label, figures = "mine", "Mine", (FigureName("mine", "Mine"),)

    def row_points(self, row, options):
        return {points}

    def figure_sums(self, points):
        return {sums}
"""


@pytest.mark.usefixtures("own_metrics")
@golden("measure", "own metrics that fail")
def test_a_metric_of_ones_own_that_fails_shows_its_line(points: str, sums: str, said: str) -> None:
    Path("own_metrics.py").write_text(FAILING.format(name="Mine", points=points, sums=sums), "utf-8")
    done = run("score", REFERENCES, PREDICTIONS, "--metrics", "own_metrics:Mine")
    line = 8 if sums == "[(1, 1)]" else 11
    assert done.code == 2
    assert done.err == f"docscore: row 'receipt-001': {said}{Path.cwd() / 'own_metrics.py'}, line {line})\n"


@pytest.mark.usefixtures("own_metrics")
def test_a_metric_of_ones_own_without_a_denominator_has_no_figure() -> None:
    """Which is an error only if it is the primary metric."""
    Path("own_metrics.py").write_text(FAILING.format(name="Mine", points="0", sums="[(0, 0)]"), "utf-8")
    sides: dict[str, Any] = {"references": ["x", "y"], "predictions": ["x", "z"]}
    message = "metric mine: expected a denominator above 0 in at least one row, got none"
    sys.path.append(str(Path.cwd()))
    with pytest.warns(UserWarning, match=message):
        assert docscore.evaluate(**sides, metrics=["anls_star", "own_metrics:Mine"]).figures == {"anls_star": 0.5}
    with pytest.raises(ValueError, match=f"^{message}$"):
        _ = docscore.evaluate(**sides, metrics=["own_metrics:Mine"]).score


@pytest.mark.usefixtures("own_metrics")
def test_the_tree_of_a_metric_of_ones_own_says_whose_it_is() -> None:
    arguments = ("explain", REFERENCES, PREDICTIONS, "--id", "receipt-018")
    done = run(*arguments, "--metric", "own_metrics:Mine")
    assert (done.code, done.out) == (0, succeed(*arguments))
    assert done.err == "This is the tree of ANLS*.\n"
    tree = "\n    def score_tree(self, row, options):\n        return super().score_tree(row, options)\n"
    Path("own_metrics.py").write_text(OWN.replace("\nclass Twin", f"{tree}\nclass Twin"), "utf-8")
    METRICS.pop("mine")
    sys.modules.pop("own_metrics")
    assert run(*arguments, "--metric", "own_metrics:Mine").err == "This is the tree of Mine.\n"
    wrong = run(*arguments, "--metric", "own_metrics:FigureName")
    assert (wrong.code, "expected a class derived from docscore.metrics.base.Metric" in wrong.err) == (2, True)


@pytest.mark.usefixtures("own_metrics")
@golden("measure", "own metrics that cannot be loaded")
def test_metrics_that_cannot_be_loaded(names: str, message: str) -> None:
    done = run("score", REFERENCES, PREDICTIONS, "--metrics", names)
    assert (done.code, message in done.err) == (2, True), done.err


def test_a_metric_has_only_options_that_exist() -> None:
    with pytest.raises(
        ValueError, match=r"^the options of Wrong: expected names of fields of CompareOptions, got 'tau'$"
    ):
        type("Wrong", (OwnMetric,), {"options": frozenset({"threshold", "tau"})})


@pytest.mark.parametrize("metric", METRICS)
def test_a_signature_says_that_confidences_were_removed(metric: str) -> None:
    schema: dict[str, Any] = {"schema": {}} if metric == "typed" else {}
    with_them, without = (
        signature_of(metric, CompareOptions(**schema), ReadOptions(with_confidences=each)) for each in (True, False)
    )
    assert with_them.replace("|confidences:removed", "", 1) == without != with_them


class OwnMetric(MeanOfRows):
    """A metric of one's own, whose points of the row "b" are those of a test."""

    name, label, figures = "own", "Own", (FigureName("own", "Own"),)
    points: Any = ()

    def row_points(self, row: MetricRow, options: CompareOptions) -> Any:  # noqa: ARG002
        return self.points if row.question_id == "b" else [(0.0, 0.0)]

    def figure_sums(self, points: Any) -> Any:
        return points


@golden("measure", "impossible")
def test_impossible_figures_of_a_metric_of_ones_own(monkeypatch: pytest.MonkeyPatch, points: Any, got: str) -> None:
    """The error names the metric and the row; a row in which nothing counts has 0 of 0."""
    monkeypatch.setitem(METRICS, "own", OwnMetric())
    monkeypatch.setattr(OwnMetric, "points", points)
    sides: dict[str, Any] = {name: {"a": 1, "b": 2} for name in ("predictions", "references")}
    with pytest.raises(ValueError, match=r"^row 'b': metric own: expected 1 pair .* denominator, got ") as caught:
        _ = docscore.evaluate(**sides, metrics="own").figures
    assert got in str(caught.value)
    state = docscore.ScoreState(metrics=["own"])
    with pytest.raises(ValueError, match="metric own"):
        state.update([pred("b", 2)], [ref("b", 2)])
    monkeypatch.setattr(OwnMetric, "points", [(0.5, 0.5)])
    assert docscore.evaluate(**sides, metrics="own").figures == {"own": 1.0}


@pytest.mark.parametrize("metric", ["kieval", "entity_f1", "nted"])
def test_a_metric_without_a_tree_has_the_one_of_anls_star_or_of_the_typed_score(metric: str) -> None:
    """The tree says whose it is in Python, on the command line, in JSON, in notebooks and in reports."""
    sides: dict[str, Any] = {"predictions": PREDICTIONS, "references": REFERENCES}
    result, default = docscore.evaluate(**sides, metrics=[metric]), docscore.evaluate(**sides)
    row, name = result["receipt-018"], "receipt-018"
    assert (row.tree, row.tree.metric, row.annotations) == (default[name].tree, "anls_star", default[name].annotations)
    assert str(row) == f"This is the tree of ANLS*.\n{default[name]}"
    assert "This is the tree of ANLS*." in row._repr_html_()
    assert f"ANLS* {row.tree.score:.3f}. " in report_as_html(result, "p", 10)
    typed = docscore.evaluate(**sides, metrics=[metric], schema={})[name]
    assert (typed.tree.metric, typed.to_dict()["tree"]["metric"], typed.text_options) == ("typed", "typed", None)

    shown = run("explain", REFERENCES, PREDICTIONS, "--id", name, "--metric", metric)
    figures, _, tree = shown.out.partition("\n\n")
    assert (shown.err, tree) == (
        "This is the tree of ANLS*.\n",
        succeed("explain", REFERENCES, PREDICTIONS, "--id", name),
    )
    of_row = docscore.evaluate(predictions=[row.prediction], references=[row.ground_truth], metrics=[metric])
    lines = [re.split(" {2,}", line) for line in figures.split("\n")]
    assert [line[:2] for line in lines] == [[each.label, f"{each.value:.4f}"] for each in of_row.measured]
    assert all(line[2].endswith(".") for line in lines)
    if metric != "kieval":  # whose JSON lists corrections
        printed = json.loads(succeed("explain", REFERENCES, PREDICTIONS, "--id", name, "--metric", metric, "--json"))
        assert (printed["metric"], printed["figures"]) == ("anls_star", of_row.figures)


OWN_TREE = """

    def score_tree(self, row, options):
        whole, sides = Whole(1.0), [(row.ground_truth, "$", None), (row.prediction, "$", None)]
        points = self.row_points(row, options), 1.0
        status = "exact" if points[0] else "wrong"
        more = {"headline": "Mine: all or nothing", "facts": ["1 document"]}
        return metric_node(*sides, path="$", whole=whole, status=status, points=points, **more)
"""


@pytest.mark.usefixtures("own_metrics")
def test_a_metric_of_ones_own_explains_itself_by_its_own_tree() -> None:
    imports = "from docscore.metrics.anls_star.tree import Whole\nfrom docscore.metrics.base import metric_node\n"
    Path("own_metrics.py").write_text(imports + OWN.replace("\n\nclass Twin", f"{OWN_TREE}\nclass Twin", 1), "utf-8")
    arguments = ("explain", REFERENCES, PREDICTIONS, "--id", "receipt-018", "--metric", "own_metrics:Mine")
    shown = run(*arguments)
    assert (shown.out.split("\n")[:2], shown.err) == (
        ["Mine: all or nothing  0.0000", "1 document"],
        "This is the tree of Mine.\n",
    )
    assert json.loads(succeed(*arguments, "--json"))["metric"] == "mine"
    sides: dict[str, Any] = {"predictions": PREDICTIONS, "references": REFERENCES}
    first, second = (docscore.evaluate(**sides, metrics=names) for names in (["mine", "nted"], ["anls_star", "mine"]))
    row = second["receipt-018"]
    assert (first.row(0).other_trees, [tree.metric for tree in row.other_trees], row.tree.metric) == (
        [],
        ["mine"],
        "anls_star",
    )
    for result in (first, second):
        assert "Mine: all or nothing" in report_as_html(result, "p", 1)
        assert "Mine: all or nothing" in result["receipt-018"]._repr_html_()

"""The same rows give the same figures through every face of the library, to the last bit."""

from __future__ import annotations

import html
import json
import re
import tempfile
import warnings
from collections.abc import Callable
from math import fsum
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docscore
from docscore.data.json_text import dumps, parse_text
from docscore.evaluation.systems import systems_of
from docscore.integrations.datasets import score_batch
from docscore.metrics import registry
from docscore.report.markup import report_as_markdown
from docscore.report.systems_report import systems_table
from tests.commands import pred, ref, run, written
from tests.conftest import examples, golden
from tests.structures import evaluation_of, predictions, truths

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SOME = examples(50)
METRICS = ("anls_star", "kieval", "entity_f1", "nted")


class Rows(NamedTuple):
    """A test set by id, one row of which may lack its prediction."""

    references: list[dict[str, Any]]
    predictions: list[dict[str, Any]]


def rows_of(answers: list[list[Any]], found: list[Any], *, absent: bool) -> Rows:
    rows = [pred(f"q{i}", each) for i, each in enumerate(found)]
    return Rows([ref(f"q{i}", *each) for i, each in enumerate(answers)], rows[absent:][::-1])


@st.composite
def random_sets(draw: Callable[..., Any]) -> tuple[Rows, dict[str, Any]]:
    """Random rows, of which some predictions are JSON text, and random options of ANLS*."""
    count = draw(st.integers(1, 6))
    choices: dict[str, list[Any]] = {
        "threshold": [0.0, 0.3, 0.5, 0.8, 1.0],
        "ignore_case": [True, False],
        "rules": ["paper", "anls_star-1.0.1"],
        "numbers": ["text", "value"],
        "parse": [None, "json", "repair"],
        "missing": ["error", "zero"],
    }
    options: dict[str, Any] = {name: draw(st.sampled_from(values)) for name, values in choices.items()}
    answers = draw(st.lists(st.lists(truths, min_size=1, max_size=2), min_size=count, max_size=count))
    found = draw(st.lists(st.one_of(predictions, predictions.map(dumps)), min_size=count, max_size=count))
    return rows_of(answers, found, absent=options["missing"] == "zero"), options


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("faces")


@pytest.fixture(scope="module")
def modules(folder: Path) -> dict[str, Any]:
    evaluate = pytest.importorskip("evaluate")
    return {name: evaluate.load(docscore.evaluate_module(name), cache_dir=str(folder / "cache")) for name in METRICS}


def files(rows: Rows, folder: Path) -> tuple[Path, Path]:
    paths = folder / "references.jsonl", folder / "predictions.jsonl"
    for path, side in zip(paths, rows, strict=True):
        path.write_text("".join(dumps(row) + "\n" for row in side), "utf-8", newline="")
    return paths


def command(rows: Rows, folder: Path, *flags: str) -> Any:
    done = run("score", *files(rows, folder), "--json", *flags)
    assert done.code == 0, done.err
    return json.loads(done.out)


def flags_of(options: dict[str, Any]) -> list[str]:
    flags = [] if options["ignore_case"] else ["--case-sensitive"]
    others = {name: value for name, value in options.items() if name != "ignore_case" and value is not None}
    return [*flags, *(f"--{name.replace('_', '-')}={value}" for name, value in others.items())]


def values_of(rows: Rows, parse: str | None) -> list[tuple[Any, Any]]:
    """The pairs that are scored."""
    found = {row["question_id"]: row["prediction"] for row in rows.predictions}
    pairs = [(tuple(row["references"]), found.get(row["question_id"])) for row in rows.references]
    return [
        (truth, parse_text(value, parse).value if parse and isinstance(value, str) else value) for truth, value in pairs
    ]


@SOME
@given(random_sets())
def test_rows_in_python(test_set: tuple[Rows, dict[str, Any]]) -> None:
    rows, options = test_set
    alone = {name: options[name] for name in ("threshold", "ignore_case", "rules", "numbers")}
    pairs = values_of(rows, options["parse"])
    scores = [docscore.anls_score(*pair, **alone) for pair in pairs]
    mean = fsum(scores) / len(scores)
    assert docscore.score_pairs(pairs, **alone).tolist() == scores
    columns = {"prediction": [each for _, each in pairs], "references": [list(each) for each, _ in pairs]}
    assert score_batch(columns, **alone)["anls_score"] == scores
    pairs_by_id = docscore.pairs_of(rows.predictions, rows.references, options["missing"])
    assert evaluation_of(pairs_by_id, **options).scores == scores
    result = docscore.evaluate(**rows._asdict(), **options)
    assert (result.score, result.figures) == (mean, {"anls_star": mean})
    assert result.documents.to_dict()["anls_score"] == scores


@SOME
@given(test_set=random_sets())
def test_the_command_and_evaluate(test_set: tuple[Rows, dict[str, Any]], modules: dict[str, Any], folder: Path) -> None:
    rows, options = test_set
    both = rows._asdict()
    result = docscore.evaluate(**both, **options)
    printed = command(rows, folder, "--fields", *flags_of(options))
    asked = {"per_sample": True, "key_scores": True, "confidence": 0.95, "signature": True}
    loaded = modules["anls_star"].compute(**both, **asked, **options)
    for face in (printed, loaded):
        assert face["anls_score"] == result.score
        assert [row["anls_score"] for row in face["per_sample"]] == result.documents.to_dict()["anls_score"]
        assert {row["field"]: row["score"] for row in face["key_scores"]} == {
            row["field"]: row["score"] for row in result.fields
        }
        assert {cause: lost for cause, lost in face["points_lost"].items() if lost} == {
            row["cause"]: row["points_lost"] for row in result.causes
        }
        assert face["signature"] == result.signature
        interval = face["confidence_interval"]  # in JSON a list
        assert (interval and tuple(interval)) == result.to_dict()["confidence_interval"]


texts = st.sampled_from(["tea", "Tea", "rum", "r um", "", "12", "12.0"])
documents = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.one_of(texts, st.lists(st.dictionaries(st.sampled_from(["n", "p"]), texts, max_size=2), max_size=3)),
    max_size=3,
)


@SOME
@given(st.lists(st.tuples(documents, documents), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_all_metrics(
    modules: dict[str, Any], folder: Path, pairs: list[tuple[Any, Any]], normalise: bool, donut: bool
) -> None:
    rows = rows_of([[truth] for truth, _ in pairs], [found for _, found in pairs], absent=False)
    options: dict[str, Any] = {"normalise": normalise, "donut": donut}
    both = rows._asdict()
    result = docscore.evaluate(**both, metrics=METRICS, **options)
    flags = [f"--{name}" for name, value in options.items() if value]
    printed = command(rows, folder, "--metrics", ",".join(METRICS), *flags)["metrics"]
    state = docscore.ScoreState(metrics=METRICS, fields=False, **options)
    state.update(**both)
    assert {name: printed[name] for name in result.figures} == result.figures == state.compute()

    loaded = modules["kieval"].compute(**both, normalise=normalise)
    loaded |= modules["entity_f1"].compute(**both, **options)
    loaded |= modules["nted"].compute(**both, donut=donut)
    assert {name: value for name, value in loaded.items() if name in result.figures} == {
        name: value for name, value in result.figures.items() if name != "anls_star"
    }


def page_of(references: Path, predictions: Path, folder: Path, **asked: Any) -> Any:
    testset, requests = (pytest.importorskip(f"playground.{name}") for name in ("testset", "requests"))
    request = requests.FileRequest(references=references, predictions=predictions, **asked)
    return testset.score_files(request, folder=Path(tempfile.mkdtemp(dir=folder)), progress=lambda *_: None)


def json_of(page: Any) -> Any:
    return json.loads(Path(page["downloads"][1]["path"]).read_text("utf-8"))


@examples(20)
@given(st.lists(st.tuples(documents, documents), min_size=1, max_size=5), st.sampled_from([None, "json", "repair"]))
def test_the_page(folder: Path, pairs: list[tuple[Any, Any]], parse: str | None) -> None:
    found = [dumps(prediction) if parse else prediction for _, prediction in pairs]
    rows = rows_of([[truth] for truth, _ in pairs], found, absent=False)
    paths = files(rows, folder)
    result = docscore.evaluate(predictions=paths[1], references=paths[0], metrics=METRICS, parse=parse)
    reading = {"parse": parse, "parse_references": None}
    shown = json_of(page_of(*paths, folder, reading=reading, metrics=list(METRICS)))
    assert [row["anls_score"] for row in shown["per_sample"]] == result.documents.to_dict()["anls_score"]
    assert shown["anls_score"] == result.score
    assert {name: shown["metrics"][name] for name in result.figures} == result.figures
    ours = json.loads(json.dumps(result.to_dict()))
    assert shown["key_scores"] == ours["key_scores"]
    assert shown["metrics"]["confidence_intervals"] == ours["metrics"]["confidence_intervals"]


@examples(20)
@given(pairs=st.lists(st.tuples(documents, documents), min_size=1, max_size=5))
def test_plain_documents(modules: dict[str, Any], folder: Path, pairs: list[tuple[Any, Any]]) -> None:
    """Documents without ids, one after the other, give through every face the mean of `anls_score`."""
    truths, answers = [truth for truth, _ in pairs], [answer for _, answer in pairs]
    scores = [docscore.anls_score(*pair) for pair in pairs]
    mean = fsum(scores) / len(scores)
    result = docscore.evaluate(predictions=answers, references=truths)
    assert (result.score, result.documents.to_dict()["anls_score"]) == (mean, scores)
    state = docscore.ScoreState()
    state.update(answers, truths)
    assert state.compute()["anls_star"] == mean
    loaded = modules["anls_star"].compute(predictions=answers, references=truths, per_sample=True)
    assert [row["anls_score"] for row in loaded["per_sample"]] == scores
    columns = {"prediction": answers, "references": [[truth] for truth in truths]}
    assert score_batch(columns)["anls_score"] == scores
    for kind in ("json", "jsonl"):
        paths = [written(folder, f"{name}.{kind}", side) for name, side in (("truths", truths), ("answers", answers))]
        done = run("score", *paths, "--json")
        assert (done.code, json.loads(done.out)["anls_score"]) == (0, mean), done.err
        compared = run("compare", paths[1], paths[1], "--references", paths[0], "--json")
        assert (compared.code, json.loads(compared.out)["base"]) == (0, mean), compared.err
        assert json_of(page_of(paths[0], paths[1], folder))["anls_score"] == mean
    values = [written(folder, f"{n}.json", value) for n, value in enumerate(pairs[0])]
    assert json.loads(run("explain", *values, "--json").out)["score"] == scores[0]


# What every face says: as a warning (the command prints those on stderr), or in what it shows.
@golden("faces", "said")
def test_every_face_says_what_is_doubtful(
    data: list[Any], alone: str, beside: str, modules: dict[str, Any], tmp_path: Path
) -> None:
    """What is said of one system, and of two of which it is the second, as patterns."""
    answers = [row["references"] for row in data]
    rows = rows_of(answers, [row["prediction"] for row in data], absent=False)
    others = rows_of(answers, [row.get("other", row["prediction"]) for row in data], absent=False)
    truths, ours = files(rows, tmp_path)
    theirs = written(tmp_path, "other.jsonl", others.predictions)

    def result(path: Path = ours) -> docscore.Evaluation:
        return docscore.evaluate(references=truths, predictions=path)

    def shown(command: str, *arguments: str | Path) -> str:
        done = run(command, *arguments)
        assert done.code == 0
        return done.out + done.err

    def of_page_with_systems() -> Any:
        work, requests = (pytest.importorskip(f"playground.{name}") for name in ("systems_work", "requests"))
        asked = requests.CompareRequest(references=truths, predictions=[theirs, ours])
        answer = work.compare_systems(asked, folder=Path(tempfile.mkdtemp(dir=tmp_path)), progress=lambda *_: None)
        return [*answer.result["verdict"]["remarks"], *(each["counts"] for each in answer.result["systems"])]

    comparison_file = tmp_path / "comparison.md"
    faces: dict[str, Callable[[], object]] = {
        "Python": result,
        "notebook": lambda: result()._repr_html_(),
        "report": lambda: result().as_html(),
        "Markdown": lambda: report_as_markdown(result(), "p", 1),
        "score": lambda: shown("score", truths, ours),
        "report of the command": lambda: shown("report", truths, ours, "-o", "-"),
        "evaluate": lambda: modules["anls_star"].compute(**rows._asdict()),
        "page": lambda: page_of(truths, ours, tmp_path),
    }
    faces_of_two: dict[str, Callable[[], object]] = {
        "Python, compared": lambda: result(theirs).compare(result()),
        "notebook, compared": lambda: result(theirs).compare(result())._repr_html_(),
        "Markdown, compared": lambda: result(theirs).compare(result()).report(comparison_file).read_text("utf-8"),
        "systems": lambda: systems_table(systems_of({"x": result(theirs), "y": result()})).remarks,
        "compare": lambda: shown("compare", theirs, ours, "--references", truths),
        "table": lambda: shown("table", theirs, ours, "--references", truths),
        "page, compared": of_page_with_systems,
    }
    silent = []
    for pattern, those in ((alone, faces), (beside or alone, faces_of_two)):
        for name, face in those.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                text = html.unescape(re.sub(r"\\(?=\W)", "", str(face())))
            if not re.search(pattern, "\n".join([text, *(str(each.message) for each in caught)])):
                silent.append(name)
    assert not silent


@pytest.mark.parametrize("metric", [name for name, metric in registry.METRICS.items() if "numbers" in metric.options])
def test_the_figure_by_value_is_that_of_the_option(metric: str) -> None:
    """Of each metric that has the option it is computed from the rows with such numbers alone; JSON has it too."""
    truths: dict[str, Any] = {"a": {"n": 1000.0, "t": "a"}, "b": {"n": 20.5, "t": "b"}, "c": {"n": 3, "t": "c"}}
    answers: dict[str, Any] = {"a": {"n": 1000, "t": "x"}, "b": {"n": 20.5}, "c": {"n": "3", "t": "c", "u": "1"}}
    if metric in ("anls", "anlsl"):  # of texts and of lists of texts
        wrapped = (lambda value: value["n"]) if metric == "anls" else (lambda value: list(value.values()))
        truths, answers = ({key: wrapped(value) for key, value in side.items()} for side in (truths, answers))
    options: dict[str, Any] = {"references": truths, "metrics": [metric, "kieval"], "normalise": True}
    if metric == "typed":
        options["schema"] = {"properties": {"t": {"type": "string"}}}
    found = docscore.evaluate(predictions=answers, **options)
    by_value = docscore.evaluate(predictions=answers, **options, numbers="value")
    assert found.score < by_value.score == found.score_by_value == found.to_dict()["score_by_value"]
    assert by_value.score_by_value is None
    base = docscore.evaluate(predictions=truths, **options)
    assert base.compare(found).to_dict()["by_value"] == {"base": 1.0, "new": by_value.score}

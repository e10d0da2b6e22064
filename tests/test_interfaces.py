"""Every interface of the library gives the same figures, to the last bit, and the same warnings."""

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
from docscore.evaluation.registry import METRICS as METRICS_BY_NAME
from docscore.evaluation.systems import systems_of
from docscore.inputs.json_text import dumps
from docscore.inputs.model_text import parse_text
from docscore.inputs.pairing import pairs_of
from docscore.integrations.datasets import score_batch
from docscore.report.html_report import report_as_html
from docscore.report.markup import report_as_markdown
from docscore.report.systems_report import systems_table
from tests.commands import pred, ref, run, succeed, without_format, written
from tests.conftest import examples, golden
from tests.structures import evaluation_of, predictions, truths

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SOME = examples(50)
METRICS = ("anls_star", "kieval", "entity_f1", "nted")


Pair = tuple[Any, Any]  # ground truth and prediction


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
    actual = draw(st.lists(st.one_of(predictions, predictions.map(dumps)), min_size=count, max_size=count))
    return rows_of(answers, actual, absent=options["missing"] == "zero"), options


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("interfaces")


@pytest.fixture(scope="module")
def modules(folder: Path) -> dict[str, Any]:
    evaluate = pytest.importorskip("evaluate")
    return {name: evaluate.load(docscore.evaluate_module(name), cache_dir=str(folder / "cache")) for name in METRICS}


def files(rows: Rows, folder: Path) -> tuple[Path, Path]:
    paths = folder / "references.jsonl", folder / "predictions.jsonl"
    for path, side in zip(paths, rows, strict=True):
        path.write_text("".join(dumps(row) + "\n" for row in side), "utf-8", newline="")
    return paths


def command(rows: Rows, folder: Path, *flags: str) -> dict[str, Any]:
    done = run("score", *files(rows, folder), "--json", "--rows", *flags)
    assert done.code == 0, done.err
    return without_format("score", done.out)


def flags_of(options: dict[str, Any]) -> list[str]:
    flags = [] if options["ignore_case"] else ["--case-sensitive"]
    others = {name: value for name, value in options.items() if name != "ignore_case" and value is not None}
    return [*flags, *(f"--{name.replace('_', '-')}={value}" for name, value in others.items())]


def values_of(rows: Rows, parse: str | None) -> list[tuple[Any, Any]]:
    """The pairs that are scored."""
    actual = {row["question_id"]: row["prediction"] for row in rows.predictions}
    pairs = [(tuple(row["references"]), actual.get(row["question_id"])) for row in rows.references]
    return [
        (truth, parse_text(value, parse).value if parse and isinstance(value, str) else value) for truth, value in pairs
    ]


@SOME
@given(test_set=random_sets())
def test_rows_by_id(test_set: tuple[Rows, dict[str, Any]], modules: dict[str, Any], folder: Path) -> None:
    """Functions for pairs, `evaluate`, the module and the command; with rows that are read as JSON or repaired."""
    rows, options = test_set
    both, pairs = rows._asdict(), values_of(rows, options["parse"])
    alone = {name: options[name] for name in ("threshold", "ignore_case", "rules", "numbers")}
    scores = [docscore.anls_score(*pair, **alone) for pair in pairs]
    assert docscore.score_pairs(pairs, **alone).tolist() == scores
    columns = {"prediction": [answer for _, answer in pairs], "references": [list(truth) for truth, _ in pairs]}
    assert score_batch(columns, **alone)["anls_score"] == scores
    pairs_by_id = pairs_of(rows.predictions, rows.references, options["missing"])
    assert evaluation_of(pairs_by_id, **options).scores == scores
    result = docscore.evaluate(**both, **options)
    mean = fsum(scores) / len(scores)
    assert (result.score, result.figures) == (mean, {"anls_star": mean})
    assert result.row_scores.to_dict()["anls_score"] == scores
    assert command(rows, folder, "--fields", *flags_of(options)) == json.loads(json.dumps(result.to_dict(fields=True)))
    asked = {"per_sample": True, "key_scores": True, "confidence": 0.95, "signature": True}
    loaded = modules["anls_star"].compute(**both, **asked, **options)
    assert loaded["anls_score"] == mean
    assert [row["anls_score"] for row in loaded["per_sample"]] == scores
    assert {row["field"]: row["score"] for row in loaded["key_scores"]} == {
        row["field"]: row["score"] for row in result.fields
    }
    assert {cause: lost for cause, lost in loaded["points_lost"].items() if lost} == {
        row["cause"]: row["points_lost"] for row in result.causes
    }
    assert loaded["signature"] == result.signature
    assert loaded["confidence_interval"] == result.to_dict()["confidence_interval"]


texts = st.sampled_from(["tea", "Tea", "rum", "r um", "", "12", "12.0"])
documents = st.dictionaries(
    st.sampled_from(["a", "b", "c"]),
    st.one_of(texts, st.lists(st.dictionaries(st.sampled_from(["n", "p"]), texts, max_size=2), max_size=3)),
    max_size=3,
)
pairs_of_documents = st.lists(st.tuples(documents, documents), min_size=1, max_size=5)


@SOME
@given(pairs_of_documents, st.booleans(), st.booleans(), st.sampled_from([None, "json", "repair"]))
def test_all_metrics(
    modules: dict[str, Any], folder: Path, pairs: list[Pair], normalise: bool, donut: bool, parse: str | None
) -> None:
    """Also on the page, whose figures nobody reads as the tool `donut` does."""
    answers = [dumps(answer) if parse else answer for _, answer in pairs]
    rows = rows_of([[truth] for truth, _ in pairs], answers, absent=False)
    options: dict[str, Any] = {"normalise": normalise, "donut": donut, "parse": parse}
    both = rows._asdict()
    result = docscore.evaluate(**both, metrics=METRICS, **options)
    flags = [f"--{name}" for name in ("normalise", "donut") if options[name]] + [f"--parse={parse}"] * bool(parse)
    printed = command(rows, folder, "--metrics", ",".join(METRICS), *flags)["metrics"]
    state = docscore.ScoreState(metrics=METRICS, fields=False, **options)
    state.update(**both)
    computed = {name: value for name, value in state.compute().items() if name in result.figures}
    assert {name: printed[name] for name in result.figures} == result.figures == computed

    loaded = modules["kieval"].compute(**both, normalise=normalise, parse=parse)
    loaded |= modules["entity_f1"].compute(**both, **options)
    loaded |= modules["nted"].compute(**both, donut=donut, parse=parse)
    assert {name: loaded[name] for name in result.figures if name != "anls_star"} == {
        name: value for name, value in result.figures.items() if name != "anls_star"
    }

    asked: dict[str, Any] = {"reading": {"parse": parse, "parse_references": None}, "what_if": {"normalise": normalise}}
    shown = json_of(page_of(*files(rows, folder), folder, metrics=list(METRICS), **asked))
    plain = docscore.evaluate(**both, metrics=METRICS, normalise=normalise, parse=parse)
    ours = json.loads(json.dumps(plain.to_dict()))
    for name in ("anls_score", "per_sample", "key_scores", "metrics"):
        assert shown[name] == ours[name], name


def page_of(references: Path, predictions: Path, folder: Path, **asked: Any) -> Any:
    testset, requests = (pytest.importorskip(f"playground.{name}") for name in ("testset.testset", "server.requests"))
    request = requests.FileRequest(references=references, predictions=predictions, **asked)
    return testset.score_files(request, folder=Path(tempfile.mkdtemp(dir=folder)), progress=lambda *_: None)


def json_of(page: Any) -> Any:
    return json.loads(Path(page["downloads"][1]["path"]).read_text("utf-8"))


# What every interface says: as a warning (the command prints those on stderr), or in what it shows.
@golden("interfaces", "said")
def test_every_interface_gives_the_same_warnings(
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
        work, requests = (pytest.importorskip(f"playground.{name}") for name in ("compare.compare", "server.requests"))
        asked = requests.CompareRequest(references=truths, predictions=[theirs, ours])
        answer = work.compare_systems(asked, folder=Path(tempfile.mkdtemp(dir=tmp_path)), progress=lambda *_: None)
        return [*answer["verdict"]["remarks"], *(each["counts"] for each in answer["systems"])]

    comparison_file = tmp_path / "comparison.md"
    interfaces: dict[str, Callable[[], object]] = {
        "Python": result,
        "notebook": lambda: result()._repr_html_(),
        "report": lambda: report_as_html(result(), "p", 10),
        "Markdown": lambda: report_as_markdown(result(), "p", 1),
        "score": lambda: shown("score", truths, ours),
        "report of the command": lambda: shown("report", truths, ours, "-o", "-"),
        "evaluate": lambda: modules["anls_star"].compute(**rows._asdict()),
        "page": lambda: page_of(truths, ours, tmp_path),
    }
    interfaces_of_two: dict[str, Callable[[], object]] = {
        "Python, compared": lambda: result(theirs).compare(result()),
        "notebook, compared": lambda: result(theirs).compare(result())._repr_html_(),
        "Markdown, compared": lambda: result(theirs).compare(result()).report(comparison_file).read_text("utf-8"),
        "systems": lambda: systems_table(systems_of({"x": result(theirs), "y": result()})).footnotes,
        "compare": lambda: shown("compare", theirs, ours, "--references", truths),
        "table": lambda: shown("table", theirs, ours, "--references", truths),
        "page, compared": of_page_with_systems,
    }
    silent = []
    for pattern, those in ((alone, interfaces), (beside or alone, interfaces_of_two)):
        for name, interface in those.items():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                text = html.unescape(re.sub(r"\\(?=\W)", "", str(interface())))
            if not re.search(pattern, "\n".join([text, *(str(each.message) for each in caught)])):
                silent.append(name)
    assert not silent


COUNT = 24
SCHEMA = {"properties": {"date": {"type": "string", "format": "date"}, "total": {"type": "number"}}}


class Case(NamedTuple):
    """A test set for one metric: the ground truth of a row by its number, and the predictions of two systems."""

    truth: Callable[[int], Any]
    base: Callable[[int], Any]
    new: Callable[[int], Any]
    schema: dict[str, Any] | None = None

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        """The rows of each file: ground truths, and the predictions of both systems."""
        predictions = {
            side: [pred(f"d{n:02}", getattr(self, side)(n)) for n in range(COUNT)] for side in ("base", "new")
        }
        return {"references": [ref(f"d{n:02}", self.truth(n)) for n in range(COUNT)], **predictions}

    def options(self, metric: str) -> dict[str, Any]:
        return {"metrics": [metric, "nted"], "schema": self.schema} if self.schema else {"metrics": [metric]}

    def flags(self, metric: str, folder: Path) -> list[str]:
        """The options of the command."""
        schema = ["--schema", str(written(folder, "schema.json", self.schema))] if self.schema else []
        return ["--metrics", ",".join(self.options(metric)["metrics"]), *schema]


def document(number: int) -> dict[str, Any]:
    return {"date": f"2024-03-{number + 1:02}", "total": 10 + number, "items": [{"name": "tea"}] * (number % 3)}


def rewritten(number: int) -> dict[str, Any]:
    """Half of the dates are another day, which as text is nearly the same; totals have a different notation."""
    day = number + 2 if number % 2 else number + 1
    return {**document(number), "date": f"2024-03-{day:02}", "total": float(10 + number)}


def shortened(number: int) -> dict[str, Any]:
    """Some documents do not have a key, or an element of a list, more so in later ones."""
    answer = {**document(number), "items": document(number)["items"][:1]}
    if number > COUNT // 2:
        del answer["total"]
    return answer


def placed(answer: Any, mark: str) -> Any:
    """The values of an answer, each with its place: the box of its key on the first page."""
    if isinstance(answer, dict):
        return {key: placed(value, mark) for key, value in answer.items()}
    if isinstance(answer, list):
        return [placed(value, mark) for value in answer]
    return {"$value": answer, mark: [{"page": 1, "box": [0.1, 0.1, 0.2, 0.2]}]}


OBJECTS = Case(document, document, shortened)
CASES = {
    "anls_star": OBJECTS,
    "anls": Case("answer {}".format, "answer {}".format, lambda n: f"answer {n}" if n % 3 else f"answers: {n}"),
    "anlsl": Case(lambda n: ["tea", f"{n}"], lambda n: [f"{n}", "tea"], lambda n: ["tea"] if n % 4 else ["rum"]),
    "kieval": OBJECTS,
    "entity_f1": OBJECTS,
    "nted": OBJECTS,
    "typed": Case(document, document, rewritten, SCHEMA),
    "grounding": Case(
        lambda n: placed(document(n), "$evidence"),
        lambda n: placed(document(n), "$citations"),
        lambda n: placed(shortened(n), "$citations"),
    ),
}


@pytest.mark.parametrize("name", METRICS_BY_NAME)
def test_the_first_metric_is_the_metric_of_everything(name: str, tmp_path: Path) -> None:
    """Its score, rows, fields, causes, gates and reports: in Python, in the command and in a state."""
    case, figure = CASES[name], METRICS_BY_NAME[name].figures[0]
    rows, options, flags = case.rows(), case.options(name), case.flags(name, tmp_path)
    references, *files = (written(tmp_path, f"{side}.jsonl", part) for side, part in rows.items())
    base, new = (
        docscore.evaluate(predictions=rows[side], references=rows["references"], **options) for side in ("base", "new")
    )

    assert 0 < new.score < 1 == base.score
    assert next(iter(new.figures.items())) == (figure.key, new.score)
    by_default = docscore.Evaluation(new.test_set, new.options)
    assert by_default.metrics == (["typed", "anls_star"] if case.schema else ["anls_star"])
    state = docscore.ScoreState(**options)
    state.update(rows["new"], rows["references"])
    assert state.compute()[figure.key] == new.score
    assert new.interval is not None
    assert new.interval[0] < new.score < new.interval[1]
    assert new.signature.startswith(name)
    worst = new.worst(COUNT)
    assert [row.score for row in worst] == sorted(new.row_scores.to_dict()[new.row_scores.columns[1]])
    lost = sum(row["points_lost"] for row in new.fields)
    assert (lost == pytest.approx(1 - new.score)) if name != "nted" else not new.fields
    has_causes = METRICS_BY_NAME[name].field_source == "tree"
    assert has_causes == new.causes.caption.startswith("Causes of the lost points")
    assert sum(row["points_lost"] for row in new.causes) == pytest.approx(1 - new.score if has_causes else 0.0)

    printed = without_format("score", succeed("score", references, files[1], "--json", "--rows", "--fields", *flags))
    assert (printed["metric"], printed["score"]) == (name, new.score)
    assert printed == json.loads(json.dumps(new.to_dict(fields=True)))
    text = succeed("score", references, files[1], *flags)
    assert text.startswith(f"{figure.label}  {new.score:.6f}  ")
    assert str(new) == text.strip("\n")

    compared = base.compare(new)
    assert compared.difference == new.score - base.score
    for margin, field_loss in ((0.0, None), (0.5, 0.01 if new.fields else None)):
        gate = compared.decide(margin, max_field_loss=field_loss, beyond_chance=bool(margin))
        gated = ["--max-loss", str(margin), *(["--beyond-chance"] if margin else [])]
        gated += [] if field_loss is None else ["--max-field-loss", str(field_loss)]
        done = run("compare", *files, "--references", references, *flags, *gated, "--json", "--rows")
        assert without_format("compare", done.out) == json.loads(
            json.dumps({**compared.to_dict(), "gate": gate.to_dict()})
        )
        assert done.code == gate.failed
    for level, code in ((new.score - 0.01, 0), (new.score + 0.01, 1)):
        assert run("score", references, files[1], *flags, "--fail-under", f"{level:.6f}").code == code

    page, markdown = (
        new.report(tmp_path / f"report.{kind}", worst=COUNT).read_text("utf-8") for kind in ("html", "md")
    )
    headline, ids = f"{figure.label} {new.score:.4f}", [row.id for row in worst]
    assert f"<title>report: {headline}</title>" in page
    assert re.findall(r"<h3>(d\d\d)</h3>", page) == ids
    assert headline.replace("*", "") in markdown.replace("\\*", "").replace("*", "")
    assert re.findall(r"<code>(d\d\d)</code>", markdown.split("Lowest scores", 1)[1]) == ids
    assert f"{new.score:.4f}" in new._repr_html_()


@pytest.mark.parametrize("metric", [name for name, metric in METRICS_BY_NAME.items() if "numbers" in metric.options])
def test_the_figure_by_value_is_that_of_the_option(metric: str) -> None:
    """The score with numbers by value is the one that the option gives, also in JSON and in a comparison."""
    truths: dict[str, Any] = {"a": {"n": 1000.0, "t": "a"}, "b": {"n": 20.5, "t": "b"}, "c": {"n": 3, "t": "c"}}
    answers: dict[str, Any] = {"a": {"n": 1000, "t": "x"}, "b": {"n": 20.5}, "c": {"n": "3", "t": "c", "u": "1"}}
    if metric in ("anls", "anlsl"):  # of texts and of lists of texts
        wrapped = (lambda value: value["n"]) if metric == "anls" else (lambda value: list(value.values()))
        truths, answers = ({key: wrapped(value) for key, value in side.items()} for side in (truths, answers))
    options: dict[str, Any] = {"references": truths, "metrics": [metric, "kieval"], "normalise": True}
    if metric == "grounding":
        options["references"] = {name: placed(truth, "$evidence") for name, truth in truths.items()}
        truths, answers = (
            {name: placed(each, "$citations") for name, each in side.items()} for side in (truths, answers)
        )
    if metric == "typed":
        options["schema"] = {"properties": {"t": {"type": "string"}}}
    evaluation = docscore.evaluate(predictions=answers, **options)
    by_value = docscore.evaluate(predictions=answers, **options, numbers="value")
    assert evaluation.score < by_value.score == evaluation.score_by_value == evaluation.to_dict()["score_by_value"]
    assert by_value.score_by_value is None
    base = docscore.evaluate(predictions=truths, **options)
    assert base.compare(evaluation).to_dict()["by_value"] == {"base": 1.0, "new": by_value.score}

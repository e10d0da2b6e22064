"""The first metric asked for is the metric of everything: every face has its figure, order of documents and gate."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import docscore
from docscore.evaluation.evaluation import Evaluation
from docscore.metrics.registry import METRICS
from tests.commands import Write, pred, ref, run, succeed

COUNT = 24
SCHEMA = {"properties": {"date": {"type": "string", "format": "date"}, "total": {"type": "number"}}}


class Case(NamedTuple):
    """A test set for one metric: the truth of a document by its number, and what two systems predict."""

    truth: Callable[[int], Any]
    base: Callable[[int], Any]
    new: Callable[[int], Any]
    options: dict[str, Any] = {}  # noqa: RUF012  never changed


def document(number: int) -> dict[str, Any]:
    return {"date": f"2024-03-{number + 1:02}", "total": 10 + number, "items": [{"name": "tea"}] * (number % 3)}


def rewritten(number: int) -> dict[str, Any]:
    """Half of the dates are another day, which as text is nearly the same; totals are written differently."""
    day = number + 2 if number % 2 else number + 1
    return {**document(number), "date": f"2024-03-{day:02}", "total": float(10 + number)}


def shortened(number: int) -> dict[str, Any]:
    """Some documents lack a key, or an element of a list, more so in later ones."""
    found = document(number)
    if number > COUNT // 2:
        del found["total"]
    return {**found, "items": found["items"][:1]}


OBJECTS = Case(document, document, shortened)
CASES = {
    "anls_star": OBJECTS,
    "anls": Case("answer {}".format, "answer {}".format, lambda n: f"answer {n}" if n % 3 else f"answers: {n}"),
    "anlsl": Case(lambda n: ["tea", f"{n}"], lambda n: [f"{n}", "tea"], lambda n: ["tea"] if n % 4 else ["rum"]),
    "kieval": OBJECTS,
    "entity_f1": OBJECTS,
    "nted": OBJECTS,
    "typed": Case(document, document, rewritten, {"schema": SCHEMA}),
}


@pytest.fixture(params=METRICS)
def faces(request: pytest.FixtureRequest, write: Write) -> Any:
    """A metric with its files, and what Python says of both systems."""
    name, case = request.param, CASES[request.param]
    rows = {side: [pred(f"d{n:02}", getattr(case, side)(n)) for n in range(COUNT)] for side in ("base", "new")}
    rows["references"] = [ref(f"d{n:02}", case.truth(n)) for n in range(COUNT)]
    paths = {side: write(f"{side}.jsonl", each) for side, each in rows.items()}
    options: dict[str, Any] = {"metrics": [name, "nted"] if name == "typed" else [name], **case.options}
    flags = ["--metrics", ",".join(options["metrics"])]
    if case.options:
        flags += ["--schema", str(write("schema.json", SCHEMA))]
    base, new = (
        docscore.evaluate(predictions=rows[side], references=rows["references"], **options) for side in ("base", "new")
    )
    figure = METRICS[name].figures[0]
    return SimpleNamespace(name=name, figure=figure, case=case, rows=rows, paths=paths, flags=flags, base=base, new=new)


def order(result: Evaluation) -> list[str]:
    return [row.id for row in result.worst(COUNT)]


def test_python(faces: Any) -> None:
    result = faces.new
    assert 0 < result.score < 1 == faces.base.score
    assert next(iter(result.figures.items())) == (faces.figure.key, result.score)
    by_default = Evaluation(result.source, result.options)
    assert by_default.metrics == (["typed", "anls_star"] if faces.case.options else ["anls_star"])
    state = docscore.ScoreState(metrics=result.metrics, **faces.case.options)
    state.update(faces.rows["new"], faces.rows["references"])
    assert state.compute()[faces.figure.key] == result.score
    low, high = result.interval
    assert low < result.score < high
    assert result.signature.startswith(faces.name)
    scores = [row.score for row in result.worst(COUNT)]
    assert scores == sorted(result.documents.to_dict()[result.documents.columns[1]])
    lost = sum(row["points_lost"] for row in result.fields)
    assert (lost == pytest.approx(1 - result.score)) if faces.name != "nted" else not result.fields
    causes = sum(row["points_lost"] for row in result.causes)
    assert (METRICS[faces.name].field_source == "tree") == result.causes.table.caption.startswith("Why ")
    assert causes == pytest.approx(1 - result.score if METRICS[faces.name].field_source == "tree" else 0.0)


def test_the_command(faces: Any) -> None:
    found = json.loads(succeed("score", faces.paths["references"], faces.paths["new"], "--json", *faces.flags))
    assert (found["metric"], found["score"]) == (faces.name, faces.new.score)
    assert tuple(found["confidence_interval"]) == faces.new.interval
    assert [row["question_id"] for row in found["worst"]] == order(faces.new)[:10]
    key = faces.new.documents.columns[1]
    assert [row[key] for row in found["per_sample"]] == faces.new.documents.to_dict()[key]
    assert found["signature"] == faces.new.signature
    text = succeed("score", faces.paths["references"], faces.paths["new"], "--fields", *faces.flags)
    assert text.startswith(f"{faces.figure.label}  {faces.new.score:.6f}  ")


def test_the_gates(faces: Any) -> None:
    """They decide by the figure that is shown, in Python, in the comparison and alone."""
    difference = faces.new.score - faces.base.score
    compared = faces.base.compare(faces.new)
    assert compared.difference == difference
    files = faces.paths["base"], faces.paths["new"], "--references", faces.paths["references"], *faces.flags
    for margin in (0.0, 0.5):
        done = run("compare", *files, "--max-loss", str(margin), "--json")
        found = json.loads(done.out)
        assert (found["base"], found["new"], found["difference"]) == (faces.base.score, faces.new.score, difference)
        assert [row["question_id"] for row in found["worse"]] == [row["question_id"] for row in compared.documents]
        assert found["gate"] == compared.decide(margin).to_dict()
        assert done.code == compared.decide(margin).failed
    for level, code in ((faces.new.score - 0.01, 0), (faces.new.score + 0.01, 1)):
        alone = faces.paths["references"], faces.paths["new"], *faces.flags, "--fail-under", f"{level:.6f}"
        assert run("score", *alone).code == code


def test_reports(faces: Any, tmp_path: Path) -> None:
    html, markdown = (
        faces.new.report(tmp_path / f"report.{kind}", worst=COUNT).read_text("utf-8") for kind in ("html", "md")
    )
    headline = f"{faces.figure.label} {faces.new.score:.4f}"
    assert f"<title>report: {headline}</title>" in html
    assert re.findall(r"<h3>(d\d\d)</h3>", html) == order(faces.new)
    assert headline.replace("*", "") in markdown.replace("\\*", "").replace("*", "")
    listed = markdown.split("Lowest scores", 1)[1]
    assert re.findall(r"<code>(d\d\d)</code>", listed) == order(faces.new)
    assert f"{faces.new.score:.4f}" in faces.new._repr_html_()
    assert str(faces.new).startswith(f"{faces.figure.label}  {faces.new.score:.6f}")

"""One output against its references, the hooks that need nothing but Python, and `Dataset.map` with `score_batch`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from datasets import Dataset

import docscore
from docscore import ScoreState, anls_score, score_pairs
from docscore.core.formatting import safe_names
from docscore.inputs.model_text import answer_in
from docscore.inputs.pairing import pairs_of
from docscore.integrations.datasets import score_batch
from docscore.integrations.judging import judged_output
from docscore.integrations.lm_eval import process_results, results_from
from docscore.integrations.promptfoo import get_assert
from docscore.integrations.transformers import compute_metrics
from tests.commands import receipt_pairs, run_python
from tests.conftest import golden, needs
from tests.structures import evaluation_of

BILL = {"total": "1.20", "items": [{"name": "Tea"}, {"name": "Cake"}]}
SAID = 'Sure: ```json\n{"total": "1.20", "items": [{"name": "Tea"}]}\n```'


@pytest.mark.filterwarnings("ignore:prediction. a text that holds JSON never matches:UserWarning")
@golden("judging", "outputs")
def test_outputs(output: Any, answers: list[Any], parse: str, score: float, parsed: str | None) -> None:
    result = judged_output(output, answers, parse=parse)
    assert (result.score, result.parsed) == (score, parsed)
    assert result.score == anls_score(tuple(answers), result.prediction)


def test_fields_and_explanation() -> None:
    result = judged_output(SAID, [BILL])
    assert result.fields == {"total": (1.0, 1.0), "items[].name": (1.0, 2.0)}
    assert result.field_scores == {"total": 1.0, "items[].name": 0.5}
    assert result.explanation.startswith("≈ $")
    assert json.loads(result.shown) == {"total": "1.20", "items": [{"name": "Tea"}]}
    assert judged_output("tea", ["Tea"]).field_scores == {}
    assert judged_output({"on": "2024-01-31"}, [{"on": date(2024, 1, 31)}]).score == 1.0  # a value of Python


def test_options_that_do_not_exist() -> None:
    with pytest.raises(ValueError, match="parse: expected 'auto', 'none', 'json' or 'repair', got 'yaml'"):
        judged_output("x", ["x"], parse="yaml")
    with pytest.raises(ValueError, match="expected at least one acceptable answer, got none"):
        judged_output("x", [])
    with pytest.raises(ValueError, match="target: expected 'auto', 'text' or 'json', got 'x'"):
        answer_in("x", "x")
    with pytest.raises(ValueError, match="target: expected JSON text, got line 1, column 1"):
        answer_in("x", "json")


@golden("judging", "targets")
def test_targets_that_are_text(text: Any, reading: str, truth: Any) -> None:
    assert answer_in(text, reading) == truth


@golden("judging", "contexts")
def test_the_hook_of_promptfoo(context: dict[str, Any]) -> None:
    result = get_assert(SAID, context)
    assert result["score"] == 2 / 3
    assert result["pass"] is False
    assert result["namedScores"] == {"total": 1.0, "items[].name": 0.5}
    assert result["componentResults"] == [
        {"pass": True, "score": 1.0, "reason": "total"},
        {"pass": False, "score": 0.5, "reason": "items[].name"},
    ]
    assert json.loads(json.dumps(result)) == result


def test_what_passes_in_promptfoo() -> None:
    assert get_assert(SAID, {"config": {"pass_at": 0.6}, "vars": {"reference": BILL}})["pass"] is True
    reference = {"a": "abcdefghij", "b": "abcde", "c": "abcdefghij"}
    said = {"a": "abcdefghi", "b": "abc", "c": "abcdefghi"}
    near = get_assert(said, {"config": {"pass_at": 0.8}, "vars": {"reference": reference}})
    assert near["score"] == pytest.approx(0.8)  # 0.7999999999999999, as floats add up
    assert near["pass"] is True
    with pytest.raises(ValueError, match="expected 'reference' or 'references', got "):
        get_assert(SAID, {"vars": {}})


@pytest.mark.parametrize(
    ("hook", "name"),
    [
        (lambda: get_assert(SAID, {"vars": {"reference": None}}), "reference"),
        (lambda: process_results({"references": None}, [SAID]), "references"),
        (lambda: results_from("gold")({"answer": "x"}, [SAID]), "gold"),
    ],
    ids=["promptfoo", "lm_eval", "lm_eval, another column"],
)
def test_a_case_without_a_ground_truth_is_an_error(hook: Callable[[], Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"^{name}: expected a ground truth, got none$"):
        hook()


class Letters:
    """A tokenizer whose tokens are the numbers of characters."""

    def batch_decode(self, rows: list[list[int]], **_: Any) -> list[str]:
        return ["".join(map(chr, row)) for row in rows]


def by_transformers(truth: Any, text: str, **options: Any) -> float:
    function = compute_metrics(Letters(), references=[truth], fields=False, **options)
    prediction = SimpleNamespace(predictions=np.array([[*map(ord, text)] or [-100]]), label_ids=None)
    return next(iter(function(prediction).values()))


def by_state(truth: Any, text: str, kind: Any = ScoreState, **options: Any) -> float:
    state = kind(parse="repair", **options)
    state.update([text], [truth])
    return float(next(iter(state.compute().values())))


def by_torchmetrics(truth: Any, text: str, **options: Any) -> float:
    needs("torch", "torchmetrics")
    kind = import_module("docscore.integrations.torchmetrics").DocumentScore
    return by_state(truth, text, kind, **options)


def by_datasets(truth: Any, text: str, **options: Any) -> float:
    columns = score_batch({"prediction": [text], "references": [[truth]]}, parse="repair", **options)
    return float(next(iter(columns.values()))[0])


def by_evaluate(truth: Any, text: str, **options: Any) -> float:
    needs("evaluate")
    found = (
        import_module("anls_star").AnlsStar().compute(predictions=[text], references=[truth], parse="repair", **options)
    )
    return float(found.get("typed_score", found["anls_score"]))


def by_mlflow(truth: Any, text: str, **options: Any) -> float:
    module = pytest.importorskip("docscore.integrations.mlflow", reason="needs mlflow")
    return float(module.anls_star_scorer(**options)(outputs=text, expectations={"expected_response": truth})[0].value)


def by_pydantic_evals(truth: Any, text: str, **options: Any) -> float:
    evals = pytest.importorskip("pydantic_evals", reason="needs pydantic_evals")
    module = import_module("docscore.integrations.pydantic_evals")
    evaluator = module.AnlsStarEvaluator(**options)
    case = evals.Case(name="a", inputs=text, expected_output=truth)
    report = evals.Dataset(name="d", cases=[case], evaluators=[evaluator]).evaluate_sync(
        lambda given: given, progress=False
    )
    return float(next(iter(report.cases[0].scores.values())).value)


def by_inspect(truth: Any, text: str, **options: Any) -> float:
    pytest.importorskip("inspect_ai", reason="needs inspect_ai")
    model, solver, target = (import_module(f"inspect_ai.{name}") for name in ("model", "solver", "scorer"))
    module = import_module("docscore.integrations.inspect")
    scorer = (module.typed_by_schema if "schema" in options else module.anls_star)(**options)
    output = model.ModelOutput.from_content("m", text)
    state = solver.TaskState(model="m", sample_id="a", epoch=1, input="", messages=[], output=output)
    return float(
        asyncio.run(scorer(state, target.Target(truth if isinstance(truth, str) else json.dumps(truth)))).value
    )


def by_judging(truth: Any, text: str, **options: Any) -> float:
    return judged_output(text, [truth], **options).score


def by_promptfoo(truth: Any, text: str, **options: Any) -> float:
    return float(get_assert(text, {"config": {"reference": truth, **options}})["score"])


def by_lm_eval(truth: Any, text: str, **options: Any) -> float:
    return next(iter(results_from("a", **options)({"a": truth}, [text]).values()))


Hook = Callable[..., float]
INTEGRATIONS: dict[str, tuple[Hook, set[str]]] = {  # and the options that it does not have
    "judging": (by_judging, set()),
    "promptfoo": (by_promptfoo, set()),
    "lm_eval": (by_lm_eval, set()),
    "mlflow": (by_mlflow, set()),
    "pydantic_evals": (by_pydantic_evals, set()),
    "inspect": (by_inspect, set()),
    "transformers": (by_transformers, set()),
    "state, as for distributed and ray": (by_state, set()),
    "torchmetrics": (by_torchmetrics, set()),
    "datasets": (by_datasets, set()),
    "evaluate": (by_evaluate, {"comparators", "with_confidences"}),
}
WEIGHED: dict[str, Any] = {"properties": {"total": {"type": "number", "x-docscore": {"weight": 3}}}}
TRUTH = {"total": 1000, "shop": "Tea House", "tip": "x"}
TEXT = '{"total": 1000.0, "shop": "tea Hous", "tip": "x", "note": null}'
WRAPPED = json.dumps({key: {"$value": value, "$confidence": 0.5} for key, value in json.loads(TEXT).items()})
OPTIONS_OF_ALL: list[tuple[dict[str, Any], str]] = [
    ({}, TEXT),
    ({"threshold": 0.95}, TEXT),
    ({"ignore_case": False}, TEXT),
    ({"rules": "anls_star-1.0.1"}, TEXT),
    ({"numbers": "value"}, TEXT),
    ({"schema": WEIGHED}, TEXT),
    ({"schema": WEIGHED, "comparators": {"shop": "exact"}}, TEXT),
    ({"with_confidences": True}, WRAPPED),
    ({"ignore_keys": ["shop"]}, TEXT),
    ({"absent_words": ["X"]}, TEXT.replace('"x"', "null")),
]


@pytest.mark.filterwarnings("ignore:Numbers are compared as printed")
@pytest.mark.filterwarnings("ignore:predictions. they contain .value and .confidence")
@pytest.mark.parametrize("name", INTEGRATIONS)
def test_every_integration_takes_the_options_of_scoring_and_no_others(name: str) -> None:
    """Each option gives the score of `docscore.evaluate`, and another score than the other options."""
    hook, without = INTEGRATIONS[name]
    expected = {}
    for options, text in OPTIONS_OF_ALL:
        result = docscore.evaluate(predictions=[text], references=[TRUTH], parse="repair", confidence=None, **options)
        expected[str(options)] = result.score
        if without.isdisjoint(options):
            assert hook(TRUTH, text, **options) == result.score, options
    # values without their confidences, and null for a word that is absent, score as the first
    assert len({*expected.values()}) == len(OPTIONS_OF_ALL) - 2
    wrong: list[dict[str, Any]] = [{"treshold": 0.5}, {"rules": "other"}, {"numbers": "other"}, {"threshold": 2}]
    for each in wrong:
        with pytest.raises((TypeError, ValueError), match=next(iter(each))):
            hook(TRUTH, TEXT, **each)
    for option in without:
        with pytest.raises(TypeError, match=option):
            hook(TRUTH, TEXT, **{option: True})


@golden("judging", "wrong configs")
def test_a_config_of_promptfoo_is_checked(config: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"^{message}$"):
        get_assert(SAID, {"config": config, "vars": {"reference": BILL}})


def test_a_schema_file_that_is_missing_shows_before_any_output() -> None:
    with pytest.raises(FileNotFoundError, match=r"no\.json"):
        results_from("gold", schema="no.json")


def test_the_hook_of_lm_eval() -> None:
    assert process_results({"reference": json.dumps(BILL)}, [SAID]) == {"anls_star": 2 / 3}
    assert process_results({"references": [json.dumps(BILL), "rum"]}, ["Rum"]) == {"anls_star": 1.0}
    assert results_from("answer", parse="none")({"answer": "x", "reference": "y"}, ["x"]) == {"anls_star": 1.0}
    with pytest.raises(ValueError, match="expected 'reference' or 'references', got 'text'"):
        process_results({"text": ""}, ["x"])


def test_names_that_trackers_take() -> None:
    assert safe_names(["a", "a/größe (cm)", "a/$"]) == {"a": "a", "a/größe (cm)": "a/größe _cm_", "a/$": "a/_"}
    state = ScoreState()
    state.update([{"items": [{"price": "1"}]}], [{"items": [{"price": "1"}]}])
    assert state.compute(names="safe") == {"anls_star": 1.0, "anls_star/items.price": 1.0}
    assert state.compute() == {"anls_star": 1.0, "anls_star/items[].price": 1.0}
    with pytest.raises(ValueError, match="names: expected 'plain' or 'safe', got 'flat'"):
        state.compute(names="flat")


pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")  # num_proc
PREDICTIONS = [f"text {i % 7}" for i in range(50)]
REFERENCES = [[f"test {i % 5}", "text 3"][: 1 + i % 2] for i in range(50)]


@pytest.mark.parametrize("num_proc", [1, 2])
def test_json_texts_are_scored_as_their_values(num_proc: int) -> None:
    """Columns of text keep what each row has; columns of structs would give every row all keys."""
    pairs = receipt_pairs("predictions_text.jsonl")
    actual = [prediction for _, prediction in pairs]
    table = Dataset.from_dict({"answer": actual, "truth": [list(map(json.dumps, answers)) for answers, _ in pairs]})
    options = {"prediction": "answer", "references": "truth", "parse": "repair", "parse_references": "json"}
    asked = {"batch_size": 7, "num_proc": num_proc, "remove_columns": ["answer", "truth"]}
    scored = table.map(score_batch, batched=True, fn_kwargs=options, **asked)
    scores = evaluation_of(pairs_of(actual, [answers for answers, _ in pairs]), parse="repair")
    assert list(scored["anls_score"]) == scores.scores
    assert [i for i, failed in enumerate(scored["parse_failed"]) if failed] == sorted(scores.test_set.failed or [])
    assert scored.column_names == ["anls_score", "parse_failed"]


# prints the fingerprint, the sum of the scores and the files of the cache
RUN = """
import sys
from datasets import load_dataset
from docscore.integrations.datasets import score_batch

table = load_dataset("json", data_files=sys.argv[1], split="train", cache_dir=sys.argv[2])
names = {"prediction": "p", "references": "r"}
scored = table.map(score_batch, batched=True, num_proc=int(sys.argv[3]), fn_kwargs=names)
print(scored._fingerprint, sum(scored["anls_score"]), *sorted(file["filename"] for file in scored.cache_files))
"""


@pytest.mark.ci
@pytest.mark.parametrize("num_proc", [1, 2])
def test_another_process_finds_the_cache(tmp_path: Path, num_proc: int) -> None:
    """The fingerprint is the same in every process, so that the second run reads what the first wrote."""
    lines = [json.dumps({"p": p, "r": r}) for p, r in zip(PREDICTIONS, REFERENCES, strict=True)]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command: list[str | Path] = ["-c", RUN, tmp_path / "rows.jsonl", tmp_path / "cache", str(num_proc)]
    runs, times = [], []
    for seed in ("1", "2"):
        done = run_python(*command, cwd=tmp_path, PYTHONHASHSEED=seed, TMPDIR=str(tmp_path))
        runs.append(done.split())
        files = sorted((tmp_path / "cache").rglob("*.arrow"))
        times.append([(file, file.stat().st_mtime_ns) for file in files])
    assert runs[0] == runs[1]
    assert len(runs[0]) == 2 + num_proc
    assert times[0] == times[1]
    scores = score_pairs(zip(map(tuple, REFERENCES), PREDICTIONS, strict=True))
    assert float(runs[0][1]) == pytest.approx(scores.sum())


def test_a_missing_column_is_named_and_so_are_rows_in_place_of_a_batch() -> None:
    table = Dataset.from_dict({"answer": ["a", "b"], "references": [["a"], ["b"]]})
    with pytest.raises(KeyError, match="expected a column 'prediction', got 'answer', 'references'"):
        table.map(score_batch, batched=True)
    with pytest.raises(TypeError, match="expected the columns of a batch, got a row; add batched=True to map"):
        table.rename_column("answer", "prediction").map(score_batch)

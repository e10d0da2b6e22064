"""One pair has one answer within each group of interfaces: for values, by options of reading, for texts of models."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore import ScoreState, anls_score, score_pairs, score_tree, typed_score
from docscore.core.errors import DataWarning
from docscore.core.options import CompareOptions
from docscore.integrations.datasets import score_batch
from tests.commands import REFERENCES, pred, ref, rows, run, written
from tests.conftest import golden
from tests.test_judging import by_inspect, by_lm_eval, by_mlflow, by_promptfoo, by_transformers

Face = Callable[[Any, Any], float]


def by_state(truth: Any, prediction: Any) -> float:
    state = ScoreState()
    state.update([prediction], [truth])
    return state.compute()["anls_star"]


VALUES: dict[str, Face] = {
    "anls_score": anls_score,
    "score_pairs": lambda truth, prediction: float(score_pairs([(truth, prediction)])[0]),
    "score_tree": lambda truth, prediction: score_tree(truth, prediction).score,
    "typed_score": lambda truth, prediction: typed_score(truth, prediction, {}),
    "ScoreState": by_state,
}


def by_evaluate(truth: Any, prediction: Any, **options: Any) -> float:
    sides: dict[str, Any] = {"references": [ref("a", truth)], "predictions": [pred("a", prediction)]}
    return docscore.evaluate(**sides, confidence=None, **options).score


def by_compute(truth: Any, prediction: Any, **options: Any) -> float:
    sides = {"references": [ref("a", truth)], "predictions": [pred("a", prediction)]}
    return float(import_module("anls_star").AnlsStar().compute(**sides, **options)["anls_score"])


def by_batch(truth: Any, prediction: Any, **options: Any) -> float:
    return float(score_batch({"prediction": [prediction], "references": [[truth]]}, **options)["anls_score"][0])


def by_command(truth: Any, prediction: Any, *, key: str, command: str, folder: Path, **options: Any) -> float:
    paths = written(folder, "r.jsonl", [ref("a", truth)]), written(folder, "p.jsonl", [pred("a", prediction)])
    done = run(command, *paths, "--json", *(f"--{name.replace('_', '-')}={value}" for name, value in options.items()))
    if done.code:
        raise ValueError(done.err)
    return float(json.loads(done.out)[key])


def by_page(truth: Any, prediction: Any, *, folder: Path, **options: Any) -> float:
    testset, requests = (import_module(f"playground.{name}") for name in ("testset.testset", "server.requests"))
    paths = written(folder, "r.jsonl", [ref("a", truth)]), written(folder, "p.jsonl", [pred("a", prediction)])
    reading = {"parse": None, "parse_references": None, **options}
    asked = requests.FileRequest(references=paths[0], predictions=paths[1], reading=reading)
    page = testset.score_files(asked, folder=Path(tempfile.mkdtemp(dir=folder)), progress=lambda *_: None)
    return float(json.loads(Path(page["downloads"][1]["path"]).read_text("utf-8"))["anls_score"])


def by_api_of_page(truth: Any, prediction: Any) -> float:
    return float(import_module("playground.pair.pair").tree_for_clients(truth, prediction, CompareOptions())["score"])


READING: dict[str, Callable[..., float]] = {
    "docscore.evaluate": by_evaluate,
    "compute": by_compute,
    "score_batch": by_batch,
    "docscore score": partial(by_command, command="score", key="anls_score"),
    "docscore explain": partial(by_command, command="explain", key="score"),
    "page": by_page,
}
MODELS: dict[str, Face] = {
    "promptfoo": by_promptfoo,
    "lm_eval": by_lm_eval,
    "mlflow": partial(by_mlflow, answer_is_list=True),
    "inspect": by_inspect,
    "Trainer": lambda truth, text: by_transformers(ref("a", truth), text),
}
MODULES = {"compute": "evaluate", "mlflow": "mlflow", "inspect": "inspect_ai", "page": "gradio", "Trainer": "torch"}
OF_TEXTS = ("inspect", "Trainer")  # get the text that a model wrote


def is_installed(face: str) -> bool:
    return face not in MODULES or find_spec(MODULES[face]) is not None


def score_of(face: Face, truth: Any, prediction: Any) -> float | str:
    """Return the score, rounded, or "error" if the face refuses the pair."""
    try:
        return round(face(truth, prediction), 4)
    except ValueError:
        return "error"


def is_json(value: Any) -> bool:
    return isinstance(value, str) and value.startswith(("{", "["))


@pytest.mark.filterwarnings("ignore::UserWarning")
@golden("one_pair", "pairs")
def test_all_interfaces_of_a_group_agree(
    truth: Any,
    prediction: Any,
    values: float,
    warns: bool,
    read: float | str,
    parsed: float | str,
    model: float,
    api: float,
    tmp_path: Path,
) -> None:
    """`read` is without options, `parsed` with parse="repair"; the page takes texts as they are if nothing is chosen.

    `warns` says whether values that are not read get a warning, once. A Trainer refuses references that are JSON text
    until `parse_references` says how to read them.
    """
    expected: dict[str, float | str] = dict.fromkeys(VALUES, values)
    found = {name: score_of(face, truth, prediction) for name, face in VALUES.items()}
    for name, face in VALUES.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            face(truth, prediction)
        count = sum(isinstance(each.message, DataWarning) for each in caught)
        assert count == warns if name != "ScoreState" else len(caught) >= warns, name
    for name, face in READING.items():
        if is_installed(name):
            here = (
                face if name not in ("page", "docscore score", "docscore explain") else partial(face, folder=tmp_path)
            )
            expected |= {f"{name}, read": read, f"{name}, parsed": parsed}
            if (name, read) != ("page", "error"):
                found[f"{name}, read"] = score_of(here, truth, prediction)
            found[f"{name}, parsed"] = score_of(partial(here, parse="repair"), truth, prediction)
    for name, face in MODELS.items():
        if is_installed(name) and (isinstance(prediction, str) or name not in OF_TEXTS):
            expected[name] = model
            if name != "Trainer" or not is_json(truth):
                found[name] = score_of(face, truth, prediction)
    if is_installed("page"):
        expected["API of the page"] = api
        found["API of the page"] = score_of(by_api_of_page, truth, prediction)
    assert found == {name: expected[name] for name in found}


def test_many_pairs_warn_once() -> None:
    """Also if processes score them; pairs that are lists are read as others."""
    pairs: Any = [[{"a": "x"}, '{"a": "x"}'], [{"a": "x"}, {"a": {"$value": "x"}}]] * 20
    for num_proc in (1, 2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            score_pairs(pairs, num_proc=num_proc)
        ours = [str(each.message) for each in caught if isinstance(each.message, DataWarning)]
        assert [" ".join(each.split()[:6]) for each in ours] == [
            "prediction: a text that holds JSON",
            "objects with the key '$value' are",
        ]


def test_values_of_good_data_get_no_warning(docubench: Path, real_receipts: Path) -> None:
    """Warnings are errors in tests."""
    for folder in (REFERENCES.parent, docubench, real_receipts):
        truths = list(rows(folder / "references.jsonl"))
        for path in (path for path in folder.glob("predictions*.jsonl") if path.stem[12:] not in ("text", "confident")):
            answers = {row["question_id"]: row["prediction"] for row in rows(path)}
            score_pairs([(tuple(row["references"]), answers[row["question_id"]]) for row in truths])
            ScoreState().update(list(rows(path)), truths)


def test_the_caller_of_mlflow_says_what_a_list_is() -> None:
    with_list: dict[str, Any] = {"truth": ["Tea", "Cake"], "text": "Tea"}
    assert by_mlflow(**with_list, answer_is_list=True) == 0.0
    assert by_mlflow(**with_list, answer_is_list=False) == 1.0
    with pytest.raises(
        ValueError, match=r"^expected_response: a list may be one ground truth, or a list of acceptable answers"
    ):
        by_mlflow(**with_list)

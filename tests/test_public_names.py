"""The names that users import, frozen, and the arguments, warnings and errors of the public functions."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import docscore
from docscore import ScoreNode, anls_score, score_pairs, score_tree
from docscore.core import options
from docscore.core.options import OPTIONS
from tests.commands import PREDICTIONS, REFERENCES, run_python
from tests.conftest import DATA, ROOT, golden, table

NAMES = json.loads((DATA / "public_names.json").read_text("utf-8"))
PATHS: list[str] = NAMES["paths"]
EXTRAS: list[tuple[str, str]] = NAMES["paths that need a library"]


@pytest.mark.parametrize("name", [*NAMES["at once"], *NAMES["when used"]])
def test_a_name_of_the_package_root(name: str) -> None:
    assert getattr(docscore, name) is not None
    assert name in dir(docscore)


def test_no_other_name_is_public() -> None:
    assert sorted(docscore.__all__) == sorted([*NAMES["at once"], *NAMES["when used"]])


def test_an_evaluation_has_the_documented_attributes() -> None:
    assert {*NAMES["evaluation"]} - {*dir(docscore.evaluate(predictions=["x"], references=["x"]))} == set()


@pytest.mark.parametrize("path", PATHS)
def test_a_path_that_stays(path: str) -> None:
    module, name = path.split(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.ci
@pytest.mark.parametrize(("library", "path"), EXTRAS)
def test_a_path_that_needs_another_library(library: str, path: str) -> None:
    pytest.importorskip(library)
    test_a_path_that_stays(path)


def loaded_by(code: str) -> set[str]:
    """The modules that a new process has when it has run the code."""
    return set(run_python("-c", f"import sys; {code}\nprint(); print(*sys.modules)").splitlines()[-1].split())


HEAVY = {"evaluate", "datasets", "gradio", "torch", "ray", "rich", "click", "pandas", "pyarrow", "scipy"}


def test_importing_the_package_imports_no_other_library() -> None:
    loaded = loaded_by("import docscore")
    assert not loaded & (HEAVY | {"numpy", "rapidfuzz"})
    ours = {name for name in loaded if name.startswith("docscore.")}
    assert ours == {"docscore.core", "docscore.core.displayed", "docscore.version"}


def command(*words: str) -> str:
    """Code that runs the command."""
    argv = f"import contextlib, docscore.cli; sys.argv = {['docscore', *words]!r}"
    return f"{argv}\nwith contextlib.suppress(SystemExit): docscore.cli.main()"


WITHOUT_FACES = HEAVY | {"docscore.evaluation", "docscore.report", "docscore.cli"}
FOR_HELP = {"numpy", "scipy", "rapidfuzz", "rich"}
# code, a module that it loads, and those that it must not load
LOADED: dict[str, tuple[str, str, set[str]]] = {
    "a score": ("import docscore; docscore.anls_score('x', 'y')", "docscore.metrics.anls_star.api", WITHOUT_FACES),
    "help": (command("--help"), "click", FOR_HELP),
    "version": (command("--version"), "click", FOR_HELP),
    # scipy.stats takes longer than most test sets
    "an interval": (command("score", str(REFERENCES), str(PREDICTIONS)), "docscore.stats.intervals", {"scipy.stats"}),
}


@pytest.mark.parametrize(("code", "needed", "others"), LOADED.values(), ids=LOADED)
def test_nothing_is_imported_that_is_not_used(code: str, needed: str, others: set[str]) -> None:
    loaded = loaded_by(code)
    assert needed in loaded
    assert not loaded & others


FIELDS = {name: field.default for name, field in OPTIONS.items()}
# of tools that judge single outputs, and of the Trainer; in MLflow, None is an error for a list
OTHER_DEFAULTS: dict[str, set[Any]] = {"parse": {"auto", "repair"}, "answer_is_list": {None}}


def spelled_defaults() -> Iterator[tuple[str, str, Any]]:
    """Every parameter with a default that is called as an option of scoring: function, option, default."""
    folders = [path for name in ("docscore", "evaluate_modules", "playground") for path in (ROOT / name).rglob("*.py")]
    for path in [ROOT / "anls_star.py", *folders]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                named = [*node.args.posonlyargs, *node.args.args]
                defaults = [*zip(reversed(named), reversed(node.args.defaults), strict=False)]
                for argument, default in [*defaults, *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)]:
                    if argument.arg in FIELDS and default is not None:
                        value = eval(ast.unparse(default), vars(options))  # noqa: S307  our own source
                        yield f"{path.name}:{node.name}", argument.arg, value


def test_signatures_agree_with_the_options_of_scoring() -> None:
    """They are spelled out for completion and types; `evaluate` takes every option."""
    assert inspect.signature(docscore.evaluate).parameters.keys() >= FIELDS.keys()
    spelled = [row for row in spelled_defaults() if row[2] is not ...]  # of an overload
    assert len({function for function, _, _ in spelled}) > 15
    for function, name, default in spelled:
        assert default == FIELDS[name] or default in OTHER_DEFAULTS.get(name, ()), (function, name)


Score = Callable[..., Any]

SCORES: list[Score] = [
    anls_score,
    lambda gt, pred, **options: score_tree(gt, pred, **options).score,
    lambda gt, pred, **options: score_pairs([(gt, pred)], **options).item(),
]
each_score = pytest.mark.parametrize("score", SCORES, ids=["anls_score", "score_tree", "score_pairs"])


@each_score
@pytest.mark.parametrize("flag", ["no", "False", None, 1, 0.0])
def test_a_flag_is_true_or_false(score: Score, flag: Any) -> None:
    """The text "False" would be taken as true."""
    with pytest.raises(TypeError, match=r"^ignore_case: expected True or False, got "):
        score("a", "a", ignore_case=flag)


@each_score
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 0.6),  # 2 of 5 characters differ
        ({"threshold": 0.6}, 0.6),  # at the threshold it counts
        ({"threshold": 0.61}, 0.0),
        ({"threshold": 1}, 0.0),
        ({"threshold": 0}, 0.6),
        ({"threshold": np.float64(0.61)}, 0.0),
        ({"threshold": np.int64(1)}, 0.0),
        ({"ignore_case": False}, 0.0),  # 4 of 5 differ
        ({"ignore_case": np.bool_(0)}, 0.0),
        ({"ignore_case": False, "threshold": 0.2}, 0.2),
    ],
)
def test_options_reach_the_similarity(score: Score, options: dict[str, Any], expected: float) -> None:
    assert score({"k": "ABcde"}, {"k": "abcxy"}, **options) == pytest.approx(expected, rel=1e-12, abs=0)
    assert score("ABcde", "abcxy", **options) == pytest.approx(expected, rel=1e-12, abs=0)


def test_what_comes_back_follows_what_is_asked_for_by_position_or_name() -> None:
    """As in the published package: the score, the closest ground truth, the key scores."""
    gt, pred = {"a": ("hello", "world"), "b": ["x", "y"]}, {"a": "hellx", "b": ["y", "x"]}
    score, closest = pytest.approx(2.8 / 3), {"a": "hello", "b": ["y", "x"]}
    keys: dict[str, Any] = {"a": ScoreNode(1 - 1 / 5), "b": ScoreNode(1.0)}
    asked = anls_score(gt, pred, True, True)  # noqa: FBT003  the published package's callers do this
    assert type(asked) is tuple
    assert asked == (score, closest, keys)
    assert anls_score(gt, pred, return_gt=True, return_key_scores=True) == asked
    assert anls_score(gt, pred, True) == asked[:2]  # noqa: FBT003
    assert anls_score(gt, pred, False, True) == (asked[0], keys)  # noqa: FBT003
    assert anls_score(gt, pred, return_key_scores=True) == (asked[0], keys)
    assert anls_score(gt=gt, pred=pred) == asked[0]
    assert type(anls_score(gt, pred)) is float
    with pytest.raises(TypeError, match="positional"):
        anls_score(gt, pred, True, True, 0.7)  # type: ignore[call-overload]  # noqa: FBT003


@each_score
@pytest.mark.parametrize("pred", ["blue", np.str_("blue")], ids=["str", "NumPy str"])
def test_compatibility_mode_warns_at_the_line_of_the_caller(score: Score, pred: str) -> None:
    """A list of strings against a string is read as a one-of; the warning points at this file, not into docscore."""
    with pytest.warns(UserWarning, match="compatibility mode") as caught:
        assert score(["red", "blue"], pred) == 1.0
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("score", [*SCORES, docscore.nted_score, docscore.kieval_score, docscore.entity_counts])
@golden("api", "texts")
def test_json_text_on_both_sides_is_warned_of_at_the_line_of_the_caller(
    score: Score, truth: Any, prediction: Any, warned: bool
) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(truth, prediction)
    assert [(each.filename, "texts of both sides are JSON" in str(each.message)) for each in caught] == [
        (__file__, True)
    ] * warned


def test_many_pairs_of_json_text_are_warned_of_once() -> None:
    with pytest.warns(UserWarning, match="texts of both sides are JSON") as caught:
        assert score_pairs((('["b"]', '["a"]'), '["a"]') for _ in range(9)).tolist() == [1.0] * 9
    assert len(caught) == 1


@each_score
@golden("api", "compared as they are")
def test_nothing_else_is_read_in_compatibility_mode(score: Score, truth: Any, prediction: Any, expected: float) -> None:
    """Warnings are errors here, so that each row also checks that none is given."""
    assert score(truth, prediction) == expected


def test_answers_score_the_same_one_by_one_and_together_in_any_order() -> None:
    """Scalars against scalars have a way of their own where there are many."""
    answers = table("api", "answers")
    for gt, pred, expected in answers:
        assert anls_score(gt, pred) == expected, (gt, pred)
    for rows in (answers, answers[::-1], answers * 700, []):  # many, and none
        scores = score_pairs(row[:2] for row in rows)
        assert scores.dtype == np.float64
        assert scores.tolist() == [row[2] for row in rows]


@pytest.mark.parametrize(
    "pair",
    [("a",), ("a", "b", "c"), 5, "ab", {"gt": "a", "pred": "a"}, {"a", "b"}],
    ids=["one", "three", "a number", "a text of two letters", "an object of two keys", "a set"],
)
def test_what_is_no_pair_is_refused_and_named(pair: Any) -> None:
    """A text or an object of two must not be unpacked into a pair: its score would be a guess."""
    with pytest.raises((TypeError, ValueError), match=r"^pair 1\b"):
        score_pairs([("a", "a"), pair])

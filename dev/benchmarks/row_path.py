"""Count the functions that one row passes on its way to a score: `python -m dev.benchmarks.row_path`.

It scores the row `{"x": "1"}` by id with `docscore.evaluate`, with `compute` of the evaluate module, and with the
command `docscore score`. For each of them, it prints the calls of functions of docscore, the files of these functions,
and how often the file changes from one call to the next. Comprehensions and generators belong to the function that they
are written in. A first call, which is not counted, does the imports. It also prints how often a value is converted
(`docscore.core.values`) by each of the three, and on its way through four metrics and a report.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import evaluate

import docscore
from docscore.cli.entry_point import commands
from docscore.core.values import convert_ground_truth, convert_prediction

_PACKAGE = str(Path(docscore.__file__).parent)
REFERENCE: dict[str, Any] = {"question_id": "a", "references": [{"x": "1"}]}
PREDICTION: dict[str, Any] = {"question_id": "a", "prediction": {"x": "1"}}
REFERENCES = {"a": {"x": "1", "items": [{"n": "tea"}]}, "b": {"x": "2", "items": []}}
PREDICTIONS = {"a": {"x": "1", "items": [{"n": "te"}]}, "b": {"x": "3", "items": [{"n": "rum"}]}}
METRICS = ("anls_star", "kieval", "entity_f1", "nted")


class RowPath(NamedTuple):
    """The numbers of calls, of their files, of changes of file between calls, and of conversions of values."""

    calls: int
    files: int
    changes: int
    conversions: int


def path_of(work: Callable[[], object]) -> RowPath:
    """Return the path of a piece of work when it runs for the second time."""
    work()
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        is_ours = code.co_filename.startswith(_PACKAGE) and not code.co_name.startswith("<")
        if event == "call" and is_ours and not code.co_flags & inspect.CO_GENERATOR:
            calls.append(code)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    files = [code.co_filename for code in calls]
    changes = sum(before != after for before, after in pairwise(files))
    converted = sum(code in (convert_ground_truth.__code__, convert_prediction.__code__) for code in calls)
    return RowPath(len(calls), len(set(files)), changes, converted)


def paths() -> dict[str, RowPath]:
    """Return the path of the row by each kind of input."""
    metric = evaluate.load(docscore.evaluate_module("anls_star"))
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{side}.jsonl") for side in ("references", "predictions")]
        for file, row in zip(files, (REFERENCE, PREDICTION), strict=True):
            file.write_text(json.dumps(row), encoding="utf-8")

        def score() -> None:
            with contextlib.redirect_stdout(io.StringIO()):
                commands.main(["score", *map(str, files)], standalone_mode=False)

        ways: dict[str, Callable[[], object]] = {
            "docscore.evaluate": lambda: docscore.evaluate(predictions=[PREDICTION], references=[REFERENCE]).score,
            "compute": lambda: metric.compute(predictions=[PREDICTION], references=[REFERENCE]),
            "docscore score": score,
        }
        return {name: path_of(work) for name, work in ways.items()}


def conversions() -> float:
    """Return how often a value is converted on its way through four metrics and a report, on average."""

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            evaluation = docscore.evaluate(predictions=PREDICTIONS, references=REFERENCES, metrics=METRICS)
            evaluation.report(Path(folder) / "report.html")

    return path_of(work).conversions / (2 * len(REFERENCES))


def main() -> None:
    """Print all counts."""
    for name, path in paths().items():
        print(
            f"{name}: {path.calls} calls, {path.files} files, {path.changes} changes of file, "
            f"a value converted {path.conversions / 2:g} times"
        )
    print(f"with four metrics and a report: a value converted {conversions():g} times")


if __name__ == "__main__":
    main()

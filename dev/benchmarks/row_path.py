"""Count the functions that one row passes on its way to a score: `python -m dev.benchmarks.row_path`.

It prints how many functions of docscore `docscore.evaluate(...).score` calls for one row, in how many files, and how
often the file changes from one call to the next. Comprehensions and lambdas belong to the function that they are
written in. A first call, which is not counted, does the imports. It also prints how often a value is converted
(`docscore.core.values`) on its way through four metrics and a report.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import NamedTuple

import docscore
from docscore.core.values import convert_ground_truth, convert_prediction

_PACKAGE = str(Path(docscore.__file__).parent)
REFERENCES = {"a": {"x": "1", "items": [{"n": "tea"}]}, "b": {"x": "2", "items": []}}
PREDICTIONS = {"a": {"x": "1", "items": [{"n": "te"}]}, "b": {"x": "3", "items": [{"n": "rum"}]}}
METRICS = ("anls_star", "kieval", "entity_f1", "nted")


class RowPath(NamedTuple):
    """The number of functions that a row passes, of their files, and of changes of file between calls."""

    functions: int
    files: int
    changes: int


def path_of(work: Callable[[], object]) -> RowPath:
    """Return the path of a piece of work, when it is done for the second time."""
    work()
    calls: list[CodeType] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_PACKAGE) and not code.co_name.startswith("<"):
            calls.append(code)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    files = [code.co_filename for code in calls]
    return RowPath(len(set(calls)), len(set(files)), sum(before != after for before, after in pairwise(files)))


def score_of_a_row() -> float:
    """Score one row by id."""
    references = [{"question_id": "a", "references": [REFERENCES["a"]]}]
    predictions = [{"question_id": "a", "prediction": PREDICTIONS["a"]}]
    return docscore.evaluate(predictions=predictions, references=references).score


def conversions() -> float:
    """Return how often a value is converted on its way through four metrics and a report, on average."""
    calls = 0

    def note(frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call" and frame.f_code in (convert_ground_truth.__code__, convert_prediction.__code__)

    sys.setprofile(note)
    try:
        with tempfile.TemporaryDirectory() as folder:
            evaluation = docscore.evaluate(predictions=PREDICTIONS, references=REFERENCES, metrics=METRICS)
            evaluation.report(Path(folder) / "report.html")
    finally:
        sys.setprofile(None)
    return calls / (2 * len(REFERENCES))


def main() -> None:
    """Print both counts."""
    path = path_of(score_of_a_row)
    print(f"functions of docscore {path.functions}, files {path.files}, changes of file {path.changes}")
    print(f"conversions of a value {conversions():g}")


if __name__ == "__main__":
    main()

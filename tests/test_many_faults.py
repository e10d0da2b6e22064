"""Faults in thousands of rows: a handful of lines that count them, and memory for the first of each kind alone."""

from __future__ import annotations

import json
import re

import pytest

from docscore.core.errors import KEPT, Diagnostic, Faults, faults_summary
from tests.commands import Write, pred, ref, run

TRUTH = "abcdefghij"
R = [ref(name, TRUTH) for name in "abcd"]
P = [pred(name, TRUTH[: 10 - number]) for number, name in enumerate("abcd")]  # 1, 0.9, 0.8 and 0.7
NOT_JSON, SHAPE = "not JSON", "of another shape"


def test_of_a_flood_the_first_are_kept_and_the_others_counted() -> None:
    """Of each kind, whatever comes between; the same fault counts once."""
    faults = Faults("skip")
    for number in range(2 * KEPT + 3):
        faults.add(NOT_JSON, Diagnostic((f"line {number}",)))
        faults.add(NOT_JSON, Diagnostic(("line 0",)))
    faults.add(SHAPE, Diagnostic(("line 1",)), 4)
    assert [fault.place for fault in faults.found] == [*(f"line {n}" for n in range(KEPT)), "line 1", ""]
    assert faults.found[-1].sentence == f"and {KEPT + 3:,} more {NOT_JSON}"
    assert faults_summary(faults.found) == f"{2 * KEPT + 7:,} faults: {2 * KEPT + 3:,} {NOT_JSON}, 4 {SHAPE}"


MANY = 10_000
FLOODS: dict[str, tuple[list[str], str]] = {
    "lines that are no JSON": (["{oops"] * MANY, "10,000 not JSON"),
    "rows of another shape": ([json.dumps({"question_id": str(i)}) for i in range(MANY)], f"10,000 {SHAPE}"),
    "unknown ids": ([json.dumps(pred("n" * 200 + str(i), 1)) for i in range(MANY)], ""),
}


@pytest.mark.parametrize("on_error", ["error", "skip"])
@pytest.mark.parametrize(("rows", "counted"), FLOODS.values(), ids=FLOODS)
def test_ten_thousand_faults_are_a_handful_of_lines(write: Write, rows: list[str], counted: str, on_error: str) -> None:
    files = write("r.jsonl", R), write("p.jsonl", "".join(f"{line}\n" for line in (*map(json.dumps, P), *rows)))
    done = run("score", *files, "--on-error", on_error)
    assert done.code == (0 if on_error == "skip" else 2)
    assert done.out.startswith("ANLS*  0.850000  mean of 4 rows" if on_error == "skip" else "")
    assert counted in done.err
    assert re.search("10,?000", done.err)
    assert len(done.err.splitlines()) <= 6
    assert len(done.err) < 3000

"""Seeds: the data of the tests and the examples as inputs, and random bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from dev.fuzz.draws import DRAWN

ROOT = Path(__file__).parents[2]
CASES = ("reference_cases", "typed_cases", "donut_cases")
_RANDOM_SEEDS = 40


def lines_of(*parts: str) -> list[str]:
    """Return the lines of a file of the project."""
    return ROOT.joinpath(*parts).read_text(encoding="utf-8").splitlines()


@cache
def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of a table of the tests."""
    return [json.loads(line) for line in lines_of("tests", "data", f"{name}.jsonl")]


def pairs(name: str, every: int) -> Iterator[tuple[str, str]]:
    """Return every nth pair of a table of the tests, as JSON texts."""
    for case in cases(name)[::every]:
        yield json.dumps(case["ground_truth"]), json.dumps(case["prediction"])


def sampled_seeds() -> list[bytes]:
    """Return inputs of random bytes, always the same."""
    rng = random.Random(1)
    return [DRAWN + rng.randbytes(16 * (1 + number)) for number in range(_RANDOM_SEEDS)]

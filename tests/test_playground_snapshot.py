"""What the routes of the page give, byte for byte: the part of the snapshot that needs the running app."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.load import Server
from tests import browser, test_snapshot
from tests.browser import Playground
from tests.snapshot_inputs import PAIRS
from tests.test_snapshot import compare, shortened, words

playground, folder = browser.playground, test_snapshot.folder


def value_of(text: str) -> Any:
    """The value of JSON text; any other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


DEFAULTS = (0.5, True, "paper", "text")
RULES = "anls_star-1.0.1", "value"


@pytest.mark.parametrize("route", ["score", "score_text"])
def test_a_route_for_programs(route: str, playground: Playground, folder: Path) -> None:
    asked: dict[str, tuple[Any, ...]] = {
        **{name: (*map(value_of, texts), *DEFAULTS) for name, texts in PAIRS.items()},
        "options": ({"n": "X"}, {"n": "x", "m": None}, 0.9, False, *RULES),
        "wrong threshold": (1, 1, 2, *DEFAULTS[1:]),
        "wrong rules": (1, 1, *DEFAULTS[:2], "none", "text"),
        "too few arguments": (1,),
    }
    answers = {name: ": ".join(playground.call(route, *arguments)) for name, arguments in asked.items()}
    compare(f"page_{route}", [(name, shortened(f"{answer}\n")) for name, answer in answers.items()], folder)


def test_the_pair_on_the_page(playground: Playground, folder: Path) -> None:
    """What the tab for one pair gets: messages, the tree's words, JSON and code."""
    asked: list[tuple[str, dict[str, Any]]] = [
        (name, {"truth": truth, "prediction": prediction}) for name, (truth, prediction) in PAIRS.items()
    ]
    changed: list[dict[str, Any]] = [
        {"metric": "kieval", "options": {"normalise": True}},
        {"metric": "entity_f1"},
        {"metric": "nted", "options": {"donut": True}},
        {"reading": "text"},
        {"reading": "json", "options": {"rules": RULES[0], "numbers": RULES[1], "threshold": 0.9}},
        {"options": {"threshold": 2}},
        {"metric": "BLEU"},
    ]
    asked += [(f"invoice with {changes}", {**dict(asked)["invoice"], **changes}) for changes in changed]
    parts = []
    for name, fields in asked:
        given = Server(playground.url, playground.process).ask("score_workspace", fields)
        drawn = {key: words(part) if key == "result" and part else part for key, part in given.items()}
        parts.append((name, "".join(f"{key}: {shortened(str(part), 1_000)}\n" for key, part in drawn.items())))
    compare("page_pair", parts, folder)

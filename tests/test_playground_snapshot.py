"""What the routes of the page give, byte for byte: the part of the snapshot that needs the running app."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests import browser, test_snapshot
from tests.browser import Playground
from tests.conftest import HUNG
from tests.snapshot_inputs import PAIRS
from tests.test_snapshot import compare, shortened, words

playground, folder = browser.playground, test_snapshot.folder


def sent(app: Playground, path: str, body: Any) -> Any:
    """The JSON that a route answers a body with."""
    content = json.dumps(body).encode()
    join = urllib.request.Request(f"{app.url}/gradio_api/{path}", content, {"Content-Type": "application/json"})  # noqa: S310  ours
    with urllib.request.urlopen(join, timeout=HUNG) as answer:  # noqa: S310
        return json.load(answer)


def called_route(app: Playground, name: str, *arguments: Any) -> str:
    """The last event of a call by plain HTTP, and its data."""
    try:
        event = sent(app, f"call/{name}", {"data": arguments})["event_id"]
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}\n"
    with urllib.request.urlopen(f"{app.url}/gradio_api/call/{name}/{event}", timeout=HUNG) as stream:  # noqa: S310
        lines = stream.read().decode().split("\n")
    named = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return shortened(f"{named[-1]}: {data[-1]}\n")


def value_of(text: str) -> Any:
    """The value of JSON text; any other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


DEFAULTS = (0.5, True, "paper", "text")
RULES = "anls_star-1.0.1", "value"
SENSITIVE = (0.9, False, *RULES)


@pytest.mark.parametrize("route", ["score", "score_text"])
def test_a_route_for_programs(route: str, playground: Playground, folder: Path) -> None:
    parts = []
    for name, texts in PAIRS.items():
        parts.append((name, called_route(playground, route, *map(value_of, texts), *DEFAULTS)))
    parts += [
        ("options", called_route(playground, route, {"n": "X"}, {"n": "x", "m": None}, *SENSITIVE)),
        ("wrong threshold", called_route(playground, route, 1, 1, 2, *DEFAULTS[1:])),
        ("wrong rules", called_route(playground, route, 1, 1, *DEFAULTS[:2], "none", "text")),
        ("too few arguments", called_route(playground, route, 1)),
    ]
    compare(f"page_{route}", parts, folder)


def test_the_pair_on_the_page(playground: Playground, folder: Path) -> None:
    """What the tab for one pair gets: messages, the tree's words, JSON and code."""
    with urllib.request.urlopen(f"{playground.url}/config", timeout=HUNG) as answer:  # noqa: S310
        components = json.load(answer)["components"]
    number = next(each["id"] for each in components if each["props"].get("elem_id") == "pair")
    asked: list[tuple[str, dict[str, Any]]] = [
        (name, {"truth": truth, "prediction": prediction}) for name, (truth, prediction) in PAIRS.items()
    ]
    truth, prediction = PAIRS["invoice"]
    changed: list[dict[str, Any]] = [
        {"metric": "kieval", "options": {"normalise": True}},
        {"metric": "entity_f1"},
        {"metric": "nted", "options": {"donut": True}},
        {"reading": "text"},
        {"reading": "json", "options": {"rules": RULES[0], "numbers": RULES[1], "threshold": 0.9}},
        {"options": {"threshold": 2}},
        {"metric": "BLEU"},
    ]
    asked += [(f"invoice with {changes}", {"truth": truth, "prediction": prediction, **changes}) for changes in changed]
    parts = []
    for name, fields in asked:
        body = {"session_hash": "s", "component_id": number, "fn_name": "score_workspace", "data": fields}
        given = sent(playground, "component_server/", body)
        drawn = {key: words(part) if key == "result" and part else part for key, part in given.items()}
        parts.append((name, "".join(f"{key}: {shortened(str(part), 1_000)}\n" for key, part in drawn.items())))
    compare("page_pair", parts, folder)

"""The endpoint of the playground as clients call it: gradio_client, plain HTTP, agents; and the page's module."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from docscore import score_tree
from tests import browser, test_snapshot
from tests.browser import Playground, answer_of
from tests.commands import run_python
from tests.conftest import HUNG, ROOT, golden, skip_or_fail
from tests.page_server import Server
from tests.snapshot_inputs import PAIRS
from tests.test_hooks import ANSWERS, SCHEMA, TRUTHS, expected_scores
from tests.test_snapshot import compare, shortened, words

playground, folder = browser.playground, test_snapshot.folder
TRUTH = {"total": "12.50", "items": [{"n": "Tea"}, {"n": "Cake"}], "c": {"$one_of": ["€", "EUR"]}}
DEFAULTS = (0.5, True, "paper", "text")
PRIVATE = "the visitor's own text"
GUESS = {"total": "12.5", "items": [{"n": "Cake"}, {"n": "Te"}], "c": "EUR"}


def call(app: Playground, *arguments: Any) -> tuple[str, Any]:
    """The last event of a call by plain HTTP, and its data."""
    event, data = app.call("score", *arguments)
    return event, json.loads(data)


def test_missing_and_wrong_arguments_are_named(playground: Playground) -> None:
    """And what the visitor sent is not printed where the server logs."""
    address = f"{playground.url}/gradio_api/call/v2/score"
    with playground.without_errors():
        for arguments, name in (
            ({"ground_truth": PRIVATE}, "prediction"),
            ({"ground_truth": PRIVATE, "prediction": "x", "rule": "paper"}, "rule"),
        ):
            status, text = answer_of(address, json.dumps(arguments).encode())
            assert (status, re.findall(rf"\b{name}\b", text)[:1]) == (422, [name])
    event, data = call(playground)
    expected = "expected ground_truth, prediction, threshold, ignore_case, rules, numbers, schema, parse"
    assert (event, data["error"]) == ("error", f"arguments: {expected}; got 0; ground_truth is missing")
    assert call(playground, PRIVATE)[0] == "error"
    assert PRIVATE not in playground.logged()


def test_options_are_passed_on_and_have_defaults_for_callers_that_know_fewer(playground: Playground) -> None:
    assert call(playground, 1000, 1000.0)[1] == call(playground, 1000, 1000.0, *DEFAULTS)[1]
    pair = {"n": "X"}, {"n": "x", "m": None}
    options: Any = {"threshold": 0.9, "ignore_case": False, "rules": "anls_star-1.0.1", "numbers": "value"}
    [tree] = call(playground, *pair, *options.values())[1]
    assert tree["score"] == score_tree(*pair, **options).score


def test_bodies_that_take_too_long_are_refused(playground: Playground) -> None:
    """One that is too long, as it arrives in portions, and one with a long number."""
    address = f"{playground.url}/gradio_api/call/score"
    body = json.dumps({"data": ["x" * 20_000_000, "y", *DEFAULTS]}).encode()
    portions = (body[at : at + 65_536] for at in range(0, len(body), 65_536))
    assert answer_of(address, portions)[0] in (400, 413, 422, 500, 0)
    assert answer_of(address, b'{"data": [%s, 1, 0.5, true, "paper", "text"]}' % (b"9" * 1_000_000))[0] in (400, 422)
    assert call(playground, "x", "x")[0] == "complete"


@pytest.mark.ci
def test_twenty_clients_at_once_get_right_answers(playground: Playground) -> None:
    gradio_client = pytest.importorskip("gradio_client")

    def ask(number: int) -> list[float]:
        one = gradio_client.Client(playground.url, verbose=False, httpx_kwargs={"timeout": HUNG})
        text = {"a": "x" * 20, "n": str(number)}
        pairs = [(text, {**text, "a": "x" * (20 - k)}) for k in (number % 10, 0)]
        return [one.predict(*pair, api_name="/score")["score"] for pair in pairs]

    with ThreadPoolExecutor(20) as pool:
        actual = list(pool.map(ask, range(20)))
    assert actual == [[pytest.approx((1 + 1 - (n % 10) / 20) / 2), 1.0] for n in range(20)]


@pytest.mark.parametrize("sent", [[[0]] * 30_000, "x" * 6_000_000], ids=["many values", "many bytes"])
def test_what_is_too_large_is_a_sentence_for_a_client(playground: Playground, sent: Any) -> None:
    gradio_client = pytest.importorskip("gradio_client")
    client = gradio_client.Client(playground.url, verbose=False, httpx_kwargs={"timeout": HUNG})
    with pytest.raises(
        gradio_client.exceptions.ValidationError, match=r"request: more than [\d,]+ b\w+ .*in one request"
    ):
        client.predict({"a": "1"}, sent, api_name="/score")


def test_what_is_public(playground: Playground) -> None:
    """The endpoint, and none of the page's own events."""
    named = json.loads(answer_of(f"{playground.url}/gradio_api/info")[1])["named_endpoints"]
    assert "/score" in named
    assert all(name.startswith("/score") for name in named)
    parameters = [each["parameter_name"] for each in named["/score"]["parameters"]]
    assert parameters == [
        "ground_truth",
        "prediction",
        "threshold",
        "ignore_case",
        "rules",
        "numbers",
        "schema",
        "parse",
    ]


def test_no_file_of_the_server_is_served_but_the_examples(playground: Playground) -> None:
    def status(path: str) -> int:
        return answer_of(f"{playground.url}/gradio_api/file={ROOT / path}")[0]

    for path in ("app.py", "pyproject.toml", "examples/../pyproject.toml", "docscore/version.py", "/etc/hostname"):
        assert status(path) in (403, 404), path
    assert status("examples/receipts/references.jsonl") == 200, "else the others prove nothing"


def of_an_agent(app: Playground, *calls: tuple[str, dict[str, Any]]) -> tuple[list[Any], list[Any]]:
    """The tools that an agent finds, and what its calls are answered; by a real client of the protocol.

    In a thread of its own, as Playwright may hold this one's event loop.
    """
    try:
        from mcp import ClientSession  # noqa: PLC0415  not everywhere
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415
    except ImportError:
        skip_or_fail("needs mcp 1")

    async def talk() -> tuple[list[Any], list[Any]]:
        async with (
            streamable_http_client(f"{app.url}/gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            tools = (await session.list_tools()).tools
            return tools, [await session.call_tool(name, arguments) for name, arguments in calls]

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(talk())).result(HUNG)


def test_an_agent_finds_one_tool_with_types_and_gets_json(playground: Playground) -> None:
    """JSON text is read, and the answer says so, as to programs; text that is no JSON is a text."""
    pairs: list[tuple[Any, Any]] = [(TRUTH, GUESS), (json.dumps(TRUTH), GUESS), (["a"], ' ["a"]'), ("{total", "{total")]
    asked = [("score", {"ground_truth": truth, "prediction": guess}) for truth, guess in pairs]
    tools, answers = of_an_agent(playground, *asked)
    assert [tool.name for tool in tools] == ["score"]
    assert "ANLS*" in tools[0].description
    schema = tools[0].inputSchema
    assert schema["required"] == ["ground_truth", "prediction"]
    types = {each["type"] for each in schema["properties"]["ground_truth"]["anyOf"]}
    assert {"object", "array", "string", "number", "null"} <= types
    assert schema["properties"]["rules"]["enum"] == ["paper", "anls_star-1.0.1"]
    assert schema["properties"]["numbers"]["enum"] == ["text", "value"]
    assert not any(answer.isError for answer in answers)
    actual = [json.loads(answer.content[0].text) for answer in answers]
    score = score_tree(TRUTH, GUESS).score
    assert [(tree["score"], tree.get("notes")) for tree in actual] == [
        (score, None),
        (score, ["ground_truth was JSON text and was read as an object"]),
        (1.0, ["prediction was JSON text and was read as a list"]),
        (1.0, None),
    ]
    assert [call(playground, *pair) for pair in pairs] == [("complete", [tree]) for tree in actual]


@golden("api", "readings")
def test_how_a_prediction_is_read(playground: Playground, truth: Any, prediction: Any, parse: Any, notes: Any) -> None:
    """To programs and to agents alike."""
    arguments = {"ground_truth": truth, "prediction": prediction, "parse": parse}
    _, (answer,) = of_an_agent(playground, ("score", arguments))
    tree = json.loads(answer.content[0].text)
    assert tree.get("notes") == notes
    assert call(playground, truth, prediction, *DEFAULTS, None, parse) == ("complete", [tree])


def test_a_schema_gives_the_typed_score(playground: Playground) -> None:
    pairs = list(zip(TRUTHS, ANSWERS, strict=True))
    asked = [("score", {"ground_truth": truth, "prediction": answer, "schema": SCHEMA}) for truth, answer in pairs]
    _, answers = of_an_agent(playground, *asked)
    assert [json.loads(answer.content[0].text)["score"] for answer in answers] == expected_scores()
    events = [call(playground, truth, answer, *DEFAULTS, SCHEMA) for truth, answer in pairs]
    assert [tree["score"] for _, (tree,) in events] == expected_scores()


def test_an_agent_is_told_what_is_wrong(playground: Playground) -> None:
    """In the words of the library; where an argument has the wrong type, those of the protocol name it."""
    pair = {"ground_truth": "x", "prediction": "x"}
    wrong: dict[str, dict[str, Any]] = {
        "threshold: expected a number from 0 to 1, got 3": {**pair, "threshold": 3},
        "one-of": {**pair, "ground_truth": {"$one_of": []}},
        "20,001 values": {**pair, "ground_truth": json.dumps([["x"]] * 20_001)},
        "pairs to compare": {"ground_truth": ["x"] * 2_500, "prediction": ["x"] * 2_500},
        "a text of 50,001 characters, 50,000 at most here": {**pair, "ground_truth": "x" * 50_001},
        "prediction": {"ground_truth": "x"},
        "half": {**pair, "threshold": "half"},
        "nope": {**pair, "rules": "nope"},
    }
    with playground.without_errors():
        _, answers = of_an_agent(playground, *(("score", arguments) for arguments in wrong.values()))
    for message, answer in zip(wrong, answers, strict=True):
        assert answer.isError
        assert message in answer.content[0].text


def test_the_first_load_of_the_page_is_small(playground: Playground) -> None:
    """Beside what gradio itself loads: 61 kB until the first screen scores, 166 in all, and 42 kB of fonts."""

    def transferred(path: str) -> bytes:
        request = urllib.request.Request(f"{playground.url}/{path}", headers={"Accept-Encoding": "gzip"})  # noqa: S310  ours
        with urllib.request.urlopen(request, timeout=HUNG) as answer:  # noqa: S310
            return bytes(answer.read())

    page = transferred("")
    fonts = set(re.findall(r"gradio_api/file=[^\\\"]+/\w+\.woff2", gzip.decompress(page).decode()))
    assert len(fonts) == 2, "those of Latin letters"
    first, _, _ = gzip.decompress(page).partition(b"startFirst();")
    assert len(gzip.compress(first, 5)) < 62_000
    assert len(page) + sum(len(transferred(font)) for font in fonts) < 212_000


WITHOUT_REVIEW = """
import importlib.util, json, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "docscore_review" else find(name, *rest)
from playground import page
page.build_demo()
html = page.first_screen()["body"]
print(json.dumps({
    "tabs": [tab.name for tab in page.TABS],
    "imported": "playground.review" in sys.modules,
    "said": "Review is not installed" in html,
    "script": "review/review.js" in html,
    "buttons": "".join(tab.html for tab in page.TABS).count("hidden title=\\"Decide whose error"),
}))
"""


def test_without_docscore_review_the_page_has_no_reviews() -> None:
    """It says so where the tab would be."""
    assert json.loads(run_python("-c", WITHOUT_REVIEW)) == {
        "tabs": ["pair", "testset", "compare", "api"],
        "imported": False,
        "said": True,
        "script": False,
        "buttons": 2,
    }


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
        {"reading": "json", "options": {"rules": "anls_star-1.0.1", "numbers": "value", "threshold": 0.9}},
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

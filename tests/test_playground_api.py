"""The endpoint of the playground as clients call it: gradio_client, plain HTTP, agents; and the page's module."""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from docscore import score_tree
from tests import browser
from tests.browser import Playground
from tests.commands import environment
from tests.conftest import HUNG, ROOT, skip_or_fail
from tests.test_hooks import ANSWERS, SCHEMA, TRUTHS, expected_scores

playground = browser.playground
TRUTH = {"total": "12.50", "items": [{"n": "Tea"}, {"n": "Cake"}], "c": {"$one_of": ["€", "EUR"]}}
DEFAULTS = (0.5, True, "paper", "text")
PRIVATE = "the visitor's own text"
GUESS = {"total": "12.5", "items": [{"n": "Cake"}, {"n": "Te"}], "c": "EUR"}


def client(app: Playground) -> Any:
    """A gradio client of the app."""
    gradio_client = pytest.importorskip("gradio_client")
    return gradio_client.Client(app.url, verbose=False, httpx_kwargs={"timeout": HUNG})


def call(app: Playground, *arguments: Any) -> tuple[str, Any]:
    """The last event of a call by plain HTTP, and its data."""
    join = urllib.request.Request(  # noqa: S310  ours
        f"{app.url}/gradio_api/call/score",
        json.dumps({"data": arguments}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(join, timeout=HUNG) as answer:  # noqa: S310
        event = json.load(answer)["event_id"]
    with urllib.request.urlopen(f"{app.url}/gradio_api/call/score/{event}", timeout=HUNG) as stream:  # noqa: S310
        lines = stream.read().decode().split("\n")
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return names[-1], json.loads(data[-1])


def test_the_client_gets_the_tree_of_the_library(playground: Playground) -> None:
    found = client(playground).predict(TRUTH, GUESS, *DEFAULTS, api_name="/score")
    expected = score_tree(TRUTH, GUESS)
    assert isinstance(found, dict)
    assert found["score"] == expected.score
    assert found["status"] == "partial"
    assert [child["score"] for child in found["children"]] == [child.score for child in expected.children]
    assert sum(child["points_lost"] for child in found["children"]) == pytest.approx(1 - expected.score)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x", "x", 2, True), "threshold"),
        (({"$one_of": []}, "x", 0.5, True), "one-of"),
        ((json.dumps([["x"]] * 20_001), "x", 0.5, True), "20,001 values"),
        ((["x"] * 2_500, ["x"] * 2_500, 0.5, True), "pairs to compare"),
        ((json.loads("[" * 201 + "]" * 201), "x", 0.5, True), "deeper than 200"),
        (("x" * 50_001, "x", 0.5, True), "a text of 50,001 characters; this page takes 50,000"),
    ],
)
def test_a_fault_is_one_sentence(playground: Playground, arguments: tuple[Any, ...], message: str) -> None:
    before = len(playground.log.read_text(encoding="utf-8"))
    event, data = call(playground, *arguments)
    assert event == "error"
    assert message in json.dumps(data, ensure_ascii=False)
    assert playground.faults(before) == ""
    assert call(playground, "x", "x")[0] == "complete"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "ground_truth is missing"),
        ((PRIVATE,), "prediction is missing"),
    ],
)
def test_a_missing_argument_is_named(playground: Playground, arguments: tuple[Any, ...], message: str) -> None:
    """And what the visitor sent is not printed where the server logs."""
    event, data = call(playground, *arguments)
    assert event == "error"
    expected = "expected ground_truth, prediction, threshold, ignore_case, rules, numbers, schema"
    assert data["error"] == f"arguments: {expected}; got {len(arguments)}; {message}"
    assert PRIVATE not in playground.log.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ground_truth": PRIVATE}, "No value provided for required argument: prediction"),
        ({"ground_truth": PRIVATE, "prediction": "x", "rule": "paper"}, "Parameter `rule` is not a valid"),
    ],
)
def test_a_wrong_name_is_named(playground: Playground, arguments: dict[str, Any], message: str) -> None:
    before = len(playground.log.read_text(encoding="utf-8"))
    body = json.dumps(arguments).encode()
    address = f"{playground.url}/gradio_api/call/v2/score"
    join = urllib.request.Request(address, body, {"Content-Type": "application/json"})  # noqa: S310  ours
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(join, timeout=HUNG)  # noqa: S310
    with caught.value as error:
        assert (error.code, message in error.read().decode()) == (422, True)
    assert playground.faults(before) == ""


def test_options_have_defaults_for_callers_that_know_fewer(playground: Playground) -> None:
    assert call(playground, 1000, "1000.0")[1] == call(playground, 1000, "1000.0", *DEFAULTS)[1]


def status(app: Playground, data: Any) -> int:
    """The status that a call with this body is answered with; 0 where the connection is closed before it is sent."""
    join = urllib.request.Request(f"{app.url}/gradio_api/call/score", data, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with urllib.request.urlopen(join, timeout=HUNG) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except (urllib.error.URLError, ConnectionError):
        return 0


@pytest.mark.parametrize("length", [3_000_000, 20_000_000])
def test_a_body_that_is_too_long_is_not_read(playground: Playground, length: int) -> None:
    """By its declared length, or as it arrives in portions."""
    body = json.dumps({"data": ["x" * length, "y" * length, *DEFAULTS]}).encode()
    portions = (body[at : at + 65_536] for at in range(0, len(body), 65_536))
    assert status(playground, body) in (413, 0)
    assert status(playground, portions) in (400, 413, 422, 500, 0)
    assert call(playground, "x", "x")[0] == "complete"


def test_an_integer_beyond_64_bits_comes_back_as_its_digits(playground: Playground) -> None:
    """Gradio answers with no longer number."""
    name, [tree] = call(playground, {"iban": 10**30}, {"iban": 10**30 + 1})
    [leaf] = tree["children"]
    assert (name, leaf["ground_truth"], leaf["prediction"]) == ("complete", str(10**30), str(10**30 + 1))


def test_a_long_number_is_refused(playground: Playground) -> None:
    body = b'{"data": [%s, 1, 0.5, true, "paper", "text"]}' % (b"9" * 1_000_000)
    assert status(playground, body) in (400, 422)
    assert call(playground, "x", "x")[0] == "complete"


@pytest.mark.ci
def test_twenty_clients_at_once_get_right_answers(playground: Playground) -> None:
    def ask(number: int) -> list[float]:
        one = client(playground)
        return [
            one.predict({"a": "x" * 20, "n": str(number)}, {"a": "x" * (20 - k), "n": str(number)}, api_name="/score")[
                "score"
            ]
            for k in (number % 10, 0)
        ]

    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(ask, range(20)))
    assert found == [[pytest.approx((1 + 1 - (n % 10) / 20) / 2), 1.0] for n in range(20)]


def test_what_is_public(playground: Playground) -> None:
    """The endpoint, and none of the page's own events."""
    with urllib.request.urlopen(f"{playground.url}/gradio_api/info", timeout=HUNG) as answer:  # noqa: S310
        named = json.load(answer)["named_endpoints"]
    assert "/score" in named
    assert all(name.startswith("/score") for name in named)
    parameters = [each["parameter_name"] for each in named["/score"]["parameters"]]
    assert parameters == ["ground_truth", "prediction", "threshold", "ignore_case", "rules", "numbers", "schema"]


@pytest.mark.parametrize(
    "path",
    ["app.py", "pyproject.toml", "examples/../pyproject.toml", "docscore/score.py", "/etc/hostname"],
)
def test_no_file_of_the_server_is_served(playground: Playground, path: str) -> None:
    target = path if path.startswith("/") else f"{ROOT}/{path}"
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(f"{playground.url}/gradio_api/file={target}", timeout=HUNG)  # noqa: S310
    caught.value.close()
    assert caught.value.code in (403, 404)


def test_the_example_files_are_served(playground: Playground) -> None:
    """Else the test above proves nothing."""
    name = f"{ROOT}/examples/receipts/references.jsonl"
    with urllib.request.urlopen(f"{playground.url}/gradio_api/file={name}", timeout=HUNG) as answer:  # noqa: S310
        assert answer.status == 200


Call = tuple[str, dict[str, Any]]


def of_an_agent(app: Playground, *calls: Call) -> tuple[list[Any], list[Any]]:
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
    tools, [answer] = of_an_agent(playground, ("score", {"ground_truth": TRUTH, "prediction": GUESS}))
    assert [tool.name for tool in tools] == ["score"]
    assert "ANLS*" in tools[0].description
    schema = tools[0].inputSchema
    assert schema["required"] == ["ground_truth", "prediction"]
    types = {each["type"] for each in schema["properties"]["ground_truth"]["anyOf"]}
    assert {"object", "array", "string", "number", "null"} <= types
    assert schema["properties"]["rules"]["enum"] == ["paper", "anls_star-1.0.1"]
    assert schema["properties"]["numbers"]["enum"] == ["text", "value"]
    assert not answer.isError
    found = json.loads(answer.content[0].text)
    assert found["score"] == score_tree(TRUTH, GUESS).score
    assert "notes" not in found


@pytest.mark.parametrize(
    ("truth", "guess", "score", "notes"),
    [
        (json.dumps(TRUTH), {**TRUTH, "c": "EUR"}, 1.0, ["ground_truth was JSON text and was read as an object"]),
        (["a"], ' ["a"]', 1.0, ["prediction was JSON text and was read as a list"]),
        ("12.50", "12.50", 1.0, None),
        ("{total", "{total", 1.0, None),
        ("{", "{", 1.0, None),
        (None, [], 1.0, None),
    ],
)
def test_json_text_is_read_and_the_answer_says_so(
    playground: Playground, truth: Any, guess: Any, score: float, notes: list[str] | None
) -> None:
    _, [answer] = of_an_agent(playground, ("score", {"ground_truth": truth, "prediction": guess}))
    found = json.loads(answer.content[0].text)
    assert (found["score"], found.get("notes")) == (score, notes)
    assert call(playground, truth, guess) == ("complete", [found])


def test_a_schema_gives_the_typed_score(playground: Playground) -> None:
    pairs = list(zip(TRUTHS, ANSWERS, strict=True))
    asked = [("score", {"ground_truth": truth, "prediction": answer, "schema": SCHEMA}) for truth, answer in pairs]
    _, answers = of_an_agent(playground, *asked)
    assert [json.loads(answer.content[0].text)["score"] for answer in answers] == expected_scores()
    events = [call(playground, truth, answer, *DEFAULTS, SCHEMA) for truth, answer in pairs]
    assert [tree["score"] for _, (tree,) in events] == expected_scores()


def test_an_agent_is_told_what_is_wrong(playground: Playground) -> None:
    """In the words of the library, or of the protocol where an argument has the wrong type."""
    before = len(playground.log.read_text(encoding="utf-8"))
    pair = {"ground_truth": "x", "prediction": "x"}
    wrong: dict[str, dict[str, Any]] = {
        "threshold: expected a number from 0 to 1, got 3": {**pair, "threshold": 3},
        "one-of": {**pair, "ground_truth": {"$one_of": []}},
        "20,001 values": {**pair, "ground_truth": json.dumps([["x"]] * 20_001)},
        "'prediction' is a required property": {"ground_truth": "x"},
        "'half' is not of type 'number'": {**pair, "threshold": "half"},
        "'nope' is not one of": {**pair, "rules": "nope"},
    }
    _, answers = of_an_agent(playground, *(("score", arguments) for arguments in wrong.values()))
    for message, answer in zip(wrong, answers, strict=True):
        assert answer.isError
        assert message in answer.content[0].text
    assert playground.faults(before) == ""


def test_the_first_load_of_the_page_is_small(playground: Playground) -> None:
    """Beside what gradio itself loads: 108 kB, of which the fonts have 46; without compression it was 360 kB."""

    def transferred(path: str) -> bytes:
        request = urllib.request.Request(f"{playground.url}/{path}", headers={"Accept-Encoding": "gzip"})  # noqa: S310  ours
        with urllib.request.urlopen(request, timeout=HUNG) as answer:  # noqa: S310
            return bytes(answer.read())

    page = transferred("")
    fonts = set(re.findall(r"gradio_api/file=[^\\\"]+\.woff2", gzip.decompress(page).decode()))
    assert len(fonts) == 2
    assert len(page) + sum(len(transferred(font)) for font in fonts) < 150_000


def test_the_page_is_built_without_being_served() -> None:
    code = "from playground import page; demo = page.build_demo(); print(type(demo).__name__, demo.is_running)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "Page False\n"), done.stderr

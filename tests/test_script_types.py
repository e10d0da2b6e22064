"""The types by which `tsc` checks the page's scripts have the names of what the server takes and answers."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any, NamedTuple

import pytest

from playground import requests, server_functions
from tests.commands import PREDICTIONS, REFERENCES
from tests.conftest import ROOT
from tests.test_server_functions import result_of, uploaded

pytestmark = pytest.mark.ci
_INTERFACE = re.compile(r"interface (\w+)(?: extends (\w+))? \{((?:[^{}]|\{[^{}]*\})*)\}")
_PROPERTY = re.compile(r"(\w+)(\??): ((?:[^;{}]|\{[^{}]*\})*)")


class Property(NamedTuple):
    """A property of an interface: whether it may be absent, and its type as it is written."""

    is_optional: bool
    type: str


def _interfaces() -> dict[str, dict[str, Property]]:
    text = (ROOT / "playground" / "server.d.ts").read_text(encoding="utf-8")
    found: dict[str, dict[str, Property]] = {}
    for name, base, body in _INTERFACE.findall(text):
        own = {key: Property(bool(mark), of.strip()) for key, mark, of in _PROPERTY.findall(body)}
        found[name] = found.get(base, {}) | own
    return found


INTERFACES = _interfaces()
ANSWERS = {  # by function the interface of its answer; a run may also be `Running`
    name: re.split(r"\W+", function.type.removeprefix("Ask<"))[1]
    for name, function in INTERFACES["Functions"].items()
    if function.type.startswith("Ask<")
}


def check_names(value: Any, type_text: str, place: str) -> None:
    """Compare the names in a value with those of the interface that its type mentions, and so on below."""
    named = next((name for name in re.findall(r"[A-Z]\w+", type_text) if name in INTERFACES), None)
    if named is None or value is None:
        return
    if isinstance(value, list | tuple):
        for part in value:
            check_names(part, named, f"{place}[]")
        return
    properties = INTERFACES[named]
    required = {name for name, each in properties.items() if not each.is_optional and "Partial<" not in type_text}
    assert required <= value.keys() <= properties.keys(), place
    for name, part in value.items():
        check_names(part, properties[name].type, f"{place}.{name}")


def test_a_request_has_the_fields_of_its_model_and_its_options() -> None:
    taken = {name: set(getattr(requests, name).model_fields) for name in INTERFACES if name.endswith("Request")}
    assert len(taken) > 5
    taken |= {"WhatIfOptions": set(requests.WHAT_IFS), "PairOptions": set(requests.PAIR_OPTIONS)}
    assert {name: set(INTERFACES[name]) for name in taken} == taken


def test_answers_have_the_names_of_their_types() -> None:
    async def visit() -> None:
        truths, predictions = uploaded(REFERENCES), uploaded(PREDICTIONS)
        worse = uploaded(PREDICTIONS.with_name("predictions_text.jsonl"))
        scored = await result_of(server_functions.score_files, {"references": truths, "predictions": predictions})
        several = {"references": truths, "predictions": [predictions, worse], "parse": "repair"}
        compared = await result_of(server_functions.compare_files, several)
        of_scored, pair = {"run": scored["run"]}, {"truth": '{"a": 1}', "prediction": '{"a": "1"}'}
        asked: dict[str, dict[str, Any]] = {
            "score_workspace": pair,
            "stop_workspace": {},
            "open_link": {"link": pair},
            "stop": {},
            "sort_files": {"files": [predictions, truths]},
            "open_result": of_scored,
            "read_documents": of_scored,
            "view_documents": of_scored,
            "read_document": {**of_scored, "number": 1},
            "read_rows": {**of_scored, "numbers": "1"},
            "read_pair": {**of_scored, "number": 1},
            "open_document": {"run": compared["run"], "document": compared["documents"][0]["id"]},
        }
        answers = {name: await getattr(server_functions, name)(each) for name, each in asked.items()}
        answers |= {"score_files": scored, "compare_files": compared}
        assert answers.keys() == ANSWERS.keys()
        for name, found in answers.items():
            answer = json.loads(json.dumps(found))
            assert "refused" not in answer, (name, answer)
            check_names(answer, ANSWERS[name], name)
        faulty = await server_functions.score_workspace({**pair, "truth": "{"})
        check_names(faulty["faults"], "Fault", "fault")
        check_names(await server_functions.read_rows({"run": "", "numbers": "1"}), "Refusal", "refusal")

    asyncio.run(visit())

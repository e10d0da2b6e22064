"""Every key of a result of a module is described, every described key occurs, and the descriptions are up to date."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any

import evaluate
import pytest
from jsonschema import Draft202012Validator

import docscore
from dev.scripts.describe_results import RESULTS, described, keys_of_module, schema_of_all
from docscore.inputs.rows import BY_ID
from docscore.integrations.evaluate.metric import declaration, encode_rows
from tests.commands import RECEIPTS, REFERENCES, TEXTS, rows
from tests.test_json_output import closed, members

Options = Mapping[str, Any]

GIVEN: dict[str, Any] = {
    side: sorted(rows(path), key=itemgetter("question_id"))[:16]
    for side, path in (("references", REFERENCES), ("predictions", TEXTS))
}
WITHOUT_ONE = {**GIVEN, "predictions": GIVEN["predictions"][1:]}
ONE_ROW = {side: each[:1] for side, each in GIVEN.items()}
INTERVALS = {"confidence": 0.95}
SHARED: list[tuple[dict[str, Any], Options]] = [
    (GIVEN, {"parse": "text"}),
    (GIVEN, {"parse": "json", "signature": True}),
    (GIVEN, {"parse": "repair"}),
    (ONE_ROW, {"parse": "json", **INTERVALS}),
    (GIVEN, {"parse": "json", **INTERVALS, "cluster": lambda name: name[-1]}),
    (WITHOUT_ONE, {"parse": "json", "missing": "skip"}),
    (WITHOUT_ONE, {"parse": "repair", "missing": "zero"}),
]
OWN: dict[str, Options] = {
    "anls_star": {"key_scores": True, "per_sample": True, "schema": str(RECEIPTS / "schema.json")},
    "kieval": {"by_type": True},
}


def test_descriptions_are_up_to_date() -> None:
    """If not, run `python -m dev.scripts.describe_results`."""
    assert [str(path) for path, text in described().items() if path.read_text("utf-8") != text] == []


def results(name: str) -> Iterator[tuple[Options, dict[str, Any]]]:
    """Options of a module and the result that they give, each shared option with each of the module's own."""
    metric, own = evaluate.load(docscore.evaluate_module(name)), OWN.get(name, {})
    for sides, options in SHARED:
        for chosen in ({}, *({option: value} for option, value in own.items()), own):
            given = {**options, **chosen}
            yield given, metric.compute(**sides, **given)
    stored = encode_rows(GIVEN["predictions"], GIVEN["references"], BY_ID)
    last = [declaration(16, process, 2, {}) for process in (0, 1)]
    twice = [[*part, *part, *(each[side][0] for each in last)] for side, part in enumerate(stored)]
    yield {"parse": "json", "processes": 2}, metric._compute(*twice, parse="json")  # noqa: SLF001  in the first process


def is_given(wanted: str, options: Options) -> bool:
    """Whether the options are those that the description of a key names."""
    return all(
        any(
            options.get(name) == value if value else name in options
            for name, value in re.findall(r'(\w+)`?(?:="(\w+)")?', part)
        )
        for part in wanted.split(" and ")
    )


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_keys_occur_with_the_options_that_their_descriptions_name(name: str) -> None:
    known, schema = (
        {path.replace("[]", ""): key for path, key in keys_of_module(RESULTS[name])},
        schema_of_all(RESULTS[name], of_command=False),
    )
    occurring: set[str] = set()
    for options, result in results(name):
        plain = json.loads(json.dumps(result))
        Draft202012Validator(closed(schema)).validate(plain)
        found = {path for path, occurs in members(schema, [plain]) if occurs}
        wanted = {path: known[path].option or "" for path in found}
        assert {path: named for path, named in wanted.items() if named and not is_given(named, options)} == {}
        occurring |= found
    assert occurring == set(known)

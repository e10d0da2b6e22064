"""A JSON Schema and a pair: the typed score and its tree."""

from __future__ import annotations

import json
from typing import Any

from dev.fuzz.draws import Draws, raw, read
from dev.fuzz.findings import check_html, check_printable, check_share, errors_name_their_place
from dev.fuzz.seeds import cases, lines_of, sampled_seeds
from docscore.evaluation.evaluation import figures_to_dict
from docscore.evaluation.sources import evaluate
from docscore.inputs.json_text import loads
from docscore.metrics.typed.comparators import COMPARATORS
from docscore.metrics.typed.score import typed_tree
from docscore.report.console import print_measured, print_tree, printed
from docscore.report.html_tree import tree_as_html

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null", "money")
FORMATS = ("date", "date-time", "uri", "")
SETTINGS: dict[str, tuple[Any, ...]] = {
    "compare": (*COMPARATORS, "function", "same"),
    "tolerance": (0, 0.01, 1e300, "1%", "0.5 %", "1000000000%", "-1%", "x", -1, float("inf"), 10**400),
    "weight": (1, 0, 3, 0.5, 1e-300, 1e300, -1, "3", float("nan"), 10**400),
    "decimal": (".", ",", "..", "1", " "),
    "group": (",", ".", "'", "\u00a0", ""),
    "date_order": ("dmy", "mdy", "ymd", "ydm"),
    "locale": ("de", "en_CA", "fr-FR", "xx", "", "../x"),
    "format": ("%d%m%y", "%", "%Q", "x"),
    "percent": ("share", "points", "x"),
    "currency": ("any", "required", "ignored", "EUR", "XXZ"),
    "unit": ("kg", "month", "x y", "m**9"),
    "region": ("DE", "US", "ZZ"),
    "true": (["x"], [], "x"),
    "values": (["a", "b"], {"a": ["b"]}, {"a": ["x"], "b": ["x"]}, [1]),
    "case": ("kept", "ignored"),
    "judgements": ([["a", "b", True]], [["a", "b", 0.5], ["a", "b", 1]], [["a"]], "x"),
    "unread": ("text", "wrong"),
    "unequal": ("text", "wrong"),
    "list_order": ("any", "kept", "x"),
    "key": ("a", "b", ""),
    "unknown": (1,),
}
REFERENCES = (
    "#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/properties/a/items", "#a", "other.json",
    "https://example.org/s.json", "", "#/%", "#/0",
)  # fmt: skip
_DEPTH = 4
_MOST_CHARACTERS = 200_000  # per side: comparing two long texts takes seconds, and each pair is compared several times


def run(data: bytes) -> None:
    """Score a pair by a schema."""
    draws, parts = read(data)
    if draws is None:
        try:
            schema, truth, prediction = (loads(each) for each in (parts * 3)[:3])
        except ValueError:
            return
    else:
        schema = _schema(draws, _DEPTH)
        truth, prediction = draws.pair()
        if max(len(str(truth)), len(str(prediction))) > _MOST_CHARACTERS:
            return
    with errors_name_their_place():
        tree = typed_tree(truth, prediction, schema)
        check_share(tree.score, "the typed score")
        check_printable(str(tree))
        check_printable(printed(print_tree, tree, fold=True))
        check_html(tree_as_html(tree))
        tree.to_dict()
        _evaluate(truth, prediction, schema)


def _evaluate(truth: Any, prediction: Any, schema: Any) -> None:
    sides: dict[str, Any] = {
        "references": {"a": truth, "b": {"a": 1}},
        "predictions": {"a": prediction, "b": {"a": "1.0"}},
    }
    evaluation = evaluate(**sides, schema=schema, metrics="typed", parse="text")
    check_printable(printed(print_measured, evaluation))
    json.dumps(figures_to_dict(evaluation), allow_nan=False)


def _schema(draws: Draws, depth: int) -> Any:
    """Return a schema, usually a valid one."""
    if not depth or draws.rarely():
        return draws.pick(({}, True, False, None, [], "x")) if draws.rarely() else {"type": draws.pick(TYPES[:4])}
    schema: dict[str, Any] = {}
    for _ in range(draws.number(4)):
        keyword, content = _keyword(draws, depth - 1)
        schema[keyword] = content
    return schema


def _keyword(draws: Draws, depth: int) -> tuple[str, Any]:
    """Return a keyword of a schema with its content."""
    kind = draws.number(12)
    if kind < 2:
        names = draws.pick(TYPES)
        return "type", [names, draws.pick(TYPES)] if draws.rarely() else names
    if kind < 4:
        settings = {name: draws.pick(SETTINGS[name]) for name in (draws.pick(list(SETTINGS)) for _ in range(2))}
        return "x-docscore", draws.value(depth=1) if draws.rarely() else settings
    if kind < 7:
        return "properties", {draws.key(): _schema(draws, depth) for _ in range(draws.number(3))}
    if kind == 7:
        return draws.pick(("items", "additionalProperties")), _schema(draws, depth)
    if kind == 8:
        return draws.pick(("anyOf", "oneOf", "allOf", "prefixItems", "items")), [_schema(draws, depth) for _ in "ab"]
    if kind == 9:
        return "$ref", draws.pick(REFERENCES)
    if kind == 10:
        return draws.pick(("$defs", "definitions")), {name: _schema(draws, depth) for name in "ab"}
    if kind == 11:
        return draws.pick(("$id", "$schema", "$anchor", "$dynamicRef", "title", "enum", "pattern")), draws.text()
    return "format", draws.pick(FORMATS)


def seeds() -> list[bytes]:
    """Return the typed cases of the tests, the schema of the examples, and random bytes."""
    known = [
        raw(*(json.dumps(case[name]) for name in ("schema", "ground_truth", "prediction")))
        for case in cases("typed_cases")
    ]
    receipts = "".join(lines_of("examples", "receipts", "schema.json"))
    truth = json.loads(lines_of("examples", "receipts", "references.jsonl")[0])["references"][0]
    return [*known, raw(receipts, json.dumps(truth), json.dumps(truth)), *sampled_seeds()]

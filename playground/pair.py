"""One pair: from the texts in the editors to the result as HTML, as JSON, and as Python code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from docscore.core.formatting import printable
from docscore.core.options import AS_TEXT, ScoringOptions
from docscore.core.values import Value
from docscore.data.json_text import JsonError, dumps, kinds_of, loads, parse_text
from docscore.data.pairing import Pairs
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.rows import places_by_schema, warn_of_schemas
from docscore.evaluation.sentences import READ
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.metrics.kieval import entity_f1_tree, kieval_tree
from docscore.metrics.nted import nted_tree
from docscore.metrics.registry import ANLS_STAR, METRICS, TYPED
from docscore.metrics.typed.score import schema_of_row
from docscore.report.html_tree import drawn_places, explained_drawing, tree_drawing
from playground.conclusions import what_ifs_of
from playground.file_reading import check_pairs
from playground.fragments import fragment
from playground.limits import (
    check_length,
    check_metric,
    check_value,
    check_work,
    is_small,
    read_text,
    shortened,
)
from playground.requests import PairRequest, arguments_of, metrics_of, scoring_options

LONGEST_AT_EDITOR = 300  # characters of a message below an editor
LONGEST_AT_ONCE = 40_000  # characters of both texts
LONGEST_MENDED_AT_ONCE = 2_000  # characters of a text that is not JSON
Spans = dict[str, tuple[int, int]]
Fault = dict[str, Any]
MAX_RAW = 200_000  # characters of raw JSON that are shown


class PairAnswer(NamedTuple):
    """What a visitor gets.

    Attributes:
        faults: of either editor what is wrong: "text", "line" and "column" where they are known, and what is lacking
            before that place as "insert", or ""; None for nothing. With a fault the other parts are empty.
        note: how the prediction was read, where that is not as it stands, and what is doubtful of the schema, or "".
        result: the result as HTML.
        raw: the result as JSON text.
        python: the code that reproduces it.
        spans: of the ground truth and the prediction, where the values of the tree stand in the text: by the position
            of a value the characters from its key to its end, counted as JavaScript does.
    """

    faults: tuple[Fault | None, Fault | None]
    note: str = ""
    result: str = ""
    raw: str = ""
    python: str = ""
    spans: Sequence[Spans] = ()


def is_scored_at_once(asked: PairRequest) -> bool:
    """Whether a pair of texts is scored in milliseconds; a text that is not JSON is refused in as little."""
    if asked.options["schema"] or len(asked.truth) + len(asked.prediction) > LONGEST_AT_ONCE:
        return False
    try:
        values = read_text(asked.truth), _read(asked.prediction, "text" if asked.reading == "text" else "json")[0]
    except ValueError:
        return len(asked.prediction) <= LONGEST_MENDED_AT_ONCE
    return is_small(*values, whole_trees=asked.metric != ANLS_STAR)


def answer(asked: PairRequest) -> PairAnswer:
    """Score a pair of texts, or say what is wrong with either.

    Raises:
        ValueError: for a schema that is wrong, or names none of the fields.
    """
    faults, values, note = _read_both(asked)
    if any(faults):
        return PairAnswer((faults[0], faults[1]))
    return PairAnswer((None, None), *_scored((values[0], values[1]), asked, note))


def what_ifs_of_pair(asked: PairRequest) -> list[dict[str, Any]]:
    """The options by which a pair scores higher, as for a test set of this one row; none for texts with faults."""
    faults, values, _ = _read_both(asked)
    if any(faults):
        return []
    pairs = Pairs([""], values[:1], values[1:])
    options = replace(scoring_options(asked.options), parse=AS_TEXT)
    metrics = metrics_of([asked.metric], asked.options["schema"])[:1]
    found = Evaluation(pairs, options, metrics=metrics, confidence=None, whole=False)
    return [each.to_dict() for each in what_ifs_of([found], check_pairs)]


def _read_both(asked: PairRequest) -> tuple[list[Fault | None], list[Any], str]:
    """What is wrong with either text, their values, and how the prediction was read."""
    faults: list[Fault | None] = []
    values: list[Any] = []
    note = ""
    for text, reading in ((asked.truth, "json"), (asked.prediction, asked.reading)):
        try:
            value, note = _read(text, reading, next(iter(values), None))
            values.append(check_value(value, is_truth=not faults))
            faults.append(None)
        except (TypeError, ValueError) as error:
            faults.append(_fault(error, text))
    if not any(faults):
        try:
            check_work(*values)
            check_metric(asked.metric, *values)
        except ValueError as error:
            faults[1] = _fault(error, asked.prediction)
    return faults, values, note


def _fault(error: Exception, text: str) -> Fault:
    """An error for the editor of a text; where it has a line and a column, the sentence is without them."""
    line, column = (error.line, error.column) if isinstance(error, JsonError) else (None, None)
    sentence = error.problem if isinstance(error, JsonError) and line else str(error)
    insert = "," if line and column and _lacks_comma(text, line, column) else ""
    return {"text": shortened(printable(sentence), LONGEST_AT_EDITOR), "line": line, "column": column, "insert": insert}


def _lacks_comma(text: str, line: int, column: int) -> bool:
    """Whether more of a text is JSON with a comma before a place, at which it has a fault."""
    lines = text.split("\n")
    lines[line - 1] = f"{lines[line - 1][: column - 1]},{lines[line - 1][column - 1 :]}"
    try:
        loads("\n".join(lines))
    except JsonError as error:
        return (error.line or 0, error.column or 0) > (line, column + 1)
    return True


def _read(text: str, reading: str, truth: Value = None) -> tuple[Any, str]:
    """The value of a text, and how it was read, where that is not as it stands."""
    if reading == "text":
        check_length(text)
        return text, ""
    try:
        value, note = read_text(text), ""
    except JsonError as error:
        if reading == "json":
            raise
        check_length(text)
        parsed = parse_text(text, "repair", truth)
        if parsed.failed:
            why = parsed.note or "it cannot be repaired"
            problem = f'{error.problem}; {why}; choose "plain text" to compare it as one text'
            raise JsonError(replace(error.diagnostic, problem=problem), error.line, error.column) from None
        taken = {"extracted": "the JSON in it was extracted", "mended": f"it was repaired: {parsed.note}"}
        how = taken.get(parsed.outcome, parsed.note.removeprefix(f"{error.problem}, and "))
        value, note = parsed.value, f"The prediction is not JSON ({error}); {how}."
    if isinstance(value, str) and (parsed := parse_text(text, reading, truth)).outcome == "extracted":
        value, note = parsed.value, f"The prediction was read as {parsed.note}."
    return value, note


_TREES: dict[str, Callable[..., MetricTree]] = {"kieval": kieval_tree, "entity_f1": entity_f1_tree, "nted": nted_tree}


def _scored(values: tuple[Any, Any], asked: PairRequest, note: str) -> tuple[str, str, str, str, list[Spans]]:
    """The note with what is doubtful of the schema, the result as HTML, JSON and Python, and where values stand."""
    options, metric = scoring_options(asked.options), metrics_of([asked.metric], asked.options["schema"])[0]
    texts = {"ground_truth": dumps(values[0]), "prediction": dumps(values[1])}
    if metric in (ANLS_STAR, TYPED):
        tree = _tree(*values, options)
        drawing = explained_drawing(tree, "pair", None if metric == TYPED else options, with_positions=True)
        imports, name, raw = "docscore", "typed_tree" if metric == TYPED else "score_tree", tree.to_dict()
    else:
        function = _TREES[metric]
        other = function(*values, **{name: getattr(options, name) for name in METRICS[metric].options})
        drawing = tree_drawing(other, "pair", with_positions=True)
        imports, name = function.__module__, function.__name__
        label = METRICS[metric].label
        raw = {"metric": label, "headline": other.headline, "facts": list(other.facts), **other.to_dict()}
    if metric == TYPED:
        texts["schema"] = options.schema.schema_of("")
        doubts = warn_of_schemas(places_by_schema([("", values[0])], options.schema), options.schema)
        note = " ".join([*filter(None, [note]), *(f"The {printable(doubt)}." for doubt in doubts)])
    arguments = ", ".join([*list(texts)[:2], *arguments_of(options, METRICS[metric].options)])
    python = python_code(f"from {imports} import {name}", texts, f"print({name}({arguments}))")
    shown = [row.positions for row in drawing.rows if row.positions]
    spans = [
        {position: span for position, span in spans_of(text).items() if position in known}
        for side, text in enumerate((asked.truth, asked.prediction))
        for known in [{each[side] for each in shown}]
    ]
    return note, fragment("tree", drawing), _limited(raw), python, spans


def _tree(truth: Value, prediction: Value, options: ScoringOptions) -> ScoreTree:
    """The tree of ANLS*, with a schema that of the typed score."""
    return build_tree(truth, prediction, options, options.schema and schema_of_row(options.schema, ""))


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', flags=re.DOTALL)
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def spans_of(text: str) -> Spans:
    """Where the values of a JSON text stand: by position, from the key of each to its end.

    A position lists, from the root, which child of its parent a value is: "0/2" is the third child of the first child.
    Characters beyond the first 65,536 count twice, as in JavaScript. The text is read as far as it is JSON, from the
    first bracket on if it begins with something else.

    >>> spans_of('{"a": [1, 2]}')
    {'': (0, 13), '0': (1, 12), '0/0': (7, 8), '0/1': (10, 11)}
    """
    text = _ASTRAL.sub("xx", text)
    begin = re.match(r'\s*(?=[\[{"\d\-tfnNI])', text) or re.search(r"(?=[\[{])", text)
    spans: Spans = {}
    open_values: list[_OpenValue] = []
    key: int | None = None
    for token in _TOKENS.finditer(text, begin.end()) if begin else ():
        inside = open_values[-1] if open_values else None
        if inside is None and token[0] in "}],:":
            break
        if inside and token[0] in "}]":
            spans[inside.position] = inside.start, token.end()
            open_values.pop()
        elif inside and token[0] in ",:":
            inside.count, inside.is_named = inside.count + (token[0] == ","), token[0] == ":"
        elif inside and inside.has_keys and not inside.is_named and token[0] not in "{[":
            key = token.start()
        else:
            position = "" if inside is None else f"{inside.position}/{inside.count}".lstrip("/")
            start = token.start() if key is None else key
            key = None
            spans[position] = start, token.end() if token[0] not in "{[" else len(text)
            if token[0] in "{[":
                open_values.append(_OpenValue(position, start, token[0] == "{"))
        if spans and not open_values:
            break
    return spans


@dataclass
class _OpenValue:
    """An object or list whose end was not read yet."""

    position: str
    start: int
    has_keys: bool
    count: int = 0  # of the commas in it
    is_named: bool = False  # whether a key and its colon came since the last comma


def _limited(result: dict[str, Any]) -> str:
    """A result as JSON text, cut if it is very long; what is cut off is not written, which would take minutes."""
    parts, length = [], 0
    try:
        for part in json.JSONEncoder(indent=1, ensure_ascii=False).iterencode(result):
            parts.append(part)
            length += len(part)
            if length > MAX_RAW:
                break
        raw = "".join(parts)
    except ValueError:  # an integer that Python refuses to print
        raw = dumps(result)
    raw = raw.encode("utf-8", "backslashreplace").decode()  # lone surrogates
    if len(raw) <= MAX_RAW:
        return raw
    return f"{raw[:MAX_RAW]}\n… cut off after {MAX_RAW:,} characters; the API returns all of it"


def python_code(imports: str, texts: Mapping[str, str], code: str) -> str:
    """Python code that reproduces a result, with variables for JSON texts; those that are long come from files."""
    values = "".join(
        f"{name} = json.loads({text!r})\n" if len(text) <= MAX_RAW else f'{name} = json.load(open("{name}.json"))\n'
        for name, text in texts.items()
    )
    return "".join(["import json\n" if texts else "", f"{imports}\n\n", values, f"{code}\n"])


# For programs


_LONGEST_INTEGER = 64  # bits


def tree_for_clients(ground_truth: Any, prediction: Any, options: ScoringOptions) -> dict[str, Any]:
    """The score tree of a pair as JSON values, at most `MAX_ROWS` nodes of it, with notes on sides read from text.

    Where nodes are left out, the node above has the key "left_out" with the number of its children that are. gradio
    needs seconds for an answer of 40,000 objects, in which nobody else is answered.

    Raises:
        TypeError, ValueError: for values that are not accepted.
    """
    notes: list[str] = []
    truth = check_value(_value_of_text(ground_truth, "ground_truth", notes), is_truth=True)
    values = truth, check_value(_prediction(prediction, truth, options, notes), is_truth=False)
    check_work(*values)
    tree = _tree(*values, options)
    found = _renamed(tree, tree.to_dict(), {id(node) for node, *_ in drawn_places(tree)})
    return {"notes": notes, **found} if notes else found


def _prediction(value: Any, truth: Any, options: ScoringOptions, notes: list[str]) -> Any:
    """The prediction, read as the options say; notes say how, and whether it is a text in place of something else."""
    if options.parse is None:
        value = _value_of_text(value, "prediction", notes)
    elif options.parse_mode is not None and isinstance(value, str):
        check_length(value)
        value, outcome, note = parse_text(value, options.parse_mode, truth)
        if outcome != "exact":
            notes.append(f"prediction is {READ[outcome]}{note and f': {note}'}")
    kinds = kinds_of(truth)
    if isinstance(value, str) and kinds <= {dict, list}:
        notes.append(f"prediction is a text where {'an object' if dict in kinds else 'a list'} was expected")
    return value


def _value_of_text(value: Any, side: str, notes: list[str]) -> Any:
    """The value, or the object or list that its text is; a note then says so."""
    if not is_json_text(value):
        return value
    try:
        found = read_text(value)
    except ValueError:
        return value
    notes.append(f"{side} was JSON text and was read as {'an object' if isinstance(found, dict) else 'a list'}")
    return found


def is_json_text(value: Any) -> bool:
    """Whether a value is text that begins like a JSON object or list."""
    return isinstance(value, str) and value.lstrip().startswith(("{", "["))


def _renamed(tree: ScoreTree, node: dict[str, Any], shown: set[int]) -> dict[str, Any]:
    """Rename `path` of a node to `place`; values that are objects or lists, and integers beyond 64 bits, are JSON text.

    gradio's Python client treats every object with the key "path" as a file, and tries to download it; its server
    writes no longer integers.
    """
    found = {"place": node.pop("path"), **node}
    for side in ("ground_truth", "prediction"):
        if isinstance(found[side], dict | list):
            found[side] = dumps(found[side]) if not node["children"] else None
        elif isinstance(found[side], int) and found[side].bit_length() >= _LONGEST_INTEGER:
            found[side] = dumps(found[side])
    below = [pair for pair in zip(tree.children, node["children"], strict=True) if id(pair[0]) in shown]
    found["children"] = [_renamed(*pair, shown) for pair in below]
    if len(below) < len(tree.children):
        found["left_out"] = len(tree.children) - len(below)
    return found

"""Score one pair: from the texts in the editors to the result as HTML, as JSON, and as Python code."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError
from docscore.core.formatting import printable, three_digits
from docscore.core.options import AS_TEXT, CompareOptions, ReadOptions
from docscore.core.values import Value
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.registry import ANLS_STAR, METRICS, TYPED, tree_note
from docscore.evaluation.sentences import READING_WORDS, capital, explained_figures
from docscore.grounding.document_text import DocumentText
from docscore.grounding.interpretation import with_regions
from docscore.grounding.nodes import RowAnnotator
from docscore.grounding.regions import RowRegions
from docscore.inputs.json_text import JsonError, dumps, dumps_in_style
from docscore.inputs.model_text import Parsed, is_json_container, kinds_of, parse_text
from docscore.inputs.raw_regions import has_regions, with_raw_regions
from docscore.inputs.reading import as_scored
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.typed.schema_warnings import places_by_schema, warnings_about_schemas
from docscore.metrics.typed.score import schema_of_row
from docscore.report.document_places import placed_rows
from docscore.report.html_tree import TreeDrawing, explained_drawing, sampled_places
from playground.pair.examples import places_in
from playground.parts.conclusions import what_ifs_of
from playground.parts.files import check_test_set
from playground.parts.fragments import fragment
from playground.parts.python_code import MAX_RAW, python_code
from playground.parts.remedies import remedies_of, taken_of
from playground.server.answers import Edit, Fault, Mend, PairAnswer, ScoredPair, Spans, WhatIfs
from playground.server.labels import QUOTED_LABELS
from playground.server.limits import (
    check_length,
    check_metric,
    check_value,
    check_work,
    is_small,
    read_text,
    refuse_files,
    shortened,
)
from playground.server.requests import CONTENT, PairRequest, arguments_of, compare_options, given_options, metrics_of

LONGEST_AT_EDITOR = 300  # characters of a message below an editor
LONGEST_AT_ONCE = 40_000  # characters of both texts together
LONGEST_MENDED_AT_ONCE = 2_000  # characters of a text that is not JSON
MOST_PIECES = 1_000  # words and signs of a side that `SequenceMatcher` compares at once
_NAME = "pair"  # the id of the only row
_ROW = f"row {_NAME!r}: "  # the start of messages about that row
_CUT = re.compile("ends within a (number|word)")  # in the note on a repaired text
_PIECES = re.compile(r"\\.|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\w+|[^\w\s]", flags=re.DOTALL)


def is_scored_at_once(asked: PairRequest) -> bool:
    """Return whether a pair of texts is scored in milliseconds; this also covers texts that are refused as not JSON."""
    if asked.options["schema"] or len(asked.truth) + len(asked.prediction) + len(asked.text) > LONGEST_AT_ONCE:
        return False
    try:
        values = read_text(asked.truth), _read(asked.prediction, "text" if asked.reading == "text" else "json")[0]
    except ValueError:
        return max(len(asked.truth), len(asked.prediction)) <= LONGEST_MENDED_AT_ONCE
    return is_small(*values, whole_trees=asked.metric != ANLS_STAR)


class _Read(NamedTuple):
    """Both texts after parsing.

    Attributes:
        faults: the error in each text, or None.
        pairs: the two values as one row, with their regions.
        note: how the prediction was read.
        edits: the changes to the prediction that this required.
        is_example: whether most of the first example is unchanged.
    """

    faults: list[Fault | None]
    pairs: TestSet
    note: str = ""
    edits: Sequence[Edit] = ()
    is_example: bool = False


def answer(asked: PairRequest) -> PairAnswer:
    """Score a pair of texts, or report the error in each.

    Raises:
        ValueError: if the schema is invalid or names none of the fields.
    """
    read = _read_both(asked)
    empty = ScoredPair(note="", result="", raw="", python="", spans=[], places=[])
    scored = empty if any(read.faults) else _scored(read, asked)
    taken = taken_of(asked.content)
    return {"faults": read.faults, **scored, "is_example": read.is_example, "edits": list(read.edits), "taken": taken}


def what_ifs_of_pair(asked: PairRequest) -> WhatIfs:
    """Return the options that raise the score of a pair, as for a test set of one row; none if a text has an error.

    The buttons of warnings have the new scores.
    """
    read = _read_both(asked)
    if any(read.faults):
        return {"what_ifs": [], "remedies": []}
    found = _evaluated(read, asked)
    remedies = remedies_of({"": found})
    for button in (button for remedy in remedies for button in remedy["buttons"]):
        changed = asked.model_copy(update={"content": {**asked.content, **button["options"]["reading"]}})
        button["label"] += f" → {three_digits(_evaluated(_read_both(changed), changed).score)}"
    return {"what_ifs": [each.remedy for each in what_ifs_of([found], check_test_set)], "remedies": remedies}


def _evaluated(read: _Read, asked: PairRequest) -> Evaluation:
    """Return the pair as an evaluation of one row."""
    options, metrics = compare_options(asked.options), metrics_of([asked.metric], asked.options["schema"])[:1]
    return Evaluation(read.pairs, options, metrics=metrics, confidence=None)


def _read_both(asked: PairRequest) -> _Read:
    faults: list[Fault | None] = []
    values: list[Any] = []
    note = ""
    for text, reading in ((asked.truth, "json"), (asked.prediction, asked.reading)):
        try:
            value, note = _read(text, reading, next(iter(values), None))
            values.append(check_value(value, is_truth=not faults))
            faults.append(None)
        except (TypeError, ValueError) as error:
            faults.append(_fault(error, text, next(iter(values), None)))
    pairs = TestSet([_NAME], values[:1], values[1:])
    if any(faults):
        return _Read(faults, pairs, is_example=asked.is_example)
    edits = edits_of(asked.prediction, values[1]) if note else []
    try:
        check_work(*values)
        check_metric(asked.metric, *values)
        places = places_in(*values) if asked.is_example else None
        if places:
            pairs = replace(pairs, evidence=places[:1], citations=places[1:])
        content = given_options(asked.content, CONTENT)
        plain = as_scored(pairs, ReadOptions(parse=AS_TEXT, **content), is_full=False)
        pairs, warnings = with_regions(plain) if has_regions(pairs) else (plain, [])
        note = " ".join([*filter(None, [note]), *(f"{capital(each.diagnostic.problem)}." for each in warnings)])
    except ValueError as error:
        faults["evidence: " not in str(error)] = _fault(error, asked.prediction)
        return _Read(faults, pairs, edits=edits, is_example=asked.is_example)
    return _Read(faults, pairs, note.replace(_ROW, ""), edits, places is not None)


def _fault(error: Exception, text: str, truth: Value = None) -> Fault:
    """Describe an error for the editor of a text; the sentence leaves out the line and column if they are known."""
    line, column = (error.line, error.column) if isinstance(error, JsonError) else (None, None)
    said = error.for_remote_users(QUOTED_LABELS) if isinstance(error, InputValueError) else error
    sentence = error.problem if isinstance(error, JsonError) and line else str(said).replace(_ROW, "")
    parsed = parse_text(text, "repair", truth) if isinstance(error, JsonError) else None
    mend = _mend(text, parsed, line or 1, column or 1) if parsed else None
    if parsed and mend and (cut := _CUT.search(parsed.note)):
        sentence += f"; its last {cut[1]} may be incomplete"
    if mend and {added for *_, added in mend["edits"]} == {"\\"}:
        sentence, before = "a quote inside a text", text[: mend["edits"][0][0]].split("\n")
        line, column = len(before), len(before[-1]) + 1
    return {"text": shortened(printable(sentence), LONGEST_AT_EDITOR), "line": line, "column": column, "mend": mend}


def _mend(text: str, parsed: Parsed, line: int, column: int) -> Mend | None:
    """Return edits that turn an invalid text into JSON, and whether `repair` does the same.

    If the text holds several values, the edits keep the first one, whereas `repair` would have to choose.
    """
    if parsed.outcome in ("repaired", "extracted"):
        return {"edits": edits_of(text, parsed.value), "repairs": True}
    *before, last = text.split("\n")[:line]
    first = "\n".join([*before, last[: column - 1]]).rstrip()
    is_first = parsed.outcome == "ambiguous" and is_json_container(first)
    return {"edits": [(len(first), len(text), "")], "repairs": False} if is_first else None


def edits_of(text: str, value: Any) -> list[Edit]:
    """Return the edits that turn a text into the JSON of a value, each with its start, its end and the new text.

    The edits leave the rest of the text unchanged if both are similar enough to show what changed.

    >>> edits_of("{'a': 1,}", {"a": 1})
    [(1, 2, '"'), (3, 4, '"'), (7, 8, '')]
    """
    wanted = dumps_in_style(value, ensure_ascii=False, separators=(",", ":"))
    edits = list(_edits(text, wanted))
    edits = _escapes(text, edited(text, edits)) or edits
    if parse_text(edited(text, edits), "json") == (value, "exact", ""):
        return edits
    return [(0, len(text), dumps_in_style(value, ensure_ascii=False, indent=2))]


def _escapes(text: str, repaired: str) -> list[Edit]:
    r"""Return the edits that escape quotes, if one text becomes the other by these edits alone.

    >>> _escapes('"a "b" c"', r'"a \"b\" c"')
    [(3, 3, '\\'), (5, 5, '\\')]
    """
    old, new = (re.split(r'(\\?")', side) for side in (text, repaired))
    if old[::2] != new[::2] or '"' in (before for before, after in zip(new, old, strict=True) if before != after):
        return []
    pieces = zip(accumulate(map(len, old)), old, new, strict=True)
    return [(end - 1, end - 1, "\\") for end, before, after in pieces if before != after]


def _edits(text: str, wanted: str) -> Iterator[Edit]:
    old, new = (list(_PIECES.finditer(side)) for side in (text, wanted))
    quotes = [0, *accumulate(piece[0] == '"' for piece in new)]
    (ends, starts), (new_ends, new_starts) = (  # of the pieces before and after each boundary
        ([0, *(piece.end() for piece in side)], [*(piece.start() for piece in side), len(whole)])
        for whole, side in ((text, old), (wanted, new))
    )
    for kind, first, last, new_first, new_last in _changes(*(list(map(_as_compared, side)) for side in (old, new))):
        opened, opens = (quotes[at] % 2 for at in (new_first, new_last))  # white space counts within strings
        begin = (ends if opened or last == len(old) or (kind == "insert" and not opens) else starts)[first]
        end = starts[last] if opens or (kind == "delete" and not first) else max(begin, ends[last])
        added = wanted[(new_ends if opened else new_starts)[new_first] : (new_starts if opens else new_ends)[new_last]]
        yield begin, len(text) if kind == "delete" and last == len(old) else end, added


def _as_compared(piece: re.Match[str]) -> str:
    """Return a piece of JSON text in the form in which it is compared: a number by its value."""
    return str(float(piece[0])) if piece[0][0].isdecimal() else piece[0]


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """Yield the changes between two lists as `SequenceMatcher` gives them, one part at a time to keep the time linear.

    A new part begins at each piece that occurs exactly once in both lists.
    """
    times = Counter(old), Counter(new)
    places = {piece: at for at, piece in enumerate(new) if times[0][piece] == times[1][piece] == 1}
    begin = new_begin = 0
    for end, new_end in [*((at, places.get(piece, -1)) for at, piece in enumerate(old)), (len(old), len(new))]:
        if new_end < new_begin:
            continue
        parts = old[begin:end], new[new_begin:new_end]
        found: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(parts[0]), 0, len(parts[1]))]
        if max(map(len, parts)) <= MOST_PIECES:
            found = SequenceMatcher(None, *parts).get_opcodes()
        for kind, first, last, new_first, new_last in found if parts[0] != parts[1] else ():
            if kind != "equal":
                yield kind, begin + first, begin + last, new_begin + new_first, new_begin + new_last
        begin, new_begin = end, new_end


def edited(text: str, edits: Sequence[Edit]) -> str:
    """Apply edits to a text; the edits are in order."""
    ends = [0, *(end for _, end, _ in edits)]
    return (
        "".join(text[at:begin] + added for at, (begin, _, added) in zip(ends, edits, strict=False)) + text[ends[-1] :]
    )


def _read(text: str, reading: str, truth: Value = None) -> tuple[Any, str]:
    """Return the value of a text, and how it was read if that is not as it is."""
    refuse_files(text)
    if reading == "text":
        check_length(text)
        accepted = truth if isinstance(truth, tuple) else (truth,)
        if not text.strip() and not any(each is None or each == "" for each in accepted):
            raise InputValueError(problem="empty: paste a prediction")
        return text, ""
    try:
        value, note = read_text(text), ""
    except JsonError as error:
        if reading == "json":
            raise
        check_length(text)
        parsed = parse_text(text, "repair", truth)
        if parsed.failed:
            raise
        taken = {"extracted": "the JSON in it was extracted", "repaired": f"it was repaired: {parsed.note}"}
        how = taken.get(parsed.outcome, parsed.note.removeprefix(f"{error.problem}, and "))
        value, note = parsed.value, f"The prediction is not JSON ({error}); {how}."
    if isinstance(value, str) and (parsed := parse_text(text, reading, truth)).outcome == "extracted":
        value, note = parsed.value, f"The prediction was read as {parsed.note}."
    return value, note


_FUNCTIONS = {  # the function of `docscore` that computes each metric, and the attribute of its result with the score
    ANLS_STAR: ("score_tree", ""),
    TYPED: ("typed_tree", ""),
    "kieval": ("kieval_score", ".entities.f1"),
    "entity_f1": ("entity_counts", ".f1"),
    "nted": ("nted_score", ""),
}


def _scored(read: _Read, asked: PairRequest) -> ScoredPair:
    """Return the result of a pair without errors."""
    pairs, note = read.pairs, read.note
    values = pairs.truths[0], pairs.predictions[0]
    is_own = read.is_example == asked.is_example  # whether the text belongs to the values
    document = DocumentText(asked.text) if asked.text and is_own else None
    places = pairs.places[0] if pairs.places else None
    options, metric = compare_options(asked.options), metrics_of([asked.metric], asked.options["schema"])[0]
    texts = {"ground_truth": dumps(values[0]), "prediction": dumps(values[1])}
    tree = _tree(*values, options, places)
    drawing = explained_drawing(tree, "pair", None if tree.metric == TYPED else options, with_positions=True)
    found = placed_rows(tree, drawing.row_numbers, places, document)
    raw = tree.to_dict()
    if note_on_tree := tree_note(metric, tree):
        scored = Evaluation(replace(pairs, is_full=False), options, metrics=[metric], confidence=None)
        drawing = _with_figures(drawing, scored, note_on_tree)
        raw["figures"] = scored.figures
    if metric == TYPED:
        texts["schema"] = options.schema.schema_of("")
        found_of_schema = warnings_about_schemas(places_by_schema([("", values[0])], options.schema), options.schema)
        note = " ".join([*filter(None, [note]), *(f"The {printable(str(each))}." for each in found_of_schema)])
    arguments = ", ".join([*list(texts)[:2], *arguments_of(options, METRICS[metric].options)])
    name, attribute = _FUNCTIONS[metric]
    python = python_code(f"from docscore import {name}", texts, f"print({name}({arguments}){attribute})")
    shown = [row["positions"] for row in drawing.rows if row["positions"]]
    spans = [
        {position: span for position, span in spans_of(text).items() if position in known}
        for side, text in enumerate((asked.truth, asked.prediction))
        for known in [{each[side] for each in shown}]
    ]
    return {
        "note": note,
        "result": fragment("tree", drawing),
        "raw": _limited(raw),
        "python": python,
        "spans": spans,
        "places": found,
    }


def _with_figures(drawing: TreeDrawing, scored: Evaluation, note: str) -> TreeDrawing:
    """Put the figures of a metric above the tree of another metric, with a sentence on what each figure counts."""
    (label, _, meaning), *others = explained_figures(scored)
    lines = [f"{name} {value}: {counts}" for name, value, counts in others]
    whose = f"{note} Its score is {drawing.score}. {drawing.conclusion}".strip()
    return drawing._replace(
        score=three_digits(scored.score),
        conclusion="",
        lead="",
        detail=f"{label}: {meaning}",
        facts=[*lines, whose, *drawing.facts],
    )


def _tree(truth: Value, prediction: Value, options: CompareOptions, places: RowRegions | None = None) -> ScoreTree:
    """Return the tree of ANLS*, or the tree of the typed score if there is a schema."""
    schema = options.schema and schema_of_row(options.schema, "")
    return build_tree(truth, prediction, options, schema, annotator=places and RowAnnotator(places, None, options.iou))


_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],:]|[^\s{}\[\],:"]+', flags=re.DOTALL)
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def spans_of(text: str) -> Spans:
    """Return the range of characters of each value in a JSON text, by position, from the key of the value to its end.

    A position lists child numbers from the root: "0/2" is the third child of the first child. As in JavaScript,
    characters beyond the first 65,536 count twice. The text is read as far as it is JSON; if it begins with something
    else, reading starts at the first bracket.

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
    """An object or list whose end has not been read yet."""

    position: str
    start: int
    has_keys: bool
    count: int = 0  # the number of its commas
    is_named: bool = False  # whether a key and its colon have been read since the last comma


def _limited(result: dict[str, Any]) -> str:
    """Return a result as JSON text, cut if it is very long; writing all of it would take minutes."""
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


# For programs


_LONGEST_INTEGER = 64  # bits


def tree_for_clients(
    ground_truth: Any, prediction: Any, options: CompareOptions, parse: str | None = None
) -> dict[str, Any]:
    """Return the score tree of a pair as JSON values, with notes on sides that were read from text.

    The tree has at most `MAX_ROWS` nodes: for an answer of 40,000 objects gradio would block everyone for seconds. If
    nodes are left out, the node above them has the key "left_out" with the number of its missing children.

    Raises:
        TypeError, ValueError: for values that are not accepted.
    """
    notes: list[str] = []
    truth = check_value(_value_of_text(ground_truth, "ground_truth", notes), is_truth=True)
    values = truth, check_value(_prediction(prediction, truth, parse, notes), is_truth=False)
    check_work(*values)
    pairs = with_raw_regions(TestSet([_NAME], values[:1], values[1:]), None)
    tree = _tree(pairs.truths[0], pairs.predictions[0], options)
    found = _renamed(tree, tree.to_dict(), {id(node) for node, *_ in sampled_places(tree)})
    return {"notes": notes, **found} if notes else found


def _prediction(value: Any, truth: Any, parse: str | None, notes: list[str]) -> Any:
    """Return the prediction, read as the options say; the notes say how, and report text in place of another type."""
    if parse is None:
        value = _value_of_text(value, "prediction", notes)
    elif parse != AS_TEXT and isinstance(value, str):
        check_length(value)
        value, outcome, note = parse_text(value, parse, truth)
        if outcome != "exact":
            notes.append(f"prediction is {READING_WORDS[outcome]}{note and f': {note}'}")
    kinds = kinds_of(truth)
    if isinstance(value, str) and kinds <= {dict, list}:
        notes.append(f"prediction is a text where {'an object' if dict in kinds else 'a list'} was expected")
    return value


def _value_of_text(value: Any, side: str, notes: list[str]) -> Any:
    """Return the value, or the object or list that its text holds, and add a note on that."""
    if not is_json_text(value):
        return value
    try:
        found = read_text(value)
    except ValueError:
        return value
    notes.append(f"{side} was JSON text and was read as {'an object' if isinstance(found, dict) else 'a list'}")
    return found


def is_json_text(value: Any) -> bool:
    """Return whether a value is text that begins like a JSON object or list."""
    return isinstance(value, str) and value.lstrip().startswith(("{", "["))


def _renamed(tree: ScoreTree, node: dict[str, Any], shown: set[int]) -> dict[str, Any]:
    """Rename `path` of a node to `place`; values that are objects or lists, and integers beyond 64 bits, are JSON text.

    gradio's Python client takes every object with a text as "path" for a file and downloads it: `download_files` in
    `gradio_client/client.py` asks for the key "meta" only in an old protocol. gradio's server cannot write longer
    integers.
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

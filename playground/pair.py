"""One pair: from the texts in the editors to the result as HTML, as JSON, and as Python code."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from docscore.core.formatting import printable
from docscore.core.options import DEFAULT_OPTIONS, PACKAGE, PAPER, THRESHOLD, ScoringOptions
from docscore.data.json_text import dumps, parse_text
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.metrics.entity_f1 import entity_f1_tree
from docscore.metrics.kieval import kieval_tree
from docscore.metrics.nted import nted_tree
from docscore.report.html_tree import drawn_places, explained_drawing, tree_drawing
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
from playground.requests import check_parts, checked_options, known_keys

LONGEST_AT_EDITOR = 300  # characters of a message below an editor
LONGEST_AT_ONCE = 40_000  # characters of both texts
LONGEST_MENDED_AT_ONCE = 2_000  # characters of a text that is not JSON
MAX_RAW = 200_000  # characters of raw JSON that are shown
METRICS = ("ANLS*", "KIEval", "Entity F1", "nTED")
READINGS = {"repair": "JSON, repaired", "json": "strict JSON", "text": "plain text"}
RULES = {PAPER: "the paper's", PACKAGE: "anls_star 1.0.1"}
OPTIONS = "threshold", "ignore_case", "rules", "numbers"  # of `ScoringOptions`
NUMBERS = {"text": "as printed", "value": "by value"}


class PairRequest(NamedTuple):
    """What a visitor asks for.

    Attributes:
        truth: the text of the ground truth, JSON.
        prediction: the text of the prediction.
        threshold: of ANLS*, from 0 to 1.
        ignore_case: whether texts are compared in lower case.
        reading: how the text of the prediction is read, one of `READINGS`.
        metric: one of `METRICS`.
        rules: the rules of ANLS*, one of `RULES`.
        numbers: how ANLS* compares numbers, one of `NUMBERS`.
    """

    truth: str
    prediction: str
    threshold: float = THRESHOLD
    ignore_case: bool = True
    reading: str = "repair"
    metric: str = METRICS[0]
    rules: str = PAPER
    numbers: str = "text"

    @classmethod
    def of(cls, asked: object) -> PairRequest:
        """A request from a browser, which may hold anything.

        Raises:
            ValueError: one sentence that names what is wrong.
        """
        parts = known_keys(asked, cls._fields)
        found = cls(**{"truth": None, "prediction": None, **parts})
        given = found._asdict()
        choices = {"reading": READINGS, "metric": METRICS}
        checks = {
            "truth": (isinstance(found.truth, str), "text"),
            "prediction": (isinstance(found.prediction, str), "text"),
            **{
                name: (isinstance(given[name], str) and given[name] in known, f"one of {', '.join(known)}")
                for name, known in choices.items()
            },
        }
        check_parts(given, checks)
        checked_options(**{name: given[name] for name in OPTIONS})
        return found

    @property
    def options(self) -> ScoringOptions:
        """The options of ANLS*."""
        return ScoringOptions(**{name: getattr(self, name) for name in OPTIONS})


class PairAnswer(NamedTuple):
    """What a visitor gets.

    Attributes:
        faults: a message for either editor, "" if there is none; with one, the other parts are empty.
        note: how the prediction was read, where that is not as it stands, or "".
        result: the result as HTML.
        raw: the result as JSON text.
        python: the code that reproduces it.
    """

    faults: tuple[str, str]
    note: str = ""
    result: str = ""
    raw: str = ""
    python: str = ""


def is_scored_at_once(asked: PairRequest) -> bool:
    """Whether a pair of texts is scored in milliseconds; a text that is not JSON is refused in as little."""
    if len(asked.truth) + len(asked.prediction) > LONGEST_AT_ONCE:
        return False
    try:
        values = read_text(asked.truth), _read(asked.prediction, "text" if asked.reading == "text" else "json")[0]
    except ValueError:
        return len(asked.prediction) <= LONGEST_MENDED_AT_ONCE
    return is_small(*values, whole_trees=asked.metric != METRICS[0])


def answer(asked: PairRequest) -> PairAnswer:
    """Score a pair of texts, or say what is wrong with either."""
    found: list[str] = []
    values: list[Any] = []
    note = ""
    for text, reading in ((asked.truth, "json"), (asked.prediction, asked.reading)):
        try:
            value, note = _read(text, reading)
            check_value(value, is_truth=not found)
            values.append(value)
            found.append("")
        except (TypeError, ValueError) as error:
            found.append(shortened(printable(str(error)), LONGEST_AT_EDITOR))
    if not any(found):
        try:
            check_work(*values)
            check_metric(asked.metric, *values)
        except ValueError as error:
            found[1] = str(error)
    if any(found):
        return PairAnswer((found[0], found[1]))
    return PairAnswer(("", ""), note, *_scored((values[0], values[1]), asked))


def _read(text: str, reading: str) -> tuple[Any, str]:
    """The value of a text, and how it was read, where that is not as it stands."""
    if reading == "text":
        check_length(text)
        return text, ""
    try:
        return read_text(text), ""
    except ValueError as error:
        if reading == "json" or not text.strip():
            raise
        check_length(text)
        parsed = parse_text(text, "repair")
        if parsed.failed:
            why = parsed.note or "nothing to repair either"
            msg = f'{error}; {why}; choose "plain text" to compare it as one text'
            raise ValueError(msg) from None
        taken = {"extracted": "the JSON in it was taken", "ambiguous": f"there are {parsed.note}"}
        how = taken.get(parsed.outcome, "it was mended")
        return parsed.value, f"The prediction is not JSON ({error}); {how}, as in a file that is read with repair."


def _scored(values: tuple[Any, Any], asked: PairRequest) -> tuple[str, str, str]:
    """The result as HTML and as JSON, and the Python code that reproduces it."""
    if asked.metric == METRICS[0]:
        return _anls_star(values, asked.options)
    function, module, with_case = _TREES[asked.metric]
    keywords: dict[str, Any] = {"normalise": asked.ignore_case} if with_case else {}
    tree: MetricTree = function(*values, **keywords)
    given = "".join(f", {name}={value!r}" for name, value in keywords.items())
    name = function.__name__
    python = _python(values, f"from {module} import {name}", f"{name}(ground_truth, prediction{given})")
    drawn = fragment("tree", tree_drawing(tree, "pair", with_positions=True))
    raw = {"metric": asked.metric, "headline": tree.headline, "facts": list(tree.facts), **tree.to_dict()}
    return drawn, _limited(raw), python


_TREES: dict[str, tuple[Callable[..., MetricTree], str, bool]] = {  # by metric, and whether it has an option for case
    "KIEval": (kieval_tree, "docscore.metrics.kieval", True),
    "Entity F1": (entity_f1_tree, "docscore.metrics.entity_f1", True),
    "nTED": (nted_tree, "docscore.metrics.nted", False),
}


def _anls_star(values: tuple[Any, Any], options: ScoringOptions) -> tuple[str, str, str]:
    tree = build_tree(*values, options)
    others = [name for name in OPTIONS if getattr(options, name) != getattr(DEFAULT_OPTIONS, name)]
    keywords = "".join(f", {name}={getattr(options, name)!r}" for name in others)
    python = _python(values, "from docscore import score_tree", f"score_tree(ground_truth, prediction{keywords})")
    drawn = fragment("tree", explained_drawing(tree, "pair", options, with_positions=True))
    return drawn, _limited(tree.to_dict()), python


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
    return f"{raw[:MAX_RAW]}\n… cut off after {MAX_RAW:,} characters; the API gives all"


def _python(values: tuple[Any, Any], imports: str, call: str) -> str:
    truth, prediction = (repr(dumps(value)) for value in values)
    if max(len(truth), len(prediction)) > MAX_RAW:
        truth, prediction = 'open("ground_truth.json").read()', 'open("prediction.json").read()'
    return (
        f"import json\n{imports}\n\n"
        f"ground_truth = json.loads({truth})\nprediction = json.loads({prediction})\n"
        f"print({call})\n"
    )


def tree_of_values(
    ground_truth: Any, prediction: Any, threshold: float, ignore_case: bool, rules: str, numbers: str
) -> ScoreTree:
    """The score tree of a pair; arguments as those of the endpoint.

    Raises:
        TypeError, ValueError: for values and options that are not accepted.
    """
    check_value(ground_truth, is_truth=True)
    check_value(prediction, is_truth=False)
    check_work(ground_truth, prediction)
    options = ScoringOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers)
    return build_tree(ground_truth, prediction, options)


def tree_for_clients(*arguments: Any) -> dict[str, Any]:
    """The score tree as JSON values, at most `MAX_ROWS` nodes of it; arguments as for `tree_of_values`.

    Where nodes are left out, the node above has the key "left_out" with the number of its children that are. gradio
    needs seconds for an answer of 40,000 objects, in which nobody else is answered.
    """
    tree = tree_of_values(*arguments)
    return _renamed(tree, tree.to_dict(), {id(node) for node, _ in drawn_places(tree)})


def tree_as_text(
    ground_truth: Any, prediction: Any, threshold: float, ignore_case: bool, rules: str, numbers: str
) -> str:
    """The whole score tree as JSON text, with notes on the sides that were read from text; else as `tree_of_values`."""
    notes: list[str] = []
    truth, guess = (
        _value_of_text(value, side, notes)
        for value, side in ((ground_truth, "ground_truth"), (prediction, "prediction"))
    )
    tree = tree_of_values(truth, guess, threshold, ignore_case, rules, numbers)
    found = _renamed(tree, tree.to_dict(), {id(node) for node in tree.nodes()})
    return json.dumps({"notes": notes, **found} if notes else found)


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
    """Rename `path` of a node to `place`, and convert values that are objects or lists to JSON text.

    gradio's Python client treats every object with the key "path" as a file, and tries to download it.
    """
    found = {"place": node.pop("path"), **node}
    for side in ("ground_truth", "prediction"):
        if isinstance(found[side], dict | list):
            found[side] = dumps(found[side]) if not node["children"] else None
    below = [pair for pair in zip(tree.children, node["children"], strict=True) if id(pair[0]) in shown]
    found["children"] = [_renamed(*pair, shown) for pair in below]
    if len(below) < len(tree.children):
        found["left_out"] = len(tree.children) - len(below)
    return found

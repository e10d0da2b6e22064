"""One output of a model against its references, as hooks of evaluation tools need it: score, fields, explanation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.options import THRESHOLD, ScoringOptions, check_choice
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.data.json_text import ParseOutcome, dumps, kinds_of, loads, parse_text
from docscore.evaluation.fields import Field
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import places
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.typed.score import typed_tree


@dataclass(frozen=True)
class JudgedOutput:
    """A scored output.

    Attributes:
        tree: the score tree; its `score` is the ANLS* score in [0, 1], or with a schema the typed score.
        answers: the acceptable answers, each a ground truth.
        prediction: the value that was scored: what the output's text says as JSON, or the output as it is.
        parsed: how its text was read as JSON; None where it was not.
        name: what the score is: "anls_star", or "typed_score".
    """

    tree: ScoreTree
    answers: tuple[Any, ...]
    prediction: Any
    parsed: ParseOutcome | None = None
    name: str = "anls_star"

    @property
    def score(self) -> float:
        """The score, in [0, 1]."""
        return self.tree.score

    @property
    def fields(self) -> dict[str, tuple[float, float]]:
        """Points earned and points that count of each field, by its path without list indices, "items[].price"."""
        fields: dict[str, Field] = {}
        for path, node, _ in places(self.tree):
            if node.weight and not node.children:
                fields.setdefault(path, Field(path)).add_points(0, node.earned, node.weight)
        return {path: (field.earned, field.weight) for path, field in fields.items()}

    @property
    def field_scores(self) -> dict[str, float]:
        """The score of each field, in [0, 1]; none where the whole is one value."""
        return scores_of_points(self.fields)

    @property
    def explanation(self) -> str:
        """The score tree as text."""
        return str(self.tree)

    @property
    def shown(self) -> str:
        """The prediction as text: a text as it is, anything else as JSON."""
        return self.prediction if isinstance(self.prediction, str) else dumps(self.prediction)


def scores_of_points(fields: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """The score of each field by the points that it earned and those that count; none where the whole is one value."""
    scores = {path: earned / weight if weight else 1.0 for path, (earned, weight) in fields.items()}
    return {} if scores.keys() <= {"$"} else scores


def judged_output(
    output: Any,
    answers: Sequence[Any],
    *,
    parse: str = "auto",
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    schema: Any = None,
) -> JudgedOutput:
    """Score an output.

    Args:
        output: the text of a model, or a JSON value; None where there is none, which is scored as null.
        answers: the acceptable answers, each a ground truth.
        parse: "none", "json" or "repair", as for `docscore score --parse`; "auto" repairs where an acceptable answer is
            an object or a list, and leaves the text as it is elsewhere.
        threshold: tau in [0, 1].
        ignore_case: whether texts are compared in lower case.
        schema: a JSON Schema that says how places compare; the score is then the typed score.

    Raises:
        TypeError, ValueError: for values that cannot be scored, and options that do not exist.

    >>> judged_output('Here: {"total": 1}', [{"total": "1"}]).score
    1.0
    """
    check_choice("parse", parse, ("auto", "none", "json", "repair"))
    if not answers:
        raise InputValueError(expected="at least one acceptable answer", got="none")
    truth: Any = convert_ground_truth(tuple(answers))
    mode = {"none": None, "auto": "repair" if kinds_of(truth) & {dict, list} else None}.get(parse, parse)
    parsed: ParseOutcome | None = None
    if mode is not None and isinstance(output, str):
        read = parse_text(output, mode, tuple(answers))
        output, parsed = read.value, read.outcome
    prediction = convert_prediction(output)
    if schema is not None:
        tree = typed_tree(truth, prediction, schema, threshold=threshold, ignore_case=ignore_case)
        return JudgedOutput(tree, truth, prediction, parsed, "typed_score")
    tree = build_tree(truth, prediction, ScoringOptions(threshold=threshold, ignore_case=ignore_case))
    return JudgedOutput(tree, truth, prediction, parsed)


def answer_in(text: Any, reading: str = "auto") -> Any:
    """The ground truth that a tool keeps as text.

    Args:
        text: the text; any other value is the ground truth itself.
        reading: "json"; "text", as it stands; or "auto": JSON where it begins as an object or a list does, and is one.

    Raises:
        ValueError: for another reading, and for "json" where it is none.

    >>> answer_in('{"total": "12.50"}'), answer_in("12.50"), answer_in("[sic]")
    ({'total': '12.50'}, '12.50', '[sic]')
    """
    check_choice("target", reading, ("auto", "text", "json"))
    if reading == "text" or not isinstance(text, str):
        return text
    if reading == "auto" and text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except ValueError as error:
        if reading == "auto":
            return text
        raise InputValueError(place="target", expected="JSON text", got=f"{error}") from None


def answers_of(*places: Mapping[str, Any]) -> list[Any]:
    """The acceptable answers in the first place that has any: a list under `references`, or one under `reference`.

    Raises:
        ValueError: where no place has either.
    """
    for place in places:
        if "references" in place:
            answers = answer_in(place["references"])
            return [answer_in(each) for each in answers] if isinstance(answers, list) else [answers]
        if "reference" in place:
            return [answer_in(place["reference"])]
    raise InputValueError(
        expected="'reference' or 'references'",
        got=", ".join(repr(key) for place in places for key in place) or "neither",
    )

"""Score one model output against its acceptable answers, for the hooks of evaluation tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.options import CompareOptions, ReadOptions, check_choice, read_and_compare_options
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.evaluation.fields import Field
from docscore.inputs.content import content_of
from docscore.inputs.json_text import dumps
from docscore.inputs.model_text import OUTPUT_MODES, ParseOutcome, answer_in, parse_output
from docscore.inputs.raw_regions import AT_PREDICTIONS, AT_TRUTHS, without_regions
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import Cause
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.typed.score import schema_of_row

BothOptions = tuple[ReadOptions, CompareOptions]


@dataclass(frozen=True)
class JudgedOutput:
    """A scored output.

    Attributes:
        tree: the score tree; its `score` is the ANLS* score or, with a schema, the typed score, in [0, 1].
        answers: the acceptable answers, each a ground truth.
        prediction: the value that was scored: the JSON in the output, or the output itself.
        parsed: how the output was parsed as JSON; None if it was not parsed.
        name: the name of the score: "anls_star" or "typed_score".
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
        """The points earned and the points possible for each field, by its path, such as "items[].price"."""
        fields: dict[str, Field] = {}
        for leaf in self.tree.leaves():
            if leaf.weight:
                fields.setdefault(leaf.field_path, Field(leaf.field_path)).add_points(0, leaf.earned, leaf.weight)
        return {path: (field.earned, field.weight) for path, field in fields.items()}

    @property
    def field_scores(self) -> dict[str, float]:
        """The score of each field, in [0, 1]; empty if the ground truth is a single value."""
        return scores_of_points(self.fields)

    @property
    def explanation(self) -> str:
        """The score tree as text."""
        return str(self.tree)

    @property
    def shown(self) -> str:
        """The prediction as text: a text unchanged, any other value as JSON."""
        return self.prediction if isinstance(self.prediction, str) else dumps(self.prediction)


def scores_of_points(fields: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return the score of each field from its points; empty if the ground truth is a single value."""
    scores = {path: earned / weight if weight else 1.0 for path, (earned, weight) in fields.items()}
    return {} if scores.keys() <= {"$"} else scores


# The scoring options that apply to one output, and "parse".
OPTIONS = (
    *("threshold", "ignore_case", "rules", "numbers", "schema", "comparators"),
    *("with_confidences", "ignore_keys", "absent_words"),
)


def hook_options(parse: str, keywords: Mapping[str, Any], more: Sequence[str] = ()) -> BothOptions:
    """Return the options of a hook, read immediately, since tools report errors of single outputs late or never.

    Args:
        parse: how to read outputs.
        keywords: the other options.
        more: the names of options of the hook itself, for messages.

    Raises:
        TypeError, ValueError: for an unknown option and for an invalid value.
    """
    check_choice("parse", parse, OUTPUT_MODES)
    for name in (name for name in keywords if name not in OPTIONS):
        raise InputTypeError(expected=f"the options {', '.join(['parse', *more, *OPTIONS])}", got=repr(name))
    reading, options = read_and_compare_options(keywords)
    if options.schema is not None:
        schema_of_row(options.schema, "")
    return reading, options


def judged_output(
    output: Any,
    answers: Sequence[Any],
    *,
    parse: str = "auto",
    options: BothOptions | None = None,
    **keywords: Any,
) -> JudgedOutput:
    """Score one output.

    Args:
        output: the text of a model, or a JSON value. None means no output and is scored as null. Citations and evidence
            given with its values are left out.
        answers: the acceptable answers, each a ground truth.
        parse: "none", "json" or "repair", as for `docscore score --parse`. "auto" is "repair" if an acceptable answer
            is an object or a list, and "none" otherwise.
        options: the result of `hook_options`, instead of keywords.
        keywords: options among `OPTIONS`, as for `docscore.evaluate`. With a schema, the score is the typed score.

    Raises:
        TypeError, ValueError: for values that cannot be scored, and for invalid options.

    >>> judged_output('Here: {"total": 1}', [{"total": "1"}]).score
    1.0
    """
    reading, comparing = options or hook_options(parse, keywords)
    if not answers:
        raise InputValueError(expected="at least one acceptable answer", got="none")
    truth: Any = convert_ground_truth(tuple(answers))
    output, parsed = parse_output(output, truth, parse)
    truth = tuple([without_regions(answer, AT_TRUTHS)[0] for answer in truth])
    prediction, _ = without_regions(convert_prediction(output), AT_PREDICTIONS)
    truth, prediction = content_of(truth, prediction, reading)
    schema = None if comparing.schema is None else schema_of_row(comparing.schema, "")
    cause: Cause | None = "unparsable" if parsed == "failed" else None
    tree = build_tree(truth, prediction, comparing, schema, cause)
    return JudgedOutput(tree, truth, prediction, parsed, "anls_star" if schema is None else "typed_score")


def expected_in(case: Mapping[str, Any], name: str, reading: str = "auto") -> Any:
    """Return the ground truth of a case under a name, read as by `answer_in`.

    Raises:
        ValueError: for a case without a ground truth, or with None; write null as the text "null".
    """
    if case.get(name) is None:
        raise InputValueError(place=name, expected="a ground truth", got="none")
    return answer_in(case[name], reading)


def answers_of(*places: Mapping[str, Any]) -> list[Any]:
    """Return the acceptable answers of the first place with the key `references` (a list) or `reference` (one answer).

    Raises:
        ValueError: if no place has either key.
    """
    for place in places:
        if "references" in place:
            answers = expected_in(place, "references")
            return [answer_in(each) for each in answers] if isinstance(answers, list) else [answers]
        if "reference" in place:
            return [expected_in(place, "reference")]
    raise InputValueError(
        expected="'reference' or 'references'",
        got=", ".join(repr(key) for place in places for key in place) or "neither",
    )

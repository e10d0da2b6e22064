"""The scorers, and the metrics of their scores. They count every sample."""

from collections.abc import Sequence
from math import fsum
from typing import Any

from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer, stderr
from inspect_ai.solver import TaskState

from docscore.core.errors import InputValueError
from docscore.core.options import PAPER, THRESHOLD
from docscore.core.runtime import grouped
from docscore.core.values import value_excerpt
from docscore.inputs.json_text import dumps
from docscore.inputs.logs import GROUP
from docscore.inputs.model_text import answer_in
from docscore.integrations.judging import (
    OPTIONS,
    JudgedOutput,
    hook_options,
    judged_output,
    scores_of_points,
)
from docscore.metrics.entities import Step
from docscore.metrics.kieval import Counts, GroupCounts, KieScore, kieval_score, total_kieval

SCHEMA = "schema"  # the key of the JSON Schema in the metadata of a sample


@metric(name="mean")
def mean_of_scores() -> Metric:
    """The mean of the scores of all samples, with the same rounding as `docscore score`; 0 if there are none."""

    def mean(scores: list[SampleScore]) -> float:
        values = [each.score.as_float() for each in scores]
        return fsum(values) / len(values) if values else 0.0

    return mean


@metric(name="stderr")
def clustered_error() -> Metric:
    """The standard error of the mean, clustered by the `group` in the metadata of the samples.

    Source: Miller 2024, arXiv 2411.00640, appendix A, as Inspect computes it.
    """

    def error(scores: list[SampleScore]) -> Any:
        named = [
            each.model_copy(update={"sample_metadata": {GROUP: _group(each, number)}})
            for number, each in enumerate(scores)
        ]
        return stderr(cluster=GROUP)(named) if named else 0.0

    return error


@metric(name="fields")
def scores_of_fields() -> Metric:
    """The score of each field over all samples, S / L, in [0, 1]; empty if answers are single values."""

    def fields(scores: list[SampleScore]) -> dict[str, float]:
        sums = grouped(field for each in scores for field in (each.score.metadata or {}).get("fields", {}).items())
        return scores_of_points(
            {path: [fsum(column) for column in zip(*both, strict=True)] for path, both in sums.items()}
        )

    return fields


@metric(name="kieval")
def kieval_of_all() -> Metric:
    """KIEval of all samples: Entity F1, precision and recall, Group F1 and Aligned, from the sums of the counts."""

    def figures(scores: list[SampleScore]) -> dict[str, float]:
        found = [each.score.metadata or {} for each in scores]
        total = total_kieval(KieScore(Counts(**each["entities"]), GroupCounts(**each["groups"])) for each in found)
        return {
            "entity_f1": total.entities.f1,
            "entity_precision": total.entities.precision,
            "entity_recall": total.entities.recall,
            "group_f1": total.groups.f1,
            "aligned": total.entities.aligned,
        }

    return figures


@scorer(metrics=[mean_of_scores(), clustered_error(), scores_of_fields()])
def anls_star(
    *,
    target: str = "auto",
    parse: str = "auto",
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
    with_confidences: bool = False,
    ignore_keys: Sequence[str] = (),
    absent_words: Sequence[str] = (),
) -> Scorer:
    """The ANLS* score of a sample, explained by its score tree.

    A sample without an output, because its call failed, is scored as null (0 unless null is right).

    Args:
        target: how to read the targets of a sample, which are the acceptable answers: "text" keeps them, "json" parses
            them, and "auto" parses those that are JSON objects or lists.
        parse: how to read outputs: "none", "json" or "repair", as for `docscore score --parse`. "auto" is "repair" if a
            target is an object or a list, and "none" otherwise.
        threshold: a similarity below it counts as 0.
        ignore_case: whether to compare texts in lower case.
        rules: as for `docscore.evaluate`.
        numbers: as for `docscore.evaluate`.
        with_confidences: as for `docscore.evaluate`.
        ignore_keys: as for `docscore.evaluate`.
        absent_words: as for `docscore.evaluate`.

    Returns:
        A scorer. The metadata of its scores have `references` and `prediction` (JSON text), `parsed` ("exact",
        "extracted", "repaired", "ambiguous", "failed" or None), and `fields`: the points earned and possible, by path.
    """
    options = hook_options(parse, {name: value for name, value in locals().items() if name in OPTIONS})

    async def score(state: TaskState, target_of_sample: Target) -> Score:
        output = _scored_output(state, target_of_sample, target, parse=parse, options=options)
        references, prediction = dumps(list(output.answers)), dumps(output.prediction)
        return _score_of(state, output, references=references, prediction=prediction, parsed=output.parsed)

    return score


@scorer(metrics=[mean_of_scores(), kieval_of_all()])
def kieval_entities(
    *, target: str = "auto", parse: str = "auto", normalise: bool = False, numbers: str = "text"
) -> Scorer:
    """KIEval Entity F1 of a sample, explained by its corrections. The metric `kieval` covers all samples.

    Args:
        target: as for `anls_star`.
        parse: as for `anls_star`.
        normalise: whether to compare texts in lower case, with white space folded.
        numbers: "text" to compare JSON numbers as printed, "value" to compare them by value.
    """

    async def score(state: TaskState, target_of_sample: Target) -> Score:
        output = _scored_output(state, target_of_sample, target, parse=parse)
        result = kieval_score(output.answers, output.prediction, normalise=normalise, numbers=numbers)
        steps = [_correction(step) for step in result.corrections()]
        return Score(
            value=result.entities.f1,
            answer=output.shown,
            explanation="```text\n{}\n```".format("\n".join(steps) or "nothing to correct"),
            metadata={"entities": result.entities._asdict(), "groups": result.groups._asdict()},
        )

    return score


@scorer(metrics=[mean_of_scores(), clustered_error(), scores_of_fields()], name="typed")
def typed_by_schema(
    *,
    schema: Any = None,
    target: str = "auto",
    parse: str = "auto",
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
    comparators: Any = None,
    with_confidences: bool = False,
    ignore_keys: Sequence[str] = (),
    absent_words: Sequence[str] = (),
) -> Scorer:
    """The typed score of a sample: ANLS* with a JSON Schema that sets the comparator and the weight of each field.

    Args:
        schema: a JSON Schema; the default is the schema under `schema` in the metadata of the sample.
        target: as for `anls_star`.
        parse: as for `anls_star`.
        threshold: as for `anls_star`.
        ignore_case: as for `anls_star`.
        rules: as for `docscore.evaluate`.
        numbers: as for `docscore.evaluate`.
        comparators: as for `docscore.evaluate`.
        with_confidences: as for `docscore.evaluate`.
        ignore_keys: as for `docscore.evaluate`.
        absent_words: as for `docscore.evaluate`.
    """
    how = {name: value for name, value in locals().items() if name in OPTIONS}
    shared = None if schema is None else hook_options(parse, how)

    async def score(state: TaskState, target_of_sample: Target) -> Score:
        options = shared or hook_options(parse, {**how, "schema": state.metadata[SCHEMA]})
        return _score_of(state, _scored_output(state, target_of_sample, target, parse=parse, options=options))

    return score


def _correction(step: Step) -> str:
    """Return a correction as one line."""
    expected, predicted = (
        "nothing" if entity is None else value_excerpt(entity.value) for entity in (step.truth, step.prediction)
    )
    return f"{step.edit:6}  {step.place}: {expected} → {predicted}"


def _scored_output(state: TaskState, targets: Target, reading: str, **options: Any) -> JudgedOutput:
    """Score the output of a sample against its targets; None if no call of the model succeeded."""
    if not any(targets.target):
        raise InputValueError(place=f"sample {state.sample_id}", expected="a target", got="none")
    return judged_output(
        state.output.completion if state.output.choices else None,
        [answer_in(text, reading) for text in targets.target],
        **options,
    )


def _score_of(state: TaskState, output: JudgedOutput, **metadata: Any) -> Score:
    """Return the score as a Score of Inspect, with the reason if the output is not an ordinary answer."""
    reason = "invalid_response_format" if output.parsed == "failed" else None
    return Score(
        value=output.score,
        answer=output.shown if state.output.choices else None,
        explanation=f"```text\n{output.explanation}\n```",
        reason=reason if state.output.choices and state.output.completion.strip() else "no_response",
        metadata={**metadata, "fields": {path: list(points) for path, points in output.fields.items()}},
    )


def _group(score: SampleScore, number: int) -> Any:
    """Return the group of a sample, or else its id or its position."""
    named = (score.sample_metadata or {}).get(GROUP)
    return named if named is not None else score.sample_id if score.sample_id is not None else number

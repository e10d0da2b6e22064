"""ANLS* as a scorer for `mlflow.genai.evaluate`, with feedback for each field.

Install with `pip install docscore mlflow`.
"""

from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer, scorer

from docscore.core.errors import InputValueError, Remedy
from docscore.core.formatting import safe_names
from docscore.inputs.model_text import answer_in
from docscore.integrations.judging import expected_in, hook_options, judged_output


def anls_star_scorer(
    *,
    expectation: str = "expected_response",
    answer_is_list: bool | None = None,
    fields: bool = True,
    parse: str = "auto",
    **keywords: Any,
) -> Scorer:
    """Return a scorer for `mlflow.genai.evaluate(scorers=[...])`.

    Args:
        expectation: the name of the ground truth in the expectations of a row: a JSON value, or a text, which is parsed
            if it is a JSON object or list.
        answer_is_list: for ground truths that are lists: True if each list is the ground truth, False if it holds
            acceptable answers. None is an error for a list.
        fields: whether to add feedback for each field, such as `anls_star/items.price`. Characters that MLflow does not
            allow in names are replaced.
        parse: how to read outputs, as for `docscore.integrations.judging.judged_output`.
        keywords: the other options of `judged_output`, such as threshold, rules, numbers and schema.

    Returns:
        A scorer. Its feedback is called `anls_star`, or `typed_score` with a schema; its value is the score in [0, 1],
        and its rationale is the score tree.
    """
    options = hook_options(parse, keywords)

    def anls_star_of(outputs: Any, expectations: dict[str, Any] | None) -> list[Feedback]:
        answers = _answers(expected_in(expectations or {}, expectation), expectation, answer_is_list=answer_is_list)
        found = judged_output(outputs, answers, parse=parse, options=options)
        feedback = [Feedback(name=found.name, value=found.score, rationale=found.explanation)]
        scores = found.field_scores if fields else {}
        names = safe_names(scores)
        return feedback + [Feedback(name=f"{found.name}/{names[path]}", value=score) for path, score in scores.items()]

    return scorer(anls_star_of, name="anls_star" if options[1].schema is None else "typed_score")


def _answers(expected: Any, place: str, *, answer_is_list: bool | None) -> list[Any]:
    """Return the acceptable answers; raise `ValueError` for a list if `answer_is_list` is None."""
    if not isinstance(expected, list) or answer_is_list:
        return [expected]
    if answer_is_list is None:
        raise InputValueError(
            place=place,
            problem="a list may be one ground truth, or a list of acceptable answers",
            remedy=Remedy("add {} or {}", (("answer_is_list", True), ("answer_is_list", False))),
        )
    return [answer_in(each) for each in expected]

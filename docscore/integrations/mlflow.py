"""ANLS* as a scorer of MLflow's `mlflow.genai.evaluate`, with a feedback for each field.

Install with `pip install docscore mlflow`.
"""

from __future__ import annotations

from typing import Any

from mlflow.entities import Feedback
from mlflow.genai.scorers import Scorer, scorer

from docscore.core.formatting import safe_names
from docscore.core.options import THRESHOLD
from docscore.integrations.judging import answer_in, judged_output


def anls_star_scorer(
    *,
    expectation: str = "expected_response",
    fields: bool = True,
    parse: str = "auto",
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    schema: Any = None,
) -> Scorer:
    """A scorer for `mlflow.genai.evaluate(scorers=[...])`.

    Args:
        expectation: the name of the ground truth among a row's expectations: a JSON value, or a text, which is read as
            JSON where it is an object or a list.
        fields: whether each field has a feedback too, `anls_star/items.price`; names are those that MLflow takes.
        parse: how outputs are read, as for `docscore.integrations.judging.judged_output`.
        threshold: a similarity below it counts as 0.
        ignore_case: whether texts are compared in lower case.
        schema: a JSON Schema, its path, or a pydantic model, for the typed score.

    Returns:
        A scorer whose feedback `anls_star`, with a schema `typed_score`, has the score in [0, 1] as value, and the
        score tree as rationale.
    """

    def anls_star_of(outputs: Any, expectations: dict[str, Any]) -> list[Feedback]:
        options: dict[str, Any] = {"threshold": threshold, "ignore_case": ignore_case, "schema": schema}
        found = judged_output(outputs, [answer_in(expectations[expectation])], parse=parse, **options)
        feedback = [Feedback(name=found.name, value=found.score, rationale=found.explanation)]
        scores = found.field_scores if fields else {}
        names = safe_names(scores)
        return feedback + [Feedback(name=f"{found.name}/{names[path]}", value=score) for path, score in scores.items()]

    return scorer(anls_star_of, name="anls_star" if schema is None else "typed_score")

"""ANLS* for tasks of the LM Evaluation Harness: `process_results: !function score.process_results`.

`score.py` beside the task's YAML holds one line: `from docscore.integrations.lm_eval import process_results`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from docscore.core.options import THRESHOLD
from docscore.integrations.judging import answer_in, answers_of, judged_output

METRIC = "anls_star"  # which the task's metric_list names, with the aggregation "mean"


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """The ANLS* score of the model's output for a document.

    Args:
        doc: has the ground truth under `reference`, or a list of acceptable answers under `references`; a text that is
            a JSON object or list is read as such.
        results: the output, as the only element.

    Returns:
        `{"anls_star": score}`, in [0, 1].

    Raises:
        TypeError, ValueError: for values that cannot be scored, and where there is no ground truth.
    """
    return {METRIC: judged_output(results[0], answers_of(doc)).score}


def results_from(
    column: str,
    *,
    parse: str = "auto",
    target: str = "auto",
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    schema: Any = None,
) -> Callable[[Mapping[str, Any], Sequence[str]], dict[str, float]]:
    """A `process_results` for documents whose ground truth has another name.

    Args:
        column: where the ground truth is; a list in the column `references` is one of acceptable answers.
        parse: how outputs are read, as for `docscore.integrations.judging.judged_output`.
        target: how a ground truth that is text is read: "auto", "text" or "json".
        threshold: a similarity below it counts as 0.
        ignore_case: whether texts are compared in lower case.
        schema: a JSON Schema, its path, or a pydantic model: the score is then `typed_score`, as the metric_list
            has to name it.
    """

    def process(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
        value = answer_in(doc[column], target)
        several = column == "references" and isinstance(value, list)
        answers = [answer_in(each, target) for each in value] if several else [value]
        options: dict[str, Any] = {"threshold": threshold, "ignore_case": ignore_case, "schema": schema}
        found = judged_output(results[0], answers, parse=parse, **options)
        return {found.name: found.score}

    return process

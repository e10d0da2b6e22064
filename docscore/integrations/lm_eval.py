"""ANLS* for tasks of the LM Evaluation Harness: `process_results: !function score.process_results`.

Put a file `score.py` next to the YAML of the task, with the line
`from docscore.integrations.lm_eval import process_results`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from docscore.inputs.model_text import answer_in
from docscore.integrations.judging import answers_of, expected_in, hook_options, judged_output

METRIC = "anls_star"  # the name in the metric_list of the task, with the aggregation "mean"


def process_results(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return the ANLS* score of the model's output for a document.

    Args:
        doc: the document, with the ground truth under `reference` or a list of acceptable answers under `references`. A
            text that is a JSON object or list is parsed.
        results: a list with the output as its only element.

    Returns:
        `{"anls_star": score}`, in [0, 1].

    Raises:
        TypeError, ValueError: for values that cannot be scored, and if there is no ground truth.
    """
    return {METRIC: judged_output(results[0], answers_of(doc)).score}


def results_from(
    column: str,
    *,
    parse: str = "auto",
    target: str = "auto",
    **keywords: Any,
) -> Callable[[Mapping[str, Any], Sequence[str]], dict[str, float]]:
    """Return a `process_results` function for documents with the ground truth in another column.

    Args:
        column: the column with the ground truth; a list in the column `references` holds acceptable answers.
        parse: how to read outputs, as for `docscore.integrations.judging.judged_output`.
        target: how to read a ground truth that is text: "auto", "text" or "json".
        keywords: the other options of `judged_output`, such as threshold, rules, numbers and schema. With a schema,
            the score is called `typed_score`, also in the metric_list.
    """
    options = hook_options(parse, keywords)

    def process(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
        value = expected_in(doc, column, target)
        several = column == "references" and isinstance(value, list)
        answers = [answer_in(each, target) for each in value] if several else [value]
        found = judged_output(results[0], answers, parse=parse, options=options)
        return {found.name: found.score}

    return process

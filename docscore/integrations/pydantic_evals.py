"""ANLS* as an evaluator of Pydantic Evals, with a score for each field.

Install with `pip install docscore pydantic-evals`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from docscore.core.options import PAPER, THRESHOLD
from docscore.integrations.judging import OPTIONS, expected_in, hook_options, judged_output


@dataclass
class AnlsStarEvaluator(Evaluator[Any, Any, Any]):  # type: ignore[misc]
    """The ANLS* score of a case's output against its expected output.

    Both may be JSON values, pydantic models or texts. An expected text is parsed if it is a JSON object or list, and an
    expected tuple holds alternatives.

    Attributes:
        fields: whether to report the score of each field, such as `anls_star/items[].price`.
        parse: how to read outputs, as for `docscore.integrations.judging.judged_output`.
        threshold: a similarity below it counts as 0.
        ignore_case: whether to compare texts in lower case.
        rules: as for `docscore.evaluate`.
        numbers: as for `docscore.evaluate`.
        schema: a JSON Schema, its path, or a pydantic model; the score is then called `typed_score`.
        comparators: as for `docscore.evaluate`.
        with_confidences: as for `docscore.evaluate`.
        ignore_keys: as for `docscore.evaluate`.
        absent_words: as for `docscore.evaluate`.
    """

    fields: bool = True
    parse: str = "auto"
    threshold: float = THRESHOLD
    ignore_case: bool = True
    rules: str = PAPER
    numbers: str = "text"
    schema: Any = None
    comparators: Any = None
    with_confidences: bool = False
    ignore_keys: Sequence[str] = ()
    absent_words: Sequence[str] = ()

    def __post_init__(self) -> None:
        self._options = hook_options(self.parse, {name: getattr(self, name) for name in OPTIONS})

    def evaluate(self, ctx: EvaluatorContext[Any, Any, Any]) -> Mapping[str, float | EvaluationReason]:
        """Return the score with the score tree as its reason, and the scores of the fields."""
        answers = [expected_in({"expected_output": ctx.expected_output}, "expected_output")]
        found = judged_output(ctx.output, answers, parse=self.parse, options=self._options)
        scores = {f"{found.name}/{path}": score for path, score in found.field_scores.items()} if self.fields else {}
        return {found.name: EvaluationReason(found.score, found.explanation), **scores}

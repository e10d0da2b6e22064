"""ANLS* as a Python assertion of promptfoo: `type: python`, `value: file://score.py`.

Put a file `score.py` next to the configuration, with the line
`from docscore.integrations.promptfoo import get_assert`.
"""

from collections.abc import Mapping
from typing import Any

from docscore.core.numbers import ROUNDING
from docscore.core.options import check_number
from docscore.integrations.judging import answers_of, hook_options, judged_output

_OWN = ("parse", "pass_at", "reference", "references")


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Return the score of an output, with a component for each field.

    Args:
        output: the answer of the provider, a text or a JSON value.
        context: the context that promptfoo passes. The `config` of the assertion or the `vars` of the test hold the
            ground truth as `reference`, or a list of acceptable answers as `references`. A text that is a JSON object
            or list is parsed. `config` may also have `pass_at` (the lowest score that passes, 1 by default) and the
            options of `docscore.integrations.judging.judged_output`.

    Returns:
        `pass`, `score` in [0, 1], `reason` (the score tree as text), `namedScores` (the score of each field) and
        `componentResults` (one for each field).

    Raises:
        TypeError, ValueError: for values that cannot be scored, for an unknown or invalid option, and if there is no
            ground truth.
    """
    config = context.get("config") or {}
    keywords = {name: value for name, value in config.items() if name not in _OWN}
    parse, pass_at = config.get("parse", "auto"), config.get("pass_at", 1.0)
    wanted = check_number("pass_at", pass_at, "a number from 0 to 1", lambda number: 0 <= number <= 1) - ROUNDING
    options = hook_options(parse, keywords, _OWN[1:])
    found = judged_output(output, answers_of(config, context.get("vars") or {}), parse=parse, options=options)
    fields = found.field_scores
    return {
        "pass": found.score >= wanted,
        "score": found.score,
        "reason": found.explanation,
        "namedScores": fields,
        "componentResults": [
            {"pass": score >= wanted, "score": score, "reason": path} for path, score in fields.items()
        ],
    }

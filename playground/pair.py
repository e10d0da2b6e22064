"""One pair: from what stands in the editors to the tree, its JSON, and the Python that reproduces it."""

from __future__ import annotations

import json
from typing import Any

from docscore import ScoreTree, score_tree
from docscore.html import render
from docscore.jsontext import dumps
from docscore.outline import printable
from playground.limits import check_length, check_value, check_work, read_text, shortened

LONGEST_AT_EDITOR = 160  # characters of a message; it stands over the text
MAX_RAW = 200_000  # characters of raw JSON that are shown


def faults(truth: str | None, prediction: str | None, *, as_text: bool) -> tuple[str, str]:
    """What is wrong with each editor, in one sentence, or "" where nothing is."""
    found, values = [], []
    for text, is_truth in ((truth, True), (prediction, False)):
        try:
            value = _value(text, as_text=as_text and not is_truth)
            check_value(value, is_truth=is_truth)
            values.append(value)
            found.append("")
        except (TypeError, ValueError) as error:
            found.append(shortened(printable(str(error)), LONGEST_AT_EDITOR))
    if not any(found):
        try:
            check_work(*values)
        except ValueError as error:
            found[1] = str(error)
    return found[0], found[1]


def score(
    truth: str | None, prediction: str | None, threshold: float, *, ignore_case: bool, as_text: bool
) -> tuple[str, str, str]:
    """The tree as HTML and as JSON, and the Python that reproduces it."""
    values = _value(truth, as_text=False), _value(prediction, as_text=as_text)
    tree = score_tree(*values, threshold=threshold, ignore_case=ignore_case)
    return render(tree, prefix="pair"), _raw(tree), _python(values, threshold, ignore_case=ignore_case)


def _value(text: str | None, *, as_text: bool) -> Any:
    if not as_text:
        return read_text(text)
    check_length(text or "")
    return text or ""


def _raw(tree: ScoreTree) -> str:
    try:
        raw = json.dumps(tree.to_dict(), indent=1, ensure_ascii=False)
    except ValueError:  # an integer that Python refuses to print
        raw = dumps(tree.to_dict())
    raw = raw.encode("utf-8", "backslashreplace").decode()  # lone surrogates
    if len(raw) <= MAX_RAW:
        return raw
    return f"{raw[:MAX_RAW]}\n… {len(raw) - MAX_RAW:,} more characters; the API gives all"


def _python(values: tuple[Any, Any], threshold: float, *, ignore_case: bool) -> str:
    options = "" if threshold == 0.5 else f", threshold={threshold!r}"  # noqa: PLR2004  the default
    options += "" if ignore_case else ", ignore_case=False"
    truth, prediction = (repr(dumps(value)) for value in values)
    if max(len(truth), len(prediction)) > MAX_RAW:
        truth, prediction = 'open("ground_truth.json").read()', 'open("prediction.json").read()'
    return (
        "import json\nfrom docscore import score_tree\n\n"
        f"ground_truth = json.loads({truth})\nprediction = json.loads({prediction})\n"
        f"print(score_tree(ground_truth, prediction{options}))\n"
    )

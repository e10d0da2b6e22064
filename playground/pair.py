"""The tab for one pair: from the texts in the editors to the result as HTML, as JSON, and as Python code."""

from __future__ import annotations

import json
from typing import Any

from docscore.core.options import DEFAULT_OPTIONS, ScoringOptions
from docscore.core.printing import printable
from docscore.data.json_codec import dumps
from docscore.metrics.anls_star.api import explained
from docscore.metrics.entity_f1 import entity_counts
from docscore.metrics.kieval import kieval_score
from docscore.metrics.nted import nted_score
from docscore.report.html_figures import correction_list
from docscore.report.html_tree import tree_as_html
from playground.fragments import fragment
from playground.limits import check_length, check_metric, check_value, check_work, read_text, shortened

LONGEST_AT_EDITOR = 160  # characters of a message, which covers the text of the editor
MAX_RAW = 200_000  # characters of raw JSON that are shown
METRICS = ("ANLS*", "KIEval", "Entity F1", "nTED")


def faults(truth: str | None, prediction: str | None, *, as_text: bool, metric: str = METRICS[0]) -> tuple[str, str]:
    """The error message for each editor; "" if there is none."""
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
            check_metric(metric, *values)
        except ValueError as error:
            found[1] = str(error)
    return found[0], found[1]


def score(
    truth: str | None, prediction: str | None, options: ScoringOptions, *, as_text: bool, metric: str = METRICS[0]
) -> tuple[str, str, str]:
    """The result as HTML and as JSON, and the Python code that reproduces it."""
    values = _value(truth, as_text=False), _value(prediction, as_text=as_text)
    if metric == "KIEval":
        return _kieval(values, normalise=options.ignore_case)
    if metric == "Entity F1":
        return _entity_f1(values, normalise=options.ignore_case)
    return _nted(values) if metric == "nTED" else _anls_star(values, options)


def _anls_star(values: tuple[Any, Any], options: ScoringOptions) -> tuple[str, str, str]:
    tree = explained(*values, options)
    named = ("threshold", "ignore_case", "rules", "numbers")
    others = [name for name in named if getattr(options, name) != getattr(DEFAULT_OPTIONS, name)]
    keywords = "".join(f", {name}={getattr(options, name)!r}" for name in others)
    python = _python(values, "from docscore import score_tree", f"score_tree(ground_truth, prediction{keywords})")
    return tree_as_html(tree, prefix="pair"), _limited(tree.to_dict()), python


def _kieval(values: tuple[Any, Any], *, normalise: bool) -> tuple[str, str, str]:
    found = kieval_score(*values, normalise=normalise)
    call = f"kieval_score(ground_truth, prediction, normalise={normalise}).to_dict()"
    python = _python(values, "from docscore.metrics.kieval import kieval_score", call)
    return fragment("corrections", correction_list(found)), _limited(found.to_dict()), python


def _entity_f1(values: tuple[Any, Any], *, normalise: bool) -> tuple[str, str, str]:
    counts = entity_counts(*values, normalise=normalise)
    said = f"{counts.right:,} values right, {counts.invented:,} only predicted, {counts.missed:,} only expected"
    call = f"entity_counts(ground_truth, prediction, normalise={normalise}).f1"
    python = _python(values, "from docscore.metrics.entity_f1 import entity_counts", call)
    return fragment("figure", f"{counts.f1:.4f}", said), _limited({"entity_f1": counts.f1, **counts._asdict()}), python


def _nted(values: tuple[Any, Any]) -> tuple[str, str, str]:
    value = nted_score(*values)
    said = "1 − tree edit distance / distance from an empty document, at least 0"
    python = _python(values, "from docscore.metrics.nted import nted_score", "nted_score(ground_truth, prediction)")
    return fragment("figure", f"{value:.4f}", said), _limited({"nted": value}), python


def _value(text: str | None, *, as_text: bool) -> Any:
    if not as_text:
        return read_text(text)
    check_length(text or "")
    return text or ""


def _limited(result: dict[str, Any]) -> str:
    """A result as JSON text, cut if it is very long."""
    try:
        raw = json.dumps(result, indent=1, ensure_ascii=False)
    except ValueError:  # an integer that Python refuses to print
        raw = dumps(result)
    raw = raw.encode("utf-8", "backslashreplace").decode()  # lone surrogates
    if len(raw) <= MAX_RAW:
        return raw
    return f"{raw[:MAX_RAW]}\n… {len(raw) - MAX_RAW:,} more characters; the API gives all"


def _python(values: tuple[Any, Any], imports: str, call: str) -> str:
    truth, prediction = (repr(dumps(value)) for value in values)
    if max(len(truth), len(prediction)) > MAX_RAW:
        truth, prediction = 'open("ground_truth.json").read()', 'open("prediction.json").read()'
    return (
        f"import json\n{imports}\n\n"
        f"ground_truth = json.loads({truth})\nprediction = json.loads({prediction})\n"
        f"print({call})\n"
    )

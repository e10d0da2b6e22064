"""A text of a model: parsed, repaired, scored, and shown in every way."""

from __future__ import annotations

import json
import warnings
from typing import Any

from dev.fuzz.draws import Draws, raw, read
from dev.fuzz.findings import check, check_html, check_printable, check_share, errors_name_their_place
from dev.fuzz.seeds import lines_of, pairs, sampled_seeds
from docscore.evaluation.sources import evaluate
from docscore.inputs.json_text import loads
from docscore.inputs.model_text import parse_text
from docscore.metrics.anls_star.api import anls_score, score_tree
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.console import print_summary, print_tree, printed
from docscore.report.html_report import report_as_html
from docscore.report.html_tree import tree_as_html
from docscore.report.markup import table_as_latex, table_as_markdown

_SAME = 1e-9
_LEAVES = ("12.55 USD", "$12.55", "-€12.55", "1 234.55", "50%", "<5", "A, B", "[X]", "{Y} Z", '"Q" R', "00123", 45, -7)


def run(data: bytes) -> None:
    """Parse the text in both ways, and score the results."""
    draws, parts = read(data)
    if draws is None:
        answer = parts[-1]
        try:
            truth = loads(parts[0])
        except ValueError:
            truth = parts[0]
    else:
        truth, answer = draws.value(options=True), draws.answer()
    exact, repaired = parse_text(answer, "json"), parse_text(answer, "repair")
    check(exact.failed or exact.value == repaired.value or exact.value != exact.value, "repair changed what is JSON")
    check(not repaired.failed or repaired.value == answer, "a text that cannot be parsed was changed")
    if draws is not None:
        check_damaged(draws)
    with errors_name_their_place(), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a list of strings against a string
        for value in (repaired.value,) if exact.failed else (exact.value, answer):
            score_and_show(truth, value)


def check_damaged(draws: Draws) -> None:
    """Damage a JSON text in one place, and check that no part of its values is lost without a note."""
    whole = json.dumps({"a": _drawn(draws, 3), "b": "A"}, ensure_ascii=False)
    places = [at for at, sign in enumerate(whole) if sign in '{}[]",' and whole[at - 1] != "\\"]
    at, end = draws.pick(places), 1 + draws.number(len(whole) - 1)
    lost = whole[:at] + whole[at + 1 :]
    text = draws.pick((whole[:end], lost, whole[: at + 1] + whole[at:], lost[:end] + whole[at] + lost[end:]))
    found = parse_text(text, "repair")
    kept = _signs(text) == _signs(json.dumps(found.value, ensure_ascii=False))
    is_said = found.outcome in ("failed", "ambiguous") or found.note.startswith("ends within the name")
    check(kept or is_said, "repairing lost a part of the text")


def _drawn(draws: Draws, depth: int) -> Any:
    """Return a value whose keys share no signs with its values."""
    kind = draws.number(2) if depth else 0
    if kind == 0:
        return draws.pick(_LEAVES)
    parts = [_drawn(draws, depth - 1) for _ in range(1 + draws.number(3))]
    return parts if kind == 1 else dict(zip("abcd", parts, strict=False))


def _signs(text: str) -> str:
    """Return the letters, digits and signs of values that are made of `_LEAVES`."""
    return "".join(sign for sign in text if sign.isdigit() or sign.isupper() or sign in "$€%<-.")


def score_and_show(truth: Any, prediction: Any) -> None:
    """Score a pair, and show the result in every way."""
    tree = score_tree(truth, prediction)
    check_share(tree.score, "the score")
    check(abs(tree.score - anls_score(truth, prediction)) < _SAME, "score and tree differ")
    _show_tree(tree)
    evaluation = evaluate(predictions={"<a>": prediction, "b": "y"}, references={"<a>": truth, "b": "x"}, parse="text")
    check_html(report_as_html(evaluation, "</title>", 2))
    check_printable(printed(print_summary, evaluation, fields=True, worst=2))
    for table in (evaluation.fields, evaluation.causes):
        table_as_markdown(table).encode()
        table_as_latex(table).encode()
    json.dumps(evaluation.to_dict(), allow_nan=False)


def _show_tree(tree: ScoreTree) -> None:
    check_printable(str(tree))
    check_printable(printed(print_tree, tree, fold=False))
    check_html(tree_as_html(tree))
    _ = tree.closest_gt(), tree.key_scores()
    try:
        json.dumps(tree.to_dict(), allow_nan=False)
    except ValueError as error:
        if "4300 digits" not in str(error):  # the limit of Python; docscore.inputs.json_text.dumps writes these too
            raise


def seeds() -> list[bytes]:
    """Return pairs of the tests, and texts of the examples."""
    known = [raw(truth, answer) for truth, answer in pairs("reference_cases", 12)]
    for line in lines_of("examples", "receipts", "predictions_text.jsonl")[:12]:
        known.append(raw("{}", json.loads(line)["prediction"][:2000]))  # noqa: PERF401
    return [*known, *sampled_seeds()]

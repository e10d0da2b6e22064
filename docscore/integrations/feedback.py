"""A score with sentences about its losses, for prompt optimisers."""

from itertools import chain
from math import fsum
from typing import Any

from docscore.core.errors import some_of
from docscore.core.formatting import printable, shown_name, three_digits
from docscore.core.options import CompareOptions
from docscore.core.runtime import grouped
from docscore.core.values import paired_excerpts, value_excerpt
from docscore.evaluation.registry import TYPED
from docscore.evaluation.sentences import NOTHING_LOST, annotation_text, lost_nodes
from docscore.inputs.model_text import answer_in
from docscore.integrations.judging import hook_options, judged_output
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import annotations_of, cause_in_words

_MOST = 10  # the most sentences


# nodes of a score tree that lose points together, and the reason; "" for the same cause in one field
_Loss = tuple[list[ScoreTree], str]


def feedback(ground_truth: object, prediction: object, *, parse: str = "auto", **options: Any) -> tuple[float, str]:
    """Score a prediction, and explain what was expected, what was predicted and why it lost points.

    Args:
        ground_truth: the expected value, or the JSON text of an object or a list. A tuple holds acceptable answers.
        prediction: the text of a model, or a JSON value.
        parse: how a text is read: "none", "json" or "repair"; "auto" is "repair" if an object or a list is expected,
            and "none" otherwise.
        options: `threshold`, `ignore_case`, `rules`, `numbers`, `schema`, `comparators`, `with_confidences`,
            `ignore_keys` and `absent_words`, as for `docscore.evaluate`. With a schema the score is the typed score.

    Returns:
        The score, in [0, 1], and at most ten sentences, one per line, largest loss first. All losses add up to
        1 - score.

    Raises:
        TypeError, ValueError: for values that cannot be scored, and for invalid options.

    >>> score, text = feedback({"shop": "Tea House", "total": "12.50"}, '{"shop": "Tea House", "total": "9"}')
    >>> print(score, text)
    0.5 $.total loses 0.500: expected "12.50", predicted "9" (wrong value; similarity 0.00 < 0.5).
    """
    both = hook_options(parse, options)
    judged = judged_output(prediction, [answer_in(ground_truth)], parse=parse, options=both)
    losses = _losses(judged.tree, both[1])
    if len(losses) > _MOST:
        pooled = grouped(((why, nodes[0].field_path, nodes[0].cause), nodes) for nodes, why in losses)
        losses = [([*chain.from_iterable(groups)], why) for (why, _, _), groups in pooled.items()]
        losses.sort(key=_points, reverse=True)
    first, rest = (losses, []) if len(losses) <= _MOST else (losses[: _MOST - 1], losses[_MOST - 1 :])
    sentences = [*map(_sentence, first)]
    if rest:
        fields = {node.field_path for nodes, _ in rest for node in nodes}
        lost = three_digits(fsum(map(_points, rest)))
        sentences.append(f"{len(rest):,} smaller losses, in {some_of(fields)}, add up to {lost}.")
    return judged.score, "\n".join(sentences or [NOTHING_LOST])


def _losses(tree: ScoreTree, options: CompareOptions) -> list[_Loss]:
    """Return the losses of a tree, largest first; values exchanged or predicted elsewhere form one loss."""
    at_path = grouped((node.path, node) for node in lost_nodes(tree))
    losses: list[_Loss] = []
    for annotation in annotations_of(tree, None if tree.metric == TYPED else options):
        nodes = [node for path in annotation.paths for node in at_path.get(path, ())]
        if annotation.kind in ("exchanged", "elsewhere") and len(nodes) == len(annotation.paths):
            losses.append((nodes, annotation_text(annotation)))
            for node in nodes:
                del at_path[node.path]
    losses += [([node], "") for nodes in at_path.values() for node in nodes]
    return sorted(losses, key=_points, reverse=True)


def _points(loss: _Loss) -> float:
    return fsum(node.points_lost for node in loss[0])


def _sentence(loss: _Loss) -> str:
    nodes, why = loss
    points, first = three_digits(_points(loss)), nodes[0]
    if why:
        paths = " and ".join(shown_name(node.path) for node in nodes)
        values = ", and ".join(f"{_values(node)} at {shown_name(node.path)}" for node in nodes)
        return f"{paths} lose {points}, because {why}: {values}."
    if len(nodes) == 1:
        why = printable("; ".join(filter(None, (first.cause, first.reason))))
        return f"{shown_name(first.path)} loses {points}: {_values(first)} ({why})."
    losses = cause_in_words(first.cause, len(nodes)) if first.cause else ""
    return f"{shown_name(first.field_path)} loses {points} by {losses}; the first: {_values(first)}."


def _values(node: ScoreTree) -> str:
    truth, prediction = paired_excerpts(node.ground_truth, node.prediction)
    if node.status in ("missing", "extra"):
        truth, prediction = value_excerpt(node.ground_truth), value_excerpt(node.prediction)
    expected = "nothing" if node.status == "extra" else truth
    return f"expected {expected}, predicted {'nothing' if node.status == 'missing' else prediction}"

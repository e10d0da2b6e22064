"""The public functions: from two values, or many pairs of them, to scores and score trees."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice, repeat
from typing import Any, Literal, ParamSpec, TypeVar, overload

import numpy as np
import numpy.typing as npt

from docscore.explain import Explainer
from docscore.pairwise import Options, Scorer
from docscore.similarity import THRESHOLD, fold_all, similarities
from docscore.tree import ScoreNode, ScoreTree
from docscore.values import SCALAR_TYPES, Sizes, Value, convert_ground_truth, convert_prediction

P = ParamSpec("P")
T = TypeVar("T")
Pair = tuple[object, object]
_PORTION = 4096  # pairs that are read at a time


@overload
def anls_score(
    gt: object,
    pred: object,
    return_gt: Literal[False] = ...,
    return_key_scores: Literal[False] = ...,
    *,
    threshold: float = ...,
    ignore_case: bool = ...,
) -> float: ...
@overload
def anls_score(
    gt: object,
    pred: object,
    return_gt: bool,
    return_key_scores: bool = ...,
    *,
    threshold: float = ...,
    ignore_case: bool = ...,
) -> Any: ...
@overload
def anls_score(
    gt: object,
    pred: object,
    return_gt: bool = ...,
    *,
    return_key_scores: bool,
    threshold: float = ...,
    ignore_case: bool = ...,
) -> Any: ...
def anls_score(
    gt: object,
    pred: object,
    return_gt: bool = False,  # noqa: FBT002  the published package's signature
    return_key_scores: bool = False,  # noqa: FBT002
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
) -> Any:
    """The ANLS* score of a prediction against a ground truth; takes the place of `anls_star.anls_score`.

    Args:
        gt: the ground truth: None, str, bool, int, float, list, dict, nested up to 200 levels. A tuple, or an object
            `{"$one_of": [...]}`, holds alternatives of which any is right. NumPy scalars and arrays, Decimal, date,
            datetime, Enum, dataclass instances and pydantic models are accepted too.
        pred: the prediction, of the same types without the alternatives.
        return_gt: also return the closest ground truth: what the prediction would be if it were right in the way
            nearest to it.
        return_key_scores: also return the score of each object key, a nested dict of `ScoreNode`.
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0.
        ignore_case: whether texts are compared in lower case.

    Returns:
        The score in [0, 1], 1 is best; a tuple (score, closest ground truth), (score, key scores) or (score, closest
        ground truth, key scores) if these are asked for.

    Raises:
        TypeError: for a value that is none of the types above; the message names the path.
        ValueError: for a tuple in the prediction, an empty tuple, nesting deeper than 200 levels, or a threshold
            outside [0, 1].

    Source:
        Peer et al. 2024, arXiv 2402.03848, equations 1 to 6.

    >>> anls_score("Hello World", "Hello Wrld")
    0.9090909090909091
    >>> anls_score({"a": ("hello", "world"), "b": ["x", "y"]}, {"a": "hello!", "b": ["y", "x"]}, return_gt=True)
    (0.9444444444444445, {'a': 'hello', 'b': ['y', 'x']})
    """
    options = checked_options(threshold, ignore_case)
    score = _with_room_to_recurse(_score, gt, pred, options)
    if not return_gt and not return_key_scores:
        return score
    tree = _with_room_to_recurse(_tree, gt, pred, options)
    asked: list[Any] = [score]
    if return_gt:
        asked.append(_with_room_to_recurse(tree.closest_gt))
    if return_key_scores:
        asked.append(_with_room_to_recurse(tree.key_scores))
    return tuple(asked)


def score_tree(gt: object, pred: object, *, threshold: float = THRESHOLD, ignore_case: bool = True) -> ScoreTree:
    """How the score of a prediction comes about: one node for every pair of places.

    Takes and raises what `anls_score` does.

    Returns:
        The root of the tree. Its `score` is that of `anls_score` but for the last bits of a float (1e-12).

    >>> tree = score_tree({"date": "12.03.2024", "total": "6.40"}, {"date": "12.03.24"})
    >>> [(leaf.path, leaf.status, leaf.score) for leaf in tree.leaves()]
    [('$.date', 'partial', 0.8), ('$.total', 'missing', 0.0)]
    """
    return _with_room_to_recurse(_tree, gt, pred, checked_options(threshold, ignore_case))


def score_pairs(
    pairs: Iterable[Pair], *, threshold: float = THRESHOLD, ignore_case: bool = True
) -> npt.NDArray[np.float64]:
    """The ANLS* score of each of many pairs (ground truth, prediction).

    Args:
        pairs: n pairs of what `anls_score` takes.
        threshold: tau in [0, 1].
        ignore_case: whether texts are compared in lower case.

    Returns:
        The scores in [0, 1] in the order of the pairs, shape (n,).

    Raises:
        TypeError, ValueError: as `anls_score`; the message begins with the number of the pair, counted from 0.

    >>> score_pairs([("yes", "yes"), (["a", "b"], ["b"])])
    array([1. , 0.5])
    """
    return scores_of(pairs, checked_options(threshold, ignore_case), "pair {}".format)


def scores_of(pairs: Iterable[Pair], options: Options, name: Callable[[int], str]) -> npt.NDArray[np.float64]:
    """The score of each pair, shape (n,); errors begin with the name of the pair's number."""
    scores: list[float] = []
    waiting = iter(pairs)
    while portion := list(islice(waiting, _PORTION)):
        first = len(scores)
        answers = [i for i, (gt, pred) in enumerate(portion) if _is_answer(gt, pred)]
        scores += [0.0] * len(portion)
        for i, score in zip(answers, _score_answers([portion[i] for i in answers], options), strict=True):
            scores[first + i] = score
        for i in sorted(set(range(len(portion))).difference(answers)):
            scores[first + i] = _score_named(portion[i], options, name, first + i)
    return np.array(scores, dtype=np.float64)


def _score_named(pair: Pair, options: Options, name: Callable[[int], str], number: int) -> float:
    try:
        return _with_room_to_recurse(_score, *pair, options)
    except (TypeError, ValueError) as error:
        msg = f"{name(number)}: {error}"
        raise type(error)(msg) from None


def _is_answer(gt: object, pred: object) -> bool:
    """Whether it is a scalar against one or several scalars, as in question answering."""
    if type(pred) not in SCALAR_TYPES:
        return False
    return type(gt) in SCALAR_TYPES or (type(gt) is tuple and bool(gt) and SCALAR_TYPES.issuperset(map(type, gt)))


def _score_answers(pairs: Sequence[tuple[Any, Any]], options: Options) -> list[float]:
    """The scores of many answers at once: the best of the similarities with what is accepted."""
    if not pairs:
        return []
    accepted = [gt if type(gt) is tuple else (gt,) for gt, _ in pairs]
    counts = list(map(len, accepted))
    left = fold_all(list(chain.from_iterable(accepted)), options.ignore_case)
    right = fold_all([pred for _, pred in pairs], options.ignore_case)
    repeated = list(chain.from_iterable(map(repeat, right, counts)))
    found = similarities(left, repeated, options.threshold)
    starts = np.cumsum([0, *counts[:-1]])
    best: list[float] = np.maximum.reduceat(found, starts).tolist()
    return best


def _score(gt: object, pred: object, options: Options) -> float:
    sizes: Sizes = {}
    earned, weight = Scorer(sizes, options).pair(*_converted(gt, pred, sizes))
    return earned / weight if weight else 1.0


def _tree(gt: object, pred: object, options: Options) -> ScoreTree:
    sizes: Sizes = {}
    truth, prediction = _converted(gt, pred, sizes)
    return Explainer(Scorer(sizes, options)).tree(truth, prediction)


def _converted(gt: object, pred: object, sizes: Sizes) -> tuple[Value, Value]:
    """Both sides in plain types; a list of strings against a string is read as a one-of (paper, table 2, row 14)."""
    truth = convert_ground_truth(gt, sizes)
    prediction = convert_prediction(pred, sizes)
    if type(truth) is list and truth and isinstance(prediction, str) and all(isinstance(x, str) for x in truth):
        warnings.warn(
            "compatibility mode: the ground truth is a list of strings and the prediction a string, so any string of "
            "the list is taken as right; write a tuple to say so",
            UserWarning,
            stacklevel=_FRAMES_TO_CALLER,
        )
        truth = tuple(truth)
        sizes[id(truth)] = 1
    return truth, prediction


_FRAMES_TO_CALLER = 5  # _converted, _score or _tree, _with_room_to_recurse, the public function, its caller


_DEFAULT = Options()


def checked_options(threshold: float, ignore_case: bool) -> Options:
    """The options, if they are in their ranges."""
    if threshold is THRESHOLD and ignore_case is True:
        return _DEFAULT
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | np.floating | np.integer):
        msg = f"threshold: expected a number from 0 to 1, got {type(threshold).__name__}"
        raise TypeError(msg)
    if not 0 <= threshold <= 1:
        msg = f"threshold: expected a number from 0 to 1, got {threshold}"
        raise ValueError(msg)
    if not isinstance(ignore_case, bool | np.bool_):
        msg = f"ignore_case: expected True or False, got {ignore_case!r}"
        raise TypeError(msg)
    return Options(float(threshold), bool(ignore_case))


def _with_room_to_recurse(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of the function; where the caller is too deep in Python's stack, from a thread with a fresh one."""
    try:
        return function(*args, **kwargs)
    except RecursionError:
        with ThreadPoolExecutor(max_workers=1) as fresh:
            return fresh.submit(function, *args, **kwargs).result()


__all__ = ["ScoreNode", "ScoreTree", "anls_score", "score_pairs", "score_tree"]

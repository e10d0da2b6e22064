"""Functions that compute scores and score trees from two values or many pairs, and counts of a pair by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from itertools import chain, repeat
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np
import numpy.typing as npt

from docscore.core.assignment import Criteria
from docscore.core.errors import DataWarning, InputTypeError, at_place
from docscore.core.options import DEFAULT_OPTIONS, PAPER, THRESHOLD, CompareOptions, check_integer
from docscore.core.processes import in_processes, numbered_portions
from docscore.core.runtime import (
    Advance,
    TooManyPairsError,
    call_with_fresh_stack,
    ignore,
    in_new_thread,
    warn,
    warn_all,
)
from docscore.core.similarity import TEXT_RULES, fold_all, similarities
from docscore.core.values import (
    Scalar,
    Value,
    field_path,
    plain_pair,
    plain_pair_with_warnings,
    size,
    step_text,
    values_by_path,
    warn_of_json_text,
)
from docscore.metrics.anls_star.causes import Cause, cause_of_scalars
from docscore.metrics.anls_star.matching import CanonicalTexts, ListRows, Tables, list_tables
from docscore.metrics.anls_star.scorer import Scorer, answer_score, equals_an_option, is_answer
from docscore.metrics.anls_star.sizes import ALL_CLEAR, Counting, SchemaNode, Side
from docscore.metrics.anls_star.tree import Kind, NodeBuilder, ScoreListener, ScoreTree, Status, TreeAnnotator, Whole

Pair = tuple[object, object]
PlainPair = tuple[Value, Value]

_EXAMINED = 100  # the first pairs, in which texts that are JSON are looked for


@overload
def anls_score(
    gt: object,
    pred: object,
    return_gt: Literal[False] = ...,
    return_key_scores: Literal[False] = ...,
    *,
    threshold: float = ...,
    ignore_case: bool = ...,
    rules: str = ...,
    numbers: str = ...,
) -> float: ...


@overload
def anls_score(
    gt: object,
    pred: object,
    return_gt: bool = ...,
    return_key_scores: bool = ...,
    *,
    threshold: float = ...,
    ignore_case: bool = ...,
    rules: str = ...,
    numbers: str = ...,
) -> Any: ...


def anls_score(
    gt: object,
    pred: object,
    return_gt: bool = False,  # noqa: FBT002  the published package's signature
    return_key_scores: bool = False,  # noqa: FBT002
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> Any:
    """Compute the ANLS* score of a prediction; a drop-in replacement for `anls_star.anls_score`.

    Args:
        gt: the ground truth: None, str, bool, int, float, list, dict, nested up to 200 levels. A tuple, or an object
            `{"$one_of": [...]}`, holds alternatives, each of them right. NumPy scalars and arrays, Decimal, date,
            datetime, Enum, dataclass instances and pydantic models are also accepted.
        pred: the prediction, of the same types without alternatives.
        return_gt: whether to return the closest ground truth too: the right prediction nearest to `pred`.
        return_key_scores: whether to return the score of each object key too, as a nested dict of `ScoreNode`.
        threshold: tau in [0, 1]; a similarity of texts below it counts as 0.
        ignore_case: whether to compare texts in lower case.
        rules: "paper" to ignore keys of the prediction without a value, or "anls_star-1.0.1" to count them as that
            version of the published package does.
        numbers: "text" to compare numbers as printed, or "value" to compare their shortest decimal spellings, so that
            1000.0 equals 1000. Texts are always compared unchanged.

    Returns:
        The score in [0, 1]; 1 is best. If more is requested, a tuple: (score, closest ground truth), (score, key
        scores) or (score, closest ground truth, key scores).

    Raises:
        TypeError: for a value of any other type; the message names the path.
        ValueError: for a tuple in the prediction, an empty tuple, nesting deeper than 200 levels, a threshold outside
            [0, 1], unknown rules or numbers, and lists that need more memory to compare than the environment variable
            `DOCSCORE_MAX_MEMORY` allows (in gigabytes; 2 if it is not set).

    Source:
        Peer et al. 2024, arXiv 2402.03848, equations 1 to 6.

    >>> anls_score("Hello World", "Hello Wrld")
    0.9090909090909091
    >>> anls_score({"a": ("hello", "world"), "b": ["x", "y"]}, {"a": "hello!", "b": ["y", "x"]}, return_gt=True)
    (0.9444444444444445, {'a': 'hello', 'b': ['y', 'x']})
    """
    options = _options(threshold, ignore_case, rules, numbers)
    with_tree = return_gt or return_key_scores
    if not with_tree and is_answer(gt, pred):  # in plain types
        if type(pred) is str and ("{" in pred or "[" in pred):
            warn_of_json_text([(gt, pred)])
        try:
            return answer_score(gt, pred, options)  # type: ignore[arg-type]
        except ValueError:  # an integer that Python does not print; `plain_pair` names it
            pass
    values = plain_pair(gt, pred)
    if not with_tree:
        return score_one(*values, options)
    tree = build_tree(*values, options)
    asked: list[Any] = [tree.score]
    if return_gt:
        asked.append(tree.closest_gt())
    if return_key_scores:
        asked.append(tree.key_scores())
    return tuple(asked)


def score_tree(
    gt: object,
    pred: object,
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
) -> ScoreTree:
    """Return the score tree of a prediction, with one node for each pair of places.

    It takes the arguments and raises the errors of `anls_score`, which returns the score of the root.

    >>> tree = score_tree({"date": "12.03.2024", "total": "6.40"}, {"date": "12.03.24"})
    >>> [(leaf.path, leaf.status, leaf.score) for leaf in tree.leaves()]
    [('$.date', 'partial', 0.8), ('$.total', 'missing', 0.0)]
    """
    values = plain_pair(gt, pred)
    return build_tree(*values, _options(threshold, ignore_case, rules, numbers))


def score_pairs(
    pairs: Iterable[Pair],
    *,
    threshold: float = THRESHOLD,
    ignore_case: bool = True,
    rules: str = PAPER,
    numbers: str = "text",
    num_proc: int | None = None,
) -> npt.NDArray[np.float64]:
    """Compute the ANLS* score of each of many pairs (ground truth, prediction).

    Args:
        pairs: n pairs of values as for `anls_score`.
        threshold: tau in [0, 1].
        ignore_case: whether to compare texts in lower case.
        rules: the rules for keys of a prediction, as for `anls_score`.
        numbers: how to compare numbers, as for `anls_score`.
        num_proc: the number of processes; None for one. Several are faster for at least a few thousand pairs. With the
            start method "spawn", the caller needs `if __name__ == "__main__":`.

    Returns:
        The scores in [0, 1] in the order of the pairs, shape (n,).

    Raises:
        TypeError, ValueError: as `anls_score`; the message begins with the number of the pair, counted from 0.
        RuntimeError: if a process dies, for example when memory runs out.

    >>> score_pairs([("yes", "yes"), (["a", "b"], ["b"])])
    array([1. , 0.5])
    """
    options = _options(threshold, ignore_case, rules, numbers)
    processes = 1 if num_proc is None else check_integer("num_proc", num_proc, 1)
    pairs = list(pairs)
    examined: list[Any] = pairs[:_EXAMINED]
    warn_of_json_text([pair for pair in examined if isinstance(pair, tuple | list) and len(pair) == 2])  # noqa: PLR2004
    portions = [(0, pairs)] if processes == 1 else [*numbered_portions(pairs, processes)]
    parts = [*in_processes(partial(_score_portion, options=options), portions, processes)]
    warn_all(chain.from_iterable(found for _, found in parts))
    return np.concatenate([np.empty(0), *(scores for scores, _ in parts)])


def build_tree(
    gt: Value,
    pred: Value,
    options: CompareOptions,
    schema: SchemaNode | None = None,
    cause: Cause | None = None,
    annotator: TreeAnnotator | None = None,
) -> ScoreTree:
    """Return the score tree of a pair of plain values; with a schema, the tree of the typed score.

    Args:
        gt: the ground truth, a plain value.
        pred: the prediction, a plain value.
        options: how values compare.
        schema: the root of a schema, or None.
        cause: "missing prediction" if there is no prediction, "unparsable" for a text that could not be read as JSON,
            or None.
        annotator: annotates the values of the pair, and may decide among matchings of lists that tie; or None.
    """
    whole, trees = Whole(0.0, options, "anls_star" if schema is None else "typed"), list[ScoreTree]()
    root = partial(annotator.root if annotator else NodeBuilder, whole, trees)
    _, whole.weight = call_with_fresh_stack(pair_sums, gt, pred, options, schema, cause, root)
    if annotator:
        whole.annotations = annotator.annotate(trees[-1])
    return trees[-1]


def _score_portion(
    portion: tuple[int, Sequence[Pair]], options: CompareOptions
) -> tuple[npt.NDArray[np.float64], list[DataWarning]]:
    """Return the scores of some pairs, and distinct warnings."""
    start, pairs = portion
    found = dict[str, DataWarning]()

    def plain(pair: object) -> PlainPair:
        truth, prediction, warnings = _plain_pair(pair)
        if warnings:
            found.update({str(warning): warning for warning in warnings})
        return truth, prediction

    return score_all(pairs, options, lambda number: f"pair {start + number}", plain=plain), [*found.values()]


def _plain_pair(pair: object) -> tuple[Value, Value, Iterable[DataWarning]]:
    """Convert a pair to plain types, with warnings about parts that are not read.

    Raises:
        TypeError, ValueError: for anything but a tuple or list of two, and for values that cannot be scored.
    """
    if not isinstance(pair, tuple | list) or len(pair) != 2:  # noqa: PLR2004
        raise InputTypeError(
            expected="a ground truth and a prediction",
            got=f"{len(pair)} values" if isinstance(pair, tuple | list) else type(pair).__name__,
        )
    return plain_pair_with_warnings(*pair)


def score_all(
    pairs: Sequence[Any],
    options: CompareOptions,
    name: Callable[[int], str],
    scored: Advance = ignore,
    plain: Callable[[Any], PlainPair] | None = None,
) -> npt.NDArray[np.float64]:
    """Return the score of each pair, shape (n,).

    Args:
        pairs: n pairs of plain values, or of values that `plain` converts.
        options: how values compare.
        name: returns the name of a pair for errors, by its number.
        scored: progress callback, called with the number of pairs just scored.
        plain: converts a pair to plain values; not called if both sides are scalars.
    """
    scores = np.ones(len(pairs))
    compared: list[int] = []  # the numbers of scalar pairs that are not equal
    others: list[int] = []
    for i, pair in enumerate(pairs):
        if type(pair) is not tuple or len(pair) != 2 or not is_answer(*pair):  # noqa: PLR2004
            others.append(i)
        elif not equals_an_option(*pair):
            compared.append(i)
    if compared:
        try:
            scores[compared] = _score_answers([pairs[i] for i in compared], options)
        except ValueError:  # an integer that Python does not print; scoring one by one names its pair
            others = [*compared, *others]
    if scored is not ignore:
        scored(len(pairs) - len(others))
    for i in others:
        try:
            pair = plain(pairs[i]) if plain else pairs[i]
            scores[i] = score_one(pair[0], pair[1], options)
        except (TypeError, ValueError) as error:
            raise at_place(name(i), error) from None
        if scored is not ignore:
            scored(1)
    return scores


def _score_answers(pairs: Sequence[tuple[Any, Any]], options: CompareOptions) -> npt.NDArray[np.float64]:
    """Return the scores of many answers at once: the best similarity with an acceptable answer."""
    accepted = [gt if type(gt) is tuple else (gt,) for gt, _ in pairs]
    counts = list(map(len, accepted))
    text = TEXT_RULES[options.numbers]
    left = fold_all(list(chain.from_iterable(accepted)), options.ignore_case, text)
    right = fold_all([pred for _, pred in pairs], options.ignore_case, text)
    repeated = list(chain.from_iterable(map(repeat, right, counts)))
    starts = np.cumsum([0, *counts[:-1]])
    return np.maximum.reduceat(similarities(left, repeated, options.threshold), starts)


def score_one(gt: Value, pred: Value, options: CompareOptions, schema: SchemaNode | None = None) -> float:
    """Return the ANLS* score of a pair of plain values; with a schema, the typed score."""
    if schema is None and is_answer(gt, pred):
        return answer_score(gt, pred, options)  # type: ignore[arg-type]
    try:
        earned, weight = pair_sums(gt, pred, options, schema)
    except RecursionError:
        earned, weight = in_new_thread(pair_sums, gt, pred, options, schema)
    return earned / weight if weight else 1.0


def pair_sums(
    gt: Value,
    pred: Value,
    options: CompareOptions,
    schema: SchemaNode | None = None,
    cause: Cause | None = None,
    root: Callable[[], ScoreListener] | None = None,
) -> tuple[float, float]:
    """Return S and L of a pair, and report all parts of the pair to a listener if there is one.

    Args:
        gt: the ground truth, a plain value.
        pred: the prediction, a plain value.
        options: how values compare.
        schema: the root of a schema, or None.
        cause: as for `build_tree`.
        root: creates the listener of the whole pair; None if only the sums are needed.

    Raises:
        ValueError: for lists that are too long, naming their path.
    """
    truth = _one_of_texts(gt) if type(gt) is list and isinstance(pred, str) else gt
    try:
        return Scorer(options, root and Tables(), cause).pair(truth, pred, schema, root and root())
    except TooManyPairsError as error:
        place, *_ = max(list_tables(truth, pred), key=lambda table: table[1] * table[2])
        raise at_place(place, error) from None


def _one_of_texts(truth: list[Value]) -> Value:
    """Return the ground truth for a predicted string: a list of strings becomes a one-of (paper, table 2)."""
    if not truth or not all(isinstance(text, str) for text in truth):
        return truth
    warn(
        "compatibility mode: the ground truth is a list of strings and the prediction a string, so any string of "
        "the list is accepted; write alternatives as a tuple"
    )
    return tuple(truth)


def _options(threshold: float, ignore_case: bool, rules: str, numbers: str) -> CompareOptions:
    if threshold is THRESHOLD and ignore_case is True and rules == PAPER and numbers == "text":
        return DEFAULT_OPTIONS
    return CompareOptions(threshold=threshold, ignore_case=ignore_case, rules=rules, numbers=numbers)


Outcome = Literal["exact", "partial", "wrong", "wrong_type", "missing", "extra"]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


class Leaf(NamedTuple):
    """A leaf of a score tree with points.

    Attributes:
        field: the path without list indices; `$` for the root.
        kind: the kind of the node.
        outcome: the status of the node, or "wrong_type".
        earned: S.
        weight: L.
        cause: the cause of lost points, or None.
        compared: the label of the comparator; "" if texts were compared.
        unreadable: the sides whose value the comparator could not read.
        ambiguous: the sides whose value has several readings.
        unclear: the ground truth and the prediction, if one of them is unreadable or ambiguous.
        is_divided: whether the leaf has the wrong type, and its ground truth is a list or an object. The values inside
            it are missing; the leaf itself is not a value.
    """

    field: str
    kind: Kind
    outcome: Outcome
    earned: float
    weight: float
    cause: Cause | None
    compared: str = ""
    unreadable: tuple[Side, ...] = ()
    ambiguous: tuple[Side, ...] = ()
    unclear: tuple[Any, ...] = ()
    is_divided: bool = False


_leaf = lru_cache(maxsize=1 << 14)(Leaf)  # most leaves of a field are equal, and a lookup is faster than a new tuple


class FieldCounts:
    """The counts of one pair at a time.

    Attributes:
        leaves: the leaves with points.
        lists: the rows of each list, with the path of its rows, such as `items[]`.
        blanks: the field of each value that the ground truth leaves empty, and whether the prediction fills it.
        unequal: the scalars that were compared and lost points.
        earned: S of the pair.
        weight: L of the pair.
    """

    def __init__(self) -> None:
        self.leaves: list[Leaf] = []
        self.lists: list[tuple[str, ListRows]] = []
        self.blanks: list[tuple[str, bool]] = []
        self.unequal: list[tuple[Scalar, Scalar]] = []
        self.earned = self.weight = 0.0
        self._root = FieldCounter(self, "", None)

    def of_pair(
        self,
        gt: Value,
        pred: Value,
        options: CompareOptions,
        schema: SchemaNode | None = None,
        cause: Cause | None = None,
        annotator: TreeAnnotator | None = None,
    ) -> FieldCounts:
        """Count a ground truth and a prediction without a tree; for the arguments, see `build_tree`."""
        root = self._restarted if annotator is None or not annotator.chooses else partial(self._beside, annotator)
        self.earned, self.weight = call_with_fresh_stack(pair_sums, gt, pred, options, schema, cause, root)
        if cause is not None:  # without a prediction, no value was left empty or filled
            self.blanks = []
        return self

    def _beside(self, annotator: TreeAnnotator) -> ScoreListener:
        """Drop all counts, and return the root listener of a pair in which the annotator decides among matchings."""
        return _ChosenCounter(self._restarted(), annotator.root(Whole(), []))

    def _restarted(self) -> FieldCounter:
        """Drop all counts, and return the counter of the root."""
        self.leaves, self.lists, self.blanks, self.unequal = [], [], [], []
        return self._root


_PAPER = Counting(PAPER)


def _is_blank(truth: Value) -> bool:
    return truth is None or truth in ("", [])


class FieldCounter(ScoreListener):
    """A counter of the parts of pairs; one object counts one field in all pairs.

    Args:
        counts: the counts to fill.
        path: the path without list indices; "" for the root.
        cause: the cause if the whole field is lost; otherwise None.
        lost_above: whether a part around the field has the wrong type; the points are then lost in that part.
        in_option: whether the field is in one of several options, which may leave different values empty.
    """

    __slots__ = ("below", "cause", "counts", "in_option", "lost_above", "name", "path")

    def __init__(
        self,
        counts: FieldCounts,
        path: str,
        cause: Cause | None,
        *,
        lost_above: bool = False,
        in_option: bool = False,
    ) -> None:
        self.counts, self.path, self.cause = counts, path, cause
        self.lost_above, self.in_option = lost_above, in_option
        self.name = field_path(path)
        # by a key or a cause; None for list elements, () for parts of the wrong type, 1 for one of several options
        self.below: dict[str | tuple[Cause, ...] | int | None, FieldCounter] = {}

    def begin(self, truth: Value, prediction: Value, schema: SchemaNode | None) -> None:
        if self.in_option:
            return
        if _is_blank(truth) or (type(truth) is tuple and len(truth) > 1 and all(map(_is_blank, truth))):
            self.counts.blanks.append((self.name, not _PAPER.is_empty(prediction)))
        elif type(truth) is dict and (prediction is None or type(prediction) is dict):
            given = prediction or {}
            for key, part in truth.items() if prediction is None else ():  # the parts are not compared one by one
                self.at_key(key).begin(part, None, schema and schema.at_key(key))
            for key in schema.properties.keys() - truth.keys() if schema else ():
                self.at_key(key).begin(None, given.get(key), None)

    def at_key(self, key: str, *, absent: bool = False) -> FieldCounter:  # noqa: ARG002  only trees use it
        return self.below.get(key) or self._add(key, step_text(key), self.cause)

    def at_index(self, truth: int | None, prediction: int | None) -> FieldCounter:  # noqa: ARG002  only trees use it
        return self.below.get(None) or self._add(None, "[]", self.cause)

    def with_rows(self, rows: ListRows) -> None:
        if not self.lost_above:  # else `make` of the part around it counts the rows of both sides
            self.counts.lists.append((field_path(f"{self.path}[]"), rows))

    def at_option(self, option: int, count: int = 1) -> FieldCounter:  # noqa: ARG002  only trees use it
        return self if count == 1 else self.below.get(1) or self._add(1, "", self.cause, in_option=True)

    def lost(self, cause: Cause, note: str = "") -> FieldCounter:  # noqa: ARG002  only trees use it
        return self if self.cause else self.below.get((cause,)) or self._add((cause,), "", cause)

    def missing_parts(self) -> FieldCounter:
        return self.below.get(()) or self._add((), "", None, lost_above=True)

    def _add(
        self,
        name: str | tuple[Cause, ...] | int | None,
        step: str,
        cause: Cause | None,
        *,
        lost_above: bool = False,
        in_option: bool = False,
    ) -> FieldCounter:
        place = FieldCounter(
            self.counts,
            self.path + step,
            cause,
            lost_above=lost_above or self.lost_above,
            in_option=in_option or self.in_option,
        )
        self.below[name] = place
        return place

    def make(
        self,
        kind: Kind,
        status: Status,
        earned: float,
        weight: float,
        truth: Value,
        prediction: Value,
        schema: SchemaNode | None,
    ) -> None:
        if weight and kind != "list" and kind != "object":  # noqa: PLR1714  faster
            cause = None
            if earned != weight and not self.lost_above:
                cause = self.cause or cause_of_scalars(truth, prediction, earned=earned)
                if kind == "scalar" and truth is not None and prediction is not None:
                    self.counts.unequal.append((truth, prediction))  # type: ignore[arg-type]
            compared = ""
            unclear_sides = ALL_CLEAR
            if schema is not None and schema.comparator is not None and kind == "scalar":
                compared = schema.comparator.label
                unclear_sides = schema.comparator.unclear_sides(truth, prediction)  # type: ignore[arg-type]
            outcome: Outcome = "wrong_type" if kind == "mismatch" and status == "wrong" else status
            pair = (truth, prediction) if any(unclear_sides) else ()
            is_divided = outcome == "wrong_type" and (type(truth) is list or type(truth) is dict)
            leaf = _leaf(self.name, kind, outcome, earned, weight, cause, compared, *unclear_sides, pair, is_divided)
            self.counts.leaves.append(leaf)
            if kind == "mismatch":  # its parts were not reported
                self.counts.lists += [(path, ListRows(rows, 0)) for path, rows in _lists_in(truth, self.path)]
                self.counts.lists += [(path, ListRows(0, rows)) for path, rows in _lists_in(prediction, self.path)]


class _ChosenCounter(ScoreListener):
    """A counter of the parts of a pair in the matching that an annotator chooses.

    Args:
        counter: counts the parts.
        node: chooses the matching; the nodes of its tree are not created.
    """

    __slots__ = ("counter", "node")

    def __init__(self, counter: FieldCounter, node: NodeBuilder) -> None:
        self.counter, self.node = counter, node

    def begin(self, truth: Value, prediction: Value, schema: SchemaNode | None) -> None:
        self.counter.begin(truth, prediction, schema)

    def at_key(self, key: str, *, absent: bool = False) -> _ChosenCounter:
        return _ChosenCounter(self.counter.at_key(key, absent=absent), self.node.at_key(key, absent=absent))

    def at_index(self, truth: int | None, prediction: int | None) -> _ChosenCounter:
        return _ChosenCounter(self.counter.at_index(truth, prediction), self.node.at_index(truth, prediction))

    def with_rows(self, rows: ListRows) -> None:
        self.counter.with_rows(rows)

    def at_option(self, option: int, count: int = 1) -> _ChosenCounter:
        return _ChosenCounter(self.counter.at_option(option, count), self.node.at_option(option, count))

    def lost(self, cause: Cause, note: str = "") -> _ChosenCounter:
        return _ChosenCounter(self.counter.lost(cause, note), self.node)

    def missing_parts(self) -> FieldCounter:
        return self.counter.missing_parts()

    def make(self, *part: Any) -> None:
        self.counter.make(*part)

    def preferences(self, score: Callable[[int, int, Any], object]) -> Criteria | None:
        return self.node.preferences(score)

    def annotated(self, value: Value, schema: SchemaNode | None, **element: int | None) -> str:
        return self.node.annotated(value, schema, **element)


def _lists_in(value: Value, path: str) -> list[tuple[str, int]]:
    """Return the field of the rows of each list in a value, and their number, using the largest option of a one-of."""
    parts = values_by_path(value, path, indices=False, options_of=_largest)
    return [(field_path(f"{path}[]"), len(part)) for path, part in parts if type(part) is list]


def _largest(options: Sequence[Value]) -> list[Value]:
    """Return the largest option as in the tree: null first among equals."""
    text = CanonicalTexts().of
    return [min(options, key=lambda option: (-size(option), option is not None, text(option, None)))]

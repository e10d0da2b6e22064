"""The recursive scorer: the points earned, S, and the points that count, L, of pairs of values (paper, eq. 1 to 5).

The five rules stand here twice, for one pair and for two whole columns of values, and a test holds them together.
Columns are what makes long lists fast: every pair of places is visited once; a column of objects becomes one pair of
columns per key, a column of lists one pair of columns that holds all their elements. A few pairs are faster one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, product
from math import fsum
from typing import Any

import numpy as np

from docscore.core.assignment import Weight, best_options, is_better, match, match_blocks, totals
from docscore.core.limits import check_memory
from docscore.core.options import ScoringOptions
from docscore.core.similarity import fold, fold_all, similarity, similarity_matrix, text_rule
from docscore.core.values import LEAF_TYPES, SCALAR_TYPES, Matrix, Scalar, Value
from docscore.metrics.anls_star.matching import (
    DistinctValues,
    Identities,
    RowComparison,
    Tables,
    are_mostly_cell_rows,
    rows_table,
)
from docscore.metrics.anls_star.sizes import Counting, SchemaNode, unit_at

_FEW = 4  # pairs that are scored one by one; more go by columns


_MANY = 1 << 10  # pairs of lists from which those that occur several times are looked for


_MAX_CELLS = 1 << 22  # pairs of list elements that are held at a time


Column = Sequence[Value]


Object = dict[str, Value]


Places = Sequence[int]


Rule = Callable[[Any, Any, Any], tuple[Matrix, Weight]]


def is_answer(truth: object, prediction: object) -> bool:
    """Whether it is a scalar against one or several acceptable scalars, as in question answering."""
    if type(prediction) not in SCALAR_TYPES:
        return False
    kind = type(truth)
    return kind in SCALAR_TYPES or (kind is tuple and truth != () and SCALAR_TYPES.issuperset(map(type, truth)))  # type: ignore[call-overload]


def equals_an_option(truth: object, prediction: object) -> bool:
    """Whether a text is the acceptable answer, or one of several, letter by letter: it need not be compared then."""
    if type(prediction) is not str:
        return False
    if type(truth) is not tuple:
        return type(truth) is str and truth == prediction
    return prediction in truth and type(truth[truth.index(prediction)]) is str


def answer_score(truth: Scalar | tuple[Scalar, ...], prediction: Scalar, options: ScoringOptions) -> float:
    """S, and as L is 1 the score, of such a pair: the best of the similarities."""
    threshold, ignore_case, text = options.threshold, options.ignore_case, text_rule(options.numbers)
    if equals_an_option(truth, prediction):
        return 1.0
    right = fold(prediction, ignore_case, text)
    if type(truth) is not tuple:
        return similarity(fold(truth, ignore_case, text), right, threshold)  # type: ignore[arg-type]
    return max([similarity(fold(option, ignore_case, text), right, threshold) for option in truth])


class Scorer:
    """Scores plain values, which must live as long as it does.

    Args:
        options: how texts are compared, and what counts.
        tables: keeps the tables of the lists that are matched on the way; None where nobody asks for them later.
    """

    __slots__ = ("counting", "identities", "ignore_case", "options", "tables", "text", "threshold")

    def __init__(self, options: ScoringOptions, tables: Tables | None = None) -> None:
        self.options = options
        self.tables = tables
        self.threshold, self.ignore_case, self.text = options.threshold, options.ignore_case, text_rule(options.numbers)
        self.counting = Counting(options.rules)
        self.identities = Identities()

    # One pair.

    def pair(self, truth: Value, prediction: Value, schema: SchemaNode | None = None) -> tuple[float, float]:  # noqa: PLR0911  one branch a rule
        """S, in [0, L], and L, a whole number, of one pair.

        Args:
            truth: ground truth; a tuple is a one-of.
            prediction: prediction, without tuples.
            schema: the place in a schema; without one all values are texts and weigh 1.
        """
        if truth is None:
            unit = unit_at(schema)
            return unit * self.counting.is_empty(prediction), max(unit, self.counting.prediction(prediction, schema))
        kind, other = type(truth), type(prediction)
        if kind in SCALAR_TYPES and other in SCALAR_TYPES:
            if schema is not None:
                return float(self._leaves([truth], [prediction], schema)[0][0, 0]), schema.unit
            if kind is other is str and truth == prediction:
                return 1.0, 1.0
            left, right = fold(truth, self.ignore_case, self.text), fold(prediction, self.ignore_case, self.text)  # type: ignore[arg-type]
            return similarity(left, right, self.threshold), 1.0
        if kind is list and other is list:
            return self._list_pair(truth, prediction, schema)  # type: ignore[arg-type]
        if kind is dict and other is dict:
            return self._object_pair(truth, prediction, schema)  # type: ignore[arg-type]
        if kind is tuple:
            return self._one_of_pair(truth, prediction, schema)  # type: ignore[arg-type]
        return 0.0, float(max(self.counting.truth(truth, schema), self.counting.prediction(prediction, schema)))

    def _object_pair(self, truth: Object, prediction: Object, schema: SchemaNode | None) -> tuple[float, float]:
        """The sums over the keys of the ground truth, an absent key being null; other keys add to L."""
        earned = weight = 0.0
        for key in sorted(truth):  # sorted: a sum of floats does not depend on the order of keys
            part, counted = self.pair(truth[key], prediction.get(key), schema and schema.at_key(key))
            earned += part
            weight += counted
        for key in sorted(prediction.keys() - truth.keys()):
            weight += self.counting.surplus(prediction, key, schema and schema.at_key(key))
        return earned, weight

    def _list_pair(self, truth: list[Value], prediction: list[Value], schema: SchemaNode | None) -> tuple[float, float]:
        """The sums over the best matching; what stays unmatched adds its size to L."""
        below = schema and schema.items
        if len(truth) == len(prediction) == 1:
            return self.pair(truth[0], prediction[0], below)
        sizes = self.counting.truths(truth, below), self.counting.predictions(prediction, below)
        if not truth or not prediction:
            return 0.0, fsum(chain(*sizes))
        table = self.table_of_rows(truth, prediction, below)
        earned, weight = table or self.pairwise(truth, prediction, below)
        if self.tables is not None:
            self.tables.keep([truth], [prediction], below, earned, weight)
        return totals(match(earned, weight, *sizes), earned, weight, *sizes)

    def _one_of_pair(
        self, options: tuple[Value, ...], prediction: Value, schema: SchemaNode | None
    ) -> tuple[float, float]:
        """The option with the largest (S/L, S, -L)."""
        if schema is None and is_answer(options, prediction):
            return answer_score(options, prediction, self.options), 1.0  # type: ignore[arg-type]
        best = self.pair(options[0], prediction, schema)
        for option in options[1:]:
            found = self.pair(option, prediction, schema)
            if is_better(found, best) or (found > best and not is_better(best, found)):  # of a tie the same bits always
                best = found
        return best

    # Two columns.

    def table_of_rows(
        self, truths: Column, predictions: Column, schema: SchemaNode | None
    ) -> tuple[Matrix, Weight] | None:
        """S and L of every two rows, most of them lists of cells, as far as their best matching depends on them.

        As `pairwise`; but pairs that are in no best matching may have more than their S. None for other elements, and
        where that is no faster.
        """
        if schema is not None or not are_mostly_cell_rows(truths, predictions):
            return None
        check_memory(len(truths), len(predictions))
        compare = RowComparison(
            partial(fold_all, ignore_case=self.ignore_case, text=self.text),
            partial(similarity_matrix, threshold=self.threshold),
            self.threshold,
            self.pairwise,
        )
        return rows_table(
            DistinctValues(truths, self.identities), DistinctValues(predictions, self.identities), compare
        )

    def pairwise(self, truths: Column, predictions: Column, schema: SchemaNode | None = None) -> tuple[Matrix, Weight]:
        """S and L of every pair, by the same rules as `pair`.

        Returns:
            earned: S, shape (len(truths), len(predictions)).
            weight: L, of the same shape, or a number where it is the same for all.
        """
        if len(truths) * len(predictions) <= _FEW:
            return self._few(truths, predictions, schema)
        check_memory(len(truths), len(predictions))
        left, right = {*map(type, truths)}, {*map(type, predictions)}
        if left <= LEAF_TYPES and right <= LEAF_TYPES:
            return self._leaves(truths, predictions, schema)
        if left == right and len(left) == 1:
            return self._rules()[left.pop()](truths, predictions, schema)
        return self._mixed(truths, predictions, schema)

    def _few(self, truths: Column, predictions: Column, schema: SchemaNode | None) -> tuple[Matrix, Weight]:
        """The pairs one by one."""
        found = []
        for truth, prediction in product(truths, predictions):  # a loop: a comprehension takes more of Python's stack
            found.append(self.pair(truth, prediction, schema))
        table = np.array(found, dtype=np.float64).reshape(len(truths), len(predictions), 2)
        return table[:, :, 0], table[:, :, 1]

    def _rules(self) -> dict[type, Rule]:
        return {
            str: self._leaves,
            list: self._lists,
            dict: self._objects,
            tuple: self._one_ofs,
        }

    def _mixed(self, truths: Column, predictions: Column, schema: SchemaNode | None) -> tuple[Matrix, Weight]:
        """Columns of several kinds: a block for each two kinds that can be compared, (0, larger size) elsewhere."""
        shape = len(truths), len(predictions)
        earned = np.zeros(shape)
        sizes = self.counting.truths(truths, schema), self.counting.predictions(predictions, schema)
        weight = np.maximum.outer(*sizes).astype(np.float64)
        here, there = kinds(truths), kinds(predictions)
        null = here.pop(NULL, None)
        if null:
            earned[null] = [unit_at(schema) * self.counting.is_empty(each) for each in predictions]
        for kind, places in here.items():
            others = range(shape[1]) if kind is tuple else there.get(kind)
            if others:
                block = _block(places, others, shape)
                earned[block], weight[block] = self._rules()[kind](
                    [truths[i] for i in places], [predictions[j] for j in others], schema
                )
        return earned, weight

    def _leaves(self, truths: Column, predictions: Column, schema: SchemaNode | None) -> tuple[Matrix, Weight]:
        """Scalars and nulls: S is the similarity of the texts, 0 below the threshold; L = 1.

        With a schema S is what the place says of its values, and both are multiplied by its weight.
        """
        if schema is None:
            return self._texts(truths, predictions), 1.0
        if schema.comparator is None:
            return schema.unit * self._texts(truths, predictions), schema.unit
        rows = [i for i, value in enumerate(truths) if value is not None]
        columns = [j for j, value in enumerate(predictions) if value is not None]
        earned = np.array([[float(g is None and self.counting.is_empty(p)) for p in predictions] for g in truths])
        if rows and columns:
            sides = [truths[i] for i in rows], [predictions[j] for j in columns]
            earned[np.ix_(rows, columns)] = schema.comparator.compared(*sides, self._texts)  # type: ignore[arg-type]
        return schema.unit * earned, schema.unit

    def _texts(self, truths: Column, predictions: Column) -> Matrix:
        """The similarities of scalars and nulls as texts."""
        left, right = (fold_all(side, self.ignore_case, self.text) for side in (truths, predictions))  # type: ignore[arg-type]
        earned = similarity_matrix(left, right, self.threshold)
        if "" in left and "" in right and (_has_blank(left, truths) or _has_blank(right, predictions)):
            self._tell_null_from_blank(truths, predictions, left, right, earned)
        return earned

    @staticmethod
    def _tell_null_from_blank(
        truths: Column, predictions: Column, left: list[str], right: list[str], earned: Matrix
    ) -> None:
        """Null was compared as an empty text; it agrees with null and `""`, but not with a blank, nor `""` with it."""
        blank = [j for j, value in enumerate(predictions) if not right[j] and value is not None and value != ""]
        null = [j for j, value in enumerate(predictions) if value is None]
        for i, value in enumerate(truths):
            if not left[i]:
                earned[i, blank if value is None else null] = 0.0

    def _objects(
        self, truths: Sequence[Object], predictions: Sequence[Object], schema: SchemaNode | None
    ) -> tuple[Matrix, Weight]:
        """Objects: the sums over the keys of the ground truths, absent keys being null; other keys add to L."""
        earned = np.zeros((len(truths), len(predictions)))
        weight: Weight = 0.0
        values_of = map(dict.values, (*truths, *predictions))
        only_leaves = LEAF_TYPES.issuperset(map(type, chain.from_iterable(values_of)))
        score = self._leaves if only_leaves else self.pairwise
        lacked = np.zeros(len(predictions))  # what the keys that some ground truths lack add for those
        for key in sorted(set().union(*truths, *predictions)):  # sorted as in `_object_pair`
            below = schema and schema.at_key(key)
            column = [truth.get(key) for truth in truths]
            values = [prediction.get(key) for prediction in predictions]
            here = None if None not in column else [i for i, truth in enumerate(truths) if key in truth]
            if here is None or len(here) == len(truths):
                points, counted = score(column, values, below)
                earned += points
                weight = weight + counted
                continue
            surplus = np.array(self.counting.surpluses(predictions, key, below), dtype=np.float64)
            lacked += surplus
            if here:
                points, counted = score([column[i] for i in here], values, below)
                weight = weight if isinstance(weight, np.ndarray) else np.full(earned.shape, weight)
                earned[here] += points
                weight[here] += counted - surplus
        return earned, weight + np.broadcast_to(lacked, earned.shape) if lacked.any() else weight

    def _lists(
        self, truths: Sequence[list[Value]], predictions: Sequence[list[Value]], schema: SchemaNode | None
    ) -> tuple[Matrix, Matrix]:
        """Lists: the sums over the best matching of each two; what stays unmatched adds its size to L."""
        if len(truths) * len(predictions) >= _MANY:
            left, right = (DistinctValues(side, self.identities) for side in (truths, predictions))
            if 2 * len(left.values) * len(right.values) <= len(truths) * len(predictions):
                earned, weight = self._lists(left.values, right.values, schema)
                everywhere = np.ix_(left.number, right.number)
                return earned[everywhere], weight[everywhere]
        below = schema and schema.items
        elements, columns = _concatenated(predictions)
        sizes = self.counting.predictions(elements, below)
        weight = np.zeros((len(truths), len(predictions)))
        earned = np.zeros(weight.shape)
        for start, stop in _portions(truths, len(elements)):
            items, rows = _concatenated(truths[start:stop])
            lengths = self.counting.truths(items, below)
            points, counted = self.pairwise(items, elements, below)
            if self.tables is not None:
                self.tables.keep(truths[start:stop], predictions, below, points, counted)
            found = match_blocks(points, counted, lengths, sizes, rows, columns)
            earned[start:stop], weight[start:stop] = found
        return earned, weight

    def _one_ofs(
        self, truths: Sequence[tuple[Value, ...]], predictions: Column, schema: SchemaNode | None
    ) -> tuple[Matrix, Matrix]:
        """One-ofs: the option with the largest (S/L, S, -L)."""
        options, rows = _concatenated(truths)
        points, counted = self.pairwise(options, predictions, schema)
        counted = counted + np.zeros(points.shape)
        earned = np.empty((len(truths), len(predictions)))
        weight = np.empty(earned.shape)
        everyone = np.arange(len(predictions))
        for i, row in enumerate(rows):
            chosen = best_options(points[row], counted[row])
            earned[i], weight[i] = points[row][chosen, everyone], counted[row][chosen, everyone]
        return earned, weight


NULL = type(None)


_KINDS = dict.fromkeys(SCALAR_TYPES, str) | {each: each for each in (NULL, list, dict, tuple)}


def kinds(column: Column) -> dict[type, list[int]]:
    """Where the values of each kind are, for the kinds that occur; all scalars are of the kind `str`.

    >>> kinds(["a", None, 1, None])
    {<class 'str'>: [0, 2], <class 'NoneType'>: [1, 3]}
    """
    found = [_KINDS[type(value)] for value in column]
    return {kind: [i for i, each in enumerate(found) if each is kind] for kind in dict.fromkeys(found)}


def _has_blank(texts: list[str], values: Column) -> bool:
    """Whether some of the empty texts are not null."""
    return texts.count("") > sum([value is None for value in values])


def _block(rows: Places, columns: Places, shape: tuple[int, int]) -> Any:
    """The index of the block at these rows and columns; slices, which copy nothing, where they are all."""
    every_row, every_column = len(rows) == shape[0], len(columns) == shape[1]
    if every_row or every_column:
        return slice(None) if every_row else rows, slice(None) if every_column else columns
    return np.ix_(rows, columns)


def _concatenated(containers: Sequence[Sequence[Value]]) -> tuple[list[Value], list[slice]]:
    """All elements one after the other, and where each container's are."""
    elements: list[Value] = []
    slices = []
    for container in containers:
        slices.append(slice(len(elements), len(elements) + len(container)))
        elements.extend(container)
    return elements, slices


def _portions(lists: Sequence[list[Value]], columns: int) -> Iterator[tuple[int, int]]:
    """Ranges of lists whose elements make at most `_MAX_CELLS` pairs with that many columns, or of one list."""
    start = cells = 0
    for stop, elements in enumerate(lists):
        cells += len(elements) * columns
        if cells > _MAX_CELLS and stop > start:
            yield start, stop
            start, cells = stop, len(elements) * columns
    yield start, len(lists)

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

from docscore.core.assignment import best_options, is_better, match, match_blocks, totals
from docscore.core.limits import check_memory
from docscore.core.options import ScoringOptions
from docscore.core.similarity import fold, fold_all, similarity, similarity_matrix, text_rule
from docscore.core.values import SCALAR_TYPES, Matrix, Scalar, Value
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
Rule = Callable[[Any, Any, Any], tuple[Matrix, Matrix]]


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

    def pair(self, truth: Value, prediction: Value, schema: SchemaNode | None = None) -> tuple[float, float]:
        """S, in [0, L], and L, a whole number, of one pair.

        Args:
            truth: ground truth; a tuple is a one-of.
            prediction: prediction, without tuples.
            schema: the place in a schema; without one all values are texts and weigh 1.
        """
        kind, other = type(truth), type(prediction)
        if kind in SCALAR_TYPES and other in SCALAR_TYPES:
            if schema is not None:
                return float(self._leaves([truth], [prediction], schema)[0][0, 0]), schema.unit
            left, right = fold(truth, self.ignore_case, self.text), fold(prediction, self.ignore_case, self.text)  # type: ignore[arg-type]
            return similarity(left, right, self.threshold), 1.0
        if kind is list and other is list:
            return self._list_pair(truth, prediction, schema)  # type: ignore[arg-type]
        if kind is dict and other is dict:
            return self._object_pair(truth, prediction, schema)  # type: ignore[arg-type]
        if kind is tuple:
            return self._one_of_pair(truth, prediction, schema)  # type: ignore[arg-type]
        earned = unit_at(schema) * self.counting.is_empty(prediction) if truth is None else 0.0
        return earned, float(max(self.counting.truth(truth, schema), self.counting.prediction(prediction, schema)))

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
        if len(truth) == len(prediction) == 1:  # takes less of Python's stack, for deep values
            return self.pair(truth[0], prediction[0], below)
        sizes = self.counting.truths(truth, below), self.counting.predictions(prediction, below)
        if not truth or not prediction:
            return 0.0, fsum(chain(*sizes))
        earned, weight = self.element_table(truth, prediction, below)
        if self.tables is not None:
            self.tables.keep([truth], [prediction], ([slice(None)], [slice(None)]), (earned, weight), below)
        return totals(match(earned, weight, *sizes), earned, weight, *sizes)

    def _one_of_pair(
        self, options: tuple[Value, ...], prediction: Value, schema: SchemaNode | None
    ) -> tuple[float, float]:
        """The option with the largest (S/L, S, -L)."""
        best = self.pair(options[0], prediction, schema)
        for option in options[1:]:
            pair = self.pair(option, prediction, schema)
            if is_better(pair, best) or (pair > best and not is_better(best, pair)):  # of a tie the same bits always
                best = pair
        return best

    # Two columns.

    def element_table(self, truths: Column, predictions: Column, schema: SchemaNode | None) -> tuple[Matrix, Matrix]:
        """S and L of every two elements of two lists, as far as their best matching depends on them.

        As `pairwise`; but pairs of rows of cells that are in no best matching may have more than their S.
        """
        table = None
        if schema is None and are_mostly_cell_rows(truths, predictions):
            check_memory(len(truths), len(predictions))
            compare = RowComparison(
                partial(fold_all, ignore_case=self.ignore_case, text=self.text),
                partial(similarity_matrix, threshold=self.threshold),
                self.threshold,
                self.pairwise,
            )
            left, right = (DistinctValues(side, self.identities) for side in (truths, predictions))
            table = rows_table(left, right, compare)
        return table or self.pairwise(truths, predictions, schema)

    def pairwise(self, truths: Column, predictions: Column, schema: SchemaNode | None = None) -> tuple[Matrix, Matrix]:
        """S and L of every pair, by the same rules as `pair`, each of shape (len(truths), len(predictions))."""
        if len(truths) * len(predictions) <= _FEW:
            pairs = []
            for truth, prediction in product(truths, predictions):  # a comprehension takes more of the stack
                pairs.append(self.pair(truth, prediction, schema))
            table = np.array(pairs, dtype=np.float64).reshape(len(truths), len(predictions), 2)
            return table[:, :, 0], table[:, :, 1]
        check_memory(len(truths), len(predictions))
        left, right = ({_KINDS[kind] for kind in {*map(type, side)}} for side in (truths, predictions))
        if left | right <= _LEAVES and (schema is None or schema.comparator is None):
            return self._leaves(truths, predictions, schema)
        if left == right and len(left) == 1 and _NULL not in left:
            return self._rules()[left.pop()](truths, predictions, schema)
        shape = len(truths), len(predictions)
        earned = np.zeros(shape)
        sizes = self.counting.truths(truths, schema), self.counting.predictions(predictions, schema)
        weight = np.maximum.outer(*sizes).astype(np.float64)
        here, there = _places_by_kind(truths), _places_by_kind(predictions)
        nulls = here.pop(_NULL, None)
        if nulls:
            earned[nulls] = [unit_at(schema) * self.counting.is_empty(prediction) for prediction in predictions]
        for kind, rows in here.items():
            columns = range(shape[1]) if kind is tuple else there.get(kind)
            if columns:
                block = np.ix_(rows, columns)
                sides = [truths[i] for i in rows], [predictions[j] for j in columns]
                earned[block], weight[block] = self._rules()[kind](*sides, schema)
        return earned, weight

    def _rules(self) -> dict[type, Rule]:
        """How two columns of one kind are compared; one-ofs with whatever the others may be."""
        return {str: self._leaves, list: self._lists, dict: self._objects, tuple: self._one_ofs}

    def _leaves(self, truths: Column, predictions: Column, schema: SchemaNode | None) -> tuple[Matrix, Matrix]:
        """Scalars and nulls: S is the similarity of the texts, 0 below the threshold; L = 1.

        With a schema S of scalars is what the place says of them, and both are multiplied by its weight.
        """
        unit = unit_at(schema)
        if schema is None or schema.comparator is None:
            earned = self._texts(truths, predictions)
        else:
            earned = schema.comparator.compared(truths, predictions, self._texts)  # type: ignore[arg-type]
        return earned if unit == 1 else unit * earned, np.full(earned.shape, unit)

    def _texts(self, truths: Column, predictions: Column) -> Matrix:
        """The similarities of scalars and nulls as texts."""
        left, right = (fold_all(side, self.ignore_case, self.text) for side in (truths, predictions))  # type: ignore[arg-type]
        earned = similarity_matrix(left, right, self.threshold)
        if None in truths or None in predictions:
            # null was compared as an empty text; but it agrees with null and `""` alone, and no text agrees with it
            nulls, none = ([i for i, value in enumerate(side) if value is None] for side in (truths, predictions))
            blank = [j for j, value in enumerate(predictions) if not right[j] and value is not None and value != ""]
            empty = [i for i, value in enumerate(truths) if not left[i] and value is not None]
            for rows, columns in ((nulls, blank), (empty, none)):
                if rows and columns:
                    earned[np.ix_(rows, columns)] = 0.0
        return earned

    def _objects(
        self, truths: Sequence[Object], predictions: Sequence[Object], schema: SchemaNode | None
    ) -> tuple[Matrix, Matrix]:
        """Objects: the sums over the keys of the ground truths, absent keys being null; other keys add to L."""
        earned = np.zeros((len(truths), len(predictions)))
        weight = np.zeros(earned.shape)
        lacked = np.zeros(len(predictions))  # what the keys that some ground truths lack add for those
        for key in sorted(set().union(*truths, *predictions)):  # sorted as in `_object_pair`
            below = schema and schema.at_key(key)
            column = [truth.get(key) for truth in truths]
            here = range(len(truths)) if None not in column else [i for i, truth in enumerate(truths) if key in truth]
            values = [prediction.get(key) for prediction in predictions]
            if len(here) == len(truths):
                points, counted = self.pairwise(column, values, below)
                earned += points
                weight += counted
                continue
            surplus = np.array(self.counting.surpluses(predictions, key, below), dtype=np.float64)
            lacked += surplus
            if here:
                points, counted = self.pairwise([column[i] for i in here], values, below)
                earned[here] += points
                weight[here] += counted - surplus
        return earned, weight + lacked

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
                self.tables.keep(truths[start:stop], predictions, (rows, columns), (points, counted), below)
            earned[start:stop], weight[start:stop] = match_blocks(points, counted, lengths, sizes, rows, columns)
        return earned, weight

    def _one_ofs(
        self, truths: Sequence[tuple[Value, ...]], predictions: Column, schema: SchemaNode | None
    ) -> tuple[Matrix, Matrix]:
        """One-ofs: the option with the largest (S/L, S, -L)."""
        options, rows = _concatenated(truths)
        points, counted = self.pairwise(options, predictions, schema)
        earned = np.empty((len(truths), len(predictions)))
        weight = np.empty(earned.shape)
        everyone = np.arange(len(predictions))
        for i, row in enumerate(rows):
            chosen = best_options(points[row], counted[row])
            earned[i], weight[i] = points[row][chosen, everyone], counted[row][chosen, everyone]
        return earned, weight


_NULL = type(None)


_LEAVES = {str, _NULL}


_KINDS = dict.fromkeys(SCALAR_TYPES, str) | {kind: kind for kind in (_NULL, list, dict, tuple)}


def _places_by_kind(column: Column) -> dict[type, list[int]]:
    """Where the values of each kind are, for the kinds that occur; all scalars are of the kind `str`.

    >>> _places_by_kind(["a", None, 1, None])
    {<class 'str'>: [0, 2], <class 'NoneType'>: [1, 3]}
    """
    kinds = [_KINDS[type(value)] for value in column]
    return {kind: [i for i, each in enumerate(kinds) if each is kind] for kind in dict.fromkeys(kinds)}


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

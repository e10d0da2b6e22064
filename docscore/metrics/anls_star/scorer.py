"""The recursive scorer: the points earned, S, and the points possible, L, of pairs of values (paper, eq. 1 to 5).

The rules are implemented twice, for one pair and for two columns of values, and a test checks that both agree. The
rules for one pair compute only the sums, or also report each part to a `ScoreListener`, which builds a node of a score
tree or counts fields. Columns make long lists fast, because each pair of places is visited once: a column of objects
becomes one pair of columns per key, and a column of lists becomes one pair of columns with all elements. A few pairs
are faster one by one.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, partial
from itertools import chain, product
from math import fsum
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from docscore.core.assignment import (
    Indices,
    Matching,
    Part,
    Ties,
    align,
    best_options,
    is_better,
    match,
    match_blocks,
    match_by_key,
    match_parts,
    sum_of_ties,
    totals,
)
from docscore.core.options import CompareOptions
from docscore.core.runtime import check_memory
from docscore.core.similarity import TEXT_RULES, distinct, fold_all, similarity, similarity_matrix
from docscore.core.values import LEAF_TYPES, ONE_OF, SCALAR_TYPES, Matrix, Scalar, Value
from docscore.metrics.anls_star.causes import Cause
from docscore.metrics.anls_star.matching import (
    CanonicalTexts,
    Identities,
    ListRows,
    Tables,
    are_mostly_cell_rows,
    equal_pairs,
    list_rows,
    rows_table,
)
from docscore.metrics.anls_star.sizes import Counting, SchemaNode, unit_at
from docscore.metrics.anls_star.tree import NODE_KINDS, ScoreListener, empty_name, status_of

_FEW = 4  # up to this many pairs of flat values are scored one by one; others are scored in columns


MANY = 1 << 10  # the fewest pairs of lists for which looking for repeated lists saves time


MAX_CELLS = 1 << 22  # pairs of list elements in memory at a time


_MOST_UNSURE = 1 << 22  # pairs of keys, one of them without a name, that are compared to make other keys certain


_BYTES_A_PAIR = 13  # bytes per pair of elements of lists that are matched in parts, measured with competing rows


Column = Sequence[Value]
Object = dict[str, Value]


def is_answer(truth: object, prediction: object) -> bool:
    """Return whether a pair has a scalar and one or several acceptable scalars, as in question answering."""
    if type(prediction) not in SCALAR_TYPES:
        return False
    kind = type(truth)
    return kind in SCALAR_TYPES or (kind is tuple and truth != () and SCALAR_TYPES.issuperset(map(type, truth)))  # type: ignore[call-overload]


def equals_an_option(truth: object, prediction: object) -> bool:
    """Return whether a text equals an acceptable answer exactly and so does not have to be compared."""
    if type(prediction) is not str:
        return False
    if type(truth) is not tuple:
        return type(truth) is str and truth == prediction
    return prediction in truth and type(truth[truth.index(prediction)]) is str


def answer_score(truth: Scalar | tuple[Scalar, ...], prediction: Scalar, options: CompareOptions) -> float:
    """Return the score of a pair for which `is_answer` is true, its best similarity; L is 1."""
    if equals_an_option(truth, prediction):
        return 1.0
    accepted = truth if type(truth) is tuple else (truth,)
    texts = fold_all((*accepted, prediction), options.ignore_case, TEXT_RULES[options.numbers])
    right, threshold = texts.pop(), options.threshold
    return max([similarity(left, right, threshold) for left in texts])


class Scorer:
    """A scorer of plain values, which must live as long as the object.

    Args:
        options: how texts are compared, and which keys count.
        tables: keeps the tables of the lists that are matched; None if they are not needed later.
        cause: the cause of a missing prediction or a prediction of the wrong type, if known, as for `build_tree`.
    """

    def __init__(self, options: CompareOptions, tables: Tables | None = None, cause: Cause | None = None) -> None:
        self.options = options
        self.tables = tables
        self.cause = cause
        self.threshold, self.ignore_case, self.text = (
            options.threshold,
            options.ignore_case,
            TEXT_RULES[options.numbers],
        )
        self.counting = Counting(options.rules)
        self.identities = Identities()
        self._equal: dict[tuple[int, int, int], bool] = {}  # pairs with one-ofs, and their places

    @cached_property
    def texts(self) -> CanonicalTexts:
        """The canonical texts of values, which only explanations need."""
        return CanonicalTexts()

    # One pair.

    def pair(  # noqa: C901  one branch per rule
        self, truth: Value, prediction: Value, schema: SchemaNode | None = None, at: ScoreListener | None = None
    ) -> tuple[float, float]:
        """Return S, in [0, L], and L of one pair; L is an integer unless a schema has weights.

        Args:
            truth: the ground truth; a tuple is a one-of.
            prediction: the prediction, without tuples.
            schema: the place in a schema; without one, all values are texts of weight 1.
            at: the listener of the pair; None if only the sums are needed.
        """
        kind, other = type(truth), type(prediction)
        if at is not None and (kind is not str or not truth):
            at.begin(truth, prediction, schema)
        if kind is str is other or (kind in SCALAR_TYPES and other in SCALAR_TYPES):
            earned = weight = 1.0 if schema is None else schema.unit
            if schema is not None and schema.comparator is not None:
                earned *= schema.comparator.pair(truth, prediction, self.options)  # type: ignore[arg-type]
            elif truth != prediction or kind is not str or other is not str:
                left, right = fold_all((truth, prediction), self.ignore_case, self.text)  # type: ignore[arg-type]
                earned *= similarity(left, right, self.threshold)
        elif kind is list and other is list:
            earned, weight = self._list_pair(truth, prediction, schema, at)  # type: ignore[arg-type]
        elif kind is dict and other is dict:
            earned, weight = self._object_pair(truth, prediction, schema, at)  # type: ignore[arg-type]
        elif kind is tuple:
            return self._one_of_pair(truth, prediction, schema, at)  # type: ignore[arg-type]
        elif truth is None:
            return self._null_pair(prediction, schema, at)
        elif prediction is None:
            at = at and at.lost(self.cause or "missing field")
            return self._one_sided(truth, "missing", schema, at, least=unit_at(schema))
        else:
            at = at and at.lost(self.cause or "wrong type")
            earned, weight = 0.0, self._mismatch_weight(truth, prediction, schema, at)
        if at is not None:
            name = NODE_KINDS[kind] if NODE_KINDS[kind] == NODE_KINDS[other] else "mismatch"
            at.make(name, status_of(earned, weight), earned, weight, truth, prediction, schema)
        return earned, weight

    def _mismatch_weight(
        self, truth: Value, prediction: Value, schema: SchemaNode | None, at: ScoreListener | None
    ) -> float:
        """Return L of a pair of different types, and report the parts of the ground truth as missing."""
        if at is not None and type(truth) not in SCALAR_TYPES and (parts := at.missing_parts()) is not None:
            self._one_sided(truth, "missing", schema, parts)
        return float(max(chain(*self._sizes([truth], [prediction], schema))))

    def _null_pair(self, prediction: Value, schema: SchemaNode | None, at: ScoreListener | None) -> tuple[float, float]:
        """Score a pair in which nothing is expected: only an empty prediction is right."""
        unit = unit_at(schema)
        if not self.counting.is_empty(prediction):
            at = at and at.lost("invented field", "nothing expected")
            return self._one_sided(prediction, "extra", schema, at, least=unit)
        if at is not None:
            at.make("null", "exact", unit, unit, None, prediction, schema)
        return unit, unit

    def _object_pair(
        self, truth: Object, prediction: Object, schema: SchemaNode | None, at: ScoreListener | None
    ) -> tuple[float, float]:
        """Return the sums over the keys of the ground truth, with null for absent keys; other keys add to L."""
        keys: Any = truth | prediction  # first the keys of the ground truth
        if at is None:
            keys = sorted(keys)
        parts = []
        for key in keys:
            below = at and at.at_key(key, absent=key not in prediction)
            place = schema and schema.at_key(key)
            if key in truth:
                parts.append(self.pair(truth[key], prediction.get(key), place, below))
            else:
                parts.append(self._surplus(prediction[key], place, below, is_part=False))
        if at is not None:
            parts = [part for _, part in sorted(zip(keys, parts, strict=True))]
        earned = weight = 0.0
        for part, counted in parts:  # sorted: a sum of floats does not depend on the order of keys
            earned += part
            weight += counted
        return earned, weight

    def _list_pair(
        self, truth: list[Value], prediction: list[Value], schema: SchemaNode | None, at: ScoreListener | None
    ) -> tuple[float, float]:
        """Return the sums over the best matching; unmatched elements add their size to L."""
        below = schema and schema.items
        if len(truth) == len(prediction) == 1:  # takes less of Python's stack, for deep values
            only = self.pair(truth[0], prediction[0], below, at and at.at_index(0, 0))
            if at is not None:
                at.with_rows(self._rows(truth, prediction, schema, {0: 0}, [only]))
            return only
        sizes = self._sizes(truth, prediction, below)
        ties = None if at is None else self._ties(truth, prediction, below, at)
        matching, table = self._best_matching(truth, prediction, schema, sizes, ties)
        if at is None and table is not None:
            return totals(matching, *table, *sizes)
        partner = dict(zip(matching[0].tolist(), matching[1].tolist(), strict=True))
        parts = []
        for i, value in enumerate(truth):
            j = partner.get(i)
            if j is None:
                parts.append(self._one_sided(value, "missing", below, at and at.at_index(i, None).lost("missing row")))
            else:
                parts.append(self.pair(value, prediction[j], below, at and at.at_index(i, j)))
        matched = set(partner.values())
        surplus = [j for j in range(len(prediction)) if j not in matched]
        known = {self.texts.of(prediction[j], below) for j in matched} if at is not None and surplus else set()
        for j in surplus:
            row = "" if at is None else self.texts.of(prediction[j], below)
            place = at and at.at_index(None, j).lost("repeated row" if row in known else "invented row")
            known.add(row)
            parts.append(self._one_sided(prediction[j], "extra", below, place))
        if at is not None:
            at.with_rows(self._rows(truth, prediction, schema, partner, parts))
        add = fsum if matching[2] else sum_of_ties
        return add([part[0] for part in parts]), add([part[1] for part in parts])

    def _rows(
        self,
        truth: list[Value],
        prediction: list[Value],
        schema: SchemaNode | None,
        partner: dict[int, int],
        points: list[tuple[float, float]],
    ) -> ListRows:
        """Return `list_rows` of two lists, comparing the keys of rows with the comparator of the key."""

        def has_same_key(i: int, j: int) -> bool:
            return bool(schema and schema.key and self._same_keys([truth[i]], [prediction[j]], schema).any())

        return list_rows(len(truth), prediction, partner, points, has_same_key, self.identities)

    def _one_of_pair(
        self, options: tuple[Value, ...], prediction: Value, schema: SchemaNode | None, at: ScoreListener | None
    ) -> tuple[float, float]:
        """Score the option with the largest (S/L, S, -L)."""
        chosen = 0
        if len(options) > 1:
            best, ties = self._best_options(options, prediction, schema)
            if at is None:
                return best
            chosen = self._first_option(options, prediction, schema, ties, at)
        return self.pair(options[chosen], prediction, schema, at and at.at_option(chosen, len(options)))

    def _best_options(
        self, options: tuple[Value, ...], prediction: Value, schema: SchemaNode | None
    ) -> tuple[tuple[float, float], list[int]]:
        """Return the largest (S/L, S, -L) of some options, and the options that have it."""
        pairs = []
        for option in options:  # a comprehension uses more of the stack
            pairs.append(self.pair(option, prediction, schema))  # noqa: PERF401
        best = pairs[0]
        for pair in pairs:
            if is_better(pair, best) or (pair > best and not is_better(best, pair)):  # always the same bits in a tie
                best = pair
        return best, [i for i, pair in enumerate(pairs) if pair == best]

    def _first_option(
        self,
        options: tuple[Value, ...],
        prediction: Value,
        schema: SchemaNode | None,
        ties: Sequence[int],
        at: ScoreListener | None = None,
    ) -> int:
        """Return which of several tied options is chosen: one equal to the prediction, or else the first by content."""

        def content(i: int) -> tuple[bool, str, str]:
            annotated = "" if at is None else at.annotated(options[i], schema, option=i)
            is_equal = self._is_equal(options[i], prediction, schema)
            return not is_equal, self.texts.of(options[i], schema), annotated

        return ties[0] if len(ties) == 1 else min(ties, key=content)

    def _surplus(
        self, value: Value, schema: SchemaNode | None, at: ScoreListener | None, *, is_part: bool
    ) -> tuple[float, float]:
        """Score a key that only the prediction has.

        By the rules of the paper, it does not count without a value. By the rules of the package, it has at least the
        size of a scalar, except in a part that only the prediction has.
        """
        if not self.counting.ignores(value):
            at = at if at is None or is_part else at.lost("invented field", "key only in the prediction")
            least = unit_at(schema) if self.counting.all_keys and not is_part else 0.0
            return self._one_sided(value, "extra", schema, at, least=least)
        if at is not None:
            at = at.lost("invented field", f"only in the prediction, but {empty_name(value)}: not counted")
            at.make(NODE_KINDS[type(value)], "extra", 0.0, 0.0, None, value, schema)
        return 0.0, 0.0

    def _one_sided(
        self,
        value: Value,
        status: Literal["missing", "extra"],
        schema: SchemaNode | None,
        at: ScoreListener | None,
        *,
        least: float = 0.0,
    ) -> tuple[float, float]:
        """Score a value that only one side has: it earns nothing, and its full size counts, divided among its parts."""
        is_truth = status == "missing"
        size = self.counting.size(value, schema, of_truth=is_truth)
        weight = float(max(least, size))
        if at is None:
            return 0.0, weight
        whole = value
        while type(value) is tuple:
            sizes = self.counting.sizes(value, schema, of_truth=True)
            largest = [i for i, size in enumerate(sizes) if size == max(sizes)]
            option = self._first_option(value, None, schema, largest, at)
            at, value = at.at_option(option), value[option]
        kind = NODE_KINDS[type(value)] if weight == size else "mismatch"
        if kind == "list":
            at.with_rows(ListRows(len(value), 0) if is_truth else ListRows(0, len(value)))  # type: ignore[arg-type]
        if size and kind == "object":
            for key, item in value.items():  # type: ignore[union-attr]
                below = schema and schema.at_key(key)
                if is_truth:
                    self._one_sided(item, status, below, at.at_key(key))
                else:
                    self._surplus(item, below, at.at_key(key), is_part=True)
        elif size and kind == "list":
            below = schema and schema.items
            for i, item in enumerate(value):  # type: ignore[arg-type]
                self._one_sided(item, status, below, at.at_index(i, None) if is_truth else at.at_index(None, i))
        at.make(kind, status, 0.0, weight, whole if is_truth else None, None if is_truth else whole, schema)
        return 0.0, weight

    def _matching(
        self,
        truth: list[Value],
        prediction: list[Value],
        schema: SchemaNode | None,
        table: tuple[Matrix, Matrix],
        sizes: tuple[Sequence[float], Sequence[float]],
        ties: Ties | None = None,
    ) -> Matching:
        """Return the matching of two lists by the rule for their place in the schema."""
        if schema is not None and schema.keeps_order:
            return align(*table, *sizes, ties)
        if schema is not None and schema.key:
            return match_by_key(self._same_keys(truth, prediction, schema), *table, *sizes, ties)
        return match(*table, *sizes, ties)

    def _best_matching(
        self,
        truth: list[Value],
        prediction: list[Value],
        schema: SchemaNode | None,
        sizes: tuple[Sequence[float], Sequence[float]],
        ties: Ties | None,
    ) -> tuple[Matching, tuple[Matrix, Matrix] | None]:
        """Return the matching of two lists, and S and L of every pair of elements if they were computed."""
        if not self._needs_table(truth, prediction, schema):
            return self._matching_in_parts(truth, prediction, schema, sizes, ties), None
        table = self._element_table(truth, prediction, schema and schema.items, keep=ties is None)
        return self._matching(truth, prediction, schema, table, sizes, ties), table

    def _ties(
        self, truth: list[Value], prediction: list[Value], schema: SchemaNode | None, at: ScoreListener | None = None
    ) -> Ties:
        """Return the tie-breaking rules for matchings of two lists with the same score, which trees explain.

        The number of equal pairs decides first, then the preferences of the listener, then the contents of elements.

        Args:
            truth: the ground truth.
            prediction: the prediction.
            schema: the place of their elements.
            at: the listener of the lists; None without one.
        """

        def criteria(rows: Indices, columns: Indices) -> Iterator[npt.ArrayLike]:
            yield self._equality(truth, prediction, schema, rows, columns)
            preferences = at and at.preferences(lambda i, j, place: self.pair(truth[i], prediction[j], schema, place))
            if preferences:
                yield from preferences(rows, columns)

        def content(values: list[Value], side: str, i: int) -> tuple[str, str]:
            annotated = "" if at is None else at.annotated(values[i], schema, **{side: i})
            return self.texts.of(values[i], schema), annotated

        return Ties(partial(content, truth, "truth"), partial(content, prediction, "prediction"), criteria)

    def _equality(
        self,
        truth: list[Value],
        prediction: list[Value],
        schema: SchemaNode | None,
        rows: Indices,
        columns: Indices,
    ) -> npt.NDArray[np.bool_]:
        """Return which of some pairs of elements are equal, as `_is_equal` defines it."""
        numbers: dict[str, int] = {}
        sides = []
        for values, indices in ((truth, rows), (prediction, columns)):
            some = np.flatnonzero(np.bincount(indices, minlength=len(values)))
            side = np.zeros(len(values), dtype=np.intp)
            side[some] = [numbers.setdefault(self.texts.of(values[i], schema), len(numbers)) for i in some.tolist()]
            sides.append(side[indices])
        equal: npt.NDArray[np.bool_] = sides[0] == sides[1]
        options = {number for text, number in numbers.items() if ONE_OF in text}
        for k in np.flatnonzero(np.isin(sides[0], [*options])).tolist() if options else ():
            equal[k] = self._is_equal(truth[rows[k]], prediction[columns[k]], schema)
        return equal

    def _is_equal(self, truth: Value, prediction: Value, schema: SchemaNode | None) -> bool:
        """Return whether the canonical texts of a pair are equal, with the chosen option in place of each one-of."""
        text = self.texts.of(truth, schema)
        if ONE_OF not in text:
            return text == self.texts.of(prediction, schema)
        pair = id(truth), id(prediction), id(schema)
        if pair not in self._equal:  # nested one-ofs request the same pairs many times
            self._equal[pair] = self._is_equal_by_options(truth, prediction, schema)
        return self._equal[pair]

    def _is_equal_by_options(self, truth: Value, prediction: Value, schema: SchemaNode | None) -> bool:
        """Return whether a pair with one-ofs in its ground truth is equal, as `_is_equal` defines it."""
        if isinstance(truth, tuple):
            _, best = self._best_options(truth, prediction, schema)
            return self._is_equal(truth[self._first_option(truth, prediction, schema, best)], prediction, schema)
        if isinstance(truth, dict) and isinstance(prediction, dict):
            places = {key: schema and schema.at_key(key) for key in truth}
            same_keys = truth.keys() == prediction.keys()
            return same_keys and all(self._is_equal(truth[k], prediction[k], place) for k, place in places.items())
        if isinstance(truth, list) and isinstance(prediction, list):
            below = schema and schema.items
            sizes, ties = self._sizes(truth, prediction, below), self._ties(truth, prediction, below)
            rows, columns, _ = self._best_matching(truth, prediction, schema, sizes, ties)[0]
            pairs = zip(rows.tolist(), columns.tolist(), strict=True)
            return len(rows) == len(truth) == len(prediction) and all(
                self._is_equal(truth[i], prediction[j], below) for i, j in pairs
            )
        return self.texts.of(truth, schema) == self.texts.of(prediction, schema)

    def _needs_table(self, truth: list[Value], prediction: list[Value], schema: SchemaNode | None) -> bool:
        """Return whether two lists are matched by the table of all pairs of their elements."""
        if schema is not None and (schema.keeps_order or schema.key):
            return schema.keeps_order
        few = len(truth) * len(prediction) <= MAX_CELLS
        return few or (schema is None and are_mostly_cell_rows(truth, prediction))

    def _matching_in_parts(
        self,
        truth: list[Value],
        prediction: list[Value],
        schema: SchemaNode | None,
        sizes: tuple[Sequence[float], Sequence[float]],
        ties: Ties | None,
    ) -> Matching:
        """Return the matching of lists that are long or have a key, beginning with the pairs that need no table.

        Args:
            truth: the ground truth.
            prediction: the prediction.
            schema: the place of the lists.
            sizes: the sizes of their elements.
            ties: the tie-breaking rules, as for a score tree; None to take any matching.
        """
        below = schema and schema.items
        contents = (ties.row_content, ties.column_content) if ties else None
        certain = equal_pairs(self._namings([*truth, *prediction], schema, len(truth)), len(truth), contents)
        first, second = np.array(certain, dtype=np.intp).reshape(-1, 2).T
        rows, columns = np.setdiff1d(np.arange(len(truth)), first), np.setdiff1d(np.arange(len(prediction)), second)

        def part(rows: Indices, columns: Indices) -> Part:
            left, right = [truth[i] for i in rows.tolist()], [prediction[j] for j in columns.tolist()]
            lengths = [sizes[0][i] for i in rows.tolist()], [sizes[1][j] for j in columns.tolist()]
            return *self.pairwise(left, right, below), *lengths, ties and ties.within(rows, columns)

        if schema is not None and schema.key:
            same = self._same_keys([truth[i] for i in rows], [prediction[j] for j in columns], schema)
            here, there, clear = match_by_key(same, *part(rows, columns))
            here, there = rows[here], columns[there]
        else:
            check_memory(len(rows), len(columns), bytes_a_pair=_BYTES_A_PAIR)
            here, there, clear = match_parts(rows, columns, part)
        return np.append(first, here), np.append(second, there), clear and not certain

    def _namings(self, both: Sequence[Any], schema: SchemaNode | None, count: int) -> Iterator[Sequence[Hashable]]:
        """Yield names of elements: elements with the same name are a pair of a best matching, regardless of the others.

        Rows with a key that is unique on both sides and equals no key without a name: a matching without this pair
        pairs its two rows with rows of other keys. Replacing these two pairs gives one more pair of equal keys.

        Rows with the same keys, whose values are each right or wrong: L is the same for all pairs, and the loss of a
        pair is a distance. If g and p have the same name, g with p' and g' with p lose at least as much as g' with p',
        so g with p and g' with p' are no worse. If p has no partner, g with p is no worse than g with p', since
        predictions with the same name have the same size. Identical rows come first, since explanations prefer them. A
        column with `""` has no names, since `""` is also right if null is expected, and has no size.

        Args:
            both: the elements of the ground truth, then those of the prediction.
            schema: the place of the lists.
            count: the number of elements of the ground truth.
        """
        below = schema and schema.items
        if schema is not None and schema.key:
            keys = [_key_of(row, schema.key) for row in both]
            names = self._names(keys, below, schema.key, or_wrong=False)
            unsure = [i for i, name in enumerate(names) if name is None and keys[i] is not None]
            if not names or len(unsure) * len(both) > _MOST_UNSURE:
                return
            here, there = ([both[i] for i in unsure if (i < count) is side] for side in (True, False))
            risky = np.append(
                self._same_keys([*both[:count]], there, schema).any(axis=1),
                self._same_keys(here, [*both[count:]], schema).any(axis=0),
            )
            counts = Counter(names)  # a name that occurs twice is once on each side, or makes no pair
            yield [None if risk or counts[each] > 2 else each for each, risk in zip(names, risky, strict=True)]  # noqa: PLR2004
        elif all(type(row) is dict and row.keys() == both[0].keys() for row in both):
            columns = []
            for key in both[0]:
                values = [row[key] for row in both]
                if not LEAF_TYPES.issuperset(map(type, values)) or "" in values:
                    return
                columns.append(self._names(values, below, key, or_wrong=True))
                if not columns[-1]:
                    return
            yield [*map(self.identities.of, both)]
            yield [*zip(*columns, strict=True)]

    def _names(
        self, values: Sequence[Scalar | None], schema: SchemaNode | None, key: str, *, or_wrong: bool
    ) -> Sequence[Hashable]:
        """Return names of the scalars at a key by `Comparator.names`, and None for null."""
        known = [value for value in values if value is not None]
        place = schema and schema.at_key(key)
        if place is not None and place.comparator is not None:
            names = place.comparator.names(known, or_wrong=or_wrong)
        else:
            names = () if or_wrong and self.threshold < 1 else fold_all(known, self.ignore_case, self.text)
        waiting = iter(names)
        return [None if value is None else next(waiting) for value in values] if len(names) == len(known) else ()

    def _same_keys(self, truth: list[Value], prediction: list[Value], schema: SchemaNode) -> Matrix:
        """Return 1 for pairs of rows with keys that are not empty and equal by the comparator of the key, else 0."""
        place = schema.items and schema.items.at_key(schema.key)
        keys = [[_key_of(row, schema.key) for row in side] for side in (truth, prediction)]
        here, there = ([i for i, key in enumerate(side) if key is not None] for side in keys)
        same = np.zeros((len(truth), len(prediction)))
        if here and there:
            left, right = [keys[0][i] for i in here], [keys[1][j] for j in there]
            compared = place.comparator.table(left, right, self.options) if place and place.comparator else None  # type: ignore[arg-type]
            same[np.ix_(here, there)] = (self._texts(left, right) if compared is None else compared) == 1
        return same

    # Two columns.

    def _sizes(
        self, truths: Column, predictions: Column, schema: SchemaNode | None
    ) -> tuple[Sequence[float], Sequence[float]]:
        sizes = self.counting.sizes
        return sizes(truths, schema, of_truth=True), sizes(predictions, schema, of_truth=False)

    def _element_table(
        self, truths: list[Value], predictions: list[Value], schema: SchemaNode | None, *, keep: bool
    ) -> tuple[Matrix, Matrix]:
        """Return S and L of every pair of elements, as `pairwise` does.

        Only for pairs of rows of cells that are in no best matching, S may be too large.
        """
        table = self.tables and self.tables.of(truths, predictions, schema)
        if table:
            return table
        if schema is None and are_mostly_cell_rows(truths, predictions):
            check_memory(len(truths), len(predictions))
            table = rows_table(
                distinct(truths, [*map(self.identities.of, truths)]),
                distinct(predictions, [*map(self.identities.of, predictions)]),
                self.options,
                self.pairwise,
            )
        table = table or self.pairwise(truths, predictions, schema)
        if keep and self.tables is not None:
            self.tables.keep([truths], [predictions], ([slice(None)], [slice(None)]), table, schema)
        return table

    def pairwise(self, truths: Column, predictions: Column, schema: SchemaNode | None = None) -> tuple[Matrix, Matrix]:
        """Return S and L of every pair, by the rules of `pair`, each of shape (len(truths), len(predictions))."""
        count = len(truths) * len(predictions)
        if count <= 1 or (count <= _FEW and _is_flat(truths[0])):
            pairs = []
            for truth, prediction in product(truths, predictions):  # a comprehension uses more of the stack
                pairs.append(self.pair(truth, prediction, schema))
            table = np.array(pairs, dtype=np.float64).reshape(len(truths), len(predictions), 2)
            return table[:, :, 0], table[:, :, 1]
        check_memory(len(truths), len(predictions))
        left, right = ({_KINDS[kind] for kind in {*map(type, side)}} for side in (truths, predictions))
        if left | right <= {str, _NULL} and (schema is None or schema.comparator is None):
            return self._leaves(truths, predictions, schema)
        if left == right and len(left) == 1 and _NULL not in left:
            return self._rules()[left.pop()](truths, predictions, schema)
        shape = len(truths), len(predictions)
        earned = np.zeros(shape)
        sizes = self._sizes(truths, predictions, schema)
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

    def _rules(self) -> dict[type, Callable[[Any, Any, Any], tuple[Matrix, Matrix]]]:
        """Return the function that compares two columns of each kind; one-ofs are compared with values of any kind."""
        return {str: self._leaves, list: self._lists, dict: self._objects, tuple: self._one_ofs}

    def _leaves(self, truths: Column, predictions: Column, schema: SchemaNode | None) -> tuple[Matrix, Matrix]:
        """Compare scalars and nulls: S is the similarity of the texts, 0 below the threshold; L is 1.

        With a schema, the comparator of the place gives S of scalars, and its weight multiplies S and L.
        """
        unit = unit_at(schema)
        if schema is None or schema.comparator is None:
            earned = self._texts(truths, predictions)
        else:
            earned = schema.comparator.table(truths, predictions, self.options)  # type: ignore[arg-type]
        weight = np.empty(earned.shape)
        weight.fill(unit)  # `np.full` takes six times as long for few values
        return earned if unit == 1 else unit * earned, weight

    def _texts(self, truths: Column, predictions: Column) -> Matrix:
        """Return the similarities of scalars and nulls as texts."""
        left, right = (fold_all(side, self.ignore_case, self.text) for side in (truths, predictions))  # type: ignore[arg-type]
        earned = similarity_matrix(left, right, self.threshold)
        if "" in left and "" in right:
            # null was compared as an empty text, but null equals only null and `""`, and no expected text equals it
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
        """Compare objects: the sums over the keys of the ground truths, null for absent keys; other keys add to L."""
        shape = len(truths), len(predictions)
        earned = np.zeros(shape)
        weight = np.zeros((len(truths), 1))  # one column while all values are texts
        had: Any = 0.0  # a matrix if there is a key that only some ground truths have
        lacked = np.zeros(len(predictions))  # what such keys add to L for the other ground truths
        for key in sorted(set().union(*truths, *predictions)):  # sorted as in `_object_pair`
            below = schema and schema.at_key(key)
            column = [truth.get(key) for truth in truths]
            here = range(len(truths)) if None not in column else [i for i, truth in enumerate(truths) if key in truth]
            values = [prediction.get(key) for prediction in predictions]
            if len(here) < len(truths):
                surplus = np.array(self.counting.surpluses(predictions, key, below), dtype=np.float64)
                lacked += surplus
                if not here:
                    continue
                column = [column[i] for i in here]
                had = had if isinstance(had, np.ndarray) else np.zeros(shape)
                had[here] += surplus  # summed in the order of `lacked`, so that fractional weights agree
            are_texts = schema is None and LEAF_TYPES.issuperset(map(type, chain(column, values)))
            points, counted = (self._texts(column, values), 1.0) if are_texts else self.pairwise(column, values, below)
            weight = weight if are_texts else weight + np.zeros(shape)
            if len(here) == len(truths):
                earned += points
                weight += counted
            else:
                earned[here] += points
                weight[here] += counted
        return earned, weight + (lacked - had)

    def _lists(
        self, truths: Sequence[list[Value]], predictions: Sequence[list[Value]], schema: SchemaNode | None
    ) -> tuple[Matrix, Matrix]:
        """Compare lists: the sums over the best matching of each pair; unmatched elements add their size to L."""
        if len(truths) * len(predictions) >= MANY:
            left, row_of = distinct(truths, [*map(self.identities.of, truths)])
            right, column_of = distinct(predictions, [*map(self.identities.of, predictions)])
            if 2 * len(left) * len(right) <= len(truths) * len(predictions):
                earned, weight = self._lists(left, right, schema)
                everywhere = np.ix_(row_of, column_of)
                return earned[everywhere], weight[everywhere]
        below = schema and schema.items
        elements, columns = _concatenated(predictions)
        sizes = self.counting.sizes(elements, below, of_truth=False)
        weight = np.zeros((len(truths), len(predictions)))
        earned = np.zeros(weight.shape)
        for start, stop in portions(truths, len(elements)):
            items, rows = _concatenated(truths[start:stop])
            lengths = self.counting.sizes(items, below, of_truth=True)
            points, counted = self.pairwise(items, elements, below)
            if self.tables is not None:
                self.tables.keep(truths[start:stop], predictions, (rows, columns), (points, counted), below)
            if schema is None or not (schema.keeps_order or schema.key):
                earned[start:stop], weight[start:stop] = match_blocks(points, counted, lengths, sizes, rows, columns)
                continue
            for (i, row), (j, column) in product(enumerate(rows), enumerate(columns)):
                block, of_block = (points[row, column], counted[row, column]), (lengths[row], sizes[column])
                matching = self._matching(truths[start + i], predictions[j], schema, block, of_block)
                earned[start + i, j], weight[start + i, j] = totals(matching, *block, *of_block)
        return earned, weight

    def _one_ofs(
        self, truths: Sequence[tuple[Value, ...]], predictions: Column, schema: SchemaNode | None
    ) -> tuple[Matrix, Matrix]:
        """Compare one-ofs with values: the option with the largest (S/L, S, -L) counts."""
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


_KINDS = dict.fromkeys(SCALAR_TYPES, str) | {kind: kind for kind in (_NULL, list, dict, tuple)}


def _key_of(row: Value, key: str) -> Scalar | None:
    """Return the scalar at the key of a row; None if there is none, or an empty text."""
    value = row.get(key) if type(row) is dict else None
    return value if type(value) in SCALAR_TYPES and value != "" else None  # type: ignore[return-value]


def _is_flat(value: Value) -> bool:
    """Return whether a value is a scalar or null, or a list or an object of scalars and nulls."""
    return LEAF_TYPES.issuperset(
        map(type, value.values() if type(value) is dict else value if type(value) is list else (value,))
    )


def _places_by_kind(column: Column) -> dict[type, list[int]]:
    """Return the indices of the values by kind; all scalars have the kind `str`.

    >>> _places_by_kind(["a", None, 1, None])
    {<class 'str'>: [0, 2], <class 'NoneType'>: [1, 3]}
    """
    kinds = [_KINDS[type(value)] for value in column]
    return {kind: [i for i, each in enumerate(kinds) if each is kind] for kind in dict.fromkeys(kinds)}


def _concatenated(containers: Sequence[Sequence[Value]]) -> tuple[list[Value], list[slice]]:
    """Return all elements one after the other, and the slice of each container."""
    elements: list[Value] = []
    slices = []
    for container in containers:
        slices.append(slice(len(elements), len(elements) + len(container)))
        elements.extend(container)
    return elements, slices


def portions(lists: Sequence[list[Value]], columns: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of lists whose elements make at most `MAX_CELLS` pairs with the columns, or of a single list."""
    start = cells = 0
    for stop, elements in enumerate(lists):
        cells += len(elements) * columns
        if cells > MAX_CELLS and stop > start:
            yield start, stop
            start, cells = stop, len(elements) * columns
    yield start, len(lists)

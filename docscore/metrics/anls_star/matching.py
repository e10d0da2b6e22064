"""Fast matching of lists: cached tables, values that occur several times, and rows of cells.

The canonical texts of values decide among matchings with the same score.

In a table whose rows are lists of cells, a pair of rows earns at most the sum of the best partners of its cells, on
either side. The characters that two cells share are an upper bound of their similarity that costs far less than a
comparison. These bounds rule out most pairs of rows; the cells of only the remaining pairs are matched. The few rows of
another kind, such as null or a row with a list in a cell, are compared with all rows.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.assignment import Content, score_ratios, undecided_pairs
from docscore.core.numbers import DecimalText
from docscore.core.options import CompareOptions
from docscore.core.runtime import check_memory, grouped
from docscore.core.similarity import TEXT_RULES, fold_all, similarity_matrix
from docscore.core.values import LEAF_TYPES, ONE_OF, Matrix, Value, containers_in, step_text, values_by_path
from docscore.metrics.anls_star.sizes import SchemaNode

SHORTEST_CUT = 20  # the fewest rows of a list that may count as cut off
_FEWEST_CUT, _ONE_IN = 3, 20  # at least 3 rows, and at least 1 in 20 of all rows, are cut off
_LEAST_PAIRED = 9, 10  # at least 9 in 10 of the other rows are paired

_MOST_CELLS = 1 << 22  # the most pairs of elements that are kept (64 MB); other pairs are computed again


class Tables:
    """The tables of pairs of lists by the identity of the lists, which must live as long as this object."""

    def __init__(self) -> None:
        self._cells = 0
        self._by_truth: dict[tuple[int, int], list[tuple[slice, dict[int, slice], tuple[Matrix, Matrix]]]] = {}

    def keep(
        self,
        truths: Sequence[list[Value]],
        predictions: Sequence[list[Value]],
        blocks: tuple[Sequence[slice], Sequence[slice]],
        table: tuple[Matrix, Matrix],
        place: SchemaNode | None,
    ) -> None:
        """Keep S and L of all elements of lists at a place; `blocks` has the rows and columns of each list."""
        self._cells += table[0].size
        if self._cells <= _MOST_CELLS:
            columns = dict(zip(map(id, predictions), blocks[1], strict=True))
            for truth, row in zip(truths, blocks[0], strict=True):
                self._by_truth.setdefault((id(truth), id(place)), []).append((row, columns, table))

    def of(self, truth: list[Value], prediction: list[Value], place: SchemaNode | None) -> tuple[Matrix, Matrix] | None:
        """Return S and L of all pairs of elements of two lists at a place, or None if they were not kept."""
        for row, columns, (earned, weight) in self._by_truth.get((id(truth), id(place)), ()):
            if id(prediction) in columns:
                block = row, columns[id(prediction)]
                return earned[block], weight[block]
        return None


class ListRows(NamedTuple):
    """Counts of the rows of one list of one document, or of several lists; rows may be objects, scalars or lists.

    Attributes:
        expected: how many rows the ground truth has.
        predicted: how many the prediction has.
        paired: how many expected rows have a partner that earns at least half of their points or has the same key.
        right: how many expected rows lose no points.
        cut_off: how many lists were cut off, as `list_rows` defines it.
        cut_rows: how many rows at the ends of these lists are not paired.
        cut_points: the points that these rows lose; a number of units if lists of several documents are summed.
        lists: the number of lists.
    """

    expected: int
    predicted: int
    paired: int = 0
    right: int = 0
    cut_off: int = 0
    cut_rows: int = 0
    cut_points: float = 0.0
    lists: int = 1

    @property
    def cut_after(self) -> int:
        """The number of rows after which a single list was cut off; 0 if it was not."""
        return self.expected - self.cut_rows if self.cut_off else 0


def has_long_list(values: Iterable[Value]) -> bool:
    """Return whether values contain a list that is long enough to count as cut off."""
    return any(type(part) is list and len(part) >= SHORTEST_CUT for part in containers_in(values))


def list_rows(
    expected: int,
    prediction: Sequence[Value],
    partner: Mapping[int, int],
    points: Sequence[tuple[float, float]],
    has_same_key: Callable[[int, int], object],
    identities: "Identities",
) -> ListRows:
    """Count the rows of a list, and decide whether it was cut off.

    A list of at least 20 expected rows was cut off if its last rows are not paired, at least nine tenths of the others
    are, and enough last rows are missing: at least three, and at least a twentieth of the list. An invented row may be
    an attempt at a missing row. So each distinct predicted row that is neither blank nor paired reduces the number of
    missing rows by one; blank and repeated rows do not. If several predicted rows are equal, only those that earn most
    pair a row here; the others are repetitions.

    Args:
        expected: the number of rows of the ground truth.
        prediction: the predicted rows.
        partner: the predicted row for each expected row that has a partner.
        points: S and L of each expected row, in order; other points may follow.
        has_same_key: returns whether an expected row and its partner have the same key.
        identities: numbers the predicted rows, with equal numbers for equal rows.
    """
    paired = {i: j for i, j in partner.items() if 2 * points[i][0] >= points[i][1] or has_same_key(i, j)}
    right = sum(points[i][0] == points[i][1] for i in partner)
    whole = ListRows(expected, len(prediction), len(paired), right)
    last = range(expected - _FEWEST_CUT, expected)
    if expected < SHORTEST_CUT or any(i in paired and points[i][0] == points[i][1] for i in last):
        return whole
    shares = {i: points[i][0] / points[i][1] if points[i][1] else 1.0 for i in paired}
    best: dict[int, float] = {}
    for i, j in paired.items():
        row = identities.of(prediction[j])
        best[row] = max(shares[i], best.get(row, 0.0))
    paired = {i: j for i, j in paired.items() if shares[i] == best[identities.of(prediction[j])]}
    cut = points[max(paired, default=-1) + 1 : expected]
    fewest = max(_FEWEST_CUT, expected / _ONE_IN)
    others = expected - len(cut)
    if len(cut) < fewest or not paired or _LEAST_PAIRED[1] * len(paired) < _LEAST_PAIRED[0] * others:
        return whole
    distinct = {identities.of(row) for row in prediction if not _is_blank(row)}
    distinct -= {identities.of(prediction[j]) for j in paired.values()}
    if len(cut) - len(distinct) < fewest:
        return whole
    lost = fsum(weight - earned for earned, weight in cut)
    return whole._replace(cut_off=1, cut_rows=len(cut), cut_points=lost)


def _is_blank(row: Value) -> bool:
    """Return whether a row contains only nulls and white space."""
    parts = (part for _, part in values_by_path(row) if not isinstance(part, dict | list | None))
    return all(isinstance(part, str) and not part.strip() for part in parts)


# The lists at one place: their path without indices (`$.items[].tags`), the length of the longest list in the ground
# truth, the total length of all lists in the prediction, and the number of pairs of elements to compare.
ListTable = tuple[str, int, int, int]


def list_tables(truth: Value, prediction: Value) -> Iterator[ListTable]:
    """Yield the tables that the scorer makes for a pair, outer ones first; a list of lists counts all its elements."""
    waiting: list[tuple[list[Value], list[Value], str]] = [([truth], [prediction], "$")]
    while waiting:
        truths, predictions, place = waiting.pop(0)
        while tuple in map(type, truths):
            truths = list(chain.from_iterable(each if isinstance(each, tuple) else [each] for each in truths))
        lists, others = ([each for each in side if isinstance(each, list)] for side in (truths, predictions))
        if any(lists) and any(others):
            items, elements = list(chain.from_iterable(lists)), list(chain.from_iterable(others))
            yield place, max(map(len, lists)), len(elements), len(items) * len(elements)
            waiting.append((items, elements, place + "[]"))
        known, given = _by_key(truths), _by_key(predictions)
        waiting += [(known[key], given[key], place + step_text(key)) for key in known if key in given]


def _by_key(column: Sequence[Value]) -> dict[str, list[Value]]:
    """Return the containers and one-ofs at each key of the objects of a column."""
    items = chain.from_iterable(each.items() for each in column if isinstance(each, dict))
    return grouped((key, value) for key, value in items if isinstance(value, list | dict | tuple))


class Identities:
    """A numbering of values: values of equal type and content have the same number, regardless of the order of keys.

    Floats that print differently, such as 0.0 and -0.0, have different numbers. The numbers of containers are stored by
    identity, so that deep nesting costs no more than its size; the values must live as long as the object.
    """

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._numbers: dict[Hashable, int] = {}

    def of(self, value: Value) -> int:
        """Return the number of a value."""
        if isinstance(value, dict | list | tuple):
            if id(value) not in self._known:
                self._known[id(value)] = self._container(value)
            return self._known[id(value)]
        spelled = repr(value) if isinstance(value, float) else value
        return self._numbers.setdefault((type(value), spelled), len(self._numbers))

    def _container(self, value: dict[str, Value] | list[Value] | tuple[Value, ...]) -> int:
        items = value.values() if isinstance(value, dict) else value
        parts = [*map(self.of, items)]
        content: Hashable = frozenset(zip(value, parts, strict=True)) if isinstance(value, dict) else tuple(parts)
        return self._numbers.setdefault((type(value), content), len(self._numbers))


_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True)

_ENCODED = LEAF_TYPES - {DecimalText}  # leaves that the encoder writes unchanged


class CanonicalTexts:
    """The canonical texts of values, which do not depend on the order of lists, alternatives and keys.

    The canonical text is the JSON text with sorted keys, in which the elements of each list, unless a schema keeps
    their order, and the options of each one-of are sorted by their own canonical texts. The texts of containers are
    kept by identity: the values must live as long as the object.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], str] = {}

    def of(self, value: Value, schema: SchemaNode | None, step: str | int | None = None) -> str:  # noqa: ARG002  as `TextOfPart`
        """Return the canonical text of a value at a place."""
        if type(value) in LEAF_TYPES:
            return _canonical(value, None, self.of)
        name = id(value), id(schema)
        if name not in self._known:
            if type(value) is dict and _ENCODED.issuperset(map(type, value.values())):
                self._known[name] = _ENCODER.encode(value)
            else:
                self._known[name] = _canonical(value, schema, self.of)
        return self._known[name]


_TextOfPart = Callable[[Value, SchemaNode | None, str | int | None], str]  # a key, an index, or None for an option


def _canonical(value: Value, schema: SchemaNode | None, of_part: _TextOfPart) -> str:
    if isinstance(value, dict):
        parts = [f"{_ENCODER.encode(k)}: {of_part(value[k], schema and schema.at_key(k), k)}" for k in sorted(value)]
        return f"{{{', '.join(parts)}}}"
    if isinstance(value, tuple):
        return f'{{"{ONE_OF}": [{", ".join(sorted([of_part(option, schema, None) for option in value]))}]}}'
    if isinstance(value, list):
        parts = [of_part(item, schema and schema.items, i) for i, item in enumerate(value)]
        return f"[{', '.join(parts if schema is not None and schema.keeps_order else sorted(parts))}]"
    return str(value) if isinstance(value, DecimalText) else _ENCODER.encode(value)


def marked_text(value: Value, schema: SchemaNode | None, path: str, mark: Callable[[str], str]) -> str:
    """Return the canonical text of a value in which each part is followed by its mark.

    Args:
        value: the value.
        schema: its place in a schema.
        path: its path.
        mark: returns the mark of a part by its path; "" for none.
    """

    def of_part(part: Value, place: SchemaNode | None, step: str | int | None) -> str:
        return marked_text(part, place, path if step is None else path + step_text(step), mark)

    return _canonical(value, schema, of_part) + mark(path)


def equal_pairs(
    namings: Iterable[Sequence[Hashable]], count: int, contents: tuple[Content, Content] | None = None
) -> list[tuple[int, int]]:
    """Pair as many elements with equal names as possible: by the first names, then the others by the next names.

    Args:
        namings: names of the elements of the ground truth, then of the prediction; None for an element without a name.
        count: the number of elements of the ground truth.
        contents: the sort keys by which elements with the same name are paired, for each side; None if it does not
            matter which are paired.
    """
    pairs: list[tuple[int, int]] = []
    paired: set[int] = set()
    for names in namings:
        of_name: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for i, name in enumerate(names):
            if i not in paired and name is not None:
                of_name[name][i >= count].append(i if i < count else i - count)
        for sides in of_name.values():
            if contents is not None and len(sides[0]) + len(sides[1]) > 2:  # noqa: PLR2004  otherwise they are one pair
                for side, content in zip(sides, contents, strict=True):
                    side.sort(key=content)
            pairs += zip(*sides, strict=False)
            paired.update(*[(i, j + count) for i, j in zip(*sides, strict=False)])
    return pairs


LEAST_PAIRS = 1 << 11  # the fewest pairs of cells for which bounds save time


CELLS = 1 << 18  # pairs of cells in memory at a time


_MANY_KNOWN = 3  # if more than one in this many pairs is needed, it is faster to match all


_MOST_FILLED = 4  # the largest factor by which padding all rows to the widest may increase the number of cells


_FEATURES = 32  # features that distinguish characters; characters with the same feature make the bound larger


_REPEATED = 13  # a repeated character counts as a different one, this many features further


_CODE = 21  # bits of a Unicode character


_ROUNDING = 1e-5  # larger than rounding errors of single precision


DistinctRows = tuple[list[Any], npt.NDArray[np.intp]]  # the distinct rows, and the index of each row among them
_CompareRows = Callable[[Sequence[Value], Sequence[Value]], tuple[Matrix, Matrix]]  # returns S and L of all pairs


class CellRows:
    """The rows of one side, padded to the same width.

    Attributes:
        lengths: the number of cells of each row, shape (n,).
        width: the largest of them.
        texts: the texts of all cells, row by row or column by column; added cells are empty.
        filled: a mask of the added cells.
    """

    def __init__(self, rows: Sequence[list[Any]], options: CompareOptions, *, by_column: bool) -> None:
        self.lengths = np.array([*map(len, rows)])
        self.width = int(self.lengths.max())
        columns = list(zip_longest(*rows))
        ordered = chain.from_iterable(columns if by_column else zip(*columns, strict=True))
        self.texts = fold_all(list(ordered), options.ignore_case, TEXT_RULES[options.numbers])
        short = np.arange(self.width) >= self.lengths[:, None]
        self.filled = (short.T if by_column else short).ravel()


def is_cell_row(row: Value) -> bool:
    """Return whether a row is a non-empty list of scalars and nulls."""
    return type(row) is list and bool(row) and LEAF_TYPES.issuperset(map(type, row))


def are_mostly_cell_rows(truths: Sequence[Value], predictions: Sequence[Value]) -> bool:
    """Return whether most rows of both sides are lists of scalars and nulls, of similar lengths, and many."""
    if list not in {*map(type, truths)} or list not in {*map(type, predictions)}:
        return False
    lengths = [[len(row) for row in side if is_cell_row(row)] for side in (truths, predictions)]  # type: ignore[arg-type]
    if sum(lengths[0]) * sum(lengths[1]) < LEAST_PAIRS:
        return False
    every, of_cells = len(truths) * len(predictions), len(lengths[0]) * len(lengths[1])
    alike = all(max(each) * len(each) <= _MOST_FILLED * sum(each) for each in lengths)
    return alike and every - of_cells <= every // _MANY_KNOWN


def rows_table(
    truths: DistinctRows,
    predictions: DistinctRows,
    options: CompareOptions,
    exact: _CompareRows,
) -> tuple[Matrix, Matrix] | None:
    """Return S and L of all pairs of rows, exact only if the best matching depends on it; None if too many are.

    Args:
        truths: the n rows of the ground truth, most of them lists of cells, as `distinct` returns them.
        predictions: the m rows of the prediction.
        options: how the texts of cells are compared.
        exact: returns S and L of every pair of rows.

    Returns:
        S, shape (n, m), and L. For pairs that are in no best matching, S may be too large.
    """
    (left, row_of), (right, column_of) = truths, predictions
    rows, columns = ([i for i, row in enumerate(side) if is_cell_row(row)] for side in (left, right))
    sides = (
        CellRows([left[i] for i in rows], options, by_column=False),
        CellRows([right[j] for j in columns], options, by_column=True),
    )
    of_cells, everywhere = np.ix_(rows, columns), np.ix_(row_of, column_of)
    earned, weight, known = _other_rows(left, right, of_cells, exact)
    weight[of_cells] = np.maximum.outer(sides[0].lengths, sides[1].lengths)
    asked = np.zeros(known.shape, dtype=bool)
    most = len(row_of) + len(column_of), len(row_of) * len(column_of) // _MANY_KNOWN
    for limit, bound in zip(most, bounds(*sides, options.threshold), strict=True):
        earned[of_cells] = np.where(asked[of_cells], earned[of_cells], bound)
        while True:
            ratios = score_ratios(earned, weight)
            unknown = undecided_pairs(ratios[everywhere], (known | asked)[everywhere], asked[everywhere])
            if not unknown.any():
                return earned[everywhere], weight[everywhere]
            places = np.nonzero(unknown)
            wanted = np.zeros(weight.shape, dtype=bool)
            wanted[row_of[places[0]], column_of[places[1]]] = True
            if np.count_nonzero(asked | wanted) > limit:
                break
            asked |= wanted
            for i in np.flatnonzero(wanted.any(axis=1)).tolist():
                partners = np.flatnonzero(wanted[i])
                earned[i, partners] = exact([left[i]], [right[j] for j in partners.tolist()])[0]
    return None


def _other_rows(
    left: Sequence[Value], right: Sequence[Value], of_cells: tuple[Any, ...], exact: _CompareRows
) -> tuple[Matrix, Matrix, npt.NDArray[np.bool_]]:
    """Return S and L of the pairs with a row that is not a list of cells, 0 for others, and a mask of these pairs."""
    known = np.ones((len(left), len(right)), dtype=bool)
    known[of_cells] = False
    earned, weight = np.zeros(known.shape), np.zeros(known.shape)
    rest = np.flatnonzero(known.all(axis=1)), np.flatnonzero(known.all(axis=0))
    for rows, columns in ((rest[0], np.arange(len(right))), (of_cells[0].ravel(), rest[1])):
        if len(rows) and len(columns):
            block = np.ix_(rows, columns)
            earned[block], weight[block] = exact([left[i] for i in rows.tolist()], [right[j] for j in columns.tolist()])
    return earned, weight, known


def bounds(truths: CellRows, predictions: CellRows, threshold: float) -> Iterator[Matrix]:
    """Yield upper bounds of S of every pair of rows, shape (n, m): first a cheap one, then a closer one."""
    shares = [_shares(side.texts) for side in (truths, predictions)]
    sizes = [max(1, len(text)) for text in truths.texts]
    common, others = shares[0] / np.array(sizes, dtype=np.float32)[:, None], shares[1].T.copy()

    def shared(cells: slice) -> Matrix:
        """Return upper bounds of the similarities of expected cells with all others, from shared characters."""
        found: Matrix = common[cells] @ others
        found *= found >= threshold - _ROUNDING
        np.minimum(found, 1, out=found)
        return found

    yield _of_rows(truths, predictions, shared)
    yield _of_rows(
        truths, predictions, lambda cells: similarity_matrix(truths.texts[cells], predictions.texts, threshold)
    )


def _of_rows(truths: CellRows, predictions: CellRows, of_cells: Callable[[slice], Matrix]) -> Matrix:
    """Return the bound of every pair of rows: the sum of the best partners of all cells, on the side with less."""
    rows, columns = len(truths.lengths), len(predictions.lengths)
    bound = np.empty((rows, columns))
    check_memory(truths.width, len(predictions.texts))
    step = max(1, CELLS // (len(predictions.texts) * truths.width))  # rows
    for top in range(0, rows, step):
        part = slice(top * truths.width, (top + step) * truths.width)
        cells = of_cells(part)
        cells[truths.filled[part]] = 0
        cells[:, predictions.filled] = 0
        cells = cells.reshape(-1, truths.width, predictions.width, columns)
        bound[top : top + step] = np.minimum(cells.max(axis=2).sum(axis=1), cells.max(axis=1).sum(axis=1))
    return bound + _ROUNDING * truths.width


def _shares(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return how often each text has each feature; the product of two rows is at least the number of shared characters.

    The similarity of two texts is at most that number over the length of either.
    """
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(joined, dtype=np.uint32).astype(np.int64)
    owners = np.repeat(np.arange(len(texts)), [*map(len, texts)])
    ordered = np.sort(owners << _CODE | codes)  # the characters of each text; equal characters are adjacent
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    before = np.arange(len(ordered)) - np.repeat(first, np.diff(first, append=len(ordered)))
    feature = (ordered + before * _REPEATED) % _FEATURES
    shares = np.bincount((ordered >> _CODE) * _FEATURES + feature, minlength=len(texts) * _FEATURES)
    found: npt.NDArray[np.float32] = shares.reshape(-1, _FEATURES).astype(np.float32)
    found[[not text for text in texts]] = 1.0  # empty texts equal each other
    return found

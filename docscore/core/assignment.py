"""The lexicographic matching of two lists, and the lexicographic choice among options.

Rule 4 of the metric: maximise the sum of S/L over the pairs, then the sum of S, then -L of the whole list pair
(here: minus the sum of w = L - size(g) - size(p) over the pairs). The optimal (S, L) is unique even if the matching
is not, so a score does not depend on the order of a list. Sums that differ by less than `TIE` count as equal, because
the same sum added in another order differs in its last bits. Sums of scores have the same bits in any order and for
each of several equally good matchings.

Code that explains a score passes `Ties`, so that the matching itself depends only on the content of the elements.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from itertools import chain, product
from math import fsum, isqrt, lcm, ulp
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.numbers import ROUNDING, TIE
from docscore.core.runtime import in_new_thread
from docscore.core.values import Matrix

Indices = npt.NDArray[np.intp]
Matching = tuple[Indices, Indices, bool]
Total = tuple[float, float]
ElementSizes = Sequence[float]
Slices = Sequence[slice]


_AT_A_TIME = 8  # pairs of a row whose S/L is computed at a time; each S/L can make others unnecessary


BLOCK = 1 << 20  # pairs of long lists that are compared at a time


SHARE = 16  # up to one in 16 pairs of long lists may be compared or tight without much memory


Mask = npt.NDArray[np.bool_]
Criteria = Callable[[Indices, Indices], Iterable[npt.ArrayLike]]  # of k pairs, given by rows and columns, shape (k,)
Content = Callable[[int], Any]  # returns the content of an element, given its index, as a sort key


def no_criteria(rows: Indices, columns: Indices) -> Iterable[npt.ArrayLike]:  # noqa: ARG001  as `Criteria`
    """Return no further criteria."""
    return ()


@dataclass(frozen=True)
class Ties:
    """The rules that decide among matchings with the same sums of S/L, S and -L.

    Attributes:
        row_content: returns the content of a row. The first of equally good matchings by content wins: one row
            after the other, in the order of their contents, takes the first column that leaves a column for each
            other row. If there are more rows than columns, the columns take rows.
        column_content: returns the content of a column. The first of several elements with equal content wins.
        criteria: returns numbers for the pairs that are still undecided. Their sums are maximised one after the
            other before the contents decide.
    """

    row_content: Content
    column_content: Content
    criteria: Criteria = no_criteria

    def flipped(self) -> "Ties":
        """Return the same rules with rows and columns exchanged."""
        return Ties(self.column_content, self.row_content, lambda rows, columns: self.criteria(columns, rows))

    def matrices(self, allowed: Mask) -> Iterator[Matrix]:
        """Yield the criteria as matrices, for a mask of the pairs that are still undecided."""
        pairs = np.nonzero(allowed)
        for numbers in self.criteria(*pairs):
            criterion = np.zeros(allowed.shape)
            criterion[pairs] = numbers
            yield criterion

    def within(self, rows: Indices, columns: Indices) -> "Ties":
        """Return the same rules for some of the rows and columns, given by their positions."""
        return Ties(
            lambda row: self.row_content(int(rows[row])),
            lambda column: self.column_content(int(columns[column])),
            lambda here, there: self.criteria(rows[here], columns[there]),
        )


Part = tuple[Matrix, Matrix, ElementSizes, ElementSizes, Ties | None]  # the arguments of `match`


def score_ratios(earned: Matrix, weight: Matrix) -> Matrix:
    """Return S / L, and 1 where L is 0."""
    if weight.size and weight.item(weight.argmin()) > 0:
        return earned / weight
    return np.divide(earned, weight, out=np.ones(earned.shape), where=weight > 0)


def best_options(earned: Matrix, weight: Matrix) -> Indices:
    """Return for each column the option (row) with the lexicographically largest (S/L, S, -L).

    >>> best_options(np.array([[1.0], [2.0], [2.0]]), np.array([[2.0], [4.0], [4.0]]))
    array([1])
    """
    best = _largest((score_ratios(earned, weight), earned, np.negative(weight)))
    return np.asarray(np.where(best, earned, -np.inf).argmax(axis=0))


def _largest(criteria: Iterable[Matrix]) -> Mask:
    """Return a mask of the rows that have the lexicographically largest criteria of shape (n, m) in each column."""
    best: Mask = np.ones(1, dtype=bool)
    for criterion in criteria:
        candidates = np.where(best, criterion, -np.inf)
        best = candidates >= candidates.max(axis=0) - TIE
        if np.count_nonzero(best) == best.shape[1]:
            break
    return best


def is_better(sums: Total, best: Total) -> bool:
    """Return whether one (S, L) is lexicographically larger than another in (S/L, S, -L)."""
    score = sums[0] / sums[1] if sums[1] else 1.0
    top = best[0] / best[1] if best[1] else 1.0
    if abs(score - top) > TIE:
        return score > top
    return sums[0] > best[0] + TIE or (sums[0] >= best[0] - TIE and sums[1] < best[1])


def match(
    earned: Matrix,
    weight: Matrix,
    truth_sizes: ElementSizes,
    prediction_sizes: ElementSizes,
    ties: Ties | None = None,
) -> Matching:
    """Return the lexicographically best one-to-one matching of rows with columns.

    Args:
        earned: S of every pair, shape (n, m).
        weight: L of every pair, shape (n, m).
        truth_sizes: the sizes of the n ground truths.
        prediction_sizes: the sizes of the m predictions.
        ties: decides among matchings of the same score; None if any of them will do. It is called only for elements
            that tie.

    Returns:
        min(n, m) row indices, their column indices, and whether each row has one best column (or each column one best
        row, if there are more rows). In that case, no other matching has the same sums.
    """
    rows, columns = earned.shape
    if rows > columns:
        second, first, clear = match(*_flipped(earned, weight, truth_sizes, prediction_sizes, ties))
        return first, second, clear
    everyone = np.arange(rows)
    if rows == 0:
        return everyone, everyone, True
    score = score_ratios(earned, weight)
    best = score.argmax(axis=1)
    if _is_clear(score, best):
        return everyone, best, True
    constant = (rows == columns or len(set(prediction_sizes)) == 1) and _is_constant(weight)
    if constant and ties is None:  # then the sum of S decides all
        return everyone, _assignment(earned), False

    certain = _certain(score, best)
    open_rows = np.flatnonzero(~certain)
    open_columns = np.setdiff1d(np.arange(columns), best[certain], assume_unique=True)
    rest = np.ix_(open_rows, open_columns)
    criteria = [score[rest]]
    if not constant:
        criteria += [earned[rest], (np.add.outer(truth_sizes, prediction_sizes) - weight)[rest]]
    open_preferences = ties and ties.within(open_rows, open_columns)
    best[open_rows] = open_columns[lexicographic_assignment(criteria, open_preferences)[1]]
    return everyone, best, False


def match_by_key(
    same: Matrix,
    earned: Matrix,
    weight: Matrix,
    truth_sizes: ElementSizes,
    prediction_sizes: ElementSizes,
    ties: Ties | None = None,
) -> Matching:
    """Return the lexicographically best of the matchings with the most pairs of the same key.

    Args:
        same: 1 for pairs whose keys are the same, else 0, shape (n, m).
        earned: S of every pair, as for `match`.
        weight: L of every pair.
        truth_sizes: the sizes of the ground truths.
        prediction_sizes: the sizes of the predictions.
        ties: as for `match`.
    """
    if not same.size:
        return np.arange(0), np.arange(0), True
    surplus = np.add.outer(truth_sizes, prediction_sizes) - weight
    return *lexicographic_assignment([same, score_ratios(earned, weight), earned, surplus], ties), False


def _flipped(
    earned: Matrix, weight: Matrix, truth_sizes: ElementSizes, prediction_sizes: ElementSizes, ties: Ties | None
) -> Part:
    """Return the arguments of `match` with both sides exchanged."""
    return earned.T, weight.T, prediction_sizes, truth_sizes, ties and ties.flipped()


def match_parts(rows: Indices, columns: Indices, part: Callable[[Indices, Indices], Part]) -> Matching:
    """Return the best matching, as `match` does, but store only S/L of all pairs, in single precision.

    All matchings with the largest sum of S/L keep each row within its component of `_exchangeable`. For each component,
    `match` then finds the best matching by all criteria, from all of its pairs in double precision.

    Args:
        rows: the indices of the n ground truths.
        columns: the indices of the m predictions.
        part: returns the arguments of `match` for some rows and columns.
    """
    if len(rows) > len(columns):
        second, first, clear = match_parts(columns, rows, lambda here, there: _flipped(*part(there, here)))
        return first, second, clear
    if not len(rows):
        return rows, columns[:0], True
    score = np.empty((len(rows), len(columns)), dtype=np.float32)
    step = isqrt(min(BLOCK, score.size // SHARE)) + 1
    for top, left in product(range(0, len(rows), step), range(0, len(columns), step)):
        block = slice(top, top + step), slice(left, left + step)
        score[block] = score_ratios(*part(rows[block[0]], columns[block[1]])[:2])
    matched, labels, clear = _exchangeable(score)
    del score  # `match` may need the memory
    here, there = labels[: len(rows)], labels[len(rows) : -1]
    alone = np.bincount(labels)[here] == 2  # noqa: PLR2004  a row and its column
    found = [(rows[alone], columns[matched[alone]])]
    for label in np.unique(here[~alone]):
        left, right = rows[here == label], columns[there == label]
        first, second, _ = match(*part(left, right))
        found.append((left[first], right[second]))
    return *map(np.concatenate, zip(*found, strict=True)), clear  # type: ignore[return-value]


def _exchangeable(score: npt.NDArray[np.float32]) -> tuple[Indices, Indices, bool]:
    """Solve an assignment problem, and find which rows may exchange columns in a matching with the largest sum.

    By duality, such a matching takes only tight pairs and leaves only columns without a price. A row may take the
    column of a tight pair; then the row of that column needs another one, and so on, until one takes a column that was
    free or that the first row left. So the rows and columns that can be exchanged form a strongly connected component
    of these steps. Single precision changes the sums of two matchings by up to half of its precision per row. Within
    that tolerance, a pair counts as tight and a price counts as zero.

    Args:
        score: S/L of every pair, shape (n, m), where n <= m.

    Returns:
        The column of each row in an optimal matching; the number of the component of each row, then of each column and
        of the node for free columns, shape (n + m + 1,), all in one component if very many pairs are tight; and whether
        each row has one best column, different for all rows.
    """
    rows, columns = score.shape
    matched, gain, price = score.argmax(axis=1), score.max(axis=1).astype(np.float64), np.zeros(columns)
    if len(set(matched.tolist())) < rows:
        matched = _scipy("optimize").linear_sum_assignment(np.negative(score, dtype=np.float64))[1]
        gain, price = _prices(score, matched)
    precision = float(np.finfo(np.float32).eps)
    tolerance, step = rows * precision + TIE, max(1, BLOCK // columns)
    pairs, left = [], score.size // SHARE + rows
    for start in range(0, rows, step):
        some = slice(start, start + step)
        here, there = np.divmod(np.flatnonzero(score[some] - price >= gain[some, None] - tolerance), columns)
        pairs.append((here + start, there))
        left -= len(here)
        if left < 0:
            return matched, np.zeros(rows + columns + 1, dtype=np.intp), False
    here, there = np.hstack(pairs)
    clear = np.count_nonzero(score[here, there] >= gain[here] - precision) == rows and not price.any()
    last, free = rows + columns, np.setdiff1d(np.arange(columns), matched)
    leaving = np.flatnonzero(price[matched] <= tolerance)
    sources = np.concatenate([here, matched + rows, free + rows, np.full(len(leaving), last)])
    targets = np.concatenate([there + rows, np.arange(rows), np.full(len(free), last), leaving])
    graph = _scipy("sparse").coo_array((np.ones(len(sources)), (sources, targets)), shape=(last + 1, last + 1))
    labels = _scipy("sparse.csgraph").connected_components(graph, connection="strong")[1]
    return matched, labels, clear


def align(
    earned: Matrix,
    weight: Matrix,
    truth_sizes: ElementSizes,
    prediction_sizes: ElementSizes,
    ties: Ties | None = None,
) -> Matching:
    """Return the alignment of rows with columns, both in their order, with the largest (sum of S/L, sum of S, -L).

    This is dynamic programming along the diagonals of the table, since no cell depends on another of its diagonal.

    Args:
        earned: S of every pair, shape (n, m).
        weight: L of every pair, shape (n, m).
        truth_sizes: the sizes of the n ground truths.
        prediction_sizes: the sizes of the m predictions.
        ties: its criteria decide among alignments with the same sums; position decides the remaining ties.

    Returns:
        Increasing row indices, their column indices, and whether there are no pairs. If there are pairs, another
        alignment may have the same sums.
    """
    surplus = np.add.outer(truth_sizes, prediction_sizes) - weight
    rows, columns = earned.shape
    more_gains = ties.matrices(np.ones(earned.shape, dtype=bool)) if ties else ()
    gains = np.stack([score_ratios(earned, weight), earned, surplus, *more_gains])
    total = np.zeros((len(gains), rows + 1, columns + 1))
    step = np.zeros((rows + 1, columns + 1), dtype=np.int8)  # 0 a pair, 1 a row alone, 2 a column alone
    for diagonal in range(2, rows + columns + 1):
        i = np.arange(max(1, diagonal - columns), min(rows, diagonal - 1) + 1)
        j = diagonal - i
        best = total[:, i - 1, j - 1] + gains[:, i - 1, j - 1]
        for number, other in ((1, total[:, i - 1, j]), (2, total[:, i, j - 1])):
            more = other - best
            better, tied = np.zeros(len(i), dtype=bool), np.ones(len(i), dtype=bool)
            for gain in more:
                better |= tied & (gain > TIE)
                tied &= np.abs(gain) <= TIE
            best = np.where(better, other, best)
            step[i[better], j[better]] = number
        total[:, i, j] = best
    pairs = []
    row, column = rows, columns
    while row and column:
        taken = step[row, column]
        if taken == 0:
            pairs.append((row - 1, column - 1))
        row, column = row - (taken != 2), column - (taken != 1)  # noqa: PLR2004  as above
    matched = np.array(pairs[::-1], dtype=np.intp).reshape(-1, 2)
    return matched[:, 0], matched[:, 1], not pairs


def _is_constant(matrix: Matrix) -> bool:
    """Return whether all numbers of a matrix are equal; for few numbers, `min` and `max` take twice the time."""
    return bool(matrix.item(matrix.argmin()) == matrix.item(matrix.argmax()))


def _is_clear(score: Matrix, best: Indices) -> bool:
    """Return whether every row has one clearly best column, different for all rows."""
    if len(set(best.tolist())) < len(best):
        return False
    top = score[np.arange(len(best)), best]
    return int(np.count_nonzero(score >= top[:, None] - TIE)) == len(best)


def _certain(score: Matrix, best: Indices) -> Mask:
    """Return for each row whether it has its best column in every matching with the largest sum.

    The row has it if S/L of the pair exceeds the sum of the best other pair of the row and the best other pair of the
    column: a matching without the pair could exchange those two for it.
    """
    rows = np.arange(len(score))
    others = score.copy()
    others[rows, best] = 0.0
    of_column = score[:, best]
    of_column[rows, rows] = 0.0
    return score[rows, best] > others.max(axis=1) + of_column.max(axis=0) + TIE  # type: ignore[no-any-return]


def undecided_pairs(score: Matrix, known: Mask, asked: Mask) -> Mask:
    """Return a mask of the pairs whose S/L must be computed before the lists can be matched.

    For other pairs, an upper bound of S/L is enough. The function first selects the best pair of each row (or column,
    on the shorter side), then all pairs that may be as good. If rows compete, it also selects all pairs of the
    matchings with the largest sum. None of these matchings has a remaining pair, whatever its S/L is.

    Args:
        score: S/L of every pair, or its upper bound, shape (n, m).
        known: the pairs whose S/L is known.
        asked: the known pairs that this function selected earlier.
    """
    if len(score) > score.shape[1]:
        return undecided_pairs(score.T, known.T, asked.T).T  # type: ignore[no-any-return]
    best = score.argmax(axis=1)
    least = np.where(known, score, -1.0).max(axis=1)
    least = np.where(asked.any(axis=1), least, score[np.arange(len(score)), best])
    unknown: Mask = (score >= least[:, None] - TIE) & ~known
    if unknown.any():
        some = min(_AT_A_TIME, score.shape[1])
        unknown &= score >= np.partition(np.where(unknown, score, -1.0), -some, axis=1)[:, -some, None]
        return unknown
    if _is_clear(score, best):
        return unknown
    tight: Mask = _slack(score, _assignment(score))[0] <= TIE
    return tight & ~known


def totals(
    matching: Matching,
    earned: Matrix,
    weight: Matrix,
    truth_sizes: ElementSizes,
    prediction_sizes: ElementSizes,
) -> Total:
    """Return S and L of two lists by a matching: the sums over its pairs, and in L the sizes of unmatched elements."""
    rows, columns, clear = matching
    pairs = rows, columns
    points, add = earned[pairs].tolist(), fsum if clear else sum_of_ties
    counted = weight[pairs].tolist()
    for sizes, matched in ((truth_sizes, rows), (prediction_sizes, columns)):
        if len(matched) < len(sizes):
            rest = set(range(len(sizes))).difference(matched.tolist())
            counted += [sizes[i] for i in rest]
    return add(points), add(counted)


def match_blocks(
    earned: Matrix,
    weight: Matrix,
    truth_sizes: ElementSizes,
    prediction_sizes: ElementSizes,
    rows: Slices,
    columns: Slices,
) -> tuple[Matrix, Matrix]:
    """Return S and L of the two lists of each block by its best matching, each of shape (len(rows), len(columns)).

    Shortcut: compute all blocks at once in which no assignment can change the sums. In such a block, all pairs are
    equal, or each row (or column) has one clearly best partner, and L is an integer.
    """
    sums = np.zeros((2, len(rows), len(columns)))
    sums[1] = np.add.outer([fsum(truth_sizes[row]) for row in rows], [fsum(prediction_sizes[row]) for row in columns])
    filled = [i for i, row in enumerate(rows) if row.stop > row.start]
    full = [j for j, column in enumerate(columns) if column.stop > column.start]
    if not filled or not full:
        return sums[0], sums[1]
    plain = len({*truth_sizes}) == len({*prediction_sizes}) == 1 and _is_constant(weight)
    pairs = np.s_[:1] if plain else np.s_[:]  # w is one number if L and the sizes are the same for all pairs
    surplus = weight[pairs, pairs] - np.add.outer(truth_sizes[pairs], prediction_sizes[pairs])
    whole = not (surplus % 1).any()
    settled, found = _settled_blocks(earned, weight, surplus, [rows[i] for i in filled], [columns[j] for j in full])
    settled &= whole
    sums[np.ix_((0, 1), filled, full)] += np.where(settled, found, 0.0)
    for i, j in zip(*(~settled).nonzero(), strict=True):
        row, column = rows[filled[i]], columns[full[j]]
        points, counted = earned[row, column], weight[row, column]
        if plain and whole:  # only the sum of S decides: every matching has the same L
            sums[0, filled[i], full[j]] = sum_of_ties(
                points[_scipy("optimize").linear_sum_assignment(points, maximize=True)].tolist()
            )
            sums[1, filled[i], full[j]] += surplus[0, 0] * min(points.shape)
            continue
        lengths = truth_sizes[row], prediction_sizes[column]
        sums[:, filled[i], full[j]] = totals(match(points, counted, *lengths), points, counted, *lengths)
    return sums[0], sums[1]


def _settled_blocks(
    earned: Matrix, weight: Matrix, surplus: Matrix, rows: Slices, columns: Slices
) -> tuple[Mask, Matrix]:
    """Return a mask of the blocks that need no assignment, and the sums of S and w over their matchings."""
    tops, lefts = ([part.start for part in parts] for parts in (rows, columns))
    heights, widths = (np.array([part.stop - part.start for part in parts]) for parts in (rows, columns))

    def of_blocks(ufunc: np.ufunc, values: Matrix) -> Matrix:
        return ufunc.reduceat(ufunc.reduceat(values, lefts, axis=1), tops, axis=0)

    plain = surplus.size == 1 < earned.size
    score = score_ratios(earned, weight)
    points, least = of_blocks(np.minimum, earned), surplus if plain else of_blocks(np.minimum, surplus)
    settled = points == np.rint(points)  # integers are added without rounding
    settled &= of_blocks(np.maximum, earned) <= points
    if not plain:
        settled &= of_blocks(np.maximum, surplus) <= least
        settled &= of_blocks(np.maximum, score) <= of_blocks(np.minimum, score)
    count = np.minimum.outer(heights, widths)
    sums = np.stack([points * count, least * count])
    for flipped in (False, True):
        fits = (heights[:, None] > widths) if flipped else (heights[:, None] <= widths)
        if not fits.any():
            continue
        if flipped:
            clear, best = (found.T for found in _clear_blocks(score.T, lefts, tops, heights))
        else:
            clear, best = _clear_blocks(score, tops, lefts, widths)
        chosen = fits & clear & ~settled
        high, rest = halves(earned * best)
        sums[0][chosen] = (of_blocks(np.add, high) + of_blocks(np.add, rest))[chosen]
        if not plain:
            sums[1][chosen] = of_blocks(np.add, surplus * best)[chosen]  # integers
        settled |= chosen
    return settled, sums


def _clear_blocks(score: Matrix, tops: list[int], lefts: list[int], widths: Indices) -> tuple[Mask, Mask]:
    """Return masks of the blocks in which every row has its own single best column, and of the best pairs."""
    best = score >= np.repeat(np.maximum.reduceat(score, lefts, axis=1), widths, axis=1) - TIE
    in_row = np.add.reduceat(best, lefts, axis=1, dtype=np.intp)
    in_column = np.add.reduceat(best, tops, axis=0, dtype=np.intp)
    once = np.maximum.reduceat(in_row, tops, axis=0) <= 1
    return once & (np.maximum.reduceat(in_column, lefts, axis=1) <= 1), best


def lexicographic_assignment(criteria: Iterable[Matrix], ties: Ties | None = None) -> tuple[Indices, Indices]:
    """Return a matching of rows with columns that maximises the sums of the criteria one after the other.

    Each criterion is an assignment problem over the pairs that the previous criteria still allow. By linear programming
    duality, these are the pairs on which prices (dual variables) are tight. If columns stay unmatched, a column with a
    positive price is in every optimal matching. If there are more rows than columns, the matrices are transposed.

    Args:
        criteria: matrices of shape (n, m); the function takes only as many as it needs to decide.
        ties: decides if the criteria do not; None if any of the best matchings will do.

    Returns:
        min(n, m) row indices and their column indices.
    """
    left = iter(criteria)
    first = next(left)
    if len(first) > first.shape[1]:
        turned = (criterion.T for criterion in chain([first], left))
        return lexicographic_assignment(turned, ties and ties.flipped())[::-1]
    rows, columns = first.shape
    everyone = np.arange(rows)
    allowed = np.ones((rows, columns), dtype=bool)

    if rows == 1:
        best = _largest(criterion.T for criterion in chain([first], left))
        if ties is None or np.count_nonzero(best) == 1:
            return everyone, best.argmax(axis=0)
        first = best.T.astype(np.float64)
    matched = first.argmax(axis=1)
    if _is_clear(first, matched):
        return everyone, matched
    needed = np.zeros(columns, dtype=bool)
    more = ties.matrices(allowed) if ties else ()  # for the pairs that are allowed when the other criteria end
    for criterion in chain([first], left, more):
        value = _between_0_and_1(criterion, allowed)
        value[:, needed] += rows + 1  # more than all other columns together
        matched = _assignment(value)
        slack = _slack(value, matched)
        allowed &= slack[0] <= TIE
        needed = slack[1] > TIE if rows < columns else needed
        if np.count_nonzero(allowed) == rows:
            break
    else:
        if ties is not None:
            matched = _first_by_content(allowed, needed, matched, ties)
    return everyone, matched


def _first_by_content(allowed: Mask, needed: Mask, matched: Indices, ties: Ties) -> Indices:
    """Return the first of several equally good matchings by the content of rows and columns, as `Ties` defines it.

    Args:
        allowed: the pairs that a matching may take, shape (n, m), where n <= m.
        needed: the columns that it must cover, shape (m,).
        matched: the column of each row in one such matching.
        ties: the contents.
    """
    several = np.count_nonzero(allowed, axis=1) > 1
    candidates = allowed[several].any(axis=0)
    candidates[matched[~several]] = False
    rows = sorted(np.flatnonzero(several).tolist(), key=ties.row_content)
    columns = sorted(np.flatnonzero(candidates).tolist(), key=ties.column_content)
    position = {column: i for i, column in enumerate(columns)}
    found = [position[column] for column in matched[rows].tolist()]
    _take_first(allowed[np.ix_(rows, columns)], needed[columns].tolist(), found)
    matched = matched.copy()
    matched[rows] = np.array(columns)[found]
    return matched


def _take_first(allowed: Mask, needed: Sequence[bool], matched: list[int]) -> None:
    """Let one row after the other take the first column that leaves a column for each row after it.

    Args:
        allowed: the pairs that a matching may take, shape (n, m).
        needed: the columns that it must cover.
        matched: the column of each row in a matching; it is changed in place.
    """
    owner = {column: row for row, column in enumerate(matched)}
    by_column, is_free = allowed.T.copy(), np.ones(len(needed), dtype=bool)
    for row, left in enumerate(matched):
        wanted = allowed[row] & is_free
        after = _exchanges(row, int(wanted.argmax()), by_column, needed, matched, owner)
        path = [min(column for column in after if wanted[column])]
        while path[-1] != left:
            path.append(after[path[-1]])
        takers = [row, *[owner.pop(column, None) for column in path]]
        for column, taker in zip(path, takers, strict=False):  # the row itself comes last and already has its column
            if taker is not None:
                matched[taker], owner[column] = column, taker
        is_free[matched[row]] = False


def _exchanges(
    row: int, first: int, by_column: Mask, needed: Sequence[bool], matched: Sequence[int], owner: Mapping[int, int]
) -> dict[int, int]:
    """Return the columns that a row can take, each with the column that its owner takes in exchange.

    A row can take a column if the rows after it can exchange their columns until one of them takes the column that the
    row leaves, or a free column in exchange for a column that may stay free. The search goes back from the column that
    the row leaves, and ends at the column that the row prefers.

    Args:
        row: the row.
        first: the column that it prefers.
        by_column: the pairs that a matching may take, shape (m, n).
        needed: the columns that it must cover.
        matched: the column of each row.
        owner: the row of each column that is not free.
    """
    left, holder = matched[row], owner.get(first)
    after = {left: left}
    if first != left and (not needed[left] if holder is None else by_column[left, holder]):
        return after | {first: left}  # the most frequent case
    waiting = [] if first == left else [left]
    later, is_optional = np.arange(len(matched)) > row, False
    for column in waiting:  # the loop appends to it
        movers = np.flatnonzero(by_column[column] & later)
        later[movers] = False
        others = [matched[i] for i in movers.tolist()]
        if not needed[column] and not is_optional:
            is_optional = True
            others += [free for free in range(len(needed)) if free not in owner]
        for other in others:
            if other not in after:
                after[other] = column
                waiting.append(other)
        if first in after:
            break
    return after


def _assignment(value: Matrix) -> Indices:
    """Return the column of each row in a matching with the largest sum, without pairs of value -inf."""
    return _scipy("optimize").linear_sum_assignment(value, maximize=True)[1]  # type: ignore[no-any-return]


@cache
def _scipy(module: str) -> Any:
    """Import a module of scipy when it is needed, since the import takes 0.2 s.

    The import runs in a thread with its own stack, since deep values may have nearly filled the caller's stack.
    """
    return in_new_thread(import_module, f"scipy.{module}")


def _between_0_and_1(criterion: Matrix, allowed: Mask) -> Matrix:
    """Scale the criterion to a range of at most 1, so that one tolerance fits all; set pairs not allowed to -inf."""
    candidates = criterion[allowed]
    low, high = candidates.min(), candidates.max()
    scaled = (criterion - low) / max(high - low, 1.0)
    return np.where(allowed, scaled, -np.inf)


def _slack(value: Matrix, matched: Indices) -> tuple[Matrix, Matrix]:
    """Return the slack of each pair, 0 in an optimal matching, shape (n, m), and the price of each column, (m,)."""
    gain, price = _prices(value, matched)
    return price - (value - gain[:, None]), price


def _prices(value: npt.NDArray[np.floating], matched: Indices) -> tuple[Matrix, Matrix]:
    """Return the value of each row less the price of its column, shape (n,), and the price of each column, shape (m,).

    This is Bellman-Ford from the optimal matching: a column costs at least the gain of any row that changes to it.
    """
    rows, columns = value.shape
    top = value[np.arange(rows), matched].astype(np.float64)
    price = np.zeros(columns)
    moved = np.arange(rows)  # the rows whose column changed its price; only they can raise other prices
    step = max(1, BLOCK // columns)
    for _ in range(columns):
        gain, raised = top - price[matched], price
        for start in range(0, len(moved), step):
            some = moved[start : start + step]
            raised = np.maximum(raised, (value[some] - gain[some, None]).max(axis=0))
        moved = np.flatnonzero((raised - price)[matched] > ROUNDING)
        price = raised
        if not len(moved):
            break
    return top - price[matched], price


_LARGEST_DENOMINATOR = 1 << 20  # enough for scores of several texts of up to 20 characters


_HALF = 2.0**26  # numbers below 2**27 are split into multiples of 1 / _HALF and a rest


def sum_of_ties(numbers: Sequence[float]) -> float:
    """Return the sum of scores that are rounded fractions, as if they were not rounded.

    Matchings tie as fractions, 1/2 + 1/3 = 1/6 + 2/3, but the sums of their floats differ in the last bits. A float
    that is not close to a fraction with a small denominator is added unchanged.

    >>> sum_of_ties([0.1, 0.2, 0.3]), sum_of_ties([0.1, 0.5]), 0.1 + 0.2 + 0.3
    (0.6, 0.6, 0.6000000000000001)
    """
    if not any(number % 1 for number in {*numbers}):
        return fsum(numbers)
    counted = [(_fraction(float(number)), count) for number, count in Counter(numbers).items()]
    common = lcm(*(denominator for (_, denominator), _ in counted))
    return sum(count * top * (common // bottom) for (top, bottom), count in counted) / common


@lru_cache(maxsize=1 << 14)
def _fraction(number: float) -> tuple[int, int]:
    """Return the fraction with a small denominator that a float approximates, or the exact fraction of the float.

    This is `Fraction.limit_denominator` on integers, in a tenth of the time.
    """
    exact = left, right = number.as_integer_ratio()
    (top, bottom), (above, below) = (1, 0), (0, 1)
    while right and below + left // right * bottom <= _LARGEST_DENOMINATOR:
        quotient, rest = divmod(left, right)
        (top, bottom), (above, below) = (above + quotient * top, below + quotient * bottom), (top, bottom)
        left, right = right, rest
    steps = (_LARGEST_DENOMINATOR - below) // bottom
    if 2 * right * (below + steps * bottom) > exact[1]:
        top, bottom = above + steps * top, below + steps * bottom
    return (top, bottom) if abs(top / bottom - number) <= 8 * ulp(number) else exact


def halves(numbers: Matrix) -> tuple[Matrix, Matrix]:
    """Split each number into two parts; up to a million first parts, or second parts, add up without rounding."""
    high = np.rint(numbers * _HALF) / _HALF
    return high, numbers - high

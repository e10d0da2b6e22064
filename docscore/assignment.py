"""The lexicographic matching of two lists, and the lexicographic choice among options.

Rule 4 of the metric: maximise the sum of S/L over the pairs, then the sum of S, then -L of the whole list pair
(here: minus the sum of w = L - size(g) - size(p) over the pairs). The optimal (S, L) is unique even where the
matching is not, so a score does not depend on the order of a list. Sums that differ by less than `TIE` count as equal,
because the same sum added in another order differs in its last bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from docscore.similarity import Matrix

TIE = 1e-10  # far above the rounding of a sum of 10,000 similarities, far below a difference that occurs
_NOISE = 1e-12  # prices that rise by less have converged

Indices = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


def ratio(earned: Matrix, weight: Matrix) -> Matrix:
    """S / L, and 1 where L is 0."""
    return np.divide(earned, weight, out=np.ones(earned.shape), where=weight > 0)


def best_options(earned: Matrix, weight: Matrix) -> Indices:
    """For each column the option (row) with the lexicographically largest (S/L, S, -L).

    >>> best_options(np.array([[1.0], [2.0], [2.0]]), np.array([[2.0], [4.0], [4.0]]))
    array([1])
    """
    return np.asarray(best_mask(earned, weight).argmax(axis=0))


def best_mask(earned: Matrix, weight: Matrix) -> Mask:
    """For each column, which options (rows) have the lexicographically largest (S/L, S, -L)."""
    best = np.ones(earned.shape, dtype=bool)
    for criterion in (ratio(earned, weight), earned, -weight):
        candidates = np.where(best, criterion, -np.inf)
        best &= candidates >= candidates.max(axis=0) - TIE
    return best


def match(
    earned: Matrix, weight: Matrix, surplus: Matrix, equality: Callable[[], Matrix] | None = None
) -> tuple[Indices, Indices]:
    """The lexicographically best one-to-one matching of the rows with the columns.

    Args:
        earned: S of every pair, shape (n, m).
        weight: L of every pair, shape (n, m).
        surplus: w = L - size(g) - size(p) of every pair, shape (n, m).
        equality: gives 1 for pairs that are equal as they stand, else 0, shape (n, m); decides among matchings of the
            same score, and is called only where there may be several.

    Returns:
        min(n, m) row indices and as many column indices, in pairs.
    """
    rows, columns = earned.shape
    if rows > columns:
        flipped = equality and (lambda: equality().T)
        second, first = match(earned.T, weight.T, surplus.T, flipped)
        return first, second
    if rows == 0 or columns == 1:
        return np.arange(rows), np.arange(rows)
    score = ratio(earned, weight)
    best = score.argmax(axis=1)
    if _is_clear(score, best):
        return np.arange(rows), best
    if equality is None and _is_settled_by_score(weight, surplus):
        return np.arange(rows), _assignment(score)
    criteria = [score, earned, -surplus]
    if equality is not None:
        criteria.append(equality())
    return np.arange(rows), lexicographic_assignment(criteria)


def _is_clear(score: Matrix, best: Indices) -> bool:
    """Whether every row has one best column, and no two rows the same: then no other matching comes near."""
    if len(set(best.tolist())) < len(best):
        return False
    top = score.max(axis=1, keepdims=True)
    return int(np.count_nonzero(score >= top - TIE)) == len(best)


def _is_settled_by_score(weight: Matrix, surplus: Matrix) -> bool:
    """Whether all matchings of the same total score have the same S and L.

    So it is when L is constant, and the sizes of the columns are where some stay unmatched.
    """
    if weight.min() < weight.max():
        return False
    rows, columns = weight.shape
    return bool(rows == columns or surplus[0].min() == surplus[0].max())


def lexicographic_assignment(criteria: Sequence[Matrix]) -> Indices:
    """The column of each row in a matching that maximises the sums of the criteria one after the other.

    Each criterion is an assignment problem over the pairs that the criteria before it left open: by linear programming
    duality those on which prices (dual variables) are tight. Where columns stay unmatched, one with a positive price is
    in every optimal matching.

    Args:
        criteria: matrices of shape (n, m), n <= m.

    Returns:
        Column indices, shape (n,).
    """
    rows, columns = criteria[0].shape
    allowed = np.ones((rows, columns), dtype=bool)
    needed = np.zeros(columns, dtype=bool)
    everyone = np.arange(rows)
    matched = everyone
    for criterion in criteria:
        value = _between_0_and_1(criterion, allowed)
        value[:, needed] += rows + 1  # more than the rest can ever be worth
        matched = _assignment(value)
        slack = _slack(value, matched)
        allowed &= slack[0] <= TIE
        needed = slack[1] > TIE if rows < columns else needed
        if np.count_nonzero(allowed) == rows:
            break
    return matched


def _assignment(value: Matrix) -> Indices:
    """The column of each row in a matching with the largest sum; pairs of value -inf are not used."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415  importing scipy.optimize takes 0.2 s: when needed

    columns: Indices = linear_sum_assignment(value, maximize=True)[1]
    return columns


def _between_0_and_1(criterion: Matrix, allowed: Mask) -> Matrix:
    """The criterion scaled to a range of at most 1, so that one tolerance serves all; -inf where not allowed."""
    candidates = criterion[allowed]
    low, high = candidates.min(), candidates.max()
    scaled = (criterion - low) / max(high - low, 1.0)
    return np.where(allowed, scaled, -np.inf)


def _slack(value: Matrix, matched: Indices) -> tuple[Matrix, Matrix]:
    """How far each pair is from being in an optimal matching, shape (n, m), and the price of each column, shape (m,).

    Bellman-Ford from the optimal matching: a column must cost at least what any row would gain by changing to it.
    """
    rows, columns = value.shape
    gain = value - value[np.arange(rows), matched][:, None]
    price = np.zeros(columns)
    for _ in range(columns):
        raised = np.maximum(price, (gain + price[matched][:, None]).max(axis=0))
        converged = (raised - price).max() <= _NOISE
        price = raised
        if converged:
            break
    return price - (gain + price[matched][:, None]), price

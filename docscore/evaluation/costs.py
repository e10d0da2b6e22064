"""What predictions cost: sums of the columns cost, seconds and tokens, and the systems that are worth their cost."""

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from math import fsum
from typing import Any, NamedTuple

from docscore.core.errors import short_repr
from docscore.core.numbers import ROUNDING
from docscore.core.options import check_number
from docscore.data.json_text import JsonError, loads
from docscore.data.pairing import Pairs
from docscore.data.rows import COSTS, Absent, NoCell

MILLION = 1_000_000  # tokens, for which providers state prices


class Cost(NamedTuple):
    """What the predictions of a system took, by one column of their rows.

    Attributes:
        total: the sum over the documents; of several runs, that of one of them on average. None where a prediction has
            no number of at least 0.
        note: why there is no sum; else "".
    """

    total: float | None
    note: str = ""


def costs_of(pairs: Pairs, token_price: float | None = None) -> dict[str, Cost]:
    """The sum of each of the columns `COSTS` that a prediction has, by its name.

    Args:
        pairs: the rows.
        token_price: the price of a million tokens, from which the cost then comes; None for the column of the costs.

    >>> costs_of(Pairs(["a", "b"], [1, 1], [1, 2], costs=[(0.25, None, 12), (0.5, None, None)]))
    {'cost': Cost(total=0.75, note=''), 'tokens': Cost(total=None, note="1 of 2 predictions have no tokens of at \
least 0, such as 'b' (nothing)")}
    """
    columns = dict(zip(COSTS, zip(*pairs.costs or (), strict=True), strict=False))
    costs = {name: _cost(name, cells, pairs) for name, cells in columns.items() if not all(map(_is_nothing, cells))}
    if token_price is not None:
        price = check_number("token_price", token_price, "a number of at least 0", lambda number: number >= 0)
        tokens = costs.get("tokens", Cost(None, "no prediction has tokens, from which its cost could be computed"))
        costs["cost"] = tokens if tokens.total is None else Cost(tokens.total * price / MILLION)
    return costs


def _cost(name: str, cells: tuple[Any, ...], pairs: Pairs) -> Cost:
    numbers, without = [], []
    for row, cell in zip(pairs.ids, cells, strict=True):
        value = float(cell) if isinstance(cell, Decimal) else cell  # of a Parquet file
        if isinstance(cell, str):  # of a CSV file
            with suppress(JsonError):
                value = loads(cell)
        try:
            numbers.append(check_number(name, value, "a number of at least 0", lambda number: number >= 0))
        except (TypeError, ValueError, OverflowError):
            without.append(f"{short_repr(row)} ({'nothing' if _is_nothing(cell) else short_repr(cell)})")
    if without:
        count = f"{len(without):,} of {len(cells):,} predictions have no {name} of at least 0"
        return Cost(None, f"{count}, such as {without[0]}")
    return Cost(fsum(numbers) / pairs.runs)


def _is_nothing(cell: Any) -> bool:
    return cell is None or cell is Absent or cell is NoCell or (isinstance(cell, str) and not cell.strip())


def undominated(systems: Mapping[str, tuple[float, float]]) -> list[str]:
    """Return the systems that no other system beats: at least as good, at most as expensive, and better in one of both.

    Args:
        systems: score and cost of each system by its name.

    >>> undominated({"a": (0.9, 2.0), "b": (0.8, 1.0), "c": (0.8, 1.5), "d": (0.7, 1.0)})
    ['a', 'b']
    """

    def beats(other: tuple[float, float], system: tuple[float, float]) -> bool:
        gain, saved = other[0] - system[0], system[1] - other[1]
        return gain >= -ROUNDING and saved >= 0 and (gain > ROUNDING or saved > 0)

    return [name for name, system in systems.items() if not any(beats(other, system) for other in systems.values())]

"""How the scalars of a typed place compare: exactly, or by what they are read as."""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

from docscore.core.dates import read_date
from docscore.core.numbers import decimal_of, shortest_spelling
from docscore.core.same_value import number_of
from docscore.core.values import Scalar, scalar_text
from docscore.metrics.anls_star.sizes import Comparator

_EXACT = Context(prec=4000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # differences are exact to so many digits


def exact_comparator() -> Comparator[str]:
    """Right where both are the same text, letter by letter; otherwise wrong."""
    return Comparator("a text", "exact", scalar_text, str, is_exact=True)


def number_comparator(
    tolerance: float | str | None = None, *, decimal: str = ".", group: str = ""
) -> Comparator[Decimal]:
    """Compares numbers by their exact decimal value.

    Args:
        tolerance: how far they may be apart, a number or a share of the ground truth such as "1%"; None for equal.
        decimal: the character before the decimals in texts.
        group: the character between groups of three digits in texts, or "".
    """
    is_share = isinstance(tolerance, str)
    amount = Decimal(str(tolerance).rstrip("% ")) / 100 if is_share else decimal_of(str(tolerance)) or Decimal(0)

    def are_near(truth: Decimal, prediction: Decimal) -> bool:
        most = _EXACT.multiply(amount, _EXACT.abs(truth)) if is_share else amount
        return _EXACT.abs(_EXACT.subtract(truth, prediction)) <= most

    return Comparator(
        "a number",
        "number" if tolerance is None else f"number, tolerance {str(tolerance).replace(' ', '')}",
        lambda value: number_of(value, decimal=decimal, group=group),
        shortest_spelling,
        None if tolerance is None else are_near,
    )


def boolean_comparator() -> Comparator[bool]:
    """Compares true with `true` and `yes`, false with `false` and `no`, whatever the case."""
    readings = {"true": True, "yes": True, "false": False, "no": False}
    return Comparator("a boolean", "boolean", lambda value: readings.get(scalar_text(value).strip().lower()), str)


def date_comparator(order: str | None = None, *, part: str = "") -> Comparator[date]:
    """Compares dates, or points in time, whatever their form; with an offset a time of day is compared in UTC.

    Args:
        order: "dmy", "mdy" or "ymd" where a date can be read in several ways, or None.
        part: "date" for the day alone; "date-time" for the point in time, of a date without a time midnight; "" for the
            time where both sides have one, and otherwise the day.
    """

    def reading(value: Scalar) -> date | None:
        read = read_date(scalar_text(value), order)
        if isinstance(read, datetime):
            return read.date() if part == "date" else read
        return datetime.combine(read, time()) if read and part == "date-time" else read

    def spelling(read: date) -> str:
        return read.isoformat().replace("+00:00", "Z")

    def is_same_day(truth: date, prediction: date) -> bool:
        one_has_time = isinstance(truth, datetime) != isinstance(prediction, datetime)
        return one_has_time and spelling(truth)[:10] == spelling(prediction)[:10]

    name = "date and time" if part == "date-time" else "date"
    label = f"{name}, {order}" if order else name
    near = None if part else is_same_day
    return Comparator(f"a {name}", label, reading, spelling, near, near_remark="the same day")

"""Comparators, which compare the scalars of a field if a schema names them.

To add a comparator, such as one for IBANs, write a function here that creates it from its settings, and add an entry
to `COMPARATORS`. The entry declares which types and `format` of a schema fit, what a tolerance may be, and when a
suggested schema names the comparator. Describe settings that no other comparator has in `settings.json`. Long readers
are in `docscore.metrics.typed.readers`.
"""

import json
import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cache, lru_cache, partial
from inspect import signature
from itertools import product
from operator import eq
from typing import Any, Literal, NamedTuple

import numpy as np

from docscore.core.errors import InputValueError, short_repr
from docscore.core.numbers import decimal_of
from docscore.core.options import CompareOptions
from docscore.core.same_value import ORDERS
from docscore.core.similarity import TEXT_RULES, fold, fold_all, similarity, similarity_matrix
from docscore.core.values import Matrix, Scalar, scalar_text
from docscore.metrics.anls_star.sizes import ALL_CLEAR, SIDES, Comparator, UnclearSides
from docscore.metrics.typed.readers import (
    LOCALES,
    Reading,
    Separators,
    currency_signs,
    locale_data,
    read_boolean,
    read_date,
    read_identifier,
    read_money,
    read_number,
    read_phone,
    read_quantity,
    read_text,
    read_time,
    separators_of,
)
from docscore.metrics.typed.readers import date_order as order_of

Otherwise = Literal["text", "wrong"]
Unread = Literal["", "text", "wrong"]

_EXACT = Context(prec=4000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # differences are exact up to 4,000 digits
_DAY = 86_400  # seconds
_FEW_PAIRS = 25  # up to which pairs are compared one by one
_TEMPERATURE = frozenset({("kelvin", 1)})
_UNITS_OF_CASES = 3  # the most units that a symbol can name with other capitals
_SIDES = ("the ground truth", "the prediction")
_SEPARATOR = re.compile(r"(?<=\d)\D")

Read = Callable[[Scalar], Reading | None]


_cached = lru_cache(maxsize=1 << 15, typed=True)  # reads each distinct value once


def _guarded(read: Read, value: Scalar) -> Reading | None:
    """Read a value with a library; if the library raises any error, the value has no reading."""
    try:
        return read(value)
    except Exception:  # noqa: BLE001  a predicted value must not end an evaluation
        return None


@dataclass(frozen=True)
class ReadingComparator(Comparator):
    """A comparator of scalars by the values that they mean: 1000.0 equals 1000, and 12 March 2024 equals 2024-03-12.

    Attributes:
        name: the type of value, in words: "a number".
        label: the name of the comparator with its settings: "number, tolerance 1%".
        read: reads a scalar that has one reading; returns None for any other scalar.
        ways: functions that read other scalars, each by one of the conventions that the settings allow.
        beside: reads a scalar without a reading, using the readings of the other side; None if not possible.
        near: returns whether two values with different spellings count as equal; None if they never do.
        fits: returns whether readings of two kinds can be equal.
        unequal: how two different values compare: "wrong", or "text" to compare their spellings, so that 1234 is close
            to 1235.
        unread: how a pair compares if a side has no reading. "": as wrong if only the ground truth has a reading, and
            otherwise as text. "wrong": as wrong. "text": as text, and so do values with several readings. Identical
            texts are always equal.
        near_comment: the comment on values that are `near`.
        libraries: the modules of `docscore[values]` whose data affect the readings.
        settings: the settings, for messages about missing settings.
    """

    name: str
    label: str
    read: Read
    near: Callable[[Any, Any], bool] | None = None
    fits: Callable[[Any, Any], bool] = eq
    unequal: Otherwise = "wrong"
    unread: Unread = ""
    near_comment: str = "within the tolerance"
    libraries: tuple[str, ...] = ()
    ways: tuple[Read, ...] = ()
    beside: Callable[[Scalar, tuple[Reading, ...]], tuple[Reading, ...]] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict, compare=False)

    def readings(self, value: Scalar) -> tuple[Reading, ...]:
        """Return the readings of a scalar: one, several if the settings allow several, or none."""
        certain = self.read(value)
        return (certain,) if certain else tuple(dict.fromkeys(filter(None, self._by_ways(value))))

    def _by_ways(self, value: Scalar) -> list[Reading | None]:
        return [] if self.unread == "text" else [way(value) for way in self.ways]

    def _sides(self, truth: Scalar, prediction: Scalar) -> tuple[tuple[Reading, ...], tuple[Reading, ...]]:
        """Return the readings of both sides of a pair."""
        left, right = self.readings(truth), self.readings(prediction)
        if self.beside and self.unread != "text":
            return left or self.beside(truth, right), right or self.beside(prediction, left)
        return left, right

    def pair(self, truth: Scalar, prediction: Scalar, options: CompareOptions) -> float:
        """Return S of a pair with L = 1, in [0, 1]."""
        left, right = self.read(truth), self.read(prediction)
        if left is None or right is None:
            earned = self._earned_if_unclear(truth, prediction, options.threshold)
            return _as_texts(truth, prediction, options, self.unread or "text") if earned is None else earned
        return self._of_readings(left, right, options.threshold)

    def _of_readings(self, left: Reading, right: Reading, threshold: float) -> float:
        if left.kind is not right.kind and not self.fits(left.kind, right.kind):
            return 0.0
        if left.spelling == right.spelling or (self.near and self.near(left.value, right.value)):
            return 1.0
        return 0.0 if self.unequal == "wrong" else similarity(left.spelling, right.spelling, threshold)

    def _earned_if_unclear(self, truth: Scalar, prediction: Scalar, threshold: float) -> float | None:
        """Return S of a pair in which a side has no or several readings; None if `unread` decides.

        Values in the same notation follow the same convention, so 03/04/2024 never equals 04/03/2024.
        """
        left, right = self._sides(truth, prediction)
        if not left or not right:
            return float(_is_same_text(truth, prediction)) if left and not self.unread else None
        pairs: Iterable[Any] = product(left, right)
        if len(left) > 1 and len(right) > 1 and _separator(truth) == _separator(prediction):
            pairs = zip(self._by_ways(truth), self._by_ways(prediction), strict=True)
        return max((self._of_readings(one, other, threshold) for one, other in pairs if one and other), default=0.0)

    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: CompareOptions) -> Matrix:
        """Return S of every pair with L = 1: shape (len(truths), len(predictions)), values in [0, 1]."""
        left, right = ([*map(self.read, side)] for side in (truths, predictions))
        if None not in left and None not in right:
            return self._table_of_readings(left, right, options.threshold)  # type: ignore[arg-type]
        earned = _text_table(truths, predictions, options, self.unread or "text")
        if self.beside or earned.size <= _FEW_PAIRS:
            for i, j in product(range(len(left)), range(len(right))):
                points = self._earned_if_unclear(truths[i], predictions[j], options.threshold)
                earned[i, j] = earned[i, j] if points is None else points
            return earned
        sides = [[*map(self.readings, side)] for side in (truths, predictions)]
        rows, columns = ([i for i, readings in enumerate(side) if readings] for side in sides)
        if not self.unread:
            others = [j for j, readings in enumerate(sides[1]) if not readings]
            wrong = _text_table([truths[i] for i in rows], [predictions[j] for j in others], options, "wrong")
            earned[np.ix_(rows, others)] = wrong.reshape(len(rows), len(others))
        if rows and columns:
            earned[np.ix_(rows, columns)] = self._table_of_several(sides[0], sides[1], options.threshold)
            several = [[i for i, readings in enumerate(side) if len(readings) > 1] for side in sides]
            self._follow_conventions(earned, (truths, predictions), several, options.threshold)
        return earned

    def _table_of_several(
        self, truths: Sequence[tuple[Reading, ...]], predictions: Sequence[tuple[Reading, ...]], threshold: float
    ) -> Matrix:
        """Return the highest S by any readings of both sides, of every pair of values that have readings."""
        left, right = ([reading for readings in side for reading in readings] for side in (truths, predictions))
        earned = self._table_of_readings(left, right, threshold)
        for axis, side in enumerate((truths, predictions)):
            counts = [len(readings) for readings in side if readings]
            earned = np.asarray(np.maximum.reduceat(earned, np.cumsum([0, *counts[:-1]]), axis=axis))
        return earned

    def _follow_conventions(
        self, earned: Matrix, values: Sequence[Sequence[Scalar]], several: Sequence[Sequence[int]], threshold: float
    ) -> None:
        """Replace S of values with several readings in the same notation, which follow the same convention."""
        chosen = [[side[i] for i in numbers] for side, numbers in zip(values, several, strict=True)]
        same = np.zeros((len(chosen[0]), len(chosen[1])))
        for way in self.ways:
            read = [[way(value) for value in side] for side in chosen]
            rows, columns = ([i for i, reading in enumerate(side) if reading] for side in read)
            if rows and columns:
                left, right = ([*filter(None, side)] for side in read)
                by_way = self._table_of_readings(left, right, threshold)
                same[np.ix_(rows, columns)] = np.maximum(same[np.ix_(rows, columns)], by_way)
        left_signs, right_signs = (np.array([*map(_separator, side)], dtype=str) for side in chosen)
        at = np.ix_(*several)
        earned[at] = np.where(left_signs[:, None] == right_signs, same, earned[at])

    def names(self, values: Sequence[Scalar], *, or_wrong: bool) -> Sequence[Hashable]:
        """Return the spelling of each value that has one reading, if all readings are of one kind."""
        readings = [*map(self.read, values)]
        kinds = {reading.kind for reading in readings if reading}
        if len(kinds) > 1 or self.near is not None or (or_wrong and (None in readings or self.unequal == "text")):
            return ()
        return [reading and reading.spelling for reading in readings]

    def _table_of_readings(self, truths: list[Reading], predictions: list[Reading], threshold: float) -> Matrix:
        """Return S of every pair of readings."""
        rows, columns = ([reading.spelling for reading in side] for side in (truths, predictions))
        if self.unequal == "text":
            earned = similarity_matrix(rows, columns, threshold)
        else:
            codes: dict[str, int] = {}
            left, right = ([codes.setdefault(text, len(codes)) for text in side] for side in (rows, columns))
            earned = np.equal.outer(left, right).astype(np.float64)
        if self.near is not None:
            for i, j in np.argwhere(earned < 1).tolist():
                if self.near(truths[i].value, predictions[j].value):
                    earned[i, j] = 1.0
        kinds = [{reading.kind for reading in side} for side in (truths, predictions)]
        if not all(self.fits(kind, other) for kind in kinds[0] for other in kinds[1]):
            for i, truth in enumerate(truths):
                earned[i] *= [self.fits(truth.kind, other.kind) for other in predictions]
        return earned

    def unclear_sides(self, truth: Scalar | None, prediction: Scalar | None) -> UnclearSides:
        """Return the sides without a reading, and the sides of a pair with several; alternatives are not read."""
        values: list[Any] = [
            value for value in (truth, prediction) if value is not None and not isinstance(value, tuple)
        ]
        if None not in map(self.read, values):
            return ALL_CLEAR
        if len(values) < len(SIDES):
            return (() if self.readings(values[0]) else (SIDES[values[0] is prediction],)), ()
        sides = [*zip(SIDES, map(len, self._sides(*values)), strict=True)]
        return tuple(side for side, count in sides if not count), tuple(side for side, count in sides if count > 1)

    def comment(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:
        if scalar_text(truth) == scalar_text(prediction) and self.readings(truth):
            return ""
        left, other = self._sides(truth, prediction)
        if not left or not other:
            side, verb = ("neither", "can") if left == other else (_SIDES[bool(left)], "cannot")
            is_wrong = not right and (self.unread == "wrong" or (left and not self.unread))
            return f"{side} {verb} be read as {self.name}: {'wrong' if is_wrong else 'compared as text'}"
        sides = [*zip(_SIDES, (left, other), strict=True)]
        if right:
            is_equal = {each.spelling for each in left} & {each.spelling for each in other}
            verdict = f"equal as {self.name}" if is_equal else self.near_comment
        else:
            verdict = f"compared as {self.name}" if self.unequal == "text" else f"not equal as {self.name}"
            lower = ["".join(scalar_text(value).casefold().split()) for value in (truth, prediction)]
            verdict += ": capital letters count" if self.unequal == "wrong" and lower[0] == lower[1] else ""
        several = [
            f"{side} may be {' or '.join(each.spelling for each in readings)}"
            for side, readings in sides
            if len(readings) > 1
        ]
        ignoring = [side for side, readings in sides if readings[0].ignored]
        ignored = (
            f"the {left[0].ignored or other[0].ignored} of {' and '.join(ignoring)} is ignored" if ignoring else ""
        )
        return "; ".join(filter(None, (verdict, *several, ignored)))


def _separator(value: Scalar) -> str:
    """Return the first character after a digit that is not a digit; "" if there is none."""
    return (_SEPARATOR.search(scalar_text(value)) or [""])[0]


def _is_same_text(truth: Scalar, prediction: Scalar) -> bool:
    return scalar_text(truth).strip() == scalar_text(prediction).strip()


def _as_texts(truth: Scalar, prediction: Scalar, options: CompareOptions, otherwise: Otherwise) -> float:
    """Return S of two scalars that cannot be read."""
    return float(_text_table([truth], [prediction], options, otherwise)[0, 0])


def _text_table(
    truths: Sequence[Scalar], predictions: Sequence[Scalar], options: CompareOptions, otherwise: Otherwise
) -> Matrix:
    """Return S of every pair: the similarity of the texts, or, with "wrong", 1 for equal texts and 0 for others."""
    if otherwise == "wrong":
        return np.array([[float(_is_same_text(t, p)) for p in predictions] for t in truths])
    left, right = (fold_all(side, options.ignore_case, TEXT_RULES[options.numbers]) for side in (truths, predictions))
    return similarity_matrix(left, right, options.threshold)


@dataclass(frozen=True)
class FunctionComparator(Comparator):
    """A comparator of scalars by a function of the user, which returns numbers in [0, 1].

    Attributes:
        label: the name of the function.
        function: takes two scalars and returns a number, or takes two lists and returns a table.
        place: the field, for messages.
        by_columns: whether the function takes lists.
    """

    label: str
    function: Callable[..., Any]
    place: str
    by_columns: bool = False

    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: CompareOptions) -> Matrix:  # noqa: ARG002  the function decides
        """Return S of every pair with L = 1: shape (len(truths), len(predictions)), values in [0, 1].

        Raises:
            ValueError: if the function raises, or returns anything else.
        """
        if self.by_columns:
            earned = self._called(list(truths), list(predictions))
        else:
            earned = [[self._called(truth, prediction) for prediction in predictions] for truth in truths]
        shape = len(truths), len(predictions)
        points = _numbers(earned, shape)
        for i, j in np.argwhere(~((points >= 0) & (points <= 1))).tolist():
            values = f"{short_repr(truths[i])} and {short_repr(predictions[j])}"
            got = short_repr(earned if self.by_columns else earned[i][j])
            raise InputValueError(
                place=self.place, expected=f"numbers from 0 to 1 from {self.label}", got=f"{got} for {values}"
            )
        return points

    def _called(self, truth: Any, prediction: Any) -> Any:
        try:
            return self.function(truth, prediction)
        except Exception as error:
            values = f"{short_repr(truth)} and {short_repr(prediction)}"
            raise InputValueError(
                place=self.place, problem=f"{self.label} raised {type(error).__name__} for {values}: {error}"
            ) from error

    def comment(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:  # noqa: ARG002
        return "" if scalar_text(truth) == scalar_text(prediction) else f"compared by {self.label}"


def _numbers(earned: Any, shape: tuple[int, int]) -> Matrix:
    """Return a table of numbers; NaN for everything else, including texts, which NumPy would read as numbers."""
    try:
        table = np.array(earned)
        if table.dtype.kind not in "biuf":
            table = np.frompyfunc(_number, 1, 1)(np.array(earned, dtype=object))
        return table.astype(np.float64).reshape(shape)
    except (TypeError, ValueError):
        return np.full(shape, np.nan)


def _number(cell: Any) -> float:
    try:
        return math.nan if isinstance(cell, str | bytes) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def by_columns(function: Callable[[list[Any], list[Any]], Any]) -> Callable[[list[Any], list[Any]], Any]:
    """Mark a function that compares columns: it takes n ground truths and m predictions, and returns n rows of m.

    >>> @by_columns
    ... def same_initial(truths, predictions):
    ...     return [[float(truth[:1] == prediction[:1]) for prediction in predictions] for truth in truths]
    """
    function.by_columns = True  # type: ignore[attr-defined]
    return function


@dataclass(frozen=True)
class JudgedComparator(Comparator):
    """A comparator of texts by judgements from a file; a text always equals itself.

    Attributes:
        verdicts: S by pairs of a ground truth and a prediction, as texts in lower case.
        unread: how pairs without a verdict compare.
        label: the name of the comparator.
    """

    verdicts: Mapping[tuple[str, str], float]
    unread: Otherwise
    label: str = "judgements"

    def _verdict(self, truth: Scalar, prediction: Scalar) -> float | None:
        left, right = fold_all((truth, prediction), ignore_case=True)
        if left == right:
            return 1.0
        return self.verdicts.get((left, right))

    def pair(self, truth: Scalar, prediction: Scalar, options: CompareOptions) -> float:
        """Return S of a pair with L = 1, in [0, 1]."""
        verdict = self._verdict(truth, prediction)
        return _as_texts(truth, prediction, options, self.unread) if verdict is None else verdict

    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: CompareOptions) -> Matrix:
        """Return S of every pair with L = 1: shape (len(truths), len(predictions)), values in [0, 1]."""
        return np.array([[self.pair(truth, prediction, options) for prediction in predictions] for truth in truths])

    def unclear_sides(self, truth: Scalar | None, prediction: Scalar | None) -> UnclearSides:
        """Return the prediction's side for a pair without a verdict."""
        both = truth is not None and prediction is not None
        return (("prediction",), ()) if both and self._verdict(truth, prediction) is None else ALL_CLEAR  # type: ignore[arg-type]

    def comment(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:  # noqa: ARG002
        if scalar_text(truth) == scalar_text(prediction):
            return ""
        if self._verdict(truth, prediction) is not None:
            return "as judged"
        otherwise = "compared as text" if self.unread == "text" else "wrong"
        swapped = (
            ""
            if self._verdict(prediction, truth) is None
            else "; the judgements have these texts with the sides swapped"
        )
        return f"no judgement: {otherwise}{swapped}"


# The functions that create the comparators of `COMPARATORS`.


def text_comparator(
    *, unicode: str = "", case: str = "ignored", space: str = "folded", punctuation: str = "kept"
) -> ReadingComparator:
    """Make a comparator of texts by similarity, which ignores the differences that the settings name.

    Args:
        unicode: "nfkc" to normalise characters that can be encoded in several ways.
        case: "ignored" to compare in lower case, or "kept".
        space: "folded" to compare every run of white space as one space, "ignored" or "kept".
        punctuation: "ignored" to leave out everything except letters, digits and white space.
    """
    read = partial(read_text, unicode=unicode, case=case, space=space, punctuation=punctuation)
    return ReadingComparator("a text", "text", _cached(read), unequal="text")


def exact_comparator() -> ReadingComparator:
    """Make a comparator that accepts only identical texts."""
    return ReadingComparator("a text as it is", "exact", lambda value: Reading(scalar_text(value)))


def identifier_comparator() -> ReadingComparator:
    """Make a comparator that ignores the characters between letters and digits, such as hyphens."""
    return ReadingComparator("an identifier", "identifier", read_identifier)


def number_comparator(
    *,
    tolerance: float | str | None = None,
    decimal: str = "",
    group: str = "",
    locale: str = "",
    percent: str = "share",
    unequal: Otherwise = "wrong",
    unread: Unread = "",
) -> ReadingComparator:
    """Make a comparator of numbers by their exact decimal values.

    Args:
        tolerance: the largest difference, a number or a share of the ground truth such as "1%"; None for no tolerance.
        decimal: the character before the decimals in texts.
        group: the character between groups of three digits in texts, or "".
        locale: a locale whose separators apply if neither `decimal` nor `group` is given.
        percent: "share" to read 21% as 0.21, "points" to read it as 21.
        unequal: how different numbers compare.
        unread: how values that are not numbers compare.
    """
    read = partial(read_number, points=percent == "points")
    declared, of_money = _separators(decimal, group, locale), partial(read_money, signs=currency_signs())
    return ReadingComparator(
        "a number",
        "number",
        _cached(partial(read, declared=declared)),
        _within(tolerance),
        _may_be_one_currency,
        unequal,
        unread,
        libraries=_of_locale(locale),
        ways=_ways(declared, read, of_money),
    )


def _may_be_one_currency(left: frozenset[str] | None, right: frozenset[str] | None) -> bool:
    return left is None or right is None or not left.isdisjoint(right)


def money_comparator(
    *,
    tolerance: float | str | None = None,
    decimal: str = "",
    group: str = "",
    locale: str = "",
    currency: str = "any",
    unequal: Otherwise = "wrong",
    unread: Unread = "",
) -> ReadingComparator:
    """Make a comparator of amounts by number and currency; amounts in different currencies are wrong.

    Args:
        tolerance: the largest difference of the numbers, as for `number_comparator`.
        decimal: the character before the decimals. Without `decimal`, `group` and `locale`, "1,500" and "1.500" are
            ambiguous and are not read.
        group: the character between groups of three digits, or "".
        locale: a locale whose separators and names of currencies are read; its country decides what `$` means.
        currency: the currency of amounts that name none: its code; "any" if they equal amounts in every currency;
            "required" if they equal only amounts without a currency. "ignored" compares only the numbers.
        unequal: how different amounts in the same currency compare.
        unread: how values that are not amounts compare.
    """
    declared = _separators(decimal, group, locale)
    read = partial(read_money, declared=declared, locale=locale, currency=currency)
    if read(f"{currency if currency.isupper() else '$'} 0") is None:  # also raises immediately if babel is missing
        raise InputValueError(place="currency", expected="a currency of ISO 4217", got=repr(currency))

    def fits(left: frozenset[str] | None, right: frozenset[str] | None) -> bool:
        return _may_be_one_currency(left, right) and (currency != "required" or (left is None) == (right is None))

    return ReadingComparator(
        "an amount",
        "money",
        _cached(read),
        _within(tolerance),
        fits,
        unequal,
        unread,
        libraries=("babel",),
        ways=_ways(declared, read),
    )


def unit_comparator(
    *,
    tolerance: str | None = None,
    decimal: str = "",
    group: str = "",
    locale: str = "",
    unit: str = "",
    unread: Unread = "",
) -> ReadingComparator:
    """Make a comparator of quantities, which are converted exactly to base units: 5 years equal 60 months.

    Args:
        tolerance: a share of the ground truth such as "1%".
        decimal: the character before the decimals, as for `money_comparator`.
        group: the character between groups of three digits, or "".
        locale: a locale whose separators and names of units are read.
        unit: the unit of numbers without a unit.
        unread: how values that are not quantities compare.
    """
    of_unit = read_quantity(f"1 {unit}")  # also raises immediately if a package is missing
    if of_unit is None:
        raise InputValueError(place="unit", expected="a unit such as kg", got=short_repr(unit))

    def fits(left: Any, right: Any) -> bool:
        if tolerance and left == _TEMPERATURE:
            raise InputValueError(
                place="tolerance",
                problem="a share of a temperature depends on its scale; compare temperatures without a tolerance",
            )
        return bool(left == right)

    fits(of_unit.kind, of_unit.kind)
    declared = _separators(decimal, group, locale)
    read = partial(read_quantity, declared=declared, locale=locale, unit=unit)
    return ReadingComparator(
        "a quantity",
        "unit",
        _cached(partial(_guarded, read)),
        _within(tolerance),
        fits,
        unread=unread,
        libraries=("pint", *_of_locale(locale)),
        ways=_ways(declared, *(partial(read, which=which) for which in range(_UNITS_OF_CASES))),
    )


def date_comparator(
    part: str = "date",
    *,
    tolerance: float | None = None,
    date_order: str = "",
    locale: str = "",
    format: str = "",  # noqa: A002  the keyword of schemas
    unequal: Otherwise = "wrong",
    unread: Unread = "",
) -> ReadingComparator:
    """Make a comparator of dates or points in time in any notation; times with an offset are converted to UTC.

    Args:
        part: "date" to compare the day as written; "datetime" to compare the point in time, midnight for a date without
            a time; "" to compare the time if both sides have one, and otherwise the day.
        tolerance: the largest difference in days; for "datetime", in seconds.
        date_order: the order of ambiguous dates such as 03/04/2024: "dmy", "mdy" or "ymd".
        locale: a locale whose notation of dates is read.
        format: a pattern as for `strptime` that is tried before the common notations.
        unequal: how different dates compare.
        unread: how ambiguous dates, and values that are not dates, compare.
    """
    if locale:
        locale_data(locale)

    def near(truth: date, prediction: date) -> bool:
        if isinstance(truth, datetime) and isinstance(prediction, datetime):
            same_clock = (truth.tzinfo is None) == (prediction.tzinfo is None)
            return same_clock and abs((truth - prediction).total_seconds()) <= most * (1 if part else _DAY)
        return abs(truth.toordinal() - prediction.toordinal()) <= most

    read = partial(read_date, part=part, locale=locale, pattern=format)
    most = tolerance or 0
    name = "date and time" if part == "datetime" else "date"
    compares = near if tolerance is not None or not part else None
    return ReadingComparator(
        f"a {name}",
        name,
        _cached(partial(read, order=date_order)),
        compares,
        unequal=unequal,
        unread=unread,
        near_comment="the same day" if tolerance is None else "within the tolerance",
        libraries=_of_locale(locale),
        ways=() if date_order or order_of(locale) else tuple(_cached(partial(read, order=order)) for order in ORDERS),
    )


def time_comparator(*, tolerance: float | None = None, locale: str = "", unread: Unread = "") -> ReadingComparator:
    """Make a comparator of times of day; a time with an offset is converted to UTC and never equals one without.

    Args:
        tolerance: the largest difference in seconds, also across midnight.
        locale: a locale whose notation of times is read.
        unread: how values that are not times of day compare.
    """
    read = partial(read_time, locale=locale)
    read("0:00")  # raises immediately for an unknown locale
    return ReadingComparator(
        "a time of day",
        "time",
        _cached(read),
        _within(tolerance, cycle=_DAY),
        unread=unread,
        libraries=_of_locale(locale),
    )


def phone_comparator(*, region: str = "", unread: Unread = "") -> ReadingComparator:
    """Make a comparator of phone numbers, with country code and extension.

    Args:
        region: the country of numbers without a country code, such as "DE".
        unread: how values that are not phone numbers compare.
    """
    read = partial(read_phone, region=region)
    read("+493012345")  # raises immediately if phonenumbers is missing
    return ReadingComparator(
        "a phone number",
        "phone",
        _cached(partial(_guarded, read)),
        unread=unread,
        libraries=("phonenumbers",),
        beside=lambda value, others: tuple(filter(None, (read_phone(value, other.value) for other in others))),
    )


def boolean_comparator(
    *, locale: str = "", true: Sequence[str] = (), false: Sequence[str] = (), unread: Unread = ""
) -> ReadingComparator:
    """Make a comparator of booleans, which also reads the texts `true`, `yes`, `false` and `no` in any case.

    Args:
        locale: a language whose words for yes and no are also read.
        true: more words for true.
        false: more words for false.
        unread: how other texts compare.
    """
    read = partial(read_boolean, locale=locale, right=tuple(true), wrong=tuple(false))
    read("")  # raises immediately for a language without words
    return ReadingComparator("a boolean", "boolean", read, unread=unread)


def enum_comparator(*, values: Sequence[str] | Mapping[str, Sequence[str]], unread: Unread = "") -> ReadingComparator:
    """Make a comparator of the values of a list, which ignores case and white space.

    Args:
        values: the values, or a mapping from each value to its other names.
        unread: how other texts compare.
    """
    names: dict[str, str] = {}
    for value in values:
        for name in (value, *(values[value] if isinstance(values, Mapping) else ())):
            if names.setdefault(fold(name, ignore_case=True), value) != value:
                raise InputValueError(place="values", problem=f"{name!r} is a name of {value!r} and of another value")

    def read(value: Scalar) -> Reading | None:
        known = names.get(fold(value, ignore_case=True))
        return None if known is None else Reading(known)

    return ReadingComparator("a value of the list", "enum", read, unread=unread)


def judgements_comparator(*, judgements: Sequence[Sequence[Any]], unread: Otherwise = "text") -> JudgedComparator:
    """Make a comparator from judgements: rows of ground truth, prediction, and true, false or a number in [0, 1].

    If a row ends with another true, it also applies to the two texts on swapped sides.

    Raises:
        ValueError: for different verdicts on the same pair.
    """
    verdicts: dict[tuple[str, str], float] = {}
    for number, (truth, prediction, verdict, *both) in enumerate(judgements):
        pair = fold(truth, ignore_case=True), fold(prediction, ignore_case=True)
        for sides in (pair, pair[::-1]) if any(both) else (pair,):
            if verdicts.setdefault(sides, float(verdict)) != verdict:
                raise InputValueError(
                    place=f"judgements/{number}", problem=f"{truth!r} and {prediction!r} already have another verdict"
                )
    return JudgedComparator(verdicts, unread)


def _separators(decimal: str, group: str, locale: str) -> Separators:
    if locale and not decimal and not group:
        return separators_of(locale)
    return Separators(decimal or ("," if group == "." else ""), group)


def _ways(declared: Separators, *reads: Callable[..., Reading | None]) -> tuple[Read, ...]:
    """Return each function with each pair of separators that numbers may have."""
    possible = (declared,) if any(declared) else (Separators(".", ","), Separators(",", "."))
    return tuple(_cached(partial(_guarded, partial(read, declared=way))) for read in reads for way in possible)


def _of_locale(locale: str) -> tuple[str, ...]:
    """Return the libraries that read texts of a locale."""
    return ("babel",) if locale else ()


def _within(tolerance: float | str | None, cycle: float = math.inf) -> Callable[[Any, Any], bool] | None:
    """Return a function that tests whether two numbers, or points of a cycle, differ by at most the tolerance."""
    if tolerance is None:
        return None
    is_share = isinstance(tolerance, str)
    amount = Decimal(str(tolerance).rstrip("% ")) / 100 if is_share else decimal_of(str(tolerance)) or Decimal(0)

    def near(truth: Any, prediction: Any) -> bool:
        if isinstance(truth, Fraction):
            return bool(abs(truth - prediction) <= Fraction(amount) * abs(truth))
        most = _EXACT.multiply(amount, _EXACT.abs(truth)) if is_share else amount
        apart = _EXACT.abs(_EXACT.subtract(truth, prediction))
        return bool(min(apart, _EXACT.subtract(Decimal(cycle), apart)) <= most)

    return near


class ComparatorType(NamedTuple):
    """The declaration of a comparator that schemas can name.

    Attributes:
        make: creates the comparator. Its keyword-only parameters are the settings, required if they have no default.
        types: the types of a JSON Schema that it can compare.
        implied_by: the types that imply it, if a schema names no comparator.
        format: the `format` of texts that implies it.
        tolerance: the kind of tolerance: a "share" of the ground truth, a number of "days" or "seconds", or "" for a
            number or a share.
        effect: its effect, as words for suggestions: "amounts as money"; "" if no suggested schema names it.
        resembles: returns whether a text may be such a value. A suggested schema names the comparator for a field if
            all its texts may be such values and can be read without settings. None for comparators that
            `docscore.schemas.suggestion` chooses by other rules.
    """

    make: Callable[..., Comparator]
    types: tuple[str, ...] = ("string", "number", "integer", "boolean")
    implied_by: tuple[str, ...] = ()
    format: str = ""
    tolerance: str = ""
    effect: str = ""
    resembles: Callable[[str], object] | None = None


_NUMBERS = ("string", "number", "integer")
_TIMES = ("string",)

COMPARATORS: dict[str, ComparatorType] = {
    "text": ComparatorType(text_comparator),
    "exact": ComparatorType(exact_comparator),
    "identifier": ComparatorType(identifier_comparator),
    "number": ComparatorType(
        number_comparator, _NUMBERS, implied_by=("number", "integer"), effect="numbers in any notation"
    ),
    "money": ComparatorType(money_comparator, _NUMBERS, effect="amounts as money"),
    "unit": ComparatorType(
        unit_comparator,
        _NUMBERS,
        tolerance="share",
        effect="quantities by value",
        resembles=re.compile(r"\d.*[^\W\d_]|%").search,
    ),
    "date": ComparatorType(date_comparator, _TIMES, format="date", tolerance="days", effect="dates as dates"),
    "datetime": ComparatorType(
        partial(date_comparator, "datetime"), _TIMES, format="date-time", tolerance="seconds", effect="times as times"
    ),
    "time": ComparatorType(time_comparator, _TIMES, format="time", tolerance="seconds", effect="times as times"),
    "phone": ComparatorType(
        phone_comparator, effect="phone numbers as phone numbers", resembles=lambda text: text.strip().startswith("+")
    ),
    "boolean": ComparatorType(
        boolean_comparator,
        ("string", "boolean"),
        implied_by=("boolean",),
        effect="words as yes or no",
        resembles=read_boolean,
    ),
    "enum": ComparatorType(enum_comparator),
    "judgements": ComparatorType(judgements_comparator),
}

_UNLABELLED = ("decimal", "group", "judgements", "values", "part")


REQUIRED = object()


@cache
def settings_of(name: str) -> dict[str, Any]:
    """Return the settings of a comparator with their defaults; `REQUIRED` for settings without a default."""
    parameters = (
        each for each in signature(COMPARATORS[name].make).parameters.values() if each.kind is each.KEYWORD_ONLY
    )
    return {each.name: REQUIRED if each.default is each.empty else each.default for each in parameters}


# Settings with which a comparator may read other values; only the first group with such a setting is reported.
_MISSING: tuple[list[dict[str, str]], ...] = (
    [{"date_order": order} for order in ORDERS],
    [{"group": ","}, {"decimal": ","}, {"group": "."}, {"decimal": "."}],
    [{"locale": locale} for locale in LOCALES],
    [{"compare": "money"}, {"compare": "unit"}],
)


_OF_NUMBERS = ("number", "money", "unit")


def settings_that_read(compares: ReadingComparator, values: Sequence[Scalar]) -> list[str]:
    """Return the settings, as JSON, with which most values have one reading; the region for phone numbers."""
    groups = _MISSING if compares.settings["compare"] in _OF_NUMBERS else _MISSING[:-1]
    for group in groups:
        fitting: dict[tuple[Any, ...], str] = {}  # by the readings, to list each only once
        for added in group:
            settings = added if "compare" in added else {**compares.settings, **added}
            own = {name: value for name, value in settings.items() if name != "compare"}
            if own.keys() <= settings_of(settings["compare"]).keys() | {"part"}:
                with suppress(ValueError):  # a library is missing, or the settings contradict each other
                    readings = tuple(map(comparator(settings["compare"], **own).read, values))  # type: ignore[attr-defined]
                    if 2 * readings.count(None) < len(readings):
                        fitting.setdefault(readings, json.dumps(added)[1:-1])
        if fitting:
            return list(fitting.values())
    return ['"region"'] if compares.settings.keys() == {"compare"} and compares.label == "phone" else []


def comparator(name: str, **settings: Any) -> Comparator:
    """Return the comparator with a name; equal settings return the same object.

    Raises:
        ValueError: for settings that contradict each other, and if a package of `docscore[values]` is missing.

    >>> money = comparator("money", currency="EUR")
    >>> money.label, money.pair("1.200,50 €", 1200.5, CompareOptions())
    ('money, currency EUR', 1.0)
    """
    return _made(name, json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=1024)
def _made(name: str, settings: str) -> Comparator:
    keywords = json.loads(settings)
    made = COMPARATORS[name].make(**keywords)
    shown = [
        str(value).replace(" ", "") if key == "date_order" else f"{key} {str(value).replace(' ', '')}"
        for key, value in keywords.items()
        if key not in _UNLABELLED
    ]
    own = {"settings": {"compare": name, **keywords}} if isinstance(made, ReadingComparator) else {}
    return replace(made, label=", ".join([made.label, *shown]), **own)  # type: ignore[type-var]

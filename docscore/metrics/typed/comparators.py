"""How the scalars of a typed place compare: by what they are read as, by a function, or by a file of judgements."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timezone
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import lru_cache, partial
from inspect import signature
from operator import eq
from typing import Any, Literal

import numpy as np

from docscore.core.errors import InputValueError, short_repr
from docscore.core.numbers import decimal_of
from docscore.core.options import ScoringOptions
from docscore.core.similarity import fold, fold_all, similarity, similarity_matrix, text_rule
from docscore.core.values import Matrix, Scalar, scalar_text
from docscore.metrics.anls_star.sizes import SIDES, Comparator, Side
from docscore.metrics.typed.readers import (
    Reading,
    Separators,
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

Otherwise = Literal["text", "wrong"]

_EXACT = Context(prec=4000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])  # differences are exact to so many digits
_kept = lru_cache(maxsize=1 << 15, typed=True)  # distinct values of a comparator are read once


@dataclass(frozen=True)
class ReadingComparator(Comparator):
    """Compares scalars by what they are read as, so that 1000.0 is 1000 and 12 March 2024 is 2024-03-12.

    Attributes:
        name: what they are read as, in words: "a number".
        label: the same with its settings: "number, tolerance 1%".
        read: what a scalar is read as; None where it cannot be read.
        near: whether two values count as equal though their spellings differ; None where none do.
        fits: whether two kinds may be equal.
        unequal: how values compare that were read on both sides and differ: "wrong", or "text" by their spellings, so
            that 1234 is near 1235.
        unread: how values compare that cannot be read on one side: "text", or "wrong" unless they are the same text.
        near_remark: what values are that count as equal though their spellings differ.
        libraries: the modules of `docscore[values]` whose data decide what is read.
    """

    name: str
    label: str
    read: Callable[[Scalar], Reading | None]
    near: Callable[[Any, Any], bool] | None = None
    fits: Callable[[Any, Any], bool] = eq
    unequal: Otherwise = "text"
    unread: Otherwise = "text"
    near_remark: str = "within the tolerance"
    libraries: tuple[str, ...] = ()

    def pair(self, truth: Scalar, prediction: Scalar, options: ScoringOptions) -> float:
        """S of a pair where L is 1, in [0, 1]."""
        left, right = self.read(truth), self.read(prediction)
        if left is None or right is None:
            return _as_texts(truth, prediction, options, self.unread)
        if not self.fits(left.kind, right.kind):
            return 0.0
        if left.spelling == right.spelling or (self.near and self.near(left.value, right.value)):
            return 1.0
        return 0.0 if self.unequal == "wrong" else similarity(left.spelling, right.spelling, options.threshold)

    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: ScoringOptions) -> Matrix:
        """S of every pair where L is 1: shape (len(truths), len(predictions)), values in [0, 1]."""
        left, right = ([*map(self.read, side)] for side in (truths, predictions))
        if None not in left and None not in right:
            return self._readings(left, right, options.threshold)  # type: ignore[arg-type]
        here, there = ([i for i, value in enumerate(side) if value is not None] for side in (left, right))
        earned = _texts(truths, predictions, options, self.unread)
        if here and there:
            earned[np.ix_(here, there)] = self._readings(
                [left[i] for i in here],  # type: ignore[misc]
                [right[j] for j in there],  # type: ignore[misc]
                options.threshold,
            )
        return earned

    def _readings(self, truths: list[Reading], predictions: list[Reading], threshold: float) -> Matrix:
        """The same of values that were all read."""
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

    def unreadable(self, truth: Scalar | None, prediction: Scalar | None) -> tuple[Side, ...]:
        """The sides whose value cannot be read."""
        sides = zip(SIDES, (truth, prediction), strict=True)
        return tuple(side for side, value in sides if value is not None and self.read(value) is None)

    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:
        """Why two scalars scored what they did where that may surprise, else ""; `right` if they earned all."""
        left, there = self.read(truth), self.read(prediction)
        if left is None or there is None:
            side = "neither" if left is there else "the ground truth" if left is None else "the prediction"
            verb = "can" if left is there else "cannot"
            return f"{side} {verb} be read as {self.name}: {'compared as text' if self.unread == 'text' else 'wrong'}"
        if scalar_text(truth) == scalar_text(prediction):
            return ""
        if right:
            return f"equal as {self.name}" if left.spelling == there.spelling else self.near_remark
        return f"compared as {self.name}" if self.unequal == "text" else f"not equal as {self.name}"


def _as_texts(truth: Scalar, prediction: Scalar, options: ScoringOptions, otherwise: Otherwise) -> float:
    """How two scalars compare that cannot be read: as texts, or wrong unless they are the same."""
    return float(_texts([truth], [prediction], options, otherwise)[0, 0])


def _texts(
    truths: Sequence[Scalar], predictions: Sequence[Scalar], options: ScoringOptions, otherwise: Otherwise
) -> Matrix:
    """The same of every pair of two columns."""
    if otherwise == "wrong":
        return np.array([[float(scalar_text(t) == scalar_text(p)) for p in predictions] for t in truths])
    left, right = (fold_all(side, options.ignore_case, text_rule(options.numbers)) for side in (truths, predictions))
    return similarity_matrix(left, right, options.threshold)


@dataclass(frozen=True)
class FunctionComparator(Comparator):
    """Compares scalars by a function of two plain values, or of two columns of them, that gives numbers in [0, 1].

    Attributes:
        label: the name of the function.
        function: the function.
        place: the field, for messages.
        by_columns: whether it takes two lists and gives a table.
    """

    label: str
    function: Callable[..., Any]
    place: str
    by_columns: bool = False

    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: ScoringOptions) -> Matrix:  # noqa: ARG002  the function decides
        """S of every pair where L is 1: shape (len(truths), len(predictions)), values in [0, 1].

        Raises:
            ValueError: where the function raises, or gives something else.
        """
        if self.by_columns:
            earned = self._called(list(truths), list(predictions))
        else:
            earned = [[self._called(truth, prediction) for prediction in predictions] for truth in truths]
        shape = len(truths), len(predictions)
        try:
            points = np.array(earned, dtype=np.float64).reshape(shape)
        except (TypeError, ValueError):
            points = np.full(shape, np.nan)
        for i, j in np.argwhere(~((points >= 0) & (points <= 1))).tolist():
            values = f"{short_repr(truths[i])} and {short_repr(predictions[j])}"
            got = short_repr(earned if self.by_columns else earned[i][j])
            raise InputValueError(
                place=self.place, expected=f"numbers from 0 to 1 of {self.label}", got=f"{got} for {values}"
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

    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:  # noqa: ARG002
        """That the function compared them, where they are not the same text."""
        return "" if scalar_text(truth) == scalar_text(prediction) else f"compared by {self.label}"


def by_columns(function: Callable[[list[Any], list[Any]], Any]) -> Callable[[list[Any], list[Any]], Any]:
    """Say of a function that it compares columns: it takes n ground truths and m predictions, and gives n rows of m.

    >>> @by_columns
    ... def same_initial(truths, predictions):
    ...     return [[float(truth[:1] == prediction[:1]) for prediction in predictions] for truth in truths]
    """
    function.by_columns = True  # type: ignore[attr-defined]
    return function


@dataclass(frozen=True)
class JudgedComparator(Comparator):
    """Compares texts by verdicts that were given before; a text is right against itself.

    Attributes:
        verdicts: S of pairs of texts in lower case; of the other order where that one is not there.
        unread: how pairs without a verdict compare.
        label: what it is called.
        libraries: none.
    """

    verdicts: Mapping[tuple[str, str], float]
    unread: Otherwise
    label: str = "judgements"
    libraries: tuple[str, ...] = ()

    def _verdict(self, truth: Scalar, prediction: Scalar) -> float | None:
        left, right = fold_all((truth, prediction), ignore_case=True)
        if left == right:
            return 1.0
        return self.verdicts.get((left, right), self.verdicts.get((right, left)))

    def pair(self, truth: Scalar, prediction: Scalar, options: ScoringOptions) -> float:
        """S of a pair where L is 1, in [0, 1]."""
        verdict = self._verdict(truth, prediction)
        return _as_texts(truth, prediction, options, self.unread) if verdict is None else verdict

    def table(self, truths: Sequence[Scalar], predictions: Sequence[Scalar], options: ScoringOptions) -> Matrix:
        """S of every pair where L is 1: shape (len(truths), len(predictions)), values in [0, 1]."""
        return np.array([[self.pair(truth, prediction, options) for prediction in predictions] for truth in truths])

    def unreadable(self, truth: Scalar | None, prediction: Scalar | None) -> tuple[Side, ...]:
        """The prediction, of a pair that has no verdict."""
        both = truth is not None and prediction is not None
        return ("prediction",) if both and self._verdict(truth, prediction) is None else ()  # type: ignore[arg-type]

    def remark(self, truth: Scalar, prediction: Scalar, *, right: bool) -> str:  # noqa: ARG002
        """Whether there is a verdict, where they are not the same text."""
        if scalar_text(truth) == scalar_text(prediction):
            return ""
        otherwise = "compared as text" if self.unread == "text" else "wrong"
        return f"no judgement: {otherwise}" if self._verdict(truth, prediction) is None else "as judged"


# How each comparator is made of its settings, which are the keywords.


def exact_comparator() -> ReadingComparator:
    """Right where both are the same text, letter by letter; otherwise wrong."""
    return ReadingComparator(
        "a text, letter by letter", "exact", lambda value: Reading(scalar_text(value)), unequal="wrong"
    )


def number_comparator(
    *,
    tolerance: float | str | None = None,
    decimal: str = "",
    group: str = "",
    locale: str = "",
    percent: str = "share",
    unequal: Otherwise = "text",
    unread: Otherwise = "text",
) -> ReadingComparator:
    """Compares numbers by their exact decimal value.

    Args:
        tolerance: how far they may be apart, a number or a share of the ground truth such as "1%"; None for equal.
        decimal: the character before the decimals in texts.
        group: the character between groups of three digits in texts, or "".
        locale: whose separators these are where neither is given.
        percent: "share" for 21% as 0.21, "points" for 21.
        unequal: how numbers compare that differ.
        unread: how what is no number compares.
    """
    read = partial(read_number, declared=_declared(decimal, group, locale), points=percent == "points")
    return ReadingComparator("a number", "number", _kept(read), _tolerance(tolerance), unequal=unequal, unread=unread)


def money_comparator(
    *,
    tolerance: float | str | None = None,
    decimal: str = "",
    group: str = "",
    locale: str = "",
    currency: str = "any",
    unequal: Otherwise = "text",
    unread: Otherwise = "text",
) -> ReadingComparator:
    """Compares amounts by number and currency; amounts in two currencies are wrong.

    Args:
        tolerance: as for numbers, of the amounts.
        decimal: as for numbers; without it, `group` and `locale`, "1,500" and "1.500" are in doubt and not read.
        group: as for numbers.
        locale: whose separators and names of currencies are read; with a country it says which `$` is meant.
        currency: "any" for an amount that names none to fit every currency, "required" to fit only another such,
            "ignored" to compare the numbers alone, or the code of the currency that it has.
        unequal: how amounts of one currency compare that differ.
        unread: how what is no amount compares.
    """
    read = partial(read_money, declared=_declared(decimal, group, locale), locale=locale, currency=currency)
    if read(f"{currency if currency.isupper() else '$'} 0") is None:  # which says at once what is missing
        raise InputValueError(place="currency", expected="a currency of ISO 4217", got=repr(currency))

    def fits(left: frozenset[str] | None, right: frozenset[str] | None) -> bool:
        if left is None or right is None:
            return left is right or currency != "required"
        return not left.isdisjoint(right)

    return ReadingComparator("an amount", "money", _kept(read), _tolerance(tolerance), fits, unequal, unread)


def unit_comparator(
    *,
    tolerance: str | None = None,
    decimal: str = "",
    group: str = "",
    locale: str = "",
    unit: str = "",
    unread: Otherwise = "text",
) -> ReadingComparator:
    """Compares quantities in base units, exactly: 5 years are 60 months.

    Args:
        tolerance: a share of the ground truth such as "1%".
        decimal: as for money.
        group: as for money.
        locale: whose separators and names of units are read.
        unit: the unit of numbers without one.
        unread: how what is no quantity compares.
    """
    if unit and read_quantity(f"1 {unit}") is None:
        raise InputValueError(place="unit", expected="a unit such as kg", got=short_repr(unit))
    read = partial(read_quantity, declared=_declared(decimal, group, locale), locale=locale, unit=unit)
    read("1")

    return ReadingComparator("a quantity", "unit", _kept(read), _tolerance(tolerance), unequal="wrong", unread=unread)


def boolean_comparator(
    *, locale: str = "", true: Sequence[str] = (), false: Sequence[str] = (), unread: Otherwise = "text"
) -> ReadingComparator:
    """Compares true with `true` and `yes`, false with `false` and `no`, whatever the case.

    Args:
        locale: a language whose words are read too.
        true: more words for true.
        false: more words for false.
        unread: how other texts compare.
    """
    read = partial(read_boolean, locale=locale, right=tuple(true), wrong=tuple(false))
    read("")
    return ReadingComparator("a boolean", "boolean", read, unequal="wrong", unread=unread)


def date_comparator(
    *,
    tolerance: float | None = None,
    date_order: str = "",
    locale: str = "",
    format: str = "",  # noqa: A002  as schemas call it
    part: str = "date",
    unequal: Otherwise = "wrong",
    unread: Otherwise = "text",
) -> ReadingComparator:
    """Compares dates, or points in time, whatever their form; with an offset a point in time is compared in UTC.

    Args:
        tolerance: how many days they may be apart; of points in time, how many seconds.
        date_order: "dmy", "mdy" or "ymd" for dates of numbers that can be read in several ways.
        locale: whose names of months, and order, are read.
        format: how dates may be written beside the usual ways, as for `strptime`.
        part: "date" for the day alone, as it is written; "datetime" for the point in time, of a date without a time
            midnight; "" for the time where both sides have one, and otherwise the day.
        unequal: how dates compare that differ.
        unread: how what is no date compares, or one that can be read in several ways.
    """
    if locale:
        locale_data(locale)

    def read(value: Scalar) -> Reading | None:
        when = read_date(value, order=date_order, locale=locale, pattern=format)
        if isinstance(when, datetime) and part == "date":
            when = when.date()
        elif when and not isinstance(when, datetime) and part == "datetime":
            when = datetime.combine(when, time())
        try:
            moment = when.astimezone(timezone.utc) if isinstance(when, datetime) and when.tzinfo else when
        except OverflowError:  # before year 1, or after 9999
            return None
        return None if moment is None else Reading(moment.isoformat().replace("+00:00", "Z"), when)

    def near(truth: date, prediction: date) -> bool:
        if isinstance(truth, datetime) and isinstance(prediction, datetime):
            same_clock = (truth.tzinfo is None) == (prediction.tzinfo is None)
            return same_clock and abs((truth - prediction).total_seconds()) <= most * (1 if part else 86400)
        days = (date(*each.timetuple()[:3]) for each in (truth, prediction))
        return abs(next(days) - next(days)).days <= most

    most = tolerance or 0
    name = "date and time" if part == "datetime" else "date"
    compares = near if tolerance is not None or not part else None
    return ReadingComparator(
        f"a {name}",
        name,
        _kept(read),
        compares,
        unequal=unequal,
        unread=unread,
        near_remark="the same day" if tolerance is None else "within the tolerance",
    )


def time_comparator(*, tolerance: float | None = None, unread: Otherwise = "text") -> ReadingComparator:
    """Compares times of day; with an offset in UTC, and then with times that have one alone.

    Args:
        tolerance: how many seconds they may be apart.
        unread: how what is no time of day compares.
    """
    return ReadingComparator(
        "a time of day", "time", _kept(read_time), _tolerance(tolerance), unequal="wrong", unread=unread
    )


def phone_comparator(*, region: str = "", unread: Otherwise = "text") -> ReadingComparator:
    """Compares phone numbers with their country code and extension.

    Args:
        region: the country, such as "DE", of numbers without a country code.
        unread: how what is no such number compares.
    """
    read = partial(read_phone, region=region)
    read("+493012345")
    return ReadingComparator("a phone number", "phone", _kept(read), unequal="wrong", unread=unread)


def identifier_comparator() -> ReadingComparator:
    """Right where letters and digits are the same; what stands between them, such as hyphens, is left out."""
    return ReadingComparator("an identifier", "identifier", read_identifier, unequal="wrong")


def enum_comparator(
    *, values: Sequence[str] | Mapping[str, Sequence[str]] = (), unread: Otherwise = "text"
) -> ReadingComparator:
    """Compares the values of a list, whatever their case and white space.

    Args:
        values: the values; or for each value the other names that it has.
        unread: how other texts compare.
    """
    names: dict[str, str] = {}
    for value in values:
        for name in (value, *(values[value] if isinstance(values, Mapping) else ())):
            if names.setdefault(fold(name, ignore_case=True), value) != value:
                raise InputValueError(place="values", problem=f"{name!r} is a name of {value!r} and another value")

    def read(value: Scalar) -> Reading | None:
        known = names.get(fold(value, ignore_case=True))
        return None if known is None else Reading(known)

    return ReadingComparator("a value of the list", "enum", read, unequal="wrong", unread=unread)


def text_comparator(
    *, unicode: str = "", case: str = "ignored", space: str = "folded", punctuation: str = ""
) -> ReadingComparator:
    """Compares texts by their similarity after what does not matter was taken out.

    Args:
        unicode: "nfkc" for one form of characters that are written in several ways.
        case: "ignored", or "kept".
        space: "folded" to one space, or "ignored", or "kept".
        punctuation: "ignored" to leave out what is no letter, digit or white space.
    """
    read = partial(read_text, unicode=unicode, case=case, space=space, punctuation=punctuation)
    return ReadingComparator("a text", "text", _kept(read))


def judgements_comparator(
    *, judgements: Sequence[tuple[str, str, float]] = (), unread: Otherwise = "text"
) -> JudgedComparator:
    """Compares texts by verdicts: rows of ground truth, prediction, and true, false or a number in [0, 1].

    Raises:
        ValueError: for a row that is none, or two verdicts on one pair.
    """
    verdicts: dict[tuple[str, str], float] = {}
    for number, row in enumerate(judgements):
        truth, prediction, verdict = row
        pair = fold(truth, ignore_case=True), fold(prediction, ignore_case=True)
        if verdicts.setdefault(pair, float(verdict)) != verdict:
            raise InputValueError(
                place=f"judgements/{number}", problem=f"another verdict on {truth!r} and {prediction!r}"
            )
    return JudgedComparator(verdicts, unread)


COMPARATORS: dict[str, Callable[..., Comparator]] = {
    "text": text_comparator,
    "exact": exact_comparator,
    "identifier": identifier_comparator,
    "number": number_comparator,
    "money": money_comparator,
    "unit": unit_comparator,
    "date": date_comparator,
    "datetime": partial(date_comparator, part="datetime"),
    "time": time_comparator,
    "phone": phone_comparator,
    "boolean": boolean_comparator,
    "enum": enum_comparator,
    "judgements": judgements_comparator,
}

_LIBRARIES = {"money": "babel", "unit": "pint", "phone": "phonenumbers"}  # used whatever the settings
_UNLABELLED = ("decimal", "group", "judgements", "values", "part")


def settings_of(name: str) -> frozenset[str]:
    """The settings that a comparator takes."""
    return frozenset(signature(COMPARATORS[name]).parameters) - {"part"}


def comparator(name: str, **settings: Any) -> Comparator:
    """The comparator of a name, the same for the same settings.

    Raises:
        ValueError: for settings that contradict each other, and where a package of `docscore[values]` is missing.

    >>> money = comparator("money", currency="EUR")
    >>> money.label, money.pair("1.200,50 €", 1200.5, ScoringOptions())
    ('money, currency EUR', 1.0)
    """
    return _made(name, json.dumps(settings, sort_keys=True))


@lru_cache(maxsize=1024)
def _made(name: str, settings: str) -> Comparator:
    keywords = json.loads(settings)
    made = COMPARATORS[name](**keywords)
    shown = [
        str(value).replace(" ", "") if key == "date_order" else f"{key} {str(value).replace(' ', '')}"
        for key, value in keywords.items()
        if key not in _UNLABELLED
    ]
    libraries = [_LIBRARIES.get(name), "babel" if "locale" in keywords and name != "boolean" else None]
    used = tuple(dict.fromkeys(filter(None, libraries)))
    return replace(made, label=", ".join([made.label, *shown]), libraries=used)  # type: ignore[type-var]


def _declared(decimal: str, group: str, locale: str) -> Separators:
    return separators_of(locale) if locale and not decimal and not group else Separators(decimal, group)


def _tolerance(tolerance: float | str | None) -> Callable[[Any, Any], bool] | None:
    """Whether two numbers are at most so far apart."""
    if tolerance is None:
        return None
    is_share = isinstance(tolerance, str)
    amount = Decimal(str(tolerance).rstrip("% ")) / 100 if is_share else decimal_of(str(tolerance)) or Decimal(0)

    def near(truth: Any, prediction: Any) -> bool:
        if isinstance(truth, Fraction):
            return bool(abs(truth - prediction) <= Fraction(amount) * abs(truth))
        most = _EXACT.multiply(amount, _EXACT.abs(truth)) if is_share else amount
        return bool(_EXACT.abs(_EXACT.subtract(truth, prediction)) <= most)

    return near

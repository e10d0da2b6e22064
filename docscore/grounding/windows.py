"""Find numbers and dates in a text: the readings of a wanted value, and the windows of the text with one of them.

A window is the part of a folded text (lower case, NFKC, single spaces) that contains the digits of a wanted number or
date. The readers of typed scores read each window.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from docscore.core.runtime import grouped
from docscore.core.same_value import MONTHS, ORDERS
from docscore.core.values import Scalar, scalar_text
from docscore.metrics.typed.readers import (
    UNIT_SYMBOLS,
    Reading,
    Separators,
    currency_signs,
    read_date,
    read_money,
    read_number,
    read_time,
)

Offsets = tuple[int, int]  # the start of a part of a text, and its end after the last character

UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")  # letters without spaces
BROKEN = "\ufdd0"  # replaces, in a folded text, the hyphen of a word that is divided at the end of a line

# A token is a run of digits joined by these signs without spaces; no number or date begins or ends within a token.
_JOINS = "[.,':/-]"
_TOKEN = re.compile(rf"\d+(?:{_JOINS}\d+)*")
_GROUPS = re.compile(rf"(?<!\d)(?<!\d{_JOINS})(?=(\d{{1,3}}(?: \d{{3}}){{1,6}}(?:[.,]\d+)?)(?!{_JOINS}?\d))")
_RUN, _NO_DIGITS = re.compile(r"\d+"), re.compile(r"\D+")
_SEPARATORS = Separators(".", ","), Separators(",", ".")  # `1,500` has both readings
_MAY_BE_DATE = re.compile(r"\d\D+\d|\d{8}")

# The number of characters to examine before and after a window. A window may touch letters only if they are a currency,
# a unit, a multiplication sign, the T of a timestamp, or of a script without spaces.
_AROUND = 12
_LETTERS_BEFORE, _LETTERS_BEHIND = re.compile(r"[^\W\d]+\Z"), re.compile(r"[^\W\d]+")
_TIMESTAMP = re.compile(r"\dt\Z")
_NAME = r"(?:[^\W\d_]{3}|[^\w\s.,+()-]{1,3})"  # a currency code, a currency sign or a percent sign
_MINUS_TOUCHES = re.compile(r"(?<!\w)-\Z")
_MINUS_BEFORE = re.compile(rf"(?<!\w)(?<!\d )- ?(?:{_NAME} ?)?\Z")
_MINUS_BEHIND = re.compile(r"-(?!\w)")
_BRACKET_BEFORE, _BRACKET_BEHIND = re.compile(rf"\( ?-?(?:{_NAME} ?)?\Z"), re.compile(rf" ?{_NAME}? ?\)")
_POINT_BEFORE = re.compile(r"(?<![\w.,])[.,]\Z")
_PERCENT = re.compile(r" ?%")
_WORD_BEFORE, _WORD_BEHIND = re.compile(r"([^\s\d()+-]+) ?\Z"), re.compile(r" ?([^\s\d()+-]+)")
_QUANTITY = re.compile(r"\s*(.*\d)\s*([^\W\d_]+)\s*")
_IDENTIFIER = re.compile(r"\s*[+-]?0\d")
_MORE_THAN_NUMBER = re.compile(r"[^\W\d]|[^\w\s.,'()+-]")

_MONTH = re.compile(rf"(?<![^\W\d_])({'|'.join(MONTHS)})[a-z]{{0,6}}(?![^\W\d_])")
_DAY_DIGITS, _ISO_DIGITS, _LONGEST_DATE = 2, 8, 40  # characters
_BETWEEN, _OF_MONTH = 3, 16  # characters between two numbers of a date; with words, as in `14th day of March`
_YEAR_BEFORE = re.compile(rf"(?<!\d)(?<!\d{_JOINS})(?:19|20)\d\d[ ,]{{1,2}}\Z")
_YEAR_BEHIND = re.compile(rf"[ ,]{{1,2}}(?:19|20)\d\d(?!{_JOINS}?\d)")
_FOUR_DIGITS, _PLAIN_NUMBERS = re.compile(r"\d{4}"), re.compile(r"[\d ]+")
_DECIMALS = re.compile(r"[a-z] ?\d+[.,]\d+\Z")  # May 10.24
_DAY_SIGN = re.compile(" ?\u65e5")
_CLOCK = re.compile(
    r"(?:t|,? (?:at )?)(\d{1,2}(?:[:.h]\d{2}){0,2}(?: ?(?:uhr|h|[ap]\.?m\.?))?)"
    r"(?:\.\d{1,6})?(?:z|[+-]\d{2}:?\d{2})?(?!\w|[:.]\d)"
)
_MIDNIGHT = "00:00:00"


class Wanted(NamedTuple):
    """The numbers and dates as which a scalar may be read.

    Attributes:
        numbers: the numbers, several if a separator or a percent sign is ambiguous.
        is_number: whether the scalar contains nothing but a number.
        measures: the possible currencies of an amount, or its unit; empty if it names none.
        days: the dates, several if the order is ambiguous.
        clock: the time of day of a date; "" if it has none.
    """

    numbers: frozenset[Decimal] = frozenset()
    is_number: bool = False
    measures: frozenset[str] = frozenset()
    days: frozenset[date] = frozenset()
    clock: str = ""


@lru_cache(maxsize=4096, typed=True)
def wanted_of(value: Scalar) -> Wanted:
    """Return the possible readings of a scalar; a text that begins with a zero and another digit is no number."""
    text = scalar_text(value)
    if isinstance(value, bool) or not _RUN.search(text):
        return Wanted()
    unit, read, dates = "", [read_number(value)], list[date]()
    if type(value) is str:
        quantity = _QUANTITY.fullmatch(value)
        number, unit = quantity.groups() if quantity and quantity[2].casefold() in UNIT_SYMBOLS else (value, "")
        read = [read_money(number, each, signs=currency_signs()) for each in _SEPARATORS]
        if "%" in value:
            read += [read_number(value, each, points=points) for each in _SEPARATORS for points in (False, True)]
        read = [] if _IDENTIFIER.match(value) else read
        dates = [each.value for each in _dates_of(value)] if _MAY_BE_DATE.search(value) else []
    amounts = list(filter(None, read))
    currencies = (each.kind for each in amounts if isinstance(each.kind, frozenset))
    clocks = [each.time().isoformat("seconds") for each in dates if isinstance(each, datetime)]
    return Wanted(
        frozenset(each.value for each in amounts),
        bool(amounts) and not _MORE_THAN_NUMBER.search(text),
        frozenset().union(*currencies, filter(None, [unit.casefold()])),
        frozenset(map(_day_of, dates)),
        clocks[0] if clocks else "",
    )


def _dates_of(text: str) -> list[Reading]:
    """Return the reading of a date, or the readings in each order if the order is ambiguous."""
    certain = read_date(text, "")
    return [certain] if certain else [each for order in ORDERS if (each := read_date(text, "", order=order))]


@lru_cache(maxsize=1 << 14)
def _readings(window: str) -> frozenset[Decimal]:
    return frozenset(reading.value for each in _SEPARATORS if (reading := read_number(window, each)))


@lru_cache(maxsize=1 << 14)
def _days(window: str) -> frozenset[date]:
    plain = window.replace("day of ", "of ")
    return frozenset(_day_of(each.value) for order in ORDERS if (each := read_date(plain, "", order=order)))


def _day_of(when: date) -> date:
    return date(when.year, when.month, when.day)


class Windows:
    """The windows of a folded text that may be numbers or dates.

    Args:
        text: the folded text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _tokens(self) -> list[Offsets]:
        """The spans of the tokens, and of both ends of a token that is a range, such as `1.5.2024-3.5.2024`."""
        tokens = []
        for match in _TOKEN.finditer(self._text):
            start, end = match.span()
            tokens.append((start, end))
            signs = _RUN.sub("", match[0])
            half = len(signs) // 2
            if half and signs[:half] == signs[half + 1 :] and signs[half] not in signs[:half]:
                middle = start + [each.start() for each in _NO_DIGITS.finditer(match[0])][half]
                tokens += [(start, middle), (middle + 1, end)]
        return tokens

    @cached_property
    def _edges(self) -> tuple[set[int], set[int]]:
        """The positions at which tokens begin, and those at which they end."""
        return {start for start, _ in self._tokens}, {end for _, end in self._tokens}

    def is_whole(self, span: Offsets) -> bool:
        """Return whether a span does not begin or end with a digit inside a token."""
        start, end = span
        begins = not self._text[start].isdecimal() or start in self._edges[0]
        return begins and (not self._text[end - 1].isdecimal() or end in self._edges[1])

    @cached_property
    def _numbers(self) -> Mapping[str, list[Offsets]]:
        """The windows that may be numbers by their digits: tokens, and groups of three digits with spaces."""
        groups = (
            (match.start(), match.start() + end.start())
            for match in _GROUPS.finditer(self._text)
            for end in [*re.finditer(r" |\Z", match[1])][1:]
        )
        return grouped((_significant(self._text[start:end]), (start, end)) for start, end in (*self._tokens, *groups))

    @cached_property
    def _dates(self) -> Mapping[tuple[int, ...], list[Offsets]]:
        """The windows that may be dates by their numbers: three numbers, or two and the name of a month."""
        text, (begins, ends) = self._text, self._edges
        runs = [match.span() for match in _RUN.finditer(text)]
        found = defaultdict[tuple[int, ...], list[Offsets]](list)

        def add(start: int, end: int, *numbers: str | int) -> None:
            day_sign = _DAY_SIGN.match(text, end)
            if end - start <= _LONGEST_DATE and (end in ends or day_sign):
                found[_key_of_date(*map(int, numbers))].append((start, day_sign.end() if day_sign else end))

        for (a, b), (c, d), (e, f) in zip(runs, runs[1:], runs[2:], strict=False):
            if c - b <= _BETWEEN >= e - d and a in begins:
                add(a, f, text[a:b], text[c:d], text[e:f])
        for start, end in runs:
            if end - start == _ISO_DIGITS and start in begins:
                add(start, end, text[start : end - 4], text[end - 4 : end - 2], text[end - 2 : end])
        for match in _MONTH.finditer(text):
            month, at = MONTHS.index(match[1]) + 1, bisect_left(runs, match.span())
            for (a, b), (c, d) in pairwise(runs[max(0, at - 1) : at + 2]):
                is_month_first = match.start() < a
                gap = c - b if is_month_first else match.start() - b
                if gap <= _OF_MONTH and (b - a <= _DAY_DIGITS if is_month_first else a in begins):
                    add(min(a, match.start()), d, month, text[a:b], text[c:d])
        return found

    def numbers(self, wanted: Wanted) -> Iterator[Offsets]:
        """Yield the windows that may be read as a number."""
        for digits in {_significant("".join(map(str, each.as_tuple().digits))) for each in wanted.numbers}:
            for start, end in self._numbers.get(digits, ()):
                before, after = self._around(start, end)
                if (
                    _is_edge_before(before)
                    and _is_edge_behind(after)
                    and not wanted.numbers.isdisjoint(_numbers_between(before, self._text[start:end], after))
                    and (signs := _signs_beside(wanted.measures, before, after))
                ):
                    yield start - signs[0], end + signs[1]

    def dates(self, wanted: Wanted) -> Iterator[Offsets]:
        """Yield the windows that may be read as a date, with its time of day if the wanted date has one.

        Midnight is also read from a date without a time of day.
        """
        for day in wanted.days:
            for start, end in self._dates.get(_key_of_date(day.year, day.month, day.day), ()):
                window, (before, after) = self._text[start:end], self._around(start, end)
                if not (_is_edge_before(before) and _is_edge_behind(after) and day in _days(window)):
                    continue
                if not _has_year(before, window, after):
                    continue
                clock = _CLOCK.match(self._text, end)
                time = read_time(clock[1]) if clock else None
                if not wanted.clock or (time is None and wanted.clock == _MIDNIGHT):
                    yield start, end
                elif clock and time and time.spelling == wanted.clock:
                    yield start, clock.end()

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self._text[max(0, start - _AROUND) : start], self._text[end : end + _AROUND]


def _key_of_date(*numbers: int) -> tuple[int, ...]:
    """Return the numbers of a date in ascending order, with only the last two digits of the year."""
    return tuple(sorted(number % 100 for number in numbers))


def _significant(digits: str) -> str:
    """Return the digits of a text without zeros at both ends."""
    return _NO_DIGITS.sub("", digits).strip("0")


def _numbers_between(before: str, window: str, after: str) -> set[Decimal]:
    """Return the possible numbers of a window, given the point, signs, brackets and percent sign around it."""
    numbers = {*_readings(window), *(_readings(f".{window}") if _POINT_BEFORE.search(before) else ())}
    numbers |= {number / 100 for number in numbers} if _PERCENT.match(after) else set()
    negative = {-number for number in numbers}
    if _MINUS_TOUCHES.search(before):
        return negative
    is_in_brackets = _BRACKET_BEFORE.search(before) and _BRACKET_BEHIND.match(after)
    may_be_negative = is_in_brackets or _MINUS_BEFORE.search(before) or _MINUS_BEHIND.match(after)
    return numbers | negative if may_be_negative else numbers


def _has_year(before: str, window: str, after: str) -> bool:
    """Return whether a date may have a year: not three plain numbers, nor two digits next to a four-digit year."""
    if " " not in window or _FOUR_DIGITS.search(window):
        return True
    if _DECIMALS.search(window):
        return False
    return not (_PLAIN_NUMBERS.fullmatch(window) or _YEAR_BEFORE.search(before) or _YEAR_BEHIND.match(after))


def _is_edge_before(before: str) -> bool:
    """Return whether a window may begin here: not within a word, and not after a hyphen at the end of a line."""
    letters = _LETTERS_BEFORE.search(before)
    if letters is None:
        return not before.endswith(f"{BROKEN} ")
    return bool(_TIMESTAMP.search(before)) or _is_edge(letters[0], letters[0][-1])


def _is_edge_behind(after: str) -> bool:
    """Return whether a window may end here: not within a word, and not before a hyphen at the end of a line."""
    letters = _LETTERS_BEHIND.match(after)
    if letters is None:
        return not after.startswith(BROKEN)
    return letters[0] in UNIT_SYMBOLS or _is_edge(letters[0], letters[0][0])


def _is_edge(letters: str, touching: str) -> bool:
    return letters == "x" or letters in currency_signs() or bool(UNSPACED.match(touching))


def _signs_beside(measures: frozenset[str], before: str, after: str) -> Offsets | None:
    """Return the lengths of a wanted currency or unit, a point or a percent sign before and after a number.

    Return None if the number has only a currency or unit that is not wanted.
    """
    percent = _PERCENT.match(after)
    lengths, is_other = [len(_POINT_BEFORE.findall(before)), percent.end() if percent else 0], False
    for side, word in enumerate((_WORD_BEFORE.search(before), _WORD_BEHIND.match(after)) if measures else ()):
        for name in {word[1], word[1].rstrip(".,;")} if word else ():
            measure = currency_signs().get(name) or frozenset({name} & UNIT_SYMBOLS)
            is_wanted = not measure.isdisjoint(measures)
            lengths[side] = len(word[0]) if word and is_wanted else lengths[side]
            is_other = is_other or bool(measure and not is_wanted)
    return None if is_other and not any(lengths) else (lengths[0], lengths[1])

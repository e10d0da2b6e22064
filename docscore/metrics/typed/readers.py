"""Readers: one function for each type of value, which reads a scalar and returns a reading, or None.

A value is read only if there is one way to read it. For an ambiguous value without a setting, the reader returns None;
`docscore.metrics.typed.comparators` then reads the value with each possible setting.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from datetime import date, datetime, time, timezone
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, short_repr
from docscore.core.numbers import UNROUNDED, DecimalText, decimal_value, shortest_spelling
from docscore.core.runtime import library
from docscore.core.same_value import date_of, hour_of_day, letters_of, number_of, separated_number
from docscore.core.values import Scalar, number_text, scalar_text

LOCALES = ("de", "fr", "es", "it", "nl", "pt", "sv", "da", "nb", "fi", "pl", "cs")  # locales to try for a field

_LONGEST = 100  # the most characters of an amount with its currency or unit

# Words and symbols that CLDR and pint do not have or read differently:
# * currencies: symbols `shared` by all currencies with this narrow symbol in CLDR, other forms of the `same` symbol,
#   symbols of their `own` that only one currency has, and `codes` of currencies in use and of the last before the euro;
# * units: other names (`spelled`), with products as in the SI Brochure, 9th edition, 5.4, and "" for several meanings
#   (ares or years, months or French megabytes, bits or bytes); units that CLDR names with words (`named`); and
#   lower-case `symbols` that may follow digits without a space in a document;
# * dates: words in dates that the patterns of CLDR do not have, without accents;
# * booleans: true and false in each language.
_WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text("utf-8"))

# Full-width characters, characters used as minus signs or as apostrophes between groups of digits, and marks of the
# direction of writing.
_FORMS: dict[int, int | str | None] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_FORMS |= dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212\ufe63"), "-")
_FORMS |= dict.fromkeys(map(ord, "\u2018\u2019\u02bc\u066c"), "'")
_FORMS |= {0x66B: ".", 0x66A: "%", 0xFFE5: "\u00a5", 0xFFE1: "\u00a3", 0x3002: "."}
_FORMS |= dict.fromkeys((0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)))


class Reading(NamedTuple):
    """The value of a scalar that was read.

    Attributes:
        spelling: the canonical spelling: values are equal if their spellings are equal.
        value: the value for tolerances; for a quantity, in base units.
        kind: a second condition of equality: the possible currencies of an amount, or None if it names none; the base
            units of a quantity.
        ignored: the name of a part that was ignored: "time of day".
    """

    spelling: str
    value: Any = None
    kind: Hashable = None
    ignored: str = ""


def extra(name: str, kind: str) -> Any:
    """Import a module of `docscore[values]`.

    Raises:
        ValueError: if it is not installed, naming the extra.
    """
    return library(name, f"values cannot be read as {kind} without the package {name.partition('.')[0]}", "values")


def ascii_form(text: str) -> str:
    """Return the stripped text, with digits, signs and spaces of other scripts and widths converted to ASCII.

    Marks of the direction of writing are left out.

    >>> ascii_form("１２．５０ €"), ascii_form("\u2212٣\u00a0kg")
    ('12.50 €', '-3 kg')
    """
    if text.isascii():
        return text.strip()
    plain = text.translate(_FORMS)
    return "".join(
        str(unicodedata.decimal(each)) if each.isdecimal() else " " if each.isspace() else each for each in plain
    ).strip()


_ABOVE = 200  # the least combining class of accents; vowels and signs of other scripts have lower classes


def _folded(text: str) -> str:
    """Return the `ascii_form` of a text in lower case and without accents."""
    letters = unicodedata.normalize("NFD", ascii_form(text).casefold())
    return unicodedata.normalize("NFC", "".join(each for each in letters if unicodedata.combining(each) < _ABOVE))


class Separators(NamedTuple):
    """The declared characters before decimals and between groups of digits; "" if undeclared.

    Attributes:
        decimal: the character before decimals.
        group: the character between groups of digits.
        native: both characters for digits of the locale's own script; None if undeclared.
    """

    decimal: str = ""
    group: str = ""
    native: tuple[str, str] | None = None

    def beside(self, value: Scalar) -> "Separators":
        """Return the separators for a value, which depend on the script of its digits."""
        return Separators(*self.native) if self.native and _NATIVE.search(str(value)) else self


UNDECLARED = Separators()
_NATIVE = re.compile("[\u066b\u066c]|(?![0-9])\\d")


@cache
def locale_data(locale: str) -> Any:
    """Return the CLDR data of a locale such as "de" or "fr_CA".

    Raises:
        ValueError: for a locale that CLDR does not have.
    """
    core = extra("babel.core", "texts of a locale")
    try:
        return core.Locale.parse(locale.replace("-", "_"))
    except (ValueError, TypeError, core.UnknownLocaleError):
        raise InputValueError(expected='a locale such as "de" or "fr_CA"', got=short_repr(locale)) from None


def separators_of(locale: str) -> Separators:
    """Return the separators of numbers in a locale."""
    data = locale_data(locale)
    latin = data.number_symbols["latn"]
    native = {**latin, **data.number_symbols.get(data.other_numbering_systems.get("native"), {})}
    both = [(ascii_form(each["decimal"]), ascii_form(each["group"]) or " ") for each in (latin, native)]
    return Separators(*both[0], native=both[1])


_POINT = re.compile(r"(?:\d+(?:\.(?:\d{1,2}|\d{4,}))?|(?:0|[1-9]\d{3,})?\.\d+)\Z", re.ASCII)


def _unsigned(text: str, declared: Separators, *, as_json: bool) -> Decimal | None:
    """Read digits and separators; with `as_json`, the point in "1.500" comes before decimals."""
    if not text or text[0] in "+-":
        return None
    number = None
    if as_json or any(declared):
        number = number_of(text, decimal=declared.decimal or ".", group=declared.group)
    if number is None:
        certain = separated_number(text)
        number = certain[0] if certain else Decimal(text) if _POINT.match(text) else None
    return number


_PLACES = {"": 0, "%": 2, "\u2030": 3}


def read_number(value: Scalar, declared: Separators = UNDECLARED, *, points: bool = False) -> Reading | None:
    """Read a number from a JSON number or a text; 21% is 0.21, or 21 with `points`; (5) and 5- are -5.

    >>> [reading and reading.spelling for reading in map(read_number, ("(1,200.77)", "21%", "1.234,5", "1,500"))]
    ['-1200.77', '0.21', '1234.5', None]
    """
    number = _number(value, declared, points=points)
    return None if number is None else Reading(shortest_spelling(number), number)


def _number(value: Scalar, declared: Separators = UNDECLARED, *, points: bool = False) -> Decimal | None:
    if isinstance(value, bool):
        return None
    if not isinstance(value, str) or isinstance(value, DecimalText):
        return decimal_value(value)
    text, declared = ascii_form(value), declared.beside(value)
    parts = _around(text, declared, as_json=True)
    if parts is None or parts[0] or parts[2] not in _PLACES:  # it has an exponent, or is too long for an amount
        signed = text[:1] in ("+", "-")
        number = _unsigned(text[signed:].lstrip(), declared, as_json=True)
        return number.copy_negate() if number is not None and text[0] == "-" else number
    return parts[1] if points and parts[2] == "%" else parts[1].scaleb(-_PLACES[parts[2]], UNROUNDED)


# An unsigned number between two texts; `rest` marks the absence of decimals, as in `5,-`, and `minus` is a minus as in
# `5- EUR`. A point without a digit before it must follow a space, a sign or a symbol: `Rs.500` is not half a rupee.
_POINT_FIRST = r"(?<![^\s()+$\xa2-\xa5\u20a0-\u20c0-])[.,](?=\d)"
_DIGITS = rf"(?P<digits>(?:\d|{_POINT_FIRST})(?:[\d.,' ]*\d)?)(?P<rest>[.,]-{{1,2}})?(?P<minus>- )?"
_AROUND = re.compile(rf"(?P<before>[^\d]*?){_DIGITS}(?P<after>[^\d]*)\Z", re.ASCII)


def _around(text: str, declared: Separators, *, as_json: bool = False) -> tuple[str, Decimal, str] | None:
    """Return the text before a number, the signed number, and the text after it; `as_json` as for `_unsigned`."""
    match = _AROUND.match(text) if len(text) <= _LONGEST else None
    if match is None:
        return None
    before, after = match["before"].strip(), match["after"].strip()
    brackets, closed = before.count("("), after.count(")")
    before, after = before.replace("(", " ").strip(), after.replace(")", " ").strip()
    first, last = before.strip("+- "), after.rstrip("- ")
    signs = f"{before.replace(first, '', 1)}{match['minus'] or ''}{after[len(last) :]}".replace(" ", "")
    if brackets != closed or brackets + len(signs) > 1:  # several signs are ambiguous
        return None
    if match["rest"]:  # the character before the dashes is the decimal separator
        declared = declared if any(declared) else Separators(match["rest"][0], ".,".replace(match["rest"][0], ""))
    number = _unsigned(match["digits"], declared, as_json=as_json)
    return None if number is None else (first, number.copy_negate() if brackets or signs == "-" else number, last)


@cache
def currency_signs() -> Mapping[str, frozenset[str]]:
    """Return the possible currencies of symbols and codes in lower case, which need no library, unlike CLDR."""
    known = _WORDS["currencies"]
    meant = {code.casefold(): code for code in " ".join(known["codes"]).split()} | known["own"] | known["shared"]
    signs = {sign: frozenset(codes.split()) for sign, codes in meant.items()}
    return signs | {word: signs[symbol] for word, symbol in known["same"].items()}


@cache
def _currencies(locale: str) -> Mapping[str, frozenset[str]]:
    """Return the possible currencies of each symbol, code and name in lower case; a country limits shared symbols."""
    numbers = extra("babel.numbers", "money")
    codes = sorted(numbers.list_currencies())
    words: list[dict[str, frozenset[str]]] = []
    for data in map(locale_data, dict.fromkeys((locale or "en", "en"))):
        named: dict[str, frozenset[str]] = {}
        for code, count in product(codes, (None, 1, 2, 5)):
            for word in (numbers.get_currency_name(code, count, data), data.currency_symbols.get(code, "")):
                spelled = ascii_form(word).casefold()
                named[spelled] = named.get(spelled, frozenset()) | {code}
        words.append(named)
    known = dict(currency_signs()) | words[-1] | words[0]
    known |= {code.casefold(): frozenset({code}) for code in codes}
    territory = locale and locale_data(locale).territory
    home = set(numbers.get_territory_currencies(territory)) if territory else set()
    for symbol, several in _WORDS["currencies"]["shared"].items():
        of_locale = words[0].get(symbol, frozenset()) if locale else frozenset()
        known[symbol] = of_locale | (home.intersection(several.split()) or set(several.split()))
    return known | {word: known[symbol] for word, symbol in _WORDS["currencies"]["same"].items()}


_SIGNS_OF = re.compile(r"\s+|(?<=\b[a-z]{3})(?=[^\w\s])")  # between the names of a currency: `usd $`, `usd$`


def read_money(
    value: Scalar,
    declared: Separators = UNDECLARED,
    *,
    locale: str = "",
    currency: str = "",
    signs: Mapping[str, frozenset[str]] | None = None,
) -> Reading | None:
    """Read an amount with its possible currencies: None if it names no currency, several for `$`.

    Args:
        value: a scalar.
        declared: the separators of texts.
        locale: a locale whose names of currencies are read in addition to English names; its country decides what `$`
            means.
        currency: the code of the currency of amounts with no currency or a shared symbol; "ignored" to ignore
            currencies; any other text if the currency is unknown.
        signs: the possible currencies of each symbol, code and name in lower case; None for the signs of CLDR.
    """
    if isinstance(value, str) and type(value) is not DecimalText:
        parts = _around(ascii_form(value), declared.beside(value))
        if parts is None:
            return None
        known = _currencies(locale) if signs is None else signs
        named = [known.get(word.casefold()) for word in (parts[0], parts[2]) if word]
        if None in named:
            named = [
                known.get(word) for part in (parts[0], parts[2]) for word in _SIGNS_OF.split(part.casefold()) if word
            ]
        if None in named:
            return None
        codes = frozenset.intersection(*named) if named else None  # type: ignore[arg-type]
        number: Decimal | None = parts[1]
    else:
        number, codes = _number(value), None
    if number is None or codes == frozenset():
        return None
    if currency.isupper() and (codes is None or currency in codes):
        codes = frozenset({currency})
    return Reading(shortest_spelling(number), number, None if currency == "ignored" else codes)


# Units that are common in documents and mean the same everywhere, unlike gallons; a calorie without a prefix may be a
# kilocalorie.
_METRIC = frozenset(_WORDS["units"]["metric"])
_UNITS = _METRIC - {"calorie"} | {*_WORDS["units"]["other"]}
UNIT_SYMBOLS = frozenset(_WORDS["units"]["symbols"])
_POWERS = str.maketrans({"\u00b2": "^2", "\u00b3": "^3", "\u03bc": "\u00b5"} | dict.fromkeys("\u00b7\u22c5\u2219", "*"))
_FACTOR = re.compile(r"\s*(?P<name>[^\d^]*[^\d^\s.])\.?(?:\^?(?P<power>[23]))?\s*\Z")


@cache
def unit_registry() -> Any:
    """Return pint's units with exact fractions."""
    return extra("pint", "quantities").UnitRegistry(non_int_type=Fraction, autoconvert_offset_to_baseunit=True)


@cache
def _unit_words(locale: str) -> Mapping[str, str]:
    """Return the units by word: other names of units, and the CLDR names of a locale in lower case."""
    known = dict(_WORDS["units"]["spelled"])
    if not locale:
        return known
    locale_data(locale)
    write = extra("babel.units", "quantities").format_unit
    for unit in _WORDS["units"]["named"]:
        name = unit.partition("-")[2].replace("square-meter", "meter^2").replace("-", "_")
        for length, count in product(("long", "short"), (0, 1, 2, 3, 5, 6, 11)):  # covers all plural forms
            word = write(count, unit, length=length, locale=locale.replace("-", "_")).strip("0123456789. \xa0\u202f")
            if sum(map(str.isalpha, word)) > 2:  # noqa: PLR2004  `m.` may be a month or a metre
                known.setdefault(word.casefold(), name)
    return known


@lru_cache(maxsize=1 << 12)
def _unit(text: str, locale: str, which: int | None) -> Any:
    """Return the pint unit that a text names, or None; `which` as for `_unit_name`."""
    unit = unit_registry().Unit("")
    for i, side in enumerate(text.translate(_POWERS).split("/")):
        for factor in map(_FACTOR.match, side.split("*")):
            name = factor and _unit_name(factor["name"], locale, which)
            if not factor or not name:
                return None
            unit *= unit_registry().Unit(name) ** (int(factor["power"] or 1) * (-1 if i else 1))
    return unit


_CASES = 4  # the first letters, whose case may matter: `mWh` is not `MWh`, and `MByte` is not a millibyte


def _unit_name(word: str, locale: str, which: int | None) -> str:
    """Return the unit with this symbol or name, or else the unit with other capitals; "" if there is none.

    If several units have other capitals, `which` is the alphabetical number of the one to choose; None for none.
    """
    cases = product(*({each.lower(), each.upper()} for each in word[:_CASES])) if len(word) > 1 else ()
    for spelled in ([word], ["".join(each) + word[_CASES:].lower() for each in cases]):
        meanings = [name for name in {_exact_unit(each, _unit_words(locale)) for each in spelled} if name is not None]
        if len(meanings) > 1 and which is None:
            return ""
        if meanings:
            return "" if "" in meanings else sorted(meanings)[(which or 0) % len(meanings)]
    return ""


def _exact_unit(word: str, words: Mapping[str, str]) -> str | None:
    """Return the unit of a word with its prefix; "" if it has several meanings, None if it has none."""
    fitting = [
        f"{prefix}{name}"
        for prefix, name, _ in unit_registry().parse_unit_name(word)
        if prefix in _WORDS["units"]["prefixes"] and name in (_METRIC if prefix else _UNITS)
    ]
    return words.get(word, fitting[0] if fitting else None)


def read_quantity(
    value: Scalar, declared: Separators = UNDECLARED, *, locale: str = "", unit: str = "", which: int | None = None
) -> Reading | None:
    """Read a number with a unit, or several of one dimension (`1 h 30 min`), and convert it exactly to base units.

    Args:
        value: a scalar.
        declared: the separators of texts.
        locale: a locale whose names of units are read in addition to symbols and English names.
        unit: the unit of numbers without a unit, or "".
        which: the number of the unit to choose for symbols such as `MWH`, which mean several units with other capitals;
            None to not read such symbols.
    """
    number, kind = Fraction(0), None
    of_json = not isinstance(value, str) or isinstance(value, DecimalText)
    for text in _parts(number_text(value)):
        parts = _around(text, UNDECLARED if of_json else declared.beside(value), as_json=of_json)
        if parts is None or parts[0] or (kind is not None and (parts[1] < 0 or not parts[2])):
            return None
        named = _unit(parts[2] or unit, locale, which) if parts[2] or unit else unit_registry().Unit("")
        if named is None:
            return None
        quantity = unit_registry().Quantity(Fraction(parts[1]), named).to_base_units()
        base = frozenset(quantity.unit_items())
        if kind not in (None, base):
            return None
        number, kind = number + Fraction(quantity.magnitude), base
    return Reading(str(number), number, kind)


_NEXT = re.compile(r"(?<=[^\W\d_]) ?(?=\d)")  # between a unit and the next number
_POWER = re.compile(r"(?<=[^\W\d_])\^?([23])(?![\d.,])")


def _parts(text: str) -> list[str]:
    """Split a text into its quantities, with powers written as superscripts."""
    superscript = {"2": "\u00b2", "3": "\u00b3"}
    text = _POWER.sub(lambda match: superscript[match[1]], ascii_form(text))
    return _NEXT.split(text) if len(text) <= _LONGEST else [""]


_KANJI = re.compile(r"(\d{4}) ?\u5e74 ?(\d{1,2}) ?\u6708 ?(\d{1,2}) ?\u65e5")
_MARK = r"[\s.,;/'()-]"
_FIELD = re.compile(r"%\((\w+)\)s")  # a field in the format of a pattern, such as `%(d)s. %(MMMM)s %(y)s`
_WIDTHS = ("wide", "abbreviated")
_PARTS = ("day", "month", "year")
# Languages of countries that also use years of another calendar: Islamic, Persian, Buddhist, of an era, Minguo.
_OTHER_YEARS = re.compile(r"(?:ar|ckb|fa|ja|lrc|mzn|ps|th|zh_Hant)(?:_|\Z)")
_FEWEST, _MOST = 1800, 2200  # years that are certainly Gregorian


def _form(pattern: Any, fields: Mapping[str, str], between: str = "") -> str:
    """Return a regular expression for a pattern of CLDR.

    Args:
        pattern: the pattern, such as `d. MMMM y`.
        fields: the expressions of its fields by their letters; other fields are left out.
        between: the expression between fields; "" for the characters of the pattern.
    """

    def part(piece: re.Match[str]) -> str:
        if name := piece[1]:
            return fields.get(name[:3], fields.get(name[0], ""))
        return between or r"\s*".join(map(re.escape, ["", *_folded(piece[0]).split(), ""]))

    return re.sub(rf"{_FIELD.pattern}|[^%]+", part, pattern.format)


def _one_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(filter(None, words), key=len, reverse=True)))


@cache
def _notation(locale: str) -> tuple[Mapping[str, str], list[re.Pattern[str]], list[re.Pattern[str]]]:
    """Return the notation of dates and times in a locale, from the patterns and names of CLDR.

    Returns:
        The meanings of names of months and parts of the day: "01" to "12", "am" or "pm".
        Expressions of dates in four styles. If a pattern names the month, it matches any name of a month, surrounded by
        punctuation, days of the week, and the words of all patterns.
        Expressions of times in two styles.
    """
    data, write = locale_data(locale), extra("babel.dates", "times of a locale").format_time
    named: defaultdict[str, set[str]] = defaultdict(set)
    for widths, width in product(data.months.values(), _WIDTHS):
        for number, name in widths[width].items():
            named[_folded(name).strip(". ")].add(f"{number:02}")
    for hour, minute, pattern in product(range(24), (0, 30), ("a", "aaaa", "B", "BBBB")):
        with suppress(ValueError):  # CLDR has no name of this part of the day
            named[_folded(write(time(hour, minute), pattern, locale=data))].add(("am", "pm")[hour // 12])
    meanings = {word: min(several) for word, several in named.items() if len(several) == 1}
    dates = data.date_formats.values()
    literals = (_FIELD.sub(" ", each.format) for each in dates)
    days = [name for widths, width in product(data.days.values(), _WIDTHS) for name in widths[width].values()]
    dropped = {_folded(name).strip(". ") for name in (*days, *(data.eras[width][1] for width in _WIDTHS))}
    dropped |= {*_WORDS["dates"], *re.split(rf"{_MARK}+", _folded(" ".join(literals)))}
    gap, before_clock = (rf"{mark}*(?:(?:{_one_of(dropped)}){mark}*){{0,4}}" for mark in (_MARK, r"[\s.,]"))
    month, period = (rf"(?P<{name}>{_one_of(meanings)})" for name in ("month", "period"))
    digits = {"d": "day", "M": "month", "L": "month", "h": "hour", "H": "hour", "m": "minute", "s": "second"}
    fields = {letter: rf"(?<!\d)(?P<{name}>\d\d?)(?!\d)" for letter, name in digits.items()}
    fields |= {"y": r"(?<!\d)(?P<year>\d{4}|\d\d)(?!\d)", "MMM": month, "LLL": month, "a": period, "B": period}
    forms = [_form(each, fields, gap if re.search("MMM|LLL", each.pattern) else "") for each in dates]
    return (
        meanings,
        [
            re.compile(rf"{gap}{form}(?:{gap}|{before_clock}(?<!\d)(?P<clock>(?=.*[^\W\d_]|.*:)\S.*))\Z")
            for form in forms
        ],
        [re.compile(rf"{_form(data.time_formats[style], fields)}\Z") for style in ("short", "medium")],
    )


@cache
def date_order(locale: str) -> str:
    """Return the order of day, month and year in a locale; "" for English without a country, which has several."""
    if locale in ("", "en"):
        return ""
    return "".join(re.findall(r"%\(([dMy])", locale_data(locale).date_formats["short"].format)).lower()


def _iso_form(text: str, locale: str, order: str) -> str:
    """Return a date in the notation of a locale as year, month and day; "" for other texts.

    The order applies to dates in numbers and to years of two digits.
    """
    meanings, forms, _ = _notation(locale)
    for match in filter(None, (form.match(_folded(text)) for form in forms)):
        day, month, year = (match[name] for name in _PARTS)
        written = "".join(name[0] for name in sorted(_PARTS, key=match.start))
        is_certain = len(year) > 2 and (month in meanings or written == "ymd")  # noqa: PLR2004
        clock = read_time(match["clock"], locale) if match["clock"] else Reading("")
        if (is_certain or written == order) and clock and clock.kind is None:
            return f"{year}-{meanings.get(month, month):0>2}-{day:0>2} {clock.spelling}".strip()
    return ""


def read_date(
    value: Scalar, part: str = "date", *, order: str = "", locale: str = "", pattern: str = ""
) -> Reading | None:
    """Read a date or a point in time; a time with an offset is converted to UTC.

    Args:
        value: a scalar.
        part: "date" for the day as written; "datetime" for the point in time, midnight for a date without a time; ""
            for the point in time if there is a time of day, and otherwise the day.
        order: the order of ambiguous dates: "dmy", "mdy" or "ymd"; the default is the order of the locale.
        locale: a locale whose notation of dates is read in addition to the common notations.
        pattern: a pattern as for `strptime` that is tried before the common notations: "%d%m%y".
    """
    when, ignored = _date(value, order, locale, pattern), ""
    if isinstance(when, datetime) and part == "date":
        when, ignored = when.date(), "time of day"
    elif when and not isinstance(when, datetime) and part == "datetime":
        when = datetime.combine(when, time())
    try:
        moment = when.astimezone(timezone.utc) if isinstance(when, datetime) and when.tzinfo else when
    except OverflowError:  # before year 1, or after 9999
        return None
    return None if moment is None else Reading(moment.isoformat().replace("+00:00", "Z"), when, ignored=ignored)


def _date(value: Scalar, order: str, locale: str, pattern: str) -> date | None:
    """Return the date, or the `datetime` if there is a time of day; None for other texts and ambiguous dates."""
    text = ascii_form(scalar_text(value))
    if pattern:
        with suppress(ValueError):
            moment = datetime.strptime(text, pattern)  # noqa: DTZ007  the pattern may have an offset
            return moment if re.search("%[HIMSTXc]", pattern) else moment.date()
    order = order or date_order(locale)
    iso = _iso_form(text, locale, order) if locale and len(text) <= _LONGEST else ""
    plain = _KANJI.sub(lambda match: f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}", text)
    when = date_of(iso, "ymd") if iso else date_of(plain, order or None)
    if when and locale and _OTHER_YEARS.match(str(locale_data(locale))):
        return when if _FEWEST < when.year < _MOST and str(when.year) in text else None
    return when


_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?:(?:[:.]| ?h ?)(?P<minute>\d{2})(?:[:.](?P<second>\d{2})(?P<fraction>\.\d{1,6})?)?)?"
    r"(?P<word> ?(?:uhr|h|o'clock))?(?: ?(?P<half>[ap])\.?m\.?)? ?(?P<offset>z|[+-]\d{2}:?\d{2})?\Z",
    re.ASCII | re.IGNORECASE,
)


def read_time(value: Scalar, locale: str = "") -> Reading | None:
    """Read a time of day; a time with an offset is converted to UTC.

    Args:
        value: a scalar.
        locale: a locale whose notation is read in addition to the common notations.

    >>> times = ("2:30 pm", "14h30", "14.30 Uhr", "14:30+02:00", "14", "14:30 pm")
    >>> [reading and reading.spelling for reading in map(read_time, times)]
    ['14:30:00', '14:30:00', '14:30:00', '12:30:00+00:00', None, None]
    """
    text = ascii_form(scalar_text(value))
    meanings, _, forms = _notation(locale) if locale and len(text) <= _LONGEST else ({}, [], [])
    for written in filter(None, (form.match(_folded(text)) for form in forms)):
        parts = {"second": "0", "period": "", **written.groupdict()}
        half = meanings.get(parts["period"], "")
        text = f"{parts['hour']}:{parts['minute']:0>2}:{parts['second']:0>2} {half}".strip()
    match = _CLOCK.match(text)
    if match is None or not (match["minute"] or match["half"] or match["word"]):
        return None
    if (match["offset"] or "").startswith("-") and not match["second"]:  # 09:00-12:00 is an interval
        return None
    offset = (match["offset"] or "").upper().replace("Z", "+0000").replace(":", "")
    microseconds = int((match["fraction"] or ".0")[1:].ljust(6, "0"))
    try:
        hour = hour_of_day(int(match["hour"]), match["half"])
        clock = time(hour, int(match["minute"] or 0), int(match["second"] or 0), microseconds)
        if offset:
            zone = datetime.strptime(offset, "%z").tzinfo
            clock = datetime.combine(date(2000, 1, 2), clock, zone).astimezone(timezone.utc).timetz()
    except ValueError:
        return None
    seconds = clock.hour * 3600 + clock.minute * 60 + clock.second + Decimal(microseconds).scaleb(-6)
    return Reading(clock.isoformat(), seconds, clock.tzinfo)


# The only letters in a phone number are a label before it or belong to an extension.
_PHONE = re.compile(
    r"(?:(?:tel|phone|fon|ph)\.?:? *)?([+(]?[\d][\d ()./+-]*)((?:ext\.?|x|extension|;ext=) *\d+)?\Z",
    re.ASCII | re.IGNORECASE,
)


def read_phone(value: Scalar, region: str = "") -> Reading | None:
    """Read a phone number, in E.164 format with its extension: `+493090182` or `+16502530000;ext=12`.

    The value of the reading is a country with its country code.

    Args:
        value: a scalar.
        region: the country of numbers without a country code, such as "DE"; with "", such numbers are not read.
    """
    phones = extra("phonenumbers", "phone numbers")
    match = _PHONE.match(ascii_form(scalar_text(value)))
    if match is None:
        return None
    try:
        number = phones.parse("".join(filter(None, match.groups())), region or None)
    except phones.NumberParseException:
        return None
    if not phones.is_possible_number(number):
        return None
    end = f";ext={number.extension}" if number.extension else ""
    spelling = f"{phones.format_number(number, phones.PhoneNumberFormat.E164)}{end}"
    return Reading(spelling, phones.region_code_for_country_code(number.country_code))


@cache
def _truths(locale: str, right: tuple[str, ...], wrong: tuple[str, ...]) -> Mapping[str, bool]:
    known, words = _WORDS["booleans"], dict[str, bool]()
    for language in ("", re.split("[-_]", locale)[0]):
        if language not in known:
            raise InputValueError(
                expected=f"a language whose words are known: {', '.join(filter(None, known))}", got=repr(locale)
            )
        for value, own in zip((True, False), known[language], strict=True):
            words |= dict.fromkeys(own.split(), value)
    for value, given in ((True, right), (False, wrong)):
        words |= dict.fromkeys((word.strip().casefold() for word in given), value)
    return words


def read_boolean(
    value: Scalar, *, locale: str = "", right: tuple[str, ...] = (), wrong: tuple[str, ...] = ()
) -> Reading | None:
    """Read true, false, yes and no, the words of a language, and the words in `right` and `wrong`, in any case.

    >>> read_boolean("Yes").spelling, read_boolean("nein", locale="de").spelling, read_boolean("maybe")
    ('True', 'False', None)
    """
    truth = _truths(locale, right, wrong).get(scalar_text(value).strip().casefold())
    return None if truth is None else Reading(str(truth))


_SEPARATORS = re.compile(r"(?<=\w)[\W_]+(?=\w)")


def read_identifier(value: Scalar) -> Reading:
    """Return a text, or the shortest spelling of a number, without the characters between letters and digits.

    >>> [read_identifier(value).spelling for value in ("DE02 1203-0000", " #7/8 ", "-5", "1.5", 1.5)]
    ['DE0212030000', '#78', '-5', '15', '15']
    """
    text = unicodedata.normalize("NFKC", value if isinstance(value, str) else number_text(value)).strip()
    return Reading(_SEPARATORS.sub(lambda between: letters_of(between[0]), text).replace("_", ""))


_SIGNS = re.compile(r"[^\w\s]|_")  # also matches combining marks, such as vowels in Hindi


def read_text(value: Scalar, *, unicode: str, case: str, space: str, punctuation: str) -> Reading:
    """Normalise a text; for the settings, see `text_comparator`.

    >>> read_text("ﬁn  d'Août,", unicode="nfkc", case="ignored", space="folded", punctuation="ignored").spelling
    'fin daoût'
    """
    text = scalar_text(value)
    text = unicodedata.normalize("NFKC", text) if unicode == "nfkc" else text
    text = text.casefold() if case == "ignored" else text
    text = _SIGNS.sub(lambda sign: letters_of(sign[0]), text) if punctuation == "ignored" else text
    return Reading(text if space == "kept" else (" " if space == "folded" else "").join(text.split()))

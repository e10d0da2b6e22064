"""Count which dates, times, numbers and amounts are read that babel writes: `python -m dev.benchmarks.notations`.

Each text is read with the locale that wrote it, and compared with the value that was written. A text that is not read
compares as text. A text that is read as another value gives a wrong figure, so there must be none.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from babel import Locale
from babel.core import get_global
from babel.dates import format_date, format_time
from babel.localedata import locale_identifiers
from babel.numbers import (
    UnsupportedNumberingSystemError,
    format_currency,
    format_decimal,
    get_currency_precision,
    get_territory_currencies,
)
from rich.console import Console
from rich.progress import track
from rich.table import Table

from docscore.metrics.typed.comparators import comparator
from docscore.metrics.typed.readers import Reading

# The languages of CLDR 47 with most speakers, of a first and of a second language together; Chinese in both scripts.
LOCALES = (
    "en_US", "zh", "hi", "es", "ar", "fr", "bn", "pt", "ru", "ur", "id", "de", "ja", "mr", "te", "tr", "ta", "vi",
    "yue", "ko", "ha", "jv", "sw", "it", "pa", "gu", "fa", "th", "kn", "am", "bho", "fil", "my", "pl", "yo", "ml", "or",
    "uk", "ps", "uz", "sd", "ig", "nl", "ro", "ne", "zh_Hant", "as", "az", "ms", "km", "si", "so", "om", "mg", "el",
    "hu", "cs", "sv", "he", "bg",
)  # fmt: skip
TRIALS = 200  # values of each kind, style and locale
_FIRST = date(1970, 1, 1)
_DAYS = 35_000  # to 2065; two digits stand for a year from 1969 to 2068

# babel writes the digits 0 to 9 in all locales; readers have to read the native ones of CLDR too.
ZEROS = {
    system: str.maketrans("0123456789", "".join(chr(zero + digit) for digit in range(10)))
    for system, zero in {
        "arab": 0x660, "arabext": 0x6F0, "beng": 0x9E6, "deva": 0x966, "gujr": 0xAE6, "guru": 0xA66, "khmr": 0x17E0,
        "knda": 0xCE6, "mlym": 0xD66, "mymr": 0x1040, "orya": 0xB66, "tamldec": 0xBE6, "telu": 0xC66, "thai": 0xE50,
    }.items()
}  # fmt: skip

Case = tuple[str, str, Callable[[Reading], bool]]  # the style, the text, and whether a reading is the value written


def main() -> None:
    """Print the shares of the texts that are read, and in which locales and styles not all are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, help="values of each kind, style and locale")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="read all locales of CLDR")
    options = parser.parse_args()
    console = Console()
    table = Table("texts", "count", "read", "read wrongly", "not all are read in")
    for name, written in KINDS.items():
        outcomes: Counter[tuple[str, str]] = Counter()  # by locale with style
        for locale in track(locale_identifiers() if options.all else LOCALES, name, console=console, transient=True):
            read = comparator(name, locale=locale).read  # type: ignore[attr-defined]
            randomness = random.Random(f"{options.seed} {name} {locale}")
            for style, text, is_right in written(Locale.parse(locale), randomness, options.trials):
                reading = read(text)
                outcome = "unread" if reading is None else "right" if is_right(reading) else "wrong"
                outcomes[outcome, f"{locale} {style}".strip()] += 1
                if outcome == "wrong":
                    console.print(f"wrong, {name}, {locale}: {text}")
        sums = Counter[str]()
        for (outcome, _), count in outcomes.items():
            sums[outcome] += count
        unread = ", ".join(place for outcome, place in outcomes if outcome == "unread")
        table.add_row(
            name, f"{sums.total():,}", f"{sums['right'] / sums.total():.1%}", f"{sums['wrong']:,}", unread or "none"
        )
    console.print(table)


def dates(locale: Locale, randomness: random.Random, count: int) -> Iterator[Case]:
    """Write dates in the four styles, with the digits of babel and with those of the locale."""
    for _ in range(count):
        day = _FIRST + timedelta(randomness.randrange(_DAYS))
        is_right = partial(_spells, day.isoformat())
        for style in ("short", "medium", "long", "full"):
            yield from _in_digits(locale, style, format_date(day, style, locale=locale), is_right)


def times(locale: Locale, randomness: random.Random, count: int) -> Iterator[Case]:
    """Write times of day in the two styles without a time zone."""
    for _ in range(count):
        clock = time(randomness.randrange(24), randomness.randrange(60), randomness.randrange(60))
        for style, written in (("short", clock.replace(second=0)), ("medium", clock)):
            text = format_time(written, style, locale=locale)
            yield from _in_digits(locale, style, text, partial(_spells, written.isoformat()))


def decimals(locale: Locale, randomness: random.Random, count: int) -> Iterator[Case]:
    """Write numbers with groups and decimals."""
    for _ in range(count):
        number = _number(randomness, randomness.randrange(4))
        yield from _in_systems(locale, "", partial(format_decimal, number), partial(_is_number, number))


def amounts(locale: Locale, randomness: random.Random, count: int) -> Iterator[Case]:
    """Write amounts in the currency of the country in which most speak the language, and in common ones."""
    likely = str(locale) if locale.territory else get_global("likely_subtags").get(str(locale), "")
    home = get_territory_currencies(likely.rpartition("_")[2])[:1] if likely else []
    for _ in range(count):
        for code in dict.fromkeys([*home, "EUR", "USD", "JPY"]):
            number = _number(randomness, get_currency_precision(code))
            write = partial(format_currency, number, code)
            yield from _in_systems(locale, code, write, partial(_is_amount, number, code))


def _number(randomness: random.Random, places: int) -> Decimal:
    return Decimal(randomness.randrange(10 ** randomness.randint(2, 9))).scaleb(-places) * randomness.choice((1, 1, -1))


def _in_systems(
    locale: Locale, style: str, write: Callable[..., str], is_right: Callable[[Reading], bool]
) -> Iterator[Case]:
    yield style, write(locale=locale), is_right
    system = locale.other_numbering_systems.get("native", "latn")
    if system in ZEROS:
        try:
            text = write(locale=locale, numbering_system=system)
        except UnsupportedNumberingSystemError:  # its separators are those of Western digits
            text = write(locale=locale)
        yield f"{style} digits of {system}", text.translate(ZEROS[system]), is_right


def _in_digits(locale: Locale, style: str, text: str, is_right: Callable[[Reading], bool]) -> Iterator[Case]:
    yield style, text, is_right
    system = locale.other_numbering_systems.get("native", "latn")
    if system in ZEROS:
        yield f"{style} digits of {system}", text.translate(ZEROS[system]), is_right


def _spells(expected: str, reading: Reading) -> bool:
    return reading.spelling == expected


def _is_number(expected: Decimal, reading: Reading) -> bool:
    return bool(reading.value == expected)


def _is_amount(expected: Decimal, code: str, reading: Reading) -> bool:
    currencies: Any = reading.kind
    return _is_number(expected, reading) and code in currencies


KINDS: dict[str, Callable[[Locale, random.Random, int], Iterator[Case]]] = {
    "date": dates,
    "time": times,
    "number": decimals,
    "money": amounts,
}

if __name__ == "__main__":
    main()

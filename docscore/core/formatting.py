"""Format numbers and texts for people: round, shorten, and make safe for a terminal."""

import math
import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from itertools import chain, count

from docscore.core.numbers import ROUNDING

_THOUSAND = 1000
_LONGEST_NAME = 200  # characters
_NEGATIVE = re.compile(r"(?<!\w)-(?=\d)")  # the hyphen of a negative number


def printable(text: str) -> str:
    r"""Escape all characters of a text that could control a terminal or cannot be encoded.

    >>> print(printable("a\x1b[31mb"))
    a\u001b[31mb
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else f"\\u{ord(c):04x}" if c < "\U00010000" else f"\\U{ord(c):08x}" for c in text
    )


def three_digits(share: float) -> str:
    """Format a number in [0, 1] with three digits; only 0 and 1 themselves become 0.000 and 1.000.

    >>> three_digits(0.99999), three_digits(1.0)
    ('0.999', '1.000')
    """
    return f"{min(max(share, 0.001), 0.999) if 0 < share < 1 else share:.3f}"


def amount_text(amount: float) -> str:
    """Format an amount of at least 0 with four digits; amounts of at least 1,000 have no fraction.

    >>> amount_text(28666.7), amount_text(12.3456), amount_text(0.0000123456)
    ('28,667', '12.35', '1.235e-05')
    """
    return f"{amount:,.0f}" if round(amount) >= _THOUSAND else f"{amount:.4g}"


def with_sign(number: float, digits: int = 4) -> str:
    """Format a difference with its sign and a number of decimals, or more if it would otherwise be rounded to 0.

    >>> with_sign(-0.25), with_sign(-0.00002), with_sign(0.0)
    ('-0.2500', '-0.00002', '+0.0000')
    """
    if abs(number) <= ROUNDING:
        number = 0.0
    if round(number, digits) or not number:
        return f"{number:+.{digits}f}"
    return f"{Decimal(f'{number:.0e}'):+f}"


def with_minus_signs(text: str) -> str:
    """Replace the hyphens of negative numbers in a text with minus signs, which are as wide as "+".

    >>> with_minus_signs("-0.5 to +0.5 of the left-out")
    '−0.5 to +0.5 of the left-out'
    """
    return _NEGATIVE.sub("−", text)


def clipped(text: str, length: int) -> str:
    """Cut off the end of a text that is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def text_excerpts(left: str, right: str, longest: int, before: int) -> tuple[str, str]:
    """Shorten two texts so that their first difference stays visible.

    Args:
        left: one text.
        right: the other text.
        longest: the number of characters to show of each text.
        before: the number of characters to show before the difference, if the beginning of the texts is cut off.

    >>> text_excerpts("a long text about tea", "a long text about rum", 12, 5)
    ('…bout tea', '…bout rum')
    """
    start = 0
    if max(len(left), len(right)) > longest:
        alike = (a == b for a, b in zip(left, right, strict=False))
        first = next((i for i, equal in enumerate(alike) if not equal), min(len(left), len(right)))
        start = first - before if first > longest - before else 0
    left, right = (clipped(f"…{text[start:]}" if start else text, longest) for text in (left, right))
    return left, right


def display_width(text: str) -> int:
    """Return the number of terminal columns that the text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


FOUR_DIGITS = "{:.4f}".format


def points_of(earned: float, weight: float) -> str:
    """Return the earned points, to four digits, and the possible points as text.

    >>> points_of(23599.7, 24001), points_of(0.5, 1)
    ('23,600 of 24,001 points', '0.5 of 1 points')
    """
    return f"{float(f'{earned:.4g}'):,.12g} of {weight:,.12g} points"


def counted(count: int, noun: str) -> str:
    """Return a number with a noun in the singular or plural.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def shown_name(name: str) -> str:
    """Escape control characters in a name, and shorten it."""
    return clipped(printable(name), _LONGEST_NAME)


def field_text(path: str) -> str:
    """Return the name of a field as it is displayed: its path, or "whole document" for the root `$`."""
    return "whole document" if path == "$" else shown_name(path)


def share_text(share: float) -> str:
    """Format a share as a percentage with one decimal."""
    return f"{share:.1%}"


def percent_text(share: float) -> str:
    """Format a share as a percentage with the decimals it needs, such as 95% or 99.9%."""
    return f"{share * 100:.4g}%"


def p_text(p_value: float) -> str:
    """Format a p-value with three decimals, or four if it is below 0.001."""
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.4f}"  # noqa: PLR2004


def threshold_text(threshold: float) -> str:
    """Format a threshold with two decimals, or as "all" if it is infinite."""
    return f"{threshold:.2f}" if math.isfinite(threshold) else "all"


_UNSAFE = re.compile(r"[^\w. /:-]")  # characters that MLflow refuses in names of metrics


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Map each name to a name that trackers such as MLflow accept: without list brackets, and "_" for other signs.

    >>> safe_names(["items[].price", "items.price", "$"])
    {'items[].price': 'items.price', 'items.price': 'items.price_2', '$': '_'}
    """
    safe: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = _UNSAFE.sub("_", name.replace("[]", "")) or "_"
        numbered = (f"{plain}_{number}" for number in count(2))
        safe[name] = next(free for free in chain([plain], numbered) if free not in taken)
        taken.add(safe[name])
    return safe

"""Numbers and texts as people read them: rounded, shortened, and safe for a terminal."""

from __future__ import annotations

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
    r"""The text with everything that could steer a terminal or cannot be encoded as an escape.

    >>> print(printable("a\x1b[31mb"))
    a\u001b[31mb
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else f"\\u{ord(c):04x}" if c < "\U00010000" else f"\\U{ord(c):08x}" for c in text
    )


def three_digits(share: float) -> str:
    """A number in [0, 1] to three digits; what is not 0 or 1 is not rounded to it.

    >>> three_digits(0.99999), three_digits(1.0)
    ('0.999', '1.000')
    """
    return f"{min(max(share, 0.001), 0.999) if 0 < share < 1 else share:.3f}"


def amount_text(amount: float) -> str:
    """An amount of at least 0 to four digits; from 1,000 on without a fraction.

    >>> amount_text(28666.7), amount_text(12.3456), amount_text(0.0000123456)
    ('28,667', '12.35', '1.235e-05')
    """
    return f"{amount:,.0f}" if round(amount) >= _THOUSAND else f"{amount:.4g}"


def with_sign(number: float, digits: int = 4) -> str:
    """A difference to some digits, with its sign; what is not 0 is not rounded to it.

    >>> with_sign(-0.25), with_sign(-0.00002), with_sign(0.0)
    ('-0.2500', '-0.00002', '+0.0000')
    """
    if abs(number) <= ROUNDING:
        number = 0.0
    if round(number, digits) or not number:
        return f"{number:+.{digits}f}"
    return f"{Decimal(f'{number:.0e}'):+f}"


def with_minus_signs(text: str) -> str:
    """The text with minus signs in front of its negative numbers, which are as wide as "+"; hyphens stay.

    >>> with_minus_signs("-0.5 to +0.5 of the left-out")
    '−0.5 to +0.5 of the left-out'
    """
    return _NEGATIVE.sub("−", text)


def clipped(text: str, length: int) -> str:
    """The text, its end cut off where it is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def text_excerpts(left: str, right: str, longest: int, before: int) -> tuple[str, str]:
    """Two texts, shortened so that their first difference is seen.

    Args:
        left: one text.
        right: the other.
        longest: how many characters are shown of each.
        before: how many of them stay in front of the difference where it would not be seen otherwise.

    >>> text_excerpts("a long text about tea", "a long text about rum", 12, 5)
    ('…bout tea', '…bout rum')
    """
    start = 0
    if max(len(left), len(right)) > longest:
        alike = (a == b for a, b in zip(left, right, strict=False))
        same = next((i for i, equal in enumerate(alike) if not equal), min(len(left), len(right)))
        start = same - before if same > longest - before else 0
    left, right = (clipped(f"…{text[start:]}" if start else text, longest) for text in (left, right))
    return left, right


def display_width(text: str) -> int:
    """How many columns of a terminal the text takes."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def counted(count: int, noun: str) -> str:
    """A number with a noun in the singular or plural.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun if count == 1 else noun + 's'}"


def shown_name(name: str) -> str:
    """A name with control characters escaped, shortened."""
    return clipped(printable(name), _LONGEST_NAME)


def share_text(share: float) -> str:
    """A share as a percentage with one decimal."""
    return f"{share:.1%}"


def percent_text(share: float) -> str:
    """A share as a percentage with the decimals it needs, such as 95% or 99.9%."""
    return f"{share * 100:.4g}%"


def p_text(p_value: float) -> str:
    """A p-value with three decimals, or four if it is below 0.001."""
    return f"{p_value:.3f}" if p_value >= 0.001 else f"{p_value:.4f}"  # noqa: PLR2004


def threshold_text(threshold: float) -> str:
    """A threshold with two decimals; "all" if it is infinite."""
    return f"{threshold:.2f}" if math.isfinite(threshold) else "all"


_UNSAFE = re.compile(r"[^\w. /:-]")  # what names of metrics in MLflow may not hold


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """Each name with one that trackers such as MLflow take: no brackets of lists, "_" for what else they refuse.

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

"""Find values in the text of a document, in any notation that is read."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, chain, product
from typing import Any

from docscore.core.same_value import date_of, number_without_doubt
from docscore.core.values import scalar_text
from docscore.data.rows import NoCell

Offsets = tuple[int, int]  # in a text: of the first character, and behind the last

_SHORT = 4  # characters; a shorter text with a space in it may be two
_AROUND = r"()\[\];:,"  # signs that may stand around a date


class DocumentText:
    """The text of a document, in which values are looked up."""

    def __init__(self, text: str) -> None:
        self._given, self._text = text, _words(text)

    def holds(self, value: Any) -> bool | None:
        """Return whether a value stands in the text, in any notation that is read; None for what no text shows."""
        parts = self._parts(value)
        return all(parts) if parts else None

    def places(self, value: Any) -> list[list[Offsets]]:
        r"""Return the places of a value, each as the spans of its scalars: characters of the text as it was given.

        For an object or a list: the closest cluster of its scalars in the text. If none is found, spaces are ignored.

        >>> DocumentText("Pens 1\nInk 2 and 12\nPENS  2.00").places({"item": "pens", "count": 2})
        [[(20, 24), (26, 30)]]
        """
        parts = list(filter(None, self._parts(value))) or list(filter(None, self._parts(value, apart=True)))
        places = [[_nearest(spans, span) for spans in parts] for span in min(parts, key=len, default=[])]
        extents = [max(place)[1] - min(place)[0] for place in places]
        return [
            [(self._given_at(start, bisect_right), self._given_at(end, bisect_left)) for start, end in sorted({*place})]
            for place, extent in zip(places, extents, strict=True)
            if len(parts) == 1 or extent == min(extents)
        ]

    def _parts(self, value: Any, *, apart: bool = False) -> list[list[Offsets]]:
        """The spans of each scalar that a text can show; of several acceptable values those of one that it holds."""
        if isinstance(value, tuple):
            options = (self._parts(option, apart=apart) for option in value)
            return max(options, key=lambda parts: (parts != [] and all(parts), len(parts)), default=[])
        if isinstance(value, dict | list):
            each = value.values() if isinstance(value, dict) else value
            return [spans for part in each for spans in self._parts(part, apart=apart)]
        text = "" if value is NoCell or value is None or isinstance(value, bool) else _words(scalar_text(value))
        return [self._spans(value, text, apart=apart)] if text else []

    def _spans(self, value: Any, text: str, *, apart: bool) -> list[Offsets]:
        """The spans of a scalar and its text; with `apart`, a text that is not short has spaces anywhere."""
        number = number_without_doubt(value)
        day = date_of(value) if number is None and isinstance(value, str) else None
        known = self._numbers.get(number[0]) if number else self._dates.get(day) if day else None
        is_apart, together = apart and len(text) >= _SHORT, text.replace(" ", "")
        if known or (together not in self._text.replace(" ", "") if is_apart else text not in self._text):
            return sorted({*(known or ())})
        start, end = (r"(?<!\w)" if text[:1].isalnum() else ""), (r"(?!\w)" if text[-1:].isalnum() else "")
        signs = " ?".join(map(re.escape, together)) if is_apart else re.escape(text)
        return [match.span() for match in re.finditer(start + signs + end, self._text)]

    @cached_property
    def _numbers(self) -> dict[Decimal, list[Offsets]]:
        """The numbers of the text; one whose separator is in doubt counts in both readings."""
        numbers: dict[Decimal, list[Offsets]] = defaultdict(list)
        patterns = r"[-+]?\d{1,3}(?: \d{3})+(?:[.,]\d+)?|[-+]?[.,]?\d[\d.,']*", r"[-+]?[.,]?\d[\d.,']*"
        for match in chain.from_iterable(re.finditer(pattern, self._text) for pattern in patterns):
            token = match[0].rstrip(".,'")
            for spelling in {token, token.replace(",", ""), token.replace(".", "").replace(",", ".")}:
                number = number_without_doubt(spelling)
                if number is not None:
                    numbers[number[0]].append((match.start(), match.start() + len(token)))
        return numbers

    @cached_property
    def _dates(self) -> dict[Any, list[Offsets]]:
        dates: dict[Any, list[Offsets]] = defaultdict(list)
        words = list(re.finditer(rf"[^ {_AROUND}](?:\S*[^ {_AROUND}])?", self._text))
        for length, start in product((1, 2, 3, 4), range(len(words))):
            span = words[start : start + length]
            text = " ".join(word[0] for word in span)
            day = date_of(text) if re.search(r"\d", text) else None
            if day is not None and day not in (date_of(text.partition(" ")[2]), date_of(text.rpartition(" ")[0])):
                dates[day].append((span[0].start(), span[-1].end()))
        return dates

    def _given_at(self, at: int, side: Callable[[list[int], int], int]) -> int:
        """The character of the text as it was given for one of `_text` at which a span begins or ends."""
        starts, words = self._given_words
        number = side(starts, at) - 1
        word, lengths = words[number], range(len(words[number][0]) + 1)
        inside = bisect_right(lengths, at - starts[number], key=lambda length: len(_words(word[0][:length]))) - 1
        return word.start() + inside

    @cached_property
    def _given_words(self) -> tuple[list[int], list[re.Match[str]]]:
        """Where each word begins in `_text`, and the word in the text as it was given."""
        words = list(re.finditer(r"\S+", self._given))
        return list(accumulate((len(_words(word[0])) + 1 for word in words), initial=0)), words


def _nearest(spans: list[Offsets], span: Offsets) -> Offsets:
    """The span that begins nearest to where another does."""
    after = bisect_left(spans, span)
    return min(spans[max(0, after - 1) : after + 1], key=lambda each: abs(each[0] - span[0]))


def _words(text: str) -> str:
    """The text in lower case and NFKC, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())

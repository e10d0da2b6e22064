"""Values, texts and rows made from bytes: the same bytes give the same input, and similar bytes a similar one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from atheris import FuzzedDataProvider

T = TypeVar("T")

RAW, DRAWN = b"\x00", b"\x01"  # the first byte of an input: the rest is the text itself, or bytes for `Draws`
SEPARATOR = b"\x1e"  # between the parts of an input that is the text itself
MOST_CHARACTERS = 900_000  # of one input when it is written out, so that findings are inputs under 1 MB
_MANY = (1, 1, 1, 1, 1, 1, 2, 2, 3, 7, 40, 300, 3_000)  # how often a part is repeated
_MOST_ELEMENTS = 1_200  # of a generated list: comparing all pairs of two lists of 3,000 takes seconds
_DEEPEST = 5
KEYS = ("a", "b", "total", "items", "unit price", "$value", "$confidence", "größe", "a.b", "", "question_id")
TEXTS = (
    "", " ", "a", "ab", "aba", "12.50", "1e5", "007", "true", "null", "NaN", "2024-02-30", "31.12.2024", "1,234.50",
    "<b>&amp;</b>", "</details><script>", "${x} {{x}} {% raw %}", "|`*_#\\", "\n\t\r", "\x00\x1b[31m\x9b\x7f",
    "\u202e\u200b\ufeff", "\ud800", "👩‍👩‍👧‍👦", "İıſß", "a\u0301\u0328", "中文字符", "[[1]]", '{"a": 1}', "$one_of",
)  # fmt: skip
NUMBERS = (0, 1, -1, 10, 2**53 + 1, 2**64, -(10**25), 10**400, 0.0, -0.0, 0.5, 1e300, 1e-300, 5e-324, 12.5)
ODD_NUMBERS = (float("nan"), float("inf"), float("-inf"))


class Draws:
    """A source of random choices from bytes; when the bytes are used up, it returns the simplest choice.

    Args:
        data: the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.source = FuzzedDataProvider(data)
        self.left = MOST_CHARACTERS

    def number(self, most: int) -> int:
        """Return an integer from 0 to `most`."""
        return int(self.source.ConsumeIntInRange(0, most))

    def is_so(self) -> bool:
        """Return True or False."""
        return self.number(1) == 1

    def rarely(self) -> bool:
        """Return True once in sixteen times."""
        return self.number(15) == 15

    def pick(self, among: Sequence[T]) -> T:
        """Return one element of a sequence; the first if the bytes are used up."""
        return among[self.number(len(among) - 1)]

    def copies(self, length: int) -> int:
        """Return how often a part of a length is repeated, within the length that the input may still grow by."""
        count = min(self.pick(_MANY), max(1, self.left // max(1, length)))
        self.left = max(0, self.left - count * length)
        return count

    def rest(self) -> bytes:
        """Return all bytes that are left."""
        return bytes(self.source.ConsumeBytes(self.source.remaining_bytes()))

    def text(self) -> str:
        """Return a text: a known one, one from the bytes, several of them, or one of them repeated."""
        kind = self.number(7)
        if kind < 4:
            return self.pick(TEXTS)
        if kind < 6:
            return str(self.source.ConsumeUnicode(self.number(12)))
        part = self.pick(TEXTS) + str(self.source.ConsumeUnicode(self.number(3)))
        return part * self.copies(len(part)) + self.pick(TEXTS)

    def scalar(self) -> Any:
        """Return a scalar or null."""
        kind = self.number(9)
        if kind < 6:
            return self.text()
        if kind == 6:
            return self.pick((None, True, False, *ODD_NUMBERS))
        if kind == 7:
            return float(self.source.ConsumeFloat())
        return self.pick(NUMBERS) if kind == 8 else self.number(2**40) - 2**39

    def key(self) -> str:
        """Return a key of an object."""
        return self.text() if self.rarely() else self.pick(KEYS)

    def value(self, leaf: Callable[[], Any] | None = None, depth: int = _DEEPEST, *, options: bool = False) -> Any:
        """Return a JSON value.

        Args:
            leaf: returns a value for the lowest level; a scalar by default.
            depth: the largest number of levels, except for long chains of one shape.
            options: whether there may be alternatives: tuples and `$one_of`.
        """
        kind = self.number(9) if depth else 0
        if kind < 3:
            return (leaf or self.scalar)()
        again = [self.value(leaf, depth - 1, options=options) for _ in range(self.number(4))]
        if kind < 6:
            return self.long_list(again)
        if kind < 8:
            return {self.key(): each for each in again}
        if kind == 8 and options and again:
            return tuple(again) if self.is_so() else {"$one_of": again}
        return self.deep(again[0] if again else None) if self.rarely() else again

    def long_list(self, items: list[Any]) -> list[Any]:
        """Return the items, sometimes repeated many times, each time a little different."""
        if not items or not self.rarely():
            return items
        length = sum(map(_length, items))
        many = min(self.copies(length), _MOST_ELEMENTS // len(items))
        if many == 1:
            return items
        return [_numbered(item, number) for number in range(many) for item in items]

    def deep(self, bottom: Any) -> Any:
        """Return a value under many levels of one shape, with up to two more elements at each level."""
        levels, beside, shape = self.number(210), self.number(2), self.number(2)
        for _ in range(levels):
            if shape == 0:
                bottom = [bottom, *["x"] * beside]
            elif shape == 1:
                bottom = {"a": bottom, **dict.fromkeys("bc"[:beside], "x")}
            else:
                bottom = [{"a": bottom}, *[{"a": "x"}] * beside]
        return bottom

    def changed(self, value: Any) -> Any:
        """Return a prediction near a ground truth: alternatives chosen, parts left out, changed, added and moved."""
        if isinstance(value, tuple):
            return self.changed(self.pick(value)) if value else None
        if self.rarely():
            return self.value(depth=2)
        if isinstance(value, list):
            kept = [self.changed(item) if number < 8 else item for number, item in enumerate(value)]
            return kept[::-1] if self.is_so() else kept[self.number(1) :]
        if isinstance(value, dict):
            kept_keys = {str(key): self.changed(item) for key, item in value.items() if not self.rarely()}
            return {**kept_keys, self.key(): self.scalar()} if self.rarely() else kept_keys
        return value + self.text() if isinstance(value, str) and self.rarely() else value

    def pair(self) -> tuple[Any, Any]:
        """Return a ground truth and a prediction near it."""
        truth = self.value(options=True)
        return truth, self.changed(truth)

    def answer(self) -> str:
        """Return a text as a model may answer with JSON: with prose, fences, errors, or cut off."""
        value = self.value()
        written = json.dumps(value, ensure_ascii=self.is_so(), indent=self.pick((None, 1)))
        pieces = []
        for _ in range(self.number(4)):
            piece = self.pick(_AROUND)
            pieces.append(piece * self.copies(len(piece)))
        start, end = self.number(len(written)) if self.rarely() else 0, len(written)
        end = self.number(end) if self.rarely() else end
        written = written[start:end]
        if self.rarely():
            written = written.replace('"', self.pick(("'", "", "“", "`")))
        if self.rarely():
            written = written.replace(self.pick((",", ":", "}", "]")), self.pick((",,", "", " ", "=>")))
        return "".join([*pieces, written, *reversed(pieces)])[:MOST_CHARACTERS]


_AROUND = (
    "\n", " ", "Here is the JSON: ", "```json\n", "```\n", "~~~", "[1] ", "{total} ", '{"a": ', "[", "{", "}", '"',
    "'", "\\", "// x\n", "/* x */", "null", "9", "-", ",", ": ", "<think>", "\ufeff",
)  # fmt: skip


def _length(value: Any) -> int:
    """Return about how many characters a value has as JSON."""
    if isinstance(value, str):
        return len(value) + 4
    if isinstance(value, dict):
        return sum(len(str(key)) + 4 + _length(item) for key, item in value.items()) + 2
    return sum(map(_length, value)) + 2 if isinstance(value, list | tuple) else 6


def _numbered(value: Any, number: int) -> Any:
    """Return the value with a number appended to its first text."""
    if isinstance(value, str):
        return f"{value}{number}"
    if isinstance(value, dict) and value and "$one_of" not in value:
        first = next(iter(value))
        return {**value, first: _numbered(value[first], number)}
    return value


def read(data: bytes) -> tuple[Draws | None, list[str]]:
    """Return the draws of an input, or the parts of its text.

    Bytes that are not UTF-8 become lone surrogates, which model output and JSON can contain.
    """
    if data[:1] == RAW:
        text = data[1:].decode("utf-8", "surrogateescape")
        return None, text.split(SEPARATOR.decode())
    return Draws(data[1:]), []


def raw(*parts: str) -> bytes:
    """Return the input that is read as these texts."""
    return RAW + SEPARATOR.join(part.encode("utf-8", "surrogatepass") for part in parts)

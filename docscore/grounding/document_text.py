"""The text of a document with pages and boxes, and the search for values in it, in any notation."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain, groupby, pairwise
from operator import itemgetter
from typing import Any

from docscore.core.runtime import grouped
from docscore.core.values import SCALAR_TYPES, Scalar, Value, scalar_text, step_text, values_by_path
from docscore.grounding.regions import Box, Region, around
from docscore.grounding.windows import BROKEN, UNSPACED, Offsets, Windows, wanted_of

Occurrence = tuple[Offsets, ...]  # the parts of a value in a text; several if it wraps within a column

PAGE_BREAK = "\f"
NO_BOX: Box = (0.0, 0.0, 0.0, 0.0)  # the box of a word whose region is not known

_SHORT = 2  # characters; a value of this length is looked up only in the lines of its row
_LEAST_SPACED = 4  # the fewest characters of a value that may be spaced differently in the text
_MOST_SPACED = 500  # the most characters of such a value
_LEAST_DIGITS = 6  # a text with at least this many digits may contain other spaces, brackets and hyphens
_RARE = 8  # a rare value is found in at most this many lines
_LINES_BELOW = 3  # a text that wraps may continue in one of this many next lines
_BESIDE, _APART = 2, 4  # gaps in a line, in characters, are smaller than this within a number and within a column
_TELLING = 3  # the shape of a word with at least this many characters shows whether it runs vertically
_GROUPING = dict.fromkeys(map(ord, f" ()+-{BROKEN}"))
_TOGETHER = _GROUPING | {ord(","): None}
_HYPHENS = {"-": f"[-{BROKEN}]", BROKEN: f"[-{BROKEN}]?"}  # the hyphens of a value, as patterns of a text
_HYPHEN_BEHIND = re.compile(r"(?<=[^\W_])[-\u2010\u2011](?=(\s+)[^\W_])")  # a word
_LETTER, _AROUND = re.compile(r"[^\W\d_]\S*\Z"), 40
_NAMES = re.compile(r"[^\W\d_][a-z]{2,}|[^\W\d_]{3,}")  # the words of a field's name, such as `dueDate` or `due_date`
# What may come before and after a text that does not, or does, begin or end with a letter or digit. Neither side of a
# match may be the other half of a divided word.
_BEFORE = re.compile(f"(?<!{BROKEN} )"), re.compile(rf"(?<!{BROKEN} )(?<!\w)")
_BEHIND = re.compile(f"(?!{BROKEN})"), re.compile(rf"(?!{BROKEN})(?!\w)")
_LINE_BREAK = re.compile(r"[\n\f]")

_DASHES = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_QUOTES = dict.fromkeys(map(ord, "\u2018\u2019"), "'") | dict.fromkeys(map(ord, "\u201c\u201d"), '"')
_SIGNS = _DASHES | _QUOTES | dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), "")


class DocumentText:
    r"""The text of a document, in which values are looked up.

    Differences in white space, case, NFKC and the forms of dashes and quotes are ignored. Numbers and dates are found
    in any notation that docscore reads.

    Args:
        text: the text; form feeds separate its pages.
        boxes: the box or `NO_BOX` of each word, a run of characters without white space; None if positions are not
            known.
        is_complete: whether the text includes all text that the document displays.

    >>> document = DocumentText("Pens 1\nInk (153,853)\f12 May 2026")
    >>> document.holds("PENS"), document.holds(-153853), document.holds("2026-05-12"), document.holds("Paper")
    (True, True, True, False)
    >>> document.holds(1), document.holds(None)  # stand anywhere, or in no text
    (None, None)
    """

    def __init__(self, text: str, boxes: Sequence[Box] | None = None, *, is_complete: bool = True) -> None:
        self.text, self.boxes, self._layout = text, boxes, _with_all_boxes(boxes or ())
        self._text = _words(_with_breaks(text, self._layout))
        self.is_complete = is_complete
        self._known: dict[tuple[type, str], list[Occurrence]] = {}
        self._lines_known: dict[tuple[type, str], Mapping[int, list[Occurrence]]] = {}

    @property
    def page_count(self) -> int:
        """The number of pages."""
        return self.text.count(PAGE_BREAK) + 1

    @property
    def has_pages(self) -> bool:
        """Whether the pages of values are known; they are not for a plain text without form feeds."""
        return self.boxes is not None or PAGE_BREAK in self.text

    def holds(self, value: Any, row: Value = None) -> bool | None:
        """Return whether the text contains all scalars of a value, which may be part of a row of a list.

        Null, booleans, zero, and texts and numbers of one or two characters are not looked up, except two characters in
        a row of a list. Return None if nothing is looked up.
        """
        options = value if isinstance(value, tuple) else (value,)
        held = [
            [places for _, _, places in self.find_scalars(option, row=row) if places is not None] for option in options
        ]
        decided = [all(parts) for parts in held if parts]
        return any(decided) if decided else None

    def find_scalars(self, value: Any, row: Value = None) -> Iterator[tuple[str, Scalar, list[Occurrence] | None]]:
        """Yield the path, the value and the occurrences of each scalar; None for a scalar that is not looked up.

        In an incomplete text, a scalar that is not found also yields None. Occurrences in the lines of the row come
        first, then those nearest to the words of the field's name. If exactly one occurrence is in the lines of the
        row, only this one is yielded.
        The options of a one-of share its path.
        """
        waiting: list[tuple[str, Any, list[Scalar]]] = [("$", value, list(_scalars(row)))]
        while waiting:
            path, value, beside = waiting.pop()
            if isinstance(value, dict):
                waiting += [(path + step_text(key), part, beside) for key, part in reversed(value.items())]
            elif isinstance(value, list):
                rows = [list(_scalars(part)) if isinstance(part, dict) else beside for part in value]
                waiting += [(f"{path}[{index}]", value[index], rows[index]) for index in reversed(range(len(value)))]
            elif isinstance(value, tuple):
                waiting += [(path, option, beside) for option in reversed(value)]
            elif type(value) in SCALAR_TYPES:
                found = self._occurrences(value, beside, path)
                yield path, value, found if self.is_complete else found or None

    def _occurrences(self, value: Scalar, row: Sequence[Scalar], path: str) -> list[Occurrence] | None:
        """Return the occurrences of a scalar; None if it is not looked up."""
        text, wanted = _words(scalar_text(value)), wanted_of(value)
        if isinstance(value, bool) or len(text) < _SHORT or (wanted.is_number and not any(wanted.numbers)):
            return None
        spans = self._spans(value)
        long = [each for each in spans if _length(each) > _SHORT]
        if not row or (len(long) == 1 and len(text) > _SHORT):
            return None if len(text) == _SHORT or (spans and not long) else self._in_order(long, set(), path)
        lines = self._lines_of([scalar for scalar in row if scalar is not value])
        near = list(dict.fromkeys(each for line in lines for each in self._by_line(value).get(line, ())))
        if len(text) == _SHORT:
            return (near or None if spans else []) if lines else None
        return near if len(near) == 1 or not long else self._in_order(long, lines, path)

    def _in_order(self, found: list[Occurrence], lines: set[int], path: str) -> list[Occurrence]:
        """Sort occurrences: in the lines of a row first, then by the distance to words of the field's name."""
        if len(found) <= 1:
            return found
        words = map(str.casefold, _NAMES.findall(path.rpartition(".")[2]))
        names = sorted(start for word in words for start in self._starts_of(word))

        def key(occurrence: Occurrence) -> tuple[bool, int]:
            start, after = occurrence[0][0], bisect_left(names, occurrence[0][0])
            distances = (abs(start - name) for name in names[max(0, after - 1) : after + 1])
            return bool(lines) and self._lines_at(occurrence).isdisjoint(lines), min(distances, default=0)

        return sorted(found, key=key)

    def _starts_of(self, word: str) -> Iterator[int]:
        """Yield the positions at which a word begins in the text."""
        start = self._text.find(word)
        while start >= 0:
            if not self._text[start - 1 : start].isalpha():
                yield start
            start = self._text.find(word, start + 1)

    def _lines_of(self, row: Sequence[Scalar]) -> set[int]:
        """Return the lines with the most scalars of a row, among the lines that contain a rare one."""
        long = (self._by_line(scalar) for scalar in row if len(scalar_text(scalar)) > _SHORT)
        lines = sorted(filter(None, long), key=len)
        rare = [found for found in lines if len(found) <= _RARE] or lines[:1]
        counts = {line: sum(line in found for found in lines) for line in chain.from_iterable(rare)}
        most = max(counts.values(), default=0)
        return {line for line, count in counts.items() if count == most}

    def _by_line(self, value: Scalar) -> Mapping[int, list[Occurrence]]:
        """Return the occurrences of a scalar by line, except occurrences of one character."""
        key = type(value), scalar_text(value)
        if key not in self._lines_known:
            self._lines_known[key] = grouped(
                (line, each) for each in self._spans(value) if _length(each) >= _SHORT for line in self._lines_at(each)
            )
        return self._lines_known[key]

    def places(self, value: Any) -> list[list[Offsets]]:
        r"""Return the occurrences of a value, each as the spans of its scalars in the original text.

        An object or a list occurs where its scalars are closest together.

        >>> DocumentText("Pens 1\nInk 2 and 12\nPENS  2.00").places({"item": "pens", "count": 2})
        [[(20, 24), (26, 30)]]
        """
        options = value if isinstance(value, tuple) else (value,)
        parts = max((self._parts(option) for option in options), key=lambda parts: (all(parts), len(parts)))
        parts = list(filter(None, parts))
        places = [
            list(chain.from_iterable(_nearest(each, first) for each in parts))
            for first in min(parts, key=len, default=[])
        ]
        extents = [max(place)[1] - min(place)[0] for place in places]
        return [
            self.given(sorted({*place}))
            for place, extent in zip(places, extents, strict=True)
            if len(parts) == 1 or extent == min(extents)
        ]

    def given(self, spans: Iterable[Offsets]) -> list[Offsets]:
        """Convert spans, such as the spans of an occurrence, to positions in the original text."""
        return [(self._given_at(start, bisect_right), self._given_at(end, bisect_left)) for start, end in spans]

    def _parts(self, value: Any) -> list[list[Occurrence]]:
        scalars = (part for part in _scalars(value) if not isinstance(part, bool))
        return [self._spans(scalar) for scalar in scalars if _words(scalar_text(scalar))]

    def place_of(self, occurrence: Occurrence) -> Region:
        """Return the page of an occurrence, and a box for each of its lines if boxes are known."""
        words = sorted({number for span in occurrence for number in self._word_numbers_at(span)})
        page = self._pages[words[0]]
        if self.boxes is None:
            return Region(page)
        lines = groupby((word for word in words if self.boxes[word] != NO_BOX), key=self._lines.__getitem__)
        return Region(page, tuple(around([self.boxes[number] for number in line]) for _, line in lines))

    def pages_of(self, occurrence: Occurrence) -> set[int]:
        """Return the pages of an occurrence."""
        return {self._pages[number] for span in occurrence for number in self._word_numbers_at(span)}

    def line_at(self, start: int) -> tuple[int, int]:
        """Return the page of a character of the original text, and its line on that page, both counted from 1."""
        before = self.text[:start].split(PAGE_BREAK)
        if self.boxes is None:
            return len(before), before[-1].removeprefix("\n").count("\n") + 1
        lines = sorted({line for page, line in zip(self._pages, self._lines, strict=True) if page == len(before)})
        return len(before), lines.index(self._lines[len(self.text[:start].split())]) + 1

    def line_of(self, place: Region) -> int:
        """Return the line of the first word in the boxes of a region, counted on its page; 0 if no word is in them."""
        for word, page, own in zip(self._given_words[1], self._pages, self.boxes or (), strict=False):
            if page == place.page and any(_is_within(own, box) for box in place.boxes):
                return self.line_at(word.start())[1]
        return 0

    def has_boxes(self, occurrences: Sequence[Occurrence]) -> bool:
        """Return whether a box is known for any of the occurrences or, without occurrences, for any word."""
        if not occurrences:
            return bool(self._layout)
        return self.boxes is not None and any(self.place_of(each).boxes for each in occurrences)

    def has_at(self, value: Scalar, place: Region) -> bool:
        """Return whether a scalar is on the page of a region, and in its boxes if it has any.

        A word belongs to a box if its middle is inside.
        """
        return any(self._is_at(occurrence, place) for occurrence in self._spans(value))

    def _is_at(self, occurrence: Occurrence, place: Region) -> bool:
        numbers = [number for span in occurrence for number in self._word_numbers_at(span)]
        boxes: Sequence[Box] = self.boxes or ()
        return all(
            (not self.has_pages or place.page in (None, self._pages[number]))
            and (not place.boxes or any(_is_within(boxes[number], box) for box in place.boxes))
            for number in numbers
        )

    def has_quote(self, value: Scalar, place: Region) -> bool:
        """Return whether the quote of a region contains a scalar, and its page contains the quote."""
        quote = DocumentText(place.quote or "")
        return bool(quote._spans(value)) and self.has_at(quote.text, place._replace(boxes=()))

    # How a scalar is found

    def _spans(self, value: Scalar) -> list[Occurrence]:
        key = type(value), scalar_text(value)
        if key not in self._known:
            self._known[key] = self._as_written(value) or self._wrapped(_words(key[1]).split(" "))
        return self._known[key]

    def _as_written(self, value: Scalar) -> list[Occurrence]:
        """Return the occurrences of a scalar: in any notation, literally, and without the signs that group digits."""
        text, wanted = _words(scalar_text(value)), wanted_of(value)
        if not text:
            return []
        spans = {*filter(self._is_in_line, self._windows.numbers(wanted)), *self._windows.dates(wanted)}
        if not wanted.is_number:
            spans.update(filter(self._is_in_column, self._literal(text)))
        if type(value) is str and sum(map(str.isdigit, text)) >= _LEAST_DIGITS:
            spans.update(self._in_groups(text.translate(_GROUPING)))
        found = [(span,) for span in spans or self._spaced(text, is_number=wanted.is_number)]
        return outermost(found)

    @cached_property
    def _windows(self) -> Windows:
        return Windows(self._text)

    def _literal(self, text: str) -> Iterator[Offsets]:
        """Yield the spans of a text as whole words and numbers; they may overlap."""
        before, after = _edges(text)
        start = self._text.find(text)
        while start >= 0:
            end = start + len(text)
            if (
                before.match(self._text, start)
                and after.match(self._text, end)
                and self._windows.is_whole((start, end))
            ):
                yield start, end
            start = self._text.find(text, start + 1)

    def _in_groups(self, together: str) -> Iterator[Offsets]:
        """Yield the spans of letters and digits that spaces, brackets and hyphens may separate, over whole tokens."""
        if not together.isalnum() or len(together) > _MOST_SPACED or together not in self._unspaced:
            return
        is_together = self._is_in_line if together.isdigit() else self._is_in_column
        pattern = f"[ ()+{BROKEN}-]{{0,3}}".join(together)
        yield from filter(is_together, self._matches(together, rf"(?!\d \d\b){pattern}"))  # not all digits apart

    def _spaced(self, text: str, *, is_number: bool) -> list[Offsets]:
        """Return the spans of a text that is spaced differently or has a word that is divided at the end of a line."""
        together = text.translate(_TOGETHER)
        if len(together) > _MOST_SPACED or together not in self._unspaced:
            return []
        if not is_number:
            return list(filter(self._is_in_column, self._matches(text, _with_spaces(text))))
        apart = " ".join(map(re.escape, text))  # a number whose digits are all separated
        return self._matches(text, rf"(?<!\d ){apart}(?! \d(?!\d))") if len(text) >= _LEAST_SPACED else []

    def _matches(self, text: str, pattern: str) -> list[Offsets]:
        """Return the spans that a pattern matches as whole words and numbers."""
        before, after = _edges(text)
        found = re.finditer(f"{before.pattern}(?:{pattern}){after.pattern}", self._text)
        return [match.span() for match in found if self._windows.is_whole(match.span())]

    @cached_property
    def _unspaced(self) -> str:
        return self._text.translate(_TOGETHER)

    def _wrapped(self, words: Sequence[str]) -> list[Occurrence]:
        """Return the occurrences of words whose boxes follow each other, as in a text that wraps within a column."""
        occurrences = []
        for first in self._numbers_of_word.get(words[0], ()) if self._layout and len(words) > 1 else ():
            numbers = [first]
            for word in words[1:]:
                number = self._following(numbers, word)
                if number is None:
                    break
                numbers.append(number)
            else:
                starts = self._given_words[0]
                occurrences.append(tuple((starts[each], starts[each + 1] - 1) for each in numbers))
        return occurrences

    def _following(self, numbers: Sequence[int], word: str) -> int | None:
        """Return the number of this word after the last of `numbers`, on its line or on a line below in the column."""
        boxes = self._layout
        last, line = boxes[numbers[-1]], self._lines[numbers[-1]]
        height, width = last[3] - last[1], (last[2] - last[0]) / len(self._given_words[1][numbers[-1]][0])
        left, _, right, _ = around([boxes[each] for each in numbers])
        candidates = (self._words_of_lines.get((word, line + below), ()) for below in range(_LINES_BELOW + 1))
        for number in chain.from_iterable(candidates):
            box, down = boxes[number], boxes[number][1] - last[1]
            is_next = abs(down) < height / 2 and -width < box[0] - last[2] < 2 * width
            is_below = height / 2 <= down < 2 * height and box[0] < right and left < box[2]
            is_on_page = self._pages[number] == self._pages[numbers[-1]]
            if (is_next or (is_below and self._is_alone(number))) and is_on_page and number not in numbers:
                return number
        return None

    def _is_in_line(self, span: Offsets) -> bool:
        """Return whether the words of a span are on one line, each close to the word before."""
        return all(self._are_beside(*pair, _BESIDE) for pair in pairwise(self._word_numbers_at(span)))

    def _is_in_column(self, span: Offsets) -> bool:
        """Return whether the words of a span stay within one column of a page."""
        return not self._layout or all(self._goes_on(*pair) for pair in pairwise(self._word_numbers_at(span)))

    def _are_beside(self, number: int, other: int, most: int) -> bool:
        """Return whether two consecutive words are on one line, with a gap of less than `most` characters."""
        words = self._given_words[1]
        if _LINE_BREAK.search(self.text, words[number].end(), words[other].start()):
            return False
        if not self._layout:
            return True
        one, two = self._layout[number], self._layout[other]
        letters = len(words[number][0]), len(words[other][0])
        longer = one if letters[0] > letters[1] else two
        is_sideways = max(letters) >= _TELLING and longer[3] - longer[1] > longer[2] - longer[0]
        return any(
            (one[over] <= _middle(two, over) <= one[over + 2] or two[over] <= _middle(one, over) <= two[over + 2])
            and max(two[at] - one[at + 2], one[at] - two[at + 2])
            < most * (one[at + 2] - one[at] + two[at + 2] - two[at]) / sum(letters)
            for at, over in ((0, 1), (1, 0))[: 1 + is_sideways]
        )

    def _goes_on(self, number: int, other: int) -> bool:
        """Return whether the next word continues a word: on its line, below in its column, or on another page."""
        if self._pages[number] != self._pages[other] or self._are_beside(number, other, _APART):
            return True
        above, below = self._beside(number, -1), self._beside(other, 1)
        return _middle(below) > _middle(above) and above[0] < below[2] and below[0] < above[2]

    def _beside(self, number: int, step: int) -> Box:
        """Return the box of a word and its neighbours on the line, before it or after it."""
        words = [number]
        while 0 <= (next_to := words[-1] + step) < len(self._layout):
            if not self._are_beside(min(next_to, words[-1]), max(next_to, words[-1]), _APART):
                break
            words.append(next_to)
        return around([self._layout[each] for each in words])

    def _is_alone(self, number: int) -> bool:
        """Return whether a line has only a word and its neighbours, so that it may continue the line above."""
        left, right = self._beside(number, -1)[0], self._beside(number, 1)[2]
        others = (self._layout[each] for each in self._words_of_line[self._lines[number]])
        return all(left <= box[0] and box[2] <= right for box in others)

    # Words, lines and pages

    def _given_at(self, at: int, side: Callable[[list[int], int], int]) -> int:
        """Return the position in the original text for a position in `_text` at which a span begins or ends."""
        starts, words = self._given_words
        number = side(starts, at) - 1
        word, lengths = words[number], range(len(words[number][0]) + 1)
        inside = bisect_right(lengths, at - starts[number], key=lambda length: len(_words(word[0][:length]))) - 1
        return word.start() + inside

    @cached_property
    def _given_words(self) -> tuple[list[int], list[re.Match[str]]]:
        """The start of each word in `_text`, and the word in the original text; a word without width has no start."""
        words = list(re.finditer(r"\S+", self.text))
        lengths = (len(_words(word[0])) for word in words)
        return list(accumulate((length and length + 1 for length in lengths), initial=0)), words

    @cached_property
    def _words_of_lines(self) -> dict[tuple[str, int], list[int]]:
        """The numbers of the words by text, with and without punctuation after it, and line."""
        numbers: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, (start, after) in enumerate(pairwise(self._given_words[0])):
            word = self._text[start : max(start, after - 1)]
            for text in {word, word.rstrip(".,;:")}:
                numbers[text, self._lines[number]].append(number)
        return numbers

    @cached_property
    def _words_of_line(self) -> Mapping[int, list[int]]:
        return grouped((line, number) for number, line in enumerate(self._lines))

    @cached_property
    def _numbers_of_word(self) -> dict[str, list[int]]:
        numbers: dict[str, list[int]] = defaultdict(list)
        for (text, _), found in self._words_of_lines.items():
            numbers[text] += found
        return numbers

    def _word_numbers_at(self, span: Offsets) -> range:
        starts = self._given_words[0]
        return range(bisect_right(starts, span[0]) - 1, bisect_left(starts, span[1]))

    @cached_property
    def _pages(self) -> list[int]:
        """The page of each word, counted from 1."""
        breaks = [match.start() for match in re.finditer(PAGE_BREAK, self.text)]
        return [bisect_left(breaks, word.start()) + 1 for word in self._given_words[1]]

    @cached_property
    def _lines(self) -> list[int]:
        """The line of each word; words with boxes share a line if their middles are at the same height of a page."""
        if not self._layout:
            breaks = [match.start() for match in re.finditer(rf"[\n{PAGE_BREAK}]", self.text)]
            return [bisect_left(breaks, word.start()) for word in self._given_words[1]]
        lines, line, page, reach = [0] * len(self._layout), 0, 0, 0.0
        middles = [(page, (box[1] + box[3]) / 2) for page, box in zip(self._pages, self._layout, strict=True)]
        for number in sorted(range(len(middles)), key=middles.__getitem__):
            half = (self._layout[number][3] - self._layout[number][1]) / 2
            if middles[number][0] != page or middles[number][1] > reach:
                line, page, reach = line + 1, middles[number][0], middles[number][1] + half
            reach = min(reach, middles[number][1] + half)  # the lowest word decides: one may span several lines
            lines[number] = line
        return lines

    def _lines_at(self, occurrence: Occurrence) -> set[int]:
        return {self._lines[number] for span in occurrence for number in self._word_numbers_at(span)}


def _scalars(value: Value) -> Iterator[Scalar]:
    """Yield the scalars of a value; a one-of yields the scalars of its first option."""
    for _, part in values_by_path(value, options_of=itemgetter(slice(1))):
        if isinstance(part, str | bool | int | float):
            yield part


def _length(occurrence: Occurrence) -> int:
    return sum(end - start for start, end in occurrence)


def _nearest(occurrences: list[Occurrence], first: Occurrence) -> Occurrence:
    """Return the occurrence that begins nearest to the beginning of another."""
    after = bisect_left(occurrences, first)
    return min(occurrences[max(0, after - 1) : after + 1], key=lambda each: abs(each[0][0] - first[0][0]))


def _is_within(inner: Box, outer: Box) -> bool:
    """Return whether the middle of a box is inside another box; False for `NO_BOX`."""
    across, down = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return inner != NO_BOX and outer[0] <= across <= outer[2] and outer[1] <= down <= outer[3]


def _middle(box: Box, at: int = 1) -> float:
    return (box[at] + box[at + 2]) / 2


def outermost(occurrences: Iterable[Occurrence]) -> list[Occurrence]:
    """Return the distinct occurrences in order, without those inside another."""
    found: list[Occurrence] = []
    for each in sorted(occurrences, key=lambda each: (each[0][0], -each[-1][1])):
        if not found or each[-1][1] > found[-1][-1][1]:
            found.append(each)
    return found


def _edges(text: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for what may surround a text as whole words; some languages need no space around letters."""
    first, last = (sign.isalnum() and not UNSPACED.match(sign) for sign in (text[0], text[-1]))
    return _BEFORE[first], _BEHIND[last]


def _with_spaces(text: str) -> str:
    """Return a pattern for a text with other spaces, commas before them, and hyphens at the ends of lines.

    Digits stay together, except in long numbers and among letters.
    """
    signs = re.sub(",? ", "", re.sub(r"(?<=\w)- ", BROKEN, text))
    are_apart = len(signs) >= _LEAST_DIGITS or any(map(str.isalpha, signs))
    pattern = re.escape(signs[0])
    for one, other in pairwise(signs):
        is_edge = one.isdigit() != other.isdigit()
        is_long = len(signs) >= _LEAST_SPACED or UNSPACED.match(one)
        may_part = is_edge or (is_long and (are_apart or not one.isdigit()))
        pattern += f"(?:[-,{BROKEN}]? )?" if may_part else ""
        pattern += _HYPHENS.get(other) or re.escape(other)
    return pattern


def _with_all_boxes(boxes: Sequence[Box]) -> Sequence[Box]:
    """Return boxes in which a word without a box gets the box of the word before; none if no word has a box."""
    known = next((box for box in boxes if box != NO_BOX), None)
    if known is None or NO_BOX not in boxes:
        return boxes if known else ()
    return list(accumulate(boxes, lambda last, box: last if box == NO_BOX else box, initial=known))[1:]


def _with_breaks(text: str, boxes: Sequence[Box]) -> str:
    """Return a text in which `BROKEN` replaces the hyphens of words that are divided at the end of a line.

    Only words with letters are divided: after a number, a hyphen may be a minus sign.
    """
    hyphens = [
        match
        for match in _HYPHEN_BEHIND.finditer(text)
        if _LETTER.search(text, max(0, match.start() - _AROUND), match.start())
    ]
    starts = [word.start() for word in re.finditer(r"\S+", text)] if boxes and hyphens else []
    signs = list(text) if hyphens else []
    for match in hyphens:
        is_divided = bool(_LINE_BREAK.search(match[1]))
        if boxes:
            one, other = boxes[(number := bisect_right(starts, match.start()) - 1)], boxes[number + 1]
            is_divided = not (one[0] < other[0] and other[1] <= _middle(one) <= other[3])
        if is_divided:
            signs[match.start()] = BROKEN
    return "".join(signs) or text


def _words(text: str) -> str:
    """Return the text in lower case and NFKC, with plain dashes and quotes and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_SIGNS).casefold().split())

"""The text of a page from its words: in reading order, or with the layout kept by blanks (LATIN-Prompt).

Source of the second: Wang et al. 2023, arXiv 2306.00526.
"""

from __future__ import annotations

from collections.abc import Sequence

from docscore.bench.records import Box, Word


def reading_order_text(words: Sequence[Word]) -> str:
    """The words in their order, with a blank between them.

    >>> reading_order_text([Word("Total", (0, 0, 50, 10)), Word("12.50", (90, 0, 140, 10))])
    'Total 12.50'
    """
    return " ".join(word.text for word in words)


def latin_text(words: Sequence[Word]) -> str:
    """The words in lines, each at the column that its left edge has on the page.

    Words that follow each other share a line when the middle of each lies within the height of the other. A column is
    as wide as a character of the line that has most characters (the last of several): its width / its characters.
    Words that would touch have a blank between them, which the published code leaves out.

    >>> print(latin_text([Word("Tea", (0, 0, 30, 10)), Word("1.20", (120, 1, 160, 11)), Word("Cake", (0, 20, 40, 30))]))
    Tea  1.20
    Cake
    """
    lines = _lines(words)
    width = _character_width(lines)
    return "\n".join(_in_columns(line, width) for line in lines)


def _lines(words: Sequence[Word]) -> list[list[Word]]:
    lines: list[list[Word]] = []
    for word in words:
        if lines and _on_one_line(lines[-1][-1].box, word.box):
            lines[-1].append(word)
        else:
            lines.append([word])
    return lines


def _on_one_line(first: Box, second: Box) -> bool:
    """Whether the middle of each lies within the height of the other."""
    middles = (first[1] + first[3]) / 2, (second[1] + second[3]) / 2
    return second[1] < middles[0] < second[3] and first[1] < middles[1] < first[3]


def _character_width(lines: Sequence[Sequence[Word]]) -> float:
    """The width of a character of the line that has most of them; 1 where nothing has a width."""
    most, width = 1, 0.0
    for line in lines:
        characters = sum(len(word.text) for word in line)
        if characters >= most:
            most = characters
            width = max(word.box[2] for word in line) - min(word.box[0] for word in line)
    return width / most or 1.0


def _in_columns(line: Sequence[Word], width: float) -> str:
    text = ""
    for word in line:
        text = f"{text} " if text else text
        text = text.ljust(int(word.box[0] / width)) + word.text
    return text

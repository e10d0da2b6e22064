"""The part of an id by which rows are paired: cut ids by a pattern, and suggest a pattern that pairs them."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import product
from os.path import commonprefix
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, short_repr, some_of
from docscore.core.options import check_pattern
from docscore.inputs.rows import ID, RawTable, place_of

EXTENSION = re.compile(r"\.[A-Za-z]\w{0,4}$")
_FOLDERS = r".*[/\\]"
_MOST_ENDS = 6  # most alternatives for a beginning or an end to cut off
_FEWEST = 2  # least number of ids of a side that can show a common beginning or end


def with_parts_of_ids(tables: Sequence[RawTable], pattern: str, *, both: bool = True) -> list[RawTable]:
    """Return the tables with the part of each id that the group of a pattern matches; other ids do not change.

    Args:
        tables: the rows, under the names of the row format.
        pattern: a regular expression with one group.
        both: whether these are the rows of both sides; then the pattern may match no id of one side.

    Raises:
        ValueError: for a pattern that matches no id, or makes two ids of a table equal.
    """
    compiled = check_pattern("id_pattern", pattern)
    found = [_table_with_parts(table, compiled) for table in tables]
    if both and not any(count for _, count in found):
        ids = {str(row[ID]) for table in tables for _, row in table.good() if isinstance(row, dict) and ID in row}
        got = f"none of {some_of(ids)}" if ids else "rows without ids"
        raise InputValueError(place="id_pattern", expected=f"an id that {pattern!r} matches", got=got)
    return [table for table, _ in found]


def _table_with_parts(table: RawTable, pattern: re.Pattern[str]) -> tuple[RawTable, bool]:
    """Return a table whose ids, also in its runs, are cut by a pattern, and whether the pattern matches an id."""
    runs = table.runs and {name: _table_with_parts(run, pattern)[0] for name, run in table.runs.items()}
    rows, is_matched = list[Any](), False
    whole_of: dict[str, str] = {}
    for row in table.rows:
        name = row.get(ID) if isinstance(row, dict) else None
        if isinstance(name, str | int) and not isinstance(name, bool):
            whole = str(name)
            match = pattern.search(whole)
            is_part = match is not None and match[1] is not None
            part = match[1] if match and is_part else whole
            is_matched |= is_part
            if whole_of.setdefault(part, whole) != whole:
                first, second = short_repr(whole_of[part]), short_repr(whole)
                problem = f"two ids become {short_repr(part)}: {first} and {second}"
                raise InputValueError(place=("id_pattern", place_of(table)), problem=problem)
            row = {**row, ID: part}  # noqa: PLW2901
        rows.append(row)
    return table._replace(rows=rows, runs=runs), is_matched


_ALL = "^(.+)$"  # the pattern that cuts nothing off


def pattern_that_pairs(references: Sequence[str], predictions: Sequence[str]) -> str:
    r"""Return a pattern for the part of ids that pairs all ids of one side; "" if none is found.

    It cuts off folders, extensions, and the common beginning or end of all ids of a side.

    >>> pattern_that_pairs(["a.pdf", "b.pdf"], ["a", "b"])
    '^(.+)\\.pdf$'
    >>> pattern_that_pairs(["gt_7.json", "gt_8.json"], ["pred_7.png", "pred_8.png"])
    '^(?:gt_|pred_)(.+?)(?:\\.json|\\.png)$'
    """
    fewer, more = sorted(map(frozenset, (references, predictions)), key=len)
    if len(fewer) < _FEWEST:
        return ""
    pairs = [
        (cut, other)
        for cut, other in product(_cuts_of(fewer), _cuts_of(more))
        if other.holds(next(cut.parts()))  # a quick check of the first part before all others
    ]
    for pattern, (cut, other) in sorted(
        {_pattern_of(pair): pair for pair in pairs}.items(), key=lambda item: len(item[0])
    ):
        if pattern != _ALL and all(map(other.holds, cut.parts())) and _pairs_all(fewer, more, re.compile(pattern)):
            return pattern
    return ""


def _pairs_all(fewer: Collection[str], more: Collection[str], pattern: re.Pattern[str]) -> bool:
    """Return whether the matched parts of ids stay distinct, and one side has all parts of the other."""
    parts, others = ({match[1] if (match := pattern.search(name)) else name for name in side} for side in (fewer, more))
    return parts <= others and (len(parts), len(others)) == (len(fewer), len(more))


class _Cut(NamedTuple):
    """The beginnings and ends to cut off the ids of a side.

    Attributes:
        before: the expressions for beginnings to cut off, "" for nothing.
        after: the expressions for ends to cut off, "" for nothing.
        ids: the ids, without folders and extensions if these are cut off.
        head: the common beginning of `ids` that is cut off.
        tail: the common end of `ids` that is cut off.
    """

    before: Collection[str]
    after: Collection[str]
    ids: Collection[str]
    head: str
    tail: str

    def parts(self) -> Iterator[str]:
        """Yield the remaining part of each id."""
        return (name[len(self.head) : len(name) - len(self.tail)] for name in self.ids)

    def holds(self, part: str) -> bool:
        """Return whether an id has this remaining part."""
        return f"{self.head}{part}{self.tail}" in self.ids


def _cuts_of(ids: Collection[str]) -> Iterator[_Cut]:
    """Yield the possible cuts of ids."""
    files = frozenset(name[max(map(name.rfind, "/\\")) + 1 :] for name in ids)
    for names, folders in ((ids, ""), (files, _FOLDERS))[: 1 + (files != ids)]:
        extension_of = {name: match[0] if (match := EXTENSION.search(name)) else "" for name in names}
        extensions = {*extension_of.values()}
        stems = frozenset(name.removesuffix(extension) for name, extension in extension_of.items())
        endings = [_escaped(each) for each in extensions] if len(extensions) <= _MOST_ENDS else [EXTENSION.pattern[:-1]]
        for kept, ends in ((names, [""]), (stems, endings))[: 1 + (stems != names)]:
            heads, tails = (_ends(commonprefix(each)) for each in ([*kept], [name[::-1] for name in kept]))  # noqa: RUF071
            shortest = min(map(len, kept))
            for head, tail in ((head, tail[::-1]) for head, tail in product(heads, tails)):
                if len(head) + len(tail) < shortest:
                    yield _Cut([folders + _escaped(head)], [_escaped(tail) + end for end in ends], kept, head, tail)


def _escaped(text: str) -> str:
    """Return the regular expression that matches a text."""
    return re.sub(r"[][.^$*+?{}\\|()]", r"\\\g<0>", text)


def _ends(text: str) -> list[str]:
    """Return the beginnings of a text that end before letters or digits, or at its end; the empty one first."""
    places = [match.start() for match in re.finditer(r"[^\W\d_]+|\d+|$", text) if match.start()]
    return ["", *(text[:place] for place in places[-_MOST_ENDS:])]


def _pattern_of(cuts: Iterable[_Cut]) -> str:
    """Return the regular expression for the remaining part of the ids of both sides."""
    changed = [cut for cut in cuts if any((*cut.before, *cut.after))]
    before, after = ({each for cut in changed for each in cut[end]} for end in (0, 1))
    is_one_end = not (any(before) and any(after))  # an id without it does not change
    begin, end = (_one_of(each, is_optional=not is_one_end and "" in each) for each in (before, after))
    return f"^{begin}(.+{'?' if end.startswith('(?:') else ''}){end}$"


def _one_of(expressions: Iterable[str], *, is_optional: bool) -> str:
    """Return the expression that matches one of several expressions, or also nothing if it is optional."""
    given = sorted(filter(None, expressions))
    if len(given) > 1 or is_optional:
        return f"(?:{'|'.join(given)}){'?' if is_optional else ''}"
    return "".join(given)

"""Which sign stands between the columns of a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

DELIMITERS = (",", ";", "\t", "|")


def delimiter_of(text: str, names: Sequence[str]) -> str:
    r"""Tell by its header which sign stands between the columns of a CSV file.

    It is the only one that gives a column with one of the names; else the only one that gives several columns; and
    where the header does not tell, the comma.

    Args:
        text: the content of the file.
        names: columns that such a file has, such as that of the ids.

    >>> delimiter_of("question_id;prediction\na;1,5\n", ["question_id"])
    ';'
    >>> delimiter_of("id;first, second", ["question_id"])
    ','
    """
    headers = {sign: _header(text, sign) for sign in DELIMITERS}
    named = [sign for sign, header in headers.items() if len(header) > 1 and not set(names).isdisjoint(header)]
    several = [sign for sign, header in headers.items() if len(header) > 1]
    return next((found[0] for found in (named, several) if len(found) == 1), ",")


def _header(text: str, sign: str) -> list[str]:
    """The cells of the first line that is not empty; none if it cannot be read with this sign."""
    try:
        return next(filter(None, csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=sign)), [])
    except csv.Error:
        return []

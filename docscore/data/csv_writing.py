"""Write tables as CSV that a spreadsheet opens without running any part of it as a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # spreadsheets take the wide signs too
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_cell(value: Any) -> Any:
    r"""The value of a cell, with an apostrophe before a text that a spreadsheet would take for a formula.

    Such a text begins with `=`, `+`, `-` or `@`, also in their wide forms, a tab or a line break. Ids, fields and
    values come from models and strangers, and a formula can fetch an address. Numbers, and texts that are numbers as a
    whole, stay as they are.

    Source: OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection.

    >>> csv_cell('=HYPERLINK("http://example.com")'), csv_cell("-0.5"), csv_cell(-0.5), csv_cell("tea")
    ('\'=HYPERLINK("http://example.com")', '-0.5', -0.5, 'tea')
    """
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as a CSV file in UTF-8, every cell and heading through `csv_cell`.

    Args:
        path: the file.
        columns: the columns, in their order.
        rows: a value for each column; None, or a column that a row lacks, is an empty cell.
    """
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(map(csv_cell, columns))
        writer.writerows([csv_cell(row.get(column)) for column in columns] for row in rows)

"""The row of one id, told from the others without reading all of these."""

from __future__ import annotations

from typing import Any, NamedTuple

from docscore.core.values import scalar_text
from docscore.data.kept_rows import FAULTY
from docscore.data.rows import ID


class WantedRow(NamedTuple):
    """The row of one id.

    Attributes:
        id: the id.
        column: the key or column of the ids.
    """

    id: str
    column: str = ID

    def may_be_in(self, line: bytes) -> bool:
        """Whether a line of JSON may hold the row: the id stands in it as it is, or something stands in escapes."""
        return self.id.encode("utf-8", "surrogatepass") in line or b"\\" in line

    def is_row(self, row: Any) -> bool:
        """Whether it is the row, or one that could not be read."""
        name = row.get(self.column) if isinstance(row, dict) else None
        return row is FAULTY or (isinstance(name, str | int) and scalar_text(name) == self.id)

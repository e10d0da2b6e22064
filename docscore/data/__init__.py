"""Rows: where they are read from, and how references and predictions are paired."""

from collections.abc import Callable
from typing import Any

LOG_FORMATS: dict[str, tuple[Callable[[Any], bool], Callable[[Any], Any]]] = {}
"""Formats of logs whose rows hold both sides, by extension: whether the value of a `.json` file is such a log, and what
reads the `docscore.data.rows.Table` of a file. `docscore` itself fills it with readers of packages above this one."""

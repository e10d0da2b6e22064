"""Logs of other tools as files of references and predictions; the tool's library is imported when one is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from docscore.core.errors import in_file
from docscore.core.runtime import library
from docscore.data.rows import Table
from docscore.evaluation.systems import LoggedRun


def table_of_file(path: Path) -> Table:
    """The samples of a log of Inspect as rows that hold both sides.

    Raises:
        ValueError: naming the file, if it is no such log, or the library is missing.
        OSError: if it cannot be read.
    """
    return cast("Table", _reader(path).table_of_log(path))


def run_of_file(path: Path) -> LoggedRun:
    """What a log of Inspect says of its run: data set, method, model, tokens, cost and time.

    Raises:
        ValueError: naming the file, if it is no such log, or the library is missing.
        OSError: if it cannot be read.
    """
    return cast("LoggedRun", _reader(path).run_of_log(path))


def _reader(path: Path) -> Any:
    name, problem = "docscore.integrations.inspect.logs", "reading logs of Inspect needs its library ({})"
    return library(name, problem, "bench", in_file(path))  # takes two seconds

"""Read logs of Inspect as tables of references and predictions. Its library is imported when a log is read."""

from pathlib import Path
from typing import Any, cast

from docscore.core.errors import in_file
from docscore.core.runtime import library
from docscore.data.rows import Table
from docscore.evaluation.systems import LoggedRun


def table_of_file(path: Path) -> Table:
    """Return the samples of an Inspect log as rows that hold both sides.

    Raises:
        ValueError: naming the file, if it is not an Inspect log or the library is not installed.
        OSError: if it cannot be read.
    """
    return cast("Table", _reader(path).table_of_log(path))


def run_of_file(path: Path) -> LoggedRun:
    """Return the data set, method, model, tokens, cost and time of the run that an Inspect log records.

    Raises:
        ValueError: naming the file, if it is not an Inspect log or the library is not installed.
        OSError: if it cannot be read.
    """
    return cast("LoggedRun", _reader(path).run_of_log(path))


def _reader(path: Path) -> Any:
    name, problem = "docscore.integrations.inspect.logs", "reading Inspect logs needs its library ({})"
    return library(name, problem, "bench", in_file(path))  # takes two seconds

"""Read logs of Inspect as tables of references and predictions. Its library is imported when a log is read."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from docscore.core.errors import in_file
from docscore.core.runtime import library
from docscore.data.rows import Source
from docscore.evaluation.figures import MILLION


@dataclass(frozen=True)
class LoggedRun:
    """What a log says of a run as a whole.

    Attributes:
        data_set: the title of the data set, or the name of the task.
        method: how documents were put to the model, as the task's arguments say; empty where they do not.
        model: the model.
        documents: how many samples there are, epochs counted.
        errors: how many of them ended with an error.
        shortfall: in what the run is incomplete, as a sentence; empty where it is complete.
        input_tokens: read by the model, those from caches among them; None where the log has no usage.
        output_tokens: written by the model.
        cost: in dollars; None where the log does not say.
        seconds: from the start to the end of the run; None where it did not end.
        task_id: of the task, which a run that goes on with another one shares with it.
        created: when the run began, as text in the order of time.
        settings: the arguments of the task and of the model's calls, by their names.
    """

    data_set: str
    method: str
    model: str
    documents: int
    errors: int = 0
    shortfall: str = ""
    input_tokens: float | None = None
    output_tokens: float | None = None
    cost: float | None = None
    seconds: float | None = None
    task_id: str = ""
    created: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def cell(self) -> tuple[str, str, str]:
        """Its place in a grid: data set, method and model."""
        return self.data_set, self.method, self.model

    def priced(self, read: float, written: float) -> "LoggedRun":
        """Return the run with its cost by prices of a million tokens that are read and written."""
        counts = self.input_tokens, self.output_tokens
        parts = [count * price for count, price in zip(counts, (read, written), strict=True) if count is not None]
        return replace(self, cost=sum(parts) / MILLION if len(parts) == len(counts) else None)


def table_of_file(path: Path) -> Source:
    """Return the samples of an Inspect log as rows that hold both sides.

    Raises:
        ValueError: naming the file, if it is not an Inspect log or the library is not installed.
        OSError: if it cannot be read.
    """
    return cast("Source", _reader(path).table_of_log(path))


def run_of_file(path: Path) -> LoggedRun:
    """Return the data set, method, model, tokens, cost and time of the run that an Inspect log records.

    Raises:
        ValueError: naming the file, if it is not an Inspect log or the library is not installed.
        OSError: if it cannot be read.
    """
    return cast("LoggedRun", _reader(path).run_of_log(path))


def _reader(path: Path) -> Any:
    name, problem = "docscore.integrations.inspect.logs", "reading Inspect logs needs its library ({})"
    return library(name, problem, "inspect", in_file(path))  # takes two seconds

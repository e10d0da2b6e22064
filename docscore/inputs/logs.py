"""Read logs of Inspect as rows of references and predictions, with the costs of the run.

The library of Inspect is imported when a log is read, which takes two seconds.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docscore.core.errors import DataWarning, Diagnostic, InputValueError, at_place, in_file
from docscore.core.numbers import MILLION
from docscore.core.runtime import library
from docscore.core.values import convert_ground_truth
from docscore.inputs.json_text import loads
from docscore.inputs.model_text import answer_in, parse_output
from docscore.inputs.rows import ID, Absent, RawTable

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.model import ModelUsage

GROUP = "group"  # the metadata of a sample that names its file
_REFERENCES, _PREDICTION = "references", "prediction"  # the metadata of a score of `anls_star`
_STAND_IN = ("(a sample that did not run)",)  # the ground truth of a sample that no log has: nothing equals it
_LONGEST_ERROR = 200  # characters of an error that are shown
_PLACES = {"data"}  # arguments of tasks that say where files are, and do not change the questions
_UNREAD = {"attachments", "events", "messages", "store"}  # parts of samples that are large and not needed


@dataclass(frozen=True)
class LoggedRun:
    """The facts about a run as a whole that a log records.

    Attributes:
        data_set: the title of the data set, or the name of the task.
        method: how documents were presented to the model, from the task's arguments; empty if they do not say it.
        model: the model.
        documents: the number of samples, counted once per epoch.
        errors: the number of samples that ended with an error.
        shortfall: why the run is incomplete, as a sentence; empty if it is complete.
        input_tokens: tokens that the model read, including tokens from caches; None if the log has no usage.
        output_tokens: tokens that the model wrote; None if the log has no usage.
        cost: in dollars; None if the log does not state it.
        seconds: from the start to the end of the run; None if it did not end.
        task_id: the id of the task; a run that continues another run has the same id.
        created: when the run began, as text that sorts by time.
        settings: the arguments of the task and of the model's calls, by name.
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
        """Return the cell of the run in a grid: data set, method and model."""
        return self.data_set, self.method, self.model

    def priced(self, read: float, written: float) -> "LoggedRun":
        """Return the run with its cost, given the prices per million tokens read and written."""
        counts = self.input_tokens, self.output_tokens
        parts = [count * price for count, price in zip(counts, (read, written), strict=True) if count is not None]
        return replace(self, cost=sum(parts) / MILLION if len(parts) == len(counts) else None)


def is_log(value: Any) -> bool:
    """Return whether a JSON value is a log of Inspect."""
    return isinstance(value, dict) and {"version", "status", "eval"} <= value.keys()


def table_of_log(path: Path) -> RawTable:
    """Return the samples of a log as rows `{"question_id", "references", "prediction"}`, sorted by epoch.

    If the log has several epochs, they are the runs of the table, and the ids of its rows have the form "a, epoch 2".
    References and prediction come from the score of `anls_star`. Without such a score, the references are the targets,
    and the prediction is the output, parsed as by `anls_star`. The column `group` holds a sample's file, or its id.

    The prediction of a sample without an output is `Absent`. If errors are the reason, a warning reports their number
    and the first error. A sample that was planned but did not run has a row with both sides `Absent`.

    Raises:
        ValueError: naming the file, if it is not a log, has no samples, or the library of Inspect is not installed.
    """
    log = _read(path)
    samples = log.samples or []
    if not samples:
        raise InputValueError(place=in_file(path), expected="a log with samples", got="none")
    several = _epochs(log) > 1
    entries: list[tuple[int, str, dict[str, Any]]] = []  # epoch, document and row
    for sample in samples:
        answers, prediction = _as_read(sample)
        given = prediction if sample.output.choices else Absent
        row = {GROUP: str(sample.metadata.get(GROUP, sample.id)), _REFERENCES: answers, _PREDICTION: given}
        entries.append((sample.epoch, str(sample.id), {**row, **_costs(sample)}))
    for document, epoch in _not_run(log):
        row = {GROUP: str(document), _REFERENCES: Absent, _PREDICTION: Absent}
        entries.append((epoch, str(document), row))
    entries.sort(key=lambda entry: entry[0])
    rows = [{ID: _name(document, epoch, several=several), **row} for epoch, document, row in entries]
    places = [in_file(path, f"sample {row[ID]}") for row in rows]
    table = RawTable(path, rows, places.__getitem__, incomplete=_shortfall(log), stand_in=_STAND_IN)
    table = table._replace(warnings=tuple(_warnings_about_errors(path, samples, several=several)))
    return table._replace(runs=_runs(table, [document for _, document, _ in entries])) if several else table


def _runs(table: RawTable, documents: Sequence[str]) -> dict[str, RawTable]:
    """Return the rows of each epoch under the ids of their documents.

    Args:
        table: the rows of all epochs, sorted by epoch.
        documents: the document of each row.
    """
    numbers: dict[int, list[int]] = {}  # of the rows of each epoch
    times: Counter[str] = Counter()
    for number, document in enumerate(documents):
        times[document] += 1
        numbers.setdefault(times[document], []).append(number)
    return {
        f"epoch {epoch}": table._replace(
            rows=[{**table.rows[number], ID: documents[number]} for number in of_epoch],
            where=list(map(table.where, of_epoch)).__getitem__,
        )
        for epoch, of_epoch in numbers.items()
    }


def run_of_log(path: Path) -> LoggedRun:
    """Return the facts about a run that its log records.

    Raises:
        ValueError: naming the file, if it is not a log, or the library of Inspect is not installed.
    """
    log = _read(path)
    samples = log.samples or []
    usage = [each for sample in samples for each in sample.model_usage.values()]
    times = [datetime.fromisoformat(each) for each in (log.stats.started_at, log.stats.completed_at) if each]
    method, prompt = str(log.eval.task_args.get("method", "")), log.eval.task_args.get("prompt", "paper")
    return LoggedRun(
        data_set=log.eval.task,
        method=method if prompt == "paper" else f"{method}, {prompt} prompt",
        model=log.eval.model,
        documents=len(samples),
        errors=sum(sample.error is not None for sample in samples),
        shortfall=_shortfall(log),
        input_tokens=sum(map(_tokens_read, usage)) if usage else None,
        output_tokens=sum(each.output_tokens for each in usage) if usage else None,
        cost=_dollars(usage),
        seconds=(times[1] - times[0]).total_seconds() if len(times) > 1 else None,
        task_id=log.eval.task_id,
        created=log.eval.created,
        settings={
            **{name: value for name, value in log.eval.task_args.items() if name not in _PLACES},
            **log.plan.config.model_dump(mode="json", exclude_none=True),
            **log.eval.model_generate_config.model_dump(mode="json", exclude_none=True),
            **log.eval.model_args,
            "task_version": log.eval.task_version,
        },
    )


def _tokens_read(usage: "ModelUsage") -> int:
    """Return the number of tokens that the model read, including those from caches."""
    return int(usage.input_tokens) + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)


def _costs(sample: "EvalSample") -> dict[str, float | None]:
    """Return the cost of a sample in dollars, its working time in seconds, and the sum of its tokens."""
    usage = list(sample.model_usage.values())
    return {
        "cost": _dollars(usage),
        "seconds": sample.working_time,
        "tokens": sum(_tokens_read(each) + each.output_tokens for each in usage) if usage else None,
    }


def _dollars(usage: Sequence["ModelUsage"]) -> float | None:
    """Return the cost of calls; None if the cost of any is unknown."""
    costs = [each.total_cost for each in usage if each.total_cost is not None]
    return fsum(costs) if costs and len(costs) == len(usage) else None


def _read(path: Path) -> "EvalLog":
    name, problem = "inspect_ai.log", "reading Inspect logs needs its library ({})"
    read_eval_log = library(name, problem, "inspect", in_file(path)).read_eval_log
    path.open("rb").close()  # the same error for a file that cannot be opened, whatever its format
    try:
        return read_eval_log(str(path), exclude_fields=_UNREAD)
    except Exception as error:  # noqa: BLE001  zip, zstandard, JSON and pydantic each raise their own errors
        raise InputValueError(
            place=in_file(path), expected="a log of Inspect", got=f"{type(error).__name__}: {error}"
        ) from None


def _epochs(log: "EvalLog") -> int:
    return max([log.eval.config.epochs or 1, *(int(sample.epoch) for sample in log.samples or [])])


def _name(sample: int | str, epoch: int, *, several: bool) -> str:
    return f"{sample}, epoch {epoch}" if several else str(sample)


def _not_run(log: "EvalLog") -> list[tuple[int | str, int]]:
    """Return id and epoch of the planned samples that are not in the log; a limit on samples defines the plan."""
    there = {(str(sample.id), sample.epoch) for sample in log.samples or []}
    wanted = [(name, epoch) for epoch in range(1, _epochs(log) + 1) for name in log.eval.dataset.sample_ids or []]
    return [(name, epoch) for name, epoch in wanted if (str(name), epoch) not in there]


def _shortfall(log: "EvalLog") -> str:
    """Return why the run is incomplete: its status, or samples that did not run; "" if it is complete."""
    there, absent = len(log.samples or []), len(_not_run(log))
    if log.status == "success" and not absent:
        return ""
    return f"the run is incomplete: status {log.status!r}, {there:,} of {there + absent:,} samples"


def _warnings_about_errors(path: Path, samples: Sequence["EvalSample"], *, several: bool) -> Iterator[DataWarning]:
    """Yield a warning about samples without an output because of an error; their scores do not rate the model."""
    failed = [
        (_name(sample.id, sample.epoch, several=several), sample.error.message)
        for sample in samples
        if sample.error is not None and not sample.output.choices
    ]
    if failed:
        name, error = failed[0][0], " ".join(failed[0][1].split())  # on one line
        message = error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]}..."
        problem = (
            f"{len(failed):,} of {len(samples):,} samples ended with an error before they had an output, so they have "
            f"no prediction; the first is {name}: {message}"
        )
        rows = [name for name, _ in failed]
        yield DataWarning("samples with errors", Diagnostic((in_file(path),), problem=problem), rows)


def _as_read(sample: "EvalSample") -> tuple[list[Any], Any]:
    """Return the acceptable answers and the prediction from the score, or else as `anls_star` would read them."""
    for metadata in (score.metadata or {} for score in (sample.scores or {}).values()):
        if {_REFERENCES, _PREDICTION} <= metadata.keys():
            try:
                return loads(metadata[_REFERENCES]), loads(metadata[_PREDICTION])
            except (TypeError, ValueError) as error:
                place = f"sample {sample.id}, metadata of its score"
                raise at_place(place, error) from None
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    if not any(targets):
        raise InputValueError(place=f"sample {sample.id}", expected="a target", got="none")
    answers = [answer_in(text) for text in targets]
    output = sample.output.completion if sample.output.choices else None
    return answers, parse_output(output, convert_ground_truth(tuple(answers)))[0]

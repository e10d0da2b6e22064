"""Logs of Inspect as rows of references and predictions, with what the run cost."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import datetime
from math import fsum
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from inspect_ai.model import ModelUsage

from docscore.bench.data_sets import DATA_SETS
from docscore.core.errors import InputValueError, at_place, in_file
from docscore.core.runtime import level_of_caller
from docscore.data.json_text import loads
from docscore.data.rows import ID, Absent, Table
from docscore.evaluation.systems import LoggedRun
from docscore.integrations.inspect.scorers import GROUP
from docscore.integrations.judging import answer_in, judged_output

_REFERENCES, _PREDICTION = "references", "prediction"  # the metadata of a score of `anls_star`
_LONGEST_ERROR = 200  # characters of an error that are shown
_UNREAD = {"attachments", "events", "messages", "store"}  # of samples: large, and not needed


def table_of_log(path: Path) -> Table:
    """The samples of a log as rows `{"question_id", "references", "prediction"}`, the first epoch first.

    Samples of several epochs have ids such as "a, epoch 2".

    What `anls_star` scored is taken from its score; without one, references are the targets, and the prediction is the
    output, read as `anls_star` would. The column `group` names the file of a sample, or its id. A sample that ended
    before it had an output has no prediction, `Absent`; a warning says how many did because of an error, and which
    error the first had. A sample that was to run and did not has a row with neither, `Absent` both.

    Raises:
        ValueError: naming the file, if it is no log or has no samples.
    """
    log = _read(path)
    samples = log.samples or []
    if not samples:
        raise InputValueError(place=in_file(path), expected="a log with samples", got="none")
    several = _epochs(log) > 1
    _warn_of_errors(path, samples, several=several)
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
    documents = {row[ID]: document for row, (_, document, _) in zip(rows, entries, strict=True)} if several else {}
    where = [in_file(path, f"sample {row[ID]}") for row in rows]
    return Table(path, rows, where.__getitem__, shortfall=_shortfall(log), documents=documents)


def run_of_log(path: Path) -> LoggedRun:
    """What the log says of its run.

    Raises:
        ValueError: naming the file, if it is no log.
    """
    log = _read(path)
    samples = log.samples or []
    usage = [each for sample in samples for each in sample.model_usage.values()]
    times = [datetime.fromisoformat(each) for each in (log.stats.started_at, log.stats.completed_at) if each]
    method, prompt = str(log.eval.task_args.get("method", "")), log.eval.task_args.get("prompt", "paper")
    data_set = DATA_SETS.get(log.eval.task.rsplit("/", 1)[-1])
    return LoggedRun(
        data_set=data_set.title if data_set else log.eval.task,
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
    )


def _tokens_read(usage: ModelUsage) -> int:
    """The tokens that the model read, those from caches among them."""
    return int(usage.input_tokens) + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)


def _costs(sample: EvalSample) -> dict[str, float | None]:
    """What a sample took, as the columns of predictions: dollars, seconds of work, and tokens read and written."""
    usage = list(sample.model_usage.values())
    tokens = sum(_tokens_read(each) + each.output_tokens for each in usage)
    return {"cost": _dollars(usage), "seconds": sample.working_time, "tokens": tokens if usage else None}


def _dollars(usage: Sequence[ModelUsage]) -> float | None:
    """What calls cost; None where that of one is not known."""
    costs = [each.total_cost for each in usage if each.total_cost is not None]
    return fsum(costs) if costs and len(costs) == len(usage) else None


def _read(path: Path) -> EvalLog:
    path.open("rb").close()  # whatever the format, what cannot be opened is said in the same words
    try:
        return read_eval_log(str(path), exclude_fields=_UNREAD)
    except Exception as error:  # noqa: BLE001  zip, zstandard, JSON and pydantic each have their own
        raise InputValueError(
            place=in_file(path), expected="a log of Inspect", got=f"{type(error).__name__}: {error}"
        ) from None


def _epochs(log: EvalLog) -> int:
    return max([log.eval.config.epochs or 1, *(int(sample.epoch) for sample in log.samples or [])])


def _name(sample: int | str, epoch: int, *, several: bool) -> str:
    return f"{sample}, epoch {epoch}" if several else str(sample)


def _not_run(log: EvalLog) -> list[tuple[int | str, int]]:
    """Id and epoch of the samples that were to run, those beyond a limit not among them, and are not in the log."""
    there = {(str(sample.id), sample.epoch) for sample in log.samples or []}
    wanted = [(name, epoch) for epoch in range(1, _epochs(log) + 1) for name in log.eval.dataset.sample_ids or []]
    return [(name, epoch) for name, epoch in wanted if (str(name), epoch) not in there]


def _shortfall(log: EvalLog) -> str:
    """In what the run is incomplete: it did not end well, or samples did not run; empty where it is complete."""
    there, absent = len(log.samples or []), len(_not_run(log))
    if log.status == "success" and not absent:
        return ""
    return f"the run is incomplete: status {log.status!r}, {there:,} of {there + absent:,} samples"


def _warn_of_errors(path: Path, samples: Sequence[EvalSample], *, several: bool) -> None:
    """Warn of samples without an output that have an error: their scores say nothing about the model."""
    failed = [
        (_name(sample.id, sample.epoch, several=several), sample.error.message)
        for sample in samples
        if sample.error is not None and not sample.output.choices
    ]
    if failed:
        name, error = failed[0][0], " ".join(failed[0][1].split())  # on one line
        message = error if len(error) <= _LONGEST_ERROR else f"{error[:_LONGEST_ERROR]}..."
        warnings.warn(
            f"{path}: {len(failed):,} of {len(samples):,} samples ended with an error before they had an output, and "
            f"have no prediction; the first, {name}: {message}",
            UserWarning,
            stacklevel=level_of_caller(),
        )


def _as_read(sample: EvalSample) -> tuple[list[Any], Any]:
    """The acceptable answers and the prediction as they were scored, or as `anls_star` would read them."""
    for metadata in (score.metadata or {} for score in (sample.scores or {}).values()):
        if {_REFERENCES, _PREDICTION} <= metadata.keys():
            try:
                return loads(metadata[_REFERENCES]), loads(metadata[_PREDICTION])
            except (TypeError, ValueError) as error:
                place = f"sample {sample.id}, metadata of its score"
                raise at_place(place, error) from None
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    answers = [answer_in(text) for text in targets]
    output = sample.output.completion if sample.output.choices else None
    return answers, judged_output(output, answers or [None]).prediction

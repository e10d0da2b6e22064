"""Files of every format: read, paired and scored by the command, with random flags."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from dev.fuzz.draws import SEPARATOR, Draws, raw
from dev.fuzz.findings import check, check_html, errors_name_their_place
from dev.fuzz.seeds import lines_of, sampled_seeds
from docscore.cli.entry_point import commands

EXTENSIONS = (
    ".jsonl", ".json", ".csv", ".parquet", ".jsonl.gz", ".json.gz", ".csv.gz", ".ndjson", ".txt", ".parquet.gz",
)  # fmt: skip
FLAGS: tuple[tuple[str, ...], ...] = (
    ("--parse", "repair"), ("--parse", "json"), ("--parse-references", "json"), ("--on-error", "skip"),
    ("--missing", "zero"), ("--rules", "anls_star-1.0.1"), ("--numbers", "value"), ("--case-sensitive",),
    ("--threshold", "0.8"), ("--threshold", "nan"), ("--with-confidences",), ("--cluster", "source"),
    ("--cluster-of-id", "^(.)"), ("--confidence-level", "0.9"),
)  # fmt: skip
OF_SCORE: tuple[tuple[str, ...], ...] = (
    ("--fields",), ("--metrics", "anls_star,anls,anlsl,kieval,entity_f1,nted"), ("--by", "source"), ("--normalise",),
    ("--donut", "--metrics", "nted"), ("--worst", "1"),
)  # fmt: skip
_FOLDER = tempfile.TemporaryDirectory(prefix="docscore-fuzz-")
FOLDER = Path(_FOLDER.name)
_GATE_FAILED = 1


def run(data: bytes) -> None:
    """Write the files, and run the command on them."""
    draws = Draws(data[1:])
    form = draws.pick(EXTENSIONS) if draws.rarely() else draws.pick(EXTENSIONS[:6])
    if data[:1] == b"\x00":
        head, _, rest = data[1:].partition(SEPARATOR)
        draws, form = Draws(head), _extension(head)
        references, _, predictions = rest.partition(SEPARATOR)
        contents = [_packed(each, form) for each in (references, predictions or references)]
    else:
        rows = _rows(draws)
        contents = [_written(side, form, draws) for side in rows]
    paths = [FOLDER / f"{name}{form}" for name in ("refs", "preds")]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    _run_command(_arguments(draws, *map(str, paths)))


def _run_command(arguments: list[str]) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="replace")
    with errors_name_their_place(), redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        status = commands.main(arguments, prog_name="docscore", standalone_mode=False, obj={})
        check(not status or (status == _GATE_FAILED and "--max-loss" in arguments), f"exit status {status}")
        _check_output(arguments, out)


def _check_output(arguments: list[str], out: io.TextIOWrapper) -> None:
    out.flush()
    printed = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
    if "--json" in arguments:
        json.loads(printed, parse_constant=_refuse)
    elif "-o" in arguments:
        check_html(FOLDER.joinpath("report.html").read_text(encoding="utf-8"))


def _refuse(constant: str) -> None:
    check(holds=False, message=f"{constant} in the output")


def _arguments(draws: Draws, references: str, predictions: str) -> list[str]:
    """Return a command with flags."""
    command = draws.pick(("score", "score", "score", "explain", "compare", "table", "report", "automation"))
    flags = [each for _ in range(draws.number(3)) for each in draws.pick(FLAGS)]
    if command in ("score", "report", "table"):
        flags += draws.pick(OF_SCORE)
    if command != "report" and draws.is_so():
        flags.append("--json")
    if command == "compare":
        return ["compare", predictions, predictions, "--references", references, "--max-loss", "0.1", *flags]
    if command == "table":
        return ["table", predictions, "--references", references, *flags]
    if command == "report":
        flags += ["-o", str(FOLDER / "report.html")]
    if command == "explain":
        flags = [*draws.pick(((), ("--id", "r0"), ("--metric", "kieval"), ("--id", "r1", "--all"))), *flags]
    return [command, references, predictions, *flags]


def _extension(head: bytes) -> str:
    """Return the extension that the first bytes of a raw input name."""
    name = head.decode("ascii", "replace")
    return name if name in EXTENSIONS else EXTENSIONS[len(head) % len(EXTENSIONS)]


def _rows(draws: Draws) -> tuple[list[Any], list[Any]]:
    """Return rows of references and of predictions."""
    references: list[Any] = []
    predictions: list[Any] = []
    plain, keys = draws.rarely(), draws.pick((("prediction", "references"), ("prediction_text", "answers")))
    for number in range(0 if draws.rarely() else 1 + draws.number(5)):
        truth = draws.value(depth=3, options=False)
        prediction = draws.answer() if draws.is_so() else draws.changed(truth)
        if plain:
            references.append(truth)
            predictions.append(prediction)
            continue
        name: Any = draws.scalar() if draws.rarely() else f"r{number}"
        references.append({"question_id": name, keys[1]: [truth], "source": draws.pick(("a", "b"))})
        predictions.append({"question_id": name, keys[0]: prediction})
        if draws.rarely():
            predictions[-1]["confidence"] = draws.value(depth=2)
        if draws.rarely():
            predictions[-1].pop(draws.pick(list(predictions[-1])))
    return references, predictions


def _written(rows: list[Any], form: str, draws: Draws) -> bytes:
    """Return the rows in a format, sometimes with damaged bytes."""
    name = form.removesuffix(".gz")
    content = {".csv": _csv, ".parquet": _parquet, ".json": _json}.get(name, _jsonl)(rows, draws)
    if draws.rarely() and content:
        at, wrong = draws.number(len(content)), draws.rest()[:40]
        content = content[:at] + wrong + content[at + draws.number(3) :]
    return _packed(content, form)


def _packed(content: bytes, form: str) -> bytes:
    return gzip.compress(content, 1) if form.endswith(".gz") and content[:1] != b"\xff" else content


def _jsonl(rows: list[Any], draws: Draws) -> bytes:
    ends = draws.pick(("\n", "\r\n", "\n\n", "\u2028\n"))
    start = draws.pick(("", "\ufeff", "\n"))
    return (start + ends.join(map(json.dumps, rows))).encode()


def _json(rows: list[Any], draws: Draws) -> bytes:
    value = draws.pick((rows, {"rows": rows}, rows[:1], rows[0] if rows else None))
    return json.dumps(value, indent=draws.pick((None, 2))).encode()


def _csv(rows: list[Any], draws: Draws) -> bytes:
    text = io.StringIO(newline="")
    objects = [row for row in rows if isinstance(row, dict)]
    columns = list(dict.fromkeys(key for row in objects for key in row)) or ["question_id"]
    columns += [columns[0]] if draws.rarely() else []
    writer = csv.writer(text, delimiter=draws.pick((",", ";", "\t")), lineterminator=draws.pick(("\n", "\r\n", "\r")))
    writer.writerow(columns * draws.copies(40) if draws.rarely() else columns)
    for row in objects:
        writer.writerow([_cell(row.get(column), draws) for column in columns])
    return text.getvalue().encode("utf-8", "surrogatepass")


def _cell(value: Any, draws: Draws) -> str:
    if draws.rarely():
        return draws.text()
    return value if isinstance(value, str) else json.dumps(value)


def _parquet(rows: list[Any], draws: Draws) -> bytes:
    """Return rows as a Parquet file with the types that Arrow infers, or odd types."""
    objects = [row for row in rows if isinstance(row, dict)]
    names = list(dict.fromkeys(key for row in objects for key in row))
    columns = [_column([row.get(name) for row in objects], draws) for name in names]
    if draws.rarely() and names:
        names, columns = [*names, names[0]], [*columns, columns[0]]
    buffer = io.BytesIO()
    with suppress(pa.ArrowNotImplementedError):  # objects without keys, which Parquet cannot hold
        parquet.write_table(pa.Table.from_arrays(columns, names=names), buffer)
    return buffer.getvalue()


def _column(values: list[Any], draws: Draws) -> Any:
    """Return a column of the values if Arrow can hold them, otherwise of their JSON texts; rarely of an odd type."""
    if draws.rarely():
        kind = draws.pick(_ODD_TYPES)
        return pa.nulls(len(values), kind) if draws.is_so() else _odd(kind, len(values))
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError, RecursionError):
        return pa.array([json.dumps(value) for value in values])


_ODD_TYPES = (
    pa.timestamp("s"), pa.timestamp("ns", tz="Europe/Berlin"), pa.date32(), pa.time64("ns"), pa.duration("s"),
    pa.decimal128(38, 10), pa.binary(), pa.map_(pa.string(), pa.string()), pa.list_(pa.struct([("a", pa.int64())])),
    pa.dictionary(pa.int32(), pa.string()), pa.float16(), pa.large_string(),
)  # fmt: skip


def _odd(kind: Any, count: int) -> Any:
    """Return a column of an odd type with extreme values."""
    if pa.types.is_map(kind):
        return pa.array([[("a", "x"), ("a", "y")]] * count, kind)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_duration(kind):
        width, far = (pa.int32(), 2**31 - 1) if pa.types.is_date(kind) else (pa.int64(), 2**38)
        return pa.array([far] * count, width).cast(kind, safe=False)
    if pa.types.is_dictionary(kind):
        return pa.array(["x"] * count).dictionary_encode()
    return pa.array([b"\xff\xfe"] * count) if pa.types.is_binary(kind) else pa.nulls(count, kind)


def seeds() -> list[bytes]:
    """Return the example receipts in the text formats, and random bytes."""
    references = "\n".join(lines_of("examples", "receipts", "references.jsonl")[:2])
    predictions = "\n".join(lines_of("examples", "receipts", "predictions_text.jsonl")[:2])
    anls = 'question_id,answers\na,"[""Paris""]"\nb,"[""x"", ""y""]"', "question_id,prediction_text\nb,x\na,paris"
    rows = '[{"question_id": "a", "references": ["x"]}]', '[{"question_id": "a", "prediction": "y"}]'
    known = [
        raw(form, *texts)
        for form, texts in (
            (".jsonl", (references, predictions)),
            (".jsonl.gz", (references, predictions)),
            (".csv", anls),
            (".csv.gz", anls),
            (".json", rows),
            (".json", ('{"a": [1]}', '{"a": [1, 2]}')),
            (".parquet", ("PAR1", "PAR1")),
        )
    ]
    return [*known, *sampled_seeds()]

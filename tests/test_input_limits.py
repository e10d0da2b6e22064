"""What is too large is refused with a sentence that names the limit, or cut off and counted."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from docscore import typed_score
from docscore.data import csv_files, files
from docscore.report.console import print_table
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from tests.commands import Write, pred, ref, run, succeed


class Name(str):
    """A name of a column that counts how often it is looked up and compared."""

    __slots__ = ()
    uses = 0

    def __hash__(self) -> int:
        Name.uses += 1
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        Name.uses += 1
        return super().__eq__(other)


def test_many_columns_are_checked_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """40,000 columns took 15 seconds, each being compared with all others."""
    monkeypatch.setattr(Name, "uses", 0)
    names: list[str] = [Name(f"column {number}") for number in range(2000)]
    assert csv_files._checked_header(Path("p.csv"), 1, names) == names  # noqa: SLF001  a reader makes names that count nothing
    assert Name.uses <= 4 * len(names)


def test_the_command_unpacks_so_much_and_no_more(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a megabyte became 4.4 GB; the file as it is when unpacked is read whatever its size."""
    rows = "".join(json.dumps(pred(str(number), "x")) + "\n" for number in range(1000)).encode()
    truths = "".join(json.dumps(ref(str(number), "x")) + "\n" for number in range(1000))
    packed = write("p.jsonl.gz", gzip.compress(rows))
    monkeypatch.setattr(files, "MAX_UNPACKED", len(rows))
    assert succeed("score", write("r.jsonl", truths), packed)
    monkeypatch.setattr(files, "MAX_UNPACKED", len(rows) - 1)
    done = run("score", write("r.jsonl", truths), packed)
    assert done.code == 2
    limit = f"more than {len(rows) - 1:,} bytes when unpacked, the limit for compressed files"
    assert done.err == f"docscore: {packed}: {limit}; a file that is not compressed has none\n"
    assert succeed("score", write("r.jsonl", truths), write("p.jsonl", rows))


def test_the_first_rows_of_a_long_table_are_printed_and_all_are_counted() -> None:
    """50,000 fields took 40 seconds."""
    columns = (TableColumn("field", "field", "code"),)
    rows = tuple((TableCell(f"f{number}", f"f{number}"),) for number in range(2_000))
    file = io.StringIO()
    print_table(Console(file=file, width=80), ReportTable("Fields", columns, rows, unit="fields"))
    lines = file.getvalue().splitlines()
    assert len(lines) == 504  # with a blank line, the caption, the heading and the sentence
    assert lines[-1] == "500 of 2,000 fields are shown."


def test_alternatives_that_all_refer_to_each_other_are_refused() -> None:
    """Each way through them would be looked at, which are millions."""
    names = "abcdefghij"
    every = {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in names]}
    schema = {"$defs": {name: {**every, "type": "object"} for name in names}, **every}
    with pytest.raises(ValueError, match="alternatives that lead to at most 100,000 schemas, got more"):
        typed_score({"x": "1"}, {"x": "2"}, schema)

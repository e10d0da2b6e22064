"""Large files: rows of any format and order stay in memory, and what does not fit ends in one sentence."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from docscore.core import limits
from docscore.data.files import read_table
from docscore.data.pairing import rows_of_sides
from tests.commands import pred, ref, succeed, written
from tests.conftest import ROOT

ROWS = 60


def documents() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """References and predictions by id, some right, some wrong, with columns for groups and numbers."""
    drawn = random.Random(5)
    truths = [{"total": f"{n}.50", "items": [{"n": drawn.choice("abc")} for _ in range(3)]} for n in range(ROWS)]
    found = [{**truth, "total": truth["total"] if n % 3 else n} for n, truth in enumerate(truths)]
    references = [{**ref(f"d{n}", truth), "kind": f"k{n % 2}"} for n, truth in enumerate(truths)]
    return references, [pred(f"d{n}", value) for n, value in enumerate(found)]


def as_jsonl(folder: Path, name: str, rows: Sequence[Any]) -> Path:
    return written(folder, f"{name}.jsonl", rows)


def as_gzip(folder: Path, name: str, rows: Sequence[Any]) -> Path:
    return written(folder, f"{name}.jsonl.gz", gzip.compress(as_jsonl(folder, f"plain_{name}", rows).read_bytes()))


def as_csv(folder: Path, name: str, rows: Sequence[Any]) -> Path:
    """Documents are JSON text, in one cell each."""
    import csv  # noqa: PLC0415

    path = folder / f"{name}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0])
        for row in rows:
            value = row.get("prediction", row.get("references"))
            texts = {"prediction": json.dumps(value), "references": json.dumps(list(map(json.dumps, value)))}
            writer.writerow([texts.get(key, cell) for key, cell in row.items()])
    return path


def as_parquet(folder: Path, name: str, rows: Sequence[Any]) -> Path:
    texts = [{**row} for row in rows]
    for row in texts:
        for key in {"prediction", "references"} & row.keys():
            value = row[key]
            row[key] = json.dumps(value) if key == "prediction" else list(map(json.dumps, value))
    return written(folder, f"{name}.parquet", texts)


Writer = Callable[[Path, str, Sequence[Any]], Path]
WRITERS: dict[str, tuple[Writer, list[str]]] = {
    "jsonl": (as_jsonl, []),
    "gzip": (as_gzip, []),
    "csv": (as_csv, ["--parse", "json", "--parse-references", "json"]),
    "parquet": (as_parquet, ["--parse", "json", "--parse-references", "json"]),
}


@pytest.mark.parametrize("form", WRITERS)
def test_what_is_printed_does_not_depend_on_the_format_and_the_order(tmp_path: Path, form: str) -> None:
    """All of it: scores, fields, causes, slices, clusters, hints, the lowest rows."""
    references, predictions = documents()
    every = ["--fields", "--by", "kind", "--metrics", "anls_star,kieval"]
    plain = as_jsonl(tmp_path, "a", references), as_jsonl(tmp_path, "b", predictions)
    expected = succeed("score", *plain, *every)
    write, options = WRITERS[form]
    files = write(tmp_path, "r", references), write(tmp_path, "p", random.Random(1).sample(predictions, ROWS))
    shown = succeed("score", *files, *every, *options)
    if options:  # texts of JSON are named in the signature, and counted
        shown = shown.replace("|parse:json|references:json", "").replace("parse failures 0\n", "")
    assert shown.splitlines()[0] == expected.splitlines()[0]
    assert options or shown == expected


NO_ROOM = r"expected rows that fit into memory, got more than [\d,]+ MB of them, with [\d,]+ MB left; .*ScoreState.*ray"


@pytest.mark.parametrize("form", [*WRITERS, "json"])
def test_rows_that_do_not_fit_are_an_error_while_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    """In every format; the test set is scored while there is room for it."""
    references, predictions = documents()
    if form == "json":
        files = tmp_path / "r.json", tmp_path / "p.json"
        for path, rows in zip(files, (references, predictions), strict=True):
            path.write_text(json.dumps(rows))
    else:
        files = tuple(WRITERS[form][0](tmp_path, name, rows) for name, rows in (("r", references), ("p", predictions)))  # type: ignore[assignment]
    monkeypatch.setattr("docscore.data.files._PORTION", 100)
    monkeypatch.setattr(limits, "available_memory", lambda: 300e6)
    assert len(rows_of_sides(references=files[0], predictions=[files[1]]).systems[0].ids) == ROWS
    monkeypatch.setattr(limits, "available_memory", lambda: 100e6)
    with pytest.raises(ValueError, match=f"^{re.escape(str(files[0]))}: {NO_ROOM}"):
        read_table(files[0])


LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1)) << 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
from docscore.cli import main
main()
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """Files of 110 MB each, by id and in different orders."""
    pytest.importorskip("resource")
    folder = tmp_path_factory.mktemp("large")
    drawn = random.Random(3)
    rows = 1500
    words = ["".join(drawn.choices("abcdefghijklmnop", k=60)) for _ in range(20_000)]
    paths = folder / "r.jsonl", folder / "p.jsonl"
    for path, order in zip(paths, (range(rows), drawn.sample(range(rows), rows)), strict=True):
        with path.open("w") as file:
            for n in order:
                value = {f"k{k}": words[(n * 7 + k) % len(words)] for k in range(1000)}
                file.write(json.dumps(pred(f"d{n}", value) if path is paths[1] else ref(f"d{n}", value)) + "\n")
    yield paths
    for path in paths:
        path.unlink()


@pytest.mark.full
def test_a_test_set_beyond_memory_ends_in_one_sentence(large: tuple[Path, Path]) -> None:
    """In 600 MB of addresses, of which Python and its libraries have 350; the rows take more than 800."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "600", "score", *large],
        capture_output=True,
        text=True,
        env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(rf"docscore: \S+r\.jsonl: {NO_ROOM}\n", done.stderr)

"""Files larger than memory: documents are read, scored and dropped as they come, whatever their format and order."""

from __future__ import annotations

import gzip
import json
import pickle
import random
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.core.output import OutputError
from docscore.corpus.evaluation import Evaluation, rows_of_files
from docscore.corpus.scores import score_corpus
from docscore.data import kept_rows
from docscore.data.files import read_table
from docscore.data.kept_rows import ABSENT, FAULTY, KeptColumn, RowKeeper, column_of, kept_like
from tests.commands import pred, ref, run, succeed
from tests.conftest import ROOT

ROWS = 60
IN_A_FILE = 50  # bytes; every file of a test is larger


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep rows in a temporary file from the first on, and read few of them at a time."""
    monkeypatch.setattr(kept_rows, "KEPT_IN_MEMORY", IN_A_FILE)
    monkeypatch.setattr(kept_rows, "_PORTION", 7)
    monkeypatch.setattr(kept_rows, "_SPAN", 200)


def documents() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """References and predictions by id, some right, some wrong, with columns for groups and numbers."""
    drawn = random.Random(5)
    truths = [{"total": f"{n}.50", "items": [{"n": drawn.choice("abc")} for _ in range(3)]} for n in range(ROWS)]
    found = [{**truth, "total": truth["total"] if n % 3 else n} for n, truth in enumerate(truths)]
    references = [{**ref(f"d{n}", truth), "kind": f"k{n % 2}"} for n, truth in enumerate(truths)]
    return references, [pred(f"d{n}", value) for n, value in enumerate(found)]


def as_jsonl(folder: Path, name: str, rows: Sequence[Any]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def as_gzip(folder: Path, name: str, rows: Sequence[Any]) -> Path:
    path = folder / f"{name}.jsonl.gz"
    path.write_bytes(gzip.compress(as_jsonl(folder, f"plain_{name}", rows).read_bytes()))
    return path


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
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet  # noqa: PLC0415

    path = folder / f"{name}.parquet"
    texts = [{**row} for row in rows]
    for row in texts:
        for key in {"prediction", "references"} & row.keys():
            value = row[key]
            row[key] = json.dumps(value) if key == "prediction" else list(map(json.dumps, value))
    parquet.write_table(pa.Table.from_pylist(texts), path)
    return path


Writer = Callable[[Path, str, Sequence[Any]], Path]
WRITERS: dict[str, tuple[Writer, list[str]]] = {
    "jsonl": (as_jsonl, []),
    "gzip": (as_gzip, []),
    "csv": (as_csv, ["--parse", "json", "--parse-references", "json"]),
    "parquet": (as_parquet, ["--parse", "json", "--parse-references", "json"]),
}


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("order", ["same", "shuffled"])
def test_what_is_printed_does_not_depend_on_where_rows_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, order: str
) -> None:
    """All of it: scores, fields, causes, slices, clusters, hints, the lowest rows."""
    write, options = WRITERS[form]
    references, predictions = documents()
    if order == "shuffled":
        random.Random(1).shuffle(predictions)
    files = write(tmp_path, "r", references), write(tmp_path, "p", predictions)
    every = ["--fields", "--by", "kind", "--metrics", "anls_star,kieval", *options]
    expected = run("score", *files, *every), succeed("score", *files, *every, "--json")
    used = used_files(monkeypatch)
    monkeypatch.setattr(kept_rows, "KEPT_IN_MEMORY", IN_A_FILE)
    monkeypatch.setattr(kept_rows, "_PORTION", 7)
    monkeypatch.setattr(kept_rows, "_SPAN", 200)
    assert (run("score", *files, *every), succeed("score", *files, *every, "--json")) == expected
    assert used


def used_files(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The temporary files that are made from now on."""
    made: list[Any] = []
    plain = tempfile.TemporaryFile

    def file(**options: Any) -> Any:
        made.append(plain(**options))
        return made[-1]

    monkeypatch.setattr(tempfile, "TemporaryFile", file)
    return made


@pytest.mark.parametrize("command", ["compare", "table", "report", "automation", "explain"])
def test_every_command_reads_rows_that_are_kept_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    references, predictions = documents()
    r, p = as_jsonl(tmp_path, "r", references), as_jsonl(tmp_path, "p", predictions)
    sure = [pred(f"d{n}", {"total": {"$value": f"{n}.50", "$confidence": n / ROWS}}) for n in range(ROWS)]
    q = as_jsonl(tmp_path, "q", predictions[::-1])
    arguments: dict[str, list[Any]] = {
        "compare": [p, q, "--references", r, "--json"],
        "table": [p, q, "--references", r, "--by", "kind", "--json"],
        "report": [r, p, "-o", "-"],
        "automation": [r, as_jsonl(tmp_path, "sure", sure), "--json"],
        "explain": [r, p, "--id", "d7", "--json"],
    }
    expected = succeed(command, *arguments[command])
    used = used_files(monkeypatch)
    monkeypatch.setattr(kept_rows, "KEPT_IN_MEMORY", IN_A_FILE)
    assert succeed(command, *arguments[command]) == expected
    assert used or command == "explain"


FAULTY_FILES: dict[str, tuple[list[str], list[str]]] = {
    "a duplicate id": ([], [json.dumps(pred("d3", "x"))]),
    "an unknown id": ([], [json.dumps(pred("d999", "x"))]),
    "a reference without a prediction": ([json.dumps(ref("d999", "x"))], []),
    "a line that is not JSON": (["{"], []),
    "a line that is not an object": ([], ["5"]),
    "a key that occurs twice": ([], ['{"a": 1, "a": 2}']),
    "no answer": ([json.dumps({"question_id": "e", "references": []})], [json.dumps(pred("e", "x"))]),
    "several": (["{", "[1", json.dumps(ref("d3", "x"))], [json.dumps(pred("d4", "x"))]),
}


@pytest.mark.parametrize("kind", FAULTY_FILES)
@pytest.mark.parametrize("options", [[], ["--on-error", "skip"], ["--missing", "zero"]], ids=" ".join)
def test_sentences_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, options: list[str]) -> None:
    references, predictions = documents()
    more_references, more_predictions = FAULTY_FILES[kind]
    files = as_jsonl(tmp_path, "r", references), as_jsonl(tmp_path, "p", predictions)
    for path, more in zip(files, (more_references, more_predictions), strict=True):
        path.write_text(path.read_text() + "".join(f"{line}\n" for line in more))
    expected = run("score", *files, *options)
    monkeypatch.setattr(kept_rows, "KEPT_IN_MEMORY", IN_A_FILE)
    assert run("score", *files, *options) == expected
    assert expected.code in (0, 2)


@pytest.mark.usefixtures("tiny")
def test_rows_by_position_and_plain_values(tmp_path: Path) -> None:
    truths = [{"total": f"{n}"} for n in range(ROWS)]
    found = [{"total": f"{n}" if n % 2 else "none"} for n in range(ROWS)]
    result = docscore.evaluate(
        references=as_jsonl(tmp_path, "r", truths), predictions=as_jsonl(tmp_path, "p", found), progress=False
    )
    assert isinstance(result.evaluation.pairs.truths, KeptColumn)
    assert result.score == 0.5
    assert result["1"].ground_truth == {"total": "1"}
    assert [str(document.tree) for document in result.worst(2)] == [str(result[name].tree) for name in ("0", "2")]


class Counted(dict[str, Any]):
    """A document that counts how many there are."""

    alive = most = 0

    def __init__(self, items: Any) -> None:
        super().__init__(items)
        Counted.alive += 1
        Counted.most = max(Counted.most, Counted.alive)

    def __del__(self) -> None:
        Counted.alive -= 1


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("step", ["reading", "scoring", "trees", "figures", "slices", "by value"])
def test_few_documents_are_alive_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Of 2,000 rows with two documents each, in whatever order."""
    rows = 2000
    truths = [{**ref(f"d{n}", {"a": n}), "kind": "k"} for n in range(rows)]
    found = [pred(f"d{n}", {"a": n + n % 2}) for n in random.Random(2).sample(range(rows), rows)]
    files = as_jsonl(tmp_path, "r", truths), as_jsonl(tmp_path, "p", found)
    monkeypatch.setattr("docscore.data.files._PORTION", 2000)
    monkeypatch.setattr(pickle, "loads", counting_documents(pickle.loads))
    Counted.alive = Counted.most = 0
    evaluation = Evaluation(rows_of_files(references=files[0], predictions=[files[1]]).systems[0], by="kind")
    steps: dict[str, Callable[[], object]] = {
        "reading": lambda: evaluation.pairs,
        "scoring": lambda: evaluation.scores.mean,
        "trees": lambda: evaluation.summary,
        "figures": lambda: evaluation.measured,
        "slices": lambda: evaluation.slices,
        "by value": lambda: evaluation.mean_by_value,
    }
    assert steps[step]()
    assert Counted.most <= 60
    assert Counted.alive <= 2


def counting_documents(loads: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Make rows that count themselves of those that are read."""

    def counted(content: Any) -> Any:
        row = loads(content)
        return Counted(row) if isinstance(row, dict) else row

    return counted


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


@pytest.mark.long
@pytest.mark.parametrize("arguments", [[], ["--on-error", "skip", "--missing", "zero"]], ids=" ".join)
def test_files_are_scored_in_less_memory_than_they_take(large: tuple[Path, Path], arguments: list[str]) -> None:
    """In 600 MB of addresses, of which Python and its libraries have 350; whole, they took more than 800."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "600", "score", *large, *arguments],
        capture_output=True,
        text=True,
        env={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert not done.stderr
    assert done.stdout.startswith("ANLS*  1.000000  mean of 1,500 rows")


def test_kept_rows_are_what_was_added() -> None:
    rows: list[Any] = [{"a": n} for n in range(3000)]
    rows[5] = FAULTY
    rows[7] = docscore_value = json.loads("1e3")
    keeper = RowKeeper()
    for start in range(0, 3000, 1000):
        keeper.add(rows[start : start + 1000], kept_rows.KEPT_IN_MEMORY)
    kept = keeper.kept()
    assert isinstance(kept, KeptColumn)
    assert list(kept) == rows
    assert kept[5] is FAULTY
    assert (kept[7], kept[-1], len(kept[10:20])) == (docscore_value, {"a": 2999}, 10)
    assert pickle.loads(pickle.dumps(kept)) == rows
    backwards = column_of(kept, [*range(2999, 7, -1), ABSENT], lambda row: row["a"])
    assert list(backwards) == [*range(2999, 7, -1), None]
    assert list(column_of(backwards, [0, -1 + len(backwards)])) == [2999, None]
    assert list(kept_like(kept, ["x", "y"])) == ["x", "y"]
    assert kept_like(rows, ["x", "y"]) == ["x", "y"]


def test_a_full_disk_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of temporary files is what the person can change."""
    references, predictions = documents()
    files = as_jsonl(tmp_path, "r", references), as_jsonl(tmp_path, "p", predictions)
    monkeypatch.setattr(kept_rows, "KEPT_IN_MEMORY", IN_A_FILE)
    if not Path("/dev/full").exists():
        pytest.skip("the system has no device that is always full")
    full = partial(Path("/dev/full").open, "r+b", buffering=0)
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: full())
    done = run("score", *files)
    assert done.code == 74
    assert done.err.startswith("docscore: the temporary file of rows in ")
    assert done.err.endswith(" cannot be written: No space left on device\n")
    with pytest.raises(OutputError):
        read_table(files[0])


def test_nothing_is_read_twice_for_warnings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One pass over each side to check the rows, and one to score them; a look at the first rows takes some twenty."""
    monkeypatch.setattr(kept_rows, "_SPAN", 2000)
    monkeypatch.setattr(kept_rows, "KEPT_IN_MEMORY", IN_A_FILE)
    rows = 3000
    files = [
        as_jsonl(tmp_path, "r", [ref(f"q{n}", f"answer {n}") for n in range(rows)]),
        as_jsonl(tmp_path, "p", [pred(f"q{n}", f"answer {n + n % 2}") for n in range(rows)]),
    ]
    reads = 0
    loads = pickle.loads

    def counted(content: Any) -> Any:
        nonlocal reads
        reads += 1
        return loads(content)

    monkeypatch.setattr(pickle, "loads", counted)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pairs = rows_of_files(references=files[0], predictions=[files[1]]).systems[0]
        evaluation = Evaluation(pairs)
        assert evaluation.mean_by_value is None
        assert evaluation.mean.interval
    assert reads <= 4.1 * rows
    assert score_corpus(pairs).mean == evaluation.scores.mean

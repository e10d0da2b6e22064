"""Ray Data on a real local Ray of several workers: the same figures, every row once, whatever happens to a worker."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.core.errors import InputTypeError, InputValueError, in_file
from docscore.data.pairing import Pairs, pairs_of
from docscore.evaluation.state import ScoreState
from tests.commands import killing, ref, written
from tests.conftest import ROOT, needs

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Ray and what it imports
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # Ray announces changes of its own defaults
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray leaves the log files of its processes to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
RECEIPTS = ROOT / "examples" / "receipts"
Rows = list[dict[str, Any]]
SMALL = [{"question_id": f"q{i}", "prediction": "tea" if i % 3 else "tee"} for i in range(30)]
TRUTHS = [{"question_id": f"q{i}", "references": ["tea", "black tea"]} for i in range(30)]


def stored(path: Path, rows: Rows) -> str:
    """The file with the rows; in Parquet, values are in the columns that Arrow makes of them."""
    return str(written(path.parent, path.name, rows))


def rows_in(folder: Path) -> Rows:
    """The rows of all files in the folder, by id."""
    from pyarrow import parquet as reader  # noqa: PLC0415  an extra

    rows = [row for path in folder.iterdir() for row in reader.ParquetFile(path).read().to_pylist()]
    return sorted(rows, key=lambda row: str(row["question_id"]))


def alone(predictions: Rows, references: Rows, **rules: Any) -> tuple[ScoreState, Rows]:
    """The state and the rows that one process gives."""
    state = ScoreState(**rules)
    pairs: Pairs = pairs_of(predictions, references, state.options.missing)
    state.update_pairs(pairs)
    rows = docscore.Evaluation(pairs, state.options).samples()
    return state, sorted(rows, key=lambda row: str(row["question_id"]))


def same(here: ScoreState, there: ScoreState) -> None:
    """Both states are the same to the last bit."""
    assert here.compute() == there.compute()
    assert (here.rows, here.counts, here.sums, here.identity) == (there.rows, there.counts, there.sums, there.identity)


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """The integration, on a Ray of four workers that listens on this machine alone."""
    needs("ray", "polars")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # addresses of the loopback alone
        environment.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # what will be the default, without its warning
        environment.setenv("RAY_DATA_PARQUET_FOOTER_NUM_ACTORS", "1")  # of 32 processes
        import ray  # noqa: PLC0415  the environment is read at import

        ray.init(
            address="local",
            num_cpus=4,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            object_store_memory=300_000_000,
            _node_ip_address="127.0.0.1",
            _system_config={"idle_worker_killing_time_threshold_ms": 120_000, "num_workers_soft_limit": 6},
        )
        from docscore.integrations import ray as integration  # noqa: PLC0415  an extra

        ray.data.DataContext.get_current().enable_progress_bars = False
        yield integration
        ray.shutdown()


def read(name: str) -> Rows:
    return [json.loads(line) for line in (RECEIPTS / name).read_text(encoding="utf-8").splitlines()]


@pytest.mark.ci
def test_jsonl_scores_as_one_process_does(engine: Any, tmp_path: Path) -> None:
    paths = str(RECEIPTS / "predictions.jsonl"), str(RECEIPTS / "references.jsonl")
    rules: dict[str, Any] = {"metrics": ["anls_star", "kieval"]}
    state = engine.score(engine.joined(*paths, num_partitions=3), output=str(tmp_path / "out"), batch_size=7, **rules)
    expected, rows = alone(read("predictions.jsonl"), read("references.jsonl"), **rules)
    same(state, expected)
    assert state.fields.keys() == expected.fields.keys()
    assert rows_in(tmp_path / "out") == rows


def test_folders_and_compressed_files_of_texts_that_are_parsed(engine: Any, tmp_path: Path) -> None:
    *predictions, missing = read("predictions_text.jsonl")
    folder = tmp_path / "predictions"
    folder.mkdir()
    for part in range(2):
        with gzip.open(folder / f"{part}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in predictions[part::2])
    pairs = engine.joined(str(folder), [str(RECEIPTS / "references.jsonl")], num_partitions=2)
    rules = {"parse": "repair", "missing": "zero"}
    state = engine.score(pairs, output=str(tmp_path / "out"), **rules)
    expected, rows = alone(predictions, read("references.jsonl"), **rules)
    same(state, expected)
    assert state.counts["missing"] == 1
    assert rows_in(tmp_path / "out") == rows
    left = engine.score(pairs, output=str(tmp_path / "left"), **rules | {"missing": "skip"})
    same(left, alone(predictions, read("references.jsonl"), **rules | {"missing": "skip"})[0])
    without = [row["question_id"] for row in rows_in(tmp_path / "left") if row["anls_score"] is None]
    assert without == [missing["question_id"]]


def test_parquet_keeps_integers_beside_nulls_and_lists_of_structs(engine: Any, tmp_path: Path) -> None:
    """A column of whole numbers with a null would be floats in NumPy, and 1.0 is not the text 1."""
    numbers: Rows = [{"question_id": i, "prediction": None if i == 3 else i} for i in range(8)]
    truths: Rows = [{"question_id": i, "references": [str(i), "none"], "path": i} for i in range(8)]
    paths = stored(tmp_path / "p.parquet", numbers), stored(tmp_path / "r.parquet", truths)
    state = engine.score(engine.joined(*paths, num_partitions=2))
    same(state, alone(numbers, [{k: row[k] for k in ("question_id", "references")} for row in truths])[0])
    assert state.compute()["anls_star"] == 7 / 8
    values = [{"name": f"n{i}", "lines": [{"a": str(i)}, {"a": "x"}]} for i in range(8)]
    rows: Rows = [{"question_id": str(i), "prediction": value} for i, value in enumerate(values)]
    answers: Rows = [{"question_id": str(i), "references": [{**value, "name": "n1"}]} for i, value in enumerate(values)]
    paths = stored(tmp_path / "p2.parquet", rows), stored(tmp_path / "r2.parquet", answers)
    same(engine.score(engine.joined(*paths, num_partitions=2)), alone(rows, answers)[0])


def test_json_text_in_columns_of_parquet_is_read(engine: Any, tmp_path: Path) -> None:
    """A list in it holds acceptable answers, as for the command; any other text is one answer, if an option says so."""
    values: list[Any] = [{"total": f"{i}.50", "lines": ["a"] * i} for i in range(6)]
    ours: Rows = [{"question_id": str(i), "prediction": json.dumps(value)} for i, value in enumerate(values)]
    lists: Rows = [{"question_id": str(i), "references": json.dumps([value])} for i, value in enumerate(values)]
    ones: Rows = [{"question_id": str(i), "references": json.dumps(value)} for i, value in enumerate(values)]
    rules = {"parse": "json", "parse_references": "json"}
    ours_path = stored(tmp_path / "p.parquet", ours)
    for name, rows, reading in (("lists", lists, {}), ("ones", ones, {"parse_references": "json"})):
        pairs = engine.joined(ours_path, stored(tmp_path / f"{name}.parquet", rows), num_partitions=2, **reading)
        truths: Rows = [
            {"question_id": row["question_id"], "references": [json.dumps(values[i])]} for i, row in enumerate(rows)
        ]
        same(engine.score(pairs, **rules), alone(ours, truths, **rules)[0])
    with pytest.raises(ValueError, match=r"ones\.parquet, question_id '\d': expected 'references' to be a list of "):
        engine.score(engine.joined(ours_path, str(tmp_path / "ones.parquet"), num_partitions=2))


NO_ANSWER = "expected 'references' to be a list of at least one acceptable answer, got an empty list"
NO_VALUE = "expected an object with 'question_id' and 'prediction', got an object with 'question_id'"
TWICE = r"^ids that occur more than once in the predictions or in the references \({:,}\): 'q1'"
EXTRA = {"question_id": "q1", "prediction": "tea"}
HALF = [*SMALL[:4], {"question_id": "q4"}, *SMALL[5:]]
BAD = {"a": {"$one_of": "x"}}
ABSENT = r"^ids of references that no prediction has, such as 'q{}'; with missing \"zero\" they are scored as null, .*$"
REFUSED: list[tuple[str, Rows, Rows, str]] = [  # why, predictions, references, the sentence
    ("an id twice in the predictions", [*SMALL, EXTRA], TRUTHS, TWICE.format(1)),
    ("an id twice in the references", SMALL, [*TRUTHS, TRUTHS[1]], TWICE.format(1)),
    ("more ids than are named", [*SMALL, EXTRA], [*TRUTHS, *TRUTHS[10:17]], TWICE.format(8) + ", 'q10', 'q11', .*$"),
    ("a reference without a prediction", SMALL[1:], TRUTHS, ABSENT.format(0)),
    ("an unknown id", SMALL, TRUTHS[1:], r"^ids of predictions that no reference has, such as 'q0'$"),
    ("no references", SMALL, [], r"^ids of predictions that no reference has, such as 'q\d+'$"),
    ("no predictions", [], TRUTHS, ABSENT.format(r"\d+")),
    ("no acceptable answer", SMALL, [*TRUTHS[:-1], ref("q29")], rf"r\.jsonl, line 30: {NO_ANSWER}$"),
    ("an object without the value", HALF, TRUTHS, rf"p\.jsonl, line 5: {NO_VALUE}$"),
    (
        "a bad value",
        SMALL,
        [*TRUTHS[:-1], ref("q29", BAD)],
        r"r\.jsonl, line 30: .*\$one_of.*: expected a list of .*str$",
    ),
]


@pytest.mark.parametrize(
    ("predictions", "references", "sentence"), [case[1:] for case in REFUSED], ids=[c[0] for c in REFUSED]
)
def test_what_is_wrong_is_one_sentence(
    engine: Any, tmp_path: Path, predictions: Rows, references: Rows, sentence: str
) -> None:
    paths = stored(tmp_path / "p.jsonl", predictions), stored(tmp_path / "r.jsonl", references)
    with pytest.raises((TypeError, ValueError), match=sentence) as caught:
        engine.score(engine.joined(*paths, num_partitions=2))
    assert type(caught.value) in (InputTypeError, InputValueError)
    assert "\n" not in str(caught.value)


def test_a_broken_line_is_named_with_file_line_and_column(engine: Any, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"question_id": "q0", "prediction": 1}\n{"question_id": broken\n', encoding="utf-8")
    with pytest.raises(InputValueError, match=r"p\.jsonl, line 2, column 17: expecting value$") as caught:
        engine.score(engine.joined(str(path), stored(tmp_path / "r.jsonl", TRUTHS), num_partitions=2))
    assert caught.value.parts == (in_file(path, "line 2, column 17"),)


def test_faults_of_parquet_files_name_column_and_row(engine: Any, tmp_path: Path) -> None:
    theirs = stored(tmp_path / "r.parquet", TRUTHS)
    with pytest.raises(
        ValueError, match=r"expected the columns 'question_id' and 'prediction', got 'question_id', 'references'$"
    ):
        engine.joined(theirs, theirs)
    with pytest.raises(ValueError, match=r"^prediction: expected files that are all JSONL or all Parquet, got "):
        engine.joined([theirs, "a.jsonl"], theirs)
    ours = stored(tmp_path / "p.parquet", [{**row, "prediction": b"tea"} for row in SMALL])
    with pytest.raises(TypeError, match=r"p\.parquet, question_id 'q\d+': \$: expected a JSON value, got bytes$"):
        engine.score(engine.joined(ours, theirs, num_partitions=2))


def test_datasets_of_other_makers(engine: Any) -> None:
    """Ids that occur twice are found across batches; what is no JSON text of a list of answers is named."""
    import ray  # noqa: PLC0415  an extra

    def rows(references: Any, **other: Any) -> Any:
        pair = {"prediction": '"x"', "references": references, **other}
        return ray.data.from_items([{"question_id": str(i % 9), **pair} for i in range(10)])

    twice = r"^ids that occur more than once in the predictions or in the references \(1\): '0'$"
    with pytest.raises(ValueError, match=twice):
        engine.score(rows('["x"]'), batch_size=1)
    with pytest.raises(ValueError, match=r"^row '\d': expected 'references' to be a list of .*, got str; of files"):
        engine.score(rows('"x"'), batch_size=1)
    with pytest.raises(TypeError, match=r"^references of row '\d': expected JSON text, got list$"):
        engine.score(rows(["x"]), batch_size=1)
    with pytest.raises(ValueError, match=r"^prediction of row '\d', 'x': line 1, column 1: expecting value$"):
        engine.score(rows('["x"]', prediction="x"), batch_size=1)
    with pytest.raises(ValueError, match=r"^expected the columns .*, got question_id, prediction$"):
        engine.score(rows('["x"]').drop_columns(["references"]))


def test_options_and_the_folder_are_checked_before_the_work(engine: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^missing: expected 'error', 'zero' or 'skip', got 'drop'$"):
        engine.score(None, missing="drop")
    stored(tmp_path / "old.jsonl", [])
    for folder in (str(tmp_path), tmp_path.as_uri()):
        with pytest.raises(ValueError, match=r"^output: expected a new or empty folder, got .*, which has files$"):
            engine.score(None, output=folder)


def invoices(count: int) -> tuple[Rows, Rows]:
    """Two fields and up to three lines; predictions miss a line or have a digit wrong."""
    rng = random.Random(12)
    ours: Rows = []
    theirs: Rows = []
    for i in range(count):
        lines = [
            {"name": rng.choice(("tea", "cake", "rum")), "price": f"{rng.randint(1, 99)}.50"} for _ in range(i % 4)
        ]
        truth = {"total": f"{rng.randint(100, 999)}", "date": "2024-03-12", "lines": lines}
        total = truth["total"] if i % 5 else f"{rng.randint(100, 999)}"
        theirs.append({"question_id": f"invoice-{i}", "references": [truth]})
        ours.append(
            {"question_id": f"invoice-{i}", "prediction": {**truth, "total": total, "lines": lines[i % 3 == 0 :]}}
        )
    rng.shuffle(ours)
    return ours, theirs


@pytest.mark.parametrize(
    ("count", "work", "rules"),
    [
        (30_000, "Reduce", {"fields": False}),
        (6_000, "Reduce", {"metrics": ["anls_star", "entity_f1"]}),
        (2_000, "ReadBinary", {"fields": False}),
        (10_000, "Write", {"fields": False}),
    ],
    ids=["30,000, killed while scoring", "killed while scoring", "killed while reading", "killed while writing"],
)
def test_a_killed_worker_loses_nothing_and_counts_nothing_twice(
    engine: Any, tmp_path: Path, count: int, work: str, rules: dict[str, Any]
) -> None:
    predictions, references = invoices(count)
    paths = stored(tmp_path / "p.jsonl", predictions), stored(tmp_path / "r.jsonl", references)
    pairs = engine.joined(*paths, num_partitions=4)
    with killing(
        lambda process: process.cmdline()[0].startswith("ray::") and work in " ".join(process.cmdline())
    ) as killed:
        state = engine.score(pairs, output=str(tmp_path / "out"), **rules)
    assert len(killed) == 1
    expected, rows = alone(predictions, references, **rules)
    same(state, expected)
    assert state.rows == count
    found = rows_in(tmp_path / "out")
    assert len({row["question_id"] for row in found}) == len(found) == count
    assert found == rows

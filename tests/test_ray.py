"""Ray Data on a real local Ray of several workers: the same figures, every row once, whatever happens to a worker."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.core.errors import InputTypeError, InputValueError
from docscore.core.options import ReadOptions
from docscore.evaluation.evaluation import evaluate_rows
from docscore.evaluation.state import ScoreState
from docscore.inputs.json_text import loads
from docscore.inputs.pairing import pairs_of
from docscore.inputs.test_set import TestSet
from tests.commands import PREDICTIONS, REFERENCES, TEXTS, killing, pred, ref, rows, written
from tests.conftest import LEVEL, golden, needs, table
from tests.structures import predictions as values
from tests.test_hooks import ANSWERS, SCHEMA, expected_scores
from tests.test_hooks import TRUTHS as DOCUMENTS

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of Ray and what it imports
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # Ray announces changes of its own defaults
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray leaves the log files of its processes to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
Rows = list[dict[str, Any]]
SMALL = [pred(f"q{i}", "tea" if i % 3 else "tee") for i in range(30)]
TRUTHS = [ref(f"q{i}", "tea", "black tea") for i in range(30)]


def stored(folder: Path, predictions: Any, references: Any, end: str = "jsonl") -> tuple[str, str]:
    """The files with the rows; in Parquet, values are in the columns that Arrow makes of them."""
    return str(written(folder, f"p.{end}", predictions)), str(written(folder, f"r.{end}", references))


def rows_in(folder: Path) -> Rows:
    """The rows of all files in the folder, by id."""
    from pyarrow import parquet as reader  # noqa: PLC0415  an extra

    actual = [row for path in folder.iterdir() for row in reader.ParquetFile(path).read().to_pylist()]
    return sorted(actual, key=lambda row: str(row["question_id"]))


def alone(predictions: Rows, references: Rows, **rules: Any) -> tuple[ScoreState, Rows]:
    """The state and the rows that one process gives."""
    state = ScoreState(**rules)
    pairs: TestSet = pairs_of(predictions, references, state.reading.missing)
    state.update_pairs(pairs)
    samples = evaluate_rows(pairs, state.reading, state.options).samples()
    return state, sorted(samples, key=lambda row: str(row["question_id"]))


def same(here: ScoreState, there: ScoreState) -> None:
    assert here.compute() == there.compute()
    assert (here.rows, here.counts, here.sums, here.identity) == (there.rows, there.counts, there.sums, there.identity)


@pytest.fixture(scope="module")
def engine() -> Iterator[Any]:
    """The integration, on a Ray of several workers that listens on this machine alone."""
    needs("ray", "polars")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # addresses of the loopback alone
        environment.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # what will be the default, without its warning
        environment.setenv("RAY_DATA_PARQUET_FOOTER_NUM_ACTORS", "1")  # of 32 processes
        import ray  # noqa: PLC0415  the environment is read at import

        ray.init(
            address="local",
            num_cpus=4 if LEVEL == "full" else 2,
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


@pytest.mark.ci
def test_jsonl_scores_as_one_process_does(engine: Any, tmp_path: Path) -> None:
    rules: dict[str, Any] = {"metrics": ["anls_star", "kieval"]}
    pairs = engine.joined(str(PREDICTIONS), str(REFERENCES), num_partitions=3)
    state = engine.score(pairs, output=str(tmp_path / "out"), batch_size=7, **rules)
    expected, samples = alone(list(rows(PREDICTIONS)), list(rows(REFERENCES)), **rules)
    same(state, expected)
    assert state.fields.keys() == expected.fields.keys()
    assert rows_in(tmp_path / "out") == samples


def test_typed_scores(engine: Any, tmp_path: Path) -> None:
    paths = stored(
        tmp_path,
        [pred(str(i), answer) for i, answer in enumerate(ANSWERS)],
        [ref(str(i), truth) for i, truth in enumerate(DOCUMENTS)],
    )
    state = engine.score(engine.joined(*paths, num_partitions=2), output=str(tmp_path / "out"), schema=SCHEMA)
    scores = expected_scores()
    assert state.compute()["typed_score"] == sum(scores) / len(scores)
    assert [row["typed_score"] for row in rows_in(tmp_path / "out")] == scores


def test_folders_and_compressed_files_of_texts_that_are_parsed(engine: Any, tmp_path: Path) -> None:
    """The last row has no prediction: it is scored as null, or left out."""
    (*predictions, missing), truths = rows(TEXTS), list(rows(REFERENCES))
    for part in range(2):
        written(tmp_path, f"predictions/{part}.jsonl.gz", predictions[part::2])
    pairs = engine.joined(str(tmp_path / "predictions"), [str(REFERENCES)], num_partitions=2)
    zero = {"parse": "repair", "missing": "zero"}
    state = engine.score(pairs, output=str(tmp_path / "zero"), **zero)
    expected, samples = alone(predictions, truths, **zero)
    same(state, expected)
    assert state.counts["missing"] == 1
    assert rows_in(tmp_path / "zero") == samples
    skip = {**zero, "missing": "skip"}
    same(engine.score(pairs, output=str(tmp_path / "skip"), **skip), alone(predictions, truths, **skip)[0])
    without = [row["question_id"] for row in rows_in(tmp_path / "skip") if row["anls_score"] is None]
    assert without == [missing["question_id"]]


def test_parquet_keeps_integers_beside_nulls_and_lists_of_structs(engine: Any, tmp_path: Path) -> None:
    """A column of integers with a null would be floats in NumPy, and 1.0 is not the text 1."""
    numbers: Rows = [{"question_id": i, "prediction": None if i == 3 else i} for i in range(8)]
    truths: Rows = [{"question_id": i, "references": [str(i), "none"]} for i in range(8)]
    paths = stored(tmp_path, numbers, [{**row, "path": 1} for row in truths], "parquet")
    state = engine.score(engine.joined(*paths, num_partitions=2))
    same(state, alone(numbers, truths)[0])
    assert state.compute()["anls_star"] == 7 / 8
    values = [{"name": f"n{i}", "lines": [{"a": str(i)}, {"a": "x"}]} for i in range(8)]
    ours = [pred(str(i), value) for i, value in enumerate(values)]
    theirs = [ref(str(i), {**value, "name": "n1"}) for i, value in enumerate(values)]
    paths = stored(tmp_path, ours, theirs, "parquet")
    same(engine.score(engine.joined(*paths, num_partitions=2)), alone(ours, theirs)[0])


def test_json_text_in_columns_of_parquet_is_read(engine: Any, tmp_path: Path) -> None:
    """A list in it holds acceptable answers, as for the command; any other text is one answer, if an option says so."""
    texts = [json.dumps({"total": f"{i}.50", "lines": ["a"] * i}) for i in range(6)]
    ours, truths = ([make(str(i), text) for i, text in enumerate(texts)] for make in (pred, ref))
    rules = {"parse": "json", "parse_references": "json"}
    expected = alone(ours, truths, **rules)[0]
    for form, reading in (("[{}]", {}), ("{}", {"parse_references": "json"})):
        theirs = [{"question_id": str(i), "references": form.format(text)} for i, text in enumerate(texts)]
        paths = stored(tmp_path, ours, theirs, "parquet")
        same(engine.score(engine.joined(*paths, num_partitions=2, **reading), **rules), expected)
    with pytest.raises(ValueError, match=r"r\.parquet, question_id '\d': expected 'references' to be a list of "):
        engine.score(engine.joined(*paths, num_partitions=2))


TWICE = r"^ids that occur more than once in the predictions or in the references \({}\): 'q1'"
EXTRA = pred("q1", "tea")
ABSENT = r"^ids of references that no prediction has, such as 'q{}'; missing=.zero. .*$"
UNKNOWN = "^ids of predictions that no reference has, such as "
NO_ANSWER = r"r\.jsonl, line 30: expected 'references' to be a list of .* acceptable answer, got an empty list$"
BROKEN = r"p\.jsonl, line 2, column 17: expected a value, got 'broken'$"
# predictions, references, the sentence; test_rows.py has other errors of lines
REFUSED: dict[str, tuple[Any, Rows, str]] = {
    "an id twice in the predictions": ([*SMALL, EXTRA], TRUTHS, TWICE.format(1)),
    "ids twice on both sides, more than are named": ([*SMALL, EXTRA], [*TRUTHS, *TRUTHS[10:17]], TWICE.format(8)),
    "a reference without a prediction": (SMALL[1:], TRUTHS, ABSENT.format(0)),
    "an unknown id": (SMALL, TRUTHS[1:], f"{UNKNOWN}'q0'$"),
    "no references": (SMALL, [], rf"{UNKNOWN}'q\d+'$"),
    "no predictions": ([], TRUTHS, ABSENT.format(r"\d+")),
    "no acceptable answer": (SMALL, [*TRUTHS[:-1], ref("q29")], NO_ANSWER),
    "a broken line": ('{"question_id": "q0", "prediction": 1}\n{"question_id": broken\n', TRUTHS, BROKEN),
}


@pytest.mark.parametrize(("predictions", "references", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_is_one_sentence(
    engine: Any, tmp_path: Path, predictions: Any, references: Rows, sentence: str
) -> None:
    with pytest.raises((TypeError, ValueError), match=sentence) as caught:
        engine.score(engine.joined(*stored(tmp_path, predictions, references), num_partitions=2))
    assert type(caught.value) in (InputTypeError, InputValueError)
    assert "\n" not in str(caught.value)


def test_errors_of_parquet_files_name_column_and_row(engine: Any, tmp_path: Path) -> None:
    ours, theirs = stored(tmp_path, [{**row, "prediction": b"tea"} for row in SMALL], TRUTHS, "parquet")
    with pytest.raises(
        ValueError, match=r"expected the columns 'question_id' and 'prediction', got 'question_id', 'references'$"
    ):
        engine.joined(theirs, theirs)
    with pytest.raises(ValueError, match=r"^prediction: expected files that are all JSONL or all Parquet, got "):
        engine.joined([theirs, "a.jsonl"], theirs)
    with pytest.raises(TypeError, match=r"p\.parquet, question_id 'q\d+': \$: expected a JSON value, got bytes$"):
        engine.score(engine.joined(ours, theirs, num_partitions=2))


def test_datasets_of_other_makers(engine: Any) -> None:
    """Ids that occur twice are found across batches."""
    import ray  # noqa: PLC0415  an extra

    def given(references: str) -> Any:
        pair = {"prediction": '"x"', "references": references}
        return ray.data.from_items([{"question_id": str(i % 9), **pair} for i in range(10)])

    twice = r"^ids that occur more than once in the predictions or in the references \(1\): '0'$"
    with pytest.raises(ValueError, match=twice):
        engine.score(given('["x"]'), batch_size=1)
    with pytest.raises(ValueError, match=r"^row '\d': expected 'references' to be a list of .*, got str; in files"):
        engine.score(given('"x"'), batch_size=1)
    with pytest.raises(ValueError, match=r"^expected the columns .*, got question_id, prediction$"):
        engine.score(given('["x"]').drop_columns(["references"]))


def test_options_and_the_folder_are_checked_before_the_work(engine: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^missing: expected 'error', 'zero' or 'skip', got 'drop'$"):
        engine.score(None, missing="drop")
    stored(tmp_path, [], [])
    for folder in (str(tmp_path), tmp_path.as_uri()):
        with pytest.raises(ValueError, match=r"^output: expected a new or empty folder, got .*, which has files$"):
            engine.score(None, output=folder)


def invoices(count: int) -> tuple[Rows, Rows]:
    """A total and up to three lines; predictions miss a line or have another total."""
    rng = random.Random(12)
    ours, theirs = [], []
    for i in range(count):
        names = rng.choices(("tea", "cake", "rum"), k=i % 4)
        lines = [{"name": name, "price": f"{rng.randint(1, 99)}.50"} for name in names]
        total = f"{rng.randint(100, 999)}"
        theirs.append(ref(f"invoice-{i}", {"total": total, "lines": lines}))
        ours.append(pred(f"invoice-{i}", {"total": total if i % 5 else "x", "lines": lines[i % 3 == 0 :]}))
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
    pairs = engine.joined(*stored(tmp_path, predictions, references), num_partitions=4)
    with killing(
        lambda process: process.cmdline()[0].startswith("ray::") and work in " ".join(process.cmdline())
    ) as killed:
        state = engine.score(pairs, output=str(tmp_path / "out"), **rules)
    assert len(killed) == 1
    expected, samples = alone(predictions, references, **rules)
    same(state, expected)
    assert state.rows == len(samples) == count
    assert rows_in(tmp_path / "out") == samples


# Rows travel as ids and JSON text.


def text_of(engine: Any, line: str) -> tuple[str, str]:
    """The id and the JSON text of the one row of a file."""
    (row,) = engine.stored_lines(line.encode(), "p.jsonl", "references" if '"references"' in line else "predictions")
    name, text = row.values()
    return name, text


@pytest.mark.ci
@golden("row_texts", "lines")
def test_the_text_of_a_value_is_passed_on(engine: Any, line: str, name: str, text: str) -> None:
    assert text_of(engine, line) == (name, text)


BOMB = (f'{{"question_id": "a", "prediction": {"[" * 100_000}', r"^p\.jsonl, line 1")


@pytest.mark.ci
@pytest.mark.parametrize(("line", "sentence"), [*table("row_texts", "errors"), BOMB])
def test_an_error_of_a_line_is_named(engine: Any, line: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        text_of(engine, line)


@pytest.mark.ci
def test_references_that_are_json_text(engine: Any) -> None:
    line = b'{"question_id": "a", "references": "[1]"}'
    texts = engine.stored_lines(line, "p.jsonl", "references", ReadOptions(parse_references="json"))
    assert texts == [{"question_id": "a", "references": "[1]"}]


@pytest.mark.ci
@given(values, st.booleans())
def test_the_text_spells_the_value(engine: Any, value: Any, ascii_alone: bool) -> None:
    line = json.dumps({"question_id": "a", "prediction": value}, ensure_ascii=ascii_alone)
    name, text = text_of(engine, line)
    assert (name, loads(text)) == ("a", loads(line)["prediction"])

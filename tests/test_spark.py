"""The pandas UDF on a local Spark: the same scores as `score_pairs`, whatever the partitions."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from docscore import score_pairs
from tests.commands import killing, receipt_pairs
from tests.conftest import needs, skip_or_fail

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of PySpark's own imports
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # of PySpark with the newest pandas
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark leaves its sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
SCHEMA = "number int, prediction string, references string"
Pairs = list[tuple[Any, Any]]
PLAIN: Pairs = [
    (("tea", "Black tea"), "black  tea"),
    (("12.50",), "12.60"),
    (("rum",), None),
    (("007", ["a"]), ["a", "b"]),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A Spark of two threads that listens on this machine alone and tries each task four times, as on a cluster."""
    needs("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        skip_or_fail("needs Java")
    from pyspark.sql import SparkSession  # noqa: PLC0415  an extra

    builder = SparkSession.builder.master("local[2,4]").appName("docscore")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(name, value)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYSPARK_PYTHON", sys.executable)
        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def scored(spark: Any, pairs: Pairs, partitions: int = 1, **options: Any) -> list[float]:
    """What Spark makes of the pairs, in their order; a prediction that is None is null, without JSON text."""
    from docscore.integrations.spark import score_udf  # noqa: PLC0415  an extra

    rows = [
        (i, None if ours is None else json.dumps(ours), json.dumps(theirs)) for i, (theirs, ours) in enumerate(pairs)
    ]
    frame = spark.createDataFrame(rows, SCHEMA).repartition(partitions)
    found = frame.select("number", score_udf(**options)("prediction", "references").alias("score")).collect()
    return [row["score"] for row in sorted(found, key=lambda row: int(row["number"]))]


@pytest.mark.ci
@pytest.mark.parametrize("partitions", [1, 3])
def test_receipts_score_as_in_one_process(spark: Any, partitions: int) -> None:
    pairs = receipt_pairs("predictions.jsonl")
    assert scored(spark, pairs, partitions) == score_pairs(pairs).tolist()


def test_plain_answers_and_absent_predictions(spark: Any) -> None:
    assert scored(spark, PLAIN, 2) == score_pairs(PLAIN).tolist()
    assert scored(spark, PLAIN)[2] == 0


def test_texts_are_parsed(spark: Any) -> None:
    from docscore.data.json_text import parse_text  # noqa: PLC0415  beside what it is used for

    pairs = receipt_pairs("predictions_text.jsonl")
    parsed = [(theirs, parse_text(ours, "repair").value if isinstance(ours, str) else ours) for theirs, ours in pairs]
    assert scored(spark, pairs, 2, parse="repair") == score_pairs(parsed).tolist()


def test_ten_thousand_rows_in_many_batches(spark: Any) -> None:
    """Arrow brings a partition in batches of so many rows."""
    pairs: Pairs = [((f"text {i}", "x"), f"test {i % 100}") for i in range(10_000)]
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "999")
    try:
        assert scored(spark, pairs, 3) == score_pairs(pairs).tolist()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def is_worker(process: Any) -> bool:
    """Whether it is a child of the daemon that starts the workers of Spark."""
    return "pyspark.daemon" in process.cmdline() and "pyspark.daemon" in process.parent().cmdline()


@pytest.mark.full
def test_a_killed_worker_changes_no_score(spark: Any) -> None:
    pairs: Pairs = [
        (([{"a": f"{i} {j}"} for j in range(30)],), [{"a": f"{j} {i}"} for j in range(30)]) for i in range(3000)
    ]
    with killing(is_worker) as killed:
        found = scored(spark, pairs, 3)
    assert len(killed) == 1
    assert found == score_pairs(pairs).tolist()


# prediction, references, the sentence
FAULTS = [
    ('"x"', None, "references of row '0': expected JSON text, got NoneType"),
    ('"x"', "[]", "row '0': expected 'references' to be a list of at least one acceptable answer, got an empty list"),
    ("tea", '["tea"]', "prediction of row '0', 'tea': line 1, column 1: expecting value"),
]


@pytest.mark.parametrize(("prediction", "references", "sentence"), FAULTS)
def test_a_value_that_cannot_be_scored_is_named(
    spark: Any, prediction: str | None, references: str | None, sentence: str
) -> None:
    from pyspark.errors import PythonException  # noqa: PLC0415  an extra

    from docscore.integrations.spark import score_udf  # noqa: PLC0415  an extra

    frame = spark.createDataFrame([(0, prediction, references)], SCHEMA)
    with pytest.raises(PythonException) as caught:
        frame.select(score_udf()("prediction", "references")).collect()
    assert sentence in str(caught.value)


def test_options_are_checked_before_spark_runs() -> None:
    needs("pyspark")
    from docscore.integrations.spark import score_udf  # noqa: PLC0415  an extra

    with pytest.raises(ValueError, match=r"^threshold: "):
        score_udf(threshold=2)

"""The pandas UDF on a local Spark: the same scores as `score_pairs`, whatever the partitions."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from docscore import score_pairs
from docscore.data.json_text import parse_text
from tests.commands import killing, receipt_pairs
from tests.conftest import needs, skip_or_fail
from tests.test_hooks import ANSWERS, SCHEMA, TRUTHS, expected_scores

pytestmark = [
    pytest.mark.full,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of PySpark's own imports
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # of PySpark with the newest pandas
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # PySpark leaves its sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
COLUMNS = "number int, prediction string, references string"
Pairs = list[tuple[Any, Any]]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A Spark of two threads that listens on this machine alone and tries each task four times, as on a cluster."""
    needs("pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        skip_or_fail("needs Java")
    from pyspark.sql import SparkSession  # noqa: PLC0415  an extra

    builder = SparkSession.builder.master("local[2,4]").appName("docscore")
    options = {f"spark.driver.{name}": "127.0.0.1" for name in ("host", "bindAddress")}
    options |= dict.fromkeys(("spark.ui.enabled", "spark.ui.showConsoleProgress"), "false")
    options |= {"spark.sql.shuffle.partitions": "2"}
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYSPARK_PYTHON", sys.executable)
        environment.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = builder.config(map=options).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()


def scored(spark: Any, pairs: Pairs, partitions: int = 1, **options: Any) -> list[float]:
    """What Spark makes of the pairs, in their order; a prediction that is None is null, without JSON text."""
    from docscore.integrations.spark import score_udf  # noqa: PLC0415  an extra

    rows = [
        (i, None if ours is None else json.dumps(ours), json.dumps(theirs)) for i, (theirs, ours) in enumerate(pairs)
    ]
    frame = spark.createDataFrame(rows, COLUMNS).repartition(partitions)
    found = frame.select("number", score_udf(**options)("prediction", "references").alias("score")).collect()
    return [row["score"] for row in sorted(found, key=lambda row: int(row["number"]))]


@pytest.mark.ci
def test_receipts_score_as_in_one_process(spark: Any) -> None:
    """An absent prediction is scored as null."""
    pairs: Pairs = [*receipt_pairs("predictions.jsonl"), (("rum",), None), (("007", ["a"]), ["a", "b"])]
    for partitions in (1, 3):
        assert scored(spark, pairs, partitions) == score_pairs(pairs).tolist()


def test_texts_are_parsed(spark: Any) -> None:
    pairs = receipt_pairs("predictions_text.jsonl")
    parsed = [(theirs, parse_text(ours, "repair").value if isinstance(ours, str) else ours) for theirs, ours in pairs]
    assert scored(spark, pairs, 2, parse="repair") == score_pairs(parsed).tolist()


def test_typed_scores(spark: Any) -> None:
    pairs: Pairs = [((truth,), answer) for truth, answer in zip(TRUTHS, ANSWERS, strict=True)]
    assert scored(spark, pairs, 2, schema=SCHEMA) == expected_scores()


def test_ten_thousand_rows_in_many_batches(spark: Any) -> None:
    """Arrow brings a partition in batches of so many rows."""
    pairs: Pairs = [((f"text {i}", "x"), f"test {i % 100}") for i in range(10_000)]
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "999")
    try:
        assert scored(spark, pairs, 3) == score_pairs(pairs).tolist()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")


def test_a_killed_worker_changes_no_score(spark: Any) -> None:
    pairs: Pairs = [
        (([{"a": f"{i} {j}"} for j in range(30)],), [{"a": f"{j} {i}"} for j in range(30)]) for i in range(3000)
    ]
    daemon = "pyspark.daemon"  # workers are its children, which have its command line
    with killing(lambda each: daemon in each.cmdline() and daemon in each.parent().cmdline()) as killed:
        found = scored(spark, pairs, 3)
    assert len(killed) == 1
    assert found == score_pairs(pairs).tolist()


FAULTS = [  # prediction, references, the sentence
    ('"x"', None, "references of row '0': expected JSON text, got NoneType"),
    ('"x"', "[]", "row '0': expected 'references' to be a list of at least one acceptable answer, got an empty list"),
    ("tea", '["tea"]', "prediction of row '0', 'tea': line 1, column 1: expecting value"),
]


@pytest.mark.parametrize(("prediction", "references", "sentence"), FAULTS)
def test_a_value_that_cannot_be_scored_is_named(spark: Any, prediction: Any, references: Any, sentence: str) -> None:
    from pyspark.errors import PythonException  # noqa: PLC0415  an extra

    from docscore.integrations.spark import score_udf  # noqa: PLC0415  an extra

    frame = spark.createDataFrame([(0, prediction, references)], COLUMNS)
    with pytest.raises(PythonException, match=re.escape(sentence)):
        frame.select(score_udf()("prediction", "references")).collect()


def test_options_are_checked_before_spark_runs() -> None:
    needs("pyspark")
    from docscore.integrations.spark import score_udf  # noqa: PLC0415  an extra

    with pytest.raises(ValueError, match=r"^threshold: "):
        score_udf(threshold=2)

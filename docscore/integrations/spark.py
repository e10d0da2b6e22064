"""Score rows with Spark, as a pandas UDF.

Install with `pip install "docscore[spark]"`; Spark needs a Java runtime.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from docscore.core.options import ScoringOptions
from docscore.evaluation.evaluation import Evaluation
from docscore.integrations.row_texts import pairs_of_texts


def score_series(predictions: pd.Series[Any], references: pd.Series[Any], **options: Any) -> pd.Series[Any]:
    """Compute the ANLS* score of each row.

    Args:
        predictions: JSON text; a null, for no prediction, is scored as null.
        references: JSON text of the list of acceptable answers.
        options: fields of `ScoringOptions`, such as threshold, ignore_case, schema (for the typed score), and
            parse for predictions whose JSON
            value is a text to be read as JSON.

    Returns:
        Scores in [0, 1], with the index of the predictions.

    Raises:
        TypeError, ValueError: naming the row in the series, with the beginning of invalid JSON text.

    >>> score_series(pd.Series(['{"total": "1"}', '"tea"']), pd.Series(['[{"total": "1"}]', '["rum", "tea"]'])).tolist()
    [1.0, 1.0]
    """
    ids = [str(number) for number in range(len(predictions))]
    pairs = pairs_of_texts(
        ids, *(column.astype(object).where(column.notna(), None) for column in (predictions, references))
    )
    chosen = ScoringOptions(**options)
    scores = Evaluation(pairs, chosen).scores
    return pd.Series(scores, index=predictions.index, dtype="float64")


def score_udf(**options: Any) -> Any:
    """Return `score_series` as a pandas UDF of two columns.

    `frame.withColumn("anls_score", score_udf()("prediction", "references"))`

    Args:
        options: as for `score_series`.

    Raises:
        TypeError, ValueError: for invalid options, before Spark runs.
    """
    from pyspark.sql.functions import pandas_udf  # noqa: PLC0415  an extra

    ScoringOptions(**options)

    def scored(predictions: Any, references: Any) -> Any:
        return score_series(predictions, references, **options)

    scored.__annotations__ = {"predictions": pd.Series, "references": pd.Series, "return": pd.Series}
    return pandas_udf(scored, "double")

"""Score rows with Spark, as a pandas UDF.

Install with `pip install "docscore[spark]"`; Spark needs a Java runtime.
"""

from __future__ import annotations

from math import isnan
from typing import Any

import pandas as pd

from docscore.core.errors import InputTypeError, InputValueError, at_place, closer, short_repr
from docscore.core.options import ScoringOptions
from docscore.corpus.scores import score_corpus
from docscore.data.json_codec import loads
from docscore.data.pairing import Pairs


def score_series(predictions: pd.Series[Any], references: pd.Series[Any], **options: Any) -> pd.Series[Any]:
    """Compute the ANLS* score of each row.

    Args:
        predictions: JSON text; a null, for no prediction, is scored as null.
        references: JSON text of the list of acceptable answers.
        options: fields of `ScoringOptions`, such as threshold, ignore_case, and parse for predictions whose JSON
            value is a text to be read as JSON.

    Returns:
        Scores in [0, 1], with the index of the predictions.

    Raises:
        TypeError, ValueError: naming the row in the series, with the beginning of invalid JSON text.

    >>> score_series(pd.Series(['{"total": "1"}', '"tea"']), pd.Series(['[{"total": "1"}]', '["rum", "tea"]'])).tolist()
    [1.0, 1.0]
    """
    rows = enumerate(zip(predictions, references, strict=True))
    pairs = [(_answers(reference, number), _prediction(prediction, number)) for number, (prediction, reference) in rows]
    truths, values = [truth for truth, _ in pairs], [value for _, value in pairs]
    scores = score_corpus(Pairs([str(number) for number in range(len(pairs))], truths, values), **options)
    return pd.Series(scores.scores, index=predictions.index, dtype="float64")


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


def _prediction(text: Any, number: int) -> Any:
    return None if _is_null(text) else _value(text, f"prediction of row '{number}'")


def _answers(text: Any, number: int) -> tuple[Any, ...]:
    place = f"references of row '{number}'"
    answers = _value(text, place)
    if not isinstance(answers, list) or not answers:
        got = "an empty list" if answers == [] else type(answers).__name__
        expected = "JSON text of a list of at least one acceptable answer"
        raise InputValueError(place=place, expected=expected, got=got)
    return tuple(answers)


def _value(text: Any, place: str) -> Any:
    if not isinstance(text, str):
        got = "null" if _is_null(text) else type(text).__name__
        raise InputTypeError(place=place, expected="JSON text", got=got)
    try:
        return loads(text)
    except ValueError as error:
        raise at_place(closer(place, short_repr(text)), error) from None


def _is_null(text: Any) -> bool:
    """Whether it is a null of pandas: None, NaN or NA."""
    return text is None or text is pd.NA or (isinstance(text, float) and isnan(text))

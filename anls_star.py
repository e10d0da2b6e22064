# Copyright 2026 The docscore authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
"""The ANLS* metric for the `evaluate` library, computed by docscore."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

try:  # `anls_score` needs neither of them
    import datasets  # noqa: F401  evaluate needs it to store rows
    import evaluate
except ModuleNotFoundError as error:
    if error.name not in ("datasets", "evaluate"):
        raise
    evaluate = None

try:  # indented, because the loader tells people to install unindented imports from an index
    from docscore import anls_score
    from docscore.core.errors import InputValueError
    from docscore.core.options import CompareOptions, ReadOptions
    from docscore.core.runtime import warn
    from docscore.evaluation.evaluation import evaluate_rows
    from docscore.inputs.groups import Grouping
    from docscore.evaluation.registry import METRICS
    from docscore.evaluation.sentences import by_value_text

    if evaluate is not None:
        from docscore.integrations.evaluate.metric import DocumentMetricMixin
        from docscore.integrations.evaluate.metric import decode_rows
except ModuleNotFoundError as error:
    if error.name != "docscore":
        raise
    msg = 'this metric needs docscore: pip install "docscore[evaluate]"'
    raise ModuleNotFoundError(msg, name="docscore") from None

__all__ = ["AnlsStar", "anls_score"]

_DESCRIPTION = """\
ANLS* compares what a model extracted from a document with the ground truth. Both are JSON values. Strings are compared
by normalised Levenshtein similarity, and objects key by key. The elements of lists are paired so that the sum of the
scores of the pairs is highest. If there are several acceptable answers, the best match counts. ANLS* generalises ANLS,
the metric of document question answering, to structured answers.
"""

_KWARGS_DESCRIPTION = """
Scores predictions against references.

Args:
    predictions: one row per document, `{"question_id": str, "prediction": any JSON value}`.
    references: one row per document, `{"question_id": str, "references": [acceptable answers, each any JSON value]}`.
        Inside an answer, `{"$one_of": [...]}` or a tuple holds alternatives for a value. Rows are paired by
        question_id, in any order.
        Two other formats are detected from the first row: `{"question_id", "prediction_text"}` with `{"question_id",
        "answers"}`, and plain values on both sides, paired by position.
    threshold: a similarity of texts below this value counts as 0; from 0 to 1, default 0.5.
    ignore_case: whether to compare texts in lower case; default True.
    parse: how to read predictions that are text: "json" parses them as JSON, "repair" also extracts JSON from other
        text and repairs it, "text" compares them as text. The default None means "text", but raises an error if the
        references are documents written as text. Text that cannot be parsed is scored as text, and counted.
    parse_references: "json" to parse references that are text as JSON, "repair" to repair them too; default None, which
        keeps them as text.
    missing: what to do with a reference that has no prediction: "error" raises an error (the default), "zero" scores it
        as null, "skip" leaves it out.
    per_sample: whether to return the score of each row.
    key_scores: whether to return the figures of each field, and the points lost by each cause.
    confidence: the level of confidence intervals, such as 0.95, between 0 and 1; default None, for no intervals. They
        come from 10,000 resamples of the rows (expanded BCa bootstrap) with a fixed seed; of few rows from Wilson's
        formula.
    cluster: groups of rows that are not independent, such as the questions about one document, which `confidence`
        resamples together: the name of a column of the reference rows, a function of the question_id, or a list with a
        label for each reference; default None, for independent rows.
    signature: whether to return the signature, the settings that make the score comparable.
    strict: only with the configuration "anls": whether a similarity equal to the threshold counts as 0, as in the
        equation of the ANLS paper; default False: it counts, as in the script of the competition.
    rules: whether keys without a value count in a prediction: they do not with "paper" (the default), and they do with
        "anls_star-1.0.1", as in that version of the published package.
    numbers: how to compare JSON numbers: "text" (the default) as printed, "value" by their shortest decimal spelling,
        so that 1000.0 equals 1000.
    schema: a JSON Schema that says how to compare each field and how much it weighs: a dict, the path of a file or of a
        folder with one file per document (`ID.json`), or a pydantic model class; default None. See
        `docs/typed_scores.md`.
    ignore_keys: keys to leave out of both sides, such as `["model", "meta.tokens"]`; default none.
    absent_words: texts to read as null on both sides, such as `["NOT_FOUND"]`; default none.
    The configurations "anls" and "anlsl", such as `evaluate.load(..., "anls")`, give the same scores as the default
    one, but accept only texts ("anls") or lists of texts ("anlsl") as answers.
Returns:
    anls_score: the mean score of the rows, from 0 (worst) to 1 (best).
    confidence_interval: the ends of the interval of the score, or None; with `confidence`.
    standard_error: the standard error of the score, or None; with `confidence`.
    confidence_note: why there is no interval, or by which other method it was computed; absent otherwise; with
        `confidence`.
    clusters: the number of groups of rows that are resampled together; with `cluster`.
    skipped: the number of references that were left out; with `missing="skip"`.
    missing: the number of missing predictions, which are scored as null; with `missing="zero"`.
    repeated: the number of rows that several processes have; each counts once; with several processes.
    parse_failures: the number of texts that cannot be read as JSON; with `parse="json"` or `parse="repair"`.
    parse_extracted: the number of texts with JSON inside prose or a code fence; with `parse="repair"`.
    parse_repaired: the number of texts with JSON that was malformed or cut off, and was repaired; with
        `parse="repair"`.
    parse_ambiguous: the number of texts that can be read in several ways; one of them was used; with `parse="repair"`.
    points_lost: a dict from each cause of lost points to its part of 1 - score; the parts add up to 1 - score; with
        `key_scores`.
    key_scores: a list with a dict for each field; with `key_scores`.
        field: the path of the field without indices, such as `items[].price`.
        score: its score over all documents, from 0 to 1.
        low: the lower end of its interval, or None; with `confidence`.
        high: the upper end of its interval, or None; with `confidence`.
        interval_note: why there is no interval, or by which other method it was computed; empty otherwise; with
            `confidence`.
        points_lost: its part of 1 - score; the parts of all fields add up to 1 - score.
        documents: the number of documents that have the field.
        exact: the number of values that earn all points.
        partial: the number of values that earn some points.
        wrong: the number of values that earn no points.
        wrong_type: the number of values of another type, such as a list for a text.
        missing: the number of expected values that are not predicted.
        extra: the number of predicted values that are not expected.
        omission_rate: the share of the expected values that are missing, or None if none is expected.
        hallucination_rate: the share of the predicted values that are extra, or None if none is predicted.
    lists: a list with a dict for each path of lists; with `key_scores`.
        field: the path of its rows, such as `items[]`.
        lists: the number of lists at this path that have rows on at least one side.
        expected: the number of rows in the ground truths.
        predicted: the number of rows in the predictions.
        paired: the number of expected rows whose partner earns at least half of the row's points, or has the same
            `key`.
        precision: paired / predicted, or None if no row is predicted.
        recall: paired / expected, or None if no row is expected.
        right: the number of expected rows that lose no points.
        cut_off: the number of lists that were cut off.
        cut_rows: the number of expected rows after the cuts.
        cut_points: the part of 1 - score that these rows lose.
    rates: a list with a dict for each rate of documents or values; with `key_scores`.
        rate: what is counted, such as `missing values`.
        value: hits / total, or None if the total is 0.
        low: the lower end of its interval, or None; with `confidence`.
        high: the upper end of its interval, or None; with `confidence`.
        interval_note: why there is no interval, or by which other method it was computed; empty otherwise; with
            `confidence`.
        hits: the number of documents or values that are counted.
        total: the number of all documents or values.
    filled_although_empty: a list with a dict for each field that is empty in a ground truth; with `key_scores`.
        field: the path of the field, such as `items[].vat`.
        value: hits / total.
        low: the lower end of its interval, or None; with `confidence`.
        high: the upper end of its interval, or None; with `confidence`.
        interval_note: why there is no interval, or by which other method it was computed; empty otherwise; with
            `confidence`.
        hits: the number of places in `total` that the predictions fill.
        total: the number of places that are empty in the ground truths, or absent and named by a schema.
    per_sample: a list with a dict for each row, in the order of the references; with `per_sample`.
        question_id: the id of the row; of rows without ids, its number as text.
        anls_score: the score of the row, from 0 to 1.
        parsed: how its text was read: `exact`, `extracted`, `repaired`, `ambiguous` or `failed`; None without a
            prediction; with `parse="json"` or `parse="repair"`.
        parse_note: which of several values was used, what was repaired, or why the text cannot be read; absent if all
            are empty; with `parse="json"` or `parse="repair"`.
        missing: whether the prediction is missing; with `missing="zero"`.
    parsed_ids: a dict with the ids of texts; with `per_sample` and `parse="json"` or `parse="repair"`.
        failed: the ids of the texts that parse_failures counts.
        extracted: the ids of the texts that parse_extracted counts; with `parse="repair"`.
        repaired: the ids of the texts that parse_repaired counts; with `parse="repair"`.
        ambiguous: the ids of the texts that parse_ambiguous counts; with `parse="repair"`.
    signature: the settings that make the figures comparable; with `signature`.
    typed_score: the mean typed score of the rows, from 0 to 1; it is not ANLS*; with `schema`.
    unreadable_ground_truths: the number of ground truths that their comparator cannot read; with `schema`.
    unreadable_predictions: the number of predicted values that their comparator cannot read; with `schema`.
    ambiguous_values: the number of values that can be read in several ways; with `schema`.
    typed_confidence_interval: the ends of the interval of typed_score; with `schema` and `confidence`.
    typed_fields: a list with a dict for each field; with `schema` and `key_scores`.
        field: the path of the field.
        typed_score: its typed score over all documents, from 0 to 1.
        compared: how its values are compared, such as `text` or `date`.
        weight: the points possible for its values.
        values: the number of its values.
        unreadable_ground_truths: the number of ground truths that their comparator cannot read.
        unreadable_predictions: the number of predicted values that their comparator cannot read.
        ambiguous_values: the number of values that can be read in several ways.
    typed_signature: the signature of typed_score; with `schema` and `signature`.
Examples:
    >>> import docscore
    >>> import evaluate
    >>> anls_star = evaluate.load(docscore.evaluate_module("anls_star"))
    >>> predictions = [{"question_id": "a", "prediction": {"date": "12.03.2024", "items": ["Tea", "Cake"]}}]
    >>> references = [{"question_id": "a", "references": [{"date": "12.03.2024", "items": ["Cake", "Tea", "Milk"]}]}]
    >>> anls_star.compute(predictions=predictions, references=references)
    {'anls_score': 0.75}

    >>> predictions = [{"question_id": "b", "prediction": "12.50"}, {"question_id": "c", "prediction": "no"}]
    >>> references = [{"question_id": "c", "references": ["yes", "no"]}, {"question_id": "b", "references": ["12.5"]}]
    >>> anls_star.compute(predictions=predictions, references=references)
    {'anls_score': 0.9}
"""

_CONFIGURATIONS = ("default", "anls", "anlsl")


def __getattr__(name: str) -> Any:
    """Name what to install if the class is requested and `evaluate` is not installed."""
    if name == "AnlsStar" and evaluate is None:
        msg = 'AnlsStar needs evaluate and datasets: pip install "docscore[evaluate]"'
        raise ModuleNotFoundError(msg, name="evaluate")
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


if evaluate is not None:

    @evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
    class AnlsStar(DocumentMetricMixin, evaluate.Metric):  # type: ignore[misc]
        """ANLS* as an `evaluate` metric; values are stored as JSON text, so strings such as "12.50" stay strings."""

        DESCRIPTION = _DESCRIPTION
        KWARGS_DESCRIPTION = _KWARGS_DESCRIPTION
        REFERENCE_URL = "https://arxiv.org/abs/2402.03848"
        METRIC = "anls_star"

        def _info(self) -> evaluate.MetricInfo:
            if self.config_name not in _CONFIGURATIONS:
                expected = f"a configuration among {', '.join(_CONFIGURATIONS)}"
                raise InputValueError(expected=expected, got=repr(self.config_name))
            return super()._info()

        def _refuse(self, options: Mapping[str, Any]) -> None:
            if options.get("strict") and self.config_name != "anls":
                expected = "False, or the configuration 'anls'"
                raise InputValueError(place="strict", expected=expected, got="True")
            if options.get("schema") is not None:
                METRICS["typed"].check_options(CompareOptions(schema=options["schema"]))

        def _compute(
            self,
            predictions: list[dict[str, str]],
            references: list[dict[str, str]],
            threshold: float = 0.5,
            ignore_case: bool = True,
            parse: str | None = None,
            missing: str = "error",
            per_sample: bool = False,
            key_scores: bool = False,
            confidence: float | None = None,
            signature: bool = False,
            strict: bool = False,
            parse_references: str | None = None,
            rules: str = "paper",
            numbers: str = "text",
            schema: Any = None,
            cluster: Grouping | None = None,
            ignore_keys: Sequence[str] = (),
            absent_words: Sequence[str] = (),
        ) -> dict[str, Any]:
            reading = ReadOptions(
                parse=parse,
                parse_references=parse_references,
                missing=missing,
                ignore_keys=ignore_keys,
                absent_words=absent_words,
                cluster=cluster,
            )
            options = CompareOptions(
                threshold=threshold,
                ignore_case=ignore_case,
                strict=strict,
                rules=rules,
                numbers=numbers,
                schema=schema,
            )
            pairs = decode_rows(predictions, references, missing)
            metrics = [self.METRIC if self.config_name == "default" else self.config_name]
            metrics += [] if schema is None else ["typed"]
            found = evaluate_rows(pairs, reading, options, metrics=metrics, confidence=confidence)
            warning = by_value_text({"": found}) if schema is None else ""
            if warning:
                warn(f'{warning}; add numbers="value" to compare them by value')
            result = found.summary_to_dict(fields=key_scores, per_sample=per_sample, signature=signature)
            if schema is not None:
                breakdown = found.breakdowns["typed"]
                result |= {"typed_score": found.figures["typed_score"], **breakdown.counts()}
                interval = next(figure.interval for figure in found.measured if figure.name == "typed_score")
                if interval is not None:
                    result["typed_confidence_interval"] = interval.ends
                if key_scores:
                    result |= breakdown.tables()
                if signature:
                    result["typed_signature"] = found.signatures["typed"]
            return result

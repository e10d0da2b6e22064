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

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

try:  # `anls_score` needs neither
    import datasets  # noqa: F401  evaluate stores rows with it
    import evaluate
except ModuleNotFoundError as error:
    if error.name not in ("datasets", "evaluate"):
        raise
    evaluate = None

try:  # indented, since the loader would tell people to install the imports that it finds from an index
    from docscore import anls_score
    from docscore.core.errors import InputValueError
    from docscore.core.options import ScoringOptions
    from docscore.core.runtime import level_of_caller
    from docscore.evaluation.evaluation import Evaluation
    from docscore.data.groups import Grouping
    from docscore.metrics.registry import METRICS
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
ANLS* compares what a model extracted from a document with the ground truth. Both are JSON values: strings are compared
by normalised Levenshtein similarity, lists by optimal matching, and objects key by key; of several acceptable answers,
the best match counts. ANLS* generalises ANLS, the metric of document question answering, to structured answers.
"""

_CITATION = """\
@misc{peer2024anls,
    title = {{ANLS*} -- A Universal Document Processing Metric for Generative Large Language Models},
    author = {Peer, David and Sch{\\"o}pf, Philemon and Nebendahl, Volckmar and
              Rietzler, Alexander and Stabinger, Sebastian},
    year = {2024},
    eprint = {2402.03848},
    archivePrefix = {arXiv},
    primaryClass = {cs.CL}
}
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
    parse_failures: the number of texts that could not be parsed; with `parse`.
    parse_extracted: the number of texts with JSON inside prose or a code fence; with `parse="repair"`.
    parse_mended: the number of texts with JSON that was malformed or cut off; with `parse="repair"`.
    parse_ambiguous: the number of texts with several possible readings, of which one was used; with
        `parse="repair"`.
    missing: the number of missing predictions; with `missing="zero"`.
    skipped: the number of references that were left out; with `missing="skip"`.
    confidence_interval: the ends of the interval of anls_score, or None if there is none, as for a single row; with
        `confidence`.
    standard_error: the standard error of anls_score, or None; with `confidence`.
    confidence_note: why there is no interval, or by what other method it is; with `confidence`, if there is a note.
    clusters: the number of clusters; with `cluster`.
    key_scores: a list with a dict for each field: `field` (such as `items[].price`); `score`, with `confidence` also
        `low`, `high` and `interval_note`; `points_lost`, which add up to 1 - anls_score over all fields; `documents`,
        the number of documents with the field; the numbers of values that are `exact`, `partial`, `wrong`,
        `wrong_type`, `missing` and `extra`; `omission_rate`; `hallucination_rate`; with `key_scores=True`.
    points_lost: a dict from each cause to the points lost by it, which add up to 1 - anls_score; with
        `key_scores=True`.
    lists: a list with a dict for each list: `field`, and the numbers of elements that are `matched`, `missing` and
        `extra`; with `key_scores=True`.
    rates: a list with a dict for each rate: `rate`, `value`, `hits`, `total`; with `key_scores=True`.
    typed_score: the mean typed score of the rows, from 0 to 1, which is not ANLS*; with `schema`.
    typed_confidence_interval: the ends of the interval of typed_score; with `schema` and `confidence`.
    unreadable_ground_truths, unreadable_predictions: the numbers of values that the comparators of their fields could
        not read; with `schema`.
    ambiguous_values: the number of values that can be read in several ways; with `schema`.
    typed_fields: how each field was compared; with `schema` and `key_scores=True`.
    typed_signature: the signature of typed_score; with `schema` and `signature=True`.
    per_sample: a list of `{"question_id", "anls_score"}` in the order of the references; with `parse`, rows also have
        "parsed" ("exact", "extracted", "mended", "ambiguous" or "failed"), and with `missing="zero"` "missing"; with
        `per_sample=True`.
    parsed_ids: the ids of the texts that are "failed", "extracted", "mended" and "ambiguous"; with `parse` and
        `per_sample=True`.
    signature: a string; with `signature=True`.
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
        CITATION = _CITATION
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
                METRICS["typed"].check_options(ScoringOptions(schema=options["schema"]))

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
            options = ScoringOptions(
                threshold=threshold,
                ignore_case=ignore_case,
                strict=strict,
                parse=parse,
                parse_references=parse_references,
                missing=missing,
                rules=rules,
                numbers=numbers,
                ignore_keys=ignore_keys,
                absent_words=absent_words,
                schema=schema,
            )
            pairs = decode_rows(predictions, references, missing)
            metrics = [self.METRIC if self.config_name == "default" else self.config_name]
            metrics += [] if schema is None else ["typed"]
            found = Evaluation(pairs, options, metrics=metrics, cluster=cluster, confidence=confidence)
            remark = by_value_text({"": found}) if schema is None else ""
            if remark:
                warnings.warn(remark, UserWarning, stacklevel=level_of_caller())
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

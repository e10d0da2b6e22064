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
"""The ANLS* metric for the `evaluate` library: rows in and out; the scores are docscore's."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

try:  # `anls_score` needs neither
    import datasets  # noqa: F401  what evaluate stores rows with
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
    msg = 'this metric needs docscore: pip install "docscore[evaluate] @ git+https://github.com/OWNER/docscore"'
    raise ModuleNotFoundError(msg, name="docscore") from None

__all__ = ["AnlsStar", "anls_score"]

_DESCRIPTION = """\
ANLS* scores what a model extracted from a document against what it should have extracted. Both are JSON values: strings
are compared by normalised Levenshtein similarity, lists by optimal matching, objects key by key, and of alternative
answers the best counts. It generalises ANLS, the metric of document question answering, to structured answers.
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
    predictions: one row a document, `{"question_id": str, "prediction": any JSON value}`.
    references: one row a document, `{"question_id": str, "references": [acceptable answers, each any JSON value]}`.
        Inside an answer, `{"$one_of": [...]}` or a tuple holds alternatives for that place. Rows are paired by
        question_id, whatever their order.
        Two other formats are told by the first row: `{"question_id", "prediction_text"}` with `{"question_id",
        "answers"}`, and plain values on both sides, paired by position.
    threshold: a similarity of texts below it counts as 0, from 0 to 1; default 0.5.
    ignore_case: whether texts are compared in lower case; default True.
    parse: "json" to read predictions that are text as JSON, "repair" to mend them where they are not quite, "text" to
        compare them as text; default None, which is "text" but refuses texts that are JSON on both sides. What cannot
        be parsed is scored as the text it is, and counted.
    parse_references: "json" to read references that are text as JSON; default None, which takes text as text.
    missing: "error" if a reference without a prediction is an error (the default), "zero" to score it as null, "skip"
        to leave it out.
    per_sample: whether to return the score of each row too.
    key_scores: whether to return what became of each field, and why points were lost.
    confidence: the level of confidence intervals, such as 0.95, between 0 and 1; default None, for none. They come from
        10,000 resamples of the rows (BCa bootstrap), always the same ones.
    cluster: the rows that are not independent, such as the questions of one document, which `confidence` then resamples
        together: the name of a column of the reference rows, a function of the question_id, or a list with a label for
        each reference; default None, for rows that are all independent.
    signature: whether to return what makes the score comparable: threshold, case, version.
    strict: with the configuration "anls" only: whether a similarity of exactly the threshold counts as 0, as in the
        equation of the paper of ANLS; default False: it counts, as in the competition's script.
    rules: what counts in a prediction: "paper" (the default), by which keys without a value do not, or
        "anls_star-1.0.1", by which they do, as in the published package of that version.
    numbers: how numbers are compared: "text" (the default), as they print, or "value", by their shortest decimal
        spelling, so that 1000.0 is 1000; texts stay texts.
    schema: a JSON Schema that says how each place compares and what it weighs: a dict, the path of a file, or of a
        folder with one a document (`ID.json`), or a pydantic model class; default None. See `docs/typed_scores.md`.
    The configurations "anls" and "anlsl", `evaluate.load(..., "anls")`, score the same as the default one, but refuse
    answers that are no text, or no lists of texts.
Returns:
    anls_score: the mean of the rows' scores, from 0 to 1; 1 is best.
    parse_failures: how many texts could not be parsed; with `parse` only.
    parse_extracted: how many texts are JSON without the prose or the fence around it; with `parse="repair"` only.
    parse_mended: how many texts hold JSON that was damaged or cut off; with `parse="repair"` only.
    parse_ambiguous: how many texts hold several JSON values, of which one was taken; with `parse="repair"` only.
    missing: how many predictions were missing; with `missing="zero"` only.
    skipped: how many references without a prediction were left out; with `missing="skip"` only.
    confidence_interval: the lower and the upper end for anls_score, or None where there is none, as with one row; with
        `confidence` only, as the next two.
    standard_error: that of anls_score, or None.
    confidence_note: why there is no interval; only where there is none.
    clusters: how many there are; with `cluster` only.
    key_scores: a list of dicts, a field each: `field` (`items[].price`), `score`, with `confidence` its `low` and
        `high`, `points_lost` (they add up to 1 - anls_score), `documents`, how many values are `exact`, `partial`,
        `wrong`, `wrong_type`, `missing`, `extra`, `omission_rate`, `hallucination_rate`; with `key_scores=True` only,
        as the next three.
    points_lost: a dict from cause to its share of 1 - anls_score; they add up to it.
    lists: a list of dicts, the elements of the lists at a place each: `field`, `matched`, `missing`, `extra`.
    rates: a list of dicts, a rate of documents or of values each: `rate`, `value`, `hits`, `total`.
    typed_score: the mean of the typed scores of the rows, from 0 to 1, which are no ANLS*; with `schema` only, as
        unreadable_ground_truths and unreadable_predictions: how many values could not be read as what their place
        holds. With `confidence` typed_confidence_interval, with `key_scores=True` typed_fields: how each field was
        compared; with `signature=True` typed_signature.
    per_sample: a list of `{"question_id", "anls_score"}` in the order of the references, with `parse` also "parsed"
        ("exact", "extracted", "mended", "ambiguous" or "failed"), with `missing="zero"` also "missing"; with
        `per_sample=True` only.
    parsed_ids: the ids of the texts that are "failed", "extracted", "mended" and "ambiguous"; with `parse` and
        `per_sample=True` only.
    signature: a string; with `signature=True` only.
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
    """Say what to install where the metric is asked for and `evaluate` is absent."""
    if name == "AnlsStar" and evaluate is None:
        msg = 'AnlsStar needs evaluate and datasets: pip install "docscore[evaluate] @ git+https://github.com/OWNER/docscore"'
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
                expected = "False but with the configuration 'anls'"
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
                interval = found.interval_of("typed")
                if interval is not None:
                    result["typed_confidence_interval"] = interval.ends
                if key_scores:
                    result |= breakdown.tables()
                if signature:
                    result["typed_signature"] = found.signatures["typed"]
            return result

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
"""KIEval for the `evaluate` library: rows in and out; the figures are docscore's."""

from __future__ import annotations

from typing import Any

import evaluate

try:  # indented, since the loader would tell people to install the imports that it finds from an index
    from docscore.core.options import ScoringOptions
    from docscore.data.groups import Grouping
    from docscore.integrations.evaluate.metric import DocumentMetricMixin
except ModuleNotFoundError as error:
    if error.name != "docscore":
        raise
    msg = 'this metric needs docscore: pip install "docscore[evaluate] @ git+https://github.com/OWNER/docscore"'
    raise ModuleNotFoundError(msg, name="docscore") from None

_DESCRIPTION = """\
KIEval scores what a model extracted from a document by the corrections that it needs: which entities are exactly right,
which are to be changed, added and deleted, and which groups of entities, such as the rows of a receipt, are right as a
whole.
"""

_CITATION = """\
@misc{khang2025kieval,
    title = {{KIEval}: Evaluation Metric for Document Key Information Extraction},
    author = {Khang, Minsoo and Jung, Sang Chul and Park, Sungrae and Hong, Teakgyu},
    year = {2025},
    eprint = {2503.05488},
    archivePrefix = {arXiv}
}
"""

_KWARGS_DESCRIPTION = """
Scores predictions against references.

Args:
    predictions: one row a document, `{"question_id": str, "prediction": any JSON value}`, or any of the formats of
        `anls_star`.
    references: one row a document, `{"question_id": str, "references": [acceptable answers, each any JSON value]}`.
        Rows are paired by question_id, whatever their order.
    normalise: whether texts are compared in lower case, with white space folded; default False: they must be identical.
    by_type: whether to return the figures of each entity type and each type of group too.
    parse: "json" to read predictions that are text as JSON, "repair" to mend them where they are not quite, "text" to
        compare them as text; default None, which is "text" but refuses texts that are JSON on both sides.
    parse_references: "json" to read references that are text as JSON; default None, which takes text as text.
    missing: "error" if a reference without a prediction is an error (the default), "zero" to score it as null, "skip"
        to leave it out.
    confidence: the level of confidence intervals, such as 0.95, between 0 and 1; default None, for none.
    cluster: the rows that are not independent, such as the questions of one document, which `confidence` then resamples
        together: the name of a column of the reference rows, a function of the question_id, or a list with a label for
        each reference; default None, for rows that are all independent.
    numbers: "value" to compare JSON numbers by value, so that 1000.0 is 1000; default "text", as they print.
    signature: whether to return what makes the figures comparable.
Returns:
    kieval_entity_f1, kieval_entity_precision, kieval_entity_recall: of entities matched within their groups, in [0, 1].
    kieval_group_f1: of groups in which everything is right, from 0 to 1.
    kieval_aligned: the share of right entities among these and all corrections, from 0 to 1.
    true_positives, substitutions, additions, deletions: how many entities are right, and how many corrections needed.
    groups_right, groups_wrong, groups_missed, groups_invented: what became of the groups.
    entities, groups: lists of dicts, a type each; with `by_type=True` only.
    confidence_intervals: a dict from figure to (low, high), or None where there is none; with `confidence` only.
    clusters: how many there are; with `cluster` only.
    missing, parse_failures, parse_extracted, parse_mended, parse_ambiguous: counts, as those of `anls_star`; signature:
        a string; if asked for.
Examples:
    >>> import docscore
    >>> import evaluate
    >>> kieval = evaluate.load(docscore.evaluate_module("kieval"))
    >>> predictions = [{"question_id": "a", "prediction": {"menu": [{"nm": "Tea", "price": "2"}], "total": "3"}}]
    >>> references = [{"question_id": "a", "references": [{"menu": [{"nm": "Tea", "price": "2"}], "total": "2"}]}]
    >>> found = kieval.compute(predictions=predictions, references=references)
    >>> found["kieval_group_f1"], found["substitutions"], round(found["kieval_aligned"], 3)
    (1.0, 1, 0.667)

    >>> predictions = [{"question_id": "a", "prediction": {"date": "1 MAY"}}]
    >>> references = [{"question_id": "a", "references": [{"date": "1 May"}]}]
    >>> kieval.compute(predictions=predictions, references=references, normalise=True)["kieval_entity_f1"]
    1.0
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class Kieval(DocumentMetricMixin, evaluate.Metric):  # type: ignore[misc]
    """KIEval as an `evaluate` metric; values are stored as JSON text, so strings such as "12.50" stay strings."""

    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    KWARGS_DESCRIPTION = _KWARGS_DESCRIPTION
    REFERENCE_URL = "https://arxiv.org/abs/2503.05488"
    METRIC = "kieval"

    def _compute(
        self,
        predictions: list[dict[str, str]],
        references: list[dict[str, str]],
        normalise: bool = False,
        by_type: bool = False,
        parse: str | None = None,
        missing: str = "error",
        confidence: float | None = None,
        signature: bool = False,
        parse_references: str | None = None,
        cluster: Grouping | None = None,
        numbers: str = "text",
    ) -> dict[str, Any]:
        options = ScoringOptions(
            normalise=normalise, parse=parse, parse_references=parse_references, missing=missing, numbers=numbers
        )
        return self._figures(
            predictions,
            references,
            options,
            confidence=confidence,
            signature=signature,
            cluster=cluster,
            by_type=by_type,
        )

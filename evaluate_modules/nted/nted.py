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
"""nTED for the `evaluate` library: rows in and out; the figures are docscore's."""

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
nTED scores what a model extracted from a document by the tree edit distance to what it should have extracted, as a
share of the distance from an empty document: 1 - TED / TED(empty, ground truth), at least 0.
"""

_CITATION = """\
@misc{kim2022donut,
    title = {{OCR}-free Document Understanding Transformer},
    author = {Kim, Geewook and Hong, Teakgyu and Yim, Moonbin and Nam, Jeongyeon and Park, Jinyoung and Yim, Jinyeong
              and Hwang, Wonseok and Yun, Sangdoo and Han, Dongyoon and Park, Seunghyun},
    year = {2022},
    eprint = {2111.15664},
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
    donut: whether to reproduce the published implementation of Donut exactly: 0 and False are left out, and an empty
        ground truth scores 0 even against an empty prediction; default False.
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
    nted: the mean over documents, from 0 (worst) to 1 (best).
    confidence_intervals: a dict from figure to (low, high), or None where there is none; with `confidence` only.
    clusters: how many there are; with `cluster` only.
    missing, parse_failures, parse_extracted, parse_mended, parse_ambiguous: counts, as those of `anls_star`; signature:
        a string; if asked for.
Examples:
    >>> import docscore
    >>> import evaluate
    >>> nted = evaluate.load(docscore.evaluate_module("nted"))
    >>> predictions = [{"question_id": "a", "prediction": {"menu": [{"nm": "Tee"}]}}]
    >>> references = [{"question_id": "a", "references": [{"menu": [{"nm": "Tea"}]}]}]
    >>> round(nted.compute(predictions=predictions, references=references)["nted"], 3)
    0.833

    >>> empty = [{}]
    >>> [nted.compute(predictions=empty, references=empty, donut=donut)["nted"] for donut in (False, True)]
    [1.0, 0.0]
"""


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class NTED(DocumentMetricMixin, evaluate.Metric):  # type: ignore[misc]
    """nTED as an `evaluate` metric; values are stored as JSON text, so strings such as "12.50" stay strings."""

    DESCRIPTION = _DESCRIPTION
    CITATION = _CITATION
    KWARGS_DESCRIPTION = _KWARGS_DESCRIPTION
    REFERENCE_URL = "https://arxiv.org/abs/2111.15664"
    METRIC = "nted"

    def _compute(
        self,
        predictions: list[dict[str, str]],
        references: list[dict[str, str]],
        donut: bool = False,
        parse: str | None = None,
        missing: str = "error",
        confidence: float | None = None,
        signature: bool = False,
        parse_references: str | None = None,
        cluster: Grouping | None = None,
        numbers: str = "text",
    ) -> dict[str, Any]:
        options = ScoringOptions(
            donut=donut, parse=parse, parse_references=parse_references, missing=missing, numbers=numbers
        )
        return self._figures(
            predictions, references, options, confidence=confidence, signature=signature, cluster=cluster
        )

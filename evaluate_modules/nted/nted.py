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
"""nTED for the `evaluate` library, computed by docscore."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import evaluate

try:  # indented, because the loader tells people to install unindented imports from an index
    from docscore.core.options import CompareOptions, ReadOptions
    from docscore.inputs.groups import Grouping
    from docscore.integrations.evaluate.metric import DocumentMetricMixin
except ModuleNotFoundError as error:
    if error.name != "docscore":
        raise
    msg = 'this metric needs docscore: pip install "docscore[evaluate]"'
    raise ModuleNotFoundError(msg, name="docscore") from None

_DESCRIPTION = """\
nTED scores what a model extracted from a document by its tree edit distance (TED) to the ground truth, relative to the
distance of an empty document: max(0, 1 - TED / TED(empty, ground truth)).
"""

_KWARGS_DESCRIPTION = """
Scores predictions against references.

Args:
    predictions: one row per document, `{"question_id": str, "prediction": any JSON value}`, or any other format of
        `anls_star`.
    references: one row per document, `{"question_id": str, "references": [acceptable answers, each any JSON value]}`.
        Rows are paired by question_id, in any order.
    donut: whether to reproduce the published implementation of Donut exactly: it drops 0 and False, and scores an empty
        ground truth 0 even against an empty prediction; default False.
    parse: how to read predictions that are text: "json" parses them as JSON, "repair" also extracts JSON from other
        text and repairs it, "text" compares them as text. The default None means "text", but raises an error if the
        texts on both sides are JSON.
    parse_references: "json" to parse references that are text as JSON, "repair" to repair them too; default None, which
        keeps them as text.
    missing: what to do with a reference that has no prediction: "error" raises an error (the default), "zero" scores it
        as null, "skip" leaves it out.
    confidence: the level of confidence intervals, such as 0.95, between 0 and 1; default None, for no intervals.
    cluster: groups of rows that are not independent, such as the questions about one document, which `confidence`
        resamples together: the name of a column of the reference rows, a function of the question_id, or a list with a
        label for each reference; default None, for independent rows.
    numbers: "value" to compare JSON numbers by value, so that 1000.0 equals 1000; default "text", as printed.
    ignore_keys: keys to leave out of both sides, such as `["model", "meta.tokens"]`; default none.
    absent_words: texts to read as null on both sides, such as `["NOT_FOUND"]`; default none.
    signature: whether to return the signature, the settings that make the figures comparable.
Returns:
    nted: the mean over documents, from 0 (worst) to 1 (best).
    confidence_intervals: a dict from each figure to the ends of its interval, or to None; with `confidence`.
    confidence_notes: a dict from each figure without an interval, or with one by another method, to the reason; absent
        otherwise; with `confidence`.
    clusters: the number of groups of rows that are resampled together; with `cluster`.
    skipped: the number of references that were left out; with `missing="skip"`.
    missing: the number of missing predictions, which are scored as null; with `missing="zero"`.
    repeated: the number of rows that several processes have; each counts once; with several processes.
    parse_failures: the number of texts that cannot be read as JSON; with `parse="json"` or `parse="repair"`.
    parse_extracted: the number of texts with JSON inside prose or a code fence; with `parse="repair"`.
    parse_repaired: the number of texts with JSON that was malformed or cut off, and was repaired; with
        `parse="repair"`.
    parse_ambiguous: the number of texts that can be read in several ways; one of them was used; with `parse="repair"`.
    signature: the settings that make the figures comparable; with `signature`.
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
        options = CompareOptions(donut=donut, numbers=numbers)
        how: dict[str, Any] = {"confidence": confidence, "signature": signature}
        return self._figures(predictions, references, reading, options, **how)

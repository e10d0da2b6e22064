"""The score of a test set as a small state to update, merge and pickle: for batches and several processes.

The state has only sums, counts and field tables and, for rows with ids, 64-bit hashes of the id and of the values. Sums
are exact (`docscore.evaluation.fields`), so the result is identical to the last bit, no matter how the rows were split
and in which order the parts were merged.

A row with an id never counts twice. A sampler that gives every process the same number of rows repeats rows in the last
batches, and even in one batch that is larger than the test set. A repeated row with the same values counts once, and
`counts["repeated"]` gives the number of repeats. To remove them again, each process keeps the rows of its last update;
these rows are not sent. Rows without ids all count.
"""

from __future__ import annotations

import secrets
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

from docscore.core.errors import InputTypeError, InputValueError, row_place
from docscore.core.formatting import safe_names
from docscore.core.options import (
    CompareOptions,
    ReadOptions,
    check_choice,
    check_options,
    read_and_compare_options,
)
from docscore.core.runtime import warn_all
from docscore.evaluation.evaluation import Evaluation, evaluated
from docscore.evaluation.fields import Field, as_float, units
from docscore.evaluation.registry import METRICS, checked_metrics, metrics_with_schema
from docscore.inputs.json_text import store
from docscore.inputs.pairing import pairs_of
from docscore.inputs.reading import as_scored
from docscore.inputs.rows import table_in_memory
from docscore.inputs.test_set import TestSet
from docscore.metrics.typed.schema_warnings import warnings_about_schemas

RATES: dict[str, str] = {  # by the count that is divided by the number of rows
    "parse_failures": "parse_failure_rate",
    "parse_extracted": "parse_extracted_rate",
    "parse_repaired": "parse_repaired_rate",
    "parse_ambiguous": "parse_ambiguous_rate",
    "missing": "missing_rate",
    "skipped": "skipped_rate",
}


class ScoreState:
    """Sums and counts over the rows seen so far.

    Args:
        metrics: names among `docscore.METRICS`; None for "anls_star", or with a schema for "typed", then "anls_star".
        fields: whether to count fields too, for field scores and causes of lost points.
        options: how values are compared.
        reading: how rows are read.
        keywords: single options of both kinds, instead of `options` and `reading`.

    Raises:
        TypeError, ValueError: if an option is invalid.

    >>> first, second = ScoreState(), ScoreState()
    >>> first.update([{"total": "1"}], [{"total": "1"}])
    >>> second.update([{"total": "2"}], [{"total": "3"}])
    >>> first.merge(second).compute()
    {'anls_star': 0.5, 'anls_star/total': 0.5}
    """

    def __init__(
        self,
        *,
        metrics: Sequence[str] | None = None,
        fields: bool = True,
        options: CompareOptions | None = None,
        reading: ReadOptions | None = None,
        **keywords: Any,
    ) -> None:
        if keywords and (options or reading):
            raise InputTypeError(
                expected="options or single keywords, not both", got=f"options and {', '.join(keywords)}"
            )
        check_options(keywords)
        given = read_and_compare_options(keywords)
        self.reading, self.options = reading or given[0], options or given[1]
        self.metrics = checked_metrics(metrics_with_schema(metrics, self.options.schema), self.options)
        self.with_fields = fields
        self.reset()

    def __repr__(self) -> str:
        return f"<ScoreState {', '.join(self.metrics)}, {self.rows:,} rows>"

    def reset(self) -> None:
        """Remove all rows."""
        self.rows = 0
        self.counts: dict[str, int] = {}
        self.sums: dict[str, tuple[int, int]] = {}  # numerator and denominator of each figure, in units
        self.fields: dict[str, Field] = {}
        self.places: dict[str, set[str]] = {}  # places in the ground truths, by the text of the schema
        self.ids: dict[int, int] = {}  # the hash of the values of each row with an id, by the hash of the id
        self.parts: set[int] = set()  # random numbers that identify the states merged into this one
        self.last: Evaluation | None = None  # the rows of the last update

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "last": None}

    def empty(self) -> ScoreState:
        """Return a new state with the same options and no rows."""
        return ScoreState(metrics=self.metrics, fields=self.with_fields, options=self.options, reading=self.reading)

    def update(self, predictions: Any, references: Any) -> None:
        """Score more rows, if any, in one of the three formats; rows with ids are paired within this call.

        Raises:
            TypeError, ValueError: if a row is invalid; the message names the row, and the state does not change.
        """
        given, wanted = table_in_memory(predictions, "predictions"), table_in_memory(references, "references")
        if given.rows or wanted.rows:
            self.update_pairs(pairs_of(given, wanted, self.reading.missing, once=True))

    def update_pairs(self, pairs: TestSet) -> None:
        """Score more pairs; raises the same errors as `update`."""
        if pairs.ids:
            rows = as_scored(pairs, self.reading, is_full=False, as_values=not self._reads)
            self.update_scores(evaluated(rows, self.options, metrics=self.metrics, confidence=None))

    @property
    def _reads(self) -> bool:
        """Return whether an option or a metric requires that values are parsed before they are scored."""
        given = self.reading
        options = given.parse, given.parse_references, given.citations_from, given.with_confidences
        return any(options) or any(METRICS[name].evaluates_regions for name in self.metrics)

    def update_scores(self, scored: Evaluation) -> None:
        """Add the rows of an evaluation with the options and metrics of this state; raises the errors of `merge`."""
        more = self._sums_of(scored)
        more.ids, more.last = _hashes(scored.test_set), scored
        if more.rows and not self.parts:
            more.parts = {secrets.randbits(64)}
        self.merge(more)

    def _sums_of(self, evaluation: Evaluation) -> ScoreState:
        more = self.empty()
        more.rows, more.counts, more.places = len(evaluation), evaluation.counts, evaluation.places
        sums = [sum(map(units, side.tolist())) for side in evaluation.ratios.table.T]
        names = [name for name, _ in evaluation.figure_names]
        more.sums = dict(zip(names, zip(sums[: len(names)], sums[len(names) :], strict=True), strict=True))
        if self.with_fields:
            more.fields = evaluation.field_table.fields
        return more

    def merge(self, *others: ScoreState) -> ScoreState:
        """Add the rows of other states to this state, and return it. A row in several states counts once.

        Raises:
            ValueError: if a state has other options or was merged before, and as for `without`. This state is then
                unchanged.
        """
        new = []
        for number, other in enumerate(others):
            before = (self, *others[:number])
            if self.identity != other.identity:
                raise InputValueError(
                    expected="states with the same rules",
                    got=f"{self.identity} and {other.identity}",
                )
            if any(not other.parts.isdisjoint(each.parts) for each in before):
                raise InputValueError(expected="states of different rows", got="one that was merged before")
            new.append(other.without(ChainMap(*(each.ids for each in before))))
        for other in new:
            self.add_sums(other)
            self.ids.update(other.ids)
            self.parts |= other.parts
            self.last = other.last or self.last
        return self

    def without(self, counted: Mapping[int, int]) -> ScoreState:
        """Return a copy of this state without the rows that other states have counted; these become repeated rows.

        Args:
            counted: `ids` of the other states.

        Raises:
            ValueError: if the values of an id differ from the values that were counted, or if a repeated row is not
                from the last update or was updated in another process.
        """
        again = {name for name in self.ids if name in counted}
        if not again:
            return self
        last = [] if self.last is None else list(zip(self.last.ids, _hashes(self.last.test_set), strict=True))
        numbers = [number for number, (_, name) in enumerate(last) if name in again]
        for question_id, name in (last[number] for number in numbers):
            if self.ids[name] != counted[name]:
                raise InputValueError(
                    place=row_place(question_id),
                    expected="the values with which it was counted before",
                    got="different values",
                )
        if self.last is None or len(numbers) < len(again):
            raise InputValueError(
                problem=f"ids that are counted in several states: {len(again):,}",
                remedy="merge states where they were updated, as docscore.integrations.distributed does",
            )
        new = self.empty()
        new.add_sums(self)
        rows = self.last.test_set.only(numbers)
        skipped = None if self.last.test_set.skipped is None else 0
        rows = replace(rows, skipped=skipped, repeated=None)
        repeated = Evaluation(rows, self.options, metrics=self.metrics, confidence=None)
        new.add_sums(self._sums_of(repeated), sign=-1)
        new.counts["repeated"] = new.counts.get("repeated", 0) + len(again)
        new.ids = {name: content for name, content in self.ids.items() if name not in again}
        new.parts, new.last = self.parts, self.last
        return new

    def add_sums(self, other: ScoreState, sign: int = 1) -> None:
        """Add the sums of other rows, or subtract them."""
        self.rows += sign * other.rows
        for text, paths in other.places.items():
            self.places[text] = self.places.get(text, set()) | paths
        for name, count in other.counts.items():
            self.counts[name] = self.counts.get(name, 0) + sign * count
        for name, (numerator, denominator) in other.sums.items():
            own = self.sums.get(name, (0, 0))
            self.sums[name] = own[0] + sign * numerator, own[1] + sign * denominator
        for path, field in other.fields.items():
            self.fields.setdefault(path, Field(path)).merge(field, sign)
            if not self.fields[path].document_count:
                del self.fields[path]

    def compute(self, *, names: str = "plain", whole: bool = True) -> dict[str, float]:
        """Return the figures of all rows so far as a flat dict of floats, ready for experiment trackers.

        Args:
            names: "plain" for paths such as `anls_star/items[].price`; "safe" for names without brackets and other
                characters that trackers such as MLflow refuse, such as `anls_star/items.price`.
            whole: whether the rows are a full test set. A schema that names none of its fields is then an error.

        Returns:
            Each figure by its name. For each field that a ground truth has, its score by the primary metric, such as
            `anls_star/items[].price`. With `parse`, `parse_failure_rate`; with "repair" also `parse_extracted_rate`,
            `parse_repaired_rate` and `parse_ambiguous_rate`. With missing "zero", `missing_rate`. With "skip",
            `skipped_rate`, the share of all rows that was left out.

        Raises:
            ValueError: if there were no rows, if `names` is invalid, or if no ground truth has a field that the schema
                names.
        """
        check_choice("names", names, ("plain", "safe"))
        if not self.rows:
            raise InputValueError(expected="at least one row", got="none")
        if whole:
            warn_all(warnings_about_schemas(self.places, self.options.schema))
        result = {  # each sum is rounded only once
            name: as_float(numerator) / as_float(denominator) if denominator else 1.0
            for name, (numerator, denominator) in self.sums.items()
        }
        for field in sorted(self.fields.values(), key=lambda field: field.path):
            # Types of entities do not have counts.
            if field.expected or field.divided or not any(field.counts.values()):
                result[f"{self.metrics[0]}/{field.path}"] = field.score
        left_out = self.counts.get("skipped", 0)
        for name, key in RATES.items():
            if name in self.counts:
                result[key] = self.counts[name] / (self.rows + left_out if name == "skipped" else self.rows)
        return result if names == "plain" else dict(zip(safe_names(result).values(), result.values(), strict=True))

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two states must have in common to be merged: metrics, fields and options."""
        return (*self.metrics, self.with_fields, self.options, self.reading)


def _hashes(pairs: TestSet) -> dict[int, int]:
    """Return the hash of the values of each row, by the hash of its id; empty for rows without ids."""
    if pairs.reference_rows is None:
        return {}
    rows = zip(pairs.ids, pairs.truths, pairs.predictions, strict=True)
    return {_hash(name): _hash(f"{store(truth)}{store(prediction)}") for name, truth, prediction in rows}


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")

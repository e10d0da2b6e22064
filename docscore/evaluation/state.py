"""The score of a test set as a small state that can be updated, merged and pickled: for batches and many processes.

Only sums, counts and field tables are kept. Sums are exact (`docscore.evaluation.fields`), so that the result is bit
for bit the same, however the rows were split and in whatever order the parts were merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.formatting import safe_names
from docscore.core.options import ScoringOptions, check_choice, options_from
from docscore.data.pairing import Pairs, pairs_of
from docscore.data.rows import as_rows
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.fields import Field, as_float, total_units
from docscore.metrics.registry import ANLS_STAR, checked_metrics

RATES: dict[str, str] = {  # by the count that is divided by the number of rows
    "parse_failures": "parse_failure_rate",
    "parse_extracted": "parse_extracted_rate",
    "parse_mended": "parse_mended_rate",
    "parse_ambiguous": "parse_ambiguous_rate",
    "missing": "missing_rate",
    "skipped": "skipped_rate",
}


class ScoreState:
    """Sums and counts over the rows seen so far.

    Args:
        metrics: names among `docscore.METRICS`.
        fields: whether to count fields too, for per-field scores and causes of lost points.
        options: how predictions are read and compared.
        keywords: fields of `ScoringOptions`, in place of `options`.

    Raises:
        TypeError, ValueError: for invalid options.

    >>> first, second = ScoreState(), ScoreState()
    >>> first.update([{"total": "1"}], [{"total": "1"}])
    >>> second.update([{"total": "2"}], [{"total": "3"}])
    >>> first.merge(second).compute()
    {'anls_star': 0.5, 'anls_star/total': 0.5}
    """

    def __init__(
        self,
        *,
        metrics: Sequence[str] = (ANLS_STAR,),
        fields: bool = True,
        options: ScoringOptions | None = None,
        **keywords: Any,
    ) -> None:
        self.metrics = checked_metrics(metrics)
        self.with_fields = fields
        self.options = options_from(options, keywords)
        self.reset()

    def __repr__(self) -> str:
        return f"<ScoreState {', '.join(self.metrics)}, {self.rows:,} rows>"

    def reset(self) -> None:
        """Forget all rows."""
        self.rows = 0
        self.counts: dict[str, int] = {}
        self.sums: dict[str, tuple[int, int]] = {}  # numerator and denominator of each figure, in units
        self.fields: dict[str, Field] = {}

    def empty(self) -> ScoreState:
        """A new state with the same options and no rows."""
        return ScoreState(metrics=self.metrics, fields=self.with_fields, options=self.options)

    def update(self, predictions: Any, references: Any) -> None:
        """Score more rows, of any of the three formats; rows with ids are paired within this call. No rows are allowed.

        Raises:
            TypeError, ValueError: naming the row; the state is then unchanged.
        """
        prediction_rows, reference_rows = as_rows(predictions, "predictions"), as_rows(references, "references")
        if prediction_rows or reference_rows:
            self.update_pairs(pairs_of(prediction_rows, reference_rows, self.options.missing))

    def update_pairs(self, pairs: Pairs) -> None:
        """Score more pairs; errors as for `update`."""
        if pairs.ids:
            self.update_scores(Evaluation(pairs, self.options, metrics=self.metrics, confidence=None))

    def update_scores(self, evaluation: Evaluation) -> None:
        """Add the rows of an evaluation with the options and the metrics of this state."""
        more = self.empty()
        more.rows, more.counts = len(evaluation), evaluation.counts
        for column, (name, _) in enumerate(evaluation.figure_names):
            sides = evaluation.ratios.earned[:, column], evaluation.ratios.weight[:, column]
            numerator, denominator = (total_units(side.tolist()) for side in sides)
            more.sums[name] = numerator, denominator
        if self.with_fields:
            more.fields = evaluation.field_table.fields
        self.merge(more)

    def merge(self, *others: ScoreState) -> ScoreState:
        """Add the rows of other states to this one, and return it.

        Raises:
            ValueError: for a state with other options; this one is then unchanged.
        """
        for other in others:
            if self.identity != other.identity:
                got = f"{self.identity} and {other.identity}"
                raise InputValueError(expected="states with the same rules", got=got)
        for other in others:
            self.rows += other.rows
            for name, count in other.counts.items():
                self.counts[name] = self.counts.get(name, 0) + count
            for name, (numerator, denominator) in other.sums.items():
                own = self.sums.get(name, (0, 0))
                self.sums[name] = own[0] + numerator, own[1] + denominator
            for path, field in other.fields.items():
                self.fields.setdefault(path, Field(path)).merge(field)
        return self

    def compute(self, *, names: str = "plain") -> dict[str, float]:
        """Return the figures of all rows so far as a flat dict of floats, ready for experiment trackers.

        Args:
            names: "plain" for paths as they are, `anls_star/items[].price`; "safe" for names without brackets and other
                signs that trackers such as MLflow refuse, `anls_star/items.price`.

        Returns:
            Each figure by its name; for every field that a ground truth has, its score by the first metric,
            `anls_star/items[].price`; with `parse`, `parse_failure_rate`, and with "repair" `parse_extracted_rate`,
            `parse_mended_rate` and `parse_ambiguous_rate`; with
            missing "zero", `missing_rate`, and with "skip" `skipped_rate`, the share of all rows that was left out.

        Raises:
            ValueError: if there were no rows, and for other names.
        """
        check_choice("names", names, ("plain", "safe"))
        if not self.rows:
            raise InputValueError(expected="at least one row", got="none")
        result = {  # each sum is rounded once
            name: as_float(numerator) / as_float(denominator) if denominator else 1.0
            for name, (numerator, denominator) in self.sums.items()
        }
        for field in sorted(self.fields.values(), key=lambda field: field.path):
            if field.expected or not any(field.counts.values()):  # types of entities have no counts
                result[f"{self.metrics[0]}/{field.path}"] = field.score
        left_out = self.counts.get("skipped", 0)
        for name, key in RATES.items():
            if name in self.counts:
                result[key] = self.counts[name] / (self.rows + left_out if name == "skipped" else self.rows)
        if names == "plain":
            return result
        safe = safe_names(result)
        return {safe[name]: value for name, value in result.items()}

    @property
    def identity(self) -> tuple[Any, ...]:
        """What two states must share to be merged: metrics, fields and options."""
        return (*self.metrics, self.with_fields, self.options)

"""Grounding: whether right values are cited from the right region, a page or a box on it.

For values with at most one citation, the definition follows ExtractBench (LlamaIndex 2026). If a value has several
citations, those that are not accepted lower the precision.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import fsum
from statistics import fmean
from typing import Any, ClassVar, NamedTuple

from docscore.core.options import CompareOptions
from docscore.core.values import field_of
from docscore.grounding.nodes import GroundedValue, count_values, grounded_values, regions_of
from docscore.grounding.regions import LEVELS, NO_REGIONS, Level
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import FigureName, Metric, MetricRow
from docscore.metrics.typed.score import schema_of_row

VALUES_BY = ("anls_star", "typed")  # the metrics that can decide which values are right
_SHARES = (
    "right_value_right_region",
    "right_value_other_region",
    "wrong_value_right_region",
    "wrong_value_other_region",
)
_FINEST_FIRST = LEVELS[::-1]


class Counts(NamedTuple):
    """The counts of the cells of a document, or of several, at one level.

    Attributes:
        cells: the values of the ground truth that have evidence.
        cited: the cells whose predicted value has citations.
        precise: the sum over right cells of h, the share of their citations that are accepted.
        right_value_right_region: right values with an accepted citation.
        right_value_other_region: right values without an accepted citation.
        wrong_value_right_region: wrong values with an accepted citation.
        wrong_value_other_region: wrong values without an accepted citation.
        missing: cells without a predicted value.
        not_evaluated: values of the prediction that face no cell.
    """

    cells: int = 0
    cited: int = 0
    precise: float = 0.0
    right_value_right_region: int = 0
    right_value_other_region: int = 0
    wrong_value_right_region: int = 0
    wrong_value_other_region: int = 0
    missing: int = 0
    not_evaluated: int = 0

    @property
    def predicted(self) -> int:
        """The number of cells with a predicted value."""
        return self.cells - self.missing

    @property
    def not_cited(self) -> int:
        """The number of cells whose predicted value has no citation."""
        return self.predicted - self.cited

    @property
    def precision(self) -> float:
        """P = sum of right * h / cited cells, in [0, 1]; 0 if no cell is cited."""
        return self.precise / self.cited if self.cited else 0.0

    @property
    def recall(self) -> float:
        """R = right cells with an accepted citation / cells, in [0, 1]; 0 if there are no cells."""
        return self.right_value_right_region / self.cells if self.cells else 0.0

    @property
    def f1(self) -> float:
        """F1 = 2 P R / (P + R), in [0, 1]; 0 if nothing is right."""
        return _f1(self.precision, self.recall)

    @property
    def value_f1(self) -> float:
        """F1 of P = right cells / cells with a predicted value and R = right cells / cells, in [0, 1]."""
        right = self.right_value_right_region + self.right_value_other_region
        return _f1(right / self.predicted, right / self.cells) if right else 0.0


class GroundingPoints(NamedTuple):
    """The points of a row.

    Attributes:
        levels: the counts of each level.
        fields: the numerator and denominator of each field, at the finest level that the document has.
        invalid: the number of invalid citations.
        left_out: the number of citations of a prediction that is missing or could not be parsed.
    """

    levels: dict[Level, Counts]
    fields: dict[str, tuple[float, float]]
    invalid: int
    left_out: int


class GroundingTotal:
    """The counts over all rows: the `Breakdown` of the metric."""

    def __init__(self, rows: Sequence[GroundingPoints]) -> None:
        self.rows = rows

    def counts(self) -> dict[str, int]:
        """Return the number of invalid citations, and the number of citations that were left out."""
        invalid, left_out = (sum(getattr(row, name) for row in self.rows) for name in ("invalid", "left_out"))
        return {"citations_invalid": invalid, "citations_left_out": left_out}

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return the table "regions"."""
        return {"regions": self.regions()}

    def regions(self) -> list[dict[str, Any]]:
        """Return one row per level that any document has: means over documents, shares of values, and counts."""
        table = []
        for level in LEVELS:
            rows = [row.levels[level] for row in self.rows]
            total, having = Counts(*map(sum, zip(*rows, strict=True))), [row for row in rows if row.cells]
            if having:
                means = {name: fmean(getattr(row, name) for row in having) for name in ("precision", "recall", "f1")}
                shares = {name: getattr(total, name) / total.predicted if total.predicted else None for name in _SHARES}
                names = ("cells", "cited", "not_cited", "missing", "not_evaluated")
                table.append({"level": level, **means, **shares, **{name: getattr(total, name) for name in names}})
        return table


def counts_of(cells: Iterable[GroundedValue], level: Level, values: int = 0) -> Counts:
    """Count cells at one level.

    Args:
        cells: the cells of a document.
        level: page or box.
        values: the number of values in the prediction; each faces at most one cell.
    """
    at_level = [cell for cell in cells if level in cell.levels]
    predicted = [(cell.right, *cell.levels[level]) for cell in at_level if cell.predicted]
    places = [(right, accepted > 0) for right, accepted, _ in predicted]
    return Counts(
        len(at_level),
        sum(cited > 0 for *_, cited in predicted),
        fsum(accepted / cited for right, accepted, cited in predicted if right and cited),
        places.count((True, True)),
        places.count((True, False)),
        places.count((False, True)),
        places.count((False, False)),
        len(at_level) - len(predicted),
        values - sum(cell.values for cell in at_level),
    )


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision and recall else 0.0


def _field_sums(cells: Sequence[GroundedValue], level: Level) -> dict[str, tuple[float, float]]:
    """Return the part of a document's F1 that each field has; numerators add up to F1, denominators to 1.

    Let T be the sum of right * h, and there = right cells with an accepted citation; f marks the sums of a field:

        F1 = 2 T there / (T cells + there cited) = sum of (T there_f + there T_f) / sum of (T cells_f + there cited_f)
    """
    by_field: dict[str, list[GroundedValue]] = defaultdict(list)
    for cell in cells:
        if level in cell.levels:
            by_field[field_of(cell.path)].append(cell)
    total = counts_of(cells, level)
    precise, there = (total.precise, total.right_value_right_region) if total.right_value_right_region else (1.0, 1.0)
    whole = precise * total.cells + there * total.cited
    parts = {name: counts_of(of_field, level) for name, of_field in by_field.items()}
    return {
        name: (
            (precise * part.right_value_right_region + there * part.precise) / whole,
            (precise * part.cells + there * part.cited) / whole,
        )
        for name, part in parts.items()
    }


class Grounding(Metric[GroundingPoints]):
    """Grounding as a metric of a test set: the mean F1 of the documents that have evidence of a level."""

    name = "grounding"
    label = "Grounding"
    figures: ClassVar[tuple[FigureName, ...]] = (
        FigureName("grounding_box_f1", "Grounding box F1"),
        FigureName("grounding_page_f1", "Grounding page F1"),
        FigureName("grounding_value_f1", "Grounding value F1"),
    )
    options = frozenset({"threshold", "ignore_case", "rules", "numbers", "schema", "iou"})
    field_source = "entities"
    evaluates_regions = True

    @property
    def fields_note(self) -> str:
        return f"{self.label} evaluates the regions of values: lost points have no causes."

    def row_points(self, row: MetricRow, options: CompareOptions) -> GroundingPoints:
        tree = self.score_tree(row, options)
        cells = grounded_values(tree)
        values = sum(count_values(leaf.prediction) for leaf in tree.leaves())
        levels = {level: counts_of(cells, level, values) for level in LEVELS}
        finest = next((level for level in _FINEST_FIRST if levels[level].cells), None)
        _, _, invalid, left_out = regions_of(row.annotator) or NO_REGIONS
        return GroundingPoints(levels, _field_sums(cells, finest) if finest else {}, invalid, left_out)

    def score_tree(self, row: MetricRow, options: CompareOptions) -> ScoreTree:
        """Return the tree of the metric that decides which values are right; its leaves have `region`."""
        schema = schema_of_row(options.schema, row.question_id) if row.values_by != VALUES_BY[0] else None
        return build_tree(row.ground_truth, row.prediction, options, schema, row.cause, row.annotator)

    def figure_sums(self, points: GroundingPoints) -> Sequence[tuple[float, float]]:
        """Return F1 and 1 for each level that the evidence has, and for values if there is any evidence."""
        counts = [points.levels[level] for level in _FINEST_FIRST]
        finest = next((each for each in counts if each.cells), Counts())
        figures = [*((each.f1, each.cells) for each in counts), (finest.value_f1, finest.cells)]
        return [(f1, 1.0) if cells else (0.0, 0.0) for f1, cells in figures]

    def field_sums(self, points: GroundingPoints) -> dict[str, tuple[float, float]]:
        return points.fields

    def breakdown(self, points: Sequence[GroundingPoints]) -> GroundingTotal:
        """Return the counts over all rows."""
        return GroundingTotal(points)

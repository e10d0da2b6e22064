"""The metrics ANLS*, ANLS and ANLSL, whose points are the ANLS* scores of rows."""

from dataclasses import replace
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.numbers import ROUNDING
from docscore.core.options import CompareOptions
from docscore.core.values import Value
from docscore.metrics.anls_star.api import FieldCounts
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import FigureName, MeanOfRows, MetricRow


class AnlsStar(MeanOfRows):
    """ANLS* of JSON values (Peer et al. 2024, arXiv 2402.03848)."""

    name = "anls_star"
    label = "ANLS*"
    figures = (FigureName("anls_star", "ANLS*"),)
    options = frozenset({"threshold", "ignore_case", "rules", "numbers"})

    field_source = "tree"

    def row_points(self, row: MetricRow, options: CompareOptions) -> float:  # noqa: ARG002
        return row.anls_star

    def count_fields(self, counts: FieldCounts, row: MetricRow, options: CompareOptions) -> None:
        counts.of_pair(row.ground_truth, row.prediction, options, cause=row.cause, annotator=row.annotator)


class Anls(AnlsStar):
    """ANLS of texts with one or more acceptable answers (Biten et al. 2019, arXiv 1905.13648)."""

    name = "anls"
    label = "ANLS"
    figures = (FigureName("anls", "ANLS"),)
    options = AnlsStar.options | {"strict"}

    def row_points(self, row: MetricRow, options: CompareOptions) -> float:
        """Return the ANLS* score; with `strict`, 0 if it equals the threshold.

        The equation of the paper is strict; the official script of the competition is not.
        """
        check_answer(row.ground_truth, row.prediction, lists=False)
        if options.strict and abs(row.anls_star - options.threshold) <= ROUNDING:
            return 0.0
        return row.anls_star

    def count_fields(self, counts: FieldCounts, row: MetricRow, options: CompareOptions) -> None:
        """Count the single field; with `strict`, it earns nothing if its score equals the threshold."""
        super().count_fields(counts, row, options)
        if counts.earned and not self.row_points(row, options):
            cause = self.score_tree(row, options).cause
            counts.leaves = [counts.leaves[0]._replace(outcome="wrong", earned=0.0, cause=cause)]
            counts.earned = 0.0

    def score_tree(self, row: MetricRow, options: CompareOptions) -> ScoreTree:
        """Return the tree of ANLS*, a leaf; with `strict`, it is wrong if its score equals the threshold."""
        tree = super().score_tree(row, options)
        points = self.row_points(row, options)
        return tree if points or not tree.earned else replace(tree, earned=0.0, status="wrong")


class Anlsl(AnlsStar):
    """ANLSL of lists of texts (Tito et al. 2021, arXiv 2104.14336)."""

    name = "anlsl"
    label = "ANLSL"
    figures = (FigureName("anlsl", "ANLSL"),)

    def check_options(self, options: CompareOptions) -> None:
        if options.strict:
            raise InputValueError(
                place="anlsl",
                expected="strict=False",
                got="True",
                problem="the threshold applies inside the matching; expected strict=False, got True",
            )

    def row_points(self, row: MetricRow, options: CompareOptions) -> float:  # noqa: ARG002
        check_answer(row.ground_truth, row.prediction, lists=True)
        return row.anls_star


def check_answer(truth: Value, prediction: Value, *, lists: bool) -> None:
    """Raise `ValueError` for a pair that ANLS, or for lists ANLSL, cannot score."""
    wanted = "lists of texts" if lists else "texts"

    def is_accepted(value: Any) -> bool:
        if lists:
            return isinstance(value, list) and not any(isinstance(item, list | dict) for item in value)
        return not isinstance(value, list | dict | tuple)

    for option in truth if isinstance(truth, tuple) else (truth,):
        if not is_accepted(option):
            raise InputValueError(expected=f"acceptable answers that are {wanted}", got=type(option).__name__)
    if prediction is not None and not is_accepted(prediction):
        raise InputValueError(expected=f"predictions that are {wanted}", got=type(prediction).__name__)

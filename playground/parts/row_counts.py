"""Count the rows of an evaluation by ANLS* in one pass and two processes, skipping rows that are already counted."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from docscore.core.errors import at_place, row_place
from docscore.core.options import CompareOptions
from docscore.core.runtime import ignore
from docscore.core.values import Scalar, differs_by_value
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.fields import FieldTable
from docscore.evaluation.registry import ANLS_STAR, TYPED
from docscore.metrics.anls_star.api import FieldCounts, Leaf
from docscore.metrics.anls_star.matching import ListRows
from playground.server.pool import beside

# the score, and the arguments of `FieldTable.add_pair`
RowCount = tuple[
    float, list[Leaf], list[tuple[str, ListRows]], float, list[tuple[Scalar, Scalar]], list[tuple[str, bool]]
]
Known = tuple[CompareOptions, list[RowCount]]  # the same rows as they were scored before
_FEWEST = 100  # the fewest rows that justify another process


def count_rows(evaluation: Evaluation, known: Sequence[Known] = (), *, with_fields: bool = True) -> list[Known]:
    """Set the scores and fields of an evaluation, and return the counts of its rows; only ANLS* has such counts.

    Args:
        evaluation: the rows.
        known: the counts of its rows under other options.
        with_fields: whether its fields are needed.

    Raises:
        TypeError, ValueError: naming the row.
    """
    if evaluation.metric != ANLS_STAR or TYPED in evaluation.metrics:  # which counts empty places by a schema
        return []
    options, counts = nearest(evaluation.options, known) or (None, [])
    sides = zip(evaluation.test_set.truths, evaluation.test_set.predictions, strict=True)
    is_same = options == evaluation.options
    missing = [] if is_same else [n for n, pair in enumerate(sides) if options is None or differs_by_value(pair)]
    half = len(missing) // 2 if len(missing) >= _FEWEST else len(missing)
    explained = evaluation.progress("Explaining", half or 1)
    others = beside(partial(_counted, evaluation, missing[half:])) if missing[half:] else list[RowCount]
    found = dict(zip(missing, _counted(evaluation, missing[:half], explained) + others(), strict=True))
    whole = [found.get(number) or counts[number] for number in range(len(evaluation))]
    evaluation.anls_star = [score for score, *_ in whole]
    if with_fields:
        evaluation.field_table = FieldTable()
        for number, (_, leaves, lists, weight, unequal, blanks) in enumerate(whole):
            evaluation.field_table.add_pair(number, leaves, lists, weight, unequal, blanks)
    return [(evaluation.options, whole)]


def nearest(options: CompareOptions, known: Sequence[Known]) -> Known | None:
    """Return the known counts under options that differ at most in how numbers are compared.

    Rows in which every number is printed as its value have the same counts under both.
    """
    alike = [each for each in known if replace(each[0], numbers=options.numbers) == options]
    return min(alike, key=lambda each: each[0] != options, default=None)


def _counted(
    evaluation: Evaluation, numbers: Sequence[int], counted: Callable[[int], object] = ignore
) -> list[RowCount]:
    rows, counts, found = evaluation, FieldCounts(), []
    for number in numbers:
        try:
            rows.scorer.count_fields(counts, rows.row(number).for_metrics, rows.options)
        except (TypeError, ValueError) as error:
            raise at_place(row_place(evaluation.ids[number]), error) from None
        score = counts.earned / counts.weight if counts.weight else 1.0
        found.append((score, counts.leaves, counts.lists, counts.weight, counts.unequal, counts.blanks))
        counted(1)
    return found

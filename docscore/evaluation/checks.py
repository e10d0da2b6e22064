"""Warnings about the rows of a test set that need its scores or its schemas."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docscore.core.errors import DataWarning, Diagnostic, Remedy, some_of
from docscore.core.formatting import printable
from docscore.core.schema_source import SchemaSource
from docscore.inputs.content import BESIDE
from docscore.inputs.test_set import TestSet
from docscore.metrics.typed.schema_warnings import check_compared, warnings_about_date_orders, warnings_about_schemas

MOST_SCORED = 1_000  # rows by which the cost of keys is measured
_LEAST_COST = 0.001  # of keys that are warned of


def warnings_about_keys(keys: Sequence[str], before: float, after: float, rows: int) -> Iterator[DataWarning]:
    """Yield a warning about keys that only the predictions have, if they cost points.

    Args:
        keys: the keys.
        before: the score of the first `MOST_SCORED` rows.
        after: their score without the keys.
        rows: the number of all rows.
    """
    if after - before < _LEAST_COST:
        return
    options: list[tuple[str, Any]] = [("ignore_keys", printable(",".join(keys)))]
    text = "if they are no answers, leave them out with {}"
    if beside := next((key for key in BESIDE if key in keys), ""):
        text += f"; {{}} reads {beside!r} as confidences"
        options.append(("with_confidences", True))
    of_first = "" if rows <= MOST_SCORED else f"of the first {MOST_SCORED:,} rows "
    problem = (
        f"nearly all have keys that no ground truth has, {some_of(keys)}; without them the score {of_first}is "
        f"{after:.3f}, not {before:.3f}"
    )
    diagnostic = Diagnostic(("predictions",), problem=problem, remedy=Remedy(text, tuple(options)))
    yield DataWarning("keys of predictions alone", diagnostic)


def warnings_about_typed(
    test_set: TestSet, places: Mapping[str, set[str]], schema: SchemaSource
) -> Iterator[DataWarning]:
    """Yield warnings about schemas that do not fit the ground truths, and about orders of dates.

    Args:
        test_set: the rows.
        places: the places in the ground truths of each schema.
        schema: the schemas.

    Raises:
        ValueError: for a schema that names none of the fields, and for a comparator of a list or an object.
    """
    check_compared(test_set.truths, schema)
    yield from warnings_about_schemas(places, schema)
    yield from warnings_about_date_orders(zip(test_set.ids, test_set.pairs, strict=True), schema)

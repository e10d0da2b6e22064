"""A test set: the ground truths and predictions of one system, and all that was read with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from docscore.core.errors import DataWarning, RowError
from docscore.core.options import DEFAULT_READING, ReadOptions
from docscore.core.runtime import grouped
from docscore.inputs.model_text import Parsed

_COLUMNS = (
    "ids",
    "truths",
    "predictions",
    "confidences",
    "reference_rows",
    "clusters",
    "costs",
    "evidence",
    "citations",
    "places",
    "full_truths",
    "slices",
    "schema_names",
)  # one cell for each row


@dataclass(frozen=True, repr=False)
class TestSet:
    """Ground truths and predictions, paired in the order of the references.

    The constructor takes values as they are scored. `docscore.read` makes a test set of files, frames and lists.

    Attributes:
        ids: the ids; in the plain format the row numbers as text.
        truths: the ground truths.
        predictions: the predictions, None where one is missing.
        absent: the indices in these lists where a prediction is missing.
        skipped: the number of references left out because they or their predictions had errors, or because they have
            no prediction; None if either is an error.
        confidences: the values under "confidence" in the prediction rows; None if no row has one.
        reference_rows: the whole rows of the references, for their other columns; None if rows have no ids.
        clusters: the name of each row's cluster, where rows of one cluster are not independent; None if all are.
        document_ids: the ids of the documents, if each was predicted in several runs; None if each document is one row.
            The rows are then those of the first run in this order, followed by those of the second, and so on.
        repeated: the number of rows by id that repeat another row with the same values and count once; None if
            repeated rows are errors.
        costs: the cells of the columns `COSTS` in the row of each prediction; None if no row has one.
        evidence: what is given as evidence of each row; None if no row has any.
        citations: what is given as citations of each row; None if no row has any.
        places: the regions of each row, once `docscore.grounding` has interpreted evidence and citations; None before.
        full_truths: the ground truths with what is not scored of them; None if nothing was taken out.
        given: the rows as they were given, for those who read them with other options; None for values.
        readings: how the text of a prediction was read as JSON, by the number of its row; empty if none was.
        repairs: what was changed in ground truths that were repaired, by id; None if no text was read as JSON.
        slices: the slice of each row; None without `by`.
        schema_names: the name of the schema of each row, if a column has it; None if not.
        options: how the rows were read.
        warnings: what looks wrong about the rows.
        row_errors: the errors of rows that were left out.
        is_full: whether these are all rows of a test set, and not a batch or a part of one.
    """

    __test__: ClassVar[bool] = False  # pytest collects no tests in it

    ids: list[str]
    truths: Sequence[Any]
    predictions: Sequence[Any]
    absent: frozenset[int] = frozenset()
    skipped: int | None = None
    confidences: Sequence[Any] | None = None
    reference_rows: Sequence[Mapping[str, Any]] | None = None
    clusters: list[str] | None = None
    document_ids: list[str] | None = None
    repeated: int | None = None
    costs: Sequence[tuple[Any, ...]] | None = None
    evidence: Sequence[Any] | None = None
    citations: Sequence[Any] | None = None
    places: Sequence[Any] | None = None
    full_truths: Sequence[Any] | None = None
    given: "TestSet | None" = None
    readings: Mapping[int, Parsed] = field(default_factory=dict)
    repairs: Mapping[str, str] | None = None
    slices: list[str] | None = None
    schema_names: list[str] | None = None
    options: ReadOptions = DEFAULT_READING
    warnings: Sequence[DataWarning] = ()
    row_errors: Sequence[RowError] = ()
    is_full: bool = True

    @property
    def runs(self) -> int:
        """Return how many times each document was predicted."""
        return len(self.ids) // len(self.document_ids) if self.document_ids else 1

    def __repr__(self) -> str:
        absent = f", {len(self.absent):,} without a prediction" if self.absent else ""
        return f"<TestSet {len(self.ids):,} rows{absent}>"

    @property
    def rows_by_slice(self) -> dict[str, list[int]]:
        """Return the numbers of the rows of each slice; none without slices."""
        return grouped((name, number) for number, name in enumerate(self.slices or ()))

    @property
    def schema_of_row(self) -> dict[str, str]:
        """Return the name of the schema of each row in a folder of schemas, by its id: that of a column, or its id."""
        return dict(zip(self.ids, self.schema_names or (self.document_ids or self.ids) * self.runs, strict=True))

    def only(self, numbers: Sequence[int]) -> "TestSet":
        """Select the rows with these numbers, in this order; the others count as skipped."""
        columns: dict[str, Any] = {
            name: [cells[number] for number in numbers]
            for name in _COLUMNS
            if (cells := getattr(self, name)) is not None
        }
        return replace(
            self,
            **columns,
            absent=frozenset(index for index, number in enumerate(numbers) if number in self.absent),
            readings={i: self.readings[number] for i, number in enumerate(numbers) if number in self.readings},
            skipped=(self.skipped or 0) + len(self.ids) - len(numbers),
            document_ids=None,
            given=self.given and self.given.only(numbers),
        )

    def each_run(self) -> "list[TestSet]":
        """Return the rows of each run, under the ids of their documents."""
        if self.document_ids is None:
            return [self]
        n = len(self.document_ids)
        parts = [self.only(range(first, first + n)) for first in range(0, len(self.ids), n)]
        return [replace(part, ids=self.document_ids, skipped=self.skipped) for part in parts]

    def with_predictions(self) -> "TestSet":
        """Select the rows that have a prediction; the others count as skipped."""
        return self.only([number for number in range(len(self.ids)) if number not in self.absent])

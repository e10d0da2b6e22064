"""A test set: the ground truths and predictions of one system, and everything that was read with them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from docscore.core.errors import NAMED, DataWarning, InputValueError, RowError, needs, short_repr
from docscore.core.options import DEFAULT_READING, SKIP, ReadOptions
from docscore.core.runtime import grouped, numbered
from docscore.inputs.model_text import COUNTED_OUTCOMES, PARSE_COUNTS, Parsed

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

    The constructor expects values ready to be scored. `docscore.read` creates a test set from files, frames and lists.

    Attributes:
        ids: the ids; in the plain format the row numbers as text.
        truths: the ground truths.
        predictions: the predictions; None for a missing one.
        absent: the indices in these lists at which a prediction is missing.
        skipped: the number of references left out because they or their predictions had errors, or because they have
            no prediction; None if either is an error.
        confidences: the confidences in the structure of the predictions, from 0 to 1; before they are read, the cells
            of their column. None if no row has one.
        reference_rows: the complete rows of the references, for their other columns; None if rows have no ids.
        clusters: the name of each row's cluster; rows of one cluster are not independent. None if all rows are.
        document_ids: the ids of the documents, if each was predicted in several runs; None if each document is one row.
            The rows of the first run come first, in this order, followed by the rows of the second run, and so on.
        repeated: the number of rows by id that repeat another row with the same values and count once; None if
            repeated rows are errors.
        costs: the cells of the columns `COSTS` in the row of each prediction; None if no row has one.
        evidence: the uninterpreted evidence of each row; None if no row has any.
        citations: the uninterpreted citations of each row; None if no row has any.
        places: the regions of each row, once `docscore.grounding` has interpreted evidence and citations; None before.
        full_truths: the ground truths including unscored content; None if nothing was removed.
        given: the rows before any change, so that they can be read again with other options; None for values.
        readings: how the text of a prediction was read as JSON, by row number; empty if none was.
        repairs: the changes in repaired ground truths, by id; None if no text was read as JSON.
        slices: the slice of each row; None without `by`.
        schema_names: the name of the schema of each row, if a column has it; otherwise None.
        options: how the rows were read.
        warnings: warnings about the rows.
        row_errors: the errors of rows that were left out.
        is_full: whether these are all rows of a test set, and not a batch or a part of one.
        slice: the value of `by` that all rows have, if they are one slice of a test set.
        confidence_form: where confidences were found, such as "{value, confidence}, in percent"; "" if nowhere.
    """

    __test__: ClassVar[bool] = False  # pytest must not collect it as a test class

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
    slice: str | None = None
    confidence_form: str = ""

    @property
    def runs(self) -> int:
        """Return the number of predictions per document."""
        return len(self.ids) // len(self.document_ids) if self.document_ids else 1

    def __repr__(self) -> str:
        absent = f", {len(self.absent):,} without a prediction" if self.absent else ""
        return f"<TestSet {len(self.ids):,} rows{absent}>"

    @property
    def rows_by_slice(self) -> dict[str, list[int]]:
        """Return the numbers of the rows of each slice; empty without slices, or if one slice was selected."""
        names = (self.slices or ()) if self.slice is None else ()
        return grouped((name, number) for number, name in enumerate(names))

    @property
    def cluster_numbers(self) -> npt.NDArray[np.intp] | None:
        """Return the number of each row's cluster, shape (n,); None if all rows are independent."""
        if self.clusters is None:
            return None
        numbers = numbered(self.clusters)
        return np.array([numbers[name] for name in self.clusters], dtype=np.intp)

    @property
    def absent_as_null(self) -> frozenset[int] | None:
        """Return the numbers of the rows whose missing predictions are scored as null; None if they are not."""
        return self.absent if self.options.missing == "zero" else None

    @property
    def failed(self) -> frozenset[int] | None:
        """Return the numbers of the rows whose text could not be parsed and is scored as text; None without `parse`."""
        if self.options.parse_mode is None:
            return None
        return frozenset(number for number, parsed in self.readings.items() if parsed.failed)

    @property
    def counts(self) -> dict[str, int]:
        """Return the numbers of skipped, missing and repeated rows and of parse outcomes that the options ask for."""
        missing = None if self.absent_as_null is None else len(self.absent)
        counts = {"skipped": self.skipped, "missing": missing, "repeated": self.repeated}
        read = {PARSE_COUNTS[outcome]: len(ids) for outcome, ids in self.parsed_ids().items()}
        return {name: count for name, count in counts.items() if count is not None} | read

    def parsed_ids(self) -> dict[str, list[str]]:
        """Return the ids of the texts that are "failed", and with "repair" "extracted", "repaired" and "ambiguous"."""
        return {
            outcome: [self.ids[number] for number, parsed in self.readings.items() if parsed.outcome == outcome]
            for outcome in COUNTED_OUTCOMES[self.options.parse_mode]
        }

    @property
    def why_left_out(self) -> str:
        """Return why the rows that `counts` calls skipped were left out, as the text after "left out:"."""
        return "no prediction, or invalid" if self.options.missing == SKIP else "invalid"

    @property
    def schema_of_row(self) -> dict[str, str]:
        """Return the name of each row's schema in a folder of schemas, by row id: the name in a column, or the id."""
        return dict(zip(self.ids, self.schema_names or (self.document_ids or self.ids) * self.runs, strict=True))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Return the number of each row by its id."""
        return {name: number for number, name in enumerate(self.ids)}

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """Return the ground truth and the prediction of each row."""
        return list(zip(self.truths, self.predictions, strict=True))

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

    def part(self, numbers: Sequence[int]) -> "TestSet":
        """Select rows as a part of a test set, which skips checks that need all rows."""
        return replace(self.only(numbers), is_full=False)

    def of_slice(self, value: str) -> "TestSet":
        """Select the rows of one slice.

        Raises:
            ValueError: for a value that no row has, and if the rows have no slices.
        """
        if self.slices is None:
            raise needs(option="slice", other="by")
        numbers, documents = self.rows_by_slice.get(value, []), self.document_ids
        if not numbers:
            examples = ", ".join(map(short_repr, list(self.rows_by_slice)[:NAMED]))
            raise InputValueError(place="slice", expected=f"a value such as {examples}", got=short_repr(value))
        if documents is not None:  # the rows of a document have the same value in all runs
            documents = [documents[number] for number in numbers if number < len(documents)]
        given: dict[str, Any] = {"skipped": self.skipped, "document_ids": documents, "slice": value}
        return replace(self.only(numbers), **given, is_full=False, warnings=(), row_errors=())

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

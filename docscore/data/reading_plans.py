"""How rows with any columns are read, and the same rows under the names of the row format."""

from __future__ import annotations

from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, in_file
from docscore.data.faults import FAULTY
from docscore.data.files import Table
from docscore.data.rows import ANLS, BY_ID, ID, described
from docscore.data.sources import ColumnNames, SourceSide, with_names

REFERENCES, PREDICTION = "references", "prediction"  # as `BY_ID` has them


class ReadingPlan(NamedTuple):
    """How the rows of two files are read, or of one that holds both sides.

    Attributes:
        ids: the columns of the ids, of the references and of the predictions; None where rows are numbered.
        references: the column of the ground truths; None where a ground truth is the whole row without its id.
        prediction: the column of the predictions; None where a prediction is the whole row without its id.
        parse: how predictions that are text are read as JSON, as in `ScoringOptions`.
        parse_references: the same for ground truths.
        certain: whether the rows have the names of a row format, or nothing speaks against their being documents.
    """

    ids: tuple[str | None, str | None]
    references: str | None
    prediction: str | None
    parse: str | None = None
    parse_references: str | None = None
    certain: bool = False

    def names_of(self, side: SourceSide) -> ColumnNames:
        """The columns of a side whose names are not those of the row format; None for those that have them."""
        as_space = self.ids == (ID, ID) and (self.references, self.prediction) == (ANLS.references, ANLS.prediction)
        own = ANLS if as_space else BY_ID
        id_column = self.ids[side == "predictions"]
        return ColumnNames(
            None if id_column == ID else id_column,
            None if self.prediction == own.prediction else self.prediction,
            None if self.references == own.references else self.references,
            self.parse_references is not None,
        )


def planned_tables(references: Table | None, predictions: Table, plan: ReadingPlan) -> tuple[Table | None, Table]:
    """The rows of both sides under the names of the row format; their other columns stay.

    Args:
        references: the rows of ground truths; None where the rows of predictions hold both.
        predictions: the rows of predictions.
        plan: which columns hold what.

    Raises:
        ValueError: for a column that does not exist, and for one file without columns for the two sides.
    """
    if references is None:
        for name, what in ((plan.references, "ground truths"), (plan.prediction, "predictions")):
            if name is None:
                expected = f"a column of {what}, as no other file was given"
                raise InputValueError(place=in_file(predictions.path), expected=expected, got="none")
        return None, _planned(predictions, "predictions", plan, both=True)
    is_empty = references.first() is None or predictions.first() is None
    if is_empty or (plan.certain and plan.ids == (None, None)):
        return references, predictions
    if None in plan.ids and plan.ids != (None, None):
        lacking, other = (references, predictions) if plan.ids[0] is None else (predictions, references)
        expected = f"a column of ids, as {other.path.name} has one"
        raise InputValueError(place=in_file(lacking.path), expected=expected, got=_described_first(lacking))
    return (
        _planned(references, "references", plan, both=False),
        _planned(predictions, "predictions", plan, both=False),
    )


def _described_first(table: Table) -> str:
    """The first row in a few words."""
    return next((described(row) for _, row in table.good()), "no rows")


def _planned(table: Table, side: SourceSide, plan: ReadingPlan, *, both: bool) -> Table:
    id_column = plan.ids[side == "predictions"]
    value = plan.references if side == "references" else plan.prediction
    if id_column is None or value is None:
        rows = [
            row if row is FAULTY else _completed(row, str(index), side, id_column, whole=value is None)
            for index, row in enumerate(table.rows)
        ]
        table = table._replace(rows=rows)
    return with_names(table, side, plan.names_of(side), both=both)


def _completed(row: Any, number: str, side: SourceSide, id_column: str | None, *, whole: bool) -> Any:
    """The row with its number as id where no column holds ids, and as a value of its own where no column holds it."""
    columns: dict[str, Any] = row if isinstance(row, dict) else {}
    found = {**columns} if columns or not whole else {}
    if id_column is None:
        found[ID] = number
    if whole:
        value = {name: cell for name, cell in columns.items() if name != id_column} if columns else row
        found[REFERENCES if side == "references" else PREDICTION] = [value] if side == "references" else value
    return found if columns or whole else row

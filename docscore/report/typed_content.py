"""What the table of a typed score holds: how fields were compared."""

from __future__ import annotations

from docscore.core.formatting import three_digits
from docscore.metrics.typed.score import AS_TEXT, TypedField, TypedFields
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import shown_name


def typed_fields_table(typed: TypedFields) -> ReportTable:
    """The fields that were not compared as text for the typed score, those that lost most points first."""
    columns = (
        TableColumn("field", "field", "code"),
        TableColumn("typed_score", "typed score", terminal="score"),
        TableColumn("compared", "compared as", "text"),
        TableColumn("values", "values"),
        TableColumn("unreadable_ground_truths", "not read, expected", terminal="unread"),
        TableColumn("unreadable_predictions", "not read, predicted", terminal="unread pred."),
    )

    def row(field: TypedField) -> tuple[TableCell, ...]:
        counts = field.values, field.unreadable_ground_truths, field.unreadable_predictions
        return (
            TableCell(field.path, shown_name(field.path)),
            TableCell(field.score, three_digits(field.score)),
            TableCell(field.compared_as, field.compared_as),
            *(TableCell(count, f"{count:,}") for count in counts),
        )

    fields = sorted(_not_as_text(typed), key=lambda field: field.earned - field.weight)
    caption = "Typed score: fields that were not compared as text"
    return ReportTable(caption, columns, tuple(map(row, fields)), unit="fields")


def typed_values_text(typed: TypedFields | None) -> str:
    """What a schema did with the values of a test set, in a sentence."""
    own = [] if typed is None else _not_as_text(typed)
    if typed is None or not own:
        return "All values are compared as text: the schema says nothing else of the fields of these documents."
    truths, predictions = typed.counts().values()
    if not truths and not predictions:
        values, every = (sum(field.values for field in fields) for fields in (own, typed.fields.values()))
        return f"The schema says how {values:,} of {every:,} values are compared."
    worst = max(own, key=lambda field: field.unreadable_ground_truths + field.unreadable_predictions)
    return (
        f"{truths:,} of the ground truths and {predictions:,} of the predictions could not be read so, most of them at "
        f"{shown_name(worst.path)}: x-docscore in a schema says what separates decimals and groups of digits."
    )


def _not_as_text(typed: TypedFields) -> list[TypedField]:
    """The fields that a schema compares otherwise than as text."""
    return [field for field in typed.fields.values() if field.compared != [AS_TEXT]]

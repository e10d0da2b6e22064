"""What the table of a typed score holds: how fields were compared."""

from __future__ import annotations

from docscore.core.formatting import three_digits
from docscore.metrics.typed.typed_score import AS_TEXT, TypedField, TypedFields
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

    typed_fields = (field for field in typed.fields.values() if field.compared != [AS_TEXT])
    fields = sorted(typed_fields, key=lambda field: field.earned - field.weight)
    caption = "Typed score: fields that were not compared as text"
    return ReportTable(caption, columns, tuple(map(row, fields)), unit="fields")

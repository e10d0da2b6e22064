"""Fields and documents in rows, systems in columns: scores, and how they differ from those of one system, the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from docscore.core.formatting import three_digits, with_minus_signs, with_sign
from docscore.core.tolerance import ROUNDING
from docscore.corpus.evaluation import Evaluation
from docscore.corpus.systems import SystemChange, document_scores_by_system, field_scores_by_system
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import level_of_tests, percent_text, shown_name

CHANCE_MARK = "†"  # of a difference beyond chance
_NONE = "–"
_SHADES = (0.0, 0.02, 0.05, 0.15)  # differences from which a cell has the next shade


class MatrixCell(NamedTuple):
    """The score of a system in a field or document.

    Attributes:
        score: the score, in [0, 1]; None where there is none.
        text: the score as text.
        difference: the score minus that of the base; None for the base, and where there is none.
        change: the difference as text with its sign; "" for none.
        shade: from -4 for a large loss against the base to 4 for a large gain; 0 for no difference.
        marked: whether the difference is beyond chance.
    """

    score: float | None
    text: str
    difference: float | None
    change: str
    shade: int
    marked: bool = False


class MatrixRow(NamedTuple):
    """A field or document with a cell for each system.

    Attributes:
        name: the path of the field, or the id of the document.
        cells: one for each system.
    """

    name: str
    cells: tuple[MatrixCell, ...]

    @property
    def worst(self) -> float:
        """The largest loss of a system against the base, as a negative number; the smallest gain if none lost."""
        return min((cell.difference for cell in self.cells if cell.difference is not None), default=0.0)

    @property
    def changed(self) -> bool:
        """Whether any system differs from the base."""
        return any(cell.shade or cell.text == _NONE for cell in self.cells)


def field_matrix(evaluations: Mapping[str, Evaluation], changes: Sequence[SystemChange]) -> list[MatrixRow]:
    """The fields, largest loss against the base first; marked where the q-value of the field is below the level.

    Args:
        evaluations: of each system by its name.
        changes: how all but one of them differ from that one, the base.
    """
    marked = {
        (change.system, field.path)
        for change in changes
        for field in change.comparison.fields
        if field.q_value is not None and field.q_value < level_of_tests(change.comparison.confidence)
    }
    base = _base(evaluations, changes)
    rows = [_row(path, scores, base) for path, scores in field_scores_by_system(evaluations).items()]
    names = list(evaluations)
    return sorted(
        (
            row._replace(
                cells=tuple(
                    cell._replace(marked=(name, row.name) in marked)
                    for name, cell in zip(names, row.cells, strict=True)
                )
            )
            for row in rows
        ),
        key=lambda row: row.worst,
    )


def document_matrix(evaluations: Mapping[str, Evaluation], changes: Sequence[SystemChange]) -> list[MatrixRow]:
    """The documents, largest loss against the base first; arguments as for `field_matrix`."""
    base = _base(evaluations, changes)
    rows = [_row(name, scores, base) for name, scores in document_scores_by_system(evaluations).items()]
    return sorted(rows, key=lambda row: row.worst)


def matrix_table(
    caption: str,
    name: str,
    rows: Sequence[MatrixRow],
    evaluations: Mapping[str, Evaluation],
    *,
    remarks: Sequence[str] = (),
) -> ReportTable:
    """The rows as a table with a column for each system, the best score of each row marked.

    Args:
        caption: the heading of the table.
        name: what a row is, such as "field".
        rows: the fields or documents.
        evaluations: of each system by its name, in the order of the cells.
        remarks: sentences below the table.
    """
    columns = TableColumn(name, name, "code"), *(TableColumn(each, shown_name(each)) for each in evaluations)
    cells = tuple((TableCell(row.name, shown_name(row.name)), *_table_cells(row)) for row in rows)
    signatures = tuple(sorted({str(each.scores.signature) for each in evaluations.values()}))
    return ReportTable(caption, columns, cells, unit=f"{name}s", signatures=signatures, remarks=tuple(remarks))


def mark_remark(base: str, changes: Sequence[SystemChange]) -> str:
    """What the mark of fields means, as a sentence."""
    level = percent_text(level_of_tests(changes[0].comparison.confidence))
    return (
        f"{CHANCE_MARK} differs from {shown_name(base)} beyond chance: paired permutation test, false discoveries "
        f"among the fields of a system held at {level}."
    )


def _table_cells(row: MatrixRow) -> list[TableCell]:
    top = max((cell.score for cell in row.cells if cell.score is not None), default=0.0)
    return [
        TableCell(
            cell.score,
            cell.text,
            best=cell.score is not None and cell.score >= top - ROUNDING,
            suffix=CHANCE_MARK if cell.marked else "",
        )
        for cell in row.cells
    ]


def _base(evaluations: Mapping[str, Evaluation], changes: Sequence[SystemChange]) -> int:
    """The number of the base among the systems."""
    others = {change.system for change in changes}
    return next(number for number, name in enumerate(evaluations) if name not in others)


def _row(name: str, scores: Sequence[float | None], base: int) -> MatrixRow:
    return MatrixRow(
        name, tuple(_cell(score, None if number == base else scores[base]) for number, score in enumerate(scores))
    )


def _cell(score: float | None, base: float | None) -> MatrixCell:
    if score is None:
        return MatrixCell(None, _NONE, None, "", 0)
    if base is None:
        return MatrixCell(score, three_digits(score), None, "", 0)
    difference = score - base
    if abs(difference) <= ROUNDING:
        return MatrixCell(score, three_digits(score), 0.0, "", 0)
    shade = sum(abs(difference) > least for least in _SHADES)
    change = with_minus_signs(with_sign(difference, 3))
    return MatrixCell(score, three_digits(score), difference, change, shade if difference > 0 else -shade)

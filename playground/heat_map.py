"""Fields and documents by system, against one of them: what the tab for several systems draws and offers as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from docscore.core.formatting import three_digits, with_minus_signs, with_sign
from docscore.core.numbers import ROUNDING
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.evaluation import Evaluation
from docscore.report.systems_tables import CHANCE_MARK
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import is_beyond_chance, level_of_tests, percent_text, shown_name

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


def field_matrix(evaluations: Mapping[str, Evaluation], changes: Mapping[str, Comparison]) -> list[MatrixRow]:
    """The fields, largest loss against the base first; marked where the q-value of the field is below the level.

    Args:
        evaluations: of each system by its name.
        changes: how all but one of them differ from that one, the base.
    """
    marked = {
        (system, field.name)
        for system, found in changes.items()
        for field in found.field_changes
        if is_beyond_chance(field, found.confidence)
    }
    by_path = [each.field_table.fields for each in evaluations.values()]
    scores = {
        path: [fields[path].score if path in fields and fields[path].weight else None for fields in by_path]
        for path in dict.fromkeys(path for fields in by_path for path in fields)
    }
    return _matrix(scores, evaluations, changes, marked)


def document_matrix(evaluations: Mapping[str, Evaluation], changes: Mapping[str, Comparison]) -> list[MatrixRow]:
    """The documents, largest loss against the base first; arguments as for `field_matrix`."""
    by_id = [dict(zip(each.ids, each.scores, strict=True)) for each in evaluations.values()]
    return _matrix({name: [scores[name] for scores in by_id] for name in by_id[0]}, evaluations, changes, set())


def _matrix(
    scores: Mapping[str, Sequence[float | None]],
    evaluations: Mapping[str, Evaluation],
    changes: Mapping[str, Comparison],
    marked: set[tuple[str, str]],
) -> list[MatrixRow]:
    """A row for each name, with the scores of all systems; marked are pairs of a system and a name."""
    base = next(index for index, system in enumerate(evaluations) if system not in changes)
    rows = [
        MatrixRow(
            name,
            tuple(
                _cell(score, None if index == base else of_systems[base], marked=(system, name) in marked)
                for index, (system, score) in enumerate(zip(evaluations, of_systems, strict=True))
            ),
        )
        for name, of_systems in scores.items()
    ]
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
    signatures = tuple(sorted({each.signature for each in evaluations.values()}))
    return ReportTable(caption, columns, cells, unit=f"{name}s", signatures=signatures, remarks=tuple(remarks))


def mark_remark(base: str, changes: Mapping[str, Comparison]) -> str:
    """What the mark of fields means, as a sentence."""
    level = percent_text(level_of_tests(next(iter(changes.values())).confidence))
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


def _cell(score: float | None, base: float | None, *, marked: bool) -> MatrixCell:
    if score is None or base is None:
        return MatrixCell(score, _NONE if score is None else three_digits(score), None, "", 0, marked)
    difference = score - base if abs(score - base) > ROUNDING else 0.0
    shade = sum(abs(difference) > least for least in _SHADES)
    change = with_minus_signs(with_sign(difference, 3)) if shade else ""
    return MatrixCell(score, three_digits(score), difference, change, shade if difference > 0 else -shade, marked)

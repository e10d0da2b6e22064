"""The tab for several systems: from uploads to a heat map, verdicts, lost documents and trees side by side."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError
from docscore.core.formatting import three_digits, with_minus_signs, with_sign
from docscore.data.csv_files import csv_cell
from docscore.data.files import name_without_extension
from docscore.evaluation.comparison import Comparison
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.systems import changes_against, systems_of
from docscore.metrics.anls_star.causes import CAUSES
from docscore.report.content import field_changes_table
from docscore.report.markup import table_as_latex, table_as_markdown
from docscore.report.systems_tables import systems_table
from docscore.report.table_model import ReportTable, shown_of_total
from docscore.report.wording import count_lines, counted, difference_interval, interval_text, shown_name, verdict_text
from playground.conclusions import cause_label, every_pair, loss_text, ties_of, verdict_of
from playground.file_reading import rows_of_uploads, skipped_lines
from playground.fragments import fragment
from playground.heat_map import MatrixRow, document_matrix, field_matrix, mark_remark, matrix_table
from playground.kept_results import KeptResult, keep_documents, shown_ids
from playground.requests import CompareRequest
from playground.tree_columns import PlaceRun, places_side_by_side
from playground.worker_pool import Report, bar_of

FEWEST_SYSTEMS, MOST_SYSTEMS = 2, 8
MOST_FIELDS, MOST_DOCUMENTS = 100, 1_000  # that are drawn
FEW_DOCUMENTS = 5  # with fewer, a field says little
LOSSES, GAINS = 60, 20  # documents of each system that are drawn
_LONGEST_NAME = 80  # characters of the name of a system
_TEMPLATE = "systems.html.jinja"
FILES = {
    "fields.csv": "Fields as CSV",
    "documents.csv": "Documents as CSV",
    "systems.json": "Everything as JSON",
    "systems.md": "Tables as Markdown",
    "systems.tex": "Tables as LaTeX",
}


class SystemsAnswer(NamedTuple):
    """The result for several systems as HTML, the files of `FILES`, in their order, and all as JSON values."""

    html: str
    downloads: tuple[str, ...]
    result: dict[str, Any]


def names_of_files(files: Sequence[Path]) -> list[str]:
    """The names of systems by their files, made unique and shortened."""
    found: list[str] = []
    for path in files:
        name = shown_name(name_without_extension(path))[:_LONGEST_NAME].strip() or "system"
        number = 2
        unique = name
        while unique in found:
            unique, number = f"{name} ({number})", number + 1
        found.append(unique)
    return found


def checked_names(request: CompareRequest) -> tuple[str, ...]:
    """The names of the systems, where none was given those of their files.

    Raises:
        ValueError: if there are too few or too many files, a name is too long, or two are the same.
    """
    count = len(request.files)
    if not FEWEST_SYSTEMS <= count <= MOST_SYSTEMS:
        expected = f"from {FEWEST_SYSTEMS} to {MOST_SYSTEMS} files of predictions"
        raise InputValueError(expected=expected, got=f"{count}")
    given = [*request.names, *[""] * count][:count]
    names = [name.strip() or default for name, default in zip(given, names_of_files(request.files), strict=True)]
    for number, name in enumerate(names):
        if len(name) > _LONGEST_NAME:
            got = counted(len(name), "character")
            raise InputValueError(place=f"name {number + 1}", expected=f"at most {_LONGEST_NAME} characters", got=got)
        if name in names[:number]:
            raise InputValueError(problem=f"two systems are called {name!r}")
    return tuple(names)


def compare_systems(request: CompareRequest, *, folder: Path, progress: Report) -> SystemsAnswer:
    """Compare several files of predictions with one of them.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place.
    """
    names = checked_names(request)
    options = request.options
    uploaded = rows_of_uploads(request.references, request.files, options, skip=request.skip)
    bar = bar_of(progress)
    evaluations = {
        name: Evaluation(pairs, options, metrics=[request.metric], progress=bar)
        for name, pairs in zip(names, uploaded.systems, strict=True)
    }
    found = _answer(
        evaluations, names[request.base if request.base < len(names) else 0], skipped_lines(uploaded), folder
    )
    first = evaluations[names[0]]
    facts = {"names": names, "ids": {name: number for number, name in enumerate(shown_ids(first.ids))}}
    keep_documents(folder, list(evaluations.values()), facts)
    return found


def _answer(evaluations: dict[str, Evaluation], base: str, left_out: Sequence[str], folder: Path) -> SystemsAnswer:
    names = list(evaluations)
    changes = changes_against(evaluations, base)
    figures = systems_of(evaluations, against=base)
    fields, documents = field_matrix(evaluations, changes), document_matrix(evaluations, changes)
    mark = mark_remark(base, changes) if any(cell.marked for row in fields for cell in row.cells) else ""
    tables = (
        matrix_table("Fields by system", "field", fields, evaluations, remarks=[mark] if mark else ()),
        matrix_table("Documents by system", "document", documents, evaluations),
    )
    summaries = [{"name": name, **_summary(each, changes.get(name))} for name, each in evaluations.items()]
    html = fragment(
        "systems",
        *(folder.name, names, names.index(base), summaries),
        *(fields[:MOST_FIELDS], [mark, shown_of_total(min(len(fields), MOST_FIELDS), len(fields), "fields")]),
        *_drawn_documents(documents, list(evaluations.values())),
        *(evaluations[base].signature, left_out),
        template=_TEMPLATE,
    )
    figures_table = systems_table(figures, intervals=True)
    texts = (
        *map(_as_csv, tables),
        _as_json(base, evaluations, changes, tables),
        *(f"{form(figures_table)}\n\n{form(tables[0])}\n" for form in (table_as_markdown, table_as_latex)),
    )
    files = _written(folder, texts)
    result = {
        "run": folder.name,
        "base": names.index(base),
        **_result(evaluations),
        "left_out": left_out,
        "signature": evaluations[base].signature,
        "downloads": [
            {"label": label, "name": name, "path": path}
            for (name, label), path in zip(FILES.items(), files, strict=True)
        ],
    }
    return SystemsAnswer(html, files, result)


def _result(evaluations: Mapping[str, Evaluation]) -> dict[str, Any]:
    """The systems, best first, the verdict, and what they lost by cause, field and document, as JSON values."""
    systems = dict(sorted(evaluations.items(), key=lambda item: -item[1].score))
    pairs = every_pair(systems)
    return {
        "systems": [_system(name, each) for name, each in systems.items()],
        "verdict": verdict_of(systems, pairs),
        "ties": ties_of(systems, pairs),
        "causes": _causes(systems),
        "fields": _fields(systems),
        "documents": _documents(systems),
        "pairs": pairs,
    }


def _system(name: str, evaluation: Evaluation) -> dict[str, Any]:
    interval = evaluation.measured[0].interval
    low, high = (interval and interval.ends) or (None, None)
    return {
        "name": name,
        "score": evaluation.score,
        "low": low,
        "high": high,
        "interval": "" if interval is None else interval_text(interval, evaluation.confidence or 0),
        "counts": count_lines(evaluation),
    }


def _lost_cells(lost: Sequence[float], most: float) -> list[dict[str, Any]]:
    """A cell for the points that each system lost, with its share of the most."""
    return [
        {"value": points, "text": loss_text(points), "share": round(points / most, 3) if most else 0.0}
        for points in lost
    ]


def _causes(systems: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """The points lost by cause in each system, most first."""
    lost = {cause: [each.lost[cause] for each in systems.values()] for cause in CAUSES}
    most = max(map(max, lost.values()))
    rows = sorted((item for item in lost.items() if any(item[1])), key=lambda item: -sum(item[1]))
    return [{"name": cause, "label": cause_label(cause), "cells": _lost_cells(points, most)} for cause, points in rows]


def _fields(systems: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """The points lost by field in each system, most first, and in how many documents the field is."""
    tables = [each.field_table.fields for each in systems.values()]
    lost, documents = {}, {}
    for path in dict.fromkeys(path for table in tables for path in table):
        fields = [table.get(path) for table in tables]
        wholes = [each.whole for each in systems.values()]
        lost[path] = [field.points_lost / whole if field else 0.0 for field, whole in zip(fields, wholes, strict=True)]
        documents[path] = max(field.document_count for field in fields if field)
    most = max(map(max, lost.values()), default=0.0)
    rows = sorted((item for item in lost.items() if any(item[1])), key=lambda item: -sum(item[1]))[:MOST_FIELDS]
    return [
        {
            "name": shown_name(path),
            "documents": documents[path],
            "few": documents[path] < FEW_DOCUMENTS,
            "cells": _lost_cells(points, most),
        }
        for path, points in rows
    ]


def _documents(systems: Mapping[str, Evaluation]) -> list[dict[str, Any]]:
    """The scores of the documents in each system, those most apart first."""
    by_id = [dict(zip(each.ids, each.scores, strict=True)) for each in systems.values()]
    names = dict(zip(by_id[0], shown_ids(list(by_id[0])), strict=True))
    rows = [(name, [scores[name] for scores in by_id]) for name in by_id[0]]
    rows.sort(key=lambda row: min(row[1]) - max(row[1]))
    return [
        {
            "id": names[name],
            "spread": max(scores) - min(scores),
            "cells": [{"value": each, "text": three_digits(each), "share": round(1 - each, 3)} for each in scores],
        }
        for name, scores in rows[:MOST_DOCUMENTS]
    ]


class KeptSystems(KeptResult):
    """The documents of systems that were compared before."""

    def side_by_side(self, shown_id: str, base: int, system: int) -> str:
        """The trees of a document side by side, as HTML.

        Args:
            shown_id: the displayed id of the document.
            base: the number of the base, which comes first.
            system: the number of the system beside it; -1 for all.

        Raises:
            ValueError: if there is no such document, or no such base.
        """
        number, names = self.facts["ids"].get(shown_id), self.facts["names"]
        if number is None or base >= len(names):
            raise InputValueError(problem="There is no such document.")
        trees = self.trees(number)
        chosen = [base, *(other for other in range(len(trees)) if other != base and system in (other, -1))]
        runs: list[PlaceRun] = places_side_by_side([trees[each] for each in chosen])
        return fragment("side_by_side", shown_id, [names[each] for each in chosen], runs, template=_TEMPLATE)


def _summary(evaluation: Evaluation, change: Comparison | None) -> dict[str, Any]:
    """A system as it is listed: its score, and how it differs from the base, which has no change."""
    interval = evaluation.measured[0].interval
    shown: dict[str, Any] = {
        "mean": f"{evaluation.score:.4f}",
        "interval": "" if interval is None else interval_text(interval, evaluation.confidence or 0),
        "counts": count_lines(evaluation),
        "fields": None,
    }
    if change is None:
        return shown
    return {
        **shown,
        "difference": with_minus_signs(with_sign(change.difference)),
        "difference_interval": with_minus_signs(difference_interval(change)),
        "verdict": verdict_text(change),
        "fields": field_changes_table(change),
    }


def _chosen(documents: Sequence[MatrixRow], systems: int) -> list[MatrixRow]:
    """The documents that are drawn: of each system those that lost and gained most, in their order."""
    kept: set[str] = set()
    for number in range(systems):
        changed = [row for row in documents if row.cells[number].shade]
        changed.sort(key=lambda row: row.cells[number].difference or 0.0)
        lost = [row for row in changed if row.cells[number].shade < 0]
        gained = [row for row in changed if row.cells[number].shade > 0]
        kept.update(row.name for row in [*lost[:LOSSES], *gained[-GAINS:]])
    return [row for row in documents if row.name in kept]


def _drawn_documents(
    documents: Sequence[MatrixRow], systems: Sequence[Evaluation]
) -> tuple[list[tuple[str, MatrixRow]], list[str]]:
    """The documents that are drawn with their displayed ids, and sentences on the others."""
    ids = systems[0].ids
    names = dict(zip(ids, shown_ids(ids), strict=True))
    shown = _chosen(documents, len(systems))
    same = sum(not row.changed for row in documents)
    left = len(documents) - same - len(shown)
    notes = []
    if same:
        notes.append(f"{counted(same, 'document')} {'has' if same == 1 else 'have'} the same score in all systems.")
    if left:
        notes.append(f"{counted(left, 'document')} with smaller changes are in the CSV file.")
    return [(names[row.name], row) for row in shown], notes


def _as_csv(table: ReportTable) -> str:
    """The scores of a table; two columns may have the same name, as systems are called what their files are."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(csv_cell(column.name) for column in table.columns)
    writer.writerows([csv_cell(cell.value) for cell in row] for row in table.rows)
    return text.getvalue()


def _as_json(
    base: str, evaluations: Mapping[str, Evaluation], changes: Mapping[str, Comparison], tables: Sequence[ReportTable]
) -> str:
    parts = {
        "base": base,
        "systems": [_system_as_dict(name, each) for name, each in evaluations.items()],
        "comparisons": [
            {"system": name, **found.to_dict(), "p_value_adjusted": found.figure.adjusted}
            for name, found in changes.items()
        ],
        **{
            table.unit: [
                {table.columns[0].name: row[0].value, "scores": [cell.value for cell in row[1:]]} for row in table.rows
            ]
            for table in tables
        },
    }
    return json.dumps(parts, indent=1)


def _system_as_dict(name: str, evaluation: Evaluation) -> dict[str, Any]:
    signatures = {"signature": evaluation.signature, "signatures": evaluation.signatures}
    return {"system": name, **evaluation.figures_to_dict(), **evaluation.counts, **signatures}


def _written(folder: Path, texts: Sequence[str]) -> tuple[str, ...]:
    paths = [folder / name for name in FILES]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    return tuple(map(str, paths))

"""Compare several systems: the leader, the lost points by cause, field and document, and one document in all."""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from math import fsum
from pathlib import Path
from typing import get_args

from docscore.core.errors import InputValueError
from docscore.core.formatting import counted, field_text, percent_text, shown_name, three_digits
from docscore.core.numbers import ROUNDING
from docscore.evaluation.comparison import Comparison, level_of_tests
from docscore.evaluation.evaluation import Evaluation, figures_to_dict
from docscore.evaluation.registry import METRICS, has_tree
from docscore.evaluation.sentences import by_value_text
from docscore.evaluation.sources import evaluations_of
from docscore.evaluation.systems import changes_against, systems_of
from docscore.evaluation.tables import Table, TableCell, TableColumn
from docscore.grounding.document_text import DocumentText
from docscore.inputs.formats import names_of_files
from docscore.metrics.anls_star.causes import CAUSES
from docscore.report.document_places import placed_rows
from docscore.report.markup import table_as_latex, table_as_markdown
from docscore.report.systems_report import CHANCE_MARK, systems_table, table_of_tests
from playground.compare.tree_columns import places_side_by_side
from playground.parts.conclusions import cause_label, every_pair, figure_of, loss_text, ties_of, verdict_of, what_ifs_of
from playground.parts.files import (
    FileRows,
    check_metrics,
    check_test_set,
    rows_of_request,
    skipped_lines,
    with_grounding,
)
from playground.parts.fragments import fragment
from playground.parts.kept_results import KeptResult, keep_documents, shown_ids, unique_names
from playground.parts.python_code import code_of_files
from playground.parts.remedies import lines_on_rows, remedies_of, taken_of
from playground.parts.row_counts import count_rows
from playground.server import answers
from playground.server.pool import PAIRING, READING, SCORING, Report, bar_of
from playground.server.requests import CompareRequest, metrics_of
from playground.server.storage import as_csv

FEWEST_SYSTEMS, MOST_SYSTEMS = 2, 8
MOST_FIELDS, MOST_DOCUMENTS = 100, 1_000  # the most that are rendered
FEW_DOCUMENTS = 5  # with fewer documents, a field shows little
MOST_PATHS = 5  # paths named for fields of the same name
_NAMED_SYSTEMS = 2
_LONGEST_NAME = 80  # characters of a system's name
_LAST_KEY = re.compile(r"""([^.\[\]]+|\["[^]]*"\])(\[\])*$""")  # the last key in the path of a field
_CAUSE = "cause "  # precedes the name of a cause among the names of fields
Score = float | None
FILES = {
    "fields.csv": "Fields as CSV",
    "documents.csv": "Documents as CSV",
    "systems.json": "Everything as JSON",
    "systems.md": "Tables as Markdown",
    "systems.tex": "Tables as LaTeX",
}


def names_of_uploads(files: Sequence[Path]) -> list[str]:
    """Return a name for each system from its file name, made unique and shortened."""
    names = (shown_name(name).strip()[:_LONGEST_NAME].strip() for name in names_of_files(files))
    return unique_names(name or "system" for name in names)


def checked_names(request: CompareRequest, fewest: int = FEWEST_SYSTEMS) -> tuple[str, ...]:
    """Return the names of the systems; a system without a name gets the name of its file.

    Raises:
        ValueError: if there are too few or too many files, a name is too long, or two are the same.
    """
    count = len(request.predictions)
    if not fewest <= count <= MOST_SYSTEMS:
        raise InputValueError(expected=f"from {fewest} to {MOST_SYSTEMS} files of predictions", got=f"{count}")
    given = [*request.names, *[""] * count][:count]
    names = [
        name.strip() or default for name, default in zip(given, names_of_uploads(request.predictions), strict=True)
    ]
    for number, name in enumerate(names):
        if len(name) > _LONGEST_NAME:
            got = counted(len(name), "character")
            raise InputValueError(place=f"name {number + 1}", expected=f"at most {_LONGEST_NAME} characters", got=got)
        if name in names[:number]:
            raise InputValueError(problem=f"two systems are called {name!r}")
    return tuple(names)


def compare_systems(request: CompareRequest, *, folder: Path, progress: Report) -> answers.Comparison:
    """Compare several files of predictions.

    The result is kept in the folder together with `FILES`; the name of the folder opens it again.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place in it.
    """
    names = checked_names(request)
    uploaded, systems = systems_of_request(request, names, progress)
    for name, text in zip(FILES, _texts(systems), strict=True):
        (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    first = next(iter(systems.values()))
    ids = dict(zip(first.ids, shown_ids(first.ids), strict=True))
    fields = _names_of_fields(systems)
    result: answers.Comparison = {
        "run": folder.name,
        "asked": {**request.model_dump(mode="json", exclude={"window"}), "names": list(names)},
        "count": len(ids),
        **(drawn := _result(systems, ids, fields)),
        "remedies": remedies_of(systems, drawn["verdict"]["remedies"]),
        "taken": taken_of(request.reading),
        "left_out": skipped_lines(uploaded),
        "python": code_of_files(
            uploaded, request.of_first(), first, dict(zip(names, request.predictions, strict=True))
        ),
        "downloads": [{"label": label, "name": name, "path": str(folder / name)} for name, label in FILES.items()],
    }
    facts = {
        "names": [shown_name(name) for name in systems],
        "ids": {name: number for number, name in enumerate(ids.values())},
        "fields": fields,
        "result": result,
    }
    keep_documents(folder, list(systems.values()), facts)
    first.progress("Writing", 1)(1)
    return result


def scores_of_systems(request: CompareRequest) -> str:
    """Return the scores of the best systems as text."""
    _, systems = systems_of_request(request, checked_names(request), lambda *_: None)
    scores = [f"{shown_name(name)} {three_digits(each.score)}" for name, each in systems.items()]
    return ", ".join(scores[:_NAMED_SYSTEMS]) + (", …" if len(scores) > _NAMED_SYSTEMS else "")


def systems_of_request(
    request: CompareRequest, names: Sequence[str], progress: Report
) -> tuple[FileRows, dict[str, Evaluation]]:
    """Return the rows of the uploaded files, and the systems by name, best first.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place in it.
    """
    files, count = len(names) + (request.references is not None), len(names)
    bar = bar_of(progress, [*READING * files, *PAIRING * (count + 1), *SCORING[:1] * count, *SCORING[1:]])
    uploaded = rows_of_request(request, bar)
    metrics = with_grounding(metrics_of([request.metric], request.what_if["schema"])[:1], uploaded.systems)
    test_sets = dict(zip(names, uploaded.systems, strict=True))
    evaluations = evaluations_of(test_sets, request.options, metrics, progress=bar)
    for each in evaluations.values():
        check_metrics(metrics, each.test_set)
        count_rows(each)
    return uploaded, dict(sorted(evaluations.items(), key=lambda item: -item[1].score))


def _result(systems: Mapping[str, Evaluation], ids: Mapping[str, str], fields: Mapping[str, str]) -> answers.Compared:
    """Return the systems, the verdict, and the points lost by cause, field and document.

    Args:
        systems: the evaluations by system name, best first.
        ids: the displayed ids of the documents.
        fields: the displayed name of each field by its path.
    """
    pairs = every_pair(systems)
    what_ifs = what_ifs_of(list(systems.values()), check_test_set)
    verdict = verdict_of(systems, pairs, what_ifs)
    says_by_value = any("numbers" in what_if.options.get("what_if", ()) for what_if in what_ifs)
    first = next(iter(systems.values()))
    worst = [_worst_documents(each, ids, fields) for each in systems.values()]
    lost = _fields(systems, worst, fields)
    return {
        "systems": [_system(name, each, says_by_value) for name, each in systems.items()],
        "verdict": {**verdict, "documents": [ids[name] for name in verdict["documents"]]},
        "ties": ties_of(systems, pairs),
        "causes": _causes(systems, worst),
        "fields": lost[:MOST_FIELDS],
        "field_count": len(lost),
        "documents": _documents(systems, ids),
        "pairs": [{**pair, "first": shown_name(pair["first"]), "second": shown_name(pair["second"])} for pair in pairs],
        "note": first.scorer.fields_note,
        "signature": first.signature,
    }


def _system(name: str, evaluation: Evaluation, says_by_value: bool) -> answers.System:
    """Return a system as the page shows it, without figures that the verdict or a button already gives."""
    by_value = {by_value_text({"": evaluation})} if says_by_value else set()
    return {
        "name": shown_name(name),
        **figure_of(evaluation),
        "lost": loss_text(1 - evaluation.score),
        "costs": {
            column: {"total": cost.total, "note": cost.note}
            for column in get_args(answers.CostColumn)
            if (cost := evaluation.costs.get(column))
        },
        "counts": [line for line in lines_on_rows(evaluation, with_answered=False) if line not in by_value],
    }


# The points that a system lost by a cause or in fields of one name, and the document that lost the most points.
_Loss = tuple[float, str | None]


def _worst_documents(evaluation: Evaluation, ids: Mapping[str, str], names: Mapping[str, str]) -> dict[str, str]:
    """Return, for each cause and each field name, the displayed id of the document that lost the most points.

    Args:
        evaluation: a system.
        ids: the displayed ids.
        names: the displayed name of each field by its path.
    """
    most: dict[str, tuple[float, str]] = {}
    for document, losses in zip(evaluation.ids, evaluation.field_table.losses, strict=True):
        lost: dict[str, float] = defaultdict(float)
        for (path, cause), points in losses.items():
            lost[names[path]] += points
            lost[_CAUSE + cause] += points
        for name, points in lost.items():
            if points > most.get(name, (0.0, ""))[0]:
                most[name] = points, ids[document]
    return {name: document for name, (_, document) in most.items()}


def _causes(systems: Mapping[str, Evaluation], worst: Sequence[Mapping[str, str]]) -> list[answers.LossRow]:
    """Return the points that each system lost by cause, largest loss first."""
    lost: dict[str, list[_Loss]] = {
        cause: [
            (each.lost[cause], documents.get(_CAUSE + cause))
            for each, documents in zip(systems.values(), worst, strict=True)
        ]
        for cause in CAUSES
    }
    return [{"name": cause, "label": cause_label(cause), "cells": cells} for cause, cells in _largest(lost)]


def _largest(lost: Mapping[str, Sequence[_Loss]]) -> list[tuple[str, list[answers.LossCell]]]:
    """Return the rows in which any system lost points, largest first; each cell has its share of the largest loss."""
    most = max((points for losses in lost.values() for points, _ in losses), default=0.0)
    rows = [row for row in lost.items() if any(points for points, _ in row[1])]
    return [
        (
            name,
            [
                {
                    "value": points,
                    "text": loss_text(points),
                    "share": round(points / most, 3),
                    "document": document,
                }
                for points, document in losses
            ],
        )
        for name, losses in sorted(rows, key=lambda row: -sum(points for points, _ in row[1]))
    ]


def _names_of_fields(systems: Mapping[str, Evaluation]) -> dict[str, str]:
    """Return a name for each field: its path, or its last key if most paths occur in only one document."""
    tables = [each.field_table.fields for each in systems.values()]
    counts: dict[str, int] = {}
    for field in (field for table in tables for field in table.values()):
        if field.expected:
            counts[field.path] = max(counts.get(field.path, 0), field.document_count)
    alone = sum(count == 1 for count in counts.values())
    differ = len(next(iter(systems.values()))) >= FEW_DOCUMENTS and 2 * alone > len(counts)
    return {
        path: found[1] if differ and (found := _LAST_KEY.search(path)) else path for table in tables for path in table
    }


def _fields(
    systems: Mapping[str, Evaluation], worst: Sequence[Mapping[str, str]], names: Mapping[str, str]
) -> list[answers.LossRow]:
    """Return the points that each system lost by field, largest first, and the number of documents with the field."""
    lost: dict[str, list[_Loss]] = {}
    paths: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    for path, name in names.items():
        paths.setdefault(name, []).append(path)
    for name, of_name in paths.items():
        lost[name], counts[name] = [], 0
        for each, documents in zip(systems.values(), worst, strict=True):
            fields = [field for field in map(each.field_table.fields.get, of_name) if field]
            lost[name].append((fsum(field.points_lost for field in fields) / each.denominator, documents.get(name)))
            holding = set().union(*(field.numbers for field in fields))
            counts[name] = max(counts[name], len(holding), *(field.document_count for field in fields), 0)
    return [
        {
            "name": field_text(name),
            "paths": [field_text(path) for path in paths[name][:MOST_PATHS]],
            "documents": counts[name],
            "few": counts[name] < FEW_DOCUMENTS,
            "cells": cells,
        }
        for name, cells in _largest(lost)
    ]


def _documents(systems: Mapping[str, Evaluation], ids: Mapping[str, str]) -> list[answers.DocumentScores]:
    """Return the scores of the documents in each system; documents whose scores differ most come first."""
    rows = sorted(_scores_of_documents(systems).items(), key=lambda row: -_spread(row[1]))[:MOST_DOCUMENTS]
    return [{"id": ids[name], "scores": list(map(three_digits, scores))} for name, scores in rows]


def _scores_of_documents(systems: Mapping[str, Evaluation]) -> dict[str, list[float]]:
    by_id = [dict(zip(each.ids, each.scores, strict=True)) for each in systems.values()]
    return {name: [scores[name] for scores in by_id] for name in by_id[0]}


def _spread(scores: Sequence[Score]) -> float:
    """Return the difference between the highest and the lowest score."""
    known = [score for score in scores if score is not None]
    return max(known, default=0.0) - min(known, default=0.0)


class KeptSystems(KeptResult):
    """The kept documents of systems that were compared."""

    def side_by_side(self, shown_id: str, text: str = "") -> answers.SideBySide:
        """Return the trees of a document in all systems.

        Args:
            shown_id: the displayed id of the document.
            text: the text of the document, in which its values are looked up; "" if it is unknown.

        Raises:
            ValueError: if no document has this id.
        """
        number = self.facts["ids"].get(shown_id)
        if number is None:
            raise InputValueError(problem="There is no such document.")
        trees = self.trees(number)
        names = self.facts["fields"]
        label = "" if has_tree(METRICS[self.facts["metrics"][0]]) else f"{METRICS[trees[0].metric].label} "
        systems = [(name, label + three_digits(of.score)) for name, of in zip(self.facts["names"], trees, strict=True)]
        agreed, places = places_side_by_side(trees)
        rows = [(row, field_text(names.get(row["field"], row["field"]))) for row in places]
        html = fragment("side_by_side", systems, agreed, rows, template="compare.html.jinja")
        return {
            "html": html,
            "number": number,
            "places": list(
                map(
                    placed_rows,
                    trees,
                    repeat({id(node): at for at, row in enumerate(places) for node in row["nodes"]}),
                    self.places(number),
                    repeat(DocumentText(text) if text else None),
                )
            ),
        }


def _texts(systems: Mapping[str, Evaluation]) -> tuple[str, ...]:
    """Return the contents of `FILES`; each system is tested against the best one."""
    best = next(iter(systems))
    changes = changes_against(systems, best)
    marked = {
        (field.name, system)
        for system, change in changes.items()
        for field in change.field_changes
        if field.is_beyond_chance(change.confidence)
    }
    by_path = [each.field_table.fields for each in systems.values()]
    scores = {
        path: [fields[path].score if path in fields and fields[path].weight else None for fields in by_path]
        for path in dict.fromkeys(path for fields in by_path for path in fields)
    }
    footnotes = [_explanation_of_marks(best, changes)] if marked else []
    fields = _score_table("Fields by system", "field", scores, systems, marked, footnotes)
    documents = _score_table("Documents by system", "document", _scores_of_documents(systems), systems)
    compared = systems_of(systems, against=best)
    figures, tests = systems_table(compared, intervals=True), table_of_tests(compared)
    return (
        *(
            as_csv([head.name for head in table.heads], ([cell.value for cell in row] for row in table.cells))
            for table in (fields, documents)
        ),
        _as_json(best, systems, changes, (fields, documents)),
        *("\n\n".join(map(form, (figures, tests, fields))) + "\n" for form in (table_as_markdown, table_as_latex)),
    )


def _score_table(
    caption: str,
    name: str,
    scores: Mapping[str, Sequence[Score]],
    systems: Mapping[str, Evaluation],
    marked: Collection[tuple[str, str]] = (),
    footnotes: Sequence[str] = (),
) -> Table:
    """Build a table of scores with one column per system.

    Rows with the largest differences come first, and the best score of each row is marked.

    Args:
        caption: the heading of the table.
        name: what a row is, such as "field".
        scores: the score of each system, by the name of the row; None if a system has no score.
        systems: the evaluations by system name.
        marked: pairs of row name and system name whose difference is statistically significant.
        footnotes: sentences below the table.
    """
    columns = TableColumn(name, name, "code"), *(TableColumn(each, shown_name(each)) for each in systems)
    rows = []
    for row, of_row in sorted(scores.items(), key=lambda row: -_spread(row[1])):
        top = max((score for score in of_row if score is not None), default=0.0)
        cells = [
            TableCell(
                score,
                "–" if score is None else three_digits(score),
                best=score is not None and score >= top - ROUNDING,
                suffix=CHANCE_MARK if (row, system) in marked else "",
            )
            for system, score in zip(systems, of_row, strict=True)
        ]
        rows.append((TableCell(row, field_text(row) if name == "field" else shown_name(row)), *cells))
    signatures = tuple(sorted({each.signature for each in systems.values()}))
    return Table(
        caption,
        columns,
        tuple(rows),
        unit=f"{name}s",
        signatures=signatures,
        footnotes=tuple(footnotes),
        legend=tuple(footnotes),
    )


def _explanation_of_marks(base: str, changes: Mapping[str, Comparison]) -> str:
    """Return a sentence that explains the mark on fields."""
    level = percent_text(level_of_tests(next(iter(changes.values())).confidence))
    return (
        f"{CHANCE_MARK} differs significantly from {shown_name(base)}: paired permutation test, with a false "
        f"discovery rate of at most {level} among the fields of a system."
    )


def _as_json(
    base: str, evaluations: Mapping[str, Evaluation], changes: Mapping[str, Comparison], tables: Sequence[Table]
) -> str:
    parts = {
        "base": base,
        "systems": [
            {
                "system": name,
                **figures_to_dict(each),
                **each.counts,
                "signature": each.signature,
                "signatures": each.signatures,
            }
            for name, each in evaluations.items()
        ],
        "comparisons": [
            {"system": name, **found.to_dict(), "p_value_adjusted": found.figure.adjusted}
            for name, found in changes.items()
        ],
        **{
            table.unit: [
                {table.heads[0].name: row[0].value, "scores": [cell.value for cell in row[1:]]} for row in table.cells
            ]
            for table in tables
        },
    }
    return json.dumps(parts, indent=1)

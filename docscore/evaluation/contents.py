"""The tables of reports: for each kind of content, its columns, each beside the function that makes its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from docscore.core.formatting import counted, p_text, share_text, shown_name, three_digits, threshold_text, with_sign
from docscore.evaluation.sentences import STATUS_WORDS, fields_note
from docscore.evaluation.tables import ColumnKind, ReportTable, TableCell, TableColumn
from docscore.metrics.anls_star.field_counts import Outcome
from docscore.metrics.kieval import KieScore
from docscore.metrics.registry import METRICS
from docscore.stats.calibration import BINNING, Calibration
from docscore.stats.intervals import Interval

if TYPE_CHECKING:
    from docscore.evaluation.automation import Curve
    from docscore.evaluation.comparison import Change, Comparison
    from docscore.evaluation.evaluation import Evaluation, Rate, Slice
    from docscore.evaluation.fields import FieldTable
    from docscore.evaluation.ground_truths import Finding, Suggestion

MOST_CHANGES_LISTED = 20  # in the tables of a comparison

_NONE, _ZERO = "–", "·"  # the text of a cell without a value, and of a count of 0
_Content = tuple[TableColumn, Callable[[Any], TableCell]]  # a column, and its cell for an item


OUTCOME_COLUMNS: dict[Outcome, TableColumn] = {
    "exact": TableColumn("exact", "exact"),
    "partial": TableColumn("partial", "near"),
    "wrong": TableColumn("wrong", "wrong"),
    "wrong_type": TableColumn("wrong_type", "wrong type", terminal="type"),
    "missing": TableColumn("missing", "missing", terminal="miss"),
    "extra": TableColumn("extra", "extra"),
}


def fields_table(found: Evaluation) -> ReportTable:
    """The fields of a test set, most points lost first."""
    outcomes = (
        *((column, _outcome_count(outcome)) for outcome, column in OUTCOME_COLUMNS.items()),
        number_column("omission_rate", "omission", share_text, extra=True),
        number_column("hallucination_rate", "hallucination", share_text, extra=True),
    )
    return table_of(
        "Fields, most points lost first",
        found.field_table.by_loss(),
        text_column("field", "field", lambda field: field.path),
        number_column("score", "score", three_digits),
        (
            TableColumn("interval", "interval", "interval"),
            lambda field: _score_interval(found.field_intervals.get(field.path)),
        ),
        (
            TableColumn("points_lost", "points lost", terminal="lost"),
            lambda field: number_cell(field.points_lost / found.whole, _four_digits),
        ),
        (TableColumn("documents", "documents", extra=True), lambda field: _count(field.document_count)),
        *(outcomes if METRICS[found.metric].field_source == "tree" else ()),
        unit="fields",
    )


def _outcome_count(outcome: Outcome) -> Callable[[Any], TableCell]:
    return lambda field: _count(field.counts[outcome], zero=_ZERO)


def lists_table(found: Evaluation) -> ReportTable:
    """For each list the number of elements with and without a partner on the other side."""
    return table_of(
        "Lists: their elements",
        found.field_table.lists.items(),
        text_column("field", "elements", lambda item: item[0]),
        (TableColumn("matched", "matched"), lambda item: _count(item[1]["matched"])),
        (TableColumn("missing", "missing"), lambda item: _count(item[1]["missing"])),
        (TableColumn("extra", STATUS_WORDS["extra"], terminal="extra"), lambda item: _count(item[1]["extra"])),
        unit="lists",
    )


def causes_table(found: Evaluation) -> ReportTable:
    """The causes of lost points, largest first; without rows if no point was lost."""
    lost = {cause: points for cause, points in found.lost.items() if points}
    whole, most = sum(lost.values()), max(lost.values(), default=0.0)
    meanings = METRICS[found.metric].meanings
    return table_of(
        fields_note(found) or f"Why {whole:.4f} of 1 was lost",
        sorted(lost.items(), key=lambda item: -item[1]),
        (TableColumn("bar", "", "bar"), lambda item: TableCell(item[1] / most, "")),
        (TableColumn("points_lost", "points"), lambda item: number_cell(item[1], _four_digits)),
        (TableColumn("share", "share"), lambda item: number_cell(item[1] / whole, share_text)),
        (TableColumn("cause", "cause", "text"), lambda item: TableCell(item[0], item[0], note=meanings[item[0]])),
        unit="causes",
    )


def rates_table(rates: Iterable[Rate]) -> ReportTable:
    """Rates of documents and of values, with their intervals."""
    return table_of(
        "Rates: shares of documents and of values",
        rates,
        text_column("rate", "rate", lambda rate: rate.name, "text"),
        number_column("value", "value", share_text),
        interval_column(share_text),
        (TableColumn("hits", "count"), lambda rate: TableCell(rate.hits, f"{rate.hits:,} of {rate.total:,}")),
        number_column("total", "of", extra=True),
        unit="rates",
    )


def figures_table(found: Evaluation) -> ReportTable:
    """The figures of metrics with their intervals; without rows if ANLS* is the only one."""
    return table_of(
        "Metrics",
        found.other_figures,
        (TableColumn("name", "name", "code", extra=True), lambda figure: TableCell(figure.name, figure.name)),
        text_column("label", "metric", lambda figure: figure.label, "text"),
        (
            TableColumn("value", "value"),
            lambda figure: TableCell(figure.value, f"{figure.value:.4f}", terminal=f"{figure.value:.6f}"),
        ),
        interval_column(_four_digits),
        unit="figures",
        signatures=tuple(found.signatures.values()),
    )


def kieval_tables(score: KieScore) -> list[ReportTable]:
    """Two tables of the counts of KIEval, of entities and of groups, in total and by type."""
    kinds = sorted(score.by_entity.items(), key=lambda item: -item[1].corrections)
    entities = table_of(
        "Entities by type, most corrections first",
        [("all", score.entities), *kinds],
        text_column("entity", "entity", lambda item: item[0]),
        _of_counts("f1", "F1", "{:.3f}"),
        _of_counts("precision", "precision", "{:.3f}", extra=True),
        _of_counts("recall", "recall", "{:.3f}", extra=True),
        _of_counts("aligned", "aligned", "{:.3f}"),
        _of_counts("right", "right", name="true_positives"),
        _of_counts("substitutions", "to change"),
        _of_counts("additions", "to add"),
        _of_counts("deletions", "to delete"),
        unit="types of entities",
    )
    groups = table_of(
        "Groups by type",
        [("all", score.groups), *score.by_group.items()],
        text_column("group", "group", lambda item: item[0]),
        _of_counts("f1", "F1", "{:.3f}"),
        *(_of_counts(outcome, outcome) for outcome in ("right", "wrong", "missed", "invented")),
        unit="types of groups",
    )
    return [entities, groups]


def _of_counts(attribute: str, head: str, form: str = "{:,}", *, name: str = "", extra: bool = False) -> _Content:
    """A column of numbers from pairs of a type and its counts."""
    return TableColumn(name or attribute, head, extra=extra), lambda item: number_cell(
        getattr(item[1], attribute), form.format
    )


def field_changes_table(found: Comparison) -> ReportTable:
    """The fields whose score changed from one system to the other, largest change first."""
    changed = [field for field in found.field_changes if field.changed]
    caption = f"Fields, largest change first ({len(found.field_changes) - len(changed):,} did not change)"
    return _tested_table(caption, "field", changed, unit="fields that changed")


def cause_changes_table(found: Comparison) -> ReportTable:
    """The points lost by each cause in both systems, largest change first."""
    changed = [cause for cause in found.cause_changes if cause.changed]
    return _tested_table("Points lost by cause, largest change first", "cause", changed, kind="text", unit="causes")


def slice_changes_table(found: Comparison) -> ReportTable:
    """The figure of both systems within each slice, largest change first."""
    by = found.new.slice_name
    caption = f"{found.figure.label} by {shown_name(by)}, largest change first"
    return _tested_table(caption, "value", found.slice_changes, head=shown_name(by), unit="slices")


def figure_changes_table(found: Comparison) -> ReportTable:
    """The figures of all metrics in both systems, with the paired interval of the change and its p-value."""
    return table_of(
        "Metrics",
        found.figure_changes,
        (TableColumn("figure", "metric", "text"), lambda figure: TableCell(figure.name, figure.label)),
        *_both(_four_digits),
        interval_column(_signed_end),
        number_column("p_value", "p", p_text),
        unit="figures",
        signatures=tuple(found.new.signatures.values()),
    )


def document_changes_table(changes: Iterable[Change]) -> ReportTable:
    """Documents with their scores in both systems."""
    name = text_column("question_id", "document", lambda change: change.name)
    return table_of("Documents, largest changes", changes, name, *_both(three_digits), unit="documents")


def _tested_table(
    caption: str, key: str, changes: Iterable[Change], *, unit: str, head: str = "", kind: ColumnKind = "code"
) -> ReportTable:
    """Changes with their p-values and q-values."""
    return table_of(
        caption,
        changes,
        text_column(key, head or key, lambda change: change.label, kind),
        *_both(three_digits),
        interval_column(_signed_end),
        number_column("p_value", "p", p_text),
        (TableColumn("q_value", "q"), lambda change: number_cell(change.adjusted, p_text)),
        unit=unit,
    )


def _both(text: Callable[[float], str]) -> tuple[_Content, ...]:
    """The columns of the values in two systems, and of their difference."""
    return (
        number_column("base", "base", text),
        number_column("new", "new", text),
        number_column("difference", "change", with_sign),
    )


def _signed_end(end: float) -> str:
    return with_sign(end, 3)


def documents_table(found: Evaluation, numbers: Sequence[int]) -> ReportTable:
    """Documents with their scores.

    Args:
        found: the evaluation.
        numbers: the numbers of the documents, in the order of the rows.
    """
    return table_of(
        "Lowest scores",
        numbers,
        text_column("question_id", "document", lambda number: found.ids[number]),
        (
            TableColumn(found.row_key, "score"),
            lambda number: number_cell(found.scores[number], three_digits)._replace(
                suffix=" (missing)" if number in found.pairs.absent else ""
            ),
        ),
        unit="documents",
    )


def samples_table(found: Evaluation) -> ReportTable:
    """All documents in the order of the references, with what `Evaluation.samples` gives of each."""
    samples = found.samples()
    heads = {"parsed": "parsed", "parse_note": "note", "missing": "missing"}
    return table_of(
        "Documents",
        samples,
        text_column("question_id", "document", lambda sample: sample["question_id"]),
        (TableColumn(found.row_key, "score"), lambda sample: number_cell(sample[found.row_key], three_digits)),
        *(_sample_words(name, head) for name, head in heads.items() if name in samples[0]),
        unit="documents",
    )


def _sample_words(name: str, head: str) -> _Content:
    words: dict[Any, str] = {True: "yes", False: "no", None: _NONE, "": _NONE}
    return TableColumn(name, head, "text"), lambda sample: TableCell(
        sample[name], words.get(sample[name], str(sample[name]))
    )


def curve_table(curve: Curve) -> ReportTable:
    """The automation rate and the accuracy after review, at some thresholds."""
    points = curve.points()
    return table_of(
        f"Trade-off of automation and accuracy ({curve.figure})",
        [*points[:-1:10], points[-1]],  # every tenth, and the last, where all values are reviewed
        (
            TableColumn("threshold", "review below"),
            lambda point: TableCell(point.to_dict()["threshold"], threshold_text(point.threshold)),
        ),
        number_column("automation_rate", "automated", share_text),
        number_column("accuracy", "accuracy after review", _four_digits),
        unit="thresholds",
    )


def slices_table(slices: Sequence[Slice], by: str) -> ReportTable:
    """The figures of the rows of each value of a column, with their intervals: a row a value and figure."""
    return table_of(
        f"Slices by {shown_name(by)}, those of most documents first",
        [(each, figure) for each in slices for figure in each.figures],
        text_column("value", by, lambda item: item[0].value),
        (TableColumn("documents", "documents"), lambda item: _count(item[0].documents)),
        text_column("metric", "metric", lambda item: item[1].label, "text"),
        (TableColumn("figure", "figure"), lambda item: number_cell(item[1].value, _four_digits)),
        (TableColumn("interval", "interval", "interval"), lambda item: _interval(item[1].interval, _four_digits)),
    )


def calibration_table(found: Calibration) -> ReportTable:
    """The figures of calibration with their intervals."""
    figures = [
        ("AUROC (1 is best, 0.5 is chance)", found.auroc),
        ("expected calibration error (0 is best)", found.ece),
        ("Brier score (0 is best)", found.brier),
    ]
    return table_of(
        f"Calibration of {found.values:,} values in {counted(found.documents, 'document')}, {BINNING}",
        figures,
        text_column("figure", "calibration", lambda item: item[0], "text"),
        (TableColumn("value", "value"), lambda item: number_cell(item[1].value, _four_digits)),
        (TableColumn("interval", "interval", "interval"), lambda item: _interval(item[1].interval, _four_digits)),
        unit="figures",
    )


def reliability_table(found: Calibration) -> ReportTable:
    """The share of right values in each bin of confidences."""
    return table_of(
        "Reliability: how often values of a confidence are right",
        found.points,
        (TableColumn("above", "above"), lambda point: number_cell(point.low, "{:.2f}".format)),
        (TableColumn("up_to", "up to"), lambda point: number_cell(point.high, "{:.2f}".format)),
        number_column("values", "values"),
        number_column("confidence", "mean confidence", "{:.3f}".format),
        number_column("accuracy", "right", share_text),
        interval_column(share_text),
        unit="bins",
    )


def typed_fields_table(typed: FieldTable) -> ReportTable:
    """The fields that were not compared as text for the typed score, those that lost most points first."""
    own = [field for field in typed.fields.values() if field.compared != [""]]
    return table_of(
        "Typed score: fields that were not compared as text",
        sorted(own, key=lambda field: field.earned - field.weight),
        text_column("field", "field", lambda field: field.path),
        (
            TableColumn("typed_score", "typed score", terminal="score"),
            lambda field: number_cell(field.score, three_digits),
        ),
        text_column("compared", "compared as", lambda field: field.compared_as, "text"),
        (TableColumn("values", "values"), lambda field: _count(sum(field.counts.values()))),
        (
            TableColumn("unreadable_ground_truths", "not read, expected", terminal="unread"),
            lambda field: _count(field.unreadable["ground_truth"]),
        ),
        (
            TableColumn("unreadable_predictions", "not read, predicted", terminal="unread pred."),
            lambda field: _count(field.unreadable["prediction"]),
        ),
        unit="fields",
    )


def table_of(
    caption: str, items: Iterable[Any], *contents: _Content, unit: str = "rows", signatures: tuple[str, ...] = ()
) -> ReportTable:
    """A table with a row for each item."""
    rows = tuple(tuple(cell(item) for _, cell in contents) for item in items)
    return ReportTable(caption, tuple(column for column, _ in contents), rows, unit=unit, signatures=signatures)


def text_column(name: str, head: str, text_of: Callable[[Any], str], kind: ColumnKind = "code") -> _Content:
    """A column of text from the data, or of words."""
    return TableColumn(name, head, kind), lambda item: TableCell(text_of(item), shown_name(text_of(item)))


def number_column(
    name: str,
    head: str,
    text: Callable[[Any], str] = "{:,}".format,
    *,
    terminal: str = "",
    extra: bool = False,
    none: str = _NONE,
) -> _Content:
    """A column of the numbers that are an attribute of the items; `none` stands where there is no number."""
    return TableColumn(name, head, terminal=terminal, extra=extra), lambda item: number_cell(
        getattr(item, name), text, none
    )


def interval_column(text: Callable[[float], str]) -> _Content:
    """A column of the intervals of the items."""
    return TableColumn("interval", "interval", "interval"), lambda item: _interval(item.interval, text)


def _count(count: int, zero: str = "0") -> TableCell:
    return TableCell(count, f"{count:,}" if count else zero)


def _four_digits(number: float) -> str:
    return f"{number:.4f}"


def number_cell(number: float | None, text: Callable[[Any], str] = "{:,}".format, none: str = _NONE) -> TableCell:
    """The cell of a number; `none` stands where there is none."""
    return TableCell(number, none if number is None else text(number))


def _interval(interval: Interval | None, text: Callable[[float], str]) -> TableCell:
    """The ends of an interval; without an interval a dash, with the reason as note."""
    if interval is None or interval.ends is None:
        return TableCell(None, _NONE, note="" if interval is None else interval.note)
    low, high = interval.ends
    return TableCell((low, high), f"{text(low)} to {text(high)}", note=interval.note)


def _score_interval(interval: Interval | None) -> TableCell:
    """The ends of the interval of a score, with three decimals, or two on a terminal."""
    cell = _interval(interval, "{:.3f}".format)
    return cell._replace(terminal="{:.2f}-{:.2f}".format(*cell.value)) if cell.value else cell


def suggestion_table(found: Suggestion) -> ReportTable:
    """The fields of a suggested schema: their comparator, and what it takes for right that is written otherwise."""
    return table_of(
        "Suggested comparators",
        found.fields,
        text_column("field", "field", lambda one: one.field),
        text_column(
            "compare",
            "compare as",
            lambda one: ", ".join([one.compare, *(f"{name} {value}" for name, value in one.settings.items())]),
            "text",
        ),
        number_column("values", "values"),
        number_column("points", "points", _four_digits),
        text_column("specimens", "such as", lambda one: ", ".join(f"{a} ↔ {b}" for a, b in one.specimens)),
        text_column("note", "note", lambda one: one.note, "text"),
        unit="fields",
    )


def findings_table(found: Sequence[Finding]) -> ReportTable:
    """What was found in ground truths, that of most values first."""
    return table_of(
        "Findings",
        found,
        text_column("kind", "finding", lambda one: one.kind, "text"),
        text_column("place", "field", lambda one: one.place),
        number_column("cases", "cases"),
        text_column("text", "what", lambda one: one.text, "text"),
        text_column("ids", "documents", lambda one: ", ".join(one.ids)),
        unit="findings",
    )

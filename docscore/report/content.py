"""Build the tables of reports: one function for each kind of content, with its columns and number formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from docscore.core.formatting import three_digits, with_sign
from docscore.corpus.automation import Curve
from docscore.corpus.comparison import Change, Comparison, FigureChange
from docscore.corpus.fields import MEANINGS, Field, ListRows, Outcome
from docscore.corpus.metric_values import Figure, Measured, Slice
from docscore.corpus.scores import CorpusScore
from docscore.corpus.summary import Analysis, Rate, Summary
from docscore.metrics.kieval import Counts, GroupCounts, KieScore
from docscore.metrics.typed.score import AS_TEXT, TypedField, TypedFields
from docscore.report.table_model import ReportTable, TableCell, TableColumn
from docscore.report.wording import STATUS_WORDS, counted, p_text, share_text, shown_name, threshold_text
from docscore.stats.calibration import BINNING, Calibration
from docscore.stats.intervals import Interval

_NONE, _ZERO = "–", "·"  # the text of a cell without a value, and of a count of 0


OUTCOME_COLUMNS: dict[Outcome, TableColumn] = {
    "exact": TableColumn("exact", "exact"),
    "partial": TableColumn("partial", "near"),
    "wrong": TableColumn("wrong", "wrong"),
    "wrong_type": TableColumn("wrong_type", "wrong type", terminal="type"),
    "missing": TableColumn("missing", "missing", terminal="miss"),
    "extra": TableColumn("extra", "extra"),
}


FIELD_COLUMNS = (
    TableColumn("field", "field", "code"),
    TableColumn("score", "score"),
    TableColumn("interval", "interval", "interval"),
    TableColumn("points_lost", "points lost", terminal="lost"),
    TableColumn("documents", "documents", extra=True),
    *OUTCOME_COLUMNS.values(),
    TableColumn("omission_rate", "omission", extra=True),
    TableColumn("hallucination_rate", "hallucination", extra=True),
)


FIELD_CHANGE_COLUMNS = (
    TableColumn("field", "field", "code"),
    TableColumn("base", "base"),
    TableColumn("new", "new"),
    TableColumn("difference", "change"),
    TableColumn("interval", "interval", "interval"),
    TableColumn("p_value", "p"),
    TableColumn("q_value", "q"),
)


DOCUMENT_CHANGE_COLUMNS = (
    TableColumn("question_id", "document", "code"),
    TableColumn("base", "base"),
    TableColumn("new", "new"),
    TableColumn("difference", "change"),
)


DOCUMENT_COLUMNS = TableColumn("question_id", "document", "code"), TableColumn("anls_score", "score")


def fields_table(summary: Summary, analysis: Analysis) -> ReportTable:
    """The fields of a test set, most points lost first.

    Args:
        summary: the summary of the test set, with the intervals of the fields.
        analysis: its fields.
    """

    def row(field: Field) -> tuple[TableCell, ...]:
        lost = analysis.points_lost(field)
        return (
            _name(field.path),
            TableCell(field.score, three_digits(field.score)),
            _score_interval(summary.field_intervals.get(field.path)),
            TableCell(lost, f"{lost:.4f}"),
            _count(field.document_count),
            *(_count(field.counts[outcome], zero=_ZERO) for outcome in OUTCOME_COLUMNS),
            _share(field.omission_rate),
            _share(field.hallucination_rate),
        )

    caption = "Fields, most points lost first"
    return ReportTable(caption, FIELD_COLUMNS, tuple(map(row, analysis.by_loss())), unit="fields")


def lists_table(analysis: Analysis) -> ReportTable:
    """For each list the number of elements with and without a partner on the other side."""

    def row(each: ListRows) -> tuple[TableCell, ...]:
        return _name(each.path), _count(each.matched), _count(each.missing), _count(each.extra)

    columns = (
        TableColumn("field", "elements", "code"),
        TableColumn("matched", "matched"),
        TableColumn("missing", "missing"),
        TableColumn("extra", STATUS_WORDS["extra"], terminal="extra"),
    )
    return ReportTable("Lists: their elements", columns, tuple(map(row, analysis.lists)), unit="lists")


def causes_table(analysis: Analysis) -> ReportTable:
    """The causes of lost points, largest first; without rows if no point was lost."""
    lost = {cause: points for cause, points in analysis.lost.items() if points}
    whole, most = sum(lost.values()), max(lost.values(), default=0.0)
    columns = (
        TableColumn("bar", "", "bar"),
        TableColumn("points_lost", "points"),
        TableColumn("share", "share"),
        TableColumn("cause", "cause", "text"),
    )
    rows = tuple(
        (
            TableCell(points / most, ""),
            TableCell(points, f"{points:.4f}"),
            _share(points / whole),
            TableCell(cause, cause, note=MEANINGS[cause]),
        )
        for cause, points in sorted(lost.items(), key=lambda item: -item[1])
    )
    return ReportTable(f"Why {whole:.4f} of 1 was lost", columns, rows, unit="causes")


def rates_table(rates: Iterable[Rate]) -> ReportTable:
    """Rates of documents and of values, with their intervals."""
    columns = (
        TableColumn("rate", "rate", "text"),
        TableColumn("value", "value"),
        TableColumn("interval", "interval", "interval"),
        TableColumn("hits", "count"),
        TableColumn("total", "of", extra=True),
    )

    def row(rate: Rate) -> tuple[TableCell, ...]:
        interval = _interval(rate.interval, share_text)
        hits = TableCell(rate.hits, f"{rate.hits:,} of {rate.total:,}")
        return TableCell(rate.name, rate.name), _share(rate.value), interval, hits, _count(rate.total)

    caption = "Rates: shares of documents and of values"
    return ReportTable(caption, columns, tuple(map(row, rates)), unit="rates")


def figures_table(measured: Measured) -> ReportTable:
    """The figures of metrics with their intervals."""
    columns = (
        TableColumn("name", "name", "code", extra=True),
        TableColumn("label", "metric", "text"),
        TableColumn("value", "value"),
        TableColumn("interval", "interval", "interval"),
    )

    def row(figure: Figure) -> tuple[TableCell, ...]:
        value = TableCell(figure.value, f"{figure.value:.4f}", terminal=f"{figure.value:.6f}")
        label = TableCell(figure.label, figure.label)
        return TableCell(figure.name, figure.name), label, value, _interval(figure.interval, "{:.4f}".format)

    rows = tuple(map(row, measured.figures))
    return ReportTable("Metrics", columns, rows, unit="figures", signatures=(str(measured.signature),))


def kieval_tables(score: KieScore) -> list[ReportTable]:
    """Two tables of the counts of KIEval, of entities and of groups, in total and by type."""
    return [_entities_table(score), _groups_table(score)]


def _entities_table(score: KieScore) -> ReportTable:
    columns = (
        TableColumn("entity", "entity", "code"),
        TableColumn("f1", "F1"),
        TableColumn("precision", "precision", extra=True),
        TableColumn("recall", "recall", extra=True),
        TableColumn("aligned", "aligned"),
        TableColumn("true_positives", "right"),
        TableColumn("substitutions", "to change"),
        TableColumn("additions", "to add"),
        TableColumn("deletions", "to delete"),
    )

    def row(kind: str, counts: Counts) -> tuple[TableCell, ...]:
        figures = counts.f1, counts.precision, counts.recall, counts.aligned
        return _name(kind), *(TableCell(figure, f"{figure:.3f}") for figure in figures), *map(_count, counts)

    kinds = sorted(score.by_entity.items(), key=lambda item: -item[1].corrections)
    rows = row("all", score.entities), *(row(*item) for item in kinds)
    return ReportTable("Entities by type, most corrections first", columns, rows, unit="types of entities")


def _groups_table(score: KieScore) -> ReportTable:
    columns = (
        TableColumn("group", "group", "code"),
        TableColumn("f1", "F1"),
        TableColumn("right", "right"),
        TableColumn("wrong", "wrong"),
        TableColumn("missed", "missed"),
        TableColumn("invented", "invented"),
    )

    def row(kind: str, counts: GroupCounts) -> tuple[TableCell, ...]:
        return _name(kind), TableCell(counts.f1, f"{counts.f1:.3f}"), *map(_count, counts)

    rows = row("all", score.groups), *(row(*item) for item in score.by_group.items())
    return ReportTable("Groups by type", columns, rows, unit="types of groups")


def field_changes_table(found: Comparison) -> ReportTable:
    """The fields whose score changed from one system to the other, largest change first."""

    def row(field: FigureChange) -> tuple[TableCell, ...]:
        return (
            _name(field.name),
            _optional(field.base, three_digits),
            _optional(field.new, three_digits),
            _optional(field.difference, with_sign),
            _interval(field.interval, lambda end: with_sign(end, 3)),
            _optional(field.p_value, p_text),
            _optional(field.q_value, p_text),
        )

    changed = [field for field in found.fields if field.changed]
    same = len(found.fields) - len(changed)
    caption = f"Fields, largest change first ({same:,} did not change)"
    return ReportTable(caption, FIELD_CHANGE_COLUMNS, tuple(map(row, changed)), unit="fields that changed")


def figure_changes_table(found: Comparison) -> ReportTable:
    """The figures of other metrics in both systems, with the paired interval of the change and its p-value."""

    def row(each: FigureChange) -> tuple[TableCell, ...]:
        return (
            TableCell(each.name, each.label),
            _optional(each.base, "{:.4f}".format),
            _optional(each.new, "{:.4f}".format),
            _optional(each.difference, with_sign),
            _interval(each.interval, lambda end: with_sign(end, 3)),
            _optional(each.p_value, p_text),
        )

    columns = TableColumn("figure", "metric", "text"), *FIELD_CHANGE_COLUMNS[1:-1]
    rows = tuple(map(row, found.figures))
    return ReportTable("Metrics", columns, rows, unit="figures", signatures=(found.figures_signature,))


def document_changes_table(changes: Iterable[Change]) -> ReportTable:
    """Documents with their scores in both systems."""

    def row(each: Change) -> tuple[TableCell, ...]:
        base, new = (TableCell(score, three_digits(score)) for score in (each.base, each.new))
        return _name(each.question_id), base, new, TableCell(each.difference, with_sign(each.difference))

    rows = tuple(map(row, changes))
    return ReportTable("Documents, largest changes", DOCUMENT_CHANGE_COLUMNS, rows, unit="documents")


def documents_table(scores: CorpusScore, numbers: Sequence[int]) -> ReportTable:
    """Documents with their scores.

    Args:
        scores: the test set.
        numbers: the numbers of the documents, in the order of the rows.
    """
    rows = tuple(
        (
            _name(scores.ids[number]),
            TableCell(
                scores.scores[number],
                three_digits(scores.scores[number]),
                suffix=" (missing)" if number in scores.pairs.absent else "",
            ),
        )
        for number in numbers
    )
    return ReportTable("Lowest scores", DOCUMENT_COLUMNS, rows, unit="documents")


def curve_table(curve: Curve) -> ReportTable:
    """The automation rate and the accuracy after review, at some thresholds."""
    columns = (
        TableColumn("threshold", "review below"),
        TableColumn("automation_rate", "automated"),
        TableColumn("aligned", "accuracy after review"),
    )
    points = curve.points()
    rows = tuple(
        (
            TableCell(point.to_dict()["threshold"], threshold_text(point.threshold)),
            _share(point.automation_rate),
            TableCell(point.aligned, f"{point.aligned:.4f}"),
        )
        for point in [*points[:-1:10], points[-1]]  # every tenth, and the last, where all values are reviewed
    )
    return ReportTable("Trade-off of automation and accuracy", columns, rows, unit="thresholds")


def slices_table(slices: Sequence[Slice], by: str) -> ReportTable:
    """The figures of the rows of each value of a column, with their intervals: a row a value and figure."""
    columns = (
        TableColumn("value", by, "code"),
        TableColumn("documents", "documents"),
        TableColumn("metric", "metric", "text"),
        TableColumn("figure", "figure"),
        TableColumn("interval", "interval", "interval"),
    )
    rows = tuple(
        (
            _name(each.value),
            _count(each.documents),
            TableCell(figure.label, figure.label),
            TableCell(figure.value, f"{figure.value:.4f}"),
            _interval(figure.interval, "{:.4f}".format),
        )
        for each in slices
        for figure in each.figures
    )
    return ReportTable(f"Slices by {shown_name(by)}, those of most documents first", columns, rows)


def calibration_table(found: Calibration) -> ReportTable:
    """The figures of calibration with their intervals."""
    columns = (
        TableColumn("figure", "calibration", "text"),
        TableColumn("value", "value"),
        TableColumn("interval", "interval", "interval"),
    )
    rows = tuple(
        (
            TableCell(name, name),
            _optional(figure.value, "{:.4f}".format),
            _interval(figure.interval, "{:.4f}".format),
        )
        for name, figure in (
            ("AUROC (1 is best, 0.5 is chance)", found.auroc),
            ("expected calibration error (0 is best)", found.ece),
            ("Brier score (0 is best)", found.brier),
        )
    )
    caption = f"Calibration of {found.values:,} values in {counted(found.documents, 'document')}, {BINNING}"
    return ReportTable(caption, columns, rows, unit="figures")


def reliability_table(found: Calibration) -> ReportTable:
    """The share of right values in each bin of confidences."""
    columns = (
        TableColumn("above", "above"),
        TableColumn("up_to", "up to"),
        TableColumn("values", "values"),
        TableColumn("confidence", "mean confidence"),
        TableColumn("accuracy", "right"),
        TableColumn("interval", "interval", "interval"),
    )
    rows = tuple(
        (
            TableCell(point.low, f"{point.low:.2f}"),
            TableCell(point.high, f"{point.high:.2f}"),
            _count(point.values),
            TableCell(point.confidence, f"{point.confidence:.3f}"),
            _share(point.accuracy),
            _interval(point.interval, share_text),
        )
        for point in found.points
    )
    return ReportTable("Reliability: how often values of a confidence are right", columns, rows, unit="bins")


def _name(name: str) -> TableCell:
    return TableCell(name, shown_name(name))


def _count(count: int, zero: str = "0") -> TableCell:
    return TableCell(count, f"{count:,}" if count else zero)


def _share(share: float | None) -> TableCell:
    return _optional(share, share_text)


def _optional(number: float | None, text: Callable[[float], str]) -> TableCell:
    return TableCell(number, _NONE if number is None else text(number))


def _interval(interval: Interval | None, text: Callable[[float], str]) -> TableCell:
    """The ends of an interval; without an interval a dash, with the reason as note."""
    if interval is None or interval.ends is None:
        return TableCell(None, _NONE, note="" if interval is None else interval.note)
    low, high = interval.ends
    return TableCell((low, high), f"{text(low)} to {text(high)}")


def _score_interval(interval: Interval | None) -> TableCell:
    """The ends of the interval of a score, with three decimals, or two on a terminal."""
    cell = _interval(interval, "{:.3f}".format)
    return cell._replace(terminal="{:.2f}-{:.2f}".format(*cell.value)) if cell.value else cell


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


_MORE_COLUMNS = {
    "parsed": TableColumn("parsed", "parsed", "text"),
    "parse_note": TableColumn("parse_note", "note", "text"),
    "missing": TableColumn("missing", "missing", "text"),
}


def samples_table(scores: CorpusScore) -> ReportTable:
    """All documents in the order of the references, with what `CorpusScore.samples` gives of each."""
    samples = scores.samples()
    more = [column for name, column in _MORE_COLUMNS.items() if name in samples[0]]

    def row(sample: dict[str, Any]) -> tuple[TableCell, ...]:
        name, score = sample["question_id"], sample["anls_score"]
        others = (TableCell(sample[column.name], _text(sample[column.name])) for column in more)
        return TableCell(name, shown_name(name)), TableCell(score, three_digits(score)), *others

    return ReportTable("Documents", (*DOCUMENT_COLUMNS, *more), tuple(map(row, samples)), unit="documents")


def _text(value: str | bool | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value or "–"

"""The comparison of two systems on the same documents: paired differences of ratios of sums, and gates.

The figures of metrics, fields, slices, causes of lost points and systems are all columns of such ratios. Each
difference has the same kind of interval and the same test. P-values of several columns are adjusted for their number:

* between systems by Holm (`docscore.evaluation.systems`): readers act on each claim that one system is better than
  another, so the chance of even one false claim must be small;
* between fields, slices and causes by Benjamini and Hochberg: they form a list of what to look at, so the expected
  share of false discoveries must be small.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from docscore.core.displayed import Displayed
from docscore.core.errors import InputTypeError, InputValueError, Remedy, listed, needs, short_repr, some_of
from docscore.core.formatting import (
    FOUR_DIGITS,
    counted,
    field_text,
    p_text,
    percent_text,
    shown_name,
    three_digits,
    with_sign,
)
from docscore.core.numbers import ROUNDING
from docscore.core.options import check_confidence, check_integer, check_number
from docscore.core.output import write_report
from docscore.core.runtime import Progress, no_progress
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.fields import MOST_FIELDS_TESTED, Field, FieldTable, fields_as_ratios
from docscore.evaluation.tables import (
    LISTED,
    Content,
    Table,
    TableCell,
    TableColumn,
    field_column,
    interval_column,
    table_of,
    text_column,
    value_column,
)
from docscore.metrics.anls_star.causes import CAUSES, NAMES
from docscore.metrics.base import FigureName
from docscore.stats.intervals import (
    CONFIDENCE,
    NO_CHANGE,
    RESAMPLES,
    SEED,
    Array,
    Differences,
    Interval,
    Ratios,
    intervals_of,
    side_by_side,
)
from docscore.stats.significance import holm, permutation_p_values

_ONE_SIDED = Interval(note="only one of the systems has it")
_SAME = Interval(note=NO_CHANGE)
_UNTESTED = Interval(note=f"not tested: {MOST_FIELDS_TESTED} fields have more weight")
FEWEST_DOCUMENTS = 5  # documents that a gate needs to evaluate a field or a slice
LEAST_DOCUMENT_SCORE = 0.3  # of the base, for a gate to evaluate a document: lower scores fall to 0 by chance


class Change(NamedTuple):
    """The change of a ratio between two systems: of a figure, a document, a field, a slice or a cause of lost points.

    Attributes:
        name: the key in results, such as "typed_score"; the id of a document; the path of a field.
        label: the name in tables, such as "Typed score".
        base: the value before, in [0, 1]; None if the base does not have the field or slice.
        new: the value after, in [0, 1]; None if the new system does not have the field or slice.
        interval: the confidence interval of the difference, paired by document; None for a single document.
        p_value: the two-sided p-value of the paired permutation test; None if there is nothing to test.
        adjusted: the p-value adjusted for the number of tests. For systems, the adjustment is Holm's; for
            fields, slices and causes it gives a q-value (Benjamini and Hochberg). None if there is only one test.
    """

    name: str
    label: str
    base: float | None
    new: float | None
    interval: Interval | None = None
    p_value: float | None = None
    adjusted: float | None = None

    @property
    def difference(self) -> float | None:
        """New minus base; None if one side has no value."""
        return None if self.base is None or self.new is None else self.new - self.base

    @property
    def size(self) -> float:
        """The absolute difference; 0 if there is no difference."""
        return abs(self.difference or 0.0)

    @property
    def changed(self) -> bool:
        """Whether the value of any document changed."""
        return self.interval is None or self.interval.note != NO_CHANGE

    @property
    def upper(self) -> float:
        """The upper end of the interval; infinity without an interval, because nothing then shows a loss."""
        high = None if self.interval is None else self.interval.high
        return math.inf if high is None else high

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval that does not contain 0."""
        ends = self.interval.ends if self.interval else None
        return ends is not None and not ends[0] <= 0 <= ends[1]

    def is_significant(self, confidence: float) -> bool:
        """Return whether the p-value, adjusted for the number of tests, is below the significance level."""
        p_value = self.p_value if self.adjusted is None else self.adjusted
        return p_value is not None and p_value < level_of_tests(confidence)

    def is_beyond_chance(self, confidence: float) -> bool:
        """Return whether both the p-value and the interval exclude a difference of 0; False without an interval."""
        return self.is_significant(confidence) and self.excludes_zero

    def loss_beyond(self, limit: float, confidence: float | None) -> bool:
        """Return whether the value fell by more than a limit; a missing new value counts as 0.

        Args:
            limit: the allowed loss, at least 0.
            confidence: the level at which p-value and interval must show the loss; None to compare only the values.
        """
        fell = _loss(self) > limit + ROUNDING
        if confidence is None or self.new is None:
            return fell
        return fell and self.is_significant(confidence) and self.upper < -limit - ROUNDING


def level_of_tests(confidence: float) -> float:
    """Return the p-value below which a difference is significant at a level of confidence, without rounding error.

    >>> level_of_tests(0.95), 1 - 0.95
    (0.05, 0.050000000000000044)
    """
    return round(1 - confidence, 12)


def changes_table(
    caption: str,
    changes: Iterable[Change],
    name: Content,
    *,
    unit: str,
    text: Callable[[float], str] = three_digits,
    q_values: bool = True,
    signatures: Iterable[str] = (),
) -> Table:
    """Return a table of changes with their intervals and p-values.

    Args:
        caption: the caption of the table.
        changes: the rows.
        name: the first column, which holds the names.
        unit: the noun for the rows, in the plural.
        text: a function that formats a value.
        q_values: whether the changes have q-values.
        signatures: the signatures of the figures.
    """
    return table_of(
        caption,
        changes,
        name,
        *_both_columns(text),
        interval_column(lambda end: with_sign(end, 3)),
        value_column("p_value", "p", p_text),
        *([value_column("q_value", "q", p_text, attrgetter("adjusted"))] if q_values else []),
        unit=unit,
        signatures=signatures,
    )


def document_changes_table(changes: Iterable[Change]) -> Table:
    """Return a table of documents with their scores in both systems."""
    name = text_column("question_id", "document", attrgetter("name"))
    return table_of("Documents, largest changes", changes, name, *_both_columns(three_digits), unit="documents")


def _both_columns(text: Callable[[float], str]) -> list[Content]:
    """Return the columns of the values in both systems and of their difference."""
    return [
        value_column("base", "base", text),
        value_column("new", "new", text),
        value_column("difference", "change", with_sign),
    ]


def rows_of_base(base: Sequence[str], new: Sequence[str]) -> list[int]:
    """Return, for each id of the new system, its row number in the base. All comparisons pair rows this way.

    Raises:
        ValueError: if only one side has an id.
    """
    number_of = {name: number for number, name in enumerate(base)}
    only = sorted(number_of.keys() ^ set(new))
    if only:
        raise InputValueError(
            expected="the same ids on both sides",
            got=f"{len(only)} on one side only, such as {only[0]!r}",
        )
    return [number_of[name] for name in new]


def changes_of(
    names: Iterable[FigureName],
    base: Ratios,
    new: Ratios,
    groups: Sequence[Sequence[int]],
    *,
    clusters: npt.NDArray[np.intp] | None = None,
    confidence: float | None = None,
    n_resamples: int = RESAMPLES,
    seed: int = SEED,
    progress: Progress = no_progress,
) -> list[Change]:
    """Return the change of each of k ratios between two systems on the same n rows, with interval and p-value.

    Args:
        names: the names of the ratios.
        base: the ratios of the base system.
        new: the same ratios of the new system, with the rows in the same order.
        groups: the numbers of the ratios that share the same swaps. The p-value of a ratio in a group of its own does
            not depend on the other ratios.
        clusters: the number of each row's cluster, shape (n,), if rows are not independent.
        confidence: the confidence level of the intervals, between 0 and 1; None for no intervals.
        n_resamples: the number of resamples and of permutations.
        seed: the seed of the random numbers.
        progress: called when the phase "Resampling" begins.
    """
    resampled = progress("Resampling", (len(groups) + (confidence is not None)) * n_resamples)
    sampled: dict[str, Any] = {"seed": seed, "clusters": clusters}
    intervals: list[Interval] | list[None] = [None] * len(base.values)
    if confidence is not None:
        differences = Differences(new, base)
        intervals = intervals_of(differences, confidence, n_resamples=n_resamples, resampled=resampled, **sampled)
    p_values: dict[int, float] = {}
    for group in map(list, groups):
        sides = base.columns(group), new.columns(group)
        tested = permutation_p_values(*sides, n_resamples=n_resamples - 1, permuted=resampled, **sampled)
        p_values.update(zip(group, tested, strict=True))
    values = zip(names, base.values.tolist(), new.values.tolist(), intervals, strict=True)
    return [
        Change(*name, before, after, interval, p_values[column])
        for column, (name, before, after, interval) in enumerate(values)
    ]


def adjusted(changes: Iterable[Change], correction: Callable[[list[float]], Iterable[float]] = holm) -> list[Change]:
    """Return the changes with p-values adjusted for the number of tests; untested changes stay as they are."""
    all_changes = list(changes)
    p_values = [change.p_value for change in all_changes if change.p_value is not None]
    corrected = iter(correction(p_values) if p_values else ())
    return [
        change if change.p_value is None else change._replace(adjusted=float(next(corrected))) for change in all_changes
    ]


def _with_q_values(changes: Sequence[Change], base: Array, new: Array) -> list[Change]:
    """Return the changes of fields, slices or causes, largest first. Only values that changed on both sides are tested.

    Args:
        changes: k changes.
        base: the sums of the denominators in the base system, shape (k,); 0 if it does not have the field or slice.
        new: the sums of the denominators in the new system, shape (k,); 0 if it does not have the field or slice.
    """
    from scipy import stats  # noqa: PLC0415  slow to import

    compared = []
    for change, *totals in zip(changes, base, new, strict=True):
        before, after = (value if total else None for value, total in zip(change[2:4], totals, strict=True))
        if before is None or after is None:
            compared.append(change._replace(base=before, new=after, interval=_ONE_SIDED, p_value=None))
        else:
            compared.append(change if change.changed else change._replace(p_value=None))
    return _largest(adjusted(compared, stats.false_discovery_control))


class Gate(NamedTuple):
    """The result of a gate.

    Attributes:
        failed: whether a figure or a field fell by more than the gate allows, or is below its level.
        sentence: a sentence that states the result.
        limits: the options of the gate by name, such as {"max_loss": 0.02, "beyond_chance": False}.
        losses: the losses larger than allowed in a comparison, worst first: {"slice", "field", "document", "base",
            "new"}. `slice` is None for all rows; `field` and `document` are None for the primary metric over several
            documents; `new` is None for a field that is gone. The attribute is None for the gate of one system.
        documents_not_evaluated: with `max_document_loss`, the number of documents whose base score is too low to be
            evaluated; otherwise None.
        undecided: the reasons why some limits cannot be decided; None if all are decided.
    """

    failed: bool
    sentence: str
    limits: dict[str, Any]
    losses: list[dict[str, Any]] | None = None
    documents_not_evaluated: int | None = None
    undecided: list[str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes in plain types."""
        passed = not self.failed and self.undecided is None
        optional = {name: getattr(self, name) for name in ("losses", "documents_not_evaluated", "undecided")}
        given = {name: value for name, value in optional.items() if value is not None}
        return {"passed": passed, **self.limits, "sentence": self.sentence, **given}


class UndecidedError(InputValueError):
    """A gate cannot decide all of its limits.

    Attributes:
        gate: the result of the gate, with the limits that it could decide.
    """

    gate: Gate


_WORDS = ("failed", "undecided", "passed")  # in the order in which the sentence of a gate lists them
_FAILED, _UNDECIDED, _PASSED = range(3)
_Verdict = tuple[int, str]  # one of these, and a sentence; for `_UNDECIDED` the reason


def _gate(verdicts: Iterable[_Verdict], limits: dict[str, Any], remedy: str | Remedy = "", **found: Any) -> Gate:
    """Return the gate with these verdicts.

    Args:
        verdicts: at least one verdict.
        limits: as for `Gate`.
        remedy: how to correct what cannot be decided.
        found: other attributes of `Gate`.

    Raises:
        UndecidedError: if one of the verdicts is `_UNDECIDED`.
    """
    ordered = sorted(verdicts, key=itemgetter(0))
    failed = ordered[0][0] == _FAILED
    undecided = [reason for verdict, reason in ordered if verdict == _UNDECIDED]
    sentence = f"{'failed' if failed else 'passed'}: {'; '.join(text for _, text in ordered)}"
    if undecided:
        sentence = "; ".join(f"{_WORDS[verdict]}: {text}" for verdict, text in ordered)
    gate = Gate(failed, sentence, limits, undecided=undecided or None, **found)
    if undecided:
        error = UndecidedError(problem=f"the gate cannot decide: {'; '.join(undecided)}", remedy=remedy)
        error.gate = gate
        raise error
    return gate


class Comparison(Displayed):
    """The comparison of two systems on the same documents by the first figure of their primary metric.

    The verdict, the documents, the fields, the causes and the gate use this figure. Changes and tables are computed on
    first access. A table such as `fields` shows the list of changes `field_changes`.

    Args:
        base: the base system.
        new: the new system, with the same ids.
        confidence: the confidence level of the intervals, between 0 and 1; None for the level of the base.
        n_resamples: the number of resamples and permutations; if there are fewer permutations, all of them are used.
        seed: the seed of the random numbers; None for the seed of the base.
        progress: called when each phase "Resampling" begins; None for the callback of the base.

    Attributes:
        base: the base system.
        new: the new system.
        confidence: the confidence level of the intervals.
        tests: the number of systems that are compared with the base; `figure.adjusted` accounts for it.
        signature: what makes the figure comparable: metric, options and version.

    Raises:
        TypeError, ValueError: if the confidence, the seed or the number of resamples is invalid.
        ValueError: if only one side has an id, or if options, clusters, ground truths or metrics differ.

    >>> import docscore
    >>> truths = {"a": "tea", "b": "rum", "c": "ale"}
    >>> base = docscore.evaluate(predictions={"a": "tea", "b": "xxx", "c": "yyy"}, references=truths)
    >>> new = docscore.evaluate(predictions={"a": "tea", "b": "rum", "c": "yyy"}, references=truths)
    >>> found = base.compare(new)
    >>> round(found.difference, 4), [row["question_id"] for row in found.documents]
    (0.3333, ['b'])
    """

    def __init__(
        self,
        base: Evaluation,
        new: Evaluation,
        *,
        confidence: float | None = None,
        n_resamples: int = RESAMPLES,
        seed: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.base, self.new = _result(base), _result(new)
        self.confidence = check_confidence(base.confidence or CONFIDENCE if confidence is None else confidence)
        self._resampling: dict[str, Any] = {
            "confidence": self.confidence,
            "n_resamples": check_integer("n_resamples", n_resamples, 2),
            "seed": base.seed if seed is None else check_integer("seed", seed, 0),
            "progress": progress or base.progress,
            "clusters": new.clusters,
        }
        _check_same("the same for both systems", *(", ".join(side.metrics) for side in (base, new)), place="metrics")
        runs = base.test_set.runs, new.test_set.runs
        _check_same("the same number of runs in both systems", *runs, place="compare")
        self._rows = rows_of_base(base.ids, new.ids)
        before, after = base.test_set, new.test_set
        clusters = before.clusters and [before.clusters[row] for row in self._rows]
        _check_same("the same for both systems", clusters, after.clusters, place="cluster", got="different clusters")
        signatures = f"{base.signature} and {new.signature}"
        rules = (base.options, before.options.signed), (new.options, after.options.signed)
        _check_same("both scored by the same rules", *rules, got=signatures)
        for row, name, truth in zip(self._rows, new.ids, after.truths, strict=True):
            if before.truths[row] != truth:
                raise InputValueError(
                    expected="the same ground truths on both sides", got=f"different ones for {name!r}"
                )
        if before.places is not None and after.places is not None:
            evidence = [before.places[row].evidence for row in self._rows], [each.evidence for each in after.places]
            _check_same("the same evidence on both sides", *evidence, got="different evidence")
        names = (", ".join(name.key for name in side.figure_names) for side in (base, new))
        _check_same("the same figures on both sides", *names)
        self.tests = 1
        self.signature = new.signature

    def __repr__(self) -> str:
        facts = f"{with_sign(self.difference)}, p {self.p_value:.4g}, {len(self.new):,} documents"
        return f"<Comparison {self.new.metric} {facts}>"

    @cached_property
    def _figure_and_fields(self) -> tuple[Change, list[Change]]:
        paths = _heaviest(self.base.field_table, self.new.field_table)
        before, after = self._sides(lambda system: _with_fields(system, paths))
        names = [self.new.figure_names[0], *(FigureName(path, path) for path in paths)]
        groups = [[0], range(1, len(names))] if paths else [[0]]
        figure, *fields = changes_of(names, before, after, groups, **self._resampling)
        tables = self.base.field_table.fields, self.new.field_table.fields
        untested = []
        for path in sorted({**tables[0], **tables[1]}.keys() - set(paths)):
            base, new = (each[path].score if path in each and each[path].weight else None for each in tables)
            untested.append(Change(path, path, base, new, _SAME if base == new else _UNTESTED))
        return figure, _largest([*_with_q_values(fields, before.totals[1:], after.totals[1:]), *untested])

    @cached_property
    def figure(self) -> Change:
        """The change of the first figure, with `adjusted` if several systems are compared."""
        return self._figure_and_fields[0]

    @property
    def difference(self) -> float:
        """The figure of the new system minus the figure of the base."""
        return self.new.score - self.base.score

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval of the difference, paired by document; None if there are too few documents."""
        return self.figure.interval and self.figure.interval.ends

    @property
    def p_value(self) -> float:
        """The two-sided p-value of a permutation test that swaps the systems' results document by document."""
        return 1.0 if self.figure.p_value is None else self.figure.p_value

    @cached_property
    def document_changes(self) -> list[Change]:
        """The score of each document in both systems, in the order of the new system."""
        before = [self.base.scores[row] for row in self._rows]
        return list(map(Change, self.new.ids, self.new.ids, before, self.new.scores))

    @property
    def better(self) -> list[Change]:
        """The documents whose score rose, largest change first."""
        return _largest(change for change in self.document_changes if (change.difference or 0.0) > ROUNDING)

    @property
    def worse(self) -> list[Change]:
        """The documents whose score fell, largest change first."""
        return _largest(change for change in self.document_changes if (change.difference or 0.0) < -ROUNDING)

    @property
    def same(self) -> int:
        """The number of documents whose score did not change."""
        return sum(change.size <= ROUNDING for change in self.document_changes)

    @property
    def field_changes(self) -> list[Change]:
        """The changes of fields, largest first. Only the 200 fields with the most weight are tested."""
        return self._figure_and_fields[1]

    @cached_property
    def figure_changes(self) -> list[Change]:
        """The changes of the figures of all metrics, if there is more than one figure."""
        names = self.new.figure_names
        if len(names) == 1:
            return []
        sides = self._sides(lambda system: system.ratios)
        _, *others = changes_of(names, *sides, [[column] for column in range(len(names))], **self._resampling)
        return [self.figure, *others]

    @cached_property
    def cause_changes(self) -> list[Change]:
        """The points lost by cause, as shares of 1, largest change first; without causes that neither system has."""
        causes = self._together(CAUSES, *self._sides(lambda system: _lost_by_cause(system.field_table)))
        return [change for change in causes if change.base or change.new]

    @cached_property
    def slice_changes(self) -> list[Change]:
        """The figure in each slice of `by`, largest change first; at most the 200 largest slices."""
        if self.new.test_set.slices is None:
            return []
        values = np.array(self.new.test_set.slices)
        kept = [value for value, _ in Counter(values.tolist()).most_common(MOST_FIELDS_TESTED)]
        within = np.array([values == value for value in kept], dtype=np.float64).T
        before, after = (
            Ratios(side.earned * within, side.weight * within) for side in self._sides(attrgetter("ratio"))
        )
        return self._together(kept, before, after)

    def decide(
        self,
        max_loss: float | None = None,
        *,
        max_field_loss: float | None = None,
        max_document_loss: float | None = None,
        fields: Sequence[str] = (),
        beyond_chance: bool = False,
        min_documents: int = FEWEST_DOCUMENTS,
        every_slice: bool = False,
    ) -> Gate:
        """Decide whether the new system lost more than a limit, as `docscore compare --max-loss` does.

        Args:
            max_loss: by how much the first figure may fall, at least 0 and below 1.
            max_field_loss: by how much the score of each field may fall, at least 0 and below 1. A field that the new
                system does not have fell to 0.
            max_document_loss: the share of its base score that each document may lose, at least 0 and below 1. With
                several runs, it applies to their mean. Documents with a base score below 0.3 are not evaluated.
            fields: the paths of the fields to evaluate, such as "items[].price"; by default all fields.
            beyond_chance: fail only if the upper end of the interval of the difference is below minus the limit and
                the p-value (for fields the q-value) is below 1 minus the confidence. Single documents have neither.
            min_documents: the number of documents that must have a field, or that a slice must have, for the gate to
                evaluate it.
            every_slice: evaluate all rows, and then the rows of each value of `by`, one slice at a time.

        Raises:
            TypeError, ValueError: if an option is invalid, or if no limit is given.
            UndecidedError: if a limit cannot be decided, because documents were left out, or because too few documents
                have the field, are in a slice, or score high enough in the base. Its `gate` has the decided limits.
        """
        limits = {
            name: check_number(name, limit, "a number of at least 0 and below 1", lambda number: 0 <= number < 1)
            for name, limit in (
                ("max_loss", max_loss),
                ("max_field_loss", max_field_loss),
                ("max_document_loss", max_document_loss),
            )
            if limit is not None
        }
        fewest = check_integer("min_documents", min_documents, 1)
        self._check_gate(limits, fields, every_slice=every_slice)
        settings = {**limits, "beyond_chance": beyond_chance}
        limit = limits.pop("max_document_loss", None)
        losses: list[dict[str, Any]] = []
        verdicts: list[_Verdict] = []
        remedy: str | Remedy = ""
        if left_out := _left_out(self.new):
            verdicts.append((_UNDECIDED, left_out))
        elif limits:
            level = self.confidence if beyond_chance else None
            losses, verdicts, remedy = self._evaluated_parts(limits, fields, level, fewest, every_slice=every_slice)
        fallen, not_evaluated, more = self._evaluated_documents(limit)
        losses += [_loss_to_dict(change, document=change.name) for change in fallen]
        if fallen or not left_out:  # a document that was left out cannot undo the loss of another
            verdicts += more
        return _gate(verdicts, settings, remedy, losses=losses, documents_not_evaluated=not_evaluated)

    def _check_gate(self, limits: dict[str, float], fields: Sequence[str], *, every_slice: bool) -> None:
        """Check that the options of a gate fit together."""
        if not limits:
            raise InputValueError(
                place="gate", expected="max_loss, max_field_loss or max_document_loss", got="none of them"
            )
        if fields and "max_field_loss" not in limits:
            raise needs(option="fields", other="max_field_loss")
        for path in fields:
            if path not in self.documents_with_field:
                known = some_of(self.documents_with_field)
                expected = f"some of {known}" if known else "a metric that has scores of fields"
                raise InputValueError(place="fields", expected=expected, got=short_repr(path))
        if every_slice and limits.keys() == {"max_document_loss"}:
            raise needs(option="every_slice", other="max_loss or max_field_loss")
        if every_slice and self.new.test_set.slices is None:
            raise needs(option="every_slice", other="by")

    def _evaluated_parts(
        self,
        limits: dict[str, float],
        fields: Sequence[str],
        confidence: float | None,
        fewest: int,
        *,
        every_slice: bool,
    ) -> tuple[list[dict[str, Any]], list[_Verdict], str | Remedy]:
        """Evaluate the first figure and the fields in all rows, and on request in each slice.

        Args:
            limits: the limits for the figure and for the fields.
            fields: the paths of the fields to evaluate; empty for all.
            confidence: the level at which a loss must be shown; None to compare only the values.
            fewest: the number of documents that a field or a slice needs.
            every_slice: whether to evaluate slices too.

        Returns:
            The losses, the verdicts, and the remedy if there are not enough documents.
        """
        enough = f"at least {fewest} documents"
        remedy: str | Remedy = Remedy("lower {}", (("min_documents", ...),))
        advice: str | Remedy = ""
        if confidence is not None:
            needed = math.floor(math.log2(2 / level_of_tests(confidence))) + 1
            purpose = f"to show a loss at a confidence of {confidence:.4g}"
            if (count := _document_count(self.new)) < needed:
                noun = "document" if self.new.test_set.clusters is None else "cluster"
                reason = f"at least {needed} {noun}s are needed {purpose}, got {counted(count, noun)}"
                return [], [(_UNDECIDED, reason)], ""
            if needed >= fewest:
                fewest, enough, remedy = needed, f"at least {needed} documents, which are needed {purpose}", ""
        slices, small = self._slices_of(fewest) if every_slice else ({}, [])
        found, verdicts, _ = _evaluated(self, limits, fields, confidence, fewest)
        losses = [_loss_to_dict(change, field=field) for field, change in found]
        if "max_field_loss" in limits and not _fields_evaluated(self, fields, fewest):
            has_fields = bool(self.documents_with_field)
            reason = f"no field occurs in {enough}" if has_fields else f"{self.figure.label} has no scores of fields"
            verdicts.append((_UNDECIDED, reason))
            advice = remedy if has_fields else ""
            limits = {name: limit for name, limit in limits.items() if name == "max_loss"}
        by, unproven, whole = shown_name(self.new.slice_name), [], len(losses)
        for value, part in slices.items():
            found, of_slice, count = _evaluated(part, limits, fields, confidence, fewest)
            losses += [_loss_to_dict(change, field=field, slice=value) for field, change in found]
            unproven.append(count)
            if found:
                sentence = "; ".join(text for _, text in of_slice)
                verdicts.append((_FAILED, f"{by} {shown_name(value)}: {sentence}"))
        if slices and limits and len(losses) == whole:
            verdicts.append((_PASSED, _sentence_on_slices(unproven, limits, confidence)))
        if small:
            without = (_PASSED, f"not evaluated, without {enough}: {some_of(small)}")
            verdicts.append(without if slices else (_UNDECIDED, f"no slice has {enough}"))
            advice = advice if slices else remedy
        return losses, verdicts, advice

    def _evaluated_documents(self, limit: float | None) -> tuple[list[Change], int | None, list[_Verdict]]:
        """Evaluate documents by the share of their score that they may lose; with several runs, by their mean.

        Args:
            limit: the allowed share; None to evaluate no documents.

        Returns:
            The documents that lost more than allowed, largest loss first; the number of documents whose base score
            is too low to evaluate (None without a limit); and the verdict (none without a limit).
        """
        if limit is None:
            return [], None, []
        names, before = self.new.document_ids, [self.base.scores[row] for row in self._rows]
        means = (np.reshape(side, (-1, len(names))).mean(axis=0).tolist() for side in (before, self.new.scores))
        bases = [
            (change, change.base or 0.0)
            for change in _largest(map(Change, names, names, *means))
            if (change.base or 0.0) >= LEAST_DOCUMENT_SCORE - ROUNDING
        ]
        others, too_low = len(names) - len(bases), f"below {LEAST_DOCUMENT_SCORE:g} in the base"
        if not bases:
            return [], others, [(_UNDECIDED, f"all documents have a score {too_low}")]
        fallen = [change for change, base in bases if change.loss_beyond(limit * base, None)]
        texts = (f"{shown_name(change.name)} ({change.base:.4f} to {change.new:.4f})" for change in fallen)
        count = f"{len(fallen) or 'none'} of {counted(len(bases), 'document')}"
        which = f": {listed(texts, len(fallen), LISTED)}" if fallen else ""
        more = f"; {counted(others, 'document')} not evaluated, with a score {too_low}" if others else ""
        sentence = f"{count} lost more than {percent_text(limit)} of their score{which}{more}"
        return fallen, others, [(_FAILED if fallen else _PASSED, sentence)]

    @cached_property
    def documents_with_field(self) -> dict[str, int]:
        """The number of documents or clusters in which at least one of the systems has the field, by path."""
        documents: dict[str, set[str]] = {}
        for system in (self.base, self.new):
            names = system.test_set.clusters or system.ids
            for path, field in system.field_table.fields.items():
                documents.setdefault(path, set()).update(names[number] for number in field.numbers)
        return {path: len(names) for path, names in documents.items()}

    def _slices_of(self, fewest: int) -> "tuple[dict[str, Comparison], list[str]]":
        """Return the comparison of each slice with enough documents, and the names of the other slices."""
        settings = {name: self._resampling[name] for name in ("confidence", "n_resamples", "seed", "progress")}
        slices = {value: (self.base.of_slice(value), self.new.of_slice(value)) for value in self.new.rows_by_slice}
        small = [value for value, (_, new) in slices.items() if _document_count(new) < fewest]
        return {value: Comparison(*both, **settings) for value, both in slices.items() if value not in small}, small

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes in plain types, tables as lists of dicts."""
        note = self.figure.interval.note if self.figure.interval else ""
        slices: dict[str, Any] = {} if self.new.test_set.slices is None else {"slices": list(self.slices)}
        if self.new.test_set.slice is not None:
            slices = {"slice": {"by": self.new.slice_name, "value": self.new.test_set.slice}}
        metrics = {"metrics": list(self.figures), "signatures": self.new.signatures} if self.figures else {}
        return {
            "metric": self.new.metric,
            "base": self.figure.base,
            "new": self.figure.new,
            "difference": self.difference,
            "confidence": self.confidence,
            "confidence_interval": self.interval,
            **({"confidence_note": note} if note else {}),
            "p_value": self.p_value,
            "rows": len(self.document_changes),
            "better": list(document_changes_table(self.better)),
            "worse": list(document_changes_table(self.worse)),
            "better_count": len(self.better),
            "worse_count": len(self.worse),
            "same": self.same,
            "fields": list(self._field_table(self.field_changes)),
            "causes": list(self._cause_table(self.cause_changes)),
            **slices,
            **metrics,
            **{name: count for name, count in self.new.counts.items() if name == "skipped"},
            "counts": {"base": self.base.counts, "new": self.new.counts},
            "by_value": {"base": self.base.score_by_value, "new": self.new.score_by_value},
            "signature": self.signature,
        }

    @cached_property
    def documents(self) -> Table:
        """The documents whose score changed, largest change first; among equal changes, losses first."""
        return document_changes_table(_largest([*self.worse, *self.better]))

    @cached_property
    def fields(self) -> Table:
        """The fields whose score changed, with interval, p-value and q-value."""
        return self._field_table(change for change in self.field_changes if change.changed)

    def _field_table(self, changes: Iterable[Change]) -> Table:
        unchanged = sum(not change.changed for change in self.field_changes)
        caption = f"Fields, largest change first ({unchanged:,} did not change)"
        return changes_table(caption, changes, field_column(attrgetter("name")), unit="fields that changed")

    @cached_property
    def figures(self) -> Table:
        """The change of each figure of the metrics, with interval and p-value; without rows for one figure."""
        return changes_table(
            "Metrics",
            self.figure_changes,
            (TableColumn("figure", "metric", "text"), lambda change: TableCell(change.name, change.label)),
            unit="figures",
            text=FOUR_DIGITS,
            q_values=False,
            signatures=self.new.signatures.values(),
        )

    @cached_property
    def causes(self) -> Table:
        """The points lost by each cause whose points changed, with interval, p-value and q-value."""
        return self._cause_table(change for change in self.cause_changes if change.changed)

    def _cause_table(self, changes: Iterable[Change]) -> Table:
        return changes_table(
            "Points lost by cause, largest change first",
            changes,
            (TableColumn("cause", "cause", "text"), lambda change: TableCell(change.name, NAMES[change.name][0])),
            unit="causes",
        )

    @cached_property
    def slices(self) -> Table:
        """The figure in each slice, with interval, p-value and q-value; without rows if there is no `by`."""
        by = shown_name(self.new.slice_name)
        caption = f"{self.figure.label} by {by}, largest change first"
        name = text_column("value", by, attrgetter("name"))
        return changes_table(caption, self.slice_changes, name, unit="slices")

    def report(
        self,
        path: str | Path,
        *,
        changes: int = LISTED,
        gate: Gate | None = None,
        title: str | None = None,
        recipe: str | None = None,
    ) -> Path:
        """Write the comparison to a file.

        Args:
            path: the file to write: `.html`, or `.md` for a comment on a pull request.
            changes: the number of improved documents and the number of worse documents to list.
            gate: the result of `decide`, which the report then shows.
            title: the heading of the HTML file; None for the names of the evaluated files.
            recipe: how to reproduce the HTML file, for its footer; None for the Python code.

        Returns:
            The path of the file.

        Raises:
            ValueError: if the extension is another one, or the folder does not exist.
        """
        if title is None:
            sides = ("base", self.base), ("new", self.new)
            title = " → ".join(system.files[-1] if system.files else name for name, system in sides)
        if recipe is None and self.base.recipe and self.new.recipe:
            recipe = f"{self.base.recipe}.compare({self.new.recipe}).report({Path(path).name!r})"
        return write_report(path, self._renderers(changes=changes, gate=gate, title=title, recipe=recipe or ""))

    def _sides(self, of_system: Callable[[Evaluation], Ratios]) -> tuple[Ratios, Ratios]:
        """Return the ratios of both systems, with the rows of both in the order of the new system."""
        before, after = of_system(self.base), of_system(self.new)
        return before.rows(self._rows), after

    def _together(self, names: Sequence[str], before: Ratios, after: Ratios) -> list[Change]:
        """Return the changes of slices or causes with q-values; all are tested with the same swaps."""
        labels = [FigureName(name, name) for name in names]
        changes = changes_of(labels, before, after, [range(len(names))], **self._resampling)
        return _with_q_values(changes, before.totals, after.totals)


def _check_same(expected: str, base: object, new: object, *, place: str = "", got: str = "") -> None:
    """Raise `ValueError` if two systems differ in a setting or in data that they must share."""
    if base != new:
        raise InputValueError(place=place or (), expected=expected, got=got or f"{base} and {new}")


def _result(system: object) -> Evaluation:
    if not isinstance(system, Evaluation):
        expected, got = "a result of docscore.evaluate", type(system).__name__
        raise InputTypeError(place="compare", expected=expected, got=got)
    return system


compare = Comparison
"""`Comparison` as a function of two results: `docscore.compare(base, new)`."""

decide = Comparison.decide
"""`Comparison.decide` as a function: `docscore.decide(comparison, max_loss)`."""


def decide_level(evaluation: Evaluation, level: float, interval: Interval | None = None) -> Gate:
    """Decide whether the first figure of a system is below a level, with or without an interval.

    Args:
        evaluation: the evaluation.
        level: the required level, above 0 and at most 1.
        interval: the interval of the figure, to fail only if its upper end is below the level; None to compare the
            figure itself.

    Raises:
        ValueError: if the level is out of its range, if documents were left out, or if the interval has no ends.
    """
    level = check_number("level", level, "a number above 0 and at most 1", lambda number: 0 < number <= 1)
    settings = {"level": level, "beyond_chance": interval is not None}
    reason = _left_out(evaluation) or (f"no interval: {interval.note}" if interval and interval.high is None else "")
    if reason:
        return _gate([(_UNDECIDED, reason)], settings)
    value = float(evaluation.ratio.values[0])
    below, by_chance = value < level - ROUNDING, ""
    failed = below
    if interval is not None and interval.high is not None:
        failed = interval.high < level - ROUNDING
        chance = " beyond chance" if failed else ", but this may be chance"
        by_chance = f"{chance} (interval up to {interval.high:.4f})"
    relation = f"below {level:g}{by_chance}" if below else f"not below {level:g}"
    sentence = f"{evaluation.figure_names[0].label}, {value:.4f}, is {relation}"
    return _gate([(_FAILED if failed else _PASSED, sentence)], settings)


def _document_count(system: Evaluation) -> int:
    """Return the number of documents, or of clusters of documents."""
    return len(set(system.test_set.clusters or system.ids))


def _left_out(system: Evaluation) -> str:
    """Return why a gate cannot decide if documents were left out, which may be the worst; "" if none were."""
    skipped = system.test_set.skipped
    if not skipped:
        return ""
    were, they = ("was", "it") if skipped == 1 else ("were", "they")
    return f"{counted(skipped, 'document')} {were} left out; {they} may be the worst"


def _loss_to_dict(change: Change, **part: str | None) -> dict[str, Any]:
    """Return a loss as `Gate.losses` lists it; `part` has its slice, field or document."""
    return {"slice": None, "field": None, "document": None, **part, "base": change.base, "new": change.new}


def _fields_evaluated(comparison: Comparison, fields: Sequence[str], least: int) -> list[Change]:
    """Return the changes of the named fields, or of all fields, that occur in enough documents."""
    documents = comparison.documents_with_field
    return [
        change
        for change in comparison.field_changes
        if documents[change.name] >= least and (not fields or change.name in fields)
    ]


def _evaluated(
    comparison: Comparison, limits: dict[str, float], fields: Sequence[str], confidence: float | None, least: int
) -> tuple[list[tuple[str | None, Change]], list[_Verdict], int]:
    """Evaluate the first figure, and the fields with enough documents, against the given limits.

    Returns:
        The changes with a larger loss than allowed, by field (None for the first figure); the verdicts, failures first;
        and the number of other changes with a larger loss than allowed, which may be due to chance.
    """
    losses: list[tuple[str | None, Change]] = []
    verdicts: list[_Verdict] = []
    unproven = 0
    if (limit := limits.get("max_loss")) is not None:
        change = comparison.figure
        if change.loss_beyond(limit, confidence):
            losses.append((None, change))
        unproven += change.loss_beyond(limit, None) and not losses
        verdicts.append((_FAILED if losses else _PASSED, _sentence_on_figure(change, limit, confidence)))
    chosen = _fields_evaluated(comparison, fields, least) if "max_field_loss" in limits else []
    if chosen:
        limit = limits["max_field_loss"]
        fallen = sorted((change for change in chosen if change.loss_beyond(limit, None)), key=_loss, reverse=True)
        lost = [change for change in fallen if change.loss_beyond(limit, confidence)]
        losses += [(change.name, change) for change in lost]
        more = len(fallen) - len(lost)
        unproven += more
        verdicts.append((_FAILED if lost else _PASSED, _sentence_on_fields(chosen, lost, more, limit, confidence)))
    return losses, sorted(verdicts, key=itemgetter(0)), unproven


def _sentence_on_fields(
    evaluated: Sequence[Change], lost: Sequence[Change], more: int, limit: float, confidence: float | None
) -> str:
    """Return a sentence with the fields that lost more than allowed, and the number of others that may have."""
    chance = "" if confidence is None else " beyond chance"
    names = ", ".join(f"{field_text(change.name)} {with_sign(-_loss(change))}" for change in lost)
    sentence = f"{len(lost) or 'none'} of {counted(len(evaluated), 'field')} lost more than {limit:g}{chance}"
    as_much = f" ({more:,} more lost as much, which may be chance)" if more else ""
    return sentence + (f": {names}" if names else "") + as_much


def _sentence_on_slices(unproven: Sequence[int], limits: dict[str, float], confidence: float | None) -> str:
    """Return the verdict on the slices if no slice fell by more than allowed.

    Args:
        unproven: for each slice, the number of losses that may be due to chance.
        limits: the limits for the figure and for the fields.
        confidence: the level at which a loss must be shown; None to compare only the values.
    """
    noun, some = counted(len(unproven), "slice"), sum(count > 0 for count in unproven)
    chance = "" if confidence is None else " beyond chance"
    parts = [
        f"{of} {noun} lost more than {limits[name]:g}{chance}"
        for name, of in (("max_loss", "none of"), ("max_field_loss", "no field of"))
        if name in limits
    ]
    return "; ".join(parts) + (f" ({some:,} lost as much, which may be chance)" if some else "")


def _sentence_on_figure(change: Change, limit: float, confidence: float | None) -> str:
    """Return a sentence with the difference of the first figure and how the gate interprets it."""
    fell, shown = change.loss_beyond(limit, None), change.loss_beyond(limit, confidence)
    sentence = f"the difference of {change.label} is {with_sign(change.difference or 0.0)}"
    verdict = f"{sentence}, {'a' if fell else 'no'} loss of more than {limit:g}"
    if confidence is None:
        return verdict
    if fell and not shown and change.is_beyond_chance(confidence):
        least = f"at least {-change.upper:.4f}"
        return f"{sentence}: there is a loss, but it may be smaller than {limit:g} ({least})"
    if fell:
        verdict += " beyond chance" if shown else ", which may be chance"
    interval = f"interval up to {with_sign(change.upper)}" if math.isfinite(change.upper) else "no interval"
    return f"{verdict} ({interval}, p = {p_text(1.0 if change.p_value is None else change.p_value)})"


def _loss(change: Change) -> float:
    """Return by how much a value fell; a missing new value counts as 0."""
    return (change.base or 0.0) - (change.new or 0.0)


def _heaviest(*tables: FieldTable) -> list[str]:
    """Return the paths of the `MOST_FIELDS_TESTED` fields with the most weight, in the order of the tables."""
    weights: dict[str, float] = {}
    for table in tables:
        for path, field in table.fields.items():
            weights[path] = weights.get(path, 0.0) + field.weight
    chosen = set(sorted(weights, key=lambda path: (-weights[path], path))[:MOST_FIELDS_TESTED])
    return [path for path in weights if path in chosen]


def _with_fields(system: Evaluation, paths: Sequence[str]) -> Ratios:
    """Return the first figure, and the fields with these paths, as ratios."""
    known = system.field_table.fields
    fields = fields_as_ratios([known.get(path, Field(path)) for path in paths], len(system))
    return side_by_side(system.ratio, fields)


def _lost_by_cause(table: FieldTable) -> Ratios:
    """Return the points that documents lose by each cause, as ratios over documents."""
    lost = np.zeros((len(table.losses), len(CAUSES)))
    for row, losses in zip(lost, table.losses, strict=True):
        for (_, cause), points in losses.items():
            row[CAUSES.index(cause)] += points
    return Ratios(lost, np.ones_like(lost))


def _largest(changes: Iterable[Change]) -> list[Change]:
    return sorted(changes, key=lambda change: -change.size)

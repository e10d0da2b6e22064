"""The scored rows of a test set: scores, score trees, the fields and causes of lost points that come from them."""

import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import fsum, inf
from shlex import quote
from typing import Any

import numpy as np
import numpy.typing as npt

from docscore.core.displayed import Displayed
from docscore.core.errors import NAMED, InputError, InputValueError, at_place, needs, row_place, short_repr, some_of
from docscore.core.formatting import counted, printable, shown_name, three_digits
from docscore.core.numbers import ROUNDING
from docscore.core.options import (
    BY_VALUE,
    DEFAULT_OPTIONS,
    SKIP,
    ScoringOptions,
    check_confidence,
    check_price,
    check_whole,
)
from docscore.core.places import NO_PLACES
from docscore.core.processes import in_processes, numbered_portions
from docscore.core.runtime import Advance, Progress, ignore, no_progress, warn, watched
from docscore.core.values import differs_by_value
from docscore.data.checks import FEWEST_WITH_KEYS, keys_beside_fields, read_texts
from docscore.data.content import BESIDE
from docscore.data.document_files import Documents
from docscore.data.groups import Grouping, groups_of_rows, rows_by_group, with_row_schemas
from docscore.data.model_text import COUNTED_OUTCOMES, PARSE_COUNTS, Parsed
from docscore.data.pairing import Pairs
from docscore.data.rows import columns_of
from docscore.evaluation.automation import REVIEWED
from docscore.evaluation.fields import (
    MOST_FIELDS_TESTED,
    Field,
    FieldTable,
    as_float,
    cut_off_text,
    fields_as_ratios,
)
from docscore.evaluation.figures import (
    Cost,
    Figure,
    Rate,
    RateCounts,
    Runs,
    Slice,
    costs_of,
    figures_of,
    rates_of,
    runs_of,
)
from docscore.evaluation.standing import WHERE, RowStanding, Standing, ratios_of_standing, standing_of
from docscore.evaluation.tables import Table, TableCell, TableColumn, table_of
from docscore.metrics.anls_star.api import FieldCounts, score_all
from docscore.metrics.anls_star.causes import CAUSES, Cause
from docscore.metrics.anls_star.matching import has_long_list
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.annotations import Annotation, annotations_of
from docscore.metrics.base import Breakdown, FigureName, MetricRow, MetricTree
from docscore.metrics.registry import (
    ANLS_STAR,
    METRICS,
    TYPED,
    WITH_TREES,
    AnlsStar,
    checked_metrics,
    is_own,
    line_of_metric,
    metrics_with_schema,
    signature_of,
    values_metric,
)
from docscore.metrics.typed.schema_warnings import (
    check_compared,
    places_by_schema,
    warn_of_date_orders,
    warn_of_readings,
    warn_of_schemas,
)
from docscore.stats.intervals import (
    CONFIDENCE,
    MOST_RESAMPLED,
    RESAMPLES,
    SEED,
    Interval,
    Ratios,
    intervals_of,
    side_by_side,
)

_MOST_SCORED = 1_000  # rows by which the cost of keys is measured
_LEAST_COST = 0.001  # of keys that are warned of
_LEFT_OUT = Interval(note=f"only the {MOST_FIELDS_TESTED} fields of most weight have an interval")
OF_ANLS = (ANLS_STAR, "anls", "anlsl")  # their results have the key "anls_score"


_IdsAndValues = tuple[Sequence[str], Sequence[tuple[Any, Any]]]


def _scores(rows: _IdsAndValues, options: ScoringOptions, scored: Advance = ignore) -> list[float]:
    """Return the ANLS* score of each row; errors name its id."""
    ids, values = rows
    scores: list[float] = score_all(values, options, lambda number: row_place(ids[number]), scored).tolist()
    return scores


def _may_lack_figures(metric: str) -> bool:
    """Return whether a metric has no figure where nothing counts: one that judges places, or that a user wrote."""
    return METRICS[metric].judges_places or is_own(METRICS[metric])


class Row(Displayed):
    """One row of an evaluation: a ground truth, its prediction and the score.

    Attributes:
        id: its id; where rows have none, its number as text.
        number: its place in the order of the references, counted from 0.
        ground_truth: what was expected; a tuple holds acceptable answers.
        prediction: what was predicted, as it was scored: with `parse` the value that was read; None where there was
            none.
    """

    def __init__(self, scored: "ScoredRows", number: int) -> None:
        self._scored = scored
        self.number = number
        self.id: str = scored.ids[number]
        self.ground_truth: Any = scored.pairs.truths[number]
        self.prediction: Any = scored.pairs.predictions[number]

    @property
    def score(self) -> float:
        """Its score by the first metric, in [0, 1]."""
        return self._scored.scores[self.number]

    @property
    def columns(self) -> dict[str, Any]:
        """The whole row of the references, by column; empty where rows have no ids."""
        rows = self._scored.pairs.reference_rows
        return {name: rows[self.number][name] for name in columns_of(rows[self.number])} if rows else {}

    @property
    def parse_note(self) -> str:
        """What reading its text as JSON changed or gave up; "" if nothing, and without `parse`."""
        return self._scored.readings.get(self.number, Parsed(None)).note

    @property
    def is_absent(self) -> bool:
        """Whether there was no prediction."""
        return self.number in self._scored.pairs.absent

    @property
    def for_metrics(self) -> MetricRow:
        """The row as metrics take it."""
        confidences, places = self._scored.pairs.confidences, self._scored.pairs.places
        reading = self._scored.readings.get(self.number)
        cause: Cause | None = "unparsable" if reading is not None and reading.failed else None
        if self.number in (self._scored.absent or ()):
            cause = "missing prediction"
        return MetricRow(
            self.ground_truth,
            self.prediction,
            confidences[self.number] if confidences else None,
            lambda: self._scored.anls_star[self.number],
            self.id,
            cause,
            places[self.number] if places else None,
            self._scored.values_by,
        )

    def _tree_by(self, metric: str) -> ScoreTree:
        try:
            return METRICS[metric].score_tree(self.for_metrics, self._scored.options)
        except Exception as error:
            if not is_own(METRICS[metric]):
                raise
            raise self._scored.error_of(metric, self.number, error) from error

    @cached_property
    def tree(self) -> ScoreTree:
        """How the score by the first metric comes about; the tree of ANLS* for a metric that has none."""
        return self._tree_by(self._scored.metric)

    @property
    def other_trees(self) -> list[MetricTree]:
        """The score trees of the other metrics that have trees of their own, unlike ANLS* and the typed score.

        Raises:
            TypeError, ValueError: for a value that a metric cannot score.
        """
        trees = (self._tree_by(name) for name in self._scored.metrics[1:] if name in WITH_TREES)
        return [tree for tree in trees if isinstance(tree, MetricTree)]

    @property
    def text_options(self) -> ScoringOptions | None:
        """How the texts of its tree were compared; None where a schema says how values are compared."""
        by = self._scored.values_by if self._scored.scorer.judges_places else self._scored.metric
        return None if by == TYPED else self._scored.options

    @cached_property
    def annotations(self) -> list[Annotation]:
        """The remarks on the tree, such as values that are exchanged, most points first."""
        return annotations_of(self.tree, self.text_options)

    def explain(self, metric: str) -> ScoreTree:
        """Return the tree that shows how the score of the row by a metric comes about.

        Args:
            metric: a name among `METRICS`: "kieval" (entities and the corrections that they need), "entity_f1"
                (entities that are right, wrong, missed and invented), "nted" (edits of keys and texts and their
                costs), "typed" (with a schema) or another, whose tree is that of ANLS*.

        Raises:
            TypeError, ValueError: for another metric, and values that the metric refuses.
        """
        if metric not in METRICS:
            raise InputValueError(place="metric", expected=f"one of {', '.join(METRICS)}", got=short_repr(metric))
        if metric == self._scored.metric:
            return self.tree
        METRICS[metric].check_options(self._scored.options)
        return self._tree_by(metric)

    @property
    def sample(self) -> dict[str, Any]:
        """The id and the score in plain types; None for a row without evidence, if the metric judges places."""
        score = self.score if self.number in self._scored.counted else None
        return {"question_id": self.id, self._scored.row_key: score}

    def to_dict(self) -> dict[str, Any]:
        """Return the id, the score, the tree and the remarks on it in plain types."""
        remarks = [remark.to_dict() for remark in self.annotations]
        return {**self.sample, "tree": self.tree.to_dict(), "annotations": remarks}

    def __repr__(self) -> str:
        return f"<Row {short_repr(self.id)} {self._scored.metric} {self.score:.4f}>"


class Rows(Displayed, list[Row]):
    """Rows of one evaluation, such as those with the lowest scores; a list in every other respect.

    >>> import docscore
    >>> worst = docscore.evaluate(predictions=["x", "y"], references=["x", "z"]).worst(2)
    >>> worst, worst[0]
    (<Rows 2 rows, anls_star 0.0000 to 1.0000>, <Row '1' anls_star 0.0000>)
    """

    def __init__(self, scored: "ScoredRows", numbers: Iterable[int]) -> None:
        super().__init__(Row(scored, number) for number in numbers)
        self._scored = scored

    def __repr__(self) -> str:
        scores = [row.score for row in self]
        between = f", {self._scored.metric} {min(scores):.4f} to {max(scores):.4f}" if scores else ""
        return f"<Rows {counted(len(self), 'row')}{between}>"

    @property
    def table(self) -> Table:
        """The ids and the scores of the rows."""

        def score_cell(row: Row) -> TableCell:
            return TableCell(row.score, three_digits(row.score), suffix=" (missing)" if row.is_absent else "")

        def id_cell(row: Row) -> TableCell:
            return TableCell(row.id, f"{numbered * row.id.isdigit()}{shown_name(row.id)}")

        numbered = "row " if self._scored.pairs.reference_rows is None else ""  # ids that count rows from 0
        return table_of(
            "Lowest scores",
            self,
            (TableColumn("question_id", "document", "code"), id_cell),
            (TableColumn(self._scored.row_key, "score"), score_cell),
            unit="documents",
        )

    def to_pandas(self) -> Any:
        """Return the ids and the scores as a `pandas.DataFrame`; errors as for `Table.to_pandas`."""
        return self.table.to_pandas()


class Scored:
    """Base class of evaluations and of scored rows; `scored_rows` returns the rows of both."""

    _rows: "ScoredRows"


def scored_rows(scored: Scored) -> "ScoredRows":
    """Return the scored rows of an evaluation; scored rows are returned as they are."""
    return scored if isinstance(scored, ScoredRows) else scored._rows  # noqa: SLF001  of a class of this module


class ScoredRows(Scored):
    """The rows of one system on one test set, scored by metrics; from them come the figures of an `Evaluation`.

    The arguments are those of `Evaluation`.
    """

    files: Sequence[str] = ()
    recipe = ""

    def __init__(
        self,
        pairs: Pairs,
        options: ScoringOptions = DEFAULT_OPTIONS,
        *,
        metrics: Sequence[str] | None = None,
        cluster: Grouping | None = None,
        by: Grouping | None = None,
        confidence: float | None = CONFIDENCE,
        seed: int = SEED,
        progress: Progress = no_progress,
        faults: Sequence[str] = (),
        whole: bool = True,
        token_price: float | None = None,
        documents: Any = None,
        num_proc: int = 1,
    ) -> None:
        if options.schema is not None:
            options = with_row_schemas(pairs, options)
        metrics = metrics_with_schema(None, options.schema) if metrics is None else metrics
        self.metrics = checked_metrics(metrics, options)
        self.metric = self.metrics[0]
        self.scorer = METRICS[self.metric]
        self.options, self.by, self.progress, self.faults = options, by, progress, list(faults)
        self.token_price = None if token_price is None else check_price("token_price", token_price)
        self.num_proc = num_proc
        self.confidence = None if confidence is None else check_confidence(confidence)
        self.seed = check_whole("seed", seed, 0)
        clusters = pairs.clusters if cluster is None else groups_of_rows(pairs, cluster, "cluster")
        self.source = pairs._replace(clusters=clusters)
        self.values_by = values_metric(self.metrics, options)
        read = documents is None or isinstance(documents, Documents)
        self.documents = documents if read else Documents(documents, pairs.documents or pairs.ids)
        judged = documents is not None or any(METRICS[name].judges_places for name in self.metrics)
        self.pairs, self.readings, self.doubts, self.whole_truths = read_texts(
            self.source, options, progress, whole=whole, places=judged
        )
        self.ids = self.pairs.ids
        self.places: dict[str, set[str]] = {}
        self._is_whole = whole
        if TYPED in self.metrics:
            self.places = places_by_schema(zip(self.ids, self.pairs.truths, strict=True), options.schema)
            if whole:
                check_compared(self.pairs.truths, options.schema)
                self.doubts += warn_of_schemas(self.places, options.schema)
                sides = zip(self.pairs.truths, self.pairs.predictions, strict=True)
                self.doubts += warn_of_date_orders(zip(self.ids, sides, strict=True), options.schema)
        self.slice_name = by if isinstance(by, str) else "value"
        self.slice: str | None = None
        self.rows_by_slice = {} if by is None else rows_by_group(self.pairs, by, "by")
        self._points: dict[str, list[Any]] = {}
        self._ratios: dict[str, Ratios] = {}
        self._having: dict[str, list[int]] = {}  # the numbers of the figures that a document has, of places
        if whole and len(self.ids) >= FEWEST_WITH_KEYS and (keys := keys_beside_fields(self.pairs)):
            self._warn_of_keys(keys)

    def _warn_of_keys(self, keys: Sequence[str]) -> None:
        """Warn of keys that only the predictions have, if they cost points."""
        some = self.source.only(range(min(len(self.ids), _MOST_SCORED)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            before, after = (
                ScoredRows(some, options, metrics=[self.metric], whole=False).score
                for options in (self.options, replace(self.options, ignore_keys=(*self.options.ignore_keys, *keys)))
            )
        if after - before < _LEAST_COST:
            return
        names = printable(",".join(keys))
        remedy = f'leave them out with --ignore-keys {quote(names)} (ignore_keys="{names}")'
        if beside := next((key for key in BESIDE if key in keys), ""):
            remedy += f"; --with-confidences (with_confidences=True) reads {beside!r} as confidences"
        self.doubts.append(
            f"predictions: nearly all have keys that no ground truth has, {some_of(keys)}; without them the score "
            f"{'' if len(some.ids) == len(self.ids) else f'of the first {_MOST_SCORED:,} rows '}is {after:.3f}, not "
            f"{before:.3f}; if they are no answers, {remedy}"
        )
        warn(self.doubts[-1])

    def of_slice(self, value: str) -> "ScoredRows":
        """Return the rows of one slice as an evaluation of their own, with its fields, causes and comparisons.

        Args:
            value: of the column or function `by`, as text.

        Raises:
            ValueError: for a value that no row has, and without `by`.
        """
        if self.by is None:
            raise needs(option="slice", other="by")
        if value not in self.rows_by_slice:
            examples = ", ".join(map(short_repr, list(self.rows_by_slice)[:NAMED]))
            raise InputValueError(place="slice", expected=f"a value such as {examples}", got=short_repr(value))
        numbers, documents = self.rows_by_slice[value], self.source.documents
        if documents is not None:  # the rows of a document have the same value in all runs
            documents = [documents[number] for number in numbers if number < len(documents)]
        rows = self.source.only(numbers)._replace(skipped=self.source.skipped, documents=documents)
        settings: dict[str, Any] = {"confidence": self.confidence, "seed": self.seed, "progress": self.progress}
        settings |= {"token_price": self.token_price, "documents": self.documents}
        with warnings.catch_warnings():  # these rows have been warned of
            warnings.simplefilter("ignore", UserWarning)
            part = ScoredRows(rows, self.options, metrics=self.metrics, whole=False, **settings)
        part.slice, part.slice_name = value, self.slice_name
        return part

    @cached_property
    def signatures(self) -> dict[str, str]:
        """What makes the figures of each metric comparable, by its name: metric, options and version."""
        given: dict[str, Any] = {"skipped": self.pairs.skipped, "values_by": self.values_by}
        return {name: signature_of(name, self.options, **given) for name in self.metrics}

    @property
    def signature(self) -> str:
        """What makes the figures of the first metric comparable."""
        return self.signatures[self.metric]

    # Scores

    @cached_property
    def anls_star(self) -> list[float]:
        """The ANLS* score of each row, in [0, 1]."""
        scored = self.progress("Scoring", len(self))
        values = list(zip(self.pairs.truths, self.pairs.predictions, strict=True))
        # a text may give a warning, which another process would keep for itself
        if self.num_proc == 1 or any(type(prediction) is str for _, prediction in values):
            return _scores((self.ids, values), self.options, scored)
        portions = [
            (self.ids[start : start + len(portion)], portion)
            for start, portion in numbered_portions(values, self.num_proc)
        ]
        scores: list[float] = []
        for found in in_processes(partial(_scores, options=self.options), portions, self.num_proc):
            scores += found
            scored(len(found))
        return scores

    def points(self, metric: str) -> list[Any]:
        """Return the points of each row by a metric, from which it computes its figures.

        Raises:
            TypeError, ValueError: for a value that the metric cannot score, naming its row.
        """
        if metric == ANLS_STAR:
            return self.anls_star
        if metric not in self._points:
            scorer, points = METRICS[metric], []
            if isinstance(scorer, AnlsStar):
                _ = self.anls_star  # its phase comes first
            for number in watched(range(len(self)), self.progress, "Measuring", len(self)):
                try:
                    of_row = scorer.row_points(self.row(number).for_metrics, self.options)
                except Exception as error:  # noqa: BLE001  whatever a metric of a user raises
                    raise self.error_of(metric, number, error) from error.__cause__
                # with confidences the automation curve reads the details
                points.append(scorer.without_details(of_row) if self.pairs.confidences is None else of_row)
            self._points[metric] = points
            if metric == TYPED and self._is_whole:
                leaves = [leaf for _, of_row in points for leaf in of_row]
                self.doubts += warn_of_readings(leaves, self.options.schema)
        return self._points[metric]

    def error_of(self, metric: str, number: int, error: Exception) -> Exception:
        """Return the error of a metric with its row, and with the line of the code if a user wrote the metric."""
        place = self._place(number)
        if is_own(METRICS[metric]) and not isinstance(error, InputError | MemoryError):
            line = line_of_metric(METRICS[metric], error)
            problem = f"{type(error).__name__}: {error} ({line})" if str(error) else f"{type(error).__name__} ({line})"
            return InputValueError(place=(place, f"metric {metric}"), problem=problem)
        if isinstance(error, TypeError | ValueError):
            return at_place(place, error)
        if isinstance(error, ArithmeticError):
            return InputValueError(place=(place, f"metric {metric}"), problem=str(error))
        return error

    def ratios_of(self, metric: str) -> Ratios:
        """Return the figures of a metric as ratios of sums over the n rows, a column for each of its k figures."""
        if metric in self._ratios:
            return self._ratios[metric]
        if metric == ANLS_STAR:  # its points are the scores
            scores = np.array(self.anls_star)[:, np.newaxis]
            self._ratios[metric] = Ratios(scores, np.ones_like(scores))
        else:
            rows = watched(enumerate(self.points(metric)), self.progress, "Summing", len(self))
            sums = np.array([self._sums(metric, *row) for row in rows], dtype=np.float64)
            earned, weight = np.moveaxis(sums.reshape(-1, len(METRICS[metric].figures), 2), 2, 0)
            ratios = Ratios(earned, weight)
            if _may_lack_figures(metric):
                self._having[metric] = np.flatnonzero(ratios.totals).tolist()
                ratios = ratios.columns(self._having[metric])
            self._ratios[metric] = ratios
            self._check_figures(metric)
        return self._ratios[metric]

    def _check_figures(self, metric: str) -> None:
        """Raise `ValueError` if the first metric has no figure, and warn if another has none."""
        if self._ratios[metric].values.size or not (self._is_whole or self.slice is not None):
            return
        fault = InputValueError(
            place=f"metric {metric}",
            expected="evidence with a page or a box for at least one value of the ground truths"
            if METRICS[metric].judges_places
            else "a denominator above 0 in at least one row",
            got="none",
        )
        if metric == self.metric:
            raise fault
        if self._is_whole:
            self.doubts.append(str(fault))
            warn(self.doubts[-1])

    def names_of(self, metric: str) -> list[FigureName]:
        """Return the names of the figures of a metric; if it may have none, those that a document has."""
        if _may_lack_figures(metric):
            _ = self.ratios_of(metric)
            return [METRICS[metric].figures[number] for number in self._having[metric]]
        return list(METRICS[metric].figures)

    def _sums(self, metric: str, number: int, points: Any) -> Sequence[tuple[float, float]]:
        """Return the numerator and the denominator of each figure of a row; raise `ValueError` for impossible ones."""
        scorer = METRICS[metric]
        try:
            sums = scorer.figure_sums(points)
        except Exception as error:  # noqa: BLE001  whatever a metric of a user raises
            raise self.error_of(metric, number, error) from error.__cause__
        try:
            if len(sums) == len(scorer.figures) and all(0 <= part <= whole + ROUNDING < inf for part, whole in sums):
                return sums
            got = short_repr(sums)
        except (TypeError, ValueError) as error:
            got = str(error)
        expected = (
            f"{counted(len(scorer.figures), 'pair')} of a numerator and a denominator, 0 <= numerator <= denominator"
        )
        raise InputValueError(place=(self._place(number), f"metric {metric}"), expected=expected, got=got)

    @cached_property
    def ratio(self) -> Ratios:
        """The first figure of the first metric as a ratio of sums over rows."""
        ratios = self.ratios_of(self.metric)
        if not ratios.values.size:  # a part of a test set without places
            return Ratios(np.zeros((len(self), 1)), np.zeros((len(self), 1)))
        return ratios if len(ratios.values) == 1 else ratios.columns([0])

    @cached_property
    def ratios(self) -> Ratios:
        """The figures of the metrics as ratios of sums over the rows, a column for each."""
        return side_by_side(*map(self.ratios_of, self.metrics))

    @property
    def score(self) -> float:
        """The value of the first figure of the first metric, in [0, 1], 1 is best; by default the mean ANLS* score."""
        return float(self.ratio.values[0])

    @cached_property
    def scores(self) -> list[float]:
        """The score of each row by the first metric: its part of the figure, 1 where nothing counts in it."""
        sums = zip(self.ratio.earned[:, 0].tolist(), self.ratio.weight[:, 0].tolist(), strict=True)
        return [earned / weight if weight else 1.0 for earned, weight in sums]

    @cached_property
    def counted(self) -> Collection[int]:
        """The numbers of the rows that the score is about: all, but of a metric of places those with evidence."""
        judged = self.scorer.judges_places
        return set(np.flatnonzero(self.ratio.weight[:, 0]).tolist()) if judged else range(len(self))

    @property
    def figure_names(self) -> list[FigureName]:
        """The names of the figures of the metrics; the first is that of the score."""
        return [name for metric in self.metrics for name in self.names_of(metric)]

    @property
    def whole(self) -> float:
        """The denominator of the score: the number of rows; of a metric that counts entities, theirs."""
        return float(self.ratio.totals[0]) or 1.0

    @property
    def is_mean(self) -> bool:
        """Whether the score is the mean of the scores of the rows; that of entities is a ratio of sums."""
        return bool((self.ratio.weight[list(self.counted)] == 1).all())

    @cached_property
    def score_by_value(self) -> float | None:
        """The score if numbers were compared by value.

        None where they are, where no number prints otherwise than by value, and for a metric without this option. Only
        the rows with such numbers are scored again.
        """
        if "numbers" not in self.scorer.options or self.options.numbers == BY_VALUE:
            return None
        pairs = zip(self.pairs.truths, self.pairs.predictions, strict=True)
        checked = enumerate(watched(pairs, self.progress, "Checking", len(self)))
        rows = [number for number, pair in checked if differs_by_value(pair)]
        if not rows:
            return None
        options = replace(self.options, numbers=BY_VALUE, parse="text", parse_references=None)
        with warnings.catch_warnings():  # these rows have been warned of
            warnings.simplefilter("ignore", UserWarning)
            again = ScoredRows(self.pairs.only(rows), options, metrics=self.metrics, confidence=None, whole=False)
        sums = self.ratio.table.copy()
        sums[rows] = again.ratio.table
        return float(Ratios(sums[:, :1], sums[:, 1:]).values[0])

    @cached_property
    def breakdowns(self) -> dict[str, Any]:
        """Further counts of a metric by its name, such as the corrections of KIEval."""
        breakdowns: dict[str, Breakdown | None] = {
            name: METRICS[name].breakdown(self.points(name)) for name in self.metrics if name != TYPED
        }
        if TYPED in self.metrics:
            breakdowns[TYPED] = typed = FieldTable()
            for number, (_, leaves) in enumerate(self.points(TYPED)):
                typed.add(number, leaves)
        parts = {**breakdowns, "documents": self._standing()}
        return {name: breakdown for name, breakdown in parts.items() if breakdown is not None}

    def _standing(self) -> Standing | None:
        """What of the predicted values stands in the documents; None without documents."""
        if self.documents is None:
            return None
        names, count = self.document_ids, len(self.document_ids)
        documents = watched(self.documents.read_all(names), self.progress, "Looking up", count)
        places, failed = self.pairs.places or [NO_PLACES] * len(self), self.failed or ()
        predictions = [None if number in failed else value for number, value in enumerate(self.pairs.predictions)]
        rows, without_text = [RowStanding()] * len(self), 0
        for number, document in enumerate(documents):
            without_text += document is None
            for row in range(number, len(self) if document else 0, count):  # in each run
                rows[row] = standing_of(document, predictions[row], places[row].citations)
        remark = self.documents.remark(count) if self._is_whole else ""
        if remark:
            self.doubts.append(f"documents: {remark}")
            warn(self.doubts[-1])
        intervals: Sequence[Interval | None] = [None] * len(WHERE)
        if self.confidence is not None:
            drawing = {"clusters": self.clusters, **self._drawing()}
            intervals = intervals_of(ratios_of_standing(rows), self.confidence, **drawing)
        return Standing(rows, names * (len(self) // count), intervals, without_text)

    # Documents, clusters and runs

    @property
    def document_ids(self) -> list[str]:
        """The id of each document; one of several runs stands once."""
        return self.pairs.documents or self.ids

    @cached_property
    def clusters(self) -> npt.NDArray[np.intp] | None:
        """The number of each row's cluster, shape (n,); None where all rows are independent."""
        if self.pairs.clusters is None:
            return None
        numbers = {name: number for number, name in enumerate(dict.fromkeys(self.pairs.clusters))}
        return np.array([numbers[name] for name in self.pairs.clusters], dtype=np.intp)

    @cached_property
    def runs(self) -> Runs | None:
        """How the scores of several runs of the system vary; None where there is one run, or one document."""
        documents = self.pairs.documents
        if documents is None or len(documents) == 1:
            return None
        n = len(documents)
        figures = [float(self.ratio.rows(range(first, first + n)).values[0]) for first in range(0, len(self), n)]
        variances = runs_of(np.reshape(self.scores, (-1, n)), documents)
        return variances._replace(scores=figures, deviation=float(np.std(figures, ddof=1)))

    @cached_property
    def costs(self) -> dict[str, Cost]:
        """The sums of the columns cost, seconds and tokens of the predictions, as far as they have them.

        With a price of tokens, the cost is that of the tokens.
        """
        return costs_of(self.pairs, self.token_price)

    @property
    def document_cost(self) -> float | None:
        """The mean cost of a document; None where it is not known."""
        total = self.costs["cost"].total if "cost" in self.costs else None
        return None if total is None else total / len(self.document_ids)

    # Single rows

    def row(self, number: int) -> Row:
        """Return the row with a number."""
        return Row(self, number)

    @property
    def row_key(self) -> str:
        """The key of the score of a row in results: "anls_score", or the name of another metric."""
        return "anls_score" if self.metric in OF_ANLS else self.metric

    def samples(self) -> list[dict[str, Any]]:
        """Return `{"question_id": ..., "anls_score": ...}` for each row, in the order of the references.

        The score of a metric other than ANLS* has the metric's name as key.

        With `parse`, each also has the key "parsed": "exact" for what is read as it is, "extracted", "mended",
        "ambiguous", "failed", or None where there was no prediction; and, if there is anything to say of any, the key
        "parse_note": which of several values was taken, what mending changed, or why it was given up. With missing
        "zero" it has the key "missing": whether there was no prediction.
        """
        samples = [self.row(number).sample for number in range(len(self))]
        with_notes = any(parsed.note for parsed in self.readings.values())
        for number, sample in enumerate(samples):
            if self.options.parse_mode is not None:
                parsed = self.readings.get(number, Parsed(None))
                sample["parsed"] = None if number in self.pairs.absent else parsed.outcome
                if with_notes:
                    sample["parse_note"] = parsed.note
            if self.absent is not None:
                sample["missing"] = number in self.absent
        return samples

    def _place(self, number: int) -> str:
        return row_place(self.ids[number])

    # What became of the predictions

    @property
    def absent(self) -> frozenset[int] | None:
        """The numbers of the rows whose missing predictions were scored as null; None unless `missing` is "zero"."""
        return self.pairs.absent if self.options.missing == "zero" else None

    @property
    def failed(self) -> frozenset[int] | None:
        """The numbers of the rows whose text could not be parsed and was scored as text; None without `parse`."""
        if self.options.parse_mode is None:
            return None
        return frozenset(number for number, parsed in self.readings.items() if parsed.failed)

    @property
    def counts(self) -> dict[str, int]:
        """How many rows are skipped, missing, repeated, and of which reading, as far as the options ask for it."""
        counts = {"skipped": self.pairs.skipped, "missing": None if self.absent is None else len(self.absent)}
        counts["repeated"] = self.pairs.repeated
        read = {PARSE_COUNTS[outcome]: len(ids) for outcome, ids in self.parsed_ids().items()}
        return {name: count for name, count in counts.items() if count is not None} | read

    def parsed_ids(self) -> dict[str, list[str]]:
        """Return the ids of the texts that are "failed", and with "repair" "extracted", "mended" and "ambiguous"."""
        return {
            outcome: [self.ids[number] for number, parsed in self.readings.items() if parsed.outcome == outcome]
            for outcome in COUNTED_OUTCOMES[self.options.parse_mode]
        }

    @property
    def why_left_out(self) -> str:
        """Why the rows that `counts` calls skipped were left out, in words after "left out:"."""
        return "no prediction, or faulty" if self.options.missing == SKIP else "faulty"

    @property
    def has_reviews(self) -> bool:
        """Whether there are confidences, and the first metric says of single values whether they are right."""
        return self.options.with_confidences and self.metric in REVIEWED

    # Fields, causes of lost points, and what rates count

    @cached_property
    def field_table(self) -> FieldTable:
        """The fields of the first metric, and the causes of lost points.

        They come from its score trees, or are its types of entities.
        """
        table = FieldTable()
        if self.scorer.field_source != "tree":
            counts_in = self.ratio.weight[:, 0].tolist()  # rows without places have fields of another figure, or none
            for number, points in enumerate(self.points(self.metric)):
                table.add_sums(number, self.scorer.field_sums(points) if counts_in[number] else {})
            return table
        _ = self.points(self.metric)  # their phases come first, and their errors name rows
        self._count_fields(table, watched(range(len(self)), self.progress, "Explaining", len(self)))
        return table

    def _count_fields(self, table: FieldTable, numbers: Iterable[int]) -> None:
        counts = FieldCounts()
        for number in numbers:
            self.scorer.count_fields(counts, self.row(number).for_metrics, self.options)
            table.add(number, counts.leaves, counts.lists, counts.weight)

    @cached_property
    def cut_off(self) -> str:
        """The sentence on lists that were cut off; "" if they are little of the loss. Only long lists are looked at."""
        if self.scorer.field_source != "tree":
            return ""
        if "field_table" in vars(self):  # which has all lists
            table = self.field_table
        else:
            table = FieldTable()
            self._count_fields(table, (n for n, truth in enumerate(self.pairs.truths) if has_long_list(truth)))
        return cut_off_text(table, len(self) - fsum(self.scores))

    @cached_property
    def lost(self) -> dict[Cause, float]:
        """For each cause the points lost by it, as a share of the whole; the shares add up to 1 - score."""
        return {
            cause: as_float(sum(field.lost_units[cause] for field in self.field_table.fields.values())) / self.whole
            for cause in CAUSES
        }

    @cached_property
    def rate_counts(self) -> dict[str, RateCounts]:
        """What each rate counts, by its name."""
        values, ones = self.field_table.values, [1] * len(self)
        events = {}
        if values:
            events = {
                "documents that lack a value": [missing > 0 for _, missing, _, _ in values],
                "documents with an invented value": [extra > 0 for _, _, _, extra in values],
            }
        for name, numbers in (("texts that could not be parsed", self.failed), ("missing predictions", self.absent)):
            if numbers is not None:
                events[name] = [number in numbers for number in range(len(self))]
        judged = [int(number in self.counted) for number in range(len(self))]
        right = [int(score == 1) * is_judged for score, is_judged in zip(self.scores, judged, strict=True)]
        counts = {"documents without a fault": RateCounts("documents", right, judged)}
        counts |= {name: RateCounts("documents", list(map(int, happened)), ones) for name, happened in events.items()}
        if values:
            expected, missing, predicted, extra = map(list, zip(*values, strict=True))
            counts |= {
                "omission: expected values that are missing": RateCounts("values", missing, expected),
                "hallucination: values predicted, not expected": RateCounts("values", extra, predicted),
            }
        return counts

    # Figures with their intervals

    def _drawing(self, times: int = 1) -> dict[str, Any]:
        """Begin the phase "Resampling", and return the keywords with which all intervals are drawn."""
        resampled = ignore if self.confidence is None else self.progress("Resampling", RESAMPLES * times)
        return {"seed": self.seed, "resampled": resampled}

    @cached_property
    def measured(self) -> list[Figure]:
        """The figures of the metrics, with their intervals; the first is the score."""
        return figures_of(self.figure_names, self.ratios, self.confidence, clusters=self.clusters, **self._drawing())

    @property
    def other_figures(self) -> list[Figure]:
        """The figures of the metrics; none if ANLS* is the only one."""
        return [] if self.metrics == [ANLS_STAR] else self.measured

    @cached_property
    def slice_figures(self) -> list[Slice]:
        """The figures of each slice, largest slice first, of equal size in the order of their first rows."""
        names, slices = self.figure_names, []
        drawing = self._drawing(len(self.rows_by_slice)) if self.rows_by_slice else {}
        for value, numbers in sorted(self.rows_by_slice.items(), key=lambda item: -len(item[1])):
            clusters = None if self.clusters is None else self.clusters[numbers]
            figures = figures_of(names, self.ratios.rows(numbers), self.confidence, clusters=clusters, **drawing)
            if self.pairs.places is not None:
                figures = self._those_in(numbers, figures)
            slices.append(Slice(value, len(numbers) // self.pairs.runs, figures))
        return slices

    def _those_in(self, numbers: Sequence[int], figures: Sequence[Figure]) -> list[Figure]:
        """Return the figures of a slice without those of places that none of its documents has."""
        judged = [METRICS[metric].judges_places for metric in self.metrics for _ in self.names_of(metric)]
        totals = self.ratios.rows(numbers).totals.tolist()
        return [each for each, is_judged, total in zip(figures, judged, totals, strict=True) if total or not is_judged]

    @cached_property
    def _part_intervals(self) -> list[Interval]:
        """The intervals of the rates and of the heaviest fields, from the same resamples."""
        if self.confidence is None:
            return []
        _ = self.rate_counts  # its phase comes first
        units = len(self) if self.clusters is None else int(self.clusters.max()) + 1
        parts = [side_by_side(*self._parts())] if units <= MOST_RESAMPLED else self._parts()
        drawing = {"clusters": self.clusters, **self._drawing()}
        return [interval for part in parts for interval in intervals_of(part, self.confidence, **drawing)]

    def _parts(self) -> Iterator[Ratios]:
        """The ratios of these intervals, each made when it is asked for.

        Many rows are not resampled (`docscore.stats.intervals`), so that there is nothing to share, and all ratios of a
        million rows would take gigabytes.
        """
        hits, totals = np.array([counts[1:] for counts in self.rate_counts.values()], dtype=np.float64).transpose(
            1, 2, 0
        )
        yield Ratios(hits, totals)
        for field in self._heaviest[:MOST_FIELDS_TESTED]:
            yield fields_as_ratios([field], len(self))

    @cached_property
    def _heaviest(self) -> list[Field]:
        return sorted(self.field_table.fields.values(), key=lambda field: (-field.weight, field.path))

    @cached_property
    def field_intervals(self) -> dict[str, Interval]:
        """The interval of the score of each field, by path; empty if not requested."""
        if self.confidence is None:
            return {}
        intervals = self._part_intervals[len(self.rate_counts) :]
        left_out = [_LEFT_OUT] * (len(self._heaviest) - len(intervals))
        return dict(zip((field.path for field in self._heaviest), intervals + left_out, strict=True))

    @cached_property
    def rate_list(self) -> list[Rate]:
        """Shares of documents and of values; of independent documents with Wilson's interval."""
        resampled = self._part_intervals[: len(self.rate_counts)]
        return rates_of(self.rate_counts, resampled, self.confidence if self.clusters is None else None)

    # The rows by id

    def __len__(self) -> int:
        return len(self.ids)

"""Small test sets for the tests of reports: one whose numbers are worked out by hand, and one of hostile text."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any, NamedTuple

from docscore.evaluation.automation import (
    Curve,
    automation_curve,
    calibration_table,
    reliability_table,
    review_of_entities,
)
from docscore.evaluation.comparison import Change, Comparison, compare, document_changes_table
from docscore.evaluation.evaluation import Evaluation, evaluate_rows, figure_table
from docscore.evaluation.figures import Figure, Slice, kieval_tables, slices_table
from docscore.evaluation.systems import BEST, Systems
from docscore.evaluation.tables import Table, TableCell, TableColumn
from docscore.inputs.test_set import TestSet
from docscore.metrics.kieval import GroupCounts, kieval_score, total_kieval
from docscore.report.systems_report import systems_table, table_of_tests
from docscore.stats.calibration import Calibration, CalibrationFigure, ReliabilityPoint
from docscore.stats.intervals import Interval
from tests.conftest import DATA

HOSTILE_TEXTS: list[str] = json.loads((DATA / "hostile_texts.json").read_text("utf-8"))


class Sample(NamedTuple):
    """A test set and what is shown of it."""

    evaluation: Evaluation
    comparison: Comparison
    curve: Curve


def evaluated(*documents: tuple[str, Any, Any], metrics: Sequence[str] = ("anls_star",), **parts: Any) -> Evaluation:
    """The evaluation of documents, each an id, a ground truth and a prediction, with some parts put in by hand."""
    ids, truths, predictions = map(list, zip(*documents, strict=True))
    evaluation = evaluate_rows(TestSet(ids, truths, predictions), metrics=metrics)
    vars(evaluation).update(parts)
    return evaluation


# name: 1 + 0.8 + 1 + 1 of 4; price: 3 of 4, one missing; qty: 0 of 1, invented; rows: 1 of 2, one row missing
DRINKS: list[tuple[str, Any, Any]] = [
    ("a", {"name": "tea", "price": "1.20"}, {"name": "tea", "price": "1.20"}),
    ("b", {"name": "cake", "price": "3.00"}, {"name": "cakes", "price": "3.00"}),
    ("c", {"name": "milk", "price": "0.90"}, {"name": "milk"}),
    ("d", {"name": "rum", "price": "4.00"}, {"name": "rum", "price": "4.00", "qty": "2"}),
    ("e", {"rows": ["x", "y"]}, {"rows": ["y"]}),
]
GROUPS = GroupCounts(right=3, wrong=1, missed=2, invented=0)
INTERVAL = Interval(0.6, 0.85)
NO_INTERVAL = Interval(note="one document")


def drinks_evaluation(**parts: Any) -> Evaluation:
    """Five documents with intervals put in by hand, and other parts."""
    intervals = {"price": Interval(0.5, 1.0), "qty": NO_INTERVAL}
    rates = [rate._replace(interval=None) for rate in evaluated(*DRINKS).rate_list]
    figures = [Figure("anls_star", "ANLS*", 0.76, INTERVAL)]
    parts = {"measured": figures, "field_intervals": intervals, "rate_list": rates, **parts}
    return evaluated(*DRINKS, metrics=["anls_star", "nted"], **parts)


@cache
def drinks() -> Sample:
    """Five documents; the new system has nothing but their names right; their confidences are set by hand."""
    new = [(name, truth, {"name": truth["name"]} if "name" in truth else truth) for name, truth, _ in DRINKS]
    kieval = total_kieval(kieval_score(truth, prediction) for _, truth, prediction in DRINKS)
    kieval = replace(kieval, groups=GROUPS, by_group={"menu": GROUPS})
    figures = [Figure("anls_star", "ANLS*", 0.7133333, INTERVAL), Figure("nted", "nTED", 0.5, NO_INTERVAL)]
    sure = kieval_score({"a": "1", "b": "2"}, {"a": "1", "b": "3"}, confidences={"a": 0.9, "b": 0.4})
    evaluation = drinks_evaluation(measured=figures, breakdowns={"kieval": kieval})
    compared = compare(evaluated(*DRINKS), evaluated(*new), n_resamples=99)
    return Sample(evaluation, compared, automation_curve([review_of_entities(sure)], [0.0, 0.5]))


@cache
def hostile() -> Sample:
    """Documents whose ids, keys and values try to be something else than text."""
    texts = HOSTILE_TEXTS
    documents = [(text, {**dict.fromkeys(texts, text), "l": [{t: 1} for t in texts]}, {text: text}) for text in texts]
    other = [(name, truth, dict.fromkeys(texts, name)) for name, truth, _ in documents]
    with warnings.catch_warnings():  # no prediction has "l", and every key repeats the id
        warnings.simplefilter("ignore", UserWarning)
        evaluation = evaluated(*documents, metrics=["anls_star", "kieval", "nted"])
        compared = compare(evaluated(*documents), evaluated(*other), n_resamples=99)
    return Sample(evaluation, compared, drinks().curve)


CALIBRATION = Calibration(
    values=12,
    documents=3,
    right=9,
    auroc=CalibrationFigure(0.75, Interval(0.5, 1.0)),
    ece=CalibrationFigure(0.125, NO_INTERVAL),
    brier=CalibrationFigure(None, NO_INTERVAL),
    points=[
        ReliabilityPoint(0.0, 0.5, 4, 0.25, 0.5, NO_INTERVAL),
        ReliabilityPoint(0.5, 1.0, 8, 0.9, 0.875, NO_INTERVAL),
    ],
)


def systems(sample: Sample, *, tested: bool = False, sliced: bool = False) -> Systems:
    """Three systems: the first and the last are equally good, and one has a hostile name and is worse by all figures.

    With tests, only the first figure of that one is lower beyond chance; with slices, one has a hostile value.
    """
    measured, name = sample.evaluation.measured, HOSTILE_TEXTS[7]
    worse = [each._replace(value=each.value / 2) for each in measured]
    evaluations: dict[str, Any] = {
        system: SimpleNamespace(
            measured=figures,
            score=figures[0].value,
            primary=SimpleNamespace(is_mean=True),
            score_by_value=figures[0].value + 0.1,
            runs=None,
            slice_figures=[Slice(value, 2, figures) for value in ("de", HOSTILE_TEXTS[2]) if sliced],
            document_ids=list("abcde"),
            counts={"missing": missing},
            costs={},
            test_set=SimpleNamespace(slices=[HOSTILE_TEXTS[4]] if sliced else None),
            slice_name=HOSTILE_TEXTS[4],
            confidence=0.95,
            signatures=sample.evaluation.signatures,
        )
        for system, figures, missing in (("good", measured, 1), (name, worse, 0), ("as good", measured, 0))
    }
    figures = [figure.name for figure in measured]
    tests = {
        (name, figure): Change(figure, figure, 1.0, 0.5, p_value=0.001, adjusted=0.1 if number else 0.002)
        for number, figure in enumerate(figures if tested else [])
    }
    return Systems(evaluations, figures, BEST if tested else "", dict.fromkeys(figures, "good"), tests)


TABLES: dict[str, Callable[[Sample], Table]] = {
    "fields": lambda sample: sample.evaluation.fields,
    "lists": lambda sample: sample.evaluation.lists,
    "causes": lambda sample: sample.evaluation.causes,
    "rates": lambda sample: sample.evaluation.rates,
    "figures": lambda sample: figure_table(sample.evaluation),
    "entities": lambda sample: kieval_tables(sample.evaluation.breakdowns["kieval"])[0],
    "groups": lambda sample: kieval_tables(sample.evaluation.breakdowns["kieval"])[1],
    "systems": lambda sample: systems_table(systems(sample), percent=True),
    "systems by metric": lambda sample: systems_table(systems(sample), by_metric=True),
    "systems with intervals": lambda sample: systems_table(
        systems(sample, tested=True), intervals=True, columns=["missing"]
    ),
    "systems by slice": lambda sample: systems_table(systems(sample, sliced=True)),
    "systems by slice and metric": lambda sample: systems_table(
        systems(sample, tested=True, sliced=True), by_metric=True
    ),
    "tests": lambda sample: table_of_tests(systems(sample, tested=True)),
    "field changes": lambda sample: sample.comparison.fields,
    "cause changes": lambda sample: sample.comparison.causes,
    "document changes": lambda sample: document_changes_table([*sample.comparison.worse, *sample.comparison.better]),
    "documents": lambda sample: sample.evaluation.worst(3).table,
    "slices": lambda sample: slices_table(
        [Slice(value, 2, sample.evaluation.measured) for value in ("de", "en", HOSTILE_TEXTS[8])], HOSTILE_TEXTS[7]
    ),
    "calibration": lambda _: calibration_table(CALIBRATION),
    "reliability": lambda _: reliability_table(CALIBRATION),
    "curve": lambda sample: sample.curve.table(),
    "cut off": lambda sample: sample.evaluation.fields.first(2),
}


SAMPLES = {"drinks": drinks, "hostile": hostile}
EVERY = [(kind, sample) for kind in TABLES for sample in SAMPLES]
BY_HAND = Table(
    "By <hand>",
    (
        TableColumn("bar", "", "bar"),
        TableColumn("field", "field", "code"),
        TableColumn("name", "what & why", "text"),
        TableColumn("score", "score", terminal="s."),
        TableColumn("hidden", "hidden", extra=True),
        TableColumn("interval", "interval", "interval"),
    ),
    (
        (
            TableCell(1.0, ""),
            TableCell("a_b", "a_b"),
            TableCell("x", "x|y", note="a & b"),
            TableCell(0.5, "0.500", best=True),
            TableCell(1, "1"),
            TableCell((0.25, 0.75), "25% to 75%", terminal="25-75"),
        ),
        (
            TableCell(0.25, ""),
            TableCell("c", "<c>"),
            TableCell("y", "y"),
            TableCell(0.25, "0.250"),
            TableCell(2, "2"),
            TableCell(None, "–", note='one "document"'),
        ),
    ),
    unit="fields",
    left_out=3,
    signatures=("a|b:1",),
)


def grid(table: Table) -> list[list[str]]:
    """The texts of a table as it is shown."""
    return [[cell.text + cell.suffix for cell in row] for row in table.shown().cells]


class Markup(HTMLParser):
    """Parsed HTML whose elements must all be closed in order; each has the tags that it stands in."""

    VOID = frozenset({"meta", "input", "br"})

    def __init__(self, source: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.open: list[Element] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = Element(tag, dict(attrs), [], [each.tag for each in self.open])
        assert len(found.attributes) == len(attrs), "an attribute twice"
        self.elements.append(found)
        if tag not in self.VOID:
            self.open.append(found)

    def handle_endtag(self, tag: str) -> None:
        assert tag in self.VOID or self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.pieces.append(data)

    def of(self, tag: str, name: str = "") -> list[Element]:
        """The elements of a tag, and of a class if it is given."""
        return [
            each for each in self.elements if each.tag == tag and (not name or name in each.attributes.get("class", ""))
        ]

    def allowed(self) -> list[tuple[str, str]]:
        """Each attribute of each element, by the names of both."""
        return [(each.tag, name) for each in self.elements for name in each.attributes]

    def texts(self, tag: str, name: str = "") -> list[str]:
        """The texts of the elements of a tag, and of a class if it is given."""
        return [each.text for each in self.of(tag, name)]


class Element(NamedTuple):
    tag: str
    attributes: dict[str, Any]
    pieces: list[str]
    parents: list[str]

    @property
    def text(self) -> str:
        return "".join(self.pieces)

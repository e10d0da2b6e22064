"""The table of metrics and their signatures; to add a metric, add its class to `METRICS`."""

import sys
import traceback
from collections.abc import Iterable, Sequence
from pkgutil import resolve_name
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.options import DEFAULT_OPTIONS, DEFAULT_READING, PAPER, CompareOptions, ReadOptions
from docscore.grounding.metric import VALUES_BY, Grounding
from docscore.metrics.anls import Anls, Anlsl, AnlsStar
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import Metric, MetricRow, MetricTree
from docscore.metrics.kieval import EntityF1, Kieval
from docscore.metrics.nted import Nted
from docscore.metrics.typed.score import Typed
from docscore.version import VERSION

ANLS_STAR, TYPED = "anls_star", "typed"


METRICS: dict[str, Metric[Any]] = {
    metric.name: metric
    for metric in (
        AnlsStar(),
        Anls(),
        Anlsl(),
        Kieval(),
        EntityF1(),
        Nted(),
        Typed(),
        Grounding(),
    )
}


def has_tree(metric: Metric[Any]) -> bool:
    """Return whether a metric explains its score by a score tree."""
    return metric.field_source == "tree" or defines_tree(metric)


def defines_tree(metric: Metric[Any]) -> bool:
    """Return whether the class of a metric overrides `score_tree`."""
    return type(metric).score_tree is not Metric.score_tree


def tree_of_row(name: str, row: MetricRow, options: CompareOptions) -> ScoreTree:
    """Return the score tree of a row by a metric.

    For a metric without a tree, return the tree of the typed score if there is a schema, else the tree of ANLS*.
    `tree.metric` names the metric of the tree.
    """
    metric = METRICS[name]
    if not has_tree(metric):
        metric = METRICS[ANLS_STAR if options.schema is None else TYPED]
    tree = metric.score_tree(row, options)
    if isinstance(tree, MetricTree) or (is_own(metric) and defines_tree(metric)):
        tree.name_metric(name)
    return tree


def tree_note(name: str, tree: ScoreTree) -> str:
    """Return a sentence that names the metric of a tree; "" for a docscore metric that has a tree."""
    if has_tree(METRICS[name]) and not is_own(METRICS[name]):
        return ""
    return f"This is the tree of {'the typed score' if tree.metric == TYPED else METRICS[tree.metric].label}."


def is_own(metric: Metric[Any]) -> bool:
    """Return whether a user wrote the metric."""
    return not type(metric).__module__.startswith(f"{__name__.partition('.')[0]}.")


def line_of_metric(metric: Metric[Any], error: BaseException) -> str:
    """Return the file and the innermost line of a metric in which an error was raised: `own.py, line 12`."""
    frames = traceback.extract_tb(error.__traceback__)
    file = getattr(sys.modules.get(type(metric).__module__), "__file__", None)
    frame = next((frame for frame in reversed(frames) if frame.filename == file), frames[-1])
    return f"{frame.filename}, line {frame.lineno}"


def loaded_metrics(names: Iterable[str]) -> list[str]:
    """Return the names of metrics, after registering the classes that are given in the form "module:Class".

    Raises:
        ValueError: if a class cannot be imported, is not a metric, or has the name of another metric.
    """
    return [_loaded(name) if ":" in name else name for name in names]


def _loaded(name: str) -> str:
    try:
        kind = resolve_name(name)
        metric = kind() if isinstance(kind, type) and issubclass(kind, Metric) else None
    except (Exception, SystemExit) as error:  # whatever the module does
        raise InputValueError(place="metrics", expected="module:Class", got=f"{name!r} ({error})") from error
    if metric is None or type(METRICS.setdefault(metric.name, metric)) is not kind:
        expected = "a class derived from docscore.metrics.base.Metric, with a name that no other metric has"
        raise InputValueError(place="metrics", expected=expected, got=repr(name))
    return metric.name


def checked_metrics(metrics: Iterable[str], options: CompareOptions | None = None) -> list[str]:
    """Check the names of metrics, and return them without duplicates.

    Args:
        metrics: the names.
        options: options that all metrics support, and at least one metric uses; None to check only the names.

    Raises:
        ValueError: if a name is unknown, there are no names, two metrics have a figure of the same name, or no metric
            uses an option; the message names the metrics that have this option.
    """
    names = list(dict.fromkeys(metrics))
    unknown = [name for name in names if name not in METRICS]
    if unknown or not names:
        raise InputValueError(
            place="metrics", expected=f"some of {', '.join(METRICS)}", got=", ".join(map(repr, unknown)) or "none"
        )
    owners: dict[str, str] = {}
    for key, owner in ((key, name) for name in names for key, _ in METRICS[name].figures):
        if owners.setdefault(key, owner) != owner:
            raise InputValueError(place=owner, expected=f"figures that {owners[key]} does not have", got=repr(key))
    if options is None:
        return names
    for name in names:
        METRICS[name].check_options(options)
    used = frozenset[str]().union(*(METRICS[name].options for name in names))
    for option in sorted(frozenset[str]().union(*(metric.options for metric in METRICS.values())) - used):
        if getattr(options, option) != getattr(DEFAULT_OPTIONS, option):
            having = ", ".join(name for name, metric in METRICS.items() if option in metric.options)
            raise InputValueError(
                place=option,
                problem=f"none of the metrics ({', '.join(names)}) uses this option; it is an option of {having}",
            )
    return names


def metrics_with_schema(metrics: Sequence[str] | None, schema: object) -> tuple[str, ...]:
    """Return the metrics, with the typed score added if there is a schema; it comes first if no metrics were given."""
    if metrics is None:
        return (ANLS_STAR,) if schema is None else (TYPED, ANLS_STAR)
    return tuple(metrics) if schema is None else tuple(dict.fromkeys([*metrics, TYPED]))


def values_metric(metrics: Iterable[str], options: CompareOptions) -> str:
    """Return the metric that decides which values are right: the first one among ANLS* and the typed score."""
    return next((name for name in metrics if name in VALUES_BY), ANLS_STAR if options.schema is None else TYPED)


def signature_of(
    metric: str,
    options: CompareOptions,
    reading: ReadOptions = DEFAULT_READING,
    *,
    skipped: int | None = None,
    values_by: str = ANLS_STAR,
) -> str:
    """Return the signature: the metric, the options that change its figures, and the version.

    Args:
        metric: the name of the metric.
        options: how values were compared.
        reading: how rows were read.
        skipped: the number of rows left out because of errors or without a prediction.
        values_by: the metric that decides which values are right, for a metric that evaluates regions.

    >>> signature_of("anls_star", CompareOptions())
    'anls_star|tau:0.5|case:i|empty:ignored|docscore:0.3.0'
    >>> signature_of("anls_star", CompareOptions(rules="anls_star-1.0.1"))
    'anls_star|tau:0.5|case:i|rules:anls_star-1.0.1|docscore:0.3.0'
    >>> signature_of("kieval", CompareOptions(threshold=0.7), ReadOptions(parse="json"))
    'kieval|parse:json|compare:exact|docscore:0.3.0'
    """
    used = METRICS[metric].options
    of_versions = METRICS[metric]
    if METRICS[metric].evaluates_regions:
        of_versions = METRICS[values_by]
        used = of_versions.options | {"iou"}
    functions = options.schema.functions if "schema" in used and options.schema is not None else ()
    by_paper = options.rules == PAPER
    parts = [  # (name, value, whether the signature includes it)
        ("tau", str(options.threshold), "threshold" in used),
        ("boundary", "0", "strict" in used and options.strict),
        ("case", "i" if options.ignore_case else "s", "ignore_case" in used),
        ("empty" if by_paper else "rules", "ignored" if by_paper else options.rules, "rules" in used),
        ("numbers", options.numbers, "numbers" in used and options.numbers != "text"),
        ("schema", options.schema and options.schema.digest, "schema" in used and options.schema is not None),
        ("schema-by", reading.schema_by, "schema" in used and reading.schema_by is not None),
        *((name, version, True) for name, version in of_versions.versions(options).items()),
        ("comparators", "+".join(name for name, _ in functions), bool(functions)),
        *((name, text, True) for name, text in reading.signed.items()),
        ("skipped", str(skipped), bool(skipped)),  # the figures are of fewer rows
        ("compare", "folded" if options.normalise else "exact", "normalise" in used),
        ("read", "donut", "donut" in used and options.donut),
        ("values", values_by, METRICS[metric].evaluates_regions),
        ("iou", f"{options.iou:g}", "iou" in used),
    ]
    shown = (f"{name}:{value}" for name, value, is_shown in parts if is_shown)
    return "|".join([metric, *shown, f"docscore:{VERSION}"])

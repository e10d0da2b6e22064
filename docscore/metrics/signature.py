"""Signatures of figures: metric, options and version, as in sacreBLEU; equal signatures mean comparable figures."""

from docscore.core.options import PAPER, ScoringOptions
from docscore.metrics.registry import METRICS
from docscore.version import VERSION


def signature_of(metric: str, options: ScoringOptions, *, skipped: int | None = None) -> str:
    """Return the signature: the metric, the options that change its figures, and the version.

    Args:
        metric: the name of the metric.
        options: how rows were read and compared.
        skipped: the number of rows left out because of faults or without a prediction.

    >>> signature_of("anls_star", ScoringOptions())
    'anls_star|tau:0.5|case:i|empty:ignored|docscore:0.2.0'
    >>> signature_of("anls_star", ScoringOptions(rules="anls_star-1.0.1"))
    'anls_star|tau:0.5|case:i|rules:anls_star-1.0.1|docscore:0.2.0'
    >>> signature_of("kieval", ScoringOptions(threshold=0.7, parse="json"))
    'kieval|parse:json|compare:exact|docscore:0.2.0'
    """
    used = METRICS[metric].options
    functions = options.schema.functions if "schema" in used and options.schema is not None else ()
    by_paper = options.rules == PAPER
    parts = [  # name, value, and whether the signature has it
        ("tau", str(options.threshold), "threshold" in used),
        ("boundary", "0", "strict" in used and options.strict),
        ("case", "i" if options.ignore_case else "s", "ignore_case" in used),
        ("empty" if by_paper else "rules", "ignored" if by_paper else options.rules, "rules" in used),
        ("numbers", options.numbers, "numbers" in used and options.numbers != "text"),
        ("schema", options.schema and options.schema.digest, "schema" in used and options.schema is not None),
        ("schema-by", options.schema_by, "schema_by" in used and options.schema_by is not None),
        *((name, version, True) for name, version in METRICS[metric].versions(options).items()),
        ("comparators", "+".join(name for name, _ in functions), bool(functions)),
        ("parse", options.parse_mode, options.parse_mode is not None),
        ("references", options.parse_references, options.parse_references is not None),
        ("missing", options.missing, options.missing != "error"),
        ("skipped", str(skipped), bool(skipped)),  # figures of fewer rows
        ("compare", "folded" if options.normalise else "exact", "normalise" in used),
        ("read", "donut", "donut" in used and options.donut),
    ]
    shown = (f"{name}:{value}" for name, value, is_shown in parts if is_shown)
    return "|".join([metric, *shown, f"docscore:{VERSION}"])

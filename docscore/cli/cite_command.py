"""The command `docscore cite`."""

import click

from docscore.cli.options import Command, ending
from docscore.evaluation.citations import CITATIONS, DOCSCORE
from docscore.evaluation.registry import checked_metrics


@click.command(name="cite", cls=Command, epilog=ending("docscore cite kieval", where="anywhere"))
@click.argument("metric", required=False)
def cite_command(*, metric: str | None) -> None:
    """Print the BibTeX of the paper that defines METRIC, and of docscore.

    Without METRIC, print the names of the metrics. docscore itself defines the metric grounding.
    """
    parts = [*CITATIONS] if metric is None else [CITATIONS[checked_metrics([metric])[0]], DOCSCORE]
    click.echo("\n".join(filter(None, parts)).rstrip())

"""The command `docscore evidence`."""

from pathlib import Path
from typing import Any

import click

from docscore.cli.options import (
    Command,
    a_file,
    documents_option,
    ending,
    json_option,
    reference_options,
    stdout_console,
)
from docscore.cli.terminal import print_json, say
from docscore.core.errors import InputValueError
from docscore.core.output import check_other_file, check_output, write_whole
from docscore.core.runtime import progress_from
from docscore.evaluation.tables import field_column, table_of, value_column
from docscore.grounding.evidence import OUTCOMES, with_evidence
from docscore.inputs.json_text import dumps_in_style
from docscore.report.console import print_table


@click.command(
    name="evidence",
    cls=Command,
    common=["documents"],
    epilog=ending(
        "docscore evidence references.jsonl --documents documents -o annotated.jsonl",
        where="in examples/invoices",
    ),
)
@click.argument("references", type=a_file)
@documents_option
@click.option(
    "-o", "--output", type=a_file, required=True, metavar="FILE", help="Write the rows with evidence to FILE (.jsonl)."
)
@reference_options
@json_option
def evidence_command(references: Path, *, documents: Path | None, output: Path, as_json: bool, **options: Any) -> None:
    """Find the values of the ground truths in REFERENCES in their documents.

    Each value that is found exactly once gets its page, and its box if positions are known, as evidence for the metric
    grounding. Values that are found several times or not at all get none. Existing evidence is kept.
    """
    if documents is None:
        raise InputValueError(place="documents", expected="a folder with the documents", got="none")
    check_output(output, [".jsonl"])
    check_other_file(output, [references], "the file of the references")
    rows, counts_of, warning = with_evidence(references, documents, options, progress_from(None))
    write_whole(output, "".join(f"{dumps_in_style(row, ensure_ascii=False)}\n" for row in rows))
    table = table_of(
        "Values of the ground truths in their documents",
        [{"field": field, **{outcome: counts[outcome] for outcome in OUTCOMES}} for field, counts in counts_of.items()],
        field_column(),
        value_column("placed", "found once"),
        value_column("several", "found several times"),
        value_column("nowhere", "not found"),
        value_column("not_sought", "not looked up"),
        value_column("kept", "had evidence"),
        unit="fields",
    )
    if warning:
        say(warning)
    say(f"wrote {output}")
    if as_json:
        print_json("evidence", {"fields": list(table)})
    else:
        print_table(stdout_console(), table)

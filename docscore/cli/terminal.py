"""What the command prints: lines on stderr, and JSON on stdout. Nothing here needs NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from docscore.core.formatting import printable


def say(line: str) -> None:
    """Print a line on stderr, with control characters escaped."""
    click.echo(f"docscore: {printable(line)}", err=True)


def print_json(value: Any) -> None:
    """Print a value on stdout as one line of JSON; NaN and infinite numbers, which JSON lacks, as null."""
    from docscore.data.json_codec import dumps_strictly  # noqa: PLC0415  imports NumPy

    click.echo(dumps_strictly(value))


# A version is raised where a member goes or changes its meaning, not where one is added; docs/json_output.md has them.
VERSIONS = {
    "score": 1,
    "compare": 1,
    "table": 1,
    "explain": 1,
    "corrections": 1,
    "automation": 1,
    "bench_check": 1,
    "bench_table": 1,
}


def with_format(name: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a JSON output behind its format.

    Args:
        name: of the output, among `VERSIONS`.
        parts: the members of the object.

    >>> with_format("score", {"anls_score": 1.0})
    {'format': 'docscore.score/1', 'anls_score': 1.0}
    """
    return {"format": f"docscore.{name}/{VERSIONS[name]}", **parts}

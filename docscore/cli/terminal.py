"""What the command prints: lines on stderr, and JSON on stdout. Nothing here needs NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from docscore.core.formatting import printable

# of the formats that are not the first; raised where a member goes or changes its meaning, not where one is added
_VERSIONS = {"automation": 2, "bench_table": 2, "compare": 2, "score": 2}


def say(line: str) -> None:
    """Print a line on stderr, with control characters escaped."""
    click.echo(f"docscore: {printable(line)}", err=True)


def print_json(name: str, parts: Mapping[str, Any]) -> None:
    """Print an object on stdout as one line of JSON; NaN and infinite numbers, which JSON lacks, as null.

    Args:
        name: of its format, which docs/json_output.md describes.
        parts: the members of the object after the format.
    """
    from docscore.data.json_text import dumps_strictly  # noqa: PLC0415  imports NumPy

    click.echo(dumps_strictly({"format": f"docscore.{name}/{_VERSIONS.get(name, 1)}", **parts}))

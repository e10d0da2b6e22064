"""What the command prints: lines on stderr, and JSON on stdout. Nothing here needs NumPy."""

from __future__ import annotations

from typing import Any

import click

from docscore.core.printing import printable


def say(line: str) -> None:
    """Print a line on stderr, with control characters escaped."""
    click.echo(f"docscore: {printable(line)}", err=True)


def print_json(value: Any) -> None:
    """Print a value on stdout as one line of JSON; NaN and infinite numbers, which JSON lacks, as null."""
    from docscore.data.json_codec import dumps_strictly  # noqa: PLC0415  imports NumPy

    click.echo(dumps_strictly(value))

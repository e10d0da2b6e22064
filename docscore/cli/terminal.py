"""Lines on stderr and JSON on stdout. Importing this module does not import NumPy."""

from collections.abc import Mapping
from typing import Any

import click

from docscore.core.formatting import printable

# Versions of formats other than 1. Raise a version if a member goes or changes its meaning, not for a new member.
_VERSIONS = {"automation": 3, "bench_table": 3, "compare": 3, "score": 3}


def say(line: str) -> None:
    """Print a line on stderr, with control characters escaped."""
    click.echo(f"docscore: {printable(line)}", err=True)


def print_json(name: str, parts: Mapping[str, Any]) -> None:
    """Print an object as one line of JSON, with null for NaN and infinite numbers.

    Args:
        name: the name of its format, which docs/json_output.md describes.
        parts: the members of the object after the format.
    """
    from docscore.inputs.json_text import dumps_strictly  # noqa: PLC0415  imports NumPy

    click.echo(dumps_strictly({"format": f"docscore.{name}/{_VERSIONS.get(name, 1)}", **parts}))

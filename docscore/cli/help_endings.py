"""What the help of a command ends with: an example, the exit statuses, and where its JSON is described."""

from __future__ import annotations

from collections.abc import Callable

import click

from docscore.cli.json_format import VERSIONS


def with_ending(
    *example: str, where: str = "in examples/receipts", json_format: str = "", failing: str = ""
) -> Callable[[click.Command], click.Command]:
    """End the help of a command, as a decorator above `@click.command`.

    Args:
        example: a command, as lines that the shell joins.
        where: where it runs.
        json_format: the name of what `--json` prints, among `VERSIONS`; "" where there is none.
        failing: what the exit status 1 means; "" where the command does not end with it.
    """
    statuses = ["0  done", *([f"1  {failing}"] if failing else []), "2  the input, an option or a file is at fault"]
    parts = [
        _block(f"Example, {where}:", [" \\\n    ".join(example)]),
        _block("Exit status:", [*statuses, "above 2: stopped before the end"]),
    ]
    if json_format:
        name = f"docscore.{json_format}/{VERSIONS[json_format]}"
        parts.append(_block("JSON:", [f"the format {name} of docs/json_output.md"]))

    def ended(command: click.Command) -> click.Command:
        command.epilog = "\n\n".join(parts)
        return command

    return ended


def _block(head: str, lines: list[str]) -> str:
    """Lines that click does not wrap."""
    return "\b\n" + "\n".join([head, *(f"  {line}" for line in lines)])

"""The command `docscore`."""

from docscore.cli.entry_point import main

__all__ = ["main"]

"""The command `docscore`."""

from __future__ import annotations

import sys

__all__ = ["main"]

_INTERRUPTED = 130  # the exit status in a shell after Ctrl-C


def main() -> None:
    """Run the command and exit with its status, see `docscore.cli.entry_point`."""
    try:
        # imported here, so that Ctrl-C while the libraries are imported ends as it does later
        from docscore.cli.entry_point import run_command  # noqa: PLC0415

        status = run_command()
    except KeyboardInterrupt:
        sys.stderr.write("docscore: stopped\n")
        status = _INTERRUPTED
    sys.exit(status)

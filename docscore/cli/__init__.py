"""The command `docscore`."""

import sys

_INTERRUPTED = 130  # the exit status in a shell after Ctrl-C


def main() -> None:
    """Run the command and exit with its status, one of those in `docscore.cli.entry_point`."""
    try:
        # Ctrl-C during this import must have the same effect as later
        from docscore.cli.entry_point import run_command  # noqa: PLC0415

        status = run_command()
    except KeyboardInterrupt:
        sys.stderr.write("docscore: stopped\n")
        status = _INTERRUPTED
    sys.exit(status)

"""The command `docscore`: its entry point, exit status and error output."""

from __future__ import annotations

import sys
import warnings

import click

from docscore.cli.automation_command import automation_command
from docscore.cli.bench_command import bench_command
from docscore.cli.compare_command import compare_command
from docscore.cli.explain_command import explain_command
from docscore.cli.flags import say
from docscore.cli.report_command import report_command
from docscore.cli.score_command import score_command
from docscore.cli.table_command import table_command
from docscore.data.faults import DataError
from docscore.integrations.log_files import read_logs_of_inspect
from docscore.version import VERSION

_INTERRUPTED, _PIPE_CLOSED = 130, 141  # exit status in a shell after Ctrl-C, or after a closed pipe


def main() -> None:
    """Run the command and exit: status 2 and a message on stderr for invalid input, 1 if `--fail-below` failed."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another
    read_logs_of_inspect()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        status, messages = _run()
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        say(message)
    for line in messages:
        say(line)
    sys.exit(status)


def _run() -> tuple[int, list[str]]:
    """Run the command; return its exit status and error messages."""
    try:
        status = commands.main(prog_name="docscore", standalone_mode=False)
    except (click.ClickException, click.Abort, OSError, TypeError, ValueError) as error:
        return _ended(error)
    except SystemExit as error:  # raised by rich when the pipe is closed
        return _PIPE_CLOSED if error.code == 1 else 0, []
    return status if isinstance(status, int) else 0, []


def _ended(error: Exception) -> tuple[int, list[str]]:
    """The exit status and the error messages of a command that failed."""
    if isinstance(error, click.Abort):
        return _INTERRUPTED, ["stopped"]
    if isinstance(error, BrokenPipeError):
        return _PIPE_CLOSED, []
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "docscore"
        return 2, [f"{error.format_message()} ('{path} -h' for help)"]
    return 2, _lines(error)


def _lines(error: Exception) -> list[str]:
    """The lines of an error message."""
    if isinstance(error, click.ClickException):
        return [error.format_message()]
    if isinstance(error, OSError) and error.filename:
        return [f"{error.filename}: {error.strerror}"]
    return error.lines if isinstance(error, DataError) else [str(error)]


@click.group(
    name="docscore",
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, message="docscore %(version)s")
@click.pass_context
def commands(context: click.Context) -> None:
    """ANLS* scores for document extraction, with the cause of every lost point."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)


for command in (
    score_command,
    explain_command,
    compare_command,
    table_command,
    report_command,
    automation_command,
    bench_command,
):
    commands.add_command(command)

"""The command `docscore`: its commands, exit status and error output.

| status | meaning |
|---|---|
| 0 | success |
| 1 | a gate failed (the limits of `compare`, `score --fail-under`), or `lint` has findings |
| 2 | an input file or an option is wrong, or a gate cannot decide |
| 70 | an unexpected error, which is a bug, or no memory left; `--debug` shows the traceback |
| 74 | the output could not be written |
| 130 | Ctrl-C |
| 141 | the reader of the output closed the pipe |
"""

import os
import sys
import traceback
import warnings
from contextlib import suppress
from importlib.metadata import entry_points
from pkgutil import resolve_name
from typing import TextIO

import click

from docscore.cli.terminal import say
from docscore.core.errors import DataError, InputError, as_flag, written
from docscore.core.formatting import shown_name
from docscore.core.output import OutputError
from docscore.version import VERSION

_BAD_INPUT, _UNEXPECTED, _NOT_WRITTEN = 2, 70, 74  # the last two are EX_SOFTWARE and EX_IOERR of sysexits.h
_INTERRUPTED, _PIPE_CLOSED = 130, 141

# The commands, with their lines in `docscore --help`. Running a command imports its module; the help must not, because
# the modules import NumPy.
_COMMANDS = {
    "automation": "Show what a review of low-confidence values gains.",
    "bench": "Find the paper's benchmark data, and tabulate its runs.",
    "cite": "Print the BibTeX of a metric.",
    "compare": "Compare two systems on the same documents.",
    "explain": "Show how the score of one row is computed.",
    "evidence": "Find the values of ground truths in their documents.",
    "lint": "Check ground truths against their schema and each other.",
    "register": 'Make evaluate.load("anls_star") work on this machine.',
    "report": "Write a report as one HTML file.",
    "review": "Decide whose error each difference is.",
    "score": "Score a file of predictions.",
    "suggest-schema": "Suggest a comparator for each field.",
    "table": "Print the metrics of several systems as a table.",
}
# Commands of other distributions, which offer them as entry points of the group `docscore.commands`.
_DISTRIBUTION_OF = {"bench": "docscore-benchmark", "review": "docscore-review"}


def run_command() -> int:
    """Run the command that `sys.argv` names and return its exit status. Errors and warnings go to stderr."""
    _prepare_streams()
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            returned = commands.main(prog_name="docscore", standalone_mode=False)
            sys.stdout.flush()
            status = returned if isinstance(returned, int) else 0
        except SystemExit as error:  # raised by click and rich when the pipe is closed
            status = _PIPE_CLOSED if error.code == 1 else 0
        except Exception as error:  # noqa: BLE001  the exit status must not be that of a gate
            status, messages = _exit_status(error)
    try:
        for line in (*dict.fromkeys(_line_of(warning.message) for warning in caught), *messages):
            say(line)
        sys.stderr.flush()
    except OSError:  # with no stderr, the exit status alone reports the error
        _discard_rest(sys.stderr)
    return status


def _line_of(warning: object) -> str:
    """Return a warning as the command prints it, after the names of the systems that it concerns."""
    systems = ", ".join(map(shown_name, getattr(warning, "systems", ())))
    return f"{systems}: {written(warning, as_flag)}" if systems else written(warning, as_flag)


def _discard_rest(stream: TextIO) -> None:
    """Discard the rest of a stream that cannot be written, so that flushing it at exit does not fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _prepare_streams() -> None:
    """Replace characters that the terminal does not have, and make writing to a closed stdout an error."""
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _exit_status(error: Exception) -> tuple[int, list[str]]:  # noqa: PLR0911  one for each kind of error
    """Return the exit status and the error messages of a command that failed."""
    if isinstance(error, click.Abort):
        if not isinstance(error.__cause__, EOFError):  # click interprets it as Ctrl-D at a prompt
            return _INTERRUPTED, ["stopped"]
        error = error.__cause__
    if isinstance(error, click.ClickException):
        context = getattr(error, "ctx", None)  # errors about arguments and options have it
        hint = f" ('{context.command_path} -h' for help)" if context else ""
        return _BAD_INPUT, [f"{error.format_message()}{hint}"]
    if isinstance(error, InputError):
        return _BAD_INPUT, error.lines(as_flag) if isinstance(error, DataError) else [written(error, as_flag)]
    if isinstance(error, OSError):
        if error.filename and not isinstance(error, OutputError):
            return _BAD_INPUT, [f"{error.filename}: {error.strerror}"]
        if not error.filename:  # the error is of a stream
            _discard_rest(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return _PIPE_CLOSED, []
        return _NOT_WRITTEN, [f"cannot write {error.filename or 'the output'}: {error.strerror or error}"]
    return _UNEXPECTED, _unexpected(error)


def _unexpected(error: Exception) -> list[str]:
    """Return the message for an error that the input did not cause, after the traceback if `--debug` is given."""
    if isinstance(error, MemoryError):
        message = f"out of memory{f' ({error})' if str(error) else ''}"
    else:
        kind, text = type(error).__name__, " ".join(str(error).split())
        message = f"unexpected {kind}{f': {text}' if text else ''}; this is a bug in docscore"
    if "--debug" in sys.argv:
        return [*"".join(traceback.format_exception(error)).splitlines(), message]
    return [f"{message} (--debug shows the traceback)"]


class _Commands(click.Group):
    """The commands of the table. Until a command is run or its help is requested, only its name and help line exist."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Import the command that `args` names; raise a usage error if its distribution is not installed."""
        name, command, rest = super().resolve_command(context, args)
        if name in _DISTRIBUTION_OF:
            offered = entry_points(group="docscore.commands", name=name)
            if not offered:
                distribution = _DISTRIBUTION_OF[name]
                context.fail(f"{name!r} needs {distribution}, which is not installed: pip install {distribution}")
            command = next(iter(offered)).load()
        elif name in _COMMANDS:
            function = f"{name.replace('-', '_')}_command"
            command = resolve_name(f"docscore.cli.{function}:{function}")
        return name, command, rest


@click.group(
    name="docscore",
    cls=_Commands,
    commands={name: click.Command(name, short_help=line) for name, line in _COMMANDS.items()},
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="docscore COMMAND --help shows the options of a command.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(VERSION, message="docscore %(version)s")
@click.pass_context
def commands(context: click.Context) -> None:
    """Score document extraction with ANLS*, and explain every lost point."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)

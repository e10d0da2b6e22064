"""The command `docscore`: its commands, exit status and error output.

| status | meaning |
|---|---|
| 0 | done |
| 1 | a gate failed, that of `compare --max-loss` or `score --fail-under`; nothing else ends with it |
| 2 | the input, an option or a file to read is at fault |
| 70 | unexpected: a fault of docscore, or memory ran out; `--debug` shows the traceback |
| 74 | the output could not be written |
| 130 | stopped by Ctrl-C |
| 141 | whoever read the output closed the pipe |
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
import warnings
from contextlib import suppress
from typing import Any, TextIO

import click

from docscore.cli.terminal import say
from docscore.core.errors import InputError
from docscore.core.output import OutputError
from docscore.version import VERSION

_BAD_INPUT, _UNEXPECTED, _NOT_WRITTEN = 2, 70, 74  # the last two are EX_SOFTWARE and EX_IOERR of sysexits.h
_INTERRUPTED, _PIPE_CLOSED = 130, 141

# What `docscore --help` says of each command NAME, the object NAME_command of the module NAME_command, which is
# imported when the command is run: the help needs no NumPy.
_COMMANDS = {
    "automation": "Show accuracy after reviewing low-confidence values.",
    "bench": "The data of the paper's benchmark.",
    "compare": "Compare two systems on the same documents.",
    "explain": "Show how the score of one document is computed.",
    "lint": "Check ground truths against their schema and each other.",
    "report": "Write a report as one HTML file.",
    "score": "Score a file of predictions.",
    "suggest-schema": "Suggest how the values of each field compare.",
    "table": "Print the metrics of several systems as a table.",
}


def run_command() -> int:
    """Run the command that `sys.argv` names, and return its exit status; errors and warnings go to stderr."""
    _prepare_streams()
    wishes: dict[str, bool] = {}
    messages: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            returned = commands.main(prog_name="docscore", standalone_mode=False, obj=wishes)
            sys.stdout.flush()
            status = returned if isinstance(returned, int) else 0
        except SystemExit as error:  # raised by click and rich when the pipe is closed
            status = _PIPE_CLOSED if error.code == 1 else 0
        except Exception as error:  # noqa: BLE001  the exit status must not be that of a gate
            status, messages = _ended(error, debug="debug" in wishes)
    try:
        for line in (*dict.fromkeys(str(warning.message) for warning in caught), *messages):
            say(line)
        sys.stderr.flush()
    except OSError:  # where stderr cannot be written either, the exit status says it
        _discard_rest(sys.stderr)
    return status


def _discard_rest(stream: TextIO) -> None:
    """Discard what is left in a stream that cannot be written, so that it does not fail again when Python ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _prepare_streams() -> None:
    """Have a terminal that lacks a character show another; have a closed stdout be an error when it is written to."""
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _ended(error: Exception, *, debug: bool) -> tuple[int, list[str]]:  # noqa: PLR0911  one for each kind of end
    """The exit status and the error messages of a command that failed."""
    if isinstance(error, click.Abort):
        if not isinstance(error.__cause__, EOFError):  # which click takes for Ctrl-D at a prompt
            return _INTERRUPTED, ["stopped"]
        error = error.__cause__
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx else "docscore"
        return _BAD_INPUT, [f"{error.format_message()} ('{path} -h' for help)"]
    if isinstance(error, click.ClickException):
        return _BAD_INPUT, [error.format_message()]
    if isinstance(error, InputError):
        return _BAD_INPUT, getattr(error, "lines", None) or [str(error)]
    if isinstance(error, OSError):
        if error.filename and not isinstance(error, OutputError):
            return _BAD_INPUT, [f"{error.filename}: {error.strerror}"]
        if not error.filename:  # an error of a stream
            _discard_rest(sys.stdout)
        if isinstance(error, BrokenPipeError):
            return _PIPE_CLOSED, []
        where = error.filename or "the output"
        return _NOT_WRITTEN, [f"{where} cannot be written: {error.strerror or error}"]
    return _UNEXPECTED, _unexpected(error, debug=debug)


def _unexpected(error: Exception, *, debug: bool) -> list[str]:
    """The message about an error that is not about the input, and with `--debug` the lines of its traceback."""
    shown = traceback.format_exception(error) if debug else []
    if isinstance(error, MemoryError):
        message = f"memory ran out{f' ({error})' if str(error) else ''}"
    else:
        kind, text = type(error).__name__, " ".join(str(error).split())
        message = f"unexpected {kind}{f': {text}' if text else ''}; this is a fault of docscore"
    hint = "" if debug else " (--debug shows the traceback)"
    return [*"".join(shown).splitlines(), f"{message}{hint}"]


class _Commands(click.Group):
    """The commands; each is imported when it is run or asked for help, and until then only its name and help are."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(context, args)
        if name in _COMMANDS:
            module = f"{name.replace('-', '_')}_command"
            command = getattr(importlib.import_module(f"docscore.cli.{module}"), module)
            for each in getattr(command, "commands", {name: command}).values():
                if _DEBUG not in each.params:
                    each.params.append(_DEBUG)
        return name, command, rest


def _keep_debug(context: click.Context, _parameter: click.Parameter, value: Any) -> None:
    """Remember that a traceback is wanted, for when the command is over."""
    if value:
        context.find_root().obj["debug"] = True


_DEBUG = click.Option(
    ["--debug"],
    is_flag=True,
    expose_value=False,
    callback=_keep_debug,
    help="Print the traceback of an unexpected error.",
)


@click.group(
    name="docscore",
    cls=_Commands,
    commands={name: click.Command(name, short_help=text) for name, text in _COMMANDS.items()},
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

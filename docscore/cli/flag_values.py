"""Check and convert the values of flags, before any work is done."""

from __future__ import annotations

import re

import click

from docscore.core.errors import InputValueError, row_place
from docscore.metrics.registry import checked_metrics


def split_names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Split a comma-separated list of names; no names if the option was not given."""
    return () if value is None else tuple(name.strip() for name in value.split(","))


def metric_names(context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
    """Split and check a comma-separated list of metrics."""
    return tuple(checked_metrics(split_names(context, parameter, value)))


def id_pattern(_context: click.Context, _parameter: click.Parameter, value: str | None) -> re.Pattern[str] | None:
    """Compile a regular expression, and check that it has one group."""
    if value is None:
        return None
    try:
        found = re.compile(value)
    except re.error as error:
        msg = f"expected a regular expression, got {value!r} ({error})"
        raise click.BadParameter(msg) from None
    if found.groups != 1:
        msg = f"expected a regular expression with one group in parentheses, got {value!r}"
        raise click.BadParameter(msg)
    return found


def column_sign(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Check that a sign between columns is one character; the tab can be written as "tab"."""
    found = "\t" if value in ("tab", r"\t") else value
    if found is not None and (len(found) != 1 or found in '"\r\n'):
        msg = f"expected one character, or tab, got {value!r}"
        raise click.BadParameter(msg)
    return found


def part_of_id(pattern: re.Pattern[str], question_id: str) -> str:
    """The part of an id that the group of the pattern matches."""
    found = pattern.search(question_id)
    if found is None:
        raise InputValueError(place=row_place(question_id), expected=f"an id that matches {pattern.pattern!r}")
    return str(found[1])

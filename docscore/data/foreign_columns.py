"""Rows whose columns have other names: an error that names the options that read them, in place of a score."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from docscore.core.errors import InputValueError, in_file, short_repr
from docscore.data.column_guesses import guessed_columns
from docscore.data.delimiters import DELIMITERS
from docscore.data.files import Table, suffix_of
from docscore.data.id_columns import foreign_ids
from docscore.data.rows import ID, PLAIN, VALUE_KEYS, RowFormat, side_format

_OPTIONS = (
    "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns"
)
_DELIMITER = "--delimiter names the sign between the columns of CSV"
_SEEMING = {"id_column": "the id", "references_column": "the ground truth", "prediction_column": "the prediction"}


@contextmanager
def naming_columns(references: Table | None, predictions: Table) -> Iterator[None]:
    """Add to an error about the keys of rows what the columns seem to hold, and the options that say so.

    Args:
        references: the rows of ground truths; None where the rows of predictions hold both.
        predictions: the rows of predictions.
    """
    try:
        yield
    except InputValueError as error:
        tables = [table for table in (references, predictions) if table is not None]
        if not all(len(table.rows) for table in tables) or not any(isinstance(each.first(), dict) for each in tables):
            raise
        remedies = [error.diagnostic.remedy, _column_options(references, predictions)]
        raise InputValueError(replace(error.diagnostic, remedy="; ".join(filter(None, remedies)))) from None


def _column_options(references: Table | None, predictions: Table) -> str:
    """Which columns look like ids, ground truths and predictions, and the options that name them; nothing is taken."""
    plan = guessed_columns(references, predictions)
    first, second = plan.names_of("references"), plan.names_of("predictions")
    given = {"references_column": first.references, "prediction_column": second.prediction}
    parts = []
    if first.id == second.id:
        given = {"id_column": first.id, **given}
    elif None not in plan.ids:
        ids = " and ".join(map(short_repr, plan.ids))
        parts.append(f"{ids} look like the ids, which need one name on both sides")
    named = {option: name for option, name in given.items() if name is not None}
    if named:
        seeming = ", ".join(f"{short_repr(name)} looks like {_SEEMING[option]}" for option, name in named.items())
        flags = " ".join(f"--{option.replace('_', '-')} {shlex.quote(str(name))}" for option, name in named.items())
        keywords = ", ".join(f"{option}={name!r}" for option, name in named.items())
        parts.append(f"{seeming}: {flags} ({keywords} in Python)")
    if not named or None in (*plan.ids, plan.references, plan.prediction):
        parts.append(_OPTIONS)
    return "; ".join(parts)


def check_columns(references: Table, predictions: Table, form: RowFormat) -> None:
    """Raise `ValueError` for rows without ids that can only be rows by id whose columns have other names."""
    if form is not PLAIN:
        return
    for table in (references, predictions):
        if table.has_columns:
            _check_has_ids(table)
    found = foreign_ids(references, predictions)
    if found is not None:
        raise InputValueError(found)


def _check_has_ids(table: Table) -> None:
    """Raise `ValueError` for a table without ids; CSV may have been split at the wrong character."""
    names = [str(name) for name in table.first() or {}]
    is_split_wrong = suffix_of(table.path) in (".csv", ".tsv") and any(sign in "".join(names) for sign in DELIMITERS)
    raise InputValueError(
        place=in_file(table.path),
        expected=f"a column {ID!r}",
        got=", ".join(map(repr, names)),
        remedy=_DELIMITER if is_split_wrong else "",
    )


def check_value_column(table: Table, side: Literal["prediction", "references"]) -> None:
    """Raise `ValueError` if the first row has an id and no key of any row format: its column has another name."""
    row = table.first()
    if not isinstance(row, dict) or not VALUE_KEYS.isdisjoint(row):
        return
    try:
        side_format(row, side)
    except InputValueError as error:
        raise InputValueError(replace(error.diagnostic, parts=(in_file(table.path),))) from None

"""Read files, frames and lists as test sets: pair the rows, read texts as JSON, and find likely mistakes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from docscore.core.errors import DataWarning, InputError, distinct
from docscore.core.options import DEFAULT_READING, ReadOptions, check_integer
from docscore.core.runtime import Progress, no_progress, progress_from, warn_all
from docscore.core.values import holds_value, warnings_about_wrapped
from docscore.inputs.absent_words import warnings_about_words
from docscore.inputs.checks import (
    refuse_document_texts,
    refuse_emptied,
    warnings_about_content,
    warnings_about_copies,
    warnings_about_errors,
    warnings_about_forms,
    warnings_about_ids,
    warnings_about_json_in_fields,
    warnings_about_nan,
    warnings_about_nothing,
    warnings_about_reading,
    warnings_about_repairs,
    warnings_about_shapes,
    warnings_about_texts,
    warnings_about_values,
)
from docscore.inputs.citation_forms import form_named
from docscore.inputs.content import scored_content
from docscore.inputs.groups import grouped_rows
from docscore.inputs.model_text import parse_predictions, parsed_references
from docscore.inputs.pairing import issued_on_error, joined_runs, rows_of_sides
from docscore.inputs.raw_regions import with_raw_regions, without_ignored
from docscore.inputs.test_set import TestSet


def read(
    references: Any,
    predictions: Any,
    options: ReadOptions = DEFAULT_READING,
    *,
    num_proc: int = 1,
    progress: bool | Progress | None = None,
) -> TestSet:
    """Read the ground truths and the predictions of one system, and warn about likely mistakes.

    Args:
        references: the ground truths, as for `docscore.evaluate`; None if the rows of the predictions contain them.
        predictions: the predictions.
        options: how the rows are read.
        num_proc: the number of processes that read files.
        progress: as for `docscore.evaluate`.

    Raises:
        TypeError, ValueError, OSError: as for `docscore.evaluate`.

    >>> read({"a": {"total": "6.40"}}, {"a": {"total": "6.40"}})
    <TestSet 1 rows>
    """
    bars, count = progress_from(progress), check_integer("num_proc", num_proc, 1)
    test_set = read_systems(references, {"": [predictions]}, options, num_proc=count, progress=bars)[""]
    warn_all(test_set.warnings)
    return test_set


def read_systems(
    references: Any,
    systems: Mapping[str, Sequence[Any]],
    options: ReadOptions = DEFAULT_READING,
    *,
    side_names: Sequence[str] = (),
    num_proc: int = 1,
    progress: Progress = no_progress,
) -> dict[str, TestSet]:
    """Read the predictions of several systems on the same references, which are read once.

    Args:
        references: the ground truths, as for `read`.
        systems: the predictions of each system by its name: one side, or one side per run.
        options: how the rows are read.
        side_names: the name of each side in messages; needed for warnings about sides that are copies.
        num_proc: as for `read`.
        progress: called when each phase of the work begins.

    Returns:
        The test set of each system, with warnings that have not been issued yet.

    Raises:
        TypeError, ValueError, OSError: as for `read`, and for a run with other documents than the first run.
    """
    sides = [side for runs in systems.values() for side in runs]
    pairs = rows_of_sides(references, sides, options, num_proc=num_proc, progress=progress)
    copies = list(warnings_about_copies(pairs, side_names))
    names = side_names or [name for name, runs in systems.items() for _ in runs]
    found, first = {}, 0
    for name, runs in systems.items():
        part = slice(first, first + len(runs))
        rows = joined_runs(pairs[part], names[part])
        found[name] = as_scored(replace(rows, warnings=[*copies, *rows.warnings]), options, progress)
        first += len(runs)
    return found


def as_scored(
    rows: TestSet,
    options: ReadOptions,
    progress: Progress = no_progress,
    *,
    is_full: bool = True,
    as_values: bool = False,
) -> TestSet:
    """Read the texts of rows as JSON if the options say so, and remove unscored content from values.

    The result contains the warnings; the caller that reads rows for a user issues them.

    Args:
        rows: the paired rows.
        options: how they are read.
        progress: called with the phases of the work.
        is_full: whether these are all rows of a test set; needed for warnings that no row has something.
        as_values: whether values are scored unread. Documents written as text, and values with citations, then get a
            warning, and no option may say how to read them.

    Raises:
        TypeError, ValueError: if the ground truths are documents written as text and no option says how to read them,
            and for a reference that cannot be read, naming its row.
    """
    found = [*rows.warnings]
    with issued_on_error(found):
        try:
            refuse_document_texts(rows.truths, rows.predictions, options.parse, options.parse_references)
        except InputError as error:
            if not as_values:
                raise
            found.append(DataWarning("documents as text", error.diagnostic))
        found += warnings_about_reading(rows, options.parse, options.parse_references)
        if options.parse_references and rows.repairs is None:
            truths, repairs = parsed_references(rows.ids, rows.truths, options.parse_references)
            rows = replace(rows, truths=truths, repairs=repairs)
        given = rows
        found += warnings_about_repairs(rows.repairs or {}, len(rows.ids))
        if options.parse_mode is not None:
            predictions, readings = parse_predictions(rows.predictions, rows.truths, options.parse_mode, progress)
            rows = replace(rows, predictions=predictions, readings=readings)
            found += warnings_about_texts(rows, options.parse)
        form = None if options.citations_from is None else form_named(options.citations_from)
        found += warnings_about_forms(rows) if form is None else ()
        confidences = rows.confidences if options.with_confidences else None
        rows = replace(rows, full_truths=rows.truths, confidences=confidences)
        if as_values:
            found += warnings_about_wrapped([*rows.truths, *rows.predictions])
        else:
            rows = with_raw_regions(rows, form)
        found += warnings_about_values(rows, progress, with_confidences=options.with_confidences or as_values)
        if options.with_confidences or options.ignore_keys or options.absent_words:
            whole = rows
            rows = without_ignored(scored_content(rows, options), whole)
            found += warnings_about_content(whole, rows, options) if is_full else ()
            if (
                is_full
                and options.ignore_keys
                and not all(any(map(holds_value, side)) for side in (rows.truths, rows.predictions))
            ):
                refuse_emptied(whole, options.ignore_keys)
        if is_full and len(rows.ids) > 1:
            found += [*warnings_about_words(rows), *warnings_about_ids(rows), *warnings_about_nothing(rows)]
            found += warnings_about_json_in_fields(rows, options)
        found += [*warnings_about_nan(rows), *warnings_about_errors(rows)]
        found += warnings_about_shapes(rows)
        return grouped_rows(
            replace(rows, warnings=distinct(found), is_full=is_full, given=given, options=options), options
        )

"""Pair the rows of both sides by id or by position; errors name ids, columns and row formats that do not match."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, combinations, islice
from os import PathLike
from pathlib import Path
from typing import Any

from docscore.core.errors import (
    NAMED,
    DataWarning,
    Diagnostic,
    FilePlace,
    InputError,
    InputValueError,
    Remedy,
    RowErrors,
    errors_summary,
    in_file,
    listed,
    literal_remedy,
    row_place,
    short_repr,
    some_of,
)
from docscore.core.formatting import printable
from docscore.core.options import MISSING_MODES, SKIP, ReadOptions, check_choice
from docscore.core.runtime import Progress, gc_pause, no_progress, warn_all
from docscore.core.values import SCALAR_TYPES, Value, holds_value
from docscore.inputs.columns import (
    MissingColumnError,
    check_both_sides,
    raw_table,
    table_of_source,
    with_names,
)
from docscore.inputs.confidences import NAMES, the_name
from docscore.inputs.field_paths import list_paths
from docscore.inputs.formats import RECORDS, TEXT_EXTENSIONS, suffix_of
from docscore.inputs.ids import pattern_that_pairs, with_parts_of_ids
from docscore.inputs.json_text import store
from docscore.inputs.queries import query_for, query_of_both
from docscore.inputs.rows import (
    ANLS,
    BY_ID,
    COSTS,
    ID,
    PLAIN,
    PREDICTION,
    REFERENCES,
    VALUE_KEYS,
    Absent,
    Check,
    RawTable,
    RowFormat,
    Side,
    SideRows,
    columns_of,
    described,
    format_of,
    is_word,
    name_in_file,
    place_of,
    read_rows,
    row_format,
    side_format,
    table_in_memory,
)
from docscore.inputs.test_set import TestSet

MISSING_REMEDY = Remedy("{} scores them as null, {} leaves them out", (("missing", "zero"), ("missing", SKIP)))
WITHOUT_PREDICTION, _UNKNOWN = "reference without a prediction", "unknown id"
_FIELDS_REMEDY = Remedy(
    "if each column is a field, add {}; if each row is a field, add {} and {}",
    (("fields_in_columns", True), ("field_column", ...), ("value_column", ...)),
)
_TWO_COLUMNS = Remedy(
    "give two files, or name the column of each side with {} and {}",
    (("prediction_column", ...), ("references_column", ...)),
)
_MOST_COLUMNS = 20  # the number of columns that a message lists
_FEWEST_IN_ORDER = 3  # documents; a model may swap the values of only two
_NO_COSTS = (None,) * len(COSTS)


def pairs_of(predictions: Any, references: Any, missing: str = "error", *, once: bool = False) -> TestSet:
    """Pair rows in any of the three formats.

    Args:
        predictions: rows, as `evaluate` takes them: a list, an array, a dataset, a column or a series.
        references: rows of the same format.
        missing: what to do with a reference without a prediction: "error" to raise an error; "zero" to score it as
            null (usually 0) and count it; "skip" to leave it out and count it.
        once: whether rows by id that repeat a row with the same values count once; otherwise they are errors.

    Raises:
        TypeError, ValueError: naming the first row that has another format or a value that cannot be scored, or ids
            that cannot be paired.

    >>> pairs_of([{"question_id": "a", "prediction": "x"}], [{"question_id": "a", "references": ["x", "y"]}]).truths
    [('x', 'y')]
    """
    check_choice("missing", missing, MISSING_MODES)
    given, wanted = table_in_memory(predictions, "predictions"), table_in_memory(references, "references")
    form = row_format(wanted, given)
    if form is PLAIN:
        check_labels(references, predictions)
    sides = read_rows(wanted, form, "references"), read_rows(given, form, "predictions")
    return pairs_of_rows(*sides, missing, once=once)


def check_labels(references: Any, predictions: Any) -> None:
    """Refuse two pandas columns whose labels contradict the pairing by position.

    A filtered column paired with a column that has the default labels 0, 1, 2 and so on is accepted.

    Raises:
        ValueError: for equal labels in another order, and for two different indexes that both differ from the default.
    """
    if not all(hasattr(side, "iloc") and not hasattr(side, "columns") for side in (references, predictions)):
        return
    if references.index.equals(predictions.index):  # also true for labels that are NaN, which equals nothing
        return
    wanted, given = list(references.index), list(predictions.index)
    are_default = [labels == list(range(len(labels))) for labels in (wanted, given)]
    if len(wanted) != len(given) or wanted == given or (any(are_default) and Counter(wanted) != Counter(given)):
        return
    labels = zip(wanted, given, strict=False)
    position, (label, other) = next((at, pair) for at, pair in enumerate(labels) if pair[0] != pair[1])
    raise InputValueError(
        place="predictions",
        expected=f"the label {short_repr(label)} at position {position}, as in the references",
        got=short_repr(other),
        remedy="values without ids pair by position: bring one column into the order of the other with "
        ".loc[other.index], or drop both indexes with .reset_index(drop=True)",
    )


def pairs_of_rows(wanted: SideRows, given: SideRows, missing: str, *, once: bool = False) -> TestSet:
    """Pair the rows of both sides, whose values are already converted; other arguments and errors as for `pairs_of`."""
    count = len(wanted.ids) - len(set(wanted.ids)) if once else 0
    if count:
        wanted, given = _distinct(wanted), _distinct(given)
    pairs = _paired(wanted, given, missing, RowErrors())
    skipped = None if pairs.skipped is None else pairs.skipped - count
    return replace(pairs, repeated=count, skipped=skipped) if count else pairs


def _distinct(rows: SideRows) -> SideRows:
    """Leave out the rows that repeat the id and the value of an earlier row."""
    numbers = {
        (name, store(value)): number
        for number, (name, value) in reversed([*enumerate(zip(rows.ids, rows.values, strict=True))])
    }
    kept = sorted(numbers.values())
    return rows._replace(
        ids=[rows.ids[number] for number in kept],
        values=[rows.values[number] for number in kept],
        sources=[rows.sources[number] for number in kept],
    )


def pairs_of_columns(
    ids: Sequence[str], references: Iterable[Any], predictions: Iterable[Any], absent: Iterable[int] = ()
) -> TestSet:
    """Pair columns whose cells at the same position belong together.

    Args:
        ids: the id of each row.
        references: the list of acceptable answers of each row.
        predictions: the prediction of each row.
        absent: the numbers of the rows that have no prediction.

    Raises:
        TypeError, ValueError: naming the row, for a value that cannot be scored or a reference that is not a list.
    """

    def read(column: Iterable[Any], side: Side) -> list[Value]:
        rows = [{ID: name, getattr(BY_ID, side): value} for name, value in zip(ids, column, strict=True)]
        return read_rows(RawTable(Path(side), rows, lambda index: row_place(ids[index])), BY_ID, side).values

    return TestSet(list(ids), read(references, "references"), read(predictions, "predictions"), frozenset(absent))


def joined_runs(runs: Sequence[TestSet], names: Sequence[str]) -> TestSet:
    """Join the runs of one system on the same documents: rows such as "a, run 2"; each document is a cluster.

    A single run is returned unchanged.

    Args:
        runs: the rows of each run.
        names: the name of each run in messages.

    Raises:
        ValueError: if a run has other documents than the first run.
    """
    if len(runs) == 1:
        return runs[0]
    parts = [(name, part) for name, run in zip(names, runs, strict=True) for part in run.each_run()]
    first_name, first = parts[0]
    for name, part in parts:
        others = sorted(set(first.ids) ^ set(part.ids))
        if others:
            raise InputValueError(
                place=f"{first_name} and {name}",
                expected="the same documents in all runs",
                got=f"{len(others):,} that only one of them has, such as {short_repr(others[0])}",
            )
    stacked = [first, *common_rows([part for _, part in parts])[1:]]
    return stacked_runs({f"run {number}": part for number, part in enumerate(stacked, 1)})


def stacked_runs(runs: Mapping[str, TestSet]) -> TestSet:
    """Concatenate the runs on the same documents; each id gets the name of its run: "a, run 2".

    A single run is returned unchanged.
    """
    first, *others = runs.values()
    if not others:
        return first

    def column(name: str, blank: Any = None) -> Any:
        parts = [getattr(run, name) for run in runs.values()]
        filled = [part or [blank] * len(first.ids) for part in parts]
        return None if not any(parts) else [value for part in filled for value in part]

    return TestSet(
        [f"{name}, {run}" for run, rows in runs.items() for name in rows.ids],
        column("truths"),
        column("predictions"),
        frozenset(index * len(first.ids) + row for index, run in enumerate(runs.values()) for row in run.absent),
        first.skipped,
        column("confidences"),
        column("reference_rows"),
        first.ids * len(runs),
        first.ids,
        repairs=first.repairs,
        warnings=tuple(each for run in runs.values() for each in run.warnings),
        row_errors=first.row_errors,
        costs=column("costs", _NO_COSTS),
        evidence=column("evidence"),
        citations=column("citations"),
    )


def common_rows(sides: Sequence[TestSet]) -> list[TestSet]:
    """Keep the rows that all sides have, in the order of the first side; the other rows count as skipped.

    Raises:
        ValueError: if there are no such rows.
    """
    shared = set(sides[0].ids).intersection(*(side.ids for side in sides))
    if not shared:
        raise InputValueError(expected="ids that occur in all files of predictions", got="none")
    numbers = [{name: number for number, name in enumerate(side.ids)} for side in sides]
    names = [name for name in sides[0].ids if name in shared]
    return [side.only([of_name[name] for name in names]) for side, of_name in zip(sides, numbers, strict=True)]


def check_equal_count(predictions: int, references: int, place: FilePlace | tuple[()] = ()) -> None:
    """Raise `ValueError` unless there are as many predictions as references."""
    if predictions != references:
        raise InputValueError(
            place=place, expected="as many predictions as references", got=f"{predictions} and {references}"
        )


def rows_of_sides(
    references: Any,
    predictions: Sequence[Any],
    options: ReadOptions,
    *,
    num_proc: int = 1,
    progress: Progress = no_progress,
) -> list[TestSet]:
    """Read the references and the predictions of one or more systems, and pair their rows.

    Args:
        references: a source of ground truths, as for `table_of_source`, such as a path; None if the rows of the
            predictions also contain them, as the rows of logs do.
        predictions: the source of each system. If rows are left out, all systems keep the same rows.
        options: how the rows are read.
        num_proc: the number of processes that read files.
        progress: called with the phase "Reading" and the size in bytes when the reading of a file begins, and with the
            phase "Pairing" and the number of rows of each side.

    Returns:
        The rows of each system, unchanged except for references that were read as JSON.

    Raises:
        ValueError: naming file, line and error; `DataError` for errors of single rows and ids.
        OSError: if a file cannot be read.
    """
    errors = RowErrors(options.on_error)
    _check_sources(references, predictions, options)
    are_same = [
        options.references_query == options.predictions_query and _is_same(source, references) for source in predictions
    ]
    is_file = isinstance(references, str | PathLike)
    hold_both = is_file and options.references_id_column is None  # the rows of a file that is given twice
    given: list[tuple[Any, Side, bool]] = [
        (source, "predictions", references is None or (hold_both and is_same))
        for source, is_same in zip(predictions, are_same, strict=True)
    ]
    if references is not None:
        given.insert(0, (references, "references", hold_both and any(are_same)))
    read = [raw_table(source, side, options, errors, num_proc=num_proc, progress=progress) for source, side, _ in given]
    lists = list_paths(read, options)
    try:
        tables = [
            with_names(table, side, options, both=both, lists=lists)
            for table, (_, side, both) in zip(read, given, strict=True)
        ]
    except MissingColumnError as error:
        raise _with_meaning(error, *((None, read) if references is None else (read[0], read[1:]))) from None
    tables[0] = tables[0]._replace(warnings=(*tables[0].warnings, *lists.warnings(tables[0])))
    if is_file:
        tables = [
            table._replace(warnings=(*table.warnings, *_warnings_about_objects(table, side, options)))
            for table, (_, side, _) in zip(tables, given, strict=True)
        ]
    truths, systems = (None, tables) if references is None else (tables[0], tables[1:])
    for source, table, is_same in zip(predictions, systems, are_same, strict=True):
        if is_same:
            _check_sides_of_one_source(table, options, is_file=hold_both)
        if truths is not None and hasattr(source, "iloc") and format_of(table.first(), "predictions") is PLAIN:
            check_labels(references, source)
    with issued_on_error(each for table in tables for each in table.warnings):
        return paired_systems(truths, systems, options, errors, progress=progress)


@contextmanager
def issued_on_error(found: Iterable[DataWarning]) -> Iterator[None]:
    """Issue warnings that were found before an error about the input is raised, since the error ends the reading."""
    try:
        yield
    except InputError:
        warn_all(found)
        raise


def _check_sides_of_one_source(table: RawTable, options: ReadOptions, *, is_file: bool) -> None:
    """Raise `ValueError` if one source is given for both sides and nothing distinguishes the sides."""
    check_both_sides(options, table)
    if is_file and not _holds_both(table.first()):
        raise InputValueError(
            place=place_of(table), problem="the same file is given for both sides", remedy=_TWO_COLUMNS
        )


def _is_same(source: Any, other: Any) -> bool:
    """Return whether two sources are one object, or one file or folder once symbolic links are resolved."""
    are_paths = isinstance(source, str | PathLike) and isinstance(other, str | PathLike)
    return source is other or (are_paths and Path(source).resolve() == Path(other).resolve())


def _check_sources(references: Any, predictions: Sequence[Any], options: ReadOptions) -> None:
    """Raise `ValueError` for options of missing references, and for one file that is given as two systems or runs."""
    for name in ("references_query", "references_encoding") if references is None else ():
        if getattr(options, name) is not None:
            raise InputValueError(place=name, expected="separate references", got="rows that hold both sides")
    for first, second in combinations(predictions, 2):
        if isinstance(first, str | PathLike) and _is_same(first, second):
            raise InputValueError(
                place=FilePlace(tuple(dict.fromkeys(map(str, (first, second))))),
                problem="the same file is given for two systems or runs",
                remedy="give each its own file",
            )


def _holds_both(row: Any) -> bool:
    """Return whether a row holds an id, a prediction and ground truths."""
    return isinstance(row, dict) and any({ID, *form[1:]} <= row.keys() for form in (BY_ID, ANLS))


def _with_meaning(
    error: MissingColumnError, references: RawTable | None, systems: Sequence[RawTable]
) -> InputValueError:
    """Return the error for a missing column with the likely mistake: exchanged sides, or a missing side."""
    side = _SIDE_OF_COLUMN.get(error.option)
    if side is None:
        return error
    others = systems if side == "references" or references is None else [references]
    firsts = [table.first() for table in others]
    is_elsewhere = any(isinstance(row, dict) and error.column in row for row in firsts)
    if references is not None:
        got = f"{error.got} (are predictions and references swapped?)" if is_elsewhere else error.got
        return InputValueError(replace(error.diagnostic, got=got))
    files = list(dict.fromkeys(str(table.path) for table in systems))
    if side == "references" and not is_elsewhere and len(files) > 1:
        return _without_truths(files, f" in a column {error.column!r}")
    if side == "references":
        remedy = None if is_elsewhere else _TWO_FILES
    else:
        holding = Remedy("if it holds the ground truths, add {}", (("references", error.place),))
        remedy = holding if is_elsewhere else None
    return InputValueError(replace(error.diagnostic, remedy=remedy or ""))


_SIDE_OF_COLUMN = {
    "references_column": "references",
    "references_id_column": "references",
    "prediction_column": "predictions",
    "predictions_id_column": "predictions",
}
_TWO_FILES = Remedy("give ground truths and predictions in two files, the ground truths as {}", (("references", ...),))


def _without_truths(files: Sequence[str], column: str = "") -> InputValueError:
    """Return the error for files of systems without ground truths."""
    return InputValueError(
        place=FilePlace(tuple(files)),
        problem=f"no file holds ground truths{column}",
        remedy=Remedy("add {} if it holds them", (("references", files[0]),)),
    )


def read_ground_truths(references: Any, options: ReadOptions, progress: Progress = no_progress) -> SideRows:
    """Read a side of references; errors as for `docscore.evaluate`.

    Args:
        references: the side, or its table, in which columns have the names of the side.
        options: how the rows are read.
        progress: as for `rows_of_sides`.
    """
    table = table_of_source(references, "references", options, progress=progress)
    if options.id_pattern is not None:
        [table] = with_parts_of_ids([table], options.id_pattern, both=False)
    form = side_format(table.first(), "references", table)
    return read_rows(table, form, "references", progress=progress, parse=options.parse_references)


def _warnings_about_objects(table: RawTable, side: Side, options: ReadOptions) -> Iterator[DataWarning]:
    """Yield a warning about the objects of a file that have no ids.

    The only object may contain the rows. Several ground truths are documents that are paired by position.
    """
    row = table.first()
    if not isinstance(row, dict) or ID in row:
        return
    place = in_file(table.path)
    if len(table.rows) == 1:
        if not options.single_document and (query := query_for(row, with_ids=True)):
            remedy = Remedy(
                f"if it contains rows at {literal_remedy(repr(query)).text}, add {{}}; if it is one document, add {{}}",
                ((f"{side}_query", query), ("single_document", True)),
            )
            diagnostic = Diagnostic((place,), problem="it is interpreted as one document", remedy=remedy)
            yield DataWarning("rows inside a document", diagnostic)
    elif (
        side == "references"
        and suffix_of(table.path) in TEXT_EXTENSIONS
        and not table.has_columns
        and format_of(row, side) is PLAIN
    ):
        problem = f"rows without {ID!r} are interpreted as documents and paired by position"
        diagnostic = Diagnostic((place,), problem=problem, remedy=_naming_remedy(table))
        yield DataWarning("rows without ids", diagnostic)


def paired_systems(
    references: RawTable | None,
    systems: Sequence[RawTable],
    options: ReadOptions,
    errors: RowErrors | None = None,
    check: Check | None = None,
    progress: Progress = no_progress,
) -> list[TestSet]:
    """Pair the rows of the references with the rows of each system, and check all rows before anything is scored.

    Args:
        references: the ground truths; None if the rows of the predictions also contain them.
        systems: the predictions of each system, in the same row format. If rows are left out, all systems keep the
            same rows.
        options: how the rows are read; the tables have the names of the row format.
        errors: collects errors; if `errors.skip`, rows with errors are left out together with their partners.
        check: called with each value in plain types, and raises an error to refuse it.
        progress: called with the phase "Pairing" and the number of rows of each side.

    Raises:
        ValueError: naming file, line and error; `DataError` for errors of single rows and ids; for an incomplete
            source, unless the option `missing` says how missing predictions count.
    """
    if options.id_pattern is not None:
        parts = with_parts_of_ids([*filter(None, [references]), *systems], options.id_pattern)
        references, systems = (None, parts) if references is None else (parts[0], parts[1:])
    runs = [table.runs or {"": table} for table in systems]
    tables = [table for of_system in runs for table in of_system.values()]
    errors, references = errors or RowErrors(), references or _table_with_both(tables)
    missing = options.missing
    for table in (references, *systems):
        if table.incomplete and missing == "error":
            raise InputValueError(place=place_of(table), problem=table.incomplete, remedy=MISSING_REMEDY)
    wanted: SideRows | None = None
    pairs: list[TestSet] = []
    for predictions in tables:
        form = _common_format(references, predictions, errors)
        with gc_pause():
            given = read_rows(predictions, form, "predictions", errors, check, progress)
            wanted = wanted or read_rows(
                references, form, "references", errors, check, progress, options.parse_references
            )
            pairs.append(_paired(wanted, given, missing, errors, with_confidences=options.with_confidences))
    if pairs[0].skipped is not None and len(pairs) > 1:
        pairs = common_rows(pairs)
    waiting = iter(replace(each, row_errors=errors.collected) for each in pairs)
    return [stacked_runs(dict(zip(of_system, waiting, strict=False))) for of_system in runs]


def _table_with_both(tables: Sequence[RawTable]) -> RawTable:
    """Return the first table, after checking that all tables contain the same references with their predictions.

    If a ground truth is absent in the first table, it comes from the others, or is the stand-in if all miss it.

    Raises:
        ValueError: naming the file without references, or the first row whose references differ.
    """
    truths = {str(REFERENCES), str(ANLS.references)}
    if len(tables) > 1 and not any(truths & {*table.first()} for table in tables if isinstance(table.first(), dict)):
        raise _without_truths([str(table.path) for table in tables])
    for table in tables:
        row = table.first()
        if not _holds_both(row):
            place, keys = place_of(table), row if isinstance(row, dict) else {}
            remedy = Remedy("if it holds the ground truths, add {}", (("references", str(table.path)),))
            if len(tables) > 1 and not {*keys} & {BY_ID.predictions, ANLS.predictions}:
                raise InputValueError(
                    Diagnostic((place,), problem="was interpreted as a system", remedy=remedy, joint=" ")
                )
            names = [name_in_file(keys, name) for name in (ID, REFERENCES, PREDICTION)]
            within = f", whose {PREDICTION!r} is {described(row[PREDICTION])}" if {*keys} == {ID, PREDICTION} else ""
            error = Diagnostic(
                (place,),
                "rows with {!r}, {!r} and {!r}".format(*names),
                f"{described(row)}{within}",
                remedy=_TWO_FILES,
            )
            raise _with_columns(error, [table])
    first, *others = tables
    known = {row[ID]: _answers_in(row) for _, row in first.good() if isinstance(row, dict) and ID in row}
    for table in others:
        for index, row in table.good():
            if not isinstance(row, dict) or row.get(ID) not in known:
                continue
            answers = _answers_in(row)
            if known[row[ID]] is Absent:
                known[row[ID]] = answers
            elif answers is not Absent and answers != known[row[ID]]:
                raise InputValueError(
                    place=table.where(index), expected=f"the same references as in {first.path}", got="different ones"
                )
    rows = [
        {**row, REFERENCES: first.stand_in if known[row[ID]] is Absent else known[row[ID]]}
        if isinstance(row, dict) and row.get(REFERENCES) is Absent
        else row
        for row in first.rows
    ]
    return first._replace(rows=rows)


def _answers_in(row: dict[str, Any]) -> Any:
    return row.get(REFERENCES, row.get(str(ANLS.references)))


def _common_format(references: RawTable, predictions: RawTable, errors: RowErrors) -> RowFormat:
    """Return the format of the first row of each side, or the most frequent one of references if errors are skipped.

    Raises:
        ValueError: for rows of no format or of different formats; the message names the columns of both sides.
    """
    try:
        form = _most_frequent_format(references, errors) if errors.skip else row_format(references, predictions)
        if form is PLAIN:
            _check_documents(references, predictions)
    except InputValueError as error:
        raise _with_columns(error.diagnostic, [references, predictions]) from None
    return form


def _most_frequent_format(references: RawTable, errors: RowErrors) -> RowFormat:
    forms = Counter(filter(None, (format_of(row, "references") for _, row in references.good())))
    if not forms:
        counted = f"; {errors_summary(errors.collected)}" if errors.collected else ""
        raise InputValueError(
            place=place_of(references), problem=f"none of the {len(references.rows):,} rows can be read{counted}"
        )
    return forms.most_common(1)[0][0]


def _check_documents(references: RawTable, predictions: RawTable) -> None:
    """Raise `ValueError` for rows without ids that cannot be documents.

    These are the rows of tables, rows with a key of the row formats, and a file that is given for both sides. A key of
    the row formats is accepted if the other side also has it, since a document may have a field with such a name.
    """
    if references.path.resolve() == predictions.path.resolve() and references.rows == predictions.rows:
        raise InputValueError(place=place_of(references), problem="the same file is given for both sides")
    sides = (references, BY_ID.references, ANLS.references), (predictions, BY_ID.predictions, ANLS.predictions)
    for (table, *keys), (other, *_) in zip(sides, reversed(sides), strict=True):
        row, partner = table.first(), other.first()
        if table.has_columns:
            got = _listed_columns(row or {})
            raise InputValueError(place=place_of(table), expected=f"a column {ID!r}", got=got, remedy=table.remedy)
        if isinstance(row, dict) and isinstance(partner, dict) and (row.keys() - partner.keys()) & {*keys}:
            raise InputValueError(place=place_of(table), expected=f"rows with {ID!r}", got=described(row))


def _with_columns(error: Diagnostic, tables: Sequence[RawTable]) -> InputValueError:
    """Return the error about the keys of rows, with the columns of each side and the options that name columns."""
    firsts = {table.path: table.first() for table in tables}
    columns = {path: _listed_columns(row) for path, row in firsts.items() if isinstance(row, dict)}
    if any(row is None for row in firsts.values()) or not columns:
        return InputValueError(error)
    others: list[str | Remedy] = [f"{path} has {names}" for path, names in columns.items() if names not in error.got]
    if any(table.has_columns and VALUE_KEYS.isdisjoint(firsts[table.path]) for table in tables):
        others.append(_FIELDS_REMEDY)
    others += [
        Remedy("if the rows are under a key, add {}", ((f"{side}_query", query),))
        for side, table in zip(("predictions", "references"), tables[::-1], strict=False)
        if len(table.rows) == 1
        and not table.has_columns
        and isinstance(table.rows[0], dict)
        and (query := query_for(table.rows[0], with_ids=False))
    ]
    others += [
        Remedy("if each field holds the values of both sides, add {}", (("predictions_query", query),))
        for query in map(query_of_both, tables)
        if query
    ]
    others.append(_naming_remedy(*tables))
    return InputValueError(replace(error, remedy=Remedy.joined([error.remedy, *others])))


def _listed_columns(row: Mapping[str, Any]) -> str:
    names = columns_of(row)
    return listed(map(short_repr, names), len(names), _MOST_COLUMNS)


def _naming_remedy(*tables: RawTable) -> str | Remedy:
    """Return advice to add the options that name columns and were not given; "" if all were given."""
    firsts = [row for row in (table.first() for table in tables) if isinstance(row, dict)]
    names = {ID: "id", PREDICTION: "prediction", REFERENCES: "references"}
    left = [name for key, name in names.items() if all(name_in_file(row, key) == key for row in firsts)]
    if not left:
        return ""
    *commas, last = ["{}"] * len(left)
    named = " and ".join([", ".join(commas), last] if commas else [last])
    options = tuple((f"{name}_column", ...) for name in left)
    return Remedy(f"to use other columns, or paths into the rows such as response.text, add {named}", options)


def _paired(
    wanted: SideRows,
    given: SideRows,
    missing: str,
    errors: RowErrors,
    *,
    with_confidences: bool = False,
) -> TestSet:
    """Pair the rows that were read from the tables of references and predictions; errors as for `paired_systems`."""
    errors.stop_if_any()
    table, form = wanted.table, wanted.form
    for side in (wanted, given):
        if side.table.lacking and not any(map(holds_value, side.values)):
            raise InputValueError(
                place=place_of(side.table), expected="at least one row with a value", got=f"none ({side.table.lacking})"
            )
    if form is PLAIN:
        _check_dropped(wanted.table, given.table)
        check_equal_count(len(given.table.rows), len(table.rows), place_of(table, given.table))
    frames = list(_warnings_about_frames(wanted, given))
    excluded = wanted.invalid | given.invalid
    number_of = {name: number for number, name in enumerate(given.ids)}
    if given.ids != wanted.ids or len(number_of) < len(given.ids):
        excluded |= _unpaired_ids(wanted, given, missing, errors)
        errors.stop_if_any()
    kept = [number for number, name in enumerate(wanted.ids) if name not in excluded]
    if not kept:
        raise InputValueError(
            place=place_of(table, given.table),
            problem=f"none of the {len(table.rows):,} rows can be scored; {errors_summary(errors.collected)}",
            remedy=next((each.diagnostic.remedy for each in errors.collected if each.kind == _UNKNOWN), ""),
        )
    ids = [wanted.ids[number] for number in kept]
    partners = [number_of.get(name) for name in ids]
    sources = [None if form is PLAIN or number is None else given.sources[number] for number in partners]
    costs = [
        _NO_COSTS if row is None or row.keys().isdisjoint(COSTS) else tuple(map(row.get, COSTS)) for row in sources
    ]
    kept_rows = None if form is PLAIN else [wanted.sources[number] for number in kept]
    annotated: dict[str, tuple[Sequence[Any], str | None]] = {}  # by attribute, the rows and their column
    if form is BY_ID:
        named = [name for name in NAMES if any(row and row.get(name) is not None for row in sources)]
        sure = the_name(named, place_of(given.table)) if with_confidences else next(iter(named), None)
        annotated = {
            "confidences": (sources, sure),
            "citations": (sources, "citations"),
            "evidence": (kept_rows or [], "evidence"),
        }
    cells = {attribute: [row and row.get(name) for row in rows] for attribute, (rows, name) in annotated.items()}
    columns: dict[str, Any] = {
        attribute: column for attribute, column in cells.items() if any(cell is not None for cell in column)
    }
    return TestSet(
        ids,
        [wanted.values[number] for number in kept],
        [None if number is None else given.values[number] for number in partners],
        frozenset(index for index, number in enumerate(partners) if number is None),
        len(table.rows) - len(ids) if errors.skip or missing == SKIP else None,
        reference_rows=kept_rows,
        costs=costs if any(cell is not None for row in costs for cell in row) else None,
        repairs=wanted.repairs,
        warnings=(*table.warnings, *given.table.warnings, *frames, *_warnings_about_order(wanted, given)),
        **columns,
    )


def _warnings_about_frames(wanted: SideRows, given: SideRows) -> Iterator[DataWarning]:
    """Yield a warning if the documents of both sides look like the columns of a data frame.

    Raises:
        ValueError: if only one side looks like columns, and the other side has none of its ids.
    """
    sides = [side for side in (wanted, given) if _are_columns(side)]
    if not sides or (len(sides) == 1 and not {*wanted.ids}.isdisjoint(given.ids)):
        return
    problem = f"{some_of(sides[0].ids)} are interpreted as ids, although they look like the columns of a data frame"
    remedy = Remedy(f"{RECORDS}, and name the column of ids with {{}}", (("id_column", ...),))
    diagnostic = Diagnostic((place_of(*(side.table for side in sides)),), problem=problem, remedy=remedy)
    if len(sides) == 1:
        raise InputValueError(diagnostic)
    yield DataWarning("columns as documents", diagnostic)


def _are_columns(side: SideRows) -> bool:
    """Return whether the keys of each value count from 0 to the same number, and an id is a word."""
    values = [value[0] if isinstance(value, tuple) and len(value) == 1 else value for value in side.values]
    if side.form is PLAIN or not values or not isinstance(values[0], dict) or len(values[0]) <= 1:
        return False
    numbers = {str(number) for number in range(len(values[0]))}
    are_numbered = all(isinstance(value, dict) and value.keys() == numbers for value in values)
    return are_numbered and any(map(is_word, side.ids))


def _check_dropped(references: RawTable, predictions: RawTable) -> None:
    """Raise `ValueError` if queries dropped different rows on the two sides, which shifts the rows after them."""
    for table, other in ((references, predictions), (predictions, references)):
        if table.dropped is None:
            problem = "the query dropped rows without a result, so the rows after them may have wrong partners"
        elif other.dropped is not None and table.dropped - other.dropped:
            number = min(table.dropped - other.dropped) + 1
            problem = (
                f"the query dropped row {number:,}, which has no result, so the rows after it would have wrong partners"
            )
        else:
            continue
        remedy = "also select ids: [].{question_id: ..., ...}"
        raise InputValueError(place=place_of(table), problem=problem, remedy=remedy)


def _warnings_about_order(wanted: SideRows, given: SideRows) -> Iterator[DataWarning]:
    """Yield a warning about documents paired by position although one or two keys would pair them differently.

    Ids that only count the documents, as in an index that pandas writes, are positions too.
    """
    if wanted.form is PLAIN:
        how, remedy = f"rows without {ID!r} are paired by position", "if it is the id, add {}"
    elif wanted.ids == given.ids == [str(number) for number in range(len(wanted.ids))]:
        how, remedy = "rows are paired by ids that count them from 0", f"{RECORDS}; if it is the id, add {{}}"
    else:
        return
    truths = [value[0] if isinstance(value, tuple) and len(value) == 1 else value for value in wanted.values]
    if names := printable(ids_in_another_order(truths, given.values)):
        problem = f"{how}, but {names!r} has the same values on both sides in a different order"
        place = place_of(wanted.table, given.table)
        diagnostic = Diagnostic((place,), problem=problem, remedy=Remedy(remedy, (("id_column", names),)))
        yield DataWarning("ids in another order", diagnostic)


def ids_in_another_order(truths: Sequence[Any], predictions: Sequence[Any]) -> str:
    """Return a key, or two joined by a comma, with the same values on both sides in another order; "" if none exists.

    The values differ from document to document.
    """
    sides = [[row for row in rows if isinstance(row, dict)] for rows in (truths, predictions)]
    if len(sides[0]) < _FEWEST_IN_ORDER or len(sides[0]) != len(sides[1]) or len(sides[0][0]) < 2:  # noqa: PLR2004
        return ""
    first = islice(sides[0][0], _MOST_COLUMNS)
    columns = {key: [[row.get(key) for row in side] for side in sides] for key in first}
    same = {
        key: cells
        for key, cells in columns.items()
        if SCALAR_TYPES.issuperset(map(type, chain(*cells))) and Counter(cells[0]) == Counter(cells[1])
    }
    if all(left == right for left, right in same.values()):
        return ""
    for keys in chain(combinations(same, 1), combinations(same, 2)):
        left, right = (list(zip(*(same[key][side] for key in keys), strict=True)) for side in (0, 1))
        if left != right and len({*left}) == len(left) and {*left} == {*right}:
            return ",".join(keys)
    return ""


def _unpaired_ids(wanted: SideRows, given: SideRows, missing: str, errors: RowErrors) -> set[str]:
    """Return the ids that cannot be paired, and add at most one error of each kind and side."""
    known, expected = set(given.ids), set(wanted.ids)
    both = [wanted.table, given.table]
    duplicate, twice = "duplicate id", "ids that occur more than once in the"
    kinds: list[tuple[str, str, list[str], list[RawTable]]] = [
        (duplicate, f"{twice} predictions", _repeated(given.ids), [given.table]),
        (duplicate, f"{twice} references", _repeated(wanted.ids), [wanted.table]),
        (_UNKNOWN, "ids of predictions that no reference has", list(known - expected), both),
    ]
    if missing != "zero":
        absent = [name for name in wanted.ids if name not in known]
        kinds.append((WITHOUT_PREDICTION, "ids of references that no prediction has", absent, both))
    invalid = wanted.invalid | given.invalid  # their errors were added before
    pattern = "" if known <= expected else pattern_that_pairs(wanted.ids, given.ids)
    by_part = Remedy("to pair them by a part of the id, add {}", (("id_pattern", pattern),))
    for kind, what, ids, tables in kinds:
        count = len(set(ids) - invalid)
        if count:
            lines = _lines_of(tables[0], ids) if kind == duplicate else ""
            is_missing = kind == WITHOUT_PREDICTION
            remedy = MISSING_REMEDY if is_missing and missing == "error" and not pattern else ""
            error = Diagnostic(
                (place_of(*tables),),
                problem=f"{what} ({len(ids):,}): {some_of(ids)}{lines}",
                remedy=by_part if kind == _UNKNOWN and pattern else remedy,
            )
            errors.add(kind, error, count, tolerated=is_missing and missing == SKIP)
    return {name for _, _, ids, _ in kinds for name in ids}


def _repeated(ids: Sequence[str]) -> list[str]:
    return [name for name, times in Counter(ids).items() if times > 1]


def _lines_of(table: RawTable, ids: Sequence[str]) -> str:
    """Return the lines of a table that contain the ids that a message names, as text."""
    places: dict[str, list[str]] = {name: [] for name in sorted(ids)[:NAMED]}
    for index, row in table.good():
        if isinstance(row, dict) and str(row.get(ID)) in places:
            place = table.where(index)
            places[str(row[ID])].append(place.inside if isinstance(place, FilePlace) else place)
    return "".join(f"; {short_repr(name)}: {', '.join(lines[:NAMED])}" for name, lines in places.items() if lines)

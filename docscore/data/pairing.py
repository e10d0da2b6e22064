"""Rows paired by id or by position; their groups, confidences and texts; signs that they are read wrongly."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from os import PathLike
from typing import Any, NamedTuple

from docscore.core.errors import (
    NAMED,
    Diagnostic,
    Faults,
    FilePlace,
    InputValueError,
    faults_summary,
    in_file,
    row_place,
    short_repr,
    some_of,
)
from docscore.core.options import MISSING_MODES, SKIP, check_choice
from docscore.core.runtime import Progress, gc_pause, level_of_caller, no_progress
from docscore.core.values import Value
from docscore.data.files import (
    DELIMITERS,
    SAME_NAMES,
    TEXT_EXTENSIONS,
    ColumnNames,
    Table,
    suffix_of,
    table_in_memory,
    table_of_source,
)
from docscore.data.rows import (
    ANLS,
    BY_ID,
    COSTS,
    ID,
    PLAIN,
    Absent,
    Check,
    RowFormat,
    Rows,
    Side,
    described,
    format_of,
    read_rows,
    row_format,
)

DID_NOT_RUN = "(a sample that did not run)"  # the ground truth where no log has that of a sample: nothing equals it


class Pairs(NamedTuple):
    """Ground truths and predictions, paired in the order of the references.

    Attributes:
        ids: the ids; in the plain format the row numbers as text.
        truths: the ground truths.
        predictions: the predictions, None where one is missing.
        absent: the indices in these lists where a prediction is missing.
        skipped: the number of references left out because they or their predictions had faults, or because they have
            no prediction; None if either is an error.
        confidences: the values under "confidence" in the prediction rows; None if no row has one.
        reference_rows: the whole rows of the references, for their other columns; None if rows have no ids.
        clusters: the name of each row's cluster, where rows of one cluster are not independent; None if all are.
        documents: where each document was predicted in several runs, the ids of the documents. The rows are then those
            of the first run in this order, then those of the second. None where each document is one row.
        repeated: how many rows by id came again with the same values, and count once; None if none was looked for.
        costs: the cells of the columns `COSTS` in the row of each prediction; None if no row has one.
    """

    ids: list[str]
    truths: Sequence[Any]
    predictions: Sequence[Any]
    absent: frozenset[int] = frozenset()
    skipped: int | None = None
    confidences: Sequence[Any] | None = None
    reference_rows: Sequence[Mapping[str, Any]] | None = None
    clusters: list[str] | None = None
    documents: list[str] | None = None
    repeated: int | None = None
    costs: Sequence[tuple[Any, ...]] | None = None

    @property
    def runs(self) -> int:
        """How many times each document was predicted."""
        return len(self.ids) // len(self.documents) if self.documents else 1

    def __repr__(self) -> str:
        absent = f", {len(self.absent):,} without a prediction" if self.absent else ""
        return f"<Pairs {len(self.ids):,} rows{absent}>"

    def only(self, numbers: Sequence[int]) -> Pairs:
        """Select the rows with these numbers, in this order; the others count as skipped."""
        chosen: dict[str, Any] = {}
        for name in ("confidences", "reference_rows", "clusters", "costs"):
            column = getattr(self, name)
            chosen[name] = None if column is None else [column[number] for number in numbers]
        return Pairs(
            [self.ids[number] for number in numbers],
            [self.truths[number] for number in numbers],
            [self.predictions[number] for number in numbers],
            frozenset(index for index, number in enumerate(numbers) if number in self.absent),
            (self.skipped or 0) + len(self.ids) - len(numbers),
            repeated=self.repeated,
            **chosen,
        )

    def each_run(self) -> list[Pairs]:
        """The rows of each run by themselves, under the ids of their documents."""
        if self.documents is None:
            return [self]
        n = len(self.documents)
        parts = [self.only(range(first, first + n)) for first in range(0, len(self.ids), n)]
        return [part._replace(ids=self.documents, skipped=self.skipped) for part in parts]

    def with_predictions(self) -> Pairs:
        """The rows that have a prediction; the others count as skipped."""
        return self.only([number for number in range(len(self.ids)) if number not in self.absent])


def pairs_of(predictions: Any, references: Any, missing: str = "error") -> Pairs:
    """Pair rows of any of the three formats.

    Args:
        predictions: rows, as `evaluate` takes them: a list, an array, a dataset, a column or a series.
        references: rows of the same format.
        missing: a reference without a prediction: "error"; "zero" to score it as null and count it; or "skip" to leave
            it out and count it.

    Raises:
        TypeError, ValueError: naming the first row that has another format or a value that cannot be scored, or ids
            that do not pair.

    >>> pairs_of([{"question_id": "a", "prediction": "x"}], [{"question_id": "a", "references": ["x", "y"]}]).truths
    [('x', 'y')]
    """
    check_choice("missing", missing, MISSING_MODES)
    given, wanted = table_in_memory(predictions, "predictions"), table_in_memory(references, "references")
    form = row_format(given.rows, wanted.rows)
    read_given = read_rows(given.rows, form, "predictions", given.where)
    read_wanted = read_rows(wanted.rows, form, "references", wanted.where)
    return _paired((wanted, read_wanted), (given, read_given), form, missing, Faults())


def pairs_of_columns(
    ids: Sequence[str], references: Iterable[Any], predictions: Iterable[Any], absent: Iterable[int] = ()
) -> Pairs:
    """Pair columns whose rows belong together.

    Args:
        ids: the id of each row.
        references: the list of acceptable answers of each row.
        predictions: the prediction of each row.
        absent: the numbers of the rows that have none.

    Raises:
        TypeError, ValueError: naming the row, for a value that cannot be scored, and for what is no list of answers.
    """

    def read(column: Iterable[Any], side: Side) -> list[Value]:
        rows = [{ID: name, getattr(BY_ID, side): value} for name, value in zip(ids, column, strict=True)]
        return read_rows(rows, BY_ID, side, lambda index: row_place(ids[index])).values

    return Pairs(list(ids), read(references, "references"), read(predictions, "predictions"), frozenset(absent))


def stacked_runs(runs: Sequence[Pairs], unit: str) -> Pairs:
    """The rows of several runs on the same documents below one another, each id with the number of its run."""
    first = runs[0]

    def column(name: str) -> list[Any] | None:
        sides = [getattr(run, name) for run in runs]
        return None if any(side is None for side in sides) else [value for side in sides for value in side]

    costs = [cells for run in runs for cells in run.costs or [_NO_COSTS] * len(run.ids)]
    return Pairs(
        [f"{name}, {unit} {index + 1}" for index, run in enumerate(runs) for name in run.ids],
        column("truths") or [],
        column("predictions") or [],
        frozenset(index * len(first.ids) + row for index, run in enumerate(runs) for row in run.absent),
        first.skipped,
        column("confidences"),
        column("reference_rows"),
        first.ids * len(runs),
        first.ids,
        costs=costs if any(run.costs for run in runs) else None,
    )


def common_rows(first: Pairs, second: Pairs) -> tuple[Pairs, Pairs]:
    """The rows that both have, in the order of the first; the others count as skipped.

    Raises:
        ValueError: if there are none.
    """
    shared = set(first.ids) & set(second.ids)
    if not shared:
        raise InputValueError(expected="ids that both files of predictions have", got="none")
    place = {i: number for number, i in enumerate(second.ids)}
    numbers = [number for number, i in enumerate(first.ids) if i in shared]
    return first.only(numbers), second.only([place[first.ids[number]] for number in numbers])


def check_equal_count(predictions: int, references: int, place: FilePlace | tuple[()] = ()) -> None:
    """Raise `ValueError` unless there are as many predictions as references."""
    if predictions != references:
        got = f"{predictions} and {references}"
        raise InputValueError(place=place, expected="as many predictions as references", got=got)


def read_systems(
    references: Table | None,
    systems: Sequence[Table],
    missing: str = "error",
    faults: Faults | None = None,
    check: Check | None = None,
) -> list[Pairs]:
    """Pair the rows of the references with those of each system, and check all of them before anything is scored.

    Args:
        references: the ground truths; None where the rows of the predictions hold them too.
        systems: a table of predictions a system, with rows of the same format. Where rows are left out, all systems
            keep the rows that all have.
        missing: as for `pair_rows`.
        faults: collects faults; if `faults.skip`, rows with faults are left out together with their partners.
        check: called with each value in plain types, raises an error for one that is not accepted.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows and ids; and for the log of an
            incomplete run, unless `missing` says what the samples count that did not run.
    """
    epochs = [_epochs(table) if table.documents else [table] for table in systems]
    tables = [table for of_log in epochs for table in of_log]
    faults, references = faults or Faults(), references or table_with_both(tables)
    check_choice("missing", missing, MISSING_MODES)
    for table in (references, *systems):
        if table.shortfall and missing == "error":
            raise InputValueError(place=in_file(table.path), problem=table.shortfall, remedy=MISSING_REMEDY)
    wanted: Rows | None = None
    pairs: list[Pairs] = []
    for predictions in tables:
        form = _common_format(references, predictions, faults)
        with gc_pause():
            given = read_rows(predictions.rows, form, "predictions", predictions.where, faults, check)
            wanted = wanted or read_rows(references.rows, form, "references", references.where, faults, check)
        pairs.append(_paired((references, wanted), (predictions, given), form, missing, faults))
    first = pairs[0]
    if first.skipped is not None and len(pairs) > 1:
        for other in pairs[1:]:
            first, _ = common_rows(first, other)
        pairs = [first, *(common_rows(first, other)[1] for other in pairs[1:])]
    paired = iter(pairs)
    of_logs = [list(islice(paired, len(of_log))) for of_log in epochs]
    return [of_log[0] if len(of_log) == 1 else stacked_runs(of_log, "epoch") for of_log in of_logs]


def _epochs(table: Table) -> list[Table]:
    """The rows of each epoch of a log, under the ids of their documents."""
    indices: dict[int, list[int]] = {}  # of the rows of each epoch
    times: Counter[str] = Counter()
    for index, row in enumerate(table.rows):
        document = table.documents[row[ID]]
        indices.setdefault(times[document], []).append(index)
        times[document] += 1
    return [
        table._replace(
            rows=[{**table.rows[index], ID: table.documents[table.rows[index][ID]]} for index in of_epoch],
            where=list(map(table.where, of_epoch)).__getitem__,
            documents={},
        )
        for of_epoch in indices.values()
    ]


def table_with_both(tables: Sequence[Table]) -> Table:
    """The first of the tables, if all have references beside their predictions, and the same.

    A ground truth that its log does not have, since the sample did not run, is taken from the others.

    Raises:
        ValueError: naming the file whose rows lack them, or the first row that has others.
    """
    for table in tables:
        row = table.first()
        if not isinstance(row, dict) or not any({ID, *form[1:]} <= row.keys() for form in (BY_ID, ANLS)):
            expected = "rows with 'question_id', 'references' and 'prediction', as no other file was given"
            remedy = "a file of ground truths is given first, or to `compare` and `table` with --references"
            fault = Diagnostic((in_file(table.path),), expected, described(row), remedy=remedy)
            raise _with_columns(fault, [table])
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
                expected = f"the same references as in {first.path}"
                raise InputValueError(place=table.where(index), expected=expected, got="others")
    if not first.shortfall:
        return first
    truths = {name: [DID_NOT_RUN] if answers is Absent else answers for name, answers in known.items()}
    return first._replace(rows=[{**row, "references": truths[row[ID]]} for row in first.rows])


def _answers_in(row: dict[str, Any]) -> Any:
    return row.get("references", row.get("answers"))


def _common_format(references: Table, predictions: Table, faults: Faults) -> RowFormat:
    """The format of the first row of each side; where faulty rows are skipped, the most frequent one of references.

    Raises:
        ValueError: naming the columns of both sides, for rows that are of no format or of different ones.
    """
    try:
        form = _most_frequent_format(references, faults) if faults.skip else None
        form = form or row_format(predictions.rows, references.rows)
        if form is PLAIN:
            _check_documents(references, predictions)
    except InputValueError as error:
        side = {"references": [references], "predictions": [predictions]}.get(error.place, [references, predictions])
        is_placed = error.parts and isinstance(error.parts[0], FilePlace)
        parts = error.parts if is_placed else (_files(*side),)
        raise _with_columns(replace(error.diagnostic, parts=parts), [references, predictions]) from None
    return form


def _most_frequent_format(references: Table, faults: Faults) -> RowFormat:
    forms = Counter(format_of(row, "references") for _, row in references.good())
    del forms[None]
    if not forms:
        counted = f"; {faults_summary(faults.found)}" if faults.found else ""
        problem = f"no row is left of {len(references.rows):,}{counted}"
        raise InputValueError(place=in_file(references.path), problem=problem)
    return forms.most_common(1)[0][0]  # type: ignore[return-value]


def _paired(
    references: tuple[Table, Rows], predictions: tuple[Table, Rows], form: RowFormat, missing: str, faults: Faults
) -> Pairs:
    """Pair the rows that were read from the table of each side; errors as for `read_systems`."""
    (table, wanted), (other, given) = references, predictions
    faults.stop_if_any()
    if form is PLAIN:
        check_equal_count(len(other.rows), len(table.rows), _files(table, other))
    excluded = wanted.faulty | given.faulty
    number_of = {name: number for number, name in enumerate(given.ids)}
    if given.ids != wanted.ids or len(number_of) < len(given.ids):
        excluded |= _unpaired_ids(references, predictions, missing, faults)
        faults.stop_if_any()
    kept = [number for number, name in enumerate(wanted.ids) if name not in excluded]
    if not kept:
        problem = f"no row is left to score of {len(table.rows):,}; {faults_summary(faults.found)}"
        raise InputValueError(place=_files(table, other), problem=problem)
    ids = [wanted.ids[number] for number in kept]
    partners = [number_of.get(name) for name in ids]
    sources = [None if number is None else given.sources[number] for number in partners]
    costs = [
        _NO_COSTS if row is None or form is PLAIN or _WITH_COSTS.isdisjoint(row) else tuple(map(row.get, COSTS))
        for row in sources
    ]
    confidences = [row.get("confidence") if form is BY_ID and row is not None else None for row in sources]
    return Pairs(
        ids,
        [wanted.values[number] for number in kept],
        [None if number is None else given.values[number] for number in partners],
        frozenset(index for index, number in enumerate(partners) if number is None),
        len(table.rows) - len(ids) if faults.skip or missing == SKIP else None,
        confidences if any(each is not None for each in confidences) else None,
        None if form is PLAIN else [wanted.sources[number] for number in kept],
        costs=costs if any(cells is not _NO_COSTS for cells in costs) else None,
    )


_WITH_COSTS, _NO_COSTS = frozenset(COSTS), (None,) * len(COSTS)


def _unpaired_ids(
    references: tuple[Table, Rows], predictions: tuple[Table, Rows], missing: str, faults: Faults
) -> set[str]:
    """The ids that cannot be paired, at most one fault of each kind and side."""
    (table, wanted), (other, given) = references, predictions
    known, expected = set(given.ids), set(wanted.ids)
    twice = "ids that occur more than once in the"
    kinds: list[tuple[str, str, list[str], list[Table]]] = [
        ("duplicate id", f"{twice} predictions", _repeated(given.ids), [other]),
        ("duplicate id", f"{twice} references", _repeated(wanted.ids), [table]),
        ("unknown id", "ids of predictions that no reference has", list(known - expected), [table, other]),
    ]
    if missing != "zero":
        absent = [name for name in wanted.ids if name not in known]
        kinds.append((WITHOUT_PREDICTION, "ids of references that no prediction has", absent, [table, other]))
    faulty = wanted.faulty | given.faulty  # their own faults were added before
    for kind, what, ids, concerned in kinds:
        count = len(set(ids) - faulty)
        if count:
            problem = (
                f"{what} ({len(ids):,}): {some_of(ids)}{_lines_of(concerned[0], ids) if len(concerned) == 1 else ''}"
            )
            remedy = MISSING_REMEDY if kind == WITHOUT_PREDICTION and missing == "error" else ""
            tolerated = missing == SKIP and kind == WITHOUT_PREDICTION
            faults.add(
                kind, Diagnostic((_files(*concerned),), problem=problem, remedy=remedy), count, tolerated=tolerated
            )
    return {name for _, _, ids, _ in kinds for name in ids}


def _repeated(ids: Sequence[str]) -> list[str]:
    return [name for name, times in Counter(ids).items() if times > 1]


def _lines_of(table: Table, ids: Sequence[str]) -> str:
    """Where the ids that a message names are in the table."""
    found: dict[str, list[str]] = {i: [] for i in sorted(ids)[:NAMED]}
    for index, row in table.good():
        if isinstance(row, dict) and str(row.get(ID)) in found:
            place = table.where(index)
            found[str(row[ID])].append(place.inside if isinstance(place, FilePlace) else place)
    return "".join(f"; {short_repr(i)}: {', '.join(places[:NAMED])}" for i, places in found.items() if places)


def _files(*tables: Table) -> FilePlace:
    return FilePlace(tuple(dict.fromkeys(str(table.path) for table in tables)))


MISSING_REMEDY = 'with missing "zero" they are scored as null, with "skip" left out'
WITHOUT_PREDICTION = "reference without a prediction"


_OPTIONS = (
    "--id-column, --prediction-column and --references-column (id_column= and so on in Python) name other columns, or "
    "paths into the rows, such as response.text"
)
_LISTED = 20  # columns that a message names


def _with_columns(fault: Diagnostic, tables: Sequence[Table]) -> InputValueError:
    """The error about the keys of rows with the columns of each side, and the options that name them."""
    firsts = {table.path: table.first() for table in tables}
    columns = {path: _listed(row) for path, row in firsts.items() if isinstance(row, dict)}
    if any(row is None for row in firsts.values()) or not columns:
        return InputValueError(fault)
    told = [f"{path} has {names}" for path, names in columns.items() if names not in fault.got]
    return InputValueError(replace(fault, remedy="; ".join(filter(None, [fault.remedy, *told, _OPTIONS]))))


def _listed(names: Iterable[Any]) -> str:
    """The names of columns, or the first of many."""
    every = list(map(short_repr, names))
    return ", ".join(every[:_LISTED]) + (f" and {len(every) - _LISTED:,} more" if len(every) > _LISTED else "")


def _check_documents(references: Table, predictions: Table) -> None:
    """Raise `ValueError` for rows without ids that are no documents: those of tables, and those with a key of rows.

    A file against itself is refused too.

    A key of rows is one of the row formats that its own side alone has: a document may have a field of such a name.
    """
    if references.path.resolve() == predictions.path.resolve():
        raise InputValueError(place=in_file(references.path), problem="it is given as references and as predictions")
    sides = (references, BY_ID.references, ANLS.references), (predictions, BY_ID.predictions, ANLS.predictions)
    for (table, *keys), (other, *_) in zip(sides, reversed(sides), strict=True):
        row, partner = table.first(), other.first()
        if table.has_columns:  # CSV may have been split at the wrong character
            is_csv = suffix_of(table.path) in (".csv", ".tsv")
            is_split_wrong = is_csv and any(sign in "".join(map(str, row or ())) for sign in DELIMITERS)
            remedy = "--delimiter names the sign between the columns of CSV" if is_split_wrong else ""
            raise InputValueError(
                place=in_file(table.path), expected=f"a column {ID!r}", got=_listed(row or ()), remedy=remedy
            )
        if isinstance(row, dict) and isinstance(partner, dict) and (row.keys() - partner.keys()) & {*keys}:
            raise InputValueError(place=in_file(table.path), expected=f"rows with {ID!r}", got=described(row))


def warn_of_documents(references: Table) -> None:
    """Say of a file of objects that are no rows by id that they are documents, paired by their position."""
    if suffix_of(references.path) not in TEXT_EXTENSIONS or references.has_columns:
        return
    row = references.first()
    if isinstance(row, dict) and format_of(row, "references") is PLAIN:
        problem = f"rows without {ID!r} are documents, paired by their position; {_OPTIONS}"
        warnings.warn(f"{references.path}: {problem}", UserWarning, stacklevel=level_of_caller())


class FileRows(NamedTuple):
    """The paired rows of files, and the faults of the rows that were left out.

    Attributes:
        systems: the pairs of each file of predictions.
        faults: the faults of rows that were left out.
    """

    systems: list[Pairs]
    faults: Faults


def rows_of_sides(
    *,
    references: Any,
    predictions: Sequence[Any],
    missing: str = "error",
    on_error: str = "error",
    delimiter: str | None = None,
    names: ColumnNames = SAME_NAMES,
    progress: Progress = no_progress,
) -> FileRows:
    """Read the references and the predictions of one or more systems, and pair their rows.

    Args:
        references: what holds the ground truths, as for `table_of_source`, such as a path; None where the rows of the
            predictions hold them too, as those of logs.
        predictions: the same of each system; where rows with faults are left out, all keep the rows that all have.
        missing: a reference without a prediction: "error"; "zero" to score it as null; or "skip" to leave it out.
        on_error: rows with faults: "error", or "skip" to leave them out and count them.
        delimiter: the sign between the columns of CSV files; None to tell it by their headers.
        names: the columns that have other names than in the row formats.
        progress: called when the phase "Reading" of each text file begins, with its bytes.

    Raises:
        ValueError: naming file, line and fault; `DataError` for faults of single rows and ids.
        OSError: if a file cannot be read.
    """
    faults = Faults(on_error)

    sides: list[tuple[Any, Side]] = [] if references is None else [(references, "references")]
    sides += [(source, "predictions") for source in predictions]
    how: dict[str, Any] = {"both": references is None, "delimiter": delimiter, "progress": progress}
    tables = [table_of_source(source, side, names, faults, **how) for source, side in sides]
    truths = None if references is None else tables.pop(0)
    if truths is not None and isinstance(references, str | PathLike):
        warn_of_documents(truths)
    return FileRows(read_systems(truths, tables, missing, faults), faults)

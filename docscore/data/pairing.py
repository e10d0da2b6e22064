"""Rows paired by id or by position; their groups, confidences and texts; signs that they are read wrongly."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, repeat
from os import PathLike
from typing import Any, NamedTuple

from docscore.core.errors import (
    NAMED,
    Diagnostic,
    Faults,
    FilePlace,
    InputTypeError,
    InputValueError,
    at_place,
    closer,
    faults_summary,
    in_file,
    row_place,
    short_repr,
    some_of,
)
from docscore.core.options import AS_TEXT, MISSING_MODES, SKIP, SchemaSource, ScoringOptions, check_choice
from docscore.core.runtime import Progress, gc_pause, level_of_caller, no_progress
from docscore.core.values import ONE_OF, SCALAR_TYPES, Value, convert_ground_truth, places_in
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
from docscore.data.json_text import Parsed, holds_json, is_json_container, parse_reference, parse_text
from docscore.data.rows import (
    ANLS,
    BY_ID,
    COSTS,
    ID,
    PLAIN,
    Absent,
    Check,
    Lacking,
    RowFormat,
    Rows,
    Side,
    as_rows,
    cells_of,
    described,
    format_of,
    read_rows,
    row_format,
)

DID_NOT_RUN = "(a sample that did not run)"  # the ground truth where no log has that of a sample: nothing equals it
_LOOKED_AT = 100  # texts of each side that tell whether they are JSON


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


def joined_runs(runs: Sequence[Pairs], names: Sequence[str]) -> Pairs:
    """Put the runs of one system on the same documents together: rows such as "a, run 2"; a document is a cluster.

    One run stays as it is.

    Args:
        runs: the rows of each run.
        names: what each run is called in messages.

    Raises:
        ValueError: if a run has other documents than the first.
    """
    if len(runs) == 1:
        return runs[0]
    parts = [(name, part) for name, run in zip(names, runs, strict=True) for part in run.each_run()]
    names, runs = zip(*parts, strict=True)
    first = runs[0]
    for name, run in zip(names, runs, strict=True):
        other = sorted(set(first.ids) ^ set(run.ids))
        if other:
            got = f"{len(other):,} in one of them only, such as {short_repr(other[0])}"
            raise InputValueError(place=f"{names[0]} and {name}", expected="the same documents in all runs", got=got)
    runs = [first, *(common_rows(first, run)[1] for run in runs[1:])]
    return _stacked(runs, "run")


def warn_of_copies(sides: Sequence[Pairs], names: Sequence[str]) -> None:
    """Warn of predictions, of runs or of systems, that are the same as those before, on at least two documents."""
    for index, pairs in enumerate(sides):
        same = next((known for known in range(index) if sides[known].predictions == pairs.predictions), None)
        if same is not None and len(pairs.ids) > 1:
            sentence = f"{names[same]} and {names[index]} have the same predictions, as if one were a copy of the other"
            warnings.warn(sentence, UserWarning, stacklevel=level_of_caller())


def _stacked(runs: Sequence[Pairs], unit: str) -> Pairs:
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


def refuse_json_text(truths: Iterable[Any], predictions: Iterable[Any], options: ScoringOptions) -> None:
    """Raise `ValueError` where the texts of both sides are JSON, and no option says how they are read.

    The edit distance of two raw JSON texts counts braces, quotes and key names: it is not a score of the documents. Of
    each side the first 100 texts that are not empty are looked at, those of acceptable answers among them. All of the
    ground truths must be objects or lists, and one of the predictions must hold one, also in prose or a fence.
    """
    if options.parse is not None or options.parse_references is not None:
        return
    wanted, given = (list(islice(_texts(side), _LOOKED_AT)) for side in (truths, predictions))
    if not wanted or not all(map(is_json_container, wanted)) or not any(map(holds_json, given)):
        return
    mode = "json" if all(map(is_json_container, given)) else "repair"
    raise InputValueError(
        place="references and predictions",
        problem="their texts are JSON, which would be compared character by character",
        remedy=f'--parse {mode} --parse-references json (parse="{mode}", parse_references="json") read them; --parse '
        'text (parse="text") compares them as they are',
    )


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """The texts among values, and among their acceptable answers, that are not empty."""
    for value in values:
        if isinstance(value, tuple):
            yield from _texts(value)
        elif isinstance(value, str) and value.strip():
            yield value


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
    return [of_log[0] if len(of_log) == 1 else _stacked(of_log, "epoch") for of_log in of_logs]


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


# the name of a column of the references, a function of the id, or a label for each reference in their order
Grouping = str | Callable[[str], Any] | Iterable[Any]


def groups_of_rows(pairs: Pairs, grouping: Grouping, option: str) -> list[str]:
    """Return the name of the group of each row.

    Args:
        pairs: n rows.
        grouping: the name of a column of the references, a function that gives the group of an id, or n labels in the
            order of the references.
        option: the name of the option in error messages.

    Returns:
        n names; "null" for a null and for a row without the column.

    Raises:
        TypeError: for a group that is not a text, number, boolean or null, naming the row.
        ValueError: for a column that no reference has, and for another number of labels than rows.
    """
    if pairs.documents is not None:
        return groups_of_rows(pairs.each_run()[0], grouping, option) * pairs.runs
    if callable(grouping):
        values = [grouping(name) for name in pairs.ids]
    else:
        values = _column(pairs, grouping, option) if isinstance(grouping, str) else _labels(pairs, grouping, option)
    return [_group_name(name, value, option) for name, value in zip(pairs.ids, values, strict=True)]


def _labels(pairs: Pairs, labels: Iterable[Any], option: str) -> list[Any]:
    found = as_rows(labels, option)
    if len(found) != len(pairs.ids):
        expected = f"a label for each of {len(pairs.ids):,} references"
        raise InputValueError(place=option, expected=expected, got=f"{len(found):,}")
    return found


def _column(pairs: Pairs, name: str, option: str) -> list[Any]:
    rows = pairs.reference_rows or []
    cells = cells_of(rows, name)
    if all(cell is Lacking for cell in cells):
        known = sorted({str(key) for row in rows for key in row})
        got = ", ".join(map(repr, known)) or "rows without columns"
        raise InputValueError(place=option, expected=f"a column {name!r} of the references", got=got)
    return [None if cell is Lacking or cell is Absent else cell for cell in cells]


def _group_name(row: str, value: Any, option: str) -> str:
    plain = value.item() if hasattr(value, "item") else value
    if plain is not None and type(plain) not in SCALAR_TYPES:
        raise InputTypeError(place=(option, row_place(row)), expected="a text or a number", got=type(value).__name__)
    return "null" if plain is None else str(plain)


VALUE, CONFIDENCE_KEY = "$value", "$confidence"


def unwrapped(prediction: Any) -> tuple[Any, Any]:
    """Split a prediction into its values and their confidences, in the same shape; None where a value has none.

    Raises:
        ValueError: for an object with `$value` and other keys than `$confidence`.

    >>> unwrapped({"total": {"$value": "12.50", "$confidence": 0.93}, "date": "1 May"})
    ({'total': '12.50', 'date': '1 May'}, {'total': 0.93, 'date': None})
    """
    if isinstance(prediction, dict):
        if VALUE in prediction:
            others = prediction.keys() - {VALUE, CONFIDENCE_KEY}
            if others:
                got = f"{short_repr(min(others, key=str))} beside them"
                raise InputValueError(expected=f"{VALUE!r} and {CONFIDENCE_KEY!r} alone in their object", got=got)
            return prediction[VALUE], prediction.get(CONFIDENCE_KEY)
        parts = {key: unwrapped(item) for key, item in prediction.items()}
        values = {key: value for key, (value, _) in parts.items()}
        return values, {key: confidence for key, (_, confidence) in parts.items()}
    if isinstance(prediction, list):
        pairs = [unwrapped(item) for item in prediction]
        return [value for value, _ in pairs], [confidence for _, confidence in pairs]
    return prediction, None


def is_wrapped(prediction: Any) -> bool:
    """Whether a value at the first two levels has a confidence."""
    inside = prediction.values() if isinstance(prediction, dict) else ()
    return any(isinstance(each, dict) and VALUE in each and CONFIDENCE_KEY in each for each in (prediction, *inside))


def with_confidences(pairs: Pairs) -> Pairs:
    """Move the confidences out of the predictions; those that a row has under "confidence" take precedence.

    Raises:
        ValueError: naming the row.
    """
    of_rows = repeat(None, len(pairs.ids)) if pairs.confidences is None else pairs.confidences
    both = list(map(_unwrapped_row, pairs.ids, pairs.predictions, of_rows))
    return pairs._replace(predictions=[value for value, _ in both], confidences=[each for _, each in both])


def _unwrapped_row(name: str, prediction: Any, of_row: Any) -> tuple[Any, Any]:
    """The values of a prediction and their confidences; raises `ValueError` naming the row."""
    try:
        value, confidence = unwrapped(prediction)
    except ValueError as error:
        raise at_place(row_place(name), error) from None
    return value, confidence if of_row is None else of_row


_TRIED = 20  # texts that are read to see whether they hold JSON


def doubts_of_reading(
    pairs: Pairs,
    parse: str | None,
    parse_references: str | None,
    *,
    references: str = "references",
    predictions: str = "predictions",
) -> Iterator[Diagnostic]:
    """What is doubtful of all rows of a test set, before texts are read as JSON.

    Args:
        pairs: the rows as they were given; where one of them is as it should be, no further one is looked at.
        parse: how predictions that are text are to be read, as in `ScoringOptions`.
        parse_references: the same for ground truths.
        references: the place of the ground truths in the sentences.
        predictions: the place of the predictions.

    >>> pairs = Pairs(["a"], [{"total": "1"}], ['{"total": "1"}'])
    >>> print(next(doubts_of_reading(pairs, None, None)))
    predictions: 1 of 1 are text where the ground truth is an object or a list, which text never matches; that of 'a' \
holds JSON; parse="json" or parse="repair" (--parse) reads it
    """
    count = len(pairs.predictions) - len(pairs.absent)
    if not count or parse == AS_TEXT:
        return
    if parse is None:
        texts = [
            (name, guess)
            for name, truth, guess in zip(pairs.ids, first_truths(pairs), pairs.predictions, strict=True)
            if type(guess) is str
            and (isinstance(truth, dict | list) or (parse_references and is_json_container(truth)))
        ]
        likely = (each for each in texts if "{" in each[1] or "[" in each[1])
        example = next((name for name, text in islice(likely, _TRIED) if holds_json(text)), None)
        if example is not None:
            problem = (
                f"{len(texts):,} of {count:,} are text where the ground truth is an object or a list, which text never "
                f"matches; that of {short_repr(example)} holds JSON"
            )
            remedy = 'parse="json" or parse="repair" (--parse) reads it'
            yield Diagnostic((predictions,), problem=problem, remedy=remedy)
    # each of these passes ends with the first row that is as it should be
    if (
        parse_references is None
        and all(
            is_json_container(answer)
            for truth in pairs.truths
            for answer in (truth if isinstance(truth, tuple) else (truth,))
        )
        and (parse is not None or not all(isinstance(each, str) for each in given_predictions(pairs)))
    ):
        problem = "all are text that is JSON, and is compared as text"
        remedy = 'parse_references="json" (--parse-references json) reads it'
        yield Diagnostic((references,), problem=problem, remedy=remedy)
    lists = (isinstance(each, list) and len(each) == 1 and isinstance(each[0], dict) for each in first_truths(pairs))
    if all(lists) and all(isinstance(each, dict) for each in given_predictions(pairs)):
        problem = "all are lists of one object, which never match predictions that are objects"
        remedy = 'a list of acceptable answers needs rows by id, {"question_id": ..., "references": [...]}'
        yield Diagnostic((references,), problem=problem, remedy=remedy)


def doubts_of_values(pairs: Pairs, *, with_confidences: bool) -> Iterator[Diagnostic]:
    """What is doubtful of the values of a test set, after texts were read as JSON.

    Args:
        pairs: the rows.
        with_confidences: whether confidences are taken out of the predictions.

    >>> print(next(doubts_of_values(Pairs(["a"], [{"total": ("1", "")}], [{}]), with_confidences=False)))
    references: 1 of 1 accept a missing value, such as that of 'a': a text among their acceptable answers is empty
    """
    first = range(min(_LOOKED_AT, len(pairs.ids)))
    truths = (pairs.truths[number] for number in first)  # by id, one acceptable answer is a one-of too
    of_truths = any(_has_one_of(each[0] if type(each) is tuple and len(each) == 1 else each) for each in truths)
    if not of_truths and any(_has_one_of(pairs.predictions[number]) for number in first):
        problem = f"they have {ONE_OF!r}, which only ground truths have; the two sides may be swapped"
        yield Diagnostic(("predictions",), problem=problem)
    if not with_confidences and any(map(is_wrapped, pairs.predictions)):
        problem = "they hold $value and $confidence, and are scored with both"
        remedy = "with_confidences=True (--with-confidences) takes the values out of them"
        yield Diagnostic(("predictions",), problem=problem, remedy=remedy)
    empty = [
        name
        for name, truth in zip(pairs.ids, pairs.truths, strict=True)
        if any(type(part) is tuple and "" in part for part in _containers_in(truth))
    ]
    if empty:
        problem = (
            f"{len(empty):,} of {len(pairs.ids):,} accept a missing value, such as that of {short_repr(empty[0])}: a "
            "text among their acceptable answers is empty"
        )
        yield Diagnostic(("references",), problem=problem)


def doubts_of_schema(truths: Iterable[Value], schema: SchemaSource) -> Iterator[Diagnostic]:
    """Fields whose comparison the schema sets and that no ground truth has, such as those with a misspelt name."""
    lacking = dict.fromkeys(schema.compared_fields())
    for truth in truths:
        if not lacking:
            return
        for path, _ in places_in(truth):
            lacking.pop(path, None)
    names = [path.removeprefix(".") for path in lacking]
    if names:
        problem = f"no ground truth has {some_of(names)}, whose comparison it sets"
        yield Diagnostic(("schema",), problem=problem)


def _containers_in(value: Any) -> list[Any]:
    """The objects, lists and one-ofs in a value, itself among them."""
    found = [value] if type(value) in _CONTAINERS else []
    for part in found:  # what is found in it is appended, and visited too
        found += [item for item in (part.values() if type(part) is dict else part) if type(item) in _CONTAINERS]
    return found


def _has_one_of(value: Any) -> bool:
    """Whether a value has a one-of at any depth, also as JSON spells it, which it stays in a prediction."""
    return any(
        type(part) is tuple or (type(part) is dict and part.keys() == {ONE_OF}) for part in _containers_in(value)
    )


_CONTAINERS = frozenset((dict, list, tuple))


def first_truths(pairs: Pairs) -> Iterator[Any]:
    """The ground truths; of several acceptable answers the first."""
    return (each[0] if isinstance(each, tuple) and each else each for each in pairs.truths)


def given_predictions(pairs: Pairs) -> Iterator[Any]:
    """The predictions that are not missing."""
    return (each for number, each in enumerate(pairs.predictions) if number not in pairs.absent)


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


def read_texts(pairs: Pairs, options: ScoringOptions) -> tuple[Pairs, dict[int, Parsed], list[str]]:
    """Read the texts of rows as JSON, where the options say so, and take the values out of those with confidences.

    Returns:
        The rows as they are scored; how the text of each prediction was read, by the number of its row; and what is
        doubtful of the rows, in sentences that were warnings too.

    Raises:
        TypeError, ValueError: for texts that are JSON on both sides where no option says how they are read, and for a
            reference that is no JSON, naming its row.
    """
    refuse_json_text(pairs.truths, pairs.predictions, options)
    doubts = list(doubts_of_reading(pairs, options.parse, options.parse_references))
    if options.parse_references:
        pairs = pairs._replace(truths=list(map(parsed_reference, pairs.ids, pairs.truths)))
    readings: dict[int, Parsed] = {}
    if options.parse_mode is not None:
        predictions, readings = parse_predictions(pairs.predictions, pairs.truths, options.parse_mode)
        pairs = pairs._replace(predictions=predictions)
    doubts += doubts_of_values(pairs, with_confidences=options.with_confidences)
    if options.schema is not None:
        doubts += doubts_of_schema(pairs.truths, options.schema)
    for doubt in doubts:
        warnings.warn(str(doubt), UserWarning, stacklevel=level_of_caller())
    pairs = with_confidences(pairs) if options.with_confidences else pairs._replace(confidences=None)
    return pairs, readings, list(map(str, doubts))


def parsed_reference(name: str, truth: Any) -> Any:
    """The ground truth of a row with its texts read as JSON.

    Args:
        name: the id of the row.
        truth: the ground truth; a tuple holds acceptable answers.

    Raises:
        TypeError, ValueError: for a text that is not JSON as a whole or cannot be scored, naming the row.
    """
    try:
        return convert_ground_truth(parse_reference(truth))
    except ValueError as error:
        raise at_place(closer(row_place(name), "an answer"), error) from None


def parse_predictions(
    predictions: Sequence[Any], truths: Sequence[Any], mode: str
) -> tuple[list[Any], dict[int, Parsed]]:
    """Read text predictions as JSON; return all predictions, and how each text was read, by its row number."""
    readings: dict[int, Parsed] = {}

    values = list(predictions)
    for number, prediction in enumerate(values):
        if type(prediction) is str:  # and not the digits of a number
            parsed = parse_text(prediction, mode, truths[number])
            values[number], readings[number] = parsed.value, parsed._replace(value=None)
    return values, readings

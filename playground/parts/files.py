"""Read uploaded files according to a plan: the preview before scoring, the rows to score, and scoring them again."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import (
    DataError,
    DataWarning,
    Diagnostic,
    FilePlace,
    InputError,
    InvalidRow,
    Remedy,
    RowError,
    RowErrors,
    at_place,
    errors_summary,
    row_place,
    short_repr,
)
from docscore.core.formatting import clipped, counted, printable, shown_name
from docscore.core.options import AS_TEXT, SKIP, ReadOptions
from docscore.core.runtime import Progress, no_progress
from docscore.evaluation.evaluation import Evaluation
from docscore.inputs.checks import refuse_document_texts
from docscore.inputs.citation_forms import known_forms
from docscore.inputs.columns import column_of, with_names
from docscore.inputs.field_paths import ListPaths, list_paths
from docscore.inputs.formats import delimiter_of_file, read_table, suffix_of
from docscore.inputs.ids import with_parts_of_ids
from docscore.inputs.json_text import dumps
from docscore.inputs.model_text import read_reference
from docscore.inputs.pairing import WITHOUT_PREDICTION, ids_in_another_order, paired_systems
from docscore.inputs.queries import query_for
from docscore.inputs.raw_regions import has_regions
from docscore.inputs.reading import as_scored
from docscore.inputs.rows import ANLS, ID, REFERENCES, RawTable, Side
from docscore.inputs.test_set import TestSet
from playground.parts.column_guesses import (
    ReadingPlan,
    columns_of,
    guessed_plan,
    number_of_truth,
    parsings_of,
    planned_tables,
    warnings_about_columns,
    warnings_about_ids,
    with_guessed_parsing,
)
from playground.parts.conclusions import MOST_RESCORED
from playground.parts.fragments import fragment
from playground.parts.remedies import buttons_of, sentence_of
from playground.server.answers import FileFacts, SortedFiles
from playground.server.labels import LABELS
from playground.server.limits import (
    LONGEST_SENTENCE,
    MAX_FILE_BYTES,
    check_file,
    check_metric,
    check_value,
    check_work,
    lines_for_visitors,
    lines_of,
)
from playground.server.requests import (
    COLUMNS,
    CONTENT,
    LAYOUT,
    MAX_LAYOUT,
    READING_OPTIONS,
    CompareRequest,
    FileRequest,
    SortRequest,
    given_options,
)

SHOWN_ROWS, SHOWN_COLUMNS = 3, 12
_LONGEST_CELL, _LONGEST_COLUMN = 90, 60  # characters
_NAMED_ERRORS = 3
_SEPARATED = ".csv", ".tsv"
_SIGNS: dict[str | None, str] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
PARSINGS = {None: "plain text", "json": "JSON", "repair": "repaired JSON"}
_ENCODED = {None: "stop with an error", "cp1252": "Windows-1252"}
_MISSING = {"error": "stop with an error", "zero": "score 0", SKIP: "leave them out"}
Reading = dict[str, str | None]
NOT_JSON, _NOT_UTF8 = "ground truth is not JSON", "not UTF-8"  # kinds of errors


class FileRows(NamedTuple):
    """The paired rows of uploaded files.

    Attributes:
        systems: one test set per file of predictions.
        plan: how the files were read.
        unread: the ids of the rows that were left out because their ground truths are not JSON.
    """

    systems: list[TestSet]
    plan: ReadingPlan
    unread: list[str]


class UploadedTables(NamedTuple):
    """Uploaded files after parsing, and the plan for reading their rows.

    Attributes:
        references: the rows of ground truths; None if the predictions hold both sides.
        predictions: the rows of predictions.
        plan: the content of each column, guessed except where the visitor chose it.
        others: the rows of predictions of other systems, which are read in the same way.
    """

    references: RawTable | None
    predictions: RawTable
    plan: ReadingPlan
    others: Sequence[RawTable] = ()

    @property
    def sides(self) -> dict[str, RawTable]:
        """Return the files by their names on the page."""
        return ({} if self.references is None else {"references": self.references}) | {"predictions": self.predictions}

    def planned(self, errors: RowErrors, unread: list[str]) -> tuple[RawTable | None, list[RawTable]]:
        """Return the rows of ground truths and the rows of each system, under the names of the row format.

        Args:
            errors: collects the ground truths that are not JSON although the plan reads them as JSON.
            unread: collects the ids of their rows.
        """
        sides = [planned_tables(self.references, each, self.plan) for each in (self.predictions, *self.others)]
        truths, systems = sides[0][0], [predictions for _, predictions in sides]
        if self.plan.parse_references is not None:
            for index, row in (truths or systems[0]).good():
                if error := _error_in_truth(row, self.plan.parse_references):
                    unread.append(str(row.get(ID, index)))
                    said = f"The ground truth of {shown_name(unread[-1])} is not JSON: {error}."
                    errors.add(NOT_JSON, Diagnostic(problem=said))
        read = [_without(each, unread) for each in (*filter(None, [truths]), *systems)]
        if self.plan.id_pattern is not None:
            read = with_parts_of_ids(read, self.plan.id_pattern)
        return (None, read) if truths is None else (read[0], read[1:])


def _error_in_truth(row: Any, mode: str) -> str:
    """Return why a ground truth that is text cannot be read as JSON; "" if it can."""
    cell = row.get(REFERENCES, row.get(str(ANLS.references))) if isinstance(row, dict) else None
    try:
        for answer in cell if isinstance(cell, list | tuple) else [cell]:
            if isinstance(answer, str):
                read_reference(answer, mode)
    except InputError as error:
        return error.got or error.problem.split("got ")[-1]
    return ""


def _without(table: RawTable, ids: Collection[str]) -> RawTable:
    """Return the table without the rows that have one of these ids; they count as invalid."""
    if not ids:
        return table
    rows = [InvalidRow if isinstance(row, dict) and str(row.get(ID)) in ids else row for row in table.rows]
    return table._replace(rows=rows)


def uploaded_tables(
    asked: FileRequest, errors: RowErrors, others: Sequence[Path] = (), progress: Progress = no_progress
) -> UploadedTables:
    """Read the files of a request and of other systems, and plan how to read their rows.

    Raises:
        TypeError, ValueError: with a message that names the file and the place in it.
    """
    paths = [*asked.files.items(), *(("predictions", path) for path in others)]
    read = [(side, _read(path, side, asked.reading, errors, progress)) for side, path in paths]
    lists = list_paths([table for _, table in read], layout_of(asked.reading))
    laid_out = [_laid_out(table, side, asked.reading, lists) for side, table in read]
    tables, more = dict(zip(asked.files, laid_out, strict=False)), laid_out[len(asked.files) :]
    return planned(tables.get("references"), tables["predictions"], more, asked.reading)


def planned(
    references: RawTable | None, predictions: RawTable, others: Sequence[RawTable], reading: Reading
) -> UploadedTables:
    """Return the tables with the plan for reading them, guessed except where the visitor chose."""
    plan = _chosen(guessed_plan(references, predictions, others), references, [predictions, *others], reading)
    return UploadedTables(references, predictions, plan, others)


def _read(path: Path, side: str, reading: Reading, errors: RowErrors, progress: Progress = no_progress) -> RawTable:
    check_file(path)
    sign, encoding = reading.get(f"{side}_delimiter"), encoding_of(path, side, reading)
    options = replace(layout_of(reading), delimiter=sign, encoding=encoding)
    return read_table(path, errors, side=_side_of(side), options=options, max_bytes=MAX_FILE_BYTES, progress=progress)


def _side_of(side: str) -> Side:
    return "references" if side == "references" else "predictions"


def _laid_out(table: RawTable, side: str, reading: Reading, lists: ListPaths | None = None) -> RawTable:
    """Return the rows of a side in the layout that the visitor chose."""
    layout = layout_of(reading)
    if layout.field_column is not None:
        return with_names(table, _side_of(side), layout, both=layout.value_column is None, lists=lists)
    name_of_ids = layout.id_column
    if not isinstance(name_of_ids, str):
        return table
    ids, parts = column_of(table, layout, "id_column", name_of_ids), set(map(str.strip, name_of_ids.split(",")))
    rows = [
        {name_of_ids: name, **{key: cell for key, cell in row.items() if key not in parts}}
        if isinstance(row, dict)
        else row
        for name, row in zip(ids, table.rows, strict=True)
    ]
    return table._replace(rows=rows)


def layout_of(reading: Reading) -> ReadOptions:
    """Return where ids and values are in the rows and how cells are read, as far as the visitor specified it."""
    given = given_options(reading, (*LAYOUT, *READING_OPTIONS))
    if "field_column" in given:
        given |= {f"{name}_column": reading.get(name) for name in ("references", "prediction")}
    return ReadOptions(**given)


def encoding_of(path: Path, side: str, reading: Reading) -> str | None:
    """Return the encoding that the visitor chose, for a file that is not UTF-8."""
    if reading.get("encoding"):
        try:
            read_table(path, options=ReadOptions(delimiter=reading.get(f"{side}_delimiter")), max_bytes=MAX_FILE_BYTES)
        except InputError as error:
            return reading["encoding"] if _has_other_encoding(error) else None
    return None


def _has_other_encoding(error: InputError) -> bool:
    """Return whether a file was refused because its bytes are not UTF-8."""
    kinds = [row_error.kind for row_error in error.errors] if isinstance(error, DataError) else []
    return _NOT_UTF8 in kinds or isinstance(error.__context__, UnicodeDecodeError)


def _chosen(
    plan: ReadingPlan, references: RawTable | None, systems: Sequence[RawTable], reading: Reading
) -> ReadingPlan:
    """Return the plan with the visitor's choices; a chosen column that the files do not have is ignored."""
    first, second = (columns_of(table) for table in (references or systems[0], systems[0]))
    known = dict(zip(COLUMNS, (first, second, first, second), strict=True))
    chosen = {name: reading[name] for name in COLUMNS if name in reading and reading[name] in (None, *known[name])}
    if (column := reading.get("id_column")) and not reading.get("field_column"):
        chosen = {"references_id": column, "predictions_id": column, **chosen}
    if chosen:
        ids = chosen.get("references_id", plan.ids[0]), chosen.get("predictions_id", plan.ids[1])
        values = chosen.get("references", plan.references), chosen.get("prediction", plan.prediction)
        if references is None:
            ids = ids[1], ids[1]
        changed = ReadingPlan(ids, *values)
        if changed != plan._replace(parse=None, parse_references=None, certain=False):
            plan = with_guessed_parsing(changed, references, systems)
    return plan._replace(
        parse=reading.get("parse", plan.parse),
        parse_references=reading.get("parse_references", plan.parse_references),
        answer_is_list=bool(reading.get("answer_is_list")),
        id_pattern=reading.get("id_pattern") or None,
    )


def rows_of_request(asked: FileRequest | CompareRequest, progress: Progress = no_progress) -> FileRows:
    """Read, pair and check the rows of uploaded files, with the same plan for all systems.

    Raises:
        TypeError, ValueError: with a message that names the file and the place in it, or the limit of the page.
    """
    errors = RowErrors("skip" if asked.skip else "error")
    first, others = (asked.of_first(), asked.predictions[1:]) if isinstance(asked, CompareRequest) else (asked, [])
    tables = uploaded_tables(first, errors, others, progress)
    plan = tables.plan
    reading = _read_options(asked, plan)
    unread: list[str] = []
    pairs = paired_systems(*tables.planned(errors, unread), reading, errors, check_value, progress)
    systems = [as_scored(each, reading, progress) for each in pairs]
    for test_set in systems:
        check_test_set(test_set)
    return FileRows(systems, plan, unread)


def _read_options(asked: FileRequest | CompareRequest, plan: ReadingPlan) -> ReadOptions:
    """Return the options for reading the texts and values of the rows of a request."""
    of_several = isinstance(asked, CompareRequest)
    otherwise = None if of_several and _is_own_format(plan, asked.reading) else AS_TEXT
    return ReadOptions(
        parse=(asked.parse if isinstance(asked, CompareRequest) else None) or plan.parse or otherwise,
        parse_references=plan.parse_references,
        missing=asked.missing,
        on_error="skip" if asked.skip else "error",
        **asked.content,
    )


def _is_own_format(plan: ReadingPlan, reading: Reading) -> bool:
    """Return whether the rows of several systems are in a row format, with nothing guessed or chosen."""
    return plan.certain and plan.parse is None and plan.parse_references is None and not reading.keys() - {"missing"}


def look(asked: FileRequest, others: Sequence[Path] | None = None) -> tuple[str, bool]:
    """Return the HTML that a visitor sees before scoring, and whether scoring would refuse the rows as they are read.

    The HTML shows how the files are read, their first rows, and warnings.

    Args:
        asked: the files; of several systems, the first one.
        others: the files of the other systems; None for a test set. With rows in a format of docscore, the HTML of
            several systems has only the warnings.
    """
    errors = RowErrors("skip")
    tables = uploaded_tables(asked, errors, others or ())
    warnings = [(clipped(printable(said), LONGEST_SENTENCE), *more) for said, *more in _warnings(tables, errors, asked)]
    has_choice = not tables.plan.certain or any(not blocks and not asked.skip for *_, blocks in warnings)
    fields, headline, files = _fields(tables, asked), _headline(tables), []
    if others is not None:  # a comparison offers the treatment of missing predictions among its options
        fields = [[field for field in of_file if field["name"] != "missing"] for of_file in fields]
        headline += [f"all {1 + len(others)} prediction files in the same way"] if others else []
    if others is None or not _is_own_format(tables.plan, asked.reading):
        files = list(zip(fields, _previews(tables), strict=True))
    html = _reading_as_html(headline, files, warnings, "open" if has_choice else "") if files or warnings else ""
    return html, any(blocks for *_, blocks in warnings)


def sort_files(asked: SortRequest) -> SortedFiles:
    """Return which of several files holds the ground truths, and how the files are read."""
    files, tables = asked.files, list[RawTable]()
    facts: list[FileFacts] = []
    signs: list[WizardField] = []  # fields for files that cannot be read
    warnings: list[FileWarning] = []  # warnings about files that cannot be read
    for number, path in enumerate(files):
        fact: FileFacts = {"name": clipped(printable(path.name), _LONGEST_COLUMN)}
        side = "references" if number == asked.truth else "predictions"
        try:
            errors = RowErrors("skip")
            table = _laid_out(_read(path, side, asked.reading, errors), side, asked.reading)
            if errors.collected and table.first() is None:
                raise DataError(errors.collected[:1])
            columns = [printable(_short(name)) for name in columns_of(table)]
            tables.append(table)
            fact["rows"], fact["columns"] = len(table.rows), columns[:SHOWN_COLUMNS]
        except InputError as error:
            fact["fault"] = lines_for_visitors(error)[0]
            if _has_other_encoding(error):
                fact["fault"] = "It is not UTF-8."
                warnings.append((f"{fact['name']} is not UTF-8.", _ALLOWED_ENCODINGS, True))
            signs += [*_sign_fields({side: path}, asked.reading), *_layout_fields(asked.reading, [side], if_given=True)]
        facts.append(fact)
    truth = asked.truth if asked.truth is None or 0 <= asked.truth < len(files) else None
    sorting = SortedFiles(truth=truth, both=False, unsure=False, files=facts, html="", blocked=False)
    if len(tables) < len(files):
        html = _reading_as_html([], [(signs, None)] if signs else [], warnings, "open") if signs or warnings else ""
        return {**sorting, "html": html}
    hold_both = all(None not in planned(None, table, (), asked.reading).plan[1:3] for table in tables)
    is_open = asked.truth is None and len(files) > 1 and not (hold_both and not asked.is_pair)
    if is_open:
        truth = number_of_truth(tables)
    sorting = {**sorting, "truth": truth, "both": hold_both, "unsure": is_open and truth is None}
    is_known = asked.is_pair or (len(files) > 1 and (truth is not None or hold_both))
    if sorting["unsure"] or not is_known:
        return sorting
    references = None if truth is None else files[truth]
    systems = [number for number in range(len(files)) if number != truth]
    first = FileRequest(
        references=references,
        predictions=files[systems[0] if systems else 0],
        reading={"missing": asked.missing, **asked.reading},
        skip=asked.skip,
    )
    if not asked.is_pair:
        for number, row_error in _misfits(tables, truth, systems, asked.reading):
            facts[number]["fault"] = row_error
    html, is_blocked = look(first, None if asked.is_pair else [files[number] for number in systems[1:]])
    return {**sorting, "html": html, "blocked": is_blocked}


def _misfits(
    tables: Sequence[RawTable], truth: int | None, systems: Sequence[int], reading: Reading
) -> Iterator[tuple[int, str]]:
    """Yield the number of each system without a column that the first system has, and a sentence on that column."""
    references, first = None if truth is None else tables[truth], tables[systems[0]]
    plan = planned(references, first, (), reading).plan
    if _is_own_format(plan, reading):
        return
    wanted = [plan.ids[1], plan.prediction, plan.references if references is None else None]
    for number in systems[1:]:
        rows = [row for _, row in tables[number].good() if isinstance(row, dict)]
        for name in wanted:
            if name is not None and not any(name in row for row in rows):
                yield number, f"It does not have the column {short_repr(name)}, which {printable(first.path.name)} has."
                break


def _reading_as_html(*arguments: Any) -> str:
    return fragment("reading", *arguments, template="files.html.jinja")


_ALLOWED_MISSING = ("Score them 0", "missing", '"zero"'), ("Leave them out", "missing", '"skip"')
_ALLOWED_ERRORS = (("Leave these rows out", "skip", "true"),)
_ALLOWED_TRUTHS = (
    ("Repair", "parse_references", '"repair"'),
    ("Leave out", "skip", "true"),
    ("All as text", "reading", '{"parse": null, "parse_references": null}'),
)
_ALLOWED_ENCODINGS = (("Read as Windows-1252", "encoding", '"cp1252"'),)
_ONE_FILE = "This is one file. Add the other one or, if this file holds both sides, choose their columns below."
# a sentence; buttons that allow it, each with the name of an option and its value as JSON; whether scoring refuses it
FileWarning = tuple[str, Sequence[tuple[str, str, str]], bool]


def _warnings(tables: UploadedTables, errors: RowErrors, asked: FileRequest) -> Iterator[FileWarning]:
    """Yield warnings about everything that would cause an error or a meaningless score."""
    plan = tables.plan
    yield from _rows_inside(tables)
    is_one_side = tables.references is None and None in (plan.references, plan.prediction)
    if is_one_side and not set(asked.reading) & set(COLUMNS):
        yield _ONE_FILE, (), False
        return
    pairs, read, unread = None, list[RawTable](), list[str]()
    try:
        truths, systems = tables.planned(errors, unread)
        read = [*([] if truths is None else [truths]), *systems]
        if plan.ids == (None, None) and not plan.certain:
            yield "No id column is chosen, so rows are paired by their position.", (), False
        if truths is not None and (apart := list(warnings_about_ids(truths, systems[0]))):
            yield from ((sentence_of(each), _id_buttons(each), True) for each in apart)
            return
        pairs = paired_systems(
            truths, systems, ReadOptions(missing="error" if asked.missing == "error" else "zero"), errors
        )[0]
        refuse_document_texts(pairs.truths, pairs.predictions, plan.parse, plan.parse_references)
        yield from _other_order(pairs, plan)
        answered = {each.diagnostic.problem: each for each in _answered(pairs, _read_options(asked, plan))}
        for each in warnings_about_columns(pairs, plan):
            known = answered.pop(each.problem, None)
            yield sentence_of(each), buttons_of(known) if known else (), False
        yield from ((each, (), False) for each in _different_forms(tables))
        yield from ((sentence_of(each.diagnostic), buttons_of(each), False) for each in answered.values())
    except InputError as error:
        if not (isinstance(error, DataError) or errors.collected):
            is_refused = pairs is None or plan.parse is not None or _is_own_format(plan, asked.reading)
            yield from ((each, (), is_refused) for each in lines_for_visitors(error))
    kinds: dict[str, list[RowError]] = {kind: [] for kind in (WITHOUT_PREDICTION, NOT_JSON, _NOT_UTF8, "")}
    for row_error in errors.collected:
        kinds[row_error.kind if row_error.kind in kinds else ""].append(row_error)
    places = [
        part for row_error in kinds[_NOT_UTF8] for part in row_error.diagnostic.parts if isinstance(part, FilePlace)
    ]
    encoded = [f"{name} is not UTF-8." for name in dict.fromkeys(Path(place.paths[0]).name for place in places)]
    said = [
        (_named(kinds[WITHOUT_PREDICTION]), _ALLOWED_MISSING),
        (_unread(kinds[NOT_JSON], read, len(unread)), _ALLOWED_TRUTHS[plan.parse_references == "repair" :]),
        (encoded, _ALLOWED_ENCODINGS + _ALLOWED_ERRORS),
        (_named(kinds[""]), _ALLOWED_ERRORS),
    ]
    for sentences, buttons in said:
        if asked.skip:
            yield from ((f"{each.removesuffix('.')}; left out", (), False) for each in sentences)
        else:
            yield from ((each, buttons if each is sentences[-1] else (), True) for each in sentences)


def _id_buttons(warning: Diagnostic) -> list[tuple[str, str, str]]:
    """Return buttons that pair the rows by the ids that a remedy names."""
    options = warning.remedy.options if isinstance(warning.remedy, Remedy) else ()
    return [(f"Pair by {_short(value)}", name, json.dumps(value)) for name, value in options]


def _answered(pairs: TestSet, reading: ReadOptions) -> list[DataWarning]:
    """Return the warnings about rows that an option answers, as scoring would give them; none for very many rows."""
    if len(pairs.ids) > MOST_RESCORED:
        return []
    try:
        found = Evaluation(as_scored(pairs, reading), confidence=None).row_warnings
    except (TypeError, ValueError):  # scoring reports it
        return []
    return list(filter(buttons_of, found))


def _rows_inside(tables: UploadedTables) -> Iterator[FileWarning]:
    """Yield a warning about a file whose only document looks like an object that contains its rows."""
    for side, table in tables.sides.items():
        if len(table.rows) == 1 and (query := query_for(table.first(), with_ids=True)):
            button = f"Read {query}", f"{side}_query", json.dumps(query)
            yield f"{table.path.name} is read as one document; it may hold rows at {query}.", (button,), False


def _other_order(pairs: TestSet, plan: ReadingPlan) -> Iterator[FileWarning]:
    """Yield a warning about documents that are paired by position although a column pairs them differently."""
    if plan.ids == (None, None) and (name := ids_in_another_order(pairs.truths, pairs.predictions)):
        button = f"Pair by {_short(name)}", "id_column", json.dumps(name)
        yield f"{_short(name)} has the same values on both sides in a different order.", (button,), False


def _unread(errors: Sequence[RowError], read: Sequence[RawTable], count: int) -> list[str]:
    """Return sentences on how many ground truths are JSON, and on the first ones that are not."""
    said = _named(errors)
    if not errors or not read:
        return said
    good = sum(1 for _ in read[0].good())
    return [f"{good:,} of {good + count:,} ground truths are JSON.", *said]


def _named(errors: Sequence[RowError]) -> list[str]:
    said = [sentence_of(error.diagnostic) for error in errors[:_NAMED_ERRORS]]
    return [*said, errors_summary(errors)] if len(errors) > len(said) else said


def _different_forms(tables: UploadedTables) -> Iterator[str]:
    """Yield a sentence if the predictions of several systems differ in form."""
    systems = [tables.predictions, *tables.others]
    ways = parsings_of(systems, tables.plan)
    if tables.plan.parse and len(set(ways)) > 1:
        said = ", ".join(f"{table.path.name} {_WRITTEN[way]}" for table, way in zip(systems, ways, strict=True))
        yield f"The predictions differ in form: {said}. All are read as {PARSINGS[tables.plan.parse]}."


_WRITTEN = {None: "has no JSON as text", "json": "has JSON as text", "repair": "has JSON within other text"}


def _headline(tables: UploadedTables) -> list[str]:
    """Return a short description of how the rows are read."""
    plan = tables.plan
    words = {"references": "ground truth", "predictions": "prediction"} if tables.references else {"predictions": "row"}
    counts = [counted(len(table.rows), words[side]) for side, table in tables.sides.items()]
    nothing = "all columns but the ids" if tables.references else "not chosen"
    guessed = "" if plan.certain else "guessed: "
    phrases = [f"{guessed}{'paired ' if tables.references else ''}{paired_by(plan)}"]
    for what, name in (("ground truth", plan.references), ("prediction", plan.prediction)):
        phrases.append(f"{what}: {nothing if name is None else _short(name)}")
    if plan.parse:
        phrases.append(f"read as {PARSINGS[plan.parse]}")
    return [" and ".join(counts), ", ".join(phrases)]


def paired_by(plan: ReadingPlan) -> str:
    """Describe the columns by which rows are paired."""
    return f"by {' and '.join(sorted({_short(name) for name in plan.ids if name is not None})) or 'their position'}"


def _short(name: str) -> str:
    return clipped(name, _LONGEST_COLUMN)


# A choice: its name, its label, and each possible value as JSON with its words and whether it is selected.
WizardField = dict[str, Any]


def _fields(tables: UploadedTables, asked: FileRequest) -> list[list[WizardField]]:
    """Return the choices for each file; choices for both files are with the last one."""
    plan = tables.plan
    both = tables.references is None
    whole_row = {None: "all columns but the ids"}
    of_truth, of_prediction = (
        ({None: "choose a column"} if value is None else {}) if both else whole_row
        for value in (plan.references, plan.prediction)
    )
    first, second = (
        {name: _short(name) for name in columns_of(table)}
        for table in (tables.references or tables.predictions, tables.predictions)
    )
    number = {None: "none: pair by position"}
    ids = _field("predictions_id", "predictions_id_column", second | number, plan.ids[1])
    of_truths = [
        _field("references", "references_column", first | of_truth, plan.references),
        _field("parse_references", "parse_references", PARSINGS, plan.parse_references),
    ]
    of_predictions = [
        _field("prediction", "prediction_column", second | of_prediction, plan.prediction),
        _field("parse", "parse", PARSINGS, plan.parse),
    ]
    missing = _field("missing", "missing", _MISSING, asked.missing)
    if encoding := asked.reading.get("encoding"):
        of_predictions.append(_field("encoding", "encoding", _ENCODED, encoding))
    signs = {field["name"]: field for field in _sign_fields(asked.files, asked.reading)}
    sign = [[signs[name]] if name in signs else [] for name in ("references_delimiter", "predictions_delimiter")]
    more = _layout_fields(asked.reading, list(tables.sides))
    if both:
        return [[ids, *of_truths, *of_predictions, *sign[1], *more]]
    return [
        [_field("references_id", "references_id_column", first | number, plan.ids[0]), *of_truths, *sign[0], *more[:1]],
        [ids, *of_predictions, *sign[1], missing, *more[1:]],
    ]


_LAYOUT_CHOICES: dict[str, dict[str | None, str]] = {
    "single_document": {None: "documents by their ids", "yes": "one document"},
    "answer_is_list": {None: "acceptable answers", "yes": "the answer"},
    "citations_from": {None: "docscore", **{name: name for name in known_forms()}},
    "with_confidences": {None: "values", "yes": "confidences, plotted against accuracy"},
}


def _layout_fields(reading: Reading, sides: Sequence[str], *, if_given: bool = False) -> list[WizardField]:
    """Return the layout fields, beginning with the query of each side; with `if_given` only if one has a value."""
    if if_given and not any(map(reading.get, LAYOUT)):
        return []
    names = [*(f"{side}_query" for side in sides), *LAYOUT[2:-2], *CONTENT[:2]]
    typed = [
        {"name": name, "label": LABELS[name], "text": reading.get(name) or "", "longest": MAX_LAYOUT} for name in names
    ]
    chosen = [_field(name, name, words, reading.get(name)) for name, words in _LAYOUT_CHOICES.items()]
    return typed + [{**field, "text": reading.get(field["name"]) or ""} for field in chosen]


def _sign_fields(paths: dict[str, Path], reading: Reading) -> list[WizardField]:
    """Return the choice of the delimiter of each CSV file."""
    return [
        _field(f"{side}_delimiter", "delimiter", _signs_of(path), reading.get(f"{side}_delimiter"))
        for side, path in paths.items()
        if suffix_of(path) in _SEPARATED
    ]


def _signs_of(path: Path) -> dict[str | None, str]:
    """Return the delimiters to choose from with their names; None stands for the detected one."""
    try:
        told = f"{_SIGNS[delimiter_of_file(path, MAX_FILE_BYTES)]} (detected)"
    except (InputError, OSError):
        told = "detected"
    return {None: told} | _SIGNS


def _field(name: str, option: str, words: Any, taken: str | None) -> WizardField:
    options = [(dumps(value), said, value == taken) for value, said in words.items()]
    return {"name": name, "label": LABELS[option], "options": options}


def _previews(tables: UploadedTables) -> list[dict[str, Any]]:
    """Return the first rows of each file: name, columns and their contents, cells, and the number of other columns."""
    plan = tables.plan
    truth = [(plan.references, "ground truth")]
    holding: dict[str, list[tuple[str | None, str]]] = {
        "references": [(plan.ids[0], "id"), *truth],
        "predictions": [(plan.ids[1], "id"), *([] if tables.references else truth), (plan.prediction, "prediction")],
    }
    return [_preview(table, holding[side]) for side, table in tables.sides.items()]


def _preview(table: RawTable, holding: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
    roles = {name: " and ".join(what for column, what in holding if column == name) for name in columns_of(table)}
    columns = sorted(roles, key=lambda name: not roles[name])  # scored columns are always shown
    shown = columns[:SHOWN_COLUMNS]
    good = [row for _, row in islice(table.good(), SHOWN_ROWS)]
    return {
        "title": table.path.name,
        "columns": [(_short(name), roles[name]) for name in shown] or [("row", "")],
        "cells": [[_cell(row[name]) if name in row else "" for name in shown] or [_cell(row)] for row in good],
        "more": len(columns) - len(shown),
    }


def _cell(value: Any) -> str:
    """Return a parsed value in one line, shortened; objects and lists as JSON."""
    if isinstance(value, str):
        return clipped("↵ ".join(value[: _LONGEST_CELL + 1].splitlines()), _LONGEST_CELL)
    try:
        return clipped(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_CELL)
    except ValueError:  # a number with more digits than Python prints
        return "…"


def check_test_set(rows: TestSet) -> None:
    """Raise `ValueError` for a row that takes too long; values that were read from text have the same limits."""
    for question_id, truth, prediction in zip(rows.ids, rows.truths, rows.predictions, strict=True):
        try:
            if rows.options.parse_references:
                check_value(truth, is_truth=True)
            if rows.options.parse_mode:
                check_value(prediction, is_truth=False)
            check_work(truth, prediction)
        except (TypeError, ValueError) as error:
            raise at_place(row_place(question_id), error) from None


def with_grounding(metrics: tuple[str, ...], systems: Iterable[TestSet]) -> tuple[str, ...]:
    """Return the metrics, with grounding added if the rows of a system have regions."""
    return (
        metrics
        if "grounding" in metrics or not any(has_regions(rows.given or rows) for rows in systems)
        else (*metrics, "grounding")
    )


def check_metrics(metrics: Iterable[str], pairs: TestSet) -> None:
    """Raise `ValueError` for a row on which a metric takes too long."""
    for metric in metrics:
        for name, truth, prediction in zip(pairs.ids, pairs.truths, pairs.predictions, strict=True):
            try:
                check_metric(metric, truth, prediction)
            except ValueError as error:
                raise at_place(row_place(name), error) from None


def skipped_lines(rows: FileRows) -> list[str]:
    """Return a message on the rows that were left out, as lines; empty if there are none."""
    pairs, errors = rows.systems[0], rows.systems[0].row_errors
    if not errors:
        return []
    left = f"{pairs.skipped} of {len(pairs.ids) + (pairs.skipped or 0):,} rows are left out."
    first, *others = lines_for_visitors(errors[0].diagnostic)
    return [*lines_of(f"{errors_summary(errors)}; {left}"), f"First error: {first}", *others]

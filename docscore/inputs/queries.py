"""Select rows from JSON documents of any structure by JMESPath expressions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from json import dumps
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.visitor import TreeInterpreter

from docscore.core.errors import (
    DataWarning,
    Diagnostic,
    InputValueError,
    InvalidRow,
    PlacePart,
    Remedy,
    RowErrors,
    listed,
    short_repr,
    some_of,
)
from docscore.core.options import ReadOptions
from docscore.core.values import holds_value
from docscore.inputs.rows import ANLS, BY_ID, COSTS, ID, PREDICTION, Absent, RawTable, Side, described, place_of


class _Interpreter(TreeInterpreter):
    """An interpreter that omits keys and elements that a value does not have, since null would be an answer.

    Args:
        keeps_nulls: whether list elements without a result stay in the list as null.

    Attributes:
        dropped: the number of list elements without a result or without a match in a filter.
    """

    def __init__(self, *, keeps_nulls: bool = False) -> None:
        super().__init__()
        self._keeps_nulls, self.dropped = keeps_nulls, 0
        self._found: set[int] = set()  # the nodes of the keys of the expression that an object has
        self._beside: dict[int, dict[str, None]] = {}  # by node of a key, the keys of the objects without it

    def visit_field(self, node: Any, value: Any) -> Any:
        if isinstance(value, dict):
            if node["value"] in value:
                self._found.add(id(node))
            elif id(node) not in self._found:
                self._beside.setdefault(id(node), {}).update(dict.fromkeys(value))
        return super().visit_field(node, value)

    def unknown_keys(self, node: Any) -> list[tuple[Any, list[str]]]:
        """Return the keys in a part of the expression that no object had, each with the keys that the objects had."""
        fields = (field for field, _ in _fields_in(node) if id(field) not in self._found)
        return [(field, [*self._beside.get(id(field), ())]) for field in fields]

    def visit_projection(self, node: Any, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        return self._projected(node, base) if isinstance(base, list) else None

    def visit_value_projection(self, node: Any, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        return self._projected(node, base.values()) if isinstance(base, dict) else None

    def _projected(self, node: Any, base: Iterable[Any]) -> list[Any]:
        return self._without_nulls([self.visit(node["children"][1], part) for part in base])

    def visit_filter_projection(self, node: Any, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        if not isinstance(base, list):
            return None
        of_one: Any = {**node, "children": [{"type": "current", "children": []}, *node["children"][1:]]}
        selected = [super(_Interpreter, self).visit_filter_projection(of_one, [part]) for part in base]
        return self._without_nulls([parts[0] if parts else None for parts in selected])

    def _without_nulls(self, parts: list[Any]) -> list[Any]:
        selected = [part for part in parts if part is not None]
        self.dropped += len(parts) - len(selected)
        return parts if self._keeps_nulls else selected

    def visit_multi_select_dict(self, node: Any, value: Any) -> Any:
        selected = super().visit_multi_select_dict(node, value)
        lacking = {child["value"] for child in node["children"] if selected and self._lacks(child, value)}
        return selected and {key: part for key, part in selected.items() if key not in lacking}

    def visit_multi_select_list(self, node: Any, value: Any) -> Any:
        selected = super().visit_multi_select_list(node, value)
        pairs = zip(node["children"], selected or (), strict=bool(selected))
        return selected and [part for child, part in pairs if not self._lacks(child, value)]

    def _lacks(self, node: Any, value: Any) -> bool:
        """Return whether a node selects nothing in a value; a null in the value is something."""
        if self.visit(node, value) is not None:
            return False
        while node["type"] in ("key_val_pair", "subexpression"):
            *before, node = node["children"]
            for part in before:
                value = self.visit(part, value)
        is_there = node["type"] == "literal" or (isinstance(value, dict) and node.get("value") in value)
        return not is_there


_CHAINS = ("subexpression", "index_expression", "pipe", "projection", "filter_projection", "value_projection")


def _nodes_in(node: Any, place: str = "") -> Iterator[tuple[Any, str]]:
    """Yield a node of an expression and all nodes below it, each with the part that produces its input values."""
    yield node, place
    for child in node["children"]:
        if isinstance(child, dict):
            yield from _nodes_in(child, place)
            place += str(child) if node["type"] in _CHAINS and child is node["children"][0] else ""


def _fields_in(node: Any) -> Iterator[tuple[Any, str]]:
    """Yield the keys among the nodes of an expression, as `_nodes_in` does."""
    return (each for each in _nodes_in(node) if each[0]["type"] == "field")


_ERRORS = (JMESPathError, TypeError, ValueError, RecursionError)  # the errors of the library
_FEWEST_WITHOUT = 5  # rows; in fewer rows, an optional key may be missing by chance
_SIMILAR = 0.75  # least `difflib` ratio at which one key may be a misspelling of another


class Query:
    """A JMESPath expression that selects the rows of a side (https://jmespath.org).

    It records which of its keys occurred in the values of a source, for errors about keys that no value has.

    Args:
        side: predictions or references.
        expression: such as `results[].{question_id: id, prediction: output}`.

    Raises:
        ValueError: for an expression that cannot be read.
    """

    def __init__(self, side: Side, expression: str) -> None:
        self.option, self.expression = f"{side}_query", expression
        try:
            self._parsed = jmespath.compile(expression).parsed
        except (*_ERRORS, AttributeError) as error:  # AttributeError if it is not text
            got = f"{short_repr(expression)} ({str(error).splitlines()[0].rstrip(':')})"
            raise InputValueError(place=self.option, expected="a JMESPath expression", got=got) from None
        self._interpreter = _Interpreter()

    def selected(self, value: Any, place: PlacePart) -> tuple[Any, frozenset[int] | None]:
        """Return the value that the expression selects in a JSON value, and the positions of the rows that it dropped.

        The positions are the indices in a list in which dropped rows are null; None if they cannot be determined.

        Raises:
            ValueError: naming the place, if it selects nothing, or calls a function with a wrong value.
        """
        before = self._interpreter.dropped
        try:
            selected = self._interpreter.visit(self._parsed, value)
        except _ERRORS as error:
            raise InputValueError(place=place, problem=f"{self.option}: {error}") from None
        if selected is None or (isinstance(selected, list) and not selected):
            expected = f"rows at {self.expression!r} ({self.option})"
            raise InputValueError(place=place, expected=expected, got=f"none in {described(value)}")
        if self._interpreter.dropped == before or not isinstance(selected, list):
            return selected, frozenset()
        whole = None
        with suppress(*_ERRORS):  # raised by a function that does not accept null
            whole = _Interpreter(keeps_nulls=True).visit(self._parsed, value)
        dropped = frozenset(number for number, part in enumerate(whole or ()) if part is None)
        return selected, dropped if len(whole or ()) == len(selected) + len(dropped) else None

    def _unknown_beside_others(self) -> Iterator[tuple[str, list[str], list[str]]]:
        """Yield each key that no object has, the keys of these objects, and those keys that the expression omits."""
        places = {id(node): place for node, place in _fields_in(self._parsed)}
        named = {(place, node["value"]) for node, place in _fields_in(self._parsed)}
        for node, others in self._interpreter.unknown_keys(self._parsed):
            yield node["value"], others, [other for other in others if (places[id(node)], other) not in named]

    def _check_spelling(self, place: PlacePart) -> None:
        """Raise `ValueError` for a key of the expression that no object has, if the objects have a similar key."""
        for key, others, free in self._unknown_beside_others():
            if get_close_matches(key.casefold(), map(str.casefold, free), 1, _SIMILAR):
                raise InputValueError(place=place, expected=f"a key {key!r} ({self.option})", got=_listed_keys(others))

    def _warnings_about_keys(self, place: PlacePart) -> Iterator[DataWarning]:
        """Yield a warning about keys that no object has, if the user may have meant another key of these objects.

        There is none if the expression names all their keys, or finds the key elsewhere, such as on the other side.
        """
        unknown = {id(node) for node, _ in self._interpreter.unknown_keys(self._parsed)}
        known = {node["value"] for node, _ in _fields_in(self._parsed) if id(node) not in unknown}
        found = [each for each in self._unknown_beside_others() if each[2] and each[0] not in known]
        if found:
            problem = (
                f"the query names {some_of({key for key, *_ in found})}, which no row has; the rows "
                f"have {_listed_keys(found[0][1])}"
            )
            remedy = Remedy("if you mean one of these keys, correct {}", ((self.option, ...),))
            yield DataWarning("unknown keys", Diagnostic((place,), problem=problem, remedy=remedy))

    def check_keys(self, table: RawTable) -> RawTable:
        """Return a table of all selected rows; a missing prediction is `Absent`, as at the end of a path.

        Explicit nulls of the source are values. The table records which keys no row has, for the error about documents
        that are empty for this reason.

        Raises:
            ValueError: for a key of the expression that no object has, if one is similar, and for a key of the row
                format for which no row has a value.
        """
        self._check_spelling(place_of(table))
        rows = [row for _, row in table.good() if isinstance(row, dict)]
        parts = {node["value"]: node for node, _ in _nodes_in(self._parsed) if node["type"] == "key_val_pair"}
        own = {key: parts.pop(key) for key in (ID, *BY_ID[1:], *ANLS[1:], *COSTS) if key in parts}
        for key, node in own.items() if rows else ():
            unknown = self._interpreter.unknown_keys(node)
            if unknown and key not in COSTS and not any(holds_value(row.get(key)) for row in rows):
                got = f"none in the {len(rows):,} rows of {self.expression!r}{_without(unknown)}"
                raise InputValueError(place=place_of(table), expected=f"values under {key!r} ({self.option})", got=got)
        for row in rows if PREDICTION in own else ():
            row.setdefault(PREDICTION, Absent)
        unknown = [] if own.keys() - {ID, *COSTS} else self._interpreter.unknown_keys(self._parsed)
        found = self._warnings_about_keys(place_of(table)) if len(rows) >= _FEWEST_WITHOUT else ()
        lacking = f"{self.option}{_without(unknown)}" if unknown else ""
        return table._replace(lacking=lacking, warnings=(*table.warnings, *found))

    def rows_in(self, table: RawTable, errors: RowErrors) -> RawTable:
        """Return a table with the result of the expression for each row: the elements of a list, or else one row.

        Args:
            table: the rows.
            errors: collects the errors of rows in which it selects nothing.

        Raises:
            ValueError: as for `check_keys`, and for a table, since its cells are not JSON.
        """
        if table.has_columns:
            raise InputValueError(place=place_of(table), expected=f"JSON or JSONL with {self.option}", got="a table")
        rows: list[Any] = []
        numbers: list[int] = []
        dropped: list[int] = []
        are_known = True
        for index, row in enumerate(table.rows):
            selected: Any = row
            here: frozenset[int] | None = frozenset()
            try:
                if row is not InvalidRow:
                    selected, here = self.selected(row, table.where(index))
            except InputValueError as error:
                errors.add("without a row", error.diagnostic)
                selected = InvalidRow
            parts = selected if isinstance(selected, list) else [selected]
            before = len(rows) + len(dropped)
            dropped += [before + number for number in here or ()]
            are_known &= here is not None
            rows += parts
            numbers += [index] * len(parts)
        where = table.where
        places = frozenset(dropped) if are_known else None
        found = table._replace(rows=rows, where=lambda index: where(numbers[index]), dropped=places)
        return self.check_keys(found)


def query_of(options: ReadOptions, side: Side) -> Query | None:
    """Return the query for the rows of a side, or None; raise `ValueError` for an invalid expression."""
    expression = getattr(options, f"{side}_query")
    return None if expression is None else Query(side, expression)


def _listed_keys(keys: Sequence[str]) -> str:
    return listed(map(short_repr, keys), len(keys), _MOST_KEYS) or "no keys"


def _without(unknown: Sequence[tuple[Any, Sequence[str]]]) -> str:
    """Return the end of a message with the first key that no object has, and the keys that the objects have."""
    (node, others), *_ = unknown
    instead = f", only {_listed_keys(others)}" if others else ""
    return f": no row has {node['value']!r}{instead}"


_MOST_KEYS = 20  # the number of keys that a message lists


def query_for(value: Any, *, with_ids: bool) -> str:
    """Return the query for the first list of rows under one or two keys of an object; "" if there is none.

    Args:
        value: the object; any other value has no rows.
        with_ids: whether rows must have a key that is named like an id, with a different value in each row that is
            not just the number of the row.

    >>> query_for({"accuracy": 1, "results": [{"id": "a", "out": "Tea"}, {"id": "b", "out": "Pie"}]}, with_ids=True)
    'results[]'
    """
    levels = [("", value)] if isinstance(value, dict) else []
    levels += [(f"{_quoted(key)}.", part) for _, top in levels for key, part in top.items() if isinstance(part, dict)]
    for path, level in levels:
        for key, part in level.items():
            if isinstance(part, list) and len(part) > 1 and all(isinstance(row, dict) for row in part):
                columns = ([row.get(name) for row in part] for name in part[0] if _ID_KEY.fullmatch(str(name)))
                if not with_ids or any(map(_are_ids, columns)):
                    return f"{path}{_quoted(key)}[]"
    return ""


def _are_ids(cells: Sequence[Any]) -> bool:
    counts = [*range(len(cells))], [*range(1, len(cells) + 1)]
    return None not in cells and len({*map(str, cells)}) == len(cells) and cells not in counts


def _quoted(key: object) -> str:
    """Return a key in the syntax of expressions: in quotes, unless it is an identifier."""
    return str(key) if str(key).isidentifier() and str(key).isascii() else dumps(str(key))


_ID_KEY = re.compile(
    r"(.*_)??(doc|document|file|filename|id|image|page|question|sample)(_?(id|name|number|path))?", re.IGNORECASE
)
_TRUTH_WORDS = ("expected", "ground_truth", "truth", "gt", "gold", "reference", "label", "target", "correct")
_PREDICTION_WORDS = ("predicted", "prediction", "pred", "extracted", "output", "actual", "got")


def is_id_key(key: Any) -> bool:
    """Return whether a key is named like an id, such as "id", "doc_id" or "file", without another word before it."""
    match = _ID_KEY.fullmatch(str(key))
    return match is not None and match[1] is None


def query_of_both(table: RawTable) -> str:
    """Return the query for rows whose fields each hold the values of both sides; "" for other rows.

    The fields are under a key or next to other columns, in the rows or in the only document of a file.
    """
    if table.path.is_dir():
        return ""
    if table.beginning != "*.":
        query = _query_of_both([row for row in table.rows if isinstance(row, dict)])
        return query and f"{table.beginning}{query}"
    documents = {row[ID]: row[PREDICTION] if PREDICTION in row else row[BY_ID.references][0] for row in table.rows}
    query = _query_of_both([document for document in documents.values() if isinstance(document, dict)])
    return f"*.{query}" if query else _query_of_fields("", [documents])


def _query_of_both(rows: Sequence[dict[str, Any]]) -> str:
    """Return the query for one row per object, whose fields are next to its other columns or under one of them.

    >>> _query_of_both([{"id": "a", "total": {"predicted": "1", "expected": "2"}}])
    '{question_id: id, references: [{total: total.expected}], prediction: {total: total.predicted}}'
    >>> _query_of_both([{"id": "a", "fields": {"total": {"predicted": "1", "expected": "2"}}}])
    '{question_id: id, references: [{total: fields.total.expected}], prediction: {total: fields.total.predicted}}'
    """
    first = next(iter(rows), {})
    id_key = next((name for name in first if _ID_KEY.fullmatch(str(name))), "")
    levels = {f"{_quoted(key)}.": [row.get(key) for row in rows] for key in first} | {"": [*rows]}
    found = (_query_of_fields(prefix, of_rows, id_key) for prefix, of_rows in levels.items())
    return next(filter(None, found), "")


def _query_of_fields(prefix: str, rows: Sequence[Any], id_key: str = "") -> str:
    """Return the query for rows whose fields are objects with the values of both sides; "" for other rows."""
    parts = (part for row in rows if isinstance(row, dict) for part in row.items())
    fields = {name: part for name, part in parts if isinstance(part, dict) or prefix}
    shared = set.intersection(*({*part} if isinstance(part, dict) else set() for part in fields.values() or [0]))
    sides = [next(filter(shared.__contains__, each), "") for each in (_TRUTH_WORDS, _PREDICTION_WORDS)]
    if not all(sides):
        return ""
    truth, prediction = (
        "{" + ", ".join(f"{_quoted(name)}: {prefix}{_quoted(name)}.{side}" for name in fields) + "}" for side in sides
    )
    row_id = f"question_id: {_quoted(id_key)}, " if id_key else ""
    return f"{{{row_id}references: [{truth}], prediction: {prediction}}}"

"""Rows out of JSON documents of any shape, by JMESPath expressions."""

import re
from collections.abc import Sequence
from json import dumps
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.visitor import TreeInterpreter

from docscore.core.errors import InputValueError, InvalidRow, PlacePart, RowErrors, short_repr
from docscore.inputs.rows import ANLS, BY_ID, ID, PREDICTION, Absent, RawTable, Side, described, place_of


class _Interpreter(TreeInterpreter):
    """Leaves out keys and elements that a value lacks; as null, a ground truth would expect nothing there.

    Attributes:
        dropped: how many elements of lists gave nothing.
    """

    dropped = 0

    def visit_projection(self, node: Any, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        if not isinstance(base, list):
            return None
        parts = [self.visit(node["children"][1], part) for part in base]
        selected = [part for part in parts if part is not None]
        self.dropped += len(parts) - len(selected)
        return selected

    def visit_multi_select_dict(self, node: Any, value: Any) -> Any:
        selected = super().visit_multi_select_dict(node, value)
        lacking = {child["value"] for child in node["children"] if selected and self._lacks(child, value)}
        return selected and {key: part for key, part in selected.items() if key not in lacking}

    def visit_multi_select_list(self, node: Any, value: Any) -> Any:
        selected = super().visit_multi_select_list(node, value)
        pairs = zip(node["children"], selected or (), strict=bool(selected))
        return selected and [part for child, part in pairs if not self._lacks(child, value)]

    def _lacks(self, node: Any, value: Any) -> bool:
        """Return whether a node selects nothing in a value, which differs from a null that is there."""
        if self.visit(node, value) is not None:
            return False
        while node["type"] in ("key_val_pair", "subexpression"):
            *before, node = node["children"]
            for part in before:
                value = self.visit(part, value)
        is_there = node["type"] == "literal" or (isinstance(value, dict) and node.get("value") in value)
        return not is_there


_ERRORS = (JMESPathError, TypeError, ValueError, RecursionError)  # what the library raises


class Query:
    """A JMESPath expression that gives the rows of a side (https://jmespath.org).

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
        except (*_ERRORS, AttributeError) as error:  # the last for what is no text
            got = f"{short_repr(expression)} ({str(error).splitlines()[0].rstrip(':')})"
            raise InputValueError(place=self.option, expected="a JMESPath expression", got=got) from None

    def value_in(self, value: Any, place: PlacePart) -> Any:
        """Return what the expression selects in a JSON value.

        Raises:
            ValueError: naming the place, if it selects nothing, or calls a function with a wrong value.
        """
        interpreter = _Interpreter()
        try:
            selected = interpreter.visit(self._parsed, value)
        except _ERRORS as error:
            raise InputValueError(place=place, problem=f"{self.option}: {error}") from None
        if interpreter.dropped and isinstance(selected, list) and not all(isinstance(row, dict) for row in selected):
            problem = (
                f"{self.option}: {interpreter.dropped:,} elements give nothing, and the rows after them would move"
            )
            raise InputValueError(place=place, problem=problem, remedy="select ids too: [].{question_id: ..., ...}")
        if selected is None or (isinstance(selected, list) and not selected):
            expected = f"rows at {self.expression!r} ({self.option})"
            raise InputValueError(place=place, expected=expected, got=f"none in {described(value)}")
        return selected

    def check_keys(self, table: RawTable) -> RawTable:
        """Return a table of selected rows; a prediction that a row lacks is `Absent`, as at the end of a path.

        Raises:
            ValueError: naming a key of the row format for which no row has a value, as of a misspelt path.
        """
        rows = [row for _, row in table.good() if isinstance(row, dict)]
        for key in (ID, *BY_ID[1:], *ANLS[1:]) if rows else ():
            if f"{key}:" in self.expression and all(row.get(key) is None or row[key] == [] for row in rows):
                got = f"none in the {len(rows):,} rows of {self.expression!r}"
                raise InputValueError(place=place_of(table), expected=f"values under {key!r} ({self.option})", got=got)
        for row in rows if f"{PREDICTION}:" in self.expression else ():
            row.setdefault(PREDICTION, Absent)
        return table

    def rows_in(self, table: RawTable, errors: RowErrors) -> RawTable:
        """Return a table with what the expression selects in each row: of a list its elements, else one row.

        Args:
            table: the rows.
            errors: collects the errors of rows in which it selects nothing.

        Raises:
            ValueError: as `check_keys`, and for a table, whose cells are not JSON.
        """
        if table.has_columns:
            raise InputValueError(place=place_of(table), expected=f"JSON or JSONL with {self.option}", got="a table")
        rows: list[Any] = []
        numbers: list[int] = []
        for index, row in enumerate(table.rows):
            try:
                selected = row if row is InvalidRow else self.value_in(row, table.where(index))
            except InputValueError as error:
                errors.add("without a row", error.diagnostic)
                selected = InvalidRow
            parts = selected if isinstance(selected, list) else [selected]
            rows += parts
            numbers += [index] * len(parts)
        return self.check_keys(table._replace(rows=rows, where=lambda index: table.where(numbers[index])))


def query_for(value: Any, *, with_ids: bool) -> str:
    """Return the query for the first list of rows under a key of an object, or under two; "" if there is none.

    Args:
        value: the object; any other value has no rows.
        with_ids: whether rows are only objects in each of which a key that is called as ids has a value of its own,
            which does not count the rows.

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
    """Return a key as expressions have it: in quotes, unless it is an identifier."""
    return str(key) if str(key).isidentifier() and str(key).isascii() else dumps(str(key))


_ID_KEY = re.compile(
    r"(.*_)?(doc|document|file|filename|id|image|page|question|sample)(_?(id|name|number|path))?", re.IGNORECASE
)
_TRUTH_WORDS = ("expected", "ground_truth", "truth", "gt", "gold", "reference", "label", "target", "correct")
_PREDICTION_WORDS = ("predicted", "prediction", "pred", "extracted", "output", "actual", "got")


def query_of_both(rows: Sequence[Any]) -> str:
    """Return the query for rows in which each field holds the values of both sides; "" for other rows.

    The fields are under a key or beside other columns.

    >>> query_of_both([{"id": "a", "total": {"predicted": "1", "expected": "2"}}])
    '{question_id: id, references: [{total: total.expected}], prediction: {total: total.predicted}}'
    >>> query_of_both([{"id": "a", "fields": {"total": {"predicted": "1", "expected": "2"}}}])
    '{question_id: id, references: [{total: fields.total.expected}], prediction: {total: fields.total.predicted}}'
    """
    objects = [row for row in rows if isinstance(row, dict)]
    first = next(iter(objects), {})
    values: dict[str, list[Any]] = {f"{_quoted(key)}.": [row.get(key) for row in objects] for key in first}
    values[""] = [{name: part for name, part in row.items() if isinstance(part, dict)} for row in objects]
    for prefix, of_rows in values.items():
        fields = {name: part for of_row in of_rows if isinstance(of_row, dict) for name, part in of_row.items()}
        shared = set.intersection(*({*part} if isinstance(part, dict) else set() for part in fields.values() or [0]))
        sides = [next(filter(shared.__contains__, each), "") for each in (_TRUTH_WORDS, _PREDICTION_WORDS)]
        if all(sides):
            names = list(map(_quoted, fields))
            truth, prediction = (
                "{" + ", ".join(f"{name}: {prefix}{name}.{side}" for name in names) + "}" for side in sides
            )
            id_key = next((name for name in first if _ID_KEY.fullmatch(str(name))), "ID")
            return f"{{question_id: {_quoted(id_key)}, references: [{truth}], prediction: {prediction}}}"
    return ""

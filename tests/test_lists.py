"""The rows of lists: expected, predicted, paired and fully right, and lists that were cut off."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import takewhile
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docscore
from docscore import ScoreTree, score_tree
from docscore.core.options import DEFAULT_OPTIONS
from docscore.core.values import field_path, places_in
from docscore.metrics.anls_star.api import FieldCounts, build_tree
from docscore.metrics.anls_star.matching import ListRows
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.typed.schema import compiled_schema
from docscore.report.console import print_summary, printed
from docscore.report.html_tree import long_lists
from tests.conftest import examples, golden
from tests.oracle import canonical

FIELDS = "field", "expected", "predicted", "paired", "right", "cut_off", "cut_rows"


def has_same_key(row: ScoreTree, schema: SchemaNode) -> bool:
    """Whether both sides have the key of the rows, by the comparator of the key; its weight does not matter."""
    place = schema.items and schema.items.at_key(schema.key)
    compare = place.comparator.pair if place and place.comparator else lambda *pair: docscore.anls_score(*pair[:2])
    cells = [cell for cell in row.children if cell.key == schema.key and cell.kind == "scalar" and row.option is None]
    return any(
        cell.option is None
        and "" not in (cell.ground_truth, cell.prediction)
        and compare(cell.ground_truth, cell.prediction, DEFAULT_OPTIONS) == 1
        for cell in cells
    )


def size(truth: Any) -> int:
    if isinstance(truth, tuple):
        return max(map(size, truth))
    return sum(map(size, truth.values() if isinstance(truth, dict) else truth)) if isinstance(truth, dict | list) else 1


def taken(value: Any) -> Any:
    """A value that takes the largest option of each one-of: of equal sizes null, and then the smallest text."""
    if isinstance(value, tuple):
        return taken(min(value, key=lambda option: (-size(option), option is not None, canonical(option))))
    if isinstance(value, list):
        return list(map(taken, value))
    return {key: taken(item) for key, item in value.items()} if isinstance(value, dict) else value


def lists_of_tree(node: ScoreTree, schema: SchemaNode | None) -> Iterator[tuple[str, ListRows]]:
    """Yield the rows of each list of a tree, counted again from its nodes."""
    path = field_path(f"{'' if node.field_path == '$' else node.field_path}[]")
    if node.kind == "mismatch" and node.weight:  # no node for its parts
        for number, side in enumerate((taken(node.ground_truth), taken(node.prediction))):
            for inner, value in places_in(side, path[:-2]):
                if isinstance(value, list):
                    yield field_path(f"{inner}[]"), ListRows(*((0, len(value)) if number else (len(value), 0)))
    elif node.kind == "list":
        value = taken(node.prediction if node.status == "extra" else node.ground_truth)
        if node.status in ("missing", "extra"):
            count = len(node.children) or len(value)  # values without a size have no nodes
            yield path, ListRows(0, count) if node.status == "extra" else ListRows(count, 0)
        else:
            yield path, rows_of(node, schema)
    for child in node.children:
        below = None if schema is None else schema.items if child.key is None else schema.at_key(child.key)
        yield from lists_of_tree(child, below)


def rows_of(node: ScoreTree, schema: SchemaNode | None) -> ListRows:
    expected = [row for row in node.children if row.truth_index is not None]
    both = [row for row in expected if row.prediction_index is not None]
    paired = [
        row.truth_index
        for row in both
        if 2 * row.earned >= row.weight or (schema and schema.key and has_same_key(row, schema))
    ]
    predicted = sum(row.prediction_index is not None for row in node.children)
    kept = [
        row.truth_index
        for row in both
        if row.truth_index in paired
        and all(
            row.score >= other.score
            for other in both
            if other.truth_index in paired and repr(row.prediction) == repr(other.prediction)
        )
    ]
    tail = list(takewhile(lambda row: row.truth_index not in kept, reversed(expected)))
    others = [row for row in node.children if row.prediction_index is not None and row.truth_index not in kept]
    known = [row.prediction for row in both if row.truth_index in kept]
    distinct: list[Any] = []
    for row in others:
        leaves = [leaf for _, leaf in places_in(row.prediction) if not isinstance(leaf, dict | list)]
        if row.prediction not in [*known, *distinct] and any(leaf is not None and str(leaf).strip() for leaf in leaves):
            distinct.append(row.prediction)
    left = len(tail) - len(distinct)
    is_cut = bool(kept) and len(expected) >= 20 and left >= 3 and 20 * left >= len(expected)
    is_cut = is_cut and 10 * len(kept) >= 9 * (len(expected) - len(tail))
    assert node.note.endswith(f"cut off after row {len(expected) - len(tail)} of {len(expected)}") == is_cut
    cut = (1, len(tail), fsum(row.weight - row.earned for row in tail)) if is_cut else ()
    return ListRows(len(expected), predicted, len(paired), sum(row.earned == row.weight for row in both), *cut)


def assert_same_lists(counts: FieldCounts, tree: ScoreTree, schema: SchemaNode | None) -> None:
    """What is counted of a pair is what its tree says; lists that are empty on both sides count for nothing."""
    found, expected = (
        Counter(each for each in lists if each[1].expected or each[1].predicted)
        for lists in (counts.lists, lists_of_tree(tree, schema))
    )
    assert found == expected


def rows(*numbers: int, wrong: tuple[int, ...] = ()) -> list[dict[str, str]]:
    """Rows of three cells that have nothing in common; those that are wrong share their key with the right ones."""
    letters = [chr(0x4E00 + 3 * number) for number in numbers]
    cells = [{"id": f"{letter}{letter}", "a": chr(ord(letter) + 1), "b": chr(ord(letter) + 2)} for letter in letters]
    return [{**cell, "a": "?", "b": "!"} if n in wrong else cell for n, cell in zip(numbers, cells, strict=True)]


def drawn(value: Any) -> Any:
    """A value of the golden table, in which `{"rows": [from, to, without, wrong]}` stands for rows, joined or not."""
    if isinstance(value, dict) and value.keys() == {"rows"}:
        start, stop, *others = value["rows"]
        without, wrong = (*others, [], [])[:2]
        return rows(*(number for number in range(start, stop) if number not in without), wrong=tuple(wrong))
    if isinstance(value, dict) and value.keys() == {"$joined"}:
        return [row for part in value["$joined"] for row in drawn(part)]
    if isinstance(value, dict) and value.keys() == {"$either"}:
        return tuple(map(drawn, value["$either"]))
    if isinstance(value, dict):
        return {key: drawn(part) for key, part in value.items()}
    return list(map(drawn, value)) if isinstance(value, list) else value


@golden("lists", "golden")
def test_golden_rows(truth: Any, prediction: Any, schema: Any, lists: list[Any]) -> None:
    """Columns of `lists`: expected, predicted, paired, right, lists that were cut off, their rows beyond the cut."""
    result = docscore.evaluate(predictions=[drawn(prediction)], references=[drawn(truth)], schema=schema)
    assert [[row[name] for name in FIELDS] for row in result.lists] == lists


KEYED = {"x-docscore": {"key": "id"}, "items": {"properties": {"a": {"x-docscore": {"weight": 3}}}}}


@examples(60)
@given(st.data(), st.sampled_from([None, KEYED, {"x-docscore": {"list_order": "kept"}, "items": {}}]))
def test_long_lists_are_counted_as_their_trees_say(data: st.DataObject, schema: Any) -> None:
    """Cut at any row, with rows missing, wrong, added, repeated, blank and moved; the order plays no part."""
    count, end = data.draw(st.integers(18, 45)), data.draw(st.integers(0, 45))
    some = st.sets(st.integers(0, count), max_size=4)
    gone, wrong, more = data.draw(some), data.draw(some), data.draw(some)
    found = rows(*(n for n in range(min(count, end)) if n not in gone), wrong=tuple(wrong))
    found += [{"id": "", "a": chr(0x4E01 + 3 * n), "b": "#"} for n in more]
    blank: Any = {"id": "", "a": " ", "b": None}
    found += data.draw(st.integers(0, 9)) * [data.draw(st.sampled_from([*found, blank]))]
    keeps_order = bool(schema) and "list_order" in schema["x-docscore"]
    options = DEFAULT_OPTIONS, schema and compiled_schema(json.dumps(schema))
    lists = []
    for prediction in (found, found if keeps_order else data.draw(st.permutations(found))):
        pair: Any = rows(*range(count)), prediction, *options
        counts = FieldCounts().of_pair(*pair)
        assert_same_lists(counts, build_tree(*pair), pair[3])
        lists.append(counts.lists)
    assert lists[0] == lists[1]


def test_the_sum_over_documents_precision_and_recall() -> None:
    """5 of 9 predicted and of 8 expected rows are paired; without any row expected or predicted there is no share."""
    truths = [{"r": rows(*range(5))}, {"r": rows(*range(3))}, {"r": [], "s": ["x"]}]
    result = docscore.evaluate(predictions=[{"r": rows(0, 1, 2, 7, 8)}, {"r": rows(0, 1, 7, 8)}, {}], references=truths)
    (first, second) = result.lists
    assert [first[name] for name in ("field", "lists", "paired", "precision", "recall")] == ["r[]", 2, 5, 5 / 9, 5 / 8]
    assert (second["precision"], second["recall"]) == (None, 0.0)


def test_every_interface_says_what_was_cut_off(tmp_path: Path) -> None:
    """Of two lists of 40 rows one was cut off after 25: 45 of 52 lost points; two rows and a missing one lose 7."""
    truth = {"no": "1", "r": rows(*range(40))}
    short, wrong = {"no": "1", "r": rows(*range(25))}, {"no": "1", "r": rows(*range(39), wrong=(3, 5))}
    whole, cut = (
        docscore.evaluate(predictions=dict(zip("ab", side, strict=True)), references={"a": truth, "b": truth})
        for side in ((truth, truth), (short, wrong))
    )
    sentence = "rows at the end of lists that were cut off account for 86.5% of the lost points (15 rows of 1 list)"
    assert cut.lists[0]["cut_points"] == pytest.approx(45 / 121 / 2)
    assert cut.lists.footnotes == (f"{sentence}.",)
    assert f"new: {sentence}\n" in str(whole.compare(cut))
    assert f"base: {sentence}\n" in str(cut.compare(whole))
    assert f"\n{sentence}.\n" in printed(print_summary, cut, fields=False, worst=3)
    assert "(cut off after row 25 of 40)" in str(cut["a"].tree)
    for extension in (".html", ".md"):
        text = cut.report(tmp_path / f"report{extension}").read_text("utf-8")
        assert f"{sentence}." in text
        assert "1 of 2" in text


def test_rows_that_were_cut_off_are_named_from_a_tenth_of_the_loss() -> None:
    """Three of twenty rows lose 9 points: a tenth of the loss beside 81 wrong values, less beside 82."""
    for others, footnotes in ((81, 1), (82, 0)):
        truth = {"r": rows(*range(20)), **{f"k{number}": "x" for number in range(others)}}
        prediction = {"r": rows(*range(17)), **{f"k{number}": "?" for number in range(others)}}
        result = docscore.evaluate(predictions=[prediction], references=[truth])
        assert (result.lists[0]["cut_off"], len(result.lists.footnotes)) == (1, footnotes)


def test_the_rows_of_a_long_list_in_their_order() -> None:
    """Whole, with an error, or missing; the lists of a document are shown if one of them is long."""
    lines = [{"item": f"tea no {n}", "price": f"{n}.25"} for n in range(30)]
    guess = [{**line, "price": "x"} if n == 4 else line for n, line in enumerate(lines[:24])]
    tree = score_tree({"lines": lines, "tags": [{"a": "x"}], "names": ["a", "b"]}, {"lines": guess, "tags": []})
    numbers = {id(node): number for number, node in enumerate(tree.nodes())}
    first, second = long_lists(tree, numbers)
    assert (first["path"], first["expected"], first["predicted"], first["paired"], first["whole"]) == (
        "lines",
        30,
        24,
        24,
        23,
    )
    assert (first["cut"], first["rows"]) == (24, "wwwwd" + 19 * "w" + 6 * "m")
    assert first["numbers"][0] == numbers[id(tree.children[0].children[0])]
    assert (second["path"], second["rows"], second["cut"]) == ("tags", "m", 0)
    assert list(long_lists(score_tree({"lines": lines[:5]}, {"lines": []}), {})) == []


@pytest.mark.parametrize(("options", "cut"), [({"schema": KEYED}, 26), ({"metrics": ["kieval"]}, 25)], ids=str)
def test_rows_of_other_metrics_are_counted_as_these_pair_them(options: Any, cut: int) -> None:
    """The key of row 26 pairs it; KIEval pairs by entities, and one of three is right there."""
    found = docscore.evaluate(predictions=[rows(*range(26), wrong=(25,))], references=[rows(*range(40))], **options)
    assert [each["cut"] for each in long_lists(found["0"].tree, {})] == [cut]

"""One pair of the page: places at its values and of the example, and a document in which its values are looked up."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.conftest import needs

needs("gradio")
from docscore import score_tree  # noqa: E402
from docscore.core.options import ScoringOptions  # noqa: E402
from docscore.data.documents import Document  # noqa: E402
from docscore.report.drawn_rows import placed_rows  # noqa: E402
from docscore.report.html_tree import explained_drawing  # noqa: E402
from playground.pair.examples import as_texts, examples  # noqa: E402
from playground.pair.pair import answer, tree_for_clients, what_ifs_of_pair  # noqa: E402
from playground.server.requests import PairRequest  # noqa: E402

PLACE = {"page": 1, "box": [0.1, 0.1, 0.2, 0.2]}


def asked(truth: Any, prediction: Any, **options: Any) -> PairRequest:
    return PairRequest(truth=json.dumps(truth), prediction=json.dumps(prediction), **options)


def example(side: str = "", path: str = "", value: Any = None) -> dict[str, Any]:
    """The answer to the first example, with another value at a path of a side."""
    values = copy.deepcopy(examples()[0])
    if side:
        *above, last = path.split()
        part = values[side]
        for step in above:
            part = part[int(step) if isinstance(part, list) else step]
        part[int(last) if isinstance(part, list) else last] = value
    text = "\n".join(values["document"])
    return answer(asked(values["truth"], values["prediction"], is_example=True, text=text))


def accepted(found: dict[str, Any]) -> dict[str, Any]:
    """Of each place whether its box is accepted, None where nothing is known of it."""
    return {row["path"]: row["levels"] and row["levels"]["box"] for row in found["places"]}


def test_places_at_values_are_no_part_of_them() -> None:
    """As in files: without this the wrappers would be scored as objects."""
    truth = {"a": {"$value": "x", "$evidence": [PLACE]}, "b": "y"}
    found = answer(asked(truth, {"a": {"$value": "x", "$citations": [PLACE]}, "b": "z"}))
    assert json.loads(found["raw"])["score"] == 0.5
    assert accepted(found) == {"a": (1, 1)}
    assert tree_for_clients(truth, {"a": {"$value": "x", "$citations": [PLACE]}}, ScoringOptions())["score"] == 0.5
    assert what_ifs_of_pair(asked({**truth, "b": "1.5"}, {"a": "x", "b": "1,50"}))["what_ifs"]


@pytest.mark.parametrize(
    ("evidence", "citations", "side", "message"),
    [
        ([{"page": 0}], [PLACE], 0, "evidence: $.a: expected a page counted from 1, got {'page': 0}"),
        ([PLACE], [{"page": 1, "box": [3, 4, 5, 6]}], 1, "such as that of citations: $.a: expected a box on its page"),
    ],
)
def test_wrong_places_are_said_at_their_side(evidence: Any, citations: Any, side: int, message: str) -> None:
    truth, prediction = {"a": {"$value": "x", "$evidence": evidence}}, {"a": {"$value": "x", "$citations": citations}}
    faults = answer(asked(truth, prediction))["faults"]
    assert message in faults[side]["text"]
    assert faults[1 - side] is None


def test_the_first_example_has_each_fault_of_a_place() -> None:
    found = example()
    assert found["is_example"]
    boxes = accepted(found)
    assert (boxes["merchant.name"], boxes["total"], boxes["payment.method"]) == ((1, 1), (0, 1), (0, 0))
    assert boxes["cashier"] is None
    invented = next(row for row in found["places"] if row["path"] == "cashier")
    assert (invented["extra"], invented["found"]) == (True, [None, []])


@pytest.mark.parametrize(
    ("side", "path", "value", "lost"),
    [
        ("prediction", "total", "35.20", {"total"}),
        ("prediction", "items 0 quantity", 3, {"items[0].name", "items[0].quantity", "items[0].amount"}),
        ("truth", "date", "15/03/2026", {"date"}),
    ],
)
def test_what_is_edited_in_the_example_has_no_place(side: str, path: str, value: Any, lost: set[str]) -> None:
    """A place belongs to its value, and in a list to its row, which may stand at another index after an edit."""
    before, after = accepted(example()), accepted(example(side, path, value))
    changed = {name for name in before if before[name] != after.get(name)}
    assert changed == lost


def test_another_pair_is_not_the_example() -> None:
    """It has none of its places, and its values are not looked up in the document of the example."""
    found = answer(asked({"total": "35.25"}, {"total": "35.25"}, is_example=True, text="TOTAL 35.25"))
    assert (found["is_example"], found["places"]) == (False, [])
    own = answer(asked({"total": "35.25"}, {"total": "35.25"}, text="TOTAL 35.25"))
    assert own["places"][0]["found"] == [[[(6, 11)]], [[(6, 11)]]]


def test_examples_are_texts_of_which_one_has_a_document() -> None:
    assert [bool(each["document"]) for each in as_texts()] == [True] + [False] * (len(examples()) - 1)
    for each in as_texts():
        assert answer(PairRequest(truth=each["truth"], prediction=each["prediction"]))["faults"] == [None, None]


@pytest.mark.parametrize(("lacks", "expected"), [(0, [None, [(4, 9)]]), (1, [[(4, 9)], None])])
def test_a_row_that_one_side_lacks_is_not_looked_up_at_the_index_of_another(lacks: int, expected: list[Any]) -> None:
    """Of three rows against two, the second is the one without a partner; the third stands at its index."""
    sides = [[{"a": "red"}, {"a": "green"}, {"a": "blue"}], [{"a": "red"}, {"a": "green"}, {"a": "blue"}]]
    del sides[lacks][1]
    tree = score_tree(*sides)
    drawing = explained_drawing(tree, "t", ScoringOptions())
    rows = placed_rows(tree, drawing.row_numbers, None, Document("red green blue"))
    found = [[spots and spots[0] for spots in row["found"]] for row in rows]
    assert sorted(found, key=str) == sorted([[[(0, 3)]] * 2, [[(10, 14)]] * 2, expected], key=str)

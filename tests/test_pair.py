"""One pair of the page: places at its values and of the example, and a document in which its values are looked up."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Collection
from typing import Any

import pytest

from tests.conftest import golden, needs

needs("gradio")
from docscore import score_tree  # noqa: E402
from docscore.core.options import CompareOptions  # noqa: E402
from docscore.grounding.document_text import DocumentText  # noqa: E402
from docscore.report.document_places import placed_rows  # noqa: E402
from docscore.report.html_tree import explained_drawing  # noqa: E402
from playground.pair.examples import as_texts, examples  # noqa: E402
from playground.pair.pair import answer, tree_for_clients, what_ifs_of_pair  # noqa: E402
from playground.server.answers import PairAnswer  # noqa: E402
from playground.server.requests import PairRequest  # noqa: E402

PLACE = {"page": 1, "box": [0.1, 0.1, 0.2, 0.2]}


def asked(truth: Any, prediction: Any, **options: Any) -> PairRequest:
    return PairRequest(truth=json.dumps(truth), prediction=json.dumps(prediction), **options)


def example(edit: Callable[[dict[str, Any]], object] = lambda _: None) -> PairAnswer:
    """The answer to the first example after an edit."""
    values = copy.deepcopy(examples()[0])
    edit(values)
    text = "\n".join(values["document"])
    return answer(asked(values["truth"], values["prediction"], is_example=True, text=text))


def accepted(found: PairAnswer) -> dict[str, Any]:
    """Of each place whether its box is accepted, None where nothing is known of it."""
    return {row["path"]: row["levels"] and row["levels"]["box"] for row in found["places"]}


def test_places_at_values_are_no_part_of_them() -> None:
    """As in files: without this the wrappers would be scored as objects."""
    truth = {"a": {"$value": "x", "$evidence": [PLACE]}, "b": "y"}
    found = answer(asked(truth, {"a": {"$value": "x", "$citations": [PLACE]}, "b": "z"}))
    assert json.loads(found["raw"])["score"] == 0.5
    assert accepted(found) == {"a": (1, 1)}
    assert tree_for_clients(truth, {"a": {"$value": "x", "$citations": [PLACE]}}, CompareOptions())["score"] == 0.5
    assert what_ifs_of_pair(asked({**truth, "b": "1.5"}, {"a": "x", "b": "1,50"}))["what_ifs"]


@golden("pair", "wrong places")
def test_wrong_places_are_said_at_their_side(evidence: Any, citations: Any, side: int, message: str) -> None:
    truth, prediction = {"a": {"$value": "x", "$evidence": evidence}}, {"a": {"$value": "x", "$citations": citations}}
    errors: Any = answer(asked(truth, prediction))["faults"]
    assert message in errors[side]["text"]
    assert errors[1 - side] is None


def test_the_first_example_has_each_error_of_a_place() -> None:
    found = example()
    assert found["is_example"]
    boxes = accepted(found)
    assert (boxes["merchant.name"], boxes["total"], boxes["payment.method"]) == ((1, 1), (0, 1), (0, 0))
    assert boxes["cashier"] is None
    invented = next(row for row in found["places"] if row["path"] == "cashier")
    assert (invented["extra"], invented["found"]) == (True, [None, []])


ROW = ("name", "quantity", "amount")


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        (lambda it: it["prediction"].update(total="35.20"), set()),
        (lambda it: it["prediction"]["items"][0].update(quantity=3), set()),
        (lambda it: it["prediction"]["items"].pop(0), {f"items[0].{key}" for key in ROW}),
        (lambda it: it["prediction"]["items"].reverse(), set()),
        (lambda it: it["prediction"]["items"].insert(0, {"name": "Tea", "quantity": 1, "amount": "2.00"}), set()),
        (lambda it: it["prediction"].pop("date"), {"date"}),
        (lambda it: it["truth"]["items"].pop(0), {f"items[0].{key}" for key in ROW}),
    ],
    ids=["a value", "a cell", "a row less", "another order", "a row more", "a key less", "a row that is not expected"],
)
def test_places_follow_the_values_of_the_example(edit: Any, changed: set[str]) -> None:
    """Through edits, and where rows move; what is gone has none."""

    def cited(found: PairAnswer, paths: Collection[str] = ()) -> Counter[Any]:
        """The cited boxes of all values, or of some, and whether each is accepted."""
        rows = [row for row in found["places"] if row["cited"] and (not paths or row["path"] in paths)]
        return Counter((row["cited"][0].boxes, str(row["levels"])) for row in rows)

    assert cited(example()) - cited(example(edit)) == (cited(example(), changed) if changed else Counter())


def test_another_pair_is_not_the_example() -> None:
    """It has none of its places, and its values are not looked up in the document of the example."""
    other = {**examples()[0]["prediction"], "items": [], "merchant": {}, "date": "2020", "receipt_number": "7"}
    assert not answer(asked(examples()[0]["truth"], other, is_example=True))["is_example"]
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
    drawing = explained_drawing(tree, "t", CompareOptions())
    rows = placed_rows(tree, drawing.row_numbers, None, DocumentText("red green blue"))
    found = [[spots and spots[0] for spots in row["found"]] for row in rows]
    assert sorted(found, key=str) == sorted([[[(0, 3)]] * 2, [[(10, 14)]] * 2, expected], key=str)

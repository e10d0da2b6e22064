"""The format of places: beside values and at them, their errors, forms of providers, and which places are accepted."""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.grounding.checks import warnings_about_regions
from docscore.grounding.document_text import DocumentText
from docscore.grounding.interpretation import with_regions
from docscore.grounding.regions import Level, Region, RowRegions, accepted_regions
from docscore.inputs.citation_forms import form_named, known_forms
from docscore.inputs.pairing import pairs_of
from docscore.inputs.raw_regions import with_raw_regions
from tests.conftest import data_rows, golden

pytestmark = pytest.mark.filterwarnings("ignore:(predictions|references). 1 of 1 (wrap values|have everything)")
Raw = dict[str, Any]


def references(truth: Any, evidence: Any = None, name: str = "a") -> Raw:
    row = {"question_id": name, "references": [truth]}
    return row if evidence is None else {**row, "evidence": evidence}


def predictions(prediction: Any, citations: Any = None, name: str = "a") -> Raw:
    row = {"question_id": name, "prediction": prediction}
    return row if citations is None else {**row, "citations": citations}


def places_of_rows(*rows: tuple[Raw, Raw], form: str | None = None) -> tuple[list[RowRegions], list[str]]:
    """The places of rows, each a reference and a prediction, and the warnings about them."""
    left, right = map(list, zip(*rows, strict=True))
    pairs, found = with_regions(with_raw_regions(pairs_of(right, left), None if form is None else form_named(form)))
    assert pairs.places is not None
    return list(pairs.places), list(map(str, found))


def places_of(reference: Raw, prediction: Raw, form: str | None = None) -> RowRegions:
    """The places of one row without an error."""
    (places,), found = places_of_rows((reference, prediction), form=form)
    assert not found
    return places


@golden("places", "places")
def test_a_place(place: Raw, page: int, boxes: list[list[float]], quote: str) -> None:
    read = places_of(references("x", {"$": [place]}), predictions("x"))
    (found,) = read.evidence[0]["$"]
    assert (found.page, found.quote) == (page, quote)
    assert [list(box) for box in found.boxes] == [pytest.approx(box) for box in boxes]


@golden("places", "errors")
def test_invalid_evidence_is_an_error_with_row_path_and_value(place: Any, message: str) -> None:
    row = references({"t": "x"}, {"t": [{"page": 1}, place]})
    with pytest.raises(ValueError, match=rf"^row 'a': evidence: \$\.t: expected {message}.*, got ") as error:
        places_of(row, predictions({"t": "x"}))
    assert repr(place)[:60] in str(error.value)


@golden("places", "errors")
def test_an_invalid_citation_is_counted_and_never_accepted(place: Any, message: str) -> None:
    """Of 40 citations one is invalid: one warning with an example."""
    rows = [
        (references({"t": "x"}, None, f"q{i}"), predictions({"t": "x"}, {"t": {"page": 1}}, f"q{i}")) for i in range(39)
    ]
    rows[7][1]["citations"] = {"t": [{"page": 1}, place]}
    places, (warning,) = places_of_rows(*rows)
    expected = "1 of 40 citations are invalid and never accepted, such as row 'q7': citations: $.t: expected"
    assert warning.startswith(f"predictions: {expected} {message}")
    assert [row.invalid for row in places] == [i == 7 for i in range(39)]
    assert accepted_regions(places[7].citations["$.t"], [Region(1)], "page") == (1, 2)


def test_citations_of_which_more_than_a_twentieth_are_invalid_are_an_error() -> None:
    rows = [
        (references({"t": "x"}, None, f"q{i}"), predictions({"t": "x"}, {"t": {"page": 1}}, f"q{i}")) for i in range(19)
    ]
    rows[3][1]["citations"] = {"total": {"page": 1}}
    with pytest.raises(ValueError, match=r"^predictions: 1 of 19 .* 'q3': citations: \$\.total: .*citations_from="):
        places_of_rows(*rows)


@golden("places", "evidence that does not fit")
def test_evidence_that_does_not_fit_is_an_error(evidence: Any, message: str) -> None:
    row = references({"totals": "x", "r": [{"n": "y"}]}, evidence)
    with pytest.raises(ValueError, match=rf"^row 'a': evidence: {message}"):
        places_of(row, predictions({"totals": "x"}))


@pytest.mark.parametrize(
    "nothing", [None, [], {}, "", float("nan"), {"t": None}, {"t": []}, {"t": [None]}, {"u": None}]
)
def test_null_and_absent_places_are_none(nothing: Any) -> None:
    row = {"question_id": "a", "references": [{"t": "x"}, {"t": "y"}], "evidence": nothing}
    assert places_of(row, predictions({"t": "x"}, nothing)) == RowRegions([{}], {})


@golden("places", "boxes without a page")
def test_a_box_needs_a_page_unless_its_document_has_one(evidence: Any, citation: Any, pages: int, message: str) -> None:
    document = DocumentText("\f".join("x" * pages), [(0.1, 0.1, 0.2, 0.2)] * pages)
    given: Raw = {
        "references": [references({"t": "x"}, {"t": evidence})],
        "predictions": [predictions({"t": "x"}, {"t": citation})],
        "documents": {"a": document} if pages else None,
    }
    with pytest.raises(ValueError, match=message) if message else nullcontext():
        assert docscore.evaluate(**given, metrics=["anls_star", "grounding"]).figures["grounding_page_f1"] == 1


def test_places_at_the_values_are_those_beside_them() -> None:
    truth, prediction = {"t": "12.50", "r": [{"n": "x"}]}, {"t": "12.50", "r": [{"n": "y"}]}
    evidence, citations = {"t": [{"page": 2}], "r[0].n": [{"page": 1}]}, {"t": [{"page": 2}], "r[0].n": [{"page": 3}]}
    marked = [
        {"t": {"$value": "12.50", key: [{"page": 2}]}, "r": [{"n": {"$value": text, key: {"page": page}}}]}
        for key, text, page in (("$evidence", "x", 1), ("$citations", "y", 3))
    ]
    beside = places_of(references(truth, evidence), predictions(prediction, citations))
    assert places_of(references(marked[0]), predictions(marked[1])) == beside
    alone = docscore.evaluate(references=[truth], predictions=[prediction])
    assert alone.score == docscore.evaluate(references=[marked[0]], predictions=[marked[1]]).score


def test_places_beside_the_values_come_before_those_at_them() -> None:
    truth = {"t": {"$value": "x", "$evidence": [{"page": 2}]}, "u": {"$value": "y", "$evidence": [{"page": 5}]}}
    read = places_of(references(truth, {"t": [{"page": 3}]}), predictions({}))
    assert read.evidence == [{"$.t": [Region(3)], "$.u": [Region(5)]}]


@golden("places", "wrong keys")
def test_wrong_keys_around_a_value_are_an_error(truth: Any, prediction: Any, side: str) -> None:
    """Else the keys would be scored as fields, with a figure that looks right."""
    with pytest.raises(
        ValueError, match=rf"^row '0': \$\.t: expected an object with exactly the keys '\$value' and '\${side}'"
    ):
        docscore.evaluate(references=[{"t": truth}], predictions=[{"t": prediction}])


def test_evidence_of_acceptable_answers() -> None:
    """One object for all, with paths that one of them has, or one for each; of a one-of the path has no step."""
    row = {"question_id": "a", "references": [{"a": "x"}, {"b": ("y", "z")}]}
    given: list[Any] = [{"a": {"page": 1}, "b": {"page": 2}}, [{"a": {"page": 1}}, {"b": {"page": 2}}]]
    for_all, for_each = (places_of({**row, "evidence": each}, predictions({})).evidence for each in given)
    assert for_all == [{"$.a": [Region(1)], "$.b": [Region(2)]}]
    assert for_each == [{"$.a": [Region(1)]}, {"$.b": [Region(2)]}]
    for evidence in given:
        sides: Raw = {"references": [{**row, "evidence": evidence}]}
        sides |= {"predictions": [predictions({"b": "y"}, {"b": [{"page": 2}]})]}
        assert docscore.evaluate(**sides, metrics=["anls_star", "grounding"]).figures["grounding_page_f1"] == 1
    options = tuple({"$value": text, "$evidence": {"page": page}} for text, page in (("x", 1), ("y", 2)))
    assert places_of(references({"a": options}), predictions({})).evidence == [{"$.a": [Region(1), Region(2)]}]
    with pytest.raises(ValueError, match=r"\$\.b: expected a path that the value has"):
        places_of({**row, "evidence": [{"b": {"page": 1}}, {"a": {"page": 2}}]}, predictions({}))


# Forms of providers

EXTEND = {
    "page": {"number": 1, "width": 600, "height": 800},
    "polygon": [{"x": 60, "y": 80}, {"x": 80, "y": 80}, {"x": 80, "y": 88}, {"x": 60, "y": 88}],
    "referenceText": "A7",
}
PLAIN = {"no": "A7", "r": [{"n": "1"}]}
BOX = {"page": 1, "box": [0.1, 0.1, 0.1 + 1 / 30, 0.11]}


def test_every_form_has_rows() -> None:
    assert {row["name"] for row in data_rows("places", "forms")} == {*known_forms()}


@golden("places", "forms")
def test_answers_in_the_form_of_a_provider(name: str, newest: Any, older: Any) -> None:
    """Values and citations are read; without the form, both are scored. Pages of an older `extend` had no size."""
    truth = references(PLAIN, {"no": BOX, "r[0].n": BOX})
    for answer, is_older in ((newest, False), (older, True)):
        result = docscore.evaluate(references=[truth], predictions=[predictions(answer)], citations_from=name)
        assert result.score == 1
        assert f"|citations:{name}|" in result.signature
        read = places_of(truth, predictions(answer), form=name)
        level: Level = "page" if is_older and name == "extend" else "box"
        for path in ("$.no", "$.r[0].n"):
            assert accepted_regions(read.citations[path], read.evidence[0][path], level, 0.8) == (1, 1)
        with pytest.warns(
            UserWarning,
            match=rf"1 of 1 hold .* in the format of {name}, and both are scored; add citations_from=.{name}.",
        ):
            docscore.evaluate(references=[truth], predictions=[predictions(answer)])
    assert known_forms()[name][0]["source"]


def test_an_answer_without_citations_is_its_values() -> None:
    for name, answer in {"llamaextract": {"data": PLAIN}, "reducto": {"result": PLAIN}}.items():
        assert form_named(name)(answer) == (PLAIN, {})


def test_a_form_of_ones_own(tmp_path: Path) -> None:
    form = {
        **known_forms()["reducto"][0],
        "citations": ["text", "at"],
        "key": "at",
        "page": ["sheet"],
        "first_page": 0,
    }
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(form), "utf-8")
    row = references({"t": "x"}, {"t": {"page": 3}}), predictions({"t": {"text": "x", "at": [{"sheet": 2}]}})
    assert places_of(*row, form=str(path)).citations == {"$.t": [Region(3)]}
    path.write_text('{"value": "x"}', "utf-8")
    with pytest.raises(
        ValueError, match=r"mine\.json: expected an object with the keys source, .*, got \{'value': 'x'\}$"
    ):
        form_named(str(path))
    with pytest.raises(ValueError, match=r"^citations_from: expected one of extend, .*, got 'nobody'$"):
        docscore.evaluate(references=[row[0]], predictions=[row[1]], citations_from="nobody")


@golden("places", "answers of another form")
@pytest.mark.parametrize(
    "answer", [None, "A7", [], {"output": {"value": {}, "metadata": [{"citations": 3}]}}, {"result": 1}]
)
def test_an_answer_of_another_form_is_the_values(name: str, answer: Any) -> None:
    _, found = form_named(name)(answer)
    assert found == {}


def test_what_is_not_of_the_form_is_an_invalid_citation_or_has_no_box() -> None:
    form = form_named("extend")
    without_size = {**EXTEND, "page": {"number": 1}}
    _, found = form(
        {
            "output": {
                "value": {"no": "A7"},
                "metadata": {"no": {"citations": [without_size, {**EXTEND, "polygon": [{"x": 1}]}]}},
            }
        }
    )
    assert "boxes" not in found["no"][0]
    with pytest.raises(ValueError, match="citations are invalid"):
        places_of(references({"no": "A7"}), predictions({"no": "A7"}, found))


@pytest.mark.parametrize("as_text", [False, True])
def test_regions_of_ignored_keys_are_left_out(as_text: bool) -> None:
    """Neither is such evidence an error, nor such a citation invalid."""
    value, regions = {"t": "x", "rows": [{"model": "m"}]}, {"t": {"page": 1}, "rows[0].model": [{"page": 1}]}
    given = json.dumps(regions) if as_text else regions
    result = docscore.evaluate(
        references=[references(value, given)],
        predictions=[predictions(value, given)],
        metrics=["anls_star", "grounding"],
        ignore_keys="rows.model",
    )
    assert result.breakdowns["grounding"].counts()["citations_invalid"] == 0
    assert result.test_set.places == [RowRegions([{"$.t": [Region(1)]}], {"$.t": [Region(1)]})]


# What is accepted


@golden("places", "accepted")
def test_cited_places_that_are_accepted(
    level: Level, cited: list[Raw], evidence: list[Raw], found: int, count: int, iou: float
) -> None:
    read = places_of(references("x", {"$": evidence}), predictions("x", {"$": cited}))
    assert accepted_regions(read.citations["$"], read.evidence[0]["$"], level, iou) == (found, count)


def row_of(place: Raw, cited: Raw, number: int) -> tuple[Raw, Raw]:
    name = f"q{number}"
    return references({"t": "x"}, {"t": [place]}, name), predictions({"t": "x"}, {"t": [cited]}, name)


_RANDOM = random.Random(1)
_CORNERS = [(_RANDOM.uniform(0.05, 0.6), _RANDOM.uniform(0.05, 0.6)) for _ in range(60)]
LINES = [  # of sixty values, each on its page, two lines with boxes
    (number % 3 + 1, [[x, y, x + 0.3, y + 0.02], [x, y + 0.025, x + 0.2, y + 0.045]])
    for number, (x, y) in enumerate(_CORNERS)
]


def _scaled(page: int, boxes: list[list[float]]) -> list[Raw]:
    return [{"page": page, "box": [edge * 100 for edge in boxes[0]], "size": [200, 200]}]  # pixels beside points


@pytest.mark.parametrize(
    ("cite", "warning"),
    [
        (lambda page, boxes: [{"page": page - 1, "box": boxes[0]}] if page > 1 else [], "pages are counted from 1"),
        (lambda page, boxes: [{"page": page, "box": [boxes[0][at] for at in (1, 0, 3, 2)]}], "top, left, bottom"),
        (_scaled, "1 of 60 cited boxes match the evidence; multiplied by 2, 59 of 60 would match"),
        (lambda page, boxes: [{"page": page, "box": box} for box in boxes], "as the `boxes` of one citation"),
        (lambda page, boxes: [{"page": page, "box": boxes[0]}], ""),
        (lambda page, boxes: [{"page": page, "boxes": boxes}], ""),
        (
            lambda page, _: [{"page": page, "box": [0.1, 0.1, 0.2, 0.2]}, {"page": page, "box": [0.3, 0.3, 0.4, 0.4]}],
            "",
        ),
        (lambda _, boxes: [{"page": 1, "box": boxes[0]}], ""),
    ],
    ids=["pages from 0", "x and y exchanged", "pixels", "one for each line", "right", "lines", "wrong", "first page"],
)
def test_one_hit_by_chance_does_not_hide_another_format(
    cite: Callable[[int, list[list[float]]], list[Raw]], warning: str
) -> None:
    rows = []
    for number, (page, boxes) in enumerate(LINES):
        cited = cite(page, boxes) if number else [{"page": page, "boxes": boxes}]
        evidence = [{"page": page, "boxes": boxes}, {"page": page, "box": boxes[0]}]
        is_by_line = warning.startswith("as the")
        row = references({"t": "x"}, {"t": evidence[:1] if is_by_line else evidence}, f"q{number}")
        rows.append((row, predictions({"t": "x"}, {"t": cited}, f"q{number}")))
    left, right = map(list, zip(*rows, strict=True))
    pairs, _ = with_regions(with_raw_regions(pairs_of(right, left), None))
    found = [str(each) for each in warnings_about_regions(pairs.places or ())]
    assert len(found) == bool(warning)
    assert all(warning in each for each in found)


@golden("places", "formats")
def test_citations_in_another_format_are_named(places: list[list[Any]], warning: str) -> None:
    """Places are a page, or a page and the edges of a box; those of the evidence, then those that are cited."""
    rows = []
    for number, pair in enumerate(places):
        accepted, cited = ({"page": page, **({"box": box} if box else {})} for page, *box in pair)
        rows.append(row_of(accepted, cited, number))
    left, right = map(list, zip(*rows, strict=True))
    pairs, _ = with_regions(with_raw_regions(pairs_of(right, left), None))
    assert [str(each) for each in warnings_about_regions(pairs.places or ())] == ([warning] if warning else [])


@golden("places", "citations among values")
def test_citations_among_the_values_are_named(prediction: Any) -> None:
    with pytest.warns(
        UserWarning, match=r"1 of 1 have a key 'citations', which is scored as a value; put it next to the prediction"
    ):
        docscore.evaluate(references=[references({"t": "x"})], predictions=[predictions(prediction)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        docscore.evaluate(references=[references(prediction)], predictions=[predictions(prediction)])


def test_a_form_that_no_prediction_has_is_an_error() -> None:
    with pytest.raises(
        ValueError, match=r"^citations_from: expected predictions with citations in this format, got none$"
    ):
        docscore.evaluate(
            references=[references({"t": "x"})], predictions=[predictions({"t": "x"})], citations_from="reducto"
        )

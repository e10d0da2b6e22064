"""The fields, lists, rates and intervals of a test set, against naive recounts and as tables."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter, defaultdict
from typing import Any

import pandas as pd
import pytest

from docscore import ScoreTree, score_tree
from docscore.core.options import ScoringOptions
from docscore.core.runtime import Advance
from docscore.data.pairing import Pairs, pairs_of
from docscore.evaluation.fields import field_table
from docscore.evaluation.scores import CorpusScore, score_corpus
from docscore.evaluation.summary import MOST_FIELDS_TESTED, Analysis, Summary, analyse, summarise
from docscore.metrics.anls_star.causes import CAUSES, OUTCOMES
from docscore.metrics.signature import Signature
from tests.structures import damaged, random_prediction, random_truth

pytestmark = pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
FIELD_KEYS = ["field", "score", "low", "high", "points_lost", "documents", *OUTCOMES, "omission_rate"]
FIELD_KEYS.append("hallucination_rate")
RATES = [
    "documents without a fault",
    "documents that lack a value",
    "documents with an invented value",
    "omission: expected values that are missing",
    "hallucination: values predicted, not expected",
]


def scored(truths: list[Any], predictions: list[Any], **options: Any) -> CorpusScore:
    return score_corpus(pairs_of(predictions, truths), **options)


def random_scores(seed: int, count: int = 60) -> CorpusScore:
    """Documents of every kind: damaged ones, and ones that have little to do with what was expected."""
    rng = random.Random(seed)
    truths = [random_truth(rng, depth=3) for _ in range(count)]
    return scored(truths, [damaged(rng, t) if rng.random() < 0.8 else random_prediction(rng, 3) for t in truths])


def leaves_of(scores: CorpusScore) -> list[list[ScoreTree]]:
    """The leaves that count, document by document."""
    return [[leaf for leaf in scores.tree(n).leaves() if leaf.weight] for n in range(len(scores.ids))]


def place(leaf: ScoreTree) -> str:
    """The path without list indices; the keys of these documents are plain."""
    return re.sub(r"\[\d+\]", "[]", leaf.path).removeprefix("$").removeprefix(".") or "$"


def outcome(leaf: ScoreTree) -> str:
    return "wrong_type" if leaf.kind == "mismatch" and leaf.status == "wrong" else leaf.status


def is_left_empty(leaf: ScoreTree) -> bool:
    """A null, expected or given where nothing is: no value."""
    return leaf.kind == "null"


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@pytest.mark.parametrize("seed", range(4))
def test_fields_equal_a_naive_recount(seed: int) -> None:
    scores = random_scores(seed)
    by_place = defaultdict(list)
    for number, leaves in enumerate(leaves_of(scores)):
        for leaf in leaves:
            by_place[place(leaf)].append((number, leaf))
    fields = analyse(scores).fields
    assert [field.path for field in fields] == list(by_place)
    for field in fields:
        numbers, leaves = [n for n, _ in by_place[field.path]], [leaf for _, leaf in by_place[field.path]]
        assert +Counter(field.counts) == Counter(map(outcome, leaves))
        assert field.earned == pytest.approx(math.fsum(leaf.earned for leaf in leaves))
        assert field.weight == sum(leaf.weight for leaf in leaves)
        assert field.points_lost == pytest.approx(math.fsum(leaf.points_lost for leaf in leaves))
        assert sorted(field.documents) == sorted(set(numbers))
        for number in set(numbers):
            own = [leaf for n, leaf in by_place[field.path] if n == number]
            expected = math.fsum(leaf.earned for leaf in own), sum(leaf.weight for leaf in own)
            assert field.documents[number] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_rates_of_values_equal_a_naive_recount(seed: int) -> None:
    """Nulls that were left empty are neither expected nor predicted."""
    scores = random_scores(seed)
    by_place = defaultdict(list)
    for leaf in (leaf for leaves in leaves_of(scores) for leaf in leaves if not is_left_empty(leaf)):
        by_place[place(leaf)].append(leaf.status)
    for field in analyse(scores).fields:
        statuses = by_place[field.path]
        missing, extra = statuses.count("missing"), statuses.count("extra")
        assert field.omission_rate == share(missing, len(statuses) - extra)
        assert field.hallucination_rate == share(extra, len(statuses) - missing)


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_the_test_set_equal_a_naive_recount(seed: int) -> None:
    scores = random_scores(seed)
    documents = [[leaf.status for leaf in leaves if not is_left_empty(leaf)] for leaves in leaves_of(scores)]
    values = [status for statuses in documents for status in statuses]
    missing, extra, rows = values.count("missing"), values.count("extra"), len(documents)
    wanted = [
        (scores.scores.count(1.0), rows),
        (sum("missing" in statuses for statuses in documents), rows),
        (sum("extra" in statuses for statuses in documents), rows),
        (missing, len(values) - extra),
        (extra, len(values) - missing),
    ]
    rates = summarise(scores, fields=True).rates
    assert [rate.name for rate in rates] == RATES
    assert [(rate.hits, rate.total) for rate in rates] == wanted
    assert [rate.value for rate in rates] == [share(*each) for each in wanted]


def test_a_null_in_a_missing_row_is_no_omission() -> None:
    """The row is missing, and its points are lost; but nothing was expected of a key that is null."""
    name, note = analyse(scored([{"r": [{"n": "tea", "note": None}]}], [{"r": []}])).fields
    assert (name.path, name.omission_rate) == ("r[].n", 1.0)
    assert (note.path, note.counts["missing"]) == ("r[].note", 1)
    assert note.omission_rate is None


def test_a_null_in_an_invented_row_is_no_hallucination() -> None:
    """The row is too many, and costs points; but nothing was said by a key that is null."""
    (name,) = analyse(scored([{"r": []}], [{"r": [{"n": "tea", "note": None}]}])).fields
    assert (name.path, name.hallucination_rate) == ("r[].n", 1.0)
    name, note = analyse(scored([{"r": []}], [{"r": [{"n": "tea", "note": None}]}], rules="anls_star-1.0.1")).fields
    assert (note.path, note.counts["extra"]) == ("r[].note", 1)
    assert note.hallucination_rate is None


@pytest.mark.parametrize("seed", range(4))
def test_rows_of_flat_lists_equal_a_naive_count(seed: int) -> None:
    """As many elements as the shorter list has find a partner; the rest are missing or extra."""
    rng = random.Random(seed)
    truths = [{"a": rng.choices("uvwxyz", k=rng.randint(0, 6))} for _ in range(40)]
    ours = [{"a": rng.choices("uvwxyz", k=rng.randint(0, 6))} for _ in range(40)]
    lengths = [(len(t["a"]), len(p["a"])) for t, p in zip(truths, ours, strict=True)]
    (rows,) = analyse(scored(truths, ours)).lists
    assert rows.to_dict() == {
        "field": "a[]",
        "matched": sum(min(each) for each in lengths),
        "missing": sum(max(0, expected - given) for expected, given in lengths),
        "extra": sum(max(0, given - expected) for expected, given in lengths),
    }


def test_rows_of_lists_in_rows_and_under_missing_keys() -> None:
    """The elements of a missing row are missing too, and so are those of an absent key."""
    truth = {"r": [{"n": "tea", "s": ["x", "y"]}, {"n": "rum", "s": ["z"]}], "t": ["u"]}
    lists = analyse(scored([truth], [{"r": [{"n": "tea", "s": ["x", "y", "w"]}]}])).lists
    assert [tuple(each.to_dict().values()) for each in lists] == [
        ("r[]", 1, 1, 0),
        ("r[].s[]", 2, 1, 1),
        ("t[]", 0, 1, 0),
    ]


def test_fields_as_ratios_of_documents_have_the_score_of_the_field() -> None:
    analysis = analyse(random_scores(9))
    for field in analysis.fields:
        earned, weight = map(math.fsum, zip(*field.documents.values(), strict=True))
        assert field.score == pytest.approx(earned / weight)


def test_progress_is_told_for_every_document() -> None:
    told: list[tuple[str, int, int]] = []
    analyse(random_scores(1, count=7), lambda phase, total: lambda increment: told.append((phase, total, increment)))
    assert {(phase, total) for phase, total, _ in told} == {("Explaining", 7)}
    assert sum(increment for _, _, increment in told) == 7


def check_plain(value: Any) -> None:
    """Types of JSON alone, no subclass of them such as numpy.float64."""
    assert type(value) in {dict, list, tuple, str, int, float, bool, type(None)}, type(value)
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        value = list(value.values())
    for inner in value if isinstance(value, list | tuple) else ():
        check_plain(inner)


def everything(scores: CorpusScore, confidence: float | None = 0.95) -> dict[str, Any]:
    summary = summarise(scores, fields=True, confidence=confidence)
    return summary.to_dict(per_sample=True, signature=True)


def test_a_summary_is_plain_and_has_its_keys() -> None:
    result = everything(random_scores(2))
    check_plain(result)
    assert json.loads(json.dumps(result, allow_nan=False))["anls_score"] == result["anls_score"]
    assert list(result) == [
        *("anls_score", "confidence_interval", "standard_error", "points_lost", "key_scores", "lists", "rates"),
        *("per_sample", "signature"),
    ]
    assert list(result["points_lost"]) == list(CAUSES)
    assert {tuple(row) for row in result["key_scores"]} == {tuple(FIELD_KEYS)}
    assert {tuple(row) for row in result["rates"]} == {("rate", "value", "low", "high", "hits", "total")}
    assert math.fsum(row["points_lost"] for row in result["key_scores"]) == pytest.approx(1 - result["anls_score"])


def test_counts_of_what_was_asked_for_are_part_of_it() -> None:
    pairs = pairs_of(
        [{"question_id": "a", "prediction": "{"}],
        [{"question_id": i, "references": [{"n": "tea"}]} for i in "ab"],
        "zero",
    )
    result = everything(score_corpus(pairs, parse="json", missing="zero"))
    check_plain(result)
    assert (result["missing"], result["parse_failures"]) == (1, 1)
    assert [row["rate"] for row in result["rates"]][3:5] == ["texts that could not be parsed", "missing predictions"]
    assert [row["hits"] for row in result["rates"]][3:5] == [1, 1]


def test_fields_stand_in_the_order_in_which_they_first_occur() -> None:
    scores = scored([{"b": "x"}, {"a": ["y"], "b": "x"}], [{"b": "x"}, {"c": "z", "a": ["y"], "b": "w"}])
    assert [row["field"] for row in everything(scores)["key_scores"]] == ["b", "a[]", "c"]


def test_without_confidence_there_are_no_ends() -> None:
    result = everything(random_scores(2), confidence=None)
    assert "confidence_interval" not in result
    assert "standard_error" not in result
    assert all("low" not in row and "high" not in row for row in result["key_scores"] + result["rates"])
    assert summarise(random_scores(2)).to_dict().keys() == {"anls_score"}


def test_only_the_fields_of_most_weight_have_an_interval() -> None:
    """Of 205 fields those five of which only one document has a value are the lightest."""
    keys = [f"k{number}" for number in range(MOST_FIELDS_TESTED + 5)]
    rare = keys[10:15]
    truths = [dict.fromkeys(keys, "x"), *({key: "x" for key in keys if key not in rare} for _ in range(3))]
    ours = [{**truth, "k0": "y", "k50": "y", rare[0]: "y"} for truth in truths[:2]] + truths[2:]
    summary = summarise(scored(truths, ours), fields=True, confidence=0.9)
    without = [path for path, each in summary.field_intervals.items() if each.note.startswith("only the 200 fields")]
    assert sorted(without) == sorted(rare)
    assert summary.field_intervals["k50"].ends is not None
    rows = {row["field"]: row for row in summary.to_dict()["key_scores"]}
    assert list(rows) == keys
    assert [rows[key]["low"] for key in rare] == [None] * 5


@pytest.mark.parametrize(
    ("truths", "ours", "note"),
    [
        (["tea"], ["teas"], "one document: an interval needs two"),
        (["tea", "rum"], ["tea", "rum"], "all 2 documents have the same value, 1"),
        (["teas", "rums", "gins"], ["tea", "rum", "gin"], "all 3 documents have the same value, 0.75"),
    ],
)
def test_where_there_is_no_interval_a_sentence_says_why(truths: list[str], ours: list[str], note: str) -> None:
    summary = summarise(scored(truths, ours), fields=True, confidence=0.95)
    assert summary.interval is not None
    assert (summary.interval.ends, summary.interval.note) == (None, note)
    assert summary.field_intervals["$"].note == note
    result = summary.to_dict()
    check_plain(result)
    assert (result["confidence_interval"], result["standard_error"], result["confidence_note"]) == (None, None, note)


def test_a_field_found_in_one_document_only_has_no_interval() -> None:
    truths: list[Any] = [{"a": "x"}, {"a": "y"}, {"a": "z", "b": ["p", "q"]}]
    summary = summarise(scored(truths, [{"a": "x"}, {}, {"a": "z", "b": ["q"]}]), fields=True, confidence=0.95)
    assert summary.field_intervals["b[]"].note == "one document: an interval needs two"
    assert summary.field_intervals["a"].ends is not None
    b = summary.to_dict()["key_scores"][1]
    assert (b["field"], b["score"], b["low"], b["high"], b["documents"]) == ("b[]", 0.5, None, None, 1)


def test_intervals_hold_the_estimate_and_repeat() -> None:
    scores = random_scores(3, count=40)
    one, other = (summarise(scores, fields=True, confidence=0.95) for _ in range(2))
    assert one.to_dict() == other.to_dict()
    check_ends(one)


def test_the_interval_of_the_mean_does_not_depend_on_what_else_is_asked_for() -> None:
    """A resample whose mean is that of the whole is a tie, however its sum was rounded: 7 of 20 lost 1/10."""
    truths = ["abcdefghij"] * 20
    scores = scored(truths, ["abcdefghiX"] * 7 + truths[7:])
    alone, among = (summarise(scores, fields=fields, confidence=0.95).interval for fields in (False, True))
    assert alone is not None
    assert among is not None
    assert alone.ends == pytest.approx(among.ends, abs=1e-9)


def check_ends(summary: Summary) -> None:
    assert summary.analysis is not None
    for field in summary.analysis.fields:
        interval = summary.field_intervals[field.path]
        if interval.ends is None:
            assert interval.note
        else:
            assert 0 <= interval.ends[0] <= interval.ends[1] <= 1


def test_tables_of_libraries_have_typed_columns() -> None:
    """Libraries of tables take the rows as they are."""
    import datasets  # noqa: PLC0415  slow to import

    result = everything(random_scores(5))
    samples = pd.DataFrame(result["per_sample"])
    assert pd.api.types.is_string_dtype(samples["question_id"])
    assert str(samples["anls_score"].dtype) == "float64"
    frame = pd.DataFrame(result["key_scores"])
    kinds = {name: str(kind) for name, kind in frame.dtypes.items() if name != "field"}
    counts = ["documents", *OUTCOMES]
    floats = [name for name in FIELD_KEYS if name not in (*counts, "field")]
    assert kinds == {**dict.fromkeys(counts, "int64"), **dict.fromkeys(floats, "float64")}
    features = {name: each.dtype for name, each in datasets.Dataset.from_list(result["key_scores"]).features.items()}
    assert features == {"field": "string", **kinds}


def test_an_analysis_holds_the_scores_it_was_made_of() -> None:
    scores = random_scores(6)
    analysis = analyse(scores)
    assert isinstance(analysis, Analysis)
    assert analysis.scores is scores
    assert len(analysis.values) == len(scores.ids)


def test_missing_and_extra_rows_are_counted() -> None:
    """Key scores are blind to them."""
    (name,) = field_table([score_tree([{"n": "tea"}, {"n": "milk"}, {"n": "rum"}], [{"n": "milk"}])])
    assert name.path == "[].n"
    assert name.score == pytest.approx(1 / 3)
    assert name.counts == {"exact": 1, "partial": 0, "wrong": 0, "wrong_type": 0, "missing": 2, "extra": 0}


def test_what_does_not_count_is_left_out() -> None:
    assert [each.path for each in field_table([score_tree({"a": "x"}, {"a": "x", "b": None})])] == ["a"]
    assert field_table([]) == []
    assert field_table([score_tree("x", "y")])[0].path == "$"


def test_references_that_were_left_as_text_are_suspected() -> None:
    """Labels decoded by a tokenizer are text; only predictions are parsed."""
    labels = Pairs(["a"], [('{"total": "1"}',)], ['{"total": "1"}'])
    with pytest.warns(UserWarning, match="references: all are text that is JSON"):
        assert score_corpus(labels, parse="json").mean == 0.0
    assert score_corpus(labels, parse="text").mean == 1.0  # text against text
    values = Pairs(["a"], [({"total": "1"},)], ['{"total": "1"}'])
    assert score_corpus(values, parse="json").mean == 1.0


def test_references_that_are_json_text() -> None:
    """As other evaluation tools hold them; alternatives and values that are no text are taken as they are."""
    truths: list[Any] = ['{"total": "1"}', ('["a", "b"]', {"total": "2"}), {"total": "3"}]
    pairs = Pairs(list("abc"), truths, [{"total": "1"}, ["b", "a"], {"total": "3"}])
    assert score_corpus(pairs).mean < 1
    scored = score_corpus(pairs, parse_references="json")
    assert scored.scores == [1.0, 1.0, 1.0]
    assert "|references:json|" in str(scored.signature)
    with pytest.raises(ValueError, match=r"^row 'b', an answer: line 1, column 1: expecting value"):
        score_corpus(Pairs(list("ab"), ["1", "tea"], [1, 2]), parse_references="json")
    with pytest.raises(ValueError, match=r"^parse_references: expected None or 'json', got 'repair'$"):
        score_corpus(pairs, parse_references="repair")


def test_progress_is_told_of_every_row() -> None:
    told: list[int] = []

    def begin(phase: str, total: int) -> Advance:
        assert (phase, total) == ("Scoring", 120)
        return told.append

    truths: list[Any] = ["x", {"a": "x"}, ("x", "y"), ["x"]] * 30
    score_corpus(Pairs([str(i) for i in range(120)], truths, truths_as_predictions(truths)), progress=begin)
    assert sum(told) == 120


def truths_as_predictions(truths: list[Any]) -> list[Any]:
    return [truth[0] if isinstance(truth, tuple) else truth for truth in truths]


def test_signatures_differ_wherever_scores_may() -> None:
    variants = [
        ScoringOptions(),
        ScoringOptions(threshold=0.1234567),
        ScoringOptions(threshold=0.1234568),
        ScoringOptions(ignore_case=False),
        ScoringOptions(parse="json"),
        ScoringOptions(parse="repair"),
        ScoringOptions(missing="zero"),
    ]
    signatures = [str(Signature.of(["anls_star"], options)) for options in variants]
    assert len(set(signatures)) == len(signatures)
    assert "json-repair:" in signatures[5]


def test_the_lowest_come_first_and_ties_in_order() -> None:
    scored = score_corpus(Pairs(list("abc"), ["x", "xy", "x"], ["x", "x", "y"]))
    assert [sample["question_id"] for sample in scored.worst(2)] == ["c", "b"]

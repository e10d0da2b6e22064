"""What the page's script calls: runs and their progress, what a result concludes, and errors with their kinds."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docscore_review.verdicts import Review

import docscore
from docscore.evaluation.evaluation import Evaluation
from docscore.inputs.json_text import loads
from docscore.inputs.test_set import TestSet
from playground import page
from playground.pair.pair import edited
from playground.parts.conclusions import every_pair, headline_of, ties_of, verdict_of, what_ifs_of
from playground.server import answers, storage
from playground.server.requests import NOTES
from tests.commands import PREDICTIONS, RECEIPTS, REFERENCES, TEXTS, pred, ref, run_python, written
from tests.conftest import golden
from tests.structures import evaluation_of

server_functions: Any = SimpleNamespace(**{name: function.ask for name, function in page.ASKED.items()})

pytestmark = pytest.mark.ci
Ask = Callable[[Any], Coroutine[Any, Any, dict[str, Any]]]
Values = Mapping[str, Any]
Results = tuple[dict[str, Any], dict[str, Any]]


def uploaded(path: Path) -> str:
    """The path of a file as if a visitor had uploaded it."""
    return str(shutil.copy(path, storage.uploads_folder() / path.name))


async def result_of(ask: Ask, asked: dict[str, Any]) -> dict[str, Any]:
    """The result of a run, asked for until it is there; what is told meanwhile is how far it is."""
    found: dict[str, Any] = await ask({"window": ["window", 1], **asked})
    while found.get("running"):
        assert found.keys() == {"running", "share", "text"}
        found = await server_functions.progress({"window": ["window", 1]})
    return found


def evaluated(truths: Values, predictions: Values, metric: str = "anls_star", **options: Any) -> Evaluation:
    return evaluation_of(
        TestSet(list(truths), list(truths.values()), [predictions[name] for name in truths]), metric, **options
    )


@pytest.fixture(scope="module")
def results() -> Results:
    """A test set that was scored, and systems that were compared."""

    async def visit() -> Results:
        truths = uploaded(REFERENCES)
        systems = list(map(uploaded, (PREDICTIONS, RECEIPTS / "predictions_new.jsonl", TEXTS)))
        scored = await result_of(server_functions.score_files, {"references": truths, "predictions": systems[0]})
        several = {"references": truths, "predictions": systems, "parse": "repair"}
        return scored, await result_of(server_functions.compare_files, several)

    return asyncio.run(visit())


def test_results_add_up_and_are_opened_again(results: Results) -> None:
    for actual in results:
        opened = asyncio.run(server_functions.open_result({"run": actual["run"]}))
        assert opened == json.loads(json.dumps(actual))
    scored, compared = results
    assert scored["low"] < scored["score"] < scored["high"]
    names = {Path(each["path"]).name: Path(each["path"]) for each in scored["downloads"]}
    assert list(names) == ["scores.csv", "scores.json", "report.html", "fields.csv", "causes.csv"]
    everything = json.loads(names["scores.json"].read_text())
    lines = [names[f"{name}.csv"].read_text("utf-8").splitlines() for name in ("fields", "causes")]
    assert len(lines[0]) == len(everything["key_scores"]) + 1
    assert len(lines[1]) == sum(points > 0 for points in everything["points_lost"].values()) + 1
    refused = asyncio.run(server_functions.read_rows({"run": scored["run"], "documents": "seven"}))
    assert refused["refused"].startswith("documents: ")
    lost = [sum(row["cells"][0]["value"] for row in compared[name]) for name in ("causes", "fields")]
    assert lost == [pytest.approx(1 - compared["systems"][0]["score"])] * 2
    pairs = [
        asyncio.run(server_functions.read_pair({"run": compared["run"], "number": 2, "system": system}))
        for system in range(4)
    ]
    assert [each["reading"] for each in pairs[:3]] == ["json"] * 3
    assert len({each["prediction"] for each in pairs[:3]}) > 1
    assert pairs[3] == {"refused": "system: expected the number of a system, got 3", "kind": "input"}
    scores = [[*map(float, row["scores"])] for row in compared["documents"]]
    assert scores == sorted(scores, key=lambda row: round(max(row) - min(row), 3), reverse=True)


TRUTHS: dict[str, Any] = {name: {"n": 1000.0 + number, "m": 2.0, "t": "tea"} for number, name in enumerate("abcdef")}
INTEGERS = {name: {**truth, "n": round(truth["n"]), "m": 2} for name, truth in TRUTHS.items()}
JSON_TEXTS = {name: json.dumps(truth) for name, truth in TRUTHS.items()}
BY_VALUE = {"what_if": {"numbers": "value"}}
REPAIRED = {"reading": {"parse": "repair"}}
IGNORING_CASE = {"what_if": {"ignore_case": True}}
ALL, EXTRACTED = "account for all of the lost points.", "With JSON extracted from the texts"
OF_KIEVAL = "KIEval counts entities: fields are types of entities, and lost points have no causes."


def with_text(text: str) -> dict[str, Any]:
    """Predictions that have another text, and are right else."""
    return {name: {**truth, "t": text} for name, truth in TRUTHS.items()}


@pytest.mark.parametrize(
    ("predictions", "options", "title", "remedy", "offered"),
    [
        (TRUTHS, {}, "Every value is right.", "", None),
        (INTEGERS, {}, f"Values in a different notation {ALL}", "Compared by value", BY_VALUE),
        (INTEGERS, {"metric": "kieval"}, OF_KIEVAL, "Compared by value", BY_VALUE),
        (with_text("xxxx"), {}, f"Wrong values {ALL}", "", None),
        (with_text("TEA"), {"ignore_case": False}, f"Wrong values {ALL}", "With case ignored", IGNORING_CASE),
        (JSON_TEXTS, {"parse": "text"}, f"Values of the wrong type {ALL}", EXTRACTED, REPAIRED),
    ],
)
def test_a_headline_is_the_largest_cause_and_what_helps(
    predictions: Values, options: dict[str, Any], title: str, remedy: str, offered: Any
) -> None:
    """Each what-if was scored before it is offered, with the score that it then gives."""
    evaluation = evaluated(TRUTHS, predictions, **options)
    what_ifs = what_ifs_of([evaluation], lambda *_: None)
    headline = headline_of(evaluation, what_ifs)
    assert (headline["title"], headline["text"]) == (title, f"{remedy}, no points are lost." if remedy else "")
    assert [each.options for each in what_ifs] == ([offered] if offered else [])
    assert all(each.label.endswith("→ 1.000") for each in what_ifs)
    assert (headline["remedy"] is not None) == bool(offered)


AMOUNTS: Any = {name: {"sum": f"{number + 1}.200,50 €", "t": "tea"} for number, name in enumerate("abcd")}
SAME_AMOUNTS = {name: {"sum": f"€{number + 1},200.50", "t": "tea"} for number, name in enumerate("abcd")}


def test_a_schema_is_offered_where_it_settles_more_than_other_options() -> None:
    """It is that which the ground truths suggest, and the score under it is what docscore gives."""
    evaluation = evaluated(AMOUNTS, SAME_AMOUNTS)
    [offered] = what_ifs_of([evaluation], lambda *_: None)
    assert offered.label == "Compare amounts as money → 1.000"
    schema = json.loads(offered.options["what_if"]["schema"])
    assert schema == docscore.suggest_schema(AMOUNTS).schema
    assert headline_of(evaluation, [offered])["text"] == "With the suggested schema, no points are lost."


def test_what_takes_too_long_is_not_offered() -> None:
    def refuse(*_: object) -> None:
        raise ValueError

    assert what_ifs_of([evaluated(TRUTHS, JSON_TEXTS, parse="text")], refuse) == []


def told(systems: dict[str, Evaluation]) -> answers.Verdict:
    """The verdict on systems, best first, with what was tried before it."""
    return verdict_of(systems, every_pair(systems), what_ifs_of(list(systems.values()), lambda *_: None))


def test_a_verdict_says_who_leads_whether_that_is_proven_and_the_order_by_value() -> None:
    sides = {"first": TRUTHS, "second": {**TRUTHS, "a": None}, "third": INTEGERS}
    systems = {name: evaluated(TRUTHS, side) for name, side in sides.items()}
    pairs = every_pair(systems)
    verdict = told(systems)
    assert verdict["title"] == "first leads second by 0.167"
    assert (verdict["rest"], verdict["p"]) == ("no difference is proven", "= 1.00")
    assert (verdict["text"], verdict["documents"]) == ("One document decides who leads", ["a"])
    assert verdict["remarks"] == ["Compared by value, the order is first 1.000, third 1.000, second 0.833."]
    assert [each["options"] for each in verdict["remedies"]] == [BY_VALUE]
    assert [(each["better"], each["worse"]) for each in pairs] == [(1, 0), (6, 0), (5, 1)]
    assert ties_of(systems, pairs) == [(0, 2)]
    assert told({"x": systems["first"], "y": systems["first"]})["title"] == "x and y are tied"
    another = [*pairs[:1], *({**pair, "proven": True} for pair in pairs[1:])]
    assert verdict_of(systems, another, [])["rest"] == "that is not proven", "another difference is"


def test_a_verdict_says_what_reading_texts_and_a_schema_would_change() -> None:
    right = evaluated(TRUTHS, TRUTHS)
    given = dict.fromkeys(TRUTHS, "{}"), JSON_TEXTS
    with pytest.warns(UserWarning, match="predictions: 6 of 6 are text"):
        empty, texts = [told({"x": right, "y": evaluated(TRUTHS, predictions)}) for predictions in given]
    assert empty["rest"] == "that is unlikely to be chance"
    assert empty["remarks"] == ["Predictions of y are text where an object or a list is expected."]
    assert empty["remedies"] == []
    assert texts["remarks"][1:] == [f"{EXTRACTED}, the scores are x 1.000, y 1.000."]
    assert [each["options"] for each in texts["remedies"]] == [REPAIRED]
    wrong_text = {name: {**truth, "t": "tee"} for name, truth in AMOUNTS.items()}
    amounts = told({"x": evaluated(AMOUNTS, wrong_text), "y": evaluated(AMOUNTS, SAME_AMOUNTS)})
    assert amounts["remarks"] == ["With the suggested schema, the order is y 1.000, x 0.833."]
    assert [each["label"] for each in amounts["remedies"]] == ["Compare amounts as money"]


@golden("server_functions", "ties")
def test_ties_are_runs_of_systems_that_are_not_proven_to_differ(proven: list[str], runs: list[list[int]]) -> None:
    pairs: list[dict[str, Any]] = [
        {"first": a, "second": b, "proven": a + b in proven} for a, b in ("ab", "ac", "ad", "bc", "bd", "cd")
    ]
    one = evaluated(TRUTHS, TRUTHS)
    assert ties_of(dict.fromkeys("abcd", one), pairs) == list(map(tuple, runs))


def test_what_scores_a_pair_higher_is_what_scores_its_test_set_higher() -> None:
    """A schema that names other fields is an error, as for files; what texts with errors would score is not asked."""
    pair = {"truth": '{"a": 1234.5}', "prediction": '{"a": "1.234,50"}'}

    def offered(**asked: Any) -> dict[str, str]:
        answer = asyncio.run(server_functions.try_options({**pair, **asked}))
        return {each["label"]: json.dumps(each["options"]) for each in answer["what_ifs"]}

    [(label, options)] = offered(options={"numbers": "value"}).items()
    assert label == "Compare numbers in any notation → 1.000"
    assert json.loads(json.loads(options)["what_if"]["schema"]) == docscore.suggest_schema([{"a": 1234.5}]).schema
    repaired = offered(prediction='Here: {"a": 1234.5}', reading="text")
    assert repaired == {"Extract JSON from the text → 1.000": json.dumps(REPAIRED)}
    assert offered(prediction="{") == {}
    other = {**pair, "options": {"schema": '{"properties": {"b": {"type": "number"}}}'}}
    refused = asyncio.run(server_functions.score_workspace(other))["refused"]
    assert refused.startswith("“Schema”: no ground truth has any of the fields that it names, 'b'")


@golden("server_functions", "editors")
def test_an_error_of_an_editor_is_named_with_its_place_and_what_mends_it(
    text: str, said: str, place: list[int | None], button: str | None, after: str | None
) -> None:
    """The same on both sides, in the words of the command, but for quotes, what is cut off and files."""
    for side in ("truth", "prediction"):
        asked = {"truth": "1", "prediction": "1", "reading": "json", side: text}
        errors = asyncio.run(server_functions.score_workspace(asked))["faults"]
        other, error = sorted(errors, key=bool)
        assert (other, error) == (None, errors[side == "prediction"])
        assert (error["text"], [error["line"], error["column"]]) == (said, place)
        mend = error["mend"]
        assert (mend and edited(text, mend["edits"])) == after
        assert mend is None or mend["repairs"] == (button != "Keep the first")
    words, _, _ = said.partition("; its last")
    if text and not words.startswith(("a quote inside", "a PDF")):
        with pytest.raises(ValueError, match=f"{re.escape(words)}$"):
            loads(text, unique_keys=True)


@golden("server_functions", "kinds")
def test_an_error_has_a_kind(function: str, asked: Any, kind: str | None) -> None:
    answer: dict[str, Any] = asyncio.run(getattr(server_functions, function)(asked))
    assert answer.get("kind") == kind
    assert ("refused" in answer) == (kind is not None)


def test_what_the_server_does_wrong_is_told_and_logged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("playground.pair.tab.is_scored_at_once", lambda _: 1 / 0)
    answer = asyncio.run(server_functions.score_workspace({"truth": "1", "prediction": "1"}))
    assert answer == {"refused": "An error occurred on the server; its log says why.", "kind": "failed"}
    assert "ZeroDivisionError" in capsys.readouterr().err


def exported_file(question: dict[str, Any], file: str = "verdicts") -> Path:
    """The file that the page writes of the verdicts on a review."""
    return Path(asyncio.run(server_functions.export_review({**question, "file": file}))["path"])


def test_a_review_gives_what_the_library_does(tmp_path: Path) -> None:
    """Places, verdicts of a file, gains also as code, corrected references and the estimate of a sample."""
    notes, systems = NOTES / "references.jsonl", sorted((NOTES / "systems").iterdir())
    up = uploaded(NOTES / "sample_decided.jsonl")
    lines = [line for line in Review.read(up).lines if line.kind != "agreement"]
    asked = {"references": str(notes), "predictions": list(map(str, systems)), "verdicts": up}
    found = asyncio.run(result_of(server_functions.begin_review, asked))
    assert [each["path"] for each in found["places"]] == [line.path for line in lines]
    assert len(found["decided"]["verdicts"]) == len(lines)
    assert found["decided"]["note"] == f"{len(lines)} of {len(lines)} verdicts carried over."
    decided = found["decided"]["verdicts"]
    verdicts = json.dumps([[each["number"], each["verdict"], each["answer"], each["value"]] for each in decided])
    question = {"run": found["run"], "verdicts": verdicts}
    estimated = asyncio.run(server_functions.estimate_review(question))
    assert estimated["share"] == Review(lines).estimate().lenient
    exported, references = (exported_file(question, file) for file in ("verdicts", "references"))
    corrected = tmp_path / "corrected.jsonl"
    Review.read(exported).apply(notes, corrected)
    assert corrected.read_bytes() == references.read_bytes()
    gains = asyncio.run(server_functions.score_verdicts(question))["gains"]
    for path in (notes, *systems, exported):
        shutil.copy(path, tmp_path)
    printed = map(str.split, run_python("-c", found["python"], cwd=tmp_path).splitlines())
    scores = {name: [float(before), float(after)] for name, before, after in printed}
    for number, each in enumerate(found["systems"], 1):
        shown = [each["score"], each["score"] + sum(gained[number] for gained in gains) / 16]
        assert scores[each["name"]] == pytest.approx(shown, abs=1e-12)


def test_readers_agree_as_the_command_says_and_a_verdict_may_hold_for_a_group() -> None:
    notes, systems = NOTES / "references.jsonl", sorted((NOTES / "systems").iterdir())
    asked = {"references": str(notes), "predictions": list(map(str, systems))}
    files = [NOTES / name for name in ("decided.jsonl", "second_reader.jsonl")]
    found = asyncio.run(result_of(server_functions.begin_review, {**asked, "verdicts": uploaded(files[0])}))
    decided = [list(each.values()) for each in found["decided"]["verdicts"]]
    question = {"run": found["run"], "verdicts": json.dumps(decided), "other": uploaded(files[1])}
    compared = asyncio.run(server_functions.compare_readers(question))
    first, second = map(Review.read, files)
    agreement = first.agreement(second)
    assert compared["text"] == str(agreement)
    differing = [(found["places"][each["number"]]["path"], each["verdict"]) for each in compared["differing"]]
    assert differing == [(one.path, other.verdict) for one, other in agreement.differing]
    nothing = {**question, "verdicts": "[]"}
    assert "both readers decided" in asyncio.run(server_functions.compare_readers(nothing))["refused"]
    assert "refused" in asyncio.run(server_functions.compare_readers({**question, "other": None}))
    group = [each for each in found["places"] if each["group"] == "rows[].sku: other value" and each["id"] == "note-15"]
    number = found["places"].index(group[0])
    for_group = {"run": found["run"], "verdicts": json.dumps([[number, "prediction", 0, "", True]])}
    lines = Review.read(exported_file(for_group))
    assert (len(group), lines.counts["prediction"], sum(line.verdict is not None for line in lines.lines)) == (2, 2, 1)


def test_added_rows_are_places_of_their_own_and_verdicts_are_exported_whatever_else_fails() -> None:
    """Two systems add different rows at one index; the verdicts need neither a score nor the ground truths."""
    row, added = {"n": "tea", "q": 1}, {"gin": 7, "rum": 3}
    rows: dict[str, Any] = {"references": [ref("x", {"l": [row]})]}
    rows |= {name: [pred("x", {"l": [row, {"n": name * 3, "q": q}]})] for name, q in added.items()}
    paths = [str(written(storage.uploads_folder(), f"{name}_rows.jsonl", of_file)) for name, of_file in rows.items()]
    files = {"references": paths[0], "predictions": paths[1:]}
    found = asyncio.run(result_of(server_functions.begin_review, files))
    places = json.loads(json.dumps(found["places"]))
    assert [each["path"] for each in places] == ["$.l", "$.l"]
    texts = [each["answers"][0]["text"] for each in places]
    assert [each["identity"] for each in places] == [["x", "$.l", [0, text, 1], None] for text in texts]
    question = {"run": found["run"], "verdicts": '[[0, "prediction", 0, ""], [1, "ground_truth", 0, ""]]'}
    corrected = [json.loads(line) for line in exported_file(question, "references").read_text().splitlines()]
    assert corrected == [ref("x", {"l": [row, json.loads(texts[0])]})]
    Path(paths[0]).unlink()
    refused = asyncio.run(server_functions.export_review({**question, "file": "references"}))
    assert refused["refused"] == "This file is no longer on the server; choose it again."
    assert [line.verdict for line in Review.read(exported_file(question)).lines] == ["prediction", "ground_truth"]
    sampled = asyncio.run(server_functions.estimate_review(question))["refused"]
    assert sampled == "review: expected a random sample of one system, got another review"


def test_a_prediction_without_a_value_can_be_chosen() -> None:
    """Two systems misread a key; the visitor says that the system without the key is right."""
    sides = {"one": {"a": "rum", "b": "1"}, "two": {"a": "rum", "b": "1"}, "three": {"b": "1"}}
    rows = {"references": [ref("x", {"a": "tea", "b": "1"})], **{name: [pred("x", sides[name])] for name in sides}}
    paths = [str(written(storage.uploads_folder(), f"{name}_key.jsonl", of_file)) for name, of_file in rows.items()]
    files = {"references": paths[0], "predictions": paths[1:]}
    found = asyncio.run(result_of(server_functions.begin_review, files))
    texts = [each["text"] for each in found["places"][0]["answers"]]
    verdicts = json.dumps([[0, "prediction", texts.index(None), ""]])
    corrected = exported_file({"run": found["run"], "verdicts": verdicts}, "references")
    assert json.loads(corrected.read_text()) == ref("x", {"b": "1"})


@pytest.mark.parametrize("function", ["begin_review", "compare_files"])
def test_no_message_names_a_folder_of_the_server(function: str) -> None:
    """Neither the folder of an uploaded file nor the folder of an example, in any part of the sentence."""
    both = [{"question_id": "x", "references": [name], "prediction": "tea"} for name in ("tea", "rum")]
    sides = {f"own {number}": [row] for number, row in enumerate(both)} | {"broken": [{"judged": "x"}]}
    own = [str(written(storage.uploads_folder(), f"{name}.jsonl", of_file)) for name, of_file in sides.items()]
    asked: list[dict[str, Any]] = [
        {"predictions": own[:2]},
        {"predictions": own[1:]},
        {"references": own[0], "predictions": own[2:] * 2},
        {"predictions": [str(NOTES / "references.jsonl"), own[0]]},
    ]
    if function == "begin_review":
        asked.append({"references": own[0], "predictions": own[:1], "verdicts": own[2]})
    for question in asked:
        said = asyncio.run(result_of(getattr(server_functions, function), question))
        assert "refused" in said, question
        assert not {"/", "\\"} & {*said["refused"]}, said["refused"]


def test_contradictions_and_nonsense_are_refused_and_verdicts_are_kept() -> None:
    rows = {"references": [{"id": "x", "references": [{"a": {"b": "tea", "c": 1}}]}], "one": [pred("x", {"a": "tea"})]}
    rows["two"] = [pred("x", {"a": {"b": "tee", "c": 1}})]
    paths = [str(written(storage.uploads_folder(), f"odd_{name}.jsonl", of_file)) for name, of_file in rows.items()]
    files = {"references": paths[0], "predictions": paths[1:]}
    found = asyncio.run(result_of(server_functions.begin_review, files))
    assert {each["path"] for each in found["places"]} == {"$.a", "$.a.b"}
    both = {"run": found["run"], "verdicts": '[[0, "prediction", 0, ""], [1, "prediction", 0, ""]]'}
    error = "another verdict replaces or removes the object or list that contains this place"
    scored = asyncio.run(server_functions.score_verdicts(both))
    assert [each[:2] for each in scored["faults"]] == [(0, "$.a.b")]
    assert (scored["faults"][0][2], scored["gains"]) == (error, [[0, 0.0, 0.0]])
    refused = asyncio.run(server_functions.export_review({**both, "file": "references"}))
    assert error in refused["refused"]
    assert Review.read(exported_file(both)).counts["prediction"] == 2
    numbers = {each["path"]: number for number, each in enumerate(found["places"])}
    for place, typed, value in (("$.a.b", "1\n2", "1\n2"), ("$.a", '{"b": 1.0}', {"b": 1.0}), ("$.a", "tea", "tea")):
        question = {"run": found["run"], "verdicts": json.dumps([[numbers[place], "other", 0, typed]])}
        assert exported_file(question, "references").is_file()
        values = [line.value for line in Review.read(exported_file(question)).lines if line.verdict]
        assert values == [value], "typed like the ground truth"
    for verdicts in ('{"a": 1}', '[[0, "maybe", 0, ""]]', '[[0, "both", "a", ""]]', '[[99, "both", 0, ""]]'):
        refused = asyncio.run(server_functions.score_verdicts({"run": found["run"], "verdicts": verdicts}))
        assert refused["kind"] == "input", verdicts


def test_every_function_answers(results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    """With JSON; mypy and `tsc` check the names in it, which test_server_types.py holds together."""
    monkeypatch.setattr("playground.parts.functions.is_local", lambda: True)

    async def visit() -> None:
        scored, compared = results
        systems = {"references": compared["asked"]["references"], "predictions": compared["asked"]["predictions"]}
        reviewed = await result_of(server_functions.begin_review, {**systems, "parse": "repair", "sample": 1})
        verdicts = json.dumps([[0, "prediction", 0, ""]])
        of_scored, pair = {"run": scored["run"]}, {"truth": '{"a": 1}', "prediction": '{"a": "1"}'}
        asked: dict[str, dict[str, Any]] = {
            **dict.fromkeys(("score_workspace", "try_options"), pair),
            **dict.fromkeys(("open_result", "read_documents", "view_documents"), of_scored),
            "open_link": {"link": pair},
            **{name: {} for name in ("stop_workspace", "stop")},
            "sort_files": {"files": [uploaded(PREDICTIONS), uploaded(REFERENCES)]},
            **{name: {**of_scored, "number": 1} for name in ("read_document", "read_pair")},
            "read_pdf": of_scored,
            "read_rows": {**of_scored, "documents": "1"},
            "open_document": {"run": compared["run"], "document": compared["documents"][0]["id"]},
            "try_remedy": {**of_scored, "button": 0},
            "try_remedies": {"run": compared["run"], "button": 0},
        }
        of_review = {"run": reviewed["run"], "verdicts": verdicts}
        asked |= dict.fromkeys(("score_verdicts", "estimate_review"), of_review)
        asked["export_review"] = {**of_review, "file": "verdicts"}
        asked["read_beside"] = {"run": reviewed["run"], "number": 0}
        decided = await server_functions.export_review(asked["export_review"])
        other = uploaded(Path(decided["path"]))
        asked["compare_readers"] = {**of_review, "verdicts": '[[0, "both", 0, ""]]', "other": other}
        for name, each in asked.items():
            answer = json.loads(json.dumps(await getattr(server_functions, name)(each)))
            assert "refused" not in answer, (name, answer)
        runs = {"score_files", "compare_files", "begin_review"}
        assert asked.keys() | runs == page.ASKED.keys() - {"progress"}

    asyncio.run(visit())

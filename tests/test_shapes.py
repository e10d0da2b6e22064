"""Files in the shapes that people have: a figure by one command, or a sentence that names what gives it."""

from __future__ import annotations

import json
import shlex
import warnings
from pathlib import Path
from typing import Any

import pytest

import docscore
from docscore.core.errors import as_flag, written
from docscore.inputs.ids import pattern_that_pairs
from playground.server.requests import FileRequest
from playground.testset.testset import score_files
from tests.commands import REFERENCES, Write, run, run_python
from tests.conftest import golden

FLAGS = ("--fields-in-columns", "--single-document", "--answer-is-list", "--with-confidences")


def keywords(command: str, folder: Path) -> dict[str, Any]:
    """The arguments of `docscore.evaluate` that a command line stands for."""
    words, sides, options = shlex.split(command), [], dict[str, Any]()
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            options[word[2:].replace("-", "_")] = True if word in FLAGS else words.pop(0)
        else:
            sides.append(folder / word)
    *references, predictions = sides
    return {"predictions": predictions, "references": next(iter(references), None), **options}


def mean(pairs: list[Any]) -> float:
    return float(docscore.score_pairs(pairs).mean())


def run_in(folder: Path, command: str, write: Write, files: dict[str, str], *more: str) -> Any:
    for name, content in files.items():
        write(name, content)
    verb, *words = shlex.split(command if command.startswith("table") else f"score {command}")
    return run(verb, *(folder / word if word in files else word for word in words), *more)


@golden("shapes", "shapes")
def test_a_shape_gets_its_figure(
    write: Write, tmp_path: Path, files: dict[str, str], command: str, pairs: list[Any]
) -> None:
    """By the command and in Python, without a warning; a wrong value in each stays wrong."""
    done = run_in(tmp_path, command, write, files)
    assert (done.code, done.err) == (0, "")
    expected = mean(pairs)
    assert expected < 1
    assert done.out.startswith(f"ANLS*  {expected:.6f}  mean of {len(pairs)} row")
    assert docscore.evaluate(**keywords(command, tmp_path)).score == pytest.approx(expected)


ON_THE_PAGE = {"references_column": "references", "prediction_column": "prediction"}


@golden("shapes", "shapes")
def test_the_page_takes_what_the_command_takes(
    write: Write, tmp_path: Path, files: dict[str, str], command: str, pairs: list[Any]
) -> None:
    """With what a visitor chooses; the code that it shows gives the same score."""
    run_in(tmp_path, command, write, files)
    options = keywords(command, tmp_path)
    if "." in options.get("references_column", "") or "fields_in_columns" in options or "" in options.values():
        return  # only typed
    sides = {side: options.pop(side) for side in ("references", "predictions")}
    reading = {ON_THE_PAGE.get(name, name): "yes" if given is True else given for name, given in options.items()}
    if "," not in reading.get("id_column", "") and "field_column" not in reading and "id_column" in reading:
        reading |= dict.fromkeys(("references_id", "predictions_id"), reading.pop("id_column"))
    request = FileRequest(**sides, reading=reading)
    (tmp_path / "results").mkdir()
    actual = score_files(request, folder=tmp_path / "results", progress=lambda *_: None)
    assert actual["score"] == pytest.approx(mean(pairs))
    assert run_python("-c", actual["python"], cwd=tmp_path).splitlines()[-1] == str(actual["score"])


@golden("shapes", "warnings")
def test_an_unexpected_shape_gets_a_warning(
    write: Write, tmp_path: Path, files: dict[str, str], command: str, sentence: str, pairs: list[Any]
) -> None:
    """The figure stays what the options say."""
    done = run_in(tmp_path, command, write, files)
    assert (done.code, sentence in " ".join(done.err.split())) == (0, True), done
    assert done.out.startswith(f"ANLS*  {mean(pairs):.6f}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = docscore.evaluate(**keywords(command, tmp_path))
    assert "left out" in sentence or any(sentence in written(each.message, as_flag) for each in caught)
    assert result.score == pytest.approx(mean(pairs))


@golden("shapes", "errors")
def test_a_shape_without_a_figure_gets_a_sentence(
    write: Write, tmp_path: Path, files: dict[str, str], command: str, sentence: str
) -> None:
    done = run_in(tmp_path, command, write, files)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err


@golden("shapes", "ids")
def test_an_error_about_ids_writes_out_the_pattern_that_pairs_them(
    references: list[str], predictions: list[str], pattern: str
) -> None:
    """Whichever side has which ids, and whatever their order."""
    assert pattern_that_pairs(references, predictions) == pattern
    assert pattern_that_pairs(predictions[::-1], references[::-1]) == pattern


def test_other_commands_read_ground_truths_as_score_does(write: Write, tmp_path: Path) -> None:
    """Without ignored keys and absent words too, in the command and in Python."""
    rows = "".join(f"r{n}.pdf;{n + 1},50 €;n/a;gpt-{n}\n" for n in range(3))
    references = write("r.csv", f"datei;betrag;steuer;modell\n{rows}".encode("cp1252"))
    predictions = write("p.jsonl", "".join(f'{{"datei": "r{n}", "betrag": "{n + 1}.50 €"}}\n' for n in range(3)))
    options: dict[str, Any] = {
        "id_column": "datei",
        "id_pattern": r"^(.+)\.pdf$",
        "fields_in_columns": True,
        "delimiter": ";",
        "references_encoding": "cp1252",
        "ignore_keys": "modell",
        "absent_words": "N/A",
    }
    given = [(f"--{name.replace('_', '-')}", value) for name, value in options.items()]
    flags = [word for name, value in given for word in ([name] if value is True else [name, value])]
    assert run("lint", references, *flags).out == "No findings\n"
    assert docscore.lint(references, **options) == []
    fields = json.loads(run("suggest-schema", references, predictions, *flags, "--json").out)["fields"]
    assert [(field["field"], field["compare"], field["values"]) for field in fields] == [("betrag", "money", 3)]
    assert [field.field for field in docscore.suggest_schema(references, **options).fields] == ["betrag"]
    for number in range(3):
        write(f"documents/r{number}.txt", f"Betrag {number + 1},50 € von gpt-{number}")
    output = "--documents", tmp_path / "documents", "-o", tmp_path / "e.jsonl"
    [counts] = json.loads(run("evidence", references, *output, *flags, "--json").out)["fields"]
    assert (counts["field"], counts["placed"]) == ("betrag", 3)
    assert json.loads((tmp_path / "e.jsonl").read_text(encoding="utf-8").splitlines()[0])["question_id"] == "r0"
    with pytest.raises(TypeError, match="got 'id_colum'"):
        docscore.lint(references, id_colum="datei")


OPTIONS: list[dict[str, Any]] = [
    {"ignore_keys": ["model", "usage"]},
    {"ignore_keys": "model,usage", "absent_words": ("N/A", "NOT_FOUND")},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_ignored_keys_and_absent_words_are_in_the_signature(options: dict[str, Any]) -> None:
    sides: dict[str, Any] = {
        "references": {"a": {"x": None}},
        "predictions": {"a": {"x": "n/a", "model": 1, "usage": 2}},
    }
    result = docscore.evaluate(**sides, **options)
    assert "|ignored:model+usage|" in result.signature
    assert ("|absent:N/A+NOT_FOUND|" in result.signature) == ("absent_words" in options)
    assert result.score == float("absent_words" in options)


@pytest.mark.parametrize("key", ["x[]", "a.b", "$.c", "d[].e"])
def test_keys_are_ignored_as_they_stand_and_as_paths(key: str) -> None:
    extra = {"x[]": 1, "a.b": 2, "a": {"b": 3}, "c": 4, "d": [{"e": 5}, {"e": 6}]}
    sides: dict[str, Any] = {"references": {"q": {"n": "x"}}, "predictions": {"q": {"n": "x", **extra}}}
    sizes = {"x[]": 1, "a.b": 2, "$.c": 1, "d[].e": 2}
    assert docscore.evaluate(**sides, ignore_keys=[key]).score == pytest.approx(1 / (7 - sizes[key]))


@pytest.mark.parametrize("wrong", [3, ["a", 1], {"a": 1}])
def test_names_that_are_no_texts_are_refused(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"^absent_words: expected a list of texts, got "):
        docscore.evaluate(references=["x"], predictions=["x"], absent_words=wrong)


def test_queries_of_values_in_memory() -> None:
    """Of a dict as of a file, of a list as of JSONL; a frame has columns for that."""
    rows = [{"id": "a", "t": "Tea", "o": "Tea"}, {"id": "b", "t": "Cake", "o": "Cakes"}]
    query = "{question_id: id, references: [t], prediction: o}"
    assert docscore.evaluate(predictions={"rows": rows}, predictions_query=f"rows[].{query}").score == 0.9
    assert docscore.evaluate(predictions=rows, predictions_query=query).score == 0.9
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"^predictions: expected JSON or JSONL with predictions_query, got a table$"):
        docscore.evaluate(predictions=pandas.DataFrame(rows), predictions_query=query)


def test_ids_of_a_frame_in_two_levels_of_its_index() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"file": "s", "page": page, "prediction": text} for page, text in enumerate(["Tea", "Cakes"])]
    frame = pandas.DataFrame(rows).set_index(["file", "page"])
    truths = {"s,0": "Tea", "s,1": "Cake"}
    assert docscore.evaluate(predictions=frame, references=truths, predictions_id_column=["file", "page"]).score == 0.9


def test_fields_in_columns_of_numbers() -> None:
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame([["a", text]], columns=["file", 3]) for text in ("Cake", "Cakes")]
    sides: dict[str, Any] = {"references": frames[0], "predictions": frames[1]}
    assert docscore.evaluate(**sides, id_column="file", fields_in_columns=True).score == 0.8


def test_a_path_of_too_many_steps(write: Write) -> None:
    sides = [write(name, f"doc,field,value\na,{'.'.join('x' * 3000)},1\n") for name in ("r.csv", "p.csv")]
    options = ["--id-column", "doc", "--field-column", "field", "--value-column", "value"]
    done = run("score", *sides, *options)
    assert (done.code, "line 2: nested deeper than 200 levels" in done.err) == (2, True)


def test_a_dict_is_one_document_if_it_says_so() -> None:
    sides: dict[str, Any] = {"references": {"q1": {"n": "1"}, "q2": {"n": "2"}}, "predictions": {"q1": {"n": "1"}}}
    assert docscore.evaluate(**sides, single_document=True).score == 0.5
    with pytest.raises(ValueError, match="ids of references that no prediction has"):
        docscore.evaluate(**sides)


def test_a_query_of_keys_that_no_file_of_a_folder_has(write: Write) -> None:
    """One of several files may lack a key."""
    sides: dict[str, Any] = {"references": {"a": {"n": "1"}, "b": {"n": "2"}}}
    folder = write("p/a.json", {"number": "1"}).parent
    write("p/b.json", {"numbers": "2"})
    found = docscore.evaluate(**sides, predictions=folder, predictions_query="{n: number}")
    assert found.score == 0.5
    with pytest.raises(ValueError, match=r"p: expected a key 'numbr' \(predictions_query\), got 'number', 'numbers'$"):
        docscore.evaluate(**sides, predictions=folder, predictions_query="{n: numbr}")


@pytest.mark.parametrize("count", [4, 5])
def test_few_documents_may_have_a_field_of_their_own(count: int) -> None:
    """And keys without a value cost nothing, nor do keys that are spelt otherwise, which another warning is about."""
    sides: dict[str, Any] = {"references": [{"a": "x"}] * count, "predictions": [{"a": "x", "b": "y"}] * count}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        docscore.evaluate(**sides)
        docscore.evaluate(references=sides["references"], predictions=[{"a": "x", "b": None}] * count)
    assert len(caught) == (count == 5)


def test_good_data_gets_no_warning(docubench: Path, real_receipts: Path) -> None:
    """Warnings are errors in tests."""
    for folder in (REFERENCES.parent, docubench, real_receipts):
        for path in (path for path in folder.glob("predictions*.jsonl") if path.stem[12:] not in ("text", "confident")):
            docscore.evaluate(references=folder / "references.jsonl", predictions=path, confidence=None)

"""What a browser asks about uploaded files is data from a stranger: other files, types and settings are refused."""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path
from typing import Any

import pytest

from docscore.core.errors import InputError, InputValueError
from playground.compare.compare import compare_systems
from playground.parts.files import look, rows_of_request, sort_files
from playground.server.limits import lines_for_visitors
from playground.server.requests import LAYOUT, READING_OPTIONS, WHAT_IFS, CompareRequest, FileRequest, SortRequest
from playground.testset.tab import TAB
from playground.testset.testset import score_files
from tests.commands import pred, ref, run_python, written
from tests.conftest import golden


@pytest.fixture
def uploads(tmp_path: Path) -> Path:
    """A folder of uploads beside a file that nobody uploaded."""
    (tmp_path / "uploads").mkdir()
    written(tmp_path / "uploads", "r.jsonl", [ref("a", {"n": 1.0})])
    written(tmp_path / "uploads", "p.jsonl", [pred("a", {"n": 1})])
    written(tmp_path, "secret.jsonl", [pred("a", 1)])
    return tmp_path / "uploads"


def test_only_uploaded_files_are_read(uploads: Path) -> None:
    link = uploads / "link.jsonl"
    link.symlink_to(uploads.parent / "secret.jsonl")
    outside = f"{uploads}/../secret.jsonl"
    for name in (outside, "/etc/passwd", "secret.jsonl", str(uploads), f"{uploads}/gone.jsonl", 7, "a\0b", str(link)):
        with pytest.raises(ValueError, match=r"^This file is no longer on the server; choose it again\.$"):
            FileRequest.of({"predictions": name}, uploads)
    with pytest.raises(ValueError, match=r"^Choose a file\.$"):
        FileRequest.of({}, uploads)


@golden("file_requests", "refused")
def test_other_requests_are_one_sentence(asked: dict[str, Any], message: str, uploads: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        FileRequest.of({"predictions": str(uploads / "p.jsonl"), **asked}, uploads)
    assert "\n" not in str(error.value)


def test_a_request_comes_back_as_it_went(uploads: Path) -> None:
    asked = FileRequest(
        references=uploads / "r.jsonl",
        predictions=uploads / "p.jsonl",
        reading={"prediction": "x", "missing": "zero"},
        what_if={"threshold": 0.7, "ignore_case": False},
        skip=True,
    )
    assert FileRequest.of(json.loads(asked.model_dump_json()), uploads) == asked
    alone = FileRequest.of({"references": str(uploads / "p.jsonl"), "predictions": None}, uploads)
    assert alone == FileRequest(predictions=uploads / "p.jsonl")


def test_the_delimiter_of_a_file_that_cannot_be_read_can_be_chosen(tmp_path: Path) -> None:
    path = written(tmp_path, "twice.csv", "a,a\n1,2\n")
    assert 'data-choice="predictions_delimiter"' in sort_files(SortRequest(files=[path]))["html"]
    semicolon = SortRequest(files=[path], reading={"predictions_delimiter": ";"})
    assert "fault" not in sort_files(semicolon)["files"][0]


def test_ids_that_differ_by_an_extension_have_a_button(tmp_path: Path) -> None:
    """Which gives the pattern; with it nothing is wrong, and a pattern that is none is one sentence."""
    rows = {"t": [ref(name, "x") for name in "ab"], "p": [pred(f"{name}.pdf", "x") for name in "ab"]}
    files = [written(tmp_path, f"{name}.jsonl", each) for name, each in rows.items()]
    answer = sort_files(SortRequest(files=files, truth=0))
    [value] = re.findall(r'data-allow="id_pattern" data-value="([^"]*)"', answer["html"])
    pattern = json.loads(html.unescape(value))
    assert (answer["blocked"], pattern) == (True, r"^(.+)\.pdf$")
    assert not sort_files(SortRequest(files=files, truth=0, reading={"id_pattern": pattern}))["blocked"]
    [fault, _] = sort_files(SortRequest(files=files, truth=0, reading={"id_pattern": "x"}))["files"]
    assert fault["fault"].startswith("“Part of the id, as a regular expression”: expected a regular expression")


@pytest.mark.parametrize("row", ["[1, 2]", "5", "null"])
def test_a_file_of_one_value_has_no_rows_inside(row: str, tmp_path: Path) -> None:
    files = [written(tmp_path, f"{name}.jsonl", row + "\n") for name in "rp"]
    assert "fault" not in sort_files(SortRequest(files=files, truth=0))["files"][0]


@golden("file_requests", "code")
def test_the_python_code_gives_the_same_score(
    files: dict[str, str], asked: dict[str, Any], score: float, tmp_path: Path
) -> None:
    *truths, predictions = [written(tmp_path, name, text) for name, text in files.items()]
    request = FileRequest(references=next(iter(truths), None), predictions=predictions, **asked)
    (tmp_path / "results").mkdir()
    actual = score_files(request, folder=tmp_path / "results", progress=lambda *_: None)
    assert actual["score"] == pytest.approx(score)
    assert run_python("-c", actual["python"], cwd=tmp_path).splitlines() == [str(actual["score"])]


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_file_that_is_not_utf8_is_read_as_windows_1252(ending: str, tmp_path: Path) -> None:
    """If the visitor says so; the other file is UTF-8, and the code reads both as the page does."""
    texts = {
        "csv": ("file,truth\na,Café\nb,x\n", "file,output\na,Café\nb,y\n"),
        "jsonl": (
            '{"id": "a", "truth": "Café"}\n{"id": "b", "truth": "x"}\n',
            '{"id": "a", "output": "Café"}\n{"id": "b", "output": "y"}\n',
        ),
    }[ending]
    encoded = zip(("t", "p"), texts, ("utf-8", "cp1252"), strict=True)
    files = [written(tmp_path, f"{name}.{ending}", text.encode(encoding)) for name, text, encoding in encoded]
    said = html.unescape(sort_files(SortRequest(files=files))["html"])
    assert f"p.{ending} is not UTF-8. <button" in said
    assert re.findall(r'data-allow="encoding" data-value="([^>]*)">([^<]+)<', said) == [
        ('"cp1252"', "Read as Windows-1252")
    ]
    reading: dict[str, Any] = {"encoding": "cp1252"}
    sorted_files = sort_files(SortRequest(files=files, reading=reading))
    assert (sorted_files["truth"], sorted_files["blocked"]) == (0, False)
    request = FileRequest(references=files[0], predictions=files[1], reading=reading)
    (tmp_path / "results").mkdir()
    actual = score_files(request, folder=tmp_path / "results", progress=lambda *_: None)
    assert actual["score"] == 0.5
    assert run_python("-c", actual["python"], cwd=tmp_path).splitlines() == ["0.5"]


@pytest.mark.parametrize("asked", [{"missing": "skip"}, {"missing": "zero", "what_if": {"schema": "{}"}}], ids=str)
def test_the_python_code_gives_the_same_scores_of_systems(asked: dict[str, Any], tmp_path: Path) -> None:
    """Rows that one system lacks are left out of all."""
    truths = written(tmp_path, "r.jsonl", [ref(name, f"xx{name}") for name in "123"])
    sides = {"q": [pred(name, f"xx{name}") for name in "23"], "p": [pred(name, f"xz{name}") for name in "12"]}
    systems = [written(tmp_path, f"{name}.jsonl", rows) for name, rows in sides.items()]
    (tmp_path / "results").mkdir()
    request = CompareRequest(references=truths, predictions=list(systems), **asked)
    actual = compare_systems(request, folder=tmp_path / "results", progress=lambda *_: None)
    assert run_python("-c", actual["python"], cwd=tmp_path).splitlines() == [
        f"{each['name']} {each['score']}" for each in actual["systems"]
    ]


R, P = [ref("a", "x")], [pred("a", "x")]
BOMB = gzip.compress(b"{" * 25_000_001, 1, mtime=0)
BAD: list[tuple[str, tuple[str, Any], tuple[str, Any], list[str]]] = [
    ("no ids", ("r.jsonl", R), ("p.csv", b"name,value\nz,1\nz,1\n"), ["p.csv: expected an id column, as in r.jsonl"]),
    ("binary", ("r.jsonl", R), ("p.jsonl", bytes(range(256))), ["p.jsonl: expected UTF-8 text, got binary data"]),
    ("two errors", ("r.jsonl", R), ("p.jsonl", b"x\n\xff"), ["p.jsonl, line 1", "p.jsonl, line 2: expected UTF-8"]),
    ("no Parquet", ("r.jsonl", R), ("p.parquet", b"PAR1 is what it begins with"), ["p.parquet: not a Parquet file"]),
    ("a bomb", ("r.jsonl", b"[" * 100_000), ("p.jsonl", P), ["nested deeper than 200"]),
    ("leaves", ("r.jsonl", [ref("a", ["x"] * 20_001)]), ("p.jsonl", P), ["r.jsonl, line 1: too large: 20,001 values"]),
    ("a gzip bomb", ("r.jsonl", R), ("p.jsonl.gz", BOMB), ["p.jsonl.gz: more than 25,000,000 bytes when unpacked"]),
]


@pytest.mark.parametrize(("why", "references", "predictions", "parts"), BAD, ids=lambda value: str(value)[:20])
def test_each_error_is_one_sentence(
    why: str, references: tuple[str, Any], predictions: tuple[str, Any], parts: list[str], tmp_path: Path
) -> None:
    """Several are a line each, with a line that counts them; the file is named as the visitor knows it."""
    asked = FileRequest(references=written(tmp_path, *references), predictions=written(tmp_path, *predictions))
    with pytest.raises(InputError) as error:
        rows_of_request(asked)
    said = str(error.value.for_remote_users())
    assert all(part in said for part in parts), (why, said)
    first, *others = said.split("\n")
    assert others[-1:] == (["2 errors: not JSON (1), not UTF-8 (1)"] if why == "two errors" else [])
    assert len(first) < 1000
    assert str(tmp_path) not in said


OPTION_OF = {"references": "references_column", "prediction": "prediction_column"} | {
    f"{side}_{end}": option
    for side in ("references", "predictions")
    for end, option in (("id", f"{side}_id_column"), ("delimiter", "delimiter"))
}


def test_a_sentence_names_a_control_by_its_label(tmp_path: Path) -> None:
    """For each option that the tab for test sets, or its preview of files, has a control for."""
    files = [written(tmp_path, name, b"question_id,x\na,1\n") for name in ("r.csv", "p.csv")]
    rendered, _ = look(FileRequest(references=files[0], predictions=files[1], reading={"encoding": "cp1252"}))
    labels: dict[str, str] = {}
    for part in re.split(r'<[^>]*class="(?:opt|wz-field)"', html.unescape(TAB.html + rendered))[1:]:
        label = re.findall(r"<(?:span|label [^>]*)>([^<]+)<", part)[0]
        labels |= {OPTION_OF.get(name, name): label for name in re.findall(r'data-(?:option|choice)="(\w+)"', part)}
    assert {*READING_OPTIONS, *LAYOUT, *WHAT_IFS, *OPTION_OF.values(), "schema", "by", "encoding"} <= labels.keys()
    for option, label in labels.items():
        if option != "metric":  # nothing to type
            error = InputValueError(place=option, problem="needs " + option)
            assert lines_for_visitors(error) == [f"“{label}”: needs “{label}”"]


@golden("file_requests", "typed")
def test_what_a_visitor_typed_is_named_by_its_label(reading: dict[str, str], sentence: str, tmp_path: Path) -> None:
    files = [
        written(tmp_path, name, rows) for name, rows in (("r.jsonl", [ref("a", "x")]), ("p.jsonl", [pred("a", "x")]))
    ]
    asked = {"references": str(files[0]), "predictions": str(files[1]), "reading": reading}
    with pytest.raises(InputError) as error:
        rows_of_request(FileRequest.of(asked, tmp_path))
    assert lines_for_visitors(error.value)[0] == sentence


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_warning_beside_a_result_names_a_control_by_its_label(tmp_path: Path) -> None:
    """And a file by its name alone."""
    rows = [f"id,path,value\na,n,1\na,items,{cell}\nb,n,2\nb,items,[2]\n".encode() for cell in ("[1]", "[1")]
    files = [written(tmp_path, name, each) for name, each in zip(("r.csv", "p.csv"), rows, strict=True)]
    reading = {"id_column": "id", "field_column": "path", "value_column": "value", "parse": "json", "ignore_keys": "zz"}
    (tmp_path / "results").mkdir()
    asked = FileRequest(references=files[0], predictions=files[1], reading={**reading, "parse_references": "json"})
    counts = score_files(asked, folder=tmp_path / "results", progress=lambda *_: None)["counts"]
    assert "“Keys to leave out, with commas”: expected a key that occurs in a row, got 'zz'" in counts
    assert any(line.startswith("p.csv, column 'items': 1 of 2 cells") for line in counts), counts


@golden("file_requests", "warnings")
def test_a_guess_of_nonsense_is_said_before_scoring(
    references: list[Any] | None, predictions: list[Any], parts: list[str], buttons: list[str] | None, tmp_path: Path
) -> None:
    """And nothing is where foreign names say what they are; what scoring would refuse has buttons that allow it."""
    truths = None if references is None else written(tmp_path, *references)
    asked = FileRequest(references=truths, predictions=written(tmp_path, *predictions))
    drawn, blocked = look(asked)
    said = html.unescape(drawn)
    assert ("wz-doubts" in said) == bool(parts), said
    assert all(part in said for part in parts), said
    assert blocked == (buttons is not None)
    assert re.findall(r"data-value=[^>]*>([^<]+)<", said) == (buttons or [])
    if None not in (references, buttons):
        with pytest.raises(InputError):
            rows_of_request(asked)
    if buttons:
        lenient = asked.model_copy(update={"skip": buttons[-1] != "Leave them out", "reading": {"missing": "zero"}})
        assert look(lenient)[1] is False
        assert rows_of_request(lenient).systems[0].ids


@golden("file_requests", "sorted")
def test_which_file_is_the_ground_truth(
    files: dict[str, str],
    asked: dict[str, Any],
    truth: int | None,
    unsure: bool,
    said: str,
    errors: dict[str, str],
    tmp_path: Path,
) -> None:
    """By columns, then by names; where neither tells it is asked, and nothing is said of how rows are read.

    What a file with an error is, is not asked: it is refused with a sentence that names file and line.
    """
    paths = [str(written(tmp_path, *each)) for each in files.items()]
    answer = sort_files(SortRequest.of({"files": paths, **asked}, tmp_path))
    assert (answer["truth"], answer["unsure"]) == (truth, unsure)
    assert said in answer["html"]
    assert bool(answer["html"]) == bool(said)
    assert [each["name"] for each in answer["files"]] == list(files)
    assert {each["name"]: each["fault"] for each in answer["files"] if "fault" in each} == errors

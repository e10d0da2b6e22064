"""The command as a user runs it: real processes, their output, and one line for each kind of bad input."""

from __future__ import annotations

import json
import re
from math import fsum
from pathlib import Path
from typing import Any

import pytest

from docscore import score_pairs, score_tree
from docscore.metrics.anls_star.tree import outline
from tests.commands import PREDICTIONS, REFERENCES, Write, pred, ref, rows, run, succeed


def strict_json(text: str) -> Any:
    def refuse(name: str) -> None:
        pytest.fail(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_score_as_json_equals_the_library() -> None:
    found = strict_json(succeed("score", REFERENCES, PREDICTIONS, "--json"))
    predicted = {row["question_id"]: row["prediction"] for row in rows(PREDICTIONS)}
    pairs = [(tuple(row["references"]), predicted[row["question_id"]]) for row in rows(REFERENCES)]
    scores = score_pairs(pairs).tolist()
    assert found["anls_score"] == fsum(scores) / 40
    assert found["rows"] == 40
    assert [sample["anls_score"] for sample in found["per_sample"]] == scores
    assert [sample["question_id"] for sample in found["per_sample"]] == [row["question_id"] for row in rows(REFERENCES)]
    assert [sample["anls_score"] for sample in found["worst"]] == sorted(scores)[:10]
    assert found["signature"].startswith("anls_star|tau:0.5")


def test_sixty_real_receipts(real_receipts: Path) -> None:
    """The figure is that of docscore's rules; `anls_star` 1.0.1 answers 0.790, see the README of the data."""
    found = strict_json(
        succeed("score", real_receipts / "references.jsonl", real_receipts / "predictions.jsonl", "--json")
    )
    assert found["anls_score"] == pytest.approx(0.7955427981219589, abs=1e-12)


def test_csv_scores_as_jsonl_does(write: Write) -> None:
    """A form feed, which scanned pages have between them, is no end of a row."""
    truth = write("r.csv", 'question_id,references\na,"[""x y""]"\nb,"[""1,50""]"\n')
    guess = write("p.csv", 'question_id,prediction\nb,"1,50"\na,x\fy\n')
    assert strict_json(succeed("score", truth, guess, "--json"))["anls_score"] == 1.0


R, P = [ref("a", "x")], [pred("a", "x")]
DEEP = "[" * 250 + "]" * 250
# why, references, predictions, further arguments, and what the one line says
BAD: list[tuple[str, tuple[str, Any], tuple[str, Any], list[str], list[str]]] = [
    ("cut off", ("r.jsonl", R), ("p.jsonl", '"x"\n{"a": "b\n'), [], ["p.jsonl, line 2, column 7: "]),
    ("a key twice", ("r.jsonl", '{"a": 1, "a": 2}'), ("p.jsonl", P), [], ["r.jsonl, line 1, key 'a' occurs twice"]),
    ("a bomb", ("r.jsonl", R), ("p.jsonl", "[" * 100_000), [], ["p.jsonl, line 1, nested deeper than 200"]),
    ("not UTF-8", ("r.jsonl", R), ("p.jsonl", b"1\n\xff\n"), [], ["p.jsonl, line 2: expected UTF-8"]),
    ("empty", ("r.jsonl", ""), ("p.jsonl", P), [], ["r.jsonl", "expected at least one row, got none"]),
    ("no list", ("r.json", {"a": 1}), ("p.jsonl", P), [], ["r.json: expected a JSON list of rows, got dict"]),
    ("an extension", ("r.txt", "x"), ("p.jsonl", P), [], ["r.txt: expected a file name that ends in .jsonl"]),
    ("a CSV row too short", ("r.jsonl", R), ("p.csv", "a,b\n1\n"), [], ["p.csv, line 2: expected 2 cells"]),
    (
        "a duplicate id",
        ("r.jsonl", R),
        ("p.jsonl", P * 2),
        [],
        ["p.jsonl: ids that occur more than once in the predictions (1): 'a'; 'a': line 1, line 2"],
    ),
    (
        "an unknown id",
        ("r.jsonl", R),
        ("p.jsonl", [*P, pred("z", 1)]),
        [],
        ["p.jsonl: ids of predictions that no reference has", "'z'"],
    ),
    ("a missing id", ("r.jsonl", [*R, ref("b", 1)]), ("p.jsonl", P), [], ["r.jsonl", "no prediction has", "'b'"]),
    ("no answer", ("r.jsonl", [ref("a")]), ("p.jsonl", P), [], ["r.jsonl, line 1: expected 'references' to be"]),
    (
        "an id that is a float",
        ("r.jsonl", R),
        ("p.jsonl", [pred("a", 1), {**P[0], "question_id": 1.5}]),
        [],
        ["p.jsonl, line 2"],
    ),
    (
        "another format below",
        ("r.jsonl", R),
        ("p.jsonl", [*P, 5]),
        [],
        ["p.jsonl, line 2: expected an object", "got int"],
    ),
    ("another format", ("r.jsonl", R), ("p.jsonl", ["x"]), [], ["p.jsonl: expected predictions and references in one"]),
    (
        "plain rows, one short",
        ("r.jsonl", [1, 2]),
        ("p.jsonl", [1]),
        [],
        ["expected as many predictions as references"],
    ),
    (
        "too deep",
        ("r.jsonl", R),
        ("p.jsonl", f'{{"question_id": "a", "prediction": {DEEP}}}'),
        [],
        ["p.jsonl, line 1", "nested deeper than 200 levels"],
    ),
    (
        "an empty one-of",
        ("r.jsonl", [ref("a", {"$one_of": []})]),
        ("p.jsonl", P),
        [],
        ["r.jsonl, line 1", "at least 1"],
    ),
    (
        "a threshold of 2",
        ("r.jsonl", R),
        ("p.jsonl", P),
        ["--threshold", "2"],
        ["expected a number in the range 0<=x<=1, got 2"],
    ),
]


@pytest.mark.parametrize(
    ("references", "predictions", "options", "said"), [row[1:] for row in BAD], ids=[row[0] for row in BAD]
)
def test_bad_input_is_one_line_and_exit_status_2(
    write: Write, references: tuple[str, Any], predictions: tuple[str, Any], options: list[str], said: list[str]
) -> None:
    done = run("score", write(*references), write(*predictions), *options)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"docscore: [^\n]+\n", done.err)
    assert [part for part in said if part not in done.err] == []


@pytest.mark.parametrize("name", ["none.jsonl", "folder.jsonl"])
def test_files_that_cannot_be_read_are_one_line_too(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    done = run("score", REFERENCES, tmp_path / name)
    assert (done.code, done.out) == (2, "")
    assert name in done.err
    assert done.err.count("\n") == 1


def test_explain_by_id_prints_the_folded_outline(write: Write) -> None:
    truth, guess = {"a": ["x", "y"], "b": {"c": "z"}}, {"a": ["y"], "b": {"c": "z"}}
    files = write("r.jsonl", [ref("q", 1), ref("p", truth)]), write("p.jsonl", [pred("p", guess), pred("q", 1)])
    folded = [line.text() for line in outline(score_tree((truth,), guess), fold=True)]
    assert "all 1 exact" in folded[-1]
    assert succeed("explain", *files, "--id", "p").splitlines() == folded
    assert succeed("explain", *files, "--id", "p", "--all").splitlines() == str(score_tree(truth, guess)).splitlines()
    tree = strict_json(succeed("explain", *files, "--id", "p", "--json"))
    assert (tree.pop("format"), tree.pop("annotations")) == ("docscore.explain/1", [])
    assert tree == json.loads(json.dumps(score_tree((truth,), guess).to_dict()))
    assert [child["path"] for child in tree["children"]] == ["$.a", "$.b"]


def test_explain_without_an_id_where_there_is_one_document(write: Write) -> None:
    assert succeed("explain", write("r.jsonl", R), write("p.jsonl", P)) == '= $  1.000          "x"\n'


def test_explain_two_json_values(write: Write) -> None:
    files = write("truth.json", {"a": {"$one_of": ["x", "y"]}}), write("guess.json", {"a": "y"})
    assert succeed("explain", *files) == "= $  1.000          (all 1 exact)\n"
    assert succeed("explain", *files, "--all").splitlines()[1] == '└─ = a  1.000          "y"  (option 2 of 2)'


def test_explain_repairs_where_that_is_asked_for_and_says_so(write: Write) -> None:
    files = write("r.jsonl", [ref("a", {"k": "x"})]), write("p.jsonl", [pred("a", "Here: {'k': 'x',}")])
    assert "object against string" in succeed("explain", *files)
    for mode, start, note in (("repair", "= $  1.000", "mended"), ("json", "≠ $  0.000", "scored as text")):
        done = run("explain", *files, "--parse", mode)
        assert done.code == 0
        assert done.out.startswith(start)
        assert re.fullmatch(rf"[^\n]*{note}[^\n]*\n", done.err)


@pytest.mark.parametrize("options", [[], ["--id", "zz"]])
def test_explain_asks_for_an_id_and_names_some(write: Write, options: list[str]) -> None:
    names = [f"doc{i}" for i in range(9)]
    files = write("r.jsonl", [ref(n, 1) for n in names]), write("p.jsonl", [pred(n, 1) for n in names])
    done = run("explain", *files, *options)
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(
        r"docscore: \S+r\.jsonl: expected --id with one of the 9 ids \(doc0, doc1, doc2, \.\.\.\), .*\n", done.err
    )


def test_numbers_that_json_or_python_cannot_print(write: Write) -> None:
    """NaN and infinities are not JSON; 4,300 digits are the most of a number."""
    odd = write("odd.json", '{"a": NaN, "b": -Infinity, "c": ' + "9" * 4300 + "}")
    assert succeed("explain", odd, odd).startswith("= $  1.000")
    done = run("explain", odd, odd, "--json")
    assert (done.code, done.err) == (0, "")
    assert '"score": 1.0' in done.out


def test_compatibility_mode_is_said_without_a_line_of_our_code(write: Write) -> None:
    for command, extension in (("score", "jsonl"), ("explain", "json")):
        done = run(command, write(f"r.{extension}", '["x", "y"]'), write(f"p.{extension}", '"y"'))
        assert done.code == 0
        assert ".py:" not in done.err
        assert done.err.count("\n") <= 1

"""`docscore explain`: what it prints of a row or of two values, and that faults of other rows do not matter."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docscore import score_tree
from docscore.metrics.anls_star.tree import outline
from tests.commands import Write, pred, ref, run, succeed
from tests.test_streams import WRITERS, documents


def test_explain_by_id_prints_the_folded_outline(write: Write) -> None:
    truth, guess = {"a": ["x", "y"], "b": {"c": "z"}}, {"a": ["y"], "b": {"c": "z"}}
    files = write("r.jsonl", [ref("q", 1), ref("p", truth)]), write("p.jsonl", [pred("p", guess), pred("q", 1)])
    folded = [line.text() for line in outline(score_tree((truth,), guess), fold=True)]
    assert "all 1 exact" in folded[-1]
    assert succeed("explain", *files, "--id", "p").splitlines() == folded
    assert succeed("explain", *files, "--id", "p", "--all").splitlines() == str(score_tree(truth, guess)).splitlines()
    tree = json.loads(succeed("explain", *files, "--id", "p", "--json"))
    assert (tree.pop("format"), tree.pop("annotations")) == ("docscore.explain/1", [])
    assert tree == json.loads(json.dumps(score_tree((truth,), guess).to_dict()))
    assert [child["path"] for child in tree["children"]] == ["$.a", "$.b"]


def test_explain_without_an_id_where_there_is_one_document(write: Write) -> None:
    assert (
        succeed("explain", write("r.jsonl", [ref("a", "x")]), write("p.jsonl", [pred("a", "x")]))
        == '= $  1.000          "x"\n'
    )


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


@pytest.mark.parametrize("form", WRITERS)
@pytest.mark.parametrize("renamed", [False, True])
def test_the_row_is_found_in_every_format(tmp_path: Path, form: str, renamed: bool) -> None:
    writer, options = WRITERS[form]
    references, predictions = documents()
    if renamed:
        options = [*options, "--id-column", "doc"]
        for row in (*references, *predictions):
            row["doc"] = row.pop("question_id")
    paths = writer(tmp_path, "r", references), writer(tmp_path, "p", predictions[::-1])
    shown = succeed("explain", *paths, "--id", "d12", "--all", *options)
    assert '"12.50" → 12' in shown
    assert succeed("explain", *paths, "--id", "d1", "--all", *options).count("12") == 0


@pytest.mark.parametrize("name", ["a/b", "größe", 'quoted "id"', "\u2028", "7", "back\\slash", "😀"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_any_id_is_found_however_it_is_written(write: Write, name: str, ascii_only: bool) -> None:
    rows = [(pred(each, "tea"), ref(each, "ten")) for each in ("other", name)]
    texts = [[json.dumps(row, ensure_ascii=ascii_only).replace("/", "\\/") for row in side] for side in zip(*rows)]  # noqa: B905  of equal length
    p, r = (write(f"{side}.jsonl", "\n".join(lines) + "\n") for side, lines in zip("pr", texts, strict=True))
    assert '"ten" → "tea"' in succeed("explain", r, p, "--id", name)


def test_a_duplicate_of_the_row_is_an_error_that_names_the_lines(write: Write) -> None:
    references, predictions = [ref("a", "x"), ref("b", "x")], [pred("a", "x"), pred("b", "x"), pred("a", "y")]
    paths = write("r.jsonl", references), write("p.jsonl", predictions)
    done = run("explain", *paths, "--id", "a")
    assert (done.code, done.out) == (2, "")
    assert "ids that occur more than once in the predictions (1): 'a'; 'a': line 1, line 3" in done.err
    assert succeed("explain", *paths, "--id", "b")


def test_faults_of_other_rows_do_not_matter_and_those_of_the_row_do(write: Write) -> None:
    p = write("p.jsonl", '{"question_id": "one", "prediction": "x"}\n{"question_id": "bad"\n\n5\n')
    r = write("r.jsonl", [ref("one", "x"), ref("bad", "y"), ref("c", "y")])
    assert "= $" in succeed("explain", r, p, "--id", "one")
    done = run("explain", r, p, "--id", "bad")
    assert done.code == 2
    assert "line 2" in done.err

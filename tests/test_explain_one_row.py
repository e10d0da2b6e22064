"""`docscore explain --id` reads the row that is asked for, and says what is wrong with it, not with others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Write, pred, ref, run, succeed
from tests.test_streams import WRITERS, documents


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

"""Files with signs other than commas between their columns: told by the header, by the extension, or by an option."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore.data.csv_files import DELIMITERS, delimiter_of
from docscore.data.files import read_table
from tests.commands import Write, run, succeed
from tests.conftest import table

HEADERS = table("delimiters", "headers")  # why, text, sign


@pytest.mark.parametrize(("why", "text", "sign"), HEADERS)
def test_the_header_tells(why: str, text: str, sign: str) -> None:
    assert delimiter_of(text, ["question_id"]) == sign, why


@given(st.sampled_from(DELIMITERS), st.lists(st.text('ab,;|\t" \n', min_size=1), min_size=1, max_size=4, unique=True))
def test_any_file_that_has_ids_is_read_as_it_was_written(sign: str, columns: list[str]) -> None:
    """Whatever stands in the other columns: only the right sign gives a column of that name."""
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=sign, quoting=csv.QUOTE_ALL).writerow(["question_id", *columns])
    assert delimiter_of(file.getvalue(), ["question_id"]) == sign


def test_a_sign_that_is_given_counts(write: Write) -> None:
    path = write("t.csv", "id;n, m\na;1\n")
    assert read_table(path, delimiter=";").rows == [{"id": "a", "n, m": "1"}]
    assert read_table(write("t.tsv", "id:n\na:1\n"), delimiter=":").rows == [{"id": "a", "n": "1"}]
    references = write("r.jsonl", [{"question_id": "a", "references": ["x"]}])
    for sign, option in (("\t", "tab"), ("\t", r"\t"), (":", ":")):
        predictions = write("p.csv", f"question_id{sign}x,y{sign}prediction\na{sign},{sign}x\n")
        found = succeed("score", references, predictions, "--delimiter", option, "--json")
        assert json.loads(found)["anls_score"] == 1.0


@pytest.mark.parametrize("sign", ["::", "", '"'])
def test_other_signs_are_refused(write: Write, sign: str) -> None:
    done = run("score", write("r.csv", ""), write("p.csv", ""), "--delimiter", sign)
    assert (done.code, done.out) == (2, "")
    assert f"expected one character, or tab, got {sign!r}" in done.err


def test_columns_that_cannot_be_told_are_named_with_the_remedy(write: Write) -> None:
    references = write("r.csv", "doc;first, second\na;x, y\n")
    done = run("score", references, references)
    assert (done.code, done.out) == (2, "")
    assert "expected a column 'question_id', got 'doc;first', ' second'; --delimiter names the sign" in done.err
    done = run("score", references, write("p.csv", "doc;first, second\na;x\n"))
    assert "expected 2 cells as in the header, got 1; --delimiter names the sign" in done.err

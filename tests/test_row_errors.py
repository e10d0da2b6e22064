"""Files with errors: all are found before anything is scored, named, counted, and left out where that is asked for."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import score_pairs
from docscore.core.errors import KEPT, DataError, Diagnostic, RowErrors, errors_summary
from docscore.core.options import ReadOptions
from docscore.inputs.formats import read_table
from docscore.inputs.pairing import paired_systems
from docscore.inputs.test_set import TestSet
from tests.commands import Write, pred, ref, run, succeed, written
from tests.conftest import examples, golden
from tests.structures import evaluation_of

TRUTH = "abcdefghij"
R = [ref(name, TRUTH) for name in "abcd"]
P = [pred(name, TRUTH[: 10 - number]) for number, name in enumerate("abcd")]  # 1, 0.9, 0.8 and 0.7


def read(
    references: Path, predictions: Path, on_error: str = "error", missing: str = "error"
) -> tuple[TestSet, RowErrors]:
    errors = RowErrors(on_error)
    pairs = paired_systems(
        read_table(references, errors), [read_table(predictions, errors)], ReadOptions(missing=missing), errors
    )[0]
    return pairs, errors


CSV_R = "question_id,references\n" + "".join(f'{name},"[""{TRUTH}""]"\n' for name in "abcd")
CSV_P = "question_id,prediction\n" + "".join(f"{row['question_id']},{row['prediction']}\n" for row in P)
DEEP: Any = TRUTH
for _ in range(250):
    DEEP = [DEEP]
ID = "question_id"
NOT_JSON, SHAPE, VALUE = "not JSON", "not in the row format", "with a value that cannot be scored"


@golden("row_errors", "kinds")
def test_an_error_names_file_and_place_and_what_is_left_scores_as_files_cleaned_by_hand(
    write: Write, references: list[str], predictions: list[str], message: str, kind: str, left: str, skipped: int
) -> None:
    """The row with the error is left out with its partner; the skipped references are counted and in the signature.

    The names and texts of both files are given in Latin-1, so that a byte may be no UTF-8.
    """
    first, second = (write(name, text.encode("latin-1")) for name, text in (references, predictions))
    with pytest.raises(DataError) as caught:
        read(first, second)
    [error] = caught.value.errors
    assert str(caught.value) == str(error)
    assert message in str(error)
    assert any(str(file) in str(error) for file in (first, second))
    assert kind in error.kind
    pairs, errors = read(first, second, "skip")
    clean = [[row for row in rows if row[ID] in left] for rows in (R, P)]
    cleaned, _ = read(write("clean_r.jsonl", clean[0]), write("clean_p.jsonl", clean[1]))
    scored, wanted = evaluation_of(pairs), evaluation_of(cleaned)
    assert (scored.samples(), scored.score) == (wanted.samples(), wanted.score)
    assert scored.counts == {"skipped": skipped}
    assert str(scored.signature).count(f"|skipped:{skipped}|") == bool(skipped)
    assert message in str(errors.collected[0])
    assert any(kind in error.kind for error in errors.collected)


def test_several_errors_are_five_sentences_and_a_summary(write: Write) -> None:
    """The summary counts each kind, the most frequent first."""
    names = [str(number) for number in range(10)]
    wrong: list[Any] = [*(pred(name, DEEP) for name in names[:3]), *({ID: name} for name in names[3:7])]
    files = (
        write("r.jsonl", [ref("ok", 1), *(ref(name, 1) for name in names)]),
        write("p.jsonl", [pred("ok", 1), *wrong, *(pred(name, 1) for name in names[7:])]),
    )
    with pytest.raises(DataError) as caught:
        read(*files)
    assert len(caught.value.errors) == 7
    assert caught.value.lines()[:5] == [str(error) for error in caught.value.errors[:5]]
    assert caught.value.lines()[5:] == [f"7 errors: {SHAPE} (4), {VALUE} (3)"]
    assert [int(re.findall(r"line (\d+)", line)[0]) for line in caught.value.lines()[:5]] == [2, 3, 4, 5, 6]
    done = run("score", *files)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [f"docscore: {line}" for line in caught.value.lines()]


def test_without_an_error_nothing_is_skipped_and_the_signature_is_the_same(write: Write) -> None:
    files = write("r.jsonl", R), write("p.jsonl", P)
    default, skipping = (json.loads(succeed("score", *files, "--json", "--on-error", m)) for m in ("error", "skip"))
    assert skipping == {**default, "skipped": 0}
    assert "skipped:" not in skipping["signature"]
    assert "skipped" not in default


ALL_FAULTY: dict[str, tuple[Any, Any]] = {
    "references that are no JSON": (b"{\n{\n", P),
    "predictions that are no JSON": (R, b"{\n{\n"),
    "ids that never pair": (R, [pred(f"{name}2", 1) for name in "abcd"]),
    "references that cannot be scored": ([ref(name, {"$one_of": []}) for name in "abcd"], P),
    "every id twice": (R + R, P),
}


@pytest.mark.parametrize(("references", "predictions"), ALL_FAULTY.values(), ids=ALL_FAULTY)
def test_where_no_row_is_left_there_is_no_score(write: Write, references: Any, predictions: Any) -> None:
    files = write("r.jsonl", references), write("p.jsonl", predictions)
    with pytest.raises(ValueError, match=r"r\.jsonl") as caught:
        read(*files, "skip")
    assert len(str(caught.value).splitlines()) == 1


@golden("row_errors", "first rows")
def test_the_first_row_may_be_the_invalid_one(write: Write, references: list[Any], predictions: list[Any]) -> None:
    """Whether an invalid row is skipped does not depend on its place."""
    pairs, _ = read(write("r.jsonl", references), write("p.jsonl", predictions), "skip")
    assert pairs.ids == ["b", "c", "d"]


@pytest.mark.parametrize("plain", [False, True])
def test_an_invalid_prediction_is_skipped_and_not_scored_as_null(write: Write, *, plain: bool) -> None:
    """Where its partner is known, missing "zero" makes no difference: it is not missing."""
    rows = [TRUTH, DEEP, TRUTH], [TRUTH] * 3
    files = (
        write("r.jsonl", rows[1] if plain else [ref(str(i), value) for i, value in enumerate(rows[1])]),
        write("p.jsonl", rows[0] if plain else [pred(str(i), value) for i, value in enumerate(rows[0])]),
    )
    pairs, _ = read(*files, "skip", "zero")
    assert (pairs.ids, pairs.absent, pairs.skipped) == (["0", "2"], frozenset(), 1)


texts = st.text("abc", min_size=1, max_size=4)
values = texts | st.integers(0, 9) | st.lists(texts, max_size=3) | st.dictionaries(st.sampled_from("kl"), texts)
breaks = st.none() | st.sampled_from([lambda line: b"{" + line, lambda line: b'"\xff' + line, lambda _: b"nul"])
documents = st.lists(st.tuples(values, values, breaks, breaks), min_size=1, max_size=8)


@pytest.mark.filterwarnings("ignore:compatibility mode:UserWarning")
@pytest.mark.filterwarnings("ignore::docscore.core.errors.DataWarning")  # drawn predictions are this odd
@pytest.mark.parametrize("plain", [False, True])
@examples(60)
@given(rows=documents, random=st.randoms(use_true_random=False))
def test_skip_scores_the_documents_whose_lines_are_good_on_both_sides(
    rows: list[tuple[Any, Any, Any, Any]], random: Any, tmp_path_factory: pytest.TempPathFactory, *, plain: bool
) -> None:
    """In the order of the references, with the mean of these alone."""

    def line(row: Any, spoil: Callable[[bytes], bytes] | None) -> bytes:
        content = json.dumps(row).encode()
        return spoil(content) if spoil else content

    truths = [line(t if plain else ref(str(n), t), spoil) for n, (t, _, spoil, _) in enumerate(rows)]
    guesses = [line(p if plain else pred(str(n), p), spoil) for n, (_, p, _, spoil) in enumerate(rows)]
    if not plain:
        random.shuffle(guesses)
    folder = tmp_path_factory.mktemp("random")
    files = written(folder, "r.jsonl", b"\n".join(truths)), written(folder, "p.jsonl", b"\n".join(guesses))
    good = [number for number, row in enumerate(rows) if row[2] is row[3] is None]
    if not good:
        with pytest.raises(ValueError, match=r"\."):
            read(*files, "skip")
        return
    scored = evaluation_of(read(*files, "skip")[0])
    wanted = score_pairs([(rows[n][0] if plain else (rows[n][0],), rows[n][1]) for n in good]).tolist()
    assert (scored.ids, scored.scores) == ([str(number) for number in good], wanted)
    assert scored.score == fsum(wanted) / len(wanted)
    assert scored.counts == {"skipped": len(rows) - len(good)}


FORMATS = {
    "jsonl": ("\n".join(map(json.dumps, R)), "\n".join(map(json.dumps, P))),
    "json": (json.dumps(R, indent=1), json.dumps(P, indent=1)),
    "csv": (CSV_R, CSV_P),
}
formats = pytest.mark.parametrize("form", FORMATS)
DRESSES: dict[str, Callable[[str], str]] = {
    "a byte order mark": lambda content: f"\ufeff{content}",
    "line ends of Windows": lambda content: content.replace("\n", "\r\n"),
    "both": lambda content: "\ufeff" + content.replace("\n", "\r\n"),
}


@formats
@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
@pytest.mark.parametrize("packed", [False, True])
def test_marks_line_ends_and_gzip_change_no_pair(
    write: Write, form: str, dress: Callable[[str], str], *, packed: bool
) -> None:
    dressed = []
    for side, text in zip("rp", FORMATS[form], strict=True):
        content = dress(text).encode()
        dressed.append(write(f"{side}.{form}{'.gz' * packed}", gzip.compress(content) if packed else content))
    assert read(dressed[0], dressed[1])[0] == read(write("r2.jsonl", R), write("p2.jsonl", P))[0]


@formats
@pytest.mark.parametrize("on_error", ["error", "skip"])
@pytest.mark.parametrize("end", ["", ".gz"])
def test_an_empty_file_is_an_error_on_either_side(write: Write, form: str, on_error: str, end: str) -> None:
    empty = write(f"e.{form}{end}", gzip.compress(b"") if end else b"")
    for files in ((empty, write("p.jsonl", P)), (write("r.jsonl", R), empty)):
        with pytest.raises(ValueError, match=re.escape(str(empty))):
            read(*files, on_error)


@formats
def test_a_part_of_a_compressed_file_is_an_error(write: Write, form: str) -> None:
    """Wherever it was cut off, even within the checksum at its end, and whether rows may be skipped or not."""
    whole = gzip.compress(FORMATS[form][0].encode())
    for size in range(1, len(whole)):
        path = write(f"r.{form}.gz", whole[:size])
        with pytest.raises(ValueError, match=rf"{re.escape(path.name)}: expected a complete gzip file"):
            read_table(path, RowErrors("skip"))


@pytest.mark.parametrize("on_error", ["error", "skip"])
@pytest.mark.parametrize("indent", [None, 0, 2])
@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_a_json_list_of_rows_named_jsonl_is_an_error_in_one_line(
    write: Write, on_error: str, indent: int | None, ending: str
) -> None:
    """It is neither as many errors as it has lines nor, on one line, a single document."""
    contents = (json.dumps(rows, indent=indent).encode() for rows in (R, P))
    packed = [gzip.compress(content) if ending.endswith("gz") else content for content in contents]
    with pytest.raises(ValueError, match=r"\.json") as caught:
        read(write(f"r.{ending}", packed[0]), write(f"p.{ending}", packed[1]), on_error)
    assert len(str(caught.value).splitlines()) == 1


def test_of_a_flood_the_first_are_kept_and_the_others_counted() -> None:
    """Of each kind, whatever comes between; the same error counts once."""
    errors = RowErrors("skip")
    for number in range(2 * KEPT + 3):
        errors.add(NOT_JSON, Diagnostic((f"line {number}",)))
        errors.add(NOT_JSON, Diagnostic(("line 0",)))
    errors.add(SHAPE, Diagnostic(("line 1",)), 4)
    assert [error.diagnostic.place for error in errors.collected] == [*(f"line {n}" for n in range(KEPT)), "line 1", ""]
    assert str(errors.collected[-1]) == f"and {KEPT + 3:,} more: {NOT_JSON}"
    assert errors_summary(errors.collected) == f"{2 * KEPT + 7:,} errors: {NOT_JSON} ({2 * KEPT + 3:,}), {SHAPE} (4)"


@pytest.mark.parametrize(("mode", "text"), [("json", '{"a": "x"'), ("repair", '{"a": "x"} or {"a": "y"}')])
def test_a_reference_that_cannot_be_read_as_json_is_an_error_of_its_line(write: Write, mode: str, text: str) -> None:
    """Alternatives too; all of them are named before anything is scored."""
    texts = ['{"a": "x"}', text, '{"a": "x"}', '{"a": "z"}']
    alternatives = [[each] for each in texts[:2]] + [[texts[2], text], [texts[3]]]
    references = write(
        "r.jsonl", [{ID: name, "references": each} for name, each in zip("abcd", alternatives, strict=True)]
    )
    predictions = write("p.jsonl", [pred(name, {"a": "x"}) for name in "abcd"])
    arguments = ["score", str(references), str(predictions), "--parse-references", mode]
    done = run(*arguments)
    places = [f"{references}, line {line}: an answer: " for line in (2, 3)]
    assert (done.code, [place in done.err for place in places]) == (2, [True, True])
    done = run(*arguments, "--on-error", "skip", "--json")
    result = json.loads(done.out)
    assert (done.code, result["score"], result["rows"], result["skipped"]) == (0, 0.5, 2, 2)
    assert [place in done.err for place in places] == [True, True]
    assert f"2 errors: {VALUE}; 2 of 4 rows are left out" in done.err

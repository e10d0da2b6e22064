"""`docscore explain`: what it prints of a row or of two values, and that faults of other rows do not matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docscore import score_tree
from docscore.metrics.anls_star.tree import outline
from tests.commands import Write, pred, ref, succeed
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

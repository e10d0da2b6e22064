"""A file: from two uploads to the scores of a test set, its fields and its rows."""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from docscore import ScoreTree, score_tree
from docscore.corpus import CorpusScore, check_options, parse_predictions, score_corpus
from docscore.fields import field_table
from docscore.files import named, read_sides, read_table
from docscore.html import render
from docscore.outline import printable
from docscore.rows import Pairs, pair_rows
from docscore.values import at_place, shown
from playground.gallery import RECEIPTS
from playground.limits import check_file, check_value, check_work, shortened

EXAMPLE_FILES = RECEIPTS / "references.jsonl", RECEIPTS / "predictions.jsonl"
FIELD_HEADERS = ["field", "score", "exact", "partial", "wrong", "missing", "only in the prediction"]
ROW_HEADERS = ["id", "score"]
_LONGEST_FIELD = 120
_KEPT_SECONDS = 3600
_CLEANED_AT_EXIT = tempfile.TemporaryDirectory(prefix="docscore-")
_FOLDER = Path(_CLEANED_AT_EXIT.name)

Progress = Callable[[float, str], object]


class TestSet(NamedTuple):
    """A scored test set.

    Attributes:
        pairs: its rows, texts read as JSON where that was asked for.
        scores: the score of each row, and what was missing or not parsed.
        summary: the mean and the counts, as HTML.
        fields: a row a field, as `FIELD_HEADERS` says.
        rows: a row a document, as `ROW_HEADERS` says.
        downloads: a CSV file and a JSON file with the scores.
    """

    pairs: Pairs
    scores: CorpusScore
    summary: str
    fields: list[list[Any]]
    rows: list[list[Any]]
    downloads: tuple[str, str]


def score_files(references: Path, predictions: Path, parse: str | None, progress: Progress) -> TestSet:
    """Score two files.

    Raises:
        TypeError, ValueError, OSError: one sentence that names the file and the place.
    """
    _, mode = check_options(parse=parse)
    pairs = _read(references, predictions)
    parsed = pairs._replace(predictions=parse_predictions(pairs.predictions, mode)[0])
    _check(parsed)
    total = len(pairs.ids)
    done = 0

    def scored(count: int) -> None:
        nonlocal done
        done += count
        progress(done / total / 2, f"Scoring {done:,} of {total:,}")

    scores = score_corpus(pairs, parse=parse, scored=scored)
    trees = _watched(parsed, progress)
    fields = [[printable(f.path)[:_LONGEST_FIELD], round(f.score, 4), *f.counts.values()] for f in field_table(trees)]
    rows = [[printable(s["question_id"]), round(s["anls_score"], 6)] for s in scores.worst(total)]
    return TestSet(parsed, scores, _summary(scores), fields, rows, _downloads(scores))


def tree_of(pairs: Pairs, shown_id: str) -> str:
    """The tree of a row, by its id as it is shown, as HTML."""
    for index, question_id in enumerate(pairs.ids):
        if printable(question_id) == shown_id:
            title = f'<h2 class="anls-title">{escape(shown_id)}</h2>'
            return title + render(_tree(pairs, index), prefix="file")
    return ""


def sentence(fault: str) -> str:
    """What went wrong, as HTML."""
    return f'<p class="anls-fault" role="alert">{escape(shortened(printable(fault)))}</p>'


def _read(references: Path, predictions: Path) -> Pairs:
    for path in (references, predictions):
        check_file(path)
    theirs, ours = read_table(references), read_table(predictions)
    with named(references, predictions):
        read = read_sides(references, predictions, theirs, ours)
        for rows, where, is_truth in ((read[0], ours.where, False), (read[1], theirs.where, True)):
            for index, row in enumerate(rows):
                try:
                    check_value(row.value, is_truth=is_truth)
                except (TypeError, ValueError) as error:
                    raise at_place(where(index), error) from None
        return pair_rows(*read)


def _check(pairs: Pairs) -> None:
    """What a text became by reading it as JSON has the same limits."""
    for question_id, truth, prediction in zip(pairs.ids, pairs.truths, pairs.predictions, strict=True):
        try:
            check_value(prediction, is_truth=False)
            check_work(truth, prediction)
        except (TypeError, ValueError) as error:
            name = f"row {shown(question_id)}"
            raise at_place(name, error) from None


def _watched(pairs: Pairs, progress: Progress) -> Iterator[ScoreTree]:
    total = len(pairs.ids)
    for index in range(total):
        if index % 50 == 0:
            progress(0.5 + index / total / 2, f"Explaining {index:,} of {total:,}")
        yield _tree(pairs, index)


def _tree(pairs: Pairs, index: int) -> ScoreTree:
    return score_tree(pairs.truths[index], pairs.predictions[index])


def _summary(scores: CorpusScore) -> str:
    counts = {
        "parse_failures": "predictions could not be parsed and are scored as text",
        "parse_repaired": "predictions were repaired",
    }
    said = "".join(f"<li>{count:,} {counts[name]}</li>" for name, count in scores.counts().items())
    return (
        f'<div class="anls-tree"><p class="anls-head"><strong class="anls-score">{scores.mean:.4f}</strong> '
        f"mean of {len(scores.ids):,} rows</p><ul>{said}</ul><small>{escape(scores.signature)}</small></div>"
    )


def _downloads(scores: CorpusScore) -> tuple[str, str]:
    """The scores as files; the folder is of this call alone, and goes within the next hours."""
    for old in _FOLDER.iterdir():
        if old.stat().st_mtime < time.time() - _KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(dir=_FOLDER))
    table, document = folder / "scores.csv", folder / "scores.json"
    with table.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["question_id", "anls_score"])
        writer.writerows([sample["question_id"], sample["anls_score"]] for sample in scores.samples())
    result = {
        "anls_score": scores.mean,
        **scores.counts(),
        "signature": scores.signature,
        "per_sample": scores.samples(),
    }
    document.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return str(table), str(document)

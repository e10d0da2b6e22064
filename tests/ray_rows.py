"""Rows as files that Ray reads, what it wrote, and the same scored by one process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docscore.data.pairing import Pairs, pairs_of
from docscore.evaluation.state import ScoreState

Rows = list[dict[str, Any]]


def jsonl(path: Path, rows: Rows) -> str:
    """The file with the rows."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def parquet(path: Path, rows: Rows) -> str:
    """The file with the rows, values in the columns that Arrow makes of them."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    from pyarrow import parquet as writer  # noqa: PLC0415

    writer.write_table(pa.Table.from_pylist(rows), path)
    return str(path)


def written(folder: Path) -> Rows:
    """The rows of all files in the folder, by id."""
    from pyarrow import parquet as reader  # noqa: PLC0415  an extra

    rows = [row for path in folder.iterdir() for row in reader.ParquetFile(path).read().to_pylist()]
    return sorted(rows, key=lambda row: str(row["question_id"]))


def alone(predictions: Rows, references: Rows, **rules: Any) -> tuple[ScoreState, Rows]:
    """The state and the rows that one process gives."""
    from docscore.evaluation.scores import score_corpus  # noqa: PLC0415  beside what it is used for

    state = ScoreState(**rules)
    pairs: Pairs = pairs_of(predictions, references, state.options.missing)
    scores = score_corpus(pairs, state.options)
    state.update_scores(scores)
    return state, sorted(scores.samples(), key=lambda row: str(row["question_id"]))


def same(here: ScoreState, there: ScoreState) -> None:
    """Both states are the same to the last bit."""
    assert here.compute() == there.compute()
    assert (here.rows, here.counts, here.sums, here.identity) == (there.rows, there.counts, there.sums, there.identity)

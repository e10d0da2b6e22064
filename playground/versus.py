"""Two files of predictions against one file of references: what changed, and whether that could be chance."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.formatting import printable, with_sign
from docscore.core.options import ScoringOptions
from docscore.corpus.comparison import Comparison
from docscore.corpus.evaluation import Evaluation
from docscore.corpus.scores import CorpusScore
from docscore.report.wording import changes_text, count_lines_of_both, documents_text, interval_text, p_text
from playground.testset import drawn
from playground.uploads import Bar, Progress, rows_of_uploads, shown_ids, skipped_as_html

FIELD_HEADERS = ["field", "base", "new", "change", "from", "to", "p", "q"]
DOCUMENT_HEADERS = ["id", "base", "new", "change"]
_LONGEST_FIELD = 120


class Versus(NamedTuple):
    """Two compared systems.

    Attributes:
        scores: of the base and of the new one.
        summary: the difference, its interval and test, as HTML.
        fields: a row a field that changed, as `FIELD_HEADERS` says.
        documents: a row a document that changed, as `DOCUMENT_HEADERS` says.
    """

    scores: tuple[CorpusScore, CorpusScore]
    summary: str
    fields: list[list[Any]]
    documents: list[list[Any]]


def compare_files(
    references: Path, base: Path, new: Path, parse: str | None, *, skip: bool, progress: Progress
) -> Versus:
    """Compare two files of predictions.

    Raises:
        TypeError, ValueError, OSError: one sentence, or a few, that name the file and the place.
    """
    options = ScoringOptions(parse=parse)
    uploaded = rows_of_uploads(references, [base, new], options, skip=skip)
    bar = Bar(progress, phases=5)
    before, after = (Evaluation(pairs, options, progress=bar.phase) for pairs in uploaded.systems)
    found = before.compare(after)
    scores = before.scores, after.scores
    head = skipped_as_html(uploaded) + _summary(found)
    return Versus(scores, head, _fields(found), _documents(found))


def trees_of(scores: tuple[CorpusScore, CorpusScore], shown_id: str) -> str:
    """The trees of a document in the base and in the new system, as HTML."""
    names = shown_ids(scores[0].ids)
    if shown_id not in names:
        return ""
    question_id = scores[0].ids[names.index(shown_id)]
    parts = [f'<h2 class="anls-title">{escape(shown_id)}</h2>']
    for which, side in zip(("base", "new"), scores, strict=True):
        parts.append(f'<h3 class="anls-title">{which}</h3>{drawn(side, side.ids.index(question_id), prefix=which)}')
    return "".join(parts)


def _summary(found: Comparison) -> str:
    base, new = found.base.scores, found.new.scores
    counts = "".join(f"<li>{escape(line)}</li>" for line in count_lines_of_both(found))
    return (
        '<div class="anls-tree"><p class="anls-head">'
        f'<strong class="anls-score">{with_sign(found.difference)}</strong> '
        f"from {base.mean:.4f} to {new.mean:.4f}</p>"
        f"<ul><li>{escape(interval_text(found.interval, found.confidence, signed=True))}</li>"
        f"<li>p = {p_text(found.p_value)} (paired permutation test)</li>"
        f"<li>{documents_text(len(new.ids))}: {changes_text(found)}</li>{counts}</ul>"
        f"<small>{escape(str(new.signature))}</small></div>"
    )


def _fields(found: Comparison) -> list[list[Any]]:
    return [
        [printable(each.path)[:_LONGEST_FIELD], *map(_rounded, numbers)]
        for each in found.fields
        if each.changed
        for numbers in [
            (each.base, each.new, each.difference, each.interval.low, each.interval.high, each.p_value, each.q_value)
        ]
    ]


def _documents(found: Comparison) -> list[list[Any]]:
    """The documents that changed, largest change first, the worse ones before the better ones where that is equal."""
    ids = found.base.scores.ids
    names = dict(zip(ids, shown_ids(ids), strict=True))
    changes = sorted([*found.worse, *found.better], key=lambda each: -abs(each.difference))
    return [[names[c.question_id], _rounded(c.base), _rounded(c.new), _rounded(c.difference)] for c in changes]


def _rounded(number: float | None) -> float | None:
    return None if number is None else round(number, 4)

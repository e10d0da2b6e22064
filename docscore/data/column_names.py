"""What the name of a column says: whether it holds ids, ground truths or predictions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

UNKNOWN = 1_000  # the rank of a name that is none of the words

# words that name a column, most telling first; a name is compared as a whole, then each of its words
ID_WORDS = re.findall(
    r"\w+",
    "questionid docid documentid sampleid rowid imageid fileid id uid uuid qid key document doc filename file image "
    "index",
)
TRUTH_WORDS = re.findall(
    r"\w+",
    "references reference groundtruth gt truth gold golden expected target annotation annotations label labels answers "
    "answer correct",
)
PREDICTION_WORDS = re.findall(
    r"\w+",
    "prediction predictions predictiontext predicted pred preds hypothesis output response completion generation "
    "generated extraction extracted result answer answers content",
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def rank_of_name(column: object, words: Sequence[str]) -> int:
    """How clearly the name of a column is one of the words: as a whole, or by one of its words; less is clearer.

    >>> rank_of_name("GroundTruth", TRUTH_WORDS), rank_of_name("model_output", PREDICTION_WORDS)
    (2, 107)
    """
    parts = [part.lower() for part in _WORD.findall(str(column))]
    whole = "".join(parts)
    if whole in words:
        return words.index(whole)
    both = [*parts, *(first + second for first, second in pairwise(parts))]
    return min((100 + words.index(part) for part in both if part in words), default=UNKNOWN)


def clearest_name(columns: Iterable[str], words: Sequence[str]) -> str | None:
    """The column whose name says most clearly that it is one of the words; of equal ones the first, None if none."""
    ranked = [(rank_of_name(column, words), column) for column in columns]
    rank, name = min(ranked, key=lambda each: each[0], default=(UNKNOWN, None))
    return name if rank < UNKNOWN else None

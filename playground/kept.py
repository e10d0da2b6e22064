"""Scored documents that are kept in a file, so that a visitor can open their trees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from docscore.core.options import ScoringOptions
from docscore.corpus.scores import CorpusScore
from docscore.data.json_codec import dumps, loads
from docscore.metrics.anls_star.api import explained
from docscore.metrics.anls_star.tree import ScoreTree
from playground.uploads import shown_ids

GONE = "These results were deleted after an hour; score the files again."


class KeptDocuments(NamedTuple):
    """Where the documents of one or more systems are.

    Attributes:
        folder: the folder, deleted after an hour.
        systems: the number of systems.
        options: how they were scored.
    """

    folder: Path
    systems: int
    options: ScoringOptions

    def trees(self, shown_id: str) -> list[ScoreTree]:
        """The tree of a document in each system; none if there is no such document.

        Raises:
            FileNotFoundError: if the folder was deleted.
        """
        places = json.loads((self.folder / _INDEX).read_text(encoding="utf-8"))
        if shown_id not in places:
            return []
        with (self.folder / _DOCUMENTS).open("rb") as file:
            file.seek(places[shown_id])
            truth, *predictions = (loads(file.readline().decode()) for _ in range(1 + self.systems))
        return [explained(truth, prediction, self.options) for prediction in predictions]


_DOCUMENTS, _INDEX = "documents.jsonl", "documents.json"


def keep_documents(folder: Path, systems: Sequence[CorpusScore]) -> KeptDocuments:
    """Write the documents of systems that were scored on the same rows to a folder."""
    first = systems[0]
    numbers = [{name: number for number, name in enumerate(system.ids)} for system in systems]
    places = {}
    with (folder / _DOCUMENTS).open("wb") as file:
        for shown, name, truth in zip(shown_ids(first.ids), first.ids, first.pairs.truths, strict=True):
            places[shown] = file.tell()
            predictions = [s.pairs.predictions[found[name]] for s, found in zip(systems, numbers, strict=True)]
            file.writelines(f"{dumps(value)}\n".encode() for value in (truth, *predictions))
    (folder / _INDEX).write_text(json.dumps(places), encoding="utf-8")
    return KeptDocuments(folder, len(systems), first.options)

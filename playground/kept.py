"""Scored documents that are kept in a folder, so that a visitor can open their trees."""

from __future__ import annotations

import json
import re
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.options import ScoringOptions
from docscore.corpus.scores import CorpusScore
from docscore.data.json_codec import dumps, loads
from docscore.metrics.anls_star.api import explained
from docscore.metrics.anls_star.tree import ScoreTree
from playground.uploads import KEPT_SECONDS, shown_ids

GONE = "These results were deleted after an hour; score the files again."
_RUN = re.compile(r"[\w-]{22}", re.ASCII)


def kept_file(within: Path, run: object, name: str) -> Path:
    """A file of a result.

    Args:
        within: the folder of all results.
        run: the name of the folder of one, as a browser sends it: anything.
        name: of the file.

    Raises:
        FileNotFoundError: if there is no result of that name, or it is older than an hour.
    """
    path = within / (run if isinstance(run, str) and _RUN.fullmatch(run) else "none") / name
    if path.stat().st_mtime < time.time() - KEPT_SECONDS:
        raise FileNotFoundError(GONE)
    return path


class LineFile(NamedTuple):
    """A file of lines, each read by its number without those before it.

    Attributes:
        path: the file; where its lines begin stands in another file beside it.
    """

    path: Path

    def write(self, lines: Iterable[str]) -> None:
        """Write lines of ASCII text without line breaks."""
        places = array("Q")
        with self.path.open("wb") as file:
            for line in lines:
                places.append(file.tell())
                file.write(f"{line}\n".encode())
        self._places.write_bytes(places.tobytes())

    def lines(self, numbers: Iterable[int]) -> Iterator[str]:
        """The lines of these numbers, counted from 0.

        Raises:
            FileNotFoundError: if the file was deleted.
            IndexError: if there is no such line.
        """
        places = array("Q", self._places.read_bytes())
        with self.path.open("rb") as file:
            for number in numbers:
                file.seek(places[number])
                yield file.readline().decode().removesuffix("\n")

    @property
    def _places(self) -> Path:
        return self.path.with_suffix(".places")


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
        numbers = json.loads((self.folder / _NUMBERS).read_text(encoding="utf-8"))
        if shown_id not in numbers:
            return []
        truth, *predictions = self.values(numbers[shown_id])
        return [explained(truth, prediction, self.options) for prediction in predictions]

    def values(self, number: int) -> list[Any]:
        """The ground truth of the document with that number, and its prediction in each system.

        Raises:
            FileNotFoundError: if the folder was deleted.
        """
        (line,) = LineFile(self.folder / _DOCUMENTS).lines([number])
        return list(map(loads, line.split(_BETWEEN)))


_DOCUMENTS, _NUMBERS = "documents.jsonl", "documents.json"
_BETWEEN = "\t"  # no JSON text in one line of ASCII has it


def keep_documents(folder: Path, systems: Sequence[CorpusScore]) -> KeptDocuments:
    """Write the documents of systems that were scored on the same rows to a folder."""
    first = systems[0]
    numbers = [{name: number for number, name in enumerate(system.ids)} for system in systems]
    LineFile(folder / _DOCUMENTS).write(
        _BETWEEN.join(
            map(dumps, (truth, *(s.pairs.predictions[of[name]] for s, of in zip(systems, numbers, strict=True))))
        )
        for name, truth in zip(first.ids, first.pairs.truths, strict=True)
    )
    shown = {name: number for number, name in enumerate(shown_ids(first.ids))}
    (folder / _NUMBERS).write_text(json.dumps(shown), encoding="utf-8")
    return KeptDocuments(folder, len(systems), first.options)

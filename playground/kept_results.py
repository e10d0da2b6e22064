"""Scored documents that are kept in a folder, so that a visitor can open their trees."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import InputValueError, short_repr
from docscore.core.formatting import clipped, printable
from docscore.core.options import ScoringOptions
from docscore.core.values import Value
from docscore.data.json_text import dumps, loads
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.fields import Losses
from docscore.evaluation.scores import CorpusScore
from docscore.metrics.anls_star.api import build_tree
from docscore.metrics.anls_star.causes import CAUSES, MEANINGS, FieldPlace, places
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.html_tree import explained_drawing
from playground.fragments import fragment

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


def _lines(path: Path, numbers: Iterable[int]) -> list[str]:
    """The lines of a file with these numbers, counted from 0."""
    lines = path.read_text(encoding="ascii").split("\n")
    return [lines[number] for number in numbers]


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
        return [build_tree(truth, prediction, self.options) for prediction in predictions]

    def values(self, number: int) -> list[Any]:
        """The ground truth of the document with that number, and its prediction in each system.

        Raises:
            FileNotFoundError: if the folder was deleted.
        """
        (line,) = _lines(self.folder / _DOCUMENTS, [number])
        return list(map(loads, line.split(_BETWEEN)))


_DOCUMENTS, _NUMBERS = "documents.jsonl", "documents.json"
_BETWEEN = "\t"  # no JSON text in one line of ASCII has it


def keep_documents(folder: Path, systems: Sequence[CorpusScore]) -> KeptDocuments:
    """Write the documents of systems that were scored on the same rows to a folder."""
    first = systems[0]
    numbers = [{name: number for number, name in enumerate(system.ids)} for system in systems]
    predictions = [
        [system.pairs.predictions[of[name]] for name in first.ids] for system, of in zip(systems, numbers, strict=True)
    ]
    documents = zip(first.pairs.truths, *predictions, strict=True)
    lines = (_BETWEEN.join(map(dumps, values)) for values in documents)
    (folder / _DOCUMENTS).write_text("\n".join(lines), encoding="ascii")
    shown = {name: number for number, name in enumerate(shown_ids(first.ids))}
    (folder / _NUMBERS).write_text(json.dumps(shown), encoding="utf-8")
    return KeptDocuments(folder, len(systems), first.options)


MAX_LOSSES = 200_000  # pairs of a field and a cause in all documents that a browser gets
MAX_FOUND = 200  # characters of a text that is looked for
_LONGEST_NAME = 200  # characters of an id and of the name of a field that are shown
_LONGEST_TEXT = 20_000  # characters of a document's values in which a text is looked for, on each side
_DIGITS = 6
_ROWS, _TEXTS, _LIST, _VIEW = "rows.jsonl", "texts.txt", "list.json", "view.json"
_PREFIX = "document"  # of the ids of the rows of its tree


def keep_list(folder: Path, evaluation: Evaluation, outputs: Mapping[str, Any], *, is_example: bool) -> str:
    """Write what the list of documents needs to the folder in which `keep_documents` wrote them.

    Args:
        folder: the folder; its name is what opens it.
        evaluation: the scored test set.
        outputs: the other parts of the result, to show them again where a link opens it; plain values.
        is_example: whether the files are the bundled example, scored without options.

    Returns:
        The value of the component: JSON text with the name of the folder.
    """
    scores, analysis = evaluation.scores, evaluation.analysis
    (folder / _ROWS).write_text("\n".join(map(dumps, _rows(evaluation))), encoding="ascii")
    sides = zip(scores.pairs.truths, scores.pairs.predictions, strict=True)
    texts = (f"{_text_of(truth)}\x1f{_text_of(prediction)}" for truth, prediction in sides)
    (folder / _TEXTS).write_text("\n".join(texts), encoding="utf-8", errors="replace")
    value = json.dumps({"run": folder.name, "example": is_example})
    view = {
        "options": dataclasses.asdict(dataclasses.replace(scores.options, schema=None)),  # ANLS* has no use for it
        "failed": sorted(scores.failed or ()),
        "absent": sorted(scores.absent or ()),
        "fields": [field.path for field in analysis.by_loss()],
        "documents": len(scores.ids),
        "outputs": {**outputs, "documents": value},
    }
    (folder / _VIEW).write_text(json.dumps(view), encoding="utf-8")
    (folder / _LIST).write_text(json.dumps(_listing(evaluation)), encoding="utf-8")
    return value


def _listing(evaluation: Evaluation) -> dict[str, Any]:
    """What a browser gets at once: names, scores and lost points; numbers stand for fields and causes."""
    scores, analysis = evaluation.scores, evaluation.analysis
    fields = analysis.by_loss()
    numbers = {field.path: number for number, field in enumerate(fields)}, {name: n for n, name in enumerate(CAUSES)}
    count = sum(map(len, analysis.losses))
    most = count if count <= MAX_LOSSES else max(1, MAX_LOSSES // len(scores.ids))
    images = [name_of_image(image_of_row(row)) for row in scores.pairs.reference_rows or [{}] * len(scores.ids)]
    documents = [
        [clipped(name, _LONGEST_NAME), score, _losses(lost, most, *numbers), image]
        for name, score, lost, image in zip(shown_ids(scores.ids), scores.scores, analysis.losses, images, strict=True)
    ]
    return {
        "causes": [[cause, MEANINGS[cause]] for cause in CAUSES],
        "fields": [clipped(printable(field.path), _LONGEST_NAME) for field in fields],
        "holding": [field.document_count for field in fields],
        "documents": documents,
        "left_out": sum(max(0, len(lost) - most) for lost in analysis.losses),
    }


def _losses(lost: Losses, most: int, fields: dict[str, int], causes: dict[Any, int]) -> list[list[float]]:
    """The largest losses of a document as numbers of field and cause and points."""
    largest = sorted(lost.items(), key=lambda item: -item[1])[:most]
    return [[fields[field], causes[cause], _rounded(points)] for (field, cause), points in largest]


def _rounded(number: float) -> float:
    return float(f"{number:.{_DIGITS}g}")


def _rows(evaluation: Evaluation) -> Iterator[dict[str, Value]]:
    """Each document as a row that holds both sides and can be scored again, with its other columns."""
    pairs = evaluation.pairs
    sources = pairs.reference_rows or [{}] * len(pairs.ids)
    confidences = pairs.confidences or [None] * len(pairs.ids)
    sides = zip(pairs.ids, pairs.truths, pairs.predictions, strict=True)
    for (name, truth, prediction), confidence, source in zip(sides, confidences, sources, strict=True):
        answers = list(truth) if isinstance(truth, tuple) else [truth]
        row = {"question_id": name, "references": answers, "prediction": prediction}
        if confidence is not None:
            row["confidence"] = confidence
        row |= {key: value for key, value in source.items() if key not in _READ and _is_plain(value)}
        image = image_of_row(source)
        yield {**row, IMAGE: image} if image else row


_READ = {"question_id", "references", "prediction", "answers", "prediction_text", "confidence"}


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _text_of(value: Any) -> str:
    """The texts and numbers of a value in one line, in lower case."""
    found, waiting, length = [], [value], 0
    while waiting and length < _LONGEST_TEXT:
        part = waiting.pop()
        if isinstance(part, dict | list | tuple):
            waiting.extend(reversed(list(part.values()) if isinstance(part, dict) else part))
        elif part is not None:
            found.append(_folded(str(part)[:_LONGEST_TEXT]))
            length += len(found[-1])
    return "\x1f".join(found)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


class KeptList:
    """The documents of a test set that was scored before.

    Args:
        within: the folder of all results.
        run: the name of one, as a browser sends it: anything.

    Raises:
        FileNotFoundError: if there is none of that name, or it is older than an hour.
    """

    def __init__(self, within: Path, run: object) -> None:
        self.folder = kept_file(within, run, _VIEW).parent

    @cached_property
    def _view(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / _VIEW).read_text(encoding="utf-8"))
        return found

    @property
    def outputs(self) -> dict[str, Any]:
        """The other parts of the result."""
        found: dict[str, Any] = self._view["outputs"]
        return found

    def listing(self) -> str:
        """The list of documents, as JSON text."""
        return (self.folder / _LIST).read_text(encoding="utf-8")

    def values(self, number: object) -> tuple[Any, Any]:
        """The ground truth and the prediction of a document."""
        truth, prediction = self._kept.values(self._checked(number))
        return truth, prediction

    @property
    def _kept(self) -> KeptDocuments:
        return KeptDocuments(self.folder, 1, ScoringOptions(**self._view["options"]))

    def document(self, number: object) -> dict[str, Any]:
        """A document for the browser: its tree as HTML, the field and the cause of its rows, and its image.

        Raises:
            ValueError: if there is no document of that number.
        """
        truth, prediction = self.values(number)
        options = self._kept.options
        tree = build_tree(truth, prediction, options)
        row = self._row(number)
        name = printable(row["question_id"])
        drawing = explained_drawing(tree, _PREFIX, options)
        html = fragment("document", name, drawing)
        lost = places(tree, parsed=number not in self._view["failed"], absent=number in self._view["absent"])
        marks = _marks(lost, drawing.row_numbers, self._view["fields"])
        return {"html": html, "marks": marks, "image": embedded_image(image_of_row(row))}

    def found(self, text: object) -> list[int]:
        """The numbers of the documents whose values hold a text; upper and lower case and white space are the same."""
        if not isinstance(text, str) or len(text) > MAX_FOUND:
            raise InputValueError(place="text", expected=f"at most {MAX_FOUND} characters", got=short_repr(text))
        wanted = _folded(text)
        lines = (self.folder / _TEXTS).read_text(encoding="utf-8").split("\n")
        return [number for number, line in enumerate(lines) if wanted in line]

    def rows(self, numbers: object) -> str:
        """Documents as rows of JSONL, which can be scored again."""
        if not isinstance(numbers, list):
            raise InputValueError(place="documents", expected="a list of numbers", got=short_repr(numbers))
        lines = _lines(self.folder / _ROWS, map(self._checked, numbers))
        return "".join(f"{line}\n" for line in lines)

    def _row(self, number: object) -> dict[str, Any]:
        found: dict[str, Any] = loads(self.rows([number]))
        return found

    def _checked(self, number: object) -> int:
        if type(number) is not int or not 0 <= number < self._view["documents"]:
            raise InputValueError(place="document", expected="the number of one", got=short_repr(number))
        return number


def _marks(lost: Iterable[FieldPlace], row_of: Mapping[int, int], fields: Sequence[str]) -> list[list[int]]:
    """The rows of a drawn tree that lose points: the numbers of the row, of its field (-1: none) and of its cause."""
    field_number = {name: number for number, name in enumerate(fields)}
    return [
        [row_of[id(place.node)], field_number.get(place.name, -1), CAUSES.index(place.cause)]
        for place in lost
        if place.cause and place.node.points_lost and id(place.node) in row_of
    ]


IMAGE = "image"  # the column
EMBEDDED = "data:"  # in place of a name, where the row holds the image itself
_LONGEST_ADDRESS = 500  # characters of a path or an address that are shown
_KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
_DATA = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")


def image_of_row(row: Mapping[str, Any]) -> str:
    """The image of a row as a `data:` address, or the name of a file or an address that is never fetched; "" for none.

    The column "image" holds text, bytes, or an object with the keys "bytes" and "path" as the library `datasets` writes
    it. Only PNG, JPEG, GIF and WebP are images here: no script can be in them.
    """
    value = row.get(IMAGE)
    if isinstance(value, Mapping):
        content = value.get("bytes")
        value = content if isinstance(content, bytes) else value.get("path")
    if isinstance(value, bytes):
        kind = next((kind for begin, kind in _KINDS.items() if value.startswith(begin)), None)
        value = kind and f"data:image/{kind};base64,{base64.b64encode(value).decode()}"
    return value if isinstance(value, str) else ""


def name_of_image(image: str) -> str:
    """What the list of documents says of an image: `EMBEDDED`, or its name."""
    return EMBEDDED if _DATA.fullmatch(image) else clipped(printable(image), _LONGEST_ADDRESS)


def embedded_image(image: str) -> str:
    """The image as a `data:` address; "" where there is only a name, or something else than an image."""
    return image if _DATA.fullmatch(image) else ""


KEPT_SECONDS = 3600


def shown_ids(ids: Sequence[str]) -> list[str]:
    """The displayed ids, made unique."""
    seen: dict[str, int] = {}
    found = []
    for name in map(printable, ids):
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def new_folder(within: Path) -> Path:
    """Create a new folder, whose name nobody can guess; folders older than an hour are deleted."""
    for old in within.iterdir():
        if old.stat().st_mtime < time.time() - KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    folder = within / secrets.token_urlsafe(16)
    folder.mkdir(mode=0o700)
    return folder

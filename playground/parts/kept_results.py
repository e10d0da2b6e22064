"""Keep scored documents in a folder, so that a visitor can open their trees."""

import base64
import dataclasses
import json
import os
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain, count
from math import fsum
from pathlib import Path
from typing import Any

from docscore.core.errors import InputValueError
from docscore.core.formatting import clipped, counted, field_text, printable, three_digits
from docscore.core.options import CompareOptions
from docscore.core.runtime import call_with_fresh_stack
from docscore.core.values import Value, convert_ground_truth, to_json
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.fields import Losses
from docscore.evaluation.registry import METRICS, TYPED, tree_note, tree_of_row
from docscore.evaluation.sentences import NOTHING_LOST, spread_lines
from docscore.grounding.document_folder import draw_page_of_pdf, pages_of_pdf
from docscore.grounding.document_text import DocumentText
from docscore.grounding.regions import RowRegions, regions_of_json
from docscore.inputs.json_text import dumps, loads
from docscore.inputs.test_set import TestSet
from docscore.metrics.anls_star.causes import CAUSES, NAMES
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.report.document_places import placed_rows
from docscore.report.html_report import bins, examples_of_causes
from docscore.report.html_tree import explained_drawing, long_lists, lost_text
from playground.parts.conclusions import cause_label
from playground.parts.fragments import fragment
from playground.server import answers
from playground.server.limits import parts_of
from playground.server.requests import SHARES, PdfRequest, ViewRequest
from playground.server.storage import kept_file


def numbered_lines(path: Path, numbers: Iterable[int]) -> list[str]:
    """Return the lines of a file with these numbers, counted from 0."""
    lines = path.read_text(encoding="utf-8").split("\n")
    return [lines[number] for number in numbers]


_VIEW, _DOCUMENTS, _CONFIDENCES = "view.json", "documents.jsonl", "confidences.jsonl"
_PLACES = "places.jsonl"  # for each document its evidence, and the citations of each system
_BETWEEN = "\t"  # does not occur in JSON text that is one line of ASCII


class KeptResult:
    """The kept documents of one or more scored systems.

    Args:
        within: the folder of all results.
        run: the name of one result as a browser sends it, which may be any value.

    Raises:
        FileNotFoundError: if no result has this name, or it is older than an hour.
    """

    def __init__(self, within: Path, run: object) -> None:
        self.folder = kept_file(within, run, _VIEW).parent

    @cached_property
    def facts(self) -> dict[str, Any]:
        """The facts that were kept with the documents."""
        return dict(json.loads((self.folder / _VIEW).read_text(encoding="utf-8")))

    @property
    def result(self) -> dict[str, Any]:
        """The part of the result that the page shows."""
        return dict(self.facts["result"])

    @property
    def options(self) -> CompareOptions:
        """The options by which the values of the documents were compared."""
        return CompareOptions(**self.facts["options"])

    def values(self, number: int) -> list[Any]:
        """Return the ground truth of a document, and its prediction in each system.

        Raises:
            ValueError: if no document has this number.
        """
        return self.values_of([self._checked(number)])[0]

    def values_of(self, numbers: Iterable[int]) -> list[list[Any]]:
        """Return the ground truth and the predictions of several documents."""
        lines = [list(map(loads, line.split(_BETWEEN))) for line in numbered_lines(self.folder / _DOCUMENTS, numbers)]
        return [[convert_ground_truth(truth), *predictions] for truth, *predictions in lines]

    def _checked(self, number: int) -> int:
        if not 0 <= number < self.facts["documents"]:
            raise InputValueError(place="document", expected="the number of a document", got=str(number))
        return number

    def as_pair(self, number: int, system: int = 0) -> answers.PairSides:
        """Return the scored sides of a document for the editors of a pair, and how to read the prediction there.

        Raises:
            ValueError: if no document or system has this number.
        """
        truth, *predictions = self.values(number)
        if system >= len(predictions):
            raise InputValueError(place="system", expected="the number of a system", got=str(system))
        accepted = truth if isinstance(truth, tuple) and len(truth) == 1 else (truth,)
        prediction, is_text = predictions[system], isinstance(predictions[system], str)
        return {
            "truth": _indented(accepted[0]),
            "prediction": prediction if is_text else _indented(prediction),
            "reading": "text" if is_text else "json",
        }

    def trees(self, number: int) -> list[ScoreTree]:
        """Return the score tree of a document in each system, by the metric or as `tree_of_row` chooses it."""
        truth, *predictions = self.values(number)
        path = self.folder / _CONFIDENCES
        sure = [loads(numbered_lines(path, [number])[0])] if path.exists() else None
        trees = []
        for prediction, causes, places in zip(predictions, self.facts["causes"], self.places(number), strict=True):
            pairs = TestSet([""], [truth], [prediction], confidences=sure, places=places and [places], is_full=False)
            row = Evaluation(pairs, self.options, metrics=self.facts["metrics"]).row(0).for_metrics
            row = row._replace(cause=causes.get(str(number)))
            trees.append(tree_of_row(self.facts["metrics"][0], row, self.options))
        return trees

    def places(self, number: int) -> list[RowRegions | None]:
        """Return the evidence and the citations of a document in each system; None if rows have none."""
        found = (
            json.loads(numbered_lines(path, [number])[0])
            if (path := self.folder / _PLACES).exists()
            else [None] * len(self.facts["causes"])
        )
        return [each and regions_of_json(*each[:2]) for each in found]


def read_pdf(asked: PdfRequest, folder: Path) -> answers.Pdf:
    """Return the words of a PDF, or one of its pages; the image of a page is kept in the folder.

    Without a PDF, all parts of the answer are empty.

    Raises:
        ValueError: if the file cannot be read.
    """
    words, sizes, _ = ([], [], []) if asked.pdf is None or asked.page else pages_of_pdf(asked.pdf)
    image = folder / f"{asked.pdf.parent.name}-{asked.page}.png" if asked.pdf and asked.page else None
    if image and asked.pdf and not image.exists():
        draw_page_of_pdf(asked.pdf, asked.page, image)
    return {"words": words, "sizes": sizes, "path": str(image or "")}


def keep_documents(folder: Path, systems: Sequence[Evaluation], facts: Mapping[str, Any]) -> None:
    """Write the documents of systems that were scored on the same rows to a folder, with other facts as JSON values."""
    keep_values(folder, systems)
    keep_facts(folder, systems, facts)


def keep_values(folder: Path, systems: Sequence[Evaluation]) -> None:
    """Write the values of the documents of systems to a folder."""
    first = systems[0]
    predictions = [[system[name].prediction for name in first.ids] for system in systems]
    lines = (_BETWEEN.join(map(dumps, values)) for values in zip(first.test_set.truths, *predictions, strict=True))
    (folder / _DOCUMENTS).write_text("\n".join(lines), encoding="ascii")
    if len(systems) == 1 and first.test_set.confidences is not None:
        (folder / _CONFIDENCES).write_text("\n".join(map(dumps, first.test_set.confidences)), encoding="ascii")
    if first.test_set.places is not None:
        (folder / _PLACES).write_text(
            "\n".join(json.dumps([system[name].regions for system in systems]) for name in first.ids),
            encoding="ascii",
        )


def keep_facts(folder: Path, systems: Sequence[Evaluation], facts: Mapping[str, Any]) -> None:
    """Write to a folder how the documents of systems were scored, with other facts as JSON values."""
    first = systems[0]
    rows = [[(number, system[name].for_metrics) for number, name in enumerate(first.ids)] for system in systems]
    causes = [{number: row.cause for number, row in of_system if row.cause} for of_system in rows]
    schema = first.options.schema
    options = dataclasses.asdict(dataclasses.replace(first.options, schema=None))
    options["schema"] = schema and json.loads(schema.schema_of(""))
    view = {"metrics": first.metrics, "documents": len(first.ids), "options": options, "causes": causes, **facts}
    (folder / _VIEW).write_text(json.dumps(view), encoding="utf-8")


MAX_LOSSES = 200_000  # pairs of a field and a cause that are kept, in all documents
MOST_FIELDS = 300  # fields that are rendered
_LONGEST_NAME = 200  # characters of an id and of the name of a field that are shown
_LONGEST_TEXT = 20_000  # characters of a document's values that are searched, on each side
_NAMED_LOSSES = 3  # losses named for each document
_ROWS, _TEXTS, _LIST = "rows.jsonl", "texts.txt", "list.json"
_READ_ROWS, _COUNTS = "rows.pickle", "counts.pickle"
_PREFIX = "document"  # the prefix of the ids of its tree rows


def keep_rows(folder: Path, evaluation: Evaluation, kept: object) -> None:
    """Write to a folder what other compare options do not change in a test set; `kept_rows` returns `kept`."""
    pairs = evaluation.test_set
    (folder / _ROWS).write_text("\n".join(map(dumps, _rows(evaluation))), encoding="ascii")
    sides = zip(shown_ids(pairs.ids), pairs.truths, pairs.predictions, strict=True)
    texts = (f"{_folded(name)}\0{_text_of(truth)}\0{_text_of(prediction)}" for name, truth, prediction in sides)
    (folder / _TEXTS).write_text("\n".join(texts), encoding="utf-8", errors="replace")
    keep_values(folder, [evaluation])
    (folder / _READ_ROWS).write_bytes(pickle.dumps(kept, -1))


def kept_rows(folder: Path, before: str, asked: Mapping[str, Any]) -> Any:
    """Return what `keep_rows` kept of an earlier result if these parts of its request are equal, and link its files.

    Args:
        folder: the folder of the new result, in which the files are linked.
        before: the name of the earlier result as a browser sends it, which may be any value.
        asked: the parts of the request.

    Returns:
        The kept object and the counts of the rows; None if there is no such result.
    """
    with suppress(FileNotFoundError, KeyError):
        old = KeptResult(folder.parent, before)
        if all(old.result["asked"][name] == value for name, value in asked.items()):
            found = [pickle.loads((old.folder / name).read_bytes()) for name in (_READ_ROWS, _COUNTS)]  # noqa: S301  ours
            for name in (_ROWS, _TEXTS, _DOCUMENTS, _CONFIDENCES, _PLACES, _READ_ROWS):
                if (old.folder / name).exists():
                    os.link(old.folder / name, folder / name)
            return found
    return None


def keep_list(folder: Path, evaluation: Evaluation, result: Mapping[str, Any], counts: object = ()) -> None:
    """Write the data for the list of documents of a test set to a folder, whose name opens the list.

    Args:
        folder: the folder.
        evaluation: the scored test set.
        result: the part of the result that the page shows, for a link; JSON values.
        counts: the counts of its rows, for `kept_rows`.
    """
    table, pairs = evaluation.field_table, evaluation.test_set
    keep_facts(folder, [evaluation], {"result": result})
    losses = sum(map(len, table.losses))
    most = losses if losses <= MAX_LOSSES else max(1, MAX_LOSSES // len(pairs.ids))
    listing = {
        "names": [clipped(name, _LONGEST_NAME) for name in shown_ids(pairs.ids)],
        "scores": evaluation.scores,
        "images": [name_of_image(image_of_row(row)) for row in pairs.reference_rows or [{}] * len(pairs.ids)],
        "losses": [_largest(lost)[:most] for lost in table.losses],
        "holding": {_field_name(field.path): field.document_count for field in table.by_loss()},
        "field_scores": {_field_name(field.path): field.score for field in table.by_loss()},
        "specimens": examples_of_causes(evaluation),
        "note": evaluation.scorer.fields_note,
        "rates": evaluation.rate_counts,
        "left_out": sum(max(0, len(lost) - most) for lost in table.losses),
        "slices": evaluation.rows_by_slice,
        "shares": [
            {level: [getattr(counts, name) for name in SHARES] for level, counts in points.levels.items()}
            for points in (evaluation.metric_scores["grounding"].points if pairs.places is not None else ())
        ],
    }
    (folder / _LIST).write_text(json.dumps(listing), encoding="utf-8")
    (folder / _COUNTS).write_bytes(pickle.dumps(counts, -1))


def _largest(losses: Losses) -> list[tuple[str, str, float]]:
    """Return the losses of a document, largest first: field, cause and points."""
    largest = sorted(losses.items(), key=lambda item: -item[1])
    return [(_field_name(field), cause, points) for (field, cause), points in largest]


def _field_name(path: str) -> str:
    return clipped(field_text(path), _LONGEST_NAME)


def _rows(evaluation: Evaluation) -> Iterator[dict[str, Value]]:
    """Yield each document as a row with both sides and its other columns, which can be scored again."""
    pairs = evaluation.test_set.given or evaluation.test_set
    sources = pairs.reference_rows or [{}] * len(pairs.ids)
    confidences = pairs.confidences or [None] * len(pairs.ids)
    sides = zip(pairs.ids, pairs.truths, pairs.predictions, strict=True)
    for (name, truth, prediction), confidence, source in zip(sides, confidences, sources, strict=True):
        answers, image = list(truth) if isinstance(truth, tuple) else [truth], image_of_row(source)
        yield {
            "question_id": name,
            "references": answers,
            "prediction": prediction,
            **({} if confidence is None else {"confidence": confidence}),
            **{key: value for key, value in source.items() if key not in _READ and _is_plain(value)},
            **({IMAGE: image} if image else {}),
        }


_READ = {"question_id", "references", "prediction", "answers", "prediction_text", "confidence"}


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


def _text_of(value: Any) -> str:
    """Return the keys, texts and numbers of a value in one line, in lower case."""
    found = (str(part) for part in parts_of(value) if not isinstance(part, dict | list | tuple | None))
    return _folded("\0".join(found))[:_LONGEST_TEXT]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


class KeptList(KeptResult):
    """The kept documents of a scored test set."""

    @cached_property
    def _list(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / _LIST).read_text(encoding="utf-8")))

    @property
    def is_small(self) -> bool:
        """Whether the list is read and sorted in milliseconds."""
        return (self.folder / _LIST).stat().st_size <= _SMALL_LIST

    def listing(self) -> answers.Listing:
        """Return what a browser receives for all documents at once."""
        left_out = self._list["left_out"]
        note = f"The {left_out:,} smallest losses are not listed here; the table of fields has all of them."
        return {
            "names": self._list["names"],
            "scores": list(map(three_digits, self._list["scores"])),
            "images": self._list["images"],
            "note": note if left_out else "",
        }

    def view(self, asked: ViewRequest) -> answers.View:
        """Return which documents are shown, and why they, and all documents with the text, lost points.

        Raises:
            ValueError: if the test set does not have the given cause, field, list or slice.
        """
        for name, value, known in (
            ("cause", asked.cause, CAUSES),
            ("field", asked.field, self._list["holding"]),
            ("list", asked.within, [each["field"] for each in self.result["lists"]]),
            ("slice", asked.slice, self._list["slices"]),
            ("share", asked.share, SHARES if self._list["shares"] else ()),
        ):
            if value is not None and value not in known:
                raise InputValueError(problem=f"its {name} is not in this test set")
        scores: list[float] = self._list["scores"]
        of_slice = set(self._list["slices"].get(asked.slice, range(len(scores))))
        by_text = [
            number
            for number in self._with_text(asked.find)
            if asked.low <= scores[number] <= asked.high and number in of_slice
        ]
        losses: dict[int, list[tuple[str, str, float]]] = {
            number: [loss for loss in self._list["losses"][number] if loss[0].startswith(asked.within or "")]
            for number in by_text
        }
        meant = {
            number: [
                loss for loss in losses[number] if asked.field in (None, loss[0]) and asked.cause in (None, loss[1])
            ]
            for number in by_text
        }
        is_filtered = any(name is not None for name in (asked.cause, asked.field, asked.within))
        lost = {
            number: fsum(points for *_, points in meant[number]) if is_filtered else 1 - scores[number]
            for number in by_text
        }
        shares = [of[asked.level][SHARES.index(asked.share)] for of in self._list["shares"]] if asked.share else []
        order = [
            number
            for number in by_text
            if (lost[number] > 0 or not is_filtered) and (not asked.share or shares[number])
        ]
        keys: dict[str, Callable[[int], Any]] = {
            "loss": lambda number: -lost[number],
            "score": lambda number: -scores[number],
            "id": lambda number: _natural(self._list["names"][number]),
        }
        if asked.sort in keys:
            order.sort(key=keys[asked.sort])
        causes = [[(c, points) for f, c, points in losses[number] if asked.field in (None, f)] for number in by_text]
        fields = [[(f, points) for f, c, points in losses[number] if asked.cause in (None, c)] for number in by_text]
        holding = {name: f" of {count:,}" for name, count in self._list["holding"].items()}
        by_field = self._sums(fields, holding)
        meanings: Mapping[Any, str] = METRICS[self.facts["metrics"][0]].meanings
        largest = [_largest_cause(meant[number], lost[number]) for number in order]
        words = (asked.share or "").replace("_value_", ", ").replace("_", " ")
        return {
            "order": order,
            "why": [f"{shares[number]:,} {words}" for number in order]
            if asked.share
            else [cause for cause, _ in largest],
            "lost": [lost_text(points) for _, points in largest],
            "title": [_why(meant[number]) for number in order],
            "points": _points(fsum(lost.values()) / len(scores)),
            "bins": bins(self.result["histogram"]["edges"], [scores[number] for number in order]),
            "spread": spread_lines([scores[number] for number in order]),
            "rates": [_rate(name, hits, totals, order) for name, (hits, totals) in self._list["rates"].items()],
            "count": (f"{len(order):,} of " if len(order) < len(scores) else "") + counted(len(scores), "document"),
            "causes": [
                {
                    **each,
                    "title": meanings[each["name"]],
                    "label": cause_label(each["name"]),
                    "specimen": self._list["specimens"].get(each["name"]),
                }
                for each in self._sums(causes, {})
            ],
            "fields": [
                {**each, "score": three_digits(self._list["field_scores"][each["name"]])}
                for each in by_field[:MOST_FIELDS]
            ],
            "nothing": self._list["note"] or NOTHING_LOST,
            "field_count": len(by_field),
        }

    def _sums(self, losses: Sequence[Sequence[tuple[str, float]]], of: Mapping[str, str]) -> list[answers.Sum]:
        """Return the points of the mean score and the documents by the names of losses, most points first."""
        points: dict[str, float] = {}
        documents: Counter[str] = Counter()
        for lost in losses:
            for name, number in lost:
                points[name] = points.get(name, 0.0) + number
            documents.update({name for name, _ in lost})
        most = max(points.values(), default=0.0)
        return [
            {
                "name": name,
                "title": name,
                "points": _points(lost / len(self._list["scores"])),
                "share": round(lost / most, 3),
                "documents": f"in {documents[name]:,}{of[name]}" if name in of else counted(documents[name], "doc"),
            }
            for name, lost in sorted(points.items(), key=lambda item: -item[1])
        ]

    def _with_text(self, text: str) -> list[int]:
        """Return the numbers of documents with a text in their ids or values, ignoring case and extra white space."""
        if not text:
            return list(range(self.facts["documents"]))
        lines = (self.folder / _TEXTS).read_text(encoding="utf-8").split("\n")
        return [number for number, line in enumerate(lines) if _folded(text) in line]

    def document(self, number: int, text: str = "") -> answers.Document:
        """Return a document for the browser.

        Args:
            number: its number.
            text: the text of the document, in which its values are looked up; "" if it is unknown.

        Raises:
            ValueError: if no document has this number.
        """
        (tree,) = self.trees(number)
        row = loads(self.rows([number]))
        name = printable(row["question_id"])
        drawing = explained_drawing(tree, _PREFIX, None if tree.metric == TYPED else self.options)
        note = tree_note(self.facts["metrics"][0], tree)
        drawing = drawing._replace(detail=" ".join(filter(None, [note, drawing.detail])))
        marks = [
            (drawing.row_numbers[id(node)], _field_name(node.field_path), node.cause)
            for node in tree.nodes()
            if node.cause and node.points_lost and id(node) in drawing.row_numbers
        ]
        return {
            "html": fragment("document", name, drawing),
            "marks": marks,
            "image": embedded_image(image_of_row(row)),
            "places": placed_rows(
                tree, drawing.row_numbers, self.places(number)[0], DocumentText(text) if text else None
            ),
            "lists": list(long_lists(tree, drawing.row_numbers)),
        }

    def rows(self, numbers: Iterable[int]) -> str:
        """Return documents as rows of JSONL, which can be scored again."""
        return "".join(f"{line}\n" for line in numbered_lines(self.folder / _ROWS, map(self._checked, numbers)))


def _indented(value: Value) -> str:
    return call_with_fresh_stack(lambda: json.dumps(to_json(value), indent=2, ensure_ascii=False))


_SMALL_LIST = 2_000_000  # bytes


def _rate(name: str, hits: Sequence[int], totals: Sequence[int], numbers: Sequence[int]) -> answers.Rate:
    """Return a share of documents or of their values."""
    happened, total = (sum(counts[number] for number in numbers) for counts in (hits, totals))
    return {
        "label": _RATES.get(name, name.capitalize()),
        "share": f"{happened / total:.1%}" if total else "–",
        "count": f"{happened:,} of {total:,}",
    }


_RATES = {  # shorter names
    "omission: expected values that are missing": "Missing values",
    "hallucination: values predicted, not expected": "Invented values",
}


def _points(lost: float) -> str:
    return lost_text(lost) or "0.000"


def _largest_cause(losses: Sequence[tuple[str, str, float]], lost: float) -> tuple[str, float]:
    """Return the cause that cost a document most and its points; for a metric without causes, the whole loss."""
    sums: dict[str, float] = {}
    for _, cause, points in losses:
        sums[cause] = sums.get(cause, 0.0) + points
    if not sums:
        return ("", lost) if lost else ("fully correct", 0.0)
    most = max(sums, key=sums.__getitem__)
    return NAMES[most][0], sums[most]


def _why(losses: Sequence[tuple[str, str, float]]) -> str:
    """Return the largest losses of a document with their fields."""
    shown = ", ".join(f"{field} {_points(points)}" for field, _, points in losses[:_NAMED_LOSSES])
    others = len(losses) - _NAMED_LOSSES
    return shown + (f" and {counted(others, 'smaller one')}" if others > 0 else "")


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that orders numbers in names by their value."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d{1,18})", name.casefold())
    ]


IMAGE = "image"  # the column
EMBEDDED = "data:"  # replaces the name if the row holds the image itself
_LONGEST_ADDRESS = 500  # characters of a path or an address that are shown
_KINDS = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif", b"RIFF": "webp"}
_DATA = re.compile(r"data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}")


def image_of_row(row: Mapping[str, Any]) -> str:
    """Return the image of a row as a `data:` URL, or a file name or URL that is never fetched; "" without an image.

    The column "image" holds text, bytes, or an object with the keys "bytes" and "path" as the library `datasets` writes
    it. Only PNG, JPEG, GIF and WebP count as images, because they cannot contain scripts.
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
    """Return the entry for an image in the list of documents: `EMBEDDED`, or the name of the image."""
    return EMBEDDED if _DATA.fullmatch(image) else clipped(printable(image), _LONGEST_ADDRESS)


def embedded_image(image: str) -> str:
    """Return the image as a `data:` URL; "" if there is only a name, or the content is not an image."""
    return image if _DATA.fullmatch(image) else ""


def shown_ids(ids: Iterable[str]) -> list[str]:
    """Return the displayed ids, made unique."""
    return unique_names(map(printable, ids))


def unique_names(names: Iterable[str]) -> list[str]:
    """Return the names; one that occurred before gets a number."""
    found: dict[str, None] = {}
    for name in names:
        numbered = (f"{name} ({number})" for number in count(2))
        found[next(free for free in chain([name], numbered) if free not in found)] = None
    return list(found)

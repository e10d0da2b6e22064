"""Review ground truths: the places in the files that a visitor uploaded, and the effect of verdicts on them."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from docscore_review.agreement import agreement_of
from docscore_review.correction import corrected_rows
from docscore_review.verdicts import Review, around, is_whole_row, review_of, steps_of
from docscore_review.worklist import (
    AGREEMENT,
    GROUP,
    OTHER,
    VERDICTS,
    Item,
    answers_of,
    decided_value,
    identities_of,
    value_text,
)
from pydantic import Field, Json

from docscore.core.errors import DataError, InputValueError, RowErrors
from docscore.core.formatting import printable, shown_name, three_digits, threshold_text
from docscore.core.options import BY_VALUE, ReadOptions
from docscore.core.runtime import grouped
from docscore.core.similarity import fold_all, similarity
from docscore.core.values import SCALAR_TYPES, convert_ground_truth, number_text, step_text
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.registry import ANLS_STAR, METRICS
from docscore.evaluation.sentences import text_differences
from docscore.grounding.document_text import DocumentText
from docscore.inputs.formats import TEXT_EXTENSIONS, suffix_of
from docscore.inputs.json_text import dumps, dumps_in_style, loads
from docscore.inputs.pairing import read_ground_truths
from docscore.inputs.rows import NoCell
from docscore.inputs.test_set import TestSet
from docscore.stats.intervals import CONFIDENCE
from playground.compare.compare import checked_names, systems_of_request
from playground.parts.files import encoding_of, skipped_lines, uploaded_tables
from playground.parts.kept_results import KeptResult, keep_documents, numbered_lines, shown_ids
from playground.parts.python_code import BEFORE_AND_AFTER, code_of_files
from playground.server import answers
from playground.server.pool import Report
from playground.server.requests import KeptRequest, ReviewRequest, Upload, one_of


class Verdict(NamedTuple):
    """A verdict on a place of a review, in numbers and words.

    Attributes:
        number: the number of the place.
        verdict: one of `VERDICTS`.
        answer: which of the predicted values the verdict chooses.
        value: the value that a visitor typed.
        is_for_group: whether the verdict also applies to the other places of the group in the document.
    """

    number: Annotated[int, Field(ge=0)]
    verdict: Annotated[str, one_of(*VERDICTS)]
    answer: Annotated[int, Field(ge=0)]
    value: str
    is_for_group: bool = False


class VerdictsRequest(KeptRequest):
    """Verdicts on places of a review, sent as text because lists in requests are limited."""

    verdicts: Json[list[Verdict]]


class ExportRequest(VerdictsRequest):
    """Verdicts on places of a review, and the file to write."""

    file: Literal["verdicts", "references"]


class ReadersRequest(VerdictsRequest):
    """Verdicts on places of a review, and a file with the verdicts of another reader."""

    other: Upload


MOST_BESIDE = 12  # fields and rows that are shown next to a place
TEXT = "text"  # the column of the references
LONGEST_VALUE = 5_000  # characters of a value that are shown
_LONGEST_CELL = 200
_REVIEW, _VERDICTS, _TEXTS = "review.jsonl", "verdicts.jsonl", "texts.jsonl"
_PATHS = "paths.jsonl"  # the number of the document of each item; then by document the numbers of its items by path
SMALL_TEXT = 100_000  # characters of a text in which values are found in milliseconds
_MOST_MARKS = 1_000  # occurrences of a value in a text


def review_files(request: ReviewRequest, *, folder: Path, progress: Report) -> answers.Review:
    """List the places where systems lose points, and keep them in the folder, whose name opens them again.

    Raises:
        TypeError, ValueError, OSError: with a message that names the file and the place in it.
    """
    names = checked_names(request, fewest=1)
    uploaded, systems = systems_of_request(request, names, progress)
    first = next(iter(systems.values()))
    if first.test_set.document_ids is not None:
        raise InputValueError(
            place="predictions",
            problem="each document was predicted in several runs, which the command docscore review can read",
        )
    earlier = [] if request.verdicts is None else Review.read(request.verdicts).lines
    sampled = earlier[0].sample if earlier else None
    sample, of = (sampled["draws"], sampled["system"]) if sampled else (request.sample, request.sample_of or None)
    texts = _texts(request, first)
    words = {name: DocumentText(text) for name, text in texts.items()}
    review = review_of(systems, documents=words or None, sample=sample, of=of)
    Review.read(review.write(folder / _REVIEW))  # every other function of the tab reads this file
    shown = dict(zip(first.ids, shown_ids(first.ids), strict=True))
    numbers = {name: number for number, name in enumerate(first.ids)}
    result: answers.Review = {
        "run": folder.name,
        "asked": {**request.model_dump(mode="json", exclude={"window"}), "names": list(names)},
        "fingerprint": _fingerprint([request.references, *request.predictions]),
        "count": len(first.ids),
        "systems": [
            {"name": shown_name(name), "score": each.score, "text": three_digits(each.score)}
            for name, each in systems.items()
        ],
        "sampled": None if not sample else list(systems).index(of or next(iter(systems))),
        "places": [
            {
                "document": numbers[item.question_id],
                "id": shown[item.question_id],
                "identity": (shown[item.question_id], identity.path, identity.row, identity.reference),
                **_place(item, list(systems), first, words.get(item.question_id)),
            }
            for identity, item in zip(identities_of(review.lines), review.lines, strict=True)
        ],
        "left_out": [*skipped_lines(uploaded), *review.left_out_lines, *review.notes],
        "decided": _carried(review, earlier),
        "python": code_of_files(
            uploaded,
            request.of_first(),
            first,
            dict(zip(names, request.predictions, strict=True)),
            BEFORE_AND_AFTER,
        ),
    }
    scores = [dict(zip(each.ids, each.scores, strict=True)) for each in systems.values()]
    keep_documents(
        folder,
        list(systems.values()),
        {
            "ids": first.ids,
            "scores": [[of_system[name] for of_system in scores] for name in first.ids],
            "result": result,
        },
    )
    (folder / _TEXTS).write_text("\n".join(dumps(texts.get(name)) for name in first.ids), encoding="ascii")
    paths: list[Any] = [{} for _ in first.ids]
    for number, item in enumerate(review.lines):
        paths[numbers[item.question_id]][item.path] = number
    of_items = dumps([numbers[item.question_id] for item in review.lines])
    (folder / _PATHS).write_text("\n".join([of_items, *map(dumps, paths)]), encoding="ascii")
    return result


def _texts(request: ReviewRequest, first: Evaluation) -> dict[str, str]:
    """Return the texts of documents by their ids: the uploaded texts, or else the column `TEXT`.

    Raises:
        ValueError: if no uploaded text belongs to a document.
    """
    column = zip(first.ids, first.test_set.reference_rows or [], strict=False)
    given = {} if request.texts is None else loads(request.texts.read_text(encoding="utf-8"))
    if given and given.keys().isdisjoint(first.ids):
        expected, got = (f'"{shown_name(next(iter(names)))}.txt"' for names in (first.ids, given))
        raise InputValueError(place="texts", expected=f"files named like the documents, such as {expected}", got=got)
    found = {name: row.get(TEXT) for name, row in column} | given
    return {name: text for name, text in found.items() if isinstance(text, str)}


def _fingerprint(files: Sequence[Path | None]) -> str:
    """Return a hash that shows whether files have the same content as before."""
    parts = (b"" if path is None else hashlib.sha256(path.read_bytes()).digest() for path in files)
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def _place(item: Item, systems: Sequence[str], first: Evaluation, text: DocumentText | None) -> answers.ReviewedPlace:
    """Return the page's data for an item."""
    truth = item.ground_truth
    values = [truth, *answers_of(item)]
    names_of = [item.systems, *(each["systems"] for each in item.others)]
    is_plain = all(value is NoCell or isinstance(value, str) for value in values)
    can_change = "numbers" in METRICS[first.metric].options and first.options.numbers != BY_VALUE
    are_scalars = SCALAR_TYPES.issuperset(map(type, values))
    return {
        "path": item.path,
        "row": item.row,
        "judged": item.judged,
        "reference": item.reference,
        "group": printable(item.group),
        "about": printable((item.about or "")[:LONGEST_VALUE]),
        "agree": item.agree,
        "of": item.of,
        "drawn": 1 if item.drawn is None else item.drawn,
        "points": [item.points.get(name, 0.0) * len(first) for name in systems],
        "whole": is_whole_row(item),
        "has_text": text is not None,
        "by_value": can_change and are_scalars and len(set(map(number_text, values))) == 1,
        "truth": _side(truth, is_plain=is_plain),
        "edit": None if truth is NoCell else _editable(truth),
        "found": _found(truth, text),
        "answers": [
            {
                "systems": [systems.index(name) for name in names],
                "text": _side(value, is_plain=is_plain),
                "found": _found(value, text),
                **_difference(truth, value, first, is_plain=is_plain),
            }
            for names, value in zip(names_of, values[1:], strict=True)
        ],
    }


def _side(value: Any, *, is_plain: bool) -> str | None:
    """Return a value as text, in quotes if not all values are texts; None if the side has no value."""
    if value is NoCell:
        return None
    text = value if is_plain else dumps_in_style(value, ensure_ascii=False)
    return "\n".join(map(printable, text[:LONGEST_VALUE].split("\n")))


def _found(value: Any, text: DocumentText | None) -> answers.Found:
    """Return whether a value is found in the text: "yes", "no", or "" if unknown."""
    held = None if text is None or value is NoCell else text.holds(convert_ground_truth(value))
    return "" if held is None else "yes" if held else "no"


def _difference(truth: Any, value: Any, first: Evaluation, *, is_plain: bool) -> answers.Difference:
    """Return the similarity of both sides in words, and both sides as spans with their differences marked."""
    sides = [_side(each, is_plain=is_plain) for each in (truth, value)]
    said, marked = "", [[] if side is None else [(side, True)] for side in sides]
    if {type(truth), type(value)} <= SCALAR_TYPES and first.metric == ANLS_STAR:
        options = first.options
        left, right = fold_all((truth, value), options.ignore_case)
        share = similarity(left, right, 0.0)
        is_near = share >= options.threshold
        below = "" if is_near else f" < {threshold_text(options.threshold)}, so 0"
        said = f"similarity {three_digits(share)}{below}"
    else:
        is_near = is_plain and None not in sides
    if is_near:
        marked = list(text_differences(*map(str, sides), ignore_case=first.options.ignore_case))
    return {"similarity": said, "marked": marked}


def _carried(review: Review, earlier: Sequence[Item]) -> answers.DecidedBefore | None:
    """Carry over the verdicts of a file; return those that were applied and a sentence on how many, or None."""
    review.carry([Review([item for item in earlier if item.kind != AGREEMENT])])
    decided = [_shown_verdict(number, item, item) for number, item in enumerate(review.lines) if item.verdict]
    return {"verdicts": decided, "note": review.notes[-1]} if review.carried[1] else None


def _shown_verdict(number: int, place: Item, decided: Item) -> answers.ShownVerdict:
    """Return the verdict of an item as the page shows it for a place."""
    texts, text = list(map(value_text, answers_of(place))), value_text(decided_value(decided))
    return {
        "number": number,
        "verdict": decided.verdict or "",
        "answer": texts.index(text) if text in texts else 0,
        "value": _typed_text(decided.value) if decided.verdict == OTHER else "",
    }


def _typed_text(value: Any) -> str:
    return value if isinstance(value, str) else dumps_in_style(value, ensure_ascii=False)


def _editable(value: Any) -> str | None:
    """Return a value as a visitor types it; None for a value that a browser would change."""
    text = _typed_text(value)
    return text if len(text) <= LONGEST_VALUE and "\r" not in text else None


def _typed(text: str, item: Item) -> Any:
    """Return what a visitor typed in the type of the ground truth, or of the prediction without a ground truth."""
    if isinstance(item.proposal if item.ground_truth is NoCell else item.ground_truth, str):
        return text
    with contextlib.suppress(ValueError):
        return loads(text)
    return text


class KeptReview(KeptResult):
    """The kept places of a review."""

    def _lines(self, name: str, *numbers: int) -> Iterator[Any]:
        """Return the values in these lines of a file without reading the other lines."""
        return map(loads, numbered_lines(self.folder / name, numbers))

    def document_of(self, number: int, given: str) -> tuple[int, str | None]:
        """Return the number of the document of a place, and the given text or else the text that the review holds.

        Raises:
            ValueError: if no place has this number.
        """
        [documents] = self._lines(_PATHS, 0)
        if not 0 <= number < len(documents):
            raise InputValueError(place="number", expected="the number of a place", got=str(number))
        return documents[number], given or next(self._lines(_TEXTS, documents[number]))

    @cached_property
    def lines(self) -> list[Item]:
        """The items without verdicts."""
        return Review.read(self.folder / _REVIEW).lines

    def _decided(self, verdicts: Sequence[Verdict]) -> Review:
        """Return the review with these verdicts."""
        for number, verdict, answer, typed, is_for_group in verdicts:
            if number >= len(self.lines):
                raise InputValueError(place="verdicts", expected="the number of a place", got=str(number))
            item = self.lines[number]
            item.verdict, item.scope = verdict, GROUP if is_for_group else None
            if verdict == OTHER:
                item.value = _typed(typed, item)
            elif 0 < answer <= len(item.others):
                item.value = item.others[answer - 1].get("value")
        return Review(self.lines)

    def gains(self, verdicts: Sequence[Verdict]) -> answers.Gains:
        """Return how much corrected ground truths raise each system's score of the documents with these verdicts."""
        numbers = {name: number for number, name in enumerate(self.facts["ids"])}
        items = self._decided(verdicts).lines
        names = list(dict.fromkeys(items[each.number].question_id for each in verdicts))
        sides = dict(zip(names, self.values_of(numbers[name] for name in names), strict=True))
        changed: dict[str, Any] = {}
        faults: list[tuple[int, str, str]] = []
        for name, of_document in grouped(
            (item.question_id, item) for item in items if item.question_id in sides
        ).items():
            try:
                changed |= Review(of_document).corrected([name], sides[name][:1])
            except DataError as error:
                faults += [
                    (numbers[name], "".join(map(str, parts[1:])), printable(str(replace(fault.diagnostic, parts=()))))
                    for fault in error.errors
                    for parts in [fault.diagnostic.parts]
                ]
        gains = {name: [0.0] * len(self.result["systems"]) for name in names}
        for system, predictions in enumerate(zip(*(sides[name][1:] for name in changed), strict=True)):
            pairs = TestSet(list(changed), list(changed.values()), predictions, is_full=False)
            scored = Evaluation(pairs, self.options, metrics=self.facts["metrics"])
            for name, score in zip(changed, scored.scores, strict=True):
                gains[name][system] = score - self.facts["scores"][numbers[name]][system]
        return {"gains": [[numbers[name], *of_name] for name, of_name in gains.items()], "faults": faults}

    def agreement(self, verdicts: Sequence[Verdict], other: Path) -> answers.ReadersAgreement:
        """Return how well these verdicts agree with the verdicts in the file of another reader.

        Raises:
            ValueError: if the file is not a review, or both readers decided no place in common.
        """
        own = self._decided(verdicts).settled
        found = agreement_of(own, Review.read(other).settled, CONFIDENCE)
        numbers = {id(item): number for number, item in enumerate(own)}
        differing = [_shown_verdict(numbers[id(mine)], mine, theirs) for mine, theirs in found.differing]
        return {"text": str(found), "differing": differing}

    def beside(self, number: int, document: int, text: str | None) -> answers.Beside:
        """Return the context of a place: the other fields of its row, or the rows of the list that a new row joins.

        Args:
            number: the number of the place.
            document: the number of its document.
            text: the text of the document; None for none.
        """
        item = Item.from_dict(next(self._lines(_REVIEW, number)))
        is_row = is_whole_row(item)
        holder, steps = around(self.values(document)[0], item), steps_of(item.path)
        rows = holder if isinstance(holder, list) and is_row else []
        own: dict[str, int] = {}
        if isinstance(holder, dict) and steps:
            rows = [{key: holder[key] for key in holder if key != steps[-1] and type(holder[key]) in SCALAR_TYPES}]
            here = "$" + "".join(map(step_text, steps[:-1]))
            paths = next(self._lines(_PATHS, document + 1))
            own = {key: paths[here + step_text(key)] for key in rows[0] if here + step_text(key) in paths}
        shown = [row if isinstance(row, dict) else {"": row} for row in rows[:MOST_BESIDE]]
        heads = list(dict.fromkeys(key for row in shown for key in row))[:MOST_BESIDE]
        words, values = DocumentText(text or ""), [item.ground_truth, *answers_of(item)]
        marks = [[] if value is NoCell else words.places(convert_ground_truth(value)) for value in values]
        is_in_row = not is_row and len(steps) > 1 and isinstance(steps[-2], int)
        return {
            "heads": list(map(shown_name, heads)),
            "rows": [[_typed_text(row[key])[:_LONGEST_CELL] if key in row else "" for key in heads] for row in shown],
            "places": list(map(own.get, heads)),
            "count": len(rows) if is_row else len(heads),
            "text": text,
            "found": [_found(value, words if text else None) for value in values],
            "marks": [places[:_MOST_MARKS] for places in marks],
            "row": next(iter(words.places(rows[0])), []) if is_in_row else [],
        }

    def export(self, verdicts: Sequence[Verdict], file: str, uploads: Path) -> answers.ReviewFile:
        """Write the verdicts or the corrected references; the file of verdicts requires only the verdicts.

        Raises:
            ValueError: if the verdicts cannot be applied, or the references are no longer on the server.
        """
        review = self._decided(verdicts)
        if file == "verdicts":
            return {"path": str(review.write(self.folder / _VERDICTS))}
        asked = ReviewRequest.of({**self.result["asked"], "verdicts": None}, uploads)
        return {"path": str(self._corrected(review, asked))}

    def estimate(self, verdicts: Sequence[Verdict]) -> answers.EstimatedLoss:
        """Estimate from a decided sample how many of the lost points corrections would recover.

        Raises:
            ValueError: as `Review.estimate`.
        """
        found = self._decided(verdicts).estimate()
        value, low, high = found.lenient  # without an interval, the share can be anything
        return {"lines": str(found).split("\n"), "share": (value, low or 0.0, 1.0 if high is None else high)}

    def _corrected(self, review: Review, asked: ReviewRequest) -> Path:
        """Write the corrected references in the format of their file, or as JSONL if that format cannot hold them."""
        tables = uploaded_tables(asked.of_first(), RowErrors("skip"), asked.predictions[1:])
        read = ReadOptions(parse_references=tables.plan.parse_references)
        source = asked.references or asked.predictions[0]
        truths, systems = tables.planned(RowErrors("skip"), [])
        rows = read_ground_truths(truths or systems[0], read)
        changed = review.corrected(rows.ids, rows.values)
        options = replace(
            tables.plan.options_of("references"),
            prediction_column=None,
            delimiter=asked.reading.get("references_delimiter"),
            encoding=encoding_of(source, "references", asked.reading),
        )
        ending = suffix_of(source)
        path = self.folder / f"{source.name.removesuffix('.gz').removesuffix(ending)}_corrected.jsonl"
        if ending in TEXT_EXTENSIONS:
            with contextlib.suppress(InputValueError):  # if the format cannot hold all values
                corrected_rows(source, rows, changed, path.with_suffix(ending), options)
                return path.with_suffix(ending)
        corrected_rows(source, rows, changed, path, options)
        return path

"""Interpret raw evidence and citations as regions of values, and find those that are invalid.

Invalid evidence raises an error. Citations were written by a model: invalid citations are counted and never accepted,
and raise an error only if they are more than a twentieth of all citations.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from docscore.core.errors import DataWarning, Diagnostic, InputValueError, Remedy, at_place, row_place, short_repr
from docscore.core.numbers import is_finite
from docscore.core.similarity import nearest
from docscore.core.values import Value, values_by_path
from docscore.grounding.regions import Box, Region, RegionsByPath, RowRegions
from docscore.inputs.raw_regions import Raw, cells_of_column, full_paths, listed, plain_cell
from docscore.inputs.test_set import TestSet

_MOST_INVALID = 0.05  # the largest share of citations; with more, they are in another format
_BEYOND = 0.01  # a box may extend beyond its page by this fraction of the page
_PARTS = ("page", "box", "boxes", "quote")
_NO_BOX = (0.0, 0.0, 0.0, 0.0)  # the box of an invalid citation
_EXPECTED = "an object with a list of regions for each path"


def with_regions(
    pairs: TestSet, page_count_of: Callable[[str], int] | None = None
) -> tuple[TestSet, list[DataWarning]]:
    """Interpret the raw regions of all rows, unless they were interpreted before.

    Args:
        pairs: the rows, with raw regions separated from their values.
        page_count_of: returns the number of pages of a document by its id, 0 if unknown; None without documents.

    Returns:
        The rows with `places`, and warnings about citations that are invalid and regions that are not evaluated.

    Raises:
        ValueError: for invalid evidence, naming row, path and value; if more than a twentieth of citations are invalid.
    """
    if pairs.places is not None:
        return pairs, []
    places, errors, total, unused = [], list[Diagnostic](), 0, list[str]()
    failed = pairs.failed or ()
    cells = cells_of_column(pairs, pairs.evidence), cells_of_column(pairs, pairs.citations)
    documents = pairs.document_ids or pairs.ids
    for number, (name, *values, accepted, cell) in enumerate(
        zip(pairs.ids, pairs.truths, pairs.predictions, *cells, strict=True)
    ):
        try:
            annotated, cited = plain_cell(accepted), plain_cell(cell)
            ours, theirs = _regions_in(annotated), _regions_in(cited)
            is_asked = page_count_of and any(map(_lacks_page, ours + theirs))
            page_count = page_count_of(documents[number % len(documents)]) if page_count_of and is_asked else 0
            named = _last_page(ours), _last_page(theirs)
            evidence = evidence_of(
                values[0], annotated, page_count > 1 if page_count else max(named[0], named[1] - 1) > 0
            )
        except (TypeError, ValueError) as error:
            raise at_place(row_place(name), error) from None
        by_path = dict(values_by_path(values[0])) if any(evidence) else {}
        unused += [f"row {name!r}: {path}" for path in evidence[0] if type(by_path.get(path)) in (dict, list)]
        count = sum(map(len, map(listed, cited.values()))) if isinstance(cited, dict) else cited is not None
        if values[1] is None or number in failed:
            places.append(RowRegions(evidence, {}, left_out=count))
            continue
        total += count
        needs_page = page_count > 1 if page_count else max(named) > 0
        citations, wrong = _by_path("citations", cited, [values[1]], needs_page)
        errors += [error.diagnostic.within(row_place(name)) for error in wrong]
        places.append(RowRegions(evidence, citations, len(wrong)))
    found = []
    if errors:
        problem = f"{len(errors):,} of {total:,} citations are invalid and never accepted, such as {errors[0]}"
        found.append(DataWarning("invalid citations", Diagnostic(("predictions",), problem=problem)))
    if unused:
        problem = f"regions of objects and lists are not evaluated ({len(unused):,}), such as {unused[0]}"
        found.append(DataWarning("regions of objects", Diagnostic(("evidence",), problem=problem)))
    if len(errors) > _MOST_INVALID * total:
        remedy = Remedy("if they are in the format of a provider, name it with {}", (("citations_from", ...),))
        raise InputValueError(place="predictions", problem=problem, remedy=remedy)
    return replace(pairs, places=places, evidence=None, citations=None), found


def evidence_of(truth: Value, raw: Any, needs_page: bool) -> list[RegionsByPath]:
    """Return the evidence of a ground truth, once or for each acceptable answer.

    Args:
        truth: the ground truth.
        raw: what is given.
        needs_page: whether a box must name its page.

    Raises:
        ValueError: for invalid evidence.
    """
    answers = list(truth) if isinstance(truth, tuple) else [truth]
    each = raw if isinstance(raw, list) else [raw]
    if len(each) not in (1, len(answers)):
        expected = f"one object for all {len(answers)} references or one for each"
        raise InputValueError(place="evidence", expected=expected, got=str(len(each)))
    values = [answers] if len(each) == 1 else [[answer] for answer in answers]
    read = [_by_path("evidence", given, of, needs_page) for given, of in zip(each, values, strict=True)]
    for error in (error for _, wrong in read for error in wrong):
        raise error
    return [places for places, _ in read]


def _regions_in(raw: Any) -> list[Raw]:
    """Return the raw regions of a row, or of each of its acceptable answers, that are objects."""
    sides = [each for each in (raw if isinstance(raw, list) else [raw]) if isinstance(each, dict)]
    return [region for side in sides for given in side.values() for region in listed(given) if isinstance(region, dict)]


def _last_page(regions: Iterable[Raw]) -> float:
    return max((region["page"] for region in regions if _is_number(region.get("page"))), default=0)


def _lacks_page(region: Raw) -> bool:
    return region.get("page") is None and bool(region.get("box") or region.get("boxes"))


def _by_path(
    kind: str, raw: Any, values: Sequence[Value], needs_page: bool
) -> tuple[RegionsByPath, list[InputValueError]]:
    """Return the regions of each path, and the errors of invalid ones, which get a page number below 1.

    Args:
        kind: evidence or citations.
        raw: what is given.
        values: the value, or the acceptable answers; at least one must have each path.
        needs_page: whether a box must name its page.
    """
    if not isinstance(raw, dict | None):
        return {}, [InputValueError(place=kind, expected=_EXPECTED, got=short_repr(raw))]
    given = {path: items for path, each in full_paths(raw or {}).items() if (items := listed(each))}
    known = {path for value in values for path, _ in values_by_path(value)} if given else set()
    places, errors = dict[str, list[Region]](), list[InputValueError]()
    is_text = kind == "citations" and type(values[0]) is str
    not_read = "; the prediction is text, which was not read as JSON" if is_text else ""
    for path, item in ((path, item) for path, items in given.items() for item in items):
        expected = next((name for name, holds in _RULES.items() if not holds(item)), "")
        if path not in known:
            similar = (f", such as {name}" for name in nearest([path], known).values())
            expected = f"a path that the value has{not_read or ''.join(similar)}"
        if expected or (needs_page and _lacks_page(item)):
            expected = (
                expected or "a page for the box, because the document has several pages or another region names one"
            )
            errors.append(InputValueError(place=(kind, path), expected=expected, got=short_repr(item)))
            has_box = isinstance(item, dict) and (item.get("box") or item.get("boxes"))
            place = Region(-len(errors), (_NO_BOX,) if has_box else ())
        else:
            place = _region(item)
        places.setdefault(path, []).append(place)
    return places, errors


def _region(raw: Raw) -> Region:
    """Convert a valid raw region; the boxes of its lines are sorted."""
    boxes, page = tuple(sorted({*_boxes(raw)})), raw.get("page")
    return Region(1 if boxes and page is None else page and int(page), boxes, raw.get("quote"))


def _boxes(raw: Raw) -> list[Box]:
    """Return the boxes of a raw region as fractions of the page."""
    width, height = raw.get("size") or (1.0, 1.0)
    return [
        (left / width, top / height, right / width, bottom / height) for left, top, right, bottom in _given_boxes(raw)
    ]


def _given_boxes(raw: Raw) -> Iterator[Any]:
    return (box for box in (raw.get("box"), *(raw.get("boxes") or ())) if box is not None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and is_finite(value)


def _are_numbers(value: Any, count: int) -> bool:
    return isinstance(value, list) and len(value) == count and all(map(_is_number, value))


# The rules for a raw region, by what they expect; each rule may rely on the rules before it.
_RULES: dict[str, Callable[[Any], bool]] = {
    f"an object with {', '.join(_PARTS[:-1])} or quote": lambda raw: (
        isinstance(raw, dict) and any(raw.get(part) is not None for part in _PARTS)
    ),
    "a box under the key 'box' (left, top, right, bottom) or 'boxes'": lambda raw: (
        not any("box" in name.lower() or "polygon" in name.lower() for name in raw.keys() - {*_PARTS})
    ),
    "a page counted from 1": lambda raw: (
        raw.get("page") is None or (_is_number(raw["page"]) and raw["page"] >= 1 and raw["page"] % 1 == 0)
    ),
    "a quote that is text": lambda raw: isinstance(raw.get("quote"), str | None),
    "a size of two numbers above 0, width and height": lambda raw: (
        raw.get("size") is None or (_are_numbers(raw["size"], 2) and min(raw["size"]) > 0)
    ),
    "a list of boxes": lambda raw: isinstance(raw.get("boxes"), list | None),
    "a box of four numbers: left, top, right, bottom": lambda raw: all(
        _are_numbers(box, 4) for box in _given_boxes(raw)
    ),
    "a box with left ≤ right and top ≤ bottom": lambda raw: all(
        left <= right and top <= bottom for left, top, right, bottom in _boxes(raw)
    ),
    "a box within its page, in fractions of the page or with the size of the page": lambda raw: all(
        -_BEYOND <= edge <= 1 + _BEYOND for box in _boxes(raw) for edge in box
    ),
}

"""Regions of documents (pages, boxes and quotes), and which cited regions the evidence of a value accepts."""

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise, product
from math import inf
from typing import Any, Literal, NamedTuple, get_args

from docscore.core.numbers import ROUNDING
from docscore.core.options import IOU

Level = Literal["page", "box"]
LEVELS: tuple[Level, ...] = get_args(Level)
Box = tuple[float, float, float, float]  # left, top, right, bottom from the top left corner, as fractions of the page


class Region(NamedTuple):
    """A region of a document; each part may be absent.

    Attributes:
        page: the page, counted from 1. An invalid citation has a number below 1, which no evidence has.
        boxes: the lines of the value on the page.
        quote: the text in the region.
    """

    page: int | None = None
    boxes: tuple[Box, ...] = ()
    quote: str | None = None


RegionsByPath = Mapping[str, Sequence[Region]]  # by path, such as "$.items[0].price"


class RowRegions(NamedTuple):
    """The regions of one row.

    Attributes:
        evidence: the accepted regions of expected values, once for all acceptable answers or once for each.
        citations: the regions that the prediction names for its values.
        invalid: the number of invalid citations.
        left_out: the number of citations of a prediction that is missing or could not be parsed.
    """

    evidence: Sequence[RegionsByPath]
    citations: RegionsByPath
    invalid: int = 0
    left_out: int = 0


NO_REGIONS = RowRegions(({},), {})


def regions_of_json(evidence: Sequence[Mapping[str, Any]], citations: Mapping[str, Any]) -> RowRegions:
    """Return the regions of a row from JSON, in which tuples are lists.

    >>> regions_of_json([{}], {"$.total": [[2, [[0, 0, 1, 1]], None]]}).citations["$.total"][0].boxes
    ((0, 0, 1, 1),)
    """
    sides: list[RegionsByPath] = [
        {
            path: [Region(page, tuple(map(tuple, boxes)), quote) for page, boxes, quote in places]
            for path, places in by_path.items()
        }
        for by_path in (*evidence, citations)
    ]
    return RowRegions(sides[:-1], sides[-1])


def has_level(places: Sequence[Region], level: Level) -> bool:
    """Return whether any of the regions has this level: a page or a box."""
    return any(place.boxes if level == "box" else place.page is not None for place in places)


def accepted_regions(
    citations: Sequence[Region], evidence: Sequence[Region], level: Level, iou: float = IOU
) -> tuple[int, int]:
    """Return the number of accepted and of all distinct cited regions of a level.

    A page is accepted if the evidence has it. A box is accepted if it matches a box of the evidence on the same page.

    >>> accepted_regions([Region(1), Region(2), Region(2, quote="x")], [Region(2)], "page")
    (1, 2)
    """
    if level == "page":
        pages = {place.page for place in citations if place.page is not None}
        return len(pages & {place.page for place in evidence}), len(pages)
    cited = {place[:2] for place in citations if place.boxes}
    known = [place[:2] for place in evidence if place.boxes]
    found = sum(any(page == own and _match(boxes, lines, iou) for own, lines in known) for page, boxes in cited)
    return found, len(cited)


def overlap(citations: Sequence[Region], evidence: Sequence[Region]) -> float | None:
    """Return the largest IoU of a cited and an accepted box, 0 on different pages; None if a side has no box.

    >>> overlap([Region(1, ((0.0, 0.0, 0.2, 0.1),))], [Region(1, ((0.0, 0.0, 0.4, 0.1),))])
    0.5
    """
    pairs = [(cited, own) for cited, own in product(citations, evidence) if cited.boxes and own.boxes]
    ious = (_iou(cited.boxes, own.boxes) if cited.page == own.page else 0.0 for cited, own in pairs)
    return max(ious, default=None)


def around(boxes: Sequence[Box]) -> Box:
    """Return the smallest box that contains all boxes."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _iou(cited: Sequence[Box], lines: Sequence[Box]) -> float:
    """Return the intersection over union of the unions of two lists of boxes."""
    common = _area(_intersections(cited, lines))
    union = _area(cited) + _area(lines) - common
    return common / union if union else 0.0


def _match(cited: Sequence[Box], lines: Sequence[Box], iou: float) -> bool:
    """Return whether the unions of boxes reach the IoU; with several boxes, half of each line must be covered too."""
    reached = _iou(cited, lines)
    if not reached or reached < iou - ROUNDING:
        return False
    halves = ((_area(_intersections(cited, [line])), _area([line]) / 2) for line in lines)
    return len(cited) == len(lines) == 1 or all(covered >= half - ROUNDING for covered, half in halves)


def _intersections(first: Sequence[Box], second: Sequence[Box]) -> list[Box]:
    corners = ((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])) for a, b in product(first, second))
    return [box for box in corners if box[0] < box[2] and box[1] < box[3]]


def _area(boxes: Collection[Box]) -> float:
    """Return the area of the union of boxes, summed over the strips between their vertical edges."""
    area = 0.0
    for left, right in pairwise(sorted({edge for box in boxes for edge in (box[0], box[2])})):
        reached = -inf
        for top, bottom in sorted((box[1], box[3]) for box in boxes if box[0] <= left and right <= box[2]):
            area += (right - left) * max(0.0, bottom - max(top, reached))
            reached = max(reached, bottom)
    return area

"""Warnings about citations that no evidence accepts, for a reason that the figures do not show."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice

from docscore.core.errors import DataWarning, Diagnostic
from docscore.grounding.regions import LEVELS, Box, Level, Region, RowRegions, accepted_regions, has_level

_EXAMINED = 1_000  # values that are cited and have evidence
_FEWEST = 5  # of them, by which a format is told
_SHARE = 0.5  # of them, which another format must meet

# How boxes and pages may be meant, with what they are then in the format of docscore.
_BOXES: dict[str, Callable[[Box], Box]] = {
    "left, top, width and height": lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3]),
    "top, left, bottom and right": lambda box: (box[1], box[0], box[3], box[2]),
    "measured from the bottom of the page": lambda box: (box[0], 1 - box[3], box[2], 1 - box[1]),
}
_PAGES = {"counted from 0": 1, "counted from 2": -1}


def warnings_about_regions(rows: Sequence[RowRegions]) -> Iterator[DataWarning]:
    """Yield warnings if no prediction cites a level of the evidence, or all seem to cite it in another format."""
    evidence = [found for row in rows for each in row.evidence for found in each.values()]
    citations = [found for row in rows for found in row.citations.values()]
    if evidence and not citations and not any(row.left_out for row in rows):
        remedy = "they stand beside the prediction, in the column or key 'citations'"
        diagnostic = Diagnostic(("predictions",), problem="none has citations", remedy=remedy)
        yield DataWarning("no citations", diagnostic)
        return
    sides = [
        (found, row.evidence[0][path])
        for row in rows
        for path, found in row.citations.items()
        if path in row.evidence[0]
    ]
    for level in LEVELS:
        known, cited = (any(has_level(found, level) for found in side) for side in (evidence, citations))
        if known and citations and not cited:
            problem = f"no citation has a {level}, so that its F1 is 0"
            yield DataWarning("level without citations", Diagnostic(("predictions",), problem=problem))
        elif known and (meant := _other_format(list(islice(sides, _EXAMINED)), level)):
            yield DataWarning("convention of regions", Diagnostic(("predictions",), problem=meant))


def _other_format(sides: Sequence[tuple[Sequence[Region], Sequence[Region]]], level: Level) -> str:
    """Return the sentence on a format in which most citations would be accepted, where none is; "" if there is none."""
    cited = [(found, known) for found, known in sides if has_level(found, level) and has_level(known, level)]
    if len(cited) < _FEWEST or any(accepted_regions(found, known, level)[0] for found, known in cited):
        return ""
    is_page = level == "page"
    formats: dict[str, Callable[[Region], Region]] = (
        {name: partial(_with_page, add) for name, add in _PAGES.items()}
        if is_page
        else {name: partial(_with_boxes, meant) for name, meant in _BOXES.items()}
    )
    for name, meant in formats.items():
        met = sum(accepted_regions(list(map(meant, found)), known, level)[0] > 0 for found, known in cited)
        if met >= _SHARE * len(cited):
            expected = "pages count from 1" if is_page else "a box is left, top, right, bottom from the top left corner"
            problem = f"no cited {level} meets the evidence; {name}, {met:,} of {len(cited):,} would"
            return f"{problem}, but {expected}"
    return ""


def _with_boxes(meant: Callable[[Box], Box], place: Region) -> Region:
    return place._replace(boxes=tuple(map(meant, place.boxes)))


def _with_page(add: int, place: Region) -> Region:
    return place._replace(page=None if place.page is None else place.page + add)

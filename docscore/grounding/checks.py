"""Warnings about citations that no evidence accepts, for a reason that the figures do not show."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from math import comb
from statistics import median

from docscore.core.errors import DataWarning, Diagnostic
from docscore.core.runtime import grouped
from docscore.grounding.regions import LEVELS, Box, Level, Region, RowRegions, accepted_regions, around, has_level

_EXAMINED = 1_000  # the most values with citations and evidence that are examined
_FEWEST = 5  # the fewest such values from which a convention can be recognised
_SHARE = 0.5  # the least share of them that another convention must meet
_CHANCE = 0.05  # the largest probability that a reported convention has its additional hits by chance
_LEAST_FACTOR = 1.1  # the least factor by which boxes in other units differ

_Regions = Sequence[Region]
_Pair = tuple[_Regions, _Regions]  # the citations and the evidence of a value


# Other conventions for numbering pages or writing boxes. The key is what a warning says about the convention, with `{}`
# for the number of matches. The function converts citations from it to the convention of docscore.
_Conventions = Mapping[str, Callable[[_Regions], _Regions]]


def warnings_about_regions(rows: Sequence[RowRegions]) -> Iterator[DataWarning]:
    """Yield warnings if no prediction cites a level of the evidence, or all seem to cite it in another format."""
    evidence = [found for row in rows for each in row.evidence for found in each.values()]
    citations = [found for row in rows for found in row.citations.values()]
    if evidence and not citations and not any(row.left_out for row in rows):
        remedy = "give them next to the prediction, in the column or key 'citations'"
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
            problem = f"no citation has a {level}, so the {level} F1 is 0"
            yield DataWarning("level without citations", Diagnostic(("predictions",), problem=problem))
        elif known:
            of_level = [each for each in islice(sides, _EXAMINED) if all(has_level(side, level) for side in each)]
            several = [each for each in of_level if len({place[:2] for place in each[0] if place.boxes}) > 1]
            for pairs, conventions in ((of_level, _conventions(of_level, level)), (several, _LINES[level])):
                meant = {name: read for name, read in conventions.items() if _is_meant(read, pairs, level)}
                hits = {name: sum(_hits(pairs, level, read)) for name, read in meant.items()}
                if hits:
                    best = max(hits, key=hits.__getitem__)
                    problem = _sentence(best.format(f"{hits[best]:,} of {len(pairs):,}"), pairs, level)
                    yield DataWarning("convention of regions", Diagnostic(("predictions",), problem=problem))
                    sides = [(meant[best](found), own) for found, own in sides]
                    break


def _hits(pairs: Sequence[_Pair], level: Level, read: Callable[[_Regions], _Regions] = list) -> list[bool]:
    """Return for each value whether a citation is accepted if the citations are read in a convention."""
    return [accepted_regions(read(found), known, level)[0] > 0 for found, known in pairs]


def _is_meant(read: Callable[[_Regions], _Regions], pairs: Sequence[_Pair], level: Level) -> bool:
    """Return whether a convention accepts at least half of the values, and significantly more than docscore's."""
    if len(pairs) < _FEWEST:
        return False
    now, then = _hits(pairs, level), _hits(pairs, level, read)
    more, fewer = (
        sum(one and not other for one, other in zip(*each, strict=True)) for each in ((then, now), (now, then))
    )
    chance = sum(comb(more + fewer, hits) for hits in range(more, more + fewer + 1)) / 2 ** (more + fewer)
    return sum(then) >= max(_SHARE * len(pairs), 2 * sum(now)) and chance < _CHANCE


def _sentence(convention: str, pairs: Sequence[_Pair], level: Level) -> str:
    now, several = sum(_hits(pairs, level)), "boxes" if level == "box" else "pages"
    problem = f"{now:,} of {len(pairs):,} cited {several} match" if now else f"no cited {level} matches"
    return f"{problem} the evidence; {convention}"


def _conventions(pairs: Sequence[_Pair], level: Level) -> _Conventions:
    """Return the other conventions of pages or boxes."""
    if level == "page":
        return {
            f"counted from {first}, {{}} would match, but pages are counted from 1": partial(_with_pages, 1 - first)
            for first in (0, 2)
        }
    factors = [
        own[at] / box[at]
        for found, known in pairs
        if found[0].page == known[0].page and found[0].boxes and known[0].boxes
        for box, own in [(around(found[0].boxes), around(known[0].boxes))]
        for at in (2, 3)
        if box[at] > 0
    ]
    factor = median(factors) if factors else 1.0
    corners = "{} would match, but a box is given as left, top, right and bottom, from the top left corner"
    conventions: dict[str, Callable[[_Regions], _Regions]] = {
        f"{name}, {corners}": partial(_with_boxes, meant) for name, meant in _BOXES.items()
    }
    if not 1 / _LEAST_FACTOR < factor < _LEAST_FACTOR:
        units = "{} would match, but a box is given in fractions of its page, or in the units of `size`"
        conventions[f"multiplied by {factor:.3g}, {units}"] = partial(
            _with_boxes, lambda box: (box[0] * factor, box[1] * factor, box[2] * factor, box[3] * factor)
        )
    return conventions


_BOXES: dict[str, Callable[[Box], Box]] = {
    "left, top, width and height": lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3]),
    "top, left, bottom and right": lambda box: (box[1], box[0], box[3], box[2]),
    "measured from the bottom of the page": lambda box: (box[0], 1 - box[3], box[2], 1 - box[1]),
}


def _with_boxes(meant: Callable[[Box], Box], citations: _Regions) -> _Regions:
    return [place._replace(boxes=tuple(map(meant, place.boxes))) for place in citations]


def _with_pages(add: int, citations: _Regions) -> _Regions:
    return [place._replace(page=None if place.page is None else place.page + add) for place in citations]


def _together(citations: _Regions) -> _Regions:
    """Return one citation per page, with the boxes of all citations on that page."""
    by_page = grouped((place.page, place.boxes) for place in citations if place.boxes)
    return [Region(page, tuple(sorted({box for boxes in each for box in boxes}))) for page, each in by_page.items()]


_LINES: dict[Level, _Conventions] = {
    "page": {},
    "box": {
        "as the `boxes` of one citation, {} would match, but each citation of a value is evaluated by itself": _together
    },
}

"""Where the values of a document stand: a sign and a sentence for each row, and its place cut out of the pages."""

import base64
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

from docscore.core.formatting import counted
from docscore.core.runtime import grouped
from docscore.grounding.document_folder import DocumentFolder, page_image
from docscore.grounding.document_text import DocumentText
from docscore.grounding.nodes import grounded_leaves
from docscore.grounding.regions import NO_REGIONS, Box, Region, RowRegions, around, overlap
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.report.html_tree import TreeDrawing, chosen_value, shown_path

MOST_CROPS = 100  # of a report, of about ten kilobytes each
_MOST_ROWS = 12  # of a document
_WIDEST, _QUALITY = 640, 80  # of a crop: pixels, and how well JPEG keeps them
_LOOKS = "cited", "expected"
_LEAST, _RATIO = (0.49, 0.24), (0.133, 0.265)  # of one crop and of two beside: its part of the page, height by width
_ROOM = 1.2  # of the height of a place, above and below it
_NEAR = 0.4, 0.02  # of a page, by which a crop of two places is wider and higher than that of one


def placed_rows(
    tree: ScoreTree, numbers: Mapping[int, int], places: RowRegions | None, document: DocumentText | None = None
) -> list[dict[str, Any]]:
    """Return where the values of the rows of a tree are expected and cited, and where they stand in a text.

    Args:
        tree: the tree.
        numbers: the number of the row of each node that is rendered, by the `id` of the node.
        places: those that it was built with; None if there are none.
        document: what the document says; None if that is not known.

    Returns:
        Of each "row" its number and its "path"; of a single value that has evidence whether it is "right" and
        "predicted", or the prediction is "empty"; as "levels" how many of its cited places are accepted, of how many,
        else null; "expected" and "cited" places with page, boxes and quote; the IoU of their boxes as "overlap";
        whether nothing is expected, as "extra"; the status of a value that lost points as "outcome", else ""; where the
        ground truth and the prediction stand in the text as "found", null for what no text can show.
    """
    if isinstance(tree, MetricTree):  # whose paths are its own
        return []
    found: list[dict[str, Any]] = []
    sides = (
        []
        if document is None
        else [
            {
                path: None if spots is None else [document.given(spot) for spot in spots]
                for path, _, spots in document.find_scalars(value)
            }
            for value in (chosen_value(tree), tree.prediction)
        ]
    )
    for leaf, predicted, cell, evidence, cited in grounded_leaves(tree, places or NO_REGIONS):
        is_extra = leaf.status == "extra"
        if (row := numbers.get(id(leaf))) is not None and (sides or cell or evidence or cited):
            found.append(
                {
                    "row": row,
                    "path": shown_path(leaf),
                    "right": bool(cell and cell.right),
                    "predicted": bool(cell and cell.predicted),
                    "empty": bool(cell and not cell.predicted and leaf.status == "wrong"),
                    "levels": cell and cell.levels,
                    "expected": evidence,
                    "cited": cited,
                    "overlap": overlap(cited, evidence),
                    "extra": is_extra,
                    "outcome": leaf.status if leaf.points_lost else "",
                    "found": [
                        side.get(at)  # a row that one side lacks has the number of another one there
                        for side, at in zip(sides, ("" if is_extra else leaf.path, predicted), strict=False)
                    ],
                }
            )
    return found


def sign_of_place(row: Mapping[str, Any]) -> str:
    """Return whether the value of a row is cited at the right place.

    Args:
        row: one of `placed_rows`.

    Returns:
        "there", "elsewhere", "none" where nothing is cited or predicted, "free" where no place is annotated, "nowhere"
        where the document does not have it, "" where nothing is known.
    """
    if row["levels"]:
        accepted, cited = row["levels"][_level(row)]
        return "none" if not row["predicted"] or not cited else "there" if accepted else "elsewhere"
    return "free" if row["cited"] else "nowhere" if row["found"][1:] == [[]] else ""


def sentence_on_place(row: Mapping[str, Any], pages: int, document: DocumentText | None) -> str:
    """Return the sentence about the place of a value, which is that of the page (`playground/parts/places.js`).

    Args:
        row: one of `placed_rows`.
        pages: how many the document has; 0 if that is not known.
        document: what it says; None if that is not known.
    """
    sign, level, accepted = sign_of_place(row), _level(row), _pages(row["expected"])
    cited = next(iter(_pages(row["cited"])), 0)
    expected = cited if cited in accepted else next(iter(accepted), 0)
    on_cited, on_expected = ("" if pages == 1 or not page else f" on page {page}" for page in (cited, expected))
    line, other = 0, 0  # of the places on the only page
    if document and pages == 1:
        line, other = (next(filter(None, map(document.line_of, row[side])), 0) for side in _LOOKS)
        on_expected = f" on line {other}" if other else ""
    if row["levels"] and row.get("empty"):
        return "Wrong value: it is empty."
    if row["levels"] and not row["predicted"]:
        return f"Missing: it is expected{on_expected}." if on_expected else "Missing."
    if sign == "none" and row["cited"] and "page" in row["levels"]:  # without a box
        level, sign = "page", "there" if row["levels"]["page"][0] else "elsewhere"
    value, count = "Right value" if row["right"] else "Wrong value", len(row["expected"])
    one_of = f": one of {count} accepted" if count > 1 else ""
    where = f": page {cited}, expected page {expected}" if cited not in (0, expected) else on_cited
    where = f": line {line}, expected line {other}" if line and other and line != other else where
    sentences = {
        "there": f"Right value, right {level if level == 'page' else 'region'}{one_of}."
        if row["right"]
        else "Wrong value, right region: misread.",
        "elsewhere": f"The citation names page {cited}; the document has {counted(pages, 'page')}."
        if 0 < pages < cited
        else f"{value}, other region{where}.",
        "none": f"{value}, nothing cited.",
        "free": f"Cited{on_cited}. No region is annotated.",
    }
    if sign in sentences:
        return sentences[sign]
    if sign == "nowhere" and row["extra"]:
        return "The value was not found in the document."
    sides = zip(("Ground truth", "Prediction"), row["found"], strict=False)
    standing = [f"{side} {_standing(spots, pages, document)}." for side, spots in sides if spots is not None]
    nothing = (
        "Values as short as this are not looked up."
        if row["found"]
        else "Nothing is cited, and no region is annotated."
    )
    if document and not document.is_complete:
        nothing = "The text of the document is incomplete."
    return " ".join(standing) or nothing


def _level(row: Mapping[str, Any]) -> str:
    """The level by which a row is evaluated."""
    return "box" if "box" in (row["levels"] or ()) else "page"


def _pages(places: Sequence[Region]) -> list[int]:
    return [place.page for place in places if place.page is not None and place.page > 0]


def _standing(spots: Sequence[Any], pages: int, document: DocumentText | None) -> str:
    """Where a value stands in a text, in words."""
    if not spots or document is None:
        return "not found in the document"
    page, line = document.line_at(spots[0][0][0])
    where = f"page {page}, line {line}" if pages > 1 else f"line {line}"
    return f"found {counted(len(spots), 'time')}, first on {where}" if len(spots) > 1 else f"found on {where}"


def cut_crops(documents: DocumentFolder, crops: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """Cut places out of the pages of documents, the first `MOST_CROPS`; each page is opened once, and one at a time.

    Args:
        documents: the documents.
        crops: the ids of documents, and what is cut out of them, to which "image" is added as a `data:` address, its
            "width" and "height", and the "boxes" in it.

    Returns:
        A sentence for each page that cannot be rendered, and one about the places beyond the limit.
    """
    wanted = [(file, crop) for name, crop in crops if (file := documents.page_file(name, crop["page"]))]
    errors: dict[str, None] = {}  # each once
    for (file, number), of_page in grouped(((file, crop["page"]), crop) for file, crop in wanted[:MOST_CROPS]).items():
        image, error = page_image(file, number)
        errors |= {error: None} if error else {}
        for crop in of_page if image else ():
            crop.update(_drawn_crop(image, crop))
    beyond = len(wanted) - MOST_CROPS
    more = f"{counted(beyond, 'place')} not cut out of the pages: a report has {MOST_CROPS} at most"
    return [*errors, *([more] if beyond > 0 else [])]


def _drawn_crop(image: Any, crop: Mapping[str, Any]) -> dict[str, Any]:
    from PIL import Image  # noqa: PLC0415  need not be installed

    boxes = [(look, box) for look, place in crop["marks"] for box in place.boxes]
    wide, high, whole = image.width, image.height, around([box for _, box in boxes])
    left, top, right, bottom = _part_around(whole, wide / high, beside=crop["beside"])
    corners = left * wide, top * high, max(right * wide, left * wide + 1), max(bottom * high, top * high + 1)
    part, content = image.crop(corners).convert("RGBA"), BytesIO()
    part.thumbnail((_WIDEST, _WIDEST))
    paper = Image.alpha_composite(Image.new("RGBA", part.size, "white"), part)
    paper.convert("RGB").save(content, "jpeg", quality=_QUALITY)
    across, down = right - left, bottom - top
    return {
        "image": f"data:image/jpeg;base64,{base64.b64encode(content.getvalue()).decode()}",
        "width": part.width,
        "height": part.height,
        "boxes": [
            (look, (x - left) / across, (y - top) / down, (end - x) / across, (foot - y) / down)
            for look, (x, y, end, foot) in boxes
        ],
    }


def _part_around(box: Box, shape: float, *, beside: bool) -> Box:
    """The part of a page that is enlarged around a place, within the page, whose width by height is its shape."""
    left, top, right, bottom = box
    least, ratio = _LEAST[beside], _RATIO[beside] * shape
    wide = min(1.0, max(least, (right - left) * 1.15, (bottom - top) * (1 + 2 * _ROOM) / ratio))
    tall = min(1.0, wide * ratio)
    x = max(0.0, min(1 - wide, (left + right - wide) / 2))
    y = max(0.0, min(1 - tall, (top + bottom - tall) / 2))
    return x, y, x + wide, y + tall


def _are_near(one: Region, other: Region) -> bool:
    """Whether two places are seen in one crop."""
    boxes = map(around, ([*one.boxes, *other.boxes], one.boxes, other.boxes))
    (wide, *widths), (high, *heights) = zip(*((box[2] - box[0], box[3] - box[1]) for box in boxes), strict=True)
    return one.page == other.page and wide - max(widths) < _NEAR[0] and high - max(heights) < _NEAR[1]


def _crops_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is cut out for a row: the cited place, and the expected one beside it where that is not in view."""
    marks = [(look, place) for look in _LOOKS for place in row[look] if place.boxes and (place.page or 0) > 0]
    groups: list[Region] = []
    for _, place in marks:
        if len(groups) < len(_RATIO) and not any(_are_near(place, other) for other in groups):
            groups.append(place)
    return [
        {
            "image": "",
            "page": group.page,
            "marks": [(look, place) for look, place in marks if place is group or _are_near(place, group)],
            "beside": len(groups) > 1,
        }
        for group in groups
    ]


def places_of_document(
    tree: ScoreTree, drawing: TreeDrawing, places: RowRegions | None, document: DocumentText | None, pages: int
) -> dict[str, Any]:
    """Return the values that lost points, most first, and right ones that are cited elsewhere, each with its place.

    Args:
        tree: the tree.
        drawing: how it is rendered.
        places: those that it was built with; None if there are none.
        document: what it says; None if that is not known.
        pages: how many it has; 0 if that is not known.

    Returns:
        As "rows" for each value, and for each row of a list that is missing or extra, its "path", its row in the
        drawing as "drawn", "sign", "sentence" and "crops", without images; the number of "pages"; how many others lost
        points as "lost" and how many are "right"; how many of the "exact" ones, of a "total", are cited elsewhere or
        not at all as "astray", and not at all as "uncited". Empty if no place is known, or no value is shown.
    """
    numbers, lost, inside = drawing.row_numbers, list[ScoreTree](), set[int]()
    placed = {row["row"]: row for row in placed_rows(tree, numbers, places, document)}
    if not placed:
        return {}
    for node in tree.nodes():
        is_whole = not node.children or (node.key is None and node is not tree and node.status in ("missing", "extra"))
        if node.points_lost and is_whole and id(node) in numbers and id(node) not in inside:
            lost.append(node)
            inside.update(id(each) for each in node.nodes())
    lost.sort(key=lambda node: -node.points_lost)
    right = [(leaf, row) for leaf in tree.leaves() if (row := placed.get(numbers.get(id(leaf), -1))) and row["right"]]
    elsewhere = [leaf for leaf, row in right if sign_of_place(row) == "elsewhere"]
    shown = [*lost, *elsewhere][:_MOST_ROWS]
    if not shown:
        return {}
    drawn = {int(each["row_id"].rpartition("-")[2]): each for each in drawing.rows}
    rows = []
    for node in shown:
        row = _row_of(node, [placed[at] for leaf in node.leaves() if (at := numbers.get(id(leaf))) in placed])
        rows.append(
            {
                "path": shown_path(node),
                "drawn": drawn[numbers[id(node)]],
                "sign": sign_of_place(row),
                "sentence": sentence_on_place(row, pages, document),
                "crops": _crops_of(row),
            }
        )
    sizes = {status: size for status, _, _, size, _ in drawing.parts}
    uncited = sum(sign_of_place(row) == "none" for _, row in right)
    return {
        "rows": rows,
        "pages": pages,
        "lost": max(0, len(lost) - len(shown)),
        "right": sizes.get("exact", 0) - max(0, len(shown) - len(lost)),
        "exact": sizes.get("exact", 0),
        "total": sum(sizes.values()),
        "astray": len(elsewhere) + uncited,
        "uncited": uncited,
    }


def _row_of(node: ScoreTree, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The row of a value, or one for all values of a row of a list, with a box around theirs on each page."""
    if len(rows) == 1 and not node.children:
        return rows[0]
    sides = {side: grouped((place.page, place.boxes) for row in rows for place in row[side]) for side in _LOOKS}
    return {
        "right": False,
        "predicted": node.status == "extra",
        "levels": next((row["levels"] for row in rows if row["levels"]), None),
        "extra": node.status == "extra",
        "found": [],
        **{
            side: [
                Region(page, (around([box for of_one in boxes for box in of_one]),) if any(boxes) else ())
                for page, boxes in places.items()
            ]
            for side, places in sides.items()
        },
    }

"""The regions of the values of a document: a sign and a sentence for each row, and crops of the pages."""

import base64
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any, Literal, TypedDict

from docscore.core.formatting import counted
from docscore.core.runtime import grouped
from docscore.grounding.document_folder import DocumentFolder, page_image
from docscore.grounding.document_text import DocumentText
from docscore.grounding.nodes import grounded_leaves
from docscore.grounding.regions import NO_REGIONS, Box, Level, Region, RowRegions, around, overlap
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.base import MetricTree
from docscore.report.html_tree import TreeDrawing, chosen_value, shown_path

MOST_CROPS = 100  # in a report; a crop has about ten kilobytes
_MOST_ROWS = 12  # of a document
_WIDEST, _QUALITY = 640, 80  # of a crop: pixels, and quality of JPEG
_LOOKS = "cited", "expected"
_LEAST, _RATIO = (0.49, 0.24), (0.133, 0.265)  # for one crop, for two: least part of the page, height by width
_ROOM = 1.2  # margin above and below a region, as a multiple of its height
_NEAR = 0.4, 0.02  # of a page; limits on how much wider and higher than its regions a crop of two regions may be


class PlacedRow(TypedDict):
    """A row of a rendered tree, with the regions of its value.

    Attributes:
        row, path: its number and its path.
        right, predicted, empty: whether a single value with evidence is right or predicted, or its prediction is empty.
        levels: how many of its cited regions are accepted, out of how many; null without evidence.
        overlap: the IoU of the boxes of both sides.
        extra: whether nothing is expected.
        outcome: the status of a value that lost points, or "".
        found: the positions of the ground truth and of the prediction in the text, null for what no text can show;
            empty without a text.
    """

    row: int
    path: str
    right: bool
    predicted: bool
    empty: bool
    levels: dict[Level, tuple[int, int]] | None
    expected: Sequence[Region]
    cited: Sequence[Region]
    overlap: float | None
    extra: bool
    outcome: Literal["", "partial", "wrong", "missing", "extra"]
    found: list[list[list[tuple[int, int]]] | None]


def placed_rows(
    tree: ScoreTree, numbers: Mapping[int, int], places: RowRegions | None, document: DocumentText | None = None
) -> list[PlacedRow]:
    """Return the expected and cited regions of the values of a tree, and their positions in the text of a document.

    Args:
        tree: the tree.
        numbers: the number of the row of each rendered node, by the `id` of the node.
        places: the regions that the tree was built with; None if there are none.
        document: the text of the document; None if it is not known.
    """
    if isinstance(tree, MetricTree):  # a `MetricTree` has its own paths
        return []
    found: list[PlacedRow] = []
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
                    "outcome": leaf.status if leaf.points_lost and leaf.status != "exact" else "",
                    "found": [
                        side.get(at)  # for a row that one side does not have, the number belongs to another row there
                        for side, at in zip(sides, ("" if is_extra else leaf.path, predicted), strict=False)
                    ],
                }
            )
    return found


def sign_of_place(row: Mapping[str, Any]) -> str:
    """Return whether the value of a row is cited in the right region.

    Args:
        row: one of `placed_rows`.

    Returns:
        "there" for the right region; "elsewhere" for another region; "none" if nothing is cited or predicted; "free" if
        no region is annotated; "nowhere" if the document does not have the value; "" if nothing is known.
    """
    if row["levels"]:
        accepted, cited = row["levels"][_level(row)]
        return "none" if not row["predicted"] or not cited else "there" if accepted else "elsewhere"
    return "free" if row["cited"] else "nowhere" if row["found"][1:] == [[]] else ""


def sentence_on_place(row: Mapping[str, Any], pages: int, document: DocumentText | None) -> str:
    """Return the sentence about the region of a value; the page has the same one (`playground/parts/places.js`).

    Args:
        row: one of `placed_rows`.
        pages: the number of pages of the document; 0 if it is not known.
        document: the text of the document; None if it is not known.
    """
    sign, level, accepted = sign_of_place(row), _level(row), _pages(row["expected"])
    cited = next(iter(_pages(row["cited"])), 0)
    expected = cited if cited in accepted else next(iter(accepted), 0)
    on_cited, on_expected = ("" if pages == 1 or not page else f" on page {page}" for page in (cited, expected))
    line, other = 0, 0  # of the regions on the only page
    if document and pages == 1:
        line, other = (next(filter(None, map(document.line_of, row[side])), 0) for side in _LOOKS)
        on_expected = f" on line {other}" if other else ""
    if row["levels"] and row.get("empty"):
        return "Wrong value: it is empty."
    if row["levels"] and not row["predicted"]:
        return f"Missing: it is expected{on_expected}." if on_expected else "Missing."
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
    """Return the level by which a row is evaluated: boxes, but for a value that cites pages alone."""
    levels = row["levels"] or {}
    return "box" if "box" in levels and (levels["box"][1] or not levels.get("page", (0, 0))[1]) else "page"


def _pages(places: Sequence[Region]) -> list[int]:
    return [place.page for place in places if place.page is not None and place.page > 0]


def _standing(spots: Sequence[Any], pages: int, document: DocumentText | None) -> str:
    """Return where a value is found in a text, in words."""
    if not spots or document is None:
        return "not found in the document"
    page, line = document.line_at(spots[0][0][0])
    where = f"page {page}, line {line}" if pages > 1 else f"line {line}"
    return f"found {counted(len(spots), 'time')}, first on {where}" if len(spots) > 1 else f"found on {where}"


def cut_crops(documents: DocumentFolder, crops: Sequence[tuple[str, dict[str, Any]]]) -> list[str]:
    """Cut the first `MOST_CROPS` regions out of the pages of documents; each page is opened once, and one at a time.

    Args:
        documents: the documents.
        crops: pairs of the id of a document and a crop of it. The function adds to each crop its "image" as a `data:`
            address, its "width" and "height", and the "boxes" in it.

    Returns:
        A sentence for each page that cannot be rendered, and one about the regions beyond the limit.
    """
    wanted = [(file, crop) for name, crop in crops if (file := documents.page_file(name, crop["page"]))]
    errors: dict[str, None] = {}  # each error once
    for (file, number), of_page in grouped(((file, crop["page"]), crop) for file, crop in wanted[:MOST_CROPS]).items():
        image, error = page_image(file, number)
        errors |= {error: None} if error else {}
        for crop in of_page if image else ():
            crop.update(_drawn_crop(image, crop))
    beyond = len(wanted) - MOST_CROPS
    more = f"{counted(beyond, 'region')} not shown as images: a report shows at most {MOST_CROPS}"
    return [*errors, *([more] if beyond > 0 else [])]


def _drawn_crop(image: Any, crop: Mapping[str, Any]) -> dict[str, Any]:
    from PIL import Image  # noqa: PLC0415  an optional package

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
    """Return the part of a page to enlarge around a region; `shape` is the width of the page divided by its height."""
    left, top, right, bottom = box
    least, ratio = _LEAST[beside], _RATIO[beside] * shape
    wide = min(1.0, max(least, (right - left) * 1.15, (bottom - top) * (1 + 2 * _ROOM) / ratio))
    tall = min(1.0, wide * ratio)
    x = max(0.0, min(1 - wide, (left + right - wide) / 2))
    y = max(0.0, min(1 - tall, (top + bottom - tall) / 2))
    return x, y, x + wide, y + tall


def _are_near(one: Region, other: Region) -> bool:
    """Return whether two regions fit in one crop."""
    boxes = map(around, ([*one.boxes, *other.boxes], one.boxes, other.boxes))
    (wide, *widths), (high, *heights) = zip(*((box[2] - box[0], box[3] - box[1]) for box in boxes), strict=True)
    return one.page == other.page and wide - max(widths) < _NEAR[0] and high - max(heights) < _NEAR[1]


def _crops_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the crops of a row: the cited region, and the expected region if the first crop does not show it."""
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
    """Return the values that lost points, most first, and the right values with another region, each with its regions.

    Args:
        tree: the tree.
        drawing: the rendered tree.
        places: the regions that the tree was built with; None if there are none.
        document: the text of the document; None if it is not known.
        pages: the number of pages of the document; 0 if it is not known.

    Returns:
        "rows": for each value, and for each missing or extra row of a list, its "path", its row in the drawing as
        "drawn", its "sign", "sentence" and "crops", without images. "pages": the number of pages. "lost": how many
        other values lost points. "right": how many are right. "astray": how many of the "exact" ones, out of a "total",
        have another region or no citation. "uncited": how many have no citation. Empty if no region is known, or no
        value is shown.
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
        shown_row = _row_of(node, [placed[at] for leaf in node.leaves() if (at := numbers.get(id(leaf))) in placed])
        rows.append(
            {
                "path": shown_path(node),
                "drawn": drawn[numbers[id(node)]],
                "sign": sign_of_place(shown_row),
                "sentence": sentence_on_place(shown_row, pages, document),
                "crops": _crops_of(shown_row),
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


def _row_of(node: ScoreTree, rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the row of a value, or one row for all values of a list row, with one box around them on each page."""
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

"""The forms in which providers return citations with values, from a table that names the source of each form.

The table has the versions of each form, latest first. Each is a JSON object:

* `source`: the documentation that describes the form.
* `value`: the path of the values in a prediction; if a prediction does not have it, its top level holds the values.
* `layout`: where the citations are. "same shape": at the paths `citations`, in objects with the structure of the
  values. "by path": also there, in one object with the paths of the values as keys. "around the value": in an object
  around each value, whose keys are all listed in `citations`; the first key holds the value. "parallel lists": at the
  paths `citations`, in a list as long as the list of values, with the list of citations itself at the path of each
  value; if both lists have one element, the element holds the values.
* `key`: the key of the list of citations of a value; null for "parallel lists".
* `page`, `quote`: the paths of page and quote in a citation. `first_page`: the number of the first page.
* `box`: the path of a box or a list of boxes. `corners`: the keys of its edges (left, top, right, bottom; a plus sign
  marks a length instead), or "polygon". `size`: the paths of the width and height of the page; null for fractions.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from docscore.core.errors import InputValueError, short_repr
from docscore.core.values import values_by_path
from docscore.inputs.formats import read_value
from docscore.inputs.json_text import loads
from docscore.inputs.raw_regions import Form, Raw, Wrapper, without_regions
from docscore.inputs.rows import cells_of

LAYOUTS = ("same shape", "by path", "around the value", "parallel lists")
_KEYS = ("source", "value", "layout", "citations", "key", "page", "first_page", "box", "corners", "size", "quote")

Entry = Mapping[str, Any]  # a version of a form, as in the table


def _split(versions: Sequence[Entry], prediction: Any) -> tuple[Any, Raw]:
    """Return the values of a prediction in a form, and their citations by path, in the format of docscore.

    The first version of the form that has citations is used, otherwise the first that has values.
    """
    split = [_split_in(entry, prediction) for entry in versions]
    known = [
        each for each, entry in zip(split, versions, strict=True) if _first(prediction, [entry["value"]]) is not None
    ]
    return next((each for each in split if each[1]), [*known, split[0]][0])


def _split_in(entry: Entry, prediction: Any) -> tuple[Any, Raw]:
    value = _first(prediction, [entry["value"]])
    value = prediction if value is None else value
    if entry["layout"] == LAYOUTS[2]:
        names = entry["citations"]
        value, found = without_regions(value, Wrapper(names[0], entry["key"], frozenset(names)))
    elif entry["layout"] == LAYOUTS[3]:
        found = {}
        metadata = _first(prediction, entry["citations"])
        if isinstance(value, list) and isinstance(metadata, list) and len(value) == len(metadata):
            value, metadata = (side[0] if len(side) == 1 else side for side in (value, metadata))
            found = {path: part for path, part in values_by_path(metadata) if _are_citations(entry, part)}
    else:
        metadata = _first(prediction, entry["citations"])
        is_flat = entry["layout"] == LAYOUTS[1] and isinstance(metadata, dict)
        by_path = metadata.items() if is_flat else values_by_path(metadata)
        key = entry["key"]
        found = {
            path: part[key] for path, part in by_path if isinstance(part, dict) and isinstance(part.get(key), list)
        }
    return value, {path: [_place(entry, each) for each in citations] for path, citations in found.items()}


def _are_citations(entry: Entry, part: Any) -> bool:
    """Return whether a part of metadata is a list of citations, each with a page, and not a list of rows."""
    pages = [_first(each, entry["page"]) for each in part] if isinstance(part, list) else []
    return bool(pages) and None not in pages


def _place(entry: Entry, citation: Any) -> Raw:
    """Return a citation in the format of docscore, without its boxes if they need a page size that is missing."""
    page, boxes = _first(citation, entry["page"]), _first(citation, entry["box"])
    size = [_first(citation, [path]) for path in entry["size"] or ()]
    place = {"page": page + 1 - entry["first_page"] if type(page) is int else page}
    if boxes and None not in size:
        many = isinstance(boxes, list) and entry["corners"] != "polygon"
        place["boxes"] = [_box(entry["corners"], box) for box in (boxes if many else [boxes])]
    return {**place, "size": None if None in size else size or None, "quote": _first(citation, [entry["quote"]])}


def _box(corners: Any, box: Any) -> Any:
    """Return left, top, right and bottom of a box; an invalid box is returned unchanged."""
    with suppress(KeyError, TypeError, ValueError):
        if corners == "polygon":
            across, down = zip(*((point["x"], point["y"]) for point in box), strict=True)
            return [min(across), min(down), max(across), max(down)]
        edges = [box[name.removeprefix("+")] for name in corners]
        return [edge + edges[at - 2] if corners[at][0] == "+" else edge for at, edge in enumerate(edges)]
    return box


def _first(value: Any, paths: Iterable[str]) -> Any:
    """Return the part of a value at the first path that the value has; None if it has none of the paths."""
    cells = (cell for path in paths for cell in cells_of([value], path))
    return next((cell for cell in cells if cell is not None and not isinstance(cell, type)), None)


@cache
def known_forms() -> Mapping[str, Sequence[Entry]]:
    """Return the versions of each form of the table by its name."""
    table: Mapping[str, Sequence[Entry]] = loads(Path(__file__).with_name("citation_forms.json").read_text("utf-8"))
    return table


@cache
def keys_of_forms() -> frozenset[str]:
    """Return the keys that mark a form: a prediction in a form, or a value in it, has at least one of them."""
    entries = chain.from_iterable(known_forms().values())
    paths = (path for entry in entries for path in (entry["value"], *entry["citations"]))
    return frozenset(path.partition(".")[0] for path in paths)


def form_named(name: str) -> Form:
    """Return a form by its name or by the path of its JSON file; raise `ValueError` if there is none."""
    if name in known_forms():
        return partial(_split, known_forms()[name])
    if not name.endswith(".json"):
        expected = f"one of {', '.join(known_forms())}, or the path of a .json file"
        raise InputValueError(place="citations_from", expected=expected, got=repr(name))
    entry = read_value(Path(name))
    if not isinstance(entry, dict) or entry.keys() != {*_KEYS} or entry["layout"] not in LAYOUTS:
        expected = f"an object with the keys {', '.join(_KEYS)}, whose layout is one of {', '.join(LAYOUTS)}"
        raise InputValueError(place=name, expected=expected, got=short_repr(entry))
    return partial(_split, [entry])


def _has_places(found: Raw) -> bool:
    return any(place.get("page") is not None or place.get("quote") for places in found.values() for place in places)


def forms_of(predictions: Sequence[Any]) -> dict[str, int]:
    """Return the number of predictions with citations in each form, without forms that never occur."""
    counts = {
        name: sum(
            _has_places(_split(versions, prediction)[1]) for prediction in predictions if isinstance(prediction, dict)
        )
        for name, versions in known_forms().items()
    }
    return {name: count for name, count in counts.items() if count}

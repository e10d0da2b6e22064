"""Warnings about schemas that do not fit the ground truths, and about values that cannot be read."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from docscore.core.errors import (
    NAMED,
    DataWarning,
    Diagnostic,
    InputValueError,
    at_place,
    row_place,
    short_repr,
    some_of,
)
from docscore.core.formatting import counted, field_text
from docscore.core.same_value import certain_order
from docscore.core.schema_source import SchemaSource
from docscore.core.similarity import nearest
from docscore.core.values import LEAF_TYPES, SCALAR_TYPES, Scalar, Value, field_path, is_empty, places_in, scalar_text
from docscore.metrics.anls_star.api import Leaf
from docscore.metrics.anls_star.sizes import SIDES, SchemaNode, Side
from docscore.metrics.typed.comparators import ReadingComparator, settings_that_read
from docscore.metrics.typed.readers import Separators, date_order, read_number
from docscore.metrics.typed.schema import ANY_KEY, compiled_schema, key_place, named_places

MOST_UNCLEAR = 0.05  # a larger share of the values of a field causes a warning


def places_by_schema(truths: Iterable[tuple[str, Value]], source: SchemaSource) -> dict[str, set[str]]:
    """Return by the text of each schema the places in its ground truths, spelled as by `named_places`.

    Ground truths without any value are left out, and so are all ground truths after all places have occurred.

    Args:
        truths: the id and the ground truth of each row.
        source: the schemas.

    Raises:
        ValueError: if a row has no schema.
    """
    places: dict[str, set[str]] = {}
    for name, truth in truths:
        try:
            text = source.schema_of(name)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        paths = places.setdefault(text, set())
        if not named_places(compiled_schema(text, source.functions)).keys() <= paths:
            parts = [(path, value) for path, value in places_in(truth) if type(value) is not tuple]
            if any(type(value) in LEAF_TYPES and not is_empty(value) for _, value in parts):
                paths.update(path or (ANY_KEY if type(value) is dict else "") for path, value in parts)
                paths.update(f"{path}[]" for path, value in parts if type(value) is list)
    return places


def keys_of_schemas(source: SchemaSource | None) -> set[str]:
    """Return the keys that schemas name."""
    texts = set(source.schemas.values()) if source else set[str]()
    return {key for text in texts for key in compiled_schema(text, source.functions if source else ()).properties}


def warnings_about_schemas(places: Mapping[str, set[str]], source: SchemaSource) -> Iterator[DataWarning]:
    """Yield warnings about fields and keys of a schema that no ground truth has.

    A missing field causes a warning only if ground truths have a field with a similar name.

    Args:
        places: the places in the ground truths of each schema, as `places_by_schema` returns them.
        source: the schemas.

    Raises:
        ValueError: if a schema names fields, or has fields with a comparator, and no ground truth has any of them.
    """
    for text, paths in ((text, paths) for text, paths in places.items() if paths):
        place = f"schema {next(name for name, other in source.schemas.items() if other == text)}".strip()
        for problem in _problems_of_schema(compiled_schema(text, source.functions), paths, place):
            yield DataWarning("fields of the schema", Diagnostic((place,), problem=problem))


def _problems_of_schema(root: SchemaNode, paths: set[str], place: str) -> Iterator[str]:
    """Yield a sentence for fields and keys that no ground truth has; raise `ValueError` if no field fits.

    Args:
        root: the compiled schema.
        paths: the places in its ground truths.
        place: the name of the schema, for messages.
    """
    named = named_places(root)
    missing = [path for path, is_read in named.items() if not (is_read and path in paths)]
    others = sorted(path for path in paths - {"", ANY_KEY} if not named.get(path))
    hints = _hints(missing, others, named)
    shown = list(hints.values())[:NAMED]
    compared = {path for path, node in named.items() if node and node.comparator}
    problem = ""
    if len(missing) == len(named) and (hints or any(named.values())):
        existing = some_of([field_path(path) for path in others if not path.endswith("[]")]) or "no fields"
        names = some_of([field_path(path) for path in missing if named[path] or path in hints])
        problem = f"no ground truth has any of the fields that it names, {names}; the ground truths have {existing}"
    elif compared and not compared & paths and not any(_is_empty_list(path, paths) for path in compared):
        names = some_of(list(map(field_path, sorted(compared))))
        problem = f"no ground truth has any of the fields that it compares by value, {names}"
    if problem:
        raise InputValueError(place=place, problem="; ".join([problem, *shown]))
    if hints:
        yield f"it names fields that no ground truth has: {'; '.join(shown)}"
    yield from _problems_of_keys({"": root, **named}, paths, hints)


def _hints(missing: list[str], others: list[str], named: Mapping[str, SchemaNode | None]) -> dict[str, str]:
    """Return hints for missing fields by path: a similar field, the same name at another depth, or a typo."""
    similar, hints = nearest(missing, others), dict[str, str]()
    for path in (path for path in missing if path.strip("[]")):
        at_other_depth = (other for other in others if other.endswith(path) or path.endswith(other))
        other = similar.get(path) or (named[path] and next(at_other_depth, ""))
        if other and not path.startswith(tuple(hints)):
            meaning = f"may be {field_path(other)!r}" if named[path] else 'belongs inside "properties"'
            hints[path] = f"{field_path(path)!r} {meaning}"
    return hints


def _is_empty_list(path: str, paths: set[str]) -> bool:
    """Return whether a place is in the elements of a list, and no ground truth has such an element."""
    elements = path[: path.rfind("[]") + 2]
    return "[]" in path and not any(other.startswith(elements) and other != elements for other in paths)


def _problems_of_keys(nodes: Mapping[str, SchemaNode | None], paths: set[str], named: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each key of rows if ground truths have no such list, or rows without this key."""
    for path, node in nodes.items():
        if node and node.key and (key := key_place(path, node)) not in {*paths, *named}:
            if path in paths and f"{path}[]" not in paths:
                yield f"key {node.key!r} is set at {field_path(path)!r}, where no ground truth has a list"
            elif not _is_empty_list(key, paths):
                yield f"key {node.key!r} is set at {field_path(path)!r}, but no row there has this key"


def check_compared(truths: Iterable[Value], source: SchemaSource) -> None:
    """Reject a comparator from Python for a field that is a list or an object in all ground truths.

    Args:
        truths: the ground truths.
        source: the schemas, with the fields that have comparators from Python.

    Raises:
        ValueError: naming the field and the path of the values inside it.
    """
    waiting = {place_of_field(name): name for name in source.compared}
    below: dict[str, str] = {}  # the first value in a list or an object
    kinds: dict[str, str] = {}
    for truth in truths if waiting else ():
        for path, value in places_in(truth):
            if type(value) in SCALAR_TYPES:
                waiting.pop(path, None)
                for field in (field for field in waiting if path.startswith((f"{field}[]", f"{field}."))):
                    below.setdefault(field, path)
            elif path in waiting and type(value) in _CONTAINERS:
                kinds.setdefault(path, _CONTAINERS[type(value)])
    for field, kind in kinds.items():
        if field in waiting:
            inside = below.get(field, f"{field}[]" if kind == "a list" else "")
            such = f", such as {field_path(inside)}" if inside else ""
            place = f"comparators[{short_repr(waiting[field])}]"
            raise InputValueError(place=place, expected=f"a field of single values{such}", got=kind)


_CONTAINERS: dict[type, str] = {list: "a list", dict: "an object"}


def place_of_field(name: str) -> str:
    """Return the place of a field, spelled as by `places_in`: `.tags[]` for `tags[]` and for `$.tags[]`."""
    (schema,) = SchemaSource.of({}).with_comparators({name: "exact"}).schemas.values()
    *_, place = named_places(compiled_schema(schema, ()))
    return place


_SIGNS = {"dmy": "day before month", "mdy": "month before day"}
_POINT = "decimal point"  # the notation of a field of numbers without declared separators
_COMMA = re.compile(r"[^,]*\d,\d+[^\d.,]*")


def warnings_about_notations(
    rows: Iterable[tuple[str, Sequence[Value]]], source: SchemaSource
) -> Iterator[DataWarning]:
    """Yield warnings about fields whose texts contradict the declared order of day and month, or the decimal point.

    A text such as `28.01.2025` has only one possible order, in which it is always read; `03.04.2025` has two. A text
    such as `1.500` is read as JSON reads it, although `12,50` in the same field shows that it may be 1500.

    Args:
        rows: the id of each row with its ground truth and its prediction.
        source: the schemas.
    """
    declared = {text: _declared_notations(compiled_schema(text, source.functions)) for text in source.schemas.values()}
    texts = defaultdict[tuple[Side, str, str], list[str]](list)
    for name, sides in rows if any(declared.values()) else ():
        notations = declared[source.schema_of(name)]
        for side, value in zip(SIDES, sides, strict=True):
            for path, part in places_in(value):
                if path in notations and type(part) is str:
                    texts[side, path, notations[path]].append(part)
    for (side, path, notation), found in texts.items():
        about = _about_points if notation == _POINT else _about_order
        kind, problem, remedy = about(found, notation, side.replace("_", " "))
        if problem:
            yield DataWarning(kind, Diagnostic((field_path(path),), problem=problem, remedy=remedy))


def _about_order(texts: Sequence[str], order: str, side: str) -> tuple[str, str, str]:
    """Return the kind, the problem and the remedy of a warning about dates in another order; no problem if none."""
    certain = [(text, found) for text in texts if (found := certain_order(text))]
    contrary = [text for text, found in certain if found != order]
    if len(contrary) <= MOST_UNCLEAR * len(certain):
        return "", "", ""
    other = next(sign for sign in _SIGNS if sign != order)
    problem = (
        f"{len(contrary):,} of {len(certain):,} {side}s whose order is certain have the {_SIGNS[other]}, such as "
        f'{short_repr(contrary[0])}, although the schema says "{order}"'
    )
    return "order of dates", problem, f'if all dates are written so, set "date_order": "{other}"'


def _about_points(texts: Sequence[str], point: str, side: str) -> tuple[str, str, str]:
    """Return the kind, the problem and the remedy of a warning about points that may be between groups of digits."""
    commas = [text for text in texts if _COMMA.fullmatch(text) and read_number(text)]
    others = (text for text in texts if text.count(".") == 1 and not _COMMA.fullmatch(text)) if commas else ()
    points = [text for text in others if read_number(text)]
    ambiguous = [text for text in points if read_number(text) != read_number(text, Separators(",", "."))]
    certain = len(points) - len(ambiguous)  # many of them show that the field has numbers of several locales
    if not ambiguous or certain > MOST_UNCLEAR * (certain + len(commas)):
        return "", "", ""
    problem = (
        f"the point is read as a {point} in {counted(len(ambiguous), side)}, such as {short_repr(ambiguous[0])}, "
        f"although there is a decimal comma in {len(commas):,}, such as {short_repr(commas[0])}"
    )
    return "decimal commas", problem, 'if all numbers are written so, set "decimal": ",", "group": "."'


def _declared_notations(root: SchemaNode) -> dict[str, str]:
    """Return the order of day and month of each place that declares one, and the notation of undeclared numbers."""
    notations = {}
    for path, node in named_places(root).items():
        settings = getattr(node and node.comparator, "settings", {})
        if settings.get("compare") in ("date", "datetime"):
            notations[path] = settings.get("date_order") or date_order(settings.get("locale", ""))
        elif settings.get("compare") == "number" and settings.keys().isdisjoint(("decimal", "group", "locale")):
            notations[path] = _POINT
    return {path: notation for path, notation in notations.items() if notation in (*_SIGNS, _POINT)}


def warnings_about_readings(leaves: Iterable[Leaf], source: SchemaSource) -> Iterator[DataWarning]:
    """Yield warnings about fields with many values that cannot be read, or that can be read in several ways."""
    totals, unclear = Counter[str](), defaultdict[tuple[str, str], Counter[Scalar]](Counter)
    for leaf, count in Counter(leaf for leaf in leaves if leaf.compared and leaf.outcome != "extra").items():
        totals[leaf.field] += count
        are_same_texts = leaf.unclear and len({scalar_text(value).strip() for value in leaf.unclear}) == 1
        for side in [*leaf.unreadable, *(() if are_same_texts else leaf.ambiguous)][:1]:
            unreadable = f"{side.replace('_', ' ')}s cannot be read"
            problem = unreadable if leaf.unreadable else "values may be read in several ways"
            unclear[leaf.field, problem][leaf.unclear[side == SIDES[1]]] += count
    roots = (compiled_schema(text, source.functions) for text in source.schemas.values() if unclear)
    nodes = {field_path(path): node for root in roots for path, node in named_places(root).items() if node}
    for (name, problem), values in unclear.items():
        comparator = nodes[name].comparator if name in nodes else None
        if values.total() > MOST_UNCLEAR * totals[name] and isinstance(comparator, ReadingComparator):
            add = " or ".join(settings_that_read(comparator, list(values)))
            such = f"{comparator.name}, such as {short_repr(next(iter(values)))}"
            sentence = f"{values.total():,} of {totals[name]:,} {problem} as {such}"
            remedy = f"to read them, add {add}" if add else ""
            yield DataWarning("values not read", Diagnostic((field_text(name),), problem=sentence, remedy=remedy))

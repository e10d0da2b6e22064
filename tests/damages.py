"""Random documents as models print them, each with one kind of damage, and what it leaves of the document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
KEYS = ("total", "vendor", "items", "unit price", "tax_id", "date", "n")
TEXTS = ("N/A", "Kontor Nord", "A, B", "12.50 USD", "O'Brien", "2024-05-01", 'the "Old" inn', "K [1]", "x", "25")
NUMBERS = (5, -7, 12.5, 250)
SELLER = "Seller is Kontor Nord"


class Damage(NamedTuple):
    """A damage to one member of an object.

    Attributes:
        write: returns the text of the member from those of its key and value.
        change: changes the object, at the key, to what is left of it; without it, all is left.
        outcome: "repaired" or "ambiguous".
        fits: the types of values that it can happen to.
    """

    write: Callable[[str, str], str]
    change: Callable[[dict[str, Any], str], object] = lambda *_: None
    outcome: str = "repaired"
    fits: tuple[type, ...] = (str, int, float, list, dict)


def _set(change: Callable[[Any], Any]) -> Callable[[dict[str, Any], str], object]:
    return lambda members, key: members.update({key: change(members[key])})


def _without_key(members: dict[str, Any], key: str) -> None:
    members[""] = [members.pop(key)]


def _with_more(key: str, value: Any) -> Callable[[dict[str, Any], str], object]:
    return lambda members, _: members.update({key: value})


DAMAGES = {
    "colon lost": Damage("{} {}".format),
    "colon and blank lost": Damage("{}{}".format),
    "value lost": Damage(lambda key, _: f"{key}: ", _set(lambda _: "")),
    "value and comma lost": Damage(lambda key, _: f"{key}:\n\0", _set(lambda _: "")),
    "key lost": Damage(lambda _, value: value, _without_key, "ambiguous", (str,)),
    "key before its colon lost": Damage(lambda _, value: f": {value}", _without_key, "ambiguous", (str,)),
    "text before a key": Damage(f'"{SELLER}", {{}}: {{}}'.format, _with_more("", [SELLER]), "ambiguous"),
    "text behind a value": Damage(f'{{}}: {{}}, "{SELLER}"'.format, _with_more("", [SELLER]), "ambiguous"),
    "number behind a value": Damage("{}: {}, 77".format, _with_more("", [77]), "ambiguous"),
    "object behind a value": Damage('{}: {}, {{"k": 1}}'.format, _with_more("", [{"k": 1}]), "ambiguous"),
    "set behind a value": Damage('{}: {}, "tags": {{"Tea"}}'.format, _with_more("tags", ["Tea"])),
    "braces around values": Damage('{}: {{"Tea", "A, B", 5}}'.format, _set(lambda _: ["Tea", "A, B", 5])),
    "Decimal": Damage("{}: Decimal('{}')".format, _set(str), fits=(int, float)),
    "NumPy": Damage("{}: np.float64({})".format, fits=(int, float)),
    "date": Damage(
        lambda key, _: f"{key}: datetime.date(2024, 5, 1)", _set(lambda _: "datetime.date(2024, 5, 1)"), "ambiguous"
    ),
    "undefined": Damage(lambda key, _: f"{key}: undefined", _set(lambda _: None)),
    "triple quotes": Damage(lambda key, value: f'{key}: """{value[1:-1]}"""', fits=(str,)),
    "amounts without quotes": Damage(
        lambda key, _: f"{key}: [$1,234.50, $5,678.90]", _set(lambda _: ["$1,234.50", "$5,678.90"])
    ),
}
_SIGNS = {"full width": ("：", "，"), "arrows": (" => ", ", ")}  # of all members
KINDS = (*DAMAGES, *_SIGNS)


def document(random: Random, depth: int = 3) -> dict[str, Any]:
    """Return an object with texts, numbers, lists and objects."""
    return {key: _value(random, depth - 1) for key in random.sample(KEYS, random.randint(2, 4))}


def _value(random: Random, depth: int) -> Any:
    kind = random.choice(("text", "text", "number", "list", "object")) if depth else "text"
    if kind == "object":
        return document(random, depth)
    if kind == "list":
        inner = random.choice((0, depth - 1))
        return [_value(random, inner) for _ in range(random.randint(1, 3))]
    return random.choice(TEXTS if kind == "text" else NUMBERS)


def parts(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Return each value inside a value, with its path."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*path, key), item
        yield from parts(item, (*path, key))


def printed(random: Random, kind: str, value: Any) -> tuple[str, Any, str] | None:
    """Return a text of a document with one kind of damage, what it leaves, and the outcome; None if nothing fits."""
    colon, comma = _SIGNS.get(kind) or random.choice(((": ", ", "), (":", ","), (": ", ",\n  ")))
    damage = DAMAGES.get(kind, Damage(f"{{}}{colon}{{}}".format))
    paths = [path for path, item in parts(value) if isinstance(path[-1], str) and type(item) in damage.fits]
    if not paths:
        return None
    chosen = random.choice(paths)
    is_python = kind not in _SIGNS and kind != "triple quotes" and random.random() < 0.2

    def text(part: Any, path: Path) -> str:
        if isinstance(part, list):
            return f"[{comma.join(text(item, (*path, at)) for at, item in enumerate(part))}]"
        if not isinstance(part, dict):
            return repr(part) if is_python else json.dumps(part, ensure_ascii=False)
        members = []
        for key, item in part.items():
            write = damage.write if (*path, key) == chosen else f"{{}}{colon}{{}}".format
            members.append(write(text(key, ()), text(item, (*path, key))))
        return f"{{{comma.join(members)}}}".replace(f"\0{comma}", "").replace("\0", "")

    left = deepcopy(value)
    members = left
    for key in chosen[:-1]:
        members = members[key]
    damage.change(members, str(chosen[-1]))
    return text(value, ()), left, damage.outcome

"""Comparators of typed scores: what values are read as, what holds of every pair, and a planted set of pairs."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from docscore import typed_score
from docscore.core.options import ScoringOptions
from docscore.metrics.typed.comparators import COMPARATORS, comparator, settings_of
from docscore.metrics.typed.readers import Reading
from tests.commands import rows
from tests.conftest import DATA, examples

pytest.importorskip("pint")
pytest.importorskip("babel")
pytest.importorskip("phonenumbers")

ROWS = list(rows(DATA / "comparators.jsonl"))
DEFAULT = ScoringOptions()

# How the golden rows write currencies that a symbol may mean, and base units.
SYMBOLS = {"USD CAD": "$", "GBP EGP": "£", "JPY CNY": "¥", "SEK NOK": "kr", "INR PKR": "rs"}
BASE = {"second": "s", "kilogram": "kg", "meter": "m", "kelvin": "K", "bit": "bit"}
NAMED = {"kg m2 s-3": "W", "kg m2 s-2": "J", "m s-1": "m/s"}


def shown(name: str, reading: Reading | None) -> str | None:
    """A reading as the golden rows write it."""
    if reading is None or reading.kind in (None, frozenset()) or name not in ("money", "unit"):
        return reading and reading.spelling
    kind: Any = reading.kind
    if name == "money":
        symbols = [symbol for codes, symbol in SYMBOLS.items() if kind.issuperset(codes.split())]
        return f"{reading.spelling} {(symbols or sorted(kind))[0]}"
    units = " ".join(sorted(f"{BASE[unit]}{'' if power == 1 else int(power)}" for unit, power in kind))
    return f"{reading.spelling} {NAMED.get(units, units)}"


@pytest.mark.parametrize("name", sorted({row["table"] for row in ROWS}))
def test_golden_readings(name: str) -> None:
    """At least sixty rows each; every row says its source and why."""
    rows = [row for row in ROWS if row["table"] == name]
    assert len({(repr(row["value"]), repr(row["settings"])) for row in rows}) == len(rows) >= 60
    assert all(row["source"] and row["why"] for row in rows)
    wrong = []
    for row in rows:
        found = shown(name, comparator(name, **row["settings"]).read(row["value"]))  # type: ignore[attr-defined]
        if found != row["reading"]:
            wrong.append((row["value"], row["settings"], row["reading"], found))
    assert not wrong


def groups() -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """The golden rows by comparator and settings."""

    def key(row: dict[str, Any]) -> tuple[str, str]:
        return row["table"], json.dumps(row["settings"], sort_keys=True)

    return [(name, json.loads(text), list(rows)) for (name, text), rows in groupby(sorted(ROWS, key=key), key)]


@pytest.mark.parametrize(("name", "settings", "rows"), groups(), ids=lambda part: str(part)[:40])
def test_all_pairs_of_golden_values(name: str, settings: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The same reading scores 1 and another less; both ways alike, and as a table what they are one by one."""
    compared = comparator(name, **settings)
    values = [row["value"] for row in rows]
    table = compared.table(values, values, DEFAULT)
    assert ((table >= 0) & (table <= 1)).all()
    assert (table == table.T).all()
    for i, left in enumerate(rows):
        for j, right in enumerate(rows):
            assert table[i, j] == pytest.approx(compared.pair(values[i], values[j], DEFAULT), abs=1e-12)
            if left["reading"] is not None and right["reading"] is not None:
                same = left["reading"] == right["reading"]
                fits = name == "money" and left["reading"].split()[0] == right["reading"].split()[0]
                assert (table[i, j] == 1) == same or (fits and not same), (values[i], values[j])


anything = st.one_of(
    st.text(max_size=12),
    st.integers(-(10**9), 10**9),
    st.floats(allow_nan=False),
    st.booleans(),
    st.sampled_from([row["value"] for row in ROWS]),
)
REQUIRED: dict[str, dict[str, Any]] = {
    "enum": {"values": ["a", "b"]},
    "judgements": {"judgements": [["a", "b", True], ["c", "d", 0.25]]},
}


@examples(300)
@given(
    st.sampled_from(sorted(COMPARATORS)), st.lists(anything, min_size=1, max_size=5), st.sampled_from(["text", "wrong"])
)
def test_whatever_the_values_are(name: str, values: list[Any], unread: str) -> None:
    """Bounds, symmetry, a value scores 1 against itself, and a table is what its pairs are."""
    settings = {**REQUIRED.get(name, {}), **({"unread": unread} if "unread" in settings_of(name) else {})}
    compared = comparator(name, **settings)
    table = compared.table(values, values, DEFAULT)
    assert ((table >= 0) & (table <= 1)).all()
    assert table.diagonal().tolist() == [1.0] * len(values)
    assert np.allclose(table, table.T, atol=1e-12)
    single = [[compared.pair(truth, prediction, DEFAULT) for prediction in values] for truth in values]
    assert np.allclose(table, single, atol=1e-12)


# The planted set: of each kind fifty pairs that are the same value, and fifty that are nearly so and another one.


def money(rng: random.Random) -> tuple[Any, Any, Any, Any]:
    cents = rng.randint(100, 9_999_999)
    plain, grouped = f"{cents / 100:.2f}", f"{cents / 100:,.2f}"
    german = grouped.translate(str.maketrans(",.", ".,"))
    forms: list[Any] = [
        f"${grouped}",
        f"{plain} USD",
        f"USD {grouped}",
        f"US${plain}",
        cents / 100,
        f"{german} $",
        f"＄{plain}",
    ]
    euros = [f"€{grouped}", f"{german} €", f"EUR {plain}", f"{german} EUR", f"{grouped} euros"]
    chosen = rng.choice([forms, euros])
    truth, same = rng.sample(chosen, 2)
    near = cents + rng.choice([1, -1, 100, 1000])
    other = rng.choice(
        [f"{near / 100:,.2f}", f"-{plain}", f"({grouped})", f"{plain}0 GBP" if truth != cents / 100 else near]
    )
    return {"compare": "money"}, truth, same, other


def percent(rng: random.Random) -> tuple[Any, Any, Any, Any]:
    tenths = rng.randint(1, 999)
    forms: list[Any] = [f"{tenths / 10}%", f"{tenths / 10} %", tenths / 1000, f"{tenths / 10}".replace(".", ",") + " %"]
    truth, same = rng.sample(forms, 2)
    return {"compare": "number"}, truth, same, rng.choice([tenths / 10, f"{(tenths + 1) / 10}%", f"-{tenths / 10}%"])


def day(locale: str) -> Callable[[random.Random], tuple[Any, Any, Any, Any]]:
    months = MONTHS[locale].split()

    def made(rng: random.Random) -> tuple[Any, Any, Any, Any]:
        year, month, number = rng.randint(1990, 2030), rng.randint(1, 12), rng.randint(1, 28)

        def forms(month: int, number: int) -> list[str]:
            dot = "." if locale == "de" else ""
            return [
                f"{year}-{month:02}-{number:02}",
                f"{number}{dot} {months[month - 1]} {year}",
                f"{number:02}.{month:02}.{year}",
                f"{number}{dot} {months[month - 1].upper()} {year}",
            ]

        truth, same = rng.sample(forms(month, number), 2)
        other = rng.choice(forms(month % 12 + 1, number) + forms(month, number % 28 + 1))
        return {"compare": "date", "locale": locale}, truth, same, other

    return made


def phone(rng: random.Random) -> tuple[Any, Any, Any, Any]:
    number = f"{rng.randint(1_000_000, 9_999_999)}"
    forms = [
        f"+49 30 {number}",
        f"030 {number}",
        f"(030) {number[:3]}-{number[3:]}",
        f"0049 30/{number}",
        f"Tel. 030 {number}",
    ]
    truth, same = rng.sample(forms, 2)
    other = number[:-1] + str((int(number[-1]) + 1) % 10)
    wrong = rng.choice([f"030 {other}", f"040 {number}", f"+43 30 {number}", f"030 {number} ext. 5"])
    return {"compare": "phone", "region": "DE"}, truth, same, wrong


def unit(rng: random.Random) -> tuple[Any, Any, Any, Any]:
    count = rng.randint(1, 400)
    forms, other = rng.choice(
        [
            ([f"{count} kg", f"{count * 1000} g", f"{count}kg", f"{count / 1000} t"], f"{count + 1} kg"),
            ([f"{count} years", f"{count * 12} months", f"{count} yr"], f"{count} months"),
            ([f"{count} h", f"{count * 60} min", f"{count} hours"], f"{count} min"),
            ([f"{count} m", f"{count * 100} cm", f"{count * 1000} mm"], f"{count} m²"),
            ([f"{count} l", f"{count * 1000} ml", f"{count} L"], f"{count} ml"),
        ]
    )
    truth, same = rng.sample(forms, 2)
    return {"compare": "unit"}, truth, same, other


def row_pairs(rng: random.Random) -> tuple[Any, Any, Any, Any]:
    """A list whose order counts, or rows in another order where it does not."""
    truth: list[dict[str, Any]] = [{"no": str(i), "total": rng.randint(100, 999)} for i in range(rng.randint(3, 6))]
    first, second, *rest = truth
    swapped = [second, first, *rest]
    settings = rng.choice([{"list_order": "kept"}, {"key": "no"}, {}])
    if settings == {"list_order": "kept"}:
        return settings, truth, [dict(row) for row in truth], swapped
    return (
        settings,
        truth,
        swapped,
        [{**first, "total": second["total"]}, {**second, "total": first["total"] + 1000}, *rest],
    )


MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}


@pytest.mark.parametrize(
    "planted",
    [money, percent, day("de"), day("fr"), phone, unit, row_pairs],
    ids=["money", "percent", "German", "French", "phone", "unit", "rows"],
)
def test_planted_pairs(planted: Callable[[random.Random], tuple[Any, Any, Any, Any]]) -> None:
    """Equal values score 1, 95 % of them at least, and none that is another value."""
    rng = random.Random(25)
    equal, wrong = [], []
    for _ in range(50):
        settings, truth, same, other = planted(rng)
        schema = {"x-docscore": settings}
        equal.append((typed_score(truth, same, schema), truth, same))
        wrong.append((typed_score(truth, other, schema), truth, other))
    assert sum(score == 1 for score, *_ in equal) >= 48, [pair for pair in equal if pair[0] != 1]
    assert not [pair for pair in wrong if pair[0] == 1]

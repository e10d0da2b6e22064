"""Comparators of typed scores: what values are read as, and what holds of every pair."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from decimal import Decimal
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from docscore.core.options import CompareOptions
from docscore.core.same_value import ORDERS, date_of
from docscore.metrics.typed.comparators import COMPARATORS, comparator, settings_of
from docscore.metrics.typed.readers import Reading
from tests.commands import rows
from tests.conftest import DATA, examples

pytest.importorskip("pint")
pytest.importorskip("phonenumbers")
dates, numbers = map(pytest.importorskip, ("babel.dates", "babel.numbers"))

DEFAULT = CompareOptions()
# babel writes the digits 0 to 9 in all locales; readers have to read native ones too.
DIGITS = {"latn": {}, "arabext": str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")}


def golden_row(row: dict[str, Any]) -> dict[str, Any]:
    """A golden row with its value. Patterns and names of CLDR change: babel writes what a row with a style reads."""
    if "style" in row:
        name, reading, style, locale = row["table"], row["reading"], row["style"], row["settings"]["locale"]
        if name == "number":
            text = numbers.format_decimal(Decimal(reading), "#,##0.000", locale, numbering_system=style)
            row["value"] = text.translate(DIGITS[style])
        elif name == "money":
            row["value"] = numbers.format_currency(*reading.split(), locale=locale)
        else:
            moment = datetime.fromisoformat(f"2024-03-05T{reading}" if name == "time" else reading)
            day = dates.format_date(moment, style, locale)
            clock = dates.format_time(moment, style if name == "time" else "short", locale=locale)
            row["value"] = {"date": day, "time": clock, "datetime": f"{day} {clock}"}[name]
    return row


ROWS = list(map(golden_row, rows(DATA / "comparators.jsonl")))

# How the golden rows write currencies that a symbol may mean, and base units.
SYMBOLS = {"USD CAD": "$", "GBP EGP": "£", "JPY CNY": "¥", "SEK NOK": "kr", "INR PKR": "rs"}
BASE = {"second": "s", "kilogram": "kg", "meter": "m", "kelvin": "K", "bit": "bit", "ampere": "A"}
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
    """At least sixty rows each; every row says its source and why. Other texts of locales hold for CLDR 44 to 48."""
    rows = [row for row in ROWS if row["table"] == name]
    assert len({repr((row["value"], row["settings"], row.get("style"))) for row in rows}) == len(rows) >= 60
    assert all(row["source"] and row["why"] for row in rows)
    wrong = []
    for row in rows:
        actual = shown(name, comparator(name, **row["settings"]).read(row["value"]))  # type: ignore[attr-defined]
        if actual != row["reading"]:
            wrong.append((row["value"], row["settings"], row["reading"], actual))
    assert not wrong


def groups() -> list[tuple[str, dict[str, Any], list[dict[str, Any]]]]:
    """The golden rows by comparator and settings."""

    def key(row: dict[str, Any]) -> tuple[str, str]:
        return row["table"], json.dumps(row["settings"], sort_keys=True)

    return [(name, json.loads(text), list(rows)) for (name, text), rows in groupby(sorted(ROWS, key=key), key)]


@pytest.mark.parametrize(("name", "settings", "rows"), groups(), ids=lambda part: str(part)[:40])
def test_all_pairs_of_golden_values(name: str, settings: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The same reading scores 1 and another less; both ways alike, and as a table what they are one by one.

    A side without a reading is not alike both ways: a prediction is then wrong, a ground truth compared as text.
    """
    compared: Any = comparator(name, **settings)
    values = [row["value"] for row in rows]
    table = compared.table(values, values, DEFAULT)
    assert ((table >= 0) & (table <= 1)).all()
    read = np.array([bool(compared.readings(value)) for value in values])
    assert (table == table.T)[np.ix_(read, read)].all()
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
    "judgements": {"judgements": [["a", "b", True, True], ["c", "d", 0.25, True]]},
}


MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
BETWEEN = (" ", ",", ".", ", ", ". ", "-", " - ", "/", "")
CLOCKS = {"": None, " 10:30": time(10, 30), ", 9:05 PM": time(21, 5), " 5pm": time(17), " 12:00 am": time(0)}
BROKEN = (" 10:00-11:00", " 10:00 +02:00", " 10:00 - 5pm", " pm", " 7", " 2025", " 13:05 pm", " EST", " 10:00-0500")


@examples(2000)
@given(
    st.dates(date(1000, 1, 1), date(9999, 10, 28)),
    st.permutations(["day", "month", "year"]),
    st.tuples(*[st.sampled_from(BETWEEN)] * 2),
    st.sampled_from(["{0.day}", "{0.day:02}", "{0.day}th"]),
    st.sampled_from([4, 3]),
    st.sampled_from([*CLOCKS, *BROKEN]),
    st.sampled_from(["", "", "day", "year"]),
)
def test_a_date_is_read_whole_or_not_at_all(
    day: date, order: list[str], between: tuple[str, str], form: str, letters: int, clock: str, absent: str
) -> None:
    """However a date is spelled, it is read as that date or not at all, and never with a part that is not there."""
    assume(not absent or clock not in (" 7", " 2025"))  # which would stand for what is absent
    month = MONTHS[(day.month - 1) % len(MONTHS)]
    expected = day.replace(month=MONTHS.index(month) + 1, day=min(day.day, 28))
    parts = {"day": form.format(expected), "month": month if letters > 3 else month[:3], "year": f"{day.year}"}
    parts[absent] = ""
    text = f"{parts[order[0]]}{between[0]}{parts[order[1]]}{between[1]}{parts[order[2]]}{clock}"
    for way in (None, *ORDERS):
        when = date_of(text, way)
        if when is not None:
            assert clock in CLOCKS, text
            assert not absent, text
            assert date(*when.timetuple()[:3]) == expected, text
            assert CLOCKS[clock] == (when.time() if isinstance(when, datetime) else None), text


@examples(300)
@given(
    st.sampled_from(sorted(COMPARATORS)),
    st.lists(anything, min_size=1, max_size=6),
    st.sampled_from(["", "text", "wrong"]),
)
def test_whatever_the_values_are(name: str, values: list[Any], unread: str) -> None:
    """Bounds, symmetry, a value scores 1 against itself, and a table is what its pairs are."""
    settings = {**REQUIRED.get(name, {}), **({"unread": unread} if unread and "unread" in settings_of(name) else {})}
    compared = comparator(name, **settings)
    table = compared.table(values, values, DEFAULT)
    assert ((table >= 0) & (table <= 1)).all()
    assert table.diagonal().tolist() == [1.0] * len(values)
    if name == "judgements" or unread in ("text", "wrong"):
        assert np.allclose(table, table.T, atol=1e-12)
    single = [[compared.pair(truth, prediction, DEFAULT) for prediction in values] for truth in values]
    assert np.allclose(table, single, atol=1e-12)

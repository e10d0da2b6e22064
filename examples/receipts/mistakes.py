"""The mistakes document models make, each a small function that edits a receipt."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

Receipt = dict[str, Any]
Json = Any
Mistake = Callable[[Receipt, Random], None]

MONEY = {"unit_price", "discount", "amount", "subtotal", "total", "tendered", "change"}
NAMES = {"name", "address", "vat_id", "receipt_number"}
CONFUSED = [
    *zip("O0lIS5Bßeh", "0O1l5S8Bcb", strict=True),
    *[("rn", "m"), ("m", "rn")],
    *zip("łーカロ", "l一力口", strict=True),
]
LOOKALIKES = str.maketrans("0123456789", "8778968194")
TYPEWRITER = str.maketrans("\u2018\u2019\u201c\u201d\u201ełŁ", '\'\'"""lL', "\u2615")


def chance(rng: Random, percent: int) -> bool:
    """Say yes in so many of a hundred cases."""
    return rng.randrange(100) < percent


def rewrite(node: Json, change: Callable[[str], object], keys: set[str] | None) -> None:
    """Change every string below node, or only those under the given keys."""
    for key, value in list(node.items() if isinstance(node, dict) else enumerate(node)):
        if isinstance(value, (dict, list)):
            rewrite(value, change, keys)
        elif isinstance(value, str) and (keys is None or key in keys):
            node[key] = change(value)


def drop_rows(receipt: Receipt, rng: Random) -> None:
    """Miss one to three neighbouring rows."""
    rows = receipt["items"]
    count = min(len(rows) - 1, rng.randint(1, 3))
    start = rng.randint(0, len(rows) - count)
    del rows[start : start + count]


def reorder_rows(receipt: Receipt, rng: Random) -> None:
    """Read the rows in another order."""
    rng.shuffle(receipt["items"])


def split_row(receipt: Receipt, rng: Random) -> None:
    """Take a name printed on two lines for two items."""
    place = rng.randrange(len(receipt["items"]))
    row = receipt["items"][place]
    if " " in row["name"]:
        top, _, row["name"] = row["name"].partition(" ")
        half = {"name": top, "quantity": 1, "unit_price": None, "amount": None}
        receipt["items"].insert(place, half)


def merge_rows(receipt: Receipt, rng: Random) -> None:
    """Take two neighbouring rows for one, with the amount of the lower one."""
    rows = receipt["items"]
    place = rng.randrange(len(rows))
    for below in rows[place + 1 : place + 2]:
        rows[place]["name"] += " " + below["name"]
        rows[place]["amount"] = below["amount"]
        rows.remove(below)


def invent_row(receipt: Receipt, _: Random) -> None:
    """Read the line of the total as one more item."""
    name = {"JPY": "合計", "PLN": "SUMA"}.get(receipt["currency"], "TOTAL")
    total = receipt["totals"]["total"]
    row = {"name": name, "quantity": 1, "unit_price": total, "amount": total}
    receipt["items"].append(row)


def move_value(receipt: Receipt, rng: Random) -> None:
    """Put the time into the date, or two values under each other's key."""
    merchant, totals, row = receipt["merchant"], receipt["totals"], receipt["items"][0]
    swaps = [
        (merchant, "vat_id", receipt, "receipt_number"),
        (totals, "subtotal", totals, "total"),
        (row, "unit_price", row, "amount"),
    ]
    one, key, two, other = rng.choice(swaps)
    if chance(rng, 40):
        receipt["date"] += " " + receipt["time"]
        receipt["time"] = None
    else:
        one[key], two[other] = two[other], one[key]


def misread_digit(receipt: Receipt, rng: Random) -> None:
    """Take one digit of an amount for another that looks like it."""

    def misread(text: str) -> str:
        at = rng.randrange(len(text)) if chance(rng, 10) else len(text)
        return text[:at] + text[at : at + 1].translate(LOOKALIKES) + text[at + 1 :]

    rewrite(receipt, misread, MONEY)


def confuse_letters(receipt: Receipt, rng: Random) -> None:
    """Take letters of some names and numbers for others that look like them."""

    def confuse(text: str) -> str:
        pairs = [pair for pair in CONFUSED if pair[0] in text]
        return text.replace(*rng.choice(pairs), 1) if pairs and chance(rng, 40) else text

    rewrite(receipt, confuse, NAMES)


def drop_accents(receipt: Receipt, _: Random) -> None:
    """Print only what an old typewriter has: no accents, curly quotes or emoji."""

    def flatten(text: str) -> str:
        letters = unicodedata.normalize("NFD", text.translate(TYPEWRITER))
        plain = "".join(c for c in letters if not "\u0300" <= c <= "\u036f")
        return unicodedata.normalize("NFC", plain).strip()

    rewrite(receipt, flatten, None)


def upper_case(receipt: Receipt, _: Random) -> None:
    """Shout everything, as the paper does."""
    rewrite(receipt, str.upper, None)


def cut_name(receipt: Receipt, rng: Random) -> None:
    """Cut the longest item name short."""
    row = max(receipt["items"], key=lambda row: len(row["name"]))
    kept = row["name"][: rng.randint(10, 15)].rstrip()
    if kept != row["name"]:
        row["name"] = kept + rng.choice(["", "..."])


def reformat_date(receipt: Receipt, rng: Random) -> None:
    """Print the date the way another country does."""
    parts = re.findall(r"\d+", receipt["date"])
    year_first = receipt["date"][:4].isdecimal()
    year, month, day = parts if year_first else reversed(parts)
    if receipt["currency"] == "USD":
        month, day = day, month
    iso = f"{year}-{month:>02}-{day:>02}"
    receipt["date"] = rng.choice([iso, iso, f"{day:>02}.{month:>02}.{year}"])


def point_decimals(receipt: Receipt, _: Random) -> None:
    """Print decimal commas as points and drop the thousands separators."""

    def point(text: str) -> str:
        return re.sub(r"[ .]", "", text).replace(",", ".")

    if receipt["currency"] in {"EUR", "PLN"}:
        rewrite(receipt, point, MONEY)


def number_amounts(receipt: Receipt, rng: Random) -> None:
    """Answer some or all amounts as numbers, which lose their trailing zeros."""

    def number(text: str) -> float:
        if receipt["currency"] == "JPY":
            return int(text.replace(",", ""))
        whole, cents = re.split(r"[.,](?=\d+$)", text)
        return float(re.sub(r"[ .,]", "", whole) + "." + cents)

    rewrite(rng.choice([receipt, receipt["items"], receipt["totals"]]), number, MONEY)


def strip_zeros(receipt: Receipt, _: Random) -> None:
    """Answer digit strings as numbers, which lose their leading zeros."""

    def number(text: str) -> object:
        return int(text) if text.isdecimal() else text

    rewrite(receipt, number, {"receipt_number", "card_last4"})


def spell_out(receipt: Receipt, rng: Random) -> None:
    """Write words where the truth has null or a boolean."""
    words = {None: rng.choice(["N/A", "", "not visible"]), False: "No", True: "Yes"}
    for node in (receipt, receipt["merchant"], receipt["payment"]):
        for key, value in node.items():
            if value is None or isinstance(value, bool):
                node[key] = words[value]


def drop_field(receipt: Receipt, rng: Random) -> None:
    """Leave one key out."""
    keys = ("vat_id", "address", "time", "receipt_number", "payment", "tax")
    key = rng.choice(keys)
    for node in (receipt, receipt["merchant"], receipt["totals"]):
        node.pop(key, None)


def invent_field(receipt: Receipt, rng: Random) -> None:
    """Answer a key nobody asked for with a made-up value."""
    extras = {"cashier": "Maria", "phone": "555-0142", "tip": "0.00", "table": "12"}
    key = rng.choice(list(extras))
    receipt[key] = extras[key]


def pad_nulls(receipt: Receipt, _: Random) -> None:
    """Fill in a schema larger than the truth with nulls."""
    empty = dict.fromkeys(("due_date", "cashier", "table", "customer", "notes"))
    receipt.update({**empty, **receipt})
    receipt["merchant"].update(phone=None, email=None, website=None)
    receipt["totals"].update(tip=None, rounding=None, service_charge=None)
    for row in receipt["items"]:
        row.update({"sku": None, "discount": None, "modifiers": None, **row})


def repeat_row(receipt: Receipt, rng: Random) -> None:
    """Get stuck in a loop at the last row."""
    rows = receipt["items"]
    rows += [deepcopy(rows[-1]) for _ in range(rng.randint(3, 11))]


def scalar_for_list(receipt: Receipt, _: Random) -> None:
    """Answer a plain string where a list was expected."""
    rows = [row for row in receipt["items"] if row.get("modifiers")]
    for row in rows:
        row["modifiers"] = ", ".join(row["modifiers"])
    if not rows and receipt["totals"].get("tax"):
        receipt["totals"]["tax"] = receipt["totals"]["tax"][-1]["amount"]


def list_for_object(receipt: Receipt, rng: Random) -> None:
    """Answer a list where an object was expected."""
    key = rng.choice(["merchant", "totals", "payment"])
    if key == "merchant":
        receipt[key] = list(receipt[key].values())
    elif key in receipt:
        receipt[key] = [receipt[key]]


# How many receipts get each mistake; mistakes in one receipt happen in this order.
MISTAKES: dict[Mistake, int] = {
    drop_rows: 5,
    reorder_rows: 4,
    split_row: 3,
    merge_rows: 3,
    invent_row: 4,
    reformat_date: 8,
    move_value: 5,
    misread_digit: 6,
    confuse_letters: 9,
    drop_accents: 4,
    upper_case: 2,
    cut_name: 4,
    point_decimals: 6,
    number_amounts: 7,
    strip_zeros: 4,
    spell_out: 3,
    drop_field: 6,
    invent_field: 4,
    pad_nulls: 4,
    repeat_row: 2,
    scalar_for_list: 3,
    list_for_object: 4,
}

"""Write twelve invented invoices as PDF and page images, their evidence, and what two systems answered and cited."""

from __future__ import annotations

import argparse
import copy
import json
import random
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).resolve().parent
render = SimpleNamespace(**runpy.run_path(str(HERE.parent / "documents" / "render.py")))  # the PDFs of that example

SEED = 20261128
IMAGE_SCALE = 1.5  # pixels a point
ROWS_A_PAGE, FIRST_ROW = 18, 12
COLUMNS = {"item": 0, "quantity": 29, "price": 35, "amount": 47}  # where a line begins each
WIDTHS = {"item": 26, "quantity": 5, "price": 11, "amount": 11}  # numbers end at the right
VENDORS = (
    ("Hollin Bay Timber", "4 Quarry Rise, Port Selby", "XB41 7730 2291 05"),
    ("Marrow & Finch Lighting", "19 Candle Row, Eastmere", "XB07 1184 6620 33"),
    ("Grebe Valley Nurseries", "Orchard Hill 2, Lower Grebe", "XB88 5402 9917 61"),
    ("Pell Office Supplies", "77 Station Walk, Dunmoor", "XB19 3306 4475 28"),
)
CUSTOMERS = ("Saltwick Primary School", "Ostrander Clinic", "Tolland & Daughters", "Brook Street Library")
ITEMS = (
    ("Oak board 2 m", "Pine batten", "Cedar shingles", "Brass hinge", "Wood oil 5 l", "Sanding belt"),
    ("Desk lamp Arden", "Ceiling rose", "LED strip 3 m", "Dimmer switch", "Glass shade", "Cable drum"),
    ("Lavender 1 l", "Hornbeam hedge", "Box ball 40 cm", "Bark mulch 60 l", "Clay pot 30 cm", "Fern mix"),
    ("Copy paper A4", "Ring binder", "Label roll", "Whiteboard pen", "Desk pad", "Box file"),
)
LINES_OF_LISTS = (3, 5, 2, 24, 4, 6, 3, 30, 2, 5, 22, 60)  # of each invoice, one to four pages

Places = dict[str, list[dict[str, Any]]]


def invoice(number: int, draw: random.Random) -> dict[str, Any]:
    """The values of an invoice, as they are printed."""
    vendor, address, account = VENDORS[number % len(VENDORS)]
    lines, total = [], 0
    for item in draw.choices(ITEMS[number % len(ITEMS)], k=LINES_OF_LISTS[number]):
        quantity, cents = draw.randint(1, 48), draw.randint(120, 26_000)
        total += quantity * cents
        name = f"{item} {draw.randint(100, 999)}"
        lines.append({"item": name, "quantity": quantity, "price": amount(cents), "amount": amount(quantity * cents)})
    return {
        "number": f"R-{2600 + 7 * number}",
        "date": f"2026-{number % 9 + 1:02}-{draw.randint(10, 28)}",
        "vendor": {"name": vendor, "address": address},
        "customer": CUSTOMERS[number % 3 + number // 8],
        "lines": lines,
        "total": amount(total),
        "account": account,
    }


def amount(cents: int) -> str:
    """Print an amount."""
    return f"{cents / 100:,.2f}"


class Print:
    """The lines of an invoice, page by page, and the places of its values."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.pages: list[list[str]] = []
        self.evidence: Places = {}
        rows = values["lines"]
        for first in range(0, len(rows), ROWS_A_PAGE):
            self._head(values)
            for index, row in enumerate(rows[first : first + ROWS_A_PAGE], first):
                self.pages[-1].append("")
                for key, column in COLUMNS.items():
                    text = str(row[key])
                    start = column if key == "item" else column + WIDTHS[key] - len(text)
                    self._put(f"lines[{index}].{key}", text, start)
        self.pages[-1] += ["", ""]
        self._put("total", values["total"], COLUMNS["amount"] + WIDTHS["amount"] - len(values["total"]), "Total")
        self.pages[-1] += ["", ""]
        self._put("account", values["account"], 16, "Please pay to")

    def _head(self, values: dict[str, Any]) -> None:
        """Begin a page, which has the number of the invoice; the first has the rest."""
        self.pages.append([""])
        self._put("number", values["number"], 9, "Invoice")
        if len(self.pages) == 1:
            for path, text, label in (
                ("vendor.name", values["vendor"]["name"], ""),
                ("vendor.address", values["vendor"]["address"], ""),
                ("customer", values["customer"], "Sold to"),
                ("date", values["date"], "Date"),
            ):
                self.pages[-1] += ["", ""]
                self._put(path, text, 9 if label else 0, label)
        self.pages[-1] += ["", f"{'Item':26}Quantity       Price      Amount", ""]

    def _put(self, path: str, text: str, column: int, label: str = "") -> None:
        """Print a value on the last line, from a column on."""
        line = max(self.pages[-1][-1], label, key=len)
        self.pages[-1][-1] = f"{line:{column}}{text}"
        width, baseline = 0.6 * render.SIZE, render.MARGIN + render.LEADING * (len(self.pages[-1]) - 1)
        edges = (
            (render.MARGIN + column * width) / render.WIDTH,
            (baseline - 0.8 * render.SIZE) / render.HEIGHT,
            (render.MARGIN + (column + len(text)) * width) / render.WIDTH,
            (baseline + 0.3 * render.SIZE) / render.HEIGHT,
        )
        place = {"page": len(self.pages), "box": [round(edge, 4) for edge in edges]}
        self.evidence.setdefault(path, []).append(place)


# What each system does wrong: the invoice, the kind of the mistake, the path of the value, and what the system has
# there: another value, or the path or the pages that it cites. Without one, two digits are exchanged.
MISTAKES: dict[str, list[tuple[int, str, str, Any]]] = {
    "quill": [
        (2, "value", "total", None),  # misread: the value is wrong, and cited where it stands
        (5, "value", "date", "2026-05-42"),
        (9, "place", "customer", "vendor.name"),  # right, and cited elsewhere
        (4, "place", "total", "lines[0].amount"),
        (10, "value", "account", "XB55 0000 1234 99"),  # invented, and cited elsewhere
        (10, "place", "account", "number"),
        (7, "place", "vendor.address", ()),  # right, and not cited
        (3, "value", "customer", ""),  # missing
        (3, "place", "customer", ()),
        (12, "cut", "lines", 42),  # a list that is cut off
    ],
    "fern": [
        *((number, "place", path, (1,)) for number in (4, 8, 11, 12) for path in ("total", "account")),
        (11, "place", "number", (1, 2, 9)),
        (6, "value", "lines[0].price", None),
        (1, "value", "vendor.name", "Hollin Bay"),
    ],
}


def answer(values: dict[str, Any], evidence: Places, system: str, number: int) -> tuple[dict[str, Any], Places]:
    """What a system answers for an invoice, and what it cites: the first place of each value, "fern" without boxes."""
    values = copy.deepcopy(values)
    citations = {
        path: [place if system == "quill" else {"page": place["page"]}] for path, (place, *_) in evidence.items()
    }
    for _, kind, path, given in (mistake for mistake in MISTAKES[system] if mistake[0] == number):
        if kind == "cut":
            del values[path][given:]
            citations = {
                key: places for key, places in citations.items() if not key.startswith(path) or _index(key) < given
            }
        elif kind == "place":
            places = citations[given] if isinstance(given, str) else [{"page": page} for page in given]
            citations[path] = places
        else:
            *steps, last = path.replace("[", ".").replace("]", "").split(".")
            holder: Any = values
            for step in steps:
                holder = holder[int(step)] if isinstance(holder, list) else holder[step]
            holder[last] = _exchanged(holder[last]) if given is None else given
    return values, {path: places for path, places in citations.items() if places}


def _exchanged(text: str) -> str:
    """A number with its first two different neighbouring digits exchanged."""
    for at in range(len(text) - 1):
        if text[at : at + 2].isdigit() and text[at + 1] not in (text[at], "0"):
            return text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text


def _index(path: str) -> int:
    return int(path.partition("[")[2].partition("]")[0])


def write(folder: Path, *, images: bool) -> None:
    """Write the example to a folder."""
    draw = random.Random(SEED)
    (folder / "documents").mkdir(parents=True, exist_ok=True)
    references, answers = list[Any](), {system: list[Any]() for system in MISTAKES}
    for number in range(len(LINES_OF_LISTS)):
        name, values = f"invoice-{number + 1:02}", invoice(number, draw)
        printed = Print(values)
        path = folder / "documents" / f"{name}.pdf"
        path.write_bytes(render.pdf_of(printed.pages))
        references.append({"question_id": name, "references": [values], "evidence": printed.evidence})
        for system, rows in answers.items():
            prediction, citations = answer(values, printed.evidence, system, number + 1)
            rows.append({"question_id": name, "prediction": prediction, "citations": citations})
        if images:
            write_images(path)
    for file, rows in (("references", references), *answers.items()):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{file}.jsonl").write_text(text, encoding="utf-8")


def write_images(path: Path) -> None:
    """Write each page of a PDF as an image of 16 greys beside it."""
    import pypdfium2  # noqa: PLC0415  only images need it

    with pypdfium2.PdfDocument(path) as pdf:
        for number, page in enumerate(pdf, 1):
            image = page.render(scale=IMAGE_SCALE, grayscale=True).to_pil().quantize(16)
            image.save(path.with_name(f"{path.stem}-{number}.png"), optimize=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=HERE, help="where the example is written")
    parser.add_argument("--without-images", action="store_true", help="write no page images")
    given = parser.parse_args()
    write(given.folder, images=not given.without_images)

"""Print the receipts of the example next door as PDF and PNG, for the task `docscore_benchmark/documents`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RECEIPTS = HERE.parent / "receipts" / "references.jsonl"
ENCODING = "cp1252"  # what the fonts that every PDF reader brings can print
SIZE, LEADING, MARGIN = 10, 14, 40  # of the text, in points
WIDTH, HEIGHT = 420, 595  # of the page, A5
COLUMNS = 56  # characters of SIZE in the width between the margins
PICTURE_DPI = 150


def lines_of(receipt: dict[str, Any]) -> list[str]:
    """What the receipt prints."""
    merchant, totals, payment = receipt["merchant"], receipt["totals"], receipt["payment"]
    lines = [merchant["name"], merchant["address"], *_labelled("VAT", merchant["vat_id"]), ""]
    lines += [
        f"{receipt['date']} {receipt.get('time') or ''}".rstrip(),
        *_labelled("No.", receipt["receipt_number"]),
        "",
    ]
    for item in receipt["items"]:
        lines.append(_in_two_columns(f"{item['quantity']} x {item['name']}", item["amount"]))
        lines.append(f"    at {item['unit_price']}")
        lines += [f"    {modifier}" for modifier in item.get("modifiers", [])]
        lines += [_in_two_columns("    discount", item["discount"])] if "discount" in item else []
    lines += ["", _in_two_columns("Subtotal", totals["subtotal"])]
    lines += [_in_two_columns(f"Tax {tax['rate']}", tax["amount"]) for tax in totals["tax"]]
    lines += [_in_two_columns(f"TOTAL {receipt['currency']}", totals["total"]), ""]
    number = payment.get("card_last4")
    lines.append(f"Paid by {payment['method']}" + (f" **** {number}" if number else ""))
    lines += [_in_two_columns(name.title(), payment[name]) for name in ("tendered", "change") if payment.get(name)]
    return lines + [name.upper() for name in ("refund", "copy") if receipt.get(name)]


def _labelled(label: str, value: str | None) -> list[str]:
    return [] if value is None else [f"{label} {value}"]


def _in_two_columns(left: str, right: Any) -> str:
    return f"{left} {right!s:>{max(1, COLUMNS - len(left) - 1)}}"


def pdf_of(pages: list[list[str]]) -> bytes:
    """A PDF with the lines of each page as text in Courier.

    Source: ISO 32000-1, 7.5 (structure of a file) and 9.4 (text).
    """
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier /Encoding /WinAnsiEncoding >>"
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font,
    ]
    for number, lines in enumerate(pages):
        content = _content(lines)
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {5 + 2 * number} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
    file, starts = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        starts.append(len(file))
        file += f"{number} 0 obj\n".encode() + each + b"\nendobj\n"
    table = "".join(f"{start:010} 00000 n \n" for start in starts)
    head = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    return file + f"{head}trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n".encode()


def _content(lines: list[str]) -> bytes:
    start = f"BT /F1 {SIZE} Tf {LEADING} TL {MARGIN} {HEIGHT - MARGIN} Td\n".encode()
    shown = (
        line.encode(ENCODING).replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)") for line in lines
    )
    return start + b"".join(b"(" + line + b") Tj T*\n" for line in shown) + b"ET"


def rendered(folder: Path) -> int:
    """Write the receipts that can be printed, every second one as a picture; how many there are."""
    from docscore_benchmark.documents import rendered_pages  # noqa: PLC0415  only writing needs pypdfium2

    folder.mkdir(parents=True, exist_ok=True)
    references: list[str] = []
    for row in map(json.loads, RECEIPTS.read_text(encoding="utf-8").splitlines()):
        receipt = row["references"][0]
        lines = lines_of(receipt)
        if len(row["references"]) > 1 or "$one_of" in json.dumps(receipt) or not _can_be_printed(lines):
            continue
        path = folder / f"{row['question_id']}.pdf"
        path.write_bytes(pdf_of([lines]))
        if len(references) % 2:
            path.with_suffix(".png").write_bytes(rendered_pages(path, PICTURE_DPI)[0].read_bytes())
            path.unlink()
        references.append(json.dumps(row, ensure_ascii=False) + "\n")
    (folder / "references.jsonl").write_text("".join(references), encoding="utf-8")
    (folder / "schema.json").write_bytes((HERE / "schema.json").read_bytes())
    return len(references)


def _can_be_printed(lines: list[str]) -> bool:
    try:
        "\n".join(lines).encode(ENCODING)
    except UnicodeEncodeError:
        return False
    return max(map(len, lines)) <= COLUMNS + 4 and len(lines) * LEADING <= HEIGHT - 2 * MARGIN


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the documents are written")
    target = parser.parse_args().folder
    print(f"wrote {rendered(target)} documents, references.jsonl and schema.json to {target}")

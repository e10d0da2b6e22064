"""Make the pictures `docs/tree.png` and `docs/report.png`: `python -m dev.scripts.pictures`.

It needs Debian's packages chromium and, for receipts in Japanese, fonts-noto-cjk.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from dev.scripts.project_address import ROOT
from docscore import score_tree
from docscore.report.html_tree import stylesheet, tree_as_html

TRUTH = {
    "merchant": {"name": "Crank & Lumber Hardware Co.", "vat_id": None},
    "date": "07/02/2024",
    "items": [
        {"name": "Seed packet, heirloom corn", "amount": "5.58"},
        {"name": "Work gloves L", "amount": "25.98"},
        {"name": "Shop towels", "amount": "10.96"},
    ],
    "total": "42.52",
}
PREDICTION = {
    "merchant": {"name": "Crank and Lumber Hardware", "vat_id": None},
    "date": "07/02/2024",
    "items": [
        {"name": "Shop towels", "amount": "10.96"},
        {"name": "Seed packet, heirloom corn", "amount": "5.53"},
    ],
    "total": "42.52",
    "table": "7",
}
PAGE = """<!doctype html><meta charset="utf-8"><style>body {{ margin: 16px; font-family: sans-serif }} {style}</style>
<main>{tree}</main>"""


def check_fonts() -> None:
    """Stop if a script of the receipts would be rendered as boxes."""
    command = shutil.which("fc-list") or "fc-list", ":lang=ja"
    if not subprocess.run(command, check=True, capture_output=True).stdout:
        sys.exit("no font for Japanese: apt-get install fonts-noto-cjk")


MARGIN = 16  # pixels below the content of a picture


def empty_foot(picture: Image.Image) -> int:
    """Return how many rows of pixels at the bottom of a picture have one colour."""
    pixels = np.asarray(picture.convert("RGB"))
    return int(np.argmin((pixels == pixels[:, :1]).all(axis=(1, 2))[::-1]))


def cut(path: Path) -> None:
    """Cut off the empty bottom of a picture."""
    with Image.open(path) as picture:
        picture.crop((0, 0, picture.width, picture.height - max(0, empty_foot(picture) - MARGIN))).save(path)


def draw(page: Page, source: Path, target: str) -> None:
    """Save a picture of a page as the window shows it."""
    page.goto(source.as_uri())
    page.screenshot(path=str(ROOT / "docs" / target))
    cut(ROOT / "docs" / target)


def main() -> None:
    """Make both pictures."""
    check_fonts()
    receipts = ROOT / "examples" / "receipts"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        tree, report = Path(folder, "tree.html"), Path(folder, "report.html")
        tree.write_text(PAGE.format(style=stylesheet(), tree=tree_as_html(score_tree(TRUTH, PREDICTION))), "utf-8")
        files = [receipts / "references.jsonl", receipts / "predictions.jsonl"]
        subprocess.run([sys.executable, "-m", "docscore", "report", *files, "-o", report], check=True)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        draw(browser.new_page(viewport={"width": 900, "height": 740}), tree, "tree.png")
        draw(browser.new_page(viewport={"width": 1300, "height": 900}), report, "report.png")
        browser.close()


if __name__ == "__main__":
    main()

"""Compare the time to find values in documents with an earlier commit: `python -m dev.benchmarks.documents COMMIT`.

Both states run in turns, and the best processor time of each counts. The document has 500 pages, and 100 values are
looked up in it: amounts, dates, names and single words, as fields and in rows. The commands run on DocuBench if it is
there.
"""

from __future__ import annotations

import argparse
import datetime as dt
import io
import os
import random
import resource
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCUBENCH = ROOT.parent / "shared" / "data" / "docubench"
PAGES, LINES, WORDS, TURNS = 500, 50, 8, 3
NAMES = "alpha bravo cedar delta ember frost grove haven ivory jolly karma lemon mango noble ocean piano quilt raven"
FORMATS = ("%d.%m.%Y", "%B %d, %Y", "%d %b %Y", "%m/%d/%y")
KINDS = ("plain text", "with boxes", "in rows")


def _amount(rng: random.Random) -> str:
    return f"{rng.randint(100, 9_999_999) / 100:,.2f}"


def _day(rng: random.Random) -> dt.date:
    return dt.date(2001, 1, 1) + dt.timedelta(rng.randint(0, 9_000))


def _printed(rng: random.Random) -> str:
    """Draw what a document prints."""
    kinds = {
        rng.choice(NAMES.split()): 70,
        _amount(rng): 10,
        _day(rng).strftime(rng.choice(FORMATS)): 5,
        str(rng.randint(1, 999)): 5,
        f"{rng.choice('ABC')}{rng.randint(100, 99_999)}": 5,
        rng.choice(["Total", "EUR", "(12)", "-", "No."]): 5,
    }
    return rng.choices([*kinds], [*kinds.values()])[0]


def _document(rng: random.Random) -> tuple[str, list[tuple[float, float, float, float]]]:
    """Return a text of many pages, and the boxes of its words."""
    boxes, pages = [], []
    for _ in range(PAGES):
        lines = [" ".join(_printed(rng) for _ in range(WORDS)) for _ in range(LINES)]
        pages.append("\n".join(lines))
        for number, line in enumerate(lines):
            left, top = 0.05, 0.05 + number * 0.018
            for word in line.split():
                boxes.append((left, top, left + len(word) * 0.009, top + 0.012))
                left += (len(word) + 1) * 0.009
    return "\f".join(pages), boxes


def look_up(kind: str) -> None:
    """Print the seconds to look up 100 values in a document of 500 pages, and how many were found."""
    from docscore.grounding.document_text import DocumentText  # noqa: PLC0415  of the tree of this process

    rng = random.Random(7)
    text, boxes = _document(rng)
    rows: list[dict[str, Any]] = [
        {
            "amount": _amount(rng).replace(",", ""),
            "date": _day(rng).isoformat(),
            "name": " ".join(rng.choices(NAMES.split(), k=3)),
            "word": rng.choice(text.split()),
        }
        for _ in range(25)
    ]
    fields = {f"{key}{number}": value for number, row in enumerate(rows) for key, value in row.items()}
    begun = _seconds(resource.RUSAGE_SELF)
    document = DocumentText(text, boxes if kind != KINDS[0] else None)
    found = sum(bool(spots) for *_, spots in document.find_scalars({"rows": rows} if kind == KINDS[2] else fields))
    print(_seconds(resource.RUSAGE_SELF) - begun, found)


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def _commands(folder: Path) -> Iterator[tuple[str, list[str | Path]]]:
    """Yield the commands that are measured, by name."""
    for kind in KINDS:
        yield f"100 values, {kind}", [sys.executable, Path(__file__), "look-up", kind]
    if DOCUBENCH.is_dir():
        references, documents = DOCUBENCH / "references.jsonl", DOCUBENCH / "documents"
        systems = [f"{name}={DOCUBENCH}/predictions_{name}.jsonl" for name in ("claude", "gemini", "gpt")]
        for name, predictions in {"evidence": [], "review list": systems}.items():
            command: list[str | Path] = [sys.executable, "-m", "docscore", *name.split(), references, *predictions]
            yield name, [*command, "--documents", documents, "-o", folder / f"{name}.jsonl"]


def main() -> None:
    """Print the best seconds of each state and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="the earlier commit")
    archive = ["git", "archive", parser.parse_args().commit]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        content = subprocess.run(archive, cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(content)) as files:
            files.extractall(folder / "before")  # noqa: S202  our own archive
        for title, command in _commands(folder):
            best = [float("inf"), float("inf")]
            for turn in range(TURNS * len(best)):
                tree = (folder / "before", ROOT)[turn % 2]
                environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "review" / "src")])}
                begun = _seconds(resource.RUSAGE_CHILDREN)
                done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
                seconds = float(done.stdout.split()[0]) if command[-2] == "look-up" else 0.0
                seconds = seconds or _seconds(resource.RUSAGE_CHILDREN) - begun
                best[turn % 2] = min(best[turn % 2], seconds)
            print(f"{title:24} {best[0]:7.3f} s {best[1]:7.3f} s  {best[1] / best[0]:.2f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["look-up"]:
        look_up(sys.argv[2])
    else:
        main()

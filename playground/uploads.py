"""Read uploaded files within the limits of the page, show errors, and provide folders for downloads."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from docscore.core.errors import at_place, row_place
from docscore.core.formatting import printable
from docscore.core.options import ScoringOptions
from docscore.data.faults import faults_summary
from docscore.data.files import EXTENSIONS
from docscore.data.pairing import Pairs
from docscore.evaluation.evaluation import FileRows, rows_of_files
from docscore.evaluation.scores import parse_predictions, parsed_reference
from playground.fragments import fragment
from playground.limits import MAX_FILE_BYTES, check_file, check_value, check_work, shortened
from playground.worker_pool import Report

KINDS = [*EXTENSIONS, ".gz"]
KEPT_SECONDS = 3600


class Bar:
    """A progress bar for several phases of equal length."""

    def __init__(self, progress: Report, phases: int) -> None:
        self.progress, self.phases, self.begun = progress, phases, 0

    def phase(self, name: str, total: int) -> Callable[[int], object]:
        """Begin the next phase; return a function to call with increments."""
        begun, self.begun = self.begun, self.begun + 1
        done = last = 0.0

        def advance(count: int) -> None:
            nonlocal done, last
            done += count
            if done - last >= total / 100 or done >= total:
                last = done
                self.progress((begun + min(done / total, 1)) / self.phases, f"{name} {done:,.0f} of {total:,}")

        return advance


def rows_of_uploads(
    references: Path | None, predictions: Sequence[Path], options: ScoringOptions, *, skip: bool
) -> FileRows:
    """Read and pair the rows of uploaded files, and check every value against the limits of the page.

    Without a file of references, the rows of the predictions hold them.

    Raises:
        TypeError, ValueError: with a message that names the file and the place.
    """
    rows = rows_of_files(
        references=references,
        predictions=predictions,
        missing=options.missing,
        on_error="skip" if skip else "error",
        max_bytes=MAX_FILE_BYTES,
        check=check_uploaded_value,
        before_reading=check_file,
    )
    for pairs in rows.systems:
        check_pairs(pairs, options)
    return rows


def check_pairs(pairs: Pairs, options: ScoringOptions) -> None:
    """Raise `ValueError` for a row that takes too long; values parsed from text have the same limits."""
    parsed = parse_predictions(pairs.predictions, options.parse_mode)[0]
    truths = pairs.truths
    if options.parse_references:
        truths = list(map(parsed_reference, pairs.ids, truths))
    for question_id, truth, prediction in zip(pairs.ids, truths, parsed, strict=True):
        try:
            if options.parse_references:
                check_value(truth, is_truth=True)
            if options.parse_mode:
                check_value(prediction, is_truth=False)
            check_work(truth, prediction)
        except (TypeError, ValueError) as error:
            raise at_place(row_place(question_id), error) from None


def check_uploaded_value(value: object, is_truth: bool) -> None:
    """Raise `ValueError` or `TypeError` for a value of a file that cannot be scored here."""
    check_value(value, is_truth=is_truth)


def skipped_lines(rows: FileRows) -> list[str]:
    """A message on rows that were left out, as lines; empty if there are none."""
    pairs, faults = rows.systems[0], rows.faults
    if not faults.found:
        return []
    total = len(pairs.ids) + (pairs.skipped or 0)
    left = f"{faults_summary(faults.found)}; {pairs.skipped} of {total:,} rows are left out."
    return _lines(f"{left}\nThe first: {faults.found[0].diagnostic.for_remote_users()}")


def sentence(fault: str) -> str:
    """An error message as HTML."""
    return fragment("fault", _lines(fault), "alert")


def _lines(text: str) -> list[str]:
    return [shortened(printable(line)) for line in text.split("\n")]


def shown_ids(ids: Sequence[str]) -> list[str]:
    """The displayed ids, made unique."""
    seen: dict[str, int] = {}
    found = []
    for name in map(printable, ids):
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


def new_folder(within: Path) -> Path:
    """Create a new folder, whose name nobody can guess; folders older than an hour are deleted."""
    for old in within.iterdir():
        if old.stat().st_mtime < time.time() - KEPT_SECONDS:
            shutil.rmtree(old, ignore_errors=True)
    folder = within / secrets.token_urlsafe(16)
    folder.mkdir(mode=0o700)
    return folder

"""What the modules for `evaluate` share: rows of any format are stored as JSON text, so that what goes in comes out."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docscore.corpus.scores import CORPUS_OPTIONS, check_options
from docscore.data.rows import RowFormat, as_rows, row_format
from docscore.integrations.evaluate.storage import encode_rows
from docscore.stats.intervals import check_confidence

_NOT_GIVEN = object()  # None is a value


class StoredRowsMixin:
    """Stands before `evaluate.Metric` among the bases of a metric whose features are two texts a row and side.

    A metric names its options in `_compute(self, predictions, references, ...)`; those of test sets are checked before
    the rows are used up.
    """

    _form: RowFormat | None = None  # what the first batch had

    def add(self, *, prediction: Any = _NOT_GIVEN, reference: Any = _NOT_GIVEN, **kwargs: Any) -> None:
        """Add one row of predictions and one of references."""
        prediction = kwargs.pop("predictions", prediction)  # what evaluate.combine calls them
        reference = kwargs.pop("references", reference)
        if prediction is _NOT_GIVEN or reference is _NOT_GIVEN:
            msg = "expected both prediction and reference"
            raise ValueError(msg)
        self.add_batch(predictions=[prediction], references=[reference], **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add rows of predictions and references."""
        if predictions is None or references is None:
            msg = "expected both predictions and references"
            raise ValueError(msg)
        predictions, references = as_rows(predictions, "predictions"), as_rows(references, "references")
        form = self._form
        if form is None and (predictions or references):
            form = row_format(predictions, references)
        if form is not None:
            predictions, references = encode_rows(predictions, references, form)
        super().add_batch(predictions=predictions, references=references, **kwargs)  # type: ignore[misc]
        self._form = form  # only now: a batch that was refused tells nothing

    def compute(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> dict[str, Any] | None:
        """Compute the score of all rows added so far and of those given here."""
        options = inspect.signature(self._compute).bind([], [], **kwargs).arguments  # type: ignore[attr-defined]
        self._refuse(options)
        check_options(**{name: options[name] for name in options.keys() & CORPUS_OPTIONS})
        if options.get("confidence") is not None:
            check_confidence(options["confidence"])
        try:
            result: dict[str, Any] | None = super().compute(  # type: ignore[misc]
                predictions=predictions, references=references, **kwargs
            )
            return result
        finally:
            if self.writer is None:  # type: ignore[attr-defined]
                self._form = None
                self._release_cache()

    def _refuse(self, options: Mapping[str, Any]) -> None:
        """Raise `ValueError` for options that this metric cannot take together, before the rows are used up."""

    def _release_cache(self) -> None:
        """Give up the cache files, which evaluate does only after success."""
        locks, paths = self.filelocks or [], self.file_paths or []  # type: ignore[attr-defined]
        for lock, path in zip(locks, paths, strict=True):
            if lock is not None and lock.is_locked:
                with contextlib.suppress(FileNotFoundError):
                    Path(path).unlink()
                lock.release()

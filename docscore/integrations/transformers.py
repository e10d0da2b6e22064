"""Score the generated tokens of a `transformers` Trainer; results are a flat dict of floats for experiment trackers.

Install with `pip install "docscore[transformers]"`. Tokens are arrays; torch is used only to count processes.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputTypeError, InputValueError, short_repr
from docscore.core.options import AS_TEXT, check_choice, check_integer
from docscore.core.runtime import warn, warn_all
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.state import RATES, ScoreState
from docscore.inputs.checks import (
    is_json_document,
    refuse_document_texts,
    warnings_about_reading,
    warnings_about_repairs,
)
from docscore.inputs.model_text import COUNTED_OUTCOMES, PARSE_COUNTS, Parsed, kinds_of, parse_text, parsed_references
from docscore.inputs.reading import as_scored
from docscore.inputs.rows import read_rows, row_format, table_in_memory
from docscore.inputs.test_set import TestSet
from docscore.integrations.distributed import process_count

Parse = Literal["auto", "text", "json", "repair", "donut"]
_UNLIKE, _NEARLY_ALL = 0.5, 0.9  # the scores of labels unlike their references are lower; a share of the labels
_IGNORED = -100  # the padding of labels by collators, and of predictions by Trainers
_NUMBER_OF_ROWS = "pass rows=len(eval_dataset), or references, to compute_metrics"


def compute_metrics(
    processor_or_tokenizer: Any,
    *,
    references: Sequence[Any] | None = None,
    rows: int | None = None,
    metrics: Sequence[str] | None = None,
    parse: Parse | None = "auto",
    fields: bool = True,
    **keywords: Any,
) -> "ComputeMetrics":
    """Build the `compute_metrics` function for a `Trainer` or `Seq2SeqTrainer`.

    Args:
        processor_or_tokenizer: a tokenizer, or a processor with one, that decodes tokens.
        references: the ground truths of the evaluation set, in its order and any row format. Do not pass them to a
            Trainer that groups by length, because that changes the order. The default is the labels, decoded and parsed
            like the predictions, with a warning if they cannot be parsed without repair.
        rows: the number of rows of the evaluation set. The default is the number of references. Several processes may
            repeat the first rows after the last row; if the number of rows is known, repeated rows are left out.
            Batches also require this number.
        metrics: names from `docscore.METRICS`. The default is "anls_star"; with a schema, "typed" and "anls_star".
        parse: how to parse decoded texts: "json", "repair" (malformed JSON too), "donut" (`<s_key>` markup, with the
            processor's `token2json`), or "text" to use the texts as answers. "auto" is "repair" if the ground truth is
            an object or a list, or a label that holds one, and "text" otherwise. None means "text", but raises an error
            if all labels are JSON.
        fields: whether to report each field of the ground truths.
        keywords: options of `docscore.evaluate`, such as threshold, ignore_case and schema.

    Returns:
        A function of an `EvalPrediction`, which with `rows` or `references` also works with `batch_eval_metrics=True`.
        It returns `anls_star`, with a schema also `typed_score`; the score of each field, such as `anls_star/total`;
        `parse_failure_rate`, with parse="repair" also `parse_extracted_rate`, `parse_repaired_rate` and
        `parse_ambiguous_rate`; and the figures of the other metrics.

    Raises:
        TypeError, ValueError: for a processor that cannot decode, references that are not rows or cannot be parsed,
            another number of rows than references, or invalid options.
    """
    return ComputeMetrics(processor_or_tokenizer, references, rows, metrics, parse, fields, keywords)


class ComputeMetrics:
    """A function of an `EvalPrediction` that keeps its state until a call with `compute_result=True`.

    If an evaluation was stopped between batches, call `reset`; otherwise the next evaluation has too many rows and
    raises an error.
    """

    def __init__(
        self,
        processor: Any,
        references: Sequence[Any] | None,
        rows: int | None,
        metrics: Sequence[str] | None,
        parse: Parse | None,
        fields: bool,
        keywords: dict[str, Any],
    ) -> None:
        check_choice("parse", parse, (None, *get_args(Parse)))
        if parse == "donut" and not hasattr(processor, "token2json"):
            raise InputTypeError(
                place="parse", expected="a processor with token2json for 'donut'", got=type(processor).__name__
            )
        self.processor = processor
        inner = getattr(processor, "tokenizer", None)
        self.tokenizer: Any = inner if hasattr(inner, "batch_decode") else processor
        if not hasattr(self.tokenizer, "batch_decode"):
            raise InputTypeError(
                expected="a tokenizer or a processor with batch_decode",
                got=type(processor).__name__,
            )
        self.parse = parse
        self.state = ScoreState(metrics=metrics, fields=fields, **{"parse": parse and AS_TEXT, **keywords})
        self.rows = None if rows is None else check_integer("rows", rows, 1)
        self.references: list[Any] | None = None
        if references is not None:
            self.references = self._read_references(references)
            if self.rows not in (None, len(self.references)):
                raise InputValueError(
                    place="rows", expected=f"{len(self.references):,}, one for each reference", got=f"{self.rows:,}"
                )
            self.rows = len(self.references)
        self.reset()

    def _read_references(self, references: Sequence[Any]) -> list[Any]:
        """Return the ground truths as plain values; if the options parse them, the state receives parsed values."""
        table = table_in_memory(references, "references")
        values = read_rows(table, row_format(table), "references").values
        reading = self.state.reading
        refuse_document_texts(values, values, self.parse, reading.parse_references)
        if reading.parse_references:
            values, repairs = parsed_references(list(map(str, range(len(values)))), values, reading.parse_references)
            warn_all(warnings_about_repairs(repairs, len(values)))
            self.state.reading = replace(reading, parse_references=None)
        return values

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:  # noqa: FBT002  the Trainer's
        """Score all rows or a batch. The last call returns the result. An error resets the state.

        Args:
            prediction: predictions and label_ids, token ids of shape (n, length), padded with -100.
            compute_result: False for a batch that is not the last one; the result is then empty.

        Raises:
            TypeError: for logits, which `preprocess_logits_for_metrics` converts to tokens.
            ValueError: for more or fewer rows than the evaluation set has; for references in another order than the
                labels; without the number of rows, for a batch, or if the last rows of several processes repeat the
                first rows.
        """
        try:
            self._update(prediction.predictions, prediction.label_ids, is_last=compute_result)
            result = self._result() if compute_result else {}
        except BaseException:
            self.reset()
            raise
        if compute_result:
            self.reset()
        return result

    def reset(self) -> None:
        """Forget all rows."""
        self.state.reset()
        self.outcomes: Counter[str] = Counter()  # the outcomes of parsing
        self.first: list[str] = []  # the labels of the first batch, which padding repeats
        self.labels: list[str] = []  # if references were given
        self.unread_labels: list[tuple[int, str]] = []  # row and text of labels that are not valid JSON

    def _update(self, found: Any, label_ids: Any, *, is_last: bool) -> None:
        """Score more rows."""
        texts = self._texts(found, "predictions")
        labels = self._label_texts(label_ids, len(texts))
        count = self._count_without_padding(texts if labels is None else labels, is_last=is_last)
        texts, labels = texts[:count], labels and labels[:count]
        truths = self._truths(labels, count)
        predictions = [
            self._read(text, truth, is_document=not kinds_of(truth).isdisjoint((dict, list)))
            for text, truth in zip(texts, truths, strict=True)
        ]
        if self.parse is None and self.references is None:  # at the first evaluation, regardless of predictions
            refuse_document_texts(truths, truths, self.parse, self.state.reading.parse_references)
        self.outcomes.update(each.outcome for each in predictions)
        ids = [str(self.state.rows + number) for number in range(len(predictions))]
        if ids:
            pairs = TestSet(ids, truths, [each.value for each in predictions])
            # without `parse`, the state itself warns about the same texts
            modes = self.parse, self.state.reading.parse_references
            warn_all(warnings_about_reading(pairs, *modes) if self.parse else ())
            self.state.update_pairs(pairs)

    def _label_texts(self, label_ids: Any, count: int) -> list[str] | None:
        """Return the decoded labels; None if references were given and the labels are not one row of tokens each.

        Args:
            label_ids: what a Trainer passes.
            count: the number of predictions.
        """
        try:
            texts = self._texts(label_ids, "label_ids")
        except TypeError:
            if self.references is None:
                raise
            return None
        if len(texts) == count:
            return texts
        if self.references is None:
            raise InputValueError(expected="as many predictions as label_ids", got=f"{count:,} and {len(texts):,}")
        return None

    def _count_without_padding(self, rows: list[str], *, is_last: bool) -> int:
        """Return how many rows of a batch are rows of the evaluation set; the others repeat its first rows.

        A `DataLoader` of several processes repeats the first rows, so that all processes have a full last batch. A
        Trainer removes them again, unless it generates texts.

        Args:
            rows: a text that identifies each row: its label or, without labels, its prediction.
            is_last: whether no other batch follows.

        Raises:
            ValueError: for an unexpected number of rows; if the number is unknown, for a batch, or if the last rows of
                several processes repeat the first rows.
        """
        if self.rows is None:
            if not is_last:
                raise InputValueError(
                    place="batch_eval_metrics",
                    expected="rows or references in compute_metrics",
                    got="neither",
                    remedy=_NUMBER_OF_ROWS,
                )
            repeated = _repeated_rows(rows)
            if repeated and process_count() > 1:
                raise InputValueError(
                    problem=f"the last {repeated:,} of {len(rows):,} rows have the labels of the first {repeated:,}, "
                    "as if several processes had added the first rows again",
                    remedy=_NUMBER_OF_ROWS,
                )
            return len(rows)
        self.first = self.first or rows[: self.rows]
        count = min(len(rows), self.rows - self.state.rows)
        padding, given = rows[count:], self.state.rows + len(rows)
        several = bool(padding) and process_count() > 1
        is_padding = several and is_last and count and padding == list(islice(cycle(self.first), len(padding)))
        if (padding and not is_padding) or (is_last and given < self.rows):
            other = f" (the last {len(padding):,} rows do not repeat the first rows)" if several and padding else ""
            raise InputValueError(
                place="rows" if self.references is None else "references",
                expected=f"{self.rows:,} rows in the evaluation set",
                got=f"{given:,}{'' if is_last else ' or more'}{other}",
                remedy="call reset() after an evaluation that was stopped" if self.state.rows else "",
            )
        return count

    def _result(self) -> dict[str, float]:
        """Return the figures of all rows since the last result."""
        rows = self.state.rows
        if self.references is not None and len(self.labels) == rows:
            self._compare_with_labels(self.references)
        if self.unread_labels:
            row, text = self.unread_labels[0]
            warn(
                f"label_ids: {len(self.unread_labels):,} of {rows:,} cannot be parsed with parse={self.parse!r}, such "
                f"as row {row}: {short_repr(text)}; they may be cut off, or contain characters that the tokenizer "
                "does not have; pass references instead"
            )
        result = self.state.compute()
        mode = {AS_TEXT: None, "auto": "repair"}.get(str(self.parse), self.parse)
        read = COUNTED_OUTCOMES.get(mode, ("failed",))
        return result | {RATES[PARSE_COUNTS[outcome]]: self.outcomes[outcome] / rows for outcome in read}

    def _truths(self, labels: list[str] | None, count: int) -> list[Any]:
        """Return the ground truths of the next rows."""
        start = self.state.rows
        if self.references is not None:
            self.labels += labels or ()
            return self.references[start : start + count]
        texts = labels or []
        read = [self._read_label(text) for text in texts]
        unread = [number for number, each in enumerate(read) if each.outcome != "exact"]
        self.unread_labels += [(start + number, texts[number]) for number in unread]
        return [convert_ground_truth(each.value) for each in read]

    def _compare_with_labels(self, references: list[Any]) -> None:
        """Warn if nearly all labels differ from the references.

        Raises:
            ValueError: if the labels are the references in another order, as when a Trainer groups the rows by length.
        """
        values = [self._read_label(text).value for text in self.labels]
        pairs = TestSet(list(map(str, range(len(values)))), references, values)
        options = self.state.options
        read = as_scored(pairs, self.state.reading, is_full=False)  # its warnings were given with the rows
        scored = Evaluation(read, options, metrics=self.state.metrics, confidence=None)
        labels, expected = (
            [json.dumps(value, sort_keys=True, default=str) for value in side]
            for side in (read.predictions, read.truths)
        )
        unlike = 0 if labels == expected else sum(score < _UNLIKE for score in scored.anls_star)
        if labels != expected and sorted(labels) == sorted(expected):
            raise InputValueError(
                place="references", expected="the order of the labels", got="the same values in another order"
            )
        if unlike > _NEARLY_ALL * len(labels):
            warn(
                f"references: {unlike:,} of {len(labels):,} have an ANLS* score below {_UNLIKE} against their labels; "
                "they may be the references of another split, or in a different notation than the labels"
            )

    def _texts(self, tokens: Any, name: str) -> list[str]:
        """Decode token ids without padding. With eval_do_concat_batches=False, they are a list of batches."""
        several = isinstance(tokens, list) and all(
            isinstance(each, tuple) or len(_shape(each, name)) > 1 for each in tokens
        )
        special, texts = self.parse == "donut", []  # keys of Donut are special tokens
        for batch in tokens if several else [tokens]:
            array = _array(batch[0] if isinstance(batch, tuple) else batch, name)
            rows = [row[row != _IGNORED].tolist() for row in array]
            texts += self.tokenizer.batch_decode(
                rows, skip_special_tokens=not special, clean_up_tokenization_spaces=False
            )
        if special:  # remove only the tokens for the beginning, end and padding of a text
            for token in filter(None, (getattr(self.tokenizer, f"{end}_token", None) for end in ("eos", "pad", "bos"))):
                texts = [text.replace(token, "") for text in texts]
        return [text.strip() for text in texts] if special else texts

    def _read_label(self, text: str) -> Parsed:
        """Parse a label according to `parse`."""
        return self._read(text, is_document=is_json_document(text))

    def _read(self, text: str, truth: Any = None, *, is_document: bool) -> Parsed:
        """Parse a text according to `parse`; "auto" depends on whether the ground truth is an object or a list."""
        automatic = "repair" if is_document else AS_TEXT
        mode = automatic if self.parse == "auto" else self.parse
        if mode in (None, AS_TEXT):
            return Parsed(text)
        if mode in ("json", "repair"):
            return parse_text(text, mode, truth)
        value = self.processor.token2json(text)
        if not value or (isinstance(value, Mapping) and set(value) == {"text_sequence"}):
            return Parsed(text, "failed")
        try:
            return Parsed(convert_prediction(value))
        except (TypeError, ValueError):
            return Parsed(text, "failed")


def _repeated_rows(rows: list[str]) -> int:
    """Return how many rows at the end repeat the first rows.

    >>> _repeated_rows(["a", "b", "c", "a", "b"])
    2
    """
    starts = (start for start in range(1, len(rows)) if rows[start] == rows[0])
    return next((len(rows) - start for start in starts if rows[start:] == rows[: len(rows) - start]), 0)


def _shape(tokens: Any, name: str) -> tuple[int, ...]:
    try:
        return np.shape(tokens)
    except ValueError:
        raise InputTypeError(
            place=name,
            expected="token ids of shape (n, length)",
            got="rows of different lengths",
            remedy=f"pad them with {_IGNORED}",
        ) from None


def _array(tokens: Any, name: str) -> npt.NDArray[Any]:
    """Convert token ids of shape (n, length), an array or a tensor on any device, to an array."""
    shape, kind = _shape(tokens, name), str(getattr(tokens, "dtype", type(tokens).__name__))
    if len(shape) == 2:  # noqa: PLR2004
        array = np.asarray(tokens.cpu() if hasattr(tokens, "cpu") else tokens)
        if array.dtype.kind in "iu" and not ((array < 0) & (array != _IGNORED)).any():
            return array
    raise InputTypeError(
        place=name,
        expected="token ids of shape (n, length)",
        got=f"{kind} of shape {shape}",
        remedy="set predict_with_generate=True, or preprocess_logits_for_metrics",
    )


def preprocess_logits_for_metrics(logits: Any, labels: Any, *, causal: bool = False) -> Any:
    """Convert logits to the most likely tokens, so that a Trainer does not keep logits for the whole evaluation set.

    Positions without labels, after the end of a text, are ignored. Each token is predicted from the correct tokens
    before it (teacher forcing), so scores are higher than the scores of generated texts.

    Args:
        logits: a tensor of shape (n, length, vocabulary), or a tuple that begins with one; generated tokens, of shape
            (n, length), are returned unchanged.
        labels: a tensor of shape (n, length), padded with -100.
        causal: True for decoder-only models, whose logits predict the next token; the logits are shifted by one.

    Returns:
        Token ids of shape (n, length), with -100 where labels are -100.
    """
    first = logits[0] if isinstance(logits, tuple) else logits
    if first.ndim == 2:  # noqa: PLR2004
        return first
    tokens = first.argmax(-1)
    if causal:
        tokens = tokens.roll(1, -1)
        tokens[:, 0] = _IGNORED
    return tokens if labels is None else tokens.masked_fill(labels == _IGNORED, _IGNORED)

"""Score the generated tokens of a `transformers` Trainer; results are a flat dict of floats for experiment trackers.

Install with `pip install "docscore[transformers]"`. Nothing here imports torch: tokens are arrays.
"""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from docscore.core.errors import InputTypeError, InputValueError, short_repr
from docscore.core.options import AS_TEXT, check_choice
from docscore.core.runtime import warn
from docscore.core.values import convert_ground_truth, convert_prediction
from docscore.data.checks import refuse_document_texts, remarks_on_reading
from docscore.data.model_text import COUNTED_OUTCOMES, PARSE_COUNTS, Parsed, parse_text
from docscore.data.pairing import Pairs
from docscore.data.rows import read_rows, row_format, table_in_memory
from docscore.evaluation.state import RATES, ScoreState
from docscore.metrics.anls_star.api import score_all

Parse = Literal["text", "json", "repair", "donut"]
_UNLIKE, _NEARLY_ALL = 0.5, 0.9  # the score of a label that differs from its reference; a share of the labels
_IGNORED = -100  # the padding of labels by collators, and of predictions by Trainers


def compute_metrics(
    processor_or_tokenizer: Any,
    *,
    references: Sequence[Any] | None = None,
    metrics: Sequence[str] | None = None,
    parse: Parse | None = "repair",
    fields: bool = True,
    **keywords: Any,
) -> "ComputeMetrics":
    """Build the `compute_metrics` function for a `Trainer` or `Seq2SeqTrainer`.

    Args:
        processor_or_tokenizer: a tokenizer, or a processor with one, that decodes tokens.
        references: the ground truths of the evaluation set, in its order and any row format. Do not pass them to a
            Trainer that groups by length, because that changes the order. The default is the labels, decoded and parsed
            like the predictions, with a warning if they cannot be parsed without repair.
        metrics: names from `docscore.METRICS`. The default is "anls_star"; with a schema, "typed" and "anls_star".
        parse: how to parse decoded texts: "json", "repair" (malformed JSON too), "donut" (`<s_key>` markup, with the
            processor's `token2json`), or "text" to use the texts as answers. None means "text", but raises an error if
            all labels are JSON.
        fields: whether to report each field of the ground truths.
        keywords: fields of `ScoringOptions`, such as threshold, ignore_case and schema.

    Returns:
        A function of an `EvalPrediction`, which also works with `batch_eval_metrics=True`. It returns `anls_star`, with
        a schema also `typed_score`; for each field a key such as `anls_star/total`; `parse_failure_rate`, with
        parse="repair" also `parse_extracted_rate`, `parse_mended_rate` and `parse_ambiguous_rate`; and the figures of
        the other metrics.

    Raises:
        TypeError, ValueError: for a processor that cannot decode, references that are not rows, or invalid options.
    """
    return ComputeMetrics(processor_or_tokenizer, references, metrics, parse, fields, keywords)


class ComputeMetrics:
    """A function of an `EvalPrediction` that keeps its state until a call with `compute_result=True`.

    The batches of one result come from one loop of a Trainer. Another loop starts without the rows of one that was
    stopped; in a loop of your own, call `reset` first.
    """

    def __init__(
        self,
        processor: Any,
        references: Sequence[Any] | None,
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
        self.references: list[Any] | None = None
        if references is not None:
            table = table_in_memory(references, "references")
            self.references = read_rows(table, row_format(table), "references").values
        self.parse = parse
        self.state = ScoreState(metrics=metrics, fields=fields, **{"parse": parse and AS_TEXT, **keywords})
        self.reset()

    def __call__(self, prediction: Any, compute_result: bool = True) -> dict[str, float]:  # noqa: FBT002  the Trainer's
        """Score all rows or a batch. The last call returns the result. An error resets the state.

        Args:
            prediction: predictions and label_ids, token ids of shape (n, length), padded with -100.
            compute_result: False for a batch that is not the last one; the result is then empty.

        Raises:
            TypeError: for logits; `preprocess_logits_for_metrics` converts them to tokens.
            ValueError: if there are more or fewer rows than references, or they are in another order.
        """
        if self._begins():
            self.reset()
        try:
            self._update(prediction.predictions, prediction.label_ids)
            result = self._result() if compute_result else {}
        except BaseException:
            self.reset()
            raise
        if compute_result:
            self.reset()
        return result

    def _begins(self) -> bool:
        """Return whether the loop of a Trainer makes its first call.

        The call marks the frame of the loop: nothing that a Trainer passes tells one loop from another.
        """
        frame: Any = sys._getframe(2)  # noqa: SLF001
        while frame is not None and frame.f_code.co_name != "evaluation_loop":
            frame = frame.f_back
        mark = object()
        return frame is not None and frame.f_locals.setdefault(f"docscore_{id(self)}", mark) is mark

    def reset(self) -> None:
        """Forget all rows."""
        self.state.reset()
        self.outcomes: Counter[str] = Counter()  # of parsing
        self.labels: list[str] = []  # if references were given
        self.unread_labels: list[tuple[int, str]] = []  # row and text of labels that are not valid JSON

    def _update(self, found: Any, labels: Any) -> None:
        """Score more rows."""
        texts = self._texts(found, "predictions")
        truths = self._truths(labels, len(texts))
        predictions = list(map(self._read, texts, truths))
        if self.parse is None or self.references is not None:  # at the first evaluation, whatever a model answers then
            refuse_document_texts(truths, truths, self.parse, self.state.options.parse_references)
        self.outcomes.update(each.outcome for each in predictions)
        ids = [str(self.state.rows + number) for number in range(len(predictions))]
        if ids:
            pairs = Pairs(ids, truths, [each.value for each in predictions])
            # without parse the state, which gets the same texts, warns itself
            doubts = remarks_on_reading(pairs, self.parse, self.state.options.parse_references) if self.parse else ()
            for doubt in doubts:
                warn(str(doubt))
            self.state.update_pairs(pairs)

    def _result(self) -> dict[str, float]:
        """The figures of all rows since the last result."""
        rows = self.state.rows
        if self.references is not None and rows != len(self.references):
            raise InputValueError(
                place="references",
                expected=f"one for each of {rows:,} rows",
                got=f"{len(self.references):,}",
            )
        if self.references is not None and len(self.labels) == rows:
            self._compare_with_labels(self.references)
        if self.unread_labels:
            row, text = self.unread_labels[0]
            warn(
                f"label_ids: {len(self.unread_labels):,} of {rows:,} cannot be parsed with parse={self.parse!r}, such "
                f"as row {row}: {short_repr(text)}; they may be cut off, or contain characters that the tokenizer "
                "lacks; pass references instead"
            )
        result = self.state.compute()
        read = COUNTED_OUTCOMES.get(None if self.parse == AS_TEXT else self.parse, ("failed",))
        return result | {RATES[PARSE_COUNTS[outcome]]: self.outcomes[outcome] / rows for outcome in read}

    def _truths(self, labels: Any, count: int) -> list[Any]:
        """Return the ground truths of the next rows."""
        start = self.state.rows
        if self.references is not None:
            if start + count > len(self.references):
                raise InputValueError(
                    place="references",
                    expected=f"one for each of {start + count:,} rows or more",
                    got=f"{len(self.references):,}",
                )
            with suppress(TypeError):  # with references, labels need not be tokens
                self.labels += self._texts(labels, "label_ids")
            return self.references[start : start + count]
        texts = self._texts(labels, "label_ids")
        if len(texts) != count:
            raise InputValueError(
                expected="as many predictions as label_ids",
                got=f"{count:,} and {len(texts):,}",
            )
        read = [self._read(text) for text in texts]
        unread = [number for number, each in enumerate(read) if each.outcome != "exact"]
        self.unread_labels += [(start + number, texts[number]) for number in unread]
        return [convert_ground_truth(each.value) for each in read]

    def _compare_with_labels(self, references: list[Any]) -> None:
        """Warn if nearly all labels differ from the references.

        Raises:
            ValueError: if the labels are the references in another order, as if a Trainer grouped the rows by length.
        """
        values = [self._read(text).value for text in self.labels]
        labels, expected = (
            [json.dumps(value, sort_keys=True, default=str) for value in side] for side in (values, references)
        )
        if labels == expected:
            return
        if sorted(labels) == sorted(expected):
            raise InputValueError(
                place="references", expected="the order of the labels", got="the same values in another order"
            )
        unlike = (score_all(zip(references, values, strict=True), self.state.options, str) < _UNLIKE).sum()
        if unlike > _NEARLY_ALL * len(labels):
            warn(
                f"references: {unlike:,} of {len(labels):,} have an ANLS* score below {_UNLIKE} against their labels; "
                "they may be the references of another split, or written in another way than the model is taught"
            )

    def _texts(self, tokens: Any, name: str) -> list[str]:
        """Decode token ids without padding. With eval_do_concat_batches=False, they are a list of batches."""
        several = isinstance(tokens, list) and all(
            isinstance(each, tuple) or len(_shape(each, name)) > 1 for each in tokens
        )
        special, texts = self.parse == "donut", []  # its keys are special tokens
        for batch in tokens if several else [tokens]:
            array = _array(batch[0] if isinstance(batch, tuple) else batch, name)
            rows = [row[row != _IGNORED].tolist() for row in array]
            texts += self.tokenizer.batch_decode(
                rows, skip_special_tokens=not special, clean_up_tokenization_spaces=False
            )
        if special:  # remove only those for the beginning, end and padding of a text
            for token in filter(None, (getattr(self.tokenizer, f"{end}_token", None) for end in ("eos", "pad", "bos"))):
                texts = [text.replace(token, "") for text in texts]
        return [text.strip() for text in texts] if special else texts

    def _read(self, text: str, truth: Any = None) -> Parsed:
        """Parse a text according to `parse`."""
        if self.parse in (None, AS_TEXT):
            return Parsed(text)
        if self.parse in ("json", "repair"):
            return parse_text(text, self.parse, truth)
        value = self.processor.token2json(text)
        if not value or (isinstance(value, Mapping) and set(value) == {"text_sequence"}):
            return Parsed(text, "failed")
        try:
            return Parsed(convert_prediction(value))
        except (TypeError, ValueError):
            return Parsed(text, "failed")


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
    """Return token ids of shape (n, length) as an array, from an array or a tensor on any device."""
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
    """Convert logits to the most likely tokens, so that a Trainer need not keep logits for the whole evaluation set.

    Positions without labels, after the end of a text, are ignored. Each token is predicted from the correct tokens
    before it (teacher forcing), so that scores are higher than those of generated texts.

    Args:
        logits: a tensor of shape (n, length, vocabulary), or a tuple that begins with one; generated tokens, of shape
            (n, length), are returned unchanged.
        labels: a tensor of shape (n, length), padded with -100.
        causal: for decoder-only models, whose logits at a position are of the next token: they are shifted by one.

    Returns:
        Token ids, shape (n, length), -100 where labels are -100.
    """
    first = logits[0] if isinstance(logits, tuple) else logits
    if first.ndim == 2:  # noqa: PLR2004
        return first
    tokens = first.argmax(-1)
    if causal:
        tokens = tokens.roll(1, -1)
        tokens[:, 0] = _IGNORED
    return tokens if labels is None else tokens.masked_fill(labels == _IGNORED, _IGNORED)

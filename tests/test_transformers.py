"""Trainers of `transformers`: from tokens to figures, in one call and in batches, and a real training."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from docscore.evaluation.state import ScoreState
from docscore.integrations.transformers import compute_metrics, preprocess_logits_for_metrics
from tests.commands import run_python
from tests.conftest import REQUIRE_ALL, ROOT, golden, needs_tool

for library in ("torch", "transformers", "tokenizers"):
    needs_tool(library, REQUIRE_ALL)

import torch  # noqa: E402
import transformers  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers  # noqa: E402

pytestmark = pytest.mark.ci

SIGNS = [chr(code) for code in range(32, 127)]
KEYS = [f"{start}{key}>" for key in ("total", "menu", "nm", "price") for start in ("<s_", "</s_")]
SPECIAL = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "bos_token": "<s>"}


@pytest.fixture
def tokenizer() -> Any:
    """A token a sign; its texts come back as they were."""
    core = Tokenizer(models.WordLevel({sign: number for number, sign in enumerate([*SPECIAL.values(), *SIGNS])}))
    core.pre_tokenizer, core.decoder = pre_tokenizers.Split("", "isolated"), decoders.Fuse()
    return transformers.PreTrainedTokenizerFast(tokenizer_object=core, **SPECIAL)


def tokens(tokenizer: Any, texts: list[str], fill: int = -100) -> Any:
    """The tokens of texts as one array, each with its end, filled up to the longest."""
    rows = [[*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id] for text in texts]
    longest = max(map(len, rows))
    return np.array([row + [fill] * (longest - len(row)) for row in rows])


def prediction(predictions: Any, labels: Any = None) -> Any:
    return transformers.EvalPrediction(predictions=predictions, label_ids=labels)


def random_texts(seed: int, count: int = 23) -> tuple[list[str], list[Any]]:
    """What a model might write, some of it no JSON, and the ground truths."""
    rng = random.Random(seed)
    truths = [
        {"total": f"{rng.randint(1, 99)}.50", "items": [{"n": rng.choice("abc")}] * (k % 3)} for k in range(count)
    ]
    texts = [json.dumps({**truth, "total": rng.choice([truth["total"], "1.5"])}) for truth in truths]
    return [text[: rng.choice([len(text), len(text) - 2, 0])] for text in texts], truths


def in_batches(function: Any, found: Any, labels: Any, size: int) -> dict[str, float]:
    """What a Trainer does with batch_eval_metrics: tensors, a batch at a time, the result with the last one."""
    starts, results = range(0, len(found), size), []
    for start in starts:
        batch = (torch.from_numpy(each[start : start + size]) for each in (found, labels))
        results.append(function(prediction(*batch), compute_result=start == starts[-1]))
    assert results[:-1] == [{}] * (len(starts) - 1)
    return dict(results[-1])


@pytest.mark.parametrize("fill", [-100, 0])
def test_what_fills_up_a_row_is_not_decoded(fill: int, tokenizer: Any) -> None:
    """Predictions and labels are of unequal length; padding tokens and -100 are both nothing, also at the start."""
    rows = tokens(tokenizer, ['{"a": 1}', '{"a": "a longer one"}'], fill)
    labels = np.pad(tokens(tokenizer, ['{"a": 1}', '{"a": "a longer one"}']), ((0, 0), (2, 5)), constant_values=-100)
    start = np.zeros((2, 1), dtype=int)  # generated texts begin with the token that starts the decoder
    assert compute_metrics(tokenizer)(prediction(np.hstack([start, rows]), labels))["anls_star"] == 1.0


@golden("transformers", "parsed")
def test_texts_are_read_as_asked(
    parse: Any, text: str, reference: Any, figures: dict[str, float], tokenizer: Any
) -> None:
    function = compute_metrics(tokenizer, references=[reference], parse=parse)
    result = function(prediction(tokens(tokenizer, [text])))
    assert result == figures
    assert {type(value) for value in result.values()} == {float}


def test_options_and_other_metrics(tokenizer: Any) -> None:
    """The figures are those of a `ScoreState` with the same rules."""
    texts, truths = random_texts(1)
    schema = {"properties": {"total": {"x-docscore": {"weight": 3}}}}
    metrics = ["typed", "anls_star", "kieval", "entity_f1", "nted"]
    options: dict[str, Any] = {"metrics": metrics, "schema": schema, "threshold": 0.8, "fields": False}
    result = compute_metrics(tokenizer, references=truths, **options)(prediction(tokens(tokenizer, texts)))
    state = ScoreState(parse="repair", **options)
    state.update(texts, truths)
    assert result == state.compute()
    assert {"typed_score", "kieval_group_f1", "entity_f1", "nted"} < result.keys()
    assert result["typed_score"] != result["anls_star"]
    cased = compute_metrics(tokenizer, references=["TEA"], parse=None, ignore_case=False)
    assert cased(prediction(tokens(tokenizer, ["tea"])))["anls_star"] == 0.0


def test_the_first_of_several_outputs_counts(tokenizer: Any) -> None:
    """Some models give a tuple; with eval_do_concat_batches=False a Trainer gives a list of batches."""
    texts, truths = random_texts(2, 6)
    whole, batches = tokens(tokenizer, texts), [tokens(tokenizer, texts[:2]), tokens(tokenizer, texts[2:])]
    assert batches[0].shape[1] != batches[1].shape[1]
    function = compute_metrics(tokenizer, references=truths)
    expected = function(prediction(whole))
    for actual in ((whole, np.zeros((6, 3, 8))), batches, [(batch, None) for batch in batches], whole.tolist()):
        assert function(prediction(actual)) == expected


@pytest.mark.parametrize("size", [1, 4, 23, 30])
@pytest.mark.parametrize("given", [True, False])
def test_batches_give_what_one_call_gives_to_the_last_bit(size: int, given: bool, tokenizer: Any) -> None:
    texts, truths = random_texts(3)
    actual, labels = tokens(tokenizer, texts), tokens(tokenizer, [json.dumps(truth) for truth in truths])
    count: dict[str, Any] = {"references": truths} if given else {"rows": len(truths)}
    function = compute_metrics(tokenizer, metrics=["anls_star", "nted", "kieval"], **count)
    expected = function(prediction(actual, labels))
    assert 0 < expected["parse_failure_rate"] < 1
    for _ in range(2):  # nothing is left of the first evaluation
        assert in_batches(function, actual, labels, size) == expected


def test_an_evaluation_that_was_stopped_never_counts_in_another_one(tokenizer: Any) -> None:
    """Without a reset, the next evaluation has too many rows."""
    rows = tokens(tokenizer, [json.dumps({"a": letter}) for letter in "abcdefg"])
    function = compute_metrics(tokenizer, rows=len(rows))
    for start in (0, 2):
        assert function(prediction(*[rows[start : start + 2]] * 2), compute_result=False) == {}
    assert function.state.rows == 4
    message = "rows: expected 7 rows in the evaluation set, got 8 or more; call reset"
    with pytest.raises(ValueError, match=re.escape(message)):
        in_batches(function, rows, rows, 2)
    assert in_batches(function, rows, rows, 2)["anls_star"] == 1.0
    function(prediction(*[rows[:1]] * 2), compute_result=False)
    function.reset()
    assert in_batches(function, rows, rows, 2)["anls_star"] == 1.0


NUMBERS = np.zeros((2, 5), dtype=int)
RAGGED = "expected token ids of shape (n, length), got rows of different lengths; pad them with -100"
WANTED = r"expected token ids of shape \(n, length\), got"
FAULTY: list[tuple[Any, Any, type[Exception], str]] = [  # what comes as a second batch
    (np.zeros((2, 5, 9)), None, TypeError, r"predictions: .* float64 of shape \(2, 5, 9\); set predict_with_generate"),
    (np.zeros((2, 5)), None, TypeError, f"predictions: {WANTED} float64"),
    (np.zeros(5, dtype=int), None, TypeError, r"predictions: .* got int64 of shape \(5,\)"),
    (np.full((2, 5), -1), None, TypeError, "predictions: expected token ids"),
    (NUMBERS, None, TypeError, f"label_ids: {WANTED} NoneType"),
    ([[1, 2], [3]], NUMBERS, TypeError, f"predictions: {re.escape(RAGGED)}"),
    ([[[1, 2], [3]], NUMBERS], NUMBERS, TypeError, f"predictions: {re.escape(RAGGED)}"),
    (NUMBERS, [np.array([1, 2]), np.array([3])], TypeError, f"label_ids: {re.escape(RAGGED)}"),
    (NUMBERS, np.zeros((3, 5), dtype=int), ValueError, "as many predictions as label_ids, got 2 and 3"),
]


@pytest.mark.parametrize(("found", "labels", "error", "message"), FAULTY)
def test_after_an_error_nothing_is_left(
    found: Any, labels: Any, error: type[Exception], message: str, tokenizer: Any
) -> None:
    function = compute_metrics(tokenizer, rows=3)
    right, wrong = tokens(tokenizer, ['{"a": "x"}'] * 3), tokens(tokenizer, ['{"a": "y"}'])
    assert function(prediction(wrong, right[:1]), compute_result=False) == {}
    with pytest.raises(error, match=message):
        function(prediction(found, labels))
    assert function(prediction(right, right))["anls_star"] == 1.0


@pytest.mark.parametrize("option", ["rows", "references"])
@pytest.mark.parametrize("count", [2, 4])
def test_rows_are_as_many_as_was_said(count: int, option: str, tokenizer: Any) -> None:
    """One process fills up no batch, whatever the rows behind the last one are."""
    given: Any = {"rows": count, "references": ["x"] * count}[option]
    function = compute_metrics(tokenizer, parse=None, **{option: given})
    texts = tokens(tokenizer, ["x"] * 4)
    with pytest.raises(ValueError, match=f"^{option}: expected {count} rows in the evaluation set, got 3$"):
        function(prediction(texts[:3], texts[:3]))
    assert function(prediction(texts[:count], texts[:count]))["anls_star"] == 1.0


def test_rows_of_one_process_may_end_as_they_begin(tokenizer: Any) -> None:
    texts = tokens(tokenizer, ["yes", "no", "yes"])
    assert compute_metrics(tokenizer, parse=None)(prediction(texts, texts))["anls_star"] == 1.0


def test_references_in_another_order_are_refused(tokenizer: Any) -> None:
    """A Trainer that groups by length sorts its rows; labels, where they are the references, tell."""
    truths = [{"a": "x", "b": 1}, {"a": "long"}]
    rows = tokens(tokenizer, ['{"a": "long"}', '{"b": 1, "a": "x"}'])
    function = compute_metrics(tokenizer, references=truths)
    for labels in (rows[::-1], rows[[0, 0]], None, np.zeros((2, 3))):
        assert function(prediction(rows[::-1], labels))["anls_star"] == 1.0
    with pytest.raises(ValueError, match="references: expected the order of the labels"):
        in_batches(function, rows, rows, 1)


def test_references_that_are_json_text_or_of_another_split_are_told(tokenizer: Any) -> None:
    """Labels that differ from a few references, such as those of another notation, are not."""
    texts = [json.dumps({"a": letter * 5}) for letter in "abcdefghijkl"]
    rows = tokens(tokenizer, texts)
    with pytest.raises(
        ValueError, match=r"^references: 12 of 12 texts are documents .* add parse_references=.json. to"
    ):
        compute_metrics(tokenizer, references=texts)(prediction(rows, None))
    assert compute_metrics(tokenizer, references=texts, parse_references="json")(prediction(rows))["anls_star"] == 1.0
    truths = [json.loads(text) for text in texts]
    with pytest.warns(UserWarning, match="references: 12 of 12 have an ANLS[*] score below 0.5 against their labels"):
        compute_metrics(tokenizer, references=[{"a": "other"}] * 12)(prediction(rows, rows))
    assert compute_metrics(tokenizer, references=[*truths[:-2], *truths[:2]])(prediction(rows, rows))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("change", "options"),
    [
        ({}, {"parse_references": "json"}),
        ({}, {"parse_references": "repair", "parse": "json"}),
        ({"source": "a long text", "pages": ["another one"]}, {"ignore_keys": ["source", "pages"]}),
        ({"source": None}, {"ignore_keys": ["source"], "parse_references": "json"}),
    ],
)
def test_labels_are_compared_with_references_as_they_are_scored(change: Any, options: Any, tokenizer: Any) -> None:
    """References that are texts are parsed, and ignored keys left out: no warning says that they differ."""
    truths = [{"a": letter * 5} for letter in "abcdefghijkl"]
    rows = tokens(tokenizer, list(map(json.dumps, truths)))
    given = [truth | change for truth in truths]
    references = [json.dumps(each) for each in given] if "parse_references" in options else given
    function = compute_metrics(tokenizer, references=references, **options)
    assert function(prediction(rows, rows))["anls_star"] == 1.0
    with pytest.raises(ValueError, match="references: expected the order of the labels"):
        function(prediction(rows[::-1], rows[::-1]))


def test_labels_that_cannot_be_read_are_told(tokenizer: Any) -> None:
    """One is cut off and one is no JSON; both are used as the predictions would be."""
    whole = tokens(tokenizer, ['{"a": "x"}'] * 3)
    labels = tokens(tokenizer, ['{"a": "x"}', '{"a": "x"', "x"])
    with pytest.warns(
        UserWarning, match="label_ids: 2 of 3 cannot be parsed with parse='repair', such as row 1: '{\"a\": \"x\"'"
    ) as told:
        result = compute_metrics(tokenizer, parse="repair")(prediction(whole, labels))
    assert [each.filename for each in told] == [__file__]
    assert result["anls_star"] == 2 / 3


WRONG: list[tuple[Any, dict[str, Any], type[Exception], str]] = [
    (object(), {}, TypeError, "expected a tokenizer or a processor with batch_decode, got object"),
    (None, {"parse": "donut"}, TypeError, "parse: expected a processor with token2json for 'donut', got "),
    (
        None,
        {"parse": "yaml"},
        ValueError,
        "parse: expected None, 'auto', 'text', 'json', 'repair' or 'donut', got 'yaml'",
    ),
    (None, {"references": {"a": "x"}}, TypeError, "references: expected a list of rows, got dict"),
    (None, {"references": ["x"], "rows": 2}, ValueError, "rows: expected 1, one for each reference, got 2"),
    (None, {"rows": 0}, ValueError, "rows: expected an integer of at least 1, got 0"),
    (None, {"references": ["{"], "parse_references": "json"}, ValueError, "row '0'.*"),
]


@pytest.mark.parametrize(("processor", "options", "error", "message"), WRONG)
def test_wrong_options_are_told_before_the_training(
    processor: Any, options: dict[str, Any], error: type[Exception], message: str, tokenizer: Any
) -> None:
    with pytest.raises(error, match=message):
        compute_metrics(processor or tokenizer, **options)


@golden("transformers", "markup")
def test_donuts_markup_is_read_by_the_processor(text: str, value: Any, tokenizer: Any) -> None:
    """A DonutProcessor of transformers, with keys as special tokens, as Donut's training adds them."""
    tokenizer.add_tokens([*KEYS, "<s_receipt>", "<sep/>"], special_tokens=True)
    donut = transformers.DonutProcessor(transformers.DonutImageProcessor(), tokenizer)
    function = compute_metrics(donut, references=[value or {"other": "a long text"}], parse="donut")
    actual = [tokenizer.bos_token_id, *tokenizer(text)["input_ids"], tokenizer.eos_token_id, -100, -100]
    result = function(prediction(np.array([actual])))
    assert (result["anls_star"], result["parse_failure_rate"]) == ((0.0, 1.0) if value is None else (1.0, 0.0))


def test_logits_become_tokens_where_there_are_labels() -> None:
    """A decoder's logits at a place are of the next token."""
    logits = torch.eye(6)[torch.tensor([[3, 1, 4, 1], [5, 2, 5, 3]])]
    labels = torch.tensor([[-100, 3, 1, 4], [5, 2, -100, -100]])
    both = [preprocess_logits_for_metrics(each, labels).tolist() for each in (logits, (logits, torch.zeros(2, 4, 8)))]
    assert both == [[[-100, 1, 4, 1], [5, 2, -100, -100]]] * 2
    assert preprocess_logits_for_metrics(logits, labels, causal=True).tolist() == [
        [-100, 3, 1, 4],
        [-100, 5, -100, -100],
    ]
    assert preprocess_logits_for_metrics(logits, None).tolist() == [[3, 1, 4, 1], [5, 2, 5, 3]]
    generated = torch.tensor([[3, 1]])
    assert preprocess_logits_for_metrics(generated, labels) is generated


def test_a_real_training_raises_the_score(tmp_path: Path) -> None:
    """The example as it is run, with its defaults; the score begins near 0."""
    printed = run_python(ROOT / "examples" / "training" / "train_receipts.py", "--output", tmp_path)
    scores = re.findall(r"step (\d+): eval_anls_star ([\d.]+)", printed)
    assert [step for step, _ in scores] == ["0", "50", "100", "150"]
    assert float(scores[-1][1]) > float(scores[0][1]) + 0.2, printed
    assert "eval_anls_star/items[].price" in printed
    assert (tmp_path / "model.safetensors").exists()

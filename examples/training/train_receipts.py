"""Train a tiny encoder-decoder on invented receipts and watch `eval_anls_star` rise.

Nothing is downloaded: the tokenizer is built here, and the model, a T5 of 0.2 million weights, begins with random ones.

    python examples/training/train_receipts.py [--steps N] [--output DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
import time
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    PrinterCallback,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    TrainerCallback,
    set_seed,
)

from docscore.integrations.transformers import compute_metrics

SPECIAL = ["<pad>", "</s>", "<unk>"]
SHOPS = ["Harbour Tea", "Mill Bakery", "Corner Books", "North Cafe", "Green Grocer", "Old Pharmacy"]
GOODS = ["tea", "cake", "milk", "bread", "soap", "apples", "paper", "honey"]
SHOWN = ["anls_star", "anls_star/shop", "anls_star/items[].name", "anls_star/items[].price", "parse_failure_rate"]


def receipt(rng: random.Random) -> tuple[str, dict[str, Any]]:
    """The text of a receipt, and what is to be extracted from it."""
    items = [{"name": name, "price": price(rng)} for name in rng.sample(GOODS, rng.randint(1, 2))]
    shop, date = rng.choice(SHOPS), f"{rng.randint(1, 28):02}.{rng.randint(1, 12):02}.24"
    lines = [shop, f"date {date}", *(f"{each['name']} {each['price']}" for each in items), "thank you"]
    return "\n".join(lines), {"shop": shop, "date": date, "items": items}


def price(rng: random.Random) -> str:
    """A price such as 2.50."""
    return f"{rng.randint(1, 9)}.{rng.choice(['00', '50', '90'])}"


def tokenizer_for(texts: list[str]) -> PreTrainedTokenizerFast:
    """A tokenizer of words, numbers and what is between them, which gives back every text as it was."""
    core = Tokenizer(models.WordLevel(unk_token="<unk>"))  # noqa: S106  no password
    core.pre_tokenizer = pre_tokenizers.Split(Regex(r"[A-Za-z]+|[0-9]+|[^A-Za-z0-9]+"), "isolated")
    core.decoder = decoders.Fuse()
    words = sorted({word for text in texts for word, _ in core.pre_tokenizer.pre_tokenize_str(text)})
    core.model = models.WordLevel({word: number for number, word in enumerate(SPECIAL + words)}, unk_token="<unk>")  # noqa: S106
    core.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")  # noqa: S106


def model_for(tokenizer: PreTrainedTokenizerFast) -> T5ForConditionalGeneration:
    """A T5 with random weights."""
    config = T5Config(
        vocab_size=len(tokenizer),
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        dropout_rate=0.0,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )
    return T5ForConditionalGeneration(config)


class Progress(TrainerCallback):  # type: ignore[misc]
    """Prints a line a scoring."""

    def on_evaluate(self, _args: Any, state: Any, _control: Any, metrics: dict[str, float], **_: Any) -> None:
        """Print figures of `compute_metrics`, which have a prefix here and are the same in all processes."""
        if not state.is_world_process_zero:
            return
        names = [f"eval_{name}" for name in SHOWN]
        shown = [f"{name} {metrics[name]:.3f}" for name in names if name in metrics]
        print(f"step {state.global_step}:", ", ".join(shown), flush=True)


def arguments_for(steps: int, output: str, length: int) -> Seq2SeqTrainingArguments:
    """Steps on the CPU, with generated answers of so many tokens at most."""
    return Seq2SeqTrainingArguments(
        output_dir=output,
        max_steps=steps,
        per_device_train_batch_size=32,
        per_device_eval_batch_size=64,
        learning_rate=5e-3,
        eval_strategy="steps",
        eval_steps=max(1, steps // 3),
        logging_strategy="no",
        save_strategy="no",
        report_to=[],
        predict_with_generate=True,
        generation_max_length=length,
        use_cpu=True,
        disable_tqdm=True,
    )


def trainer_for(steps: int, output: str) -> Seq2SeqTrainer:
    """A Trainer that generates answers and scores them three times on the way."""
    set_seed(0)
    rng = random.Random(0)
    receipts = [receipt(rng) for _ in range(1064)]
    answers = [json.dumps(truth) for _, truth in receipts]
    tokenizer = tokenizer_for([text for text, _ in receipts] + answers)
    rows = [
        {**tokenizer(text, return_token_type_ids=False), "labels": tokenizer(answer)["input_ids"]}
        for (text, _), answer in zip(receipts, answers, strict=True)
    ]
    model = model_for(tokenizer)
    trainer = Seq2SeqTrainer(
        model=model,
        args=arguments_for(steps, output, max(len(row["labels"]) for row in rows) + 1),
        train_dataset=rows[64:],
        eval_dataset=rows[:64],
        data_collator=DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
        compute_metrics=compute_metrics(tokenizer, references=[truth for _, truth in receipts[:64]], parse="repair"),
        callbacks=[Progress()],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def main() -> None:
    """Score, train with scores on the way, and print how they went."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--output", help="where the trained model is written; by default nowhere")
    options = parser.parse_args()
    torch.set_num_threads(1)  # a model this small gains nothing from more
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        trainer = trainer_for(options.steps, options.output or folder)
        trainer.evaluate()
        trainer.train()
        if options.output:
            trainer.save_model()
    print(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()

"""Letters of the humanities data benchmark: micro and macro F1 of dates, senders and receivers.

    git clone https://github.com/Sveburk/humanities_data_benchmark
    python -m dev.studies.humanities humanities_data_benchmark

Commit 1c01c03 of 2025. The published figures come from `results/2025-04-*/T*/scoring.json`. As its authors do,
persons in angle brackets and "None" are dropped from the ground truths, a variant of `persons.json` of an expected
person is that person's name, distinct persons count, and the first of several dates. docscore counts the entities:
micro F1 is its Entity F1, macro F1 the mean over the three fields.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import docscore
from docscore.core.numbers import ROUNDING
from docscore.inputs.model_text import parse_text

FIELDS = ("send_date", "sender_persons", "receiver_persons")


def persons_in(value: Any) -> list[str | None]:
    """Return the names in a list of persons, or in a text with "|" between several persons."""
    names = value.split("|") if isinstance(value, str) else value or []
    return [name.strip() if isinstance(name, str) else None for name in names]


def expected_in(letter: dict[str, Any]) -> dict[str, list[str]]:
    """Return the date and the distinct persons of a ground truth."""
    expected = {"send_date": letter["send_date"][:1]}
    for field in FIELDS[1:]:
        names = dict.fromkeys(name for name in persons_in(letter[field]) if name is not None)
        expected[field] = [
            name for name in names if name != "None" and not (name.startswith("<") and name.endswith(">"))
        ]
    return expected


def answered_in(
    letter: dict[str, Any], expected: dict[str, list[str]], variants: dict[str, set[str]]
) -> dict[str, Any]:
    """Return the date and the distinct persons of an answer, each under the expected name."""
    date = letter.get("send_date")
    date = date[0] if isinstance(date, list) and date else date
    answered: dict[str, Any] = {"send_date": [] if date in (None, "null", []) else [date]}
    for field in FIELDS[1:]:
        names = []
        for name in persons_in(letter.get(field)):
            known = next((other for other in expected[field] if name == other or name in variants.get(other, ())), name)
            names.append(known)
        answered[field] = [name for name in dict.fromkeys(names) if name not in (None, "null")]
    return answered


def read_answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """Return the letter of a request; None if its answer is no JSON object, which the published figures leave out."""
    answer = request.get("response_text")
    if isinstance(answer, str):
        answer = parse_text(answer, "repair").value
    return answer.get("metadata", answer) if isinstance(answer, dict) else None


def run_of(folder: Path, truths: dict[str, Any], variants: dict[str, set[str]]) -> docscore.Evaluation:
    """Return the entities of a run, over the letters whose answers can be read."""
    predictions, references = {}, {}
    for path in sorted(folder.glob("request_*.json")):
        name = path.stem.rpartition("_")[2]
        answer = read_answer(json.loads(path.read_text("utf-8")))
        if name in truths and answer is not None:
            references[name] = expected_in(truths[name])
            predictions[name] = answered_in(answer, references[name], variants)
    return docscore.evaluate(predictions=predictions, references=references, metrics=["entity_f1"])


def main() -> None:
    """Print the published figures of each run next to the figures by docscore."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("clone", type=Path)
    clone = parser.parse_args().clone
    folder = clone / "benchmarks" / "metadata_extraction" / "ground_truths"
    truths = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("letter[0-9]*.json")}
    persons = json.loads((folder / "persons.json").read_text("utf-8"))
    variants = {person["name"]: {name for name in person["alternateName"] if name} for person in persons}
    print("| run | letters | micro F1 | published | macro F1 | published |\n|---|---:|---:|---:|---:|---:|")
    same = runs = 0
    for path in sorted((clone / "results").glob("2025-04-*/T*/scoring.json")):
        scoring = json.loads(path.read_text("utf-8"))
        if "f1_micro" not in scoring:
            continue
        evaluation = run_of(path.parent, truths, variants)
        table = evaluation.fields.to_dict()
        scores = dict(zip(table["field"], table["score"], strict=True))
        macro = sum(scores.get(field, 0.0) for field in FIELDS) / len(FIELDS)
        pairs = (evaluation.score, scoring["f1_micro"]), (macro, scoring["f1_macro"])
        runs += 1
        same += all(abs(ours - theirs) < ROUNDING for ours, theirs in pairs)
        name = path.parent.relative_to(clone / "results").as_posix()
        cells = " | ".join(f"{ours:.4f} | {theirs:.4f}" for ours, theirs in pairs)
        print(f"| {name} | {len(evaluation)} | {cells} |")
    print(f"\n{same} of {runs} runs have the published figures.")


if __name__ == "__main__":
    main()

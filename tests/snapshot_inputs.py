"""The test sets of the snapshot: files of ground truths and of predictions, and the options that they are read with."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from tests.commands import RECEIPTS, pred, ref, rows

FENCED = 'Here you are:\n```json\n{"total": "12.50", "items": [{"n": "Tea"}]}\n```\nAnything else?'
RAW = r'"\ud83d and \u001b[31m"'  # a lone surrogate, and a sequence that would steer a terminal


class Case(NamedTuple):
    """Files of a test set by name, and the options of the command and of Python that they are read with.

    Attributes:
        references: the content of the file of ground truths: text, bytes, or rows.
        predictions: the content of the file of predictions.
        new: that of a second system; without one the ground truths' predictions are compared with themselves.
        names: of the two files.
        flags: of the command.
        options: the same as keywords of `docscore.evaluate`.
        schema: a JSON Schema, in `schema.json`.
    """

    references: Any
    predictions: Any
    new: Any = None
    names: tuple[str, str] = ("r.jsonl", "p.jsonl")
    flags: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    schema: Mapping[str, Any] | None = None


def by_id(pairs: Mapping[str, tuple[Any, Any]], **others: Any) -> Case:
    """Rows by id from the ground truth and the prediction of each."""
    return Case(
        [ref(name, truth) for name, (truth, _) in pairs.items()],
        [pred(name, answer) for name, (_, answer) in pairs.items()],
        **others,
    )


TRUTHS = list(islice(rows(RECEIPTS / "references.jsonl"), 7))


def receipts(name: str) -> list[dict[str, Any]]:
    """The rows of an example for the first receipts."""
    ids = {row["question_id"] for row in TRUTHS}
    return [row for row in rows(RECEIPTS / name) if row["question_id"] in ids]


ANSWERS = receipts("predictions.jsonl")
NEW = receipts("predictions_new.jsonl")
QUESTIONS = [("tea", "Tea"), ("12.50", "12.5"), ("rum", "gin"), ("2024-03-12", "12.03.2024"), ("", None)]
INVOICES: list[tuple[Any, Any]] = [
    ({"total": "12.50", "items": [{"n": "Tea"}, {"n": "Rum"}]}, {"total": "12.5", "items": [{"n": "Rum"}]}),
    ({"total": "8", "vendor": {"name": "Ace"}}, {"total": "8", "vendor": {"name": "Ace Ltd"}, "note": "x"}),
    ({"total": None, "items": []}, {"total": "0", "items": None}),
]


def csv(header: str, lines: Iterable[str]) -> str:
    return "\n".join([header, *lines]) + "\n"


def nested(depth: int) -> Any:
    value: Any = "leaf"
    for _ in range(depth):
        value = {"a": [value]}
    return value


def spread(column: str, values: Iterable[str]) -> list[dict[str, Any]]:
    """The receipts' ground truths with a further column."""
    return [{**row, column: value} for row, value in zip(TRUTHS, values, strict=True)]


TEST_SETS: dict[str, Case] = {
    "receipts": Case(TRUTHS, ANSWERS, NEW),
    "receipts with a schema": Case(
        TRUTHS,
        ANSWERS,
        NEW,
        flags=("--schema", "schema.json"),
        options={"schema": "schema.json"},
        schema=json.loads((RECEIPTS / "schema.json").read_text("utf-8")),
    ),
    "chat text, mended": Case(
        TRUTHS,
        receipts("predictions_text.jsonl"),
        NEW,
        flags=("--parse", "repair"),
        options={"parse": "repair"},
    ),
    "confidences": Case(
        TRUTHS,
        receipts("predictions_confident.jsonl"),
        ANSWERS,
        flags=("--with-confidences",),
        options={"with_confidences": True},
    ),
    "clusters and slices": Case(
        spread("shop", "aabbcca"), ANSWERS, NEW, flags=("--cluster", "shop"), options={"cluster": "shop"}
    ),
    "metrics of documents": by_id(
        dict(zip("abc", INVOICES, strict=True)),
        flags=("--metrics", "anls_star,kieval,entity_f1,nted"),
        options={"metrics": ["anls_star", "kieval", "entity_f1", "nted"]},
    ),
    "metrics of texts": by_id(
        {f"q{i}": pair for i, pair in enumerate(QUESTIONS)},
        flags=("--metrics", "anls,anlsl,kieval"),
        options={"metrics": ["anls", "anlsl", "kieval"]},
    ),
    "a metric of texts for documents": by_id(
        {"a": INVOICES[0]}, flags=("--metrics", "anls"), options={"metrics": ["anls"]}
    ),
    "questions of SQuAD": Case(
        [{"question_id": "a", "answers": ["tea", "black tea"]}, {"question_id": "b", "answers": ["5"]}],
        [{"question_id": "a", "prediction_text": "black  tea"}, {"question_id": "b", "prediction_text": "five"}],
    ),
    "plain documents as JSONL": Case([t for t, _ in INVOICES], [p for _, p in INVOICES]),
    "plain documents as JSON": Case([t for t, _ in INVOICES], [p for _, p in INVOICES], names=("r.json", "p.json")),
    "two documents": Case(INVOICES[0][0], INVOICES[0][1], names=("r.json", "p.json")),
    "CSV with its own columns": Case(
        csv("doc;truth;kind", ["a;tea;x", "b;rum;y", "c;;x"]),
        csv("doc;answer", ["c;", "b;run", "a;tea"]),
        names=("r.csv", "p.csv"),
        flags=("--id-column", "doc", "--references-column", "truth", "--prediction-column", "answer"),
        options={"id_column": "doc", "references_column": "truth", "prediction_column": "answer"},
    ),
    "CSV with columns that nobody names": Case(
        csv("doc,truth", ["a,tea", "b,rum"]), csv("doc,answer", ["a,tea", "b,run"]), names=("r.csv", "p.csv")
    ),
    "Parquet": Case(
        [ref("a", {"n": "x", "v": 1.5}), ref("b", {"n": "y", "v": 2.0})],
        [pred("b", {"n": "y", "v": 2.0}), pred("a", {"n": "z", "v": 1.0})],
        names=("r.parquet", "p.parquet"),
    ),
    "JSON text on both sides": by_id(
        {"a": ('{"total": "12.50"}', '{"total": "12.50", "x": "1"}'), "b": ('{"total": 1}', '{"total": 2}')}
    ),
    "JSON text on both sides, read": by_id(
        {"a": ('{"total": "12.50"}', '{"total": "12.50", "x": "1"}'), "b": ('{"total": 1}', '{"total": 2')},
        flags=("--parse", "json", "--parse-references", "json"),
        options={"parse": "json", "parse_references": "json"},
    ),
    "model texts": by_id(
        {
            "fenced": ({"total": "12.50", "items": [{"n": "Tea"}]}, FENCED),
            "cut off": ({"total": "12.50", "items": [{"n": "Tea"}]}, '{"total": "12.50", "items": [{"n": "Te'),
            "python": ({"a": True, "b": None}, "{'a': True, 'b': None,}"),
            "refusal": ({"a": "x"}, "I cannot read this."),
            "empty": ({"a": "x"}, ""),
        },
        flags=("--parse", "repair"),
        options={"parse": "repair"},
    ),
    "wrong ids": Case([ref("a", "tea"), ref("b", "rum")], [pred("a", "tea"), pred("c", "rum")]),
    "an id twice": Case([ref("a", "tea"), ref("a", "rum")], [pred("a", "tea"), pred("a", "rum")]),
    "missing predictions": Case([ref(i, "tea") for i in "abc"], [pred("b", "tea")]),
    "missing predictions as null": Case(
        [ref(i, {"drink": "tea"}) for i in "abc"],
        [pred("b", {"drink": "tea"})],
        flags=("--missing", "zero"),
        options={"missing": "zero"},
    ),
    "missing predictions left out": Case(
        [ref(i, "tea") for i in "abc"],
        [pred("b", "ten"), pred("a", "tea")],
        flags=("--missing", "skip"),
        options={"missing": "skip"},
    ),
    "malformed lines": Case(
        '{"question_id": "a", "references": ["x"]}\n{"question_id": "b", "refer\n', '{"question_id": "a"}\n[1, 2\n'
    ),
    "malformed lines left out": Case(
        '{"question_id": "a", "references": ["x"]}\n{"question_id": "b", "references": ["y"]}\n',
        '{"question_id": "b", "prediction": "y"}\n[1, 2\n{"question_id": "a", "prediction": "x"}\nnull\n',
        flags=("--on-error", "skip", "--missing", "zero"),
        options={"on_error": "skip", "missing": "zero"},
    ),
    "numbers": Case(
        '{"question_id": "a", "references": [1000.0]}\n{"question_id": "b", "references": [{"n": 1e400, "m": 0.10}]}\n'
        '{"question_id": "c", "references": [-0.0]}\n{"question_id": "d", "references": [12345678901234567890123]}\n',
        '{"question_id": "a", "prediction": 1000}\n{"question_id": "b", "prediction": {"n": NaN, "m": 0.1}}\n'
        '{"question_id": "c", "prediction": 0}\n{"question_id": "d", "prediction": "12345678901234567890123"}\n',
    ),
    "numbers by value": by_id(
        {"a": (1000.0, "1000"), "b": ({"n": 1e5, "m": 0.1}, {"n": "100000", "m": 0.10}), "c": ("1", True)},
        flags=("--numbers", "value"),
        options={"numbers": "value"},
    ),
    "one-of": by_id(
        {
            "a": ({"c": {"$one_of": ["EUR", "€"]}, "d": {"$one_of": ["", "x"]}}, {"c": "€"}),
            "b": ([{"$one_of": [["x", "y"], "z"]}], [["y", "x"]]),
            "c": ({"$one_of": ["x", {"y": "x"}]}, "X"),
        }
    ),
    "one-of without options": by_id({"a": ({"$one_of": []}, "x")}),
    "alternatives": Case([ref("a", "tea", ["tea"], {"t": "tea"}), ref("b")], [pred("a", ["tee"]), pred("b", 1)]),
    "deep": by_id({"a": (nested(99), nested(98)), "b": (nested(4), nested(4))}),
    "too deep": by_id({"a": (nested(150), "x")}),
    "swapped sides": Case([pred(i, "tea") for i in "ab"], [ref(i, "tea") for i in "ab"]),
    "hostile text": Case(
        f'{{"question_id": "a", "references": [{RAW}]}}\n', f'{{"question_id": "a", "prediction": {{{RAW}: {RAW}}}}}\n'
    ),
    "empty files": Case("", ""),
    "empty lists": Case([], [], names=("r.json", "p.json")),
    "a file that is not there": Case(None, [pred("a", "x")]),
    "an unknown kind": Case("x", "y", names=("r.txt", "p.doc")),
    "the rules of the package": by_id(
        {"a": ({"n": "x"}, {"n": "x", "m": None}), "b": ({"n": "X"}, {"n": "x"})},
        flags=("--rules", "anls_star-1.0.1", "--case-sensitive", "--threshold", "0.8"),
        options={"rules": "anls_star-1.0.1", "ignore_case": False, "threshold": 0.8},
    ),
}


def write(case: Case, folder: Path) -> tuple[Path, Path, Path]:
    """Write the files of a test set; those of the ground truths, of the predictions and of the second system."""
    second = Path(case.names[1])
    names = (*case.names, f"{second.stem}_new{second.suffix}")
    contents = case.references, case.predictions, case.new
    if case.new is None:
        contents = *contents[:2], case.predictions
    for name, content in zip(names, contents, strict=True):
        if content is not None:
            _write_file(folder / name, content)
    if case.schema is not None:
        _write_file(folder / "schema.json", case.schema)
    return Path(names[0]), Path(names[1]), Path(names[2])


def _write_file(path: Path, content: Any) -> None:
    if path.suffix == ".parquet":
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import parquet  # noqa: PLC0415

        parquet.write_table(pa.Table.from_pylist(content), path)
    elif isinstance(content, str):
        path.write_text(content, "utf-8", newline="")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in content), "utf-8", newline="")
    else:
        path.write_text(json.dumps(content), "utf-8")


# Texts of the two editors of the page; the page's programs get the values where both are JSON.
PAIRS: dict[str, tuple[str, str]] = {
    "invoice": (json.dumps(INVOICES[0][0]), json.dumps(INVOICES[0][1])),
    "vendor": (json.dumps(INVOICES[1][0]), json.dumps(INVOICES[1][1])),
    "nothing": (json.dumps(INVOICES[2][0]), json.dumps(INVOICES[2][1])),
    "receipt": (json.dumps(TRUTHS[0]["references"][0]), json.dumps(ANSWERS[0]["prediction"])),
    "text": ('"tea"', '"Tee"'),
    "number": ("1000.0", "1000"),
    "large number": ('{"n": 1e400}', '{"n": 12345678901234567890123}'),
    "null": ("null", '""'),
    "one-of": ('{"$one_of": ["€", "EUR"]}', '"eur"'),
    "bad one-of": ('{"$one_of": []}', '"eur"'),
    "JSON text": ('"[1]"', '"[1]"'),
    "chat text": ('{"total": "12.50"}', FENCED),
    "cut off": ('{"total": "12.50"}', '{"total": "12.5'),
    "no JSON": ('{"total": "12.50"}', "I cannot read this."),
    "damaged ground truth": ('{"total": ', "{}"),
    "nothing at all": ("", ""),
    "a key twice": ('{"a": 1, "a": 2}', '{"a": 1}'),
    "too deep": ("[" * 201 + "]" * 201, "1"),
    "hostile": ('"<script>alert(1)</script>"', '{"<b>": "<img src=x onerror=alert(1)>"}'),
}

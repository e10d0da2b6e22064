"""The table of the keys of results, and `python -m dev.scripts.describe_results`, which writes it into files.

The files are the docstrings of the evaluate modules, their cards, and `docs/schemas/score.json`. Keys that only the
command has are described by hand in `docs/schemas/`. `tests/test_results.py` compares the table with real results.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
NUMBER: Schema = {"type": "number"}
NUMBER_OR_NONE: Schema = {"type": ["number", "null"]}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
SHARE_OR_NONE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
INTERVAL: Schema = {"type": ["array", "null"], "items": NUMBER, "minItems": 2, "maxItems": 2}
IDS: Schema = {"type": "array", "items": TEXT}
ROWS: Schema = {"type": "array"}
DICT: Schema = {"type": "object"}


def dict_of(values: Schema) -> Schema:
    """Return the schema of a dict whose keys come from the data."""
    return {"type": "object", "additionalProperties": values}


class Key(NamedTuple):
    """A key of a result.

    Attributes:
        text: what its value is.
        form: the JSON Schema of its value.
        option: the arguments of `compute` that add the key; "" if it is always there, None if modules do not have it.
        flag: when `docscore score --json` has the key; "" if always, None if never.
        keys: the keys of its value, a dict, or of each dict in it, if it is a list.
    """

    text: str
    form: Schema
    option: str | None = ""
    flag: str | None = ""
    keys: Mapping[str, Key] = {}


PARSE, REPAIR = '`parse="json"` or `parse="repair"`', '`parse="repair"`'
ENDS = {
    "low": Key("the lower end of its interval, or None", NUMBER_OR_NONE, "`confidence`"),
    "high": Key("the upper end of its interval, or None", NUMBER_OR_NONE, "`confidence`"),
    "interval_note": Key(
        "why there is no interval, or by which other method it was computed; empty otherwise", TEXT, "`confidence`"
    ),
}
IN_TREES = "with a primary metric that has score trees"
FIELD = {
    "field": Key("the path of the field without indices, such as `items[].price`", TEXT),
    "score": Key("its score over all documents, from 0 to 1", SHARE),
    **ENDS,
    "points_lost": Key("its part of 1 - score; the parts of all fields add up to 1 - score", NUMBER),
    "documents": Key("the number of documents that have the field", COUNT),
    "exact": Key("the number of values that earn all points", COUNT, flag=IN_TREES),
    "partial": Key("the number of values that earn some points", COUNT, flag=IN_TREES),
    "wrong": Key("the number of values that earn no points", COUNT, flag=IN_TREES),
    "wrong_type": Key("the number of values of another type, such as a list for a text", COUNT, flag=IN_TREES),
    "missing": Key("the number of expected values that are not predicted", COUNT, flag=IN_TREES),
    "extra": Key("the number of predicted values that are not expected", COUNT, flag=IN_TREES),
    "omission_rate": Key(
        "the share of the expected values that are missing, or None if none is expected", SHARE_OR_NONE, flag=IN_TREES
    ),
    "hallucination_rate": Key(
        "the share of the predicted values that are extra, or None if none is predicted", SHARE_OR_NONE, flag=IN_TREES
    ),
}
LIST = {
    "field": Key("the path of its rows, such as `items[]`", TEXT),
    "lists": Key("the number of lists at this path that have rows on at least one side", COUNT),
    "expected": Key("the number of rows in the ground truths", COUNT),
    "predicted": Key("the number of rows in the predictions", COUNT),
    "paired": Key(
        "the number of expected rows whose partner earns at least half of the row's points, or has the same `key`",
        COUNT,
    ),
    "precision": Key("paired / predicted, or None if no row is predicted", SHARE_OR_NONE),
    "recall": Key("paired / expected, or None if no row is expected", SHARE_OR_NONE),
    "right": Key("the number of expected rows that lose no points", COUNT),
    "cut_off": Key("the number of lists that were cut off", COUNT),
    "cut_rows": Key("the number of expected rows after the cuts", COUNT),
    "cut_points": Key("the part of 1 - score that these rows lose", {"type": "number", "minimum": 0}),
}
RATE = {
    "rate": Key("what is counted, such as `missing values`", TEXT),
    "value": Key("hits / total, or None if the total is 0", SHARE_OR_NONE),
    **ENDS,
    "hits": Key("the number of documents or values that are counted", COUNT),
    "total": Key("the number of all documents or values", COUNT),
}
FILLED = {
    "field": Key("the path of the field, such as `items[].vat`", TEXT),
    "value": Key("hits / total", SHARE_OR_NONE),
    **ENDS,
    "hits": Key("the number of places in `total` that the predictions fill", COUNT),
    "total": Key("the number of places that are empty in the ground truths, or absent and named by a schema", COUNT),
}
SAMPLE = {
    "question_id": Key("the id of the row; of rows without ids, its number as text", TEXT),
    "anls_score": Key(
        "the score of the row, from 0 to 1", SHARE, flag="with ANLS*, ANLS or ANLSL as the primary metric"
    ),
    **{
        name: Key("the score of the row", SHARE, None, "with this primary metric")
        for name in ("typed", "kieval", "entity_f1", "nted")
    },
    "grounding": Key(
        "the score of the row; null for a row without evidence", SHARE_OR_NONE, None, "with this primary metric"
    ),
    "parsed": Key(
        "how its text was read: `exact`, `extracted`, `repaired`, `ambiguous` or `failed`; None without a prediction",
        {"type": ["string", "null"]},
        PARSE,
        "with --parse",
    ),
    "parse_note": Key(
        "which of several values was used, what was repaired, or why the text cannot be read; absent if all are empty",
        TEXT,
        PARSE,
        "with --parse",
    ),
    "missing": Key("whether the prediction is missing", FLAG, '`missing="zero"`', "with --missing zero"),
}
PARSED_IDS = {
    "failed": Key("the ids of the texts that parse_failures counts", IDS),
    "extracted": Key("the ids of the texts that parse_extracted counts", IDS, REPAIR, "with --parse repair"),
    "repaired": Key("the ids of the texts that parse_repaired counts", IDS, REPAIR, "with --parse repair"),
    "ambiguous": Key("the ids of the texts that parse_ambiguous counts", IDS, REPAIR, "with --parse repair"),
}
COUNTS = {
    "clusters": Key(
        "the number of groups of rows that are resampled together",
        COUNT,
        "`cluster`",
        "with --cluster or --cluster-of-id, and of several runs",
    ),
    "skipped": Key(
        "the number of references that were left out",
        COUNT,
        '`missing="skip"`',
        "with --missing skip or --on-error skip",
    ),
    "missing": Key(
        "the number of missing predictions, which are scored as null", COUNT, '`missing="zero"`', "with --missing zero"
    ),
    "repeated": Key(
        "the number of rows that several processes have; each counts once", COUNT, "several processes", None
    ),
    "parse_failures": Key("the number of texts that cannot be read as JSON", COUNT, PARSE, "with --parse"),
    "parse_extracted": Key(
        "the number of texts with JSON inside prose or a code fence", COUNT, REPAIR, "with --parse repair"
    ),
    "parse_repaired": Key(
        "the number of texts with JSON that was malformed or cut off, and was repaired",
        COUNT,
        REPAIR,
        "with --parse repair",
    ),
    "parse_ambiguous": Key(
        "the number of texts that can be read in several ways; one of them was used",
        COUNT,
        REPAIR,
        "with --parse repair",
    ),
    "confidences_from": Key(
        "where confidences were found, such as `{value, confidence}`, and whether they are in percent",
        TEXT,
        None,
        "with --with-confidences",
    ),
}
SIGNATURE = {"signature": Key("the settings that make the figures comparable", TEXT, "`signature`")}
COUNTED_VALUES = {
    "unreadable_ground_truths": Key("the number of ground truths that their comparator cannot read", COUNT),
    "unreadable_predictions": Key("the number of predicted values that their comparator cannot read", COUNT),
    "ambiguous_values": Key("the number of values that can be read in several ways", COUNT),
}
TYPED_FIELD = {
    "field": Key("the path of the field", TEXT),
    "typed_score": Key("its typed score over all documents, from 0 to 1", SHARE),
    "compared": Key("how its values are compared, such as `text` or `date`", TEXT),
    "weight": Key("the points possible for its values", NUMBER),
    "values": Key("the number of its values", COUNT),
    **COUNTED_VALUES,
}
CORRECTIONS = {
    "true_positives": Key("the number of entities that are right", COUNT),
    "substitutions": Key("the number of entities to change", COUNT),
    "additions": Key("the number of entities that only the ground truths have", COUNT),
    "deletions": Key("the number of entities that only the predictions have", COUNT),
}
FIGURES = "from 0 (worst) to 1 (best)"
INTERVALS = {
    "confidence_intervals": Key(
        "a dict from each figure to the ends of its interval, or to None", dict_of(INTERVAL), "`confidence`", None
    ),
    "confidence_notes": Key(
        "a dict from each figure without an interval, or with one by another method, to the reason; absent otherwise",
        dict_of(TEXT),
        "`confidence`",
        None,
    ),
}

RESULTS: dict[str, Mapping[str, Key]] = {
    "anls_star": {
        "anls_score": Key(
            f"the mean score of the rows, {FIGURES}", SHARE, flag="with ANLS*, ANLS or ANLSL as the primary metric"
        ),
        "confidence_interval": Key("the ends of the interval of the score, or None", INTERVAL, "`confidence`"),
        "standard_error": Key("the standard error of the score, or None", NUMBER_OR_NONE, "`confidence`"),
        "confidence_note": Key(
            "why there is no interval, or by which other method it was computed; absent otherwise",
            TEXT,
            "`confidence`",
            "if there is such a note",
        ),
        **COUNTS,
        "points_lost": Key(
            "a dict from each cause of lost points to its part of 1 - score; the parts add up to 1 - score",
            dict_of(NUMBER),
            "`key_scores`",
            "with --fields",
        ),
        "key_scores": Key("a list with a dict for each field", ROWS, "`key_scores`", "with --fields", FIELD),
        "lists": Key("a list with a dict for each path of lists", ROWS, "`key_scores`", "with --fields", LIST),
        "rates": Key(
            "a list with a dict for each rate of documents or values", ROWS, "`key_scores`", "with --fields", RATE
        ),
        "filled_although_empty": Key(
            "a list with a dict for each field that is empty in a ground truth",
            ROWS,
            "`key_scores`",
            "with --fields",
            FILLED,
        ),
        "per_sample": Key(
            "a list with a dict for each row, in the order of the references",
            ROWS,
            "`per_sample`",
            "with --rows",
            SAMPLE,
        ),
        "parsed_ids": Key(
            "a dict with the ids of texts",
            DICT,
            '`per_sample` and `parse="json"` or `parse="repair"`',
            "with --rows and --parse",
            PARSED_IDS,
        ),
        **SIGNATURE,
        "typed_score": Key("the mean typed score of the rows, from 0 to 1; it is not ANLS*", SHARE, "`schema`", None),
        **{name: key._replace(option="`schema`", flag=None) for name, key in COUNTED_VALUES.items()},
        "typed_confidence_interval": Key(
            "the ends of the interval of typed_score", INTERVAL, "`schema` and `confidence`", None
        ),
        "typed_fields": Key("a list with a dict for each field", ROWS, "`schema` and `key_scores`", None, TYPED_FIELD),
        "typed_signature": Key("the signature of typed_score", TEXT, "`schema` and `signature`", None),
    },
    "kieval": {
        "kieval_entity_f1": Key(f"F1 of the entities, matched within their groups, {FIGURES}", SHARE),
        "kieval_entity_precision": Key("the share of the predicted entities that are right", SHARE),
        "kieval_entity_recall": Key("the share of the expected entities that are right", SHARE),
        "kieval_group_f1": Key("F1 of the groups; a group is right if all of its entities are", SHARE),
        "kieval_aligned": Key("right entities / (right entities + corrections)", SHARE),
        **CORRECTIONS,
        "groups_right": Key("the number of groups in which all entities are right", COUNT),
        "groups_wrong": Key("the number of groups with a partner in which an entity is wrong", COUNT),
        "groups_missed": Key("the number of groups that only the ground truths have", COUNT),
        "groups_invented": Key("the number of groups that only the predictions have", COUNT),
        **INTERVALS,
        **COUNTS,
        "entities": Key(
            "a list with a dict for each type of entity",
            ROWS,
            "`by_type`",
            None,
            {
                "entity": Key("the path of its keys, such as `menu.price`", TEXT),
                "f1": Key("F1 of its entities", SHARE),
                "precision": Key("the share of its predicted entities that are right", SHARE),
                "recall": Key("the share of its expected entities that are right", SHARE),
                "aligned": Key("right entities / (right entities + corrections)", SHARE),
                **CORRECTIONS,
            },
        ),
        "groups": Key(
            "a list with a dict for each type of group",
            ROWS,
            "`by_type`",
            None,
            {
                "group": Key("the path of its keys, such as `menu`", TEXT),
                "f1": Key("F1 of its groups", SHARE),
                "right": Key("the number of groups in which all entities are right", COUNT),
                "wrong": Key("the number of groups with a partner in which an entity is wrong", COUNT),
                "missed": Key("the number of groups that only the ground truths have", COUNT),
                "invented": Key("the number of groups that only the predictions have", COUNT),
            },
        ),
        **SIGNATURE,
    },
    "entity_f1": {"entity_f1": Key(f"F1 of the values, {FIGURES}", SHARE), **INTERVALS, **COUNTS, **SIGNATURE},
    "nted": {"nted": Key(f"the mean over documents, {FIGURES}", SHARE), **INTERVALS, **COUNTS, **SIGNATURE},
}


def keys_of_module(keys: Mapping[str, Key], place: str = "") -> Iterator[tuple[str, Key]]:
    """Yield the keys that a module can return, by their path, such as `key_scores[].score`."""
    for name, key in keys.items():
        if key.option is not None:
            yield f"{place}{name}", key
            yield from keys_of_module(key.keys, f"{place}{name}{'[]' if key.form is ROWS else ''}.")


def docstring(name: str) -> str:
    """Return what the docstring of a module says about its results."""
    lines = []
    for path, key in keys_of_module(RESULTS[name]):
        indent = " " * (8 if "." in path else 4)
        text = f"{path.rpartition('.')[2]}: {key.text}{key.option and f'; with {key.option}'}."
        lines.append(textwrap.fill(text, 120, initial_indent=indent, subsequent_indent=indent + " " * 4))
    return "Returns:\n" + "\n".join(lines) + "\nExamples:"


def card(name: str) -> str:
    """Return the list of the results of a module for its card."""
    lines: list[str] = []
    known: set[str] = set()
    for path, key in keys_of_module(RESULTS[name]):
        start, listed = " " * 4 * path.count(".") + "* ", f"`{path.rpartition('.')[2]}`"
        option = f" (with {key.option})" if key.option else ""
        is_known = key.text in known and not key.keys
        ending = f"{option}: {'as above' if is_known else key.text}"
        if is_known and lines[-1].endswith(ending):
            lines[-1] = f"{lines[-1].removesuffix(ending)}, {listed}{ending}"
        else:
            lines.append(f"{start}{listed}{ending}")
        known.add(key.text)
    return "\n".join(["", *lines, "", ""])


def schema_of(key: Key, *, of_command: bool) -> Schema:
    """Return the JSON Schema of the value of a key, in the results of the command or of a module."""
    when = key.flag if of_command else key.option
    text = key.text.replace("None", "null")
    described = {"description": f"{when}: {text}" if when else text, **key.form}
    if not key.keys:
        return described
    members = schema_of_all(key.keys, of_command=of_command)
    return described | (members if key.form is DICT else {"items": members})


def schema_of_all(keys: Mapping[str, Key], *, of_command: bool) -> Schema:
    """Return the JSON Schema of a dict with these keys."""
    held = {name: key for name, key in keys.items() if (key.flag if of_command else key.option) is not None}
    always = [name for name, key in held.items() if key.option == "" and key.flag in ("", None)]
    properties = {name: schema_of(key, of_command=of_command) for name, key in held.items()}
    return {"type": "object", "properties": properties, "required": always}


def as_json(value: Any, indent: str = "", room: int = 0) -> str:
    """Return JSON in which a value that fits into a line of 120 characters has one line."""
    line = json.dumps(value, ensure_ascii=False)
    if len(indent) + room + len(line) <= 120 or not isinstance(value, dict | list) or not value:  # noqa: PLR2004
        return line
    inner = f"{indent}  "
    if isinstance(value, dict):
        names = {name: f"{json.dumps(name)}: " for name in value}
        parts = [names[name] + as_json(part, inner, len(names[name]) + 1) for name, part in value.items()]
    else:
        parts = [as_json(part, inner, 1) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{closing}"


def _replaced(pattern: str, new: str, text: str) -> str:
    """Return the text with the one part that matches the pattern replaced."""
    found = re.findall(pattern, text, re.DOTALL)
    if len(found) != 1:
        msg = f"expected one part that matches {pattern!r}, got {len(found)}"
        raise ValueError(msg)
    return text.replace(found[0], new)


def described() -> dict[Path, str]:
    """Return the text of each file with the descriptions of the table in it."""
    texts = {}
    for name in RESULTS:
        folder = ROOT / "evaluate_modules" / name
        module = ROOT / "anls_star.py" if name == "anls_star" else folder / f"{name}.py"
        text = module.read_text("utf-8")
        texts[module] = _replaced(r"Returns:\n    \w.*?\nExamples:", docstring(name), text)
        page = ROOT / "docs/evaluate_modules.md" if name == "anls_star" else folder / "README.md"
        text = page.read_text("utf-8")
        texts[page] = _replaced(r"(?<=<!-- results -->\n).*?(?=<!-- end of results -->)", card(name), text)
    path = ROOT / "docs/schemas/score.json"
    schema = json.loads(path.read_text("utf-8"))
    of_command = {name: key for name, key in RESULTS["anls_star"].items() if key.flag is not None}
    schema["properties"] |= schema_of_all(of_command, of_command=True)["properties"]
    texts[path] = as_json(schema) + "\n"
    return texts


if __name__ == "__main__":
    for each, content in described().items():
        each.write_text(content, "utf-8")

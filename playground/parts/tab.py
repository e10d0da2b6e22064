"""Define a tab of the page, and the options that its template renders."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from docscore.evaluation.registry import METRICS, TYPED
from playground.server.functions import ServerFunction
from playground.server.labels import LABELS
from playground.server.requests import WHAT_IFS, option_fields


class Tab(NamedTuple):
    """A tab of the page.

    Attributes:
        address: its name in the URL.
        name: its name in the page.
        label: what visitors read.
        script: the JavaScript that starts it.
        html: the initial HTML from its template.
        parts: its script and styles, which load after the first screen.
        functions: the functions that its script calls on the server by name, in addition to those of all tabs.
    """

    address: str
    name: str
    label: str
    script: str
    html: str
    parts: Sequence[str] = ()
    functions: Mapping[str, ServerFunction] = {}


def fields_with_words() -> list[tuple[Any, ...]]:
    """Return the options that every tab offers, each with its label, its values in words and a note."""
    return [(field, LABELS[field["name"]], *_WORDS[field["name"]]) for field in option_fields(WHAT_IFS)]


def offered(files: Iterable[Path]) -> str:
    """Return the files of an example for the page's scripts."""
    return json.dumps([{"name": path.name, "path": str(path)} for path in files])


FILE_METRICS = [(name, metric.label) for name, metric in METRICS.items() if name != TYPED]
READING_CHOICES = [  # an option of reading: its name and label, its values in words, a note
    ("parse", "Predictions", [("", "as detected"), ("json", "JSON"), ("repair", "repaired JSON")], ""),
    (
        "missing",
        "Missing rows",
        [("error", "error"), ("zero", "score 0"), ("skip", "leave out")],
        "rows without a prediction",
    ),
    ("skip", "Invalid rows", [(False, "error"), (True, "leave out")], "rows that are left out are counted"),
]
_WORDS: dict[str, tuple[list[tuple[Any, str]], str]] = {  # an option: its values in words, a note
    "numbers": (
        [("text", "as printed"), ("value", "by value")],
        'by value, 1000.0 equals 1000; "1000" in quotes stays text unless a schema says number',
    ),
    "ignore_case": ([(True, "ignore case"), (False, "case counts")], ""),
    "threshold": ([], "texts less similar than this score 0"),
    "rules": (
        [("paper", "the paper’s"), ("anls_star-1.0.1", "the package’s")],
        "the package’s: the rules of the package anls_star 1.0.1",
    ),
    "normalise": (
        [(False, "as written"), (True, "normalised")],
        "normalised: case and white space are ignored",
    ),
    "donut": (
        [(False, "as given"), (True, "as in Donut")],
        "as in Donut: keys are sorted, values are in lists",
    ),
}

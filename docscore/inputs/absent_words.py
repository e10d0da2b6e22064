"""Texts such as "n/a" that mean that there is no value."""

from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from docscore.core.errors import DataWarning, Diagnostic, Remedy, short_repr
from docscore.core.formatting import counted
from docscore.core.values import Value, field_path, is_empty, parts_in, places_in
from docscore.inputs.checks import EXAMINED, first_truths
from docscore.inputs.json_text import loads
from docscore.inputs.test_set import TestSet

_FEWEST = 3  # least number of documents or fields with the same word
_LONGEST = 24  # characters of a word, with white space around it
_COMMONEST = 3  # the number of the most frequent values of a field of the ground truths


def warnings_about_words(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield warnings about words that mean no value, if they occur in at least three documents or fields.

    A word of the predictions gets a warning if no ground truth of its fields has it. A word of the ground truths gets
    one if the predictions are empty in its place.

    >>> truth, prediction = {"vat": None, "tip": None, "po": None}, {"vat": "N/A", "tip": "N/A", "po": "N/A"}
    >>> print(next(warnings_about_words(TestSet(["a", "b"], [truth] * 2, [prediction] * 2))))
    predictions: 'N/A' is predicted in 3 fields of 2 documents, such as 'vat' of 'a', but no ground truth of the field \
contains it; reading it as null changes the rate 'filled although empty'; add absent_words="N/A" to read it as null on \
both sides
    """
    yield from _warnings_about_predictions(pairs)
    counts: dict[str, Counter[str]] = {}
    facing: dict[str, set[str]] = {}  # by word, its fields that are empty in the predictions
    rows = islice(zip(first_truths(pairs), pairs.predictions, strict=True), EXAMINED)
    for field, value, other in (leaf for row in rows for leaf in _fields_in(*row)):
        counts.setdefault(field, Counter())[value] += 1
        if is_empty(other) and _as_word(value):
            facing.setdefault(value, set()).add(field)
    for word, fields in facing.items():
        common = [field for field in fields if (word, counts[field][word]) in counts[field].most_common(_COMMONEST)]
        often = sorted(field for field in common if counts[field][word] > 1)
        if len(often) >= _FEWEST:
            problem = f"{word!r} seems to mean no value in {len(often):,} fields, such as {short_repr(often[0])}"
            yield _warning("references", word, problem)


def _warnings_about_predictions(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield warnings about the words of predictions, with the rate that each changes."""
    if not _have_word(pairs.predictions):
        return
    found: dict[str, dict[str, dict[str, str]]] = {}  # by the word in lower case and the field, the word by the id
    for name, prediction in zip(pairs.ids, pairs.predictions, strict=True):
        for path, part in places_in(prediction) if _have_word([prediction]) else ():
            if word := _as_word(part):
                found.setdefault(word, {}).setdefault(path, {})[name] = part.strip()  # type: ignore[union-attr]
    expected: dict[str, set[str]] = {}  # the words of each field of the ground truths, "" for null
    for path, part in chain.from_iterable(map(places_in, pairs.truths)):
        expected.setdefault(path, set()).update({""} if is_empty(part) else {_as_word(part)} - {""})
    for word, fields in found.items():
        others = {path: names for path, names in fields.items() if word not in expected.get(path, ())}
        names = list(dict.fromkeys(chain.from_iterable(others.values())))
        if max(len(names), len(others)) < _FEWEST:
            continue
        path, spelled = max(others.items(), key=lambda item: len(item[1]))
        name = next(iter(spelled))
        rate = "omission" if any(path in expected for path in others) else "hallucination"
        if any("" in expected.get(path, ()) for path in others):
            rate = "filled although empty"
        where = f"{counted(len(others), 'field')} of {counted(len(names), 'document')}"
        problem = (
            f"{spelled[name]!r} is predicted in {where}, such as {short_repr(field_path(path))} of {short_repr(name)}, "
            f"but no ground truth of the field contains it; reading it as null changes the rate '{rate}'"
        )
        yield _warning("predictions", spelled[name], problem, names)


def _warning(side: str, word: str, problem: str, rows: list[str] | None = None) -> DataWarning:
    remedy = Remedy("add {} to read it as null on both sides", (("absent_words", word),))
    return DataWarning("words for null", Diagnostic((side,), problem=problem, remedy=remedy), rows or [])


@cache
def _words() -> frozenset[str]:
    """Return the words that mean no value in several languages, in lower case."""
    words = loads(Path(__file__).with_name("absent_words.json").read_text("utf-8"))
    return frozenset(chain.from_iterable(words.values()))


def _as_word(value: Any) -> str:
    """Return a text in lower case if it is a word that means no value; "" for all other values."""
    word = value.strip().casefold() if type(value) is str and len(value) <= _LONGEST else ""
    return word if word.replace("_", " ") in _words() else ""


def _have_word(values: Collection[Value]) -> bool:
    return any(map(_as_word, parts_in(values)))


def _fields_in(value: Any, other: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield the path of each text in the fields of an object, the text, and the value of the other side."""
    for key, part in value.items() if isinstance(value, dict) else ():
        faced = other.get(key) if isinstance(other, dict) else None
        if isinstance(part, str):
            yield f"{path}{key}", part, faced
        else:
            yield from _fields_in(part, faced, f"{path}{key}.")

"""Checks of the rows of a test set, which find likely mistakes before anything is scored."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from math import ceil
from typing import Any
from unicodedata import normalize

from docscore.core.errors import DataWarning, Diagnostic, InputValueError, Remedy, short_repr
from docscore.core.formatting import counted
from docscore.core.options import AS_TEXT, ReadOptions
from docscore.core.runtime import Progress, no_progress, watched
from docscore.core.similarity import without_case
from docscore.core.values import (
    CONFIDENCE,
    LEAF_TYPES,
    ONE_OF,
    VALUE,
    Value,
    containers_in,
    field_path,
    holds_value,
    is_empty,
    parts_in,
    places_in,
)
from docscore.inputs.citation_forms import forms_of, keys_of_forms
from docscore.inputs.confidences import PLAIN, has_number, objects_around
from docscore.inputs.content import has_path, path_of_key, without_keys
from docscore.inputs.ids import EXTENSION
from docscore.inputs.model_text import (
    holds_json,
    is_json_container,
    parse_text,
)
from docscore.inputs.queries import is_id_key
from docscore.inputs.raw_regions import has_key
from docscore.inputs.rows import REFERENCES, NoCell, cells_of, name_in_file
from docscore.inputs.test_set import TestSet

EXAMINED = 100  # rows or texts of each side that a check looks at
_MOST_PARSED = 20  # texts that a check reads as JSON
NEARLY_ALL = 0.9  # of the rows or texts that a check looks at
_EMPTY: tuple[Any, ...] = (None, "", [], {})


def refuse_document_texts(
    truths: Iterable[Any], predictions: Iterable[Any], parse: str | None, parse_references: str | None
) -> None:
    """Raise `ValueError` if the ground truths are documents written as text, and no option says how to read them.

    The edit distance of two such texts counts brackets, quotes and the names of keys, so it never scores the documents.
    The check looks at the first 100 texts that are not empty, including texts among acceptable answers. It fails if
    nearly all of them are documents in the same notation: JSON, also damaged or in a fenced block, or YAML, XML or the
    tags of Donut with a name in common. Lists of single values may be plain text; they are refused only if a
    prediction is an object or a list, or also contains JSON.

    Args:
        truths: the ground truths of all rows.
        predictions: their predictions.
        parse: how predictions that are text will be read, as in `ReadOptions`.
        parse_references: how ground truths that are text will be read.
    """
    if parse == AS_TEXT or parse_references is not None:
        return
    texts = list(islice(_texts(truths), EXAMINED))
    if not texts:
        return
    values = list(predictions) if parse is None else []
    given = list(islice(_texts(values), EXAMINED))
    notation, documents = _common_notation(texts)
    if documents and not (notation == _JSON and parse is None and _is_plain_text(documents, values, given)):
        raise InputValueError(
            place="references",
            problem=f"{len(documents):,} of {len(texts):,} texts are documents written as {notation}, which would be "
            "compared character by character, with their keys and brackets",
            remedy=_remedy_for_documents(notation, documents, given),
        )


def _common_notation(texts: Sequence[str]) -> tuple[str, list[str]]:
    """Return the notation in which nearly all texts are documents with a name in common, and these texts."""
    written = {
        notation: [(text, names) for text in texts if (names := names_in(text))]
        for notation, names_in in _NOTATIONS.items()
    }
    notation, documents = max(written.items(), key=lambda item: len(item[1]))
    if len(documents) < NEARLY_ALL * len(texts) or not set.intersection(*(n for _, n in documents)):
        return notation, []
    return notation, [text for text, _ in documents]


def _is_plain_text(documents: Sequence[str], predictions: Sequence[Any], texts: Sequence[str]) -> bool:
    """Decide whether JSON texts are lists of single values, and no prediction is or contains an object or a list."""
    if any(map(_has_objects, documents)) or any(map(holds_json, texts)):
        return False
    return not any(isinstance(each, dict | list) for each in predictions)


def _remedy_for_documents(notation: str, documents: Sequence[str], predictions: Sequence[str]) -> Remedy:
    """Return how to read documents in a notation: by options if it is JSON, otherwise by converting them first."""
    as_text = "or {} to compare them as they are"
    if notation != _JSON:
        return Remedy(f"convert both sides to JSON values before they are scored, {as_text}", (("parse", AS_TEXT),))
    options = [("parse", json_mode(predictions))] if predictions else []
    options.append(("parse_references", json_mode(documents)))
    named = " and ".join(["{}"] * len(options))
    return Remedy(f"add {named} to read them, {as_text}", (*options, ("parse", AS_TEXT)))


_JSON, _YAML = "JSON", "YAML"
_FENCED_JSON = re.compile(r"```[\w+.-]*\s*[{\[]")
# Keys in the style of programs; the names of speakers and the lines of a form begin with a capital letter.
_YAML_KEY = re.compile(r"^ *(?:- )*([a-z_][\w.$-]*|\"[^\"\n]+\"|'[^'\n]+'):(?: |$)", re.MULTILINE)
_CLOSED_TAG = re.compile(r"<([\w:.-]+)(?:\s[^<>]*)?>[^<>]*</\1>")
_HTML = frozenset(  # tags that mark up text and do not name values
    re.findall(
        r"\w+",
        "a b i u p q s br em dd dl dt h1 h2 h3 h4 h5 h6 hr li mi mn mo ol td th tr ul big code div font html img main "
        "mark math mrow nav pre span sub sup body table tbody thead caption center footer header label section small "
        "strong title think thinking answer",
    )
)


def _yaml_keys(text: str) -> set[str]:
    """Return the keys of a text with several lines, each a key, an element of a list or indented, as in YAML."""
    lines = [line for line in text.splitlines() if line.strip() and line[:3] != "---" and line[:1] != "#"]
    is_yaml = len(lines) > 1 and all(line[:1] == " " or line[:2] == "- " or _YAML_KEY.match(line) for line in lines)
    return {*_YAML_KEY.findall(text)} if is_yaml else set()


def _tags(text: str) -> set[str]:
    """Return the names of the tags around values if a text begins with a tag, as in XML and in the output of Donut."""
    return {*_CLOSED_TAG.findall(text)} - _HTML if text.lstrip()[:1] == "<" else set()


def is_json_document(text: str) -> bool:
    """Return whether a text is a JSON object or list, possibly damaged, in a fenced block, or in a JSON string."""
    begins = text.lstrip('\ufeff \t\r\n"')[:1] in ("{", "[")
    return (begins or bool(_FENCED_JSON.search(text))) and holds_json(text, repaired=True)


_NOTATIONS: dict[str, Callable[[str], set[str]]] = {  # each with a function that returns the names in a text
    _JSON: lambda text: {""} if is_json_document(text) else set(),
    _YAML: _yaml_keys,
    "XML or tags": lambda text: names if len(names := _tags(text)) > 1 else set(),
}


def json_mode(texts: Sequence[str]) -> str:
    """Return the mode for reading texts that contain JSON: "json" if nearly all are only JSON, otherwise "repair"."""
    return "json" if sum(map(is_json_container, texts)) >= NEARLY_ALL * len(texts) else "repair"


def _has_objects(text: str) -> bool:
    """Return whether the JSON in a text is an object or a list with an object as an element."""
    value = parse_text(text, "repair").value
    return isinstance(value, dict) or any(isinstance(each, dict) for each in value)


def warnings_about_repairs(repairs: Mapping[str, str], count: int) -> Iterator[DataWarning]:
    """Yield a warning about the number of ground truths that were repaired.

    Args:
        repairs: the changes, by id.
        count: the number of rows.
    """
    if repairs:
        name, note = next(iter(repairs.items()))
        problem = (
            f"{len(repairs):,} of {count:,} were repaired, such as the ground truth of {short_repr(name)} ({note})"
        )
        yield DataWarning("repaired ground truths", Diagnostic(("references",), problem=problem), [*repairs])


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the non-empty texts among values and their acceptable answers."""
    for value in values:
        if isinstance(value, tuple):
            yield from _texts(value)
        elif isinstance(value, str) and value.strip():
            yield value


def warnings_about_reading(
    pairs: TestSet,
    parse: str | None,
    parse_references: str | None,
    *,
    references: str = "references",
    predictions: str = "predictions",
) -> Iterator[DataWarning]:
    """Yield warnings about all rows of a test set, before texts are read as JSON.

    Each check ends at the first row that disproves it.

    Args:
        pairs: the rows before any change.
        parse: how predictions that are text will be read, as in `ReadOptions`.
        parse_references: how ground truths that are text will be read.
        references: the place of the ground truths in messages.
        predictions: the place of the predictions in messages.

    >>> pairs = TestSet(["a"], [{"total": "1"}], ['{"total": "1"}'])
    >>> print(next(warnings_about_reading(pairs, None, None)))
    predictions: 1 of 1 are text although the ground truth is an object or a list, which text never matches; the text \
of 'a' holds JSON; add parse="json" or parse="repair" to read it
    """
    given = list(given_predictions(pairs))
    if not given or parse == AS_TEXT:
        return
    if parse is None:
        yield from warnings_about_texts(pairs, parse, parse_references, predictions)
    if _lists_look_like_alternatives(pairs.truths, given):
        problem = (
            "all are lists of acceptable answers, but no answer is a list, so predictions that are lists never match"
        )
        remedy = Remedy(
            'if each list is one ground truth, put it in a list ("references": [["Tea", "Cake"]]), or add {} if a '
            "named column holds it",
            (("answer_is_list", True),),
        )
        yield DataWarning("lists of answers", Diagnostic((references,), problem=problem, remedy=remedy))


def _lists_look_like_alternatives(truths: Sequence[Any], predictions: Sequence[Any]) -> bool:
    """Decide whether nearly all predictions are lists, while all ground truths are alternatives without any list."""
    return (
        sum(isinstance(prediction, list) for prediction in predictions) >= NEARLY_ALL * len(predictions)
        and all(isinstance(truth, tuple) and list not in map(type, truth) for truth in truths)
        and any(len(truth) > 1 for truth in truths)
    )


def warnings_about_texts(
    pairs: TestSet, parse: str | None, parse_references: str | None = None, place: str = "predictions"
) -> Iterator[DataWarning]:
    """Yield a warning about predictions that are text with a document in it, if an object or a list is expected.

    A ground truth that is a list of texts counts only if the prediction is JSON: a text may be one of the list.
    """
    texts = [
        (name, prediction)
        for name, truth, prediction in zip(pairs.ids, pairs.truths, pairs.predictions, strict=True)
        if type(prediction) is str and _expects_document(prediction, truth, parse_references)
    ]
    likely = islice((each for each in texts if _SIGNS.search(each[1])), _MOST_PARSED)
    name, text, notation = next(((*each, held) for each in likely if (held := _notation_in(each[1]))), ("", "", ""))
    if notation:
        remedy: str | Remedy = "convert it to JSON values before it is scored"
        if notation == _JSON:
            modes = [*(["json"] if parse is None and is_json_container(text) else []), "repair"]
            named = " or ".join(["{}"] * len(modes))
            verb = "add" if parse is None else "use"
            remedy = Remedy(f"{verb} {named} to read it", tuple(("parse", mode) for mode in modes))
        problem = (
            f"{len(texts):,} of {len(pairs.predictions) - len(pairs.absent):,} are text although the ground truth "
            f"is an object or a list, which text never matches; the text of {short_repr(name)} holds {notation}"
        )
        rows = [name for name, _ in texts]
        yield DataWarning("text for objects", Diagnostic((place,), problem=problem, remedy=remedy), rows)


def _may_be_one_of(text: str, values: Sequence[Any]) -> bool:
    return all(isinstance(each, str) for each in values) and (text in values or not is_json_container(text))


def _expects_document(text: str, truth: Any, parse_references: str | None) -> bool:
    """Return whether a ground truth or an acceptable answer is a document, or will be one after reading."""
    for answer in truth if isinstance(truth, tuple) else (truth,):
        if isinstance(answer, dict) or (isinstance(answer, list) and not _may_be_one_of(text, answer)):
            return True
        if parse_references and is_json_container(answer):
            return True
    return False


def _notation_in(text: str) -> str:
    """Return the notation of the document that a text is, or contains as JSON; "" if there is none."""
    if holds_json(text, repaired=True):
        return _JSON
    return next((name for name, in_it in _NOTATIONS.items() if in_it(text)), "")


_SIGNS = re.compile(r"[{\[<\n]")  # characters that suggest a document in a text


def first_truths(pairs: TestSet) -> Iterator[Any]:
    """Yield the ground truths, or the first of several acceptable answers."""
    return (truth[0] if isinstance(truth, tuple) and truth else truth for truth in pairs.truths)


def given_predictions(pairs: TestSet) -> Iterator[Any]:
    """Yield the predictions that are not missing."""
    return (prediction for number, prediction in enumerate(pairs.predictions) if number not in pairs.absent)


def warnings_about_values(
    pairs: TestSet, progress: Progress = no_progress, *, with_confidences: bool
) -> Iterator[DataWarning]:
    """Yield warnings about the values of a test set after texts were read as JSON.

    Args:
        pairs: the rows.
        progress: called with the phase "Checking" and the number of rows.
        with_confidences: whether confidences are removed from the predictions.

    >>> print(next(warnings_about_values(TestSet(["a"], [{"total": ("1", "")}], [{}]), with_confidences=False)))
    references: 1 of 1 have an empty text among their acceptable answers, and so accept a missing value; the first is \
'a'
    """
    # rows by id have a one-of around their acceptable answers, even around a single one
    truths = (truth[0] if type(truth) is tuple and len(truth) == 1 else truth for truth in pairs.truths[:EXAMINED])
    if any(map(_has_one_of, pairs.predictions[:EXAMINED])) and not any(map(_has_one_of, truths)):
        problem = f"they contain {ONE_OF!r}, which belongs in ground truths; the two sides may be swapped"
        yield DataWarning("swapped sides", Diagnostic(("predictions",), problem=problem))
    if not with_confidences and any(map(_is_wrapped, pairs.predictions)):
        problem = "they contain $value and $confidence, and both are scored"
        remedy = Remedy("add {} to score the values alone", (("with_confidences", True),))
        yield DataWarning("confidences as values", Diagnostic(("predictions",), problem=problem, remedy=remedy))
    rows = watched(zip(pairs.ids, pairs.truths, strict=True), progress, "Checking", len(pairs.ids))
    empty = [name for name, truth in rows if any(type(part) is tuple and "" in part for part in containers_in([truth]))]
    if empty:
        problem = (
            f"{len(empty):,} of {len(pairs.ids):,} have an empty text among their acceptable answers, and so accept a "
            f"missing value; the first is {short_repr(empty[0])}"
        )
        yield DataWarning("empty answers", Diagnostic(("references",), problem=problem), empty)


def warnings_about_forms(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield a warning about predictions that contain values and citations in the form of a provider.

    >>> prediction = {"total": {"value": "9", "citations": [{"bbox": {"page": 1}}]}}
    >>> print(next(warnings_about_forms(TestSet(["a"], [{"total": "9"}], [prediction]))))
    predictions: 1 of 1 hold values and citations in the format of reducto, and both are scored; add \
citations_from="reducto" to score the values alone
    """
    given = list(islice(given_predictions(pairs), EXAMINED))
    objects = [value for value in given if isinstance(value, dict)]
    parts = chain(objects, *(filter(lambda part: type(part) is dict, value.values()) for value in objects))
    found = {} if all(map(keys_of_forms().isdisjoint, parts)) else forms_of(given)
    count = 0 if found else sum(has_key([value], {"citations"}) for value in objects)
    if count and not has_key(first_truths(pairs), {"citations"}):
        problem = f"{count:,} of {len(given):,} have a key 'citations', which is scored as a value"
        advice = 'put it next to the prediction, or write values as {"$value": ..., "$citations": [...]}'
        yield DataWarning("citations as values", Diagnostic(("predictions",), problem=problem, remedy=advice))
    expected = forms_of(list(islice(first_truths(pairs), EXAMINED))) if found else {}
    for name, count in found.items():
        if name not in expected:
            problem = (
                f"{count:,} of {len(given):,} hold values and citations in the format of {name}, and both are scored"
            )
            remedy = Remedy("add {} to score the values alone", (("citations_from", name),))
            yield DataWarning("form of a provider", Diagnostic(("predictions",), problem=problem, remedy=remedy))


def warnings_about_content(given: TestSet, pairs: TestSet, options: ReadOptions) -> Iterator[DataWarning]:
    """Yield warnings about options that should remove something from values but find nothing to remove.

    Args:
        given: the rows before the removal.
        pairs: the rows after the removal.
        options: the options.
    """
    if options.with_confidences and not any(map(has_number, pairs.confidences or ())):
        expected = "confidences with the values, next to the fields or in the row (with_confidences)"
        at_values = '{"value": ..., "confidence": ...}'
        advice = f"write {at_values}, or numbers in the structure of the prediction in a column 'confidence'"
        yield DataWarning("no confidences", Diagnostic(("predictions",), expected, "none", remedy=advice))
    more = [{*part} - PLAIN for part in objects_around(given.predictions) if part.keys() != PLAIN]
    if options.with_confidences and more and not any(objects_around(given.truths)):
        problem = (
            f"objects with 'value', 'confidence' and other keys, such as {short_repr(min(more[0]))}, are scored as "
            f"they are ({counted(len(more), 'object')}); leave out the other keys"
        )
        yield DataWarning("other keys next to confidences", Diagnostic(("predictions",), problem=problem))
    left = dict.fromkeys(options.ignore_keys)
    for value in chain(given.truths, given.predictions):
        for key in [key for key in left if has_path(value, key) or has_path(value, path_of_key(key))]:
            del left[key]
        if not left:
            break
    for key in left:
        yield DataWarning("unknown keys", Diagnostic(("ignore_keys",), "a key that occurs in a row", short_repr(key)))


def refuse_emptied(given: TestSet, keys: Sequence[str]) -> None:
    """Raise `ValueError` if the ground truths or the predictions are empty after removing some keys."""
    kept = without_keys(given, keys)
    sides = {"ground truth": (given.truths, kept.truths), "prediction": (given.predictions, kept.predictions)}
    for name, (before, after) in sides.items():
        if any(map(holds_value, before)) and not any(map(holds_value, after)):
            raise InputValueError(place="ignore_keys", expected=f"at least one value left in a {name}", got="none")


def warnings_about_nothing(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield warnings if nearly all ground truths are empty, and if all predictions are.

    >>> print(*warnings_about_nothing(TestSet(["a", "b"], [{"total": "9"}] * 2, [{"total": None}, None])))
    predictions: all 2 are null or empty
    >>> print(*warnings_about_nothing(TestSet(["a", "b"], [{"total": None}, None], [None, None])))
    references: 2 of 2 are null or empty, and an empty prediction scores 1 there
    """
    most = len(pairs.ids) - ceil(NEARLY_ALL * len(pairs.ids))
    holding = list(islice(filter(holds_value, pairs.truths), most + 1))
    if len(holding) <= most:
        empty = [name for name, truth in zip(pairs.ids, pairs.truths, strict=True) if not holds_value(truth)]
        problem = f"{len(empty):,} of {len(pairs.ids):,} are null or empty, and an empty prediction scores 1 there"
        yield DataWarning("empty ground truths", Diagnostic(("references",), problem=problem), empty)
    given = list(given_predictions(pairs))
    if len(given) > 1 and holding and not any(map(holds_value, given)):
        yield DataWarning("no answers", Diagnostic(("predictions",), problem=f"all {len(given):,} are null or empty"))


_FEWEST_TEXTS = 3  # documents with JSON in the text of a field


def warnings_about_json_in_fields(pairs: TestSet, options: ReadOptions) -> Iterator[DataWarning]:
    """Yield a warning about each field whose texts are JSON lists or objects in nearly all documents of a side.

    >>> pairs = TestSet(list("abc"), [{"tags": ["x"]}] * 3, [{"tags": '["x"]'}] * 3)
    >>> print(next(warnings_about_json_in_fields(pairs, ReadOptions())))
    predictions: the text of 'tags' holds JSON in 3 of 3 documents, and is compared as text; write the lists and \
objects instead of their text
    """
    of_cells = options.fields_in_columns or options.field_column is not None
    sides = ("references", "parse_references", [*first_truths(pairs)]), ("predictions", "parse", pairs.predictions)
    for side, option, values in sides if options.parse != AS_TEXT else ():
        remedy: str | Remedy = "write the lists and objects instead of their text"
        if of_cells and getattr(options, option) is None:
            remedy = Remedy("add {} to read it", ((option, "json"),))
        if any(map(any, _json_texts(values[:EXAMINED]).values())):
            for field, are_json in _json_texts(values).items():
                if sum(are_json) >= max(NEARLY_ALL * len(are_json), _FEWEST_TEXTS):
                    problem = (
                        f"the text of {short_repr(field)} holds JSON in {sum(are_json):,} of {len(are_json):,} "
                        "documents, and is compared as text"
                    )
                    yield DataWarning("JSON in fields", Diagnostic((side,), problem=problem, remedy=remedy))


def _json_texts(values: Iterable[Value]) -> dict[str, list[bool]]:
    """Return by field, for each object with a text in it, whether this text is a JSON list or object."""
    found: dict[str, list[bool]] = {}
    for value in values:
        texts = {path: part for path, part in places_in(value) if path and type(part) is str and part.strip()}
        for path, text in texts.items():
            found.setdefault(field_path(path), []).append(is_json_container(text))
    return found


def warnings_about_nan(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield a warning about NaN, which is a value in JSON and in Python, but null in tables and data frames.

    >>> print(*warnings_about_nan(TestSet(["a"], [{"vat": None}], [{"vat": float("nan")}])))
    NaN is a value in 1 prediction and 0 ground truths, although tables and data frames read it as null; write null \
for a missing value
    """
    sides = pairs.predictions, pairs.truths
    if any(map(_has_nan, sides)):
        predicted, expected = (sum(_has_nan([value]) for value in side) for side in sides)
        counts = f"{counted(predicted, 'prediction')} and {counted(expected, 'ground truth')}"
        problem = f"NaN is a value in {counts}, although tables and data frames read it as null"
        yield DataWarning("NaN as value", Diagnostic(problem=problem, remedy="write null for a missing value"))


def _has_nan(values: Collection[Value]) -> bool:
    """Return whether NaN, which does not equal itself, is among values or in them."""
    return any(type(part) is float and part != part for part in parts_in(values))  # noqa: PLR0124


def warnings_about_errors(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield a warning about predictions that report an error instead of a document.

    >>> print(*warnings_about_errors(TestSet(["a"], [{"total": "9"}], [{"error": "timeout"}])))
    predictions: 1 of 1 are {"error": ...}, unlike any ground truth, and are scored as answers; if these requests \
failed, leave out their rows and add missing="zero"
    """
    if not any(isinstance(value, dict) and "error" in value for value in pairs.predictions):
        return
    known = _keys_in(first_truths(pairs))
    errors = known and [
        name
        for name, truth, value in zip(pairs.ids, first_truths(pairs), pairs.predictions, strict=True)
        if isinstance(value, dict)
        and isinstance(truth, dict)
        and not is_empty(value.get("error"))
        and known.isdisjoint(value)
    ]
    if errors:
        problem = (
            f'{len(errors):,} of {len(pairs.ids) - len(pairs.absent):,} are {{"error": ...}}, unlike any ground '
            "truth, and are scored as answers"
        )
        remedy = Remedy("if these requests failed, leave out their rows and add {}", (("missing", "zero"),))
        yield DataWarning("errors as predictions", Diagnostic(("predictions",), problem=problem, remedy=remedy), errors)


def warnings_about_ids(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield a warning about a key that is named like an id and holds ids on both sides, in at least five documents.

    Its value is the id of each row. If documents are paired by position, its value differs in each document.

    >>> rows = [{"file": f"{name}.pdf", "total": "9"} for name in "abcde"]
    >>> print(next(warnings_about_ids(TestSet(list("abcde"), rows, rows))))
    predictions: 'file' repeats the id in all documents, and earns points; if the model did not extract it, add \
ignore_keys="file"
    """
    truths = list(first_truths(pairs))
    both = [*truths, *pairs.predictions]
    if len(truths) < FEWEST_WITH_KEYS or not all(isinstance(value, dict) for value in both):
        return
    are_numbered = pairs.ids == [str(number) for number in range(len(truths))]
    for key in filter(is_id_key, truths[0]):
        cells, given = ([str(row.get(key)) for row in side] for side in (truths, pairs.predictions))
        if cells != given:
            continue
        if all(name in (cell, EXTENSION.sub("", cell)) for cell, name in zip(cells, pairs.ids, strict=True)):
            problem = "repeats the id in all documents, and earns points"
            remedy = Remedy("if the model did not extract it, add {}", (("ignore_keys", key),))
        elif are_numbered and len({*cells}) == len(cells):
            problem = "is the same on both sides, different in each document, and earns points"
            remedy = Remedy("if it is the id, add {}", (("id_column", key),))
        else:
            continue
        diagnostic = Diagnostic(("predictions",), problem=f"{short_repr(key)} {problem}", remedy=remedy)
        yield DataWarning("id among the fields", diagnostic)


def _is_wrapped(prediction: Any) -> bool:
    """Return whether a value at the first two levels has a confidence."""
    if not isinstance(prediction, dict):
        return False
    fields = [part for part in prediction.values() if type(part) is dict]
    return any(VALUE in part and CONFIDENCE in part for part in (prediction, *fields))


def _has_one_of(value: Any) -> bool:
    """Return whether a value has a one-of at any depth; in a prediction, it keeps its JSON spelling."""
    parts = containers_in([value])
    return any(type(part) is tuple or (type(part) is dict and part.keys() == {ONE_OF}) for part in parts)


_ExampleOf = Callable[[Any, Sequence[Any], frozenset[Any]], str]


def warnings_about_shapes(pairs: TestSet) -> Iterator[DataWarning]:
    """Yield warnings about a structure that nearly all rows of one side have and the other side does not have.

    >>> print(next(warnings_about_shapes(TestSet(["a"], [{"due date": "1 May"}], [{"dueDate": "1 May"}]))))
    predictions: 1 of 1 have keys that differ from the keys of the ground truths only in case, separators or Unicode \
form, such as 'dueDate' for 'due date'; rename the keys on one side
    """
    given = sum(prediction is not None for prediction in pairs.predictions)
    first, whole = _Faced(pairs, EXAMINED), None
    has_warning = False
    for kind, example_of, least, problem, remedies in _SHAPES if any(first.rows.values()) else ():
        for side, remedy in remedies.items():
            is_explained = example_of is _foreign and (has_warning or given < _FEWEST_FOREIGN)
            if not is_explained and first.examples(example_of, side, least, min(given, EXAMINED)):
                whole = whole or (_Faced(pairs) if given > EXAMINED else first)
                examples = whole.examples(example_of, side, least, given)
                if examples:
                    is_answer = example_of is _list_of_one and side == "predictions" and _is_named(pairs)
                    other = "ground truths" if side == "predictions" else "predictions"
                    sentence = f"{len(examples):,} of {given:,} {problem.format(examples[0], other=other)}"
                    advice = _LIST_REMEDY if is_answer else remedy
                    yield DataWarning(kind, Diagnostic((side,), problem=sentence, remedy=advice))
                    has_warning = True
                    break


_LIST_REMEDY = Remedy("if each list of the ground truths is one answer, add {}", (("answer_is_list", True),))


def _is_named(pairs: TestSet) -> bool:
    """Return whether an option names the column of the ground truths."""
    row = pairs.reference_rows[0] if pairs.reference_rows else {}
    return name_in_file(row, REFERENCES) != REFERENCES


class _Faced:
    """The rows whose two sides differ in structure, with the values of both sides.

    Attributes:
        rows: by side, a value of it and the values of the other side, without flat objects with the same keys.
        known: by side, the keys of the values of the other side in all rows; empty if no rows differ.
    """

    def __init__(self, pairs: TestSet, most: int | None = None) -> None:
        both = zip(pairs.truths, pairs.predictions, strict=True)
        given = [
            (truth if isinstance(truth, tuple) else (truth,), value)
            for truth, value in islice((pair for pair in both if pair[1] is not None), most)
        ]
        apart = [(truths, value) for truths, value in given if not are_alike(truths[0], value)]
        self.rows: dict[str, list[tuple[Any, tuple[Any, ...]]]] = {
            "predictions": [(value, truths) for truths, value in apart],
            # a plain list is a list of acceptable answers for a prediction that is text
            "references": [
                (truths[0], (value,)) for truths, value in apart if len(truths) == 1 and type(value) is not str
            ],
        }
        self.known: dict[str, frozenset[Any]] = {}
        if apart:
            self.known["predictions"] = _keys_in(truth for truths, _ in given for truth in truths)
            self.known["references"] = _keys_in(value for truths, value in given if len(truths) == 1)

    def examples(self, example_of: _ExampleOf, side: str, least: float, count: int) -> list[str]:
        """Return the examples of a structure on a side if at least the share `least` of `count` rows has it."""
        known = self.known[side]
        examples = list(filter(None, (example_of(*row, known) for row in self.rows[side])))
        return examples if len(examples) >= least * count else []


def are_alike(truth: Value, prediction: Value) -> bool:
    """Return whether two values are flat objects with the same keys, whose structures thus cannot differ."""
    return (
        isinstance(truth, dict)
        and isinstance(prediction, dict)
        and truth.keys() == prediction.keys()
        and LEAF_TYPES.issuperset(map(type, (*truth.values(), *prediction.values())))
    )


def _keys_in(values: Iterable[Value]) -> frozenset[Any]:
    return frozenset(key for value in values if isinstance(value, dict) for key in value)


def _list_of_one(value: Any, others: Sequence[Any], _known: frozenset[Any]) -> str:
    """Return a list of one element if the other side has such elements without a list."""
    if not isinstance(value, list) or len(value) != 1 or value[0] in _EMPTY:
        return ""
    return short_repr(value) if all(type(value[0]) is type(other) for other in others) else ""


def _under_one_key(value: Any, others: Sequence[Any], known: frozenset[Any]) -> str:
    """Return the only key of a value if the other side has the content of that key without the key."""
    for key, part in value.items() if isinstance(value, dict) and len(value) == 1 else ():
        is_other = part in _EMPTY or key in known or (isinstance(part, dict) and known.isdisjoint(part))
        if not is_other and any(type(part) is type(other) and not is_json_container(other) for other in others):
            return short_repr(key)
    return ""


def _dotted(value: Any, others: Sequence[Any], known: frozenset[Any]) -> str:
    """Return a key with dots that is the path of a nested value on the other side."""
    if not isinstance(value, dict) or not isinstance(others[0], dict):
        return ""
    paths = (key for key in value if "." in key and key not in known and cells_of([others[0]], key) != [NoCell])
    return next(map(short_repr, paths), "")


def _respelled(value: Any, others: Sequence[Any], known: frozenset[Any]) -> str:
    """Return a key that the other side does not have, with its missing key that differs only in spelling."""
    if not isinstance(value, dict) or not isinstance(others[0], dict):
        return ""
    missing = {_spelling(key): key for key in others[0].keys() - value.keys()}
    unknown = (key for key in sorted(value.keys() - known) if _spelling(key) in missing)
    return next((f"{short_repr(key)} for {short_repr(missing[_spelling(key)])}" for key in unknown), "")


def _spelling(key: str) -> str:
    return without_case(normalize("NFKC", key))


def _joined(value: Any, others: Sequence[Any], _known: frozenset[Any]) -> str:
    """Return a text that joins the elements of a list on the other side."""
    for key, part in value.items() if isinstance(value, dict) and isinstance(others[0], dict) else ():
        elements = others[0].get(key)
        if isinstance(part, str) and isinstance(elements, list) and len(elements) > 1:
            texts = {without_case(str(each)) for each in elements}
            if not texts.isdisjoint(map(without_case, _SEPARATORS.split(part)[1:])):
                return short_repr(part)
    return ""


_SEPARATORS = re.compile(r"\s*[;|,\n]\s*")


_FEWEST_FOREIGN = 3  # least number of predictions for a warning that they have no key of the ground truths


def _foreign(value: Any, others: Sequence[Any], known: frozenset[Any]) -> str:
    """Return an object or a list that has another type than the other side, or no key in common with it."""
    if not value or not all(type(other) in (dict, list) for other in others) or type(value) not in (dict, list):
        return ""
    is_other = all(type(value) is not type(other) for other in others)
    has_no_key = isinstance(value, dict) and not value.get("error") and bool(known) and known.isdisjoint(value)
    return short_repr(value) if is_other or (isinstance(others[0], dict) and has_no_key) else ""


_BOTH = ("predictions", "references")
# The kind of a warning; a function that returns an example of a structure, given a value of one side, the values of
# the other side in the same row, and the keys of the other side in all rows; the least share of rows that causes a
# warning; the problem; and the remedy for each side that may have the structure.
_SHAPES: tuple[tuple[str, _ExampleOf, float, str, Mapping[str, str | Remedy]], ...] = (
    (
        "lists of one",
        _list_of_one,
        NEARLY_ALL,
        "are lists of one element, such as {0}, which never match {other} that are not lists",
        {
            "predictions": "",
            "references": 'to give acceptable answers, use rows by id: {"question_id": ..., "references": [...]}',
        },
    ),
    (
        "everything under one key",
        _under_one_key,
        NEARLY_ALL,
        "have everything under one key, which the {other} do not have, such as {0}",
        {
            "predictions": Remedy(
                "to score the value of this key, add {} with its path: prediction.KEY in files, KEY in a folder",
                (("prediction_column", ...),),
            ),
            "references": Remedy(
                "to score the value of this key, add {} with its path, such as references.0.KEY or truth.KEY in files; "
                "if the value is a list, also add {}",
                (("references_column", ...), ("answer_is_list", True)),
            ),
        },
    ),
    (
        "paths as keys",
        _dotted,
        NEARLY_ALL,
        "have keys that are paths of nested values of the {other}, such as {0}",
        dict.fromkeys(_BOTH, "nest the values on both sides or on neither"),
    ),
    (
        "keys that differ in spelling",
        _respelled,
        NEARLY_ALL,
        "have keys that differ from the keys of the {other} only in case, separators or Unicode form, such as {0}",
        {"predictions": "rename the keys on one side"},
    ),
    (
        "text for a list",
        _joined,
        1 / 3,
        "have a text where the {other} have a list, such as {0}, and text never matches a list",
        dict.fromkeys(_BOTH, "write lists on both sides; in a cell of a table, write the list as JSON"),
    ),
    (
        "nothing in common",
        _foreign,
        NEARLY_ALL,
        "have no key in common with the {other}, or are lists where the {other} are objects, such as {0}",
        {
            "predictions": Remedy(
                "if the documents are under a key, name it with {} and {}",
                (("prediction_column", ...), ("references_column", ...)),
            )
        },
    ),
)


FEWEST_WITH_KEYS = 5  # documents; with fewer, an extra field, or a field that equals the id, may be chance


def keys_of_one_side(pairs: TestSet) -> tuple[list[str], list[str]]:
    """Return the keys that only predictions have, and the keys that only ground truths have.

    Nearly all of at least five objects must have the key. Only predictions that share a key with the ground truths
    count, and only ground truths paired with such a prediction. A key of the ground truths must have a value.

    >>> keys_of_one_side(TestSet(list("abcde"), [{"total": "9", "by": "u1"}] * 5, [{"total": "9", "model": "x"}] * 5))
    (['model'], ['by'])
    """
    keys: tuple[list[str], list[str]] = [], []
    for most in (EXAMINED, None):
        both = zip(pairs.truths[:most], pairs.predictions[:most], strict=True)
        rows = [(truth if isinstance(truth, tuple) else (truth,), value) for truth, value in both]
        if sum(map(_have_equal_keys, rows)) > (1 - NEARLY_ALL) * len(rows):
            break
        given = [(truths, value) for truths, value in rows if isinstance(value, dict)]
        known = _keys_in(truth for truths, _ in rows for truth in truths)
        predicted = [value for _, value in given if not known.isdisjoint(value)]
        facing = [
            truths[0]
            for truths, value in given
            if isinstance(truths[0], dict) and not truths[0].keys().isdisjoint(value)
        ]
        expected = [{key: part for key, part in truth.items() if holds_value(part)} for truth in facing]
        found_in = _keys_in(value for _, value in given)
        keys = _keys_alone(predicted, len(given), known), _keys_alone(expected, len(expected), found_in)
        if not any(keys):
            break
    return keys


def _have_equal_keys(row: tuple[tuple[Any, ...], Any]) -> bool:
    """Return whether both sides of a row are objects with the same keys."""
    (truth, *_), value = row
    return isinstance(truth, dict) and isinstance(value, dict) and bool(truth) and truth.keys() == value.keys()


def _keys_alone(objects: Sequence[Mapping[str, Any]], count: int, known: frozenset[Any]) -> list[str]:
    """Return the keys that nearly all of `count` objects have and that are not spelt like a known key."""
    counts = Counter(key for each in objects for key in each)
    least, heads = max(NEARLY_ALL * count, FEWEST_WITH_KEYS), {_spelling(key) for key in known}
    return [
        key
        for key, times in counts.items()
        if times >= least and heads.isdisjoint(map(_spelling, (key, key.partition(".")[0])))
    ]


def warnings_about_copies(sides: Sequence[TestSet], names: Sequence[str]) -> Iterator[DataWarning]:
    """Yield warnings about runs or systems with the same predictions as an earlier one, on at least two rows.

    Args:
        sides: the rows of each side.
        names: the name of each side in messages; empty for no warnings.
    """
    for index, pairs in enumerate(sides if len(names) > 1 else ()):
        earlier = next((other for other in range(index) if sides[other].predictions == pairs.predictions), None)
        if earlier is not None and len(pairs.ids) > 1:
            problem = f"{names[earlier]} and {names[index]} have the same predictions; one may be a copy of the other"
            yield DataWarning("copies", Diagnostic(problem=problem))

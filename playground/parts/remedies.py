"""Show visitors the warnings that an option answers: a sentence, and buttons that score with the option."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeVar

from docscore.core.errors import DataWarning, Diagnostic
from docscore.core.formatting import clipped, printable, shown_name
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.sentences import capital, count_lines
from playground.parts.kept_results import KeptResult
from playground.server.answers import Remedy, ShownWarning, Taken, Text
from playground.server.limits import LONGEST_SENTENCE, lines_for_visitors
from playground.server.requests import RemedyRequest, ScoreRequest
from playground.server.storage import results_folder, uploads_folder

_LONGEST_WORD = 40  # characters
_WORDS = {  # for each option of reading: the label of its button, and the words for what was done
    "parse": ("Extract JSON from the texts", "JSON extracted from texts"),
    "parse_references": ("Read the ground truths as JSON", "ground truths read as JSON"),
    "ignore_keys": ("Leave {} out", "without {}"),
    "absent_words": ("Read {} as null", "{} read as null"),
    "citations_from": ("Read the format of {}", "format of {}"),
    "with_confidences": ("Score the values alone", "confidences apart"),
    "answer_is_list": ("Each list is one answer", "each list is one answer"),
    "single_document": ("It is one document", "one document"),
}
R = TypeVar("R", bound=ScoreRequest)
Button = tuple[str, str, str]  # its label, the name of an option of reading, the value in a request


def sentence_of(warning: Diagnostic) -> str:
    """Return the sentence of a warning, without remedies that a visitor cannot use."""
    return clipped(printable("; ".join(lines_for_visitors(warning))), LONGEST_SENTENCE)


def lines_on_rows(evaluation: Evaluation, *, with_answered: bool = True) -> list[str]:
    """Return the lines of `count_lines` as the page words them, perhaps without warnings that have buttons."""
    warnings = [each for each in evaluation.row_warnings if with_answered or not buttons_of(each)]
    return [*count_lines(evaluation, warnings=False), *(sentence_of(each.diagnostic) for each in warnings)]


def buttons_of(warning: DataWarning) -> list[Button]:
    """Return the buttons of a warning: one for each option that answers it; none if a value has to be typed."""
    if ... in warning.remedy.values():
        return []
    values = {name: "yes" if value is True else str(value) for name, value in warning.remedy.items() if name in _WORDS}
    return [(_words(name, value)[0], name, value) for name, value in values.items()]


def _words(name: str, value: str) -> tuple[str, ...]:
    shown = clipped(printable(value), _LONGEST_WORD)
    return tuple(words.format(shown if name == "citations_from" else f"“{shown}”") for words in _WORDS[name])


def taken_of(reading: Mapping[str, str | None]) -> list[Taken]:
    """Return the options of reading in a request."""
    return [{"name": name, "words": _words(name, value)[1]} for name in _WORDS if (value := reading.get(name))]


def remedies_of(systems: Mapping[str, Evaluation], headline: Iterable[Remedy | None] = ()) -> list[ShownWarning]:
    """Return the warnings about systems that options answer; warnings about the most rows come first.

    Args:
        systems: the evaluations by system name; a single system is not named in the sentences.
        headline: the buttons that the headline already has.
    """
    known = [each["options"].get("reading") for each in headline if each]
    found: dict[tuple[Button, ...], tuple[DataWarning, list[str]]] = {}
    for system, evaluation in systems.items():
        for warning in evaluation.row_warnings:
            if buttons := tuple(each for each in buttons_of(warning) if {each[1]: each[2]} not in known):
                found.setdefault(buttons, (warning, []))[1].append(shown_name(system))
    most = max((len(each) for each in systems.values()), default=0)
    rows = sorted(found.items(), key=lambda item: -(len(item[1][0].rows) or most))
    return [
        {
            "text": f"{_sentence_of_systems(warning, names if len(systems) > len(names) else [])}.",
            "buttons": [{"label": label, "options": {"reading": {name: value}}} for label, name, value in buttons],
        }
        for buttons, (warning, names) in rows
    ]


def _sentence_of_systems(warning: DataWarning, names: Collection[str]) -> str:
    """Return the sentence of a warning, with the names of the systems in place of "predictions"."""
    others = [part for part in warning.diagnostic.parts if part != "predictions"]
    parts = (", ".join(names), *others) if names else warning.diagnostic.parts
    said = sentence_of(replace(warning.diagnostic, parts=parts))
    return said if names else capital(said)


def tries(kind: type[R], score: Callable[[R], str]) -> Callable[[RemedyRequest], Callable[[], Text]]:
    """Return a function that prepares the work for a `RemedyRequest`; the answer is the score of the files."""

    def prepare(asked: RemedyRequest) -> Callable[[], Text]:
        result = KeptResult(results_folder(), asked.run).result
        buttons = [button for each in result["remedies"] for button in each["buttons"]]
        changes = buttons[asked.button]["options"] if asked.button < len(buttons) else {}
        reading = {**result["asked"]["reading"], **changes.get("reading", {})}
        return partial(_text, score, kind.of({**result["asked"], "reading": reading}, uploads_folder()))

    return prepare


def _text(score: Callable[[R], str], request: R) -> Text:
    return {"text": score(request)}

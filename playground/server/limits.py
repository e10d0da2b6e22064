"""Limit the input of the page, so that it never hangs, with an error message for each limit."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from docscore.core.errors import Diagnostic, InputError, InputValueError
from docscore.core.formatting import printable
from docscore.core.values import Value, containers_in, convert_ground_truth, convert_prediction, size
from docscore.inputs.json_text import loads
from docscore.metrics.anls_star.matching import list_tables
from docscore.metrics.entities import readings
from docscore.metrics.nted import document_tree
from playground.server.labels import QUOTED_LABELS

MAX_BYTES = 1_000_000  # of text on each side
MAX_LEAVES = 20_000
MAX_PAIRS = 4_000_000  # of list elements: 2,000 against 2,000 take 300 ms and 100 MB
MAX_FORESTS = 10_000  # a table of 600 rows; two such trees take two seconds
MAX_TEXT = 50_000  # characters of one text: two texts with nothing in common take a second
MAX_FILE_BYTES = 25_000_000  # a file of this size takes half a gigabyte while it is scored
MAX_SLICES = 50  # each slice is resampled for its intervals
LONGEST_SENTENCE = 600
FOLDER_PREFIX = "docscore-page-"  # the folder in which the page keeps uploads and results
_FOLDERS = re.compile(  # of these files, and of the examples
    rf"""(?:{re.escape(str(Path(__file__).resolve().parents[2]))}|[^\s'"]{{0,500}}[\\/]{FOLDER_PREFIX}[^\s'"\\/]+)"""
    r"""(?:[\\/][^\s'"\\/]+)*[\\/]"""
)
_ELSEWHERE = "score it with `docscore score`"
_SMALL = 2_000, 20_000, 40  # values, characters and levels that are scored in milliseconds
_SMALL_PAIRS = 40_000
_SMALL_OTHERS = 200, 5_000, 20  # the same for metrics that compare whole trees


def check_slices(values: Sequence[str]) -> None:
    """Raise `ValueError` if a column has too many different values to make slices."""
    if (count := len(set(values))) > MAX_SLICES:
        most = f"a column with at most {MAX_SLICES} different values"
        raise InputValueError(place="by", expected=most, got=f"{count:,}")


def read_text(text: str | None) -> Any:
    """Parse the JSON value in an editor.

    Raises:
        ValueError: one sentence, with line and column if the text is not JSON.
    """
    text = text or ""
    check_length(text)
    if not text.strip():
        raise InputValueError(problem="empty: paste a JSON value")
    return loads(text, unique_keys=True)


_FILES = {"%PDF": "a PDF", "\x89PNG": "a picture", "PK\x03\x04": "a zip or Office file"}  # by their first bytes


def refuse_files(text: str) -> None:
    """Raise `ValueError` if a text is really the bytes of a file."""
    for begin, kind in _FILES.items():
        if text.lstrip("\ufeff \n").startswith(begin):
            raise InputValueError(problem=f"{kind}, not text: paste the JSON that a model read from it")


def check_length(text: str) -> None:
    """Raise `ValueError` for a text that is too long."""
    if (length := len(text.encode("utf-8", "surrogatepass"))) > MAX_BYTES:
        raise InputValueError(problem=f"too large: {length:,} bytes, {MAX_BYTES:,} at most here; {_ELSEWHERE}")


def check_value(value: Any, is_truth: bool) -> Value:
    """Return the value in plain types.

    Raises:
        TypeError, ValueError: for a value that the page cannot score.
    """
    plain = convert_ground_truth(value) if is_truth else convert_prediction(value)
    if (leaves := size(plain)) > MAX_LEAVES:
        raise InputValueError(problem=f"too large: {leaves:,} values, {MAX_LEAVES:,} at most here; {_ELSEWHERE}")
    for leaf in parts_of(plain):
        if isinstance(leaf, str) and len(leaf) > MAX_TEXT:
            raise InputValueError(
                problem=f"a text of {len(leaf):,} characters, {MAX_TEXT:,} at most here; {_ELSEWHERE}"
            )
    return plain


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the value and every value in it, including the keys of objects."""
    for part in containers_in([[value]]):
        yield from (*part, *part.values()) if isinstance(part, dict) else part


def is_small(truth: Any, prediction: Any, *, whole_trees: bool = False) -> bool:
    """Return whether a pair is scored in milliseconds; the check itself stops as soon as the pair is too large.

    Args:
        truth: any JSON value.
        prediction: any JSON value.
        whole_trees: whether the metric compares whole trees, not only lists.
    """
    if not all(_is_below(value, *(_SMALL_OTHERS if whole_trees else _SMALL)) for value in (truth, prediction)):
        return False
    try:
        both = convert_ground_truth(truth), convert_prediction(prediction)
        return sum(pairs for *_, pairs in list_tables(*both)) <= _SMALL_PAIRS
    except (TypeError, ValueError):  # a refused value takes no time
        return True


def _is_below(value: Any, values: int, characters: int, levels: int) -> bool:
    waiting = [(value, 0)]
    while waiting and values > 0 and characters >= 0:
        part, depth = waiting.pop()
        values -= 1
        if isinstance(part, str):
            characters -= len(part)
        elif isinstance(part, int):
            characters -= part.bit_length()
        elif isinstance(part, dict | list | tuple):
            if depth >= levels or len(part) > values:
                return False
            if isinstance(part, dict):
                characters -= sum(len(key) for key in part if isinstance(key, str))
            waiting += [(each, depth + 1) for each in (part.values() if isinstance(part, dict) else part)]
    return not waiting and characters >= 0


def check_work(truth: Value, prediction: Value) -> None:
    """Raise `ValueError` if comparing each list element with every other would take too long."""
    tables = list(list_tables(truth, prediction))
    if (pairs := sum(of_table for *_, of_table in tables)) > MAX_PAIRS:
        place, *_ = max(tables, key=lambda table: table[-1])
        raise InputValueError(
            problem=f"lists at {place}: {pairs:,} pairs to compare, {MAX_PAIRS:,} at most here; {_ELSEWHERE}"
        )


def check_metric(metric: str, truth: Value, prediction: Value) -> None:
    """Raise `ValueError` if a metric would take too long: large trees for nTED, many alternatives."""
    if metric == "nted":
        most = max(document_tree(value).forests for value in (next(readings(truth, scalars=True)), prediction))
        if most > MAX_FORESTS:
            raise InputValueError(
                problem=f"{most:,} forests to compare for nTED, {MAX_FORESTS:,} at most here; {_ELSEWHERE}"
            )
    if metric in ("kieval", "entity_f1"):
        next(readings(truth, scalars=False))


def shortened(sentence: str, longest: int = LONGEST_SENTENCE) -> str:
    """Return the sentence, with its middle left out if it is too long."""
    if len(sentence) <= longest:
        return sentence
    half = longest // 2
    return f"{sentence[:half]} … {sentence[-half:]}"


def lines_for_visitors(message: InputError | Diagnostic) -> list[str]:
    """Return the lines of a message about an input, which names options by the labels of their controls."""
    return lines_of(str(message.for_remote_users(QUOTED_LABELS)))


def lines_of(text: str) -> list[str]:
    """Return the lines of a message, each shortened, without folders of the server and invisible characters."""
    return [shortened(printable(line)) for line in _FOLDERS.sub("", text).split("\n")]


def check_file(path: Path) -> None:
    """Raise `ValueError` for a file that is too large."""
    if (length := path.stat().st_size) > MAX_FILE_BYTES:
        raise InputValueError(problem=f"{path.name}: {length:,} bytes, {MAX_FILE_BYTES:,} at most here; {_ELSEWHERE}")

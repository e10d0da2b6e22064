"""The edits between two texts, and the characters that a system confuses."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import Levenshtein

from docscore.core.numbers import decimal_of
from docscore.core.options import CompareOptions
from docscore.core.similarity import TEXT_RULES, fold_all, similarity
from docscore.core.values import Scalar, value_excerpt
from docscore.evaluation.tables import Table, table_of, text_column, value_column

MOST_EDITS = 2  # in one value


def spans_of(truth: str, prediction: str, *, ignore_case: bool = True) -> Iterator[tuple[bool, str, str]]:
    """Yield the parts of two texts in order: whether they differ, and both texts. Adjacent edits are one part.

    >>> [part for part in spans_of("Corner 80", "comer 8O") if part[0]]
    [(True, 'rn', 'm'), (True, '0', 'O')]
    """
    compared = truth.lower(), prediction.lower()
    if not ignore_case or (len(truth), len(prediction)) != tuple(map(len, compared)):  # a few letters become two
        compared = truth, prediction
    for is_equal, group in groupby(Levenshtein.opcodes(*compared), key=lambda operation: operation[0] == "equal"):
        (_, start, stop, first, last), *others = group
        if others:
            _, _, stop, _, last = others[-1]
        yield not is_equal, truth[start:stop], prediction[first:last]


def confusions_table(
    unequal: Iterable[tuple[int, Scalar, Scalar]], documents: Sequence[str], options: CompareOptions
) -> Table:
    """Return a table of the edits in all near misses, most documents first.

    Args:
        unequal: the pairs of scalars that lost points, each with the number of its row.
        documents: the ids of the documents; with several runs, the rows of one run follow the rows of the run before.
        options: how texts are compared.
    """
    found: dict[tuple[str, str], Counter[int]] = {}  # the number of values in each document, by edit
    counted_in = left_out = 0
    for number, *pair in unequal:
        left, right = fold_all(pair, options.ignore_case, TEXT_RULES[options.numbers])
        if not similarity(left, right, options.threshold):
            continue
        printed = fold_all(pair, False, TEXT_RULES[options.numbers])  # noqa: FBT003  with its capital letters
        numbers = [*map(decimal_of, printed)]
        if numbers[0] is not None and numbers[0] == numbers[1]:  # 12.50 and 12.5: no character is misread
            continue
        edits = [edit for differs, *edit in spans_of(*printed, ignore_case=options.ignore_case) if differs]
        left_out += len(edits) > MOST_EDITS
        counted_in += 0 < len(edits) <= MOST_EDITS
        for expected, predicted in {*map(tuple, edits)} if len(edits) <= MOST_EDITS else ():
            found.setdefault((expected, predicted), Counter())[number % len(documents)] += 1
    rows = [
        {
            "expected": expected,
            "predicted": predicted,
            "documents": len(times),
            "values": times.total(),
            "question_id": documents[next(iter(times))],
        }
        for (expected, predicted), times in found.items()
    ]
    table = table_of(
        "Characters that are confused in near misses",
        sorted(rows, key=lambda row: (-row["documents"], -row["values"], row["expected"], row["predicted"])),
        value_column("expected", "expected", value_excerpt, kind="code"),
        value_column("predicted", "predicted", value_excerpt, kind="code"),
        value_column("documents", "documents"),
        value_column("values", "values"),
        text_column("question_id", "such as"),
        unit="edits",
    )
    near = counted_in + left_out
    return replace(
        table, footnotes=(f"Near misses with more than {MOST_EDITS} edits are left out: {left_out:,} of {near:,}.",)
    )

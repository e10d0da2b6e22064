"""A review of ground truths: verdicts on differences, the corrected ground truths, and estimates from a sample."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

from docscore.core.errors import (
    Diagnostic,
    InputValueError,
    RowErrors,
    at_place,
    both_places,
    diagnostic_of,
    row_place,
    short_repr,
)
from docscore.core.formatting import FOUR_DIGITS, counted, shown_name, with_sign
from docscore.core.options import read_and_compare_options
from docscore.core.output import write_whole
from docscore.core.runtime import grouped
from docscore.core.values import ONE_OF, Value, convert_ground_truth, to_json, value_excerpt
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.sources import evaluate
from docscore.evaluation.tables import (
    LISTED,
    NO_VALUE,
    Content,
    Table,
    TableCell,
    TableColumn,
    table_of,
    text_column,
    value_column,
)
from docscore.inputs.formats import read_table
from docscore.inputs.json_text import dumps, dumps_in_style
from docscore.inputs.pairing import read_ground_truths
from docscore.inputs.rows import ID, NoCell
from docscore.stats.intervals import CONFIDENCE, SEED
from docscore_review.agreement import Agreement, agreement_of
from docscore_review.correction import corrected_rows
from docscore_review.estimate import Estimate, estimate_of
from docscore_review.worklist import (
    BOTH,
    GROUND_TRUTH,
    GROUP,
    OTHER,
    PREDICTION,
    UNCLEAR,
    VERDICTS,
    Identity,
    Item,
    Steps,
    answers_of,
    decided_value,
    hash_of,
    identities_of,
    place_of,
    value_text,
    worklist,
)

MOST_OPTIONAL = 3  # groups of optional rows per document, since each group doubles the acceptable answers


class Review:
    """A review: the places where predictions differ from ground truths, each with a verdict on which side is right.

    Args:
        lines: the items, one for each line of its file; set verdicts in place.
        left_out: per system, how many predictions were left out because they are missing or could not be parsed, and
            the part of the score that these lose.
        without_text: how many documents have no text, out of how many, and a sentence that names them; 0 of 0 without
            documents.

    Attributes:
        lines: the argument of that name.
        left_out: the argument of that name; empty for a review that was read from a file.
        without_text: the argument of that name.
        carried: how many verdicts of other reviews were carried over, out of how many.

    >>> import docscore_review
    >>> truths, predictions = {"a": {"qty": 2}, "b": {"qty": 5}}, {"a": {"qty": 3}, "b": {"qty": 5}}
    >>> review = docscore_review.review(truths, {"gpt": predictions})
    >>> [(item.question_id, item.path, item.kind) for item in review.lines]
    [('a', '$.qty', 'other value')]
    >>> review.lines[0].verdict = "prediction"
    >>> review.apply(truths)
    [{'question_id': 'a', 'references': [{'qty': 3}]}, {'question_id': 'b', 'references': [{'qty': 5}]}]
    """

    def __init__(
        self,
        lines: Sequence[Item],
        left_out: Mapping[str, tuple[int, float]] | None = None,
        without_text: tuple[int, int, str] = (0, 0, ""),
    ) -> None:
        self.lines, self.left_out, self.without_text = list(lines), dict(left_out or {}), without_text
        self.carried = (0, 0)

    @classmethod
    def read(cls, path: str | Path) -> "Review":
        """Read a review from its file.

        Raises:
            ValueError: if a line is not an item, has an unknown verdict or repeats another line; the message names
                the line.
        """
        table, items = read_table(Path(path)), []
        for index, line in enumerate(table.rows):
            try:
                item = Item.from_dict(line)
            except ValueError as error:
                raise at_place(table.where(index), error) from None
            if item.verdict not in (None, *VERDICTS):
                expected, got = f"a verdict among {', '.join(VERDICTS)}, or null", short_repr(item.verdict)
                raise InputValueError(place=table.where(index), expected=expected, got=got)
            if item.scope not in (None, GROUP):
                raise InputValueError(
                    place=table.where(index), expected=f'"for": "{GROUP}"', got=short_repr(item.scope)
                )
            items.append(item)
        known: dict[Identity, int] = {}
        for index, identity in enumerate(identities_of(items)):
            first = known.setdefault(identity, index)
            if first != index:
                place = both_places(table.where(first), table.where(index))
                raise InputValueError(place=place, problem="the same place of the same document; keep one of them")
        return cls(items)

    def write(self, path: str | Path) -> Path:
        """Write the items as JSONL, one item per line, and return the path."""
        write_whole(
            Path(path), "".join(f"{dumps_in_style(item.to_dict(), ensure_ascii=False)}\n" for item in self.lines)
        )
        return Path(path)

    @property
    def settled(self) -> list[Item]:
        """The items, each with its own verdict, or else with the verdict on its group in the document."""
        of_groups = {_group(item): item for item in self.lines if item.scope and item.verdict not in (None, OTHER)}
        return [
            replace(item, verdict=of.verdict, by=of.by, at=of.at)
            if item.verdict is None and (of := of_groups.get(_group(item)))
            else item
            for item in self.lines
        ]

    @property
    def decisions(self) -> int:
        """The number of decisions that can settle all items: one per document and group of similar differences."""
        return len(set(map(_group, self.lines)))

    @property
    def items(self) -> Table:
        """The items, most likely errors first: the first item of each group in a document, then the other items."""
        counts = Counter(map(_group, self.lines))
        more = {_group(item): (item, counts[_group(item)] - 1) for item in reversed(self.lines)}

        def verdict_of_twin(item: Item) -> str | None:
            first, others = more[_group(item)]
            return f"and {others:,} more like it" if first is item and others else None

        return table_of(
            "Places",
            self.lines,
            value_column("agree", "agree", "{:.3g}".format),
            value_column("of", "of"),
            text_column(ID, "document"),
            text_column("path", "path", lambda item: item.path if item.row is None else f"{item.path}, new row"),
            _side_column("ground_truth", "ground truth"),
            _side_column("proposal", "prediction"),
            text_column("kind", "kind", kind="text"),
            value_column("more", "", str, verdict_of_twin, kind="text", none=""),
            value_column("verdict", "verdict", str, kind="text", none=""),
            unit="places",
        )

    @property
    def groups(self) -> Table:
        """The groups of similar differences in one field, with the most points at stake first."""
        rows = [
            {
                "group": name,
                "places": len(items),
                "documents": len({item.question_id for item in items}),
                "decided": sum(item.verdict is not None for item in items),
                "agree": sum(item.agree / item.of for item in items) / len(items),
                "points": sum(sum(item.points.values()) for item in items),
            }
            for name, items in grouped((item.group, item) for item in self.settled).items()
        ]
        return table_of(
            "Groups",
            sorted(rows, key=lambda row: -row["points"]),
            text_column("group", "group"),
            *(value_column(name, name) for name in ("places", "documents", "decided")),
            value_column("agree", "systems that agree", "{:.0%}".format),
            value_column("points", "points", FOUR_DIGITS),
            unit="groups",
        )

    @property
    def counts(self) -> dict[str, int]:
        """How many items have each verdict, directly or by their group, and how many have none ("open")."""
        counts = Counter(item.verdict or "open" for item in self.settled)
        return {name: counts[name] for name in (*VERDICTS, "open")}

    def corrected(self, ids: Iterable[str], truths: Iterable[Value]) -> dict[str, Value]:
        """Return the ground truths that the verdicts change, by document id.

        Raises:
            ValueError: if a document is gone, if its ground truth has changed since the review, or if a verdict
                cannot be applied; the message lists all such cases.
        """
        known, row_errors = dict(zip(ids, truths, strict=True)), RowErrors()
        changed: dict[str, Value] = {}
        for name, items in grouped((item.question_id, item) for item in self.settled).items():
            place = (row_place(name),)
            if name not in known:
                row_errors.add("document that is gone", Diagnostic(place, problem="not among the ground truths"))
            elif {item.judged for item in items} != {hash_of(known[name])}:
                problem = "the ground truth has changed since the review, or the verdicts are already applied"
                row_errors.add("ground truth that was changed", Diagnostic(place, problem=problem))
            else:
                errors: list[Exception] = []
                value = known[name]
                try:
                    value = _corrected(value, items, errors)
                except (TypeError, ValueError) as error:
                    errors.append(error)
                for each in errors:
                    row_errors.add("verdict that cannot be applied", diagnostic_of(each).within(place[0]))
                changed |= {name: value} if dumps(value) != dumps(known[name]) else {}
        row_errors.stop_if_any()
        return changed

    def check(self, references: Any, **options: Any) -> None:
        """Check that `apply` can apply the verdicts so far to these ground truths; it takes the same arguments.

        Raises:
            ValueError: as for `corrected`.
        """
        reading, _ = read_and_compare_options(options)
        rows = read_ground_truths(references, reading)
        self.corrected(rows.ids, rows.values)

    def apply(self, references: Any, output: str | Path | None = None, **options: Any) -> list[Any]:
        """Correct ground truths by the verdicts: apply all verdicts, or none if one cannot be applied.

        Args:
            references: the ground truths that were reviewed, as for `docscore.evaluate`.
            output: the file to write, in the format of the file of references or as JSONL; None for none. It keeps
                all other columns, and the lines of unchanged rows stay the same byte for byte.
            options: options of `docscore.evaluate` that locate ids and ground truths, and `delimiter`.

        Returns:
            The rows of the references, corrected.

        Raises:
            ValueError: as for `corrected`; also if the format of the output cannot hold a value.
            OSError: if a file cannot be read or written.
        """
        reading, _ = read_and_compare_options(options)
        rows = read_ground_truths(references, reading)
        return corrected_rows(references, rows, self.corrected(rows.ids, rows.values), output, reading)

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """Estimate how much of its loss the sampled system caused itself; needs a review with `sample`.

        Args:
            confidence: the level of the intervals, which treat documents as clusters.

        Raises:
            ValueError: if the review is not a sample of one system, or if a draw has no verdict.
        """
        return estimate_of(self.settled, confidence)

    def agreement(self, other: "Review", confidence: float = CONFIDENCE) -> Agreement:
        """Compare the verdicts of two readers of the same list.

        Args:
            other: the review of the other reader.
            confidence: the level of the interval, which treats documents as clusters.

        Raises:
            ValueError: if the readers decided no place in common.
        """
        return agreement_of(self.settled, other.settled, confidence)

    def carry(self, others: Iterable["Review"]) -> None:
        """Carry over verdicts of other reviews to open items of the same document, path and values.

        The ground truth must be the same, and so must the prediction that a verdict chooses. A verdict that chooses
        none needs an item whose proposal the other review had too. A verdict goes to the same item if it exists, else
        to the first item that fits. Verdicts that contradict each other are not carried over.
        """
        places = grouped(
            (place_of(item), (identity, item))
            for identity, item in zip(identities_of(self.lines), self.lines, strict=True)
            if item.verdict is None
        )
        found, count = [], 0
        for other in others:
            for identity, old in zip(identities_of(other.lines), other.settled, strict=True):
                if old.verdict is None:
                    continue
                count += 1
                fitting = [
                    ((new != identity, new.row != identity.row), item)
                    for new, item in places.get(place_of(old), ())
                    if _fits(old, item)
                ]
                if fitting:
                    _, item = min(fitting, key=itemgetter(0))
                    found.append((id(item), (item, old)))
        carried = 0
        for pairs in grouped(found).values():
            item, old = pairs[-1]
            if len({(each.verdict, value_text(decided_value(each))) for _, each in pairs}) == 1:
                item.verdict, item.note, item.by, item.at = old.verdict, old.note, old.by, old.at
                value = decided_value(old)
                is_proposal = old.verdict != OTHER and value_text(value) == value_text(item.proposal)
                if old.verdict in (PREDICTION, BOTH, OTHER) and not is_proposal:
                    item.value = None if value is NoCell else value
                carried += len(pairs)
        self.carried = carried, count

    @property
    def left_out_lines(self) -> list[str]:
        """Sentences that say how many predictions of each system are left out."""
        return [
            f"{shown_name(name)}: {counted(count, 'prediction')} missing or not parsed cost {lost:.4f} of its score"
            for name, (count, lost) in self.left_out.items()
            if count
        ]

    @property
    def notes(self) -> list[str]:
        """Sentences that say how many documents have no text and how many verdicts were carried over."""
        (*_, silent), (carried, verdicts) = self.without_text, self.carried
        notes = [f"{silent}."] if silent else []
        if verdicts:
            rest = "the others have no such place or value here, or contradict each other"
            end = f"; {rest}." if carried < verdicts else "."
            notes.append(f"{carried:,} of {counted(verdicts, 'verdict')} carried over{end}")
        return notes

    @property
    def tables(self) -> list[Table]:
        """The groups and the items, cut to what a terminal shows; empty if no system loses points."""
        return [table.first(LISTED) for table in (self.groups, self.items) if table]

    @property
    def footnotes(self) -> list[str]:
        """The sentences that a terminal prints below the tables."""
        places, decisions = counted(len(self.lines), "place"), counted(self.decisions, "decision")
        alike = [f"{places}, {decisions}: one verdict can apply to all similar places of a document."]
        first = (alike if self.decisions < len(self.lines) else []) if self.lines else ["No system loses points."]
        left_out = ["\n  ".join(["Left out", *self.left_out_lines])] if self.left_out_lines else []
        return [*first, *left_out, *self.notes]

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables), *self.footnotes])

    def _repr_html_(self) -> str:
        return "\n".join(table.first(LISTED)._repr_html_() for table in (self.groups, self.items))

    def __repr__(self) -> str:
        return f"<Review {counted(len(self.lines), 'place')}, {self.counts['open']:,} open>"


def _group(item: Item) -> tuple[str, str]:
    """Return the document and the group of an item."""
    return item.question_id, item.group


def _fits(old: Item, item: Item) -> bool:
    """Return whether the verdict of an old item also applies to an item with the same ground truth."""
    if old.verdict not in (PREDICTION, BOTH):
        return value_text(item.proposal) in map(value_text, answers_of(old))
    return value_text(decided_value(old)) in map(value_text, answers_of(item))


def _side_column(name: str, head: str) -> Content:
    def cell_of(item: Item) -> TableCell:
        value = getattr(item, name)
        return TableCell(None, NO_VALUE) if value is NoCell else TableCell(value, shown_name(value_excerpt(value)))

    return TableColumn(name, head, "code"), cell_of


# The corrected ground truth of a document


_STEP = re.compile(r'\.([^\s.\[\]"]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')
_ESCAPE = re.compile(r"\\(?:U([0-9a-f]{8})|.)")


def steps_of(path: str) -> Steps:
    """Return the steps of a path such as `$.items[2]["unit price"]`.

    Raises:
        ValueError: if the text is not such a path.

    >>> steps_of('$.items[2]["unit price"]')
    ('items', 2, 'unit price')
    """
    matches = list(_STEP.finditer(path))
    if "$" + "".join(match[0] for match in matches) != path:
        raise InputValueError(expected="a path such as $.items[2].price", got=short_repr(path))
    return tuple(
        key or (int(index) if index else json.loads(_ESCAPE.sub(_unescaped, quoted)))
        for key, index, quoted in (match.groups() for match in matches)
    )


def _unescaped(escape: re.Match[str]) -> str:
    """Return the character that an escape of eight digits names, which JSON does not have; keep other escapes."""
    return chr(int(escape[1], 16)) if escape[1] else escape[0]


def _corrected(truth: Value, items: Sequence[Item], errors: list[Exception]) -> Value:
    """Apply the verdicts of all items of a document to its ground truth; add to `errors` what cannot be applied.

    Optional rows (verdict `both`) add acceptable answers: one with the rows of each group and one without them.
    """
    optional = {id(item) for item in items if item.verdict == BOTH and is_whole_row(item)}
    groups = list(dict.fromkeys(item.group for item in items if id(item) in optional))
    if len(groups) > MOST_OPTIONAL:
        expected = f"at most {MOST_OPTIONAL} groups of optional rows in a document, with the verdict {BOTH}"
        errors.append(InputValueError(expected=expected, got=f"{len(groups)}: {', '.join(groups)}"))
        return truth
    answers: dict[str, Value] = {}
    for sides in product((GROUND_TRUTH, PREDICTION), repeat=len(groups)):
        side = dict(zip(groups, sides, strict=True))
        chosen = [replace(item, verdict=side[item.group]) if id(item) in optional else item for item in items]
        value = _edited(truth, chosen, errors)
        if not groups:
            return value
        answers |= {dumps(answer): answer for answer in (value if isinstance(value, tuple) else (value,))}
    return tuple(answers.values())


def _edited(truth: Value, items: Sequence[Item], errors: list[Exception]) -> Value:
    """Apply the verdicts of a document without optional rows; paths refer to the ground truth before the changes."""
    root: dict[str, Any] = {"$": to_json(truth)}
    values, added = _changes(truth, root, items, errors)
    if errors:
        return truth
    lists = {steps: _at(root, steps) for steps in added}
    for steps, parent in [(steps, _at(root, steps[:-1])) for steps in values]:
        if values[steps] is not NoCell:
            parent[steps[-1]] = values[steps]
        elif isinstance(parent, list):
            lists[steps[:-1]] = parent
        else:
            parent.pop(steps[-1], None)
    for steps, rows in lists.items():
        new = sorted(added.get(steps, []), key=lambda row: row[:2])
        kept = [row for after, _, row in new if after == -1]
        for index, row in enumerate(rows):
            kept += [] if values.get((*steps, index)) is NoCell else [row]
            kept += [row for after, _, row in new if after == index]
        rows[:] = kept
    value = convert_ground_truth(root["$"])
    return (value,) if isinstance(truth, tuple) and not isinstance(value, tuple) else value


def _changes(
    truth: Value, root: dict[str, Any], items: Sequence[Item], errors: list[Exception]
) -> tuple[dict[Steps, Any], dict[Steps, list[tuple[int, int, Any]]]]:
    """Collect the changes to a ground truth; add to `errors` the verdicts that contradict it or each other.

    Returns:
        The new value of each place, `NoCell` to remove the place; and the new rows of each list, as tuples of the
        index of the row that the new row follows (-1 for none), its index in the prediction, and its value.
    """
    values: dict[Steps, Any] = {}
    added: dict[Steps, list[tuple[int, int, Any]]] = {}
    paths: dict[Steps, str] = {}
    of_groups: dict[str, str | None] = {}
    for item in items:
        try:
            steps, parent = _parent(truth, root, item)
            new = _decided(item, None if item.row is not None else _part(parent, steps[-1]))
            if item.scope and of_groups.setdefault(item.group, item.verdict) != item.verdict:
                raise InputValueError(place=item.path, problem="two verdicts for one group")
            if new and item.row is not None:
                added.setdefault(steps, []).append((-1 if item.after is None else item.after, item.row, *new))
            elif new and values.setdefault(steps, *new) is not new[0] and values[steps] != new[0]:
                raise InputValueError(place=item.path, problem="two verdicts on one place")
            paths[steps] = item.path
        except ValueError as error:  # noqa: PERF203  collect every error
            errors.append(error)
    for steps in (*values, *added):
        if any(steps[:length] in values for length in range(1, len(steps) + (steps in added))):
            problem = "another verdict replaces or removes the object or list that contains this place"
            errors.append(InputValueError(place=paths[steps], problem=problem))
    return values, added


def _parent(truth: Value, root: Any, item: Item) -> tuple[Steps, Any]:
    """Return the steps to an item's place, and the object or list that holds it; for a new row, the steps of its list.

    Raises:
        ValueError: if the ground truth has no such place.
    """
    steps, is_new = _steps_in(truth, item), item.row is not None
    parent = _at(root, steps if is_new else steps[:-1])
    is_place = isinstance(parent, list) if is_new else isinstance(parent, dict | list)
    if not is_place or (isinstance(parent, list) and not is_new and _part(parent, steps[-1]) is NoCell):
        raise InputValueError(place=item.path, problem="the ground truth has no such place")
    if is_new and item.after is not None and item.after not in range(len(parent)):
        expected = "the index of a row, or null, under 'after'"
        raise InputValueError(place=item.path, expected=expected, got=short_repr(item.after))
    return steps, parent


def is_whole_row(item: Item) -> bool:
    """Return whether an item is an element of a list that only one side has."""
    is_of_one_side = (item.ground_truth is NoCell) != (item.proposal is NoCell)
    return item.row is not None or (is_of_one_side and isinstance(next(reversed(steps_of(item.path)), None), int))


def around(truth: Value, item: Item) -> Any:
    """Return, in JSON, the object or list that holds an item's place: the list of a new row; the root for the root."""
    steps = _steps_in(truth, item)
    return _at({"$": to_json(truth)}, steps if item.row is not None or len(steps) == 1 else steps[:-1])


def _steps_in(truth: Value, item: Item) -> Steps:
    """Return the steps to an item's place, from an object that holds the ground truth at the key `$`."""
    steps = steps_of(item.path)
    if isinstance(truth, tuple) and (steps or item.row is not None):
        return ("$", ONE_OF, item.reference or 0, *steps)
    return ("$", *steps)


def _at(root: Any, steps: Steps) -> Any:
    """Return the list or object at a place."""
    return reduce(_part, steps, root)


def _part(value: Any, step: str | int) -> Any:
    """Return the part at a key or an index; `NoCell` if it does not exist."""
    if isinstance(value, dict):
        return value.get(step, NoCell)
    return value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else NoCell


def _decided(item: Item, current: Any) -> tuple[Any] | None:
    """Return the value that an item's verdict sets, `NoCell` to remove the place; None for no change."""
    verdict, place = item.verdict, item.path
    if verdict is None or verdict in (GROUND_TRUTH, UNCLEAR):
        return None
    if item.scope and (verdict == OTHER or item.value is not NoCell):
        problem = "a verdict for a group uses the proposal of each place, so it has no value"
        raise InputValueError(place=place, problem=problem, remedy="decide the places one by one")
    if verdict == OTHER:
        if item.value is NoCell:
            raise InputValueError(place=place, expected="a value with the verdict other", got="none")
        return (item.value,)
    proposal = decided_value(item)
    if value_text(proposal) not in map(value_text, answers_of(item)):
        raise InputValueError(place=place, expected="one of the predictions as the value", got=short_repr(proposal))
    if proposal is not NoCell and f'"{ONE_OF}": ' in dumps(proposal):
        problem = f"the prediction has a key {ONE_OF!r}, which would mean acceptable answers in a ground truth"
        raise InputValueError(place=place, problem=problem)
    if verdict == PREDICTION:
        return (proposal,)
    options = current[ONE_OF] if isinstance(current, dict) and ONE_OF in current else [current]
    options, added = ([None if part is NoCell else part for part in parts] for parts in (options, [proposal]))
    return ({ONE_OF: options if dumps(added[0]) in map(dumps, options) else options + added},)


def review(
    references: Any,
    predictions: Any,
    *,
    documents: Any = None,
    text_column: str | None = None,
    verdicts: Iterable[Review | str | Path] = (),
    hold_out: Sequence[str] = (),
    same: Sequence[str] = (),
    sample: int = 0,
    agreements: int = 0,
    of: str | None = None,
    seed: int = SEED,
    **options: Any,
) -> Review:
    """List where predictions differ from the ground truths; the most likely errors of the ground truth come first.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        predictions: the predictions by system name, each as for `docscore.evaluate`; for a single system, a path, a
            list or a data frame is enough.
        documents: the documents in which values are looked up: a folder with `ID.pdf`, `ID.hocr` or `ID.txt`, or a
            dict of texts by id.
        text_column: the column of the references that holds the texts of the documents.
        verdicts: reviews, or their files, whose verdicts are carried over; see `Review.carry`.
        hold_out: names of systems that make no proposals. Use them to check that corrections do not lower the scores
            of systems that had no part in them.
        same: names of systems that count as one, since they share errors.
        sample: how many places of one system to sample for `Review.estimate`, with replacement, in proportion to the
            points that the system loses there; 0 for all places of all systems.
        agreements: how many places where that system earns all points to sample, in proportion to their weight.
        of: the name of that system; None for the first.
        seed: the seed of the random numbers.
        options: options of `docscore.evaluate`. The primary metric is "anls_star" or "typed".

    Returns:
        The review. With a single system, items are ordered by its confidences first.

    Raises:
        TypeError, ValueError: as `docscore.evaluate`; also for unknown systems, unsupported metrics, different
            documents, or a sample of a system that loses no points.
    """
    sides = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    evaluations = {name: _evaluated(name, references, side, options) for name, side in sides.items()}
    return review_of(
        evaluations,
        documents=documents,
        text_column=text_column,
        verdicts=verdicts,
        hold_out=hold_out,
        same=same,
        sample=sample,
        agreements=agreements,
        of=of,
        seed=seed,
    )


def corrections_table(before: Mapping[str, Evaluation], after: Mapping[str, Evaluation]) -> Table:
    """Return the scores of systems before and after the correction, and whether their order changed."""
    rows = [(name, before[name].score, after[name].score) for name in before]
    orders = [sorted(side, key=lambda name: -side[name].score) for side in (before, after)]
    order = "unchanged" if orders[0] == orders[1] else f"{', '.join(orders[0])}, now {', '.join(orders[1])}"
    label = next(iter(before.values())).figure_names[0].label if before else "Scores"
    table = table_of(
        f"{label} with the corrected ground truths",
        rows,
        text_column("system", "system", itemgetter(0)),
        value_column("before", "before", FOUR_DIGITS, itemgetter(1)),
        value_column("after", "after", FOUR_DIGITS, itemgetter(2)),
        value_column("difference", "difference", with_sign, lambda row: row[2] - row[1]),
        unit="systems",
    )
    return replace(table, footnotes=(f"order: {order}",) if len(rows) > 1 else ())


def _evaluated(name: str, references: Any, predictions: Any, options: Mapping[str, Any]) -> Evaluation:
    """Evaluate one of several systems; error messages name the system."""
    try:
        return evaluate(references=references, predictions=predictions, confidence=None, **options)
    except (TypeError, ValueError) as error:
        place = f"system {name!r}"
        raise at_place(place, error) from None


def review_of(
    evaluations: Mapping[str, Evaluation], *, verdicts: Iterable[Review | str | Path] = (), **settings: Any
) -> Review:
    """Review systems that are already scored, with the arguments and errors of `docscore_review.review`."""
    given = [verdicts] if isinstance(verdicts, str | Path | Review) else verdicts
    earlier = [each if isinstance(each, Review) else Review.read(each) for each in given]
    found = Review(*worklist(evaluations, **settings))
    found.carry(earlier)
    return found

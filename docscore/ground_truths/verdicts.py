"""A review of ground truths: verdicts on differences, the ground truths that they correct, what a sample estimates."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from docscore.core.errors import Diagnostic, Faults, InputValueError, at_place, diagnostic_of, row_place, short_repr
from docscore.core.formatting import FOUR_DIGITS, counted, shown_name, with_sign
from docscore.core.output import write_whole
from docscore.core.runtime import grouped
from docscore.core.values import ONE_OF, Value, convert_ground_truth, to_json, value_excerpt
from docscore.data.formats import read_table
from docscore.data.json_text import dumps, dumps_in_style
from docscore.data.pairing import read_ground_truths
from docscore.data.rows import ID, NoCell
from docscore.evaluation.evaluation import Evaluation
from docscore.evaluation.rows import Scored, scored_rows
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
from docscore.ground_truths.correction import corrected_rows
from docscore.ground_truths.worklist import AGREEMENT, Item, Steps, hash_of, worklist
from docscore.stats.intervals import CONFIDENCE, SEED, wilson_interval

GROUND_TRUTH, PREDICTION, BOTH, OTHER, UNCLEAR = "ground_truth", "prediction", "both", "other", "unclear"
VERDICTS = (GROUND_TRUTH, PREDICTION, BOTH, OTHER, UNCLEAR)

Share = tuple[float, float, float]  # a share of the loss with the ends of its interval


class Estimate(NamedTuple):
    """What a sample of lost points says of a system's loss.

    Each share has its interval; there are two of each, with verdicts `unclear` counted as the system's errors, and as
    those of the ground truth.

    Attributes:
        system: its name.
        score: its score.
        loss: the loss that the sample is drawn from: without predictions that are missing or could not be parsed.
        draws: how many places were drawn, those that were drawn again counted again.
        unclear: how many of the draws have the verdict `unclear`.
        returning: the share of the loss that comes back with right ground truths.
        wrong: the share of the loss at places whose ground truth is wrong or incomplete.
        corrected: the score with right ground truths.
        agreements: how many places without a loss were drawn.
        shared: the share of the points earned at places whose ground truth is wrong, and the prediction too.
    """

    system: str
    score: float
    loss: float
    draws: int
    unclear: int
    returning: tuple[Share, Share]
    wrong: tuple[Share, Share]
    corrected: tuple[Share, Share]
    agreements: int = 0
    shared: tuple[Share, Share] | None = None

    def __str__(self) -> str:
        returns, wrong, scores = (
            _either(shares, self.unclear, text)
            for shares, text in (
                (self.returning, _percent),
                (self.wrong, _percent),
                (self.corrected, lambda share: "{:.3f} ({:.3f} to {:.3f})".format(*share)),
            )
        )
        comes_back = f"Of {self.system}'s loss of {self.loss:.3f}, {returns} comes back with right ground truths"
        at = f"At {wrong} of it the ground truth is wrong or incomplete."
        lines = [f"{comes_back}: its score would be about {scores}. {at}"]
        if self.unclear:
            counts = f"{self.unclear:,} of {counted(self.draws, 'draw')} are unclear"
            lines.append(f"{counts}: the first figures count them as the system's errors, the second ones do not.")
        apart = 1 - self.score - self.loss
        if apart > 1e-9:  # noqa: PLR2004
            lines.append(f"A loss of {apart:.3f} by predictions that are missing or could not be parsed is left out.")
        if self.shared is None:
            lines.append("What is wrong on both sides is not in this sample: --agreements N draws it.")
        else:
            lines.append(
                f"Of the points earned, {_either(self.shared, 1, _percent)} are at places where both sides are wrong "
                f"({counted(self.agreements, 'draw')})."
            )
        return "\n".join(lines)


def _percent(share: Share) -> str:
    value, low, high = (f"{100 * part:.0f}" for part in share)
    return f"{value} % ({low} to {high} %)"


def _either(shares: tuple[Share, Share], unclear: int, text: Any) -> str:
    """Both shares as text, or one where nothing is unclear."""
    return " or ".join(dict.fromkeys(map(text, shares if unclear else shares[:1])))


class Review:
    """A review: places where predictions differ from ground truths, and whose error each is.

    Args:
        lines: the items, one for each line of its file; set verdicts in place.
        left_out: for each system how many predictions are left out, since they are missing or could not be parsed, and
            the part of the score that they lose.

    Attributes:
        lines: as given.
        left_out: as given; empty for a review that was read from a file.

    >>> import docscore
    >>> truths, predictions = {"a": {"qty": 2}, "b": {"qty": 5}}, {"a": {"qty": 3}, "b": {"qty": 5}}
    >>> review = docscore.review(truths, {"gpt": predictions})
    >>> [(item.question_id, item.path, item.kind) for item in review.lines]
    [('a', '$.qty', 'other value')]
    >>> review.lines[0].verdict = "prediction"
    >>> review.apply(truths)
    [{'question_id': 'a', 'references': [{'qty': 3}]}, {'question_id': 'b', 'references': [{'qty': 5}]}]
    """

    def __init__(self, lines: Sequence[Item], left_out: Mapping[str, tuple[int, float]] | None = None) -> None:
        self.lines, self.left_out = list(lines), dict(left_out or {})

    @classmethod
    def read(cls, path: str | Path) -> "Review":
        """Read a review from its file.

        Raises:
            ValueError: for a line that is not an item, or whose verdict is unknown, naming the line.
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
            items.append(item)
        return cls(items)

    def write(self, path: str | Path) -> Path:
        """Write the items as JSONL, one a line, and return the path."""
        write_whole(
            Path(path), "".join(f"{dumps_in_style(item.to_dict(), ensure_ascii=False)}\n" for item in self.lines)
        )
        return Path(path)

    @property
    def items(self) -> Table:
        """The items, most likely an error of the ground truth first."""
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
            value_column("verdict", "verdict", str, kind="text", none=""),
            unit="places",
        )

    @property
    def groups(self) -> Table:
        """The groups of alike differences in one field, those with most points at stake first."""
        rows = [
            {
                "group": name,
                "places": len(items),
                "documents": len({item.question_id for item in items}),
                "decided": sum(item.verdict is not None for item in items),
                "agree": sum(item.agree / item.of for item in items) / len(items),
                "points": sum(sum(item.points.values()) for item in items),
            }
            for name, items in grouped((item.group, item) for item in self.lines).items()
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
        """How many items have each verdict, and how many have none, as "open"."""
        counts = Counter(item.verdict or "open" for item in self.lines)
        return {name: counts[name] for name in (*VERDICTS, "open")}

    def corrected(self, ids: Iterable[str], truths: Iterable[Value]) -> dict[str, Value]:
        """Return the ground truths that the verdicts change, by the ids of their documents.

        Raises:
            ValueError: with a list, for a document that is gone or whose ground truth is not the one that was judged,
                and for verdicts that cannot be applied.
        """
        known, faults = dict(zip(ids, truths, strict=True)), Faults()
        changed: dict[str, Value] = {}
        for name, items in grouped((item.question_id, item) for item in self.lines).items():
            place = (row_place(name),)
            if name not in known:
                faults.add("document that is gone", Diagnostic(place, problem="not among the ground truths"))
            elif {item.judged for item in items} != {hash_of(known[name])}:
                problem = "the ground truth is not the one that was judged: already applied, or changed since"
                faults.add("ground truth that was changed", Diagnostic(place, problem=problem))
            else:
                try:
                    value = _edited(known[name], items)
                except (TypeError, ValueError) as error:
                    faults.add("verdict that cannot be applied", diagnostic_of(error).within(place[0]))
                else:
                    changed |= {name: value} if dumps(value) != dumps(known[name]) else {}
        faults.stop_if_any()
        return changed

    def apply(self, references: Any, output: str | Path | None = None, **options: Any) -> list[Any]:
        """Correct ground truths by the verdicts: all of them at once, or none.

        Args:
            references: the ground truths that were judged, as for `docscore.evaluate`.
            output: the file to write, in the format of the file of references or as JSONL; None for none. It has all
                other columns, and lines of rows that do not change are equal byte for byte.
            options: options of `docscore.evaluate` that say where ids and ground truths are, and `delimiter`.

        Returns:
            The rows of the references, corrected.

        Raises:
            ValueError: as for `corrected`; also if the format of the output cannot hold a value.
            OSError: if a file cannot be read or written.
        """
        rows = read_ground_truths(references, options)
        return corrected_rows(references, rows, self.corrected(rows.ids, rows.values), output, options)

    def estimate(self, confidence: float = CONFIDENCE) -> Estimate:
        """Estimate how much of the loss of the sampled system is its own; for a review with `sample`.

        Draws are independent, so that Wilson's interval holds for shares of them, and a share of the draws is one of
        the points.

        Args:
            confidence: the level of the intervals.

        Raises:
            ValueError: for a review that is no sample, or of several systems, and for draws without a verdict.
        """
        lossy = [item for item in self.lines if item.kind != AGREEMENT]
        exact = [item for item in self.lines if item.kind == AGREEMENT]
        systems = {(item.sample or {}).get("system", "") for item in self.lines}
        if not lossy or len(systems) != 1 or "" in systems:
            raise InputValueError(
                place="review", expected="the sample of one system, as list --sample N draws", got="another review"
            )
        if self.counts["open"]:
            got = f"{counted(self.counts['open'], 'place')} without one"
            raise InputValueError(place="review", expected="a verdict for each place of the sample", got=got)
        facts, draws = lossy[0].sample or {}, _draws(lossy)
        if draws != facts["draws"]:
            raise InputValueError(place="review", expected=f"{facts['draws']:,} draws", got=f"{draws:,}")

        def shares(items: Sequence[Item], *verdicts: str) -> tuple[Share, Share]:
            return _share(items, verdicts, confidence), _share(items, (*verdicts, UNCLEAR), confidence)

        returning = shares(lossy, PREDICTION, BOTH)
        score, loss = facts["score"], facts["loss"]
        corrected: Any = tuple(tuple(score + loss * part for part in share) for share in returning)
        return Estimate(
            facts["system"],
            score,
            loss,
            draws,
            _draws(item for item in lossy if item.verdict == UNCLEAR),
            returning,
            shares(lossy, PREDICTION, BOTH, OTHER),
            corrected,
            _draws(exact),
            shares(exact, OTHER) if exact else None,
        )

    @property
    def left_out_lines(self) -> list[str]:
        """How many predictions of each system are left out, in sentences."""
        return [
            f"{shown_name(name)}: {counted(count, 'prediction')} missing or not parsed, {lost:.4f} of its score"
            for name, (count, lost) in self.left_out.items()
            if count
        ]

    @property
    def tables(self) -> list[Table]:
        """The groups and the items as far as a terminal shows them; none if no system loses points."""
        return [table.first(LISTED) for table in (self.groups, self.items) if table]

    @property
    def remarks(self) -> list[str]:
        """What a terminal says below the tables."""
        remarks = [] if self.lines else ["No system loses points."]
        return [*remarks, "\n  ".join(["Left out", *self.left_out_lines])] if self.left_out_lines else remarks

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.tables), *self.remarks])

    def _repr_html_(self) -> str:
        return "\n".join(table.first(LISTED)._repr_html_() for table in (self.groups, self.items))

    def __repr__(self) -> str:
        return f"<Review {counted(len(self.lines), 'place')}, {self.counts['open']:,} open>"


def _draws(items: Iterable[Item]) -> int:
    """How many draws items stand for."""
    return sum(item.drawn or 0 for item in items)


def _share(items: Sequence[Item], verdicts: Sequence[str], confidence: float) -> Share:
    """The share of the draws that have one of these verdicts, with Wilson's interval."""
    draws, hits = _draws(items), _draws(item for item in items if item.verdict in verdicts)
    ends: Any = wilson_interval(hits, draws, confidence=confidence).ends
    return hits / draws, *ends


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
        ValueError: for another text.

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
    """A character beyond the first 65,536, whose escape JSON lacks; other escapes as they are."""
    return chr(int(escape[1], 16)) if escape[1] else escape[0]


def _edited(truth: Value, items: Sequence[Item]) -> Value:
    """The ground truth of a document with the verdicts of all its items, on the paths of the one that was judged."""
    root: dict[str, Any] = {"$": to_json(truth)}
    values, added = _changes(truth, root, items)
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
    truth: Value, root: dict[str, Any], items: Sequence[Item]
) -> tuple[dict[Steps, Any], dict[Steps, list[tuple[int, int, Any]]]]:
    """What the verdicts change in a ground truth.

    Returns:
        The new value of each place, `NoCell` for what is taken away; and for each list its new rows, each after the
        index of the row that it follows, -1 for none, and its own number.

    Raises:
        ValueError: for two verdicts that contradict each other, naming the path.
    """
    values: dict[Steps, Any] = {}
    added: dict[Steps, list[tuple[int, int, Any]]] = {}
    paths: dict[Steps, str] = {}
    for item in items:
        steps, is_new = _steps_in(truth, item), item.row is not None
        parent = _at(root, steps if is_new else steps[:-1])
        current = None if is_new else _part(parent, steps[-1])
        if not isinstance(parent, list if is_new else dict | list) or (isinstance(parent, list) and current is NoCell):
            raise InputValueError(place=item.path, problem="the ground truth has no such place")
        new = _decided(item, current)
        if new and item.row is not None:
            after = -1 if item.after is None else item.after
            if after not in range(-1, len(parent)):
                got = short_repr(item.after)
                raise InputValueError(place=item.path, expected="after: the index of a row, or null", got=got)
            added.setdefault(steps, []).append((after, item.row, *new))
        elif new and values.setdefault(steps, *new) is not new[0] and values[steps] != new[0]:
            raise InputValueError(place=item.path, problem="two verdicts on one place")
        paths[steps] = item.path
    for steps in (*values, *added):
        if any(steps[:length] in values for length in range(1, len(steps) + (steps in added))):
            problem = "a verdict on a part of what another verdict replaces or takes away"
            raise InputValueError(place=paths[steps], problem=problem)
    return values, added


def is_whole_row(item: Item) -> bool:
    """Return whether an item is an element of a list that only one side has."""
    is_of_one_side = (item.ground_truth is NoCell) != (item.proposal is NoCell)
    return item.row is not None or (is_of_one_side and isinstance(next(reversed(steps_of(item.path)), None), int))


def answers_of(item: Item) -> list[Any]:
    """Return the predicted values of an item, the proposal first; `NoCell` for a prediction that has nothing there."""
    return [item.proposal, *(other.get("value", NoCell) for other in item.others)]


def around(truth: Value, item: Item) -> Any:
    """Return the object or list that holds the place of an item, in JSON: of a new row the list, of the root itself."""
    steps = _steps_in(truth, item)
    return _at({"$": to_json(truth)}, steps if item.row is not None or len(steps) == 1 else steps[:-1])


def _steps_in(truth: Value, item: Item) -> Steps:
    """The steps to the place of an item, from an object that holds the ground truth at the key `$`."""
    steps = steps_of(item.path)
    if isinstance(truth, tuple) and (steps or item.row is not None):
        return ("$", ONE_OF, item.reference or 0, *steps)
    return ("$", *steps)


def _at(root: Any, steps: Steps) -> Any:
    """The list or object at a place."""
    return reduce(_part, steps, root)


def _part(value: Any, step: str | int) -> Any:
    """The part at a key or an index; `NoCell` where there is none."""
    if isinstance(value, dict):
        return value.get(step, NoCell)
    return value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else NoCell


def _decided(item: Item, current: Any) -> tuple[Any] | None:
    """The value that an item's verdict gives its place, `NoCell` to take it away; None for no change."""
    verdict, place = item.verdict, item.path
    if verdict is None or verdict in (GROUND_TRUTH, UNCLEAR):
        return None
    if is_whole_row(item) and verdict != PREDICTION:
        expected = f"{GROUND_TRUTH}, {PREDICTION} or {UNCLEAR} for a whole row"
        raise InputValueError(place=place, expected=expected, got=verdict)
    if verdict == OTHER:
        if item.value is NoCell:
            raise InputValueError(place=place, expected="a value beside the verdict other", got="none")
        return (item.value,)
    proposal = _chosen(item)
    if proposal is not NoCell and f'"{ONE_OF}": ' in dumps(proposal):
        problem = f"the prediction has a key {ONE_OF!r}, which a ground truth would take for acceptable answers"
        raise InputValueError(place=place, problem=problem)
    if verdict == PREDICTION:
        return (proposal,)
    options = current[ONE_OF] if isinstance(current, dict) and ONE_OF in current else [current]
    options, added = ([None if part is NoCell else part for part in parts] for parts in (options, [proposal]))
    return ({ONE_OF: options if dumps(added[0]) in map(dumps, options) else options + added},)


def _chosen(item: Item) -> Any:
    """The predicted value that an item names; without one the proposal."""
    if item.value is NoCell:
        return item.proposal
    if not any(each is not NoCell and dumps(each) == dumps(item.value) for each in answers_of(item)):
        raise InputValueError(place=item.path, expected="as value one of the predictions", got=short_repr(item.value))
    return item.value


def review(
    references: Any,
    predictions: Any,
    *,
    documents: Any = None,
    text_column: str | None = None,
    hold_out: Sequence[str] = (),
    same: Sequence[str] = (),
    sample: int = 0,
    agreements: int = 0,
    of: str | None = None,
    seed: int = SEED,
    **options: Any,
) -> Review:
    """List the places where predictions differ from the ground truths, most likely an error of these first.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        predictions: the predictions of each system by its name, each as for `docscore.evaluate`; of one system also a
            path, a list or a data frame alone.
        documents: the documents in which values are looked up: a folder with `ID.pdf`, `ID.hocr` or `ID.txt`, or a
            dict of texts by id.
        text_column: the column of the references that holds their texts.
        hold_out: names of systems that make no proposals: a ground truth that is corrected without them must not
            lower their scores.
        same: names of systems that count as one, since they share errors.
        sample: how many places of one system are drawn by the points that it loses there, with replacement, for
            `Review.estimate`; 0 for all places of all systems.
        agreements: how many places of that system that earn all points are drawn by their weight.
        of: the name of that system; None for the first.
        seed: where the random numbers start.
        options: options of `docscore.evaluate`. The first metric is "anls_star" or "typed".

    Returns:
        The review. Where one system is given, its confidences come first in the order.

    Raises:
        TypeError, ValueError: as `docscore.evaluate`; also for names of unknown systems, other metrics, other
            documents, and a sample of a system that loses nothing.
    """
    sides = predictions if isinstance(predictions, Mapping) else {"predictions": predictions}
    evaluations = {name: _evaluated(name, references, side, options) for name, side in sides.items()}
    return review_of(
        evaluations,
        documents=documents,
        text_column=text_column,
        hold_out=hold_out,
        same=same,
        sample=sample,
        agreements=agreements,
        of=of,
        seed=seed,
    )


def corrections_table(before: Mapping[str, Evaluation], after: Mapping[str, Evaluation]) -> Table:
    """Return the scores of systems before and after ground truths were corrected, and whether their order changed."""
    rows = [(name, before[name].score, after[name].score) for name in before]
    orders = [sorted(side, key=lambda name: -side[name].score) for side in (before, after)]
    order = "unchanged" if orders[0] == orders[1] else f"{', '.join(orders[0])}, now {', '.join(orders[1])}"
    label = scored_rows(next(iter(before.values()))).figure_names[0].label if before else "Scores"
    table = table_of(
        f"{label} with the corrected ground truths",
        rows,
        text_column("system", "system", itemgetter(0)),
        value_column("before", "before", FOUR_DIGITS, itemgetter(1)),
        value_column("after", "after", FOUR_DIGITS, itemgetter(2)),
        value_column("difference", "difference", with_sign, lambda row: row[2] - row[1]),
        unit="systems",
    )
    return replace(table, remarks=(f"order: {order}",) if len(rows) > 1 else ())


def _evaluated(name: str, references: Any, predictions: Any, options: Mapping[str, Any]) -> Evaluation:
    """Evaluate one of several systems; errors name it."""
    try:
        return evaluate(references=references, predictions=predictions, confidence=None, **options)
    except (TypeError, ValueError) as error:
        place = f"system {name!r}"
        raise at_place(place, error) from None


def review_of(evaluations: Mapping[str, Scored], **settings: Any) -> Review:
    """Review systems that are scored already; arguments and errors are those of `docscore.review`."""
    systems = {name: scored_rows(evaluation) for name, evaluation in evaluations.items()}
    return Review(*worklist(systems, **settings))

"""The worklist of a review: the places where systems lose points, likely errors of the ground truth first."""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from Levenshtein import opcodes

from docscore.core.errors import InputValueError, needs, short_repr
from docscore.core.options import CompareOptions, check_integer
from docscore.core.runtime import grouped, watched
from docscore.core.similarity import fold_all, similarity
from docscore.core.values import (
    ONE_OF,
    SCALAR_TYPES,
    Value,
    field_path,
    is_empty,
    number_text,
    scalar_text,
    step_text,
    to_json,
)
from docscore.evaluation.evaluation import Evaluation, Row
from docscore.evaluation.registry import ANLS_STAR, TYPED
from docscore.grounding.document_folder import DocumentFolder
from docscore.grounding.document_text import DocumentText
from docscore.inputs.json_text import dumps, dumps_in_style
from docscore.inputs.rows import NoCell, cells_of, described
from docscore.metrics.anls_star.api import score_one
from docscore.metrics.anls_star.causes import cause_of_scalars
from docscore.metrics.anls_star.sizes import SchemaNode
from docscore.metrics.anls_star.tree import ScoreTree
from docscore.metrics.entities import checked_confidence, part_of_confidences
from docscore.metrics.typed.score import schema_of_row

Steps = tuple[str | int, ...]  # from the root of a ground truth in JSON to a place

ONLY_PREDICTIONS, ONLY_GROUND_TRUTH = "only predictions have it", "only the ground truth has it"
OTHER_VALUE, AGREEMENT = "other value", "agreement"
GROUND_TRUTH, PREDICTION, BOTH, OTHER, UNCLEAR = "ground_truth", "prediction", "both", "other", "unclear"
VERDICTS = (GROUND_TRUTH, PREDICTION, BOTH, OTHER, UNCLEAR)
GROUP = "group"  # the scope of a verdict

_NEAR = ("same value", "punctuation", "longer", "shorter")
_KINDS: dict[str, str] = {"different notation": "same value", "punctuation": "punctuation"}  # by the cause of a loss
_NEAR_MISS = 0.5  # the least similarity at which a text is a near miss of another
_SAME_ROW = 0.4  # the least score of two rows that are the same; a row of two keys with one near miss reaches it
_LIKELY_ROW = 2 / 3  # the least score if another system does not have the row
_LONGEST_EDIT = 2000  # characters; edits of longer texts are not described
_KEYS = {"scope": "for"}  # keys of a line that cannot be names in Python
_OPTIONAL = ("reference", "row", "about", "found", "scope", "drawn", "sample")  # keys that are left out if None


_EXPECTED: dict[tuple[type, ...], str] = {
    (str,): "a text",
    (list,): "a list",
    (dict,): "an object",
    (int, type(None)): "an integer or null",
    (dict, type(None)): "an object or null",
}
_TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("question_id", "path", "judged", "kind", "group", "note", "by", "at"), (str,)),
    **dict.fromkeys(("systems", "others"), (list,)),
    "points": (dict,),
    **dict.fromkeys(("reference", "row", "after", "drawn"), (int, type(None))),
    "sample": (dict, type(None)),
}


@dataclass(kw_only=True)
class Item:
    """A place where predictions differ from a ground truth; one line of a review file.

    Attributes:
        question_id: the id of the document.
        path: the path in the ground truth; the path of the list for a row that only predictions have.
        judged: the hash of the ground truth, by which `apply` checks that it has not changed.
        reference: the number of the acceptable answer that was compared; None if there is only one.
        row: for a row that only predictions have, its index in the prediction; else None.
        after: the index of the ground-truth row that such a row follows; None if it comes first.
        ground_truth: the value in the ground truth; `NoCell` if it has none.
        proposal: the prediction that is most likely right; `NoCell` if it has no value.
        systems: the names of the systems that predict the proposal.
        agree: how many different systems predict the proposal.
        of: how many different systems have the document.
        others: the other predictions, each with its "value", if any, and its "systems".
        kind: the kind of the difference.
        group: the field and the difference; similar items share a group.
        about: the title and the description of the field in the schema; None without them.
        points: the points that each system loses at the place, as a part of its score.
        found: whether "ground_truth" and "proposal" occur in the text of the document; None without a text.
        verdict: which side is right; None while the item is open.
        scope: "group" if the verdict also applies to the open items of the group in this document, each with its own
            proposal; else None. The key in the file is "for".
        note: what the reviewer says about the item.
        by: who decided the item.
        at: when the item was decided.
        drawn: how often the item was sampled; None unless the review is a sample.
        sample: the system, its score, its loss and the number of draws; None unless the review is a sample.
        value: the right value, for the verdict "other". Otherwise the right prediction if it is not the proposal, None
            for a prediction without a value there. `NoCell` if the verdict names no value.
        extra: other keys of the line.
    """

    question_id: str
    path: str
    judged: str
    reference: int | None = None
    row: int | None = None
    after: int | None = None
    ground_truth: Any = NoCell
    proposal: Any = NoCell
    systems: list[str]
    agree: float
    of: int
    others: list[dict[str, Any]]
    kind: str
    group: str
    about: str | None = None
    points: dict[str, float]
    found: dict[str, bool] | None = None
    verdict: str | None
    scope: str | None = None
    note: str = ""
    by: str = ""
    at: str = ""
    drawn: int | None = None
    sample: dict[str, Any] | None = None
    value: Any = NoCell
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, line: Any) -> "Item":
        """Return the item of a line of the file.

        Raises:
            ValueError: if the line is not an item.
        """
        needed = [each.name for each in fields(cls) if each.default is each.default_factory is MISSING]
        missing = [name for name in needed if not isinstance(line, dict) or name not in line]
        if missing:
            raise InputValueError(expected="an item of a review", got=f"no {missing[0]!r}")
        for name, types in _TYPES.items():
            value = line.get(name)
            if (name in line and type(value) not in types) or (name == "others" and {*map(type, value)} - {dict}):
                raise InputValueError(place=name, expected=_EXPECTED[types], got=short_repr(value))
        drawn = line.get("sample")
        if drawn is not None and {"system", "score", "loss", "draws"} - drawn.keys():
            raise InputValueError(place="sample", expected="system, score, loss and draws", got=short_repr(drawn))
        keys = {_KEYS.get(each.name, each.name): each.name for each in fields(cls) if each.name != "extra"}
        extra = {key: value for key, value in line.items() if key not in keys}
        return cls(**{keys[key]: value for key, value in line.items() if key in keys}, extra=extra)

    def to_dict(self) -> dict[str, Any]:
        """Return the line of the file, without empty keys."""
        optional = {*_OPTIONAL, *(["after"] if self.row is None else [])}
        values = ((each.name, getattr(self, each.name)) for each in fields(self) if each.name != "extra")
        line = {
            _KEYS.get(name, name): value
            for name, value in values
            if value is not NoCell and (value is not None or name not in optional)
        }
        return line | self.extra


class Identity(NamedTuple):
    """The parts that identify an item of a review: no other item has all of them.

    Attributes:
        question_id: the id of the document.
        path: the path of the item.
        row: for an added row, the index of the row that it follows, its content as text, and its number among equal
            rows there, counted from 1; else None.
        reference: the number of the acceptable answer.
        agreement: whether the item is a place without a difference.
        answer: in a sample, the text of the answer, since runs of a system can answer differently; else None.
    """

    question_id: str
    path: str
    row: tuple[int | None, str, int] | None
    reference: int | None
    agreement: bool
    answer: str | None


def identities_of(items: Iterable[Item]) -> list[Identity]:
    """Return the identity of each item of a review.

    The numbers of equal rows do not depend on the order of the items, so the lines of a file can be sorted. Two items
    have the same identity only if one line is a copy of the other, whatever their verdicts.
    """
    items = list(items)
    first = [_first_identity(item) for item in items]
    added = ((identity, _origin(item)) for identity, item in zip(first, items, strict=True) if item.row is not None)
    numbers = {
        identity: {origin: number for number, origin in enumerate(sorted(set(origins)), 1)}
        for identity, origins in grouped(added).items()
    }
    return [
        identity._replace(row=(*identity.row[:2], numbers[identity][_origin(item)])) if identity.row else identity
        for identity, item in zip(first, items, strict=True)
    ]


def _first_identity(item: Item) -> Identity:
    """Return the identity of an item that is not an added row, or is the first of equal rows."""
    row = None if item.row is None else (item.after, value_text(item.proposal), 1)
    answer = None if item.sample is None else value_text(item.proposal)
    return Identity(item.question_id, item.path, row, item.reference, item.kind == AGREEMENT, answer)


def _origin(item: Item) -> tuple[int | None, str]:
    """Return the facts that distinguish equal rows: where the prediction has the row, and which systems have it."""
    return item.row, value_text([item.systems, item.others, item.agree, item.points])


def value_text(value: Any) -> str:
    """Return a value as text for comparisons: JSON with sorted keys; "" for `NoCell`."""
    return "" if value is NoCell else dumps_in_style(value, sort_keys=True)


def answers_of(item: Item) -> list[Any]:
    """Return the predicted values of an item, the proposal first; `NoCell` for a prediction without a value there."""
    return [item.proposal, *(other.get("value", NoCell) for other in item.others)]


def decided_value(item: Item) -> Any:
    """Return the value that the verdict of an item names, else the proposal.

    If no prediction is null, null names the prediction without a value at the place.
    """
    if item.verdict == OTHER:
        return item.value
    if item.value is NoCell:
        return item.proposal
    answers = answers_of(item)
    return NoCell if item.value is None and None not in answers and NoCell in answers else item.value


def place_of(item: Item) -> tuple[Any, ...]:
    """Return a key that is equal for the same place in two reviews, and for new rows of the same list."""
    is_new, is_agreement = item.row is not None, item.kind == AGREEMENT
    return item.question_id, item.path, item.reference, is_new, is_agreement, value_text(item.ground_truth)


class Difference(NamedTuple):
    """A leaf of a score tree: a place of a ground truth, or a row that only a prediction has.

    Attributes:
        steps: the steps to the place in the JSON of the ground truth; to the list if only a prediction has the row.
        field: the steps of the field, as text.
        truth: the ground truth with its acceptable answers; `NoCell` if it has no value.
        prediction: the predicted value; `NoCell` if there is none.
        node: the node of the tree.
        schema: the node of the schema.
        sure: the confidences of the prediction.
        row: for a row that only the prediction has, its index there.
        after: the index of the ground-truth row that such a row follows; None if it comes first.
        block_end: the index of the last ground-truth row of the block around such a row. A block is a run of predicted
            rows in the order of the ground truth. None without such rows.
        part: the share of the points lost at the node that is lost here.
    """

    steps: Steps
    field: str
    truth: Any
    prediction: Any
    node: ScoreTree
    schema: SchemaNode | None
    sure: Any = None
    row: int | None = None
    after: int | None = None
    block_end: int | None = None
    part: float = 1.0

    @property
    def has_no_partner(self) -> bool:
        """Whether the difference is a row that only one side has."""
        return self.row is not None or (
            self.prediction is NoCell and bool(self.steps) and isinstance(self.steps[-1], int)
        )


@dataclass
class Answer:
    """The predictions at a place that are equal under the options of the score.

    Attributes:
        first: the prediction whose notation is most like the ground truth.
        votes: the vote of each system that gives this answer; runs of a system share its vote.
        points: the points that each of these systems loses by this answer, as a part of the score.
        after: for a row that only predictions have, the votes for each ground-truth row that it may follow.
    """

    first: Difference
    votes: dict[str, float] = field(default_factory=dict)
    points: dict[str, float] = field(default_factory=dict)
    after: Counter[int | None] = field(default_factory=Counter)

    def add(self, system: str, vote: float, points: float, after: int | None) -> None:
        """Count one prediction of a system."""
        self.votes[system] = self.votes.get(system, 0.0) + vote
        self.points[system] = self.points.get(system, 0.0) + points
        self.after[after] += vote  # type: ignore[assignment]

    @property
    def support(self) -> float:
        """How many different systems give the answer."""
        return round(sum(self.votes.values()), 6)


def hash_of(truth: Value) -> str:
    """Return the hash by which `apply` recognises the ground truth that was reviewed."""
    return hashlib.sha256(dumps(truth).encode()).hexdigest()[:8]


Alone = Mapping[Steps, Sequence[Difference]]  # for each list, the rows that only one side has in any system


def differences_of(scored: Evaluation, row: Row, alone: Alone, *, exact: bool = False) -> Iterator[Difference]:
    """Yield the places of a row that lose points, a part that is lost entirely as one place; all with `exact`."""
    schema = schema_of_row(scored.options.schema, row.id) if scored.metric == TYPED else None
    sure = row.for_metrics.confidences
    waiting = [Difference((), "", row.ground_truth, row.prediction, row.tree, schema, sure)]
    while waiting:
        at = waiting.pop()
        is_whole = at.node.earned == at.node.weight
        if is_whole and not (exact and at.node.weight):
            continue
        if at.node.children and at.node.status not in ("missing", "extra") and at.part == 1:
            waiting.extend(reversed(list(_parts_of(at, alone, scored.options, exact=exact))))
        else:
            yield at


def _parts_of(at: Difference, alone: Alone, options: CompareOptions, *, exact: bool) -> Iterator[Difference]:
    """Yield the parts of an object or a list, in the acceptable answer that was compared."""
    steps, truth, node = at.steps, at.truth, at.node
    while isinstance(truth, tuple):
        taken = next(number for number, option in enumerate(truth) if _holds(option, node.ground_truth))
        steps, truth = (*steps, ONE_OF, taken), truth[taken]
    if node.kind == "object":
        for child in node.children if exact else (each for each in node.children if each.earned < each.weight):
            key = str(child.key)
            sides = truth.get(key, NoCell), at.prediction.get(key, NoCell)
            below = at.schema and at.schema.at_key(key)
            sure = part_of_confidences(at.sure, key)
            yield Difference((*steps, key), at.field + step_text(key), *sides, child, below, sure)
        return
    places, name, below = _places_of_rows(truth, node.children), f"{at.field}[]", at.schema and at.schema.items
    known: Sequence[Difference] = alone.get(steps, ())
    pairs: list[tuple[Difference | None, Difference | None]] = []
    for child in sorted(node.children, key=lambda child: child.prediction_index or 0):
        i, j = child.truth_index, child.prediction_index
        sure = None if j is None else part_of_confidences(at.sure, j)
        here = None if i is None else Difference((*steps, places[i]), name, truth[i], NoCell, child, below)
        added = None if j is None else Difference(steps, name, NoCell, at.prediction[j], child, below, sure, j)
        if here and added and _are_no_partners(here, added, known, options):
            pairs += [(here._replace(part=0.5), None), (None, added._replace(part=0.5))]
        else:
            pairs.append((here, added))
    partners: list[int] = [here.steps[-1] for here, added in pairs if here and added]  # type: ignore[misc]
    ends = _block_ends(partners)
    after: int | None = None
    for here, added in pairs:
        if here and added:
            after = here.steps[-1]  # type: ignore[assignment]
            yield here._replace(prediction=added.prediction, sure=added.sure)
        elif here:
            yield here
        elif added:
            yield added._replace(after=after, block_end=ends.get(next(iter(partners), 0) if after is None else after))


def _block_ends(partners: Sequence[int]) -> dict[int, int]:
    """Return the last row of each row's block: ground-truth rows in the predicted order, with ascending indices."""
    ends: dict[int, int] = {}
    following: int | None = None
    for index in reversed(partners):
        ends[index] = index if following is None or following < index else ends[following]
        following = index
    return ends


def _are_no_partners(here: Difference, added: Difference, known: Sequence[Difference], options: CompareOptions) -> bool:
    """Return whether two matched rows are unrelated: each is a row that only one side has.

    A matching pairs every row of the shorter list, even with unrelated rows.

    Args:
        here: the row of the ground truth.
        added: the row of the prediction.
        known: the rows of the list that only one side has, in any system.
        options: the options of the score.
    """
    if here.node.kind not in ("object", "list") or here.node.earned == here.node.weight:
        return False
    if here.node.score < _SAME_ROW:
        return True
    return any(
        _are_equal(each, added, options)
        if each.row is not None
        else each.steps == here.steps and here.node.score < _LIKELY_ROW
        for each in known
    )


def _holds(option: Value, chosen: Any) -> bool:
    """Return whether an acceptable answer is the chosen one, or has it among its own acceptable answers."""
    return option is chosen or (isinstance(option, tuple) and any(_holds(each, chosen) for each in option))


def _places_of_rows(truth: list[Value], children: Sequence[ScoreTree]) -> dict[int, int]:
    """Return the index of each row of a ground truth; among equal rows, rows without a partner come last.

    A matching leaves an arbitrary one of several equal rows without a partner, and systems may differ in it.
    """
    expected = (child for child in children if child.truth_index is not None)
    equal = grouped((repr(truth[child.truth_index]), child) for child in expected)  # type: ignore[index]
    places: dict[int, int] = {}
    for group in equal.values():
        order = sorted(group, key=lambda child: (child.prediction_index is None, child.prediction_index or 0))
        indices = [child.truth_index or 0 for child in order]
        places |= zip(indices, sorted(indices), strict=True)
    return places


def worklist(
    systems: Mapping[str, Evaluation],
    *,
    documents: Any = None,
    text_column: str | None = None,
    hold_out: Collection[str] = (),
    same: Collection[str] = (),
    sample: int = 0,
    agreements: int = 0,
    of: str | None = None,
    seed: int = 0,
) -> tuple[list[Item], dict[str, tuple[int, float]], tuple[int, int, str]]:
    """Return the items of a review, in order.

    Args:
        systems: the evaluation of each system by name, with the same ground truths and options.
        documents: a folder of the documents, or a dict of their texts by id; None for none.
        text_column: the column of the references that holds the texts of the documents.
        hold_out: names of systems that make no proposals.
        same: names of systems that count as one, since they share their errors.
        sample: how many places of one system to sample, with replacement, in proportion to the points that the system
            loses there; 0 for all places of all systems.
        agreements: how many places where that system earns all points to sample by their weight; needs `sample`.
        of: the name of that system; None for the first.
        seed: the seed of the random numbers.

    Returns:
        The items in order. Per system, how many predictions were left out because they are missing or could not be
        parsed, and the part of the score that these lose. How many documents of the review have no text, out of how
        many, and a sentence that says so (0 of 0 if no texts are given).

    Raises:
        ValueError: for an unknown system, a primary metric without a tree of the ground truth, different ground truths,
            or a sample of a system that loses no points.
    """
    hold_out, same = ([names] if isinstance(names, str) else names for names in (hold_out, same))
    for option, names in (("hold_out", hold_out), ("same", same), ("of", [of] if of is not None else [])):
        if unknown := sorted(set(names) - systems.keys()):
            raise InputValueError(place=option, expected=f"some of {', '.join(systems)}", got=", ".join(unknown))
    systems = {name: rows for name, rows in systems.items() if name not in hold_out}
    if not systems or (of is not None and of not in systems):
        got = "none" if of is None else f"{of}, the system to sample"
        raise InputValueError(place="hold_out", expected="at least one other system", got=got)
    if of is not None and not sample:
        raise needs(option="of", other="sample")
    check_integer("sample", sample, 0)
    if check_integer("agreements", agreements, 0) and not sample:
        raise needs(option="agreements", other="sample")
    for rows in systems.values():
        if rows.metric not in (ANLS_STAR, TYPED):
            raise InputValueError(
                place="metrics", expected=f"{ANLS_STAR} or {TYPED} as the primary metric", got=rows.metric
            )
    compared = _Documents(systems, same)
    source = _text_source(documents, text_column, next(iter(systems.values())))
    read = lru_cache(maxsize=1)(source.read if source else lambda _: None)  # places come document by document
    seen = set[str]()

    def text_of(name: str) -> DocumentText | None:
        seen.add(name)
        document = read(name)
        return document if document and document.is_complete else None

    if sample:
        rng = np.random.default_rng(check_integer("seed", seed, 0))
        items = _sampled(compared, of or next(iter(systems)), sample, agreements, rng, text_of)
    else:
        items = _in_order(
            compared.item(name, place, text)
            for name, places in compared.all_places()
            for text in [text_of(name)]
            for place in places
        )
    without = (len(source.errors), len(seen), source.warning(len(seen))) if source else (0, 0, "")
    return items, compared.left_out, without


Order = tuple[float, ...]  # the sort key of an item; the last number is minus the points at stake


def _in_order(items: Iterable[tuple[Order, Item]]) -> list[Item]:
    """Sort items: first a representative of each group within a document, then the other members.

    The first item of a group represents it, and is sorted by the points of the whole group.
    """
    ordered = sorted(items, key=itemgetter(0))
    groups = grouped(((item.question_id, item.group), (key, item)) for key, item in ordered).values()
    points = (sum(key[-1] for key, _ in group) for group in groups)
    first = [((*group[0][0][:-1], at_stake), group[0][1]) for group, at_stake in zip(groups, points, strict=True)]
    others = [member for group in groups for member in group[1:]]
    return [item for part in (first, others) for _, item in sorted(part, key=itemgetter(0))]


def _sampled(
    documents: "_Documents",
    system: str,
    sample: int,
    agreements: int,
    rng: np.random.Generator,
    text_of: Callable[[str], DocumentText | None],
) -> list[Item]:
    """Sample places of a system by the points lost there, then places without a loss, and return their items."""
    documents.agreeing = system if agreements else ""
    answers = [
        (name, place, answer)
        for name, places in documents.all_places()
        for place in places
        for answer in place
        if system in answer.points
    ]
    weights = [answer.points[system] for *_, answer in answers]
    if not answers:
        raise InputValueError(place="sample", expected="a system that loses points", got=system)
    facts = {"system": system, "score": documents.systems[system].score, "loss": sum(weights)}
    exact = [(name, [answer], answer) for (name, *_), (answer, _) in documents.exact.items()]
    items = []
    for sampled_from, shares, draws, kind in (
        (answers, weights, sample, None),
        (exact, [weight for _, weight in documents.exact.values()], agreements, AGREEMENT),
    ):
        for number, times in _draw(rng, shares, draws):
            name, place, answer = sampled_from[number]
            _, item = documents.item(name, place, text_of(name), answer, kind)
            items.append(replace(item, drawn=times, sample={**facts, "draws": draws}))
    return items


def _draw(rng: np.random.Generator, weights: Sequence[float], times: int) -> list[tuple[int, int]]:
    """Sample numbers with replacement by these weights; return each number with how often it was sampled."""
    if not (times and weights):
        return []
    shares = np.array(weights) / sum(weights)
    return list(Counter(rng.choice(len(weights), size=times, p=shares).tolist()).items())


def _text_source(source: Any, column: str | None, rows: Evaluation) -> DocumentFolder | None:
    """Return the documents, from a column of the references if it is named; None if no documents are given."""
    if column is not None:
        if source is not None:
            raise InputValueError(place="documents", expected="documents or text_column", got="both")
        cells = zip(rows.document_ids, cells_of(rows.test_set.reference_rows or [], column), strict=False)
        source = {name: cell for name, cell in cells if isinstance(cell, str)}
        if not source:
            got = next(map(described, rows.test_set.reference_rows or []), "rows without columns")
            expected = f"a column {short_repr(column)} with the texts of the documents"
            raise InputValueError(place="text_column", expected=expected, got=got)
    return None if source is None else DocumentFolder(source, rows.document_ids)


class _Documents:
    """A collector of the places where systems lose points, document by document.

    Args:
        systems: as for `worklist`.
        same: as for `worklist`.

    Attributes:
        agreeing: the system whose places with all points are kept in `exact`; "" for none.
    """

    def __init__(self, systems: Mapping[str, Evaluation], same: Collection[str]) -> None:
        self.systems, self.agreeing = systems, ""
        self.family = {name: ", ".join(sorted(same)) if name in same else name for name in systems}
        self.left_out = dict.fromkeys(systems, (0, 0.0))
        self.exact: dict[tuple[str, Steps, str], tuple[Answer, float]] = {}  # by document, place and value
        self.counts: dict[str, int] = {}  # how many different systems have a document
        self.hashes: dict[str, str] = {}  # the hash of each document's ground truth
        self.truths: dict[str, Value] = {}
        self.rows: dict[str, dict[str, list[int]]] = {}  # the row numbers by document and system
        for name, rows in systems.items():
            count = len(rows.document_ids)
            for number in range(len(rows)):
                self.rows.setdefault(rows.document_ids[number % count], {}).setdefault(name, []).append(number)

    def all_places(self) -> Iterator[tuple[str, list[list[Answer]]]]:
        """Yield the name of each document with its places."""
        progress = next(iter(self.systems.values())).progress
        for name in watched(self.rows, progress, "Comparing", len(self.rows)):
            yield name, self.places(name)

    def places(self, document: str) -> list[list[Answer]]:
        """Return the places of a document where systems lose points, each with the answers given there."""
        usable = self._usable(document)
        members = Counter(self.family[name] for name in usable)
        self.counts[document] = len(members)
        alone = grouped(
            (at.steps if at.row is not None else at.steps[:-1], at)
            for name, rows in usable.items()
            for row in rows
            for at in differences_of(self.systems[name], row, {})
            if at.has_no_partner
        )
        places: dict[Steps, list[Answer]] = {}
        added: dict[Steps, list[list[Answer]]] = {}
        for name, rows in usable.items():
            vote, options = 1 / (members[self.family[name]] * len(rows)), self.systems[name].options
            for row in rows:
                losses = list(self._losses(document, name, row, alone))
                new = grouped((at.steps, at) for at in losses if at.row is not None)
                found = [(at, places.setdefault(at.steps, [])) for at in losses if at.row is None]
                for steps, in_list in new.items():
                    found += zip(in_list, _joined(in_list, added.setdefault(steps, []), options), strict=True)
                for at, place in found:
                    points = at.part * at.node.points_lost / len(self.systems[name])
                    _answer_at(place, at, options).add(name, vote, points, at.after)
        return [*places.values(), *chain.from_iterable(added.values())]

    def _losses(self, document: str, name: str, row: Row, alone: Alone) -> Iterator[Difference]:
        """Yield the places of a row that lose points; keep the others in `exact` if they are asked for."""
        scored = self.systems[name]
        for at in differences_of(scored, row, alone, exact=name == self.agreeing):
            if at.node.earned < at.node.weight:
                yield at
            else:
                share = at.node.weight / row.tree.weight / len(scored)
                key = document, at.steps, value_text(at.prediction)  # several runs can give the same answer
                answer, before = self.exact.get(key, (Answer(at, {name: 1.0}), 0.0))
                self.exact[key] = answer, before + share

    def _usable(self, document: str) -> dict[str, list[Row]]:
        """Return the rows of a document by system, without predictions that are missing or could not be parsed."""
        usable: dict[str, list[Row]] = {}
        for name, numbers in self.rows[document].items():
            scored = self.systems[name]
            for number in numbers:
                row = scored.row(number)
                self.truths.setdefault(document, row.ground_truth)
                self.hashes.setdefault(
                    document, hash_of((scored.test_set.full_truths or scored.test_set.truths)[number])
                )
                if row.for_metrics.cause is None and not row.is_absent:
                    usable.setdefault(name, []).append(row)
                else:
                    count, lost = self.left_out[name]
                    self.left_out[name] = count + 1, lost + (1 - row.tree.score) / len(scored)
        return usable

    def item(
        self,
        document: str,
        place: list[Answer],
        text: DocumentText | None,
        chosen: Answer | None = None,
        kind: str | None = None,
    ) -> tuple[Order, Item]:
        """Return the sort key and the item of a place.

        Args:
            document: the id of the document.
            place: the answers of systems at the place.
            text: the text of the document.
            chosen: the answer to propose; None for the answer that is most likely right.
            kind: the kind of difference; None to derive it from the values.
        """
        descriptions = {id(answer): self._description(document, answer, text) for answer in place}
        chosen = chosen or min(place, key=lambda answer: descriptions[id(answer)][0])
        order, own_kind, in_text = descriptions[id(chosen)]
        at, kind, truth = chosen.first, kind or own_kind, self.truths[document]
        is_one_of = at.steps[:1] == (ONE_OF,)
        support = chosen.support
        others = sorted((each for each in place if each is not chosen), key=lambda each: descriptions[id(each)][0])
        return order, Item(
            question_id=document,
            path="$" + "".join(map(step_text, at.steps[2:] if is_one_of else at.steps)),
            judged=self.hashes[document],
            reference=int(at.steps[1]) if is_one_of and len(truth) > 1 else None,  # type: ignore[arg-type]
            row=at.row,
            after=None if at.row is None else _after(place, chosen),
            ground_truth=_as_json(at.truth[0] if type(at.truth) is tuple and len(at.truth) == 1 else at.truth),
            proposal=_as_json(at.prediction),
            systems=list(chosen.votes),
            agree=int(support) if support == int(support) else support,
            of=self.counts[document],
            others=[_other(each) for each in others],
            kind=kind,
            group=f"{field_path(at.field)}: {_edit(at, kind) or kind}",
            about=(at.schema and at.schema.about) or None,
            points=dict(sum((Counter(answer.points) for answer in place), Counter[str]())),
            found=in_text or None,
            verdict=None,
        )

    def _description(
        self, document: str, answer: Answer, text: DocumentText | None
    ) -> tuple[Order, str, dict[str, bool]]:
        """Return the sort key of an answer, its kind, and which sides occur in the text of the document."""
        at = answer.first
        kind = _kind_of(at)
        in_text: dict[str, bool] = {}
        if text is not None:
            row, sides = _row_around(self.truths[document], at.steps), ("ground_truth", "proposal")
            held = (text.holds(value, row) for value in (at.truth, at.prediction))
            in_text = {side: stands for side, stands in zip(sides, held, strict=True) if stands is not None}
        is_shown = in_text.get("proposal", False) and not in_text.get("ground_truth", False)
        support = answer.support
        alone = len(self.systems) == 1 and not isinstance(at.sure, dict | list)
        sure = checked_confidence(at.sure, at.node.path) if alone else None
        points = sum(answer.points.values())
        return (
            (-support / self.counts[document], -support, -(sure or 0.0), -is_shown, -_is_near(at, kind), -points),
            kind,
            in_text,
        )


def _joined(rows: Sequence[Difference], places: list[list[Answer]], options: CompareOptions) -> list[list[Answer]]:
    """Return the place of each row that only a prediction has; rows that match no place get a new one.

    Rows are joined by content: equal rows first, then the most similar ones.

    Args:
        rows: the rows of one prediction; each belongs to a different place.
        places: the known places of such rows in the list; new places are added.
        options: the options of the score.
    """
    by_text = grouped((dumps(answer.first.prediction), i) for i, place in enumerate(places) for answer in place)
    joined: dict[int, int] = {}  # the number of each row's place
    taken: set[int] = set()
    for number, row in enumerate(rows):  # identical rows need no comparison
        for i in islice((i for i in by_text.get(dumps(row.prediction), ()) if i not in taken), 1):
            joined[number] = i
            taken.add(i)
    alike = (
        (-max(score_one(answer.first.prediction, row.prediction, options, row.schema) for answer in place), number, i)
        for number, row in enumerate(rows)
        for i, place in enumerate(places)
        if number not in joined and i not in taken
    )
    for score, number, i in sorted(alike):
        if -score >= _SAME_ROW and number not in joined and i not in taken:
            joined[number] = i
            taken.add(i)
    for number in (number for number in range(len(rows)) if number not in joined):
        joined[number] = len(places)
        places.append([])
    return [places[joined[number]] for number in range(len(rows))]


def _after(place: Sequence[Answer], chosen: Answer) -> int | None:
    """Return the row that a new row follows: the choice of most systems, else the last row of its block."""
    votes = sum((answer.after for answer in place), Counter[int | None]())
    [(after, most)] = votes.most_common(1)
    return after if 2 * most > votes.total() else chosen.first.block_end


def _row_around(truth: Value, steps: Steps) -> Value:
    """Return the innermost row of a list that holds a place; None if the place is in no list."""
    part, row = truth, None
    for before, step in zip(("", *steps), steps, strict=False):
        if isinstance(part, dict) and step not in part:  # a key that only predictions have
            break
        part = part if step == ONE_OF else part[step]  # type: ignore[index]
        if isinstance(step, int) and before != ONE_OF:
            row = part
    return row


def _as_json(value: Any) -> Any:
    """Return a value in JSON, and `NoCell` unchanged."""
    return value if value is NoCell else to_json(value)


def _other(answer: Answer) -> dict[str, Any]:
    """Return a prediction of a place and the systems that give it, without "value" if they have none there."""
    value = answer.first.prediction
    return {**({} if value is NoCell else {"value": to_json(value)}), "systems": list(answer.votes)}


def _answer_at(place: list[Answer], at: Difference, options: CompareOptions) -> Answer:
    """Return the answer of a place that is equal to a prediction, or a new one.

    Of equal predictions, the answer shows the one whose notation is most like the ground truth.
    """
    answer = next((each for each in place if _are_equal(each.first, at, options)), None)
    if answer is None:
        answer = Answer(at)
        place.append(answer)
    elif answer.first.prediction is not at.prediction:
        answer.first = max(answer.first, at, key=_likeness)
    return answer


def _likeness(at: Difference) -> tuple[float, str]:
    """Return how similar the texts of prediction and ground truth are, and the predicted text to break ties."""
    truth, prediction = ("" if side is NoCell else dumps(side) for side in (at.truth, at.prediction))
    return similarity(truth, prediction, 0.0), prediction


def _is_empty(value: Any) -> bool:
    return value is NoCell or is_empty(value)


def _are_equal(one: Difference, other: Difference, options: CompareOptions) -> bool:
    """Return whether two predictions of a place are equal under the options of the score."""
    left, right = one.prediction, other.prediction
    if _is_empty(left) or _is_empty(right):
        return _is_empty(left) and _is_empty(right)
    if type(left) is type(right) and dumps(left) == dumps(right):  # in Python 1, 1.0 and True are equal
        return True
    return score_one(left, right, options, other.schema) == 1


def _texts(at: Difference) -> tuple[str, str] | None:
    """Return both sides as text in lower case; None unless both are scalars."""
    sides = at.node.ground_truth, at.prediction
    if not SCALAR_TYPES.issuperset(map(type, sides)):
        return None
    return scalar_text(sides[0]).lower(), scalar_text(sides[1]).lower()


def _kind_of(at: Difference) -> str:
    """Return the kind of a difference."""
    if at.truth is NoCell or (_is_empty(at.truth) and not _is_empty(at.prediction)):
        return ONLY_PREDICTIONS
    if _is_empty(at.prediction):
        return ONLY_GROUND_TRUTH
    texts = _texts(at)
    if texts is None:
        return OTHER_VALUE
    if kind := _KINDS.get(cause_of_scalars(at.node.ground_truth, at.prediction, earned=0.0)):
        return kind
    left, right = (" ".join(text.split()) for text in texts)
    return "longer" if left in right else "shorter" if right in left else OTHER_VALUE


def _is_near(at: Difference, kind: str) -> bool:
    if kind in _NEAR:
        return True
    if kind != OTHER_VALUE or _texts(at) is None:
        return False
    left, right = fold_all((at.node.ground_truth, at.prediction), True, number_text)  # noqa: FBT003
    return similarity(left, right, _NEAR_MISS) > 0


def _edit(at: Difference, kind: str) -> str:
    """Return the edit from ground truth to prediction in words; "" for an edit that other values cannot share.

    Other values can share edits of punctuation, and words before or after a value, but not edits of letters and digits.
    """
    texts = _texts(at) if kind in _NEAR else None
    if texts is None or max(map(len, texts)) > _LONGEST_EDIT:
        return ""
    edits = [
        (texts[0][start:stop], texts[1][first:last])
        for operation, start, stop, first, last in opcodes(*texts)
        if operation != "equal"
    ]
    around = len(edits) == 1 and "" in edits[0] and kind in ("longer", "shorter")
    if any(character.isalnum() for edit in edits for character in "".join(edit)) and not around:
        return ""
    return ", ".join(dict.fromkeys(_edit_in_words(*edit) for edit in edits))


def _edit_in_words(removed: str, inserted: str) -> str:
    quoted = ["a space" if signs == " " else f'"{signs}"' for signs in (removed, inserted)]
    return f"without {quoted[0]}" if not inserted else f"with {quoted[1]}" if not removed else " → ".join(quoted)

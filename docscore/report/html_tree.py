"""HTML that works without scripts: the score tree, and the environment of the templates, which escapes every value."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from rapidfuzz.distance import LCSseq

from docscore.core.formatting import (
    clipped,
    counted,
    field_text,
    printable,
    text_excerpts,
    three_digits,
    with_minus_signs,
    with_sign,
)
from docscore.core.options import CompareOptions
from docscore.core.values import value_text
from docscore.evaluation.sentences import (
    SHORT_WORDS,
    STATUS_WORDS,
    Span,
    annotation_text,
    conclusion_of_tree,
    facts_of_tree,
    points_text,
    text_differences,
)
from docscore.metrics.anls_star.matching import SHORTEST_CUT
from docscore.metrics.anls_star.sizes import SIDES, Side
from docscore.metrics.anls_star.tree import GLYPHS, REGION_WORDS, ScoreTree, indices_text
from docscore.metrics.annotations import (
    FEWEST,
    FOLDED_CAUSES,
    Annotation,
    SiblingGroup,
    annotations_of,
    folded_nodes,
    groups_of,
)
from docscore.version import VERSION

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = Path(__file__).parent
MAX_ROWS = 3000  # with more nodes, exact ones are left out; a browser takes seconds for 20,000 rows


_LONGEST_TEXT = 2000  # displayed characters of a value


_LONGEST_OBJECT = 200  # characters of an object or a list without rows of its own


LONGEST_LABEL = 200  # characters of a key or path


_BEFORE_DIFFERENCE = 200  # characters shown before the first difference of long texts


_LONGEST_NAMES = 200  # characters of the names of folded rows or keys, and of the name of a row


_DEEPEST_INDENT = 12  # levels; deeper rows have the indent of this level


# The positions of a node in the texts of the ground truth and of the prediction. A position lists, from the root, which
# child of its parent a value is, counted from 0: "0/2" is the third child of the first child; "" is the root. It does
# not use keys, which may contain any character. None if a side does not have the value.
Positions = tuple[str | None, str | None]


class Piece(NamedTuple):
    """A piece of a cell.

    Attributes:
        text: the text of the piece.
        look: "quote" for the quotes of a text, "literal" for other values, "changed" for characters that the other side
            does not have, "whole" for a value that differs as a whole, "" for other text.
    """

    text: str
    look: str = ""


class Cell(NamedTuple):
    """The cell of one side in a row.

    Attributes:
        pieces: a value, or the summary of a container; empty if there is nothing to show.
        is_summary: whether the pieces summarise a container.
        absent: the text for a side without the node, "absent" or "no partner"; "" if the side has it.
    """

    pieces: Sequence[Piece] = ()
    is_summary: bool = False
    absent: str = ""


class TreeDrawing(NamedTuple):
    """The data with which the template renders a tree.

    Attributes:
        score: the score.
        conclusion: a sentence on where most of the loss is, or "".
        lead: the id of the row with the largest loss of the conclusion, or "".
        detail: the points, and the second largest loss.
        facts: further lines below the score.
        parts: for each status that a value has, its name, word and glyph, the number of its values, and the points that
            they lose.
        note: the number of rows that are left out, or "".
        rows: one row per node, parents before children, as `_row` makes them; a root with children has no row.
        row_numbers: the number in the row id of each rendered node, by the `id` of the node.
        glyphs: the word and the glyph of each status.
    """

    score: str
    conclusion: str
    lead: str
    detail: str
    facts: Sequence[str]
    parts: Sequence[tuple[str, str, str, int, str]]
    note: str
    rows: list[dict[str, Any]]
    row_numbers: dict[int, int]
    glyphs: dict[str, tuple[str, str]]


@cache
def template_environment(*folders: Path) -> "Environment":
    """Return the jinja2 environment of the templates of reports.

    Args:
        folders: folders to search first; their templates may import the macros of the report.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415  slow to import

    environment = Environment(
        loader=FileSystemLoader([*folders, _HERE / "templates", _HERE]),  # the style sheets are in the last folder
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["version"] = VERSION
    return environment


def _printable(value: object) -> object:
    """Return the value of a template expression as text without control characters; markup of templates is unchanged.

    The environment calls this function for every expression before it escapes the value.
    """
    if type(value) is not str:
        if hasattr(value, "__html__"):
            return value
        value = str(value)
    return printable(value)


def macro_as_html(template: str, macro: str, /, *arguments: Any, folders: tuple[Path, ...] = ()) -> str:
    """Render a macro of a template as HTML.

    Args:
        template: the name of the template.
        macro: the name of the macro.
        arguments: the arguments of the macro.
        folders: folders to search first.
    """
    module = template_environment(*folders).get_template(template).module
    return str(getattr(module, macro)(*arguments))


@cache
def stylesheet() -> str:
    """Return the CSS for the markup, which supports light, dark and narrow pages."""
    return "".join((_HERE / name).read_text(encoding="utf-8") for name in ("tokens.css", "tree.css"))


def tree_as_html(tree: ScoreTree, *, prefix: str = "anls") -> str:
    """Render the score, the values by status, and the tree with one row per node.

    Args:
        tree: the root of the tree.
        prefix: the beginning of the ids of the rows; unique for each tree on a page.

    Returns:
        A `<div class="anls-tree">`; its page needs `stylesheet()`.
    """
    return macro_as_html("tree.html.jinja", "draw_tree", tree_drawing(tree, prefix), "h2")


def explained_drawing(
    tree: ScoreTree, prefix: str, options: CompareOptions | None, *, with_positions: bool = False, most: int = MAX_ROWS
) -> TreeDrawing:
    """Build the data for the template with the annotations of the tree; groups of siblings are computed once for both.

    Args:
        tree: the root of the tree.
        prefix: the beginning of the ids of the rows; unique for each tree on a page.
        options: how the texts of the tree were compared; None for a tree of the typed score.
        with_positions: whether rows have the positions of their values in the JSON texts of both sides.
        most: the largest number of nodes to render.
    """
    groups = groups_of(tree)
    annotations = annotations_of(tree, options, groups)
    return tree_drawing(tree, prefix, annotations, groups=groups, with_positions=with_positions, most=most)


def tree_drawing(
    tree: ScoreTree,
    prefix: str,
    annotations: Sequence[Annotation] = (),
    *,
    groups: Sequence[SiblingGroup] | None = None,
    with_positions: bool = False,
    most: int = MAX_ROWS,
) -> TreeDrawing:
    """Build the data for the template `tree.html.jinja`.

    Args:
        tree: the root of the tree.
        prefix: the beginning of the ids of the rows; unique for each tree on a page.
        annotations: the annotations of the tree, most points first.
        groups: the groups of siblings, if they are known: `groups_of(tree)`.
        with_positions: whether rows have the positions of their values in the JSON texts of both sides.
        most: the largest number of nodes to render.
    """
    known = groups_of(tree) if groups is None else groups
    nodes = folded_nodes(tree, [group for group in known if group.cause in FOLDED_CAUSES])
    folded = nodes[id(tree)]
    places = sampled_places(folded, most)
    total = sum(1 for _ in tree.nodes())
    numbers = {id(node): number for number, (node, *_) in enumerate(places)}
    drawn = sum(1 for node, *_ in places if node.kind != "group")
    note = f"{total:,} places; {drawn:,} are rendered. Exact ones are left out first." if drawn < total else ""
    outermost = 1 if folded.children else 0  # the score of a root with children is already above the tree
    shown = places[outermost:]
    depths = [depth - outermost for _, depth, _ in shown] + [0]
    positions = positions_of(folded) if with_positions else {}
    moved = {id(nodes[number]) for number in _moved(tree)}
    by_path, ids = _annotations_by_path(annotations), {node: f"{prefix}-{number}" for node, number in numbers.items()}
    rows = [
        _row(node, ids[id(node)], depth, following, parent, positions.get(id(node)), by_path, moved)
        for (node, _, parent), (depth, following) in zip(shown, pairwise(depths), strict=True)
    ]
    row_numbers = {of: numbers[id(node)] for of, node in nodes.items() if id(node) in numbers}
    told = [each for each in annotations if each.gain is not None]
    shared = _take_shared_reasons(rows, told)
    own = [tree.reason] if tree.children and tree.reason else []
    conclusion, second, largest = conclusion_of_tree(tree, annotations)
    points = points_text(tree) if tree.weight or not conclusion else ""
    lead = row_numbers.get(id(largest), 0)
    return TreeDrawing(
        three_digits(tree.score),
        conclusion,
        f"{prefix}-{lead}" if lead >= outermost and largest else "",
        f"{points}; {second}." if second else points,
        [*facts_of_tree(tree), *own, *map(annotation_text, told), *shared],
        _parts(tree),
        note,
        rows,
        row_numbers,
        {status: (word, GLYPHS[status]) for status, word in STATUS_WORDS.items()},
    )


def _take_shared_reasons(rows: Sequence[dict[str, Any]], told: Sequence[Annotation]) -> list[str]:
    """Remove reasons that several values share from their rows, and return sentences to show above the rows instead.

    A reason with a figure stays with its value. Annotations above the rows are not repeated.
    """
    counts = Counter(row["reason"] for row in rows if not row["node"].children)
    shared = {
        reason: count
        for reason, count in counts.items()
        if count >= FEWEST and reason and not any(map(str.isdigit, reason))
    }
    said = tuple(f"same {each.subject}," for each in told)
    for row in rows:
        row["reason"] = "" if row["reason"] in shared else row["reason"]
    return [f"{counted(count, 'value')}: {reason}" for reason, count in shared.items() if not reason.startswith(said)]


def _parts(tree: ScoreTree) -> list[tuple[str, str, str, int, str]]:
    """Return the values of a tree by status, as `TreeDrawing.parts`."""
    leaves: dict[str, list[ScoreTree]] = {status: [] for status in STATUS_WORDS}
    for leaf in tree.leaves():
        if leaf.weight or leaf.status != "extra":
            leaves[leaf.status].append(leaf)
    return [
        (status, word, GLYPHS[status], len(of_status), lost_text(fsum(leaf.points_lost for leaf in of_status)))
        for status, word in SHORT_WORDS.items()
        if (of_status := leaves[status])
    ]


def _moved(tree: ScoreTree) -> set[int]:
    """Return the `id` of the fewest list elements whose moves explain the different orders of both sides.

    Lists that are too long to be rendered have no moved elements.
    """
    moved: set[int] = set()
    for node in tree.nodes():
        both = (each for each in node.children if each.truth_index is not None and each.prediction_index is not None)
        rows = sorted(both, key=lambda each: each.truth_index or 0)
        order = [each.prediction_index or 0 for each in rows]
        if len(order) <= MAX_ROWS:
            steps = LCSseq.editops(order, sorted(order))
            moved.update(id(rows[step.src_pos]) for step in steps if step.tag == "delete")
    return moved


def _annotations_by_path(annotations: Sequence[Annotation]) -> dict[str, list[tuple[str, str]]]:
    """Return the annotations to show in rows, by path: values that are predicted at another place."""
    by_path: dict[str, list[tuple[str, str]]] = {}
    for each in annotations:
        if each.kind in ("exchanged", "elsewhere"):
            first, second = each.paths
            for path, other in ((first, second), (second, first))[: 2 if each.kind == "exchanged" else 1]:
                there = clipped(other.removeprefix(each.parent).removeprefix("."), LONGEST_LABEL)
                by_path.setdefault(path, []).append((f"predicted at {there}", other))
    return by_path


def sampled_places(tree: ScoreTree, most: int = MAX_ROWS) -> list[tuple[ScoreTree, int, ScoreTree | None]]:
    """Return the nodes of a tree to show, each with its depth and the node above it, parents before children.

    The node above the nodes of a group is the node above the group. At most `most` nodes are shown; exact ones are left
    out first.
    """
    total = sum(1 for _ in tree.nodes())
    places: list[tuple[ScoreTree, int, ScoreTree | None]] = []
    waiting: list[tuple[ScoreTree, int, ScoreTree | None]] = [(tree, 0, None)]
    while waiting and len(places) < most:
        node, depth, above = waiting.pop()
        places.append((node, depth, above))
        parent = above if node.kind == "group" else node
        below = (child for child in node.children if total <= most or child.status != "exact")
        waiting.extend(reversed([(child, depth + 1, parent) for child in below]))
    return places


def _row(
    node: ScoreTree,
    row_id: str,
    depth: int,
    following: int,
    parent: ScoreTree | None,
    positions: Positions | None,
    by_path: Mapping[str, Sequence[tuple[str, str]]],
    moved: Collection[int],
) -> dict[str, Any]:
    """Return the row of a node, or of a group of nodes folded into one line; `following` is the depth of the next row.

    Returns:
        "node"; "row_id", its id in the page; "label", the key, the indices of a list element on both sides, or the text
        of a group; "short_path"; "indent" in levels; "score" and the points "lost", "" for a node that does not count
        or loses nothing; "truth" and "prediction", the cells of both sides (a group has its folded names on the side of
        the truth); "reason", a sentence if the score may be surprising, or ""; "cited", the region of the predicted
        value if it is not the expected one, or ""; "moved", whether it is a list element in another order on both
        sides; "annotations", the annotations of the node, each with the path of the other place that it names;
        "is_open", whether the `<details>` element of a row with children is open; "closes", how many `<details>`
        elements end after the row; "positions", the positions of the node in both texts, or None.
    """
    opens, is_group = bool(node.children), node.kind == "group"
    annotations = () if is_group else by_path.get(node.path, ())
    counts = node.status != "extra" or bool(node.weight)
    if is_group:
        truth, prediction = _folded_cell(node), Cell()
    elif opens:
        truth, prediction = (_summary(node, parent, side) for side in SIDES)
    else:
        spans = value_spans(node)
        truth = value_cell(node, parent, "ground_truth", spans[0])
        prediction = value_cell(node, parent, "prediction", spans[1])
    reason = "" if is_group or annotations or truth.absent or prediction.absent else node.reason
    return {
        "node": node,
        "row_id": row_id,
        "label": str(node.key) if is_group else _label(node),
        "short_path": clipped(node.path, LONGEST_LABEL),
        "indent": min(depth, _DEEPEST_INDENT),
        "score": three_digits(node.score) if counts else "",
        "lost": lost_text(node.points_lost),
        "truth": truth,
        "prediction": prediction,
        "reason": reason,
        "cited": REGION_WORDS[node.region],
        "moved": id(node) in moved,
        "annotations": annotations,
        "is_open": opens and not is_group and (parent is None or node.status not in ("exact", "missing", "extra")),
        "closes": (depth + 1 if opens else depth) - following,
        "positions": positions,
    }


def _folded_cell(node: ScoreTree) -> Cell:
    """Return the names that a group folds: keys, or rows by their first text."""
    names = (
        _first_text(child.prediction if child.status == "extra" else child.ground_truth)
        if child.key is None
        else child.key
        for child in node.children
    )
    text = clipped(", ".join(filter(None, names)), _LONGEST_NAMES)
    return Cell([Piece(text)] if text else (), is_summary=True)


def _summary(node: ScoreTree, parent: ScoreTree | None, side: Side) -> Cell:
    """Return the summary of a container on one side: the number of rows of a list, or the first text of a row."""
    value = _value_on(node, side)
    is_row = node.kind != "list" and node.key is None and parent is not None
    if node.status == ("extra" if side == "ground_truth" else "missing"):
        return Cell(absent="no partner" if is_row else "absent")
    name = _first_text(value) if is_row else ""
    if not name:
        if not isinstance(value, list):
            return Cell(is_summary=True)
        noun = "row" if any(isinstance(element, dict | list) for element in value) else "value"
        return Cell([Piece(counted(len(value), noun))], is_summary=True)
    others = {_first_text(_value_on(node, each)) for each in SIDES}
    pieces = [Piece(clipped(name, _LONGEST_NAMES), "whole" if len(others) > 1 else "")]
    if node.status in ("missing", "extra") and isinstance(value, dict) and len(value) > 1:
        pieces.append(Piece(f" and {len(value) - 1:,} more"))
    return Cell(pieces, is_summary=True)


def _value_on(node: ScoreTree, side: Side) -> Any:
    """Return the value of a container on one side; for a one-of, the chosen option."""
    return chosen_value(node) if side == "ground_truth" else node.prediction


def _first_text(value: Any) -> str:
    """Return the first text of an object, which identifies a row; otherwise its first value, or ""."""
    parts = value.values() if isinstance(value, dict) else [value]
    scalars = [part for part in parts if not isinstance(part, dict | list | tuple | None)]
    text = next((scalar for scalar in scalars if isinstance(scalar, str)), scalars[0] if scalars else "")
    return text if isinstance(text, str) else value_text(text)


def value_cell(node: ScoreTree, parent: ScoreTree | None, side: Side, spans: Sequence[Span]) -> Cell:
    """Return the cell of a leaf on one side."""
    value = getattr(node, side)
    if value is None and parent is not None and _is_absent(node, parent, side):
        if parent.status in ("missing", "extra") and getattr(parent, side) is None:
            return Cell()  # the row above shows this
        return Cell(absent="absent" if node.key is not None else "no partner")
    if value is None:
        return Cell([Piece("null", "literal")])
    return Cell(_pieces(value, spans or _whole(value_text(value), changed=False), node.status))


def _pieces(value: Any, spans: Sequence[Span], status: str) -> list[Piece]:
    """Return a value as pieces, with separate quotes and marked differences."""
    changed = "changed" if status == "partial" else "whole"
    plain = "" if isinstance(value, str) else "literal"
    pieces = [Piece(text, changed if is_changed else plain) for text, is_changed in spans]
    text = "".join(text for text, _ in spans)
    if not (isinstance(value, str) and len(text) > 1 and text[0] == text[-1] == '"'):
        return pieces
    pieces[0] = pieces[0]._replace(text=pieces[0].text[1:])
    pieces[-1] = pieces[-1]._replace(text=pieces[-1].text[:-1])
    quote = Piece('"', "quote")
    return [quote, *(piece for piece in pieces if piece.text), quote]


def _is_absent(node: ScoreTree, parent: ScoreTree, side: Side) -> bool:
    """Return whether a side does not have the key or element of a node."""
    if node.key is None:
        return (node.truth_index if side == "ground_truth" else node.prediction_index) is None
    above = _value_on(parent, side)
    return not isinstance(above, dict) or node.key not in above


def lost_text(lost: float) -> str:
    """Return points lost with their sign; "" for none."""
    return with_minus_signs(with_sign(-lost, 3)) if lost else ""


def _label(node: ScoreTree) -> str:
    return field_text(indices_text(node)) if node.key is None else clipped(node.key, LONGEST_LABEL)


def value_spans(node: ScoreTree) -> tuple[list[Span], list[Span]]:
    """Return both values of a leaf as spans with marked differences."""
    truth, prediction = (
        clipped(value_text(value), _LONGEST_OBJECT) if isinstance(value, dict | list) else value_text(value)
        for value in (node.ground_truth, node.prediction)
    )
    if node.status == "missing":
        return _whole(truth, changed=True), []
    if node.status == "extra":
        return [], _whole(prediction, changed=bool(node.weight))
    truth, prediction = text_excerpts(truth, prediction, _LONGEST_TEXT, _BEFORE_DIFFERENCE)
    if node.kind == "scalar" and node.status == "partial":
        return text_differences(truth, prediction, ignore_case=node.ignores_case)
    changed = node.status != "exact"
    return _whole(truth, changed=changed), _whole(prediction, changed=changed)


def _whole(text: str, *, changed: bool) -> list[Span]:
    return [(clipped(text, _LONGEST_TEXT), changed)]


def positions_of(tree: ScoreTree) -> dict[int, Positions]:
    """Return the positions of all nodes of a tree, by the `id` of the node.

    A one-of is the object `{"$one_of": [...]}` in the text. Its node has the position of the chosen option, "0/k" below
    the one-of.

    >>> from docscore import score_tree
    >>> tree = score_tree({"a": "x", "b": ["y"]}, {"b": ["z", "y"]})
    >>> [(node.path, *positions_of(tree)[id(node)]) for node in tree.leaves()]
    [('$.a', '0', None), ('$.b[0]', '1/0', '0/1'), ('$.b[0]', None, '0/0')]
    """
    positions: dict[int, Positions] = {id(tree): (_of_option(tree, ""), "")}
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        above = positions[id(node)]
        truths, predictions = (
            {key: number for number, key in enumerate(value)} if isinstance(value, dict) else {}
            for value in (chosen_value(node), node.prediction)
        )
        # the nodes in a group, instead of the group
        children = [each for child in node.children for each in (child.children if child.kind == "group" else [child])]
        for child in children:
            key, indices = child.key, (child.truth_index, child.prediction_index)
            numbers = indices if key is None else (truths.get(key), predictions.get(key))
            truth, prediction = map(_below, above, numbers)
            positions[id(child)] = _of_option(child, truth), prediction
        waiting.extend(children)
    return positions


def chosen_value(node: ScoreTree) -> Any:
    """Return the value whose parts are the children of a node; for a one-of, the chosen option."""
    truth = node.ground_truth
    return truth[node.option or 0] if isinstance(truth, tuple) and truth else truth


def _of_option(node: ScoreTree, position: str | None) -> str | None:
    """Return the position of the chosen option, if the node is a one-of."""
    return position if node.option is None else _below(_below(position, 0), node.option)


def _below(position: str | None, number: int | None) -> str | None:
    if position is None or number is None:
        return None
    return f"{position}/{number}" if position else str(number)


def shown_path(node: ScoreTree) -> str:
    """Return the path of a node as it is shown next to a document."""
    return clipped(printable(node.path.removeprefix("$.")), LONGEST_LABEL)


class LongList(TypedDict):
    """The rows of a list of a tree.

    Attributes:
        whole: how many rows are fully correct.
        cut: after how many rows the list was cut off, or 0.
        rows: a letter per expected row: "w" for a fully correct row, "m" for a missing row, "d" for a row with a
            different value.
        numbers: the numbers of the rendered rows.
    """

    path: str
    expected: int
    predicted: int
    paired: int
    whole: int
    cut: int
    rows: str
    numbers: list[int | None]


def long_lists(tree: ScoreTree, numbers: Mapping[int, int]) -> Iterator[LongList]:
    """Yield the lists of objects of a tree, if one of them has many rows.

    Args:
        tree: the tree.
        numbers: the number of the row of each rendered node, by the `id` of the node.
    """
    lists = [
        (
            node,
            node.rows,
            sorted((row for row in node.children if row.truth_index is not None), key=lambda row: row.truth_index or 0),
        )
        for node in tree.nodes()
        if node.rows and any(isinstance(row.ground_truth, dict) for row in node.children)
    ]
    if all(len(rows) < SHORTEST_CUT for *_, rows in lists):
        return
    for node, found, rows in lists:
        yield {
            "path": shown_path(node),
            "expected": found.expected,
            "predicted": found.predicted,
            "paired": found.paired,
            "whole": found.right,
            "cut": found.cut_after,
            "rows": "".join("w" if row.earned == row.weight else "d" if row.earned else "m" for row in rows),
            "numbers": [numbers.get(id(row)) for row in rows],
        }

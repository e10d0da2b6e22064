"""How several systems differ from one of them, the base: verdicts, fields and documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from docscore.core.errors import InputValueError
from docscore.corpus.comparison import Comparison
from docscore.corpus.evaluation import Evaluation
from docscore.stats.significance import holm


@dataclass(frozen=True)
class SystemChange:
    """How a system differs from the base.

    Attributes:
        system: its name.
        comparison: the two compared, the base first.
        adjusted: the p-value of the difference of the means, adjusted by Holm for the number of systems that are
            compared with the base.
        tests: how many systems are compared with the base.
    """

    system: str
    comparison: Comparison
    adjusted: float
    tests: int


def changes_against(evaluations: Mapping[str, Evaluation], base: str) -> list[SystemChange]:
    """Compare each system with the base.

    Args:
        evaluations: of each system by its name, on the same rows, with the same options.
        base: the name of one of them.

    Returns:
        A change for each system but the base, in their order.

    Raises:
        ValueError: for an unknown base, fewer than two systems, and systems that cannot be compared.
    """
    if base not in evaluations:
        expected = f"one of the systems {', '.join(map(repr, evaluations))}"
        raise InputValueError(place="base", expected=expected, got=repr(base))
    if len(evaluations) == 1:
        raise InputValueError(place="base", expected="at least two systems", got="one")
    found = {name: evaluations[base].compare(each) for name, each in evaluations.items() if name != base}
    adjusted = holm([each.p_value for each in found.values()])
    return [
        SystemChange(name, each, p_value, len(found))
        for (name, each), p_value in zip(found.items(), adjusted, strict=True)
    ]


def document_scores_by_system(evaluations: Mapping[str, Evaluation]) -> dict[str, list[float]]:
    """The score of each document in each system, by id, in the order of the first system's documents."""
    by_id = [dict(zip(each.scores.ids, each.scores.scores, strict=True)) for each in evaluations.values()]
    return {name: [scores[name] for scores in by_id] for name in by_id[0]}


def field_scores_by_system(evaluations: Mapping[str, Evaluation]) -> dict[str, list[float | None]]:
    """The score of each field in each system, by path; None where nothing counts in it."""
    by_path = [{field.path: field for field in each.analysis.fields} for each in evaluations.values()]
    paths = dict.fromkeys(path for fields in by_path for path in fields)
    return {
        path: [fields[path].score if path in fields and fields[path].weight else None for fields in by_path]
        for path in paths
    }

"""docscore: exact, fast ANLS* scores for document extraction, and where every point went."""

import importlib
from functools import partial
from typing import TYPE_CHECKING, Any

from docscore.core.displayed import LazyRenderer
from docscore.version import VERSION as __version__  # noqa: N811  the name that packages use

if TYPE_CHECKING:
    from docscore.core.options import CompareOptions, ReadOptions
    from docscore.evaluation.comparison import Comparison, compare, decide
    from docscore.evaluation.evaluation import Evaluation, Row
    from docscore.evaluation.registry import METRICS
    from docscore.evaluation.sources import evaluate
    from docscore.evaluation.state import ScoreState
    from docscore.evaluation.tables import Table
    from docscore.inputs.reading import read
    from docscore.inputs.test_set import TestSet
    from docscore.integrations.evaluate import evaluate_module, register
    from docscore.integrations.feedback import feedback
    from docscore.metrics.anls_star.api import anls_score, score_pairs, score_tree
    from docscore.metrics.anls_star.tree import ScoreNode, ScoreTree
    from docscore.metrics.kieval import entity_counts, kieval_score
    from docscore.metrics.nted import nted_score
    from docscore.metrics.typed.score import typed_score, typed_tree
    from docscore.schemas.lint import lint
    from docscore.schemas.suggestion import suggest_schema

_IMPORTED_WHEN_USED = {
    "METRICS": "docscore.evaluation.registry",
    "CompareOptions": "docscore.core.options",
    "Comparison": "docscore.evaluation.comparison",
    "Evaluation": "docscore.evaluation.evaluation",
    "ReadOptions": "docscore.core.options",
    "Row": "docscore.evaluation.evaluation",
    "ScoreNode": "docscore.metrics.anls_star.tree",
    "ScoreState": "docscore.evaluation.state",
    "ScoreTree": "docscore.metrics.anls_star.tree",
    "Table": "docscore.evaluation.tables",
    "TestSet": "docscore.inputs.test_set",
    "anls_score": "docscore.metrics.anls_star.api",
    "compare": "docscore.evaluation.comparison",
    "decide": "docscore.evaluation.comparison",
    "entity_counts": "docscore.metrics.kieval",
    "evaluate": "docscore.evaluation.sources",
    "evaluate_module": "docscore.integrations.evaluate",
    "feedback": "docscore.integrations.feedback",
    "kieval_score": "docscore.metrics.kieval",
    "lint": "docscore.schemas.lint",
    "nted_score": "docscore.metrics.nted",
    "read": "docscore.inputs.reading",
    "register": "docscore.integrations.evaluate",
    "score_pairs": "docscore.metrics.anls_star.api",
    "score_tree": "docscore.metrics.anls_star.api",
    "suggest_schema": "docscore.schemas.suggestion",
    "typed_score": "docscore.metrics.typed.score",
    "typed_tree": "docscore.metrics.typed.score",
}

__all__ = [
    "METRICS",
    "CompareOptions",
    "Comparison",
    "Evaluation",
    "ReadOptions",
    "Row",
    "ScoreNode",
    "ScoreState",
    "ScoreTree",
    "Table",
    "TestSet",
    "__version__",
    "anls_score",
    "compare",
    "decide",
    "entity_counts",
    "evaluate",
    "evaluate_module",
    "feedback",
    "kieval_score",
    "lint",
    "nted_score",
    "read",
    "register",
    "score_pairs",
    "score_tree",
    "suggest_schema",
    "typed_score",
    "typed_tree",
]


# Import the package that renders results only when a result is shown.
LazyRenderer.display = staticmethod(partial(importlib.import_module, "docscore.report.display"))


def __getattr__(name: str) -> Any:
    """Import the module of a name on first use, so that `import docscore` stays fast."""
    if name not in _IMPORTED_WHEN_USED:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = globals()[name] = getattr(importlib.import_module(_IMPORTED_WHEN_USED[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

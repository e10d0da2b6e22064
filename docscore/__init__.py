"""docscore: exact, fast ANLS* scores for document extraction, and where every point went."""

from docscore.modules import evaluate_module
from docscore.score import ScoreNode, ScoreTree, anls_score, score_pairs, score_tree
from docscore.version import VERSION as __version__  # noqa: N811  the name that packages use

__all__ = ["ScoreNode", "ScoreTree", "__version__", "anls_score", "evaluate_module", "score_pairs", "score_tree"]

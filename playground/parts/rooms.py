"""Which rooms of docscore are installed: what a page without one lacks, it says."""

import importlib.util

GROUND_TRUTHS = "docscore.evaluation.ground_truths"


def has_ground_truths() -> bool:
    """Whether the room for reviews and suggestions of schemas is there."""
    return importlib.util.find_spec(GROUND_TRUTHS) is not None


MISSING = "" if has_ground_truths() else f"No reviews and no suggested schemas: {GROUND_TRUTHS} is not installed."

"""Which rooms of docscore are installed: what a page without one lacks, it says."""

import importlib.util

GROUND_TRUTHS = "docscore.evaluation.ground_truths"
# what the page lacks without the room for reviews and suggestions of schemas, as a sentence; "" if it is there
MISSING = (
    ""
    if importlib.util.find_spec(GROUND_TRUTHS)
    else f"No reviews and no suggested schemas: {GROUND_TRUTHS} is not installed."
)

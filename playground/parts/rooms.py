"""Which rooms of docscore are installed: what a page without one lacks, it says."""

from importlib.util import find_spec

# What the page lacks without the room for reviews and suggestions of schemas, as a sentence; "" if it is there.
MISSING = (
    ""
    if find_spec("docscore.ground_truths")
    else "No reviews and no suggested schemas: docscore.ground_truths is not installed."
)

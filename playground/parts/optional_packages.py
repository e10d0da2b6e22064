"""Which optional packages the page has."""

from importlib.util import find_spec

# Why the page has no tab Review, as a sentence; "" if it has one.
WITHOUT_REVIEW = "" if find_spec("docscore_review") else "There is no tab Review: docscore-review is not installed."

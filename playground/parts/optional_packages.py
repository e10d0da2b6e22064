"""Check which optional packages the page has."""

from importlib.util import find_spec

# The sentence that says why the page has no Review tab; "" if it has one.
WITHOUT_REVIEW = "" if find_spec("docscore_review") else "There is no tab Review: docscore-review is not installed."

"""Inspect AI: the scorers, and the reader of logs.

Install with `pip install "docscore[inspect]"`, in Python 3.11 or newer.
"""

from docscore.integrations.inspect.scorers import anls_star, kieval_entities, typed_by_schema

__all__ = ["anls_star", "kieval_entities", "typed_by_schema"]

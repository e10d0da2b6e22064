"""Inspect AI: the tasks of the paper's benchmark and of one's own documents, the scorers, and the reading of logs.

Install with `pip install "docscore[bench]"`, in Python 3.11 or newer.
"""

from docscore.integrations.inspect.tasks import (
    anls_star,
    documents,
    docvqa,
    kieval_entities,
    kleister_charity,
    kleister_nda,
    mp_docvqa,
    sroie,
    typed_by_schema,
    vrdu_ad_buy,
    vrdu_registration,
)

__all__ = [
    "anls_star",
    "documents",
    "docvqa",
    "kieval_entities",
    "kleister_charity",
    "kleister_nda",
    "mp_docvqa",
    "sroie",
    "typed_by_schema",
    "vrdu_ad_buy",
    "vrdu_registration",
]

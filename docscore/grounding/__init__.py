"""Regions of values in documents: citations, the text of documents, the grounding metric, support in the text."""

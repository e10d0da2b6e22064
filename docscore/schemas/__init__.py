"""Schemas from ground truths: a suggested comparator for each field, and findings."""

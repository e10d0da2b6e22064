"""Schemas from ground truths: a comparator suggested for each field, and findings."""

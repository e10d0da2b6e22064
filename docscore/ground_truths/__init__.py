"""Whose error is it: schemas and findings from ground truths, reviews of differences, and corrected files."""

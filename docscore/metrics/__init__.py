"""The metrics: each scores one row."""

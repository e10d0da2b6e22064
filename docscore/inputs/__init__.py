"""Rows: where they are read from, and how references and predictions are paired."""

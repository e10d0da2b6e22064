"""Typed scores: ANLS* where a schema says how each place compares and what it weighs."""

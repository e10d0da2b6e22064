"""Intervals and tests over documents."""

"""Benchmarks, fuzzing, studies and scripts of a checkout; none of it is installed."""

"""Benchmarks of speed: the published package, docscore, and a lower bound for both, in one run."""

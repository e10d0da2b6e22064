"""Read rows from every kind of input, and pair references with predictions."""

"""A test set: its scores, fields, causes of lost points, comparisons and mergeable state."""

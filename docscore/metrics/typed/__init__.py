"""Typed scores: ANLS* with a schema that sets the comparator and the weight of each place."""

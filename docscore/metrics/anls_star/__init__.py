"""ANLS*: the scorer, the score tree, and the public functions."""

"""Fuzzing: inputs made from random bytes, guided by the branches that they reach, for all that reads foreign data."""

"""Fuzzing of all code that reads foreign data, with inputs made from random bytes and guided by reached branches."""

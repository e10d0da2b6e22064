"""Rows from files and from Python, read, checked and paired."""

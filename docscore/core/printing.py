"""Text that is safe to print: whatever could steer a terminal is an escape."""

from __future__ import annotations


def printable(text: str) -> str:
    r"""The text with everything that could steer a terminal or cannot be encoded as an escape.

    >>> print(printable("a\x1b[31mb"))
    a\u001b[31mb
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else f"\\u{ord(c):04x}" if c < "\U00010000" else f"\\U{ord(c):08x}" for c in text
    )

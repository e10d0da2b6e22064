"""What the JSON of a command begins with: its format and version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# A version is raised where a member goes or changes its meaning, not where one is added; docs/json_output.md has them.
VERSIONS = {
    "score": 1,
    "compare": 1,
    "table": 1,
    "explain": 1,
    "corrections": 1,
    "automation": 1,
    "bench_check": 1,
    "bench_table": 1,
}


def with_format(name: str, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a JSON output behind its format.

    Args:
        name: of the output, among `VERSIONS`.
        parts: the members of the object.

    >>> with_format("score", {"anls_score": 1.0})
    {'format': 'docscore.score/1', 'anls_score': 1.0}
    """
    return {"format": f"docscore.{name}/{VERSIONS[name]}", **parts}

"""The version of docscore, the only place that says it."""

from __future__ import annotations

VERSION = "0.2.0"

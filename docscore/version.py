"""The version of docscore, the only place that says it."""

VERSION = "0.3.0"

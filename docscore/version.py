"""The version of docscore, the only place that says it."""

VERSION = "0.2.0"

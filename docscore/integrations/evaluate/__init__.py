"""docscore as metrics of the `evaluate` library."""

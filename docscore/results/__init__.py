"""The front door: one call, `docscore.evaluate`, and the one result that it gives."""

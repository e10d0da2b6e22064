"""The function `docscore.evaluate`, and the result that it returns."""

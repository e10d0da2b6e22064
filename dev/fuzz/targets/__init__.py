"""One module a target: `run` takes an input as bytes, `seeds` gives inputs to begin with."""

TARGETS = ("model_texts", "files", "row_formats", "links", "documents", "schemas")

"""One module per target: `run` takes an input as bytes, `seeds` returns the first inputs."""

TARGETS = ("model_texts", "files", "row_formats", "links", "documents", "schemas")

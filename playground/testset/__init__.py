"""The tab for a test set."""

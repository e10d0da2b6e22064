"""The tab for reviews of ground truths."""

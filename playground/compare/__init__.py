"""The tab for several systems."""

"""The tab for one pair, and the API."""

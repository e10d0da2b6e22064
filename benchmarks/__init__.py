"""Speed, side by side in one run: the published package, docscore, and the floor beneath both."""

"""Reports for people: terminal text, Markdown, LaTeX and HTML."""

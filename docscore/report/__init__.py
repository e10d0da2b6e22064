"""Reports for people: terminal text, Markdown, LaTeX and HTML."""

from docscore.report.html_report import report_as_html

__all__ = ["report_as_html"]

"""A hook of mkdocs: links from the pages to files of the repository lead to its address."""

from __future__ import annotations

import logging
import posixpath
import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from scripts.project_address import ROOT, project_address  # mkdocs loads this file by its path

_LOG = logging.getLogger("mkdocs.hooks.site_links")  # its warnings are errors in a strict build
_LINK = re.compile(r"\]\((\.\./[^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """A link to the repository in the footer; `repo_url` would ask its server for stars on every page."""
    config.extra["social"] = [{"icon": "fontawesome/brands/git-alt", "link": project_address(), "name": "Source"}]
    return config


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page, with `../examples/x` made an address of the repository."""

    def absolute(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), link[1]))
        if not (ROOT / path).exists():
            _LOG.warning("%s: there is no %s", page.file.src_uri, path)
        return f"]({project_address()}/blob/main/{path}{link[2] or ''})"

    return _LINK.sub(absolute, markdown)

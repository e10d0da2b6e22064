"""An extension of Markdown for the site: links out of `docs/`, which are relative, lead to the repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor

from dev.scripts.project_address import project_address

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown import Markdown


class _Links(Treeprocessor):  # type: ignore[misc]
    def run(self, root: Element) -> None:
        for link in root.iter("a"):
            target = link.get("href", "")
            if target.startswith("../"):
                link.set("href", f"{project_address()}/tree/main/{target.removeprefix('../')}")


class RepositoryLinks(Extension):  # type: ignore[misc]
    """Changes the links of a page when it is rendered."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  Markdown's name
        """Run before the links between pages are changed."""
        md.treeprocessors.register(_Links(md), "repository_links", 12)


def makeExtension(**options: Any) -> RepositoryLinks:  # noqa: N802  Markdown's name
    """Return the extension, as Markdown asks for it."""
    return RepositoryLinks(**options)

"""The documentation as a site: it builds strictly, loads nothing from elsewhere, and has every page and public name."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import docscore
from dev.scripts.project_address import project_address
from tests.commands import run_python
from tests.conftest import ROOT, needs
from tests.test_public_names import EXTRAS, NAMES, PATHS

pytestmark = pytest.mark.ci

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}  # and not only linked


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in strict mode: a dead link to a page or a heading is an error."""
    needs("zensical", "mkdocstrings")
    folder = tmp_path_factory.mktemp("project")  # Zensical writes beside its configuration
    shutil.copy(ROOT / "mkdocs.yml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")
    for name in ("docscore", "dev"):
        (folder / name).symlink_to(ROOT / name)
    run_python("-m", "zensical", "build", "--strict", cwd=folder)
    return folder / "site"


class Addresses(HTMLParser):
    """What an HTML file loads when it is opened, and what it links to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in LOADED and values.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(values.get(LOADED[tag]) or "")
        if tag == "a" and values.get("href"):
            self.linked.append(values["href"] or "")
        assert values.get("data-md-component") != "source"  # its script asks the server of the repository


def test_every_page_is_there_and_loads_nothing_from_another_server(site: Path) -> None:
    navigation = re.findall(r": (\w+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), flags=re.MULTILINE)
    assert sorted(navigation) == sorted(path.name for path in (ROOT / "docs").glob("*.md"))
    for page in site.rglob("*.html"):
        loaded = Addresses(page).loaded
        assert loaded
        assert not [address for address in loaded if re.match(r"\w+:|//", address)], page


def test_pictures_and_files_that_pages_name_are_there(site: Path) -> None:
    """Of the site, and of the repository where a page links to it: Zensical checks links to pages alone."""
    repository = f"{project_address()}/tree/main/"
    for page in site.rglob("index.html"):
        addresses = Addresses(page)
        for address in {*addresses.loaded, *addresses.linked}:
            url = urlsplit(address)
            if not url.scheme:
                assert (page.parent / unquote(url.path)).exists(), (page, address)
            elif address.startswith(repository):
                assert (ROOT / unquote(url.path).split("/tree/main/")[1]).exists(), (page, address)


def test_the_reference_has_every_public_name_and_no_other(site: Path) -> None:
    wanted = {f"docscore.{name}" for name in docscore.__all__} - {"docscore.__version__"}
    wanted |= {f"docscore_review.{name}" for name in ("Review", "review", "review_of")}
    wanted |= {path.replace(":", ".") for path in PATHS} | {path.replace(":", ".") for _, path in EXTRAS}
    listed = set(re.findall(r"^::: (\S+)$", (ROOT / "docs/reference.md").read_text("utf-8"), flags=re.MULTILINE))
    assert listed == wanted - {"docscore.cli.main"}
    reference = (site / "reference" / "index.html").read_text("utf-8")
    assert [name for name in listed if f'id="{name}"' not in reference] == []
    section = reference.split('id="docscore.Evaluation"')[1].split('id="docscore.Row"')[0]
    assert [name for name in NAMES["evaluation"] if f"Evaluation.{name}" not in section] == []

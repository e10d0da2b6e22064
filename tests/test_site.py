"""The documentation as a site: it builds without a warning, loads nothing from elsewhere, and has every public name."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import docscore
from tests.commands import environment
from tests.conftest import HUNG, ROOT, skip_or_fail
from tests.test_public_names import EXTRAS, PATHS

LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}  # and not only linked


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in strict mode: a dead link, a dead anchor or a page that nothing leads to is an error."""
    missing = [name for name in ("mkdocs", "material", "mkdocstrings") if importlib.util.find_spec(name) is None]
    if missing:
        skip_or_fail(f"needs {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=environment(NO_MKDOCS_2_WARNING="1", PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
        timeout=HUNG,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder


class Loads(HTMLParser):
    """What a page loads when it is opened."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in LOADED and given.get("rel") not in ("canonical", "next", "prev"):
            self.addresses.append(given.get(LOADED[tag]) or "")
        assert given.get("data-md-component") != "source"  # its script asks the server of the repository


def test_every_page_is_there_and_loads_nothing_from_another_server(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages <= {path.parent.name for path in site.rglob("index.html")}
    for page in site.rglob("*.html"):
        loads = Loads()
        loads.feed(page.read_text("utf-8"))
        assert loads.addresses
        assert not [address for address in loads.addresses if re.match(r"\w+:|//", address)], page


def test_the_reference_has_every_public_name_and_no_other(site: Path) -> None:
    wanted = {f"docscore.{name}" for name in docscore.__all__} - {"docscore.__version__"}
    wanted |= {path.replace(":", ".") for path in PATHS} | {path.replace(":", ".") for _, path in EXTRAS}
    listed = set(re.findall(r"^::: (\S+)$", (ROOT / "docs/reference.md").read_text("utf-8"), flags=re.MULTILINE))
    assert listed == wanted - {"docscore.cli.main"}
    reference = (site / "reference" / "index.html").read_text("utf-8")
    assert [name for name in listed if f'id="{name}"' not in reference] == []

"""The page and the folder of a Space for each evaluate module: they run where only requirements.txt is installed."""

from __future__ import annotations

import re
import urllib.request
import venv
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from dev.scripts.build_space import build_space
from docscore import evaluate_module
from docscore.integrations.evaluate import MODULES
from tests import browser
from tests.commands import run_python
from tests.conftest import ROOT, needs

pytestmark = pytest.mark.full


@pytest.fixture(params=MODULES)
def space(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The built folder; it has the name of its module."""
    folder = tmp_path / str(request.param)
    build_space(folder.name, folder)
    return folder


@pytest.fixture(scope="module")
def fresh_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that finds, as links, the packages of requirements.txt and what they need, and no others.

    Installing them would take a minute.
    """
    needs("gradio")
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True)
    site = next(folder.glob("lib/*/site-packages"))
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    installed = set[tuple[str, str]]()
    while wanted:
        requirement = wanted.pop()
        new = {(requirement.name, extra) for extra in ("", *requirement.extras)} - installed
        installed |= new
        for name, extra in new:
            package = distribution(name)
            wanted += [each for each in map(Requirement, package.requires or ()) if _applies(each, extra)]
            for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
                if not (site / top).exists():
                    (site / top).symlink_to(str(package.locate_file(top)))
    return folder / "bin" / "python"


def _applies(requirement: Requirement, extra: str) -> bool:
    """Whether a package asks for another one here, for itself or for an extra."""
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def answers(folder: Path, python: Path, temporary: Path) -> None:
    """Fail if `python app.py` in the folder does not serve a page that shows a score."""
    with (
        browser.started(temporary, python=python, cwd=folder, PYTHONPATH="") as app,
        urllib.request.urlopen(app.url) as page,  # noqa: S310  ours
    ):
        assert "ANLS" in page.read().decode()


@pytest.mark.ci
def test_the_page_starts_where_only_the_requirements_are_installed(fresh_python: Path, tmp_path: Path) -> None:
    """`docscore`, too, is a folder there, and is not installed."""
    answers(ROOT, fresh_python, tmp_path)


def test_a_space_starts_with_what_is_in_its_folder(fresh_python: Path, space: Path, tmp_path: Path) -> None:
    answers(space, fresh_python, tmp_path)


def test_without_docscore_it_says_how_to_install_it(space: Path, tmp_path: Path) -> None:
    """There is none on an index, where the loader would send people to."""
    code = """
import sys
import evaluate

class NotInstalled:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "docscore":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled)
try:
    evaluate.load(sys.argv[1])
except ImportError as error:
    print(repr(str(error)))
"""
    output = run_python("-c", code, space / f"{space.name}.py", cwd=tmp_path)
    wanted = 'this metric needs docscore: pip install "docscore[evaluate]"'
    assert output.splitlines()[-1] == repr(wanted)


def test_its_module_is_ours_and_its_card_that_of_a_space(space: Path) -> None:
    """How the module loads from a hub, tests/test_loading.py says."""
    assert (space / f"{space.name}.py").read_bytes() == Path(evaluate_module(space.name)).read_bytes()
    assert all((space / "docscore" / "evaluate_modules" / each / f"{each}.py").is_file() for each in MODULES)
    _, front, text = (space / "README.md").read_text("utf-8").split("---\n", 2)
    front_matter = yaml.safe_load(front)
    assert {"title", "emoji", "colorFrom", "sdk", "sdk_version", "app_file", "description"} <= front_matter.keys()
    assert (space / front_matter["app_file"]).is_file()
    assert f"gradio=={front_matter['sdk_version']}" in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert front_matter["tags"] == ["evaluate", "metric"]
    links = re.findall(r"\]\((?!#)([^)\s]+)\)", text)
    assert links
    assert all(link.startswith("http") for link in links)
    assert (space / "requirements.txt").read_bytes() == (ROOT / "requirements.txt").read_bytes()


def test_a_folder_is_built_again_and_other_folders_are_left_alone(tmp_path: Path) -> None:
    """What an earlier build left goes; a file of git stays."""
    build = "-m", "dev.scripts.build_space"
    assert "usage: python -m dev.scripts.build_space" in run_python(*build, "--help")
    run_python(*build, "kieval", tmp_path)
    (tmp_path / "docscore" / "removed.py").touch()
    (tmp_path / ".gitattributes").write_text("mine")
    before = contents(tmp_path)
    run_python(*build, "nted", tmp_path)
    assert before ^ contents(tmp_path) == {"kieval.py", "nted.py", "docscore/removed.py"}
    assert (tmp_path / ".gitattributes").read_text() == "mine"
    (tmp_path / ".docscore_space").unlink()
    with pytest.raises(FileExistsError, match="expected an empty folder or one that build_space wrote"):
        build_space("nted", tmp_path)
    assert contents(tmp_path) >= {"nted.py", "docscore/__init__.py"}


def contents(folder: Path) -> set[str]:
    """The files below a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}

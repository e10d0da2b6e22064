"""The folder of a Space for each evaluate module: it has the module, and its page runs with what is in it alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from dev.scripts.build_space import build_space
from docscore import evaluate_module
from docscore.integrations.evaluate import MODULES
from tests.commands import run_python
from tests.conftest import ROOT, needs
from tests.test_loading import last_line

pytestmark = pytest.mark.full


@pytest.fixture(params=MODULES)
def space(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The built folder; it has the name of its module."""
    folder = tmp_path / str(request.param)
    build_space(folder.name, folder)
    return folder


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


def test_its_page_runs_with_what_is_in_the_folder(space: Path) -> None:
    needs("gradio")
    code = """
import json, app, docscore, playground
app.build_demo()
print(json.dumps([app.__file__, docscore.__file__, playground.__file__, docscore.evaluate_module("nted")]))
"""
    actual = [Path(path) for path in last_line(run_python("-E", "-c", code, cwd=space))]  # without PYTHONPATH
    assert [path.is_relative_to(space) for path in actual] == [True] * 4


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileExistsError, match="expected an empty folder"):
        build_space("nted", tmp_path)

"""The folder of a Space for each evaluate module: it loads from a hub, and its page runs with what is in it alone."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

import pytest
import yaml

from docscore.integrations.evaluate import MODULES
from scripts.build_space import build_space
from scripts.project_address import project_address
from tests.conftest import needs
from tests.test_loading import LOAD_AND_SCORE, LOOPBACK_ONLY, Hub, last_line, online, run

pytestmark = pytest.mark.full

ROWS = json.dumps({"predictions": [{"total": "12.50"}], "references": [{"total": "12.50"}]})
FIGURES = {"anls_star": "anls_score", "kieval": "kieval_entity_f1", "entity_f1": "entity_f1", "nted": "nted"}


@pytest.fixture(params=MODULES)
def space(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The built folder; it has the name of its module."""
    folder = tmp_path / str(request.param)
    build_space(folder.name, folder)
    return folder


def test_it_loads_from_a_hub(space: Path, tmp_path: Path) -> None:
    """As `evaluate.load("OWNER/NAME")` does: the one file is fetched, and scores."""
    name = f"docscore-tests/{space.name}"
    with Hub(name, space / f"{space.name}.py", tmp_path / "hub") as hub:
        thread = threading.Thread(target=hub.serve_forever)
        thread.start()
        code = LOOPBACK_ONLY + LOAD_AND_SCORE
        output = run("-c", code, name, ROWS, cwd=tmp_path, env=online(hub, tmp_path / "home"))
        hub.shutdown()
        thread.join()
    assert last_line(output)[FIGURES[space.name]] == 1.0


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
    output = run("-c", code, str(space / f"{space.name}.py"), cwd=tmp_path)
    wanted = f'this metric needs docscore: pip install "docscore[evaluate] @ git+{project_address()}"'
    assert output.splitlines()[-1] == repr(wanted)


def test_its_card_is_that_of_a_space(space: Path, root: Path) -> None:
    _, front, text = (space / "README.md").read_text("utf-8").split("---\n", 2)
    found = yaml.safe_load(front)
    assert {"title", "emoji", "colorFrom", "sdk", "sdk_version", "app_file", "description"} <= found.keys()
    assert (space / found["app_file"]).is_file()
    assert found["tags"] == ["evaluate", "metric"]
    links = re.findall(r"\]\((?!#)([^)\s]+)\)", text)
    assert links
    assert all(link.startswith("http") for link in links)
    assert (space / "requirements.txt").read_bytes() == (root / "requirements.txt").read_bytes()


def test_its_page_runs_with_what_is_in_the_folder(space: Path) -> None:
    needs("gradio")
    code = """
import json, app, docscore, playground
app.build_demo()
print(json.dumps([app.__file__, docscore.__file__, playground.__file__, docscore.evaluate_module("nted")]))
"""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    found = [Path(path) for path in last_line(run("-c", code, cwd=space, env=env))]
    assert [path.is_relative_to(space) for path in found] == [True] * 4


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    with pytest.raises(FileExistsError, match="expected an empty folder"):
        build_space("nted", tmp_path)

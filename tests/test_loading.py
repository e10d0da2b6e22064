"""Where the metric can be loaded from: file, folder, installed package, hub, wheel; and what importing costs.

What depends on the interpreter's state is run in a process of its own. No request leaves this machine: the hub is a
server on the loopback device, and its client refuses every other address.
"""

from __future__ import annotations

import doctest
import importlib.util
import json
import shutil
import subprocess
import sys
import threading
import zipfile
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any

import evaluate
import pytest

from docscore import evaluate_module
from docscore.integrations.evaluate import MODULES
from docscore.version import VERSION
from tests.commands import pred, ref, run_python
from tests.conftest import ROOT, needs

PREDICTIONS = [pred("a", {"m": [{"n": "Tea", "p": 2}]}), pred("b", 1)]
REFERENCES = [ref("b", 2, 1), ref("a", {"m": [{"n": "Tea", "p": 3}]})]
FIGURES = ("kieval_entity_f1", "kieval_entity_precision", "kieval_entity_recall", "kieval_group_f1", "kieval_aligned")
COUNTS = {"true_positives": 2, "substitutions": 1, "additions": 0, "deletions": 0}
GROUPS = {"groups_right": 0, "groups_wrong": 1, "groups_missed": 0, "groups_invented": 0}
RESULTS: dict[str, dict[str, Any]] = {
    "anls_star": {"anls_score": (1 + 1 / 2) / 2},
    "kieval": {**dict(zip(FIGURES, (2 / 3, 2 / 3, 2 / 3, 0.0, 2 / 3), strict=True)), **COUNTS, **GROUPS},
    "entity_f1": {"entity_f1": 2 / 3},
    "nted": {"nted": (1 + 7 / 8) / 2},  # one of m, an element, n, p, three letters and a figure
}
each_module = pytest.mark.parametrize("name", MODULES)

# What a process does that loads metrics by their paths, or by the names of our modules, and scores the rows above.
LOAD_AND_SCORE = """
import json, sys
import docscore, evaluate
for name in sys.argv[2:]:
    path = name if "/" in name else docscore.evaluate_module(name)
    print(json.dumps([path, evaluate.load(path).compute(**json.loads(sys.argv[1]))]))
"""
ROWS = json.dumps({"predictions": PREDICTIONS, "references": REFERENCES})

# Put before code that may use the network: whatever is not on this machine is an error.
LOOPBACK_ONLY = """
import sys
def refuse_others(event, args):
    if event == "socket.getaddrinfo":
        host = args[0]
    elif event == "socket.connect" and isinstance(args[1], tuple):
        host = args[1][0]
    else:
        return
    if host not in ("127.0.0.1", b"127.0.0.1", "localhost", b"localhost"):
        raise SystemExit(f"a request to {host}")
sys.addaudithook(refuse_others)
"""


def last_line(output: str) -> Any:
    """The JSON value in the last line; the libraries may print before it."""
    return json.loads(output.splitlines()[-1])


def script_of(name: str) -> Path:
    """The file of a module in the checkout."""
    return ROOT / "anls_star.py" if name == "anls_star" else ROOT / "evaluate_modules" / name / f"{name}.py"


@each_module
def test_from_the_path_of_the_file_and_of_a_folder_of_its_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`evaluate.load("folder")` takes `folder/folder.py`; the examples of its inputs load the module by its name."""
    script = script_of(name)
    (tmp_path / name).mkdir()
    shutil.copy(script, tmp_path / name)
    file, folder = script.relative_to(ROOT), ROOT / "evaluate_modules" / name
    paths = {ROOT: [script, f"./{file}", file], tmp_path: [name, f"./{name}", tmp_path / name, folder]}
    for current, path in [(current, path) for current, several in paths.items() for path in several]:
        monkeypatch.chdir(current)
        metric = evaluate.load(str(path), cache_dir=str(tmp_path / "cache"))
        assert metric.name == name
        assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == RESULTS[name]
    failed, attempted = doctest.testmod(sys.modules[type(metric).__module__], raise_on_error=True)
    assert failed == 0
    assert attempted > 5


@pytest.mark.parametrize("name", ["anls", "anls_star.py", "", "../anls_star", "docscore"])
def test_other_modules_are_not_there(name: str) -> None:
    with pytest.raises(ValueError, match=r"expected the name of .* \(anls_star, kieval, entity_f1, nted\), got"):
        evaluate_module(name)


class Hub(ThreadingHTTPServer):
    """A hub on the loopback device with one script, in revision `main` of one Space, that notes the requests."""

    def __init__(self, space: str, script: Path, folder: Path) -> None:
        self.path = f"/spaces/{space}/resolve/main/{script.name}"
        self.seen: list[tuple[str, str]] = []
        file = folder / self.path[1:]
        file.parent.mkdir(parents=True)
        shutil.copy(script, file)
        super().__init__(("127.0.0.1", 0), partial(HubHandler, directory=str(folder)))


class HubHandler(SimpleHTTPRequestHandler):
    """Answers as the hub does: with the file, its hash and its commit, or that there is none."""

    server: Hub

    def send_response(self, code: int, message: str | None = None) -> None:
        self.server.seen.append((self.command, self.path))
        super().send_response(code, message)
        if code == HTTPStatus.OK:
            self.send_header("ETag", '"5c0e"')
            self.send_header("X-Repo-Commit", "0" * 40)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


LEVELS = [pytest.param(name, marks=pytest.mark.ci if name == "anls_star" else pytest.mark.full) for name in MODULES]


@pytest.mark.parametrize("name", LEVELS)
def test_from_a_hub_and_then_offline(name: str, tmp_path: Path) -> None:
    """`evaluate` asks for the revision of its own version, then for `main`; the file alone is enough to score.

    Compute nodes are often offline: once loaded, the cache has the module, and nothing is asked.
    """
    with Hub(f"docscore-tests/{name}", script_of(name), tmp_path / "hub") as hub:
        thread = threading.Thread(target=hub.serve_forever)
        thread.start()
        env = {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_port}", "HF_HOME": str(tmp_path / "home"), "HF_TOKEN": ""}
        env |= {"NO_PROXY": "*", "no_proxy": "*"}
        command = ("-c", LOOPBACK_ONLY + LOAD_AND_SCORE, ROWS, f"docscore-tests/{name}")
        first = run_python(*command, cwd=tmp_path, **env, HF_HUB_OFFLINE="0", HF_EVALUATE_OFFLINE="0")
        asked = list(hub.seen)
        second = run_python(*command, cwd=tmp_path, **env, HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
        hub.shutdown()
        thread.join()
    assert last_line(first) == last_line(second) == [f"docscore-tests/{name}", RESULTS[name]]
    assert {path for _, path in asked} == {hub.path.replace("/main/", f"/v{version('evaluate')}/"), hub.path}
    assert hub.seen == asked
    assert asked[-1] == ("GET", hub.path)


@pytest.mark.ci
@pytest.mark.parametrize("absent", ["evaluate", "datasets"])
def test_the_function_at_the_root_needs_neither_evaluate_nor_datasets(absent: str) -> None:
    """`from anls_star import anls_score`, as from the published package; the class says what to install."""
    code = f"""
import json, sys
sys.modules[{absent!r}] = None  # as if it were not installed
import docscore
from anls_star import anls_score
assert anls_score is docscore.anls_score
try:
    from anls_star import AnlsStar
except ModuleNotFoundError as error:
    print(json.dumps(str(error)))
"""
    message = last_line(run_python("-c", code))
    assert message.startswith("AnlsStar needs evaluate and datasets: pip install")


IMPORTABLE = """
import importlib.util, json, sys
print(json.dumps({name: spec.origin for name in sys.argv[1:] if (spec := importlib.util.find_spec(name))}))
"""


@pytest.mark.ci
def test_an_editable_install_makes_the_library_importable_and_nothing_else(tmp_path: Path) -> None:
    """Neither tests nor benchmarks, the page or scripts, which would be in the way of others of these names."""
    needs("hatchling", "editables", "pip")
    build = "import sys, hatchling.build; print(hatchling.build.build_editable(sys.argv[1]))"
    packed = tmp_path / run_python("-c", build, tmp_path).split()[-1]
    run_python("-m", "venv", "--without-pip", tmp_path / "fresh", cwd=tmp_path)
    python = tmp_path / "fresh" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run_python("-m", "pip", "--python", python, "install", "--no-deps", "--no-index", packed, cwd=tmp_path)
    (site,) = (tmp_path / "fresh").rglob("site-packages")
    editables = importlib.util.find_spec("editables")
    assert editables is not None
    shutil.copytree(Path(str(editables.origin)).parent, site / "editables")
    names = {path.stem for path in ROOT.glob("*.py")} | {path.parent.name for path in ROOT.glob("*/*.py")}
    assert {"docscore", "anls_star", "app", "benchmarks", "playground", "tests"} <= names
    ask = [str(python), "-I", "-c", IMPORTABLE, *sorted(names)]
    found = json.loads(subprocess.run(ask, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert found == {"docscore": str(ROOT / "docscore" / "__init__.py")}


@pytest.mark.ci
def test_a_wheel_has_every_module_and_its_metrics_load(tmp_path: Path) -> None:
    """A top-level `anls_star.py` in site-packages would shadow the published package of that name.

    The paths are those inside the wheel, though a checkout may be installed as well.
    """
    needs("hatchling")
    run_python("-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
        packed = {name for name in archive.namelist() if name.startswith("docscore/")}
        top = {name.split("/")[0] for name in archive.namelist()}
    scripts = {name: f"docscore/evaluate_modules/{name}/{name}.py" for name in MODULES}
    for name, path in scripts.items():
        assert (site / path).read_bytes() == script_of(name).read_bytes()
    kinds = {".css", ".jinja", ".json", ".py", ".typed"}
    files = [path for path in (ROOT / "docscore").rglob("*") if path.suffix in kinds]
    sources = {path.relative_to(ROOT).as_posix() for path in files}
    assert "docscore/py.typed" in sources
    assert packed == sources | set(scripts.values())
    assert top == {"docscore", f"docscore-{VERSION}.dist-info"}
    lines = run_python("-c", LOAD_AND_SCORE, ROWS, *MODULES, cwd=site).splitlines()[-len(MODULES) :]
    assert list(map(json.loads, lines)) == [[str(site / path), RESULTS[name]] for name, path in scripts.items()]

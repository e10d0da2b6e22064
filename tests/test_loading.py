"""Where the metric can be loaded from: file, folder, installed package, hub, wheel, or by name once it is registered.

What depends on the interpreter's state is run in a process of its own. No request leaves this machine: the hub is a
server on the loopback device, and its client refuses every other address.
"""

from __future__ import annotations

import doctest
import json
import re
import runpy
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
from typing import TYPE_CHECKING, Any

import evaluate
import pytest

import docscore
from docscore import evaluate_module
from docscore.integrations.evaluate import MODULES
from docscore.version import VERSION
from tests.commands import PIPES, environment, pred, ref, run, run_process, run_python, succeed
from tests.conftest import ROOT, golden, needs

if TYPE_CHECKING:
    from typing_extensions import Self

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

# What a process does that loads metrics by their names and scores the rows above; it prints which file it ran, too.
LOAD_AND_SCORE = """
import json, sys
import evaluate
for name in sys.argv[2:]:
    metric = evaluate.load(name)
    print(json.dumps([metric._compute.__code__.co_filename, metric.compute(**json.loads(sys.argv[1]))]))
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
    return last_lines(output, 1)[0]


def last_lines(output: str, count: int) -> list[Any]:
    """The JSON values in the last lines."""
    return [json.loads(line) for line in output.splitlines()[-count:]]


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

    def __enter__(self) -> Self:
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.thread.join()
        self.server_close()

    def online(self) -> dict[str, str]:
        """The environment of a process that asks this hub."""
        address = {"HF_ENDPOINT": f"http://127.0.0.1:{self.server_port}", "HF_TOKEN": ""}
        return {**address, "NO_PROXY": "*", "no_proxy": "*", "HF_HUB_OFFLINE": "0", "HF_EVALUATE_OFFLINE": "0"}


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
        env = {"HF_HOME": str(tmp_path / "home"), **hub.online()}
        command = ("-c", LOOPBACK_ONLY + LOAD_AND_SCORE, ROWS, f"docscore-tests/{name}")
        first = run_python(*command, cwd=tmp_path, **env)
        asked = list(hub.seen)
        second = run_python(*command, cwd=tmp_path, **{**env, "HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"})
    assert last_line(first)[1] == last_line(second)[1] == RESULTS[name]
    assert {path for _, path in asked} == {hub.path.replace("/main/", f"/v{version('evaluate')}/"), hub.path}
    assert hub.seen == asked
    assert asked[-1] == ("GET", hub.path)


# Loads what is registered in every other way, and fails if a metric does not survive being pickled.
LOAD_OTHERWISE = """
import pickle
for name in ("anls", "anlsl"):
    metric = pickle.loads(pickle.dumps(evaluate.load("anls_star", name, module_type="metric")))
    assert (metric.name, metric.config_name) == ("anls_star", name)
    assert metric.inputs_description.count("evaluate.load") > 0
several = evaluate.combine(["anls_star", "nted"]).compute(**json.loads(sys.argv[1]))
print(json.dumps([several, str(evaluate.config.HF_MODULES_CACHE)]))
"""


@pytest.mark.ci
def test_by_name_offline_after_registration(tmp_path: Path) -> None:
    """Several processes may register at once, as those of a training do; another one loads what they left."""
    env = environment(HF_HOME=str(tmp_path / "home"))
    command = [sys.executable, "-m", "docscore", "register"]
    processes = [subprocess.Popen(command, cwd=tmp_path, env=env, **PIPES) for _ in range(4)]
    folder = tmp_path / "home" / "modules" / "evaluate_modules" / "metrics"
    told = f"Registered anls_star, kieval, entity_f1, nted in {folder}\n"
    assert [(process.communicate(), process.returncode) for process in processes] == [((told, ""), 0)] * 4
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    assert [path.parent.parent.name for path in files] == [f"evaluate-metric--{name}" for name in sorted(MODULES)]
    printed = run_python(
        "-c", LOAD_AND_SCORE + LOAD_OTHERWISE, ROWS, *MODULES, cwd=tmp_path, HF_HOME=str(tmp_path / "home")
    )
    *single, (several, cache) = last_lines(printed, 5)
    assert single == [[str(script_of(name)), RESULTS[name]] for name in MODULES]
    assert several == RESULTS["anls_star"] | RESULTS["nted"]
    assert cache == str(folder.parent.parent)


@pytest.mark.ci
def test_by_name_online_after_registration(tmp_path: Path) -> None:
    """The Hub is asked first and has no such metric; the clone has a module of that name, which is not in the way."""
    changes = {"HF_HOME": str(tmp_path / "home"), "HF_MODULES_CACHE": str(tmp_path / "modules")}
    assert run_process("register", **changes).code == 0
    assert not (tmp_path / "home").exists()
    with Hub("docscore-tests/other", script_of("nted"), tmp_path / "hub") as hub:
        printed = run_python("-c", LOOPBACK_ONLY + LOAD_AND_SCORE, ROWS, *MODULES, cwd=ROOT, **changes, **hub.online())
    assert last_lines(printed, 4) == [[str(script_of(name)), RESULTS[name]] for name in MODULES]
    asked = {path.split("/resolve/")[0] for _, path in hub.seen}
    assert asked == {f"/spaces/evaluate-metric/{name}" for name in MODULES}


@pytest.fixture
def modules_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where `evaluate` of this process caches modules, as when a notebook sets it."""
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "modules")
    return tmp_path / "modules"


def test_registered_twice_is_once_and_removal_leaves_the_modules_of_others(modules_cache: Path) -> None:
    folder = docscore.register()
    assert folder == modules_cache / "evaluate_modules" / "metrics"
    before = set(folder.rglob("*"))
    other = folder / "evaluate-metric--anls_star" / ("e" * 64) / "anls_star.py"
    other.parent.mkdir()
    other.touch()
    assert docscore.register() == folder
    assert set(folder.rglob("*")) == before | {other, other.parent}
    ours = next(path for path in before if path.name == "anls_star.py")
    assert ours.stat().st_mtime_ns > other.stat().st_mtime_ns  # evaluate takes the newest
    for _ in range(2):
        assert succeed("register", "--remove") == f"Removed anls_star, kieval, entity_f1, nted from {folder}\n"
        assert set(folder.rglob("*")) == {other.parent.parent, other.parent, other}


def test_a_cache_that_cannot_be_written_is_named_with_what_to_do(modules_cache: Path) -> None:
    modules_cache.touch()
    told = f"docscore: cannot write {re.escape(str(modules_cache))}.*: .*; set HF_MODULES_CACHE to another folder"
    code, out, err = run("register")
    assert (code, out) == (74, "")
    assert re.match(told, err)


@golden("loading", "caches")
def test_the_cache_is_that_of_evaluate(
    changes: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_CACHE_HOME", "HF_HOME", "HF_MODULES_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": str(tmp_path), "USERPROFILE": str(tmp_path), **changes}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delitem(sys.modules, "evaluate.config")
    expected = runpy.run_module("evaluate.config")["HF_MODULES_CACHE"]
    assert docscore.register(remove=True) == expected / "evaluate_modules" / "metrics"


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
print(json.dumps([name for name in sys.argv[1:] if importlib.util.find_spec(name)]))
import docscore
print(json.dumps([docscore.evaluate_module("nted"), importlib.util.find_spec("docscore.__main__").origin]))
"""


@pytest.mark.ci
def test_an_editable_install_makes_the_library_importable_and_nothing_else(tmp_path: Path) -> None:
    """Neither tests nor benchmarks, the page or scripts, which would be in the way of others of these names.

    The folder above a clone that is called `docscore` has a folder of that name without `__init__.py`, which is no
    package then.
    """
    needs("hatchling", "pip")
    build = "import sys, hatchling.build; print(hatchling.build.build_editable(sys.argv[1]))"
    packed = tmp_path / run_python("-c", build, tmp_path).split()[-1]
    run_python("-m", "venv", "--without-pip", tmp_path / "fresh", cwd=tmp_path)
    python = tmp_path / "fresh" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run_python("-m", "pip", "--python", python, "install", "--no-deps", "--no-index", packed, cwd=tmp_path)
    names = {path.stem for path in ROOT.glob("*.py")} | {path.parent.name for path in ROOT.glob("*/*.py")}
    assert {"docscore", "anls_star", "app", "dev", "playground", "tests"} <= names
    (tmp_path / "docscore" / "docscore").mkdir(parents=True)
    for options in (["-I"], []):  # without and with the current folder
        ask = [str(python), *options, "-c", IMPORTABLE, *sorted(names)]
        env = environment(PYTHONPATH="")
        printed = subprocess.run(ask, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout
        importable, files = last_lines(printed, 2)
        assert importable == ["docscore"]
        assert files == [str(script_of("nted")), str(ROOT / "docscore" / "__main__.py")]


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
    assert run_process("register", HF_HOME=str(tmp_path)).code == 0  # as an earlier version, which is the checkout here
    printed = run_python("-c", LOAD_AND_SCORE, ROWS, *MODULES, cwd=site, HF_HOME=str(tmp_path))
    assert last_lines(printed, 4) == [[str(site / path), RESULTS[name]] for name, path in scripts.items()]

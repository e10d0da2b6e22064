"""Fixtures: the environment of the Hugging Face libraries, and data that is not part of the project."""

from __future__ import annotations

import builtins
import contextlib
import importlib.util
import json
import os
import signal
import tempfile
import time
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import HealthCheck, settings

LEVELS = {"quick": 0.2, "ci": 0.5, "full": 5.0}  # which tests run, and how many examples of Hypothesis
LEVEL = os.environ.get("DOCSCORE_TESTS", "quick")  # .ci/run sets "ci", and .ci/full "full"


def examples(count: int) -> settings:
    """Settings of Hypothesis with this many examples, times the factor of the level."""
    return settings(max_examples=max(10, round(count * LEVELS[LEVEL])))


collect_ignore: list[str] = []
if LEVEL == "quick":  # not even imported, unless they are named: these take seconds to import what they test
    collect_ignore += ["test_fuzz.py", "test_ray.py", "test_transformers.py", "tools"]

# Distributions that are not installed (.ci/without_distribution). Files that import one are left out.
GONE = [name for name in ("docscore_review", "docscore_benchmark") if importlib.util.find_spec(name) is None]
if "docscore_review" in GONE:
    collect_ignore += ["review", "test_playground_review.py", "test_playground_review_document.py"]
    collect_ignore += ["test_playground_review_decisions.py", "test_server_functions.py", "test_server_types.py"]
    collect_ignore += ["test_work.py"]
if "docscore_benchmark" in GONE:
    collect_ignore += ["benchmark"]

# How long an example takes depends on what else the machine does.
settings.register_profile("docscore", examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("docscore")

_CACHE = tempfile.TemporaryDirectory(prefix="docscore-tests-")
# Set before evaluate and datasets are imported: fresh caches, and no request to anywhere.
os.environ.update(
    HF_HOME=_CACHE.name,
    HF_HUB_DISABLE_TELEMETRY="1",
    HF_UPDATE_DOWNLOAD_COUNTS="0",
    HF_HUB_OFFLINE="1",
    HF_EVALUATE_OFFLINE="1",
)

# A job in the background of a shell ignores Ctrl-C, and so would every process that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
RUN = "DOCSCORE_TEST_RUN"  # in the environment of all processes of a run: its process id
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a4944415478da6368000000820081da45083b0000000049454e44ae426082"
)
HUNG = 900  # seconds after which a process is taken to hang: far more than any takes on a busy machine
REQUIRE_ALL = "DOCSCORE_REQUIRE_ALL"  # set in CI: what would be skipped there is a failure
# Files that take a minute or more, the longest first: so no worker is left with one of them while the others are done.
LONGEST = (
    "guides",
    "ray",
    "distributed",
    "loading",
    "playground_file",
    "spaces",
    "playground_systems",
    "playground_pair",
    "playground_layout",
    "fuzz",
    "snapshot",
    "playground_api",
    "interfaces",
    "cli_errors",
    "typed_score",
)
REQUIRE_TOOLS = "DOCSCORE_REQUIRE_TOOLS"  # set in CI in the environment of tests/tools


def data_rows(name: str, part: str) -> list[dict[str, Any]]:
    rows = map(json.loads, (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row.pop("table") == part]


def table(name: str, part: str) -> list[tuple[Any, ...]]:
    """The rows of a table of `data/NAME.jsonl`, each the values of its columns."""
    return [tuple(row.values()) for row in data_rows(name, part)]


def golden(name: str, part: str) -> pytest.MarkDecorator:
    """Run a test for each row of a table of `data/NAME.jsonl`: its columns are the arguments, `why` is the id.

    The column `raises` names an exception of Python.
    """
    rows = data_rows(name, part)
    ids = [row.pop("why", None) for row in rows]
    rows = [{**row, "raises": getattr(builtins, row["raises"])} if "raises" in row else row for row in rows]
    return pytest.mark.parametrize(tuple(rows[0]), [tuple(row.values()) for row in rows], ids=ids)


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, or fail it where everything is required."""
    if os.environ.get(REQUIRE_ALL):
        pytest.fail(f"{reason}, and {REQUIRE_ALL} is set")
    pytest.skip(reason)


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-xdist deal out the files in the order of collection, and mark all processes that this run starts."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False
    os.environ.setdefault(RUN, str(os.getpid()))


def pytest_unconfigure() -> None:
    """End what the run has started and a test that was interrupted has left, such as a server or a browser."""
    if os.environ[RUN] != str(os.getpid()):  # a worker of pytest-xdist
        return
    del os.environ[RUN]
    for number in (signal.SIGTERM, signal.SIGKILL):
        for _ in range(50):
            left = processes_of(str(os.getpid()))
            if not left:
                return
            for process in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, number)
            time.sleep(0.1)


def processes_of(run: str) -> list[int]:
    """The other processes with the mark of a run in their environment, where the system tells."""
    mark, left = f"{RUN}={run}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if int(path.parent.name) != os.getpid() and mark in path.read_bytes().split(b"\0"):
                left.append(int(path.parent.name))
    return left


def level_of(item: pytest.Item) -> str:
    """The level from which on a test runs: that of its nearest mark; what needs a browser or a tool runs in full."""
    for mark in item.iter_markers():
        if mark.name in LEVELS:
            return mark.name
    with_browser = {"chromium", "visit", "read"} & set(getattr(item, "fixturenames", ()))
    return "full" if with_browser or "tools" in item.path.parts else "quick"


def is_random(item: pytest.Item) -> bool:
    """Whether a test draws its values: it runs the same lines many times, and coverage doubles its time."""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return "seed" in parameters or getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that fails because a distribution is not installed, if the failure names it."""
    report = yield
    for name in GONE:
        if report.failed and (name in report.longreprtext or name.replace("_", "-") in report.longreprtext):
            report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"Skipped: needs {name}")
    return report


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the files that take longest first, and leave out the tests of higher levels, unless their file is named."""
    rank = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))  # stable
    named = {Path(argument.partition("::")[0]).name for argument in config.args}
    order = list(LEVELS)
    left_out = [
        item
        for item in items
        if order.index(level_of(item)) > order.index(LEVEL) and (LEVEL != "quick" or item.path.name not in named)
    ]
    for item in items:
        if is_random(item):
            item.add_marker(pytest.mark.no_cover)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def needs(*modules: str) -> None:
    """Skip the test where a module is not installed, or fail it where everything is required."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        skip_or_fail(f"needs {', '.join(missing)}")


def needs_tool(module: str, required: str = REQUIRE_TOOLS) -> None:
    """Skip a module of tests whose tool is not there; in an environment that has all, fail."""
    if importlib.util.find_spec(module) is not None:
        return
    if os.environ.get(required):
        msg = f"needs {module}, and {required} is set"
        raise RuntimeError(msg)
    pytest.skip(f"needs {module}", allow_module_level=True)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """A function that writes a file of the test."""
    from tests.commands import written  # noqa: PLC0415  it imports this module

    return partial(written, tmp_path)


def shared_data(name: str, what: str) -> Path:
    """A folder that lies beside a checkout of the team and is not part of the project."""
    folder = ROOT.parent / "shared" / "data" / name
    if not folder.is_dir():
        skip_or_fail(f"needs {what}, which are not part of the project")
    return folder


@pytest.fixture(scope="session")
def real_receipts() -> Path:
    return shared_data("cord_qwen2vl_72b", "real receipts")


@pytest.fixture(scope="session")
def docubench() -> Path:
    return shared_data("docubench", "documents of DocuBench")

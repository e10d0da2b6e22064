"""Fixtures: the environment of the Hugging Face libraries, and data that is not part of the project."""

from __future__ import annotations

import importlib.util
import os
import signal
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes depends on what else the machine does.
settings.register_profile("docscore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
HUNG = 900  # seconds after which a process is taken to hang: far more than any takes on a busy machine
REQUIRE_ALL = "DOCSCORE_REQUIRE_ALL"  # set in CI: what would be skipped there is a failure
LONG = "DOCSCORE_LONG"  # set to run the long tests too, which CI does
# Files that take a minute or more, the longest first: so no worker is left with one of them while the others are done.
LONGEST = [
    "ray",
    "playground_file",
    "distributed",
    "playground_systems",
    "guides",
    "playground_pair",
    "playground_documents",
    "playground_wizard",
    "spaces",
    "playground_metrics",
    "fuzz",
    "metric_modules",
    "cli_faults",
    "spark",
    "playground_workspace",
    "report_browser",
    "playground_links",
    "loading",
    "evaluate_caches",
    "playground_looks",
    "playground_address",
    "all_faces",
    "deep_shapes",
    "properties",
    "typed_score",
    "datasets_map",
    "streams",
    "playground_api",
    "transformers",
]
REQUIRE_TOOLS = "DOCSCORE_REQUIRE_TOOLS"  # set in CI in the environment of tests/tools


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test, or fail it where everything is required."""
    if os.environ.get(REQUIRE_ALL):
        pytest.fail(f"{reason}, and {REQUIRE_ALL} is set")
    pytest.skip(reason)


def pytest_configure(config: pytest.Config) -> None:
    """Let pytest-xdist deal out the files in the order of collection, not by their numbers of tests."""
    if hasattr(config.option, "loadscopereorder"):
        config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that take longest first, and skip the long tests, unless they are asked for or all is required."""
    rank = {f"test_{name}": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))  # stable
    if os.environ.get(LONG) or os.environ.get(REQUIRE_ALL):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason=f"takes long; {LONG}=1 runs it"))


def needs_tool(module: str, required: str = REQUIRE_TOOLS) -> None:
    """Skip a module of tests whose tool is not there; in an environment that has all, fail."""
    if importlib.util.find_spec(module) is not None:
        return
    if os.environ.get(required):
        msg = f"needs {module}, and {required} is set"
        raise RuntimeError(msg)
    pytest.skip(f"needs {module}", allow_module_level=True)


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def real_receipts() -> Path:
    """The folder of 60 real receipts, which lies beside a checkout of the team and is not part of the project."""
    folder = ROOT.parent / "shared" / "data" / "cord_qwen2vl_72b"
    if not folder.is_dir():
        skip_or_fail("needs real receipts, which are not part of the project")
    return folder


@pytest.fixture(scope="session")
def docubench() -> Path:
    """The folder with 30 documents and the outputs of three systems, which lies beside a checkout of the team too."""
    folder = ROOT.parent / "shared" / "data" / "docubench"
    if not folder.is_dir():
        skip_or_fail("needs documents of DocuBench, which are not part of the project")
    return folder

"""What the page keeps on disk is deleted when its process ends, and what a killed process left when the next begins."""

from __future__ import annotations

import contextlib
import random
import signal
import string
import threading
import time
from http.client import HTTPException
from pathlib import Path

import pytest

from playground.server.storage import locked, sweep
from tests.browser import started
from tests.conftest import HUNG
from tests.page_server import Server, upload_test_set


def kept(folder: Path) -> set[str]:
    """The names of what the page keeps below a folder for temporary files."""
    return {path.name for path in folder.glob("tmp/docscore-page-*/**/*")}


def cut_off(server: Server) -> None:
    """Ask for what takes seconds, until the connection is lost."""
    dice = random.Random(0)
    sides = [["".join(dice.choices(string.ascii_lowercase, k=45_000)) for _ in range(20)] for _ in range(2)]
    with contextlib.suppress(OSError, HTTPException):
        server.score(*sides)


@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=pytest.mark.ci), pytest.param(signal.SIGINT, marks=pytest.mark.full)]
)
def test_ended(tmp_path: Path, number: signal.Signals) -> None:
    """A page that ends deletes what it keeps, even while it works on a request: 224 MB of uploads remained.

    The short name is that of the folder, because the paths of sockets may not be long.
    """
    with started(tmp_path) as app:
        server = Server(app.url, app.process)
        references, predictions = upload_test_set(server, 20, systems=1)
        assert server.run("score_files", "window", {"references": references, "predictions": predictions})
        assert {"references.jsonl", "documents.jsonl", "report.html"} <= kept(tmp_path)
        threading.Thread(target=cut_off, args=(server,), daemon=True).start()
        time.sleep(2)
        app.process.send_signal(number)
        assert app.process.wait(HUNG / 4) == 0
    assert [path.name for path in tmp_path.glob("tmp/docscore-page-*")] == []


def test_what_a_killed_process_left_is_deleted_when_the_next_begins(tmp_path: Path) -> None:
    """That of a process that runs stays, and what other programs keep under names of their own."""
    (tmp_path / "tmp").mkdir()
    running, ended, other = (tmp_path / "tmp" / f"{name}" for name in ("docscore-page-1", "docscore-page-2", "mine"))
    for folder in (running, ended, other):
        folder.mkdir()
        (folder / "predictions.jsonl").touch()
    lock, old_lock = locked(running), locked(ended)
    with lock or pytest.fail("no locks here"):
        if old_lock:
            old_lock.close()
        sweep(tmp_path / "tmp")
        assert sorted(tmp_path.glob("tmp/*")) == [running, other]
        assert kept(tmp_path) == {"predictions.jsonl", "lock"}


@pytest.mark.full
def test_a_killed_page_is_swept_by_the_next(tmp_path: Path) -> None:
    """Also in a folder that the environment names."""
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        with started(tmp_path / name, GRADIO_TEMP_DIR=str(tmp_path / "shared")) as app:
            app.process.kill()
        assert len(list(tmp_path.glob("shared/docscore-page-*"))) == 1

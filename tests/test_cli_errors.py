"""What goes wrong around the command: outputs that cannot be written, streams, terminals, folders, rights."""

from __future__ import annotations

import fcntl
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docscore.core.output import write_whole
from tests.commands import PREDICTIONS, REFERENCES, Write, as_bound_by_permissions, bash, environment, run, run_process
from tests.conftest import ROOT

pytestmark = pytest.mark.ci  # almost each is a process

NEW = PREDICTIONS.with_name("predictions_new.jsonl")
FULL = Path("/dev/full")
ON_LINUX = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")

# each command with what it prints on stdout
PRINTING: list[list[Any]] = [
    ["score", REFERENCES, PREDICTIONS],
    ["score", REFERENCES, PREDICTIONS, "--json"],
    ["explain", REFERENCES, PREDICTIONS, "--id", "receipt-018"],
    ["compare", PREDICTIONS, NEW, "--references", REFERENCES, "--markdown"],
    ["table", PREDICTIONS, NEW, "--references", REFERENCES],
    ["report", REFERENCES, PREDICTIONS, "-o", "-"],
    ["--help"],
    ["--version"],
]
NAMES = [" ".join(Path(each).name for each in row) for row in PRINTING]


@pytest.mark.full
@ON_LINUX
@pytest.mark.parametrize("arguments", PRINTING, ids=NAMES)
@pytest.mark.parametrize(
    ("redirection", "why"), [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
def test_no_output_is_lost_silently(arguments: list[Any], redirection: str, why: str) -> None:
    """On a full disk, and where stdout is closed."""
    said = f"docscore: cannot write the output: {why}\n"
    assert bash(f'"$@" {redirection}', *arguments) == (74, "", said)


@ON_LINUX
def test_where_nothing_is_printed_stdout_may_be_closed(tmp_path: Path) -> None:
    target = tmp_path / "o.html"
    done = bash('"$@" >&-', "report", REFERENCES, PREDICTIONS, "-o", target)
    assert (done.code, done.err[: done.err.index("(")]) == (0, f"docscore: wrote {target} ")
    assert target.read_bytes().endswith(b"</html>")


@ON_LINUX
@pytest.mark.parametrize("redirection", ["2>&-", "2> /dev/full", ">&- 2>&-"])
def test_the_status_is_the_same_where_nothing_can_be_said(redirection: str) -> None:
    assert bash(f'"$@" {redirection}', "score", REFERENCES, "none.jsonl") == (2, "", "")


@pytest.mark.full
@pytest.mark.parametrize("arguments", PRINTING[:-2], ids=NAMES[:-2])
def test_a_reader_that_leaves(arguments: list[Any]) -> None:
    """The pipe has nobody at its other end before the first byte is written."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "docscore", *map(str, arguments)]
    with subprocess.Popen(command, cwd=ROOT, env=environment(), stdout=writer, stderr=subprocess.PIPE) as process:
        os.close(writer)
        _, err = process.communicate()
    assert (process.returncode, err) == (141, b"")


def test_a_report_on_stdout_is_the_report(tmp_path: Path) -> None:
    """In the encoding that it states, whatever that of the terminal is."""
    target = tmp_path / "o.html"
    arguments = ("report", REFERENCES, PREDICTIONS, "--title", "Größe")
    assert run(*arguments, "-o", target).code == 0
    done = run_process(*arguments, "-o", "-", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.code, done.err) == (0, "")
    assert done.out.replace(" -o -</code>", " -o o.html</code>") == target.read_text(encoding="utf-8")
    assert not (ROOT / "-").exists()


@ON_LINUX
def test_a_report_that_cannot_be_written_names_its_file() -> None:
    done = run("report", REFERENCES, PREDICTIONS, "-o", FULL)
    assert done == (74, "", "docscore: cannot write /dev/full: No space left on device\n")


def test_a_write_that_is_stopped_leaves_the_previous_file(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the last moment before the new file takes the place of the old one."""
    target = write("o.html", "before")

    def stopped(_path: Path, _target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, "after" * 1000)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("o.html", "before")]


@ON_LINUX
def test_what_a_killed_write_left_is_deleted_by_the_next(tmp_path: Path) -> None:
    """Of the same file; what another process is writing at the moment stays, and so do other files."""
    target = tmp_path / "o.html"
    for name in ("o.html", "other.html"):
        kill = "lambda *_: os.kill(os.getpid(), 9)"
        code = (
            f"import os; from pathlib import Path; Path.replace = {kill}; from docscore.core.output import write_whole"
        )
        subprocess.run(
            [sys.executable, "-c", f"{code}; write_whole(Path({str(tmp_path / name)!r}), 'text')"], check=False
        )
    left, other = sorted(tmp_path.iterdir())
    running = left.with_name(f".o.html.{'0' * 16}.tmp")
    with running.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_whole(target, "after")
    assert set(tmp_path.iterdir()) == {running, other, target}


@ON_LINUX
def test_a_disk_that_fills_up_leaves_the_previous_report(write: Write, tmp_path: Path) -> None:
    """A limit on the size of files stops the process in the middle of the report, as a full disk does."""
    target = write("o.html", "before")
    done = run_process(
        *("report", REFERENCES, PREDICTIONS, "-o", target),
        first=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
        PYTHONDONTWRITEBYTECODE="1",  # it writes files too
    )
    assert done == (74, "", f"docscore: cannot write {target}: File too large\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("o.html", "before")]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_links_and_permissions_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "o.html", tmp_path / "link.html"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    assert write_whole(link, "after \ud800") == len("after \\ud800")
    assert link.is_symlink()
    assert (target.read_text(), stat.S_IMODE(target.stat().st_mode)) == ("after \\ud800", 0o640)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_directly(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["/bin/cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        write_whole(pipe, "text")
        assert reader.communicate()[0] == b"text"
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


ON_POSIX = pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")


@ON_POSIX
def test_a_file_that_may_not_be_read(write: Write) -> None:
    secret = write("r.jsonl", [])
    secret.chmod(0)
    said = f"Invalid value for 'REFERENCES': Path '{secret}' is not readable. ('docscore score -h' for help)"
    done = run_process("score", secret, PREDICTIONS, first=as_bound_by_permissions)
    assert done == (2, "", f"docscore: {said}\n")


@ON_POSIX
@pytest.mark.parametrize("home", ["/nonexistent", ""])
def test_without_a_home_and_with_a_cache_that_may_not_be_written(home: str) -> None:
    """The command keeps nothing between its runs."""
    changes = {"HOME": home, "XDG_CACHE_HOME": "/proc", "HF_HOME": "/proc"}
    done = run_process("score", REFERENCES, PREDICTIONS, first=as_bound_by_permissions, **changes)
    assert done == run("score", REFERENCES, PREDICTIONS)
    assert done.code == 0


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", "Eisenwaren ?hlkranz"), ("latin-1", "Eisenwaren Öhlkranz")])
def test_a_terminal_that_lacks_characters(encoding: str, shown: str) -> None:
    arguments = ("explain", REFERENCES, PREDICTIONS, "--id", "receipt-018")
    done = run_process(*arguments, encoding=encoding, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (done.code, done.err) == (0, "")
    assert shown in done.out

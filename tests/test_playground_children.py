"""Heavy requests of the page: child processes with limits, stopped and replaced; nothing is left of them."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import re
import signal
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from playground.compare.compare import KeptSystems, compare_systems
from playground.pair import pair
from playground.parts.files import look, sort_files
from playground.parts.kept_results import KeptList
from playground.server.limits import is_small
from playground.server.pool import Limits, Refused, WorkerPool
from playground.server.requests import FileRequest, SortRequest
from playground.testset.testset import score_files
from tests.commands import PREDICTIONS, REFERENCES, pred, ref, written

pytestmark = pytest.mark.ci

ROOM = Limits(places=2, waiting=2, seconds=60)


def test_a_child_imports_nothing_of_the_server() -> None:
    """Gradio takes three seconds: a child needs it if a work, which it gets by its name, is in a module that does."""
    works = (pair.answer, pair.tree_for_clients, score_files, compare_systems, look, KeptList, KeptSystems)
    answer = asyncio.run(WorkerPool(ROOM).run("v", eval, "set(__import__('sys').modules)", {"works": works}))
    assert {work.__module__ for work in works} <= answer
    assert not answer & {"gradio", "fastapi"}


def test_progress_is_passed_on(tmp_path: Path) -> None:
    reported: list[tuple[float, str]] = []
    work = partial(score_files, folder=tmp_path)
    files = FileRequest(references=REFERENCES, predictions=PREDICTIONS)
    answer = asyncio.run(WorkerPool(ROOM).run("v", work, files, report=lambda *each: reported.append(each)))
    assert reported[-1][0] == pytest.approx(1)
    assert round(answer["score"], 4) == 0.8043


def test_what_other_options_do_not_change_is_not_done_again(tmp_path: Path) -> None:
    """And each figure is as if it was: rows are read once, and those that are the same by value counted once."""
    values = [(number / 4, {"n": number / 4 if number % 3 else str(number), "t": "Tea"}) for number in range(200)]
    sides = [
        written(tmp_path, "truths.jsonl", [ref(str(n), {"n": n, "t": "tea"}) for n, _ in values]),
        written(tmp_path, "predictions.jsonl", [pred(str(n), prediction) for n, prediction in values]),
    ]
    runs: dict[str, dict[str, Any]] = {
        "a": {"what_if": {"ignore_case": False}},
        "c": {"what_if": {"ignore_case": False, "numbers": "value"}, "before": "a" * 22},
        "d": {"what_if": {"ignore_case": False, "numbers": "value"}},
        "e": {"what_if": {"ignore_case": False, "numbers": "value"}, "skip": True, "before": "c" * 22},
    }
    for name, asked in runs.items():
        (tmp_path / (name * 22)).mkdir()
        request = FileRequest(references=sides[0], predictions=sides[1], **asked)
        work = partial(score_files, request, folder=tmp_path / (name * 22))
        asyncio.run(WorkerPool(ROOM).run("v", work, report=lambda *_: None))
    names = {path.name for path in (tmp_path / ("d" * 22)).iterdir()}
    files = {(run, name): tmp_path / (run * 22) / name for run in runs for name in names}
    assert all(
        files["c", name].read_bytes() == files["d", name].read_bytes()
        for name in names - {"view.json", "counts.pickle", "rows.pickle"}
    )
    assert [files["a", "rows.jsonl"].samefile(files[run, "rows.jsonl"]) for run in "cde"] == [True, False, False]


@pytest.mark.parametrize(
    ("limits", "work", "argument", "kind", "message"),
    [
        # not by the clock: a busy machine takes no request away
        ({"seconds": 0.5, "patience": 1e3}, sum, range(10**12), "limit", r"^stopped after 0\.5 seconds of computing"),
        ({"seconds": 0.1}, time.sleep, 600, "busy", r"^stopped after 0\.5 seconds because the server is busy"),
        ({}, bytearray, 3 * 10**9, "limit", "of memory, the limit of this page"),
        ({}, os._exit, 3, "failed", "ended with status 3, but not by a limit"),
        ({}, signal.raise_signal, signal.SIGKILL, "failed", "ended by the signal SIGKILL, but not by a limit"),
        ({}, int, "x", "input", "^invalid literal for int"),
        ({}, len, 3, "input", "^object of type 'int' has no len"),
        ({}, Path.read_text, Path("/nowhere/refs.jsonl"), "input", r"^refs\.jsonl: No such file or directory"),
    ],
)
def test_what_ends_without_a_result_is_a_sentence(
    limits: dict[str, Any], work: Any, argument: Any, kind: str, message: str
) -> None:
    with pytest.raises(Refused, match=message) as caught:
        asyncio.run(WorkerPool(ROOM._replace(**limits)).run("v", work, argument))
    assert caught.value.kind == kind


def test_an_unexpected_error_is_not_hidden() -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        asyncio.run(WorkerPool(ROOM).run("v", divmod, 1, 0))


REPLACED = "stopped because you started another request; a visitor can run one at a time"


def test_an_older_request_that_comes_late_stops_nothing() -> None:
    """Two requests of a browser may overtake each other, and what is cancelled may have ended meanwhile."""

    async def overtaken() -> tuple[Any, ...]:
        children = WorkerPool(ROOM)
        newer = asyncio.ensure_future(children.run("v", time.sleep, 0.3, number=2))
        await asyncio.sleep(0)
        children.stop("v", number=1)
        return await asyncio.gather(newer, children.run("v", sum, [1, 2], number=1), return_exceptions=True)

    newer, older = asyncio.run(overtaken())
    assert (newer, str(older), older.kind) == (None, REPLACED, "replaced")


def test_many_requests_that_stop_each_other_while_they_start() -> None:
    """Nothing of them is left, and the last one is answered."""

    async def hasty() -> list[Any]:
        children = WorkerPool(ROOM)
        asked = []
        for number in range(20):
            asked.append(asyncio.ensure_future(children.run("v", sum, [number], number=number)))
            await asyncio.sleep(0.01 * (number % 3))
        return await asyncio.gather(*asked, return_exceptions=True)

    *others, last = asyncio.run(hasty())
    assert last == 19
    assert {str(each) for each in others} <= {REPLACED, *map(str, range(19))}
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("leaves", [False, True], ids=["stopped", "left"])
def test_what_is_stopped_frees_its_place(leaves: bool) -> None:
    """By a visitor who stops it, or whose request gradio cancels."""

    async def ended() -> Any:
        children = WorkerPool(ROOM._replace(places=1))
        first = asyncio.ensure_future(children.run("v", time.sleep, 600))
        other = asyncio.ensure_future(children.run("w", sum, [1, 2]))
        await asyncio.sleep(0.1)
        if leaves:
            first.cancel()
        else:
            children.stop("v")
            children.stop("nobody")
        return await asyncio.gather(first, other, return_exceptions=True)

    first, other = asyncio.run(ended())
    assert (str(first), other) == ("" if leaves else "stopped", 3)
    assert leaves or first.kind == "stopped"


def test_a_pattern_that_takes_forever_is_stopped(tmp_path: Path) -> None:
    """By the limit of computing time, though no line of Python runs meanwhile."""
    rows = [ref("a" * 40 + "!", "x")], [pred("a" * 40 + "!", "x")]
    files = [written(tmp_path, f"{n}.jsonl", side) for n, side in enumerate(rows)]
    asked = SortRequest(files=files, truth=0, reading={"id_pattern": "^((?:a+)+)$"})
    with pytest.raises(Refused, match="stopped after 1 seconds of computing, the limit of this page"):
        asyncio.run(WorkerPool(ROOM._replace(seconds=1, patience=60)).run("v", sort_files, asked))


def test_too_many_are_refused_at_once() -> None:
    async def many() -> list[Any]:
        children = WorkerPool(ROOM._replace(places=1, waiting=1, seconds=0.2))
        works = [children.run(name, time.sleep, 600) for name in "abc"]
        return await asyncio.gather(*works, return_exceptions=True)

    assert [str(each)[:7] for each in asyncio.run(many())] == ["stopped", "stopped", "the ser"]


def test_a_client_takes_half_of_the_room() -> None:
    async def many() -> list[Any]:
        children = WorkerPool(ROOM._replace(waiting=3))
        works = [children.run(name, time.sleep, 0.1, client=name[0]) for name in ("a1", "a2", "a3", "b1", "b2", "b3")]
        return await asyncio.gather(*works, return_exceptions=True)

    refused = r"the server is busy with your other requests; try again in (\d+) seconds?, or install docscore"
    first, second = (re.fullmatch(refused, str(each)) for each in asyncio.run(many()) if each)
    assert first is not None
    assert second is not None
    assert 0 < int(second[1]) <= int(first[1]) <= ROOM.seconds


@pytest.mark.parametrize(
    ("value", "small"),
    [
        ({"total": "12.50", "items": [{"n": "Tea"}] * 20}, True),
        (["x"] * 200, True),
        (["x"] * 201, False),
        ("x" * 20_000, True),
        ("x" * 20_001, False),
        ({"x" * 20_001: 1}, False),
        (10**7_000, False),
        (json.loads("[" * 40 + "1" + "]" * 40), True),
        (json.loads("[" * 41 + "1" + "]" * 41), False),
        ([[["x"] * 10] * 10] * 10, False),
        (None, True),
    ],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) else "",
)
def test_what_is_scored_without_a_child(value: Any, small: bool) -> None:
    """The limits of 40,000 pairs, 20,000 characters and 40 levels."""
    assert is_small(value, value) is small
    assert is_small("x", value) is (small or value in (["x"] * 201, [[["x"] * 10] * 10] * 10))

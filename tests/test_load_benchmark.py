"""The benchmark of the page under load: the page of today answers what its twentieth visitor sends."""

from __future__ import annotations

import importlib.util

from benchmarks.load import serving, worst_actions
from tests.conftest import skip_or_fail


def test_files_and_systems_get_results_and_too_much_a_refusal() -> None:
    if importlib.util.find_spec("gradio") is None:
        skip_or_fail("needs gradio")
    with serving() as server:
        actions = worst_actions(server, 40)
        assert actions["two files"]("window")
        assert actions["eight systems"]("window")
        assert actions["lists in 190 levels"]("window")
        assert not server.score({"a": "x" * 60_000}, {"a": "y"})

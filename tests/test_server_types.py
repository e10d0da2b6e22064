"""The types of requests and answers that the page's scripts use, and the numbers that they share with the server."""

import re

import pytest
from typing_extensions import get_type_hints

from dev.scripts.write_server_types import COMMAND, FILE, server_types
from docscore.core.options import IOU
from playground.parts.fragments import PAGE
from playground.server.requests import WHAT_IFS, SchemaOptions
from playground.server.storage import KEPT_SECONDS


def test_the_types_of_the_scripts_are_those_of_the_server() -> None:
    assert FILE.read_text(encoding="utf-8") == server_types(), f"run {COMMAND}"


def test_the_options_of_a_request_are_those_that_every_tab_offers() -> None:
    assert get_type_hints(SchemaOptions).keys() == {*WHAT_IFS, "schema"}


@pytest.mark.parametrize(
    ("script", "name", "value"),
    [("parts/kept_files.js", "HOUR", 1000 * KEPT_SECONDS), ("parts/places.js", "IOU", IOU)],
)
def test_a_number_of_the_scripts_is_that_of_the_server(script: str, name: str, value: float) -> None:
    [written] = re.findall(rf"const {name} = ([\d._]+);", (PAGE / script).read_text(encoding="utf-8"))
    assert float(written) == value

"""The types of requests and answers, which `tsc` compares with the page's scripts."""

from typing_extensions import get_type_hints

from dev.scripts.write_server_types import COMMAND, FILE, server_types
from playground.server.requests import WHAT_IFS, SchemaOptions


def test_the_types_of_the_scripts_are_those_of_the_server() -> None:
    assert FILE.read_text(encoding="utf-8") == server_types(), f"run {COMMAND}"


def test_the_options_of_a_request_are_those_that_every_tab_offers() -> None:
    assert get_type_hints(SchemaOptions).keys() == {*WHAT_IFS, "schema"}

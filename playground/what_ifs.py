"""The strip of what-ifs: the score of the same files with another threshold, case, numbers by value or a schema."""

from __future__ import annotations

from typing import Any

import gradio as gr

from playground.file_reading import drawn, rescored
from playground.file_requests import WhatIf
from playground.wizard import in_reader


async def score_what_if(asked: Any) -> dict[str, Any]:
    """The score of files under a what-if: `{"found": ...}` as `rescored` gives it, or `{"refused": sentence}`."""
    return await in_reader("what if", rescored, "found", asked)


def what_if_strip() -> Any:
    """Build the strip; the component that is returned takes what `scored_request` gives."""
    gr.HTML(
        drawn("strip_frame", WhatIf()),
        elem_id="file-what-ifs",
        js_on_load="docscoreWhatIfs.begin(element, server)",
        server_functions=[score_what_if],
        apply_default_css=False,
    )
    return gr.HTML(
        elem_id="file-scored",
        js_on_load="watch('value', () => docscoreWhatIfs.scored(element)); docscoreWhatIfs.scored(element)",
        apply_default_css=False,
    )

"""The column wizard: how uploaded files are read, shown before they are scored, and changed with a choice."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.utils import get_upload_folder

from docscore.core.errors import InputError
from docscore.core.printing import printable
from playground.children import Children, Limits, Refused
from playground.file_reading import drawn, look
from playground.file_requests import FileRequest
from playground.questions import take_window

READERS = Children(Limits(places=2, waiting=16, seconds=60))


async def look_at_files(asked: Any) -> dict[str, Any]:
    """How the files that a browser names are read: `{"html": ...}`, or `{"refused": sentence}`."""
    return await in_reader("look", look, "html", asked)


async def in_reader(kind: str, work: Any, name: str, asked: Any) -> dict[str, Any]:
    """The answer of a child process to a request from a browser, or one sentence.

    Args:
        kind: a newer request of this kind of the same window stops the one before.
        work: a function of a `FileRequest`.
        name: under which its answer is given.
        asked: the fields of a `FileRequest`, and the window that asks.
    """
    try:
        window = take_window(asked)
        request = FileRequest.of(asked, Path(get_upload_folder()))
        visitor = f"{kind} {window.name}" if window.name else ""
        return {name: await READERS.run(visitor, partial(work, request), number=window.number)}
    except InputError as error:
        return {"refused": printable(str(error.for_remote_users()))}
    except Refused as error:
        return {"refused": printable(str(error))}


def column_wizard(files: list[Any]) -> None:
    """Build the wizard below the uploads of references and predictions."""
    gr.HTML(
        drawn("wizard_frame"),
        elem_id="file-wizard",
        js_on_load="docscoreWizard.begin(element, server)",
        server_functions=[look_at_files],
        apply_default_css=False,
    )
    for file in files:
        file.change(None, files, None, js="(...files) => docscoreWizard.files(...files)", api_visibility="private")

"""The list of documents of a scored test set beside the tree of the chosen one; `documents.js` gives it life."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from docscore.core.printing import printable
from playground.children import Refused
from playground.document_list import KeptList
from playground.endpoints import CHILDREN
from playground.fragments import fragment
from playground.kept import GONE
from playground.limits import is_small

_SCRIPT = "docscoreDocuments({element, server, props, watch, restore: (run) => trigger('restore', {run})})"


def documents_view(within: Path) -> Any:
    """Build the component; its value is what `keep_list` returns, and its event "restore" asks for an older result.

    Args:
        within: the folder of all results.
    """

    async def read_documents(asked: Any) -> dict[str, Any]:
        return await _answer(lambda: {"text": _kept(within, asked).listing()})

    async def read_document(asked: Any) -> dict[str, Any]:
        try:
            if await asyncio.to_thread(_is_drawn_at_once, within, asked):
                return await _answer(partial(_document, within, asked))
            found: dict[str, Any] = await CHILDREN.run("", partial(_document, within, asked))
        except (Refused, ValueError, OSError) as error:
            return _refusal(error)
        return found

    async def find_documents(asked: Any) -> dict[str, Any]:
        return await _answer(lambda: {"numbers": _kept(within, asked).found(asked.get("text"))})

    async def read_rows(asked: Any) -> dict[str, Any]:
        return await _answer(lambda: {"text": _kept(within, asked).rows(asked.get("numbers"))})

    return gr.HTML(
        html_template=fragment("documents"),
        elem_id="file-documents",
        js_on_load=_SCRIPT,
        server_functions=[read_documents, read_document, find_documents, read_rows],
        apply_default_css=False,
    )


def kept_outputs(within: Path, run: object) -> dict[str, Any]:
    """The parts of a result that is still kept.

    Raises:
        Refused: if it is not kept any more.
    """
    try:
        return KeptList(within, run).outputs
    except OSError:
        raise Refused(GONE) from None


def _kept(within: Path, asked: Any) -> KeptList:
    return KeptList(within, asked.get("run") if isinstance(asked, dict) else None)


def _document(within: Path, asked: Any) -> dict[str, Any]:
    return _kept(within, asked).document(asked.get("number"))


def _is_drawn_at_once(within: Path, asked: Any) -> bool:
    return is_small(*_kept(within, asked).values(asked.get("number")))


async def _answer(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return await asyncio.to_thread(work)
    except (ValueError, OSError) as error:
        return _refusal(error)


def _refusal(error: Exception) -> dict[str, Any]:
    return {"refused": GONE if isinstance(error, OSError) else printable(str(error))}

"""PDFs on the page: read and drawn in child processes, kept with a result, and only for visitors of this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from playground.parts.functions import FUNCTIONS
from playground.parts.kept_results import read_pdf
from playground.server import connections
from playground.server.requests import PdfRequest
from tests.conftest import ROOT, needs

needs("pypdfium2")
INVOICE = ROOT / "examples" / "invoices" / "documents" / "invoice-08.pdf"
RUN = "s" * 22
PNG = b"\x89PNG"


def read(folder: Path, **asked: Any) -> Any:
    """What is answered of a PDF, for a result that is kept in a folder."""
    within = folder / RUN
    within.mkdir(exist_ok=True)
    return read_pdf(PdfRequest(run=RUN, **asked), within)


def test_the_words_and_the_pages_of_a_pdf(tmp_path: Path) -> None:
    assert read(tmp_path) == {"words": [], "sizes": [], "path": ""}
    given = read(tmp_path, pdf=INVOICE)
    assert len(given["words"]) == len(given["sizes"]) == 2
    word, box = given["words"][0][0]
    assert (word, all(0 < side < 1 for side in box)) == ("Invoice", True)
    page = Path(read(tmp_path, pdf=INVOICE, page=2)["path"])
    assert page.read_bytes().startswith(PNG)
    assert page.parent == tmp_path / RUN
    with pytest.raises(ValueError, match=r"invoice-08\.pdf has no page 3 that can be rendered"):
        read(tmp_path, pdf=INVOICE, page=3)


def test_a_damaged_pdf_is_one_sentence(tmp_path: Path) -> None:
    damaged = tmp_path / "invoice-08.pdf"
    damaged.write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(ValueError, match=r"invoice-08\.pdf cannot be read as a PDF"):
        read(tmp_path, pdf=damaged)


@pytest.mark.parametrize(
    ("addresses", "asks", "local"),
    [
        (["127.0.0.1"], "127.0.0.1", True),
        (["127.0.0.1", "::1"], "", True),
        (["192.0.2.1"], "127.0.0.1", False),
        (["127.0.0.1"], "203.0.113.7", False),
        ([], "127.0.0.1", False),
    ],
)
def test_who_is_on_this_machine(
    monkeypatch: pytest.MonkeyPatch, addresses: list[str], asks: str, *, local: bool
) -> None:
    """Where the server listens, and who asks: a proxy of this machine tells who that is."""
    monkeypatch.setattr(connections, "ADDRESSES", [])
    monkeypatch.setattr(connections, "client", lambda: asks)
    sockets = [SimpleNamespace(getsockname=lambda name=name: (name, 80)) for name in addresses]
    connections.note_addresses(SimpleNamespace(servers=[SimpleNamespace(sockets=sockets)]))
    assert connections.is_local() is local


def test_a_hosted_page_takes_none() -> None:
    answer: Any = asyncio.run(FUNCTIONS["read_pdf"].ask({"run": "x"}))
    assert (answer["kind"], answer["refused"][:28]) == ("limit", "PDFs are not accepted here: ")

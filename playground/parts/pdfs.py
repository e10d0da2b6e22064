"""PDFs of documents, on a page whose server is on the visitor's machine: their words and their pages as images."""

import shutil
from pathlib import Path
from typing import Any

from docscore.data.document_files import draw_page_of_pdf, pages_of_pdf
from playground.server.requests import PdfRequest

HOSTED = "PDFs are not taken here: this page runs on another machine, and documents stay on yours."


def read_pdf(folder: Path, asked: PdfRequest) -> dict[str, Any]:
    """The words of the PDF of a document, or one of its pages; both are kept with the result, for its hour.

    Returns:
        "words": of each page its words with their boxes; "sizes": width and height of each page; "path": the image of
        the page that is asked for. All are empty where no PDF is kept.

    Raises:
        ValueError: if the file cannot be read.
    """
    if asked.pdf is not None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shutil.copy(asked.pdf, folder)
    path = next(folder.glob("*.[pP][dD][fF]"), None)
    if path is None:
        return {"words": [], "sizes": [], "path": ""}
    if not asked.page:
        words, sizes = pages_of_pdf(path)
        return {"words": words, "sizes": sizes, "path": ""}
    image = folder / f"{asked.page}.png"
    if not image.exists():
        draw_page_of_pdf(path, asked.page, image)
    return {"words": [], "sizes": [], "path": str(image)}

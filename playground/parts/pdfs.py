"""PDFs of documents, on a page whose server is on the visitor's machine: their words and their pages as images."""

from pathlib import Path
from typing import Any

from docscore.data.document_files import draw_page_of_pdf, pages_of_pdf
from playground.server.requests import PdfRequest

HOSTED = "PDFs are not taken here: this page runs on another machine, and documents stay on yours."


def read_pdf(folder: Path, asked: PdfRequest) -> dict[str, Any]:
    """The words of a PDF, or one of its pages, which is kept in the folder of a result, for its hour.

    Returns:
        "words": of each page its words with their boxes; "sizes": width and height of each page; "path": the image of
        the page that is asked for. All are empty without a PDF.

    Raises:
        ValueError: if the file cannot be read.
    """
    words, sizes = ([], []) if asked.pdf is None or asked.page else pages_of_pdf(asked.pdf)
    image = folder / f"{asked.pdf.parent.name}-{asked.page}.png" if asked.pdf and asked.page else None
    if image and asked.pdf and not image.exists():
        draw_page_of_pdf(asked.pdf, asked.page, image)
    return {"words": words, "sizes": sizes, "path": str(image or "")}

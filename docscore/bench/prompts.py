"""What a model is asked: the prompts of the ANLS* paper, and plain ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

from docscore.bench.layout import latin_text, reading_order_text
from docscore.bench.records import DocumentRecord, Page, Word
from docscore.core.errors import InputValueError
from docscore.core.options import check_choice

Style = Literal["paper", "plain"]
Method = Literal["simple", "latin", "vision", "pdf"]
TEXT_METHODS = ("simple", "latin")  # that put the document's text into the prompt

# Peer et al. 2024, arXiv 2402.03848v2, section 4.2 (CC BY 4.0). The code of the time lacked the word "answer" in the
# sentence on precision.
_PAPER_QUESTION = """\
You are a world-class question answering system.
You are given a document and a question. You must answer the question based on the document.
Precisely answer the question without any additional text.
Its very important to NOT write full sentences!
Note: Ensure that the answer is precisely contained in the original document.
Here is the document:
{document}
Here is the question:
{question}
"""
_PAPER_EXTRACTION = """\
You are a document information extraction system.
You are given a document and a json with keys that must be extracted from the document.
Here is the document:
{document}
{format}
"""
_PLAIN_QUESTION = """\
Answer the question about the document with the shortest span of its text that is a complete answer. \
Write the answer alone: no sentence, no explanation.

Question: {question}

Document:
{document}
"""
_PLAIN_EXTRACTION = """\
Extract the values that the JSON Schema asks for from the document. Write values as the document has them, unless the \
schema says otherwise; null where the document has none.

{format}

Document:
{document}
"""
_FORMAT = """\
Answer with one JSON object that is valid by this JSON Schema, and with nothing else:
```json
{schema}
```"""
_ATTACHED = "(attached)"


def prompt_of(document: DocumentRecord, method: str, style: str = "plain") -> str:
    """The text of the prompt; for the methods "vision" and "pdf" the document is attached to it.

    Args:
        document: with a question, or with a schema.
        method: "simple" (text in reading order), "latin" (text with its layout), "vision" (pictures of the pages) or
            "pdf" (the file).
        style: "paper", the prompts that the paper published, or "plain". The paper's format instructions were those of
            a library; both styles have the same ones here.

    Raises:
        ValueError: for another method or style, and for a document that has no text.
    """
    check_choice("method", method, get_args(Method))
    check_choice("prompt", style, get_args(Style))
    text = document_text(document, method) if method in TEXT_METHODS else _ATTACHED
    if document.question is not None:
        template = _PAPER_QUESTION if style == "paper" else _PLAIN_QUESTION
        return _filled(template, document=text, question=document.question)
    template = _PAPER_EXTRACTION if style == "paper" else _PLAIN_EXTRACTION
    return _filled(template, document=text, format=_format_instructions(document.schema))


def document_text(document: DocumentRecord, method: str) -> str:
    """The text of the pages; of several, each under a heading with its number.

    Raises:
        ValueError: naming the document, if a page has neither words nor text.
    """
    texts = [_page_text(page, method, document.id) for page in document.pages]
    if not texts:
        raise _no_text(document.id, method)
    if len(texts) == 1:
        return texts[0]
    return "\n".join(f"## Page {number}\n{text}\n" for number, text in enumerate(texts, 1))


def _page_text(page: Page, method: str, name: str) -> str:
    """The text of a page; where there are no boxes, "latin" keeps the lines that the text has."""
    layout: Callable[[Sequence[Word]], str] = latin_text if method == "latin" else reading_order_text
    if page.words is not None:
        return layout(page.words)
    if page.text is None:
        raise _no_text(name, method)
    return page.text if method == "latin" else " ".join(page.text.split())


def _no_text(name: str, method: str) -> ValueError:
    return InputValueError(
        place=f"document {name!r}",
        expected=f"words or text for the method {method!r}",
        got="none; use 'vision' or 'pdf'",
    )


def _format_instructions(schema: dict[str, Any] | None) -> str:
    if schema is None:
        return "Answer with one JSON object, and with nothing else."
    return _filled(_FORMAT, schema=json.dumps(schema, indent=1, ensure_ascii=False))


def _filled(template: str, **parts: str) -> str:
    """The template with its places filled; what looks like a place in a part stays as it is."""
    return re.sub(r"\{(\w+)\}", lambda place: parts[place[1]], template)

"""Documents as samples of Inspect: prompt and pages as input, acceptable answers as targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageUser,
    Content,
    ContentDocument,
    ContentImage,
    ContentText,
    GenerateConfig,
    ResponseSchema,
)
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.util import JSONSchema

from docscore.bench.pages import picture_file, rendered_pages
from docscore.bench.prompts import prompt_of
from docscore.bench.records import DocumentRecord
from docscore.bench.schemas import strict_schema
from docscore.core.errors import InputValueError
from docscore.data.json_codec import dumps
from docscore.integrations.inspect.scorers import GROUP, SCHEMA

_NAME = "extraction"  # of the schema, which providers ask for


def dataset_of(documents: Sequence[DocumentRecord], name: str, *, method: str, style: str, dpi: int) -> MemoryDataset:
    """The documents as a dataset; each with its own schema only where they differ.

    Raises:
        ValueError: naming the document that lacks what the method needs.
    """
    own = shared_schema(documents) is None
    samples = [sample_of(each, method=method, style=style, dpi=dpi, own_schema=own) for each in documents]
    return MemoryDataset(samples, name=name)


def sample_of(document: DocumentRecord, *, method: str, style: str, dpi: int, own_schema: bool) -> Sample:
    """A document as a sample. Answers to questions are targets as they are; those of extraction are JSON text."""
    content: list[Content] = [ContentText(text=prompt_of(document, method, style)), *_attached(document, method, dpi)]
    is_question = document.question is not None
    metadata: dict[str, Any] = {GROUP: document.group}
    if own_schema and document.schema is not None:
        metadata[SCHEMA] = document.schema
    return Sample(
        id=document.id,
        input=[ChatMessageUser(content=content)],
        target=[answer if is_question else dumps(answer) for answer in document.answers],
        metadata=metadata,
    )


def shared_schema(documents: Sequence[DocumentRecord]) -> dict[str, Any] | None:
    """The schema that all documents have; None where they differ or have none."""
    first = documents[0].schema if documents else None
    return first if all(each.schema == first for each in documents) else None


def response_schema(schema: dict[str, Any]) -> ResponseSchema:
    """The schema in the form that providers' structured output wants.

    Raises:
        ValueError: naming the place that has no strict form.
    """
    return ResponseSchema(name=_NAME, json_schema=JSONSchema.model_validate(strict_schema(schema)), strict=True)


def generation(documents: Sequence[DocumentRecord], *, structured: bool, temperature: float | None) -> GenerateConfig:
    """How answers are asked for: with the schema that all documents share, if any."""
    schema = shared_schema(documents) if structured else None
    wanted = None if schema is None else response_schema(schema)
    return GenerateConfig(temperature=temperature, response_schema=wanted)


@solver
def extract() -> Solver:
    """Ask once, with the sample's own schema where it has one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        schema = state.metadata.get(SCHEMA)
        return await (generate(state) if schema is None else generate(state, response_schema=response_schema(schema)))

    return solve


def solver_for(documents: Sequence[DocumentRecord], *, structured: bool) -> Solver:
    """The solver: one call of the model."""
    return extract() if structured and shared_schema(documents) is None else generate()


def _attached(document: DocumentRecord, method: str, dpi: int) -> list[Content]:
    """The pages as files, which Inspect reads when the sample runs."""
    if method == "pdf":
        if document.pdf is None:
            raise InputValueError(place=f"document {document.id!r}", expected="a PDF for the method 'pdf'", got="none")
        return [ContentDocument(document=str(document.pdf), mime_type="application/pdf")]
    if method != "vision":
        return []
    pictures = [picture_file(page.image) for page in document.pages if page.image is not None]
    if not pictures and document.pdf is not None:
        pictures = rendered_pages(document.pdf, dpi)
    if not pictures:
        raise InputValueError(
            place=f"document {document.id!r}", expected="pictures or a PDF for the method 'vision'", got="none"
        )
    return [ContentImage(image=str(picture)) for picture in pictures]

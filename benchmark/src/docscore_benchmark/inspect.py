"""The tasks of Inspect: the seven data sets of the paper, and your own documents.

`inspect eval docscore_benchmark/kleister_nda -T data=FOLDER -T method=latin --model openai/gpt-4o`
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from inspect_ai import Task, task
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
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver
from inspect_ai.util import JSONSchema

from docscore.core.errors import InputError, InputValueError
from docscore.core.options import check_choice
from docscore.inputs.json_text import dumps
from docscore.inputs.logs import GROUP
from docscore.integrations.inspect.scorers import SCHEMA, anls_star, kieval_entities, typed_by_schema
from docscore_benchmark.data_sets import chosen, documents_in, documents_of
from docscore_benchmark.documents import (
    DPI,
    TEXT_METHODS,
    DocumentRecord,
    picture_file,
    prompt_of,
    rendered_pages,
    strict_schema,
)

__all__ = [
    "anls_star",
    "documents",
    "docvqa",
    "kieval_entities",
    "kleister_charity",
    "kleister_nda",
    "mp_docvqa",
    "sroie",
    "typed_by_schema",
    "vrdu_ad_buy",
    "vrdu_registration",
]

_VERSION = 1  # the version of the tasks; increase it when prompts, samples or scores change
_PAPER_TEMPERATURE = 0.0

_Function = TypeVar("_Function", bound=Callable[..., Task])


def _with_short_errors(function: _Function) -> _Function:
    """Make the command `inspect eval` end with the message of an error, as the command `docscore` does."""

    @wraps(function)
    def call(*positional: Any, **given: Any) -> Task:
        try:
            return function(*positional, **given)
        except InputError as error:
            if click.get_current_context(silent=True) is None:  # called from Python
                raise
            raise click.ClickException(str(error)) from error

    return cast("_Function", call)


@task
@_with_short_errors
def docvqa(
    data: str,
    *,
    method: str = "simple",
    sample: str | int = "paper",
    split: str | None = None,
    prompt: str = "paper",
    dpi: int = DPI,
) -> Task:
    """DocVQA: questions about a page. It has the same arguments as `kleister_nda`."""
    return _paper_task("docvqa", data, sample, split, method=method, style=prompt, dpi=dpi)


@task
@_with_short_errors
def mp_docvqa(
    data: str,
    *,
    method: str = "simple",
    sample: str | int = "paper",
    split: str | None = None,
    prompt: str = "paper",
    dpi: int = DPI,
    pages: str = "all",
) -> Task:
    """MPDocVQA: questions about several pages. It has the arguments of `kleister_nda` and `pages`.

    Args:
        data: as for `kleister_nda`.
        method: as for `kleister_nda`.
        sample: as for `kleister_nda`.
        split: as for `kleister_nda`.
        prompt: as for `kleister_nda`.
        dpi: as for `kleister_nda`.
        pages: "all", or "last" for only the last page, as in the figures of the paper.
    """
    check_choice("pages", pages, ("all", "last"))
    return _paper_task(
        "mp_docvqa", data, sample, split, method=method, style=prompt, dpi=dpi, last_page=pages == "last"
    )


def _extraction(name: str) -> Any:
    """Create the task of a data set of the paper whose documents have a schema."""

    @task(name=name)
    @_with_short_errors
    def extraction(
        data: str,
        *,
        method: str = "simple",
        sample: str | int = "paper",
        split: str | None = None,
        prompt: str = "paper",
        structured: bool | None = None,
        dpi: int = DPI,
        kieval: bool = False,
    ) -> Task:
        """Values from the documents of a data set of the paper.

        Args:
            data: the folder of the data set, or a folder above it; `docscore bench check` lists the data sets.
            method: "simple" (the text), "latin" (the text with its layout), "vision" (pictures) or "pdf" (the file).
            sample: "paper" (the documents that the paper sampled), "all", or a number of documents from the start.
            split: a split of the data set; the default is the split that the paper used.
            prompt: "paper" (prompts, schema, labels and temperature 0 of the paper) or "plain".
            structured: whether to request structured output by the schema; by default, only with plain prompts.
            dpi: the resolution of rendered pages.
            kieval: whether to score KIEval too.
        """
        return _paper_task(
            name, data, sample, split, method=method, style=prompt, dpi=dpi, structured=structured, kieval=kieval
        )

    return extraction


kleister_charity = _extraction("kleister_charity")  # values from reports
kleister_nda = _extraction("kleister_nda")  # values from contracts
# Values from receipts. The sample "paper" is taken from the sorted names. The paper sampled from a directory listing,
# whose order cannot be reproduced.
sroie = _extraction("sroie")
vrdu_ad_buy = _extraction("vrdu_ad_buy")  # values and rows from orders
vrdu_registration = _extraction("vrdu_registration")  # values from forms


@task
@_with_short_errors
def documents(
    data: str,
    *,
    method: str = "vision",
    references: str | None = None,
    schema: str | None = None,
    sample: str | int = "all",
    structured: bool = True,
    dpi: int = DPI,
    kieval: bool = False,
    typed: bool = False,
) -> Task:
    """Values from your own PDFs, pictures or texts.

    Args:
        data: a folder with `a.pdf`, `a.png`, `a.txt` or a folder `a` of pictures for the document with the id `a`.
        method: "vision" (pictures of the pages), "pdf" (the file), "simple" or "latin" (the text of PDFs and texts).
        references: rows of `question_id` and `references`, as for `docscore score`; the default is `references.jsonl`
            in the folder.
        schema: a JSON Schema, or a folder with `ID.json` for each document; the default is `schema.json` in the folder.
        sample: "all", or a number of documents from the start.
        structured: whether to request structured output by the schema.
        dpi: the resolution of rendered pages.
        kieval: whether to score KIEval too.
        typed: whether to compute the typed score too, with the same schema.
    """
    records = documents_in(
        Path(data),
        references=None if references is None else Path(references),
        schema=None if schema is None else Path(schema),
        with_text=method in TEXT_METHODS,
    )
    return _task(
        "documents",
        chosen(records, sample, None),
        method=method,
        style="plain",
        dpi=dpi,
        structured=structured,
        kieval=kieval,
        typed=typed,
    )


def _paper_task(
    name: str, data: str, sample: str | int, split: str | None, *, style: str, last_page: bool = False, **how: Any
) -> Task:
    """Return a task of the benchmark of the paper."""
    records = documents_of(name, Path(data), split=split, sample=sample, style=style)
    if last_page:
        records = [replace(each, pages=each.pages[-1:]) for each in records]
    return _task(name, records, style=style, **how)


def _task(
    name: str,
    documents: list[DocumentRecord],
    *,
    method: str,
    style: str,
    dpi: int,
    structured: bool | None = None,
    kieval: bool = False,
    typed: bool = False,
) -> Task:
    """Return a task in which every sample counts; a sample whose call failed is scored as null."""
    asked = style == "plain" if structured is None else structured
    shared = documents[0].schema if documents else None
    schema = shared if all(each.schema == shared for each in documents) else None  # None: each sample has its own
    reading: dict[str, Any] = {"target": "text" if documents and documents[0].question is not None else "json"}
    scorers: list[Scorer] = [anls_star(**reading)]
    if kieval:
        scorers.append(kieval_entities(**reading))
    if typed:
        scorers.append(typed_by_schema(schema=schema, **reading))
    samples = [_sample(each, method=method, style=style, dpi=dpi, own_schema=schema is None) for each in documents]
    return Task(
        dataset=MemoryDataset(samples, name=name),
        solver=extract()
        if asked and schema is None and any(each.schema is not None for each in documents)
        else generate(),
        scorer=scorers,
        config=GenerateConfig(
            temperature=_PAPER_TEMPERATURE if style == "paper" else None,
            response_schema=_response_schema(schema) if asked and schema is not None else None,
        ),
        fail_on_error=False,
        score_on_error=True,
        version=_VERSION,
    )


def _sample(document: DocumentRecord, *, method: str, style: str, dpi: int, own_schema: bool) -> Sample:
    """Return a document as a sample. Its targets are answers to a question, or JSON text."""
    content: list[Content] = [ContentText(text=prompt_of(document, method, style)), *_attached(document, method, dpi)]
    is_question = document.question is not None
    metadata: dict[str, Any] = {GROUP: document.group or document.id}
    if own_schema and document.schema is not None:
        metadata[SCHEMA] = document.schema
    return Sample(
        id=document.id,
        input=[ChatMessageUser(content=content)],
        target=[answer if is_question else dumps(answer) for answer in document.answers],
        metadata=metadata,
    )


def _response_schema(schema: dict[str, Any]) -> ResponseSchema:
    """Return the schema in the form that structured output of providers requires.

    Raises:
        ValueError: naming the place that has no strict form.
    """
    return ResponseSchema(name="extraction", json_schema=JSONSchema.model_validate(strict_schema(schema)), strict=True)


@solver
def extract() -> Solver:
    """Call the model once, with the schema of the sample if it has one."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        schema = state.metadata.get(SCHEMA)
        return await (generate(state) if schema is None else generate(state, response_schema=_response_schema(schema)))

    return solve


def _attached(document: DocumentRecord, method: str, dpi: int) -> list[Content]:
    """Return the pages as files, which Inspect reads when the sample runs."""
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

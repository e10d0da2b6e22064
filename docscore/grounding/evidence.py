"""Find the regions of expected values in their documents, so that nobody has to annotate the certain ones."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from docscore.core.errors import at_place, row_place
from docscore.core.options import read_and_compare_options
from docscore.core.runtime import Progress, no_progress, watched
from docscore.core.values import Value, field_of, to_json
from docscore.grounding.document_folder import DocumentFolder
from docscore.grounding.document_text import DocumentText, Occurrence, outermost
from docscore.grounding.interpretation import evidence_of
from docscore.inputs.content import content_of
from docscore.inputs.pairing import read_ground_truths
from docscore.inputs.raw_regions import AT_TRUTHS, answers_with_regions
from docscore.inputs.rows import ID, PLAIN, REFERENCES, columns_of

PLACED, SEVERAL, NOWHERE, NOT_SOUGHT, KEPT = OUTCOMES = ("placed", "several", "nowhere", "not_sought", "kept")
_DIGITS = 4  # decimals of the edges of boxes, which are fractions of a page


def with_evidence(
    references: Any, documents: Any, options: Mapping[str, Any] | None = None, progress: Progress = no_progress
) -> tuple[list[dict[str, Any]], dict[str, Counter[str]], str]:
    """Add evidence to ground truths: the region of each value that is found exactly once in its document.

    Existing evidence is kept.

    Args:
        references: the ground truths, as for `docscore.evaluate`.
        documents: a folder of documents, or a dict of texts by id.
        options: options of `docscore.evaluate` that say where ids and ground truths are.
        progress: called with the phases of the work.

    Returns:
        The rows by id, with all other columns. For each field the number of values with each of `OUTCOMES`: found
        once, found several times, not found, not looked up, or with evidence before. A warning about documents
        without a text; "" if all have one.

    Raises:
        TypeError, ValueError: as `docscore.evaluate`; if no id has a document.
    """
    reading, _ = read_and_compare_options(options or {})
    truths = read_ground_truths(references, reading, progress)
    opened = DocumentFolder(documents, truths.ids)
    documents = watched(opened.read_all(truths.ids), progress, "Looking up", len(truths.ids))
    rows, counts = [], defaultdict[str, Counter[str]](Counter)
    for name, truth, source, document in zip(truths.ids, truths.values, truths.sources, documents, strict=True):
        has_columns = truths.form is not PLAIN and isinstance(source, dict)
        columns = {key: source[key] for key in columns_of(source)} if has_columns else {}
        try:
            answers = answers_with_regions(truth, columns.get("evidence"), AT_TRUTHS)
            merged = [inside | beside for _, inside, beside in answers]
            has_several_pages = document is not None and document.page_count > 1
            evidence_of(tuple(answer for answer, *_ in answers), merged, has_several_pages)
        except ValueError as error:
            raise at_place(row_place(name), error) from None
        found = [
            {path.removeprefix("$."): places for path, places in beside.items()}
            | (
                _located(
                    document, content_of(answer, None, reading)[0], {path for path in known if known[path]}, counts
                )
                if document and document.is_complete
                else {}
            )
            for (answer, _, beside), known in zip(answers, merged, strict=True)
        ]
        is_same = all(each == found[0] for each in found)
        plain = to_json(list(truth) if isinstance(truth, tuple) else [truth])
        evidence = {"evidence": found[0] if is_same else found} if any(found) else {}
        rows.append({**columns, ID: name, REFERENCES: plain, **evidence})
    return rows, dict(counts), opened.warning(len(truths.ids))


def _located(
    document: DocumentText, answer: Value, known: set[str], counts: Mapping[str, Counter[str]]
) -> dict[str, list[dict[str, Any]]]:
    """Return by path the evidence of the values that are found once, and count the outcomes of each field."""
    occurrences: dict[str, list[list[Occurrence] | None]] = defaultdict(list)
    for path, _, places in document.find_scalars(answer):
        occurrences[path].append(places)
    located = {}
    for path, options in occurrences.items():
        # one spelling of a value may contain another
        places = outermost(place for option in options for place in option or ())
        is_on_a_page = len(places) == 1 and len(document.pages_of(places[0])) == 1
        if path in known:
            outcome = KEPT
        elif all(option is None for option in options):
            outcome = NOT_SOUGHT
        else:
            outcome = NOWHERE if not places else PLACED if is_on_a_page else SEVERAL
        if outcome == PLACED:
            page, boxes, _ = document.place_of(places[0])
            rounded = [[round(edge, _DIGITS) for edge in box] for box in boxes]
            shown = {} if not boxes else {"box": rounded[0]} if len(boxes) == 1 else {"boxes": rounded}
            located[path.removeprefix("$.")] = [{"page": page, **shown}]
        counts[field_of(path)][outcome] += 1
    return located

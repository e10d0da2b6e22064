"""What browsers ask of reviews, as in `playground.server.requests`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pydantic import Field, Json

from docscore.evaluation.review import VERDICTS
from playground.server.requests import CompareRequest, KeptRequest, Upload, one_of

MAX_SAMPLE = 1_000  # places that are drawn


class ReviewRequest(CompareRequest):
    """What is to be reviewed: a comparison, or one system.

    Attributes:
        sample: how many places of one system are drawn by the points lost there; 0 for all places of all systems.
        sample_of: the name of that system.
        verdicts: a file of verdicts to go on with; None for none.
        texts: a file with an object that holds the texts of documents by their ids; None for none.
    """

    sample: Annotated[int, Field(ge=0, le=MAX_SAMPLE)] = 0
    sample_of: str = ""
    verdicts: Upload = None
    texts: Upload = None


class Verdict(NamedTuple):
    """A verdict on a place of a review: its numbers and words.

    Attributes:
        number: the number of the place.
        verdict: one of `VERDICTS`.
        answer: which of the predicted values it means.
        value: the value that a visitor typed.
    """

    number: Annotated[int, Field(ge=0)]
    verdict: Annotated[str, one_of(*VERDICTS)]
    answer: Annotated[int, Field(ge=0)]
    value: str


class VerdictsRequest(KeptRequest):
    """Verdicts on places of a review, as text, as lists in requests are limited."""

    verdicts: Json[list[Verdict]]

"""A metric for `torchmetrics`, on its own or in a `MetricCollection`."""

from typing import Any

import torch
import torchmetrics

from docscore.core.errors import InputTypeError
from docscore.evaluation.state import ScoreState
from docscore.integrations.distributed import merged


class DocumentScore(torchmetrics.Metric):  # type: ignore[misc]
    """A `docscore.ScoreState` as a `torchmetrics.Metric`.

    `update(predictions, references)` takes rows, and `compute()` returns a dict of scalar tensors. With several
    processes, each updates its own metric, and all must call `compute`, which merges the states. Calling the metric
    updates it and returns the figures of the new rows only.

    Args:
        kwargs: as for `ScoreState`: metrics, fields, options, or options of `docscore.evaluate`.

    Raises:
        TypeError, ValueError: for invalid options.
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        self.scores = ScoreState(**kwargs)
        self.last = self.scores.empty()  # the rows of the last update

    def update(self, predictions: Any, references: Any) -> None:
        """Score more rows."""
        last = self.scores.empty()
        last.update(predictions, references)
        self.last = last
        self.scores.merge(last)

    def compute(self) -> dict[str, torch.Tensor]:
        """Return the figures of all rows in all processes."""
        return _tensors(merged(self.scores), whole=True)

    def forward(self, predictions: Any, references: Any) -> dict[str, torch.Tensor]:
        """Score more rows, and return the figures of these rows only."""
        self.update(predictions, references)
        return _tensors(self.last, whole=False)

    def merge_state(self, incoming_state: Any) -> None:
        """Add the rows of another metric of this class.

        Raises:
            TypeError, ValueError: for an object of another class, or a metric with other options.
        """
        if not isinstance(incoming_state, DocumentScore):
            raise InputTypeError(expected="a DocumentScore", got=type(incoming_state).__name__)
        self.scores.merge(incoming_state.scores)
        self._computed = None

    def reset(self) -> None:
        """Forget all rows."""
        super().reset()
        self.scores.reset()
        self.last.reset()


def _tensors(state: ScoreState, *, whole: bool) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(value, dtype=torch.float64) for name, value in state.compute(whole=whole).items()}

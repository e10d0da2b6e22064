"""Count processes and merge their states with `torch.distributed`, which `accelerate` and Trainers also use."""

from collections import ChainMap
from typing import Any

from docscore.evaluation.state import ScoreState


def process_count() -> int:
    """Return the number of processes in the group of `torch.distributed`; 1 without an initialised group."""
    import torch.distributed as dist  # noqa: PLC0415  an extra

    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def merged(state: ScoreState) -> ScoreState:
    """Return the merged state of all processes, on every process; the given state is not changed.

    Only sums, counts, field tables and hashes of ids are sent. If several processes have a row with the same id, the
    first one counts (`ScoreState.without`). Without an initialised process group, the result is a copy of the state.

    Args:
        state: the state of this process.

    Raises:
        ValueError: under the conditions of `ScoreState.merge`, on every process.
    """
    import torch.distributed as dist  # noqa: PLC0415  an extra

    def of_all(value: Any) -> list[Any]:
        values: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(values, value)
        return values

    states: list[Any] = [state]
    if process_count() > 1:
        before = of_all(state.ids)[: dist.get_rank()]
        try:
            own: Any = state.without(ChainMap(*before))
        except ValueError as error:  # every process must raise it
            own = error
        states = of_all(own)
        for each in states:
            if isinstance(each, ValueError):
                raise each
    return state.empty().merge(*states)

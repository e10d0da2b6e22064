"""Merge the states of several processes with `torch.distributed`, which `accelerate` and Trainers also use."""

from __future__ import annotations

from docscore.evaluation.state import ScoreState


def merged(state: ScoreState) -> ScoreState:
    """Return the merged state of all processes, on every process; the given state is not changed.

    Only sums, counts and field tables are sent. Without an initialised process group it is a copy of the state.

    Args:
        state: the state of this process.
    """
    import torch.distributed as dist  # noqa: PLC0415  an extra

    states: list[ScoreState] = [state]
    if dist.is_available() and dist.is_initialized():
        found: list[ScoreState | None] = [None] * dist.get_world_size()
        dist.all_gather_object(found, state)
        states = [each for each in found if each is not None]
    whole = state.empty()
    return whole.merge(*states)

"""States of several processes as one: with `torch.distributed`, which `accelerate` and Trainers use too."""

from __future__ import annotations

from docscore.corpus.state import ScoreState


def merged(state: ScoreState) -> ScoreState:
    """The states of all processes of a group as one, on every process; the state itself stays as it is.

    Only sums, counts and field tables travel. Without an initialised group it is a copy of the state alone.

    Args:
        state: what this process saw.
    """
    import torch.distributed as dist  # noqa: PLC0415  an extra

    states: list[ScoreState] = [state]
    if dist.is_available() and dist.is_initialized():
        found: list[ScoreState | None] = [None] * dist.get_world_size()
        dist.all_gather_object(found, state)
        states = [each for each in found if each is not None]
    whole = state.empty()
    return whole.merge(*states)

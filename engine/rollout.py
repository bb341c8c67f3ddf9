"""Play one state to its end, or part of the way and judge it there."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import apply_action, choose, heuristic, is_terminal, returns
from engine.kernel import kernel

TO_THE_END = -1  # a horizon


@kernel
def rollout(agent: Any, state: Any, space: Any, rng: Any) -> None:
    """Let `agent` choose for every player until the game is over; `state` is played on in place.

    Inside a rollout the world is a sample already, so the agent looks at it as it is; `space` is its workspace.
    """
    while not is_terminal(state):
        apply_action(state, choose(agent, state, space, rng))


@kernel
def simulate(agent: Any, horizon: int, state: Any, space: Any, rng: Any, utility: Any) -> None:
    """Let `agent` play on for at most `horizon` decisions, or to the end where that is negative.

    A finished game leaves its returns in `utility`; otherwise all of `utility` becomes NaN, and `utility_of` asks the
    game's heuristic for the seats that matter.
    """
    if horizon < 0:
        rollout(agent, state, space, rng)
    for _ in range(horizon):
        if is_terminal(state):
            break
        apply_action(state, choose(agent, state, space, rng))
    if is_terminal(state):
        returns(state, utility)
    else:
        utility[:] = np.nan


@kernel
def utility_of(state: Any, player: int, utility: Any) -> float:
    """Return the utility of a seat after `simulate`: its return, or what the heuristic thinks of the state."""
    if np.isnan(utility[player]):
        utility[player] = heuristic(state, player)
    return utility[player]

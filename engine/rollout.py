"""Play one state to its end, or part of the way and judge it there."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import Knob, apply_action, choose, heuristic, is_terminal, returns, work_of
from engine.kernel import kernel

TO_THE_END = -1  # a horizon
HORIZON = Knob("decisions that a simulation plays before the game's heuristic judges; -1 plays to the end", low=-1)


def simulation_work(agent: Any, horizon: int) -> float:
    """Return the rough cost of a simulation by a compiled agent, counted in random decisions."""
    return 8.0 * work_of(agent) if horizon else 10.0


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
    n_left = horizon  # a negative one never comes to 0
    while n_left != 0 and not is_terminal(state):
        apply_action(state, choose(agent, state, space, rng))
        n_left -= 1
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

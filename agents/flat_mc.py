"""Flat Monte Carlo: every action is simulated equally often, the best mean is played."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine import contract
from engine.contract import (
    MOST_ACTIONS,
    MOST_PLAYERS,
    Agent,
    Knob,
    apply_action,
    current_player,
    determinize,
    legal_actions,
    register_agent,
    returns,
    work_of,
)
from engine.kernel import kernel
from engine.rollout import rollout

MOST_ITERATIONS = 10_000_000


class FlatMc(NamedTuple):
    """The knobs, see `AGENT.knob_facts`."""

    iterations: int = 1000
    rollout: Any = "uniform"


class FlatMcSpace(NamedTuple):
    """Two records (the sampled world, and the world played on), what was summed, and the simulator's memory."""

    worlds: np.ndarray
    actions: np.ndarray
    totals: np.ndarray
    utility: np.ndarray
    simulator: Any


@kernel
def workspace(agent: Any, states: Any) -> Any:
    worlds = np.empty(2, dtype=states.dtype)
    worlds[:] = states[0]
    return FlatMcSpace(
        worlds,
        np.empty(MOST_ACTIONS, dtype=np.int64),
        np.empty(MOST_ACTIONS, dtype=np.float64),
        np.empty(MOST_PLAYERS, dtype=np.float64),
        contract.workspace(agent.rollout, states),
    )


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    n_legal = legal_actions(state, space.actions)
    if n_legal == 1:
        return space.actions[0]
    player = current_player(state)
    space.totals[:n_legal] = 0.0
    # all actions are tried in the same world: what the sample is worth in itself cancels
    for _ in range(max(1, agent.iterations // n_legal)):
        space.worlds[0] = state
        determinize(space.worlds[0], player, rng)
        for index in range(n_legal):
            space.worlds[1] = space.worlds[0]
            apply_action(space.worlds[1], space.actions[index])
            rollout(agent.rollout, space.worlds[1], space.simulator, rng)
            returns(space.worlds[1], space.utility)
            space.totals[index] += space.utility[player]
    best = 0
    for index in range(1, n_legal):
        if space.totals[index] > space.totals[best]:
            best = index
    return space.actions[best]


AGENT = register_agent(
    Agent(
        name="flat-mc",
        summary="Monte Carlo without a tree: every action simulated equally often in the same sampled worlds",
        knobs=FlatMc,
        choose=choose,
        workspace=workspace,
        knob_facts={
            "iterations": Knob(
                "simulations a decision, shared equally by the legal actions", low=1, high=MOST_ITERATIONS
            ),
            "rollout": Knob("the compiled agent that plays the simulations", is_agent=True),
        },
        work=lambda knobs: knobs.iterations * 8.0 * work_of(knobs.rollout),
    )
)

"""Flat Monte Carlo: every action is simulated in the same sampled worlds, the best mean is played.

Equal shares, or sequential halving (Karnin, Koren and Somekh 2013, "Almost Optimal Exploration in Multi-Armed
Bandits"): the budget is cut into as many rounds as it takes to halve the actions down to one, and after each round the
worse half drops out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine import contract
from engine.contract import (
    MOST_ACTIONS,
    MOST_PLAYERS,
    Agent,
    Knob,
    Setup,
    apply_action,
    current_player,
    determinize,
    legal_actions,
    register_agent,
)
from engine.kernel import kernel
from engine.rollout import HORIZON, TO_THE_END, simulate, simulation_work, utility_of

MOST_ITERATIONS = 10_000_000
SHARES = ("equal", "halving")
EQUAL, HALVING = range(len(SHARES))


class FlatMc(NamedTuple):
    """The knobs, see `AGENT.knob_facts`."""

    iterations: int = 1000
    horizon: int = TO_THE_END
    shares: Any = "equal"
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
    return _best_of(agent, state, n_legal, space, rng)


@kernel
def choose_among(agent: Any, state: Any, actions: Any, n_actions: int, space: Any, rng: Any) -> int:
    space.actions[:n_actions] = actions[:n_actions]
    return _best_of(agent, state, n_actions, space, rng)


@kernel
def _best_of(agent: Any, state: Any, n_actions: int, space: Any, rng: Any) -> int:
    """Return the best of `space.actions[:n_actions]`, which it puts in another order."""
    if n_actions == 1:
        return space.actions[0]
    player = current_player(state)
    space.totals[:n_actions] = 0.0
    n_rounds = 1
    if agent.shares == HALVING:
        while 1 << n_rounds < n_actions:
            n_rounds += 1
    n_left = n_actions
    for _ in range(n_rounds):
        for _ in range(max(1, agent.iterations // (n_rounds * n_left))):
            _simulate_all(agent, state, player, n_left, space, rng)
        _sort_best_first(space.actions, space.totals, n_left)
        n_left = (n_left + 1) // 2
    return space.actions[0]


@kernel
def _simulate_all(agent: Any, state: Any, player: int, n_left: int, space: Any, rng: Any) -> None:
    """Try the first actions, each once, in one sampled world: what the sample is worth in itself cancels."""
    worlds = space.worlds
    worlds[0] = state
    determinize(worlds[0], player, rng)
    for index in range(n_left):
        worlds[1] = worlds[0]
        apply_action(worlds[1], space.actions[index])
        simulate(agent.rollout, agent.horizon, worlds[1], space.simulator, rng, space.utility)
        space.totals[index] += utility_of(worlds[1], player, space.utility)


@kernel
def _sort_best_first(actions: Any, totals: Any, n_left: int) -> None:
    """Sort the first actions by falling totals, in place; equal ones keep their order."""
    for index in range(1, n_left):
        action, total = actions[index], totals[index]
        at = index
        while at > 0 and totals[at - 1] < total:
            actions[at], totals[at] = actions[at - 1], totals[at - 1]
            at -= 1
        actions[at], totals[at] = action, total


def fit(knobs: FlatMc, setup: Setup) -> FlatMc:
    """Turn the word for the shares into its number."""
    return knobs._replace(shares=SHARES.index(str(knobs.shares)))


AGENT = register_agent(
    Agent(
        name="flat-mc",
        summary="Monte Carlo without a tree: every action simulated equally often in the same sampled worlds",
        knobs=FlatMc,
        choose=choose,
        workspace=workspace,
        fit=fit,
        knob_facts={
            "iterations": Knob("simulations a decision, shared by the legal actions", low=1, high=MOST_ITERATIONS),
            "horizon": HORIZON,
            "shares": Knob(
                "equal for all actions, or halving: the worse half drops out again and again", choices=SHARES
            ),
            "rollout": Knob("the compiled agent that plays the simulations", is_agent=True),
        },
        choose_among=choose_among,
        work=lambda knobs: knobs.iterations * simulation_work(knobs.rollout, knobs.horizon),
    )
)

"""Improve a policy by Monte Carlo: leave its choice only for an action that simulations show to be better.

Every action is followed in the same sampled worlds by the policy playing all seats to the end; the worse half of the
actions is dropped again and again, so that most simulations go to those that matter. The policy's own action stays to
the last, and another is played only when it is better by several standard errors of the paired differences.

Source: Tesauro and Galperin 1996, "On-line policy improvement using Monte-Carlo search"; the halving is that of
Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed bandits".
"""

from __future__ import annotations

import math
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


class PolicyMc(NamedTuple):
    """The knobs, see `AGENT.knob_facts`."""

    iterations: int = 1000
    caution: float = 1.0
    rollout: Any = "uniform"


class PolicyMcSpace(NamedTuple):
    """Two records (the sampled world, and the world played on), the actions left, and what was summed for each."""

    worlds: np.ndarray
    actions: np.ndarray
    gains: np.ndarray  # float64, by place in `actions`: sum of the utility less that of the policy's action
    squares: np.ndarray  # float64: sum of the squares of these differences
    utility: np.ndarray
    simulator: Any


@kernel
def workspace(agent: Any, states: Any) -> Any:
    worlds = np.empty(2, dtype=states.dtype)
    worlds[:] = states[0]
    return PolicyMcSpace(
        worlds,
        np.empty(MOST_ACTIONS, dtype=np.int64),
        np.empty(MOST_ACTIONS, dtype=np.float64),
        np.empty(MOST_ACTIONS, dtype=np.float64),
        np.empty(MOST_PLAYERS, dtype=np.float64),
        contract.workspace(agent.rollout, states),
    )


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    n_left = legal_actions(state, space.actions)
    if n_left == 1:
        return space.actions[0]
    player = current_player(state)
    space.worlds[1] = state
    wanted = contract.choose(agent.rollout, space.worlds[1], space.simulator, rng)
    _put_first(space.actions, n_left, wanted)
    space.gains[:n_left] = 0.0
    space.squares[:n_left] = 0.0
    n_rounds = math.ceil(math.log2(n_left))
    n_worlds = 0
    while n_left > 1:
        n_more = max(1, agent.iterations // (n_rounds * n_left))
        for _ in range(n_more):
            space.worlds[0] = state
            determinize(space.worlds[0], player, rng)
            _follow_all(agent, space, n_left, player, rng)
        n_worlds += n_more
        if n_left == 2:
            break
        n_left = _drop_worse_half(space, n_left)
    mean = space.gains[1] / n_worlds
    variance = max(0.0, space.squares[1] / n_worlds - mean * mean)
    is_better = mean > agent.caution * math.sqrt(variance / n_worlds)
    return space.actions[1] if is_better else wanted


@kernel
def _put_first(actions: Any, n_actions: int, wanted: int) -> None:
    """Move an action to the front of a list."""
    for index in range(n_actions):
        if actions[index] == wanted:
            actions[index] = actions[0]
            actions[0] = wanted


@kernel
def _follow_all(agent: Any, space: Any, n_left: int, player: int, rng: Any) -> None:
    """Play the sampled world to its end after each of the actions, and note the differences to the first."""
    first = 0.0
    for index in range(n_left):
        space.worlds[1] = space.worlds[0]
        apply_action(space.worlds[1], space.actions[index])
        rollout(agent.rollout, space.worlds[1], space.simulator, rng)
        returns(space.worlds[1], space.utility)
        if index == 0:
            first = space.utility[player]
        gain = space.utility[player] - first
        space.gains[index] += gain
        space.squares[index] += gain * gain


@kernel
def _drop_worse_half(space: Any, n_left: int) -> int:
    """Keep the first action and the better of the others, best first; return how many are left."""
    for index in range(2, n_left):  # insertion sort of few, behind the first
        action, gain, square = space.actions[index], space.gains[index], space.squares[index]
        place = index
        while place > 1 and space.gains[place - 1] < gain:
            space.actions[place] = space.actions[place - 1]
            space.gains[place] = space.gains[place - 1]
            space.squares[place] = space.squares[place - 1]
            place -= 1
        space.actions[place], space.gains[place], space.squares[place] = action, gain, square
    return (n_left + 1) // 2


AGENT = register_agent(
    Agent(
        name="policy-mc",
        summary="a policy improved by simulations: its own choice unless another is clearly better",
        knobs=PolicyMc,
        choose=choose,
        workspace=workspace,
        knob_facts={
            "iterations": Knob("simulations a decision, about", low=1, high=MOST_ITERATIONS),
            "caution": Knob("standard errors by which an action must be better than the policy's own", low=0.0),
            "rollout": Knob("the compiled agent that is improved, and that plays the simulations", is_agent=True),
        },
        work=lambda knobs: knobs.iterations * 8.0 * work_of(knobs.rollout),
    )
)

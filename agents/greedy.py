"""Rules of thumb: take the action that the game's named style likes best.

What a style values stands in the game's own folder; this agent works for every game that has styles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.contract import (
    MOST_ACTIONS,
    Agent,
    Knob,
    Setup,
    appraise,
    favorite,
    legal_actions,
    register_agent,
)
from engine.kernel import kernel
from engine.rng import below, unit


class Greedy(NamedTuple):
    """The knobs, see `AGENT.knob_facts`. `table` is filled when the game is known."""

    style: Any = ""
    weight: float = 1.0
    noise: float = 0.0
    table: Any = None


class GreedySpace(NamedTuple):
    """Legal actions and what each is worth."""

    actions: np.ndarray
    values: np.ndarray


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return GreedySpace(np.empty(MOST_ACTIONS, dtype=np.int64), np.empty(MOST_ACTIONS, dtype=np.float64))


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    if agent.noise > 0.0 and unit(rng) < agent.noise:
        return space.actions[below(rng, legal_actions(state, space.actions))]
    action = favorite(state, agent.style, agent.weight, agent.table, rng)
    if action >= 0:
        return action
    n_legal = legal_actions(state, space.actions)
    appraise(state, space.actions, n_legal, agent.style, agent.weight, agent.table, space.values)
    return space.actions[_best(space, n_legal, rng)]


@kernel
def choose_among(agent: Any, state: Any, actions: Any, n_actions: int, space: Any, rng: Any) -> int:
    if agent.noise > 0.0 and unit(rng) < agent.noise:
        return actions[below(rng, n_actions)]
    n_legal = legal_actions(state, space.actions)
    # A style may hold an action against all others that are legal, so it appraises them all.
    appraise(state, space.actions, n_legal, agent.style, agent.weight, agent.table, space.values)
    n_kept = 0
    for index in range(n_legal):
        if n_kept < n_actions and space.actions[index] == actions[n_kept]:
            space.values[n_kept] = space.values[index]
            n_kept += 1
    return actions[_best(space, n_actions, rng)]


@kernel
def _best(space: Any, n_actions: int, rng: Any) -> int:
    """Return the place of one of the actions that are liked best, ties at random."""
    best = 0
    n_best = 1
    for index in range(1, n_actions):
        if space.values[index] > space.values[best]:
            best = index
            n_best = 1
        elif space.values[index] == space.values[best]:
            n_best += 1
            if below(rng, n_best) == 0:  # each of the tied is kept with equal chance
                best = index
    return best


def fit(knobs: Greedy, setup: Setup) -> Greedy:
    """Turn the style's name into its number in this game, and prepare the style's table."""
    game = setup.game
    if not game.styles:
        raise ValueError(f"{game.name} has no styles for greedy")
    name = knobs.style or game.default_style
    number = game.style_number(str(name))
    table = np.zeros((1, 1, 1), dtype=np.float32) if game.style_table is None else game.style_table(setup, number)
    return knobs._replace(style=number, table=table)


AGENT = register_agent(
    Agent(
        name="greedy",
        summary="the action that a named rule of thumb of the game likes best; ties at random",
        knobs=Greedy,
        choose=choose,
        workspace=workspace,
        fit=fit,
        knob_facts={
            "style": Knob("a style of the game; left out, the game's first choice"),
            "weight": Knob("how much the style's second concern counts, as what a pick leaves for others"),
            "noise": Knob("chance of a uniform random action instead", low=0.0, high=1.0),
        },
        work=lambda knobs: 60.0,
        choose_among=choose_among,
    )
)

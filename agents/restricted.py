"""Another agent that is forbidden some habits, to see what they are worth: powers, kinds of moves, cards.

A habit is a named set of actions of a game (`Game.habits`). The agent plays as the other one does, but none of these
actions while another is legal. It then asks the other agent for its choice among what is left (`choose_among`: the best
appraised for greedy, the most visited for tree search, and so on). An agent that cannot say is asked anew, and where it
will not leave its habit, any of the actions left is as good. So what is lost is what the habit is worth to somebody who
goes on playing as before; who would make other plans without it loses at most as much.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine import contract
from engine.contract import MOST_ACTIONS, Agent, Knob, Setup, legal_actions, occasion, register_agent, work_of
from engine.kernel import kernel
from engine.rng import below

NOTHING = "nothing"
MOST_ASKED = 20  # times that an agent is asked anew


class Restricted(NamedTuple):
    """The knobs, see `AGENT.knob_facts`. `barred` is filled when the game is known: bool, (occasions, actions)."""

    player: Any = "uniform"
    without: Any = NOTHING
    barred: Any = None


class RestrictedSpace(NamedTuple):
    """The actions left, a record to be asked about, and the memory of the other agent."""

    actions: np.ndarray
    scratch: Any
    player: Any


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return RestrictedSpace(
        np.empty(MOST_ACTIONS, dtype=np.int64), states[:1].copy(), contract.workspace(agent.player, states)
    )


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> Any:
    n_legal = legal_actions(state, space.actions)
    barred = agent.barred[occasion(state)]
    n_left = 0
    for index in range(n_legal):
        action = space.actions[index]
        space.actions[n_left] = action  # never ahead of what is read
        if not barred[action]:
            n_left += 1
    if n_left == 1:
        return space.actions[0]
    is_free = n_left == n_legal or n_left == 0
    if not is_free:
        space.scratch[0] = state
        among = contract.choose_among(agent.player, space.scratch[0], space.actions, n_left, space.player, rng)
        if among >= 0:
            return np.int64(among)
    for _ in range(MOST_ASKED):
        space.scratch[0] = state
        action = np.int64(contract.choose(agent.player, space.scratch[0], space.player, rng))
        if is_free or not barred[action]:
            return action
    return space.actions[below(rng, n_left)]


def fit(knobs: Restricted, setup: Setup) -> Restricted:
    """Look the habits up, written with + between them; ValueError lists what the game has."""
    barred = np.zeros((setup.game.occasions, setup.game.n_actions), dtype=np.bool_)
    words = str(knobs.without)
    for name in [] if words == NOTHING else words.split("+"):
        habit = setup.game.find_habit(name)
        for option, value in habit.needs.items():
            if setup.options[option] != value:
                wanted = str(value).lower()
                raise ValueError(f"habit {name} of {setup.name} is a choice with the option {option}={wanted} only")
        for place in habit.occasions or range(setup.game.occasions):
            barred[place, list(habit.actions)] = True
    return knobs._replace(without=0, barred=barred)


AGENT = register_agent(
    Agent(
        name="restricted",
        summary="another agent that is forbidden some habits of the game, to see what they are worth",
        knobs=Restricted,
        choose=choose,
        workspace=workspace,
        fit=fit,
        knob_facts={
            "player": Knob("the compiled agent that is restricted", is_agent=True),
            "without": Knob("the habits that it must do without, + between them (see `pizzabots games`), or nothing"),
        },
        work=lambda knobs: 2.0 + work_of(knobs.player),
    )
)

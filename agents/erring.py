"""Another agent that now and then errs: with a chance it makes a move of its own instead, such as a rash claim."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine import contract
from engine.contract import MOST_ACTIONS, Agent, Knob, Setup, legal_actions, register_agent, work_of
from engine.kernel import kernel
from engine.rng import below, unit

ANY = -1


class Erring(NamedTuple):
    """The knobs, see `AGENT.knob_facts`."""

    player: Any = "uniform"
    error_rate: float = 0.1
    error: Any = "any"


class ErringSpace(NamedTuple):
    """Legal actions, and the memory of the other agent."""

    actions: np.ndarray
    player: Any


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return ErringSpace(np.empty(MOST_ACTIONS, dtype=np.int64), contract.workspace(agent.player, states))


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    if unit(rng) < agent.error_rate:
        n_legal = legal_actions(state, space.actions)
        if agent.error == ANY:
            return space.actions[below(rng, n_legal)]
        for index in range(n_legal):
            if space.actions[index] == agent.error:
                return agent.error
    return contract.choose(agent.player, state, space.player, rng)


def fit(knobs: Erring, setup: Setup) -> Erring:
    """Turn the text of the error into its action id; ValueError says what the game calls an action."""
    error = str(knobs.error).replace("_", " ")
    return knobs._replace(error=ANY if error == "any" else int(setup.game.notation.parse_action(error)))


AGENT = register_agent(
    Agent(
        name="erring",
        summary="another agent that errs: with a chance it makes a certain move where that is legal, or any",
        knobs=Erring,
        choose=choose,
        workspace=workspace,
        fit=fit,
        knob_facts={
            "player": Knob("the compiled agent that errs", is_agent=True),
            "error_rate": Knob("chance of an error at a decision", low=0.0, high=1.0),
            "error": Knob("the error as the game writes the action, _ for spaces, such as claim or take_olive; or any"),
        },
        work=lambda knobs: 1.0 + work_of(knobs.player),
    )
)

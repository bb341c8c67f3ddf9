"""Information-set Monte Carlo tree search with a fresh determinization for every iteration."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from agents.uniform import Uniform
from engine import contract
from engine.contract import MOST_ACTIONS, Agent, legal_actions, register_agent
from engine.kernel import kernel
from engine.search import MOST_VISITS, final_action, search_space, tree_search


class Mcts(NamedTuple):
    """The knobs, see `AGENT.knob_help`."""

    iterations: int = 1000
    c: float = 0.7
    patience: int = 1
    final: int = MOST_VISITS
    rollout: Any = Uniform()


class MctsSpace(NamedTuple):
    """Memory of the search, of its simulations, and a list of actions."""

    search: Any
    simulator: Any
    actions: np.ndarray


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return MctsSpace(
        search_space(states, agent.iterations),
        contract.workspace(agent.rollout, states),
        np.empty(MOST_ACTIONS, dtype=np.int64),
    )


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    if legal_actions(state, space.actions) == 1:
        return space.actions[0]
    tree_search(state, agent.iterations, agent.c, agent.patience, agent.rollout, space.simulator, space.search, rng)
    return final_action(space.search, agent.final)


AGENT = register_agent(
    Agent(
        name="mcts",
        summary="information-set Monte Carlo tree search, a fresh determinization for every iteration",
        knobs=Mcts,
        choose=choose,
        workspace=workspace,
    )
)

"""Information-set Monte Carlo tree search with a fresh determinization for every iteration."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine import contract
from engine.contract import MOST_ACTIONS, Agent, Knob, Setup, legal_actions, register_agent
from engine.kernel import kernel
from engine.rollout import HORIZON, TO_THE_END, simulation_work
from engine.search import SearchPlan, final_action, final_action_among, search_space, tree_search

FINAL_CHOICES = ("visits", "mean")  # places are MOST_VISITS and BEST_MEAN
MOST_ITERATIONS = 10_000_000  # a tree of so many nodes takes 400 MB


class Mcts(NamedTuple):
    """The knobs, see `AGENT.knob_facts`."""

    iterations: int = 1000
    c: float = 1.4
    patience: int = 1
    horizon: int = TO_THE_END
    final: Any = "visits"
    rollout: Any = "uniform"


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
    _search(agent, state, space, rng)
    return final_action(space.search, agent.final)


@kernel
def choose_among(agent: Any, state: Any, actions: Any, n_actions: int, space: Any, rng: Any) -> int:
    _search(agent, state, space, rng)
    return final_action_among(space.search, agent.final, actions, n_actions)


@kernel
def _search(agent: Any, state: Any, space: Any, rng: Any) -> None:
    plan = SearchPlan(agent.iterations, agent.c, agent.patience, agent.horizon)
    tree_search(state, plan, agent.rollout, space.simulator, space.search, rng)


def fit(knobs: Mcts, setup: Setup) -> Mcts:
    """Turn the word for the final choice into its number."""
    return knobs._replace(final=FINAL_CHOICES.index(str(knobs.final)))


AGENT = register_agent(
    Agent(
        name="mcts",
        summary="information-set Monte Carlo tree search, a fresh determinization for every iteration",
        knobs=Mcts,
        choose=choose,
        workspace=workspace,
        fit=fit,
        knob_facts={
            "iterations": Knob("simulations a decision", low=1, high=MOST_ITERATIONS),
            "c": Knob("exploration constant of UCB1, for utilities stretched to 0 … 1", low=0.0),
            "patience": Knob("visits that a leaf needs before it grows; 1 is the textbook's", low=1),
            "horizon": HORIZON,
            "final": Knob("the action played: of most visits, or of best mean", choices=FINAL_CHOICES),
            "rollout": Knob("the compiled agent that plays the simulations", is_agent=True),
        },
        choose_among=choose_among,
        work=lambda knobs: knobs.iterations * (30.0 + simulation_work(knobs.rollout, knobs.horizon)),
    )
)

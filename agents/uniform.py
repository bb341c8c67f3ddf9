"""Uniform random play: every legal action with equal chance, without a look at the cards."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.contract import Agent, random_action, register_agent
from engine.kernel import kernel
from engine.rng import below


class Uniform(NamedTuple):
    """No knobs."""


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return np.empty(0, dtype=np.int64)


@kernel
def choose(agent: Any, state: Any, space: Any, rng: Any) -> int:
    return random_action(state, rng)


@kernel
def choose_among(agent: Any, state: Any, actions: Any, n_actions: int, space: Any, rng: Any) -> int:
    return actions[below(rng, n_actions)]


AGENT = register_agent(
    Agent(
        name="uniform",
        summary="every legal action with equal chance",
        knobs=Uniform,
        choose=choose,
        workspace=workspace,
        blind=True,
        choose_among=choose_among,
    )
)

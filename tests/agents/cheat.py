"""Compiled agents that break what they promise, for the test that catches them, which alone registers them.

An agent that plays illegally may go on for ever, so no other test should come upon them.
"""

from typing import Any, NamedTuple

import numpy as np

from engine.contract import Agent, current_player, legal_actions, observe
from engine.games.robots_ate_our_pizza.rules import OBSERVATION_SIZE
from engine.kernel import kernel


@kernel
def workspace(agent: Any, states: Any) -> Any:
    return np.empty(512, dtype=np.int64)


class Marked(NamedTuple):
    """Says that it does not look at the state, and reads the next player's cards."""


@kernel
def choose_by_marks(agent: Any, state: Any, space: Any, rng: Any) -> int:
    seen = np.empty(OBSERVATION_SIZE, dtype=np.float32)
    observe(state, (np.int64(current_player(state)) + 1) % np.int64(state.players), seen)
    marks = 0
    for place in range(OBSERVATION_SIZE):
        marks += np.int64(seen[place] * 8) * (place % 7)
    return space[abs(marks) % legal_actions(state, space)]


class Beside(NamedTuple):
    """Takes a card that is not in its hand."""


@kernel
def choose_beside(agent: Any, state: Any, space: Any, rng: Any) -> int:
    n_legal = legal_actions(state, space)
    action = 0
    for place in range(n_legal):
        if space[place] == action:
            action += 1
    return action


CHEATS = (
    Agent(name="reads-marks", summary="cheats", knobs=Marked, choose=choose_by_marks, workspace=workspace, blind=True),
    Agent(name="takes-beside", summary="cheats", knobs=Beside, choose=choose_beside, workspace=workspace),
)

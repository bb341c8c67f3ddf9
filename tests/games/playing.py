"""What the tests of all games need to get games going."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from engine.contract import MOST_ACTIONS, Setup, apply_action, is_terminal, legal_actions


def legal(state: Any) -> list[int]:
    """List the legal actions."""
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    return [int(action) for action in actions[: legal_actions(state, actions)]]


def copy_of(state: Any) -> Any:
    """Return a copy of a record that shares nothing with it."""
    states = np.zeros(1, dtype=state.dtype).view(np.recarray)
    states[0] = state
    return states[0]


def states_of_random_game(setup: Setup, number: int, seed: int = 7) -> Iterator[Any]:
    """Play deal `number` at random; yield the one record before the first move and after every move."""
    state = setup.new_game(seed=seed, number=number)
    chance = random.Random(number)
    yield state
    while not is_terminal(state):
        apply_action(state, chance.choice(legal(state)))
        yield state

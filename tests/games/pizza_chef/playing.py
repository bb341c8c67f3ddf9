"""Ways to get games of Pizza Chef going in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import Setup, apply_action, load_game
from engine.games.pizza_chef import notation
from engine.games.pizza_chef.rules import DRAWING, SEARCHING, TOKENS
from tests.games.playing import legal

NAME = "pizza-chef"
EVERY_NUMBER_OF_PLAYERS = range(3, 9)


def load(players: int = 4, **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, players=players, **options)


def do(state: Any, *texts: str) -> None:
    """Play actions given as texts; each must be legal."""
    for text in texts:
        action = notation.parse_action(text)
        assert action in legal(state), f"{text} is not legal"
        apply_action(state, action)


def in_order(setup: Setup, active: int, order: str) -> Any:
    """Return a table with the slices in order (row a all salami, …), the bag with `active` and `order` just drawn.

    Nobody has looked yet; the first tick in which all can look is on.
    """
    state = setup.blank_states(1)[0]
    state.places = np.repeat(np.arange(8), 8)
    state.looks[:] = notation.NOTHING
    state.asked[:] = notation.NOTHING
    state.active = active
    state.turns, state.tick = 1, 1
    state.order = TOKENS.index(order)
    state.bag = notation.FULL_BAG & ~(1 << TOKENS.index(order))
    state.first = notation.NOBODY
    state.phase = SEARCHING
    state.due = sum(1 << step for step in range(1, setup.players))
    state.seat = (active + 1) % setup.players
    state.chance[0] = 12345
    notation.audit(state)
    return state


def undrawn(setup: Setup, number: int) -> Any:
    """Return deal `number` as it is before the first order is drawn."""
    state = setup.new_game(seed=5, number=number)
    fresh = setup.blank_states(1)[0]
    fresh.places, fresh.active = state.places, state.active
    fresh.seat, fresh.phase, fresh.turns = fresh.active, DRAWING, 1
    fresh.bag, fresh.order, fresh.first = notation.FULL_BAG, notation.NO_TOKEN, notation.NOBODY
    fresh.looks[:] = notation.NOTHING
    fresh.asked[:] = notation.NOTHING
    notation.audit(fresh)
    return fresh

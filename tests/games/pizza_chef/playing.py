"""Ways to get games of Pizza Chef going in tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import agents
from engine.contract import MOST_ACTIONS, Setup, apply_action, is_terminal, legal_actions, load_game
from engine.games.pizza_chef import notation
from engine.games.pizza_chef.rules import DRAWING, SEARCHING, TOKENS
from engine.tables import advance, collect_utility, deal_tables, new_log, start_streams

NAME = "pizza-chef"
EVERY_NUMBER_OF_PLAYERS = range(3, 9)


def load(players: int = 4, **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, players=players, **options)


def legal(state: Any) -> list[int]:
    """List the legal actions."""
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    return actions[: legal_actions(state, actions)].tolist()


def do(state: Any, *texts: str) -> None:
    """Play actions given as texts; each must be legal."""
    for text in texts:
        action = notation.parse_action(text)
        assert action in legal(state), f"{text} is not legal"
        apply_action(state, action)


def states_of_random_game(setup: Setup, number: int) -> Iterator[Any]:
    """Play deal `number` at random; yield the one record before the first move and after every move."""
    state = setup.new_game(seed=7, number=number)
    chance = random.Random(number)
    yield state
    while not is_terminal(state):
        apply_action(state, chance.choice(legal(state)))
        yield state


def copy_of(state: Any) -> Any:
    """Copy a record."""
    states = np.zeros(1, dtype=state.dtype).view(np.recarray)
    states[0] = state
    return states[0]


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


def play_many(setup: Setup, agent_texts: list[str], n_games: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Let one agent for each seat play many deals; return the finished records and the utilities."""
    states, streams = setup.blank_states(n_games), np.zeros((n_games, setup.players), dtype=np.uint64)
    deal_tables(states, setup.template, seed, 0)
    start_streams(streams, seed, 0, 0)
    log = new_log(n_games, setup.players)
    n_open = n_games
    while n_open:
        for text in dict.fromkeys(agent_texts):
            player = agents.make_player(text, setup)
            plays = np.array([each == text for each in agent_texts])
            n_open = int(advance(player.knobs, player.looks, states, plays, streams, log))
    utility = np.zeros((n_games, setup.players))
    collect_utility(states, utility)
    return states, utility

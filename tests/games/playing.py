"""What the tests of all games need to get games going."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

import agents
from engine.contract import MOST_ACTIONS, Setup, apply_action, is_terminal, legal_actions
from engine.tables import advance, collect_utility, deal_tables, new_log, start_streams


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

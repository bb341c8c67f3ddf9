"""Ways to get hands of ROBOTS! going in tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import agents.greedy
import agents.uniform
from engine.contract import Setup, apply_action, load_game
from engine.games.robots import notation
from engine.games.robots.rules import FACTORY, POWERS
from engine.tables import advance, collect_points, collect_utility, deal_tables, new_log, start_streams
from tests.games.playing import legal
from tests.naive.robots import Hand

NAME = "robots"
UNIFORM = agents.uniform.Uniform()
EVERY_NUMBER_OF_PLAYERS = range(2, 6)


def load(players: int = 2, **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, players=players, **options)


def greedy(setup: Setup, style: str = "", **knobs: Any) -> Any:
    """Return a greedy player of a style, fitted to the setup."""
    return agents.greedy.AGENT.fit(agents.greedy.Greedy(style=style, **knobs), setup)


def legal_texts(state: Any) -> list[str]:
    """List the legal actions as texts."""
    return [notation.action_text(action) for action in legal(state)]


def names(cards: Any) -> list[str]:
    """Write cards one by one, as the naive twin has them."""
    return [notation.card_text(int(card)) for card in cards]


def hand(state: Any, seat: int) -> set[str]:
    """Return a hand as texts."""
    return set(names(notation.cards_of(state["hands"][seat])))


def factory(state: Any) -> set[str]:
    """Return the unknown cards of the Factory as texts."""
    return set(names(notation.cards_of(state["hands"][FACTORY])))


def stack(state: Any, name: str) -> list[str]:
    """Return heap or bottom as texts."""
    return names(state[name][: int(state[f"{name}_size"])])


def position(text: str) -> Any:
    """Read a position."""
    return notation.parse_position(text)


def play(state: Any, *actions: str) -> Any:
    """Play actions given as texts, each of which must be legal; return the state."""
    for text in actions:
        action = notation.parse_action(text)
        assert action in legal(state), f"{text} is not among {legal_texts(state)}"
        apply_action(state, action)
        notation.audit(state)
    return state


def twin_of(state: Any, setup: Setup) -> Hand:
    """Return the naive twin of a hand that was just dealt."""
    seats = range(setup.players)
    options = {**setup.options, "max_turns": int(setup.options["max_turns"])}
    words = str(options["power_map"]).split(",")
    options["powers"] = {rank: word for rank, word in zip(RANKS_OF_POWERS, words, strict=True) if word in POWERS}
    hands = [sorted(hand(state, seat)) for seat in seats]
    return Hand(hands, stack(state, "heap"), factory(state), int(state["first_player"]), options)


RANKS_OF_POWERS = ("10", "11", "12", "13", "14", "*")


def play_many(setup: Setup, player: Any, n_games: int, seed: int = 3) -> Any:
    """Let one agent play all seats of many deals; return records, points (games, players) and utilities."""
    shape = (n_games, setup.players)
    states, streams = setup.blank_states(n_games), np.zeros(shape, dtype=np.uint64)
    deal_tables(states, setup.template, seed, 0)
    start_streams(streams, seed, 0, 0)
    plays = np.ones(setup.players, dtype=np.bool_)
    assert advance(player, player is not UNIFORM, states, plays, streams, new_log(*shape)) == 0
    points, utility = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    collect_points(states, points)
    collect_utility(states, utility)
    return states, points, utility


def fields(text: str) -> dict[str, str]:
    """Split a position's text into its lines by name."""
    return {
        name.strip(): value.strip() for name, _, value in (line.partition(":") for line in text.strip().splitlines())
    }


def check(state: Any, text: str) -> None:
    """Hold a table against the lines of a position: those that are given must be as they are."""
    found = fields(notation.position_text(state))
    for name, value in fields(text).items():
        assert " ".join(found[name].split()) == " ".join(value.split()), name

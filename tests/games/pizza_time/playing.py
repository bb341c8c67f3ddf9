"""Ways to get games of Pizza Time going in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import agents.uniform
from agents import make_player
from engine.contract import Setup, apply_action, load_game
from engine.games.pizza_time import notation
from engine.tables import advance, collect_points, collect_utility, deal_tables, new_log, start_streams
from tests.naive import pizza_time as naive

NAME = "pizza-time"
UNIFORM = agents.uniform.Uniform()
EVERY_NUMBER_OF_PLAYERS = range(2, 7)
OTHER_SET = Path(__file__).resolve().parents[2] / "golden" / "option_files" / NAME / "card_set.toml"

# The set of OTHER_SET once more, as the naive twin has it, and its piles.
OTHER_CARDS: naive.Cards = {
    (1, "F"): ({"mushroom": 1}, ["mushroom", "olive", "pepper", "none"]),
    (1, "B"): ({"mushroom": 2, "cheese": 1}, ["cheese", "olive", "pepper", "olive"]),
    (2, "F"): ({"pepper": 1}, ["cheese", "cheese", "olive", "olive"]),
    (2, "B"): ({"pepper": 3}, ["cheese", "cheese", "olive", "olive"]),
    (3, "F"): ({"cheese": 1}, ["mushroom", "pepper", "mushroom", "pepper"]),
    (3, "B"): ({"cheese": 3}, ["none", "pepper", "none", "mushroom"]),
    (4, "F"): ({"olive": 1}, ["cheese", "pepper", "cheese", "mushroom"]),
    (4, "B"): ({"olive": 2, "mushroom": 1}, ["cheese", "pepper", "cheese", "mushroom"]),
}


def load(players: int = 4, **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, players=players, **options)


def greedy(setup: Setup, style: str, **knobs: Any) -> Any:
    """Return a greedy player of a style, fitted to the setup."""
    return make_player(f"greedy:style={style}" + "".join(f",{knob}={knobs[knob]}" for knob in knobs), setup).knobs


def play(state: Any, *texts: str) -> None:
    """Play actions given as text."""
    for text in texts:
        apply_action(state, notation.parse_action(text))


def pizza(placement: int) -> naive.Pizza:
    """Write a placement as the naive twin has it."""
    words = notation.placement_text(int(placement)).split()
    return [(int(word[0]), word[1], int(word[2])) for word in words]


def pizzas(state: Any) -> list[naive.Pizza]:
    """Write all pizzas on the table as the naive twin has them."""
    return [pizza(state.placement[seat]) for seat in range(int(state.players))]


def order(state: Any) -> dict[str, int]:
    """Write the order as the naive twin has it."""
    return dict(zip(naive.TOPPINGS, notation.order_of(state), strict=True))


def play_many(setup: Setup, agent: Any, n_games: int, seed: int = 3) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Let an agent play all seats of many deals; return final records, points, utilities and decisions."""
    shape = (n_games, setup.players)
    states, streams, log = setup.blank_states(n_games), np.zeros(shape, dtype=np.uint64), new_log(*shape)
    deal_tables(states, setup.template, seed, 0)
    start_streams(streams, seed, 0, 0)
    plays = np.ones(setup.players, dtype=np.bool_)
    assert advance(agent, agent is not UNIFORM, states, plays, streams, log) == 0
    points, utility = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    collect_points(states, points)
    collect_utility(states, utility)
    return states, points, utility, log.decisions

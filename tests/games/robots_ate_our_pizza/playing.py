"""Ways to get games of Robots Ate Our Pizza going in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import agents.greedy
import agents.uniform
from engine.contract import Setup, load_game
from engine.games.robots_ate_our_pizza import notation
from engine.tables import advance, collect_points, collect_utility, deal_tables, new_log, start_streams

NAME = "robots-ate-our-pizza"
UNIFORM = agents.uniform.Uniform()
EVERY_TASK = range(1, 25)
EVERY_NUMBER_OF_PLAYERS = range(2, 7)


def load(players: int = 4, **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, players=players, **options)


def greedy(setup: Setup, style: str, **knobs: Any) -> Any:
    """Return a greedy player of a style, fitted to the setup."""
    return agents.greedy.AGENT.fit(agents.greedy.Greedy(style=style, **knobs), setup)


def cards(words: str) -> list[int]:
    """Read cards."""
    return notation.parse_cards(words)


def words(ids: list[int]) -> list[str]:
    """Write cards one by one, as the naive twin has them."""
    return [notation.action_text(card) for card in ids]


def play_many(setup: Setup, agent: Any, n_games: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Let an agent play all seats of many deals; return the team's results and what a seat wants, one a game."""
    shape = (n_games, setup.players)
    states, streams = setup.blank_states(n_games), np.zeros(shape, dtype=np.uint64)
    deal_tables(states, setup.template, seed, 0)
    start_streams(streams, seed, 0, 0)
    plays = np.ones(setup.players, dtype=np.bool_)
    assert advance(agent, agent is not UNIFORM, states, plays, streams, new_log(*shape)) == 0
    points, utility = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    collect_points(states, points)
    collect_utility(states, utility)
    return setup.game.total(setup, points), utility[:, 0]


# Made-up cuts, the same for every number of players: wide enough to lose 0 to 3 slices in random play.
CUTS_BY_GOAL = ([24, 18, 12], [6, 14, 22], [9, 6, 3], [2, 4, 6])


def write_tables(path: Path) -> str:
    """Write a file with made-up tables of all 24 tasks; return its name for the option `tables`."""
    lines = []
    for task in EVERY_TASK:
        lines.append(f"[task.{task}]")
        lines += [f"{players} = {CUTS_BY_GOAL[(task - 1) % 4]}" for players in EVERY_NUMBER_OF_PLAYERS]
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)

"""Pizza Chef: the facts of the game, and how its options fill a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Setup, register_game
from engine.games.pizza_chef import notation, rules, styles

MEMORIES = ("all", 0, 1, 2, 4, 8, 16, rules.RING)

OPTIONS = (
    Option("memory", "all", "last looks that a player remembers", MEMORIES),
    Option("wrong", "void", "a wrong slice costs nothing, or the rest of the round", rules.WRONG),
    Option("pace", "1", "ticks that a look takes, 1 to 9, for all or as 1,1,2 for each seat", free=True),
    Option("max_turns", rules.SAFETY_TURNS, "rounds until the game is broken off", (5, 20, 100, rules.SAFETY_TURNS)),
)


def parse_pace(text: str, players: int) -> list[int]:
    """Read the option `pace`: the pace of each seat; ValueError says what is allowed."""
    words = [word.strip() for word in text.split(",")]
    paces = [int(word) for word in words if word.isdecimal() and 1 <= int(word) <= rules.SLOWEST_PACE]
    if len(paces) != len(words) or len(paces) not in (1, players):
        raise ValueError(
            f"pace is one number from 1 to {rules.SLOWEST_PACE}, or {players} of them separated by commas, one a seat, "
            f"not {text!r}"
        )
    return paces * players if len(paces) == 1 else paces


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Write the options into a blank record; ValueError where the paces are wrong."""
    players = options["players"]
    state.players = players
    state.memory = rules.ALL_LOOKS if options["memory"] == "all" else options["memory"]
    state.wrong = rules.WRONG.index(options["wrong"])
    paces = parse_pace(options["pace"], players)
    state.pace[:players] = paces
    state.most_ticks = rules.MOST_LOOKS * max(paces)
    state.max_turns = options["max_turns"]


def ranges(setup: Setup) -> Ranges:
    """Bound a seat's hats and the hats of all: a round gives one or two."""
    most = min(rules.HATS_TO_WIN, setup.options["max_turns"])
    return Ranges(points=(0, most), total=(0, most * setup.players))


def longest(setup: Setup) -> int:
    """Bound the decisions of the longest game: in every tick of every round all but one look."""
    return int(setup.template.most_ticks) * (setup.players - 1) * setup.options["max_turns"]


def total(setup: Setup, points: np.ndarray) -> np.ndarray:
    """Return the hats of all seats of each game, int64, from those of each, shape (games, players)."""
    return points.sum(axis=1)


SIDE = 8  # of the square of places
BORDER = tuple(place for place in range(rules.N_PLACES) if {0, SIDE - 1} & set(divmod(place, SIDE)))
HABITS = (
    Habit("border", "to look at the border", tuple(rules.LOOK + place for place in BORDER)),
    Habit("snatches", "to snatch a slice", tuple(range(rules.SNATCH, rules.N_ACTIONS)), needs={"wrong": "sit_out"}),
)

GAME = register_game(
    Game(
        name="pizza-chef",
        title="Pizza Chef",
        summary="the bonus game of Pizza Monsters: all look for a slice at once; four hats win",
        version=1,
        dtype=rules.STATE,
        rules=rules,
        notation=notation,
        players=tuple(range(3, rules.MOST_PLAYERS + 1)),
        default_players=4,
        cooperative=False,
        n_actions=rules.N_ACTIONS,
        most_legal=rules.N_ACTIONS,
        observation_size=rules.OBSERVATION_SIZE,
        configure=configure,
        ranges=ranges,
        longest=longest,
        total=total,
        options=OPTIONS,
        styles=styles.STYLES,
        default_style="perfect-memory",
        default_agents=(
            "uniform",
            "greedy:style=never-look-twice",
            "greedy:style=memory-of-k,weight=8",
            "greedy:style=perfect-memory",
            "greedy:style=random-looker",
        ),
        appraise=styles.appraise,
        habits=HABITS,
    )
)

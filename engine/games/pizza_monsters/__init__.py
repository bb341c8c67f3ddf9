"""Pizza Monsters: the facts of the game, and how its options fill a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Setup, register_game
from engine.games.pizza_monsters import notation, rules, slices, styles

YES_NO = (False, True)

OPTIONS = (
    Option("simplified", False, "the simplified game: one joker, one draw, nothing is put back", YES_NO),
    Option(
        "simple_joker", "b", "the joker of the simplified game: a topping is named (a), or any slice (b)", ("a", "b")
    ),
    Option("short", False, "two hats win, and no new pizzas are made", YES_NO),
    Option("extension", False, "goes on until one player alone leads with at least four hats", YES_NO),
    Option("blind", False, "pizzas are drawn from the box unseen, the first two as well", YES_NO),
    Option("mixed", False, "each player splits his first eight slices into two pizzas himself", YES_NO),
    Option("must_feed", False, "who has a fitting slice must feed", YES_NO),
    Option("slice_set", "colors", "each color has its own slices, or all are dealt at random", ("colors", "shuffled")),
    Option("random_split", False, "each color's slices are split into its two pizzas at random", YES_NO),
    Option("random_colors", False, "which colors play is drawn, else the first ones", YES_NO),
    Option("slices", "", "file with the toppings of all slices, in place of the program's own", free=True),
    Option(
        "max_turns", rules.SAFETY_TURNS, "turns until the game is broken off", (10, 20, 50, 100, rules.SAFETY_TURNS)
    ),
)


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Write the options into a blank record; ValueError where they do not fit together or the file is wrong."""
    if options["short"] and options["extension"]:
        raise ValueError(
            "short and extension exclude each other: with two hats a player of the short game has no slices left"
        )
    for other, why in (
        ("mixed", "players have no eight slices of their own to split"),
        ("random_split", "no color is split into two pizzas"),
        ("random_colors", "no color belongs to a player"),
    ):
        if options["blind"] and options[other]:
            raise ValueError(f"blind and {other} exclude each other: all pizzas are drawn from the box, so {why}")
    if options["mixed"] and options["random_split"]:
        raise ValueError(
            "mixed and random_split exclude each other: either the player splits his slices, or chance does"
        )
    state.players = options["players"]
    state.simplified = notation.simplified_of(options)
    for flag in ("short", "extension", "blind", "mixed", "must_feed", "random_split", "random_colors"):
        state[flag] = options[flag]
    state.shuffled = options["slice_set"] == "shuffled"
    state.slices = slices.slices_for(options["slices"])
    state.max_turns = options["max_turns"]


def ranges(setup: Setup) -> Ranges:
    """Bound a seat's hats and the hats of all; a hat takes four turns."""
    most = rules.HATS_TO_WIN_SHORT if setup.options["short"] else rules.HATS_TO_WIN
    reachable = setup.options["max_turns"] // rules.PIZZA_SIZE
    most = reachable if setup.options["extension"] else min(most, reachable)
    return Ranges(points=(0, most), total=(0, most * setup.players))


def longest(setup: Setup) -> int:
    """Bound the decisions of the longest game: in a turn each may feed and make a pizza, one lays and names."""
    a_turn = 2 + setup.players * (1 + rules.PIZZA_SIZE)
    return rules.PIZZA_SIZE * setup.players + a_turn * setup.options["max_turns"]


def total(setup: Setup, points: np.ndarray) -> np.ndarray:
    """Return the hats of all seats of each game, int64, from those of each, shape (games, players)."""
    return points.sum(axis=1)


PIZZA_1 = tuple(range(rules.FEED, rules.FEED + rules.N_TOPPINGS))
PIZZA_2 = tuple(range(rules.FEED + rules.N_TOPPINGS, rules.TAKE))
HABITS = (
    Habit("keeps", "to keep the first order drawn", (rules.LAY,)),
    Habit("puts-back", "to put the first order back and draw again", (rules.PUT_BACK,)),
    Habit("declines", "to feed nothing although a slice fits", (rules.DECLINE,)),
    Habit("pizza-1", "to feed from the first pizza", PIZZA_1),
    Habit("pizza-2", "to feed from the second pizza", PIZZA_2),
)

GAME = register_game(
    Game(
        name="pizza-monsters",
        title="Pizza Monsters",
        summary="race: lay orders, feed slices that fit, finish pizzas; four hats win",
        version=1,
        dtype=rules.STATE,
        rules=rules,
        notation=notation,
        players=tuple(range(2, rules.MOST_PLAYERS + 1)),
        default_players=4,
        cooperative=False,
        n_actions=rules.N_ACTIONS,
        most_legal=rules.MOST_LEGAL,
        observation_size=rules.OBSERVATION_SIZE,
        configure=configure,
        ranges=ranges,
        longest=longest,
        total=total,
        options=OPTIONS,
        styles=styles.STYLES,
        default_style="planner",
        default_agents=(
            "uniform",
            "greedy:style=keep-if-match",
            "greedy:style=denier",
            "greedy:style=planner",
            "greedy:style=racer",
        ),
        style_table=styles.style_table,
        appraise=styles.appraise,
        habits=HABITS,
    )
)

"""Pizza Time: the facts of the game, and how its options fill a record."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Setup, register_game
from engine.games.pizza_time import notation, rules, styles
from engine.games.pizza_time.card_sets import OURS, PILES_BY_GEOMETRY, parse_piles, read_card_set
from engine.games.pizza_time.solutions import most_types_table

YES_NO = (False, True)

OPTIONS = (
    Option("card_set", "", "file with the cards, and with the piles if you like; left out: our own set", free=True),
    Option("geometry", "seams", "halves count where two equal ones meet, or only whole toppings", ("seams", "sum")),
    Option("piles", "", "six numbers for all piles, or four lists with / between", free=True),
    Option("expert", False, "all four toppings in every round", YES_NO),
    Option(
        "unsolvable",
        "lower_k",
        "order that no pizza fills: fewer toppings, drawn again, no round",
        rules.UNSOLVABLE,
    ),
    Option("penalty", "give", "after a wrong pizza a card of the order goes to an opponent, or away", rules.PENALTIES),
    Option(
        "penalty_chooser",
        "faulty",
        "who chooses that card: who was wrong, the left neighbor, a rule",
        rules.CHOOSERS,
    ),
    Option("pace", "1", "ticks that a movement takes, for all seats or for each, as 1,1,2,1", free=True),
    Option("round_time_limit", "20000", f"ticks of a round, up to {rules.MOST_TICKS:,}", free=True),
)


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Write the options into a blank record.

    Raises ValueError where a file, the piles, the paces or the time limit are wrong or do not fit together.
    """
    players, geometry = options["players"], options["geometry"]
    card_set = read_card_set(Path(options["card_set"]) if options["card_set"] else OURS)
    piles = card_set.piles or (PILES_BY_GEOMETRY[geometry],) * rules.N_TOPPINGS
    if options["piles"]:
        piles = parse_piles(options["piles"])
    state.players = players
    state.faces = card_set.packed(geometry)
    state.piles = piles
    state.most_types = most_types_table(card_set.packed(geometry), piles)
    state.expert = options["expert"]
    state.unsolvable = rules.UNSOLVABLE.index(options["unsolvable"])
    state.penalty = rules.PENALTIES.index(options["penalty"])
    state.penalty_chooser = rules.CHOOSERS.index(options["penalty_chooser"])
    paces = parse_pace(options["pace"], players)
    state.pace = [*paces, *[1] * (rules.MOST_PLAYERS - players)]
    state.has_pace = max(paces) > 1
    state.limit = parse_limit(options["round_time_limit"], max(paces))


def parse_pace(text: str, players: int) -> list[int]:
    """Read the ticks that a movement of each seat takes; ValueError says what is allowed."""
    words = [word.strip() for word in text.split(",")]
    if len(words) not in (1, players) or not all(
        word.isdecimal() and 1 <= int(word) <= rules.MOST_PACE for word in words
    ):
        raise ValueError(
            f"pace is a number from 1 to {rules.MOST_PACE} for all, or {players} of them with commas for {players} "
            f"players, not {text!r}"
        )
    paces = [int(word) for word in words]
    return paces * players if len(paces) == 1 else paces


def parse_limit(text: str, slowest: int) -> int:
    """Read the ticks of a round: at least one movement of the slowest seat; ValueError says what is allowed."""
    if not text.isdecimal() or not slowest <= int(text) <= rules.MOST_TICKS:
        raise ValueError(
            f"round_time_limit is a number of ticks from {slowest} (a movement of the slowest) to "
            f"{rules.MOST_TICKS}, not {text!r}"
        )
    return int(text)


def ranges(setup: Setup) -> Ranges:
    """Bound a seat's points and those of all seats: nobody wins more than all the cards of the box."""
    box = int(setup.template["piles"].sum())
    return Ranges(points=(0, box), total=(0, box))


def longest(setup: Setup) -> int:
    """Count the decisions of the longest game: in every round all seats race until the time is up."""
    limit = int(setup.template["limit"])
    movements = sum(limit // int(pace) for pace in setup.template["pace"][: setup.players])
    return rules.N_ROUNDS * (movements + min(rules.N_NUMBER_CARDS, setup.players - 1))


def usual(setup: Setup) -> int:
    """Count the decisions of a game in which every movement claims with the chance of random play."""
    n_numbers = min(rules.N_NUMBER_CARDS, setup.players - 1)
    return rules.N_ROUNDS * n_numbers * (rules.N_MOVEMENTS + 1)


def total(setup: Setup, points: np.ndarray) -> np.ndarray:
    """Return the points of all seats together, int64, one a game."""
    return points.sum(axis=1)


HABITS = (
    Habit("flips", "to flip a card", tuple(range(rules.FIRST_FLIP, rules.FIRST_TURN))),
    Habit("turns", "to turn a card", tuple(range(rules.FIRST_TURN, rules.FIRST_SWAP))),
    Habit("swaps", "to swap two cards", tuple(range(rules.FIRST_SWAP, rules.REBUILD))),
    Habit("rebuilds", "to put all cards together anew", (rules.REBUILD,)),
)

GAME = register_game(
    Game(
        name="pizza-time",
        title="Pizza Time",
        summary="a race in ticks: lay four cards as a pizza that fills the order before the others do",
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
        usual=usual,
        total=total,
        options=OPTIONS,
        styles=styles.STYLES,
        default_style="planner",
        default_agents=(
            "uniform",
            "greedy:style=rebuilder",
            "greedy:style=hill-climber",
            "greedy:style=gambler",
            "greedy:style=easy-types",
            "greedy:style=planner",
        ),
        style_table=styles.style_table,
        appraise=styles.appraise,
        favorite=styles.favorite,
        habits=HABITS,
    )
)

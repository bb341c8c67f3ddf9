"""ROBOTS!: the facts of the game, and how its options fill a record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Setup, register_game
from engine.games.robots import notation, rules, styles

YES_NO = (False, True)
WILD_NUMBERS = (4, 2, 1, 0)
MOST_TARGET, MOST_HANDS, MOST_TURNS = 2000, 200, 2000
PRINTED_POWERS = ",".join(rules.POWERS)
WITHOUT_A_POWER = tuple(
    (f"no {power}", ",".join("none" if other == power else other for other in rules.POWERS)) for power in rules.POWERS
)
WITHOUT_POWERS = ("no power at all", ",".join(["none"] * len(rules.POWERS)))

OPTIONS = (
    Option("n_wild", rules.MOST_WILDS, "wild cards in the deck", WILD_NUMBERS),
    Option("max_wilds", rules.MOST_WILDS, "most wilds in one spread", WILD_NUMBERS),
    Option("lay_off", "own", "whose spreads a player may add cards to", rules.LAY_OFFS),
    Option("deep_pickup", "turn", "when the lowest of several cards picked up must be laid", rules.DEEP_PICKUPS),
    Option("allow_return", False, "the one card just taken from the heap may be discarded at once", YES_NO),
    Option("star_robot", False, "five stars are a robot, too", YES_NO),
    Option("final_power", False, "the power of a player's last discard takes effect", YES_NO),
    Option("optional_powers", False, "the discarder may decline a power", YES_NO),
    Option("sc_self", False, "a short circuit may hit the player himself", YES_NO),
    Option("sc_draw", "two", "cards that the victim of a short circuit draws", rules.SC_DRAWS),
    Option("split_runs", False, "parts of at least three cards of a broken run stay", YES_NO),
    Option("factory_empty", "reshuffle", "what happens when the Factory is empty", rules.FACTORY_EMPTIES),
    Option("tie", "play_on", "a tie for first at the target: another hand, or a shared win", rules.TIES),
    Option(
        "power_map",
        PRINTED_POWERS,
        "powers of 10, 11, 12, 13, 14 and the star, or none, by commas",
        free=True,
        trials=(*WITHOUT_A_POWER, WITHOUT_POWERS),
    ),
    Option("target", "0", f"points that end the game, 0 (one hand) to {MOST_TARGET}", free=True),
    Option("max_hands", "50", f"hands after which the game ends anyhow, 1 to {MOST_HANDS}", free=True),
    Option("max_turns", "400", f"turns after which a hand ends anyhow, 1 to {MOST_TURNS}", free=True),
)
_WORDS = {
    "lay_off": rules.LAY_OFFS,
    "deep_pickup": rules.DEEP_PICKUPS,
    "sc_draw": rules.SC_DRAWS,
    "factory_empty": rules.FACTORY_EMPTIES,
    "tie": rules.TIES,
}


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Write the options into a blank record; ValueError where a number or the map of powers is not allowed."""
    state.players = options["players"]
    state.limits[rules.MAX_TURNS] = _number(options, "max_turns", 1, MOST_TURNS)
    state.limits[rules.TARGET] = _number(options, "target", 0, MOST_TARGET)
    for place, name in enumerate(rules.OPTIONS):
        value = options[name]
        if name == "max_hands":
            value = _number(options, name, 1, MOST_HANDS)
        state.options[place] = _WORDS[name].index(value) if name in _WORDS else value
    state.power_of[:] = 0
    for rank, power in zip(rules.POWER_RANKS, _powers(options["power_map"]), strict=True):
        state.power_of[rank] = power


def _number(options: Mapping[str, Any], name: str, least: int, most: int) -> int:
    text = str(options[name]).strip()
    if not text.isdecimal() or not least <= int(text) <= most:
        raise ValueError(f"option {name} of robots is a whole number from {least} to {most}, not {text!r}")
    return int(text)


def _powers(text: str) -> list[int]:
    """Read the powers of the six high ranks."""
    words = [word.strip().lower() for word in text.split(",")]
    allowed = ("none", *rules.POWERS)
    if len(words) != len(rules.POWER_RANKS) or any(word not in allowed for word in words):
        raise ValueError(
            f"option power_map of robots names for 10, 11, 12, 13, 14 and the star one of {', '.join(allowed)}, "
            f"separated by commas, not {text!r}"
        )
    return [allowed.index(word) for word in words]


MOST_POINTS = rules.DECK_POINTS + rules.POINTS_ROBOT * rules.HIGHEST_RANK  # all cards laid, all robots built
LONGEST_TURN = 1 + 2 * rules.N_CARDS + 6  # draw, lay every card in two steps, discard, use, aim, put two, draw


def _hands(setup: Setup) -> int:
    """Count the hands that a game can take."""
    return int(setup.template["options"][rules.MAX_HANDS]) if int(setup.template["limits"][rules.TARGET]) else 1


def ranges(setup: Setup) -> Ranges:
    """Bound the points: in the worst hand all cards are held, in the best all are laid as robots."""
    hands = _hands(setup)
    bounds = (-rules.DECK_POINTS * hands, MOST_POINTS * hands)
    return Ranges(points=bounds, total=bounds)


def longest(setup: Setup) -> int:
    """Count the decisions of the longest game."""
    return _hands(setup) * int(setup.template["limits"][rules.MAX_TURNS]) * LONGEST_TURN


def usual(setup: Setup) -> int:
    """Guess the decisions of a game: a player takes about 190 a hand at random, 60 by a style; a game has ten hands."""
    return 100 * setup.players * (10 if int(setup.template["limits"][rules.TARGET]) else 1)


def total(setup: Setup, points: np.ndarray) -> np.ndarray:
    """Return the points of all seats together, int64."""
    return points.sum(axis=1)


CHOICE = {"optional_powers": True}
HABITS = (
    *(
        Habit(power, f"to use the power {power}", (rules.USE,), (number,), CHOICE)
        for number, power in enumerate(rules.POWERS, start=1)
    ),
    Habit("powers", "to use any power", (rules.USE,), needs=CHOICE),
    Habit("heap", "to draw from the Scrap Heap", tuple(range(rules.TAKE + 1, rules.RUN))),
    Habit("deep-heap", "to take more than the top card of the Scrap Heap", tuple(range(rules.TAKE + 2, rules.RUN))),
    Habit("runs", "to begin a run", tuple(range(rules.RUN, rules.SET))),
    Habit("sets", "to begin a set", tuple(range(rules.SET, rules.FORM_OF))),
    Habit("lay-off", "to add a card to a spread", tuple(range(rules.LAY, rules.PLACE_AT))),
)


GAME = register_game(
    Game(
        name="robots",
        title="ROBOTS!",
        summary="rummy with powers: draw, lay runs and sets, discard; high cards attack when they are discarded",
        version=1,
        dtype=rules.STATE,
        rules=rules,
        notation=notation,
        players=tuple(range(2, rules.MOST_PLAYERS + 1)),
        default_players=2,
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
        default_style="balanced",
        default_agents=("uniform", "greedy:style=early-dumper", "greedy:style=heap-raider", "greedy"),
        style_table=styles.style_table,
        appraise=styles.appraise,
        usual=usual,
        called_verbs=("deal", "apply_action", "determinize", "observe", "appraise"),
        habits=HABITS,
        occasions=len(rules.POWERS) + 1,
    )
)

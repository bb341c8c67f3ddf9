"""Robot Master: the facts of the game, and how its options fill a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Setup, register_game
from engine.games.robot_master import lines, notation, rules, styles

YES_NO = (False, True)
VARIANTS = ("standard", "hand5", "teams", "solo")
PLAYERS = {"hand5": 2, "teams": 4, "solo": 1}  # the standard game is that of the number of players
HAND5 = 5  # cards in hand of the variant with draws
HAND_SIZES = (7, 6)  # of a team's player; he lays 6
ROUNDS = (1, 2, 3, 4, 5, 6, 8, rules.MOST_ROUNDS)
SEATS = ("random", *range(rules.MOST_PLAYERS))

OPTIONS = (
    Option("variant", "standard", "12 cards each, 5 cards each and draws, teams of two, or alone", VARIANTS),
    Option("size", lines.MOST_SIZE, "side of the square; 3 is ours, for exact play", lines.SIZES),
    Option("diagonal", False, "cards that touch at a corner only are allowed", YES_NO),
    Option("floating_grid", False, "the first card need not become the middle of the square", YES_NO),
    Option("first_player", "random", "seat that starts the first round", SEATS),
    Option("five_kind", "literal", "five of a kind: 100 and twice the value, or a triple and a pair", lines.FIVE_KINDS),
    Option("rounds", 1, "squares of a match; above 1 the winner of each scores the difference", ROUNDS),
    Option("swap_axes", False, "rows and columns change owners with each round", YES_NO),
    Option("hand_size", HAND_SIZES[0], "teams: cards of each hand; each player lays 6", HAND_SIZES),
    Option("open_hands", False, "all hands are seen", YES_NO),
)


def players_for(options: Mapping[str, Any]) -> int:
    """Return how many play a variant."""
    return PLAYERS.get(options["variant"], 2)


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Write the options into a blank record.

    Raises ValueError where the variant does not fit the number of players, or another option not the variant.
    """
    players, variant, size = options["players"], options["variant"], options["size"]
    wanted = PLAYERS.get(variant, players)
    if players != wanted:
        raise ValueError(f"variant {variant} of robot-master is for {wanted} player{'s'[: wanted > 1]}, not {players}")
    n_laid = size * size - 1
    if players == rules.MOST_PLAYERS and size != lines.MOST_SIZE:
        raise ValueError(f"teams of robot-master fill a square of size {lines.MOST_SIZE}, not {size}")
    if players != rules.MOST_PLAYERS and options["hand_size"] != HAND_SIZES[0]:
        raise ValueError(f"hand_size {options['hand_size']} is for teams; here the hand is set by the variant")
    if players == 1 and options["rounds"] > 1:
        raise ValueError(f"alone robot-master has 1 round, not {options['rounds']}: a square's score stands for itself")
    first_player = options["first_player"]
    if first_player != "random" and first_player >= players:
        raise ValueError(f"first_player is random or a seat 0 to {players - 1}, not {first_player}")
    state.players = players
    state.edge = size
    state.stock_cards = 0
    if players == 1:
        state.hand_cards, state.stock_cards = 1, n_laid - 1
    elif variant == "hand5":
        state.hand_cards, state.stock_cards = HAND5, n_laid
    else:
        state.hand_cards = options["hand_size"] if players == rules.MOST_PLAYERS else n_laid // players
    state.corners = options["diagonal"]
    state.floating = options["floating_grid"]
    state.five_kind = lines.FIVE_KINDS.index(options["five_kind"])
    state.starts = rules.RANDOM_SEAT if first_player == "random" else first_player
    state.n_rounds = options["rounds"]
    state.swap_axes = options["swap_axes"]
    state.open_hands = options["open_hands"]


def ranges(setup: Setup) -> Ranges:
    """Bound a seat's points (a line, or the differences of a match) and what all seats have together."""
    most = lines.MOST_POINTS * setup.options["rounds"]
    return Ranges(points=(0, most), total=(0, most * setup.players))


def longest(setup: Setup) -> int:
    """Count the decisions of every game: one for each card that is laid."""
    return int((setup.options["size"] ** 2 - 1) * setup.options["rounds"])


def total(setup: Setup, points: np.ndarray) -> np.ndarray:
    """Return the points of all seats together, int64, from shape (games, players)."""
    return points.sum(axis=1)


def sides(setup: Setup) -> tuple[int, ...]:
    """Return the side of each seat: partners sit opposite each other."""
    return tuple(seat % rules.N_SIDES for seat in range(setup.players))


WHOLE = {"size": lines.MOST_SIZE, "floating_grid": False}  # places have these cells in them
FIRST_LINE, MIDDLE, LAST_LINE = 1, (1 + lines.MOST_SIZE) // 2, lines.MOST_SIZE


def actions_at(chosen: Callable[[int, int], bool]) -> tuple[int, ...]:
    """Return the actions that lay any card into the cells that are chosen by row and column, each 1 … 5."""
    numbers = range(FIRST_LINE, LAST_LINE + 1)
    places = [row * rules.FRAME + column for row in numbers for column in numbers if chosen(row, column)]
    return tuple(place * lines.N_VALUES + value for place in places for value in range(lines.N_VALUES))


def _is_outer(line: int) -> bool:
    return line in (FIRST_LINE, LAST_LINE)


HABITS = (
    Habit(
        "corners",
        "to lay into a corner",
        actions_at(lambda row, column: _is_outer(row) and _is_outer(column)),
        needs=WHOLE,
    ),
    Habit(
        "border",
        "to lay into a cell of the border",
        actions_at(lambda row, column: _is_outer(row) or _is_outer(column)),
        needs=WHOLE,
    ),
    Habit(
        "ring",
        "to lay next to the middle, corners of it included",
        actions_at(lambda row, column: 0 < max(abs(row - MIDDLE), abs(column - MIDDLE)) < MIDDLE - 1),
        needs=WHOLE,
    ),
    *(
        Habit(f"value-{value}", f"to lay a {value}", tuple(range(value, rules.N_ACTIONS, lines.N_VALUES)))
        for value in range(lines.N_VALUES)
    ),
)

GAME = register_game(
    Game(
        name="robot-master",
        title="Robot Master",
        summary="fill a square of 5 × 5 cards; only the lowest of your lines counts",
        version=1,
        dtype=rules.STATE,
        rules=rules,
        notation=notation,
        players=(1, 2, 4),
        default_players=2,
        players_for=players_for,
        cooperative=False,
        n_actions=rules.N_ACTIONS,
        most_legal=rules.N_ACTIONS,
        observation_size=rules.OBSERVATION_SIZE,
        configure=configure,
        ranges=ranges,
        longest=longest,
        total=total,
        sides=sides,
        options=OPTIONS,
        styles=styles.STYLES,
        default_style="expected-minimum",
        default_agents=(
            "uniform",
            "greedy:style=hoarder",
            "greedy:style=weakest-line-fixer",
            "greedy:style=expected-minimum",
            "flat-mc:iterations=600,horizon=6,rollout=greedy,shares=halving",
        ),
        appraise=styles.appraise,
        habits=HABITS,
    )
)

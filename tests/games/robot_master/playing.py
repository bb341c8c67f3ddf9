"""Ways to get games of Robot Master going in tests."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

import agents.greedy
import agents.uniform
from engine.contract import Setup, apply_action, load_game
from engine.games.robot_master import notation
from engine.games.robot_master.lines import MOST_SIZE
from engine.tables import advance, collect_points, collect_utility, deal_tables, new_log, start_streams
from tests.games.playing import legal
from tests.naive.robot_master import Round, Square

NAME = "robot-master"
UNIFORM = agents.uniform.Uniform()
VARIANTS = ("standard", "hand5", "teams", "solo")
PLACING = [
    {"diagonal": diagonal, "floating_grid": floating_grid}
    for diagonal, floating_grid in itertools.product((False, True), repeat=2)
]


def load(variant: str = "standard", **options: Any) -> Setup:
    """Load the game with options."""
    return load_game(NAME, variant=variant, **options)


def greedy(setup: Setup, style: str, **knobs: Any) -> Any:
    """Return a greedy player of a style, fitted to the setup."""
    return agents.greedy.AGENT.fit(agents.greedy.Greedy(style=style, **knobs), setup)


def moves(state: Any) -> list[str]:
    """List the legal moves as texts."""
    return [notation.action_text(action) for action in legal(state)]


def play(state: Any, text: str) -> None:
    """Play a move given as text, which must be legal."""
    assert text in moves(state)
    apply_action(state, notation.parse_action(text))


def hands_of(state: Any) -> list[list[int]]:
    """List the cards of each hand."""
    return [notation.hand_values(state, seat) for seat in range(int(state.players))]


def cards_of(state: Any) -> list[list[int | None]]:
    """Return the square row by row, None where no card lies."""
    edge = int(state.edge)
    cells = np.asarray(state.cells).reshape(MOST_SIZE, MOST_SIZE)[:edge, :edge]
    return [[int(cell) - 1 if cell else None for cell in row] for row in cells]


# The twin beside the engine.


def naive_round(state: Any, setup: Setup) -> Round:
    """Return the twin of a freshly dealt square."""
    options = setup.options
    (start,) = [card for row in cards_of(state) for card in row if card is not None]
    square = Square({(0, 0): start}, options["size"], options["diagonal"], options["floating_grid"])
    swapped = options["swap_axes"] and int(state.played_rounds) % 2 == 1
    return Round(
        square=square,
        hands=hands_of(state),
        first=int(state.first_player),
        stock=notation.stock_values(state),
        five_kind=options["five_kind"],
        owner_of_rows=1 if swapped else 0,
    )


def move_text(square: Square, value: int, cell: tuple[int, int]) -> str:
    """Write a move of the twin as the engine does: rows and columns from 1, counted from the square's corner."""
    top, left = square.corner()
    return f"{value} r{cell[0] - top + 1}c{cell[1] - left + 1}"


# Positions made up.

Table = Sequence[Sequence[int]]


def almost_full(setup: Setup, table: Table, **fields: Any) -> Any:
    """Return the position in which only the last cell, bottom right, of a square is empty, and its card in hand.

    Not for `hand5`. `fields` are further lines of the position.
    """
    size, players = setup.options["size"], setup.players
    middle = (size // 2, size // 2)
    cells = sorted(itertools.product(range(size), repeat=2), key=lambda cell: (_distance(cell, middle), cell))
    turns = np.zeros((MOST_SIZE, MOST_SIZE), dtype=int)
    for turn, cell in enumerate(cells):
        turns[cell] = turn
    turns[size - 1, size - 1] = 0
    signs = [["."] * MOST_SIZE for _ in range(MOST_SIZE)]
    for row, column in cells[:-1]:
        signs[row][column] = str(table[row][column])
    last = len(cells) - 2
    state = setup.new_game(seed=1)
    first = int(fields.get("first_player", 0))
    mover = (first + last) % players
    spare = int(state.hand_cards) - (len(cells) - 1) // players if players > 2 else 0
    hands = [[] for _ in range(players)]
    hands[mover] = [table[-1][-1]]
    lines = {
        "first_player": first,
        "seat": mover,
        "turn": last,
        "height": size,
        "width": size,
        "turns": " ".join(str(turn) for turn in turns.ravel()),
        "square": " / ".join(" ".join(row) for row in signs),
        "stock": "-",
    }
    unused = unseen_values([card for row in table for card in row])
    for hand in hands:
        for _ in range(spare):
            hand.append(unused.pop())
    lines["hands"] = " | ".join(" ".join(map(str, hand)) or "-" for hand in hands)
    return notation.parse_position(changed(notation.position_text(state), **(lines | fields)))


def _distance(cell: tuple[int, int], middle: tuple[int, int]) -> int:
    return sum(abs(here - there) for here, there in zip(cell, middle, strict=True))


def changed(text: str, **lines: Any) -> str:
    """Return the text of a position with some lines replaced."""
    kept = [line.partition(": ") for line in text.splitlines()]
    return "\n".join(f"{name}: {lines.get(name, value)}" for name, _, value in kept)


def unseen_values(seen: Sequence[int]) -> list[int]:
    """List the cards of the deck that are not among `seen`."""
    rest = [value for value in range(6) for _ in range(6)]
    for value in seen:
        rest.remove(value)
    return rest


def fill(setup: Setup, table: Table, **fields: Any) -> Any:
    """Return the finished game with this square: all but the last card made up, the last one played."""
    state = almost_full(setup, table, **fields)
    (action,) = [each for each in legal(state) if each % 6 == table[-1][-1]]
    apply_action(state, action)
    return state


# Many games.


def play_many(
    setup: Setup, seated: Sequence[Any], n_games: int, seed: int = 3, rotation: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Play many deals, one agent a seat; return points and utilities, shape (games, players)."""
    shape = (n_games, setup.players)
    states, streams = setup.blank_states(n_games), np.zeros(shape, dtype=np.uint64)
    deal_tables(states, setup.template, seed, 0)
    start_streams(streams, seed, 0, rotation)
    log = new_log(*shape)
    kinds = {id(agent): agent for agent in seated}
    n_open = 1
    while n_open:
        for agent in kinds.values():
            plays = np.array([each is agent for each in seated])
            n_open = advance(agent, agent is not UNIFORM, states, plays, streams, log)
    points, utility = np.zeros(shape, dtype=np.int64), np.zeros(shape)
    collect_points(states, points)
    collect_utility(states, utility)
    return points, utility

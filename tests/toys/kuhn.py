"""Kuhn poker: two players, a card each of jack, queen and king, one chip in the pot from each, one bet of a chip.

Action 0 passes (checks, or folds to a bet), action 1 bets (or calls). Known answers (Kuhn 1950): the game is worth
-1/18 of a chip to the first player; folding a king or calling with a jack is never right.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Ranges, register_game
from engine.kernel import kernel
from engine.rng import below
from tests.toys.field_notation import explain as explain
from tests.toys.field_notation import fields_text, hold, parse_fields

JACK, QUEEN, KING = range(3)
N_CARDS = 3
PASS, BET = range(2)
MOST_MOVES = 3  # pass, bet, and the answer to the bet

STATE = np.dtype(
    [
        ("n_moves", "u1"),  # moves made, 0 … 3
        ("moves", "u1", (MOST_MOVES,)),  # PASS or BET, valid below n_moves, else 0
        ("cards", "u1", (2,)),  # hidden from the other player until a showdown
    ],
    align=True,
)


@kernel
def deal(state: Any, rng: Any) -> None:
    state.n_moves = 0
    state.moves[:] = 0
    state.cards[0] = below(rng, N_CARDS)
    state.cards[1] = _other_card(int(state.cards[0]), rng)


@kernel
def _other_card(card: int, rng: Any) -> int:
    return (card + 1 + below(rng, N_CARDS - 1)) % N_CARDS


@kernel
def current_player(state: Any) -> int:
    return int(state.n_moves) % 2


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if is_terminal(state):
        return 0
    actions[0] = PASS
    actions[1] = BET
    return 2


@kernel
def apply_action(state: Any, action: int) -> None:
    state.moves[state.n_moves] = action
    state.n_moves += 1


@kernel
def is_terminal(state: Any) -> bool:
    if state.n_moves < 2:
        return False
    return state.n_moves == MOST_MOVES or not (state.moves[0] == PASS and state.moves[1] == BET)


@kernel
def score(state: Any, points: Any) -> None:
    gain = _gain_of_first(state)
    points[0] = gain
    points[1] = -gain


@kernel
def _gain_of_first(state: Any) -> int:
    """Count the chips that the first player wins, negative when he loses."""
    last = int(state.n_moves) - 1
    stake = 2 if state.moves[last] == BET else 1
    if _is_fold(state):
        return 1 if last % 2 == 1 else -1
    return stake if state.cards[0] > state.cards[1] else -stake


@kernel
def _is_fold(state: Any) -> bool:
    """Tell whether the finished game ended with a pass after a bet."""
    last = int(state.n_moves) - 1
    return state.moves[last] == PASS and state.moves[last - 1] == BET


@kernel
def returns(state: Any, utility: Any) -> None:
    gain = _gain_of_first(state)
    utility[0] = (gain + 2) / 4.0
    utility[1] = (2 - gain) / 4.0


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    if not _is_shown(state):
        state.cards[1 - player] = _other_card(int(state.cards[player]), rng)


@kernel
def _is_shown(state: Any) -> bool:
    return is_terminal(state) and not _is_fold(state)


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    out[: 2 * N_CARDS + MOST_MOVES + 2] = 0.0
    out[int(state.cards[player])] = 1.0
    if _is_shown(state):
        out[N_CARDS + int(state.cards[1 - player])] = 1.0
    for move in range(int(state.n_moves)):
        out[2 * N_CARDS + move] = 1.0 if state.moves[move] == BET else -1.0
    out[2 * N_CARDS + MOST_MOVES + player] = 1.0


def action_text(action: int) -> str:
    return ("pass", "bet")[action]


def parse_action(text: str) -> int:
    return ("pass", "bet").index(text)


def show(state: Any, player: int | None = None) -> str:
    cards = ["JQK"[card] if player in (None, seat) else "?" for seat, card in enumerate(state["cards"])]
    moves = [action_text(int(move)) for move in state["moves"][: int(state["n_moves"])]]
    return " ".join([*cards, *moves])


def explain_result(state: Any) -> str:
    return f"the first player wins {int(_gain_of_first(state)):+d}"


def audit(state: Any) -> None:
    hold(int(state["n_moves"]) <= MOST_MOVES, "too many moves")
    hold(bool(np.all(state["moves"] <= BET)), "a move is neither a pass nor a bet")
    hold(bool(np.all(state["cards"] < N_CARDS)), "a card does not exist")
    hold(int(state["cards"][0]) != int(state["cards"][1]), "both hold the same card")


def position_text(state: Any) -> str:
    return fields_text(state)


def parse_position(text: str) -> Any:
    state = parse_fields(text, STATE)
    audit(state)
    return state


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Nothing to choose."""


GAME = register_game(
    Game(
        name="toy-kuhn",
        title="Kuhn poker",
        summary="three cards, one bet",
        version=1,
        dtype=STATE,
        rules=sys.modules[__name__],
        notation=sys.modules[__name__],
        players=(2,),
        default_players=2,
        cooperative=False,
        n_actions=2,
        most_legal=2,
        observation_size=2 * N_CARDS + MOST_MOVES + 2,
        configure=configure,
        ranges=lambda setup: Ranges(points=(-2, 2), total=(0, 0)),
        longest=lambda setup: MOST_MOVES,
        total=lambda setup, points: points.sum(axis=1),
    )
)

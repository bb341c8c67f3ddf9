"""Matching pennies: each of two players picks a side in secret; the matcher wins if they are equal, else the other.

The choices of a round are made one after another, the first one hidden until both are there. Seat 0 is the matcher; who
chooses first is drawn at the deal and alternates. Known answer: whoever chooses second wins half of the rounds against
a random opponent, however long he thinks.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Option, Ranges, register_game
from engine.kernel import kernel
from engine.rng import below
from tests.toys.field_notation import explain as explain
from tests.toys.field_notation import fields_text, hold, parse_fields

MOST_ROUNDS = 3
HEADS, TAILS = range(2)

STATE = np.dtype(
    [
        ("rounds", "u1"),  # option: rounds of the game, 1 … 3
        ("first", "u1"),  # seat that chooses first in the first round
        ("n_choices", "u1"),  # choices made, two a round
        ("choices", "u1", (MOST_ROUNDS, 2)),  # by round and seat; an unanswered one is hidden from the other seat
    ],
    align=True,
)


@kernel
def deal(state: Any, rng: Any) -> None:
    state.first = below(rng, 2)
    state.n_choices = 0
    state.choices[:] = 0


@kernel
def current_player(state: Any) -> int:
    turn = int(state.n_choices) // 2 + int(state.n_choices) % 2
    return (int(state.first) + turn) % 2


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if is_terminal(state):
        return 0
    actions[0] = HEADS
    actions[1] = TAILS
    return 2


@kernel
def apply_action(state: Any, action: int) -> None:
    state.choices[int(state.n_choices) // 2, current_player(state)] = action
    state.n_choices += 1


@kernel
def is_terminal(state: Any) -> bool:
    return state.n_choices == 2 * int(state.rounds)


@kernel
def score(state: Any, points: Any) -> None:
    n_matches = _n_matches(state)
    points[0] = n_matches
    points[1] = int(state.rounds) - n_matches


@kernel
def _n_matches(state: Any) -> int:
    n_matches = 0
    for place in range(int(state.rounds)):
        if state.choices[place, 0] == state.choices[place, 1]:
            n_matches += 1
    return n_matches


@kernel
def returns(state: Any, utility: Any) -> None:
    share = _n_matches(state) / int(state.rounds)
    utility[0] = share
    utility[1] = 1.0 - share


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    if _hides_choice(state, player):
        state.choices[int(state.n_choices) // 2, 1 - player] = below(rng, 2)


@kernel
def _hides_choice(state: Any, player: int) -> bool:
    """Tell whether the opponent has chosen in this round and `player` has not."""
    return state.n_choices % 2 == 1 and current_player(state) == player


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    out[: 2 * MOST_ROUNDS + 3] = 0.0
    current = int(state.n_choices) // 2
    for place in range(current):
        for seat in range(2):
            out[2 * place + seat] = 1.0 if state.choices[place, seat] == HEADS else -1.0
    if state.n_choices % 2 == 1 and not _hides_choice(state, player):
        out[2 * current + player] = 1.0 if state.choices[current, player] == HEADS else -1.0
    out[2 * MOST_ROUNDS] = state.n_choices / (2.0 * MOST_ROUNDS)
    out[2 * MOST_ROUNDS + 1] = player
    out[2 * MOST_ROUNDS + 2] = state.first


@kernel
def retract(state: Any) -> int:
    if state.n_choices % 2 == 0:
        return 0
    state.n_choices -= 1
    state.choices[int(state.n_choices) // 2, current_player(state)] = 0
    return 1


def action_text(action: int) -> str:
    return ("heads", "tails")[action]


def parse_action(text: str) -> int:
    return ("heads", "tails").index(text)


def show(state: Any, player: int | None = None) -> str:
    return f"{int(state['n_choices'])} choices made"


def explain_result(state: Any) -> str:
    return f"{int(_n_matches(state))} of {int(state['rounds'])} matched"


def audit(state: Any) -> None:
    hold(1 <= int(state["rounds"]) <= MOST_ROUNDS, "the number of rounds is wrong")
    hold(int(state["first"]) < 2, "the first seat does not exist")
    hold(int(state["n_choices"]) <= 2 * int(state["rounds"]), "too many choices")
    hold(bool(np.all(state["choices"] <= TAILS)), "a choice is neither heads nor tails")


def position_text(state: Any) -> str:
    return fields_text(state)


def parse_position(text: str) -> Any:
    state = parse_fields(text, STATE)
    audit(state)
    return state


def configure(state: Any, options: Mapping[str, Any]) -> None:
    state.rounds = options["rounds"]


GAME = register_game(
    Game(
        name="toy-pennies",
        title="Matching pennies",
        summary="two choose a side in secret",
        version=1,
        dtype=STATE,
        rules=sys.modules[__name__],
        notation=sys.modules[__name__],
        players=(2,),
        default_players=2,
        cooperative=False,
        n_actions=2,
        most_legal=2,
        observation_size=2 * MOST_ROUNDS + 3,
        configure=configure,
        ranges=lambda setup: Ranges(points=(0, setup.options["rounds"]), total=(setup.options["rounds"],) * 2),
        longest=lambda setup: 2 * setup.options["rounds"],
        total=lambda setup, points: points.sum(axis=1),
        options=(Option("rounds", 1, "rounds of the game", low=1, high=MOST_ROUNDS),),
    )
)

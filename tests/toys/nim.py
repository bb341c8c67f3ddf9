"""Nim with three heaps of one to five: in turn, two players take any number from one heap.

Who takes the last object wins, or loses with the option `misere`. Nothing is hidden. Known answer (Bouton 1901): the
player to move wins exactly when the binary sum of the heaps without carry is not 0; in misere play the same as long as
a heap of two or more is left, then the opposite.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Style, register_game
from engine.kernel import kernel
from engine.rng import below
from tests.toys.field_notation import explain as explain
from tests.toys.field_notation import fields_text, hold, parse_fields

N_HEAPS = 3
LARGEST_HEAP = 5

# Action ids: heap * 5 + objects taken - 1.

N_ACTIONS = N_HEAPS * LARGEST_HEAP
FIRST_HEAP = tuple(range(LARGEST_HEAP))

STATE = np.dtype(
    [
        ("misere", "u1"),  # option: 1 when the last object loses
        ("seat", "u1"),  # who moves
        ("heaps", "u1", (N_HEAPS,)),  # objects left, 0 … 5
    ],
    align=True,
)


@kernel
def deal(state: Any, rng: Any) -> None:
    state.seat = 0
    for heap in range(N_HEAPS):
        state.heaps[heap] = 1 + below(rng, LARGEST_HEAP)


@kernel
def current_player(state: Any) -> int:
    return int(state.seat)


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    n_legal = 0
    for heap in range(N_HEAPS):
        for extra in range(int(state.heaps[heap])):
            actions[n_legal] = heap * LARGEST_HEAP + extra
            n_legal += 1
    return n_legal


@kernel
def apply_action(state: Any, action: int) -> None:
    state.heaps[action // LARGEST_HEAP] -= np.uint8(action % LARGEST_HEAP + 1)
    state.seat = 1 - int(state.seat)


@kernel
def is_terminal(state: Any) -> bool:
    left = 0
    for heap in range(N_HEAPS):
        left += int(state.heaps[heap])
    return left == 0


@kernel
def score(state: Any, points: Any) -> None:
    winner = int(state.seat) if state.misere else 1 - int(state.seat)
    points[winner] = 1
    points[1 - winner] = 0


@kernel
def returns(state: Any, utility: Any) -> None:
    winner = int(state.seat) if state.misere else 1 - int(state.seat)
    utility[winner] = 1.0
    utility[1 - winner] = 0.0


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    pass


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    for heap in range(N_HEAPS):
        out[heap] = state.heaps[heap]
    out[N_HEAPS] = 1.0 if player == state.seat else 0.0


@kernel
def heuristic(state: Any, player: int) -> float:
    to_move = 1.0 if _is_won(state) else 0.0
    return to_move if player == state.seat else 1.0 - to_move


@kernel
def _is_won(state: Any) -> bool:
    """Tell whether the player to move wins with best play."""
    binary_sum = 0
    largest = 0
    for heap in range(N_HEAPS):
        binary_sum ^= int(state.heaps[heap])
        largest = max(largest, int(state.heaps[heap]))
    if state.misere and largest <= 1:
        return binary_sum == 0
    return binary_sum != 0


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    for index in range(n_legal):
        heap = actions[index] // LARGEST_HEAP
        taken = np.uint8(actions[index] % LARGEST_HEAP + 1)
        state.heaps[heap] -= taken
        values[index] = 0.0 if _is_won(state) else 1.0
        state.heaps[heap] += taken


@kernel
def occasion(state: Any) -> int:
    return int(state.seat)


def action_text(action: int) -> str:
    return f"{action % LARGEST_HEAP + 1} from {'abc'[action // LARGEST_HEAP]}"


def parse_action(text: str) -> int:
    taken, heap = text.split(" from ")
    return "abc".index(heap) * LARGEST_HEAP + int(taken) - 1


def show(state: Any, player: int | None = None) -> str:
    return f"heaps {' '.join(map(str, state['heaps']))}, seat {int(state['seat'])} moves"


def explain_result(state: Any) -> str:
    return f"seat {int(state['seat']) if state['misere'] else 1 - int(state['seat'])} wins"


def audit(state: Any) -> None:
    hold(int(state["seat"]) < 2, "the seat does not exist")
    hold(bool(np.all(state["heaps"] <= LARGEST_HEAP)), "a heap is too large")


def position_text(state: Any) -> str:
    return fields_text(state)


def parse_position(text: str) -> Any:
    state = parse_fields(text, STATE)
    audit(state)
    return state


def configure(state: Any, options: Mapping[str, Any]) -> None:
    state.misere = options["misere"]


GAME = register_game(
    Game(
        name="toy-nim",
        title="Nim",
        summary="take any number from one of three heaps",
        version=1,
        dtype=STATE,
        rules=sys.modules[__name__],
        notation=sys.modules[__name__],
        players=(2,),
        default_players=2,
        cooperative=False,
        n_actions=N_ACTIONS,
        most_legal=N_ACTIONS,
        observation_size=N_HEAPS + 1,
        configure=configure,
        ranges=lambda setup: Ranges(points=(0, 1), total=(1, 1)),
        longest=lambda setup: N_HEAPS * LARGEST_HEAP,
        total=lambda setup, points: points.sum(axis=1),
        options=(Option("misere", False, "who takes the last object loses", (False, True)),),
        styles=(Style("bouton", "leaves a lost position whenever there is one"),),
        default_style="bouton",
        appraise=appraise,
        habits=(
            Habit("first-heap", "to take from the first heap", FIRST_HEAP),
            Habit("first-heap-in-seat-1", "to take from the first heap in seat 1", FIRST_HEAP, occasions=(1,)),
        ),
        occasions=2,
    )
)

"""One die, one player, up to three rolls: after each, keep the face as points or roll again; the third is kept.

The rolls come from a key in the record, by number, so that applying an action is deterministic; the key is hidden.
Exact methods leave the roll open and enumerate the faces.
Known answer: roll again a first face of 4 or less and a second of 3 or less, which is worth 14/3 points.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Ranges, register_game
from engine.kernel import kernel
from engine.rng import below, fold, next_word
from tests.toys.field_notation import explain as explain
from tests.toys.field_notation import fields_text, hold, parse_fields

N_FACES = 6
MOST_ROLLS = 3
KEEP, ROLL = range(2)

STATE = np.dtype(
    [
        ("n_rolls", "u4"),  # rolls made, 1 … 3
        ("face", "u2"),  # face that lies on the table, 1 … 6; 0 while a roll is due
        ("is_over", "u2"),  # 1 once a face is kept
        ("chance", "u8", (2,)),  # hidden: key of the rolls; scratch for their stream
    ],
    align=True,
)


@kernel
def deal(state: Any, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.n_rolls = 0
    state.is_over = 0
    state.face = 0
    _roll(state)


@kernel
def _roll(state: Any) -> None:
    stream = state.chance[1:2]
    stream[0] = fold(state.chance[0], int(state.n_rolls))
    resolve(state, below(stream, N_FACES))


@kernel
def current_player(state: Any) -> int:
    return 0


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if state.is_over:
        return 0
    actions[0] = KEEP
    actions[1] = ROLL
    return 2


@kernel
def apply_action(state: Any, action: int) -> None:
    act(state, action)
    if state.face == 0:
        _roll(state)


@kernel
def is_terminal(state: Any) -> bool:
    return state.is_over == 1


@kernel
def score(state: Any, points: Any) -> None:
    points[0] = state.face


@kernel
def returns(state: Any, utility: Any) -> None:
    utility[0] = (int(state.face) - 1) / (N_FACES - 1)


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    state.chance[0] = next_word(rng)
    state.chance[1] = 0


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    out[0] = state.n_rolls
    out[1] = state.face
    out[2] = state.is_over


@kernel
def revealed(state: Any, player: int) -> int:
    return int(state.face)


@kernel
def act(state: Any, action: int) -> None:
    if action == KEEP:
        state.is_over = 1
    else:
        state.face = 0


@kernel
def outcomes(state: Any, chances: Any) -> int:
    if state.face != 0:
        return 0
    chances[:N_FACES] = 1.0 / N_FACES
    return N_FACES


@kernel
def resolve(state: Any, outcome: int) -> None:
    state.face = 1 + outcome
    state.n_rolls += 1
    if state.n_rolls == MOST_ROLLS:
        state.is_over = 1


def action_text(action: int) -> str:
    return ("keep", "roll")[action]


def parse_action(text: str) -> int:
    return ("keep", "roll").index(text)


def show(state: Any, player: int | None = None) -> str:
    return f"roll {int(state['n_rolls'])}: {int(state['face'])}"


def explain_result(state: Any) -> str:
    return f"{int(state['face'])} points"


def audit(state: Any) -> None:
    hold(1 <= int(state["n_rolls"]) <= MOST_ROLLS, "the number of rolls is wrong")
    hold(1 <= int(state["face"]) <= N_FACES, "the face does not exist")


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
        name="toy-die",
        title="Die",
        summary="keep a face or roll again",
        version=1,
        dtype=STATE,
        rules=sys.modules[__name__],
        notation=sys.modules[__name__],
        players=(1,),
        default_players=1,
        cooperative=True,
        n_actions=2,
        most_legal=2,
        observation_size=3,
        configure=configure,
        ranges=lambda setup: Ranges(points=(1, N_FACES), total=(1, N_FACES)),
        longest=lambda setup: MOST_ROLLS - 1,
        total=lambda setup, points: points.sum(axis=1),
    )
)

"""A bandit with four arms: one player pulls one arm once, and it pays 1 or nothing.

What each arm would pay is drawn at the deal and hidden, so only sampling tells which arm is best. Known answer: pull
the arm that the option `best` names, which pays in 70 % of worlds; the others pay in 40 %.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, register_game
from engine.kernel import kernel
from engine.rng import below
from tests.toys.field_notation import explain as explain
from tests.toys.field_notation import fields_text, hold, parse_fields

N_ARMS = 4
BEST_PERCENT = 70
OTHER_PERCENT = 40

STATE = np.dtype(
    [
        ("best", "u1"),  # option: the arm that pays most often
        ("is_over", "u1"),  # 1 once an arm is pulled
        ("arm", "u1"),  # the arm pulled, 0 before
        ("pays", "u1", (N_ARMS,)),  # hidden but for the arm pulled: 1 where the arm pays
    ],
    align=True,
)


@kernel
def deal(state: Any, rng: Any) -> None:
    state.is_over = 0
    state.arm = 0
    for arm in range(N_ARMS):
        state.pays[arm] = _draw_pay(state, arm, rng)


@kernel
def _draw_pay(state: Any, arm: int, rng: Any) -> int:
    percent = BEST_PERCENT if arm == state.best else OTHER_PERCENT
    return 1 if below(rng, 100) < percent else 0


@kernel
def current_player(state: Any) -> int:
    return 0


@kernel
def legal_actions(state: Any, actions: Any) -> int:
    if state.is_over:
        return 0
    for arm in range(N_ARMS):
        actions[arm] = arm
    return N_ARMS


@kernel
def apply_action(state: Any, action: int) -> None:
    state.arm = action
    state.is_over = 1


@kernel
def is_terminal(state: Any) -> bool:
    return state.is_over == 1


@kernel
def score(state: Any, points: Any) -> None:
    points[0] = state.pays[state.arm]


@kernel
def returns(state: Any, utility: Any) -> None:
    utility[0] = state.pays[state.arm]


@kernel
def determinize(state: Any, player: int, rng: Any) -> None:
    for arm in range(N_ARMS):
        if not (state.is_over and arm == state.arm):
            state.pays[arm] = _draw_pay(state, arm, rng)


@kernel
def observe(state: Any, player: int, out: Any) -> None:
    out[: N_ARMS + 1] = 0.0
    if state.is_over:
        out[int(state.arm)] = 1.0
        out[N_ARMS] = state.pays[state.arm]


def action_text(action: int) -> str:
    return f"pull {action}"


def parse_action(text: str) -> int:
    return int(text.removeprefix("pull "))


def show(state: Any, player: int | None = None) -> str:
    return f"arm {int(state['arm'])} pulled" if state["is_over"] else "no arm pulled"


def explain_result(state: Any) -> str:
    return "the arm pays" if state["pays"][state["arm"]] else "the arm pays nothing"


def audit(state: Any) -> None:
    hold(int(state["best"]) < N_ARMS, "the best arm does not exist")
    hold(int(state["arm"]) < N_ARMS, "the arm pulled does not exist")
    hold(bool(np.all(state["pays"] <= 1)), "an arm pays more than 1")


def position_text(state: Any) -> str:
    return fields_text(state)


def parse_position(text: str) -> Any:
    state = parse_fields(text, STATE)
    audit(state)
    return state


def configure(state: Any, options: Mapping[str, Any]) -> None:
    state.best = options["best"]


GAME = register_game(
    Game(
        name="toy-bandit",
        title="Bandit",
        summary="pull one of four arms once",
        version=1,
        dtype=STATE,
        rules=sys.modules[__name__],
        notation=sys.modules[__name__],
        players=(1,),
        default_players=1,
        cooperative=True,
        n_actions=N_ARMS,
        most_legal=N_ARMS,
        observation_size=N_ARMS + 1,
        configure=configure,
        ranges=lambda setup: Ranges(points=(0, 1), total=(0, 1)),
        longest=lambda setup: 1,
        total=lambda setup, points: points.sum(axis=1),
        options=(Option("best", 0, "the arm that pays most often", low=0, high=N_ARMS - 1),),
        habits=tuple(Habit(f"arm-{arm}", f"to pull arm {arm}", (arm,)) for arm in range(N_ARMS)),
    )
)

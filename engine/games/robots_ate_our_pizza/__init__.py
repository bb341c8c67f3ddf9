"""Robots Ate Our Pizza: the facts of the game, and how its options fill a record."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from engine.contract import Game, Habit, Option, Ranges, Setup, register_game
from engine.games.robots_ate_our_pizza import notation, rules, slices, styles

YES_NO = (False, True)

OPTIONS = (
    Option("task", 1, "task to play, in mode task", low=1, high=rules.N_TASKS),
    Option("mode", "task", "one task, a session of a topping's four tasks, or four random tasks", rules.MODES),
    Option("runs", "per_choice", "1, 2, 2, 3 holds two runs (per_choice) or one (per_block)", rules.RUNS),
    Option("simultaneous_picks", False, "the picks of a round are shown when all have picked", YES_NO),
    Option("memory", True, "players remember the hands that they passed on", YES_NO),
    Option("rotate_dealer", True, "session: the dealer moves left with each task", YES_NO),
    Option("with_replacement", False, "combo: a task may be drawn twice", YES_NO),
    Option("stop_at_zero", False, "session: ends when no slice is left", YES_NO),
    Option(
        "success_at", 1, "session: slices left that count as a success", low=rules.FEWEST_SLICES, high=rules.N_SLICES
    ),
    Option("tables", "", "file with slices-lost tables that go before the printed one and ours", free=True),
)


def configure(state: Any, options: Mapping[str, Any]) -> None:
    """Write the options into a blank record.

    Raises ValueError where the file of tables is wrong.
    """
    players = options["players"]
    state.players = players
    state.task = options["task"]
    state.mode = rules.MODES.index(options["mode"])
    state.runs = rules.RUNS.index(options["runs"])
    for flag in ("simultaneous_picks", "memory", "rotate_dealer", "with_replacement", "stop_at_zero"):
        state[flag] = options[flag]
    state.success_at = options["success_at"]
    state.cuts = slices.cuts_for(players, options["tables"])


def ranges(setup: Setup) -> Ranges:
    """Bound a seat's points and the team's result; in a session both are the slices left."""
    if setup.options["mode"] != "task":
        bounds = (rules.FEWEST_SLICES, rules.N_SLICES)
        return Ranges(points=bounds, total=bounds)
    topping, goal = divmod(setup.options["task"] - 1, len(rules.GOALS))
    runs = rules.RUNS.index(setup.options["runs"])
    least, most = int(rules.LOWEST_HAND[runs, topping]), int(rules.HIGHEST_HAND[runs, topping])
    if goal <= rules.LOWEST_TOTAL:
        return Ranges(points=(least, most), total=(least * setup.players, most * setup.players))
    return Ranges(points=(least, most), total=(0, most - least))


def longest(setup: Setup) -> int:
    """Count the decisions of the longest game."""
    n_tasks = 1 if setup.options["mode"] == "task" else rules.N_LEGS
    return n_tasks * rules.N_ROUNDS * setup.players


def total(setup: Setup, points: np.ndarray) -> np.ndarray:
    """Return the team's result of each game, int64, from the points of its seats, shape (games, players)."""
    if setup.options["mode"] != "task":
        return points[:, 0].copy()
    goal = (setup.options["task"] - 1) % len(rules.GOALS)
    if goal <= rules.LOWEST_TOTAL:
        return functools.reduce(np.add, points.T)  # faster than sum(axis=1) over so short an axis
    return points.max(axis=1) - points.min(axis=1)


HABITS = (
    *(
        Habit(name, f"to pick {name} cards", tuple(range(rules.N_NUMBERS * place, rules.N_NUMBERS * (place + 1))))
        for place, name in enumerate(notation.COLOR_NAMES[letter] for letter in rules.COLORS)
    ),
    *(
        Habit(f"number-{number}", f"to pick cards with a {number}", tuple(range(number - 1, rules.N_CARDS, 8)))
        for number in range(1, rules.N_NUMBERS + 1)
    ),
)

GAME = register_game(
    Game(
        name="robots-ate-our-pizza",
        title="Robots Ate Our Pizza",
        summary="cooperative draft: five cards each, pick one and pass the rest left, four times",
        version=1,
        dtype=rules.STATE,
        rules=rules,
        notation=notation,
        players=tuple(range(2, rules.MOST_PLAYERS + 1)),
        default_players=4,
        cooperative=True,
        n_actions=rules.N_ACTIONS,
        most_legal=rules.HAND_SIZE,
        observation_size=rules.OBSERVATION_SIZE,
        configure=configure,
        ranges=ranges,
        longest=longest,
        total=total,
        options=OPTIONS,
        styles=styles.STYLES,
        default_style="team",
        default_agents=(
            "uniform",
            "greedy:style=own",
            "greedy:style=color-hoarder",
            "greedy:style=team",
            "mcts:iterations=1000,c=1,patience=30,rollout=greedy",
        ),
        style_table=styles.style_table,
        appraise=styles.appraise,
        slices_lost=slices.slices_lost,
        slices_source=slices.slices_source,
        grade=slices.grade_of,
        success=slices.success,
        habits=HABITS,
    )
)

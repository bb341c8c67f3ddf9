"""Throughput on one core of this machine, through the doors that experiments use.

Each figure is measured several times and given as median, slowest and fastest: machines are noisy, so compare ratios
within one run, never single figures.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from agents import make_player
from engine.contract import Setup, deal, returns, workspace
from engine.kernel import kernel
from engine.rng import DEAL, fold, stream_start
from engine.rollout import rollout
from experiments.cluster import Place
from experiments.tournament import Watcher, plan_tournament, play_tournament

REPEATS = 5
Done = tuple[float, float]  # units done, and the seconds that they took
SEARCH = "mcts:iterations=100"


@kernel
def _rollouts(agent: Any, states: Any, template: Any, n_games: int, utility: Any) -> float:
    """Deal and play out games one after another in one record; the sum keeps the compiler honest."""
    space = workspace(agent, states)
    start = stream_start(1, DEAL)
    rng = np.empty(1, dtype=np.uint64)
    total = 0.0
    for number in range(n_games):
        states[0] = template
        rng[0] = fold(start, number)
        deal(states[0], rng)
        rollout(agent, states[0], space, rng)
        returns(states[0], utility)
        total += utility[0]
    return total


def bench(setup: Setup, seconds: float, watcher: Watcher) -> list[dict[str, Any]]:
    """Return the figures, each with what was measured, the unit, and median, slowest and fastest a second."""
    uniform = make_player("uniform", setup)
    states = setup.blank_states(1)
    utility = np.zeros(setup.players)

    def play_rollouts(n_games: int) -> Done:
        started = time.perf_counter()
        _rollouts(uniform.knobs, states, setup.template, n_games, utility)
        return n_games, time.perf_counter() - started

    def through_the_door(agent: str, keep: str) -> Callable[[int], Done]:
        def play(n_deals: int) -> Done:
            plan = plan_tournament(setup, [agent], n_deals, seed=1, schedule="self", keep=keep)
            return n_deals, play_tournament(plan, place=Place(serial=True)).seconds

        return play

    def simulate(n_deals: int) -> Done:
        plan = plan_tournament(setup, [SEARCH], n_deals, seed=1, schedule="self", keep="rows")
        outcome = play_tournament(plan, place=Place(serial=True))
        return 100.0 * float(outcome.frame()["decisions"].sum()), outcome.seconds

    measured: list[tuple[str, str, Callable[[int], Done]]] = [
        ("rollout kernel, uniform, deal and returns included", "games", play_rollouts),
        ("tournament, uniform, summary kept", "games", through_the_door("uniform", "summary")),
        ("tournament, uniform, rows kept", "games", through_the_door("uniform", "rows")),
    ]
    if setup.game.styles:
        measured.append(("tournament, greedy, summary kept", "games", through_the_door("greedy", "summary")))
    measured.append((f"{SEARCH}, uniform rollouts, all seats", "simulations", simulate))
    figures = []
    for what, unit, play in measured:
        watcher.say(f"measuring: {what}")
        rates = _rates(play, seconds)
        figures.append(
            {
                "what": what,
                "unit": unit,
                "median": statistics.median(rates),
                "slowest": min(rates),
                "fastest": max(rates),
                "repeats": REPEATS,
            }
        )
    return figures


def _rates(play: Callable[[int], Done], seconds: float) -> list[float]:
    """Return units a second of several runs that take about `seconds` altogether, after one that warms up.

    What a run makes ready once, such as a style's table, is not in its time: it would swamp short runs.
    """
    play(1)
    n_games, spent = 1, 0.0
    while spent < seconds / REPEATS / 4:
        n_games *= 2
        spent = play(n_games)[1]
    n_games = max(1, int(n_games * seconds / REPEATS / spent))
    return [done / took for done, took in (play(n_games) for _ in range(REPEATS))]

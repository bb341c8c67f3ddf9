"""Rebuilders against what can be computed without a simulator: waiting times and races, by kind of round and order.

Seeds are fixed. A class of orders is all that equally many pizzas fill on as many toppings: there are 22. Of so many
means, chance leaves one or two beyond two standard errors.
"""

import numpy as np
import pytest

from engine.contract import apply_action, deal, is_terminal, legal_actions
from engine.games.pizza_time import rules, solutions
from engine.games.pizza_time.rules import CLAIM, FIRST_TURN, N_PIZZAS, NUMBER_BITS, REBUILD
from engine.kernel import JIT, kernel
from engine.rng import DEAL, fold, stream_start
from tests.games.pizza_time.playing import load

pytestmark = pytest.mark.skipif(not JIT, reason="millions of ticks take too long when interpreted")


@kernel
def _race(states, template, n_games, n_rebuilders, seed, found):
    """Let the first seats rebuild and the others turn a card; note each round's toppings, order, last tick, winner."""
    actions = np.empty(64, dtype=np.int64)
    rng = np.empty(1, dtype=np.uint64)
    start = stream_start(seed, DEAL)
    state = states[0]
    row = 0
    for number in range(n_games):
        states[0] = template
        rng[0] = fold(start, number)
        deal(state, rng)
        while not is_terminal(state):
            if state.serving == 0:
                seat = rules.current_player(state)
                if seat >= n_rebuilders:
                    apply_action(state, FIRST_TURN)
                else:
                    apply_action(state, CLAIM if rules.has_right_pizza(state, seat) else REBUILD)
            else:
                found[row, 0] = state.types[state.rounds]
                found[row, 1] = state.order_number
                found[row, 2] = state.tick
                found[row, 3] = np.int64(state.numbers[state.rounds, 0]) & NUMBER_BITS
                row += 1
                legal_actions(state, actions)
                apply_action(state, actions[0])
    return row


def race(setup, n_games: int, n_rebuilders: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a line a round, toppings, order, ticks and seat 0's number; and the chance that a rebuild is right."""
    found = np.zeros((6 * n_games, 4), dtype=np.int64)
    assert _race(setup.blank_states(1), setup.template, n_games, n_rebuilders, seed, found) == len(found)
    orders, numbers = solutions.distinct_orders(tuple(tuple(pile) for pile in setup.template["piles"].tolist()))
    counts = solutions.count_solutions(tuple(int(face) for face in setup.template["faces"]), orders)
    by_number = np.zeros((rules.N_ORDERS, 5))
    by_number[numbers] = counts / N_PIZZAS
    return found, by_number[found[:, 1], found[:, 0]]


def deviation(values: np.ndarray) -> float:
    """Return by how many standard errors the mean of some values differs from 0."""
    return float(values.mean() / values.std(ddof=1) * np.sqrt(len(values)))


def test_a_rebuilder_needs_n_over_s_ticks():
    setup = load(2, round_time_limit=60_000)
    found, chance = race(setup, 60_000, 1, seed=21)
    surprise = found[:, 2] * chance - 1  # ticks over N / S, less 1
    by_class = []
    for types in (2, 3, 4):
        in_round = found[:, 0] == types
        assert abs(deviation(surprise[in_round])) < 2
        for solved in np.unique(chance[in_round]):
            by_class.append(deviation(surprise[in_round & (chance == solved)]))
    assert len(by_class) == 22
    assert sum(abs(each) < 2 for each in by_class) >= 20
    assert max(abs(each) for each in by_class) < 3


def test_two_rebuilders_race_in_all_rounds():
    """First right of two at equal pace: ticks are geometric with 1 - (1 - p)², and seat 0 wins half of the races."""
    setup = load(2, round_time_limit=60_000)
    found, p = race(setup, 40_000, 2, seed=22)
    for types in (2, 3, 4):
        in_round = found[:, 0] == types
        ends = 1 - (1 - p[in_round]) ** 2
        assert abs(deviation(found[in_round, 2] * ends - 1)) < 2
        assert abs(deviation((found[in_round, 3] == 1) - 0.5)) < 2


def test_two_rebuilders_of_unequal_pace():
    """Paces 1 and 2: in two ticks seat 0 wins with chance p + later, seat 1 with later (below); else it goes on."""
    setup = load(2, round_time_limit=60_000, pace="1,2")
    found, p = race(setup, 40_000, 2, seed=23)
    for types in (2, 3, 4):
        in_round = found[:, 0] == types
        q = p[in_round]
        later = (1 - q) * (q * (1 - q) + q * q / 2)
        assert abs(deviation((found[in_round, 3] == 1) - (q + later) / (q + 2 * later))) < 2

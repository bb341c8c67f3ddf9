"""The clairvoyant optimum against brute force, against known means, and against everybody who plays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import agents
from engine.contract import Setup, load_game
from engine.games.robots_ate_our_pizza.clairvoyant import clairvoyant_optimum, highest_sum
from engine.games.robots_ate_our_pizza.notation import hand_cards
from engine.games.robots_ate_our_pizza.rules import (
    COLORS,
    GOALS,
    HAND_SIZE,
    N_NUMBERS,
    N_ROUNDS,
    SCORES,
    set_number,
)
from engine.kernel import kernel
from engine.tables import advance, collect_points, deal_tables, new_log, start_streams

GAME = "robots-ate-our-pizza"
SEED = 6


def dealt(players: int, task: int, n_tables: int, **options: Any) -> tuple[Setup, np.recarray]:
    setup = load_game(GAME, players=players, task=task, **options)
    states = setup.blank_states(n_tables)
    deal_tables(states, setup.template, SEED, 0)
    return setup, states


# Brute force: every order in which every hand can give its cards, played by the rule of passing alone.


def all_tableaus(hands: list[list[int]]) -> Iterator[list[set[int]]]:
    """Yield what the seats end up with for every choice of a card from each hand in each round."""
    players = len(hands)
    for picks in itertools.product(*(itertools.permutations(hand, N_ROUNDS) for hand in hands)):
        tableaus: list[set[int]] = [set() for _ in range(players)]
        for hand, order in enumerate(picks):
            for turn, card in enumerate(order):
                tableaus[(hand + turn) % players].add(card)
        yield tableaus


def hand_points(cards: set[int], setup: Setup) -> int:
    topping = (setup.options["task"] - 1) // len(GOALS)
    mask = np.uint64(sum(1 << card for card in cards))
    return int(SCORES[int(setup.template["runs"]), topping, int(set_number(mask))])


def brute_optimum(state: Any, setup: Setup) -> int:
    hands = [hand_cards(state, seat) for seat in range(setup.players)]
    goal = GOALS[(setup.options["task"] - 1) % len(GOALS)]
    known: dict[frozenset[int], int] = {}
    results = set()
    for tableaus in all_tableaus(hands):
        points = []
        for cards in tableaus:
            key = frozenset(cards)
            if key not in known:
                known[key] = hand_points(cards, setup)
            points.append(known[key])
        results.add(max(points) - min(points) if "difference" in goal else sum(points))
    return min(results) if goal == "lowest total" else max(results)


@pytest.mark.parametrize("task", [1, 2, 3, 5, 10, 15, 17, 19, 21, 22, 23])
def test_two_players_against_brute_force(task: int) -> None:
    setup, states = dealt(2, task, 4)
    assert clairvoyant_optimum(states).tolist() == [brute_optimum(state, setup) for state in states]


def test_runs_per_block_count_as_such() -> None:
    setup, states = dealt(2, 1, 12, runs="per_block")
    assert clairvoyant_optimum(states[:3]).tolist() == [brute_optimum(state, setup) for state in states[:3]]
    _, others = dealt(2, 1, 12)
    assert np.any(clairvoyant_optimum(others) > clairvoyant_optimum(states))


# With more players brute force needs to be compiled, and clever enough to add seat by seat.


@kernel
def enumerate_ring(hands, points, orders, sign, goal_is_gap, best):
    """Try every order of every hand of three players: 120**3."""
    players = len(hands)
    n_orders = len(orders)
    for code in range(n_orders**players):
        masks = np.zeros(3, dtype=np.uint64)
        rest = code
        for hand in range(players):
            order = orders[rest % n_orders]
            rest //= n_orders
            for turn in range(4):
                masks[(hand + turn) % players] |= np.uint64(1) << np.uint64(hands[hand, order[turn]])
        total = 0
        least, most = 1000, -1000
        for seat in range(players):
            value = np.int64(points[set_number(masks[seat])])
            total += value
            least = min(least, value)
            most = max(most, value)
        best[0] = max(best[0], most - least if goal_is_gap else sign * total)


ORDERS = np.array(list(itertools.permutations(range(HAND_SIZE), N_ROUNDS)), dtype=np.int64)


@pytest.mark.parametrize("task", [1, 2, 3, 13, 18])
def test_three_players_against_brute_force(task: int) -> None:
    setup, states = dealt(3, task, 3)
    goal = (task - 1) % len(GOALS)
    points = SCORES[int(setup.template["runs"]), (task - 1) // len(GOALS)]
    sign = -1 if goal == 1 else 1
    found = []
    for state in states:
        hands = np.array([hand_cards(state, seat) for seat in range(3)], dtype=np.int64)
        best = np.full(1, -10_000, dtype=np.int64)
        enumerate_ring(hands, points, ORDERS, sign, goal == 2, best)
        found.append(sign * int(best[0]))
    assert clairvoyant_optimum(states).tolist() == found


def halves_optimum(hands: list[list[int]], points: np.ndarray, sign: int) -> int:
    """Return the best sum of four players by halves: what two seats take of each hand, and what the others can then.

    A seat takes one card of each hand, so a seat's take is one card index a hand, and what two seats use is a pair a
    hand.
    """
    worth = np.empty((HAND_SIZE,) * 4, dtype=np.int64)
    for indices in itertools.product(range(HAND_SIZE), repeat=4):
        mask = np.uint64(sum(1 << hand[index] for hand, index in zip(hands, indices, strict=True)))
        worth[indices] = sign * int(points[int(set_number(mask))])
    pairs = list(itertools.combinations(range(HAND_SIZE), 2))
    first, second = np.array(pairs).T
    of_two = np.full((len(pairs),) * 4, -(10**6))
    for swaps in itertools.product((False, True), repeat=4):
        mine = np.ix_(*(second if swap else first for swap in swaps))
        theirs = np.ix_(*(first if swap else second for swap in swaps))
        of_two = np.maximum(of_two, worth[mine] + worth[theirs])
    best = of_two
    for axis in range(4):  # the best that the other two can do with pairs that do not meet this one
        best = np.stack(
            [
                best.take([other for other in range(len(pairs)) if not set(pairs[other]) & set(pair)], axis).max(axis)
                for pair in pairs
            ],
            axis,
        )
    return int((of_two + best).max())


@pytest.mark.parametrize("task", [1, 2, 9, 22])
def test_four_players_by_halves(task: int) -> None:
    setup, states = dealt(4, task, 6)
    points = SCORES[int(setup.template["runs"]), (task - 1) // len(GOALS)]
    sign = -1 if (task - 1) % len(GOALS) == 1 else 1
    expected = [sign * halves_optimum([hand_cards(state, seat) for seat in range(4)], points, sign) for state in states]
    assert clairvoyant_optimum(states).tolist() == expected


def exchange_optimum(hands: list[list[int]], points: np.ndarray, rng: np.random.Generator, n_starts: int) -> int:
    """Return the best sum found by exchanging two cards of a hand until nothing helps, from random starts."""
    players = len(hands)

    def worth_of(seats: set[int], orders: list[list[int]]) -> int:
        total = 0
        for seat in seats:
            cards = [orders[(seat - turn) % players][turn] for turn in range(N_ROUNDS)]
            total += int(points[int(set_number(np.uint64(sum(1 << card for card in cards))))])
        return total

    best = -(10**6)
    for _ in range(n_starts):
        orders = [rng.permutation(hand).tolist() for hand in hands]
        improved = True
        while improved:
            improved = False
            for hand, (one, other) in itertools.product(range(players), itertools.combinations(range(HAND_SIZE), 2)):
                seats = {(hand + turn) % players for turn in (one, other) if turn < N_ROUNDS}
                before = worth_of(seats, orders)
                orders[hand][one], orders[hand][other] = orders[hand][other], orders[hand][one]
                if worth_of(seats, orders) > before:
                    improved = True
                else:
                    orders[hand][one], orders[hand][other] = orders[hand][other], orders[hand][one]
        best = max(best, worth_of(set(range(players)), orders))
    return best


@pytest.mark.parametrize("players", [5, 6])
def test_larger_tables_are_neither_beaten_nor_out_of_reach(players: int) -> None:
    """A search by exchanges finds sums that can be had, so never more than the optimum, and now and then just that."""
    setup, states = dealt(players, 1, 3)
    points = SCORES[int(setup.template["runs"]), 0]
    optimum = clairvoyant_optimum(states)
    found = [
        exchange_optimum([hand_cards(state, seat) for seat in range(players)], points, np.random.default_rng(1), 60)
        for state in states
    ]
    assert np.all(optimum >= found)
    assert np.any(optimum == found)


# All deals of two players.


@pytest.mark.slow
def test_all_deals_of_two_players_by_kinds() -> None:
    """The mean is 21.4950, and 21 or more can be had on 62.5 % of the deals."""
    kinds, counts = kinds_of_deals()
    assert counts.sum() == 2_018_016  # C(16, 5) * C(11, 5)
    points = SCORES[0, 0]
    best = np.array([highest_sum(cards_of(kind), points, 1) for kind in kinds])
    mean = float((best * counts).sum() / counts.sum())
    assert round(mean, 4) == 21.4950
    assert round(100 * float(counts[best >= 21].sum() / counts.sum()), 1) == 62.5


def kinds_of_deals() -> tuple[np.ndarray, np.ndarray]:
    """Return one deal of each kind and how many deals are of that kind; a deal is two masks of 16 cards, one above.

    Deals are of a kind when colors change places, numbers are counted from the other end, or the hands change places:
    no such change touches the best total of Task 1.
    """
    n_numbers = 4
    masks = np.array([sum(1 << card for card in cards) for cards in itertools.combinations(range(16), HAND_SIZE)])
    first, second = (part.ravel() for part in np.meshgrid(masks, masks))
    disjoint = first & second == 0
    first, second = first[disjoint], second[disjoint]
    kinds = np.full(len(first), 2**32 - 1, dtype=np.int64)
    everything = np.arange(1 << 16)
    for colors in itertools.permutations(range(len(COLORS))):
        for backward in (False, True):
            changed = np.zeros_like(everything)
            for card in range(16):
                color, number = divmod(card, n_numbers)
                place = colors[color] * n_numbers + (n_numbers - 1 - number if backward else number)
                changed |= (everything >> card & 1) << place
            one, other = changed[first], changed[second]
            kinds = np.minimum(kinds, np.minimum(one << 16 | other, other << 16 | one))
    return np.unique(kinds, return_counts=True)


def cards_of(kind: int) -> np.ndarray:
    """Return the hands of a kind of deals as the game's cards, shape (2, 5)."""
    masks = int(kind) >> 16, int(kind) & 0xFFFF
    return np.array([[card // 4 * N_NUMBERS + card % 4 for card in range(16) if mask >> card & 1] for mask in masks])


# Nobody does better.

PLAYERS_OF_ALL_KINDS = ("uniform", "greedy", "mcts:iterations=30", "flat-mc:iterations=30")


def results_of(setup: Setup, states: np.recarray, agent_text: str) -> np.ndarray:
    player = agents.make_player(agent_text, setup)
    tables = states.copy()
    streams = np.zeros((len(tables), setup.players), dtype=np.uint64)
    start_streams(streams, SEED, 0, 0)
    log = new_log(len(tables), setup.players)
    advance(player.knobs, player.looks, tables, np.ones(setup.players, dtype=np.bool_), streams, log)
    points = np.zeros((len(tables), setup.players), dtype=np.int64)
    collect_points(tables, points)
    return setup.game.total(setup, points)


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("task", [1, 2, 3, 10, 15, 17, 22])
def test_no_agent_beats_the_optimum(players: int, task: int) -> None:
    setup, states = dealt(players, task, 6)
    sign = -1 if (task - 1) % len(GOALS) == 1 else 1
    optimum = clairvoyant_optimum(states)
    styles = [f"greedy:style={style.name}" for style in setup.game.styles if task <= len(GOALS)]
    for text in (*PLAYERS_OF_ALL_KINDS, *styles):
        results = results_of(setup, states, text)
        assert np.all(sign * results <= sign * optimum), text


def test_the_optimum_lies_in_the_stated_range() -> None:
    for task in (1, 2, 3, 21):
        setup, states = dealt(6, task, 3)
        low, high = setup.ranges.total
        assert np.all((low <= clairvoyant_optimum(states)) & (clairvoyant_optimum(states) <= high))


# The door.


def test_records_of_any_mixture_are_taken_together() -> None:
    tables = [dealt(players, task, 2)[1] for players, task in ((2, 1), (4, 2), (6, 3))]
    together = np.concatenate([np.asarray(part) for part in tables])
    assert clairvoyant_optimum(together).tolist() == [
        int(best) for part in tables for best in clairvoyant_optimum(part)
    ]
    assert clairvoyant_optimum(tables[0][0]).tolist() == clairvoyant_optimum(tables[0])[:1].tolist()


def test_what_has_no_optimum_is_refused_with_a_sentence(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="is not known for the goal 'lowest difference'"):
        clairvoyant_optimum(dealt(4, 4, 1)[1])
    with pytest.raises(ValueError, match="wants records of robots-ate-our-pizza"):
        clairvoyant_optimum(np.zeros(3))
    _, states = dealt(4, 1, 2)
    states[1].picked = 1
    with pytest.raises(ValueError, match="wants freshly dealt tables"):
        clairvoyant_optimum(states)
    _, states = dealt(4, 1, 1)
    states[0].mode = 1
    with pytest.raises(ValueError, match="that of one task, not of a session"):
        clairvoyant_optimum(states)

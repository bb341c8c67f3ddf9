"""The best result that a deal allows, if all hands lay open and all worked together.

No player can know as much, so this bounds every team from above, and what a team misses of it is its regret.

A hand is dealt to a seat, is picked from there, and passes left: its r-th pick goes to the seat r places on. So a deal
is a ring: each seat takes a card from its own hand, from the one before, and from the two before that; each hand gives
four different cards. A walk around the ring that remembers which cards of the last three hands are gone finds the best
sum; it is closed when it ends with the cards gone that it took to be gone at the start. This is the trace of a product
of matrices over (max, +); the method is ours. With fewer than four players a hand comes by a seat twice: the walk then
meets it as two hands of one ring, which the closing makes one.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from engine.games.robots_ate_our_pizza.notation import hand_cards
from engine.games.robots_ate_our_pizza.rules import (
    GOALS,
    HAND_SIZE,
    HIGHEST_DIFFERENCE,
    HIGHEST_TOTAL,
    LOWEST_DIFFERENCE,
    N_ROUNDS,
    ONE_TASK,
    SCORES,
    STATE,
    hand_number,
)
from engine.kernel import kernel

# Tables. Cards are counted within their hand, 0 … 4; a set of them is a bit mask.

SINGLES, PAIRS, TRIPLES = (
    np.array([sum(1 << card for card in cards) for cards in itertools.combinations(range(HAND_SIZE), size)])
    for size in (1, 2, 3)
)


def _places(masks: np.ndarray, larger: np.ndarray) -> np.ndarray:
    """Return the place among `larger` of each mask with one more card, shape (masks, 5); -1 where it has the card."""
    places = np.full((len(masks), HAND_SIZE), -1, dtype=np.int64)
    for row, mask in enumerate(masks):
        for card in range(HAND_SIZE):
            if not mask >> card & 1:
                places[row, card] = list(larger).index(mask | 1 << card)
    return places


PAIR_WITH = _places(SINGLES, PAIRS)  # (5, 5)
TRIPLE_WITH = _places(PAIRS, TRIPLES)  # (10, 5)

N_GONE = len(SINGLES) * len(PAIRS) * len(TRIPLES)  # what can be gone of the last three hands: one, two, three cards
N_TAKES = HAND_SIZE**N_ROUNDS  # ways to take a card from each of four hands

NOTHING = -10_000  # below every sum of points

_ONE = np.uint64(1)


def clairvoyant_optimum(states: np.ndarray) -> np.ndarray:
    """Return the best result of every table with all hands open: int64, shape (tables,), as the game's total counts it.

    `states` are freshly dealt records of single tasks; the goals may be a highest total, a lowest total or a highest
    difference. Takes about 0.5, 2, 8, 17, 33 milliseconds a table with 2 to 6 players, a difference far less.
    Raises ValueError for anything else.
    """
    tables = np.atleast_1d(np.asarray(states))
    if tables.dtype != STATE or tables.ndim != 1:
        raise ValueError("the clairvoyant optimum wants records of robots-ate-our-pizza, one a table")
    if np.any(tables["mode"] != ONE_TASK):
        raise ValueError("the clairvoyant optimum is that of one task, not of a session")
    if np.any(tables["rounds"] != 0) or np.any(tables["picked"] != 0):
        raise ValueError("the clairvoyant optimum wants freshly dealt tables, before the first pick")
    goals = (tables["task"].astype(np.int64) - 1) % len(GOALS)
    if np.any(goals == LOWEST_DIFFERENCE):
        raise ValueError(f"the clairvoyant optimum is not known for the goal {GOALS[LOWEST_DIFFERENCE]!r}")
    best = np.empty(len(tables), dtype=np.int64)
    for table, state in enumerate(tables):
        hands = np.array([hand_cards(state, seat) for seat in range(int(state["players"]))], dtype=np.int64)
        points = SCORES[int(state["runs"]), (int(state["task"]) - 1) // len(GOALS)]
        if goals[table] == HIGHEST_DIFFERENCE:
            best[table] = widest_gap(hands, points)
        else:
            sign = 1 if goals[table] == HIGHEST_TOTAL else -1
            best[table] = sign * highest_sum(hands, points, sign)
    return best


@kernel
def highest_sum(hands: Any, points: Any, sign: int) -> int:
    """Return the highest sum of `sign` times the seats' points.

    `hands[h]` holds the five cards (int64) dealt to seat h; `points` (int8) is indexed as `SCORES`, by set.
    """
    players = len(hands)
    worth = np.empty((players, N_TAKES // HAND_SIZE, len(TRIPLES)), dtype=np.int64)
    cards = np.empty(N_TAKES, dtype=np.uint64)
    for seat in range(players):
        _list_takes(hands, seat, cards)
        _value_takes(cards, points, sign, worth[seat])
    best = NOTHING
    values = np.empty((2, N_GONE), dtype=np.int64)
    for gone in range(N_GONE):
        best = max(best, _best_closed_walk(worth, gone, values))
    return best


@kernel
def _list_takes(hands: Any, seat: int, cards: Any) -> None:
    """Write the four cards (a bit mask) of every way in which `seat` can take one of each hand that comes by.

    Place ((a * 5 + b) * 5 + c) * 5 + d is card a of its own hand, b, c and d of those one, two and three to the right;
    0 where a hand that comes by twice would give the same card twice.
    """
    players = len(hands)
    for take in range(N_TAKES):
        rest = take
        taken = np.uint64(0)
        is_possible = True
        for back in range(N_ROUNDS - 1, -1, -1):
            card = _ONE << np.uint64(hands[(seat - back) % players, rest % HAND_SIZE])
            rest //= HAND_SIZE
            is_possible = is_possible and taken & card == 0
            taken |= card
        cards[take] = taken if is_possible else np.uint64(0)


@kernel
def _value_takes(cards: Any, points: Any, sign: int, worth: Any) -> None:
    """Write `sign` times the points of every take, with the best card of the last hand.

    `worth[take // 5, triple]`: of the last hand one card is taken that is not in the triple.
    """
    for take in range(N_TAKES // HAND_SIZE):
        for triple in range(len(TRIPLES)):
            most: Any = NOTHING
            for card in range(HAND_SIZE):
                taken = cards[take * HAND_SIZE + card]
                if TRIPLES[triple] >> card & 1 == 0 and taken != 0:
                    most = max(most, sign * np.int64(points[hand_number(taken)]))
            worth[take, triple] = most


@kernel
def _best_closed_walk(worth: Any, gone: int, values: Any) -> int:
    """Return the best sum of a walk around the ring that starts and ends with `gone`.

    Before a seat takes, one card of the hand to its right is gone, two of the hand before and three of the one before
    that: place (single * 10 + pair) * 10 + triple, in `values` the best sum that leads there.
    """
    players = len(worth)
    last = len(worth) - 1
    here, there = values[0], values[1]
    here[:] = NOTHING
    here[gone] = 0
    for seat in range(players):
        there[:] = NOTHING
        # what the last three hands of the ring give up to its end is what was gone at the start
        allowed = _allowed(gone, last - seat)
        allowed_1 = _allowed(gone, last - seat + 1) if seat >= 1 else 31
        allowed_2 = _allowed(gone, last - seat + 2) if seat >= 2 else 31
        for before in range(N_GONE):
            if here[before] > NOTHING // 2:
                _take(worth[seat], here[before], before, allowed, allowed_1, allowed_2, there)
        here, there = there, here
    return here[gone]


@kernel
def _allowed(gone: int, from_last: int) -> int:
    """Return the cards that the hand `from_last` places before the last of the ring may give up to the ring's end."""
    if from_last == 0:
        return SINGLES[gone // (len(PAIRS) * len(TRIPLES))]
    if from_last == 1:
        return PAIRS[gone // len(TRIPLES) % len(PAIRS)]
    if from_last == 2:
        return TRIPLES[gone % len(TRIPLES)]
    return (1 << HAND_SIZE) - 1


@kernel
def _take(worth: Any, value: int, before: int, allowed: int, allowed_1: int, allowed_2: int, there: Any) -> None:
    """Let a seat take in every allowed way where `before` is gone at a sum of `value`; keep the best in `there`."""
    single = before // (len(PAIRS) * len(TRIPLES))
    pair = before // len(TRIPLES) % len(PAIRS)
    triple = before % len(TRIPLES)
    for own in range(HAND_SIZE):
        if allowed >> own & 1 == 0:
            continue
        for first in range(HAND_SIZE):
            new_pair = PAIR_WITH[single, first]
            if new_pair < 0 or allowed_1 >> first & 1 == 0:
                continue
            for second in range(HAND_SIZE):
                new_triple = TRIPLE_WITH[pair, second]
                if new_triple < 0 or allowed_2 >> second & 1 == 0:
                    continue
                after = (own * len(PAIRS) + new_pair) * len(TRIPLES) + new_triple
                there[after] = max(there[after], value + worth[(own * HAND_SIZE + first) * HAND_SIZE + second, triple])


@kernel
def widest_gap(hands: Any, points: Any) -> int:
    """Return the highest difference of two seats' points; `hands` and `points` as for `highest_sum`.

    Only two seats count: whatever they take, every hand has a card left for each of the others.
    """
    players = len(hands)
    cards = np.empty((players, N_TAKES), dtype=np.uint64)
    worth = np.zeros((players, N_TAKES), dtype=np.int64)
    for seat in range(players):
        _list_takes(hands, seat, cards[seat])
        for take in range(N_TAKES):
            if cards[seat, take] != 0:
                worth[seat, take] = points[hand_number(cards[seat, take])]
    widest = 0
    for seat in range(players):
        for other in range(seat):
            widest = max(widest, _gap_of_two(cards[seat], worth[seat], cards[other], worth[other]))
    return widest


@kernel
def _gap_of_two(cards: Any, worth: Any, other_cards: Any, other_worth: Any) -> int:
    widest = 0
    for take in range(N_TAKES):
        if cards[take] == 0:
            continue
        for other in range(N_TAKES):
            gap = abs(worth[take] - other_worth[other])
            if gap > widest and other_cards[other] != 0 and cards[take] & other_cards[other] == 0:
                widest = gap
    return widest

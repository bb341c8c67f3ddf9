"""Every card once, after every step: all 74 cards and their 525 points, over many random hands, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.bits import population_count
from engine.contract import apply_action, deal, is_terminal, random_action
from engine.games.robots.rules import DECK_POINTS, MOST_PLAYERS, N_CARDS, N_NATURAL, cards_points, spread_cards
from engine.kernel import include_source, kernel
from engine.rng import ANALYSIS, DEAL, fold, stream_start
from tests.games.robots.playing import EVERY_NUMBER_OF_PLAYERS, load

include_source(__file__)

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@kernel
def count_cards(state: Any) -> tuple[int, int, int]:
    """Return how many cards stand somewhere, how many different ones, and the points of those."""
    n_cards = 0
    low, high = _ZERO, _ZERO
    for row in range(MOST_PLAYERS + 1):
        n_cards += population_count(state.hands[row, 0]) + population_count(state.hands[row, 1])
        low |= state.hands[row, 0]
        high |= state.hands[row, 1]
    for index in range(np.int64(state.n_spreads)):
        spread_low, spread_high = spread_cards(state.spreads[index])
        n_cards += population_count(spread_low) + population_count(spread_high)
        low |= spread_low
        high |= spread_high
    for place in range(np.int64(state.heap_size) + np.int64(state.bottom_size)):
        is_heap = place < np.int64(state.heap_size)
        card = np.uint64(state.heap[place] if is_heap else state.bottom[place - np.int64(state.heap_size)])
        n_cards += 1
        if card < np.uint64(64):
            low |= _ONE << card
        else:
            high |= _ONE << (card - np.uint64(64))
    return n_cards, population_count(low) + population_count(high), cards_points(low, high)


@kernel
def known_and_laid_are_right(state: Any) -> bool:
    """Tell whether known cards are in hands, and the cards that count for seats are those of the spreads."""
    low, high = _ZERO, _ZERO
    for seat in range(MOST_PLAYERS):
        if state.known[seat, 0] & ~state.hands[seat, 0] or state.known[seat, 1] & ~state.hands[seat, 1]:
            return False
        if low & state.laid[seat, 0] or high & state.laid[seat, 1]:
            return False
        low |= state.laid[seat, 0]
        high |= state.laid[seat, 1]
    for index in range(np.int64(state.n_spreads)):
        spread_low, spread_high = spread_cards(state.spreads[index])
        low ^= spread_low
        high ^= spread_high
    return low == _ZERO and high == _ZERO


@kernel
def audit_random_hands(states: Any, template: Any, n_hands: int, n_cards: int) -> tuple[int, int]:
    """Play random hands and count after every step; return the steps and how many of them broke a law."""
    start, moves = stream_start(21, DEAL), stream_start(21, ANALYSIS)
    rng = np.empty(1, dtype=np.uint64)
    n_steps, n_broken = 0, 0
    state = states[0]
    for number in range(n_hands):
        states[0] = template
        rng[0] = fold(start, number)
        deal(state, rng)
        rng[0] = fold(moves, number)
        while not is_terminal(state):
            apply_action(state, random_action(state, rng))
            n_there, n_different, points = count_cards(state)
            n_steps += 1
            is_whole = n_there == n_cards and n_different == n_cards and points == DECK_POINTS
            if not is_whole or not known_and_laid_are_right(state):
                n_broken += 1
    return n_steps, n_broken


def audited(n_hands: int, players: int, **options: Any) -> None:
    setup = load(players, **options)
    n_cards = N_NATURAL + int(setup.options["n_wild"])
    n_steps, n_broken = audit_random_hands(setup.blank_states(1), setup.template, n_hands, n_cards)
    assert n_steps > 50 * n_hands
    assert n_broken == 0


OTHER_OPTIONS = [
    {"lay_off": "any", "split_runs": True, "sc_self": True, "final_power": True},
    {"lay_off": "none", "deep_pickup": "hand", "sc_draw": "as_placed", "optional_powers": True},
    {"factory_empty": "end_hand", "n_wild": 2, "max_wilds": 1, "allow_return": True, "star_robot": True},
    {"power_map": "laser,alpha-omega,laser,alpha-omega,laser,alpha-omega", "split_runs": True},
]


@pytest.mark.slow
@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_every_card_once_after_every_step_of_100_000_hands(players):
    audited(100_000 if players == 2 else 25_000, players)


@pytest.mark.slow
@pytest.mark.parametrize("options", OTHER_OPTIONS, ids=lambda options: "-".join(options))
def test_every_card_once_with_other_options(options):
    for players in EVERY_NUMBER_OF_PLAYERS:
        audited(3_000, players, **options)


def test_the_audit_sees_a_card_too_many():
    state = load(2).new_game(seed=1)
    assert count_cards(state) == (N_CARDS, N_CARDS, DECK_POINTS)
    state.heap[1] = state.heap[0]
    state.heap_size = 2
    assert count_cards(state)[0] == N_CARDS + 1
    state.heap_size = 0
    assert count_cards(state)[0] == N_CARDS - 1
    state = load(2).new_game(seed=1)
    state.laid[0, 0] = 2
    assert not known_and_laid_are_right(state)

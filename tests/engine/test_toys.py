"""The toys give the answers that are known of them, so that what plays them can be judged."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from engine.contract import (
    Setup,
    apply_action,
    current_player,
    determinize,
    heuristic,
    is_terminal,
    load_game,
    random_action,
    returns,
    score,
)
from engine.rng import ANALYSIS, new_stream
from tests.toys import bandit, die, kuhn, nim, pennies

SIX_SIGMA = 6.0


def points_of(setup: Setup, state: Any) -> list[int]:
    points = np.zeros(setup.players, dtype=np.int64)
    score(state, points)
    return points.tolist()


# Nim.


@functools.cache
def mover_wins(heaps: tuple[int, ...], misere: bool) -> bool:
    """Tell by looking at every line of play whether the player to move wins."""
    if not any(heaps):
        return misere
    rest = ((*heaps[:heap], left, *heaps[heap + 1 :]) for heap in range(len(heaps)) for left in range(heaps[heap]))
    return any(not mover_wins(tuple(sorted(after)), misere) for after in rest)


@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_won_as_bouton_says(misere: bool) -> None:
    setup = load_game("toy-nim", misere=misere)
    state = setup.blank_states(1)[0]
    for heaps in itertools.product(range(nim.LARGEST_HEAP + 1), repeat=nim.N_HEAPS):
        state.heaps = heaps
        assert heuristic(state, 0) == float(mover_wins(tuple(sorted(heaps)), misere))
        assert heuristic(state, 0) + heuristic(state, 1) == 1.0


# Kuhn poker.

ALPHA = Fraction(1, 4)  # any value from 0 to 1/3 gives an equilibrium

# The chance of a bet or call, by the moves so far and by the card (Kuhn 1950).
EQUILIBRIUM = {
    (): {kuhn.JACK: ALPHA, kuhn.QUEEN: Fraction(0), kuhn.KING: 3 * ALPHA},
    (kuhn.PASS,): {kuhn.JACK: Fraction(1, 3), kuhn.QUEEN: Fraction(0), kuhn.KING: Fraction(1)},
    (kuhn.BET,): {kuhn.JACK: Fraction(0), kuhn.QUEEN: Fraction(1, 3), kuhn.KING: Fraction(1)},
    (kuhn.PASS, kuhn.BET): {kuhn.JACK: Fraction(0), kuhn.QUEEN: ALPHA + Fraction(1, 3), kuhn.KING: Fraction(1)},
}


def kuhn_state(cards: tuple[int, int], moves: tuple[int, ...]) -> Any:
    state = load_game("toy-kuhn").blank_states(1)[0]
    state.cards = cards
    for move in moves:
        apply_action(state, move)
    return state


def worth_to_first(cards: tuple[int, int], moves: tuple[int, ...]) -> Fraction:
    """Return what the first player wins on average when both play the equilibrium."""
    setup = load_game("toy-kuhn")
    state = kuhn_state(cards, moves)
    if is_terminal(state):
        return Fraction(points_of(setup, state)[0])
    bets = EQUILIBRIUM[moves][cards[int(current_player(state))]]
    return bets * worth_to_first(cards, (*moves, kuhn.BET)) + (1 - bets) * worth_to_first(cards, (*moves, kuhn.PASS))


def test_kuhn_poker_is_worth_a_loss_of_an_eighteenth() -> None:
    deals = list(itertools.permutations(range(kuhn.N_CARDS), 2))
    assert sum(worth_to_first(cards, ()) for cards in deals) / len(deals) == Fraction(-1, 18)


def test_the_unseen_card_of_kuhn_poker_is_either_of_two() -> None:
    stream = new_stream(1, ANALYSIS)
    counts = np.zeros(kuhn.N_CARDS, dtype=np.int64)
    for _ in range(4000):
        state = kuhn_state((kuhn.QUEEN, kuhn.KING), (kuhn.PASS, kuhn.BET))
        determinize(state, 0, stream)
        counts[int(state.cards[1])] += 1
    assert counts[kuhn.QUEEN] == 0
    assert abs(counts[kuhn.JACK] - 2000) < SIX_SIGMA * np.sqrt(1000)


# The others.


def test_the_die_is_worth_fourteen_thirds() -> None:
    setup = load_game("toy-die")
    games = []
    for number in range(6000):
        state = setup.new_game(2, number)
        while not is_terminal(state):
            keeps = int(state.face) >= (5 if int(state.n_rolls) == 1 else 4)
            apply_action(state, die.KEEP if keeps else die.ROLL)
        games += points_of(setup, state)
    error = np.std(games) / np.sqrt(len(games))
    assert abs(np.mean(games) - 14 / 3) < SIX_SIGMA * error


def test_the_arms_of_the_bandit_pay_as_stated() -> None:
    setup = load_game("toy-bandit", best=2)
    state, stream = setup.new_game(1), new_stream(1, ANALYSIS)
    pays = np.zeros(bandit.N_ARMS)
    n_draws = 4000
    for _ in range(n_draws):
        determinize(state, 0, stream)
        pays += state.pays
    expected = np.full(bandit.N_ARMS, bandit.OTHER_PERCENT)
    expected[2] = bandit.BEST_PERCENT
    assert np.all(abs(100 * pays / n_draws - expected) < SIX_SIGMA * 100 * 0.5 / np.sqrt(n_draws))


def test_a_secret_penny_is_heads_or_tails() -> None:
    setup = load_game("toy-pennies")
    stream, n_draws, tails = new_stream(1, ANALYSIS), 4000, 0
    state = setup.new_game(1)
    first = int(current_player(state))
    apply_action(state, pennies.TAILS)
    for _ in range(n_draws):
        determinize(state, 1 - first, stream)
        tails += int(state.choices[0][first])
    assert abs(tails / n_draws - 0.5) < SIX_SIGMA * 0.5 / np.sqrt(n_draws)


def test_utilities_of_a_competitive_toy_are_shares_of_one_win() -> None:
    for name in ("toy-nim", "toy-kuhn", "toy-pennies"):
        setup = load_game(name)
        stream = new_stream(1, ANALYSIS)
        for number in range(20):
            state, utility = setup.new_game(1, number), np.zeros(2)
            while not is_terminal(state):
                apply_action(state, int(random_action(state, stream)))
            returns(state, utility)
            assert utility.sum() == 1.0

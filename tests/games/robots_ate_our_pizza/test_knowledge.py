"""What a player may know: own hand, rows of laid cards, hands once held; all else is dealt anew, and fairly."""

import itertools
from collections import Counter

import numpy as np
import pytest

from engine.contract import apply_action, current_player, determinize, heuristic, observe
from engine.games.robots_ate_our_pizza import notation
from engine.games.robots_ate_our_pizza.rules import OBSERVATION_SIZE
from engine.rng import ANALYSIS, new_stream
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robots_ate_our_pizza.playing import EVERY_NUMBER_OF_PLAYERS, load, write_tables

PUBLIC = ("first_player", "seat", "picked", "rounds", "leg", "slices", "tasks", "results", "task", "cuts")


def guess(state, player: int, number: int = 0):
    """Return the state with all that the player cannot know dealt anew."""
    copy = copy_of(state)
    determinize(copy, player, new_stream(11, ANALYSIS, number))
    return copy


def hand(state, seat: int) -> frozenset[int]:
    return frozenset(notation.hand_cards(state, seat))


def observation(state, player: int) -> bytes:
    out = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
    observe(state, player, out)
    return out.tobytes()


def play(state, n_moves: int) -> None:
    for _ in range(n_moves):
        apply_action(state, legal(state)[0])


def seats_held_by(player: int, players: int, round_index: int) -> set[int]:
    """Follow every hand of the deal round by round; return where the hands are that the player has held."""
    where = {origin: origin for origin in range(players)}  # hand by the seat it was dealt to, and its seat now
    held = {player}
    for _ in range(round_index):
        where = {origin: (seat + 1) % players for origin, seat in where.items()}
        held |= {origin for origin, seat in where.items() if seat == player}
    return {where[origin] for origin in held}


@pytest.mark.parametrize("memory", [True, False])
@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_hands_once_held_are_known_and_no_others(players, memory):
    setup = load(players, memory=memory)
    for state in states_of_random_game(setup, 2):
        if state.rounds == 4:
            break
        for player in range(players):
            known = seats_held_by(player, players, int(state.rounds)) if memory else {player}
            guesses = [guess(state, player, number) for number in range(12)]
            unknown = [seat for seat in range(players) if seat not in known]
            cards_unseen = len(notation.DECK[players, : notation.DECK_SIZE[players]])
            cards_unseen -= sum(len(hand(state, seat)) for seat in known)
            cards_unseen -= sum(int(mask).bit_count() for mask in state.tableau)
            for each in guesses:
                notation.audit(each)
                for field in (*PUBLIC, "tableau", "picks"):
                    assert np.array_equal(each[field], state[field]), field
                for seat in known:
                    assert hand(each, seat) == hand(state, seat)
            for seat in unknown:
                n_cards = len(hand(state, seat))
                possible = 1 if n_cards in (0, cards_unseen) else 2
                assert len({hand(each, seat) for each in guesses}) >= possible


@pytest.mark.parametrize("simultaneous_picks", [False, True])
@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_nobody_notices_that_the_hidden_cards_were_dealt_anew(players, simultaneous_picks):
    for memory in (True, False):
        setup = load(players, simultaneous_picks=simultaneous_picks, memory=memory)
        for state in states_of_random_game(setup, 3):
            if state.rounds == 4:
                break
            for player in range(players):
                other = guess(state, player)
                assert observation(other, player) == observation(state, player)
                assert heuristic(other, player) == heuristic(state, player)
                assert notation.show(other, player) == notation.show(state, player)
                assert guess(other, player, 5).tobytes() == guess(state, player, 5).tobytes()
                if player == current_player(state):
                    assert legal(other) == legal(state)


def test_at_four_players_everything_is_known_once_three_hands_were_held():
    """All 20 cards are dealt: from the third round on the fourth hand is what is left; a round later it was held."""
    for state in states_of_random_game(load(4), 5):
        if state.rounds in (2, 3):
            for player in range(4):
                each = guess(state, player)
                assert [hand(each, seat) for seat in range(4)] == [hand(state, seat) for seat in range(4)]


def test_without_memory_the_hand_passed_on_is_forgotten():
    state = load(3, memory=False).new_game(seed=1)
    play(state, 3)
    assert len({hand(guess(state, 0, number), 1) for number in range(50)}) > 10
    state.memory = True
    assert {hand(guess(state, 0, number), 1) for number in range(50)} == {hand(state, 1)}


# Simultaneous picks.


def test_simultaneous_picks_of_others_are_hidden_until_all_have_picked():
    state = load(3, simultaneous_picks=True).new_game(seed=6)
    first = current_player(state)
    second, third = (first + 1) % 3, (first + 2) % 3
    play(state, 1)
    laid = int(state.tableau[first])
    assert {int(guess(state, first, number).tableau[first]) for number in range(30)} == {laid}
    assert len({int(guess(state, second, number).tableau[first]) for number in range(60)}) > 8
    play(state, 1)
    assert len({int(guess(state, third, number).tableau[second]) for number in range(60)}) > 8
    play(state, 1)
    for player in range(3):
        assert guess(state, player).tableau.tolist() == state.tableau.tolist()


def test_a_hidden_pick_comes_from_the_hand_that_was_passed_on():
    """In the second round a player knows his left neighbor's hand, but not which of its cards was picked."""
    state = load(3, simultaneous_picks=True).new_game(seed=8)
    play(state, 3)
    mover = current_player(state)
    right = (mover - 1) % 3  # he has passed his hand to the mover
    full_hand = hand(state, mover)
    play(state, 1)
    picks = Counter(int(guess(state, right, number).picks[mover, 1]) for number in range(2_000))
    assert set(picks) == full_hand
    assert chi_square(picks, 4) < 16.3, "3 degrees of freedom: once in a thousand"


def test_one_after_another_picks_are_seen_at_once():
    state = load(3).new_game(seed=6)
    first = current_player(state)
    play(state, 1)
    for player in range(3):
        assert guess(state, player).tableau[first] == state.tableau[first]


# Fair dealing: every world that fits is equally likely. Streams are fixed, so these either hold or do not.


def chi_square(counts: Counter, n_worlds: int) -> float:
    expected = counts.total() / n_worlds
    return sum((n - expected) ** 2 / expected for n in counts.values()) + (n_worlds - len(counts)) * expected


def worlds_of_other_hands(state, player: int, n_guesses: int) -> Counter:
    seats = [seat for seat in range(int(state.players)) if seat != player]
    rng = new_stream(12, ANALYSIS)
    counts: Counter = Counter()
    for _ in range(n_guesses):
        copy = copy_of(state)
        determinize(copy, player, rng)
        counts[tuple(hand(copy, seat) for seat in seats)] += 1
    return counts


def assert_uniform(counts: Counter, n_worlds: int) -> None:
    degrees = n_worlds - 1
    assert len(counts) == n_worlds
    assert chi_square(counts, n_worlds) < degrees + 3.3 * np.sqrt(2 * degrees)


def test_two_players_before_the_first_pick():
    """The other five cards are among the eleven not held: 462 hands."""
    assert_uniform(worlds_of_other_hands(load(2).new_game(seed=1), 0, 20_000), 462)


def test_two_players_in_the_second_round_without_memory():
    """4 of the 10 cards neither held nor laid: 210 hands."""
    state = load(2, memory=False).new_game(seed=1)
    play(state, 2)
    assert_uniform(worlds_of_other_hands(state, 1, 10_000), 210)


def test_two_players_in_the_second_round_with_memory():
    state = load(2).new_game(seed=1)
    play(state, 2)
    assert worlds_of_other_hands(state, 1, 100) == {(hand(state, 0),): 100}


def test_three_players_in_the_third_round_with_one_card_fewer():
    """Seat 0 has held all three hands; in the round before, one hand of 4 among 9 unseen cards: 126 hands."""
    state = load(3).new_game(seed=1)
    play(state, 3)
    assert_uniform(worlds_of_other_hands(state, 0, 6_000), 126)
    play(state, 3)
    assert len(worlds_of_other_hands(state, 0, 100)) == 1


def test_four_players_split_what_is_left():
    """Second round, two hands of 4 unknown and 8 cards unseen: 70 ways."""
    state = load(4).new_game(seed=1)
    play(state, 4)
    assert_uniform(worlds_of_other_hands(state, 2, 4_000), 70)


def test_hidden_pick_and_hand_together():
    """2 players, first round: the other has picked unseen one of 5 unknown of 11 cards: 11 × C(10, 4) worlds."""
    state = load(2, simultaneous_picks=True).new_game(seed=1)
    first = current_player(state)
    play(state, 1)
    rng = new_stream(13, ANALYSIS)
    worlds: Counter = Counter()
    for _ in range(30_000):
        copy = copy_of(state)
        determinize(copy, 1 - first, rng)
        worlds[int(copy.picks[first, 0]), hand(copy, first)] += 1
    assert_uniform(worlds, 11 * 210)


# Sessions.


def test_deals_of_later_tasks_cannot_be_foreseen(tmp_path):
    setup = load(3, mode="base", tables=write_tables(tmp_path / "all.toml"))
    state = setup.new_game(seed=1)
    next_deals = set()
    for number in range(20):
        copy = guess(state, 0, number)
        play(copy, 12)
        assert copy.leg == 1
        next_deals.add(tuple(hand(copy, seat) for seat in range(3)))
    assert len(next_deals) == 20


def test_knowledge_starts_anew_with_each_task(tmp_path):
    setup = load(3, mode="base", tables=write_tables(tmp_path / "all.toml"))
    state = setup.new_game(seed=1)
    play(state, 12)
    assert (state.leg, state.rounds) == (1, 0)
    assert len({hand(guess(state, 0, number), 1) for number in range(50)}) > 40


def test_players_on_the_same_deal_meet_the_same_later_deals(tmp_path):
    """Chance after the deal hangs on the record, not on what was played."""
    setup = load(3, mode="base", tables=write_tables(tmp_path / "all.toml"))
    deals = set()
    for choice in (0, -1):
        state = setup.new_game(seed=1)
        for _ in range(12):
            apply_action(state, legal(state)[choice])
        deals.add(tuple(hand(state, seat) for seat in range(3)))
    assert len(deals) == 1


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_observation_shows_own_hand_and_laid_cards(players):
    state = load(players).new_game(seed=3)
    play(state, players + 1)
    for player, other in itertools.permutations(range(players), 2):
        seen = np.frombuffer(observation(state, player), dtype=np.float32)
        rows, hands = seen[: 6 * 32].reshape(6, 32), seen[6 * 32 : 12 * 32].reshape(6, 32)
        step = (other - player) % players
        assert set(np.flatnonzero(hands[0])) == hand(state, player)
        assert set(np.flatnonzero(rows[step])) == set(notation.mask_cards(state.tableau[other]))
        assert set(np.flatnonzero(hands[step])) == (hand(state, other) if step == 1 else set())

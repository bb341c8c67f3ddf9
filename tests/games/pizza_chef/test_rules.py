"""The bonus game, phase by phase, and the laws that hold at every step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import MOST_OUTCOMES, apply_action, current_player, is_terminal, outcomes, resolve, returns
from engine.games.pizza_chef import notation, parse_pace
from engine.games.pizza_chef.rules import CALLING, DRAWING, FULL_BAG, JOKERS, N_PLACES, NOBODY, SEARCHING
from tests.games.pizza_chef.playing import EVERY_NUMBER_OF_PLAYERS, do, in_order, load
from tests.games.playing import copy_of, legal, states_of_random_game

# In the tables of these tests row a is all salami, b mushrooms, c pineapple, d olives, …, h paprika.


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_deal(players):
    setup = load(players)
    actives, at_a1 = set(), []
    for number in range(600):
        state = setup.new_game(seed=1, number=number)
        actives.add(int(state.active)) if state.turns == 1 else None
        at_a1.append(int(state.places[0]))
        assert np.bincount(state.places).tolist() == [8] * 8
    assert actives == set(range(players))
    assert np.all(abs(np.bincount(at_a1, minlength=8) - 75) < 6 * np.sqrt(75 * 7 / 8))


def test_all_but_the_player_with_the_bag_look():
    state = in_order(load(4), active=1, order="olives")
    asked = []
    for _ in range(3):
        asked.append(int(current_player(state)))
        do(state, "look a1")
    assert asked == [2, 3, 0]
    assert state.tick == 2
    assert not any(state.hats)


def test_any_place_may_be_looked_at_and_nothing_else():
    state = in_order(load(4), active=0, order="olives")
    assert legal(state) == list(range(N_PLACES))
    do(state, *["look a1"] * 6)  # together, and again
    assert state.n_looks.tolist()[:4] == [0, 2, 2, 2]


def test_who_sees_the_topping_gets_a_hat_and_the_bag():
    state = in_order(load(4), active=0, order="olives")
    do(state, "look a1", "look d5", "look b1")
    assert state.hats[:4].tolist() == [0, 0, 1, 0]
    assert state.turns >= 2
    assert state.places.tolist() == np.repeat(np.arange(8), 8).tolist()  # the slice is back in its place


def test_of_several_in_one_tick_chance_decides_evenly():
    winners = []
    for number in range(3000):
        state = in_order(load(4), active=0, order="olives")
        state.chance[0] = number
        do(state, "look d1", "look d2", "look d1")
        # an order may follow at once in which a joker brings a second hat: count the hat of this race only
        winners.append(int(np.flatnonzero(state.hats[:4])[0]) if state.hats.sum() == 1 else -1)
    counts = np.bincount([winner for winner in winners if winner >= 0], minlength=4)
    assert counts[0] == 0
    total = counts.sum()
    assert np.all(abs(counts[1:] - total / 3) < 6 * np.sqrt(total * 2 / 9))


def test_with_five_players_the_second_gets_a_hat_too_and_the_first_the_bag():
    state = in_order(load(5), active=0, order="olives")
    do(state, "look a1", "look d1", "look a1", "look a1")
    assert state.hats[:5].tolist() == [0, 0, 1, 0, 0]
    assert state.first == 2
    asked = []
    for text in ("look a1", "look a1", "look d2"):  # all but seat 0 and seat 2
        asked.append(int(current_player(state)))
        do(state, text)
    assert asked == [1, 3, 4]
    assert state.hats[4] >= 1
    assert state.turns >= 2


def test_with_four_players_there_is_no_second():
    state = in_order(load(4), active=0, order="olives")
    before = int(state.turns)
    do(state, "look d1", "look d2", "look a1")
    assert state.turns > before


def test_at_a_joker_nobody_searches():
    for players in (4, 5):
        setup = load(players)
        callers = []
        for number in range(2000):
            state = in_order(setup, active=1, order="olives")
            state.phase, state.due, state.tick = DRAWING, 0, 0
            state.order, state.bag = notation.NO_TOKEN, JOKERS
            resolve(state, 0)
            assert state.phase == CALLING
            state.chance[0] = number
            resolve(state, number % (players - 1))
            callers.append(int(np.flatnonzero(state.hats)[0]))
            assert state.hats.sum() == 1, "one hat, whatever the number of players"
            assert state.active == callers[-1]
        assert set(callers) == set(range(players)) - {1}


def test_orders_return_after_the_second_joker():
    state = in_order(load(4), active=1, order="olives")
    state.phase, state.due, state.tick, state.order = DRAWING, 0, 0, notation.NO_TOKEN
    state.bag = JOKERS
    resolve(state, 0)
    resolve(state, 0)
    assert int(state.bag).bit_count() == 1
    resolve(state, 0)
    resolve(state, 0)
    assert int(state.bag) == FULL_BAG


def test_four_hats_win_and_two_may_get_there_together():
    state = in_order(load(4), active=0, order="olives")
    state.hats[2] = 3
    do(state, "look a1", "look d5", "look b1")
    assert is_terminal(state)
    state = in_order(load(5), active=0, order="olives")
    state.hats[:5] = [0, 3, 3, 3, 3]
    do(state, "look a1", "look d5", "look b1", "look d8")
    assert is_terminal(state)
    utility = np.zeros(5)
    returns(state, utility)
    assert utility.tolist() == [0.0, 0.0, 0.5, 0.0, 0.5]


def test_the_round_of_the_fourth_hat_is_played_to_its_end():
    state = in_order(load(5), active=0, order="olives")
    state.hats[:5] = [0, 3, 3, 0, 0]
    do(state, "look d1", "look a1", "look a1", "look a1")
    assert state.hats[1] == 4
    assert not is_terminal(state)
    notation.audit(state)
    do(state, "look d1", "look a1", "look a1")
    assert is_terminal(state)
    assert state.hats[:5].tolist() == [0, 4, 4, 0, 0]


def test_every_tie_shares_the_win():
    for players in EVERY_NUMBER_OF_PLAYERS:
        for winners in range(1, players + 1):
            state = load(players).new_game(seed=1)
            state.hats[:players] = [3] * winners + [1] * (players - winners)
            utility = np.zeros(players)
            returns(state, utility)
            assert utility.tolist() == [1 / winners] * winners + [0.0] * (players - winners)


# Paces.


def test_a_slow_player_looks_less_often():
    state = in_order(load(3), active=0, order="olives")
    state.pace[2] = 3
    state.due = 0b010  # in tick 1 only seat 1 is through with a look
    notation.audit(state)
    asked = []
    for _ in range(8):
        asked.append((int(state.tick), int(current_player(state))))
        do(state, "look a1")
    assert asked == [(1, 1), (2, 1), (3, 1), (3, 2), (4, 1), (5, 1), (6, 1), (6, 2)]


def test_who_is_faster_calls_first_more_often():
    state = in_order(load(4), active=0, order="olives")
    state.pace[:4] = [1, 1, 2, 4]
    state.phase, state.due = CALLING, 0
    state.order = 8
    state.bag = FULL_BAG & ~(1 << 8)
    chances = np.zeros(MOST_OUTCOMES)
    assert outcomes(state, chances) == 3
    assert chances[:3] == pytest.approx(np.array([4, 2, 1]) / 7)


@pytest.mark.parametrize(
    ("text", "paces"), [("1", [1] * 4), ("3", [3] * 4), ("1,1,2,1", [1, 1, 2, 1]), (" 9, 8 ,7,6", [9, 8, 7, 6])]
)
def test_paces_are_read(text, paces):
    assert parse_pace(text, 4) == paces
    assert load(4, pace=text).template.pace[:4].tolist() == paces


@pytest.mark.parametrize("text", ["", "0", "10", "1,1", "1,1,1,1,1", "1,1,1,x", "1.5", "fast", "1,,1,1", "-1"])
def test_wrong_paces_are_refused_in_a_sentence(text):
    with pytest.raises(
        ValueError, match="pace is one number from 1 to 9, or 4 of them separated by commas, one a seat, not"
    ):
        load(4, pace=text)


# Wrong slices.


def test_a_wrong_snatch_is_out_for_the_round():
    state = in_order(load(4, wrong="sit_out"), active=0, order="olives")
    assert len(legal(state)) == 2 * N_PLACES
    do(state, "snatch a1", "look a1", "look a1")
    asked = []
    for _ in range(2):
        asked.append(int(current_player(state)))
        do(state, "look a2")
    assert asked == [2, 3]
    assert int(state.seen[1]) == 1, "he has seen it all the same"
    do(state, "look d1", "look a1")
    assert not state.out


def test_a_snatch_is_faster_than_a_look():
    for number in range(30):
        state = in_order(load(4, wrong="sit_out"), active=0, order="olives")
        state.chance[0] = number
        do(state, "look d1", "look d2", "snatch d3")
        assert state.hats[3] >= 1
        assert state.hats[1:3].sum() <= 1  # a joker may follow


def test_when_all_sit_out_the_bag_goes_to_the_left():
    state = in_order(load(3, wrong="sit_out"), active=0, order="olives")
    do(state, "snatch a1", "snatch a1")
    assert state.turns == 2 or state.hats.sum() > 0
    if state.turns == 2:
        assert state.active == 1


def test_a_round_that_finds_nothing_ends():
    state = in_order(load(3), active=0, order="olives")
    for _ in range(99):
        do(state, "look a1", "look a1")
    assert (state.turns, state.tick) == (1, 100)
    do(state, "look a1", "look a1")
    assert state.turns >= 2
    assert load(3, pace="1,9,2").template.most_ticks == 900


# Laws.


@settings(max_examples=25, deadline=None)
@given(
    st.integers(3, 8),
    st.sampled_from(["all", 0, 1, 8, 32]),
    st.sampled_from(["void", "sit_out"]),
    st.integers(1, 9),
    st.integers(0, 10**6),
)
def test_every_step_is_lawful(players, memory, wrong, pace, number):
    setup = load(players, memory=memory, wrong=wrong, pace=str(pace))
    for state in states_of_random_game(setup, number):
        notation.audit(state)
        assert np.bincount(state.places).tolist() == [8] * 8
        if state.phase == SEARCHING:
            assert int(state.bag) & JOKERS
            assert current_player(state) not in (state.active, state.first)
    assert max(state.hats) == 4
    assert state.hats.sum() <= 28, "the hats of the box are enough"


def test_paces_of_all_kinds_keep_the_contract():
    """The option is a free text, which the contract test leaves at its default."""
    from tests import test_contract as contract

    for players, pace, wrong in ((3, "1,2,3", "void"), (5, "9,1,1,4,2", "sit_out"), (8, "3", "void")):
        setup = load(players, pace=pace, wrong=wrong, max_turns=5)
        contract.test_a_game_runs_from_deal_to_end(setup)
        contract.test_nobody_notices_that_what_he_cannot_see_was_dealt_again(setup)
        contract.test_determinize_depends_on_nothing_but_what_the_player_knows(setup)
        contract.test_a_position_reads_back_byte_for_byte(setup)
        contract.test_what_the_key_draws_is_one_of_the_outcomes(setup)
        contract.test_secret_choices_can_be_taken_back(setup)


def test_nobody_was_first_before_the_first_look():
    state = load(4).new_game(seed=1)
    assert state.first == NOBODY
    again = copy_of(state)
    apply_action(again, 0)
    assert again.tobytes() != state.tobytes()

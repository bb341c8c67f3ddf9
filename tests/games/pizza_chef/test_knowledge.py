"""What a player knows: the slices that he has seen and not forgotten, and what all see; never where others look."""

import numpy as np
import pytest

from engine.contract import current_player, determinize, observe, revealed
from engine.games.pizza_chef import notation
from engine.games.pizza_chef.rules import OBSERVATION_SIZE
from engine.rng import ANALYSIS, new_stream
from tests.games.pizza_chef.playing import do, in_order, load
from tests.games.playing import copy_of, states_of_random_game


def guess(state, player: int, number: int = 0):
    copy = copy_of(state)
    determinize(copy, player, new_stream(11, ANALYSIS, number))
    return copy


def known(state, player: int) -> set[int]:
    return {place for place in range(64) if int(state.seen[player]) >> place & 1}


@pytest.mark.parametrize("memory", ["all", 0, 2, 8])
def test_what_was_seen_stays_and_all_else_is_dealt_anew(memory):
    setup = load(4, memory=memory)
    for state in states_of_random_game(setup, 3):
        for player in range(4):
            world = guess(state, player, int(state.turns))
            notation.audit(world)
            for place in known(state, player):
                assert world.places[place] == state.places[place]
            assert known(world, player) == known(state, player)
            assert notation.show(world, player) == notation.show(state, player)


def test_unseen_slices_are_dealt_evenly():
    state = in_order(load(4), active=0, order="olives")
    do(state, "look a1", "look a1", "look a1", "look a2", "look h8", "look h8")
    worlds = np.array([guess(state, 1, number).places for number in range(4000)])
    assert set(worlds[:, 0]) == set(worlds[:, 1]) == {0}
    left = np.array([6, *[8] * 7]) / 62  # of each topping, not counting two salami slices that he has seen
    for place in (2, 8, 63):
        shares = np.bincount(worlds[:, place], minlength=8) / 4000
        assert np.all(abs(shares - left) < 6 * np.sqrt(left * (1 - left) / 4000))


def test_looks_of_others_went_where_they_can_have_gone():
    """Seat 1 has looked for olives in vain, then for olives with luck; seat 2 knows that, but not where."""
    state = in_order(load(4), active=0, order="olives")
    do(state, "look a1", "look b1", "look c1", "look d3", "look b2", "look c2")
    places = set()
    for number in range(300):
        world = guess(state, 2, number)
        first, second = (int(place) for place in world.looks[1][:2])
        assert world.places[first] != 3
        assert world.places[second] == 3
        places.add(first)
    assert len(places) > 40
    assert [int(place) for place in guess(state, 1).looks[1][:2]] == [0, 26]


def test_nobody_sees_where_others_look():
    looks = set()
    for text in ("look a1", "look h8"):
        state = in_order(load(4), active=0, order="olives")
        do(state, text)
        out = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
        observe(state, 2, out)
        looks.add((out.tobytes(), notation.show(state, 2)))
        assert notation.tell(in_order(load(4), 0, "olives"), notation.parse_action(text), state, 2) == [
            "looks somewhere"
        ]
    assert len(looks) == 1


def test_only_he_who_looks_learns_what_lies_there():
    codes = {}
    for place, topping in (("a1", 0), ("b1", 1), ("c1", 2)):
        state = in_order(load(4), active=0, order="olives")
        do(state, f"look {place}", "look a1", "look a1")
        codes[topping] = [int(revealed(state, player)) for player in range(4)]
    assert len({code[1] for code in codes.values()}) == 3
    for player in (0, 2, 3):
        assert len({code[player] for code in codes.values()}) == 1
    assert codes[0][0] == 0, "the player with the bag learns nothing"


@pytest.mark.parametrize("memory", [0, 1, 2])
def test_old_looks_are_forgotten(memory):
    state = in_order(load(3, memory=memory), active=0, order="olives")
    for place in ("a1", "b1", "c1"):
        do(state, f"look {place}", "look h1")
    assert known(state, 1) == set([0, 8, 16][3 - memory :])


def test_the_mover_is_who_is_asked():
    state = in_order(load(3), active=2, order="olives")
    assert current_player(state) == 0

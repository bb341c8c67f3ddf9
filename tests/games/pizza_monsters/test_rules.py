"""The rulebook, phase by phase, and the laws that hold at every step."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import apply_action, current_player, is_terminal, returns
from engine.games.pizza_monsters import notation
from engine.games.pizza_monsters.rules import (
    FULL_BAG,
    JOKER_A,
    JOKER_B,
    JOKERS,
    N_SLICES,
    OVER,
    SLICES,
    TOPPINGS,
)
from tests.games.pizza_monsters.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    do,
    every_mixture,
    legal_texts,
    load,
    set_pizzas,
    show_order,
    slices_in_all,
)
from tests.games.playing import copy_of, legal, states_of_random_game

EXAMPLE = Path(__file__).parents[2] / "golden/option_files/pizza-monsters/slices.toml"


def pizzas_of(state, seat: int) -> list[str]:
    return [notation.slices_text(pizza) for pizza in state.pizzas[seat]]


def table(players: int = 3, active: int = 0, **options):
    """Return a table at which `active` has the bag."""
    state = load(players, **options).new_game(seed=1)
    state.active = active
    return state


# Setup.


def test_each_color_has_each_topping_once():
    assert [sorted(row.tolist()) for row in SLICES] == [list(range(8))] * 8


def test_no_two_pizzas_are_alike_and_three_toppings_meet_on_one_of_the_first_fourteen():
    pizzas = [frozenset(row[half : half + 4].tolist()) for row in SLICES for half in (0, 4)]
    assert len(set(pizzas)) == 16
    for three in itertools.combinations(range(8), 3):
        assert sum(set(three) <= pizza for pizza in pizzas[:14]) == 1
    assert pizzas[14:] == [frozenset({0, 1, 2, 4}), frozenset({3, 5, 6, 7})]


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_deal(players):
    setup, firsts = load(players), set()
    for number in range(60):
        state = setup.new_game(seed=1, number=number)
        firsts.add(int(state.active))
        for seat in range(players):
            for half, pizza in enumerate(state.pizzas[seat]):
                assert notation.pack(SLICES[seat, 4 * half : 4 * half + 4].tolist()) == pizza
        assert sum(notation.counts(state.box)) == N_SLICES - 8 * players
        assert state.hats.tolist() == [0] * 8
        assert state.turns == 1
    assert firsts == set(range(players))


def test_the_first_order_is_any_of_the_ten():
    drawn = np.bincount([int(load().new_game(seed=1, number=number).order) for number in range(3000)], minlength=10)
    assert np.all(abs(drawn - 300) < 6 * np.sqrt(300 * 0.9))


@pytest.mark.parametrize("option", ["random_split", "random_colors"])
def test_slices_of_a_color_stay_together(option):
    setup, seen = load(3, **{option: True}), set()
    for number in range(40):
        state = setup.new_game(seed=1, number=number)
        held = [sorted(parse(first) + parse(second)) for first, second in (pizzas_of(state, seat) for seat in range(3))]
        assert held == [sorted(TOPPINGS)] * 3
        seen.add(tuple(pizzas_of(state, 0)))
    assert len(seen) > (20 if option == "random_split" else 6)


def parse(text: str) -> list[str]:
    return [word for word in text.split() if word != "-"]


def test_shuffled_slices_come_from_all_colors():
    setup = load(2, slice_set="shuffled")
    alike = [max(notation.counts(sum(setup.new_game(1, number).pizzas[0]))) for number in range(40)]
    assert max(alike) > 1


# Drawing orders.


def test_an_order_is_laid_or_put_back():
    state = table()
    show_order(state, "salami")
    assert legal_texts(state) == ["lay", "put back"]
    do(state, "lay")
    assert not int(state.bag) & 1
    assert state.topping == 0


def test_what_is_put_back_may_be_drawn_again():
    state = table()
    show_order(state, "salami", "salami joker-a")
    drawn = set()
    for number in range(40):
        again = copy_of(state)
        again.chance[0] = number
        do(again, "put back")
        drawn.add(int(again.order))
        assert current_player(again) == 0 or again.order == 0
    assert drawn == {0, JOKER_A}


def test_the_second_order_cannot_be_put_back():
    state = table()
    show_order(state, "salami", "salami joker-b")
    for number in range(20):
        again = copy_of(state)
        again.chance[0] = number
        do(again, "put back")
        assert "put back" not in legal_texts(again)
        assert int(again.bag) == FULL_BAG & ~(1 << int(again.order)) & (1 << JOKER_B | 1)


def test_at_joker_a_any_topping_may_be_named():
    state = table()
    show_order(state, "salami", "salami joker-a")
    set_pizzas(state, {0: ("salami", "salami"), 1: ("olives", "salami"), 2: ("salami", "shrimp")})
    state.chance[0] = next(key for key in range(50) if first_redraw(state, key) == JOKER_A)
    do(state, "put back")
    assert legal_texts(state) == [f"name {topping}" for topping in TOPPINGS]
    do(state, "name olives")
    assert current_player(state) == 1
    assert legal_texts(state) == ["decline", "feed olives from pizza 1"]


def first_redraw(state, key: int) -> int:
    again = copy_of(state)
    again.chance[0] = key
    do(again, "put back")
    return int(again.order)


def test_at_joker_b_any_slice_fits():
    state = table(players=2)
    show_order(state, "salami", "salami joker-b")
    set_pizzas(state, {0: ("salami salami", "olives"), 1: ("olives", "shrimp paprika")})
    state.chance[0] = next(key for key in range(50) if first_redraw(state, key) == JOKER_B)
    do(state, "put back")
    assert legal_texts(state) == ["decline", "feed salami from pizza 1", "feed olives from pizza 2"]


# Feeding.


def test_who_has_no_fitting_slice_is_not_asked():
    state = table()
    set_pizzas(state, {0: ("salami", "olives"), 1: ("olives", "olives"), 2: ("shrimp", "salami")})
    show_order(state, "salami")
    do(state, "lay", "decline")
    assert current_player(state) == 2


def test_feeding_goes_clockwise_from_the_active_player_and_shows_at_the_end():
    state = table(active=1)
    set_pizzas(state, dict.fromkeys(range(3), ("salami olives", "salami")))
    show_order(state, "salami")
    do(state, "lay")
    before = state.box
    asked = []
    for text in ("feed salami from pizza 1", "decline", "feed salami from pizza 2"):
        asked.append(int(current_player(state)))
        assert state.box == before
        do(state, text)
    assert asked == [1, 2, 0]
    assert pizzas_of(state, 1) == ["olives", "salami"]
    assert pizzas_of(state, 2) == ["salami olives", "salami"]
    assert state.hats[:3].tolist() == [1, 0, 0]


def test_of_several_fitting_slices_one_is_chosen():
    state = table()
    set_pizzas(state, {0: ("salami olives", "salami salami")})
    show_order(state, "salami")
    do(state, "lay")
    assert legal_texts(state) == ["decline", "feed salami from pizza 1", "feed salami from pizza 2"]
    do(state, "feed salami from pizza 2")
    while current_player(state) != 0 and state.phase == notation.FEEDING:
        do(state, "decline")
    assert pizzas_of(state, 0) == ["salami olives", "salami"]


def test_must_feed_leaves_no_way_out():
    state = table(players=2, must_feed=True)
    set_pizzas(state, {0: ("salami olives", "salami"), 1: ("salami shrimp", "shrimp shrimp")})
    show_order(state, "salami")
    do(state, "lay")
    assert legal_texts(state) == ["feed salami from pizza 1", "feed salami from pizza 2"]
    do(state, "feed salami from pizza 1")
    assert pizzas_of(state, 1) == ["shrimp", "shrimp shrimp"]  # his only fitting slice went without a question


# A pizza is gone.


def finish(state, seats: tuple[int, ...]) -> None:
    """Let some seats feed their last salami of pizza 1, all others decline."""
    show_order(state, "salami")
    do(state, "lay")
    turn = state.turns
    while state.phase == notation.FEEDING and state.turns == turn:
        do(state, "feed salami from pizza 1" if current_player(state) in seats else "decline")


def test_a_finished_pizza_brings_a_hat_and_a_new_pizza():
    state = table(active=2)
    set_pizzas(state, {0: ("salami", "olives"), 2: ("salami", "olives")})
    finish(state, (0, 2))
    assert state.hats[:3].tolist() == [1, 0, 1]
    assert current_player(state) == 2
    do(state, "take salami", "take olives", "take olives", "take paprika")
    assert pizzas_of(state, 2) == ["salami olives olives paprika", "olives"]
    assert current_player(state) == 0
    assert "take salami" in legal_texts(state)  # what was just fed lies in the box
    do(state, "take shrimp", "take shrimp", "take shrimp", "take paprika")
    assert state.turns == 2
    assert state.active == 0


def test_a_new_pizza_is_taken_in_the_order_of_the_toppings():
    state = table(players=2)
    set_pizzas(state, {0: ("salami", "olives")})
    finish(state, (0,))
    seen = set()
    count_pizzas(state, seen)
    box = notation.counts(state.box)
    possible = {
        each
        for each in itertools.combinations_with_replacement(range(8), 4)
        if all(each.count(topping) <= box[topping] for topping in each)
    }
    assert seen == possible


def count_pizzas(state, seen: set) -> None:
    """Take every pizza in every legal way; no pizza may come twice."""
    if state.phase != notation.FILLING:
        found = notation.counts(state.pizzas[0, 0])
        pizza = tuple(topping for topping in range(8) for _ in range(found[topping]))
        assert pizza not in seen
        seen.add(pizza)
        return
    for action in legal(state):
        following = copy_of(state)
        apply_action(following, action)
        count_pizzas(following, seen)


# The jokers and the bag.


@pytest.mark.parametrize(("left", "returns_now"), [("salami olives joker-a", False), ("salami olives", True)])
def test_all_orders_return_when_both_jokers_are_out(left, returns_now):
    state = table(players=2)
    set_pizzas(state, {0: ("salami", "olives"), 1: ("shrimp", "shrimp")})
    show_order(state, "salami", "salami olives joker-a joker-b")
    do(state, "lay")
    state.bag = notation.parse_tokens(left)  # as if other orders had been laid as well
    do(state, "feed salami from pizza 1")
    assert state.phase == notation.FILLING
    assert int(state.bag) == notation.parse_tokens(left), "they return after filling, not before"
    do(state, "take salami", "take salami", "take salami", "take salami")
    drawn = 1 << int(state.order) if state.order < JOKER_A and state.phase != notation.CHOOSING else 0
    if returns_now:
        assert int(state.bag).bit_count() >= 9 - bool(drawn)
    else:
        assert int(state.bag) & ~notation.parse_tokens(left) == 0


def test_the_bag_always_has_a_joker_when_an_order_is_drawn():
    for number in range(30):
        for state in states_of_random_game(load(3), number):
            if state.phase == notation.CHOOSING:
                assert int(state.bag) & JOKERS


# The end.


def test_several_fourth_hats_share_the_win():
    state = table()
    set_pizzas(state, {0: ("salami", "olives"), 1: ("salami", "olives")}, hats={0: 3, 1: 3, 2: 3})
    finish(state, (0, 1))
    assert is_terminal(state)
    utility = np.zeros(3)
    returns(state, utility)
    assert utility.tolist() == [0.5, 0.5, 0.0]
    assert notation.explain_result(state).splitlines()[-1].startswith("seat 0 and seat 1 share the win")


def test_every_tie_shares_the_win():
    for players in EVERY_NUMBER_OF_PLAYERS:
        for winners in range(1, players + 1):
            state = table(players)
            set_pizzas(
                state,
                {seat: ("salami", "olives") if seat < winners else ("shrimp", "onions") for seat in range(players)},
                hats=dict.fromkeys(range(players), 3),
            )
            finish(state, tuple(range(winners)))
            utility = np.zeros(players)
            returns(state, utility)
            assert utility.tolist() == [1 / winners] * winners + [0.0] * (players - winners)


def test_the_game_ends_before_the_last_pizza_is_replaced():
    state = table()
    set_pizzas(state, {0: ("salami", "olives")}, hats={0: 3})
    finish(state, (0,))
    assert state.phase == OVER
    assert pizzas_of(state, 0) == ["-", "olives"]


def test_the_extension_goes_on_until_one_leads_alone():
    state = table(extension=True)
    set_pizzas(state, {0: ("salami", "olives"), 1: ("salami", "olives")}, hats={0: 3, 1: 3, 2: 1})
    finish(state, (0, 1))
    assert not is_terminal(state)
    do(state, *["take salami"] * 4, *["take olives"] * 4)
    assert state.turns == 13
    set_pizzas(state, {2: ("salami", "olives"), 1: ("olives", "salami salami")})
    state.active = 0
    state.hats[2] = 3
    finish(state, (2,))
    assert not is_terminal(state), "three have four hats now"
    do(state, *["take salami"] * 2, *["take olives"] * 2)
    set_pizzas(state, {1: ("salami", "olives")})
    state.turns = 20
    finish(state, (1,))
    assert is_terminal(state)
    assert state.hats[:3].tolist() == [4, 5, 4]


def test_the_short_game_goes_on_with_one_pizza_and_ends_with_two_hats():
    state = table(players=2, short=True)
    set_pizzas(state, {0: ("salami", "salami olives"), 1: ("shrimp", "shrimp")})
    finish(state, (0,))
    assert pizzas_of(state, 0) == ["-", "salami olives"]
    assert state.hats[0] == 1
    assert state.turns == 2
    set_pizzas(state, {0: ("", "salami")})
    state.turns = 8
    show_order(state, "salami")
    do(state, "lay", "feed salami from pizza 2")
    assert is_terminal(state)
    assert state.hats[:2].tolist() == [2, 0]


def test_a_game_that_is_broken_off_goes_to_most_hats():
    state = table(players=2, max_turns=10)
    set_pizzas(state, {0: ("salami", "olives"), 1: ("salami", "olives")}, hats={1: 1})
    state.turns = 10
    show_order(state, "salami")
    do(state, "lay", "decline", "decline")
    assert is_terminal(state)
    utility = np.zeros(2)
    returns(state, utility)
    assert utility.tolist() == [0.0, 1.0]
    assert "broken off" in notation.explain_result(state)


# Variants.


def test_the_simplified_game_has_nine_orders_and_nothing_is_put_back():
    for joker, other in (("a", JOKER_B), ("b", JOKER_A)):
        for number in range(10):
            for state in states_of_random_game(load(3, simplified=True, simple_joker=joker), number):
                assert "put back" not in legal_texts(state)
                assert not int(state.bag) >> other & 1
                assert state.order != other


def test_in_the_simplified_game_all_orders_return_after_the_joker():
    state = table(players=2, simplified=True)
    set_pizzas(state, {0: ("salami", "olives"), 1: ("shrimp", "shrimp")})
    state.phase, state.order, state.topping, state.seat, state.due = notation.FEEDING, JOKER_B, 8, 0, 0b11
    state.bag = notation.parse_tokens("olives shrimp")
    notation.audit(state)
    do(state, "feed olives from pizza 2", "decline")
    assert int(state.bag) == notation.parse_tokens("olives shrimp")
    do(state, *["take salami"] * 4)
    assert int(state.bag).bit_count() >= 8


def test_blind_pizzas_are_drawn_from_what_the_box_holds():
    setup = load(3, blind=True)
    first = {tuple(pizzas_of(setup.new_game(1, number), 0)) for number in range(40)}
    assert len(first) > 30
    state = setup.new_game(1)
    state.active = 0
    set_pizzas(state, {0: ("salami", "olives")})
    made = []
    for number in range(2000):
        again = copy_of(state)
        again.chance[0] = number
        finish(again, (0,))
        made.append(notation.counts(again.pizzas[0, 0]))
    box = np.array(notation.counts(state.box)) + np.eye(8)[0]
    expected = 4 * box / box.sum()
    assert np.all(abs(np.mean(made, axis=0) - expected) < 6 * np.sqrt(expected / 2000))


def test_in_a_mixed_start_every_split_is_met_once():
    state = load(2, mixed=True).new_game(seed=1)
    seen = set()

    def split_on(state):
        if state.phase != notation.SPLITTING or state.due != 0b11:
            seen.add(tuple(pizzas_of(state, int(first))))
            return
        for action in legal(state):
            following = copy_of(state)
            apply_action(following, action)
            split_on(following)

    first = state.seat
    split_on(state)
    assert len(seen) == 35  # half of the ways to choose four of eight
    assert {frozenset(pair) for pair in seen} == {frozenset(pair) for pair in seen if pair[0].startswith("salami")}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"short": True, "extension": True}, "short and extension exclude each other: with two hats"),
        ({"blind": True, "mixed": True}, "blind and mixed exclude each other"),
        ({"blind": True, "random_split": True}, "blind and random_split exclude each other"),
        ({"blind": True, "random_colors": True}, "blind and random_colors exclude each other"),
        ({"mixed": True, "random_split": True}, "mixed and random_split exclude each other"),
        ({"max_turns": 11}, "option max_turns of pizza-monsters is 10, 20, 50, 100, 1000, not '11'"),
        ({"slices": "nowhere.toml"}, "the slices file 'nowhere.toml' cannot be read"),
    ],
)
def test_what_does_not_fit_together_is_refused_in_a_sentence(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        load(4, **options)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("[color.8]", "[color.9]"), r"wants the sections \[color.1\] to \[color.8\]"),
        (("mice", "cats"), "mice of color 1"),
        (('"olives", ', ""), "is not a list of 4 toppings"),
        (('"olives"', '"tofu"'), "'tofu' in .* is no topping"),
        (("[color.1]", "color"), "is not TOML"),
        (('"mushrooms"', '"salami"'), "has 18 slices with salami; at most 15 are allowed"),
    ],
)
def test_a_wrong_file_of_slices_is_refused_in_a_sentence(change, sentence, tmp_path):
    example = EXAMPLE.read_text(encoding="utf-8")
    file = tmp_path / "slices.toml"
    file.write_text(example.replace(*change))
    with pytest.raises(ValueError, match=sentence):
        load(4, slices=str(file))


# Laws.


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 8), st.integers(0, 10**6), st.integers(0, 10**6))
def test_slices_and_orders_are_conserved_and_refills_never_fail(players, which, number):
    mixtures = list(every_mixture(players))
    setup = mixtures[which % len(mixtures)]
    full = {int(notation.BAGS[int(setup.template.simplified)])}
    wanted = np.bincount(np.ravel(setup.template.slices), minlength=8).tolist()
    hats = [0] * players
    for state in states_of_random_game(setup, number):
        notation.audit(state)
        assert slices_in_all(state) == wanted
        assert sum(slices_in_all(state)) == N_SLICES
        assert int(state.bag) & ~max(full) == 0
        if state.phase == notation.FILLING:
            n_fill = int(state.due).bit_count()
            assert sum(notation.counts(state.box)) >= 4 * n_fill - int(state.n_taken)
        assert all(later >= earlier for earlier, later in zip(hats, state.hats.tolist(), strict=False))
        hats = state.hats[:players].tolist()


def test_no_hat_without_four_turns():
    for number in range(20):
        for state in states_of_random_game(load(2), number):
            assert 4 * int(max(state.hats)) <= int(state.turns)

"""What a player may know: all but the secret choices of others and what will be drawn."""

import numpy as np
import pytest

from engine.contract import canonical, determinize, observe, revealed
from engine.games.pizza_monsters import notation
from engine.games.pizza_monsters.rules import JOKER_A, OBSERVATION_SIZE
from engine.rng import ANALYSIS, new_stream
from tests.games.pizza_monsters.playing import do, legal_texts, load, set_pizzas, show_order
from tests.games.playing import copy_of, states_of_random_game


def guess(state, player: int, number: int = 0):
    copy = copy_of(state)
    determinize(copy, player, new_stream(11, ANALYSIS, number))
    return copy


def observation(state, player: int) -> bytes:
    out = np.zeros(OBSERVATION_SIZE, dtype=np.float32)
    observe(state, player, out)
    return out.tobytes()


def open_table(players: int = 3):
    """Return a table at which all hold salami on both pizzas and have just been asked to feed it."""
    state = load(players).new_game(seed=1)
    state.active = 0
    set_pizzas(state, dict.fromkeys(range(players), ("salami olives", "salami shrimp")))
    show_order(state, "salami")
    do(state, "lay")
    return state


def test_draws_cannot_be_foreseen():
    state = load().new_game(seed=1)
    show_order(state, "salami")
    drawn = []
    for number in range(3000):
        world = guess(state, 0, number)
        do(world, "put back")
        drawn.append(int(world.order) if world.order != notation.NO_TOKEN else -1)
    counts = np.bincount(drawn, minlength=10)
    assert np.all(abs(counts - 300) < 6 * np.sqrt(300 * 0.9))


def test_secret_choices_are_guessed_evenly_and_the_own_is_known():
    state = open_table()
    do(state, "feed salami from pizza 2", "feed salami from pizza 1")  # seats 0 and 1
    guessed = np.array([guess(state, 2, number).choices[:3] for number in range(3000)])
    options = [0, 1, 9]  # decline, salami from pizza 1, from pizza 2
    for seat in (0, 1):
        for option in options:
            assert abs((guessed[:, seat] == option).mean() - 1 / 3) < 6 * np.sqrt(2 / 9 / 3000)
    assert all(guess(state, 0, number).choices[0] == 9 for number in range(20))
    assert {int(guess(state, 0, number).choices[1]) for number in range(60)} == set(options)


def test_nobody_sees_a_choice_before_all_have_chosen():
    looks = []
    for text in ("decline", "feed salami from pizza 1", "feed salami from pizza 2"):
        state = open_table()
        do(state, text)
        looks.append((observation(state, 1), notation.show(state, 1), legal_texts(state)))
        assert text in notation.show(state, 0)
        assert notation.tell(open_table(), notation.parse_action(text), state, 1)[0] == "decides about feeding"
    assert looks[0] == looks[1] == looks[2]


def test_once_fed_all_is_in_the_open():
    state = open_table(2)
    before = copy_of(state)
    do(state, "feed salami from pizza 1")
    last = copy_of(state)
    do(state, "decline")
    assert not any(state.choices)
    told = notation.tell(last, notation.DECLINE, state, 1)
    assert any("seat 0 feeds salami from pizza 1" in line for line in told)
    assert state.box == before.box + np.uint64(1)


def test_news_are_what_chance_has_shown():
    codes = {}
    for number in range(300):
        state = load().new_game(seed=1)
        show_order(state, "salami")
        state.chance[0] = number
        do(state, "put back")
        codes.setdefault(int(revealed(state, 0)), set()).add(int(state.order))
        assert 0 < revealed(state, 0) < 2**31
    assert all(len(orders) == 1 for orders in codes.values())
    assert JOKER_A in set().union(*codes.values())
    state = open_table()
    assert revealed(state, 0) == 0
    do(state, "decline")
    assert revealed(state, 1) == 0


@pytest.mark.parametrize("variant", [{}, {"short": True}, {"must_feed": True, "short": True}])
def test_renaming_toppings_and_swapping_pizzas_changes_nothing(variant):
    """A table and the same with other names are canonically one."""
    chance = np.random.default_rng(3)
    setup = load(2, **variant)
    n_compared = 0
    for number in range(6):
        for state in states_of_random_game(setup, number):
            if state.phase not in (notation.CHOOSING, notation.NAMING):
                continue
            renamed = rename(state, chance.permutation(8), chance.integers(0, 2, 2))
            first, second = copy_of(state), copy_of(renamed)
            for each in (first, second):
                canonical(each)
                determinize(each, 0, new_stream(1, ANALYSIS))
            assert first.tobytes() == second.tobytes()
            n_compared += 1
    assert n_compared > 50


def rename(state, names, swaps):
    """Give every topping the name of another, and swap the pizzas of a seat or not."""
    renamed = copy_of(state)

    def pack(packed):
        return notation.pack([int(names[t]) for t, n in enumerate(notation.counts(packed)) for _ in range(n)])

    renamed.box = pack(state.box)
    for seat in range(2):
        for number in range(2):
            renamed.pizzas[seat, number ^ int(swaps[seat])] = pack(state.pizzas[seat, number])
    renamed.bag = int(state.bag) & notation.parse_tokens("joker-a joker-b")
    for topping in range(8):
        renamed.bag |= (int(state.bag) >> topping & 1) << int(names[topping])
    if state.order < 8:
        renamed.order = names[state.order]
    return renamed

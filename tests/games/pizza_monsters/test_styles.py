"""The rules of thumb: each does what its name says, all feed whenever they can and beat random play by far."""

import numpy as np
import pytest

import agents
from engine.contract import MOST_ACTIONS, appraise, choose, current_player, determinize, is_terminal, workspace
from engine.games.pizza_monsters import notation
from engine.games.pizza_monsters.styles import STYLES
from engine.rng import ANALYSIS, new_stream
from tests.games.pizza_monsters.playing import do, load, set_pizzas, show_order
from tests.games.playing import copy_of, legal, play_many, states_of_random_game

NAMES = [style.name for style in STYLES]
# Mean turns of bots that feed whenever they can, found by programs of others, by number of players; each ± .1
REFERENCE_TURNS = {2: 17.9, 3: 17.8, 4: 17.7, 8: 17.5}


def decision(state, style: str, **knobs) -> str:
    """Return what a style does, a draw of the ties included."""
    setup = load(int(state.players))
    words = ",".join(f"{name}={value}" for name, value in {"style": style, **knobs}.items())
    player = agents.make_player(f"greedy:{words}", setup)
    scratch = setup.blank_states(1)
    scratch[0] = state
    determinize(scratch[0], int(current_player(state)), new_stream(1, ANALYSIS))
    action = choose(player.knobs, scratch[0], workspace(player.knobs, scratch), new_stream(2, ANALYSIS))
    return notation.action_text(int(action))


def table(pizzas: dict, order: str, bag: str = ""):
    state = load(2).new_game(seed=1)
    state.active = 0
    set_pizzas(state, pizzas)
    show_order(state, order, bag)
    return state


@pytest.mark.parametrize("players", REFERENCE_TURNS)
def test_games_of_the_racer_take_as_many_turns_as_those_of_other_programs(players):
    n_games = 4000
    states, utility = play_many(load(players), ["greedy:style=racer"] * players, n_games)
    turns = states["turns"].astype(float)
    assert abs(turns.mean() - REFERENCE_TURNS[players]) < 0.1 + 3 * turns.std() / np.sqrt(n_games)
    assert turns.min() >= 16
    assert utility.sum(axis=1) == pytest.approx(1.0)


@pytest.mark.parametrize("style", NAMES)
def test_every_style_beats_random_play_by_far(style):
    shares = []
    for seats in ([f"greedy:style={style}", "uniform"], ["uniform", f"greedy:style={style}"]):
        _, utility = play_many(load(2), seats, 500)
        shares.append(utility[:, seats.index(f"greedy:style={style}")])
    assert np.mean(shares) > 0.94


def test_the_planner_beats_every_other_style():
    for style in NAMES[1:]:
        wins = []
        for seats in (
            ["greedy:style=planner", f"greedy:style={style}"],
            [f"greedy:style={style}", "greedy:style=planner"],
        ):
            _, utility = play_many(load(2), seats, 1500)
            wins.append(utility[:, seats.index("greedy:style=planner")])
        share = np.mean(wins, axis=0)
        assert share.mean() - 0.5 > 4 * share.std() / np.sqrt(len(share)), style


@pytest.mark.parametrize("style", NAMES)
def test_all_styles_feed_whenever_they_can(style):
    for number in range(4):
        for state in states_of_random_game(load(2), number):
            if state.phase == notation.FEEDING:
                assert decision(state, style) != "decline"


def test_keep_if_match():
    state = table({0: ("salami", "shrimp"), 1: ("salami", "olives")}, "salami")
    assert decision(state, "keep-if-match") == "lay"
    state = table({0: ("paprika", "shrimp"), 1: ("olives", "olives")}, "salami")
    assert decision(state, "keep-if-match") == "put back"


def test_the_denier_puts_back_what_feeds_the_rival():
    pizzas = {0: ("salami shrimp", "shrimp paprika onions olives"), 1: ("salami", "olives onions")}
    assert decision(table(pizzas, "salami"), "denier") == "put back"
    assert decision(table(pizzas, "salami"), "racer") == "lay"
    assert decision(table(pizzas, "paprika"), "denier") == "lay"
    assert decision(table(pizzas, "salami"), "denier", weight=0) == "lay", "the weight says how much rivals count"


def test_the_finisher_feeds_the_pizza_nearest_to_its_end():
    state = table({0: ("salami shrimp onions", "salami shrimp")}, "salami")
    do(state, "lay")
    assert decision(state, "finisher") == "feed salami from pizza 2"


def filling(pizzas: dict, bag: str):
    """Return a table at which seat 0 makes a new first pizza."""
    state = table({**pizzas, 0: ("salami", pizzas[0][1])}, "salami", bag)
    do(state, "lay", "feed salami from pizza 1")
    if state.phase == notation.FEEDING:
        do(state, "decline")
    assert state.phase == notation.FILLING
    return state


def new_pizza(state, style: str) -> set[str]:
    while state.phase == notation.FILLING:
        do(state, decision(state, style))
        if state.pizzas[0, 0] and sum(notation.counts(state.pizzas[0, 0])) == 4:
            break
    return set(notation.slices_text(state.pizzas[0, 0]).split())


def test_the_diversifier_takes_toppings_that_he_does_not_hold():
    state = filling({0: ("", "salami mushrooms pineapple olives"), 1: ("shrimp", "shrimp")}, "salami joker-a joker-b")
    assert new_pizza(state, "diversifier") == {"pepperoni", "onions", "shrimp", "paprika"}


def test_the_bag_counter_builds_for_the_orders_in_the_bag():
    bag = "salami olives onions shrimp paprika joker-a"
    state = filling({0: ("", "shrimp"), 1: ("mushrooms", "mushrooms")}, bag)
    assert new_pizza(state, "bag-counter") == {"olives", "onions", "shrimp", "paprika"}


def test_the_bag_counter_weighs_what_a_redraw_brings():
    pizzas = {0: ("salami", "olives"), 1: ("mushrooms", "mushrooms")}
    assert decision(table(pizzas, "mushrooms", "mushrooms salami olives joker-b"), "bag-counter") == "put back"
    assert decision(table(pizzas, "salami", "salami paprika onions joker-b"), "bag-counter") == "lay"


def test_the_joker_saver_gives_jokers_what_the_bag_does_not_order():
    state = table({0: ("salami olives", "shrimp"), 1: ("mushrooms", "mushrooms")}, "salami", "salami shrimp joker-b")
    state.phase, state.order, state.topping, state.due = notation.FEEDING, notation.JOKER_B, 8, 0b11
    state.bag = notation.parse_tokens("salami shrimp joker-a")
    notation.audit(state)
    assert decision(state, "joker-saver") == "feed olives from pizza 1"
    state = table({0: ("salami olives", "shrimp"), 1: ("mushrooms", "mushrooms")}, "salami", "salami shrimp joker-b")
    state.phase, state.order = notation.NAMING, notation.JOKER_A
    assert decision(state, "joker-saver") == "name olives"


@pytest.mark.parametrize("style", NAMES)
def test_appraisal_reads_nothing_hidden(style):
    setup = load(4)
    player = agents.make_player(f"greedy:style={style}", setup).knobs
    actions, values = np.empty(MOST_ACTIONS, dtype=np.int64), np.empty(MOST_ACTIONS)
    for state in states_of_random_game(setup, 5):
        if is_terminal(state):
            break
        seen = []
        for number in range(3):
            copy = copy_of(state)
            determinize(copy, int(current_player(state)), new_stream(number, ANALYSIS))
            actions[: len(legal(copy))] = legal(copy)
            appraise(copy, actions, len(legal(copy)), player.style, player.weight, player.table, values)
            seen.append(values[: len(legal(copy))].tolist())
        assert seen[0] == seen[1] == seen[2]

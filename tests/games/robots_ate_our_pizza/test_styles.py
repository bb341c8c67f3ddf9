"""The rules of thumb: each does something sensible in every task, and takes the best last card."""

import functools

import numpy as np
import pytest

from agents.greedy import Greedy
from engine.contract import (
    MOST_ACTIONS,
    apply_action,
    appraise,
    choose,
    current_player,
    determinize,
    is_terminal,
    workspace,
)
from engine.games.robots_ate_our_pizza import notation
from engine.games.robots_ate_our_pizza.rules import N_TOPPINGS
from engine.games.robots_ate_our_pizza.styles import STYLES
from engine.rng import ANALYSIS, new_stream
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robots_ate_our_pizza.playing import EVERY_TASK, UNIFORM, greedy, load, play_many, words
from tests.naive.robots_ate_our_pizza import goal_of, score_hand

NAMES = [style.name for style in STYLES]
N_GAMES = 1_000


@functools.cache
def fitted_table(style: str, topping: int) -> np.ndarray:
    """Return what a style thinks of all sets at 4 players; the four tasks of a topping share it."""
    return greedy(load(task=4 * topping + 1), style).table


def player_of(style: str, task: int):
    return Greedy(style=NAMES.index(style), table=fitted_table(style, (task - 1) // 4)), load(task=task)


@functools.cache
def random_utility(task: int) -> np.ndarray:
    return play_many(load(task=task), UNIFORM, N_GAMES)[1]


@pytest.mark.parametrize("task", EVERY_TASK)
@pytest.mark.parametrize("style", NAMES)
def test_no_style_is_worse_than_random_play(style, task):
    """Compare on the same 1,000 deals at 4 players: not worse by three standard errors, on a fixed seed."""
    player, setup = player_of(style, task)
    gain = play_many(setup, player, N_GAMES)[1] - random_utility(task)
    assert gain.mean() > -3 * gain.std() / np.sqrt(N_GAMES)


@pytest.mark.parametrize("task", EVERY_TASK)
def test_team_beats_random_play_by_far(task):
    player, setup = player_of("team", task)
    gain = play_many(setup, player, N_GAMES)[1] - random_utility(task)
    assert gain.mean() > 4 * gain.std() / np.sqrt(N_GAMES)


def test_looking_at_the_team_pays():
    """Task 1 at 4 players: own < potential < team, each by a clear margin on the same deals."""
    totals = {style: play_many(load(), player_of(style, 1)[0], 2_000)[0] for style in ("own", "potential", "team")}
    for worse, better in (("own", "potential"), ("potential", "team")):
        gain = totals[better] - totals[worse]
        assert gain.mean() > 5 * gain.std() / np.sqrt(len(gain))


def test_styles_for_differences_are_team_in_other_tasks():
    for task in (1, 2, 21, 22):
        team, _ = play_many(load(task=task), player_of("team", task)[0], 100)
        for style in ("star-maker", "anchor", "equalizer"):
            assert np.array_equal(team, play_many(load(task=task), player_of(style, task)[0], 100)[0])


@pytest.mark.parametrize("task", [3, 7, 11, 15, 19, 23])
def test_equalizer_is_team_where_the_difference_should_be_high(task):
    setup = load(task=task)
    team, _ = play_many(setup, player_of("team", task)[0], 100)
    assert np.array_equal(team, play_many(setup, player_of("equalizer", task)[0], 100)[0])


@pytest.mark.parametrize("style", ["own", "potential", "team"])
@pytest.mark.parametrize("task", [task for task in EVERY_TASK if goal_of(task).endswith("total")])
def test_the_last_pick_is_the_best_for_the_hand(style, task):
    player, setup = player_of(style, task)
    best_of = max if goal_of(task) == "highest total" else min
    states = setup.blank_states(1)
    space, rng = workspace(player, states), new_stream(1, ANALYSIS)
    for number in range(6):
        for state in states_of_random_game(setup, number):
            if state.rounds == 3:
                laid = words(notation.mask_cards(state.tableau[state.seat]))
                worth = {card: score_hand([*laid, *words([card])], task) for card in legal(state)}
                assert worth[choose(player, copy_of(state), space, rng)] == best_of(worth.values())


@pytest.mark.parametrize("style", NAMES)
def test_appraisal_reads_nothing_hidden(style):
    """Swap what the mover cannot know: he must like his cards as before."""
    setup = load(5, simultaneous_picks=True)
    player = greedy(setup, style)
    actions, values = np.empty(MOST_ACTIONS, dtype=np.int64), np.empty(MOST_ACTIONS)
    state = setup.new_game(seed=2)
    while not is_terminal(state):
        seen = []
        for number in range(3):
            copy = copy_of(state)
            determinize(copy, current_player(state), new_stream(number, ANALYSIS))
            n_legal = len(legal(copy))
            actions[:n_legal] = legal(copy)
            appraise(copy, actions, n_legal, player.style, player.weight, player.table, values)
            seen.append(values[:n_legal].tolist())
        assert seen[0] == seen[1] == seen[2]
        apply_action(state, legal(state)[0])


def test_noise_1_is_random_play():
    setup = load()
    noisy, _ = play_many(setup, greedy(setup, "team", noise=1.0), 4_000)
    assert abs(noisy.mean() - 22.31) < 3 * np.hypot(0.04, noisy.std() / np.sqrt(4_000))


def test_promise_of_a_full_hand_is_its_points():
    """A table holds points at four cards, and its promise for nothing lies between the worst and the best hand."""
    for topping in range(N_TOPPINGS):
        table = fitted_table("potential", topping)[topping]
        assert np.array_equal(table[0, -35_960:], -table[1, -35_960:])
        assert table[0, -35_960:].min() <= -table[1, 0] < table[0, 0] <= table[0, -35_960:].max()

"""The restricted agent: what it never does, what it does instead, and that it is the other agent otherwise."""

import numpy as np
import pytest

from agents import make_player
from engine import load_game
from engine.contract import (
    MOST_ACTIONS,
    apply_action,
    appraise,
    choose,
    find_game,
    game_names,
    is_terminal,
    legal_actions,
    workspace,
)
from engine.rng import new_stream
from tests.toys import nim

NIM = load_game(nim.GAME.name)
BARRED = set(nim.FIRST_HEAP)
DEALS = 40


def ask(text, state, number):
    """Return what an agent answers in a copy of a state, with stream `number`."""
    player = make_player(text, NIM)
    states = NIM.blank_states(1)
    states[0] = state
    return int(choose(player.knobs, states[0], workspace(player.knobs, states), new_stream(1, 9, number)))


def legal(state):
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    return actions[: legal_actions(state, actions)].tolist()


def positions():
    """Yield the states of some random games, each with a number of its own."""
    for deal in range(DEALS):
        state = NIM.new_game(4, deal)
        n_moves = 0
        while not is_terminal(state):
            yield 100 * deal + n_moves, state
            apply_action(state, ask("uniform", state, 100 * deal + n_moves))
            n_moves += 1


def left(state):
    """Return what may be played without the first heap, and whether that is some but not all."""
    actions = legal(state)
    allowed = [action for action in actions if action not in BARRED]
    return allowed or actions, 0 < len(allowed) < len(actions)


def test_every_habit_is_a_choice_that_somebody_has_and_can_do_without():
    for name in game_names():
        game = find_game(name)
        for habit in game.habits:
            setup = load_game(name, **habit.needs)
            knobs = make_player(f"restricted:without={habit.name}", setup).knobs
            assert knobs.barred.shape == (game.occasions, game.n_actions)
            assert np.flatnonzero(knobs.barred.any(axis=0)).tolist() == sorted(habit.actions)
            for action in habit.actions:
                game.notation.action_text(action)


@pytest.mark.parametrize("player", ["uniform", "greedy", "mcts,player.iterations=20", "erring,player.error_rate=0.5"])
def test_without_a_habit_nothing_of_it_is_played_while_there_is_a_choice(player):
    n_choices = 0
    for number, state in positions():
        allowed, is_choice = left(state)
        assert ask(f"restricted:player={player},without=first-heap", state, number) in allowed
        n_choices += is_choice
    assert n_choices > 50


def test_the_next_best_is_played_instead_and_the_others_own_choice_where_it_may():
    values = np.empty(MOST_ACTIONS)
    n_worse, n_as_good = 0, 0
    for number, state in positions():
        actions = legal(state)
        appraise(state, np.array(actions), len(actions), 0, 1.0, np.zeros((1, 1, 1), dtype=np.float32), values)
        worth = dict(zip(actions, values[: len(actions)].tolist(), strict=True))
        allowed, is_choice = left(state)
        best = max(worth[action] for action in allowed)
        assert worth[ask("restricted:player=greedy,without=first-heap", state, number)] == best
        n_worse += max(worth.values()) > best
        n_as_good += is_choice and max(worth.values()) == best
    assert min(n_worse, n_as_good) > 5


def test_a_search_plays_the_most_visited_of_what_is_left():
    """With so many simulations it wins from won positions as far as the other heaps allow."""
    n_won = 0
    for number, state in positions():
        allowed, is_choice = left(state)
        heaps = [int(heap) for heap in state.heaps]
        wins = [action for action in allowed if _sum_after(heaps, action) == 0]
        if is_choice and wins and sum(heaps) <= 5 and n_won < 12:
            answer = ask("restricted:player=mcts,player.iterations=3000,without=first-heap", state, number)
            assert answer in wins
            n_won += 1
    assert n_won > 5


def _sum_after(heaps, action):
    """Return the binary sum without carry after a move; 0 leaves the other a lost position (Bouton 1901)."""
    after = list(heaps)
    after[action // nim.LARGEST_HEAP] -= action % nim.LARGEST_HEAP + 1
    return after[0] ^ after[1] ^ after[2]


def test_a_uniform_player_is_uniform_over_what_is_left():
    state = next(state for _, state in positions() if left(state)[1] and len(left(state)[0]) == 3)
    allowed, _ = left(state)
    answers = [ask("restricted:without=first-heap", state, number) for number in range(900)]
    counts = [answers.count(action) for action in allowed]
    assert sum(counts) == 900
    assert min(counts) > 240  # 300 wanted; four standard deviations


def test_an_agent_that_cannot_say_is_asked_anew_and_in_the_end_anything_left_will_do():
    state = next(
        state
        for number, state in positions()
        if left(state)[1] and {ask("greedy", state, 1000 * number + each) for each in range(30)} <= BARRED
    )
    stubborn = "restricted:player=erring,player.player=greedy,player.error_rate=0,without=first-heap"
    assert {ask(stubborn, state, number) for number in range(200)} == set(left(state)[0])


def test_without_nothing_it_is_the_other_agent():
    for number, state in positions():
        assert ask("restricted:player=greedy", state, number) == ask("greedy", state, number)


def test_a_habit_of_one_occasion_is_barred_on_that_one_only():
    n_free = 0
    for number, state in positions():
        allowed, is_choice = left(state)
        answers = {ask("restricted:without=first-heap-in-seat-1", state, 50 * number + each) for each in range(5)}
        if state.seat == 1:
            assert answers <= set(allowed)
        else:
            n_free += is_choice and bool(answers & BARRED)
    assert n_free > 10


@pytest.mark.parametrize(
    ("game", "text", "sentence"),
    [
        ("robots-ate-our-pizza", "restricted:without=green", "has no habit 'green'; its habits: red, blue, yellow"),
        ("robots-ate-our-pizza", "restricted:without=red+", "has no habit ''"),
        ("robots", "restricted:without=laser", "is a choice with the option optional_powers=true only"),
    ],
)
def test_a_wrong_habit_gets_a_sentence(game, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        make_player(text, load_game(game))

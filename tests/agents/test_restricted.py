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
    occasion,
    workspace,
)
from engine.rng import new_stream

DRAFT = load_game("robots-ate-our-pizza", players=3)
RED = set(range(8))  # action ids


def ask(text, setup, state, number, seat_stream=9):
    """Return what an agent answers in a copy of a state, with stream `number`."""
    player = make_player(text, setup)
    states = setup.blank_states(1)
    states[0] = state
    return int(choose(player.knobs, states[0], workspace(player.knobs, states), new_stream(1, seat_stream, number)))


def legal(state):
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    return actions[: legal_actions(state, actions)].tolist()


def positions(setup, n_deals, text="uniform"):
    """Yield the states of some games played by an agent."""
    for deal in range(n_deals):
        state = setup.new_game(4, deal)
        n_moves = 0
        while not is_terminal(state):
            yield state
            apply_action(state, ask(text, setup, state, 1000 * deal + n_moves))
            n_moves += 1


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


def test_without_a_habit_nothing_of_it_is_played_while_there_is_a_choice():
    mixed = 0
    for number, state in enumerate(positions(DRAFT, 4)):
        allowed = sorted(set(legal(state)) - RED)
        mixed += 0 < len(allowed) < len(legal(state))
        for text in ("uniform", "greedy"):
            answer = ask(f"restricted:player={text},without=red", DRAFT, state, number)
            assert answer in (allowed or legal(state))
    assert mixed > 10


def test_the_next_best_is_played_instead_and_the_others_own_choice_where_it_may():
    style = DRAFT.game.style_number("team")
    table = DRAFT.game.style_table(DRAFT, style)
    values = np.empty(MOST_ACTIONS)
    left, kept = 0, 0
    for number, state in enumerate(positions(DRAFT, 12)):
        actions = legal(state)
        appraise(state, np.array(actions), len(actions), style, 1.0, table, values)
        worth = dict(zip(actions, values[: len(actions)].tolist(), strict=True))
        allowed = {action: worth[action] for action in actions if action not in RED} or worth
        answer = ask("restricted:player=greedy,without=red", DRAFT, state, number)
        assert allowed[answer] == max(allowed.values())
        left += max(worth.values()) > max(allowed.values())
        kept += len(allowed) < len(worth) and max(worth.values()) == max(allowed.values())
    assert min(left, kept) > 5


def test_a_uniform_player_is_uniform_over_what_is_left():
    state = next(state for state in positions(DRAFT, 9) if len(set(legal(state)) - RED) == 3)
    allowed = sorted(set(legal(state)) - RED)
    answers = [ask("restricted:without=red", DRAFT, state, number) for number in range(900)]
    counts = [answers.count(action) for action in allowed]
    assert sum(counts) == 900
    assert min(counts) > 240  # 300 wanted; four standard deviations


@pytest.mark.slow
def test_an_agent_that_cannot_say_is_asked_anew_and_in_the_end_anything_left_will_do():
    state = next(
        state
        for state in positions(DRAFT, 9)
        if len(set(legal(state)) - RED) == 2 and ask("greedy", DRAFT, state, 0) in RED
    )
    allowed = sorted(set(legal(state)) - RED)
    stubborn = "restricted:player=erring,player.player=greedy,player.error_rate=0,without=red"
    assert {ask(stubborn, DRAFT, state, number) for number in range(40)} == set(allowed)


def test_without_nothing_it_is_the_other_agent():
    for number, state in enumerate(positions(DRAFT, 3)):
        assert ask("restricted:player=greedy", DRAFT, state, number) == ask("greedy", DRAFT, state, number)


@pytest.mark.slow
def test_a_habit_of_one_occasion_is_barred_on_that_one_only():
    setup = load_game("robots", optional_powers=True)
    use, seen = 377, dict.fromkeys((True, False), 0)
    laser = next(habit for habit in setup.game.habits if habit.name == "laser").occasions[0]
    for number, state in enumerate(positions(setup, 6)):
        if legal(state) != [376, use]:
            assert occasion(state) == 0
            continue
        answers = {ask("restricted:without=laser", setup, state, 50 * number + each) for each in range(25)}
        assert answers == ({376} if occasion(state) == laser else {376, use})
        seen[bool(occasion(state) == laser)] += 1
    assert min(seen.values()) > 0


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


@pytest.mark.slow
def test_a_search_keeps_to_what_it_is_left():
    player = "mcts,player.iterations=30"
    for number, state in enumerate(positions(DRAFT, 3)):
        allowed = sorted(set(legal(state)) - RED) or legal(state)
        assert ask(f"restricted:player={player},without=red", DRAFT, state, number) in allowed

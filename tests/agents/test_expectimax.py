"""Expectimax decides as exact methods do when it sees to the end, and is bounded by what it may look at."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import agents
from engine.contract import MOST_ACTIONS, apply_action, choose, current_player, legal_actions, load_game, workspace
from engine.games.pizza_monsters.rules import FEEDING
from engine.kernel import kernel
from engine.rng import ANALYSIS, new_stream
from engine.solver import Solution, solve
from tests.engine.test_search import decide, gaps_to, highest_total, positions_after
from tests.engine.test_solver import LATE, short_game
from tests.engine.test_toys import mover_wins
from tests.toys import die, nim, pennies

NO_REGRET = 1e-9
TO_THE_END = "expectimax:depth=40,states=10000000,table=20"


@pytest.mark.parametrize(("n_rolls", "keeps_from"), [(1, 5), (2, 4)])
def test_the_die_is_rolled_again_as_it_should(n_rolls, keeps_from):
    setup = load_game("toy-die")
    for face in range(1, die.N_FACES + 1):
        state = setup.new_game(1)
        state.n_rolls, state.face = n_rolls, face
        right = die.KEEP if face >= keeps_from else die.ROLL
        assert set(decide(setup, state, "expectimax", 20)) == {right}, f"face {face}"


@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_won_from_every_won_position(misere):
    setup = load_game("toy-nim", misere=misere)
    for heaps in itertools.combinations_with_replacement(range(nim.LARGEST_HEAP + 1), nim.N_HEAPS):
        if sum(heaps) == 0 or not mover_wins(heaps, misere):
            continue
        state = setup.blank_states(1)[0]
        state.heaps = heaps
        (action,) = decide(setup, state, "expectimax:depth=15,states=100000", 1)
        apply_action(state, action)
        assert not mover_wins(tuple(sorted(map(int, state.heaps))), misere)


def test_choices_in_secret_are_mixed_by_both():
    setup = load_game("toy-pennies")
    state = setup.new_game(1)
    for _ in range(2):  # who chooses first, then who chooses second and knows nothing of it
        shares = np.mean(np.array(decide(setup, state, "expectimax", 1000)) == pennies.HEADS)
        assert abs(shares - 0.5) < 5 * 0.5 / np.sqrt(1000)
        apply_action(state, pennies.TAILS)


def test_the_last_two_rounds_of_a_draft_are_played_perfectly():
    setup = load_game("robots-ate-our-pizza", players=4, task=1)
    states = positions_after(setup, 2, 6)
    optimum = np.array([highest_total(setup, state) for state in states])
    agent = "expectimax:depth=8,states=1000000,table=16"
    assert gaps_to(optimum, setup, states, agent).tolist() == [0] * 6


def test_what_is_hidden_is_sampled():
    """With one world he believes what he was dealt; with many he weighs them, and decides as the many do."""
    setup = load_game("robots-ate-our-pizza", players=2, task=1)
    state = positions_after(setup, 1, 1)[0]
    one = decide(setup, state, "expectimax:depth=3,states=100000,worlds=1", 3)
    many = decide(setup, state, "expectimax:depth=3,states=100000,worlds=60", 3)
    assert len(set(one)) == len(set(many)) == 1  # the worlds are the same ones each time


def test_few_states_are_enough_for_some_decision():
    setup = load_game("pizza-monsters", players=8)
    state = setup.new_game(1)
    actions = np.zeros(MOST_ACTIONS, dtype=np.int64)
    legal = actions[: legal_actions(state, actions)].tolist()
    assert set(decide(setup, state, "expectimax:states=1,depth=60", 5)) <= set(legal)


# The short game for two, against the solved table.


@kernel
def _choose_each(agent: Any, states: Any, scratch: Any, rng: Any, out: Any) -> None:
    space = workspace(agent, scratch)
    for index in range(len(states)):
        scratch[0] = states[index]
        out[index] = choose(agent, scratch[0], space, rng)


def regrets(solution: Solution, agent: str) -> np.ndarray:
    """Return by how much the agent falls short in each state of the table in which somebody moves."""
    setup, states = solution.setup, solution.decisions()
    chosen = np.zeros(len(states), dtype=np.int64)
    knobs = agents.make_player(agent, setup).knobs
    _choose_each(knobs, states, setup.blank_states(1), new_stream(1, ANALYSIS), chosen)
    return np.array([solution.advise(s).regret(int(action)) for s, action in zip(states, chosen, strict=True)])


@pytest.mark.parametrize(("late", "must_feed"), [(0, True), (1, True), (2, True), (2, False), (3, True)])
def test_late_in_the_short_game_nothing_is_given_away(late, must_feed):
    setup, state = short_game(*LATE[late], must_feed)
    solution = solve(setup, [state])
    assert regrets(solution, TO_THE_END).max() < NO_REGRET
    second = [each for each in _after_first_commitment(setup, solution) if current_player(each) == 1]
    for each in second[:40]:
        (action,) = decide(setup, each, TO_THE_END, 1)
        assert solution.advise(each).regret(action) < NO_REGRET


def _after_first_commitment(setup: Any, solution: Solution) -> list[Any]:
    """Return states in which one of two has already chosen in secret."""
    found = []
    actions = np.zeros(MOST_ACTIONS, dtype=np.int64)
    for state in solution.decisions():
        if state.phase == FEEDING and state.due == 0b11:
            following = setup.blank_states(1)
            following[0] = state
            legal_actions(state, actions)
            apply_action(following[0], int(actions[0]))
            found.append(following[0])
    return found


def test_a_shallow_search_does_give_something_away():
    setup, state = short_game(*LATE[1], must_feed=True)
    solution = solve(setup, [state])
    assert regrets(solution, "expectimax:depth=1").max() > 0.01


@pytest.mark.slow
def test_in_the_whole_short_game_nothing_is_given_away():
    """All states that any play reaches, where feeding is compulsory: 72,992 decisions, 2,945 of them mixed."""
    setup = load_game("pizza-monsters", players=2, short=True, must_feed=True)
    solution = solve(setup, [setup.new_game(1, number) for number in range(60)])
    found = regrets(solution, "expectimax:depth=40,states=100000000,table=24")
    assert len(found) == 72_992
    assert found.max() < NO_REGRET

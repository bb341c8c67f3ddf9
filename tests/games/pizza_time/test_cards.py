"""After the race: taking cards, paying for wrong pizzas, winning, and ties."""

import numpy as np
import pytest

from engine.contract import current_player, heuristic, is_terminal, returns
from engine.games.pizza_time import notation, rules
from engine.games.pizza_time.rules import WRONG
from tests.games.pizza_time.playing import load, order, play
from tests.games.playing import legal
from tests.naive.pizza_time import TOPPINGS


def texts(state) -> list[str]:
    return [notation.action_text(action) for action in legal(state)]


def claimed(setup, right: list[bool]):
    """Return a state after a race in which the first seats claimed one after another, with pizzas right or wrong."""
    for number in range(20_000):
        state = setup.new_game(1, number)
        if [bool(rules.has_right_pizza(state, seat)) for seat in range(len(right))] != right:
            continue
        for claimer in range(len(right)):
            for seat in range(claimer, setup.players):  # a pizza that claims later waits: two turns of a card forth
                play(state, "claim" if seat == claimer else "turn 1")
            if claimer + 1 < len(right) and not _still(state, right, claimer + 1):
                break
        else:
            return state
    raise AssertionError("no such deal")


def _still(state, right: list[bool], first: int) -> bool:
    found = [bool(rules.has_right_pizza(state, seat)) for seat in range(first, len(right))]
    return found == right[first:]


def test_those_who_are_right_take_in_the_order_of_their_numbers():
    state = claimed(load(3), [True, True])
    assert [int(each) for each in state.numbers[0, :3]] == [1, 2, 0]
    cards = order(state)
    assert current_player(state) == 0
    assert texts(state) == [f"take {each}" for each in TOPPINGS]
    play(state, "take olive")  # whether or not the pizza matches olives
    assert state.points[0] == cards["olive"]
    assert current_player(state) == 1
    assert texts(state) == [f"take {each}" for each in TOPPINGS[:3]]
    play(state, "take mushroom")
    assert state.points[1] == cards["mushroom"]
    assert state.rounds == 1
    assert state.cards == 0b1111


def test_who_was_wrong_gives_a_card_to_an_opponent():
    state = claimed(load(3), [False, True])
    assert [int(each) for each in state.numbers[0, :3]] == [1 + WRONG, 2, 0]
    assert current_player(state) == 0
    assert len(texts(state)) == 8
    assert not any("seat 0" in each for each in texts(state))
    cards = order(state)
    play(state, "give cheese to seat 2")
    assert state.points.tolist()[:3] == [0, 0, cards["cheese"]]
    assert current_player(state) == 1
    assert texts(state) == ["take mushroom", "take pepper", "take olive"]


def test_a_penalty_may_be_discarded():
    state = claimed(load(2, penalty="discard"), [False])
    assert texts(state) == [f"discard {each}" for each in TOPPINGS]
    play(state, "discard pepper")
    assert state.points.sum() == 0
    assert state.rounds == 1


def test_the_left_neighbor_may_choose_the_penalty():
    state = claimed(load(4, penalty_chooser="left"), [True, False, True])
    play(state, texts(state)[0])
    assert (current_player(state), int(state.serving)) == (2, 2)
    receivers = {each[-1] for each in texts(state)}
    assert receivers == {"0", "2", "3"}
    play(state, texts(state)[-1])
    assert (current_player(state), int(state.serving)) == (2, 3)
    assert texts(state)[0].startswith("take")


def test_a_rule_may_choose_the_penalty():
    """The lowest card goes to the opponent with the fewest points, without a decision."""
    for number in range(40):
        state = load(3, penalty_chooser="lowest").new_game(3, number)
        state.points[:3] = (7, 5, 2)
        cards = order(state)
        right = [bool(rules.has_right_pizza(state, seat)) for seat in range(2)]
        play(state, "claim", "turn 1", "turn 1", "claim", "turn 1")
        if right[0] or (state.numbers[0, 1] & WRONG):
            continue
        assert current_player(state) == 1
        assert state.points[:3].tolist() == [7, 5, 2 + min(cards.values())]
        assert state.cards.bit_count() == 3
        return
    raise AssertionError("no such deal")


def finished(points: list[int], numbers: list[list[int]]) -> list[float]:
    """Return the shares of a finished game with such points and number cards, by round, the last ones given."""
    state = load(len(points)).new_game(1)
    state.rounds, state.waiting, state.racing = 6, 0, 0
    state.points[: len(points)] = points
    for back, held in enumerate(reversed(numbers)):
        state.numbers[5 - back, : len(points)] = held
    assert is_terminal(state)
    utility = np.zeros(len(points))
    returns(state, utility)
    return utility.tolist()


@pytest.mark.parametrize(
    ("points", "numbers", "shares"),
    [
        ([5, 9, 8], [[1, 0, 2]], [0, 1, 0]),  # most points win
        ([9, 9, 8], [[2, 0, 1]], [1, 0, 0]),  # only who is tied counts
        ([9, 9, 8], [[2, 1, 0]], [0, 1, 0]),
        ([9, 9, 8], [[2, 1 + WRONG, 0]], [1, 0, 0]),  # a wrong pizza is not the fastest
        ([9, 9, 8], [[1, 2, 0], [0, 0, 1]], [1, 0, 0]),  # none of the tied in the last round: the one before
        ([9, 9, 9], [[1, 2, 0], [0, 2 + WRONG, 1]], [0, 0, 1]),
        ([9, 9, 8], [[0, 0, 1]] * 6, [0.5, 0.5, 0]),
        ([4, 4, 4, 4], [[0, 0, 0, 0]], [0.25] * 4),
    ],
)
def test_who_wins(points, numbers, shares):
    assert finished(points, numbers) == shares


def test_expert_rounds_want_all_four():
    state = load(2, expert=True, round_time_limit=1).new_game(1)
    while not is_terminal(state):
        play(state, "turn 1")
    assert state.types.tolist() == [4] * 6
    state = load(2, round_time_limit=1).new_game(1)
    while not is_terminal(state):
        play(state, "turn 1")
    assert state.types.tolist() == [2, 2, 3, 3, 4, 4]


def test_heuristic_follows_points():
    state = load(3).new_game(1)
    assert [heuristic(state, seat) for seat in range(3)] == pytest.approx([1 / 3] * 3)
    state.points[:3] = (6, 3, 0)
    early = [heuristic(state, seat) for seat in range(3)]
    state.rounds = 5
    late = [heuristic(state, seat) for seat in range(3)]
    assert sum(early) == pytest.approx(1)
    assert early[0] > early[1] > early[2]
    assert late[0] > early[0]
    assert late[2] < early[2]

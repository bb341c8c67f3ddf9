"""Text: actions, pizzas, positions there and back, errors in one sentence, and pictures that give nothing away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import apply_action, is_terminal
from engine.games.pizza_time import notation
from engine.games.pizza_time.rules import N_ACTIONS, N_PLACEMENTS
from tests.games.pizza_time.playing import OTHER_SET, load, play
from tests.games.playing import legal, states_of_random_game

EXAMPLE = "1F0 2B1 4F3 3B0"
OPTIONS = load().options


def test_every_action_there_and_back():
    texts = [notation.action_text(action) for action in range(N_ACTIONS)]
    assert texts[:16] == [
        "flip 1", "flip 2", "flip 3", "flip 4", "turn 1", "turn 2", "turn 3", "turn 4",
        "swap 1 2", "swap 1 3", "swap 1 4", "swap 2 3", "swap 2 4", "swap 3 4", "rebuild", "claim",
    ]  # fmt: skip
    assert [notation.parse_action(f"  {text.upper()} ") for text in texts] == list(range(N_ACTIONS))
    with pytest.raises(ValueError, match=r"an action is flip, turn .*not 'eat'"):
        notation.parse_action("eat")


@given(st.integers(0, N_PLACEMENTS - 1))
def test_every_placement_there_and_back(placement):
    assert notation.parse_placement(notation.placement_text(placement)) == placement


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1F0 2B1 4F3", "a pizza is four cards clockwise from the top left"),
        ("1F0 2B1 4F3 3B4", "quarter turns 0 to 3"),
        ("1F0 2B1 4F3 3X0", "side F or B"),
        ("1F0 2B1 4F3 1B0", "card 1 stands twice"),
        (EXAMPLE + ": 1 2", "an order is four numbers"),
        (EXAMPLE + ": 1 2 3 x", "an order is four numbers"),
    ],
)
def test_wrong_pizzas(text, words):
    with pytest.raises(ValueError, match=words):
        notation.explain(text, OPTIONS, None)


def test_a_pizza_explained():
    answer = notation.explain(EXAMPLE, OPTIONS, None)
    assert answer["totals"] == [1, 3, 3, 2]
    assert answer["points"] == 9
    assert {"name": "olive at the top seam", "points": 1} in answer["features"]
    assert {"name": "pepper on card 2", "points": 3} in answer["features"]
    assert len(answer["features"]) == 5
    assert notation.explain(EXAMPLE.lower() + ": 1, 2, 3, 2", OPTIONS, 4)["exact"] == ["mushroom", "cheese", "olive"]
    assert notation.explain(EXAMPLE, load(geometry="sum").options, None)["totals"] == [1, 3, 3, 1]
    assert notation.explain(EXAMPLE, load(card_set=str(OTHER_SET)).options, None)["totals"] == [1, 3, 3, 2]


def test_a_position_names_what_is_wrong():
    text = notation.position_text(load(3).new_game(1))
    with pytest.raises(ValueError, match="has no line 'tick'"):
        notation.parse_position("\n".join(line for line in text.splitlines() if not line.startswith("tick")))
    for name, value in (("tick", "x"), ("points", "1 2"), ("faces", "1000MOPX"), ("placement", "1F0"), ("left", "900")):
        lines = [f"{name}: {value}" if line.startswith(f"{name}:") else line for line in text.splitlines()]
        with pytest.raises(ValueError, match=f"line '{name}' of the position is wrong"):
            notation.parse_position("\n".join(lines))
    with pytest.raises(ValueError, match="a line of a position is `name: value`"):
        notation.parse_position("tick")


@pytest.mark.parametrize(
    ("field", "value", "law"),
    [
        ("players", 7, "players 7 is not 2 to 6"),
        ("rounds", 7, "rounds 7 is not 0 to 6"),
        ("limit", 0, "limit 0 is not 1"),
        ("waiting", 0, "nobody is to move"),
        ("racing", 1, "who races is not who has no number card"),
        ("cards", 3, "a card of the order is gone in the race"),
        ("tick", 30_000, "tick 30000 is not in the round"),
        ("serving", 1, "number 1 is served, but 0 are taken"),
        ("has_pace", 1, "has_pace is not what the paces say"),
    ],
)
def test_audit_names_the_broken_law(field, value, law):
    state = load(3).new_game(1)
    state[field] = value
    with pytest.raises(ValueError, match=law):
        notation.audit(state)


def test_audit_counts_cards_and_numbers():
    state = load(3).new_game(1)
    state.left[2] = 63
    with pytest.raises(ValueError, match="cards of the cheeses are missing"):
        notation.audit(state)
    state = load(3).new_game(1)
    state.numbers[0, 0] = 2
    with pytest.raises(ValueError, match="the number cards taken are"):
        notation.audit(state)
    state = load(3).new_game(1)
    state.placement[0] = N_PLACEMENTS
    with pytest.raises(ValueError, match="a placement does not exist"):
        notation.audit(state)


def test_show():
    state = load(3).new_game(1)
    assert notation.show(state).startswith("round 1 of 6, 2 toppings of: mushroom ")
    assert notation.show(state).splitlines()[0].endswith("tick 1")
    play(state, "swap 1 3")
    assert "chose swap 1 3" in notation.show(state)
    assert "chose swap 1 3" in notation.show(state, 0)
    assert "swap" not in notation.show(state, 1)
    assert "has chosen" in notation.show(state, 1)
    assert "> seat 1" in notation.show(state)
    play(state, "claim", "claim")
    assert "number 1 is served" in notation.show(state)


def test_explain_result():
    for number in range(10):
        *_, state = states_of_random_game(load(3), number)
        lines = notation.explain_result(state).splitlines()
        assert len(lines) == 10
        assert all(line.startswith(f"round {place}, ") for place, line in enumerate(lines[:6], start=1))
        assert lines[-1].startswith("seat")
    setup = load(2, card_set=str(OTHER_SET), unsolvable="void", expert=True)
    *_, state = states_of_random_game(setup, 0)
    assert "not played, no pizza fills the order" in notation.explain_result(state)


def test_a_whole_game_is_told():
    state = load(2).new_game(2)
    while not is_terminal(state):
        assert notation.show(state)
        apply_action(state, 15 if state.serving == 0 else legal(state)[0])
    assert notation.show(state).startswith("the game is over")

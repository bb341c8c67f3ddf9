"""Text: actions and positions there and back, pizzas scored, errors in one sentence, transcripts."""

import pytest

from engine.games.pizza_monsters import notation
from engine.games.pizza_monsters.rules import N_ACTIONS, TOPPINGS
from experiments.transcript import play_deal
from tests.games.pizza_monsters.playing import do, every_mixture, load, set_pizzas, show_order
from tests.games.playing import states_of_random_game


def test_every_action_there_and_back():
    texts = [notation.action_text(action) for action in range(N_ACTIONS)]
    assert [notation.parse_action(text) for text in texts] == list(range(N_ACTIONS))
    assert notation.parse_action("  Feed  OLIVES from pizza 2 ") == notation.parse_action("feed olives from pizza 2")


@pytest.mark.parametrize("text", ["", "feed", "feed olives", "feed olives from pizza 3", "take tofu", "name joker-a"])
def test_no_action(text):
    with pytest.raises(ValueError, match="a move is lay, put back, name TOPPING, decline, feed TOPPING"):
        notation.parse_action(text)


@pytest.mark.parametrize(
    ("position", "points"),
    [
        ("salami mushrooms pineapple olives", 6),
        ("salami salami salami salami", 3),
        ("salami, olives / salami", 3),
        ("shrimp / joker-a joker-b shrimp", 0),
        ("paprika / -", 3),
    ],
)
def test_a_pizza_is_worth_the_orders_that_it_can_serve(position, points):
    answer = notation.explain(position, load().options)
    assert answer["points"] == points == sum(each["points"] for each in answer["features"])


def test_the_simplified_bag_has_one_joker():
    options = load(simplified=True).options
    assert notation.explain("salami", options)["points"] == 2
    with pytest.raises(ValueError, match="joker-a is not in the bag of the simplified game"):
        notation.explain("salami / joker-a", options)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ("", "a pizza has 1 to 4 slices, not 0"),
        ("salami salami salami salami salami", "a pizza has 1 to 4 slices, not 5"),
        ("tofu", "'tofu' is no topping; the toppings: salami"),
        ("salami / tofu", "'tofu' is no order; the orders: salami"),
        ("salami / olives olives", "olives is there twice; every order exists once"),
    ],
)
def test_no_pizza(position, sentence):
    with pytest.raises(ValueError, match=sentence):
        notation.explain(position, load().options)


def test_positions_there_and_back():
    for number, setup in enumerate(every_mixture(3)):
        for state in states_of_random_game(setup, number):
            assert notation.parse_position(notation.position_text(state)).tobytes() == state.tobytes()


@pytest.mark.parametrize(
    ("line", "other", "sentence"),
    [
        ("players: 4", "players: 9", "players 9 is not 2 to 8"),
        ("phase: choosing", "phase: eating", "the phase is one of drawing"),
        ("active: ", "active: x", "line 'active' of the position is wrong: 'x"),
        ("active: ", "actor: ", "the position has no line 'active'"),
        ("active: ", "active", "a line of a position is `name: value`, not 'active"),
        ("box: salami", "box: salami salami", "there are 65 slices, not 64"),
        ("bag: salami", "bag: salami salami", "salami is there twice"),
        ("hats: 0", "hats: 3", "a hat takes four turns, so there are too many hats"),
        (" | ", " ", "line 'pizzas' of the position has 1 seats, not 4"),
    ],
)
def test_wrong_positions(line, other, sentence):
    state = load(4).new_game(seed=1)
    show_order(state, "salami")
    with pytest.raises(ValueError, match=sentence):
        notation.parse_position(notation.position_text(state).replace(line, other))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda state: setattr(state, "bag", 0b11), "no joker is left in the bag"),
        (lambda state: state.choices.__setitem__(0, 1), "has chosen, but nothing is fed"),
        (lambda state: state.pizzas.__setitem__((0, 0), 0), "seat 0 has an empty pizza"),
        (lambda state: state.hats.__setitem__(5, 1), "somebody who does not play has hats"),
        (lambda state: setattr(state, "order", 12), "order 12 does not exist"),
        (lambda state: setattr(state, "phase", 8), "the game is over, but nobody has won"),
        (lambda state: setattr(state, "box", state.box + state.box), "slices, not 64"),
    ],
)
def test_audit_names_the_broken_law(change, sentence):
    state = load(3).new_game(seed=1)
    show_order(state, "salami")
    change(state)
    with pytest.raises(ValueError, match=sentence):
        notation.audit(state)


def test_the_table_as_a_person_sees_it():
    state = load(2).new_game(seed=1)
    state.active = 0
    set_pizzas(state, {0: ("salami", "olives shrimp"), 1: ("paprika", "onions")})
    show_order(state, "salami", "salami olives joker-a")
    picture = notation.show(state).splitlines()
    assert picture[0] == "turn 1, bag with seat 0: salami is drawn; lay it down or put it back?"
    assert picture[1].startswith("  orders in the bag: salami olives joker-a   out: mushrooms")
    assert picture[3].split() == [">", "seat", "0", "0", "hats", "1:", "salami", "2:", "olives", "shrimp"]


def test_a_transcript_tells_what_is_drawn_and_who_wins_hats():
    lines = []
    played = play_deal(load(3), ["greedy"], 1, 0, None, lambda question: "", lines.append)
    text = "\n".join(lines)
    assert max(played["points"]) == 4
    assert text.count("has finished a pizza: hat") == sum(played["points"])
    assert "is drawn; lay it down or put it back?" in text


def test_a_person_does_not_see_what_others_decide_in_secret():
    lines = []
    answers = iter(["decline", "lay"] * 2000)

    def answer(question):
        reply = next(answers)
        return reply if reply in question else question.partition("(")[2].split(",")[0].rstrip("):")

    play_deal(load(3), ["greedy"], 1, 0, 0, answer, lines.append)
    others = [line for line in lines if line.startswith(("seat 1", "seat 2"))]
    assert any("decides about feeding" in line for line in others)
    assert not any(": feed" in line or ": decline" in line for line in others)


def test_toppings_are_written_as_the_rulebook_lists_them():
    assert notation.slices_text(notation.pack([7, 0, 3, 0])) == "salami salami olives paprika"
    assert notation.parse_slices("salami Olives, paprika -") == [0, 3, 7]
    assert len(TOPPINGS) == 8


def test_do_refuses_what_is_not_legal():
    state = load(2).new_game(seed=1)
    with pytest.raises(AssertionError):
        do(state, "take salami")

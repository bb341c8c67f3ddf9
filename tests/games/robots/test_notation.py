"""Text: actions, positions there and back, errors in one sentence, and pictures that give nothing away."""

import numpy as np
import pytest

from engine.contract import apply_action, is_terminal
from engine.games.robots import notation
from engine.games.robots.rules import N_ACTIONS
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robots.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    check,
    hand,
    load,
    play,
    position,
)


def test_every_action_there_and_back():
    texts = [notation.action_text(action) for action in range(N_ACTIONS)]
    assert len(set(texts)) == N_ACTIONS
    assert [notation.parse_action(text.upper()) for text in texts] == list(range(N_ACTIONS))
    assert notation.parse_action("  discard   r5 ") == notation.parse_action("discard R5")


@pytest.mark.parametrize(
    "text", ["", "R5", "take 75", "take 0", "run R5-R8", "discard R1", "at 24 low", "lay", "set 15"]
)
def test_no_action(text):
    with pytest.raises(ValueError, match="an action is factory, take N, run R5-R7"):
        notation.parse_action(text)


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
@pytest.mark.parametrize(
    "options", [{}, {"lay_off": "any", "split_runs": True, "optional_powers": True, "sc_self": True}]
)
def test_positions_there_and_back(players, options):
    for step, state in enumerate(states_of_random_game(load(players, **options), 1)):
        if step % 3 == 0:
            assert position(notation.position_text(state)).tobytes() == state.tobytes()


def test_a_position_may_leave_out_what_is_as_at_the_start():
    state = position("hands: R5 G6 | W W B2\nheap: K3")
    check(
        state,
        "players: 2\nturn: seat 0 draw\nn_wild: 4\nhands: R5 G6 | B2 W1 W2\npower_of: 0 6 0 0 0 0 0 0 0 0 1 2 3 4 5 0",
    )
    assert len(notation.cards_of(state["hands"][-1])) == 74 - 6


def test_a_position_read_back_plays_on():
    state = load(3).new_game(seed=1)
    again = position(notation.position_text(state))
    while not is_terminal(state):
        apply_action(state, legal(state)[-1])
        apply_action(again, legal(again)[-1])
    assert again.tobytes() == state.tobytes()


def changed(name: str, value: str) -> str:
    lines = notation.position_text(load(2).new_game(seed=1)).splitlines()
    return "\n".join(f"{name}: {value}" if line.startswith(name + ":") else line for line in lines)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("players", "a line of a position is `name: value`, not 'players'"),
        ("players: 2", "the position has no line 'hands'"),
        ("hands: R5 | G4\nscore: 3", "a position of robots has no line 'score'; its lines: players, max_turns"),
        ("hands: R5", "line 'hands' of the position is wrong: 'R5' (it has 1 seats, not 2)"),
        ("hands: R5 | R5", "R5 is there twice: hand of seat 0 and hand of seat 1"),
        ("hands: R5 R5 | G4", "R5 stands twice; every card exists once"),
        ("hands: R5 | X4", "a card is a suit of R, G, B, P, K"),
        ("hands: R5 | G4\nheap: R5", "R5 is there twice: hand of seat 0 and heap"),
        ("hands: R5 | G4\nspreads: 0 run R6 R7", "a spread has at least 3 cards, one of them natural, not R6 R7"),
        ("hands: R5 | G4\nspreads: 0 run R6 R8 R7", "R6 R8 R7 is no run in this order"),
        ("hands: R5 | G4\nspreads: 0 set R6 R8 R7", "R6 R8 R7 is no set"),
        ("hands: R5 | G4\nspreads: 0 robot R6 G6 B6", "is no robot"),
        ("hands: R5 | G4\nspreads: R6 R8 R7", "a spread is `0 run R5 R6 R7`: owner, run, set or robot, and cards"),
        ("hands: R5 | G4\nspreads: 3 run R6 R7 R8", "a spread lies before a seat that does not play"),
        ("hands: R5 | G4\nturn: seat 0 sleep", "it reads `seat 0 PHASE by 1`, with a phase of draw, play"),
        ("hands: R5 | G4\nturn: seat 0 form", "pending 0 does not go with this phase"),
        ("hands: R5 | G4\npending: R5", "nothing is pending in phase draw"),
        ("hands: - | G4", "the seat that decides holds no card"),
        ("hands: R5 | G4\nknown: G4 | -", "seat 0: known cards are not in the hand"),
        ("hands: R5 | G4\nmust: G4", "the card that must be laid is not in the hand"),
        ("hands: R5 | W\nn_wild: 0", "hand of seat 1: there is no W1"),
        ("hands: R5 | G4\ngroups: R5", "it reads `(R5 G8) (K2)`"),
        ("hands: R5 | G4\ngroups: (K2)", "a group is noted for K2, which is in no hand unseen"),
        (changed("players", "two"), "line 'players' of the position is wrong: 'two'"),
        (changed("players", "9"), "line 'hands' of the position is wrong"),
        (changed("turns", "999"), "more turns are over than a hand may have"),
        (changed("totals", "1 2"), "line 'totals' of the position is wrong: '1 2'"),
    ],
)
def test_wrong_positions(text, complaint):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        position(text)
    assert complaint in str(error.value)


def test_audit_names_the_broken_law():
    state = load(2).new_game(seed=1)
    broken = copy_of(state)
    broken["hands"][0] = broken["hands"][1]
    with pytest.raises(ValueError, match="is there twice"):
        notation.audit(broken)
    broken = copy_of(state)
    broken["hands"][0] = np.zeros(2, dtype=np.uint64)
    with pytest.raises(ValueError, match="67 cards are there, not 74"):
        notation.audit(broken)
    broken = copy_of(state)
    broken["laid"][0][0] = 2
    with pytest.raises(ValueError, match="the cards that count for seats are not those in the spreads"):
        notation.audit(broken)
    broken = copy_of(state)
    broken["heap"][5] = 17
    with pytest.raises(ValueError, match="cards stand after the end of the heap"):
        notation.audit(broken)


def test_show():
    state = position(
        "turn: seat 0 play\nhands: R5 G6 W1 | G4 P12 K7\nknown: - | P12\nheap: K3 K4\nbottom: B5\n"
        "spreads: 1 run R7 W2 R9\nmust: R5"
    )
    assert notation.show(state, 0) == (
        "turn 1, play, R5 must be laid\n"
        "  Factory 62 cards, then B5\n"
        "  heap    K4 K3   (top first)\n"
        "> seat 0  hand R5 G6 W\n"
        "  seat 1  hand P12 ?? ??\n"
        "          0: run R7 W R9"
    )
    assert "K7" in notation.show(state)
    assert "K7" not in notation.show(state, 0)


def test_a_result_explained():
    state = position("turn: seat 0 play\nhands: R5 R6 R7 P4 | G4 G* W\nheap: K2\nspreads: 1 robot R9 G9 B9 P9 K9")
    play(state, "run R5-R7", "discard P4")
    assert notation.explain_result(state) == (
        "seat 0   laid 15 + robots 0 - held 0 = 15   (holds nothing)\n"
        "seat 1   laid 25 + robots 50 - held 20 = 55   (holds G* G4 W)\n"
        "points after 1 hand: 15 55; seat 1 wins"
    )


# Moves told.

BEFORE_A_LASER = """
turn: seat 0 play
hands: R14 R2 G5 W1 | B9 B2
spreads: 1 run K4 K5 K6
heap: G3
"""


def told(state, *texts, player=None):
    """Play actions given as texts; return how each is told."""
    words = []
    for text in texts:
        before, action = copy_of(state), notation.parse_action(text)
        play(state, text)
        words += notation.tell(before, action, state, player)
    return words


def test_a_discard_tells_its_power_and_a_shot_its_target():
    assert told(position(BEFORE_A_LASER), "discard R14", "choose K5") == [
        "discards R14: laser",
        "shoots K5 out of a spread",
    ]


def test_a_drawn_card_is_told_to_its_player_and_to_nobody_else():
    state = position("hands: R5 R6 R9 | B9 B2\nknown: R5 | -\nheap: R7 G3")
    after = copy_of(state)
    action = notation.parse_action("factory")
    play(after, "factory")
    (card,) = hand(after, 0) - hand(state, 0)
    assert notation.tell(state, action, after, 0) == [f"turn 1, holds R5 R6 R9; draws {card}"]
    assert notation.tell(state, action, after, None) == [f"turn 1, holds R5 R6 R9; draws {card}"]
    assert notation.tell(state, action, after, 1) == ["turn 1, holds R5 and 2 unseen; draws 1 unseen"]


def test_laying_and_adding_show_the_spread_as_it_lies():
    state = position("turn: seat 0 play\nhands: R5 R6 R7 R8 G2 | B9\nheap: G3")
    assert told(state, "run R5-R7", "lay R8", "discard G2", player=1) == [
        "lays the run R5 R6 R7",
        "adds to the run R5 R6 R7 R8",
        "discards G2",
    ]


def test_cards_taken_from_the_heap_are_named():
    state = position("hands: R5 R6 R9 G2 | B9 B2\nheap: G3 R7 K2")
    assert told(state, "take 2", player=1) == ["turn 1, holds nothing and 4 unseen; takes R7 K2 from the heap"]

"""The course of a hand: drawing, picking up, laying, laying off, discarding, and how hands and games end."""

import numpy as np
import pytest

from engine.contract import apply_action, current_player, is_terminal, returns, score
from engine.games.robots import notation
from engine.games.robots.rules import DECK_POINTS
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robots.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    check,
    factory,
    hand,
    legal_texts,
    load,
    play,
    position,
    stack,
)
from tests.naive.robots import deck, value

PLAYING = "turn: seat 0 play\n"


def emptied(text: str, unknown: int = 0):
    """Read a position in which seat 1 holds what would be the Factory's unknown cards, but for some."""
    bare = position(text.replace("{rest}", ""))
    return position(text.replace("{rest}", " ".join(sorted(factory(bare))[unknown:])))


# The deal.


def test_deck():
    assert len(deck()) == 74
    assert sum(value(card) for card in deck()) == DECK_POINTS == 525


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_deal(players):
    setup = load(players)
    firsts, opened = set(), set()
    for number in range(200):
        state = setup.new_game(seed=1, number=number)
        notation.audit(state)
        hands = [hand(state, seat) for seat in range(players)]
        assert all(len(each) == 7 for each in hands)
        assert len(factory(state)) == 74 - 7 * players - 1
        assert set().union(*hands, factory(state), stack(state, "heap")) == set(deck())
        assert current_player(state) == state.first_player
        firsts.add(int(state.first_player))
        opened.update(stack(state, "heap"))
    assert firsts == set(range(players))
    assert len(opened) > 60


@pytest.mark.parametrize("n_wild", [0, 1, 2, 4])
def test_wilds_of_the_deck(n_wild):
    state = load(2, n_wild=n_wild).new_game(seed=1)
    cards = set().union(hand(state, 0), hand(state, 1), factory(state), stack(state, "heap"))
    assert cards == set(deck(n_wild))


# Draw.


def test_factory_or_top_of_the_heap():
    state = position("hands: R5 G6 | G4\nheap: K2 K3 K9")
    assert legal_texts(state) == ["factory", "take 1"]
    before = factory(state)
    drawn = copy_of(state)
    play(drawn, "factory")
    (card,) = hand(drawn, 0) - {"R5", "G6"}
    assert card in before
    check(drawn, "heap: K2 K3 K9\nknown: - | -")
    check(play(state, "take 1"), "heap: K2 K3\nhands: R5 G6 K9 | G4\nknown: K9 | -\ntaken: K9")


def test_several_cards_when_the_lowest_can_be_laid():
    """K2 goes with K3 and K4 of the hand, K9 with nothing; G8 makes a set once B8 is picked up with it."""
    state = position("hands: K3 K4 R8 P14 | G4\nheap: K2 K9 G8 B8")
    assert legal_texts(state) == ["factory", "take 1", "take 2", "take 4"]
    play(state, "take 4")
    check(state, "must: K2\nheap: -\nknown: G8 B8 K2 K9 | -")
    assert legal_texts(state) == ["run K2-K4"]
    play(state, "run K2-K4")
    check(state, "must: -\nspreads: 0 run K2 K3 K4")
    assert "set 8" in legal_texts(state)
    assert "discard B8" in legal_texts(state)


def test_a_pick_up_needs_a_card_left_for_the_discard():
    """Three cards make a spread, but the turn must end with a discard."""
    assert legal_texts(position("hands: K3 | G4\nheap: K2 K4")) == ["factory", "take 1"]
    assert legal_texts(position("hands: K3 R9 | G4\nheap: K2 K4")) == ["factory", "take 1", "take 2"]


def test_a_card_picked_up_may_be_laid_off():
    state = position("hands: R9 | G4\nheap: K5 R2\nspreads: 0 run K2 K3 K4")
    play(state, "take 2")
    assert legal_texts(state) == ["lay K5"]
    check(play(state, "lay K5"), "spreads: 0 run K2 K3 K4 K5\nmust: -")


def test_a_card_picked_up_may_be_reached_over_others():
    """K7 fits once K5 and K6 (a wild) lie; only what leads there may be laid before."""
    state = position("hands: K5 W R9 G9 B9 | G4\nheap: K7 R2\nspreads: 0 run K2 K3 K4 | 0 set R4 B4 P4")
    assert "take 2" in legal_texts(state)
    play(state, "take 2")
    assert legal_texts(state) == ["run K5-K7", "lay K5"]
    play(state, "lay K5")
    assert legal_texts(state) == ["lay W"]
    play(state, "lay W")
    assert legal_texts(state) == ["lay K7"]
    check(play(state, "lay K7"), "spreads: 0 run K2 K3 K4 K5 W1 K7 | 0 set R4 B4 P4\nmust: -")


def test_too_far_to_reach():
    assert legal_texts(position("hands: K5 R9 | G4\nheap: K7 R2\nspreads: 0 run K2 K3 K4")) == ["factory", "take 1"]


def test_a_wild_picked_up_must_be_laid_and_any_wild_will_do():
    state = position("hands: K5 K6 W2 R9 | G4\nheap: W1 R2")
    play(state, "take 2")
    check(state, "must: W1")
    assert "discard R9" not in legal_texts(state)
    play(state, "run K5-K7", "as NNW")
    check(state, "must: -\nspreads: 0 run K5 K6 W1")
    assert "discard W" in legal_texts(state)


def test_deep_pick_up_within_the_hand_asks_nothing():
    state = position("deep_pickup: 1\nhands: R5 | G4\nheap: K2 K9 P3")
    assert legal_texts(state) == ["factory", "take 1", "take 2", "take 3"]
    play(state, "take 3")
    check(state, "must: -\ntaken: -")
    assert "discard K2" in legal_texts(state)


def test_the_card_just_taken_may_not_go_back():
    state = play(position("hands: R5 G6 | G4\nheap: K2 K9"), "take 1")
    assert legal_texts(state) == ["discard R5", "discard G6"]
    state = play(position("allow_return: 1\nhands: R5 G6 | G4\nheap: K2 K9"), "take 1")
    assert "discard K9" in legal_texts(state)


def test_the_only_card_may_go_back():
    state = position("hands: R5 | G4\nheap: K2 R9\nspreads: 0 run R6 W R8")
    play(state, "take 1", "lay R5")
    check(state, "hands: R9 | G4\ntaken: R9")
    assert "discard R9" in legal_texts(state)


def test_a_wild_just_taken_may_not_go_back_but_another_may():
    state = play(position("hands: R5 G6 W2 | G4\nheap: K2 W1"), "take 1")
    check(play(state, "discard W"), "heap: K2 W2\nhands: R5 G6 W1 | G4")
    state = play(position("hands: R5 G6 | G4\nheap: K2 W1"), "take 1")
    assert "discard W" not in legal_texts(state)


def test_an_empty_factory_is_filled_from_the_heap():
    state = emptied("hands: R5 G6 | G4 {rest}\nheap: K2 K3 K9")
    assert legal_texts(state) == ["factory", "take 1"]
    play(state, "factory")
    check(state, "heap: K9")
    assert hand(state, 0) | factory(state) == {"R5", "G6", "K2", "K3"}


def test_without_a_factory_the_only_card_of_the_heap_must_be_taken():
    state = emptied("hands: R5 G6 | G4 {rest}\nheap: K9")
    assert legal_texts(state) == ["take 1"]


def test_nothing_left_to_draw_ends_the_hand():
    state = emptied(
        "turn: seat 1 play\nhands: R5 G6 K9 | R12 {rest}\nheap: K2\nspreads: 1 run P3 P4 P5\nfactory_empty: 1"
    )
    play(state, "discard R12")
    check(state, "turn: seat 1 recycle")
    play(state, "choose K2")
    assert is_terminal(state)


def test_known_cards_come_after_the_unknown_and_are_seen():
    state = emptied("hands: R5 G6 | G4 {rest}\nheap: K2\nbottom: K9 K3")
    check(
        play(state, "factory"), "hands: R5 G6 K9 | " + " ".join(sorted_hand(state, 1)) + "\nknown: K9 | -\nbottom: K3"
    )


def sorted_hand(state, seat):
    return [notation.card_text(card) for card in notation.cards_of(state["hands"][seat])]


# Lay.


def test_runs_and_sets_that_can_be_begun():
    state = position(PLAYING + "hands: R* R2 R3 R13 R14 G14 B14 P9 | G4\nheap: K2")
    assert legal_texts(state)[:3] == ["run R*-R3", "run R13-R*", "set 14"]
    check(play(state, "run R13-R*"), "spreads: 0 run R13 R14 R*\nhands: R2 R3 G14 B14 P9 | G4")


def test_a_star_does_not_wrap_around():
    state = position(PLAYING + "hands: R14 R* R2 P9 | G4\nheap: K2")
    assert not [text for text in legal_texts(state) if text.startswith("run")]


def test_which_cards_are_wild_is_asked_where_there_is_a_choice():
    state = position(PLAYING + "hands: R5 R6 R7 W P9 | G4\nheap: K2")
    play(state, "run R5-R7")
    assert legal_texts(state) == ["as NNW", "as NWN", "as WNN", "as NNN"]
    check(play(state, "as NWN"), "spreads: 0 run R5 W1 R7\nhands: R6 P9 | G4")
    state = position(PLAYING + "hands: R5 R7 W P9 | G4\nheap: K2")
    check(play(state, "run R5-R7"), "spreads: 0 run R5 W1 R7\nhands: P9 | G4")


def test_which_suits_of_a_set_is_asked_where_there_is_a_choice():
    state = position(PLAYING + "hands: R5 G5 B5 P5 P9 | G4\nheap: K2")
    play(state, "set 5")
    assert legal_texts(state) == ["of RGB", "of RGP", "of RBP", "of GBP"]
    check(play(state, "of RBP"), "spreads: 0 set R5 B5 P5")
    assert "lay G5" in legal_texts(state)


@pytest.mark.parametrize(
    ("max_wilds", "texts"), [(0, []), (1, []), (2, ["run R3-R5", "run R4-R6", "run R5-R7", "set 5"])]
)
def test_wilds_of_one_spread(max_wilds, texts):
    state = position(PLAYING + f"max_wilds: {max_wilds}\nhands: R5 W1 W2 W3 P9 K13 | G4\nheap: K2")
    begun = [text for text in legal_texts(state) if text.split()[1][:2] in ("R3", "R4", "R5", "5")]
    assert [text for text in begun if not text.startswith("discard")] == texts


def test_a_run_never_holds_both_ends():
    run = "R* R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14"
    state = position(PLAYING + f"hands: W P9 | G4\nheap: K2\nspreads: 0 run {run}")
    assert "lay W" not in legal_texts(state)


def test_a_set_has_at_most_five_cards():
    state = position(PLAYING + "hands: R9 P4 | G4\nheap: K2\nspreads: 0 set G9 B9 P9 K9 W")
    assert legal_texts(state) == ["discard R9", "discard P4"]


def test_one_card_stays_for_the_discard():
    state = position(PLAYING + "hands: R5 R6 R7 | G4\nheap: K2")
    assert all(text.startswith("discard") for text in legal_texts(state))
    state = position(PLAYING + "hands: R5 | G4\nheap: K2\nspreads: 0 run R6 R7 R8")
    assert legal_texts(state) == ["discard R5"]


# Lay off.


def test_laying_off_where_there_are_two_places():
    state = position(PLAYING + "hands: W R9 P4 | G4\nheap: K2\nspreads: 0 run R6 R7 R8 | 0 set G9 B9 P9")
    play(state, "lay R9")
    assert legal_texts(state) == ["at 0 high", "at 1 low"]
    play(state, "at 1 low", "lay W")
    assert legal_texts(state) == ["at 0 low", "at 0 high", "at 1 low"]
    check(play(state, "at 0 low"), "spreads: 0 run W1 R6 R7 R8 | 0 set R9 G9 B9 P9")


def test_a_star_laid_off_at_either_end():
    state = position(
        PLAYING + "hands: R* P4 | G4\nheap: K2\nspreads: 0 run R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14"
    )
    play(state, "lay R*")
    assert legal_texts(state) == ["at 0 low", "at 0 high"]
    play(state, "at 0 high")
    check(state, "spreads: 0 run R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 R*")


@pytest.mark.parametrize(("rule", "cards"), [(0, ["lay R5"]), (1, []), (2, ["lay R5", "lay G8"])])
def test_whose_spreads_may_be_added_to(rule, cards):
    state = position(
        PLAYING + f"lay_off: {rule}\nhands: R5 G8 P4 | G4\nheap: K2\nspreads: 0 run R6 R7 R8 | 1 run G9 G10 G11"
    )
    assert [text for text in legal_texts(state) if text.startswith("lay")] == cards


def test_a_card_laid_off_on_anothers_spread_counts_for_who_lays_it():
    state = position(PLAYING + "lay_off: 2\nhands: G8 P4 | G4\nheap: K2\nspreads: 1 run G9 G10 G11\nmax_turns: 1")
    play(state, "lay G8", "discard P4")
    check(state, "spreads: 1 run G8@0 G9 G10 G11\ntotals: 5 20 0 0 0")


def test_without_laying_off_a_spread_may_still_be_longer_than_three():
    state = position(PLAYING + "lay_off: 1\nhands: R5 R6 R7 R8 G2 G3 G4 P9 | K4\nheap: K2")
    play(state, "run R5-R7")
    assert "lay R8" in legal_texts(state)
    play(state, "run G2-G4")
    assert "lay R8" not in legal_texts(state)


def test_five_of_a_rank_build_a_robot():
    state = position(PLAYING + "hands: R9 P9 K9 P4 | G4\nheap: K2\nspreads: 0 set G9 B9 W")
    play(state, "lay R9", "lay P9")
    check(state, "spreads: 0 set R9 G9 B9 P9 W1")  # full, and no robot
    assert "lay K9" not in legal_texts(state)
    state = position(PLAYING + "hands: R9 K9 P4 | G4\nheap: K2\nspreads: 0 set G9 B9 P9\nmax_turns: 1")
    play(state, "lay R9", "lay K9")
    check(state, "spreads: 0 robot R9 G9 B9 P9 K9")
    check(play(state, "discard P4"), "totals: 75 -5 0 0 0")


def test_a_robot_after_the_wild_was_shot_away():
    state = position("turn: seat 1 play\nhands: K9 P4 | R14 G4\nheap: K2\nspreads: 0 set R9 G9 B9 P9 W")
    play(state, "discard R14", "choose W1", "factory", "lay K9")
    check(state, "spreads: 0 robot R9 G9 B9 P9 K9")


def test_five_stars_are_a_robot_by_option_only():
    for star_robot, kind, points in ((0, "set", 75), (1, "robot", 125)):
        text = f"star_robot: {star_robot}\nhands: R* P4 | G4\nheap: K2\nspreads: 0 set G* B* P* K*\nmax_turns: 1"
        state = play(position(PLAYING + text), "lay R*", "discard P4")
        check(state, f"spreads: 0 {kind} R* G* B* P* K*\ntotals: {points} -5 0 0 0")


def test_who_completes_a_robot_on_anothers_set_has_built_it():
    text = "lay_off: 2\nhands: R9 P4 | G4\nheap: K2\nspreads: 1 set G9 B9 P9 K9\nmax_turns: 1"
    state = play(position(PLAYING + text), "lay R9", "discard P4")
    check(state, "spreads: 0 robot R9 G9@1 B9@1 P9@1 K9@1\ntotals: 55 15 0 0 0")


def test_a_player_plays_the_wild_that_everybody_knows():
    state = position(PLAYING + "hands: W1 W3 R5 P4 | G4\nknown: W3 | -\nheap: K2")
    check(play(state, "discard W"), "heap: K2 W3\nhands: R5 P4 W1 | G4\nknown: - | -")


# How it ends.


def test_the_last_discard_ends_the_hand():
    state = position(PLAYING + "hands: R5 R6 R7 P4 | G4 G* K13 W\nheap: K2")
    play(state, "run R5-R7", "discard P4")
    assert is_terminal(state)
    points, utility = np.zeros(2, dtype=np.int64), np.zeros(2)
    score(state, points)
    returns(state, utility)
    assert points.tolist() == [15, -30]
    assert utility.tolist() == [1.0, 0.0]


def test_a_hand_ends_after_max_turns():
    state = position(PLAYING + "turns: 399\nhands: R5 R6 | G4\nheap: K2")
    assert is_terminal(play(state, "discard R5"))
    check(state, "totals: -5 -5 0 0 0\nturns: 400")
    utility = np.zeros(2)
    returns(state, utility)
    assert utility.tolist() == [0.5, 0.5]


def test_option_max_turns():
    setup = load(3, max_turns=7)
    *_, state = states_of_random_game(setup, 1)
    assert int(state.turns) == 7


# Whole games.

LAST = PLAYING + "target: 100\nhands: P4 | G4 G5\nheap: K2\n"


def test_a_game_goes_on_below_the_target_and_the_deal_moves_left():
    state = position(LAST + "totals: 50 95 0 0 0\nfirst_player: 1")
    play(state, "discard P4")
    check(
        state,
        "totals: 50 85 0 0 0\nhands_played: 1\nfirst_player: 0\nturn: seat 0 draw\nturns: 0\nspreads: -\nknown: - | -",
    )
    assert len(hand(state, 0)) == len(hand(state, 1)) == 7
    assert int(state.drawn) == 255


def test_a_game_ends_at_the_target():
    state = position(LAST + "totals: 100 95 0 0 0\nfirst_player: 1")
    assert is_terminal(play(state, "discard P4"))


def test_a_tie_at_the_target_is_played_on_or_shared():
    state = position(LAST + "totals: 110 120 0 0 0")
    assert not is_terminal(play(state, "discard P4"))
    state = position(LAST + "totals: 110 120 0 0 0\ntie: 1")
    assert is_terminal(play(state, "discard P4"))
    utility = np.zeros(2)
    returns(state, utility)
    assert utility.tolist() == [0.5, 0.5]


def test_the_highest_of_several_at_the_target_wins():
    state = position(LAST + "totals: 130 120 0 0 0")
    assert is_terminal(play(state, "discard P4"))
    utility = np.zeros(2)
    returns(state, utility)
    assert utility.tolist() == [1.0, 0.0]


def test_a_game_ends_after_max_hands():
    state = position(LAST + "totals: 10 20 0 0 0\nmax_hands: 3\nhands_played: 2")
    assert is_terminal(play(state, "discard P4"))


@pytest.mark.parametrize("players", EVERY_NUMBER_OF_PLAYERS)
def test_random_games_to_a_target(players):
    setup = load(players, target=60, max_hands=6, max_turns=60)
    for number in range(3):
        *_, state = states_of_random_game(setup, number)
        totals = state.totals[:players].tolist()
        assert max(totals) >= 60 or int(state.hands_played) == 6


def test_later_hands_do_not_hang_on_what_was_played():
    """Two line-ups on one deal meet the same hands."""
    setup = load(2, target=300, max_turns=5)
    starts = set()
    for choice in (0, -1):
        state = setup.new_game(seed=4)
        while int(state.hands_played) < 2 and not is_terminal(state):
            apply_action(state, legal(state)[choice])
        starts.add((frozenset(hand(state, 0)), frozenset(hand(state, 1)), stack(state, "heap")[0]))
    assert len(starts) == 1


def test_the_same_deal_draws_the_same_cards():
    """Whoever draws: the n-th unknown card of a deal is the same."""
    setup = load(2)
    drawn = []
    for discards in ("low", "high"):
        state = setup.new_game(seed=9)
        cards = []
        while len(cards) < 8:
            before = hand(state, int(state.seat)) if "factory" in legal_texts(state) else None
            seat = int(state.seat)
            play(state, "factory")
            cards += hand(state, seat) - before
            plain = [text for text in legal_texts(state) if text.startswith("discard") and text[-1] in "23456789"]
            plain = [text for text in plain if len(text) == len("discard R5")]
            play(state, plain[0 if discards == "low" else -1])
        drawn.append(cards)
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"target": "many"}, "option target of robots is a whole number from 0 to 2000, not 'many'"),
        ({"target": -5}, "option target of robots is a whole number from 0 to 2000, not '-5'"),
        ({"max_hands": 0}, "option max_hands of robots is a whole number from 1 to 200, not '0'"),
        ({"max_turns": 5000}, "option max_turns of robots is a whole number from 1 to 2000, not '5000'"),
        ({"lay_off": "all"}, "option lay_off of robots is own, none, any, not 'all'"),
    ],
)
def test_wrong_options(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        load(2, **options)

"""Every power by worked examples: a position as text, what is played, and the table afterwards.

Heaps are written from the bottom to the top, what is known under the Factory from the next card to come down.
"""

import pytest

from engine.contract import is_terminal, occasion
from engine.games.robots.rules import FORCE_FIELD, LASER, RECYCLE, SHORT_CIRCUIT, TRACTOR_BEAM
from tests.games.robots.playing import check, factory, hand, legal_texts, load, play, position

PLAYING = "turn: seat 0 play\n"


def table(text: str):
    """Read a position in which seat 0 has drawn."""
    return position(PLAYING + text)


# Short circuit (10).


def test_short_circuit_victim_puts_two_under_the_heap_and_draws_two():
    state = table("hands: R10 R2 | G4 G5 B9\nheap: K3 K4\nbottom: -")
    play(state, "discard R10")
    check(state, "turn: seat 0 put by 1\npending: 2 to put 2 to draw\nheap: K3 K4 R10")
    assert legal_texts(state) == ["choose G4", "choose G5", "choose B9"]
    before = factory(state)
    play(state, "choose G5", "choose B9")
    check(state, "turn: seat 1 draw\nheap: B9 G5 K3 K4 R10\nturns: 1")
    drawn = hand(state, 1) - {"G4"}
    assert len(drawn) == 2
    assert drawn <= before
    assert factory(state) == before - drawn


def test_short_circuit_victim_chooses_the_order():
    state = table("hands: R10 R2 | G4 G5 B9\nheap: K3")
    check(play(state, "discard R10", "choose B9", "choose G5"), "heap: G5 B9 K3 R10")


def test_short_circuit_victim_with_one_card_puts_one_and_draws_two():
    state = table("hands: R10 R2 | G4\nheap: K3")
    check(play(state, "discard R10", "choose G4"), "heap: G4 K3 R10\nturn: seat 1 draw")
    assert len(hand(state, 1)) == 2


def test_short_circuit_draws_as_placed_by_option():
    state = table("sc_draw: 1\nhands: R10 R2 | G4\nheap: K3")
    play(state, "discard R10", "choose G4")
    assert len(hand(state, 1)) == 1


def test_short_circuit_is_aimed_among_several_opponents():
    state = table("players: 3\nhands: R10 R2 | G4 G5 | B4 B5\nheap: K3")
    play(state, "discard R10")
    assert legal_texts(state) == ["aim 1", "aim 2"]
    check(play(state, "aim 2", "choose B4", "choose B5"), "heap: B5 B4 K3 R10\nturn: seat 1 draw")


def test_short_circuit_may_hit_the_player_himself_by_option():
    state = table("sc_self: 1\nhands: R10 R2 R3 | G4 G5\nheap: K3")
    play(state, "discard R10")
    assert legal_texts(state) == ["aim 0", "aim 1"]
    check(play(state, "aim 0", "choose R2", "choose R3"), "heap: R3 R2 K3 R10\nturn: seat 1 draw")
    assert len(hand(state, 0)) == 2


def test_short_circuit_draws_known_cards_openly():
    """All unknown cards are in hands or on the table but one: the second card drawn is one that everybody knows."""
    state = emptied("hands: R10 R2 | G4 G5 {rest}\nheap: K3\nbottom: B13 B14", unknown=1)
    (only,) = factory(state)
    play(state, "discard R10", "choose G4", "choose G5")
    assert {only, "B13"} <= hand(state, 1)
    check(state, "bottom: B14\nknown: - | B13")


def emptied(text: str, unknown: int = 0):
    """Read a position in which seat 1 holds what would be the Factory's unknown cards, but for some."""
    bare = table(text.replace("{rest}", ""))
    return table(text.replace("{rest}", " ".join(sorted(factory(bare))[unknown:])))


def test_short_circuit_fills_the_factory_in_the_middle():
    """X40: one unknown card is left; then the heap but its top card is shuffled, and the draw goes on."""
    state = emptied("hands: R10 R2 | G4 G5 {rest}\nheap: K3 K4", unknown=1)
    (only,) = factory(state)
    play(state, "discard R10", "choose G4", "choose G5")
    assert only in hand(state, 1)
    check(state, "heap: R10\nturn: seat 1 draw")
    assert len({"K3", "K4", "G4", "G5"} & hand(state, 1)) == 1
    assert factory(state) == {"K3", "K4", "G4", "G5"} - hand(state, 1)


def test_short_circuit_with_an_empty_factory_may_end_the_hand():
    state = emptied("factory_empty: 1\nhands: R10 R2 | G4 G5 {rest}\nheap: K3 K4", unknown=1)
    play(state, "discard R10", "choose G4", "choose G5")
    assert is_terminal(state)
    assert len(factory(state)) == 0


# Tractor beam (11).


@pytest.mark.parametrize(
    ("heap", "kept", "moved"),
    [
        ("", "R11", "-"),
        ("K2", "R11", "K2"),
        ("K2 K3", "K3 R11", "K2"),
        ("K2 K3 K4", "K4 R11", "K3 K2"),
        ("K2 K3 K4 K5", "K4 K5 R11", "K3 K2"),
        ("K2 K3 K4 K5 K6", "K5 K6 R11", "K4 K3 K2"),
    ],
)
def test_tractor_beam_moves_the_lower_half_rounded_up(heap, kept, moved):
    """The beam is not counted, the order is kept: what lay lowest comes last."""
    state = table(f"hands: R11 R2 | G4\nheap: {heap or '-'}\nbottom: -")
    check(play(state, "discard R11"), f"heap: {kept}\nbottom: {moved}\nturn: seat 1 draw")


def test_tractor_beam_moves_cards_under_those_that_are_known_there():
    state = table("hands: R11 R2 | G4\nheap: K2 K3\nbottom: B5 B6")
    check(play(state, "discard R11"), "bottom: B5 B6 K2")


# Recycle (12).


def test_recycle_takes_any_other_card_of_the_heap():
    state = table("hands: R12 R2 | G4\nheap: K2 W K4")
    play(state, "discard R12")
    check(state, "turn: seat 0 recycle")
    assert legal_texts(state) == ["choose K2", "choose K4", "choose W1"]
    check(play(state, "choose K2"), "hands: R2 K2 | G4\nknown: K2 | -\nheap: W1 K4 R12\nturn: seat 1 draw")


def test_recycle_alone_on_the_heap_does_nothing():
    state = table("hands: R12 R2 | G4\nheap: -")
    check(play(state, "discard R12"), "heap: R12\nhands: R2 | G4\nturn: seat 1 draw")


# Force field (13).


def test_force_field_forbids_the_next_player_the_heap_once():
    state = table("hands: R13 R2 | G4 G5 | B4\nplayers: 3\nheap: K2 K3")
    play(state, "discard R13")
    assert legal_texts(state) == ["factory"]
    play(state, "factory", "discard G4")
    assert legal_texts(state)[:2] == ["factory", "take 1"]


def test_force_field_works_before_an_empty_factory_that_can_be_filled():
    state = emptied("hands: R13 R2 | G4 {rest}\nheap: K2 K3")
    play(state, "discard R13")
    assert legal_texts(state) == ["factory"]
    play(state, "factory")
    check(state, "heap: R13")
    assert len({"K2", "K3"} & hand(state, 1)) == 1


def test_force_field_before_a_factory_that_cannot_be_filled_ends_the_hand():
    state = emptied("hands: R13 R2 | G4 {rest}\nheap: -")
    assert is_terminal(play(state, "discard R13"))


# Laser (14).


def test_laser_breaks_a_set_of_three():
    state = table("hands: R14 R2 | G4\nspreads: 1 set R9 G9 B9\nheap: K2 K3")
    play(state, "discard R14")
    check(state, "turn: seat 0 shoot\npending: laser")
    assert legal_texts(state) == ["choose R9", "choose G9", "choose B9"]
    play(state, "choose G9")
    check(state, "heap: R14 G9 K2 K3\nhands: R2 | R9 G4 B9\nknown: - | R9 B9\nspreads: -\nturn: seat 1 draw")


def test_laser_leaves_what_is_still_a_spread():
    state = table("hands: R14 R2 | G4\nspreads: 1 set R9 G9 B9 P9 | 1 run K3 K4 K5 K6\nheap: K2")
    play(state, "discard R14", "choose G9")
    check(state, "spreads: 1 set R9 B9 P9 | 1 run K3 K4 K5 K6\nheap: R14 G9 K2\nhands: R2 | G4")


@pytest.mark.parametrize(
    ("target", "spreads", "given_back"),
    [
        ("K3", "1 run K4 K5 K6 K7", "G4"),  # an end
        ("K7", "1 run K3 K4 K5 K6", "G4"),
        ("K4", "-", "G4 K3 K5 K6 K7"),  # a gap: all the rest goes, though three in a row are left
        ("K5", "-", "G4 K3 K4 K6 K7"),
    ],
)
def test_laser_on_a_run(target, spreads, given_back):
    state = table("hands: R14 R2 | G4\nspreads: 1 run K3 K4 K5 K6 K7\nheap: -")
    check(play(state, "discard R14", f"choose {target}"), f"spreads: {spreads}\nhands: R2 | {given_back}")


@pytest.mark.parametrize(
    ("target", "spreads", "given_back"),
    [
        ("K5", "1 run K2 K3 K4 | 1 run K6 K7 K8", "G4"),  # both parts stay
        ("K4", "1 run K5 K6 K7 K8", "G4 K2 K3"),
        ("K7", "1 run K2 K3 K4 K5 K6", "G4 K8"),
        ("K2", "1 run K3 K4 K5 K6 K7 K8", "G4"),
    ],
)
def test_laser_splits_runs_by_option(target, spreads, given_back):
    state = table("split_runs: 1\nhands: R14 R2 | G4\nspreads: 1 run K2 K3 K4 K5 K6 K7 K8\nheap: -")
    check(play(state, "discard R14", f"choose {target}"), f"spreads: {spreads}\nhands: R2 | {given_back}")


def test_laser_shoots_wilds_too():
    state = table("hands: R14 R2 | G4\nspreads: 1 run K3 W K5 K6 | 1 set R9 G9 W2\nheap: -")
    play(state, "discard R14")
    assert legal_texts(state) == [
        "choose R9",
        "choose G9",
        "choose K3",
        "choose K5",
        "choose K6",
        "choose W1",
        "choose W2",
    ]
    play(state, "choose W1")
    check(state, "heap: R14 W1\nspreads: 1 set R9 G9 W2\nhands: R2 | G4 K3 K5 K6")


def test_a_set_without_a_natural_card_is_broken():
    state = table("hands: R14 R2 | G4\nspreads: 1 set R9 W1 W2 W3\nheap: -")
    check(play(state, "discard R14", "choose R9"), "spreads: -\nhands: R2 | G4 W1 W2 W3")


def test_a_star_that_stands_high_breaks_off_high():
    state = table("hands: R14 R2 | G4\nspreads: 1 run K11 K12 K13 K14 K*\nheap: -")
    check(play(state, "discard R14", "choose K*"), "spreads: 1 run K11 K12 K13 K14\nhands: R2 | G4")


def test_constructed_robots_are_immune():
    state = table("hands: R14 R2 | G4\nspreads: 1 robot R9 G9 B9 P9 K9\nheap: K2")
    check(play(state, "discard R14"), "turn: seat 1 draw\nheap: K2 R14")


def test_five_stars_are_no_robot_and_can_be_shot():
    state = table("hands: R14 R2 | G4\nspreads: 1 set R* G* B* P* K*\nheap: K2")
    check(play(state, "discard R14", "choose R*"), "spreads: 1 set G* B* P* K*")


def test_own_spreads_are_no_target():
    state = table("hands: R14 R2 | G4\nspreads: 0 set R9 G9 B9\nheap: K2")
    check(play(state, "discard R14"), "turn: seat 1 draw\nheap: K2 R14")


def test_cards_given_back_may_be_laid_again():
    state = table("hands: R14 R2 | G4 P9\nspreads: 1 set R9 G9 B9\nheap: -")
    play(state, "discard R14", "choose R9", "factory", "set 9")
    check(state, "spreads: 1 set G9 B9 P9")


# Alpha + omega (star).


def test_alpha_omega_moves_star_and_target_under_the_factory():
    state = table("hands: R* R2 | G4\nspreads: 1 set R9 G9 B9 P9\nheap: K2 K3\nbottom: B5")
    play(state, "discard R*", "choose G9")
    check(state, "heap: K2 K3\nbottom: B5 G9 R*\nspreads: 1 set R9 B9 P9\nhands: R2 | G4")


def test_alpha_omega_puts_what_it_breaks_under_the_heap():
    state = table("hands: R* R2 | G4\nspreads: 1 run K3 W K5\nheap: K11 K12")
    play(state, "discard R*", "choose K5")
    check(state, "heap: K3 W1 K11 K12\nbottom: K5 R*\nspreads: -\nhands: R2 | G4\nknown: - | -")


def test_alpha_omega_may_empty_the_heap():
    state = table("hands: R* R2 | G4\nspreads: 1 set R9 G9 B9 P9\nheap: -")
    play(state, "discard R*", "choose G9")
    check(state, "heap: -\nbottom: G9 R*")
    assert legal_texts(state) == ["factory"]


# What holds for all.


@pytest.mark.parametrize("card", ["R10", "R11", "R12", "R13", "R14", "R*"])
def test_the_last_discard_has_no_power(card):
    state = table(f"hands: {card} | G4 G5\nspreads: 1 set R9 G9 B9\nheap: K2 K3")
    assert is_terminal(play(state, f"discard {card}"))
    check(state, f"heap: K2 K3 {card}\nhands: - | G4 G5\nspreads: 1 set R9 G9 B9")


def test_final_power_by_option():
    state = table("final_power: 1\nhands: R14 | G4 G5\nspreads: 1 set R9 G9 B9\nheap: K2 K3")
    play(state, "discard R14", "choose R9")
    assert is_terminal(state)
    check(state, "hands: - | G4 G5 G9 B9\ntotals: 0 -20 0 0 0")


def test_final_recycling_keeps_the_hand_going():
    state = table("final_power: 1\nhands: R12 | G4 G5\nheap: K2 K3")
    play(state, "discard R12", "choose K2")
    check(state, "hands: K2 | G4 G5\nturn: seat 1 draw")


def test_powers_may_be_declined_by_option():
    start = "optional_powers: 1\nhands: R13 R2 | G4\nheap: K2"
    state = play(table(start), "discard R13")
    check(state, "turn: seat 0 power\npending: force-field")
    assert occasion(state) == FORCE_FIELD
    assert occasion(table(start)) == 0
    assert legal_texts(state) == ["decline", "use"]
    check(play(state, "decline"), "fielded: 0\nturn: seat 1 draw")
    check(play(table(start), "discard R13", "use"), "fielded: 1\nturn: seat 1 draw")


def test_a_power_without_effect_is_not_offered():
    state = table("optional_powers: 1\nhands: R14 R2 | G4\nheap: K2")
    check(play(state, "discard R14"), "turn: seat 1 draw")


def test_the_first_card_of_the_heap_has_no_power():
    for number in range(40):
        state = load(2).new_game(seed=1, number=number)
        check(state, "turns: 0\nfielded: 0\nbottom: -")


def test_low_cards_and_wilds_have_no_power():
    for card in ("R9", "W"):
        state = table(f"hands: {card} R2 | G4 G5\nspreads: 1 set P9 G9 B9\nheap: K2 K3")
        check(play(state, f"discard {card}"), "turn: seat 1 draw\nfielded: 0\nbottom: -")


def test_power_map():
    setup = load(2, power_map="none,laser,laser, FORCE-FIELD ,none,recycle")
    powers = setup.template["power_of"]
    assert powers[[10, 11, 12, 13, 14, 1]].tolist() == [0, LASER, LASER, FORCE_FIELD, 0, RECYCLE]
    printed = load(2).template["power_of"]
    assert printed[[10, 11, 12, 13]].tolist() == [SHORT_CIRCUIT, TRACTOR_BEAM, RECYCLE, FORCE_FIELD]
    for wrong in ("laser", "laser,laser,laser,laser,laser,lasers", ""):
        with pytest.raises(
            ValueError, match="option power_map of robots names for 10, 11, 12, 13, 14 and the star one"
        ):
            load(2, power_map=wrong)

"""Whole hands, move for move, against the naive twin: the same legal actions, and the same table after every one."""

import itertools
import random

import numpy as np
import pytest

from engine.contract import apply_action, current_player, is_terminal, score
from engine.games.robots import notation
from engine.games.robots.rules import PHASES
from tests.games.playing import legal
from tests.games.robots.playing import (
    EVERY_NUMBER_OF_PLAYERS,
    factory,
    hand,
    load,
    names,
    stack,
    twin_of,
)

OPTIONS = [
    {},
    {"lay_off": "none"},
    {"lay_off": "any", "star_robot": True},
    {"lay_off": "any", "split_runs": True, "optional_powers": True, "final_power": True, "sc_self": True},
    {"deep_pickup": "hand", "allow_return": True, "sc_draw": "as_placed"},
    {"factory_empty": "end_hand", "n_wild": 2, "max_wilds": 1},
    {"max_wilds": 0, "split_runs": True},
    {"n_wild": 0, "max_turns": 30, "power_map": "none,none,laser,alpha-omega,laser,laser"},
    {"max_wilds": 2, "power_map": "tractor-beam,tractor-beam,tractor-beam,recycle,none,short-circuit", "sc_self": True},
    {"power_map": "laser,laser,laser,alpha-omega,laser,alpha-omega", "split_runs": True, "max_wilds": 1},
]


def options_text(options: dict) -> str:
    return "-".join(f"{name}={value}" for name, value in options.items()) or "defaults"


def assert_same_table(state, twin, where) -> None:
    players = range(len(twin.hands))
    for seat in players:
        assert hand(state, seat) == set(twin.hands[seat]), where
        assert len(twin.hands[seat]) == len(set(twin.hands[seat]))
        if not twin.is_over:
            assert set(names(notation.cards_of(state["known"][seat]))) == twin.known[seat], where
    assert stack(state, "heap") == twin.heap, where
    assert stack(state, "bottom") == twin.bottom, where
    assert factory(state) == twin.unknown, where
    spreads = [notation.spread_parts(int(word)) for word in state["spreads"][: int(state["n_spreads"])]]
    assert len(spreads) == len(twin.spreads), where
    for (kind, owner, cards), spread in zip(spreads, twin.spreads, strict=True):
        assert (kind, owner) == (spread.kind, spread.owner), where
        assert {notation.card_text(card): place for place, card in cards} == spread.cards, where
    for seat in players:
        laid = {card for card, layer in twin.counts_for.items() if layer == seat}
        assert set(names(notation.cards_of(state["laid"][seat]))) == laid, where
    assert bool(is_terminal(state)) == twin.is_over, where
    if not twin.is_over:
        assert PHASES[int(state["phase"])] == twin.phase, where
        assert int(current_player(state)) == twin.seat, where


def drawn_cards(after, seat: int) -> list[str]:
    """Return the unknown cards that came into a hand, in the order in which they were drawn."""
    news = int(after["drawn"])
    cards = [news >> shift & 0xFF for shift in (8, 16)]
    drawn = names(card for card in cards if card)
    assert not drawn or (news & 0xFF) == seat + 1
    assert set(drawn) <= hand(after, seat)
    return drawn


def play_against_twin(setup, number: int, prefers: str) -> int:
    """Play a hand at random, three times of four what begins with a preferred word; return the number of decisions."""
    state = setup.new_game(seed=11, number=number)
    twin = twin_of(state, setup)
    chance = random.Random(number)
    assert_same_table(state, twin, "deal")
    for step in itertools.count():
        if is_terminal(state):
            break
        texts = {notation.action_text(action): action for action in legal(state)}
        where = f"deal {number}, step {step}\n{notation.position_text(state)}"
        assert set(texts) == twin.legal(), where
        liked = [text for text in texts if text.startswith(prefers)]
        text = chance.choice(liked if liked and chance.random() < 0.75 else list(texts))
        seat = twin.seat
        apply_action(state, texts[text])
        twin.play(text, drawn_cards(state, seat))
        assert_same_table(state, twin, f"{where}\nthen {text}")
    points = np.zeros(setup.players, dtype=np.int64)
    score(state, points)
    assert points.tolist() == twin.points()
    return step


@pytest.mark.parametrize("options", OPTIONS, ids=options_text)
def test_random_hands_move_for_move(options):
    for number, prefers in enumerate(("take", "factory", "discard")):
        players = EVERY_NUMBER_OF_PLAYERS[(number + len(options)) % 4]
        assert play_against_twin(load(players, **options), number, prefers) > 10


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=options_text)
def test_many_random_hands_move_for_move(options):
    for players in EVERY_NUMBER_OF_PLAYERS:
        setup = load(players, **options)
        for number in range(3, 5):
            play_against_twin(setup, number, ("lay", "take")[number % 2])

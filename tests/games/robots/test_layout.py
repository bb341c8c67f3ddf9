"""The best layout of a hand, against all layouts, and against what the game then lets a player lay."""

import functools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.robots.layout import (
    PLAN_RUNS,
    PLAN_SET_WILDS,
    PLAN_SETS,
    PLAN_SIZE,
    PLAN_WILDS,
    POINT,
    RUN_VALUE,
    _walk,
    best_layout,
)
from engine.games.robots.notation import parse_card, words_of
from engine.games.robots.rules import CARD_POINTS, CARDS, FIRST_WILD, N_NATURAL, STAR, STAR_HIGH

NATURAL = [int(card) for card in CARDS[:N_NATURAL]]


def layout(cards: list[int], n_wilds: int = 0, most_wilds: int = 4, star_robot: int = 0) -> tuple[int, np.ndarray]:
    """Return the worth of the best layout and its plan."""
    low, high = words_of(cards)
    plan = np.zeros(PLAN_SIZE, dtype=np.int64)
    worth = best_layout(np.uint64(low), np.uint64(high), n_wilds, most_wilds, star_robot, plan)
    return int(worth), plan


def walked(cards: list[int], n_wilds: int, most_wilds: int, star_robot: int) -> int:
    """Return the worth that the walk through all suits together finds."""
    lanes = np.array([sum(1 << card % 16 for card in cards if card // 16 == suit) for suit in range(5)], dtype=np.int64)
    spare = n_wilds if most_wilds == 0 else 0
    return int(_walk(lanes, n_wilds - spare, most_wilds, spare, star_robot, np.zeros(PLAN_SIZE, dtype=np.int64)))


def spreads_of(cards: tuple[int, ...], n_wilds: int, most_wilds: int, star_robot: int) -> list[tuple[int, int, int]]:
    """List every spread of some of the cards (a bit each) and some wilds: cards, wilds, worth. By trying all."""
    found = []
    for mask in range(1, 1 << len(cards)):
        chosen = [card for place, card in enumerate(cards) if mask >> place & 1]
        ranks, suits = {card % 16 for card in chosen}, {card // 16 for card in chosen}
        for wilds in range(min(n_wilds, most_wilds) + 1):
            size = len(chosen) + wilds
            is_set = len(ranks) == 1 and size <= 5
            is_run = (
                len(suits) == 1
                and size <= 14
                and any(
                    max(places) - min(places) < size
                    for star in (STAR, STAR_HIGH)
                    for places in [[star if card % 16 == STAR else card % 16 for card in chosen]]
                )
            )
            if size >= 3 and (is_set or is_run):
                is_robot = is_set and len(chosen) == 5 and (ranks != {STAR} or star_robot)
                points = sum(int(CARD_POINTS[card]) for card in chosen) + 50 * is_robot
                found.append((mask, wilds, POINT * points + size))
    return found


def brute_force(cards: list[int], n_wilds: int, most_wilds: int = 4, star_robot: int = 0) -> int:
    """Return the worth of the best way to lay disjoint spreads with a card left, trying them all."""
    ordered = tuple(sorted(cards))
    by_first: dict[int, list[tuple[int, int, int]]] = {}
    for mask, wilds, worth in spreads_of(ordered, n_wilds, most_wilds, star_robot):
        by_first.setdefault((mask & -mask).bit_length() - 1, []).append((mask, wilds, worth))

    @functools.cache
    def best_from(place: int, used: int, wilds_left: int, is_one_left: bool) -> int:
        if place == len(ordered):
            return 0 if is_one_left or wilds_left else -(1 << 30)
        if used >> place & 1:
            return best_from(place + 1, used, wilds_left, is_one_left)
        best = best_from(place + 1, used, wilds_left, True)
        for mask, wilds, worth in by_first.get(place, ()):
            if not mask & used and wilds <= wilds_left:
                best = max(best, worth + best_from(place + 1, used | mask, wilds_left - wilds, is_one_left))
        return best

    return max(0, best_from(0, 0, n_wilds, False)) if len(cards) + n_wilds > 3 else 0


def crowded_hand(chance: random.Random, most: int) -> list[int]:
    """Draw a hand in which many cards have company: few suits, few ranks, stars."""
    suits = chance.sample(range(5), chance.choice([1, 2, 2, 3, 5]))
    lowest = chance.randint(1, 9)
    pool = [
        card for card in NATURAL if card // 16 in suits and (lowest <= card % 16 <= lowest + 5 or card % 16 == STAR)
    ]
    return chance.sample(pool, min(len(pool), chance.randint(2, most)))


@pytest.mark.parametrize("seed", range(6))
def test_against_brute_force(seed):
    chance = random.Random(seed)
    for _ in range(60):
        cards = crowded_hand(chance, 9)
        n_wilds, star_robot = chance.choice([0, 0, 1, 1, 2, 3, 4]), chance.randint(0, 1)
        expected = brute_force(cards, n_wilds, 4, star_robot)
        assert layout(cards, n_wilds, 4, star_robot)[0] == expected
        if len(cards) + n_wilds > 3:
            assert walked(cards, n_wilds, 4, star_robot) == expected


@pytest.mark.parametrize("seed", range(3))
def test_points_against_brute_force_where_wilds_are_limited(seed):
    chance = random.Random(100 + seed)
    for _ in range(60):
        cards = crowded_hand(chance, 9)
        n_wilds, most_wilds = chance.randint(0, 4), chance.randint(0, 3)
        assert layout(cards, n_wilds, most_wilds)[0] // POINT == brute_force(cards, n_wilds, most_wilds) // POINT


@settings(max_examples=40, deadline=None)
@given(cards=st.sets(st.sampled_from(NATURAL), min_size=4, max_size=9), n_wilds=st.integers(0, 2))
def test_any_hand_against_brute_force(cards, n_wilds):
    assert layout(sorted(cards), n_wilds)[0] == brute_force(sorted(cards), n_wilds)


def laid_by(plan: np.ndarray, cards: list[int]) -> tuple[set[int], int]:
    """Hold that a plan is made of valid spreads of these cards; return the natural cards and wilds that it lays."""
    laid: list[int] = []
    n_wilds = 0
    for suit in range(5):
        natural, wild = int(plan[PLAN_RUNS + suit]), int(plan[PLAN_WILDS + suit])
        assert natural & wild == 0
        blocks = "".join("x" if (natural | wild) >> place & 1 else " " for place in range(17)).split()
        assert all(len(block) >= 3 for block in blocks)
        laid += [suit * 16 + (STAR if place == STAR_HIGH else place) for place in range(16) if natural >> place & 1]
        n_wilds += wild.bit_count()
    for rank in range(1, 15):
        suits, wild = int(plan[PLAN_SETS + rank]), int(plan[PLAN_SET_WILDS + rank])
        assert not wild or suits
        assert not suits or suits.bit_count() + wild >= 3
        laid += [suit * 16 + rank for suit in range(5) if suits >> suit & 1]
        n_wilds += wild
    assert len(laid) == len(set(laid))
    assert set(laid) <= set(cards)
    return set(laid), n_wilds


@pytest.mark.parametrize("seed", range(4))
def test_a_plan_lays_what_it_is_worth(seed):
    chance = random.Random(200 + seed)
    for _ in range(150):
        cards, n_wilds = crowded_hand(chance, 12), chance.choice([0, 1, 1, 2])
        worth, plan = layout(cards, n_wilds)
        laid, wilds_laid = laid_by(plan, cards)
        assert wilds_laid <= n_wilds
        robots = sum(int(plan[PLAN_SETS + rank]) == 31 and not plan[PLAN_SET_WILDS + rank] for rank in range(2, 15))
        assert worth == POINT * (sum(int(CARD_POINTS[card]) for card in laid) + 50 * robots) + len(laid) + wilds_laid
        assert worth == 0 or len(laid) + wilds_laid < len(cards) + n_wilds


@pytest.mark.parametrize(
    ("hand", "n_wilds", "points", "n_laid"),
    [
        ("R2 R3 R4 K9", 0, 15, 3),
        ("R2 R3 R4", 0, 0, 0),  # no card would be left
        ("R2 R3 R4 R5", 0, 15, 3),
        ("R2 R3 R4 G4 B4 K9", 0, 15, 3),
        ("R2 R3 R4 R5 G4 B4 P4 K9", 0, 15, 3),
        ("R9 G9 B9 P9 K9 R5", 0, 95, 5),  # 45 + 50, R5 is left
        ("R* R2 R3 R13 R14 K9", 0, 25, 3),  # a star serves once; 13, 14, star is 35
        ("R9 G9 K3 K5 P2", 1, 10, 3),
        ("R9 G9 K13 K14 P2", 1, 20, 3),
    ],
)
def test_examples(hand, n_wilds, points, n_laid):
    cards = [parse_card(word) for word in hand.split()]
    worth = layout(cards, n_wilds)[0]
    expected = brute_force(cards, n_wilds)
    assert worth == expected
    if hand.startswith(("R2 R3 R4 K9", "R9 G9", "R2 R3 R4")) and len(cards) <= 5:
        assert (worth // POINT, worth % POINT) == (points, n_laid)


def test_runs_of_one_suit_in_the_table():
    for n_wilds, masks in ((0, range(0, 1 << 14, 7)), (2, range(0, 1 << 14, 331))):
        for mask in masks:
            if mask.bit_count() <= 9:
                cards = [rank + 1 for rank in range(14) if mask >> rank & 1]
                apart = parse_card("K2") if n_wilds == 0 else None  # the card that is left
                found = int(RUN_VALUE[n_wilds, mask])
                if apart is not None:
                    assert found == brute_force([*cards, apart], 0)
    assert RUN_VALUE[0, (1 << 14) - 1] == POINT * 105 + 14
    assert max(CARDS) == FIRST_WILD + 3

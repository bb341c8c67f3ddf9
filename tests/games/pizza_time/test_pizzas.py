"""What a pizza shows: the kernels against the naive twin over all 98,304 ways to lay four cards."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.pizza_time import notation, rules, solutions
from engine.games.pizza_time.rules import N_PIZZAS, N_PLACEMENTS, N_REARRANGEMENTS
from engine.kernel import JIT, kernel
from tests.games.pizza_time.playing import OTHER_CARDS, OTHER_SET, load, pizza
from tests.naive import pizza_time as naive

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "scores_pizza_time.json"
OURS = tuple(int(face) for face in load().template["faces"])
some_placement = st.integers(0, N_PLACEMENTS - 1)
a_movement = st.integers(0, N_REARRANGEMENTS - 1)


@kernel
def _totals_of_all(faces, totals, pizzas):
    for placement in range(len(totals)):
        totals[placement] = rules.totals_of(faces, placement)
        pizzas[placement] = rules.pizza_of(placement)


def totals_of_all(faces) -> tuple[np.ndarray, np.ndarray]:
    """Return the totals (placements, 4) and the pizza of every placement."""
    totals, pizzas = np.zeros(N_PLACEMENTS, dtype=np.int64), np.zeros(N_PLACEMENTS, dtype=np.int64)
    _totals_of_all(np.array(faces, dtype=np.uint32), totals, pizzas)
    return (totals[:, None] >> np.arange(0, 32, 8)) & 0xFF, pizzas


@pytest.mark.skipif(not JIT, reason="takes minutes when interpreted")
@pytest.mark.parametrize(
    ("options", "cards", "seams"),
    [
        ({}, naive.OUR_SET, True),
        ({"geometry": "sum"}, naive.OUR_SET, False),
        ({"card_set": str(OTHER_SET)}, OTHER_CARDS, True),
    ],
    ids=["ours", "sum", "other"],
)
def test_all_98304_placements_against_the_twin(options, cards, seams):
    faces = tuple(int(face) for face in load(**options).template["faces"])
    totals, pizzas = totals_of_all(faces)
    seen = {}
    for placement in range(N_PLACEMENTS):
        seen[tuple(pizza(placement))] = totals[placement].tolist()
    assert len(seen) == N_PLACEMENTS
    for laid in naive.all_pizzas():
        assert seen[tuple(laid)] == list(naive.totals(cards, laid, seams).values())
    assert np.array_equal(solutions.totals_of_pizzas(faces)[pizzas], totals)


@pytest.mark.skipif(not JIT, reason="takes minutes when interpreted")
def test_a_pizza_is_four_placements():
    _, pizzas = totals_of_all(OURS)
    counts = np.bincount(pizzas)
    assert len(counts) == N_PIZZAS == 24_576
    assert set(counts.tolist()) == {4}


@given(some_placement)
def test_turning_the_whole_square_changes_nothing(placement):
    laid = pizza(placement)
    for _ in range(4):
        laid = naive.turned(laid)
        text = " ".join(f"{card}{side}{turns}" for card, side, turns in laid)
        turned = notation.parse_placement(text)
        assert rules.pizza_of(turned) == rules.pizza_of(placement)
        faces = np.array(OURS, dtype=np.uint32)
        assert rules.totals_of(faces, turned) == rules.totals_of(faces, placement)
    assert turned == placement


@given(some_placement, a_movement)
def test_movements_against_the_twin(placement, movement):
    moved = rules.rearranged(placement, movement)
    assert pizza(moved) == naive.rearrange(pizza(placement), notation.action_text(movement))


@given(some_placement, st.lists(st.integers(0, 5), min_size=4, max_size=4))
def test_exact_toppings_against_the_twin(placement, numbers):
    totals = rules.totals_of(np.array(OURS, dtype=np.uint32), placement)
    order = dict(zip(naive.TOPPINGS, numbers, strict=True))
    packed = sum(number << (8 * topping) for topping, number in enumerate(numbers))
    shown = naive.totals(naive.OUR_SET, pizza(placement))
    assert rules.n_exact(totals, packed) == naive.exact(shown, order)
    for types in range(5):
        assert naive.fills(shown, order, types) == (naive.exact(shown, order) >= types)


def test_totals_of_our_set_are_exactly_1_to_4_of_each():
    reached = {tuple(row) for row in solutions.totals_of_pizzas(OURS).tolist()}
    assert reached == {(a, b, c, d) for a in range(1, 5) for b in range(1, 5) for c in range(1, 5) for d in range(1, 5)}


@pytest.mark.parametrize(
    ("types", "least", "median", "most", "share"),
    [(2, 1_304, 6_312, 13_144, 0.2617), (3, 104, 856, 4_648, 0.0508), (4, 8, 56, 712, 0.0039)],
)
def test_every_order_of_our_set_can_be_filled(types, least, median, most, share):
    """Solutions of 24,576 pizzas, as found by an independent brute force."""
    piles = tuple(tuple(pile) for pile in load().template["piles"].tolist())
    orders, _ = solutions.distinct_orders(piles)
    assert len(orders) == 256
    counts = solutions.count_solutions(OURS, orders)[:, types]
    assert (counts.min(), np.median(counts), counts.max()) == (least, median, most)
    assert counts.mean() / N_PIZZAS == pytest.approx(share, abs=5e-5)


def test_the_plain_sum_with_two_numbers_can_fill_every_order_too():
    template = load(geometry="sum").template
    faces = tuple(int(face) for face in template["faces"])
    orders, _ = solutions.distinct_orders(tuple(tuple(pile) for pile in template["piles"].tolist()))
    assert len(orders) == 16
    assert (solutions.count_solutions(faces, orders)[:, 4] > 0).all()


@pytest.mark.parametrize(
    ("piles", "shares"),
    [((1, 2, 2, 3, 3, 4), (0.69, 0.31, 0.06)), ((1, 2, 3, 4, 5, 6), (0.41, 0.11, 0.01))],
)
def test_the_plain_sum_with_more_numbers_cannot(piles, shares):
    faces = tuple(int(face) for face in load(geometry="sum").template["faces"])
    orders, _ = solutions.distinct_orders((piles,) * 4)
    found = (solutions.count_solutions(faces, orders) > 0).mean(axis=0)
    assert found[2:] == pytest.approx(shares, abs=0.006)


def test_distances_are_shortest_ways():
    """Walk a step nearer each time: so many steps to a goal, and no neighbor is nearer than one step less."""
    chance = np.random.default_rng(1)
    goals = np.zeros((N_PIZZAS, 3), dtype=np.bool_)
    for column, n_goals in enumerate((1, 20, 3_000)):
        goals[chance.choice(N_PIZZAS, n_goals, replace=False), column] = True
    far = solutions.distances(goals)
    steps = solutions.neighbors()
    assert np.array_equal(far == 0, goals.T)
    nearest = far[:, steps].min(axis=2)
    assert np.array_equal(np.where(far > 0, nearest + 1, 0), far)


def test_distances_to_nowhere():
    goals = np.zeros((N_PIZZAS, 2), dtype=np.bool_)
    goals[5, 0] = True
    assert (solutions.distances(goals)[1] == solutions.UNREACHABLE).all()


def test_golden_pizzas():
    entries = json.loads(GOLDEN.read_text())
    assert len(entries) == 60
    for entry in entries:
        answer = notation.explain(entry["position"], load(**entry["options"]).options, None)
        assert (answer["totals"], answer["points"]) == (entry["totals"], entry["points"])
        assert sum(feature["points"] for feature in answer["features"]) == answer["points"]


def test_the_most_toppings_of_an_order():
    setup = load(card_set=str(OTHER_SET))
    piles = setup.template["piles"].tolist()
    chance = np.random.default_rng(3)
    found = Counter()
    for _ in range(60):
        places = chance.integers(0, 6, 4)
        order = {each: piles[t][places[t]] for t, each in enumerate(naive.TOPPINGS)}
        firsts = [piles[t].index(piles[t][places[t]]) for t in range(4)]
        number = int(firsts @ 6 ** np.arange(3, -1, -1))
        assert rules.most_types(setup.template, number) == naive.most_fillable(OTHER_CARDS, order)
        found[naive.most_fillable(OTHER_CARDS, order)] += 1
    assert len(found) > 1

"""Scoring of hands: the rulebook's examples, a slow twin over every hand, and words that add up."""

import hashlib
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.robots_ate_our_pizza import notation
from engine.games.robots_ate_our_pizza.rules import FULL_HANDS, N_CARDS, RUNS, SCORES, TOPPINGS, sets_of_size
from tests.games.robots_ate_our_pizza.playing import EVERY_TASK, cards, load, words
from tests.naive.robots_ate_our_pizza import TOPPINGS as NAIVE_TOPPINGS
from tests.naive.robots_ate_our_pizza import add_up, find_features, score_hand

GOLDEN = Path(__file__).parents[2] / "golden" / "scores_robots_ate_our_pizza.json"

# The ten hands that the rulebook scores, in its order: points without topping, then with cheese, pepperoni, veggies,
# anchovies and deep-dish.
EXAMPLES = {
    "pair of 1s, pair of red, pair of blue": ("R1 B1 R3 B4", 6, -2, 6, -6, 1, -2),
    "pair of 1s": ("R1 B1 P3 Y4", 2, 2, 2, -2, 5, -2),
    "triple of 1s, pair of blue": ("R1 B1 P1 B4", 7, 3, 7, 3, 0, -3),
    "quad of red": ("R1 R2 R4 R5", 12, -12, 12, 12, 5, -12),
    "quad of 1s": ("R1 B1 P1 Y1", 12, 12, 12, 12, 5, -12),
    "pair of red, run of 3": ("R1 B2 R3 Y5", 4, 0, 0, 0, 3, -4),
    "triple of red, run of 3": ("R1 R2 R3 Y5", 7, -3, 3, 7, 0, -7),
    "triple of red, pair of 2s, two runs of 3": ("R2 R3 R4 Y2", 11, 1, 3, 7, 4, -11),
    "pair of purple, run of 4": ("R1 B2 P3 P4", 6, 2, -2, 2, 1, -2),
    "nothing": ("R1 B2 P4 Y5", 0, 0, 0, 0, 7, 0),
}
FIRST_TASKS = (1, 5, 9, 13, 17, 21)  # highest total of each topping


def points(position: str, task: int = 1, **options) -> int:
    setup = load(task=task, **options)
    return setup.game.notation.explain(position, setup.options)["points"]


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_examples_of_the_rulebook(example):
    position, *expected = example
    assert [points(position, task) for task in FIRST_TASKS] == expected


@pytest.mark.parametrize(
    ("position", "runs", "expected"),
    [
        ("R1 R2 B1 B2", "per_choice", 8),  # two pairs of a color, two pairs of a number
        ("R1 B2 Y2 P3", "per_choice", 6),  # 1, 2, 2, 3: two runs and a pair
        ("R1 B2 Y2 P3", "per_block", 4),
        ("R2 B3 P4 Y4", "per_choice", 6),  # 2, 3, 4, 4
        ("R2 B3 P4 Y4", "per_block", 4),
        ("R1 Y1 B2 P3", "per_choice", 6),  # 1, 1, 2, 3
        ("R1 B2 Y3 P7", "per_choice", 2),  # a run and a card apart
        ("R1 B2 Y3 P5", "per_block", 2),
        ("R1 R2 R3 R4", "per_choice", 16),  # a quad and a run of 4: the most there is
        ("R8 B7 P6 Y5", "per_choice", 4),  # a run of 4 holds no runs of 3
        ("B7 P8 R1 Y2", "per_choice", 0),  # 8 and 1 are not neighbors
        ("R1 B2 R5 B6", "per_choice", 4),  # two numbers in a row are no run
    ],
)
def test_situations(position, runs, expected):
    assert points(position, runs=runs) == expected
    assert score_hand(position.split(), runs=runs) == expected


@pytest.mark.parametrize(
    ("position", "runs", "expected"),
    [
        ("R2 Y2 B3 P4", "per_choice", -2),  # pair -2, the run with red -2, the run with yellow +2
        ("R2 Y2 B3 P4", "per_block", -4),  # ours: a block's one run is negative when any of its cards is red
        ("B2 Y2 B3 P4", "per_block", 6),
        ("R2 Y2 B2 P5", "per_choice", -5),  # a triple with red is all negative
        ("R3 B1 B2 B3", "per_choice", 3),  # triple of blue +5, pair of 3s -2, runs +2 and -2
        ("R1 B2 B3 B4", "per_choice", 1),  # triple of blue +5, run of 4 with red -4
        ("B1 B2 B3 B4", "per_choice", 16),
    ],
)
def test_larry_spoils_only_what_he_is_part_of(position, runs, expected):
    assert points(position, task=21, runs=runs) == expected


@pytest.mark.parametrize(
    ("position", "task", "expected"),
    [
        ("Y1 Y2 Y3 B7", 5, -3),  # cheese: a run of one color stays positive
        ("R2 B3 P4 Y4", 9, -2),  # pepperoni: each of the two runs counts against the pair
        ("R1 B1 R4 B4", 13, -8),  # veggies: pairs of both kinds
        ("R1 B1 P1 R2", 13, 3),  # veggies: the triple stays positive
        ("R1 R2 R3 R4", 17, 9),  # anchovies: the farthest from 7
        ("R1 R2 R3 Y5", 17, 0),
    ],
)
def test_toppings(position, task, expected):
    assert points(position, task) == expected


def test_golden_scores():
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert len(golden) == 120
    for line in golden:
        assert points(line["position"], **line["options"]) == line["points"], line
        assert score_hand(line["position"].split(), line["options"]["task"]) == line["points"], line


def test_tasks_of_a_topping_score_alike():
    for task in EVERY_TASK:
        assert points("R2 Y2 B3 P4", task) == points("R2 Y2 B3 P4", task - (task - 1) % 4)


@pytest.mark.parametrize("runs", RUNS)
def test_every_hand_agrees_with_the_naive_twin(runs):
    hands = [words(list(hand)) for hand in sets_of_size(4)]
    features = [find_features(hand, runs) for hand in hands]
    for topping, name in enumerate(NAIVE_TOPPINGS):
        expected = np.array([add_up(each, name) for each in features])
        found = SCORES[RUNS.index(runs), topping, FULL_HANDS]
        differs = np.flatnonzero(found != expected)
        assert not len(differs), (hands[differs[0]], name, found[differs[0]], expected[differs[0]])


def test_there_are_35960_hands():
    hands = sets_of_size(4)
    assert hands.shape == (35_960, 4)
    assert {tuple(hand) for hand in hands.tolist()} == set(itertools.combinations(range(N_CARDS), 4))
    assert SCORES.shape == (len(RUNS), len(TOPPINGS), 1 + 32 + 496 + 4_960 + 35_960)


def test_bounds_of_hands():
    full = SCORES[:, :, FULL_HANDS]
    assert full[0].max(axis=1).tolist() == [16, 12, 12, 16, 9, 16]
    assert full[0].min(axis=1).tolist() == [0, -12, -4, -8, 0, -16]
    assert (full[0] >= full[1]).all(axis=1)[0], "without topping, a run a block never counts more"


def test_digest_of_all_hands():
    """Pin every score of every full hand: any change of a rule or of the order of hands shows here."""
    table = np.ascontiguousarray(SCORES[:, :, FULL_HANDS])
    assert table.dtype == np.int8
    assert hashlib.sha256(table.tobytes()).hexdigest() == DIGEST


DIGEST = "a25ed8bb3ca0aca4833f60084fb6b921d2d92b8721ebec05b8d162004fbd1b98"

hands_of_four = st.lists(st.integers(0, N_CARDS - 1), min_size=4, max_size=4, unique=True)


@given(hand=hands_of_four, task=st.sampled_from(EVERY_TASK), runs=st.sampled_from(RUNS))
def test_explained_features_add_up(hand, task, runs):
    position = " ".join(words(hand))
    explained = notation.explain(position, {"task": task, "runs": runs})
    assert explained["points"] == sum(feature["points"] for feature in explained["features"])
    assert explained["points"] == score_hand(position.split(), task, runs)


def named_features(position: str, task: int) -> list[tuple[str, int]]:
    setup = load(task=task)
    features = setup.game.notation.explain(position, setup.options)["features"]
    return [(feature["name"], feature["points"]) for feature in features]


def test_explanation_in_words():
    assert named_features("R2 R3 R4 Y2", task=1) == [
        ("triple of red", 5),
        ("pair of 2s", 2),
        ("run R2-R3-R4", 2),
        ("run Y2-R3-R4", 2),
    ]
    assert named_features("R1 B1 R3 B4", task=17) == [
        ("pair of red", 2),
        ("pair of blue", 2),
        ("pair of 1s", 2),
        ("anchovies: distance of 6 from 7", -5),
    ]


@given(hand=st.permutations(cards("R2 Y2 B3 P4")), task=st.sampled_from(EVERY_TASK))
def test_the_order_of_the_cards_does_not_matter(hand, task):
    assert points(" ".join(words(hand)), task) == score_hand(["R2", "Y2", "B3", "P4"], task)

"""Scoring a spread: the values that must come out, why a spread is none, and what a hand of them counts."""

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.robots import notation
from engine.games.robots.rules import CARDS, N_NATURAL
from tests.games.robots.playing import load, names
from tests.naive.robots import value

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "scores_robots.json").read_text(encoding="utf-8"))


def scored(position: str, **options):
    setup = load(2, **options)
    return setup.game.notation.explain(position, setup.options)


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: entry["position"].replace(" ", "-"))
def test_golden_values(entry):
    if entry.get("error"):
        with pytest.raises(ValueError, match=r"."):
            scored(entry["position"], **entry["options"])
    else:
        answer = scored(entry["position"], **entry["options"])
        assert (answer["points"], answer["robot"]) == (entry["points"], entry["robot"])
        assert answer["points"] == sum(feature["points"] for feature in answer["features"])


def test_there_are_golden_values_of_both_kinds():
    assert len(GOLDEN) == 22
    assert sum(bool(entry.get("error")) for entry in GOLDEN) == 7


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("R14 R* R2", "the ranks do not follow one another (a star is 1 or 15, and nothing wraps around): 'R14 R* R2'"),
        ("R2 R3", "a spread is at least 3 cards, not 2: 'R2 R3'"),
        ("", "a spread is at least 3 cards, not 0: ''"),
        ("R2 R3 R5", "the ranks do not follow one another"),
        ("R2 R3 W R6 R9", "the ranks do not follow one another"),
        ("R9 G9 R9", "R9 stands twice in 'R9 G9 R9'; every card exists once"),
        ("R2 G3 B4", "a spread is cards of one suit or of one rank: 'R2 G3 B4'"),
        ("R9 G9 B8", "a spread is cards of one suit or of one rank"),
        ("W W W", "a spread needs a card that is no wild: 'W W W'"),
        ("R9 G9 B9 P9 K9 W", "a set has at most 5 cards, not 6: 'R9 G9 B9 P9 K9 W'"),
        ("R2 W W W W W", "there are 4 wilds, not 5"),
        ("R2 R3 X4", "a card is a suit of R, G, B, P, K with a rank 2 to 14 or *, or W for a wild, not 'X4'"),
        ("R2 R3 R15", "not 'R15'"),
        ("R2 R3 R1", "not 'R1'"),
        ("R* R2 R3 R4 R5 R6 R7 R8 R9 R10 R11 R12 R13 R14 W", "a run has at most 14 cards, not 15"),
    ],
)
def test_why_a_spread_is_none(position, why):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        scored(position)
    assert why in str(error.value)


def test_a_spread_may_be_written_in_any_order():
    for order in itertools.permutations(["R4", "W", "R2", "R3"]):
        assert scored(" ".join(order)) == {
            "points": 15, "robot": False, "features": [{"name": "run of 4", "points": 15}]
        }  # fmt: skip
    assert scored("r2, r3,  r4")["points"] == 15
    assert scored("R2 R3 W3")["points"] == 10


def test_robots_in_words():
    assert scored("R12 G12 B12 P12 K12")["features"] == [
        {"name": "set of 5", "points": 50},
        {"name": "robot", "points": 50},
    ]
    assert not scored("R* G* B* P* K*")["robot"]
    assert scored("R* G* B* P* K*", star_robot=True) == {
        "points": 125,
        "robot": True,
        "features": [{"name": "set of 5", "points": 75}, {"name": "robot", "points": 50}],
    }


def test_options_limit_the_wilds():
    with pytest.raises(ValueError, match="a spread holds at most 1 wilds, not 2"):
        scored("R2 W W", max_wilds=1)
    with pytest.raises(ValueError, match="there are 0 wilds, not 1"):
        scored("R2 R3 W", n_wild=0)


@given(st.sets(st.sampled_from(names(CARDS[:N_NATURAL])), min_size=3, max_size=5), st.integers(0, 2))
def test_points_are_those_of_the_cards(cards, n_wilds):
    try:
        answer = scored(" ".join([*sorted(cards), *["W"] * n_wilds]))
    except ValueError:
        return
    assert answer["points"] == sum(map(value, cards)) + 50 * answer["robot"]
    kind = answer["features"][0]["name"].split()[0]
    assert (len({card[0] for card in cards}) == 1) == (kind == "run") or len(cards) == 1


@pytest.mark.parametrize("suit", "RGBPK")
def test_every_run_of_three_and_no_other(suit):
    ranks = ["*", *map(str, range(2, 15))]
    places = {rank: (1, 15) if rank == "*" else (int(rank),) for rank in ranks}
    for chosen in itertools.combinations(ranks, 3):
        options = itertools.product(*(places[rank] for rank in chosen))
        is_run = any(max(each) - min(each) == 2 for each in options)
        try:
            scored(" ".join(suit + rank for rank in chosen))
            assert is_run
        except ValueError:
            assert not is_run


def test_the_card_reader_and_writer_agree():
    for card in CARDS:
        assert notation.parse_card(notation.card_text(int(card))) == card

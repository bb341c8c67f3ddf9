"""Scoring: lines as the rulebook counts them, a slow twin over every line, sorted lines compared, words that add up."""

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import is_terminal, returns, score
from engine.games.robot_master import notation
from engine.games.robot_master.lines import FIVE_KINDS, MULTISETS, SCORES
from tests.games.playing import states_of_random_game
from tests.games.robot_master.playing import cards_of, fill, load
from tests.naive.robot_master import COLUMNS, ROWS, Square, compare, score_line

GOLDEN = Path(__file__).parents[2] / "golden" / "scores_robot_master.json"


def points(position: str, **options) -> int:
    setup = load(**options)
    return setup.game.notation.explain(position, setup.options)["points"]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("0 1 2 3 4", 10),  # single cards: their face value
        ("1 1 2 3 4", 19),  # a pair: ten times the value
        ("5 5 4 4 3", 93),  # two pairs: two multiplications
        ("2 2 2 4 5", 109),  # a triple: 100, whatever the value
        ("2 2 2 4 4", 140),  # a triple and a pair
        ("3 3 3 3 4", 107),  # four: 100 and the value of the fourth
        ("3 3 3 3 3", 106),  # five: 100 and the value of the two others
        ("0 1 2 3 5", 11),  # one zero is nothing
        ("0 0 1 2 4", 7),  # two zeros are nothing
        ("0 0 0 1 2", 103),  # three zeros are 100
        ("0 0 0 0 2", 102),
        ("0 0 0 0 0", 100),
    ],
)
def test_lines_as_the_rulebook_counts_them(position, expected):
    assert points(position) == expected
    assert score_line([int(word) for word in position.split()]) == expected


@pytest.mark.parametrize(("value", "expected"), [(0, 100), (1, 110), (2, 120), (3, 130), (4, 140), (5, 150)])
def test_five_of_a_kind_as_a_triple_and_a_pair(value, expected):
    position = " ".join([str(value)] * 5)
    assert points(position, five_kind="trio_plus_duo") == expected
    assert points(position) == 100 + 2 * value
    four = f"{(value + 1) % 6} " + " ".join([str(value)] * 4)
    assert points(four, five_kind="trio_plus_duo") == points(four) == 100 + value + (value + 1) % 6


def test_golden_lines():
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert len(golden) == 12
    for line in golden:
        assert points(line["position"], **line["options"]) == line["points"], line
        assert score_line([int(word) for word in line["position"].split()], **line["options"]) == line["points"], line


@pytest.mark.parametrize("five_kind", FIVE_KINDS)
def test_every_multiset_agrees_with_the_naive_twin(five_kind):
    """All 462 multisets of up to five values, so unfinished lines too."""
    every = {each for size in range(6) for each in itertools.combinations_with_replacement(range(6), size)}
    assert len(MULTISETS) == len(every) == 462
    assert set(MULTISETS) == every
    for number, each in enumerate(MULTISETS):
        assert SCORES[FIVE_KINDS.index(five_kind), number] == score_line(list(each), five_kind), each


def test_bounds_of_full_lines():
    full = [number for number, each in enumerate(MULTISETS) if len(each) == 5]
    scores = SCORES[0, full]
    assert (scores.min(), scores.max()) == (6, 150)
    assert MULTISETS[full[int(scores.argmin())]] == (0, 0, 1, 2, 3)


@given(
    values=st.lists(st.integers(0, 5), min_size=5, max_size=5),
    order=st.permutations(range(5)),
    five_kind=st.sampled_from(FIVE_KINDS),
)
def test_explained_groups_add_up_in_any_order(values, order, five_kind):
    setup = load(five_kind=five_kind)
    explained = notation.explain(" ".join(str(values[place]) for place in order), setup.options)
    assert explained["points"] == sum(feature["points"] for feature in explained["features"])
    assert explained["points"] == score_line(values, five_kind)
    assert explained["features"] == notation.explain(" ".join(map(str, values)), setup.options)["features"]


def test_explanation_in_words():
    features = notation.explain("2 1 2 1 2", load().options)["features"]
    assert [(each["name"], each["points"]) for each in features] == [("triple of 2s", 100), ("pair of 1s", 10)]
    features = notation.explain("3 3 3 3 0", load().options)["features"]
    assert [(each["name"], each["points"]) for each in features] == [("four of 3s", 103), ("single 0", 0)]
    features = notation.explain("4,0,4", load(size=3).options)["features"]
    assert [(each["name"], each["points"]) for each in features] == [("pair of 4s", 40), ("single 0", 0)]


# Squares.

# Rows and columns tie from the lowest up to the fourth; the highest row has five of a kind, the highest column 107.
DEEP_TIE = [[3, 3, 3, 3, 3], [2, 5, 5, 4, 1], [5, 1, 0, 0, 1], [1, 1, 5, 0, 4], [4, 3, 4, 0, 2]]


def random_tables(size: int):
    """Yield squares of one deck, symmetric but for two cells that were swapped: rows and columns often tie."""
    chance = np.random.default_rng(5)
    while True:
        table = chance.integers(0, 6, (size, size))
        table = np.triu(table) + np.triu(table, 1).T
        (a, b), (c, d) = chance.integers(0, size, (2, 2))
        table[a, b], table[c, d] = table[c, d], table[a, b]
        if np.bincount(table.ravel(), minlength=6).max() <= 6:
            yield table.tolist()


def scores_of(table, five_kind="literal"):
    half = len(table) // 2
    cards = {(row - half, column - half): card for row, line in enumerate(table) for column, card in enumerate(line)}
    square = Square(cards, len(table))
    return sorted(square.scores(ROWS, five_kind)), sorted(square.scores(COLUMNS, five_kind))


def first_difference(rows, columns) -> int:
    """Return on which line, from the lowest, two sorted lists differ; their length when they do not."""
    differs = (line for line, (row, column) in enumerate(zip(rows, columns, strict=True)) if row != column)
    return next(differs, len(rows))


@pytest.mark.parametrize("variant", ["standard", "teams"])
def test_ties_are_broken_to_the_last_line(variant):
    setup = load(variant)
    wanted = {(depth, sign): 4 for depth in range(4) for sign in (-1, 1)} | {(4, -1): 1, (4, 1): 1, (5, 0): 4}
    for table in itertools.chain([DEEP_TIE, np.transpose(DEEP_TIE).tolist()], random_tables(5)):
        rows, columns = scores_of(table)
        kind = (first_difference(rows, columns), compare(rows, columns))
        if not wanted.get(kind):
            continue
        wanted[kind] -= 1
        state = fill(setup, table)
        assert is_terminal(state)
        assert cards_of(state) == table
        assert_result(state, setup, rows, columns)
        if not any(wanted.values()):
            break


def assert_result(state, setup, rows, columns) -> None:
    points, utility = np.zeros(setup.players, dtype=np.int64), np.zeros(setup.players)
    score(state, points)
    returns(state, utility)
    winner = compare(rows, columns)
    n_teams = setup.players // 2
    assert points.tolist() == [rows[0], columns[0]] * n_teams
    assert utility.tolist() == [(1 + winner) / setup.players, (1 - winner) / setup.players] * n_teams
    last_line = notation.explain_result(state).splitlines()[-1]
    names = ("seat 0", "seat 1") if n_teams == 1 else ("seats 0 and 2", "seats 1 and 3")
    assert last_line == {1: f"{names[0]} won", 0: "a draw: all lines are equal", -1: f"{names[1]} won"}[winner]


def test_a_symmetric_square_is_a_draw():
    table = [[0, 1, 2, 3, 4], [1, 5, 0, 1, 2], [2, 0, 3, 4, 5], [3, 1, 4, 0, 1], [4, 2, 5, 1, 3]]
    state = fill(load(), table)
    assert notation.explain_result(state).endswith("a draw: all lines are equal")


def test_alone_the_lowest_of_all_lines_counts():
    setup = load("solo", size=3)
    for table in itertools.islice(random_tables(3), 100):
        rows, columns = scores_of(table)
        points, utility = np.zeros(1, dtype=np.int64), np.zeros(1)
        state = fill(setup, table)
        score(state, points)
        returns(state, utility)
        assert points[0] == min(rows[0], columns[0])
        assert utility[0] == points[0] / 150
        assert notation.explain_result(state).endswith(f"lowest line: {points[0]} points")


def test_five_of_a_kind_decides_a_square_as_the_option_says():
    for five_kind, expected, winner in (("literal", 106, "seat 1"), ("trio_plus_duo", 130, "seat 0")):
        text = notation.explain_result(fill(load(five_kind=five_kind), DEEP_TIE))
        assert f"row 1: {expected} points (five of 3s +{expected})" in text
        assert text.endswith(f"{winner} won")


@pytest.mark.parametrize("variant", ["standard", "hand5", "teams", "solo"])
@pytest.mark.parametrize("five_kind", FIVE_KINDS)
def test_pictures_and_explanations_show_the_scores_of_the_lines(variant, five_kind):
    for number in range(3):
        *_, state = states_of_random_game(load(variant, five_kind=five_kind), number)
        rows, columns = scores_of(cards_of(state), five_kind)
        told = [line.split() for line in notation.explain_result(state).splitlines()]
        assert sorted(int(words[2]) for words in told if words[0] == "row") == rows
        assert sorted(int(words[2]) for words in told if words[0] == "column") == columns
        picture = [line.split() for line in notation.show(state).splitlines()]
        assert sorted(int(words[-1]) for words in picture if words[0][0] == "r") == rows
        assert sorted(int(word) for word in picture[7]) == columns

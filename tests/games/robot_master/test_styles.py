"""The rules of thumb: each does what its sentence says, reads nothing hidden, and is no worse than random play."""

import functools
import itertools

import numpy as np
import pytest

from engine.contract import (
    MOST_ACTIONS,
    apply_action,
    appraise,
    current_player,
    determinize,
    is_terminal,
    legal_actions,
)
from engine.games.robot_master import notation
from engine.games.robot_master.lines import LEVELS, MOST_SIZE
from engine.games.robot_master.rules import first_line_of
from engine.games.robot_master.styles import STYLES
from engine.rng import ANALYSIS, new_stream
from tests.games.playing import copy_of, states_of_random_game
from tests.games.robot_master.playing import PLACING, UNIFORM, changed, greedy, load, play_many
from tests.naive.robot_master import score_line

NAMES = [style.name for style in STYLES]
N_DEALS = 1_000


def opinion(setup, style: str, state, weight: float = 1.0) -> dict[int, float]:
    """Return how much a style likes each legal action."""
    player = greedy(setup, style, weight=weight)
    actions, values = np.empty(MOST_ACTIONS, dtype=np.int64), np.full(MOST_ACTIONS, np.nan)
    n_legal = int(legal_actions(state, actions))
    appraise(state, actions, n_legal, player.style, player.weight, player.table, values)
    return dict(zip(actions[:n_legal].tolist(), values[:n_legal].tolist(), strict=True))


def favorites(setup, style: str, state, weight: float = 1.0) -> list[int]:
    """Return the actions that a style likes best."""
    liked = opinion(setup, style, state, weight)
    assert np.isfinite(list(liked.values())).all()
    return [action for action, value in liked.items() if value == max(liked.values())]


def texts(actions) -> set[str]:
    return {notation.action_text(action) for action in actions}


def played(state, action: int):
    """Return the state after an action; of its square the lines can still be read, though a match may have gone on."""
    copy = copy_of(state)
    apply_action(copy, action)
    return copy


def line_points(state, first: int) -> list[int]:
    """Return what the rows (first 0) or columns (first 5) score as they lie, the lowest first."""
    lines = range(first, first + int(state.edge))
    return sorted(score_line(notation.line_cards(state, line)) for line in lines)


def own_lines(state) -> int:
    """Return the first of the mover's lines."""
    return int(first_line_of(state, current_player(state) % 2))


def last_moves(setup, n_games: int):
    """Yield positions of random games in which one cell is empty."""
    for number in range(n_games):
        for state in states_of_random_game(setup, number):
            if state.turn == setup.options["size"] ** 2 - 2:
                yield copy_of(state)


# What the sentences say.


@pytest.mark.parametrize("variant", ["standard", "hand5", "teams", "solo"])
@pytest.mark.parametrize("placing", PLACING[:2], ids=str)
def test_hoarder_adds_as_many_points_as_possible_now(variant, placing):
    setup = load(variant, **placing)
    for state in states_of_random_game(setup, 1):
        if is_terminal(state):
            break
        directions = (0, MOST_SIZE) if variant == "solo" else (own_lines(state),)
        before = sum(sum(line_points(state, first)) for first in directions)
        gains = {}
        for action in opinion(setup, "hoarder", state):
            after = played(state, action)
            gains[action] = sum(sum(line_points(after, first)) for first in directions) - before
        assert opinion(setup, "hoarder", state) == gains


@pytest.mark.parametrize("variant", ["standard", "hand5", "teams", "solo"])
def test_zero_dumper_lays_his_lowest_card(variant):
    setup = load(variant)
    for state in states_of_random_game(setup, 2):
        if is_terminal(state):
            break
        lowest = min(notation.hand_values(state, current_player(state)))
        assert {action % 6 for action in favorites(setup, "zero-dumper", state)} == {lowest}


def on_levels(points: int) -> int:
    """Return the highest level of a small square's tables that is not above: between levels styles do not tell."""
    return max([0, *(int(level) for level in LEVELS[1] if level <= points)])


def test_the_last_card_of_expected_minimum_gives_the_best_difference_of_lowest_lines():
    setup = load("hand5", size=3)
    for state in last_moves(setup, 40):
        mine = own_lines(state)
        lowest = {}
        for action in opinion(setup, "expected-minimum", state):
            after = played(state, action)
            lowest[action] = [on_levels(line_points(after, first)[0]) for first in (mine, MOST_SIZE - mine)]
        expected = {action: float(own - other) for action, (own, other) in lowest.items()}
        assert opinion(setup, "expected-minimum", state) == pytest.approx(expected, abs=1e-4)
        selfish = {action: float(own) for action, (own, _) in lowest.items()}
        assert opinion(setup, "expected-minimum", state, weight=0.0) == pytest.approx(selfish, abs=1e-4)


def test_the_last_card_of_denier_leaves_the_opponent_the_lowest_line():
    setup = load("hand5", size=3)
    for state in last_moves(setup, 40):
        theirs = MOST_SIZE - own_lines(state)
        left = {
            action: -float(on_levels(line_points(played(state, action), theirs)[0]))
            for action in opinion(setup, "denier", state)
        }
        assert opinion(setup, "denier", state) == pytest.approx(left, abs=1e-4)


def test_the_last_card_of_weakest_line_fixer_leaves_the_best_lowest_line():
    setup = load("hand5", size=3)
    for state in last_moves(setup, 40):
        lowest = {}
        for action in opinion(setup, "weakest-line-fixer", state):
            points = [on_levels(each) for each in line_points(played(state, action), own_lines(state))]
            lowest[action] = (points[0], points[1])
        best = max(lowest.values())
        assert {lowest[action] for action in favorites(setup, "weakest-line-fixer", state)} == {best}


# Small squares in which seat 0, who owns the rows, is to lay his second card.


def position(rows: str, hand: str):
    """Return the position of a small square with three cards, seat 0 to move."""
    cells = [list(row) for row in rows.split("/")]
    laid = [(row, column) for row in range(3) for column in range(3) if cells[row][column] != "."]
    middle_first = sorted(laid, key=lambda cell: abs(cell[0] - 1) + abs(cell[1] - 1))
    turns = [0] * 25
    for turn, (row, column) in enumerate(middle_first):
        turns[row * 5 + column] = turn
    text = notation.position_text(load(size=3, first_player=0).new_game(seed=1))
    padded = [[*row, ".", "."] for row in cells] + [["."] * 5] * 2
    return notation.parse_position(
        changed(
            text,
            turn=2,
            turns=" ".join(map(str, turns)),
            square=" / ".join(" ".join(row) for row in padded),
            hands=f"{hand} | 0 1 4",
        )
    )


def test_triple_hunter_finishes_his_triple():
    state = position(".../22./.3.", "2 3 5")
    assert texts(favorites(load(size=3), "triple-hunter", state)) == {"2 r2c3"}


def test_triple_hunter_does_not_break_his_pair():
    state = position(".../22./.3.", "1 3 5")
    assert all("r2" not in text for text in texts(favorites(load(size=3), "triple-hunter", state)))


def test_weakest_line_fixer_leaves_the_triple_that_hoarder_takes():
    """A third 5 into row 2 is worth 50 points now; but row 1, with a 0, is the one that needs a card."""
    setup, state = load(size=3), position(".0./55./...", "5 4 1")
    assert texts(favorites(setup, "hoarder", state)) == {"5 r2c3"}
    assert all("r1" in text for text in texts(favorites(setup, "weakest-line-fixer", state)))


@pytest.mark.parametrize("style", NAMES)
@pytest.mark.parametrize("variant", ["standard", "hand5", "teams"])
def test_appraisal_reads_nothing_hidden(style, variant):
    """Deal what the mover cannot know anew: he must like his moves as before."""
    setup = load(variant, floating_grid=True)
    for state in itertools.islice(states_of_random_game(setup, 2), setup.longest):
        seen = []
        for number in range(3):
            copy = copy_of(state)
            determinize(copy, current_player(state), new_stream(number, ANALYSIS))
            seen.append(opinion(setup, style, copy))
        assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("style", NAMES)
def test_a_square_that_floats_is_judged_where_it_lies(style):
    """A card above or to the left makes a new line: its value is that of an empty line of the square."""
    setup, plain = load(floating_grid=True), load()
    state, other = setup.new_game(seed=1), plain.new_game(seed=1)
    floating, fixed = opinion(setup, style, state), opinion(plain, style, other)
    for value in {action % 6 for action in floating}:
        moves = ("r0c1", "r1c0", "r1c2", "r2c1"), ("r2c3", "r3c2", "r3c4", "r4c3")
        there = [[liked[notation.parse_action(f"{value} {cell}")] for cell in cells]
                 for liked, cells in zip((floating, fixed), moves, strict=True)]  # fmt: skip
        assert there[0] == pytest.approx(there[1], abs=1e-4)


@pytest.mark.parametrize("style", ["denier", "zero-dumper"])
def test_alone_denier_and_zero_dumper_are_expected_minimum(style):
    setup = load("solo", size=3)
    for state in itertools.islice(states_of_random_game(setup, 1), setup.longest):
        assert favorites(setup, style, state) == favorites(setup, "expected-minimum", state)


# Strength. Each deal is played twice, the style on either side; the mean of both is one sample.


def share_against_random(setup, style: str) -> np.ndarray:
    """Return the style's share of the win in every deal."""
    player = greedy(setup, style)
    shares = np.zeros(N_DEALS)
    for side in range(2):
        seated = [player if seat % 2 == side else UNIFORM for seat in range(setup.players)]
        _, utility = play_many(setup, seated, N_DEALS, rotation=side)
        shares += utility[:, side::2].sum(axis=1) / 2
    return shares


@pytest.mark.parametrize(
    ("variant", "size"), [("standard", 5), ("hand5", 5), ("teams", 5), ("standard", 3), ("hand5", 3)]
)
@pytest.mark.parametrize("style", NAMES)
def test_every_style_beats_random_play(style, variant, size):
    """By three standard errors at least, over 1,000 deals and both sides; on the large square it has 70 % and more."""
    share = share_against_random(load(variant, size=size), style)
    error = share.std() / np.sqrt(N_DEALS)
    assert share.mean() - 0.5 > 3 * error
    assert size == 3 or share.mean() - 0.7 > 3 * error


@functools.cache
def random_scores(size: int) -> np.ndarray:
    return play_many(load("solo", size=size), [UNIFORM], N_DEALS)[0][:, 0]


@pytest.mark.parametrize("size", [5, 3])
@pytest.mark.parametrize("style", NAMES)
def test_no_style_is_worse_than_random_play_alone(style, size):
    """On the same 1,000 deals: not worse by three standard errors; on the large square better by more than that."""
    setup = load("solo", size=size)
    gain = play_many(setup, [greedy(setup, style)], N_DEALS)[0][:, 0] - random_scores(size)
    error = gain.std() / np.sqrt(N_DEALS)
    assert gain.mean() > (3 if size == 5 else -3) * error


def test_noise_1_is_random_play():
    setup = load("solo")
    noisy = play_many(setup, [greedy(setup, "expected-minimum", noise=1.0)], 4_000)[0]
    assert abs(noisy.mean() - 10.55) < 3 * np.hypot(0.08, noisy.std() / np.sqrt(4_000))

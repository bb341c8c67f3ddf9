"""Matches of several rounds: who starts, who owns what, what is scored, and who wins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import apply_action, current_player, is_terminal, returns, score
from engine.games.robot_master import notation
from tests.games.playing import copy_of, legal, states_of_random_game
from tests.games.robot_master.playing import almost_full, fill, hands_of, load
from tests.naive.robot_master import Match

ROWS_WIN = [[5, 5, 0], [4, 4, 1], [3, 3, 2]]  # rows 50, 41, 32; columns 12, 12, 3
COLUMNS_WIN = np.transpose(ROWS_WIN).tolist()
DRAWN = [[0, 1, 2], [1, 3, 4], [2, 4, 5]]
ROWS_WIN_LATER = [[0, 1, 2], [3, 0, 5], [0, 2, 3]]  # rows 3, 5, 8; columns 3, 3, 10


def result(state) -> tuple[list[int], list[float]]:
    players = int(state.players)
    points, utility = np.zeros(players, dtype=np.int64), np.zeros(players)
    score(state, points)
    returns(state, utility)
    return points.tolist(), utility.tolist()


def with_rounds(state, rounds: list[tuple[int | None, int]]):
    """Return a finished match with these (winner, difference) in place of its own rounds."""
    other = copy_of(state)
    assert is_terminal(other)
    assert len(rounds) == other.n_rounds
    for played, (winner, difference) in enumerate(rounds):
        other.winners[played] = 0 if winner is None else winner + 1
        other.margins[played] = difference if winner == 0 else -difference
    return other


def finished(rounds: int, variant: str = "standard"):
    *_, state = states_of_random_game(load(variant, rounds=rounds), 0)
    return state


# One square.


@pytest.mark.parametrize(
    ("table", "lowest", "shares"),
    [
        (ROWS_WIN, [32, 3], [1.0, 0.0]),
        (COLUMNS_WIN, [3, 32], [0.0, 1.0]),
        (DRAWN, [3, 3], [0.5, 0.5]),
        (ROWS_WIN_LATER, [3, 3], [1.0, 0.0]),
    ],
)
def test_one_round_counts_the_lowest_lines(table, lowest, shares):
    assert result(fill(load(size=3), table)) == (lowest, shares)


@pytest.mark.parametrize("swap_axes", [False, True])
def test_one_round_has_no_axes_to_swap(swap_axes):
    assert result(fill(load(size=3, swap_axes=swap_axes), ROWS_WIN)) == ([32, 3], [1.0, 0.0])


# Several.


@pytest.mark.parametrize(
    ("table", "winner", "margin"), [(ROWS_WIN, 1, 29), (COLUMNS_WIN, 2, -29), (DRAWN, 0, 0), (ROWS_WIN_LATER, 1, 0)]
)
def test_the_winner_of_a_round_has_the_difference_of_the_lowest_lines(table, winner, margin):
    """Where the second lowest line decided, he has won a round and no points."""
    state = fill(load(size=3, rounds=2), table)
    assert (state.winners[0], state.margins[0]) == (winner, margin)
    assert state.played_rounds == 1
    assert not is_terminal(state)


def test_with_swapped_axes_the_second_round_belongs_to_the_others():
    for swap_axes, expected in ((False, ([29, 0], [1.0, 0.0])), (True, ([0, 29], [0.0, 1.0]))):
        setup = load(size=3, rounds=2, swap_axes=swap_axes)
        state = fill(setup, ROWS_WIN, played_rounds=1)
        assert is_terminal(state)
        assert result(state) == expected
        owners = [line.split()[2] for line in notation.show(state).splitlines()[-2:]]
        assert owners == (["(columns)", "(rows)"] if swap_axes else ["(rows)", "(columns)"])


@pytest.mark.parametrize(
    ("rounds", "points", "shares"),
    [
        ([(0, 10), (1, 4), (1, 5)], [10, 9], [1.0, 0.0]),  # points before rounds
        ([(0, 9), (1, 4), (1, 5)], [9, 9], [0.0, 1.0]),  # a tie: most rounds
        ([(0, 0), (None, 0), (None, 0)], [0, 0], [1.0, 0.0]),  # a round won later counts as a round
        ([(0, 5), (1, 5), (None, 0)], [5, 5], [0.5, 0.5]),  # else a draw
        ([(None, 0), (None, 0), (None, 0)], [0, 0], [0.5, 0.5]),
        ([(0, 5), (1, 5), (1, 0)], [5, 5], [0.0, 1.0]),
    ],
)
def test_who_wins_a_match(rounds, points, shares):
    state = with_rounds(finished(3), rounds)
    assert result(state) == (points, shares)
    told = notation.explain_result(state).splitlines()[-1]
    won = [[winner for winner, _ in rounds].count(side) for side in range(2)]
    verdict = "a draw" if shares[0] == 0.5 else f"seat {shares.index(1.0)} won the match"
    assert told == f"differences {points[0]} to {points[1]}, rounds {won[0]} to {won[1]}: {verdict}"


round_results = st.one_of(st.just((None, 0)), st.tuples(st.integers(0, 1), st.integers(0, 4)))


@given(rounds=st.lists(round_results, min_size=3, max_size=3), variant=st.sampled_from(["standard", "teams"]))
def test_any_rounds_as_the_twin_has_them(rounds, variant):
    state = with_rounds(FINISHED[variant], rounds)
    match = Match(list(rounds))
    winner, n_each = match.winner(), int(state.players) // 2
    points, utility = result(state)
    assert points == [match.points(0), match.points(1)] * n_each
    shares = [0.5, 0.5] if winner is None else [float(winner == side) for side in range(2)]
    assert utility == [share / n_each for share in shares] * n_each


FINISHED = {variant: finished(3, variant) for variant in ("standard", "teams")}


@pytest.mark.parametrize("variant", ["standard", "hand5", "teams"])
def test_the_start_goes_round(variant):
    setup = load(variant, rounds=5, first_player=1)
    starts, deals = [], set()
    for state in states_of_random_game(setup, 1):
        if state.turn == 0:
            starts.append(current_player(state))
            deals.add(str(hands_of(state)))
    assert starts == [(1 + played) % setup.players for played in range(5)]
    assert len(deals) == 5


@pytest.mark.parametrize("swap_axes", [False, True])
def test_the_picture_names_the_owners_of_each_round(swap_axes):
    setup = load(rounds=3, swap_axes=swap_axes)
    for state in states_of_random_game(setup, 2):
        last = 2 if is_terminal(state) else int(state.played_rounds)
        rows_first = not (swap_axes and last == 1)
        lines = notation.show(state, 0).splitlines()[-2:]
        assert ("(rows)" in lines[0], "(columns)" in lines[1]) == (rows_first, rows_first)
        assert notation.show(state).startswith(f"round {last + 1} of 3, card {int(state.turn)} of 24")


def test_the_longest_match():
    setup = load("teams", rounds=12)
    assert sum(1 for _ in states_of_random_game(setup, 0)) == setup.longest + 1 == 12 * 24 + 1


def test_a_match_can_be_taken_up_in_the_middle():
    """Read back after the first round, it goes on as it would have."""
    state = almost_full(load(rounds=2), [[0, 1, 2, 3, 4]] * 4 + [[5, 5, 5, 5, 5]])
    again = notation.parse_position(notation.position_text(state))
    while not is_terminal(state):
        apply_action(state, legal(state)[0])
        apply_action(again, legal(again)[0])
    assert again.tobytes() == state.tobytes()

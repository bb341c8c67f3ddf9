"""The solver of the small square: its size, its mean, and what the searches lose against it."""

import numpy as np
import pytest

import agents
from engine.contract import MOST_ACTIONS, apply_action, choose, determinize, is_terminal, legal_actions, workspace
from engine.games.robot_master import exact
from engine.games.robot_master.lines import LITERAL, SCORES
from engine.kernel import JIT, kernel
from engine.rng import ANALYSIS, new_stream
from tests.games.robot_master.playing import load
from tests.naive.robot_master import score_line

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not JIT, reason="40 million codes are too many for plain Python")]

N_POSITIONS = 32_449_818
OPTIMUM = 6.7824


@pytest.fixture(scope="module")
def values() -> np.ndarray:
    return exact.solve()


def cards_of_code(code: int) -> list[int]:
    """List the cells of a position: -1 is empty, otherwise the card."""
    return [int(code // exact.PLACE_VALUE[cell]) % exact.N_DIGITS - 1 for cell in range(exact.N_CELLS)]


def test_the_number_of_positions_and_the_mean_of_optimal_play(values):
    assert np.count_nonzero(values >= 0) == N_POSITIONS
    assert exact.mean_score(values) == pytest.approx(OPTIMUM, abs=5e-5)


def test_full_squares_have_their_lowest_line(values):
    chooser = np.random.default_rng(1)
    for code in chooser.choice(np.flatnonzero(values >= 0), 3000):
        cards = cards_of_code(code)
        if -1 not in cards:
            lines = [[cards[cell] for cell in line] for line in exact.LINES]
            assert values[code] == min(score_line(line, "literal") for line in lines)
    assert SCORES[LITERAL].min() == 0


def test_a_value_is_the_mean_over_the_next_card_of_the_best_cell(values):
    chooser = np.random.default_rng(2)
    n_seen = 0
    for code in chooser.choice(np.flatnonzero(values >= 0), 400):
        cards = cards_of_code(code)
        if -1 not in cards:
            continue
        n_seen += 1
        deck = [card for card in range(6) for _ in range(6 - cards.count(card))]
        expected = 0.0
        for card in deck:
            nexts = [
                values[code + exact.PLACE_VALUE[cell] * (card + 1)]
                for cell in range(9)
                if cards[cell] == -1
                and any(
                    cards[other] >= 0 and abs(other // 3 - cell // 3) + abs(other % 3 - cell % 3) == 1
                    for other in range(9)
                )
            ]
            expected += max(nexts) / len(deck)
        assert values[code] == pytest.approx(expected)
    assert n_seen > 100


def test_corners_that_touch_leave_more_choice(values):
    assert exact.mean_score(exact.solve(diagonal=True)) > exact.mean_score(values)


@kernel
def _regrets(agent, state, scratch, space, values, actions, rng):
    """Play a game to its end; return what the agent's choices lost against the best ones, in points."""
    lost = 0.0
    while not is_terminal(state):
        n_legal = legal_actions(state, actions)
        best = -1.0
        for index in range(n_legal):
            best = max(best, exact.value_after(values, state, actions[index]))
        scratch[0] = state
        determinize(scratch[0], 0, rng)
        action = choose(agent, scratch[0], space, rng)
        lost += best - exact.value_after(values, state, action)
        apply_action(state, action)
    return lost


def mean_score_of(spec: str, values: np.ndarray, n_deals: int) -> tuple[float, float]:
    """Return an agent's mean score and its standard error, the luck of the cards taken out: optimum less regrets."""
    setup = load(variant="solo", size=3)
    player = agents.make_player(spec, setup)
    scratch = setup.blank_states(1)
    space = workspace(player.knobs, scratch)
    actions = np.zeros(MOST_ACTIONS, dtype=np.int64)
    lost = [
        _regrets(player.knobs, setup.new_game(1, deal), scratch, space, values, actions, new_stream(1, ANALYSIS, deal))
        for deal in range(n_deals)
    ]
    return exact.mean_score(values) - float(np.mean(lost)), float(np.std(lost) / np.sqrt(n_deals))


def test_flat_monte_carlo_with_random_simulations_sticks_below_the_optimum(values):
    mean, error = mean_score_of("flat-mc:iterations=10000", values, 150)
    assert abs(mean - 6.41) < 4 * error
    assert mean < 0.96 * OPTIMUM


def test_tree_search_passes_it_and_comes_near_the_optimum(values):
    plain, error = mean_score_of("mcts:iterations=10000,c=0.7", values, 100)
    assert plain > 6.41 + 2 * error
    mean, error = mean_score_of("mcts:iterations=10000,c=0.7,patience=20,final=mean,rollout=greedy", values, 100)
    assert mean - 2 * error > 0.98 * OPTIMUM

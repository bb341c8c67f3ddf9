"""The solver finds what is known of toys and what exhaustive search finds, and refuses what it cannot do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from engine.contract import apply_action, is_terminal, legal_actions, load_game, score
from engine.games.pizza_monsters import notation
from engine.solver import MATCHED, matrices, matrix_game, matrix_value, solve
from tests.engine.test_search import highest_total, positions_after
from tests.engine.test_toys import mover_wins
from tests.toys import die, nim, pennies

EXACT = 1e-9


# Matrix games.


def play_matrix(payoffs: np.ndarray, solver: Any = matrix_game) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the value of a matrix game and both optimal mixes."""
    space = matrices()
    n_rows, n_columns = payoffs.shape
    space.payoffs[:n_rows, :n_columns] = payoffs
    value = solver(space, n_rows, n_columns)
    return float(value), space.row_mix[:n_rows].copy(), space.column_mix[:n_columns].copy()


def test_rock_paper_scissors_is_even():
    value, rows, columns = play_matrix(np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]))
    assert value == pytest.approx(0.0, abs=EXACT)
    assert rows == pytest.approx([1 / 3] * 3)
    assert columns == pytest.approx([1 / 3] * 3)


def test_a_two_by_two_game_by_hand():
    """Rows mix so that both columns pay the same: 3p + 0 (1 - p) = 1p + 2 (1 - p), so p = 1/2 and the value is 3/2."""
    value, rows, columns = play_matrix(np.array([[3.0, 1.0], [0.0, 2.0]]))
    assert value == pytest.approx(1.5)
    assert rows == pytest.approx([0.5, 0.5])
    assert columns == pytest.approx([0.25, 0.75])


def test_a_saddle_point_is_pure():
    payoffs = np.array([[4.0, 2.0, 3.0], [1.0, 0.0, 9.0]])
    for solver in (matrix_game, matrix_value):
        value, rows, columns = play_matrix(payoffs, solver)
        assert value == pytest.approx(2.0)
        assert rows == pytest.approx([1.0, 0.0])
        assert columns == pytest.approx([0.0, 1.0, 0.0])


@pytest.mark.parametrize("kind", ["any", "few values", "close", "nearly equal rows"])
def test_random_matrices_as_a_linear_program_solves_them(kind):
    chance = np.random.default_rng(1)
    for _ in range(60):
        n_rows, n_columns = chance.integers(1, 10, 2)
        payoffs = chance.random((n_rows, n_columns))
        if kind == "few values":
            payoffs = np.round(3 * payoffs) / 3
        elif kind == "close":
            payoffs = 0.5 + 1e-7 * payoffs
        elif kind == "nearly equal rows":
            payoffs = payoffs[:1] + 1e-9 * payoffs
        value, rows, columns = play_matrix(payoffs)
        bounds = [(0, 1)] * n_rows + [(None, None)]
        program = linprog(
            [0.0] * n_rows + [-1.0],
            A_ub=np.hstack([-payoffs.T, np.ones((n_columns, 1))]),
            b_ub=np.zeros(n_columns),
            A_eq=[[1.0] * n_rows + [0.0]],
            b_eq=[1.0],
            bounds=bounds,
        )
        assert value == pytest.approx(-program.fun, abs=1e-7)
        # the mixes themselves prove the value, far more closely than the other program states it
        assert rows.sum() == pytest.approx(1.0, abs=1e-12)
        assert columns.sum() == pytest.approx(1.0, abs=1e-12)
        assert (rows @ payoffs).min() >= value - 1e-11
        assert (payoffs @ columns).max() <= value + 1e-11


# Toys.


@pytest.mark.parametrize("misere", [False, True])
def test_nim_is_won_where_bouton_says(misere):
    setup = load_game("toy-nim", misere=misere)
    roots = []
    for heaps in itertools.product(range(nim.LARGEST_HEAP + 1), repeat=nim.N_HEAPS):
        roots.append(setup.blank_states(1)[0])
        roots[-1].heaps = heaps
    solution = solve(setup, roots)
    for root in roots:
        heaps = tuple(sorted(map(int, root.heaps)))
        if any(heaps):
            assert solution.value(root) == float(mover_wins(heaps, misere))
            advice = solution.advise(root)
            (action,) = advice.mix
            assert advice.value == advice.worth[action] == solution.value(root)
            if advice.value == 1.0:
                apply_action(root, action)
                assert not mover_wins(tuple(sorted(map(int, root.heaps))), misere)


def test_the_die_is_worth_what_counting_says():
    setup = load_game("toy-die")
    roots = []
    for face in range(1, die.N_FACES + 1):
        roots.append(setup.new_game(1))
        roots[-1].n_rolls, roots[-1].face = 1, face
    solution = solve(setup, roots)
    points = [1 + 5 * solution.value(root) for root in roots]
    assert np.mean(points) == pytest.approx(14 / 3, abs=EXACT)
    for face, root in enumerate(roots, start=1):
        assert solution.advise(root).mix == {die.KEEP if face >= 5 else die.ROLL: 1.0}


def test_pennies_are_mixed_evenly_by_both():
    setup = load_game("toy-pennies", rounds=3)
    state = setup.new_game(1)
    solution = solve(setup, [state])
    assert (solution.graph.kind[: solution.n_states] == MATCHED).sum() > 0
    for _ in range(2):  # the first chooses, then the second, who knows nothing of it
        advice = solution.advise(state)
        assert advice.value == pytest.approx(0.5)
        assert advice.mix == pytest.approx({pennies.HEADS: 0.5, pennies.TAILS: 0.5})
        assert advice.regret(pennies.TAILS) == pytest.approx(0.0)
        apply_action(state, pennies.TAILS)


@pytest.mark.parametrize(
    ("name", "players", "sentence"),
    [
        ("toy-kuhn", 2, "a player does not know all that others know"),
        ("toy-bandit", 1, "draws by chance without saying how likely"),
        ("pizza-monsters", 3, "at 3 players: only two rivals, or a team, can be"),
    ],
)
def test_what_cannot_be_solved_is_refused(name, players, sentence):
    setup = load_game(name, players=players)
    with pytest.raises(ValueError, match=sentence):
        solve(setup, [setup.new_game(1)])


def test_a_game_that_is_too_large_is_refused():
    setup = load_game("pizza-monsters", players=2)
    with pytest.raises(ValueError, match="more than 10,000 states"):
        solve(setup, [setup.new_game(1)], most_states=10_000)


def test_a_state_that_was_not_solved_is_refused():
    setup = load_game("toy-nim")
    state = setup.blank_states(1)[0]
    state.heaps = (1, 1, 1)
    solution = solve(setup, [state])
    state.heaps = (5, 5, 5)
    with pytest.raises(ValueError, match="cannot be reached"):
        solution.value(state)
    with pytest.raises(ValueError, match="cannot be reached"):
        solution.advise(state)


# The real games.


def test_the_last_two_rounds_of_a_draft_are_worth_what_exhaustive_search_finds():
    setup = load_game("robots-ate-our-pizza", players=4, task=1)
    least, most = setup.ranges.total
    for state in positions_after(setup, 2, 6):
        solution = solve(setup, [state])
        assert least + (most - least) * solution.value(state) == pytest.approx(highest_total(setup, state))
        while not is_terminal(state):
            apply_action(state, next(iter(solution.advise(state).mix)))
        points = np.zeros(4, dtype=np.int64)
        score(state, points)
        assert points.sum() == pytest.approx(least + (most - least) * solution.value(state))


def short_game(pizzas: list[list[str]], bag: str, must_feed: bool, **options: Any) -> tuple[Any, Any]:
    """Return a setup of the short game, and a late position: seat 0 has just drawn the first order of the bag."""
    setup = load_game("pizza-monsters", players=2, short=True, must_feed=must_feed, **options)
    state = setup.new_game(1)
    state.bag = notation.parse_tokens(bag)
    state.active = state.seat = 0
    state.phase = notation.CHOOSING
    state.order = notation.TOKENS.index(bag.split()[0])
    state.topping = notation.NO_TOKEN
    state.turns = 40  # a pizza that is gone took its turns
    for seat, pair in enumerate(pizzas):
        for number, slices in enumerate(pair):
            kept = notation.pack(notation.parse_slices(slices))
            state.box += state.pizzas[seat, number] - kept
            state.pizzas[seat, number] = kept
        state.hats[seat] = sum(not slices for slices in pair)
    notation.audit(state)
    return setup, state


LATE = [
    ([["salami", "olives"], ["salami", "pineapple"]], "salami olives joker-b"),
    ([["salami pineapple", "mushrooms"], ["mushrooms", "shrimp paprika"]], "salami mushrooms joker-a joker-b"),
    ([["salami", ""], ["salami mushrooms", ""]], "mushrooms salami joker-a"),
    ([["pepperoni shrimp", "olives"], ["onions", "olives paprika"]], "shrimp olives onions joker-b"),
]


@pytest.mark.parametrize(("pizzas", "bag"), LATE)
def test_declining_never_pays_in_a_short_game(pizzas, bag):
    """So the game in which feeding is compulsory, far smaller, is worth the same."""
    forced_setup, forced = short_game(pizzas, bag, must_feed=True)
    free_setup, free = short_game(pizzas, bag, must_feed=False)
    assert legal_actions(free, np.zeros(512, dtype=np.int64)) == 2
    compulsory, optional = solve(forced_setup, [forced]), solve(free_setup, [free])
    assert optional.n_states > compulsory.n_states
    assert optional.value(free) == pytest.approx(compulsory.value(forced), abs=EXACT)


def test_a_last_slice_each_by_hand():
    """Both need salami, and only salami and joker b are in the bag: whatever is drawn, both finish and share."""
    setup, state = short_game([["salami", ""], ["salami", ""]], "salami joker-b", must_feed=True)
    assert solve(setup, [state]).value(state) == pytest.approx(0.5, abs=EXACT)


def test_who_holds_nothing_that_is_left_waits_for_the_joker():
    """Seat 0 wins if salami is laid, and shares at joker b, when both finish: he lays the salami that he has drawn."""
    setup, state = short_game([["salami", ""], ["olives", ""]], "salami joker-b", must_feed=True)
    solution = solve(setup, [state])
    assert solution.value(state) == pytest.approx(1.0, abs=EXACT)
    assert solution.advise(state).worth == pytest.approx({0: 1.0, 1: 0.75}, abs=EXACT)


@pytest.mark.slow
def test_the_short_game_of_two_is_nearly_even():
    setup = load_game("pizza-monsters", players=2, short=True, must_feed=True)
    roots = [setup.new_game(1, number) for number in range(60)]
    solution = solve(setup, roots)
    assert solution.n_states == 100_410
    values = {player: set() for player in range(2)}
    for root in roots:
        player = int(root.active)
        if root.order < notation.JOKER_A:
            values[player].add(round(solution.value(root, player), 9))
    assert values[0] == values[1] == {0.492111621}

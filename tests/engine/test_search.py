"""Search finds what is known to be right: in toys with known answers, in the real game what exhaustive search finds."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import agents
from engine.contract import (
    MOST_ACTIONS,
    Setup,
    apply_action,
    current_player,
    heuristic,
    is_terminal,
    legal_actions,
    load_game,
    random_action,
    score,
    workspace,
)
from engine.rng import ANALYSIS, new_stream
from engine.rollout import simulate, utility_of
from engine.search import NO_NODE, ROOT, SearchPlan, tree_search
from engine.tables import advance, collect_points, new_log, start_streams
from tests.engine.test_toys import kuhn_state, mover_wins
from tests.toys import die, kuhn, nim, pennies

SEED = 8


def decide(setup: Setup, state: Any, agent_text: str, n_times: int) -> list[int]:
    """Return what an agent decides for the player who moves in a state, asked many times with fresh randomness."""
    player = agents.make_player(agent_text, setup)
    states = setup.blank_states(n_times)
    states[:] = state
    seat = int(current_player(state))
    log = _advance(setup, states, player, [seat])
    return log.first_actions[:, seat].tolist()


def _advance(setup: Setup, states: np.ndarray, player: agents.Player, seats: list[int], seed: int = SEED) -> Any:
    streams = np.zeros((len(states), setup.players), dtype=np.uint64)
    start_streams(streams, seed, 0, 0)
    plays = np.zeros(setup.players, dtype=np.bool_)
    plays[seats] = True
    log = new_log(len(states), setup.players)
    advance(player.knobs, player.looks, states, plays, streams, log)
    return log


# A bandit.


@pytest.mark.parametrize("best", range(4))
@pytest.mark.parametrize(
    "agent", ["flat-mc:iterations=1000", "flat-mc:iterations=500,shares=halving", "mcts:iterations=1000"]
)
def test_the_best_arm_is_found(agent: str, best: int) -> None:
    setup = load_game("toy-bandit", best=best)
    assert set(decide(setup, setup.new_game(1), agent, 20)) == {best}


# Nim.


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(
    ("agent", "most_objects"),
    [
        ("greedy", 15),
        ("mcts:iterations=20000", 9),
        pytest.param("mcts:iterations=400000", 15, marks=pytest.mark.slow),
        # its heuristic knows who wins: asked one decision ahead, it must not be played past
        ("mcts:iterations=200,horizon=0,patience=200", 15),
        ("flat-mc:iterations=30,horizon=0", 15),
        ("flat-mc:iterations=60,horizon=0,shares=halving", 15),
    ],
)
def test_nim_is_won_from_every_won_position(agent: str, most_objects: int, misere: bool) -> None:
    setup = load_game("toy-nim", misere=misere)
    n_won = 0
    for heaps in itertools.combinations_with_replacement(range(nim.LARGEST_HEAP + 1), nim.N_HEAPS):
        if not 0 < sum(heaps) <= most_objects or not mover_wins(heaps, misere):
            continue
        state = setup.blank_states(1)[0]
        state.heaps = heaps
        (action,) = decide(setup, state, agent, 1)
        apply_action(state, action)
        assert not mover_wins(tuple(sorted(map(int, state.heaps))), misere), f"{heaps}: {nim.action_text(action)}"
        n_won += 1
    assert n_won > 25


# How far a simulation goes.


@pytest.mark.parametrize("horizon", [0, 1, 3, 40, -1])
def test_a_simulation_stops_at_its_horizon_and_asks_the_heuristic(horizon: int) -> None:
    setup = load_game("toy-nim")
    player = agents.make_player("uniform", setup)
    states = setup.blank_states(1)
    states.heaps = (5, 5, 5)
    n_objects = int(states.heaps.sum())
    utility = np.zeros(setup.players)
    simulate(player.knobs, horizon, states[0], workspace(player.knobs, states), new_stream(1, ANALYSIS), utility)
    if horizon in (-1, 40):
        assert is_terminal(states[0])
        assert sorted(utility) == [0.0, 1.0]
    else:
        assert not is_terminal(states[0])
        assert n_objects - int(states.heaps.sum()) >= horizon
        assert int(current_player(states[0])) == horizon % 2
        assert np.isnan(utility).all()
    expected = [heuristic(states[0], seat) for seat in range(2)] if np.isnan(utility).any() else utility.tolist()
    assert [float(utility_of(states[0], seat, utility)) for seat in range(2)] == expected


# Kuhn poker.


@pytest.mark.parametrize("agent", ["flat-mc:iterations=200", "mcts:iterations=200"])
@pytest.mark.parametrize("moves", [(kuhn.BET,), (kuhn.PASS, kuhn.BET)])
@pytest.mark.parametrize(("card", "right"), [(kuhn.KING, kuhn.BET), (kuhn.JACK, kuhn.PASS)])
def test_a_bet_is_called_with_a_king_and_not_with_a_jack(
    agent: str, moves: tuple[int, ...], card: int, right: int
) -> None:
    """Whatever the other holds, and whatever the search is shown: it sees only what its player may know."""
    setup = load_game("toy-kuhn")
    caller = len(moves) % 2
    for other in {kuhn.JACK, kuhn.QUEEN, kuhn.KING} - {card}:
        cards = (card, other) if caller == 0 else (other, card)
        assert set(decide(setup, kuhn_state(cards, moves), agent, 20)) == {right}


def test_a_search_decides_the_same_whatever_the_other_holds() -> None:
    setup = load_game("toy-kuhn")
    for moves in [(), (kuhn.PASS,), (kuhn.BET,), (kuhn.PASS, kuhn.BET)]:
        mover = len(moves) % 2
        decisions = []
        for other in (kuhn.JACK, kuhn.KING):
            cards = (kuhn.QUEEN, other) if mover == 0 else (other, kuhn.QUEEN)
            decisions.append(decide(setup, kuhn_state(cards, moves), "mcts:iterations=50", 50))
        assert decisions[0] == decisions[1]


# Secrets and chance.


def test_who_chooses_second_does_not_see_the_first_choice() -> None:
    setup = load_game("toy-pennies")
    states = setup.blank_states(2000)
    for number in range(len(states)):
        states[number] = setup.new_game(1, number)
    seconds = 1 - states["first"].astype(np.int64)
    uniform, mcts = (agents.make_player(text, setup) for text in ("uniform", "mcts:iterations=100"))
    for second in (0, 1):
        tables = states[seconds == second].copy().view(np.recarray)
        _advance(setup, tables, uniform, [1 - second], seed=SEED + 1)
        _advance(setup, tables, mcts, [second])
        matched = tables["choices"][:, 0, 0] == tables["choices"][:, 0, 1]
        wins = matched if second == pennies.HEADS else ~matched
        assert abs(wins.mean() - 0.5) < 6 * 0.5 / np.sqrt(len(tables))


@pytest.mark.parametrize(
    ("n_rolls", "keeps_from"),
    [(1, 5), (2, 4)],
)
def test_the_die_is_rolled_again_as_it_should(n_rolls: int, keeps_from: int) -> None:
    """The next roll is decided by a key in the record already; a search that saw it would keep or roll by it."""
    setup = load_game("toy-die")
    for face in range(1, die.N_FACES + 1):
        state = setup.new_game(1)
        state.n_rolls, state.face = n_rolls, face
        right = die.KEEP if face >= keeps_from else die.ROLL
        assert set(decide(setup, state, "mcts:iterations=5000", 20)) == {right}, f"face {face}"


def test_flat_search_keeps_a_first_four() -> None:
    """Random play after the roll makes it worth 3.5, not 4.25: this is what the tree is for."""
    setup = load_game("toy-die")
    state = setup.new_game(1)
    state.n_rolls, state.face = 1, 4
    assert set(decide(setup, state, "flat-mc:iterations=5000", 20)) == {die.KEEP}


# The tree.


@pytest.mark.parametrize("patience", [1, 3])
@pytest.mark.parametrize("name", ["toy-kuhn", "toy-pennies", "toy-nim", "toy-bandit", "toy-die"])
def test_the_tree_keeps_its_books(name: str, patience: int) -> None:
    setup = load_game(name)
    state, iterations = setup.new_game(1), 400
    player = agents.make_player(f"mcts:iterations={iterations},patience={patience}", setup)
    states = setup.blank_states(1)
    states[0] = state
    space = workspace(player.knobs, states)
    before = state.tobytes()
    stream = new_stream(1, ANALYSIS)
    knobs = player.knobs
    plan = SearchPlan(iterations, knobs.c, knobs.patience, knobs.horizon)
    n_nodes = tree_search(state, plan, knobs.rollout, space.simulator, space.search, stream)
    assert state.tobytes() == before
    nodes = space.search.nodes
    assert 1 < n_nodes <= iterations + 1
    used = nodes[:n_nodes]
    for node in range(n_nodes):
        children = _children(nodes, node)
        assert len(children) == used["n_children"][node]
        assert len({int(nodes["action"][child]) for child in children}) == len(children)
        if node != ROOT:
            assert 1 <= used["visits"][node] <= used["available"][node]
            assert 0.0 <= used["total"][node] <= used["visits"][node]
            passed_on = int(nodes["visits"][children].sum())
            assert passed_on <= used["visits"][node]
            assert passed_on == 0 or used["visits"][node] >= patience
            assert used["n_children"][node] == 0 or used["visits"][node] - passed_on >= patience
    assert int(nodes["visits"][_children(nodes, ROOT)].sum()) == iterations


def _children(nodes: np.ndarray, node: int) -> list[int]:
    found = []
    child = int(nodes["first_child"][node])
    while child != NO_NODE:
        found.append(child)
        child = int(nodes["next_sibling"][child])
    return found


# The real game: with four players all cards are dealt, and after two rounds every player knows every hand.


def highest_total(setup: Setup, state: Any) -> int:
    """Return the best total of points that any line of play reaches."""
    if is_terminal(state):
        points = np.zeros(setup.players, dtype=np.int64)
        score(state, points)
        return int(points.sum())
    actions = np.empty(MOST_ACTIONS, dtype=np.int64)
    best = -(10**9)
    for action in actions[: legal_actions(state, actions)].tolist():
        following = setup.blank_states(1)
        following[0] = state
        apply_action(following[0], action)
        best = max(best, highest_total(setup, following[0]))
    return best


def positions_after(setup: Setup, n_rounds: int, n_positions: int) -> np.ndarray:
    """Return positions after some rounds of random picks."""
    states = setup.blank_states(n_positions)
    for number in range(n_positions):
        states[number] = setup.new_game(SEED, number)
        stream = new_stream(SEED, ANALYSIS, number)
        for _ in range(n_rounds * setup.players):
            apply_action(states[number], int(random_action(states[number], stream)))
    return states


def gaps_to(optimum: np.ndarray, setup: Setup, states: np.ndarray, agent_text: str) -> np.ndarray:
    """Return by how many points a team of one agent misses the optimum of each position."""
    tables = states.copy().view(np.recarray)
    _advance(setup, tables, agents.make_player(agent_text, setup), list(range(setup.players)))
    points = np.zeros((len(tables), setup.players), dtype=np.int64)
    collect_points(tables, points)
    gaps = optimum - points.sum(axis=1)
    assert gaps.min() >= 0, "better than the optimum"
    return gaps


def test_search_plays_the_last_round_perfectly() -> None:
    setup = load_game("robots-ate-our-pizza", players=4, task=1)
    states = positions_after(setup, 3, 40)
    optimum = np.array([highest_total(setup, state) for state in states])
    assert gaps_to(optimum, setup, states, "uniform").mean() > 2.0, "too easy to tell anything"
    assert gaps_to(optimum, setup, states, "mcts:iterations=3000,c=1.4").tolist() == [0] * 40


def test_search_nears_the_optimum_of_the_last_two_rounds() -> None:
    """At most 1296 ways to play. The last tenths of a point can take exponentially long: a good line behind poor ones
    is visited a logarithmic number of times (Coquelin and Munos 2007, "Bandit algorithms for tree search").
    """
    setup = load_game("robots-ate-our-pizza", players=4, task=1)
    states = positions_after(setup, 2, 20)
    optimum = np.array([highest_total(setup, state) for state in states])
    repeated, target = np.repeat(states, 4), np.repeat(optimum, 4)
    texts = [f"mcts:iterations={iterations},patience=1,c=1.4" for iterations in (10, 100, 1000, 10000)]
    gaps = [gaps_to(target, setup, repeated, text) for text in texts]
    means = [float(gap.mean()) for gap in gaps]
    noise = 0.1
    assert all(later <= earlier + noise for earlier, later in itertools.pairwise(means)), means
    assert means[0] > 1.5, f"too easy to tell anything: {means}"
    assert means[-1] < 0.3, means
    assert np.mean(gaps[-1] == 0) > 0.8, gaps[-1]


def test_with_greedy_rollouts_search_reaches_the_optimum_of_the_last_two_rounds() -> None:
    """The same positions with simulations that know the game: the gap closes to nothing, and stays closed."""
    setup = load_game("robots-ate-our-pizza", players=4, task=1)
    states = positions_after(setup, 2, 40)
    optimum = np.array([highest_total(setup, state) for state in states])
    texts = [f"mcts:iterations={iterations},c=1,patience=10,rollout=greedy" for iterations in (4, 100, 1000, 10000)]
    gaps = [gaps_to(optimum, setup, states, text) for text in texts]
    assert gaps[0].mean() > gaps[1].mean() > 0.0
    assert gaps[2].tolist() == [0] * 40
    assert gaps[3].tolist() == [0] * 40

"""Sessions of four tasks: the exact convolution against counting by hand, all draws, and play."""

import itertools
import json

import numpy as np
import pytest

from engine import load_game
from experiments import cluster
from experiments.cluster import Place
from experiments.session import lost_in_session, session_view, tasks_of, wald
from tests.experiments.test_cli import run  # noqa: F401

GAME = "robots-ate-our-pizza"
ROWS = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.7, 0.1, 0.1, 0.1], [0.25, 0.25, 0.25, 0.25]])


def counted(rows, draws) -> np.ndarray:
    """Add up every way to lose slices in every draw of four tasks."""
    chances = np.zeros(13)
    for tasks in draws:
        for lost in itertools.product(range(4), repeat=4):
            chances[sum(lost)] += np.prod([rows[task, slices] for task, slices in zip(tasks, lost, strict=True)])
    return chances / len(draws)


def test_four_tasks_convolve():
    exact, _ = lost_in_session(ROWS)
    assert exact == pytest.approx(counted(ROWS, [(0, 1, 2, 3)]))


def test_combo_is_the_mean_over_all_draws():
    rows = np.vstack([ROWS, [[0.9, 0.05, 0.03, 0.02]], [[0.0, 0.0, 0.5, 0.5]]])
    different, _ = lost_in_session(rows)
    assert different == pytest.approx(counted(rows, list(itertools.combinations(range(6), 4))))
    repeated, _ = lost_in_session(rows, repeats=True)
    assert repeated == pytest.approx(counted(rows, list(itertools.product(range(6), repeat=4))))


@pytest.mark.parametrize("repeats", [False, True])
def test_slopes_are_those_of_small_changes(repeats):
    rows = np.vstack([ROWS, [[0.9, 0.05, 0.03, 0.02]]])
    exact, slopes = lost_in_session(rows, repeats)
    for task in range(5):
        for slices in range(4):
            moved = rows.copy()
            moved[task, slices] += 1e-6
            change = (lost_in_session(moved, repeats)[0] - exact) / 1e-6
            assert change == pytest.approx(slopes[task][:, slices], abs=1e-5)


def test_a_difference_as_large_as_its_error_is_no_news_and_five_times_is():
    covariance = np.diag([0.01, 0.01, 0.0])
    assert wald(np.array([0.1, -0.1, 0.0]), covariance) == pytest.approx(np.exp(-1))
    assert wald(np.array([0.5, 0.5, 0.0]), covariance) < 1e-9
    assert wald(np.zeros(3), np.zeros((3, 3))) == 1.0


def test_greedy_sessions_are_four_single_tasks():
    setup = load_game(GAME, players=3, mode="base")
    assert tasks_of(setup) == [1, 2, 3, 4]
    (answer,) = session_view(setup, ["greedy:style=team"], 1500, 3)
    assert sum(answer.exact) == pytest.approx(1)
    assert sum(answer.simulated) == pytest.approx(1)
    assert 0.001 < answer.p_same < 1
    assert answer.mean_simulated.low < answer.mean_exact < answer.mean_simulated.high
    assert answer.mean_exact == pytest.approx(8 - sum(np.dot(row, range(4)) for row in answer.lost_by_task.values()))
    for chance in answer.grades:
        assert chance.exact == pytest.approx(chance.simulated.mean, abs=0.06)


def test_a_wrong_convolution_would_show(monkeypatch):
    setup = load_game(GAME, players=3, mode="base")

    def crooked(rows, repeats=False):
        return lost_in_session(np.roll(rows, 1, axis=1), repeats)

    monkeypatch.setattr("experiments.session.lost_in_session", crooked)
    (answer,) = session_view(setup, ["greedy:style=team"], 1500, 3)
    assert answer.p_same < 1e-6


@pytest.mark.slow
def test_the_five_plays_of_a_session_start_ray_once_and_come_to_the_same(monkeypatch):
    monkeypatch.setattr(cluster, "SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(cluster, "RAY_START_SECONDS", 0.0)
    started = []
    start = cluster._start_ray
    monkeypatch.setattr(cluster, "_start_ray", lambda place: started.append(place) or start(place))
    setup = load_game(GAME, players=2, mode="base")
    agents = ["uniform", "greedy:style=team"]
    alone = session_view(setup, agents, 60, 3, Place(serial=True))
    assert not started
    assert session_view(setup, agents, 60, 3, Place(workers=2)) == alone
    assert started == [Place(workers=2)]
    assert cluster._open.ray is None


def test_the_command_prints_and_refuses(run):  # noqa: F811
    code, out, _ = run("session", "combo", "--players", "2", "--agents", "uniform", "greedy", "--deals", "20")
    assert code == 0
    assert out.count("worked out") == 2
    assert "20 games of each task and 20 sessions, seed 1; slices by tables of ours" in out
    code, out, _ = run("session", "cheese", "--players", "2", "--agents", "uniform", "--deals", "50", "--json")
    (answer,) = json.loads(out)
    assert (answer["mode"], list(answer["lost_by_task"])) == ("cheese", ["5", "6", "7", "8"])
    for words, sentence in (
        (("task",), "a session is robots-ate-our-pizza with --option mode=base, cheese, … or combo"),
        (("base", "--option", "stop_at_zero=true"), "a session that stops at zero slices is no sum of four tasks"),
        (("ham",), "'ham'"),
    ):
        code, _, err = run("session", *words, "--deals", "5")
        assert code == 2
        assert sentence in err
        assert err.count("\n") == 1

"""Thresholds: the cuts nearest to the wanted chances, how sure they are, and tables that sessions read."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import load_game
from engine.games.robots_ate_our_pizza.slices import PRINTED, read_tables
from experiments import run_tournament
from experiments.thresholds import (
    Distribution,
    chance_of_same,
    choose_cuts,
    find_cuts,
    games_to_settle,
    parse_chances,
    parse_numbers,
    printed_cuts,
    tables_text,
    tune,
)
from tests.experiments.test_cli import run  # noqa: F401

TEAM = ["greedy:style=team"]


def test_printed_cuts_are_the_rulebooks():
    for (task, players), cuts in read_tables(PRINTED).items():
        assert list(printed_cuts(players, task)) == cuts
    assert printed_cuts(4, 2) == ()


def test_as_hard_as_the_printed_task_gives_the_printed_cuts():
    for players in range(2, 7):
        answer = tune(1, players, TEAM, "rulebook", deals=2000)
        assert tuple(cut.result for cut in answer.cuts) == answer.printed
        assert [cut.found.mean for cut in answer.cuts] == [chance.mean for chance in answer.under_printed]


@pytest.mark.parametrize("task", [1, 2, 3, 4])
def test_chances_are_those_of_the_games_themselves(task):
    setup = load_game("robots-ate-our-pizza", players=3, task=task)
    frame = run_tournament(setup, TEAM, 500, 4, "self", serial=True)
    points = frame.pivot(index="deal", columns="seat", values="points").to_numpy(dtype=np.int64)
    results = setup.game.total(setup, points)
    answer = tune(task, 3, TEAM, "even", deals=500, seed=4)
    assert answer.n_games == 500
    for cut in answer.cuts:
        good = results >= cut.result if task % 2 else results <= cut.result
        assert cut.found.mean == pytest.approx(good.mean())
        step = 1 if task % 2 else -1
        harder = results >= cut.result + step if task % 2 else results <= cut.result + step
        assert cut.worse == pytest.approx(harder.mean())
    cuts = [cut.result for cut in answer.cuts]
    assert cuts == sorted(set(cuts), reverse=bool(task % 2))


@given(
    st.lists(st.integers(0, 50), min_size=3, max_size=12).filter(sum),
    st.lists(st.floats(0.01, 0.99), min_size=3, max_size=3),
)
def test_no_other_cut_comes_nearer_in_its_turn(counts, chances):
    reached, wanted = np.cumsum(counts) / sum(counts), sorted(chances)
    first, second, third = choose_cuts(reached, wanted)
    assert abs(reached[first] - wanted[0]) == min(abs(reached[:-2] - wanted[0]))
    assert abs(reached[second] - wanted[1]) == min(abs(reached[first + 1 : -1] - wanted[1]))
    assert abs(reached[third] - wanted[2]) == min(abs(reached[second + 1 :] - wanted[2]))


def test_how_often_a_cut_comes_out_the_same_agrees_with_playing_again():
    chances = np.array([0.2, 0.11, 0.19, 0.25, 0.25])
    reached = np.cumsum(chances)
    wanted, n_games = 0.26, 400
    (place,) = choose_cuts(reached, [wanted])
    again = np.random.default_rng(1).multinomial(n_games, chances, 20_000)
    same = np.mean([choose_cuts(np.cumsum(each) / n_games, [wanted])[0] == place for each in again])
    assert chance_of_same(reached, place, wanted, n_games) == pytest.approx(same, abs=0.02)


def test_enough_games_settle_a_cut():
    chances = np.array([0.2, 0.11, 0.19, 0.25, 0.25])
    reached = np.cumsum(chances)
    (place,) = choose_cuts(reached, [0.27])
    n_games = games_to_settle(reached, place, 0.27)
    assert chance_of_same(reached, place, 0.27, n_games) == pytest.approx(0.99, abs=0.001)
    assert games_to_settle(np.array([0.25, 0.5, 1.0]), 0, 0.375) is None


def test_several_agents_count_with_the_same_weight():
    both = tune(1, 2, ["uniform", *TEAM], "even", deals=300, seed=2)
    assert both.n_games == 600
    alone = [tune(1, 2, [agent], "even", deals=300, seed=2) for agent in ("uniform", *TEAM)]
    shares = [np.array([chance.mean for chance in each.under_printed]) for each in alone]
    assert [chance.mean for chance in both.under_printed] == pytest.approx(((shares[0] + shares[1]) / 2).tolist())


def test_sessions_read_the_tables_that_were_written(tmp_path):
    answers = [tune(task, players, TEAM, "even", deals=300) for task in (1, 2, 3, 4) for players in (2, 3)]
    path = tmp_path / "tables.toml"
    path.write_text(tables_text(answers))
    assert read_tables(path) == {(each.task, each.players): [cut.result for cut in each.cuts] for each in answers}
    setup = load_game("robots-ate-our-pizza", players=2, mode="base", tables=str(path))
    assert run_tournament(setup, TEAM, 5, 1, serial=True).points.between(-4, 8).all()


def test_the_command_prints_writes_and_refuses(run, tmp_path):  # noqa: F811
    path = tmp_path / "tables.toml"
    words = ("thresholds", "--tasks", "1,2", "--players", "2", "--chances", "0.4,0.3,0.2,0.1", "--deals", "200")
    code, out, _ = run(*words, "--out", path)
    assert code == 0
    assert out.count("players: cuts for a team of greedy:style=team") == 2
    assert "under the printed cuts 21, 18, 16 this team loses at most 0: " in out
    assert set(read_tables(path)) == {(1, 2), (2, 2)}
    before = path.read_bytes()
    code, _, err = run(*words, "--out", path)
    assert (code, path.read_bytes()) == (2, before)
    assert "is there already; name a new file with --out" in err
    code, out, _ = run(*words, "--json")
    assert [each["task"] for each in json.loads(out)] == [1, 2]
    for flag, value, sentence in (
        ("--tasks", "25", "tasks are numbers from 1 to 24 by commas, or all, not '25'"),
        ("--players", "two", "players are numbers from 2 to 6 by commas, or all, not 'two'"),
        ("--chances", "1,2", "chances are rulebook, even, or four numbers above 0 that add up to 1"),
    ):
        code, _, err = run("thresholds", "--deals", "10", flag, value)
        assert code == 2
        assert sentence in err
        assert err.count("\n") == 1


def test_words_and_numbers():
    assert parse_numbers("players", "all", 2, 6) == [2, 3, 4, 5, 6]
    assert parse_numbers("players", "3, 2,3", 2, 6) == [2, 3]
    assert parse_chances("0.4,0.3,0.2,0.1") == pytest.approx((0.4, 0.7, 0.9))


def test_a_distribution_counts_from_the_best_result():
    high = Distribution(("a",), np.array([3, 2, 1]), np.array([1, 2, 1]))
    assert high.reached().tolist() == [0.25, 0.75, 1.0]
    assert [chance.mean for chance in high.at_most([3, 2])] == [0.25, 0.75]
    low = Distribution(("a",), np.array([1, 2, 3]), np.array([1, 2, 1]))
    assert [chance.mean for chance in low.at_most([1, 2])] == [0.25, 0.75]
    assert [cut.result for cut in find_cuts(low, (0.2, 0.7, 0.9))] == [1, 2, 3]

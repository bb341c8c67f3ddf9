"""Thresholds: the cuts nearest to the wanted chances, how sure they are, and tables that sessions read."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import load_game
from engine.games.robots_ate_our_pizza.slices import PRINTED, TUNED, read_tables
from experiments import run_tournament
from experiments.thresholds import (
    PRESETS,
    Distribution,
    PlayedGames,
    StoredRuns,
    chance_of_same,
    choose_cuts,
    find_cuts,
    games_to_settle,
    parse_chances,
    parse_numbers,
    parse_weights,
    printed_cuts,
    tables_text,
    tune,
)
from tests.experiments.test_cli import run  # noqa: F401

TEAM = ["greedy:style=team"]


def played(agents=TEAM, deals=300, seed=1):
    return PlayedGames(agents, deals, seed)


def test_printed_cuts_are_the_rulebooks():
    for (task, players), cuts in read_tables(PRINTED).items():
        assert list(printed_cuts(players, task)) == cuts
    assert printed_cuts(4, 2) == ()


def test_as_hard_as_the_printed_task_gives_the_printed_cuts():
    for players in range(2, 7):
        answer = tune(played(deals=2000), 1, players)
        assert tuple(cut.result for cut in answer.cuts) == answer.printed
        assert [cut.found.mean for cut in answer.cuts] == [chance.mean for chance in answer.under_printed]


@pytest.mark.parametrize("task", [1, 2, 3, 4])
def test_chances_are_those_of_the_games_themselves(task):
    setup = load_game("robots-ate-our-pizza", players=3, task=task)
    frame = run_tournament(setup, TEAM, 500, 4, "self", serial=True)
    points = frame.pivot(index="deal", columns="seat", values="points").to_numpy(dtype=np.int64)
    results = setup.game.total(setup, points)
    answer = tune(played(deals=500, seed=4), task, 3, chances="even")
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


def test_several_agents_count_with_the_same_weight_or_their_own():
    source = played(["uniform", *TEAM], deals=300, seed=2)
    both = tune(source, 1, 2, chances="even")
    assert both.n_games == 600
    weak, strong = (np.array([chance.mean for chance in team.under_printed]) for team in both.teams)
    alone = tune(played(deals=300, seed=2), 1, 2, chances="even")
    assert [chance.mean for chance in alone.under_printed] == strong.tolist()
    assert [chance.mean for chance in both.under_printed] == pytest.approx(((weak + strong) / 2).tolist())
    mixed = tune(source, 1, 2, [3, 1], "even")
    assert mixed.weights == (0.75, 0.25)
    assert [chance.mean for chance in mixed.under_printed] == pytest.approx((0.75 * weak + 0.25 * strong).tolist())


def test_a_mixture_is_no_surer_than_one_of_its_agents():
    """Both play the same deals; two copies of one agent know nothing that the one did not."""
    results, counts = np.array([3, 2, 1]), np.array([[25, 50, 25]])
    alone = Distribution(("a",), results, counts)
    twice = Distribution(("a", "a again"), results, np.vstack([counts, counts]))
    assert twice.at_most([3, 2]) == alone.at_most([3, 2])
    assert find_cuts(twice, (0.3, 0.7, 0.9)) == find_cuts(alone, (0.3, 0.7, 0.9))


def test_a_finished_run_is_asked_without_playing(tmp_path):
    setup = load_game("robots-ate-our-pizza", players=3, task=1)
    agents = ["uniform", *TEAM]
    for keep in ("rows", "summary"):
        run_tournament(setup, agents, 200, 5, "cross", keep, serial=True, out=tmp_path / keep)
        asked = StoredRuns([tmp_path / keep])
        assert asked.tables() == [(1, 3)]
        assert tune(asked, 1, 3, [1, 2]) == tune(played(agents, 200, 5), 1, 3, [1, 2])
    with pytest.raises(ValueError, match="none of the runs has task 1 with 4 players"):
        tune(asked, 1, 4)
    with pytest.raises(ValueError, match=r"two runs have task 1 with 3 players"):
        StoredRuns([tmp_path / "rows", tmp_path / "summary"])


def test_presets_name_their_sources_and_mean_what_they_say():
    assert all(preset.source for preset in PRESETS.values())
    for name, left in (("awesome", 5), ("starving", 1)):
        at_most = np.array(PRESETS[name].chances)
        assert 8 - 4 * (1 - at_most).sum() == pytest.approx(left)


def test_shipped_tables_are_of_every_other_task_and_say_where_they_come_from():
    tables = read_tables(TUNED)
    assert set(tables) == {(task, players) for task in range(2, 25) for players in range(2, 7)}
    words = TUNED.read_text()
    assert 'team = "greedy:style=team"' in words
    assert 'command = "pizzabots thresholds --agents greedy:style=team --tasks ' in words


@pytest.mark.slow
def test_shipped_tables_come_out_again():
    """Those of one task, from all the games that they were tuned on."""
    import tomllib

    facts = tomllib.loads(TUNED.read_text())["provenance"]
    assert facts["games"] >= 100_000
    source = played(deals=facts["games"], seed=facts["seed"])
    answers = [tune(source, 9, players) for players in (2, 4)]
    for each in answers:
        assert [cut.result for cut in each.cuts] == read_tables(TUNED)[9, each.players]


def test_sessions_read_the_tables_that_were_written(tmp_path):
    answers = [tune(played(), task, players, (), "even") for task in (1, 2, 3, 4) for players in (2, 3)]
    path = tmp_path / "tables.toml"
    path.write_text(tables_text(answers, "pizzabots thresholds …"))
    assert read_tables(path) == {(each.task, each.players): [cut.result for cut in each.cuts] for each in answers}
    setup = load_game("robots-ate-our-pizza", players=2, mode="base", tables=str(path))
    assert run_tournament(setup, TEAM, 5, 1, serial=True).points.between(-4, 8).all()


def test_the_command_prints_writes_and_refuses(run, tmp_path):  # noqa: F811
    path = tmp_path / "tables.toml"
    words = ("thresholds", "--tasks", "1,2", "--players", "2", "--chances", "0.4,0.3,0.2,0.1", "--deals", "200")
    code, out, _ = run(*words, "--out", path)
    assert code == 0
    assert out.count("players: cuts for a team of greedy:style=team") == 2
    assert "under the printed 21, 18, 16" in out
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
        ("--chances", "1,2", "chances are rulebook, even, awesome, starving, or four numbers above 0"),
        ("--weights", "1,2", "weights are one number from 0 for each of the 1 agents, not all 0, not 1, 2"),
        ("--weights", "a", "weights are numbers by commas, one for each agent, not 'a'"),
        ("--out", tmp_path / "no" / "x.toml", "x.toml' cannot be written: there is no folder"),
        ("--run", tmp_path, "--run asks finished games, so --agents, --tasks and --deals say nothing with it"),
    ):
        code, _, err = run("thresholds", "--deals", "10", flag, value)
        assert code == 2
        assert sentence in err
        assert err.count("\n") == 1


def test_words_and_numbers():
    assert parse_numbers("players", "all", 2, 6) == [2, 3, 4, 5, 6]
    assert parse_numbers("players", "3, 2,3", 2, 6) == [2, 3]
    assert parse_chances("0.4,0.3,0.2,0.1") == pytest.approx((0.4, 0.7, 0.9))
    assert (parse_weights(""), parse_weights("1,2.5")) == ([], [1.0, 2.5])


def test_a_distribution_counts_from_the_best_result():
    high = Distribution(("a",), np.array([3, 2, 1]), np.array([[1, 2, 1]]))
    assert high.reached().tolist() == [0.25, 0.75, 1.0]
    assert [chance.mean for chance in high.at_most([3, 2])] == [0.25, 0.75]
    low = Distribution(("a",), np.array([1, 2, 3]), np.array([[1, 2, 1]]))
    assert [chance.mean for chance in low.at_most([1, 2])] == [0.25, 0.75]
    assert [cut.result for cut in find_cuts(low, (0.2, 0.7, 0.9))] == [1, 2, 3]

"""Seats: what each gets, who begins, and how sure one is."""

import json

import numpy as np
import pytest
from scipy import stats

from engine import load_game
from engine.contract import current_player
from experiments.inference import standard_error
from experiments.seat_advantage import chairs_of, first_movers, hotelling, seat_advantage, turns_keep_sides
from experiments.tournament import run_tournament
from tests.agents import own
from tests.experiments.test_cli import run  # noqa: F401


def test_each_seat_has_its_share_less_an_even_one():
    setup = load_game("robot-master")
    answer = seat_advantage(setup, "uniform", deals=300, seed=2)
    frame = run_tournament(setup, ["uniform"], 300, 2, "self", serial=True)
    for seat, chair in enumerate(answer.tables[0].chairs):
        assert chair.effect.mean == pytest.approx(frame[frame.seat == seat].share.mean() - 0.5)
        assert chair.effect.n_blocks == 300
    assert sum(chair.effect.mean for chair in answer.tables[0].chairs) == pytest.approx(0.0, abs=1e-12)


def test_turns_are_counted_from_whoever_begins():
    setup = load_game("robots-ate-our-pizza", players=4)
    answer = seat_advantage(setup, "uniform", deals=200, seed=3)
    by_seat, by_turn = answer.tables
    assert (by_seat.by, by_turn.by) == ("seat", "turn")
    frame = run_tournament(setup, ["uniform"], 200, 3, "self", serial=True)
    movers = [int(current_player(setup.new_game(3, deal))) for deal in range(200)]
    assert first_movers(setup, 3, 200).tolist() == movers
    means = frame.groupby("deal").points.mean()
    points = frame.set_index(["deal", "seat"]).points
    for turn in range(4):
        effects = [points[deal, (mover + turn) % 4] - means[deal] for deal, mover in enumerate(movers)]
        assert by_turn.chairs[turn].effect.mean == pytest.approx(np.mean(effects))


def test_where_one_seat_always_begins_turns_are_seats():
    setup = load_game("robot-master", first_player=1)
    answer = seat_advantage(setup, "uniform", deals=30)
    assert [chairs.by for chairs in answer.tables] == ["seat"]


def test_teams_have_one_chair_each():
    setup = load_game("robot-master", variant="teams")
    answer = seat_advantage(setup, "uniform", deals=100)
    for chairs in answer.tables:
        assert [chair.seats for chair in chairs.chairs] == [(0, 2), (1, 3)]
        assert chairs.chairs[0].effect.mean == pytest.approx(-chairs.chairs[1].effect.mean)
    assert turns_keep_sides((0, 1, 0, 1))
    assert turns_keep_sides((0, 1, 2))
    assert not turns_keep_sides((0, 0, 1))


def test_an_advantage_that_is_there_is_found_and_one_that_is_not_comes_with_its_power():
    generator = np.random.Generator(np.random.PCG64(1))
    noise = generator.normal(size=(500, 3))
    noise -= noise.mean(axis=1, keepdims=True)
    found = chairs_of(noise + np.array([0.3, 0.0, -0.3]), (0, 1, 2), "seat")
    assert found.p_any < 1e-6
    assert found.chairs[0].p_adjusted < 0.001 < 0.05 < found.chairs[1].p_adjusted
    error = standard_error(noise[:, 0])
    expected = (stats.norm.ppf(1 - 0.05 / 6) + stats.norm.ppf(0.9)) * error
    assert chairs_of(noise, (0, 1, 2), "seat").chairs[0].smallest_effect == pytest.approx(expected)


def test_two_chairs_are_one_question():
    generator = np.random.Generator(np.random.PCG64(2))
    won = generator.choice([-0.5, 0.5], size=400, p=[0.45, 0.55])
    chairs = chairs_of(np.stack([won, -won], axis=1), (0, 1), "seat")
    expected = stats.ttest_1samp(won, 0.0).pvalue
    assert chairs.p_any == pytest.approx(expected)
    assert [chair.p_adjusted for chair in chairs.chairs] == pytest.approx([expected, expected])


def test_hotelling_is_uniform_where_nothing_is_to_be_found():
    generator = np.random.Generator(np.random.PCG64(3))
    mixing = np.array([[1.0, 0.5, 0.0], [0.0, 1.0, -0.7], [0.0, 0.0, 2.0]])
    p_values = [hotelling(generator.normal(size=(30, 3)) @ mixing) for _ in range(600)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01
    assert hotelling(np.zeros((20, 2))) == 1.0


def test_the_command_says_whether_the_chair_matters(run):  # noqa: F811
    words = ("seat-advantage", "robots-ate-our-pizza", "--agents", "greedy", "uniform", "--deals", 300)
    code, out, _ = run(*words)
    assert code == 0
    assert "the turn matters" in out
    assert "would have been, with 90 % power" in out
    code, out, _ = run(*words, "--json")
    assert [answer["agent"] for answer in json.loads(out)] == ["greedy", "uniform"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["robot-master", "--option", "variant=solo"], "one seat alone has no advantage over others"),
        (["robot-master", "--deals", "1"], "a seat's advantage wants at least 2 deals, not 1"),
        (["robot-master", "--agents", "nobody"], "there is no agent 'nobody'"),
    ],
)
def test_a_mistake_gets_one_sentence(run, words, sentence):  # noqa: F811
    code, out, err = run("seat-advantage", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_faults_end_with_failure(run):  # noqa: F811
    code, _, err = run("seat-advantage", "robot-master", "--agents", f"{own.__name__}:Raises", "--deals", 5)
    assert code == 1
    assert "broke off or spoiled 5 games" in err

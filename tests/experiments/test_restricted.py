"""Restricted play: what a habit is worth, against games whose answers are known."""

import functools
import json

import numpy as np
import pytest

from engine import load_game
from experiments.cluster import Place
from experiments.restricted import Scale, free_text, habits_for, restrict, restricted_text
from experiments.what_if_charts import draw_restriction
from tests.experiments.test_cli import run  # noqa: F401
from tests.toys import bandit, nim

HERE = Place(serial=True)


def test_a_restricted_agent_keeps_its_knobs():
    assert restricted_text("uniform", "red") == "restricted:without=red,player=uniform"
    assert restricted_text("mcts:c=1,rollout=greedy,rollout.style=own", "red") == (
        "restricted:without=red,player=mcts,player.c=1,player.rollout=greedy,player.rollout.style=own"
    )
    assert free_text("greedy:noise=0.1") == "restricted:player=greedy,player.noise=0.1,without=nothing"
    with pytest.raises(ValueError, match="only a compiled agent"):
        restricted_text("module:Class", "red")


def test_all_habits_are_those_that_are_a_choice():
    chosen, left_out = habits_for(load_game("robots"), [])
    assert [habit.name for habit in chosen] == ["heap", "deep-heap", "runs", "sets", "lay-off"]
    assert left_out["laser"] == "is a choice with --option optional_powers=true only"
    chosen, left_out = habits_for(load_game("robots", optional_powers=True), ["laser", "laser", "heap"])
    assert ([habit.name for habit in chosen], left_out) == (["laser", "heap"], {})


def test_a_team_loses_what_the_forbidden_arm_pays():
    """Of four arms 0 pays in 70 % and the others in 40 %: a random player has 47.5 %, without arm 0 40 %."""
    setup = load_game(bandit.GAME.name)
    answer = restrict(setup, "uniform", [], Scale(20_000, 2, HERE))
    changes = {each.habit: each.change for each in answer.habits}
    expected = {"arm-0": 0.4 - 0.475, **{f"arm-{arm}": 0.5 - 0.475 for arm in (1, 2, 3)}}
    assert answer.base.mean == pytest.approx(0.475, abs=0.015)
    for habit, change in expected.items():
        assert changes[habit].low < change < changes[habit].high
        assert changes[habit].half_width < 0.02
    assert answer.habits[0].habit == "arm-0"
    assert answer.habits[0].p_adjusted < 0.001


@functools.cache
def chance_to_win(heaps, is_restricted, other_is_restricted):
    """Return the chance that the random player to move wins Nim; a restricted one avoids the first heap if he can."""
    moves = [(heap, left) for heap in range(3) for left in range(heaps[heap])]
    if not moves:
        return 0.0  # the other has taken the last object
    if is_restricted:
        moves = [move for move in moves if move[0] != 0] or moves
    after = [tuple(left if place == heap else heaps[place] for place in range(3)) for heap, left in moves]
    return 1.0 - sum(chance_to_win(each, other_is_restricted, is_restricted) for each in after) / len(after)


def test_one_seat_loses_what_exact_play_of_the_game_tree_says():
    setup = load_game(nim.GAME.name)
    answer = restrict(setup, "uniform", ["first-heap"], Scale(4000, 3, HERE))
    shares = []
    for number in range(4000):
        state = setup.new_game(3, number)
        heaps = tuple(int(each) for each in state.heaps)
        restricted_moves, other_moves = chance_to_win(heaps, True, False), chance_to_win(heaps, False, True)
        shares.append((restricted_moves + 1.0 - other_moves) / 2)
    (worth,) = answer.habits
    exact = float(np.mean(shares)) - 0.5
    assert worth.change.low < exact < worth.change.high
    plain = worth.result.mean - 0.5
    assert worth.change.mean == pytest.approx(plain, abs=2 * worth.change.half_width)
    assert worth.change.half_width <= 1.01 * worth.result.half_width
    assert answer.base.low < 0.5 < answer.base.high


def test_what_is_never_there_is_worth_exactly_nothing():
    """With two players the numbers go to 4."""
    setup = load_game("robots-ate-our-pizza", players=2)
    answer = restrict(setup, "uniform", ["number-5", "number-4"], Scale(50, 1, HERE))
    assert answer.without_effect == ("number-5",)
    assert [worth.habit for worth in answer.habits] == ["number-4"]


def test_the_command_prints_writes_and_refuses(run, tmp_path):  # noqa: F811
    words = ("restricted", bandit.GAME.name, "--agents", "uniform", "--deals", 40, "--out", tmp_path)
    code, out, _ = run(*words)
    assert code == 0
    assert "to pull arm 0" in out
    facts = json.loads((tmp_path / "restricted.json").read_text())
    assert facts["command"] == "pizzabots restricted toy-bandit --agents uniform --deals 40 --seed 1"
    assert {each["habit"] for each in facts["habits"]} == {f"arm-{arm}" for arm in range(4)}
    setup = load_game(bandit.GAME.name)
    figure = draw_restriction(setup, restrict(setup, "uniform", [], Scale(40, 1, HERE)))
    assert len(figure.axes[0].get_yticklabels()) == 4
    for given, sentence in (
        (["robots", "--forbid", "laser"], "habit laser of robots is a choice with --option optional_powers=true only"),
        (["robots", "--forbid", "fun"], "robots has no habit 'fun'; its habits: short-circuit"),
        (["robots", "--agents", "uniform", "greedy"], "one agent is restricted at a time, not 2: uniform, greedy"),
        (["robots", "--deals", "1"], "wants at least 2 deals, not 1"),
        (["chess"], "there is no game 'chess'"),
        (["robots", "--agents", "nobody"], "there is no agent 'nobody'"),
    ):
        code, out, err = run("restricted", *given)
        assert (code, out) == (2, "")
        assert sentence in err
        assert err.count("\n") == 1

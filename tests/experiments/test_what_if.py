"""What-ifs: two settings on common deals, one option at a time, and means held against 0 all at once."""

import json

import numpy as np
import pytest
from scipy import stats

from engine import load_game
from engine.contract import find_game, game_names
from experiments import run_tournament
from experiments.inference import all_means, mean_of
from experiments.what_if import Move, Moves, Request, diff, moves_of, play_setting, tornado
from experiments.what_if_charts import MOST_BARS, draw_tornado, write_what_if
from tests.experiments.test_cli import run  # noqa: F401
from tests.toys import nim

GAME = "robots-ate-our-pizza"
SETUP = load_game(GAME, players=3)
UNIFORM = Request(["uniform"], deals=60, seed=3)


def totals(setup, agent="uniform", deals=60, seed=3):
    """Return the team's total by deal, from the rows of a tournament."""
    frame = run_tournament(setup, agent, deals, seed, serial=True)
    return frame.groupby("deal").points.sum().to_numpy(dtype=np.float64)


def test_a_difference_is_that_of_the_same_deals():
    other = load_game(GAME, players=3, runs="per_block")
    before, after = totals(SETUP), totals(other)
    answer = diff(SETUP, {"runs": "per_block"}, UNIFORM)
    total, lost, decisions = answer.differences
    assert (total.measure, lost.measure, decisions.measure) == ("total", "slices", "decisions")
    assert total.first.mean == pytest.approx(before.mean())
    assert total.second.mean == pytest.approx(after.mean())
    paired = stats.ttest_rel(after, before).confidence_interval()
    assert (total.difference.low, total.difference.high) == pytest.approx((paired.low, paired.high))
    assert total.correlation == pytest.approx(np.corrcoef(before, after)[0, 1])
    assert total.gain == pytest.approx((before.var() + after.var()) / (after - before).var())
    table = SETUP.game.slices_lost(SETUP)
    assert lost.first.mean == pytest.approx(table[before.astype(int) - SETUP.ranges.total[0]].mean())
    assert (decisions.first.mean, decisions.difference.mean, decisions.correlation) == (12.0, 0.0, None)
    assert answer.changes == {"runs": ("per_choice", "per_block")}


def test_what_changes_nothing_differs_on_no_deal():
    total = diff(SETUP, {"success_at": 5}, UNIFORM).differences[0]
    assert (total.difference.low, total.difference.high, total.p_adjusted, total.gain) == (0.0, 0.0, 1.0, None)
    assert total.correlation == pytest.approx(1.0)


def test_a_change_of_the_deck_leaves_little_in_common_and_says_so():
    same = diff(SETUP, {"runs": "per_block"}, UNIFORM).differences[0]
    other = diff(SETUP, {"task": 21}, UNIFORM).differences[0]
    assert same.gain > 5
    assert other.gain < same.gain


def test_a_table_of_slices_is_a_change_like_any_other(tmp_path):
    path = tmp_path / "tables.toml"
    path.write_text("[task.2]\n3 = [5, 10, 60]\n")
    setup = load_game(GAME, players=3, task=2)
    measures = [each.measure for each in diff(setup, {"tables": str(path)}, UNIFORM).differences]
    assert measures == ["total", "slices", "decisions"]
    twin = tmp_path / "other.toml"
    twin.write_text("[task.2]\n3 = [5, 10, 11]\n")
    answer = diff(load_game(GAME, players=3, task=2, tables=str(path)), {"tables": str(twin)}, UNIFORM)
    total, lost, _ = answer.differences
    assert total.difference.mean == 0.0
    results = totals(setup)
    slices = [np.select([results <= 5, results <= 10, results <= last], [0, 1, 2], 3).mean() for last in (60, 11)]
    assert [lost.first.mean, lost.second.mean] == pytest.approx(slices)


def test_a_mixed_line_up_tells_each_agents_share_of_the_win():
    setup = load_game(nim.GAME.name)
    request = Request(["uniform", "greedy"], deals=40, seed=1)
    measures = play_setting(setup, request)[0].measures
    assert list(measures) == [
        "points",
        "margin",
        "decisions",
        "share of the win of uniform",
        "share of the win of greedy",
    ]
    frame = run_tournament(setup, "uniform greedy", 40, 1, serial=True)
    shares = frame.groupby("agent", observed=True).share.mean()
    for agent in ("uniform", "greedy"):
        assert measures[f"share of the win of {agent}"].mean() == pytest.approx(shares[agent])
    assert (measures["margin"] == 1.0).all()


def test_moves_are_all_other_values_of_each_option():
    tried = moves_of(SETUP).tried
    of_option = {name: [move.value for move in tried if move.option == name] for name in SETUP.options}
    assert of_option["task"] == list(range(2, 25))
    assert of_option["runs"] == ["per_block"]
    assert of_option["memory"] == [False]
    assert of_option["tables"] == []
    assert moves_of(SETUP).left_out == {"tables": "takes any text; --also names values to try"}
    some = moves_of(SETUP, ["runs"], {"tables": ["a.toml", "b.toml"]})
    assert [move.words for move in some.tried] == ["runs=per_block", "tables=a.toml", "tables=b.toml"]
    assert some.left_out == {}
    with pytest.raises(ValueError, match="has no option 'topping'; its options: task, mode"):
        moves_of(SETUP, ["topping"])


def test_every_value_that_a_game_names_for_trial_is_one():
    n_trials = 0
    for name in game_names():
        for option in find_game(name).options:
            for _, value in option.trials:
                assert option.free
                assert load_game(name, **{option.name: value}).options[option.name] == value
                n_trials += 1
    assert n_trials >= 7


def test_a_tornado_sorts_what_differs_and_names_the_rest():
    moves = moves_of(SETUP, ["runs", "memory", "mode", "success_at", "simultaneous_picks"])
    answer = tornado(SETUP, moves, UNIFORM)
    before = totals(SETUP)
    assert answer.measure == "total"
    assert answer.base.mean == pytest.approx(before.mean())
    assert [bar.move.words for bar in answer.bars] == ["runs=per_block"]
    (bar,) = answer.bars
    after = totals(load_game(GAME, players=3, runs="per_block"))
    assert bar.difference.mean == pytest.approx((after - before).mean())
    assert bar.mean.mean == pytest.approx(after.mean())
    plain = mean_of(after - before)
    assert bar.difference.low <= plain.low + 1e-9
    assert {move.option for move in answer.without_effect} == {"memory", "success_at", "simultaneous_picks"}
    assert answer.left_out["mode=base"] == "there team total (points) is no measure"


def test_several_agents_count_alike_and_larger_differences_come_first():
    request = Request(["uniform", "greedy"], deals=40, seed=3)
    answer = tornado(SETUP, moves_of(SETUP, ["runs", "memory"]), request)
    both = [np.mean([totals(SETUP, agent, 40), totals(SETUP, agent, 40)]) for agent in ("uniform", "greedy")]
    assert answer.base.mean == pytest.approx(np.mean(both))
    sizes = [abs(bar.difference.mean) for bar in answer.bars]
    assert sizes == sorted(sizes, reverse=True)
    assert answer.agents == ("uniform", "greedy")


def test_a_game_of_equal_length_is_measured_by_points_and_others_by_length():
    setup = load_game(nim.GAME.name)
    answer = tornado(setup, moves_of(setup), Request(["uniform"], deals=40))
    assert answer.measure == "decisions"
    assert [move.words for move in answer.without_effect] == ["misere=true"]
    assert tornado(setup, moves_of(setup), Request(["uniform"], deals=40), "points").measure == "points"


@pytest.mark.parametrize("n_columns", [1, 12])
def test_intervals_for_all_at_once_hold_for_all_at_once(n_columns):
    generator = np.random.Generator(np.random.PCG64(5))
    n_runs, missed, called = 200, 0, 0
    for number in range(n_runs):
        means = all_means(generator.normal(size=(60, n_columns)), n_replicates=400, seed=number)
        missed += any(not each.estimate.low <= 0.0 <= each.estimate.high for each in means)
        called += min(each.p_adjusted for each in means) < 0.05
    assert 1 <= missed <= 20  # 10 wanted; three standard deviations
    assert abs(missed - called) <= 4


def test_columns_that_never_vary():
    means = all_means(np.stack([np.zeros(30), np.ones(30), np.arange(30) - 14.5], axis=1), n_replicates=300)
    assert [each.p_adjusted for each in means] == [1.0, pytest.approx(1 / 301), 1.0]
    assert (means[1].estimate.low, means[1].estimate.high) == (1.0, 1.0)


def test_the_same_answer_gives_the_same_picture(tmp_path):
    answer = tornado(SETUP, moves_of(SETUP, ["runs", "task"]), Request(["uniform"], deals=10))
    assert len(answer.bars) + len(answer.without_effect) == 24
    pictures = []
    for name in ("a", "b"):
        paths = write_what_if(answer.as_json(), lambda: draw_tornado(SETUP, answer), tmp_path / name)
        pictures.append([path.read_bytes() for path in paths])
    assert pictures[0] == pictures[1]
    assert pictures[0][1].startswith(b"\x89PNG")
    labels = [label.get_text() for label in draw_tornado(SETUP, answer).axes[0].get_yticklabels()]
    assert labels == [bar.move.words for bar in answer.bars][:MOST_BARS]


def test_the_commands_print_write_and_refuse(run, tmp_path):  # noqa: F811
    words = ("diff", GAME, "--players", 3, "--agents", "uniform", "--deals", 30, "--change", "runs=per_block")
    code, out, _ = run(*words)
    assert code == 0
    assert "task 1: runs per_choice → per_block" in out
    assert "team total (points)" in out
    assert "deal k is dealt by the same draws of chance" in out
    code, out, _ = run(*words, "--json")
    assert [each["measure"] for each in json.loads(out)["differences"]] == ["total", "slices", "decisions"]
    words = ("tornado", GAME, "--players", 3, "--agents", "uniform", "--deals", 30, "--only", "runs", "--out", tmp_path)
    code, out, _ = run(*words)
    assert code == 0
    assert "runs=per_block" in out
    facts = json.loads((tmp_path / "tornado.json").read_text())
    assert facts["command"] == (
        "pizzabots tornado robots-ate-our-pizza --agents uniform --only runs --players 3 --deals 30 --seed 1"
    )
    assert {path.name for path in tmp_path.iterdir()} == {"tornado.json", "tornado.png", "tornado.svg"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["diff", GAME], "name at least one change, such as --change NAME=VALUE"),
        (["diff", GAME, "--change", "runs"], "a change is written NAME=VALUE, not 'runs'"),
        (["diff", GAME, "--change", "task=1"], "the change task=1 changes nothing: it is so already"),
        (["diff", GAME, "--change", "task=0"], "option task of robots-ate-our-pizza is 1 to 24, not '0'"),
        (["diff", GAME, "--change", "speed=1"], "has no option 'speed'"),
        (["diff", "robot-master", "--change", "variant=solo"], "is for 1 player, not 2"),
        (["diff", GAME, "--change", "task=2", "--deals", "1"], "wants at least 2 deals, not 1"),
        (["tornado", GAME, "--only", "speed"], "has no option 'speed'"),
        (["tornado", GAME, "--only", "runs", "--measure", "fun"], "are total, slices, decisions, not 'fun'"),
        (["tornado", GAME, "--only", "tables"], "can be moved: tables: takes any text; --also names values to try"),
        (["tornado", GAME, "--also", "tables"], "a value to try is written NAME=VALUE, not 'tables'"),
        (["tornado", GAME, "--only", "runs", "--out", "/proc/nowhere"], "'/proc/nowhere' cannot be made"),
    ],
)
def test_a_mistake_gets_one_sentence_before_anything_is_played(run, words, sentence):  # noqa: F811
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_moves_that_are_all_refused_leave_no_tornado():
    with pytest.raises(ValueError, match=r"can be moved: no file: the tables file 'no\.toml' cannot be read"):
        tornado(SETUP, Moves((Move("tables", "no.toml", "no file"),), {}), UNIFORM)
    with pytest.raises(ValueError, match=r"no move of an option leaves team total \(points\) a measure"):
        tornado(SETUP, Moves((Move("mode", "base", "mode=base"),), {}), UNIFORM)

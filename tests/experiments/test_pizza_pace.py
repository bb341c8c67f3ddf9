"""The experiment on paces: what it plays, what it says, what it draws."""

import json

import pytest

from experiments.pizza_pace import Handicap, Race, as_json, play_handicap, slowest_with
from tests.experiments.test_cli import run as run  # the fixture

PLANNER = "greedy:style=planner"


def test_equal_paces_share_the_wins_and_slow_ones_lose():
    equal = play_handicap(PLANNER, 2, 3, Race(base=3, deals=600, seed=1))
    slow = play_handicap(PLANNER, 2, 6, Race(base=3, deals=600, seed=1))
    assert equal.low < 0.5 < equal.high
    assert slow.high < 0.1
    assert (equal.slowdown, slow.slowdown) == (1.0, 2.0)


def test_where_a_share_is_passed():
    line = [Handicap(PLANNER, 2, pace, 4, share, 0, 1, 10) for pace, share in ((4, 0.5), (5, 0.3), (6, 0.1))]
    assert slowest_with(line, 0.4) == pytest.approx(1.125)
    assert slowest_with(line, 0.6) is None
    assert slowest_with(line, 0.05) is None
    (summary,) = as_json(line, 1)["summary"]
    assert summary["half_of_fair_share_at"] == pytest.approx(1.3125)


def test_the_command(run, tmp_path):
    words = ("--players", "2", "--base", "2", "--slowest", "4", "--deals", "60", "--serial", "--out", tmp_path / "pace")
    code, out, _ = run("pizza-pace", *words)
    assert code == 0
    assert out.count("times as slow: ") == 3
    assert sorted(path.name for path in (tmp_path / "pace").iterdir()) == ["pace.json", "pace.png", "pace.svg"]
    facts = json.loads(run("pizza-pace", *words, "--json")[1])
    assert facts == json.loads((tmp_path / "pace" / "pace.json").read_text())
    assert [each["pace"] for each in facts["handicaps"]] == [2, 3, 4]


def test_what_the_command_refuses(run):
    assert "the slowest pace is at least the pace of the others, 8, not 3" in run("pizza-pace", "--slowest", "3")[2]
    assert "give --base and --slowest instead" in run("pizza-pace", "--option", "pace=3")[2]
    assert "pizza-time has no option 'size'" in run("pizza-pace", "--option", "size=3", "--serial")[2]

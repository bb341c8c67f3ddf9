"""Studies of ROBOTS!: points of winners and losers, and powers counted twice."""

import json

import numpy as np
import pandas as pd
import pytest

from engine import load_game
from engine.contract import apply_action, choose, current_player, is_terminal, workspace
from engine.games.robots import rules
from engine.tables import deal_tables, start_streams
from experiments.self_play import compiled_players, points_of
from experiments.studies import Request
from experiments.studies.powers_played import count_powers, means_of, play_and_count
from experiments.studies.robots_points import bounds, hands_of
from experiments.tournament import Watcher, run_tournament
from tests.experiments.test_cli import run  # noqa: F401


def test_winners_losers_and_ties_are_told_apart():
    """Two deals: a win and a loss on the first, a tie and a win on the second."""
    rows = pd.DataFrame({"deal": [0, 0, 1, 1], "points": [50, -10, 30, 70], "share": [1.0, 0.0, 0.5, 1.0]})
    found = hands_of(rows, 2)
    assert found["share_of_win"]["mean"] == 0.625
    assert [found[name]["n_hands"] for name in ("all", "winners", "losers")] == [4, 2, 1]
    assert [found[name]["mean"]["mean"] for name in ("all", "winners", "losers")] == [35.0, 60.0, -10.0]
    assert found["winners"]["hands_by_points"] == {"50": 1, "70": 1}
    assert found["all"]["mean"]["n_blocks"] == 2
    only_ties = hands_of(rows[rows.share == 0.5], 2)
    assert (only_ties["winners"]["n_hands"], only_ties["winners"]["mean"]["mean"]) == (0, None)


def test_the_picture_leaves_the_rarest_hands_to_its_outermost_bars():
    many = {str(points): 1000 for points in range(0, 100, 5)}
    assert bounds([{"all": {"hands_by_points": {**many, "905": 1, "-300": 1}}}]) == (0, 90)


def test_powers_are_means_a_block():
    counts = np.zeros((4, len(rules.POWERS), 2))
    counts[:, 0, 1] = [0, 1, 1, 6]
    first, second = means_of(counts)[:2]
    assert (first["power"], first["played"]["mean"], first["median_played"], first["most_played"]) == (
        "short-circuit", 2.0, 1.0, 6.0
    )  # fmt: skip
    assert second["played"]["high"] == 0.0


@pytest.fixture(scope="module")
def random_player():
    setup = load_game("robots")
    return setup, compiled_players(setup, ["uniform"], Watcher())[0]


def has_effect(state, card, seat):
    """Tell by the rulebook whether the power of a card about to be discarded by `seat` can do anything."""
    hands = [int(low) | int(high) << 64 for low, high in state["hands"][: int(state["players"])].tolist()]
    if hands[seat].bit_count() == 1:
        return False  # the last card of a player
    power = rules.POWERS[rules.POWER_RANKS.index(card % 16)]
    if power == "short-circuit":
        return any(hand for other, hand in enumerate(hands) if other != seat)
    if power in ("tractor-beam", "recycle"):
        return int(state["heap_size"]) > 0
    if power == "force-field":
        return True
    words = [int(word) for word in state["spreads"][: int(state["n_spreads"])]]
    return any(word & 0xFF < rules.ROBOT_KIND and word >> 8 & 15 != seat for word in words)


@pytest.mark.slow
def test_powers_are_counted_as_the_rulebook_lets_them_act(random_player):
    """Six hands of random players, stepped through in Python: every discard of a high card, and what it can do."""
    setup, player = random_player
    request = Request(("uniform",), None, 6, 3)
    counts = count_powers(setup, player, range(6), request)
    states, streams = setup.blank_states(6), np.zeros((6, 2), dtype=np.uint64)
    deal_tables(states, setup.template, 3, 0)
    start_streams(streams, 3, 0, 0)
    expected = np.zeros_like(counts)
    space = workspace(player.knobs, states)
    for table, state in enumerate(states):
        while not is_terminal(state):
            seat = int(current_player(state))
            action = int(choose(player.knobs, state, space, streams[table, seat : seat + 1]))
            is_discard = rules.DISCARD <= action < rules.DISCARD + rules.N_NATURAL
            card = int(rules.BIT[action]) if is_discard else 0
            is_power = is_discard and card % 16 in rules.POWER_RANKS
            acts = is_power and has_effect(state, card, seat)
            apply_action(state, action)
            if is_power:  # with the last turn of a hand ends what a card without a choice would do
                expected[table, rules.POWER_RANKS.index(card % 16), int(acts and not is_terminal(state))] += 1
    assert counts.tolist() == expected.tolist()
    assert expected[..., 1].sum() > 20


@pytest.mark.slow
def test_hands_that_are_watched_are_those_of_a_tournament(random_player):
    setup, player = random_player
    states, streams = setup.blank_states(20), np.zeros((20, 2), dtype=np.uint64)
    deal_tables(states, setup.template, 3, 0)
    start_streams(streams, 3, 0, 0)
    play_and_count(player.knobs, player.looks, states, streams, np.zeros((20, 7, 2), dtype=np.int64))
    frame = run_tournament(setup, ["uniform"], 20, 3, "self", serial=True).sort_values(["deal", "seat"])
    assert points_of(setup, states).ravel().tolist() == frame.points.tolist()


@pytest.mark.slow
def test_both_studies_are_drawn(run, tmp_path):  # noqa: F811
    words = ("--agents", "uniform", "uniform:weather=1")
    assert run("study", "robots-points", *words, "--out", tmp_path)[0] == 2
    assert run("study", "robots-points", "--agents", "uniform", "--deals", 30, "--out", tmp_path)[0] == 0
    facts = json.loads((tmp_path / "robots-points.json").read_text())
    (row,) = facts["rows"]
    assert (row["n_hands"], row["share_of_win"]["mean"]) == (60, 0.5)
    assert run("study", "powers-played", "--agents", "uniform", "--deals", 30, "--out", tmp_path)[0] == 0
    powers = json.loads((tmp_path / "powers-played.json").read_text())["rows"][0]["powers"]
    assert [each["power"] for each in powers] == list(rules.POWERS)
    assert all(each["played"]["mean"] > 1 for each in powers)

"""Finished tables: the very games of a tournament, whatever the batch, and other plays of the same deals."""

import numpy as np
import pytest

from engine import load_game
from experiments.cluster import Place
from experiments.self_play import compiled_players, finished_tables, points_of, points_of_copies, utility_of
from experiments.tournament import Watcher
from tests.agents import own

GAME = "robots-ate-our-pizza"


@pytest.fixture(scope="module")
def pair():
    setup = load_game(GAME, players=3)
    return setup, compiled_players(setup, ["uniform", "greedy"], Watcher())


def test_the_games_are_those_of_a_tournament(pair):
    setup, players = pair
    points = points_of_copies(setup, ["uniform", "greedy"], 40, 7, Place(serial=True), Watcher())
    for player in players:
        states = finished_tables(setup, [player] * 3, range(40), 7)
        assert np.array_equal(points_of(setup, states), points[player.label])


def test_no_record_depends_on_where_the_deals_begin(pair):
    setup, (uniform, greedy) = pair
    seats = [greedy, uniform, greedy]
    whole = finished_tables(setup, seats, range(30), 7)
    assert finished_tables(setup, seats, range(11, 30), 7).tobytes() == whole[11:].tobytes()


def test_a_replay_is_the_same_deal_played_otherwise(pair):
    setup, (uniform, _) = pair
    first, second = (finished_tables(setup, [uniform] * 3, range(50), 7, replay) for replay in (0, 1))
    assert np.array_equal(first["first_player"], second["first_player"])
    assert not np.array_equal(first["tableau"], second["tableau"])
    for one, other in zip(first, second, strict=True):
        cards = [sorted(each) for each in (_all_cards(setup, one), _all_cards(setup, other))]
        assert cards[0] == cards[1]
    assert np.array_equal(finished_tables(setup, [uniform] * 3, range(50), 7, 1)["tableau"], second["tableau"])


def _all_cards(setup, state):
    cards = [card for mask in state["tableau"].tolist() for card in range(32) if mask >> card & 1]
    return cards + [int(hand) & 0xFF for hand in state["hands"][: setup.players]]


def test_utilities_are_the_games_own(pair):
    setup, (uniform, _) = pair
    states = finished_tables(setup, [uniform] * 3, range(20), 7)
    utility = utility_of(setup, states)
    least, most = setup.ranges.total
    totals = points_of(setup, states).sum(axis=1)
    assert utility[:, 0] == pytest.approx((totals - least) / (most - least))


def test_plain_python_and_broken_games_are_refused():
    setup = load_game(GAME, players=2)
    with pytest.raises(ValueError, match=r"looks into the games of compiled agents only, and .* is plain Python"):
        compiled_players(setup, ["uniform", f"{own.__name__}:First"], Watcher())
    with pytest.raises(ValueError, match="an agent broke off a game by a fault; this wants whole games"):
        points_of_copies(setup, [f"{own.__name__}:Raises"], 2, 1, Place(serial=True), Watcher())

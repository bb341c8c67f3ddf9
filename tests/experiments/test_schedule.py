"""Who sits together, and how work is cut up."""

import itertools
from collections import Counter

import pytest

from engine.contract import find_game, game_names, load_game
from experiments.schedule import MOST_CHUNKS, chunk_size, chunks, line_ups, seatings
from experiments.tournament import run_tournament


def test_self_seats_each_agent_with_copies_of_itself():
    assert line_ups("self", 3, 4) == [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2)]


def test_cross_adds_every_pair_in_alternating_seats():
    assert line_ups("cross", 2, 4) == [(0,) * 4, (1,) * 4, (0, 1, 0, 1)]
    assert line_ups("cross", 2, 3) == [(0,) * 3, (1,) * 3, (0, 1, 0), (1, 0, 1)]
    assert len(line_ups("cross", 5, 4)) == 5 + 10


def test_round_robin_takes_every_choice_of_different_agents():
    assert line_ups("round-robin", 4, 3) == list(itertools.combinations(range(4), 3))
    assert line_ups("round-robin", 2, 4) == [(0, 1, 0, 1)]


def test_gauntlet_pits_the_first_against_each_other():
    assert line_ups("gauntlet", 3, 4) == [(0, 1, 1, 1), (0, 2, 2, 2)]


@pytest.mark.parametrize("schedule", ["self", "cross", "round-robin", "gauntlet"])
def test_one_agent_alone_always_sits_with_itself(schedule):
    assert line_ups(schedule, 1, 3) == [(0, 0, 0)]


def test_an_unknown_schedule_is_refused():
    with pytest.raises(ValueError, match=r"there is no schedule 'swiss'; the schedules: self, cross"):
        line_ups("swiss", 2, 2)


def test_a_block_has_every_different_seating():
    assert seatings((0, 0, 0, 0)) == [(0, 0, 0, 0)]
    assert seatings((0, 1)) == [(0, 1), (1, 0)]
    assert sorted(seatings((0, 1, 2))) == sorted(itertools.permutations(range(3)))
    assert sorted(seatings((0, 0, 1))) == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert seatings((0, 1, 0, 1)) == [(0, 1, 0, 1), (1, 0, 1, 0)]


@pytest.mark.parametrize("n_seats", [4, 5, 6, 7, 8])
def test_where_all_differ_each_sits_before_each_other_equally_often(n_seats):
    """In a game of passing cards the neighbor matters: rotations would give everybody the same in every game."""
    orders = seatings(tuple(range(n_seats)))
    copies = 1 if n_seats % 2 == 0 else 2
    assert len(orders) == copies * n_seats
    before = Counter(pair for order in orders for pair in itertools.pairwise(order))
    assert before == dict.fromkeys(itertools.permutations(range(n_seats), 2), copies)
    around = Counter((order[-1], order[0]) for order in orders) + before
    assert len(around) == n_seats * (n_seats - 1)


def test_teams_are_seated_as_teams():
    sides = (0, 1, 0, 1)
    assert line_ups("round-robin", 4, sides) == [(a, b, a, b) for a, b in itertools.combinations(range(4), 2)]
    assert line_ups("gauntlet", 3, sides) == [(0, 1, 0, 1), (0, 2, 0, 2)]
    assert line_ups("cross", 2, sides) == [(0,) * 4, (1,) * 4, (0, 1, 0, 1)]
    assert line_ups("self", 2, sides) == [(0,) * 4, (1,) * 4]


def test_every_game_says_who_plays_for_which_side():
    """Sides are numbered from 0 in the order of the seats; of Robot Master's teams partners sit opposite."""
    for name in game_names():
        for players in find_game(name).players:
            try:
                setup = load_game(name, players=players)
            except ValueError:
                continue  # the default options do not fit this number of players
            assert len(setup.sides) == players
            assert list(dict.fromkeys(setup.sides)) == list(range(len(set(setup.sides))))
    assert load_game("robot-master", variant="teams").sides == (0, 1, 0, 1)
    assert load_game("robots-ate-our-pizza", players=4).sides == (0, 1, 2, 3)


def test_a_round_robin_of_teams_shares_the_win_between_the_two_sides():
    setup = load_game("robot-master", variant="teams")
    games = run_tournament(setup, ["uniform", "greedy:style=hoarder", "greedy"], deals=10, serial=True)
    assert games.lineup.nunique() == 3
    by_agent = games.groupby(["lineup", "deal", "rotation", "agent"], observed=True).agg(
        seats=("seat", tuple), share=("share", "sum")
    )
    assert set(by_agent.seats) == {(0, 2), (1, 3)}
    assert set(by_agent.share) <= {0.0, 0.5, 1.0}


def test_every_agent_sits_equally_often_in_every_seat_of_a_block():
    for line_up in ((0, 1, 2), (0, 1, 0), (0, 1, 2, 3), (0, 1, 1, 1), (0, 1, 0, 1, 0)):
        columns = list(zip(*seatings(line_up), strict=True))
        for agent in set(line_up):
            assert len({column.count(agent) for column in columns}) == 1


@pytest.mark.parametrize(("n_deals", "sizes"), [(10, [4, 16]), (1, [1]), (1000, [256, 64, 1000])])
def test_chunks_cover_every_deal_of_every_line_up_once(n_deals, sizes):
    cut = chunks(n_deals, sizes)
    for line_up in range(len(sizes)):
        deals = [
            deal
            for chunk in cut
            if chunk.line_up == line_up
            for deal in range(chunk.first_deal, chunk.first_deal + chunk.n_deals)
        ]
        assert sorted(deals) == list(range(n_deals))
    assert len({chunk.id for chunk in cut}) == len(cut)


def test_dear_games_make_small_chunks_and_many_deals_large_ones():
    assert chunk_size(1000, 1e9, 4) == 1
    assert chunk_size(10**6, 16, 4) > chunk_size(10**6, 1600, 4)
    assert 10**10 / chunk_size(10**10, 16, 0) <= MOST_CHUNKS

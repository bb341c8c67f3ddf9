"""Who sits together, and how work is cut up."""

import itertools

import pytest

from experiments.schedule import MOST_CHUNKS, chunk_size, chunks, line_ups, seatings


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
    assert len(seatings((0, 1, 2, 3, 4))) == 5


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

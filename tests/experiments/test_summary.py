"""Estimates and intervals against textbook ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from experiments.summary import mean_estimate, share_estimate, wilson
from experiments.tally import BlockSums, win_shares

counts = st.lists(st.integers(-200, 200), min_size=2, max_size=60)


def sums_of(values):
    sums = BlockSums()
    sums.add(np.array(values, dtype=np.int64))
    return sums


@given(counts, st.integers(1, 6))
def test_a_mean_has_the_t_interval_of_its_block_means(values, n_in_block):
    estimate = mean_estimate(sums_of(values), n_in_block)
    means = np.array(values) / n_in_block
    assert estimate.mean == pytest.approx(means.mean(), abs=1e-9)
    if means.std() > 0:
        low, high = stats.t.interval(0.95, len(means) - 1, means.mean(), stats.sem(means))
        assert (estimate.low, estimate.high) == pytest.approx((low, high), rel=1e-9, abs=1e-9)
    else:
        assert estimate.half_width == pytest.approx(0, abs=1e-9)


@given(counts, counts)
def test_merged_sums_are_the_sums_of_all(first, second):
    merged = sums_of(first)
    merged.merge(sums_of(second))
    assert merged == sums_of(first + second)


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilson_is_wilson(n_yes, n_no):
    n_games = n_yes + n_no
    exact = stats.binomtest(n_yes, n_games).proportion_ci(method="wilson")
    assert wilson(n_yes / n_games, n_games) == pytest.approx((exact.low, exact.high), abs=1e-12)


def test_a_proportion_of_single_games_has_nearly_wilsons_interval():
    estimate = share_estimate(sums_of([1] * 30 + [0] * 70), 1)
    assert (estimate.low, estimate.high) == pytest.approx(wilson(0.3, 100), abs=2e-3)


def test_games_that_share_a_deal_count_once():
    """Two games a block with the same outcome tell no more than one."""
    alone = share_estimate(sums_of([1] * 30 + [0] * 70), 1)
    doubled = share_estimate(sums_of([2] * 30 + [0] * 70), 2)
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high), abs=1e-9)


def test_nothing_and_one_block_have_no_interval():
    assert mean_estimate(BlockSums(), 1).mean is None
    single = mean_estimate(sums_of([7]), 1)
    assert (single.mean, single.low, single.half_width) == (7.0, None, 0.0)
    assert share_estimate(BlockSums(), 1).mean is None
    never = share_estimate(sums_of([0] * 20), 1)
    assert never.mean == never.low == 0.0
    assert 0.1 < never.high < 0.2


@pytest.mark.slow
def test_intervals_cover_the_truth_as_often_as_they_say():
    """95 % intervals of 1,000 runs of 40 blocks each, with games of a block strongly alike."""
    generator = np.random.Generator(np.random.PCG64(5))
    blocks = generator.poisson(20.0, size=(1000, 40, 1)) + generator.integers(-3, 4, size=(1000, 40, 2))
    hits = 0
    for run in blocks.sum(axis=2):
        estimate = mean_estimate(sums_of(run), 2)
        hits += estimate.low <= 20.0 <= estimate.high
    assert 0.93 <= hits / 1000 <= 0.97


@pytest.mark.parametrize(
    ("utility", "placing", "share"),
    [
        ([1.0, 0.0], [1, 2], [1.0, 0.0]),
        ([0.5, 0.5, 0.0], [1, 1, 3], [0.5, 0.5, 0.0]),
        ([0.0, 0.0, 0.0, 0.0], [1, 1, 1, 1], [0.25] * 4),
        ([0.1, 0.9, 0.4], [3, 1, 2], [0.0, 1.0, 0.0]),
    ],
)
def test_ties_share_the_placing_and_split_the_win(utility, placing, share):
    found = win_shares(np.array([utility]))
    assert found[0].tolist() == [placing]
    assert found[1].tolist() == [share]


def test_an_interval_holds_its_own_proportion():
    for n_games in range(1, 400):
        for share in (0.0, 1.0, 1 / n_games):
            low, high = wilson(share, n_games)
            assert 0 <= low <= share <= high <= 1

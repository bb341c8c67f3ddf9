"""Intervals, p-values, many comparisons and power, against textbook figures and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from engine import load_game
from experiments.inference import (
    all_pairs,
    bootstrap_sums,
    detectable,
    games_for_power,
    holm,
    mean_of,
    p_value,
    ratio_of,
    standard_error,
)
from experiments.tournament import run_tournament
from tests.agents import own

scores = st.lists(st.floats(-5, 5, width=16), min_size=2, max_size=40)


def generator(seed):
    return np.random.Generator(np.random.PCG64(seed))


@given(scores)
def test_interval_and_p_value_are_students(values):
    array = np.array(values)
    if array.std() < 1e-6:
        return
    estimate = mean_of(array)
    expected = stats.ttest_1samp(array, 0.0)
    interval = expected.confidence_interval()
    assert (estimate.low, estimate.high) == pytest.approx((interval.low, interval.high), rel=1e-9, abs=1e-9)
    assert p_value(array) == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-12)


def test_blocks_that_cancel_are_no_evidence_and_blocks_all_alike_are():
    assert p_value(np.zeros(50)) == 1.0
    assert p_value(np.full(50, 0.5)) == 0.0
    assert p_value(np.array([0.3])) == 1.0


def test_a_ratio_of_equal_counts_is_a_mean():
    values = generator(1).normal(size=30)
    found, expected = ratio_of(3 * values, np.full(30, 3.0)), mean_of(values)
    assert (found.mean, found.low, found.high) == pytest.approx((expected.mean, expected.low, expected.high))
    assert ratio_of(np.zeros(5), np.zeros(5)).mean is None
    assert ratio_of(np.array([4.0]), np.array([2.0])).low is None


def test_the_interval_of_a_ratio_holds():
    """2,000 samples of 40 blocks that count 1 to 5 things, larger ones where they count more: 95 % hold the truth."""
    draw = generator(2)
    counts = draw.integers(1, 6, size=(2000, 40)).astype(float)
    sums = counts * (counts + draw.normal(size=counts.shape))
    truth = 11.0 / 3.0  # mean square over mean of 1 … 5
    found = [ratio_of(one, count) for one, count in zip(sums, counts, strict=True)]
    assert 0.93 < np.mean([each.low <= truth <= each.high for each in found]) < 0.97


def test_holm_is_holm():
    """0.01, 0.04, 0.03, 0.005: times 4, 3, 2, 1 from the smallest, never falling."""
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm(np.array([0.9, 0.8])) == pytest.approx([1.0, 1.0])
    assert len(holm(np.zeros(0))) == 0


def test_a_resample_draws_whole_blocks():
    counts = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    sums = bootstrap_sums(counts, 200, seed=1)
    assert (sums[:, 1] == 10 * sums[:, 0]).all()
    assert sums[:, 0].min() >= 3
    assert sums[:, 0].max() <= 12
    assert (bootstrap_sums(counts, 200, seed=1) == sums).all()
    assert (bootstrap_sums(counts, 200, seed=2) != sums).any()


def test_the_bootstrap_has_the_standard_error():
    values = generator(3).normal(size=(400, 1))
    means = bootstrap_sums(values, 4000, seed=5)[:, 0] / 400
    assert means.std() == pytest.approx(values.std() / 20, rel=0.05)


@pytest.mark.parametrize(
    ("gain", "players", "n_games"),
    [
        *[(0.01, 2, 19_620), (0.01, 4, 14_832), (0.01, 6, 11_055)],
        *[(0.02, 2, 4_904), (0.02, 4, 3_736), (0.02, 6, 2_801)],
        *[(0.05, 2, 783), (0.05, 4, 610), (0.05, 6, 465)],
    ],
)
def test_games_for_80_percent_power(gain, players, n_games):
    assert games_for_power(gain, players) == pytest.approx(n_games, abs=2)


def test_what_is_detectable_is_found_with_90_percent_power():
    error = 1 / np.sqrt(200)
    draws = generator(2).normal(detectable(error), 1.0, size=(4000, 200))
    found = np.abs(draws.mean(axis=1)) > 1.96 * error
    assert found.mean() == pytest.approx(0.9, abs=0.02)
    assert detectable(error, n_tests=4) > detectable(error)


@pytest.mark.slow
def test_of_eight_equal_agents_any_is_called_better_in_5_percent_of_the_tables():
    """All 28 pairs over 100 common deals; unadjusted, more than half of the tables err."""
    n_adjusted = n_raw = 0
    for seed in range(400):
        deals = generator(seed).normal(size=(100, 1)) * 2
        results = deals + generator(10_000 + seed).normal(size=(100, 8))
        means = bootstrap_sums(results, 500, seed) / 100
        pairs = all_pairs(results.mean(axis=0), means)
        n_adjusted += any(pair.p_adjusted < 0.05 for pair in pairs)
        n_raw += any(p_value(results[:, pair.first] - results[:, pair.second]) < 0.05 for pair in pairs)
        for pair in pairs:
            assert pair.low < pair.difference < pair.high
    print(f"a false 'better' in {n_adjusted / 400:.1%} of tables, unadjusted in {n_raw / 400:.1%}")
    assert n_adjusted <= 0.08 * 400
    assert n_raw > 0.5 * 400


@pytest.mark.slow
def test_intervals_of_small_tournaments_cover_the_truth():
    """1,000 tournaments of 40 deals, real games: a team's total (truth from 300,000), and a difference that is 0."""
    pizza = load_game("robots-ate-our-pizza", players=2)
    totals = [
        run_tournament(pizza, ["uniform"], deals, seed, serial=True).points.to_numpy().reshape(-1, 2).sum(axis=1)
        for deals, seed in ((40_000, 1), (300_000, 2))
    ]
    master = load_game("robot-master")
    games = run_tournament(master, ["uniform", f"{own.__name__}:AlsoUniform"], 40_000, 1, "gauntlet", serial=True)
    shares = games[games.agent == "uniform"].share.to_numpy().reshape(-1, 2).mean(axis=1)
    for what, values, truth in (("total", totals[0], totals[1].mean()), ("share of the win", shares, 0.5)):
        intervals = [mean_of(run) for run in values.astype(float).reshape(1000, 40)]
        covered = np.mean([each.low <= truth <= each.high for each in intervals])
        print(f"{what}: intervals cover the truth in {covered:.1%} of 1,000 tournaments")
        assert 0.93 <= covered <= 0.97


def test_pairs_say_what_they_would_have_found():
    """One pair: the largest of all differences is its own, so the critical value is nearly that of a normal test."""
    scores = np.array([[1.0, 0.0], [0.0, 0.5], [0.3, 0.1], [0.8, 0.9]] * 50)
    replicates = bootstrap_sums(scores, 2000, 1) / len(scores)
    (pair,) = all_pairs(scores.mean(axis=0), replicates)
    error = standard_error(scores[:, 0] - scores[:, 1])
    assert pair.smallest_effect == pytest.approx(detectable(error), rel=0.05)
    assert pair.smallest_effect > (pair.high - pair.low) / 2

"""The sequential test: the formula, when it stops, and how often it is wrong."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.sequential import (
    FIRST,
    LEAST_BLOCKS,
    NEITHER,
    OPEN,
    SECOND,
    Hypotheses,
    decide,
    gsprt,
    peeking_estimate,
    ratio_bounds,
    ratio_path,
)

OUTCOMES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])  # of a block of two games
CHANCES = np.array([0.15, 0.2, 0.3, 0.2, 0.15])
DEVIATION = math.sqrt((CHANCES * OUTCOMES**2).sum())


def block_scores(seed, n_runs, n_blocks, mean):
    """Scores of many runs, their mean in standard deviations of a block."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.choice(OUTCOMES, size=(n_runs, n_blocks), p=CHANCES) + mean * DEVIATION


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=40))
def test_the_ratio_is_the_formula(values):
    scores = np.array(values)
    path = ratio_path(scores, -0.05, 0.2)
    for n_blocks in range(2, len(values) + 1):
        seen = scores[:n_blocks]
        mean, variance = seen.mean(), seen.var(ddof=1)
        if variance < 1e-12:
            continue
        s0, s1 = -0.05 * math.sqrt(variance), 0.2 * math.sqrt(variance)
        expected = n_blocks * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
        assert path[n_blocks - 1] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_bounds_are_walds():
    assert ratio_bounds(0.05, 0.05) == (pytest.approx(math.log(0.05 / 0.95)), pytest.approx(math.log(0.95 / 0.05)))
    assert ratio_bounds(0.01, 0.1) == (pytest.approx(math.log(0.1 / 0.99)), pytest.approx(math.log(0.9 / 0.01)))


def test_a_fixed_test_of_the_same_errors_is_the_textbook_one():
    """(1.960 + 1.645)² / 0.1²."""
    assert Hypotheses(0.1).fixed_blocks == 1300
    assert Hypotheses(0.2, 0.05, 0.1).fixed_blocks == 263


def test_nothing_is_decided_too_early():
    assert decide(np.full(LEAST_BLOCKS - 1, 1.0), Hypotheses()).decision == OPEN
    verdict = decide(np.full(LEAST_BLOCKS, 1.0), Hypotheses())
    assert (verdict.decision, verdict.n_blocks) == (FIRST, LEAST_BLOCKS)
    assert decide(np.full(100, -0.25), Hypotheses()).decision == SECOND
    assert decide(np.full(100, 1.0), Hypotheses(0.5)).n_blocks == 2 * LEAST_BLOCKS
    assert decide(np.zeros(0), Hypotheses()).decision == OPEN


def test_agents_that_cancel_in_every_block_are_called_equal():
    verdict = decide(np.zeros(1000), Hypotheses(0.1))
    assert verdict.decision == NEITHER
    assert verdict.n_blocks == math.ceil(-ratio_bounds(0.02, 0.04)[0] / (0.1**2 / 2))


@pytest.mark.parametrize("mean", [-0.3, 0.0, 0.15])
def test_later_blocks_change_nothing(mean):
    scores = block_scores(3, 1, 3000, mean)[0]
    verdict = decide(scores, Hypotheses())
    assert verdict.decision != OPEN
    assert decide(scores[: verdict.n_blocks], Hypotheses()) == verdict
    assert decide(scores[: verdict.n_blocks - 1], Hypotheses()).decision == OPEN


@pytest.mark.parametrize("mean", [-0.2, 0.0, 0.1])
def test_who_is_named_first_does_not_matter(mean):
    for scores in block_scores(4, 20, 3000, mean):
        there, back = decide(scores, Hypotheses()), decide(-scores, Hypotheses())
        assert {FIRST: SECOND, SECOND: FIRST}.get(there.decision, there.decision) == back.decision
        assert there.n_blocks == back.n_blocks


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((0.0,), "the difference is above 0 and at most 10 standard deviations, not 0"),
        ((0.1, 0.0), "alpha is above 0 and at most 0.5, not 0"),
        ((0.1, 0.05, 0.9), "beta is above 0 and at most 0.5, not 0.9"),
    ],
)
def test_wrong_hypotheses_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        Hypotheses(*arguments)


@pytest.mark.slow
@pytest.mark.parametrize("difference", [0.1, 0.2, 0.3])
def test_decisions_are_wrong_in_at_most_5_percent(difference):
    """Under each hypothesis, in 5,000 runs, since 500 do not tell 4 % from 6 %; with fewer blocks than a fixed size."""
    hypotheses = Hypotheses(difference)
    for mean, right in ((0.0, NEITHER), (difference, FIRST), (-difference, SECOND)):
        scores = (run for seed in range(10) for run in block_scores(seed, 500, 4 * hypotheses.fixed_blocks, mean))
        verdicts = [decide(run, hypotheses) for run in scores]
        is_wrong = np.array([verdict.decision not in (right, OPEN) for verdict in verdicts])
        n_open = sum(verdict.decision == OPEN for verdict in verdicts)
        n_blocks = np.mean([verdict.n_blocks for verdict in verdicts])
        print(
            f"difference {difference}, mean {mean}: wrong {is_wrong[:500].sum()} of 500, {is_wrong.sum()} of 5,000, "
            f"open {n_open}; {n_blocks:.0f} blocks on average, {hypotheses.fixed_blocks} fixed"
        )
        assert is_wrong.mean() <= 0.05
        assert n_open <= 50
        assert n_blocks < 0.8 * hypotheses.fixed_blocks


@pytest.mark.slow
def test_one_test_of_two_points_is_wrong_in_at_most_5_percent():
    """The plain test of −0.05 against 0.05 standard deviations, 500 runs under each."""
    for mean, right in ((-0.05, -1), (0.05, 1)):
        runs = block_scores(11, 500, 6000, mean)
        n_wrong = sum(gsprt(scores, -0.05, 0.05, 0.05, 0.05)[0] != right for scores in runs)
        print(f"mean {mean}: wrong {n_wrong} of 500")
        assert n_wrong <= 25


@pytest.mark.slow
def test_an_interval_for_peeking_holds_at_every_look():
    """It covers the truth at all of 3,000 looks in at least 95 % of 500 runs, where a t interval fails in many."""
    n_missed = n_missed_by_t = 0
    looks = np.unique(np.geomspace(LEAST_BLOCKS, 3000, 120).astype(int))
    for scores in block_scores(6, 500, 3000, 0.1):
        estimates = [peeking_estimate(scores[:n_blocks], 1300) for n_blocks in looks]
        n_missed += any(not each.low <= 0.1 * DEVIATION <= each.high for each in estimates)
        errors = [1.96 * scores[:n].std() / math.sqrt(n) for n in looks]
        n_missed_by_t += any(
            abs(each.mean - 0.1 * DEVIATION) > error for each, error in zip(estimates, errors, strict=True)
        )
    assert n_missed <= 25
    assert n_missed_by_t > 100

"""What blocks allow one to say: intervals, p-values, many comparisons at once, and power.

The counts. A *block score* is one float64 number for a block (one deal, one line-up or two that are compared, in all
seatings); `n_blocks` of them are independent, because deals are. Games within a block are not, so nothing here counts
games. A *replicate* is the same statistic on as many blocks, drawn anew with replacement (the block bootstrap).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtr, stdtrit

from engine.kernel import kernel
from engine.rng import BOOTSTRAP, below, fold, stream_start
from experiments.summary import CONFIDENCE, Estimate

POWER = 0.9  # with which a run that found nothing says what it would have found


def mean_of(scores: np.ndarray) -> Estimate:
    """Return the mean of block scores with its t interval."""
    n_blocks = len(scores)
    if n_blocks == 0:
        return Estimate(None, None, None, 0)
    mean = float(scores.mean())
    if n_blocks == 1:
        return Estimate(mean, None, None, 1)
    half = float(stdtrit(n_blocks - 1, 0.5 + CONFIDENCE / 2)) * standard_error(scores)
    return Estimate(mean, mean - half, mean + half, n_blocks)


def standard_error(scores: np.ndarray) -> float:
    """Return the standard error of the mean of at least two block scores."""
    return float(scores.std(ddof=1)) / math.sqrt(len(scores))


def ratio_of(sums: np.ndarray, counts: np.ndarray) -> Estimate:
    """Return total over total count of blocks that count unequally, with the t interval of the linearized ratio.

    `sums[b]` is what block b adds up to, `counts[b]` over how many. Source: Cochran 1977, "Sampling Techniques",
    section 6.3 (the ratio estimate); for counts that are all equal it is `mean_of` the block means.
    """
    n_blocks = len(sums)
    total = float(counts.sum())
    if total == 0.0:
        return Estimate(None, None, None, n_blocks)
    ratio = float(sums.sum()) / total
    if n_blocks == 1:
        return Estimate(ratio, None, None, 1)
    error = standard_error(sums - ratio * counts) * n_blocks / total
    half = float(stdtrit(n_blocks - 1, 0.5 + CONFIDENCE / 2)) * error
    return Estimate(ratio, ratio - half, ratio + half, n_blocks)


def p_value(scores: np.ndarray) -> float:
    """Return the two-sided p-value of "the mean of all blocks is 0" (Student's t); 1 where every block cancels.

    Only for a number of blocks that was fixed beforehand.
    """
    n_blocks = len(scores)
    if n_blocks < 2 or not scores.any():
        return 1.0
    error = standard_error(scores)
    if error == 0.0:
        return 0.0
    return 2.0 * float(stdtr(n_blocks - 1, -abs(float(scores.mean())) / error))


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for all comparisons together, for those planned beforehand (Holm 1979)."""
    order = np.argsort(p_values, kind="stable")
    n_tests = len(order)
    adjusted = np.maximum.accumulate(p_values[order] * np.arange(n_tests, 0, -1))
    result = np.empty(n_tests)
    result[order] = np.minimum(adjusted, 1.0)
    return result


@kernel
def _resample(counts: Any, seed: int, sums: Any) -> None:
    start = stream_start(seed, BOOTSTRAP)
    n_blocks, n_columns = counts.shape
    rng = np.empty(1, dtype=np.uint64)
    for replicate in range(len(sums)):
        rng[0] = fold(start, replicate)
        for _ in range(n_blocks):
            block = below(rng, n_blocks)
            for column in range(n_columns):
                sums[replicate, column] += counts[block, column]


def bootstrap_sums(counts: np.ndarray, n_replicates: int, seed: int) -> np.ndarray:
    """Return the column sums of resampled blocks: float64, shape (replicates, columns).

    `counts` (blocks, columns) holds what each block adds to every sum; a replicate draws as many blocks, each whole.
    """
    sums = np.zeros((n_replicates, counts.shape[1]))
    _resample(np.ascontiguousarray(counts, dtype=np.float64), seed, sums)
    return sums


@dataclass(frozen=True)
class Pair:
    """The difference of two of several agents (places in their list), adjusted for looking at all pairs."""

    first: int
    second: int
    difference: float
    low: float  # 95 % interval that holds for all pairs at once
    high: float
    p_adjusted: float
    smallest_effect: float  # that so many blocks find with 90 % power, looking at all pairs


def all_pairs(values: np.ndarray, replicates: np.ndarray) -> list[Pair]:
    """Compare all pairs of agents at once by the max-T bootstrap (Westfall and Young 1993, single step).

    `values` (agents,) are the estimates, `replicates` (replicates, agents) the same on resampled blocks. The largest
    of all studentized differences has a distribution of its own, which the replicates show; pairs are held against
    that, so that of equal agents any is called better in at most 5 % of all runs.
    """
    first, second = np.triu_indices(len(values), k=1)
    differences = values[first] - values[second]
    scatter = replicates[:, first] - replicates[:, second] - differences
    errors = scatter.std(axis=0)
    safe = np.where(errors > 0, errors, 1.0)
    largest = np.abs(scatter / safe).max(axis=1) if len(first) else np.zeros(len(replicates))
    critical = float(np.quantile(largest, CONFIDENCE))
    width = critical * errors
    smallest = (critical + float(ndtri(POWER))) * errors
    pairs = []
    for place, difference in enumerate(differences.tolist()):
        if difference == 0.0:
            p_adjusted = 1.0
        else:  # errors of 0: the same difference in every block, beyond any that chance shows
            seen = abs(difference) / errors[place] if errors[place] > 0 else np.inf
            p_adjusted = float((1 + (largest >= seen).sum()) / (1 + len(largest)))
        low, high = difference - float(width[place]), difference + float(width[place])
        places = int(first[place]), int(second[place])
        pairs.append(Pair(*places, difference, low, high, p_adjusted, float(smallest[place])))
    return pairs


@dataclass(frozen=True)
class Mean:
    """The mean of one of several columns of block scores, adjusted for looking at all of them."""

    estimate: Estimate  # 95 % interval that holds for all columns at once
    p_adjusted: float  # of "the mean is 0"


def all_means(scores: np.ndarray, n_replicates: int = 2000, seed: int = 1) -> list[Mean]:
    """Hold the means of all columns against 0 at once by the max-T bootstrap (Westfall and Young 1993, single step).

    `scores` (blocks, columns) are block scores; blocks are drawn whole, so columns may depend on each other. If all
    true means are 0, any is called different in at most 5 % of all runs.
    """
    n_blocks, n_columns = scores.shape
    if n_blocks < 2 or n_columns == 0:
        return [Mean(mean_of(column), 1.0) for column in scores.T]
    means = scores.mean(axis=0)
    scatter = bootstrap_sums(scores, n_replicates, seed) / n_blocks - means
    errors = scores.std(axis=0, ddof=1) / math.sqrt(n_blocks)
    safe = np.where(errors > 0, errors, 1.0)
    largest = np.abs(scatter / safe).max(axis=1)
    stretch = float(stdtrit(n_blocks - 1, 0.5 + CONFIDENCE / 2) / ndtri(0.5 + CONFIDENCE / 2))  # few blocks
    single = float(ndtri(0.5 + CONFIDENCE / 2))  # all at once are never surer than one alone
    width = max(float(np.quantile(largest, CONFIDENCE)), single) * stretch * errors
    found = []
    for mean, error, half in zip(means.tolist(), errors.tolist(), width.tolist(), strict=True):
        seen = 0.0 if mean == 0.0 else abs(mean) / (error * stretch) if error > 0 else math.inf
        p_adjusted = float((1 + (largest >= seen).sum()) / (1 + n_replicates))
        found.append(Mean(Estimate(mean, mean - half, mean + half, n_blocks), p_adjusted))
    return found


def detectable(error: float, n_tests: int = 1) -> float:
    """Return the smallest true effect that a run with this standard error finds with 90 % power.

    Found is: a two-sided test at 5 %, shared among `n_tests` (Bonferroni).
    """
    return float(ndtri(1 - (1 - CONFIDENCE) / (2 * n_tests)) + ndtri(POWER)) * error


def games_for_power(gain: float, players: int, power: float = 0.8) -> int:
    """Count the independent games in which one agent's win share of 1 / players + `gain` is found with `power`."""
    even = 1.0 / players
    wanted = even + gain
    z_found, z_missed = float(ndtri(0.5 + CONFIDENCE / 2)), float(ndtri(power))
    root = z_found * math.sqrt(even * (1 - even)) + z_missed * math.sqrt(wanted * (1 - wanted))
    return round((root / gain) ** 2)

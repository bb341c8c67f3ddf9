"""Streams: apart from each other, reproducible, and exactly uniform."""

from __future__ import annotations

import collections
import itertools

import numpy as np
import pytest

from engine import rng
from engine.kernel import kernel
from engine.rng import below, fold, mix, new_stream, next_word, shuffle_front, stream_start, unit

KINDS = (rng.DEAL, rng.SEAT, rng.SCHEDULE, rng.BOOTSTRAP, rng.ANALYSIS)
N_DRAWS = 60_000

# Upper 1e-9 points of chi-square by degrees of freedom: at a fixed seed a test either always passes or never.
CHI_SQUARE_LIMIT = {1: 37.3, 2: 41.4, 4: 47.9, 5: 50.7, 6: 53.3, 11: 65.2, 23: 89.1}


def chi_square(counts: np.ndarray) -> float:
    """Return Pearson's statistic of counts against equal chances."""
    mean = counts.sum() / len(counts)
    return float(((counts - mean) ** 2 / mean).sum())


@kernel
def fill_starts(start, starts):
    for label in range(len(starts)):
        starts[label] = fold(start, label)


@kernel
def fill_below(stream, bound, drawn):
    for index in range(len(drawn)):
        drawn[index] = below(stream, bound)


@kernel
def fill_unit(stream, drawn):
    for index in range(len(drawn)):
        drawn[index] = unit(stream)


@kernel
def fill_shuffles(stream, n_front, drawn):
    for index in range(len(drawn)):
        for item in range(drawn.shape[1]):
            drawn[index, item] = item
        shuffle_front(stream, drawn[index], n_front, drawn.shape[1])


def test_kinds_are_all_different() -> None:
    names = [name for name in vars(rng) if name.isupper() and not name.startswith("_")]
    assert sorted(names) == ["ANALYSIS", "BOOTSTRAP", "DEAL", "SCHEDULE", "SEAT"]
    assert len(set(KINDS)) == len(names)


def test_streams_of_all_kinds_and_labels_start_apart() -> None:
    starts = [
        int(new_stream(seed, kind, *labels)[0])
        for seed in range(20)
        for kind in KINDS
        for labels in [(), *itertools.product(range(8)), *itertools.product(range(6), range(6))]
    ]
    assert len(set(starts)) == len(starts)


def test_a_million_deals_of_one_seed_start_apart() -> None:
    starts = np.empty(1_000_000, dtype=np.uint64)
    fill_starts(np.uint64(stream_start(1, rng.DEAL)), starts)
    assert len(np.unique(starts)) == len(starts)


def test_words_of_two_streams_do_not_meet() -> None:
    """Streams share one cycle of 2**64 words, so starts must also lie far apart along it: no word comes in both."""
    seen: set[int] = set()
    for label in range(200):
        stream = new_stream(1, rng.SEAT, label)
        words = {int(next_word(stream)) for _ in range(200)}
        assert len(words) == 200
        assert not words & seen
        seen |= words


def test_known_words() -> None:
    """SplitMix64 from 0, as its authors' C code and Java's SplittableRandom give it."""
    stream = np.zeros(1, dtype=np.uint64)
    words = [int(next_word(stream)) for _ in range(3)]
    assert words == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_pinned_starts() -> None:
    """A change here changes every deal ever played."""
    assert int(new_stream(1, rng.DEAL, 0)[0]) == PINNED_DEAL
    assert int(new_stream(2**40, rng.SEAT, 3, 2, 1)[0]) == PINNED_SEAT


PINNED_DEAL = 0xAB2CAD41C8F9BEEA
PINNED_SEAT = 0x5E61B063F5D47B70


def test_the_stream_of_a_deal_is_that_of_a_tournament() -> None:
    start = np.empty(5, dtype=np.uint64)
    fill_starts(np.uint64(stream_start(9, rng.DEAL)), start)
    assert [int(word) for word in start] == [int(new_stream(9, rng.DEAL, number)[0]) for number in range(5)]


def test_mix_is_a_bijection_on_a_sample() -> None:
    words = [np.uint64(word) for word in range(20_000)] + [np.uint64(1 << bit) for bit in range(15, 64)]
    assert len({int(mix(word)) for word in words}) == len({int(word) for word in words})


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 6, 7, 12])
def test_below_is_uniform(bound: int) -> None:
    drawn = np.empty(N_DRAWS, dtype=np.int64)
    fill_below(new_stream(3, rng.ANALYSIS, bound), bound, drawn)
    counts = np.bincount(drawn, minlength=bound)
    assert len(counts) == bound
    assert bound == 1 or chi_square(counts) < CHI_SQUARE_LIMIT[bound - 1]


def test_below_is_unbiased_where_words_are_turned_down() -> None:
    """Here a plain product would give residues of 3 in the ratio 3 : 3 : 2; a quarter of the words is refused."""
    bound = 3 << 61
    drawn = np.empty(N_DRAWS, dtype=np.int64)
    stream = new_stream(3, rng.ANALYSIS)
    fill_below(stream, bound, drawn)
    assert drawn.min() >= 0
    assert drawn.max() < bound
    assert chi_square(np.bincount(drawn // (1 << 61), minlength=3)) < CHI_SQUARE_LIMIT[2]
    assert chi_square(np.bincount(drawn % 3, minlength=3)) < CHI_SQUARE_LIMIT[2]


@pytest.mark.parametrize(("n_front", "n_items"), [(2, 2), (3, 3), (4, 4), (2, 4), (1, 3), (2, 3)])
def test_shuffles_are_uniform(n_front: int, n_items: int) -> None:
    drawn = np.empty((N_DRAWS, n_items), dtype=np.int64)
    fill_shuffles(new_stream(4, rng.ANALYSIS, n_items, n_front), n_front, drawn)
    assert np.all(np.sort(drawn, axis=1) == np.arange(n_items))
    fronts = collections.Counter(map(tuple, drawn[:, :n_front].tolist()))
    orders = list(itertools.permutations(range(n_items), n_front))
    assert set(fronts) == set(orders)
    assert chi_square(np.array([fronts[order] for order in orders])) < CHI_SQUARE_LIMIT[len(orders) - 1]


def test_a_sample_spends_a_word_an_item_and_the_last_is_free() -> None:
    for n_front, words in ((0, 0), (1, 1), (3, 3), (4, 3)):
        stream, plain = new_stream(5, rng.ANALYSIS), new_stream(5, rng.ANALYSIS)
        shuffle_front(stream, np.arange(4), n_front, 4)
        for _ in range(words):
            next_word(plain)
        assert stream[0] == plain[0]


def test_unit_fills_the_unit_interval() -> None:
    drawn = np.empty(N_DRAWS)
    fill_unit(new_stream(6, rng.ANALYSIS), drawn)
    assert drawn.min() >= 0.0
    assert drawn.max() < 1.0
    assert chi_square(np.bincount((drawn * 24).astype(np.int64), minlength=24)) < CHI_SQUARE_LIMIT[23]
    assert float(unit(_stream_before(0))) == 0.0
    assert float(unit(_stream_before(2**64 - 1))) == 1.0 - 2.0**-53


def _stream_before(word: int) -> np.ndarray:
    """Return a stream whose next word is `word`, by undoing the mixing step by step."""
    mask = 2**64 - 1
    value = word
    value ^= value >> 31 ^ value >> 62
    value = value * pow(0x94D049BB133111EB, -1, 2**64) & mask
    value ^= value >> 27 ^ value >> 54
    value = value * pow(0xBF58476D1CE4E5B9, -1, 2**64) & mask
    value ^= value >> 30 ^ value >> 60
    return np.array([(value - 0x9E3779B97F4A7C15) & mask], dtype=np.uint64)

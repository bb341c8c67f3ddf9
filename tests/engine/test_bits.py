"""The machine instructions against Python's own integers; with JIT off the same tests meet the plain twins."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.bits import multiply_high, population_count, trailing_zeros
from engine.kernel import kernel

WORDS = st.integers(0, 2**64 - 1) | st.integers(0, 63).map(lambda bit: 1 << bit)


@kernel
def answers(left, right, counts, words):
    counts[0] = trailing_zeros(left)
    counts[1] = population_count(left)
    words[0] = multiply_high(left, right)


def answers_of(left: int, right: int) -> tuple[int, int, int]:
    counts, words = np.zeros(2, dtype=np.int64), np.zeros(1, dtype=np.uint64)
    answers(np.uint64(left), np.uint64(right), counts, words)
    return int(counts[0]), int(counts[1]), int(words[0])


@settings(deadline=None)  # the first call compiles
@given(WORDS.filter(bool), WORDS)
def test_bits_agree_with_python(left: int, right: int) -> None:
    zeros, ones, high = answers_of(left, right)
    assert zeros == len(bin(left)) - len(bin(left).rstrip("0"))
    assert ones == bin(left).count("1")
    assert high == left * right >> 64


def test_the_edges() -> None:
    most = 2**64 - 1
    assert answers_of(1, most) == (0, 1, 0)
    assert answers_of(1 << 63, 1 << 63) == (63, 1, 1 << 62)
    assert answers_of(most, most) == (0, 64, most - 1)

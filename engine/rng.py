"""The only home of randomness: named streams of 64-bit words, the same on every machine.

A stream is SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators"): a counter
that grows by a constant, and a mixing function over it. Its whole state is one word, so a stream per seat and table
costs 8 bytes, and where a stream starts is a hash of what it is for: the master seed, its kind, the deal, and where
it matters the rotation and the seat. The hash of (seed, kind) is combined with the deal by a bijection, so two deals
of one seed never start alike.

Kernels take `rng`, a uint64 array of one element, and spend words from it in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.bits import multiply_high
from engine.kernel import kernel

# What a stream is for. Kinds never share words: an agent's appetite cannot change a deal.
DEAL = 1
SEAT = 2
SCHEDULE = 3
BOOTSTRAP = 4
ANALYSIS = 5

_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, odd: the counter visits every word
_MULTIPLIER_1 = np.uint64(0xBF58476D1CE4E5B9)  # Stafford's mix 13, as in SplitMix64
_MULTIPLIER_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
_ZERO = np.uint64(0)
_TO_UNIT = 1.0 / (1 << 53)


@kernel
def mix(word: Any) -> Any:
    """Scramble one uint64 word; a bijection."""
    word = (word ^ (word >> _S30)) * _MULTIPLIER_1
    word = (word ^ (word >> _S27)) * _MULTIPLIER_2
    return word ^ (word >> _S31)


@kernel
def fold(start: Any, label: int) -> Any:
    """Return the start of the stream that `label` names below `start`; different labels, different starts."""
    return mix(start ^ mix(np.uint64(label) * _GAMMA + _GAMMA))


@kernel
def stream_start(seed: int, kind: int) -> Any:
    """Return the start from which all streams of one kind are folded."""
    return fold(mix(np.uint64(seed) + _GAMMA), kind)


@kernel
def next_word(rng: Any) -> Any:
    """Spend one word of the stream: uniform over all uint64."""
    rng[0] += _GAMMA
    return mix(rng[0])


@kernel
def below_word(rng: Any, limit: Any) -> Any:
    """Draw a uint64, exactly uniform over 0 … limit − 1 (limit a uint64, at least 1); unsigned, so it indexes fast.

    Spends one word, more with chance limit / 2**64. Source: Lemire 2019, "Fast random integer generation in an
    interval".
    """
    word = next_word(rng)
    low = word * limit
    if low < limit:
        threshold = (_ZERO - limit) % limit
        while low < threshold:
            word = next_word(rng)
            low = word * limit
    return multiply_high(word, limit)


@kernel
def below(rng: Any, bound: int) -> Any:
    """Draw an integer, exactly uniform over 0 … bound − 1 (bound ≥ 1); spends words as `below_word`."""
    return np.int64(below_word(rng, np.uint64(bound)))


@kernel
def unit(rng: Any) -> float:
    """Draw a float64, uniform over [0, 1) in steps of 2**-53; spends one word."""
    return np.float64(next_word(rng) >> _S11) * _TO_UNIT


@kernel
def shuffle_front(rng: Any, items: Any, n_front: int, n_items: int) -> None:
    """Put a uniform ordered sample of `items[:n_items]` into `items[:n_front]`, in place (Fisher and Yates).

    Spends one word an item of the sample; the last of a whole shuffle is free.
    """
    counter = rng[0]  # in a register: the stores to `items` would send the stream through memory at each draw
    for index in range(min(n_front, n_items - 1)):
        place = np.uint64(index)
        limit = np.uint64(n_items) - place
        counter += _GAMMA
        word = mix(counter)
        if word * limit < limit:
            rng[0] = counter - _GAMMA
            other = place + below_word(rng, limit)
            counter = rng[0]
        else:
            other = place + multiply_high(word, limit)
        held = items[place]
        items[place] = items[other]
        items[other] = held
    rng[0] = counter


def new_stream(seed: int, kind: int, *labels: int) -> np.ndarray:
    """Return a stream of its own, shape (1,), for code outside kernels: `next_word(stream)`, `below(stream, n)`."""
    start = np.uint64(stream_start(seed, kind))  # a compiled kernel hands Python an int, which would not fit an int64
    for label in labels:
        start = np.uint64(fold(start, label))
    return np.array([start], dtype=np.uint64)

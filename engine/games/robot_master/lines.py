"""The cards of a line of Robot Master: what they score, and how a line that is not full may end.

The cards of a line are a multiset of up to five values. There are 462 of them, numbered by size, then in order.
"""

from __future__ import annotations

import itertools

import numpy as np

N_VALUES = 6
MOST_SIZE = 5
SIZES = (MOST_SIZE, 3)  # of a square, and so of its lines

# Five of a kind: as the rulebook has it, or as a triple and a pair.

FIVE_KINDS = ("literal", "trio_plus_duo")
LITERAL, TRIO_PLUS_DUO = range(len(FIVE_KINDS))

MOST_POINTS = 150  # of a line: a triple and two fives


def _multisets() -> list[tuple[int, ...]]:
    sizes = range(MOST_SIZE + 1)
    return [each for size in sizes for each in itertools.combinations_with_replacement(range(N_VALUES), size)]


MULTISETS = _multisets()
N_MULTISETS = len(MULTISETS)


def _additions() -> np.ndarray:
    """Number of the multiset with one more value; uint16, shape (462, 6), 5.5 KB; full ones stay as they are."""
    numbers = {each: number for number, each in enumerate(MULTISETS)}
    table = np.empty((N_MULTISETS, N_VALUES), dtype=np.uint16)
    for number, each in enumerate(MULTISETS):
        for value in range(N_VALUES):
            table[number, value] = numbers.get(tuple(sorted((*each, value))), number)
    return table


ADDED = _additions()


def group_points(value: int, count: int, five_kind: int) -> int:
    """Return what `count` cards of one value score in a line. Source: the rulebook; five of a kind as `five_kind`."""
    if count <= 2:
        return (0, value, 10 * value)[count]
    if count == MOST_SIZE and five_kind == TRIO_PLUS_DUO:
        return 100 + 10 * value
    return 100 + value * (count - 3)


def _scores() -> np.ndarray:
    """Points of every multiset; int16, shape (kinds of five, 462)."""
    return np.array(
        [
            [sum(group_points(value, each.count(value), kind) for value in range(N_VALUES)) for each in MULTISETS]
            for kind in range(len(FIVE_KINDS))
        ],
        dtype=np.int16,
    )


SCORES = _scores()


def _packed() -> np.ndarray:
    """Count of each value in every multiset, four bits a value, 0 in the lowest; uint64, shape (462,)."""
    return np.array([sum(1 << (4 * value) for value in each) for each in MULTISETS], dtype=np.uint64)


PACKED = _packed()


# Prospects. A line that is not full is judged as if each empty cell got the best of so many random cards: the smaller
# the number, the more cautious. The numbers, by size of the square and number of empty cells (1 and up), were found by
# play of the style that looks at nothing else.

ALONE, VERSUS = range(2)
CHOICES = (
    {MOST_SIZE: (2.4, 1.35, 1.3, 1.3, 0.65), 3: (1.5, 0.95, 0.9)},
    {MOST_SIZE: (1.0, 1.0, 1.0, 1.0, 1.0), 3: (1.0, 1.0, 1.0)},
)

N_LEVELS = 32


def _levels() -> np.ndarray:
    """Points at which the chances of a line are kept, ascending; int64, shape (sizes, 32)."""
    return np.array(
        [
            [*np.linspace(1, 60, N_LEVELS - 4).round().astype(int), 70, 80, 90, 100],
            [*np.linspace(1, 30, N_LEVELS - 2).round().astype(int), 50, 100],
        ],
        dtype=np.int64,
    )


LEVELS = _levels()
STEPS = np.diff(LEVELS, axis=1, prepend=0).astype(np.float32)  # how far each level is above the one before


def _survival() -> np.ndarray:
    """Chance that a line ends with at least the points of each level; float32, shape (sizes, 2, 462, 32), 237 KB.

    Axes: place of the size in SIZES, ALONE or VERSUS, the cards of the line, the level. Five of a kind is literal.
    """
    table = np.zeros((len(SIZES), len(CHOICES), N_MULTISETS, N_LEVELS), dtype=np.float32)
    for at, size in enumerate(SIZES):
        for who in (ALONE, VERSUS):
            survival = np.zeros((N_MULTISETS, N_LEVELS))
            for number in range(N_MULTISETS - 1, -1, -1):
                n_empty = size - len(MULTISETS[number])
                if n_empty == 0:
                    survival[number] = SCORES[LITERAL, number] >= LEVELS[at]
                elif n_empty > 0:
                    following = survival[ADDED[number]]
                    worst_first = following[np.argsort(following @ STEPS[at], kind="stable")]
                    # the best of so many random values is among the worst i of 6 with chance (i / 6) ** choice
                    among_worst = (np.arange(N_VALUES + 1) / N_VALUES) ** CHOICES[who][size][n_empty - 1]
                    survival[number] = np.diff(among_worst) @ worst_first
            table[at, who] = survival
    return table


SURVIVAL = _survival()
MEANS = np.einsum("swml,sl->swm", SURVIVAL, STEPS)  # of the points of a line, shape (sizes, 2, 462)

"""Exact play of the small square, alone: what every position is worth, counted back from the full squares.

An oracle for tests and a lesson: with the whole deck a square of 3 × 3 has 32,449,818 positions, few enough to list.
Optimal play scores 6.7824 on average; searches can be held against it, move by move.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from engine.bits import trailing_zeros
from engine.games.robot_master.lines import ADDED, LITERAL, MOST_SIZE, N_VALUES, SCORES
from engine.games.robot_master.rules import FRAME, N_COPIES
from engine.kernel import kernel

SIZE = 3
N_CELLS = SIZE * SIZE
MIDDLE = N_CELLS // 2
N_DIGITS = N_VALUES + 1  # of a cell: 0 is empty, otherwise value + 1
N_CODES = N_DIGITS**N_CELLS  # 40,353,607
UNREACHED = -1.0

PLACE_VALUE = N_DIGITS ** np.arange(N_CELLS, dtype=np.int64)  # of the digit of each cell, row by row
LINES = np.array([*np.arange(N_CELLS).reshape(SIZE, SIZE), *np.arange(N_CELLS).reshape(SIZE, SIZE).T])
_ONE = np.uint64(1)


def _open_cells(diagonal: bool) -> np.ndarray:
    """Cells where a card may be laid, by the set of filled ones; uint64 (512,), 0 where the set cannot come about."""
    near = np.zeros(N_CELLS, dtype=np.int64)
    for cell, other in itertools.product(range(N_CELLS), repeat=2):
        down, right = abs(cell // SIZE - other // SIZE), abs(cell % SIZE - other % SIZE)
        if (down, right) in ((0, 1), (1, 0)) or (diagonal and (down, right) == (1, 1)):
            near[cell] |= 1 << other
    table = np.zeros(1 << N_CELLS, dtype=np.uint64)
    reached = {1 << MIDDLE}
    while reached:
        filled = reached.pop()
        touching = int(np.bitwise_or.reduce([near[cell] for cell in range(N_CELLS) if filled >> cell & 1]))
        table[filled] = touching & ~filled
        reached |= {filled | 1 << cell for cell in range(N_CELLS) if int(table[filled]) >> cell & 1}
    return table


_FULL = (1 << N_CELLS) - 1


def solve(diagonal: bool = False) -> np.ndarray:
    """Return the mean score of optimal play from every position; float64, shape (7**9,), 323 MB.

    A position is the cards that lie in the square, before the next one is drawn; its code has a digit in base 7 for
    each cell, row by row, 0 for an empty one. Codes of no position hold UNREACHED. Takes some seconds.
    """
    values = np.full(N_CODES, UNREACHED)
    _count_back(values, _open_cells(diagonal), np.zeros(N_CELLS, dtype=np.int64), np.zeros(N_DIGITS, dtype=np.int64))
    return values


@kernel
def _count_back(values: Any, open_cells: Any, digits: Any, counts: Any) -> None:
    """Fill in all values. A card more makes a higher code, so going down meets what follows before what precedes."""
    digits[:] = N_DIGITS - 1
    for code in range(N_CODES - 1, -1, -1):
        filled = 0
        counts[:] = 0
        for cell in range(N_CELLS):
            filled |= int(digits[cell] > 0) << cell
            counts[digits[cell]] += 1
        if filled == _FULL or open_cells[filled] > 0:
            most = 0
            for value in range(N_VALUES):
                most = max(most, counts[value + 1])
            if most <= N_COPIES:
                if filled == _FULL:
                    values[code] = _lowest_line(digits)
                else:
                    values[code] = _mean_best(values, code, open_cells[filled], counts)
        cell = 0
        while digits[cell] == 0 and cell < N_CELLS - 1:  # count down by one
            digits[cell] = N_DIGITS - 1
            cell += 1
        digits[cell] -= 1


@kernel
def _lowest_line(digits: Any) -> float:
    lowest: Any = 1000
    for line in range(len(LINES)):
        cards: Any = 0
        for at in range(SIZE):
            cards = np.int64(ADDED[cards, digits[LINES[line, at]] - 1])
        lowest = min(lowest, np.int64(SCORES[LITERAL, cards]))
    return float(lowest)


@kernel
def _mean_best(values: Any, code: int, cells: Any, counts: Any) -> float:
    """Average over the next card what the best cell for it is worth."""
    n_left = 0
    total = 0.0
    for value in range(N_VALUES):
        n_cards = N_COPIES - counts[value + 1]
        if n_cards > 0:
            n_left += n_cards
            total += n_cards * _best(values, code, cells, value)
    return total / n_left


@kernel
def _best(values: Any, code: int, cells: Any, value: int) -> float:
    best = UNREACHED
    while cells:
        best = max(best, values[code + PLACE_VALUE[trailing_zeros(cells)] * (value + 1)])
        cells &= cells - _ONE
    return best


def mean_score(values: np.ndarray) -> float:
    """Return the mean score of optimal play over all first cards."""
    return float(np.mean([values[PLACE_VALUE[MIDDLE] * (value + 1)] for value in range(N_VALUES)]))


@kernel
def position_code(state: Any) -> int:
    """Return the code of the cards that lie in a small square."""
    code = 0
    for cell in range(N_CELLS):
        code += PLACE_VALUE[cell] * np.int64(state.cells[cell // SIZE * MOST_SIZE + cell % SIZE])
    return code


@kernel
def value_after(values: Any, state: Any, action: int) -> float:
    """Return the mean score of optimal play once a legal action is played in a small square."""
    place, value = action // N_VALUES, action % N_VALUES
    cell = (place // FRAME - 1) * SIZE + place % FRAME - 1
    return values[position_code(state) + PLACE_VALUE[cell] * (value + 1)]

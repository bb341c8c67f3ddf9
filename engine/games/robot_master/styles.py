"""Rules of thumb for Robot Master: what a named style likes about laying a card, as the verb `appraise`.

All judge a line by its cards alone, by the tables of `lines`: how it may end once its empty cells are filled.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.contract import Style
from engine.games.robot_master.lines import (
    ADDED,
    ALONE,
    MEANS,
    MOST_SIZE,
    N_LEVELS,
    N_VALUES,
    SCORES,
    STEPS,
    SURVIVAL,
    VERSUS,
)
from engine.games.robot_master.rules import COLUMN_OF, FRAME, ROW_OF, first_line_of, fold_sum, signed
from engine.kernel import kernel

STYLES = (
    Style("hoarder", "adds as many points as possible to his own lines now"),
    Style("denier", "keeps the opponent's lowest line as low as can be; alone, as expected-minimum"),
    Style("triple-hunter", "works for triples: the most own lines with a chance of three of a kind"),
    Style("zero-dumper", "gets rid of his lowest card, where it hurts him least and the opponent most"),
    Style("weakest-line-fixer", "repairs his lowest line first, whatever the others need"),
    Style("expected-minimum", "weighs by chance what his lowest line will be at the end, less the opponent's"),
)
HOARDER, DENIER, TRIPLE_HUNTER, ZERO_DUMPER, WEAKEST_LINE_FIXER, EXPECTED_MINIMUM = range(len(STYLES))

# The verb.


@kernel
def appraise(state: Any, actions: Any, n_legal: int, style: int, weight: float, table: Any, values: Any) -> None:
    alone = state.players == 1
    mine = first_line_of(state, signed(state.seat) & 1)
    if style == HOARDER:
        _appraise_gain(state, actions, n_legal, mine, alone, values)
    elif style == TRIPLE_HUNTER:
        _appraise_triples(state, actions, n_legal, mine, alone, values)
    elif style == WEAKEST_LINE_FIXER:
        _appraise_weakest(state, actions, n_legal, mine, alone, values)
    else:
        own = 0.0 if style == DENIER and not alone else 1.0
        _appraise_minimum(state, actions, n_legal, mine, own, weight, values)
    if style == ZERO_DUMPER:
        for index in range(n_legal):
            values[index] -= DUMPING * (actions[index] % N_VALUES)


DUMPING = 1000.0  # more than any line is worth


_FRAME = np.uint64(FRAME)
_NO_COLUMN = np.uint64(0)  # the column of the frame left of the square


@kernel
def _after(state: Any, action: int) -> tuple[Any, Any, Any, Any]:
    """Return the row and the column of an action as lines 0 … 9, and the cards that they hold after it."""
    place, value = np.uint64(action // N_VALUES), np.uint64(action % N_VALUES)
    row, column = ROW_OF[place], COLUMN_OF[place]
    if place < _FRAME:  # a new row above: as good as the first row that is still empty
        row = np.uint64(state.height)
    if place % _FRAME == _NO_COLUMN:
        column = np.uint64(state.width)
    column += np.uint64(MOST_SIZE)
    return row, column, ADDED[state.lines[row], value], ADDED[state.lines[column], value]


@kernel
def _appraise_gain(state: Any, actions: Any, n_legal: int, mine: int, alone: bool, values: Any) -> None:
    """Value each action by the points that it adds to the player's own lines."""
    scores = SCORES[state.five_kind]
    for index in range(n_legal):
        row, column, row_after, column_after = _after(state, actions[index])
        gain = 0
        if alone or mine == 0:
            gain += signed(scores[row_after]) - signed(scores[state.lines[row]])
        if alone or mine != 0:
            gain += signed(scores[column_after]) - signed(scores[state.lines[column]])
        values[index] = gain


@kernel
def _appraise_triples(state: Any, actions: Any, n_legal: int, mine: int, alone: bool, values: Any) -> None:
    """Value each action by the chance of a triple that it adds to the player's own lines."""
    triple = N_LEVELS - 1  # the level of 100 points
    chance = SURVIVAL[signed(state.edge != MOST_SIZE), ALONE if alone else VERSUS]
    for index in range(n_legal):
        row, column, row_after, column_after = _after(state, actions[index])
        gain = 0.0
        if alone or mine == 0:
            gain += np.float64(chance[row_after, triple]) - np.float64(chance[state.lines[row], triple])
        if alone or mine != 0:
            gain += np.float64(chance[column_after, triple]) - np.float64(chance[state.lines[column], triple])
        values[index] = gain


@kernel
def _appraise_weakest(state: Any, actions: Any, n_legal: int, mine: int, alone: bool, values: Any) -> None:
    """Value each action by how high it leaves the lowest mean of the player's own lines, then by the next lowest."""
    means = MEANS[signed(state.edge != MOST_SIZE), ALONE if alone else VERSUS]
    for index in range(n_legal):
        row, column, row_after, column_after = _after(state, actions[index])
        lowest = second = 1e9
        for first in (0, MOST_SIZE):
            if not alone and first != mine:
                continue
            for line in range(first, first + signed(state.edge)):
                cards = state.lines[np.uint64(line)]
                if np.uint64(line) == row:
                    cards = row_after
                elif np.uint64(line) == column:
                    cards = column_after
                mean = np.float64(means[cards])
                second = min(second, max(lowest, mean))
                lowest = min(lowest, mean)
        values[index] = lowest + SECOND * second


SECOND = 0.001  # what the second lowest line counts: it only breaks ties


@kernel
def _appraise_minimum(
    state: Any, actions: Any, n_legal: int, mine: int, own: float, weight: float, values: Any
) -> None:
    """Value each action by the mean lowest line at the end: `own` times his, less `weight` times the other's.

    The mean lowest of lines is the sum over levels of its step times the chance that all lines reach it, as if they
    were independent.
    """
    alone = state.players == 1
    size = signed(state.edge != MOST_SIZE)
    survival = SURVIVAL[size, ALONE if alone else VERSUS]
    others = np.empty((2 * MOST_SIZE, N_LEVELS), dtype=np.float32)
    product = np.empty(N_LEVELS, dtype=np.float32)
    _multiply_others(state, 0, survival, others)
    _multiply_others(state, MOST_SIZE, survival, others)
    of_rows, of_columns = (own, -weight) if mine == 0 else (-weight, own)
    for index in range(n_legal):
        row, column, row_after, column_after = _after(state, actions[index])
        product[:] = STEPS[size]
        _multiply(product, others[row], survival[row_after])
        if alone:
            _multiply(product, others[column], survival[column_after])
            values[index] = np.float64(fold_sum(product))
            continue
        values[index] = of_rows * np.float64(fold_sum(product))
        product[:] = STEPS[size]
        _multiply(product, others[column], survival[column_after])
        values[index] += of_columns * np.float64(fold_sum(product))


@kernel
def _multiply_others(state: Any, first: int, survival: Any, others: Any) -> None:
    """Write for each line of one direction the chance that all the others of it reach each level."""
    end = first + signed(state.edge)
    others[first] = 1.0
    for line in range(first + 1, end):
        before = survival[state.lines[np.uint64(line - 1)]]
        for level in range(N_LEVELS):
            others[line, level] = others[line - 1, level] * before[level]
    behind = np.empty(N_LEVELS, dtype=np.float32)
    behind[:] = 1.0
    for line in range(end - 1, first - 1, -1):
        here = survival[state.lines[np.uint64(line)]]
        for level in range(N_LEVELS):
            others[line, level] *= behind[level]
            behind[level] *= here[level]


@kernel
def _multiply(product: Any, first: Any, second: Any) -> None:
    for level in range(N_LEVELS):
        product[level] *= first[level] * second[level]

"""What a card set can do: the totals of all its pizzas, which orders they fill, and how far each is from filling one.

All in numpy over the 24,576 pizzas, independent of the kernels of rules.py; a test holds the two together.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np

from engine.games.pizza_time.rules import (
    EAST,
    LIE_BITS,
    LIES_BITS,
    N_CARDS,
    N_LIES,
    N_ORDERS,
    N_PIZZAS,
    N_REARRANGEMENTS,
    N_TOPPINGS,
    PILE_SIZE,
    RINGS,
    SOUTH,
    pizza_of,
    rearranged,
)

UNREACHABLE = 255  # a distance to nowhere


def _plain(function: Any) -> Any:
    return getattr(function, "py_func", function)


@functools.lru_cache(maxsize=64)
def totals_of_pizzas(faces: tuple[int, ...]) -> np.ndarray:
    """Return what every pizza of a set shows of each topping; int16, shape (24576, 4), read-only."""
    lies = np.arange(N_LIES)
    words = np.array(faces, dtype=np.int64)
    totals = np.zeros((len(RINGS), N_LIES, N_TOPPINGS), dtype=np.int16)
    for number, ring in enumerate(RINGS):
        outs, ins = [], []
        for place, card in enumerate((0, *ring)):
            lie = (lies >> (LIE_BITS * card)) & 7
            face = words[2 * card + (lie >> 2)]
            for topping in range(N_TOPPINGS):
                totals[number, :, topping] += ((face >> (4 * topping)) & 15).astype(np.int16)
            turns = (lie & 3) - place
            outs.append((face >> (16 + 4 * ((EAST - turns) % 4))) & 15)
            ins.append((face >> (16 + 4 * ((SOUTH - turns) % 4))) & 15)
        for place in range(N_CARDS):
            out, into = outs[place], ins[(place + 1) % N_CARDS]
            for topping in range(N_TOPPINGS):
                totals[number, :, topping] += (out == into) & (out == topping + 1)
    by_pizza = totals.reshape(N_PIZZAS, N_TOPPINGS)
    by_pizza.flags.writeable = False
    return by_pizza


def distinct_orders(piles: tuple[tuple[int, ...], ...]) -> tuple[np.ndarray, np.ndarray]:
    """Return the different orders that four sorted piles can show, shape (orders, 4), and their order numbers."""
    firsts = [[place for place in range(PILE_SIZE) if pile.index(pile[place]) == place] for pile in piles]
    places = np.array(list(itertools.product(*firsts)), dtype=np.int64)
    orders = np.stack(
        [np.array(pile, dtype=np.int64)[places[:, topping]] for topping, pile in enumerate(piles)], axis=1
    )
    return orders, places @ PILE_SIZE ** np.arange(N_TOPPINGS - 1, -1, -1)


def count_solutions(faces: tuple[int, ...], orders: np.ndarray) -> np.ndarray:
    """Count the pizzas that match at least k toppings of each order; shape (orders, 5), k from 0 to 4."""
    shown, times = np.unique(totals_of_pizzas(faces), axis=0, return_counts=True)
    exact = (shown[None, :, :] == orders[:, None, :]).sum(axis=2)
    return np.stack([(times * (exact >= k)).sum(axis=1) for k in range(N_TOPPINGS + 1)], axis=1)


@functools.lru_cache(maxsize=64)
def most_types_table(faces: tuple[int, ...], piles: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Return the record's table of how many toppings of each order a pizza matches at most; uint8, shape (324,).

    Raises ValueError where some order cannot be met on a single topping: no round could be played with it.
    """
    orders, numbers = distinct_orders(piles)
    most = (count_solutions(faces, orders) > 0).sum(axis=1) - 1
    if most.min() < 1:
        words = " ".join(str(number) for number in orders[most.argmin()])
        raise ValueError(
            f"no pizza of this card set shows the number wanted of any topping for the order {words}; "
            "choose other piles or cards"
        )
    packed = np.zeros(N_ORDERS // 4, dtype=np.uint8)
    for number, most_here in zip(numbers.tolist(), most.tolist(), strict=True):
        packed[number >> 2] |= (most_here - 1) << (2 * (number & 3))
    packed.flags.writeable = False
    return packed


@functools.lru_cache(maxsize=1)
def neighbors() -> np.ndarray:
    """Return where each flip, turn and swap leads from each pizza; int64, shape (24576, 14)."""
    pizzas = np.arange(N_PIZZAS)
    placements = ((pizzas >> LIES_BITS) << (LIES_BITS + 2)) | (pizzas & (N_LIES - 1))  # card 1 at the top left
    moved = [_plain(rearranged)(placements, movement) for movement in range(N_REARRANGEMENTS)]
    return np.stack([_plain(pizza_of)(each) for each in moved], axis=1)


def distances(is_goal: np.ndarray) -> np.ndarray:
    """Return the movements that each pizza is from the nearest goal, for many sets of goals at once.

    `is_goal` is bool, shape (24576, sets); the result is uint8, shape (sets, 24576). Breadth first from all goals
    together; the sets are bits of words, so one pass takes a step in all of them.
    """
    n_sets = is_goal.shape[1]
    reached = np.packbits(is_goal, axis=1)
    steps = neighbors()
    found = np.full((N_PIZZAS, n_sets), UNREACHABLE, dtype=np.uint8)
    fresh, step = reached, 0
    while fresh.any():
        found[np.unpackbits(fresh, axis=1, count=n_sets).view(np.bool_)] = step
        grown = reached.copy()
        for movement in range(N_REARRANGEMENTS):
            grown |= reached[steps[:, movement]]
        fresh, reached, step = grown & ~reached, grown, step + 1
    return np.ascontiguousarray(found.T)
